//! Keyword arguments: the names of parameters in calls, in the file of the function and in other files.
//!
//! To files that import it, the parameter `text` of the function `send` is the exported name `send.text`, and that of the
//! constructor of a class `Mail` is `Mail.text`. Calls of a method are not proven to call it, so they are listed.

use marquetry_code::{
    BindingKind, CodeDocument, NodeIndex,
    rename::Bound,
    scopes::{FILE_SCOPE, ScopeIndex},
};
use marquetry_sdk::{DeclaredKey, FileLocation, ImportKey, Occurrence, RenamedExport, Span, Usage};

use crate::{
    callees::{Callees, name_of},
    lower::K,
    uses::{imports_of, local_places, module_attributes, wildcard},
};

/// A parameter of a named function or method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// The name of the function, or of the class of a method.
    owner: String,
    /// The scope that binds the function or class. `None` in files that import it.
    scope: Option<ScopeIndex>,
    /// The kind of function.
    pub(crate) function: FunctionKind,
    /// The name of the parameter.
    pub(crate) name: String,
    /// The offset of the parameter in its file. 0 in files that import the function.
    offset: u32,
}

/// The kinds of functions, which differ in how they are called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FunctionKind {
    /// A function, or the constructor of a class: it is called by the name of the owner.
    Named,
    /// A method with this name, which is called through an object.
    Method(String),
}

/// Keyword arguments with the name of a parameter.
#[derive(Debug, Default)]
pub(crate) struct Keywords {
    /// Those in calls of the function.
    pub(crate) certain: Vec<Span>,
    /// Those in calls that may call the function, `**` arguments, which may contain the name, and places that pass the
    /// function on as a value.
    pub(crate) possible: Vec<Span>,
    /// Names in the scope of the file under which other files can call the function: its own, and those of subclasses.
    names: Vec<String>,
}

impl Parameter {
    /// The parameter that a name binds. `None` for other names, and for parameters of functions without a name.
    pub(crate) fn from_binding(document: &CodeDocument, bound: &Bound) -> Option<Parameter> {
        let (arena, names) = (document.arena(), document.names());
        let place = bound.places(document).find(|place| place.binding == Some(BindingKind::Parameter))?;
        let is = |node: NodeIndex, kind: K| arena.node(node).kind == kind.into();
        let above = |node: NodeIndex| {
            let kinds = [K::Function, K::Class, K::Lambda];
            arena.ancestors(node).skip(1).find(|node| kinds.into_iter().any(|kind| is(*node, kind)))
        };
        let function = above(place.node)?;
        let class = above(function).filter(|class| is(*class, K::Class) && is(function, K::Function));
        let called = name_of(document, function)?;
        let owner = class.map_or(Some(called), |class| name_of(document, class))?;
        let binding = names.places.iter().find(|place| place.span == arena.node(owner).span)?;
        let is_method = class.is_some() && !["__init__", "__new__"].contains(&arena.slice(called));
        let method = || FunctionKind::Method(arena.slice(called).to_owned());
        Some(Parameter {
            owner: arena.slice(owner).to_owned(),
            scope: names.owner_of(binding),
            function: if is_method { method() } else { FunctionKind::Named },
            name: bound.name.clone(),
            offset: place.span.start,
        })
    }

    /// The parameter of an imported function or class with an exported name.
    pub(crate) fn parse(exported: &str) -> Option<Parameter> {
        let (owner, name) = exported.split_once('.')?;
        let (owner, name) = (owner.to_owned(), name.to_owned());
        Some(Parameter { owner, scope: None, function: FunctionKind::Named, name, offset: 0 })
    }

    /// The key by which other files are asked about the parameter. `None` unless it is a parameter of a method. Only files
    /// that contain the name of the method can call it.
    pub(crate) fn key(&self, document: &CodeDocument) -> Option<DeclaredKey> {
        let FunctionKind::Method(method) = &self.function else { return None };
        let location = FileLocation { path: document.path().to_owned(), offset: self.offset };
        Some(DeclaredKey { name: self.name.clone(), locations: vec![location], forms: vec![method.clone()] })
    }

    /// The parameter of a method that has this key.
    pub(crate) fn declared(key: &DeclaredKey) -> Option<Parameter> {
        let function = FunctionKind::Method(key.forms.first()?.clone());
        Some(Parameter { owner: String::new(), scope: None, function, name: key.name.clone(), offset: 0 })
    }

