//! Sorts statements on consecutive lines, such as imports. Groups that blank lines separate are sorted separately, and
//! comments move together with their statements.

use marquetry_sdk::{Edit, Span, lines};

use crate::{CodeDocument, NodeIndex, blocks};

/// Edits that sort statements by a key. The statements are given in document order. Duplicates are removed.
pub fn sort_lines<'d, K: Ord>(
    document: &'d CodeDocument,
    statements: impl IntoIterator<Item = NodeIndex>,
    key: impl Fn(NodeIndex) -> K + 'd,
) -> Vec<Edit> {
    runs(document, statements).into_iter().filter_map(|run| sorted(document, &run, &key)).collect()
}

/// The span of a statement and its comments.
fn whole(document: &CodeDocument, node: NodeIndex) -> Span {
    let span = document.arena().node(node).span;
    let above = blocks::attached_comment(document, span.range().start);
    let end = document.end_of_line_tail(span.range().end) as u32;
    Span { start: above.map_or(span.start, |above| above.start), end }
}

/// The statements in groups. The statements of a group are on consecutive lines.
fn runs(document: &CodeDocument, statements: impl IntoIterator<Item = NodeIndex>) -> Vec<Vec<NodeIndex>> {
    let text = document.text_str();
    let mut runs: Vec<Vec<NodeIndex>> = Vec::new();
    let mut end: Option<usize> = None;
    for statement in statements {
        let own = whole(document, statement).range();
        let is_next = end.is_some_and(|end| {
            let gap = &text[end..own.start];
            gap.trim().is_empty() && gap.matches('\n').count() == 1
        });
        let has_line = lines::starts_line(text, own.start) && lines::ends_line(text, own.end);
        match runs.last_mut().filter(|_| is_next && has_line) {
            Some(run) => run.push(statement),
            None if has_line => runs.push(vec![statement]),
            None => {}
        }
        end = has_line.then_some(own.end);
    }
    runs
}

/// The edit that sorts a group. `None` if the group is already sorted.
fn sorted<K: Ord>(document: &CodeDocument, run: &[NodeIndex], key: &impl Fn(NodeIndex) -> K) -> Option<Edit> {
    let text = document.text_str();
    let (first, last) = (whole(document, *run.first()?), whole(document, *run.last()?));
    let mut order: Vec<NodeIndex> = run.to_vec();
    order.sort_by_key(|node| key(*node));
    order.dedup_by(|one, other| whole(document, *one).slice(text) == whole(document, *other).slice(text));
    let indent = lines::indent_at(text, first.range().start);
    let ending = if text[first.range().start..last.range().end].contains("\r\n") { "\r\n" } else { "\n" };
    let written: Vec<&str> = order.iter().map(|node| whole(document, *node).slice(text)).collect();
    let new = written.join(&format!("{ending}{indent}"));
    let span = Span { start: first.start, end: last.end };
    (new != span.slice(text)).then(|| Edit::new(span, new))
}
