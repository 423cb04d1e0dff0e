//! Scopes and their names: the binding that each use of a name refers to.
//!
//! Rust has separate namespaces for types, values and macros. A variable is visible after its `let` statement, and the
//! variables and parameters around an item are not visible in the item.

mod captures;
mod collect;
mod conflicts;
mod format_macros;

use std::{
    collections::{HashMap, HashSet},
    ops::Deref,
    rc::Rc,
};

use marquetry_code::Arena;
use marquetry_sdk::{Span, Usage};

pub(crate) use format_macros::known_crate;

use crate::modules::plain;

/// Index of a scope.
pub(crate) type ScopeIndex = usize;
/// Index of a binding.
pub(crate) type BindingIndex = usize;

/// The scope of the file's top-level module.
pub(crate) const FILE_SCOPE: ScopeIndex = 0;

/// Maximum number of glob imports through which a name is followed.
const MAX_GLOBS: usize = 4;

/// Namespaces, as bits.
pub(crate) const TYPES: u8 = 1;
pub(crate) const VALUES: u8 = 2;
pub(crate) const MACROS: u8 = 4;
const EVERY: u8 = TYPES | VALUES | MACROS;

/// The kind of a scope, which determines where its names are visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    /// A module. The search for a name ends here.
    Module,
    /// A block, which may contain items.
    Block,
    /// An item with its parameters. Variables around the item are not visible in it.
    Item,
    /// A scope of variables.
    Local,
}

/// A kind of binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BindingKind {
    Item,
    Import,
    /// A variable or parameter.
    Local,
    /// A type parameter or const parameter of an item.
    Generic,
}

#[derive(Debug, Clone)]
struct Scope {
    kind: ScopeKind,
    parent: ScopeIndex,
    bound: HashMap<String, Vec<BindingIndex>>,
}

/// A declared name.
#[derive(Debug, Clone)]
pub(crate) struct Binding {
    pub(crate) name: String,
    pub(crate) scope: ScopeIndex,
    pub(crate) kind: BindingKind,
    pub(crate) namespaces: u8,
    /// True if a pattern with this name refers to the item instead of binding a variable.
    pub(crate) is_constant: bool,
}

/// The syntax around an occurrence, which determines how a rename writes the new name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Plain,
    /// `Point { x }`: a rename of the variable must not change the name of the field.
    Shorthand,
    /// The name of an import without `as`.
    Imported,
    /// `info!(?x)`: a rename of the variable must not change the name of the field.
    Field,
}

/// An occurrence of a name.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) name: String,
    pub(crate) span: Span,
    /// The scope from which the name is looked up.
    scope: ScopeIndex,
    namespaces: u8,
    pub(crate) usage: Usage,
    pub(crate) form: Form,
    /// The start of the pattern or expression that consists of the name.
    pub(crate) start: u32,
    /// The keywords before the name in a pattern: `ref mut `.
    pub(crate) before: String,
    /// The binding that the occurrence creates. `None` for a use.
    binds: Option<BindingIndex>,
}

/// All names of a document, and the glob imports between its modules.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    tables: Rc<Tables>,
    /// Glob imports between modules of the file: the importing and the imported scope. Which imports these are depends
    /// on other files.
    globs: Vec<(ScopeIndex, ScopeIndex)>,
}

/// The names that the syntax tree of a document contains.
#[derive(Debug, Clone)]
pub(crate) struct Tables {
    scopes: Vec<Scope>,
    pub(crate) bindings: Vec<Binding>,
    /// The occurrences in document order.
    pub(crate) places: Vec<Place>,
    /// Names of fields, methods, variants and members of traits and implementations.
    pub(crate) members: Vec<Span>,
    /// Words in the arguments of macros, each with the scope that contains it.
    words: Vec<(Span, ScopeIndex)>,
    /// Names of fields and methods in the arguments of format macros, each with the scope that contains it.
    macro_members: Vec<(Span, ScopeIndex)>,
    /// The scopes of the inline modules, by module path.
    modules: HashMap<Vec<String>, ScopeIndex>,
    /// Calls of macros that take format strings if they belong to a certain crate.
    pub(crate) format_calls: Vec<FormatCall>,
}

/// A call of a macro that may take a format string.
#[derive(Debug, Clone)]
pub(crate) struct FormatCall {
    /// The path of the macro.
    pub(crate) path: Vec<String>,
    pub(crate) scope: ScopeIndex,
    /// The names in the arguments, by the crate to which the macro may belong.
    names: Vec<(&'static str, format_macros::Names)>,
}

impl Deref for Names {
    type Target = Tables;

