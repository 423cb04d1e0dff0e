//! The value of an inlined variable, and the places of its uses, which decide how the value is written there.

use marquetry_sdk::Span;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_span::GetSpan as _;

use crate::infer::builtins;
use crate::semantics::inlining::target::{PatternStep, TargetValue};
use crate::semantics::inlining::variable::{InlinedVariable, Use};
use crate::semantics::positions;
use crate::syntax::spans::Place as _;

/// The value of a variable.
pub(crate) struct WrittenValue {
    /// The expression without parentheses, or the type.
    pub(crate) span: Span,
    /// True if `.a` can follow it without parentheses.
    pub(crate) is_primary: bool,
    /// True if the types of its parameters come from the declared type of the variable.
    pub(crate) needs_declared_type: bool,
}

/// Place of a use.
pub(crate) enum UseContext {
    /// A call: a member that replaces the name would be called as a method.
    BindsThis,
    /// A shorthand property.
    Shorthand {
        is_sequence: bool,
    },
    /// A substitution in a template. The value is a string or a template with this text.
    Template(String),
    /// `{name}` among the children of an element. The value is an element as well.
    JsxContainer(Span),
    Other,
}

impl<'a> InlinedVariable<'_, 'a> {
    /// Returns the value without the steps into it.
    pub(crate) fn written_value(&self) -> WrittenValue {
        let TargetValue::Expression(value) = self.target.value else {
            let span = self.target.value.span().place();
            return WrittenValue { span, is_primary: true, needs_declared_type: false };
        };
        let inner = self.code.without_parentheses(value);
        WrittenValue {
            span: inner.span().place(),
            is_primary: is_primary(inner),
            needs_declared_type: needs_declared_type(inner),
        }
    }

    /// Returns the steps into the value as member accesses: `.a[0]`.
    pub(crate) fn steps_text(&self) -> String {
        let steps = self.target.steps.iter().map(|step| match step {
            PatternStep::Element(index) => format!("[{index}]"),
            PatternStep::Property(property) => match &property.key {
                PropertyKey::StaticIdentifier(name) => format!(".{}", name.name),
                key => format!("[{}]", self.code.source(key.span())),
            },
        });
        steps.collect()
    }

    /// Returns the place of a use.
    pub(crate) fn use_context(&self, found: &Use<'a>) -> UseContext {
        let (code, target) = (self.code, self.target);
        let TargetValue::Expression(value) = target.value else { return UseContext::Other };
        let value = code.without_parentheses(value);
        if self.would_bind_this(found, value) {
            return UseContext::BindsThis;
        }
        let is_whole = target.steps.is_empty();
        match found.around {
            AstKind::ObjectProperty(property) if property.shorthand => {
                let is_sequence = matches!(value, Expression::SequenceExpression(_)) && is_whole;
                UseContext::Shorthand { is_sequence }
            }
            AstKind::TemplateLiteral(_) if is_whole => {
                self.template_text(found, value).map_or(UseContext::Other, UseContext::Template)
            }
            AstKind::JSXExpressionContainer(container) if is_whole => {
                let is_element = matches!(value, Expression::JSXElement(_) | Expression::JSXFragment(_));
                let outer = code.parent_kind(code.parent(found.node));
                let is_child = matches!(outer, AstKind::JSXElement(_) | AstKind::JSXFragment(_));
                let written = code.source(container.span);
                let is_alone = written.trim_start_matches('{').trim_end_matches('}').trim() == target.name;
                match is_element && is_child && is_alone {
                    true => UseContext::JsxContainer(container.span.place()),
                    false => UseContext::Other,
                }
            }
            _ => UseContext::Other,
        }
    }

    /// Returns the text of a string or template, as written in the template around the use.
    fn template_text(&self, found: &Use<'a>, value: &Expression<'a>) -> Option<String> {
        let code = self.code;
        let outer = code.parent_kind(code.parent(found.node));
        if matches!(outer, AstKind::TaggedTemplateExpression(_) | AstKind::TSTemplateLiteralType(_)) {
            return None;
        }
        match value {
            Expression::StringLiteral(string) => {
                let escaped = string.value.as_str()?.replace('\\', "\\\\").replace('`', "\\`").replace("${", "\\${");
                Some(escaped.replace('\n', "\\n").replace('\r', "\\r"))
            }
            Expression::TemplateLiteral(inner) => {
                let text = code.source(inner.span);
                Some(text.get(1..text.len() - 1)?.to_owned())
            }
            _ => None,
        }
    }

    /// Returns whether a call of the name would become a method call, which sets `this` to the object.
    fn would_bind_this(&self, found: &Use<'a>, value: &Expression<'a>) -> bool {
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
        positions::is_called(&found.around, found.span) && has_this && (is_member || !self.target.steps.is_empty())
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
