//! Writes a content at the position of a value in block structure. It is written after the key or dash of the value, or
//! on the lines below.

use marquetry_jsonpath::Location;
use marquetry_sdk::{Edit, lines};

use crate::{
    content::{Content, indent_rest},
    line_edits::end_of_blank_lines,
    source::Source,
    style::Style,
    table::{Id, Kind},
};

/// The columns at which a value in block structure can be written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    /// The column of the enclosing collection; `None` if the value is a document.
    pub(crate) parent: Option<usize>,
    /// Column of a mapping that begins on a separate line.
    pub(crate) mapping: usize,
    /// Column of a sequence that begins on a separate line.
    pub(crate) sequence: usize,
    /// Column of a block collection that begins on the line of the indicator; `None` if that is not allowed.
    pub(crate) compact: Option<usize>,
}

/// A content with the indentation that it needs in a slot.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum PlacedContent {
    /// The content begins on the line of the indicator. `rest` contains the indented lines below.
    Inline { first: String, rest: String },
    /// The content is on the lines below. Only its anchor and tag (`head`) are on the line of the indicator.
    Below { head: String, lines: String },
}

/// Indents the content for the slot.
pub(crate) fn place_content(content: &Content, slot: Slot) -> PlacedContent {
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
            return inline_content(&indent_rest(body, column));
        }
        let column = if kind == Kind::BlockSequence { slot.sequence } else { slot.mapping };
        let body = crate::content::dedent(body);
        let body = indent_rest(body.strip_suffix('\n').unwrap_or(&body), column);
        return PlacedContent::Below { head, lines: format!("{}{body}", " ".repeat(column)) };
    }
    if !content.comments_above().is_empty() {
        // The comments cannot be on the line of the indicator.
        let indent = " ".repeat(slot.mapping);
        let comments: String = content.comments_above().iter().map(|line| format!("{indent}{line}\n")).collect();
        let value = Content::unchecked(content.text[start..].to_owned());
        let lines = format!("{comments}{indent}{}", place_content(&value, slot).text_after_indicator());
        return PlacedContent::Below { head: String::new(), lines };
    }
    let text = &content.text[start..];
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let (own, column) = if kind.is_block_scalar() {
        let (own, given) = content.block_scalar_indent();
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
    PlacedContent::Inline { first: first.to_owned(), rest: moved.collect::<Vec<_>>().join("\n") }
}

fn inline_content(text: &str) -> PlacedContent {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    PlacedContent::Inline { first: first.to_owned(), rest: rest.to_owned() }
}

impl PlacedContent {
    /// Returns the text that follows an indicator and a space.
    pub(crate) fn text_after_indicator(self) -> String {
        match self {
            PlacedContent::Inline { first, rest } => join_parts(first, &rest),
            PlacedContent::Below { head, lines } => join_parts(head, &lines),
        }
    }
}

/// Joins two parts with a line break if the second is not empty.
fn join_parts(first: String, rest: &str) -> String {
    if rest.is_empty() { first } else { format!("{first}\n{rest}") }
}

/// The part of the anchor and tag of a value that is kept when the value is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// No part is kept, because the content has an anchor.
    Nothing,
    /// An anchor before the tag is kept, because it is not part of the value.
    Anchor,
    /// Anchor and tag are kept. Only the rest of the value changes.
    All,
}

/// Position of a value, and the comments around it.
pub(crate) struct ValuePosition {
    pub(crate) slot: Slot,
    /// Offset after the indicator and the properties that are kept.
    pub(crate) from: usize,
    /// The text that is replaced.
    pub(crate) span: marquetry_sdk::Span,
    /// True if no key, dash or marker precedes the value.
    pub(crate) has_no_indicator: bool,
    /// Comment on the line of the indicator, if the value is below it.
    indicator_comment: String,
    /// Comment on the header line of a block scalar.
    header: String,
    /// Comments on separate lines between the indicator and the value.
    comments_above: Vec<String>,
}

