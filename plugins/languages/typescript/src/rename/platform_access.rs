//! Accesses to objects of the platform by a name: `window.name`, `<div name>`.

use oxc_ast::AstKind;
use oxc_ast::ast::*;

use crate::program::identifiers::Identifier;
use crate::program::ids::OPEN_DOCUMENT;
use crate::rename::uses::UseSearch;

impl<'w> UseSearch<'_, 'w> {
    /// Returns whether an identifier is a member of one of these global objects.
    pub(super) fn is_member_of_global(&self, identifier: &Identifier<'w>, objects: &[&str]) -> bool {
        let object = match self.here.parent_kind(identifier.node) {
            AstKind::StaticMemberExpression(member) => &member.object,
            AstKind::ComputedMemberExpression(member) => &member.object,
            _ => return false,
        };
        let Expression::Identifier(name) = without_cast_to_any(object) else { return false };
        objects.contains(&name.name.as_str()) && self.checker.resolve_identifier(OPEN_DOCUMENT, name).is_none()
    }

    /// Returns whether a name is that of an attribute of an element of the platform: `<div name="a">`.
    pub(super) fn is_platform_attribute(&self, identifier: &Identifier<'w>) -> bool {
        let attribute = self.here.parent(identifier.node);
        matches!(self.here.kind(attribute), AstKind::JSXAttribute(_))
            && matches!(self.here.parent_kind(attribute), AstKind::JSXOpeningElement(element)
                if matches!(element.name, JSXElementName::Identifier(_)))
    }
}

/// Returns the expression without parentheses and casts to `any`.
pub(super) fn without_cast_to_any<'x, 'w>(expression: &'x Expression<'w>) -> &'x Expression<'w> {
    match expression.without_parentheses() {
        Expression::TSAsExpression(cast)
            if matches!(cast.type_annotation, TSType::TSAnyKeyword(_) | TSType::TSUnknownKeyword(_)) =>
        {
            without_cast_to_any(&cast.expression)
        }
        other => other,
    }
}
