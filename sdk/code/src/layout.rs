//! Changes the indentation of code: every line keeps its depth relative to the blocks, and lines inside of literals do
//! not change, except those of docstrings in new content.

use std::borrow::Cow;

use marquetry_sdk::{Span, indent, lines};

use crate::{
    arena::{Arena, NodeIndex, ROOT, TokenKind},
    comments,
    document::CodeDocument,
    language::{Block, Language, ParseContext},
};

/// The position of new content.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The indentation of the lines at this position.
    pub indent: &'a str,
    /// The text that indents a line of the document by one level.
    pub unit: &'a str,
}

/// Parsed content without the indentation that all of its lines share.
#[derive(Debug)]
pub struct Content {
    language: &'static Language,
    /// The tree of the content.
    pub arena: Arena,
    /// Number of columns that were removed from the lines outside of literals. The first line counts, too, if it lacked
    /// this indentation.
    removed: usize,
}

/// The treatment of documentation that is a string, such as a docstring in Python.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Docstrings {
    /// Their lines move with their statement.
    Moved,
    /// Their lines do not change, like those of other strings.
    Frozen,
}

impl Content {
    /// Parses content. If the first line lacks the indentation of the other lines, their indentation is reduced
    /// accordingly.
    pub fn new(language: &'static Language, path: &str, content: &str, context: ParseContext) -> Content {
        let content = without_blank_ends(&content.replace("\r\n", "\n"));
        let parse = |text: String| (language.hooks.parse)(path, text, context);
        if let Block::Delimited { .. } = language.form {
            return Content { language, arena: parse(content), removed: 0 };
        }
        let raw = parse(content.clone());
        let frozen = frozen_lines(&raw);
        let own = lines::indent_at(&content, 0).len();
        let plain = if own == 0 { raw } else { parse(dedent(&content, own, 0, &frozen)) };
        let rest = content.lines().enumerate().skip(1).filter(|(line, text)| !frozen[*line] && !text.trim().is_empty());
        let shared = rest.map(|(_, line)| depth(line)).min().unwrap_or(0);
        if !plain.errors.is_empty() && own == 0 && shared > 0 {
            let moved = parse(dedent(&content, shared, 1, &frozen));
            if moved.errors.len() < plain.errors.len() {
                return Content { language, arena: moved, removed: shared };
            }
        }
        let plain = Content { language, arena: plain, removed: own };
        match plain.copied_margin(&frozen) {
            0 => plain,
            margin => Content { language, arena: parse(dedent(&content, margin, 1, &frozen)), removed: margin },
        }
    }

    /// The indentation of the place that the content was copied from, without the indentation of its first line: that of
    /// a bracket that ends a list of the first statement, if all other lines are deeper.
    fn copied_margin(&self, frozen: &[bool]) -> usize {
        let text = &self.arena.text;
        if self.statements().len() != 1 || text.starts_with([' ', '\t']) || !self.arena.errors.is_empty() {
            return 0;
        }
        let margin = self.outermost_depth(frozen).max(self.docstring_margin());
        let is_deeper = |(line, own): (usize, &str)| {
            let least = margin + usize::from(!own.trim_start().starts_with([')', ']', '}']));
            frozen[line] || own.trim().is_empty() || depth(own) >= least
        };
        if text.lines().enumerate().skip(1).all(is_deeper) { margin } else { 0 }
    }

    /// The indentation of the line with only the quotes that end the content, if the content is a docstring.
    fn docstring_margin(&self) -> usize {
        let docstring = self.block().and_then(|block| (self.language.hooks.documentation)(&self.arena, block));
        let last = self.arena.text.lines().skip(1).last().filter(|_| docstring.is_some());
        last.filter(|last| last.trim().trim_matches(['"', '\'']).is_empty()).map_or(0, depth)
    }

    /// The top-level block of the content.
    pub fn block(&self) -> Option<NodeIndex> {
        self.arena.children(ROOT).find(|child| self.language.is_block(&self.arena, *child))
    }

    /// The top-level statements of the content.
    pub fn statements(&self) -> Vec<NodeIndex> {
        self.block().map_or(Vec::new(), |block| self.arena.children(block).collect())
    }

