//! Operations on values. They return byte ranges and the text that replaces them.

use std::{borrow::Cow, collections::BTreeMap};

use marquetry_jsonpath::{Kind, Tree, ValueEditor, find_missing, locations, operation_edits};

type Location<'d> = marquetry_jsonpath::Location<'d, Id>;
use marquetry_sdk::{
    Edit, EditOptions, Failure, FailureKind, NodeId, Operation, Position, Result, Span, Target, Wrapper, fail, indent,
    items::{C_STYLE, EmptyStyle, Items, NO_COMMENTS, NewItem, sorted_index},
    lines,
};

use crate::{
    comments,
    content::{self, NewEntry},
    document::JsonDocument,
    source::{Child, Source},
    table::Id,
};

/// Returns the edits of one operation on all the nodes.
pub(crate) fn edit(
    document: &JsonDocument,
    nodes: &[NodeId],
    operation: &Operation,
    options: EditOptions,
) -> Result<Vec<Edit>> {
    let source = document.source();
    let places = locations(&source, 0, nodes);
    if let Some(node) = nodes.iter().find(|id| places.binary_search_by_key(*id, |place| place.id).is_err()) {
        return Err(fail(FailureKind::InvalidArgument, format!("no node {node}")));
    }
    operation_edits(&Editor::new(document, options), &places, operation)
}

/// Returns the edits that create a missing value.
pub(crate) fn insert_missing(document: &JsonDocument, target: &Target, content: &str) -> Result<Vec<Edit>> {
    let missing = find_missing(&document.source(), target)?;
    Editor::new(document, EditOptions { include_doc: false, force: false }).create_missing(&missing, content)
}

pub(crate) struct Editor<'d> {
    pub(crate) source: Source<'d>,
    /// Indentation unit of the file; `None` if no line is indented.
    detected_unit: Option<String>,
    pub(crate) unit: String,
    options: EditOptions,
    pub(crate) is_json_lines: bool,
}

impl<'d> ValueEditor for Editor<'d> {
    type Layout = Source<'d>;

