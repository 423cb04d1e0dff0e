//! Finding places where a declaration yields the same value.

use marquetry_sdk::refactor::refactor_failure;
use marquetry_sdk::{Failure, Result};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, ScopeId};
use oxc_span::{GetSpan as _, Span};

use crate::semantics::effects::{self, Effects, contains};
use crate::semantics::names::FreeName;
use crate::semantics::selected_expression::{self, ChosenExpression};
use crate::semantics::words::name_offsets;
use crate::semantics::{Semantics, positions};
use crate::syntax::spans::{IntoOxc as _, statement_span};

/// A place for a declaration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeclarationSpot {
    pub(crate) kind: SpotKind,
    /// The node whose statement list gets the declaration, or the node in which new braces create such a list.
    pub(crate) list: NodeId,
    /// The node before which the declaration is inserted.
    pub(crate) before: Span,
    /// The scope of the declaration.
    pub(crate) scope: ScopeId,
    /// True if a function is between the declaration and the expression.
    pub(crate) leaves_function: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpotKind {
    /// Before a statement of a list.
    Statement,
    /// Before another variable of the same declaration.
    Declarator,
    /// In new braces around the body of an arrow function.
    Arrow,
    /// In new braces around the only statement of a branch or loop.
    Branch,
}

/// The expression to extract.
pub(crate) struct ExtractedExpression<'e, 'a> {
    pub(crate) code: Semantics<'e, 'a>,
    pub(crate) choice: ChosenExpression<'a>,
    pub(crate) effects: Effects,
    /// Names in the expression that are declared outside of it.
    pub(crate) names: Vec<FreeName<'e>>,
}

impl DeclarationSpot {
    /// Returns whether it is at the top level of the file.
    pub(crate) fn is_outermost(&self) -> bool {
        self.list == NodeId::ROOT
    }

    /// Returns whether the declaration needs new braces.
    pub(crate) fn needs_braces(&self) -> bool {
        matches!(self.kind, SpotKind::Arrow | SpotKind::Branch)
    }
}

impl<'e, 'a> ExtractedExpression<'e, 'a> {
    /// Returns the expression that a selection chooses.
    pub(crate) fn at(code: Semantics<'e, 'a>, selected: marquetry_sdk::Span) -> Result<ExtractedExpression<'e, 'a>> {
        let choice = selected_expression::choose_expression(code.parsed, code.text(), selected)?;
        let node = choice.chosen.node;
        code.check_typeof_string(node)?;
        code.check_static_names(node)?;
        let (mut effects, mut names) = (Effects::default(), Vec::new());
        if choice.part.is_none() {
            effects = code.effects_of(node, choice.value);
            names = effects::used_names(code.semantic(), node, choice.value.into_oxc());
            names.sort_by_key(|name| name.name);
        }
        Ok(ExtractedExpression { code, choice, effects, names })
    }

    /// Returns all spots from the nearest outwards, and the reason why there are none further out.
    pub(crate) fn spots(&self) -> (Vec<DeclarationSpot>, Option<Failure>) {
        let nodes = self.code.semantic().nodes();
        let (mut spots, mut inner, mut leaves_function) = (Vec::new(), self.choice.chosen.node, false);
        for around in nodes.ancestors(self.choice.chosen.node) {
            let kind = around.kind();
            let span = nodes.kind(inner).span();
            let spot = |found| DeclarationSpot {
                kind: found,
                list: around.id(),
                before: if found == SpotKind::Statement { self.statement_with_overloads(&kind, span) } else { span },
                scope: nodes.get_node(inner).scope_id(),
                leaves_function,
            };
            let found = self.spot_kind(&kind, inner);
            if let Some(found) = found {
                if let Err(failure) = self.check_names(&spot(found)) {
                    return (spots, Some(failure));
                }
                spots.push(spot(found));
                // A spot outside of a statement list ends the search for spots further out.
                if found != SpotKind::Statement {
                    return (spots, None);
                }
            }
            if let Err(failure) = self.check_leaving(around.id(), &kind, span) {
                return (spots, Some(failure));
            }
            leaves_function |= is_function(&kind, span);
            inner = around.id();
        }
        (spots, None)
    }

