//! Last check of an edit: the new elements are in the requested element, and other elements and texts keep their
//! parents.
//!
//! End tags such as `</li>` and `</p>` may be omitted. Then the next tag decides where the element ends, so inserted or
//! deleted tags can move the text around them into another element.

use std::collections::{HashMap, HashSet};

use marquetry_sdk::{Edit, Failure, FailureKind, Operation, Result, fail, span::apply};

use super::{component_check, content};
use crate::location::{self, Item};
use crate::syntax::{self, Dialect, Id, Name, Namespace, Tree};
use crate::text::is_raw_text;

/// Name of the element whose parent shows where text belongs.
const PROBE: &str = "x-text-probe";

/// Returns the edits if they pass the check. Otherwise, adds end tags that are omitted before them, or fails.
pub(super) fn verify_edits(tree: &Tree, items: &[Item], operation: &Operation, edits: Vec<Edit>) -> Result<Vec<Edit>> {
    let elements: Vec<Id> = items
        .iter()
        .filter_map(|item| match item {
            Item::Element(id) => Some(*id),
            Item::Attribute(_) | Item::Doctype(_) => None,
        })
        .collect();
    if tree.dialect.is_component() {
        component_check::check_edits(tree, &edits)?;
    }
    // Positions within tags are not checked.
    if tree.dialect.is_xml() || edits.is_empty() || elements.len() < items.len() {
        return Ok(edits);
    }
    let container = |id: &Id| match operation {
        Operation::InsertInto(_) | Operation::ReplaceBody(_) => Some(*id),
        _ => written_parent(tree, *id),
    };
    let check = Check {
        tree,
        containers: elements.iter().map(container).collect(),
        wrapped: if matches!(operation, Operation::Wrap(_)) { elements.into_iter().collect() } else { HashSet::new() },
    };
    if check.is_kept(&edits) {
        return Ok(edits);
    }
    // The end tag of an element also ends most elements in it.
    let mut closed = [false, true].into_iter().map(|nested| check.with_end_tags(&edits, nested));
    closed.find(|closed| check.is_kept(closed)).ok_or_else(moved_error)
}

fn moved_error() -> Failure {
    fail(
        FailureKind::InvalidArgument,
        "the new content would be parsed into another element, or elements around it would change their parents",
    )
    .hint("close every element of the content, and use only elements that are allowed here; `force` overrides")
}

/// Returns the nearest element around this one that has a tag.
pub(super) fn written_parent(tree: &Tree, id: Id) -> Option<Id> {
    tree.self_and_ancestors(id).skip(1).find(|above| !tree.element(*above).implied)
}

fn start(tree: &Tree, id: Id) -> u32 {
    tree.element(id).start_tag.start
}

/// Returns the elements that have a tag, the first one for each tag. Misnested tags make several elements.
pub(super) fn written_elements(tree: &Tree) -> impl Iterator<Item = Id> {
    let mut seen = HashSet::new();
    (0..tree.element_count()).filter(move |id| !tree.element(*id).implied && seen.insert(start(tree, *id)))
}

struct Check<'t> {
    tree: &'t Tree,
    /// Targets that get another parent.
    wrapped: HashSet<Id>,
    /// The elements for the new content of the targets. `None` stands for the top level.
    containers: HashSet<Option<Id>>,
}

