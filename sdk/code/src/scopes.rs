//! Scopes and the names in them: the binding that each use of a name refers to.

use std::collections::{HashMap, HashSet};

use marquetry_sdk::{Span, Usage};

use crate::{
    arena::{Arena, Flags, Kind, NodeIndex, ROOT},
    language::{BindingKind, Language, ScopeKind},
};

/// Index of a scope.
pub type ScopeIndex = usize;

/// The scope of the file.
pub const FILE_SCOPE: ScopeIndex = 0;

/// A scope.
#[derive(Debug)]
pub struct ScopeData {
    /// The rules for looking up names in the scope.
    pub kind: ScopeKind,
    /// The scope around this scope. The parent of the file's scope is the file's scope itself.
    pub parent: ScopeIndex,
    /// The node of the scope.
    pub node: NodeIndex,
    /// The names that the scope binds, each with the end of the first statement that binds it.
    bound: HashMap<String, u32>,
    globals: HashSet<String>,
    nonlocals: HashSet<String>,
}

/// An occurrence of a name.
#[derive(Debug, Clone)]
pub struct NamePlace {
    /// The name.
    pub name: String,
    /// The range of the name.
    pub span: Span,
    /// The node of the name.
    pub node: NodeIndex,
    /// The scope from which the name is looked up.
    pub scope: ScopeIndex,
    /// The kind of binding that the occurrence creates. `None` for a use.
    pub binding: Option<BindingKind>,
    /// The kind of use.
    pub usage: Usage,
    /// True if the name is looked up after all statements of its scope were executed.
    pub is_late: bool,
}

/// All scopes and names of a document.
#[derive(Debug)]
pub struct Names {
    /// The scopes. The first one is the scope of the file.
    pub scopes: Vec<ScopeData>,
    /// The occurrences, in document order.
    pub places: Vec<NamePlace>,
    /// Names that a nested scope binds in the scope of the file (`global`).
    bound_from_inside: HashSet<String>,
}

/// The rules of a language, indexed by node kind.
struct Rules<'a> {
    language: &'static Language,
    arena: &'a Arena,
    scope_of_kind: Vec<Option<ScopeKind>>,
    is_name: Vec<bool>,
    is_use: Vec<bool>,
}

impl Rules<'_> {
    fn new<'a>(language: &'static Language, arena: &'a Arena) -> Rules<'a> {
        let scope = |name: &&str| language.scopes.iter().find(|scope| scope.node == *name).map(|scope| scope.kind);
        Rules {
            language,
            arena,
            scope_of_kind: language.kinds.iter().map(scope).collect(),
            is_name: language.kinds.iter().map(|name| language.names.contains(name)).collect(),
            is_use: language.kinds.iter().map(|name| language.uses.contains(name)).collect(),
        }
    }

    fn get<T: Copy + Default>(list: &[T], kind: Kind) -> T {
        list.get(usize::from(kind.0)).copied().unwrap_or_default()
    }

    fn is_outside(&self, parent: NodeIndex, child: NodeIndex) -> bool {
        let (parent, field) = (self.arena.node(parent).kind, self.arena.node(child).field);
        let (parent, field) = (self.language.kind_name(parent), self.language.field_name(field));
        !field.is_empty() && self.language.outside.contains(&(parent, field))
    }

    fn binding(&self, node: NodeIndex) -> Option<BindingKind> {
        let own = self.arena.node(node);
        let field = self.language.field_name(own.field);
        let parent = self.language.kind_name(self.arena.node(own.parent).kind);
        let known = self.language.bindings.iter().find(|known| known.parent == parent && known.field == field);
        let written = own.flags.has(Flags::WRITTEN).then_some(BindingKind::Variable);
        known.map(|known| known.kind).or(written)
    }
}