    /// Returns whether the content consists only of comments.
    pub fn is_comment(&self) -> bool {
        self.statements().is_empty() && self.arena.errors.is_empty()
    }

    /// Returns whether the content is on one line and does not end with a comment.
    pub fn is_one_line(&self) -> bool {
        let ends_with_comment = self.arena.tokens.last().is_some_and(|token| token.kind == TokenKind::Comment);
        !self.arena.text.contains('\n') && !ends_with_comment
    }

    /// The content without white space around it.
    pub fn text(&self) -> &str {
        self.arena.text.trim()
    }

    /// Returns whether the content is on one line, without blocks and comments.
    pub fn is_short(&self) -> bool {
        !self.arena.text.contains('\n')
            && !self.has_block()
            && self.arena.tokens.iter().all(|t| t.kind != TokenKind::Comment)
    }

    /// Returns whether the content contains a nested block.
    pub fn has_block(&self) -> bool {
        let blocks = self.arena.nodes().filter(|(index, _)| self.language.is_block(&self.arena, *index));
        blocks.count() > 1
    }

    /// The content with the indentation for a position. The first line is not indented.
    pub fn at(&self, place: Place<'_>) -> String {
        self.indented(place, Docstrings::Moved)
    }

    fn indented(&self, place: Place<'_>, docstrings: Docstrings) -> String {
        if let Block::Delimited { .. } = self.language.form {
            return self.at_with_own_depths(place);
        }
        let arena = &self.arena;
        let text = &arena.text;
        let frozen = frozen_lines(arena);
        let lines: Vec<&str> = text.lines().collect();
        let depths = if arena.errors.is_empty() { block_depths(self.language, arena, lines.len()) } else { Vec::new() };
        let starts = statement_lines(arena, lines.len());
        let mut is_docstring = vec![false; lines.len()];
        if docstrings == Docstrings::Moved {
            self.mark_docstrings(&mut is_docstring);
        }
        let mut indents: Vec<Option<String>> = vec![None; lines.len()];
        let mut current = 0;
        for line in 0..lines.len() {
            if starts[line] == Some(line) && !is_comment_line(lines[line], self.language) {
                current = line;
                indents[line] = Some(match depths.get(line) {
                    Some(depth) => format!("{}{}", place.indent, place.unit.repeat(*depth)),
                    None => format!("{}{}", place.indent, &lines[line][..depth(lines[line])]),
                });
            } else if starts[line].is_some_and(|start| start < line && !frozen[line]) {
                indents[line] = Some(moved(lines[line], lines[current], indents[current].as_deref(), place));
            }
        }
        self.indent_comments(&lines, &mut indents, place);
        let mut out = String::with_capacity(text.len() + lines.len() * place.indent.len());
        for (index, line) in lines.iter().enumerate() {
            if index > 0 {
                out.push('\n');
            }
            if frozen[index] {
                let start = starts[index].filter(|_| is_docstring[index]);
                let new = start.and_then(|start| indents[start].as_deref().map(|new| (depth(lines[start]), new)));
                out.push_str(&new.map_or((*line).into(), |(old, new)| shifted(line, old + self.removed, new)));
            } else if !line.trim().is_empty() {
                if index > 0 {
                    out.push_str(indents[index].as_deref().unwrap_or(place.indent));
                }
                out.push_str(&line[depth(line)..]);
            }
        }
        out
    }

    /// Marks the lines that start inside of docstrings.
    fn mark_docstrings(&self, lines: &mut [bool]) {
        let (language, arena) = (self.language, &self.arena);
        let is_body = |parent: NodeIndex| parent == ROOT || language.declaration(arena, parent).is_some();
        let blocks = arena.nodes().filter(|(index, node)| language.is_block(arena, *index) && is_body(node.parent));
        let starts = line_starts(&arena.text);
        for docstring in blocks.filter_map(|(block, _)| (language.hooks.documentation)(arena, block)) {
            let span = arena.node(docstring).span;
            let first = starts.partition_point(|start| *start <= span.start);
            let end = starts.partition_point(|start| *start < span.end);
            lines[first.min(end)..end].fill(true);
        }
    }

