//! Types: as much as it takes to tell which declaration a member belongs to, and no more.

use std::rc::Rc;

use oxc_ast::ast::*;
use oxc_semantic::SymbolId;

use crate::program::ids::{ModuleRef, Owner, Site};

/// A type of more alternatives than this is unknown.
const MOST_ALTERNATIVES: usize = 512;

/// Types of the language whose arguments matter: what a list holds, what a promise resolves to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    Array,
    Promise,
    Map,
    Set,
    /// A component of a user interface. Its arguments are the types of its props and of its state.
    Component,
}

/// Something that can be called or constructed.
#[derive(Clone, Copy)]
pub(crate) enum Callable<'w> {
    Function(&'w Function<'w>),
    Arrow(&'w ArrowFunctionExpression<'w>),
    Type(&'w TSFunctionType<'w>),
    Method(&'w TSMethodSignature<'w>),
    Call(&'w TSCallSignatureDeclaration<'w>),
    New(&'w TSConstructorType<'w>),
    Construct(&'w TSConstructSignatureDeclaration<'w>),
}

/// A callable with the module it stands in and the types that its type parameters stand for.
#[derive(Clone)]
pub(crate) struct Signature<'w> {
    pub(crate) module: u32,
    pub(crate) callable: Callable<'w>,
    pub(crate) substitution: Substitution<'w>,
}

/// The types that type parameters and `this` stand for; nothing where they are not known.
pub(crate) type Substitution<'w> = Option<Rc<TypeArguments<'w>>>;

#[derive(Clone, Default)]
pub(crate) struct TypeArguments<'w> {
    pub(crate) parameters: Vec<((u32, SymbolId), Ty<'w>)>,
    pub(crate) this: Option<Ty<'w>>,
}

