//! Operations on sections. They apply to the content below a heading, without the definitions at its end.

use std::collections::HashSet;

use marquetry_sdk::{Edit, EditOptions, FailureKind, NodeId, Position, Result, Span, fail, items, span::apply};

use crate::blocks::{Kind, NONE};
use crate::document::MarkdownDocument;
use crate::edit::needs_no_blank_line;
use crate::section_ends::definitions_start;
use crate::{list, table};

impl MarkdownDocument {
    pub(crate) fn replace_section_body(&self, id: NodeId, body: Span, content: &str) -> Vec<Edit> {
        let line_end = self.tree().heading(id).map_or(body.range().start, |heading| heading.line_end as usize);
        if content.is_empty() {
            return vec![Edit::remove(line_end..body.range().end)];
        }
        let prefix = self.prefix(id);
        if body.is_empty() {
            return vec![self.insert_block_at(line_end, self.neighbors(id).after, &prefix, content, (2, 2))];
        }
        vec![Edit::new(body, self.fit_prefixes(id, content))]
    }

    pub(crate) fn insert_into_section(&self, id: NodeId, content: &str, position: Position) -> Result<Vec<Edit>> {
        let Some(heading) = self.tree().heading(id) else { return Ok(Vec::new()) };
        let span = self.block(id).span;
        let prefix = self.prefix(id);
        let line_end = heading.line_end as usize;
        match position {
            Position::First if self.tree().children(id).next().is_some() => {
                let first = self.tree().children(id).next();
                let next = first.map(|first| self.outer_start(first, self.block(first).span));
                Ok(vec![self.insert_block_at(line_end, next, &prefix, content, (2, 2))])
            }
            Position::First | Position::Last => {
                if let Some(edit) = self.before_definitions(id, content) {
                    return Ok(vec![edit]);
                }
                let next = self.neighbors(id).after;
                let mut edit = self.insert_block_at(span.range().end, next, &prefix, content, (2, 2));
                if next.is_none() {
                    edit.text += &self.blank_line_after_content(id, span, content);
                }
                Ok(vec![edit])
            }
            Position::Sorted => {
                let new = MarkdownDocument::new("content.md", content.to_owned());
                let new_tree = new.tree();
                let Some(first) = new_tree.headings.first().filter(|heading| heading.block == 0) else {
                    return Err(fail(
                        FailureKind::InvalidArgument,
                        "content that is inserted `sorted` into a section must begin with a heading",
                    )
                    .hint("begin the content with a heading, or use the position `first` or `last`"));
                };
                let tree = self.tree();
                let sections: Vec<u32> = tree.children(id).filter(|child| tree.heading(*child).is_some()).collect();
                let names =
                    sections.iter().filter_map(|section| tree.heading(*section)).map(|heading| tree.name(heading));
                let index = items::sorted_index(names, new_tree.name(first));
                match sections.get(index) {
                    Some(next) => Ok(vec![self.insert_block_before(*next, self.block(*next).span, content, 2)]),
                    None => self.insert_into_section(id, content, Position::Last),
                }
            }
        }
    }

    /// Splits the direct children of a section (or the top-level blocks) into the content and the definitions after it.
    fn content_and_definitions(&self, parent: u32) -> (Vec<u32>, Vec<u32>) {
        let mut content: Vec<u32> = self.tree().children(parent).collect();
        let definitions = content.split_off(definitions_start(self.tree(), &self.text, &content));
        (content, definitions)
    }

    /// Inserts content before the definitions at the end of a section or document. If the content consists of
    /// definitions, inserts it after them. Returns `None` without such definitions.
    pub(crate) fn before_definitions(&self, parent: u32, content: &str) -> Option<Edit> {
        let (own, definitions) = self.content_and_definitions(parent);
        let (first, last) = (*definitions.first()?, *definitions.last()?);
        let new = self.with_text(content.to_owned());
        if new.content_and_definitions(NONE).0.is_empty() {
            let least = if needs_no_blank_line(self.block_kind(last), content) { 1 } else { 2 };
            return Some(self.insert_block_after(last, self.block(last).span, content, least));
        }
        let heading_end = || self.tree().blocks.get(parent as usize).and_then(|_| self.tree().heading(parent));
        let end = match own.last() {
            Some(last) => self.block(*last).span.range().end,
            None => heading_end()?.line_end as usize,
        };
        let next = self.outer_start(first, self.block(first).span);
        Some(self.insert_block_at(end, Some(next), &self.prefix(first), content, (2, 2)))
    }

