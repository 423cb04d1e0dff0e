//! An open file: its text, its embedded parts in other languages, and the nodes that targets match.
//!
//! The node numbers of a pack are valid only for the document that returned them, so they are not used outside of this
//! module. A [`NodeLocation`] refers to the part that contains the node, and forwards all requests about the node to
//! that part.

mod edit_guard;
mod embedded_syntax;
mod escape_guard;
mod find;
mod line_indentation;
mod lines;
mod own_indentation;
mod region;
mod replace_guard;
mod replace_text;
mod suggestions;
mod text_pattern;

pub(crate) use embedded_syntax::check_embedded_syntax;
pub(crate) use escape_guard::check_confined;
pub(crate) use find::FindOptions;
pub(crate) use replace_text::{TextReplacement, suggest_node_with_text};
pub(crate) use text_pattern::MatchOptions;

use std::{
    cell::{RefCell, RefMut},
    rc::Rc,
    sync::Arc,
};

use marquetry_model::{
    EditSet, Error, Interface, Result, Span,
    pack::{
        Dependency, Description, Destination, EditOptions, Form, Node, Operation, PackDiagnostic, Scalar, Severity,
        TargetKind, View,
    },
    ports::{Document, Pack, Source},
};

use crate::target::default_kind;

/// A text file with its pack.
pub(crate) struct OpenFile {
    pub(crate) source: Source,
    whole: Rc<Part>,
    /// Embedded parts that were searched.
    inner: RefCell<Vec<Rc<Part>>>,
}

/// The whole text of a file, or an embedded part with another pack.
pub(crate) struct Part {
    pack: Arc<dyn Pack>,
    /// Path under which the part is opened.
    path: String,
    text: Arc<str>,
    /// Offset of the part in the file.
    offset: usize,
    /// Opened on first use.
    document: RefCell<Option<Box<dyn Document>>>,
}

/// Result of a search.
pub(crate) enum Found {
    Places(NodeLocations),
    /// The value of an expression that does not select nodes.
    Value(Scalar),
}

/// Nodes that a target matches.
pub(crate) struct NodeLocations {
    /// The nodes, at most as many as requested.
    pub(crate) list: Vec<NodeLocation>,
    /// Number of all matches.
    pub(crate) total: usize,
}

/// A node with the part that it belongs to. All spans are relative to the file.
pub(crate) struct NodeLocation {
    part: Rc<Part>,
    node: Node,
    /// True if `node` is a range of lines and not a node of the pack.
    is_lines: bool,
}

impl OpenFile {
    /// Opens a file as one document.
    pub(crate) fn new(pack: Arc<dyn Pack>, source: Source) -> OpenFile {
        let whole = Rc::new(Part::new(pack, source.path.clone(), Arc::clone(&source.text), 0));
        OpenFile { source, whole, inner: RefCell::default() }
    }

    pub(crate) fn path(&self) -> &str {
        &self.source.path
    }

    pub(crate) fn text(&self) -> &Arc<str> {
        &self.source.text
    }

    /// Description of the file's pack.
    pub(crate) fn description(&self) -> &Arc<Description> {
        self.whole.description()
    }

    /// Name of the pack, for answers.
    pub(crate) fn engine(&self) -> &str {
        &self.whole.description().id
    }

    /// Returns whether the symbols of the file are those that a language server reports.
    pub(crate) fn is_read_by_server(&self) -> bool {
        crate::query::is_server_engine(self.engine())
    }

    /// Returns whether the pack of the file has an optional interface.
    pub(crate) fn has(&self, interface: Interface) -> bool {
        self.whole.pack.has_interface(interface)
    }

    /// Returns whether the text may be passed to the pack.
    pub(crate) fn may_be_read(&self) -> bool {
        self.whole.pack.may_receive(self.path())
    }

    /// Calls `ask` with the document of the file's pack.
    pub(crate) fn ask<R>(&self, ask: impl FnOnce(&mut dyn Document) -> Result<R>) -> Result<R> {
        ask(self.whole.document()?.as_mut())
    }

    /// The whole text as a part.
    pub(crate) fn whole(&self) -> &Rc<Part> {
        &self.whole
    }

    /// Returns all nodes of the file.
    pub(crate) fn outline(&self) -> Result<Vec<Node>> {
        self.ask(|document| document.outline())
    }

    /// Returns the syntax errors from parsing, without further checks.
    pub(crate) fn parse_errors(&self) -> Result<Vec<PackDiagnostic>> {
        let mut errors = self.ask(|document| document.parse_errors())?;
        errors.retain(|error| error.severity != Severity::Info);
        Ok(errors)
    }

    /// Returns the syntax errors of a text, parsed under the path of this file.
    pub(crate) fn errors_of(&self, text: &Arc<str>) -> Result<Vec<PackDiagnostic>> {
        let problems = if Arc::ptr_eq(text, &self.source.text) {
            self.ask(|document| document.diagnostics())?
        } else {
            Arc::clone(&self.whole.pack).open(self.path(), text)?.diagnostics()?
        };
        Ok(problems.into_iter().filter(|problem| problem.severity == Severity::Error).collect())
    }
}

