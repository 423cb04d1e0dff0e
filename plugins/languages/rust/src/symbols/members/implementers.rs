//! Values and paths through which a member of a trait is used: those of types that implement the trait.

use std::{cell::RefCell, collections::HashMap};

use marquetry_code::{Arena, CodeDocument, NodeIndex};
use marquetry_sdk::{FileLocation, Span, workspace};

use crate::{
    crates::is_standard,
    hierarchy::{bounds, last_name},
    implemented::{may_have_method, may_implement},
    kinds::{K, child, has_kind},
    names::{BindingKind, TYPES},
    symbols::Symbol,
    table::RUST,
    types::{
        Types,
        owners::{Owner, POINTERS},
        text::{generic, is_primitive, without_references, words},
        types_in,
    },
};

/// Maximum number of types and bounds that are followed from the type of a receiver.
const MAX_DEPTH: usize = 8;
/// Traits of the standard library whose bounds give access to another value.
const DEREFS: [&str; 2] = ["Deref", "DerefMut"];

/// The types that implement a trait, as seen from one document.
pub(super) struct Implementers<'s> {
    document: &'s CodeDocument,
    symbol: &'s Symbol<'s>,
    types: Types<'s>,
    /// The names that refer to the trait.
    names: Owner<'s>,
    /// The name in the declaration of the trait.
    declared: &'s FileLocation,
    name: &'s str,
    member: &'s str,
    /// The answers about types of the workspace.
    known: RefCell<HashMap<(String, u32), Option<bool>>>,
}

impl<'s> Implementers<'s> {
    pub(super) fn new(
        (document, symbol): (&'s CodeDocument, &'s Symbol<'s>),
        names: Owner<'s>,
        declared: &'s FileLocation,
        (name, member): (&'s str, &'s str),
    ) -> Implementers<'s> {
        let types = Types::new(document.arena(), symbol).across_files();
        Implementers { document, symbol, types, names, declared, name, member, known: RefCell::default() }
    }

    /// Returns whether the receiver of a method implements the trait, and has no own method of the name. `None` if that
    /// is not known.
    pub(super) fn is_receiver(&self, access: NodeIndex) -> Option<bool> {
        let receiver = self.document.arena().children(access).next()?;
        self.is_type(&self.types.type_of(receiver)?, access, MAX_DEPTH)
    }

    /// Returns whether a path refers to the trait, or to a type that implements it. `None` if that is not known.
    pub(super) fn is_path(&self, path: NodeIndex) -> Option<bool> {
        let arena = self.document.arena();
        let segment = child(arena, path, K::PATH_SEGMENT)?;
        if let Some(anchor) = child(arena, segment, K::TYPE_ANCHOR) {
            let mut types = types_in(arena, anchor);
            let (own, of) = (types.next()?, types.next());
            return match of {
                Some(of) => self.names.is_path(child(arena, of, K::PATH)?),
                None => self.is_type(arena.slice(own), path, MAX_DEPTH),
            };
        }
        let name = child(arena, segment, K::NAME_REF)?;
        if arena.slice(name) != "Self" && self.names.is_name(arena.node(name).span) == Some(true) {
            return Some(true);
        }
        let own = self.types.own_type(path).filter(|_| arena.slice(name) == "Self");
        self.is_type(own.unwrap_or(arena.slice(path)), path, MAX_DEPTH)
    }

    /// Returns whether the path of a trait refers to the trait. `None` if that is not known.
    pub(super) fn is_trait(&self, path: NodeIndex) -> Option<bool> {
        self.names.is_path(path)
    }

    /// Returns whether the path of a trait refers to the trait, or to one that extends it. `None` if that is not known.
    pub(super) fn extends(&self, path: NodeIndex) -> Option<bool> {
        let arena = self.document.arena();
        let name = child(arena, child(arena, path, K::PATH_SEGMENT)?, K::NAME_REF)?;
        self.is_bound(self.symbol, arena.node(name).span, MAX_DEPTH)
    }

    /// Returns whether a name is that of the trait. `None` if that is not known.
    pub(super) fn names_trait(&self, name: Span) -> Option<bool> {
        self.names.is_name(name)
    }

    /// Returns whether a name is that of a type parameter.
    pub(super) fn is_parameter(&self, name: NodeIndex) -> bool {
        let (arena, names) = (self.document.arena(), &self.symbol.names);
        let binding = names.lookup(arena.slice(name), TYPES, self.types.scope_at(name));
        binding.is_some_and(|own| names.bindings[own].kind == BindingKind::Generic)
    }

