//! Evaluation of selectors on sets of elements.
//!
//! Each compound selector is evaluated for all elements in one pass, and gives the set of matching elements. A
//! combinator maps this set to the set of elements that its right side can match. For `:has()`, the combinators of
//! its selector are applied in the opposite direction. So the evaluation does not backtrack, and its run time is
//! proportional to the size of the selector times the size of the document.

use super::ast::{Combinator, Complex, Compound, Nth, Simple};
use super::forms;
use super::simple::Test;
use crate::syntax::tree::NONE;
use crate::syntax::{Id, Name, Tree};

/// A set of elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ElementSet(Vec<bool>);

impl ElementSet {
    fn empty(tree: &Tree) -> ElementSet {
        ElementSet(vec![false; tree.elements.len()])
    }

    /// Returns whether the set contains the element.
    pub(crate) fn contains(&self, id: Id) -> bool {
        self.0[id as usize]
    }

    fn insert(&mut self, id: Id) {
        self.0[id as usize] = true;
    }

    /// Iterates over the elements in tree order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Id> {
        self.0.iter().enumerate().filter(|(_, is)| **is).map(|(id, _)| id as Id)
    }

    fn is_empty(&self) -> bool {
        !self.0.contains(&true)
    }
}

/// Returns the elements that match one of the selectors.
pub(crate) fn select(tree: &Tree, list: &[Complex]) -> ElementSet {
    let mut found = ElementSet::empty(tree);
    for complex in list {
        for (all, one) in found.0.iter_mut().zip(match_complex(tree, complex).0) {
            *all |= one;
        }
    }
    found
}

fn match_complex(tree: &Tree, complex: &Complex) -> ElementSet {
    let mut found = filter_compound(tree, &complex.first, None);
    for (combinator, compound) in &complex.rest {
        found = filter_compound(tree, compound, Some(&forward(tree, *combinator, &found)));
    }
    found
}

/// Returns the elements for which `:has()` is true: those for which one of the relative selectors finds an element.
fn match_has(tree: &Tree, list: &[Complex]) -> ElementSet {
    let mut found = ElementSet::empty(tree);
    for complex in list {
        // Start with the last compound selector. In each round, `wanted` becomes the set of elements to which the
        // combinator and the compound selectors after it apply.
        let mut wanted = None;
        for (combinator, compound) in complex.rest.iter().rev() {
            wanted = Some(backward(tree, *combinator, &filter_compound(tree, compound, wanted.as_ref())));
        }
        let last = filter_compound(tree, &complex.first, wanted.as_ref());
        let anchors = backward(tree, complex.leading.unwrap_or(Combinator::Descendant), &last);
        for (all, one) in found.0.iter_mut().zip(anchors.0) {
            *all |= one;
        }
    }
    found
}

/// Returns the elements that pass all tests of the compound selector, and that are in the set `within` if it is given.
fn filter_compound(tree: &Tree, compound: &Compound, within: Option<&ElementSet>) -> ElementSet {
    let mut found = ElementSet::empty(tree);
    if within.is_some_and(ElementSet::is_empty) {
        return found;
    }
    let tests: Vec<Prepared<'_>> = compound.tests.iter().map(|test| prepare(tree, test)).collect();
    for id in 0..tree.element_count() {
        if within.is_none_or(|within| within.contains(id)) && tests.iter().all(|test| test.passes(tree, id)) {
            found.insert(id);
        }
    }
    found
}

/// A test that can be evaluated for a single element.
enum Prepared<'s> {
    Simple(Test<'s>),
    In(ElementSet),
    NotIn(ElementSet),
}

impl Prepared<'_> {
    fn passes(&self, tree: &Tree, id: Id) -> bool {
        match self {
            Prepared::Simple(test) => test.passes(tree, id),
            Prepared::In(set) => set.contains(id),
            Prepared::NotIn(set) => !set.contains(id),
        }
    }
}

fn prepare<'s>(tree: &Tree, test: &'s Simple) -> Prepared<'s> {
    match test {
        Simple::Is(list) => Prepared::In(select(tree, list)),
        Simple::Not(list) => Prepared::NotIn(select(tree, list)),
        Simple::Has(list) => Prepared::In(match_has(tree, list)),
        Simple::Nth(nth) => Prepared::In(match_nth(tree, nth)),
        Simple::Pseudo(pseudo) if let Some(members) = forms::matching_elements(tree, *pseudo) => {
            let mut set = ElementSet::empty(tree);
            members.into_iter().for_each(|id| set.insert(id));
            Prepared::In(set)
        }
        _ => Prepared::Simple(Test::new(tree, test)),
    }
}

/// Returns the next sibling of an element.
fn next_sibling(tree: &Tree, id: Id) -> Option<Id> {
    let next = tree.element(id).end;
    (next < tree.element_count() && tree.element(next).parent == tree.element(id).parent).then_some(next)
}

