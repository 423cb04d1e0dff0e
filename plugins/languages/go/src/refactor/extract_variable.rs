//! Extracts an expression into a variable that is declared before the statement.

use marquetry_code::{CodeDocument, NodeIndex};
use marquetry_sdk::{
    Edit, Result, Rewrite, Span, lines,
    refactor::{Place, RefactorInput, Refactoring, refactor_failure},
};

use crate::{
    kinds::{F, K, has_kind, has_role, with_role},
    names::Names,
    table::check_name,
};

pub(super) const EXTRACT_VARIABLE: Refactoring<crate::GoDocument> = Refactoring {
    id: "extract_variable",
    title: "Extract a variable",
    place: Place::Selection,
    arguments: &[marquetry_code::extraction::VARIABLE_NAME],
    asks_exporters: false,
    apply: |document, input| apply(document, input),
};

/// Expressions that can be the value of a variable.
const EXPRESSIONS: [K; 12] = [
    K::Literal,
    K::Text,
    K::Binary,
    K::Unary,
    K::Call,
    K::Selector,
    K::Index,
    K::Slice,
    K::Composite,
    K::FuncLit,
    K::Paren,
    K::NameRef,
];
/// Expressions that may panic, or whose value may change.
const UNSTABLE: [K; 6] = [K::Call, K::Index, K::Slice, K::Selector, K::Unary, K::Assert];

fn is_one_of(document: &CodeDocument, node: NodeIndex, kinds: &[K]) -> bool {
    kinds.iter().any(|kind| has_kind(document.arena(), node, *kind))
}

fn apply(document: &CodeDocument, input: &RefactorInput) -> Result<Rewrite> {
    super::check_syntax(document)?;
    let name = input.argument("extractedName").unwrap_or("value");
    check_name(name)?;
    let arena = document.arena();
    let selected = input.at.span.trimmed(&arena.text);
    let refused =
        |why: &str| Err(refactor_failure(why).hint("select one whole expression of a statement").at(selected));
    let Some(node) = expression_at(document, selected) else { return refused("the selection is not an expression") };
    let Some(statement) = statement_of(document, node) else { return refused("the selection is not in a statement") };
    let names = Names::new(arena);
    if let Some(reason) = refusal(document, &names, node, statement) {
        return refused(reason);
    }
    if let Some(place) = names.places.iter().find(|place| arena.slice(place.node) == name) {
        return Err(refactor_failure(format!("the file already has the name `{name}`"))
            .hint("give another `extractedName`")
            .at(place.span));
    }
    let own = arena.node(statement).span;
    let indent = lines::indent_at(&arena.text, own.range().start);
    let code = arena.slice(node);
    let is_constant = std::iter::once(node)
        .chain(arena.descendants(node))
        .all(|inner| is_one_of(document, inner, &[K::Literal, K::Text, K::Binary, K::Paren]));
    // The context determines the type of an untyped constant. With a variable, that type would change.
    let declaration = if is_constant { format!("const {name} = {code}") } else { format!("{name} := {code}") };
    let mut rewrite = Rewrite::from(vec![
        Edit::insert(own.range().start, format!("{declaration}\n{indent}")),
        Edit::new(selected, name),
    ]);
    if selected.start == own.start {
        rewrite = Rewrite::from(vec![Edit::new(selected, format!("{declaration}\n{indent}{name}"))]);
    }
    rewrite.name_at = Some(own.start + if is_constant { 6 } else { 0 });
    Ok(rewrite)
}

