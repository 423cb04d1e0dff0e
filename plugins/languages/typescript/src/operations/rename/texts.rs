//! Strings of the open document that may name the symbol: literal types, and keys of members.

use marquetry_sdk::Usage;
use oxc_ast::AstKind;

use crate::infer::members::Sites;
use crate::operations::rename::flows::Flow;
use crate::operations::rename::uses::Search;
use crate::program::identifiers::Identifier;
use crate::program::ids::HERE;

impl<'w> Search<'_, 'w> {
    /// Handles a string that is a literal type, or that names a member: `get(object, "name")`.
    pub(super) fn text(&mut self, identifier: &Identifier<'w>) {
        if self.wanted.texts {
            let Sites { sites, open, .. } = self.checker.text_sites(HERE, identifier);
            if self.matches(&sites) {
                self.add(identifier, None, Usage::InString, false);
                return;
            }
            if open && !self.wanted.members {
                self.found.left.push(identifier.span);
            }
        }
        if !self.wanted.members {
            return;
        }
        let is_type = matches!(self.here.parent_kind(identifier.node), AstKind::TSLiteralType(_));
        let Sites { sites, open, .. } = if is_type {
            self.checker.picked_sites(HERE, identifier)
        } else {
            self.checker.keyed_sites(HERE, identifier)
        };
        if self.matches(&self.checker.closure(&sites, identifier.name)) && self.joins(&sites) {
            self.add(identifier, None, Usage::InString, false);
            return;
        }
        // The key of another member.
        if !sites.is_empty() && !open && !self.escapes {
            return;
        }
        let beside = if is_type { Sites::default() } else { self.checker.passed_beside(HERE, identifier) };
        let named = self.matches(&self.checker.closure(&beside.sites, identifier.name));
        if named && beside.external && self.joins(&beside.sites) {
            self.add(identifier, None, Usage::InString, false);
        } else if named || open || beside.open || self.escapes && !sites.is_empty() || self.goes_on(identifier, is_type)
        {
            self.found.left.push(identifier.span);
        }
    }

    /// Returns whether a string that is not known to be a key may become a key of the member elsewhere.
    fn goes_on(&self, identifier: &Identifier<'w>, is_type: bool) -> bool {
        // A literal type is not a member, although it is searched for like one.
        if self.wanted.texts && self.wanted.sites.iter().any(|site| self.checker.is_text(*site, identifier.name)) {
            return false;
        }
        let flow = Flow::new(self.checker, &self.wanted);
        if is_type {
            let literal = self.here.parent(identifier.node);
            if self.checker.is_argument(HERE, literal) {
                return false;
            }
            return self.wanted.grows && flow.is_used(literal) && flow.may_be_keys(&self.checker.choice(HERE, literal));
        }
        flow.reaches(HERE, identifier.node)
    }
}
