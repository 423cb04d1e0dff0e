//! Prints narrowed types of variables: tests remove `undefined` and `null`.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan as _;

use crate::infer::checker::Checker;
use crate::infer::narrowing::leaves;
use crate::infer::spelling::Spelled;
use crate::infer::ty::Ty;
use crate::program::ids::HERE;

/// Facts about a variable that tests establish.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Shown {
    not_null: bool,
    not_undefined: bool,
    /// A fact that cannot be printed here: a type guard, a `typeof`, a discriminant.
    more: bool,
}

impl Shown {
    const PRESENT: Shown = Shown { not_null: true, not_undefined: true, more: false };
    const MORE: Shown = Shown { not_null: true, not_undefined: true, more: true };

    fn and(self, other: Shown) -> Shown {
        Shown {
            not_null: self.not_null || other.not_null,
            not_undefined: self.not_undefined || other.not_undefined,
            more: self.more || other.more,
        }
    }
}

impl<'w> Checker<'w> {
    /// Returns the type of a variable of the open document at a node.
    pub(crate) fn spelled_at(&self, node: NodeId, symbol: SymbolId) -> Option<Spelled> {
        let spelled = self.spelled_symbol(HERE, symbol)?;
        let shown = self.shown_at(node, symbol);
        if shown == Shown::default() {
            return Some(spelled);
        }
        let left = spelled.without(|member| {
            member == "null" && shown.not_null || matches!(member, "undefined" | "void") && shown.not_undefined
        });
        // Other facts do not matter if only one alternative is left, or if the type is primitive.
        let is_plain = matches!(left.text.as_str(), "any" | "string" | "number" | "boolean" | "bigint");
        let is_last = left.members().len() == 1 && left.text != spelled.text;
        (!shown.more || is_plain || is_last).then_some(left)
    }

    /// Returns whether tests around a node narrow a variable. In a function that is declared elsewhere, the variable
    /// would not be narrowed.
    pub(crate) fn is_narrowed(&self, node: NodeId, symbol: SymbolId) -> bool {
        let shown = self.shown_at(node, symbol);
        shown != Shown::default()
            && self.spelled_symbol(HERE, symbol).is_none_or(|spelled| shown.more || spelled.is_nullable())
    }

    /// Returns the code that only runs depending on the test that contains an expression.
    pub(crate) fn guarded_by(&self, node: NodeId) -> Option<oxc_span::Span> {
        let held = self.here();
        let (mut test, mut whole) = (node, held.kind(node).span());
        loop {
            let around = held.parent(test);
            match held.kind(around) {
                AstKind::LogicalExpression(it) if it.left.span() == whole => return Some(it.span),
                AstKind::LogicalExpression(_)
                | AstKind::ParenthesizedExpression(_)
                | AstKind::UnaryExpression(_)
                | AstKind::StaticMemberExpression(_)
                | AstKind::ComputedMemberExpression(_)
                | AstKind::ChainExpression(_)
                | AstKind::CallExpression(_)
                | AstKind::BinaryExpression(_) => {}
                AstKind::IfStatement(it) if it.test.span() == whole => return Some(held.parent_kind(around).span()),
                AstKind::ConditionalExpression(it) if it.test.span() == whole => return Some(it.span),
                AstKind::SwitchStatement(it) if it.discriminant.span() == whole => return Some(it.span),
                AstKind::WhileStatement(it) if it.test.span() == whole => return Some(it.span),
                _ => return None,
            }
            (test, whole) = (around, held.kind(around).span());
        }
    }

    /// Returns the variable that a test narrows by an expression in it. If the expression is replaced by a call, the
    /// variable is no longer narrowed in the code that the test guards.
    pub(crate) fn told_by_test(&self, node: NodeId) -> Option<SymbolId> {
        let held = self.here();
        let guarded = self.guarded_by(node)?;
        let own = held.kind(node).span();
        let is_later = |span: oxc_span::Span| span.start >= own.end && span.end <= guarded.end;
        held.scoping().symbol_ids().find(|symbol| {
            let (mut is_asked, mut is_used) = (false, false);
            for reference in held.scoping().get_resolved_references(*symbol) {
                let span = held.kind(reference.node_id()).span();
                is_asked |= own.start <= span.start && span.end <= own.end;
                is_used |= is_later(span);
            }
            is_asked && is_used && (self.may_be_several(*symbol) || self.spelled_as_several(*symbol))
        })
    }

