//! The classes of the project: the declarations that expressions name, base classes, and the members that classes
//! declare. Other files are opened when they are needed.

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
    ops::Deref,
    rc::Rc,
};

use marquetry_code::{
    BindingKind, CodeDocument, NodeIndex,
    scopes::{NamePlace, ScopeIndex},
};
use marquetry_sdk::{FileLocation, workspace};

use super::{files::Files, standard_bases::StandardBase, values::Value};
use crate::{
    classes::{has_kind, has_role, self_attribute},
    imports::{self, Import},
    lower::{F, K},
    modules::{self, Found},
    origins,
    requirements::{is_installed, is_standard},
    table, uses,
};

/// A node in a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) path: Rc<str>,
    pub(crate) node: NodeIndex,
}

/// The declaration that an expression names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Referent {
    Class(Place),
    Function(Place),
    /// A variable or parameter, which the scope of a file binds.
    Variable(Rc<str>, String, ScopeIndex),
    /// A declaration outside of the workspace.
    Outside,
    Unknown,
}

/// A class and its base classes.
#[derive(Debug, Default)]
pub(crate) struct Ancestors {
    /// The class itself, and all base classes in the workspace, the nearest first.
    pub(crate) classes: Vec<Place>,
    /// The names of base classes outside of the workspace.
    pub(crate) outside: Vec<String>,
    /// Those of them whose members are known.
    pub(super) standard: Vec<(String, StandardBase)>,
    /// True if the class may have other base classes.
    pub(crate) has_unknown: bool,
}

/// Base classes outside of the workspace without members that a class of the project could override by mistake, and
/// that do not read members by name.
const PLAIN_BASES: [&str; 15] = [
    "object",
    "ABC",
    "Generic",
    "Enum",
    "IntEnum",
    "StrEnum",
    "Flag",
    "IntFlag",
    "Exception",
    "ValueError",
    "RuntimeError",
    "TypeError",
    "KeyError",
    "LookupError",
    "NotImplementedError",
];

impl Ancestors {
    /// The first base class that may have members which the workspace does not show.
    pub(crate) fn opaque_base(&self) -> Option<&str> {
        let outside = self.outside.iter().map(String::as_str).find(|name| !PLAIN_BASES.contains(name));
        outside.or(self.has_unknown.then_some("a computed class"))
    }

    /// The first base class that may have a member which the workspace does not show.
    pub(super) fn opaque_base_of(&self, member: &str) -> Option<&str> {
        let standard = |name: &str| self.standard.iter().find(|(own, _)| own == name).map(|(_, base)| base);
        let is_opaque = |name: &&str| standard(name).is_none_or(|base| base.may_have(member));
        let mut outside = self.outside.iter().map(String::as_str).filter(|name| !PLAIN_BASES.contains(name));
        outside.find(is_opaque).or(self.has_unknown.then_some("a computed class"))
    }
}

/// An open file.
pub(crate) enum Opened<'d> {
    Own(&'d CodeDocument),
    Other(Rc<CodeDocument>),
}

impl Deref for Opened<'_> {
    type Target = CodeDocument;

    fn deref(&self) -> &CodeDocument {
        match self {
            Opened::Own(document) => document,
            Opened::Other(document) => document,
        }
    }
}

/// For each attribute of an imported module, the module.
type ModuleAttributes = HashMap<NodeIndex, String>;

/// An attribute: the file that uses it, the class of the object, its name, and the number of steps that were left.
type AttributeKey = (Rc<str>, Place, String, usize);

/// The files of the project, as seen from one of them.
pub(crate) struct Project<'d> {
    pub(crate) document: &'d CodeDocument,
    pub(crate) path: Rc<str>,
    others: RefCell<HashMap<Rc<str>, Option<Rc<CodeDocument>>>>,
    modules: RefCell<HashMap<Rc<str>, Rc<ModuleAttributes>>>,
    ancestors: RefCell<HashMap<Place, Rc<Ancestors>>>,
    /// The declarations of imported names, by file, module and name.
    imported: RefCell<HashMap<[String; 3], Referent>>,
    declarations: RefCell<HashMap<(Place, String), Option<u32>>>,
    /// The importing file and the module of names that the workspace does not declare.
    external: RefCell<HashMap<String, [String; 2]>>,
    /// The values of expressions, each with the number of steps that were left.
    pub(super) values: RefCell<HashMap<(Place, usize), Value>>,
    /// The expressions whose values are being computed. A value that depends on itself is not known.
    pub(super) computing: RefCell<HashSet<Place>>,
    pub(super) files: Files,
    /// The attributes of which it is known if other code sets them otherwise.
    pub(super) set_otherwise: RefCell<HashMap<AttributeKey, bool>>,
}

