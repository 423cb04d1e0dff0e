//! What tests say of a variable beyond its declaration: `x instanceof C`, and guards that promise `x is T`.

use std::collections::HashSet;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::{GetSpan, Span};

use crate::infer::calls::Given;
use crate::infer::checker::Checker;
use crate::infer::ty::Ty;
use crate::program::ids::Owner;
use crate::program::module::Module;

impl<'w> Checker<'w> {
    /// The type of a variable where it is read: what it is declared to be, or what a test has found there.
    pub(crate) fn read_type(&self, module: u32, name: &'w IdentifierReference<'w>, symbol: SymbolId) -> Ty<'w> {
        let declared = self.symbol_type(module, symbol);
        let held = self.module(module);
        if held.tables.tested.get_or_init(|| tested(&held)).contains(&symbol)
            && let Some(shown) = self.deeper(None, || self.shown(module, name.node_id.get(), symbol))
        {
            return self.narrower(declared, shown);
        }
        // Of such a thing only a test can have told more: one that is not understood here.
        if says_nothing(&held, symbol) { Ty::Unknown } else { declared }
    }

    /// What the tests around a place show a variable to be.
    fn shown(&self, module: u32, place: NodeId, symbol: SymbolId) -> Option<Ty<'w>> {
        let held = self.module(module);
        let mut inner = held.kind(place).span();
        for around in held.chain(place).skip(1) {
            let kind = held.kind(around);
            let whole = kind.span();
            let (found, region) = match kind {
                AstKind::IfStatement(choice) if choice.consequent.span() == inner => {
                    (self.holds(module, &choice.test, true, symbol), inner)
                }
                AstKind::IfStatement(choice) if choice.alternate.as_ref().is_some_and(|it| it.span() == inner) => {
                    (self.holds(module, &choice.test, false, symbol), inner)
                }
                AstKind::ConditionalExpression(choice) if choice.test.span() != inner => {
                    (self.holds(module, &choice.test, choice.consequent.span() == inner, symbol), inner)
                }
                AstKind::LogicalExpression(both) if both.right.span() == inner => {
                    let truth = match both.operator {
                        LogicalOperator::And => Some(true),
                        LogicalOperator::Or => Some(false),
                        LogicalOperator::Coalesce => None,
                    };
                    (truth.and_then(|truth| self.holds(module, &both.left, truth, symbol)), inner)
                }
                AstKind::WhileStatement(repeat) if repeat.body.span() == inner => {
                    (self.holds(module, &repeat.test, true, symbol), inner)
                }
                _ => (statements(kind).and_then(|list| self.after(module, list, inner, symbol)), whole),
            };
            if let Some(ty) = found {
                return (!is_set_within(&held, symbol, region)).then_some(ty);
            }
            let is_function = matches!(kind, AstKind::Function(_) | AstKind::ArrowFunctionExpression(_));
            // A function may run when the variable holds something else.
            if is_function && held.scoping().symbol_is_mutated(symbol) {
                return None;
            }
            inner = whole;
        }
        None
    }

    /// What statements before one show: those that leave where the variable is something else, and assertions.
    fn after(&self, module: u32, list: &'w [Statement<'w>], place: Span, symbol: SymbolId) -> Option<Ty<'w>> {
        let before = list.iter().take_while(|statement| statement.span().end <= place.start);
        before.filter_map(|statement| self.left_by(module, statement, symbol)).last()
    }

    fn left_by(&self, module: u32, statement: &'w Statement<'w>, symbol: SymbolId) -> Option<Ty<'w>> {
        match statement {
            Statement::IfStatement(choice) if leaves(&choice.consequent) => {
                self.holds(module, &choice.test, false, symbol)
            }
            Statement::ExpressionStatement(call) => match &call.expression {
                Expression::CallExpression(call) => self.promised(module, call, symbol, true),
                _ => None,
            },
            _ => None,
        }
    }

    /// What a test shows a variable to be when its outcome is this one.
    fn holds(&self, module: u32, test: &'w Expression<'w>, truth: bool, symbol: SymbolId) -> Option<Ty<'w>> {
        match test {
            Expression::ParenthesizedExpression(inner) => self.holds(module, &inner.expression, truth, symbol),
            Expression::UnaryExpression(not) if not.operator == UnaryOperator::LogicalNot => {
                self.holds(module, &not.argument, !truth, symbol)
            }
            Expression::LogicalExpression(both) if (both.operator == LogicalOperator::And) == truth => {
                let right = self.holds(module, &both.right, truth, symbol);
                right.or_else(|| self.holds(module, &both.left, truth, symbol))
            }
            Expression::BinaryExpression(binary) if truth && binary.operator == BinaryOperator::Instanceof => {
                let is_it = self.is_variable(module, &binary.left, symbol);
                is_it.then(|| self.base_instance(module, &binary.right, &[]))
            }
            Expression::CallExpression(call) if truth => self.promised(module, call, symbol, false),
            _ => None,
        }
    }

    /// What a function promises of a variable that it is given: `x is T`, or `asserts x is T`.
    fn promised(&self, module: u32, call: &'w CallExpression<'w>, symbol: SymbolId, asserted: bool) -> Option<Ty<'w>> {
        let given = |value: &'w Argument<'w>| value.as_expression();
        let at = call
            .arguments
            .iter()
            .position(|argument| given(argument).is_some_and(|value| self.is_variable(module, value, symbol)))?;
        let callee = self.value(module, &call.callee);
        self.signatures(&callee, false).into_iter().find_map(|signature| {
            let TSType::TSTypePredicate(predicate) = signature.callable.return_type()? else { return None };
            let TSTypePredicateName::Identifier(subject) = &predicate.parameter_name else { return None };
            let parameter = signature.callable.params().items.get(at)?.pattern.get_binding_identifier()?;
            if predicate.asserts != asserted || parameter.name != subject.name {
                return None;
            }
            let given = Given { module, types: call.type_arguments.as_deref(), values: &call.arguments };
            let substitution = self.inferred(&signature, &given);
            Some(self.annotated(signature.module, &predicate.type_annotation.as_ref()?.type_annotation, &substitution))
        })
    }

    fn is_variable(&self, module: u32, value: &'w Expression<'w>, symbol: SymbolId) -> bool {
        match value {
            Expression::Identifier(name) => self.resolved(module, name) == Some(symbol),
            Expression::ParenthesizedExpression(inner) => self.is_variable(module, &inner.expression, symbol),
            _ => false,
        }
    }

    /// A type together with what a test has shown.
    fn narrower(&self, declared: Ty<'w>, shown: Ty<'w>) -> Ty<'w> {
        let Ty::Instance(wanted, _) = &shown else { return Ty::both([shown, declared]) };
        let fits = |ty: &&Ty<'w>| matches!(ty, Ty::Instance(owner, _) if self.extends(*owner, *wanted));
        let fitting: Vec<Ty<'w>> = declared.alternatives().iter().filter(fits).cloned().collect();
        if fitting.is_empty() { shown } else { Ty::either(fitting) }
    }

    /// Whether a class or interface is another one, or extends it.
    fn extends(&self, owner: Owner, base: Owner) -> bool {
        owner == base
            || self.deeper(false, || {
                let bases = self.bases(owner, &None);
                bases.iter().any(|(ty, _)| matches!(ty, Ty::Instance(next, _) if self.extends(*next, base)))
            })
    }
}

