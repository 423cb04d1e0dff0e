//! Unique selectors for elements.
//!
//! The address of an element with a unique id is `#id`. If the page has only one element with its name, the address is
//! the name (`title`, `main`). Otherwise the address is a path of children that starts at the nearest ancestor with a
//! unique id or name: `main > section:nth-of-type(2) > p:nth-of-type(1)`.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::syntax::names::Names;
use crate::syntax::{Id, Name, Tree};

/// Tables for computing addresses.
#[derive(Debug)]
pub(crate) struct Addresses {
    /// Elements with a unique id, sorted.
    with_unique_id: Vec<Id>,
    /// For each name, the number of elements that have this name in upper or lower case.
    name_counts: Vec<u32>,
    /// For each element, the last step of its path.
    steps: Vec<Step>,
    /// For each element, the number of steps in its path.
    lengths: Vec<u16>,
}

/// The form of a step, which distinguishes an element from its siblings.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// The name alone: the element is the only sibling with this name.
    Name,
    OfType(u32),
    Child(u32),
}

impl Addresses {
    pub(crate) fn new(tree: &Tree) -> Addresses {
        let lower = lower_names(&tree.names);
        let mut of_name = vec![0; tree.names.len()];
        for element in &tree.elements {
            of_name[lower[element.name.0 as usize].0 as usize] += 1;
        }
        let of_name = lower.iter().map(|name| of_name[name.0 as usize]).collect();
        let lengths = Vec::with_capacity(tree.elements.len());
        let mut addresses = Addresses {
            with_unique_id: elements_with_unique_id(tree),
            name_counts: of_name,
            steps: compute_steps(tree, &lower),
            lengths,
        };
        for id in 0..tree.element_count() {
            let above = tree.parent(id).filter(|_| !addresses.starts_path(tree, id));
            let length = above.map_or(1, |parent| addresses.length(parent).saturating_add(1));
            addresses.lengths.push(length);
        }
        addresses
    }

    /// Address of an element.
    pub(crate) fn address_of(&self, tree: &Tree, id: Id) -> String {
        let mut path = Vec::new();
        for step in tree.self_and_ancestors(id) {
            path.push(step);
            if self.starts_path(tree, step) {
                break;
            }
        }
        let mut address = String::new();
        for step in path.into_iter().rev() {
            if !address.is_empty() {
                address.push_str(" > ");
            }
            self.push_step(tree, step, address.is_empty(), &mut address);
        }
        address
    }

    /// Number of steps in the address.
    pub(crate) fn length(&self, id: Id) -> u16 {
        self.lengths[id as usize]
    }

    fn has_unique_id(&self, id: Id) -> bool {
        self.with_unique_id.binary_search(&id).is_ok()
    }

    fn starts_path(&self, tree: &Tree, id: Id) -> bool {
        self.has_unique_id(id) || self.name_counts[tree.element(id).name.0 as usize] == 1
    }

    fn push_step(&self, tree: &Tree, id: Id, first: bool, address: &mut String) {
        if first && self.has_unique_id(id) {
            address.push('#');
            escape(&tree.attribute_value(id, "id").unwrap_or_default(), address);
            return;
        }
        escape(tree.name(id), address);
        if first && self.starts_path(tree, id) {
            return;
        }
        // Writing to a string cannot fail.
        let _ = match self.steps[id as usize] {
            Step::Name => Ok(()),
            Step::OfType(n) => write!(address, ":nth-of-type({n})"),
            Step::Child(n) => write!(address, ":nth-child({n})"),
        };
        if first {
            address.push_str(":not(* > *)");
        }
    }
}

/// Maps each name to the first name that differs only in case, because type selectors ignore case.
fn lower_names(names: &Names) -> Vec<Name> {
    let mut known = BTreeMap::new();
    let numbers = (0..names.len() as u32).map(Name);
    numbers.map(|name| *known.entry(names.text(name).to_ascii_lowercase()).or_insert(name)).collect()
}

/// Elements with a unique id, in order.
fn elements_with_unique_id(tree: &Tree) -> Vec<Id> {
    let mut ids: BTreeMap<String, Option<Id>> = BTreeMap::new();
    for id in 0..tree.element_count() {
        if let Some(value) = tree.attribute_value(id, "id").filter(|value| !value.is_empty()) {
            let value = if tree.quirks { value.to_ascii_lowercase() } else { value.into_owned() };
            ids.entry(value).and_modify(|known| *known = None).or_insert(Some(id));
        }
    }
    let mut own: Vec<Id> = ids.into_values().flatten().collect();
    own.sort_unstable();
    own
}

fn compute_steps(tree: &Tree, lower: &[Name]) -> Vec<Step> {
    let mut steps = vec![Step::Name; tree.elements.len()];
    // For each lower-case name: the first sibling with it, the number of siblings with it, and whether all of these
    // have the same type.
    let mut types: BTreeMap<Name, (Id, u32, bool)> = BTreeMap::new();
    let mut name_siblings = |siblings: &[Id]| {
        types.clear();
        for id in siblings {
            let element = tree.element(*id);
            let (first, count, alike) = types.entry(lower[element.name.0 as usize]).or_insert((*id, 0, true));
            let first = tree.element(*first);
            *alike &= first.name == element.name && first.namespace == element.namespace;
            *count += 1;
            steps[*id as usize] = Step::OfType(*count);
        }
        for (place, id) in siblings.iter().enumerate() {
            match types.get(&lower[tree.element(*id).name.0 as usize]) {
                Some((_, 1, _)) => steps[*id as usize] = Step::Name,
                Some((_, _, false)) => steps[*id as usize] = Step::Child(place as u32 + 1),
                _ => {}
            }
        }
    };
    let mut siblings: Vec<Id> = tree.roots().collect();
    name_siblings(&siblings);
    for parent in 0..tree.element_count() {
        siblings.clear();
        siblings.extend(tree.children(parent));
        name_siblings(&siblings);
    }
    steps
}

/// Serializes a CSS identifier.
pub(crate) fn escape(name: &str, out: &mut String) {
    let mut chars = name.chars().peekable();
    let mut first = true;
    let mut after_dash = false;
    while let Some(c) = chars.next() {
        let leading = first || after_dash;
        after_dash = first && c == '-';
        match c {
            '\0' => out.push('\u{fffd}'),
            _ if c.is_ascii_control() || (c.is_ascii_digit() && leading) => {
                let _ = write!(out, "\\{:x} ", u32::from(c));
            }
            '-' if first && chars.peek().is_none() => out.push_str("\\-"),
            _ if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') || !c.is_ascii() => out.push(c),
            _ => {
                out.push('\\');
                out.push(c);
            }
        }
        first = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_writes_css_identifiers() {
        let check = |name: &str, expected: &str| {
            let mut out = String::new();
            escape(name, &mut out);
            assert_eq!(out, expected);
        };
        check("a-b_ü", "a-b_ü");
        check("1a", "\\31 a");
        check("-1", "-\\31 ");
        check("-", "\\-");
        check("a:b.c", "a\\:b\\.c");
        check("a\nb", "a\\a b");
    }
}
