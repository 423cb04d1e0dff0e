//! Edit operations on elements, attributes and the doctype.

mod attribute;
mod braced_attribute;
mod component_check;
mod container;
mod content;
mod create;
mod delete;
mod element;
mod parts;
mod sorted_insertion;
mod verify;

pub(crate) use self::create::create_attribute;
pub(crate) use self::delete::delete;
use marquetry_sdk::{Edit, EditOptions, Failure, FailureKind, Operation, Result, fail};

use crate::location::Item;
use crate::syntax::Tree;

/// Returns the edits of one operation on all items. They are sorted and do not overlap.
pub(crate) fn edit(tree: &Tree, items: &[Item], operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
    if !options.force {
        parts::refuse_parts(tree, items, operation)?;
    }
    let edits = operation_edits(tree, items, operation, options)?;
    if options.force { Ok(edits) } else { verify::verify_edits(tree, items, operation, edits) }
}

fn operation_edits(tree: &Tree, items: &[Item], operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
    if matches!(operation, Operation::Delete) {
        return Ok(delete(tree, items));
    }
    let mut edits = Vec::new();
    for item in items {
        edits.extend(match item {
            Item::Element(id) => element::edit_element(tree, *id, operation, options)?,
            Item::Attribute(found) => attribute::edit_attribute(tree, *found, operation)?,
            Item::Doctype(span) => element::edit_doctype(tree, *span, operation)?,
        });
    }
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let overlaps = edits.windows(2).any(|pair| pair[0].span.end > pair[1].span.start);
    if overlaps {
        return Err(fail(FailureKind::InvalidArgument, "some targets are inside others")
            .hint("use a selector that matches only the outer or only the inner ones"));
    }
    Ok(edits)
}

/// Error for inserting into a doctype or an attribute.
fn cannot_insert_error(what: &str) -> Failure {
    Failure::unsupported(format!("{what} cannot be inserted into"))
}
