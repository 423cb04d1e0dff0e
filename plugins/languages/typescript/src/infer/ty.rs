//! Types, in the detail that is needed to resolve members to declarations.

use std::rc::Rc;

use oxc_ast::ast::*;
use oxc_semantic::SymbolId;

use crate::program::ids::{ModuleRef, Owner, Site};

/// Maximum number of alternatives; a larger union is unknown.
const MOST_ALTERNATIVES: usize = 512;

/// Generic types of the language: lists, promises and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    Array,
    Promise,
    Map,
    Set,
    /// A component of a user interface. Its arguments are the types of its props and state.
    Component,
}

/// Something that can be called or constructed.
#[derive(Clone, Copy)]
pub(crate) enum Callable<'w> {
    Function(&'w Function<'w>),
    Arrow(&'w ArrowFunctionExpression<'w>),
    FunctionType(&'w TSFunctionType<'w>),
    MethodSignature(&'w TSMethodSignature<'w>),
    CallSignature(&'w TSCallSignatureDeclaration<'w>),
    ConstructorType(&'w TSConstructorType<'w>),
    ConstructSignature(&'w TSConstructSignatureDeclaration<'w>),
}

/// A callable with its module and the types of its type parameters.
#[derive(Clone)]
pub(crate) struct Signature<'w> {
    pub(crate) module: u32,
    pub(crate) callable: Callable<'w>,
    pub(crate) substitution: Substitution<'w>,
}

/// Types of type parameters and `this`; `None` if they are not known.
pub(crate) type Substitution<'w> = Option<Rc<TypeArguments<'w>>>;

#[derive(Clone, Default)]
pub(crate) struct TypeArguments<'w> {
    pub(crate) parameters: Vec<((u32, SymbolId), Ty<'w>)>,
    pub(crate) this: Option<Ty<'w>>,
}

