//! `sort_keys`: sorts the entries of a mapping by key, together with their comments. Anchors stay before their aliases.

use marquetry_sdk::refactor::{Argument, Place, RefactorInput, Refactoring, check_no_syntax_errors, refactor_failure};
use marquetry_sdk::{
    Document, Edit, EditOptions, FailureKind, Result, Rewrite, Span, fail,
    items::HASH,
    lines,
    order::{self, Region, Slot},
    span::apply,
};

use super::{digest::value_digest, selection::collection_at};
use crate::{
    document::YamlDocument,
    edit::Editor,
    layout::Entry,
    source::Source,
    table::{Id, Kind},
};

/// Maximum number of steps to keep anchors before aliases. There is a step for each alias in each mapping around it.
const MAX_STEPS: usize = 4_000_000;
/// Words that occur in comments about the whole file, at its start.
const HEADER_WORDS: [&str; 7] = ["yaml-language-server", "yamllint", "license", "copyright", "spdx", "#!", "schema"];

pub(super) const SORT_KEYS: Refactoring<YamlDocument> = Refactoring {
    id: "sort_keys",
    title: "Sort the keys of a mapping",
    place: Place::Selection,
    arguments: &[Argument {
        name: "deep",
        summary: "sort nested mappings too",
        values: &["true", "false"],
        required: false,
    }],
    asks_exporters: false,
    apply: sort,
};

fn sort(document: &YamlDocument, input: &RefactorInput) -> Result<Rewrite> {
    check_no_syntax_errors(&document.diagnostics())?;
    let source = document.source();
    let deep = input.is_true("deep");
    let is_mapping = |id: Id| source.kind_of(id).is_mapping();
    let Some(collection) = collection_at(document, input.at.span, |id| deep || is_mapping(id)) else {
        return Err(
            refactor_failure("this position is not inside a mapping").hint("give a mapping, or a position inside one")
        );
    };
    let whole = collection_at(document, input.at.span, |_| true).filter(|id| source.span(*id) == input.at.span);
    if whole.is_some_and(|whole| !deep && !is_mapping(whole)) {
        return Err(refactor_failure("a sequence has no keys to sort").hint("set `deep` to sort the mappings in it"));
    }
    let sorting = KeySorter {
        editor: Editor::new(source, EditOptions { include_doc: false, force: false }),
        aliases: (0..source.table.len()).filter(|id| source.kind_of(*id) == Kind::Alias).collect(),
    };
    let last = if deep { source.table.subtree_end(collection) } else { collection + 1 };
    let (mut regions, mut steps) = (Vec::new(), 0);
    for mapping in (collection..last).filter(|id| is_mapping(*id)) {
        regions.extend(sorting.sorted_region(mapping, &mut steps));
        if steps > MAX_STEPS {
            return Err(fail(FailureKind::LimitExceeded, "too many aliases in nested mappings")
                .hint("sort a smaller part, or without `deep`"));
        }
    }
    let Some(span) = regions.iter().map(|region| region.span).reduce(enclosing_span) else {
        return Ok(Rewrite::default());
    };
    let edits = vec![Edit::new(span, order::text_after_reordering(source.text, span, regions))];
    let after = YamlDocument::new(document.path(), apply(source.text, &edits));
    if check_no_syntax_errors(&after.diagnostics()).is_err() || value_digest(after.source()) != value_digest(source) {
        return Err(refactor_failure("sorting the keys would change the meaning of the file")
            .hint("redefined anchors, and block scalars that keep trailing blank lines, cannot be moved"));
    }
    Ok(edits.into())
}

fn enclosing_span(a: Span, b: Span) -> Span {
    Span { start: a.start.min(b.start), end: a.end.max(b.end) }
}

struct KeySorter<'d> {
    editor: Editor<'d>,
    /// All aliases of the file.
    aliases: Vec<Id>,
}