impl Part {
    fn new(pack: Arc<dyn Pack>, path: String, text: Arc<str>, offset: usize) -> Part {
        Part { pack, path, text, offset, document: RefCell::new(None) }
    }

    pub(crate) fn description(&self) -> &Arc<Description> {
        self.pack.description()
    }

    /// Path under which the part is opened. Only the path of a whole file exists.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    pub(crate) fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Offset in the file.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// Returns whether the pack of the part has an optional interface.
    pub(crate) fn has(&self, interface: Interface) -> bool {
        self.pack.has_interface(interface)
    }

    /// Calls `ask` with the document of this part.
    pub(crate) fn ask<R>(&self, ask: impl FnOnce(&mut dyn Document) -> Result<R>) -> Result<R> {
        ask(self.document()?.as_mut())
    }

    /// Resolves specifiers.
    pub(crate) fn resolve(&self, requests: &[(String, String)]) -> Result<Vec<Destination>> {
        self.pack.resolve(&self.path, requests)
    }

    /// Returns all nodes of another text, parsed under the path of this part.
    fn outline_of(&self, text: &str) -> Result<Vec<Node>> {
        Arc::clone(&self.pack).open(&self.path, &Arc::from(text))?.outline()
    }

    /// Returns all nodes of another text, parsed under the path of this part, and the number of its syntax errors.
    fn outline_and_errors(&self, text: &str) -> Result<(Vec<Node>, usize)> {
        let mut document = Arc::clone(&self.pack).open(&self.path, &Arc::from(text))?;
        Ok((document.outline()?, document.parse_errors()?.len()))
    }

    fn document(&self) -> Result<RefMut<'_, Box<dyn Document>>> {
        let mut document = self.document.borrow_mut();
        if document.is_none() {
            *document = Some(Arc::clone(&self.pack).open(&self.path, &self.text)?);
        }
        RefMut::filter_map(document, Option::as_mut)
            .map_err(|_| Error::internal("a document that was just opened is gone"))
    }
}

impl NodeLocation {
    /// The node in the form in which the outline of the document contains it.
    pub(crate) fn node(&self) -> &Node {
        &self.node
    }

    /// True if the location is a range of lines instead of a node of the pack.
    pub(crate) fn is_lines(&self) -> bool {
        self.is_lines
    }

    /// Name of the pack that found the node.
    pub(crate) fn engine(&self) -> &str {
        &self.part.description().id
    }

    /// Kind, in the terms of the format.
    pub(crate) fn kind(&self) -> &str {
        &self.node.kind
    }

    /// Address that finds this node when used as a target.
    pub(crate) fn address(&self) -> &str {
        &self.node.address
    }

    /// Parsed value as JSON, if requested.
    pub(crate) fn value(&self) -> Option<&str> {
        self.node.value.as_deref()
    }

    /// Returns the span that `replace` replaces.
    pub(crate) fn span(&self) -> Span {
        self.node.span.shifted(self.part.offset)
    }

    /// Returns the span of the node's name.
    pub(crate) fn selection(&self) -> Span {
        self.node.selection.shifted(self.part.offset)
    }

    /// Attached comment, which is not part of the span.
    pub(crate) fn doc(&self) -> Option<Span> {
        self.node.doc.map(|doc| doc.shifted(self.part.offset))
    }

    /// The span, including the attached comment if `doc` is set.
    pub(crate) fn span_with(&self, doc: bool) -> Span {
        match self.doc() {
            Some(doc_span) if doc => {
                Span::new(doc_span.start.min(self.span().start), doc_span.end.max(self.span().end))
            }
            _ => self.span(),
        }
    }

    /// Returns whether the content equals the current text, except for line breaks. If it does, no edit is needed, and
    /// the pack is not asked.
    fn has_content(&self, file: &str, content: &str, doc: bool) -> bool {
        let text = self.span_with(doc).slice(file);
        let is_exact = self.is_lines || doc;
        text.lines().eq(content.lines()) && (!is_exact || text.ends_with('\n') == content.ends_with('\n'))
    }

    /// Returns the view of the node in a form, such as its signature.
    pub(crate) fn view(&self, form: Form) -> Result<View> {
        if self.is_lines {
            return Ok(View::Span(self.span()));
        }
        Ok(match self.part.document()?.view(self.node.id, form)? {
            View::Span(span) => View::Span(span.shifted(self.part.offset)),
            text @ View::Text(_) => text,
        })
    }

    /// Returns the signature in one line, if it has one.
    pub(crate) fn signature(&self, file: &str) -> Option<String> {
        if self.is_lines {
            return None;
        }
        match self.view(Form::Signature) {
            Ok(View::Text(text)) => Some(text),
            Ok(View::Span(span)) => Some(span.slice(file).to_owned()),
            Err(_) => None,
        }
    }

