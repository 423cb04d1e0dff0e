//! The region `imports`, which is a target for edits.

use marquetry_sdk::{Edit, Failure, FailureKind, Node, NodeId, Operation, Position, Result, Span, fail};

use crate::{
    arena::{NodeIndex, ROOT},
    blocks::{self, Statements},
    document::CodeDocument,
    language::ParseContext,
    layout::{Content, Place},
};

/// The name of the region.
pub const IMPORTS: &str = "imports";

/// The imports at the top of a document.
#[derive(Debug, Clone)]
pub struct Region {
    /// The top-level block of the document. `None` if it has no statements.
    block: Option<NodeIndex>,
    /// The indices of the region's statements in the block. If the region is empty, the index at which the first import
    /// is inserted.
    statements: std::ops::Range<usize>,
    /// The range of the region.
    pub span: Span,
}

/// All regions of a document.
pub(crate) fn all_regions(document: &CodeDocument) -> Vec<Region> {
    vec![imports(document)]
}

/// The region with this name.
pub(crate) fn find(document: &CodeDocument, name: &str) -> Result<Node> {
    if name != IMPORTS {
        return Err(fail(FailureKind::InvalidTarget, format!("no region `{name}`"))
            .hint("use the candidate")
            .candidates([IMPORTS.to_owned()]));
    }
    let region = imports(document);
    Ok(Node { body: Some(region.span), ..Node::plain(region.id(document), "region", IMPORTS, region.span) })
}

/// The region `imports`: the first run of imports, including conditional statements that contain only imports.
pub fn imports(document: &CodeDocument) -> Region {
    let (arena, language) = (document.arena(), document.language());
    let block = arena.children(ROOT).find(|child| language.is_block(arena, *child));
    let statements = top_statements(document);
    let is_import = |node: NodeIndex| language.is_one_of(arena, node, language.imports);
    if let Some(first) = statements.iter().position(|node| is_import(*node)) {
        let holds_imports = |node: &NodeIndex| is_import(*node) || has_only_imports(document, *node);
        let run = statements[first..].iter().take_while(|node| holds_imports(node)).count();
        let start = arena.node(statements[first]).span.start;
        let end = arena.node(statements[first + run - 1]).span.end;
        return Region { block, statements: first..first + run, span: Span { start, end } };
    }
    let index = block.map_or(0, |block| Statements::new(document, block).leading());
    let at = match (statements.get(index), index.checked_sub(1).and_then(|last| statements.get(last))) {
        (Some(next), _) => Statements::new(document, arena.node(*next).parent).start_of(index),
        (None, Some(doc)) => arena.node(*doc).span.end,
        (None, None) => document.text_str().len() as u32,
    };
    Region { block, statements: index..index, span: Span { start: at, end: at } }
}

/// The statements at the top level of a document.
pub fn top_statements(document: &CodeDocument) -> Vec<NodeIndex> {
    let (arena, language) = (document.arena(), document.language());
    let block = arena.children(ROOT).find(|child| language.is_block(arena, *child));
    block.map_or(Vec::new(), |block| arena.children(block).collect())
}

/// Returns whether a statement has blocks that contain only imports.
fn has_only_imports(document: &CodeDocument, node: NodeIndex) -> bool {
    let (arena, language) = (document.arena(), document.language());
    if language.declaration(arena, node).is_some() {
        return false;
    }
    let mut imports = 0;
    let inside: Vec<NodeIndex> = arena.descendants(node).collect();
    let blocks = inside.iter().filter(|child| language.is_block(arena, **child));
    let mut statements = blocks.flat_map(|block| arena.children(*block)).peekable();
    statements.peek().is_some()
        && statements.all(|statement| {
            let is_import = language.is_one_of(arena, statement, language.imports);
            imports += usize::from(is_import);
            is_import || crate::blocks::is_placeholder(document, statement)
        })
        && imports > 0
}

/// The first word of an import.
fn keyword(import: &str) -> Option<&str> {
    import.split_whitespace().next()
}

/// The keyword of an import and the first part of the name after it: `use std` for `use std::fs;`.
fn package_of(import: &str) -> Option<(&str, &str)> {
    let (keyword, rest) = import.split_once(char::is_whitespace)?;
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some((keyword, &rest[..end])).filter(|(_, first)| !first.is_empty())
}

impl Region {
    /// The id of the region's node.
    pub(crate) fn id(&self, document: &CodeDocument) -> NodeId {
        document.symbols().symbols.len() as NodeId
    }

