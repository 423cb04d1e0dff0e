//! Edit operations on declarations.

use std::collections::{BTreeMap, BTreeSet};

use marquetry_sdk::{
    Edit, EditOptions, Failure, FailureKind, NodeId, Operation, Position, Result, Span, Wrapper, fail,
    items::sorted_index, lines,
};

use crate::{
    arena::{NodeIndex, TokenKind},
    blocks::{Statements, empty_content},
    comments, delimited,
    document::CodeDocument,
    language::Block,
    layout::{self, Content, Place},
    literals::LiteralItems,
    outline::{Outline, SECTION, Symbol},
};

/// The edits of an operation on several nodes.
pub(crate) fn edit(
    document: &CodeDocument,
    nodes: &[NodeId],
    operation: &Operation,
    options: EditOptions,
) -> Result<Vec<Edit>> {
    let mut edits = Vec::new();
    let mut symbols = Vec::new();
    for node in nodes {
        match document.region(*node) {
            Some(region) => edits.extend(region.edit(document, operation)?),
            None => symbols.push(document.symbol(*node).map(|_| *node as usize)?),
        }
    }
    if matches!(operation, Operation::Delete) {
        edits.extend(delete(document, &symbols)?);
    } else {
        for index in symbols {
            let symbol = &document.symbols().symbols[index];
            edits.extend(SymbolEdit { document, index, symbol, options }.edits(operation)?);
        }
    }
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    edits.dedup();
    match edits.windows(2).find(|pair| pair[0].span.end > pair[1].span.start || pair[0].span == pair[1].span) {
        Some(pair) => Err(fail(FailureKind::InvalidArgument, "the targets overlap")
            .hint("edit them one after the other")
            .at(pair[1].span)),
        None => Ok(edits),
    }
}

fn delete(document: &CodeDocument, symbols: &[usize]) -> Result<Vec<Edit>> {
    let outline = document.symbols();
    let chosen: BTreeSet<usize> = symbols.iter().copied().collect();
    let mut by_block: BTreeMap<NodeIndex, Vec<NodeIndex>> = BTreeMap::new();
    let mut edits = Vec::new();
    for index in &chosen {
        let symbol = &outline.symbols[*index];
        if outline.ancestors(*index).any(|above| chosen.contains(&above)) {
            continue;
        }
        // Names that one statement declares are adjacent in the outline.
        let shares = |other: &usize| outline.symbols.get(*other).is_some_and(|other| other.node == symbol.node);
        let first = (0..*index).rev().take_while(shares).last().unwrap_or(*index);
        let all: Vec<usize> = (first..).take_while(shares).collect();
        if !symbol.is_alone && all.iter().any(|other| !chosen.contains(other)) {
            let removed: Vec<usize> = all.into_iter().filter(|other| chosen.contains(other)).collect();
            if removed.first() == Some(index) {
                edits.extend(remove_names(document, &removed)?);
            }
            continue;
        }
        by_block.entry(symbol.block).or_default().push(symbol.node);
    }
    for (block, nodes) in by_block {
        if let Some(items) = LiteralItems::new(document, block) {
            edits.extend(items.delete(&nodes));
            continue;
        }
        let statements = Statements::new(document, block);
        let mut positions: Vec<usize> = nodes.iter().filter_map(|node| statements.position(*node)).collect();
        positions.sort_unstable();
        positions.dedup();
        edits.extend(statements.delete(&positions)?);
    }
    Ok(edits)
}

/// Edits that remove some of the names that one statement declares.
fn remove_names(document: &CodeDocument, removed: &[usize]) -> Result<Vec<Edit>> {
    let symbols: Vec<&Symbol> = removed.iter().map(|index| &document.symbols().symbols[*index]).collect();
    let names: Vec<NodeIndex> = symbols.iter().filter_map(|symbol| symbol.name_node).collect();
    if let Some(remove) = document.language().hooks.remove_names.filter(|_| names.len() == symbols.len()) {
        return remove(document, symbols[0].node, &names);
    }
    Err(Failure::unsupported(format!("the statement of `{}` also declares other names", symbols[0].address))
        .hint("replace the lines of the statement with a `lines` target")
        .at(symbols[0].span))
}

