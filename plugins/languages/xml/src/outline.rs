//! Nodes for the host: kinds, names, and attached comments.

use marquetry_sdk::{Node, Span, directives, lines};

use crate::{
    address::Addresses,
    chars,
    document::XmlDocument,
    tree::{Id, Kind},
    xpath::nodes::is_namespace,
};

/// Attributes that identify an element among its siblings, most specific first.
pub(crate) const KEY_ATTRIBUTES: [&str; 14] = [
    "id", "xml:id", "x:Name", "x:Key", "name", "Name", "Include", "Update", "Remove", "key", "Key", "match", "path",
    "Path",
];
/// Maximum number of elements in an outline. The host treats an outline with as many nodes as incomplete.
const MAX_NODES: usize = 50_000;
/// Maximum number of characters shown of a key.
const MAX_KEY_CHARS: usize = 60;

impl XmlDocument {
    /// Returns the elements, parents before children. If there are too many elements, the deepest levels are omitted,
    /// and of the last level that is listed, only the first elements are listed.
    pub(crate) fn outline_elements(&self) -> Vec<Node> {
        let (levels, mut rest) = self.outline_levels();
        let mut addresses = Addresses::new(&self.tree, self.labels());
        let mut nodes: Vec<Node> = Vec::new();
        // Ancestors of the element, each with its index in `nodes`.
        let mut above: Vec<(Id, usize)> = Vec::new();
        for id in (1..self.tree.len()).filter(|id| self.tree.kind(*id) == Kind::Element) {
            while above.last().is_some_and(|(element, _)| self.tree.after(*element) <= id) {
                above.pop();
            }
            if above.len() > levels || above.len() == levels && rest == 0 {
                continue;
            }
            if above.len() == levels {
                rest -= 1;
            }
            let parent = above.last().map(|(_, index)| *index);
            let address = addresses.child_address(parent.map_or("/", |index| &nodes[index].address), above.len(), id);
            above.push((id, nodes.len()));
            let mut node = self.node(id, address);
            node.parent = parent.map(|index| index as u32);
            nodes.push(node);
        }
        nodes
    }

    /// Number of levels that an outline contains completely, and number of elements of the next level that fit.
    fn outline_levels(&self) -> (usize, usize) {
        let mut counts: Vec<usize> = Vec::new();
        let mut ends: Vec<Id> = Vec::new();
        for id in (1..self.tree.len()).filter(|id| self.tree.kind(*id) == Kind::Element) {
            while ends.last().is_some_and(|end| *end <= id) {
                ends.pop();
            }
            if counts.len() == ends.len() {
                counts.push(0);
            }
            counts[ends.len()] += 1;
            ends.push(self.tree.after(id));
        }
        let mut rest = MAX_NODES;
        let is_complete = |count: &&usize| {
            let fits = **count <= rest;
            rest -= if fits { **count } else { 0 };
            fits
        };
        let levels = counts.iter().take_while(is_complete).count();
        (levels, rest)
    }

    /// Node with its address.
    pub(crate) fn node(&self, id: Id, address: String) -> Node {
        let span = self.span(id);
        let selection =
            if is_namespace(id) { Span::at(span.range().start) } else { self.tree.name_span(&self.text, id) };
        let own = !self.is_declared_elsewhere(id);
        Node {
            id,
            parent: None,
            kind: self.kind_of(id).to_owned(),
            name: self.display_name(id),
            address,
            span,
            selection,
            body: self.body(id).filter(|_| own),
            doc: if own { self.doc(id) } else { None },
            level: None,
            value: None,
        }
    }

    /// Returns the span of a node. If a namespace has no declaration in the document, its span is the start of the
    /// element.
    pub(crate) fn span(&self, id: Id) -> Span {
        if is_namespace(id) {
            let namespaces = self.namespaces.borrow();
            let node = namespaces.get(id);
            return node.span.unwrap_or_else(|| Span::at(self.tree.span(node.element).range().start));
        }
        self.tree.span(id)
    }

    /// Returns whether the source of the node is in another place: in an entity, in the DTD, or in an ancestor.
    pub(crate) fn is_declared_elsewhere(&self, id: Id) -> bool {
        if is_namespace(id) {
            let namespaces = self.namespaces.borrow();
            let node = namespaces.get(id);
            return !node.is_declared_here
                || node.span.is_none_or(|span| span.start < self.tree.span(node.element).start);
        }
        self.tree.is_from_entity(id) || self.tree.is_default(id)
    }

