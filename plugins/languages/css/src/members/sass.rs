//! Members in SCSS, with the scopes of Sass: a variable belongs to the block that first assigns it; control flow blocks
//! assign variables of the enclosing scope; only `!global` assigns variables of the file.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use marquetry_sdk::Usage;

use super::{
    Found, Kind, LoadKind, Member, Members, Owner,
    expression::{self, Callee, Seen},
    loads::{self, Load},
    parameter,
};
use crate::{
    chars::{Dialect, name_end},
    keys,
    scan::Part,
    tree::{Item, Kind as ItemKind, Tree},
};

pub(super) fn read(tree: &Tree) -> Members {
    let loads = loads::loads(tree);
    let mut reader = Reader {
        tree,
        loads: &loads,
        found: Found { tree, places: Vec::new() },
        locals: Vec::new(),
        scopes: vec![Scope { end: u32::MAX, flow: Flow::Through, start: 0, names: HashMap::new() }],
        declared: HashSet::new(),
    };
    for index in 0..tree.items.len() as u32 {
        reader.item(index);
    }
    reader.comments();
    let (places, locals) = (reader.found.places, reader.locals);
    Members { places, locals, loads }
}

/// Effect of a block on variables assigned in it that no enclosing block declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    /// They are new variables of the block.
    Own,
    /// They are variables of the file if those exist and all enclosing blocks are `Through` or `Again`.
    Through,
    /// Like `Through`, but the block can run repeatedly, so that its start can follow its end.
    Again,
}

struct Scope {
    /// Index after the last item in the block.
    end: u32,
    flow: Flow,
    /// Number of occurrences when the block began.
    start: usize,
    /// Declarations in the block, by kind and name.
    names: HashMap<Member, u32>,
}

struct Reader<'t> {
    tree: &'t Tree,
    loads: &'t [Load],
    found: Found<'t>,
    locals: Vec<Option<Member>>,
    /// The first scope is that of the file.
    scopes: Vec<Scope>,
    /// Variables of the file that are assigned so far.
    declared: HashSet<String>,
}

