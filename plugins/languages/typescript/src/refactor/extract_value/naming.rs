//! Suggested names for extracted values, from the member, string or class in them.

use marquetry_sdk::Span;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::Semantic;
use oxc_span::GetSpan as _;

use super::choice::ChosenExpression;
use crate::rename::names;

/// Longer strings are not used as names.
const MAX_TEXT_LENGTH: usize = 20;

/// Suggests a name. `None` if the value suggests none.
pub(super) fn suggest_name(semantic: &Semantic<'_>, text: &str, choice: &ChosenExpression<'_>) -> Option<String> {
    if let Some(part) = choice.part {
        return camel_case(part.slice(text));
    }
    let name = name_of_property(semantic, choice).or_else(|| name_of_value(semantic, choice.value))?;
    names::check_binding(&name).is_ok().then_some(name)
}

/// Returns the key of the property whose value it is.
fn name_of_property(semantic: &Semantic<'_>, choice: &ChosenExpression<'_>) -> Option<String> {
    let AstKind::ObjectProperty(property) = semantic.nodes().parent_kind(choice.chosen.node) else { return None };
    if property.value.span() != choice.chosen.kind.span() {
        return None;
    }
    match &property.key {
        PropertyKey::StaticIdentifier(name) => Some(name.name.to_string()),
        PropertyKey::StringLiteral(name) => camel_case(name.value.as_str()?),
        _ => None,
    }
}

fn name_of_value(semantic: &Semantic<'_>, value: Span) -> Option<String> {
    let nodes = semantic.nodes().iter();
    let is_it = |span: oxc_span::Span| span.start == value.start && span.end == value.end;
    nodes.filter(|node| is_it(node.kind().span())).find_map(|node| match node.kind() {
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

/// Joins the words of a text: `Hello world!` gives `helloWorld`.
fn camel_case(text: &str) -> Option<String> {
    if text.chars().count() > MAX_TEXT_LENGTH {
        return None;
    }
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').filter(|word| !word.is_empty());
    let mut name = String::new();
    for word in words {
        name += &if name.is_empty() { lowercase_first(word) } else { uppercase_first(word) };
    }
    names::check_binding(&name).is_ok().then_some(name)
}

/// Lowercases the first letter, or the whole word if it is uppercase: `URL` gives `url`.
fn lowercase_first(word: &str) -> String {
    if word.chars().all(|c| !c.is_lowercase()) {
        return word.to_lowercase();
    }
    let mut chars = word.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

fn uppercase_first(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