    fn spelled_as_several(&self, symbol: SymbolId) -> bool {
        let several = |it: Spelled| it.members().len() > 1 || matches!(it.text.as_str(), "unknown" | "object" | "{}");
        self.spelled_symbol(HERE, symbol).is_some_and(several)
    }

    fn shown_at(&self, node: NodeId, symbol: SymbolId) -> Shown {
        let held = self.here();
        let home = held.scoping().get_node_id(held.scoping().symbol_scope_id(symbol));
        let is_fixed = !held.scoping().symbol_is_mutated(symbol);
        let mut shown = Shown::default();
        let mut inner = held.kind(node).span();
        for around in held.chain(node).skip(1) {
            let kind = held.kind(around);
            let found = match kind {
                AstKind::IfStatement(it) if it.test.span() != inner => {
                    self.told(&it.test, it.consequent.span() == inner, symbol)
                }
                AstKind::ConditionalExpression(it) if it.test.span() != inner => {
                    self.told(&it.test, it.consequent.span() == inner, symbol)
                }
                AstKind::LogicalExpression(it) if it.right.span() == inner => {
                    self.told(&it.left, it.operator == LogicalOperator::And, symbol)
                }
                AstKind::WhileStatement(it) if it.body.span() == inner => self.told(&it.test, true, symbol),
                AstKind::ForStatement(it) if it.body.span() == inner => {
                    it.test.as_ref().map_or(Shown::default(), |test| self.told(test, true, symbol))
                }
                AstKind::SwitchCase(_) => match held.parent_kind(around) {
                    AstKind::SwitchStatement(it) if self.mentions(&it.discriminant, symbol) => Shown::MORE,
                    _ => Shown::default(),
                },
                AstKind::BlockStatement(it) => self.told_before(&it.body, inner, symbol),
                AstKind::FunctionBody(it) => self.told_before(&it.statements, inner, symbol),
                AstKind::Program(it) => self.told_before(&it.body, inner, symbol),
                _ => Shown::default(),
            };
            shown = shown.and(found);
            let is_function = matches!(kind, AstKind::Function(_) | AstKind::ArrowFunctionExpression(_));
            if around == home || is_function && !is_fixed {
                break;
            }
            inner = kind.span();
        }
        shown
    }

