//! Objects that copy the member by spreading: `{ ...value, more: 1 }`. The contextual type of such an object may
//! declare the member independently, and no use of the name connects the two declarations.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::{GetSpan, Span};

use crate::infer::checker::Checker;
use crate::infer::shapes::Shape;
use crate::infer::ty::{Ty, key_name};
use crate::program::ids::OPEN_DOCUMENT;
use crate::rename::search_target::SearchTarget;

/// Spreads that copy the member.
pub(super) struct Spreads {
    /// Spreads into types that may have another declaration of the member.
    pub(super) unresolved: Vec<Span>,
    /// Shapes of the objects that have no contextual type.
    pub(super) shapes: Vec<Shape>,
}

/// Finds the spreads in the open document that copy a member.
pub(super) fn find_spreads(checker: &Checker<'_>, wanted: &SearchTarget) -> Spreads {
    let mut spreads = Spreads { unresolved: Vec::new(), shapes: Vec::new() };
    if !wanted.members || !wanted.includes_joined_members {
        return spreads;
    }
    let here = checker.open_module();
    for node in here.semantic().nodes().iter() {
        let (value, context) = match (node.kind(), here.parent_kind(node.id())) {
            (AstKind::SpreadElement(spread), AstKind::ObjectExpression(object)) => {
                if is_overridden(object, spread, &wanted.name) {
                    continue;
                }
                (&spread.argument, here.parent(node.id()))
            }
            (AstKind::JSXSpreadAttribute(spread), _) => (&spread.argument, spread.argument.node_id()),
            _ => continue,
        };
        if has_wanted_member(checker, value, wanted) {
            spreads.add(checker, context, node.kind().span(), wanted);
        }
    }
    spreads
}

/// Returns whether a later property of the object overrides the spread member.
fn is_overridden(object: &ObjectExpression<'_>, spread: &SpreadElement<'_>, name: &str) -> bool {
    object.properties.iter().any(|property| match property {
        ObjectPropertyKind::ObjectProperty(property) => {
            property.span.start > spread.span.start && key_name(&property.key).as_deref() == Some(name)
        }
        ObjectPropertyKind::SpreadProperty(_) => false,
    })
}

/// Returns whether a value has the member.
fn has_wanted_member<'w>(checker: &Checker<'w>, value: &'w Expression<'w>, wanted: &SearchTarget) -> bool {
    let props = checker.props(&checker.expression_type(OPEN_DOCUMENT, value), &wanted.name);
    is_wanted(checker, &props.sites(), wanted)
}

fn is_wanted(checker: &Checker<'_>, sites: &[crate::program::ids::Site], wanted: &SearchTarget) -> bool {
    let closure = checker.with_overridden_sites(sites, &wanted.name);
    wanted.sites.iter().any(|site| closure.contains(site))
}

impl Spreads {
    fn add(&mut self, checker: &Checker<'_>, context: NodeId, place: Span, wanted: &SearchTarget) {
        for ty in checker.contextual_type(OPEN_DOCUMENT, context).alternatives() {
            if matches!(ty, Ty::Primitive) {
                if let AstKind::ObjectExpression(object) = checker.open_module().kind(context) {
                    self.shapes.push(checker.shape_of_object(OPEN_DOCUMENT, object));
                }
                continue;
            }
            let props = checker.props(ty, &wanted.name);
            let sites = props.sites();
            let is_another = if sites.is_empty() {
                props.may_have_more || props.external
            } else {
                !is_wanted(checker, &sites, wanted)
            };
            if is_another {
                self.unresolved.push(place);
                return;
            }
        }
    }
}
