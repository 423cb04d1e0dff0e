//! Extracts an expression into a variable that is assigned before the statement.

use marquetry_code::{CodeDocument, NodeIndex};
use marquetry_sdk::{
    Edit, Result, Rewrite, Span, lines,
    refactor::{Place, RefactorInput, Refactoring, refactor_failure},
};

use super::expressions::{deferral, has_effects_before, is_expression, is_one_of, statement_of};
use crate::{lower::K, table::check_name};

pub(super) const EXTRACT_VARIABLE: Refactoring<CodeDocument> = Refactoring {
    id: "extract_variable",
    title: "Extract a variable",
    place: Place::Selection,
    arguments: &[marquetry_code::extraction::VARIABLE_NAME],
    asks_exporters: false,
    apply,
};

/// Expressions that cannot be the value of a variable without changes.
const BOUND: [K; 6] = [K::Starred, K::Slice, K::Yield, K::YieldFrom, K::Named, K::Generator];

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
    if is_one_of(document, node, &BOUND) {
        return refused("this kind of expression cannot be the value of a variable");
    }
    if let Some(reason) = deferral(document, node, statement) {
        return refused(&format!("the expression cannot be evaluated earlier: {reason}"));
    }
    let own = arena.node(statement).span;
    if has_effects_before(document, statement, selected) {
        return refused(
            "the expression cannot be evaluated earlier: code before it in the statement may change its value",
        );
    }
    if !lines::starts_line(&arena.text, own.range().start) {
        return refused("the statement shares its line with other code");
    }
    if let Some(place) = document.names().places.iter().find(|place| place.name == name) {
        return Err(refactor_failure(format!("the file already has the name `{name}`"))
            .hint("give another `extractedName`")
            .at(place.span));
    }
    let code = arena.slice(node);
    let value =
        if code.contains('\n') && !code.starts_with(['(', '[', '{']) { format!("({code})") } else { code.to_owned() };
    let indent = lines::indent_at(&arena.text, own.range().start);
    let mut rewrite = Rewrite::from(vec![
        Edit::insert(own.range().start, format!("{name} = {value}\n{indent}")),
        Edit::new(selected, name),
    ]);
    if selected.start == own.start {
        let text = format!("{name} = {value}\n{indent}{name}");
        rewrite = Rewrite::from(vec![Edit::new(selected, text)]);
    }
    rewrite.name_at = Some(own.start);
    Ok(rewrite)
}

/// The outermost expression with this range, including or excluding parentheses around it.
pub(super) fn expression_at(document: &CodeDocument, selected: Span) -> Option<NodeIndex> {
    let arena = document.arena();
    let mut span = selected;
    loop {
        let inner = arena.innermost(span);
        let found = arena.ancestors(inner).take_while(|above| arena.node(*above).span == span);
        let found = found.filter(|above| is_expression(arena.node(*above).kind)).last();
        if found.is_some() || span.is_empty() {
            return found;
        }
        let code = span.slice(&arena.text).strip_prefix('(')?.strip_suffix(')')?;
        let start = span.range().start + 1;
        span = Span::new(start, start + code.len()).trimmed(&arena.text);
    }
}
