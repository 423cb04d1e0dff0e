//! Shapes that several tools share: ranges, changes, and what becomes of spans on the way to them.

use marquetry_model::{EditSet, Span, text::Lines, text::Position};
use schemars::JsonSchema;
use serde::Serialize;

/// A place: lines from 1, columns from 0 in UTF-16 code units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Point {
    /// From 1.
    pub line: usize,
    /// From 0, in UTF-16 code units.
    pub column: usize,
}

/// A range; its end is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Range {
    /// Where it starts.
    pub start: Point,
    /// Where it ends, exclusive.
    pub end: Point,
}

impl From<Position> for Point {
    fn from(position: Position) -> Point {
        Point { line: position.line, column: position.column }
    }
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Location {
    /// The file.
    pub path: String,
    /// From 1.
    pub line: usize,
    /// From 0, in UTF-16 code units.
    pub column: usize,
}

impl Location {
    pub(crate) fn new(path: &str, position: Position) -> Location {
        Location { path: path.to_owned(), line: position.line, column: position.column }
    }
}

/// The range of a span.
pub(crate) fn range(lines: &Lines<'_>, span: Span) -> Range {
    Range { start: lines.position(span.start).into(), end: lines.position(span.end).into() }
}

/// The edits of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileChange {
    /// The file.
    pub file: String,
    /// Its edits, in order, as ranges of the text before.
    pub edits: Vec<TextEdit>,
    /// The hash of the file after an edit of several files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

/// One edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextEdit {
    /// `replace`, `insert` or `delete`.
    pub r#type: &'static str,
    /// Of the text before: `[line, column]`, lines from 1, columns from 0.
    pub range: Pair,
    /// The text there was; with `preview`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_content: Option<String>,
    /// The text that takes its place; with `preview`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_content: Option<String>,
}

/// A range in short: `[line, column]` twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Pair {
    /// Where it starts.
    pub start: [usize; 2],
    /// Where it ends, exclusive.
    pub end: [usize; 2],
}

/// The edits of a file as a result shows them.
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
        old_content: preview.then(|| edit.span.of(text).to_owned()),
        new_content: preview.then(|| edit.text.clone()),
    });
    FileChange { file: file.to_owned(), edits: edits.collect(), hash: None }
}

/// How much an answer about a name is: `complete`, `syntactic` if places are unresolved, or `partial` with the reason.
pub(crate) fn completeness(partial: Option<&str>, unresolved: &[String]) -> String {
    match (partial, unresolved.is_empty()) {
        (Some(why), _) => format!("partial: {why}"),
        (None, false) => "syntactic".to_owned(),
        (None, true) => "complete".to_owned(),
    }
}

/// `1 file`, `3 files`.
pub(crate) fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}
