//! Type inference for expressions, which is limited to types that declarations determine. It is used to find the type
//! that a member belongs to. Pointer types are treated as their element types, because a selector dereferences
//! pointers.

mod members;

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use marquetry_code::{Arena, CodeDocument, NodeIndex};
use marquetry_sdk::{paths::folder, workspace};

use crate::{
    imports::imports,
    kinds::{F, K, child, children, has_kind, with_role},
    memo,
    names::{BindingKind, Names, is_universal},
    packages::{Found, local_name, outline_of, package_clause, package_files, package_name, resolve, version},
    table::GO,
};

/// Maximum number of steps from an expression to its type.
const MAX_STEPS: usize = 40;
/// Maximum number of cached files.
const MAX_KNOWN: usize = 400;

/// A file with its names.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) document: CodeDocument,
    pub(crate) names: Names,
    pub(crate) package: String,
}

impl File {
    /// Parses a text.
    pub(crate) fn new(path: &str, text: String) -> File {
        let document = CodeDocument::open(&GO, path, text);
        let names = Names::new(document.arena());
        let package = package_clause(document.arena()).unwrap_or_default();
        File { document, names, package }
    }

    pub(crate) fn arena(&self) -> &Arena {
        self.document.arena()
    }

    pub(crate) fn path(&self) -> &str {
        self.document.path()
    }
}

thread_local! {
    static KNOWN: RefCell<HashMap<String, (u64, Rc<File>)>> = RefCell::default();
}

pub(crate) fn file_of(path: &str) -> Option<Rc<File>> {
    memo::once(|memo| &mut memo.parsed, &path.to_owned(), || current_file(path))
}

fn current_file(path: &str) -> Option<Rc<File>> {
    let version = version(path)?;
    let known =
        KNOWN.with_borrow(|known| known.get(path).filter(|(own, _)| *own == version).map(|(_, own)| Rc::clone(own)));
    known.or_else(|| {
        let found = Rc::new(File::new(path, workspace::read(path).ok()?));
        KNOWN.with_borrow_mut(|known| {
            if known.len() >= MAX_KNOWN {
                known.clear();
            }
            known.insert(path.to_owned(), (version, Rc::clone(&found)));
        });
        Some(found)
    })
}

/// A type.
#[derive(Debug, Clone)]
pub(crate) enum Type {
    /// A type in a file: a type literal, or the declaration of a type.
    Written(Rc<File>, NodeIndex),
    /// A predeclared type, or a type of a package outside of the workspace. It has no member that the workspace
    /// declares.
    Foreign,
}

/// The result of a search for a member.
#[derive(Debug, Clone)]
pub(crate) enum Lookup {
    /// The file that declares the member, and the node of the member's name.
    Found(Rc<File>, NodeIndex),
    /// The type has no such member, or its member is declared outside of the workspace.
    Absent,
    Unknown,
}

/// The node of a declaration at the top level of a file.
fn top_declaration(file: &File, name: &str) -> Option<NodeIndex> {
    let mut bindings = file.names.bindings.iter();
    let found = bindings.find(|binding| binding.kind == BindingKind::Package && binding.name == name)?;
    Some(file.arena().node(found.node).parent)
}

/// The declaration of a name in any file of the package.
fn declaration_in_package(file: &Rc<File>, name: &str) -> Option<(Rc<File>, NodeIndex)> {
    if let Some(node) = top_declaration(file, name) {
        return Some((Rc::clone(file), node));
    }
    let others = package_files(folder(file.path()), &file.package);
    let declaring = others.iter().filter(|path| *path != file.path() && outline_of(path).declared.contains_key(name));
    let found = declaring.filter_map(|path| file_of(path)).next()?;
    let node = top_declaration(&found, name)?;
    Some((found, node))
}

/// The result of resolving a qualified name: its declaration, or `Elsewhere` if the package is not in the workspace.
enum Qualified {
    Declared(Rc<File>, NodeIndex),
    Elsewhere,
    Unknown,
}

