//! Evaluates a query, segment by segment.

use std::cell::{Cell, RefCell};

use crate::{
    ast::{Query, Segment, Selector, Slice},
    filter::Patterns,
    tree::{Kind, Tree},
};

/// Maximum number of nodes that one evaluation visits.
const MOST_STEPS: u64 = 10_000_000;
/// Maximum number of nodes that one segment selects.
const MOST_NODES: usize = 5_000_000;

/// Error: the query visits too many nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the query visits too many nodes")
    }
}

impl std::error::Error for TooLarge {}

impl Query {
    /// The nodes that the query selects, in the order of RFC 9535.
    ///
    /// # Errors
    ///
    /// Fails with [`TooLarge`] if the query visits too many nodes.
    pub fn select<T: Tree>(&self, tree: &T) -> Result<Vec<T::Node>, TooLarge> {
        self.select_prefix(tree, self.segments.len())
    }

    /// The nodes that the first segments select.
    pub(crate) fn select_prefix<T: Tree>(&self, tree: &T, length: usize) -> Result<Vec<T::Node>, TooLarge> {
        let run = Evaluation { tree, steps: Cell::new(0), patterns: RefCell::default() };
        let nodes = run.select_segments(tree.root(), self.prefix(length));
        if run.is_exhausted() { Err(TooLarge) } else { Ok(nodes) }
    }
}

/// One evaluation. When its budget is exhausted, all methods return early with wrong results, which the caller
/// discards.
pub(crate) struct Evaluation<'t, T: Tree> {
    pub(crate) tree: &'t T,
    steps: Cell<u64>,
    pub(crate) patterns: RefCell<Patterns>,
}

impl<T: Tree> Evaluation<'_, T> {
    pub(crate) fn count_steps(&self, steps: usize) {
        self.steps.set(self.steps.get() + steps as u64);
    }

    pub(crate) fn is_exhausted(&self) -> bool {
        self.steps.get() > MOST_STEPS
    }

    /// The nodes that the segments select, starting at a node.
    pub(crate) fn select_segments(&self, from: T::Node, segments: &[Segment]) -> Vec<T::Node> {
        let mut nodes = vec![from];
        for segment in segments {
            let mut next = Vec::new();
            for node in nodes {
                self.select_segment(node, segment, &mut next);
                if next.len() > MOST_NODES {
                    self.count_steps(MOST_STEPS as usize + 1);
                }
                if self.is_exhausted() {
                    return Vec::new();
                }
            }
            nodes = next;
        }
        nodes
    }

    fn select_segment(&self, node: T::Node, segment: &Segment, out: &mut Vec<T::Node>) {
        if !segment.descendant {
            self.count_steps(1);
            return segment.selectors.iter().for_each(|selector| self.select_children(node, selector, out));
        }
        self.tree.descend(node, &mut |node| {
            self.count_steps(1);
            if matches!(self.tree.kind(node), Kind::Object | Kind::Array) {
                segment.selectors.iter().for_each(|selector| self.select_children(node, selector, out));
            }
            out.len() <= MOST_NODES && !self.is_exhausted()
        });
    }

    fn select_children(&self, node: T::Node, selector: &Selector, out: &mut Vec<T::Node>) {
        match selector {
            Selector::Name(name) => out.extend(self.member(node, name)),
            Selector::Occurrence(name, number) => {
                if self.tree.kind(node) == Kind::Object {
                    out.extend(self.tree.occurrence(node, name, *number));
                }
            }
            Selector::Index(index) => out.extend(self.element(node, *index)),
            Selector::Wildcard => {
                let before = out.len();
                out.extend(self.tree.children(node));
                self.count_steps(out.len() - before);
            }
            Selector::Slice(slice) => self.select_slice(node, *slice, out),
            Selector::Filter(expression) => {
                for child in self.tree.children(node) {
                    self.count_steps(1);
                    if self.is_true(child, expression) {
                        out.push(child);
                    }
                    if self.is_exhausted() {
                        return;
                    }
                }
            }
        }
    }

    pub(crate) fn member(&self, node: T::Node, name: &str) -> Option<T::Node> {
        if self.tree.kind(node) == Kind::Object { self.tree.member(node, name) } else { None }
    }

    pub(crate) fn element(&self, node: T::Node, index: i64) -> Option<T::Node> {
        if self.tree.kind(node) != Kind::Array {
            return None;
        }
        let index = if index < 0 { index + self.tree.count(node) as i64 } else { index };
        self.tree.element(node, usize::try_from(index).ok()?)
    }

    fn select_slice(&self, node: T::Node, slice: Slice, out: &mut Vec<T::Node>) {
        if slice.step == 0 || self.tree.kind(node) != Kind::Array {
            return;
        }
        let count = self.tree.count(node) as i64;
        let from_end = |bound: i64| if bound < 0 { bound + count } else { bound };
        let first = from_end(slice.start.unwrap_or(if slice.step > 0 { 0 } else { count - 1 }));
        let (low, high) = if slice.step > 0 {
            (first.clamp(0, count), slice.end.map_or(count, from_end).clamp(0, count))
        } else {
            (slice.end.map_or(-1, from_end).clamp(-1, count - 1) + 1, first.clamp(-1, count - 1) + 1)
        };
        if low >= high {
            return;
        }
        let window = self.tree.children(node).skip(low as usize).take((high - low) as usize);
        let stride = usize::try_from(slice.step.unsigned_abs()).unwrap_or(usize::MAX);
        self.count_steps(high as usize);
        if slice.step > 0 {
            out.extend(window.step_by(stride));
        } else {
            let window: Vec<T::Node> = window.collect();
            out.extend(window.into_iter().rev().step_by(stride));
        }
    }
}
