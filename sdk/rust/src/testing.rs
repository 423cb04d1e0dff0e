//! Native tests of a pack: concise assertions, and the laws (properties) that every pack must satisfy.

pub mod growth;
mod list_edits;
mod names;
mod operations;
mod random;
mod refactors;

pub use list_edits::{Count, List, check_list_laws, check_reach, check_reach_laws, random_lines};
pub use names::{check_name_laws, check_name_laws_on_random};
pub use operations::{after, before, body, first, insert_into, last, replace, sorted, wrap};
pub use random::check_laws_on_random;
pub use refactors::{check_refactor, check_refactor_laws, check_refactor_of, check_refused, run_refactor};

use crate::{
    Document, Edit, EditOptions, Failure, FindResult, Form, LanguagePack, Node, NodeId, Operation, Position, Query,
    Severity, Span, Target, TargetKind, View, span::apply,
};

/// A document with shorthands for tests.
#[derive(Debug)]
pub struct TestDocument<P: LanguagePack> {
    document: P::Document,
}

/// Opens a document for a test.
///
/// # Examples
///
/// ```
/// # marquetry_sdk::__example_pack!(Notes);
/// use marquetry_sdk::{TargetKind, testing::{open, replace}};
///
/// let page = open::<Notes>("a.note", "host=a\nport=80\n");
/// assert_eq!(page.outline(), "setting host @host\nsetting port @port\n");
/// assert_eq!(page.read(TargetKind::Path, "port")?, ["port=80"]);
/// assert_eq!(page.edit(TargetKind::Path, "port", replace("port=8080"))?, "host=a\nport=8080\n");
/// # Ok::<(), marquetry_sdk::Failure>(())
/// ```
pub fn open<P: LanguagePack>(path: &str, text: &str) -> TestDocument<P> {
    TestDocument { document: P::open(path, text.to_owned(), "{}") }
}

impl<P: LanguagePack> TestDocument<P> {
    /// The pack's document.
    pub fn document(&self) -> &P::Document {
        &self.document
    }

    /// The nodes that a target matches.
    ///
    /// # Errors
    ///
    /// Fails like [`Document::find`].
    pub fn nodes(&self, kind: TargetKind, value: &str) -> Result<Vec<Node>, Failure> {
        let target = Target { kind, value: value.to_owned() };
        match self.document.find(&Query { target, limit: u32::MAX, values: true })? {
            FindResult::Nodes(nodes) => Ok(nodes.nodes),
            FindResult::Scalar(_) => Ok(Vec::new()),
        }
    }

    /// The text of every match, in order.
    ///
    /// # Errors
    ///
    /// Fails like [`Document::find`] and [`Document::view`].
    pub fn read(&self, kind: TargetKind, value: &str) -> Result<Vec<String>, Failure> {
        self.nodes(kind, value)?.iter().map(|node| self.show(node, Form::Full)).collect()
    }

    /// A view of a node as text.
    ///
    /// # Errors
    ///
    /// Fails like [`Document::view`].
    pub fn show(&self, node: &Node, form: Form) -> Result<String, Failure> {
        Ok(match self.document.view(node.id, form)? {
            View::Span(span) => span.slice(self.document().text()).to_owned(),
            View::Text(text) => text,
        })
    }

    /// The text after an operation on every match of the target.
    ///
    /// # Errors
    ///
    /// Fails like [`Document::find`] and [`Document::edit`].
    pub fn edit(&self, kind: TargetKind, value: &str, operation: Operation) -> Result<String, Failure> {
        let nodes: Vec<u32> = self.nodes(kind, value)?.iter().map(|node| node.id).collect();
        let options = EditOptions { include_doc: false, force: false };
        let edits = edited(&self.document, &nodes, &operation, options)?;
        check_edits(self.document().text(), &edits);
        Ok(apply(self.document().text(), &edits))
    }

    /// The outline as indented lines `kind name @address`.
    pub fn outline(&self) -> String {
        let nodes = self.document().outline();
        let mut out = String::new();
        for node in &nodes {
            let mut depth = 0;
            let mut above = node.parent;
            while let Some(parent) = above {
                depth += 1;
                above = nodes[parent as usize].parent;
            }
            out += &format!("{}{} {} @{}\n", "  ".repeat(depth), node.kind, node.name, node.address);
        }
        out
    }