    /// The content with the indentation for a position. Lines keep their relative depths, converted to the indentation
    /// unit of the document.
    fn at_with_own_depths(&self, place: Place<'_>) -> String {
        let text = &self.arena.text;
        let frozen = frozen_lines(&self.arena);
        let own = depth(text.lines().next().unwrap_or_default());
        let moved = match own {
            0 => dedent(text, self.outermost_depth(&frozen), 1, &frozen),
            own => dedent(text, own, 0, &frozen),
        };
        let converted = indent::convert_unit(&moved, place.unit);
        let mut out = String::with_capacity(text.len());
        for (index, (line, old)) in converted.lines().zip(moved.lines()).enumerate() {
            if index > 0 {
                out.push('\n');
            }
            if frozen[index] {
                out.push_str(old);
            } else if !line.trim().is_empty() {
                out.push_str(if index > 0 { place.indent } else { "" });
                out.push_str(line);
            }
        }
        out
    }

    /// The smallest depth of lines that start a statement or close an outermost bracket, without the first line.
    fn outermost_depth(&self, frozen: &[bool]) -> usize {
        let text = &self.arena.text;
        let mut depths = Vec::new();
        let mut add = |offset: usize| {
            if lines::starts_line(text, offset) && offset > 0 && !frozen[text[..offset].matches('\n').count()] {
                depths.push(lines::indent_at(text, offset).len());
            }
        };
        self.statements().into_iter().for_each(|node| add(self.arena.node(node).span.range().start));
        let mut open = 0_usize;
        for token in self.arena.tokens.iter().filter(|token| token.kind == TokenKind::Sign) {
            match token.span.slice(text) {
                "(" | "[" | "{" => open += 1,
                ")" | "]" | "}" => {
                    open = open.saturating_sub(1);
                    if open == 0 {
                        add(token.span.range().start);
                    }
                }
                _ => {}
            }
        }
        depths.into_iter().min().unwrap_or(0)
    }

    /// Indents comment lines like the nearest code line below or above them that had the same indentation.
    fn indent_comments(&self, lines: &[&str], indents: &mut [Option<String>], place: Place<'_>) {
        for line in 0..lines.len() {
            if indents[line].is_some() || !is_comment_line(lines[line], self.language) {
                continue;
            }
            let is_code = |index: &usize| indents[*index].is_some() && !is_comment_line(lines[*index], self.language);
            let below = (line + 1..lines.len()).find(is_code);
            let above = (0..line).rev().find(is_code);
            let same = |index: &usize| depth(lines[*index]) == depth(lines[line]);
            let outer = (0..line).rev().filter(is_code).find(|index| depth(lines[*index]) <= depth(lines[line]));
            let near = below.filter(same).or(above.filter(same)).or(outer).or(below).or(above);
            indents[line] = Some(match near {
                Some(near) => moved(lines[line], lines[near], indents[near].as_deref(), place),
                None => place.indent.to_owned(),
            });
        }
    }
}

/// The new indentation of a line that keeps its indentation relative to the line `base`.
fn moved(line: &str, base: &str, new: Option<&str>, place: Place<'_>) -> String {
    let (own, base) = (&line[..depth(line)], &base[..depth(base)]);
    let beyond = own.strip_prefix(base).unwrap_or_default();
    format!("{}{beyond}", new.unwrap_or(place.indent))
}

/// A line of a string whose statement had `old` columns of indentation and now has the indentation `new`. The line keeps
/// its relative indentation, but no line starts before column 0.
fn shifted<'l>(line: &'l str, old: usize, new: &str) -> Cow<'l, str> {
    let own = depth(line);
    match () {
        () if new.len() == old => line.into(),
        () if line.trim().is_empty() => "".into(),
        () if own >= old => format!("{new}{}", &line[old..]).into(),
        () => format!("{}{}", &new[..new.len().saturating_sub(old - own)], &line[own..]).into(),
    }
}

