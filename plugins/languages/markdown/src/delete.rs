//! Deletes blocks and the blank lines between them and their neighbors.

use marquetry_sdk::{Edit, NodeId, Result, Span, lines};

use crate::blocks::{Kind, NONE};
use crate::document::MarkdownDocument;
use crate::errors::unsupported_operation;
use crate::insertion::{Neighbors, count_breaks};
use crate::{front_matter, list, table};

/// Adjacent blocks of one container, to be deleted together.
#[derive(Debug, Clone, Copy)]
struct BlockRun {
    id: NodeId,
    last: NodeId,
    start: usize,
    end: usize,
    around: Neighbors,
}

impl MarkdownDocument {
    /// Returns the edits that delete these nodes, which are in document order.
    pub(crate) fn delete(&self, nodes: &[(Span, NodeId)]) -> Result<Vec<Edit>> {
        let mut removed: Vec<Edit> = Vec::new();
        let mut items: Vec<u32> = Vec::new();
        let mut blocks: Vec<BlockRun> = Vec::new();
        let mut end = 0;
        for (span, id) in nodes {
            if span.end <= end && end > 0 {
                continue; // it is inside of a node that is deleted
            }
            end = span.end;
            match self.tree().blocks.get(*id as usize).map(|block| block.kind) {
                Some(Kind::Header) => {
                    return Err(unsupported_operation(
                        "delete",
                        "table header",
                        "delete the table, or replace the header",
                    ));
                }
                Some(Kind::Row) => removed.push(Edit::remove(table::row_range(self, *id))),
                Some(Kind::Item) => items.push(*id),
                _ => self.add_to_run(*id, *span, &mut blocks),
            }
        }
        removed.extend(blocks.iter().map(|run| self.delete_run(run)));
        for run in items.chunk_by(|a, b| self.block(*a).parent == self.block(*b).parent) {
            removed.extend(list::delete(self, run));
        }
        Ok(merge_edits(removed))
    }

    /// Deletes one block.
    pub(crate) fn delete_block(&self, id: NodeId) -> Edit {
        let mut runs = Vec::new();
        self.add_to_run(id, self.block(id).span, &mut runs);
        self.delete_run(&runs[0])
    }

    /// Adds a node to the last run if the node is adjacent to it; otherwise starts a new run.
    fn add_to_run(&self, id: NodeId, span: Span, runs: &mut Vec<BlockRun>) {
        let around = self.neighbors(id);
        let start = self.deleted_start(id, span);
        match runs.last_mut() {
            Some(run) if run.around.after == Some(start) => {
                run.last = id;
                run.end = span.range().end;
                run.around.after = around.after;
            }
            _ => runs.push(BlockRun { id, last: id, start, end: span.range().end, around }),
        }
    }

    /// Deletes the blocks of a run, and the blank lines before or after them.
    fn delete_run(&self, run: &BlockRun) -> Edit {
        let BlockRun { id, last, start, end, around: Neighbors { before, before_can_continue: open_before, after } } =
            *run;
        let text = &self.text;
        let Some(next) = after else {
            return match before {
                Some(before) if open_before => {
                    Edit::new(before..end, self.blank_line_below(last, Span::new(start, end)))
                }
                Some(before) => Edit::remove(before..end),
                None if self.is_top_level(id) => {
                    Edit::remove(line_start_if_blank(text, start)..self.skip_blank_lines(end))
                }
                None => self.delete_container(id, start, end),
            };
        };
        let lines_below = count_breaks(text, end..next);
        // In MDX, several blocks can be on one line.
        if lines_below == 0 {
            return Edit::remove(start..next);
        }
        let ends_line = |before: usize| !open_before && count_breaks(text, before..start) == 0;
        match before.filter(|before| count_breaks(text, *before..start) < 2) {
            Some(before) if lines_below >= 2 || ends_line(before) => Edit::remove(before..end),
            Some(before) if open_before && self.could_join_paragraph(next) => {
                let blank = format!("\n{}\n", self.outer_prefix(id).trim_end());
                Edit::new(before..lines::line_start(text, next), blank)
            }
            _ if self.is_top_level(id) => {
                let rest = line_start_if_blank(text, next);
                // If the remaining text moves to the start of the document, it must not become front matter.
                let is_fence = line_start_if_blank(text, start) == 0
                    && matches!(front_matter::find_front_matter(text, rest), Ok(Some(_)));
                Edit::new(line_start_if_blank(text, start)..rest, if is_fence { "\n" } else { "" })
            }
            _ => Edit::remove(start..next),
        }
    }

    /// Deletes the whole content of a container. An item, a quote or a footnote is deleted together with its content.
    fn delete_container(&self, id: NodeId, start: usize, end: usize) -> Edit {
        let container = self.container(id);
        match self.block(container).kind {
            Kind::Quote | Kind::Footnote => self.delete_block(container),
            // Deleting several items, or an item of a numbered list, could need more than one edit. Only the first is
            // used.
            Kind::Item => list::delete(self, &[container]).into_iter().next().unwrap_or(Edit::remove(start..end)),
            _ => Edit::remove(start..end),
        }
    }

    fn is_top_level(&self, id: NodeId) -> bool {
        self.region(id).is_some() || self.container(id) == NONE
    }

    fn skip_blank_lines(&self, end: usize) -> usize {
        let rest = &self.text[end..];
        if rest.trim().is_empty() { self.text.len() } else { end }
    }
}

/// Returns the start of the line if only white space precedes the offset; otherwise the offset.
fn line_start_if_blank(text: &str, offset: usize) -> usize {
    if lines::starts_line(text, offset) { lines::line_start(text, offset) } else { offset }
}

/// Returns the edits sorted, with overlapping ones merged.
pub(crate) fn merge_edits(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut out: Vec<Edit> = Vec::new();
    for edit in edits {
        match out.last_mut() {
            Some(last) if edit.span.start < last.span.end => {
                last.span.end = last.span.end.max(edit.span.end);
                if edit.text.len() > last.text.len() {
                    last.text = edit.text;
                }
            }
            _ => out.push(edit),
        }
    }
    out
}
