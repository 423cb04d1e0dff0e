//! Statements in other places that set an attribute or a variable of a module. The class of the value is not known if one
//! of them sets it to a value of another class.

use std::rc::Rc;

use marquetry_code::{Arena, CodeDocument, NodeIndex};

use super::{
    project::{Place, Project, bindings, is_target},
    values::Value,
};
use crate::{
    classes::has_kind,
    imports::{self, Import},
    lower::{F, K},
    origins::{self, contains_word},
    table::plain_string,
    uses::local_places,
};

/// An attribute of the objects of a class.
pub(super) struct Attribute<'a> {
    /// The file that uses the attribute.
    pub(super) user: &'a Rc<str>,
    /// The class of the object.
    pub(super) class: &'a Place,
    /// The class that declares the attribute.
    pub(super) owner: &'a Place,
    pub(super) name: &'a str,
    pub(super) is_annotated: bool,
}

/// A statement that sets an attribute.
struct Setter {
    object: NodeIndex,
    /// The target of the assignment; `None` for calls.
    target: Option<NodeIndex>,
    /// The value in a call.
    value: Option<NodeIndex>,
}

impl Project<'_> {
    /// Returns whether a subclass or a statement outside of the class sets an attribute to a value of another class.
    pub(super) fn is_set_otherwise(&self, attribute: &Attribute<'_>, value: &Value, steps: usize) -> bool {
        if *value == Value::Unknown {
            return false;
        }
        let key = (Rc::clone(attribute.user), attribute.class.clone(), attribute.name.to_owned(), steps);
        if let Some(known) = self.set_otherwise.borrow().get(&key) {
            return *known;
        }
        let found = self.find_other_setter(attribute, value, steps);
        self.set_otherwise.borrow_mut().insert(key, found);
        found
    }

    fn find_other_setter(&self, attribute: &Attribute<'_>, value: &Value, steps: usize) -> bool {
        let Some(setting) = self.files.setting(attribute.name) else { return !attribute.is_annotated };
        let near = [attribute.user, &attribute.class.path, &attribute.owner.path];
        let others = setting.iter().filter(|path| !near.contains(path));
        near.into_iter().chain(others).any(|path| {
            self.open(path).is_some_and(|document| {
                self.subclass_sets(&document, attribute, value, steps)
                    || self.statement_sets(&document, attribute, (value, near.contains(&path)), steps)
            })
        })
    }

    /// Returns whether the statements of a subclass in a file, or of another base class of it, set the attribute otherwise.
    fn subclass_sets(&self, document: &CodeDocument, set: &Attribute<'_>, value: &Value, steps: usize) -> bool {
        let (arena, path) = (document.arena(), Rc::<str>::from(document.path()));
        let own = self.ancestors(set.class);
        let classes = arena.nodes().map(|(node, _)| node).filter(|node| has_kind(arena, *node, K::Class));
        let subclasses = classes.map(|node| self.ancestors(&Place { path: Rc::clone(&path), node }));
        subclasses.filter(|ancestors| ancestors.classes.contains(set.class)).any(|ancestors| {
            ancestors.classes.iter().filter(|class| !own.classes.contains(class)).any(|class| {
                let Some(document) = self.open(&class.path) else { return true };
                let scope = document.names().scopes.iter().position(|scope| scope.node == class.node);
                let declared = scope.map(|scope| bindings(&document, set.name, scope)).unwrap_or_default();
                let values = declared.iter().map(|place| self.assigned(&document, &class.path, place.node, steps));
                values.into_iter().any(|other| !self.agrees(&other, value, set.is_annotated))
            })
        })
    }

    /// Returns whether an assignment to an attribute in a file, or a call of `setattr`, sets the attribute otherwise.
    fn statement_sets(
        &self,
        document: &CodeDocument,
        set: &Attribute<'_>,
        (value, is_near): (&Value, bool),
        steps: usize,
    ) -> bool {
        let (arena, path) = (document.arena(), Rc::<str>::from(document.path()));
        let names = || [set.class, set.owner].iter().any(|class| contains_word(&arena.text, &self.name(class)));
        let is_near = is_near || names();
        let all = arena.nodes().filter_map(|(node, _)| setter(document, node, set.name));
        all.into_iter().any(|setter| {
            let here = |node: NodeIndex| Place { path: Rc::clone(&path), node };
            if setter.target.is_some_and(|target| self.is_of_module(document, target)) {
                return false;
            }
            let other = self.value_set(document, &path, &setter, steps);
            if self.agrees(&other, value, set.is_annotated) {
                return false;
            }
            let is_possible = is_near || matches!(other, Value::Instance(_) | Value::Class(_));
            match self.value_in(&here(setter.object), steps) {
                Value::Instance(class) | Value::Class(class) | Value::Super(class) => {
                    let ancestors = self.ancestors(&class);
                    ancestors.classes.contains(set.class)
                        || self.ancestors(set.class).classes.contains(&class)
                        || ancestors.has_unknown && is_possible
                }
                Value::Unknown => is_possible,
                Value::Outside | Value::Nothing => false,
            }
        })
    }

    /// Returns whether a file sets a variable of another module to a value of another class: `module.name = …`.
    pub(super) fn is_variable_set_otherwise(
        &self,
        (path, name): (&Rc<str>, &str),
        (value, is_annotated): (&Value, bool),
        steps: usize,
    ) -> bool {
        if *value == Value::Unknown {
            return false;
        }
        let Some(setting) = self.files.setting(name) else { return !is_annotated };
        setting.iter().any(|file| {
            let Some(document) = self.open(file) else { return true };
            let arena = document.arena();
            let all = arena.nodes().filter_map(|(node, _)| setter(&document, node, name));
            all.into_iter().any(|setter| {
                let module = self.module_of_setter(&document, &setter);
                let declared = module.and_then(|module| origins::declaration(file, &module, name));
                declared.is_some_and(|declared| *declared.path == **path)
                    && !self.agrees(&self.value_set(&document, file, &setter, steps), value, is_annotated)
            })
        })
    }

    /// The module of which a statement sets a variable.
    fn module_of_setter(&self, document: &CodeDocument, setter: &Setter) -> Option<String> {
        let arena = document.arena();
        if let Some(attribute) = setter.target.and_then(|target| arena.child(target, F::Attribute.into())) {
            return self.module_of_attribute(document, attribute);
        }
        let span = arena.node(setter.object).span;
        let is_it = |import: &Import| local_places(document, import).any(|place| place.span == span);
        imports::imports(document).into_iter().find(is_it).map(|import| import.bound_module())
    }

    /// The value that a statement gives to an attribute.
    fn value_set(&self, document: &CodeDocument, path: &Rc<str>, setter: &Setter, steps: usize) -> Value {
        match (setter.target, setter.value) {
            (Some(target), _) => self.assigned(document, path, target, steps),
            (None, Some(node)) => self.value_in(&Place { path: Rc::clone(path), node }, steps),
            (None, None) => Value::Unknown,
        }
    }

    fn is_of_module(&self, document: &CodeDocument, target: NodeIndex) -> bool {
        let attribute = document.arena().child(target, F::Attribute.into());
        attribute.is_some_and(|attribute| self.module_of_attribute(document, attribute).is_some())
    }

    /// Returns whether a value has the expected class or inherits from it. An annotation also promises this of values
    /// whose class is not known.
    fn agrees(&self, value: &Value, expected: &Value, is_annotated: bool) -> bool {
        match (value, expected) {
            (Value::Nothing, _) => true,
            (Value::Unknown, _) => is_annotated,
            (Value::Instance(class), Value::Instance(base)) | (Value::Class(class), Value::Class(base)) => {
                self.ancestors(class).classes.contains(base)
            }
            _ => value == expected,
        }
    }
}

