//! Uses of an export in `require` calls and in assignments of CommonJS exports.

use std::collections::HashSet;

use marquetry_sdk::Usage;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;
use oxc_span::{GetSpan, Span};

use crate::program::commonjs::required_module;
use crate::program::identifiers::Identifier;
use crate::program::ids::{ModuleRef, OPEN_DOCUMENT};
use crate::rename::shorthands::{ShorthandPart, alias_counterpart, shorthand_of};
use crate::rename::uses::UseSearch;

impl<'w> UseSearch<'_, 'w> {
    /// Returns the variable that the `a` of `const { a } = require("x")` declares, if `a` is the export to search for.
    pub(super) fn required_local(&self, identifier: &Identifier<'w>) -> Option<SymbolId> {
        let is_first = matches!(shorthand_of(&self.here, identifier), Some((_, ShorthandPart::First)));
        let property = self.required_property(identifier).filter(|_| is_first && self.wanted.members)?;
        let sites = self.checker.member_sites(OPEN_DOCUMENT, identifier).sites;
        let sites = self.checker.with_overridden_sites(&sites, identifier.name);
        let local = property.value.get_binding_identifiers();
        local.first().filter(|_| self.is_wanted_declaration(&sites))?.symbol_id.get()
    }

    /// Returns the property that has the name as its key in `const { a: b } = require("x")`.
    pub(super) fn required_property(&self, identifier: &Identifier<'w>) -> Option<&'w BindingProperty<'w>> {
        let node = self.here.parent(identifier.node);
        let AstKind::BindingProperty(property) = self.here.kind(node) else { return None };
        let AstKind::VariableDeclarator(variable) = self.here.parent_kind(self.here.parent(node)) else { return None };
        let (_, member) = required_module(variable.init.as_ref()?)?;
        (member.is_none() && property.key.span().contains_inclusive(identifier.span)).then_some(property)
    }

    /// Returns the usage of a member that CommonJS imports or exports: `const a = require("x").a`, `exports.a = b.a`.
    pub(super) fn commonjs_usage(&self, identifier: &Identifier<'w>) -> Option<Usage> {
        if self.required_property(identifier).is_some() {
            return Some(Usage::Imported);
        }
        let access = self.here.parent(identifier.node);
        let AstKind::StaticMemberExpression(member) = self.here.kind(access) else { return None };
        if !self.checker.exported_member_values(&HashSet::from([identifier.span.start])).is_empty() {
            return Some(Usage::Exported);
        }
        let AstKind::VariableDeclarator(variable) = self.here.parent_kind(access) else { return None };
        let init = variable.init.as_ref().filter(|init| init.span() == member.span)?;
        let is_constant = |name: &BindingIdentifier<'_>| {
            name.symbol_id.get().is_some_and(|symbol| !self.here.scoping().symbol_is_mutated(symbol))
        };
        required_module(init)?;
        variable.id.get_binding_identifier().filter(|name| is_constant(name)).map(|_| Usage::Imported)
    }

    /// Returns whether a name is the value of an export of CommonJS: `module.exports = a`, `module.exports = { a }`.
    pub(super) fn is_exported_value(&self, identifier: &Identifier<'w>) -> bool {
        self.checker.exports(ModuleRef { module: OPEN_DOCUMENT, block: None }).values.contains(&identifier.span)
    }

    /// Returns the other name in `a as b`, `module.exports = { a: b }` and `const { a: b } = require("x")`, which are
    /// reduced to one name if both become the same.
    pub(super) fn paired_name(&self, identifier: &Identifier<'w>) -> Option<Span> {
        if let Some(span) = alias_counterpart(&self.here, identifier) {
            return Some(span);
        }
        let node = self.here.parent(identifier.node);
        let (key, value) = match self.here.kind(node) {
            AstKind::ObjectProperty(property) if !property.shorthand && !property.computed => {
                let Expression::Identifier(value) = &property.value else { return None };
                let exports = self.checker.exports(ModuleRef { module: OPEN_DOCUMENT, block: None });
                exports.values.contains(&value.span).then_some((property.key.span(), value.span))?
            }
            AstKind::BindingProperty(property) if !property.shorthand && !property.computed => {
                let variable = self.here.parent_kind(self.here.parent(node));
                let AstKind::VariableDeclarator(variable) = variable else { return None };
                required_module(variable.init.as_ref()?)?;
                (property.key.span(), property.value.get_binding_identifier()?.span)
            }
            _ => return None,
        };
        if identifier.span == key { Some(value) } else { (identifier.span == value).then_some(key) }
    }
}
