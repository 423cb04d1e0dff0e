//! Operations on values. They return byte ranges and the text that replaces them.

use std::{borrow::Cow, collections::BTreeMap};

use marquetry_jsonpath::{Location as AnyPlace, Tree, ValueEditor, find_missing, locations, operation_edits};
use marquetry_sdk::{
    Edit, EditOptions, Failure, FailureKind, NodeId, Operation, Position, Result, Span, Target, Wrapper, fail,
    items::sorted_index,
};

use crate::{
    anchor_check, comment_edits,
    content::{Content, NewEntry, indent_rest},
    dash::Dash,
    document::YamlDocument,
    edit_errors::{alias_error, folded_lines_error, several_documents_error, unquoted_text_error},
    line_edits,
    placement::{Keep, PlacedContent, Slot, TrailingComment, place_content, replace_edit, value_position},
    source::{NodeRef, Source},
    style::Style,
    table::{Id, Kind, Tag},
    verify,
};

pub(crate) type Location<'d> = AnyPlace<'d, Id>;

/// Returns the edits of one operation on all the nodes.
pub(crate) fn edit(
    document: &YamlDocument,
    nodes: &[NodeId],
    operation: &Operation,
    options: EditOptions,
) -> Result<Vec<Edit>> {
    let source = document.source();
    let mut ids = Vec::with_capacity(nodes.len());
    for node in nodes {
        let node = document.resolve_node_id(*node)?;
        if node.via_alias != 0 && !options.force {
            return Err(alias_error(source, node));
        }
        ids.push(node.id);
    }
    let places = locations(&source, source.root_id(), &ids);
    let editor = Editor::new(source, options);
    if let Some(edits) = comment_edits::insert_comments(&editor, &places, operation) {
        return edits;
    }
    let mut edits = operation_edits(&editor, &places, operation)?;
    line_edits::end_last_line(source, &mut edits, keeps_empty_lines(operation));
    if options.force {
        return Ok(edits);
    }
    let is_whole_entry = |place: &Location<'_>| options.include_doc && source.doc(place).is_some();
    if let [place] = places.as_slice() {
        let is_simple = document.has_no_errors()
            && matches!(operation, Operation::Replace(_))
            && verify::is_simple_replacement(source, place, &edits);
        if is_simple {
            return Ok(edits);
        }
    }
    anchor_check::verify_aliases(source, &edits)?;
    match places.as_slice() {
        [place] if !is_whole_entry(place) => verify::verify_edits(source, place, operation, &edits)?,
        _ => {}
    }
    Ok(edits)
}

/// Returns whether the content of an operation ends with a block scalar that keeps empty lines.
fn keeps_empty_lines(operation: &Operation) -> bool {
    let content = match operation {
        Operation::Replace(content) | Operation::ReplaceBody(content) => content,
        Operation::InsertBefore(content) | Operation::InsertAfter(content) => content,
        Operation::InsertInto(insertion) => &insertion.content,
        Operation::Wrap(_) | Operation::Delete => return false,
    };
    content.contains('+') && Content::parse(content, true).is_ok_and(|content| content.keeps_empty_lines())
}

/// Returns the edits that create a missing value.
pub(crate) fn insert_missing(document: &YamlDocument, target: &Target, content: &str) -> Result<Vec<Edit>> {
    let source = document.source();
    let missing = find_missing(&source, target)?;
    let options = EditOptions { include_doc: false, force: false };
    let edits = Editor::new(source, options).create_missing(&missing, content)?;
    verify::verify_created(source, &target.value, content, &edits)?;
    anchor_check::verify_aliases(source, &edits)?;
    Ok(edits)
}

pub(crate) struct Editor<'d> {
    pub(crate) source: Source<'d>,
    pub(crate) style: Style,
    pub(crate) options: EditOptions,
    /// The separator after the dashes of the file.
    dash: Option<Dash>,
}

impl<'d> ValueEditor for Editor<'d> {
    type Layout = Source<'d>;