impl<'d> Project<'d> {
    pub(crate) fn new(document: &'d CodeDocument) -> Project<'d> {
        Project {
            document,
            path: Rc::from(document.path()),
            others: RefCell::default(),
            modules: RefCell::default(),
            ancestors: RefCell::default(),
            imported: RefCell::default(),
            declarations: RefCell::default(),
            external: RefCell::default(),
            values: RefCell::default(),
            computing: RefCell::default(),
            files: Files::default(),
            set_otherwise: RefCell::default(),
        }
    }

    /// A node of the first file.
    pub(crate) fn place(&self, node: NodeIndex) -> Place {
        Place { path: Rc::clone(&self.path), node }
    }

    /// Opens a file. `None` if it cannot be read.
    pub(crate) fn open(&self, path: &str) -> Option<Opened<'d>> {
        if *path == *self.path {
            return Some(Opened::Own(self.document));
        }
        if let Some(known) = self.others.borrow().get(path) {
            return known.clone().map(Opened::Other);
        }
        let text = workspace::read(path).ok();
        let opened = text.map(|text| Rc::new(CodeDocument::open(&table::PYTHON, path, text)));
        self.others.borrow_mut().insert(Rc::from(path), opened.clone());
        opened.map(Opened::Other)
    }

    /// The code of a node.
    pub(crate) fn code(&self, place: &Place) -> String {
        self.open(&place.path).map(|document| document.arena().slice(place.node).to_owned()).unwrap_or_default()
    }

