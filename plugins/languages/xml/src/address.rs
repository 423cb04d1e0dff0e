//! Addresses: a unique XPath for each node.
//!
//! An address such as `/root/p:item[3]/@id` uses the prefixes of the document, and gives a position only where the name
//! alone is ambiguous. `_` is the prefix of the default namespace if unprefixed names cannot refer to it. An element
//! whose namespace has no prefix is addressed by its position (`*[2]`). A deeply nested element is addressed by its
//! position in the whole document (`(//*)[77]`), so that the total length of all addresses is linear in the size of the
//! document.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

use crate::{
    tree::{Id, Kind, Tree, names},
    xpath::nodes::{NamespaceNodes, is_namespace},
};

/// Reserved prefix of the default namespace.
pub(crate) const DEFAULT_PREFIX: &str = "_";
/// Depth from which elements are addressed by their position in the whole document.
const DEEP_LEVEL: usize = 32;
/// Group that contains all elements, regardless of their names. It is used for elements that are addressed as `*`.
const ALL_ELEMENTS: u32 = u32::MAX;

/// Prefixes that XPaths on a document can use.
#[derive(Debug)]
pub(crate) struct Prefixes {
    /// Namespace of each prefix. If the document declares a prefix more than once, the first declaration counts.
    pub bound: FxHashMap<Box<str>, u32>,
    /// Default namespace of the root element, or else the first default namespace declared.
    pub default: Option<u32>,
    /// Prefix of each namespace that has one.
    by_namespace: FxHashMap<u32, Box<str>>,
}

impl Prefixes {
    /// Collects the prefixes of a document.
    pub(crate) fn new(tree: &Tree) -> Prefixes {
        let mut bound: FxHashMap<Box<str>, u32> = FxHashMap::default();
        let mut by_namespace: FxHashMap<u32, Box<str>> = FxHashMap::default();
        let mut default = None;
        for declaration in tree.declarations.iter().filter(|declaration| declaration.namespace != 0) {
            if declaration.prefix.is_empty() {
                default.get_or_insert(declaration.namespace);
            } else if !bound.contains_key(&declaration.prefix) {
                bound.insert(declaration.prefix.clone(), declaration.namespace);
                by_namespace.entry(declaration.namespace).or_insert_with(|| declaration.prefix.clone());
            }
        }
        if let Some(xml) = tree.names.known_namespace(names::XML) {
            bound.insert("xml".into(), xml);
            by_namespace.insert(xml, "xml".into());
        }
        if let Some(namespace) = default.filter(|_| !bound.contains_key(DEFAULT_PREFIX)) {
            bound.insert(DEFAULT_PREFIX.into(), namespace);
            by_namespace.entry(namespace).or_insert_with(|| DEFAULT_PREFIX.into());
        }
        Prefixes { bound, default, by_namespace }
    }

    /// Returns the name as an XPath step, or `None` if no prefix is bound to its namespace.
    fn step_name(&self, tree: &Tree, name: u32, unprefixed: Option<u32>, is_element: bool) -> Option<String> {
        let (written, namespace) = (tree.names.written_form(name), tree.names.namespace_of(name));
        if namespace == 0 {
            let taken_elsewhere = is_element && unprefixed.is_some() && !tree.names.has_element(written.local());
            return (written.well_formed && !taken_elsewhere).then(|| written.local().to_owned());
        }
        if is_element && unprefixed == Some(namespace) && !tree.names.has_element(written.local()) {
            return Some(written.local().to_owned());
        }
        let own = written.prefix().unwrap_or(DEFAULT_PREFIX);
        let prefix = match self.bound.get(own) {
            Some(bound) if *bound == namespace => own,
            _ => self.by_namespace.get(&namespace)?,
        };
        Some(format!("{prefix}:{}", written.local()))
    }
}

/// Name steps and positions of the elements of one document. All address computations share them.
#[derive(Debug)]
pub(crate) struct Labels {
    elements: Vec<Option<Box<str>>>,
    attributes: Vec<Option<Box<str>>>,
    /// True if some name cannot be written as a step, so that elements with this name are addressed as `*`.
    counts_all_elements: bool,
    /// All elements, in document order.
    ranks: OnceCell<Vec<Id>>,
}

impl Labels {
    /// Computes the steps of all names.
    pub(crate) fn new(tree: &Tree, prefixes: &Prefixes, unprefixed: Option<u32>) -> Labels {
        let label = |name, is_element| prefixes.step_name(tree, name, unprefixed, is_element).map(Into::into);
        let elements: Vec<Option<Box<str>>> = tree.names.all_names().map(|name| label(name, true)).collect();
        let attributes = tree.names.all_names().map(|name| label(name, false)).collect();
        Labels {
            counts_all_elements: elements.iter().any(Option::is_none),
            elements,
            attributes,
            ranks: OnceCell::new(),
        }
    }

    /// Name of an element or attribute as a step; `None` if no prefix is bound to its namespace.
    pub(crate) fn step(&self, tree: &Tree, id: Id) -> Option<&str> {
        let labels = if tree.kind(id) == Kind::Attribute { &self.attributes } else { &self.elements };
        labels[tree.name(id) as usize].as_deref()
    }

    /// Position of an element among all elements, from 1.
    fn element_rank(&self, tree: &Tree, id: Id) -> usize {
        let elements =
            self.ranks.get_or_init(|| (1..tree.len()).filter(|id| tree.kind(*id) == Kind::Element).collect());
        elements.partition_point(|other| *other < id) + 1
    }
}

