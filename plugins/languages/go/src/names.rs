//! The names of a file: the binding that each declaration creates, and the binding that each use refers to.
//!
//! A local name is visible from the end of its declaration to the end of the block around it, so a use refers to the
//! binding of the innermost block. A name that no block binds refers to an import of the file, a declaration of the
//! package, a declaration of a package that the file imports with a dot import, or a predeclared identifier.

use std::collections::HashMap;

use marquetry_code::{Arena, NodeIndex};
use marquetry_sdk::{Span, Usage};

use crate::kinds::{F, K, child, has_kind, has_role};

/// Index of a binding.
pub(crate) type BindingIndex = usize;

/// The kind of a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BindingKind {
    /// A declaration at the top level of the package.
    Package,
    /// The alias of an import.
    Import,
    Variable,
    Constant,
    Type,
    Parameter,
    TypeParameter,
    Label,
}

/// A declared name.
#[derive(Debug)]
pub(crate) struct Binding {
    pub(crate) name: String,
    pub(crate) kind: BindingKind,
    /// The range in which the name is visible.
    pub(crate) visible: Span,
    /// The node whose scope contains the binding.
    scope: NodeIndex,
    /// The node of the name at its first declaration.
    pub(crate) node: NodeIndex,
}

/// An occurrence of a name that is not a member of a type or package.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) span: Span,
    pub(crate) node: NodeIndex,
    /// The binding. `None` if no declaration in this file binds the name.
    pub(crate) binding: Option<BindingIndex>,
    pub(crate) usage: Usage,
    /// True if the name is a key of a composite literal. Such a key may be the name of a field instead.
    pub(crate) is_key: bool,
}

/// An occurrence of a name after a dot, or in the declaration of a field or method.
#[derive(Debug)]
pub(crate) struct MemberPlace {
    pub(crate) span: Span,
    pub(crate) node: NodeIndex,
    pub(crate) is_declaration: bool,
}

/// All names of a document.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) bindings: Vec<Binding>,
    pub(crate) places: Vec<Place>,
    pub(crate) members: Vec<MemberPlace>,
    by_name: HashMap<String, Vec<BindingIndex>>,
}

impl Names {
    /// Finds all names of a document.
    pub(crate) fn new(arena: &Arena) -> Names {
        let mut names = Names::default();
        // A name that `:=` assigns again must find its declaration, so declarations are visited in document order.
        for (node, own) in arena.nodes() {
            if own.kind == K::Name.into() {
                names.declare(arena, node);
            } else if own.kind == K::Label.into() && has_role(arena, node, F::Name) {
                let scope = function_around(arena, node);
                names.bind(arena, node, (BindingKind::Label, scope, arena.node(scope).span));
            } else if own.kind == K::NameRef.into() && is_receiver_argument(arena, node) {
                let scope = function_around(arena, node);
                names.bind(arena, node, (BindingKind::TypeParameter, scope, arena.node(scope).span));
            }
        }
        for (node, own) in arena.nodes().filter(|(_, own)| !own.span.is_empty()) {
            if own.kind == K::NameRef.into() && !is_receiver_argument(arena, node) {
                names.add_use(arena, node);
            } else if own.kind == K::Member.into() {
                names.members.push(MemberPlace { span: own.span, node, is_declaration: false });
            } else if own.kind == K::Label.into() && !has_role(arena, node, F::Name) {
                let binding = names.lookup_where(arena.slice(node), own.span.start, |kind| kind == BindingKind::Label);
                names.places.push(Place { span: own.span, node, binding, usage: Usage::Read, is_key: false });
            }
        }
        names.places.sort_by_key(|place| place.span.start);
        names.members.sort_by_key(|place| place.span.start);
        names
    }

    fn declare(&mut self, arena: &Arena, node: NodeIndex) {
        let own = arena.node(node);
        let parent = own.parent;
        let is = |kind: K| has_kind(arena, parent, kind);
        let file = || (child(arena, 0, K::File).unwrap_or(0), arena.node(0).span);
        if is(K::Method) || is(K::Field) || is(K::ElemMethod) {
            return self.members.push(MemberPlace { span: own.span, node, is_declaration: true });
        }
        if is(K::Package) {
            return;
        }
        if is(K::Import) {
            let (scope, span) = file();
            return self.bind(arena, node, (BindingKind::Import, scope, span));
        }
        if arena.slice(node) == "_" {
            return;
        }
        let kind = match () {
            () if is(K::Const) => BindingKind::Constant,
            () if is(K::Type) => BindingKind::Type,
            () if is(K::TypeParam) => BindingKind::TypeParameter,
            () if is(K::Param) => BindingKind::Parameter,
            () => BindingKind::Variable,
        };
        if is(K::Param) || is(K::TypeParam) {
            let owner = arena.node(arena.node(parent).parent).parent;
            let body = child(arena, owner, K::Block);
            let scope = if is(K::Param) { body.unwrap_or(parent) } else { owner };
            return self.bind(arena, node, (kind, scope, arena.node(scope).span));
        }
        let Some(scope) = scope_around(arena, parent) else {
            let (scope, span) = file();
            return self.bind(arena, node, (BindingKind::Package, scope, span));
        };
        let from = if is(K::Type) { own.span.start } else { arena.node(parent).span.end };
        let visible = Span { start: from, end: arena.node(scope).span.end.max(from) };
        if is(K::Define) || is(K::Range) {
            let name = arena.slice(node);
            let known = self.by_name.get(name).into_iter().flatten().rev();
            let known = known.copied().find(|index| self.bindings[*index].scope == scope);
            if let Some(known) = known {
                let span = own.span;
                self.places.push(Place { span, node, binding: Some(known), usage: Usage::Write, is_key: false });
                return;
            }
        }
        self.bind(arena, node, (kind, scope, visible));
    }

