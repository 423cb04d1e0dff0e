//! Properties of object literals, and names of object patterns.

use oxc_ast::ast::{ObjectExpression, ObjectPattern};
use oxc_span::Span;

use crate::editor::SyntaxEditor;
use crate::imports::removal::braced_items;
use crate::imports::unused_requires;
use crate::syntax::spans::span_in;

impl SyntaxEditor<'_, '_> {
    /// Removes properties of an object literal. The literal stays, even if it has no other properties.
    pub(crate) fn remove_properties(&mut self, object: &ObjectExpression<'_>, gone: &[Span]) {
        let text = self.text();
        let items = braced_items(object.span, &object.properties, text, &self.style().unit);
        let is_gone = |index: &usize| gone.iter().any(|span| span_in(*span, text) == items.items[*index]);
        let indices: Vec<usize> = (0..items.items.len()).filter(is_gone).collect();
        match indices.len() {
            0 => {}
            count if count == items.items.len() => self.set_text(object.span, "{}"),
            _ => {
                let edits = items.delete(&indices);
                self.add_edits(edits);
            }
        }
    }

    /// Adds properties at the end of an object literal.
    pub(crate) fn append_properties(&mut self, object: &ObjectExpression<'_>, properties: &str) {
        let items = braced_items(object.span, &object.properties, self.text(), &self.style().unit);
        let edits = items.insert(items.items.len(), properties);
        self.add_edits(edits);
    }

    /// Removes properties of a pattern, and returns their texts.
    pub(crate) fn take_bindings(&mut self, pattern: &ObjectPattern<'_>, gone: &[Span]) -> Vec<String> {
        let (text, unit) = (self.text(), &self.style().unit);
        let edits = unused_requires::remove_properties(pattern, text, unit, &|property| gone.contains(&property.span));
        self.add_edits(edits);
        gone.iter().map(|span| span.source_text(text).to_owned()).collect()
    }

    /// Removes the names at these places from a pattern, with the patterns that only bind them.
    pub(crate) fn remove_bound_names(&mut self, pattern: &ObjectPattern<'_>, gone: &[Span]) {
        let edits = unused_requires::remove_locals(pattern, self.text(), &self.style().unit, gone);
        self.add_edits(edits);
    }
}
