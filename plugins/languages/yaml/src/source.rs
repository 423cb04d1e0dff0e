//! The values of a file as a tree, in which aliases and merge keys are resolved.

use std::{borrow::Cow, collections::BTreeSet};

use marquetry_jsonpath::{Kind as JsonKind, Tree, ValueTable};
use marquetry_sdk::Span;

use crate::{
    scalar::{self, Value},
    table::{Id, Kind, Table},
};

/// The text of a file and its table. Both together describe the values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'d> {
    pub(crate) text: &'d str,
    pub(crate) table: &'d Table,
}

/// A node, and how it was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NodeRef {
    pub(crate) id: Id,
    /// The alias through which the node was reached, or 0 if there is none. If there were several, this is the last
    /// one.
    pub(crate) via_alias: Id,
}

impl<'d> Source<'d> {
    /// Returns whether a node is a text, not another scalar or a collection.
    pub(crate) fn is_text(self, id: Id) -> bool {
        let kind = self.kind_of(id);
        let is_scalar = kind.is_block_scalar() || matches!(kind, Kind::Plain | Kind::SingleQuoted | Kind::DoubleQuoted);
        is_scalar && matches!(scalar::scalar_value(self.text, self.table, id), scalar::Value::String(_))
    }

    /// Returns the node that `$` means: the document, or the stream if there are several documents.
    pub(crate) fn root_id(self) -> Id {
        let mut documents = self.table.children(0);
        match (documents.next(), documents.next()) {
            (Some(only), None) => only,
            _ => 0,
        }
    }

    pub(crate) fn kind_of(self, id: Id) -> Kind {
        self.table.kind(id)
    }