struct SymbolEdit<'d> {
    document: &'d CodeDocument,
    index: usize,
    symbol: &'d Symbol,
    options: EditOptions,
}

impl<'d> SymbolEdit<'d> {
    fn edits(&self, operation: &Operation) -> Result<Vec<Edit>> {
        if let Some(items) = LiteralItems::new(self.document, self.symbol.block)
            && let Some(edits) = items.edit(self.symbol, operation, self.options.include_doc)?
        {
            return Ok(edits);
        }
        match operation {
            Operation::Replace(content) => self.replace(content),
            Operation::ReplaceBody(content) => self.replace_body(content),
            Operation::InsertBefore(content) => self.insert_beside(content, 0),
            Operation::InsertAfter(content) => self.insert_beside(content, 1),
            Operation::InsertInto(insertion) => self.insert_into(&insertion.content, insertion.position),
            Operation::Wrap(wrapper) => self.wrap(wrapper),
            Operation::Delete => delete(self.document, &[self.index]),
        }
    }

    fn parse(&self, content: &str) -> Result<Content> {
        if content.trim().is_empty() {
            return Err(empty_content());
        }
        Ok(self.content(content, self.symbol.block))
    }

    /// Parses new content for a position in a block.
    fn content(&self, content: &str, block: NodeIndex) -> Content {
        let language = self.document.language();
        Content::new(language, self.document.path(), content, language.context(self.document.arena(), block))
    }