    fn layout(&self) -> &Source<'d> {
        &self.source
    }

    fn replace(&self, place: &Location<'_>, content: &str) -> Result<Vec<Edit>> {
        if self.source.kind_of(place.id) == Kind::Stream {
            return Err(several_documents_error());
        }
        if let (true, Some(doc)) = (self.options.include_doc, self.source.doc(place)) {
            return self.replace_with_doc(place, doc, content);
        }
        let parsed = self.parse_content(content)?;
        if self.source.kind_of(place.id) == Kind::Literal && parsed.folds_lines() && !self.options.force {
            return Err(folded_lines_error(&place.address));
        }
        if !self.options.force && self.source.is_text(place.id) && parsed.looks_like_text() {
            return Err(unquoted_text_error(&place.address, content.trim()));
        }
        self.replace_value(place, &parsed)
    }

    fn replace_body(&self, place: &Location<'_>, content: &str) -> Result<Vec<Edit>> {
        let source = self.source;
        let body = source.body(place.id).ok_or_else(|| {
            Failure::unsupported(format!("`{}` is not a mapping or sequence, so it has no body", place.address))
                .hint("use `replace` for its whole value")
        })?;
        if body.slice(self.text()) == content {
            return Ok(Vec::new());
        }
        match source.kind_of(place.id) {
            Kind::Stream => Err(several_documents_error()),
            Kind::BlockMapping | Kind::BlockSequence if self.options.include_doc => self.replace(place, content),
            Kind::BlockMapping | Kind::BlockSequence => {
                self.replace_inside(place, &self.parse_content(content)?, TrailingComment::Keep)
            }
            _ if content.trim().is_empty() => Ok(vec![Edit::remove(body)]),
            kind => {
                let pieces = self.parse_flow_entries(kind, content)?;
                Ok(self.replace_in_brackets(place.id, body, &pieces))
            }
        }
    }

    fn insert_at(&self, parent: Id, index: usize, content: &str) -> Result<Vec<Edit>> {
        match self.source.kind_of(parent) {
            Kind::Stream => Ok(line_edits::insert_document(self.source, index, &self.parse_content(content)?)),
            Kind::Pair => Err(Failure::unsupported("a pair without braces can have only one key")
                .hint("replace it with a mapping in braces")),
            kind if kind.is_flow() => {
                let pieces = self.parse_flow_entries(kind, content)?;
                self.refuse_existing_names(parent, &pieces)?;
                Ok(self.insert_in_flow(parent, index, &pieces))
            }
            _ => {
                let pieces = self.parse_block_entries(parent, index, content, true)?;
                self.refuse_existing_names(parent, &pieces)?;
                Ok(line_edits::insert_entries(self.source, parent, index, &pieces))
            }
        }
    }

    fn insert_into(&self, place: &Location<'_>, content: &str, position: Position) -> Result<Vec<Edit>> {
        let (source, id) = (self.source, place.id);
        let kind = source.kind_of(id);
        let in_flow = self.parent(place).is_some_and(|parent| source.kind_of(parent).is_flow());
        let empty = kind.is_collection() && source.table.extra(id) == 0;
        if kind == Kind::Alias {
            let meant = NodeRef { id: source.table.extra(id), via_alias: id };
            return Err(if source.is_node(meant.id) {
                alias_error(source, meant)
            } else {
                self.cannot_insert_error(place)
            });
        }
        let null =
            source.kind(NodeRef { id, via_alias: 0 }) == marquetry_jsonpath::Kind::Null || source.is_tagged_empty(id);
        if !in_flow && (empty || null) {
            return self.fill_empty(place, kind, content);
        }
        if null && !kind.is_collection() {
            return self.fill_null_in_flow(place, content);
        }
        if !kind.is_collection() || kind == Kind::Pair {
            return Err(self.cannot_insert_error(place));
        }
        if position != Position::Sorted || kind == Kind::Stream {
            let index = if position == Position::First {
                0
            } else {
                source.table.children(id).count() / if kind.is_mapping() { 2 } else { 1 }
            };
            return self.insert_at(id, index, content);
        }
        let flow = kind.is_flow();
        let pieces = if flow {
            self.parse_flow_entries(kind, content)?
        } else {
            self.parse_block_entries(id, usize::MAX, content, false)?
        };
        self.refuse_existing_names(id, &pieces)?;
        let mut at: BTreeMap<usize, Vec<NewEntry>> = BTreeMap::new();
        for piece in pieces {
            at.entry(self.sorted_index(id, &piece)).or_default().push(piece);
        }
        let edits = at.into_iter().flat_map(|(index, mut pieces)| {
            pieces.sort_by_cached_key(|piece| piece.names.first().map(|name| (name.to_lowercase(), name.clone())));
            if flow {
                self.insert_in_flow(id, index, &pieces)
            } else {
                line_edits::insert_entries(source, id, index, &pieces)
            }
        });
        Ok(edits.collect())
    }

    fn wrap(&self, place: &Location<'_>, wrapper: &Wrapper) -> Result<Vec<Edit>> {
        self.wrap_value(place, wrapper)
    }

    fn delete_entries(&self, container: Id, indices: &[usize]) -> Result<Vec<Edit>> {
        let source = self.source;
        let kind = source.kind_of(container);
        let all = indices.len() == marquetry_jsonpath::ValueTable::entries(&source, container).count();
        if kind == Kind::Stream {
            return if all {
                Err(several_documents_error())
            } else {
                Ok(line_edits::delete_documents(source, indices))
            };
        }
        if kind.is_flow() && kind != Kind::Pair {
            return Ok(self.items(container).delete(indices));
        }
        if !all {
            return Ok(line_edits::delete_entries(source, container, indices));
        }
        let Some(place) = locations(&source, source.root_id(), &[container]).pop() else { return Ok(Vec::new()) };
        let brackets = if kind.is_mapping() { "{}" } else { "[]" };
        self.replace_inside(&place, &self.parse_content(brackets)?, TrailingComment::Drop)
    }
}

