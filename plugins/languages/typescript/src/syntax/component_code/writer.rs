//! Writes code for the parts of a template, with a map from its positions to those in the document.

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_parser::Parser;
use oxc_semantic::SemanticBuilder;
use oxc_span::{GetSpan, SourceType, Span};

use super::names::ScriptNames;
use crate::syntax::depth;

/// A part of the written code and the position in the document that it was generated from.
#[derive(Debug, Clone, PartialEq)]
struct Segment {
    written: Range<usize>,
    place: Range<usize>,
}

/// Code for a template.
pub(super) struct Writer<'t> {
    pub(super) source: &'t str,
    pub(super) names: &'t ScriptNames,
    text: String,
    segments: Vec<Segment>,
    /// Names that the template declares, from the outermost scope to the innermost.
    scopes: Vec<Vec<String>>,
    /// Code that is not valid.
    invalid: Vec<Range<usize>>,
}

/// Form in which an expression of a template refers to a name.
enum Reference {
    /// A name of the script or of the template.
    Plain,
    /// A member of the component: `this.name`.
    Member,
    /// The value of the store `name`, written `$name`.
    Store,
}

/// Names that JavaScript provides to the templates of Vue.
const GLOBALS: [&str; 29] = [
    "Array",
    "BigInt",
    "Boolean",
    "Date",
    "Error",
    "Infinity",
    "Intl",
    "JSON",
    "Map",
    "Math",
    "NaN",
    "Number",
    "Object",
    "RegExp",
    "Set",
    "String",
    "Symbol",
    "arguments",
    "console",
    "decodeURI",
    "decodeURIComponent",
    "encodeURI",
    "encodeURIComponent",
    "isFinite",
    "isNaN",
    "parseFloat",
    "parseInt",
    "require",
    "undefined",
];

impl<'t> Writer<'t> {
    pub(super) fn new(source: &'t str, names: &'t ScriptNames) -> Writer<'t> {
        Writer { source, names, text: String::new(), segments: Vec::new(), scopes: Vec::new(), invalid: Vec::new() }
    }

    /// Writes code that is not in the document.
    pub(super) fn raw(&mut self, code: &str) {
        self.text.push_str(code);
    }

    /// Writes a part of the document.
    pub(super) fn copy(&mut self, place: Range<usize>) {
        let source = self.source;
        if !place.is_empty() {
            self.copy_as(place.clone(), &source[place]);
        }
    }

    /// Writes a name that a part of the document stands for.
    pub(super) fn copy_as(&mut self, place: Range<usize>, name: &str) {
        let start = self.text.len();
        self.text.push_str(name);
        self.segments.push(Segment { written: start..self.text.len(), place });
    }

    /// Starts a scope with the names of a pattern.
    pub(super) fn push_scope(&mut self, names: Vec<String>) {
        self.scopes.push(names);
    }

    pub(super) fn pop_scope(&mut self) {
        self.scopes.pop();
    }

    pub(super) fn is_declared_in_template(&self, name: &str) -> bool {
        self.scopes.iter().flatten().any(|known| known == name)
    }

    fn reference(&self, name: &str) -> Reference {
        if self.is_declared_in_template(name) {
            return Reference::Plain;
        }
        if self.names.store_named(name).is_some() {
            return Reference::Store;
        }
        let is_member = self.names.has_members
            && (self.names.is_options || !self.names.bound.contains(name))
            && name != "$event"
            && !GLOBALS.contains(&name);
        if is_member { Reference::Member } else { Reference::Plain }
    }

    /// Writes a reference to a name of the script or a member of the component.
    pub(super) fn name(&mut self, place: Range<usize>, name: &str) {
        match self.reference(name) {
            Reference::Plain => self.copy_as(place, name),
            Reference::Member => {
                self.raw("this.");
                self.copy_as(place, name);
            }
            Reference::Store => self.copy_as(place.start + 1..place.end, &name[1..]),
        }
    }

    /// Writes an expression, or statements. Returns false, and writes nothing, if the code is not valid.
    pub(super) fn code(&mut self, place: Range<usize>, is_body: bool) -> bool {
        let source = self.source;
        let Some(references) = references_in(&source[place.clone()], is_body) else {
            self.invalid.push(place);
            return false;
        };
        let mut at = place.start;
        for found in references {
            let own = place.start + found.place.start..place.start + found.place.end;
            let name = &source[own.clone()];
            let reference = self.reference(name);
            if matches!(reference, Reference::Plain) {
                continue;
            }
            self.copy(at..own.start);
            if found.is_shorthand {
                match reference {
                    Reference::Store => self.raw(name),
                    _ => self.copy(own.clone()),
                }
                self.raw(": ");
            }
            self.name(own.clone(), name);
            at = own.end;
        }
        self.copy(at..place.end);
        true
    }

    /// Returns whether a text is a valid expression.
    pub(super) fn is_expression(&self, code: &str) -> bool {
        references_in(code, false).is_some()
    }

    /// Records code that is not valid.
    pub(super) fn reject(&mut self, place: Range<usize>) {
        self.invalid.push(place);
    }

    /// Writes an expression in parentheses, or `0` if it is not valid.
    pub(super) fn value(&mut self, place: Range<usize>) {
        self.raw("(");
        if !self.code(place, false) {
            self.raw("0");
        }
        self.raw("\n)");
    }

    /// Writes an expression as a statement.
    pub(super) fn statement(&mut self, place: Range<usize>) {
        self.value(place);
        self.raw(";");
    }

    /// Writes a pattern that declares names. Returns the names, or `None` if the pattern is not valid.
    pub(super) fn pattern_names(&self, place: Range<usize>) -> Option<Vec<String>> {
        let arena = Allocator::default();
        let framed = format!("async ({}\n) => 0", &self.source[place]);
        if depth::too_deep(&framed, true).is_some() {
            return None;
        }
        let parsed = Parser::new(&arena, &framed, SourceType::tsx()).parse();
        if parsed.fatal_error || !parsed.diagnostics.is_empty() {
            return None;
        }
        let semantic = SemanticBuilder::new().with_build_nodes(true).build(&parsed.program).semantic;
        Some(semantic.scoping().symbol_names().map(str::to_owned).collect())
    }

    pub(super) fn finish(self) -> WrittenCode {
        WrittenCode { text: self.text, segments: self.segments, invalid: self.invalid }
    }
}

