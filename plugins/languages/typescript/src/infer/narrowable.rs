//! References that tests can narrow: variables, `this`, and property paths.

use std::collections::HashSet;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::{GetSpan, Span};

use crate::infer::checker::Checker;
use crate::infer::ty::Ty;
use crate::program::module::Module;

/// A reference that tests can narrow.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reference<'w> {
    root: Root,
    path: Vec<&'w str>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Root {
    Symbol(SymbolId),
    This,
}

impl<'w> Reference<'w> {
    pub(crate) fn of_symbol(symbol: SymbolId) -> Reference<'w> {
        Reference { root: Root::Symbol(symbol), path: Vec::new() }
    }

    fn with_property(mut self, name: &'w str) -> Reference<'w> {
        self.path.push(name);
        self
    }

    pub(crate) fn symbol(&self) -> Option<SymbolId> {
        match self.root {
            Root::Symbol(symbol) => Some(symbol),
            Root::This => None,
        }
    }

    pub(crate) fn is_path(&self) -> bool {
        !self.path.is_empty()
    }

    /// Returns the last property of the path of the other reference, if the rest of that path is this reference.
    pub(crate) fn property_to(&self, other: &Reference<'w>) -> Option<&'w str> {
        let (last, rest) = other.path.split_last()?;
        (self.root == other.root && self.path == rest).then_some(*last)
    }

    /// Returns whether an assignment to this reference changes the other one.
    fn invalidates(&self, other: &Reference<'w>) -> bool {
        self.root == other.root && other.path.starts_with(&self.path)
    }
}

/// References in the tests of a file, found by syntax alone. Other references are never narrowed.
#[derive(Default)]
pub(crate) struct TestedReferences {
    tested: Roots,
    /// References that assignments set. An assigned value can only narrow a union.
    assigned: Roots,
}

/// Variables at the start of references, and `this`.
#[derive(Default)]
struct Roots {
    symbols: HashSet<SymbolId>,
    this: bool,
}

impl Roots {
    fn contains(&self, reference: &Reference<'_>) -> bool {
        reference.symbol().map_or(self.this, |symbol| self.symbols.contains(&symbol))
    }
}

impl<'w> Checker<'w> {
    /// Returns the reference that an expression reads.
    pub(crate) fn reference(&self, module: u32, value: &'w Expression<'w>) -> Option<Reference<'w>> {
        match value {
            Expression::Identifier(name) => Some(Reference::of_symbol(self.resolve_identifier(module, name)?)),
            Expression::ThisExpression(_) => Some(Reference { root: Root::This, path: Vec::new() }),
            Expression::ParenthesizedExpression(inner) => self.reference(module, &inner.expression),
            Expression::TSNonNullExpression(inner) => self.reference(module, &inner.expression),
            Expression::ChainExpression(chain) => match &chain.expression {
                ChainElement::CallExpression(_) => None,
                ChainElement::TSNonNullExpression(inner) => self.reference(module, &inner.expression),
                ChainElement::StaticMemberExpression(member) => self.static_reference(module, member),
                ChainElement::ComputedMemberExpression(member) => self.computed_reference(module, member),
                ChainElement::PrivateFieldExpression(member) => self.private_reference(module, member),
            },
            Expression::StaticMemberExpression(member) => self.static_reference(module, member),
            Expression::ComputedMemberExpression(member) => self.computed_reference(module, member),
            Expression::PrivateFieldExpression(member) => self.private_reference(module, member),
            _ => None,
        }
    }

    pub(crate) fn static_reference(
        &self,
        module: u32,
        member: &'w StaticMemberExpression<'w>,
    ) -> Option<Reference<'w>> {
        Some(self.reference(module, &member.object)?.with_property(member.property.name.as_str()))
    }

    pub(crate) fn computed_reference(
        &self,
        module: u32,
        member: &'w ComputedMemberExpression<'w>,
    ) -> Option<Reference<'w>> {
        let key = match &member.expression {
            Expression::StringLiteral(text) => text.value.as_str()?,
            Expression::NumericLiteral(number) => number.raw.as_ref()?.as_str(),
            _ => return None,
        };
        Some(self.reference(module, &member.object)?.with_property(key))
    }

    pub(crate) fn private_reference(
        &self,
        module: u32,
        member: &'w PrivateFieldExpression<'w>,
    ) -> Option<Reference<'w>> {
        let name = member.field.span.source_text(self.module(module).text());
        Some(self.reference(module, &member.object)?.with_property(name))
    }

    /// Returns whether some test or assignment of the module may narrow a reference with this declared type.
    pub(crate) fn may_be_narrowed(&self, module: u32, reference: &Reference<'w>, declared: &Ty<'w>) -> bool {
        let loaded = self.module(module);
        let known = loaded.tables.tested_references.get_or_init(|| collect_tested_references(&loaded));
        known.tested.contains(reference) || declared.alternatives().len() > 1 && known.assigned.contains(reference)
    }

    /// Returns the reference that an assignment sets.
    pub(crate) fn assigned_reference(&self, module: u32, target: &'w AssignmentTarget<'w>) -> Option<Reference<'w>> {
        match target {
            AssignmentTarget::AssignmentTargetIdentifier(name) => {
                Some(Reference::of_symbol(self.resolve_identifier(module, name)?))
            }
            AssignmentTarget::StaticMemberExpression(member) => self.static_reference(module, member),
            AssignmentTarget::ComputedMemberExpression(member) => self.computed_reference(module, member),
            AssignmentTarget::PrivateFieldExpression(member) => self.private_reference(module, member),
            _ => None,
        }
    }

    /// Returns whether a reference, or a part of its path, is assigned in a region.
    pub(crate) fn is_set_within(&self, module: u32, reference: &Reference<'w>, region: Span) -> bool {
        let loaded = self.module(module);
        if let Some(symbol) = reference.symbol() {
            let mut writes = loaded.scoping().get_resolved_references(symbol).filter(|reference| reference.is_write());
            if writes.any(|reference| region.contains_inclusive(loaded.kind(reference.node_id()).span())) {
                return true;
            }
        }
        reference.is_path()
            && loaded.semantic().nodes().iter().any(|node| {
                let target = match node.kind() {
                    AstKind::AssignmentExpression(set) if region.contains_inclusive(set.span) => {
                        self.assigned_reference(module, &set.left)
                    }
                    _ => None,
                };
                target.is_some_and(|target| target.invalidates(reference))
            })
    }
}

