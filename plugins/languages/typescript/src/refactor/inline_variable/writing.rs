//! Writes a value at a use. Adds parentheses, merges the value into a template, removes JSX braces and reindents the
//! value where this is necessary.

use std::collections::HashMap;

use marquetry_sdk::{Edit, lines};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_span::{GetSpan as _, Span};

use super::target::{InlineTarget, PatternStep, TargetValue};
use super::{Inlining, Use};
use crate::editor::fragment::Fragment;
use crate::editor::parentheses::replacement_texts;
use crate::infer::builtins;
use crate::syntax::spans::span_in;
use crate::syntax::spans::to_sdk_span;

impl<'a> Inlining<'_, 'a> {
    /// Replaces each use by the value.
    pub(super) fn use_edits(&self, target: &InlineTarget<'a>, uses: &[Use<'a>]) -> Vec<Edit> {
        let value = self.value_text(target);
        let mut fitted: HashMap<&str, String> = HashMap::new();
        for found in uses {
            let indent = lines::indent_at(self.text(), found.span.start as usize);
            fitted.entry(indent).or_insert_with(|| self.reindent_for_use(target, &value, indent));
        }
        let text_at = |found: &Use<'a>| fitted[lines::indent_at(self.text(), found.span.start as usize)].as_str();
        let mut edits = Vec::new();
        let mut places = Vec::new();
        for found in uses {
            let new = text_at(found);
            match self.merged_edit(target, found, new) {
                Some(edit) => edits.push(edit),
                None => places.push((to_sdk_span(found.span), new)),
            }
        }
        let written = replacement_texts(self.parsed, self.tree, &places);
        edits.extend(places.iter().zip(written).map(|((place, _), new)| Edit::new(*place, new)));
        edits
    }

    /// Returns the text of the value, including the steps into it.
    fn value_text(&self, target: &InlineTarget<'a>) -> String {
        let written = |span: Span| span_in(span, self.text()).slice(self.text()).to_owned();
        let TargetValue::Expression(value) = target.value else { return written(target.value.span()) };
        let inner = self.without_parentheses(value);
        let mut text = written(inner.span());
        if let Some(annotation) = target.annotation.filter(|_| needs_declared_type(inner)) {
            text = format!("({text}) satisfies {}", written(annotation));
        }
        if target.steps.is_empty() {
            return text;
        }
        if !is_primary(inner) {
            text = format!("({text})");
        }
        for step in &target.steps {
            text += &match step {
                PatternStep::Element(index) => format!("[{index}]"),
                PatternStep::Property(property) => match &property.key {
                    PropertyKey::StaticIdentifier(name) => format!(".{}", name.name),
                    key => format!("[{}]", written(key.span())),
                },
            };
        }
        text
    }

    /// Returns the value without redundant parentheses.
    fn without_parentheses(&self, value: &'a Expression<'a>) -> &'a Expression<'a> {
        let mut inner = value;
        while let Expression::ParenthesizedExpression(it) = inner
            && !self.semantic.has_comments_between(Span::new(it.span.start, it.expression.span().start))
            && !self.semantic.has_comments_between(Span::new(it.expression.span().end, it.span.end))
        {
            inner = &it.expression;
        }
        inner
    }

    /// Reindents the text.
    fn reindent_for_use(&self, target: &InlineTarget<'a>, value: &str, indent: &str) -> String {
        let own = lines::indent_at(self.text(), target.name_span.start as usize);
        if own == indent || !value.contains('\n') {
            return value.to_owned();
        }
        let known = match target.value {
            TargetValue::Expression(_) => Fragment::of_expression(value, self.tree.grammar()),
            TargetValue::Type(_) => Fragment::of_type(value, self.tree.grammar()),
        };
        let fitted = known.indent_for(value, indent, None);
        if lines::line_break(self.text()) == "\r\n" {
            fitted.replace("\r\n", "\n").replace('\n', "\r\n")
        } else {
            fitted
        }
    }

    /// Returns whether a call of the name would become a method call, which sets `this` to the object.
    fn would_bind_this(&self, target: &InlineTarget<'a>, found: &Use<'a>, value: &'a Expression<'a>) -> bool {
        let is_called = match found.around {
            AstKind::CallExpression(call) => call.callee.span() == found.span,
            AstKind::TaggedTemplateExpression(tagged) => tagged.tag.span() == found.span,
            _ => false,
        };
        let is_member = |value: &Expression<'_>| {
            matches!(
                value,
                Expression::StaticMemberExpression(_)
                    | Expression::ComputedMemberExpression(_)
                    | Expression::PrivateFieldExpression(_)
                    | Expression::ChainExpression(_)
            )
        };
        let mut root = value;
        while let Some(member) = root.as_member_expression() {
            root = member.object();
        }
        // Functions of a module, and of `Math` or `console`, do not use `this`.
        let has_this = match root {
            Expression::Identifier(name) => {
                let scoping = self.semantic.scoping();
                let symbol = name.reference_id.get().and_then(|id| scoping.get_reference(id).symbol_id());
                match symbol.map(|symbol| self.semantic.nodes().kind(scoping.symbol_declaration(symbol))) {
                    Some(kind) => !matches!(kind, AstKind::ImportNamespaceSpecifier(_)),
                    None => !builtins::is_platform_name(&name.name),
                }
            }
            _ => true,
        };
        is_called && has_this && (is_member(value) || !target.steps.is_empty())
    }

    /// Returns the edit if more than the name is replaced.
    fn merged_edit(&self, target: &InlineTarget<'a>, found: &Use<'a>, new: &str) -> Option<Edit> {
        let TargetValue::Expression(value) = target.value else { return None };
        let value = self.without_parentheses(value);
        if self.would_bind_this(target, found, value) {
            return Some(Edit::new(to_sdk_span(found.span), format!("(0, {new})")));
        }
        match found.around {
            AstKind::ObjectProperty(property) if property.shorthand => {
                let is_list = matches!(value, Expression::SequenceExpression(_)) && target.steps.is_empty();
                let new = if is_list { format!("({new})") } else { new.to_owned() };
                Some(Edit::new(to_sdk_span(found.span), format!("{}: {new}", target.name)))
            }
            AstKind::TemplateLiteral(_) if target.steps.is_empty() => self.merge_into_template(found, value),
            AstKind::JSXExpressionContainer(container) if target.steps.is_empty() => {
                let is_element = matches!(value, Expression::JSXElement(_) | Expression::JSXFragment(_));
                let outer = self.semantic.nodes().parent_id(self.semantic.nodes().parent_id(found.node));
                let is_child =
                    matches!(self.semantic.nodes().kind(outer), AstKind::JSXElement(_) | AstKind::JSXFragment(_));
                let span = to_sdk_span(container.span);
                let is_alone =
                    span.slice(self.text()).trim_start_matches('{').trim_end_matches('}').trim() == target.name;
                (is_element && is_child && is_alone).then(|| Edit::new(span, new))
            }
            _ => None,
        }
    }

    /// Merges a string or template into the template around the use.
    fn merge_into_template(&self, found: &Use<'a>, value: &Expression<'a>) -> Option<Edit> {
        let nodes = self.semantic.nodes();
        let template = nodes.parent_id(found.node);
        if matches!(
            nodes.parent_kind(template),
            AstKind::TaggedTemplateExpression(_) | AstKind::TSTemplateLiteralType(_)
        ) {
            return None;
        }
        let raw = match value {
            Expression::StringLiteral(string) => {
                let escaped = string.value.as_str()?.replace('\\', "\\\\").replace('`', "\\`").replace("${", "\\${");
                escaped.replace('\n', "\\n").replace('\r', "\\r")
            }
            Expression::TemplateLiteral(inner) => {
                let text = span_in(inner.span, self.text()).slice(self.text());
                text.get(1..text.len() - 1)?.to_owned()
            }
            _ => return None,
        };
        let text = self.text();
        let before = text[..found.span.start as usize].trim_end();
        let start = before.strip_suffix("${")?.len();
        let rest = &text[found.span.end as usize..];
        let end = text.len() - rest.trim_start().strip_prefix('}')?.len();
        // `$` followed by `{` would start a substitution.
        let joins =
            raw.starts_with('{') && text[..start].ends_with('$') || raw.ends_with('$') && text[end..].starts_with('{');
        (!joins).then(|| Edit::new(start..end, raw))
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
