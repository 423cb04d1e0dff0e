//! `toggle_export_default`: converts between a named and a default export, and updates all importers.

mod importers;
#[cfg(test)]
mod tests;

use marquetry_sdk::lines;
use marquetry_sdk::refactor::{Argument, Place, RefactorInput, Refactoring};
use marquetry_sdk::{Edit, Failure, FailureKind, Result, Rewrite, Span, fail};
use oxc_ast::ast::*;
use oxc_semantic::{Semantic, SymbolId};
use oxc_span::GetSpan as _;

use crate::TypeScriptDocument;
use crate::editor::{final_checks, semicolons};
use crate::program::exports::{declared_names, default_symbol, export_name};
use crate::rename::names::check_binding;
use crate::semantics::names::fresh_name;
use crate::syntax::spans::{skip_trivia, span_in, statement_span};
use crate::syntax::tree::{Parsed, Tree};

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
    let tree = &document.tree;
    tree.with(|parsed| {
        let toggle = ExportToggle { parsed, semantic: parsed.semantic(), tree, text: tree.text() };
        let (edits, change) = toggle.apply_toggle(input)?;
        let edits = final_checks::sort_edits(edits)?;
        final_checks::check_syntax(parsed, tree, &edits)?;
        let mut rewrite = Rewrite::from(edits);
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

fn refusal(message: impl Into<String>, at: Span) -> Failure {
    fail(FailureKind::RefactorFailed, message).at(at)
}

struct ExportToggle<'p, 'a> {
    parsed: &'p Parsed<'a>,
    semantic: &'p Semantic<'a>,
    tree: &'p Tree,
    text: &'p str,
}

impl<'a> ExportToggle<'_, 'a> {
    fn span(&self, node: oxc_span::Span) -> Span {
        span_in(node, self.text)
    }

    fn body(&self) -> &'a [Statement<'a>] {
        &self.parsed.program.body
    }

    fn apply_toggle(&self, input: &RefactorInput) -> Result<(Vec<Edit>, ExportChange)> {
        let selected = input.at.span.slice(self.text);
        let blank = (selected.len() - selected.trim_start().len()) as u32;
        let caret = if input.at.caret == input.at.span.start { input.at.caret + blank } else { input.at.caret };
        let here = self.body().iter().find(|statement| {
            let span = statement_span(statement, self.text);
            span.start <= caret && caret <= span.end
        });
        let Some(statement) = here else {
            return Err(fail(FailureKind::RefactorFailed, "the caret is not on an export")
                .hint("place the caret on the name of a top-level declaration"));
        };
        match statement {
            Statement::ExportDefaultDeclaration(export) => {
                self.check_head(caret, default_export_head_end(export))?;
                self.to_named(export, input)
            }
            Statement::ExportDeclaration(export) => {
                let names = declared_names(&export.declaration);
                self.check_head(caret, declaration_head_end(&export.declaration))?;
                let [name] = names.as_slice() else {
                    return Err(refusal("the statement exports several names", self.span(export.span))
                        .hint("first move each of them to its own statement"));
                };
                self.to_default(export, name)
            }
            Statement::ExportNamedDeclaration(export) => {
                let at = |listed: &&ExportSpecifier<'a>| listed.span.start <= caret && caret <= listed.span.end;
                match (export.specifiers.iter().find(at), export.specifiers.as_slice()) {
                    (Some(listed), _) | (None, [listed]) => self.toggle_list_item(listed),
                    _ => Err(refusal("the statement exports several names", self.span(export.span))
                        .hint("place the caret on one of them")
                        .candidates(export.specifiers.iter().map(|listed| export_name(&listed.exported).to_owned()))),
                }
            }
            other => self.toggle_listed_declaration(other, caret, input),
        }
    }

    /// Refuses a caret within the body of a declaration.
    fn check_head(&self, caret: u32, end: u32) -> Result<()> {
        if caret <= end {
            return Ok(());
        }
        Err(refusal("the caret is not on an export", Span { start: caret, end: caret })
            .hint("place the caret on the exported name or on the keyword `export`"))
    }

    /// Handles a declaration that another statement exports.
    fn toggle_listed_declaration(
        &self,
        statement: &'a Statement<'a>,
        caret: u32,
        input: &RefactorInput,
    ) -> Result<(Vec<Edit>, ExportChange)> {
        let none = || {
            refusal("the caret is not on an export", self.span(statement.span()))
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
                        return self.toggle_list_item(listed);
                    }
                }
                Statement::ExportDefaultDeclaration(export)
                    if matches!(export.declaration.as_expression(), Some(Expression::Identifier(name))
                        if self.resolve_reference(name) == Some(symbol)) =>
                {
                    return self.to_named(export, input);
                }
                _ => {}
            }
        }
        Err(none())
    }

    fn resolve_reference(&self, name: &IdentifierReference<'a>) -> Option<SymbolId> {
        self.semantic.scoping().get_reference(name.reference_id.get()?).symbol_id()
    }

    fn exports_symbol(&self, name: &ModuleExportName<'a>, symbol: SymbolId) -> bool {
        matches!(name, ModuleExportName::IdentifierReference(name) if self.resolve_reference(name) == Some(symbol))
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
                return Err(refusal(message, self.span(taken)).hint("first rename the other export"));
            }
        }
        Ok(())
    }

    /// Changes `export function f` to `export default function f`. Other declarations get a separate export statement.
    fn to_default(
        &self,
        export: &'a ExportDeclaration<'a>,
        name: &'a BindingIdentifier<'a>,
    ) -> Result<(Vec<Edit>, ExportChange)> {
        self.check_free("default")?;
        let symbol = name.symbol_id.get();
        let scoping = self.semantic.scoping();
        let again = symbol.map_or(0, |symbol| scoping.symbol_redeclarations(symbol).len());
        let change = ExportChange { old: name.name.to_string(), new: "default".to_owned() };
        let keyword = |export: &ExportDeclaration<'a>| {
            // A decorator may precede the keyword.
            let from = export.span.start as usize;
            let at = from + self.text[from..].find("export").unwrap_or(0);
            Span::new(at, at + "export".len())
        };
        let is_ambient = match &export.declaration {
            Declaration::FunctionDeclaration(function) => function.declare,
            Declaration::ClassDeclaration(class) => class.declare,
            Declaration::TSInterfaceDeclaration(interface) => interface.declare,
            _ => true,
        };
        if !is_ambient && again == 0 {
            return Ok((vec![Edit::insert(keyword(export).range().end, " default")], change));
        }
        let overloads = self.overloads(name.name.as_str());
        if !is_ambient && overloads.len() >= again.max(2) {
            return Ok((overloads.into_iter().map(|at| Edit::insert(at, " default")).collect(), change));
        }
        if again > 0 || matches!(export.declaration, Declaration::TSNamespaceDeclaration(_)) {
            return Err(refusal(format!("`{}` has several declarations", name.name), self.span(name.span))
                .hint("first export it with a list: `export { … }`"));
        }
        let word = keyword(export);
        let rest = &self.text[word.range().end..];
        let gap = rest.len() - rest.trim_start().len();
        let word = Span::new(word.range().start, word.range().end + gap);
        let end = self.span(export.span).range().end;
        let mark = if semicolons::uses_semicolons(self.parsed.program) { ";" } else { "" };
        let line_break = lines::line_break(self.text);
        // Only an export list exports the current value of a variable that is reassigned.
        let added = match symbol.is_some_and(|symbol| scoping.symbol_is_mutated(symbol)) {
            true => format!("{line_break}export {{ {} as default }}{mark}", name.name),
            false => format!("{line_break}export default {}{mark}", name.name),
        };
        let end = if lines::ends_line(self.text, end) { end } else { lines::line_end(self.text, end) };
        Ok((vec![Edit::remove(word), Edit::insert(end, added)], change))
    }

    /// Returns the offsets after `export` in the declarations of an overloaded function.
    fn overloads(&self, name: &str) -> Vec<usize> {
        let declared = self.body().iter().filter_map(|statement| match statement {
            Statement::ExportDeclaration(export) => match &export.declaration {
                Declaration::FunctionDeclaration(function) => {
                    function.id.as_ref().filter(|id| id.name == name).map(|_| export.span.start as usize)
                }
                _ => None,
            },
            _ => None,
        });
        declared.map(|at| at + "export".len()).collect()
    }

    /// Changes `export { f }` to `export { f as default }`, and vice versa.
    fn toggle_list_item(&self, listed: &'a ExportSpecifier<'a>) -> Result<(Vec<Edit>, ExportChange)> {
        let (local, exported) = (export_name(&listed.local), export_name(&listed.exported));
        let written = self.span(listed.local.span()).slice(self.text);
        let whole = Span { start: listed.local.span().start, end: self.span(listed.span).end };
        if exported == "default" {
            self.check_free(local)?;
            let change = ExportChange { old: "default".to_owned(), new: local.to_owned() };
            return Ok((vec![Edit::new(whole, written)], change));
        }
        self.check_free("default")?;
        let change = ExportChange { old: exported.to_owned(), new: "default".to_owned() };
        Ok((vec![Edit::new(whole, format!("{written} as default"))], change))
    }

    /// Changes `export default …` to a named export.
    fn to_named(
        &self,
        export: &'a ExportDefaultDeclaration<'a>,
        input: &RefactorInput,
    ) -> Result<(Vec<Edit>, ExportChange)> {
        let inner = self.span(export.declaration.span());
        let change = |new: &str| ExportChange { old: "default".to_owned(), new: new.to_owned() };
        if let Some(symbol) = default_symbol(export) {
            let name = self.semantic.scoping().symbol_name(symbol);
            self.check_free(name)?;
            let words = self.body().iter().filter_map(|statement| match statement {
                Statement::ExportDefaultDeclaration(export) => Some(export),
                _ => None,
            });
            // Each declaration of an overloaded function has the keyword.
            let edits = words.map(|export| self.remove_default_keyword(export));
            return Ok((edits.collect(), change(name)));
        }
        if let Some(Expression::Identifier(name)) = export.declaration.as_expression() {
            return self.name_default_reference(export, name);
        }
        let name = self.new_name(export, input)?;
        self.check_free(&name)?;
        let edits = match &export.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                let at = function.type_parameters.as_ref().map_or(function.params.span, |types| types.span).start;
                let gap = if self.text[..at as usize].ends_with(' ') { "" } else { " " };
                vec![self.remove_default_keyword(export), Edit::insert(at as usize, format!("{gap}{name}"))]
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                let decorators = class.decorators.last().map_or(0, |last| last.span.end as usize);
                let from = inner.range().start.max(decorators);
                let at = self.text[from..class.body.span.start as usize].find("class").unwrap_or(0) + from;
                vec![self.remove_default_keyword(export), Edit::insert(at + "class".len(), format!(" {name}"))]
            }
            _ => {
                let at = self.default_keyword_offset(export);
                vec![Edit::new(at..at + "default".len(), format!("const {name} ="))]
            }
        };
        Ok((edits, change(&name)))
    }

    /// Returns the offset of `default`.
    fn default_keyword_offset(&self, export: &ExportDefaultDeclaration<'a>) -> usize {
        let start = self.span(export.span).range().start;
        skip_trivia(self.text, start + self.text[start..].find("export").unwrap_or(0) + "export".len())
    }

    /// Returns the edit that removes `default`.
    fn remove_default_keyword(&self, export: &ExportDefaultDeclaration<'a>) -> Edit {
        let at = self.default_keyword_offset(export);
        let end = at + "default".len();
        let rest = &self.text[end..];
        Edit::remove(at..end + (rest.len() - rest.trim_start().len()))
    }

    /// Handles `export default f;`.
    fn name_default_reference(
        &self,
        export: &'a ExportDefaultDeclaration<'a>,
        name: &'a IdentifierReference<'a>,
    ) -> Result<(Vec<Edit>, ExportChange)> {
        let change = ExportChange { old: "default".to_owned(), new: name.name.to_string() };
        let Some(symbol) = self.resolve_reference(name) else {
            return Err(refusal(format!("`{}` is not declared in this file", name.name), self.span(name.span)));
        };
        if self.semantic.scoping().symbol_is_mutated(symbol) {
            return Err(refusal(
                format!("`{}` is reassigned, and a named export would change with it", name.name),
                self.span(name.span),
            )
            .hint("export a constant with the value instead"));
        }
        let statement = self.span(export.span);
        let next = lines::next_line(self.text, statement.range().end);
        let alone = lines::starts_line(self.text, statement.range().start)
            && lines::ends_line(self.text, statement.range().end);
        let exported = self.body().iter().any(|statement| match statement {
            Statement::ExportDeclaration(export) => {
                declared_names(&export.declaration).iter().any(|known| known.symbol_id.get() == Some(symbol))
            }
            Statement::ExportNamedDeclaration(export) => export
                .specifiers
                .iter()
                .any(|it| self.exports_symbol(&it.local, symbol) && export_name(&it.exported) == name.name),
            _ => false,
        });
        let declared = self.body().iter().find(|statement| {
            let names = statement.as_declaration().map(declared_names).unwrap_or_default();
            matches!(names.as_slice(), [only] if only.symbol_id.get() == Some(symbol))
        });
        let removed = || {
            let start = lines::line_start(self.text, statement.range().start);
            Edit::remove(if alone { start..next } else { statement.range() })
        };
        if exported {
            return Ok((vec![removed()], change));
        }
        self.check_free(&name.name)?;
        let once = self.semantic.scoping().symbol_redeclarations(symbol).is_empty();
        match declared.filter(|_| once) {
            Some(declared) => {
                let at = statement_span(declared, self.text).range().start;
                Ok((vec![Edit::insert(at, "export "), removed()], change))
            }
            None => {
                let mark = if statement.slice(self.text).ends_with(';') { ";" } else { "" };
                Ok((vec![Edit::new(statement, format!("export {{ {} }}{mark}", name.name))], change))
            }
        }
    }

    /// Returns the name for an anonymous export: the requested one, or one derived from the file name.
    fn new_name(&self, export: &ExportDefaultDeclaration<'a>, input: &RefactorInput) -> Result<String> {
        if let Some(name) = input.argument("name") {
            check_binding(name)?;
            let taken = self.semantic.scoping().symbol_names().any(|known| known == name);
            return match taken {
                true => Err(refusal(format!("`{name}` is already declared here"), self.span(export.span))
                    .hint("choose another name")
                    .candidates([fresh_name(self.semantic.scoping(), name)])),
                false => Ok(name.to_owned()),
            };
        }
        let file = self.tree.path().rsplit('/').next().unwrap_or_default();
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
        Ok(fresh_name(self.semantic.scoping(), &name))
    }
}