    fn layout(&self) -> &Source<'d> {
        &self.source
    }

    fn replace(&self, place: &Location<'_>, content: &str) -> Result<Vec<Edit>> {
        let span = self.source.span(place.id);
        if let (true, Some(doc)) = (self.options.include_doc, self.source.doc(place)) {
            return self.replace_with_doc(place, Span { start: doc.start, end: span.end }, content);
        }
        if self.source.is_json_lines(place.id) {
            return Ok(vec![Edit::new(span, join_lines(content::parse_lines(content, self.options.force)?))]);
        }
        let (content, comments) = content::parse_value(content, self.options.force)?;
        let indent = self.indent(span.range().start);
        let mut edits = vec![Edit::new(span, self.format_content(&content, indent))];
        if !comments.is_empty() {
            let comments = indent_comments(&comments, indent);
            edits.push(match place.parent {
                Some((parent, _)) => self.items(parent).insert_comments_after(span.range().end, &comments),
                None => Edit::insert(span.range().end, comments),
            });
        }
        Ok(edits)
    }

    fn replace_body(&self, place: &Location<'_>, content: &str) -> Result<Vec<Edit>> {
        let body = self.source.body(place.id).ok_or_else(|| {
            Failure::unsupported(format!("`{}` is not an object or array, so it has no body", place.address))
                .hint("use `replace` for its whole value")
        })?;
        if body.slice(self.text()) == content || self.source.is_json_lines(place.id) {
            return self.replace_lines_body(place, body, content);
        }
        if content.trim().is_empty() {
            return Ok(vec![Edit::remove(body)]);
        }
        let items = Items { inner: Span::at(body.range().start), items: Vec::new(), ..self.items(place.id) };
        let block = body.slice(self.text()).contains('\n') || content.trim().contains('\n');
        let items = Items {
            empty: if block && !self.is_json_lines { EmptyStyle::Block } else { self.empty_container_style() },
            ..items
        };
        let pieces = self.parse_entries(place.id, content)?;
        let (text, comments) = self.join_entries(&items, &pieces);
        let new = NewItem { text: &text, comments: &comments };
        let filled = items.insert(0, new).into_iter().map(|edit| Edit::new(body, edit.text));
        Ok(filled.collect())
    }

    fn insert_at(&self, container: Id, index: usize, content: &str) -> Result<Vec<Edit>> {
        if let Some(comment) = self.allowed_comment(container, content) {
            return self.insert_comment(container, index, comment);
        }
        let pieces = self.parse_entries(container, content)?;
        self.refuse_existing_names(container, &pieces)?;
        Ok(self.insert_entries(&self.items(container), index, &pieces))
    }

    fn insert_into(&self, place: &Location<'_>, content: &str, position: Position) -> Result<Vec<Edit>> {
        let id = place.id;
        if self.source.kind(id) == Kind::Null && !self.source.raw(id).is_empty() {
            return self.fill_null(place, content);
        }
        if !matches!(self.source.kind(id), Kind::Object | Kind::Array) {
            let kind = self.source.kind(id).name();
            return Err(Failure::unsupported(format!("cannot insert into `{}` of type {kind}", place.address))
                .hint("use `replace`, or `insert_into` on an object or array"));
        }
        if let Some(comment) = self.allowed_comment(id, content) {
            let index = if position == Position::First { 0 } else { self.source.count(id) };
            return self.insert_comment(id, index, comment);
        }
        let pieces = self.parse_entries(id, content)?;
        self.refuse_existing_names(id, &pieces)?;
        let items = self.items(id);
        if self.source.is_json_lines(id) && items.items.is_empty() {
            return Ok(self.insert_first_lines(pieces));
        }
        let mut at: BTreeMap<usize, Vec<NewEntry>> = BTreeMap::new();
        for piece in pieces {
            let index = match position {
                Position::First => 0,
                Position::Last => items.items.len(),
                Position::Sorted => self.sorted_index(id, &piece),
            };
            at.entry(index).or_default().push(piece);
        }
        let edits = at.into_iter().flat_map(|(index, mut pieces)| {
            if position == Position::Sorted {
                pieces.sort_by_cached_key(|piece| piece.names.first().map(|name| (name.to_lowercase(), name.clone())));
            }
            self.insert_entries(&items, index, &pieces)
        });
        Ok(edits.collect())
    }

    fn wrap(&self, place: &Location<'_>, wrapper: &Wrapper) -> Result<Vec<Edit>> {
        if self.source.is_json_lines(place.id) {
            return Err(
                Failure::unsupported("a JSON Lines file cannot be wrapped as a whole").hint("wrap its lines, `$[*]`")
            );
        }
        let span = self.source.span(place.id);
        let value = span.slice(self.text());
        content::parse_value(&format!("{}{value}{}", wrapper.before, wrapper.after), self.options.force)?;
        let (before, after) = (wrapper.before.trim_start(), wrapper.after.trim_end());
        if !before.trim_end_matches([' ', '\t']).ends_with('\n') || self.is_json_lines {
            return Ok(vec![Edit::insert(span.range().start, before), Edit::insert(span.range().end, after)]);
        }
        let outer = self.indent(span.range().start);
        let inner = indent::reindent(value, &self.unit, |_| false);
        let whole = format!("{}\n{}{inner}\n{}", before.trim_end(), self.unit, after.trim_start());
        Ok(vec![Edit::new(span, self.indent_content(&whole, outer))])
    }

    fn delete_entries(&self, container: Id, indices: &[usize]) -> Result<Vec<Edit>> {
        let mut edits = self.items(container).delete(indices);
        edits.iter_mut().for_each(|edit| self.start_at_entry(edit));
        Ok(edits)
    }
}

impl<'d> Editor<'d> {
    pub(crate) fn new(document: &'d JsonDocument, options: EditOptions) -> Editor<'d> {
        let source = document.source();
        let detected_unit = indent::detected_unit(source.text);
        let unit = detected_unit.clone().unwrap_or_else(|| indent::unit(""));
        Editor { source, detected_unit, unit, options, is_json_lines: document.dialect().is_json_lines }
    }

    fn text(&self) -> &'d str {
        self.source.text
    }

