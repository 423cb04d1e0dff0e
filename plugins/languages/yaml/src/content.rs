//! Content to insert. It is parsed before the edit.

use marquetry_jsonpath::{ValueTable, push_string};
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
    /// In a flow collection: comments after the text, with the space before them.
    pub(crate) comments: String,
    pub(crate) names: Vec<String>,
}

impl NewEntry {
    fn new(text: String, names: Vec<String>) -> NewEntry {
        NewEntry { text, comments: String::new(), names }
    }
}

impl Content {
    /// Parses a content. If `force` is set, content that cannot be parsed is accepted and left unchanged.
    pub(crate) fn parse(content: &str, force: bool) -> Result<Content> {
        let given = content.replace("\r\n", "\n").replace('\r', "\n");
        Ok(Content::parse_trimmed(&given, force)?.with_trailing_space(&given))
    }

    /// Adds the white space at the end of the given text if it belongs to the value: a block scalar is last.
    fn with_trailing_space(self, given: &str) -> Content {
        let space = &given[given.trim_end().len()..];
        let last = self.table.previous(self.table.len());
        if space.is_empty() || !self.table.kind(last).is_block_scalar() || self.source().end(last) < self.text.len() {
            return self;
        }
        let line = space.split('\n').next().unwrap_or_default();
        let value = |content: &Content| {
            let last = content.table.previous(content.table.len());
            scalar::decode_text(&content.text, &content.table, last).into_owned()
        };
        let (beside, whole) =
            (Content::unchecked(format!("{}{line}", self.text)), Content::unchecked(format!("{}{space}", self.text)));
        if value(&whole) == value(&beside) { beside } else { whole }
    }

    fn parse_trimmed(given: &str, force: bool) -> Result<Content> {
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
                    given,
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

    /// Returns whether the content ends with a block scalar that keeps empty lines (`|+`), so that empty lines after it
    /// would belong to it.
    pub(crate) fn keeps_empty_lines(&self) -> bool {
        let last = self.table.previous(self.table.len());
        self.source().keeps_empty_lines(last) && self.text[self.source().end(last)..].trim().is_empty()
    }

    /// Returns the comments above the value. Those above the first entry of a block collection belong to the entry.
    pub(crate) fn comments_above(&self) -> Vec<&str> {
        let above = if self.kind().is_block_collection() { "" } else { &self.text[..self.start()] };
        above.lines().map(str::trim).filter(|line| line.starts_with('#')).collect()
    }

    /// Returns the comments after a value in flow style, with the white space before them.
    pub(crate) fn comments_after(&self) -> &str {
        let rest = self.text[self.source().end(self.root())..].trim_end();
        let is_shown = !self.kind().is_block_collection() && !self.kind().is_block_scalar() && rest.contains('#');
        if is_shown { rest } else { "" }
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
        if self.kind().is_block_collection() && self.has_comments_around() {
            return Err(comments_in_brackets_error());
        }
        flow_text(self.source(), self.root())
    }

    /// Returns whether there are comments before or after the value.
    fn has_comments_around(&self) -> bool {
        self.text[..self.start()].contains('#') || self.text[self.source().end(self.root())..].contains('#')
    }

    /// Returns the entries for insertion into a flow mapping or sequence.
    pub(crate) fn flow_entries(&self, mapping: bool) -> Result<Vec<NewEntry>> {
        let (source, root) = (self.source(), self.root());
        let takes = self.properties().is_empty()
            && if mapping { self.kind().is_mapping() } else { self.kind() == Kind::BlockSequence };
        if !takes && mapping {
            return Err(not_a_mapping_error());
        }
        if !takes {
            let above: String = self.comments_above().iter().map(|comment| format!("{comment}\n")).collect();
            let comments = self.comments_after().to_owned();
            return Ok(vec![NewEntry { text: format!("{above}{}", self.to_flow()?), comments, names: Vec::new() }]);
        }
        if has_comments(source, root) || self.has_comments_around() {
            return Err(comments_in_brackets_error());
        }
        let entries = source.entries_of(root).into_iter().map(|entry| {
            let value = flow_text(source, entry.value)?;
            let Some(key) = entry.key else { return Ok(NewEntry::new(value, Vec::new())) };
            let names = vec![source.key_name(key).into_owned()];
            let key = flow_text(source, key)?;
            let text = if value.is_empty() { key } else { format!("{key}: {value}") };
            Ok(NewEntry::new(text, names))
        });
        entries.collect()
    }

    /// Returns the entries of a flow collection, for insertion into another one. With comments between them, they are one
    /// piece.
    pub(crate) fn entries_in_brackets(&self) -> Vec<NewEntry> {
        let (source, root) = (self.source(), self.root());
        let body = source.bracket_body(root).unwrap_or(source.span(root)).range();
        let entries = source.entries_of(root);
        let names = |entry: &crate::layout::Entry| entry.key.map(|key| source.key_name(key).into_owned());
        let ends = entries.iter().map(|entry| entry.span.range().end);
        let gaps = [body.start].into_iter().chain(ends).zip(entries.iter().map(|entry| entry.span.range().start));
        let end = entries.last().map_or(body.start, |last| last.span.range().end);
        let is_commented = gaps.into_iter().any(|(from, to)| self.text[from..to.max(from)].contains('#'));
        let rest = &self.text[end..body.end.max(end)];
        if !is_commented && !rest.contains('#') {
            let piece = |entry: &crate::layout::Entry| {
                NewEntry::new(entry.span.slice(&self.text).to_owned(), names(entry).into_iter().collect())
            };
            return entries.iter().map(piece).collect();
        }
        // The comma after the last entry is not part of the comments.
        let (before, behind) = rest.split_at(rest.find(['#', ',']).unwrap_or(rest.len()));
        let comments = match behind.strip_prefix(',') {
            Some(behind) => behind.trim_end().to_owned(),
            None => format!("{before}{behind}").trim_end().to_owned(),
        };
        let text = self.text[body.start..end].trim_start().to_owned();
        vec![NewEntry { text, comments, names: entries.iter().filter_map(names).collect() }]
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
                NewEntry::new(text, names(entry.key).into_iter().collect())
            });
            return Ok(pieces.collect());
        }
        if whole || entries.len() < 2 {
            let names = entries.iter().filter_map(|entry| names(entry.key)).collect();
            return Ok(vec![NewEntry::new(self.text.clone(), names)]);
        }
        let margin = " ".repeat(source.entry_column(self.root()));
        // Comments between entries that are not directly above one belong to the entry before.
        let starts = entries.iter().map(crate::layout::Entry::start_with_comment);
        let ends = starts.clone().skip(1).chain([self.text.len()]);
        let starts = [0].into_iter().chain(starts.skip(1));
        let piece = |((start, end), entry): ((usize, usize), &crate::layout::Entry)| {
            let kept = lines::next_line(&self.text, source.with_kept_lines(entry.span, entry.value).range().end);
            let own = start + self.text[start..end].trim_end().len();
            let end = if source.keeps_empty_lines(self.table.previous(ValueTable::subtree_end(&source, entry.value))) {
                kept
            } else {
                own.max(entry.span.range().end)
            };
            let text = dedent(&format!("{}{}", if start == 0 { "" } else { &margin }, &self.text[start..end]));
            NewEntry::new(text, names(entry.key).into_iter().collect())
        };
        Ok(starts.zip(ends).zip(&entries).map(piece).collect())
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
        return flow_collection(source, id);
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

