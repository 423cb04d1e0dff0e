//! Removes names from a declaration of several names: `x, y int`, `var a, b = 1, 2`.

use std::ops::Range;

use marquetry_code::{Arena, CodeDocument, NodeIndex, TokenKind};
use marquetry_sdk::{Edit, Failure, Result, Span, lines};

use crate::kinds::{F, K, has_kind, with_role};

/// Edits that remove some of the names of a declaration, and the values of these names. Columns that are aligned with
/// the lines around the declaration stay aligned.
///
/// # Errors
///
/// Fails if the values of the other names would change.
pub(crate) fn remove_names(
    document: &CodeDocument,
    declaration: NodeIndex,
    removed: &[NodeIndex],
) -> Result<Vec<Edit>> {
    let arena = document.arena();
    let names: Vec<NodeIndex> = with_role(arena, declaration, F::Name).collect();
    let values: Vec<NodeIndex> = with_role(arena, declaration, F::Body).collect();
    let list = removed.iter().map(|name| arena.slice(*name)).collect::<Vec<_>>().join("`, `");
    let refused = |why: String, hint: &str| Err(Failure::unsupported(why).hint(hint).at(arena.node(removed[0]).span));
    if !values.is_empty() && values.len() != names.len() {
        return refused(
            format!("one call gives the values of `{list}` and of other names"),
            "`replace` the name with `_` to keep the call, or edit the `lines` of the declaration",
        );
    }
    if has_kind(arena, declaration, K::Const) && repeats_values(arena, declaration, &values) {
        return refused(
            format!("other constants of the group repeat the values of the line of `{list}`, or it repeats others"),
            "`replace` the name with `_`, or edit the `lines` of the group",
        );
    }
    let has_comment = |nodes: &[NodeIndex]| {
        let span = whole(arena, nodes);
        arena.tokens_in(span).iter().any(|token| token.kind == TokenKind::Comment)
    };
    if has_comment(&names) || !values.is_empty() && has_comment(&values) {
        return refused(
            format!("there are comments between the names or values around `{list}`"),
            "edit the `lines` of the declaration",
        );
    }
    let is_removed: Vec<bool> = names.iter().map(|name| removed.contains(name)).collect();
    let mut edits = removal(document, declaration, &names, &is_removed);
    if !values.is_empty() {
        edits.extend(removal(document, declaration, &values, &is_removed));
    }
    Ok(edits)
}

/// Returns whether a constant without values repeats those of this declaration, or this declaration repeats others.
fn repeats_values(arena: &Arena, declaration: NodeIndex, values: &[NodeIndex]) -> bool {
    let siblings: Vec<NodeIndex> = arena.children(arena.node(declaration).parent).collect();
    let next = siblings.iter().skip_while(|other| **other != declaration).nth(1);
    let is_implicit =
        |next: &NodeIndex| has_kind(arena, *next, K::Const) && arena.child(*next, F::Body.into()).is_none();
    values.is_empty() || next.is_some_and(is_implicit)
}

fn whole(arena: &Arena, nodes: &[NodeIndex]) -> Span {
    let (first, last) = (nodes.first().copied().unwrap_or(0), nodes.last().copied().unwrap_or(0));
    Span { start: arena.node(first).span.start, end: arena.node(last).span.end }
}

/// Edits that remove items from a list with commas. Spaces after the list replace them if the code after the list is
/// aligned.
fn removal(document: &CodeDocument, declaration: NodeIndex, items: &[NodeIndex], is_removed: &[bool]) -> Vec<Edit> {
    let arena = document.arena();
    let span = |index: usize| arena.node(items[index]).span;
    let mut edits: Vec<Edit> = runs(is_removed)
        .into_iter()
        .map(|run| match run.start {
            0 => Edit::remove(Span { start: span(0).start, end: span(run.end).start }),
            start => Edit::remove(Span { start: span(start - 1).end, end: span(run.end - 1).end }),
        })
        .collect();
    let end = whole(arena, items).end;
    if is_aligned_after(document, declaration, end as usize) {
        let width: usize = edits.iter().map(|edit| edit.span.slice(&arena.text).chars().count()).sum();
        let spaces = " ".repeat(width);
        match edits.last_mut().filter(|last| last.span.end == end) {
            Some(last) => last.text = spaces,
            None => edits.push(Edit::insert(end as usize, spaces)),
        }
    }
    edits
}

/// The ranges of consecutive items that are removed.
fn runs(is_removed: &[bool]) -> Vec<Range<usize>> {
    let mut start = 0;
    let chunks = is_removed.chunk_by(|one, next| one == next).map(|run| {
        let range = start..start + run.len();
        start = range.end;
        (run[0], range)
    });
    chunks.filter(|(is_removed, _)| *is_removed).map(|(_, range)| range).collect()
}

/// Returns whether the code after an offset, on the same line, starts in the same column as code on the line of the
/// declaration above or below.
fn is_aligned_after(document: &CodeDocument, declaration: NodeIndex, offset: usize) -> bool {
    let arena = document.arena();
    let text = arena.text.as_str();
    let rest = &text[offset..lines::line_end(text, offset)];
    let gap = rest.len() - rest.trim_start_matches(' ').len();
    if gap == 0 || gap == rest.len() {
        return false;
    }
    let column = text[lines::line_start(text, offset)..offset + gap].chars().count();
    let own = arena.node(declaration).span;
    let is_near = |gap: Span| gap.slice(text).matches('\n').count() >= 1 && !has_blank_line(gap.slice(text));
    let siblings: Vec<Span> =
        arena.children(arena.node(declaration).parent).map(|sibling| arena.node(sibling).span).collect();
    let above = siblings.iter().rfind(|other| other.end <= own.start);
    let below = siblings.iter().find(|other| other.start >= own.end);
    let above = above.filter(|above| is_near(Span { start: above.end, end: own.start })).map(|above| above.end);
    let below = below.filter(|below| is_near(Span { start: own.end, end: below.start })).map(|below| below.start);
    above.into_iter().chain(below).any(|at| starts_cell(text, at as usize, column))
}

fn has_blank_line(gap: &str) -> bool {
    let count = gap.matches('\n').count();
    gap.lines().enumerate().any(|(index, line)| index > 0 && index < count && line.trim().is_empty())
}

/// Returns whether code that follows a space starts in a column of the line around an offset.
fn starts_cell(text: &str, at: usize, column: usize) -> bool {
    let line = &text[lines::line_start(text, at)..lines::line_end(text, at)];
    let mut around = line.chars().skip(column.saturating_sub(1));
    around.next() == Some(' ') && around.next().is_some_and(|c| c != ' ')
}
