//! Definitions inside a section. An edit of the section must not remove definitions that other sections use.

use std::collections::HashSet;

use marquetry_sdk::{Edit, EditOptions, FailureKind, NodeId, Result, Span, fail, span::apply};

use crate::blocks::Kind;
use crate::document::MarkdownDocument;
use crate::section_ends::{defined_label, is_label_used};

impl MarkdownDocument {
    /// Rejects an edit of a section if it removes a definition that is used outside of the section.
    pub(crate) fn check_used_definitions(
        &self,
        nodes: &[(Span, NodeId)],
        edits: &[Edit],
        options: EditOptions,
    ) -> Result<()> {
        let is_section = nodes.iter().any(|(_, id)| self.block_kind(*id) == Some(Kind::Heading));
        if options.force || !is_section {
            return Ok(());
        }
        let is_removed = |at: u32| edits.iter().any(|edit| (edit.span.start..edit.span.end).contains(&at));
        let blocks = 0..self.tree().blocks.len() as u32;
        let removed: Vec<(u32, String)> = blocks
            .filter(|block| is_removed(self.block(*block).span.start))
            .filter_map(|block| Some((block, defined_label(self.tree(), &self.text, block)?)))
            .collect();
        if removed.is_empty() {
            return Ok(());
        }
        let after = self.with_text(apply(&self.text, edits));
        let blocks = 0..after.tree().blocks.len() as u32;
        let defined: HashSet<String> =
            blocks.filter_map(|block| defined_label(after.tree(), &after.text, block)).collect();
        let is_missed = |label: &String| !defined.contains(label) && is_label_used(&after.text, label);
        let Some((block, _)) = removed.into_iter().find(|(_, label)| is_missed(label)) else { return Ok(()) };
        let span = self.block(block).span;
        let source = span.slice(&self.text).lines().next().unwrap_or_default();
        Err(fail(FailureKind::InvalidArgument, format!("`{source}` would be removed, but other sections use it"))
            .at(span)
            .hint("move the definition to the end of the document first, keep it in the content, or use `force`"))
    }
}
