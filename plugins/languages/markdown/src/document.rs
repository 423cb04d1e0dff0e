//! An open document and its blocks, with their names and addresses.

use std::{borrow::Cow, cell::OnceCell, ops::Range};

use marquetry_sdk::{Diagnostic, FailureKind, Node, NodeId, Result, Severity, Span, fail};

use crate::blocks::{Block, Builder, Detail, Kind, NONE, Tree, collapse_space};
#[cfg(feature = "mdx")]
use crate::mdx;
use crate::region::Region;
use crate::{code, commonmark, front_matter, link_definitions, tag};

/// Maximum length of a name taken from a block's text.
const MAX_NAME_LENGTH: usize = 60;

/// A Markdown or MDX document.
#[derive(Debug)]
pub struct MarkdownDocument {
    /// Path from the workspace root.
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) is_mdx: bool,
    tree: OnceCell<Tree>,
    /// Indices of the headings, sorted by name and then by position.
    by_name: OnceCell<Vec<u32>>,
    /// For each block, its number among the blocks of the same kind and label in its scope, starting with 1. The number
    /// is 0 if the block has a label that is unique in its scope.
    pub(crate) numbers: OnceCell<Vec<u32>>,
    pub(crate) regions: OnceCell<Vec<Region>>,
}

impl MarkdownDocument {
    pub(crate) fn new(path: &str, text: String) -> MarkdownDocument {
        MarkdownDocument {
            path: path.to_owned(),
            text,
            is_mdx: cfg!(feature = "mdx") && path.to_ascii_lowercase().ends_with(".mdx"),
            tree: OnceCell::new(),
            by_name: OnceCell::new(),
            numbers: OnceCell::new(),
            regions: OnceCell::new(),
        }
    }

    /// Returns the blocks, parsing the text on first use.
    pub(crate) fn tree(&self) -> &Tree {
        self.tree.get_or_init(|| parse_tree(&self.text, self.is_mdx))
    }

    pub(crate) fn block(&self, block: u32) -> &Block {
        &self.tree().blocks[block as usize]
    }

    /// Returns the text of a block.
    pub(crate) fn source(&self, block: u32) -> &str {
        self.block(block).span.slice(&self.text)
    }

    /// Returns the headings with exactly this name, in document order.
    pub(crate) fn headings_named(&self, name: &str) -> &[u32] {
        let tree = self.tree();
        let name_of = |heading: &u32| tree.name(&tree.headings[*heading as usize]);
        let sorted = self.by_name.get_or_init(|| {
            let mut all: Vec<u32> = (0..tree.headings.len() as u32).collect();
            all.sort_by_key(name_of); // stable: equal names stay in document order
            all
        });
        let first = sorted.partition_point(|heading| name_of(heading) < name);
        let count = sorted[first..].partition_point(|heading| name_of(heading) == name);
        &sorted[first..first + count]
    }

    /// Returns the node of a block or region.
    pub(crate) fn node(&self, id: NodeId) -> Result<Node> {
        if let Some(region) = self.region(id) {
            return Ok(self.region_node(id, region));
        }
        let Some(block) = self.tree().blocks.get(id as usize) else {
            return Err(fail(FailureKind::InvalidArgument, format!("no node {id}")));
        };
        let heading = self.tree().heading(id);
        Ok(Node {
            id,
            parent: None,
            kind: block.kind.name().to_owned(),
            name: self.name(id),
            address: self.address(id),
            span: block.span,
            selection: if heading.is_some() { block.inner } else { Span::at(block.span.range().start) },
            body: self.body(id),
            doc: None,
            level: heading.map(|heading| heading.level),
            value: None,
        })
    }

    /// Returns the name under which users see the block.
    fn name(&self, id: u32) -> String {
        let tree = self.tree();
        if let Some(heading) = tree.heading(id) {
            return tree.name(heading).to_owned();
        }
        let kind = self.block(id).kind;
        match kind {
            Kind::Code => match self.label(id) {
                language if language.is_empty() => "code".to_owned(),
                language => language.into_owned(),
            },
            Kind::FrontMatter | Kind::Break => kind.name().to_owned(),
            Kind::Footnote | Kind::Definition | Kind::Import | Kind::Export | Kind::Component => {
                self.label(id).into_owned()
            }
            _ => self.text_excerpt(id),
        }
    }