    pub(crate) fn raw(self, id: Id) -> &'d str {
        &self.text[self.table.range(id)]
    }

    /// Returns whether the id is that of a node.
    pub(crate) fn is_node(self, id: Id) -> bool {
        id < self.table.len() && self.table.kind(id) != Kind::Reserved
    }

    /// Returns the span of a value, with its tag, but without an anchor before the tag.
    pub(crate) fn span(self, id: Id) -> Span {
        let range = self.table.range(id);
        let properties = self.table.properties(id);
        let start = if properties.has_tag() { properties.tag.0 as usize } else { range.start };
        Span::new(start, range.end.max(properties.tag.1 as usize))
    }

    /// Returns the span of a value as shown to users.
    ///
    /// An empty value has no text. If it has an anchor, its span is at the anchor. Otherwise, it is before the last
    /// character of its indicator or key. After that character, the last value would appear to follow its collection.
    /// If the value follows the first dash of a sequence, it is after the dash, because it would otherwise appear to
    /// precede the sequence.
    ///
    /// Empty lines at the end of a block scalar that keeps them (`|+`) are shown with their last line break, so that the
    /// text alone has the same value.
    pub(crate) fn shown_span(self, id: Id) -> Span {
        let span = self.with_kept_lines(self.span(id), id);
        if self.table.kind(id) != Kind::Empty || !span.is_empty() || id == self.root_id() {
            return span;
        }
        let properties = self.table.properties(id);
        if properties.has_anchor() {
            return Span::at(properties.anchor.0 as usize);
        }
        let before = &self.text[..span.range().start];
        let last = before.chars().next_back().filter(|c| !c.is_whitespace() && !"[{,".contains(*c));
        let first = id >= 2
            && self.table.kind(id - 2) == Kind::BlockSequence
            && self.table.range(id - 2).start + 1 == before.len();
        let shift = if first || before.ends_with("---") { None } else { last };
        Span::at(before.len() - shift.map_or(0, char::len_utf8))
    }

    /// Returns the span of a node, with the last line break of the empty lines at its end that belong to its value.
    pub(crate) fn with_kept_lines(self, span: Span, id: Id) -> Span {
        let last = self.table.previous(self.table.subtree_end(id));
        let end = span.range().end;
        if !self.keeps_empty_lines(last)
            || self.table.range(last).end != end
            || !self.text[..end].ends_with(['\n', '\r'])
        {
            return span;
        }
        let rest = &self.text[end..];
        let length = if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with(['\n', '\r'])) };
        Span { end: span.end + length as u32, ..span }
    }

    /// Returns whether a value consists only of an application tag, such as `!reset`, so that it may become a
    /// collection.
    pub(crate) fn is_tagged_empty(self, id: Id) -> bool {
        let properties = self.table.properties(id);
        let tag = &self.text[properties.tag.0 as usize..properties.tag.1 as usize];
        let scalar = tag == "!" || tag.starts_with("!<") || (tag.starts_with("!!") && tag != "!!map" && tag != "!!seq");
        self.table.kind(id) == Kind::Empty && properties.has_tag() && !scalar
    }

    /// Returns where a node starts, including its anchor and tag.
    pub(crate) fn start(self, id: Id) -> usize {
        self.table.properties(id).start().unwrap_or(self.table.range(id).start)
    }

    /// Returns the pairs of a mapping: key and value.
    pub(crate) fn pairs(self, mapping: Id) -> Pairs<'d> {
        Pairs { children: self.table.children(mapping) }
    }

    /// Returns the target of an alias. Other nodes are returned unchanged. Returns `None` if the target does not exist.
    fn resolve_alias(self, node: NodeRef) -> Option<NodeRef> {
        let mut node = node;
        while self.table.kind(node.id) == Kind::Alias {
            let target = self.table.extra(node.id);
            if target >= node.id {
                return None;
            }
            node = NodeRef { id: target, via_alias: node.id };
        }
        Some(node)
    }

    /// Returns the name of a key. It is the text of a scalar, or the source of any other node.
    pub(crate) fn key_name(self, key: Id) -> Cow<'d, str> {
        let id = self.resolve_alias(NodeRef { id: key, via_alias: 0 }).map_or(key, |node| node.id);
        if self.table.kind(id).is_collection() {
            Cow::Borrowed(self.raw(id))
        } else {
            scalar::decode_text(self.text, self.table, id)
        }
    }

    fn value(self, node: NodeRef) -> Value<'d> {
        match self.resolve_alias(node) {
            Some(node) if !self.table.kind(node.id).is_collection() => {
                scalar::scalar_value(self.text, self.table, node.id)
            }
            _ => Value::Null,
        }
    }

    /// Returns the mappings that a mapping merges with `<<`.
    fn merged_mappings(self, mapping: NodeRef) -> Vec<NodeRef> {
        let mut out = Vec::new();
        for (key, value) in self.pairs(mapping.id) {
            if self.is_merge(key, value) {
                let value = NodeRef { id: value, via_alias: mapping.via_alias };
                let listed = self.resolve_alias(value).filter(|node| self.table.kind(node.id).is_sequence());
                match listed {
                    Some(list) => {
                        let items = self.table.children(list.id).map(|id| NodeRef { id, via_alias: list.via_alias });
                        out.extend(items.filter_map(|item| self.resolve_alias(item)));
                    }
                    None => out.extend(self.resolve_alias(value)),
                }
            }
        }
        out.retain(|node| self.table.kind(node.id).is_mapping());
        out
    }

    /// Returns whether the pair is a merge key with a value that can be merged.
    fn is_merge(self, key: Id, value: Id) -> bool {
        if self.table.kind(key) != Kind::Plain || self.raw(key) != "<<" {
            return false;
        }
        let is_mapping = |id: Id| {
            self.resolve_alias(NodeRef { id, via_alias: 0 }).is_some_and(|node| self.table.kind(node.id).is_mapping())
        };
        let Some(value) = self.resolve_alias(NodeRef { id: value, via_alias: 0 }) else { return false };
        let kind = self.table.kind(value.id);
        kind.is_mapping() || (kind.is_sequence() && self.table.children(value.id).all(is_mapping))
    }

    /// Returns the members that a mapping has only through `<<`. If several have the same name, only the first is
    /// returned.
    fn inherited_members(self, mapping: NodeRef) -> Vec<(Cow<'d, str>, NodeRef)> {
        let mut waiting = self.merged_mappings(mapping);
        if waiting.is_empty() {
            return Vec::new();
        }
        let own = self.pairs(mapping.id).filter(|(key, value)| !self.is_merge(*key, *value));
        let mut names: BTreeSet<Cow<'d, str>> = own.map(|(key, _)| self.key_name(key)).collect();
        let mut seen = BTreeSet::from([mapping.id]);
        let mut out = Vec::new();
        waiting.reverse();
        while let Some(from) = waiting.pop() {
            if !seen.insert(from.id) {
                continue;
            }
            for (key, value) in self.pairs(from.id) {
                let name = self.key_name(key);
                if !self.is_merge(key, value) && names.insert(name.clone()) {
                    out.push((name, NodeRef { id: value, via_alias: from.via_alias }));
                }
            }
            let mut more = self.merged_mappings(from);
            more.reverse();
            waiting.append(&mut more);
        }
        out
    }

    /// Returns the members that are written in a mapping, except merge keys.
    fn effective_members(self, mapping: NodeRef) -> impl Iterator<Item = (Id, NodeRef)> {
        let pairs = self.pairs(mapping.id).filter(move |(key, value)| !self.is_merge(*key, *value));
        pairs.map(move |(key, id)| (key, NodeRef { id, via_alias: mapping.via_alias }))
    }
}

