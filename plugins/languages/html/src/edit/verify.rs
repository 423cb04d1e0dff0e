//! Last check of an edit: the new elements are in the asked element, and other elements and texts keep their parents.
//!
//! End tags such as `</li>` and `</p>` may be omitted. Then the next tag decides where the element ends, so inserted or
//! deleted tags can move the text around them into another element.

use std::collections::{HashMap, HashSet};

use marquetry_sdk::{Edit, Failure, FailureKind, Operation, Result, fail, span::apply};

use crate::location::{self, Item};
use crate::syntax::{self, Id, Namespace, Tree};

/// Path of a document that is parsed as HTML.
const PATH: &str = "page.html";
/// Name of the element whose parent shows where text belongs.
const PROBE: &str = "x-text-probe";

/// Returns the edits if they are right. Otherwise, adds end tags that are omitted before them, or fails.
pub(super) fn verify_edits(tree: &Tree, items: &[Item], operation: &Operation, edits: Vec<Edit>) -> Result<Vec<Edit>> {
    let elements: Vec<Id> = items
        .iter()
        .filter_map(|item| match item {
            Item::Element(id) => Some(*id),
            Item::Attribute(_) | Item::Doctype(_) => None,
        })
        .collect();
    if tree.xml || edits.is_empty() || elements.is_empty() {
        return Ok(edits);
    }
    let container = |id: &Id| match operation {
        Operation::InsertInto(_) | Operation::ReplaceBody(_) => Some(*id),
        _ => written_parent(tree, *id),
    };
    let check = Check {
        tree,
        wrapped: if matches!(operation, Operation::Wrap(_)) { elements.clone() } else { Vec::new() },
        containers: elements.iter().map(container).collect(),
    };
    if check.is_kept(&edits) {
        return Ok(edits);
    }
    let closed = check.with_end_tags(&edits);
    if check.is_kept(&closed) { Ok(closed) } else { Err(moved_error()) }
}

fn moved_error() -> Failure {
    fail(
        FailureKind::InvalidArgument,
        "the new content would be parsed into another element, or elements around it would change their parents",
    )
    .hint("close every element of the content, and use only elements that are allowed here; `force` overrides")
}

/// Returns the nearest element around this one that has a tag.
fn written_parent(tree: &Tree, id: Id) -> Option<Id> {
    tree.self_and_ancestors(id).skip(1).find(|above| !tree.element(*above).implied)
}

fn start(tree: &Tree, id: Id) -> u32 {
    tree.element(id).start_tag.start
}

/// Returns the elements that have a tag, the first one for each tag. Misnested tags make several elements.
fn written_elements(tree: &Tree) -> impl Iterator<Item = Id> {
    let mut seen = HashSet::new();
    (0..tree.element_count()).filter(move |id| !tree.element(*id).implied && seen.insert(start(tree, *id)))
}

struct Check<'t> {
    tree: &'t Tree,
    /// Targets that get another parent.
    wrapped: Vec<Id>,
    /// The element for the new content of each target. `None` stands for the top level.
    containers: Vec<Option<Id>>,
}

impl Check<'_> {
    fn is_kept(&self, edits: &[Edit]) -> bool {
        let after = syntax::parse(PATH, apply(&self.tree.text, edits));
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

    fn new_elements_are_in_containers(&self, after: &Tree, shift: &Shift<'_>) -> bool {
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
        shift.edits.iter().zip(&shift.written).all(|(edit, written)| {
            let own = first_text(&edit.text).and_then(|at| text_parent(&after.text, written.start as usize + at));
            let is_own_kept = own.is_none_or(|parent| self.is_container(parent, shift));
            let end = edit.span.range().end;
            let rest = first_text(&self.tree.text[end..]);
            is_own_kept
                && rest.is_none_or(|at| {
                    let old = text_parent(&self.tree.text, end + at);
                    let new = text_parent(&after.text, shift.moved((end + at) as u32) as usize);
                    match (old, new) {
                        (Some(Some(old)), Some(new)) => shift.is_removed(old) || new == Some(shift.moved(old)),
                        (Some(None), Some(new)) => new.is_none(),
                        _ => true,
                    }
                })
        })
    }

    /// Adds the end tags that are omitted directly before the edits.
    fn with_end_tags(&self, edits: &[Edit]) -> Vec<Edit> {
        let tree = self.tree;
        let mut closed: HashSet<Id> = HashSet::new();
        let mut all: Vec<Edit> = edits.to_vec();
        for edit in edits.iter().filter(|edit| !edit.span.is_empty() || !edit.text.trim().is_empty()) {
            for container in &self.containers {
                let is_before = |id: &Id| {
                    let element = tree.element(*id);
                    written_parent(tree, *id) == *container && element.end_tag.end <= edit.span.start
                };
                let Some(last) = written_elements(tree).filter(is_before).last() else { continue };
                let element = tree.element(last);
                let is_omitted = element.end_tag.is_empty()
                    && element.namespace == Namespace::HTML
                    && location::can_have_content(tree, last);
                if is_omitted && closed.insert(last) {
                    let end_tag = format!("</{}>", location::tag_name(tree, last).slice(&tree.text));
                    add_before(&mut all, element.end_tag.range().end, &end_tag);
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

/// Returns the start of the element that contains the text at an offset. The inner value is `None` at the top level, the
/// outer one if no element can be at the offset, as in a script.
fn text_parent(markup: &str, at: usize) -> Option<Option<u32>> {
    let (before, behind) = markup.split_at(at);
    let tree = syntax::parse(PATH, format!("{before}<{PROBE}></{PROBE}>{behind}"));
    let probe = written_elements(&tree).find(|id| start(&tree, *id) as usize == at && tree.name(*id) == PROBE)?;
    Some(written_parent(&tree, probe).map(|parent| start(&tree, parent)))
}

/// Maps offsets of the text before the edits to offsets after them.
struct Shift<'e> {
    edits: &'e [Edit],
    /// The ranges of the new texts.
    written: Vec<std::ops::Range<u32>>,
}

impl<'e> Shift<'e> {
    fn new(edits: &'e [Edit]) -> Shift<'e> {
        let mut growth = 0_i64;
        let written = edits.iter().map(|edit| {
            let start = u32::try_from(i64::from(edit.span.start) + growth).unwrap_or_default();
            growth += edit.text.len() as i64 - i64::from(edit.span.end - edit.span.start);
            start..start + edit.text.len() as u32
        });
        Shift { edits, written: written.collect() }
    }

    fn is_removed(&self, offset: u32) -> bool {
        self.edits.iter().any(|edit| (edit.span.start..edit.span.end).contains(&offset))
    }

    fn is_written(&self, offset: u32) -> bool {
        self.written.iter().any(|range| range.contains(&offset))
    }

    fn moved(&self, offset: u32) -> u32 {
        let before = self.edits.partition_point(|edit| edit.span.end <= offset);
        match before.checked_sub(1) {
            Some(last) => self.written[last].end + (offset - self.edits[last].span.end),
            None => offset,
        }
    }
}