    /// Returns whether a bound of a type parameter, or of `Self` in a trait, is the trait or extends it. `None` if that is
    /// not known.
    pub(super) fn is_parameter_of_trait(&self, name: NodeIndex) -> Option<bool> {
        let bounds = bounds_of(self.document.arena(), self.document.arena().slice(name), name);
        let found: Vec<Option<bool>> =
            bounds.into_iter().map(|(_, place)| self.is_bound(self.symbol, place?, MAX_DEPTH)).collect();
        match () {
            () if found.contains(&Some(true)) => Some(true),
            () => (!found.contains(&None)).then_some(false),
        }
    }

    /// Returns whether a type implements the trait, and has no own method of the name. `None` if that is not known.
    pub(super) fn is_type(&self, code: &str, node: NodeIndex, depth: usize) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        let inner = without_references(code);
        if let Some(bounds) = inner.strip_prefix("dyn ").or_else(|| inner.strip_prefix("impl ")) {
            let bounds = bounds.split('+').map(str::trim).filter(|bound| !bound.starts_with('\''));
            let scope = self.types.scope_at(node);
            let place = |bound: &str| match bound.contains("::") {
                true => self.types.qualified_name(bound),
                false => self.types.type_name(generic(bound).0, scope),
            };
            let bounds: Vec<(&str, Option<Span>)> = bounds.map(|bound| (bound, place(bound))).collect();
            if bounds.iter().any(|(bound, _)| self.types.foreign(bound).as_ref() == Some(self.declared)) {
                return Some(true);
            }
            return self.any_bound(bounds.into_iter().map(|(bound, place)| (generic(bound).0, place)), depth);
        }
        let (base, arguments) = match inner.get(..1) {
            Some(bracket @ ("[" | "(")) => (bracket, Vec::new()),
            _ => generic(inner),
        };
        let (names, scope) = (&self.symbol.names, self.types.scope_at(node));
        let qualified = self.types.qualified_name(inner);
        let binding = names.lookup(base, TYPES, scope).filter(|_| qualified.is_none());
        let kind = binding.map(|own| names.bindings[own].kind);
        if kind == Some(BindingKind::Generic) || inner == "Self" {
            return self.any_bound(bounds_of(self.document.arena(), inner, node).into_iter(), depth);
        }
        let is_outside =
            is_primitive(inner) || inner.starts_with(['[', '(']) || self.types.is_outside(inner, qualified, scope);
        if let Some(argument) = arguments.first().filter(|_| is_outside && POINTERS.contains(&base)) {
            let found = self.is_type(argument, node, depth)?;
            return (found || !self.may_be_implemented(base, None)).then_some(found);
        }
        if is_outside {
            let mut arguments = arguments.iter().filter(|own| !own.starts_with('\''));
            let has_access = arguments.any(|own| self.is_type(own, node, depth) != Some(false));
            let may_be = has_access || self.may_be_implemented(base, None);
            return (!may_be).then_some(false);
        }
        if qualified.is_none() && self.types.has_several_meanings(base) {
            return None;
        }
        let here = || self.symbol.item_at(qualified.or_else(|| self.types.type_name(base, scope))?.start);
        let place = self.types.foreign(inner).or_else(here)?;
        self.of_declared(&place)
    }

    fn may_be_implemented(&self, name: &str, place: Option<&FileLocation>) -> bool {
        let files = [Some(self.declared), place].into_iter().flatten();
        files.into_iter().any(|file| may_implement(&file.path, self.name, name))
    }

    /// Returns whether one of the bounds of a type is the trait or extends it. A bound is its name and the place of this
    /// name. `None` if that is not known.
    fn any_bound<'b>(&self, bounds: impl Iterator<Item = (&'b str, Option<Span>)>, depth: usize) -> Option<bool> {
        let mut is_known = !self.may_be_implemented("*", None);
        for (name, place) in bounds.filter(|(name, _)| !name.starts_with(['\'', '?'])) {
            let found = match place {
                Some(place) => self.is_bound(self.symbol, place, depth),
                None if is_standard(name) => Some(false),
                None => None,
            };
            match found {
                Some(true) => return Some(true),
                Some(false) if !DEREFS.contains(&name) => {}
                _ => is_known = false,
            }
        }
        is_known.then_some(false)
    }

    /// Returns whether a name is that of the trait, or of a trait that extends it.
    fn is_bound(&self, symbol: &Symbol<'_>, name: Span, depth: usize) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        let related = symbol.related(name.start);
        let Some(place) = symbol.item_at(name.start) else {
            let is_outside = related.specifier.is_some() || symbol.is_outside(name);
            let is_standard = || related.place.is_none() && is_standard(name.slice(&symbol.document.arena().text));
            return (is_outside || is_standard()).then_some(false);
        };
        if place == *self.declared {
            return Some(true);
        }
        self.with(&place.path, |document| {
            let arena = document.arena();
            // An import from outside of the workspace.
            let Some((_, item)) = super::declaration_at(arena, place.offset) else { return Some(false) };
            let symbol = Symbol::new(document);
            let mut is_known = has_kind(arena, item, K::TRAIT);
            for bound in bounds(arena, item) {
                let name = last_name(arena, bound);
                match name.map(|name| self.is_bound(&symbol, arena.node(name).span, depth)) {
                    Some(Some(true)) => return Some(true),
                    Some(Some(false)) => {}
                    _ => is_known = false,
                }
            }
            is_known.then_some(false)
        })
    }

    /// Returns whether a type of the workspace implements the trait, and has no own method of the name.
    fn of_declared(&self, place: &FileLocation) -> Option<bool> {
        let key = (place.path.clone(), place.offset);
        if let Some(known) = self.known.borrow().get(&key) {
            return *known;
        }
        let found = self.with(&place.path, |document| self.of_item(document, place));
        self.known.borrow_mut().insert(key, found);
        found
    }

    fn of_item(&self, document: &CodeDocument, place: &FileLocation) -> Option<bool> {
        let arena = document.arena();
        let (name, item) = super::declaration_at(arena, place.offset)?;
        let name = arena.slice(name);
        let is_data = [K::STRUCT, K::ENUM, K::UNION].iter().any(|kind| has_kind(arena, item, *kind));
        if !is_data {
            let is_other = [K::MODULE, K::FN, K::CONST, K::STATIC, K::MACRO_RULES];
            return is_other.iter().any(|kind| has_kind(arena, item, *kind)).then_some(false);
        }
        let mut attributes = arena.children(item).filter(|own| has_kind(arena, *own, K::ATTR));
        let is_derived = attributes.any(|own| words(arena.slice(own)).any(|word| word == self.name));
        if may_have_method(&place.path, name, self.member) {
            return (!self.may_be_implemented(name, Some(place))).then_some(false);
        }
        if is_derived || !self.may_be_implemented(name, Some(place)) {
            let is_transparent = DEREFS.iter().any(|own| may_implement(&place.path, own, name));
            return (!is_derived && !is_transparent).then_some(false);
        }
        let in_document = |document: &CodeDocument| self.has_implementation(document, place).then_some(true);
        let files = [&place.path, &self.declared.path];
        in_document(self.document).or_else(|| files.into_iter().find_map(|path| self.with(path, in_document)))
    }

    /// Returns whether a document implements the trait for a type.
    fn has_implementation(&self, document: &CodeDocument, place: &FileLocation) -> bool {
        let arena = document.arena();
        let symbol = Symbol::new(document);
        let refers = |own: NodeIndex, to: &FileLocation| {
            last_name(arena, own).is_some_and(|name| symbol.item_at(arena.node(name).span.start).as_ref() == Some(to))
        };
        arena.nodes().map(|(node, _)| node).filter(|node| has_kind(arena, *node, K::IMPL)).any(|node| {
            let types: Vec<NodeIndex> = types_in(arena, node).collect();
            matches!(types[..], [of, own] if refers(of, self.declared) && refers(own, place))
        })
    }

    fn with<R>(&self, path: &str, run: impl FnOnce(&CodeDocument) -> Option<R>) -> Option<R> {
        if path == self.document.path() {
            return run(self.document);
        }
        run(&CodeDocument::open(&RUST, path, workspace::read(path).ok()?))
    }
}

