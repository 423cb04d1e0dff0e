//! Shorthands, where one word stands for two names: `{ a }`, `import { a }`, `export { a }`.

use oxc_ast::AstKind;
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
    match module.parent_kind(identifier.node) {
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