    fn indent(&self, offset: usize) -> &'d str {
        lines::indent_at(self.text(), offset)
    }

    /// Formats the content for its position. In JSON Lines, it is on one line; otherwise, it gets this indentation.
    fn format_content(&self, content: &str, indent: &str) -> String {
        if self.is_json_lines { content::join_on_one_line(content) } else { self.indent_content(content, indent) }
    }

    /// Indents the content. Its inner indentation is converted to the unit of the document.
    pub(crate) fn indent_content(&self, content: &str, at: &str) -> String {
        indent::reindent_with_unit(content, at, self.detected_unit.as_deref(), |_| false)
    }

    /// Moves the removal of whole lines to the start of the first entry, so that another edit can insert text before
    /// the entry. The result is the same if the line after the removed ones has the same indentation.
    fn start_at_entry(&self, edit: &mut Edit) {
        let (text, range) = (self.text(), edit.span.range());
        let indent = |line: usize| &text[line..line + lines::indent_at(text, line).len()];
        let is_line = |offset: usize| offset < text.len() && lines::line_start(text, offset) == offset;
        if !edit.text.is_empty() || range.is_empty() || !is_line(range.start) || !is_line(range.end) {
            return;
        }
        let (own, next) = (indent(range.start), indent(range.end));
        let is_last = text[range.end + next.len()..].starts_with(['}', ']']);
        if own == next && !is_last {
            edit.span = Span::new(range.start + own.len(), range.end + own.len());
        }
    }

    /// Replaces a whole member or element together with the comment above it.
    fn replace_with_doc(&self, place: &Location<'_>, span: Span, content: &str) -> Result<Vec<Edit>> {
        if span.slice(self.text()) == content.trim() {
            return Ok(Vec::new());
        }
        let force = self.options.force;
        let pieces = if place.key.is_some() {
            content::parse_members(content, force)?
        } else {
            content::parse_elements(content, force)?
        };
        let Some((parent, _)) = place.parent else { return Ok(Vec::new()) };
        let items = self.items(parent);
        let (text, comments) = self.join_entries(&items, &pieces);
        let mut edits = vec![Edit::new(span, text)];
        if !comments.is_empty() {
            edits.push(items.insert_comments_after(span.range().end, &comments));
        }
        Ok(edits)
    }

    fn replace_lines_body(&self, place: &Location<'_>, body: Span, content: &str) -> Result<Vec<Edit>> {
        if body.slice(self.text()) == content { Ok(Vec::new()) } else { self.replace(place, content) }
    }

    /// Replaces null by an object that contains the content.
    fn fill_null(&self, place: &Location<'_>, content: &str) -> Result<Vec<Edit>> {
        let is_object = content.trim_start().starts_with('{');
        if is_object || content::parse_members(content, false).is_err() {
            return Err(Failure::unsupported(format!(
                "`{}` is null, so it has no entries to insert beside",
                place.address
            ))
            .hint("use `replace` with an object or an array: `{…}` or `[…]`, or give members, `\"key\": value`"));
        }
        let block = !self.is_json_lines && (self.text().contains('\n') || comments::has_line_comment(content));
        let space = if self.text().contains("{ ") { " " } else { "" };
        self.replace(
            place,
            &if block { format!("{{\n  {content}\n}}") } else { format!("{{{space}{content}{space}}}") },
        )
    }

    /// Inserts the first values into a JSON Lines file.
    fn insert_first_lines(&self, pieces: Vec<NewEntry>) -> Vec<Edit> {
        vec![Edit::new(self.source.span(0), join_lines(pieces))]
    }

    /// Returns the index at which a new entry is inserted. Members are sorted by name, and elements by value.
    fn sorted_index(&self, container: Id, piece: &NewEntry) -> usize {
        let children = || self.source.children_of(container);
        if let Some(name) = piece.names.first() {
            let names: Vec<Cow<'_, str>> = children().filter_map(|child| Some(self.source.name(child.key?))).collect();
            return sorted_index(names.iter().map(AsRef::as_ref), name);
        }
        if let Ok(number) = piece.text.parse::<f64>() {
            let at = children().position(|child| self.source.number(child.value) > number);
            return at.unwrap_or(self.source.count(container));
        }
        let values: Vec<Cow<'_, str>> = children().map(|child| self.source.text(child.value)).collect();
        sorted_index(values.iter().map(AsRef::as_ref), &crate::token::decode_string(&piece.text))
    }

    fn refuse_existing_names(&self, object: Id, pieces: &[NewEntry]) -> Result<()> {
        if self.options.force {
            return Ok(());
        }
        let known = |name: &String| Some((name.clone(), self.source.member(object, name)?));
        let Some((name, id)) = pieces.iter().flat_map(|piece| &piece.names).find_map(known) else {
            return Ok(());
        };
        let address = locations(&self.source, 0, &[id]).pop().map_or_else(String::new, |place| place.address);
        Err(fail(FailureKind::InvalidArgument, format!("the key `{name}` already exists: `{address}`"))
            .hint(format!("use `replace` with the target `{address}`"))
            .candidates([address])
            .at(self.source.span(id)))
    }

    /// Returns the content if it contains only comments and the container allows comments.
    fn allowed_comment<'c>(&self, container: Id, content: &'c str) -> Option<&'c str> {
        content::as_comment(content).filter(|_| !self.is_json_lines && !self.source.is_json_lines(container))
    }

    fn insert_comment(&self, container: Id, index: usize, comment: &str) -> Result<Vec<Edit>> {
        let items = self.items(container);
        let text = self.indent_content(comment, &items.indent());
        items.insert_comment(index, &text).ok_or_else(|| {
            fail(FailureKind::InvalidArgument, "a `//` comment would comment out the rest of the line")
                .hint("write it as `/* … */`")
        })
    }

    fn parse_entries(&self, container: Id, content: &str) -> Result<Vec<NewEntry>> {
        let force = self.options.force;
        if self.source.is_json_lines(container) {
            content::parse_lines(content, force)
        } else if self.source.is_object(container) {
            content::parse_members(content, force)
        } else {
            content::parse_elements(content, force)
        }
    }

    fn insert_entries(&self, items: &Items<'_>, index: usize, pieces: &[NewEntry]) -> Vec<Edit> {
        let (text, comments) = self.join_entries(items, pieces);
        items.insert(index, NewItem { text: &text, comments: &comments })
    }

    /// Joins entries so that they can be inserted together into the container. Returns them, and the comments after the
    /// last one.
    fn join_entries(&self, items: &Items<'_>, pieces: &[NewEntry]) -> (String, String) {
        let indent = items.indent();
        let texts: Vec<String> = pieces.iter().map(|piece| self.format_content(&piece.text, &indent)).collect();
        let block = if items.items.is_empty() { items.empty == EmptyStyle::Block } else { items.in_block() };
        let text = if block {
            texts.join(&format!("{}\n{indent}", items.separator))
        } else {
            texts.join(if self.text().contains(", ") || texts.len() < 3 { ", " } else { "," })
        };
        // Only the single entry of a content with comments has some.
        let comments = pieces.last().map_or("", |piece| &piece.comments);
        (text, indent_comments(comments, &indent))
    }

    /// Returns how to write an empty container that is filled with content on one line.
    fn empty_container_style(&self) -> EmptyStyle {
        if self.text().contains("{ ") { EmptyStyle::Padded } else { EmptyStyle::Tight }
    }

    pub(crate) fn items(&self, container: Id) -> Items<'_> {
        let source = self.source;
        if source.is_json_lines(container) {
            return Items {
                text: self.text(),
                inner: source.span(container),
                items: source.children(container).map(|id| source.span(id)).collect(),
                separator: "",
                terminated: false,
                comments: NO_COMMENTS,
                unit: &self.unit,
                empty: EmptyStyle::Tight,
                breaks: 1,
            };
        }
        let inner = source.body(container).unwrap_or(source.span(container));
        let mut gap = inner.range().start;
        let item = |child: Child| {
            let span = source.span(child.value);
            let start = child.key.map_or(span.range().start, |key| source.table.range(key).start);
            let doc = comments::attached_comments(source.text, gap..start.max(gap));
            gap = span.range().end;
            Span::new(doc.map_or(start, |doc| doc.range().start), span.range().end)
        };
        let items = source.children_of(container).map(item).collect();
        let object = source.is_object(container);
        let spread = !self.is_json_lines && (container == 0 || self.text().contains('\n'));
        let empty = match () {
            () if object && spread => EmptyStyle::Block,
            () if object => self.empty_container_style(),
            () => EmptyStyle::Tight,
        };
        Items {
            text: self.text(),
            inner,
            items,
            separator: ",",
            terminated: false,
            comments: C_STYLE,
            unit: &self.unit,
            empty,
            breaks: 1,
        }
    }
}

/// Indents the lines of comments that follow an entry.
fn indent_comments(comments: &str, indent: &str) -> String {
    let line = |(number, line): (usize, &str)| match number {
        0 => line.trim_end().to_owned(),
        _ if line.trim().is_empty() => String::new(),
        _ => format!("{indent}{}", line.trim()),
    };
    comments.lines().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

fn join_lines(pieces: Vec<NewEntry>) -> String {
    pieces.into_iter().map(|piece| piece.text + "\n").collect()
}
