//! Narrowing: the type of a reference where it is read, from the tests around and before it.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::{GetSpan, Span};

use crate::infer::checker::Checker;
use crate::infer::guards::Fact;
use crate::infer::narrowable::Reference;
use crate::infer::ty::{Signature, Ty};
use crate::program::ids::Owner;
use crate::program::module::Module;

impl<'w> Checker<'w> {
    /// Returns the type of a variable where it is read: the declared type, narrowed by tests.
    pub(crate) fn read_type(&self, module: u32, name: &'w IdentifierReference<'w>, symbol: SymbolId) -> Ty<'w> {
        let declared = self.symbol_type(module, symbol);
        let reference = Reference::of_symbol(symbol);
        let node = name.node_id.get();
        if let Some(narrowed) = self.narrowed_at(module, node, &reference, &declared) {
            return narrowed;
        }
        // Code can read such a value only after a test has narrowed it, and no test that narrows it was recognized.
        if is_declared_unknown(&self.module(module), symbol) { Ty::Unknown } else { declared }
    }

    /// Returns the type of a property path where it is read.
    pub(crate) fn read_path(
        &self,
        module: u32,
        node: NodeId,
        reference: Option<Reference<'w>>,
        declared: Ty<'w>,
    ) -> Ty<'w> {
        let narrowed = reference.and_then(|reference| self.narrowed_at(module, node, &reference, &declared));
        narrowed.unwrap_or(declared)
    }

    /// Returns the narrowed type of a reference at a node. `None` if no test narrows it.
    fn narrowed_at(&self, module: u32, place: NodeId, reference: &Reference<'w>, declared: &Ty<'w>) -> Option<Ty<'w>> {
        if !self.may_be_narrowed(module, reference, declared) {
            return None;
        }
        if let Some(known) = self.narrowed.borrow().get(&(module, place)) {
            return known.clone();
        }
        // The tests may contain the same reference. While its type is computed, it has the declared type.
        self.narrowed.borrow_mut().insert((module, place), None);
        let facts = self.with_depth(Vec::new(), || self.facts_at(module, place, reference));
        let narrowed = (!facts.is_empty()).then(|| self.apply_facts(declared.clone(), &facts));
        self.narrowed.borrow_mut().insert((module, place), narrowed.clone());
        narrowed
    }

    /// Returns the facts about a reference from the tests around a node and the statements before it, the outermost
    /// first.
    fn facts_at(&self, module: u32, place: NodeId, reference: &Reference<'w>) -> Vec<Fact<'w>> {
        let loaded = self.module(module);
        let mut facts: Vec<Vec<Fact<'w>>> = Vec::new();
        let mut inner = loaded.kind(place).span();
        let at = inner;
        for around in loaded.self_and_ancestors(place).skip(1) {
            let kind = loaded.kind(around);
            let found = match statements(kind) {
                Some(list) => self.facts_before(module, list, at, reference),
                None => {
                    let found = self.facts_of_branch(module, kind, inner, reference);
                    let is_set = !found.is_empty() && self.is_set_within(module, reference, inner);
                    if is_set { None } else { Some(Known { facts: found, is_assigned: false }) }
                }
            };
            let Some(found) = found else { return facts.into_iter().rev().flatten().collect() };
            facts.push(found.facts);
            // A previous iteration may have assigned the reference, so facts from before the loop do not hold.
            let is_changed = is_loop(kind) && self.is_set_within(module, reference, kind.span());
            if found.is_assigned || is_changed {
                return facts.into_iter().rev().flatten().collect();
            }
            if is_narrowing_boundary(&loaded, kind, reference) {
                break;
            }
            inner = kind.span();
        }
        facts.extend(self.fact_of_declaration(module, reference).map(|fact| vec![fact]));
        facts.into_iter().rev().flatten().collect()
    }

    /// Returns the facts that a test establishes in one of its branches.
    fn facts_of_branch(
        &self,
        module: u32,
        kind: AstKind<'w>,
        branch: Span,
        reference: &Reference<'w>,
    ) -> Vec<Fact<'w>> {
        let facts = |test: &'w Expression<'w>, truth: bool| self.facts_of(module, test, truth, reference);
        match kind {
            AstKind::IfStatement(choice) if choice.consequent.span() == branch => facts(&choice.test, true),
            AstKind::IfStatement(choice) if choice.test.span() != branch => facts(&choice.test, false),
            AstKind::ConditionalExpression(choice) if choice.test.span() != branch => {
                facts(&choice.test, choice.consequent.span() == branch)
            }
            AstKind::LogicalExpression(both) if both.right.span() == branch => match both.operator {
                LogicalOperator::And => facts(&both.left, true),
                LogicalOperator::Or => facts(&both.left, false),
                LogicalOperator::Coalesce => Vec::new(),
            },
            AstKind::WhileStatement(repeat) if repeat.body.span() == branch => facts(&repeat.test, true),
            AstKind::ForStatement(repeat) if repeat.body.span() == branch => {
                repeat.test.as_ref().map_or_else(Vec::new, |test| facts(test, true))
            }
            AstKind::SwitchStatement(choice) => self.facts_of_case(module, choice, branch, reference),
            _ => Vec::new(),
        }
    }

    /// Returns the facts from the statements before a node: early exits, assertions, and the last assignment. `None` if
    /// the reference may be assigned after one of them.
    fn facts_before(
        &self,
        module: u32,
        list: &'w [Statement<'w>],
        place: Span,
        reference: &Reference<'w>,
    ) -> Option<Known<'w>> {
        let count = list.iter().take_while(|statement| statement.span().end <= place.start).count();
        let before = &list[..count];
        let is_set_since = |from: u32| self.is_set_within(module, reference, Span::new(from, place.end));
        let assigned = before.iter().enumerate().rev().find_map(|(index, statement)| {
            self.assigned_value(module, statement, reference).map(|value| (index, value))
        });
        let mut known = Known { facts: Vec::new(), is_assigned: assigned.is_some() };
        let mut after = before;
        if let Some((index, value)) = assigned {
            if is_set_since(before[index].span().end) {
                return None;
            }
            known.facts.push(Fact::AssignedFrom(module, value));
            after = &before[index + 1..];
        }
        for statement in after {
            let new_facts = self.facts_after(module, statement, reference);
            if !new_facts.is_empty() && is_set_since(statement.span().start) {
                return None;
            }
            known.facts.extend(new_facts);
        }
        Some(known)
    }

    /// Returns the value that a statement assigns to a reference, if it does nothing else: `m = value;`, or the
    /// declaration `let m: T = value;`.
    fn assigned_value(
        &self,
        module: u32,
        statement: &'w Statement<'w>,
        reference: &Reference<'w>,
    ) -> Option<&'w Expression<'w>> {
        match statement {
            Statement::ExpressionStatement(statement) => match &statement.expression {
                Expression::AssignmentExpression(set) if set.operator == AssignmentOperator::Assign => {
                    (self.assigned_reference(module, &set.left).as_ref() == Some(reference)).then_some(&set.right)
                }
                _ => None,
            },
            Statement::VariableDeclaration(variables) => variables.declarations.iter().find_map(|variable| {
                let symbol = variable.id.get_binding_identifier()?.symbol_id.get()?;
                let is_it = *reference == Reference::of_symbol(symbol) && variable.type_annotation.is_some();
                variable.init.as_ref().filter(|_| is_it)
            }),
            _ => None,
        }
    }

    fn facts_after(&self, module: u32, statement: &'w Statement<'w>, reference: &Reference<'w>) -> Vec<Fact<'w>> {
        match statement {
            Statement::IfStatement(choice) if always_exits(&choice.consequent) => {
                self.facts_of(module, &choice.test, false, reference)
            }
            Statement::IfStatement(choice) if choice.alternate.as_ref().is_some_and(always_exits) => {
                self.facts_of(module, &choice.test, true, reference)
            }
            Statement::SwitchStatement(choice) => self.facts_after_switch(module, choice, reference),
            Statement::ExpressionStatement(call) => match &call.expression {
                Expression::CallExpression(call) => self.facts_of_call(module, call, true, true, reference),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// Returns the fact that a constant has the type of its initial value, if its declared type allows that.
    fn fact_of_declaration(&self, module: u32, reference: &Reference<'w>) -> Option<Fact<'w>> {
        let symbol = reference.symbol().filter(|_| !reference.is_path())?;
        let loaded = self.module(module);
        if loaded.scoping().symbol_is_mutated(symbol) {
            return None;
        }
        let AstKind::VariableDeclarator(variable) = loaded.kind(loaded.scoping().symbol_declaration(symbol)) else {
            return None;
        };
        let set_to = variable.init.as_ref().filter(|_| variable.type_annotation.is_some())?;
        Some(Fact::AssignedFrom(module, set_to))
    }

    /// Returns the type of the elements that a callback keeps: `list.filter(e => e instanceof C)`.
    pub(crate) fn filtered_elements(&self, module: u32, callback: &'w Expression<'w>, element: Ty<'w>) -> Ty<'w> {
        let signatures = self.signatures(&self.expression_type(module, callback), false);
        let [signature] = signatures.as_slice() else { return element };
        match self.guard_facts(signature, 0) {
            Some(facts) => self.apply_facts(element, &facts),
            None => element,
        }
    }

    /// Returns the facts about a parameter of a function that returns the result of a test. `None` if it is not such a
    /// function.
    pub(crate) fn inferred_guard(&self, signature: &Signature<'w>, at: usize) -> Option<Vec<Fact<'w>>> {
        let test = signature.callable.returned_expression()?;
        let parameter = signature.callable.params().items.get(at)?.pattern.get_binding_identifier()?;
        if !is_guard_expression(test) {
            return None;
        }
        let reference = Reference::of_symbol(parameter.symbol_id.get()?);
        if !self.narrows_with_every_test(signature.module, test, &reference) {
            return None;
        }
        let facts = self.facts_of(signature.module, test, true, &reference);
        (!facts.is_empty()).then_some(facts)
    }

    /// Returns whether every test that is combined in an expression is about the type of a reference. Other tests exclude
    /// values of that type as well.
    fn narrows_with_every_test(&self, module: u32, test: &'w Expression<'w>, reference: &Reference<'w>) -> bool {
        match test {
            Expression::ParenthesizedExpression(inner) => {
                self.narrows_with_every_test(module, &inner.expression, reference)
            }
            Expression::LogicalExpression(both) => {
                [&both.left, &both.right].into_iter().all(|part| self.narrows_with_every_test(module, part, reference))
            }
            single => !self.facts_of(module, single, true, reference).is_empty(),
        }
    }

    /// Returns whether an owner is the same class or interface as another one, or extends it.
    pub(crate) fn extends(&self, owner: Owner, base: Owner) -> bool {
        owner == base
            || self.with_depth(false, || {
                let bases = self.bases(owner, &None);
                bases.iter().any(|ty| matches!(ty, Ty::Instance(next, _) if self.extends(*next, base)))
            })
    }
}

/// Facts from the statements before a node.
struct Known<'w> {
    facts: Vec<Fact<'w>>,
    /// True if the first fact comes from an assignment, so that facts from earlier statements do not matter.
    is_assigned: bool,
}

/// Returns whether a node is a loop.
fn is_loop(kind: AstKind<'_>) -> bool {
    matches!(
        kind,
        AstKind::WhileStatement(_)
            | AstKind::DoWhileStatement(_)
            | AstKind::ForStatement(_)
            | AstKind::ForInStatement(_)
            | AstKind::ForOfStatement(_)
    )
}

/// Returns whether tests outside of a node say nothing about a reference in it: a function may run after the variable
/// or property was changed.
fn is_narrowing_boundary(module: &Module<'_>, kind: AstKind<'_>, reference: &Reference<'_>) -> bool {
    let is_function = matches!(kind, AstKind::Function(_) | AstKind::ArrowFunctionExpression(_));
    let may_change = match reference.symbol() {
        Some(symbol) => module.scoping().symbol_is_mutated(symbol),
        None => matches!(kind, AstKind::Function(_)),
    };
    is_function && (may_change || reference.is_path())
}

/// Returns whether an expression consists only of comparisons, calls and logical combinations of them, so that a
/// function that returns it can be a type guard.
fn is_guard_expression(test: &Expression<'_>) -> bool {
    match test {
        Expression::ParenthesizedExpression(inner) => is_guard_expression(&inner.expression),
        Expression::UnaryExpression(not) => {
            not.operator == UnaryOperator::LogicalNot && is_guard_expression(&not.argument)
        }
        Expression::BinaryExpression(_) | Expression::CallExpression(_) => true,
        Expression::LogicalExpression(both) => is_guard_expression(&both.left) && is_guard_expression(&both.right),
        _ => false,
    }
}

/// Returns the statements in a block.
fn statements<'w>(kind: AstKind<'w>) -> Option<&'w [Statement<'w>]> {
    match kind {
        AstKind::BlockStatement(block) => Some(&block.body),
        AstKind::FunctionBody(body) => Some(&body.statements),
        AstKind::Program(program) => Some(&program.body),
        AstKind::SwitchCase(case) => Some(&case.consequent),
        _ => None,
    }
}

/// Returns whether a statement always ends with a jump, so that the code after it is not reached.
pub(super) fn always_exits(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::ReturnStatement(_)
        | Statement::ThrowStatement(_)
        | Statement::ContinueStatement(_)
        | Statement::BreakStatement(_) => true,
        Statement::BlockStatement(block) => block.body.last().is_some_and(always_exits),
        Statement::IfStatement(choice) => {
            always_exits(&choice.consequent) && choice.alternate.as_ref().is_some_and(always_exits)
        }
        _ => false,
    }
}

/// Returns whether a variable is declared as `unknown` or `object`.
fn is_declared_unknown(module: &Module<'_>, symbol: SymbolId) -> bool {
    let annotation = match module.kind(module.scoping().symbol_declaration(symbol)) {
        AstKind::FormalParameter(parameter) => parameter.type_annotation.as_ref(),
        AstKind::VariableDeclarator(variable) => variable.type_annotation.as_ref(),
        _ => None,
    };
    annotation.is_some_and(|annotation| {
        matches!(annotation.type_annotation, TSType::TSUnknownKeyword(_) | TSType::TSObjectKeyword(_))
    })
}
