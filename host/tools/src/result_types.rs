//! Types that several results share: points, ranges and edits, with their conversions from spans.

use marquetry_model::{EditSet, Error, Kind, Span, text::Lines, text::Position};
use schemars::JsonSchema;
use serde::Serialize;

/// A position: lines from 1, columns from 0 in UTF-16 code units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Point {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 0, in UTF-16 code units.
    pub column: usize,
}

/// A range; its end is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Range {
    /// Start.
    pub start: Point,
    /// End, exclusive.
    pub end: Point,
}

impl From<Position> for Point {
    fn from(position: Position) -> Point {
        Point { line: position.line, column: position.column }
    }
}

/// A position in a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Location {
    /// Path of the file.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 0, in UTF-16 code units.
    pub column: usize,
}

impl Location {
    pub(crate) fn new(path: &str, position: Position) -> Location {
        Location { path: path.to_owned(), line: position.line, column: position.column }
    }
}

/// Converts a span to a range.
pub(crate) fn range_of(lines: &Lines<'_>, span: Span) -> Range {
    Range { start: lines.position(span.start).into(), end: lines.position(span.end).into() }
}

/// Edits of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileChange {
    /// Path of the file.
    pub file: String,
    /// Its edits, in order, as ranges of the text before the change.
    pub edits: Vec<TextEdit>,
    /// Hash of the file after an edit of several files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

/// An edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextEdit {
    /// `replace`, `insert` or `delete`.
    pub r#type: &'static str,
    /// Range in the text before the change.
    pub range: Pair,
    /// The old text, with `preview`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_content: Option<String>,
    /// The new text, with `preview`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_content: Option<String>,
}

/// A compact range: `[line, column]` twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Pair {
    /// Start.
    pub start: [usize; 2],
    /// End, exclusive.
    pub end: [usize; 2],
}

/// Formats the edits of a file.
pub(crate) fn file_change(file: &str, text: &str, edits: &EditSet, preview: bool) -> FileChange {
    let lines = Lines::new(text);
    let pair = |offset| {
        let position = lines.position(offset);
        [position.line, position.column]
    };
    let edits = edits.as_slice().iter().map(|edit| TextEdit {
        r#type: match (edit.span.is_empty(), edit.text.is_empty()) {
            (true, _) => "insert",
            (false, true) => "delete",
            (false, false) => "replace",
        },
        range: Pair { start: pair(edit.span.start), end: pair(edit.span.end) },
        old_content: preview.then(|| edit.span.slice(text).to_owned()),
        new_content: preview.then(|| edit.text.clone()),
    });
    FileChange { file: file.to_owned(), edits: edits.collect(), hash: None }
}

/// Value of `completeness` for an answer about a name: `complete`, `syntactic` if there are unresolved occurrences, or
/// `partial` with the reason.
pub(crate) fn completeness(partial: Option<&str>, unresolved: &[String]) -> String {
    match (partial, unresolved.is_empty()) {
        (Some(why), _) => format!("partial: {why}"),
        (None, false) => "syntactic".to_owned(),
        (None, true) => "complete".to_owned(),
    }
}

/// Shortens a list to `most` items and appends the number of omitted ones.
pub(crate) fn shorten_list(mut list: Vec<String>, most: usize) -> Vec<String> {
    let more = list.len().saturating_sub(most);
    list.truncate(most);
    list.extend((more > 0).then(|| format!("and {more} more")));
    list
}

/// Formats a count with its noun: `1 file`, `3 files`.
pub(crate) fn pluralized(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// Returns whether two paths differ only in case: some packs and some file systems treat them as equal.
pub(crate) fn differ_in_case(path: &str, other: &str) -> bool {
    path != other && path.to_lowercase() == other.to_lowercase()
}

/// Describes a file that an answer does not cover, and why, without repeating its path. The hint of a refusal is left
/// out: the message already says what to do, and often many files have the same hint.
pub(crate) fn skipped_file(path: &str, error: &Error) -> String {
    let why = error.content().message.strip_prefix(&format!("`{path}` "));
    match why.filter(|_| error.kind() == Kind::PermissionDenied) {
        Some(why) => format!("{path} {why}"),
        None => format!("{path}: {error}"),
    }
}
