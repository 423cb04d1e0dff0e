//! Delimited blocks: their content, insertion into them, and lists with separators.

use marquetry_sdk::{
    Edit, Result, Span,
    items::{EmptyStyle, Items},
    lines,
};

use crate::{
    arena::{Arena, NodeIndex, ROOT},
    blocks::Statements,
    document::CodeDocument,
    language::{Block, Language},
    layout::{Content, Place},
};

/// The range between the delimiters of a block. For the top-level block of a file, which has no delimiters, the whole
/// range.
pub(crate) fn inner_span(language: &Language, arena: &Arena, block: NodeIndex) -> Span {
    let own = arena.node(block).span;
    let Block::Delimited { open, close, .. } = language.form else { return own };
    if arena.node(block).parent == ROOT {
        return own;
    }
    let text = own.slice(&arena.text);
    let start = if text.starts_with(open) { own.start + open.len() as u32 } else { own.start };
    // If the block is not closed, its last bracket may belong to its last statement.
    let last = arena.children(block).last().map_or(start, |last| arena.node(last).span.end);
    let is_closed =
        text.len() >= open.len() + close.len() && text.ends_with(close) && last + close.len() as u32 <= own.end;
    let end = if is_closed { own.end - close.len() as u32 } else { own.end };
    Span { start, end: end.max(start) }
}

/// The range between the delimiters, without leading and trailing white space.
pub(crate) fn content_span(language: &Language, arena: &Arena, block: NodeIndex) -> Span {
    let inner = inner_span(language, arena, block);
    let text = inner.slice(&arena.text);
    if text.trim().is_empty() {
        return Span { start: inner.start, end: inner.start };
    }
    let start = inner.range().start + text.len() - text.trim_start().len();
    Span::new(start, inner.range().start + text.trim_end().len())
}

/// The indentation of the statements of a block: that of the first statement that starts a line, or else one level more
/// than the line of the block.
pub(crate) fn indent(document: &CodeDocument, block: NodeIndex) -> String {
    let (arena, text) = (document.arena(), document.text_str());
    let starts = arena.children(block).map(|child| arena.node(child).span.range().start);
    if let Some(first) = starts.into_iter().find(|start| lines::starts_line(text, *start)) {
        return lines::indent_at(text, first).to_owned();
    }
    if arena.node(block).parent == ROOT {
        return String::new();
    }
    format!("{}{}", outer_indent(document, block), document.unit())
}

/// The indentation of the line with the end of a block, or the indentation that this line would have.
pub(crate) fn outer_indent(document: &CodeDocument, block: NodeIndex) -> &str {
    let (arena, text) = (document.arena(), document.text_str());
    let inner = inner_span(document.language(), arena, block).range();
    let is_closed_below = inner.end < text.len() && lines::starts_line(text, inner.end) && inner.start < inner.end;
    lines::indent_at(text, if is_closed_below { inner.end } else { inner.start })
}

/// The edit that removes everything between the delimiters.
pub(crate) fn clear(document: &CodeDocument, block: NodeIndex) -> Edit {
    let inner = inner_span(document.language(), document.arena(), block);
    match document.language().form {
        // A line break starts the block, so one must remain.
        Block::Delimited { open: "", .. } => Edit::new(inner, format!("\n{}", outer_indent(document, block))),
        _ => Edit::remove(inner),
    }
}

/// The edits that replace the content of a block.
pub(crate) fn replace_content(document: &CodeDocument, block: NodeIndex, content: &str) -> Vec<Edit> {
    let (language, arena, text) = (document.language(), document.arena(), document.text_str());
    let (inner, own) = (inner_span(language, arena, block), content_span(language, arena, block));
    if content.trim().is_empty() {
        return vec![clear(document, block)];
    }
    let parsed = Content::new(language, document.path(), content, language.context(arena, block));
    let is_inline = !inner.slice(text).contains(['\n', '\r']);
    if is_inline && !own.is_empty() && parsed.is_one_line() {
        return vec![Edit::new(own, parsed.text())];
    }
    let indent = indent(document, block);
    let new = parsed.at(Place { indent: &indent, unit: document.unit() });
    let is_apart = lines::starts_line(text, own.range().start) && lines::ends_line(text, own.range().end);
    if is_apart && !own.is_empty() && !is_inline {
        return vec![Edit::new(own, new)];
    }
    let outer = outer_indent(document, block);
    vec![Edit::new(inner, format!("\n{indent}{new}\n{outer}"))]
}

