//! Deletes elements. An element on separate lines is deleted with these lines, and with a blank line that would be
//! superfluous without the element.

use marquetry_sdk::{Edit, Span, lines};

use crate::location::{self, Item};
use crate::syntax::{Dialect, Tree};

/// Returns the edits that delete all items.
pub(crate) fn delete(tree: &Tree, items: &[Item]) -> Vec<Edit> {
    let text = tree.text.as_str();
    let mut attributes = Vec::new();
    let mut spans = Vec::new();
    for item in items {
        match item {
            Item::Attribute(attribute) => {
                attributes.push(with_space_before(text, location::attribute_span(tree, *attribute)))
            }
            Item::Doctype(span) => spans.push(*span),
            Item::Element(id) => {
                let span = item.span(tree);
                spans.push(
                    location::doc_comments(tree, *id).map_or(span, |doc| Span { start: doc.start, end: span.end }),
                );
            }
        }
    }
    let mut removed: Vec<Span> =
        merge_across_white_space(text, spans).into_iter().map(|run| deletion_range(tree, run)).collect();
    removed.append(&mut attributes);
    merge_overlapping(removed).into_iter().map(Edit::remove).collect()
}

fn with_space_before(text: &str, span: Span) -> Span {
    let before = &text[..span.range().start];
    Span::new(before.trim_ascii_end().len(), span.range().end)
}

/// Merges spans that are separated only by white space.
fn merge_across_white_space(text: &str, mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut runs: Vec<Span> = Vec::new();
    for span in spans {
        match runs.last_mut() {
            Some(last)
                if span.start <= last.end || text[last.range().end..span.range().start].trim_ascii().is_empty() =>
            {
                last.end = last.end.max(span.end);
            }
            _ => runs.push(span),
        }
    }
    runs
}

/// Merges overlapping spans.
fn merge_overlapping(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by_key(|span| span.start);
    let mut merged: Vec<Span> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

/// Returns the range to delete for a span: all of its lines if nothing else is on them, otherwise the span, and the
/// spaces on one side of it if they would be superfluous.
fn deletion_range(tree: &Tree, span: Span) -> Span {
    let text = tree.text.as_str();
    if location::is_on_own_lines(text, span) {
        return whole_lines(tree, span);
    }
    let (start, end) = (span.range().start, span.range().end);
    let space = |c: char| c == ' ' || c == '\t';
    let before = text[..start].chars().next_back();
    let after = &text[end..];
    let spaces = after.len() - after.trim_start_matches(space).len();
    if before.is_none_or(char::is_whitespace) && spaces > 0 {
        // White space is on both sides. Delete the spaces after the span, and keep the white space before it.
        return Span::new(start, end + spaces);
    }
    if after.is_empty() || after.starts_with(['\n', '\r']) {
        // The span is at the end of a line. Delete the spaces before it, so that the line does not end with a space.
        return Span::new(text[..start].trim_end_matches(space).len(), end);
    }
    span
}

/// Returns the range of the lines of a span. It includes an adjacent blank line if there are blank lines on both sides,
/// or if the span is first or last in its parent.
fn whole_lines(tree: &Tree, span: Span) -> Span {
    let text = tree.text.as_str();
    let from = lines::line_start(text, span.range().start);
    let to = lines::next_line(text, location::comments_end(text, span.range().end));
    let after = lines::next_line(text, to);
    let blank_after = to < text.len() && text[to..lines::line_end(text, to)].trim().is_empty();
    let above = from.checked_sub(1).map(|before| {
        let crlf = before > 0 && text.as_bytes()[before] == b'\n' && text.as_bytes()[before - 1] == b'\r';
        lines::line_start(text, before - usize::from(crlf))
    });
    let blank_before = above.is_some_and(|above| text[above..from].trim().is_empty());
    let has_blocks = tree.dialect == Dialect::Svelte;
    let opens_block = |line: &str| has_blocks && ["{#", "{:"].iter().any(|open| line.trim_start().starts_with(open));
    let closes_block = |line: &str| has_blocks && (line.starts_with("{/") || line.starts_with("{:"));
    // True if a start tag is directly above (`at_top`), or an end tag directly below (`at_bottom`).
    let at_top = from == 0
        || above.is_some_and(|above| is_open_start_tag(&text[above..from]) || opens_block(&text[above..from]));
    let below = text[to..].trim_start_matches([' ', '\t']);
    let at_bottom = to == text.len() || below.starts_with("</") || closes_block(below);
    if blank_after && (blank_before || at_top) {
        return Span::new(from, after);
    }
    match above {
        Some(above) if blank_before && at_bottom => Span::new(above, to),
        _ => Span::new(from, to),
    }
}

/// Returns whether a line is a start tag, and the end tag is not on the same line.
fn is_open_start_tag(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('<')
        && line.ends_with('>')
        && !line.ends_with("/>")
        && !line.contains("</")
        && !line.starts_with("<!")
}
