//! Finds items by their keys, and computes a unique address for each item.

use std::{
    cell::{OnceCell, RefCell},
    collections::HashMap,
    rc::Rc,
};

use crate::{
    chars, display,
    keys::{self, Keys},
    nesting::Resolver,
    target::{self, Step, StepKind},
    tree::{Kind, NONE, Tree},
};

/// Maximum length of an address in bytes. If its address would be longer, an item is addressed by its number in the
/// file.
const MAX_ADDRESS_LEN: usize = 300;

/// Labels of this length or longer are always parsed, to verify that they find their item.
const MAX_UNVERIFIED_LEN: usize = 100;

/// Sorted pairs of a key and an item.
type KeyTable = Vec<(u64, u32)>;

/// Index of a stylesheet. Each table is built when it is first used.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// All items at any depth, except for declarations and map entries.
    heads: OnceCell<KeyTable>,
    /// Declarations and map entries at any depth.
    names: OnceCell<KeyTable>,
    /// For each item, its children by their keys.
    child_tables: RefCell<HashMap<u32, Rc<KeyTable>>>,
    /// Reused buffer.
    keys: RefCell<Keys>,
}

/// Returns whether items of this kind are found by their name: declarations and map entries.
pub(crate) fn is_name(kind: Kind) -> bool {
    matches!(kind, Kind::Declaration | Kind::Entry)
}

fn sort_table(mut table: KeyTable) -> KeyTable {
    table.sort_unstable();
    table.dedup();
    table
}

impl Index {
    fn head_table(&self, tree: &Tree) -> &KeyTable {
        self.heads.get_or_init(|| {
            let (mut table, mut keys, mut resolver) = (KeyTable::new(), Keys::default(), Resolver::default());
            for index in 0..tree.items.len() as u32 {
                if is_name(tree.item(index).kind) {
                    continue;
                }
                table.extend(keys.item_keys(tree, index).iter().map(|key| (*key, index)));
                if let Some(selectors) = resolver.enter(tree, index) {
                    table.extend(keys.resolved_keys(selectors, tree.dialect).iter().map(|key| (*key, index)));
                }
            }
            sort_table(table)
        })
    }

    fn name_table(&self, tree: &Tree) -> &KeyTable {
        self.names.get_or_init(|| {
            let (mut table, mut keys) = (KeyTable::new(), Keys::default());
            for index in 0..tree.items.len() as u32 {
                if is_name(tree.item(index).kind) {
                    table.extend(keys.item_keys(tree, index).iter().map(|key| (*key, index)));
                }
            }
            sort_table(table)
        })
    }

    fn child_table(&self, tree: &Tree, parent: u32) -> Rc<KeyTable> {
        if let Some(table) = self.child_tables.borrow().get(&parent) {
            return Rc::clone(table);
        }
        let (mut table, mut keys) = (KeyTable::new(), Keys::default());
        for index in tree.children(parent) {
            table.extend(keys.item_keys(tree, index).iter().map(|key| (*key, index)));
        }
        let table = Rc::new(sort_table(table));
        self.child_tables.borrow_mut().insert(parent, Rc::clone(&table));
        table
    }

    /// Returns the items that the steps of a target find, in document order.
    pub(crate) fn find(&self, tree: &Tree, steps: &[Step]) -> Vec<u32> {
        let mut found: Option<Vec<u32>> = None;
        for step in steps {
            let mut next = match (step.kind, &found) {
                (StepKind::Statement(number), None) if number <= tree.items.len() => vec![number as u32 - 1],
                (StepKind::Statement(_), _) => Vec::new(),
                (StepKind::Key(key), None) => self.find_at_any_depth(tree, key, step.text.starts_with('@')),
                (StepKind::Key(key), Some(parents)) => {
                    let inner = |parent: &u32| lookup(&self.child_table(tree, *parent), key).to_vec();
                    parents.iter().flat_map(inner).map(|(_, index)| index).collect()
                }
            };
            next.sort_unstable();
            next.dedup();
            if let Some(nth) = step.nth {
                next = next.get(nth - 1).copied().into_iter().collect();
            }
            found = Some(next);
        }
        found.unwrap_or_default()
    }

    /// Returns the items with this key at any depth. Declarations and map entries are returned only if `may_be_name`
    /// and if no other item has the key.
    fn find_at_any_depth(&self, tree: &Tree, key: u64, may_be_name: bool) -> Vec<u32> {
        let table = self.table_with_key(tree, key, may_be_name);
        lookup(table, key).iter().map(|(_, index)| *index).collect()
    }

    fn table_with_key(&self, tree: &Tree, key: u64, may_be_name: bool) -> &KeyTable {
        let heads = self.head_table(tree);
        if may_be_name && lookup(heads, key).is_empty() { self.name_table(tree) } else { heads }
    }