/// The edits that insert content into a block without statements, after the block's comments.
pub(crate) fn fill(document: &CodeDocument, block: NodeIndex, content: &Content) -> Vec<Edit> {
    let (language, arena, text) = (document.language(), document.arena(), document.text_str());
    let (inner, own) = (inner_span(language, arena, block), content_span(language, arena, block));
    let (indent, outer) = (indent(document, block), outer_indent(document, block));
    let new = content.at(Place { indent: &indent, unit: document.unit() });
    if own.is_empty() {
        return vec![Edit::new(inner, format!("\n{indent}{new}\n{outer}"))];
    }
    let rest = Span { start: own.end, end: inner.end };
    let tail = if rest.slice(text).contains(['\n', '\r']) { Span::at(own.range().end) } else { rest };
    let end = if tail == rest && !rest.is_empty() || !rest.slice(text).contains('\n') {
        format!("\n{outer}")
    } else {
        String::new()
    };
    vec![Edit::new(tail, format!("\n{indent}{new}{end}"))]
}

/// The edits that expand a block on one line to several lines, and insert content before the statement at an index. If
/// the index is the number of statements, the content is appended.
pub(crate) fn expand(
    document: &CodeDocument,
    block: NodeIndex,
    (index, spans): (usize, &[Span]),
    content: &Content,
) -> Vec<Edit> {
    let (language, arena, text) = (document.language(), document.arena(), document.text_str());
    let inner = inner_span(language, arena, block);
    let (indent, outer) = (indent(document, block), outer_indent(document, block));
    let new = content.at(Place { indent: &indent, unit: document.unit() });
    let at = spans.get(index).map_or(inner.end, |next| next.start);
    let before = Span { start: inner.start, end: at }.slice(text).trim();
    let after = Span { start: at, end: inner.end }.slice(text).trim();
    let parts = [before, &new, after];
    let lines: Vec<String> =
        parts.into_iter().filter(|part| !part.is_empty()).map(|part| format!("\n{indent}{part}")).collect();
    vec![Edit::new(inner, format!("{}\n{outer}", lines.concat()))]
}

/// The items of a list with a separator.
pub(crate) fn list<'d>(statements: &Statements<'d>, document: &'d CodeDocument, block: NodeIndex) -> Items<'d> {
    let (language, arena) = (document.language(), document.arena());
    Items {
        text: document.text_str(),
        inner: inner_span(language, arena, block),
        items: statements.spans(),
        separator: language.separator(arena, block),
        terminated: false,
        comments: language.comments,
        unit: document.unit(),
        empty: EmptyStyle::Block,
        breaks: 1,
    }
}

/// The edits that insert content into a list before the item at an index.
///
/// # Errors
///
/// Fails with `Unsupported` if a comment cannot be inserted at this position.
pub(crate) fn insert_item(items: &Items<'_>, index: usize, content: &Content, unit: &str) -> Result<Vec<Edit>> {
    let indent = items.indent();
    let new = content.at(Place { indent: &indent, unit });
    if content.is_comment() {
        return items.insert_comment(index, &new).ok_or_else(|| {
            marquetry_sdk::Failure::unsupported("the items are on one line").hint("put the comment on the line above")
        });
    }
    let new = new.trim_end().strip_suffix(items.separator).unwrap_or(&new).trim_end();
    let mut edits = items.insert(index, new);
    // A list with its items on separate lines gets a separator after its last item.
    let ends_with_item = index >= items.items.len() && (items.in_block() || items.items.is_empty());
    let has_last = items.items.last().is_none_or(|last| items.separator_after(last.range().end).is_none());
    if let Some(last) = edits.last_mut().filter(|_| ends_with_item && has_last) {
        let at = last.text.rfind(new).map_or(last.text.len(), |at| at + new.len());
        last.text.insert_str(at, items.separator);
    }
    Ok(edits)
}