    /// The diagnostics as `line:column message`; lines and columns (in bytes) start at 1.
    pub fn diagnostics(&self) -> Vec<String> {
        let text = self.document().text();
        let place = |at: usize| {
            let start = crate::lines::line_start(text, at);
            format!("{}:{}", text[..start].matches('\n').count() + 1, at - start + 1)
        };
        let problems = self.document().diagnostics();
        problems.iter().map(|p| format!("{} {}", place(p.span.range().start), p.message)).collect()
    }
}

/// Asserts the text after an operation on every match of the target.
///
/// # Examples
///
/// ```
/// # marquetry_sdk::__example_pack!(Notes);
/// use marquetry_sdk::{TargetKind, testing::{check_edit, replace}};
///
/// let file = ("a.note", "host=a\nport=80\n");
/// check_edit::<Notes>(file, (TargetKind::Path, "port"), replace("port=8080"), "host=a\nport=8080\n");
/// ```
#[track_caller]
pub fn check_edit<P: LanguagePack>(
    (path, text): (&str, &str),
    (kind, target): (TargetKind, &str),
    operation: Operation,
    expected: &str,
) {
    let shown = format!("{operation:?} of {target}");
    match open::<P>(path, text).edit(kind, target, operation) {
        Ok(after) => assert_eq!(after, expected, "{shown} in\n{text}"),
        Err(failure) => panic!("{shown} is refused: {failure:?} in\n{text}"),
    }
}

/// Asserts the text after the creation of a missing target, and that the target then exists.
#[track_caller]
pub fn check_insert_missing<P: LanguagePack>(
    (path, text): (&str, &str),
    (kind, target): (TargetKind, &str),
    content: &str,
    expected: &str,
) {
    let bench = open::<P>(path, text);
    let target = Target { kind, value: target.to_owned() };
    let edits = match bench.document().insert_missing(&target, content) {
        Ok(edits) => edits,
        Err(failure) => panic!("{target:?} is refused: {failure:?} in\n{text}"),
    };
    check_edits(text, &edits);
    let after = apply(text, &edits);
    assert_eq!(after, expected, "after `insert_missing` of {target:?} in\n{text}");
    let found = open::<P>(path, &after).nodes(kind, &target.value);
    assert_eq!(found.map(|nodes| nodes.len()), Ok(1), "{target:?} must select one node of\n{after}");
}

/// Asserts that creating a missing target fails with a hint. Returns the failure.
#[track_caller]
pub fn check_missing_refusal<P: LanguagePack>(
    (path, text): (&str, &str),
    (kind, target): (TargetKind, &str),
    content: &str,
) -> Failure {
    let target = Target { kind, value: target.to_owned() };
    match open::<P>(path, text).document().insert_missing(&target, content) {
        Ok(edits) => panic!("{target:?} is not refused; the result is\n{}", apply(text, &edits)),
        Err(failure) => {
            assert!(failure.hint.is_some(), "{target:?}: the failure has no hint: {failure:?}");
            failure
        }
    }
}

/// Asserts that the operation fails with a hint. Returns the failure.
#[track_caller]
pub fn check_refusal<P: LanguagePack>(
    (path, text): (&str, &str),
    (kind, target): (TargetKind, &str),
    operation: Operation,
) -> Failure {
    let shown = format!("{operation:?} of {target}");
    match open::<P>(path, text).edit(kind, target, operation) {
        Ok(after) => panic!("{shown} is not refused; the result is\n{after}"),
        Err(failure) => {
            assert!(failure.hint.is_some(), "{shown}: the failure has no hint: {failure:?}");
            failure
        }
    }
}