    fn deref(&self) -> &Tables {
        &self.tables
    }
}

impl Place {
    pub(crate) fn namespaces(&self) -> u8 {
        self.namespaces
    }

    pub(crate) fn scope(&self) -> ScopeIndex {
        self.scope
    }
}

impl Names {
    /// Finds all names of a document.
    pub(crate) fn new(arena: &Arena) -> Names {
        Names { tables: Rc::new(collect::collect(arena)), globs: Vec::new() }
    }

    /// Treats the names in the arguments of format macros as uses. `owner` returns the crate that has the macro of a
    /// call.
    pub(crate) fn confirm_format_calls(&mut self, owner: impl Fn(&FormatCall) -> Option<&'static str>) {
        let confirmed: Vec<format_macros::Names> = self
            .format_calls
            .iter()
            .filter_map(|call| {
                let own = owner(call)?;
                call.names.iter().find(|(name, _)| *name == own).map(|(_, names)| names.clone())
            })
            .collect();
        if confirmed.is_empty() {
            return;
        }
        let mut known: HashSet<u32> = HashSet::new();
        let tables = Rc::make_mut(&mut self.tables);
        for names in confirmed {
            let uses = names.uses.iter().map(|place| place.span);
            known.extend(uses.chain(names.keys).chain(names.members.iter().copied()).map(|span| span.start));
            let is_member = |(span, _): &&(Span, ScopeIndex)| names.members.contains(span);
            tables.macro_members.extend(tables.words.iter().filter(is_member).copied());
            tables.places.extend(names.uses);
        }
        tables.words.retain(|(span, _)| !known.contains(&span.start));
        tables.places.sort_by_key(|place| (place.span.start, place.span.end));
    }

    /// Records that a module of the file has a glob import of another module of the file.
    pub(crate) fn add_glob(&mut self, from: &[String], to: &[String]) {
        if let (Some(from), Some(to)) = (self.module(from), self.module(to)) {
            self.globs.push((from, to));
        }
    }

    /// The names of the inline modules around a scope.
    pub(crate) fn inline_of(&self, scope: ScopeIndex) -> Vec<String> {
        let module = self.module_of(scope);
        let found = self.modules.iter().find(|(_, own)| **own == module);
        found.map(|(names, _)| names.clone()).unwrap_or_default()
    }

    /// The scope of an inline module.
    pub(crate) fn module(&self, inline: &[String]) -> Option<ScopeIndex> {
        self.modules.get(inline).copied()
    }

    /// Returns whether a scope is the scope of a module.
    pub(crate) fn is_module(&self, scope: ScopeIndex) -> bool {
        self.scopes[scope].kind == ScopeKind::Module
    }

    /// The scope of the module that contains a scope.
    pub(crate) fn module_of(&self, scope: ScopeIndex) -> ScopeIndex {
        self.path(scope).last().map_or(FILE_SCOPE, |(at, _)| at)
    }

    /// Uses of a name in a module that no scope of the file binds.
    pub(crate) fn free<'n>(&'n self, name: &'n str, module: ScopeIndex) -> impl Iterator<Item = &'n Place> {
        self.places.iter().filter(move |place| {
            place.name == name && self.binding_of(place).is_none() && self.module_of(place.scope) == module
        })
    }

    /// The binding that a name refers to in a scope.
    pub(crate) fn lookup(&self, name: &str, namespaces: u8, scope: ScopeIndex) -> Option<BindingIndex> {
        let name = plain(name);
        let found = self.path(scope).find_map(|(at, sees_locals)| self.bound_in(at, name, namespaces, sees_locals));
        found.or_else(|| self.through_globs(self.module_of(scope), name, namespaces, MAX_GLOBS))
    }

    /// The binding of a name that a module gets by glob imports of other modules in the file.
    fn through_globs(&self, module: ScopeIndex, name: &str, namespaces: u8, depth: usize) -> Option<BindingIndex> {
        let targets = self.globs.iter().filter(|(from, to)| *from == module && from != to && depth > 0);
        targets.into_iter().find_map(|(_, to)| {
            let own = self.bound_in(*to, name, namespaces, false);
            own.or_else(|| self.through_globs(*to, name, namespaces, depth - 1))
        })
    }

    /// Returns whether the items of an inline module are names of the file's top-level module, too: `inline` is that
    /// module, or it has a glob import of `inline`.
    pub(crate) fn is_shown(&self, inline: &[String]) -> bool {
        let module = self.module(inline);
        inline.is_empty() || self.globs.iter().any(|(from, to)| *from == FILE_SCOPE && Some(*to) == module)
    }

    /// Uses of a name that no scope of the file binds.
    pub(crate) fn unbound<'n>(&'n self, name: &'n str) -> impl Iterator<Item = &'n Place> {
        self.places.iter().filter(move |place| place.name == name && self.binding_of(place).is_none())
    }

