//! CommonJS exports of the two files of a move: which there are, how to add and remove them.

use marquetry_sdk::{Edit, FailureKind, Result, fail};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;
use oxc_span::GetSpan as _;

use crate::editor::SyntaxEditor;
use crate::imports::removal::braced_items;
use crate::infer::builtins::is_function_method;
use crate::infer::checker::Checker;
use crate::program::expandos::is_exports;
use crate::program::exports::Export;
use crate::program::ids::{ModuleRef, OPEN_DOCUMENT};
use crate::program::module::Module;
use crate::rename::conflicts;
use crate::syntax::spans::span_in;

/// Style in which a file exports names.
pub(super) enum ExportStyle<'w> {
    /// `module.exports = { … }`
    Object(&'w ObjectExpression<'w>),
    /// `exports.a = a`, with the text before the name.
    Members(&'static str),
    /// It exports nothing yet.
    Nothing,
    /// It exports a value to which a member may not be added.
    Closed,
}

/// Returns the style in which the open document exports names.
pub(super) fn export_style<'w>(checker: &Checker<'w>) -> ExportStyle<'w> {
    let exports = checker.exports(ModuleRef { module: OPEN_DOCUMENT, block: None });
    let here = checker.open_module();
    let mut whole = exports.whole.clone();
    whole.dedup_by_key(|value| value.span());
    let member_prefix = || if here.text().contains("module.exports.") { "module.exports." } else { "exports." };
    match whole.as_slice() {
        [] if seals_exports(&here, None) => ExportStyle::Closed,
        [] if here.expandos().exported().next().is_none() => ExportStyle::Nothing,
        [] => ExportStyle::Members(member_prefix()),
        [value] if !is_set_on_load(&here, value.span()) => ExportStyle::Closed,
        [value] => match value.without_parentheses() {
            Expression::ObjectExpression(object) => ExportStyle::Object(object),
            value if accepts_members(&here, value) => ExportStyle::Members("module.exports."),
            _ => ExportStyle::Closed,
        },
        // One of several values is chosen when the file is loaded.
        _ => ExportStyle::Closed,
    }
}

/// Returns whether a statement at the top level always assigns the value to `module.exports`.
fn is_set_on_load(here: &Module<'_>, value: oxc_span::Span) -> bool {
    fn assigns(expression: &Expression<'_>, value: oxc_span::Span) -> bool {
        match expression {
            _ if expression.span() == value => true,
            Expression::AssignmentExpression(set) => assigns(&set.right, value),
            Expression::ParenthesizedExpression(inner) => assigns(&inner.expression, value),
            _ => false,
        }
    }
    here.program.body.iter().any(|statement| match statement {
        Statement::ExpressionStatement(statement) => assigns(&statement.expression, value),
        Statement::VariableDeclaration(variables) => {
            variables.declarations.iter().filter_map(|it| it.init.as_ref()).any(|init| assigns(init, value))
        }
        Statement::TSExportAssignment(export) => assigns(&export.expression, value),
        _ => false,
    })
}

/// Returns whether a value is certainly a function, a class or an object to which members can be added.
fn accepts_members(here: &Module<'_>, value: &Expression<'_>) -> bool {
    match value.without_parentheses() {
        Expression::FunctionExpression(_)
        | Expression::ArrowFunctionExpression(_)
        | Expression::ClassExpression(_)
        | Expression::ObjectExpression(_) => !seals_exports(here, None),
        Expression::Identifier(name) => {
            let symbol = name.reference_id.get().and_then(|id| here.scoping().get_reference(id).symbol_id());
            let Some(symbol) = symbol.filter(|symbol| !here.scoping().symbol_is_mutated(*symbol)) else { return false };
            let is_open = match here.kind(here.scoping().symbol_declaration(symbol)) {
                AstKind::Function(_) | AstKind::Class(_) => true,
                AstKind::VariableDeclarator(variable) if variable.id.is_binding_identifier() => {
                    variable.init.as_ref().is_some_and(|init| accepts_members(here, init))
                }
                _ => false,
            };
            is_open && !seals_exports(here, Some(symbol))
        }
        _ => false,
    }
}

/// Returns whether the file freezes or seals its exports, or the variable that it exports.
fn seals_exports(here: &Module<'_>, exported: Option<SymbolId>) -> bool {
    let is_exported = |given: &Expression<'_>| match given {
        Expression::Identifier(name) if exported.is_some() => {
            name.reference_id.get().and_then(|id| here.scoping().get_reference(id).symbol_id()) == exported
        }
        _ => false,
    };
    here.semantic().nodes().iter().any(|node| match node.kind() {
        AstKind::CallExpression(call) => match (&call.callee, call.arguments.first().and_then(|it| it.as_expression()))
        {
            (Expression::StaticMemberExpression(callee), Some(given)) => {
                matches!(callee.property.name.as_str(), "freeze" | "seal" | "preventExtensions")
                    && (is_exports(here, given) || is_exported(given))
            }
            _ => false,
        },
        _ => false,
    })
}

/// Returns those of the names that the open document does not export yet, and the style in which to export them. Refused
/// if it exports another value under one of them, or may do so, or if its exports cannot be extended.
pub(super) fn new_exports<'w>(checker: &Checker<'w>, names: &[String]) -> Result<(Vec<String>, ExportStyle<'w>)> {
    let here = checker.open_module();
    let style = export_style(checker);
    let names: Vec<String> = names.iter().filter(|name| !exports_binding(checker, name)).cloned().collect();
    for name in &names {
        conflicts::check_export(checker, &[], name)?;
        let cannot = |reason: String| {
            Err(fail(FailureKind::RefactorFailed, format!("`{}` {reason}", here.path))
                .hint("choose another destination, or first export an object literal: `module.exports = { … }`"))
        };
        if matches!(style, ExportStyle::Closed) {
            return cannot("exports a value that cannot get more exports".to_owned());
        }
        let is_function = matches!(style, ExportStyle::Members(_)) && export_count(checker) > 0;
        let is_own =
            is_function && (is_function_method(name) || matches!(name.as_str(), "name" | "length" | "prototype"));
        let props = checker.exported_props(ModuleRef { module: OPEN_DOCUMENT, block: None }, name);
        if is_own || !props.found.is_empty() || props.may_have_more || props.external {
            return cannot(format!("may already export a value with the name `{name}`"));
        }
    }
    Ok((names, style))
}

/// Returns the number of values that the open document exports as a whole.
fn export_count(checker: &Checker<'_>) -> usize {
    checker.exports(ModuleRef { module: OPEN_DOCUMENT, block: None }).whole.len()
}

/// Returns whether the open document exports a top-level binding under its own name.
fn exports_binding(checker: &Checker<'_>, name: &str) -> bool {
    let here = checker.open_module();
    let exports = checker.exports(ModuleRef { module: OPEN_DOCUMENT, block: None });
    let binding = here.scoping().get_root_binding(Ident::from(name));
    let is_it = |export: &Export<'_>| match export {
        Export::Assigned { value: Some(Expression::Identifier(value)), .. } => {
            let symbol = value.reference_id.get().and_then(|id| here.scoping().get_reference(id).symbol_id());
            binding.is_some() && symbol == binding
        }
        _ => false,
    };
    exports.named.get(name).is_some_and(|all| all.iter().all(is_it))
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
