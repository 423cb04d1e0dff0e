//! Keyword arguments: the names of parameters in calls, in the file of the function and in files that import it.
//!
//! To other files, the parameter `text` of the function `send` is the exported name `send.text`; that of the
//! constructor of a class `Mail` is `Mail.text`, and that of its method `send` is `Mail.send.text`.

use marquetry_code::{
    BindingKind, CodeDocument, NodeIndex,
    rename::Bound,
    scopes::{FILE_SCOPE, ScopeIndex},
};
use marquetry_sdk::{ImportKey, Occurrence, RenamedExport, Span, Usage};

use crate::{
    imports::Import,
    lower::{F, K},
    uses::{imports_of, local_places, module_attributes, wildcard},
};

/// A parameter of a named function or method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// The name of the function, or of the class of a method.
    pub(crate) owner: String,
    /// The scope that binds the function or class. `None` in files that import it.
    scope: Option<ScopeIndex>,
    /// The method of the class. `None` for a function and for the constructor.
    method: Option<String>,
    /// The name of the parameter.
    pub(crate) name: String,
}

/// Keyword arguments with the name of a parameter.
#[derive(Debug, Default)]
pub(crate) struct Keywords {
    /// Those in calls of the function.
    pub(crate) certain: Vec<Span>,
    /// Those in calls that may call the function, and `**` arguments, which may contain the name.
    pub(crate) possible: Vec<Span>,
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
        Some(Parameter {
            owner: arena.slice(owner).to_owned(),
            scope: names.owner_of(binding),
            method: is_method.then(|| arena.slice(called).to_owned()),
            name: bound.name.clone(),
        })
    }

    /// Returns whether other files can import the function or class.
    pub(crate) fn is_exported(&self) -> bool {
        self.scope == Some(FILE_SCOPE)
    }

    /// The parameter with an exported name.
    pub(crate) fn parse(exported: &str) -> Option<Parameter> {
        let mut parts = exported.split('.').map(str::to_owned);
        let (owner, last) = (parts.next()?, parts.next_back()?);
        Some(Parameter { owner, scope: None, method: parts.next(), name: last })
    }

    /// The exported name, with another name for the function or class, as after `as`.
    pub(crate) fn exported_as(&self, owner: &str, name: &str) -> String {
        match &self.method {
            Some(method) => format!("{owner}.{method}.{name}"),
            None => format!("{owner}.{name}"),
        }
    }

    /// The last name in a call that may call the function.
    fn called(&self) -> &str {
        self.method.as_deref().unwrap_or(&self.owner)
    }

    /// The keyword arguments in the file that declares the function.
    pub(crate) fn keywords(&self, document: &CodeDocument) -> Keywords {
        let names = document.names();
        let uses = self.scope.into_iter().flat_map(|scope| names.references(&self.owner, scope));
        let uses = uses.map(|place| place.node).collect();
        self.keywords_of(document, uses)
    }

    /// The keyword arguments in a file, given the nodes that refer to the function or class.
    pub(crate) fn keywords_of(&self, document: &CodeDocument, uses: Vec<NodeIndex>) -> Keywords {
        let arena = document.arena();
        let is_call = |node: &NodeIndex| arena.node(*node).kind == K::Call.into();
        let mut found = Keywords::default();
        for call in arena.nodes().map(|(index, _)| index).filter(is_call) {
            let Some(function) = arena.child(call, F::Function.into()) else { continue };
            let is_certain = self.method.is_none() && uses.contains(&function);
            let named = arguments(document, call).filter(|node| arena.slice(*node) == self.name);
            if is_certain {
                found.certain.extend(named.map(|node| arena.node(node).span));
                found.possible.extend(unpacked(document, call));
            } else if self.may_call(document, (call, function), &uses) {
                found.possible.extend(named.map(|node| arena.node(node).span));
            }
        }
        found
    }

    /// Returns whether a call that does not name the function may call it: it has the name of a method or of a
    /// constructor in a subclass, or receives the function as an argument, as in `partial(send, text="")`.
    fn may_call(&self, document: &CodeDocument, (call, function): (NodeIndex, NodeIndex), uses: &[NodeIndex]) -> bool {
        let arena = document.arena();
        let last = arena.child(function, F::Attribute.into()).map(|attribute| arena.slice(attribute));
        let is_constructor = self.method.is_none() && last == Some("__init__");
        let is_passed = || {
            let inside = arena.descendants(call);
            uses.iter().any(|node| inside.contains(node) && !arena.descendants(function).contains(node))
        };
        last.is_some_and(|last| last == self.called())
            || is_constructor
            || self.is_alias(document, function)
            || is_passed()
    }

    /// Returns whether a called name is a variable, which may hold the function.
    fn is_alias(&self, document: &CodeDocument, function: NodeIndex) -> bool {
        let names = document.names();
        let Some(place) = names.places.iter().find(|place| place.node == function) else { return false };
        let Some(owner) = names.owner_of(place) else { return false };
        let mut bindings = names.references(&place.name, owner).filter_map(|place| place.binding);
        bindings.any(|binding| matches!(binding, BindingKind::Variable | BindingKind::Parameter))
    }
}

