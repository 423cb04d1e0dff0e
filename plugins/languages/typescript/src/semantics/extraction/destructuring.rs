//! Members that are extracted by destructuring: `const { b } = a` for `a.b`.

use marquetry_sdk::Span;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::GetSpan as _;

use crate::semantics::effects::contains;
use crate::semantics::extraction::placement::{DeclarationSpot, ExtractedExpression};
use crate::syntax::spans::{IntoOxc as _, Place as _};

/// A pattern that destructures an object above the new declaration.
pub(crate) struct ExistingPattern<'a> {
    pub(crate) last_property: Span,
    /// The name to which the pattern binds the member already, if it is usable, and its place.
    pub(crate) known: Option<(&'a str, Span)>,
}

impl<'a> ExtractedExpression<'_, 'a> {
    /// Returns object and member name of a member expression: `a` and `b` of `a.b`.
    pub(crate) fn member_access(&self) -> Option<(Span, &'a str)> {
        match self.choice.chosen.kind {
            AstKind::StaticMemberExpression(it)
                if self.choice.part.is_none() && !it.optional && !matches!(it.object, Expression::Super(_)) =>
            {
                Some((it.object.span().place(), it.property.name.as_str()))
            }
            _ => None,
        }
    }

    /// Returns a pattern above a spot that destructures the same object.
    pub(crate) fn existing_pattern(
        &self,
        spot: &DeclarationSpot,
        object: Span,
        key: &str,
    ) -> Option<ExistingPattern<'a>> {
        let code = self.code;
        let fits = |declarator: &VariableDeclarator<'_>, node: NodeId| {
            let BindingPattern::ObjectPattern(pattern) = &declarator.id else { return false };
            let declaration = code.parent(node);
            let holder = code.kind(code.parent(declaration));
            declarator.init.as_ref().is_some_and(|init| code.source(init.span()) == code.source(object))
                && matches!(holder, AstKind::Program(_) | AstKind::FunctionBody(_) | AstKind::BlockStatement(_))
                && contains(holder.span(), spot.before)
                && declarator.span.end <= spot.before.start
                && pattern.rest.is_none()
                && !pattern.properties.is_empty()
                && declarator.type_annotation.is_none()
                && matches!(code.kind(declaration), AstKind::VariableDeclaration(it) if it.kind.is_const())
        };
        let found = code.nodes().iter().find_map(|node| match node.kind() {
            AstKind::VariableDeclarator(declarator) if fits(declarator, node.id()) => Some(declarator),
            _ => None,
        })?;
        let there = code.scope_of(found.node_id.get());
        let between = Span { start: found.span.end, end: self.choice.chosen.span.start }.into_oxc();
        if code.changed_name(there, &self.names).is_some()
            || self.effects.first_obstacle(code.semantic(), NodeId::ROOT, between).is_some()
        {
            return None;
        }
        let BindingPattern::ObjectPattern(pattern) = &found.id else { return None };
        let last_property = pattern.properties.last()?.span.place();
        Some(ExistingPattern { last_property, known: self.existing_binding(pattern, key) })
    }

    /// Returns the name to which a pattern already binds the member, if it is usable here.
    fn existing_binding(&self, pattern: &'a ObjectPattern<'a>, key: &str) -> Option<(&'a str, Span)> {
        let known = pattern.properties.iter().find(|it| it.key.static_name().is_some_and(|name| name == key))?;
        let BindingPattern::BindingIdentifier(known) = &known.value else { return None };
        let found = self.code.binding(self.code.scope_of(self.choice.chosen.node), &known.name);
        (found.is_some() && found == known.symbol_id.get()).then(|| (known.name.as_str(), known.span.place()))
    }
}
