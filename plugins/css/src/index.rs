//! Finding items by their keys, and giving each an address that finds it alone.

use std::{
    cell::{OnceCell, RefCell},
    collections::HashMap,
    rc::Rc,
};

use crate::{
    keys::{self, Keys},
    resolve::Resolver,
    target::{self, Step},
    tree::{Kind, NONE, Tree},
};

/// Keys and the items they belong to, sorted by both.
type Table = Vec<(u64, u32)>;

/// What is looked up is built when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// Rules, at-rules, variables: wherever they stand.
    heads: OnceCell<Table>,
    /// Declarations and entries of maps.
    names: OnceCell<Table>,
    /// The items directly in one, by their own keys.
    inner: RefCell<HashMap<u32, Rc<Table>>>,
}

fn is_name(kind: Kind) -> bool {
    matches!(kind, Kind::Declaration | Kind::Entry)
}

fn sorted(mut table: Table) -> Table {
    table.sort_unstable();
    table.dedup();
    table
}

fn lookup(table: &Table, key: u64) -> impl Iterator<Item = u32> + '_ {
    let from = table.partition_point(|(other, _)| *other < key);
    table[from..].iter().take_while(move |(other, _)| *other == key).map(|(_, index)| *index)
}

impl Index {
    fn heads(&self, tree: &Tree) -> &Table {
        self.heads.get_or_init(|| {
            let (mut table, mut keys, mut resolver) = (Table::new(), Keys::default(), Resolver::default());
            for index in 0..tree.items.len() as u32 {
                if is_name(tree.item(index).kind) {
                    continue;
                }
                table.extend(keys.own(tree, index).iter().map(|key| (*key, index)));
                if let Some(selectors) = resolver.enter(tree, index) {
                    table.extend(keys.resolved(selectors, tree.dialect).iter().map(|key| (*key, index)));
                }
            }
            sorted(table)
        })
    }

    fn names(&self, tree: &Tree) -> &Table {
        self.names.get_or_init(|| {
            let (mut table, mut keys) = (Table::new(), Keys::default());
            for index in 0..tree.items.len() as u32 {
                if is_name(tree.item(index).kind) {
                    table.extend(keys.own(tree, index).iter().map(|key| (*key, index)));
                }
            }
            sorted(table)
        })
    }

    fn inner(&self, tree: &Tree, parent: u32) -> Rc<Table> {
        if let Some(table) = self.inner.borrow().get(&parent) {
            return Rc::clone(table);
        }
        let (mut table, mut keys) = (Table::new(), Keys::default());
        for index in tree.children(parent) {
            table.extend(keys.own(tree, index).iter().map(|key| (*key, index)));
        }
        let table = Rc::new(sorted(table));
        self.inner.borrow_mut().insert(parent, Rc::clone(&table));
        table
    }

    /// The items that the steps lead to, in document order.
    pub(crate) fn find(&self, tree: &Tree, steps: &[Step]) -> Vec<u32> {
        let mut found: Option<Vec<u32>> = None;
        for step in steps {
            let mut next = match (&found, step.key) {
                (None, Some(key)) => self.anywhere(tree, key, step.text.starts_with('@')),
                (None, None) => tree.children(NONE).collect(),
                (Some(parents), Some(key)) => {
                    parents.iter().flat_map(|parent| lookup(&self.inner(tree, *parent), key).collect::<Vec<_>>()).collect()
                }
                (Some(parents), None) => parents.iter().flat_map(|parent| tree.children(*parent)).collect(),
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

    fn anywhere(&self, tree: &Tree, key: u64, may_be_name: bool) -> Vec<u32> {
        let found: Vec<u32> = lookup(self.heads(tree), key).collect();
        if found.is_empty() && may_be_name { lookup(self.names(tree), key).collect() } else { found }
    }

    /// Forget what was kept for addresses.
    pub(crate) fn forget(&self) {
        self.inner.take();
    }

    /// The address of an item: its label behind those of the items it stands in, with a number where a label is not enough.
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

    /// Add the step that leads from the parent, whose address is given, to the item.
    pub(crate) fn push_step(&self, tree: &Tree, index: u32, address: &mut String) {
        let item = tree.item(index);
        let parent = item.parent;
        let label = keys::label(tree, item);
        let named = is_name(item.kind) && target::takes_name(address);
        let all = |tree: &Tree| tree.children(parent).collect::<Vec<u32>>();
        let by_key = self.own_key(tree, index, &label, named).map(|key| match parent {
            NONE => self.anywhere(tree, key, label.starts_with('@')),
            _ => lookup(&self.inner(tree, parent), key).collect(),
        });
        // What its label does not lead to is found by its place.
        let by_key = by_key.filter(|among| among.contains(&index));
        if parent != NONE && (!named || by_key.is_none()) {
            address.push_str(" >> ");
        }
        if by_key.is_some() {
            address.push_str(&label);
        }
        let counted = by_key.is_none();
        let among = by_key.unwrap_or_else(|| all(tree));
        if among.len() > 1 || counted {
            let nth = among.iter().position(|other| *other == index).unwrap_or(0) + 1;
            address.push_str(&format!("[{nth}]"));
        }
    }

    /// The key that the label is read as, if it leads back to the item.
    fn own_key(&self, tree: &Tree, index: u32, label: &str, named: bool) -> Option<u64> {
        if label.ends_with('\\') {
            return None; // it would escape what follows
        }
        // Behind a selector the name of a declaration must be read as one, and before a step nothing may be left open.
        let shown = format!("{}{label} >> a", if named { "a" } else { "" });
        let steps = target::parse(&shown, tree.dialect).ok()?;
        let step = match (&steps[..], named) {
            ([step, last], false) | ([_, step, last], true) if last.text == "a" => step,
            _ => return None,
        };
        let key = step.key.filter(|_| step.nth.is_none())?;
        Keys::default().own(tree, index).contains(&key).then_some(key)
    }
}