    fn bound_in(&self, scope: ScopeIndex, name: &str, namespaces: u8, sees_locals: bool) -> Option<BindingIndex> {
        let bound = self.scopes[scope].bound.get(name)?;
        let is_seen = |index: &&BindingIndex| {
            let binding = &self.bindings[**index];
            let is_local = matches!(binding.kind, BindingKind::Local | BindingKind::Generic);
            binding.namespaces & namespaces != 0 && (sees_locals || !is_local)
        };
        // A declared item takes precedence over an import of the same name.
        let seen = || bound.iter().filter(is_seen);
        let found = seen().find(|index| self.bindings[**index].kind != BindingKind::Import).or_else(|| seen().next());
        found.copied()
    }

    /// The scopes in which a name is looked up, the innermost first. The second value is false if variables and type
    /// parameters of the scope are not visible.
    fn path(&self, scope: ScopeIndex) -> impl Iterator<Item = (ScopeIndex, bool)> + '_ {
        let (mut next, mut sees_locals) = (Some(scope), true);
        std::iter::from_fn(move || {
            let at = next?;
            let own = &self.scopes[at];
            next = (own.kind != ScopeKind::Module && at != FILE_SCOPE).then_some(own.parent);
            let seen = sees_locals;
            sees_locals &= own.kind != ScopeKind::Item;
            Some((at, seen))
        })
    }

    /// The binding that an occurrence refers to.
    pub(crate) fn binding_of(&self, place: &Place) -> Option<BindingIndex> {
        place.binds.or_else(|| self.lookup(&place.name, place.namespaces, place.scope))
    }

    /// The occurrence at an offset.
    pub(crate) fn at(&self, offset: u32) -> Option<&Place> {
        // Occurrences do not overlap. An offset between two adjacent ones belongs to the first one.
        let first = self.places.partition_point(|place| place.span.end < offset);
        self.places.get(first).filter(|place| place.span.start <= offset)
    }

    /// All occurrences of a binding, in order.
    pub(crate) fn references(&self, binding: BindingIndex) -> impl Iterator<Item = &Place> {
        let name = &self.bindings[binding].name;
        self.places.iter().filter(move |place| place.name == *name && self.binding_of(place) == Some(binding))
    }

    /// The occurrences that declare a binding.
    pub(crate) fn bound_at(&self, binding: BindingIndex) -> impl Iterator<Item = &Place> {
        self.places.iter().filter(move |place| place.binds == Some(binding))
    }

    /// Returns whether an occurrence binds the name.
    pub(crate) fn is_declaration(place: &Place) -> bool {
        place.binds.is_some()
    }

    /// Words in the arguments of macros that may refer to a binding.
    pub(crate) fn words_of<'n>(&'n self, text: &'n str, binding: BindingIndex) -> impl Iterator<Item = Span> + 'n {
        let own = &self.bindings[binding];
        let sees = move |scope: ScopeIndex| self.path(scope).any(|(at, _)| at == own.scope);
        self.words
            .iter()
            .filter(move |(span, scope)| plain(span.slice(text)) == own.name && sees(*scope))
            .map(|(span, _)| *span)
    }

    /// The words in the arguments of macros that equal a name, each with the scope that contains it.
    pub(crate) fn words_named<'n>(
        &'n self,
        text: &'n str,
        name: &'n str,
    ) -> impl Iterator<Item = (Span, ScopeIndex)> + 'n {
        self.words.iter().filter(move |(span, _)| plain(span.slice(text)) == name).copied()
    }

    /// The words in the arguments of macros that may be the name of a member, each with the scope that contains it.
    pub(crate) fn member_words<'n>(
        &'n self,
        text: &'n str,
        name: &'n str,
    ) -> impl Iterator<Item = (Span, ScopeIndex)> + 'n {
        let members = self.macro_members.iter().filter(move |(span, _)| plain(span.slice(text)) == name).copied();
        self.words_named(text, name).chain(members)
    }

    /// The words in the arguments of macros that are in one of these spans, each with the scope that contains it.
    pub(crate) fn words_in(&self, spans: &[Span]) -> Vec<(Span, ScopeIndex)> {
        let is_inside = |span: Span| spans.iter().any(|own| own.contains(span));
        self.words.iter().filter(|(span, _)| is_inside(*span)).copied().collect()
    }

    /// The binding of a name in a scope, in any namespace.
    pub(crate) fn any_binding(&self, name: &str, scope: ScopeIndex) -> Option<BindingIndex> {
        self.lookup(name, EVERY, scope)
    }
}