/// Returns the elements that can be on the right side of the combinator if the elements of the set are on its left
/// side.
fn forward(tree: &Tree, combinator: Combinator, set: &ElementSet) -> ElementSet {
    let mut found = ElementSet::empty(tree);
    for id in 0..tree.element_count() {
        match combinator {
            Combinator::Child | Combinator::Descendant => {
                let parent = tree.element(id).parent;
                let below = combinator == Combinator::Descendant;
                if parent != NONE && (set.contains(parent) || (below && found.contains(parent))) {
                    found.insert(id);
                }
            }
            Combinator::Next | Combinator::Later => {
                let later = combinator == Combinator::Later;
                if (set.contains(id) || (later && found.contains(id)))
                    && let Some(next) = next_sibling(tree, id)
                {
                    found.insert(next);
                }
            }
        }
    }
    found
}

/// Returns the elements that can be on the left side of the combinator if the elements of the set are on its right
/// side.
fn backward(tree: &Tree, combinator: Combinator, set: &ElementSet) -> ElementSet {
    let mut found = ElementSet::empty(tree);
    for id in (0..tree.element_count()).rev() {
        match combinator {
            Combinator::Child | Combinator::Descendant => {
                let parent = tree.element(id).parent;
                let below = combinator == Combinator::Descendant;
                if parent != NONE && (set.contains(id) || (below && found.contains(id))) {
                    found.insert(parent);
                }
            }
            Combinator::Next | Combinator::Later => {
                let later = combinator == Combinator::Later;
                if next_sibling(tree, id).is_some_and(|next| set.contains(next) || (later && found.contains(next))) {
                    found.insert(id);
                }
            }
        }
    }
    found
}

impl Nth {
    /// Returns whether `an+b` is this position for some `n` ≥ 0.
    fn matches_position(&self, position: i64) -> bool {
        let distance = position - self.offset;
        match self.step {
            0 => distance == 0,
            step => distance % step == 0 && distance / step >= 0,
        }
    }
}

fn match_nth(tree: &Tree, nth: &Nth) -> ElementSet {
    let mut found = ElementSet::empty(tree);
    let of = nth.of.as_ref().map(|list| select(tree, list));
    if nth.of_type {
        match_nth_of_type(tree, nth, &mut found);
        return found;
    }
    let counts = |id: Id| of.as_ref().is_none_or(|set| set.contains(id));
    let mut before = vec![0_i64; tree.elements.len()];
    let mut place = |id: Id, from: Option<Id>| {
        // The number of counted siblings before this one. If counting starts at the end, "before" means after it in the
        // document.
        before[id as usize] = from.map_or(0, |from| before[from as usize] + i64::from(counts(from)));
        if counts(id) && nth.matches_position(before[id as usize] + 1) {
            found.insert(id);
        }
    };
    if nth.from_end {
        for id in (0..tree.element_count()).rev() {
            place(id, next_sibling(tree, id));
        }
    } else {
        let mut previous = vec![NONE; tree.elements.len()];
        for id in 0..tree.element_count() {
            if let Some(next) = next_sibling(tree, id) {
                previous[next as usize] = id;
            }
            place(id, Some(previous[id as usize]).filter(|previous| *previous != NONE));
        }
    }
    found
}

/// Adds the elements whose position among the siblings of the same type matches.
fn match_nth_of_type(tree: &Tree, nth: &Nth, found: &mut ElementSet) {
    let mut counts = TypeCounts { counts: vec![Vec::new(); tree.names.len()], stamp: 0 };
    let mut count = |siblings: &mut dyn Iterator<Item = Id>| {
        counts.stamp += 1;
        for id in siblings {
            let element = tree.element(id);
            if nth.matches_position(counts.count(element.name, element.namespace.0)) {
                found.insert(id);
            }
        }
    };
    let mut children: Vec<Id> = tree.roots().collect();
    for parent in 0..=tree.element_count() {
        if nth.from_end {
            count(&mut children.iter().rev().copied());
        } else {
            count(&mut children.iter().copied());
        }
        if parent < tree.element_count() {
            children.clear();
            children.extend(tree.children(parent));
        }
    }
}

struct TypeCounts {
    /// For each name, the counts of its namespaces. An entry is a namespace, the stamp of the parent whose children
    /// were counted, and the count. A count with an older stamp belongs to another parent, and is reset.
    counts: Vec<Vec<(u16, u32, i64)>>,
    stamp: u32,
}

impl TypeCounts {
    fn count(&mut self, name: Name, namespace: u16) -> i64 {
        let seen = &mut self.counts[name.0 as usize];
        let place = seen.iter().position(|(known, ..)| *known == namespace).unwrap_or_else(|| {
            seen.push((namespace, self.stamp, 0));
            seen.len() - 1
        });
        let (_, stamp, count) = &mut seen[place];
        if *stamp != self.stamp {
            (*stamp, *count) = (self.stamp, 0);
        }
        *count += 1;
        *count
    }
}
