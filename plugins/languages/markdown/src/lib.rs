//! The language pack for Markdown and MDX: headings with their sections, and all other blocks.
#![cfg_attr(not(feature = "mdx"), allow(dead_code, unused_macros, reason = "what MDX adds to Markdown"))]

mod address;
mod anchor;
mod blocks;
mod code;
mod commonmark;
mod definition;
mod delete;
mod describe;
mod document;
mod edit;
mod extent;
mod failures;
mod find;
mod front;
mod insight;
mod js;
mod keys;
mod limits;
mod links;
mod list;
mod make;
mod markers;
#[cfg(feature = "mdx")]
mod mdx;
mod names;
mod orphans;
mod outline;
mod piece;
mod place;
mod reader;
mod refactor;
mod region;
mod section;
mod table;
mod tag;
mod target;
#[cfg(test)]
mod tests;
mod view;

use marquetry_sdk::{
    Dependency, Description, Document, Edit, EditOptions, Embedded, Form, Found, LanguagePack, Node, NodeId, Operation,
    Problem, Query, Result, Target, View, export_pack,
};

pub use document::MarkdownDocument;

/// The language pack.
#[derive(Debug)]
pub struct Markdown;

impl LanguagePack for Markdown {
    type Document = MarkdownDocument;

    const FILES: &'static [&'static str] =
        if cfg!(feature = "mdx") { &["*.md", "*.mdx", "*.markdown"] } else { &["*.md", "*.markdown"] };

    fn describe() -> Description {
        describe::description()
    }

    fn open(path: &str, text: String, _settings: &str) -> MarkdownDocument {
        MarkdownDocument::new(path, text)
    }
}

impl Document for MarkdownDocument {
    fn text(&self) -> &str {
        &self.text
    }

    fn problems(&self) -> Vec<Problem> {
        self.all_problems()
    }

    fn outline(&self) -> Vec<Node> {
        self.nodes()
    }

    fn find(&self, query: &Query) -> Result<Found> {
        self.find_all(query)
    }

    fn view(&self, node: NodeId, form: Form) -> Result<View> {
        self.show(node, form)
    }

    fn dependencies(&self, node: NodeId) -> Vec<Dependency> {
        self.used_in(node)
    }

    fn edit(&self, nodes: &[NodeId], operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
        self.operate(nodes, operation, options)
    }

    fn insert_missing(&self, target: &Target, content: &str) -> Result<Vec<Edit>> {
        self.make(target, content)
    }

    /// Any text is valid Markdown, but not valid MDX.
    fn stays_well_formed(&self, _edits: &[Edit]) -> bool {
        !self.is_mdx
    }

    fn embedded(&self) -> Vec<Embedded> {
        self.parts()
    }
}

export_pack!(Markdown: links, symbols, refactors, insight);
