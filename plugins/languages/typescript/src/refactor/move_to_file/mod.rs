//! `move_to_file`: moves top-level declarations, and what only they use, to another file and updates all imports.
//!
//! ```text
//! import { f } from "./a";   →   import { f } from "./b";
//! ```

mod destination_file;
mod export_writing;
mod importers;
mod moved_requires;
mod moved_text;
#[cfg(test)]
mod tests;

use marquetry_sdk::refactor::{Argument, Place, RefactorInput, Refactoring};
use marquetry_sdk::{FailureKind, Result, Rewrite, SpecifierRequest, fail, paths, workspace};

use crate::TypeScriptDocument;
use crate::editor::SyntaxEditor;
use crate::imports::compiler_settings::CompilerSettings;
use crate::imports::preferences::{Preferences, SpecifierForm};
use crate::imports::specifier::SpecifierFormatter;
use crate::infer::checker::Checker;
use crate::links::format_specifier::format_specifiers;
use crate::program::ids::OPEN_DOCUMENT;
use crate::program::resolution::workspace::Workspace;
use crate::program::resolution::{Resolver, code_extension};
use crate::semantics::Semantics;
use crate::semantics::moves::module_system::ModuleSystem;
use crate::semantics::moves::source_file::{MoveSource, selected_statements};

/// Id of the refactoring, at the start of each question to other files.
pub(crate) const ID: &str = "move_to_file";

pub(super) const MOVE_TO_FILE: Refactoring<TypeScriptDocument> = Refactoring {
    id: ID,
    title: "Move to another file",
    place: Place::Selection,
    arguments: &[Argument {
        name: "destination",
        summary: "the path of the destination file, relative to the project root; paths that start with `./` or `../` \
                  are relative to the folder of this file",
        values: &[],
        required: true,
    }],
    asks_exporters: false,
    apply,
};

/// Moves the selected declarations.
fn apply(document: &TypeScriptDocument, input: &RefactorInput) -> Result<Rewrite> {
    Semantics::with_valid_syntax(document, |code| {
        let chosen = selected_statements(code.program(), code.text(), input.at)?;
        let Some(wanted) = input.argument("destination") else {
            return Err(fail(FailureKind::InvalidArgument, "`move_to_file` needs `destination`")
                .hint(MOVE_TO_FILE.arguments[0].summary));
        };
        let to = destination(code.tree().path(), wanted)?;
        let mut editor = SyntaxEditor::new(code);
        let other = code.with_checker(|checker| {
            let system = ModuleSystem::for_move(checker, &to)?;
            let source = MoveSource::new(checker, document, chosen, (&to, system))?;
            source.update_source(&mut editor);
            other_files(&source, to)
        })?;
        Ok(Rewrite { edits: editor.finish()?.edits, ..other })
    })
}

/// Returns the changes in other files: the destination receives the text, and importers import from there.
fn other_files(source: &MoveSource<'_, '_>, to: String) -> Result<Rewrite> {
    let mut rewrite = Rewrite::default();
    let (imports, text) = (source.needed_imports()?, source.moved_text());
    let assigned = match source.system {
        ModuleSystem::Es => Vec::new(),
        ModuleSystem::CommonJs => source.names_of(source.symbols_to_export()),
    };
    if workspace::stat(&to).is_some() {
        let kind = if source.system == ModuleSystem::Es { "insert" } else { "insert-commonjs" };
        let (names, exports) = (source.names_of(&source.symbols).join("\t"), assigned.join("\t"));
        let payload = format!("{ID}\n{kind}\n{names}\n{exports}\n{}\n{imports}{text}", imports.len());
        rewrite.ask_file(to.clone(), payload);
    } else {
        let parts = [source.directives(), imports, text, source.export_statements(&assigned)];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        rewrite.create(to.clone(), format!("{}\n", parts.join("\n\n")));
    }
    let exported = source.exported_moved_names();
    if !exported.is_empty() {
        let kinds: Vec<String> =
            exported.iter().map(|(name, ty)| format!("{}{name}", if *ty { "type " } else { "" })).collect();
        let payload = format!("{ID}\nimport\n{to}\n{}", kinds.join("\t"));
        rewrite.ask_importers(exported.into_iter().map(|(name, _)| name), payload);
    }
    rewrite.incomplete = source.behavior_warning();
    Ok(rewrite)
}

/// Returns the destination path, with an extension.
fn destination(from: &str, wanted: &str) -> Result<String> {
    let invalid = |message: String| fail(FailureKind::InvalidArgument, message);
    let wanted = wanted.trim();
    let folder = if wanted.starts_with("./") || wanted.starts_with("../") { paths::folder(from) } else { "" };
    let path = paths::join(folder, wanted)
        .filter(|path| !path.is_empty() && !path.ends_with('/'))
        .ok_or_else(|| invalid(format!("`{wanted}` is not a file path in the project")))?;
    let path = match (code_extension(&path), code_extension(from)) {
        (None, Some(extension)) if !paths::file_name(&path).contains('.') => format!("{path}{extension}"),
        (None, _) => return Err(invalid(format!("`{path}` is not a TypeScript or JavaScript file"))),
        _ => path,
    };
    if path == from {
        return Err(invalid(format!("the code is already in `{path}`")));
    }
    let typed = |path: &str| code_extension(path).is_some_and(|extension| extension.contains("ts"));
    if typed(from) && !typed(&path) {
        return Err(invalid(format!("`{path}` cannot contain types")).hint("choose a TypeScript file"));
    }
    Ok(path)
}

/// Answers the question in another file.
pub(crate) fn answer(document: &TypeScriptDocument, from: &str, payload: &str) -> Result<Rewrite> {
    let (kind, rest) = payload.split_once('\n').unwrap_or((payload, ""));
    match kind {
        "insert" => destination_file::answer(document, from, rest, ModuleSystem::Es),
        "insert-commonjs" => destination_file::answer(document, from, rest, ModuleSystem::CommonJs),
        _ => importers::answer(document, from, rest),
    }
}

/// Prints a specifier in the style of an existing one for another file.
fn specifier_in_style_of(from: &str, to: &str, was: &str, specifier: &str) -> Result<String> {
    let request = SpecifierRequest {
        from: from.to_owned(),
        to: to.to_owned(),
        was: was.to_owned(),
        kind: "import".to_owned(),
        specifier: specifier.to_owned(),
    };
    format_specifiers(std::slice::from_ref(&request)).pop().unwrap_or_else(|| Ok(specifier.to_owned()))
}

/// Prints a specifier in the style of the relative imports of the open document.
fn relative_specifier(checker: &Checker<'_>, from: &str, to: &str) -> String {
    let here = checker.open_module();
    for import in crate::imports::model::imports(here.program) {
        let specifier = import.specifier.as_ref();
        if let marquetry_sdk::Destination::Inside(found) = checker.destination(OPEN_DOCUMENT, specifier)
            && marquetry_sdk::paths::is_relative(specifier)
            && let Ok(new_specifier) = specifier_in_style_of(from, to, &found.path, specifier)
        {
            return new_specifier;
        }
    }
    let workspace = Workspace::current();
    let resolver = Resolver::new(&workspace, from);
    let settings = CompilerSettings::for_file(&resolver, from);
    let preferences = Preferences { specifier_form: SpecifierForm::Relative, ..Preferences::default() };
    SpecifierFormatter::new(&resolver, &settings, &preferences, std::iter::empty()).format_specifier(to)
}
