//! Types as values that can be compared and printed. [`types`](crate::types) only finds the declaration of
//! a member; this module also distinguishes pointers, type arguments and types of the standard library.

mod calls;
mod compare;
mod constants;
mod expressions;
mod members;
mod print;
mod substitution;
mod variables;

pub(crate) use calls::is_predeclared;
pub(crate) use compare::same_signature;
pub(crate) use members::{Found, Member, Methods};
pub(crate) use print::Printer;
use substitution::{substitute, substituted_signature};

use std::rc::Rc;

use marquetry_code::NodeIndex;
use marquetry_sdk::paths::folder;

use crate::{
    imports::imports,
    kinds::{F, K, child, children, has_kind, with_role},
    names::{BindingKind, is_universal},
    packages::{Found as Folder, local_name, outline_of, package_files, package_name, resolve},
    standard,
    types::{File, file_of},
};

/// A package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Package {
    /// A package of the workspace: its folder and name.
    Folder(String, String),
    /// A package outside of the workspace, by its import path.
    Path(String),
}

/// A type.
#[derive(Debug, Clone)]
pub(crate) enum Ty {
    /// A predeclared type, as written: `byte`, `error`.
    Basic(String),
    /// The type of a constant without a type.
    Untyped(Untyped),
    Named(Named),
    /// A type parameter.
    Parameter(String),
    /// A type that a function declares.
    Local(String),
    Pointer(Box<Ty>),
    Slice(Box<Ty>),
    /// An array with its length as written.
    Array(String, Box<Ty>),
    Map(Box<Ty>, Box<Ty>),
    /// A channel, with its keyword as written: `<-chan`.
    Chan(&'static str, Box<Ty>),
    Func(Box<Signature>),
    Struct(Source),
    Interface(Source),
}

/// The kinds of constants without a type, in the order in which one kind replaces another in an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Untyped {
    Nil,
    Bool,
    String,
    Int,
    Rune,
    Float,
    Complex,
}

/// A declared type with its type arguments.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    pub(crate) package: Package,
    pub(crate) name: String,
    pub(crate) arguments: Vec<Ty>,
}

/// The parameters and results of a function.
#[derive(Debug, Clone)]
pub(crate) struct Signature {
    pub(crate) parameters: Vec<Ty>,
    pub(crate) is_variadic: bool,
    pub(crate) results: Vec<Ty>,
}

/// The fields of a struct or the elements of an interface in a file, and the values of type parameters there.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) file: Rc<File>,
    pub(crate) node: NodeIndex,
    pub(crate) arguments: Arguments,
}

/// Type arguments by the name of their parameter.
pub(crate) type Arguments = Vec<(String, Ty)>;

/// Maximum number of steps of a computation.
const MAX_STEPS: usize = 4000;
/// Maximum number of steps of which each is a part of the one before.
const MAX_NESTED: usize = 100;

/// Computes types. The number of steps is limited, because declarations may refer to each other.
#[derive(Debug, Default)]
pub(crate) struct Typing {
    steps: usize,
    nested: usize,
    /// The file whose declarations are preferred if a package declares a name once for each platform.
    home: Option<String>,
}

/// The package of a file.
pub(crate) fn package_of(file: &File) -> Package {
    match standard::path_of(file) {
        Some(path) => Package::Path(path.to_owned()),
        None => Package::Folder(folder(file.document.path()).to_owned(), file.package.clone()),
    }
}

/// The package that a file imports by a local name.
fn imported(file: &File, local: &str) -> Option<Package> {
    if standard::path_of(file).is_some() {
        let import = imports(&file.document).into_iter().find(|import| import.local() == local)?;
        return Some(Package::Path(import.path));
    }
    let own = file.document.path();
    let import = imports(&file.document).into_iter().find(|import| local_name(own, import) == local)?;
    Some(match resolve(own, &import.path) {
        Folder::Folder(folder) => {
            let name = package_name(&folder)?;
            Package::Folder(folder, name)
        }
        Folder::Elsewhere => Package::Path(import.path),
        Folder::Possible(_) | Folder::Missing(_) => return None,
    })
}

/// The declaration of a name at the top level of a package: the file, and the declaration's node.
pub(crate) fn declaration(package: &Package, name: &str) -> Option<(Rc<File>, NodeIndex)> {
    match package {
        Package::Path(path) => declared_in(standard::declarations(path)?, name),
        Package::Folder(..) => declaring_paths(package, name).find_map(|path| declared_in(file_of(&path)?, name)),
    }
}

/// All declarations of a name in a package of the workspace. A package may declare a name once for each platform.
pub(crate) fn declarations(package: &Package, name: &str) -> Vec<(Rc<File>, NodeIndex)> {
    declaring_paths(package, name).filter_map(|path| declared_in(file_of(&path)?, name)).collect()
}

fn declared_in(file: Rc<File>, name: &str) -> Option<(Rc<File>, NodeIndex)> {
    let mut bindings = file.names.bindings.iter();
    let found = bindings.find(|binding| binding.kind == BindingKind::Package && binding.name == name)?;
    let node = file.arena().node(found.node).parent;
    Some((file, node))
}