/// The statements that follow one another in a block.
fn statements<'w>(kind: AstKind<'w>) -> Option<&'w [Statement<'w>]> {
    match kind {
        AstKind::BlockStatement(block) => Some(&block.body),
        AstKind::FunctionBody(body) => Some(&body.statements),
        AstKind::Program(program) => Some(&program.body),
        AstKind::SwitchCase(case) => Some(&case.consequent),
        _ => None,
    }
}

/// Whether nothing after the statement is reached through it.
pub(super) fn leaves(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::ReturnStatement(_)
        | Statement::ThrowStatement(_)
        | Statement::ContinueStatement(_)
        | Statement::BreakStatement(_) => true,
        Statement::BlockStatement(block) => block.body.last().is_some_and(leaves),
        Statement::IfStatement(choice) => leaves(&choice.consequent) && choice.alternate.as_ref().is_some_and(leaves),
        _ => false,
    }
}

/// Whether the variable gets another value somewhere in a region.
fn is_set_within(module: &Module<'_>, symbol: SymbolId, region: Span) -> bool {
    let mut writes = module.scoping().get_resolved_references(symbol).filter(|reference| reference.is_write());
    writes.any(|reference| region.contains_inclusive(module.kind(reference.node_id()).span()))
}

/// Whether a variable is declared to be anything at all.
fn says_nothing(module: &Module<'_>, symbol: SymbolId) -> bool {
    let annotation = match module.kind(module.scoping().symbol_declaration(symbol)) {
        AstKind::FormalParameter(parameter) => parameter.type_annotation.as_ref(),
        AstKind::VariableDeclarator(variable) => variable.type_annotation.as_ref(),
        _ => None,
    };
    annotation.is_some_and(|annotation| {
        matches!(annotation.type_annotation, TSType::TSUnknownKeyword(_) | TSType::TSObjectKeyword(_))
    })
}

/// The variables that some test of the module is about.
fn tested(module: &Module<'_>) -> HashSet<SymbolId> {
    let mut names = Vec::new();
    for node in module.semantic().nodes().iter() {
        match node.kind() {
            AstKind::IfStatement(choice) => subjects(&choice.test, &mut names),
            AstKind::ConditionalExpression(choice) => subjects(&choice.test, &mut names),
            AstKind::LogicalExpression(both) => subjects(&both.left, &mut names),
            AstKind::WhileStatement(repeat) => subjects(&repeat.test, &mut names),
            AstKind::ExpressionStatement(statement) => {
                if let Expression::CallExpression(_) = &statement.expression {
                    subjects(&statement.expression, &mut names);
                }
            }
            _ => {}
        }
    }
    let symbol = |name: &IdentifierReference<'_>| module.scoping().get_reference(name.reference_id.get()?).symbol_id();
    names.into_iter().filter_map(symbol).collect()
}

/// The variables that a test is about.
fn subjects<'w>(test: &'w Expression<'w>, names: &mut Vec<&'w IdentifierReference<'w>>) {
    match test {
        Expression::ParenthesizedExpression(inner) => subjects(&inner.expression, names),
        Expression::UnaryExpression(not) => subjects(&not.argument, names),
        Expression::LogicalExpression(both) => {
            subjects(&both.left, names);
            subjects(&both.right, names);
        }
        Expression::BinaryExpression(binary) if binary.operator == BinaryOperator::Instanceof => {
            subjects(&binary.left, names);
        }
        Expression::CallExpression(call) => {
            for argument in call.arguments.iter().filter_map(Argument::as_expression) {
                subjects(argument, names);
            }
        }
        Expression::Identifier(name) => names.push(name),
        _ => {}
    }
}
