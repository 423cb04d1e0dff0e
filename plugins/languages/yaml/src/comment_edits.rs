//! Inserts content that contains only comments. Such an insertion must not change any value.

use marquetry_jsonpath::{Tree, json_text_within};
use marquetry_sdk::{Edit, FailureKind, Operation, Position, Result, fail, lines, span::apply};

use crate::{
    edit::{Editor, Location},
    parse,
    source::{NodeRef, Source},
    table::{Id, Kind},
};

/// Maximum length of values that are compared, written as JSON.
const MAX_JSON_LENGTH: usize = 1 << 22;

/// Returns the comments in a flow collection that has no entries.
pub(crate) fn comments_inside(source: Source<'_>, id: Id) -> Vec<&str> {
    let inner = source.bracket_body(id).map_or("", |inner| inner.slice(source.text));
    inner.lines().map(str::trim).filter(|line| line.starts_with('#')).collect()
}

/// Returns the lines of a content, or `None` if it contains anything but comments.
fn comment_lines(content: &str) -> Option<Vec<&str>> {
    let lines: Vec<&str> = content.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    (!lines.is_empty() && lines.iter().all(|line| line.starts_with('#'))).then_some(lines)
}

/// Returns the edits that insert content that contains only comments. Returns `None` for other contents and operations.
pub(crate) fn insert_comments(
    editor: &Editor<'_>,
    places: &[Location<'_>],
    operation: &Operation,
) -> Option<Result<Vec<Edit>>> {
    let content = match operation {
        Operation::InsertBefore(content) | Operation::InsertAfter(content) => content,
        Operation::InsertInto(insertion) => &insertion.content,
        _ => return None,
    };
    let comments = CommentInsertion { editor, source: editor.source, lines: comment_lines(content)? };
    let edits = places.iter().map(|place| match operation {
        Operation::InsertBefore(_) => comments.insert_before(place),
        Operation::InsertAfter(_) => Ok(comments.insert_after(place)),
        Operation::InsertInto(insertion) => comments.insert_inside(place, insertion.position),
        _ => Err(changes_values_error()),
    });
    Some(edits.collect::<Result<Vec<Edit>>>().and_then(|mut edits| {
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        if editor.options.force || keeps_values(editor.source, &edits) {
            Ok(edits)
        } else {
            Err(changes_values_error())
        }
    }))
}

fn changes_values_error() -> marquetry_sdk::Failure {
    fail(FailureKind::InvalidArgument, "inserting a comment at this position would change the values")
        .hint("insert it next to another entry, or together with an entry")
}

/// Returns whether the file has the same values and no new errors after the edits.
fn keeps_values(source: Source<'_>, edits: &[Edit]) -> bool {
    let after = apply(source.text, edits);
    let (table, problems) = parse::parse(&after);
    let after = Source { text: &after, table: &table };
    let value = |source: Source<'_>| json_text_within(&source, source.root(), MAX_JSON_LENGTH);
    problems.len() <= parse::parse(source.text).1.len() && value(source) == value(after)
}

struct CommentInsertion<'e> {
    editor: &'e Editor<'e>,
    source: Source<'e>,
    lines: Vec<&'e str>,
}

