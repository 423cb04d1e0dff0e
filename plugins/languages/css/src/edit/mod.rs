//! Edit operations. Each returns text edits, which change nothing outside of the target.

mod container;
mod content;
mod create;
mod line_comment;
mod maps;
mod selectors;
mod statement;
mod value;

use std::collections::BTreeMap;

use marquetry_sdk::{
    Edit, EditOptions, Failure, FailureKind, Insertion, NodeId, Operation, Result, Span, Wrapper, fail, lines,
};

use self::content::reindent_text;
pub(crate) use self::{
    container::{Container, comment_syntax, start_with_doc},
    content::{Content, Style},
    create::create_missing,
};
use crate::{
    index::Index,
    regions::{self, Region},
    target_match::TargetMatch,
    tree::{Item, Kind, NONE, Tree},
};

/// Returns the edits of one operation on all nodes.
pub(crate) fn edit(
    tree: &Tree,
    index: &Index,
    nodes: &[NodeId],
    operation: &Operation,
    options: EditOptions,
) -> Result<Vec<Edit>> {
    let mut nodes = nodes.to_vec();
    nodes.sort_unstable();
    nodes.dedup();
    let (regions, others): (Vec<u32>, Vec<u32>) = nodes.into_iter().partition(|node| regions::is_region(*node));
    let named: Vec<TargetMatch> = others.into_iter().filter_map(|node| TargetMatch::from_id(tree, node)).collect();
    let (items, mut edits) = selectors::separate_selectors(tree, index, &named, operation, options)?;
    let items = drop_nested_items(tree, items, operation)?;
    let style = Style::detect(tree);
    let mut editor = Editor { tree, style: &style, options, last_container: None };
    if matches!(operation, Operation::Delete) {
        editor.delete(&items, &mut edits);
    } else {
        for index in items {
            edits.extend(editor.edit_item(index, operation)?);
        }
    }
    for node in regions {
        edits.extend(editor.edit_region(regions::region_of_node(tree, node)?, operation)?);
    }
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let overlap = edits.windows(2).any(|pair| pair[1].span.start < pair[0].span.end);
    if overlap {
        return Err(fail(FailureKind::InvalidArgument, "some targets are inside others")
            .hint("edit them one at a time, the inner ones first"));
    }
    Ok(edits)
}

/// Returns the edits of one operation on whole items. It is for callers that have no target.
pub(crate) fn edit_items(tree: &Tree, items: &[u32], operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
    edit(tree, &Index::default(), items, operation, options)
}

/// Removes items that are inside other items from the list if the operation is a deletion. Fails with `InvalidArgument`
/// if it would replace or wrap an item inside another one.
fn drop_nested_items(tree: &Tree, items: Vec<u32>, operation: &Operation) -> Result<Vec<u32>> {
    let mut kept: Vec<u32> = Vec::with_capacity(items.len());
    for index in items {
        let inside = kept.last().is_some_and(|outer| index < tree.item(*outer).next);
        match operation {
            Operation::Delete if inside => {}
            Operation::Replace(_) | Operation::ReplaceBody(_) | Operation::Wrap(_) if inside => {
                return Err(fail(FailureKind::InvalidArgument, "some targets are inside others")
                    .hint("edit them one at a time, the inner ones first"));
            }
            _ => kept.push(index),
        }
    }
    Ok(kept)
}

/// Runs one operation. The `Container` of a block is reused for consecutive items in the same block.
#[derive(Debug)]
struct Editor<'t> {
    tree: &'t Tree,
    style: &'t Style,
    options: EditOptions,
    last_container: Option<(u32, Container<'t>)>,
}

impl<'t> Editor<'t> {
    fn edit_item(&mut self, index: u32, operation: &Operation) -> Result<Vec<Edit>> {
        let item = self.tree.item(index);
        match operation {
            Operation::Replace(content) => {
                let (code, comments) = line_comment::split_comments(content.trim_ascii_end(), self.tree.dialect);
                let code = if comments.is_empty() { content } else { code };
                Ok(self.with_comments(item, vec![self.replace(item, code)?], comments))
            }
            Operation::ReplaceBody(content) => self.replace_body(item, content),
            Operation::InsertBefore(content) => self.insert_beside(index, content, 0),
            Operation::InsertAfter(content) => self.insert_beside(index, content, 1),
            Operation::InsertInto(insertion) => self.insert_into(index, insertion),
            Operation::Wrap(wrapper) => Ok(vec![self.wrap(item, wrapper)]),
            Operation::Delete => Err(fail(FailureKind::Unsupported, "this operation does not support single items")),
        }
    }

