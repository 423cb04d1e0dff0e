//! Names and types that refer to the type that declares a member.

use std::{borrow::Cow, cell::RefCell, collections::HashMap};

use marquetry_code::{CodeDocument, NodeIndex};
use marquetry_sdk::{FileLocation, Span, workspace};

use super::{
    Types, is_standard_path,
    text::{generic, is_primitive, without_references, words},
    types_in,
};
use crate::{
    crates,
    implemented::may_implement,
    kinds::{F, K, child, has_kind},
    modules::plain,
    names::{BindingKind, TYPES},
    symbols::{Aliased, Symbol},
    table::RUST,
};

/// Types of the standard library that are treated as their first type argument.
pub(crate) const POINTERS: [&str; 3] = ["Box", "Rc", "Arc"];
/// Types of the standard library that do not give access to the members of other types.
const CONTAINERS: [&str; 9] =
    ["BTreeMap", "BTreeSet", "HashMap", "HashSet", "Option", "Result", "String", "Vec", "VecDeque"];
/// Other types of the standard library that give access to the members of a type argument.
const DEREFS: [&str; 14] = [
    "AssertUnwindSafe",
    "Cow",
    "LazyCell",
    "LazyLock",
    "ManuallyDrop",
    "MappedMutexGuard",
    "MutexGuard",
    "PeekMut",
    "Pin",
    "Ref",
    "RefMut",
    "RwLockReadGuard",
    "RwLockWriteGuard",
    "ThinBox",
];
/// Traits that give access to another value.
const BOUNDS: [&str; 5] = ["AsMut", "AsRef", "Borrow", "Deref", "DerefMut"];

/// Maximum number of types around the type of a receiver.
const MAX_DEPTH: usize = 8;

/// The type that declares a member, as seen from one document.
pub(crate) struct Owner<'s> {
    document: &'s CodeDocument,
    symbol: &'s Symbol<'s>,
    types: Types<'s>,
    /// The name of the member.
    member: &'s str,
    is_field: bool,
    /// Returns whether a name refers to the type.
    is_it: Box<dyn Fn(Span) -> bool + 's>,
    /// Returns whether a declaration is that of the type.
    is_declared: Box<dyn Fn(&FileLocation) -> bool + 's>,
    /// The answers about names after `as`.
    aliases: RefCell<HashMap<(String, u32), Option<bool>>>,
    /// The answers about other types of the workspace.
    known: RefCell<HashMap<(String, u32), bool>>,
}

impl<'s> Owner<'s> {
    pub(crate) fn new(
        document: &'s CodeDocument,
        symbol: &'s Symbol<'s>,
        (member, is_field): (&'s str, bool),
        is_it: impl Fn(Span) -> bool + 's,
        is_declared: impl Fn(&FileLocation) -> bool + 's,
    ) -> Owner<'s> {
        let types = Types::new(document.arena(), symbol).across_files();
        let (is_it, is_declared) = (Box::new(is_it), Box::new(is_declared));
        let (aliases, known) = Default::default();
        Owner { document, symbol, types, member, is_field, is_it, is_declared, aliases, known }
    }

    /// Returns whether the receiver of a field or method has the type, or gives access to it. `None` if that is not known.
    pub(crate) fn is_receiver(&self, access: NodeIndex) -> Option<bool> {
        let receiver = self.document.arena().children(access).next()?;
        self.is_type(&self.types.type_of(receiver)?, access, MAX_DEPTH)
    }

    /// Returns whether a path refers to the type. `None` if that is not known.
    pub(crate) fn is_path(&self, path: NodeIndex) -> Option<bool> {
        let arena = self.document.arena();
        let segment = child(arena, path, K::PATH_SEGMENT)?;
        if let Some(anchor) = child(arena, segment, K::TYPE_ANCHOR) {
            let mut types = types_in(arena, anchor);
            let (own, of) = (types.next()?, types.next());
            // `<W as T>::f` is a function of the trait.
            return if of.is_some() { Some(false) } else { self.is_path(child(arena, own, K::PATH)?) };
        }
        let name = child(arena, segment, K::NAME_REF)?;
        if arena.slice(name) != "Self" {
            return self.is_name(arena.node(name).span);
        }
        let around = [K::IMPL, K::TRAIT, K::ENUM, K::STRUCT];
        let item = arena.ancestors(path).find(|above| around.iter().any(|kind| has_kind(arena, *above, *kind)))?;
        if let Some(name) = child(arena, item, K::NAME) {
            let place = FileLocation { path: self.document.path().to_owned(), offset: arena.node(name).span.start };
            return Some((self.is_declared)(&place));
        }
        let Some(own) = types_in(arena, item).last() else { return Some(false) };
        let path = child(arena, own, K::PATH).filter(|_| has_kind(arena, own, K::PATH_TYPE));
        path.map_or(Some(false), |path| self.is_path(path))
    }

