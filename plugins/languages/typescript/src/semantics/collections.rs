//! Lists, maps and sets whose size or elements code reads, and the calls that change them.

use std::collections::HashSet;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, Semantic, SymbolId};
use oxc_span::GetSpan as _;

use crate::semantics::effects::{is_written, member_access};
use crate::semantics::functions::enclosing_function;

/// Methods of lists, maps and sets that change them.
const CHANGING_METHODS: [&str; 13] = [
    "add",
    "clear",
    "copyWithin",
    "delete",
    "fill",
    "pop",
    "push",
    "reverse",
    "set",
    "shift",
    "sort",
    "splice",
    "unshift",
];

/// A list, map or set, as an expression names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Collection {
    /// The last name of the expression: `items` of `this.items`.
    name: String,
    /// The variable, if the expression is one.
    symbol: Option<SymbolId>,
    /// The function around the expression.
    function: Option<NodeId>,
}

/// Returns the name of the collection whose size or element a node reads.
pub(super) fn collections_read(kind: &AstKind<'_>) -> Option<String> {
    let (member, object) = member_access(kind)?;
    is_content(member).then(|| last_name(object)).flatten()
}

/// Returns whether a member is the size of a collection or an element of it.
fn is_content(member: &str) -> bool {
    matches!(member, "length" | "size" | "[]")
}

impl Collection {
    /// Returns the collection whose size or element a node reads.
    pub(super) fn read_at(semantic: &Semantic<'_>, node: NodeId, kind: &AstKind<'_>) -> Option<Collection> {
        let (member, object) = member_access(kind)?;
        is_content(member).then(|| Collection::at(semantic, node, object)).flatten()
    }

    /// Returns the collection that an expression in a node names.
    pub(super) fn at(semantic: &Semantic<'_>, node: NodeId, object: &Expression<'_>) -> Option<Collection> {
        let name = last_name(object)?;
        let symbol = match object.get_inner_expression() {
            Expression::Identifier(it) => original(semantic, it),
            _ => None,
        };
        Some(Collection { name, symbol, function: enclosing_function(semantic, node) })
    }

    /// Returns the collection that a node changes: `list.push(1)`, `list[i] = 1`, `list.length = 0`.
    pub(super) fn changed_at(semantic: &Semantic<'_>, node: NodeId, kind: &AstKind<'_>) -> Option<Collection> {
        if let AstKind::CallExpression(call) = kind {
            let (method, object) = called_member(call)?;
            return CHANGING_METHODS.contains(&method).then(|| Collection::at(semantic, node, object)).flatten();
        }
        let (member, object) = member_access(kind)?;
        let is_change = is_content(member) && is_written(&semantic.nodes().parent_kind(node), kind.span());
        is_change.then(|| Collection::at(semantic, node, object)).flatten()
    }

    /// Returns whether two expressions may name the same collection.
    pub(super) fn may_be(&self, semantic: &Semantic<'_>, other: &Collection) -> bool {
        match (self.symbol, other.symbol) {
            (Some(own), Some(others)) if own == others => true,
            (Some(own), Some(others)) => {
                // A parameter may be any collection that is passed on; other variables are assigned from elsewhere.
                let is_own = |symbol| holds_new_value(semantic, symbol);
                match (is_own(own), is_own(others)) {
                    (true, true) => false,
                    (true, false) => is_passed(semantic, own),
                    (false, true) => is_passed(semantic, others),
                    (false, false) => true,
                }
            }
            _ => self.name == other.name,
        }
    }

    /// Returns whether a call calls a parameter, and the collection is another parameter: the caller may pass a
    /// callback that changes the collection.
    pub(super) fn is_known_to_callback(&self, semantic: &Semantic<'_>, call: &CallExpression<'_>) -> bool {
        let scoping = semantic.scoping();
        let is_parameter = |symbol: SymbolId| {
            matches!(semantic.nodes().kind(scoping.symbol_declaration(symbol)), AstKind::FormalParameter(_))
        };
        let Expression::Identifier(callee) = &call.callee else { return false };
        let called = callee.reference_id.get().and_then(|id| scoping.get_reference(id).symbol_id());
        self.symbol.is_some_and(is_parameter) && called.is_some_and(is_parameter)
    }

    /// Returns whether another function than the one that reads the collection changes it.
    pub(super) fn is_changed_by_function(&self, semantic: &Semantic<'_>) -> bool {
        semantic.nodes().iter().any(|node| {
            let changed = Collection::changed_at(semantic, node.id(), &node.kind());
            changed.is_some_and(|changed| {
                !self.is_read_within(semantic, changed.function) && self.may_be(semantic, &changed)
            })
        })
    }

