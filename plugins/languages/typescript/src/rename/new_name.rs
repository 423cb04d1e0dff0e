//! Places where the new name of a member already means another member: an object that is spread into one with that
//! member, a value that has both members, and a test with `in` that distinguishes two types by that name.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_span::{GetSpan, Span};

use crate::infer::checker::Checker;
use crate::infer::ty::{Ty, key_name};
use crate::program::ids::{OPEN_DOCUMENT, Site};
use crate::rename::uses::FoundUses;

/// Reports the positions in the open document where the renamed member would conflict with another one.
pub(crate) fn report_other_members(checker: &Checker<'_>, (old, new): (&str, &str), found: &mut FoundUses) {
    let places = NewName { checker, sites: &found.sites, old, new }.places();
    found.unresolved.extend(places);
    found.unresolved.sort_by_key(|span| (span.start, span.end));
    found.unresolved.dedup();
}

struct NewName<'n, 'w> {
    checker: &'n Checker<'w>,
    /// Declarations of the member.
    sites: &'n [Site],
    old: &'n str,
    new: &'n str,
}

impl<'w> NewName<'_, 'w> {
    fn places(&self) -> Vec<Span> {
        let here = self.checker.open_module();
        let mut places = Vec::new();
        for node in here.semantic().nodes().iter() {
            match node.kind() {
                AstKind::ObjectExpression(object) => places.extend(self.in_object(object)),
                AstKind::BinaryExpression(test) if test.operator == BinaryOperator::In => {
                    if matches!(&test.left, Expression::StringLiteral(text) if text.value.as_str() == Some(self.new))
                        && self.has_member(&self.type_of(&test.right))
                    {
                        places.push(test.left.span());
                    }
                }
                AstKind::StaticMemberExpression(member) if member.property.name == self.old => {
                    let of = self.type_of(&member.object);
                    if self.has_member(&of) && self.has_new_member(&of) {
                        places.push(member.property.span);
                    }
                }
                _ => {}
            }
        }
        places
    }

    fn type_of(&self, value: &'w Expression<'w>) -> Ty<'w> {
        self.checker.expression_type(OPEN_DOCUMENT, value)
    }

    /// Returns whether values of a type have the renamed member.
    fn has_member(&self, ty: &Ty<'w>) -> bool {
        let sites = self.checker.props(ty, self.old).sites();
        let closure = self.checker.with_overridden_sites(&sites, self.old);
        self.sites.iter().any(|site| closure.contains(site))
    }

    /// Returns whether values of a type have another member with the new name.
    fn has_new_member(&self, ty: &Ty<'w>) -> bool {
        !self.checker.props(ty, self.new).sites().is_empty()
    }

    /// Returns the spreads and keys of an object that contain the renamed member, if the object also has the new name.
    fn in_object(&self, object: &'w ObjectExpression<'w>) -> Vec<Span> {
        let is_spread = |property: &ObjectPropertyKind<'_>| matches!(property, ObjectPropertyKind::SpreadProperty(_));
        if !object.properties.iter().any(is_spread) {
            return Vec::new();
        }
        let has = |property: &'w ObjectPropertyKind<'w>, name: &str, in_type: &dyn Fn(&Ty<'w>) -> bool| match property {
            ObjectPropertyKind::ObjectProperty(property) => key_name(&property.key).as_deref() == Some(name),
            ObjectPropertyKind::SpreadProperty(spread) => in_type(&self.type_of(&spread.argument)),
        };
        let brings_new = |index: usize| {
            let others = object.properties.iter().enumerate().filter(|(other, _)| *other != index);
            others.map(|(_, property)| property).any(|it| has(it, self.new, &|ty| self.has_new_member(ty)))
        };
        let brings_old = |property: &&'w ObjectPropertyKind<'w>| match property {
            ObjectPropertyKind::ObjectProperty(own) => {
                key_name(&own.key).as_deref() == Some(self.old) && self.has_member(&Ty::Object(OPEN_DOCUMENT, object))
            }
            ObjectPropertyKind::SpreadProperty(spread) => self.has_member(&self.type_of(&spread.argument)),
        };
        let all = object.properties.iter().enumerate();
        all.filter(|(index, property)| brings_old(property) && brings_new(*index))
            .map(|(_, property)| property.span())
            .collect()
    }
}