impl CommentInsertion<'_> {
    /// Inserts the comments on separate lines above an offset.
    fn insert_above(&self, at: usize, margin: &str) -> Edit {
        let glued = at > 0 && !self.source.text[..at].ends_with([' ', '\t', '\n', '\r']);
        let space = if glued { " " } else { "" };
        let lines = self.lines.join(&format!("\n{margin}"));
        Edit::insert(at, format!("{space}{lines}\n{margin}"))
    }

    /// Inserts the comments on separate lines below the line of an offset.
    fn insert_below(&self, at: usize, margin: &str) -> Edit {
        let lines: String = self.lines.iter().map(|line| format!("\n{margin}{line}")).collect();
        Edit::insert(lines::line_end(self.source.text, at), lines)
    }

    fn insert_before(&self, place: &Location<'_>) -> Result<Edit> {
        let source = self.source;
        match self.editor.parent(place) {
            None => self.insert_above_document(place.id),
            Some(parent) => {
                let start = source.entry_start(parent, place.previous, place.key, place.id);
                let top = source.doc(place).map_or(start, |doc| doc.range().start);
                Ok(self.insert_above(top, &self.margin(parent, top)))
            }
        }
    }

    fn insert_after(&self, place: &Location<'_>) -> Edit {
        let source = self.source;
        let Some(parent) = self.editor.parent(place) else { return self.insert_below_document(place.id) };
        let start = source.entry_start(parent, place.previous, place.key, place.id);
        let end = source.end(place.id).max(start);
        let margin = self.margin(parent, start);
        if source.kind_of(parent).is_block_collection() {
            return self.insert_below(end, &margin);
        }
        let end = self.editor.items(parent).separator_after(end).map_or(end, |separator| separator.range().end);
        let rest = &source.text[end..lines::line_end(source.text, end)];
        if rest.trim().is_empty() || rest.trim_start().starts_with('#') {
            return self.insert_below(end, &margin);
        }
        let blank = rest.len() - rest.trim_start().len();
        let lines = self.lines.join(&format!("\n{margin}"));
        Edit::new(end..end + blank, format!(" {lines}\n{margin}"))
    }

    fn insert_inside(&self, place: &Location<'_>, position: Position) -> Result<Edit> {
        let (source, id) = (self.source, place.id);
        let kind = source.kind_of(id);
        if kind == Kind::Stream {
            let mut documents = source.table.children(id);
            let first = documents.next().unwrap_or(id);
            let last = documents.last().unwrap_or(first);
            return if position == Position::First {
                self.insert_above_document(first)
            } else {
                Ok(self.insert_below_document(last))
            };
        }
        let entries = source.entries_of(id);
        if let (Some(first), Some(last)) = (entries.first(), entries.last()) {
            if position == Position::First {
                return Ok(self.insert_above(first.start_with_comment(), &self.margin(id, first.start_with_comment())));
            }
            if kind.is_block_collection() {
                return Ok(self.insert_below(last.span.range().end, &self.margin(id, last.start_with_comment())));
            }
            let place = marquetry_jsonpath::locations(&source, source.root_id(), &[last.value]).pop();
            return place.map(|place| self.insert_after(&place)).ok_or_else(changes_values_error);
        }
        if let Some(inner) = source.bracket_body(id) {
            let margin = " ".repeat(self.editor.flow_min_indent(id));
            let text = inner.slice(source.text);
            let lines: String = self.lines.iter().map(|line| format!("\n{margin}{line}")).collect();
            return Ok(if text.contains(['\n', '\r']) {
                Edit::insert(inner.range().start + text.trim_end().len(), lines)
            } else {
                Edit::new(inner, format!("{lines}\n{margin}"))
            });
        }
        let parent = self.editor.parent(place);
        let null = source.kind(NodeRef { id, via_alias: 0 }) == marquetry_jsonpath::Kind::Null && kind != Kind::Alias;
        match parent {
            None if null => self.insert_above_document(id),
            Some(parent) if null && source.kind_of(parent).is_block_collection() => {
                let step = if place.key.is_some() { self.editor.style.unit() } else { 2 };
                Ok(self.insert_below(source.end(id), &" ".repeat(source.entry_column(parent) + step)))
            }
            _ => Err(self.editor.cannot_insert_error(place)),
        }
    }

    fn insert_above_document(&self, id: Id) -> Result<Edit> {
        let start = self.source.start(id);
        if !lines::starts_line(self.source.text, start) {
            return Err(changes_values_error());
        }
        Ok(self.insert_above(start, lines::indent_at(self.source.text, start)))
    }

    fn insert_below_document(&self, id: Id) -> Edit {
        let indent = lines::indent_at(self.source.text, self.source.start(id));
        self.insert_below(self.source.end(id), indent)
    }

    /// Returns the indentation of comments next to the entries of a collection. One of the entries starts at the
    /// offset.
    fn margin(&self, collection: Id, at: usize) -> String {
        if self.source.kind_of(collection).is_block_collection() {
            return " ".repeat(self.source.entry_column(collection));
        }
        if lines::starts_line(self.source.text, at) {
            return lines::indent_at(self.source.text, at).to_owned();
        }
        " ".repeat(self.editor.flow_min_indent(collection))
    }
}