fn exported_as(listed: &[ExportSpecifier<'_>], name: &str) -> Option<oxc_span::Span> {
    listed.iter().find(|listed| export_name(&listed.exported) == name).map(|listed| listed.span)
}

/// Returns where the body or the value of a declaration starts.
fn declaration_head_end(declaration: &Declaration<'_>) -> u32 {
    match declaration {
        Declaration::FunctionDeclaration(function) => {
            function.body.as_ref().map_or(function.span.end, |body| body.span.start)
        }
        Declaration::ClassDeclaration(class) => class.body.span.start,
        Declaration::TSInterfaceDeclaration(interface) => interface.body.span.start,
        Declaration::TSEnumDeclaration(declared) => declared.body.span.start,
        Declaration::VariableDeclaration(variables) => {
            variables.declarations.first().map_or(variables.span.end, |variable| {
                variable.init.as_ref().map_or(variable.span.end, |init| init.span().start)
            })
        }
        other => other.span().end,
    }
}

fn default_export_head_end(export: &ExportDefaultDeclaration<'_>) -> u32 {
    match &export.declaration {
        ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
            function.body.as_ref().map_or(function.span.end, |body| body.span.start)
        }
        ExportDefaultDeclarationKind::ClassDeclaration(class) => class.body.span.start,
        ExportDefaultDeclarationKind::TSInterfaceDeclaration(interface) => interface.body.span.start,
        ExportDefaultDeclarationKind::Identifier(name) => name.span.end,
        other => other.span().start,
    }
}