fn declaring_paths<'n>(package: &Package, name: &'n str) -> impl Iterator<Item = String> + use<'n> {
    let files = match package {
        Package::Path(_) => Vec::new(),
        Package::Folder(folder, own) => package_files(folder, own),
    };
    files.into_iter().filter(move |path| outline_of(path).declared.contains_key(name))
}

impl Typing {
    /// Computes types for the platforms of a file.
    pub(crate) fn for_file(file: &File) -> Typing {
        Typing { home: Some(file.path().to_owned()), ..Typing::default() }
    }

    fn declaration(&self, package: &Package, name: &str) -> Option<(Rc<File>, NodeIndex)> {
        let own = self.home.as_deref().and_then(|home| declaring_paths(package, name).find(|path| path == home));
        own.and_then(|path| declared_in(file_of(&path)?, name)).or_else(|| declaration(package, name))
    }

    fn step(&mut self) -> Option<()> {
        self.steps += 1;
        (self.steps < MAX_STEPS).then_some(())
    }

    /// Computes a part of a type.
    fn nested<R>(&mut self, compute: impl FnOnce(&mut Typing) -> Option<R>) -> Option<R> {
        self.step()?;
        if self.nested >= MAX_NESTED {
            return None;
        }
        self.nested += 1;
        let found = compute(self);
        self.nested -= 1;
        found
    }

    /// The type that a type expression denotes.
    pub(crate) fn written(&mut self, file: &Rc<File>, node: NodeIndex) -> Option<Ty> {
        self.nested(|typing| typing.of_expression(file, node))
    }

    fn of_expression(&mut self, file: &Rc<File>, node: NodeIndex) -> Option<Ty> {
        let arena = file.arena();
        let has = |kind: K| has_kind(arena, node, kind);
        let first = || arena.children(node).next();
        let element = || arena.child(node, F::Type.into());
        Some(match () {
            () if has(K::NameRef) => return self.named(file, node),
            () if has(K::Selector) => {
                let name = arena.slice(arena.child(node, F::Name.into())?);
                let package = self.qualifier(file, first()?)?;
                return self.declared_type(package, name);
            }
            () if has(K::Index) => {
                let arguments = arena.children(node).skip(1).collect::<Vec<_>>();
                let Ty::Named(base) = self.written(file, first()?)? else { return None };
                let arguments = arguments.into_iter().map(|argument| self.written(file, argument));
                Ty::Named(Named { arguments: arguments.collect::<Option<Vec<Ty>>>()?, ..base })
            }
            () if has(K::Paren) => return self.written(file, first()?),
            () if has(K::Unary) && arena.slice(node).starts_with('*') => {
                Ty::Pointer(Box::new(self.written(file, first()?)?))
            }
            () if has(K::Variadic) => Ty::Slice(Box::new(self.written(file, element()?)?)),
            () if has(K::ArrayType) => {
                let inner = Box::new(self.written(file, element()?)?);
                match arena.child(node, F::Key.into()) {
                    Some(length) => Ty::Array(arena.slice(length).to_owned(), inner),
                    None if arena.slice(node).starts_with("[...") => return None,
                    None => Ty::Slice(inner),
                }
            }
            () if has(K::MapType) => {
                let key = self.written(file, arena.child(node, F::Key.into())?)?;
                Ty::Map(Box::new(key), Box::new(self.written(file, element()?)?))
            }
            () if has(K::ChanType) => {
                let text: String = arena.slice(node).chars().filter(|c| !c.is_whitespace()).take(6).collect();
                let keyword = match text.as_str() {
                    _ if text.starts_with("<-") => "<-chan",
                    "chan<-" => "chan<-",
                    _ => "chan",
                };
                Ty::Chan(keyword, Box::new(self.written(file, element()?)?))
            }
            () if has(K::FuncType) || has(K::FuncLit) => Ty::Func(Box::new(self.signature(file, node)?)),
            () if has(K::StructType) || has(K::InterfaceType) => {
                let body = arena.child(node, F::Body.into())?;
                return self.written(file, body);
            }
            () if has(K::Fields) => Ty::Struct(Source { file: Rc::clone(file), node, arguments: Vec::new() }),
            () if has(K::Elems) => Ty::Interface(Source { file: Rc::clone(file), node, arguments: Vec::new() }),
            () => return None,
        })
    }

    /// The package that a name before a dot denotes. `None` if the name is not that of an import.
    fn qualifier(&mut self, file: &Rc<File>, left: NodeIndex) -> Option<Package> {
        let arena = file.arena();
        let name = arena.slice(left);
        let local = file.names.local(name, arena.node(left).span.start);
        let is_import = local.is_none_or(|own| own.kind == BindingKind::Import);
        if !has_kind(arena, left, K::NameRef) || !is_import {
            return None;
        }
        imported(file, name)
    }

