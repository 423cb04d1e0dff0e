//! Short names for the operations of edits.

use crate::{Insertion, Operation, Position, Wrapper};

/// `replace`.
pub fn replace(content: &str) -> Operation {
    Operation::Replace(content.to_owned())
}

/// `replace_body`.
pub fn body(content: &str) -> Operation {
    Operation::ReplaceBody(content.to_owned())
}

/// `insert_before`.
pub fn before(content: &str) -> Operation {
    Operation::InsertBefore(content.to_owned())
}

/// `insert_after`.
pub fn after(content: &str) -> Operation {
    Operation::InsertAfter(content.to_owned())
}

/// `insert_into` at the first position.
pub fn first(content: &str) -> Operation {
    insert_into(content, Position::First)
}

/// `insert_into` at the last position.
pub fn last(content: &str) -> Operation {
    insert_into(content, Position::Last)
}

/// `insert_into` at the sorted position.
pub fn sorted(content: &str) -> Operation {
    insert_into(content, Position::Sorted)
}

/// The operation `insert_into` at a position.
pub fn insert_into(content: &str, position: Position) -> Operation {
    Operation::InsertInto(Insertion { content: content.to_owned(), position })
}

/// `wrap` with text before and after.
pub fn wrap(before: &str, after: &str) -> Operation {
    Operation::Wrap(Wrapper { before: before.to_owned(), after: after.to_owned() })
}
