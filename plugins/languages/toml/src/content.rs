//! Content to insert: a value, elements of an array, or lines with keys and headers.

use marquetry_sdk::{Diagnostic, Document as _, Failure, FailureKind, Result, fail, indent, lines};

use crate::{
    document::TomlDocument,
    scalar,
    source::Source,
    table::{Id, Kind},
};

/// Text that is put before a value or list to parse it alone.
const KEY_PREFIX: &str = "x = ";

/// Parses the content as one value that may be followed by a comment on its line. Returns both; the comment has a space
/// before it.
pub(crate) fn parse_commented_value(content: &str, force: bool) -> Result<(&str, String)> {
    let trimmed = content.trim();
    let document = TomlDocument::new("", format!("{KEY_PREFIX}{trimmed}"));
    let end = first_value_end(document.source());
    let comment = trimmed.get(end..).unwrap_or_default().trim_start();
    if document.first_problem().is_some() || !comment.starts_with('#') || comment.contains('\n') {
        return Ok((parse_value(content, force)?, String::new()));
    }
    Ok((&trimmed[..end], format!(" {comment}")))
}

/// Parses the content as one value.
pub(crate) fn parse_value(content: &str, force: bool) -> Result<&str> {
    let value = content.trim();
    let document = TomlDocument::new("", format!("{KEY_PREFIX}{value}"));
    let source = document.source();
    let whole = source.table.len() > 1 && source.span(1).range() == (KEY_PREFIX.len()..source.text.len());
    match document.first_problem() {
        None if whole || force => Ok(value),
        Some(_) if force => Ok(value),
        problem => {
            let failure = content_error("value", content, leading_space(content), problem, first_value_end(source));
            Err(failure
                .hint(
                    "give one TOML value, such as `\"text\"`, `1`, `[…]` or `{ … }`; `replace` takes the value without its key",
                )
                .candidates(looks_like_bare_string(value).then(|| scalar::quote_string(value))))
        }
    }
}

/// Returns whether a text looks like a string without quotes.
fn looks_like_bare_string(value: &str) -> bool {
    !value.is_empty() && !value.contains(['"', '\'', '=', '\n', '[', '{', '#'])
}

fn first_value_end(source: Source<'_>) -> usize {
    if source.table.len() > 1 { source.span(1).range().end.saturating_sub(KEY_PREFIX.len()) } else { 0 }
}

/// Returns the error for a part of the content that starts at `start`.
fn content_error(what: &str, content: &str, start: usize, problem: Option<&Diagnostic>, end: usize) -> Failure {
    let (at, why) = match problem {
        Some(problem) => (problem.span.range().start.saturating_sub(KEY_PREFIX.len()), problem.message.as_str()),
        None => (end, "unexpected text after the value"),
    };
    Failure::invalid_content(&format!("a TOML {what}"), content, start + at, why)
}

/// Returns the length of the white space before the content.
fn leading_space(content: &str) -> usize {
    content.len() - content.trim_start().len()
}

/// Returns, for each line, whether it begins within a string. Such a line must not be indented.
pub(crate) fn lines_within_strings(source: Source<'_>) -> Vec<bool> {
    let mut frozen = vec![false; source.text.matches('\n').count() + 1];
    let is_long = |id: &Id| source.kind_of(*id) == Kind::String && source.raw(*id).contains('\n');
    let mut long: Vec<Id> = (0..source.table.len()).filter(is_long).collect();
    long.sort_by_key(|id| source.table.node(*id).start);
    let (mut at, mut line) = (0, 0);
    for id in long {
        let range = source.table.range(id);
        line += source.text[at..range.start].matches('\n').count();
        let inside = source.text[range.clone()].matches('\n').count();
        frozen[line + 1..=line + inside].fill(true);
        (at, line) = (range.end, line + inside);
    }
    frozen
}

/// Indents a value for a position with this indentation. Its inner indentation is converted to the unit of the
/// document.
pub(crate) fn reindent_value(value: &str, at: &str, unit: Option<&str>) -> String {
    reindent_after(KEY_PREFIX, value, at, unit)
}

/// Indents a text like `reindent_value`. `before` is the text before it on its line, which is needed to parse it.
fn reindent_after(before: &str, text: &str, at: &str, unit: Option<&str>) -> String {
    if !text.contains('\n') {
        return text.trim().to_owned();
    }
    let document = TomlDocument::new("", format!("{before}{text}"));
    let frozen = lines_within_strings(document.source());
    indent::reindent_with_unit(text, at, unit, |line| frozen.get(line).copied().unwrap_or(false))
}

