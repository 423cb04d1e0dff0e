//! Members that assignments create: `this.x = …`, `F.x = …`, `F.prototype.x = …`, `exports.x = …`.

use std::collections::HashMap;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::{GetSpan, Span};

use crate::program::common_exports::{is_exports_parameter, is_module_this};
use crate::program::defined_exports::defined_exports;
use crate::program::ids::{OPEN_DOCUMENT, Owner};
use crate::program::source_file::SourceFile;
use crate::program::whole_export;

/// Side of an owner: the owner itself or its instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Side {
    Static,
    Instance,
}

/// A member created by an assignment.
#[derive(Clone, Copy)]
pub(crate) struct Expando<'w> {
    pub(crate) name: &'w str,
    /// Offset of the name.
    pub(crate) offset: u32,
    pub(crate) value: Option<&'w Expression<'w>>,
}

/// Members that assignments create in a module. Owners use the module number of the open document.
#[derive(Default)]
pub(crate) struct Expandos<'w> {
    members: HashMap<(Owner, Side), Vec<Expando<'w>>>,
    exported: Vec<Expando<'w>>,
    /// The values of all assignments `module.exports = …`, also of those in functions and conditions.
    whole: Vec<&'w Expression<'w>>,
    /// The values whose members `Object.assign(exports, …)` exports.
    assigned: Vec<&'w Expression<'w>>,
    /// The keys of `exports[key] = …` and the values of `Object.assign(exports, …)` that are known only when the module
    /// is loaded.
    computed: Vec<Span>,
}

impl<'w> Expandos<'w> {
    /// Returns the first assignment to the member.
    pub(crate) fn first_assignment(&self, owner: Owner, side: Side, name: &str) -> Option<Expando<'w>> {
        let owner = match owner {
            Owner::Symbol(_, symbol) => Owner::Symbol(OPEN_DOCUMENT, symbol),
            Owner::Node(_, node) => Owner::Node(OPEN_DOCUMENT, node),
        };
        self.members.get(&(owner, side))?.iter().find(|member| member.name == name).copied()
    }

    /// Returns the first assignment to each static member of an owner: `owner.x = …`.
    pub(crate) fn assigned_to(&self, owner: Owner) -> Vec<Expando<'w>> {
        let mut found: Vec<Expando<'w>> = Vec::new();
        for member in self.members.get(&(owner, Side::Static)).into_iter().flatten() {
            if found.iter().all(|known| known.name != member.name) {
                found.push(*member);
            }
        }
        found
    }

    /// Returns the values of all assignments `module.exports = …`.
    pub(crate) fn whole_exports(&self) -> &[&'w Expression<'w>] {
        &self.whole
    }

    /// Returns the values whose members `Object.assign(exports, …)` exports.
    pub(crate) fn assigned_exports(&self) -> &[&'w Expression<'w>] {
        &self.assigned
    }

    /// Returns the keys of exports whose names are computed: `exports[key] = …`, `Object.assign(exports, unknown)`.
    pub(crate) fn computed_exports(&self) -> &[Span] {
        &self.computed
    }

    /// Returns the values of all assignments of an export.
    pub(crate) fn exported_values(&self, name: &str) -> impl Iterator<Item = &'w Expression<'w>> {
        self.exported.iter().filter(move |member| member.name == name).filter_map(|member| member.value)
    }

    /// Returns the assignments `exports.x = …`, and the exports that calls define, as name, offset and value.
    pub(crate) fn exported(&self) -> impl Iterator<Item = (&'w str, u32, Option<&'w Expression<'w>>)> {
        let mut seen = Vec::new();
        let first = |member: &&Expando<'w>| {
            let new = !seen.contains(&member.name);
            seen.push(member.name);
            new
        };
        self.exported
            .iter()
            .filter(first)
            .map(|member| (member.name, member.offset, member.value))
            .collect::<Vec<_>>()
            .into_iter()
    }
}

/// Returns the values whose members `Object.assign(module.exports, …)` exports.
fn assigned_exports<'w>(
    file: &SourceFile<'w>,
    call: &'w CallExpression<'w>,
) -> impl Iterator<Item = &'w Expression<'w>> {
    let arguments = || {
        let Expression::StaticMemberExpression(callee) = &call.callee else { return None };
        let is_assign = callee.property.name == "assign" && is_global(file, &callee.object, "Object");
        let (target, given) = call.arguments.split_first().filter(|_| is_assign)?;
        target.as_expression().is_some_and(|target| is_exports(file, target)).then_some(given)
    };
    arguments().unwrap_or_default().iter().filter_map(|given| match given {
        Argument::SpreadElement(spread) => Some(&spread.argument),
        given => given.as_expression(),
    })
}

