//! Prints narrowed types of variables: tests remove `undefined` and `null`.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan as _;

use crate::infer::checker::Checker;
use crate::infer::narrowing::always_exits;
use crate::infer::ty::Ty;
use crate::infer::type_printer::PrintedType;
use crate::program::ids::OPEN_DOCUMENT;

/// Facts about a variable that tests establish.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct NullishFacts {
    not_null: bool,
    not_undefined: bool,
    /// There is also a fact whose effect on the type cannot be printed: a type guard, a `typeof`, a discriminant.
    other_facts: bool,
}

impl NullishFacts {
    const NOT_NULLISH: NullishFacts = NullishFacts { not_null: true, not_undefined: true, other_facts: false };
    const OTHER: NullishFacts = NullishFacts { not_null: true, not_undefined: true, other_facts: true };

    fn merge(self, other: NullishFacts) -> NullishFacts {
        NullishFacts {
            not_null: self.not_null || other.not_null,
            not_undefined: self.not_undefined || other.not_undefined,
            other_facts: self.other_facts || other.other_facts,
        }
    }
}

impl<'w> Checker<'w> {
    /// Returns the type of a variable of the open document at a node.
    pub(crate) fn print_type_at(&self, node: NodeId, symbol: SymbolId) -> Option<PrintedType> {
        let printed = self.print_symbol(OPEN_DOCUMENT, symbol)?;
        let shown = self.nullish_facts_at(node, symbol);
        if shown == NullishFacts::default() {
            return Some(printed);
        }
        let left = printed.without_members(|member| {
            member == "null" && shown.not_null || matches!(member, "undefined" | "void") && shown.not_undefined
        });
        // Other facts do not matter if only one alternative is left, or if the type is primitive.
        let is_plain = matches!(left.text.as_str(), "any" | "string" | "number" | "boolean" | "bigint");
        let is_last = left.members().len() == 1 && left.text != printed.text;
        (!shown.other_facts || is_plain || is_last).then_some(left)
    }

    /// Returns whether tests around a node narrow a variable. In a function that is declared elsewhere, the variable
    /// would not be narrowed.
    pub(crate) fn is_narrowed(&self, node: NodeId, symbol: SymbolId) -> bool {
        let shown = self.nullish_facts_at(node, symbol);
        shown != NullishFacts::default()
            && self.print_symbol(OPEN_DOCUMENT, symbol).is_none_or(|printed| shown.other_facts || printed.is_nullable())
    }

    /// Returns the code whose execution depends on the test that contains an expression.
    pub(crate) fn guarded_code(&self, node: NodeId) -> Option<oxc_span::Span> {
        let loaded = self.open_module();
        let (mut test, mut whole) = (node, loaded.kind(node).span());
        loop {
            let around = loaded.parent(test);
            match loaded.kind(around) {
                AstKind::LogicalExpression(it) if it.left.span() == whole => return Some(it.span),
                AstKind::LogicalExpression(_)
                | AstKind::ParenthesizedExpression(_)
                | AstKind::UnaryExpression(_)
                | AstKind::StaticMemberExpression(_)
                | AstKind::ComputedMemberExpression(_)
                | AstKind::ChainExpression(_)
                | AstKind::CallExpression(_)
                | AstKind::BinaryExpression(_) => {}
                AstKind::IfStatement(it) if it.test.span() == whole => return Some(loaded.parent_kind(around).span()),
                AstKind::ConditionalExpression(it) if it.test.span() == whole => return Some(it.span),
                AstKind::SwitchStatement(it) if it.discriminant.span() == whole => return Some(it.span),
                AstKind::WhileStatement(it) if it.test.span() == whole => return Some(it.span),
                _ => return None,
            }
            (test, whole) = (around, loaded.kind(around).span());
        }
    }

    /// Returns the variable that a test narrows because of the expression at `node`. If the expression were replaced by
    /// a call, the variable would no longer be narrowed in the code that the test guards.
    pub(crate) fn narrowed_by_test(&self, node: NodeId) -> Option<SymbolId> {
        let loaded = self.open_module();
        let guarded = self.guarded_code(node)?;
        let own = loaded.kind(node).span();
        let is_later = |span: oxc_span::Span| span.start >= own.end && span.end <= guarded.end;
        loaded.scoping().symbol_ids().find(|symbol| {
            let (mut is_asked, mut is_used) = (false, false);
            for reference in loaded.scoping().get_resolved_references(*symbol) {
                let span = loaded.kind(reference.node_id()).span();
                is_asked |= own.start <= span.start && span.end <= own.end;
                is_used |= is_later(span);
            }
            is_asked && is_used && (self.may_be_union(*symbol) || self.prints_as_union(*symbol))
        })
    }