    /// Returns the span of a statement, including decorators and overloads.
    fn statement_with_overloads(&self, list: &AstKind<'a>, span: Span) -> Span {
        let text = self.code.semantic().source_text();
        let index = |list: &&[Statement<'_>]| list.iter().position(|it| it.span() == span);
        let found =
            positions::statement_lists(*list).find_map(|list| Some(positions::with_overloads(list, index(&list)?)));
        found.map(|found| statement_span(found, text)).map_or(span, |found| Span::new(found.start, found.end))
    }

    /// Returns the kind of spot that a node offers for one of its children.
    fn spot_kind(&self, around: &AstKind<'a>, inner: NodeId) -> Option<SpotKind> {
        let nodes = self.code.semantic().nodes();
        let kind = nodes.kind(inner);
        let span = kind.span();
        let is_constant = self.effects.is_constant();
        match around {
            _ if positions::is_statement_list(around) => {
                let mut statements = positions::statement_lists(*around).flatten();
                let is_listed = matches!(kind, AstKind::Directive(_)) || statements.any(|it| it.span() == span);
                is_listed.then_some(SpotKind::Statement)
            }
            AstKind::VariableDeclaration(it) => {
                let first = it.declarations.first().is_some_and(|first| first.span == span);
                let earlier = Span::new(it.span.start, span.start);
                let depends = |name: &FreeName<'_>| {
                    name.symbol
                        .is_some_and(|symbol| contains(earlier, self.code.semantic().scoping().symbol_span(symbol)))
                };
                let needs = !first
                    && (self.names.iter().any(depends)
                        || self.effects.first_obstacle(self.code.semantic(), it.node_id.get(), earlier).is_some());
                needs.then_some(SpotKind::Declarator)
            }
            AstKind::ArrowFunctionExpression(it) => {
                let is_body = !it.body.is_function_body() && it.body.span() == span;
                let is_own = |name: &FreeName<'_>| {
                    name.symbol
                        .is_some_and(|symbol| contains(it.span, self.code.semantic().scoping().symbol_span(symbol)))
                };
                (is_body && (!is_constant || self.names.iter().any(is_own))).then_some(SpotKind::Arrow)
            }
            AstKind::IfStatement(_)
            | AstKind::WhileStatement(_)
            | AstKind::DoWhileStatement(_)
            | AstKind::ForStatement(_)
            | AstKind::ForInStatement(_)
            | AstKind::ForOfStatement(_)
            | AstKind::WithStatement(_)
                if !is_constant && !matches!(kind, AstKind::BlockStatement(_) | AstKind::IfStatement(_)) =>
            {
                let mut bodies = positions::statement_lists(*around).flatten();
                bodies.any(|body| body.span() == span).then_some(SpotKind::Branch)
            }
            _ => None,
        }
    }

    /// Returns the returned expression of an arrow function that gets braces, without parentheses.
    pub(crate) fn returned(&self, spot: &DeclarationSpot) -> Span {
        let AstKind::ArrowFunctionExpression(arrow) = self.code.kind(spot.list) else { return spot.before };
        match arrow.body.as_expression() {
            Some(Expression::ParenthesizedExpression(it))
                if !self.code.source(it.expression.span()).contains('\n')
                    && !self.code.has_comments_in(it.span)
                    && self.choice.chosen.kind.span() != it.span =>
            {
                it.expression.span()
            }
            _ => spot.before,
        }
    }

    /// Refuses to move the expression out of a node in which it runs conditionally or repeatedly.
    fn check_leaving(&self, node: NodeId, around: &AstKind<'a>, inner: Span) -> Result<()> {
        let (semantic, effects) = (self.code.semantic(), &self.effects);
        if effects.is_constant() && !effects.uses_this {
            return Ok(());
        }
        if is_function(around, inner) {
            let message = match around {
                AstKind::PropertyDefinition(_) | AstKind::AccessorProperty(_) if !effects.uses_this => {
                    "the expression runs for each instance and would run only once"
                }
                _ if effects.is_constant() => "the expression needs the `this` of its current position",
                _ => "the expression runs in each call and would run only once",
            };
            return Err(
                refactor_failure(message).hint("choose a narrower `scope`, or an expression with a constant value")
            );
        }
        if effects.is_constant() {
            return Ok(());
        }
        let is_tried = matches!(around, AstKind::TryStatement(it) if it.block.span == inner);
        if is_tried && (effects.has_side_effects || !effects.members.is_empty()) {
            return Err(refactor_failure("the `try` around the expression would no longer handle its errors")
                .hint("extract it inside the `try`: choose a narrower `scope`"));
        }
        let repeats = match around {
            AstKind::WhileStatement(_) | AstKind::DoWhileStatement(_) => true,
            AstKind::ForStatement(it) => !it.init.as_ref().is_some_and(|init| init.span() == inner),
            AstKind::ForInStatement(it) => it.right.span() != inner,
            AstKind::ForOfStatement(it) => it.right.span() != inner,
            _ => false,
        };
        let is_whole_test = matches!(around, AstKind::WhileStatement(_) | AstKind::DoWhileStatement(_))
            && semantic.nodes().kind(self.choice.chosen.node).span() == inner;
        if repeats
            && (effects.has_side_effects
                || effects.creates_object
                || is_whole_test
                || effects.first_obstacle(semantic, node, around.span()).is_some())
        {
            return Err(refactor_failure("the expression runs in each iteration of a loop and would run only once")
                .hint("extract it inside the loop, or select a part that does not change in the loop"));
        }
        let Some(condition) = condition(around, inner) else { return Ok(()) };
        if effects.has_side_effects {
            return Err(refactor_failure("the expression runs only under a condition and would always run")
                .hint("extract the whole expression with the condition"));
        }
        let condition = condition.source_text(semantic.source_text());
        let is_guarded =
            |object: &String| name_offsets(condition, object).next().is_some() || self.may_be_missing(object);
        if effects.objects.iter().any(is_guarded) {
            return Err(refactor_failure("the expression may only be safe to evaluate after the condition before it")
                .hint("extract the whole expression with the condition"));
        }
        Ok(())
    }

    /// Returns whether an object is a variable without a certain value: `let o`, `const o = a ? b : undefined`.
    fn may_be_missing(&self, object: &str) -> bool {
        let symbol = self.names.iter().find(|name| name.name == object).and_then(|name| name.symbol);
        let declared = symbol.map(|it| self.code.kind(self.code.declaration_of(it)));
        match declared {
            Some(AstKind::VariableDeclarator(variable)) => match &variable.init {
                None => true,
                Some(value) => matches!(
                    value.get_inner_expression(),
                    Expression::ConditionalExpression(_)
                        | Expression::LogicalExpression(_)
                        | Expression::ChainExpression(_)
                ),
            },
            Some(AstKind::FormalParameter(it)) => it.optional,
            _ => false,
        }
    }

    /// Refuses a spot where names in the expression have a different meaning or are not initialized.
    fn check_names(&self, spot: &DeclarationSpot) -> Result<()> {
        let scoping = self.code.semantic().scoping();
        for name in &self.names {
            let found = scoping.find_binding(spot.scope, Ident::from(name.name));
            let is_set = |symbol| {
                let declared = self.code.semantic().nodes().kind(scoping.symbol_declaration(symbol));
                let must_run = matches!(declared, AstKind::VariableDeclarator(_) | AstKind::Class(_));
                !must_run || scoping.symbol_span(symbol).start < spot.before.start
            };
            let is_own = |symbol| spot.kind == SpotKind::Declarator && scoping.symbol_scope_id(symbol) == spot.scope;
            if found != name.symbol || found.is_some_and(|symbol| !is_set(symbol) && !is_own(symbol)) {
                return Err(refactor_failure(format!("`{}` is not in scope at the new declaration", name.name))
                    .hint("choose a narrower `scope`"));
            }
        }
        Ok(())
    }
}

