//! Inserts and deletes whole lines: entries of block collections, and documents.

use marquetry_sdk::{Edit, lines, span::apply};

use crate::{
    content::{Content, NewEntry, indent_rest},
    layout::Entry,
    parse,
    source::Source,
    table::Id,
};

/// Inserts entries before the entry with this index, or after the last entry if the index is larger.
pub(crate) fn insert_entries(source: Source<'_>, collection: Id, index: usize, pieces: &[NewEntry]) -> Vec<Edit> {
    let entries = source.entries_of(collection);
    let column = source.entry_column(collection);
    let margin = " ".repeat(column);
    // The line break at the end of a piece is that of its last line.
    let own = |piece: &NewEntry| piece.text.strip_suffix('\n').unwrap_or(&piece.text).to_owned();
    let texts: Vec<String> = pieces.iter().map(|piece| indent_rest(&own(piece), column)).collect();
    let text = texts.join(&format!("\n{margin}"));
    let keeps = pieces.last().is_some_and(|piece| Content::unchecked(piece.text.clone()).keeps_empty_lines());
    let kept = index
        .checked_sub(1)
        .and_then(|before| entries.get(before))
        .is_some_and(|before| ends_with_kept_lines(source, before));
    let gap = if kept { "\n".to_owned() } else { "\n".repeat(breaks_near(source, &entries, index)) };
    match (entries.get(index), entries.last()) {
        (Some(next), _) => {
            let gap = if keeps { "\n" } else { &gap };
            vec![Edit::insert(next.start_with_comment(), format!("{text}{gap}{margin}"))]
        }
        (None, Some(last)) => {
            let end = lines::line_end(source.text, last.span.range().end);
            let end = end_of_deeper_comments(source.text, end, column);
            // Empty lines below would belong to a block scalar at the end of the new entries.
            let to = if keeps { end_of_blank_lines(source.text, end) } else { end };
            vec![Edit::new(end..to, format!("{gap}{margin}{text}"))]
        }
        (None, None) => Vec::new(),
    }
}

/// Returns the end of the comments below an entry at a deeper column, which belong to what is inside the entry.
fn end_of_deeper_comments(text: &str, mut end: usize, column: usize) -> usize {
    let mut start = lines::next_line(text, end);
    while start < text.len() {
        let line = &text[start..lines::line_end(text, start)];
        let comment = line.trim_start_matches(' ');
        if comment.starts_with('#') && line.len() - comment.len() > column {
            end = start + line.len();
        } else if !line.trim().is_empty() {
            break;
        }
        start = lines::next_line(text, start + line.len());
    }
    end
}

/// Returns the end of the last of the blank lines below the line that ends at an offset.
pub(crate) fn end_of_blank_lines(text: &str, mut end: usize) -> usize {
    loop {
        let start = lines::next_line(text, end);
        let next = lines::line_end(text, start);
        if start >= text.len() || start == end || !text[start..next].trim().is_empty() {
            return end;
        }
        end = next;
    }
}

/// Returns whether the entry ends with a block scalar that keeps empty lines, so that those after it belong to it.
fn ends_with_kept_lines(source: Source<'_>, entry: &Entry) -> bool {
    source.keeps_empty_lines(last_node(source, entry))
}

/// Returns the last node of an entry.
fn last_node(source: Source<'_>, entry: &Entry) -> Id {
    source.table.previous(source.table.subtree_end(entry.value))
}

/// Returns the number of line breaks between the entries near an index.
fn breaks_near(source: Source<'_>, entries: &[Entry], index: usize) -> usize {
    let near = index.saturating_sub(1).min(entries.len().saturating_sub(2));
    let [before, after, ..] = &entries[near.min(entries.len())..] else { return 1 };
    let gap = source.text[before.span.range().end..after.start_with_comment()].trim_end_matches([' ', '\t']);
    let blank = gap.len() - gap.trim_end_matches(['\n', '\r']).len();
    gap[gap.len() - blank..].matches('\n').count().max(1)
}

/// Deletes the entries with these indices, which are sorted. At least one entry must remain.
pub(crate) fn delete_entries(source: Source<'_>, collection: Id, indices: &[usize]) -> Vec<Edit> {
    let entries = source.entries_of(collection);
    let mut edits = Vec::new();
    let mut at = 0;
    while at < indices.len() {
        let first = indices[at];
        let mut last = first;
        while at + 1 < indices.len() && indices[at + 1] == last + 1 {
            at += 1;
            last += 1;
        }
        at += 1;
        edits.push(delete_run(source, &entries, first, last));
    }
    edits
}

