//! Writing CommonJS exports.

use marquetry_sdk::Edit;

use crate::editor::SyntaxEditor;
use crate::infer::checker::Checker;
use crate::semantics::moves::commonjs_exports::{ExportStyle, OwnExport, export_style};

/// Prints statements that export names in the style of a file.
pub(crate) fn export_statements(style: &ExportStyle<'_>, names: &[String], semicolon: &str) -> String {
    match style {
        ExportStyle::Members(before) => member_exports(before, names, semicolon),
        _ => format!("module.exports = {{ {} }}{semicolon}", names.join(", ")),
    }
}

fn member_exports(before: &str, names: &[String], semicolon: &str) -> String {
    let line = |name: &String| format!("{before}{name} = {name}{semicolon}");
    names.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Removes exports from a file, and adds exports of other names to it.
pub(crate) fn replace_exports<'w>(
    checker: &Checker<'w>,
    gone: &[OwnExport<'w>],
    names: &[String],
    editor: &mut SyntaxEditor<'_, '_>,
) {
    let style = export_style(checker);
    let mut objects = Vec::new();
    for export in gone {
        match export {
            OwnExport::Statement(span) => editor.remove_statement(*span),
            OwnExport::Property(object, property) => {
                match objects.iter_mut().find(|(known, _): &&mut (&_, Vec<_>)| std::ptr::eq(*known, *object)) {
                    Some((_, spans)) => spans.push(*property),
                    None => objects.push((*object, vec![*property])),
                }
            }
        }
    }
    let mut names = names.to_vec();
    for (object, mut spans) in objects {
        if matches!(&style, ExportStyle::Object(own) if std::ptr::eq(*own, object)) {
            // A new name replaces an old one.
            while let (Some(name), Some(span)) = (names.first().cloned(), spans.first().copied()) {
                editor.set_text(span, name);
                names.remove(0);
                spans.remove(0);
            }
        }
        editor.remove_properties(object, &spans);
    }
    if !names.is_empty() {
        add_exports(checker, &style, &names, editor);
    }
}

/// Adds exports of declared names in the style of the file.
fn add_exports(checker: &Checker<'_>, style: &ExportStyle<'_>, names: &[String], editor: &mut SyntaxEditor<'_, '_>) {
    match style {
        ExportStyle::Object(object) => {
            editor.append_properties(object, &names.join(", "));
        }
        other => {
            let style = editor.style();
            let statements = export_statements(other, names, style.semicolon);
            let (line_break, end) = (style.line_break, checker.open_module().text().trim_end().len());
            let gap = if matches!(other, ExportStyle::Nothing) { line_break.repeat(2) } else { line_break.to_owned() };
            let statements = statements.replace('\n', line_break);
            editor.add_edits([Edit::insert(end, format!("{gap}{statements}"))]);
        }
    }
}
