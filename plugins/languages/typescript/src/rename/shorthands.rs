//! Shorthands, where one word stands for two names: `{ a }`, `import { a }`, `export { a }`.

use oxc_ast::AstKind;
use oxc_semantic::NodeId;
use oxc_span::{GetSpan, Span};

use crate::program::identifiers::{Identifier, Role};
use crate::program::module::Module;

/// Kind of shorthand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shorthand {
    /// `{ a }`: property name, then value.
    Property,
    /// `import { a }`: imported name, then local name.
    Import,
    /// `export { a }`: name in this or another module, then exported name.
    Export,
    /// `:a` or `{a}` in a tag of a component's template: name of the attribute, then value.
    Attribute,
}

/// One of the two names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ShorthandPart {
    First,
    Second,
}

/// Returns the shorthand that an identifier is part of, and which of its names it is.
pub(crate) fn shorthand_of(module: &Module<'_>, identifier: &Identifier<'_>) -> Option<(Shorthand, ShorthandPart)> {
    let is_key = matches!(module.kind(identifier.node), AstKind::IdentifierName(_));
    let half = if is_key { ShorthandPart::First } else { ShorthandPart::Second };
    let parent = module.parent(identifier.node);
    match module.kind(parent) {
        AstKind::JSXAttribute(attribute) => {
            let value = attribute.value.as_ref().map(|value| value.span());
            let is_same = value.is_some_and(|value| value == identifier.span);
            is_same.then_some((Shorthand::Attribute, ShorthandPart::First))
        }
        AstKind::JSXExpressionContainer(_) | AstKind::StaticMemberExpression(_)
            if is_attribute_value(module, parent, identifier.span) =>
        {
            Some((Shorthand::Attribute, ShorthandPart::Second))
        }
        AstKind::ObjectProperty(property) if property.shorthand => Some((Shorthand::Property, half)),
        AstKind::BindingProperty(property) if property.shorthand => Some((Shorthand::Property, half)),
        AstKind::AssignmentPattern(pattern) if pattern.left.span() == identifier.span => {
            match module.parent_kind(module.parent(identifier.node)) {
                AstKind::BindingProperty(property) if property.shorthand => {
                    Some((Shorthand::Property, ShorthandPart::Second))
                }
                _ => None,
            }
        }
        AstKind::AssignmentTargetPropertyIdentifier(property) if property.binding.span == identifier.span => {
            Some((Shorthand::Property, ShorthandPart::Second))
        }
        AstKind::ImportSpecifier(specifier) if specifier.imported.span() == specifier.local.span => {
            Some((Shorthand::Import, half))
        }
        AstKind::ExportSpecifier(specifier) if specifier.local.span() == specifier.exported.span() => {
            let half = if matches!(module.role(identifier), Role::Exported) {
                ShorthandPart::Second
            } else {
                ShorthandPart::First
            };
            Some((Shorthand::Export, half))
        }
        _ => None,
    }
}

/// Returns whether a node is the value, or a part of the value, of an attribute whose name is at the same place.
fn is_attribute_value(module: &Module<'_>, node: NodeId, name: Span) -> bool {
    let around = module.self_and_ancestors(node).take(3);
    around.into_iter().any(|around| match module.kind(around) {
        AstKind::JSXAttribute(attribute) => attribute.name.span() == name,
        _ => false,
    })
}

/// Returns the other name in an import or export with two: `a as b`.
pub(crate) fn alias_counterpart(module: &Module<'_>, identifier: &Identifier<'_>) -> Option<Span> {
    let (one, other) = match module.parent_kind(identifier.node) {
        AstKind::ImportSpecifier(specifier) => (specifier.imported.span(), specifier.local.span),
        AstKind::ExportSpecifier(specifier) => (specifier.local.span(), specifier.exported.span()),
        _ => return None,
    };
    match identifier.span {
        _ if one == other => None,
        span if span == one => Some(other),
        span if span == other => Some(one),
        _ => None,
    }
}
