//! Imports of a file, independent of their syntax.

use std::borrow::Cow;

use oxc_ast::ast::*;
use oxc_span::{GetSpan, Span};

use crate::program::exports::export_name;

/// Syntax of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `import … from "x"` or `import "x"`.
    Declaration,
    /// `import a = require("x")`.
    Equals,
    /// `const a = require("x")` or `require("x")`.
    Require,
}

/// A name that an import declares in the file.
pub(crate) struct ImportedBinding<'a> {
    /// The name in the other module: `default`, or `*` for the namespace.
    pub(crate) name: Cow<'a, str>,
    pub(crate) local: &'a BindingIdentifier<'a>,
    /// The name is marked with `type`, or the statement is.
    pub(crate) type_only: bool,
}

/// An import at the top level of a file.
pub(crate) struct Import<'a> {
    pub(crate) form: Form,
    /// The statement.
    pub(crate) span: Span,
    /// True if the statement only imports.
    pub(crate) whole_statement: bool,
    pub(crate) specifier: Cow<'a, str>,
    pub(crate) bindings: Vec<ImportedBinding<'a>>,
}

/// Returns all top-level imports of a program, in document order.
pub(crate) fn imports<'a>(program: &'a Program<'a>) -> impl Iterator<Item = Import<'a>> {
    program.body.iter().flat_map(imports_of_statement)
}

/// Returns the imports in a statement: several if it assigns `require` calls to several variables.
pub(crate) fn imports_of_statement<'a>(statement: &'a Statement<'a>) -> Vec<Import<'a>> {
    let import =
        |form, specifier, bindings| Import { form, span: statement.span(), whole_statement: true, specifier, bindings };
    match statement {
        Statement::ImportDeclaration(declaration) => {
            vec![import(Form::Declaration, literal_text(&declaration.source), declaration_bindings(declaration))]
        }
        Statement::TSImportEqualsDeclaration(equals) => match &equals.module_reference {
            TSModuleReference::ExternalModuleReference(reference) => {
                let whole = new_binding("*", &equals.id, equals.import_kind.is_type());
                vec![import(Form::Equals, literal_text(&reference.expression), vec![whole])]
            }
            _ => Vec::new(),
        },
        Statement::VariableDeclaration(variables) => {
            let whole_statement = variables.declarations.len() == 1;
            let required = variables.declarations.iter().filter_map(|variable| {
                let specifier = required_specifier(variable.init.as_ref()?)?;
                let found = import(Form::Require, Cow::Borrowed(specifier), required_bindings(&variable.id));
                Some(Import { whole_statement, ..found })
            });
            required.collect()
        }
        Statement::ExpressionStatement(statement) => {
            let specifier = required_specifier(&statement.expression);
            specifier.map(|specifier| import(Form::Require, Cow::Borrowed(specifier), Vec::new())).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the names that an import declaration declares.
pub(crate) fn declaration_bindings<'a>(import: &'a ImportDeclaration<'a>) -> Vec<ImportedBinding<'a>> {
    let whole = import.import_kind.is_type();
    let specifiers = import.specifiers.iter().flatten().map(|specifier| match specifier {
        ImportDeclarationSpecifier::ImportSpecifier(named) => {
            new_binding(export_name(&named.imported), &named.local, whole || named.import_kind.is_type())
        }
        ImportDeclarationSpecifier::ImportDefaultSpecifier(default) => new_binding("default", &default.local, whole),
        ImportDeclarationSpecifier::ImportNamespaceSpecifier(space) => new_binding("*", &space.local, whole),
    });
    specifiers.collect()
}

fn new_binding<'a>(name: &'a str, local: &'a BindingIdentifier<'a>, type_only: bool) -> ImportedBinding<'a> {
    ImportedBinding { name: Cow::Borrowed(name), local, type_only }
}

/// Returns the names that a pattern takes from a required module.
fn required_bindings<'a>(pattern: &'a BindingPattern<'a>) -> Vec<ImportedBinding<'a>> {
    match pattern {
        BindingPattern::BindingIdentifier(local) => vec![new_binding("*", local, false)],
        BindingPattern::ObjectPattern(object) => {
            let names = object.properties.iter().filter_map(|property| {
                let BindingPattern::BindingIdentifier(local) = &property.value else { return None };
                let name = Cow::Owned(property.key.static_name()?.display().to_string());
                Some(ImportedBinding { name, local, type_only: false })
            });
            names.collect()
        }
        _ => Vec::new(),
    }
}

fn literal_text<'a>(literal: &'a StringLiteral<'a>) -> Cow<'a, str> {
    literal.value.as_str().map_or_else(|| Cow::Owned(literal.value.display().to_string()), Cow::Borrowed)
}

/// Returns the module in `require("…")`, `require("…").a` or `require("…")()`.
fn required_specifier<'a>(mut expression: &'a Expression<'a>) -> Option<&'a str> {
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
