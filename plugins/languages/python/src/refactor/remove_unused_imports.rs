//! Removes imports whose names the module does not use.

use marquetry_code::{CodeDocument, NodeIndex, TokenKind, scopes::FILE_SCOPE};
use marquetry_sdk::{
    Result, Rewrite, lines,
    paths::file_name,
    refactor::{Place, RefactorInput, Refactoring, refactor_failure},
};

use crate::{
    imports::{self, Import},
    lower::K,
    modules::{self, Found},
    name_strings::exported_strings,
    uses::local_places,
};

pub(super) const REMOVE_UNUSED_IMPORTS: Refactoring<CodeDocument> = Refactoring {
    id: "remove_unused_imports",
    title: "Remove unused imports",
    place: Place::Document,
    arguments: &[],
    asks_exporters: false,
    apply,
};

/// Separates the names in the payload of a question.
const SEPARATOR: char = ',';

fn apply(document: &CodeDocument, _input: &RefactorInput) -> Result<Rewrite> {
    super::check_syntax(document)?;
    let unused: Vec<Import> =
        imports::imports(document).into_iter().filter(|import| is_unused(document, import)).collect();
    let aliases: Vec<NodeIndex> = unused.iter().map(|import| import.alias).collect();
    let mut rewrite = Rewrite::from(imports::remove(document, &aliases)?);
    let names: Vec<String> =
        unused.iter().filter(|import| import.is_global).filter_map(|import| import.local.clone()).collect();
    if !names.is_empty() {
        rewrite.ask_importers(names.clone(), payload(&names));
    }
    Ok(rewrite)
}

/// The question to importers of names that the file no longer imports.
pub(super) fn payload(names: &[String]) -> String {
    names.join(&SEPARATOR.to_string())
}

/// Refuses the change if a document imports one of the removed names from the file.
pub(super) fn check_importer(document: &CodeDocument, from: &str, payload: &str) -> Result<Rewrite> {
    for import in imports::imports(document) {
        let Some(name) = import.name.as_deref().filter(|name| payload.split(SEPARATOR).any(|known| known == *name))
        else {
            continue;
        };
        let is_from =
            matches!(modules::resolve(document.path(), &import.module), Found::Inside(module) if module.path == from);
        if is_from {
            return Err(refactor_failure(format!("`{}` imports `{name}` from `{from}`", document.path()))
                .hint("import it from the module that declares it first")
                .at(import.name_span));
        }
    }
    Ok(Rewrite::default())
}

/// Returns whether the module does not use an import and does not provide it to other modules.
pub(super) fn is_unused(document: &CodeDocument, import: &Import) -> bool {
    let Some(local) = &import.local else { return false };
    let is_for_others = (import.is_global && file_name(document.path()).starts_with("__init__."))
        || (import.is_global && document.path().ends_with(".pyi"))
        || import.module == "__future__"
        || (import.is_aliased && import.name.as_ref().unwrap_or(&import.module) == local)
        || exported_strings(document).iter().any(|(name, _)| name == local);
    if is_for_others || is_tested(document, import) || is_marked(document, import) {
        return false;
    }
    let has_wildcard_list = document.names().binds(FILE_SCOPE, "__all__") && exported_strings(document).is_empty();
    let is_used = local_places(document, import).any(|place| place.binding.is_none());
    !is_used && !has_wildcard_list && !is_in_text(document, local)
}

/// Returns whether an import is in a `try` statement, which tests whether the module exists.
fn is_tested(document: &CodeDocument, import: &Import) -> bool {
    let arena = document.arena();
    arena.ancestors(import.statement).any(|above| arena.node(above).kind == K::Try.into())
}

/// Returns whether a comment on the lines of the import contains `noqa`, a directive for linters.
fn is_marked(document: &CodeDocument, import: &Import) -> bool {
    let (arena, text) = (document.arena(), document.text_str());
    let span = arena.node(import.statement).span.range();
    let comments = arena.tokens.iter().filter(|token| token.kind == TokenKind::Comment);
    let near = comments.filter(|token| {
        token.span.range().start >= span.start && token.span.range().start <= lines::line_end(text, span.end)
    });
    near.into_iter().any(|token| token.span.slice(text).contains("noqa"))
}

/// Returns whether a string or a type comment contains the name as a word, which may be a type.
fn is_in_text(document: &CodeDocument, name: &str) -> bool {
    let text = document.text_str();
    let may_be_code = |token: &&marquetry_code::Token| match token.kind {
        TokenKind::Text => true,
        TokenKind::Comment => token.span.slice(text).contains("type:"),
        _ => false,
    };
    let part = |c: char| !(c.is_alphanumeric() || c == '_');
    document.arena().tokens.iter().filter(may_be_code).any(|token| {
        let own = token.span.slice(text);
        // Strings with several lines are prose.
        !own.contains('\n') && own.split(part).any(|word| word == name)
    })
}
