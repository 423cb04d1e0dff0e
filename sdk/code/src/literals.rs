//! Literals of collections, such as lists and dictionaries: the ranges of their items, and edits of items.

use std::collections::BTreeSet;

use marquetry_sdk::{
    Edit, Failure, FailureKind, Operation, Position, Result, Span, fail,
    indent::reindent_with_unit,
    items::{EmptyStyle, Items, sorted_index},
};

use crate::{
    arena::{Arena, NodeIndex, Token, TokenKind},
    blocks::{attached_comment, empty_content},
    comments,
    document::CodeDocument,
    language::{Language, Literal, ParseContext},
    layout::frozen_lines,
    outline::Symbol,
};

/// The separator of the items of all literals.
pub(crate) const SEPARATOR: &str = ",";

/// The table entry of a literal. `None` for other nodes, for literals with syntax errors, and for literals whose first
/// and last tokens are not a pair of brackets, such as a tuple without brackets.
pub(crate) fn literal_of(language: &Language, arena: &Arena, node: NodeIndex) -> Option<&'static Literal> {
    let literal = language.literal(arena, node)?;
    let own = arena.node(node).span;
    // The items of a tree with errors may overlap.
    if arena.errors.iter().any(|error| error.span.start <= own.end && own.start <= error.span.end) {
        return None;
    }
    let tokens = arena.tokens_in(own);
    let (mut depth, mut closed) = (0_usize, 0);
    for token in tokens.iter().filter(|token| token.kind == TokenKind::Sign) {
        match token.span.slice(&arena.text) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth = depth.checked_sub(1)?;
                closed += usize::from(depth == 0);
            }
            _ => {}
        }
    }
    let text = arena.slice(node);
    (closed == 1 && depth == 0 && text.starts_with(literal.open) && text.ends_with(literal.close)).then_some(literal)
}

/// The literal with the items of a value: the value, or the literal at its end. `None` for other values.
pub(crate) fn inside(language: &Language, arena: &Arena, value: NodeIndex) -> Option<NodeIndex> {
    if literal_of(language, arena, value).is_some() {
        return Some(value);
    }
    let kind = language.kind_name(arena.node(value).kind);
    let is_around = language.literals.iter().any(|literal| literal.around.contains(&kind));
    let last = arena.children(value).last().filter(|_| is_around)?;
    inside(language, arena, last).filter(|_| arena.node(last).span.end == arena.node(value).span.end)
}

/// Returns whether a local variable is listed in the outline because its value is this literal.
pub(crate) fn is_listed_locally(language: &Language, arena: &Arena, literal: NodeIndex) -> bool {
    let is_entry = |item: NodeIndex| language.declaration(arena, item).is_some();
    language.literal(arena, literal).is_some_and(|literal| literal.is_listed_locally)
        && (arena.slice(literal).contains('\n') || arena.children(literal).any(is_entry))
}

/// The range between the brackets of a literal.
fn inner_span(literal: &Literal, arena: &Arena, node: NodeIndex) -> Span {
    let own = arena.node(node).span;
    Span { start: own.start + literal.open.len() as u32, end: own.end - literal.close.len() as u32 }
}

/// The range of an item. It includes brackets around the node of the item, and operators before it such as `**`.
pub(crate) fn item_span(arena: &Arena, item: NodeIndex) -> Span {
    let own = arena.node(item).span;
    let around = arena.node(arena.node(item).parent).span;
    let is_end = |token: &Token| token.span.slice(&arena.text) == SEPARATOR;
    let is_code = |token: &&Token| token.kind != TokenKind::Comment;
    let inside = arena.tokens_in(around);
    let first = inside.partition_point(|token| token.span.start < own.start);
    let last = inside.partition_point(|token| token.span.start < own.end);
    let above = inside[..first].iter().rev().take_while(|token| token.span.start > around.start && !is_end(token));
    let below = inside[last..].iter().take_while(|token| token.span.end < around.end && !is_end(token));
    Span {
        start: above.filter(is_code).last().map_or(own.start, |token| token.span.start),
        end: below.filter(is_code).last().map_or(own.end, |token| token.span.end),
    }
}

/// The name by which an item is sorted: its key, or else its text without quotes.
fn sort_name(language: &Language, arena: &Arena, item: NodeIndex) -> String {
    let title = (language.hooks.title)(arena, item).map(|title| title.name);
    let name = title.unwrap_or_else(|| item_span(arena, item).slice(&arena.text).to_owned());
    name.trim_matches(['"', '\'']).to_owned()
}

/// Maximum number of characters of a key whose value is aligned with others. Longer keys may start a new alignment.
const MAX_ALIGNED: usize = 40;