/// A type.
#[derive(Clone)]
pub(crate) enum Ty<'w> {
    /// The type cannot be determined.
    Unknown,
    /// A type without members declared in the program: numbers, void, and so on.
    Primitive,
    /// A type from a package.
    External,
    /// A type of the language or a browser: the names of its members are known, but not their types.
    Platform,
    /// A string, with the site of the literal type if there is one.
    String(&'w str, Option<Site>),
    /// An instance of a class or interface.
    Instance(Owner, Substitution<'w>),
    /// A class, function, enum or namespace itself.
    Static(Owner),
    /// All exports of a module.
    Module(ModuleRef),
    /// A symbol identified by its import path, with the number of names already followed: see
    /// [`crate::program::Watch`].
    Watched(usize),
    /// `{ a: string }`
    Literal(u32, &'w TSTypeLiteral<'w>, Substitution<'w>),
    /// `{ a: 1 }`
    Object(u32, &'w ObjectExpression<'w>),
    Callable(Signature<'w>),
    Builtin(Builtin, Rc<[Ty<'w>]>),
    Tuple(Rc<[Ty<'w>]>),
    /// `keyof T`
    Keys(Rc<Ty<'w>>),
    /// `{ [K in keyof T]: … }` whose members have their own types. The first field is the type, or the strings, for its
    /// keys.
    Mapped(Rc<Ty<'w>>, u32, &'w TSMappedType<'w>, Substitution<'w>),
    Union(Rc<[Ty<'w>]>),
    Intersection(Rc<[Ty<'w>]>),
    /// A type parameter without a known type.
    Parameter(u32, SymbolId),
    /// Members that other code than a type declares: `defineProps(["name"])`.
    Named(Rc<[NamedMember<'w>]>),
}

/// A member of [`Ty::Named`].
#[derive(Clone)]
pub(crate) struct NamedMember<'w> {
    pub(crate) name: &'w str,
    pub(crate) site: Option<Site>,
    pub(crate) source: Source<'w>,
}

impl<'w> Ty<'w> {
    pub(crate) fn array(element: Ty<'w>) -> Ty<'w> {
        Ty::Builtin(Builtin::Array, Rc::from([element]))
    }

    pub(crate) fn promise(value: Ty<'w>) -> Ty<'w> {
        Ty::Builtin(Builtin::Promise, Rc::from([value]))
    }

    /// Returns a union. Types without members are omitted if there are others.
    pub(crate) fn union_of(types: impl IntoIterator<Item = Ty<'w>>) -> Ty<'w> {
        let mut all: Vec<Ty<'w>> = Vec::new();
        for ty in types {
            match ty {
                Ty::Union(inner) => all.extend(inner.iter().cloned()),
                Ty::Primitive => {}
                other if all.iter().take(MOST_ALTERNATIVES).any(|known| known.is_same_class(&other)) => {}
                other => all.push(other),
            }
        }
        match all.len() {
            0 => Ty::Primitive,
            1 => all.remove(0),
            // Limit memory use for types that double at every step.
            count if count > MOST_ALTERNATIVES => Ty::Unknown,
            _ => Ty::Union(all.into()),
        }
    }

    pub(crate) fn intersection_of(types: impl IntoIterator<Item = Ty<'w>>) -> Ty<'w> {
        let mut all: Vec<Ty<'w>> = types.into_iter().filter(|ty| !matches!(ty, Ty::Primitive)).collect();
        match all.len() {
            0 => Ty::Primitive,
            1 => all.remove(0),
            _ => Ty::Intersection(all.into()),
        }
    }

    /// Returns the type with type parameters replaced by their types. Parts of object literals and functions are not
    /// replaced.
    pub(crate) fn substituted(&self, substitution: &Substitution<'w>) -> Ty<'w> {
        let Some(known) = substitution else { return self.clone() };
        let all = |types: &Rc<[Ty<'w>]>| types.iter().map(|ty| ty.substituted(substitution)).collect::<Vec<_>>();
        match self {
            Ty::Parameter(module, symbol) => {
                let found = known.parameters.iter().find(|(key, _)| *key == (*module, *symbol));
                found.map_or_else(|| self.clone(), |(_, ty)| ty.clone())
            }
            Ty::Builtin(builtin, inner) => Ty::Builtin(*builtin, all(inner).into()),
            Ty::Tuple(elements) => Ty::Tuple(all(elements).into()),
            Ty::Union(types) => Ty::union_of(all(types)),
            Ty::Intersection(types) => Ty::intersection_of(all(types)),
            Ty::Keys(of) => Ty::Keys(Rc::new(of.substituted(substitution))),
            Ty::Instance(owner, Some(inner)) => {
                let replaced = inner.parameters.iter().map(|(key, ty)| (*key, ty.substituted(substitution)));
                let parameters = replaced.collect();
                Ty::Instance(*owner, Some(Rc::new(TypeArguments { parameters, this: inner.this.clone() })))
            }
            other => other.clone(),
        }
    }

    /// Returns whether both types are the same class, or its instances without type arguments.
    fn is_same_class(&self, other: &Ty<'w>) -> bool {
        match (self, other) {
            (Ty::Static(one), Ty::Static(other)) => one == other,
            (Ty::Instance(one, None), Ty::Instance(other, None)) => one == other,
            _ => false,
        }
    }

    /// Returns the alternatives of the type.
    pub(crate) fn alternatives(&self) -> &[Ty<'w>] {
        if let Ty::Union(types) = self { types } else { std::slice::from_ref(self) }
    }

    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self, Ty::Unknown)
    }
}

/// Source of a member's type.
#[derive(Clone)]
pub(crate) enum Source<'w> {
    Type(u32, &'w TSType<'w>, Substitution<'w>),
    Value(u32, &'w Expression<'w>),
    Callable(Signature<'w>),
    /// The return type of the callable: a getter.
    Returned(Signature<'w>),
    Symbol(u32, SymbolId),
    Ty(Ty<'w>),
}

/// A resolved member.
#[derive(Clone)]
pub(crate) struct Prop<'w> {
    pub(crate) site: Option<Site>,
    pub(crate) source: Source<'w>,
    pub(crate) optional: bool,
}

/// Members of a type that have a given name.
#[derive(Clone, Default)]
pub(crate) struct Props<'w> {
    pub(crate) found: Vec<Prop<'w>>,
    /// There may be more members that are not known.
    pub(crate) may_have_more: bool,
    /// A package or the platform declares, or may declare, such a member.
    pub(crate) external: bool,
    /// True if one of several types has a member declared in the workspace, and another type is from a package.
    pub(crate) mixed: bool,
    /// The language or a browser declares the member.
    pub(crate) platform: bool,
    /// An index signature matches the name.
    pub(crate) indexed: Indexed,
}

/// Match of a name by an index signature. A value that declares a member with this name may then be assigned to the
/// type; the variants state which values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Indexed {
    #[default]
    No,
    /// Only object literals and type literals are assignable to the type, because the type of its members is known.
    Literals,
    /// Instances of classes and interfaces are assignable as well.
    Anything,
}

impl<'w> Props<'w> {
    pub(crate) fn none() -> Props<'w> {
        Props::default()
    }

    pub(crate) fn unknown() -> Props<'w> {
        Props { may_have_more: true, ..Props::default() }
    }

    pub(crate) fn external() -> Props<'w> {
        Props { external: true, ..Props::default() }
    }

    pub(crate) fn platform() -> Props<'w> {
        Props { external: true, platform: true, ..Props::default() }
    }

    /// Returns the member that an index signature with this type of members declares.
    pub(crate) fn indexed(ty: Ty<'w>) -> Props<'w> {
        let indexed = if ty.is_unknown() { Indexed::Anything } else { Indexed::Literals };
        Props { indexed, ..Props::single(None, Source::Ty(ty)) }
    }

    pub(crate) fn single(site: Option<Site>, source: Source<'w>) -> Props<'w> {
        Props { found: vec![Prop { site, source, optional: false }], ..Props::default() }
    }

    pub(crate) fn add(&mut self, other: Props<'w>) {
        self.found.extend(other.found);
        self.may_have_more |= other.may_have_more;
        self.external |= other.external;
        self.mixed |= other.mixed;
        self.platform |= other.platform;
        self.indexed = self.indexed.max(other.indexed);
    }

    /// Returns whether no such member exists. Type-checked code does not read such a member, so the type was inferred
    /// wrongly.
    pub(crate) fn is_absent(&self) -> bool {
        self.found.is_empty() && !self.may_have_more && !self.external
    }

    pub(crate) fn sites(&self) -> Vec<Site> {
        let mut sites: Vec<Site> = self.found.iter().filter_map(|prop| prop.site).collect();
        sites.sort_unstable();
        sites.dedup();
        sites
    }
}

/// Entity that a name refers to.
#[derive(Clone)]
pub(crate) enum Entity<'w> {
    Symbol(u32, SymbolId),
    Module(ModuleRef),
    Value(Ty<'w>),
    External,
    Unknown,
    Watched(usize),
}

/// Returns the name of a key if it is constant; private names include their `#`.
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