/// Collects all members that assignments create in the file.
pub(crate) fn collect<'w>(file: &SourceFile<'w>) -> Expandos<'w> {
    let mut found = Expandos::default();
    for node in file.semantic().nodes().iter() {
        if let AstKind::CallExpression(call) = node.kind() {
            let defined = defined_exports(file, call);
            found.exported.extend(defined.members);
            found.computed.extend(defined.computed);
            for given in assigned_exports(file, call) {
                found.assigned.push(given);
                found.computed.extend(whole_export::computed_names(file, given));
            }
        }
        let AstKind::AssignmentExpression(assignment) = node.kind() else { continue };
        let value = Some(assigned_value(&assignment.right));
        let (object, name, at) = match &assignment.left {
            AssignmentTarget::StaticMemberExpression(target) => {
                (&target.object, target.property.name.as_str(), target.property.span.start)
            }
            AssignmentTarget::ComputedMemberExpression(target) => match &target.expression {
                Expression::StringLiteral(text) => match text.value.as_str() {
                    Some(name) => (&target.object, name, text.span.start),
                    None => continue,
                },
                key => {
                    found.computed.extend(is_exports(file, &target.object).then(|| key.span()));
                    continue;
                }
            },
            _ => continue,
        };
        let member = Expando { name, offset: at, value };
        if name == "exports" && is_global(file, object, "module") {
            found.whole.extend(value);
            found.computed.extend(value.into_iter().flat_map(|value| whole_export::computed_keys(file, value)));
        } else if is_exports(file, object) {
            found.exported.push(member);
        } else if let Some(owner) = owner_of(file, node.id(), object) {
            found.members.entry(owner).or_default().push(member);
        }
    }
    for members in found.members.values_mut() {
        members.sort_by_key(|member| member.offset);
    }
    found
}

/// Returns whether an expression is `exports`, `module.exports`, a constant or parameter with that value, or `this`
/// outside of all functions.
pub(crate) fn is_exports(file: &SourceFile<'_>, object: &Expression<'_>) -> bool {
    let direct = |object: &Expression<'_>| match object {
        Expression::StaticMemberExpression(member) => {
            member.property.name == "exports" && is_global(file, &member.object, "module")
        }
        Expression::ThisExpression(this) => is_module_this(file, this.node_id.get()),
        Expression::Identifier(name) => match file.symbol_of(name) {
            Some(symbol) => is_exports_parameter(file, symbol),
            None => name.name == "exports",
        },
        _ => false,
    };
    let constant = |name: &IdentifierReference<'_>| {
        let symbol = file.symbol_of(name).filter(|symbol| !file.scoping().symbol_is_mutated(*symbol))?;
        match file.kind(file.scoping().symbol_declaration(symbol)) {
            AstKind::VariableDeclarator(variable) if variable.id.is_binding_identifier() => variable.init.as_ref(),
            _ => None,
        }
    };
    direct(object) || matches!(object, Expression::Identifier(name) if constant(name).is_some_and(direct))
}

/// Returns whether an expression is a global with this name.
pub(crate) fn is_global(file: &SourceFile<'_>, object: &Expression<'_>, global: &str) -> bool {
    matches!(object, Expression::Identifier(name) if name.name == global && file.symbol_of(name).is_none())
}