/// Content to insert between brackets.
#[derive(Debug)]
pub(crate) struct NewEntry {
    pub(crate) text: String,
    /// The names in its dotted key, in order. It is empty for an element.
    pub(crate) names: Vec<String>,
    /// Offset of the key of the entry, after the comments of the entry.
    pub(crate) key_start: usize,
    /// True if the entry has comments outside of its values.
    pub(crate) has_comments: bool,
    /// True if the entry ends with a comment.
    pub(crate) ends_with_comment: bool,
    /// Comments after an element, with the space before them. They are not part of the text.
    pub(crate) comments: String,
}

impl NewEntry {
    fn without_comments(text: String, names: Vec<String>) -> NewEntry {
        let comments = String::new();
        NewEntry { text, names, key_start: 0, has_comments: false, ends_with_comment: false, comments }
    }

    /// Returns the text for a position with this indentation.
    pub(crate) fn reindented(&self, at: &str, unit: Option<&str>) -> String {
        // A list of elements with comments between them must be parsed inside a bracket.
        let before = if !self.names.is_empty() {
            ""
        } else if self.has_comments {
            "x = ["
        } else {
            KEY_PREFIX
        };
        reindent_after(before, &self.text, at, unit)
    }
}

/// Parses the content as elements of an array.
pub(crate) fn parse_elements(content: &str, force: bool) -> Result<Vec<NewEntry>> {
    parse_bracketed(content, '[', ']', force)
        .map_err(|failure| failure.hint("give the element, such as `\"text\"`, `1` or `{ … }`; several with commas"))
}

/// Parses the content as members of an inline table. It may be an inline table, or `key = value` pairs that are
/// separated by commas or line breaks.
pub(crate) fn parse_members(content: &str, force: bool) -> Result<Vec<NewEntry>> {
    let trimmed = content.trim();
    if trimmed.starts_with('{') {
        let whole = parse_value(trimmed, force)?;
        let document = TomlDocument::new("", format!("{KEY_PREFIX}{whole}"));
        return Ok(split_entries(document.source()));
    }
    match ContentLines::parse(content, false) {
        Ok(lines) if !lines.has_headers() && !lines.is_empty() => Ok(lines.entries()),
        _ => parse_bracketed(content, '{', '}', force).map_err(|failure| {
            failure.hint("give `key = value`, several with commas or on lines of their own, or `{ … }`")
        }),
    }
}

/// Parses a content as if it were between these brackets.
fn parse_bracketed(content: &str, open: char, close: char, force: bool) -> Result<Vec<NewEntry>> {
    // The line break ends a comment at the end of the content.
    let document = TomlDocument::new("", format!("{KEY_PREFIX}{open}{content}\n{close}"));
    let source = document.source();
    let what = if open == '[' { "list of elements" } else { "list of keys with values" };
    let complete = source.table.len() > 1 && source.span(1).range() == (KEY_PREFIX.len()..source.text.len());
    let problem = document.first_problem();
    if (problem.is_some() || !complete) && force {
        return Ok(vec![NewEntry::without_comments(content.trim().trim_end_matches(',').to_owned(), Vec::new())]);
    }
    if let Some(problem) = problem {
        let mut problem = problem.clone();
        // The added bracket shifts offsets by one.
        problem.span.start = problem.span.start.saturating_sub(1);
        return Err(content_error(what, content, 0, Some(&problem), 0));
    }
    if !complete {
        return Err(content_error(what, content, 0, None, first_value_end(source).saturating_sub(1)));
    }
    let pieces = split_entries(source);
    if pieces.is_empty() && !force {
        return Err(fail(FailureKind::InvalidArgument, "the content is empty"));
    }
    Ok(pieces)
}

/// Splits the text between the brackets of the first value into entries. If there are comments, returns it as one
/// entry.
fn split_entries(source: Source<'_>) -> Vec<NewEntry> {
    let mut items: Vec<Id> = source.items(1).collect();
    items.sort_by_key(|id| source.table.node(*id).entry_start);
    let lead = |id: Id| source.table.node(id).entry_start as usize;
    let end = |id: Id| source.table.node(id).end as usize;
    let names = |id: Id| source.header_path(id).split_off(1);
    let (Some(first), Some(last)) = (items.first(), items.last()) else { return Vec::new() };
    let body = source.body(1).map_or(lead(*first)..end(*last), |body| body.range());
    let mut gap = body.start;
    let mut commented = false;
    for id in &items {
        commented |= source.text[gap..lead(*id).max(gap)].contains('#');
        gap = end(*id);
    }
    if commented || source.text[gap..body.end].contains('#') {
        // Leave out the trailing comma.
        let rest = &source.text[gap..body.end];
        let (before, behind) = rest.split_at(rest.find(['#', ',']).unwrap_or(rest.len()));
        let comments = match behind.strip_prefix(',') {
            Some(behind) => behind.trim_end().to_owned(),
            None => format!("{before}{behind}").trim_end().to_owned(),
        };
        let text = source.text[body.start..gap].trim_start().to_owned();
        let ends_with_comment = rest.contains('#');
        let entry = NewEntry::without_comments(text, Vec::new());
        return vec![NewEntry { has_comments: commented, ends_with_comment, comments, ..entry }];
    }
    let piece = |id: Id| NewEntry::without_comments(source.text[lead(id)..end(id)].to_owned(), names(id));
    items.into_iter().map(piece).collect()
}

