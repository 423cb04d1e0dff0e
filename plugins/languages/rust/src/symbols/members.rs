//! Members: fields of structs, variants, functions in the implementations of types, and functions of traits.
//!
//! A member belongs to a type or trait. Its uses are found by the paths and types that refer to that type, or to one
//! that implements the trait; accesses to values of unknown types are listed.

mod associated_types;
mod declaration;
mod implementers;
mod search;

use marquetry_code::{Arena, CodeDocument, NodeIndex};
use marquetry_sdk::{
    DeclaredKey, Edit, FailureKind, FileLocation, Occurrence, RenameResult, Resolution, Result, Span, Subject, Usage,
    fail, shared, workspace,
};

use super::Symbol;
use crate::{
    hierarchy::{last_name, usage_at},
    kinds::{F, K, child, has_kind},
    modules::plain,
    table::RUST,
    types::{Types, text::words, types_in},
};
pub(super) use declaration::declaration_of_use;
use declaration::member_of;
use search::Search;

/// Derives of the standard library whose code does not depend on the names of members, except for `Debug`.
const DERIVES: [&str; 9] = ["Clone", "Copy", "Debug", "Default", "Eq", "Hash", "Ord", "PartialEq", "PartialOrd"];

/// Crates and modules in the paths of these derives.
const PATHS: [&str; 9] = ["alloc", "clone", "cmp", "core", "default", "fmt", "hash", "marker", "std"];
/// Attributes of types and traits that do not depend on the names of members.
const ATTRIBUTES: [&str; 15] = [
    "allow",
    "async_trait",
    "cfg",
    "clippy",
    "default",
    "deny",
    "deprecated",
    "doc",
    "expect",
    "forbid",
    "must_use",
    "non_exhaustive",
    "repr",
    "rustfmt",
    "warn",
];

/// A kind of member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Field,
    Variant,
    /// A function or constant of an implementation or trait. `count` is the number of its parameters without `self`.
    Function {
        has_self: bool,
        count: usize,
    },
    /// An associated type of a trait.
    Type,
}

impl Kind {
    /// Returns whether implementations declare the member: an associated function, constant or type.
    fn is_associated(self) -> bool {
        matches!(self, Kind::Function { .. } | Kind::Type)
    }
}

/// A declared member.
#[derive(Debug, Clone)]
pub(super) struct Member {
    name: String,
    kind: Kind,
    /// The name in the declaration of the member.
    declared: FileLocation,
    /// The name in the declaration of the type or trait.
    owner: FileLocation,
    owner_name: String,
    /// The name of the variant that contains the field.
    variant: Option<String>,
    of_trait: bool,
}

/// Accesses to members with a name whose values have unknown types, in a file that is not related to the declaration of
/// the member.
pub(super) fn unclear_accesses(document: &CodeDocument, name: &str) -> Vec<Span> {
    let (arena, symbol) = (document.arena(), Symbol::new(document));
    let types = Types::new(arena, &symbol).across_files();
    let is_unclear = |node: &NodeIndex| {
        let access = arena.node(*node).parent;
        let is_access = has_kind(arena, access, K::FIELD_EXPR) || has_kind(arena, access, K::METHOD_CALL_EXPR);
        let is_named = has_kind(arena, *node, K::NAME_REF) && plain(arena.slice(*node)) == name;
        is_named && is_access && arena.children(access).next().is_some_and(|value| types.type_of(value).is_none())
    };
    arena.nodes().map(|(node, _)| node).filter(is_unclear).map(|node| arena.node(node).span).collect()
}

/// The name of the trait from outside of the workspace that requires the member which a name declares.
pub(super) fn required_by_trait<'s>(symbol: &Symbol<'s>, name: Span) -> Option<&'s str> {
    let arena = symbol.document.arena();
    let (own, item) = declaration_at(arena, name.start)?;
    let around = arena.node(arena.node(item).parent).parent;
    let types: Vec<NodeIndex> = types_in(arena, around).filter(|_| has_kind(arena, around, K::IMPL)).collect();
    let [of, _] = types[..] else { return None };
    let of = last_name(arena, of).filter(|_| arena.node(own).span == name)?;
    let is_outside = symbol.is_outside(arena.node(of).span) || crate::crates::is_standard(arena.slice(of));
    is_outside.then(|| arena.slice(of))
}

