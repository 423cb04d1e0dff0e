//! How a target names an item: as a whole, or by one selector of a list, such as `.a` of `.a, .b { … }`.
//!
//! A node that was found by one of several selectors shows the whole rule. An operation on it changes only that
//! selector, or is refused.

use std::ops::Range;

use marquetry_sdk::NodeId;

use crate::{
    keys::Keys,
    resolve::{self, Resolver},
    target::{Step, What},
    tree::{Item, Kind, NONE, Tree},
};

/// First id of items that several selectors share.
const SHARED: NodeId = 0x9000_0000;
/// First id of single selectors of a list; the rest of the id is the start offset.
const ONE: NodeId = 0xA000_0000;

/// The item or selector that a target names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    /// A whole item.
    Whole(u32),
    /// One selector in the list of this rule, starting at the offset.
    One { rule: u32, start: u32 },
    /// An item named by one of several selectors, where the selector has no text that could be edited separately:
    /// `.a@color` in `.a, .b { color: red }`.
    Shared(u32),
}

impl Named {
    /// How the steps name the item that they resolve to.
    pub(crate) fn by_steps(tree: &Tree, index: u32, steps: &[Step]) -> Named {
        let mut keys = Keys::default();
        let Some((last, around)) = steps.split_last() else { return Named::Whole(index) };
        let mut outer = index;
        for step in around.iter().rev() {
            outer = tree.item(outer).parent;
            if outer == NONE {
                break;
            }
            if by_step(tree, &mut keys, outer, step) != Named::Whole(outer) {
                return Named::Shared(index);
            }
        }
        by_step(tree, &mut keys, index, last)
    }

    /// Item or selector with this node id; `None` if there is no such item or selector.
    pub(crate) fn of_id(tree: &Tree, id: NodeId) -> Option<Named> {
        let count = tree.items.len() as u32;
        if id < count {
            return Some(Named::Whole(id));
        }
        if let Some(start) = id.checked_sub(ONE) {
            let rule = tree.items.partition_point(|item| item.start <= start).checked_sub(1)? as u32;
            let is_there = selectors(tree, tree.item(rule)).iter().any(|range| range.start == start as usize);
            return is_there.then_some(Named::One { rule, start });
        }
        id.checked_sub(SHARED).filter(|index| *index < count).map(Named::Shared)
    }

    pub(crate) fn id(self) -> NodeId {
        match self {
            Named::Whole(index) => index,
            Named::Shared(index) => SHARED + index,
            Named::One { start, .. } => ONE + start,
        }
    }

    /// The named item, or the rule of the selector.
    pub(crate) fn item(self) -> u32 {
        match self {
            Named::Whole(index) | Named::Shared(index) | Named::One { rule: index, .. } => index,
        }
    }
}

/// Ranges of the selectors of a rule, without surrounding comments.
pub(crate) fn selectors(tree: &Tree, item: &Item) -> Vec<Range<usize>> {
    match item.kind {
        Kind::Rule | Kind::Keyframe => {
            let start = item.start as usize;
            let ranges = resolve::ranges(tree.head(item), tree.dialect).into_iter();
            ranges.map(|range| start + range.start..start + range.end).collect()
        }
        _ => Vec::new(),
    }
}

fn by_step(tree: &Tree, keys: &mut Keys, index: u32, step: &Step) -> Named {
    match step.what {
        What::Key(key) => by_key(tree, keys, index, key),
        What::Statement(_) => Named::Whole(index),
    }
}

fn by_key(tree: &Tree, keys: &mut Keys, index: u32, key: u64) -> Named {
    let item = tree.item(index);
    let ranges = selectors(tree, item);
    let one = |place: usize| match ranges.get(place) {
        Some(range) if ranges.iter().all(|range| !range.is_empty()) => {
            Named::One { rule: index, start: range.start as u32 }
        }
        _ => Named::Shared(index),
    };
    if ranges.len() < 2 {
        if keys.own(tree, index).contains(&key) {
            return Named::Whole(index);
        }
    } else {
        if keys.of_list(tree, item).contains(&key) {
            return Named::Whole(index);
        }
        if let Some(place) = keys.place_in_list(tree, item, key) {
            return one(place);
        }
    }
    // By the resolved selectors of a nested rule: each of its selectors combined with each of the enclosing ones.
    let resolved = resolved(tree, index);
    let place = resolved.iter().position(|selector| keys.of_selector(selector, tree.dialect) == key);
    match place {
        Some(place) if resolved.len() > 1 && resolved.len() == ranges.len() => one(place),
        Some(_) if resolved.len() > 1 => Named::Shared(index),
        _ => Named::Whole(index),
    }
}

/// Resolved selectors of a nested rule.
fn resolved(tree: &Tree, index: u32) -> Vec<String> {
    let mut chain = vec![index];
    while let Some(parent) = chain.last().map(|last| tree.item(*last).parent).filter(|parent| *parent != NONE) {
        chain.push(parent);
    }
    let mut resolver = Resolver::default();
    let mut list = Vec::new();
    for index in chain.into_iter().rev() {
        list = resolver.enter(tree, index).map(<[String]>::to_vec).unwrap_or_default();
    }
    list
}