impl<'d> Editor<'d> {
    pub(crate) fn new(source: Source<'d>, options: EditOptions) -> Editor<'d> {
        Editor { source, style: Style::detect(source), options, dash: Dash::first_of_file(source) }
    }

    fn text(&self) -> &'d str {
        self.source.text
    }

    /// Parses a content and applies the indentation and dashes of the file.
    pub(crate) fn parse_content(&self, content: &str) -> Result<Content> {
        let content = Content::parse(content, self.options.force)?.with_style(self.style);
        Ok(match self.dash {
            Some(dash) => content.with_dashes(dash),
            None => content,
        })
    }

    /// Returns the collection that contains the value; `None` if the value is a document.
    pub(crate) fn parent(&self, place: &Location<'_>) -> Option<Id> {
        place.parent.map(|(parent, _)| parent).filter(|parent| self.source.kind_of(*parent) != Kind::Stream)
    }

    /// Replaces a value by a content.
    pub(crate) fn replace_value(&self, place: &Location<'_>, content: &Content) -> Result<Vec<Edit>> {
        let keep = if content.has_anchor() { Keep::Nothing } else { Keep::Anchor };
        self.replace_keeping(place, content, keep, TrailingComment::Keep)
    }

    /// Replaces a value by a content. The anchor and the tag of the value are kept, unless the content has its own.
    fn replace_inside(&self, place: &Location<'_>, content: &Content, behind: TrailingComment) -> Result<Vec<Edit>> {
        let properties = self.source.table.properties(place.id);
        if content.properties().is_empty() && properties.meaning != Tag::Plain {
            return self.replace_keeping(place, content, Keep::All, behind);
        }
        let keep = if content.has_anchor() { Keep::Nothing } else { Keep::Anchor };
        self.replace_keeping(place, content, keep, behind)
    }

    fn replace_keeping(
        &self,
        place: &Location<'_>,
        content: &Content,
        keep: Keep,
        behind: TrailingComment,
    ) -> Result<Vec<Edit>> {
        let source = self.source;
        if self.parent(place).is_some_and(|parent| source.kind_of(parent).is_flow()) {
            return self.replace_in_flow(place, content, keep);
        }
        let end = source.span(place.id).range().end;
        let Some(standing) = value_position(source, place, self.style, keep) else {
            // The place is an explicit key without a value.
            let column = self.parent(place).map_or(0, |mapping| source.entry_column(mapping));
            let slot =
                Slot { parent: Some(column), mapping: column + 2, sequence: column + 2, compact: Some(column + 2) };
            let new = place_content(content, slot).text_after_indicator();
            return Ok(vec![Edit::insert(end, format!("\n{}: {new}", " ".repeat(column)))]);
        };
        Ok(vec![replace_edit(self.text(), &standing, content, behind)])
    }

    /// Replaces a whole entry together with the comment above it.
    fn replace_with_doc(&self, place: &Location<'_>, doc: Span, content: &str) -> Result<Vec<Edit>> {
        let span = Span { start: doc.start, end: self.source.span(place.id).end };
        if span.slice(self.text()) == content.trim_end() {
            return Ok(Vec::new());
        }
        let content = self.parse_content(content)?;
        let column = self.parent(place).map_or(0, |parent| self.source.entry_column(parent));
        let fits =
            if place.key.is_some() { content.kind().is_mapping() } else { content.kind() == Kind::BlockSequence };
        if !fits && !self.options.force {
            return Err(fail(FailureKind::InvalidArgument, "the content must be a whole entry with its comment")
                .hint("give the comment and the entry with its key or dash"));
        }
        let text = content.text.strip_suffix('\n').unwrap_or(&content.text);
        Ok(vec![Edit::new(span, indent_rest(text, column))])
    }

    pub(crate) fn cannot_insert_error(&self, place: &Location<'_>) -> Failure {
        let kind = self.source.kind(NodeRef { id: place.id, via_alias: 0 }).name();
        Failure::unsupported(format!("cannot insert into `{}` of type {kind}", place.address))
            .hint("use `replace`, or `insert_into` on a mapping or sequence")
    }