/// The edits of an operation as the host requests them: if every node is replaced by its own text, the pack is not
/// called and there are no edits.
///
/// # Errors
///
/// Fails like [`Document::edit`] and [`Document::view`].
pub fn edited<D: Document>(
    document: &D,
    nodes: &[NodeId],
    operation: &Operation,
    options: EditOptions,
) -> Result<Vec<Edit>, Failure> {
    if let Operation::Replace(content) = operation
        && !options.include_doc
    {
        let is_own = |node: &NodeId| match document.view(*node, Form::Full)? {
            View::Span(span) => Ok(span.slice(document.text()).lines().eq(content.lines())),
            View::Text(_) => Ok(false),
        };
        let own: Vec<bool> = nodes.iter().map(is_own).collect::<Result<_, Failure>>()?;
        if own.into_iter().all(|is_own| is_own) {
            return Ok(Vec::new());
        }
    }
    document.edit(nodes, operation, options)
}

/// Asserts that the help and the description list the same regions, that each region is found in the text, is
/// unchanged when replaced by its own text, and that every other operation succeeds or fails with a hint.
#[track_caller]
pub fn check_regions<P: LanguagePack>(path: &str, text: &str, content: &str) {
    let described = P::describe();
    let line = described.help.lines().find_map(|line| line.strip_prefix("- `region`: "));
    let listed: Vec<&str> = line.unwrap_or_default().split('`').skip(1).step_by(2).collect();
    let mut known: Vec<&str> = described.regions.iter().map(|region| region.name.as_str()).collect();
    known.sort_by_key(|name| listed.iter().position(|listed| listed == name));
    assert_eq!(listed, known, "the help does not list the regions in a line that starts with \"- `region`: \"");
    let bench = open::<P>(path, text);
    for name in listed {
        let nodes = bench.nodes(TargetKind::Region, name).unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
        for node in nodes {
            let found = bench.nodes(TargetKind::Region, &node.address);
            let found = found.or_else(|_| bench.nodes(described.targets[0].kind, &node.address));
            assert_eq!(found.map(|found| found.len()), Ok(1), "{name}: `{}` must select one node", node.address);
            let own = bench.show(&node, Form::Full).unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
            assert_eq!(own, node.span.slice(text), "{name}");
            let options = EditOptions { include_doc: false, force: false };
            for operation in [
                Operation::Replace(own.clone()),
                Operation::ReplaceBody(content.to_owned()),
                Operation::InsertBefore(content.to_owned()),
                Operation::InsertAfter(content.to_owned()),
                insert_into(content, Position::Last),
                wrap("", ""),
                Operation::Delete,
            ] {
                match edited(bench.document(), &[node.id], &operation, options) {
                    Ok(edits) => check_edits(text, &edits),
                    Err(failure) => assert!(failure.hint.is_some(), "{operation:?} of {name}: {failure:?}"),
                }
            }
            let same = edited(bench.document(), &[node.id], &Operation::Replace(own), options);
            assert_eq!(same, Ok(Vec::new()), "{name}: replacing the region by its own text changes something");
        }
    }
}

/// The cases of a public test suite, one JSON text each. Empty unless the environment variable `MARQ_SUITES` names
/// the folder of the suites: an absolute path, or a path relative to the current folder or any folder above it.
///
/// # Panics
///
/// Panics if the variable is set but the suite does not exist.
pub fn suite(name: &str) -> Vec<String> {
    let Some(folder) = std::env::var_os("MARQ_SUITES").filter(|folder| !folder.is_empty()) else {
        return Vec::new();
    };
    let current = std::env::current_dir().unwrap_or_default();
    let file = current.ancestors().map(|above| above.join(&folder).join(name).join("cases.jsonl"));
    let Some(file) = file.into_iter().find(|file| file.is_file()) else {
        panic!("MARQ_SUITES is {}, but this folder contains no suite `{name}`", folder.display());
    };
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    text.lines().map(str::to_owned).collect()
}

