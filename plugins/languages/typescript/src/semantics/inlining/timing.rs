//! Checks that a value is the same at its uses as at its declaration. This depends on the code that runs in between,
//! and on how often and when the value is evaluated.

use marquetry_sdk::Result;
use oxc_ast::AstKind;
use oxc_ast::ast::Expression;
use oxc_semantic::NodeId;
use oxc_span::{GetSpan as _, Span};

use crate::semantics::effects::{self, Effects, contains};
use crate::semantics::enclosing_context::{EnclosingContext, enclosing_context};
use crate::semantics::inlining::target::{InlineTarget, TargetValue};
use crate::semantics::inlining::variable::{InlinedVariable, Use};
use crate::semantics::obstacles::Obstacle;
use crate::semantics::refusal_at;

impl<'a> InlinedVariable<'_, 'a> {
    /// Refuses values that would be evaluated at another time with another result, or a different number of times.
    pub(crate) fn check_evaluation_times(&self, uses: &[Use<'a>]) -> Result<()> {
        let (code, target) = (self.code, self.target);
        let mut effects = Effects::default();
        for part in target.repeated_parts() {
            effects.add(code.effects_of(target.declaration, part));
        }
        if !target.steps.is_empty() {
            effects.creates_object = false;
            effects.members.insert("[]".to_owned());
            effects.objects.insert(code.source(target.value.span()).to_owned());
            effects.read_members(code.semantic(), target.step_names());
        }
        let name = target.name;
        let is_repeated = uses.len() > 1 || target.binds_other_names || target.is_kept;
        if effects.has_side_effects && is_repeated {
            let message = format!("the initial value of `{name}` has side effects that would happen more than once");
            return Err(
                refusal_at(message, uses[0].span).hint("such a variable can only be inlined if it is used once")
            );
        }
        if effects.creates_object && uses.len() > 1 {
            let message = format!("each use of `{name}` would create a new object");
            return Err(refusal_at(message, uses[1].span).hint("the uses share one object now"));
        }
        if let Some(written) = uses.iter().find(|found| self.is_object_of_write(found)).filter(|_| uses.len() > 1)
            && creates_unique_object(target)
        {
            let message = format!("a member of `{name}` is assigned, and each use would create a new object");
            return Err(refusal_at(message, written.span).hint("the uses share one object now"));
        }
        let home = code.parent(target.declaration);
        let end = target.value.span().end;
        let last = uses.iter().map(|found| found.span.start).max().unwrap_or(end);
        let first_obstacle = |until: u32| effects.first_obstacle(code.semantic(), home, Span::new(end, until.max(end)));
        let timing = EvaluationTiming {
            container: home,
            end,
            is_written_later: effects.reads_shared
                || effects.is_written_in(code.semantic(), Span::new(end, code.text().len() as u32))
                || effects.is_changed_by_loop(code.semantic(), target.declaration),
            first_obstacle: first_obstacle(last),
            any_later_obstacle: first_obstacle(code.span(home).end),
            effects: effects.clone(),
        };
        uses.iter().try_for_each(|found| self.check_use(&timing, found))
    }

    /// Returns whether a member of the used value is written: `a.b = 1`.
    fn is_object_of_write(&self, found: &Use<'a>) -> bool {
        let is_object = effects::member_access(&found.around).is_some_and(|(_, object)| object.span() == found.span);
        let member = self.code.parent(found.node);
        is_object && effects::is_written(&self.code.parent_kind(member), self.code.span(member))
    }

    fn check_use(&self, timing: &EvaluationTiming, found: &Use<'a>) -> Result<()> {
        let (target, effects, home, end) = (self.target, &timing.effects, timing.container, timing.end);
        let name = target.name;
        let is_inside = contains(self.code.span(home), found.span);
        let path = match is_inside {
            true => enclosing_context(self.code.semantic(), found.node, home),
            false => EnclosingContext::default(),
        };
        let refuse = |message: String, hint: &str| Err(refusal_at(message, found.span).hint(hint));
        if !is_inside || found.span.start < end && !path.in_function {
            return refuse(
                format!("`{name}` is used where it may not be initialized yet"),
                "first move its declaration up",
            );
        }
        if effects.uses_this && path.own_this {
            return refuse(
                "`this` has a different value where the variable is used".to_owned(),
                "the initial value needs the `this` of its declaration",
            );
        }
        if is_jsx_tag_name(&found.around) && !is_valid_tag_name(target) {
            return refuse(format!("`{name}` is used as a JSX element name"), "only a name is allowed there");
        }
        let often = path.in_loop || path.in_function;
        if effects.has_side_effects && (often || path.conditional || path.in_try) {
            let message =
                format!("the initial value of `{name}` has side effects that would happen at a different time");
            return refuse(message, "it is used in a branch, a loop or another function");
        }
        if effects.creates_object && often {
            let message = format!("`{name}` would be a new object in each iteration or call");
            return refuse(message, "it is used in a loop or a function");
        }
        if often && timing.is_written_later {
            let message = format!("the initial value of `{name}` may have changed when it is used");
            return refuse(message, "it depends on a variable that is reassigned");
        }
        let obstacle = match often {
            true => timing.any_later_obstacle,
            false => timing.first_obstacle.filter(|it| it.effect_end <= found.span.start),
        };
        let Some(obstacle) = obstacle else { return Ok(()) };
        let line = self.code.source(obstacle.span).lines().next().unwrap_or_default();
        let message = format!("`{line}` runs between the declaration of `{name}` and its use");
        Err(refusal_at(message, obstacle.span).hint("the order of the two may affect the result"))
    }
}

/// Facts about when the value is evaluated, before and after inlining.
struct EvaluationTiming {
    effects: Effects,
    /// The node that contains the declaration.
    container: NodeId,
    /// The end of the value.
    end: u32,
    /// True if a variable that the value reads is written later.
    is_written_later: bool,
    /// The first obstacle between the value and its uses.
    first_obstacle: Option<Obstacle>,
    /// The first obstacle anywhere after the value.
    any_later_obstacle: Option<Obstacle>,
}

/// Returns whether the value is a function or class, of which each copy would be a different object.
fn creates_unique_object(target: &InlineTarget<'_, '_>) -> bool {
    let TargetValue::Expression(value) = target.value else { return false };
    matches!(
        value.get_inner_expression(),
        Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_) | Expression::ClassExpression(_)
    )
}

/// Returns whether the name is that of a JSX element.
fn is_jsx_tag_name(around: &AstKind<'_>) -> bool {
    matches!(around, AstKind::JSXOpeningElement(_) | AstKind::JSXClosingElement(_) | AstKind::JSXMemberExpression(_))
}

/// Returns whether the value is a name or a member of one, so that it can be the name of an element.
fn is_valid_tag_name(target: &InlineTarget<'_, '_>) -> bool {
    let TargetValue::Expression(value) = target.value else { return false };
    let mut next = value;
    loop {
        next = match next {
            Expression::Identifier(_) | Expression::ThisExpression(_) => return target.steps.is_empty(),
            Expression::StaticMemberExpression(it) if !it.optional => &it.object,
            _ => return false,
        };
    }
}
