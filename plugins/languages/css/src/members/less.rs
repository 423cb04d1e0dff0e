//! Variables in LESS. In a block, the variables that are declared anywhere in it are visible, and those of the
//! enclosing blocks. A block that calls a mixin can also use the variables of the mixin. Uses that may refer to such a
//! variable are marked as uncertain.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use marquetry_sdk::Usage;

use super::{
    Member, MemberKind, Members, OccurrenceCollector, Owner,
    expression::{self, Callee, ExpressionName},
    loads, parameter_member_name,
};
use crate::{
    chars::{Dialect, name_end},
    scanner::TokenKind,
    tree::{Item, Kind as ItemKind, NONE, Tree},
};

pub(super) fn read_members(tree: &Tree) -> Members {
    let mut reader = Reader {
        tree,
        found: OccurrenceCollector { tree, places: Vec::new() },
        locals: Vec::new(),
        scopes: HashMap::new(),
        mixin_variables: HashSet::new(),
        calling_blocks: HashSet::new(),
        declared: HashSet::new(),
    };
    for index in 0..tree.items.len() as u32 {
        reader.collect_declarations(index);
    }
    for index in 0..tree.items.len() as u32 {
        reader.visit_item(index);
    }
    let (places, locals) = (reader.found.places, reader.locals);
    Members { occurrences: places, locals, loads: loads::find_loads(tree) }
}

struct Reader<'t> {
    tree: &'t Tree,
    found: OccurrenceCollector<'t>,
    locals: Vec<Option<Member>>,
    /// For each block, given by its item, the numbers of the variables that are declared in it.
    scopes: HashMap<u32, HashMap<String, u32>>,
    /// Names of the variables declared in blocks that can be called as a mixin.
    mixin_variables: HashSet<String>,
    /// Blocks that contain calls. [`NONE`] stands for the file.
    calling_blocks: HashSet<u32>,
    /// Offsets of the names in declarations.
    declared: HashSet<usize>,
}