    /// Returns the facts that early exits establish for the code after them.
    fn told_before(&self, list: &'w [Statement<'w>], place: oxc_span::Span, symbol: SymbolId) -> Shown {
        let before = list.iter().take_while(|statement| statement.span().end <= place.start);
        before.fold(Shown::default(), |shown, statement| match statement {
            Statement::IfStatement(it) if it.alternate.is_none() && leaves(&it.consequent) => {
                shown.and(self.told(&it.test, false, symbol))
            }
            // `if (a == null) { a = b; }`
            Statement::IfStatement(it) if it.alternate.is_none() => match self.assigned_by(&it.consequent, symbol) {
                Some(assigned) if assigned == Shown::PRESENT => shown.and(self.told(&it.test, false, symbol)),
                Some(_) => Shown { more: true, ..Shown::default() },
                None => shown,
            },
            other => self.assigned_by(other, symbol).unwrap_or(shown),
        })
    }

    /// Returns the facts after an assignment at the end of a statement.
    fn assigned_by(&self, statement: &'w Statement<'w>, symbol: SymbolId) -> Option<Shown> {
        match statement {
            Statement::BlockStatement(block) => block.body.iter().rev().find_map(|it| self.assigned_by(it, symbol)),
            Statement::ExpressionStatement(it) => {
                let Expression::AssignmentExpression(assignment) = &it.expression else { return None };
                let AssignmentTarget::AssignmentTargetIdentifier(name) = &assignment.left else { return None };
                if self.resolved(HERE, name) != Some(symbol) {
                    return None;
                }
                let present = self.spelled_value(HERE, &assignment.right).is_some_and(|value| !value.is_nullable());
                Some(if present { Shown::PRESENT } else { Shown { more: true, ..Shown::default() } })
            }
            _ => None,
        }
    }

    /// Returns the facts about a variable if a test has this result.
    fn told(&self, test: &'w Expression<'w>, truth: bool, symbol: SymbolId) -> Shown {
        match test {
            Expression::ParenthesizedExpression(it) => self.told(&it.expression, truth, symbol),
            Expression::UnaryExpression(it) if it.operator == UnaryOperator::LogicalNot => {
                self.told(&it.argument, !truth, symbol)
            }
            Expression::LogicalExpression(it) if (it.operator == LogicalOperator::And) == truth => {
                self.told(&it.left, truth, symbol).and(self.told(&it.right, truth, symbol))
            }
            Expression::Identifier(_) if truth && self.is_it(test, symbol) => Shown::PRESENT,
            Expression::ChainExpression(_) if truth && self.mentions(test, symbol) => Shown::PRESENT,
            // `a.done`: of several types, those with a truthy value.
            Expression::StaticMemberExpression(_) | Expression::ComputedMemberExpression(_)
                if self.mentions(test, symbol) && self.may_be_several(symbol) =>
            {
                if truth {
                    Shown::MORE
                } else {
                    Shown { more: true, ..Shown::default() }
                }
            }
            Expression::CallExpression(it) => {
                let given = it.arguments.iter().filter_map(Argument::as_expression).any(|it| self.is_it(it, symbol));
                if given && truth { Shown::MORE } else { Shown { more: given, ..Shown::default() } }
            }
            Expression::BinaryExpression(it) => self.told_by_comparison(it, truth, symbol),
            _ => Shown::default(),
        }
    }

    /// Returns whether a variable may have several types.
    fn may_be_several(&self, symbol: SymbolId) -> bool {
        let known = self.symbol_type(HERE, symbol);
        !matches!(
            known,
            Ty::Instance(..)
                | Ty::Static(_)
                | Ty::Literal(..)
                | Ty::Builtin(..)
                | Ty::Call(_)
                | Ty::Tuple(_)
                | Ty::Plain
        )
    }

    fn told_by_comparison(&self, it: &'w BinaryExpression<'w>, truth: bool, symbol: SymbolId) -> Shown {
        let (left, right) = (self.is_it(&it.left, symbol), self.is_it(&it.right, symbol));
        let other = if left { &it.right } else { &it.left };
        let is_undefined = matches!(other, Expression::Identifier(name) if name.name == "undefined");
        let is_null = matches!(other, Expression::NullLiteral(_));
        let differs = match it.operator {
            BinaryOperator::Equality | BinaryOperator::StrictEquality => !truth,
            BinaryOperator::Inequality | BinaryOperator::StrictInequality => truth,
            // `instanceof`, `in`
            _ if it.operator.is_relational() => {
                return if self.mentions(&it.left, symbol) || right { Shown::MORE } else { Shown::default() };
            }
            _ => return Shown::default(),
        };
        if left || right {
            let loose = matches!(it.operator, BinaryOperator::Equality | BinaryOperator::Inequality);
            return match (is_null || is_undefined, differs) {
                (true, true) => Shown { not_null: is_null || loose, not_undefined: is_undefined || loose, more: false },
                (true, false) => Shown::default(),
                (false, _) => Shown { more: true, ..Shown::default() },
            };
        }
        // `typeof a == "string"`, `a.kind == "b"`
        let mentions = self.mentions(&it.left, symbol) || self.mentions(&it.right, symbol);
        if mentions { Shown { more: true, ..Shown::PRESENT } } else { Shown::default() }
    }

    fn is_it(&self, value: &'w Expression<'w>, symbol: SymbolId) -> bool {
        matches!(value, Expression::Identifier(name) if self.resolved(HERE, name) == Some(symbol))
    }

    /// Returns whether an expression reads the variable or its members: `typeof a`, `a?.b`, `a.b.c`.
    fn mentions(&self, value: &'w Expression<'w>, symbol: SymbolId) -> bool {
        let mut next = value;
        loop {
            next = match next {
                Expression::UnaryExpression(it) => &it.argument,
                Expression::ParenthesizedExpression(it) => &it.expression,
                Expression::StaticMemberExpression(it) => &it.object,
                Expression::ComputedMemberExpression(it) => &it.object,
                Expression::CallExpression(it) => &it.callee,
                Expression::ChainExpression(it) => match &it.expression {
                    ChainElement::StaticMemberExpression(it) => &it.object,
                    ChainElement::ComputedMemberExpression(it) => &it.object,
                    ChainElement::CallExpression(it) => &it.callee,
                    _ => return false,
                },
                other => return self.is_it(other, symbol),
            };
        }
    }
}
