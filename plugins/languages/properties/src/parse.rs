//! The parser. It returns sections and entries in document order. It needs one pass and no syntax tree, because these
//! formats do not nest.

use marquetry_sdk::{Diagnostic, Severity, Span, directives, lines};

use crate::dialect::{Continuation, Dialect};

/// A section or an entry. All spans are byte offsets into the text of the document.
#[derive(Debug, PartialEq)]
pub(crate) struct Item {
    /// The section's name, or the entry's key, as written.
    pub(crate) name: String,
    /// The index of the section that contains the entry; `None` for a section.
    pub(crate) section: Option<usize>,
    /// Span of the item: an entry from its key to the end of its value, or a section with its entries.
    pub(crate) whole: Span,
    /// Span of the value of an entry, as written. For a section, span of its entries.
    pub(crate) value: Span,
    /// The value without its quotes.
    pub(crate) inner: Span,
    /// The comment directly above the item.
    pub(crate) doc: Option<Span>,
}

/// A parsed text.
#[derive(Debug)]
pub(crate) struct Parsed {
    /// Sections and entries. The first item is the section for the entries above the first header; it has no name.
    pub(crate) items: Vec<Item>,
    pub(crate) problems: Vec<Diagnostic>,
}

struct Parser<'t> {
    text: &'t str,
    dialect: &'static Dialect,
    parsed: Parsed,
    /// The section that the next entry belongs to.
    section: usize,
    /// The start of the comment directly above the next item, if any.
    doc_start: Option<usize>,
    /// True in the first comment of the file, after a line about the whole file, such as a license.
    in_file_comment: bool,
}

/// Parses a text.
pub(crate) fn parse(text: &str, dialect: &'static Dialect) -> Parsed {
    let start = text_start(text);
    let top = Span::at(start);
    let top = Item { name: String::new(), section: None, whole: top, value: top, inner: top, doc: None };
    let parsed = Parsed { items: vec![top], problems: Vec::new() };
    let mut parser = Parser { text, dialect, parsed, section: 0, doc_start: None, in_file_comment: false };
    let mut at = start;
    while at < text.len() {
        at = lines::next_line(text, parser.parse_line(at));
    }
    if !dialect.sections {
        parser.report_duplicate_keys();
    }
    parser.parsed
}

/// Returns whether a comment is the title of a group of entries, such as `# --- Database ---`.
fn is_banner(comment: &str) -> bool {
    let rules = ["---", "===", "***", "~~~", "___", "###", ";;;"];
    let title = comment.trim_end();
    let inner = title.trim_start_matches([';', '#', '!']).trim_start();
    title.len() > 3
        && rules.iter().any(|rule| title.starts_with(rule) || inner.starts_with(rule) || title.ends_with(rule))
}

/// Returns the offset after the byte order mark, if there is one. Edits preserve the mark.
pub(crate) fn text_start(text: &str) -> usize {
    if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}

/// Returns the start of the line that contains an offset. On the first line, this is after the byte order mark.
pub(crate) fn line_start(text: &str, offset: usize) -> usize {
    lines::line_start(text, offset).max(text_start(text))
}

