//! Properties of expressions that decide whether an expression can be evaluated at another place. Types are not known,
//! so the answers are on the safe side.

use marquetry_code::{Arena, NodeIndex};
use marquetry_sdk::Span;

use crate::{
    kinds::{K, child, has_kind, is_expression_kind, is_type},
    names::Names,
    table::RUST,
    types::text::is_primitive,
};

/// Returns whether a node has one of these kinds.
pub(super) fn is_one_of(arena: &Arena, node: NodeIndex, kinds: &[K]) -> bool {
    kinds.iter().any(|kind| has_kind(arena, node, *kind))
}

/// The node and its descendants.
pub(super) fn parts(arena: &Arena, node: NodeIndex) -> impl Iterator<Item = NodeIndex> {
    std::iter::once(node).chain(arena.descendants(node))
}

/// The operator of a binary expression.
pub(super) fn operator(arena: &Arena, binary: NodeIndex) -> &str {
    let mut operands = arena.children(binary);
    let (Some(left), Some(right)) = (operands.next(), operands.next()) else { return "" };
    Span { start: arena.node(left).span.end, end: arena.node(right).span.start }.slice(&arena.text).trim()
}

/// Returns whether an operator assigns to its left side.
pub(super) fn is_assignment(operator: &str) -> bool {
    operator.ends_with('=') && !matches!(operator, "==" | "!=" | "<=" | ">=")
}

/// Returns whether an operator takes its operands by value.
pub(super) fn is_arithmetic(operator: &str) -> bool {
    matches!(operator, "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" | "<<" | ">>")
}

/// Returns whether an expression is the first child of its parent.
pub(super) fn is_first(arena: &Arena, node: NodeIndex) -> bool {
    arena.children(arena.node(node).parent).next() == Some(node)
}

/// Returns whether an expression names a place in memory instead of computing a value.
pub(super) fn is_place(arena: &Arena, node: NodeIndex) -> bool {
    let is_dereferenced = has_kind(arena, node, K::PREFIX_EXPR) && arena.slice(node).starts_with('*');
    let is_grouped = has_kind(arena, node, K::PAREN_EXPR) && arena.children(node).any(|inner| is_place(arena, inner));
    is_dereferenced || is_grouped || is_one_of(arena, node, &[K::PATH_EXPR, K::FIELD_EXPR, K::INDEX_EXPR])
}

/// The name of the macro of the standard library whose arguments contain an expression directly, and the index of the
/// argument.
pub(super) fn macro_argument(arena: &Arena, node: NodeIndex) -> Option<(&str, usize)> {
    let list = arena.node(node).parent;
    if !has_kind(arena, list, K::ARG_LIST) {
        return None;
    }
    let call = arena.node(list).parent;
    let callee = arena.children(call).next().filter(|callee| *callee != list)?;
    let between = Span { start: arena.node(callee).span.end, end: arena.node(list).span.start };
    let has_sign = between.slice(&arena.text).contains('!') || arena.slice(callee).ends_with('!');
    let index = arena.children(list).position(|argument| argument == node)?;
    let name = arena.slice(callee).trim_end_matches('!').trim_end();
    has_sign.then(|| (name.rsplit("::").next().unwrap_or(name), index))
}

/// Returns whether the code around an expression may borrow its value instead of taking it: receivers of methods,
/// operands of `&`, comparisons, bases of fields and indexes, and arguments of macros.
pub(super) fn may_be_borrowed(arena: &Arena, node: NodeIndex) -> bool {
    let parent = arena.node(node).parent;
    let is = |kind: K| has_kind(arena, parent, kind);
    let is_compared = is(K::BIN_EXPR) && !is_arithmetic(operator(arena, parent));
    is(K::REF_EXPR)
        || is_compared
        || (is(K::METHOD_CALL_EXPR) || is(K::FIELD_EXPR) || is(K::INDEX_EXPR)) && is_first(arena, node)
        || is(K::MATCH_EXPR)
        || is(K::LET_EXPR)
        || macro_argument(arena, node).is_some()
        || is(K::PAREN_EXPR) && may_be_borrowed(arena, parent)
}

/// Returns whether an expression has a part whose value is temporary and that other parts may borrow. Such a value is
/// dropped at the end of the statement.
pub(super) fn has_temporaries(arena: &Arena, node: NodeIndex) -> bool {
    let makes_value = |part: NodeIndex| {
        is_one_of(arena, part, &[K::CALL_EXPR, K::METHOD_CALL_EXPR, K::AWAIT_EXPR, K::TRY_EXPR, K::MACRO_EXPR])
    };
    arena.descendants(node).any(|part| makes_value(part) && may_be_borrowed(arena, part))
}