/// The bounds of a type parameter or of `Self`, with the places of their names.
pub(super) fn bounds_of<'a>(arena: &'a Arena, name: &str, node: NodeIndex) -> Vec<(&'a str, Option<Span>)> {
    let item = arena.ancestors(node).find(|above| has_kind(arena, *above, K::TRAIT));
    if let Some(own) = item.filter(|_| name == "Self").and_then(|item| child(arena, item, K::NAME)) {
        return vec![(arena.slice(own), Some(arena.node(own).span))];
    }
    let is_named = |part: &NodeIndex| {
        // `T::A: B` is a bound of another type.
        let own = arena.slice(*part).split_once(':').unwrap_or((arena.slice(*part), ""));
        words(own.0).any(|word| word == name) && !own.1.starts_with(':')
    };
    let (mut parts, mut is_declared) = (Vec::new(), false);
    // The innermost item that declares the type parameter, and the `where` clauses up to it.
    for above in arena.ancestors(node) {
        for list in arena.children(above) {
            let is_list = has_kind(arena, list, K::GENERIC_PARAM_LIST);
            if is_list || has_kind(arena, list, K::WHERE_CLAUSE) {
                let named: Vec<NodeIndex> = arena.children(list).filter(is_named).collect();
                is_declared |= is_list && !named.is_empty();
                parts.extend(named);
            }
        }
        if is_declared {
            break;
        }
    }
    let names = parts.into_iter().flat_map(|part| bounds(arena, part)).filter_map(|bound| last_name(arena, bound));
    names.map(|name| (arena.slice(name), Some(arena.node(name).span))).collect()
}