    /// Discards the tables of children.
    pub(crate) fn clear_child_tables(&self) {
        self.child_tables.take();
    }

    /// Returns the address of an item. It consists of the labels of its ancestors and its own label. A number follows
    /// each label that is ambiguous.
    pub(crate) fn address(&self, tree: &Tree, index: u32) -> String {
        let mut chain = vec![index];
        while let Some(parent) = chain.last().map(|last| tree.item(*last).parent).filter(|parent| *parent != NONE) {
            chain.push(parent);
        }
        let mut address = String::new();
        for index in chain.into_iter().rev() {
            self.push_step(tree, index, &mut address);
        }
        address
    }

    /// Returns the address of one selector in the list of a rule.
    pub(crate) fn selector_address(&self, tree: &Tree, rule: u32, selector: &str) -> String {
        let parent = tree.item(rule).parent;
        let mut address = if parent == NONE { String::new() } else { self.address(tree, parent) };
        self.push_label(tree, rule, &display::collapse(selector, tree.dialect), &mut address);
        address
    }

    /// Appends the step of an item to the address of its parent.
    pub(crate) fn push_step(&self, tree: &Tree, index: u32, address: &mut String) {
        self.push_label(tree, index, &keys::label(tree, tree.item(index)), address);
    }

    /// Appends the step of an item, with this label. If the label cannot be used, the address becomes the number of the
    /// item.
    fn push_label(&self, tree: &Tree, index: u32, label: &str, address: &mut String) {
        let item = tree.item(index);
        let direct = is_name(item.kind) && target::can_have_property(address);
        let place = self.verified_key(tree, index, label, direct).and_then(|key| match item.parent {
            NONE => position_in_table(self.table_with_key(tree, key, label.starts_with('@')), key, index),
            parent => position_in_table(&self.child_table(tree, parent), key, index),
        });
        let room = MAX_ADDRESS_LEN.saturating_sub(address.len());
        let Some((nth, count)) = place.filter(|_| label.len() <= room) else {
            *address = format!("[#{}]", index + 1);
            return;
        };
        if item.parent != NONE && !direct {
            address.push_str(" >> ");
        }
        address.push_str(label);
        if count > 1 {
            address.push_str(&format!("[{nth}]"));
        }
    }

    /// Returns the key of the step that the label is parsed to. `None` if the label does not find the item.
    fn verified_key(&self, tree: &Tree, index: u32, label: &str, direct: bool) -> Option<u64> {
        let mut keys = self.keys.borrow_mut();
        let own = keys.item_keys(tree, index);
        let item = tree.item(index);
        let whole = match item.kind {
            Kind::Rule | Kind::Keyframe => !tree.head(item).contains(',') && !label.starts_with(['@', '$']),
            _ => is_name(item.kind) || label.len() == item.head_range().len(),
        };
        if whole && is_simple_label(label) {
            return own.first().copied();
        }
        if label.ends_with('\\') {
            return None; // the backslash would escape the character after the label
        }
        // Put the label between other steps and parse the result. It must be parsed to the same steps: the name of a
        // declaration must be recognized after a selector, and no bracket or string may be left open before the next
        // step.
        let shown = format!("{}{label} >> a", if direct { "a" } else { "" });
        let steps = target::parse_target(&shown, tree.dialect).ok()?;
        let step = match (&steps[..], direct) {
            ([step, last], false) | ([_, step, last], true) if last.text == "a" => step,
            _ => return None,
        };
        match step.kind {
            StepKind::Key(key) if step.nth.is_none() && own.contains(&key) => Some(key),
            _ => None,
        }
    }
}

/// Returns whether a label certainly finds its item, because it consists only of names and common punctuation.
fn is_simple_label(label: &str) -> bool {
    let (sigil, rest) = label.split_at(usize::from(label.starts_with(['@', '$', '.', '#', '&', ':'])));
    let plain = |byte: u8| chars::is_name(byte) || (sigil != "@" && sigil != "$" && b" .:".contains(&byte));
    !rest.is_empty() && rest.len() < MAX_UNVERIFIED_LEN && rest.bytes().all(plain)
}

/// Returns the entries of a table that have this key.
fn lookup(table: &KeyTable, key: u64) -> &[(u64, u32)] {
    let from = table.partition_point(|(other, _)| *other < key);
    let count = table[from..].partition_point(|(other, _)| *other == key);
    &table[from..from + count]
}

/// Returns the position of the item among the entries with this key, from 1, and the number of these entries.
fn position_in_table(table: &KeyTable, key: u64, index: u32) -> Option<(usize, usize)> {
    let entries = lookup(table, key);
    let at = entries.binary_search_by_key(&index, |(_, other)| *other).ok()?;
    Some((at + 1, entries.len()))
}