    fn bind(&mut self, arena: &Arena, node: NodeIndex, (kind, scope, visible): (BindingKind, NodeIndex, Span)) {
        let name = arena.slice(node).to_owned();
        let span = arena.node(node).span;
        let known = self.by_name.get(&name).into_iter().flatten().copied();
        // A package may declare a name once for each platform, and may have several `init` functions.
        let same = known.into_iter().find(|index| {
            let other = &self.bindings[*index];
            other.scope == scope && other.kind == kind && kind == BindingKind::Package
        });
        let index = same.unwrap_or_else(|| {
            self.bindings.push(Binding { name: name.clone(), kind, visible, scope, node });
            self.by_name.entry(name).or_default().push(self.bindings.len() - 1);
            self.bindings.len() - 1
        });
        self.places.push(Place { span, node, binding: Some(index), usage: Usage::Declaration, is_key: false });
    }

    fn add_use(&mut self, arena: &Arena, node: NodeIndex) {
        let own = arena.node(node);
        let binding = self.lookup(arena.slice(node), own.span.start);
        let usage = usage_of(arena, node);
        let is_key = has_kind(arena, own.parent, K::Keyed) && has_role(arena, node, F::Key);
        self.places.push(Place { span: own.span, node, binding, usage, is_key });
    }

    /// The binding of a name at an offset.
    pub(crate) fn lookup(&self, name: &str, offset: u32) -> Option<BindingIndex> {
        self.lookup_where(name, offset, |kind| kind != BindingKind::Label)
    }

    fn lookup_where(&self, name: &str, offset: u32, is_it: impl Fn(BindingKind) -> bool) -> Option<BindingIndex> {
        let known = self.by_name.get(name)?.iter().copied().filter(|index| is_it(self.bindings[*index].kind));
        let visible = known.filter(|index| {
            let visible = self.bindings[*index].visible;
            visible.start <= offset && offset < visible.end
        });
        // Blocks are nested: the innermost one ends first.
        visible.min_by_key(|index| (self.bindings[*index].visible.end, std::cmp::Reverse(self.bindings[*index].scope)))
    }

    /// All occurrences of a binding.
    pub(crate) fn references(&self, binding: BindingIndex) -> impl Iterator<Item = &Place> {
        self.places.iter().filter(move |place| place.binding == Some(binding))
    }

