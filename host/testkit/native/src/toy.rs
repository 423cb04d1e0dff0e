//! The fixture language: implements enough of every interface to test the host without a real format, and can misbehave
//! in all ways. A document is a list of lines:
//!
//! ```text
//! # a comment, attached to the line below it
//! port = 80             a value; its address is its name, `port[2]` if it is repeated
//! [server]              a section, with all lines to the next one; `server.host` is in it
//! host = $port          uses a name
//! data = {"a": [1]}     is JSON inside
//! use "other.toy" port  takes a name from another file
//! ```
//!
//! Any other line is a syntax error. A line `#! …` makes the pack misbehave: `panic outline`, `lie outline`, `panic
//! edit`, `panic answer`, `lie edit` (edits another node than requested), `lie form` (claims that any edit is
//! well-formed), `redirect PATH OFFSET NAME`, `member PATH OFFSET NAME` and `share SPACE NAME` (a rename reports that
//! the name is declared in another file, is a member declared there, or is global), `ask PATH` (every refactoring asks
//! that file). `relink HOW` selects how the document takes part in moves (module `relink`).

mod names;
mod refactors;
mod relink;

use marquetry_sdk::{
    Description, Diagnostic, Document, Edit, EditOptions, Embedded, Failure, FailureKind, FindResult, Form,
    LanguagePack, Node, NodeId, Nodes, Operation, Position, Query, RegionHelp, Result, Severity, Span, TargetHelp,
    TargetKind, Template, View, fail, lines,
};

/// The pack.
#[derive(Debug)]
pub struct Toy;

/// A text in the fixture language.
#[derive(Debug)]
pub struct ToyDocument {
    path: String,
    text: String,
    lines: Vec<Line>,
}

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineKind {
    Section,
    Value,
    Use,
    Wrong,
}

#[derive(Debug)]
struct Line {
    kind: LineKind,
    span: Span,
    name: Span,
    /// The value of a line, the names of a `use`, or the lines of a section.
    inside: Span,
    doc: Option<Span>,
    section: Option<usize>,
    address: String,
}

impl LanguagePack for Toy {
    type Document = ToyDocument;

    const FILES: &'static [&'static str] = &["*.toy"];

    fn describe() -> Description {
        let help = |kind, syntax: &str, example: &str| TargetHelp {
            kind,
            syntax: syntax.to_owned(),
            examples: vec![example.to_owned()],
        };
        let region = |name: &str, summary: &str| RegionHelp { name: name.to_owned(), summary: summary.to_owned() };
        Description {
            id: "toy".to_owned(),
            name: "Toy".to_owned(),
            version: "0.1.0".to_owned(),
            files: Self::files(),
            targets: vec![
                help(TargetKind::Symbol, "a name, or `section.name`", "server.host"),
                help(TargetKind::Region, "`uses`", "uses"),
            ],
            regions: vec![region("uses", "the lines that name files"), region("section", "every section")],
            templates: vec![Template {
                name: "toy-port".to_owned(),
                summary: "one value".to_owned(),
                extension: "toy".to_owned(),
                body: "{{ name }} = {{ port | default(80) }}\n".to_owned(),
            }],
            settings_schema: "{}".to_owned(),
            relinks: true,
            help: "Lines of `name = value`.".to_owned(),
        }
    }

    fn open(path: &str, text: String, _settings: &str) -> ToyDocument {
        let lines = read(&text);
        let document = ToyDocument { path: path.to_owned(), text, lines };
        if document.misbehaves("panic open") {
            fail_on_purpose();
        }
        document
    }
}

/// Unwinds like a panic, but without printing a message that readers of a failing run could mistake for the cause.
fn fail_on_purpose() -> ! {
    std::panic::resume_unwind(Box::new("on purpose"))
}

fn read(text: &str) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    let (mut at, mut doc, mut section) = (0, None, None);
    for raw in text.split_inclusive('\n') {
        let line = raw.trim_end_matches(['\r', '\n']);
        let span = Span::new(at, at + line.len());
        at += raw.len();
        if line.trim().is_empty() {
            doc = None;
        } else if line.starts_with('#') {
            doc.get_or_insert(span).end = span.end;
        } else {
            let mut line = read_line(text, line, span, doc.take());
            if line.kind == LineKind::Section {
                section = Some(found.len());
            } else {
                line.section = section;
            }
            found.push(line);
        }
    }
    close_sections(text, &mut found);
    assign_addresses(text, &mut found);
    found
}