/// Returns the position of a value in block structure, or `None` if its key has no colon.
pub(crate) fn value_position(
    source: Source<'_>,
    place: &Location<'_, Id>,
    style: Style,
    keep: Keep,
) -> Option<ValuePosition> {
    let range = source.table.range(place.id);
    let span = if keep == Keep::All { range.clone().into() } else { source.span(place.id) };
    let start = source.start(place.id);
    let properties = source.table.properties(place.id);
    let anchor = properties.anchor.1 as usize;
    let kept = match keep {
        Keep::All => (!properties.is_none()).then(|| properties.end()),
        Keep::Anchor => (properties.has_anchor() && anchor <= span.range().start).then_some(anchor),
        Keep::Nothing => None,
    };
    let (indicator, mut slot) = find_slot(source, place, style)?;
    let bare = indicator.is_none();
    let from = kept.or(indicator).unwrap_or(if keep == Keep::Nothing { start } else { span.range().start });
    let (beside, above) = comments_before(source, place.id, from);
    let header = header_comment(source.text, source.kind_of(place.id), range.start);
    // A mapping cannot start on the line of an anchor or tag, because that would then belong to its first key. It
    // cannot start on the line of a comment either.
    let below = source.text[from..span.range().start].contains(['\n', '\r']);
    if kept.is_some() || below || !header.is_empty() {
        slot.compact = None;
    }
    Some(ValuePosition {
        slot,
        from,
        span,
        has_no_indicator: bare && kept.is_none(),
        indicator_comment: beside,
        header,
        comments_above: above,
    })
}

/// Returns the end of the indicator before a value, and the slot after it.
fn find_slot(source: Source<'_>, place: &Location<'_, Id>, style: Style) -> Option<(Option<usize>, Slot)> {
    let span = source.span(place.id);
    let start = source.start(place.id);
    let parent = place.parent.map(|(parent, _)| parent).filter(|parent| source.kind_of(*parent) != Kind::Stream);
    Some(match (parent, place.key) {
        (None, _) => {
            let slot = Slot { parent: None, mapping: 0, sequence: 0, compact: None };
            let line = lines::line_start(source.text, start);
            let marked = source.text[line..].starts_with("---") && start >= line + 3;
            (marked.then_some(line + 3), slot)
        }
        (Some(mapping), Some(key)) => {
            let column = source.entry_column(mapping);
            let colon = source.colon_end(key).filter(|colon| *colon <= start)?;
            let explicit = lines::starts_line(source.text, colon - 1);
            let (mapping, sequence) = (column + style.unit(), column + style.sequence());
            let slot = Slot { parent: Some(column), mapping, sequence, compact: None };
            (Some(colon), Slot { compact: explicit.then_some(column + 2), ..slot })
        }
        (Some(sequence), None) => {
            let column = source.entry_column(sequence);
            let from = source.entry_start(sequence, place.previous, None, place.id);
            let beside = &source.text[from..span.range().start.max(from)];
            let spaces = !span.is_empty() && !beside.contains(['\n', '\r', '\t', '&']);
            let inner = if spaces { column + beside.len() } else { column + 2 };
            (
                Some((from + 1).min(span.range().start)),
                Slot { parent: Some(column), mapping: column + 2, sequence: column + 2, compact: Some(inner) },
            )
        }
    })
}

/// Returns the comments between an offset and the content of a value: the one on the line of the offset or of a block
/// scalar's header, and those on separate lines. A comment directly above the first entry of a collection belongs to
/// that entry, so it is not returned.
fn comments_before(source: Source<'_>, id: Id, from: usize) -> (String, Vec<String>) {
    let (text, kind, start) = (source.text, source.kind_of(id), source.table.range(id).start);
    let mut beside = String::new();
    let mut above = Vec::new();
    if text[from.min(start)..start].contains(['\n', '\r']) {
        beside = comment_at_end(after_properties(&text[from..lines::line_end(text, from)]));
        let doc = if kind.is_block_collection() { source.comment_above(start, from) } else { None };
        let end = doc.map_or(start, |doc| doc.range().start);
        let rest = &text[lines::line_end(text, from).min(end)..end];
        // A line may also contain an anchor or a tag.
        let comments = rest.lines().map(|line| line.trim_start()).filter(|line| line.starts_with('#'));
        above.extend(comments.map(|line| line.trim_end().to_owned()));
    }
    (beside, above)
}

