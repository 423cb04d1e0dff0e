//! Comments around statements: which of them describe a statement, and which belong to the end of a block.

use marquetry_sdk::{Span, directives::is_about_region, items::Comments, lines};

/// The comment lines directly above a statement that describe it. `None` without such lines, or if the statement does
/// not start its line.
pub(crate) fn attached_above(text: &str, start: usize, comments: Comments) -> Option<Span> {
    if !lines::starts_line(text, start) {
        return None;
    }
    let indent = lines::indent_at(text, start);
    let mut line = lines::line_start(text, start);
    let end = lines::previous_line(text, line).map(|above| lines::line_end(text, above))?;
    let mut first = None;
    while let Some(above) = lines::previous_line(text, line) {
        let whole = &text[above..lines::line_end(text, above)];
        let comment = whole.trim_start_matches([' ', '\t']);
        let is_interpreter = above == 0 && comment.starts_with("#!");
        if !is_comment(comment, comments)
            || is_about_region(comment)
            || is_interpreter
            || !whole.starts_with(indent)
            || whole.len() - comment.len() != indent.len()
        {
            break;
        }
        first = Some(above + indent.len());
        line = above;
    }
    first.map(|first| Span::new(first, end))
}

/// The end of the comment after an offset on its line; the offset itself without the white space before it if there is
/// none.
pub(crate) fn end_on_line(text: &str, offset: usize, comments: Comments) -> usize {
    let end = lines::line_end(text, offset);
    let rest = text[offset..end].trim_start_matches([' ', '\t']);
    if is_comment(rest, comments) { offset + text[offset..end].trim_end().len() } else { offset }
}

/// The end of a block whose last statement ends at `end`: after the comment on its line, and after the following
/// comment lines that are indented at least as deep as the block.
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

/// Returns whether a line without its indentation is a comment.
pub(crate) fn is_comment(line: &str, comments: Comments) -> bool {
    comments.line.iter().any(|start| line.starts_with(start))
}