/// The code at a node that sets an attribute with a name: a target, or an entry of the dictionary of an object or class.
fn setter(document: &CodeDocument, node: NodeIndex, name: &str) -> Option<Setter> {
    let arena = document.arena();
    match () {
        () if has_kind(arena, node, K::Attribute) => {
            arena.child(node, F::Attribute.into()).filter(|attribute| arena.slice(*attribute) == name)?;
            let is_changed = has_kind(arena, arena.node(node).parent, K::AugAssign)
                && arena.children(arena.node(node).parent).next() == Some(node);
            let object = arena.child(node, F::Value.into()).filter(|_| is_changed || is_target(document, node))?;
            Some(Setter { object, target: Some(node), value: None })
        }
        () if has_kind(arena, node, K::Subscript) => {
            let (mapping, key) = (arena.children(node).next()?, arena.children(node).nth(1)?);
            let is_it = plain_string(arena, key) == Some(name) && is_target(document, node);
            let object = object_of_dictionary(arena, mapping).filter(|_| is_it)?;
            Some(Setter { object, target: Some(node), value: None })
        }
        () if has_kind(arena, node, K::Call) => setter_of_call(arena, node, name),
        () if has_kind(arena, node, K::Keyword) => {
            arena.child_of_kind(node, K::Identifier.into()).filter(|own| arena.slice(*own) == name)?;
            let call = arena.node(arena.node(node).parent).parent;
            let called = arena.child(call, F::Function.into())?;
            let mapping = arena.child(called, F::Value.into()).filter(|_| arena.slice(called).ends_with(".update"))?;
            Some(Setter {
                object: object_of_dictionary(arena, mapping)?,
                target: None,
                value: arena.children(node).nth(1),
            })
        }
        () if has_kind(arena, node, K::Pair) => {
            let mut parts = arena.children(node);
            parts.next().filter(|key| plain_string(arena, *key) == Some(name))?;
            let object = base_of_created_class(arena, arena.node(node).parent)?;
            Some(Setter { object, target: None, value: parts.next() })
        }
        () => None,
    }
}

