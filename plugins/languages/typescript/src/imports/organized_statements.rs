//! Import and export statements that are organized, with the comments around them and their groups.

use marquetry_sdk::{Span, lines};
use oxc_ast::ast::{Comment, Statement};
use oxc_span::GetSpan;

use crate::imports::statement::{self, ModuleStatement};
use crate::syntax::spans::span_in;

/// A statement to organize and its surroundings.
#[derive(Debug)]
pub(crate) struct OrganizedStatement<'t> {
    pub(crate) statement: ModuleStatement<'t>,
    /// Span of the comments before the statement on its line, and of a directive for a tool on the line above.
    pub(crate) lead: Span,
    /// Span from the end of the statement to the end of the comments after it on its line.
    pub(crate) tail: Span,
    /// True if a blank line or a separate comment is above the statement, so that a new group begins.
    begins_group: bool,
    /// True if the comment above is a directive for this statement only, so that the two must stay together.
    is_fixed: bool,
    /// True if a comment says that the statement must be kept even if it is unused.
    pub(crate) is_kept: bool,
    /// Comments within the statement that do not belong to a name.
    pub(crate) notes: Vec<&'t str>,
}

/// Returns the statements of a body to organize, in document order.
pub(crate) fn organized_statements<'t>(
    body: &[Statement<'_>],
    comments: &[Comment],
    text: &'t str,
    is_wanted: impl Fn(&Statement<'_>) -> bool,
) -> Vec<(usize, OrganizedStatement<'t>)> {
    let mut found: Vec<(usize, OrganizedStatement<'t>)> = Vec::new();
    for (index, it) in body.iter().enumerate().filter(|(_, it)| is_wanted(it)) {
        let Some(statement) = statement::parse_statement(it, comments, text) else { continue };
        let above = index.checked_sub(1).map_or(0, |above| span_in(body[above].span(), text).range().end);
        let start = statement.span.range().start;
        let tail = trailing_comments(comments, text, statement.span.range().end);
        let above = above.max(if index > 0 { self::trailing_comments(comments, text, above).range().end } else { 0 });
        let follows = found.last().is_some_and(|(last, member)| last + 1 == index && !member.is_fixed);
        let directive = follows.then(|| directive_above(comments, text, above, start)).flatten();
        let lead = directive.unwrap_or_else(|| leading_comments(comments, text, above.min(start), start));
        let begins = directive.is_none() && begins_group(comments, text, body, index);
        let stays = begins && has_directive_above(comments, text, statement.span.range().start);
        let notes = statement.other_comments(comments);
        let is_kept = is_kept(comments, text, statement.span);
        found.push((
            index,
            OrganizedStatement { statement, lead, tail, begins_group: begins, is_fixed: stays, is_kept, notes },
        ));
    }
    found
}

/// Returns the comments from `start` to the end of the line; empty if other code follows on the line.
fn trailing_comments(comments: &[Comment], text: &str, start: usize) -> Span {
    let first = comments.partition_point(|comment| (comment.span.start as usize) < start);
    let mut end = start;
    for comment in &comments[first..] {
        let span = span_in(comment.span, text).range();
        if !text[end..span.start].chars().all(|char| matches!(char, ' ' | '\t')) {
            break;
        }
        end = span.end;
    }
    let ends = lines::ends_line(text, end);
    Span::new(start, if ends { end } else { start })
}

/// Returns the comments after `from` that end on the line where a statement starts.
fn leading_comments(comments: &[Comment], text: &str, from: usize, start: usize) -> Span {
    let mut at = comments.partition_point(|comment| (comment.span.end as usize) <= start);
    let mut top = start;
    while let Some(comment) = at.checked_sub(1).map(|before| &comments[before]) {
        let span = span_in(comment.span, text).range();
        if span.start < from || !text[span.end..top].chars().all(|char| matches!(char, ' ' | '\t')) {
            break;
        }
        top = span.start;
        at -= 1;
    }
    Span::new(top, start)
}

/// Returns the directive for a tool on the line between two imports. It is moved together with the second one.
fn directive_above(comments: &[Comment], text: &str, above: usize, start: usize) -> Option<Span> {
    let before = comments.partition_point(|comment| (comment.span.end as usize) <= start);
    let comment = span_in(comments[before.checked_sub(1)?].span, text);
    let is_break = |gap: &str| gap.trim().is_empty() && gap.matches('\n').count() == 1;
    let own = comment.range();
    let is_between = above <= own.start && is_break(&text[above..own.start]) && is_break(&text[own.end..start]);
    (is_between && is_directive(comment.slice(text))).then(|| Span::new(own.start, start))
}

/// Returns whether the comment above is a directive for a tool.
fn has_directive_above(comments: &[Comment], text: &str, start: usize) -> bool {
    let before = comments.partition_point(|comment| (comment.span.end as usize) <= start);
    before.checked_sub(1).is_some_and(|index| {
        let span = span_in(comments[index].span, text);
        is_directive(span.slice(text)) && text[span.range().end..start].trim().is_empty()
    })
}

/// Returns whether a directive says that the statement is unused on purpose.
pub(crate) fn is_kept(comments: &[Comment], text: &str, statement: Span) -> bool {
    let range = statement.range();
    let says = |comment: Option<&Comment>, gap: &dyn Fn(Span) -> bool| {
        comment.map(|comment| span_in(comment.span, text)).is_some_and(|span| {
            let own = span.slice(text);
            is_directive(own) && own.to_lowercase().contains("unused") && gap(span)
        })
    };
    let above = comments.partition_point(|comment| (comment.span.end as usize) <= range.start);
    let behind = comments.partition_point(|comment| (comment.span.start as usize) < range.end);
    says(above.checked_sub(1).and_then(|index| comments.get(index)), &|span| {
        text[span.range().end..range.start].trim().is_empty()
    }) || says(comments.get(behind), &|span| !text[range.end..span.range().start].contains('\n'))
}

/// Returns whether a comment is a directive for a tool about the next statement or the same line.
pub(crate) fn is_directive(comment: &str) -> bool {
    let words = comment.trim_start_matches(['/', '*', ' ', '\t']);
    let known = [
        "eslint-disable-next-line",
        "eslint-disable-line",
        "@ts-ignore",
        "@ts-expect-error",
        "biome-ignore",
        "prettier-ignore",
    ];
    known.iter().any(|known| words.starts_with(known))
}

/// Returns whether a blank line, not counting comments, separates a statement from the one above.
fn begins_group(comments: &[Comment], text: &str, body: &[Statement<'_>], index: usize) -> bool {
    let start = span_in(body[index].span(), text).range().start;
    let Some(above) = index.checked_sub(1) else { return true };
    let mut at = span_in(body[above].span(), text).range().end;
    let first = comments.partition_point(|comment| (comment.span.start as usize) < at);
    let mut breaks = 0;
    for comment in comments[first..].iter().take_while(|comment| (comment.span.start as usize) < start) {
        let span = span_in(comment.span, text).range();
        breaks += text[at..span.start.max(at)].matches('\n').count();
        at = span.end;
    }
    breaks + text[at..start.max(at)].matches('\n').count() >= 2
}

/// Splits the members into groups, which are separated by blank lines and separate comments.
pub(crate) fn split_groups<'m, 't>(
    members: impl IntoIterator<Item = &'m OrganizedStatement<'t>>,
) -> Vec<Vec<&'m OrganizedStatement<'t>>>
where
    't: 'm,
{
    let mut groups: Vec<Vec<&OrganizedStatement<'t>>> = Vec::new();
    for member in members {
        match groups.last_mut() {
            Some(group) if !member.begins_group && !group[0].is_fixed => group.push(member),
            _ => groups.push(vec![member]),
        }
    }
    groups
}

/// Splits the members into groups, ignoring blank lines: only other statements and separate comments separate groups.
pub(crate) fn split_runs<'m, 't>(
    members: &'m [(usize, OrganizedStatement<'t>)],
    text: &str,
) -> Vec<Vec<&'m OrganizedStatement<'t>>> {
    let follows = |(one, above): &(usize, OrganizedStatement<'_>), (other, below): &(usize, OrganizedStatement<'_>)| {
        let between = &text[above.tail.range().end..below.lead.range().start];
        one + 1 == *other && between.trim().is_empty() && !above.is_fixed
    };
    let runs = members.chunk_by(follows);
    runs.map(|run| run.iter().map(|(_, member)| member).collect()).collect()
}

/// Returns the specifiers in each group, from which the order of the file is detected.
pub(crate) fn group_specifiers<'m>(groups: &'m [Vec<&OrganizedStatement<'_>>]) -> Vec<Vec<&'m str>> {
    let names = |group: &'m Vec<&OrganizedStatement<'_>>| {
        group.iter().map(|member| member.statement.specifier.as_deref().unwrap_or_default()).collect()
    };
    groups.iter().map(names).collect()
}
