//! Removing links together with the statements that exist only for them.

use marquetry_sdk::{Edit, FailureKind, Result, Span, fail, lines};

use crate::links::find::Found;

/// Returns the edits that remove the links with these indices.
pub(crate) fn unlink(text: &str, found: &[Found], links: &[u32]) -> Result<Vec<Edit>> {
    let mut gone: Vec<Span> = Vec::new();
    for index in links {
        let Some(found) = found.get(*index as usize) else {
            return Err(fail(FailureKind::InvalidArgument, format!("there is no link {index}")));
        };
        let Some(statement) = found.removal else {
            let link = &found.link;
            let message =
                format!("the {} of `{}` cannot be removed: its value is used", kind_label(&link.kind), link.specifier);
            return Err(fail(FailureKind::RefactorFailed, message)
                .hint("edit the statement that contains it by hand")
                .at(link.span));
        };
        gone.push(whole_line_span(text, statement));
    }
    gone.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut edits: Vec<Edit> = Vec::new();
    for span in gone {
        match edits.last_mut() {
            Some(last) if last.span.contains(span) => {}
            Some(last) if span.start < last.span.end => last.span.end = last.span.end.max(span.end),
            _ => edits.push(Edit::remove(span)),
        }
    }
    Ok(edits)
}

fn kind_label(kind: &str) -> String {
    kind.replace('-', " ")
}

/// Extends a statement to its whole line if nothing else but a trailing comment is on it.
fn whole_line_span(text: &str, statement: Span) -> Span {
    let (start, end) = (statement.range().start, statement.range().end);
    let line_end = lines::line_end(text, end);
    let after = text[end..line_end].trim_start();
    let alone = lines::starts_line(text, start) && (after.is_empty() || after.starts_with("//"));
    if !alone {
        let spaces = text[end..line_end].len() - text[end..line_end].trim_start_matches([' ', '\t']).len();
        return Span::new(start, end + spaces);
    }
    let first = lines::line_start(text, start);
    let mut next = lines::next_line(text, end);
    // If the statement is between two empty lines, remove one of them as well.
    let empty_before = first == 0 || text[..first].lines().next_back().is_some_and(|line| line.trim().is_empty());
    let following = lines::line_end(text, next);
    if empty_before && next < text.len() && text[next..following].trim().is_empty() {
        next = lines::next_line(text, next);
    }
    Span::new(first, next)
}
