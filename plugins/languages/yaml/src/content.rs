//! Content to insert. It is parsed before the edit.

use marquetry_jsonpath::push_string;
use marquetry_sdk::{Diagnostic, Failure, FailureKind, Result, Severity, fail, lines};

use crate::{
    dash::{Dash, change_dashes},
    parse::{self, UNDECLARED_CODE},
    scalar,
    source::Source,
    style::{Style, convert_style},
    table::{Id, Kind, Table},
};

/// A parsed content: one value, with the common indentation of its lines removed.
#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) text: String,
    table: Table,
    /// True if the content has aliases of anchors in the file, so that its value cannot be computed without the file.
    pub(crate) uses_outer_anchors: bool,
}

/// One entry of a collection in a content, or several: its text and the names of its keys.
#[derive(Debug)]
pub(crate) struct NewEntry {
    pub(crate) text: String,
    pub(crate) names: Vec<String>,
}

impl Content {
    /// Parses a content. If `force` is set, content that cannot be parsed is accepted and left unchanged.
    pub(crate) fn parse(content: &str, force: bool) -> Result<Content> {
        let given = content.replace("\r\n", "\n").replace('\r', "\n");
        let text = given.trim_end();
        let text = text.strip_prefix("---\n").unwrap_or(text);
        let first = text.len() - text.trim_start().len();
        let text = &text[text[..first].rfind('\n').map_or(0, |at| at + 1)..];
        let (written, problem) = Content::parse_text(dedent(text));
        if problem.is_none() && !written.lacks_first_dash_indent() {
            return written.into_checked();
        }
        // If the content was copied from a node, its first line lacks the indentation of the other lines.
        for depth in possible_first_indents(text) {
            if let (cut, None) = Content::parse_text(dedent(&format!("{}{text}", " ".repeat(depth)))) {
                return cut.into_checked();
            }
        }
        match problem {
            None => written.into_checked(),
            Some(_) if force => Ok(written),
            Some(problem) => {
                let start = given.trim_end().len() - text.len();
                Err(content_error(
                    &given,
                    start + original_offset(text, &written.text, problem.span.range().start),
                    &problem.message,
                ))
            }
        }
    }

    fn parse_text(text: String) -> (Content, Option<Diagnostic>) {
        let (table, problems) = parse::parse(&text);
        let (open, errors): (Vec<Diagnostic>, Vec<Diagnostic>) = problems
            .into_iter()
            .filter(|problem| problem.severity == Severity::Error)
            .partition(|problem| problem.code.as_deref() == Some(UNDECLARED_CODE));
        (Content { text, table, uses_outer_anchors: !open.is_empty() }, errors.into_iter().next())
    }

    fn into_checked(self) -> Result<Content> {
        let documents = self.table.children(0).count();
        if documents > 1 {
            return Err(
                fail(FailureKind::InvalidArgument, "the content contains several documents").hint("give one value")
            );
        }
        let root = self.root();
        if self.kind() == Kind::Empty && self.table.properties(root).is_none() {
            let only_comments = !self.text.trim().is_empty();
            let what = if only_comments { "the content has no value" } else { "the content is empty" };
            return Err(fail(FailureKind::InvalidArgument, what).hint("write `null` for no value, or use `delete`"));
        }
        Ok(self)
    }

    /// Changes the indentation of the content to that of the file.
    pub(crate) fn with_style(self, style: Style) -> Content {
        if self.uses_outer_anchors {
            return self;
        }
        match convert_style(self.source(), style) {
            Some(text) => Content::parse_text(text).0,
            None => self,
        }
    }

    /// Parses a content that was derived from a checked one.
    pub(crate) fn unchecked(text: String) -> Content {
        Content::parse_text(text).0
    }

    /// Adds comments on the lines above the content.
    pub(crate) fn with_comments_above(self, comments: &[&str]) -> Content {
        Content::unchecked(format!("{}\n{}", comments.join("\n"), self.text))
    }

    /// Changes the dashes of all sequences in the content.
    pub(crate) fn with_dashes(self, dash: Dash) -> Content {
        self.with_changed_dashes(dash, false)
    }

    /// Changes the dashes of the outermost items of the content.
    pub(crate) fn with_item_dashes(self, dash: Dash) -> Content {
        self.with_changed_dashes(dash, true)
    }

    fn with_changed_dashes(self, dash: Dash, own: bool) -> Content {
        match change_dashes(self.source(), dash, own) {
            Some(text) => Content::unchecked(text),
            None => self,
        }
    }

    /// Returns whether the content looks like a sequence whose first dash has lost its indentation. For example, `- a`
    /// above `  - b` is parsed as one scalar.
    fn lacks_first_dash_indent(&self) -> bool {
        let is_cut = |id: Id| {
            let deeper = |line: &str| line.trim_start().starts_with("- ");
            self.table.kind(id) == Kind::Plain && self.source().raw(id).lines().skip(1).any(deeper)
        };
        (0..self.table.len()).any(is_cut)
    }

