//! Putting a content where a value stands in block structure: behind its key or dash, or on the lines below.

use marquetry_jsonpath::Place;
use marquetry_sdk::{Edit, lines};

use crate::{
    content::{Content, indented},
    source::Source,
    style::Style,
    table::{Id, Kind},
};

/// The place of a value in block structure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    /// The column of the collection it is in; none for a document.
    pub(crate) parent: Option<usize>,
    /// Where a mapping goes that begins on a line of its own.
    pub(crate) mapping: usize,
    /// Where a sequence goes that begins on a line of its own.
    pub(crate) sequence: usize,
    /// Where a block collection goes that begins on the line of the indicator, when it may.
    pub(crate) compact: Option<usize>,
}

/// A content made for a slot.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Shaped {
    /// It begins on the line of the indicator: that line, and those below with their indentation.
    Inline { first: String, rest: String },
    /// It stands on the lines below; only its anchor and tag are on the line of the indicator.
    Below { head: String, lines: String },
}

/// The content as it has to be written in the slot.
pub(crate) fn shaped(content: &Content, slot: Slot) -> Shaped {
    let kind = content.kind();
    let start = content.start();
    if kind.is_block_collection() {
        let head = content.properties().to_owned();
        let body = if head.is_empty() {
            content.text.as_str()
        } else {
            content.text[start + head.len()..].trim_start_matches([' ', '\n'])
        };
        if let (Some(column), true, true) = (slot.compact, head.is_empty(), start == 0) {
            return split(&indented(body, column));
        }
        let column = if kind == Kind::BlockSequence { slot.sequence } else { slot.mapping };
        let body = crate::content::dedented(body);
        return Shaped::Below { head, lines: format!("{}{}", " ".repeat(column), indented(&body, column)) };
    }
    let text = &content.text[start..];
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let (own, column) = if kind.is_block_scalar() {
        let (own, given) = content.block_indent();
        let column = match (given, slot.parent) {
            (true, parent) => parent.unwrap_or(0) + own,
            (false, None) => own,
            (false, Some(_)) => slot.mapping,
        };
        (own, column)
    } else {
        let depth = |line: &str| line.len() - line.trim_start_matches(' ').len();
        let own = rest.lines().filter(|line| !line.trim().is_empty()).map(depth).min().unwrap_or(0);
        (own, if slot.parent.is_none() { own } else { slot.mapping })
    };
    let moved = rest.lines().map(|line| {
        let inner = &line[line.len().min(own).min(line.len() - line.trim_start_matches(' ').len())..];
        if inner.is_empty() { String::new() } else { format!("{}{inner}", " ".repeat(column)) }
    });
    Shaped::Inline { first: first.to_owned(), rest: moved.collect::<Vec<_>>().join("\n") }
}

fn split(text: &str) -> Shaped {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    Shaped::Inline { first: first.to_owned(), rest: rest.to_owned() }
}

impl Shaped {
    /// As text behind an indicator and a space.
    pub(crate) fn behind_indicator(self) -> String {
        match self {
            Shaped::Inline { first, rest } => joined(first, &rest),
            Shaped::Below { head, lines } => joined(head, &lines),
        }
    }
}

/// Two parts with a line break between, where there are two.
fn joined(first: String, rest: &str) -> String {
    if rest.is_empty() { first } else { format!("{first}\n{rest}") }
}

/// Where a value stands, and what is around it on its line.
pub(crate) struct Standing {
    pub(crate) slot: Slot,
    /// Behind the indicator, and behind an anchor that stays.
    pub(crate) from: usize,
    /// The value itself, with its tag.
    pub(crate) span: marquetry_sdk::Span,
    /// Nothing stands before it: no key, dash or marker.
    pub(crate) bare: bool,
}