fn qualified(file: &Rc<File>, package: NodeIndex, name: &str) -> Option<Qualified> {
    let arena = file.arena();
    let local = arena.slice(package);
    if !has_kind(arena, package, K::NameRef)
        || file.names.local(local, arena.node(package).span.start).is_some_and(|own| own.kind != BindingKind::Import)
    {
        return None;
    }
    let import = imports(&file.document).into_iter().find(|import| local_name(file.path(), import) == local)?;
    let folder = match resolve(file.path(), &import.path) {
        Found::Folder(folder) => folder,
        Found::Elsewhere => return Some(Qualified::Elsewhere),
        Found::Possible(_) | Found::Missing(_) => return Some(Qualified::Unknown),
    };
    let Some(package) = package_name(&folder) else { return Some(Qualified::Unknown) };
    let files = package_files(&folder, &package);
    let mut declaring = files.iter().filter(|path| outline_of(path).declared.contains_key(name));
    let declared = declaring.find_map(|path| {
        let found = file_of(path)?;
        let node = top_declaration(&found, name)?;
        Some(Qualified::Declared(found, node))
    });
    Some(declared.unwrap_or(Qualified::Unknown))
}

/// The kinds of type literals.
const LITERALS: [K; 9] = [
    K::ArrayType,
    K::MapType,
    K::ChanType,
    K::FuncType,
    K::StructType,
    K::InterfaceType,
    K::Fields,
    K::Elems,
    K::Variadic,
];

/// Type inference with a limited number of steps.
#[derive(Debug, Default)]
pub(crate) struct Resolver {
    steps: usize,
}

impl Resolver {
    fn step(&mut self) -> Option<()> {
        self.steps += 1;
        (self.steps < MAX_STEPS * 25).then_some(())
    }

    /// The type that a node denotes: the node is a type expression or the declaration of a type.
    pub(crate) fn written(&mut self, file: &Rc<File>, node: NodeIndex) -> Option<Type> {
        self.step()?;
        let arena = file.arena();
        match () {
            () if has_kind(arena, node, K::NameRef) => {
                let name = arena.slice(node);
                match file.names.local(name, arena.node(node).span.start) {
                    Some(own) if own.kind == BindingKind::Type => {
                        Some(Type::Written(Rc::clone(file), arena.node(own.node).parent))
                    }
                    Some(_) => None,
                    None => match declaration_in_package(file, name) {
                        Some((found, node)) => {
                            has_kind(found.arena(), node, K::Type).then(|| Type::Written(found, node))
                        }
                        None => is_universal(name).then_some(Type::Foreign),
                    },
                }
            }
            () if has_kind(arena, node, K::Selector) => {
                let package = arena.children(node).next()?;
                let name = arena.slice(arena.child(node, F::Name.into())?);
                match qualified(file, package, name)? {
                    Qualified::Declared(found, node) => {
                        has_kind(found.arena(), node, K::Type).then(|| Type::Written(found, node))
                    }
                    Qualified::Elsewhere => Some(Type::Foreign),
                    Qualified::Unknown => None,
                }
            }
            () if [K::Unary, K::Paren, K::Index].iter().any(|kind| has_kind(arena, node, *kind)) => {
                self.written(file, arena.children(node).next()?)
            }
            () if LITERALS.iter().any(|kind| has_kind(arena, node, *kind)) => {
                Some(Type::Written(Rc::clone(file), node))
            }
            () => None,
        }
    }

    /// The underlying type literal, found by following the declarations of named types.
    pub(crate) fn underlying(&mut self, own: &Type) -> Option<Type> {
        self.step()?;
        let Type::Written(file, node) = own else { return Some(Type::Foreign) };
        if !has_kind(file.arena(), *node, K::Type) {
            return Some(own.clone());
        }
        let inner = file.arena().child(*node, F::Body.into())?;
        let written = self.written(file, inner)?;
        self.underlying(&written)
    }