impl Names {
    /// Finds all names of a document.
    pub fn new(language: &'static Language, arena: &Arena) -> Names {
        let rules = Rules::new(language, arena);
        let file = ScopeData {
            kind: ScopeKind::Module,
            parent: FILE_SCOPE,
            node: ROOT,
            bound: HashMap::new(),
            globals: HashSet::new(),
            nonlocals: HashSet::new(),
        };
        let mut names = Names { scopes: vec![file], places: Vec::new(), bound_from_inside: HashSet::new() };
        // For each node, the scope that contains it and the scope of its children.
        let mut scopes: Vec<(ScopeIndex, ScopeIndex)> = Vec::with_capacity(arena.node_count() as usize);
        for (index, node) in arena.nodes() {
            if index == ROOT {
                scopes.push((FILE_SCOPE, FILE_SCOPE));
                continue;
            }
            let mut around = scopes[node.parent as usize].1;
            if rules.is_outside(node.parent, index) {
                let opener = names.scopes[around].node;
                around = scopes[opener as usize].0;
            }
            let inner = match Rules::get(&rules.scope_of_kind, node.kind) {
                Some(kind) => names.open(kind, around, index),
                None => around,
            };
            scopes.push((around, inner));
            if Rules::get(&rules.is_name, node.kind) {
                names.record(&rules, index, around);
            }
        }
        names.places.sort_by_key(|place| place.span.start);
        let bound =
            names.scopes.iter().flat_map(|scope| scope.globals.iter().filter(|name| scope.bound.contains_key(*name)));
        names.bound_from_inside = bound.cloned().collect();
        names
    }

    fn open(&mut self, kind: ScopeKind, parent: ScopeIndex, node: NodeIndex) -> ScopeIndex {
        let (bound, globals, nonlocals) = (HashMap::new(), HashSet::new(), HashSet::new());
        self.scopes.push(ScopeData { kind, parent, node, bound, globals, nonlocals });
        self.scopes.len() - 1
    }

    fn record(&mut self, rules: &Rules<'_>, node: NodeIndex, scope: ScopeIndex) {
        let own = rules.arena.node(node);
        let binding = rules.binding(node);
        if own.span.is_empty()
            || own.flags.has(Flags::MISSING)
            || (binding.is_none() && !Rules::get(&rules.is_use, own.kind))
        {
            return;
        }
        let mut name = own.span.slice(&rules.arena.text);
        if binding == Some(BindingKind::Import) {
            // The import of a dotted path binds the first name of the path.
            name = name.split('.').next().unwrap_or(name).trim_end();
        }
        if name == "*" {
            return;
        }
        let span = Span { start: own.span.start, end: own.span.start + name.len() as u32 };
        let usage = match binding {
            Some(BindingKind::Declaration | BindingKind::Parameter) => Usage::Declaration,
            Some(BindingKind::Import) => Usage::Imported,
            Some(BindingKind::Variable | BindingKind::InExpression) => Usage::Write,
            _ if own.flags.has(Flags::CALLED) => Usage::Called,
            _ => Usage::Read,
        };
        let mut scope = scope;
        if binding == Some(BindingKind::InExpression) {
            while self.scopes[scope].kind == ScopeKind::Comprehension {
                scope = self.scopes[scope].parent;
            }
        }
        self.bind(rules, node, name, scope, binding);
        let is_late = own.flags.has(Flags::LATE);
        self.places.push(NamePlace { name: name.to_owned(), span, node, scope, binding, usage, is_late });
    }

    fn bind(
        &mut self,
        rules: &Rules<'_>,
        node: NodeIndex,
        name: &str,
        scope: ScopeIndex,
        binding: Option<BindingKind>,
    ) {
        let own = &mut self.scopes[scope];
        match binding {
            None => {}
            Some(BindingKind::Global) => {
                own.globals.insert(name.to_owned());
            }
            Some(BindingKind::Nonlocal) => {
                own.nonlocals.insert(name.to_owned());
            }
            Some(_) => {
                let arena = rules.arena;
                let is_statement = |above: &NodeIndex| rules.language.is_block(arena, arena.node(*above).parent);
                let end = arena.ancestors(node).find(is_statement).map_or(0, |above| arena.node(above).span.end);
                own.bound.entry(name.to_owned()).or_insert(end);
            }
        }
    }

    /// Returns whether a scope binds a name.
    pub fn binds(&self, scope: ScopeIndex, name: &str) -> bool {
        let own = &self.scopes[scope];
        (own.bound.contains_key(name) && !own.globals.contains(name) && !own.nonlocals.contains(name))
            || (scope == FILE_SCOPE && self.bound_from_inside.contains(name))
    }

