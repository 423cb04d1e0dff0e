//! Inserts elements and text into the tree.

use std::borrow::Cow;

use super::arena::DOCUMENT;
use super::{Builder, Code, Content, Flow, Mode, NONE, Name, Namespace, Node, Tag, Token, decode};

impl Builder<'_> {
    /// Returns the insertion position: a parent, and the child before which to insert. In a table, it can be before the
    /// table.
    pub(super) fn insertion_point(&self, target: Option<u32>) -> (u32, u32) {
        let target = target.or(self.open.last().copied()).unwrap_or(DOCUMENT);
        let in_table = self.foster
            && self.node(target).namespace == Namespace::HTML
            && matches!(self.node(target).name, Name::TABLE | Name::TBODY | Name::TFOOT | Name::THEAD | Name::TR);
        if !in_table {
            return (target, NONE);
        }
        let last = |name| self.open.iter().rposition(|node| self.is_html(*node, name));
        let (template, table) = (last(Name::TEMPLATE), last(Name::TABLE));
        if let Some(template) = template
            && table.is_none_or(|table| table < template)
        {
            return (self.open[template], NONE);
        }
        let Some(table) = table else { return (self.open.first().copied().unwrap_or(DOCUMENT), NONE) };
        let parent = self.node(self.open[table]).parent;
        if parent != NONE {
            return (parent, self.open[table]);
        }
        (self.open[table.saturating_sub(1)], NONE)
    }

    /// Creates an element for the tag, without a parent.
    pub(super) fn create(&mut self, tag: &Tag, name: Name, namespace: Namespace) -> u32 {
        let mut node = Node::new(name, namespace);
        node.implied = false;
        node.open = tag.span;
        node.attributes = (tag.attributes.start, tag.attributes.end - tag.attributes.start);
        self.arena.add(node)
    }

    /// Creates a copy of an element. The copy has no tags in the text.
    pub(super) fn copy(&mut self, of: u32) -> u32 {
        let source = self.node(of);
        let mut node = Node::new(source.name, source.namespace);
        node.attributes = source.attributes;
        self.copies += 1;
        self.arena.add(node)
    }

    fn open_at_insertion_point(&mut self, node: u32) -> u32 {
        let (parent, before) = self.insertion_point(None);
        self.arena.insert(node, parent, before);
        self.push(node);
        node
    }

    /// Inserts the element of a start tag.
    pub(super) fn insert(&mut self, tag: &Tag) -> u32 {
        let node = self.create(tag, tag.name, Namespace::HTML);
        self.open_at_insertion_point(node)
    }

    pub(super) fn insert_foreign(&mut self, tag: &Tag, name: Name, namespace: Namespace) {
        let node = self.create(tag, name, namespace);
        self.open_at_insertion_point(node);
        if tag.self_closing {
            self.pop_empty();
        }
    }

    /// Inserts the element of a start tag that has no content.
    pub(super) fn insert_void(&mut self, tag: &Tag) {
        self.insert(tag);
        self.pop_empty();
    }

    /// Inserts an element that has no tags in the text.
    pub(super) fn insert_implied(&mut self, name: Name) -> u32 {
        let node = self.arena.add(Node::new(name, Namespace::HTML));
        self.open_at_insertion_point(node)
    }

    pub(super) fn insert_copy(&mut self, of: u32) -> u32 {
        let node = self.copy(of);
        self.open_at_insertion_point(node)
    }

    /// Inserts the element of a start tag whose content is raw text.
    pub(super) fn insert_raw(&mut self, tag: &Tag, content: Content) -> Flow {
        self.insert(tag);
        self.tokenizer.switch(content, tag);
        self.original_mode = self.mode;
        self.mode = Mode::Text;
        Flow::Done
    }

    /// Records that the parent at the insertion position contains text.
    pub(super) fn insert_text(&mut self) {
        let (parent, _) = self.insertion_point(None);
        if parent != DOCUMENT {
            self.arena.nodes[parent as usize].has_text = true;
        }
    }

    /// Value of an attribute of a tag.
    pub(super) fn tag_attribute_value(&self, tag: &Tag, name: &str) -> Option<Cow<'_, str>> {
        self.attribute_value_in((tag.attributes.start, tag.attributes.end - tag.attributes.start), name)
    }

    pub(super) fn attribute_value_in(&self, (first, count): (u32, u32), name: &str) -> Option<Cow<'_, str>> {
        let text = self.tokenizer.text;
        let attributes = &self.tokenizer.attributes[first as usize..(first + count) as usize];
        let found = attributes.iter().find(|attribute| attribute.name.slice(text).eq_ignore_ascii_case(name))?;
        Some(found.value.map_or(Cow::Borrowed(""), |value| decode::attribute(value.slice(text))))
    }

    /// Adds the missing attributes of a repeated `html` or `body` tag to the existing element.
    pub(super) fn add_attributes(&mut self, node: u32, tag: &Tag) {
        self.acknowledged = true;
        self.report(Code::StrayStartTag, tag.span);
        let text = self.tokenizer.text;
        let (first, count) = self.node(node).attributes;
        let attributes = &mut self.tokenizer.attributes;
        let own = attributes[first as usize..(first + count) as usize].to_vec();
        let mut all = own.clone();
        for attribute in &attributes[tag.attributes.start as usize..tag.attributes.end as usize] {
            let name = attribute.name.slice(text);
            if !own.iter().any(|own| own.name.slice(text).eq_ignore_ascii_case(name)) {
                all.push(*attribute);
            }
        }
        if all.len() > own.len() {
            self.arena.nodes[node as usize].attributes = (attributes.len() as u32, all.len() as u32);
            attributes.append(&mut all);
        }
    }

    /// Processes content that is not allowed directly in a table. It is moved before the table (foster parenting).
    pub(super) fn foster(&mut self, token: &Token) -> Flow {
        if matches!(token, Token::Start(_) | Token::Text(_)) {
            self.report(Code::BareInTable, self.current_span);
        }
        self.foster = true;
        let flow = self.in_body(token);
        self.foster = false;
        flow
    }
}
