//! Refactorings in components: they change scripts, and the template only where the change is valid there as well.

use marquetry_sdk::refactor::{Place, RefactorInput, Refactoring, refactor_failure};
use marquetry_sdk::{Edit, Failure, Result, Rewrite, Span};

use crate::TypeScriptDocument;
use crate::refactor::{add_import, change_signature, move_to_file};
use crate::syntax::components::{is_component, scripts_of};

/// Functions that only work in the script of a component.
const MACROS: [&str; 8] = [
    "defineProps",
    "defineEmits",
    "defineModel",
    "defineExpose",
    "defineSlots",
    "defineOptions",
    "withDefaults",
    "Astro.",
];

/// Runs a refactoring. In a component, it is refused if it starts in the template, or if it would change the template
/// in a way that only the framework's compiler can judge.
pub(super) fn apply(
    document: &TypeScriptDocument,
    input: &RefactorInput,
    refactoring: &Refactoring<TypeScriptDocument>,
) -> Result<Rewrite> {
    let path = document.tree.path();
    if refactoring.id == move_to_file::ID
        && let Some(target) = input.argument("destination").filter(|target| is_component(target))
    {
        return Err(refactor_failure(format!("`{target}` is a component, which exports nothing but itself"))
            .hint("move the declaration to a module, such as a `.ts` file"));
    }
    let Some(scripts) = scripts_of(path, document.tree.text()) else { return (refactoring.apply)(document, input) };
    if scripts.is_empty() {
        return Err(refactor_failure("the component has no script").hint("add a `<script>` element to the file first"));
    }
    let at = input.at.span;
    let is_default = at.is_empty() && input.at.caret == 0;
    let needs_script = refactoring.place != Place::Document && refactoring.id != add_import::ADD_IMPORT.id;
    if needs_script && !is_default && !is_inside(&scripts, at) {
        return Err(refactor_failure("the place is in the template of the component, where only names are followed")
            .hint("select code of a script; names are renamed in scripts and templates alike")
            .at(at));
    }
    if refactoring.id == move_to_file::ID {
        check_movable(document, at)?;
    }
    let rewrite = (refactoring.apply)(document, input).map_err(|failure| match failure.span {
        // The position of a use in the template does not show when the code runs.
        Some(span) if needs_script && !is_inside(&scripts, span) => template_failure(span),
        _ => failure,
    })?;
    check_edits(document, refactoring.id, &rewrite.edits)?;
    Ok(rewrite)
}

/// Refuses an answer to another file that would change the template of a component.
pub(super) fn check_answer(document: &TypeScriptDocument, id: &str, rewrite: Rewrite) -> Result<Rewrite> {
    check_edits(document, id, &rewrite.edits)?;
    Ok(rewrite)
}

fn is_inside(scripts: &[std::ops::Range<usize>], span: Span) -> bool {
    let range = span.range();
    scripts.iter().any(|script| script.start <= range.start && range.end <= script.end)
}

fn check_edits(document: &TypeScriptDocument, id: &str, edits: &[Edit]) -> Result<()> {
    let Some(scripts) = scripts_of(document.tree.path(), document.tree.text()) else { return Ok(()) };
    // Calls in a template are changed like those in a script, unless markup would give the text another meaning.
    let is_plain =
        |edit: &Edit| id == change_signature::ID && !edit.text.contains(['"', '\'', '`', '<', '>', '{', '}', '\n']);
    match edits.iter().find(|edit| !is_inside(&scripts, edit.span) && !is_plain(edit)) {
        None => Ok(()),
        Some(edit) => Err(template_failure(edit.span)),
    }
}

fn template_failure(span: Span) -> Failure {
    refactor_failure("the template of the component uses the symbol, and the new code may have another meaning there")
        .hint("change the use in the template by hand first")
        .at(span)
}

/// Refuses code that only works in the script of a component.
fn check_movable(document: &TypeScriptDocument, span: Span) -> Result<()> {
    let text = document.tree.text();
    let Some(code) = text.get(span.range()) else { return Ok(()) };
    let is_store = |at: usize| {
        let is_start = !code[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'));
        is_start && code[at + 1..].starts_with(|c: char| c.is_alphabetic() || c == '_')
    };
    let is_svelte = document.tree.path().ends_with(".svelte");
    let store = code.match_indices('$').map(|(at, _)| at).find(|at| is_svelte && is_store(*at));
    let used = MACROS.iter().filter_map(|name| code.find(name)).chain(store).min();
    match used {
        None => Ok(()),
        Some(at) => {
            let start = span.range().start + at;
            let end = text[start + 1..]
                .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .map_or(text.len(), |end| start + 1 + end);
            let word = &text[start..end];
            Err(refactor_failure(format!("`{word}` only works in the script of a component"))
                .hint("pass its value as a parameter first")
                .at(Span::new(start, end)))
        }
    }
}
