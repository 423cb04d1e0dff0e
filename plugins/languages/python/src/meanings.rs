//! The meaning of a name that a package may both declare and contain as a module.

use std::collections::BTreeSet;

use marquetry_code::{
    BindingKind, CodeDocument, NodeIndex, ROOT,
    scopes::{FILE_SCOPE, NamePlace},
};
use marquetry_sdk::workspace;

use crate::{
    classes::has_kind,
    imports,
    lower::{F, K},
    memo,
    modules::{self, Found},
    origins::{contains_word, declaration, is_provided},
    table,
};

/// The meaning of `name` in `from package import name` if the package contains a module of that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The module.
    Module,
    /// A declaration or import of the name in the file of the package.
    Declared,
    /// The package may compute the name when it is imported (`__getattr__`).
    Computed,
    /// The package declares the name in some cases only, for example in a `try` statement.
    Conditional,
}

impl Meaning {
    /// The other meaning that the name may have. `None` if the meaning is certain.
    pub(crate) fn alternative(self) -> Option<&'static str> {
        match self {
            Meaning::Module | Meaning::Declared => None,
            Meaning::Computed => Some("a name that `__getattr__` of the package returns"),
            Meaning::Conditional => Some("a name that the package declares only in some cases"),
        }
    }
}

/// The state of a name after a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    /// Only the import of the module can bind the name.
    Absent,
    /// The module with the name.
    Module,
    /// Something else.
    Value,
    /// A value that only type checkers see.
    Type,
}

/// Determines what `from module import name` in the file `from` imports, where `module` contains a module `name`.
pub(crate) fn meaning(from: &str, module: &str, name: &str) -> Meaning {
    let Found::Inside(package) = modules::resolve(from, module) else { return Meaning::Module };
    let key = (package.path, name.to_owned());
    memo::once(|memo| &mut memo.meanings, &key, || find_meaning(&key.0, (from, module), name))
}

fn find_meaning(package: &str, (from, module): (&str, &str), name: &str) -> Meaning {
    let Ok(text) = workspace::read(package) else { return Meaning::Module };
    let names_it = contains_word(&text, name);
    let computes = || names_it && declaration(from, module, "__getattr__").is_some();
    if !names_it && !text.contains('*') {
        return Meaning::Module;
    }
    let own = match modules::resolve(from, &imports::join(module, name)) {
        Found::Inside(found) => found.path,
        Found::Missing(_) | Found::External => String::new(),
    };
    let document = CodeDocument::open(&table::PYTHON, package, text);
    let states = Package { document: &document, name, module: &own }.states();
    let has = |state: State| states.contains(&state);
    match () {
        () if !has(State::Absent) && !has(State::Module) && !has(State::Type) => Meaning::Declared,
        () if has(State::Type) && !has(State::Value) && computes() => Meaning::Declared,
        () if has(State::Value) && computes() => Meaning::Computed,
        () if has(State::Value) || has(State::Type) => Meaning::Conditional,
        () if has(State::Module) && !has(State::Absent) => Meaning::Module,
        // Another module may provide the name by `*`.
        () if !has(State::Module) && is_provided(&document, name) => Meaning::Declared,
        () if computes() && !loads(&document, &own) => Meaning::Computed,
        () => Meaning::Module,
    }
}

/// Returns whether the file of a package always imports from a module, so that the module is an attribute of the package
/// before `__getattr__` is called.
fn loads(document: &CodeDocument, module: &str) -> bool {
    let arena = document.arena();
    imports::imports(document).iter().any(|import| {
        let around = arena.node(arena.node(import.statement).parent).parent;
        let is_always = !import.is_type_only && around == ROOT;
        is_always
            && matches!(modules::resolve(document.path(), &import.module), Found::Inside(found) if found.path == module)
    })
}

/// A name in the file of a package.
struct Package<'d> {
    document: &'d CodeDocument,
    name: &'d str,
    /// The path of the module with the name.
    module: &'d str,
}

