//! Comments attached to the code that follows them.

use marquetry_sdk::{Span, directives, lines};
use oxc_ast::ast::Comment;

use crate::syntax::spans::span_in;

/// Returns the comment attached to the code that starts at this offset. This is a `/** */` comment or a block of `//`
/// lines directly above the code, or a `/** */` comment before the code on the same line.
pub(crate) fn attached_comment(comments: &[Comment], text: &str, at: usize) -> Option<Span> {
    let mut index = comments.partition_point(|comment| comment.span.end as usize <= at);
    let mut top = at;
    let mut found = None;
    while let Some(comment) = index.checked_sub(1).map(|index| &comments[index]) {
        let span = span_in(comment.span, text);
        let own = span.slice(text);
        let gap = &text[span.range().end..top];
        if !gap.trim().is_empty() || gap.matches('\n').count() > 1 || is_file_comment(comment, own) {
            break;
        }
        let is_doc = own.starts_with("/**");
        let same_line = !gap.contains(['\n', '\r']);
        if !lines::starts_line(text, span.range().start) && !(same_line && is_doc) || (same_line && !is_doc) {
            break;
        }
        found = Some(Span::new(span.range().start, found.map_or(span.range().end, |below: Span| below.range().end)));
        if comment.is_block() {
            break;
        }
        top = span.range().start;
        index -= 1;
    }
    found
}

/// Returns the start of the comments directly above the node at offset `at`, or `at` if there are none. License
/// comments and `///` directives belong to the file and are not included.
pub(crate) fn comments_start(comments: &[Comment], text: &str, at: u32) -> u32 {
    if !lines::starts_line(text, at as usize) {
        return at;
    }
    let mut top = at;
    for comment in comments[..comments.partition_point(|comment| comment.span.end <= at)].iter().rev() {
        let gap = &text[comment.span.end as usize..top as usize];
        let is_apart = !gap.trim().is_empty() || gap.matches('\n').count() != 1;
        let is_about_file = comment.is_legal() || comment.span.source_text(text).starts_with("///");
        if is_apart || is_about_file || !lines::starts_line(text, comment.span.start as usize) {
            break;
        }
        top = comment.span.start;
    }
    top
}

/// Returns whether a comment is about the file or a region rather than about the next node.
fn is_file_comment(comment: &Comment, own: &str) -> bool {
    comment.is_legal() || own.starts_with("///") || directives::is_about_region(own)
}