/// Checks the laws for one document. Panics if one is broken.
///
/// # Examples
///
/// ```
/// # marquetry_sdk::__example_pack!(Notes);
/// use marquetry_sdk::testing::check_laws;
///
/// for text in ["", "host=a\nport=80\n", "no setting"] {
///     check_laws::<Notes>("a.note", text);
/// }
/// ```
pub fn check_laws<P: LanguagePack>(path: &str, text: &str) {
    let document = &P::open(path, text.to_owned(), "{}");
    assert_eq!(document.text(), text, "`text` does not return the text that was opened");
    for problem in document.diagnostics() {
        check_span(text, problem.span, "problem");
    }
    for embedded in document.embedded() {
        check_span(text, embedded.span, "embedded part");
    }
    let targets = P::describe().targets;
    let outline = document.outline();
    for (index, node) in outline.iter().enumerate() {
        check_node(text, node);
        if let Some(parent) = node.parent {
            assert!((parent as usize) < index, "the parent of a node does not come before it: {node:?}");
            assert!(
                outline[parent as usize].span.contains(node.span),
                "the span of a node is not inside the span of its parent: {node:?} in {:?}",
                outline[parent as usize]
            );
        }
    }
    // Checks every address of a small document, and a sample of a large one.
    for node in outline.iter().step_by(outline.len() / 64 + 1) {
        let Some(kind) = targets.first().map(|target| target.kind) else {
            panic!("the outline has nodes, but `describe` lists no kind of target")
        };
        check_address(document, kind, node);
        check_identity(document, node, text);
        let there = Target { kind, value: node.address.clone() };
        assert!(document.insert_missing(&there, "x").is_err(), "`{}` exists and must be refused", node.address);
        check_operations::<P>(document, node, (path, text));
        for new in ["", "1", "x", "{}", "1 // x", "<a/>", "</a>", "]", "}", "\n", "'"] {
            check_form::<P>(document, (path, text), &[Edit::new(node.span, new)]);
        }
    }
    let again = P::open(path, text.to_owned(), "{}");
    assert_eq!(again.outline(), outline, "opening the same text again gives another outline");
}

/// Creates the target that `below` returns for each node, and asserts that it then exists, adds no errors, and leaves
/// the nodes that do not contain it unchanged. Returns the number of created targets.
#[track_caller]
pub fn check_insert_missing_laws<P: LanguagePack>(
    (path, text): (&str, &str),
    kind: TargetKind,
    below: impl Fn(&Node) -> String,
    content: &str,
) -> usize {
    let bench = open::<P>(path, text);
    let nodes = bench.document().outline();
    let mut count = 0;
    for node in nodes.iter().step_by(nodes.len() / 64 + 1) {
        let target = Target { kind, value: below(node) };
        let Ok(edits) = bench.document().insert_missing(&target, content) else { continue };
        check_edits(text, &edits);
        let after = open::<P>(path, &apply(text, &edits));
        let found = after.nodes(kind, &target.value).map(|nodes| nodes.len());
        assert_eq!(
            found,
            Ok(1),
            "`{}` does not select exactly one node after it was created in\n{text}\nThe result is\n{}",
            target.value,
            after.document().text()
        );
        let (new, old) = (errors(after.document()), errors(bench.document()));
        assert!(new <= old, "creating `{}` in\n{text}\nadds errors:\n{}", target.value, after.document().text());
        // Text that is appended to a node may be inserted after a comment on the last line of the node.
        let reach = |node: &Node| Span { end: crate::lines::line_end(text, node.span.range().end) as u32, ..node.span };
        let apart = |node: &&Node| edits.iter().all(|edit| !reach(node).touches(edit.span.range().start));
        for node in nodes.iter().filter(apart) {
            let kept = after.read(kind, &node.address);
            let own = node.span.slice(text).to_owned();
            assert_eq!(kept, Ok(vec![own]), "`{}` changed by creating `{}` in\n{text}", node.address, target.value);
        }
        count += 1;
    }
    count
}

/// The number of errors in a document.
fn errors(document: &impl Document) -> usize {
    document.diagnostics().iter().filter(|problem| problem.severity == Severity::Error).count()
}

fn check_span(text: &str, span: Span, what: &str) {
    assert!(span.start <= span.end, "{what}: {span:?} ends before it starts");
    assert!(span.range().end <= text.len(), "{what}: {span:?} ends after the text of {} bytes", text.len());
    let whole = text.is_char_boundary(span.range().start) && text.is_char_boundary(span.range().end);
    assert!(whole, "{what}: {span:?} starts or ends inside of a character");
}