/// Content that consists of lines: keys with values, and headers.
#[derive(Debug)]
pub(crate) struct ContentLines {
    document: TomlDocument,
}

impl ContentLines {
    /// Parses the content and removes its indentation.
    pub(crate) fn parse(content: &str, force: bool) -> Result<ContentLines> {
        let first = TomlDocument::new("", content.to_owned());
        if let Some(problem) = first.first_problem().filter(|_| !force) {
            let at = problem.span.range().start;
            return Err(Failure::invalid_content("TOML", content, at, &problem.message)
                .hint("give lines of `key = value`, or sections with their headers"));
        }
        let frozen = lines_within_strings(first.source());
        let text = indent::reindent(content, "", |line| frozen.get(line).copied().unwrap_or(false));
        Ok(ContentLines { document: TomlDocument::new("", text) })
    }

    /// Converts an inline table to lines.
    pub(crate) fn from_inline_table(value: &str) -> Result<ContentLines> {
        let pieces = parse_members(value, false)?;
        let lines: Vec<&str> = pieces.iter().map(|piece| piece.text.as_str()).collect();
        ContentLines::parse(&lines.join("\n"), false)
    }

    pub(crate) fn source(&self) -> Source<'_> {
        self.document.source()
    }

    pub(crate) fn text(&self) -> &str {
        self.document.text()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.source().table.entries.is_empty() && !self.has_headers()
    }

    pub(crate) fn has_headers(&self) -> bool {
        self.source().table.sections.len() > 1
    }

    /// Returns the names in each header, and whether the header is in double brackets.
    pub(crate) fn headers(&self) -> Vec<(Vec<String>, bool)> {
        let source = self.source();
        let header = |section: &crate::table::Section| {
            (source.header_path(section.node), source.kind_of(section.node) == Kind::ArrayElement)
        };
        source.table.sections[1..].iter().map(header).collect()
    }

    /// Returns the start of the first header, including the comment above it.
    fn first_header_start(&self) -> usize {
        let source = self.source();
        let Some(section) = source.table.sections.get(1) else { return source.text.len() };
        let start = section.start as usize;
        let bound = source.table.previous_end(start);
        crate::comments::attached_comments(source.text, bound, start).map_or(start, |doc| doc.range().start)
    }

    /// Returns the text above the first header.
    pub(crate) fn text_above_headers(&self) -> &str {
        self.text()[..self.first_header_start()].trim_end()
    }

    /// Returns the text from the first header on.
    pub(crate) fn text_from_headers(&self) -> &str {
        self.text()[self.first_header_start()..].trim_end()
    }

    /// Returns the entries above the first header, each with its comments.
    pub(crate) fn entries(&self) -> Vec<NewEntry> {
        let source = self.source();
        let piece = |index: usize| {
            let entry = source.table.entries[index];
            let start = source.doc(entry.node).map_or(entry.start as usize, |doc| doc.range().start);
            let end = lines::line_end(source.text, entry.end as usize);
            let lead = entry.start as usize - start;
            let text = source.text[start..end].trim_end().to_owned();
            let ends_open = start + text.len() > entry.end as usize;
            NewEntry {
                text,
                names: source.header_path(entry.node),
                key_start: lead,
                has_comments: lead > 0 || ends_open,
                ends_with_comment: ends_open,
                comments: String::new(),
            }
        };
        source.table.entries_of(0).map(piece).collect()
    }

    /// Returns a part of the lines with this indentation.
    pub(crate) fn indent_text(part: &str, at: &str) -> String {
        if at.is_empty() || !part.contains('\n') {
            return part.to_owned();
        }
        let document = TomlDocument::new("", part.to_owned());
        let frozen = lines_within_strings(document.source());
        indent::reindent(part, at, |line| frozen.get(line).copied().unwrap_or(false))
    }
}
