//! The uses of a member in strings.

use marquetry_code::NodeIndex;
use marquetry_sdk::{Span, Usage};

use super::{
    project::{Place, Referent, bindings},
    uses::{Relation, Uses},
    values::Value,
};
use crate::{
    classes::{has_kind, has_role},
    lower::{F, K},
    modules::{self, Found},
    origins::contains_word,
    table::{check_name, plain_string},
};

/// Functions that take the name of a member as a string.
const BY_NAME: [&str; 11] = [
    "getattr",
    "hasattr",
    "setattr",
    "delattr",
    "attrgetter",
    "methodcaller",
    "object",
    "__getattribute__",
    "__getattr__",
    "__setattr__",
    "__delattr__",
];
/// Functions that take the names of a module, a class and a member as a string, with dots between them.
const BY_PATH: [&str; 4] = ["attrgetter", "patch", "setattr", "delattr"];
/// Functions and methods that give the attributes of an object as a dictionary.
const DICTIONARY_FUNCTIONS: [&str; 6] = ["vars", "asdict", "_asdict", "model_dump", "get_type_hints", "fields_dict"];
/// Attributes with a dictionary of the attributes of an object or class.
const DICTIONARY_ATTRIBUTES: [&str; 3] = ["__dict__", "__annotations__", "__dataclass_fields__"];
/// Methods of dictionaries whose first argument is a key.
const KEY_METHODS: [&str; 4] = ["get", "pop", "setdefault", "__getitem__"];
/// Classes whose objects are values of an enum.
const ENUMS: [&str; 5] = ["Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"];
/// Variables of a class with the names of its members.
const NAME_LISTS: [&str; 2] = ["__slots__", "__match_args__"];

