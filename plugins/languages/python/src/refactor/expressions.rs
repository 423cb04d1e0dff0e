//! Properties of expressions that determine whether their evaluation can be moved.

use marquetry_code::{CodeDocument, Kind, NodeIndex};
use marquetry_sdk::Span;

use crate::lower::{F, K};

/// Returns whether a kind of node is an expression.
pub(super) fn is_expression(kind: Kind) -> bool {
    (K::BoolOp as u8..=K::Slice as u8).contains(&kind.0)
}

/// Returns whether a node has one of these kinds.
pub(super) fn is_one_of(document: &CodeDocument, node: NodeIndex, kinds: &[K]) -> bool {
    let own = document.arena().node(node).kind;
    kinds.iter().any(|kind| own == (*kind).into())
}

/// Kinds of expressions that run other code or assign a variable.
const EFFECTS: [K; 5] = [K::Call, K::Await, K::Yield, K::YieldFrom, K::Named];

/// Returns whether an expression may run other code.
pub(super) fn has_effects(document: &CodeDocument, node: NodeIndex) -> bool {
    let inside = document.arena().descendants(node);
    std::iter::once(node).chain(inside).any(|inner| is_one_of(document, inner, &EFFECTS))
}

/// Returns whether an earlier part of the statement may run other code before an expression is evaluated.
pub(super) fn has_effects_before(document: &CodeDocument, statement: NodeIndex, span: Span) -> bool {
    let arena = document.arena();
    arena.descendants(statement).any(|node| {
        let own = arena.node(node).span;
        own.start < span.start && !own.contains(span) && is_one_of(document, node, &EFFECTS)
    })
}

/// The statement that contains a node.
pub(super) fn statement_of(document: &CodeDocument, node: NodeIndex) -> Option<NodeIndex> {
    let arena = document.arena();
    arena.ancestors(node).find(|above| arena.node(arena.node(*above).parent).kind == K::Block.into())
}

/// The reason why an expression is not evaluated exactly once at the start of its statement. `None` if the expression
/// is evaluated in this way.
pub(super) fn deferral(document: &CodeDocument, node: NodeIndex, statement: NodeIndex) -> Option<&'static str> {
    let arena = document.arena();
    let path: Vec<NodeIndex> = arena.ancestors(node).take_while(|above| *above != statement).collect();
    for child in path {
        let parent = arena.node(child).parent;
        let position = arena.children(parent).position(|other| other == child).unwrap_or(0);
        let reason = if is_one_of(document, parent, &[K::String]) {
            "it is in a string, which is not evaluated"
        } else if is_one_of(document, parent, &[K::Lambda]) {
            "it is in a `lambda`, which runs later"
        } else if is_one_of(document, parent, &[K::Comprehension, K::ListComp, K::SetComp, K::DictComp, K::Generator])
            && !is_first_iterable(document, child, parent)
        {
            "it is evaluated for each item of a comprehension"
        } else if is_one_of(document, parent, &[K::BoolOp]) && position > 0 {
            "it is evaluated only for some values of the operand before it"
        } else if is_one_of(document, parent, &[K::IfExpr]) && position != 1 {
            "it is evaluated only in one branch of the conditional expression"
        } else if is_one_of(document, parent, &[K::While, K::Clause, K::Case, K::Handler]) {
            "it is a condition that is evaluated later or repeatedly"
        } else if is_one_of(document, parent, &[K::Assert, K::With, K::Compare]) && position > 1
            || is_one_of(document, parent, &[K::Assert, K::With]) && position > 0
        {
            "it is evaluated only after the parts before it"
        } else if arena.node(child).field == F::Target.into() {
            "it is assigned"
        } else {
            continue;
        };
        return Some(reason);
    }
    None
}

/// Returns whether the child contains the first iterable of a comprehension, which is evaluated immediately.
fn is_first_iterable(document: &CodeDocument, child: NodeIndex, parent: NodeIndex) -> bool {
    let arena = document.arena();
    let first = |node: NodeIndex| arena.node(node).field == F::FirstIter.into();
    first(child) || (arena.node(parent).kind != K::Comprehension.into() && arena.children(child).any(first))
}

/// Kinds of expressions that need no parentheses as operands.
const ATOMS: [K; 13] = [
    K::Name,
    K::Number,
    K::String,
    K::Bytes,
    K::Constant,
    K::Call,
    K::Attribute,
    K::Subscript,
    K::List,
    K::Dict,
    K::Set,
    K::ListComp,
    K::DictComp,
];

/// The code of an expression as an operand, with parentheses if needed.
pub(super) fn as_operand(document: &CodeDocument, value: NodeIndex) -> String {
    let code = document.arena().slice(value);
    let is_closed = is_one_of(document, value, &ATOMS) && !(code.contains('\n') && code.starts_with(['"', '\'']));
    let has_brackets = code.starts_with('(') && is_one_of(document, value, &[K::Tuple, K::Generator]);
    if is_closed || has_brackets { code.to_owned() } else { format!("({code})") }
}