    /// The name of a class or function.
    pub(crate) fn name(&self, declaration: &Place) -> String {
        let name = |document: Opened<'_>| {
            let name = document.arena().child(declaration.node, F::Name.into())?;
            Some(document.arena().slice(name).to_owned())
        };
        self.open(&declaration.path).and_then(name).unwrap_or_default()
    }

    /// The class around an offset in a file.
    pub(crate) fn class_around(&self, location: &FileLocation) -> Option<Place> {
        let document = self.open(&location.path)?;
        let arena = document.arena();
        let at = marquetry_sdk::Span { start: location.offset, end: location.offset + 1 };
        let node = arena.ancestors(arena.innermost(at)).find(|above| has_kind(arena, *above, K::Class))?;
        Some(Place { path: Rc::from(location.path.as_str()), node })
    }

    /// The declaration that an expression names.
    pub(crate) fn referent(&self, at: &Place) -> Referent {
        let Some(document) = self.open(&at.path) else { return Referent::Unknown };
        let arena = document.arena();
        let first = |node: NodeIndex| arena.children(node).find(|child| !has_kind(arena, *child, K::Part));
        let node = match () {
            () if has_kind(arena, at.node, K::Name) => return self.referent_of_name(&document, at),
            () if has_kind(arena, at.node, K::Attribute) => {
                let attribute = arena.child(at.node, F::Attribute.into());
                let module = attribute.and_then(|attribute| self.module_of_attribute(&document, attribute));
                let Some((attribute, module)) = attribute.zip(module) else { return Referent::Unknown };
                return self.imported(&at.path, &module, arena.slice(attribute));
            }
            () if has_kind(arena, at.node, K::Subscript) => first(at.node),
            () => None,
        };
        node.map_or(Referent::Unknown, |node| self.referent(&Place { path: Rc::clone(&at.path), node }))
    }

    /// The module of an attribute of an imported module: `p.m` for the `f` of `p.m.f`.
    pub(crate) fn module_of_attribute(&self, document: &CodeDocument, attribute: NodeIndex) -> Option<String> {
        let known = self.modules.borrow().get(document.path()).cloned();
        let all = known.unwrap_or_else(|| {
            let is_module = |import: &Import| {
                let found = modules::resolve(document.path(), &import.submodule());
                import.name.is_none() || matches!(found, Found::Inside(_) | Found::External)
            };
            let used = uses::module_uses(document).into_iter().filter(|(import, _)| is_module(import));
            let all = used.flat_map(|(import, uses)| {
                uses.into_iter().map(move |used| (used.attribute, import.submodule())).collect::<Vec<_>>()
            });
            let all: Rc<ModuleAttributes> = Rc::new(all.collect());
            self.modules.borrow_mut().insert(Rc::from(document.path()), Rc::clone(&all));
            all
        });
        all.get(&attribute).cloned()
    }

    /// The declaration that a name of a module refers to in an import in the file `from`.
    pub(super) fn imported(&self, from: &str, module: &str, name: &str) -> Referent {
        let key = [from, module, name].map(str::to_owned);
        if let Some(known) = self.imported.borrow().get(&key) {
            return known.clone();
        }
        // Imports that lead back to this one declare nothing: `from . import name as name` in a package.
        self.imported.borrow_mut().insert(key.clone(), Referent::Unknown);
        let found = match origins::declaration(from, module, name) {
            Some(location) => self.declared_at(&location),
            None if modules::resolve(from, module) == Found::External && !self.files.may_declare(module, name) => {
                self.external.borrow_mut().insert(name.to_owned(), [from, module].map(str::to_owned));
                Referent::Outside
            }
            None => Referent::Unknown,
        };
        self.imported.borrow_mut().insert(key, found.clone());
        found
    }

    /// Returns whether a name was imported from a module of which it is not known that it belongs to another project.
    pub(super) fn is_of_unknown_module(&self, name: &str) -> bool {
        self.external.borrow().get(name).is_some_and(|[from, module]| is_unknown(from, module))
    }

    /// Returns whether a module that the first file imports may be a file of the workspace that declares a name, although
    /// the import is not resolved.
    pub(super) fn may_declare(&self, module: &str, name: &str) -> bool {
        let is_resolved = matches!(modules::resolve(&self.path, module), Found::Inside(_));
        !is_resolved && (self.files.may_declare(module, name) || is_unknown(&self.path, module))
    }

    /// The declaration of a name of a module, given the offset of the name.
    fn declared_at(&self, location: &FileLocation) -> Referent {
        let Some(document) = self.open(&location.path) else { return Referent::Unknown };
        let names = document.names();
        let Some(place) = names.at(location.offset) else { return Referent::Unknown };
        match names.owner_of(place) {
            Some(owner) => self.bound(&document, &place.name, owner),
            None => Referent::Unknown,
        }
    }

    fn referent_of_name(&self, document: &CodeDocument, at: &Place) -> Referent {
        let names = document.names();
        let offset = document.arena().node(at.node).span.start;
        let Some(place) = names.at(offset) else { return Referent::Unknown };
        if let Some(owner) = names.owner_of(place) {
            return self.bound(document, &place.name, owner);
        }
        match origins::declaration_of_free(document, offset) {
            Some((_, location)) => self.declared_at(&location),
            None if uses::wildcard(document, None).is_some() => Referent::Unknown,
            None => Referent::Outside,
        }
    }

    /// The declaration of a name that a scope binds.
    fn bound(&self, document: &CodeDocument, name: &str, owner: ScopeIndex) -> Referent {
        let (arena, path) = (document.arena(), Rc::<str>::from(document.path()));
        let bindings = bindings(document, name, owner);
        if let [only] = bindings[..]
            && only.binding == Some(BindingKind::Declaration)
        {
            let place = Place { path, node: arena.node(only.node).parent };
            return match () {
                () if has_kind(arena, place.node, K::Class) => Referent::Class(place),
                () if has_kind(arena, place.node, K::Function) => Referent::Function(place),
                () => Referent::Unknown,
            };
        }
        if bindings.iter().all(|place| place.binding == Some(BindingKind::Import)) {
            let is_it = |import: &Import| bindings.iter().any(|place| place.span == import.local_span);
            let imports: Vec<Import> = imports::imports(document).into_iter().filter(is_it).collect();
            return match &imports[..] {
                [Import { name: Some(name), module, .. }] => self.imported(&path, module, name),
                _ => Referent::Unknown,
            };
        }
        Referent::Variable(path, name.to_owned(), owner)
    }

    /// A class and its base classes.
    pub(crate) fn ancestors(&self, class: &Place) -> Rc<Ancestors> {
        if let Some(known) = self.ancestors.borrow().get(class) {
            return Rc::clone(known);
        }
        let mut found = Ancestors::default();
        let mut open = vec![class.clone()];
        while let Some(class) = open.pop() {
            if found.classes.contains(&class) {
                continue;
            }
            let bases = self.bases(&class);
            found.classes.push(class);
            for base in bases.iter().rev() {
                match self.referent(base) {
                    Referent::Class(base) => open.push(base),
                    Referent::Outside => {
                        let name = self.last_name(base);
                        let module = self.external.borrow().get(&name).map(|[_, module]| module.clone());
                        let standard = StandardBase::find(&name, module.as_deref());
                        found.standard.extend(standard.map(|base| (name.clone(), base)));
                        found.outside.push(name);
                    }
                    _ => found.has_unknown = true,
                }
            }
        }
        let found = Rc::new(found);
        self.ancestors.borrow_mut().insert(class.clone(), Rc::clone(&found));
        found
    }

    /// The last name of an expression: `Thread` of `threading.Thread`, `Generic` of `Generic[T]`.
    pub(super) fn last_name(&self, at: &Place) -> String {
        let code = self.code(at);
        let name = code.split('[').next().unwrap_or_default();
        name.rsplit('.').next().unwrap_or(name).trim().to_owned()
    }

    /// The expressions of the base classes of a class.
    pub(crate) fn bases(&self, class: &Place) -> Vec<Place> {
        let Some(document) = self.open(&class.path) else { return Vec::new() };
        let arena = document.arena();
        let list = arena.child_of_kind(class.node, K::Arguments.into());
        let bases = list.into_iter().flat_map(|list| arena.children(list));
        let bases = bases.filter(|base| !has_kind(arena, *base, K::Keyword));
        bases.map(|node| Place { path: Rc::clone(&class.path), node }).collect()
    }

    /// The offset of the first declaration of a member in the statements or methods of a class.
    pub(crate) fn declaration(&self, class: &Place, name: &str) -> Option<u32> {
        let key = (class.clone(), name.to_owned());
        if let Some(known) = self.declarations.borrow().get(&key) {
            return *known;
        }
        let found = self.find_declaration(class, name);
        self.declarations.borrow_mut().insert(key, found);
        found
    }

    fn find_declaration(&self, class: &Place, name: &str) -> Option<u32> {
        let document = self.open(&class.path)?;
        let (arena, names) = (document.arena(), document.names());
        let scope = names.scopes.iter().position(|scope| scope.node == class.node)?;
        if let Some(first) = bindings(&document, name, scope).first() {
            return Some(first.span.start);
        }
        let sets = |node: &NodeIndex| {
            let (around, attribute) = self_attribute(arena, *node).filter(|_| is_target(&document, *node))?;
            (around == class.node && arena.slice(attribute) == name).then(|| arena.node(attribute).span.start)
        };
        arena.descendants(class.node).find_map(|node| sets(&node))
    }
}