fn read_line(text: &str, line: &str, span: Span, doc: Option<Span>) -> Line {
    let start = span.range().start;
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
    let part = |inner: &str| {
        let at = inner.as_ptr() as usize - text.as_ptr() as usize;
        Span::new(at, at + inner.len())
    };
    let new = |what, name: Span, inside: Span| Line {
        kind: what,
        span,
        name,
        inside,
        doc,
        section: None,
        address: String::new(),
    };
    if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return new(LineKind::Section, part(name), Span::at(span.range().end));
    }
    if let Some((file, names)) = line.strip_prefix("use \"").and_then(|rest| rest.split_once('"')) {
        return new(LineKind::Use, part(file), part(names.trim()));
    }
    match line.split_once('=') {
        Some((name, value)) if is_name(name.trim()) => new(LineKind::Value, part(name.trim()), part(value.trim())),
        _ => new(LineKind::Wrong, Span::at(start), Span::at(start)),
    }
}

/// Extends each section to the end of its last line.
fn close_sections(text: &str, found: &mut [Line]) {
    for index in (0..found.len()).filter(|index| found[*index].section.is_some()).collect::<Vec<_>>() {
        let (end, section) = (found[index].span.end, found[index].section.unwrap_or(0));
        let head = lines::next_line(text, found[section].name.range().end);
        found[section].span.end = end;
        found[section].inside = Span::new(head, end as usize);
    }
}

fn assign_addresses(text: &str, found: &mut [Line]) {
    let mut seen = std::collections::HashMap::<String, usize>::new();
    for index in 0..found.len() {
        let line = &found[index];
        let mut address = line.name.slice(text).to_owned();
        if let Some(section) = line.section {
            address = format!("{}.{address}", found[section].address);
        }
        let count = seen.entry(address.clone()).or_default();
        *count += 1;
        found[index].address = if *count > 1 { format!("{address}[{count}]") } else { address };
    }
}

impl ToyDocument {
    fn misbehaves(&self, what: &str) -> bool {
        self.text.lines().filter_map(|line| line.strip_prefix("#! ")).any(|line| line == what)
    }

    /// Returns the arguments of a `#!` line.
    fn directive(&self, word: &str) -> Option<Vec<&str>> {
        let lines =
            self.text.lines().filter_map(|line| line.strip_prefix("#! ")?.strip_prefix(word)?.strip_prefix(' '));
        lines.map(|rest| rest.split(' ').collect()).next()
    }

    fn node(&self, index: usize) -> Option<Node> {
        let line = &self.lines[index];
        let kind = match line.kind {
            LineKind::Section => "section",
            LineKind::Value => "value",
            LineKind::Use | LineKind::Wrong => return None,
        };
        let value = line.inside.slice(&self.text);
        Some(Node {
            id: index as NodeId,
            parent: None,
            kind: kind.to_owned(),
            name: line.name.slice(&self.text).to_owned(),
            address: line.address.clone(),
            span: line.span,
            selection: line.name,
            body: (line.kind == LineKind::Value || !line.inside.is_empty()).then_some(line.inside),
            doc: line.doc,
            level: None,
            value: (line.kind == LineKind::Value).then(|| format!("{value:?}")),
        })
    }

    fn uses(&self) -> Option<Node> {
        let mut uses = self.lines.iter().filter(|line| line.kind == LineKind::Use);
        let first = uses.next()?;
        let span = Span { start: first.span.start, end: uses.next_back().unwrap_or(first).span.end };
        let (kind, name) = ("region".to_owned(), "uses".to_owned());
        let selection = Span::at(span.range().start);
        let (id, address) = (NodeId::MAX >> 1, name.clone());
        Some(Node {
            id,
            parent: None,
            kind,
            name,
            address,
            span,
            selection,
            body: None,
            doc: None,
            level: None,
            value: None,
        })
    }

    fn span(&self, node: NodeId) -> Result<Span> {
        match self.lines.get(node as usize) {
            Some(line) => Ok(line.span),
            None if node == NodeId::MAX >> 1 => Ok(self.uses().map_or(Span::at(0), |node| node.span)),
            None => Err(fail(FailureKind::InvalidArgument, format!("no node {node}"))),
        }
    }
}

impl Document for ToyDocument {
    fn text(&self) -> &str {
        &self.text
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        let wrong = self.lines.iter().filter(|line| line.kind == LineKind::Wrong);
        let problem = |line: &Line| Diagnostic {
            severity: Severity::Error,
            span: line.span,
            message: "a line that says nothing".to_owned(),
            code: None,
        };
        wrong.map(problem).collect()
    }