/// The name that is declared at an offset of a document, and the node of its declaration.
fn declaration_at(arena: &Arena, offset: u32) -> Option<(NodeIndex, NodeIndex)> {
    let is_here = |node: NodeIndex| {
        let span = arena.node(node).span;
        span.start <= offset && offset <= span.end
    };
    let name = arena.nodes().map(|(node, _)| node).find(|node| has_kind(arena, *node, K::NAME) && is_here(*node))?;
    Some((name, arena.node(name).parent))
}

impl Member {
    /// The member that a document declares at an offset. For a function that implements a trait, this is the function of
    /// the trait. `None` for other names, and for members of traits from outside of the workspace.
    fn declared_at(document: &CodeDocument, offset: u32) -> Option<Member> {
        let arena = document.arena();
        let (name, node) = declaration_at(arena, offset)?;
        let is = |kind: K| has_kind(arena, node, kind);
        let around = arena.node(arena.node(node).parent).parent;
        let location =
            |node: NodeIndex| FileLocation { path: document.path().to_owned(), offset: arena.node(node).span.start };
        let kind = match () {
            () if is(K::RECORD_FIELD)
                && (has_kind(arena, around, K::STRUCT) || has_kind(arena, around, K::VARIANT)) =>
            {
                Kind::Field
            }
            () if is(K::VARIANT) => Kind::Variant,
            () if is(K::FN) || is(K::CONST) => {
                let list = child(arena, node, K::PARAM_LIST);
                let parts = || list.into_iter().flat_map(|list| arena.children(list));
                let has_self = parts().any(|part| has_kind(arena, part, K::SELF_PARAM));
                Kind::Function { has_self, count: parts().filter(|part| has_kind(arena, *part, K::PARAM)).count() }
            }
            () if is(K::TYPE_ALIAS) => Kind::Type,
            () => return None,
        };
        let of_trait = kind.is_associated() && has_kind(arena, around, K::TRAIT);
        let (owner, owner_name) = match kind {
            Kind::Function { .. } | Kind::Type if !of_trait => {
                let types: Vec<NodeIndex> =
                    types_in(arena, around).filter(|_| has_kind(arena, around, K::IMPL)).collect();
                let symbol = Symbol::new(document);
                let item = |own: NodeIndex| {
                    let name = last_name(arena, own)?;
                    Some((symbol.item_at(arena.node(name).span.start)?, arena.slice(name).to_owned()))
                };
                match types[..] {
                    [own] => item(own)?,
                    [of, _] => return Member::of_trait(document, &item(of)?.0, plain(arena.slice(name))),
                    _ => return None,
                }
            }
            _ => {
                let is_variant = has_kind(arena, around, K::VARIANT);
                let item = if is_variant { arena.node(arena.node(around).parent).parent } else { around };
                let name = arena.child(item, F::Name.into())?;
                (location(name), arena.slice(name).to_owned())
            }
        };
        let variant = arena.child(around, F::Name.into()).filter(|_| has_kind(arena, around, K::VARIANT));
        let variant = variant.map(|variant| plain(arena.slice(variant)).to_owned());
        let (declared, name) = (location(name), plain(arena.slice(name)).to_owned());
        Some(Member { name, kind, declared, owner, owner_name, variant, of_trait })
    }

    /// The function or constant of a trait.
    fn of_trait(document: &CodeDocument, owner: &FileLocation, name: &str) -> Option<Member> {
        let text = workspace::read(&owner.path).ok().filter(|_| owner.path != document.path());
        let other = text.map(|text| CodeDocument::open(&RUST, &owner.path, text));
        let document = other.as_ref().unwrap_or(document);
        let (_, item) = declaration_at(document.arena(), owner.offset)?;
        let is_trait = has_kind(document.arena(), item, K::TRAIT);
        let declared = member_of(document, owner, (name, false)).filter(|_| is_trait)?;
        Member::declared_at(document, declared.offset)
    }