impl Check<'_> {
    fn is_kept(&self, edits: &[Edit]) -> bool {
        let after = syntax::parse(self.tree.dialect, apply(&self.tree.text, edits));
        let shift = Shift::new(edits);
        self.old_elements_are_kept(&after, &shift)
            && self.new_elements_are_in_containers(&after, &shift)
            && self.texts_are_kept(&after, &shift)
    }

    fn old_elements_are_kept(&self, after: &Tree, shift: &Shift<'_>) -> bool {
        let tree = self.tree;
        let now: HashMap<u32, Id> = written_elements(after).map(|id| (start(after, id), id)).collect();
        written_elements(tree).filter(|id| !shift.is_removed(start(tree, *id))).all(|id| {
            let Some(new) = now.get(&shift.moved(start(tree, id))) else { return false };
            let parent = written_parent(tree, id).map(|parent| start(tree, parent));
            let new_parent = written_parent(after, *new).map(|parent| start(after, parent));
            let is_same = match parent {
                Some(parent) if shift.is_removed(parent) => true,
                parent => parent.map(|parent| shift.moved(parent)) == new_parent,
            };
            tree.name(id) == after.name(*new) && (is_same || self.wrapped.contains(&id))
        })
    }

    /// Checks the new elements. The parser ignores tags that are not allowed at their position.
    fn new_elements_are_in_containers(&self, after: &Tree, shift: &Shift<'_>) -> bool {
        let known: HashSet<u32> = written_elements(after).map(|id| start(after, id)).collect();
        let is_raw = |id: Id| {
            let name = self.tree.element(id).name;
            is_raw_text(name) || matches!(name, Name::TITLE | Name::TEXTAREA)
        };
        let mut written = shift.edits.iter().zip(&shift.written);
        let are_known = |(edit, range): (&Edit, &std::ops::Range<u32>)| {
            content::start_tags(&edit.text, self.tree.dialect)
                .into_iter()
                .all(|at| known.contains(&(range.start + at as u32)))
        };
        if !self.containers.iter().flatten().any(|id| is_raw(*id)) && !written.all(are_known) {
            return false;
        }
        written_elements(after).filter(|id| shift.is_written(start(after, *id))).all(|id| {
            let parent = written_parent(after, id).map(|parent| start(after, parent));
            parent.is_some_and(|parent| shift.is_written(parent)) || self.is_container(parent, shift)
        })
    }

    /// Returns whether the element that starts at an offset after the edits is one for the new content.
    fn is_container(&self, parent: Option<u32>, shift: &Shift<'_>) -> bool {
        let moved = |id: Option<Id>| id.map(|id| shift.moved(start(self.tree, id)));
        self.containers.iter().any(|container| moved(*container) == parent)
    }

    /// Checks the text at the start of each edit's new text, and the text after the edit.
    fn texts_are_kept(&self, after: &Tree, shift: &Shift<'_>) -> bool {
        let tree = self.tree;
        let written = shift.edits.iter().zip(&shift.written);
        let own: Vec<usize> =
            written.filter_map(|(edit, written)| Some(written.start as usize + first_text(&edit.text)?)).collect();
        let ends = shift.edits.iter().map(|edit| edit.span.range().end);
        let rest: Vec<usize> = ends.filter_map(|end| Some(end + first_text(&tree.text[end..])?)).collect();
        // Text that another edit replaces is not compared.
        let rest: Vec<usize> = rest.into_iter().filter(|at| !shift.is_removed(*at as u32)).collect();
        let moved: Vec<usize> = rest.iter().map(|at| shift.moved(*at as u32) as usize).collect();
        let own_parents = text_parents(tree.dialect, &after.text, &own);
        let old = text_parents(tree.dialect, &tree.text, &rest);
        let new = text_parents(tree.dialect, &after.text, &moved);
        let is_same = |(old, new): (TextParent, TextParent)| match (old, new) {
            (Some(Some(old)), Some(new)) => shift.is_removed(old) || new == Some(shift.moved(old)),
            (Some(None), Some(new)) => new.is_none(),
            _ => true,
        };
        own_parents.into_iter().flatten().all(|parent| self.is_container(parent, shift))
            && old.into_iter().zip(new).all(is_same)
    }

    /// Adds the end tags that are omitted directly before the edits. If `nested` is set, adds also those of the elements
    /// in the closed ones.
    fn with_end_tags(&self, edits: &[Edit], nested: bool) -> Vec<Edit> {
        let tree = self.tree;
        let mut children: HashMap<Option<Id>, Vec<Id>> = HashMap::new();
        for id in written_elements(tree) {
            let parent = written_parent(tree, id);
            if self.containers.contains(&parent) {
                children.entry(parent).or_default().push(id);
            }
        }
        let mut closed: HashSet<Id> = HashSet::new();
        let mut all: Vec<Edit> = edits.to_vec();
        for edit in edits.iter().filter(|edit| !edit.span.is_empty() || !edit.text.trim().is_empty()) {
            for siblings in children.values() {
                let next = siblings.partition_point(|id| tree.element(*id).end_tag.end <= edit.span.start);
                let Some(last) = next.checked_sub(1).map(|last| siblings[last]) else { continue };
                let is_omitted = |id: Id| {
                    let element = tree.element(id);
                    element.end_tag.is_empty()
                        && element.end_tag.end == tree.element(last).end_tag.end
                        && element.namespace == Namespace::HTML
                        && !element.implied
                        && location::can_have_content(tree, id)
                };
                if is_omitted(last) && closed.insert(last) {
                    let inner = if nested { tree.descendants(last) } else { 0..0 };
                    let ids = inner.rev().filter(|id| is_omitted(*id)).chain([last]);
                    let end_tags = ids.map(|id| format!("</{}>", location::tag_name(tree, id).slice(&tree.text)));
                    add_before(&mut all, tree.element(last).end_tag.range().end, &end_tags.collect::<String>());
                }
            }
        }
        all.sort_by_key(|edit| (edit.span.start, edit.span.end));
        all
    }
}

