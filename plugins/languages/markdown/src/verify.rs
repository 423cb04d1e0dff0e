//! Last check of an edit: blocks outside of the edit keep their kinds, ends and containers.
//!
//! The lines around a block decide how it is parsed. Without the block between them, two lists become one, indented
//! code becomes a paragraph of the list above it, and a line of `=` turns a paragraph into a heading.

use std::collections::{HashMap, HashSet};

use marquetry_sdk::{
    Edit, EditOptions, Failure, FailureKind, Insertion, NodeId, Operation, Result, Span, fail, span::apply,
};

use crate::blocks::{Detail, Kind, NONE};
use crate::delete::merge_edits;
use crate::document::MarkdownDocument;
use crate::insertion::trim_blank_lines;

/// Maximum number of targets for which a deletion tries to replace one of them by a comment.
const MAX_SEPARATED_TARGETS: usize = 16;

impl MarkdownDocument {
    /// Returns the edits of an operation. If blocks around the targets would be parsed differently, separates them by an
    /// empty comment.
    pub(crate) fn verified_edits(
        &self,
        nodes: &[(Span, NodeId)],
        operation: &Operation,
        options: EditOptions,
    ) -> Result<Vec<Edit>> {
        let edits = self.operation_edits(nodes, operation, options)?;
        if options.force {
            return Ok(edits);
        }
        let Some(wrong) = self.find_wrong(nodes, operation, &edits) else { return Ok(edits) };
        let separated = |operation: &Operation, edits: Vec<Edit>| {
            let is_sorted = edits.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start);
            (is_sorted && self.find_wrong(nodes, operation, &edits).is_none()).then_some(edits)
        };
        let with_content = self.separated_operations(nodes, operation);
        let mut alternatives = with_content
            .iter()
            .filter_map(|operation| Some((operation, self.operation_edits(nodes, operation, options).ok()?)));
        let found =
            alternatives.find_map(|(operation, edits)| separated(operation, edits)).or_else(|| match operation {
                Operation::Delete => self.separated_deletions(nodes).find_map(|edits| separated(operation, edits)),
                _ => None,
            });
        found.ok_or_else(|| self.wrong_error(wrong))
    }

    fn separator(&self) -> &'static str {
        if self.is_mdx { "{/* */}" } else { "<!-- -->" }
    }

    /// Returns whether the node is a part of a list or table. No comment can be put next to such a part.
    fn is_part(&self, id: NodeId) -> bool {
        matches!(self.block_kind(id), Some(Kind::Item | Kind::Row | Kind::Header))
    }

    /// Returns the operation with a separator above the content, below it, and on both sides.
    fn separated_operations(&self, nodes: &[(Span, NodeId)], operation: &Operation) -> Vec<Operation> {
        let is_list = |id: NodeId| matches!(self.block_kind(id), Some(Kind::List | Kind::Table | Kind::Code));
        let keeps_content = |(_, id): &(Span, NodeId)| {
            let into_list = matches!(operation, Operation::InsertInto(_)) && is_list(*id);
            !self.is_part(*id) && !into_list
        };
        if !nodes.iter().all(keeps_content) {
            return Vec::new();
        }
        let separator = self.separator();
        let texts = |content: &str| {
            let content = content.trim_matches(['\n', '\r']);
            [
                format!("{separator}\n\n{content}"),
                format!("{content}\n\n{separator}"),
                format!("{separator}\n\n{content}\n\n{separator}"),
            ]
        };
        let of = |content: &str, make: fn(String) -> Operation| texts(content).into_iter().map(make).collect();
        match operation {
            Operation::InsertBefore(content) => of(content, Operation::InsertBefore),
            Operation::InsertAfter(content) => of(content, Operation::InsertAfter),
            Operation::Replace(content) if !content.trim().is_empty() => of(content, Operation::Replace),
            Operation::InsertInto(Insertion { content, position }) => {
                let into = |content| Operation::InsertInto(Insertion { content, position: *position });
                texts(content).into_iter().map(into).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns deletions that leave a separator where one of the nodes was.
    fn separated_deletions(&self, nodes: &[(Span, NodeId)]) -> impl Iterator<Item = Vec<Edit>> {
        let count = if nodes.len() > MAX_SEPARATED_TARGETS { 0 } else { nodes.len() };
        (0..count).rev().filter(|index| !self.is_part(nodes[*index].1)).filter_map(move |index| {
            let (span, id) = nodes[index];
            let mut rest = nodes.to_vec();
            rest.remove(index);
            let mut edits = self.delete(&rest).ok()?;
            edits.push(Edit::new(self.outer_start(id, span)..span.range().end, self.separator()));
            Some(merge_edits(edits))
        })
    }

    fn wrong_error(&self, wrong: Wrong) -> Failure {
        let Wrong::Block(block) = wrong else {
            return fail(FailureKind::InvalidArgument, "the content would be parsed as other blocks at this position")
                .hint("replace it together with the block above, or put a heading or a paragraph between; `force` overrides");
        };
        let line = self.source(block).lines().next().unwrap_or_default();
        let start: String = line.chars().take(40).collect();
        let kind = self.block(block).kind.name();
        fail(FailureKind::InvalidArgument, format!("the edit would change how the {kind} `{start}` is parsed"))
            .hint(
                "close the fences, comments and tags that the content opens, put a heading or a paragraph between the \
                 blocks, or edit both together; `force` overrides",
            )
            .at(self.block(block).span)
    }

    /// Returns the first block that the edits change by mistake.
    fn find_wrong(&self, nodes: &[(Span, NodeId)], operation: &Operation, edits: &[Edit]) -> Option<Wrong> {
        if edits.is_empty() || !self.tree().problems.is_empty() {
            return None;
        }
        let after = self.with_text(apply(&self.text, edits));
        // The host reports the errors of the result, so the blocks need not be compared.
        if !after.tree().problems.is_empty() {
            return None;
        }
        if let Some(block) = self.changed_block(nodes, operation, edits, &after) {
            return Some(Wrong::Block(block));
        }
        self.expected_kinds(nodes, operation)
            .is_some_and(|expected| written_kinds(&after, edits) != expected)
            .then_some(Wrong::Content)
    }

    /// Returns the kinds of the blocks in the content. `None` if they are not certain: the content may become part of a
    /// list or table, or be written with the prefixes of a container.
    fn expected_kinds(&self, nodes: &[(Span, NodeId)], operation: &Operation) -> Option<Vec<Kind>> {
        let (Operation::Replace(content) | Operation::InsertBefore(content) | Operation::InsertAfter(content)) =
            operation
        else {
            return None;
        };
        let [(_, id)] = nodes else { return None };
        let is_block = self.tree().blocks.get(*id as usize).is_some_and(|_| self.container(*id) == NONE);
        if !is_block || self.is_part(*id) || is_indented_code(self, *id) {
            return None;
        }
        let parsed = self.with_text(trim_blank_lines(content).to_owned());
        let kinds = top_kinds(&parsed, |_| true);
        let is_certain = parsed.tree().problems.is_empty() && !kinds.contains(&Kind::FrontMatter);
        is_certain.then_some(kinds)
    }

    /// Returns the first block outside of the edit that has another kind, end or container after it.
    fn changed_block(
        &self,
        nodes: &[(Span, NodeId)],
        operation: &Operation,
        edits: &[Edit],
        after: &MarkdownDocument,
    ) -> Option<u32> {
        let targets = Targets::new(self, nodes, operation);
        let shift = Shift::new(edits);
        let place = |id: u32| (after.block(id).kind, after.block(id).span.start);
        let known: HashMap<(Kind, u32), u32> =
            (0..after.tree().blocks.len() as u32).map(|id| (place(id), id)).collect();
        let mut found: Vec<Option<u32>> = vec![None; self.tree().blocks.len()];
        for id in 0..self.tree().blocks.len() as u32 {
            if targets.are_replaced.contains(&id) || self.is_cut(id, &shift) {
                continue;
            }
            let block = self.block(id);
            let starts = shift.starts(block.span.start, targets.grow.contains(&id), targets.may_grow(id));
            let container = self.container(id);
            let new = starts.into_iter().flatten().find_map(|start| known.get(&(block.kind, start)).copied());
            let Some(new) = new.filter(|new| self.is_same(id, after, *new, &targets, &shift)) else {
                return Some(id);
            };
            found[id as usize] = Some(new);
            let new_container = after.container(new);
            let is_kept = match found.get(container as usize) {
                Some(Some(expected)) => *expected == new_container,
                Some(None) => true,
                None => new_container == NONE,
            };
            if !is_kept {
                return Some(id);
            }
        }
        None
    }

    /// Returns whether an edit replaces the start of the block, and more than the marker of an item.
    fn is_cut(&self, id: u32, shift: &Shift<'_>) -> bool {
        let span = self.block(id).span;
        shift.edit_at(span.start).is_some_and(|edit| {
            let is_marker = self.block(id).kind == Kind::Item && edit.span.start == span.start;
            edit.span.end >= span.end || !is_marker
        })
    }

    fn is_same(&self, id: u32, after: &MarkdownDocument, new: u32, targets: &Targets, shift: &Shift<'_>) -> bool {
        let (old, now) = (self.block(id), after.block(new));
        let ends = |document: &MarkdownDocument, id: u32| match document.tree().heading(id) {
            Some(heading) => (heading.line_end, heading.level),
            None => (document.block(id).span.end, 0),
        };
        let ((end, level), (new_end, new_level)) = (ends(self, id), ends(after, new));
        let same_detail = old.kind == Kind::Heading || old.kind == Kind::Item || old.detail == now.detail;
        let may_join = matches!(old.kind, Kind::List | Kind::Table) && targets.may_grow(id);
        let grows = targets.grow.contains(&id) || may_join;
        same_detail && level == new_level && (grows || shift.end(end) == new_end)
    }
}

/// The reason why an edit is not right.
enum Wrong {
    /// A block outside of the edit changes.
    Block(u32),
    /// At its position, the content is parsed as other blocks than separately.
    Content,
}

/// Returns the kinds of the blocks that are not in a container, if they start at one of these offsets.
fn top_kinds(document: &MarkdownDocument, is_wanted: impl Fn(u32) -> bool) -> Vec<Kind> {
    let blocks = &document.tree().blocks;
    let ids = (0..blocks.len() as u32).filter(|id| document.container(*id) == NONE);
    ids.map(|id| document.block(id)).filter(|block| is_wanted(block.span.start)).map(|block| block.kind).collect()
}

/// Returns the kinds of the blocks in the new texts of the edits.
fn written_kinds(after: &MarkdownDocument, edits: &[Edit]) -> Vec<Kind> {
    let shift = Shift::new(edits);
    top_kinds(after, |start| {
        let before = |index: usize| i64::from(edits[index].span.start) + shift.growth_before(index);
        let next = (0..edits.len()).find(|index| before(*index) + edits[*index].text.len() as i64 > i64::from(start));
        next.is_some_and(|index| before(index) <= i64::from(start))
    })
}

/// The blocks that an operation may change.
struct Targets {
    /// Blocks that the operation replaces, with the blocks in them.
    are_replaced: HashSet<u32>,
    /// Blocks that contain the result of the operation.
    grow: HashSet<u32>,
    /// Blocks in the target of an insertion: the content may join a list or table among them.
    may_grow: Vec<std::ops::Range<u32>>,
}

impl Targets {
    fn new(document: &MarkdownDocument, nodes: &[(Span, NodeId)], operation: &Operation) -> Targets {
        let mut targets = Targets { are_replaced: HashSet::new(), grow: HashSet::new(), may_grow: Vec::new() };
        let blocks = &document.tree().blocks;
        let fixes_inside = matches!(operation, Operation::InsertInto(_) | Operation::ReplaceBody(_));
        for (span, id) in nodes {
            let inside = match blocks.get(*id as usize) {
                Some(block) => *id..block.end,
                None => {
                    let first = blocks.partition_point(|block| block.span.start < span.start) as u32;
                    first..blocks.partition_point(|block| block.span.start < span.end) as u32
                }
            };
            if blocks.get(*id as usize).is_some() {
                targets.grow.extend(document.tree().ancestors(*id));
                targets.grow.extend(fixes_inside.then_some(*id));
            }
            match operation {
                Operation::Replace(_) | Operation::Delete | Operation::Wrap(_) => targets.are_replaced.extend(inside),
                Operation::InsertInto(_) => targets.may_grow.push(inside),
                Operation::ReplaceBody(_) | Operation::InsertBefore(_) | Operation::InsertAfter(_) => {}
            }
        }
        targets
    }

    fn may_grow(&self, id: u32) -> bool {
        self.may_grow.iter().any(|range| range.contains(&id))
    }
}

/// Maps offsets of the text before the edits to offsets after them.
struct Shift<'e> {
    edits: &'e [Edit],
    /// The growth of the text by the edits up to each of them.
    growth: Vec<i64>,
}

impl<'e> Shift<'e> {
    fn new(edits: &'e [Edit]) -> Shift<'e> {
        let growth = edits.iter().scan(0, |total, edit| {
            *total += edit.text.len() as i64 - edit.span.len() as i64;
            Some(*total)
        });
        Shift { edits, growth: growth.collect() }
    }

    /// Returns the offset after the first edits, whose number is given.
    fn moved(&self, at: u32, edits: usize) -> u32 {
        u32::try_from(i64::from(at) + self.growth_before(edits)).unwrap_or(NONE)
    }

    /// Returns the growth of the text by the edits before this one.
    fn growth_before(&self, index: usize) -> i64 {
        index.checked_sub(1).map_or(0, |last| self.growth[last])
    }

    /// Returns the edit that replaces the text at an offset.
    fn edit_at(&self, at: u32) -> Option<&'e Edit> {
        let next = self.edits.partition_point(|edit| edit.span.end <= at);
        self.edits.get(next).filter(|edit| edit.span.start <= at)
    }

    /// Returns the possible new starts of a block. Text that is inserted at its start is before it, unless the block
    /// contains the text.
    fn starts(&self, start: u32, grows: bool, may_grow: bool) -> [Option<u32>; 2] {
        let outside = self.moved(start, self.edits.partition_point(|edit| edit.span.end <= start));
        let inside = self.end(start);
        match (grows, may_grow) {
            (true, _) => [Some(inside), Some(outside)],
            (false, true) => [Some(outside), Some(inside)],
            (false, false) => [Some(outside), None],
        }
    }

    /// Returns the new end of a block. Text that is inserted at its end is after it.
    fn end(&self, end: u32) -> u32 {
        self.moved(end, self.edits.partition_point(|edit| edit.span.end <= end && edit.span.start < end))
    }
}

/// Returns whether a block consists of indented code.
pub(crate) fn is_indented_code(document: &MarkdownDocument, id: NodeId) -> bool {
    document.tree().blocks.get(id as usize).is_some_and(|block| block.detail == Detail::IndentedCode)
}
