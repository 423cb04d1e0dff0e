//! Writes a value at a use. Adds parentheses, merges the value into a template, removes JSX braces and reindents the
//! value where this is necessary.

use std::collections::HashMap;

use marquetry_sdk::Span;

use crate::editor::{Shape, SyntaxEditor};
use crate::semantics::inlining::target::TargetValue;
use crate::semantics::inlining::use_context::UseContext;
use crate::semantics::inlining::variable::{InlinedVariable, Use};
use crate::syntax::spans::Place as _;

impl<'a> InlinedVariable<'_, 'a> {
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
        let value = self.written_value();
        let mut text = code.source(value.span).to_owned();
        // Without the annotation, the parameters would have no types.
        if let Some(annotation) = target.annotation.filter(|_| value.needs_declared_type) {
            text = format!("({text}) satisfies {}", code.source(annotation));
        }
        if !target.steps.is_empty() && !value.is_primary {
            text = format!("({text})");
        }
        text + &self.steps_text()
    }

    /// Returns the place and the new text if more than the name is replaced, or no parentheses may be added.
    fn merged_text(&self, found: &Use<'a>, new: &str) -> Option<(Span, String)> {
        match self.use_context(found) {
            UseContext::BindsThis => Some((found.span.place(), format!("(0, {new})"))),
            UseContext::Shorthand { is_sequence } => {
                let new = if is_sequence { format!("({new})") } else { new.to_owned() };
                Some((found.span.place(), format!("{}: {new}", self.target.name)))
            }
            UseContext::Template(raw) => self.merge_into_template(found.span.place(), raw),
            UseContext::JsxContainer(container) => Some((container, new.to_owned())),
            UseContext::Other => None,
        }
    }

    /// Merges the text of a string into the template around the use.
    fn merge_into_template(&self, found: Span, raw: String) -> Option<(Span, String)> {
        let text = self.code.text();
        let start = text[..found.range().start].trim_end().strip_suffix("${")?.len();
        let rest = &text[found.range().end..];
        let end = text.len() - rest.trim_start().strip_prefix('}')?.len();
        // `$` followed by `{` would start a substitution.
        let joins =
            raw.starts_with('{') && text[..start].ends_with('$') || raw.ends_with('$') && text[end..].starts_with('{');
        (!joins).then(|| (Span::new(start, end), raw))
    }
}
