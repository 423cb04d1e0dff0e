//! Writing the body of a function in place of a call.

use std::collections::HashMap;

use marquetry_sdk::span::apply_within;
use marquetry_sdk::{Edit, Result, Span, lines};

use crate::editor::fragment::Fragment;
use crate::editor::list::ListKind;
use crate::editor::parentheses::{is_atomic, replacement_texts};
use crate::editor::{Shape, indentation};
use crate::semantics::functions::FunctionNode;
use crate::semantics::inlining::arguments::Replacement;
use crate::semantics::inlining::callee::{Body, BodyValue, FinalReturn};
use crate::semantics::inlining::sites::{CallingFile, UseForm, UseSite};
use crate::semantics::{NodeId, SymbolId, refusal_at};
use crate::syntax::spans::Place as _;

/// Maximum number of bytes to reparse to find out where parentheses are needed; beyond that they are always written.
const MAX_REPARSED_BYTES: usize = 4_000_000;

/// Result of inlining.
#[derive(Default)]
pub(super) struct InlineResult {
    pub(super) edits: Vec<Edit>,
    /// Uses that remain unchanged.
    pub(super) unresolved: Vec<Span>,
}

impl<'a, 'c> CallingFile<'_, '_, 'a, 'c> {
    /// Inlines the function at all uses of a name. `goes` means that the declaration will be removed. A use that cannot
    /// be inlined is then an error; otherwise it is not changed.
    pub(super) fn inline(&self, symbol: SymbolId, goes: bool) -> Result<InlineResult> {
        let (sites, mut unresolved) = self.find_sites(symbol, goes)?;
        let edits = self.use_edits(&sites, goes, &mut unresolved)?;
        Ok(InlineResult { edits, unresolved })
    }