impl Parser<'_> {
    /// Parses the item that starts at this line. Returns the end of its last line, because values can have several
    /// lines.
    fn parse_line(&mut self, line: usize) -> usize {
        let start = line + lines::indent_at(self.text, line).len();
        let end = lines::line_end(self.text, start);
        let rest = self.text[start..end].trim_end();
        if rest.is_empty() {
            self.doc_start = None;
            self.in_file_comment = false;
            end
        } else if rest.starts_with(self.dialect.comments) {
            self.add_comment(start, rest);
            end
        } else if self.dialect.sections && rest.starts_with('[') {
            self.parse_header(start, start + rest.len());
            end
        } else {
            self.parse_entry(start, end)
        }
    }

    /// Adds a comment line above the next item. Lines about the file or a group of entries do not belong to the item.
    fn add_comment(&mut self, start: usize, line: &str) {
        if directives::is_about_region(line) {
            let above = &self.text[text_start(self.text)..start];
            self.in_file_comment |= above.lines().all(|line| line.trim_start().starts_with(self.dialect.comments));
            self.doc_start = None;
        } else if is_banner(line) {
            self.doc_start = None;
        } else if !self.in_file_comment {
            self.doc_start.get_or_insert(start);
        }
    }

    /// Parses a section header, `[name]`.
    fn parse_header(&mut self, start: usize, end: usize) {
        let line = &self.text[start..end];
        let Some(close) = line.rfind(']') else {
            return self.report_problem(Severity::Error, start..end, "the `[` of this section is never closed");
        };
        let rest = line[close + 1..].trim_start();
        if !rest.is_empty() && !rest.starts_with(self.dialect.comments) {
            self.report_problem(
                Severity::Error,
                start + close + 1..end,
                "only a comment may follow the name of a section",
            );
        }
        self.section = self.parsed.items.len();
        let name = line[1..close].trim();
        let name = if name.is_empty() { "[]" } else { name };
        self.push_item(name, None, Span::new(start, end), Span::at(end), Span::at(end));
    }

    /// Parses an entry, `key = value`, and returns the end of its last line.
    fn parse_entry(&mut self, start: usize, line_end: usize) -> usize {
        let exported = if self.dialect.continuation == Continuation::Quotes { "export " } else { "" };
        let at = start + if self.text[start..].starts_with(exported) { exported.len() } else { 0 };
        let (key_end, value) = self.key_and_value_offsets(at, line_end);
        let key = &self.text[at..key_end];
        if key.trim().is_empty() {
            self.report_problem(Severity::Error, start..line_end, "a value without a key");
            return line_end;
        }
        if value.is_none() && !self.dialect.bare_keys {
            self.report_problem(Severity::Error, start..line_end, "expected `=` after the key");
            return line_end;
        }
        let from = value.unwrap_or(key_end);
        let (value, inner) =
            if value.is_some() { self.parse_value(from, line_end, start) } else { (Span::at(from), Span::at(from)) };
        self.push_item(key.trim_start(), Some(self.section), Span::new(start, value.range().end), value, inner);
        lines::line_end(self.text, value.range().end)
    }

    /// Returns the end of the key, and the start of the value if there is a separator.
    fn key_and_value_offsets(&self, start: usize, line_end: usize) -> (usize, Option<usize>) {
        let line = &self.text[start..line_end];
        let mut escaped = false;
        let separates = |c: char| {
            let separates = !escaped && self.dialect.separators.contains(&c);
            escaped = c == '\\' && !escaped && self.dialect.continuation == Continuation::Backslash;
            separates
        };
        let Some(key) = line.find(separates) else { return (start + self.key_len(line), None) };
        let blank = |text: &str| text.len() - text.trim_start_matches([' ', '\t']).len();
        let mut at = key + blank(&line[key..]);
        // Blanks may be around a separator, or may be the separator.
        if line[at..].starts_with(self.dialect.separators) {
            at += 1;
        }
        (start + self.key_len(&line[..key]), Some(start + at + blank(&line[at..])))
    }

    /// Returns the length of a key without the blanks after it. An escaped blank is part of the key.
    fn key_len(&self, key: &str) -> usize {
        let len = key.trim_end().len();
        let is_escaped = self.dialect.continuation == Continuation::Backslash && ends_with_backslash(&key[..len]);
        len + key[len..].chars().next().filter(|_| is_escaped).map_or(0, char::len_utf8)
    }

    /// Returns the span of the value that starts at `start`, with and without its quotes.
    fn parse_value(&mut self, start: usize, line_end: usize, entry: usize) -> (Span, Span) {
        let (text, mut end) = (self.text, line_end);
        match self.dialect.continuation {
            Continuation::Quotes => {
                if let Some(quote) = text[start..line_end].chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) {
                    let Some(close) = closing_quote(&text[start..], quote) else {
                        self.report_problem(Severity::Error, start..start + 1, "the quote is never closed");
                        let value = Span::new(start, start + self.bare_value_len(start, line_end));
                        return (value, value);
                    };
                    let close = start + close;
                    end = lines::line_end(text, close);
                    let rest = text[close + 1..end].trim_start();
                    if rest.is_empty() || rest.starts_with(self.dialect.trailing_comments) {
                        return (Span::new(start, close + 1), Span::new(start + 1, close));
                    }
                }
            }
            Continuation::Backslash => {
                while ends_with_backslash(&text[start..end]) && end < text.len() {
                    end = lines::line_end(text, lines::next_line(text, end));
                }
                return (Span::new(start, end), Span::new(start, end));
            }
            Continuation::Indentation => end = self.continuation_end(line_end, entry),
            Continuation::None => {}
        }
        // If the line ends after the separator, the value starts on a later line.
        let start = if end > line_end { end - text[start..end].trim_start().len() } else { start };
        let value = Span::new(start, start + self.bare_value_len(start, end));
        (value, value)
    }

    /// Returns the length of a value that ends at a comment or at the end of its line. If the value starts with `#`, as
    /// in `COLOR=#fff`, this is not a comment.
    fn bare_value_len(&self, start: usize, end: usize) -> usize {
        let value = &self.text[start..end];
        let comment = value
            .char_indices()
            .find(|(at, c)| self.dialect.trailing_comments.contains(c) && value[..*at].ends_with([' ', '\t']));
        value[..comment.map_or(value.len(), |(at, _)| at)].trim_end().len()
    }

    /// Returns the end of the last line that is indented deeper than the entry. Blank lines and comments between such
    /// lines are skipped.
    fn continuation_end(&self, line_end: usize, entry: usize) -> usize {
        let own = lines::indent_at(self.text, entry).len();
        let (mut end, mut at) = (line_end, line_end);
        while at < self.text.len() {
            at = lines::next_line(self.text, at);
            let indent = lines::indent_at(self.text, at).len();
            let next = lines::line_end(self.text, at);
            let line = self.text[at..next].trim();
            if line.is_empty() || line.starts_with(self.dialect.comments) {
                at = next;
            } else if indent > own {
                (end, at) = (next, next);
            } else {
                break;
            }
            if at == next && next == self.text.len() {
                break;
            }
        }
        end
    }

    fn push_item(&mut self, name: &str, section: Option<usize>, whole: Span, value: Span, inner: Span) {
        let end = whole.range().end;
        if let Some(parent) = section {
            let first = self.parsed.items.last().is_none_or(|last| last.section != Some(parent));
            let parent_item = &mut self.parsed.items[parent];
            // The span of a section's entries starts at the line of the first entry. The section without a header
            // starts there, too.
            let start =
                if first { line_start(self.text, whole.range().start) } else { parent_item.value.range().start };
            parent_item.value = Span::new(start, end);
            parent_item.inner = parent_item.value;
            parent_item.whole = Span::new(if parent == 0 { start } else { parent_item.whole.range().start }, end);
        }
        self.in_file_comment = false;
        let doc = self.doc_start.take().map(|doc| {
            let above = lines::previous_line(self.text, lines::line_start(self.text, whole.range().start));
            Span::new(doc, lines::line_end(self.text, above.unwrap_or(doc)))
        });
        self.parsed.items.push(Item { name: name.to_owned(), section, whole, value, inner, doc });
    }

    /// Reports repeated keys. In formats without sections, a repeated key overrides the earlier one.
    fn report_duplicate_keys(&mut self) {
        let mut later = rustc_hash::FxHashSet::default();
        later.reserve(self.parsed.items.len());
        for item in self.parsed.items.iter().skip(1).rev() {
            if !later.insert(item.name.as_str()) {
                self.parsed.problems.push(Diagnostic {
                    severity: Severity::Warning,
                    span: item.whole,
                    message: format!("duplicate key `{}`: only the last one counts", item.name),
                    code: None,
                });
            }
        }
        self.parsed.problems.sort_by_key(|problem| problem.span.start);
    }

    fn report_problem(&mut self, severity: Severity, span: std::ops::Range<usize>, message: &str) {
        self.doc_start = None;
        self.parsed.problems.push(Diagnostic { severity, span: span.into(), message: message.to_owned(), code: None });
    }
}

/// Returns the offset of the quote that closes the one at the start of the text.
fn closing_quote(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    let closes = |c: char| {
        let closes = c == quote && !escaped;
        // In single quotes, a backslash does not escape.
        escaped = c == '\\' && !escaped && quote != '\'';
        closes
    };
    text[1..].find(closes).map(|at| at + 1)
}

fn ends_with_backslash(line: &str) -> bool {
    (line.len() - line.trim_end_matches('\\').len()) % 2 == 1
}