impl Reader<'_> {
    fn item(&mut self, index: u32) {
        let tree = self.tree;
        let item = tree.item(index);
        while self.scopes.last().is_some_and(|scope| scope.end <= index) {
            self.scopes.pop();
        }
        match item.kind {
            ItemKind::Variable => self.variable(item),
            ItemKind::Mixin | ItemKind::Function => self.definition(item),
            ItemKind::Include => self.include(item),
            ItemKind::AtRule => self.at_rule(item),
            ItemKind::Import => self.load(index, item),
            ItemKind::Declaration => {
                self.names(item.start as usize..item.start as usize + tree.name(item).len(), false);
                let is_code = !tree.head(item).starts_with("--");
                if item.block {
                    let colon = tree.colon(item).map_or(item.head as usize, |colon| colon + 1);
                    self.names(colon.min(item.head as usize)..item.head as usize, is_code);
                    self.open(item, Flow::Own);
                } else {
                    self.names(item.body_start as usize..item.body_end as usize, is_code);
                }
            }
            ItemKind::Rule | ItemKind::Keyframe => {
                self.names(item.head_range(), false);
                self.open(item, Flow::Own);
            }
            ItemKind::Extend => self.names(item.head_range(), false),
            // Read as part of the variable's value.
            ItemKind::Entry | ItemKind::Call => {}
        }
    }

    fn open(&mut self, item: &Item, flow: Flow) {
        if item.block {
            let start = self.found.places.len();
            self.scopes.push(Scope { end: item.next, flow, start, names: HashMap::new() });
        }
    }

    // --- declarations ---

    fn variable(&mut self, item: &Item) {
        let tree = self.tree;
        let value = item.body_start as usize..item.body_end as usize;
        self.names(value.clone(), true);
        let head = item.head_range();
        let text = &tree.text[head.clone()];
        let Some(sign) = text.find('$') else { return };
        let name = head.start + sign + 1..head.end;
        if sign > 0 {
            let namespace = head.start..head.start + sign - 1;
            return self.of_module(Kind::Variable, name, &namespace, Usage::Write);
        }
        let is_global = flags(&tree.text[value]).any(|flag| flag == "global");
        self.set(name, is_global);
    }

    /// Adds the assignment of a variable, which can declare it.
    fn set(&mut self, name: Range<usize>, is_global: bool) {
        let member = Member::new(Kind::Variable, self.found.name(&name));
        if is_global || self.scopes.len() == 1 {
            self.declared.insert(member.name);
            return self.found.push(Kind::Variable, name, Owner::Global, Usage::Declaration);
        }
        if let Some(local) = self.local(&member) {
            return self.found.push(Kind::Variable, name, Owner::Local(local), Usage::Write);
        }
        let through_all = self.scopes[1..].iter().all(|scope| scope.flow != Flow::Own);
        if through_all && self.declared.contains(&member.name) {
            return self.found.push(Kind::Variable, name, Owner::Global, Usage::Declaration);
        }
        let may_be_elsewhere =
            through_all && self.loads.iter().any(|load| matches!(load.kind, LoadKind::Import | LoadKind::Use(None)));
        self.declare(Kind::Variable, name, None);
        if may_be_elsewhere {
            self.found.doubt();
        }
    }

    /// Declares a name in the innermost block.
    fn declare(&mut self, kind: Kind, name: Range<usize>, is_parameter_of: Option<Member>) {
        let member = Member::new(kind, self.found.name(&name));
        if self.scopes.len() == 1 {
            return self.found.push(kind, name, Owner::Global, Usage::Declaration);
        }
        let number = self.locals.len() as u32;
        self.locals.push(is_parameter_of);
        if let Some(scope) = self.scopes.last_mut() {
            if scope.flow == Flow::Again {
                // From the second iteration on, earlier uses can refer to this declaration.
                for place in self.found.places.iter_mut().skip(scope.start).filter(|place| place.is_of(&member)) {
                    place.certain = false;
                }
            }
            scope.names.insert(member, number);
        }
        self.found.push(kind, name, Owner::Local(number), Usage::Declaration);
    }

    /// Local declaration that the name refers to here.
    fn local(&self, member: &Member) -> Option<u32> {
        self.scopes[1..].iter().rev().find_map(|scope| scope.names.get(member)).copied()
    }

    fn definition(&mut self, item: &Item) {
        let tree = self.tree;
        let prelude = tree.prelude(item);
        let (kind, of_parameter) = match item.kind {
            ItemKind::Mixin => (Kind::Mixin, Kind::MixinParameter),
            _ => (Kind::Function, Kind::FunctionParameter),
        };
        let callee = keys::callee(&tree.text[prelude.clone()]);
        let start = prelude.start + tree.text[prelude.clone()].find(callee).unwrap_or(0);
        let name = start..start + callee.len();
        // `@function --name()` is CSS.
        if callee.is_empty() || callee.starts_with("--") || name_end(callee, 0) != callee.len() {
            self.names(prelude, false);
            return self.open(item, Flow::Own);
        }
        let is_global = self.scopes.len() == 1;
        self.declare(kind, name.clone(), None);
        let callee = self.found.name(&name);
        self.open(item, Flow::Own);
        self.parameters(name.end..item.head as usize, |own| {
            is_global.then(|| Member::new(of_parameter, parameter(&callee, own, Dialect::Scss)))
        });
    }

    /// `($a, $b: 1, $rest...)`
    fn parameters(&mut self, range: Range<usize>, of: impl Fn(&str) -> Option<Member>) {
        let tree = self.tree;
        let mut scan = tree.scan();
        let (Part::Group, start, end) = scan.next(range.start) else { return };
        let end = (end - usize::from(tree.text[..end].ends_with(')'))).min(range.end);
        let mut at = start + 1;
        while at < end {
            let (_, from, _) = scan.next(at);
            let mut stop = from;
            while stop < end && scan.part(stop).0 != Part::Comma {
                stop = scan.part(stop).1.max(stop + 1);
            }
            let stop = stop.min(end);
            if tree.text[from.min(stop)..stop].starts_with('$') {
                let name = from + 1..name_end(&tree.text, from + 1).min(stop);
                self.names(name.end..stop, true);
                let own = self.found.name(&name);
                self.declare(Kind::Variable, name, of(&own));
            }
            at = stop + 1;
        }
    }

    fn include(&mut self, item: &Item) {
        let tree = self.tree;
        let prelude = tree.prelude(item);
        let mut scan = tree.scan();
        let (part, start, mut end) = scan.next(prelude.start);
        let mut callee = Callee { name: start..end, namespace: None, is_mixin: true };
        if part == Part::Word && end < prelude.end && scan.byte(end) == Some(b'.') {
            let name = end + 1..name_end(&tree.text, end + 1).min(prelude.end);
            end = name.end;
            callee = Callee { name, namespace: Some(start..callee.name.end), is_mixin: true };
        }
        if part == Part::Word && !tree.text[end..].starts_with("#{") {
            self.used(Kind::Mixin, callee.name.clone(), callee.namespace.clone());
        }
        let (arguments, from, to) = scan.next(end);
        let mut rest = end;
        if arguments == Part::Group && to <= prelude.end {
            let inner = from + 1..(to - usize::from(tree.text[..to].ends_with(')'))).max(from + 1);
            self.seen(expression::names(tree, inner, true, Some(callee)));
            rest = to;
        } else {
            self.names(end..prelude.end, false);
        }
        self.open(item, Flow::Own);
        // `using ($a, $b)`
        if let (Part::Word, from, to) = scan.next(rest)
            && to <= prelude.end
            && tree.text[from..to].eq_ignore_ascii_case("using")
        {
            self.parameters(to..prelude.end, |_| None);
        }
    }

    fn at_rule(&mut self, item: &Item) {
        let tree = self.tree;
        let prelude = tree.prelude(item);
        match tree.name(item) {
            "@if" | "@else" => {
                self.names(prelude, true);
                self.open(item, Flow::Through);
            }
            "@while" => {
                self.names(prelude, true);
                self.open(item, Flow::Again);
            }
            "@each" => self.loop_over(item, "in"),
            "@for" => self.loop_over(item, "from"),
            _ => {
                self.names(prelude, true);
                self.open(item, Flow::Own);
            }
        }
    }

    /// `@each $a, $b in list`, `@for $i from 1 through 3`
    fn loop_over(&mut self, item: &Item, word: &str) {
        let tree = self.tree;
        let prelude = tree.prelude(item);
        let mut scan = tree.scan();
        let mut names = Vec::new();
        let mut at = prelude.start;
        while at < prelude.end {
            let (part, end) = scan.part(at);
            match part {
                Part::Word if &tree.text[at..end] == word => break,
                Part::Word if tree.text[..at].ends_with('$') => names.push(at..end),
                _ => {}
            }
            at = end;
        }
        self.names(at..prelude.end, true);
        self.open(item, Flow::Again);
        for name in names {
            self.declare(Kind::Variable, name, None);
        }
    }

    fn load(&mut self, index: u32, item: &Item) {
        let tree = self.tree;
        for (number, load) in self.loads.iter().enumerate().filter(|(_, load)| load.item == index) {
            let Some(with) = &load.with else { continue };
            // The configured names are variables of the module; the values are evaluated here.
            let inner = with.start + 1..with.end - usize::from(tree.text[..with.end].ends_with(')'));
            let callee = Callee { name: with.start..with.start, namespace: None, is_mixin: false };
            for seen in expression::names(tree, inner, true, Some(callee.clone())) {
                match seen {
                    Seen::Label { name, callee: of } if of == callee => {
                        self.found.push(Kind::Variable, name, Owner::Clause(number as u32), Usage::Write);
                    }
                    other => self.seen(vec![other]),
                }
            }
        }
        if self.loads.iter().all(|load| load.item != index) {
            self.names(tree.prelude(item), false);
        }
    }

    // --- uses ---

    fn names(&mut self, range: Range<usize>, is_code: bool) {
        self.seen(expression::names(self.tree, range, is_code, None));
    }

    fn seen(&mut self, all: Vec<Seen>) {
        for seen in all {
            match seen {
                Seen::Variable { name, namespace } => self.used(Kind::Variable, name, namespace),
                Seen::Function { name, namespace } => self.used(Kind::Function, name, namespace),
                Seen::Label { name, callee } => self.label(name, &callee),
                Seen::Spelled { name } => {
                    for kind in [Kind::Variable, Kind::Mixin, Kind::Function] {
                        self.found.push(kind, name.clone(), Owner::Global, Usage::InString);
                        self.found.doubt();
                    }
                }
            }
        }
    }

    fn used(&mut self, kind: Kind, name: Range<usize>, namespace: Option<Range<usize>>) {
        if let Some(namespace) = namespace {
            return self.of_module(kind, name, &namespace, Usage::Read);
        }
        let member = Member::new(kind, self.found.name(&name));
        let owner = self.local(&member).map_or(Owner::Global, Owner::Local);
        self.found.push(kind, name, owner, Usage::Read);
    }

    fn module(&self, namespace: &Range<usize>) -> Option<Owner> {
        let wanted = &self.tree.text[namespace.clone()];
        let is_it = |load: &Load| matches!(&load.kind, LoadKind::Use(Some(own)) if own == wanted);
        self.loads.iter().position(is_it).map(|number| Owner::Module(number as u32))
    }

    fn of_module(&mut self, kind: Kind, name: Range<usize>, namespace: &Range<usize>, usage: Usage) {
        if let Some(owner) = self.module(namespace) {
            self.found.push(kind, name, owner, usage);
        }
    }

    /// `$name:` in the arguments of a call.
    fn label(&mut self, name: Range<usize>, callee: &Callee) {
        let (kind, of) = if callee.is_mixin {
            (Kind::MixinParameter, Kind::Mixin)
        } else {
            (Kind::FunctionParameter, Kind::Function)
        };
        let called = self.found.name(&callee.name);
        let owner = match &callee.namespace {
            Some(namespace) => self.module(namespace),
            None if self.local(&Member::new(of, &*called)).is_some() => None,
            None => Some(Owner::Global),
        };
        let Some(owner) = owner else { return };
        let full = parameter(&called, &self.found.name(&name), Dialect::Scss);
        self.found.push_named(kind, full, name, owner, Usage::Read);
    }

    /// Names in the interpolations of comments. They are not resolved.
    fn comments(&mut self) {
        let text = self.tree.text.as_str();
        let mut from = 0;
        while let Some(start) = text[from..].find("/*").map(|at| from + at) {
            let end = text[start..].find("*/").map_or(text.len(), |at| start + at);
            from = end;
            if !text[start..end].contains("#{") || self.tree.scan().part(start).0 != Part::Comment {
                continue;
            }
            for seen in expression::names(self.tree, start + 2..end, false, None) {
                let (kind, name) = match seen {
                    Seen::Variable { name, namespace: None } => (Kind::Variable, name),
                    Seen::Function { name, namespace: None } => (Kind::Function, name),
                    _ => continue,
                };
                self.found.push(kind, name, Owner::Global, Usage::InComment);
                self.found.doubt();
            }
        }
    }
}

/// The flags `!global` and `!default` at the end of a value.
fn flags(value: &str) -> impl Iterator<Item = &str> {
    value
        .rsplit('!')
        .take(value.matches('!').count())
        .map(str::trim)
        .take_while(|flag| matches!(*flag, "global" | "default"))
}
