//! Checks that a value is the same at its uses as at its declaration. This depends on the code that runs in between,
//! and on how often and when the value is evaluated.

use marquetry_sdk::Result;
use oxc_ast::AstKind;
use oxc_semantic::NodeId;
use oxc_span::{GetSpan as _, Span};

use super::target::InlineTarget;
use super::{Inlining, Use, refusal};
use crate::semantics::effects::{self, Effects, EnclosingContext, Obstacle, contains};
use crate::syntax::spans::to_sdk_span;

impl<'a> Inlining<'_, 'a> {
    /// Refuses values that would be evaluated at another time with another result, or a different number of times.
    pub(super) fn check_evaluation_times(&self, target: &InlineTarget<'a>, uses: &[Use<'a>]) -> Result<()> {
        let nodes = self.semantic.nodes();
        let mut effects = effects::effects_of(self.semantic, target.declaration, target.value.span());
        for part in target.repeated_parts().skip(1) {
            merge_effects(&mut effects, effects::effects_of(self.semantic, target.declaration, part));
        }
        if !target.steps.is_empty() {
            effects.creates_object = false;
            effects.members.insert("[]".to_owned());
            effects.objects.insert(to_sdk_span(target.value.span()).slice(self.text()).to_owned());
        }
        let name = target.name;
        let is_repeated = uses.len() > 1 || target.binds_other_names || target.is_kept;
        if effects.has_side_effects && is_repeated {
            let message = format!("the initial value of `{name}` has side effects that would happen more than once");
            return Err(refusal(message, "such a variable can only be inlined if it is used once")
                .at(to_sdk_span(uses[0].span)));
        }
        if effects.creates_object && uses.len() > 1 {
            let message = format!("each use of `{name}` would create a new object");
            return Err(refusal(message, "the uses share one object now").at(to_sdk_span(uses[1].span)));
        }
        if let Some(written) = uses.iter().find(|found| self.is_object_of_write(found)).filter(|_| uses.len() > 1)
            && creates_unique_object(target)
        {
            let message = format!("a member of `{name}` is assigned, and each use would create a new object");
            return Err(refusal(message, "the uses share one object now").at(to_sdk_span(written.span)));
        }
        let home = nodes.parent_id(target.declaration);
        let end = target.value.span().end;
        let last = uses.iter().map(|found| found.span.start).max().unwrap_or(end);
        let stretch = |until: u32| Span::new(end, until.max(end));
        let all = stretch(nodes.kind(home).span().end);
        let whole = Span::new(end, self.text().len() as u32);
        let timing = EvaluationTiming {
            container: home,
            end,
            is_written_later: effects.reads_shared || effects.is_written_in(self.semantic, whole),
            first_obstacle: effects.first_obstacle(self.semantic, home, stretch(last)),
            any_later_obstacle: effects.first_obstacle(self.semantic, home, all),
            effects,
        };
        for found in uses {
            self.check_use(target, &timing, found)?;
        }
        Ok(())
    }

    /// Returns whether a member of the used value is written: `a.b = 1`.
    fn is_object_of_write(&self, found: &Use<'a>) -> bool {
        let nodes = self.semantic.nodes();
        let is_object = effects::member_access(&found.around).is_some_and(|(_, object)| object.span() == found.span);
        let member = nodes.parent_id(found.node);
        is_object && effects::is_written(&nodes.parent_kind(member), nodes.kind(member).span())
    }

    fn check_use(&self, target: &InlineTarget<'a>, timing: &EvaluationTiming, found: &Use<'a>) -> Result<()> {
        let (name, effects, home, end) = (target.name, &timing.effects, timing.container, timing.end);
        let is_inside = contains(self.semantic.nodes().kind(home).span(), found.span);
        let path = if is_inside {
            effects::enclosing_context(self.semantic, found.node, home)
        } else {
            EnclosingContext::default()
        };
        let at = |failure: marquetry_sdk::Failure| Err(failure.at(to_sdk_span(found.span)));
        if !is_inside || found.span.start < end && !path.in_function {
            return at(refusal(
                format!("`{name}` is used where it may not be initialized yet"),
                "first move its declaration up",
            ));
        }
        if effects.uses_this && path.own_this {
            return at(refusal(
                "`this` has a different value where the variable is used",
                "the initial value needs the `this` of its declaration",
            ));
        }
        if is_jsx_tag_name(&found.around) && !is_valid_tag_name(target) {
            return at(refusal(format!("`{name}` is used as a JSX element name"), "only a name is allowed there"));
        }
        let often = path.in_loop || path.in_function;
        if effects.has_side_effects && (often || path.conditional || path.in_try) {
            let message =
                format!("the initial value of `{name}` has side effects that would happen at a different time");
            return at(refusal(message, "it is used in a branch, a loop or another function"));
        }
        if effects.creates_object && often {
            let message = format!("`{name}` would be a new object in each iteration or call");
            return at(refusal(message, "it is used in a loop or a function"));
        }
        if often && timing.is_written_later {
            let message = format!("the initial value of `{name}` may have changed when it is used");
            return at(refusal(message, "it depends on a variable that is reassigned"));
        }
        let obstacle = if often {
            timing.any_later_obstacle
        } else {
            timing.first_obstacle.filter(|it| it.effect_end <= found.span.start)
        };
        match obstacle {
            None => Ok(()),
            Some(obstacle) => {
                let place = to_sdk_span(obstacle.span);
                let line = place.slice(self.text()).lines().next().unwrap_or_default();
                let message = format!("`{line}` runs between the declaration of `{name}` and its use");
                Err(refusal(message, "the order of the two may affect the result").at(place))
            }
        }
    }
}

/// Facts about when the value is evaluated, before and after inlining.
struct EvaluationTiming {
    effects: Effects,
    /// The node that contains the declaration.
    container: NodeId,
    /// The end of the value.
    end: u32,
    /// True if a variable that it reads is written later.
    is_written_later: bool,
    /// The first obstacle between the value and its uses.
    first_obstacle: Option<Obstacle>,
    /// The first obstacle anywhere after the value.
    any_later_obstacle: Option<Obstacle>,
}

fn merge_effects(effects: &mut Effects, other: Effects) {
    effects.has_side_effects |= other.has_side_effects;
    effects.suspends |= other.suspends;
    effects.uses_this |= other.uses_this;
    effects.reads_shared |= other.reads_shared;
    effects.reads.extend(other.reads);
    effects.writes.extend(other.writes);
    effects.members.extend(other.members);
    effects.objects.extend(other.objects);
}

/// Returns whether the value is a function or class, of which each copy would be a different object.
fn creates_unique_object(target: &InlineTarget<'_>) -> bool {
    use oxc_ast::ast::Expression;
    let super::target::TargetValue::Expression(value) = target.value else { return false };
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
fn is_valid_tag_name(target: &InlineTarget<'_>) -> bool {
    use oxc_ast::ast::Expression;
    let super::target::TargetValue::Expression(value) = target.value else { return false };
    let mut next = value;
    loop {
        next = match next {
            Expression::Identifier(_) | Expression::ThisExpression(_) => return target.steps.is_empty(),
            Expression::StaticMemberExpression(it) if !it.optional => &it.object,
            _ => return false,
        };
    }
}
