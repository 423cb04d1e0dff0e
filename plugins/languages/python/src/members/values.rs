//! The classes of values that the code shows: objects of methods, calls of classes, annotations, and variables and
//! attributes that are only set to such values.

use std::rc::Rc;

use marquetry_code::{
    Arena, CodeDocument, NodeIndex,
    scopes::{FILE_SCOPE, ScopeIndex},
};

use super::{
    project::{Place, Project, Referent, bindings, is_target},
    setters::Attribute,
};
use crate::{
    classes::{class_of_method, decorators, first_parameter, has_kind, has_role, self_attribute},
    imports::join,
    lower::{F, K},
    modules::{self, Found},
};

/// Maximum number of expressions through which the class of a value is followed.
const MAX_STEPS: usize = 8;

/// The known class of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// An object of this class or of a class that inherits from it.
    Instance(Place),
    /// The class itself, or a class that inherits from it.
    Class(Place),
    /// The result of `super()` in this class.
    Super(Place),
    /// `None`.
    Nothing,
    /// A module, or a value of a class outside of the workspace.
    Outside,
    Unknown,
}

impl Project<'_> {
    /// The class of the value of an expression.
    pub(crate) fn value(&self, at: &Place) -> Value {
        self.value_in(at, MAX_STEPS)
    }

    pub(super) fn value_in(&self, at: &Place, steps: usize) -> Value {
        let key = (at.clone(), steps);
        if let Some(known) = self.values.borrow().get(&key) {
            return known.clone();
        }
        if !self.computing.borrow_mut().insert(at.clone()) {
            return Value::Unknown;
        }
        let found = self.find_value(at, steps);
        self.computing.borrow_mut().remove(at);
        self.values.borrow_mut().insert(key, found.clone());
        found
    }

    fn find_value(&self, at: &Place, steps: usize) -> Value {
        let (Some(document), Some(steps)) = (self.open(&at.path), steps.checked_sub(1)) else { return Value::Unknown };
        let arena = document.arena();
        let here = |node: NodeIndex| Place { path: Rc::clone(&at.path), node };
        match () {
            () if has_kind(arena, at.node, K::Name) => {
                self.object_of_method(&document, at).unwrap_or_else(|| self.value_of(&self.referent(at), steps))
            }
            () if has_kind(arena, at.node, K::Call) => self.value_of_call(&document, at, steps),
            () if has_kind(arena, at.node, K::Attribute) => match self.referent(at) {
                Referent::Unknown => self.value_of_attribute(&document, at, steps),
                known => self.value_of(&known, steps),
            },
            () if has_kind(arena, at.node, K::Constant) && arena.slice(at.node) == "None" => Value::Nothing,
            () if has_kind(arena, at.node, K::Named) => {
                let value = arena.child(at.node, F::Value.into());
                value.map_or(Value::Unknown, |value| self.value_in(&here(value), steps))
            }
            () if LITERALS.into_iter().any(|kind| has_kind(arena, at.node, kind)) => Value::Outside,
            () => Value::Unknown,
        }
    }

    fn value_of(&self, referent: &Referent, steps: usize) -> Value {
        match referent {
            Referent::Class(class) => Value::Class(class.clone()),
            Referent::Variable(path, name, owner) => self.value_of_variable(path, name, *owner, steps),
            Referent::Outside => Value::Outside,
            Referent::Function(_) | Referent::Unknown => Value::Unknown,
        }
    }

    /// The object or class that a method receives as its first parameter. `None` for other names.
    fn object_of_method(&self, document: &CodeDocument, at: &Place) -> Option<Value> {
        let (arena, names) = (document.arena(), document.names());
        let place = names.at(arena.node(at.node).span.start)?;
        let owner = names.owner_of(place)?;
        let function = Some(names.scopes[owner].node).filter(|node| has_kind(arena, *node, K::Function))?;
        let class = class_of_method(arena, function)?;
        first_parameter(arena, function).filter(|first| arena.slice(*first) == place.name)?;
        let is_only = bindings(document, &place.name, owner).len() == 1;
        let class = Place { path: Rc::clone(&at.path), node: class };
        let has = |names: &[&str]| decorators(arena, function).any(|name| names.contains(&name));
        let called = arena.child(function, F::Name.into()).map(|name| arena.slice(name));
        Some(match () {
            () if !is_only || has(&["staticmethod"]) => Value::Unknown,
            () if has(&["classmethod"])
                || matches!(called, Some("__new__" | "__init_subclass__" | "__class_getitem__")) =>
            {
                Value::Class(class)
            }
            () => Value::Instance(class),
        })
    }

    fn value_of_call(&self, document: &CodeDocument, at: &Place, steps: usize) -> Value {
        let arena = document.arena();
        let Some(function) = arena.child(at.node, F::Function.into()) else { return Value::Unknown };
        let here = |node: NodeIndex| Place { path: Rc::clone(&at.path), node };
        let list = arena.child_of_kind(at.node, K::Arguments.into());
        let arguments: Vec<NodeIndex> = list.into_iter().flat_map(|list| arena.children(list)).collect();
        let referent = self.referent(&here(function));
        match (&referent, arena.slice(function), &arguments[..]) {
            (Referent::Outside, "super", []) => {
                let functions = arena.ancestors(at.node).filter(|above| has_kind(arena, *above, K::Function));
                let class = functions.into_iter().find_map(|function| class_of_method(arena, function));
                return class.map_or(Value::Unknown, |class| Value::Super(here(class)));
            }
            (Referent::Outside, "type", [object]) => {
                return match self.value_in(&here(*object), steps) {
                    Value::Instance(class) => Value::Class(class),
                    _ => Value::Unknown,
                };
            }
            (Referent::Outside, ..) => return Value::Unknown,
            (Referent::Function(function), ..) => return self.result_of(function, steps),
            _ => {}
        }
        match self.value_in(&here(function), steps) {
            Value::Class(class) if self.makes_instances(&class) => Value::Instance(class),
            _ => Value::Unknown,
        }
    }

    /// Returns whether the call of a class certainly gives an object of the class.
    fn makes_instances(&self, class: &Place) -> bool {
        let ancestors = self.ancestors(class);
        let is_plain = |class: &Place| self.declaration(class, "__new__").is_none() && !self.has_metaclass(class);
        !ancestors.has_unknown && ancestors.classes.iter().all(is_plain)
    }

    /// Returns whether a class has a metaclass.
    pub(super) fn has_metaclass(&self, class: &Place) -> bool {
        self.open(&class.path).is_none_or(|document| {
            let arena = document.arena();
            let list = arena.child_of_kind(class.node, K::Arguments.into());
            let mut keywords = list.into_iter().flat_map(|list| arena.children(list));
            keywords.any(|node| arena.slice(node).starts_with("metaclass"))
        })
    }

    /// The class of the result of a function, from its annotation.
    fn result_of(&self, function: &Place, steps: usize) -> Value {
        let Some(document) = self.open(&function.path) else { return Value::Unknown };
        let arena = document.arena();
        let returns = arena.child(function.node, F::Returns.into());
        let is_plain = arena.slice(function.node).trim_start().starts_with("def ");
        let node = returns.filter(|_| is_plain);
        node.map_or(Value::Unknown, |node| self.annotated(&Place { path: Rc::clone(&function.path), node }, steps))
    }

    /// The class of a value with an annotation.
    fn annotated(&self, at: &Place, steps: usize) -> Value {
        let (Some(document), Some(steps)) = (self.open(&at.path), steps.checked_sub(1)) else { return Value::Unknown };
        let arena = document.arena();
        let all = |nodes: Vec<NodeIndex>| {
            let places = nodes.into_iter().map(|node| Place { path: Rc::clone(&at.path), node });
            places.map(|place| self.annotated(&place, steps)).collect::<Vec<Value>>()
        };
        let children = || arena.children(at.node).filter(|child| !has_kind(arena, *child, K::Part));
        match () {
            () if has_kind(arena, at.node, K::BinOp) && arena.slice(at.node).contains('|') => {
                same_value(all(children().collect()))
            }
            () if has_kind(arena, at.node, K::String) => same_value(all(children().collect())),
            () if has_kind(arena, at.node, K::Constant) && arena.slice(at.node) == "None" => Value::Nothing,
            () if has_kind(arena, at.node, K::Subscript) => {
                let code = arena.slice(at.node);
                let name = code.split('[').next().unwrap_or_default();
                match name.rsplit('.').next().unwrap_or(name) {
                    "Optional" | "Final" | "ClassVar" => same_value(all(children().skip(1).collect())),
                    "type" | "Type" => match same_value(all(children().skip(1).collect())) {
                        Value::Instance(class) => Value::Class(class),
                        _ => Value::Unknown,
                    },
                    _ => self.instance_of_name(at),
                }
            }
            () => self.instance_of_name(at),
        }
    }

    fn instance_of_name(&self, at: &Place) -> Value {
        match self.referent(at) {
            Referent::Class(class) => Value::Instance(class),
            // `Any` and protocols of libraries may be classes of the workspace, too.
            Referent::Outside if BUILT_IN_TYPES.contains(&self.code(at).as_str()) => Value::Outside,
            _ => Value::Unknown,
        }
    }

    /// The class of a variable or parameter that is only set to values of one class.
    fn value_of_variable(&self, path: &Rc<str>, name: &str, owner: ScopeIndex, steps: usize) -> Value {
        let Some(document) = self.open(path) else { return Value::Unknown };
        let set: Vec<NodeIndex> = bindings(&document, name, owner).iter().map(|place| place.node).collect();
        let is_annotated = set.iter().any(|node| annotation(document.arena(), *node).is_some());
        let value = same_value(set.into_iter().map(|node| self.assigned(&document, path, node, steps)));
        let is_changed =
            owner == FILE_SCOPE && self.is_variable_set_otherwise((path, name), (&value, is_annotated), steps);
        if is_changed { Value::Unknown } else { value }
    }

    /// The class of the value that an assignment or a parameter gives to a name or attribute.
    pub(super) fn assigned(&self, document: &CodeDocument, path: &Rc<str>, node: NodeIndex, steps: usize) -> Value {
        let arena = document.arena();
        let parent = arena.node(node).parent;
        let here = |node: NodeIndex| Place { path: Rc::clone(path), node };
        let is_in_class = class_of_method(arena, node).is_some() && has_kind(arena, node, K::Name);
        let value = arena.child(parent, F::Value.into()).filter(|value| *value != node);
        if let Some(annotation) = annotation(arena, node) {
            let annotated = self.annotated(&here(annotation), steps);
            let is_computed = matches!(&annotated, Value::Instance(class) if self.declares_get(class));
            return if is_in_class && value.is_some() && is_computed { Value::Unknown } else { annotated };
        }
        let is_target = has_role(arena, node, F::Target);
        match arena.child(parent, F::Annotation.into()) {
            Some(annotation) if has_kind(arena, arena.node(parent).parent, K::ParameterDefault) => {
                self.annotated(&here(annotation), steps)
            }
            _ if is_target && [K::Assign, K::Named].into_iter().any(|kind| has_kind(arena, parent, kind)) => {
                let Some(value) = value.map(here) else { return Value::Unknown };
                let found = self.value_in(&value, steps);
                if is_in_class && self.may_be_descriptor(&found, &value) { Value::Unknown } else { found }
            }
            _ => Value::Unknown,
        }
    }

    /// Returns whether Python may call a method of a value of a class when code reads the attribute.
    fn may_be_descriptor(&self, value: &Value, at: &Place) -> bool {
        match value {
            Value::Instance(class) => {
                let ancestors = self.ancestors(class);
                self.declares_get(class) || ancestors.opaque_base().is_some()
            }
            // Objects of libraries, but not literals.
            Value::Outside => self.referent(at) == Referent::Outside,
            _ => false,
        }
    }

    fn declares_get(&self, class: &Place) -> bool {
        self.ancestors(class).classes.iter().any(|class| self.declaration(class, "__get__").is_some())
    }

    /// The class of an attribute of an object, from its annotation, or from all statements that set it.
    fn value_of_attribute(&self, document: &CodeDocument, at: &Place, steps: usize) -> Value {
        let arena = document.arena();
        let parts = arena.child(at.node, F::Value.into()).zip(arena.child(at.node, F::Attribute.into()));
        let Some((object, attribute)) = parts else { return Value::Unknown };
        let name = arena.slice(attribute);
        if let Some(module) = self.module_of_attribute(document, attribute) {
            let is_module = matches!(modules::resolve(&at.path, &join(&module, name)), Found::Inside(_));
            return if is_module { Value::Outside } else { Value::Unknown };
        }
        let class = match self.value_in(&Place { path: Rc::clone(&at.path), node: object }, steps) {
            Value::Instance(class) if name == "__class__" => return Value::Class(class),
            Value::Instance(class) => class,
            _ => return Value::Unknown,
        };
        let ancestors = self.ancestors(&class);
        let mut declaring = ancestors.classes.iter().filter(|class| self.declaration(class, name).is_some());
        let (Some(owner), None, false) = (declaring.next(), declaring.next(), ancestors.has_unknown) else {
            return Value::Unknown;
        };
        if ancestors.classes.iter().any(|class| self.declaration(class, "__getattribute__").is_some()) {
            return Value::Unknown;
        }
        let Some(document) = self.open(&owner.path) else { return Value::Unknown };
        let mut nodes = self.declared_in(&document, owner, name);
        let is_annotated = nodes.iter().any(|node| annotation(document.arena(), *node).is_some());
        nodes.retain(|node| !is_annotated || annotation(document.arena(), *node).is_some());
        let value = same_value(nodes.into_iter().map(|node| self.assigned(&document, &owner.path, node, steps)));
        let attribute = Attribute { user: &at.path, class: &class, owner, name, is_annotated };
        if self.is_set_otherwise(&attribute, &value, steps) { Value::Unknown } else { value }
    }

    /// The nodes that a class declares as its member: names in its statements, and attributes that its methods set.
    fn declared_in(&self, document: &CodeDocument, class: &Place, name: &str) -> Vec<NodeIndex> {
        let (arena, names) = (document.arena(), document.names());
        let scope = names.scopes.iter().position(|scope| scope.node == class.node);
        let declared = scope.map(|scope| bindings(document, name, scope)).unwrap_or_default();
        let is_set = |node: &NodeIndex| {
            let attribute = self_attribute(arena, *node).filter(|_| is_target(document, *node));
            attribute.is_some_and(|(around, attribute)| around == class.node && arena.slice(attribute) == name)
        };
        let set = arena.descendants(class.node).filter(is_set);
        declared.iter().map(|place| place.node).chain(set).collect()
    }
}

