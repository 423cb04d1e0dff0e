//! `convert_to_arrow`: converts a function expression or declaration to an arrow function of the same meaning.
//!
//! ```text
//! function f(a) { g(a); }    →   const f = (a) => { g(a); };
//! ```

use marquetry_sdk::refactor::{Place, RefactorInput, Refactoring};
use marquetry_sdk::{Result, Rewrite};

use crate::TypeScriptDocument;
use crate::editor::{Shape, SyntaxEditor, semicolons};
use crate::semantics::Semantics;
use crate::semantics::arrow_functions::ArrowCandidate;
use crate::syntax::spans::skip_trivia;

pub(super) const CONVERT_TO_ARROW: Refactoring<TypeScriptDocument> = Refactoring {
    id: "convert_to_arrow",
    title: "Convert to an arrow function",
    place: Place::Name,
    arguments: &[],
    asks_exporters: false,
    apply,
};

/// Converts the function whose head contains the caret.
fn apply(document: &TypeScriptDocument, input: &RefactorInput) -> Result<Rewrite> {
    Semantics::with(document, |code| {
        let function = ArrowCandidate::at(code, input.at)?;
        let mut editor = SyntaxEditor::new(code);
        match function.is_declaration() {
            true => convert_declaration(code, &function, &mut editor)?,
            false => convert_expression(code, &function, &mut editor)?,
        }
        editor.finish()
    })
}

/// Removes `function` and the name, and inserts the arrow.
fn convert_head(function: &ArrowCandidate<'_, '_>, editor: &mut SyntaxEditor<'_, '_>) -> Result<()> {
    let head = function.head()?;
    editor.remove_with_gap(head.keyword);
    if let Some(name) = head.name {
        editor.remove_with_gap(name);
    }
    if let Some(parameter) = head.ambiguous_parameter {
        editor.insert_after(parameter, ",");
    }
    editor.insert_after(head.last, " =>");
    Ok(())
}

/// Converts `function f() {}` to `const f = () => {};`.
fn convert_declaration(
    code: Semantics<'_, '_>,
    function: &ArrowCandidate<'_, '_>,
    editor: &mut SyntaxEditor<'_, '_>,
) -> Result<()> {
    convert_head(function, editor)?;
    if let Some(declared) = function.declared_name()? {
        editor.insert_before(function.span(), format!("{} {} = ", declared.keyword, declared.name));
    }
    let (text, body) = (code.text(), function.body_span());
    let after = &text[skip_trivia(text, body.range().end)..];
    let needed = !editor.style().semicolon.is_empty() || semicolons::continues_statement(after);
    if needed && !after.starts_with(';') {
        editor.insert_after(body, ";");
    }
    Ok(())
}

/// Converts a function expression, and removes its `.bind(this)`.
fn convert_expression(
    code: Semantics<'_, '_>,
    function: &ArrowCandidate<'_, '_>,
    editor: &mut SyntaxEditor<'_, '_>,
) -> Result<()> {
    let mut inner = SyntaxEditor::new(code);
    convert_head(function, &mut inner)?;
    if let Some((value, needs_parentheses)) = function.only_value() {
        let value = code.indented(code.source(value), Shape::Expression, code.indent_at(function.span()));
        inner.set_text(function.body_span(), if needs_parentheses { format!("({value})") } else { value });
    }
    let written = inner.into_text(function.span())?;
    editor.replace(function.needless_bind()?.unwrap_or(function.span()), written);
    Ok(())
}

#[cfg(test)]
mod tests;