    /// Returns whether a name refers to the type. `None` if that is not known.
    pub(crate) fn is_name(&self, name: Span) -> Option<bool> {
        if (self.is_it)(name) {
            return Some(true);
        }
        let related = self.symbol.related(name.start);
        let Some(place) = related.place else {
            return (related.specifier.is_some() || self.symbol.is_outside(name)).then_some(false);
        };
        let text = self.text(&place)?;
        let before = text.get(..place.offset as usize)?.trim_end();
        if before.ends_with("as") {
            return self.is_alias(&place);
        }
        // An import from another workspace, or a type alias.
        let is_import = before.ends_with(['{', ',', ':']) || before.ends_with("use");
        let is_outside = is_import
            && (self.symbol.is_outside(name) || related.specifier.is_some_and(|own| own.starts_with("self::")));
        let is_unclear = before.ends_with("type") || is_import && !is_outside;
        (!is_unclear).then_some(false)
    }

    /// Returns whether a name after `as` refers to the type. `None` if that is not known.
    fn is_alias(&self, place: &FileLocation) -> Option<bool> {
        let key = (place.path.clone(), place.offset);
        if let Some(known) = self.aliases.borrow().get(&key) {
            return *known;
        }
        let found = match self.symbol.behind_aliases(place) {
            Aliased::Item(item) if (self.is_declared)(&item) => Some(true),
            Aliased::Item(item) => {
                let text = self.text(&item);
                let before = text.as_ref().and_then(|text| text.get(..item.offset as usize));
                before.filter(|before| !before.trim_end().ends_with("type")).map(|_| false)
            }
            Aliased::Other => Some(false),
            Aliased::Unknown => None,
        };
        self.aliases.borrow_mut().insert(key, found);
        found
    }