impl Package<'_> {
    /// The states that the name may have after all statements.
    fn states(&self) -> BTreeSet<State> {
        let arena = self.document.arena();
        let blocks = arena.children(ROOT).filter(|node| has_kind(arena, *node, K::Block));
        let mut states = BTreeSet::from([State::Absent]);
        for statement in blocks.flat_map(|block| arena.children(block)) {
            let new: BTreeSet<State> = self.bindings(statement).map(|place| self.state(place)).collect();
            if self.always_binds(statement) {
                states = new;
            } else {
                states.extend(new);
            }
        }
        states
    }

    /// The occurrences in a statement that bind the name in the file, or delete it.
    fn bindings(&self, statement: NodeIndex) -> impl Iterator<Item = &NamePlace> {
        let (arena, names) = (self.document.arena(), self.document.names());
        let span = arena.node(statement).span;
        names.places.iter().filter(move |place| {
            let is_inside = span.start <= place.span.start && place.span.end <= span.end;
            let kind = place.binding.filter(|kind| !matches!(kind, BindingKind::Global | BindingKind::Nonlocal));
            let parent = arena.node(place.node).parent;
            let is_only_annotated =
                has_kind(arena, parent, K::AnnAssign) && arena.child(parent, F::Value.into()).is_none();
            is_inside
                && place.name == self.name
                && kind.is_some()
                && !is_only_annotated
                && names.owner_of(place) == Some(FILE_SCOPE)
        })
    }

    /// Returns whether each execution of a statement binds or deletes the name.
    fn always_binds(&self, statement: NodeIndex) -> bool {
        let arena = self.document.arena();
        let blocks = |node: NodeIndex| arena.children(node).filter(|child| has_kind(arena, *child, K::Block));
        let block_binds = |block: NodeIndex| {
            arena.children(block).any(|inner| self.always_binds(inner) || has_kind(arena, inner, K::Raise))
        };
        let all_bind = |node: NodeIndex| {
            let mut blocks = blocks(node);
            blocks.next().is_some_and(block_binds)
        };
        let parts = |kind: K| arena.children(statement).filter(move |child| has_kind(arena, *child, kind));
        match () {
            () if has_kind(arena, statement, K::If) => {
                let is_else = |clause: NodeIndex| arena.children(clause).all(|child| has_kind(arena, child, K::Block));
                let clauses: Vec<NodeIndex> = parts(K::Clause).collect();
                let has_else = clauses.last().is_some_and(|last| is_else(*last));
                has_else && all_bind(statement) && clauses.into_iter().all(all_bind)
            }
            () if has_kind(arena, statement, K::Try) => {
                let is_bound_at_end = blocks(statement).skip(1).last().is_some_and(block_binds);
                let handlers: Vec<NodeIndex> = parts(K::Handler).collect();
                let handlers_bind = || handlers.iter().all(|handler| all_bind(*handler));
                (all_bind(statement) || is_bound_at_end) && handlers_bind()
            }
            () if [K::For, K::While, K::Match].into_iter().any(|kind| has_kind(arena, statement, kind)) => false,
            () => self.binds_outside_of_blocks(statement),
        }
    }

    fn binds_outside_of_blocks(&self, statement: NodeIndex) -> bool {
        let arena = self.document.arena();
        self.bindings(statement).any(|place| {
            let mut around = arena.ancestors(place.node).take_while(|above| *above != statement);
            !around.any(|above| has_kind(arena, above, K::Block))
        })
    }

    fn state(&self, place: &NamePlace) -> State {
        let arena = self.document.arena();
        if arena.ancestors(place.node).any(|above| has_kind(arena, above, K::Delete)) {
            return State::Absent;
        }
        if place.binding != Some(BindingKind::Import) {
            return State::Value;
        }
        let path = self.document.path();
        let all = imports::imports(self.document);
        let Some(import) = all.into_iter().find(|import| import.local_span == place.span) else { return State::Value };
        let is_module =
            |module: &str| matches!(modules::resolve(path, module), Found::Inside(found) if found.path == self.module);
        match () {
            () if is_module(&import.bound_module()) => State::Module,
            () if import.is_type_only => State::Type,
            () => State::Value,
        }
    }
}
