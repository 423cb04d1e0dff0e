//! `require` calls and `module.exports` that a move between CommonJS files needs.

use marquetry_sdk::{Destination, Edit, Result, lines};
use oxc_ast::ast::*;
use oxc_span::GetSpan as _;

use crate::editor::SyntaxEditor;
use crate::imports::insertion::{insert_imports, quote_of};
use crate::imports::model::{Form, Import, ImportedBinding, imports_of_statement};
use crate::imports::unused_requires::remove_locals;
use crate::program::commonjs::required_module;
use crate::program::ids::{ModuleRef, OPEN_DOCUMENT};
use crate::refactor::move_to_file::commonjs_exports::{self, ExportStyle, OwnExport, export_style};
use crate::refactor::move_to_file::relative_specifier;
use crate::refactor::move_to_file::source_file::{MoveSource, MovedDependency};
use crate::rename;
use crate::rename::subject::ResolvedSubject;
use crate::semantics::refusal_at;
use crate::syntax::spans::span_in;

/// A `require` statement: the code before the names, the names in braces, and the code after them.
pub(super) struct RequireLine {
    pub(super) keyword: String,
    /// A single name without braces for `const a = require("x")`.
    pub(super) names: Vec<String>,
    pub(super) is_pattern: bool,
    /// The code after `=`.
    pub(super) value: String,
}

impl RequireLine {
    pub(super) fn print(&self, semicolon: &str) -> String {
        let names = self.names.join(", ");
        let names = if self.is_pattern { format!("{{ {names} }}") } else { names };
        format!("{} {names} = {}{semicolon}", self.keyword, self.value)
    }

    /// Parses a statement that [`RequireLine::print`] printed.
    pub(super) fn parse(line: &str, semicolon: &str) -> Option<RequireLine> {
        let (keyword, rest) = line.split_once(' ')?;
        let (names, value) = rest.split_once(" = require(")?;
        let value = format!("require({}", value.strip_suffix(semicolon).unwrap_or(value));
        let pattern = names.strip_prefix("{ ").and_then(|names| names.strip_suffix(" }"));
        let all = pattern.map_or_else(|| vec![names.to_owned()], |it| it.split(", ").map(str::to_owned).collect());
        Some(RequireLine { keyword: keyword.to_owned(), names: all, is_pattern: pattern.is_some(), value })
    }
}

/// Returns the quote of the first `require`, or else the one that the file uses more often.
pub(super) fn require_quote(program: &Program<'_>) -> char {
    let text = program.source_text;
    let required = program
        .body
        .iter()
        .find(|statement| imports_of_statement(statement).iter().any(|import| import.form == Form::Require));
    let own = required.and_then(|statement| {
        let own = statement.span().source_text(text);
        own[own.find("require(")?..].chars().find(|char| matches!(char, '\'' | '"'))
    });
    own.unwrap_or_else(|| quote_of(program))
}

/// Inserts `require` statements after the first ones of a file that stay, or before its other code.
pub(super) fn insert_requires(program: &Program<'_>, text: &str, content: &str, editor: &mut SyntaxEditor<'_, '_>) {
    let line_break = lines::line_break(text);
    let content = content.replace('\n', line_break);
    let is_require =
        |statement: &&Statement<'_>| imports_of_statement(statement).iter().any(|import| import.form == Form::Require);
    let first: Vec<&Statement<'_>> = program.body.iter().take_while(is_require).collect();
    let after = first.iter().rev().find_map(|statement| {
        let end = span_in(statement.span(), text).range().end;
        let edit = Edit::insert(lines::line_end(text, end), format!("{line_break}{content}"));
        (!editor.conflicts_with(std::slice::from_ref(&edit))).then_some(edit)
    });
    let next = program.body.get(first.len()).filter(|_| !first.is_empty());
    let before = next.map(|next| {
        let start = crate::syntax::comments::comments_start(&program.comments, text, span_in(next.span(), text).start);
        Edit::insert(start as usize, format!("{content}{}", line_break.repeat(2)))
    });
    let edit = after.or(before).unwrap_or_else(|| insert_imports(program, text, &content));
    editor.add_edits([edit]);
}