/// Returns the comment on the header line of a block scalar that starts at an offset.
fn header_comment(text: &str, kind: Kind, start: usize) -> String {
    let line = if kind.is_block_scalar() { &text[start..lines::line_end(text, start)] } else { "" };
    line.find([' ', '\t']).map_or_else(String::new, |at| comment_at_end(&line[at..]))
}

/// Returns the part of a line after anchors and tags.
fn after_properties(line: &str) -> &str {
    let mut rest = line.trim_start();
    while rest.starts_with(['&', '!']) {
        rest = rest.find([' ', '\t']).map_or("", |end| rest[end..].trim_start());
    }
    rest
}

/// Treatment of a comment after the end of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TrailingComment {
    Keep,
    /// The comment is deleted, because it describes the last entry, which is deleted.
    Drop,
}

/// Returns the edit that replaces a value by a content.
///
/// Comments around the value are kept: after its key or block scalar header, on lines before it, and after its end. If
/// the content ends with a block scalar, the comment after the end moves, because it would become part of the scalar.
pub(crate) fn replace_edit(text: &str, at: &ValuePosition, content: &Content, behind: TrailingComment) -> Edit {
    let end = at.span.range().end;
    let comment = comment_at_end(&text[end..lines::line_end(text, end)]);
    match behind {
        TrailingComment::Keep => replace_with_trailing(text, at, content, &comment),
        TrailingComment::Drop => {
            let edit = replace_with_trailing(text, at, content, "");
            let is_short = edit.span.range().end == end && !comment.is_empty();
            if is_short { Edit::new(edit.span.range().start..lines::line_end(text, end), edit.text) } else { edit }
        }
    }
}

/// Like [`replace_edit`], but with a given comment after the end of the value.
fn replace_with_trailing(text: &str, at: &ValuePosition, content: &Content, behind: &str) -> Edit {
    let (start, end) = (at.span.range().start, at.span.range().end);
    let gap = &text[at.from..start];
    let below = gap.contains(['\n', '\r']);
    let end_of_line = end_of_lines(text, end, content);
    // If the content is a block scalar with a comment on its header, that comment replaces the old one.
    let own = header_comment(&content.text, content.kind(), content.source().table.range(content.root()).start);
    let header = if own.is_empty() { at.header.as_str() } else { "" };
    let beside = format!("{}{header}", at.indicator_comment);
    match place_content(content, at.slot) {
        PlacedContent::Inline { first, rest } => at.put_inline(text, content, (&first, &rest), (&beside, behind)),
        PlacedContent::Below { head, lines } => {
            let margin = " ".repeat(at.slot.parent.unwrap_or(0));
            // The comment after the value moves to a separate line if it cannot stay on its line.
            let open = content.ends_with_block_scalar();
            let moved = if open && !behind.is_empty() { format!("\n{margin}{}", behind.trim()) } else { String::new() };
            let to = if open { end_of_line } else { end };
            let column = start - lines::line_start(text, start);
            let spaces = text[start - column..start].bytes().all(|byte| byte == b' ');
            if (below || at.has_no_indicator) && head.is_empty() && spaces && can_keep_column(at.slot, column, &lines) {
                let new = format!("{}{moved}", indent_rest(&crate::content::dedent(&lines), column));
                return if at.has_no_indicator { at.edit(text, to, new) } else { Edit::new(start..to, new) };
            }
            if at.has_no_indicator {
                return at.edit(text, to, format!("{}{moved}", join_parts(head, &lines)));
            }
            let head = if head.is_empty() { head } else { format!(" {head}") };
            let indent = " ".repeat(lines.len() - lines.trim_start_matches(' ').len());
            let above: String = at.comments_above.iter().map(|comment| format!("\n{indent}{comment}")).collect();
            if below {
                return Edit::new(at.from..to, format!("{head}{beside}{above}\n{lines}{moved}"));
            }
            Edit::new(at.from..end_of_line, format!("{head}{beside}{behind}\n{lines}"))
        }
    }
}

