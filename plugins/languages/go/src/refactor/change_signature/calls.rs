//! Updates the calls of a function whose parameters change.

use marquetry_code::{Arena, NodeIndex};
use marquetry_sdk::{DeclaredKey, Edit, Result, Span, Usage, span::apply_within};

use super::{has_comments, is_in_folder, plan::Item, plan::Plan, refused};
use crate::{
    kinds::{K, child, has_kind},
    names::is_universal,
    symbols::Symbol,
    types::Resolver,
};

/// The edits of the calls in a document.
///
/// # Errors
///
/// Fails if a use is not a call, or if the arguments of a call cannot be changed accordingly.
pub(super) fn edits(symbol: &Symbol<'_>, key: &DeclaredKey, plan: &Plan) -> Result<Vec<Edit>> {
    let arena = symbol.file.arena();
    let mut lists: Vec<NodeIndex> = Vec::new();
    for one in symbol.uses_of(key).into_iter().filter(|one| one.usage != Usage::Declaration) {
        if !one.is_certain {
            let hint = "use a language server, or change the calls by hand";
            return Err(refused(format!("it is not known what `{}` refers to here", key.name), hint).at(one.span));
        }
        let list = arguments_of(symbol, arena.innermost(one.span)).ok_or_else(|| {
            refused(format!("`{}` is used as a value here", key.name), "change this use first").at(one.span)
        })?;
        lists.push(list);
    }
    check_values(symbol, key, plan, &lists)?;
    // Inner calls are edited first, so that the arguments of outer calls contain the new texts.
    lists.sort_by_key(|list| std::cmp::Reverse(arena.node(*list).span.start));
    let mut edits: Vec<Edit> = Vec::new();
    for list in lists {
        let span = arena.node(list).span;
        let (inner, outer): (Vec<Edit>, Vec<Edit>) = edits.into_iter().partition(|edit| span.contains(edit.span));
        edits = outer;
        edits.push(call_edit(arena, list, plan, inner)?);
        edits.sort_by_key(|edit| edit.span.start);
    }
    Ok(edits)
}

/// The argument list of the call that calls a name. `None` if the name is not called.
fn arguments_of(symbol: &Symbol<'_>, name: NodeIndex) -> Option<NodeIndex> {
    let arena = symbol.file.arena();
    let mut function = name;
    let parent = arena.node(function).parent;
    if has_kind(arena, parent, K::Selector) && arena.children(parent).next() != Some(name) {
        // `Cart.Add(c, 1)` is a method expression: its first argument is the receiver.
        let left = arena.children(parent).next()?;
        let is_import = symbol.import_before(name).is_some();
        if !is_import && Resolver::default().written(&symbol.file, left).is_some() {
            return None;
        }
        function = parent;
    }
    // Skips type arguments and parentheses around the function.
    loop {
        let parent = arena.node(function).parent;
        let is_around = has_kind(arena, parent, K::Index) || has_kind(arena, parent, K::Paren);
        if !is_around || arena.children(parent).next() != Some(function) {
            break;
        }
        function = parent;
    }
    let call = arena.node(function).parent;
    let is_called = has_kind(arena, call, K::Call) && arena.children(call).next() == Some(function);
    child(arena, call, K::Args).filter(|_| is_called)
}

/// Refuses a new argument that contains names which the file cannot refer to.
fn check_values(symbol: &Symbol<'_>, key: &DeclaredKey, plan: &Plan, lists: &[NodeIndex]) -> Result<()> {
    let Some(list) = lists.first().filter(|_| !is_in_folder(symbol.document(), key)) else { return Ok(()) };
    let span = symbol.file.arena().node(*list).span;
    for added in plan.added() {
        let is_literal = added.value.starts_with(['"', '`', '\'']);
        let words = added.value.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let mut names = words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'));
        if let Some(name) = names.find(|name| !is_literal && !is_universal(name)) {
            let message = format!("the value `{}` uses `{name}`, and other packages call the function", added.value);
            return Err(refused(message, "give a value without names, and change it afterwards").at(span));
        }
    }
    Ok(())
}

/// The edit of the arguments of one call.
fn call_edit(arena: &Arena, list: NodeIndex, plan: &Plan, inner: Vec<Edit>) -> Result<Edit> {
    let span = arena.node(list).span;
    let failure = |why: &str, hint: &str| Err(refused(why, hint).at(span));
    let own: Vec<NodeIndex> = arena.children(list).collect();
    let fixed = plan.old_count - usize::from(plan.is_variadic);
    if own.len() < fixed || own.len() > fixed && !plan.is_variadic {
        return failure("the results of one call are the arguments here", "write the arguments one by one");
    }
    if has_comments(arena, span) {
        return failure("the arguments have comments", "change this call by hand");
    }
    // The range of arguments that belongs to each old parameter.
    let of = |index: usize| if index < fixed { index..index + 1 } else { fixed..own.len() };
    let order: Vec<usize> = plan
        .items
        .iter()
        .flat_map(|item| match item {
            Item::Kept(old) => of(*old).collect::<Vec<usize>>(),
            Item::New(_) => Vec::new(),
        })
        .collect();
    let has_effect = |index: &usize| {
        let parts = std::iter::once(own[*index]).chain(arena.descendants(own[*index]));
        parts.into_iter().any(|part| has_kind(arena, part, K::Call) || arena.slice(part).starts_with("<-"))
    };
    if (0..own.len()).any(|index| !order.contains(&index) && has_effect(&index)) {
        return failure("an argument that is removed calls a function", "move the call out of the arguments first");
    }
    let effects: Vec<usize> = order.iter().copied().filter(has_effect).collect();
    if !effects.is_sorted() {
        return failure("arguments that call functions would be evaluated in another order", "use variables first");
    }
    let text = |index: usize| {
        let node = arena.node(own[index]).span;
        let edits: Vec<Edit> = inner.iter().filter(|edit| node.contains(edit.span)).cloned().collect();
        apply_within(&arena.text, node.range(), &edits)
    };
    let texts: Vec<String> = plan
        .items
        .iter()
        .flat_map(|item| match item {
            Item::Kept(old) => of(*old).map(&text).collect::<Vec<String>>(),
            Item::New(added) => vec![added.value.clone()],
        })
        .collect();
    let between = match own[..] {
        [first, second, ..] => {
            let gap = Span { start: arena.node(first).span.end, end: arena.node(second).span.start };
            gap.slice(&arena.text).to_owned()
        }
        _ => ", ".to_owned(),
    };
    let separator = if between.contains('\n') { between.as_str() } else { ", " };
    let outer = match (own.first(), own.last()) {
        (Some(first), Some(last)) if !texts.is_empty() => {
            Span { start: arena.node(*first).span.start, end: arena.node(*last).span.end }
        }
        _ => Span { start: span.start + 1, end: span.end - 1 },
    };
    Ok(Edit::new(outer, texts.join(separator)))
}
