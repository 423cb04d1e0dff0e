//! The values of a file as a tree.

use std::borrow::Cow;

use marquetry_jsonpath::{Kind, Location, Tree, ValueTable};

use marquetry_sdk::Span;

use crate::{
    comments,
    table::{Id, Table},
    token,
};

/// The text of a file and its table. Both together describe the values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'d> {
    pub(crate) text: &'d str,
    pub(crate) table: &'d Table,
}

/// A member or element of a container.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Child {
    /// The table entry of the key, if the container is an object.
    pub(crate) key: Option<Id>,
    pub(crate) value: Id,
}

impl<'d> Source<'d> {
    /// Returns whether the value is the list of lines of a JSON Lines file.
    pub(crate) fn is_json_lines(self, id: Id) -> bool {
        self.table.is_json_lines && id == 0
    }

    /// Returns the start of the key of a value; without a key, the start of the value.
    pub(crate) fn entry_start(self, place: &Location<'_, Id>) -> usize {
        self.table.range(place.key.unwrap_or(place.id)).start
    }

    /// Returns the comments that belong to a value.
    pub(crate) fn doc(self, place: &Location<'_, Id>) -> Option<Span> {
        let (parent, _) = place.parent?;
        let inner = self.table.range(parent).start + usize::from(!self.is_json_lines(parent));
        let gap = place.previous.map_or(inner, |before| self.table.range(before).end);
        comments::attached_comments(self.text, gap..self.entry_start(place).max(gap))
    }

    /// Returns the text of an entry.
    pub(crate) fn raw(self, id: Id) -> &'d str {
        &self.text[self.table.range(id)]
    }

    /// Returns the id after a value and its contents.
    pub(crate) fn subtree_end(self, value: Id) -> Id {
        if self.table.is_container(self.text, value) { self.table.subtree_end(value) } else { value + 1 }
    }

    /// Returns the members or elements of a container. A scalar has none.
    pub(crate) fn children_of(self, container: Id) -> Children<'d> {
        let filled = self.table.is_container(self.text, container);
        let (at, end) = if filled { (container + 2, self.table.subtree_end(container)) } else { (0, 0) };
        Children { source: self, at, end }
    }

    /// Returns the name of a member. `key` is the table entry of its key.
    pub(crate) fn name(self, key: Id) -> Cow<'d, str> {
        token::decode_string(self.raw(key))
    }

    /// Returns whether a key has this name. `key` is its table entry.
    pub(crate) fn is_named(self, key: Id, name: &str) -> bool {
        let raw = self.raw(key);
        match raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')) {
            Some(inner) if !inner.contains('\\') => inner == name,
            _ => token::decode_string(raw) == name,
        }
    }
}

/// See [`Source::children_of`].
#[derive(Debug, Clone)]
pub(crate) struct Children<'d> {
    source: Source<'d>,
    at: Id,
    end: Id,
}

impl Iterator for Children<'_> {
    type Item = Child;

    #[inline]
    fn next(&mut self) -> Option<Child> {
        if self.at >= self.end {
            return None;
        }
        let key = (!self.source.table.is_value(self.at)).then_some(self.at);
        let value = if key.is_some() { self.at + 1 } else { self.at };
        self.at = self.source.subtree_end(value);
        Some(Child { key, value })
    }
}

impl ValueTable for Source<'_> {
    type Key = Id;

    fn entries(&self, container: Id) -> impl Iterator<Item = (Option<Id>, Id)> + Clone {
        self.children_of(container).map(|child| (child.key, child.value))
    }

    fn subtree_end(&self, value: Id) -> Id {
        (*self).subtree_end(value)
    }

    fn name(&self, key: Id) -> Cow<'_, str> {
        (*self).name(key)
    }

    fn is_named(&self, key: Id, name: &str) -> bool {
        (*self).is_named(key, name)
    }
}

impl Tree for Source<'_> {
    type Node = Id;

    fn root(&self) -> Id {
        0
    }

    fn kind(&self, node: Id) -> Kind {
        if self.is_json_lines(node) {
            return Kind::Array;
        }
        let raw = self.raw(node);
        match raw.as_bytes().first() {
            None => Kind::Null,
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'-' | b'0'..=b'9') => Kind::Number,
            Some(b't' | b'f') if raw == "true" || raw == "false" => Kind::Boolean,
            Some(b'n') if raw == "null" => Kind::Null,
            // A word that is not valid JSON is treated as a string.
            Some(_) => Kind::String,
        }
    }

    fn children(&self, node: Id) -> impl Iterator<Item = Id> {
        self.children_of(node).map(|child| child.value)
    }

    fn members(&self, node: Id) -> impl Iterator<Item = (Cow<'_, str>, Id)> {
        self.children_of(node).filter_map(|child| Some((self.name(child.key?), child.value)))
    }

    fn member(&self, node: Id, name: &str) -> Option<Id> {
        let named = self.children_of(node).filter(|child| child.key.is_some_and(|key| self.is_named(key, name)));
        named.last().map(|child| child.value)
    }

    fn element(&self, node: Id, index: usize) -> Option<Id> {
        self.children_of(node).nth(index).map(|child| child.value)
    }

    fn count(&self, node: Id) -> usize {
        if self.table.is_container(self.text, node) { self.table.count(node) } else { 0 }
    }

    fn text(&self, node: Id) -> Cow<'_, str> {
        token::decode_string(self.raw(node))
    }

    fn descend(&self, node: Id, visit: &mut dyn FnMut(Id) -> bool) -> bool {
        // The contents of a value have the ids after its own.
        (node..self.subtree_end(node)).filter(|id| self.table.is_value(*id)).all(visit)
    }
}