    fn text(&self, place: &FileLocation) -> Option<Cow<'_, str>> {
        if place.path == self.document.path() {
            Some(Cow::Borrowed(&self.document.arena().text))
        } else {
            workspace::read(&place.path).ok().map(Cow::Owned)
        }
    }

    fn is_type(&self, code: &str, node: NodeIndex, depth: usize) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        let inner = without_references(code);
        let (base, arguments) = generic(inner);
        let (names, scope) = (&self.symbol.names, self.types.scope_at(node));
        let qualified = self.types.qualified_name(inner);
        let binding = names.lookup(base, TYPES, scope).filter(|_| qualified.is_none());
        let is_kind = |kind: BindingKind| binding.is_some_and(|own| names.bindings[own].kind == kind);
        if let Some(argument) = arguments.first().filter(|_| POINTERS.contains(&base) && !is_kind(BindingKind::Item)) {
            return self.is_type(argument, node, depth);
        }
        if is_primitive(inner) || inner.starts_with(['[', '(']) {
            return Some(false);
        }
        if is_kind(BindingKind::Generic) || inner == "Self" {
            return (!self.may_be_bound(inner, node)).then_some(false);
        }
        // A type from outside of the workspace may give access to its arguments.
        let in_arguments = || {
            let mut types = arguments.iter().filter(|own| !own.starts_with('\''));
            types.any(|own| self.is_type(own, node, depth) != Some(false))
        };
        if is_standard_path(inner) {
            return (!(DEREFS.contains(&base) && in_arguments())).then_some(false);
        }
        if qualified.is_none() && self.types.has_several_meanings(base) {
            return None;
        }
        if let Some(place) = self.types.foreign(inner) {
            if (self.is_declared)(&place) {
                return Some(true);
            }
            return (!self.is_import(&place) && !self.gives_access(&place)).then_some(false);
        }
        let is_outside = crates::is_standard(base) || CONTAINERS.contains(&base);
        if binding.is_none() && qualified.is_none() && is_outside {
            return Some(false);
        }
        let name = qualified.or_else(|| self.types.type_name(base, scope))?;
        let has_access = match () {
            () if self.types.is_standard(base, scope) => DEREFS.contains(&base) && in_arguments(),
            () if self.is_name(name)? => return Some(true),
            () => match self.symbol.related(name.start).place.filter(|place| !self.is_import(place)) {
                Some(place) => self.gives_access(&place),
                None => in_arguments(),
            },
        };
        (!has_access).then_some(false)
    }

    /// Returns whether a place is an import and not a declaration.
    fn is_import(&self, place: &FileLocation) -> bool {
        let text = self.text(place).unwrap_or_default();
        let before = text.get(..place.offset as usize).unwrap_or_default().trim_end();
        before.ends_with(['{', ',', ':']) || ["use", "as"].iter().any(|word| before.ends_with(word))
    }

    /// Returns whether another type of the workspace may give access to the member.
    fn gives_access(&self, place: &FileLocation) -> bool {
        let key = (place.path.clone(), place.offset);
        if let Some(known) = self.known.borrow().get(&key) {
            return *known;
        }
        let found = match self.text(place) {
            None => true,
            Some(Cow::Borrowed(_)) => self.is_transparent(self.document, place),
            Some(Cow::Owned(text)) => self.is_transparent(&CodeDocument::open(&RUST, &place.path, text), place),
        };
        self.known.borrow_mut().insert(key, found);
        found
    }

    fn is_transparent(&self, document: &CodeDocument, place: &FileLocation) -> bool {
        let arena = document.arena();
        let here = Span { start: place.offset, end: place.offset };
        let named = arena.ancestors(arena.innermost(here)).find(|node| has_kind(arena, *node, K::NAME));
        let Some(own) = named else { return true };
        let (name, item) = (arena.slice(own), arena.node(own).parent);
        if self.is_field {
            let is_it = |field: NodeIndex| {
                let own = arena.child(field, F::Name.into());
                own.is_some_and(|own| plain(arena.slice(own)) == self.member)
            };
            // An access to another field needs `Deref`.
            let list = child(arena, item, K::RECORD_FIELD_LIST);
            return !list.is_some_and(|list| arena.children(list).any(is_it));
        }
        let symbol = Symbol::new(document);
        if Types::new(arena, &symbol).member(name, self.member).is_some() {
            return false;
        }
        let mut attributes = arena.children(item).filter(|own| has_kind(arena, *own, K::ATTR));
        attributes.any(|own| words(arena.slice(own)).any(|word| word == "Deref"))
            || may_implement(&place.path, "Deref", name)
    }

    /// Returns whether the bounds of a type parameter or of `Self` may give access to the member.
    fn may_be_bound(&self, name: &str, node: NodeIndex) -> bool {
        let (arena, names) = (self.document.arena(), &self.symbol.names);
        let lists = arena.ancestors(node).flat_map(|above| arena.children(above)).filter(|part| {
            let kinds = [K::GENERIC_PARAM_LIST, K::WHERE_CLAUSE, K::TYPE_BOUND_LIST];
            kinds.iter().any(|kind| has_kind(arena, *part, *kind))
        });
        let parts = lists.flat_map(|list| std::iter::once(list).chain(arena.children(list))).filter(|part| {
            let is = |kind: K| has_kind(arena, *part, kind);
            let own = arena.slice(*part).split(':').next().unwrap_or_default();
            is(K::TYPE_BOUND_LIST) && name == "Self"
                || (is(K::TYPE_PARAM) || is(K::WHERE_PRED)) && words(own).any(|word| word == name)
        });
        // Only `Deref` gives access to a field.
        self.is_field
            || parts.into_iter().flat_map(|part| arena.tokens_in(arena.node(part).span)).any(|token| {
                let word = token.span.slice(&arena.text);
                let place = names.at(token.span.start).filter(|place| place.span == token.span);
                BOUNDS.contains(&word) || place.is_some() && self.is_subtrait(token.span)
            })
    }

    /// Returns whether a name is that of a trait whose bounds give access to another value.
    fn is_subtrait(&self, name: Span) -> bool {
        let Some(place) = self.symbol.related(name.start).place else { return false };
        let text = self.text(&place).unwrap_or_default();
        let (before, head) = text.split_at_checked(place.offset as usize).unwrap_or_default();
        let head = head.split('{').next().unwrap_or_default();
        before.trim_end().ends_with("trait") && words(head).any(|word| BOUNDS.contains(&word))
    }
}
