//! Regions: named parts of a document that are not blocks.

use marquetry_sdk::{Node, NodeId, Span};

use crate::blocks::{InlineKind, Kind, NONE};
use crate::document::MarkdownDocument;

/// The names of regions.
pub(crate) const REGION_NAMES: [&str; 6] = ["front-matter", "body", "preamble", "toc", "imports", "exports"];

/// A named part of a document that is not a block.
#[derive(Debug, Clone)]
pub(crate) struct Region {
    pub(crate) name: &'static str,
    pub(crate) address: String,
    pub(crate) span: Span,
}

impl MarkdownDocument {
    fn regions(&self) -> &[Region] {
        self.regions.get_or_init(|| {
            let blocks = &self.tree().blocks;
            let first = blocks.iter().position(|block| block.kind != Kind::FrontMatter).unwrap_or(blocks.len());
            let mut regions = Vec::new();
            if let (Some(start), Some(end)) =
                (blocks.get(first), blocks[first..].iter().map(|block| block.span.end).max())
            {
                let start = self.outer_start(first as u32, start.span);
                regions.push(new_region("body", Span::new(start, end as usize)));
            }
            let top = || self.tree().children(NONE).map(|id| self.block(id));
            let heading = top().find(|block| block.kind == Kind::Heading).map_or(u32::MAX, |block| block.span.start);
            let before = top().filter(|block| block.kind != Kind::FrontMatter && block.span.start < heading);
            if let Some(last) = before.last() {
                let start = self.outer_start(first as u32, blocks[first].span);
                regions.push(new_region("preamble", Span::new(start, last.span.range().end)));
            }
            regions.extend(self.block_runs("imports", Kind::Import));
            regions.extend(self.block_runs("exports", Kind::Export));
            regions
        })
    }

    /// Returns a region for each uninterrupted run of blocks of this kind.
    fn block_runs(&self, name: &'static str, kind: Kind) -> Vec<Region> {
        let runs = self.tree().blocks.chunk_by(|a, b| a.kind == kind && b.kind == kind);
        let spans: Vec<Span> = runs
            .filter(|run| run[0].kind == kind)
            .map(|run| Span { start: run[0].span.start, end: run[run.len() - 1].span.end })
            .collect();
        if let [span] = spans[..] {
            return vec![new_region(name, span)];
        }
        let numbered = spans.into_iter().enumerate();
        numbered.map(|(index, span)| Region { name, address: format!("{name}[{}]", index + 1), span }).collect()
    }

    /// Returns the region with this id.
    pub(crate) fn region(&self, id: NodeId) -> Option<&Region> {
        let index = (id as usize).checked_sub(self.tree().blocks.len())?;
        self.regions().get(index)
    }

    /// Returns the ids of the regions with this name, or of the block that it names.
    pub(crate) fn regions_named(&self, name: &str) -> Vec<NodeId> {
        let blocks = self.tree().blocks.len() as u32;
        match name {
            "toc" => self.toc_list().into_iter().collect(),
            "front-matter" | "frontmatter" => {
                let first = self.tree().blocks.first().filter(|block| block.kind == Kind::FrontMatter);
                first.map(|_| 0).into_iter().collect()
            }
            _ => {
                let all = self.regions().iter().zip(blocks..);
                all.filter(|(region, _)| region.name == name || region.address == name).map(|(_, id)| id).collect()
            }
        }
    }

    /// Returns the first list whose items all link to anchors in this document.
    fn toc_list(&self) -> Option<u32> {
        let tree = self.tree();
        let mut lists = (0..tree.blocks.len() as u32).filter(|id| self.block(*id).kind == Kind::List);
        lists.find(|list| {
            let items = tree.children(*list).count();
            let links = self.links_within(self.block(*list).span).filter(|link| link.kind == InlineKind::Link);
            let anchors = links.filter(|link| self.text[link.label.range().end..].starts_with("](#"));
            items > 1 && anchors.count() >= items
        })
    }

    pub(crate) fn region_node(&self, id: NodeId, region: &Region) -> Node {
        Node { name: region.name.to_owned(), ..Node::plain(id, "region", region.address.as_str(), region.span) }
    }
}

fn new_region(name: &'static str, span: Span) -> Region {
    Region { name, address: name.to_owned(), span }
}
