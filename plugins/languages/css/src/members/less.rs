//! Variables in LESS. The scope of a block contains the variables declared anywhere in it, and those of the enclosing
//! blocks. Variables of a mixin are also visible to its callers; names that such variables may affect are uncertain.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use marquetry_sdk::Usage;

use super::{
    Found, Kind, Member, Members, Owner,
    expression::{self, Callee, Seen},
    loads, parameter,
};
use crate::{
    chars::{Dialect, name_end},
    scan::Part,
    tree::{Item, Kind as ItemKind, NONE, Tree},
};

pub(super) fn read(tree: &Tree) -> Members {
    let mut reader = Reader {
        tree,
        found: Found { tree, places: Vec::new() },
        locals: Vec::new(),
        scopes: HashMap::new(),
        leaks: HashSet::new(),
        callers: HashSet::new(),
        declared: HashSet::new(),
    };
    for index in 0..tree.items.len() as u32 {
        reader.declarations(index);
    }
    for index in 0..tree.items.len() as u32 {
        reader.item(index);
    }
    let (places, locals) = (reader.found.places, reader.locals);
    Members { places, locals, loads: loads::loads(tree) }
}

struct Reader<'t> {
    tree: &'t Tree,
    found: Found<'t>,
    locals: Vec<Option<Member>>,
    /// Variables of each block, by the block's item.
    scopes: HashMap<u32, HashMap<String, u32>>,
    /// Variables declared in blocks that can be called.
    leaks: HashSet<String>,
    /// Blocks that contain calls; [`NONE`] is the file.
    callers: HashSet<u32>,
    /// Offsets of the names of declarations.
    declared: HashSet<usize>,
}

impl Reader<'_> {
    fn declarations(&mut self, index: u32) {
        let tree = self.tree;
        let item = tree.item(index);
        match item.kind {
            ItemKind::Variable if tree.head(item).starts_with('@') => {
                let name = item.start as usize + 1..item.start as usize + tree.name(item).len();
                let parent = tree.items.get(item.parent as usize);
                if parent
                    .is_some_and(|parent| matches!(parent.kind, ItemKind::Rule | ItemKind::Mixin | ItemKind::Variable))
                {
                    self.leaks.insert(self.found.name(&name));
                }
                self.declare(name, item.parent, None);
            }
            ItemKind::Mixin => self.parameters(index, item),
            ItemKind::Call => drop(self.callers.insert(item.parent)),
            _ => {}
        }
    }

    fn declare(&mut self, name: Range<usize>, scope: u32, of: Option<Member>) {
        self.declared.insert(name.start);
        if scope == NONE {
            return self.found.push(Kind::Variable, name, Owner::Global, Usage::Declaration);
        }
        let own = self.found.name(&name);
        let names = self.scopes.entry(scope).or_default();
        let next = self.locals.len() as u32;
        let number = *names.entry(own).or_insert(next);
        if number == next {
            self.locals.push(of);
        }
        self.found.push(Kind::Variable, name, Owner::Local(number), Usage::Declaration);
    }

    /// `.mixin(@a; @b: 1; @rest...)`
    fn parameters(&mut self, index: u32, item: &Item) {
        let tree = self.tree;
        let head = item.head_range();
        let Some(open) = tree.text[head.clone()].find('(').map(|at| head.start + at) else { return };
        let mixin = tree.text[head.start..open].trim_end().to_owned();
        let mut scan = tree.scan();
        let (_, end) = scan.part(open);
        let end = (end - usize::from(tree.text[..end].ends_with(')'))).min(head.end);
        let mut at = open + 1;
        let mut is_first = true;
        while at < end {
            let (part, next) = scan.part(at);
            if is_first && tree.text.as_bytes()[at] == b'@' && part != Part::Interpolation {
                let name = at + 1..name_end(&tree.text, at + 1).min(end);
                if !name.is_empty() {
                    let own = self.found.name(&name);
                    let member = Member::new(Kind::MixinParameter, parameter(&mixin, &own, Dialect::Less));
                    at = name.end;
                    self.declare(name, index, Some(member));
                    is_first = false;
                    continue;
                }
            }
            is_first = matches!(part, Part::Comma | Part::Semicolon)
                || is_first && matches!(part, Part::Space | Part::Comment);
            at = next.max(at + 1);
        }
    }

    fn item(&mut self, index: u32) {
        let tree = self.tree;
        let item = tree.item(index);
        let value = item.body_start as usize..item.body_end as usize;
        match item.kind {
            // The head of a mixin is in the scope of its parameters.
            ItemKind::Mixin => self.names(item.head_range(), index, None),
            ItemKind::Variable | ItemKind::Declaration => {
                let name = item.start as usize..item.start as usize + tree.name(item).len();
                if item.kind == ItemKind::Declaration {
                    self.names(name, item.parent, None);
                }
                if !item.block {
                    self.names(value, item.parent, None);
                }
            }
            ItemKind::Call => self.call(item),
            ItemKind::AtRule | ItemKind::Import => self.names(tree.prelude(item), item.parent, None),
            _ => self.names(item.head_range(), item.parent, None),
        }
    }

    /// `.mixin(@a: 1; @b)`, `@detached();`
    fn call(&mut self, item: &Item) {
        let tree = self.tree;
        let head = item.head_range();
        let open = tree.text[head.clone()].find('(').map_or(head.end, |at| head.start + at);
        self.names(head.start..open, item.parent, None);
        if open == head.end {
            return;
        }
        let close = tree.scan().part(open).1.min(head.end);
        let inner = open + 1..(close - usize::from(tree.text[..close].ends_with(')'))).max(open + 1);
        let called = tree.text[head.start..open].trim_end();
        // The last part of a path is the callee.
        let name = head.start + called.rfind(['.', '#']).unwrap_or(0)..head.start + called.len();
        self.names(inner, item.parent, Some(Callee { name, namespace: None, is_mixin: true }));
        self.names(close..head.end, item.parent, None);
    }

    fn names(&mut self, range: Range<usize>, scope: u32, callee: Option<Callee>) {
        for seen in expression::names(self.tree, range, true, callee) {
            match seen {
                Seen::Variable { name, .. } => self.used(name, scope),
                Seen::Label { name, callee } => {
                    let own = self.found.name(&name);
                    let called = self.tree.text[callee.name].to_owned();
                    let full = parameter(&called, &own, Dialect::Less);
                    self.found.push_named(Kind::MixinParameter, full, name, Owner::Global, Usage::Read);
                }
                Seen::Spelled { name } => {
                    self.found.push(Kind::Variable, name, Owner::Global, Usage::Read);
                    self.found.doubt();
                }
                Seen::Function { .. } => {}
            }
        }
    }

    fn used(&mut self, name: Range<usize>, scope: u32) {
        // This is the declaration itself.
        if self.declared.contains(&name.start) {
            return;
        }
        let own = self.found.name(&name);
        if matches!(own.as_str(), "arguments" | "rest") {
            return;
        }
        let mut at = scope;
        let mut calls = false;
        let owner = loop {
            calls |= self.callers.contains(&at);
            if let Some(local) = self.scopes.get(&at).and_then(|names| names.get(&own)) {
                break Owner::Local(*local);
            }
            match self.tree.items.get(at as usize) {
                Some(item) => at = item.parent,
                None => break Owner::Global,
            }
        };
        self.found.push(Kind::Variable, name, owner, Usage::Read);
        if owner == Owner::Global && calls && self.leaks.contains(&own) {
            self.found.doubt();
        }
    }
}
