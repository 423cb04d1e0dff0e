//! `sort_keys`: sorts the entries of a mapping by key, with their comments; anchors stay before their aliases.

use marquetry_sdk::refactor::{Argument, Asked, Place, Refactoring, check_sound, refused};
use marquetry_sdk::{
    Document, Edit, EditOptions, FailureKind, Result, Rewrite, Span, fail,
    items::HASH,
    lines,
    order::{self, Region, Slot},
    span::apply,
};

use super::{digest::digest, place::collection_at};
use crate::{
    document::YamlDocument,
    edit::Editor,
    layout::Entry,
    source::Source,
    table::{Id, Kind},
};

/// Maximum number of alias checks, one for each mapping around an alias.
const MOST_STEPS: usize = 4_000_000;
/// Words of comments at the start of a file that are about the whole file.
const HEADERS: [&str; 7] = ["yaml-language-server", "yamllint", "license", "copyright", "spdx", "#!", "schema"];

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

fn sort(document: &YamlDocument, asked: &Asked) -> Result<Rewrite> {
    check_sound(&document.problems())?;
    let source = document.source();
    let deep = asked.is("deep");
    let is_mapping = |id: Id| source.kind_of(id).is_mapping();
    let Some(collection) = collection_at(document, asked.at.span, |id| deep || is_mapping(id)) else {
        return Err(refused("this position is not inside a mapping").hint("give a mapping, or a position inside one"));
    };
    let whole = collection_at(document, asked.at.span, |_| true).filter(|id| source.span(*id) == asked.at.span);
    if whole.is_some_and(|whole| !deep && !is_mapping(whole)) {
        return Err(refused("a sequence has no keys to sort").hint("set `deep` to sort the mappings in it"));
    }
    let sorting = Sorting {
        editor: Editor::new(source, EditOptions { include_doc: false, force: false }),
        aliases: (0..source.table.len()).filter(|id| source.kind_of(*id) == Kind::Alias).collect(),
    };
    let last = if deep { source.table.behind(collection) } else { collection + 1 };
    let (mut regions, mut steps) = (Vec::new(), 0);
    for mapping in (collection..last).filter(|id| is_mapping(*id)) {
        regions.extend(sorting.region(mapping, &mut steps));
        if steps > MOST_STEPS {
            return Err(fail(FailureKind::LimitExceeded, "too many aliases in nested mappings")
                .hint("sort a smaller part, or without `deep`"));
        }
    }
    let Some(span) = regions.iter().map(|region| region.span).reduce(around) else { return Ok(Rewrite::default()) };
    let edits = vec![Edit::new(span, order::write(source.text, span, regions))];
    let after = YamlDocument::new(document.path(), apply(source.text, &edits));
    if check_sound(&after.problems()).is_err() || digest(after.source()) != digest(source) {
        return Err(refused("sorting the keys would change the meaning of the file")
            .hint("redefined anchors, and block scalars that keep trailing blank lines, cannot be moved"));
    }
    Ok(edits.into())
}

fn around(a: Span, b: Span) -> Span {
    Span { start: a.start.min(b.start), end: a.end.max(b.end) }
}

struct Sorting<'d> {
    editor: Editor<'d>,
    /// All aliases of the file.
    aliases: Vec<Id>,
}

impl Sorting<'_> {
    /// Returns the mapping with sorted entries; `None` if they are sorted already.
    fn region(&self, mapping: Id, steps: &mut usize) -> Option<Region> {
        let source = self.editor.source;
        let entries = source.entries_of(mapping);
        let order = self.order(mapping, &entries, steps);
        if order.is_sorted() {
            return None;
        }
        if source.kind_of(mapping).is_flow() {
            let slots = self.editor.items(mapping).slots();
            return order::region(source.text, &slots, &order, HASH.line);
        }
        order::region(source.text, &block_slots(source, mapping, &entries), &order, &[])
    }

    /// Returns the order of the entries. Entries do not move across a merge key, because parsers differ in precedence.
    fn order(&self, mapping: Id, entries: &[Entry], steps: &mut usize) -> Vec<usize> {
        let source = self.editor.source;
        let keys: Vec<_> =
            entries.iter().map(|entry| entry.key.map_or("".into(), |key| source.key_name(key))).collect();
        let is_merge = |index: &usize| keys[*index] == "<<";
        let mut order = Vec::with_capacity(keys.len());
        let mut from = 0;
        let merges = (0..keys.len()).filter(is_merge).chain([keys.len()]).collect::<Vec<_>>();
        for merge in merges {
            order.extend(order::sorted(&keys[from..merge]).into_iter().map(|index| from + index));
            order.extend((merge < keys.len()).then_some(merge));
            from = merge + 1;
        }
        self.behind_anchors(mapping, entries, order, steps)
    }

    /// Moves entries with aliases after the entries that have their anchors.
    fn behind_anchors(&self, mapping: Id, entries: &[Entry], order: Vec<usize>, steps: &mut usize) -> Vec<usize> {
        let table = self.editor.source.table;
        let (first, last) = (mapping + 2, table.behind(mapping));
        let aliases = &self.aliases[self.aliases.partition_point(|id| *id < first)..];
        let aliases = &aliases[..aliases.partition_point(|id| *id < last)];
        *steps += aliases.len();
        let entry = |id: Id| entries.partition_point(|entry| entry.key.unwrap_or(entry.value) <= id).checked_sub(1);
        let pair = |alias: &Id| {
            let target = table.extra(*alias);
            let (from, to) = (entry(target).filter(|_| target >= first)?, entry(*alias)?);
            (from != to).then_some((from, to))
        };
        order::constrained(&order, aliases.iter().filter_map(pair).collect())
    }
}

/// Returns the entries of a block mapping as whole lines.
fn block_slots(source: Source<'_>, mapping: Id, entries: &[Entry]) -> Vec<Slot> {
    let (text, column) = (source.text, source.column(mapping));
    let mut slots: Vec<Slot> = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let mut start = entry.top();
        if let Some(before) = slots.last() {
            let from = before.own.range().end;
            let gap = &text[from..start];
            start = from + gap.len() - gap.trim_start().len();
        } else if let Some(doc) = entry.doc.filter(|doc| is_header(text, *doc)) {
            start = doc.range().end + text[doc.range().end..entry.span.range().start].len();
        }
        let next = entries.get(index + 1).map_or(text.len(), Entry::top);
        let end = end_of_entry(text, entry.span.range().end, next, column);
        slots.push(Slot { own: Span::new(start, end), separator: Span::at(end), tail: Span::at(end) });
    }
    slots
}

/// Returns whether a comment is about the file rather than its first key.
fn is_header(text: &str, comment: Span) -> bool {
    let words = comment.of(text).to_lowercase();
    text[..comment.range().start].trim_start_matches('\u{feff}').is_empty()
        && HEADERS.iter().any(|header| words.contains(header))
}

/// Returns the end of an entry with the comment on its last line, and comments below that are indented more than its
/// key.
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
