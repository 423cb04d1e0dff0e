//! Sorts the imports of each group by their paths, as `gofmt` does. Lines that blank lines separate stay apart.

use marquetry_code::{CodeDocument, NodeIndex, blocks};
use marquetry_sdk::{
    Edit, Result, Rewrite, Span, lines,
    refactor::{Place, RefactorInput, Refactoring},
};

use crate::{
    kinds::{F, K, children},
    table::unquoted,
};

pub(super) const ORGANIZE_IMPORTS: Refactoring<CodeDocument> = Refactoring {
    id: "organize_imports",
    title: "Sort imports",
    place: Place::Document,
    arguments: &[],
    asks_exporters: false,
    apply,
};

fn apply(document: &CodeDocument, _input: &RefactorInput) -> Result<Rewrite> {
    super::check_syntax(document)?;
    let arena = document.arena();
    let groups = arena.nodes().filter(|(_, node)| node.kind == K::ImportSpecs.into());
    let edits = groups.flat_map(|(group, _)| runs(document, group)).filter_map(|run| sorted(document, &run));
    Ok(edits.collect::<Vec<Edit>>().into())
}

/// An import with the comments that belong to it.
fn whole(document: &CodeDocument, node: NodeIndex) -> Span {
    let span = document.arena().node(node).span;
    let above = blocks::attached_comment(document, span.range().start);
    let end = document.end_of_line_tail(span.range().end) as u32;
    Span { start: above.map_or(span.start, |above| above.start), end }
}

/// The imports of a group in runs on consecutive lines.
fn runs(document: &CodeDocument, group: NodeIndex) -> Vec<Vec<NodeIndex>> {
    let (arena, text) = (document.arena(), document.text_str());
    let mut runs: Vec<Vec<NodeIndex>> = Vec::new();
    let mut end: Option<usize> = None;
    for import in children(arena, group, K::Import) {
        let own = whole(document, import).range();
        let is_next = end.is_some_and(|end| {
            let gap = &text[end..own.start];
            gap.trim().is_empty() && gap.matches('\n').count() == 1
        });
        let has_line = lines::starts_line(text, own.start) && lines::ends_line(text, own.end);
        match runs.last_mut().filter(|_| is_next && has_line) {
            Some(run) => run.push(import),
            None if has_line => runs.push(vec![import]),
            None => {}
        }
        end = has_line.then_some(own.end);
    }
    runs
}

/// The edit that sorts a run. `None` if it is sorted.
fn sorted(document: &CodeDocument, run: &[NodeIndex]) -> Option<Edit> {
    let (arena, text) = (document.arena(), document.text_str());
    let (first, last) = (whole(document, *run.first()?), whole(document, *run.last()?));
    let key = |node: &NodeIndex| {
        let path = arena.child(*node, F::Path.into()).map(|path| unquoted(arena.slice(path))).unwrap_or_default();
        let alias = arena.child(*node, F::Name.into()).map(|name| arena.slice(name)).unwrap_or_default();
        (path, alias)
    };
    let mut order: Vec<NodeIndex> = run.to_vec();
    order.sort_by(|one, other| key(one).cmp(&key(other)));
    // The same import twice is an error of the compiler.
    order.dedup_by(|one, other| whole(document, *one).slice(text) == whole(document, *other).slice(text));
    let indent = lines::indent_at(text, first.range().start);
    let written: Vec<&str> = order.iter().map(|node| whole(document, *node).slice(text)).collect();
    let new = written.join(&format!("\n{indent}"));
    let span = Span { start: first.start, end: last.end };
    (new != span.slice(text)).then(|| Edit::new(span, new))
}
