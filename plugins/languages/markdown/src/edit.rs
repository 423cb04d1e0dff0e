//! Operations on blocks and sections.

use std::borrow::Cow;

use marquetry_sdk::{
    Edit, EditOptions, FailureKind, Insertion, NodeId, Operation, Position, Result, Span, Wrapper, fail, indent,
};

use crate::blocks::{Detail, Kind, NONE};
use crate::document::MarkdownDocument;
use crate::errors::{empty_content_error, no_body_error, unsupported_operation};
use crate::insertion::{count_breaks, line_breaks, prefix_lines, trim_blank_lines};
use crate::{code, list, table, verify};

impl MarkdownDocument {
    /// Returns the edits of one operation on the nodes.
    pub(crate) fn edit_nodes(
        &self,
        nodes: &[NodeId],
        operation: &Operation,
        options: EditOptions,
    ) -> Result<Vec<Edit>> {
        let mut ids: Vec<(Span, NodeId)> = Vec::new();
        for id in nodes {
            ids.push((self.node(*id)?.span, *id));
        }
        ids.sort_by_key(|(span, id)| (span.start, std::cmp::Reverse(span.end), *id));
        ids.dedup();
        self.verified_edits(&ids, operation, options)
    }

    /// Returns the edits of one operation on nodes in document order.
    pub(crate) fn operation_edits(
        &self,
        ids: &[(Span, NodeId)],
        operation: &Operation,
        options: EditOptions,
    ) -> Result<Vec<Edit>> {
        if matches!(operation, Operation::Delete) {
            let edits = self.delete(ids)?;
            self.check_matching_tags(ids, &edits, options)?;
            self.check_used_definitions(ids, &edits, options)?;
            return Ok(edits);
        }
        let mut edits: Vec<Edit> = Vec::new();
        for (span, id) in ids {
            edits.extend(self.edit_node(*id, *span, operation, options)?);
        }
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        if edits.windows(2).any(|pair| pair[0].span.end > pair[1].span.start) {
            return Err(fail(FailureKind::InvalidArgument, "the targets are nested in one another")
                .hint("edit them one by one"));
        }
        if matches!(operation, Operation::Replace(_) | Operation::ReplaceBody(_)) {
            self.check_matching_tags(ids, &edits, options)?;
            self.check_used_definitions(ids, &edits, options)?;
        }
        Ok(edits)
    }

    fn edit_node(&self, id: NodeId, span: Span, operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
        match operation {
            Operation::Replace(content) => self.replace(id, span, content, options),
            Operation::ReplaceBody(content) => self.replace_body(id, content),
            Operation::InsertBefore(content) => self.insert_beside(id, span, content, false),
            Operation::InsertAfter(content) => self.insert_beside(id, span, content, true),
            Operation::InsertInto(insertion) => self.insert_into(id, insertion),
            Operation::Wrap(wrapper) => self.wrap(id, span, wrapper),
            // `edit_nodes` deletes all nodes together.
            Operation::Delete => Ok(Vec::new()),
        }
    }

    /// Returns the kind of a block; `None` for a region.
    pub(crate) fn block_kind(&self, id: NodeId) -> Option<Kind> {
        self.tree().blocks.get(id as usize).map(|block| block.kind)
    }

    fn replace(&self, id: NodeId, span: Span, content: &str, options: EditOptions) -> Result<Vec<Edit>> {
        let content = trim_blank_lines(content);
        if content.is_empty() {
            return self.delete(&[(span, id)]);
        }
        Ok(vec![match self.block_kind(id) {
            Some(Kind::Item) => {
                let behind = self.blank_line_after_content(id, span, content);
                Edit::new(span, list::replacement_text(self, id, content) + &behind)
            }
            Some(Kind::Row | Kind::Header) => {
                Edit::new(span, table::replacement_text(self, id, content, options.force)?)
            }
            // A fence within the indentation would be a line of the code.
            Some(Kind::Code) if verify::is_indented_code(self, id) && code::starts_fence(content) => {
                let span = Span::new(self.outer_start(id, span), span.range().end);
                Edit::new(span, prefix_lines(content, &self.outer_prefix(id)))
            }
            _ => self.replace_block(id, span, content),
        }])
    }

