//! Finds the comments that belong to the values below them.

use marquetry_sdk::{Span, directives, lines};

/// Returns the comments directly above an offset, without a blank line between. Comments before `bound` are ignored.
pub(crate) fn attached_comments(text: &str, bound: usize, start: usize) -> Option<Span> {
    if !lines::starts_line(text, start) {
        return None;
    }
    let own = lines::line_start(text, start);
    let mut first = own;
    while let Some(above) = lines::previous_line(text, first)
        && above >= bound
        && text[above..first].trim_start_matches([' ', '\t', '\u{feff}']).starts_with('#')
        && !directives::is_about_region(text[above..first].trim_start_matches([' ', '\t', '\u{feff}']))
    {
        first = above;
    }
    let comments = text[first..own].trim_end_matches([' ', '\t', '\r', '\n']);
    let from = first + comments.len() - comments.trim_start_matches([' ', '\t', '\u{feff}']).len();
    (first < own).then(|| Span::new(from, first + comments.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comment_directly_above_is_attached() {
        let check = |text: &str, bound: usize, expected: Option<&str>| {
            let start = text.find("it").expect("it");
            assert_eq!(attached_comments(text, bound, start).map(|span| span.slice(text)), expected, "{text:?}");
        };
        check("# one\n  # two\n  it", 0, Some("# one\n  # two"));
        check("# far\n\n# near\r\nit", 0, Some("# near"));
        check("# far\n\nit", 0, None);
        check("x = 1 # behind\nit", 5, None);
        check("'''\n# no'''\nit", 11, None);
        check("it", 0, None);
        check("\u{feff}# one\nit", 0, Some("# one"));
    }
}