fn delete_run(source: Source<'_>, entries: &[Entry], first: usize, last: usize) -> Edit {
    let text = source.text;
    let top = entries[first].start_with_comment();
    if !lines::starts_line(text, top)
        && let Some(next) = entries.get(last + 1)
    {
        // The entry is on the line of a dash.
        return Edit::remove(top..next.start_with_comment());
    }
    let mut from = lines::line_start(text, top);
    let mut to = lines::next_line(text, lines::line_end(text, entries[last].span.range().end));
    let blank = |line: usize| line < text.len() && text[line..lines::line_end(text, line)].trim().is_empty();
    // Lines of the previous entry may look blank if they belong to a block scalar.
    let floor = first.checked_sub(1).map_or(0, |before| entries[before].span.range().end + 1);
    let above = lines::previous_line(text, from).filter(|above| *above >= floor);
    let blank_above = above.is_some_and(blank);
    let blank_below = to < text.len() && blank(to);
    if blank_below && (blank_above || first == 0) {
        to = lines::next_line(text, to);
    } else if let (true, true, Some(above)) = (blank_above, last + 1 == entries.len(), above) {
        from = above;
    }
    // The line break after a block scalar belongs to its value.
    let above = first.checked_sub(1).map(|above| last_node(source, &entries[above]));
    let is_scalar = above.is_some_and(|above| source.kind_of(above).is_block_scalar());
    if to == text.len() && !text.ends_with(['\n', '\r']) && !is_scalar {
        from = text[..from].strip_suffix("\r\n").or(text[..from].strip_suffix(['\n', '\r'])).map_or(from, str::len);
    }
    // Start at the entry, so that another edit can insert text before it. The entry below has the same indentation.
    let column = top - lines::line_start(text, top);
    let is_below = entries.get(last + 1).is_some_and(|next| next.start_with_comment() == to + column);
    let (own, next) = (text.get(from..from + column), text.get(to..to + column));
    let shift = if is_below && own == next { column } else { 0 };
    Edit::remove(from + shift..to + shift)
}

/// Adds a line break after a new block scalar at the end of the file, because some parsers do not add it to the value. If
/// the scalar keeps empty lines, the last of them has no line break yet.
pub(crate) fn end_last_line(source: Source<'_>, edits: &mut [Edit], keeps_empty_lines: bool) {
    let Some(last) = edits.last().filter(|last| last.span.range().end == source.text.len()) else { return };
    if (last.text.ends_with(['\n', '\r']) && !keeps_empty_lines) || !last.text.contains(['|', '>']) {
        return;
    }
    let text = apply(source.text, edits);
    let (table, _) = parse::parse(&text);
    let after = Source { text: &text, table: &table };
    let node = table.previous(table.len());
    let header = after.raw(node).lines().next().unwrap_or_default();
    let is_stripped = header.split([' ', '\t']).next().is_some_and(|header| header.contains('-'));
    if let (true, false, Some(last)) = (table.kind(node).is_block_scalar(), is_stripped, edits.last_mut()) {
        last.text.push('\n');
    }
}

/// Returns the start of each document, including its marker and directives, and the end of the last document.
fn document_starts(source: Source<'_>) -> Vec<usize> {
    let mut starts = vec![0];
    let mut before = None;
    for document in source.table.children(0) {
        if let Some(end) = before {
            // After `...`, a document need not start with `---`.
            let own = lines::line_start(source.text, source.start(document));
            starts.push(next_document(source.text, end).min(own.max(end)));
        }
        before = Some(source.end(document));
    }
    starts.push(source.text.len());
    starts
}

/// Returns the start of the next line with `---` or a directive.
fn next_document(text: &str, from: usize) -> usize {
    let mut at = lines::next_line(text, from);
    if text[lines::line_start(text, from)..].starts_with("---") && lines::line_start(text, from) == from {
        at = from;
    }
    while at < text.len() && !text[at..].starts_with("---") && !text[at..].starts_with('%') {
        at = lines::next_line(text, at);
    }
    at
}

pub(crate) fn delete_documents(source: Source<'_>, indices: &[usize]) -> Vec<Edit> {
    let starts = document_starts(source);
    indices.iter().map(|index| Edit::remove(starts[*index]..starts[index + 1])).collect()
}

pub(crate) fn insert_document(source: Source<'_>, index: usize, content: &Content) -> Vec<Edit> {
    let (text, starts) = (source.text, document_starts(source));
    let at = starts[index.min(starts.len() - 1)];
    let before = if at > 0 && !text[..at].ends_with(['\n', '\r']) { "\n" } else { "" };
    let marked = text[at..].starts_with("---") || text[at..].starts_with('%') || at == text.len();
    let after = if marked { "" } else { "---\n" };
    vec![Edit::insert(at, format!("{before}---\n{}\n{after}", content.text))]
}
