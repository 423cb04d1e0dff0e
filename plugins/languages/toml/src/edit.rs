//! Operations on values. They return byte ranges and the text that replaces them. Separate modules handle values in
//! brackets and tables that consist of lines.

use marquetry_jsonpath::{Location as AnyPlace, Tree, ValueEditor, find_missing, locations, operation_edits};
use marquetry_sdk::{
    Edit, EditOptions, Failure, FailureKind, NodeId, Operation, Position, Result, Span, Target, Wrapper, fail, indent,
    lines, span::apply_within,
};

use crate::{
    content::{self, ContentLines, NewEntry},
    document::TomlDocument,
    source::Source,
    table::{Id, Key, Kind},
    verify,
};

pub(crate) type Location<'d> = AnyPlace<'d, Key>;

/// Returns the edits of one operation on all the nodes.
pub(crate) fn edit(
    document: &TomlDocument,
    nodes: &[NodeId],
    operation: &Operation,
    options: EditOptions,
) -> Result<Vec<Edit>> {
    let source = document.source();
    let places = locations(&source, 0, nodes);
    let edits = operation_edits(&Editor::new(source, options), &places, operation)?;
    if !options.force && document.first_problem().is_none() {
        verify::verify_edits(source, &places, operation, &edits)?;
    }
    Ok(edits)
}

/// Returns the edits that create a missing value.
pub(crate) fn insert_missing(document: &TomlDocument, target: &Target, content: &str) -> Result<Vec<Edit>> {
    let source = document.source();
    let missing = find_missing(&source, target)?;
    let edits =
        Editor::new(source, EditOptions { include_doc: false, force: false }).create_missing(&missing, content)?;
    if document.first_problem().is_none() {
        verify::verify_created(source, missing.container, &edits)?;
    }
    Ok(edits)
}

/// Returns whether a valid document is certainly valid after the edits. All edits must be in the value of one entry,
/// and the result must still be one value.
pub(crate) fn stays_well_formed(source: Source<'_>, edits: &[Edit]) -> bool {
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return true };
    let entries = &source.table.entries;
    let index = entries.partition_point(|entry| entry.start <= first.span.start);
    let Some(entry) = index.checked_sub(1).map(|index| entries[index]) else { return false };
    let range = source.table.range(entry.node);
    if first.span.range().start < range.start || last.span.range().end > range.end {
        return false;
    }
    content::parse_value(&apply_within(source.text, range.clone(), edits), false)
        .is_ok_and(|value| value.len() == apply_within(source.text, range, edits).len())
}

#[derive(Debug)]
pub(crate) struct Editor<'d> {
    pub(crate) source: Source<'d>,
    /// Indentation unit of the file; `None` if no line is indented.
    pub(crate) detected_unit: Option<String>,
    pub(crate) unit: String,
    pub(crate) options: EditOptions,
}

impl<'d> ValueEditor for Editor<'d> {
    type Layout = Source<'d>;