    fn replace_body(&self, id: NodeId, content: &str) -> Result<Vec<Edit>> {
        let kind = self.block_kind(id);
        let Some(body) = kind.and_then(|_| self.body(id)) else { return Err(no_body_error(kind_name(kind))) };
        if body.slice(&self.text).lines().eq(content.lines()) {
            return Ok(Vec::new());
        }
        match kind {
            Some(Kind::Heading) => Ok(self.replace_section_body(id, body, trim_blank_lines(content))),
            Some(Kind::Code) => Ok(self.replace_code(id, body, content)),
            Some(Kind::FrontMatter) => {
                Ok(vec![fill_between_fences(&self.text, body, content.trim_end_matches(['\n', '\r']))])
            }
            Some(Kind::Definition) => Ok(vec![self.replace_destination(body, content)?]),
            Some(Kind::Component) => Ok(vec![self.replace_children(id, body, trim_blank_lines(content))]),
            _ => {
                // The content starts after the marker of the container, so its first line needs no indentation.
                let prefix = list::inner_prefix(self, id);
                let is_task = self.block(id).detail == Detail::Task && list::check_box(content.trim()).is_none();
                let kept = list::check_box(body.slice(&self.text)).filter(|_| is_task).unwrap_or_default();
                let body = Span::new(body.range().start + kept, body.range().end);
                let space = if self.text[..body.range().start].ends_with([' ', '\t']) { "" } else { " " };
                Ok(vec![Edit::new(body, format!("{space}{}", prefix_lines(content.trim(), &prefix)))])
            }
        }
    }

    fn replace_code(&self, id: NodeId, body: Span, content: &str) -> Vec<Edit> {
        let block = self.block(id);
        let content = content.strip_suffix('\n').unwrap_or(content);
        let content = content.strip_suffix('\r').unwrap_or(content);
        let prefix = self.prefix(id);
        let Some(fence) = code::parse_fence(&self.text, block.span.range()).filter(|_| body != block.span) else {
            return vec![Edit::new(body, prefix_lines(content, &prefix))];
        };
        let mut edits = Vec::new();
        let opening = fence.opening.start..fence.opening.start + fence.mark.len();
        let longer = code::longer_fence(fence.mark, content);
        if let Some(longer) = &longer {
            edits.push(Edit::new(opening, longer.clone()));
        }
        edits.push(self.fill_code(&fence, &prefix, content));
        if let (Some(longer), Some(closing)) = (longer, fence.closing) {
            edits.push(Edit::new(closing, longer));
        }
        edits
    }

    /// Puts content between the fences of a code block.
    fn fill_code(&self, fence: &code::Fence<'_>, prefix: &str, content: &str) -> Edit {
        let lines = prefix_lines(content, prefix);
        let has_lines = !fence.content.is_empty() || self.text[..fence.content.start].ends_with(['\n', '\r']);
        match (&fence.closing, fence.content.is_empty()) {
            _ if !has_lines => Edit::insert(fence.content.start, format!("\n{prefix}{lines}")),
            (_, false) if content.is_empty() => {
                // Remove the line break together with the last line.
                let end = fence.content.end + marquetry_sdk::lines::break_len(&self.text, fence.content.end);
                Edit::remove(fence.content.start..if fence.closing.is_some() { end } else { fence.content.end })
            }
            (Some(_), true) if content.is_empty() => Edit::insert(fence.content.start, ""),
            (Some(_), true) => Edit::insert(fence.content.start, format!("{prefix}{lines}\n")),
            _ => Edit::new(fence.content.clone(), format!("{prefix}{lines}")),
        }
    }

    fn replace_destination(&self, body: Span, content: &str) -> Result<Edit> {
        let content = content.trim();
        let content = content.strip_prefix('<').and_then(|c| c.strip_suffix('>')).unwrap_or(content);
        if content.contains(['\n', '\r', '<', '>']) {
            return Err(fail(FailureKind::InvalidArgument, "a link destination must be one line without `<` and `>`"));
        }
        let angle = self.text[..body.range().start].ends_with('<');
        let needs = content.is_empty() || content.contains(' ');
        Ok(Edit::new(body, if needs && !angle { format!("<{content}>") } else { content.to_owned() }))
    }

    fn replace_children(&self, id: NodeId, body: Span, content: &str) -> Edit {
        if body.is_empty() {
            let inner = self.block(id).inner;
            return Edit::new(inner, format!("\n{content}\n{}", self.prefix(id)));
        }
        let prefix = self.child_prefix(id, body);
        Edit::new(body, prefix_lines(content, &prefix))
    }