impl Uses<'_> {
    /// Adds a string with the name in `__slots__` of a class. Lists a string in a call such as `getattr(x, "name")`, or
    /// in brackets after a class.
    pub(super) fn add_string(&mut self, node: NodeIndex) {
        let arena = self.project.document.arena();
        self.add_replaced(node);
        let Some(text) = plain_string(arena, node) else { return };
        let own = arena.node(node).span;
        let span = Span { start: own.start + 1, end: own.end - 1 };
        if let Some(class) = self.class_with_list(node) {
            return match self.relation(&self.project.place(class)) {
                relation if text == self.name => self.add(relation, span, Usage::InString),
                // A string with several names: `__slots__ = "name mail".split()`.
                Relation::Own | Relation::Unknown if contains_word(text, self.name) => self.unresolved.push(span),
                _ => {}
            };
        }
        if text != self.name {
            return self.add_dotted(node, text);
        }
        let is_by_name = self.called_with(node).is_some_and(|called| BY_NAME.contains(&called));
        let is_of_class = self.indexed_with(node).is_some_and(|indexed| {
            let class = self.enum_of_keys(indexed);
            class.is_some_and(|class| self.relation(&class) == Relation::Own)
        });
        if is_by_name || is_of_class || self.is_key(node) {
            self.unresolved.push(span);
        }
    }

    /// Lists the key of an enum that code computes: `Color[name]`.
    pub(super) fn add_computed_key(&mut self, node: NodeIndex) {
        let arena = self.project.document.arena();
        let mut parts = arena.children(node).filter(|child| !has_kind(arena, *child, K::Part));
        let Some((indexed, key)) = parts.next().zip(parts.next()) else { return };
        let is_plain = plain_string(arena, key).is_some();
        let Some(class) = self.enum_of_keys(indexed).filter(|_| !is_plain) else { return };
        // The method of a base class also gets the classes that inherit from it as `cls`.
        let is_base = self.roots.iter().any(|root| self.project.ancestors(root).classes.contains(&class));
        if is_base && self.is_enum_member() {
            self.unresolved.push(arena.node(key).span);
        }
    }

    /// The expression of which one of these methods is called with an argument.
    fn object_of_call(&self, argument: NodeIndex, methods: &[&str]) -> Option<NodeIndex> {
        let arena = self.project.document.arena();
        let list = arena.node(argument).parent;
        let function = arena.child(arena.node(list).parent, F::Function.into());
        let function = function.filter(|_| has_kind(arena, list, K::Arguments))?;
        let name = arena.child(function, F::Attribute.into())?;
        arena.child(function, F::Value.into()).filter(|_| methods.contains(&arena.slice(name)))
    }

    /// The class of which an expression in front of brackets gives the members: `Color`, `cls`, `Color.__members__`.
    fn enum_of_keys(&self, indexed: NodeIndex) -> Option<Place> {
        let arena = self.project.document.arena();
        let object = arena.child(indexed, F::Value.into());
        let object = object.filter(|_| arena.slice(indexed).ends_with(".__members__")).unwrap_or(indexed);
        match self.project.value(&self.project.place(object)) {
            Value::Class(class) => Some(class),
            _ => None,
        }
    }

    /// Returns whether the member is a value of an enum.
    fn is_enum_member(&self) -> bool {
        self.roots.iter().any(|root| {
            let is_enum = self.project.ancestors(root).outside.iter().any(|name| ENUMS.contains(&name.as_str()));
            let Some(document) = self.project.open(&root.path).filter(|_| is_enum) else { return false };
            let scope = document.names().scopes.iter().position(|scope| scope.node == root.node);
            let is_value = |node: NodeIndex| has_role(document.arena(), node, F::Target);
            scope.is_some_and(|scope| bindings(&document, self.name, scope).iter().any(|place| is_value(place.node)))
        })
    }

    /// The expression before the brackets that contain a node.
    fn indexed_with(&self, node: NodeIndex) -> Option<NodeIndex> {
        let arena = self.project.document.arena();
        let parent = arena.node(node).parent;
        let indexed = arena.children(parent).next().filter(|_| has_kind(arena, parent, K::Subscript));
        indexed.filter(|indexed| *indexed != node)
    }

    /// Returns whether a string is a key of a dictionary that contains the attributes of an object of the class, or of
    /// an object whose class is not known: `vars(x)["name"]`.
    fn is_key(&self, node: NodeIndex) -> bool {
        let arena = self.project.document.arena();
        let parent = arena.node(node).parent;
        let compared = || {
            let last = arena.children(parent).last().filter(|_| has_kind(arena, parent, K::Compare));
            last.filter(|last| *last != node)
        };
        let called = || self.object_of_call(node, &KEY_METHODS);
        let updated = || {
            let is_key = has_kind(arena, parent, K::Pair) && arena.children(parent).next() == Some(node);
            self.object_of_call(arena.node(parent).parent, &["update"]).filter(|_| is_key)
        };
        let mapping = self.indexed_with(node).or_else(called).or_else(updated).or_else(compared);
        mapping.is_some_and(|mapping| self.is_dictionary(mapping) || self.is_variable_with_dictionary(mapping))
    }

    /// Returns whether an expression is a dictionary with the attributes of such an object.
    fn is_dictionary(&self, mapping: NodeIndex) -> bool {
        let arena = self.project.document.arena();
        let object = if has_kind(arena, mapping, K::Call) {
            let Some(function) = arena.child(mapping, F::Function.into()) else { return false };
            let code = arena.slice(function);
            if !DICTIONARY_FUNCTIONS.contains(&code.rsplit('.').next().unwrap_or(code)) {
                return false;
            }
            let list = arena.child_of_kind(mapping, K::Arguments.into());
            let argument = list.and_then(|list| arena.children(list).next());
            argument.or_else(|| arena.child(function, F::Value.into()))
        } else {
            let name = arena.child(mapping, F::Attribute.into()).map(|name| arena.slice(name));
            if !name.is_some_and(|name| DICTIONARY_ATTRIBUTES.contains(&name)) {
                return false;
            }
            arena.child(mapping, F::Value.into())
        };
        object.is_none_or(|object| match self.project.value(&self.project.place(object)) {
            Value::Instance(class) | Value::Class(class) => self.relation(&class) != Relation::Other,
            _ => true,
        })
    }

    /// Returns whether a name is that of a variable that a statement sets to such a dictionary.
    fn is_variable_with_dictionary(&self, mapping: NodeIndex) -> bool {
        let document = self.project.document;
        let (arena, names) = (document.arena(), document.names());
        let place = names.at(arena.node(mapping).span.start).filter(|_| has_kind(arena, mapping, K::Name));
        let Some((place, owner)) = place.and_then(|place| Some((place, names.owner_of(place)?))) else { return false };
        bindings(document, &place.name, owner).iter().any(|set| {
            let value = arena.child(arena.node(set.node).parent, F::Value.into());
            value.is_some_and(|value| self.is_dictionary(value))
        })
    }

    /// The class whose statement lists the names of members with a string.
    fn class_with_list(&self, node: NodeIndex) -> Option<NodeIndex> {
        let arena = self.project.document.arena();
        let has_any = |node: NodeIndex, kinds: &[K]| kinds.iter().any(|kind| has_kind(arena, node, *kind));
        let mut around = arena.ancestors(node).skip(1);
        let statement = around.find(|above| has_any(*above, &[K::Assign, K::AnnAssign, K::AugAssign]))?;
        let target = arena.children(statement).next()?;
        let mut around = around.filter(|above| has_any(*above, &[K::Class, K::Function]));
        let class = around.next().filter(|class| has_kind(arena, *class, K::Class))?;
        NAME_LISTS.contains(&arena.slice(target)).then_some(class)
    }

    /// Lists the name in a field of a format string: `"{user.name}".format(user=x)`.
    fn add_replaced(&mut self, node: NodeIndex) {
        let arena = self.project.document.arena();
        let (code, start) = (arena.slice(node), arena.node(node).span.range().start);
        let is_code = arena.children(node).any(|child| !has_kind(arena, child, K::Part));
        let in_field = |at: &usize| {
            let (before, after) = (&code[..*at], &code[at + self.name.len()..]);
            let field = before.rsplit('{').next().filter(|field| field.len() < before.len());
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']');
            field.is_some_and(|field| field.ends_with('.') && field.chars().all(is_part))
                && after.starts_with(['.', '[', '!', ':', '}'])
        };
        let found = code.match_indices(self.name).map(|(at, _)| at).filter(in_field).filter(|_| !is_code);
        self.unresolved.extend(found.map(|at| Span::new(start + at, start + at + self.name.len())));
    }

    /// The last name of the function that a call with this argument calls.
    fn called_with(&self, argument: NodeIndex) -> Option<&str> {
        let arena = self.project.document.arena();
        let list = arena.node(argument).parent;
        let call = has_kind(arena, list, K::Arguments).then_some(arena.node(list).parent)?;
        let code = arena.slice(arena.child(call, F::Function.into())?);
        Some(code.rsplit('.').next().unwrap_or(code))
    }

    /// Lists the name in a string of names with dots such as `"shop.models.User.mail"`.
    fn add_dotted(&mut self, node: NodeIndex, text: &str) {
        let arena = self.project.document.arena();
        let is_code = arena.children(node).any(|child| !has_kind(arena, child, K::Part));
        let parts: Vec<&str> = text.split(['.', ':']).collect();
        if is_code || parts.len() < 2 || !parts.iter().all(|part| check_name(part).is_ok()) {
            return;
        }
        let called = self.called_with(node);
        let is_path = called.is_some_and(|called| BY_PATH.contains(&called));
        let is_of_object = called == Some("attrgetter");
        let mut start = arena.node(node).span.start + 1;
        for (index, part) in parts.iter().enumerate() {
            let is_it = *part == self.name && self.may_be_member(&parts[..index], is_path, is_of_object);
            if is_it {
                self.unresolved.push(Span { start, end: start + part.len() as u32 });
            }
            start += part.len() as u32 + 1;
        }
    }

    /// Returns whether a name after these names may be the member.
    fn may_be_member(&self, before: &[&str], is_path: bool, is_of_object: bool) -> bool {
        let Some((class, module)) = before.split_last() else { return is_of_object };
        if self.is_class_name(class) || is_of_object {
            return true;
        }
        let path = &self.project.path;
        let is_module = || matches!(modules::resolve(path, &before.join(".")), Found::Inside(_));
        if module.is_empty() || is_module() {
            return false;
        }
        match self.project.imported(path, &module.join("."), class) {
            Referent::Class(class) => match self.relation(&class) {
                Relation::Own => true,
                Relation::Other => false,
                Relation::Unknown => is_path,
            },
            Referent::Function(_) | Referent::Outside => false,
            _ => is_path,
        }
    }
}
