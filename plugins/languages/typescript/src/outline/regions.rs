//! The regions `imports` and `exports`.

use marquetry_sdk::Span;
use oxc_ast::ast::*;

use crate::imports::model::{self, Form, Import};
use crate::syntax::comments;
use crate::syntax::component_code::script_statements;
use crate::syntax::spans::{span_in, statement_span};
use crate::syntax::tree::Parsed;

/// Imports and exports of a document.
#[derive(Debug)]
pub(crate) struct Regions {
    /// Each import with its module specifier.
    pub(crate) imports: Vec<(Span, String)>,
    /// Each export statement.
    pub(crate) exports: Vec<Span>,
    /// Offset for the first import.
    pub(crate) import_offset: usize,
}

impl Regions {
    /// Returns the span from the first import to the last; empty, at the offset for the first import, if there is none.
    pub(crate) fn all_imports(&self) -> Span {
        match (self.imports.first(), self.imports.last()) {
            (Some((first, _)), Some((last, _))) => Span { start: first.start, end: last.end },
            _ => Span::at(self.import_offset),
        }
    }

    pub(crate) fn collect(parsed: &Parsed<'_>, text: &str) -> Regions {
        let body = &parsed.program.body;
        let import = |import: Import<'_>| (span_in(import.span, text), import.specifier.into_owned());
        let is_declaration = |import: &Import<'_>| import.form != Form::Require;
        let mut imports: Vec<_> = model::imports(parsed.program).filter(is_declaration).map(import).collect();
        if imports.is_empty() {
            let required = model::imports(parsed.program).filter(|import| import.whole_statement);
            imports = required.map(import).collect();
        }
        let exports = body.iter().filter(|statement| is_export(statement)).map(|it| statement_span(it, text)).collect();
        Regions { imports, exports, import_offset: first_import_offset(parsed, text) }
    }
}

fn is_export(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::ExportAllDeclaration(_)
        | Statement::ExportDefaultDeclaration(_)
        | Statement::ExportDeclaration(_)
        | Statement::ExportNamedDeclaration(_)
        | Statement::ExportFromDeclaration(_)
        | Statement::TSExportAssignment(_)
        | Statement::TSNamespaceExportDeclaration(_) => true,
        Statement::ExpressionStatement(statement) => match &statement.expression {
            Expression::AssignmentExpression(assignment) => match &assignment.left {
                AssignmentTarget::StaticMemberExpression(target) => is_module_exports(target),
                _ => false,
            },
            _ => false,
        },
        _ => false,
    }
}

/// Returns whether the target is `exports.a`, `module.exports` or `module.exports.a`.
fn is_module_exports(target: &StaticMemberExpression<'_>) -> bool {
    match &target.object {
        Expression::Identifier(name) => {
            name.name == "exports" || (name.name == "module" && target.property.name == "exports")
        }
        Expression::StaticMemberExpression(inner) => is_module_exports(inner),
        _ => false,
    }
}

fn first_import_offset(parsed: &Parsed<'_>, text: &str) -> usize {
    let program = parsed.program;
    if let Some(directive) = program.directives.last() {
        return span_in(directive.span, text).range().end;
    }
    match script_statements(program).first() {
        Some(first) => {
            let start = statement_span(first, text).range().start;
            comments::attached_comment(&program.comments, text, start).map_or(start, |doc| doc.range().start)
        }
        None => text.trim_end().len(),
    }
}