    pub(crate) fn source(&self) -> Source<'_> {
        Source { text: &self.text, table: &self.table }
    }

    pub(crate) fn root(&self) -> Id {
        self.source().root_id()
    }

    /// Returns whether the content is a text of several lines without quotes, whose line breaks mean spaces.
    pub(crate) fn folds_lines(&self) -> bool {
        self.kind() == Kind::Plain && self.source().raw(self.root()).contains('\n')
    }

    pub(crate) fn kind(&self) -> Kind {
        self.table.kind(self.root())
    }

    /// Returns whether a line that is not a text may be meant as one: `Note: see below` is a mapping, and `run # all` ends
    /// with a comment. A simple key with one word, such as `name: x`, is meant as a mapping.
    pub(crate) fn looks_like_text(&self) -> bool {
        let text = self.text.trim();
        let is_sentence =
            || text.split_once(": ").is_none_or(|(key, value)| [key, value].iter().any(|it| it.contains([' ', '"'])));
        let has_comment = || self.kind() == Kind::Plain && text[self.source().end(self.root())..].contains('#');
        !text.contains('\n') && (self.kind() == Kind::BlockMapping && is_sentence() || has_comment())
    }

    /// Returns the anchor and tag of the value.
    pub(crate) fn properties(&self) -> &str {
        let properties = self.table.properties(self.root());
        properties.start().map_or("", |start| &self.text[start..properties.end()])
    }

    /// Returns whether the content ends with the text of a block scalar, so that nothing can follow on its last line.
    pub(crate) fn ends_with_block_scalar(&self) -> bool {
        self.table.kind(self.table.previous(self.table.len())).is_block_scalar()
    }

    pub(crate) fn has_anchor(&self) -> bool {
        self.table.properties(self.root()).has_anchor()
    }

    /// Returns the start of the value, including its anchor and tag.
    pub(crate) fn start(&self) -> usize {
        self.source().start(self.root())
    }

    /// Returns the indentation of a block scalar's lines, and whether its header specifies it.
    pub(crate) fn block_scalar_indent(&self) -> (usize, bool) {
        let header = self.source().raw(self.root()).lines().next().unwrap_or_default();
        let header = header.split([' ', '\t']).next().unwrap_or_default();
        (self.table.extra(self.root()) as usize, header.contains(|c: char| c.is_ascii_digit()))
    }

    /// Returns the value in a form that is valid inside flow brackets.
    pub(crate) fn to_flow(&self) -> Result<String> {
        flow_text(self.source(), self.root())
    }

    /// Returns the entries for insertion into a flow mapping or sequence.
    pub(crate) fn flow_entries(&self, mapping: bool) -> Result<Vec<NewEntry>> {
        let (source, root) = (self.source(), self.root());
        let takes = self.properties().is_empty()
            && if mapping { self.kind().is_mapping() } else { self.kind() == Kind::BlockSequence };
        if !takes {
            let text = self.to_flow()?;
            return if mapping { Err(not_a_mapping_error()) } else { Ok(vec![NewEntry { text, names: Vec::new() }]) };
        }
        let entries = source.entries_of(root).into_iter().map(|entry| {
            let value = flow_text(source, entry.value)?;
            let Some(key) = entry.key else { return Ok(NewEntry { text: value, names: Vec::new() }) };
            let names = vec![source.key_name(key).into_owned()];
            let key = flow_text(source, key)?;
            let text = if value.is_empty() { key } else { format!("{key}: {value}") };
            Ok(NewEntry { text, names })
        });
        entries.collect()
    }

    /// Returns the entries for insertion into a block mapping, each with its comment, without indentation. If `whole`
    /// is set, block entries are returned as one piece.
    pub(crate) fn block_mapping_entries(&self, whole: bool) -> Result<Vec<NewEntry>> {
        if !self.properties().is_empty() || !self.kind().is_mapping() {
            return Err(not_a_mapping_error());
        }
        let source = self.source();
        let entries = source.entries_of(self.root());
        let names = |key: Option<Id>| key.map(|key| source.key_name(key).into_owned());
        if self.kind() != Kind::BlockMapping {
            let pieces = entries.iter().map(|entry| {
                let (key, value) =
                    (entry.key.map_or("", |key| whole_node(source, key)), whole_node(source, entry.value));
                let text = if value.is_empty() { format!("{key}:") } else { format!("{key}: {value}") };
                NewEntry { text, names: names(entry.key).into_iter().collect() }
            });
            return Ok(pieces.collect());
        }
        if whole || entries.len() < 2 {
            let names = entries.iter().filter_map(|entry| names(entry.key)).collect();
            return Ok(vec![NewEntry { text: self.text.clone(), names }]);
        }
        let piece = |entry: &crate::layout::Entry| NewEntry {
            text: dedent(&format!(
                "{}{}",
                " ".repeat(source.entry_column(self.root())),
                &self.text[entry.start_with_comment()..entry.span.range().end]
            )),
            names: names(entry.key).into_iter().collect(),
        };
        Ok(entries.iter().map(piece).collect())
    }
}