    /// The element type of a container. For a map, position 0 is the key and position 1 the value.
    fn element(&mut self, own: &Type, position: usize) -> Option<Type> {
        let Type::Written(file, node) = self.underlying(own)? else { return None };
        let arena = file.arena();
        let has = |kind: K| has_kind(arena, node, kind);
        let role = if has(K::MapType) && position == 0 { F::Key } else { F::Type };
        if (has(K::ArrayType) || has(K::Variadic)) && position == 0 {
            return Some(Type::Foreign);
        }
        if !(has(K::ArrayType) || has(K::MapType) || has(K::ChanType) || has(K::Variadic)) {
            return None;
        }
        self.written(&file, arena.child(node, role.into())?)
    }

    /// The type of an expression.
    pub(crate) fn expression(&mut self, file: &Rc<File>, node: NodeIndex) -> Option<Type> {
        self.step()?;
        let arena = file.arena();
        let first = || arena.children(node).next();
        match () {
            () if has_kind(arena, node, K::NameRef) => self.variable(file, node),
            () if has_kind(arena, node, K::Paren) => self.expression(file, first()?),
            () if has_kind(arena, node, K::Unary) && arena.slice(node).starts_with("<-") => {
                let channel = self.expression(file, first()?)?;
                self.element(&channel, 1)
            }
            () if has_kind(arena, node, K::Unary) => self.expression(file, first()?),
            () if has_kind(arena, node, K::Composite) => self.written(file, first()?),
            () if has_kind(arena, node, K::Assert) => self.written(file, arena.child(node, F::Type.into())?),
            () if has_kind(arena, node, K::Literal) || has_kind(arena, node, K::Text) => Some(Type::Foreign),
            () if has_kind(arena, node, K::Slice) => self.expression(file, first()?),
            () if has_kind(arena, node, K::Index) => {
                let container = self.expression(file, first()?)?;
                self.element(&container, 1)
            }
            () if has_kind(arena, node, K::Selector) => self.selected(file, node),
            () if has_kind(arena, node, K::Call) => self.result(file, node, 0),
            () => None,
        }
    }

    fn selected(&mut self, file: &Rc<File>, node: NodeIndex) -> Option<Type> {
        let arena = file.arena();
        let (left, name) = (arena.children(node).next()?, arena.child(node, F::Name.into())?);
        let name_text = arena.slice(name);
        match qualified(file, left, name_text) {
            Some(Qualified::Declared(found, declared)) => {
                let name =
                    with_role(found.arena(), declared, F::Name).find(|name| found.arena().slice(*name) == name_text)?;
                self.declared(&found, name)
            }
            Some(Qualified::Elsewhere) => Some(Type::Foreign),
            Some(Qualified::Unknown) => None,
            None => {
                let own = self.expression(file, left)?;
                match self.member(&own, name_text) {
                    Lookup::Found(found, name) => self.declared(&found, name),
                    Lookup::Absent | Lookup::Unknown => None,
                }
            }
        }
    }

    fn variable(&mut self, file: &Rc<File>, node: NodeIndex) -> Option<Type> {
        let arena = file.arena();
        let name = arena.slice(node);
        if let Some(own) = file.names.local(name, arena.node(node).span.start) {
            return self.declared(file, own.node);
        }
        let (found, declared) = declaration_in_package(file, name)?;
        let own = with_role(found.arena(), declared, F::Name).find(|own| found.arena().slice(*own) == name)?;
        self.declared(&found, own)
    }

    /// The type of a variable, parameter or field. `name` is the node of its name.
    fn declared(&mut self, file: &Rc<File>, name: NodeIndex) -> Option<Type> {
        self.step()?;
        let arena = file.arena();
        let parent = arena.node(name).parent;
        let is = |kind: K| has_kind(arena, parent, kind);
        // An embedded field has the name of its type.
        if !is(K::Field) && arena.ancestors(name).nth(1).is_some() && !has_kind(arena, name, K::Name) {
            return self.written(file, name);
        }
        if let Some(own) =
            arena.child(parent, F::Type.into()).filter(|_| is(K::Param) || is(K::Field) || is(K::Var) || is(K::Const))
        {
            return self.written(file, own);
        }
        if is(K::Var) {
            let position = with_role(arena, parent, F::Name).position(|other| other == name)?;
            return self.assigned(file, &with_role(arena, parent, F::Body).collect::<Vec<_>>(), position);
        }
        if is(K::Define) {
            let position = with_role(arena, parent, F::Left).position(|other| other == name)?;
            return self.assigned(file, &with_role(arena, parent, F::Right).collect::<Vec<_>>(), position);
        }
        if is(K::Range) {
            let position = with_role(arena, parent, F::Left).position(|other| other == name)?;
            let container = self.expression(file, arena.child(parent, F::Right.into())?)?;
            return match self.underlying(&container)? {
                Type::Foreign => None,
                Type::Written(found, node) if has_kind(found.arena(), node, K::ChanType) => self.element(&container, 1),
                Type::Written(..) => self.element(&container, position),
            };
        }
        None
    }