    /// Returns the indentation of a component's children.
    fn child_prefix(&self, id: NodeId, body: Span) -> String {
        let start = body.range().start;
        if marquetry_sdk::lines::starts_line(&self.text, start) {
            return crate::insertion::prefix_at(&self.text, start);
        }
        self.prefix(id)
    }

    pub(crate) fn insert_beside(&self, id: NodeId, span: Span, content: &str, after: bool) -> Result<Vec<Edit>> {
        let content = trim_blank_lines(content);
        if content.is_empty() {
            return Err(empty_content_error());
        }
        let kind = self.block_kind(id);
        match kind {
            Some(Kind::Item) => return list::insert_beside(self, id, content, after),
            Some(Kind::Row | Kind::Header) => return table::insert_beside(self, id, content, after),
            Some(Kind::FrontMatter) if !after => {
                return Err(unsupported_operation(
                    "insert_before",
                    "front matter",
                    "it must stay at the start; use `insert_after`",
                ));
            }
            _ => {}
        }
        if after && let Some(edit) = self.before_definitions_at_end(id, content) {
            return Ok(vec![edit]);
        }
        let least = if needs_no_blank_line(kind, content) { 1 } else { 2 };
        Ok(vec![if after {
            self.insert_block_after(id, span, content, least)
        } else {
            self.insert_block_before(id, span, content, least)
        }])
    }

    fn wrap(&self, id: NodeId, span: Span, wrapper: &Wrapper) -> Result<Vec<Edit>> {
        let kind = self.block_kind(id);
        if matches!(kind, Some(Kind::Item | Kind::Row | Kind::Header | Kind::FrontMatter)) {
            return Err(unsupported_operation("wrap", kind_name(kind), "wrap the whole list or table"));
        }
        let prefix = self.prefix(id);
        // Line breaks in the wrapper determine its distance from the block. By default, a blank line separates them,
        // because HTML around Markdown needs one.
        let count = |breaks: usize| if breaks == 0 { 2 } else { breaks };
        let before = wrapper.before.trim_end_matches(['\n', '\r']);
        let after = wrapper.after.trim_start_matches(['\n', '\r']);
        let ahead = line_breaks(count(count_breaks(&wrapper.before, before.len()..wrapper.before.len())), &prefix);
        let behind = line_breaks(count(count_breaks(&wrapper.after, 0..wrapper.after.len() - after.len())), &prefix);
        Ok(vec![
            Edit::insert(span.range().start, format!("{}{ahead}", prefix_lines(before, &prefix))),
            Edit::insert(span.range().end, format!("{behind}{}", prefix_lines(after.trim_end(), &prefix))),
        ])
    }

    fn insert_into(&self, id: NodeId, insertion: &Insertion) -> Result<Vec<Edit>> {
        let content = trim_blank_lines(&insertion.content);
        if content.is_empty() {
            return Err(empty_content_error());
        }
        let position = insertion.position;
        if let Some(edits) = self.join_list_or_table(id, content, position) {
            return edits;
        }
        match self.block_kind(id) {
            Some(Kind::Heading) => self.insert_into_section(id, content, position),
            Some(Kind::List) => list::insert(self, id, content, position),
            Some(Kind::Table) => table::insert(self, id, content, position),
            Some(kind) if position == Position::Sorted => {
                Err(unsupported_operation("insert_into sorted", kind.name(), "use the position `first` or `last`"))
            }
            Some(Kind::Code) => self.insert_into_code(id, &insertion.content, position),
            Some(Kind::Item) => list::insert_into_list_item(self, id, content, position),
            Some(Kind::Component) => self.insert_into_component(id, content, position),
            Some(Kind::Quote | Kind::Footnote) => Ok(vec![self.insert_into_container(id, content, position)]),
            Some(Kind::FrontMatter) => Err(unsupported_operation(
                "insert_into",
                "front matter",
                "address it by `path`, such as `$`, or use `replace_body`",
            )),
            None => self.insert_into_region(id, content, position),
            Some(kind) => Err(unsupported_operation(
                "insert_into",
                kind.name(),
                "use `insert_before`, `insert_after` or `replace`",
            )),
        }
    }

