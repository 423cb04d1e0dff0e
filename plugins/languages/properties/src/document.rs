//! An open file: its outline, its targets, and the views of its nodes. The operations that change it are in `edit`.

use std::borrow::Cow;

use marquetry_sdk::{
    Diagnostic, Document, Edit, EditOptions, Failure, FailureKind, FindResult, Form, Node, NodeId, Nodes, Operation,
    Query, Result, Span, Target, TargetKind, View, fail, lines,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    dialect::{self, Dialect},
    edit,
    keys::unescaped_key,
    parse::{Item, Parsed, parse},
};

/// Address of the entries above the first section.
pub(crate) const TOP_ADDRESS: &str = ".";

/// An open file. A node's id is the index of its item.
#[derive(Debug)]
pub struct PropertiesDocument {
    text: String,
    dialect: &'static Dialect,
    parsed: Parsed,
    /// The items whose path is not unique, sorted by index. Each has its unique address.
    numbered_addresses: Vec<(usize, String)>,
}

impl PropertiesDocument {
    pub(crate) fn new(path: &str, text: String) -> PropertiesDocument {
        let dialect = dialect::for_path(path);
        let parsed = parse(&text, dialect);
        let numbered_addresses = number_duplicates(&parsed.items);
        PropertiesDocument { text, dialect, parsed, numbered_addresses }
    }

    pub(crate) fn dialect(&self) -> &'static Dialect {
        self.dialect
    }

    pub(crate) fn items(&self) -> &[Item] {
        &self.parsed.items
    }

    /// Returns the address that matches only this item.
    pub(crate) fn address(&self, index: usize) -> Cow<'_, str> {
        match self.numbered_addresses.binary_search_by_key(&index, |(index, _)| *index) {
            Ok(found) => Cow::Borrowed(&self.numbered_addresses[found].1),
            Err(_) => item_path(self.items(), index),
        }
    }

    /// Returns the item of a node id and its index.
    pub(crate) fn item(&self, node: NodeId) -> Result<(usize, &Item)> {
        let index = node as usize;
        let item = self.items().get(index);
        Ok((index, item.ok_or_else(|| fail(FailureKind::InvalidArgument, format!("no node {node}")))?))
    }

    fn node(&self, index: usize) -> Node {
        let item = &self.items()[index];
        let span = item.span();
        Node {
            id: index as NodeId,
            parent: None,
            kind: if item.is_section() { "section" } else { "property" }.to_owned(),
            name: item.name.clone(),
            address: if index == 0 { TOP_ADDRESS.to_owned() } else { self.address(index).into_owned() },
            span,
            selection: Span::at(span.range().start),
            body: (!item.is_section() || !item.value.is_empty()).then_some(item.inner),
            doc: item.doc,
            level: None,
            value: None,
        }
    }

    /// Returns the item with this numbered address. If there is none, returns all items with this path.
    pub(crate) fn items_named(&self, wanted: &str) -> Vec<usize> {
        if let Some((index, _)) = self.numbered_addresses.iter().find(|(_, address)| address == wanted) {
            return vec![*index];
        }
        let named: Vec<usize> =
            (1..self.items().len()).filter(|index| has_path(self.items(), *index, wanted)).collect();
        let is_own = |index: &usize| self.numbered_addresses.binary_search_by_key(index, |(index, _)| *index).is_err();
        if wanted == TOP_ADDRESS && !named.iter().any(is_own) {
            return vec![0];
        }
        match unbracketed_address(wanted) {
            // The name of a section can be written like its header: `[*.md]` for `*.md`.
            Some(address) if named.is_empty() => {
                let found = self.items_named(&address).into_iter().filter(|index| *index > 0);
                let is_section = wanted.ends_with(']');
                found.filter(|index| self.items()[*index].is_section() == is_section).collect()
            }
            _ if named.is_empty() => self.items_meaning(wanted),
            _ => named,
        }
    }

    /// Returns the entries whose key means this name, although it is written with escapes.
    fn items_meaning(&self, wanted: &str) -> Vec<usize> {
        let means = |index: &usize| match item_path(self.items(), *index) {
            path if path.contains('\\') => unescaped_key(&path, self.dialect) == wanted,
            _ => false,
        };
        (1..self.items().len()).filter(means).collect()
    }

    /// Returns the key if the name has the form of an address with a number, `key[2]`, and there are fewer of these keys.
    pub(crate) fn numbered_key<'w>(&self, wanted: &'w str) -> Option<&'w str> {
        let (key, number) = wanted.strip_suffix(']')?.rsplit_once('[')?;
        let is_known = !key.is_empty() && number.parse::<usize>().is_ok() && !self.items_named(key).is_empty();
        is_known.then_some(key)
    }

    pub(crate) fn not_found(&self, wanted: &str) -> Failure {
        let known: Vec<Cow<'_, str>> = (1..self.items().len()).map(|index| self.address(index)).collect();
        let failure = Failure::not_found("key", wanted, known.iter().map(AsRef::as_ref));
        match wanted.strip_prefix("$.") {
            // Most other data formats use JSONPath, so users are likely to write `$.key`.
            Some(key) if !self.items_named(key).is_empty() => {
                fail(FailureKind::InvalidTarget, format!("not a key: `{wanted}`"))
                    .hint("write keys as they appear in the file, not as JSONPath")
                    .candidates([key.to_owned()])
            }
            _ => failure,
        }
    }
}

