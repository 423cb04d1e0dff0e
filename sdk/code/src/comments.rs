//! Comments around statements: those that describe a statement, and those at the end of a block.

use marquetry_sdk::{
    Span,
    directives::is_about_region,
    items::{BlockEnd, Comments},
    lines,
};

use crate::{
    arena::{Arena, TokenKind},
    language::Language,
};

/// The comments directly above a statement that describe it. `None` if there are no such comments, or if other code
/// precedes the statement on its line.
pub(crate) fn attached_above(language: &Language, arena: &Arena, start: usize) -> Option<Span> {
    let text = &arena.text;
    if !lines::starts_line(text, start) {
        return None;
    }
    let indent = lines::indent_at(text, start);
    let mut found: Option<Span> = None;
    let mut below = start;
    for token in arena.tokens[..arena.token_at(start as u32)].iter().rev() {
        let own = token.span.range();
        if token.kind == TokenKind::Break && own.is_empty() {
            continue;
        }
        let comment = token.span.slice(text);
        let is_interpreter = own.start == 0 && comment.starts_with("#!");
        let is_directly_above = text[own.end.min(below)..below].matches('\n').count() == 1
            && text[own.end.min(below)..below].trim().is_empty();
        if token.kind != TokenKind::Comment
            || !is_directly_above
            || is_about_region(comment)
            || is_interpreter
            || is_inner(language, comment)
            || !lines::starts_line(text, own.start)
            || lines::indent_at(text, own.start) != indent
        {
            break;
        }
        found = Some(Span { start: token.span.start, end: found.map_or(token.span.end, |found| found.end) });
        below = own.start;
    }
    found
}

/// The end of the last inner documentation comment in a range, such as `//!` in Rust.
pub(crate) fn end_of_inner(language: &Language, arena: &Arena, range: std::ops::Range<usize>) -> Option<usize> {
    let span = Span::new(range.start, range.end.max(range.start));
    let comments = arena.tokens_in(span).iter().filter(|token| token.kind == TokenKind::Comment);
    let mut inner = comments.filter(|token| is_inner(language, token.span.slice(&arena.text)));
    inner.next_back().map(|token| token.span.range().end)
}

/// Returns whether a comment documents the item or file that contains it.
fn is_inner(language: &Language, comment: &str) -> bool {
    language.inner_comments.iter().any(|start| comment.starts_with(start))
}

/// The end of the comments that follow an offset on the same line. Returns the offset if no comment follows.
pub(crate) fn end_on_line(text: &str, offset: usize, comments: Comments) -> usize {
    let end = lines::line_end(text, offset);
    let mut at = offset;
    loop {
        let rest = &text[at..end];
        let own = rest.trim_start_matches([' ', '\t']);
        let start = at + rest.len() - own.len();
        if comments.line.iter().any(|sign| own.starts_with(sign)) {
            return at + rest.trim_end().len();
        }
        let Some(BlockEnd::At(length)) = comments.block_end(own) else { return at };
        at = start + length;
    }
}

/// The end of a block whose last statement ends at `end`. It includes the comment on that line, and the following
/// comment lines that have at least the indentation of the block.
pub(crate) fn end_of_block(text: &str, start: usize, end: usize, comments: Comments) -> usize {
    let mut last = end_on_line(text, end, comments);
    if !lines::starts_line(text, start) || !lines::ends_line(text, last) {
        return last;
    }
    let indent = lines::indent_at(text, start);
    let mut line = lines::next_line(text, last);
    while line < text.len() {
        let line_end = lines::line_end(text, line);
        let whole = &text[line..line_end];
        let comment = whole.trim_start_matches([' ', '\t']);
        if is_comment(comment, comments) && whole.starts_with(indent) {
            last = line + whole.trim_end().len();
        } else if !comment.trim().is_empty() {
            break;
        }
        let next = lines::next_line(text, line);
        if next == line {
            break;
        }
        line = next;
    }
    last
}

/// Returns whether a line without its indentation starts with a comment.
pub(crate) fn is_comment(line: &str, comments: Comments) -> bool {
    comments.line.iter().any(|start| line.starts_with(start))
        || comments.block.iter().any(|(open, _)| line.starts_with(open))
}
