//! Parses an edit into an operation of the pack, or into a text or pattern replacement by the host. Each edit is parsed
//! once for all files.

use marquetry_model::{
    Error, Result,
    pack::{Operation, Position},
};

use super::{OneEdit, OperationName, PositionName, structural::StructuralEdit};
use crate::document::{MatchOptions, TextReplacement};

/// A parsed edit.
pub(super) struct ParsedEdit<'a> {
    pub(super) one: &'a OneEdit,
    pub(super) operation: ParsedOperation,
}

/// Parsed operation of an edit.
pub(super) enum ParsedOperation {
    /// An operation of the pack.
    Operation(Operation),
    /// Replaces a text inside of the target.
    ReplaceText(TextReplacement),
    /// Replaces code that matches a structural pattern.
    Restructure(StructuralEdit),
}

/// Parses a list of edits.
pub(super) fn parse_edits(list: &[OneEdit]) -> Result<Vec<ParsedEdit<'_>>> {
    let plan = |(index, one)| {
        let doing = parse_operation(one).map_err(|error| with_edit_index(error, list.len(), index));
        Ok(ParsedEdit { one, operation: doing? })
    };
    list.iter().enumerate().map(plan).collect()
}

/// Adds the index of the edit to an error if there are several.
pub(super) fn with_edit_index(error: Error, edits: usize, index: usize) -> Error {
    if edits > 1 { error.context(&format!("edit {}", index + 1)) } else { error }
}

/// Error for an argument that the operation would ignore. The caller probably intends another operation.
fn misplaced_argument(one: &OneEdit, name: OperationName) -> Option<Error> {
    use OperationName::{Delete, InsertInto, ReplaceText, Wrap};
    let alone = [
        // If the caller gives a text to search for, the edit is not for the whole target.
        ("old", one.old.is_some(), ReplaceText, "replace_text"),
        ("regex", one.regex, ReplaceText, "replace_text"),
        ("wholeWord", one.whole_word, ReplaceText, "replace_text"),
        ("ignoreCase", one.ignore_case, ReplaceText, "replace_text"),
        // A default value does not count, because some callers fill in all defaults.
        ("position", one.position.is_some_and(|position| position != PositionName::Last), InsertInto, "insert_into"),
        ("wrapper", one.wrapper.is_some(), Wrap, "wrap"),
    ];
    let elsewhere = alone.into_iter().find(|(_, is_given, operation, _)| *is_given && name != *operation);
    if let Some((given, _, _, operation)) = elsewhere {
        return Some(
            Error::argument(format!("`{given}` works only with `operation: \"{operation}\"`"))
                .hint(format!("use `{operation}`, or leave out `{given}`")),
        );
    }
    let (operation, hint) = match name {
        Delete => ("delete", "use `replace` to put `content` in its place, or leave out `content`"),
        Wrap => ("wrap", "give the text around the target as `wrapper: {\"before\": \"…\", \"after\": \"…\"}`"),
        _ => return None,
    };
    // Empty content is treated as missing content.
    let is_given = one.content.as_ref().is_some_and(|content| !content.is_empty());
    is_given.then(|| Error::argument(format!("`{operation}` takes no `content`")).hint(hint))
}

/// Error for a missing operation. If `old` is given, suggests `replace_text`.
fn no_operation(one: &OneEdit) -> Error {
    let error = Error::argument("`operation` is missing");
    match &one.old {
        Some(_) => error
            .hint("`operation: \"replace_text\"` replaces `old` with `content`")
            .candidates(["replace_text".to_owned()]),
        None => error.hint("give an `operation`").candidates(OPERATION_NAMES.map(str::to_owned)),
    }
}

/// Names of all operations.
const OPERATION_NAMES: [&str; 8] =
    ["replace", "replace_body", "insert_before", "insert_after", "insert_into", "wrap", "delete", "replace_text"];

/// Parses the operation with its arguments.
fn parse_operation(one: &OneEdit) -> Result<ParsedOperation> {
    if let Some(restructuring) = StructuralEdit::parse(one)? {
        return Ok(ParsedOperation::Restructure(restructuring));
    }
    let name = one.operation.ok_or_else(|| no_operation(one))?;
    let content = || {
        let missing = || Error::argument("`content` is missing").hint("give the new text as `content`");
        one.content.clone().ok_or_else(missing)
    };
    if let Some(error) = misplaced_argument(one, name) {
        return Err(error);
    }
    Ok(ParsedOperation::Operation(match name {
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
        OperationName::ReplaceText => {
            let old = one.old.as_deref().ok_or_else(|| {
                Error::argument("`old` is missing")
                    .hint("give the text to replace as `old`, and the new text as `content`")
            })?;
            let way = MatchOptions { regex: one.regex, whole_word: one.whole_word, ignore_case: one.ignore_case };
            return TextReplacement::new(old, &content()?, one.all, way).map(ParsedOperation::ReplaceText);
        }
    }))
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