    /// The type of the value that is assigned to a position: one of several values, or one result of a single call.
    fn assigned(&mut self, file: &Rc<File>, values: &[NodeIndex], position: usize) -> Option<Type> {
        let arena = file.arena();
        match values {
            [only] if has_kind(arena, *only, K::Assert) && arena.child(*only, F::Type.into()).is_none() => None,
            [only] if has_kind(arena, *only, K::Call) => self.result(file, *only, position),
            [only] if position == 0 => self.expression(file, *only),
            [_] => Some(Type::Foreign),
            several => self.expression(file, *several.get(position)?),
        }
    }

    /// The type of the result of a call at a position.
    fn result(&mut self, file: &Rc<File>, call: NodeIndex, position: usize) -> Option<Type> {
        self.step()?;
        let arena = file.arena();
        let mut function = arena.children(call).next()?;
        // The type arguments of a generic function do not change most result types.
        while has_kind(arena, function, K::Index) || has_kind(arena, function, K::Paren) {
            function = arena.children(function).next()?;
        }
        if has_kind(arena, function, K::NameRef) {
            let name = arena.slice(function);
            if file.names.local(name, arena.node(function).span.start).is_none() {
                if let Some((found, declared)) = declaration_in_package(file, name) {
                    return self.result_of(&found, declared, position);
                }
                let argument = child(arena, call, K::Args).and_then(|args| arena.children(args).next());
                return match name {
                    "new" | "make" => {
                        let argument = argument?;
                        self.written(file, argument).or_else(|| self.expression(file, argument))
                    }
                    "append" | "min" | "max" => self.expression(file, argument?),
                    _ => is_universal(name).then_some(Type::Foreign),
                };
            }
            return self.written(file, function);
        }
        if has_kind(arena, function, K::Selector) {
            let (left, name) = (arena.children(function).next()?, arena.child(function, F::Name.into())?);
            return match qualified(file, left, arena.slice(name)) {
                Some(Qualified::Declared(found, declared)) => self.result_of(&found, declared, position),
                Some(_) => None,
                None => {
                    let own = self.expression(file, left)?;
                    let Lookup::Found(found, name) = self.member(&own, arena.slice(name)) else { return None };
                    let method = found.arena().node(name).parent;
                    self.result_of(&found, method, position)
                }
            };
        }
        // A conversion to a type literal.
        let is_type = [K::ArrayType, K::MapType, K::ChanType, K::StructType, K::InterfaceType];
        is_type.iter().any(|kind| has_kind(arena, function, *kind)).then(|| Type::Written(Rc::clone(file), function))
    }

    fn result_of(&mut self, file: &Rc<File>, declared: NodeIndex, position: usize) -> Option<Type> {
        let arena = file.arena();
        if has_kind(arena, declared, K::Type) {
            return Some(Type::Written(Rc::clone(file), declared));
        }
        let result = arena.child(declared, F::Result.into())?;
        if !has_kind(arena, result, K::Results) {
            return if position == 0 { self.written(file, result) } else { None };
        }
        let mut at = 0;
        for param in children(arena, result, K::Param) {
            at += with_role(arena, param, F::Name).count().max(1);
            if position < at {
                return self.written(file, arena.child(param, F::Type.into())?);
            }
        }
        None
    }
}
