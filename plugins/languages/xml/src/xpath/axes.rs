//! Nodes along an axis. The axis starts at one node (result in axis order) or at each node of a set (in document
//! order).

use rustc_hash::FxHashSet;

use super::{
    ast::{Axis, Test},
    eval::{Evaluated, Evaluator},
    nodes::is_namespace,
};
use crate::tree::{Id, Kind};

/// Number of skipped nodes that have the same cost as one visited node.
const SKIPS_PER_VISIT: u64 = 4;

impl Evaluator<'_> {
    /// Returns whether the node passes the test.
    pub(crate) fn matches_test(&self, id: Id, test: &Test) -> bool {
        if is_namespace(id) {
            return match test {
                Test::Any | Test::Namespace => true,
                Test::Prefix(prefix) => self.namespaces.borrow().get(id).prefix == *prefix,
                _ => false,
            };
        }
        match test {
            Test::Tags(tags) => tags.contains(&self.tree.tag(id)),
            Test::Any => true,
            Test::Element => self.tree.kind(id) == Kind::Element,
            Test::Attribute => self.tree.kind(id) == Kind::Attribute,
            Test::Text => self.tree.kind(id) == Kind::Text,
            Test::Comment => self.tree.kind(id) == Kind::Comment,
            Test::Instruction => self.tree.kind(id) == Kind::Instruction,
            Test::Namespace | Test::Prefix(_) => false,
        }
    }

    /// Parent of a node.
    pub(crate) fn parent(&self, id: Id) -> Option<Id> {
        if is_namespace(id) { Some(self.namespaces.borrow().get(id).element) } else { self.tree.parent(id) }
    }

    fn is_attribute(&self, id: Id) -> bool {
        !is_namespace(id) && self.tree.kind(id) == Kind::Attribute
    }

    /// Returns whether the node is an attribute or a namespace node. Such a node has a parent, but no children or
    /// siblings.
    fn is_attribute_or_namespace(&self, id: Id) -> bool {
        is_namespace(id) || self.tree.kind(id) == Kind::Attribute
    }

    /// Returns at most `most` nodes on an axis that pass the test, in axis order.
    pub(crate) fn axis_nodes(&self, axis: Axis, id: Id, test: &Test, most: usize) -> Evaluated<Vec<Id>> {
        let beside = self.is_attribute_or_namespace(id);
        let none = || Box::new(std::iter::empty()) as Box<dyn Iterator<Item = Id> + '_>;
        let tree = self.tree;
        let nodes: Box<dyn Iterator<Item = Id> + '_> = match axis {
            Axis::Itself => Box::new(std::iter::once(id)),
            Axis::Parent => Box::new(self.parent(id).into_iter()),
            Axis::Ancestor => Box::new(std::iter::successors(self.parent(id), |at| tree.parent(*at))),
            Axis::AncestorOrSelf => Box::new(std::iter::successors(Some(id), |at| self.parent(*at))),
            Axis::Child if !beside => Box::new(tree.children(id)),
            Axis::Descendant if !beside => Box::new(self.tree_nodes(id + 1, tree.after(id))),
            Axis::DescendantOrSelf if beside => Box::new(std::iter::once(id)),
            Axis::DescendantOrSelf => Box::new(std::iter::once(id).chain(self.tree_nodes(id + 1, tree.after(id)))),
            Axis::FollowingSibling if !beside => {
                Box::new(std::iter::successors(tree.next_sibling(id), |at| tree.next_sibling(*at)))
            }
            Axis::PrecedingSibling if !beside => {
                Box::new(std::iter::successors(tree.previous_sibling(id), |at| tree.previous_sibling(*at)))
            }
            Axis::Following => Box::new(self.tree_nodes(self.following_start(id), tree.len())),
            Axis::Preceding => {
                let place = self.tree_position(id);
                Box::new((1..place).rev().filter(move |at| tree.after(*at) <= place && !self.is_attribute(*at)))
            }
            Axis::Attribute if !beside && tree.kind(id) == Kind::Element => Box::new(tree.attributes(id)),
            Axis::Namespace if !beside && tree.kind(id) == Kind::Element => {
                Box::new(self.namespaces.borrow_mut().of_element(tree, id))
            }
            _ => none(),
        };
        let (mut found, mut visited) = (Vec::new(), 0);
        for node in nodes {
            visited += 1;
            if self.matches_test(node, test) {
                found.push(node);
                if found.len() >= most {
                    break;
                }
            }
        }
        self.spend_work(1 + visited)?;
        Ok(found)
    }

    /// Nodes in a range of ids, except attributes.
    fn tree_nodes(&self, from: Id, to: Id) -> impl Iterator<Item = Id> + '_ {
        (from..to).filter(|id| !self.is_attribute(*id))
    }

    /// Returns the first id on the `following` axis of this node.
    fn following_start(&self, id: Id) -> Id {
        match self.parent(id).filter(|_| self.is_attribute_or_namespace(id)) {
            Some(element) => self.tree.attributes(element).end,
            None => self.tree.after(id),
        }
    }

    /// Returns the node itself. For an attribute or a namespace node, returns its element.
    fn tree_position(&self, id: Id) -> Id {
        self.parent(id).filter(|_| self.is_attribute_or_namespace(id)).unwrap_or(id)
    }

    /// Returns the nodes along an axis from all nodes of a set, without duplicates. The set and the result are in
    /// document order.
    pub(crate) fn axis_nodes_of_set(&self, axis: Axis, set: &[Id], test: &Test) -> Evaluated<Vec<Id>> {
        let mut found = match axis {
            Axis::Descendant | Axis::DescendantOrSelf => {
                self.descendants_of_set(set, test, axis == Axis::DescendantOrSelf)?
            }
            Axis::Ancestor | Axis::AncestorOrSelf if set.len() > 1 => {
                self.ancestors_of_set(set, test, axis == Axis::AncestorOrSelf)?
            }
            Axis::FollowingSibling if set.len() > 1 => {
                self.siblings(set.iter().copied(), test, |id| self.tree.next_sibling(id))?
            }
            Axis::PrecedingSibling if set.len() > 1 => {
                self.siblings(set.iter().rev().copied(), test, |id| self.tree.previous_sibling(id))?
            }
            Axis::Following => {
                let first = set.iter().map(|id| self.following_start(*id)).min().unwrap_or(0);
                self.matching_nodes(first, self.tree.len(), test)?
            }
            Axis::Preceding => {
                let last = set.iter().map(|id| self.tree_position(*id)).max().unwrap_or(0);
                let mut found = self.matching_nodes(1, last, test)?;
                found.retain(|id| self.tree.after(*id) <= last);
                found
            }
            _ => return self.axis_nodes_of_each(axis, set, test),
        };
        self.sort_in_document_order(&mut found);
        Ok(found)
    }

    fn axis_nodes_of_each(&self, axis: Axis, set: &[Id], test: &Test) -> Evaluated<Vec<Id>> {
        let mut found = Vec::new();
        for id in set {
            found.append(&mut self.axis_nodes(axis, *id, test, usize::MAX)?);
        }
        self.sort_in_document_order(&mut found);
        Ok(found)
    }

    /// Nodes in a range of ids that pass the test, except attributes.
    fn matching_nodes(&self, from: Id, to: Id, test: &Test) -> Evaluated<Vec<Id>> {
        self.spend_work(u64::from(to.saturating_sub(from)) / SKIPS_PER_VISIT)?;
        let tree = self.tree;
        Ok(match test {
            // These axes select only elements, so each tag is that of an element name.
            Test::Tags(tags) => match **tags {
                [tag] => (from..to).filter(|id| tree.tag(*id) == tag).collect(),
                _ => (from..to).filter(|id| tags.contains(&tree.tag(*id))).collect(),
            },
            Test::Any => (from..to).filter(|id| tree.kind(*id) != Kind::Attribute).collect(),
            _ => (from..to).filter(|id| self.matches_test(*id, test)).collect(),
        })
    }

    fn descendants_of_set(&self, set: &[Id], test: &Test, or_self: bool) -> Evaluated<Vec<Id>> {
        let (mut found, mut covered) = (Vec::new(), 0);
        for id in set.iter().copied() {
            if self.is_attribute_or_namespace(id) {
                if or_self && self.matches_test(id, test) {
                    found.push(id);
                }
            } else if id >= covered {
                covered = self.tree.after(id);
                if or_self && self.matches_test(id, test) {
                    found.push(id);
                }
                found.append(&mut self.matching_nodes(id + 1, covered, test)?);
            }
        }
        Ok(found)
    }

    fn ancestors_of_set(&self, set: &[Id], test: &Test, or_self: bool) -> Evaluated<Vec<Id>> {
        let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
        for id in set.iter().copied() {
            let first = if or_self { Some(id) } else { self.parent(id) };
            let mut at = first;
            while let Some(node) = at.filter(|node| seen.insert(*node)) {
                if self.matches_test(node, test) {
                    found.push(node);
                }
                at = self.parent(node);
            }
        }
        self.spend_work(seen.len() as u64)?;
        Ok(found)
    }

    fn siblings(
        &self,
        set: impl Iterator<Item = Id>,
        test: &Test,
        next: impl Fn(Id) -> Option<Id>,
    ) -> Evaluated<Vec<Id>> {
        let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
        for id in set.filter(|id| !self.is_attribute_or_namespace(*id)) {
            let mut at = next(id);
            // Stop at a node that has been visited before, because the nodes after it have been visited, too.
            while let Some(node) = at.filter(|node| seen.insert(*node)) {
                if self.matches_test(node, test) {
                    found.push(node);
                }
                at = next(node);
            }
        }
        self.spend_work(seen.len() as u64)?;
        Ok(found)
    }

    /// Sorts nodes in document order and removes duplicates.
    pub(crate) fn sort_in_document_order(&self, nodes: &mut Vec<Id>) {
        if nodes.iter().any(|id| is_namespace(*id)) {
            let namespaces = self.namespaces.borrow();
            nodes.sort_by_key(|id| if is_namespace(*id) { (namespaces.get(*id).element, *id) } else { (*id, 0) });
        } else if !nodes.is_sorted() {
            nodes.sort_unstable();
        }
        nodes.dedup();
    }
}
