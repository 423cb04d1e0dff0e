//! Keyword arguments: the names of parameters in calls, in the file of the function and in files that import it.
//!
//! To other files, the parameter `text` of the function `send` is the exported name `send.text`; that of the
//! constructor of a class `Mail` is `Mail.text`, and that of its method `send` is `Mail.send.text`.

use marquetry_code::{BindingKind, CodeDocument, NodeIndex, rename::Bound, scopes::FILE_SCOPE};
use marquetry_sdk::{ImportKey, Occurrence, RenamedExport, Span, Usage};

use crate::{
    imports::Import,
    lower::{F, K},
    uses::{imports_of, local_places, module_attributes, wildcard},
};

/// A parameter of a function that other files can import, alone or with its class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// The exported function or class.
    pub(crate) owner: String,
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
    /// The parameter that a name binds. `None` for other names, and for parameters of nested functions and lambdas.
    pub(crate) fn of(document: &CodeDocument, bound: &Bound) -> Option<Parameter> {
        let arena = document.arena();
        let place = bound.places(document).find(|place| place.binding == Some(BindingKind::Parameter))?;
        let above = |node: NodeIndex| {
            arena.ancestors(node).skip(1).find(|node| {
                [K::Function, K::Class, K::Lambda].iter().any(|kind| arena.node(*node).kind == (*kind).into())
            })
        };
        let name_of = |node: NodeIndex| Some(arena.slice(arena.child(node, F::Name.into())?).to_owned());
        let is = |node: NodeIndex, kind: K| arena.node(node).kind == kind.into();
        let function = above(place.node).filter(|node| is(*node, K::Function))?;
        let (name, called) = (bound.name.clone(), name_of(function)?);
        match above(function) {
            None => Some(Parameter { owner: called, method: None, name }),
            Some(class) if is(class, K::Class) && above(class).is_none() => {
                let method = (!["__init__", "__new__"].contains(&called.as_str())).then_some(called);
                Some(Parameter { owner: name_of(class)?, method, name })
            }
            Some(_) => None,
        }
    }

    /// The parameter with an exported name.
    pub(crate) fn parse(exported: &str) -> Option<Parameter> {
        let mut parts = exported.split('.').map(str::to_owned);
        let (owner, last) = (parts.next()?, parts.next_back()?);
        Some(Parameter { owner, method: parts.next(), name: last })
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
        let uses = document.names().references(&self.owner, FILE_SCOPE).map(|place| place.node).collect();
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
pub(crate) fn passed_on<'i>(imports: &'i [Import]) -> impl Iterator<Item = &'i String> {
    imports.iter().filter(|import| import.is_global).filter_map(|import| import.local.as_ref())
}
