//! The syntax of classes and their members within one file: base classes, the names that a class declares, and the
//! attributes of `self`.

use marquetry_code::{Arena, Flags, NodeIndex};

use crate::lower::{F, K};

/// Returns whether a node has this kind.
pub(crate) fn has_kind(arena: &Arena, node: NodeIndex, kind: K) -> bool {
    arena.node(node).kind == kind.into()
}

/// Returns whether a node has this role.
pub(crate) fn has_role(arena: &Arena, node: NodeIndex, field: F) -> bool {
    arena.node(node).field == field.into()
}

/// The method whose first parameter a name in a node refers to, and the class of the method. The node may be in functions
/// of the method that have no parameter with this name.
fn method_with_object(arena: &Arena, node: NodeIndex, name: &str) -> Option<(NodeIndex, NodeIndex)> {
    let is_function = |node: NodeIndex| [K::Function, K::Lambda].into_iter().any(|kind| has_kind(arena, node, kind));
    let around = arena.ancestors(node).filter(|above| is_function(*above));
    let function = around.into_iter().find(|function| has_parameter(arena, *function, name))?;
    let first = first_parameter(arena, function)?;
    let class = class_of_method(arena, function).filter(|_| has_kind(arena, function, K::Function))?;
    (arena.slice(first) == name).then_some((function, class))
}

/// Returns whether a function has a parameter with a name.
pub(crate) fn has_parameter(arena: &Arena, function: NodeIndex, name: &str) -> bool {
    let list = arena.child_of_kind(function, K::Parameters.into());
    let parameters = list.into_iter().flat_map(|list| arena.children(list));
    let names = parameters.filter_map(|parameter| {
        let inner = arena.child_of_kind(parameter, K::Parameter.into()).unwrap_or(parameter);
        arena.child(inner, F::Name.into())
    });
    names.into_iter().any(|own| arena.slice(own) == name)
}

/// The class that contains a function directly, also in a conditional block.
pub(crate) fn class_of_method(arena: &Arena, function: NodeIndex) -> Option<NodeIndex> {
    let kinds = [K::Function, K::Class, K::Lambda];
    let around =
        arena.ancestors(function).skip(1).find(|above| kinds.into_iter().any(|kind| has_kind(arena, *above, kind)))?;
    has_kind(arena, around, K::Class).then_some(around)
}

/// The last names of the decorators of a function or class: `setter` for `@size.setter`.
pub(crate) fn decorators(arena: &Arena, node: NodeIndex) -> impl Iterator<Item = &str> {
    let decorators = arena.children(node).filter(|child| has_role(arena, *child, F::Decorator));
    decorators.map(|decorator| {
        let code = arena.slice(decorator).trim_start_matches('@').trim();
        let name = code.split(['(', '[', '#', '\n']).next().unwrap_or(code).trim_end();
        name.rsplit('.').next().unwrap_or(name)
    })
}

/// The first parameter of a function, if it is a positional one.
pub(crate) fn first_parameter(arena: &Arena, function: NodeIndex) -> Option<NodeIndex> {
    let list = arena.child_of_kind(function, K::Parameters.into())?;
    let first = arena.children(list).next().filter(|first| has_kind(arena, *first, K::ParameterDefault))?;
    arena.child(arena.child_of_kind(first, K::Parameter.into())?, F::Name.into())
}

/// The class and the name of an attribute of the object of a method: `size` in `self.size`. `None` for other nodes.
pub(crate) fn self_attribute(arena: &Arena, node: NodeIndex) -> Option<(NodeIndex, NodeIndex)> {
    let value = arena.child(node, F::Value.into()).filter(|_| has_kind(arena, node, K::Attribute))?;
    let is_name = has_kind(arena, value, K::Name);
    let (method, class) = method_with_object(arena, node, arena.slice(value)).filter(|_| is_name)?;
    let is_static = decorators(arena, method).any(|name| name == "staticmethod");
    let attribute = arena.child(node, F::Attribute.into())?;
    (!is_static).then_some((class, attribute))
}

/// The nodes of the names that the statements of a class declare, without those in conditional blocks.
pub(crate) fn declared_names(arena: &Arena, class: NodeIndex) -> impl Iterator<Item = NodeIndex> {
    let body = arena.child_of_kind(class, K::Block.into());
    let statements = body.into_iter().flat_map(|body| arena.children(body));
    statements.flat_map(|statement| {
        let named = [K::Function, K::Class].into_iter().any(|kind| has_kind(arena, statement, kind));
        let name = arena.child(statement, F::Name.into()).filter(|_| named);
        let targets = arena.children(statement).filter(|child| has_role(arena, *child, F::Target));
        let written = targets.filter(|target| arena.node(*target).flags.has(Flags::WRITTEN));
        name.into_iter().chain(written.collect::<Vec<_>>())
    })
}