/// The reason why an expression cannot be evaluated before its statement.
fn refusal(document: &CodeDocument, names: &Names, node: NodeIndex, statement: NodeIndex) -> Option<&'static str> {
    let arena = document.arena();
    let own = arena.node(node).span;
    let start = arena.node(statement).span.start;
    if !lines::starts_line(&arena.text, start as usize) {
        return Some("the statement shares its line with other code");
    }
    if !is_value(document, node) {
        return Some("this expression is not a single value");
    }
    let mut inner = node;
    for above in arena.ancestors(node).skip(1).take_while(|above| *above != statement) {
        if is_one_of(document, above, &[K::FuncLit, K::For, K::Case, K::Cases]) || has_role(arena, inner, F::Else) {
            return Some("the expression cannot be evaluated earlier: its code may run later, often or never");
        }
        let is_logical = has_kind(arena, above, K::Binary) && has_role(arena, inner, F::Right) && {
            let left = arena.children(above).next().map_or(own, |left| arena.node(left).span);
            let sign = Span { start: left.end, end: arena.node(inner).span.start }.slice(&arena.text).trim();
            matches!(sign, "&&" | "||")
        };
        let parts = || std::iter::once(node).chain(arena.descendants(node));
        if is_logical && parts().any(|part| is_one_of(document, part, &UNSTABLE)) {
            return Some("the expression is evaluated only for some values of the left side of `&&` or `||`");
        }
        inner = above;
    }
    let is_loop = has_kind(arena, statement, K::For) && !has_role(arena, inner, F::Init);
    if is_loop || has_role(arena, inner, F::Else) {
        return Some("the expression cannot be evaluated earlier: its code may run later, often or never");
    }
    let changes = |place: &&crate::names::Place| {
        own.contains(place.span) && !arena.node(node).span.is_empty() && {
            let name = arena.slice(place.node);
            let is_inside = place.binding.is_some_and(|index| own.contains(names.bindings[index].visible));
            !is_inside && names.lookup(name, start) != place.binding
        }
    };
    if names.places.iter().any(|place| changes(&place)) {
        return Some("the expression uses a variable that its statement declares");
    }
    let is_call_before = |other: NodeIndex| {
        let span = arena.node(other).span;
        is_one_of(document, other, &[K::Call]) && span.end <= own.start
            || has_kind(arena, other, K::Unary) && arena.slice(other).starts_with("<-") && span.end <= own.start
    };
    if arena.descendants(statement).any(is_call_before) {
        return Some(
            "the expression cannot be evaluated earlier: code before it in the statement may change its value",
        );
    }
    None
}

/// Returns whether an expression has exactly one value, is not assigned to, is not called, and is not a type.
fn is_value(document: &CodeDocument, node: NodeIndex) -> bool {
    let arena = document.arena();
    let parent = arena.node(node).parent;
    let is = |kind: K| has_kind(arena, parent, kind);
    let count = |role: F| with_role(arena, parent, role).count();
    let may_be_several =
        has_kind(arena, node, K::Call) || has_kind(arena, node, K::Index) || arena.slice(node).starts_with("<-");
    if has_role(arena, node, F::Type)
        || has_role(arena, node, F::Key)
        || is(K::ExprStmt) && has_kind(arena, arena.node(parent).parent, K::Block)
    {
        return false;
    }
    if has_role(arena, node, F::Left)
        && [K::Call, K::Assign, K::IncDec, K::Define, K::Range, K::Index].iter().any(|kind| is(*kind))
    {
        return false;
    }
    if is(K::Unary) && arena.slice(parent).starts_with('&') || is(K::Go) || is(K::Defer) {
        return false;
    }
    // The left side of a selector may be the name of a package, which is not a value.
    if has_kind(arena, node, K::NameRef) && is(K::Selector) {
        return false;
    }
    if may_be_several {
        let is_alone = |role: F| count(role) == 1;
        let spreads = (is(K::Args) || is(K::Return)) && arena.children(parent).count() == 1;
        let assigns = (is(K::Define) || is(K::Assign)) && is_alone(F::Right) && !is_alone(F::Left)
            || is(K::Var) && is_alone(F::Body) && !is_alone(F::Name);
        return !spreads && !assigns;
    }
    true
}

/// The statement, directly in a block, that contains an expression.
fn statement_of(document: &CodeDocument, node: NodeIndex) -> Option<NodeIndex> {
    let arena = document.arena();
    arena.ancestors(node).find(|above| {
        let parent = arena.node(*above).parent;
        has_kind(arena, parent, K::Block) || has_kind(arena, parent, K::CaseBody)
    })
}

/// The outermost expression with exactly this range.
fn expression_at(document: &CodeDocument, selected: Span) -> Option<NodeIndex> {
    let arena = document.arena();
    let same = arena.ancestors(arena.innermost(selected)).take_while(|above| arena.node(*above).span == selected);
    let found = same.filter(|above| is_one_of(document, *above, &EXPRESSIONS)).last();
    found.filter(|_| !selected.is_empty())
}
