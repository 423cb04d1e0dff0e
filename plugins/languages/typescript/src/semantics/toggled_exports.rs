//! The export at a caret, and the changes that make it a default or a named export.

use marquetry_sdk::refactor::refactor_failure;
use marquetry_sdk::{Result, Selection, Span};
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;
use oxc_span::GetSpan as _;

use crate::program::exports::{declared_names, default_symbol, export_name};
use crate::semantics::functions::effective_caret;
use crate::semantics::{Semantics, refusal_at};
use crate::syntax::spans::{Place as _, declaration_head_end, default_export_head_end, skip_trivia, statement_span};

/// An export that becomes a default export, or a default export that gets a name.
pub(crate) enum ToggledExport<'a> {
    /// An entry of an export list: `f` or `f as g`.
    Listed { entry: Span, written: &'a str, local: &'a str, exported: &'a str },
    /// A declaration with `export`.
    Declared { name: &'a str, form: DefaultForm },
    /// A default export of a declaration with a name, and the spans of the keywords `default`.
    NamedDefault { name: String, keywords: Vec<Span> },
    /// `export default f;`
    Reference { statement: Span, name: &'a str, form: NamedForm },
    /// A default export without a name.
    Anonymous { statement: Span, keyword: Span, form: AnonymousForm },
}

/// Form in which a declaration becomes the default export.
pub(crate) enum DefaultForm {
    /// `default` after each of these keywords `export`.
    Keyword(Vec<Span>),
    /// A separate statement after this one, which loses the keyword `export`.
    Statement { statement: Span, keyword: Span, is_reassigned: bool },
}

/// Form in which a declared name becomes a named export.
pub(crate) enum NamedForm {
    /// The declared name is already exported.
    Exported,
    /// `export` before this declaration.
    Keyword(Span),
    /// An export list.
    List,
}

/// Form of a default export without a name.
#[derive(Clone, Copy)]
pub(crate) enum AnonymousForm {
    /// A function, with the place after the keyword.
    Function(Span),
    /// A class, with its keyword.
    Class(Span),
    Value,
}

/// Finds the export at a caret.
struct ExportFinder<'s, 'a> {
    code: Semantics<'s, 'a>,
    caret: u32,
}

/// Returns the export at a caret. Fails if the export cannot be changed.
pub(crate) fn toggled_export<'a>(code: Semantics<'_, 'a>, at: Selection) -> Result<ToggledExport<'a>> {
    ExportFinder { code, caret: effective_caret(code.text(), at) }.find()
}

/// Refuses a name that the file already exports.
pub(crate) fn check_unexported(code: Semantics<'_, '_>, name: &str) -> Result<()> {
    for statement in &code.program().body {
        let taken = match statement {
            Statement::ExportDefaultDeclaration(export) => (name == "default").then_some(export.span),
            Statement::ExportDeclaration(export) => {
                let names = declared_names(&export.declaration);
                names.iter().find(|declared| declared.name == name).map(|declared| declared.span)
            }
            Statement::ExportNamedDeclaration(export) => exported_as(&export.specifiers, name),
            Statement::ExportFromDeclaration(export) => exported_as(&export.specifiers, name),
            Statement::ExportAllDeclaration(export) => {
                export.exported.as_ref().filter(|known| export_name(known) == name).map(|known| known.span())
            }
            Statement::TSExportAssignment(export) => Some(export.span),
            _ => None,
        };
        if let Some(taken) = taken {
            let message = match name {
                "default" => "the file already has a default export".to_owned(),
                _ => format!("the file already has another export named `{name}`"),
            };
            return Err(refusal_at(message, taken).hint("first rename the other export"));
        }
    }
    Ok(())
}

impl<'a> ExportFinder<'_, 'a> {
    fn body(&self) -> &'a [Statement<'a>] {
        &self.code.program().body
    }

    fn find(&self) -> Result<ToggledExport<'a>> {
        let (text, caret) = (self.code.text(), self.caret);
        let here = self.body().iter().find(|statement| {
            let span = statement_span(statement, text);
            span.start <= caret && caret <= span.end
        });
        let Some(statement) = here else {
            return Err(refactor_failure("the caret is not on an export")
                .hint("place the caret on the name of a top-level declaration"));
        };
        match statement {
            Statement::ExportDefaultDeclaration(export) => {
                self.check_head(default_export_head_end(export))?;
                self.default_export(export)
            }
            Statement::ExportDeclaration(export) => {
                let names = declared_names(&export.declaration);
                self.check_head(declaration_head_end(&export.declaration))?;
                let [name] = names.as_slice() else {
                    return Err(refusal_at("the statement exports several names", export.span)
                        .hint("first move each of them to its own statement"));
                };
                self.declaration(export, name)
            }
            Statement::ExportNamedDeclaration(export) => {
                let at = |listed: &&ExportSpecifier<'a>| listed.span.start <= caret && caret <= listed.span.end;
                match (export.specifiers.iter().find(at), export.specifiers.as_slice()) {
                    (Some(listed), _) | (None, [listed]) => self.list_item(listed),
                    _ => Err(refusal_at("the statement exports several names", export.span)
                        .hint("place the caret on one of them")
                        .candidates(export.specifiers.iter().map(|listed| export_name(&listed.exported).to_owned()))),
                }
            }
            other => self.listed_declaration(other),
        }
    }

    /// Refuses a caret within the body of a declaration.
    fn check_head(&self, end: u32) -> Result<()> {
        let caret = self.caret;
        if caret <= end {
            return Ok(());
        }
        Err(refusal_at("the caret is not on an export", Span { start: caret, end: caret })
            .hint("place the caret on the exported name or on the keyword `export`"))
    }

    /// Handles a declaration that another statement exports.
    fn listed_declaration(&self, statement: &'a Statement<'a>) -> Result<ToggledExport<'a>> {
        let caret = self.caret;
        let none = || {
            refusal_at("the caret is not on an export", statement.span())
                .hint("place the caret on the name of an export of the file")
        };
        let declaration = statement.as_declaration().ok_or_else(none)?;
        let names = declared_names(declaration);
        let named = match names.as_slice() {
            [name] => (caret <= declaration_head_end(declaration)).then_some(*name),
            many => many.iter().find(|name| name.span.start <= caret && caret <= name.span.end).copied(),
        };
        let symbol = named.and_then(|name| name.symbol_id.get()).ok_or_else(none)?;
        for statement in self.body() {
            match statement {
                Statement::ExportNamedDeclaration(export) => {
                    if let Some(listed) = export.specifiers.iter().find(|it| self.exports_symbol(&it.local, symbol)) {
                        return self.list_item(listed);
                    }
                }
                Statement::ExportDefaultDeclaration(export)
                    if matches!(export.declaration.as_expression(), Some(Expression::Identifier(name))
                        if self.code.symbol_of(name) == Some(symbol)) =>
                {
                    return self.default_export(export);
                }
                _ => {}
            }
        }
        Err(none())
    }

    fn exports_symbol(&self, name: &ModuleExportName<'a>, symbol: SymbolId) -> bool {
        matches!(name, ModuleExportName::IdentifierReference(name) if self.code.symbol_of(name) == Some(symbol))
    }

    /// Returns the entry of an export list.
    fn list_item(&self, listed: &'a ExportSpecifier<'a>) -> Result<ToggledExport<'a>> {
        let (local, exported) = (export_name(&listed.local), export_name(&listed.exported));
        check_unexported(self.code, if exported == "default" { local } else { "default" })?;
        Ok(ToggledExport::Listed {
            entry: Span { start: listed.local.span().start, end: listed.span.end },
            written: listed.local.span().source_text(self.code.program().source_text),
            local,
            exported,
        })
    }

    /// Returns the form in which a declaration becomes the default export.
    fn declaration(
        &self,
        export: &'a ExportDeclaration<'a>,
        name: &'a BindingIdentifier<'a>,
    ) -> Result<ToggledExport<'a>> {
        check_unexported(self.code, "default")?;
        let (code, symbol) = (self.code, name.symbol_id.get());
        let again = symbol.map_or(0, |symbol| code.scoping().symbol_redeclarations(symbol).len());
        let is_ambient = match &export.declaration {
            Declaration::FunctionDeclaration(function) => function.declare,
            Declaration::ClassDeclaration(class) => class.declare,
            Declaration::TSInterfaceDeclaration(interface) => interface.declare,
            _ => true,
        };
        let name_text = name.name.as_str();
        let declared = |form| Ok(ToggledExport::Declared { name: name_text, form });
        if !is_ambient && again == 0 {
            return declared(DefaultForm::Keyword(vec![self.keyword(export.span)]));
        }
        let overloads = self.overloads(name_text);
        if !is_ambient && overloads.len() >= again.max(2) {
            let keywords = overloads.into_iter().map(|export| self.keyword(export));
            return declared(DefaultForm::Keyword(keywords.collect()));
        }
        if again > 0 || matches!(export.declaration, Declaration::TSNamespaceDeclaration(_)) {
            return Err(refusal_at(format!("`{}` has several declarations", name.name), name.span)
                .hint("first export it with a list: `export { … }`"));
        }
        let is_reassigned = symbol.is_some_and(|symbol| code.scoping().symbol_is_mutated(symbol));
        let (statement, keyword) = (export.span.place(), self.keyword(export.span));
        declared(DefaultForm::Statement { statement, keyword, is_reassigned })
    }

    /// Returns the span of `export`; decorators may precede it.
    fn keyword(&self, export: oxc_span::Span) -> Span {
        let at = export.start as usize + self.code.source(export).find("export").unwrap_or(0);
        Span::new(at, at + "export".len())
    }

    /// Returns the spans of the export statements of an overloaded function.
    fn overloads(&self, name: &str) -> Vec<oxc_span::Span> {
        let declared = self.body().iter().filter_map(|statement| match statement {
            Statement::ExportDeclaration(export) => match &export.declaration {
                Declaration::FunctionDeclaration(function) => {
                    function.id.as_ref().filter(|id| id.name == name).map(|_| export.span)
                }
                _ => None,
            },
            _ => None,
        });
        declared.collect()
    }

    fn default_export(&self, export: &'a ExportDefaultDeclaration<'a>) -> Result<ToggledExport<'a>> {
        if let Some(symbol) = default_symbol(export) {
            let name = self.code.name_of(symbol).to_owned();
            check_unexported(self.code, &name)?;
            // Each declaration of an overloaded function has the keyword.
            let keywords = self.body().iter().filter_map(|statement| match statement {
                Statement::ExportDefaultDeclaration(export) => Some(self.default_keyword(export)),
                _ => None,
            });
            return Ok(ToggledExport::NamedDefault { name, keywords: keywords.collect() });
        }
        if let Some(Expression::Identifier(name)) = export.declaration.as_expression() {
            return self.default_reference(export, name);
        }
        let form = match &export.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                let at = function.type_parameters.as_ref().map_or(function.params.span, |types| types.span);
                AnonymousForm::Function(at.place())
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                let decorators = class.decorators.last().map_or(0, |last| last.span.end);
                let from = (class.span.start.max(decorators)) as usize;
                let at = self.code.text()[from..class.body.span.start as usize].find("class").unwrap_or(0) + from;
                AnonymousForm::Class(Span::new(at, at + "class".len()))
            }
            _ => AnonymousForm::Value,
        };
        let (statement, keyword) = (export.span.place(), self.default_keyword(export));
        Ok(ToggledExport::Anonymous { statement, keyword, form })
    }

    /// Returns the span of `default`.
    fn default_keyword(&self, export: &ExportDefaultDeclaration<'a>) -> Span {
        let at = skip_trivia(self.code.text(), self.keyword(export.span).range().end);
        Span::new(at, at + "default".len())
    }

    /// Returns how the name of `export default f;` is exported instead.
    fn default_reference(
        &self,
        export: &'a ExportDefaultDeclaration<'a>,
        name: &'a IdentifierReference<'a>,
    ) -> Result<ToggledExport<'a>> {
        let code = self.code;
        let statement = export.span.place();
        let reference = |form| Ok(ToggledExport::Reference { statement, name: name.name.as_str(), form });
        let Some(symbol) = code.symbol_of(name) else {
            return Err(refusal_at(format!("`{}` is not declared in this file", name.name), name.span));
        };
        if code.scoping().symbol_is_mutated(symbol) {
            let message = format!("`{}` is reassigned, and a named export would change with it", name.name);
            return Err(refusal_at(message, name.span).hint("export a constant with the value instead"));
        }
        let is_exported = self.body().iter().any(|statement| match statement {
            Statement::ExportDeclaration(export) => {
                declared_names(&export.declaration).iter().any(|known| known.symbol_id.get() == Some(symbol))
            }
            Statement::ExportNamedDeclaration(export) => export
                .specifiers
                .iter()
                .any(|it| self.exports_symbol(&it.local, symbol) && export_name(&it.exported) == name.name),
            _ => false,
        });
        if is_exported {
            return reference(NamedForm::Exported);
        }
        check_unexported(code, &name.name)?;
        let is_once = code.scoping().symbol_redeclarations(symbol).is_empty();
        let declared = self.body().iter().filter(|_| is_once).find(|statement| {
            let names = statement.as_declaration().map(declared_names).unwrap_or_default();
            matches!(names.as_slice(), [only] if only.symbol_id.get() == Some(symbol))
        });
        reference(declared.map_or(NamedForm::List, |it| NamedForm::Keyword(statement_span(it, code.text()))))
    }
}

fn exported_as(listed: &[ExportSpecifier<'_>], name: &str) -> Option<oxc_span::Span> {
    listed.iter().find(|listed| export_name(&listed.exported) == name).map(|listed| listed.span)
}
