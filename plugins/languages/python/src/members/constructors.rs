//! Keyword arguments that set fields of objects: in calls of data classes, and of functions that may pass them on.

use marquetry_code::{Arena, NodeIndex};
use marquetry_sdk::Usage;

use super::{
    project::{Place, Referent, bindings},
    uses::{Relation, Uses},
    values::Value,
};
use crate::{
    classes::{decorators, has_kind, has_parameter},
    lower::{F, K},
    origins::contains_word,
    table::plain_string,
};

/// Functions that set fields of an object by keyword arguments.
const REPLACE: [&str; 3] = ["replace", "evolve", "assoc"];
/// Functions that replace members by keyword arguments, and classes of objects that stand for others.
const MOCKS: [&str; 6] = ["multiple", "configure_mock", "Mock", "MagicMock", "NonCallableMock", "AsyncMock"];
/// Functions that call their first argument with the other arguments.
const PARTIAL: [&str; 2] = ["partial", "partialmethod"];
/// Decorators of attrs that make a constructor from the fields of a class.
const ATTRS: [&str; 6] = ["define", "frozen", "mutable", "attrs", "s", "attributes"];
/// Functions that declare a field of a class without an annotation.
const FIELDS: [&str; 4] = ["ib", "attrib", "field", "Field"];

/// The constructor of a class.
enum Constructor {
    /// It has a parameter for each field.
    Fields,
    /// It has other parameters.
    Other,
    /// It accepts all names, or is not known.
    Unknown,
}

