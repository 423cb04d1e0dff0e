//! Updates the calls of a function whose parameters change.

use std::collections::BTreeSet;

use marquetry_code::{NodeIndex, signature::Item};
use marquetry_sdk::{DeclaredKey, Edit, Result, Span, Usage, span::apply_within};

use super::{has_comments, is_in_package, packages::free_names, plan::Plan, refused};
use crate::{
    kinds::{K, child, has_kind},
    names::{BindingKind, is_universal},
    symbols::{Symbol, declaring_files},
    types::Resolver,
    typing::Typing,
};

/// The edits of the calls in a document. Adds the ranges of arguments that disappear to `removed`.
///
/// # Errors
///
/// Fails if a use is not a call, or if the arguments of a call cannot be changed accordingly.
pub(super) fn edits(
    symbol: &Symbol<'_>,
    key: &DeclaredKey,
    plan: &Plan,
    needed: &mut BTreeSet<String>,
    removed: &mut Vec<Span>,
) -> Result<Vec<Edit>> {
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
    check_values(symbol, key, plan, &lists, needed)?;
    // Inner calls are edited first, so that the arguments of outer calls contain the new texts.
    lists.sort_by_key(|list| std::cmp::Reverse(arena.node(*list).span.start));
    let mut edits: Vec<Edit> = Vec::new();
    for list in lists {
        let span = arena.node(list).span;
        let (inner, outer): (Vec<Edit>, Vec<Edit>) = edits.into_iter().partition(|edit| span.contains(edit.span));
        edits = outer;
        edits.push(call_edit(symbol, list, plan, (inner, removed))?);
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

/// Refuses a new argument with names that a call cannot use. Adds the packages that the file must import to `needed`.
fn check_values(
    symbol: &Symbol<'_>,
    key: &DeclaredKey,
    plan: &Plan,
    lists: &[NodeIndex],
    needed: &mut BTreeSet<String>,
) -> Result<()> {
    let is_here = is_in_package(symbol, key);
    for added in plan.list.added() {
        let names = free_names(&added.value);
        for list in lists {
            let span = symbol.file.arena().node(*list).span;
            for name in &names {
                let path = plan.packages.iter().find(|(local, _)| local == name).map(|(_, path)| path.as_str());
                check_value(symbol, (&added.value, name), path, (is_here, span), needed)?;
            }
        }
    }
    Ok(())
}

/// Checks that a name in a new argument has its meaning at a call. `path` is the import path of a package.
fn check_value(
    symbol: &Symbol<'_>,
    (value, name): (&str, &str),
    path: Option<&str>,
    (is_here, call): (bool, Span),
    needed: &mut BTreeSet<String>,
) -> Result<()> {
    let local = symbol.file.names.local(name, call.start).filter(|own| own.kind != BindingKind::Import);
    let fail = |message: String, hint: &str| Err(refused(message, hint).at(call));
    if let Some(path) = path {
        let imported = symbol.import_path_of(name);
        if local.is_some() || imported.as_deref().is_some_and(|own| own != path) {
            return fail(format!("`{name}` in the value `{value}` has another meaning here"), "choose another value");
        }
        if imported.is_none() {
            needed.insert(path.to_owned());
        }
        return Ok(());
    }
    let is_declared = || symbol.import_path_of(name).is_some() || !declaring_files(&symbol.package(), name).is_empty();
    if local.is_some() || is_universal(name) || is_here && is_declared() {
        return Ok(());
    }
    if !is_here && is_declared() {
        let message = format!("the value `{value}` uses `{name}`, which has another meaning in this package");
        return fail(message, "give a value without names, and change it afterwards");
    }
    fail(
        format!("the value `{value}` uses `{name}`, which is not declared here"),
        "give a value that every call can use, or declare the name before this call first",
    )
}

/// The edit of the arguments of one call.
fn call_edit(
    symbol: &Symbol<'_>,
    list: NodeIndex,
    plan: &Plan,
    (inner, removed): (Vec<Edit>, &mut Vec<Span>),
) -> Result<Edit> {
    let arena = symbol.file.arena();
    let span = arena.node(list).span;
    let failure = |why: &str, hint: &str| Err(refused(why, hint).at(span));
    let own: Vec<NodeIndex> = arena.children(list).collect();
    let fixed = plan.list.old_count - usize::from(plan.is_variadic);
    let is_several = plan.is_variadic && matches!(own[..], [only] if !has_one_result(symbol, only));
    if own.len() < fixed || own.len() > fixed && !plan.is_variadic || is_several {
        return failure("the results of one call are the arguments here", "write the arguments one by one");
    }
    if has_comments(arena, span) {
        return failure("the arguments have comments", "change this call by hand");
    }
    // The range of arguments that belongs to each old parameter.
    let of = |index: usize| if index < fixed { index..index + 1 } else { fixed..own.len() };
    let order: Vec<usize> = plan
        .list
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
    let gone: Vec<usize> = (0..own.len()).filter(|index| !order.contains(index)).collect();
    if gone.iter().any(has_effect) {
        return failure("an argument that is removed calls a function", "move the call out of the arguments first");
    }
    removed.extend(gone.into_iter().map(|index| arena.node(own[index]).span));
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
        .list
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

/// Returns whether an argument certainly has one value. A call may have several results.
fn has_one_result(symbol: &Symbol<'_>, argument: NodeIndex) -> bool {
    let results = || Typing::default().results(&symbol.file, argument);
    !has_kind(symbol.file.arena(), argument, K::Call) || results().is_some_and(|results| results.len() == 1)
}
