//! Edit operations for each kind of node.

mod attribute;
mod content;
mod create;
mod element;
mod siblings;

use std::collections::BTreeMap;

use marquetry_sdk::{
    Edit, EditOptions, Failure, FailureKind, NodeId, Operation, Result, Span, Wrapper, fail, indent, lines,
};

use crate::{
    document::{DECLARATION, XmlDocument},
    tree::{Id, Kind},
    xpath::nodes::is_namespace,
};
use attribute::Tag;
use content::Content;
use siblings::Siblings;

impl XmlDocument {
    /// Returns the edits for one operation on all of these nodes.
    pub(crate) fn operation_edits(
        &self,
        nodes: &[NodeId],
        operation: &Operation,
        options: EditOptions,
    ) -> Result<Vec<Edit>> {
        let mut ids = nodes.to_vec();
        ids.sort_unstable();
        ids.dedup();
        for id in &ids {
            self.known_span(*id)?;
            self.check_editable(*id)?;
        }
        let mut edits = match operation {
            Operation::Delete => self.delete_nodes(&ids, options)?,
            Operation::InsertBefore(content) => self.insert_beside_all(&ids, content, true, operation, options)?,
            Operation::InsertAfter(content) => self.insert_beside_all(&ids, content, false, operation, options)?,
            _ => {
                self.check_not_nested(&ids, operation)?;
                let mut edits = Vec::new();
                for id in &ids {
                    edits.append(&mut self.edit_node(*id, operation, options)?);
                }
                edits
            }
        };
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        if matches!(operation, Operation::Delete) {
            edits = merge_edits(edits);
        }
        Ok(edits)
    }

    /// Fails if the node has no source text at its place in the document, so that it cannot be edited there. Such a
    /// node comes from another element, the DTD or an entity.
    fn check_editable(&self, id: Id) -> Result<()> {
        if id >= DECLARATION || !self.is_declared_elsewhere(id) {
            return Ok(());
        }
        let (message, hint) = if is_namespace(id) {
            (
                "this namespace is declared elsewhere",
                "select the element that declares it: its address ends with the same `namespace::` step",
            )
        } else if self.tree.is_default(id) {
            (
                "this attribute is a default value from the DTD",
                "use `insert_into` on the element with `name=\"value\"`, or edit the region `doctype`",
            )
        } else {
            ("this node comes from an entity", "edit the declaration of the entity, in the region `doctype`")
        };
        Err(Failure::unsupported(message).hint(hint))
    }

    /// Fails if the operation replaces or wraps whole nodes and some of them are nested in others.
    fn check_not_nested(&self, ids: &[Id], operation: &Operation) -> Result<()> {
        if matches!(operation, Operation::InsertBefore(_) | Operation::InsertAfter(_) | Operation::InsertInto(_)) {
            return Ok(());
        }
        let mut spans: Vec<Span> = ids.iter().map(|id| self.span_of(*id)).collect();
        spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        let mut end = 0;
        for span in spans {
            if span.range().start < end {
                return Err(fail(FailureKind::InvalidTarget, "some of the nodes are nested in others")
                    .hint("select only the outer or only the inner nodes")
                    .at(span));
            }
            end = end.max(span.range().end);
        }
        Ok(())
    }

    fn span_of(&self, id: Id) -> Span {
        self.known_span(id).unwrap_or(Span::at(0))
    }