fn check_node(text: &str, node: &Node) {
    check_span(text, node.span, "node");
    check_span(text, node.selection, "selection");
    assert!(node.span.contains(node.selection), "the selection is not inside the span: {node:?}");
    if let Some(body) = node.body {
        check_span(text, body, "body");
        assert!(node.span.contains(body), "the body is not inside the span: {node:?}");
    }
    if let Some(doc) = node.doc {
        check_span(text, doc, "doc");
    }
}

fn check_edits(text: &str, edits: &[Edit]) {
    let mut end = 0;
    for edit in edits {
        check_span(text, edit.span, "edit");
        assert!(edit.span.start >= end, "edits are not sorted or overlap: {edits:?}");
        end = edit.span.end;
    }
}

fn check_address<D: Document>(document: &D, kind: TargetKind, node: &Node) {
    let target = Target { kind, value: node.address.clone() };
    let found = document.find(&Query { target, limit: u32::MAX, values: false });
    let Ok(FindResult::Nodes(found)) = found else { panic!("`{}` is not found: {found:?}", node.address) };
    let spans: Vec<Span> = found.nodes.iter().map(|found| found.span).collect();
    assert_eq!(spans, [node.span], "`{}` does not select exactly its own node", node.address);
}

fn check_identity<D: Document>(document: &D, node: &Node, text: &str) {
    let shown = document.view(node.id, Form::Full);
    let Ok(View::Span(span)) = shown else { panic!("the view `full` is not a span of the text: {shown:?}") };
    assert_eq!(span, node.span, "the view `full` is not the span that `replace` replaces: `{}`", node.address);
    let options = EditOptions { include_doc: false, force: false };
    for operation in [
        Operation::Replace(span.slice(text).to_owned()),
        Operation::ReplaceBody(node.body.map_or(String::new(), |body| body.slice(text).to_owned())),
    ] {
        if matches!(operation, Operation::ReplaceBody(_)) && node.body.is_none() {
            continue;
        }
        let Ok(edits) = edited(document, &[node.id], &operation, options) else {
            panic!("`{}` cannot be replaced by its own text", node.address)
        };
        check_edits(text, &edits);
        assert_eq!(apply(text, &edits), text, "{operation:?} of `{}` with its own text changes it", node.address);
    }
}

/// Asserts that the edits of each operation are valid and can be undone.
fn check_operations<P: LanguagePack>(document: &P::Document, node: &Node, (path, text): (&str, &str)) {
    let options = EditOptions { include_doc: false, force: false };
    let content = "x".to_owned();
    for operation in [
        Operation::Replace(content.clone()),
        Operation::ReplaceBody(content.clone()),
        Operation::InsertBefore(content.clone()),
        Operation::InsertAfter(content.clone()),
        insert_into("x", Position::First),
        insert_into("x", Position::Last),
        insert_into("x", Position::Sorted),
        wrap("(", ")"),
        Operation::Delete,
    ] {
        if let Ok(edits) = edited(document, &[node.id], &operation, options) {
            check_edits(text, &edits);
            let inverse = invert(text, &edits);
            assert_eq!(apply(&apply(text, &edits), &inverse), text, "the inverse edits do not restore the text");
            check_form::<P>(document, (path, text), &edits);
        }
    }
    for form in [Form::Signature, Form::Body, Form::Summary] {
        if let Ok(View::Span(span)) = document.view(node.id, form) {
            check_span(text, span, "view");
        }
    }
    document.dependencies(node.id);
}

/// Asserts that `stays_well_formed` is true only if the edits add no errors.
fn check_form<P: LanguagePack>(document: &P::Document, (path, text): (&str, &str), edits: &[Edit]) {
    if !document.stays_well_formed(edits) {
        return;
    }
    let (before, after) = (errors(document), errors(&P::open(path, apply(text, edits), "{}")));
    assert!(
        after <= before,
        "`stays_well_formed` accepts {edits:?}, which change the number of errors from {before} to {after}"
    );
}

fn invert(text: &str, edits: &[Edit]) -> Vec<Edit> {
    let mut moved = 0_i64;
    edits
        .iter()
        .map(|edit| {
            let start = (i64::from(edit.span.start) + moved) as usize;
            moved += edit.text.len() as i64 - edit.span.len() as i64;
            Edit::new(start..start + edit.text.len(), edit.span.slice(text))
        })
        .collect()
}