impl Reader<'_> {
    fn collect_declarations(&mut self, index: u32) {
        let tree = self.tree;
        let item = tree.item(index);
        match item.kind {
            ItemKind::Variable if tree.head(item).starts_with('@') => {
                let name = item.start as usize + 1..item.start as usize + tree.name(item).len();
                let parent = tree.items.get(item.parent as usize);
                if parent
                    .is_some_and(|parent| matches!(parent.kind, ItemKind::Rule | ItemKind::Mixin | ItemKind::Variable))
                {
                    self.mixin_variables.insert(self.found.normalized_name(&name));
                }
                self.declare(name, item.parent, None);
            }
            ItemKind::Mixin => self.declare_parameters(index, item),
            ItemKind::Call => drop(self.calling_blocks.insert(item.parent)),
            _ => {}
        }
    }

    fn declare(&mut self, name: Range<usize>, scope: u32, of: Option<Member>) {
        self.declared.insert(name.start);
        if scope == NONE {
            return self.found.push(MemberKind::Variable, name, Owner::Global, Usage::Declaration);
        }
        let own = self.found.normalized_name(&name);
        let names = self.scopes.entry(scope).or_default();
        let next = self.locals.len() as u32;
        let number = *names.entry(own).or_insert(next);
        if number == next {
            self.locals.push(of);
        }
        self.found.push(MemberKind::Variable, name, Owner::Local(number), Usage::Declaration);
    }

    /// Declares the parameters of a mixin: `.mixin(@a; @b: 1; @rest...)`.
    fn declare_parameters(&mut self, index: u32, item: &Item) {
        let tree = self.tree;
        let head = item.head_range();
        let Some(open) = tree.text[head.clone()].find('(').map(|at| head.start + at) else { return };
        let mixin = tree.text[head.start..open].trim_end().to_owned();
        let mut scan = tree.scan();
        let (_, end) = scan.token_at(open);
        let end = (end - usize::from(tree.text[..end].ends_with(')'))).min(head.end);
        let mut at = open + 1;
        let mut is_first = true;
        while at < end {
            let (part, next) = scan.token_at(at);
            if is_first && tree.text.as_bytes()[at] == b'@' && part != TokenKind::Interpolation {
                let name = at + 1..name_end(&tree.text, at + 1).min(end);
                if !name.is_empty() {
                    let own = self.found.normalized_name(&name);
                    let member =
                        Member::new(MemberKind::MixinParameter, parameter_member_name(&mixin, &own, Dialect::Less));
                    at = name.end;
                    self.declare(name, index, Some(member));
                    is_first = false;
                    continue;
                }
            }
            is_first = matches!(part, TokenKind::Comma | TokenKind::Semicolon)
                || is_first && matches!(part, TokenKind::Space | TokenKind::Comment);
            at = next.max(at + 1);
        }
    }

    fn visit_item(&mut self, index: u32) {
        let tree = self.tree;
        let item = tree.item(index);
        let value = item.body_start as usize..item.body_end as usize;
        match item.kind {
            // The parameters of a mixin are visible in its head.
            ItemKind::Mixin => self.resolve_names(item.head_range(), index, None),
            ItemKind::Variable | ItemKind::Declaration => {
                let name = item.start as usize..item.start as usize + tree.name(item).len();
                if item.kind == ItemKind::Declaration {
                    self.resolve_names(name, item.parent, None);
                }
                if !item.block {
                    self.resolve_names(value, item.parent, None);
                }
            }
            ItemKind::Call => self.visit_call(item),
            ItemKind::AtRule | ItemKind::Import => self.resolve_names(tree.prelude(item), item.parent, None),
            _ => self.resolve_names(item.head_range(), item.parent, None),
        }
    }

    /// Reads a call: `.mixin(@a: 1; @b)` or `@detached();`.
    fn visit_call(&mut self, item: &Item) {
        let tree = self.tree;
        let head = item.head_range();
        let open = tree.text[head.clone()].find('(').map_or(head.end, |at| head.start + at);
        self.resolve_names(head.start..open, item.parent, None);
        if open == head.end {
            return;
        }
        let close = tree.scan().token_at(open).1.min(head.end);
        let inner = open + 1..(close - usize::from(tree.text[..close].ends_with(')'))).max(open + 1);
        let called = tree.text[head.start..open].trim_end();
        // In `#namespace.mixin()`, the last part is the name of the mixin.
        let name = head.start + called.rfind(['.', '#']).unwrap_or(0)..head.start + called.len();
        self.resolve_names(inner, item.parent, Some(Callee { name, namespace: None, is_mixin: true }));
        self.resolve_names(close..head.end, item.parent, None);
    }

    fn resolve_names(&mut self, range: Range<usize>, scope: u32, callee: Option<Callee>) {
        for seen in expression::names_in_expression(self.tree, range, true, callee) {
            match seen {
                ExpressionName::Variable { name, .. } => self.add_use(name, scope),
                ExpressionName::Label { name, callee } => {
                    let own = self.found.normalized_name(&name);
                    let called = self.tree.text[callee.name].to_owned();
                    let full = parameter_member_name(&called, &own, Dialect::Less);
                    self.found.push_named(MemberKind::MixinParameter, full, name, Owner::Global, Usage::Read);
                }
                ExpressionName::Mentioned { name } => {
                    self.found.push(MemberKind::Variable, name, Owner::Global, Usage::Read);
                    self.found.mark_uncertain();
                }
                ExpressionName::Function { .. } => {}
            }
        }
    }

    fn add_use(&mut self, name: Range<usize>, scope: u32) {
        // Skip the name in a declaration, which is not a use.
        if self.declared.contains(&name.start) {
            return;
        }
        let own = self.found.normalized_name(&name);
        if matches!(own.as_str(), "arguments" | "rest") {
            return;
        }
        let mut at = scope;
        let mut calls = false;
        let owner = loop {
            calls |= self.calling_blocks.contains(&at);
            if let Some(local) = self.scopes.get(&at).and_then(|names| names.get(&own)) {
                break Owner::Local(*local);
            }
            match self.tree.items.get(at as usize) {
                Some(item) => at = item.parent,
                None => break Owner::Global,
            }
        };
        self.found.push(MemberKind::Variable, name, owner, Usage::Read);
        if owner == Owner::Global && calls && self.mixin_variables.contains(&own) {
            self.found.mark_uncertain();
        }
    }
}
