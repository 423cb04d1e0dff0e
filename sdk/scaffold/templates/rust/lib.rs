//! The pack for `.NAME` files: lines of `name: value`. This template satisfies the laws (properties required of every
//! pack); change it to your format.
//!
//! `plugins/languages/properties` is a larger example with sections, several dialects, and edits that are verified by
//! parsing the result.

#[cfg(test)]
mod tests;

use marquetry_sdk::{
    Description, Diagnostic, Document, Edit, EditOptions, Failure, FailureKind, FindResult, Form, LanguagePack, Node,
    NodeId, Nodes, Operation, Query, Result, Severity, Span, TargetHelp, TargetKind, View, export_pack, fail, lines,
};

/// The pack.
#[derive(Debug)]
pub struct PASCAL;

impl LanguagePack for PASCAL {
    type Document = PASCALDocument;

    const FILES: &'static [&'static str] = &["*.NAME"];

    fn describe() -> Description {
        Description {
            id: "NAME".to_owned(),
            name: "PASCAL".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files: Self::files(),
            targets: vec![TargetHelp {
                kind: TargetKind::Path,
                syntax: "`name`, or `name[2]` for the second line with this name".to_owned(),
                examples: vec!["title".to_owned()],
            }],
            regions: Vec::new(),
            templates: Vec::new(),
            settings_schema: "{}".to_owned(),
            relinks: false,
            help: include_str!("../help.md").to_owned(),
        }
    }

    fn open(_path: &str, text: String, _settings: &str) -> PASCALDocument {
        let mut document = PASCALDocument { text, entries: Vec::new(), diagnostics: Vec::new() };
        document.parse();
        document
    }
}

/// A line with its spans.
#[derive(Debug)]
struct Entry {
    /// The address that selects only this entry.
    address: String,
    name: Span,
    value: Span,
}

/// An open file. The id of a node is the index of its entry.
#[derive(Debug)]
pub struct PASCALDocument {
    text: String,
    entries: Vec<Entry>,
    diagnostics: Vec<Diagnostic>,
}

impl PASCALDocument {
    fn parse(&mut self) {
        let mut counts = std::collections::HashMap::<String, usize>::new();
        let mut at = 0;
        while at < self.text.len() {
            let end = lines::line_end(&self.text, at);
            let line = &self.text[at..end];
            let is_name = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
            if let Some(name) = line.split(':').next().filter(is_name).filter(|name| name.len() < line.len()) {
                let count = counts.entry(name.to_owned()).or_default();
                *count += 1;
                let address = if *count == 1 { name.to_owned() } else { format!("{name}[{count}]") };
                let rest = &line[name.len() + 1..];
                let start = end - rest.trim_start().len();
                let value = Span::new(start, start + rest.trim().len());
                self.entries.push(Entry { address, name: Span::new(at, at + name.len()), value });
            } else if !line.trim().is_empty() {
                let span = Span::new(at, end);
                let message = "expected `name: value`".to_owned();
                self.diagnostics.push(Diagnostic { severity: Severity::Error, span, message, code: None });
            }
            at = lines::next_line(&self.text, end);
        }
    }

    fn entry(&self, node: NodeId) -> Result<&Entry> {
        let entry = self.entries.get(node as usize);
        entry.ok_or_else(|| fail(FailureKind::InvalidArgument, format!("no node {node}")))
    }

    fn node(&self, index: usize) -> Node {
        let entry = &self.entries[index];
        Node {
            id: index as NodeId,
            parent: None,
            kind: "property".to_owned(),
            name: entry.name.slice(&self.text).to_owned(),
            address: entry.address.clone(),
            span: entry.value,
            selection: Span::at(entry.value.range().start),
            body: None,
            doc: None,
            level: None,
            value: None,
        }
    }
}

impl Document for PASCALDocument {
    fn text(&self) -> &str {
        &self.text
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.diagnostics.clone()
    }

    fn outline(&self) -> Vec<Node> {
        (0..self.entries.len()).map(|index| self.node(index)).collect()
    }

    fn find(&self, query: &Query) -> Result<FindResult> {
        if query.target.kind != TargetKind::Path {
            return Err(Failure::unsupported("`.NAME` files are addressed by `path`").hint("use the name of a line"));
        }
        let wanted = &query.target.value;
        let Some(index) = self.entries.iter().position(|entry| entry.address == *wanted) else {
            let known = self.entries.iter().map(|entry| entry.address.as_str());
            return Err(Failure::not_found("name", wanted, known));
        };
        Ok(FindResult::Nodes(Nodes { nodes: vec![self.node(index)], total: 1 }))
    }

    fn view(&self, node: NodeId, form: Form) -> Result<View> {
        let entry = self.entry(node)?;
        let line = || Span::new(entry.name.range().start, entry.value.range().end);
        Ok(View::Span(if matches!(form, Form::Full | Form::Body) { entry.value } else { line() }))
    }

    fn edit(&self, nodes: &[NodeId], operation: &Operation, _options: EditOptions) -> Result<Vec<Edit>> {
        let mut edits = Vec::new();
        for node in nodes {
            let entry = self.entry(*node)?;
            let (start, end) = (entry.name.range().start, lines::line_end(&self.text, entry.value.range().end));
            edits.push(match operation {
                Operation::Replace(content) => {
                    let content = content.trim();
                    if content.contains(['\n', '\r']) {
                        return Err(fail(FailureKind::InvalidArgument, "a value is one line")
                            .hint("insert further lines with `insert_after`"));
                    }
                    let space = if self.text[..entry.value.range().start].ends_with(':') { " " } else { "" };
                    let space = if entry.value.is_empty() { space } else { "" };
                    Edit::new(entry.value, format!("{space}{content}"))
                }
                Operation::InsertBefore(content) => Edit::insert(start, format!("{}\n", content.trim_end())),
                Operation::InsertAfter(content) => Edit::insert(end, format!("\n{}", content.trim_end())),
                Operation::Delete => Edit::remove(start..lines::next_line(&self.text, end)),
                _ => {
                    return Err(Failure::unsupported("a value has no children and cannot be wrapped")
                        .hint("use `replace`, `insert_before`, `insert_after` or `delete`"));
                }
            });
        }
        edits.sort_by_key(|edit| edit.span.start);
        Ok(edits)
    }
}

export_pack!(PASCAL);