    /// Parses statements to insert.
    fn parse_content(&self, text: &str) -> Result<Content> {
        let content = Content::new(text, self.style);
        self.check_statement(&content, None)?;
        Ok(content)
    }

    fn check_statement(&self, content: &Content, replaced: Option<&Item>) -> Result<()> {
        if self.options.force { Ok(()) } else { statement::check_statement(self.tree, content.tree(), replaced) }
    }

    fn check_entry(&self, content: &str) -> Result<()> {
        if self.options.force { Ok(()) } else { statement::check_entry(content, self.tree.dialect) }
    }

    fn container(&self, parent: u32) -> Container<'t> {
        Container::new(self.tree, parent, self.style)
    }

    /// Returns the style of an item, whose indentation may be different from the rest of the file.
    fn style_of(&self, item: &Item) -> Style {
        // The first line of the item is read with its indentation, which the depth of the next lines is compared with.
        let start = item.start as usize;
        self.style.for_part(&format!("{}{}", self.indentation_at(start), item.span().slice(&self.tree.text)))
    }

    /// Returns the indentation of the line that contains the offset.
    fn indentation_at(&self, offset: usize) -> &'t str {
        lines::indent_at(&self.tree.text, offset)
    }

    // --- replacing ---

    fn replace(&self, item: &Item, content: &str) -> Result<Edit> {
        let start = if self.options.include_doc { start_with_doc(self.tree, item) } else { item.start as usize };
        let depth = self.indentation_at(start);
        let content = if content.contains('\n') {
            Content::new(content, &self.style_of(item))
        } else {
            Content::as_written(content, self.tree.dialect)
        };
        self.check_statement(&content, Some(item))?;
        if item.kind == Kind::Entry {
            let text = content.unterminated(depth);
            return Ok(Edit::new(start..item.end as usize, text.strip_suffix(',').unwrap_or(&text)));
        }
        Ok(match (content.ends_with_statement(), item.is_statement()) {
            (true, true) => Edit::new(start..item.end as usize, content.unterminated(depth)),
            // Replace the old semicolon, too, because the content may end with a block or a comment, which has no
            // semicolon.
            (false, true) => Edit::new(start..item.end_with_semicolon as usize, content.terminated(depth)),
            (_, false) => Edit::new(start..item.end as usize, content.terminated(depth)),
        })
    }

    /// Adds the edit that puts the comments of the content after the item.
    fn with_comments(&self, item: &Item, mut edits: Vec<Edit>, comments: &str) -> Vec<Edit> {
        if !comments.is_empty() {
            edits.push(line_comment::insert_comments_after(self.tree, self.style, item, comments));
        }
        edits
    }

    fn replace_body(&self, item: &Item, content: &str) -> Result<Vec<Edit>> {
        let Some(body) = item.body() else {
            let label = crate::keys::label(self.tree, item);
            return Err(Failure::unsupported(format!("`{label}` has no body"))
                .hint("use `replace` to change the whole statement"));
        };
        let old = body.slice(&self.tree.text);
        if old == content || (!old.is_empty() && old.lines().eq(content.lines())) {
            return Ok(Vec::new());
        }
        let depth = self.indentation_at(item.start as usize);
        let trimmed = content.trim_ascii();
        if !item.block {
            let (value, comments) = line_comment::split_comments(trimmed, self.tree.dialect);
            if !self.options.force {
                statement::check_value(self.tree, item, value)?;
            }
            let edit = value::replace_value(self.tree, item, body, value, depth);
            return Ok(self.with_comments(item, vec![edit], comments));
        }
        if trimmed.is_empty() {
            return Ok(vec![Edit::remove(body)]);
        }
        let is_open = line_comment::ends_open(trimmed, self.tree.dialect);
        let one_line = !old.contains(['\n', '\r']) && !trimmed.contains(['\n', '\r']) && !is_open;
        if one_line && !old.trim_ascii().is_empty() {
            let space = if old.starts_with(' ') { " " } else { "" };
            return Ok(vec![Edit::new(body, format!("{space}{trimmed}{space}"))]);
        }
        let inner = format!("{depth}{}", self.style.indent_unit());
        let text = self.style_of(item).reindent(content, &inner);
        Ok(vec![Edit::new(body, format!("\n{inner}{text}\n{depth}"))])
    }

    // --- inserting ---

    /// Inserts before the item, or after it if the offset is 1.
    fn insert_beside(&mut self, index: u32, content: &str, offset: usize) -> Result<Vec<Edit>> {
        let item = self.tree.item(index);
        if item.kind == Kind::Entry {
            self.check_entry(content)?;
            return Ok(maps::insert_beside(self.tree, self.style, index, content, offset));
        }
        let content = self.parse_content(content)?;
        let container = match self.last_container.take() {
            Some((parent, container)) if parent == item.parent => container,
            _ => self.container(item.parent),
        };
        let position = container.position(index);
        let edits = match offset {
            0 if content.is_comment() => container.insert_comment(position, &content),
            _ => container.insert(position + offset, &content),
        };
        self.last_container = Some((item.parent, container));
        Ok(edits)
    }

    fn insert_into(&self, index: u32, insertion: &Insertion) -> Result<Vec<Edit>> {
        let item = self.tree.item(index);
        if item.is_container() {
            let (container, content) = (self.container(index), self.parse_content(&insertion.content)?);
            return Ok(container.insert(container.insert_position(&content, insertion.position), &content));
        }
        if maps::is_map(self.tree, index) {
            self.check_entry(&insertion.content)?;
            return Ok(maps::insert_into(self.tree, self.style, index, insertion));
        }
        let label = crate::keys::label(self.tree, item);
        Err(Failure::unsupported(format!("`{label}` cannot be inserted into"))
            .hint("use `insert_before` or `insert_after`, or `replace_body` for a value"))
    }

    // --- wrapping ---

    fn wrap(&self, item: &Item, wrapper: &Wrapper) -> Edit {
        let start = if self.options.include_doc { start_with_doc(self.tree, item) } else { item.start as usize };
        let text = &self.tree.text[start..item.end as usize];
        let (before, after) = (wrapper.before.trim_ascii(), wrapper.after.trim_ascii());
        let block = before.ends_with('{') && after.starts_with('}') && item.kind != Kind::Entry;
        if !block {
            return Edit::new(start..item.end as usize, format!("{}{text}{}", wrapper.before, wrapper.after));
        }
        let closing = if item.is_statement() { ";" } else { "" };
        let span = start..item.end_with_semicolon as usize;
        if !lines::starts_line(&self.tree.text, start) {
            return Edit::new(span, format!("{before}{text}{closing}{after}"));
        }
        let depth = self.indentation_at(start);
        let inner = format!("{depth}{}", self.style.indent_unit());
        let text = reindent_text(text, &inner, self.tree.dialect);
        let (before, after) = (self.style.reindent(before, depth), self.style.reindent(after, depth));
        Edit::new(span, format!("{before}\n{inner}{text}{closing}\n{depth}{after}"))
    }

    // --- deleting ---

    fn delete(&self, items: &[u32], edits: &mut Vec<Edit>) {
        let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for index in items {
            groups.entry(self.tree.item(*index).parent).or_default().push(*index);
        }
        for (parent, group) in groups {
            if self.tree.item(group[0]).kind == Kind::Entry {
                maps::delete(self.tree, self.style, parent, &group, edits);
                continue;
            }
            let container = self.container(parent);
            let positions: Vec<usize> = group.iter().map(|index| container.position(*index)).collect();
            edits.extend(container.delete(&positions));
        }
    }

    // --- regions ---

    fn edit_region(&mut self, region: Region, operation: &Operation) -> Result<Vec<Edit>> {
        let tree = self.tree;
        match (operation, region) {
            (Operation::InsertInto(insertion), _) => {
                let (container, content) = (self.container(NONE), self.parse_content(&insertion.content)?);
                Ok(container.insert(container.insert_position(&content, insertion.position), &content))
            }
            (Operation::Replace(text) | Operation::ReplaceBody(text), Region::Whole) => {
                Ok(vec![Edit::new(Span::new(0, tree.text.len()), text.as_str())])
            }
            (Operation::Replace(text) | Operation::ReplaceBody(text), Region::Run { first, last }) => {
                let span = tree.run_span(first, last);
                Ok(vec![Edit::new(span, self.parse_content(text)?.terminated(self.indentation_at(span.range().start)))])
            }
            (Operation::InsertBefore(text), Region::Run { first, .. }) => self.insert_beside(first, text, 0),
            (Operation::InsertAfter(text), Region::Run { last, .. }) => self.insert_beside(last, text, 1),
            (Operation::Delete, Region::Run { first, last }) => {
                let run: Vec<u32> = tree.children(NONE).filter(|index| (first..=last).contains(index)).collect();
                let mut edits = Vec::new();
                self.delete(&run, &mut edits);
                Ok(edits)
            }
            _ => Err(Failure::unsupported("this operation does not support regions")
                .hint("use `insert_into` with a position, or target a rule")),
        }
    }
}
