//! `sort_properties`: sorts the declarations of a rule by name, with their comments.
//!
//! Two declarations are swapped only if neither overrides the other. Anything that is not a plain declaration stays
//! where it is: nested rules, mixins, variables and interpolated names.

use marquetry_sdk::refactor::{Argument, Asked, Place, Refactoring, check_sound, refused};
use marquetry_sdk::{
    Document, Edit, Result, Rewrite, Span,
    items::{Empty, Items},
    order::{self, Region},
};

use super::{checked, item_at, overrides};
use crate::{
    Stylesheet,
    edit::{comments, start_with_doc},
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

fn sort(sheet: &Stylesheet, asked: &Asked) -> Result<Rewrite> {
    check_sound(&sheet.problems())?;
    let tree = &sheet.tree;
    let containers: Vec<u32> = if asked.is("all") {
        (0..tree.items.len() as u32).filter(|index| tree.item(*index).is_container()).collect()
    } else {
        vec![container_at(tree, asked.at.span)?]
    };
    let regions: Vec<Region> = containers.into_iter().flat_map(|container| regions(tree, container)).collect();
    // Runs of declarations are never nested.
    let edit = |region: Region| {
        let span = region.span;
        Edit::new(span, order::write(&tree.text, span, vec![region]))
    };
    let mut edits: Vec<Edit> = regions.into_iter().map(edit).collect();
    edits.sort_by_key(|edit| edit.span.start);
    let after = checked(sheet, &edits)?;
    if after.tree.items.len() != tree.items.len() {
        return Err(refused("reordering would change how the declarations are parsed")
            .hint("put each declaration and its comments on separate lines"));
    }
    Ok(edits.into())
}

/// Innermost block around a span.
fn container_at(tree: &Tree, span: Span) -> Result<u32> {
    let mut at = item_at(tree, span.trimmed(&tree.text)).unwrap_or(NONE);
    while let Some(item) = tree.items.get(at as usize) {
        if item.is_container() && item.kind != Kind::Declaration {
            return Ok(at);
        }
        at = item.parent;
    }
    Err(refused("this position is not in a rule")
        .hint("give a rule or a position in one, or sort every rule with `all`"))
}

/// Runs of declarations in a block that are not sorted.
fn regions(tree: &Tree, container: u32) -> Vec<Region> {
    let children: Vec<u32> = tree.children(container).collect();
    let runs = children.chunk_by(|a, b| is_plain(tree, *a) && is_plain(tree, *b));
    let end = tree.item(container).body_end as usize;
    let ends = |run: &[u32]| {
        let last = run.last().map_or(0, |last| tree.item(*last).next);
        if last < tree.item(container).next { tree.item(last).start as usize } else { end }
    };
    runs.filter(|run| run.len() > 1).filter_map(|run| region(tree, run, ends(run))).collect()
}

/// Returns whether it is a declaration without side effects beyond its property.
fn is_plain(tree: &Tree, index: u32) -> bool {
    let item = tree.item(index);
    let name = tree.name(item);
    item.kind == Kind::Declaration
        && !item.block
        && !name.is_empty()
        && !name.eq_ignore_ascii_case("all")
        && !name.eq_ignore_ascii_case("composes")
        && !name.contains(['#', '@', '{', '$', '\\'])
}

fn region(tree: &Tree, run: &[u32], end: usize) -> Option<Region> {
    let names: Vec<&str> = run.iter().map(|index| tree.name(tree.item(*index))).collect();
    let order = order(&names);
    if order.is_sorted() {
        return None;
    }
    let items: Vec<Span> = run.iter().map(|index| span(tree, tree.item(*index))).collect();
    let items = Items {
        text: &tree.text,
        inner: Span::new(items.first()?.range().start, end),
        items,
        separator: ";",
        terminated: false,
        comments: comments(tree.dialect),
        unit: "  ",
        empty: Empty::Block,
        breaks: 1,
    };
    order::region(&tree.text, &items.slots(), &order, items.comments.line)
}

/// Span of a declaration without its semicolon, with the comment above it or before it on its line.
fn span(tree: &Tree, item: &Item) -> Span {
    let start = start_with_doc(tree, item);
    let lead = &tree.text[item.lead as usize..start];
    let line = lead.rfind(['\n', '\r']).map_or(lead.len(), |at| at + 1);
    let beside = lead[line..].trim_start();
    let start = if beside.is_empty() { start } else { start - beside.len() };
    Span::new(start, item.end as usize)
}

/// Sorted order of the names. Declarations of which one overrides the other keep their relative order.
fn order(names: &[&str]) -> Vec<usize> {
    let mut overrides = overrides::Overrides::default();
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (index, name) in names.iter().enumerate() {
        overrides.follow(index, name, &mut |before| pairs.push((before, index)));
    }
    let keys: Vec<&str> = names.iter().map(|name| overrides::base(name)).collect();
    order::constrained(&order::sorted(&keys), pairs)
}
