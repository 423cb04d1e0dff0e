//! The language pack for Markdown and MDX: headings with their sections, and all other blocks.
#![cfg_attr(not(feature = "mdx"), allow(dead_code, unused_macros, reason = "what MDX adds to Markdown"))]

mod address;
mod anchor;
mod blocks;
mod broken_anchors;
mod code;
mod commonmark;
mod create;
mod delete;
mod describe;
mod document;
mod edit;
mod errors;
mod find;
mod front_matter;
mod front_matter_keys;
mod insertion;
mod js;
mod limits;
mod link_definitions;
mod links;
mod list;
mod markers;
#[cfg(feature = "mdx")]
mod mdx;
mod orphans;
mod outline;
mod piece;
mod reader;
mod refactor;
mod region;
mod section;
mod section_ends;
mod symbols;
mod table;
mod tag;
mod target;
#[cfg(test)]
mod tests;
mod verify;
mod view;

use marquetry_sdk::{
    Dependency, Description, Diagnostic, Document, Edit, EditOptions, Embedded, FindResult, Form, LanguagePack, Node,
    NodeId, Operation, Query, Result, Target, View, export_pack,
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

    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.all_problems()
    }

    fn outline(&self) -> Vec<Node> {
        self.outline_nodes()
    }

    fn find(&self, query: &Query) -> Result<FindResult> {
        self.find_nodes(query)
    }

    fn view(&self, node: NodeId, form: Form) -> Result<View> {
        self.view_node(node, form)
    }

    fn dependencies(&self, node: NodeId) -> Vec<Dependency> {
        self.used_imports(node)
    }

    fn edit(&self, nodes: &[NodeId], operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
        self.edit_nodes(nodes, operation, options)
    }

    fn insert_missing(&self, target: &Target, content: &str) -> Result<Vec<Edit>> {
        self.create_section(target, content)
    }

    /// Any text is valid Markdown, but not valid MDX.
    fn stays_well_formed(&self, _edits: &[Edit]) -> bool {
        !self.is_mdx
    }

    fn embedded(&self) -> Vec<Embedded> {
        self.embedded_parts()
    }
}

export_pack!(Markdown: links, symbols, refactors, hover);