    fn edit_node(&self, id: Id, operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
        if id >= DECLARATION {
            return self.edit_region(id, operation);
        }
        if is_namespace(id) || self.tree.kind(id) == Kind::Attribute {
            return self.edit_attribute(id, operation);
        }
        match (self.tree.kind(id), operation) {
            (Kind::Document, Operation::Replace(content)) => Ok(vec![Edit::new(self.tree.span(id), &**content)]),
            (Kind::Document, _) => Err(Failure::unsupported("the document itself can only be replaced")
                .hint("select its root element: `/*`, or the region `root`")),
            (_, Operation::Replace(content)) => {
                let mut span = self.tree.span(id);
                if options.include_doc
                    && let Some(doc) = self.doc(id)
                {
                    span.start = doc.start;
                }
                Ok(vec![self.replace_node(id, span, content)])
            }
            (Kind::Element, Operation::ReplaceBody(content)) => self.replace_content(id, content),
            (_, Operation::ReplaceBody(content)) => match self.body(id) {
                Some(body) => Ok(vec![Edit::new(body, &**content)]),
                None => Ok(vec![Edit::new(self.tree.span(id), &**content)]),
            },
            (Kind::Element, Operation::InsertInto(insertion)) => self.insert_content(id, insertion),
            (_, Operation::InsertInto(_)) => Err(Failure::unsupported("only elements can be inserted into")
                .hint("use `replace_body`, `insert_before` or `insert_after`")),
            (_, Operation::Wrap(wrapper)) => Ok(self.wrap_node(id, wrapper)),
            // `operation_edits` handles these operations.
            (_, Operation::InsertBefore(_) | Operation::InsertAfter(_) | Operation::Delete) => Ok(Vec::new()),
        }
    }

    /// Inserts content before or after each of the nodes. The children of each parent are read only once.
    fn insert_beside_all(
        &self,
        ids: &[Id],
        content: &str,
        before: bool,
        operation: &Operation,
        options: EditOptions,
    ) -> Result<Vec<Edit>> {
        let mut edits = Vec::new();
        let mut by_parent: BTreeMap<Id, Vec<Id>> = BTreeMap::new();
        for id in ids.iter().copied() {
            if id >= DECLARATION || is_namespace(id) || matches!(self.tree.kind(id), Kind::Attribute | Kind::Document) {
                edits.append(&mut self.edit_node(id, operation, options)?);
            } else if self.tree.kind(id) == Kind::Text {
                let span = self.tree.span(id).range();
                edits.push(Edit::insert(if before { span.start } else { span.end }, content));
            } else {
                by_parent.entry(self.tree.parent(id).unwrap_or(0)).or_default().push(id);
            }
        }
        let (content, unit) = (Content::for_document(&self.text, content), indent::unit(&self.text));
        for (parent, children) in by_parent {
            if parent == 0 && content.first_element().is_some() && !options.force {
                return Err(Failure::unsupported(
                    "a document has one root element: only comments and processing instructions are allowed next to it",
                )
                .hint("use `insert_into` on the root element, or `wrap` it"));
            }
            let siblings = Siblings::new(self, parent, self.children_span(parent), &unit);
            for id in children {
                edits.append(&mut siblings.insert_beside(id, &content, before));
            }
        }
        Ok(edits)
    }

    /// Span of the children of a node.
    fn children_span(&self, parent: Id) -> Span {
        let whole = self.tree.span(parent);
        if parent == 0 {
            return whole;
        }
        self.tree
            .body(&self.text, parent)
            .unwrap_or_else(|| Span::new(self.tree.tag_end(&self.text, parent), whole.range().end))
    }

    fn edit_attribute(&self, id: Id, operation: &Operation) -> Result<Vec<Edit>> {
        let span = self.span(id);
        match operation {
            Operation::Replace(content) => Ok(vec![attribute::replace(&self.text, span, content)]),
            Operation::ReplaceBody(content) => Ok(vec![attribute::replace_value(&self.text, span, content)]),
            Operation::InsertBefore(content) | Operation::InsertAfter(content) => {
                let Some(attributes) = content::parse_attributes(content) else {
                    return Err(fail(FailureKind::InvalidArgument, "only attributes can be next to an attribute")
                        .hint("write the content as `name=\"value\"`"));
                };
                let element = if is_namespace(id) {
                    self.namespaces.borrow().get(id).element
                } else {
                    self.tree.parent(id).unwrap_or(0)
                };
                let tag = Tag::new(self, element);
                let index = tag.attributes.iter().position(|(_, other)| *other == span).unwrap_or(0);
                let behind = usize::from(matches!(operation, Operation::InsertAfter(_)));
                Ok(vec![tag.insert_at(index + behind, &attributes)])
            }
            _ => Err(Failure::unsupported("an attribute cannot be wrapped or inserted into")
                .hint("use `replace` with a value or `name=\"value\"`, `insert_before`, `insert_after` or `delete`")),
        }
    }

