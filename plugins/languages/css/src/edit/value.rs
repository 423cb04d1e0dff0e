//! Replaces the value of a declaration and keeps its flags, such as `!important`.

use marquetry_sdk::{Edit, Span};

use super::content::reindent_text;
use crate::{
    scanner::{Scanner, TokenKind},
    tree::{Item, Tree},
};

/// Flags after a value. `!important` is defined by CSS, the others by SCSS.
const FLAGS: [&str; 4] = ["important", "default", "global", "optional"];

/// Returns the edit that replaces the value of a declaration.
pub(super) fn replace_value(tree: &Tree, item: &Item, body: Span, content: &str, depth: &str) -> Edit {
    let text = reindent_text(content.trim_end_matches(';').trim_ascii_end(), depth, tree.dialect);
    if body.is_empty() {
        return insert_value(tree, item, body, &text);
    }
    let old = body.slice(&tree.text);
    let scan = |text| Scanner::without_reports(text, tree.dialect);
    // If the new value has flags, they replace the old ones.
    let kept = if flags_start(&mut scan(&text)).is_some() {
        ""
    } else {
        flags_start(&mut scan(old)).map_or("", |at| &old[at..])
    };
    if kept.len() == old.len() {
        return Edit::new(body, format!("{text} {kept}"));
    }
    Edit::new(body, format!("{text}{kept}"))
}

/// Inserts a value into a declaration that has none, and removes the white space before the semicolon.
fn insert_value(tree: &Tree, item: &Item, body: Span, text: &str) -> Edit {
    let start = body.range().start;
    let space = if tree.text[..start].ends_with(':') { " " } else { "" };
    let blank = tree.text[start..].len() - tree.text[start..].trim_start_matches([' ', '\t']).len();
    let is_end = item.has_semicolon() && start + blank + 1 == item.end_with_semicolon as usize;
    let end = if is_end { start + blank } else { start };
    Edit::new(start..end, format!("{space}{text}"))
}

/// Returns the start of the flags at the end of a value. The white space before them counts as part of the flags.
fn flags_start(scan: &mut Scanner<'_>) -> Option<usize> {
    let text = scan.text;
    let mut from: Option<usize> = None;
    let (mut at, mut last, mut is_sign) = (0, 0, false);
    loop {
        let (part, end) = scan.token_at(at);
        match part {
            TokenKind::End => return from.filter(|_| !is_sign),
            TokenKind::Space | TokenKind::Comment => {}
            TokenKind::Other if &text[at..end] == "!" => {
                from.get_or_insert(last);
                is_sign = true;
                last = end;
            }
            TokenKind::Word if is_sign && FLAGS.iter().any(|flag| text[at..end].eq_ignore_ascii_case(flag)) => {
                is_sign = false;
                last = end;
            }
            _ => {
                from = None;
                is_sign = false;
                last = end;
            }
        }
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chars::Dialect;

    #[track_caller]
    fn check(value: &str, expected: Option<&str>) {
        let found = flags_start(&mut Scanner::without_reports(value, Dialect::Scss)).map(|at| &value[at..]);
        assert_eq!(found, expected, "{value}");
    }

    #[test]
    fn flags_are_found_at_end_of_value() {
        check("red !important", Some(" !important"));
        check("red!important", Some("!important"));
        check("4px  ! Important", Some("  ! Important"));
        check("(a: 1) !default !global", Some(" !default !global"));
        check("red /* why */ !important", Some(" /* why */ !important"));
        check("!important", Some("!important"));
        for none in ["red", "\"!important\"", "f(!important)", "a ! b", "!important red", "a !", "a !other"] {
            check(none, None);
        }
    }
}