impl<'w> MoveSource<'_, 'w> {
    /// Returns the directives of this file, such as `"use strict"`, for the new file.
    pub(super) fn directives(&self) -> String {
        let directives = self.here.program.directives.iter();
        directives.map(|directive| directive.span.source_text(self.text())).collect::<Vec<_>>().join("\n")
    }

    /// Returns the moved names that the other file has to export.
    pub(super) fn names_to_export(&self) -> Vec<String> {
        let needed = self.symbols.iter().filter(|it| self.used_by_remaining.contains(it) || self.is_exported(**it));
        needed.map(|symbol| self.here.scoping().symbol_name(*symbol).to_owned()).collect()
    }

    /// Prints the exports of a new file in the style of this one.
    pub(super) fn export_statements(&self, names: &[String]) -> String {
        if names.is_empty() {
            return String::new();
        }
        let style = match export_style(self.checker) {
            ExportStyle::Members(_) if self.exports_other_value() => ExportStyle::Nothing,
            style => style,
        };
        commonjs_exports::export_statements(&style, names, &self.semicolon())
    }

    /// Returns whether this file exports a function, a class or another value that is not an object.
    fn exports_other_value(&self) -> bool {
        let exports = self.checker.exports(ModuleRef { module: OPEN_DOCUMENT, block: None });
        exports.export_equals.is_some()
    }

    /// Refuses code that depends on the module object, and cycles: a module that is required again while it is loaded
    /// has not exported its names yet.
    pub(super) fn check_commonjs(&self) -> Result<()> {
        let scoping = self.here.scoping();
        for name in ["module", "exports"] {
            for id in scoping.root_unresolved_references().get(&Ident::from(name)).into_iter().flatten() {
                let place = self.here.semantic().reference_span(scoping.get_reference(*id));
                if self.statement_at(place).is_some_and(|at| self.statements.contains(&at)) {
                    return Err(refusal_at(format!("the moved code uses `{name}` of this file"), place)
                        .hint("first use the exported names directly"));
                }
            }
        }
        self.check_own_exports()?;
        commonjs_exports::new_exports(self.checker, &self.names_of(&self.newly_exported()))?;
        let needs_back = !self.used_by_remaining.is_empty();
        let needs_us = self.dependencies.iter().any(|need| matches!(need, MovedDependency::Declared(..)));
        let there = self.checker.load(&self.to);
        let is_cycle = needs_back && needs_us
            || there.is_some_and(|there| {
                needs_back && self.checker.loads(there, OPEN_DOCUMENT)
                    || needs_us && self.checker.loads(OPEN_DOCUMENT, there)
            });
        if is_cycle {
            let place = self.body()[*self.statements.first().unwrap_or(&0)].span();
            return Err(refusal_at("the two files would depend on each other while they are loaded", place)
                .hint("also move the declarations that it uses, or move them to a third file"));
        }
        Ok(())
    }

    /// Refuses if the rest of this file uses a moved name as a member of its exports: `exports.a`, or `this.a` in a method
    /// of the exported object.
    fn check_own_exports(&self) -> Result<()> {
        let stays = |place| self.statement_at(place).is_none_or(|at| !self.statements.contains(&at));
        let is_export = |place: oxc_span::Span| {
            self.released_exports.iter().any(|export| match export {
                OwnExport::Property(_, span) | OwnExport::Statement(span) => span.contains_inclusive(place),
            })
        };
        for symbol in self.symbols.iter().filter(|symbol| self.is_exported(**symbol)) {
            let known = self.uses_of(*symbol);
            let is_name = |place| known.iter().any(|(_, own)| *own == place);
            let usages = rename::find_usages(self.checker, ResolvedSubject::Symbol(*symbol));
            let member = usages.found.uses.iter().find(|it| stays(it.span) && !is_export(it.span) && !is_name(it.span));
            if let Some(member) = member {
                let message = format!("`{}` is used through the exports of this file", usages.name);
                return Err(refusal_at(message, member.span).hint("first use the declared name"));
            }
        }
        Ok(())
    }

    /// Returns the `require` statements that the other file needs.
    pub(super) fn needed_requires(&self) -> Result<String> {
        let mut found: Vec<RequireLine> = Vec::new();
        let mut own: Vec<String> = Vec::new();
        for need in &self.dependencies {
            match need {
                MovedDependency::Imported(index, binding) => {
                    let Some(line) = self.moved_require(&self.imports[*index], binding)? else { continue };
                    match found.iter_mut().find(|it| it.is_pattern && line.is_pattern && it.value == line.value) {
                        Some(known) => known.names.extend(line.names),
                        None => found.push(line),
                    }
                }
                MovedDependency::Declared(_, symbol) => own.push(self.here.scoping().symbol_name(*symbol).to_owned()),
            }
        }
        own.dedup();
        if !own.is_empty() {
            found.push(self.require_line(own, &relative_specifier(self.checker, &self.to, &self.here.path)));
        }
        Ok(found.iter().map(|line| line.print(&self.semicolon())).collect::<Vec<_>>().join("\n"))
    }

    fn require_line(&self, names: Vec<String>, specifier: &str) -> RequireLine {
        let quote = require_quote(self.here.program);
        let value = format!("require({quote}{specifier}{quote})");
        RequireLine { keyword: "const".to_owned(), names, is_pattern: true, value }
    }

    /// Returns the statement for a required name in the other file. `None` if the other file declares it.
    fn moved_require(&self, import: &Import<'w>, binding: &ImportedBinding<'w>) -> Result<Option<RequireLine>> {
        let local = binding.local.span;
        let unknown = || {
            refusal_at("the moved code uses a name that this file imports in another way than with `require`", local)
                .hint("first assign the required module to a variable")
        };
        let (keyword, variable) = self.required_variable(local).ok_or_else(unknown)?;
        let init = variable.init.as_ref().ok_or_else(unknown)?;
        if let Destination::Inside(found) = self.checker.destination(OPEN_DOCUMENT, &import.specifier)
            && found.path == self.to
        {
            let is_same = binding.name == binding.local.name.as_str();
            let message = format!("`{}` has a different name in `{}`", binding.local.name, self.to);
            return if is_same {
                Ok(None)
            } else {
                Err(refusal_at(message, local).hint("first require it by its name"))
            };
        }
        if binding.local.symbol_id.get().is_some_and(|symbol| self.here.scoping().symbol_is_mutated(symbol)) {
            let message =
                format!("`{}`, which the moved code uses, is assigned again in this file", binding.local.name);
            return Err(refusal_at(message, local).hint("first use a constant for the required module"));
        }
        if required_module(init).is_none() && !self.is_only_used_by_moved_code(binding.local) {
            let message = format!("`{}`, which the moved code uses, is the result of a call", binding.local.name);
            return Err(refusal_at(message, local).hint("first export it, or move the code that uses it as well"));
        }
        let (names, is_pattern) = match &variable.id {
            BindingPattern::ObjectPattern(object) => {
                let own = object.properties.iter().find(|property| property.span.contains_inclusive(local));
                let property = own.ok_or_else(unknown)?;
                (property.span.source_text(self.text()).to_owned(), true)
            }
            _ => (binding.local.name.to_string(), false),
        };
        let value = self.update_links(span_in(init.span(), self.text()).range());
        Ok(Some(RequireLine { keyword: keyword.to_owned(), names: vec![names], is_pattern, value }))
    }

    /// Returns the variable that declares a required name, and its keyword.
    fn required_variable(&self, local: oxc_span::Span) -> Option<(&'static str, &'w VariableDeclarator<'w>)> {
        self.body().iter().find_map(|statement| {
            let Statement::VariableDeclaration(variables) = statement else { return None };
            let variable = variables.declarations.iter().find(|it| it.id.span().contains_inclusive(local))?;
            Some((variables.kind.as_str(), variable))
        })
    }

    /// Returns whether only moved code uses a name.
    pub(super) fn is_only_used_by_moved_code(&self, local: &BindingIdentifier<'_>) -> bool {
        let uses = local.symbol_id.get().map(|symbol| self.uses_of(symbol)).unwrap_or_default();
        let leaves = |place| self.statement_at(place).is_some_and(|at| self.statements.contains(&at));
        !uses.is_empty() && uses.iter().all(|(_, place)| leaves(*place))
    }

    /// Changes the exports of this file and its `require` statements.
    pub(super) fn update_commonjs(&self, names_to_add: &[String], editor: &mut SyntaxEditor<'_, '_>) {
        commonjs_exports::replace_exports(self.checker, &self.released_exports, names_to_add, editor);
        for statement in self.body() {
            let Statement::VariableDeclaration(variables) = statement else { continue };
            if let [variable] = variables.declarations.as_slice()
                && !imports_of_statement(statement).is_empty()
            {
                self.remove_unused_names(variables.span, &variable.id, editor);
            }
        }
        if !self.used_by_remaining.is_empty() {
            let names = self.used_by_remaining.iter().map(|symbol| self.here.scoping().symbol_name(*symbol).to_owned());
            let line = self.require_line(names.collect(), &relative_specifier(self.checker, &self.here.path, &self.to));
            insert_requires(self.here.program, self.text(), &line.print(&self.semicolon()), editor);
        }
    }

    /// Removes required names that only moved code used.
    fn remove_unused_names(
        &self,
        statement: oxc_span::Span,
        pattern: &'w BindingPattern<'w>,
        editor: &mut SyntaxEditor<'_, '_>,
    ) {
        let is_gone = |local: &&BindingIdentifier<'w>| self.is_only_used_by_moved_code(local);
        let locals = pattern.get_binding_identifiers();
        let gone: Vec<oxc_span::Span> = locals.iter().copied().filter(is_gone).map(|local| local.span).collect();
        match pattern {
            _ if gone.is_empty() => {}
            _ if gone.len() == locals.len() => remove_require(self.text(), statement, editor),
            BindingPattern::ObjectPattern(object) if object.rest.is_none() => {
                let unit = editor.style().unit.clone();
                let edits = remove_locals(object, self.text(), &unit, &gone);
                editor.add_edits(edits);
            }
            _ => {}
        }
    }
}

/// Removes a `require` statement with its line, and the empty lines after it if it is the first code of the file.
pub(super) fn remove_require(text: &str, statement: oxc_span::Span, editor: &mut SyntaxEditor<'_, '_>) {
    let (start, mut end) = (statement.start as usize, statement.end as usize);
    if !text[..start].trim().is_empty() || !lines::ends_line(text, end) {
        return editor.remove_statement(statement);
    }
    end = lines::next_line(text, end);
    while end < text.len() && text[end..lines::line_end(text, end)].trim().is_empty() {
        end = lines::next_line(text, end);
    }
    editor.remove(start..end);
}