    /// The names that a scope binds, in alphabetical order.
    pub fn bound_names(&self, scope: ScopeIndex) -> impl Iterator<Item = &str> {
        let mut names: Vec<&str> = self.scopes[scope].bound.keys().map(String::as_str).collect();
        names.retain(|name| self.binds(scope, name));
        names.sort_unstable();
        names.into_iter()
    }

    /// The scope that binds a name at an offset in a scope. `None` if no scope of the file binds it.
    pub fn owner(&self, name: &str, scope: ScopeIndex, offset: u32) -> Option<ScopeIndex> {
        self.visible(name, scope)
            .find(|(at, is_first)| self.binds(*at, name) && !self.is_before(name, *at, *is_first, offset))
            .map(|(at, _)| at)
    }

    /// The scopes in which a name is looked up, the innermost first. The second value is true only for the first scope.
    fn visible<'s>(&'s self, name: &str, scope: ScopeIndex) -> impl Iterator<Item = (ScopeIndex, bool)> + use<'s> {
        let own = &self.scopes[scope];
        let is_global = own.globals.contains(name);
        let mut next = Some(if is_global { FILE_SCOPE } else { scope });
        let mut is_first = true;
        let skips_own = own.nonlocals.contains(name);
        std::iter::from_fn(move || {
            loop {
                let at = next?;
                next = (at != FILE_SCOPE).then(|| self.scopes[at].parent);
                let first = std::mem::replace(&mut is_first, false);
                let is_hidden = self.scopes[at].kind == ScopeKind::Class && !first;
                if !is_hidden && !(first && skips_own && at != FILE_SCOPE) {
                    return Some((at, first));
                }
            }
        })
    }

    /// Returns whether a class binds a name only after the offset. The name is then looked up outside of the class.
    fn is_before(&self, name: &str, scope: ScopeIndex, is_first: bool, offset: u32) -> bool {
        let own = &self.scopes[scope];
        is_first && own.kind == ScopeKind::Class && own.bound.get(name).is_some_and(|end| offset < *end)
    }

    /// The scope that binds the name of an occurrence.
    pub fn owner_of(&self, place: &NamePlace) -> Option<ScopeIndex> {
        let binds = place.binding.is_some_and(|kind| !matches!(kind, BindingKind::Global | BindingKind::Nonlocal));
        let own = &self.scopes[place.scope];
        if binds && !own.globals.contains(&place.name) && !own.nonlocals.contains(&place.name) {
            return Some(place.scope);
        }
        self.owner(&place.name, place.scope, if place.is_late { u32::MAX } else { place.span.start })
    }

    /// The occurrence at an offset.
    pub fn at(&self, offset: u32) -> Option<&NamePlace> {
        let index = self.places.partition_point(|place| place.span.end < offset);
        self.places[index..].iter().take_while(|place| place.span.start <= offset).next()
    }

    /// All occurrences of a name that refer to a binding.
    pub fn references<'n>(&'n self, name: &'n str, owner: ScopeIndex) -> impl Iterator<Item = &'n NamePlace> {
        self.places.iter().filter(move |place| place.name == name && self.owner_of(place) == Some(owner))
    }

    /// The first occurrence that prevents a rename of a binding, because a name would refer to another binding.
    pub fn rename_conflict<'n>(&'n self, name: &'n str, owner: ScopeIndex, new_name: &str) -> Option<&'n NamePlace> {
        let taken = self.places.iter().find(|place| place.name == new_name && self.owner_of(place) == Some(owner));
        if taken.is_some() {
            return taken;
        }
        // After the rename, a use would refer to another binding with the new name in an inner scope.
        let captured = self.references(name, owner).find(|place| {
            let mut path = self.visible(new_name, place.scope).map(|(at, _)| at).take_while(|at| *at != owner);
            path.any(|at| self.binds(at, new_name))
        });
        if captured.is_some() {
            return captured;
        }
        // After the rename, a use of the new name would refer to the renamed binding.
        self.places.iter().filter(|place| place.name == new_name).find(|place| {
            let own = self.owner_of(place);
            let mut path = self.visible(new_name, place.scope).map(|(at, _)| at);
            path.find(|at| *at == owner || Some(*at) == own) == Some(owner)
        })
    }
}
