//! The new arguments of calls.

use marquetry_code::{
    Arena, NodeIndex, TokenKind,
    signature::{Item, Plan},
};
use marquetry_sdk::{Edit, Result, Span, span::apply_within};

use super::{callee::Found, refused};
use crate::{
    crates::is_standard,
    names::{ScopeIndex, TYPES, VALUES},
    refactor::expressions::has_effect,
    symbols::Symbol,
    table::is_keyword,
    types::{Types, text::is_primitive},
};

/// The edits of the calls in a document.
///
/// # Errors
///
/// Fails if the arguments of a call cannot be changed accordingly.
pub(super) fn edits(arena: &Arena, symbol: &Symbol<'_>, found: &Found, plan: &Plan) -> Result<Vec<Edit>> {
    let mut lists = found.calls.clone();
    // Inner calls are edited first, so that the arguments of outer calls contain the new texts.
    lists.sort_by_key(|(list, _)| std::cmp::Reverse(arena.node(*list).span.start));
    lists.dedup();
    let types = Types::new(arena, symbol);
    let mut edits: Vec<Edit> = Vec::new();
    for (list, offset) in lists {
        let span = arena.node(list).span;
        for added in plan.added() {
            check_value(symbol, types.scope_at(list), &added.value, span)?;
        }
        let (inner, outer): (Vec<Edit>, Vec<Edit>) = edits.into_iter().partition(|edit| span.contains(edit.span));
        edits = outer;
        edits.push(call_edit(arena, (list, offset), plan, inner)?);
        edits.sort_by_key(|edit| edit.span.start);
    }
    Ok(edits)
}

/// Refuses a new argument that contains names which are not visible at a call.
fn check_value(symbol: &Symbol<'_>, scope: ScopeIndex, value: &str, at: Span) -> Result<()> {
    match unknown_name(symbol, scope, value) {
        Some(name) => {
            let why = format!("the value `{value}` uses `{name}`, which is not visible at this call");
            Err(refused(why, "give a value without this name, and change it afterwards").at(at))
        }
        None => Ok(()),
    }
}

/// The first name of a path in code that is not visible in a scope.
pub(super) fn unknown_name<'c>(symbol: &Symbol<'_>, scope: ScopeIndex, code: &'c str) -> Option<&'c str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let (mut at, mut in_text) = (0, false);
    while let Some(c) = code[at..].chars().next() {
        if c == '"' {
            in_text = !in_text;
        }
        if in_text || !is_part(c) {
            at += if in_text && c == '\\' {
                1 + code[at + 1..].chars().next().map_or(0, char::len_utf8)
            } else {
                c.len_utf8()
            };
            continue;
        }
        let end = code[at..].find(|c: char| !is_part(c)).map_or(code.len(), |length| at + length);
        let (word, before) = (&code[at..end], code[..at].trim_end());
        at = end;
        let is_own = word.starts_with(|c: char| c.is_ascii_digit()) || before.ends_with(['.', ':', '\'', '#']);
        let is_known = || {
            (is_keyword(word) && word != "self" && word != "Self")
                || is_primitive(word)
                || is_standard(word)
                || matches!(word, "None" | "Some" | "Ok" | "Err" | "union" | "dyn")
                || symbol.names.lookup(word, TYPES | VALUES, scope).is_some()
                || code[end..].starts_with('!')
        };
        if !is_own && !is_known() {
            return Some(word);
        }
    }
    None
}

/// Returns whether a list contains comments, which a new list would lose.
pub(super) fn has_comments(arena: &Arena, list: Span) -> bool {
    arena.tokens_in(list).iter().any(|token| token.kind == TokenKind::Comment)
}

/// The edit of the arguments of one call.
fn call_edit(arena: &Arena, (list, offset): (NodeIndex, usize), plan: &Plan, inner: Vec<Edit>) -> Result<Edit> {
    let span = arena.node(list).span;
    let failure = |why: &str, hint: &str| Err(refused(why, hint).at(span));
    let all: Vec<NodeIndex> = arena.children(list).collect();
    if all.len() != plan.old_count + offset {
        return failure("the arguments do not match the parameters", "correct this call first");
    }
    if has_comments(arena, span) {
        return failure("the arguments have comments", "change this call by hand");
    }
    let (before, own) = all.split_at(offset);
    let kept = |item: &Item| match item {
        Item::Kept(old) => Some(*old),
        Item::New(_) => None,
    };
    let order: Vec<usize> = plan.items.iter().filter_map(kept).collect();
    let acts = |index: &usize| has_effect(arena, own[*index]);
    if (0..own.len()).any(|index| !order.contains(&index) && acts(&index)) {
        return failure("an argument that is removed runs code", "move the code out of the arguments first");
    }
    if !order.iter().copied().filter(acts).is_sorted() {
        return failure("arguments that run code would be evaluated in another order", "use variables first");
    }
    let text = |node: NodeIndex| {
        let node = arena.node(node).span;
        let edits: Vec<Edit> = inner.iter().filter(|edit| node.contains(edit.span)).cloned().collect();
        apply_within(&arena.text, node.range(), &edits)
    };
    let item = |item: &Item| match item {
        Item::Kept(old) => text(own[*old]),
        Item::New(added) => added.value.clone(),
    };
    let texts: Vec<String> = before.iter().map(|node| text(*node)).chain(plan.items.iter().map(item)).collect();
    Ok(Edit::new(list_content(arena, span, &all, texts.is_empty()), texts.join(&separator(arena, &all))))
}

/// The range of the items of a list: from the first to the last one, or all between the brackets.
pub(super) fn list_content(arena: &Arena, list: Span, items: &[NodeIndex], becomes_empty: bool) -> Span {
    match (items.first(), items.last()) {
        (Some(first), Some(last)) if !becomes_empty => {
            Span { start: arena.node(*first).span.start, end: arena.node(*last).span.end }
        }
        _ => Span { start: list.start + 1, end: list.end - 1 },
    }
}

/// The text between two items of a list.
pub(super) fn separator(arena: &Arena, items: &[NodeIndex]) -> String {
    let between = match items {
        [first, second, ..] => {
            Span { start: arena.node(*first).span.end, end: arena.node(*second).span.start }.slice(&arena.text)
        }
        _ => "",
    };
    if between.contains('\n') { between.to_owned() } else { ", ".to_owned() }
}