    /// Returns the first words of the block's text.
    fn text_excerpt(&self, id: u32) -> String {
        let source = self.source(id);
        let source = source.trim_start_matches(['|', ' ', '-', '*', '+', '>']);
        let line = source.lines().next().unwrap_or_default().trim_end_matches(['|', ' ']);
        let mut short: String = line.chars().take(MAX_NAME_LENGTH).collect();
        if short.len() < line.len() {
            short.push('…');
        }
        collapse_space(&short)
    }

    /// Returns the label that distinguishes the block from other blocks of the same kind: the language of code, the
    /// label of a definition, the name of a component and so on. Other blocks have an empty label.
    pub(crate) fn label(&self, id: u32) -> Cow<'_, str> {
        let block = self.block(id);
        let source = self.source(id);
        let inner = block.inner.slice(&self.text);
        match block.kind {
            Kind::Code => code::parse_fence(&self.text, block.span.range())
                .filter(|_| block.detail != Detail::IndentedCode)
                .map_or("", |fence| code::info_language(fence.info))
                .into(),
            Kind::Footnote | Kind::Definition => {
                let end = link_definitions::label_end(source, 0, source.len()).unwrap_or(source.len());
                collapse_space(&source[1..end.max(2) - 1]).into()
            }
            Kind::Component => tag::tag_name(source).into(),
            Kind::Import | Kind::Export if !inner.is_empty() => inner.into(),
            Kind::Export if source.starts_with("export default") => "default".into(),
            Kind::Export => "*".into(),
            _ => "".into(),
        }
    }

    /// Returns the range that `replace_body` replaces.
    pub(crate) fn body(&self, id: u32) -> Option<Span> {
        let block = self.block(id);
        let text = &self.text;
        let Range { start, end } = block.span.range();
        let after = |from: usize| {
            let rest = &text[from..end];
            Span::new(end - rest.trim_start_matches([' ', '\t']).len(), end)
        };
        match block.kind {
            Kind::Heading => {
                let first = self.tree().children(id).next();
                Some(first.map_or(Span::at(end), |first| Span::new(self.block(first).span.range().start, end)))
            }
            Kind::Code if block.detail == Detail::IndentedCode => Some(block.span),
            Kind::Code => code::parse_fence(text, block.span.range()).map(|fence| fence.content.into()),
            Kind::FrontMatter | Kind::Definition => Some(block.inner),
            Kind::Item => Some(after(start + crate::list::marker_length(self.source(id)))),
            Kind::Footnote => {
                let label = link_definitions::label_end(text, start, end)?;
                Some(after((label + 1).min(end)))
            }
            Kind::Component if block.inner.range().start > start && block.inner.range().end < end => {
                let inner = block.inner.slice(text);
                let from = block.inner.range().start + inner.len() - inner.trim_start().len();
                Some(Span::new(from, (from + inner.trim().len()).max(from)))
            }
            _ => None,
        }
    }

    /// Returns the enclosing section; `None` before the first heading.
    pub(crate) fn section(&self, id: u32) -> Option<u32> {
        self.tree().ancestors(id).find(|block| self.block(*block).kind == Kind::Heading)
    }

    /// Returns the enclosing container, which is never a section.
    pub(crate) fn container(&self, id: u32) -> u32 {
        self.tree().ancestors(id).find(|block| self.block(*block).kind != Kind::Heading).unwrap_or(NONE)
    }

    /// Returns all errors in document order.
    pub(crate) fn all_problems(&self) -> Vec<Diagnostic> {
        let mut problems = self.tree().problems.clone();
        if let Err(fence) = front_matter::find_front_matter(&self.text, bom_length(&self.text)) {
            problems.insert(
                0,
                Diagnostic {
                    severity: Severity::Warning,
                    span: fence.into(),
                    message: "front matter is not closed: what follows is read as Markdown".to_owned(),
                    code: Some("front-matter".to_owned()),
                },
            );
        }
        problems
    }
}

/// Returns the length of the byte order mark.
fn bom_length(text: &str) -> usize {
    text.len() - text.trim_start_matches('\u{feff}').len()
}

fn parse_tree(text: &str, is_mdx: bool) -> Tree {
    let start = bom_length(text);
    let mut builder = Builder::new(text, start, is_mdx);
    let mut from = start;
    if let Ok(Some(front)) = front_matter::find_front_matter(text, start) {
        builder.push_leaf(Kind::FrontMatter, Detail::Plain, front.whole.start, front.whole.end, front.content.into());
        from = front.whole.end;
        builder.mark_covered(from);
    }
    #[cfg(feature = "mdx")]
    if is_mdx {
        return mdx::read(builder, from);
    }
    commonmark::read(builder, from)
}
