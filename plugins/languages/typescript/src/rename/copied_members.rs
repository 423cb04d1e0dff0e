//! Copies of an object with a changed member: `{ ...todo, done: !todo.done }`. If the key of a copy is listed, because it is
//! not known that the copy is used as the type of the original, the reads for its value are listed as well. A rename of
//! only one of them can leave code without an error that no longer changes the member.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_span::{GetSpan, Span};

use crate::infer::checker::Checker;
use crate::infer::ty::key_name;
use crate::program::ids::OPEN_DOCUMENT;
use crate::rename::uses::{FoundUses, Use};

/// Lists the uses of a member in the values of listed keys with the same name, instead of renaming them.
pub(crate) fn list_reads_of_listed_keys(checker: &Checker<'_>, name: &str, found: &mut FoundUses) {
    let here = checker.open_module();
    let mut values: Vec<Span> = Vec::new();
    for node in here.semantic().nodes().iter() {
        let AstKind::ObjectExpression(copy) = node.kind() else { continue };
        let keys = copy.properties.iter().filter_map(|property| match property {
            ObjectPropertyKind::ObjectProperty(property) if key_name(&property.key).as_deref() == Some(name) => {
                Some(property)
            }
            _ => None,
        });
        let is_listed = |key: &&oxc_allocator::Box<'_, ObjectProperty<'_>>| {
            found.unresolved.iter().any(|span| key.key.span().contains_inclusive(*span))
        };
        let listed: Vec<Span> = keys.filter(is_listed).map(|key| key.value.span()).collect();
        if !listed.is_empty() && copies_member(checker, copy, name, found) {
            values.extend(listed);
        }
    }
    if values.is_empty() {
        return;
    }
    let is_inside = |used: &Use| values.iter().any(|value| value.contains_inclusive(used.span));
    found.unresolved.extend(found.uses.iter().filter(|used| is_inside(used)).map(|used| used.span));
    found.uses.retain(|used| !is_inside(used));
    found.unresolved.sort_by_key(|span| (span.start, span.end));
    found.unresolved.dedup();
}

/// Returns whether an object literal spreads a value that has the member.
fn copies_member<'w>(checker: &Checker<'w>, copy: &'w ObjectExpression<'w>, name: &str, found: &FoundUses) -> bool {
    copy.properties.iter().any(|property| match property {
        ObjectPropertyKind::SpreadProperty(spread) => {
            let of = checker.expression_type(OPEN_DOCUMENT, &spread.argument);
            let closure = checker.with_overridden_sites(&checker.props(&of, name).sites(), name);
            found.sites.iter().any(|site| closure.contains(site))
        }
        ObjectPropertyKind::ObjectProperty(_) => false,
    })
}