impl KeySorter<'_> {
    /// Returns the mapping with sorted entries; `None` if they are sorted already.
    fn sorted_region(&self, mapping: Id, steps: &mut usize) -> Option<Region> {
        let source = self.editor.source;
        let entries = source.entries_of(mapping);
        let order = self.sorted_order(mapping, &entries, steps);
        if order.is_sorted() {
            return None;
        }
        if source.kind_of(mapping).is_flow() {
            let slots = self.editor.items(mapping).slots();
            return order::reorder(source.text, &slots, &order, HASH.line);
        }
        order::reorder(source.text, &block_slots(source, mapping, &entries), &order, &[])
    }

    /// Returns the order of the entries. Entries do not move across a merge key, because parsers disagree about whether
    /// an entry before it takes precedence.
    fn sorted_order(&self, mapping: Id, entries: &[Entry], steps: &mut usize) -> Vec<usize> {
        let source = self.editor.source;
        let keys: Vec<_> =
            entries.iter().map(|entry| entry.key.map_or("".into(), |key| source.key_name(key))).collect();
        let is_merge = |index: &usize| keys[*index] == "<<";
        let mut order = Vec::with_capacity(keys.len());
        let mut from = 0;
        let merges = (0..keys.len()).filter(is_merge).chain([keys.len()]).collect::<Vec<_>>();
        for merge in merges {
            order.extend(order::sorted_order(&keys[from..merge]).into_iter().map(|index| from + index));
            order.extend((merge < keys.len()).then_some(merge));
            from = merge + 1;
        }
        self.after_anchors(mapping, entries, order, steps)
    }

    /// Moves entries that contain aliases after the entries that contain their anchors.
    fn after_anchors(&self, mapping: Id, entries: &[Entry], order: Vec<usize>, steps: &mut usize) -> Vec<usize> {
        let table = self.editor.source.table;
        let (first, last) = (mapping + 2, table.subtree_end(mapping));
        let aliases = &self.aliases[self.aliases.partition_point(|id| *id < first)..];
        let aliases = &aliases[..aliases.partition_point(|id| *id < last)];
        *steps += aliases.len();
        let entry = |id: Id| entries.partition_point(|entry| entry.key.unwrap_or(entry.value) <= id).checked_sub(1);
        let pair = |alias: &Id| {
            let target = table.extra(*alias);
            let (from, to) = (entry(target).filter(|_| target >= first)?, entry(*alias)?);
            (from != to).then_some((from, to))
        };
        order::constrained_order(&order, aliases.iter().filter_map(pair).collect())
    }
}

/// Returns the entries of a block mapping as whole lines.
fn block_slots(source: Source<'_>, mapping: Id, entries: &[Entry]) -> Vec<Slot> {
    let (text, column) = (source.text, source.entry_column(mapping));
    let mut slots: Vec<Slot> = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let mut start = entry.start_with_comment();
        if let Some(before) = slots.last() {
            let from = before.item.range().end;
            let gap = &text[from..start];
            start = from + gap.len() - gap.trim_start().len();
        } else if let Some(doc) = entry.doc.filter(|doc| is_file_header(text, *doc)) {
            start = doc.range().end + text[doc.range().end..entry.span.range().start].len();
        }
        let next = entries.get(index + 1).map_or(text.len(), Entry::start_with_comment);
        let end = end_of_entry(text, entry.span.range().end, next, column);
        slots.push(Slot { item: Span::new(start, end), separator: Span::at(end), tail: Span::at(end) });
    }
    slots
}

/// Returns whether a comment is about the file rather than its first key.
fn is_file_header(text: &str, comment: Span) -> bool {
    let words = comment.slice(text).to_lowercase();
    text[..comment.range().start].trim_start_matches('\u{feff}').is_empty()
        && HEADER_WORDS.iter().any(|header| words.contains(header))
}

/// Returns the end of an entry. It includes the comment on the last line of the entry, and comments below that are
/// indented more than its key.
fn end_of_entry(text: &str, end: usize, next: usize, column: usize) -> usize {
    let mut last = lines::line_end(text, end).min(next.max(end));
    let mut line = lines::next_line(text, last);
    while line < next {
        let content = text[line..lines::line_end(text, line)].trim_start_matches(' ');
        let depth = lines::line_end(text, line) - line - content.len();
        match content.trim().is_empty() {
            true => {}
            false if content.starts_with('#') && depth > column => last = lines::line_end(text, line),
            false => break,
        }
        let below = lines::next_line(text, line);
        if below == line {
            break;
        }
        line = below;
    }
    last
}
