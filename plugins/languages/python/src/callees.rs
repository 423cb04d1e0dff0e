//! The calls in a file that call a function, or may call it.

use std::collections::BTreeSet;

use marquetry_code::{BindingKind, CodeDocument, NodeIndex, scopes::FILE_SCOPE};
use marquetry_sdk::Span;

use crate::{
    classes::{has_kind, has_role},
    keywords::FunctionKind,
    lower::{F, K},
};

/// Functions that only test the class that they receive.
const TESTS: [&str; 4] = ["isinstance", "issubclass", "hasattr", "super"];

/// The nodes of a file that refer to a function or class.
pub(crate) struct Callees<'d> {
    document: &'d CodeDocument,
    function: &'d FunctionKind,
    /// The name of the function or class in the file that declares it.
    owner: &'d str,
    uses: BTreeSet<NodeIndex>,
    /// Classes in the scope of the file that inherit the constructor of the class.
    pub(crate) subclasses: Vec<String>,
    /// The places that pass the function on as a value, and the base classes of a class that may inherit the constructor
    /// from another base class.
    pub(crate) passed: Vec<Span>,
}

impl<'d> Callees<'d> {
    /// Finds the subclasses that inherit a constructor, and the places that pass the function on.
    pub(crate) fn new(
        document: &'d CodeDocument,
        (function, owner): (&'d FunctionKind, &'d str),
        uses: Vec<NodeIndex>,
    ) -> Callees<'d> {
        let uses = uses.into_iter().collect();
        let mut callees = Callees { document, function, owner, uses, subclasses: Vec::new(), passed: Vec::new() };
        callees.add_subclasses();
        if let FunctionKind::Method(name) = function {
            let arena = document.arena();
            let is_it = |node: &NodeIndex| callees.last_name(*node) == Some(name.as_str());
            callees.uses = arena.nodes().map(|(index, _)| index).filter(is_it).collect();
        }
        let passed = callees.uses.iter().filter(|node| callees.is_value(**node));
        callees.passed.extend(passed.map(|node| document.arena().node(*node).span).collect::<Vec<_>>());
        callees
    }

    fn has_kind(&self, node: NodeIndex, kind: K) -> bool {
        has_kind(self.document.arena(), node, kind)
    }

    fn has_role(&self, node: NodeIndex, field: F) -> bool {
        has_role(self.document.arena(), node, field)
    }

    /// The last name of an attribute: `c` of `a.b.c`.
    fn last_name(&self, node: NodeIndex) -> Option<&str> {
        let arena = self.document.arena();
        let attribute = arena.child(node, F::Attribute.into()).filter(|_| self.has_kind(node, K::Attribute))?;
        Some(arena.slice(attribute))
    }

    /// Adds the uses of classes that inherit the constructor, also indirectly.
    fn add_subclasses(&mut self) {
        let (arena, names) = (self.document.arena(), self.document.names());
        let classes: Vec<NodeIndex> =
            arena.nodes().map(|(index, _)| index).filter(|node| self.has_kind(*node, K::Class)).collect();
        let mut known = BTreeSet::new();
        while let Some(class) = classes.iter().find(|class| !known.contains(*class) && self.inherits(**class)) {
            known.insert(*class);
            let bases = self.bases(*class);
            if bases.len() > 1 {
                let own = bases.iter().filter(|base| self.uses.contains(*base));
                self.passed.extend(own.map(|base| arena.node(*base).span).collect::<Vec<_>>());
                continue;
            }
            let Some(name) = name_of(self.document, *class) else { continue };
            let place = names.places.iter().find(|place| place.span == arena.node(name).span);
            let Some(scope) = place.and_then(|place| names.owner_of(place)) else { continue };
            let name = arena.slice(name);
            let places = names.references(name, scope).filter(|place| place.binding.is_none());
            self.uses.extend(places.map(|place| place.node));
            if scope == FILE_SCOPE {
                self.subclasses.push(name.to_owned());
            }
        }
    }

    /// The base classes of a class.
    fn bases(&self, class: NodeIndex) -> Vec<NodeIndex> {
        let arena = self.document.arena();
        let list = arena.child_of_kind(class, K::Arguments.into());
        let inside = list.into_iter().flat_map(|list| arena.children(list));
        inside.filter(|node| !self.has_kind(*node, K::Keyword)).collect()
    }

    /// Returns whether a class has the class as a base, but does not declare a constructor.
    fn inherits(&self, class: NodeIndex) -> bool {
        let arena = self.document.arena();
        let body = arena.child_of_kind(class, K::Block.into());
        let mut members = body.into_iter().flat_map(|body| arena.children(body));
        let is_constructor = |node: NodeIndex| {
            let name = name_of(self.document, node).filter(|_| self.has_kind(node, K::Function));
            name.is_some_and(|name| ["__init__", "__new__"].contains(&arena.slice(name)))
        };
        self.bases(class).iter().any(|base| self.uses.contains(base)) && !members.any(is_constructor)
    }

    /// Returns whether a use passes the function on as a value, instead of calling it, or naming it as a type.
    fn is_value(&self, node: NodeIndex) -> bool {
        let arena = self.document.arena();
        let parent = arena.node(node).parent;
        let is_type = || {
            arena.ancestors(node).any(|above| {
                self.has_role(above, F::Annotation)
                    || self.has_role(above, F::Returns)
                    || self.has_kind(above, K::String)
            })
        };
        let is_tested = || {
            let calls = arena.ancestors(node).filter(|above| self.has_kind(*above, K::Call));
            let mut called = calls.filter_map(|call| arena.child(call, F::Function.into()));
            called.any(|function| TESTS.contains(&arena.slice(function)))
        };
        let is_base = || self.has_kind(parent, K::Arguments) && self.has_kind(arena.node(parent).parent, K::Class);
        let is_plain =
            [K::Attribute, K::Decorator, K::ExprStatement, K::Delete, K::Compare, K::Handler, K::Subscript, K::Raise]
                .into_iter()
                .any(|kind| self.has_kind(parent, kind));
        !(self.has_role(node, F::Function)
            || self.has_role(node, F::Decorator)
            || self.has_role(node, F::Target)
            || is_plain
            || is_base()
            || is_type()
            || is_tested())
    }

    /// Returns whether a call certainly calls the function.
    pub(crate) fn calls(&self, call: NodeIndex) -> bool {
        let called = self.document.arena().child(call, F::Function.into());
        *self.function == FunctionKind::Named && called.is_some_and(|called| self.uses.contains(&called))
    }

    /// Returns whether a call has the name of the function, or of a constructor.
    pub(crate) fn names_function(&self, call: NodeIndex) -> bool {
        let Some(called) = self.document.arena().child(call, F::Function.into()) else { return false };
        let Some(last) = self.last_name(called) else { return false };
        match self.function {
            FunctionKind::Method(name) => last == name,
            FunctionKind::Named => last == self.owner || ["__init__", "__new__"].contains(&last),
        }
    }

    /// Returns whether a call may call the function although it does not name it: through a variable, an object or a
    /// result, or because it receives the function, as in `partial(send, text="")`.
    pub(crate) fn may_call(&self, call: NodeIndex) -> bool {
        let arena = self.document.arena();
        let Some(called) = arena.child(call, F::Function.into()) else { return false };
        let (whole, own) = (arena.node(call).span, arena.node(called).span);
        if self.passed.iter().any(|span| whole.contains(*span) && !own.contains(*span)) {
            return true;
        }
        // Without a use as a value, only the class of an object may be another name of the function.
        let is_passed_on = !self.passed.is_empty();
        let text = arena.slice(called);
        let is_class = text == "cls" || text.ends_with("__class__") || text.starts_with("type(");
        is_passed_on && !self.is_declared(called) || *self.function == FunctionKind::Named && is_class
    }

    /// Returns whether an expression names a function, class or import of this file, a built-in function, or an attribute
    /// of an imported module.
    fn is_declared(&self, node: NodeIndex) -> bool {
        let (arena, names) = (self.document.arena(), self.document.names());
        let mut first = node;
        while self.has_kind(first, K::Attribute) {
            let Some(value) = arena.child(first, F::Value.into()) else { return false };
            first = value;
        }
        let Some(place) = names.places.iter().find(|place| place.node == first) else { return false };
        let Some(owner) = names.owner_of(place) else { return true };
        let mut bindings = names.references(&place.name, owner).filter_map(|place| place.binding);
        let is_import = |binding: BindingKind| binding == BindingKind::Import;
        match first == node {
            true => bindings.all(|binding| !matches!(binding, BindingKind::Variable | BindingKind::Parameter)),
            false => bindings.all(is_import),
        }
    }
}

/// The node of the name of a function or class. A lambda has the name of the variable that it is assigned to.
pub(crate) fn name_of(document: &CodeDocument, node: NodeIndex) -> Option<NodeIndex> {
    let arena = document.arena();
    if arena.node(node).kind != K::Lambda.into() {
        return arena.child(node, F::Name.into());
    }
    let statement = arena.node(node).parent;
    let is_assigned = arena.node(node).field == F::Value.into();
    let target = arena.child(statement, F::Target.into()).filter(|_| is_assigned)?;
    Some(target).filter(|target| arena.node(*target).kind == K::Name.into())
}