/// Returns whether a part of an expression may run other code, wait, or leave the function.
pub(super) fn has_effect(arena: &Arena, node: NodeIndex) -> bool {
    const EFFECTS: [K; 11] = [
        K::CALL_EXPR,
        K::METHOD_CALL_EXPR,
        K::MACRO_EXPR,
        K::AWAIT_EXPR,
        K::TRY_EXPR,
        K::RETURN_EXPR,
        K::BREAK_EXPR,
        K::CONTINUE_EXPR,
        K::BLOCK_EXPR,
        K::LOOP_EXPR,
        K::WHILE_EXPR,
    ];
    let is_assigned = |part: NodeIndex| has_kind(arena, part, K::BIN_EXPR) && is_assignment(operator(arena, part));
    parts(arena, node).any(|part| is_one_of(arena, part, &EFFECTS) || is_assigned(part))
}

/// Returns whether an expression consists of literals, operators and variables of known types that are copied and do
/// not change, so that it has the same value everywhere.
pub(super) fn is_stable(arena: &Arena, names: &Names, node: NodeIndex) -> bool {
    let is_fixed = |path: NodeIndex| {
        let own = arena.node(path).span;
        let place = names.at(own.start).filter(|place| place.span == own);
        place.and_then(|place| names.binding_of(place)).is_some_and(|binding| {
            let mut declared = names.bound_at(binding);
            let first = declared.next().filter(|place| place.before.trim().is_empty());
            first.is_some_and(|place| declared.next().is_none() && is_copied(arena, place.span))
        })
    };
    let is_sign = |part: NodeIndex| arena.slice(part).starts_with(['-', '!']);
    // The children of a path are its segments and names, which are not expressions.
    parts(arena, node).all(|part| {
        !is_expression_kind(arena, part)
            || match () {
                () if has_kind(arena, part, K::PATH_EXPR) => is_fixed(part),
                () if has_kind(arena, part, K::PREFIX_EXPR) => is_sign(part),
                () if has_kind(arena, part, K::BIN_EXPR) => !is_assignment(operator(arena, part)),
                () => is_one_of(arena, part, &[K::LITERAL, K::PAREN_EXPR]),
            }
    })
}

/// Returns whether the declaration of a variable shows that its value is copied.
fn is_copied(arena: &Arena, name: Span) -> bool {
    let Some(pattern) = arena.ancestors(arena.innermost(name)).find(|node| has_kind(arena, *node, K::IDENT_PAT)) else {
        return false;
    };
    let owner = arena.node(pattern).parent;
    if !is_one_of(arena, owner, &[K::PARAM, K::LET_STMT]) {
        return false;
    }
    let annotated = arena.children(owner).find(|node| is_type(RUST.kind_name(arena.node(*node).kind)));
    match annotated {
        Some(own) if has_kind(arena, own, K::REF_TYPE) => !is_mutable(arena, own),
        Some(own) => is_primitive(arena.slice(own)),
        None => arena.children(owner).last().is_some_and(|value| has_kind(arena, value, K::LITERAL)),
    }
}

/// Returns whether a reference or its type is mutable.
pub(super) fn is_mutable(arena: &Arena, reference: NodeIndex) -> bool {
    let mut words = arena.tokens_in(arena.node(reference).span).iter().map(|token| token.span.slice(&arena.text));
    words.next();
    words.find(|word| !word.starts_with('\'')).is_some_and(|word| word == "mut")
}