    /// Does the same as `before_definitions` after the subsections of a section. Returns `None` unless the section is
    /// the last in its container and a subsection precedes its definitions.
    pub(crate) fn before_definitions_at_end(&self, id: NodeId, content: &str) -> Option<Edit> {
        if self.block_kind(id) != Some(Kind::Heading) || self.neighbors(id).after.is_some() {
            return None;
        }
        let (own, _) = self.content_and_definitions(id);
        self.tree().heading(*own.last()?)?;
        self.before_definitions(id, content)
    }

    /// Inserts items or rows into the list or table at the insertion position. Returns `None` if no list or table is
    /// there, or if the content is not items or rows for it.
    pub(crate) fn join_list_or_table(
        &self,
        id: NodeId,
        content: &str,
        position: Position,
    ) -> Option<Result<Vec<Edit>>> {
        let near = self.insertion_neighbor(id, position)?;
        match self.block(near).kind {
            // Items of a nested list are inserted by `list::insert_into_list_item`.
            Kind::List if self.block_kind(id) != Some(Kind::Item) => {
                let is_list = list::is_list(content, self.block(near).detail);
                is_list.then(|| list::insert(self, near, content, position))
            }
            Kind::Table => {
                table::accepts_rows(self, near, content).then(|| table::insert(self, near, content, position))
            }
            _ => None,
        }
    }

    /// Returns the block next to which new content of a section or container is inserted.
    fn insertion_neighbor(&self, id: NodeId, position: Position) -> Option<u32> {
        let parent = match (self.block_kind(id), self.region(id)) {
            (Some(Kind::Heading | Kind::Quote | Kind::Footnote | Kind::Component | Kind::Item), _) => id,
            (None, Some(region)) if matches!(region.name, "body" | "preamble") => NONE,
            _ => return None,
        };
        let (mut content, _) = self.content_and_definitions(parent);
        if let Some(region) = self.region(id) {
            content.retain(|child| region.span.contains(self.block(*child).span));
        }
        if position == Position::First {
            return content.first().copied();
        }
        let mut last = content.last().copied()?;
        while self.block(last).kind == Kind::Heading {
            last = self.content_and_definitions(last).0.last().copied()?;
        }
        Some(last)
    }

    /// Rejects an edit of a section if it removes only one tag or marker of a matching pair.
    pub(crate) fn check_matching_tags(
        &self,
        nodes: &[(Span, NodeId)],
        edits: &[Edit],
        options: EditOptions,
    ) -> Result<()> {
        let removed = |at: u32| edits.iter().any(|edit| (edit.span.start..edit.span.end).contains(&at));
        let is_section = nodes.iter().any(|(_, id)| self.block_kind(*id) == Some(Kind::Heading));
        if options.force || !is_section {
            return Ok(());
        }
        let crossing: Vec<(u32, u32)> = self
            .tree()
            .tag_pairs
            .iter()
            .filter_map(|pair| match (removed(pair.open), removed(pair.close)) {
                (true, false) => Some((pair.open, pair.close)),
                (false, true) => Some((pair.close, pair.open)),
                _ => None,
            })
            .collect();
        if crossing.is_empty() {
            return Ok(());
        }
        let after = self.with_text(apply(&self.text, edits));
        let matched: HashSet<u32> = after.tree().tag_pairs.iter().flat_map(|pair| [pair.open, pair.close]).collect();
        let moved = |at: u32| {
            let before = edits.iter().filter(|edit| edit.span.end <= at);
            before.fold(i64::from(at), |at, edit| at + edit.text.len() as i64 - edit.span.len() as i64) as u32
        };
        let Some((gone, kept)) = crossing.into_iter().find(|(_, kept)| !matched.contains(&moved(*kept))) else {
            return Ok(());
        };
        let source = |at: u32| self.html_source(at);
        let message =
            format!("`{}` would be removed, but `{}` outside of the section would stay", source(gone), source(kept));
        Err(fail(FailureKind::InvalidArgument, message).at(Span::at(gone as usize)).hint(format!(
            "keep `{}` in the content, edit the parts of the section one by one, or use `force`",
            source(gone)
        )))
    }

    /// Returns the tag or comment that starts at this offset.
    fn html_source(&self, at: u32) -> &str {
        let rest = &self.text[at as usize..];
        let end = if rest.starts_with("<!--") {
            rest.find("-->").map(|end| end + 3)
        } else {
            rest.find('>').map(|end| end + 1)
        };
        let line = rest.lines().next().unwrap_or_default();
        line.get(..end.unwrap_or(line.len())).unwrap_or(line)
    }
}
