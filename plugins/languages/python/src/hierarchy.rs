//! The calls inside of a declaration, and the base classes of a class.

use std::collections::HashMap;

use marquetry_code::{
    Arena, BindingKind, CodeDocument, NodeIndex,
    hierarchy::{Declared, called_names, nodes_of_address, related_symbols},
    rename,
    scopes::ScopeIndex,
};
use marquetry_sdk::{FileLocation, RelatedSymbol, Span};

use crate::{
    imports::{self, Import},
    lower::{F, K},
    origins,
    uses::{self, ModuleUse},
};

/// The functions and classes that the declarations with an address call.
pub(crate) fn calls(document: &CodeDocument, address: &str) -> Option<Vec<RelatedSymbol>> {
    let nodes = nodes_of_address(document, address)?;
    let called = |arena: &Arena, node: NodeIndex| {
        let function = arena.child(node, F::Function.into()).filter(|_| arena.node(node).kind == K::Call.into())?;
        last_name(arena, function)
    };
    Some(declarations_of(document, called_names(document.arena(), &nodes, called)))
}

/// The base classes of the classes with an address. `None` if the address is not that of a class.
pub(crate) fn supertypes(document: &CodeDocument, address: &str) -> Option<Vec<RelatedSymbol>> {
    let arena = document.arena();
    let nodes = nodes_of_address(document, address)?;
    let is_class = |node: &NodeIndex| arena.node(*node).kind == K::Class.into();
    if !nodes.iter().all(is_class) {
        return None;
    }
    let lists = nodes.iter().filter_map(|class| arena.child_of_kind(*class, K::Arguments.into()));
    let bases = lists.flat_map(|list| arena.children(list));
    let named = bases.filter(|base| arena.node(*base).kind != K::Keyword.into());
    let names: Vec<Span> = named.filter_map(|base| last_name(arena, base)).map(|name| arena.node(name).span).collect();
    Some(declarations_of(document, names))
}

fn declarations_of(document: &CodeDocument, names: Vec<Span>) -> Vec<RelatedSymbol> {
    if names.is_empty() {
        return Vec::new();
    }
    let mut known = Declarations::new(document);
    related_symbols(document, names, &mut |name| known.declared(name))
}

/// Finds the declarations of the names in a document, each only once.
struct Declarations<'d> {
    document: &'d CodeDocument,
    imports: Vec<Import>,
    /// The specifier of the module that has the attribute at an offset: `p.m` for the `f` of `p.m.f`.
    modules: HashMap<u32, String>,
    /// Declarations in other files, by module and name.
    attributes: HashMap<(String, String), Option<FileLocation>>,
    bound: HashMap<(String, ScopeIndex), Declared>,
}

impl<'d> Declarations<'d> {
    fn new(document: &'d CodeDocument) -> Declarations<'d> {
        let offset = |used: &ModuleUse<'_>| document.arena().node(used.attribute).span.start;
        let all = uses::module_uses(document).into_iter();
        let modules = all.flat_map(|(import, uses)| {
            let offsets: Vec<u32> = uses.iter().map(offset).collect();
            offsets.into_iter().map(move |offset| (offset, import.submodule()))
        });
        let imports = imports::imports(document);
        Declarations {
            document,
            imports,
            modules: modules.collect(),
            attributes: HashMap::new(),
            bound: HashMap::new(),
        }
    }

    fn declared(&mut self, name: Span) -> Declared {
        let path = self.document.path();
        if let Some(module) = self.modules.get(&name.start) {
            let text = name.slice(self.document.text_str());
            let key = (module.clone(), text.to_owned());
            let place = self.attributes.entry(key).or_insert_with(|| origins::declaration(path, module, text));
            return Declared { place: place.clone(), specifier: Some(module.clone()) };
        }
        let Ok(bound) = rename::bound_at(self.document, name.start) else {
            let place = origins::declaration_of_free(self.document, name.start).map(|(_, place)| place);
            return Declared { place, specifier: None };
        };
        let key = (bound.name.clone(), bound.owner);
        if let Some(known) = self.bound.get(&key) {
            return known.clone();
        }
        let import = self.imports.iter().find(|import| import.local.as_ref() == Some(&bound.name));
        let here = || {
            let mut places = bound.places(self.document);
            let own = places.find(|place| place.binding.is_some_and(|kind| kind != BindingKind::Import))?;
            Some(FileLocation { path: path.to_owned(), offset: own.span.start })
        };
        let place = origins::declaration_of_bound(self.document, &bound).or_else(here);
        let is_imported = place.as_ref().is_none_or(|place| place.path != path);
        let specifier = import.filter(|_| is_imported).map(|import| import.module.clone());
        let declared = Declared { place, specifier };
        self.bound.insert(key, declared.clone());
        declared
    }
}

/// The node of the last name of an expression: `c` of `a.b.c` and of `a.b.c[T]`. `None` for other expressions, such as
/// the result of a call.
fn last_name(arena: &Arena, node: NodeIndex) -> Option<NodeIndex> {
    let kind = arena.node(node).kind;
    match () {
        () if kind == K::Name.into() => Some(node),
        () if kind == K::Attribute.into() => arena.child(node, F::Attribute.into()),
        () if kind == K::Subscript.into() => last_name(arena, arena.children(node).next()?),
        () => None,
    }
}
