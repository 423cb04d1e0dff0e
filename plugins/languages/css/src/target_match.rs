//! Matches of targets. A target matches a whole item, or one selector of a rule, such as `.a` of `.a, .b { … }`.
//!
//! If a target matches one of several selectors, its node still shows the whole rule. But an operation on the node
//! changes only this selector, or is refused.

use std::ops::Range;

use marquetry_sdk::NodeId;

use crate::{
    keys::Keys,
    nesting::{self, Resolver},
    target::{Step, StepKind},
    tree::{Item, Kind, NONE, Tree},
};

/// First node id of items that the target names by one of several selectors; see [`TargetMatch::Shared`].
const FIRST_SHARED_ID: NodeId = 0x9000_0000;
/// First node id of single selectors. The start offset of the selector is added to it.
const FIRST_SELECTOR_ID: NodeId = 0xA000_0000;

/// The item or selector that a target names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TargetMatch {
    /// A whole item.
    Whole(u32),
    /// The selector of this rule that starts at the offset.
    Selector { rule: u32, start: u32 },
    /// An item that belongs to several selectors although the target names only one of them, such as `.a@color` in `.a,
    /// .b { color: red }`. The item cannot be edited for one selector only.
    Shared(u32),
}

impl TargetMatch {
    /// Returns which part of the item the steps name. The steps must find this item.
    pub(crate) fn from_steps(tree: &Tree, index: u32, steps: &[Step]) -> TargetMatch {
        let mut keys = Keys::default();
        let Some((last, around)) = steps.split_last() else { return TargetMatch::Whole(index) };
        let mut outer = index;
        for step in around.iter().rev() {
            outer = tree.item(outer).parent;
            if outer == NONE {
                break;
            }
            if match_step(tree, &mut keys, outer, step) != TargetMatch::Whole(outer) {
                return TargetMatch::Shared(index);
            }
        }
        match_step(tree, &mut keys, index, last)
    }

    /// Returns the item or selector with this node id. `None` if neither exists.
    pub(crate) fn from_id(tree: &Tree, id: NodeId) -> Option<TargetMatch> {
        let count = tree.items.len() as u32;
        if id < count {
            return Some(TargetMatch::Whole(id));
        }
        if let Some(start) = id.checked_sub(FIRST_SELECTOR_ID) {
            let rule = tree.items.partition_point(|item| item.start <= start).checked_sub(1)? as u32;
            let is_there = selector_ranges(tree, tree.item(rule)).iter().any(|range| range.start == start as usize);
            return is_there.then_some(TargetMatch::Selector { rule, start });
        }
        id.checked_sub(FIRST_SHARED_ID).filter(|index| *index < count).map(TargetMatch::Shared)
    }

    pub(crate) fn id(self) -> NodeId {
        match self {
            TargetMatch::Whole(index) => index,
            TargetMatch::Shared(index) => FIRST_SHARED_ID + index,
            TargetMatch::Selector { start, .. } => FIRST_SELECTOR_ID + start,
        }
    }

    /// Returns the item, or the rule of the selector.
    pub(crate) fn item(self) -> u32 {
        match self {
            TargetMatch::Whole(index) | TargetMatch::Shared(index) | TargetMatch::Selector { rule: index, .. } => index,
        }
    }
}

/// Returns the ranges of the selectors of a rule, without comments around them.
pub(crate) fn selector_ranges(tree: &Tree, item: &Item) -> Vec<Range<usize>> {
    match item.kind {
        Kind::Rule | Kind::Keyframe => {
            let start = item.start as usize;
            let ranges = nesting::member_ranges(tree.head(item), tree.dialect).into_iter();
            ranges.map(|range| start + range.start..start + range.end).collect()
        }
        _ => Vec::new(),
    }
}

fn match_step(tree: &Tree, keys: &mut Keys, index: u32, step: &Step) -> TargetMatch {
    match step.kind {
        StepKind::Key(key) => match_key(tree, keys, index, key),
        StepKind::Statement(_) => TargetMatch::Whole(index),
    }
}

fn match_key(tree: &Tree, keys: &mut Keys, index: u32, key: u64) -> TargetMatch {
    let item = tree.item(index);
    let ranges = selector_ranges(tree, item);
    let one = |place: usize| match ranges.get(place) {
        Some(range) if ranges.iter().all(|range| !range.is_empty()) => {
            TargetMatch::Selector { rule: index, start: range.start as u32 }
        }
        _ => TargetMatch::Shared(index),
    };
    if ranges.len() < 2 {
        if keys.item_keys(tree, index).contains(&key) {
            return TargetMatch::Whole(index);
        }
    } else {
        if keys.list_keys(tree, item).contains(&key) {
            return TargetMatch::Whole(index);
        }
        if let Some(place) = keys.position_in_list(tree, item, key) {
            return one(place);
        }
    }
    // The key is that of a resolved selector of a nested rule: one of its selectors, combined with one of the enclosing
    // selectors.
    let resolved = resolved_selectors(tree, index);
    let place = resolved.iter().position(|selector| keys.selector_key(selector, tree.dialect) == key);
    match place {
        Some(place) if resolved.len() > 1 && resolved.len() == ranges.len() => one(place),
        Some(_) if resolved.len() > 1 => TargetMatch::Shared(index),
        _ => TargetMatch::Whole(index),
    }
}

/// Returns the resolved selectors of a nested rule.
fn resolved_selectors(tree: &Tree, index: u32) -> Vec<String> {
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
