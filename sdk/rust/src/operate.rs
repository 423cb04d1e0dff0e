//! What the SDK adds to every pack: `lines` targets, replacing text inside a target, and the identity.
//!
//! The component's exports and the native tests both come through here, so both see the same document.

use std::cell::RefCell;

use crate::{
    Description, Document, Edit, EditOptions, FailureKind, Form, Found, LanguagePack, Node, NodeId, Nodes, Operation,
    Query, Replacement, Result, Span, TargetHelp, TargetKind, View, Wrapper, fail, lines,
};

/// Ids from here on name line ranges that were asked for, not nodes of the pack.
const FIRST_LINES: NodeId = 0x8000_0000;
/// Line ranges remembered for each document.
const MOST_LINES: usize = 4096;

/// A document behind the handle that the host holds.
#[derive(Debug)]
pub struct Held<P: LanguagePack> {
    /// The pack's own document.
    pub document: P::Document,
    ranges: RefCell<Vec<Span>>,
}

/// The pack's description, with what every pack can do.
pub fn describe<P: LanguagePack>() -> Description {
    let mut description = P::describe();
    let is_named = |kind| description.targets.iter().any(|target| target.kind == kind);
    if !description.regions.is_empty() && !is_named(TargetKind::Region) {
        let examples = description.regions.iter().take(2).map(|region| region.name.clone()).collect();
        let syntax = "the name of a part of the document".to_owned();
        description.targets.push(TargetHelp { kind: TargetKind::Region, syntax, examples });
    }
    if !description.targets.iter().any(|target| target.kind == TargetKind::Lines) {
        description.targets.push(TargetHelp {
            kind: TargetKind::Lines,
            syntax: "`first-last`, both included, counted from 1".to_owned(),
            examples: vec!["7".to_owned(), "7-12".to_owned()],
        });
    }
    description
}

impl<P: LanguagePack> Held<P> {
    /// Open a document.
    pub fn open(path: &str, text: String, settings: &str) -> Held<P> {
        Held { document: P::open(path, text, settings), ranges: RefCell::default() }
    }

    /// The nodes a target names.
    ///
    /// # Errors
    ///
    /// Those of [`Document::find`] and [`lines::find`].
    pub fn find(&self, query: &Query) -> Result<Found> {
        if query.target.kind != TargetKind::Lines {
            return self.document.find(query);
        }
        let span = lines::find(self.document.text(), &query.target.value)?;
        let mut ranges = self.ranges.borrow_mut();
        let index = ranges.iter().position(|range| *range == span).unwrap_or_else(|| {
            if ranges.len() >= MOST_LINES {
                ranges.clear();
            }
            ranges.push(span);
            ranges.len() - 1
        });
        let node = Node {
            id: FIRST_LINES + index as NodeId,
            parent: None,
            kind: "lines".to_owned(),
            name: query.target.value.clone(),
            address: query.target.value.clone(),
            span,
            selection: Span::at(span.range().start),
            body: None,
            doc: None,
            level: None,
            value: None,
        };
        Ok(Found::Nodes(Nodes { nodes: vec![node], total: 1 }))
    }

    /// What to show of a node.
    ///
    /// # Errors
    ///
    /// Those of [`Document::view`].
    pub fn view(&self, node: NodeId, form: Form) -> Result<View> {
        match self.range(node)? {
            Some(span) => Ok(View::Span(span)),
            None => self.document.view(node, form),
        }
    }

    /// The edits of one operation on the nodes.
    ///
    /// # Errors
    ///
    /// Those of [`Document::edit`]; for `replace_text`, a text that is not there or is there too often.
    pub fn edit(&self, nodes: &[NodeId], operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
        if let Operation::ReplaceText(replacement) = operation {
            return self.replace_text(nodes, replacement);
        }
        if nodes.iter().any(|node| *node >= FIRST_LINES) {
            return self.edit_lines(nodes, operation);
        }
        if let Operation::Replace(content) = operation
            && !options.include_doc
            && self.all_are(nodes, content)?
        {
            return Ok(Vec::new());
        }
        self.document.edit(nodes, operation, options)
    }