    fn outline(&self) -> Vec<Node> {
        if self.misbehaves("panic outline") {
            fail_on_purpose();
        }
        let mut nodes: Vec<Node> = Vec::new();
        let mut section = None;
        for (index, line) in self.lines.iter().enumerate() {
            let Some(node) = self.node(index) else { continue };
            if line.kind == LineKind::Section {
                section = Some(nodes.len() as u32);
            }
            let parent = if line.section.is_some() { section } else { None };
            nodes.push(Node { parent, ..node });
        }
        if let (true, Some(last)) = (self.misbehaves("lie outline"), nodes.last_mut()) {
            last.span.end = self.text.len() as u32 + 1;
        }
        nodes
    }

    fn find(&self, query: &Query) -> Result<FindResult> {
        let wanted = query.target.value.as_str();
        let nodes: Vec<Node> = match query.target.kind {
            TargetKind::Region if wanted == "uses" => self.uses().into_iter().collect(),
            // The host itself resolves a region that is a kind of node, and suggests the nearest addresses.
            TargetKind::Region => return Err(Failure::unsupported("the host knows")),
            TargetKind::Symbol => {
                let exact = |node: &Node| node.address == wanted;
                let all: Vec<Node> = (0..self.lines.len()).filter_map(|index| self.node(index)).collect();
                match wanted.strip_suffix("[*]") {
                    Some(name) => all.into_iter().filter(|node| node.name == name).collect(),
                    None => all.into_iter().filter(exact).collect(),
                }
            }
            _ => Vec::new(),
        };
        if nodes.is_empty() {
            return Err(fail(FailureKind::TargetNotFound, format!("no value `{wanted}`")));
        }
        let total = nodes.len() as u32;
        Ok(FindResult::Nodes(Nodes { nodes: nodes.into_iter().take(query.limit as usize).collect(), total }))
    }

    fn view(&self, node: NodeId, form: Form) -> Result<View> {
        let span = self.span(node)?;
        let Some(line) = self.lines.get(node as usize) else { return Ok(View::Span(span)) };
        Ok(match form {
            Form::Full => View::Span(span),
            Form::Signature => View::Text(line.name.slice(&self.text).to_owned()),
            Form::Body => View::Span(line.inside),
            Form::Summary => View::Text(format!("{}: {} bytes", line.address, span.len())),
        })
    }

    fn edit(&self, nodes: &[NodeId], operation: &Operation, _options: EditOptions) -> Result<Vec<Edit>> {
        if self.misbehaves("panic edit") {
            fail_on_purpose();
        }
        let mut edits = Vec::new();
        for node in nodes {
            let (span, inside) = (self.span(*node)?, self.lines.get(*node as usize).map(|line| line.inside));
            let (start, end) = (span.range().start, span.range().end);
            let inner = || inside.ok_or_else(|| Failure::unsupported("this has no inside"));
            edits.push(match operation {
                Operation::Replace(content) => Edit::new(span, content.trim_end()),
                Operation::ReplaceBody(content) => Edit::new(inner()?, content.trim_end()),
                Operation::InsertBefore(content) => Edit::insert(start, format!("{}\n", content.trim_end())),
                Operation::InsertAfter(content) => Edit::insert(end, format!("\n{}", content.trim_end())),
                Operation::InsertInto(insertion) => {
                    let inside = inner()?;
                    match insertion.position {
                        Position::First => Edit::insert(inside.range().start, format!("{}\n", insertion.content)),
                        _ => Edit::insert(inside.range().end, format!("\n{}", insertion.content)),
                    }
                }
                Operation::Wrap(wrapper) => {
                    Edit::new(span, format!("{}{}{}", wrapper.before, span.slice(&self.text), wrapper.after))
                }
                Operation::Delete => Edit::remove(start..lines::next_line(&self.text, end)),
            });
        }
        if self.misbehaves("lie edit") {
            edits = vec![Edit::new(0..self.text.len(), "gone = 1\n")];
        }
        if let Some(range) = self.edit_ranges(nodes, operation).first() {
            let at = if self.misbehaves("wide lie") { self.text.len() } else { range.range().end };
            edits.push(Edit::insert(at, " and more"));
        }
        edits.sort_by_key(|edit| edit.span.start);
        Ok(edits)
    }

    fn edit_ranges(&self, _nodes: &[NodeId], _operation: &Operation) -> Vec<Span> {
        let is_wide = self.misbehaves("wide edit") || self.misbehaves("wide lie");
        is_wide.then(|| Span::new(0, lines::line_end(&self.text, 0))).into_iter().collect()
    }

    fn stays_well_formed(&self, _edits: &[Edit]) -> bool {
        self.misbehaves("lie form")
    }

    fn embedded(&self) -> Vec<Embedded> {
        let json = |line: &&Line| line.kind == LineKind::Value && line.inside.slice(&self.text).starts_with('{');
        let parts = self.lines.iter().filter(json);
        parts.map(|line| Embedded { span: line.inside, language: "json".to_owned() }).collect()
    }
}