/// Collects the references in the tests of a module.
fn collect_tested_references(module: &Module<'_>) -> TestedReferences {
    let TestedReferences { tested: mut found, mut assigned } = TestedReferences::default();
    for node in module.semantic().nodes().iter() {
        match node.kind() {
            AstKind::BinaryExpression(binary) if is_test(binary.operator) => {
                found.add(module, &binary.left);
                found.add(module, &binary.right);
            }
            AstKind::IfStatement(choice) => found.add(module, &choice.test),
            AstKind::ConditionalExpression(choice) => found.add(module, &choice.test),
            AstKind::LogicalExpression(both) => found.add(module, &both.left),
            AstKind::WhileStatement(repeat) => found.add(module, &repeat.test),
            AstKind::UnaryExpression(not) if not.operator == UnaryOperator::LogicalNot => {
                found.add(module, &not.argument);
            }
            AstKind::SwitchStatement(choice) => found.add(module, &choice.discriminant),
            // An assigned value may be narrower than the declared type.
            AstKind::AssignmentExpression(set)
                if matches!(module.parent_kind(node.id()), AstKind::ExpressionStatement(_)) =>
            {
                match &set.left {
                    AssignmentTarget::AssignmentTargetIdentifier(name) => assigned.add_name(module, name),
                    AssignmentTarget::StaticMemberExpression(member) => assigned.add(module, &member.object),
                    AssignmentTarget::ComputedMemberExpression(member) => assigned.add(module, &member.object),
                    AssignmentTarget::PrivateFieldExpression(member) => assigned.add(module, &member.object),
                    _ => {}
                }
            }
            AstKind::CallExpression(call) if is_condition(module, node.id()) => {
                call.arguments.iter().filter_map(Argument::as_expression).for_each(|given| found.add(module, given));
                if let Expression::StaticMemberExpression(member) = &call.callee {
                    found.add(module, &member.object);
                }
            }
            AstKind::VariableDeclarator(variable) => match (&variable.id, &variable.init) {
                (BindingPattern::ObjectPattern(_), Some(init)) => found.add(module, init),
                // The initial value may be narrower than the declared type.
                (BindingPattern::BindingIdentifier(name), Some(_)) if variable.type_annotation.is_some() => {
                    found.symbols.extend(name.symbol_id.get());
                }
                _ => {}
            },
            _ => {}
        }
    }
    TestedReferences { tested: found, assigned }
}

fn is_test(operator: BinaryOperator) -> bool {
    operator.is_equality() || matches!(operator, BinaryOperator::Instanceof | BinaryOperator::In)
}

/// Returns whether the result of a call is a condition, or the call is a statement that may be an assertion.
fn is_condition(module: &Module<'_>, call: NodeId) -> bool {
    match module.parent_kind(call) {
        AstKind::VariableDeclarator(_)
        | AstKind::IfStatement(_)
        | AstKind::WhileStatement(_)
        | AstKind::LogicalExpression(_)
        | AstKind::UnaryExpression(_)
        | AstKind::ParenthesizedExpression(_)
        | AstKind::ExpressionStatement(_)
        | AstKind::ReturnStatement(_)
        | AstKind::ArrowFunctionExpression(_) => true,
        AstKind::ConditionalExpression(choice) => choice.test.span() == module.kind(call).span(),
        _ => false,
    }
}

impl Roots {
    fn add_name(&mut self, module: &Module<'_>, name: &IdentifierReference<'_>) {
        let symbol = name.reference_id.get().map(|id| module.scoping().get_reference(id));
        self.symbols.extend(symbol.and_then(|reference| reference.symbol_id()));
    }

    fn add<'w>(&mut self, module: &Module<'w>, mut value: &Expression<'w>) {
        loop {
            value = match value {
                Expression::Identifier(name) => return self.add_name(module, name),
                Expression::ThisExpression(_) => {
                    self.this = true;
                    return;
                }
                Expression::ParenthesizedExpression(inner) => &inner.expression,
                Expression::TSNonNullExpression(inner) => &inner.expression,
                Expression::StaticMemberExpression(member) => &member.object,
                Expression::ComputedMemberExpression(member) => &member.object,
                Expression::PrivateFieldExpression(member) => &member.object,
                Expression::ChainExpression(chain) => match &chain.expression {
                    ChainElement::CallExpression(_) => return,
                    ChainElement::TSNonNullExpression(inner) => &inner.expression,
                    ChainElement::StaticMemberExpression(member) => &member.object,
                    ChainElement::ComputedMemberExpression(member) => &member.object,
                    ChainElement::PrivateFieldExpression(member) => &member.object,
                },
                _ => return,
            };
        }
    }
}
