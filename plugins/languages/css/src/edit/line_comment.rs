//! Line comments at the end of content. The semicolon, comma or brace after the content is written before the comment, or
//! on the next line.

use marquetry_sdk::{
    Edit, Span,
    items::{EmptyStyle, Items},
};

use super::{
    container::{comment_syntax, start_with_doc},
    content::Style,
    maps,
};
use crate::{
    chars::Dialect,
    scanner::{Scanner, TokenKind},
    tree::{Item, Kind, Tree},
};

/// Splits a text at the comments after its last token if a line comment is among them. The white space before the comments
/// is part of them. A text of comments only is not split.
pub(super) fn split_comments(text: &str, dialect: Dialect) -> (&str, &str) {
    let (code, is_open) = code_before_comments(text, dialect);
    if is_open && code > 0 { (&text[..code], text[code..].trim_ascii_end()) } else { (text, "") }
}

/// Returns whether a text ends with a line comment, so that nothing can follow it on its line.
pub(super) fn ends_open(text: &str, dialect: Dialect) -> bool {
    code_before_comments(text.trim_ascii_end(), dialect).1
}

/// Returns the end of the last token that is not a comment, and whether the last comment after it ends with its line.
fn code_before_comments(text: &str, dialect: Dialect) -> (usize, bool) {
    if !dialect.line_comments() || !text.contains("//") {
        return (text.len(), false);
    }
    let mut scan = Scanner::without_reports(text, dialect);
    let (mut at, mut code, mut is_open) = (0, 0, false);
    while at < text.len() {
        let (part, end) = scan.token_at(at);
        match part {
            TokenKind::End => break,
            TokenKind::Space => {}
            TokenKind::Comment => is_open = text[at..end].starts_with("//"),
            _ => (code, is_open) = (end, false),
        }
        at = end.max(at + 1);
    }
    (code, is_open)
}

/// Returns the edit that puts comments after an item and its separator, at the end of the line.
pub(super) fn insert_comments_after(tree: &Tree, style: &Style, item: &Item, comments: &str) -> Edit {
    let separator = if item.kind == Kind::Entry { "," } else { ";" };
    let inner = match tree.items.get(item.parent as usize) {
        None => Span::new(0, tree.text.len()),
        Some(_) if item.kind == Kind::Entry => maps::bracket_content(tree, item.parent).unwrap_or(item.span()),
        Some(parent) => Span { start: parent.body_start, end: parent.body_end },
    };
    let items = Items {
        text: &tree.text,
        inner,
        items: vec![Span::new(start_with_doc(tree, item), item.end as usize)],
        separator: if item.block { "" } else { separator },
        terminated: false,
        comments: comment_syntax(tree.dialect),
        unit: style.indent_unit(),
        empty: EmptyStyle::Block,
        breaks: 1,
    };
    items.insert_comments_after(item.end as usize, comments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_split_before_its_last_line_comment() {
        let check = |text: &str, code: &str, comments: &str| {
            assert_eq!(split_comments(text, Dialect::Scss), (code, comments), "{text}");
        };
        check("red // x", "red", " // x");
        check("a: b; // x", "a: b;", " // x");
        check("a: b /* y */ // x", "a: b", " /* y */ // x");
        check("a: b // x\n// y", "a: b", " // x\n// y");
        check("a: b; // x\nc: d", "a: b; // x\nc: d", "");
        check("a: b /* // x */", "a: b /* // x */", "");
        check("url(http://x)", "url(http://x)", "");
        check("\"// x\"", "\"// x\"", "");
        check(".a { } // x", ".a { }", " // x");
        check("// x", "// x", "");
        assert_eq!(split_comments("red // x", Dialect::Css), ("red // x", ""));
        assert!(ends_open("// x\n", Dialect::Less) && !ends_open("// x", Dialect::Css));
    }
}