fn not_a_mapping_error() -> Failure {
    fail(FailureKind::InvalidArgument, "a mapping needs keys, and the content has none")
        .hint("give `key: value`, one or several lines")
}

fn content_error(content: &str, at: usize, why: &str) -> Failure {
    Failure::invalid_content("YAML", content, at, why).hint("give one value; quote text that contains `: ` or ` #`")
}

/// Maps an offset in the dedented text to the original text.
fn original_offset(text: &str, dedented: &str, offset: usize) -> usize {
    let start = lines::line_start(dedented, offset.min(dedented.len()));
    let line = dedented[..start].matches('\n').count();
    let from = text.match_indices('\n').map(|(at, _)| at + 1).nth(line.wrapping_sub(1)).unwrap_or(0);
    let removed = lines::line_end(text, from) - from - (lines::line_end(dedented, start) - start);
    from + removed + (offset.min(dedented.len()) - start)
}

/// Returns a node with its anchor and tag.
fn whole_node(source: Source<'_>, id: Id) -> &str {
    &source.text[source.start(id)..source.end(id)]
}

/// Returns a node in a form that is valid inside flow brackets.
fn flow_text(source: Source<'_>, id: Id) -> Result<String> {
    let kind = source.kind_of(id);
    if kind.is_block_collection() || kind == Kind::Pair {
        return Err(fail(FailureKind::InvalidArgument, "a block collection is not allowed inside `[…]` or `{…}`")
            .hint("write the content in flow style, such as `[1, 2]` or `{a: 1}`"));
    }
    let text = whole_node(source, id);
    if kind.is_block_scalar() || (kind == Kind::Plain && text.contains('\n')) {
        let mut out = String::new();
        push_string(&mut out, &scalar::decode_text(source.text, source.table, id));
        return Ok(out);
    }
    if kind == Kind::Plain && !is_flow_item(text) {
        // A comma or bracket in the text would have a meaning inside flow brackets, so quote the text.
        let mut out = String::new();
        push_string(&mut out, &scalar::decode_text(source.text, source.table, id));
        return Ok(out);
    }
    Ok(text.to_owned())
}

/// Returns whether the text is one complete item inside flow brackets.
fn is_flow_item(text: &str) -> bool {
    let (table, problems) = parse::parse(&format!("[{text}\n]"));
    let items: Vec<Id> = table.children(0).flat_map(|list| table.children(list)).collect();
    let whole = |id: &Id| table.kind(*id) == Kind::Plain && table.range(*id).end == text.len() + 1;
    problems.iter().all(|problem| problem.code.as_deref() == Some(UNDECLARED_CODE))
        && items.len() == 1
        && items.iter().all(whole)
}

fn indent_width(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Returns the minimum indentation of the non-empty lines after the first.
fn min_indent_of_rest(text: &str) -> usize {
    text.lines().skip(1).filter(|line| !line.trim().is_empty()).map(indent_width).min().unwrap_or(0)
}

/// Removes the common indentation of all lines.
pub(crate) fn dedent(text: &str) -> String {
    let shared = text.lines().filter(|line| !line.trim().is_empty()).map(indent_width).min().unwrap_or(0);
    let lines: Vec<&str> = text.lines().map(|line| &line[shared.min(indent_width(line))..]).collect();
    lines.join("\n")
}

/// Returns possible original indentations of the first line of a text. It may have had the indentation of the other
/// lines. If the text is the only item of a sequence, it may also have had the indentation of the dash.
fn possible_first_indents(text: &str) -> impl Iterator<Item = usize> {
    let rest = min_indent_of_rest(text);
    let first = text.lines().next().unwrap_or_default();
    let behind = first.trim_start_matches(['-', ' ']);
    let dash = if first.starts_with("- ") { first.len() - behind.len() } else { 0 };
    [Some(rest), rest.checked_sub(dash).filter(|_| dash > 0)].into_iter().flatten()
}

/// Removes the common indentation of all lines except the first.
pub(crate) fn dedent_rest(text: &str) -> String {
    let shared = min_indent_of_rest(text);
    let lines: Vec<&str> = text
        .lines()
        .enumerate()
        .map(|(at, line)| if at == 0 { line } else { &line[shared.min(indent_width(line))..] })
        .collect();
    lines.join("\n")
}

/// Indents all lines except the first to a column.
pub(crate) fn indent_rest(text: &str, column: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, line) in text.lines().enumerate() {
        if index > 0 {
            out.push('\n');
            if !line.trim().is_empty() {
                out.extend(std::iter::repeat_n(' ', column));
            }
        }
        out.push_str(line);
    }
    out
}