    /// The occurrences of names that no block of the file binds: names of the package, of imports and of the language.
    pub(crate) fn free<'n>(&'n self, arena: &'n Arena, name: &'n str) -> impl Iterator<Item = &'n Place> {
        self.places.iter().filter(move |place| {
            let is_free = place.binding.is_none_or(|binding| self.bindings[binding].kind == BindingKind::Package);
            is_free && arena.slice(place.node) == name
        })
    }

    /// The occurrence at an offset.
    pub(crate) fn at(&self, offset: u32) -> Option<&Place> {
        self.places.iter().find(|place| place.span.start <= offset && offset <= place.span.end)
    }

    /// The occurrence of a member at an offset.
    pub(crate) fn member_at(&self, offset: u32) -> Option<&MemberPlace> {
        self.members.iter().find(|place| place.span.start <= offset && offset <= place.span.end)
    }

    /// The first occurrence that prevents a rename of a binding, which may be a declaration of the package: the new
    /// name is already declared in the same scope, a use would refer to another binding, or a use of another binding
    /// would refer to this one. Keys of composite literals may be fields; the caller checks them.
    pub(crate) fn conflict(&self, arena: &Arena, binding: BindingIndex, new_name: &str) -> Option<Span> {
        let own = &self.bindings[binding];
        let is_label = own.kind == BindingKind::Label;
        let near = |index: &&BindingIndex| {
            let other = &self.bindings[**index];
            other.scope == own.scope && (other.kind == BindingKind::Label) == is_label
        };
        if let Some(taken) = self.by_name.get(new_name).into_iter().flatten().find(near) {
            return Some(arena.node(self.bindings[*taken].node).span);
        }
        if is_label {
            return None;
        }
        let captured = self.references(binding).find(|place| self.is_inner(new_name, place.span.start, own));
        let capturing = self.places.iter().filter(|place| arena.slice(place.node) == new_name).find(|place| {
            let is_visible = own.visible.start <= place.span.start && place.span.start < own.visible.end;
            is_visible
                && !place.is_key
                && place.binding.is_none_or(|other| self.bindings[other].visible.end > own.visible.end)
        });
        captured.or(capturing).map(|place| place.span)
    }

    /// The node whose scope contains a binding.
    pub(crate) fn scope_of(&self, binding: BindingIndex) -> NodeIndex {
        self.bindings[binding].scope
    }

    /// Returns whether a name resolves, at an offset, to a binding inside the scope of `outer`.
    fn is_inner(&self, name: &str, offset: u32, outer: &Binding) -> bool {
        self.lookup(name, offset).is_some_and(|index| self.bindings[index].visible.end <= outer.visible.end)
    }

    /// The binding of a name at an offset. Returns `None` for a declaration of the package.
    pub(crate) fn local(&self, name: &str, offset: u32) -> Option<&Binding> {
        self.lookup(name, offset).map(|index| &self.bindings[index]).filter(|own| own.kind != BindingKind::Package)
    }
}

/// The kind of use of a name that is not a declaration. For the `b` of `a.b`, this is the use of the whole selector, and
/// for the `f` of `f[int]`, of the whole instance.
pub(crate) fn usage_of(arena: &Arena, name: NodeIndex) -> Usage {
    let parent = arena.node(name).parent;
    let is_selected = has_kind(arena, parent, K::Selector) && has_role(arena, name, F::Name);
    let selected = if is_selected { parent } else { name };
    let is_part = |node: NodeIndex| {
        let around = arena.node(node).parent;
        let is_first = arena.children(around).next() == Some(node);
        has_kind(arena, around, K::Paren) || (has_kind(arena, around, K::Index) && is_first)
    };
    let instance = arena.ancestors(selected).find(|node| !is_part(*node)).unwrap_or(selected);
    let is_function = has_kind(arena, arena.node(instance).parent, K::Call)
        && arena.children(arena.node(instance).parent).next() == Some(instance);
    let used = if is_function { instance } else { selected };
    let is = |kind: K| has_kind(arena, arena.node(used).parent, kind);
    match () {
        () if (is(K::Assign) || is(K::Range)) && has_role(arena, used, F::Left) || is(K::IncDec) => Usage::Write,
        () if is(K::Call) => Usage::Called,
        () => Usage::Read,
    }
}

/// The node whose scope contains the names that a statement declares. `None` at the top level.
fn scope_around(arena: &Arena, statement: NodeIndex) -> Option<NodeIndex> {
    let scopes = [K::Block, K::If, K::For, K::Switch, K::Case];
    arena.ancestors(statement).skip(1).find(|node| scopes.iter().any(|kind| has_kind(arena, *node, *kind)))
}

/// The function around a node. Returns the node itself at the top level.
pub(crate) fn function_around(arena: &Arena, node: NodeIndex) -> NodeIndex {
    let functions = [K::Func, K::Method, K::FuncLit];
    let is_function = |node: &NodeIndex| functions.iter().any(|kind| has_kind(arena, *node, *kind));
    arena.ancestors(node).find(is_function).unwrap_or(node)
}

/// Returns whether a name is a type parameter that a receiver declares: `T` in `func (l *List[T])`.
fn is_receiver_argument(arena: &Arena, node: NodeIndex) -> bool {
    let parent = arena.node(node).parent;
    has_kind(arena, parent, K::Index)
        && !has_role(arena, node, F::Left)
        && arena.ancestors(parent).any(|above| has_kind(arena, above, K::Receiver))
}

/// The predeclared identifiers.
const UNIVERSE: [&str; 44] = [
    "any",
    "append",
    "bool",
    "byte",
    "cap",
    "clear",
    "close",
    "comparable",
    "complex",
    "complex128",
    "complex64",
    "copy",
    "delete",
    "error",
    "false",
    "float32",
    "float64",
    "imag",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "iota",
    "len",
    "make",
    "max",
    "min",
    "new",
    "nil",
    "panic",
    "print",
    "println",
    "real",
    "recover",
    "rune",
    "string",
    "true",
    "uint",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uintptr",
];

/// Returns whether a name is a predeclared identifier.
pub(crate) fn is_universal(name: &str) -> bool {
    UNIVERSE.contains(&name)
}