    fn prints_as_union(&self, symbol: SymbolId) -> bool {
        let several =
            |it: PrintedType| it.members().len() > 1 || matches!(it.text.as_str(), "unknown" | "object" | "{}");
        self.print_symbol(OPEN_DOCUMENT, symbol).is_some_and(several)
    }

    fn nullish_facts_at(&self, node: NodeId, symbol: SymbolId) -> NullishFacts {
        let loaded = self.open_module();
        let home = loaded.scoping().get_node_id(loaded.scoping().symbol_scope_id(symbol));
        let is_fixed = !loaded.scoping().symbol_is_mutated(symbol);
        let mut shown = NullishFacts::default();
        let mut inner = loaded.kind(node).span();
        for around in loaded.self_and_ancestors(node).skip(1) {
            let kind = loaded.kind(around);
            let found = match kind {
                AstKind::IfStatement(it) if it.test.span() != inner => {
                    self.nullish_facts_of_test(&it.test, it.consequent.span() == inner, symbol)
                }
                AstKind::ConditionalExpression(it) if it.test.span() != inner => {
                    self.nullish_facts_of_test(&it.test, it.consequent.span() == inner, symbol)
                }
                AstKind::LogicalExpression(it) if it.right.span() == inner => {
                    self.nullish_facts_of_test(&it.left, it.operator == LogicalOperator::And, symbol)
                }
                AstKind::WhileStatement(it) if it.body.span() == inner => {
                    self.nullish_facts_of_test(&it.test, true, symbol)
                }
                AstKind::ForStatement(it) if it.body.span() == inner => it
                    .test
                    .as_ref()
                    .map_or(NullishFacts::default(), |test| self.nullish_facts_of_test(test, true, symbol)),
                AstKind::SwitchCase(_) => match loaded.parent_kind(around) {
                    AstKind::SwitchStatement(it) if self.reads_variable(&it.discriminant, symbol) => {
                        NullishFacts::OTHER
                    }
                    _ => NullishFacts::default(),
                },
                AstKind::BlockStatement(it) => self.nullish_facts_before(&it.body, inner, symbol),
                AstKind::FunctionBody(it) => self.nullish_facts_before(&it.statements, inner, symbol),
                AstKind::Program(it) => self.nullish_facts_before(&it.body, inner, symbol),
                _ => NullishFacts::default(),
            };
            shown = shown.merge(found);
            let is_function = matches!(kind, AstKind::Function(_) | AstKind::ArrowFunctionExpression(_));
            if around == home || is_function && !is_fixed {
                break;
            }
            inner = kind.span();
        }
        shown
    }

