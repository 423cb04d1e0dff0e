//! An open file: its text, its parts in other languages, and the places that targets name in them.
//!
//! A pack numbers the nodes of a document as it likes, and only for that very document. So a node never leaves this module
//! as a number: a [`Place`] holds on to the part that found it, and what can be asked of a node is asked of the place.

mod find;
mod lines;
mod menu;
mod pattern;
mod reach;
mod region;
mod replace_text;
mod replaced;

pub(crate) use find::Wanted;
pub(crate) use pattern::Way;
pub(crate) use replace_text::Replacing;

use std::{
    cell::{RefCell, RefMut},
    rc::Rc,
    sync::Arc,
};

use marquetry_model::{
    EditSet, Error, Result, Span,
    pack::{Dependency, Description, Destination, EditOptions, Form, Node, Operation, Problem, Scalar, Severity, View},
    ports::{Document, Pack, Source},
};

/// A text file and the pack that takes it.
pub(crate) struct OpenFile {
    pub(crate) source: Source,
    whole: Rc<Part>,
    /// Parts in other languages that something was looked for in.
    inner: RefCell<Vec<Rc<Part>>>,
}

/// The whole text of a file, or a part of it that another pack takes.
pub(crate) struct Part {
    pack: Arc<dyn Pack>,
    /// The name the part is opened under.
    path: String,
    text: Arc<str>,
    /// Where the part starts in the file.
    offset: usize,
    /// Opened when it is first asked something.
    document: RefCell<Option<Box<dyn Document>>>,
}

/// What a target names.
pub(crate) enum Found {
    Places(Places),
    /// The number, string or boolean of an expression that names no place.
    Value(Scalar),
}

/// The places that a target names.
pub(crate) struct Places {
    /// At most as many as were asked for.
    pub(crate) list: Vec<Place>,
    /// How many there are.
    pub(crate) total: usize,
}

/// A place that a target names, with the part it lies in. All spans are offsets of the file.
pub(crate) struct Place {
    part: Rc<Part>,
    node: Node,
    /// Lines that were asked for by number: no node of the pack.
    is_lines: bool,
}

impl OpenFile {
    /// The file as one document.
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

    /// What the pack of the file says of itself.
    pub(crate) fn description(&self) -> &Arc<Description> {
        self.whole.description()
    }

    /// The name of the pack, for answers.
    pub(crate) fn engine(&self) -> &str {
        &self.whole.description().id
    }

    /// Whether the pack of the file has an optional interface.
    pub(crate) fn has(&self, interface: &str) -> bool {
        self.whole.pack.has(interface)
    }

    /// Whether this call may give its text to the pack.
    pub(crate) fn is_given(&self) -> bool {
        self.whole.pack.covers(self.path())
    }

    /// Put a question to the document of the file that carries no node.
    pub(crate) fn ask<R>(&self, ask: impl FnOnce(&mut dyn Document) -> Result<R>) -> Result<R> {
        ask(self.whole.document()?.as_mut())
    }

    /// The whole text as a part.
    pub(crate) fn whole(&self) -> &Rc<Part> {
        &self.whole
    }

    /// All nodes of the file, for people and for addresses.
    pub(crate) fn outline(&self) -> Result<Vec<Node>> {
        self.ask(|document| document.outline())
    }

    /// The syntax errors that reading the file found, without a check of the rest.
    pub(crate) fn parse_errors(&self) -> Result<Vec<Problem>> {
        self.ask(|document| document.parse_errors())
    }

