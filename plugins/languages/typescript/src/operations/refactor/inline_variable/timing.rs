//! Check that a value is the same at its uses as at its declaration: what runs in between, how often, and when.

use marquetry_sdk::Result;
use oxc_ast::AstKind;
use oxc_semantic::NodeId;
use oxc_span::{GetSpan as _, Span};

use super::target::Target;
use super::{Inlining, Use, refused, sdk};
use crate::rewrite::effects::{self, Effects, Obstacle, Path, holds};

impl<'a> Inlining<'_, 'a> {
    /// Refuses values that would be evaluated at another time with another result, or a different number of times.
    pub(super) fn check_times(&self, target: &Target<'a>, uses: &[Use<'a>]) -> Result<()> {
        let nodes = self.semantic.nodes();
        let mut effects = effects::effects(self.semantic, target.declaration, target.value.span());
        for part in target.parts().skip(1) {
            join(&mut effects, effects::effects(self.semantic, target.declaration, part));
        }
        if !target.steps.is_empty() {
            effects.makes = false;
            effects.members.insert("[]".to_owned());
            effects.objects.insert(sdk(target.value.span()).of(self.text()).to_owned());
        }
        let name = target.name;
        let is_repeated = uses.len() > 1 || target.has_others || target.stays;
        if effects.acts && is_repeated {
            let message = format!("the initial value of `{name}` has side effects that would happen more than once");
            return Err(refused(message, "such a variable can only be inlined if it is used once")
                .at(sdk(uses[0].span)));
        }
        if effects.makes && uses.len() > 1 {
            let message = format!("each use of `{name}` would create a new object");
            return Err(refused(message, "the uses share one object now").at(sdk(uses[1].span)));
        }
        if let Some(written) = uses.iter().find(|found| self.is_object_of_write(found)).filter(|_| uses.len() > 1)
            && is_made(target)
        {
            let message = format!("a member of `{name}` is assigned, and each use would create a new object");
            return Err(refused(message, "the uses share one object now").at(sdk(written.span)));
        }
        let home = nodes.parent_id(target.declaration);
        let end = target.value.span().end;
        let last = uses.iter().map(|found| found.span.start).max().unwrap_or(end);
        let stretch = |until: u32| Span::new(end, until.max(end));
        let all = stretch(nodes.kind(home).span().end);
        let whole = Span::new(end, self.text().len() as u32);
        let timing = Timing {
            home,
            end,
            changes: effects.reads_shared || effects.is_written_in(self.semantic, whole),
            before: effects.obstacle(self.semantic, home, stretch(last)),
            later: effects.obstacle(self.semantic, home, all),
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
        let is_object = effects::member(&found.around).is_some_and(|(_, object)| object.span() == found.span);
        let member = nodes.parent_id(found.node);
        is_object && effects::is_written(&nodes.parent_kind(member), nodes.kind(member).span())
    }

    fn check_use(&self, target: &Target<'a>, timing: &Timing, found: &Use<'a>) -> Result<()> {
        let (name, effects, home, end) = (target.name, &timing.effects, timing.home, timing.end);
        let is_inside = holds(self.semantic.nodes().kind(home).span(), found.span);
        let path = if is_inside { effects::path(self.semantic, found.node, home) } else { Path::default() };
        let at = |failure: marquetry_sdk::Failure| Err(failure.at(sdk(found.span)));
        if !is_inside || found.span.start < end && !path.in_function {
            return at(refused(
                format!("`{name}` is used where it may not be initialized yet"),
                "first move its declaration up",
            ));
        }
        if effects.uses_this && path.own_this {
            return at(refused(
                "`this` has a different value where the variable is used",
                "the initial value needs the `this` of its declaration",
            ));
        }
        if is_tag(&found.around) && !is_path(target) {
            return at(refused(format!("`{name}` is used as a JSX element name"), "only a name is allowed there"));
        }
        let often = path.in_loop || path.in_function;
        if effects.acts && (often || path.conditional || path.in_try) {
            let message =
                format!("the initial value of `{name}` has side effects that would happen at a different time");
            return at(refused(message, "it is used in a branch, a loop or another function"));
        }
        if effects.makes && often {
            let message = format!("`{name}` would be a new object in each iteration or call");
            return at(refused(message, "it is used in a loop or a function"));
        }
        if often && timing.changes {
            let message = format!("the initial value of `{name}` may have changed when it is used");
            return at(refused(message, "it depends on a variable that is reassigned"));
        }
        let obstacle = if often { timing.later } else { timing.before.filter(|it| it.done <= found.span.start) };
        match obstacle {
            None => Ok(()),
            Some(obstacle) => {
                let place = sdk(obstacle.span);
                let line = place.of(self.text()).lines().next().unwrap_or_default();
                let message = format!("`{line}` runs between the declaration of `{name}` and its use");
                Err(refused(message, "the order of the two may affect the result").at(place))
            }
        }
    }
}

/// Facts about when the value is evaluated, before and after inlining.
struct Timing {
    effects: Effects,
    /// The node that contains the declaration.
    home: NodeId,
    /// The end of the value.
    end: u32,
    /// True if a variable that it reads is written later.
    changes: bool,
    /// The first obstacle between the value and its uses.
    before: Option<Obstacle>,
    /// The first obstacle anywhere after the value.
    later: Option<Obstacle>,
}

fn join(effects: &mut Effects, other: Effects) {
    effects.acts |= other.acts;
    effects.suspends |= other.suspends;
    effects.uses_this |= other.uses_this;
    effects.reads_shared |= other.reads_shared;
    effects.reads.extend(other.reads);
    effects.writes.extend(other.writes);
    effects.members.extend(other.members);
    effects.objects.extend(other.objects);
}

/// Returns whether the value is a function or class, of which each copy would be a different object.
fn is_made(target: &Target<'_>) -> bool {
    use oxc_ast::ast::Expression;
    let super::target::Value::Expression(value) = target.value else { return false };
    matches!(
        value.get_inner_expression(),
        Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_) | Expression::ClassExpression(_)
    )
}

/// Returns whether the name is that of a JSX element.
fn is_tag(around: &AstKind<'_>) -> bool {
    matches!(around, AstKind::JSXOpeningElement(_) | AstKind::JSXClosingElement(_) | AstKind::JSXMemberExpression(_))
}

/// Returns whether the value is a name or a member of one, so that it can be the name of an element.
fn is_path(target: &Target<'_>) -> bool {
    use oxc_ast::ast::Expression;
    let super::target::Value::Expression(value) = target.value else { return false };
    let mut next = value;
    loop {
        next = match next {
            Expression::Identifier(_) | Expression::ThisExpression(_) => return target.steps.is_empty(),
            Expression::StaticMemberExpression(it) if !it.optional => &it.object,
            _ => return false,
        };
    }
}