    /// Returns the facts that early exits establish for the code after them.
    fn nullish_facts_before(&self, list: &'w [Statement<'w>], place: oxc_span::Span, symbol: SymbolId) -> NullishFacts {
        let before = list.iter().take_while(|statement| statement.span().end <= place.start);
        before.fold(NullishFacts::default(), |shown, statement| match statement {
            Statement::IfStatement(it) if it.alternate.is_none() && always_exits(&it.consequent) => {
                shown.merge(self.nullish_facts_of_test(&it.test, false, symbol))
            }
            // `if (a == null) { a = b; }`
            Statement::IfStatement(it) if it.alternate.is_none() => {
                match self.nullish_facts_of_assignment(&it.consequent, symbol) {
                    Some(assigned) if assigned == NullishFacts::NOT_NULLISH => {
                        shown.merge(self.nullish_facts_of_test(&it.test, false, symbol))
                    }
                    Some(_) => NullishFacts { other_facts: true, ..NullishFacts::default() },
                    None => shown,
                }
            }
            other => self.nullish_facts_of_assignment(other, symbol).unwrap_or(shown),
        })
    }

    /// Returns the facts after an assignment at the end of a statement.
    fn nullish_facts_of_assignment(&self, statement: &'w Statement<'w>, symbol: SymbolId) -> Option<NullishFacts> {
        match statement {
            Statement::BlockStatement(block) => {
                block.body.iter().rev().find_map(|it| self.nullish_facts_of_assignment(it, symbol))
            }
            Statement::ExpressionStatement(it) => {
                let Expression::AssignmentExpression(assignment) = &it.expression else { return None };
                let AssignmentTarget::AssignmentTargetIdentifier(name) = &assignment.left else { return None };
                if self.resolve_identifier(OPEN_DOCUMENT, name) != Some(symbol) {
                    return None;
                }
                let present =
                    self.print_value(OPEN_DOCUMENT, &assignment.right).is_some_and(|value| !value.is_nullable());
                Some(if present {
                    NullishFacts::NOT_NULLISH
                } else {
                    NullishFacts { other_facts: true, ..NullishFacts::default() }
                })
            }
            _ => None,
        }
    }

    /// Returns the facts about a variable if a test has this result.
    fn nullish_facts_of_test(&self, test: &'w Expression<'w>, truth: bool, symbol: SymbolId) -> NullishFacts {
        match test {
            Expression::ParenthesizedExpression(it) => self.nullish_facts_of_test(&it.expression, truth, symbol),
            Expression::UnaryExpression(it) if it.operator == UnaryOperator::LogicalNot => {
                self.nullish_facts_of_test(&it.argument, !truth, symbol)
            }
            Expression::LogicalExpression(it) if (it.operator == LogicalOperator::And) == truth => self
                .nullish_facts_of_test(&it.left, truth, symbol)
                .merge(self.nullish_facts_of_test(&it.right, truth, symbol)),
            Expression::Identifier(_) if truth && self.is_variable(test, symbol) => NullishFacts::NOT_NULLISH,
            Expression::ChainExpression(_) if truth && self.reads_variable(test, symbol) => NullishFacts::NOT_NULLISH,
            // `a.done`: if `a` may have several types, the test selects those in which `done` may be truthy.
            Expression::StaticMemberExpression(_) | Expression::ComputedMemberExpression(_)
                if self.reads_variable(test, symbol) && self.may_be_union(symbol) =>
            {
                if truth {
                    NullishFacts::OTHER
                } else {
                    NullishFacts { other_facts: true, ..NullishFacts::default() }
                }
            }
            Expression::CallExpression(it) => {
                let given =
                    it.arguments.iter().filter_map(Argument::as_expression).any(|it| self.is_variable(it, symbol));
                if given && truth {
                    NullishFacts::OTHER
                } else {
                    NullishFacts { other_facts: given, ..NullishFacts::default() }
                }
            }
            Expression::BinaryExpression(it) => self.nullish_facts_of_comparison(it, truth, symbol),
            _ => NullishFacts::default(),
        }
    }

    /// Returns whether a variable may have several types.
    fn may_be_union(&self, symbol: SymbolId) -> bool {
        let known = self.symbol_type(OPEN_DOCUMENT, symbol);
        !matches!(
            known,
            Ty::Instance(..)
                | Ty::Static(_)
                | Ty::Literal(..)
                | Ty::Builtin(..)
                | Ty::Callable(_)
                | Ty::Tuple(_)
                | Ty::Primitive
        )
    }

    fn nullish_facts_of_comparison(&self, it: &'w BinaryExpression<'w>, truth: bool, symbol: SymbolId) -> NullishFacts {
        let (left, right) = (self.is_variable(&it.left, symbol), self.is_variable(&it.right, symbol));
        let other = if left { &it.right } else { &it.left };
        let is_undefined = matches!(other, Expression::Identifier(name) if name.name == "undefined");
        let is_null = matches!(other, Expression::NullLiteral(_));
        let differs = match it.operator {
            BinaryOperator::Equality | BinaryOperator::StrictEquality => !truth,
            BinaryOperator::Inequality | BinaryOperator::StrictInequality => truth,
            // `instanceof`, `in`
            _ if it.operator.is_relational() => {
                return if self.reads_variable(&it.left, symbol) || right {
                    NullishFacts::OTHER
                } else {
                    NullishFacts::default()
                };
            }
            _ => return NullishFacts::default(),
        };
        if left || right {
            let loose = matches!(it.operator, BinaryOperator::Equality | BinaryOperator::Inequality);
            return match (is_null || is_undefined, differs) {
                (true, true) => NullishFacts {
                    not_null: is_null || loose,
                    not_undefined: is_undefined || loose,
                    other_facts: false,
                },
                (true, false) => NullishFacts::default(),
                (false, _) => NullishFacts { other_facts: true, ..NullishFacts::default() },
            };
        }
        // `typeof a == "string"`, `a.kind == "b"`
        let mentions = self.reads_variable(&it.left, symbol) || self.reads_variable(&it.right, symbol);
        if mentions { NullishFacts { other_facts: true, ..NullishFacts::NOT_NULLISH } } else { NullishFacts::default() }
    }

    fn is_variable(&self, value: &'w Expression<'w>, symbol: SymbolId) -> bool {
        matches!(value, Expression::Identifier(name) if self.resolve_identifier(OPEN_DOCUMENT, name) == Some(symbol))
    }

    /// Returns whether an expression reads the variable or its members: `typeof a`, `a?.b`, `a.b.c`.
    fn reads_variable(&self, value: &'w Expression<'w>, symbol: SymbolId) -> bool {
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
                other => return self.is_variable(other, symbol),
            };
        }
    }
}