    fn named(&mut self, file: &Rc<File>, node: NodeIndex) -> Option<Ty> {
        let arena = file.arena();
        let name = arena.slice(node);
        if let Some(local) = file.names.local(name, arena.node(node).span.start) {
            return match local.kind {
                BindingKind::TypeParameter => Some(Ty::Parameter(name.to_owned())),
                BindingKind::Type => Some(Ty::Local(name.to_owned())),
                _ => None,
            };
        }
        let package = package_of(file);
        if declaration(&package, name).is_some() {
            return self.declared_type(package, name);
        }
        let dots = imports(&file.document).into_iter().filter(|import| import.local() == ".");
        for import in dots {
            let Folder::Folder(folder) = resolve(file.document.path(), &import.path) else { return None };
            let package = Package::Folder(folder.clone(), package_name(&folder)?);
            if declaration(&package, name).is_some() {
                return self.declared_type(package, name);
            }
        }
        is_universal(name).then(|| Ty::Basic(name.to_owned()))
    }

    /// The type that a package declares by a name. The name of an alias denotes its type.
    fn declared_type(&mut self, package: Package, name: &str) -> Option<Ty> {
        self.nested(|typing| typing.of_type(package, name))
    }

    fn of_type(&mut self, package: Package, name: &str) -> Option<Ty> {
        let named = |package: Package| Ty::Named(Named { package, name: name.to_owned(), arguments: Vec::new() });
        let Some((file, node)) = declaration(&package, name) else {
            // The declarations of other modules are not known.
            let is_known = matches!(&package, Package::Path(path) if standard::declarations(path).is_some());
            return matches!(&package, Package::Path(_) if !is_known).then(|| named(package));
        };
        if !has_kind(file.arena(), node, K::Type) {
            return None;
        }
        if let Some(aliased) = aliased(&file, node) {
            let has_parameters = child(file.arena(), node, K::TypeParams).is_some();
            return if has_parameters { None } else { self.written(&file, aliased) };
        }
        Some(named(package))
    }

    /// The parameters and results of a function, method or function type.
    pub(crate) fn signature(&mut self, file: &Rc<File>, function: NodeIndex) -> Option<Signature> {
        let arena = file.arena();
        let list = child(arena, function, K::Params)?;
        let last = children(arena, list, K::Param).last();
        let last = last.and_then(|last| arena.child(last, F::Type.into()));
        let is_variadic = last.is_some_and(|last| has_kind(arena, last, K::Variadic));
        let parameters = self.listed(file, list)?;
        let results = match arena.child(function, F::Result.into()) {
            Some(list) if has_kind(arena, list, K::Results) => self.listed(file, list)?,
            Some(only) => vec![self.written(file, only)?],
            None => Vec::new(),
        };
        Some(Signature { parameters, is_variadic, results })
    }

    fn listed(&mut self, file: &Rc<File>, list: NodeIndex) -> Option<Vec<Ty>> {
        let arena = file.arena();
        let mut types = Vec::new();
        for param in children(arena, list, K::Param) {
            let count = with_role(arena, param, F::Name).count().max(1);
            let own = self.written(file, arena.child(param, F::Type.into())?)?;
            types.extend(std::iter::repeat_n(own, count));
        }
        Some(types)
    }

    /// The type literal or predeclared type that defines a declared type.
    pub(crate) fn underlying(&mut self, own: &Ty) -> Option<Ty> {
        self.nested(|typing| typing.defining(own))
    }

    fn defining(&mut self, own: &Ty) -> Option<Ty> {
        let Ty::Named(named) = own else { return Some(own.clone()) };
        let (file, node) = self.declaration(&named.package, &named.name)?;
        let body = file.arena().child(node, F::Body.into())?;
        let written = self.written(&file, body)?;
        let arguments = arguments_of(&file, node, &named.arguments)?;
        let substituted = substitute(&written, &arguments)?;
        self.underlying(&substituted)
    }
}

/// The type of an alias declaration: the `B` of `type A = B`.
pub(crate) fn aliased(file: &File, declared: NodeIndex) -> Option<NodeIndex> {
    let arena = file.arena();
    let body = arena.child(declared, F::Body.into())?;
    let before = &arena.text[arena.node(declared).span.start as usize..arena.node(body).span.start as usize];
    before.trim_end().ends_with('=').then_some(body)
}

/// The names of the type parameters of a declaration.
pub(crate) fn type_parameters(file: &File, declared: NodeIndex) -> Vec<String> {
    let arena = file.arena();
    let list = child(arena, declared, K::TypeParams).into_iter();
    let params = list.flat_map(|list| children(arena, list, K::TypeParam).collect::<Vec<_>>());
    let names = params.flat_map(|param| with_role(arena, param, F::Name).collect::<Vec<_>>());
    names.map(|name| arena.slice(name).to_owned()).collect()
}

/// The type arguments of a declared type by the names of their parameters. `None` if their numbers differ.
fn arguments_of(file: &File, declared: NodeIndex, arguments: &[Ty]) -> Option<Arguments> {
    let names = type_parameters(file, declared);
    (names.len() == arguments.len()).then(|| names.into_iter().zip(arguments.iter().cloned()).collect())
}