    fn layout(&self) -> &Source<'d> {
        &self.source
    }

    fn replace(&self, place: &Location<'_>, content: &str) -> Result<Vec<Edit>> {
        let span = self.source.span(place.id);
        if let (true, Some(doc)) = (self.options.include_doc, self.source.doc(place.id)) {
            return self.replace_with_doc(place, Span { start: doc.start, end: span.end }, content);
        }
        if span.slice(self.text()) == content {
            return Ok(Vec::new());
        }
        match self.source.kind_of(place.id) {
            Kind::Root => self.replace_file(place, span, content),
            Kind::DottedTable => self.replace_dotted(place, content),
            kind if kind.is_sectioned() => self.replace_sections(place, content),
            kind => {
                let (value, comment) = content::parse_commented_value(content, self.options.force)?;
                let new =
                    content::reindent_value(value, self.indent(span.range().start), self.detected_unit.as_deref());
                let tight = kind == Kind::Missing && self.text()[..span.range().start].ends_with('=');
                let mut edits = vec![Edit::new(span, format!("{}{new}", if tight { " " } else { "" }))];
                if !comment.is_empty() {
                    edits.push(self.insert_comment(place, span.range().end, &comment)?);
                }
                Ok(edits)
            }
        }
    }

    fn replace_body(&self, place: &Location<'_>, content: &str) -> Result<Vec<Edit>> {
        let body = self.source.body(place.id).ok_or_else(|| {
            Failure::unsupported(format!("`{}` is not a table or array, so it has no body", place.address))
                .hint("use `replace` for its whole value")
        })?;
        if body.slice(self.text()) == content {
            return Ok(Vec::new());
        }
        match self.source.kind_of(place.id) {
            Kind::InlineTable | Kind::Array => self.replace_bracket_body(place.id, body, content),
            Kind::HeaderTable | Kind::ArrayElement if body != self.source.span(place.id) => {
                self.replace_below_header(place, content)
            }
            _ => self.replace(place, content),
        }
    }

    fn insert_at(&self, container: Id, index: usize, content: &str) -> Result<Vec<Edit>> {
        match self.source.kind_of(self.source.written_container(container)) {
            _ if matches!(self.source.kind_of(container), Kind::InlineTable | Kind::Array) => {
                self.insert_before_in_brackets(container, index, content)
            }
            Kind::InlineTable => {
                let child = self.source.table.children(container).nth(index);
                self.insert_dotted_before(container, child, content)
            }
            _ => self.insert_before_child(container, index, content),
        }
    }

    fn insert_into(&self, place: &Location<'_>, content: &str, position: Position) -> Result<Vec<Edit>> {
        let kind = self.source.kind_of(place.id);
        match kind {
            Kind::InlineTable | Kind::Array => self.insert_into_brackets(place.id, content, position),
            Kind::DottedTable => self.insert_dotted(place.id, content, position),
            Kind::ArrayOfTables => self.insert_element(place.id, content, position),
            _ if kind.is_table() => self.insert_into_table(place, content, position),
            _ => {
                let what = kind.display_name();
                Err(Failure::unsupported(format!("cannot insert into `{}` of type {what}", place.address))
                    .hint("use `replace`, or `insert_into` on a table or array"))
            }
        }
    }

    fn wrap(&self, place: &Location<'_>, wrapper: &Wrapper) -> Result<Vec<Edit>> {
        let kind = self.source.kind_of(place.id);
        if kind == Kind::Root || kind == Kind::DottedTable || kind.is_sectioned() {
            return Err(Failure::unsupported(format!(
                "`{}` consists of lines, which cannot be wrapped",
                place.address
            ))
            .hint("wrap a value after `=`, or use `replace`"));
        }
        let span = self.source.span(place.id);
        let value = span.slice(self.text());
        content::parse_value(&format!("{}{value}{}", wrapper.before, wrapper.after), self.options.force)?;
        let (before, after) = (wrapper.before.trim_start(), wrapper.after.trim_end());
        if !before.trim_end_matches([' ', '\t']).ends_with('\n') {
            return Ok(vec![Edit::insert(span.range().start, before), Edit::insert(span.range().end, after)]);
        }
        let inner = content::reindent_value(value, &self.unit, None);
        let after = after.trim_start();
        let (comma, after) = after.strip_prefix(',').map_or(("", after), |rest| (",", rest.trim_start()));
        let whole = format!("{}\n{}{inner}{comma}\n{after}", before.trim_end(), self.unit);
        Ok(vec![Edit::new(span, content::reindent_value(&whole, self.indent(span.range().start), None))])
    }

    fn delete_entries(&self, container: Id, indices: &[usize]) -> Result<Vec<Edit>> {
        let all: Vec<Id> = self.source.table.children(container).collect();
        let children: Vec<Id> = indices.iter().filter_map(|index| all.get(*index).copied()).collect();
        let home = self.source.written_container(container);
        if matches!(self.source.kind_of(home), Kind::InlineTable | Kind::Array) {
            return Ok(self.delete_in_brackets(home, &children));
        }
        let (sections, entries) = self.source.table.sections_and_entries(&children);
        Ok(self.delete_lines(&sections, &entries))
    }
}