    /// The edits of an operation on the region.
    pub(crate) fn edit(&self, document: &CodeDocument, operation: &Operation) -> Result<Vec<Edit>> {
        let parse = |content: &str| Content::new(document.language(), document.path(), content, ParseContext::Items);
        let (content, index) = match operation {
            Operation::Replace(content) | Operation::ReplaceBody(content) => {
                if content.lines().eq(self.span.slice(document.text_str()).lines()) {
                    return Ok(Vec::new());
                }
                if !self.statements.is_empty() {
                    let place = Place { indent: "", unit: document.unit() };
                    return match content.trim() {
                        "" => self.delete(document),
                        _ => Ok(vec![Edit::new(self.span, parse(content).at(place))]),
                    };
                }
                (content, self.statements.start)
            }
            Operation::InsertBefore(content) => (content, self.statements.start),
            Operation::InsertAfter(content) => (content, self.statements.end),
            Operation::InsertInto(insertion) => {
                if let Some(insert) = document.language().hooks.insert_import {
                    return insert(document, &insertion.content);
                }
                let index = match insertion.position {
                    Position::First => self.statements.start,
                    Position::Last => self.statements.end,
                    Position::Sorted => self.sorted_index(document, &insertion.content),
                };
                (&insertion.content, index)
            }
            Operation::Delete => return self.delete(document),
            Operation::Wrap(_) => {
                return Err(
                    Failure::unsupported("the region `imports` cannot be wrapped").hint("wrap a `lines` target")
                );
            }
        };
        if content.trim().is_empty() {
            return Err(blocks::empty_content());
        }
        self.insert(document, index, &parse(content))
    }

    /// Edits that insert statements at an index of the document's top-level block.
    pub fn insert(&self, document: &CodeDocument, index: usize, content: &Content) -> Result<Vec<Edit>> {
        let text = document.text_str();
        let own = content.at(Place { indent: "", unit: document.unit() });
        if self.statements.is_empty() {
            let at = self.span.range().start;
            let above = if at == 0 || text[..at].ends_with(['\n', '\r']) { "" } else { "\n\n" };
            let below = if text[at..].trim().is_empty() { "" } else { "\n\n" };
            return Ok(vec![Edit::insert(at, format!("{above}{own}{below}"))]);
        }
        match self.block {
            Some(block) => Statements::new(document, block).insert(index, content),
            None => Ok(vec![Edit::insert(text.len(), own)]),
        }
    }

    /// The index at which an import is inserted so that sorted imports remain sorted. Blank lines separate groups: the
    /// last group with an import from the same package is used, or else the last one with the same keyword. Imports in
    /// conditional statements are not in a group.
    pub fn sorted_index(&self, document: &CodeDocument, content: &str) -> usize {
        let (arena, language) = (document.arena(), document.language());
        let content = content.lines().next().unwrap_or_default().trim();
        let statements = &top_statements(document)[self.statements.clone()];
        let is_import = |node: &NodeIndex| language.is_one_of(arena, *node, language.imports);
        let is_together = |one: &NodeIndex, other: &NodeIndex| {
            let between = Span { start: arena.node(*one).span.end, end: arena.node(*other).span.start };
            is_import(one) && is_import(other) && between.slice(document.text_str()).matches('\n').count() == 1
        };
        let (mut start, mut groups) = (self.statements.start, Vec::new());
        for group in statements.chunk_by(is_together) {
            let texts = group.iter().filter(|node| is_import(node)).map(|node| arena.slice(*node));
            groups.push(texts.enumerate().map(|(index, text)| (start + index, text)).collect::<Vec<_>>());
            start += group.len();
        }
        let like = |test: &dyn Fn(&str) -> bool| groups.iter().rfind(|group| group.iter().any(|(_, text)| test(text)));
        let is_same_keyword = |text: &str| keyword(text) == keyword(content);
        let same = like(&|text| package_of(text) == package_of(content)).or_else(|| like(&is_same_keyword));
        let last = groups.iter().flatten().next_back().map_or(self.statements.start, |(index, _)| index + 1);
        let own: Vec<_> = same.into_iter().flatten().filter(|(_, text)| is_same_keyword(text)).collect();
        let is_sorted = own.is_sorted_by_key(|(_, text)| text.trim_end_matches(';'));
        let next = own.iter().find(|(_, text)| is_sorted && *text > content);
        match (next, own.last()) {
            (Some((next, _)), _) => *next,
            (None, Some((last, _))) => last + 1,
            (None, None) => last,
        }
    }

    /// The statements of the region, as indices into the document's block.
    pub fn statements(&self) -> std::ops::Range<usize> {
        self.statements.clone()
    }

    fn delete(&self, document: &CodeDocument) -> Result<Vec<Edit>> {
        match self.block {
            Some(block) if !self.statements.is_empty() => {
                Statements::new(document, block).delete(&self.statements.clone().collect::<Vec<_>>())
            }
            _ => Ok(Vec::new()),
        }
    }
}
