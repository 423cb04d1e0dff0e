//! Shortens selectors and preludes for display.

use crate::{
    chars::Dialect,
    scanner::{Scanner, TokenKind},
    white_space::{Gap, is_word, normalize_white_space},
};

/// Collapses white space to single spaces and removes comments.
pub(crate) fn collapse(text: &str, dialect: Dialect) -> String {
    let mut scan = Scanner::without_reports(text, dialect);
    let mut out = String::with_capacity(text.len());
    let (mut at, mut gap) = (0, Gap::None);
    loop {
        let (part, end) = scan.token_at(at);
        match part {
            TokenKind::End => return out,
            TokenKind::Space => gap = Gap::Space,
            TokenKind::Comment if gap == Gap::None => gap = Gap::Comment,
            TokenKind::Comment => {}
            TokenKind::Comma => {
                out.push(',');
                gap = Gap::Space;
            }
            _ => {
                match gap {
                    Gap::Space if !out.is_empty() => out.push(' '),
                    Gap::Comment if part == TokenKind::Word && out.ends_with(is_word) => out.push_str("/**/"),
                    _ => {}
                }
                gap = Gap::None;
                match part {
                    TokenKind::Group | TokenKind::Interpolation if text[at..end].contains(['\n', '\r']) => {
                        normalize_white_space(&text[at..end], &mut out);
                    }
                    _ => out.push_str(&text[at..end]),
                }
            }
        }
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collapse_removes_comments_and_extra_space() {
        assert_eq!(collapse("a ,\n  b /* x */ > c", Dialect::Css), "a, b > c");
        assert_eq!(collapse("x(\n  $a: 1,\n  $b: 'p  q'\n)", Dialect::Scss), "x($a: 1, $b: 'p  q')");
        assert_eq!(collapse(".in/**/side", Dialect::Css), ".in/**/side");
    }
}