/// A reference to a name that the code does not declare.
struct FreeReference {
    place: Range<usize>,
    is_shorthand: bool,
}

/// Returns the free names of code, in its order; `None` if it is not valid.
fn references_in(code: &str, is_body: bool) -> Option<Vec<FreeReference>> {
    if code.trim().is_empty() {
        return None;
    }
    let (open, close) = if is_body { ("async () => {", "\n}") } else { ("async () => (", "\n)") };
    let framed = format!("{open}{code}{close}");
    if depth::too_deep(&framed, true).is_some() {
        return None;
    }
    let arena = Allocator::default();
    let parsed = Parser::new(&arena, &framed, SourceType::tsx()).parse();
    if parsed.fatal_error || !parsed.diagnostics.is_empty() || parsed.program.body.len() != 1 {
        return None;
    }
    let semantic = SemanticBuilder::new().with_build_nodes(true).build(&parsed.program).semantic;
    let nodes = semantic.nodes();
    let mut found = Vec::new();
    for reference in semantic.scoping().root_unresolved_references().values().flatten() {
        let reference = semantic.scoping().get_reference(*reference);
        if reference.is_type() && !reference.is_value() {
            continue;
        }
        let span = nodes.kind(reference.node_id()).span();
        let is_shorthand = match nodes.parent_kind(reference.node_id()) {
            AstKind::ObjectProperty(property) => property.shorthand,
            AstKind::AssignmentTargetPropertyIdentifier(_) => true,
            _ => false,
        };
        let start = span.start as usize - open.len();
        found.push(FreeReference { place: start..start + span.size() as usize, is_shorthand });
    }
    found.sort_by_key(|reference| reference.place.start);
    Some(found)
}

/// Finished code and its map of positions.
pub(super) struct WrittenCode {
    pub(super) text: String,
    segments: Vec<Segment>,
    invalid: Vec<Range<usize>>,
}

impl WrittenCode {
    /// Returns the position in the document that a part of the code was generated from. Code that is not in the document has the
    /// positions of the copied code within it.
    pub(super) fn place_of(&self, span: Span) -> Span {
        let (start, end) = (span.start as usize, span.end as usize);
        let first = self.segments.partition_point(|segment| segment.written.end <= start);
        let start_place = match self.segments.get(first) {
            Some(segment) if segment.written.start <= start => inside(segment, start, segment.place.start),
            Some(segment) => segment.place.start,
            None => self.segments.last().map_or(0, |segment| segment.place.end),
        };
        let after = self.segments.partition_point(|segment| segment.written.start < end);
        let end_place = match after.checked_sub(1).and_then(|last| self.segments.get(last)) {
            Some(segment) if segment.written.end >= end => inside(segment, end, segment.place.end),
            Some(segment) => segment.place.end,
            None => start_place,
        };
        Span::new(start_place as u32, end_place.max(start_place) as u32)
    }

    /// Returns whether all code is valid.
    pub(super) fn is_complete(&self, source: &str) -> bool {
        self.invalid.iter().all(|place| source[place.clone()].trim().is_empty())
    }

    /// Copies the parts of a document that were read into a text of the same length, without code that is not valid.
    pub(super) fn show(&self, source: &str, parts: &[Range<usize>], shown: &mut [u8]) {
        for part in parts {
            shown[part.clone()].copy_from_slice(&source.as_bytes()[part.clone()]);
        }
        for invalid in &self.invalid {
            for byte in &mut shown[invalid.clone()] {
                *byte = if matches!(*byte, b'\n' | b'\r') { *byte } else { b' ' };
            }
        }
    }
}

/// Returns the place of an offset in a segment. A name that is written in another form has only a start and an end.
fn inside(segment: &Segment, offset: usize, border: usize) -> usize {
    if segment.written.len() == segment.place.len() {
        segment.place.start + (offset - segment.written.start)
    } else {
        border
    }
}
