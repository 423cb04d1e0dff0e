//! Edits of `use` items: removes leaves, and changes the paths of leaves.

use std::collections::{BTreeMap, BTreeSet};

use marquetry_code::{CodeDocument, NodeIndex};
use marquetry_sdk::{
    Edit, Result, Span,
    items::{EmptyStyle, Items, NESTED_C_STYLE},
    lines,
};

use crate::{
    kinds::{K, child, has_kind},
    links::delete_statements,
    paths::{Path, Segment},
};

/// A leaf of a `use` tree whose first segments change.
#[derive(Debug, Clone)]
pub(crate) struct Changed<'p> {
    pub(crate) path: &'p Path,
    /// The number of leading segments that are replaced.
    pub(crate) count: usize,
    /// The segments that replace them.
    pub(crate) start: Vec<String>,
}

impl Changed<'_> {
    /// The number of leading segments that remain the same.
    fn kept(&self) -> usize {
        let old = self.path.segments[..self.count].iter().map(|segment| segment.name.as_str());
        old.zip(&self.start).take_while(|(old, new)| old == new).count()
    }

    /// The segments that change. If only segments are added, the segment before them.
    fn touched(&self) -> &[Segment] {
        let kept = self.kept();
        &self.path.segments[if kept == self.count { kept.saturating_sub(1) } else { kept }..self.count]
    }

    /// The edit of the segments at their position. `None` if braces of the tree separate these segments.
    fn edit(&self, text: &str) -> Option<Edit> {
        let (kept, segments) = (self.kept(), &self.path.segments);
        let rest = self.start[kept..].join("::");
        if kept == self.count {
            let end = segments[kept.checked_sub(1)?].span.end;
            return Some(Edit::insert(end as usize, format!("::{rest}")));
        }
        let is_next = |pair: &[Segment]| text.get(pair[0].span.range().end..pair[1].span.range().start) == Some("::");
        if !segments[kept..self.count].windows(2).all(is_next) {
            return None;
        }
        let own = Span { start: segments[kept].span.start, end: segments[self.count - 1].span.end };
        if !rest.is_empty() {
            return Some(Edit::new(own, rest));
        }
        let next = segments.get(self.count)?.span.start;
        let between = Span { start: own.end, end: next.max(own.end) }.slice(text);
        (between.trim() == "::").then(|| Edit::remove(Span { start: own.start, end: next }))
    }

    /// The code of the whole leaf in another `use` item.
    fn written(&self) -> String {
        let rest = self.path.segments[self.count..].iter().map(|segment| segment.name.clone());
        let mut path = self.start.iter().cloned().chain(rest).collect::<Vec<_>>().join("::");
        if self.path.is_glob {
            path += "::*";
        }
        match (&self.path.alias, self.changed_name()) {
            (Some(alias), _) => format!("{path} as {}", alias.name),
            (None, Some(old)) => format!("{path} as {old}"),
            (None, None) => path,
        }
    }

    /// The name that the leaf binds, if its new path would bind another name.
    fn changed_name(&self) -> Option<&str> {
        let is_last = self.count == self.path.segments.len() && !self.path.is_glob && self.path.alias.is_none();
        let (old, new) = (self.path.segments.last()?, self.start.last()?);
        (is_last && old.name != *new).then_some(old.name.as_str())
    }
}

/// The edits that change leaves of one `use` item. The leaves are edited in place if the other leaves allow it, or else
/// moved to new items.
///
/// # Errors
///
/// Fails if a leaf cannot be removed from its tree.
pub(crate) fn change(
    document: &CodeDocument,
    import: NodeIndex,
    all: &[&Path],
    changed: &[Changed<'_>],
) -> Result<Vec<Edit>> {
    let text = document.text_str();
    let same = |one: &Changed<'_>, other: &Path| {
        changed.iter().any(|own| own.path.node == other.node && own.count == one.count && own.start == one.start)
    };
    let shares = |one: &Changed<'_>, other: &Path| {
        one.touched().iter().any(|segment| other.segments.iter().any(|theirs| theirs.span == segment.span))
    };
    let stays_in_place = |one: &&Changed<'_>| {
        all.iter().all(|other| !shares(one, other) || same(one, other)) && one.edit(text).is_some()
    };
    let (in_place, apart): (Vec<&Changed<'_>>, Vec<&Changed<'_>>) = changed.iter().partition(stays_in_place);
    let mut edits: Vec<Edit> = in_place.iter().filter_map(|one| one.edit(text)).collect();
    for one in &in_place {
        if let Some(old) = one.changed_name() {
            let end = document.arena().node(one.path.node).span.end;
            edits.push(Edit::insert(end as usize, format!(" as {old}")));
        }
    }
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    edits.dedup();
    if apart.is_empty() {
        return Ok(edits);
    }
    let arena = document.arena();
    let own = arena.node(import).span;
    let tree = child(arena, import, K::USE_TREE).map_or(own, |tree| arena.node(tree).span);
    let head = Span { start: own.start, end: tree.start }.slice(&arena.text);
    let indent = lines::indent_at(&arena.text, own.range().start);
    let items: Vec<String> = apart.iter().map(|one| format!("{head}{};", one.written())).collect();
    if apart.len() == all.len() {
        return Ok(vec![Edit::new(own, items.join(&format!("\n{indent}")))]);
    }
    edits.extend(remove(document, apart.iter().map(|one| one.path.node).collect())?);
    let added: String = items.iter().map(|item| format!("\n{indent}{item}")).collect();
    edits.push(Edit::insert(own.range().end, added));
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    Ok(edits)
}

/// The edits that remove leaves of `use` trees. A tree or item that loses all of its leaves is removed.
///
/// # Errors
///
/// Fails if a block cannot be edited.
pub(crate) fn remove(document: &CodeDocument, leaves: Vec<NodeIndex>) -> Result<Vec<Edit>> {
    let arena = document.arena();
    let mut removed: BTreeSet<NodeIndex> = leaves.into_iter().collect();
    let (mut items, mut lists) = (Vec::new(), BTreeMap::<NodeIndex, Vec<usize>>::new());
    while let Some(tree) = removed.pop_last() {
        let around = arena.node(tree).parent;
        if has_kind(arena, around, K::USE) {
            items.push(around);
            continue;
        }
        let trees: Vec<NodeIndex> = arena.children(around).filter(|node| has_kind(arena, *node, K::USE_TREE)).collect();
        let gone = |node: &NodeIndex| *node == tree || removed.contains(node);
        if trees.iter().all(gone) {
            removed.retain(|node| !trees.contains(node));
            removed.insert(arena.node(around).parent);
            continue;
        }
        let index = trees.iter().position(|node| *node == tree);
        lists.entry(around).or_default().extend(index);
    }
    let mut edits = delete_statements(document, items)?;
    for (list, mut indices) in lists {
        indices.sort_unstable();
        edits.extend(use_items(document, list).delete(&indices));
    }
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    Ok(edits)
}

fn use_items(document: &CodeDocument, list: NodeIndex) -> Items<'_> {
    let arena = document.arena();
    let own = arena.node(list).span;
    let trees = arena.children(list).filter(|node| has_kind(arena, *node, K::USE_TREE));
    Items {
        text: document.text_str(),
        inner: Span { start: own.start + 1, end: own.end.saturating_sub(1).max(own.start + 1) },
        items: trees.map(|tree| arena.node(tree).span).collect(),
        separator: ",",
        terminated: false,
        comments: NESTED_C_STYLE,
        unit: document.unit(),
        empty: EmptyStyle::Tight,
        breaks: 1,
    }
}
