//! The region `imports`, which is a target for edits.

use std::collections::BTreeMap;

use marquetry_sdk::{Edit, Failure, FailureKind, Node, NodeId, Operation, Position, Result, Span, fail, lines};

use crate::{
    arena::{Arena, NodeIndex, ROOT, TokenKind},
    blocks::{self, Statements, at_end},
    document::CodeDocument,
    language::{Language, ParseContext},
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

/// The region `imports`: the first run of imports, including conditional statements that contain only imports, and the
/// statements that the language allows among imports.
pub fn imports(document: &CodeDocument) -> Region {
    let (arena, language) = (document.arena(), document.language());
    let block = arena.children(ROOT).find(|child| language.is_block(arena, *child));
    let statements = top_statements(document);
    let is_import = |node: NodeIndex| language.is_one_of(arena, node, language.imports);
    if let Some(first) = statements.iter().position(|node| is_import(*node)) {
        let holds_imports = |node: &NodeIndex| is_import(*node) || has_only_imports(document, *node);
        let is_part = |node: &NodeIndex| holds_imports(node) || (language.hooks.is_among_imports)(arena, *node);
        let run = statements[first..].iter().take_while(|node| is_part(node)).count();
        let run = statements[first..first + run].iter().rposition(holds_imports).map_or(1, |last| last + 1);
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

/// A place among sorted imports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SortedPlace {
    /// The index of the statement beside the place.
    index: usize,
    side: Side,
}

/// The position of an import relative to the statement beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    /// A new group above the statement.
    GroupAbove,
    /// Directly above the statement.
    Above,
    /// Directly below the statement.
    Below,
    /// A new group below the statement.
    GroupBelow,
}

impl SortedPlace {
    /// The index that a statement at this place gets.
    fn statement_index(self) -> usize {
        self.index + usize::from(matches!(self.side, Side::Below | Side::GroupBelow))
    }
}

/// The rank of an import in its group. The language table lists the kinds of imports in this order.
fn import_rank(language: &Language, arena: &Arena, node: NodeIndex) -> usize {
    let name = language.kind_name(arena.node(node).kind);
    language.imports.iter().position(|kind| *kind == name).unwrap_or(language.imports.len())
}

/// The rank of the first import in a text.
fn rank_of(document: &CodeDocument, content: &str) -> usize {
    let language = document.language();
    let content = Content::new(language, document.path(), content, ParseContext::Items);
    content.statements().first().map_or(0, |first| import_rank(language, &content.arena, *first))
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
                    Position::Sorted => return self.insert_sorted(document, &insertion.content),
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

    /// The edits that insert imports so that sorted imports remain sorted, each import in its own group.
    ///
    /// # Errors
    ///
    /// Fails with `InvalidArgument` if the content is empty.
    pub fn insert_sorted(&self, document: &CodeDocument, content: &str) -> Result<Vec<Edit>> {
        if content.trim().is_empty() {
            return Err(blocks::empty_content());
        }
        let language = document.language();
        let parse = |content: &str| Content::new(language, document.path(), content, ParseContext::Items);
        let whole = parse(content);
        let (arena, statements) = (&whole.arena, whole.statements());
        let is_import = |node: &NodeIndex| language.is_one_of(arena, *node, language.imports);
        let has_comment = arena.tokens.iter().any(|token| token.kind == TokenKind::Comment);
        if self.statements.is_empty() || has_comment || !arena.errors.is_empty() || !statements.iter().all(is_import) {
            return self.insert(document, self.sorted_index(document, content), &whole);
        }
        let mut by_place: BTreeMap<(SortedPlace, u8), Vec<(usize, &str)>> = BTreeMap::new();
        for node in statements {
            let (rank, import) = (import_rank(language, arena, node), arena.slice(node));
            let key = (self.sorted_place(document, import), (language.hooks.import_class)(document, import));
            by_place.entry(key).or_default().push((rank, import));
        }
        let mut edits: Vec<Edit> = Vec::new();
        for ((place, _), mut imports) in by_place {
            imports.sort_unstable();
            let texts: Vec<&str> = imports.into_iter().map(|(_, text)| text).collect();
            for edit in self.insert_at(document, place, &parse(&texts.join("\n")))? {
                match edits.iter_mut().find(|known| known.span == edit.span) {
                    Some(known) => known.text += &edit.text,
                    None => edits.push(edit),
                }
            }
        }
        Ok(edits)
    }

    /// Inserts imports at a place for sorted imports.
    fn insert_at(&self, document: &CodeDocument, place: SortedPlace, content: &Content) -> Result<Vec<Edit>> {
        let text = document.text_str();
        let statements = self.block.map(|block| Statements::new(document, block));
        let start_of = |index: usize| {
            let start = statements.as_ref().map(|statements| statements.start_of(index) as usize)?;
            lines::starts_line(text, start).then_some(start)
        };
        let own = content.at(Place { indent: "", unit: document.unit() });
        let at = |start: Option<usize>, text: String| start.map(|start| vec![Edit::insert(start, text)]);
        let edits = match place {
            SortedPlace { side: Side::Above, index } => at(start_of(index), format!("{own}\n")),
            SortedPlace { side: Side::GroupAbove, index } => at(start_of(index), format!("{own}\n\n")),
            SortedPlace { side: Side::GroupBelow, index } => {
                let last = top_statements(document).get(index).copied();
                let end = last.map(|last| document.end_of_line_tail(document.arena().node(last).span.range().end));
                at(end, format!("\n\n{own}"))
            }
            SortedPlace { side: Side::Below, .. } => None,
        };
        edits.map_or_else(|| self.insert(document, place.statement_index(), content), Ok)
    }

    /// Edits that insert statements at an index of the document's top-level block.
    pub fn insert(&self, document: &CodeDocument, index: usize, content: &Content) -> Result<Vec<Edit>> {
        let text = document.text_str();
        let own = content.at(Place { indent: "", unit: document.unit() });
        if self.statements.is_empty() {
            return Ok(vec![first_statement(text, self.span.range().start, &own)]);
        }
        match self.block {
            Some(block) => Statements::new(document, block).insert(index, content),
            None => Ok(vec![at_end(text, &own)]),
        }
    }

    /// The index at which an import is inserted so that sorted imports remain sorted.
    pub fn sorted_index(&self, document: &CodeDocument, content: &str) -> usize {
        self.sorted_place(document, content).statement_index()
    }

    /// The place at which an import is inserted so that sorted imports remain sorted. Blank lines separate groups: the
    /// last group with an import from the same package is used, or else the last one with the same class and keyword.
    /// If no group has the class, the import goes before the groups with a higher class; if the document has several
    /// groups, it is a new group. Imports in conditional statements are not in a group.
    fn sorted_place(&self, document: &CodeDocument, content: &str) -> SortedPlace {
        let (arena, language) = (document.arena(), document.language());
        let rank = rank_of(document, content);
        let content = content.lines().next().unwrap_or_default().trim();
        let groups = self.groups(document);
        let like = |test: &dyn Fn(&str) -> bool| groups.iter().rfind(|group| group.iter().any(|(_, text)| test(text)));
        let is_same_keyword = |text: &str| keyword(text) == keyword(content);
        let class = |text: &str| (language.hooks.import_class)(document, text);
        let own_class = class(content);
        let is_same_class = |text: &str| class(text) == own_class;
        let same = like(&|text| package_of(text) == package_of(content))
            .or_else(|| like(&|text| is_same_class(text) && is_same_keyword(text)))
            .or_else(|| like(&is_same_class));
        let with_keyword: Vec<_> = same.into_iter().flatten().filter(|(_, text)| is_same_keyword(text)).collect();
        let with_class: Vec<_> = with_keyword.iter().copied().filter(|(_, text)| is_same_class(text)).collect();
        let own = if with_class.is_empty() { with_keyword } else { with_class };
        let is_sorted = own.is_sorted_by_key(|(_, text)| text.trim_end_matches(';'));
        let next = own.iter().find(|(_, text)| is_sorted && *text > content);
        if let Some((next, _)) = next {
            return SortedPlace { index: *next, side: Side::Above };
        }
        if let Some((last, _)) = own.last() {
            return SortedPlace { index: *last, side: Side::Below };
        }
        if let Some(group) = same {
            let statements = top_statements(document);
            let is_above = |(index, _): &&(usize, &str)| import_rank(language, arena, statements[*index]) <= rank;
            return match (group.iter().rfind(is_above), group.first()) {
                (None, Some((first, _))) => SortedPlace { index: *first, side: Side::Above },
                (above, _) => {
                    SortedPlace { index: above.map_or(self.statements.start, |(index, _)| *index), side: Side::Below }
                }
            };
        }
        let is_separate = groups.len() > 1;
        let higher = groups.iter().flatten().find(|(_, text)| class(text) > own_class);
        match (higher, groups.iter().flatten().next_back()) {
            (Some((next, _)), _) => {
                SortedPlace { index: *next, side: if is_separate { Side::GroupAbove } else { Side::Above } }
            }
            (None, Some((last, _))) => {
                SortedPlace { index: *last, side: if is_separate { Side::GroupBelow } else { Side::Below } }
            }
            (None, None) => SortedPlace { index: self.statements.start, side: Side::Above },
        }
    }

    /// The imports in groups that blank lines and other statements separate: the index and the text of each import.
    fn groups<'d>(&self, document: &'d CodeDocument) -> Vec<Vec<(usize, &'d str)>> {
        let (arena, language) = (document.arena(), document.language());
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
        groups.retain(|group| !group.is_empty());
        groups
    }

    /// The statements of the region, as indices into the document's block.
    pub fn statements(&self) -> std::ops::Range<usize> {
        self.statements.clone()
    }

    fn delete(&self, document: &CodeDocument) -> Result<Vec<Edit>> {
        match self.block {
            Some(block) if !self.statements.is_empty() => {
                let (arena, language) = (document.arena(), document.language());
                let all = top_statements(document);
                let is_import = |index: &usize| !(language.hooks.is_among_imports)(arena, all[*index]);
                let indices: Vec<usize> = self.statements.clone().filter(is_import).collect();
                Statements::new(document, block).delete(&indices)
            }
            _ => Ok(Vec::new()),
        }
    }
}

/// Inserts the first statement of a region at an offset, with a blank line between it and the code around it. Blank
/// lines above the offset remain below the statement.
fn first_statement(text: &str, offset: usize, code: &str) -> Edit {
    let above = text[..offset].trim_end();
    let below = if above.is_empty() { &text[offset..] } else { &text[above.len()..] };
    if below.is_empty() {
        let code = if above.is_empty() { code.to_owned() } else { format!("\n{code}") };
        return at_end(text, &code);
    }
    let at = text.len() - below.len();
    let breaks = below.chars().take_while(|c| c.is_whitespace()).filter(|c| *c == '\n').count();
    let gap = if below.trim().is_empty() { 0 } else { 2_usize.saturating_sub(breaks) };
    let before = if above.is_empty() { "" } else { "\n\n" };
    Edit::insert(at, format!("{before}{code}{}", "\n".repeat(gap)))
}
