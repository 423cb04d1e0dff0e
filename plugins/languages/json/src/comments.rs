//! Finds comments between values, and those that belong to the value below them.

use marquetry_sdk::{Span, directives, lines};

/// Returns the comments that belong to the value at the end of the gap. They are directly above the value, or before it
/// on its line, without a blank line between. The gap contains only white space, separators and comments.
pub(crate) fn attached_comments(text: &str, gap: std::ops::Range<usize>) -> Option<Span> {
    let mut below = gap.end;
    for comment in comment_ranges(text, gap.clone()).into_iter().rev() {
        let between = &text[comment.end..below];
        let breaks = between.matches('\n').count().max(between.matches('\r').count());
        let is_apart = directives::is_about_region(&text[comment.clone()]);
        if breaks > 1 || is_apart || !between.trim().is_empty() || !lines::starts_line(text, comment.start) {
            break;
        }
        below = comment.start;
    }
    let end = gap.start + text[gap.start..gap.end].trim_end().len();
    (below < gap.end).then(|| Span::new(below, end.max(below)))
}

/// Returns whether the gap has comments.
pub(crate) fn has_comments(text: &str, gap: std::ops::Range<usize>) -> bool {
    !comment_ranges(text, gap).is_empty()
}

/// Returns whether a content has a comment that ends with its line.
pub(crate) fn has_line_comment(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find(['"', '/']) {
        rest = &rest[at..];
        let length = match rest.as_bytes() {
            [b'/', b'/', ..] => return true,
            [b'/', b'*', ..] => rest[2..].find("*/").map(|end| end + 4),
            [b'"', ..] => string_length(rest),
            _ => Some(1),
        };
        rest = length.map_or("", |length| &rest[length..]);
    }
    false
}

/// Returns the length of the string that a text starts with, or `None` if it is not closed.
fn string_length(text: &str) -> Option<usize> {
    let mut at = 1;
    loop {
        let found = at + text[at..].find(['"', '\\'])?;
        match text.as_bytes()[found] {
            b'"' => return Some(found + 1),
            _ => at = found + 1 + text[found + 1..].chars().next()?.len_utf8(),
        }
    }
}

/// Returns whether the text contains comments and nothing else.
pub(crate) fn is_only_comments(text: &str) -> bool {
    let found = comment_ranges(text, 0..text.len());
    let starts = found.iter().map(|comment| comment.start).chain([text.len()]);
    let ends = [0].into_iter().chain(found.iter().map(|comment| comment.end));
    !found.is_empty() && ends.zip(starts).all(|(from, to)| text[from..to].trim().is_empty())
}

/// Returns the ranges of the comments in a gap.
pub(crate) fn comment_ranges(text: &str, gap: std::ops::Range<usize>) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut at = gap.start;
    while let Some(start) = text[at..gap.end].find('/').map(|offset| at + offset) {
        let rest = &text[start..gap.end];
        let length = if rest.starts_with("//") {
            rest.find(['\n', '\r'])
        } else if let Some(inner) = rest.strip_prefix("/*") {
            inner.find("*/").map(|offset| offset + 4)
        } else {
            return found; // malformed text: comments before it are not attached
        };
        at = start + length.unwrap_or(rest.len());
        found.push(start..at);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comment_directly_above_is_attached() {
        let check = |gap: &str, expected: Option<&str>| {
            let found = attached_comments(gap, 0..gap.len()).map(|span| span.slice(gap));
            assert_eq!(found, expected, "{gap:?}");
        };
        check("\n  // one\n  // two\n  ", Some("// one\n  // two"));
        check(", // behind\n  // above\n  ", Some("// above"));
        check("\n  // far\n\n  /* near\n   // */\n  ", Some("/* near\n   // */"));
        check("\n  /* same line */ ", Some("/* same line */"));
        check(", // behind\n  ", None);
        check("\r\n// far\r\n\r\n", None);
        check(" ", None);
    }

    #[test]
    fn line_comments_are_found_outside_of_strings() {
        for text in ["1 // a", "// a\n1", "\"\\\"\" // a", "/* \" */ 1 // a"] {
            assert!(has_line_comment(text), "{text}");
        }
        for text in ["\"http://a\"", "\"\\\"//\"", "/* // */ 1", "1 / 2", "\"//", "/* // a"] {
            assert!(!has_line_comment(text), "{text}");
        }
    }

    #[test]
    fn recognizes_text_of_only_comments() {
        for text in ["// a", "/* a */", "// a\n// b", "/* a\n */ // b"] {
            assert!(is_only_comments(text), "{text}");
        }
        for text in ["", " ", "1 // a", "/* a */ 1", "/ a", "// a\n1"] {
            assert!(!is_only_comments(text), "{text}");
        }
    }
}
