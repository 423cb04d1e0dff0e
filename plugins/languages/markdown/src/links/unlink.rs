//! Removes links and keeps their text.

use std::collections::HashSet;

use marquetry_sdk::{Edit, FailureKind, NodeId, Result, Span, fail};

use super::LinkLocation;
use crate::blocks::{Inline, InlineKind, Kind, collapse_space};
use crate::document::MarkdownDocument;
use crate::link_definitions;

impl MarkdownDocument {
    /// Returns the edits that remove links. The links are given by their indices in the list of all links.
    pub(super) fn unlink(&self, links: &[u32]) -> Result<Vec<Edit>> {
        let all = self.file_links();
        let mut edits = Vec::new();
        let mut blocks: Vec<(Span, NodeId)> = Vec::new();
        for found in links.iter().filter_map(|index| all.get(*index as usize)) {
            match found.place {
                LinkLocation::Inline(inline) => edits.extend(remove_around_text(inline)),
                // The text of a link stays.
                LinkLocation::Label => {}
                LinkLocation::Block(id) => blocks.push((self.block(id).span, id)),
                LinkLocation::Value => {
                    let message = format!("`{}` is a value of the front matter", found.link.specifier);
                    return Err(fail(FailureKind::Unsupported, message).hint("edit the front matter with its `path`"));
                }
                LinkLocation::Attribute(attribute) if matches!(&*found.link.kind, "href" | "srcset") => {
                    edits.push(Edit::remove(attribute));
                }
                LinkLocation::Attribute(_) => edits.push(Edit::remove(found.link.statement)),
            }
        }
        blocks.sort_by_key(|(span, _)| span.start);
        blocks.dedup();
        let gone: Vec<u32> = blocks.iter().map(|(_, id)| *id).collect();
        edits.extend(self.delete(&blocks)?);
        edits.extend(self.references_to(&gone).into_iter().flat_map(remove_around_text));
        Ok(crate::delete::merge_edits(edits))
    }

    /// Returns the references that will have no definition after these definitions are removed.
    fn references_to(&self, gone: &[u32]) -> Vec<Inline> {
        let is_definition = |id: &u32| self.block(*id).kind == Kind::Definition;
        let label = |id: &u32| self.label(*id).to_lowercase();
        let left = (0..self.tree().blocks.len() as u32).filter(|id| is_definition(id) && !gone.contains(id));
        let left: HashSet<String> = left.map(|id| label(&id)).collect();
        let lost: HashSet<String> =
            gone.iter().filter(|id| is_definition(id)).map(label).filter(|l| !left.contains(l)).collect();
        if lost.is_empty() {
            return Vec::new();
        }
        let refers = |inline: &&Inline| {
            matches!(inline.kind, InlineKind::Reference | InlineKind::ImageReference)
                && lost.contains(&self.reference_label(inline).to_lowercase())
        };
        self.tree().inlines.iter().filter(refers).copied().collect()
    }

    /// Returns the label of a reference.
    fn reference_label(&self, inline: &Inline) -> String {
        let behind = inline.label.range().end + 1;
        let end = inline.span.range().end;
        let named = self.text.get(behind..end).filter(|rest| rest.starts_with('[') && rest.len() > 2);
        let label =
            named.and_then(|rest| link_definitions::label_end(rest, 0, rest.len()).map(|end| &rest[1..end - 1]));
        collapse_space(label.unwrap_or(inline.label.slice(&self.text)))
    }
}

/// Removes the source of a link except its text.
fn remove_around_text(inline: Inline) -> [Edit; 2] {
    let (whole, text) = (inline.span.range(), inline.label.range());
    [Edit::remove(whole.start..text.start), Edit::remove(text.end..whole.end)]
}