    /// Returns whether the collection is read in this function, or everywhere in the file for `None`.
    fn is_read_within(&self, semantic: &Semantic<'_>, function: Option<NodeId>) -> bool {
        let Some(function) = function else { return true };
        let own = self.function;
        own == Some(function) || own.is_some_and(|own| semantic.nodes().ancestor_ids(own).any(|id| id == function))
    }
}

/// Returns whether a value is a variable that always holds the same new object.
pub(super) fn is_new_object(semantic: &Semantic<'_>, value: &Expression<'_>) -> bool {
    match value.get_inner_expression() {
        Expression::Identifier(name) => {
            let symbol = name.reference_id.get().and_then(|id| semantic.scoping().get_reference(id).symbol_id());
            symbol.is_some_and(|symbol| holds_new_value(semantic, symbol))
        }
        _ => false,
    }
}

/// Returns the names of the collections that functions of a file change.
pub(super) fn mutated_collections(semantic: &Semantic<'_>) -> HashSet<String> {
    let changed = semantic.nodes().iter().filter_map(|node| {
        let kind = node.kind();
        Collection::changed_at(semantic, node.id(), &kind).filter(|changed| changed.function.is_some())
    });
    changed.map(|changed| changed.name).collect()
}

/// Returns the method that a call names, and its object.
fn called_member<'a>(call: &'a CallExpression<'a>) -> Option<(&'a str, &'a Expression<'a>)> {
    match call.callee.get_inner_expression() {
        Expression::StaticMemberExpression(it) => Some((it.property.name.as_str(), &it.object)),
        _ => None,
    }
}

fn last_name(object: &Expression<'_>) -> Option<String> {
    match object.get_inner_expression() {
        Expression::Identifier(it) => Some(it.name.to_string()),
        Expression::StaticMemberExpression(it) => Some(it.property.name.to_string()),
        Expression::PrivateFieldExpression(it) => Some(it.field.name.to_string()),
        Expression::ThisExpression(_) => Some("this".to_owned()),
        Expression::ComputedMemberExpression(it) => last_name(&it.object),
        _ => None,
    }
}

/// Returns the variable that a name stands for. `const a = b` makes `a` another name of `b`.
fn original(semantic: &Semantic<'_>, name: &IdentifierReference<'_>) -> Option<SymbolId> {
    let scoping = semantic.scoping();
    let resolve = |name: &IdentifierReference<'_>| scoping.get_reference(name.reference_id.get()?).symbol_id();
    let mut symbol = resolve(name)?;
    let mut seen = HashSet::from([symbol]);
    loop {
        let AstKind::VariableDeclarator(variable) = semantic.nodes().kind(scoping.symbol_declaration(symbol)) else {
            return Some(symbol);
        };
        match (&variable.id, &variable.init) {
            (BindingPattern::BindingIdentifier(_), Some(Expression::Identifier(it))) => match resolve(it) {
                Some(next) if seen.insert(next) => symbol = next,
                _ => return Some(symbol),
            },
            _ => return Some(symbol),
        }
    }
}

/// Returns whether a variable always holds the new value of its declaration.
fn holds_new_value(semantic: &Semantic<'_>, symbol: SymbolId) -> bool {
    let scoping = semantic.scoping();
    let AstKind::VariableDeclarator(variable) = semantic.nodes().kind(scoping.symbol_declaration(symbol)) else {
        return false;
    };
    let is_new = matches!(
        variable.init.as_ref().map(Expression::get_inner_expression),
        Some(Expression::ArrayExpression(_) | Expression::ObjectExpression(_) | Expression::NewExpression(_))
    );
    is_new && variable.id.is_binding_identifier() && !scoping.symbol_is_mutated(symbol)
}

/// Returns whether code of the file passes a variable to a call, returns it, or stores it.
fn is_passed(semantic: &Semantic<'_>, symbol: SymbolId) -> bool {
    let mut references = semantic.scoping().get_resolved_references(symbol);
    references.any(|reference| {
        let own = semantic.reference_span(reference);
        match semantic.nodes().parent_kind(reference.node_id()) {
            AstKind::CallExpression(call) => call.callee.span() != own,
            AstKind::AssignmentExpression(it) => it.right.span() == own,
            AstKind::NewExpression(_)
            | AstKind::ObjectProperty(_)
            | AstKind::ArrayExpression(_)
            | AstKind::ReturnStatement(_)
            | AstKind::PropertyDefinition(_) => true,
            _ => false,
        }
    })
}