    /// What is wrong with the syntax of a text under this file's name; that of the file itself where it is the same.
    pub(crate) fn errors_of(&self, text: &Arc<str>) -> Result<Vec<Problem>> {
        let problems = if Arc::ptr_eq(text, &self.source.text) {
            self.ask(|document| document.problems())?
        } else {
            Arc::clone(&self.whole.pack).open(self.path(), text)?.problems()?
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

    /// The name that it is opened under: no file has it, unless the part is a whole file.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    pub(crate) fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Where it starts in the file.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// Whether its pack has an optional interface.
    pub(crate) fn has(&self, interface: &str) -> bool {
        self.pack.has(interface)
    }

    /// Put a question to it.
    pub(crate) fn ask<R>(&self, ask: impl FnOnce(&mut dyn Document) -> Result<R>) -> Result<R> {
        ask(self.document()?.as_mut())
    }

    /// Where its specifiers lead.
    pub(crate) fn resolve(&self, requests: &[(String, String)]) -> Result<Vec<Destination>> {
        self.pack.resolve(&self.path, requests)
    }

    /// All nodes of another text under its name.
    fn outline_of(&self, text: &str) -> Result<Vec<Node>> {
        Arc::clone(&self.pack).open(&self.path, &Arc::from(text))?.outline()
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

impl Place {
    /// The node, for what is compared with the outline of the same document.
    pub(crate) fn node(&self) -> &Node {
        &self.node
    }

    /// Whether it was named by the numbers of its lines, and is no node of the pack.
    pub(crate) fn is_lines(&self) -> bool {
        self.is_lines
    }

    /// The name of the pack that found it.
    pub(crate) fn engine(&self) -> &str {
        &self.part.description().id
    }

    /// The field's own word for what it is.
    pub(crate) fn kind(&self) -> &str {
        &self.node.kind
    }

    /// Given back as a target, it finds this place.
    pub(crate) fn address(&self) -> &str {
        &self.node.address
    }

    /// Its parsed value as JSON, where it was asked for.
    pub(crate) fn value(&self) -> Option<&str> {
        self.node.value.as_deref()
    }

    /// Exactly what replacing it replaces.
    pub(crate) fn span(&self) -> Span {
        self.node.span.shifted(self.part.offset)
    }

    /// Where its name stands.
    pub(crate) fn selection(&self) -> Span {
        self.node.selection.shifted(self.part.offset)
    }

    /// The comment attached to it, which is no part of the span.
    pub(crate) fn doc(&self) -> Option<Span> {
        self.node.doc.map(|doc| doc.shifted(self.part.offset))
    }

    /// The span, together with the attached comment where that is asked for.
    pub(crate) fn span_with(&self, doc: bool) -> Span {
        match self.doc() {
            Some(doc_span) if doc => {
                Span::new(doc_span.start.min(self.span().start), doc_span.end.max(self.span().end))
            }
            _ => self.span(),
        }
    }

    /// Whether the content says what is there already, however its line breaks are written: replacing it changes nothing,
    /// and no pack is asked.
    fn is(&self, file: &str, content: &str, doc: bool) -> bool {
        let text = self.span_with(doc).of(file);
        let is_exact = self.is_lines || doc;
        text.lines().eq(content.lines()) && (!is_exact || text.ends_with('\n') == content.ends_with('\n'))
    }

    /// What to show of it.
    pub(crate) fn view(&self, form: Form) -> Result<View> {
        if self.is_lines {
            return Ok(View::Span(self.span()));
        }
        Ok(match self.part.document()?.view(self.node.id, form)? {
            View::Span(span) => View::Span(span.shifted(self.part.offset)),
            text @ View::Text(_) => text,
        })
    }

    /// Its head on one line, where it has one.
    pub(crate) fn signature(&self, file: &str) -> Option<String> {
        if self.is_lines {
            return None;
        }
        match self.view(Form::Signature) {
            Ok(View::Text(text)) => Some(text),
            Ok(View::Span(span)) => Some(span.of(file).to_owned()),
            Err(_) => None,
        }
    }

    /// What it uses of other files.
    pub(crate) fn dependencies(&self) -> Result<Vec<Dependency>> {
        if self.is_lines {
            return Ok(Vec::new());
        }
        self.part.document()?.dependencies(self.node.id)
    }
}

/// What an operation does to a file.
#[derive(Default)]
pub(crate) struct Edited {
    pub(crate) sets: Vec<EditSet>,
    /// What the caller is told beside.
    pub(crate) notes: Vec<String>,
}

/// The questions of the guard, put to an open document.
struct Ranges<'d> {
    document: RefMut<'d, Box<dyn Document>>,
    nodes: &'d [u32],
    operation: &'d Operation,
}

impl reach::Asked for Ranges<'_> {
    fn outline(&mut self) -> Result<Vec<Node>> {
        self.document.outline()
    }

    fn ranges(&mut self) -> Result<Vec<Span>> {
        self.document.edit_ranges(self.nodes, self.operation)
    }
}

/// The edits of one operation on several places, in offsets of the file. Places of one part are one operation: neighbours
/// that go share their separators.
pub(crate) fn edit(file: &OpenFile, places: &[Place], operation: &Operation, options: EditOptions) -> Result<Edited> {
    let changes = |place: &&Place| match operation {
        Operation::Replace(content) => !place.is(file.text(), content, options.include_doc),
        _ => true,
    };
    let (lines, nodes): (Vec<&Place>, Vec<&Place>) = places.iter().filter(changes).partition(|place| place.is_lines);
    let mut edited = Edited::default();
    if !lines.is_empty() {
        edited.sets.push(lines::edit(file.text(), lines.iter().map(|place| place.span()), operation)?);
    }
    let mut rest = nodes.as_slice();
    while let Some(first) = rest.first() {
        // Places of one part follow each other: they were found one part at a time.
        let count = rest.iter().take_while(|place| Rc::ptr_eq(&place.part, &first.part)).count();
        let mut ids: Vec<u32> = rest[..count].iter().map(|place| place.node.id).collect();
        ids.dedup();
        let mut document = first.part.document()?;
        let set = document.edit(&ids, operation, options)?;
        if !options.force {
            let nodes = rest[..count].iter().map(|place| &place.node);
            let plugin = &first.part.description().id;
            let asked = Ranges { document, nodes: &ids, operation };
            let starts = reach::check(&first.part.text, nodes.clone(), set.as_slice(), plugin, asked)?;
            if !starts.is_empty() {
                let starts: Vec<usize> = starts.iter().map(|start| start + first.part.offset).collect();
                edited.notes.push(reach::note(file.text(), nodes, &starts));
            }
            if let Operation::Replace(content) = operation {
                let nodes: Vec<&Node> = rest[..count].iter().map(|place| &place.node).collect();
                replaced::check(&first.part, &nodes, content, &set)?;
            }
        }
        edited.sets.push(set.shifted(first.part.offset));
        rest = &rest[count..];
    }
    Ok(edited)
}

/// Replacing a text inside the places.
pub(crate) fn replace_text(file: &OpenFile, places: &[Place], replacing: &Replacing, doc: bool) -> Result<EditSet> {
    replacing.in_spans(file.text(), places.iter().map(|place| place.span_with(doc)))
}

/// Replacing a text anywhere in the file.
pub(crate) fn replace_anywhere(file: &OpenFile, replacing: &Replacing) -> Result<EditSet> {
    replacing.in_spans(file.text(), std::iter::once(Span::new(0, file.text().len())))
}