impl Uses<'_> {
    fn has_decorator(&self, class: &Place, known: impl Fn(&str) -> bool) -> bool {
        self.project.open(&class.path).is_some_and(|document| decorators(document.arena(), class.node).any(known))
    }

    fn is_data_class(&self, class: &Place) -> bool {
        self.has_decorator(class, |name| name == "dataclass" || ATTRS.contains(&name))
    }

    /// Returns whether a class gets its constructor from a decorator, a metaclass or a base class.
    fn has_made_constructor(&self, class: &Place) -> bool {
        let declares = |class: &Place, name: &str| self.project.declaration(class, name).is_some();
        let is_maker = |class: &Place| {
            let is_decorated = self.has_decorator(class, |_| true);
            is_decorated || declares(class, "__init_subclass__") || self.project.has_metaclass(class)
        };
        !declares(class, "__init__") && self.project.ancestors(class).classes.iter().any(is_maker)
    }

    /// Returns whether the constructor of a class has a parameter for the member.
    pub(super) fn is_field(&self, class: &Place) -> bool {
        let Some(document) = self.project.open(&class.path) else { return false };
        let (arena, names) = (document.arena(), document.names());
        let Some(scope) = names.scopes.iter().position(|scope| scope.node == class.node) else { return false };
        let is_declared = bindings(&document, self.name, scope).iter().any(|place| {
            let statement = arena.node(place.node).parent;
            let value = arena.child(statement, F::Value.into());
            let field = value.filter(|value| is_call_of_field(arena, *value));
            let is_argument = field.is_none_or(|field| {
                let code: String = arena.slice(field).split_whitespace().collect();
                !code.contains("init=False") && !code.contains("alias=")
            });
            is_argument
                && (has_kind(arena, statement, K::AnnAssign)
                    || has_kind(arena, statement, K::Assign) && field.is_some())
        });
        is_declared && (self.is_data_class(class) || self.has_made_constructor(class))
    }

    /// Returns whether attrs names the argument for the member without the underscore at the start of a name.
    pub(super) fn is_field_of_attrs(&self, class: &Place) -> bool {
        self.is_field(class) && self.has_decorator(class, |name| ATTRS.contains(&name))
    }

    fn constructor(&self, class: &Place) -> Constructor {
        let is_declared = |class: &Place, name: &str| self.project.declaration(class, name).is_some();
        for class in &self.project.ancestors(class).classes {
            if is_declared(class, "__init__") {
                return self.declared_constructor(class);
            }
            if self.is_data_class(class) {
                return Constructor::Fields;
            }
            if is_declared(class, "__new__") {
                return Constructor::Unknown;
            }
        }
        Constructor::Fields
    }

    fn declared_constructor(&self, class: &Place) -> Constructor {
        let Some(document) = self.project.open(&class.path) else { return Constructor::Unknown };
        let (arena, names) = (document.arena(), document.names());
        let scope = names.scopes.iter().position(|scope| scope.node == class.node);
        let declared = scope.map(|scope| bindings(&document, "__init__", scope)).unwrap_or_default();
        let [only] = declared[..] else { return Constructor::Unknown };
        let function = arena.node(only.node).parent;
        match () {
            () if !has_kind(arena, function, K::Function) => Constructor::Unknown,
            () if accepts_any(arena, function, self.name) => Constructor::Unknown,
            () => Constructor::Other,
        }
    }

    /// Adds the keyword argument of a constructor, or of a function that replaces fields. Lists `**` arguments of these
    /// calls, which may contain the name.
    pub(super) fn add_keyword(&mut self, node: NodeIndex) {
        let arena = self.project.document.arena();
        let name = arena.child_of_kind(node, K::Identifier.into());
        let call = arena.node(arena.node(node).parent).parent;
        let function = arena.child(call, F::Function.into());
        let Some(function) = function.filter(|_| name.is_none_or(|name| arena.slice(name) == self.name)) else {
            return;
        };
        let code = arena.slice(function);
        let called = code.rsplit('.').next().unwrap_or(code);
        if let Some(name) = name.filter(|_| MOCKS.contains(&called)) {
            return self.unresolved.push(arena.node(name).span);
        }
        if !self.has_constructor {
            return self.add_unrelated_keyword(name, function);
        }
        let list = arena.child_of_kind(call, K::Arguments.into());
        let arguments = list.into_iter().flat_map(|list| arena.children(list));
        let positional: Vec<NodeIndex> = arguments.filter(|argument| !has_kind(arena, *argument, K::Keyword)).collect();
        let relation = self.relation_of_callee(&self.project.place(function), &positional);
        match name {
            Some(name) => self.add(relation, arena.node(name).span, Usage::Write),
            None if relation == Relation::Own => self.add_unpacked(node),
            None => {}
        }
    }

    /// Lists the keyword argument of a call that may call a class which the file cannot be related to.
    fn add_unrelated_keyword(&mut self, name: Option<NodeIndex>, function: NodeIndex) {
        let arena = self.project.document.arena();
        let code = arena.slice(function);
        let is_possible = self.is_unrelated() && self.is_class_name(code.rsplit('.').next().unwrap_or(code));
        if let Some(name) = name.filter(|_| is_possible)
            && self.relation_of_callee(&self.project.place(function), &[]) == Relation::Unknown
        {
            self.unresolved.push(arena.node(name).span);
        }
    }

    /// Lists a `**` argument; for the code of a dictionary, only the key with the name.
    fn add_unpacked(&mut self, node: NodeIndex) {
        let arena = self.project.document.arena();
        let items = arena.child_of_kind(node, K::Dict.into()).map(|dict| arena.children(dict));
        let key = |item: NodeIndex| arena.children(item).next().filter(|_| has_kind(arena, item, K::Pair));
        let keys: Option<Vec<NodeIndex>> = items.and_then(|items| items.map(key).collect());
        match keys {
            Some(keys) if keys.iter().all(|key| plain_string(arena, *key).is_some()) => {
                let named = keys.into_iter().filter(|key| plain_string(arena, *key) == Some(self.name));
                self.unresolved.extend(named.map(|key| arena.node(key).span));
            }
            _ => self.unresolved.push(arena.node(node).span),
        }
    }

    /// The relation of a keyword argument with the name to the member, in a call of a function with these arguments.
    fn relation_of_callee(&self, function: &Place, arguments: &[NodeIndex]) -> Relation {
        let code = self.project.code(function);
        let called = code.rsplit('.').next().unwrap_or(&code);
        let first = arguments.first().map(|first| self.project.place(*first));
        match self.project.referent(function) {
            Referent::Class(class) => self.relation_of_call(&class),
            Referent::Function(function) => {
                let document = self.project.open(&function.path);
                let is_open = document.is_none_or(|document| {
                    let arena = document.arena();
                    let is_decorated = decorators(arena, function.node).next().is_some();
                    accepts_any(arena, function.node, self.name)
                        || is_decorated && !has_parameter(arena, function.node, self.name)
                });
                if is_open { Relation::Unknown } else { Relation::Other }
            }
            Referent::Outside if self.may_be_class(called) => Relation::Unknown,
            Referent::Outside if REPLACE.contains(&called) => {
                first.map_or(Relation::Unknown, |first| self.relation_of_value(&self.project.value(&first)))
            }
            Referent::Outside if PARTIAL.contains(&called) => {
                first.map_or(Relation::Unknown, |first| self.relation_of_callee(&first, &arguments[1..]))
            }
            Referent::Outside => self.relation_of_arguments(arguments),
            _ => match self.project.value(function) {
                Value::Class(class) => self.relation_of_call(&class),
                _ => Relation::Unknown,
            },
        }
    }

    /// The relation of a keyword argument that a function outside of the workspace receives. The function may pass it on
    /// to a class or function among the other arguments.
    fn relation_of_arguments(&self, arguments: &[NodeIndex]) -> Relation {
        let is_possible = arguments.iter().any(|argument| {
            let argument = self.project.place(*argument);
            match self.project.referent(&argument) {
                Referent::Class(_) | Referent::Function(_) => {
                    self.relation_of_callee(&argument, &[]) != Relation::Other
                }
                _ => match self.project.value(&argument) {
                    Value::Class(class) => self.relation_of_call(&class) != Relation::Other,
                    _ => false,
                },
            }
        });
        if is_possible { Relation::Unknown } else { Relation::Other }
    }

    fn relation_of_call(&self, class: &Place) -> Relation {
        let ancestors = self.project.ancestors(class);
        match (self.relation(class), self.constructor(class)) {
            (Relation::Own, Constructor::Fields) => Relation::Own,
            (Relation::Unknown, _) if ancestors.has_unknown => Relation::Unknown,
            (_, Constructor::Unknown) => Relation::Unknown,
            _ if self.is_mapped(class) => Relation::Unknown,
            // The keyword is only a parameter of the constructor.
            _ => Relation::Other,
        }
    }

    /// Returns whether a class of a library has settings that name a class with the member: `class Meta: model = User`.
    pub(super) fn is_mapped(&self, class: &Place) -> bool {
        let Some(document) = self.project.open(&class.path) else { return false };
        let arena = document.arena();
        let is_meta = |node: &NodeIndex| {
            let name = arena.child(*node, F::Name.into()).filter(|_| has_kind(arena, *node, K::Class));
            name.is_some_and(|name| arena.slice(name) == "Meta")
        };
        let names_class = |node: NodeIndex| self.class_names().any(|name| contains_word(arena.slice(node), name));
        self.project.ancestors(class).opaque_base().is_some()
            && arena.descendants(class.node).filter(is_meta).any(names_class)
    }
}

/// Returns whether an expression declares a field: `attr.ib()`.
fn is_call_of_field(arena: &Arena, node: NodeIndex) -> bool {
    let function = arena.child(node, F::Function.into()).filter(|_| has_kind(arena, node, K::Call));
    function.is_some_and(|function| {
        let code = arena.slice(function);
        FIELDS.contains(&code.rsplit('.').next().unwrap_or(code))
    })
}

/// Returns whether a function accepts a keyword argument with a name only by a `**` parameter.
fn accepts_any(arena: &Arena, function: NodeIndex, name: &str) -> bool {
    let list = arena.child_of_kind(function, K::Parameters.into());
    let last = list.and_then(|list| arena.children(list).last());
    let is_open = last.is_some_and(|last| {
        let start = arena.node(last).span.range().start;
        arena.slice(last).starts_with("**") || arena.text[..start].trim_end().ends_with("**")
    });
    is_open && !has_parameter(arena, function, name)
}