impl<'d> Editor<'d> {
    pub(crate) fn new(source: Source<'d>, options: EditOptions) -> Editor<'d> {
        let detected_unit = indent::detected_unit(source.text);
        // Formatters of TOML use four spaces.
        let unit = detected_unit.clone().unwrap_or_else(|| "    ".to_owned());
        Editor { source, detected_unit, unit, options }
    }

    pub(crate) fn text(&self) -> &'d str {
        self.source.text
    }

    pub(crate) fn indent(&self, offset: usize) -> &'d str {
        lines::indent_at(self.text(), offset)
    }

    /// Inserts a comment at the end of the line of a value.
    fn insert_comment(&self, place: &Location<'_>, end: usize, comment: &str) -> Result<Edit> {
        let home = place.parent.map(|(parent, _)| self.source.written_container(parent));
        match home.filter(|home| matches!(self.source.kind_of(*home), Kind::InlineTable | Kind::Array)) {
            Some(home) => self.insert_comment_after(home, end, comment),
            None => {
                let rest = &self.text()[end..lines::line_end(self.text(), end)];
                Ok(Edit::insert(end + rest.trim_end().len(), comment))
            }
        }
    }

    /// Replaces a whole entry, section or element together with the comment above it.
    fn replace_with_doc(&self, place: &Location<'_>, span: Span, content: &str) -> Result<Vec<Edit>> {
        if span.slice(self.text()) == content.trim_end() {
            return Ok(Vec::new());
        }
        let at = self.indent(span.range().start);
        if place.key.is_none() && self.source.kind_of(place.id) != Kind::ArrayElement {
            content::parse_elements(content, self.options.force)?;
            let content = content.trim().trim_end_matches(',');
            return Ok(vec![Edit::new(span, content::reindent_value(content, at, self.detected_unit.as_deref()))]);
        }
        let lines = ContentLines::parse(content, self.options.force)?;
        if lines.is_empty() && !self.options.force {
            return Err(fail(FailureKind::InvalidArgument, "the content must be a whole entry with its comment")
                .hint("give the comment and the entry with its key, or the section with its header"));
        }
        Ok(vec![Edit::new(span, ContentLines::indent_text(lines.text().trim_end(), at))])
    }

    fn replace_file(&self, place: &Location<'_>, span: Span, content: &str) -> Result<Vec<Edit>> {
        self.refuse_only_comments(place, &ContentLines::parse(content, self.options.force)?)?;
        let ends = self.text().ends_with('\n') && !content.ends_with('\n') && !content.is_empty();
        Ok(vec![Edit::new(span, format!("{content}{}", if ends { "\n" } else { "" }))])
    }

    /// Fails if the lines that replace a table are only comments, and the table has keys.
    pub(crate) fn refuse_only_comments(&self, place: &Location<'_>, lines: &ContentLines) -> Result<()> {
        let is_comment = lines.is_empty() && !lines.text().trim().is_empty();
        if self.options.force || !is_comment || self.source.count(place.id) == 0 {
            return Ok(());
        }
        let address = &place.address;
        Err(fail(FailureKind::InvalidArgument, format!("a comment alone would replace all keys of `{address}`")).hint(
            "give the keys that remain, use `insert_into` to add a comment, or `delete`; `force` writes it anyway",
        ))
    }

    /// Fails if one of the new entries has a key that the table already has.
    pub(crate) fn refuse_existing_keys(&self, table: Id, pieces: &[NewEntry]) -> Result<()> {
        if self.options.force || !self.source.kind_of(table).is_table() {
            return Ok(());
        }
        let known = |names: &Vec<String>| {
            let found = names.iter().try_fold(table, |at, name| self.source.member(at, name))?;
            (!names.is_empty()).then_some((names.join("."), found))
        };
        let Some((name, id)) = pieces.iter().find_map(|piece| known(&piece.names)) else { return Ok(()) };
        let address = locations(&self.source, 0, &[id]).pop().map_or_else(String::new, |place| place.address);
        Err(fail(FailureKind::InvalidArgument, format!("the key `{name}` already exists: `{address}`"))
            .hint(format!("use `replace` with the target `{address}`"))
            .candidates([address])
            .at(self.source.span(id)))
    }
}