/// Returns a block collection in flow style. Comments would be lost, so they are not allowed in it.
fn flow_collection(source: Source<'_>, id: Id) -> Result<String> {
    if has_comments(source, id) {
        return Err(comments_in_brackets_error());
    }
    let is_mapping = source.kind_of(id).is_mapping();
    let entries = source.entries_of(id).into_iter().map(|entry| {
        let value = flow_text(source, entry.value)?;
        Ok(match entry.key {
            None if value.is_empty() => "null".to_owned(),
            None => value,
            Some(key) if value.is_empty() => flow_text(source, key)?,
            Some(key) => format!("{}: {value}", flow_text(source, key)?),
        })
    });
    let (open, close) = if is_mapping { ('{', '}') } else { ('[', ']') };
    let properties = source.table.properties(id);
    let head = properties.start().map_or(String::new(), |start| format!("{} ", &source.text[start..properties.end()]));
    Ok(format!("{head}{open}{}{close}", entries.collect::<Result<Vec<_>>>()?.join(", ")))
}

fn comments_in_brackets_error() -> Failure {
    let what = "a block collection with comments is not allowed inside `[…]` or `{…}`";
    fail(FailureKind::InvalidArgument, what)
        .hint("write the content in flow style, such as `[1, 2]` or `{a: 1}`, or without comments")
}

/// Returns whether there is a comment between the nodes of a collection.
fn has_comments(source: Source<'_>, id: Id) -> bool {
    let range = source.table.range(id);
    let leaf = |id: &Id| source.is_node(*id) && !source.kind_of(*id).is_block_collection();
    let mut at = range.start;
    let mut ends = (id + 1..ValueTable::subtree_end(&source, id)).filter(leaf).map(|id| source.table.range(id));
    let header = |leaf: &std::ops::Range<usize>| {
        source.text[leaf.clone()].lines().next().is_some_and(|line| line.starts_with(['|', '>']) && line.contains('#'))
    };
    ends.any(|leaf| {
        let is_found = source.text.get(at..leaf.start).is_some_and(|gap| gap.contains('#')) || header(&leaf);
        at = at.max(leaf.end);
        is_found
    })
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
    let lines: Vec<&str> = all_lines(text).map(|line| &line[shared.min(indent_width(line))..]).collect();
    lines.join("\n")
}

/// Returns the lines of a text. Unlike `lines`, it returns an empty one after a line break at the end.
fn all_lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line))
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
    let lines: Vec<&str> = all_lines(text)
        .enumerate()
        .map(|(at, line)| if at == 0 { line } else { &line[shared.min(indent_width(line))..] })
        .collect();
    lines.join("\n")
}

/// Indents all lines except the first to a column.
pub(crate) fn indent_rest(text: &str, column: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, line) in all_lines(text).enumerate() {
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