    fn kind_of(&self, id: Id) -> &'static str {
        if is_namespace(id) {
            return "namespace";
        }
        match self.tree.kind(id) {
            Kind::Document => "document",
            Kind::Element => "element",
            Kind::Attribute => "attribute",
            Kind::Text => "text",
            Kind::Comment => "comment",
            Kind::Instruction => "processing-instruction",
        }
    }

    /// Returns the display name of a node. For an element, it includes the attribute that identifies the element.
    fn display_name(&self, id: Id) -> String {
        if is_namespace(id) {
            return self.namespaces.borrow().get(id).prefix.to_string();
        }
        let name = self.tree.written_name(id).to_owned();
        if self.tree.kind(id) != Kind::Element {
            return name;
        }
        let Some((key, value)) = self.key_attribute(id) else { return name };
        let shown: String = value.chars().take(MAX_KEY_CHARS).collect();
        if key.ends_with("id") { format!("{name} #{shown}") } else { format!("{name} \"{shown}\"") }
    }

    /// Returns the attribute that identifies an element among its siblings, and its value.
    pub(crate) fn key_attribute(&self, id: Id) -> Option<(&'static str, std::borrow::Cow<'_, str>)> {
        let place = |attribute: Id| KEY_ATTRIBUTES.iter().position(|key| *key == self.tree.written_name(attribute));
        let best = self.tree.attributes(id).filter_map(|attribute| Some((place(attribute)?, attribute))).min()?;
        let value = self.tree.value(&self.text, best.1);
        (!value.is_empty()).then_some((KEY_ATTRIBUTES[best.0], value))
    }

    /// Range that `replace_body` replaces.
    pub(crate) fn body(&self, id: Id) -> Option<Span> {
        let span = self.span(id);
        if is_namespace(id) {
            return Some(crate::tree::Tree::value_span(&self.text, span));
        }
        let source = span.slice(&self.text);
        let within = |open: &str, close: &str| {
            let inside = source.strip_prefix(open)?.strip_suffix(close)?;
            let start = span.range().start + open.len();
            Some(Span::new(start, start + inside.len()))
        };
        match self.tree.kind(id) {
            Kind::Document => None,
            Kind::Element => self.tree.body(&self.text, id),
            Kind::Attribute => Some(crate::tree::Tree::value_span(&self.text, span)),
            Kind::Comment => within("<!--", "-->"),
            Kind::Instruction => {
                let end = self.tree.name_span(&self.text, id).range().end;
                let start = chars::skip_space(self.text.as_bytes(), end).min(span.range().end);
                let end = within("<?", "?>")?.range().end;
                (start <= end).then(|| Span::new(start, end))
            }
            Kind::Text => {
                let section = within("<![CDATA[", "]]>").filter(|inner| !inner.slice(&self.text).contains("]]>"));
                section.or_else(|| {
                    let trimmed = chars::trim(source);
                    let start =
                        span.range().start + (source.len() - source.trim_start_matches([' ', '\t', '\n', '\r']).len());
                    (!trimmed.is_empty()).then(|| Span::new(start, start + trimmed.len()))
                })
            }
        }
    }

    /// Returns the span of the comments directly above an element, if they describe only that element. The heading of a
    /// group of elements and commented-out markup do not count.
    pub(crate) fn doc(&self, id: Id) -> Option<Span> {
        let tree = &self.tree;
        if is_namespace(id) || tree.kind(id) != Kind::Element || tree.parent(id) == Some(0) {
            return None;
        }
        let mut first = None;
        let mut at = id;
        while let Some(comment) = self.comment_above(at) {
            first = Some(comment);
            at = comment;
        }
        let doc = Span::new(tree.span(first?).range().start, tree.span(tree.previous_sibling(id)?).range().start);
        let next = tree.next_sibling(id);
        let next_element = next
            .filter(|next| tree.kind(*next) == Kind::Text && self.blank_line_breaks(*next) == Some(1))
            .and_then(|gap| tree.next_sibling(gap));
        let heads_a_group = next_element.is_some_and(|next| tree.kind(next) == Kind::Element);
        (!heads_a_group).then_some(doc)
    }

    /// Comment on the lines directly above a node.
    fn comment_above(&self, id: Id) -> Option<Id> {
        let tree = &self.tree;
        let gap = tree
            .previous_sibling(id)
            .filter(|gap| tree.kind(*gap) == Kind::Text && self.blank_line_breaks(*gap) == Some(1))?;
        let comment = tree.previous_sibling(gap).filter(|comment| tree.kind(*comment) == Kind::Comment)?;
        let span = tree.span(comment);
        let is_markup = span.slice(&self.text)[4..].contains('<');
        let is_apart = is_markup || directives::is_about_region(span.slice(&self.text));
        (!is_apart && !tree.is_from_entity(comment) && lines::starts_line(&self.text, span.range().start))
            .then_some(comment)
    }

    /// Returns the number of line breaks in a text node, or `None` if it contains more than white space.
    pub(crate) fn blank_line_breaks(&self, text: Id) -> Option<usize> {
        let source = self.tree.span(text).slice(&self.text);
        chars::is_blank(source)
            .then(|| source.lines().count().saturating_sub(usize::from(!source.ends_with(['\n', '\r']))))
    }
}