/// The object whose attributes an expression shows as a dictionary: `x.__dict__`, `vars(x)`.
fn object_of_dictionary(arena: &Arena, node: NodeIndex) -> Option<NodeIndex> {
    if has_kind(arena, node, K::Attribute) {
        return arena.child(node, F::Value.into()).filter(|_| arena.slice(node).ends_with(".__dict__"));
    }
    let called = arena.child(node, F::Function.into()).filter(|_| has_kind(arena, node, K::Call))?;
    let list = arena.child_of_kind(node, K::Arguments.into()).filter(|_| arena.slice(called) == "vars")?;
    arena.children(list).next()
}

/// The base class of the class that a call with a dictionary of members makes: `type("Name", (Base,), {…})`. With several
/// base classes, the call.
fn base_of_created_class(arena: &Arena, dictionary: NodeIndex) -> Option<NodeIndex> {
    let list = arena.node(dictionary).parent;
    let call = arena.node(list).parent;
    let called = arena.child(call, F::Function.into()).filter(|_| has_kind(arena, list, K::Arguments))?;
    let bases = arena.children(list).nth(1).filter(|_| arena.slice(called) == "type")?;
    let mut all = arena.children(bases);
    match (all.next(), all.next()) {
        (Some(only), None) if has_kind(arena, bases, K::Tuple) => Some(only),
        _ => Some(call),
    }
}

/// The object and the attribute that a call of `setattr` sets.
fn setter_of_call(arena: &Arena, call: NodeIndex, name: &str) -> Option<Setter> {
    let called = arena.child(call, F::Function.into())?;
    let code = arena.slice(called);
    let list = arena.child_of_kind(call, K::Arguments.into())?;
    let is_setting = code.ends_with("setattr") || code.ends_with("__setattr__");
    let mut arguments = arena.children(list).filter(|_| is_setting);
    let first = arguments.next()?;
    if plain_string(arena, first) == Some(name) {
        // The call of a method: `x.__setattr__("name", …)`.
        let object = arena.child(called, F::Value.into())?;
        return Some(Setter { object, target: None, value: arguments.next() });
    }
    let is_named = plain_string(arena, arguments.next()?) == Some(name);
    is_named.then(|| Setter { object: first, target: None, value: arguments.next() })
}
