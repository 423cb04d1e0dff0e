//! Members in SCSS, with the scopes of Sass. A variable belongs to the block that assigns it first. In a block of
//! control flow such as `@if`, an assignment changes an existing variable of the enclosing scopes, even one of the
//! file. In other blocks, only `!global` assigns a variable of the file.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use marquetry_sdk::Usage;

use super::{
    LoadKind, Member, MemberKind, Members, OccurrenceCollector, Owner,
    expression::{self, Callee, ExpressionName},
    loads::{self, Load},
    parameter_member_name,
};
use crate::{
    chars::{Dialect, name_end},
    keys,
    scanner::TokenKind,
    tree::{Item, Kind as ItemKind, Tree},
};

pub(super) fn read_members(tree: &Tree) -> Members {
    let loads = loads::find_loads(tree);
    let mut reader = Reader {
        tree,
        loads: &loads,
        found: OccurrenceCollector { tree, places: Vec::new() },
        locals: Vec::new(),
        scopes: vec![Scope { end: u32::MAX, flow: AssignmentScope::Transparent, start: 0, names: HashMap::new() }],
        declared: HashSet::new(),
    };
    for index in 0..tree.items.len() as u32 {
        reader.visit_item(index);
    }
    reader.read_comments();
    let (places, locals) = (reader.found.places, reader.locals);
    Members { occurrences: places, locals, loads }
}

/// The scope of variables that a block assigns and that no enclosing block declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AssignmentScope {
    /// An assignment declares a new variable of the block.
    Own,
    /// An assignment changes the variable of the file, if there is one, and if all enclosing blocks are `Transparent`
    /// or `Repeated`.
    Transparent,
    /// Like `Transparent`. The block is also the body of a loop, so that code at its start can run after code at its
    /// end.
    Repeated,
}

struct Scope {
    /// Index after the last item in the block.
    end: u32,
    flow: AssignmentScope,
    /// Number of occurrences found before the block.
    start: usize,
    /// Numbers of the declarations in the block.
    names: HashMap<Member, u32>,
}

struct Reader<'t> {
    tree: &'t Tree,
    loads: &'t [Load],
    found: OccurrenceCollector<'t>,
    locals: Vec<Option<Member>>,
    /// Scopes of the enclosing blocks. The first is the scope of the file.
    scopes: Vec<Scope>,
    /// Names of the variables of the file that have been assigned so far.
    declared: HashSet<String>,
}