/// See [`Source::pairs`].
#[derive(Debug, Clone)]
pub(crate) struct Pairs<'d> {
    children: crate::table::Children<'d>,
}

impl Iterator for Pairs<'_> {
    type Item = (Id, Id);

    fn next(&mut self) -> Option<(Id, Id)> {
        Some((self.children.next()?, self.children.next()?))
    }
}

/// The direct children of a collection. In a mapping, each has a key.
#[derive(Debug, Clone)]
pub(crate) enum Entries<'d> {
    Pairs(Pairs<'d>),
    Items(crate::table::Children<'d>),
}

impl Iterator for Entries<'_> {
    type Item = (Option<Id>, Id);

    fn next(&mut self) -> Option<(Option<Id>, Id)> {
        match self {
            Entries::Pairs(pairs) => pairs.next().map(|(key, value)| (Some(key), value)),
            Entries::Items(items) => items.next().map(|item| (None, item)),
        }
    }
}

/// The nodes as they are written in the file. Aliases are leaves.
impl ValueTable for Source<'_> {
    type Key = Id;

    fn entries(&self, container: Id) -> impl Iterator<Item = (Option<Id>, Id)> + Clone {
        if self.table.kind(container).is_mapping() {
            Entries::Pairs(self.pairs(container))
        } else {
            Entries::Items(self.table.children(container))
        }
    }

    fn subtree_end(&self, value: Id) -> Id {
        self.table.subtree_end(value)
    }

    fn name(&self, key: Id) -> Cow<'_, str> {
        self.key_name(key)
    }

    fn is_named(&self, key: Id, name: &str) -> bool {
        // Most keys are plain scalars on one line, which need no decoding.
        let raw = self.raw(key);
        if self.table.kind(key) == Kind::Plain && !raw.contains(['\n', '\r']) {
            raw == name
        } else {
            self.key_name(key) == name
        }
    }
}