/// Returns whether the child of a node runs when the node is called.
pub(crate) fn is_function(around: &AstKind<'_>, inner: Span) -> bool {
    match around {
        AstKind::Function(_) | AstKind::ArrowFunctionExpression(_) | AstKind::StaticBlock(_) => true,
        AstKind::PropertyDefinition(it) => it.key.span() != inner && !it.decorators.iter().any(|it| it.span == inner),
        AstKind::AccessorProperty(it) => it.key.span() != inner,
        _ => false,
    }
}

/// Returns the condition that is evaluated before a child of a node runs.
fn condition(around: &AstKind<'_>, inner: Span) -> Option<Span> {
    let unless = |is_first: bool, asked: Span| (!is_first).then_some(asked);
    match around {
        AstKind::IfStatement(it) => unless(it.test.span() == inner, it.test.span()),
        AstKind::ConditionalExpression(it) => unless(it.test.span() == inner, it.test.span()),
        AstKind::LogicalExpression(it) => unless(it.left.span() == inner, it.left.span()),
        AstKind::AssignmentExpression(it) => {
            unless(!it.operator.is_logical() || it.left.span() == inner, it.left.span())
        }
        AstKind::SwitchCase(it) => Some(it.span),
        AstKind::AssignmentPattern(it) => unless(it.left.span() == inner, it.left.span()),
        AstKind::FormalParameter(it) => Some(it.span),
        AstKind::AssignmentTargetWithDefault(it) => Some(it.binding.span()),
        AstKind::WhileStatement(it) => unless(it.test.span() == inner, it.test.span()),
        AstKind::CatchClause(it) => Some(it.span),
        AstKind::CallExpression(it) if it.optional || is_optional(&it.callee) => {
            unless(it.callee.span() == inner, it.callee.span())
        }
        AstKind::ComputedMemberExpression(it) if it.optional || is_optional(&it.object) => {
            unless(it.object.span() == inner, it.object.span())
        }
        _ => None,
    }
}

/// Returns whether a part of a chain may end the evaluation of the whole chain, like `a?.b` in `a?.b.c(d)`.
fn is_optional(part: &Expression<'_>) -> bool {
    match part {
        Expression::CallExpression(it) => it.optional || is_optional(&it.callee),
        Expression::StaticMemberExpression(it) => it.optional || is_optional(&it.object),
        Expression::ComputedMemberExpression(it) => it.optional || is_optional(&it.object),
        Expression::PrivateFieldExpression(it) => it.optional || is_optional(&it.object),
        Expression::TSNonNullExpression(it) => is_optional(&it.expression),
        _ => false,
    }
}