/// Returns the owner of a member that is assigned to a property of this object.
fn owner_of<'w>(file: &SourceFile<'w>, node: NodeId, object: &'w Expression<'w>) -> Option<(Owner, Side)> {
    match object {
        Expression::ThisExpression(_) => this_owner(file, node),
        Expression::Identifier(name) => Some((named_owner(file, name)?, Side::Static)),
        Expression::StaticMemberExpression(member) if member.property.name == "prototype" => match &member.object {
            Expression::Identifier(name) => Some((named_owner(file, name)?, Side::Instance)),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the function, class or object that a name refers to.
fn named_owner(file: &SourceFile<'_>, name: &IdentifierReference<'_>) -> Option<Owner> {
    let symbol = file.symbol_of(name)?;
    file.declarations(symbol).into_iter().find_map(|declaration| match file.kind(declaration) {
        AstKind::Function(_) | AstKind::Class(_) => Some(Owner::Symbol(OPEN_DOCUMENT, symbol)),
        AstKind::VariableDeclarator(variable) => match assigned_value(variable.init.as_ref()?) {
            Expression::FunctionExpression(function) => Some(function_value_owner(OPEN_DOCUMENT, function)),
            Expression::ArrowFunctionExpression(arrow) => Some(Owner::Node(OPEN_DOCUMENT, arrow.node_id.get())),
            Expression::ClassExpression(class) => Some(class_owner(OPEN_DOCUMENT, class)),
            Expression::ObjectExpression(object) => Some(Owner::Node(OPEN_DOCUMENT, object.node_id.get())),
            _ => None,
        },
        _ => None,
    })
}

/// Returns the value of `a = b = value`.
fn assigned_value<'w>(mut value: &'w Expression<'w>) -> &'w Expression<'w> {
    while let Expression::AssignmentExpression(set) = value {
        value = &set.right;
    }
    value
}

/// Returns the owner of the member `x` in `this.x` at a node.
pub(crate) fn this_owner(file: &SourceFile<'_>, node: NodeId) -> Option<(Owner, Side)> {
    let mut inside = node;
    for around in file.self_and_ancestors(node).skip(1) {
        match file.kind(around) {
            AstKind::MethodDefinition(method) => {
                return Some((class_around(file, around)?, member_side(method.r#static)));
            }
            AstKind::PropertyDefinition(property) => {
                let in_value = property.value.as_ref().is_some_and(|value| value.span() == file.kind(inside).span());
                return in_value.then_some((class_around(file, around)?, member_side(property.r#static)));
            }
            AstKind::StaticBlock(_) => return Some((class_around(file, around)?, Side::Static)),
            AstKind::Function(function) if !is_method_value(file, around) => {
                return function_owner(file, around, function);
            }
            _ => {}
        }
        inside = around;
    }
    None
}

fn member_side(is_static: bool) -> Side {
    if is_static { Side::Static } else { Side::Instance }
}

fn is_method_value(file: &SourceFile<'_>, function: NodeId) -> bool {
    matches!(file.parent_kind(function), AstKind::MethodDefinition(_))
}

/// Returns the owner of members assigned to `this` in a plain function: the objects it creates with `new`, or the
/// prototype it is assigned to.
fn function_owner<'w>(file: &SourceFile<'w>, node: NodeId, function: &Function<'w>) -> Option<(Owner, Side)> {
    match file.parent_kind(node) {
        // `F.prototype.m = function () { this.x }`
        AstKind::AssignmentExpression(assignment) => match &assignment.left {
            AssignmentTarget::StaticMemberExpression(target) => match &target.object {
                Expression::StaticMemberExpression(member) if member.property.name == "prototype" => {
                    let Expression::Identifier(name) = &member.object else { return None };
                    Some((named_owner(file, name)?, Side::Instance))
                }
                _ => None,
            },
            _ => None,
        },
        AstKind::ObjectProperty(_) => None,
        _ => Some((function_value_owner(OPEN_DOCUMENT, function), Side::Instance)),
    }
}

/// Returns the class around a node.
pub(crate) fn class_around(file: &SourceFile<'_>, node: NodeId) -> Option<Owner> {
    file.self_and_ancestors(node).skip(1).find_map(|around| match file.kind(around) {
        AstKind::Class(class) => Some(class_owner(OPEN_DOCUMENT, class)),
        _ => None,
    })
}

/// Returns the owner for members of a function.
pub(crate) fn function_value_owner(module: u32, function: &Function<'_>) -> Owner {
    let symbol = function.id.as_ref().and_then(|id| id.symbol_id.get());
    symbol.map_or(Owner::Node(module, function.node_id.get()), |symbol| Owner::Symbol(module, symbol))
}

/// Returns the owner for members of a class.
pub(crate) fn class_owner(module: u32, class: &Class<'_>) -> Owner {
    let symbol = class.id.as_ref().and_then(|id| id.symbol_id.get());
    symbol.map_or(Owner::Node(module, class.node_id.get()), |symbol| Owner::Symbol(module, symbol))
}
