//! Extracts the text of comments.

/// Markers at the start of a comment line, longest first.
const OPENING: [&str; 9] = ["<!---", "<!--", "/**", "/*!", "///", "//!", "/*", "//", "--[["];
/// Markers at the end of a comment.
const CLOSING: [&str; 4] = ["--->", "-->", "*/", "]]"];
/// Markers of a comment line that can be repeated.
const REPEATED: [char; 3] = ['#', ';', '%'];

/// Returns the text of a comment without markers and indentation, as Markdown.
pub(super) fn comment_text(comment: &str) -> String {
    let comment = comment.trim();
    let is_block = ["/*", "<!--", "--[["].iter().any(|sign| comment.starts_with(sign));
    let lines: Vec<&str> = comment.lines().map(|line| line_text(line, is_block)).collect();
    let first = lines.iter().position(|line| !line.is_empty()).unwrap_or(0);
    let last = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |at| at + 1);
    lines.get(first..last).unwrap_or_default().join("\n")
}

/// Returns one line of a comment without its markers.
fn line_text(line: &str, is_block: bool) -> &str {
    let mut text = line.trim();
    for sign in CLOSING {
        text = text.strip_suffix(sign).unwrap_or(text).trim_end();
    }
    if let Some(rest) = OPENING.iter().find_map(|sign| text.strip_prefix(sign)) {
        text = rest;
    } else if is_block {
        // `*` at the start of a line is a border; `*word*` is emphasis.
        text = match text.strip_prefix('*') {
            Some(rest) if rest.is_empty() || rest.starts_with(' ') || rest.starts_with('\t') => rest,
            _ => text,
        };
    } else if let Some(rest) = text.strip_prefix("-- ") {
        text = rest;
    } else {
        text = text.trim_start_matches(REPEATED);
    }
    text.strip_prefix(' ').unwrap_or(text).trim_end()
}

#[cfg(test)]
mod tests {
    use super::comment_text;

    #[test]
    fn comment_markers_are_removed() {
        for (comment, text) in [
            ("/**\n * Adds.\n *\n * @param a one\n */", "Adds.\n\n@param a one"),
            ("/* one line */", "one line"),
            ("/*\n   a\n   *b* c\n*/", "a\n*b* c"),
            ("// a\n//  b", "a\n b"),
            ("/// a\n/// b", "a\nb"),
            ("# a\n#\n## b", "a\n\nb"),
            ("<!-- a\n  b -->", "a\nb"),
            ("-- a\n-- b", "a\nb"),
            ("; a", "a"),
            ("no comment", "no comment"),
            ("/**/", ""),
            ("", ""),
        ] {
            assert_eq!(comment_text(comment), text, "{comment:?}");
        }
    }
}