    /// Returns the edits at all uses. If the function stays, calls that cannot be inlined are reported instead.
    fn use_edits(&self, sites: &[UseSite<'c>], goes: bool, left: &mut Vec<Span>) -> Result<Vec<Edit>> {
        let mut edits = Vec::new();
        let mut values: Vec<(Span, String, bool)> = Vec::new();
        let mut read = 0;
        for site in sites {
            let new = match self.text_at_use(site, sites.len(), &mut read) {
                Ok(new) => new,
                Err(failure) if goes => return Err(failure),
                Err(_) => {
                    left.push(site.span.place());
                    continue;
                }
            };
            match site.form {
                UseForm::Value(_) | UseForm::Function => values.push((site.span.place(), new, site.is_shorthand)),
                _ => edits.push(Edit::new(site.span.place(), new)),
            }
        }
        let calls: Vec<(Span, &str)> = values.iter().map(|(span, new, _)| (*span, new.as_str())).collect();
        let written = replacement_texts(self.source.parsed, self.source.tree(), &calls);
        edits.extend(calls.first().and_then(|(first, _)| self.comments_above(*first)));
        edits.extend(values.iter().zip(written).map(|((span, old, is_shorthand), new)| {
            let name = span.slice(self.source.text());
            Edit::new(*span, if *is_shorthand { format!("{name}: {old}") } else { new })
        }));
        Ok(edits)
    }

    /// Moves comments of the function that are not part of its value above the statement with the first call.
    fn comments_above(&self, first: Span) -> Option<Edit> {
        let (Body::Value(value), Some(block)) = (self.callee.body, self.callee.function.block()) else { return None };
        let comments = self
            .callee_source
            .comments()
            .iter()
            .map(|comment| comment.span.place())
            .filter(|comment| block.span.place().contains(*comment) && !value.span.contains(*comment));
        let text = self.source.text();
        let statement = self.source.statement_around(first)?;
        let start = statement.range().start;
        if !self.is_same_file || !lines::starts_line(text, start) {
            return None;
        }
        let gap = format!("{}{}", lines::line_break(text), lines::indent_at(text, start));
        let moved: String = comments.map(|it| format!("{}{gap}", self.callee_source.source(it))).collect();
        (!moved.is_empty()).then(|| Edit::insert(start, moved))
    }

    fn text_at_use(&self, site: &UseSite<'c>, count: usize, read: &mut usize) -> Result<String> {
        let indent = self.source.indent_at(site.span);
        let (call, form) = match site.form {
            UseForm::Function => return Ok(self.function_expression(indent)),
            UseForm::Value(call) | UseForm::Statement(call, _) | UseForm::Return(call) | UseForm::Arrow(call) => {
                (call, site.form)
            }
        };
        let bound = self.bind_parameters(call)?;
        let as_value = |value: BodyValue, read: &mut usize| {
            let text = self.substitute_parameters(value.bare, &bound, Vec::new(), read);
            Ok(self.reindent_for_call(&text, value.span, indent, true))
        };
        let (inner, statements, returned) = match self.callee.body {
            Body::Value(value) => return as_value(value, read),
            Body::Statements { inner, statements, returned } => match self.callee.only_call(self.callee_source) {
                Some(value) if matches!(form, UseForm::Value(_)) => return as_value(value, read),
                _ => (inner, statements, returned),
            },
        };
        let mut extra = Vec::new();
        if let Some(returned) = returned.filter(|_| !matches!(form, UseForm::Return(_))) {
            extra.push(self.return_edit(&returned));
        }
        let trimmed = inner.trimmed(self.callee_source.text());
        let text = self.substitute_parameters(trimmed, &bound, extra, read);
        let unit = indentation::unit(self.source.tree());
        let is_listed = matches!(form, UseForm::Statement(_, true) | UseForm::Return(_));
        let needs_braces = !is_listed && (statements.len() != 1 || !self.callee.locals.is_empty());
        let braces = needs_braces
            || matches!(form, UseForm::Arrow(_))
            || self.needs_block(call.node_id.get(), call.span.place(), count)?;
        if !braces {
            let mut text = self.reindent_for_call(&text, trimmed, indent, false);
            // Without its semicolon, the statement would be joined with the text after the call: `if (a) f(); else g();`.
            let grammar = self.source.tree().grammar();
            if self.source.source(site.span).ends_with(';')
                && Fragment::of_list_items(&text, ListKind::Block, grammar).lacks_semicolon
            {
                text.push(';');
            }
            return Ok(text);
        }
        let newline = lines::line_break(self.source.text());
        let deeper = format!("{indent}{unit}");
        let text = self.reindent_for_call(&text, trimmed, &deeper, false);
        if text.trim().is_empty() {
            return Ok("{}".to_owned());
        }
        Ok(format!("{{{newline}{deeper}{text}{newline}{indent}}}"))
    }

    /// Returns the function as an expression.
    fn function_expression(&self, indent: &str) -> String {
        let span = self.callee.function.span().place();
        let text = self.callee_source.source(span);
        let text = match self.callee.function {
            FunctionNode::Function(function) => match &function.id {
                Some(name) => {
                    let until = (name.span.start - span.start) as usize;
                    let after = (name.span.end - span.start) as usize;
                    format!("{}{}", text[..until].trim_end(), &text[after..])
                }
                None => text.to_owned(),
            },
            FunctionNode::Arrow(_) => text.to_owned(),
        };
        self.reindent_for_call(&text, span, indent, true)
    }

    /// Converts the final `return` to a statement, or removes it if the value has no side effects.
    fn return_edit(&self, returned: &FinalReturn) -> Edit {
        let source = self.callee_source;
        let acts = returned.value.filter(|value| {
            source.effects_of(returned.node, *value).has_side_effects && !is_ambiguous_at_start(source.source(*value))
        });
        match acts {
            Some(value) => Edit::remove(returned.span.range().start..value.range().start),
            None => {
                let before = source.text()[..returned.span.range().start].trim_end().len();
                Edit::remove(before..returned.span.range().end)
            }
        }
    }

    /// Returns a part of the function with parameters replaced.
    fn substitute_parameters(
        &self,
        piece: Span,
        bound: &HashMap<SymbolId, Replacement>,
        extra: Vec<Edit>,
        read: &mut usize,
    ) -> String {
        let source = self.callee_source;
        let mut uses: Vec<(Span, &str, bool)> = Vec::new();
        for (symbol, bound) in bound {
            for (reference, span) in source.references_of(*symbol) {
                let is_removed = extra.iter().any(|edit| edit.span.contains(span.place()));
                if piece.contains(span.place()) && !is_removed {
                    let is_shorthand = source.is_shorthand(reference.node_id());
                    uses.push((span.place(), bound.text.as_str(), is_shorthand));
                }
            }
        }
        uses.sort_by_key(|(span, ..)| span.start);
        let mut edits = extra;
        let mut places = Vec::new();
        for (span, text, is_shorthand) in uses {
            if is_shorthand {
                let name = span.slice(source.text());
                let new = if name == text { name.to_owned() } else { format!("{name}: {text}") };
                edits.push(Edit::new(span, new));
            } else {
                places.push((span, text));
            }
        }
        let needs_reading = places.iter().any(|(_, text)| !is_atomic(text));
        *read += if needs_reading { source.text().len() } else { 0 };
        let written = if needs_reading && *read > MAX_REPARSED_BYTES {
            places
                .iter()
                .map(|(_, text)| if is_atomic(text) { (*text).to_owned() } else { format!("({text})") })
                .collect()
        } else if needs_reading {
            replacement_texts(source.parsed, source.tree(), &places)
        } else {
            places.iter().map(|(_, text)| (*text).to_owned()).collect()
        };
        edits.extend(places.iter().zip(written).map(|((span, _), new)| Edit::new(*span, new)));
        edits.sort_by_key(|edit| edit.span.start);
        apply_within(source.text(), piece.range(), &edits)
    }

    /// Reindents the text for the call, and adapts its line breaks.
    fn reindent_for_call(&self, text: &str, own: Span, indent: &str, is_value: bool) -> String {
        let shape = if is_value { Shape::Expression } else { Shape::Statements };
        if self.is_same_file {
            return self.source.reindented(text, shape, self.callee_source.indent_at(own), indent);
        }
        if text.contains('\n') {
            self.source.indented(&text.replace("\r\n", "\n"), shape, indent)
        } else {
            text.to_owned()
        }
    }

    /// Returns whether the function's variables need braces because the names are in use.
    fn needs_block(&self, call: NodeId, at: Span, count: usize) -> Result<bool> {
        let scope = self.source.scope_of(call);
        let is_taken = |name: &&str| self.source.binding(scope, name).is_some() || self.source.is_global_name(name);
        let taken = self.callee.locals.iter().find(|name| is_taken(name));
        if !self.callee.has_var {
            return Ok(taken.is_some() || count > 1 && !self.callee.locals.is_empty());
        }
        match taken {
            None if count == 1 => Ok(false),
            _ => {
                let name = taken.or(self.callee.locals.first()).copied().unwrap_or_default();
                Err(refusal_at(format!("`{name}` would be declared twice"), at)
                    .hint("first declare it with `let` or `const`"))
            }
        }
    }
}

/// Returns whether a text would be parsed differently at the start of a statement.
fn is_ambiguous_at_start(text: &str) -> bool {
    ["{", "function", "class", "let [", "async function"].iter().any(|start| text.starts_with(start))
}
