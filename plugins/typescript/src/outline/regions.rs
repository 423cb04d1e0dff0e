//! The regions `imports` and `exports`.

use marquetry_sdk::Span;
use oxc_ast::ast::*;
use oxc_span::GetSpan;

use crate::syntax::comments;
use crate::syntax::spans::span_in;
use crate::syntax::tree::Parsed;

/// Where a document imports and exports.
#[derive(Debug)]
pub(crate) struct Regions {
    /// Each import, and the module it names.
    pub(crate) imports: Vec<(Span, String)>,
    /// Each statement that exports.
    pub(crate) exports: Vec<Span>,
    /// Where the first import would go.
    pub(crate) top: usize,
}

impl Regions {
    /// From the first import to the last; empty, where the first one would go, if there is none.
    pub(crate) fn all_imports(&self) -> Span {
        match (self.imports.first(), self.imports.last()) {
            (Some((first, _)), Some((last, _))) => Span { start: first.start, end: last.end },
            _ => Span::at(self.top),
        }
    }

    pub(crate) fn of(parsed: &Parsed<'_>, text: &str) -> Regions {
        let body = &parsed.program.body;
        let mut imports: Vec<(Span, String)> = body.iter().filter_map(|statement| import(statement, text)).collect();
        if imports.is_empty() {
            imports = body.iter().filter_map(|statement| require(statement, text)).collect();
        }
        let exports = body.iter().filter(|statement| exports(statement)).map(|it| statement_span(it, text)).collect();
        Regions { imports, exports, top: top(parsed, text) }
    }
}

/// The span of a statement, with decorators that stand before its `export`.
pub(crate) fn statement_span(statement: &Statement<'_>, text: &str) -> Span {
    let mut span = span_in(statement.span(), text);
    let class = match statement {
        Statement::ClassDeclaration(class) => Some(class),
        Statement::ExportDeclaration(export) => match &export.declaration {
            Declaration::ClassDeclaration(class) => Some(class),
            _ => None,
        },
        Statement::ExportDefaultDeclaration(export) => match &export.declaration {
            ExportDefaultDeclarationKind::ClassDeclaration(class) => Some(class),
            _ => None,
        },
        _ => None,
    };
    if let Some(first) = class.and_then(|class| class.decorators.first()) {
        span.start = span.start.min(first.span.start);
    }
    span
}

fn import(statement: &Statement<'_>, text: &str) -> Option<(Span, String)> {
    let source = match statement {
        Statement::ImportDeclaration(import) => &import.source,
        Statement::TSImportEqualsDeclaration(import) => match &import.module_reference {
            TSModuleReference::ExternalModuleReference(reference) => &reference.expression,
            _ => return None,
        },
        _ => return None,
    };
    Some((span_in(statement.span(), text), source.value.display().to_string()))
}

/// `const a = require("b")`, `require("b")`.
fn require(statement: &Statement<'_>, text: &str) -> Option<(Span, String)> {
    let source = match statement {
        Statement::VariableDeclaration(declaration) => match declaration.declarations.as_slice() {
            [only] => required(only.init.as_ref()?),
            _ => None,
        },
        Statement::ExpressionStatement(statement) => required(&statement.expression),
        _ => None,
    }?;
    Some((span_in(statement.span(), text), source.to_owned()))
}

/// The module that `require("…")`, `require("…").a` or `require("…")()` names.
pub(crate) fn required<'a>(mut expression: &Expression<'a>) -> Option<&'a str> {
    loop {
        expression = match expression {
            Expression::CallExpression(call) => match (&call.callee, call.arguments.as_slice()) {
                (Expression::Identifier(name), [Argument::StringLiteral(source)]) if name.name == "require" => {
                    return source.value.as_str();
                }
                (callee, _) => callee,
            },
            Expression::StaticMemberExpression(member) => &member.object,
            Expression::AwaitExpression(inner) => &inner.argument,
            _ => return None,
        };
    }
}

fn exports(statement: &Statement<'_>) -> bool {
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

/// `exports.a`, `module.exports`, `module.exports.a`.
fn is_module_exports(target: &StaticMemberExpression<'_>) -> bool {
    match &target.object {
        Expression::Identifier(name) => {
            name.name == "exports" || (name.name == "module" && target.property.name == "exports")
        }
        Expression::StaticMemberExpression(inner) => is_module_exports(inner),
        _ => false,
    }
}

fn top(parsed: &Parsed<'_>, text: &str) -> usize {
    let program = parsed.program;
    if let Some(directive) = program.directives.last() {
        return span_in(directive.span, text).range().end;
    }
    match program.body.first() {
        Some(first) => {
            let start = statement_span(first, text).range().start;
            comments::attached(&program.comments, text, start).map_or(start, |doc| doc.range().start)
        }
        None => text.trim_end().len(),
    }
}