/// The code of an expression at the place of another one, with parentheses if that place requires them.
pub(super) fn as_operand(arena: &Arena, value: NodeIndex, place: NodeIndex) -> String {
    const CLOSED: [K; 12] = [
        K::LITERAL,
        K::PATH_EXPR,
        K::CALL_EXPR,
        K::METHOD_CALL_EXPR,
        K::FIELD_EXPR,
        K::INDEX_EXPR,
        K::PAREN_EXPR,
        K::MACRO_EXPR,
        K::TUPLE_EXPR,
        K::ARRAY_EXPR,
        K::AWAIT_EXPR,
        K::TRY_EXPR,
    ];
    let code = arena.slice(value).to_owned();
    let parent = arena.node(place).parent;
    let is = |kind: K| has_kind(arena, parent, kind);
    let stands_alone = is(K::ARG_LIST)
        || is(K::RETURN_EXPR)
        || is(K::RECORD_EXPR_FIELD)
        || is(K::TUPLE_EXPR)
        || is(K::ARRAY_EXPR)
        || is(K::PAREN_EXPR)
        || is(K::LET_STMT)
        || is(K::BIN_EXPR) && operator(arena, parent) == "=" && !is_first(arena, place);
    let is_statement = is(K::EXPR_STMT);
    let is_block =
        is_one_of(arena, value, &[K::IF_EXPR, K::MATCH_EXPR, K::LOOP_EXPR, K::BLOCK_EXPR, K::FOR_EXPR, K::WHILE_EXPR]);
    let is_header = arena
        .ancestors(place)
        .take_while(|above| !is_one_of(arena, *above, &[K::STMT_LIST, K::ARG_LIST, K::PAREN_EXPR]))
        .any(|above| is_one_of(arena, above, &[K::IF_EXPR, K::MATCH_EXPR, K::WHILE_EXPR, K::FOR_EXPR]));
    let is_closed = is_one_of(arena, value, &CLOSED)
        || has_kind(arena, value, K::RECORD_EXPR) && !is_header
        || stands_alone
        || is_statement && !is_block;
    if is_closed { code } else { format!("({code})") }
}

/// The name and expression node of a path that consists of one name at a position.
pub(super) fn path_at(arena: &Arena, name: Span) -> Option<NodeIndex> {
    let node = arena.ancestors(arena.innermost(name)).take_while(|above| arena.node(*above).span == name);
    node.into_iter().find(|above| has_kind(arena, *above, K::PATH_EXPR))
}

/// The statement directly in a block that contains a node.
pub(super) fn statement_of(arena: &Arena, node: NodeIndex) -> Option<NodeIndex> {
    arena.ancestors(node).find(|above| has_kind(arena, arena.node(*above).parent, K::STMT_LIST))
}

/// The function that contains a node.
pub(super) fn function_of(arena: &Arena, node: NodeIndex) -> Option<NodeIndex> {
    arena.ancestors(node).find(|above| has_kind(arena, *above, K::FN))
}

/// Returns whether code around an expression up to a statement may run the expression later, often or never, with the
/// expression as one of its inner nodes. `right_is_safe` is true if the right side of `&&` and `||` may run always.
pub(super) fn runs_once(arena: &Arena, node: NodeIndex, statement: NodeIndex, right_is_safe: bool) -> bool {
    let mut inner = node;
    for above in arena.ancestors(node).skip(1) {
        let is = |kind: K| has_kind(arena, above, kind);
        let is_head = is_first(arena, inner);
        let is_iterated = is(K::FOR_EXPR) && !has_kind(arena, inner, K::BLOCK_EXPR);
        let runs_elsewhere = is(K::CLOSURE_EXPR)
            || is(K::WHILE_EXPR)
            || is(K::LOOP_EXPR)
            || is(K::FOR_EXPR) && !is_iterated
            || is(K::MATCH_ARM)
            || is(K::MATCH_GUARD)
            || is(K::LET_ELSE)
            || is(K::BLOCK_EXPR)
            || is(K::IF_EXPR) && !is_head;
        let is_lazy = is(K::BIN_EXPR) && matches!(operator(arena, above), "&&" | "||") && !is_head;
        let is_argument = macro_argument(arena, inner).is_some_and(|(name, index)| match name {
            "assert" => index > 0,
            "assert_eq" | "assert_ne" => index > 1,
            "matches" => index > 0,
            _ => name.starts_with("debug_"),
        });
        if runs_elsewhere || is_lazy && !right_is_safe || is_argument {
            return false;
        }
        if above == statement {
            break;
        }
        inner = above;
    }
    true
}

/// Returns whether an expression, or code around it in its statement, has an attribute, which may exclude it from the
/// program.
pub(super) fn has_attribute(arena: &Arena, node: NodeIndex, statement: NodeIndex) -> bool {
    let around = arena.ancestors(node).take_while(|above| *above != statement).chain([statement]);
    around.into_iter().any(|above| child(arena, above, K::ATTR).is_some())
}

/// The initial value of a `let` statement.
pub(super) fn value_of_let(arena: &Arena, statement: NodeIndex) -> Option<NodeIndex> {
    let last = arena.children(statement).last().filter(|last| is_expression_kind(arena, *last));
    last.filter(|_| child(arena, statement, K::LET_ELSE).is_none())
}
