//! The operations: each answers with splices, and leaves everything else as it is.

mod container;
mod content;
mod maps;

use std::collections::BTreeMap;

use marquetry_sdk::{
    Edit, EditOptions, Failure, FailureKind, Insertion, NodeId, Operation, Result, Span, Wrapper, fail, indent, lines,
};

use self::{
    container::{Container, start_with_doc},
    content::{Class, Content, place},
};
use crate::{
    document::run_span,
    regions::{self, Region},
    tree::{Item, Kind, NONE, Tree},
};

/// The edits of one operation on the nodes.
pub(crate) fn edit(tree: &Tree, nodes: &[NodeId], operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
    let mut nodes = nodes.to_vec();
    nodes.sort_unstable();
    nodes.dedup();
    let (regions, items): (Vec<u32>, Vec<u32>) = nodes.into_iter().partition(|node| regions::is_region(*node));
    let items = outermost(tree, items, operation)?;
    let mut edits = Vec::new();
    if matches!(operation, Operation::Delete) {
        delete(tree, &items, &mut edits);
    } else {
        let mut beside = Beside { tree, last: None };
        for index in items {
            edits.extend(edit_item(&mut beside, index, operation, options)?);
        }
    }
    for node in regions {
        edits.extend(edit_region(tree, regions::region(tree, node)?, operation)?);
    }
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let overlap = edits.windows(2).any(|pair| pair[1].span.start < pair[0].span.end);
    if overlap {
        return Err(fail(FailureKind::InvalidArgument, "the targets lie within each other")
            .hint("edit them one after the other, the inner ones first"));
    }
    Ok(edits)
}

/// Without the items that stand in another of them, where that one goes as a whole anyway.
fn outermost(tree: &Tree, items: Vec<u32>, operation: &Operation) -> Result<Vec<u32>> {
    let mut kept: Vec<u32> = Vec::with_capacity(items.len());
    for index in items {
        let inside = kept.last().is_some_and(|outer| index < tree.item(*outer).next);
        match operation {
            Operation::Delete if inside => {}
            Operation::Replace(_) | Operation::ReplaceBody(_) | Operation::Wrap(_) if inside => {
                return Err(fail(FailureKind::InvalidArgument, "the targets lie within each other")
                    .hint("edit them one after the other, the inner ones first"));
            }
            _ => kept.push(index),
        }
    }
    Ok(kept)
}

fn edit_item(beside: &mut Beside<'_>, index: u32, operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
    let tree = beside.tree;
    let item = tree.item(index);
    match operation {
        Operation::Replace(content) => Ok(vec![replace(tree, item, content, options)]),
        Operation::ReplaceBody(content) => replace_body(tree, item, content),
        Operation::InsertBefore(content) => Ok(beside.insert(index, content, 0)),
        Operation::InsertAfter(content) => Ok(beside.insert(index, content, 1)),
        Operation::InsertInto(insertion) => insert_into(tree, index, insertion),
        Operation::Wrap(wrapper) => Ok(vec![wrap(tree, item, wrapper, options)]),
        Operation::Delete | Operation::ReplaceText(_) => {
            Err(fail(FailureKind::Unsupported, "this operation is not the pack's to do"))
        }
    }
}

// --- replacing ---

fn replace(tree: &Tree, item: &Item, content: &str, options: EditOptions) -> Edit {
    let start = if options.include_doc { start_with_doc(tree, item) } else { item.start as usize };
    let depth = lines::indent_at(&tree.text, start);
    let content = Content::new(content, tree.dialect);
    if item.kind == Kind::Entry {
        let text = content.unterminated(depth);
        return Edit::new(start..item.end as usize, text.strip_suffix(',').unwrap_or(&text));
    }
    match (content.last_class(), Class::of(item)) {
        (Class::Statement, Class::Statement) => Edit::new(start..item.end as usize, content.unterminated(depth)),
        // The semicolon goes with the statement: none follows a block.
        (Class::Block, Class::Statement) => Edit::new(start..item.after as usize, content.terminated(depth)),
        (_, Class::Block) => Edit::new(start..item.end as usize, content.terminated(depth)),
    }
}

fn replace_body(tree: &Tree, item: &Item, content: &str) -> Result<Vec<Edit>> {
    let Some(body) = item.body() else {
        return Err(no_body(tree, item).hint("use `replace` to change the whole statement"));
    };
    let old = body.of(&tree.text);
    if old == content || (!old.is_empty() && old.lines().eq(content.lines())) {
        return Ok(Vec::new());
    }
    let depth = lines::indent_at(&tree.text, item.start as usize);
    if !item.block {
        let text = place(content.trim_ascii().trim_end_matches(';'), depth, tree.dialect);
        let space = if body.is_empty() && tree.text[..body.range().start].ends_with(':') { " " } else { "" };
        return Ok(vec![Edit::new(body, format!("{space}{text}"))]);
    }
    let one_line = !old.contains(['\n', '\r']) && !content.trim_ascii().contains(['\n', '\r']);
    if content.trim_ascii().is_empty() {
        return Ok(vec![Edit::remove(body)]);
    }
    if one_line && !old.trim_ascii().is_empty() {
        let space = if old.starts_with(' ') { " " } else { "" };
        return Ok(vec![Edit::new(body, format!("{space}{}{space}", content.trim_ascii()))]);
    }
    let inner = format!("{depth}{}", indent::unit(&tree.text));
    let text = place(content.trim_start_matches(['\n', '\r']).trim_ascii_end(), &inner, tree.dialect);
    Ok(vec![Edit::new(body, format!("\n{inner}{text}\n{depth}"))])
}