    /// The member that is declared at a location.
    fn at(document: &CodeDocument, location: &FileLocation) -> Option<Member> {
        if location.path == document.path() {
            return Member::declared_at(document, location.offset);
        }
        let text = workspace::read(&location.path).ok()?;
        Member::declared_at(&CodeDocument::open(&RUST, &location.path, text), location.offset)
    }

    /// The member that a subject refers to. `None` for other names.
    pub(super) fn find(document: &CodeDocument, subject: &Subject) -> Option<Member> {
        match subject {
            Subject::Declared(key) => Member::at(document, key.locations.first()?),
            Subject::At(offset) => Member::declared_at(document, *offset)
                .or_else(|| Member::at(document, &declaration_of_use(&Symbol::new(document), *offset)?)),
            Subject::Address(address) => {
                let found = document.find_symbols(address).ok()?;
                Member::declared_at(document, document.symbols().symbols[*found.first()?].selection.start)
            }
            _ => None,
        }
    }

    fn key(&self) -> DeclaredKey {
        DeclaredKey { name: self.name.clone(), locations: vec![self.declared.clone()], forms: Vec::new() }
    }

    /// The occurrences of the member in a document.
    pub(super) fn resolution(&self, document: &CodeDocument, is_asked: bool) -> Resolution {
        let symbol = Symbol::new(document);
        let found = Search::new(document, &symbol, self).run();
        let is_here = self.declared.path == document.path();
        let arena = document.arena();
        let occurrence = |span: Span, certain: bool| {
            let node = arena.innermost(span);
            // The pattern `P { x }` declares a variable with the name of the field.
            let is_declared = has_kind(arena, node, K::NAME) && !has_kind(arena, arena.node(node).parent, K::IDENT_PAT);
            let usage = if is_declared { Usage::Declaration } else { usage_at(arena, span) };
            Occurrence { span, usage, certain }
        };
        let certain = found.uses.iter().map(|(span, _)| occurrence(*span, true));
        let possible = found.unresolved.iter().map(|span| occurrence(*span, false));
        let mut occurrences: Vec<Occurrence> = certain.chain(possible).collect();
        occurrences.sort_by_key(|own| (own.span.start, !own.certain));
        occurrences.dedup_by_key(|own| own.span);
        let kind = match self.kind {
            Kind::Field => "field",
            Kind::Variant => "variant",
            Kind::Function { .. } => "method",
            Kind::Type => "type",
        };
        let symbols = &document.symbols().symbols;
        let declared = symbols.iter().find(|own| is_here && own.selection.start == self.declared.offset);
        let is_elsewhere = !is_here && !is_asked;
        Resolution {
            kind: kind.to_owned(),
            address: declared.map(|own| own.address.clone()),
            occurrences: if is_elsewhere { Vec::new() } else { occurrences },
            declared: (!is_asked && is_here).then(|| self.key()),
            elsewhere: is_elsewhere.then(|| self.declared.clone()),
            ..shared::empty_resolution(&self.name)
        }
    }

    /// Renames the member in a document.
    ///
    /// # Errors
    ///
    /// Fails if the new name is taken.
    pub(super) fn rename(&self, document: &CodeDocument, new_name: &str, is_asked: bool) -> Result<RenameResult> {
        let mut result = shared::empty_renaming(&self.name);
        let is_here = self.declared.path == document.path();
        if !is_here && !is_asked {
            return Ok(RenameResult { elsewhere: Some(self.declared.clone()), ..result });
        }
        if plain(new_name) == self.name {
            return Ok(result);
        }
        let symbol = Symbol::new(document);
        if is_here {
            self.check_siblings(document, new_name)?;
            result.unresolved.extend(self.foreign_attributes(document));
            result.declared = (!is_asked).then(|| self.key());
        }
        let search = Search::new(document, &symbol, self);
        let found = search.run();
        search.check_imports(new_name)?;
        result.edits = found
            .uses
            .iter()
            .map(|(span, before)| match before {
                // A shorthand keeps the name of the variable.
                Some(start) => Edit::insert(*start as usize, format!("{new_name}: ")),
                None => Edit::new(*span, new_name),
            })
            .collect();
        result.edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        result.edits.dedup();
        result.unresolved.extend(found.unresolved);
        result.unresolved.extend(search.calls_of(new_name));
        result.unresolved.extend(search.methods_named(new_name));
        result.unresolved.extend(search.types_named(new_name));
        result.unresolved.sort_by_key(|span| span.start);
        result.unresolved.dedup();
        Ok(result)
    }