impl Item {
    pub(crate) fn is_section(&self) -> bool {
        self.section.is_none()
    }

    /// Returns whether the item is a key without a separator and a value.
    pub(crate) fn is_bare(&self) -> bool {
        self.whole.len() == self.name.len()
    }

    /// The span that a target addresses: the whole section, or the value of an entry.
    pub(crate) fn span(&self) -> Span {
        if self.is_section() { self.whole } else { self.value }
    }
}

/// The path of an item: `section.key`. Several items can have the same path.
pub(crate) fn item_path(items: &[Item], index: usize) -> Cow<'_, str> {
    let item = &items[index];
    match item.section {
        None | Some(0) => Cow::Borrowed(&item.name),
        Some(section) => Cow::Owned(format!("{}.{}", items[section].name, item.name)),
    }
}

/// Converts `[section]` and `[section].key`, where the section is written like its header, to an address without
/// brackets.
fn unbracketed_address(wanted: &str) -> Option<String> {
    let rest = wanted.strip_prefix('[')?;
    let (name, key) = match rest.strip_suffix(']') {
        Some(name) => (name, None),
        None => rest.rsplit_once("].").map(|(name, key)| (name, Some(key)))?,
    };
    let name = name.trim();
    (!name.is_empty()).then(|| key.map_or_else(|| name.to_owned(), |key| format!("{name}.{key}")))
}

/// Returns whether the item has this path.
fn has_path(items: &[Item], index: usize, wanted: &str) -> bool {
    let item = &items[index];
    let rest = match item.section {
        None | Some(0) => Some(wanted),
        Some(section) => wanted.strip_prefix(items[section].name.as_str()).and_then(|rest| rest.strip_prefix('.')),
    };
    rest == Some(item.name.as_str())
}

/// Returns addresses for the items whose path is not unique. Such an address is the path with a number: `key[2]`.
fn number_duplicates(items: &[Item]) -> Vec<(usize, String)> {
    let mut paths = String::new();
    let mut ends = vec![0];
    for item in &items[1..] {
        if let Some(section) = item.section.filter(|section| *section > 0) {
            paths.extend([items[section].name.as_str(), "."]);
        }
        paths.push_str(&item.name);
        ends.push(paths.len());
    }
    let path = |index: usize| &paths[ends[index - 1]..ends[index]];
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    counts.reserve(items.len());
    (1..items.len()).for_each(|index| *counts.entry(path(index)).or_default() += 1);
    if counts.len() + 1 == items.len() {
        return Vec::new();
    }
    let mut taken: FxHashSet<String> = FxHashSet::default();
    let mut seen: FxHashMap<&str, usize> = FxHashMap::default();
    let mut numbered = Vec::new();
    for index in (1..items.len()).filter(|index| counts[path(*index)] > 1) {
        let number = seen.entry(path(index)).or_default();
        *number += 1;
        let mut address = format!("{}[{number}]", path(index));
        // A key in the file can also have a name such as `list[1]`.
        while counts.contains_key(address.as_str()) || !taken.insert(address.clone()) {
            address += &format!("[{number}]");
        }
        numbered.push((index, address));
    }
    numbered
}

impl Document for PropertiesDocument {
    fn text(&self) -> &str {
        &self.text
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.parsed.problems.clone()
    }

    fn outline(&self) -> Vec<Node> {
        // The section without a header has no node, so a node's index in the list is the index of its item minus 1.
        let parent = |index: usize| self.items()[index].section.filter(|section| *section > 0);
        let node = |index| Node { parent: parent(index).map(|section| section as u32 - 1), ..self.node(index) };
        (1..self.items().len()).map(node).collect()
    }

    fn find(&self, query: &Query) -> Result<FindResult> {
        let wanted = query.target.value.as_str();
        if query.target.kind != TargetKind::Path {
            return Err(Failure::unsupported_target("key-value", query.target.kind)
                .hint("address an entry by its key: `path` with `key` or `section.key`"));
        }
        let indices = self.items_named(wanted);
        if indices.is_empty() {
            return Err(self.not_found(wanted));
        }
        let nodes = indices.iter().take(query.limit as usize).map(|index| self.node(*index)).collect();
        Ok(FindResult::Nodes(Nodes { nodes, total: indices.len() as u32 }))
    }

    fn view(&self, node: NodeId, form: Form) -> Result<View> {
        let (index, item) = self.item(node)?;
        let first_line = || lines::line_end(&self.text, item.whole.range().start).min(item.whole.range().end);
        Ok(match form {
            Form::Full => View::Span(item.span()),
            Form::Body => View::Span(item.inner),
            Form::Signature => View::Span(Span::new(item.whole.range().start, first_line())),
            Form::Summary if item.is_section() => {
                let keys = self.items().iter().filter(|entry| entry.section == Some(index));
                View::Text(keys.map(|entry| format!("{}\n", entry.name)).collect())
            }
            Form::Summary => View::Span(item.whole),
        })
    }

    fn insert_missing(&self, target: &Target, content: &str) -> Result<Vec<Edit>> {
        if target.kind != TargetKind::Path || !self.items_named(&target.value).is_empty() {
            return Err(fail(FailureKind::InvalidArgument, format!("`{}` is not a new key", target.value))
                .hint("give a key that does not exist yet, or use `replace`"));
        }
        edit::insert_missing(self, &target.value, content)
    }

    fn edit(&self, nodes: &[NodeId], operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
        edit::edit(self, nodes, operation, options)
    }
}
