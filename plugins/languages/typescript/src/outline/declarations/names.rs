//! Names of declarations.

use crate::syntax::spans::span_in;
use marquetry_sdk::Span;
use oxc_ast::ast::{Expression, PropertyKey, StringLiteral, TSEnumMemberName, TemplateLiteral};
use oxc_span::GetSpan;

/// A name: a span of the text if possible.
#[derive(Debug, Clone)]
pub(crate) enum Name {
    /// Written literally in the text.
    Text(Span),
    /// Not written in the text: `default`, `constructor`.
    Fixed(&'static str),
    /// Written with escapes, or composed.
    Owned(Box<str>),
}

impl Name {
    /// Returns the name; `text` is the document's text.
    pub(crate) fn resolve<'a>(&'a self, text: &'a str) -> &'a str {
        match self {
            Name::Text(span) => span.slice(text),
            Name::Fixed(name) => name,
            Name::Owned(name) => name,
        }
    }

    /// Creates the name for a value that is written at `span`, possibly with escapes.
    pub(super) fn from_written(value: &str, span: Span, text: &str) -> Name {
        if span.slice(text) == value { Name::Text(span) } else { Name::Owned(value.into()) }
    }
}

/// Returns the name for a string literal: its value.
pub(super) fn from_string(literal: &StringLiteral<'_>, text: &str) -> Name {
    let span = span_in(literal.span, text);
    let between = Span::new(span.range().start + 1, (span.range().end.saturating_sub(1)).max(span.range().start + 1));
    match literal.value.as_str() {
        Some(value) if between.range().end <= text.len() => Name::from_written(value, between, text),
        _ => Name::Text(span),
    }
}

/// Returns the name for a template without expressions.
pub(super) fn from_template(template: &TemplateLiteral<'_>, text: &str) -> Option<Name> {
    let [only] = template.quasis.as_slice() else { return None };
    let span = span_in(only.span, text);
    Some(Name::from_written(only.value.cooked?.as_str()?, span, text))
}

/// Returns the name of a key and its span.
pub(super) fn from_key(key: &PropertyKey<'_>, computed: bool, text: &str) -> (Name, Span) {
    let span = span_in(key.span(), text);
    let name = match key {
        PropertyKey::StaticIdentifier(name) => Name::from_written(&name.name, span, text),
        PropertyKey::PrivateIdentifier(name) if span.slice(text).strip_prefix('#') == Some(&*name.name) => {
            Name::Text(span)
        }
        PropertyKey::PrivateIdentifier(name) => Name::Owned(format!("#{}", name.name).into()),
        PropertyKey::StringLiteral(literal) => from_string(literal, text),
        PropertyKey::TemplateLiteral(template) if let Some(name) = from_template(template, text) => name,
        _ if computed => from_computed(span, text),
        _ => Name::Text(span),
    };
    (name, span)
}

/// Returns the name of an enum member and its span.
pub(super) fn from_enum_member(name: &TSEnumMemberName<'_>, text: &str) -> (Name, Span) {
    let span = span_in(name.span(), text);
    let name = match name {
        TSEnumMemberName::Identifier(name) => Name::from_written(&name.name, span, text),
        TSEnumMemberName::String(literal) | TSEnumMemberName::ComputedString(literal) => from_string(literal, text),
        TSEnumMemberName::ComputedTemplateString(template) => {
            from_template(template, text).unwrap_or_else(|| from_computed(span, text))
        }
    };
    (name, span)
}

/// Returns the name of a test block: its title, or the source of the expression for it.
pub(super) fn from_title(title: &Expression<'_>, text: &str) -> Name {
    match title {
        Expression::StringLiteral(literal) => from_string(literal, text),
        Expression::TemplateLiteral(template) => {
            let span = span_in(template.span, text);
            let inner = span.range().start + 1..span.range().end.saturating_sub(1);
            from_template(template, text)
                .unwrap_or_else(|| if inner.start < inner.end { Name::Text(inner.into()) } else { Name::Text(span) })
        }
        _ => Name::Text(span_in(title.span(), text)),
    }
}

/// Returns `[expression]` on one line.
fn from_computed(span: Span, text: &str) -> Name {
    let range = span.range();
    if range.start > 0 && text[..range.start].ends_with('[') && text[range.end..].starts_with(']') {
        let whole = Span::new(range.start - 1, range.end + 1);
        if !whole.slice(text).contains(['\n', '\r', '\t']) {
            return Name::Text(whole);
        }
    }
    let words: Vec<&str> = span.slice(text).split_whitespace().collect();
    Name::Owned(format!("[{}]", words.join(" ")).into())
}
