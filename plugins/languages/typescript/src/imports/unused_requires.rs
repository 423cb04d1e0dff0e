//! Unused names of `require` statements: `const { a } = require("x")`. They are removed like those of imports.

use marquetry_sdk::{Edit, Span};
use oxc_ast::ast::*;

use crate::imports::removal::{NameRemoval, braced_items};
use crate::program::commonjs::required_module;
use crate::syntax::spans::span_in;

/// A statement that only declares names of a required module.
pub(crate) struct RequireStatement<'a> {
    pub(crate) span: Span,
    /// `None` if the statement binds the whole module to one name.
    pattern: Option<&'a ObjectPattern<'a>>,
    locals: Vec<&'a BindingIdentifier<'a>>,
}

/// Returns the `require` statements at the top level whose names can be removed one by one.
pub(crate) fn require_statements<'a>(program: &'a Program<'a>, text: &str) -> Vec<RequireStatement<'a>> {
    let statement = |statement: &'a Statement<'a>| {
        let Statement::VariableDeclaration(variables) = statement else { return None };
        let [variable] = variables.declarations.as_slice() else { return None };
        required_module(variable.init.as_ref()?)?;
        let pattern = match &variable.id {
            BindingPattern::BindingIdentifier(_) => None,
            // A rest element excludes the other names.
            BindingPattern::ObjectPattern(object) if object.rest.is_none() && !object.properties.is_empty() => {
                Some(&**object)
            }
            _ => return None,
        };
        let span = span_in(variables.span, text);
        Some(RequireStatement { span, pattern, locals: variable.id.get_binding_identifiers() })
    };
    program.body.iter().filter_map(statement).collect()
}

impl RequireStatement<'_> {
    /// Returns the local names with their spans.
    pub(crate) fn names<'s>(&'s self, text: &'s str) -> impl Iterator<Item = (&'s str, Span)> {
        self.locals.iter().map(move |local| (local.name.as_str(), span_in(local.span, text)))
    }

    /// Removes names from the statement; the whole statement if no name stays.
    pub(crate) fn remove_names(
        &self,
        removal: &NameRemoval<'_>,
        is_gone: &dyn Fn(&str, Span) -> bool,
        edits: &mut Vec<Edit>,
    ) {
        let text = removal.text;
        let gone: Vec<oxc_span::Span> = self
            .locals
            .iter()
            .filter(|local| is_gone(&local.name, span_in(local.span, text)))
            .map(|local| local.span)
            .collect();
        match self.pattern {
            _ if gone.is_empty() => {}
            Some(object) if gone.len() < self.locals.len() => {
                edits.extend(remove_locals(object, text, removal.unit, &gone));
            }
            _ => removal.remove_statement(self.span, edits),
        }
    }
}

/// Returns the edits that remove local names from a pattern. A property is removed if all its local names are; a nested
/// pattern that stays loses only such properties.
pub(crate) fn remove_locals(object: &ObjectPattern<'_>, text: &str, unit: &str, gone: &[oxc_span::Span]) -> Vec<Edit> {
    let mut edits = remove_properties(object, text, unit, &|property| is_gone(property, gone));
    for property in object.properties.iter().filter(|property| !is_gone(property, gone)) {
        if let Some(inner) = nested_pattern(&property.value)
            && inner.rest.is_none()
        {
            edits.extend(remove_locals(inner, text, unit, gone));
        }
    }
    edits
}

/// Returns whether a property declares only removed names.
fn is_gone(property: &BindingProperty<'_>, gone: &[oxc_span::Span]) -> bool {
    let locals = property.value.get_binding_identifiers();
    !locals.is_empty() && locals.iter().all(|local| gone.contains(&local.span))
}

/// Returns the object pattern of a property, without its default value.
fn nested_pattern<'w>(value: &'w BindingPattern<'w>) -> Option<&'w ObjectPattern<'w>> {
    match value {
        BindingPattern::ObjectPattern(object) => Some(object),
        BindingPattern::AssignmentPattern(with_default) => nested_pattern(&with_default.left),
        _ => None,
    }
}

/// Returns the edits that remove properties from a pattern.
pub(crate) fn remove_properties(
    object: &ObjectPattern<'_>,
    text: &str,
    unit: &str,
    is_gone: &dyn Fn(&BindingProperty<'_>) -> bool,
) -> Vec<Edit> {
    let items = braced_items(object.span, &object.properties, text, unit);
    let indices = object.properties.iter().enumerate().filter(|(_, property)| is_gone(property));
    items.delete(&indices.map(|(index, _)| index).collect::<Vec<_>>())
}