fn no_body(tree: &Tree, item: &Item) -> Failure {
    Failure::unsupported(format!("`{}` has no body", crate::keys::label(tree, item)))
}

// --- inserting ---

/// Inserts beside items; neighbours share what is known of the block they stand in.
#[derive(Debug)]
struct Beside<'t> {
    tree: &'t Tree,
    last: Option<(u32, Container<'t>)>,
}

impl Beside<'_> {
    /// Insert before the item, or behind it with the offset 1.
    fn insert(&mut self, index: u32, content: &str, offset: usize) -> Vec<Edit> {
        let tree = self.tree;
        let item = tree.item(index);
        if item.kind == Kind::Entry {
            return maps::insert_beside(tree, index, content, offset);
        }
        let container = match self.last.take() {
            Some((parent, container)) if parent == item.parent => container,
            _ => Container::new(tree, item.parent),
        };
        let edits = container.insert(container.position(index) + offset, &Content::new(content, tree.dialect));
        self.last = Some((item.parent, container));
        edits
    }
}

fn insert_into(tree: &Tree, index: u32, insertion: &Insertion) -> Result<Vec<Edit>> {
    let item = tree.item(index);
    if item.is_container() {
        let container = Container::new(tree, index);
        let content = Content::new(&insertion.content, tree.dialect);
        return Ok(container.insert(container.place(&content, insertion.position), &content));
    }
    if maps::is_map(tree, index) {
        return Ok(maps::insert_into(tree, index, insertion));
    }
    Err(Failure::unsupported(format!("nothing can be inserted into `{}`", crate::keys::label(tree, item)))
        .hint("use `insert_before` or `insert_after`, or `replace_body` for a value"))
}

// --- wrapping ---

fn wrap(tree: &Tree, item: &Item, wrapper: &Wrapper, options: EditOptions) -> Edit {
    let start = if options.include_doc { start_with_doc(tree, item) } else { item.start as usize };
    let text = &tree.text[start..item.end as usize];
    let (before, after) = (wrapper.before.trim_ascii(), wrapper.after.trim_ascii());
    let block = before.ends_with('{') && after.starts_with('}') && item.kind != Kind::Entry;
    if !block {
        return Edit::new(start..item.end as usize, format!("{}{text}{}", wrapper.before, wrapper.after));
    }
    let closing = if item.is_statement() { ";" } else { "" };
    let span = start..item.after as usize;
    if !lines::starts_line(&tree.text, start) {
        return Edit::new(span, format!("{before}{text}{closing}{after}"));
    }
    let depth = lines::indent_at(&tree.text, start);
    let inner = format!("{depth}{}", indent::unit(&tree.text));
    let text = place(text, &inner, tree.dialect);
    Edit::new(span, format!("{}\n{inner}{text}{closing}\n{depth}{}", place(before, depth, tree.dialect), place(after, depth, tree.dialect)))
}

// --- deleting ---

fn delete(tree: &Tree, items: &[u32], edits: &mut Vec<Edit>) {
    let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for index in items {
        groups.entry(tree.item(*index).parent).or_default().push(*index);
    }
    for (parent, group) in groups {
        if tree.item(group[0]).kind == Kind::Entry {
            maps::delete(tree, parent, &group, edits);
            continue;
        }
        let container = Container::new(tree, parent);
        let positions: Vec<usize> = group.iter().map(|index| container.position(*index)).collect();
        edits.extend(container.delete(&positions));
    }
}

// --- regions ---

fn edit_region(tree: &Tree, region: Region, operation: &Operation) -> Result<Vec<Edit>> {
    let content = |text: &str| Content::new(text, tree.dialect);
    let top = || Container::new(tree, NONE);
    let mut beside = Beside { tree, last: None };
    match (operation, region) {
        (Operation::InsertInto(insertion), _) => {
            let (container, content) = (top(), content(&insertion.content));
            Ok(container.insert(container.place(&content, insertion.position), &content))
        }
        (Operation::Replace(text) | Operation::ReplaceBody(text), Region::Whole) => {
            Ok(vec![Edit::new(Span::new(0, tree.text.len()), text.as_str())])
        }
        (Operation::Replace(text) | Operation::ReplaceBody(text), Region::Run { first, last }) => {
            let span = run_span(tree, first, last);
            Ok(vec![Edit::new(span, content(text).terminated(lines::indent_at(&tree.text, span.range().start)))])
        }
        (Operation::InsertBefore(text), Region::Run { first, .. }) => Ok(beside.insert(first, text, 0)),
        (Operation::InsertAfter(text), Region::Run { last, .. }) => Ok(beside.insert(last, text, 1)),
        (Operation::Delete, Region::Run { first, last }) => {
            let run: Vec<u32> = tree.children(NONE).filter(|index| (first..=last).contains(index)).collect();
            let mut edits = Vec::new();
            delete(tree, &run, &mut edits);
            Ok(edits)
        }
        _ => Err(Failure::unsupported("this operation makes no sense for a region").hint(
            "use `insert_into` with a position, or address a rule",
        )),
    }
}
