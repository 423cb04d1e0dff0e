//! The ways in which an expression uses a variable.

use marquetry_code::{Arena, NodeIndex};

use super::super::expressions::{is_assignment, is_first, is_mutable, macro_argument, operator};
use crate::{
    kinds::{K, has_kind},
    types::Types,
};

/// Macros whose arguments after the format string are borrowed.
const FORMATTING: [&str; 13] = [
    "eprint",
    "eprintln",
    "format",
    "format_args",
    "panic",
    "print",
    "println",
    "todo",
    "unimplemented",
    "unreachable",
    "write",
    "writeln",
    "matches",
];

/// A way to use a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// Only reads the variable, or borrows it.
    Read,
    /// Copies or moves the variable, or a part of it.
    Value { is_part: bool },
    /// Calls a method that is not known: it may read, change or move the variable.
    Unknown,
    /// Changes a part of the variable, or borrows it mutably.
    Change,
    /// Assigns to the whole variable.
    Assign,
}

/// Returns whether a node is a closure or block that owns the variables that it uses: `move || …`, `async move { … }`.
pub(super) fn is_capturing(arena: &Arena, node: NodeIndex) -> bool {
    let is_owner = has_kind(arena, node, K::CLOSURE_EXPR) || has_kind(arena, node, K::BLOCK_EXPR);
    let mut head = arena.tokens_in(arena.node(node).span).iter().map(|token| token.span.slice(&arena.text));
    is_owner && head.by_ref().take_while(|token| !matches!(*token, "|" | "||" | "{")).any(|token| token == "move")
}

/// The largest place in memory that starts with the expression `node`, such as `a.b[1]` for `a`, and whether it is only a
/// part of the variable.
pub(super) fn top(arena: &Arena, node: NodeIndex) -> (NodeIndex, bool) {
    let (mut top, mut is_part) = (node, false);
    loop {
        let parent = arena.node(top).parent;
        let is_base =
            (has_kind(arena, parent, K::FIELD_EXPR) || has_kind(arena, parent, K::INDEX_EXPR)) && is_first(arena, top);
        let is_dereferenced = has_kind(arena, parent, K::PREFIX_EXPR) && arena.slice(parent).starts_with('*');
        if !is_base && !is_dereferenced && !has_kind(arena, parent, K::PAREN_EXPR) {
            return (top, is_part);
        }
        is_part |= is_base || is_dereferenced;
        top = parent;
    }
}

/// The way in which the expression `node`, which names a variable, is used.
pub(super) fn usage(arena: &Arena, types: Types<'_>, node: NodeIndex) -> Use {
    let (top, is_part) = top(arena, node);
    let parent = arena.node(top).parent;
    let is = |kind: K| has_kind(arena, parent, kind);
    if is(K::BIN_EXPR) {
        let operator = operator(arena, parent);
        return match () {
            () if is_assignment(operator) && is_first(arena, top) && is_part => Use::Change,
            () if is_assignment(operator) && is_first(arena, top) => Use::Assign,
            () if matches!(operator, "==" | "!=" | "<" | ">" | "<=" | ">=") => Use::Read,
            () => Use::Value { is_part },
        };
    }
    if is(K::REF_EXPR) {
        return if is_mutable(arena, parent) { Use::Change } else { Use::Read };
    }
    if is(K::METHOD_CALL_EXPR) && is_first(arena, top) {
        return if types.reads_receiver(parent) == Some(true) { Use::Read } else { Use::Unknown };
    }
    if is(K::CALL_EXPR) && is_first(arena, top) {
        let is_shared = types.type_of(top).is_some_and(|own| own.starts_with("impl Fn("));
        return if is_shared { Use::Read } else { Use::Unknown };
    }
    match macro_argument(arena, top) {
        Some(("write" | "writeln", 0)) => Use::Unknown,
        Some((name, _)) if FORMATTING.contains(&name) || name.contains("assert") => Use::Read,
        _ => Use::Value { is_part },
    }
}

/// The code of a use of a variable that is now a reference. `None` if the code need not change.
pub(super) fn dereferenced(arena: &Arena, node: NodeIndex, name: &str, is_mutable: bool) -> Option<String> {
    let parent = arena.node(node).parent;
    let is = |kind: K| has_kind(arena, parent, kind);
    let is_base = is(K::FIELD_EXPR) || is(K::INDEX_EXPR) || is(K::METHOD_CALL_EXPR) || is(K::CALL_EXPR) && !is_mutable;
    if is_base && is_first(arena, node) {
        return None;
    }
    if macro_argument(arena, node).is_some_and(|(own, _)| FORMATTING.contains(&own)) {
        return None;
    }
    let needs_brackets = is(K::TRY_EXPR) || is(K::AWAIT_EXPR) || is(K::CALL_EXPR) && is_first(arena, node);
    Some(if needs_brackets { format!("(*{name})") } else { format!("*{name}") })
}
