//! `require` calls and `module.exports` that a move between CommonJS files needs.

use marquetry_sdk::Result;

use crate::editor::SyntaxEditor;
use crate::imports::insertion::require_quote;
use crate::imports::model::{Import, ImportedBinding};
use crate::program::ids::{ModuleRef, OPEN_DOCUMENT};
use crate::refactor::move_to_file::export_writing::{self, replace_exports};
use crate::refactor::move_to_file::relative_specifier;
use crate::semantics::moves::commonjs_exports::{ExportStyle, export_style};
use crate::semantics::moves::required_imports::UnusedNames;
use crate::semantics::moves::source_file::{MoveSource, MovedDependency};

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

impl<'w> MoveSource<'_, 'w> {
    /// Returns the directives of this file, such as `"use strict"`, for the new file.
    pub(super) fn directives(&self) -> String {
        let directives = self.here.program.directives.iter();
        directives.map(|directive| directive.span.source_text(self.text())).collect::<Vec<_>>().join("\n")
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
        export_writing::export_statements(&style, names, &self.semicolon())
    }

    /// Returns whether this file exports a function, a class or another value that is not an object.
    fn exports_other_value(&self) -> bool {
        let exports = self.checker.exports(ModuleRef { module: OPEN_DOCUMENT, block: None });
        exports.export_equals.is_some()
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
                MovedDependency::Declared(_, symbol) => own.push(self.here.name_of(*symbol).to_owned()),
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
        let required = self.required_name(import, binding)?;
        Ok(required.map(|required| RequireLine {
            keyword: required.keyword.to_owned(),
            names: vec![required.name],
            is_pattern: required.is_pattern,
            value: self.update_links(required.value.range()),
        }))
    }

    /// Changes the exports of this file and its `require` statements.
    pub(super) fn update_commonjs(&self, names_to_add: &[String], editor: &mut SyntaxEditor<'_, '_>) {
        replace_exports(self.checker, &self.released_exports, names_to_add, editor);
        for (statement, unused) in self.unused_requires() {
            match unused {
                UnusedNames::All => editor.remove_require(statement),
                UnusedNames::Bound(pattern, gone) => editor.remove_bound_names(pattern, &gone),
            }
        }
        if !self.used_by_remaining.is_empty() {
            let names = self.names_of(&self.used_by_remaining);
            let line = self.require_line(names, &relative_specifier(self.checker, &self.here.path, &self.to));
            editor.insert_requires(&line.print(&self.semicolon()));
        }
    }
}