impl Reader<'_> {
    fn visit_item(&mut self, index: u32) {
        let tree = self.tree;
        let item = tree.item(index);
        while self.scopes.last().is_some_and(|scope| scope.end <= index) {
            self.scopes.pop();
        }
        match item.kind {
            ItemKind::Variable => self.visit_variable(item),
            ItemKind::Mixin | ItemKind::Function => self.visit_definition(item),
            ItemKind::Include => self.visit_include(item),
            ItemKind::AtRule => self.visit_at_rule(item),
            ItemKind::Import => self.visit_load(index, item),
            ItemKind::Declaration => {
                self.read_names(item.start as usize..item.start as usize + tree.name(item).len(), false);
                let is_code = !tree.head(item).starts_with("--");
                if item.block {
                    let colon = tree.first_colon(item).map_or(item.head as usize, |colon| colon + 1);
                    self.read_names(colon.min(item.head as usize)..item.head as usize, is_code);
                    self.open_scope(item, AssignmentScope::Own);
                } else {
                    self.read_names(item.body_start as usize..item.body_end as usize, is_code);
                }
            }
            ItemKind::Rule | ItemKind::Keyframe => {
                self.read_names(item.head_range(), false);
                self.open_scope(item, AssignmentScope::Own);
            }
            ItemKind::Extend => self.read_names(item.head_range(), false),
            // Map entries are read as part of the value of their variable.
            ItemKind::Entry | ItemKind::Call => {}
        }
    }

    fn open_scope(&mut self, item: &Item, flow: AssignmentScope) {
        if item.block {
            let start = self.found.places.len();
            self.scopes.push(Scope { end: item.next, flow, start, names: HashMap::new() });
        }
    }

    // --- declarations ---

    fn visit_variable(&mut self, item: &Item) {
        let tree = self.tree;
        let value = item.body_start as usize..item.body_end as usize;
        self.read_names(value.clone(), true);
        let head = item.head_range();
        let text = &tree.text[head.clone()];
        let Some(sign) = text.find('$') else { return };
        let name = head.start + sign + 1..head.end;
        if sign > 0 {
            let namespace = head.start..head.start + sign - 1;
            return self.add_module_use(MemberKind::Variable, name, &namespace, Usage::Write);
        }
        let is_global = variable_flags(&tree.text[value]).any(|flag| flag == "global");
        self.assign_variable(name, is_global);
    }

    /// Adds an assignment of a variable. The first assignment declares the variable.
    fn assign_variable(&mut self, name: Range<usize>, is_global: bool) {
        let member = Member::new(MemberKind::Variable, self.found.normalized_name(&name));
        if is_global || self.scopes.len() == 1 {
            self.declared.insert(member.name);
            return self.found.push(MemberKind::Variable, name, Owner::Global, Usage::Declaration);
        }
        if let Some(local) = self.find_local(&member) {
            return self.found.push(MemberKind::Variable, name, Owner::Local(local), Usage::Write);
        }
        let through_all = self.scopes[1..].iter().all(|scope| scope.flow != AssignmentScope::Own);
        if through_all && self.declared.contains(&member.name) {
            return self.found.push(MemberKind::Variable, name, Owner::Global, Usage::Declaration);
        }
        let may_be_elsewhere =
            through_all && self.loads.iter().any(|load| matches!(load.kind, LoadKind::Import | LoadKind::Use(None)));
        self.declare(MemberKind::Variable, name, None);
        if may_be_elsewhere {
            self.found.mark_uncertain();
        }
    }

    /// Declares a name in the innermost block.
    fn declare(&mut self, kind: MemberKind, name: Range<usize>, is_parameter_of: Option<Member>) {
        let member = Member::new(kind, self.found.normalized_name(&name));
        if self.scopes.len() == 1 {
            return self.found.push(kind, name, Owner::Global, Usage::Declaration);
        }
        let number = self.locals.len() as u32;
        self.locals.push(is_parameter_of);
        if let Some(scope) = self.scopes.last_mut() {
            if scope.flow == AssignmentScope::Repeated {
                // In the second iteration of the loop, uses before this declaration can refer to it.
                for place in self.found.places.iter_mut().skip(scope.start).filter(|place| place.refers_to(&member)) {
                    place.certain = false;
                }
            }
            scope.names.insert(member, number);
        }
        self.found.push(kind, name, Owner::Local(number), Usage::Declaration);
    }

    /// Returns the declaration in an enclosing block that the name refers to at the current position.
    fn find_local(&self, member: &Member) -> Option<u32> {
        self.scopes[1..].iter().rev().find_map(|scope| scope.names.get(member)).copied()
    }

    fn visit_definition(&mut self, item: &Item) {
        let tree = self.tree;
        let prelude = tree.prelude(item);
        let (kind, of_parameter) = match item.kind {
            ItemKind::Mixin => (MemberKind::Mixin, MemberKind::MixinParameter),
            _ => (MemberKind::Function, MemberKind::FunctionParameter),
        };
        let callee = keys::callee(&tree.text[prelude.clone()]);
        let start = prelude.start + tree.text[prelude.clone()].find(callee).unwrap_or(0);
        let name = start..start + callee.len();
        // `@function --name()` is a function of CSS.
        if callee.is_empty() || callee.starts_with("--") || name_end(callee, 0) != callee.len() {
            self.read_names(prelude, false);
            return self.open_scope(item, AssignmentScope::Own);
        }
        let is_global = self.scopes.len() == 1;
        self.declare(kind, name.clone(), None);
        let callee = self.found.normalized_name(&name);
        self.open_scope(item, AssignmentScope::Own);
        self.declare_parameters(name.end..item.head as usize, |own| {
            is_global.then(|| Member::new(of_parameter, parameter_member_name(&callee, own, Dialect::Scss)))
        });
    }

    /// Declares the parameters `($a, $b: 1, $rest...)`.
    fn declare_parameters(&mut self, range: Range<usize>, of: impl Fn(&str) -> Option<Member>) {
        let tree = self.tree;
        let mut scan = tree.scan();
        let (TokenKind::Group, start, end) = scan.next_token(range.start) else { return };
        let end = (end - usize::from(tree.text[..end].ends_with(')'))).min(range.end);
        let mut at = start + 1;
        while at < end {
            let (_, from, _) = scan.next_token(at);
            let mut stop = from;
            while stop < end && scan.token_at(stop).0 != TokenKind::Comma {
                stop = scan.token_at(stop).1.max(stop + 1);
            }
            let stop = stop.min(end);
            if tree.text[from.min(stop)..stop].starts_with('$') {
                let name = from + 1..name_end(&tree.text, from + 1).min(stop);
                self.read_names(name.end..stop, true);
                let own = self.found.normalized_name(&name);
                self.declare(MemberKind::Variable, name, of(&own));
            }
            at = stop + 1;
        }
    }

    fn visit_include(&mut self, item: &Item) {
        let tree = self.tree;
        let prelude = tree.prelude(item);
        let mut scan = tree.scan();
        let (part, start, mut end) = scan.next_token(prelude.start);
        let mut callee = Callee { name: start..end, namespace: None, is_mixin: true };
        if part == TokenKind::Word && end < prelude.end && scan.byte(end) == Some(b'.') {
            let name = end + 1..name_end(&tree.text, end + 1).min(prelude.end);
            end = name.end;
            callee = Callee { name, namespace: Some(start..callee.name.end), is_mixin: true };
        }
        if part == TokenKind::Word && !tree.text[end..].starts_with("#{") {
            self.add_use(MemberKind::Mixin, callee.name.clone(), callee.namespace.clone());
        }
        let (arguments, from, to) = scan.next_token(end);
        let mut rest = end;
        if arguments == TokenKind::Group && to <= prelude.end {
            let inner = from + 1..(to - usize::from(tree.text[..to].ends_with(')'))).max(from + 1);
            self.resolve_names(expression::names_in_expression(tree, inner, true, Some(callee)));
            rest = to;
        } else {
            self.read_names(end..prelude.end, false);
        }
        self.open_scope(item, AssignmentScope::Own);
        // `using ($a, $b)` declares parameters of the block.
        if let (TokenKind::Word, from, to) = scan.next_token(rest)
            && to <= prelude.end
            && tree.text[from..to].eq_ignore_ascii_case("using")
        {
            self.declare_parameters(to..prelude.end, |_| None);
        }
    }

    fn visit_at_rule(&mut self, item: &Item) {
        let tree = self.tree;
        let prelude = tree.prelude(item);
        match tree.name(item) {
            "@if" | "@else" => {
                self.read_names(prelude, true);
                self.open_scope(item, AssignmentScope::Transparent);
            }
            "@while" => {
                self.read_names(prelude, true);
                self.open_scope(item, AssignmentScope::Repeated);
            }
            "@each" => self.visit_loop(item, "in"),
            "@for" => self.visit_loop(item, "from"),
            _ => {
                self.read_names(prelude, true);
                self.open_scope(item, AssignmentScope::Own);
            }
        }
    }

    /// Reads the head of a loop: `@each $a, $b in list` or `@for $i from 1 through 3`.
    fn visit_loop(&mut self, item: &Item, word: &str) {
        let tree = self.tree;
        let prelude = tree.prelude(item);
        let mut scan = tree.scan();
        let mut names = Vec::new();
        let mut at = prelude.start;
        while at < prelude.end {
            let (part, end) = scan.token_at(at);
            match part {
                TokenKind::Word if &tree.text[at..end] == word => break,
                TokenKind::Word if tree.text[..at].ends_with('$') => names.push(at..end),
                _ => {}
            }
            at = end;
        }
        self.read_names(at..prelude.end, true);
        self.open_scope(item, AssignmentScope::Repeated);
        for name in names {
            self.declare(MemberKind::Variable, name, None);
        }
    }

    fn visit_load(&mut self, index: u32, item: &Item) {
        let tree = self.tree;
        for (number, load) in self.loads.iter().enumerate().filter(|(_, load)| load.item == index) {
            let Some(with) = &load.with else { continue };
            // The names in `with (…)` are variables of the module. The values are expressions in the scope of this
            // file.
            let inner = with.start + 1..with.end - usize::from(tree.text[..with.end].ends_with(')'));
            let callee = Callee { name: with.start..with.start, namespace: None, is_mixin: false };
            for seen in expression::names_in_expression(tree, inner, true, Some(callee.clone())) {
                match seen {
                    ExpressionName::Label { name, callee: of } if of == callee => {
                        self.found.push(MemberKind::Variable, name, Owner::Clause(number as u32), Usage::Write);
                    }
                    other => self.resolve_names(vec![other]),
                }
            }
        }
        if self.loads.iter().all(|load| load.item != index) {
            self.read_names(tree.prelude(item), false);
        }
    }

    // --- uses ---

    fn read_names(&mut self, range: Range<usize>, is_code: bool) {
        self.resolve_names(expression::names_in_expression(self.tree, range, is_code, None));
    }

    fn resolve_names(&mut self, all: Vec<ExpressionName>) {
        for seen in all {
            match seen {
                ExpressionName::Variable { name, namespace } => self.add_use(MemberKind::Variable, name, namespace),
                ExpressionName::Function { name, namespace } => self.add_use(MemberKind::Function, name, namespace),
                ExpressionName::Label { name, callee } => self.add_named_argument(name, &callee),
                ExpressionName::Mentioned { name } => {
                    for kind in [MemberKind::Variable, MemberKind::Mixin, MemberKind::Function] {
                        self.found.push(kind, name.clone(), Owner::Global, Usage::InString);
                        self.found.mark_uncertain();
                    }
                }
            }
        }
    }

    fn add_use(&mut self, kind: MemberKind, name: Range<usize>, namespace: Option<Range<usize>>) {
        if let Some(namespace) = namespace {
            return self.add_module_use(kind, name, &namespace, Usage::Read);
        }
        let member = Member::new(kind, self.found.normalized_name(&name));
        let owner = self.find_local(&member).map_or(Owner::Global, Owner::Local);
        self.found.push(kind, name, owner, Usage::Read);
    }

    fn module_owner(&self, namespace: &Range<usize>) -> Option<Owner> {
        let wanted = &self.tree.text[namespace.clone()];
        let is_it = |load: &Load| matches!(&load.kind, LoadKind::Use(Some(own)) if own == wanted);
        self.loads.iter().position(is_it).map(|number| Owner::Module(number as u32))
    }

    fn add_module_use(&mut self, kind: MemberKind, name: Range<usize>, namespace: &Range<usize>, usage: Usage) {
        if let Some(owner) = self.module_owner(namespace) {
            self.found.push(kind, name, owner, usage);
        }
    }

    /// Adds the name of an argument in a call: `$name:`.
    fn add_named_argument(&mut self, name: Range<usize>, callee: &Callee) {
        let (kind, of) = if callee.is_mixin {
            (MemberKind::MixinParameter, MemberKind::Mixin)
        } else {
            (MemberKind::FunctionParameter, MemberKind::Function)
        };
        let called = self.found.normalized_name(&callee.name);
        let owner = match &callee.namespace {
            Some(namespace) => self.module_owner(namespace),
            None if self.find_local(&Member::new(of, &*called)).is_some() => None,
            None => Some(Owner::Global),
        };
        let Some(owner) = owner else { return };
        let full = parameter_member_name(&called, &self.found.normalized_name(&name), Dialect::Scss);
        self.found.push_named(kind, full, name, owner, Usage::Read);
    }

    /// Adds the names in interpolations in comments. They are not resolved.
    fn read_comments(&mut self) {
        let text = self.tree.text.as_str();
        let mut from = 0;
        while let Some(start) = text[from..].find("/*").map(|at| from + at) {
            let end = text[start..].find("*/").map_or(text.len(), |at| start + at);
            from = end;
            if !text[start..end].contains("#{") || self.tree.scan().token_at(start).0 != TokenKind::Comment {
                continue;
            }
            for seen in expression::names_in_expression(self.tree, start + 2..end, false, None) {
                let (kind, name) = match seen {
                    ExpressionName::Variable { name, namespace: None } => (MemberKind::Variable, name),
                    ExpressionName::Function { name, namespace: None } => (MemberKind::Function, name),
                    _ => continue,
                };
                self.found.push(kind, name, Owner::Global, Usage::InComment);
                self.found.mark_uncertain();
            }
        }
    }
}

/// Returns the flags `!global` and `!default` at the end of a value.
fn variable_flags(value: &str) -> impl Iterator<Item = &str> {
    value
        .rsplit('!')
        .take(value.matches('!').count())
        .map(str::trim)
        .take_while(|flag| matches!(*flag, "global" | "default"))
}