    /// The keyword arguments in the file that declares the function.
    pub(crate) fn keywords(&self, document: &CodeDocument) -> Keywords {
        let names = document.names();
        let places = self.scope.into_iter().flat_map(|scope| names.references(&self.owner, scope));
        let uses = places.filter(|place| place.binding.is_none()).map(|place| place.node).collect();
        let own = (self.scope == Some(FILE_SCOPE)).then_some(self.owner.clone());
        self.keywords_of(document, uses, own.into_iter().collect())
    }

    /// The keyword arguments in a file that imports the function or class.
    pub(crate) fn imported_keywords(&self, document: &CodeDocument, key: &ImportKey) -> Keywords {
        let owner = ImportKey { name: self.owner.clone(), specifiers: key.specifiers.clone() };
        let imports = imports_of(document, &owner);
        let names = document.names();
        let local = imports.iter().flat_map(|import| local_places(document, import));
        let mut uses: Vec<NodeIndex> = local.filter(|place| place.binding.is_none()).map(|place| place.node).collect();
        // The attribute `f` of `module.f` is called as a whole.
        let attributes = module_attributes(document, &key.specifiers, &self.owner);
        uses.extend(attributes.iter().map(|attribute| document.arena().node(*attribute).parent));
        if wildcard(document, Some(&key.specifiers)).is_some() {
            let is_free = |name: &str, owner: Option<ScopeIndex>| name == self.owner && owner.is_none();
            let free = names.places.iter().filter(|place| is_free(&place.name, names.owner_of(place)));
            uses.extend(free.map(|place| place.node));
        }
        let passed = imports.iter().filter(|import| import.is_global).filter_map(|import| import.local.clone());
        self.keywords_of(document, uses, passed.collect())
    }

    /// The keyword arguments in a file without a link to the method, which may call it.
    pub(crate) fn possible_keywords(&self, document: &CodeDocument) -> Vec<Span> {
        self.keywords_of(document, Vec::new(), Vec::new()).possible
    }

    /// The keyword arguments in a file, given the nodes that refer to the function or class, and its names in the file.
    fn keywords_of(&self, document: &CodeDocument, uses: Vec<NodeIndex>, mut names: Vec<String>) -> Keywords {
        let callees = Callees::new(document, (&self.function, &self.owner), uses);
        names.extend(callees.subclasses.iter().cloned());
        let mut found = Keywords { possible: callees.passed.clone(), names, ..Keywords::default() };
        let arena = document.arena();
        let is_call = |node: &NodeIndex| arena.node(*node).kind == K::Call.into();
        for call in arena.nodes().map(|(index, _)| index).filter(is_call) {
            let (named, unpacked) = arguments(document, call, &self.name);
            if callees.calls(call) {
                found.certain.extend(named);
                found.possible.extend(unpacked);
            } else if callees.names_function(call) {
                found.possible.extend(named.into_iter().chain(unpacked));
            } else if callees.may_call(call) {
                found.possible.extend(named);
            }
        }
        found.possible.sort_by_key(|span| span.start);
        found
    }
}

/// The keyword arguments of a call: those with a name, and the `**` arguments.
fn arguments(document: &CodeDocument, call: NodeIndex, name: &str) -> (Vec<Span>, Vec<Span>) {
    let arena = document.arena();
    let list = arena.child_of_kind(call, K::Arguments.into());
    let keywords = list.into_iter().flat_map(|list| arena.children(list));
    let (mut named, mut unpacked) = (Vec::new(), Vec::new());
    for keyword in keywords.filter(|node| arena.node(*node).kind == K::Keyword.into()) {
        match arena.child_of_kind(keyword, K::Identifier.into()) {
            Some(own) if arena.slice(own) == name => named.push(arena.node(own).span),
            Some(_) => {}
            None => unpacked.push(arena.node(keyword).span),
        }
    }
    (named, unpacked)
}

impl Keywords {
    /// The exported names of the parameter in this file, with its old and its new name.
    pub(crate) fn exports(&self, parameter: &Parameter, new_name: &str) -> Vec<RenamedExport> {
        if parameter.function != FunctionKind::Named {
            return Vec::new();
        }
        let export = |owner: &String| RenamedExport {
            old: format!("{owner}.{}", parameter.name),
            new: format!("{owner}.{new_name}"),
        };
        self.names.iter().map(export).collect()
    }

    /// All keyword arguments, as occurrences.
    pub(crate) fn occurrences(self) -> impl Iterator<Item = Occurrence> {
        let occurrence = |certain: bool| move |span: Span| Occurrence { span, usage: Usage::Read, certain };
        let certain = self.certain.into_iter().map(occurrence(true));
        certain.chain(self.possible.into_iter().map(occurrence(false)))
    }
}
