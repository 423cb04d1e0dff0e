//! The parameters of a declaration, and the new ones that Rust accepts.

use marquetry_code::{
    Arena, CodeDocument, NodeIndex, TokenKind,
    signature::{OldParameter, Rules},
};

use crate::{
    kinds::{K, has_kind},
    table::{RUST, check_name},
    types::types_in,
};

/// The new parameters that Rust accepts.
pub(super) const RULES: Rules = Rules {
    example_type: "usize",
    type_separator: ':',
    variadic_sign: "...",
    needs_type: true,
    has_defaults: false,
    check_name,
    is_type: |code| is_only_child(code, ("type T = ", ";"), K::TYPE_ALIAS),
    is_value: |code| is_only_child(code, ("fn f() { f(", "); }"), K::ARG_LIST),
};

/// A parameter of a declaration. Its name may be a pattern.
pub(super) fn old_parameter(arena: &Arena, parameter: NodeIndex) -> OldParameter {
    let pattern = arena.children(parameter).find(|own| !has_kind(arena, *own, K::ATTR));
    let code = pattern.map_or("", |own| arena.slice(own));
    let type_text = types_in(arena, parameter).last().map_or("", |own| arena.slice(own));
    OldParameter {
        name: code.strip_prefix("mut ").unwrap_or(code).trim().to_owned(),
        type_text: type_text.to_owned(),
        text: arena.slice(parameter).to_owned(),
        ..OldParameter::default()
    }
}

/// Returns whether code between two texts is the only child of the first node of a kind, except for its name, and has
/// no comments.
fn is_only_child(code: &str, (before, after): (&str, &str), kind: K) -> bool {
    let document = CodeDocument::open(&RUST, "value.rs", format!("{before}{code}{after}"));
    let arena = document.arena();
    let is_comment = arena.tokens.iter().any(|token| token.kind == TokenKind::Comment);
    let around = arena.nodes().map(|(index, _)| index).find(|index| has_kind(arena, *index, kind));
    let parts = around.into_iter().flat_map(|around| arena.children(around));
    let parts: Vec<NodeIndex> = parts.filter(|part| !has_kind(arena, *part, K::NAME)).collect();
    // The parser accepts `let` as an argument.
    let is_it = |only: NodeIndex| arena.slice(only) == code && !has_kind(arena, only, K::LET_EXPR);
    arena.errors.is_empty() && !is_comment && matches!(parts[..], [only] if is_it(only))
}