    /// Replaces an empty collection or null by a block collection that contains the content.
    fn fill_empty(&self, place: &Location<'_>, kind: Kind, content: &str) -> Result<Vec<Edit>> {
        let parsed = self.parse_content(content)?;
        let filled = match (kind, parsed.kind()) {
            (kind, Kind::BlockSequence) if !kind.is_mapping() => parsed,
            (kind, Kind::BlockMapping) if !kind.is_sequence() => parsed,
            (kind, _) if kind.is_mapping() => {
                let pieces = parsed.block_mapping_entries(true)?;
                let texts: Vec<&str> = pieces.iter().map(|piece| piece.text.as_str()).collect();
                self.parse_content(&texts.join("\n"))?
            }
            (kind, _) if kind.is_sequence() => self.parse_content(&as_item(&parsed))?,
            _ => {
                return Err(fail(
                    FailureKind::InvalidArgument,
                    format!("`{}` is null: the content must be entries of a mapping or a sequence", place.address),
                )
                .hint("give `key: value` or `- item`, or use `replace`"));
            }
        };
        let comments = comment_edits::comments_inside(self.source, place.id);
        let filled = if comments.is_empty() { filled } else { filled.with_comments_above(&comments) };
        self.replace_inside(place, &filled, TrailingComment::Keep)
    }

    /// Returns the index at which a new entry is inserted. Keys are sorted by name, and items by value.
    fn sorted_index(&self, container: Id, piece: &NewEntry) -> usize {
        let source = self.source;
        if source.kind_of(container).is_mapping() {
            let names: Vec<Cow<'_, str>> = source.pairs(container).map(|(key, _)| source.key_name(key)).collect();
            return sorted_index(names.iter().map(AsRef::as_ref), piece.names.first().map_or("", String::as_str));
        }
        let children: Vec<NodeRef> = source.table.children(container).map(|id| NodeRef { id, via_alias: 0 }).collect();
        let text = piece.text.trim_start_matches("- ");
        if let Ok(number) = text.parse::<f64>() {
            let at = children.iter().position(|child| source.number(*child) > number);
            return at.unwrap_or(children.len());
        }
        let values: Vec<Cow<'_, str>> = children.iter().map(|child| source.text(*child)).collect();
        sorted_index(values.iter().map(AsRef::as_ref), text.trim_matches(['"', '\'']))
    }

    fn refuse_existing_names(&self, mapping: Id, pieces: &[NewEntry]) -> Result<()> {
        if self.options.force || !self.source.kind_of(mapping).is_mapping() {
            return Ok(());
        }
        let known = |name: &String| {
            let pair = self.source.pairs(mapping).find(|(key, _)| self.source.key_name(*key) == *name);
            pair.map(|(_, value)| (name.clone(), value))
        };
        let Some((name, id)) = pieces.iter().flat_map(|piece| &piece.names).find_map(known) else { return Ok(()) };
        let address =
            locations(&self.source, self.source.root_id(), &[id]).pop().map_or_else(String::new, |place| place.address);
        Err(fail(FailureKind::InvalidArgument, format!("the key `{name}` already exists: `{address}`"))
            .hint(format!("use `replace` with the target `{address}`"))
            .candidates([address])
            .at(self.source.span(id)))
    }

    /// Returns the content as entries of a block collection, without their indentation.
    fn parse_block_entries(&self, collection: Id, index: usize, content: &str, whole: bool) -> Result<Vec<NewEntry>> {
        let content = self.parse_content(content)?;
        if self.source.kind_of(collection) == Kind::BlockMapping {
            return content.block_mapping_entries(whole);
        }
        let items = if content.kind() == Kind::BlockSequence && content.properties().is_empty() {
            content
        } else {
            Content::unchecked(as_item(&content))
        };
        let items = match Dash::near_index(self.source, collection, index) {
            Some(dash) => items.with_item_dashes(dash),
            None => items,
        };
        Ok(vec![NewEntry { text: items.text, comments: String::new(), names: Vec::new() }])
    }
}

/// Returns a content as the item of a sequence. Comments above the value are above the item.
pub(crate) fn as_item(content: &Content) -> String {
    let slot = Slot { parent: Some(0), mapping: 2, sequence: 2, compact: Some(2) };
    let above: String = content.comments_above().iter().map(|comment| format!("{comment}\n")).collect();
    let own = (!above.is_empty()).then(|| Content::unchecked(content.text[content.start()..].to_owned()));
    let own = own.as_ref().unwrap_or(content);
    let end = if own.text.ends_with('\n') { "\n" } else { "" };
    match place_content(own, slot) {
        PlacedContent::Below { head, lines } if head.is_empty() => format!("{above}-\n{lines}{end}"),
        other => format!("{above}- {}{end}", other.text_after_indicator()),
    }
}
