//! Writes a value at a use. Adds parentheses, merges the value into a template, removes JSX braces and reindents the
//! value where this is necessary.

use std::collections::HashMap;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_span::GetSpan as _;

use super::target::{PatternStep, TargetValue};
use super::{Inlining, Use};
use crate::editor::{Shape, SyntaxEditor};
use crate::infer::builtins;
use crate::syntax::spans::Place as _;

impl<'a> Inlining<'_, 'a> {
    /// Replaces each use by the value.
    pub(super) fn replace_uses(&self, uses: &[Use<'a>], editor: &mut SyntaxEditor<'_, 'a>) {
        let value = self.value_text();
        let own = self.code.indent_at(self.target.name_span);
        let shape = match self.target.value {
            TargetValue::Expression(_) => Shape::Expression,
            TargetValue::Type(_) => Shape::Type,
        };
        let mut fitted: HashMap<&str, String> = HashMap::new();
        for found in uses {
            let indent = self.code.indent_at(found.span);
            let new = fitted.entry(indent).or_insert_with(|| self.code.reindented(&value, shape, own, indent)).as_str();
            match self.merged_text(found, new) {
                Some((span, text)) => editor.set_text(span, text),
                None => editor.replace(found.span, new),
            }
        }
    }

    /// Returns the text of the value, including the steps into it.
    fn value_text(&self) -> String {
        let (code, target) = (self.code, self.target);
        let TargetValue::Expression(value) = target.value else { return code.source(target.value.span()).to_owned() };
        let inner = code.without_parentheses(value);
        let mut text = code.source(inner.span()).to_owned();
        // Without the annotation, the parameters would have no types.
        if let Some(annotation) = target.annotation.filter(|_| needs_declared_type(inner)) {
            text = format!("({text}) satisfies {}", code.source(annotation));
        }
        if !target.steps.is_empty() && !is_primary(inner) {
            text = format!("({text})");
        }
        for step in &target.steps {
            text += &match step {
                PatternStep::Element(index) => format!("[{index}]"),
                PatternStep::Property(property) => match &property.key {
                    PropertyKey::StaticIdentifier(name) => format!(".{}", name.name),
                    key => format!("[{}]", code.source(key.span())),
                },
            };
        }
        text
    }

    /// Returns whether a call of the name would become a method call, which sets `this` to the object.
    fn would_bind_this(&self, found: &Use<'a>, value: &Expression<'a>) -> bool {
        let is_called = match found.around {
            AstKind::CallExpression(call) => call.callee.span() == found.span,
            AstKind::TaggedTemplateExpression(tagged) => tagged.tag.span() == found.span,
            _ => false,
        };
        let is_member = matches!(value, Expression::ChainExpression(_)) || value.as_member_expression().is_some();
        let mut root = value;
        while let Some(member) = root.as_member_expression() {
            root = member.object();
        }
        // Functions of a module, and of `Math` or `console`, do not use `this`.
        let has_this = match root {
            Expression::Identifier(name) => match self.code.symbol_of(name) {
                Some(symbol) => {
                    !matches!(self.code.kind(self.code.declaration_of(symbol)), AstKind::ImportNamespaceSpecifier(_))
                }
                None => !builtins::is_platform_name(&name.name),
            },
            _ => true,
        };
        is_called && has_this && (is_member || !self.target.steps.is_empty())
    }

    /// Returns the place and the new text if more than the name is replaced, or no parentheses may be added.
    fn merged_text(&self, found: &Use<'a>, new: &str) -> Option<(marquetry_sdk::Span, String)> {
        let target = self.target;
        let TargetValue::Expression(value) = target.value else { return None };
        let value = self.code.without_parentheses(value);
        if self.would_bind_this(found, value) {
            return Some((found.span.place(), format!("(0, {new})")));
        }
        match found.around {
            AstKind::ObjectProperty(property) if property.shorthand => {
                let is_list = matches!(value, Expression::SequenceExpression(_)) && target.steps.is_empty();
                let new = if is_list { format!("({new})") } else { new.to_owned() };
                Some((found.span.place(), format!("{}: {new}", target.name)))
            }
            AstKind::TemplateLiteral(_) if target.steps.is_empty() => self.merge_into_template(found, value),
            AstKind::JSXExpressionContainer(container) if target.steps.is_empty() => {
                let is_element = matches!(value, Expression::JSXElement(_) | Expression::JSXFragment(_));
                let outer = self.code.parent_kind(self.code.parent(found.node));
                let is_child = matches!(outer, AstKind::JSXElement(_) | AstKind::JSXFragment(_));
                let written = self.code.source(container.span);
                let is_alone = written.trim_start_matches('{').trim_end_matches('}').trim() == target.name;
                (is_element && is_child && is_alone).then(|| (container.span.place(), new.to_owned()))
            }
            _ => None,
        }
    }

    /// Merges a string or template into the template around the use.
    fn merge_into_template(&self, found: &Use<'a>, value: &Expression<'a>) -> Option<(marquetry_sdk::Span, String)> {
        let (code, text) = (self.code, self.code.text());
        let outer = code.parent_kind(code.parent(found.node));
        if matches!(outer, AstKind::TaggedTemplateExpression(_) | AstKind::TSTemplateLiteralType(_)) {
            return None;
        }
        let raw = match value {
            Expression::StringLiteral(string) => {
                let escaped = string.value.as_str()?.replace('\\', "\\\\").replace('`', "\\`").replace("${", "\\${");
                escaped.replace('\n', "\\n").replace('\r', "\\r")
            }
            Expression::TemplateLiteral(inner) => {
                let text = code.source(inner.span);
                text.get(1..text.len() - 1)?.to_owned()
            }
            _ => return None,
        };
        let start = text[..found.span.start as usize].trim_end().strip_suffix("${")?.len();
        let rest = &text[found.span.end as usize..];
        let end = text.len() - rest.trim_start().strip_prefix('}')?.len();
        // `$` followed by `{` would start a substitution.
        let joins =
            raw.starts_with('{') && text[..start].ends_with('$') || raw.ends_with('$') && text[end..].starts_with('{');
        (!joins).then(|| ((start..end).place(), raw))
    }
}

/// Returns whether a value can be followed by `.a` without parentheses.
fn is_primary(value: &Expression<'_>) -> bool {
    match value {
        Expression::Identifier(_)
        | Expression::ThisExpression(_)
        | Expression::StaticMemberExpression(_)
        | Expression::ComputedMemberExpression(_)
        | Expression::PrivateFieldExpression(_)
        | Expression::CallExpression(_)
        | Expression::ArrayExpression(_)
        | Expression::StringLiteral(_)
        | Expression::TemplateLiteral(_)
        | Expression::TSNonNullExpression(_)
        | Expression::ParenthesizedExpression(_) => true,
        Expression::NewExpression(new) => new.span.end > new.callee.span().end,
        _ => false,
    }
}

/// Returns whether parameter types come from the declared type of the variable.
fn needs_declared_type(value: &Expression<'_>) -> bool {
    let lacks_types = |parameters: &FormalParameters<'_>| {
        parameters.items.iter().any(|it| it.type_annotation.is_none() && it.initializer.is_none())
    };
    match value {
        Expression::ArrowFunctionExpression(it) => lacks_types(&it.params),
        Expression::FunctionExpression(it) => lacks_types(&it.params),
        _ => false,
    }
}