/// The node of the name of a function or class. A lambda has the name of the variable that it is assigned to.
fn name_of(document: &CodeDocument, node: NodeIndex) -> Option<NodeIndex> {
    let arena = document.arena();
    if arena.node(node).kind != K::Lambda.into() {
        return arena.child(node, F::Name.into());
    }
    let statement = arena.node(node).parent;
    let is_assigned = arena.node(node).field == F::Value.into();
    let target = arena.child(statement, F::Target.into()).filter(|_| is_assigned)?;
    Some(target).filter(|target| arena.node(*target).kind == K::Name.into())
}

/// The nodes that refer to the name of an import: the name itself, and the attribute of a module.
fn uses_of_imports(document: &CodeDocument, imports: &[Import], attributes: &[NodeIndex]) -> Vec<NodeIndex> {
    let names = imports.iter().flat_map(|import| local_places(document, import).map(|place| place.node));
    // The attribute `f` of `module.f` is called as a whole.
    let whole = attributes.iter().map(|attribute| document.arena().node(*attribute).parent);
    names.chain(whole).collect()
}

/// The names of the keyword arguments of a call.
fn arguments(document: &CodeDocument, call: NodeIndex) -> impl Iterator<Item = NodeIndex> {
    let arena = document.arena();
    let list = arena.child_of_kind(call, K::Arguments.into());
    let keywords = list.into_iter().flat_map(|list| arena.children(list));
    keywords
        .filter(|node| arena.node(*node).kind == K::Keyword.into())
        .filter_map(|keyword| arena.child_of_kind(keyword, K::Identifier.into()))
}

/// The `**` arguments of a call.
fn unpacked(document: &CodeDocument, call: NodeIndex) -> impl Iterator<Item = Span> {
    let arena = document.arena();
    let list = arena.child_of_kind(call, K::Arguments.into());
    let keywords = list.into_iter().flat_map(|list| arena.children(list));
    keywords
        .filter(|node| arena.node(*node).kind == K::Keyword.into())
        .filter(|keyword| arena.child_of_kind(*keyword, K::Identifier.into()).is_none())
        .map(|keyword| arena.node(keyword).span)
}

pub(crate) fn renamed_parameter(parameter: &Parameter, owner: &str, new_name: &str) -> RenamedExport {
    RenamedExport { old: parameter.exported_as(owner, &parameter.name), new: parameter.exported_as(owner, new_name) }
}

pub(crate) fn keyword_occurrences(keywords: Keywords) -> impl Iterator<Item = Occurrence> {
    let occurrence = |certain: bool| move |span: Span| Occurrence { span, usage: Usage::Read, certain };
    let certain = keywords.certain.into_iter().map(occurrence(true));
    certain.chain(keywords.possible.into_iter().map(occurrence(false)))
}

/// The imports of the function or class of a parameter, and the keyword arguments in its calls.
pub(crate) fn imported_keywords(
    document: &CodeDocument,
    key: &ImportKey,
    parameter: &Parameter,
) -> (Vec<Import>, Keywords) {
    let owner = ImportKey { name: parameter.owner.clone(), specifiers: key.specifiers.clone() };
    let imports = imports_of(document, &owner);
    let attributes = module_attributes(document, &key.specifiers, &parameter.owner);
    let mut uses = uses_of_imports(document, &imports, &attributes);
    if wildcard(document, Some(&key.specifiers)).is_some() {
        let names = document.names();
        let free = names.places.iter().filter(|place| place.name == parameter.owner && names.owner_of(place).is_none());
        uses.extend(free.map(|place| place.node));
    }
    let keywords = parameter.keywords_of(document, uses);
    (imports, keywords)
}

/// The names under which a file passes on the function or class of a parameter.
pub(crate) fn passed_on(imports: &[Import]) -> impl Iterator<Item = &String> {
    imports.iter().filter(|import| import.is_global).filter_map(|import| import.local.as_ref())
}
