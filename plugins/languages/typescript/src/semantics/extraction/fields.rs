//! The field of a class to which a value can be extracted.

use std::collections::HashSet;

use marquetry_sdk::refactor::refactor_failure;
use marquetry_sdk::{Result, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::GetSpan as _;

use crate::semantics::effects::{self, contains};
use crate::semantics::enclosing_context::enclosing_context;
use crate::semantics::extraction::placement::ExtractedExpression;
use crate::semantics::functions::runs_before_super;
use crate::syntax::spans::Place as _;

/// The class of a new field, and the place for it.
pub(crate) struct FieldSite {
    pub(crate) is_static: bool,
    /// The object that has the field: `this`, or the name of the class.
    pub(crate) object: String,
    /// The member before which the field is inserted.
    pub(crate) before: Span,
    /// The names of the members.
    pub(crate) taken: HashSet<String>,
}

impl<'a> ExtractedExpression<'_, 'a> {
    /// Returns the place for a field in the class around the expression: after the fields at its start, and before the
    /// member that uses it. Fails if a field would have another value.
    pub(crate) fn field_site(&self) -> Result<FieldSite> {
        let code = self.code;
        let own = self.choice.chosen.kind.span();
        let body = code.nodes().ancestors(self.choice.chosen.node).find_map(|node| match node.kind() {
            AstKind::ClassBody(body) => Some((node.id(), body)),
            _ => None,
        });
        let member = body.and_then(|(node, body)| {
            let index = body.body.iter().position(|member| contains(member.span(), own))?;
            Some((node, body, index))
        });
        let Some((node, body, index)) = member else {
            return Err(refactor_failure("the selection is not inside a class").hint("choose another `scope`"));
        };
        let is_static = body.body[index].r#static() || body.body[index].is_static_block();
        self.check_field(node, &body.body[index])?;
        let object = match code.parent_kind(node) {
            AstKind::Class(class) if is_static => match &class.id {
                Some(id) => id.name.to_string(),
                None => return Err(refactor_failure("the class is anonymous").hint("choose another `scope`")),
            },
            _ => "this".to_owned(),
        };
        let is_field = |member: &ClassElement<'_>| matches!(member, ClassElement::PropertyDefinition(_));
        let first_other = body.body.iter().position(|member| !is_field(member)).filter(|at| *at > 0);
        let before = body.body[first_other.map_or(index, |at| at.min(index))].span().place();
        let keys = body.body.iter().filter_map(|member| member.property_key()?.static_name());
        Ok(FieldSite { is_static, object, before, taken: keys.map(|key| key.display().to_string()).collect() })
    }

    /// Refuses values that may change, because a field is initialized only once per object.
    fn check_field(&self, class: NodeId, member: &ClassElement<'a>) -> Result<()> {
        let code = self.code;
        if !self.effects.is_constant() || self.effects.uses_this {
            return Err(refactor_failure("the value may change, but a field is initialized only once")
                .hint("choose another `scope`"));
        }
        let path = enclosing_context(code.semantic(), self.choice.chosen.node, class);
        let nodes = code.nodes();
        let inner_this = nodes.ancestors(self.choice.chosen.node).take_while(|node| node.id() != class);
        let functions = inner_this.filter(|node| effects::has_own_this(&node.kind())).count();
        let start = self.choice.chosen.kind.span().start;
        let is_early = matches!(member, ClassElement::MethodDefinition(it) if it.kind == MethodDefinitionKind::Constructor)
            && runs_before_super(code, member.span(), start);
        let is_outside = is_early || is_evaluated_with_class(member, self.choice.chosen.kind.span());
        if functions > 1 || !path.own_this || is_outside {
            return Err(
                refactor_failure("`this` does not refer to an instance of the class").hint("choose another `scope`")
            );
        }
        match code.changed_name(code.scope_of(class), &self.names) {
            Some(name) => Err(refactor_failure(format!("`{}` is not in scope at the new declaration", name.name))
                .hint("choose a narrower `scope`")),
            None => Ok(()),
        }
    }
}

/// Returns whether a part of a member is evaluated with the class: its computed key, or a decorator.
fn is_evaluated_with_class(member: &ClassElement<'_>, own: oxc_span::Span) -> bool {
    member.property_key().is_some_and(|key| contains(key.span(), own))
        || match member {
            ClassElement::MethodDefinition(it) => it.decorators.iter().any(|it| contains(it.span, own)),
            ClassElement::PropertyDefinition(it) => it.decorators.iter().any(|it| contains(it.span, own)),
            _ => false,
        }
}
