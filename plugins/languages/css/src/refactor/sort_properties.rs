//! The refactoring `sort_properties`. It sorts the declarations of a rule by name, together with their comments.
//!
//! Two declarations are swapped only if neither overrides the other. Everything except plain declarations stays where
//! it is: nested rules, mixins, variables, and declarations with an interpolated name.

use marquetry_sdk::refactor::{Argument, Place, RefactorInput, Refactoring, check_no_syntax_errors, refactor_failure};
use marquetry_sdk::{
    Document, Edit, Result, Rewrite, Span,
    items::{EmptyStyle, Items},
    order::{self, Region},
};

use super::{check_result, item_at, overrides};
use crate::{
    Stylesheet,
    edit::{comment_syntax, start_with_doc},
    tree::{Item, Kind, NONE, Tree},
};

pub(super) const SORT_PROPERTIES: Refactoring<Stylesheet> = Refactoring {
    id: "sort_properties",
    title: "Sort the declarations of a rule",
    place: Place::Selection,
    arguments: &[Argument {
        name: "all",
        summary: "sort every rule in the file",
        values: &["true", "false"],
        required: false,
    }],
    asks_exporters: false,
    apply: sort,
};

fn sort(sheet: &Stylesheet, input: &RefactorInput) -> Result<Rewrite> {
    check_no_syntax_errors(&sheet.diagnostics())?;
    let tree = &sheet.tree;
    let containers: Vec<u32> = if input.is_true("all") {
        (0..tree.items.len() as u32).filter(|index| tree.item(*index).is_container()).collect()
    } else {
        vec![container_at(tree, input.at.span)?]
    };
    let regions: Vec<Region> = containers.into_iter().flat_map(|container| unsorted_regions(tree, container)).collect();
    // The regions are never nested, so each can be edited independently.
    let edit = |region: Region| {
        let span = region.span;
        Edit::new(span, order::text_after_reordering(&tree.text, span, vec![region]))
    };
    let mut edits: Vec<Edit> = regions.into_iter().map(edit).collect();
    edits.sort_by_key(|edit| edit.span.start);
    let after = check_result(sheet, &edits)?;
    if after.tree.items.len() != tree.items.len() {
        return Err(refactor_failure("reordering would change how the declarations are parsed")
            .hint("put each declaration and its comments on separate lines"));
    }
    Ok(edits.into())
}

/// Returns the innermost block around a span.
fn container_at(tree: &Tree, span: Span) -> Result<u32> {
    let mut at = item_at(tree, span.trimmed(&tree.text)).unwrap_or(NONE);
    while let Some(item) = tree.items.get(at as usize) {
        if item.is_container() && item.kind != Kind::Declaration {
            return Ok(at);
        }
        at = item.parent;
    }
    Err(refactor_failure("this position is not in a rule")
        .hint("give a rule or a position in one, or sort every rule with `all`"))
}

/// Returns the runs of consecutive declarations in a block that are not sorted.
fn unsorted_regions(tree: &Tree, container: u32) -> Vec<Region> {
    let children: Vec<u32> = tree.children(container).collect();
    let runs = children.chunk_by(|a, b| is_sortable(tree, *a) && is_sortable(tree, *b));
    let end = tree.item(container).body_end as usize;
    let ends = |run: &[u32]| {
        let last = run.last().map_or(0, |last| tree.item(*last).next);
        if last < tree.item(container).next { tree.item(last).start as usize } else { end }
    };
    runs.filter(|run| run.len() > 1).filter_map(|run| unsorted_region(tree, run, ends(run))).collect()
}

/// Returns whether the item is a plain declaration, which affects only its own property.
fn is_sortable(tree: &Tree, index: u32) -> bool {
    let item = tree.item(index);
    let name = tree.name(item);
    item.kind == Kind::Declaration
        && !item.block
        && !name.is_empty()
        && !name.eq_ignore_ascii_case("all")
        && !name.eq_ignore_ascii_case("composes")
        && !name.contains(['#', '@', '{', '$', '\\'])
}

fn unsorted_region(tree: &Tree, run: &[u32], end: usize) -> Option<Region> {
    let names: Vec<&str> = run.iter().map(|index| tree.name(tree.item(*index))).collect();
    let order = sorted_order(&names);
    if order.is_sorted() {
        return None;
    }
    let items: Vec<Span> = run.iter().map(|index| declaration_span(tree, tree.item(*index))).collect();
    let items = Items {
        text: &tree.text,
        inner: Span::new(items.first()?.range().start, end),
        items,
        separator: ";",
        terminated: false,
        comments: comment_syntax(tree.dialect),
        unit: "  ",
        empty: EmptyStyle::Block,
        breaks: 1,
    };
    order::reorder(&tree.text, &items.slots(), &order, items.comments.line)
}

/// Returns the span of a declaration without its semicolon. It includes the comment above the declaration or before it
/// on the same line.
fn declaration_span(tree: &Tree, item: &Item) -> Span {
    let start = start_with_doc(tree, item);
    let lead = &tree.text[item.trivia_start as usize..start];
    let line = lead.rfind(['\n', '\r']).map_or(lead.len(), |at| at + 1);
    let beside = lead[line..].trim_start();
    let start = if beside.is_empty() { start } else { start - beside.len() };
    Span::new(start, item.end as usize)
}

/// Returns the indices of the names in sorted order. If one declaration overrides another, their order is kept.
fn sorted_order(names: &[&str]) -> Vec<usize> {
    let mut overrides = overrides::OverrideTracker::default();
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (index, name) in names.iter().enumerate() {
        overrides.add_declaration(index, name, &mut |before| pairs.push((before, index)));
    }
    let keys: Vec<&str> = names.iter().map(|name| overrides::base_name(name)).collect();
    order::constrained_order(&order::sorted_order(&keys), pairs)
}