/// The start of the value of an item, as number of bytes and of characters from the start of the item. `None` for items
/// without a key, and for those with several lines or a long key.
fn value_column(arena: &Arena, item: NodeIndex, sign: &str) -> Option<(usize, usize)> {
    let own = item_span(arena, item);
    let (key, value) = (arena.children(item).next()?, arena.children(item).last()?);
    let between = Span { start: arena.node(key).span.end, end: arena.node(value).span.start };
    let is_pair = key != value && between.slice(&arena.text).trim() == sign && arena.slice(key).len() <= MAX_ALIGNED;
    let before = Span { start: own.start, end: between.end }.slice(&arena.text);
    (is_pair && !own.slice(&arena.text).contains('\n')).then(|| (before.len(), before.chars().count()))
}

/// New items, which were parsed between brackets.
struct NewItems {
    arena: Arena,
    /// The range of the new items in the text of the arena, with the comments above the first one.
    span: Span,
    /// The new items. Empty if the content has only comments.
    items: Vec<NodeIndex>,
}

impl NewItems {
    /// Parses new items of a literal.
    ///
    /// # Errors
    ///
    /// Fails with `InvalidArgument` if the content is empty, has other code than items of the literal, or ends with a
    /// comment.
    fn parse(document: &CodeDocument, literal: &Literal, content: &str) -> Result<NewItems> {
        if content.trim().is_empty() {
            return Err(empty_content());
        }
        let language = document.language();
        let (open, close) = literal.context;
        let content = content.replace("\r\n", "\n");
        let content = content.trim_start_matches('\n').trim_end();
        let (start, end) = (open.len() + 1, open.len() + 1 + content.len());
        let parse = |separator: &str| {
            let text = format!("{open}\n{content}{separator}\n{close}\n");
            (language.hooks.parse)(document.path(), text, ParseContext::File)
        };
        let mut arena = parse("");
        if !arena.errors.is_empty() {
            // Some languages require a separator at the end of a line.
            arena = parse(SEPARATOR);
        }
        let whole = Span::new(start, end);
        let tokens = arena.tokens_in(whole);
        let is_comment = !tokens.is_empty() && tokens.iter().all(|token| token.kind == TokenKind::Comment);
        if is_comment {
            return Ok(NewItems { span: whole, items: Vec::new(), arena });
        }
        let is_literal = |node: &NodeIndex| {
            let is_whole = arena.node(*node).span.contains(whole);
            is_whole && language.kind_name(arena.node(*node).kind) == literal.parsed
        };
        let found = arena.nodes().map(|(index, _)| index).find(is_literal).filter(|_| arena.errors.is_empty());
        let items: Vec<NodeIndex> = found.into_iter().flat_map(|found| arena.children(found)).collect();
        let Some(last) = items.last().map(|last| item_span(&arena, *last)) else {
            return Err(fail(
                FailureKind::InvalidArgument,
                format!("the content is not an item of a {}", literal.node),
            )
            .hint(format!("write items such as `{}`", literal.example)));
        };
        if tokens.last().is_some_and(|token| token.kind == TokenKind::Comment) {
            return Err(fail(FailureKind::InvalidArgument, "the content ends with a comment")
                .hint("put the comment on a line above the item"));
        }
        Ok(NewItems { span: Span { start: whole.start, end: last.end }, items, arena })
    }

    /// The new items with the indentation for a position. The first line is not indented.
    fn at(&self, document: &CodeDocument, indent: &str) -> String {
        let frozen = frozen_lines(&self.arena);
        let first = self.arena.text[..self.span.range().start].matches('\n').count();
        let is_frozen = |line: usize| frozen.get(first + line).copied().unwrap_or(false);
        reindent_with_unit(self.span.slice(&self.arena.text), indent, Some(document.unit()), is_frozen)
    }
}

/// A literal and its items.
pub(crate) struct LiteralItems<'d> {
    document: &'d CodeDocument,
    literal: &'static Literal,
    node: NodeIndex,
    items: Items<'d>,
}

