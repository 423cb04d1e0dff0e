//! Applies an operation to all values that a target selects. Independent of the data format.

use std::collections::BTreeMap;

use marquetry_sdk::{Edit, Failure, FailureKind, Insertion, Operation, Position, Result, Wrapper, fail};

use crate::locations::{Location, ValueTable};

/// Writes the operations on one value in a data format. If an operation is impossible, it fails with a hint about
/// what is possible.
pub trait ValueEditor {
    /// The layout of the values.
    type Layout: ValueTable;

    /// The document.
    fn layout(&self) -> &Self::Layout;

    /// Replaces the text of a value.
    ///
    /// # Errors
    ///
    /// Fails if the content is not a value of the format.
    fn replace(&self, place: &LocationOf<'_, Self>, content: &str) -> Result<Vec<Edit>>;

    /// Replaces the content of a container.
    ///
    /// # Errors
    ///
    /// Fails if the value is not a container, or the content does not fit into it.
    fn replace_body(&self, place: &LocationOf<'_, Self>, content: &str) -> Result<Vec<Edit>>;

    /// Inserts entries into a container, before the entry at this index.
    ///
    /// # Errors
    ///
    /// Fails if the content is not an entry, or its key already exists.
    fn insert_at(&self, container: u32, index: usize, content: &str) -> Result<Vec<Edit>>;

    /// Inserts entries into a container.
    ///
    /// # Errors
    ///
    /// Fails if the value is not a container, or the content is not an entry of it.
    fn insert_into(&self, place: &LocationOf<'_, Self>, content: &str, position: Position) -> Result<Vec<Edit>>;

    /// Wraps a value.
    ///
    /// # Errors
    ///
    /// Fails if the result is not a value of the format.
    fn wrap(&self, place: &LocationOf<'_, Self>, wrapper: &Wrapper) -> Result<Vec<Edit>>;

    /// Deletes entries of one container, with their comments and separators.
    ///
    /// # Errors
    ///
    /// Fails if the format requires the entries.
    fn delete_entries(&self, container: u32, indices: &[usize]) -> Result<Vec<Edit>>;
}

type LocationOf<'d, E> = Location<'d, <<E as ValueEditor>::Layout as ValueTable>::Key>;

/// The edits of one operation on the values at the places, which must be in document order. The edits are sorted and
/// do not overlap.
///
/// # Errors
///
/// Fails if the editor fails, or if one of the values is inside another.
pub fn operation_edits<E: ValueEditor>(
    editor: &E,
    places: &[LocationOf<'_, E>],
    operation: &Operation,
) -> Result<Vec<Edit>> {
    let mut edits = match operation {
        Operation::Delete => delete_values(editor, places)?,
        _ => places.iter().map(|place| edit_value(editor, place, operation)).collect::<Result<Vec<_>>>()?.concat(),
    };
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    if let Some(pair) = edits.windows(2).find(|pair| pair[0].span.end > pair[1].span.start) {
        return Err(fail(FailureKind::InvalidArgument, "some targets are inside other targets")
            .hint("edit the outer and the inner targets in separate calls")
            .at(pair[1].span));
    }
    Ok(edits)
}

fn edit_value<E: ValueEditor>(editor: &E, place: &LocationOf<'_, E>, operation: &Operation) -> Result<Vec<Edit>> {
    let beside = |after: usize, content: &str| match place.parent {
        Some((parent, index)) => editor.insert_at(parent, index + after, content),
        None => Err(Failure::unsupported("cannot insert before or after the root value")
            .hint("use `insert_into` to add to it, or `replace`")),
    };
    match operation {
        Operation::Replace(content) => editor.replace(place, content),
        Operation::ReplaceBody(content) => editor.replace_body(place, content),
        Operation::InsertBefore(content) => beside(0, content),
        Operation::InsertAfter(content) => beside(1, content),
        Operation::InsertInto(Insertion { content, position }) => editor.insert_into(place, content, *position),
        Operation::Wrap(wrapper) => editor.wrap(place, wrapper),
        Operation::Delete => Err(Failure::unsupported("this operation does not apply to a single value")),
    }
}

/// Deletes all values of one container together, so that separators between adjacent deleted entries are removed only
/// once.
fn delete_values<E: ValueEditor>(editor: &E, places: &[LocationOf<'_, E>]) -> Result<Vec<Edit>> {
    let mut containers: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    let mut deleted_to = 0;
    for place in places {
        let Some((parent, index)) = place.parent else {
            return Err(Failure::unsupported("the root value cannot be deleted")
                .hint("use `replace` with `{}`, or delete the file"));
        };
        // Values inside of a deleted value are deleted with it.
        if place.id >= deleted_to {
            containers.entry(parent).or_default().push(index);
            deleted_to = editor.layout().subtree_end(place.id);
        }
    }
    let edits = containers.into_iter().map(|(container, indices)| editor.delete_entries(container, &indices));
    Ok(edits.collect::<Result<Vec<_>>>()?.concat())
}
