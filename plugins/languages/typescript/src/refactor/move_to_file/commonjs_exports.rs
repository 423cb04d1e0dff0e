//! CommonJS exports of the two files of a move: which there are, how to add and remove them.

use marquetry_sdk::Edit;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_span::GetSpan as _;

use crate::editor::SyntaxEditor;
use crate::imports::removal::braced_items;
use crate::infer::checker::Checker;
use crate::program::ids::{ModuleRef, OPEN_DOCUMENT};
use crate::program::module::Module;
use crate::syntax::spans::span_in;

/// Style in which a file exports names.
pub(super) enum ExportStyle<'w> {
    /// `module.exports = { … }`
    Object(&'w ObjectExpression<'w>),
    /// `exports.a = a`, with the text before the name.
    Members(&'static str),
    /// It exports nothing yet.
    Nothing,
}

/// Returns the style in which the open document exports names.
pub(super) fn export_style<'w>(checker: &Checker<'w>) -> ExportStyle<'w> {
    let exports = checker.exports(ModuleRef { module: OPEN_DOCUMENT, block: None });
    let here = checker.open_module();
    match exports.export_equals.map(Expression::without_parentheses) {
        Some(Expression::ObjectExpression(object)) => ExportStyle::Object(object),
        Some(_) => ExportStyle::Members("module.exports."),
        None if here.expandos().exported().next().is_none() => ExportStyle::Nothing,
        None if here.text().contains("module.exports.") => ExportStyle::Members("module.exports."),
        None => ExportStyle::Members("exports."),
    }
}

/// Prints statements that export names in the style of a file.
pub(super) fn export_statements(style: &ExportStyle<'_>, names: &[String], semicolon: &str) -> String {
    match style {
        ExportStyle::Members(before) => member_exports(before, names, semicolon),
        _ => format!("module.exports = {{ {} }}{semicolon}", names.join(", ")),
    }
}

fn member_exports(before: &str, names: &[String], semicolon: &str) -> String {
    let line = |name: &String| format!("{before}{name} = {name}{semicolon}");
    names.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// An export of a symbol under its own name.
#[derive(Clone, Copy)]
pub(super) enum OwnExport<'w> {
    /// A property of the object that the module exports.
    Property(&'w ObjectExpression<'w>, oxc_span::Span),
    /// The statement `exports.a = a`.
    Statement(oxc_span::Span),
}

/// Returns the export of a symbol under its own name that a reference is the value of.
pub(super) fn own_export<'w>(
    here: &Module<'w>,
    checker: &Checker<'w>,
    node: oxc_semantic::NodeId,
    name: &str,
) -> Option<OwnExport<'w>> {
    let place = here.kind(node).span();
    let exports = checker.exports(ModuleRef { module: OPEN_DOCUMENT, block: None });
    if !exports.values.contains(&place) {
        return None;
    }
    let parent = here.parent(node);
    match here.kind(parent) {
        AstKind::ObjectProperty(property) if property.key.is_specific_static_name(name) => {
            match here.parent_kind(parent) {
                AstKind::ObjectExpression(object) => Some(OwnExport::Property(object, property.span)),
                _ => None,
            }
        }
        AstKind::AssignmentExpression(set) => match (&set.left, here.parent_kind(parent)) {
            (AssignmentTarget::StaticMemberExpression(member), AstKind::ExpressionStatement(statement))
                if member.property.name == name =>
            {
                Some(OwnExport::Statement(statement.span))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Removes exports from a file, and adds exports of other names to it.
pub(super) fn replace_exports<'w>(
    checker: &Checker<'w>,
    gone: &[OwnExport<'w>],
    names: &[String],
    editor: &mut SyntaxEditor<'_, '_>,
) {
    let text = checker.open_module().text();
    let style = export_style(checker);
    let mut objects: Vec<(&'w ObjectExpression<'w>, Vec<oxc_span::Span>)> = Vec::new();
    for export in gone {
        match export {
            OwnExport::Statement(span) => editor.remove_statement(*span),
            OwnExport::Property(object, property) => {
                match objects.iter_mut().find(|(known, _)| known.span == object.span) {
                    Some((_, spans)) => spans.push(*property),
                    None => objects.push((object, vec![*property])),
                }
            }
        }
    }
    let mut names = names.to_vec();
    for (object, mut spans) in objects {
        if matches!(&style, ExportStyle::Object(own) if own.span == object.span) {
            // A new name replaces an old one.
            while let (Some(name), Some(span)) = (names.first().cloned(), spans.first().copied()) {
                editor.set_text(span, name);
                names.remove(0);
                spans.remove(0);
            }
        }
        let items = braced_items(object.span, &object.properties, text, &editor.style().unit);
        let indices: Vec<usize> = (0..items.items.len())
            .filter(|index| spans.iter().any(|span| span_in(*span, text) == items.items[*index]))
            .collect();
        if indices.len() == items.items.len() && !indices.is_empty() {
            editor.set_text(object.span, "{}");
        } else if !indices.is_empty() {
            let edits = items.delete(&indices);
            editor.add_edits(edits);
        }
    }
    if !names.is_empty() {
        add_exports(checker, &style, &names, editor);
    }
}

/// Adds exports of declared names in the style of the file.
fn add_exports(checker: &Checker<'_>, style: &ExportStyle<'_>, names: &[String], editor: &mut SyntaxEditor<'_, '_>) {
    let here = checker.open_module();
    let text = here.text();
    match style {
        ExportStyle::Object(object) => {
            let unit = editor.style().unit.clone();
            let items = braced_items(object.span, &object.properties, text, &unit);
            let edits = items.insert(items.items.len(), &names.join(", "));
            editor.add_edits(edits);
        }
        other => {
            let style = editor.style();
            let statements = export_statements(other, names, style.semicolon);
            let (line_break, end) = (style.line_break, text.trim_end().len());
            let gap = if matches!(other, ExportStyle::Nothing) { line_break.repeat(2) } else { line_break.to_owned() };
            let statements = statements.replace('\n', line_break);
            editor.add_edits([Edit::insert(end, format!("{gap}{statements}"))]);
        }
    }
}