impl<'d> LiteralItems<'d> {
    /// The items of a literal. `None` for other nodes.
    pub(crate) fn new(document: &'d CodeDocument, node: NodeIndex) -> Option<LiteralItems<'d>> {
        let (language, arena) = (document.language(), document.arena());
        let literal = literal_of(language, arena, node)?;
        let item = |item: NodeIndex| {
            let own = item_span(arena, item);
            let comment = attached_comment(document, own.range().start);
            Span { start: comment.map_or(own.start, |comment| comment.start), end: own.end }
        };
        let items = Items {
            text: document.text_str(),
            inner: inner_span(literal, arena, node),
            items: arena.children(node).map(item).collect(),
            separator: SEPARATOR,
            terminated: false,
            comments: language.comments,
            unit: document.unit(),
            empty: EmptyStyle::Tight,
            breaks: 1,
        };
        Some(LiteralItems { document, literal, node, items })
    }

    fn position(&self, item: NodeIndex) -> Option<usize> {
        self.document.arena().children(self.node).position(|child| child == item)
    }

    /// Edits that insert items at a position.
    pub(crate) fn insert_into(self, content: &str, position: Position) -> Result<Vec<Edit>> {
        let new = NewItems::parse(self.document, self.literal, content)?;
        let index = match position {
            Position::First => 0,
            Position::Last => self.items.items.len(),
            Position::Sorted => self.sorted_position(&new)?,
        };
        self.insert(index, &new)
    }

    fn sorted_position(&self, new: &NewItems) -> Result<usize> {
        let (language, arena) = (self.document.language(), self.document.arena());
        let Some(first) = new.items.first() else {
            return Err(fail(FailureKind::InvalidArgument, "the content has no item to sort by")
                .hint("use the position `first` or `last`"));
        };
        let names: Vec<String> = arena.children(self.node).map(|item| sort_name(language, arena, item)).collect();
        Ok(sorted_index(names.iter().map(String::as_str), &sort_name(language, &new.arena, *first)))
    }

    /// Inserts before the item at an index. If the index is the number of items, the new items are appended.
    fn insert(mut self, index: usize, new: &NewItems) -> Result<Vec<Edit>> {
        let indent = self.items.indent();
        let text = self.aligned(new, &indent, index);
        if new.items.is_empty() {
            return self.items.insert_comment(index, &text).ok_or_else(|| {
                Failure::unsupported("the items are on one line").hint("put the comment on the line above")
            });
        }
        if self.items.items.is_empty() {
            let has_lines = text.contains('\n') || self.items.inner.slice(self.items.text).contains('\n');
            self.items.terminated = has_lines || self.literal.is_terminated && new.items.len() == 1;
        }
        Ok(self.items.insert(index, &text))
    }

    /// The text of new items before an index. The value of a single new item on one line starts in the column of the
    /// values on the lines around it, if its key is short enough.
    fn aligned(&self, new: &NewItems, indent: &str, index: usize) -> String {
        let text = new.at(self.document, indent);
        let Some(sign) = self.literal.aligned_after.filter(|_| !text.contains('\n') && self.items.in_block()) else {
            return text;
        };
        let Some(own) = new.items.first().filter(|_| new.items.len() == 1) else { return text };
        let Some((at, own)) = value_column(&new.arena, *own, sign) else { return text };
        let arena = self.document.arena();
        let items: Vec<NodeIndex> = arena.children(self.node).collect();
        let around = [index.checked_sub(1), Some(index)].into_iter().flatten();
        let columns =
            around.filter_map(|index| value_column(arena, *items.get(index)?, sign)).map(|(_, column)| column);
        let column = columns.max().unwrap_or(0);
        format!("{}{}{}", &text[..at], " ".repeat(column.saturating_sub(own)), &text[at..])
    }

    /// Edits that delete items.
    pub(crate) fn delete(&self, items: &[NodeIndex]) -> Vec<Edit> {
        let positions: BTreeSet<usize> = items.iter().filter_map(|item| self.position(*item)).collect();
        self.items.delete(&positions.into_iter().collect::<Vec<_>>())
    }

    /// The edits of an operation on an item with an address. `None` for operations that are not specific to items.
    pub(crate) fn edit(self, symbol: &Symbol, operation: &Operation, with_doc: bool) -> Result<Option<Vec<Edit>>> {
        let (content, offset) = match operation {
            Operation::Replace(content) => return self.replace(symbol, content, with_doc).map(Some),
            Operation::InsertBefore(content) => (content, 0),
            Operation::InsertAfter(content) => (content, 1),
            _ => return Ok(None),
        };
        let new = NewItems::parse(self.document, self.literal, content)?;
        let index = self.position(symbol.node).map_or(self.items.items.len(), |position| position + offset);
        self.insert(index, &new).map(Some)
    }

    /// Replaces an item. If the content starts with a comment, the comment above the item is replaced, too.
    fn replace(&self, symbol: &Symbol, content: &str, with_doc: bool) -> Result<Vec<Edit>> {
        let new = NewItems::parse(self.document, self.literal, content)?;
        if new.items.is_empty() {
            return Err(fail(FailureKind::InvalidArgument, "the content has only comments")
                .hint("use `insert_before`, or `delete`"));
        }
        let has_comment = comments::is_comment(content.trim_start(), self.document.language().comments);
        let doc = symbol.doc.filter(|_| has_comment || with_doc);
        let span = Span { start: doc.map_or(symbol.span.start, |doc| doc.start), end: symbol.span.end };
        let indent = marquetry_sdk::lines::indent_at(self.items.text, span.range().start);
        Ok(vec![Edit::new(span, new.at(self.document, indent))])
    }
}
