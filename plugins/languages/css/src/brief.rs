//! Selectors and preludes in a short form for display.

use crate::{
    chars::Dialect,
    scan::{Part, Scan},
    space::{Gap, is_word, squeeze},
};

/// Collapses white space to single spaces and removes comments.
pub(crate) fn collapse(text: &str, dialect: Dialect) -> String {
    let mut scan = Scan::quiet(text, dialect);
    let mut out = String::with_capacity(text.len());
    let (mut at, mut gap) = (0, Gap::None);
    loop {
        let (part, end) = scan.part(at);
        match part {
            Part::End => return out,
            Part::Space => gap = Gap::Space,
            Part::Comment if gap == Gap::None => gap = Gap::Comment,
            Part::Comment => {}
            Part::Comma => {
                out.push(',');
                gap = Gap::Space;
            }
            _ => {
                match gap {
                    Gap::Space if !out.is_empty() => out.push(' '),
                    Gap::Comment if part == Part::Word && out.ends_with(is_word) => out.push_str("/**/"),
                    _ => {}
                }
                gap = Gap::None;
                match part {
                    Part::Group | Part::Interpolation if text[at..end].contains(['\n', '\r']) => {
                        squeeze(&text[at..end], &mut out);
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