    fn edit_region(&self, id: Id, operation: &Operation) -> Result<Vec<Edit>> {
        let span = self.span_of(id);
        match operation {
            Operation::Replace(content) => Ok(vec![Edit::new(span, &**content)]),
            Operation::InsertAfter(content) => Ok(vec![Edit::insert(span.range().end, format!("\n{}", content.trim_end()))]),
            Operation::InsertBefore(content) if id != DECLARATION => {
                Ok(vec![Edit::insert(span.range().start, format!("{}\n", content.trim_end()))])
            }
            Operation::Wrap(Wrapper { .. }) | Operation::InsertBefore(_) => {
                Err(Failure::unsupported("the XML declaration must be at the very beginning, and neither it nor the document type can be wrapped")
                    .hint("use `replace`, `insert_after` or `delete`"))
            }
            _ => Err(Failure::unsupported("this region can only be replaced as a whole").hint("use `replace`, `insert_after` or `delete`")),
        }
    }

    fn delete_nodes(&self, ids: &[Id], options: EditOptions) -> Result<Vec<Edit>> {
        let mut edits = Vec::new();
        let mut by_parent: BTreeMap<Id, Vec<Id>> = BTreeMap::new();
        let mut end = 0;
        for id in ids.iter().copied() {
            let span = self.span_of(id);
            if id >= DECLARATION {
                edits.push(self.delete_lines(span));
            } else if is_namespace(id) || self.tree.kind(id) == Kind::Attribute {
                if span.range().start >= end {
                    edits.push(attribute::delete(&self.text, span));
                }
            } else if span.range().start >= end {
                end = span.range().end; // nodes nested in this one are deleted with it
                match self.tree.kind(id) {
                    Kind::Document => {
                        return Err(
                            Failure::unsupported("the document itself cannot be deleted").hint("delete the file")
                        );
                    }
                    Kind::Text => edits.push(Edit::remove(span)),
                    _ => by_parent.entry(self.tree.parent(id).unwrap_or(0)).or_default().push(id),
                }
            }
        }
        for (parent, children) in by_parent {
            if parent == 0 && !options.force && self.tree.root().is_some_and(|root| children.contains(&root)) {
                return Err(Failure::unsupported("a document needs its root element")
                    .hint("use `replace`, or `replace_body` with an empty content"));
            }
            let unit = indent::unit(&self.text);
            edits.append(&mut Siblings::new(self, parent, self.children_span(parent), &unit).delete(&children));
        }
        Ok(edits)
    }

    /// Deletes a span, with its line if nothing else is on it.
    fn delete_lines(&self, span: Span) -> Edit {
        let (start, end) = (span.range().start, span.range().end);
        if lines::starts_line(&self.text, start) && lines::ends_line(&self.text, end) {
            return Edit::remove(lines::line_start(&self.text, start)..lines::next_line(&self.text, end));
        }
        Edit::remove(span)
    }
}

/// Merges overlapping deletions. They overlap if an element is deleted with its line, because that includes the white
/// space around it.
fn merge_edits(edits: Vec<Edit>) -> Vec<Edit> {
    let mut joined: Vec<Edit> = Vec::with_capacity(edits.len());
    for edit in edits {
        match joined.last_mut().filter(|last| edit.span.start < last.span.end) {
            Some(last) => last.span.end = last.span.end.max(edit.span.end),
            None => joined.push(edit),
        }
    }
    joined
}