/// Computes addresses. If it is called in document order, it iterates over each list of children only once.
#[derive(Debug)]
pub(crate) struct Addresses<'d> {
    tree: &'d Tree,
    labels: &'d Labels,
    /// For each parent and group of children: the number of children before `next`, and the total number.
    counts: FxHashMap<(Id, u32), (u32, u32)>,
    /// For each parent: the next child that has not been counted.
    next: FxHashMap<Id, Option<Id>>,
}

impl<'d> Addresses<'d> {
    /// Creates addresses for a document.
    pub(crate) fn new(tree: &'d Tree, labels: &'d Labels) -> Addresses<'d> {
        Addresses { tree, labels, counts: FxHashMap::default(), next: FxHashMap::default() }
    }

    /// Returns the address of a node, which may be a namespace node.
    pub(crate) fn address(&mut self, id: Id, namespaces: &NamespaceNodes) -> String {
        if is_namespace(id) {
            let node = namespaces.get(id);
            let step = if node.prefix.is_empty() { "*[name()='']" } else { &*node.prefix };
            return format!("{}/namespace::{step}", self.node_address(node.element));
        }
        self.node_address(id)
    }

    /// Returns the address of a node that is not a namespace node.
    pub(crate) fn node_address(&mut self, id: Id) -> String {
        let mut steps = Vec::new();
        let mut at = id;
        while let Some(parent) = self.tree.parent(at) {
            if steps.len() >= DEEP_LEVEL && self.tree.kind(at) == Kind::Element {
                break;
            }
            steps.push(at);
            at = parent;
        }
        let Some(&last) = steps.last() else { return "/".to_owned() };
        let mut address = String::new();
        if at != 0 {
            // The node is too deep: use the position of the element in the document; for other nodes, that of their
            // parent.
            let element = if self.tree.kind(id) == Kind::Element { id } else { self.tree.parent(id).unwrap_or(last) };
            address = format!("(//*)[{}]", self.labels.element_rank(self.tree, element));
            steps.truncate(usize::from(element != id));
        }
        for step in steps.into_iter().rev() {
            self.append_step(&mut address, step);
        }
        address
    }

    /// Address of a child whose parent has the given address.
    pub(crate) fn child_address(&mut self, parent: &str, depth: usize, id: Id) -> String {
        if depth >= DEEP_LEVEL {
            return self.node_address(id);
        }
        let mut address = if parent == "/" { String::new() } else { parent.to_owned() };
        self.append_step(&mut address, id);
        address
    }

    fn append_step(&mut self, address: &mut String, id: Id) {
        let (tree, labels, name) = (self.tree, self.labels, self.tree.name(id) as usize);
        address.push('/');
        if tree.kind(id) == Kind::Attribute {
            match &labels.attributes[name] {
                Some(label) => *address += &format!("@{label}"),
                None => {
                    let first = tree.parent(id).map_or(id, |element| element + 1);
                    *address += &format!("@*[{}]", id - first + 1);
                }
            }
            return;
        }
        let (place, total) = self.position_in_group(id);
        match tree.kind(id) {
            Kind::Element => address.push_str(labels.elements[name].as_deref().unwrap_or("*")),
            Kind::Text => address.push_str("text()"),
            Kind::Comment => address.push_str("comment()"),
            Kind::Instruction if tree.written_name(id).is_empty() => address.push_str("processing-instruction('')"),
            Kind::Instruction => *address += &format!("processing-instruction('{}')", tree.written_name(id)),
            Kind::Document | Kind::Attribute => {}
        }
        if total > 1 {
            *address += &format!("[{place}]");
        }
    }

    /// Returns the number of the group among whose members the position of a node is counted.
    fn group(&self, id: Id) -> u32 {
        match self.tree.kind(id) {
            Kind::Element if self.labels.elements[self.tree.name(id) as usize].is_none() => ALL_ELEMENTS,
            Kind::Element => self.tree.names.expanded_of(self.tree.name(id)) << 3 | Kind::Element as u32,
            _ => self.tree.tag(id),
        }
    }

    /// Position of a child in its group, from 1, and the size of the group.
    fn position_in_group(&mut self, id: Id) -> (u32, u32) {
        let parent = self.tree.parent(id).unwrap_or(0);
        if !self.next.contains_key(&parent) {
            for child in self.tree.children(parent) {
                self.count(parent, child, |counts| counts.1 += 1);
            }
            self.next.insert(parent, self.tree.first_child(parent));
        }
        let mut next = self.next.get(&parent).copied().flatten();
        if next.is_none_or(|next| next > id) {
            // The node precedes the last one requested: count from the first child again.
            for child in self.tree.children(parent) {
                self.count(parent, child, |counts| counts.0 = 0);
            }
            next = self.tree.first_child(parent);
        }
        while let Some(child) = next.filter(|child| *child <= id) {
            self.count(parent, child, |counts| counts.0 += 1);
            next = self.tree.next_sibling(child);
        }
        // Uncount the node, so that it can be requested again.
        self.count(parent, id, |counts| counts.0 -= 1);
        self.next.insert(parent, Some(id));
        let (passed, total) = self.counts.get(&(parent, self.group(id))).copied().unwrap_or((0, 1));
        (passed + 1, total)
    }

    fn count(&mut self, parent: Id, child: Id, change: impl Fn(&mut (u32, u32))) {
        let group = self.group(child);
        change(self.counts.entry((parent, group)).or_default());
        if self.labels.counts_all_elements && group != ALL_ELEMENTS && self.tree.kind(child) == Kind::Element {
            change(self.counts.entry((parent, ALL_ELEMENTS)).or_default());
        }
    }
}
