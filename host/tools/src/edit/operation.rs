//! What an edit asks for, as an operation of the contract.

use marquetry_model::{
    Error, Result,
    pack::{Operation, Position},
};

use super::{OneEdit, OperationName, PositionName};

/// The names of all operations.
const NAMES: [&str; 8] =
    ["replace", "replace_body", "insert_before", "insert_after", "insert_into", "wrap", "delete", "replace_text"];

/// The operation, with all that it needs.
pub(super) fn operation(one: &OneEdit) -> Result<Operation> {
    let name =
        one.operation.ok_or_else(|| Error::argument("`operation` is missing").candidates(NAMES.map(str::to_owned)))?;
    let content = || one.content.clone().ok_or_else(|| Error::argument("`content` is missing"));
    Ok(match name {
        OperationName::Replace => Operation::Replace(content()?),
        OperationName::ReplaceBody => Operation::ReplaceBody(content()?),
        OperationName::InsertBefore => Operation::InsertBefore(content()?),
        OperationName::InsertAfter => Operation::InsertAfter(content()?),
        OperationName::InsertInto => Operation::InsertInto(content()?, one.position.map_or(Position::Last, Into::into)),
        OperationName::Wrap => {
            let wrapper = one.wrapper.clone().ok_or_else(|| {
                Error::argument("`wrapper` is missing").hint("give `wrapper: {\"before\": \"…\", \"after\": \"…\"}`")
            })?;
            Operation::Wrap { before: wrapper.before, after: wrapper.after }
        }
        OperationName::Delete => Operation::Delete,
        OperationName::ReplaceText => Operation::ReplaceText {
            old: one.old.clone().ok_or_else(|| {
                Error::argument("`old` is missing")
                    .hint("give the text to replace as `old`, and what replaces it as `content`")
            })?,
            new: content()?,
            all: one.all,
        },
    })
}

impl From<PositionName> for Position {
    fn from(name: PositionName) -> Position {
        match name {
            PositionName::First => Position::First,
            PositionName::Last => Position::Last,
            PositionName::Sorted => Position::Sorted,
        }
    }
}