    /// Refuses the name of another member of the type.
    fn check_siblings(&self, document: &CodeDocument, new_name: &str) -> Result<()> {
        let arena = document.arena();
        let taken = |node: NodeIndex| {
            let name = arena.child(node, F::Name.into())?;
            (plain(arena.slice(name)) == plain(new_name)).then(|| arena.node(name).span)
        };
        let list = declaration_at(arena, self.declared.offset).map(|(_, item)| arena.node(item).parent);
        let is_inside = self.kind == Kind::Field || self.of_trait;
        let members = arena.nodes().map(|(node, _)| node).filter(|node| {
            let around = arena.node(arena.node(*node).parent).parent;
            let is = |kind: K| has_kind(arena, *node, kind);
            let is_of_type = || {
                let own = types_in(arena, around).last();
                own.is_some_and(|own| words(arena.slice(own)).any(|word| word == self.owner_name))
            };
            match () {
                () if is_inside => Some(arena.node(*node).parent) == list,
                () if is(K::VARIANT) => {
                    let name = arena.child(around, F::Name.into());
                    name.is_some_and(|name| arena.slice(name) == self.owner_name)
                }
                () => (is(K::FN) || is(K::CONST)) && has_kind(arena, around, K::IMPL) && is_of_type(),
            }
        });
        match members.filter_map(taken).next() {
            None => Ok(()),
            Some(at) => Err(fail(
                FailureKind::RefactorFailed,
                format!("`{}` already has a member `{new_name}`", self.variant.as_ref().unwrap_or(&self.owner_name)),
            )
            .hint("choose another name")
            .at(at)),
        }
    }

    /// Attributes of the type or trait that may give its members names outside of the code.
    fn foreign_attributes(&self, document: &CodeDocument) -> Vec<Span> {
        let arena = document.arena();
        let has_code = matches!(self.kind, Kind::Field | Kind::Variant) || self.of_trait;
        let has_code = has_code && self.owner.path == document.path();
        let Some((_, item)) = declaration_at(arena, self.owner.offset).filter(|_| has_code) else { return Vec::new() };
        let attributes = || arena.children(item).filter(|own| has_kind(arena, *own, K::ATTR));
        let is_foreign = |own: &NodeIndex| has_foreign_derive(arena.slice(*own));
        let derives: Vec<Span> = attributes().filter(is_foreign).map(|own| arena.node(own).span).collect();
        if !derives.is_empty() {
            return derives;
        }
        let is_foreign = |own: &NodeIndex| {
            let first = words(arena.slice(*own)).next();
            first.is_some_and(|first| first != "derive" && first != "cfg_attr" && !ATTRIBUTES.contains(&first))
        };
        attributes().filter(is_foreign).map(|own| arena.node(own).span).collect()
    }
}

/// Returns whether an attribute derives a trait whose code may depend on the names of members, also under a condition:
/// `#[cfg_attr(feature = "a", derive(b::C))]`.
fn has_foreign_derive(code: &str) -> bool {
    let conditions = ["derive", "cfg_attr"];
    if !words(code).next().is_some_and(|first| conditions.contains(&first)) {
        return false;
    }
    let lists = code.match_indices("derive").map(|(at, word)| code[at + word.len()..].trim_start());
    let mut lists = lists.filter_map(|rest| rest.strip_prefix('(')).map(|rest| rest.split(')').next().unwrap_or(rest));
    lists.any(|list| words(list).any(|word| !DERIVES.contains(&word) && !PATHS.contains(&word)))
}