    fn text(&self) -> &'d str {
        self.document.text_str()
    }

    fn place<'a>(&'a self, indent: &'a str) -> Place<'a> {
        Place { indent, unit: self.document.unit() }
    }

    fn replace(&self, content: &str) -> Result<Vec<Edit>> {
        let symbol = self.symbol;
        let start = symbol.span.range().start;
        if !symbol.is_alone {
            if content.trim().is_empty() {
                return Err(empty_content());
            }
            return Ok(vec![Edit::new(symbol.span, content.trim())]);
        }
        let parsed = self.parse(content)?;
        let starts_line = lines::starts_line(self.text(), start);
        let is_indented = !self.document.language().form.placeholder().is_empty();
        if is_indented && !starts_line && !parsed.is_short() {
            return self.replace_on_shared_line(&parsed);
        }
        let first = content.trim_start();
        let has_comment = comments::is_comment(first, self.document.language().comments);
        let doc = symbol.doc.filter(|_| has_comment || self.options.include_doc);
        let span = Span { start: doc.map_or(symbol.span.start, |doc| doc.start), end: symbol.span.end };
        let indent = lines::indent_at(self.text(), start);
        let mut new = parsed.at(self.place(indent));
        let separator = self.document.language().separator(self.document.arena(), symbol.block);
        if let Some(bare) = new.strip_suffix(separator).filter(|_| !separator.is_empty()) {
            new.truncate(bare.trim_end().len());
        }
        let is_open = parsed.arena.tokens.last().is_some_and(|token| token.kind == TokenKind::Comment);
        if is_open && !is_indented && !lines::ends_line(self.text(), span.range().end) {
            // Other code follows on the line, and the new text ends with a comment.
            new += &format!("\n{indent}");
        }
        Ok(vec![Edit::new(span, new)])
    }

    /// Replaces a statement that shares its line with several lines of content.
    fn replace_on_shared_line(&self, content: &Content) -> Result<Vec<Edit>> {
        let statements = Statements::new(self.document, self.symbol.block);
        if !statements.is_inline() || statements.len() > 1 {
            return Err(Failure::unsupported(format!(
                "`{}` shares its line with other statements",
                self.symbol.address
            ))
            .hint("replace the line with a `lines` target")
            .at(self.symbol.span));
        }
        let indent = statements.indent();
        let gap = statements.header_gap()?;
        let span = Span { start: gap.start, end: self.symbol.span.end };
        Ok(vec![Edit::new(span, format!("\n{indent}{}", content.at(self.place(&indent))))])
    }

    fn replace_body(&self, content: &str) -> Result<Vec<Edit>> {
        let symbol = self.symbol;
        let Some(body) = symbol.body else {
            return Err(Failure::unsupported(format!("`{}` has no body", symbol.address)).hint("use `replace`"));
        };
        if content.lines().eq(body.slice(self.text()).lines()) {
            return Ok(Vec::new());
        }
        let Some(inner) = symbol.inner else {
            if content.trim().is_empty() {
                return Err(empty_content());
            }
            return Ok(vec![Edit::new(body, content.trim())]);
        };
        let Block::Indentation { placeholder, .. } = self.document.language().form else {
            return Ok(delimited::replace_content(self.document, inner, content));
        };
        let statements = Statements::new(self.document, inner);
        let content = if content.trim().is_empty() { placeholder } else { content };
        let parsed = self.content(content, inner);
        let indent = statements.indent();
        let mut own = parsed.at(self.place(&indent));
        if parsed.is_comment() {
            own = format!("{own}\n{indent}{placeholder}");
        }
        if !statements.is_inline() {
            return Ok(vec![Edit::new(body, own)]);
        }
        if parsed.is_short() {
            return Ok(vec![Edit::new(body, own)]);
        }
        let gap = statements.header_gap()?;
        Ok(vec![Edit::new(Span { start: gap.start, end: body.end }, format!("\n{indent}{own}"))])
    }

    /// Inserts content before the statement (`offset` 0) or after it (`offset` 1).
    fn insert_beside(&self, content: &str, offset: usize) -> Result<Vec<Edit>> {
        let content = self.parse(content)?;
        let statements = Statements::new(self.document, self.symbol.block);
        let Some(position) = statements.position(self.symbol.node) else {
            return Err(Failure::unsupported(format!("`{}` is not a statement of a block", self.symbol.address))
                .hint("use `replace`"));
        };
        let at = self.symbol.span.range().start;
        let is_prefix = offset == 0 && (content.is_comment() || self.is_prefix(&content));
        if is_prefix && lines::starts_line(self.text(), at) {
            let indent = lines::indent_at(self.text(), at);
            return Ok(vec![Edit::insert(at, format!("{}\n{indent}", content.at(self.place(indent))))]);
        }
        if is_prefix && content.is_one_line() {
            return Ok(vec![Edit::insert(at, format!("{} ", content.text()))]);
        }
        statements.insert(position + offset, &content)
    }

    /// Returns whether content becomes a part of the statement if it is directly before it, such as a decorator.
    fn is_prefix(&self, content: &Content) -> bool {
        let (arena, own) = (self.document.arena(), self.symbol.node);
        let whole = self.content(&format!("{}\n{}", content.arena.text, arena.slice(own)), self.symbol.block);
        let has_own_kind = |node: NodeIndex| whole.arena.node(node).kind == arena.node(own).kind;
        whole.arena.errors.is_empty() && matches!(whole.statements()[..], [only] if has_own_kind(only))
    }

    fn insert_into(&self, content: &str, position: Position) -> Result<Vec<Edit>> {
        let symbol = self.symbol;
        if let Some(items) = symbol.literal.and_then(|literal| LiteralItems::new(self.document, literal)) {
            return items.insert_into(content, position);
        }
        let Some(inner) = symbol.inner else {
            return Err(Failure::unsupported(format!("`{}` has no statements inside", symbol.address))
                .hint("use `replace`, `insert_before` or `insert_after`"));
        };
        if content.trim().is_empty() {
            return Err(empty_content());
        }
        let parsed = self.content(content, inner);
        let statements = Statements::new(self.document, inner);
        let index = match position {
            Position::First => statements.leading(),
            Position::Last => statements.end_index(&parsed),
            Position::Sorted => self.sorted_position(&statements, &parsed)?,
        };
        statements.insert(index, &parsed)
    }

    fn sorted_position(&self, statements: &Statements<'_>, content: &Content) -> Result<usize> {
        let outline = Outline::new(self.document.language(), &content.arena);
        let Some(first) = outline.symbols.first() else {
            return Err(fail(FailureKind::InvalidArgument, "the content declares no name to sort by")
                .hint("use the position `first` or `last`"));
        };
        let inside = self.document.symbols().symbols.iter().filter(|other| Some(other.block) == self.symbol.inner);
        // Declarations with a block and those without one are sorted separately.
        let own: Vec<&Symbol> =
            inside.filter(|other| other.kind != SECTION && other.inner.is_some() == first.inner.is_some()).collect();
        let index = sorted_index(own.iter().map(|other| other.name.as_str()), &first.name);
        let position = |other: &&Symbol| statements.position(other.node);
        match (own.get(index), own.last()) {
            (Some(next), _) => Ok(position(next).unwrap_or(statements.len())),
            (None, Some(last)) => Ok(position(last).map_or(statements.len(), |last| last + 1)),
            (None, None) => Ok(statements.end_index(content)),
        }
    }

    fn wrap(&self, wrapper: &Wrapper) -> Result<Vec<Edit>> {
        let symbol = self.symbol;
        let (text, start) = (self.text(), symbol.span.range().start);
        if !symbol.is_alone {
            return Err(Failure::unsupported(format!(
                "the statement of `{}` also declares other names",
                symbol.address
            ))
            .hint("wrap the lines of the statement with a `lines` target")
            .at(symbol.span));
        }
        let tail = self.end_of_item();
        if !lines::starts_line(text, start) || !lines::ends_line(text, tail) {
            return Err(Failure::unsupported(format!("`{}` shares its line with other code", symbol.address))
                .hint("replace the line with a `lines` target")
                .at(symbol.span));
        }
        let language = self.document.language();
        let indent = lines::indent_at(text, start);
        let mut before = self.trimmed_lines(&wrapper.before, indent);
        let deeper = if layout::opens_block(language, &before) {
            let last = before.rfind('\n').map_or(indent, |at| lines::indent_at(&before, at + 1));
            format!("{last}{}", self.document.unit())
        } else {
            indent.to_owned()
        };
        if !before.is_empty() {
            before += &format!("\n{deeper}");
        }
        let from = symbol.doc.map_or(symbol.span.start, |doc| doc.start);
        let whole = Span { start: from, end: tail as u32 };
        let own = layout::moved_lines(self.document, symbol.block, whole, self.place(&deeper));
        let after = self.trimmed_lines(&wrapper.after, indent);
        let after = if after.is_empty() { after } else { format!("\n{indent}{after}") };
        Ok(vec![Edit::new(whole, format!("{before}{own}{after}"))])
    }

    /// The end of the declaration, including the separator and the comment after it.
    fn end_of_item(&self) -> usize {
        let (language, arena) = (self.document.language(), self.document.arena());
        let end = self.symbol.span.range().end;
        let separator = language.separator(arena, self.symbol.block);
        let rest = self.text()[end..].trim_start_matches([' ', '\t']);
        match rest.strip_prefix(separator).filter(|_| !separator.is_empty()) {
            Some(after) => comments::end_on_line(self.text(), self.text().len() - after.len(), language.comments),
            None => self.document.end_of_line_tail(end),
        }
    }

    /// The lines of the code before or after a wrapped statement. Such code is not a statement by itself. The first
    /// line is not indented.
    fn trimmed_lines(&self, content: &str, indent: &str) -> String {
        let content = content.trim_matches(['\n', '\r']).trim_end();
        let own = lines::indent_at(content, 0).len();
        let line = |(index, line): (usize, &str)| {
            let rest = &line[own.min(line.len() - line.trim_start_matches([' ', '\t']).len())..];
            if index == 0 || rest.is_empty() { rest.to_owned() } else { format!("{indent}{rest}") }
        };
        content.lines().enumerate().map(line).collect::<Vec<_>>().join("\n")
    }
}