/// A type.
#[derive(Clone)]
pub(crate) enum Ty<'w> {
    /// It cannot be told.
    Unknown,
    /// It has no members that anything here declares: numbers, void …
    Plain,
    /// A package declares it.
    External,
    /// The language or a browser declares it: the names of its members are known, their types are not.
    Platform,
    /// One text, and where a type says so.
    Text(&'w str, Option<Site>),
    /// An object of a class or interface.
    Instance(Owner, Substitution<'w>),
    /// A class, function, enum or namespace itself.
    Static(Owner),
    /// All exports of a module.
    Module(ModuleRef),
    /// What a call asks for by its import path, with so many names of the path read: see [`crate::program::Watch`].
    Watched(usize),
    /// `{ a: string }`
    Literal(u32, &'w TSTypeLiteral<'w>, Substitution<'w>),
    /// `{ a: 1 }`
    Object(u32, &'w ObjectExpression<'w>),
    Call(Signature<'w>),
    Builtin(Builtin, Rc<[Ty<'w>]>),
    Tuple(Rc<[Ty<'w>]>),
    /// `keyof T`
    Keys(Rc<Ty<'w>>),
    /// `{ [K in keyof T]: … }` where the members have types of their own: the type or texts whose keys it has.
    Mapped(Rc<Ty<'w>>, u32, &'w TSMappedType<'w>, Substitution<'w>),
    Either(Rc<[Ty<'w>]>),
    Both(Rc<[Ty<'w>]>),
    /// A type parameter for which no type is known.
    Parameter(u32, SymbolId),
}

impl<'w> Ty<'w> {
    pub(crate) fn array(element: Ty<'w>) -> Ty<'w> {
        Ty::Builtin(Builtin::Array, Rc::from([element]))
    }

    pub(crate) fn promise(value: Ty<'w>) -> Ty<'w> {
        Ty::Builtin(Builtin::Promise, Rc::from([value]))
    }

    /// One of several. What has no members of its own does not count beside others.
    pub(crate) fn either(types: impl IntoIterator<Item = Ty<'w>>) -> Ty<'w> {
        let mut all: Vec<Ty<'w>> = Vec::new();
        for ty in types {
            match ty {
                Ty::Either(inner) => all.extend(inner.iter().cloned()),
                Ty::Plain => {}
                other => all.push(other),
            }
        }
        match all.len() {
            0 => Ty::Plain,
            1 => all.remove(0),
            // Types that double at every step would otherwise fill the memory.
            count if count > MOST_ALTERNATIVES => Ty::Unknown,
            _ => Ty::Either(all.into()),
        }
    }

    pub(crate) fn both(types: impl IntoIterator<Item = Ty<'w>>) -> Ty<'w> {
        let mut all: Vec<Ty<'w>> = types.into_iter().filter(|ty| !matches!(ty, Ty::Plain)).collect();
        match all.len() {
            0 => Ty::Plain,
            1 => all.remove(0),
            _ => Ty::Both(all.into()),
        }
    }

    /// The types it may be, one by one.
    pub(crate) fn alternatives(&self) -> &[Ty<'w>] {
        if let Ty::Either(types) = self { types } else { std::slice::from_ref(self) }
    }

    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self, Ty::Unknown)
    }
}

/// What tells the type of a member.
#[derive(Clone)]
pub(crate) enum Source<'w> {
    Type(u32, &'w TSType<'w>, Substitution<'w>),
    Value(u32, &'w Expression<'w>),
    Callable(Signature<'w>),
    /// What the callable returns: a getter.
    Returned(Signature<'w>),
    Symbol(u32, SymbolId),
    Ty(Ty<'w>),
}

/// A member that was found.
#[derive(Clone)]
pub(crate) struct Prop<'w> {
    pub(crate) site: Option<Site>,
    pub(crate) source: Source<'w>,
    pub(crate) optional: bool,
}

/// The members of a type that have a name.
#[derive(Clone, Default)]
pub(crate) struct Props<'w> {
    pub(crate) found: Vec<Prop<'w>>,
    /// There may be more that could not be seen.
    pub(crate) open: bool,
    /// A package or the platform has, or may have, such a member.
    pub(crate) external: bool,
    /// One of several types has a member of ours, another one is a package's.
    pub(crate) mixed: bool,
    /// The language or a browser declares the member.
    pub(crate) platform: bool,
}

impl<'w> Props<'w> {
    pub(crate) fn none() -> Props<'w> {
        Props::default()
    }

    pub(crate) fn unknown() -> Props<'w> {
        Props { open: true, ..Props::default() }
    }

    pub(crate) fn external() -> Props<'w> {
        Props { external: true, ..Props::default() }
    }

    pub(crate) fn platform() -> Props<'w> {
        Props { external: true, platform: true, ..Props::default() }
    }

    pub(crate) fn single(site: Option<Site>, source: Source<'w>) -> Props<'w> {
        Props { found: vec![Prop { site, source, optional: false }], ..Props::default() }
    }

    pub(crate) fn add(&mut self, other: Props<'w>) {
        self.found.extend(other.found);
        self.open |= other.open;
        self.external |= other.external;
        self.mixed |= other.mixed;
        self.platform |= other.platform;
    }

    /// Nothing has the member, as far as everything was seen. Checked code reads no such member: the type was not
    /// understood.
    pub(crate) fn is_absent(&self) -> bool {
        self.found.is_empty() && !self.open && !self.external
    }

    pub(crate) fn sites(&self) -> Vec<Site> {
        let mut sites: Vec<Site> = self.found.iter().filter_map(|prop| prop.site).collect();
        sites.sort_unstable();
        sites.dedup();
        sites
    }
}

/// What a name stands for.
#[derive(Clone)]
pub(crate) enum Entity<'w> {
    Symbol(u32, SymbolId),
    Module(ModuleRef),
    Value(Ty<'w>),
    External,
    Unknown,
    Watched(usize),
}

/// The written name of a key, where it is fixed; private ones with their `#`.
pub(crate) fn key_name<'w>(key: &PropertyKey<'w>) -> Option<std::borrow::Cow<'w, str>> {
    match key {
        PropertyKey::StaticIdentifier(name) => Some(name.name.as_str().into()),
        PropertyKey::PrivateIdentifier(name) => Some(format!("#{}", name.name).into()),
        PropertyKey::StringLiteral(text) => Some(text.value.as_str()?.into()),
        PropertyKey::TemplateLiteral(text) if text.expressions.is_empty() => {
            Some(text.quasis.first()?.value.cooked?.as_str()?.into())
        }
        PropertyKey::NumericLiteral(number) => Some(number.raw?.as_str().into()),
        _ => None,
    }
}
