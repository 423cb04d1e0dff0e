//! Suggested names for extracted values, from the member, string or class in them.

use marquetry_sdk::Span;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_span::GetSpan as _;

use crate::rename::names;
use crate::semantics::Semantics;
use crate::semantics::selected_expression::ChosenExpression;
use crate::semantics::words::{camel_case, lowercase_first};
use crate::syntax::spans::to_sdk_span;

/// Suggests a name. `None` if the value suggests none.
pub(crate) fn suggest_name(code: Semantics<'_, '_>, choice: &ChosenExpression<'_>) -> Option<String> {
    if let Some(part) = choice.part {
        return camel_case(code.source(part));
    }
    let name = name_of_property(code, choice).or_else(|| name_of_value(code, choice.value))?;
    names::check_binding(&name).is_ok().then_some(name)
}

/// Returns the key of the property whose value it is.
fn name_of_property(code: Semantics<'_, '_>, choice: &ChosenExpression<'_>) -> Option<String> {
    let AstKind::ObjectProperty(property) = code.parent_kind(choice.chosen.node) else { return None };
    if property.value.span() != choice.chosen.kind.span() {
        return None;
    }
    match &property.key {
        PropertyKey::StaticIdentifier(name) => Some(name.name.to_string()),
        PropertyKey::StringLiteral(name) => camel_case(name.value.as_str()?),
        _ => None,
    }
}

fn name_of_value(code: Semantics<'_, '_>, value: Span) -> Option<String> {
    let mut exact = code.nodes_in(value).filter(|(_, kind)| to_sdk_span(kind.span()) == value);
    exact.find_map(|(_, kind)| match kind {
        AstKind::StaticMemberExpression(it) => Some(it.property.name.to_string()),
        AstKind::PrivateFieldExpression(it) => Some(it.field.name.to_string()),
        AstKind::StringLiteral(it) => camel_case(it.value.as_str()?),
        AstKind::NewExpression(it) => match &it.callee {
            Expression::Identifier(class) => Some(lowercase_first(class.name.as_str())),
            _ => None,
        },
        _ => None,
    })
}
