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
use marquetry_sdk::refactor::{Argument, Place, RefactorInput, Refactoring, refactor_failure};
use marquetry_sdk::{Result, Rewrite, Span};
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;
use oxc_span::GetSpan as _;

use crate::TypeScriptDocument;
use crate::editor::{Style, SyntaxEditor};
use crate::program::exports::{declared_names, default_symbol, export_name};
use crate::rename::names::check_binding;
use crate::semantics::names::fresh_name;
use crate::semantics::{Semantics, refusal_at};
use crate::syntax::spans::{declaration_head_end, default_export_head_end, skip_trivia, statement_span};

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
        let change = ExportToggle { code }.apply_toggle(input, &mut editor)?;
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

struct ExportToggle<'p, 'a> {
    code: Semantics<'p, 'a>,
}

impl<'a> ExportToggle<'_, 'a> {
    fn body(&self) -> &'a [Statement<'a>] {
        &self.code.program().body
    }

    fn apply_toggle(&self, input: &RefactorInput, editor: &mut SyntaxEditor<'_, 'a>) -> Result<ExportChange> {
        let text = self.code.text();
        let selected = input.at.span.slice(text);
        let blank = (selected.len() - selected.trim_start().len()) as u32;
        let caret = if input.at.caret == input.at.span.start { input.at.caret + blank } else { input.at.caret };
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
                self.check_head(caret, default_export_head_end(export))?;
                self.to_named(export, input, editor)
            }
            Statement::ExportDeclaration(export) => {
                let names = declared_names(&export.declaration);
                self.check_head(caret, declaration_head_end(&export.declaration))?;
                let [name] = names.as_slice() else {
                    return Err(refusal_at("the statement exports several names", export.span)
                        .hint("first move each of them to its own statement"));
                };
                self.to_default(export, name, editor)
            }
            Statement::ExportNamedDeclaration(export) => {
                let at = |listed: &&ExportSpecifier<'a>| listed.span.start <= caret && caret <= listed.span.end;
                match (export.specifiers.iter().find(at), export.specifiers.as_slice()) {
                    (Some(listed), _) | (None, [listed]) => self.toggle_list_item(listed, editor),
                    _ => Err(refusal_at("the statement exports several names", export.span)
                        .hint("place the caret on one of them")
                        .candidates(export.specifiers.iter().map(|listed| export_name(&listed.exported).to_owned()))),
                }
            }
            other => self.toggle_listed_declaration(other, caret, input, editor),
        }
    }

    /// Refuses a caret within the body of a declaration.
    fn check_head(&self, caret: u32, end: u32) -> Result<()> {
        if caret <= end {
            return Ok(());
        }
        Err(refusal_at("the caret is not on an export", Span { start: caret, end: caret })
            .hint("place the caret on the exported name or on the keyword `export`"))
    }

    /// Handles a declaration that another statement exports.
    fn toggle_listed_declaration(
        &self,
        statement: &'a Statement<'a>,
        caret: u32,
        input: &RefactorInput,
        editor: &mut SyntaxEditor<'_, 'a>,
    ) -> Result<ExportChange> {
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
                        return self.toggle_list_item(listed, editor);
                    }
                }
                Statement::ExportDefaultDeclaration(export)
                    if matches!(export.declaration.as_expression(), Some(Expression::Identifier(name))
                        if self.code.symbol_of(name) == Some(symbol)) =>
                {
                    return self.to_named(export, input, editor);
                }
                _ => {}
            }
        }
        Err(none())
    }

    fn exports_symbol(&self, name: &ModuleExportName<'a>, symbol: SymbolId) -> bool {
        matches!(name, ModuleExportName::IdentifierReference(name) if self.code.symbol_of(name) == Some(symbol))
    }

    /// Refuses a name that the file already exports.
    fn check_free(&self, name: &str) -> Result<()> {
        for statement in self.body() {
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

    /// Changes `export function f` to `export default function f`. Other declarations get a separate export statement.
    fn to_default(
        &self,
        export: &'a ExportDeclaration<'a>,
        name: &'a BindingIdentifier<'a>,
        editor: &mut SyntaxEditor<'_, 'a>,
    ) -> Result<ExportChange> {
        self.check_free("default")?;
        let (code, symbol) = (self.code, name.symbol_id.get());
        let again = symbol.map_or(0, |symbol| code.scoping().symbol_redeclarations(symbol).len());
        let change = ExportChange::to_default(&name.name);
        let is_ambient = match &export.declaration {
            Declaration::FunctionDeclaration(function) => function.declare,
            Declaration::ClassDeclaration(class) => class.declare,
            Declaration::TSInterfaceDeclaration(interface) => interface.declare,
            _ => true,
        };
        if !is_ambient && again == 0 {
            editor.insert_after(self.keyword(export.span), " default");
            return Ok(change);
        }
        let overloads = self.overloads(name.name.as_str());
        if !is_ambient && overloads.len() >= again.max(2) {
            overloads.into_iter().for_each(|export| editor.insert_after(self.keyword(export), " default"));
            return Ok(change);
        }
        if again > 0 || matches!(export.declaration, Declaration::TSNamespaceDeclaration(_)) {
            return Err(refusal_at(format!("`{}` has several declarations", name.name), name.span)
                .hint("first export it with a list: `export { … }`"));
        }
        editor.remove_with_gap(self.keyword(export.span));
        let Style { semicolon, line_break, .. } = editor.style();
        // Only an export list exports the current value of a variable that is reassigned.
        let added = match symbol.is_some_and(|symbol| code.scoping().symbol_is_mutated(symbol)) {
            true => format!("{line_break}export {{ {} as default }}{semicolon}", name.name),
            false => format!("{line_break}export default {}{semicolon}", name.name),
        };
        let (text, end) = (code.text(), export.span.end as usize);
        let end = if lines::ends_line(text, end) { end } else { lines::line_end(text, end) };
        editor.insert_after(end..end, added);
        Ok(change)
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

    /// Changes `export { f }` to `export { f as default }`, and vice versa.
    fn toggle_list_item(
        &self,
        listed: &'a ExportSpecifier<'a>,
        editor: &mut SyntaxEditor<'_, 'a>,
    ) -> Result<ExportChange> {
        let (local, exported) = (export_name(&listed.local), export_name(&listed.exported));
        let written = self.code.source(listed.local.span());
        let whole = Span { start: listed.local.span().start, end: listed.span.end };
        let change = match exported {
            "default" => ExportChange::to_named(local),
            _ => ExportChange::to_default(exported),
        };
        self.check_free(&change.new)?;
        let suffix = if exported == "default" { "" } else { " as default" };
        editor.set_text(whole, format!("{written}{suffix}"));
        Ok(change)
    }

    /// Changes `export default …` to a named export.
    fn to_named(
        &self,
        export: &'a ExportDefaultDeclaration<'a>,
        input: &RefactorInput,
        editor: &mut SyntaxEditor<'_, 'a>,
    ) -> Result<ExportChange> {
        if let Some(symbol) = default_symbol(export) {
            let name = self.code.name_of(symbol);
            self.check_free(name)?;
            // Each declaration of an overloaded function has the keyword.
            for statement in self.body() {
                if let Statement::ExportDefaultDeclaration(export) = statement {
                    editor.remove_with_gap(self.default_keyword(export));
                }
            }
            return Ok(ExportChange::to_named(name));
        }
        if let Some(Expression::Identifier(name)) = export.declaration.as_expression() {
            return self.name_default_reference(export, name, editor);
        }
        let name = self.new_name(export, input)?;
        self.check_free(&name)?;
        let keyword = self.default_keyword(export);
        match &export.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                let at = function.type_parameters.as_ref().map_or(function.params.span, |types| types.span);
                let gap = if self.code.text()[..at.start as usize].ends_with(' ') { "" } else { " " };
                editor.remove_with_gap(keyword);
                editor.insert_before(at, format!("{gap}{name}"));
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                let decorators = class.decorators.last().map_or(0, |last| last.span.end);
                let from = (class.span.start.max(decorators)) as usize;
                let at = self.code.text()[from..class.body.span.start as usize].find("class").unwrap_or(0) + from;
                editor.remove_with_gap(keyword);
                editor.insert_after(at..at + "class".len(), format!(" {name}"));
            }
            _ => editor.set_text(keyword, format!("const {name} =")),
        }
        Ok(ExportChange::to_named(&name))
    }

    /// Returns the span of `default`.
    fn default_keyword(&self, export: &ExportDefaultDeclaration<'a>) -> Span {
        let at = skip_trivia(self.code.text(), self.keyword(export.span).range().end);
        Span::new(at, at + "default".len())
    }

    /// Handles `export default f;`.
    fn name_default_reference(
        &self,
        export: &'a ExportDefaultDeclaration<'a>,
        name: &'a IdentifierReference<'a>,
        editor: &mut SyntaxEditor<'_, 'a>,
    ) -> Result<ExportChange> {
        let (code, change) = (self.code, ExportChange::to_named(&name.name));
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
            editor.remove_statement(export.span);
            return Ok(change);
        }
        self.check_free(&name.name)?;
        let is_once = code.scoping().symbol_redeclarations(symbol).is_empty();
        let declared = self.body().iter().filter(|_| is_once).find(|statement| {
            let names = statement.as_declaration().map(declared_names).unwrap_or_default();
            matches!(names.as_slice(), [only] if only.symbol_id.get() == Some(symbol))
        });
        match declared {
            Some(declared) => {
                editor.insert_before(statement_span(declared, code.text()), "export ");
                editor.remove_statement(export.span);
            }
            None => {
                let mark = if code.source(export.span).ends_with(';') { ";" } else { "" };
                editor.set_text(export.span, format!("export {{ {} }}{mark}", name.name));
            }
        }
        Ok(change)
    }

    /// Returns the name for an anonymous export: the requested one, or one derived from the file name.
    fn new_name(&self, export: &ExportDefaultDeclaration<'a>, input: &RefactorInput) -> Result<String> {
        if let Some(name) = input.argument("name") {
            check_binding(name)?;
            let taken = self.code.scoping().symbol_names().any(|known| known == name);
            return match taken {
                true => Err(refusal_at(format!("`{name}` is already declared here"), export.span)
                    .hint("choose another name")
                    .candidates([fresh_name(self.code.scoping(), name)])),
                false => Ok(name.to_owned()),
            };
        }
        let file = self.code.tree().path().rsplit('/').next().unwrap_or_default();
        let stem = file.split('.').next().unwrap_or_default();
        let words = stem.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').filter(|word| !word.is_empty());
        let is_class = matches!(export.declaration, ExportDefaultDeclarationKind::ClassDeclaration(_));
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
        Ok(fresh_name(self.code.scoping(), &name))
    }
}

fn exported_as(listed: &[ExportSpecifier<'_>], name: &str) -> Option<oxc_span::Span> {
    listed.iter().find(|listed| export_name(&listed.exported) == name).map(|listed| listed.span)
}