/// Adds a text at an offset, before the text that another edit writes there.
fn add_before(edits: &mut Vec<Edit>, at: usize, text: &str) {
    match edits.iter_mut().find(|edit| edit.span.range().start == at) {
        Some(edit) => edit.text.insert_str(0, text),
        None => edits.push(Edit::insert(at, text)),
    }
}

/// Returns the offset of the text at the start of some markup; `None` if it starts with a tag or comment.
fn first_text(markup: &str) -> Option<usize> {
    let at = markup.len() - markup.trim_ascii_start().len();
    markup[at..].starts_with(|c: char| c != '<').then_some(at)
}

/// The start of the element that contains a text. The inner value is `None` at the top level, the outer one if no element
/// can be there, as in a script.
type TextParent = Option<Option<u32>>;

/// Returns the elements that contain the texts at these offsets, which are sorted.
fn text_parents(dialect: Dialect, markup: &str, offsets: &[usize]) -> Vec<TextParent> {
    if offsets.is_empty() {
        return Vec::new();
    }
    let probe = format!("<{PROBE}></{PROBE}>");
    let mut probed = String::with_capacity(markup.len() + offsets.len() * probe.len());
    let mut from = 0;
    for at in offsets {
        probed += &markup[from..*at];
        probed += &probe;
        from = *at;
    }
    probed += &markup[from..];
    let tree = syntax::parse(dialect, probed);
    let starts: Vec<usize> = offsets.iter().enumerate().map(|(index, at)| at + index * probe.len()).collect();
    let without_probes = |offset: u32| {
        let count = starts.partition_point(|start| *start < offset as usize);
        offset - (count * probe.len()) as u32
    };
    let probes: HashMap<u32, Id> =
        written_elements(&tree).filter(|id| tree.name(*id) == PROBE).map(|id| (start(&tree, id), id)).collect();
    let parent = |at: &usize| {
        let id = probes.get(&(*at as u32))?;
        Some(written_parent(&tree, *id).map(|parent| without_probes(start(&tree, parent))))
    };
    starts.iter().map(parent).collect()
}

/// Maps offsets of the text before the edits to offsets after them.
pub(super) struct Shift<'e> {
    edits: &'e [Edit],
    /// The ranges of the new texts.
    written: Vec<std::ops::Range<u32>>,
}

impl<'e> Shift<'e> {
    pub(super) fn new(edits: &'e [Edit]) -> Shift<'e> {
        let mut growth = 0_i64;
        let written = edits.iter().map(|edit| {
            let start = u32::try_from(i64::from(edit.span.start) + growth).unwrap_or_default();
            growth += edit.text.len() as i64 - i64::from(edit.span.end - edit.span.start);
            start..start + edit.text.len() as u32
        });
        Shift { edits, written: written.collect() }
    }

    pub(super) fn is_removed(&self, offset: u32) -> bool {
        let next = self.edits.partition_point(|edit| edit.span.end <= offset);
        self.edits.get(next).is_some_and(|edit| edit.span.start <= offset)
    }

    pub(super) fn is_written(&self, offset: u32) -> bool {
        let next = self.written.partition_point(|range| range.end <= offset);
        self.written.get(next).is_some_and(|range| range.start <= offset)
    }

    pub(super) fn moved(&self, offset: u32) -> u32 {
        let before = self.edits.partition_point(|edit| edit.span.end <= offset);
        match before.checked_sub(1) {
            Some(last) => self.written[last].end + (offset - self.edits[last].span.end),
            None => offset,
        }
    }
}