    fn insert_into_code(&self, id: NodeId, content: &str, position: Position) -> Result<Vec<Edit>> {
        let body = self.body(id).unwrap_or(self.block(id).span);
        let content = content.trim_end_matches(['\n', '\r']);
        let prefix = self.prefix(id);
        if body.is_empty() {
            return Ok(self.replace_code(id, body, content));
        }
        // Within a list or quote, the indentation includes that of the container, so the unit of the code cannot be
        // detected.
        let unit = if prefix.is_empty() { indent::detected_unit(body.slice(&self.text)) } else { None };
        let content = unit.map_or(Cow::Borrowed(content), |unit| Cow::Owned(indent::convert_unit(content, &unit)));
        let lines = prefix_lines(&content, &prefix);
        let body = body.range();
        // The content of a fenced block in a container starts with the prefix of its first line.
        let ahead = if self.block(id).span.range() == body { "" } else { prefix.as_str() };
        Ok(vec![match position {
            Position::First => Edit::insert(body.start, format!("{ahead}{lines}\n{}", &prefix[ahead.len()..])),
            _ => Edit::insert(body.end, format!("\n{prefix}{lines}")),
        }])
    }

    fn insert_into_component(&self, id: NodeId, content: &str, position: Position) -> Result<Vec<Edit>> {
        let Some(body) = self.body(id) else {
            return Err(unsupported_operation(
                "insert_into",
                "component without a closing tag",
                "replace it as a whole",
            ));
        };
        if body.is_empty() {
            return Ok(vec![self.replace_children(id, body, content)]);
        }
        let prefix = self.child_prefix(id, body);
        let text = prefix_lines(content, &prefix);
        Ok(vec![match position {
            Position::First => Edit::insert(body.range().start, format!("{text}{}", line_breaks(2, &prefix))),
            _ => Edit::insert(body.range().end, format!("{}{text}", line_breaks(2, &prefix))),
        }])
    }

    /// Inserts content before the first or after the last block of a container.
    pub(crate) fn insert_into_container(&self, id: NodeId, content: &str, position: Position) -> Edit {
        let children: Vec<u32> = self.tree().children(id).collect();
        let child = if position == Position::First { children.first() } else { children.last() };
        let Some(child) = child else {
            let end = self.block(id).span.range().end;
            let behind = self.blank_line_after_content(id, self.block(id).span, content);
            return Edit::insert(end, format!(" {}{behind}", prefix_lines(content, &list::inner_prefix(self, id))));
        };
        let span = self.block(*child).span;
        match position {
            Position::First => self.insert_block_before(*child, span, content, 2),
            _ => self.insert_block_after(*child, span, content, 2),
        }
    }

    fn insert_into_region(&self, id: NodeId, content: &str, position: Position) -> Result<Vec<Edit>> {
        let Some(region) = self.region(id) else { return Ok(Vec::new()) };
        let least = if matches!(region.name, "imports" | "exports") { 1 } else { 2 };
        let std::ops::Range { start, end } = region.span.range();
        Ok(vec![match position {
            Position::First => Edit::insert(start, format!("{content}{}", line_breaks(least, ""))),
            Position::Last => match self.before_definitions(NONE, content).filter(|_| region.name == "body") {
                Some(edit) => edit,
                None => self.insert_block_at(end, self.neighbors(id).after, "", content, (least, 2)),
            },
            Position::Sorted => {
                return Err(unsupported_operation(
                    "insert_into sorted",
                    "region",
                    "use the position `first` or `last`",
                ));
            }
        }])
    }
}

/// Returns whether the content can be directly below or above a block of this kind, without a blank line.
pub(crate) fn needs_no_blank_line(kind: Option<Kind>, content: &str) -> bool {
    let definition = content.starts_with('[') && content.contains("]:");
    match kind {
        Some(Kind::Definition) => definition && !content.starts_with("[^"),
        Some(Kind::Footnote) => definition && content.starts_with("[^"),
        Some(Kind::Import | Kind::Export) => content.starts_with("import ") || content.starts_with("export "),
        _ => false,
    }
}

/// Replaces the text between two fences by the content.
pub(crate) fn fill_between_fences(text: &str, body: Span, content: &str) -> Edit {
    let closes_here = body.is_empty() && text[body.range().end..].starts_with(['-', '+']);
    match (closes_here, content.is_empty()) {
        (true, false) => Edit::insert(body.range().start, format!("{content}\n")),
        (false, true) => {
            let end = body.range().end;
            Edit::remove(body.range().start..end + marquetry_sdk::lines::break_len(text, end))
        }
        _ => Edit::new(body, content),
    }
}

pub(crate) fn kind_name(kind: Option<Kind>) -> &'static str {
    kind.map_or("region", Kind::name)
}
