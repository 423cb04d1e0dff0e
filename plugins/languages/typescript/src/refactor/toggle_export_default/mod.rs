//! `toggle_export_default`: converts between a named and a default export, and updates all importers.
//!
//! ```text
//! export function f() {}     →   export default function f() {}
//! import { f } from "./f";   →   import f from "./f";
//! ```

mod importers;
#[cfg(test)]
mod tests;

use marquetry_sdk::lines;
use marquetry_sdk::refactor::{Argument, Place, RefactorInput, Refactoring};
use marquetry_sdk::{Result, Rewrite, Span};

use crate::TypeScriptDocument;
use crate::editor::{Style, SyntaxEditor};
use crate::rename::names::check_binding;
use crate::semantics::toggled_exports::{
    AnonymousForm, DefaultForm, NamedForm, ToggledExport, check_unexported, toggled_export,
};
use crate::semantics::{Semantics, refusal_at};

pub(crate) use importers::answer;

/// Id of the refactoring, at the start of each question to the files that import the module.
pub(crate) const ID: &str = "toggle_export_default";

pub(super) const TOGGLE_EXPORT_DEFAULT: Refactoring<TypeScriptDocument> = Refactoring {
    id: ID,
    title: "Convert between a named export and the default export",
    place: Place::Name,
    arguments: &[Argument {
        name: "name",
        summary: "the name for an anonymous export; by default derived from the file name",
        values: &[],
        required: false,
    }],
    asks_exporters: false,
    apply,
};

/// Converts the export at the caret.
fn apply(document: &TypeScriptDocument, input: &RefactorInput) -> Result<Rewrite> {
    Semantics::with(document, |code| {
        let mut editor = SyntaxEditor::new(code);
        let change = toggle(code, input, &mut editor)?;
        let mut rewrite = editor.finish()?;
        let payload = format!("{ID}\n{}\n{}", change.old, change.new);
        rewrite.ask_importers([change.old], payload);
        Ok(rewrite)
    })
}

/// The export's name before and after; one of them is `default`.
struct ExportChange {
    old: String,
    new: String,
}

impl ExportChange {
    fn to_default(old: &str) -> ExportChange {
        ExportChange { old: old.to_owned(), new: "default".to_owned() }
    }

    fn to_named(new: &str) -> ExportChange {
        ExportChange { old: "default".to_owned(), new: new.to_owned() }
    }
}

fn toggle(code: Semantics<'_, '_>, input: &RefactorInput, editor: &mut SyntaxEditor<'_, '_>) -> Result<ExportChange> {
    Ok(match toggled_export(code, input.at)? {
        ToggledExport::Listed { entry, written, local, exported: "default" } => {
            editor.set_text(entry, written);
            ExportChange::to_named(local)
        }
        ToggledExport::Listed { entry, written, exported, .. } => {
            editor.set_text(entry, format!("{written} as default"));
            ExportChange::to_default(exported)
        }
        ToggledExport::Declared { name, form } => {
            export_as_default(code, name, form, editor);
            ExportChange::to_default(name)
        }
        ToggledExport::NamedDefault { name, keywords } => {
            keywords.into_iter().for_each(|keyword| editor.remove_with_gap(keyword));
            ExportChange::to_named(&name)
        }
        ToggledExport::Reference { statement, name, form } => {
            match form {
                NamedForm::Exported => editor.remove_statement(statement),
                NamedForm::Keyword(declaration) => {
                    editor.insert_before(declaration, "export ");
                    editor.remove_statement(statement);
                }
                NamedForm::List => {
                    let mark = if code.source(statement).ends_with(';') { ";" } else { "" };
                    editor.set_text(statement, format!("export {{ {name} }}{mark}"));
                }
            }
            ExportChange::to_named(name)
        }
        ToggledExport::Anonymous { statement, keyword, form } => {
            let name = new_name(code, statement, matches!(form, AnonymousForm::Class(_)), input, editor)?;
            check_unexported(code, &name)?;
            name_export(code, keyword, form, &name, editor);
            ExportChange::to_named(&name)
        }
    })
}

/// Changes `export function f` to `export default function f`. Other declarations get a separate export statement.
fn export_as_default(code: Semantics<'_, '_>, name: &str, form: DefaultForm, editor: &mut SyntaxEditor<'_, '_>) {
    let (statement, keyword, is_reassigned) = match form {
        DefaultForm::Keyword(keywords) => {
            return keywords.into_iter().for_each(|keyword| editor.insert_after(keyword, " default"));
        }
        DefaultForm::Statement { statement, keyword, is_reassigned } => (statement, keyword, is_reassigned),
    };
    editor.remove_with_gap(keyword);
    let Style { semicolon, line_break, .. } = editor.style();
    // Only an export list exports the current value of a variable that is reassigned.
    let added = match is_reassigned {
        true => format!("{line_break}export {{ {name} as default }}{semicolon}"),
        false => format!("{line_break}export default {name}{semicolon}"),
    };
    let (text, end) = (code.text(), statement.range().end);
    let end = if lines::ends_line(text, end) { end } else { lines::line_end(text, end) };
    editor.insert_after(end..end, added);
}

/// Gives a default export a name.
fn name_export(
    code: Semantics<'_, '_>,
    keyword: Span,
    form: AnonymousForm,
    name: &str,
    editor: &mut SyntaxEditor<'_, '_>,
) {
    match form {
        AnonymousForm::Function(at) => {
            let gap = if code.text()[..at.range().start].ends_with(' ') { "" } else { " " };
            editor.remove_with_gap(keyword);
            editor.insert_before(at, format!("{gap}{name}"));
        }
        AnonymousForm::Class(word) => {
            editor.remove_with_gap(keyword);
            editor.insert_after(word, format!(" {name}"));
        }
        AnonymousForm::Value => editor.set_text(keyword, format!("const {name} =")),
    }
}

/// Returns the name for an anonymous export: the requested one, or one derived from the file name.
fn new_name(
    code: Semantics<'_, '_>,
    export: Span,
    is_class: bool,
    input: &RefactorInput,
    editor: &SyntaxEditor<'_, '_>,
) -> Result<String> {
    if let Some(name) = input.argument("name") {
        check_binding(name)?;
        let taken = code.scoping().symbol_names().any(|known| known == name);
        return match taken {
            true => Err(refusal_at(format!("`{name}` is already declared here"), export)
                .hint("choose another name")
                .candidates([editor.fresh_name(name)])),
            false => Ok(name.to_owned()),
        };
    }
    let file = code.tree().path().rsplit('/').next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default();
    let words = stem.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').filter(|word| !word.is_empty());
    let mut name = String::new();
    for word in words {
        let mut chars = word.chars();
        let first = chars.next().into_iter();
        match name.is_empty() && !is_class {
            true => name.extend(first),
            false => name.extend(first.flat_map(char::to_uppercase)),
        }
        name.extend(chars);
    }
    if check_binding(&name).is_err() {
        name = if is_class { "Default" } else { "value" }.to_owned();
    }
    Ok(editor.fresh_name(&name))
}