    /// Returns the names of other files that the node uses.
    pub(crate) fn dependencies(&self) -> Result<Vec<Dependency>> {
        if self.is_lines {
            return Ok(Vec::new());
        }
        self.part.document()?.dependencies(self.node.id)
    }
}

/// Edits of an operation on a file.
#[derive(Default)]
pub(crate) struct Edited {
    pub(crate) sets: Vec<EditSet>,
    /// Notes for the caller.
    pub(crate) notes: Vec<String>,
}

/// Forwards requests of the guard (`edit_guard`) to an open document.
struct Ranges<'d> {
    document: RefMut<'d, Box<dyn Document>>,
    nodes: &'d [u32],
    operation: &'d Operation,
}

impl edit_guard::PackQuestions for Ranges<'_> {
    fn outline(&mut self) -> Result<Vec<Node>> {
        self.document.outline()
    }

    fn ranges(&mut self) -> Result<Vec<Span>> {
        self.document.edit_ranges(self.nodes, self.operation)
    }
}

/// Adds the edits of an operation on lines. In code, content is indented like the lines around it, unless the caller
/// uses `force`.
fn edit_lines(
    file: &OpenFile,
    places: &[&NodeLocation],
    operation: &Operation,
    (edited, force): (&mut Edited, bool),
) -> Result<()> {
    let is_code = default_kind(file.description()) == TargetKind::Symbol && !force;
    let mut has_indented = false;
    for span in places.iter().map(|place| place.span()) {
        let indented = is_code.then(|| line_indentation::indented(file.text(), span, operation)).flatten();
        has_indented |= indented.is_some();
        let (operation, own) =
            indented.as_ref().map_or((operation, None), |(operation, own)| (operation, own.as_deref()));
        edited.sets.push(lines::edit_lines(file.text(), (span, own), operation)?);
    }
    edited.notes.extend(has_indented.then(|| line_indentation::NOTE.to_owned()));
    Ok(())
}

/// Computes the edits of one operation on several nodes, in offsets of the file. The nodes of one part are passed to
/// its pack together, because deleted neighbours share separators.
pub(crate) fn edit(
    file: &OpenFile,
    places: &[NodeLocation],
    operation: &Operation,
    options: EditOptions,
) -> Result<Edited> {
    let changes = |place: &&NodeLocation| match operation {
        Operation::Replace(content) => !place.has_content(file.text(), content, options.include_doc),
        _ => true,
    };
    let (lines, nodes): (Vec<&NodeLocation>, Vec<&NodeLocation>) =
        places.iter().filter(changes).partition(|place| place.is_lines);
    let mut edited = Edited::default();
    edit_lines(file, &lines, operation, (&mut edited, options.force))?;
    let mut rest = nodes.as_slice();
    while let Some(first) = rest.first() {
        // The nodes of one part are adjacent because the parts were searched one after the other.
        let count = rest.iter().take_while(|place| Rc::ptr_eq(&place.part, &first.part)).count();
        let mut ids: Vec<u32> = rest[..count].iter().map(|place| place.node.id).collect();
        ids.dedup();
        let mut document = first.part.document()?;
        let set = document.edit(&ids, operation, options)?;
        let set = own_indentation::keep_indentation(&first.part, operation, set)?;
        if !options.force {
            let nodes = rest[..count].iter().map(|place| &place.node);
            let plugin = &first.part.description().id;
            let asked = Ranges { document, nodes: &ids, operation };
            let starts = edit_guard::check_reach(&first.part.text, nodes.clone(), set.as_slice(), plugin, asked)?;
            if !starts.is_empty() {
                let starts: Vec<usize> = starts.iter().map(|start| start + first.part.offset).collect();
                edited.notes.push(edit_guard::beyond_target_note(file.text(), nodes, &starts));
            }
            let nodes: Vec<&Node> = rest[..count].iter().map(|place| &place.node).collect();
            escape_guard::check_confined(&first.part, &nodes, operation, &set)?;
            if let Operation::Replace(content) = operation {
                replace_guard::check_replacement(&first.part, &nodes, content, &set)?;
            }
        }
        edited.sets.push(set.shifted(first.part.offset));
        rest = &rest[count..];
    }
    Ok(edited)
}

/// Replaces a text inside of the nodes.
pub(crate) fn replace_text(
    file: &OpenFile,
    places: &[NodeLocation],
    replacing: &TextReplacement,
    doc: bool,
) -> Result<EditSet> {
    replacing.edits_in_spans(file.text(), places.iter().map(|place| place.span_with(doc)))
}

/// Replaces a text anywhere in the file.
pub(crate) fn replace_text_in_file(file: &OpenFile, replacing: &TextReplacement) -> Result<EditSet> {
    replacing.edits_in_spans(file.text(), std::iter::once(Span::new(0, file.text().len())))
}