/// How a value in block structure stands. Nothing for a value whose key has no colon.
pub(crate) fn standing(source: Source<'_>, place: &Place<'_, Id>, style: Style, drop_anchor: bool) -> Option<Standing> {
    let span = source.span(place.id);
    let start = source.start(place.id);
    let properties = source.table.properties(place.id);
    let anchor = properties.anchor.1 as usize;
    let kept = properties.has_anchor() && !drop_anchor && (properties.anchor.0 as usize) < span.range().start;
    let parent = place.parent.map(|(parent, _)| parent).filter(|parent| source.kind_of(*parent) != Kind::Stream);
    let (indicator, slot) = match (parent, place.key) {
        (None, _) => {
            let slot = Slot { parent: None, mapping: 0, sequence: 0, compact: None };
            let line = lines::line_start(source.text, start);
            let marked = source.text[line..].starts_with("---") && start >= line + 3;
            (marked.then_some(line + 3), slot)
        }
        (Some(mapping), Some(key)) => {
            let column = source.column(mapping);
            let colon = source.colon(key).filter(|colon| *colon <= start)?;
            let explicit = lines::starts_line(source.text, colon - 1);
            let (mapping, sequence) = (column + style.unit(), column + style.sequence());
            let slot = Slot { parent: Some(column), mapping, sequence, compact: None };
            (Some(colon), Slot { compact: explicit.then_some(column + 2), ..slot })
        }
        (Some(sequence), None) => {
            let column = source.column(sequence);
            let from = source.entry_start(sequence, place.before, None, place.id);
            let beside = &source.text[from..span.range().start.max(from)];
            let spaces = !span.is_empty() && !beside.contains(['\n', '\r', '\t', '&']);
            let inner = if spaces { column + beside.len() } else { column + 2 };
            (
                Some((from + 1).min(span.range().start)),
                Slot { parent: Some(column), mapping: column + 2, sequence: column + 2, compact: Some(inner) },
            )
        }
    };
    let bare = indicator.is_none();
    let from = if kept { anchor } else { indicator.unwrap_or(if drop_anchor { start } else { span.range().start }) };
    Some(Standing { slot, from, span, bare: bare && !kept })
}

/// The edit that puts a content in the place of the value.
///
/// Comments on the value's lines stay: that behind the key on its line, and that behind the value's end; but no
/// comment can stand behind the text of a block scalar.
pub(crate) fn put(text: &str, at: &Standing, content: &Content) -> Edit {
    let (start, end) = (at.span.range().start, at.span.range().end);
    let gap = &text[at.from..start];
    let below = gap.contains(['\n', '\r']);
    let end_of_line = lines::line_end(text, end);
    let behind = comment(&text[end..end_of_line]);
    let beside = if below { comment(&text[at.from..lines::line_end(text, at.from)]) } else { String::new() };
    // The comment behind the value on a line of its own, where it cannot stay.
    let margin = " ".repeat(at.slot.parent.unwrap_or(0));
    let moved =
        if content.ends_open() && !behind.is_empty() { format!("\n{margin}{}", behind.trim()) } else { String::new() };
    let to = if content.ends_open() { end_of_line } else { end };
    match shaped(content, at.slot) {
        Shaped::Inline { first, rest } => {
            let tab = gap.contains('\t') && at.slot.compact.is_some();
            let space = if at.bare {
                gap
            } else if gap.is_empty() || below || tab {
                " "
            } else {
                gap
            };
            let new = if content.kind().is_block_scalar() {
                joined(format!("{space}{first}{beside}{behind}"), &rest)
            } else {
                format!("{}{beside}{moved}", joined(format!("{space}{first}"), &rest))
            };
            at.edit(text, to, new)
        }
        Shaped::Below { head, lines } => {
            let column = start - lines::line_start(text, start);
            let spaces = text[start - column..start].bytes().all(|byte| byte == b' ');
            if (below || at.bare) && head.is_empty() && spaces && keeps_column(at.slot, column, &lines) {
                let new = format!("{}{moved}", indented(&crate::content::dedented(&lines), column));
                return if at.bare { at.edit(text, to, new) } else { Edit::new(start..to, new) };
            }
            if at.bare {
                return at.edit(text, to, format!("{}{moved}", joined(head, &lines)));
            }
            let head = if head.is_empty() { head } else { format!(" {head}") };
            if below {
                return Edit::new(at.from..to, format!("{head}{beside}\n{lines}{moved}"));
            }
            Edit::new(at.from..end_of_line, format!("{head}{behind}\n{lines}"))
        }
    }
}

/// The comment at the end of a line, behind a space.
fn comment(rest: &str) -> String {
    let rest = rest.trim();
    if rest.starts_with('#') { format!(" {rest}") } else { String::new() }
}

impl Standing {
    /// The edit from the indicator on. A value that stands alone also needs lines of its own.
    fn edit(&self, text: &str, to: usize, new: String) -> Edit {
        if !self.bare {
            return Edit::new(self.from..to, new);
        }
        let before = if self.from == 0 || text[..self.from].ends_with(['\n', '\r', ' ']) { "" } else { "\n" };
        let after = if to == text.len() && self.span.is_empty() { "\n" } else { "" };
        Edit::new(self.from..to, format!("{before}{new}{after}"))
    }
}

/// Whether lines can stand at the column where the old value stood.
fn keeps_column(slot: Slot, column: usize, lines: &str) -> bool {
    let sequence = lines.trim_start().starts_with("- ") || lines.trim_start().starts_with("-\n");
    slot.parent.is_none_or(|parent| column > parent || (column == parent && sequence && slot.compact.is_none()))
}