fn is_comment_line(line: &str, language: &Language) -> bool {
    comments::is_comment(line.trim_start_matches([' ', '\t']), language.comments)
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// The text without leading blank lines and trailing white space.
fn without_blank_ends(text: &str) -> String {
    let mut rest = text.trim_end();
    while let Some((line, after)) = rest.split_once('\n') {
        if !line.trim().is_empty() {
            break;
        }
        rest = after;
    }
    rest.to_owned()
}

/// Removes up to `columns` columns of indentation from each line, starting with line `first`.
fn dedent(text: &str, columns: usize, first: usize, frozen: &[bool]) -> String {
    let line = |(index, line): (usize, &str)| {
        let cut = if frozen[index] || index < first { 0 } else { columns.min(depth(line)) };
        line[cut..].to_owned()
    };
    text.lines().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

/// For each line, true if its start is inside of a literal.
pub(crate) fn frozen_lines(arena: &Arena) -> Vec<bool> {
    let starts = line_starts(&arena.text);
    let mut frozen = vec![false; starts.len()];
    for literal in &arena.literals {
        let first = starts.partition_point(|start| *start <= literal.start);
        let end = starts.partition_point(|start| *start < literal.end);
        frozen[first.min(end)..end].fill(true);
    }
    frozen
}

/// For each line, the first line of its statement or clause. `None` for blank lines and comments between statements.
fn statement_lines(arena: &Arena, count: usize) -> Vec<Option<usize>> {
    let starts = line_starts(&arena.text);
    let line_of = |offset: u32| starts.partition_point(|start| *start <= offset).saturating_sub(1);
    let mut lines = vec![None; count.max(starts.len())];
    let mut first: Option<usize> = None;
    for token in &arena.tokens {
        match token.kind {
            TokenKind::Break => first = None,
            TokenKind::Comment if first.is_none() => {}
            _ => {
                let from = line_of(token.span.start);
                let start = *first.get_or_insert(from);
                let last = line_of(token.span.end.saturating_sub(1).max(token.span.start));
                lines[start..=last.max(start)].fill(Some(start));
            }
        }
    }
    lines
}

/// For each line, the number of blocks that contain it.
fn block_depths(language: &Language, arena: &Arena, count: usize) -> Vec<usize> {
    let starts = line_starts(&arena.text);
    let line_of = |offset: u32| starts.partition_point(|start| *start <= offset).saturating_sub(1);
    let mut changes = vec![0_isize; count + 2];
    for (index, node) in arena.nodes() {
        let is_inner = node.parent != ROOT && language.is_block(arena, index);
        if is_inner && lines::starts_line(&arena.text, node.span.range().start) {
            changes[line_of(node.span.start)] += 1;
            changes[line_of(node.span.end.saturating_sub(1).max(node.span.start)) + 1] -= 1;
        }
    }
    let mut depth = 0;
    changes
        .iter()
        .take(count)
        .map(|change| {
            depth += change;
            usize::try_from(depth).unwrap_or(0)
        })
        .collect()
}

fn line_starts(text: &str) -> Vec<u32> {
    let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at as u32 + 1);
    std::iter::once(0).chain(breaks).collect()
}

/// The lines of a span in a block, with the indentation for another position.
pub fn moved_lines(document: &CodeDocument, block: NodeIndex, span: Span, place: Place<'_>) -> String {
    let (language, text) = (document.language(), document.text_str());
    let indent = lines::indent_at(text, span.range().start);
    let own = if lines::starts_line(text, span.range().start) { indent } else { "" };
    let context = language.context(document.arena(), block);
    Content::new(language, document.path(), &format!("{own}{}", span.slice(text)), context)
        .indented(place, Docstrings::Frozen)
}

/// Returns whether the text ends with the header of a block.
pub fn opens_block(language: &Language, text: &str) -> bool {
    let line = text.trim_end().lines().next_back().unwrap_or_default();
    let code = language.comments.line.iter().find_map(|start| line.find(start)).map_or(line, |at| &line[..at]);
    match language.form {
        Block::Indentation { opener, .. } => code.trim_end().ends_with(opener),
        Block::Delimited { headers, .. } => headers.iter().any(|header| code.trim_end().ends_with(header)),
    }
}