    fn range(&self, node: NodeId) -> Result<Option<Span>> {
        let Some(index) = node.checked_sub(FIRST_LINES) else { return Ok(None) };
        match self.ranges.borrow().get(index as usize) {
            Some(span) => Ok(Some(*span)),
            None => Err(fail(FailureKind::InvalidArgument, format!("no node {node}"))),
        }
    }

    /// Whether replacing would change nothing but line endings.
    fn all_are(&self, nodes: &[NodeId], content: &str) -> Result<bool> {
        for node in nodes {
            let View::Span(span) = self.view(*node, Form::Full)? else { return Ok(false) };
            let text = span.of(self.document.text());
            if text != content && !text.lines().eq(content.lines()) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn replace_text(&self, nodes: &[NodeId], replacement: &Replacement) -> Result<Vec<Edit>> {
        if replacement.old.is_empty() {
            return Err(fail(FailureKind::InvalidArgument, "the text to replace is empty"));
        }
        let text = self.document.text();
        let mut edits: Vec<Edit> = Vec::new();
        for node in nodes {
            let View::Span(span) = self.view(*node, Form::Full)? else {
                return Err(fail(FailureKind::Unsupported, "this target has no text of its own"));
            };
            let found = occurrences(span.of(text), &replacement.old);
            check_count(&found, span, text, replacement)?;
            edits.extend(found.iter().map(|range| {
                Edit::new(span.range().start + range.start..span.range().start + range.end, replacement.new.clone())
            }));
        }
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        edits.dedup();
        Ok(edits)
    }

    fn edit_lines(&self, nodes: &[NodeId], operation: &Operation) -> Result<Vec<Edit>> {
        let text = self.document.text();
        let mut edits = Vec::new();
        for node in nodes {
            let Some(span) = self.range(*node)? else {
                return Err(fail(FailureKind::InvalidArgument, "lines and other targets in one operation"));
            };
            let (start, end) = (span.range().start, span.range().end);
            edits.push(match operation {
                Operation::Replace(content) | Operation::ReplaceBody(content) => {
                    Edit::new(span, content.strip_suffix('\n').unwrap_or(content))
                }
                Operation::InsertBefore(content) => Edit::insert(start, with_break(content)),
                Operation::InsertAfter(content) => {
                    Edit::insert(end, format!("\n{}", content.strip_suffix('\n').unwrap_or(content)))
                }
                Operation::Delete => Edit::remove(start..lines::next_line(text, end)),
                Operation::Wrap(Wrapper { before, after }) => {
                    Edit::new(span, format!("{}{}\n{}", with_break(before), span.of(text), after))
                }
                Operation::InsertInto(_) | Operation::ReplaceText(_) => {
                    return Err(fail(FailureKind::Unsupported, "lines have no inside to insert into")
                        .hint("use `insert_before` or `insert_after`"));
                }
            });
        }
        edits.sort_by_key(|edit| edit.span.start);
        Ok(edits)
    }
}

fn with_break(content: &str) -> String {
    if content.ends_with('\n') { content.to_owned() } else { format!("{content}\n") }
}

/// Places of `old`, which may be written with other line endings than the text has.
fn occurrences(text: &str, old: &str) -> Vec<std::ops::Range<usize>> {
    let found = |old: &str| -> Vec<_> { text.match_indices(old).map(|(at, _)| at..at + old.len()).collect() };
    let exact = found(old);
    if !exact.is_empty() || !old.contains('\n') {
        return exact;
    }
    found(&old.replace("\r\n", "\n").replace('\n', lines::line_break(text)))
}

fn check_count(found: &[std::ops::Range<usize>], span: Span, text: &str, replacement: &Replacement) -> Result<()> {
    let shown: String = replacement.old.chars().take(60).collect();
    match found.len() {
        0 => {
            let all = span.of(text).lines().map(str::trim).filter(|line| !line.is_empty());
            let first = replacement.old.trim().lines().next().unwrap_or_default();
            Err(fail(FailureKind::TargetNotFound, format!("the target does not contain `{shown}`"))
                .hint("the text must match exactly, white space included; the candidates are the nearest lines")
                .candidates(crate::nearest(first, all)))
        }
        1 => Ok(()),
        _ if replacement.all => Ok(()),
        n => Err(fail(FailureKind::AmbiguousTarget, format!("`{shown}` occurs {n} times in the target"))
            .hint("give more of the text around it, or `all: true` to replace every occurrence")),
    }
}