/// Returns whether a module is neither in the standard library nor in a package that the project requires.
fn is_unknown(from: &str, module: &str) -> bool {
    let first = module.split('.').next().unwrap_or_default();
    !is_standard(first) && !is_installed(from, first)
}

/// The occurrences that bind a name in a scope.
pub(crate) fn bindings<'d>(document: &'d CodeDocument, name: &'d str, owner: ScopeIndex) -> Vec<&'d NamePlace> {
    let binds = |kind: BindingKind| !matches!(kind, BindingKind::Global | BindingKind::Nonlocal);
    document.names().references(name, owner).filter(|place| place.binding.is_some_and(binds)).collect()
}

/// Returns whether an assignment or a loop sets an expression, also as a part of a tuple.
pub(crate) fn is_target(document: &CodeDocument, node: NodeIndex) -> bool {
    let arena = document.arena();
    let is_list = |node: NodeIndex| [K::Tuple, K::List, K::Starred].into_iter().any(|kind| has_kind(arena, node, kind));
    let mut around = arena.ancestors(node).skip_while(|above| is_list(arena.node(*above).parent));
    around.next().is_some_and(|outermost| {
        let parent = arena.node(outermost).parent;
        let is_loop = [K::For, K::Comprehension].into_iter().any(|kind| has_kind(arena, parent, kind));
        has_role(arena, outermost, F::Target) || is_loop && arena.children(parent).next() == Some(outermost)
    })
}