/// The values of the file. Aliases and merge keys are resolved.
impl Tree for Source<'_> {
    type Node = NodeRef;

    fn root(&self) -> NodeRef {
        NodeRef { id: self.root_id(), via_alias: 0 }
    }

    fn kind(&self, node: NodeRef) -> JsonKind {
        let Some(meant) = self.resolve_alias(node) else { return JsonKind::Null };
        let kind = self.table.kind(meant.id);
        if kind.is_mapping() {
            return JsonKind::Object;
        }
        if kind.is_sequence() {
            return JsonKind::Array;
        }
        match self.value(meant) {
            Value::Null => JsonKind::Null,
            Value::Boolean(_) => JsonKind::Boolean,
            Value::Number(_) => JsonKind::Number,
            Value::String(_) => JsonKind::String,
        }
    }

    fn children(&self, node: NodeRef) -> impl Iterator<Item = NodeRef> {
        let meant = self.resolve_alias(node);
        let mapping = meant.filter(|node| self.table.kind(node.id).is_mapping());
        let sequence = meant.filter(|node| self.table.kind(node.id).is_sequence());
        let items = sequence
            .into_iter()
            .flat_map(|list| self.table.children(list.id).map(move |id| NodeRef { id, via_alias: list.via_alias }));
        let members = mapping.into_iter().flat_map(|mapping| {
            let inherited = self.inherited_members(mapping).into_iter().map(|(_, value)| value);
            self.effective_members(mapping).map(|(_, value)| value).chain(inherited)
        });
        items.chain(members)
    }

    fn members(&self, node: NodeRef) -> impl Iterator<Item = (Cow<'_, str>, NodeRef)> {
        let mapping = self.resolve_alias(node).filter(|node| self.table.kind(node.id).is_mapping());
        mapping.into_iter().flat_map(|mapping| {
            let own = self.effective_members(mapping).map(|(key, value)| (self.key_name(key), value));
            own.chain(self.inherited_members(mapping))
        })
    }

    fn member(&self, node: NodeRef, name: &str) -> Option<NodeRef> {
        let mapping = self.resolve_alias(node).filter(|node| self.table.kind(node.id).is_mapping())?;
        // A merge key can be addressed by its name `<<`, although it is not a member.
        let own = self.pairs(mapping.id).filter(|(key, _)| self.is_named(*key, name)).last();
        match own {
            Some((_, id)) => Some(NodeRef { id, via_alias: mapping.via_alias }),
            None => self.inherited_members(mapping).into_iter().find(|(key, _)| key == name).map(|(_, value)| value),
        }
    }

    fn element(&self, node: NodeRef, index: usize) -> Option<NodeRef> {
        let list = self.resolve_alias(node).filter(|node| self.table.kind(node.id).is_sequence())?;
        self.table.children(list.id).nth(index).map(|id| NodeRef { id, via_alias: list.via_alias })
    }

    fn count(&self, node: NodeRef) -> usize {
        let Some(meant) = self.resolve_alias(node) else { return 0 };
        if self.table.kind(meant.id).is_sequence() {
            return self.table.extra(meant.id) as usize;
        }
        self.children(meant).count()
    }

    fn text(&self, node: NodeRef) -> Cow<'_, str> {
        match self.value(node) {
            Value::Null => Cow::Borrowed("null"),
            Value::Boolean(value) => Cow::Borrowed(if value { "true" } else { "false" }),
            Value::Number(text) | Value::String(text) => text,
        }
    }

    fn number(&self, node: NodeRef) -> f64 {
        match &*self.text(node) {
            ".inf" => f64::INFINITY,
            "-.inf" => f64::NEG_INFINITY,
            text => text.parse().unwrap_or(f64::NAN),
        }
    }

    fn occurrence(&self, node: NodeRef, name: &str, number: u32) -> Option<NodeRef> {
        let mapping = self.resolve_alias(node).filter(|node| self.table.kind(node.id).is_mapping())?;
        let index = number.checked_sub(1)? as usize;
        let named = self.pairs(mapping.id).filter(|(key, _)| self.is_named(*key, name)).nth(index);
        named.map(|(_, id)| NodeRef { id, via_alias: mapping.via_alias })
    }
}