/// Returns the end of the line of an offset. If the content would take in the empty lines below it, returns their end.
fn end_of_lines(text: &str, at: usize, content: &Content) -> usize {
    let end = lines::line_end(text, at);
    if content.keeps_empty_lines() { end_of_blank_lines(text, end) } else { end }
}

/// Returns the comment at the end of a line, with a space before it.
fn comment_at_end(rest: &str) -> String {
    let rest = rest.trim();
    if rest.starts_with('#') { format!(" {rest}") } else { String::new() }
}

impl ValuePosition {
    /// Returns the edit that puts a content on the line of the indicator. The content is given as its first line and
    /// the other lines.
    fn put_inline(
        &self,
        text: &str,
        content: &Content,
        (first, rest): (&str, &str),
        (beside, behind): (&str, &str),
    ) -> Edit {
        let (start, end) = (self.span.range().start, self.span.range().end);
        let gap = &text[self.from..start];
        let tab = gap.contains('\t') && self.slot.compact.is_some();
        let below = gap.contains(['\n', '\r']);
        // The gap contains the old anchor if the content has its own.
        let replaces_anchor = gap.contains('&');
        let space = if self.has_no_indicator {
            if replaces_anchor { "" } else { gap }
        } else if gap.is_empty() || below || tab || replaces_anchor {
            " "
        } else {
            gap
        };
        let is_block_scalar = content.kind().is_block_scalar();
        let open = content.ends_with_block_scalar();
        let column = if is_block_scalar || open { self.slot.parent.unwrap_or(0) } else { self.slot.mapping };
        let mut own_lines = self.comments_above.clone();
        let mut new = if is_block_scalar {
            join_parts(format!("{space}{first}{beside}{behind}"), rest)
        } else if open {
            own_lines.extend((!behind.is_empty()).then(|| behind.trim().to_owned()));
            format!("{}{beside}", join_parts(format!("{space}{first}"), rest))
        } else if own_lines.is_empty() {
            format!("{}{beside}", join_parts(format!("{space}{first}"), rest))
        } else {
            format!("{}{beside}{behind}", join_parts(format!("{space}{first}"), rest))
        };
        for comment in &own_lines {
            new += &format!("\n{}{comment}", " ".repeat(column));
        }
        let to = if open || !own_lines.is_empty() { end_of_lines(text, end, content) } else { end };
        self.edit(text, to, new)
    }

    /// Returns the edit that replaces the text from the indicator on. Without an indicator, the new text may need a
    /// separate line.
    fn edit(&self, text: &str, to: usize, new: String) -> Edit {
        if !self.has_no_indicator {
            return Edit::new(self.from..to, new);
        }
        let before = if self.from == 0 || text[..self.from].ends_with(['\n', '\r', ' ']) { "" } else { "\n" };
        let after = if to == text.len() && self.span.is_empty() { "\n" } else { "" };
        Edit::new(self.from..to, format!("{before}{new}{after}"))
    }
}

/// Returns whether the new lines can start at the column of the old value.
fn can_keep_column(slot: Slot, column: usize, lines: &str) -> bool {
    let sequence = lines.trim_start().starts_with("- ") || lines.trim_start().starts_with("-\n");
    slot.parent.is_none_or(|parent| column > parent || (column == parent && sequence && slot.compact.is_none()))
}
