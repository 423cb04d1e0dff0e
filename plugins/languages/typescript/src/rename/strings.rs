//! Strings of the open document that may name the symbol: literal types, and keys of members.

use marquetry_sdk::Usage;
use oxc_ast::AstKind;
use oxc_ast::ast::{BinaryOperator, Expression};
use oxc_semantic::NodeId;
use oxc_span::GetSpan;

use crate::infer::members::Sites;
use crate::infer::ty::{Indexed, Ty};
use crate::program::identifiers::Identifier;
use crate::program::ids::{OPEN_DOCUMENT, Site};
use crate::rename::data_flow::{StringFlow, text_of_enum_member};
use crate::rename::undeclared_context::meets_undeclared_value;
use crate::rename::uses::UseSearch;

/// Maximum number of variables between an enum member and the key that it becomes.
const MAX_VARIABLES: usize = 2;

impl<'w> UseSearch<'_, 'w> {
    /// Handles a string that is a literal type, or that names a member: `get(object, "name")`.
    pub(super) fn add_string(&mut self, identifier: &Identifier<'w>) {
        if self.add_component_string(identifier) || self.wanted.members && self.add_component_name(identifier) {
            return;
        }
        if self.wanted.string_literals {
            let Sites { sites, may_have_more: open, .. } = self.checker.string_sites(OPEN_DOCUMENT, identifier);
            if self.is_wanted_declaration(&sites) {
                self.add_use(identifier, None, Usage::InString, false);
                return;
            }
            let is_unseen = || meets_undeclared_value(self.checker, &self.wanted, identifier.node);
            if !self.wanted.members && (open || self.may_become_literal(identifier)) || is_unseen() {
                self.found.unresolved.push(identifier.span);
            }
        }
        if !self.wanted.members || self.add_tested_name(identifier) {
            return;
        }
        let is_type = matches!(self.here.parent_kind(identifier.node), AstKind::TSLiteralType(_));
        let Sites { sites, may_have_more: open, .. } = if is_type {
            self.checker.type_argument_key_sites(OPEN_DOCUMENT, identifier)
        } else {
            self.checker.argument_key_sites(OPEN_DOCUMENT, identifier)
        };
        if self.is_wanted_declaration(&self.checker.with_overridden_sites(&sites, identifier.name))
            && self.join_members(&sites)
        {
            self.add_use(identifier, None, Usage::InString, false);
            return;
        }
        // The string is the key of another member.
        if !sites.is_empty() && !open && !self.has_contextual_object {
            return;
        }
        let beside =
            if is_type { Sites::default() } else { self.checker.sibling_argument_sites(OPEN_DOCUMENT, identifier) };
        let named = self.is_wanted_declaration(&self.checker.with_overridden_sites(&beside.sites, identifier.name));
        if named && beside.external && self.join_members(&beside.sites) {
            self.add_use(identifier, None, Usage::InString, false);
        } else if named
            || open
            || beside.may_have_more
            || self.has_contextual_object && !sites.is_empty()
            || self.may_become_member_key(identifier, is_type)
            || self.wanted.is_augmentation && self.is_argument_of_package(identifier)
        {
            self.found.unresolved.push(identifier.span);
        }
    }

    /// Handles `"name" in value`, if the types that have the member are certain.
    fn add_tested_name(&mut self, identifier: &Identifier<'w>) -> bool {
        let AstKind::BinaryExpression(test) = self.here.parent_kind(identifier.node) else { return false };
        if test.operator != BinaryOperator::In || test.left.span() != self.here.kind(identifier.node).span() {
            return false;
        }
        let of = self.checker.expression_type(OPEN_DOCUMENT, &test.right);
        let props = self.checker.props(&of, identifier.name);
        let is_certain = !props.may_have_more && !props.external && props.indexed == Indexed::No;
        let sites = props.sites();
        let closure = self.checker.with_overridden_sites(&sites, identifier.name);
        if !is_certain || !self.is_wanted_declaration(&closure) || !self.join_members(&sites) {
            return false;
        }
        self.add_use(identifier, None, Usage::InString, false);
        true
    }

    /// Returns whether a string is an argument of a function that may be from a package: `app.decorate("name", value)`.
    fn is_argument_of_package(&self, identifier: &Identifier<'w>) -> bool {
        let AstKind::CallExpression(call) = self.here.parent_kind(identifier.node) else { return false };
        let callee = self.checker.expression_type(OPEN_DOCUMENT, &call.callee);
        matches!(callee, Ty::External | Ty::Unknown)
    }

    /// Returns whether a string may become a value of the wanted literal type elsewhere.
    fn may_become_literal(&self, identifier: &Identifier<'w>) -> bool {
        let is_type = matches!(self.here.parent_kind(identifier.node), AstKind::TSLiteralType(_));
        !is_type && self.flow().may_become_key(OPEN_DOCUMENT, identifier.node)
    }

    /// Returns whether a read of an enum member, whose value is its own name, is a key of the enum: `E[E.name]`.
    pub(super) fn is_key_of_own_enum(&self, identifier: &Identifier<'w>, sites: &[Site]) -> bool {
        let has_own_name = |site: &Site| {
            let module = self.checker.module(site.module);
            let declaration = self.checker.member_declared_at(*site, identifier.name);
            matches!(declaration.map(|node| module.kind(node)), Some(AstKind::TSEnumMember(member))
                if text_of_enum_member(member) == Some(identifier.name))
        };
        let mut declared = sites.iter().filter(|site| **site != Site::WATCHED);
        declared.any(has_own_name) && self.is_key_of_owner(self.here.parent(identifier.node), MAX_VARIABLES)
    }

    /// Returns whether the value at a node is a key of an object that certainly has the wanted member.
    fn is_key_of_owner(&self, node: NodeId, variables: usize) -> bool {
        let span = self.here.kind(node).span();
        let parent = self.here.parent(node);
        let is_owner = |object: &'w Expression<'w>| {
            let props = self.checker.props(&self.checker.expression_type(OPEN_DOCUMENT, object), &self.wanted.name);
            self.is_wanted_declaration(&self.checker.with_overridden_sites(&props.sites(), &self.wanted.name))
        };
        match self.here.kind(parent) {
            AstKind::ComputedMemberExpression(member) => member.expression.span() == span && is_owner(&member.object),
            AstKind::BinaryExpression(test) if test.operator == BinaryOperator::In => {
                test.left.span() == span && is_owner(&test.right)
            }
            AstKind::ParenthesizedExpression(_) | AstKind::TSAsExpression(_) | AstKind::TSNonNullExpression(_) => {
                self.is_key_of_owner(parent, variables)
            }
            AstKind::VariableDeclarator(variable) if variables > 0 => {
                let symbol = variable.id.get_binding_identifier().and_then(|name| name.symbol_id.get());
                symbol.is_some_and(|symbol| {
                    let mut references = self.here.scoping().get_resolved_references(symbol);
                    references.any(|reference| self.is_key_of_owner(reference.node_id(), variables - 1))
                })
            }
            _ => false,
        }
    }

    fn flow(&self) -> StringFlow<'_, 'w> {
        StringFlow::new(self.checker, &self.wanted, &self.property_reads)
    }

    /// Returns whether a string that is not known to be a key may become a key of the member elsewhere.
    fn may_become_member_key(&self, identifier: &Identifier<'w>, is_type: bool) -> bool {
        if !is_type {
            return self.flow().may_become_key(OPEN_DOCUMENT, identifier.node);
        }
        // A literal type is not a member, although it is searched for like one.
        if self.wanted.string_literals
            && self.wanted.sites.iter().any(|site| self.checker.is_string_literal_type(*site, identifier.name))
        {
            return false;
        }
        let flow = self.flow();
        let literal = self.here.parent(identifier.node);
        !self.checker.is_in_type_argument(OPEN_DOCUMENT, literal)
            && self.wanted.includes_joined_members
            && flow.is_type_used(literal)
            && flow.may_be_keys(&self.checker.union_strings(OPEN_DOCUMENT, literal))
    }
}
