//! Checks that aliases refer to the same anchors after an edit.
//!
//! An alias refers to the last anchor of its name before it. If a name is defined twice, an edit of one definition
//! changes the values of aliases elsewhere without a syntax error.

use std::collections::HashMap;

use marquetry_jsonpath::locations;
use marquetry_sdk::{Edit, Failure, FailureKind, Result, fail, nearest, span::apply};

use crate::{
    parse,
    source::Source,
    table::{Id, Kind},
};

/// Checks the aliases of the text after the edits.
pub(crate) fn verify_aliases(source: Source<'_>, edits: &[Edit]) -> Result<()> {
    let has_alias = source.text.contains('*') || edits.iter().any(|edit| edit.text.contains('*'));
    if edits.is_empty() || !has_alias {
        return Ok(());
    }
    let text = apply(source.text, edits);
    let (table, _) = parse::parse(&text);
    let after = Source { text: &text, table: &table };
    let written = written_ranges(edits);
    let now: HashMap<usize, Id> = aliases(after).map(|alias| (after.table.range(alias).start, alias)).collect();
    for (start, alias) in &now {
        let next = written.partition_point(|range| range.end <= *start);
        let is_new = written.get(next).is_some_and(|range| range.contains(start));
        if is_new && target(after, *alias).is_none() {
            return Err(unknown_anchor_error(source, after, *alias));
        }
    }
    for alias in aliases(source) {
        let (start, Some(old)) = (source.table.range(alias).start, target(source, alias)) else { continue };
        let new = now.get(&moved(edits, &written, start)).filter(|_| edit_at(edits, start).is_none());
        let Some(new) = new.and_then(|new| target(after, *new)) else { continue };
        let (old, new) = (anchor_start(source, old), anchor_start(after, new));
        let is_same = match edit_at(edits, old) {
            Some(index) => written[index].contains(&new),
            None => moved(edits, &written, old) == new,
        };
        if !is_same {
            return Err(other_anchor_error(source, alias));
        }
    }
    Ok(())
}

fn aliases(source: Source<'_>) -> impl Iterator<Item = Id> {
    (0..source.table.len()).filter(move |id| source.kind_of(*id) == Kind::Alias)
}

/// Returns the node that an alias refers to; `None` if the file has no such anchor before the alias.
fn target(source: Source<'_>, alias: Id) -> Option<Id> {
    Some(source.table.extra(alias)).filter(|target| *target < alias)
}

fn anchor_start(source: Source<'_>, node: Id) -> usize {
    source.table.properties(node).anchor.0 as usize
}

/// Returns the index of the edit that replaces the text at an offset.
fn edit_at(edits: &[Edit], offset: usize) -> Option<usize> {
    let next = edits.partition_point(|edit| edit.span.range().end <= offset);
    edits.get(next).filter(|edit| edit.span.range().start <= offset).map(|_| next)
}

/// Returns the offset after the edits of text that they do not replace.
fn moved(edits: &[Edit], written: &[std::ops::Range<usize>], offset: usize) -> usize {
    let before = edits.partition_point(|edit| edit.span.range().end <= offset);
    match before.checked_sub(1) {
        Some(last) => written[last].end + offset - edits[last].span.range().end,
        None => offset,
    }
}

/// Returns the ranges of the new texts of the edits, which are sorted.
fn written_ranges(edits: &[Edit]) -> Vec<std::ops::Range<usize>> {
    let mut growth = 0_i64;
    let range = |edit: &Edit| {
        let start = usize::try_from(i64::from(edit.span.start) + growth).unwrap_or_default();
        growth += edit.text.len() as i64 - edit.span.len() as i64;
        start..start + edit.text.len()
    };
    edits.iter().map(range).collect()
}

fn other_anchor_error(source: Source<'_>, alias: Id) -> Failure {
    let address = locations(&source, source.root_id(), &[alias]).pop().map_or_else(String::new, |place| place.address);
    let name = source.raw(alias).trim_start_matches('*');
    fail(
        FailureKind::InvalidArgument,
        format!("`*{name}` at `{address}` would get another value, because the file has several anchors `&{name}`"),
    )
    .hint("rename one of the anchors with `rename_symbol` first, or replace the alias by its value; `force` overrides")
    .candidates([address])
    .at(source.span(alias))
}

fn unknown_anchor_error(source: Source<'_>, after: Source<'_>, alias: Id) -> Failure {
    let name = after.raw(alias).trim_start_matches('*');
    let names = (0..source.table.len())
        .filter(|id| source.is_node(*id) && source.table.properties(*id).has_anchor())
        .map(|id| &source.text[anchor_start(source, id) + 1..source.table.properties(id).anchor.1 as usize]);
    let known: Vec<&str> = names.collect();
    let (what, hint) = if known.contains(&name) {
        (
            format!("the anchor `&{name}` is not above the alias `*{name}` of the content"),
            "insert the content below the anchor, or give the value itself".to_owned(),
        )
    } else {
        (
            format!("the content refers to the anchor `&{name}`, which the file does not have"),
            format!("add `&{name}` to a value above it, give the value itself, or quote the text: `\"*{name}\"`"),
        )
    };
    let candidates = nearest(name, known).into_iter().filter(|known| known != name).map(|known| format!("*{known}"));
    fail(FailureKind::InvalidArgument, what).hint(hint).candidates(candidates)
}
