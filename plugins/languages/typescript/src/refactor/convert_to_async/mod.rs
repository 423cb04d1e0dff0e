//! `convert_to_async`: converts a function that returns chains of `then`, `catch` and `finally` to use `await`.
//!
//! ```text
//! function f() {             →   async function f() {
//!   return g().then(a => h(a));      const a = await g();
//! }                                  return h(a);
//!                                }
//! ```

mod layout;
mod names;
#[cfg(test)]
mod tests;
mod writer;

use marquetry_sdk::refactor::{self, RefactorInput, Refactoring};
use marquetry_sdk::{Failure, Result, Rewrite, Span, lines};

use crate::TypeScriptDocument;
use crate::editor::fragment::multiline_literals;
use crate::editor::{Style, SyntaxEditor};
use crate::infer::checker::Checker;
use crate::refactor::convert_to_async::layout::Layout;
use crate::refactor::convert_to_async::names::ChosenNames;
use crate::refactor::convert_to_async::writer::ChainWriter;
use crate::semantics::async_functions::{AsyncCandidate, ReturnedChain, returned_chains};
use crate::semantics::awaited_types::TypePrinter;
use crate::semantics::functions::{self, FunctionNode};
use crate::semantics::promise_chains::ChainParser;
use crate::semantics::promises::PromiseAnalysis;
use crate::semantics::{Semantics, refusal_at};
use crate::syntax::spans::span_in;

pub(super) const CONVERT_TO_ASYNC: Refactoring<TypeScriptDocument> = Refactoring {
    id: "convert_to_async",
    title: "Convert to an async function",
    place: refactor::Place::Name,
    arguments: &[],
    asks_exporters: false,
    apply,
};

/// Converts the function at the caret.
fn apply(document: &TypeScriptDocument, input: &RefactorInput) -> Result<Rewrite> {
    Semantics::with_valid_syntax(document, |code| {
        // Most places are refused before other files are loaded.
        let (semantic, text) = (code.semantic(), code.text());
        let found = functions::function_at(semantic, text, input.at)
            .or_else(|| functions::function_around(semantic, text, input.at));
        let found = found.ok_or_else(|| functions::no_function_failure(semantic, text, input.at))?;
        if returned_chains(found).is_empty() {
            let message = "the function does not return a chain of `then`, `catch` or `finally`";
            return Err(
                refusal_at(message, found.span()).hint("only returned chains are converted: return the promise first")
            );
        }
        let mut editor = SyntaxEditor::new(code);
        let warning = code.with_checker(|checker| {
            let here = checker.open_module();
            let function = FunctionNode::from_kind(here.kind(found.id()))
                .ok_or_else(|| refusal_at("no function", found.span()))?;
            let candidate = AsyncCandidate { here: &here, function };
            convert(&candidate, checker, &mut editor)?;
            Ok::<_, Failure>(candidate.behavior_warning())
        })?;
        Ok(Rewrite { incomplete: warning, ..editor.finish()? })
    })
}

/// Inserts `async`, and replaces the returned chains.
fn convert<'w>(
    candidate: &AsyncCandidate<'_, 'w>,
    checker: &Checker<'w>,
    editor: &mut SyntaxEditor<'_, '_>,
) -> Result<()> {
    let here = candidate.here;
    let promises = PromiseAnalysis::new(checker);
    if let Some(at) = candidate.keyword_offset()? {
        editor.insert_before(at..at, "async ");
    }
    let promised = candidate.check_returns_promise(&promises)?;
    let typed = !here.is_javascript();
    let reader = ChainParser { promises: &promises, typed };
    let mut chains = Vec::new();
    for found in returned_chains(candidate.function) {
        candidate.check_enclosing_try(&found)?;
        if let Some(chain) = reader.parse_chain(found.value, promised, 0)? {
            chains.push((found, chain));
        }
    }
    let spans: Vec<_> = chains.iter().map(|(found, chain)| (found.span, chain)).collect();
    let text = here.text();
    let mut names = ChosenNames::choose_names(here.semantic(), text, candidate.function, &spans);
    let layout = Layout { style: editor.style().clone(), typed };
    let literals = multiline_literals(here.program);
    let types = TypePrinter::new(&promises);
    for (found, chain) in &chains {
        let place = ReplacedReturn::new(candidate, found, &layout.style);
        let writer = ChainWriter::new(here, &types, &mut names, (&layout, &literals), place.indent.clone());
        let explicit = !candidate.is_last_statement(found);
        let written = writer.into_statements(chain, span_in(found.span, text), found.awaited, explicit)?;
        editor.set_text(place.span, format!("{}{written}{}", place.before, place.after));
    }
    Ok(())
}

/// Position of the statements that replace a `return`.
struct ReplacedReturn {
    span: Span,
    /// Text before and after them.
    before: String,
    after: String,
    indent: String,
}

impl ReplacedReturn {
    fn new<'w>(candidate: &AsyncCandidate<'_, 'w>, found: &ReturnedChain<'w>, style: &Style) -> ReplacedReturn {
        let text = candidate.here.text();
        let span = span_in(found.span, text);
        let range = span.range();
        let outer = lines::indent_at(text, range.start).to_owned();
        let inner = format!("{outer}{}", style.unit);
        let line_break = lines::line_break(text);
        let in_braces = |span: Span, indent: String| {
            let (before, after) = (format!("{{{line_break}{indent}"), format!("{line_break}{outer}}}"));
            ReplacedReturn { span, before, after, indent }
        };
        let Some(statement) = found.statement else {
            return in_braces(candidate.parenthesized_body_span(found), inner);
        };
        let Some(list) = candidate.statement_list(statement) else { return in_braces(span, inner) };
        let start = lines::line_start(text, range.start);
        let ahead = text[start..range.start].trim();
        if ahead.is_empty() || ahead.starts_with("/*") && ahead.ends_with("*/") {
            return ReplacedReturn { span, before: String::new(), after: String::new(), indent: outer.clone() };
        }
        let indent = if (list.start as usize) < start { outer.clone() } else { inner };
        // After a brace, put the statements and the closing brace on separate lines.
        let blank = |text: &str| text.len() - text.trim_end_matches([' ', '\t']).len();
        let start = range.start - blank(&text[..range.start]);
        let rest = &text[range.end..];
        let gap = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let closes = rest[gap..].starts_with('}');
        let end = if closes { range.end + gap } else { range.end };
        let after = if closes { format!("{line_break}{outer}") } else { String::new() };
        ReplacedReturn { span: Span::new(start, end), before: format!("{line_break}{indent}"), after, indent }
    }
}
