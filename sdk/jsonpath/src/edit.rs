//! One operation on all the values that a target names: what is the same in every format of values.

use std::collections::BTreeMap;

use marquetry_sdk::{Edit, Failure, FailureKind, Insertion, Operation, Position, Result, Wrapper, fail};

use crate::places::{Layout, Place};

/// How a format writes the operations on one value. Whatever cannot be written is a failure with a hint at what can.
pub trait ValueEditor {
    /// Where the values stand.
    type Layout: Layout;

    /// The document.
    fn layout(&self) -> &Self::Layout;

    /// The value gets a new text.
    ///
    /// # Errors
    ///
    /// Where the content is no value of the format.
    fn replace(&self, place: &PlaceOf<'_, Self>, content: &str) -> Result<Vec<Edit>>;

    /// What is in the container gets a new text.
    ///
    /// # Errors
    ///
    /// Where the value is no container, or the content does not fit into it.
    fn replace_body(&self, place: &PlaceOf<'_, Self>, content: &str) -> Result<Vec<Edit>>;

    /// New entries of a container, before the one with this index.
    ///
    /// # Errors
    ///
    /// Where the content is no entry, or names a key that is there already.
    fn insert_at(&self, container: u32, index: usize, content: &str) -> Result<Vec<Edit>>;

    /// New entries of the container.
    ///
    /// # Errors
    ///
    /// Where the value is no container, or the content is no entry of it.
    fn insert_into(&self, place: &PlaceOf<'_, Self>, content: &str, position: Position) -> Result<Vec<Edit>>;

    /// The value with something around it.
    ///
    /// # Errors
    ///
    /// Where the result is no value of the format.
    fn wrap(&self, place: &PlaceOf<'_, Self>, wrapper: &Wrapper) -> Result<Vec<Edit>>;

    /// Entries of one container go, with what belongs to them.
    ///
    /// # Errors
    ///
    /// Where the format cannot be without them.
    fn delete_entries(&self, container: u32, indices: &[usize]) -> Result<Vec<Edit>>;
}

type PlaceOf<'d, E> = Place<'d, <<E as ValueEditor>::Layout as Layout>::Key>;

/// The edits of one operation on the values at the places, which are in the order of the document: sorted, and apart.
///
/// # Errors
///
/// Those of the editor; and where one of the values lies in another.
pub fn edits<E: ValueEditor>(editor: &E, places: &[PlaceOf<'_, E>], operation: &Operation) -> Result<Vec<Edit>> {
    let mut edits = match operation {
        Operation::Delete => delete(editor, places)?,
        _ => places.iter().map(|place| one(editor, place, operation)).collect::<Result<Vec<_>>>()?.concat(),
    };
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    if let Some(pair) = edits.windows(2).find(|pair| pair[0].span.end > pair[1].span.start) {
        return Err(fail(FailureKind::InvalidArgument, "some of the targets lie inside others")
            .hint("edit the outer and the inner ones one after the other")
            .at(pair[1].span));
    }
    Ok(edits)
}

fn one<E: ValueEditor>(editor: &E, place: &PlaceOf<'_, E>, operation: &Operation) -> Result<Vec<Edit>> {
    let beside = |after: usize, content: &str| match place.parent {
        Some((parent, index)) => editor.insert_at(parent, index + after, content),
        None => Err(Failure::unsupported("nothing can stand beside the file's only value")
            .hint("use `insert_into` to add to it, or `replace`")),
    };
    match operation {
        Operation::Replace(content) => editor.replace(place, content),
        Operation::ReplaceBody(content) => editor.replace_body(place, content),
        Operation::InsertBefore(content) => beside(0, content),
        Operation::InsertAfter(content) => beside(1, content),
        Operation::InsertInto(Insertion { content, position }) => editor.insert_into(place, content, *position),
        Operation::Wrap(wrapper) => editor.wrap(place, wrapper),
        Operation::Delete => Err(Failure::unsupported("this operation is not for single values")),
    }
}

/// Container by container, so that separators between entries that go together are seen once.
fn delete<E: ValueEditor>(editor: &E, places: &[PlaceOf<'_, E>]) -> Result<Vec<Edit>> {
    let mut containers: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    let mut deleted_to = 0;
    for place in places {
        let Some((parent, index)) = place.parent else {
            return Err(Failure::unsupported("the file's only value cannot be deleted")
                .hint("use `replace` with `{}`, or delete the file"));
        };
        // What lies in a deleted value goes with it.
        if place.id >= deleted_to {
            containers.entry(parent).or_default().push(index);
            deleted_to = editor.layout().behind(place.id);
        }
    }
    let edits = containers.into_iter().map(|(container, indices)| editor.delete_entries(container, &indices));
    Ok(edits.collect::<Result<Vec<_>>>()?.concat())
}