/// The annotation of the name or attribute that a statement declares.
fn annotation(arena: &Arena, node: NodeIndex) -> Option<NodeIndex> {
    let parent = arena.node(node).parent;
    let is_declared = has_kind(arena, parent, K::AnnAssign) && has_role(arena, node, F::Target);
    arena.child(parent, F::Annotation.into()).filter(|_| is_declared)
}

/// Types of Python without subclasses in most projects, whose values have no members of classes of the project.
const BUILT_IN_TYPES: [&str; 10] = ["str", "int", "float", "bool", "bytes", "list", "dict", "set", "tuple", "complex"];

/// Expressions whose value is an object of a built-in class.
const LITERALS: [K; 13] = [
    K::String,
    K::FString,
    K::Bytes,
    K::Number,
    K::List,
    K::Tuple,
    K::Dict,
    K::Set,
    K::ListComp,
    K::SetComp,
    K::DictComp,
    K::Generator,
    K::Lambda,
];

/// The value that all of these values have, apart from `None`. `Unknown` if they differ, or for an empty list.
fn same_value(values: impl IntoIterator<Item = Value>) -> Value {
    let mut values = values.into_iter().filter(|value| *value != Value::Nothing);
    let Some(first) = values.next() else { return Value::Unknown };
    if values.all(|value| value == first) { first } else { Value::Unknown }
}
