//! Removes links and keeps their text.

use std::collections::HashSet;

use marquetry_sdk::{Edit, FailureKind, NodeId, Result, Span, fail};

use super::Place;
use crate::blocks::{Inline, InlineKind, Kind, folded};
use crate::definition;
use crate::document::MarkdownDocument;

impl MarkdownDocument {
    /// Returns the edits that remove links, given by index among all links.
    pub(super) fn unlink(&self, links: &[u32]) -> Result<Vec<Edit>> {
        let all = self.found_links();
        let mut edits = Vec::new();
        let mut blocks: Vec<(Span, NodeId)> = Vec::new();
        for found in links.iter().filter_map(|index| all.get(*index as usize)) {
            match found.place {
                Place::Inline(inline) => edits.extend(text_alone(inline)),
                Place::Block(id) => blocks.push((self.block(id).span, id)),
                Place::Value => {
                    let message = format!("`{}` is a value of the front matter", found.link.specifier);
                    return Err(fail(FailureKind::Unsupported, message).hint("edit the front matter with its `path`"));
                }
                Place::Attribute(attribute) if found.link.kind == "href" => edits.push(Edit::remove(attribute)),
                Place::Attribute(_) => edits.push(Edit::remove(found.link.statement)),
            }
        }
        blocks.sort_by_key(|(span, _)| span.start);
        blocks.dedup();
        let gone: Vec<u32> = blocks.iter().map(|(_, id)| *id).collect();
        edits.extend(self.delete(&blocks)?);
        edits.extend(self.references_to(&gone).into_iter().flat_map(text_alone));
        Ok(crate::delete::merged(edits))
    }

    /// Returns the references that have no definition after these are removed.
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
                && lost.contains(&self.referred(inline).to_lowercase())
        };
        self.tree().inlines.iter().filter(refers).copied().collect()
    }

    /// Returns the label of a reference.
    fn referred(&self, inline: &Inline) -> String {
        let behind = inline.label.range().end + 1;
        let end = inline.span.range().end;
        let named = self.text.get(behind..end).filter(|rest| rest.starts_with('[') && rest.len() > 2);
        let label = named.and_then(|rest| definition::label_end(rest, 0, rest.len()).map(|end| &rest[1..end - 1]));
        folded(label.unwrap_or(inline.label.of(&self.text)))
    }
}

/// Removes everything around the text of a link.
fn text_alone(inline: Inline) -> [Edit; 2] {
    let (whole, text) = (inline.span.range(), inline.label.range());
    [Edit::remove(whole.start..text.start), Edit::remove(text.end..whole.end)]
}
