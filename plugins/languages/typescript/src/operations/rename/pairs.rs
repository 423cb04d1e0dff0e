//! Two names that are written as one word: `{ a }`, `import { a }`, `export { a }`.

use oxc_ast::AstKind;
use oxc_span::{GetSpan, Span};

use crate::program::identifiers::{Identifier, Role};
use crate::program::module::Module;

/// Two names written as one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pair {
    /// `{ a }`: the property, then the value.
    Property,
    /// `import { a }`: the other module's name, then the local one.
    Import,
    /// `export { a }`: the local (or other module's) name, then the one outside.
    Export,
}

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Half {
    First,
    Second,
}

/// Whether an identifier is one half of two names written as one: `{ a }` is a property and a variable.
pub(crate) fn pair(module: &Module<'_>, identifier: &Identifier<'_>) -> Option<(Pair, Half)> {
    let is_key = matches!(module.kind(identifier.node), AstKind::IdentifierName(_));
    let half = if is_key { Half::First } else { Half::Second };
    match module.parent_kind(identifier.node) {
        AstKind::ObjectProperty(property) if property.shorthand => Some((Pair::Property, half)),
        AstKind::BindingProperty(property) if property.shorthand => Some((Pair::Property, half)),
        AstKind::AssignmentPattern(pattern) if pattern.left.span() == identifier.span => {
            match module.parent_kind(module.parent(identifier.node)) {
                AstKind::BindingProperty(property) if property.shorthand => Some((Pair::Property, Half::Second)),
                _ => None,
            }
        }
        AstKind::AssignmentTargetPropertyIdentifier(property) if property.binding.span == identifier.span => {
            Some((Pair::Property, Half::Second))
        }
        AstKind::ImportSpecifier(specifier) if specifier.imported.span() == specifier.local.span => {
            Some((Pair::Import, half))
        }
        AstKind::ExportSpecifier(specifier) if specifier.local.span() == specifier.exported.span() => {
            let half = if matches!(module.role(identifier), Role::Exported) { Half::Second } else { Half::First };
            Some((Pair::Export, half))
        }
        _ => None,
    }
}

/// The other name of an import or export that gives two: `a as b`.
pub(crate) fn beside(module: &Module<'_>, identifier: &Identifier<'_>) -> Option<Span> {
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
