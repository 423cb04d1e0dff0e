//! The file that receives the moved declarations.

use marquetry_sdk::{Result, Rewrite, Span};

use crate::TypeScriptDocument;
use crate::editor::SyntaxEditor;
use crate::imports::add;
use crate::imports::insertion::{insert_imports, require_quote};
use crate::infer::checker::Checker;
use crate::refactor::move_to_file::export_writing::{export_statements, replace_exports};
use crate::refactor::move_to_file::moved_requires::RequireLine;
use crate::semantics::Semantics;
use crate::semantics::moves::commonjs_exports::{ExportStyle, new_exports};
use crate::semantics::moves::destination::{self, Removal, own_imports, strict_mode_warning};
use crate::semantics::moves::module_system::ModuleSystem;

/// Inserts the declarations from the file at `from`.
pub(super) fn answer(
    document: &TypeScriptDocument,
    from: &str,
    payload: &str,
    system: ModuleSystem,
) -> Result<Rewrite> {
    let (names, rest) = payload.split_once('\n').unwrap_or((payload, ""));
    let (exports, rest) = rest.split_once('\n').unwrap_or(("", rest));
    let exports: Vec<String> = exports.split('\t').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let (length, content) = rest.split_once('\n').unwrap_or(("0", rest));
    let length: usize = length.parse().unwrap_or(0);
    let (imports, moved) = content.split_at_checked(length).unwrap_or(("", content));
    let names: Vec<&str> = names.split('\t').collect();
    Semantics::with(document, |code| {
        if system == ModuleSystem::CommonJs {
            destination::check_end(code)?;
        }
        let mut editor = SyntaxEditor::new(code);
        let was_imported = code.with_checker(|checker| remove_own_imports(checker, from, &names, &mut editor))?;
        if !imports.is_empty() {
            destination::check_imports(code, imports)?;
            match system {
                ModuleSystem::Es => add_imports(code, imports, &mut editor),
                ModuleSystem::CommonJs => add_requires(code, imports, &mut editor),
            }
        }
        let new_exports = code.with_checker(|checker| add_exports(checker, &exports, &mut editor))?;
        let first = destination::first_code(code).filter(|_| was_imported && !destination::is_hoisted(code, moved));
        insert_moved(code, moved, (first, new_exports), &mut editor);
        let strict_mode = code.with_checker(|checker| strict_mode_warning(checker, from));
        let incomplete = strict_mode.filter(|_| system == ModuleSystem::CommonJs);
        Ok(Rewrite { incomplete, ..editor.finish()? })
    })
}

/// Inserts the moved code: before the first code that may use it while the file is loaded, before the statement that
/// exports it, or at the end.
fn insert_moved(
    code: Semantics<'_, '_>,
    moved: &str,
    (first, exports): (Option<Span>, NewExports),
    editor: &mut SyntaxEditor<'_, '_>,
) {
    let (text, line_break) = (code.text(), editor.style().line_break);
    let moved = moved.replace('\n', line_break);
    let (before, last) = match (first, exports) {
        (Some(first), NewExports::After(statements)) => (Some(first), statements),
        (first, NewExports::Before(statement)) => (first.or(Some(statement)), String::new()),
        (None, NewExports::After(statements)) if statements.is_empty() => (None, moved.clone()),
        (None, NewExports::After(statements)) => (None, format!("{moved}{}{statements}", line_break.repeat(2))),
    };
    if let Some(before) = before {
        editor.declare_before(before, &moved, 2);
    }
    if !last.is_empty() {
        let end = text.trim_end().len();
        let gap = if end == 0 { String::new() } else { line_break.repeat(2) };
        let tail = if text[end..].contains('\n') { "" } else { line_break };
        editor.insert_before(end..end, format!("{gap}{last}{tail}"));
    }
}

/// Exports of the moved names.
enum NewExports {
    /// The statement `module.exports = { … }` exports the names. The moved code is inserted before the statement.
    Before(Span),
    /// These statements after the moved code export the names.
    After(String),
}

fn add_exports(checker: &Checker<'_>, names: &[String], editor: &mut SyntaxEditor<'_, '_>) -> Result<NewExports> {
    let (names, style) = new_exports(checker, names)?;
    if names.is_empty() {
        return Ok(NewExports::After(String::new()));
    }
    let statement = match &style {
        ExportStyle::Object(object) => destination::statement_around(checker, object.span),
        _ => None,
    };
    Ok(match statement {
        Some(statement) => {
            replace_exports(checker, &[], &names, editor);
            NewExports::Before(statement)
        }
        None => NewExports::After(export_statements(&style, &names, editor.style().semicolon)),
    })
}

/// Adds names to `require` statements for the same module, or new statements.
fn add_requires(code: Semantics<'_, '_>, requires: &str, editor: &mut SyntaxEditor<'_, '_>) {
    let quote = require_quote(code.program());
    let mut new: Vec<String> = Vec::new();
    for line in requires.lines() {
        let parsed = RequireLine::parse(line, ";");
        let Some(mut line) = parsed else {
            new.push(line.to_owned());
            continue;
        };
        let declared = |name: &String| {
            let local = name.rsplit(": ").next().unwrap_or(name);
            code.top_level_symbol(local).is_some()
        };
        line.names.retain(|name| !declared(name));
        if quote == '"' {
            line.value = line.value.replace('\'', "\"")
        } else {
            line.value = line.value.replace('"', "'")
        }
        if !line.names.is_empty() {
            new.push(line.print(editor.style().semicolon));
        }
    }
    if !new.is_empty() {
        editor.insert_requires(&new.join("\n"));
    }
}

/// Merges the imports into existing ones, unless these are edited for another reason.
fn add_imports(code: Semantics<'_, '_>, imports: &str, editor: &mut SyntaxEditor<'_, '_>) {
    let (parsed, text) = (code.parsed, code.text());
    let added = add::merge_imports(parsed, text, &editor.style().unit, imports, code.tree().grammar());
    let (merged, rest) = added.map_or((Vec::new(), imports.to_owned()), |added| (added.edits, added.remaining));
    let rest = if editor.conflicts_with(&merged) {
        imports.to_owned()
    } else {
        editor.add_edits(merged);
        rest
    };
    if !rest.is_empty() {
        editor.add_edits([insert_imports(parsed.program, text, &rest)]);
    }
}

/// Removes imports of names that are declared here now, and returns whether the file had some. Fails if a moved name
/// has another meaning here.
fn remove_own_imports(
    checker: &Checker<'_>,
    from: &str,
    names: &[&str],
    editor: &mut SyntaxEditor<'_, '_>,
) -> Result<bool> {
    let removals = own_imports(checker, from, names)?;
    let is_imported = !removals.is_empty();
    for removal in removals {
        match removal {
            Removal::Names(statement, gone) => editor.remove_module_names(statement, &gone),
            Removal::Properties(pattern, gone) => {
                editor.take_bindings(pattern, &gone);
            }
            Removal::Require(statement) => editor.remove_require(statement),
        }
    }
    Ok(is_imported)
}
