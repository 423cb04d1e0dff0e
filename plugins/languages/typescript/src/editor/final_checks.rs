//! Final checks of a rewrite: edits are sorted, do not overlap, and place statements only where they are allowed.

use marquetry_sdk::span::apply_within;
use marquetry_sdk::{Edit, FailureKind, Result, fail};
use oxc_span::GetSpan as _;

use crate::syntax::placement;
use crate::syntax::spans::span_in;
use crate::syntax::tree::{Parsed, Tree};

/// Sorts the edits by position. Fails with `AmbiguousTarget` if they overlap.
pub(crate) fn sort_edits(mut edits: Vec<Edit>) -> Result<Vec<Edit>> {
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    edits.dedup();
    if let Some(pair) = edits.windows(2).find(|pair| pair[1].span.start < pair[0].span.end) {
        return Err(fail(FailureKind::AmbiguousTarget, "the targets overlap")
            .hint("edit either the outer target or the inner ones")
            .at(pair[1].span));
    }
    Ok(edits)
}

/// Refuses sorted edits that put an import, an export or an ambient declaration where it is not allowed.
///
/// Only the top-level statements that contain the edits are parsed, before and after.
pub(crate) fn check_placement(parsed: &Parsed<'_>, tree: &Tree, edits: &[Edit]) -> Result<()> {
    const WORDS: [&str; 6] = ["import", "export", "declare", "namespace", "module", "global"];
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return Ok(()) };
    let (start, end) = (first.span.range().start, last.span.range().end);
    let mentions = |text: &str| WORDS.iter().any(|word| text.contains(word));
    let may_misplace = mentions(&tree.text()[start..end]) || edits.iter().any(|edit| mentions(&edit.text));
    if parsed.repaired || !may_misplace {
        return Ok(());
    }
    let body = &parsed.program.body;
    let from = body.partition_point(|statement| (statement.span().end as usize) < start);
    let to = body.partition_point(|statement| statement.span().start as usize <= end);
    let around = body.get(from..to).unwrap_or_default();
    let start = around.first().map_or(start, |first| start.min(first.span().start as usize));
    let end = around.last().map_or(end, |last| end.max(last.span().end as usize));
    let misplaced = |part: &Tree| {
        let found = |parsed: &Parsed<'_>| (!parsed.repaired).then(|| placement::misplaced(parsed.semantic()));
        part.with(found).unwrap_or_default()
    };
    let after = Tree::parse(tree.path(), apply_within(tree.text(), start..end, edits));
    let found = misplaced(&after);
    let Some(last) = found.last() else { return Ok(()) };
    let before = Tree::parse(tree.path(), tree.text()[start..end].to_owned());
    if found.len() <= misplaced(&before).len() {
        return Ok(());
    }
    let line = span_in(*last, after.text()).slice(after.text()).lines().next().unwrap_or_default();
    Err(fail(FailureKind::ParseError, format!("`{line}` is only allowed at the top level of a file or namespace"))
        .hint("keep `import`, `export`, `declare` and namespaces out of blocks and functions"))
}

/// Refuses sorted edits that increase the number of syntax errors in the top-level statements that contain them.
pub(crate) fn check_syntax(parsed: &Parsed<'_>, tree: &Tree, edits: &[Edit]) -> Result<()> {
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return Ok(()) };
    let body = &parsed.program.body;
    let (start, end) = (first.span.range().start, last.span.range().end);
    let from = body.partition_point(|statement| (statement.span().end as usize) < start);
    let to = body.partition_point(|statement| statement.span().start as usize <= end);
    let around = body.get(from..to).unwrap_or_default();
    let whole = parsed.repaired || parsed.is_component || around.is_empty();
    let start = if whole { 0 } else { around.first().map_or(start, |first| start.min(first.span().start as usize)) };
    let end =
        if whole { tree.text().len() } else { around.last().map_or(end, |last| end.max(last.span().end as usize)) };
    // The statement after the last edit may be parsed as a continuation of the edited one.
    let end =
        body.get(to).filter(|_| !whole).map_or(end, |next| end.max((next.span().end as usize).min(tree.text().len())));
    let errors = |text: String| {
        let part = Tree::parse(tree.path(), text);
        part.with(|parsed| if parsed.is_exact(part.text()) { parsed.errors.len() } else { usize::MAX })
    };
    let after = errors(apply_within(tree.text(), start..end, edits));
    if after == 0 || after <= errors(tree.text()[start..end].to_owned()) {
        return Ok(());
    }
    Err(fail(FailureKind::RefactorFailed, "the result would not be valid syntax")
        .hint("fix the surrounding syntax first, or make the change by hand")
        .at(first.span))
}
