//! Writing the result of a move: the moved text, its imports, and the edits of the original file.

use std::collections::BTreeSet;

use marquetry_sdk::{Destination, Edit, Request, Result, SpecifierRequest, lines};

use crate::editor::requires::after_empty_lines;
use crate::editor::{SyntaxEditor, semicolons};
use crate::imports::insertion::{insert_imports, list_statement, merge_import_lines, quote_of};
use crate::imports::model::Form;
use crate::links::format_specifier::format_specifiers;
use crate::links::relative_links;
use crate::program::ids::OPEN_DOCUMENT;
use crate::program::resolution;
use crate::refactor::move_to_file::{relative_specifier, specifier_in_style_of};
use crate::semantics::moves::module_system::ModuleSystem;
use crate::semantics::moves::source_file::{MoveSource, MovedDependency};
use crate::semantics::refusal_at;

/// Returns code without the indentation of its first line, as in the script of a component. The lines of template
/// literals keep theirs.
fn without_indent(code: String, indent: &str) -> String {
    if indent.is_empty() || code.contains('`') {
        return code;
    }
    let lines = code.split('\n').enumerate();
    let lines = lines.map(|(at, line)| if at == 0 { line } else { line.strip_prefix(indent).unwrap_or(line) });
    lines.collect::<Vec<_>>().join("\n")
}

impl MoveSource<'_, '_> {
    /// Returns the text of a statement for the other file.
    fn statement_text(&self, index: usize) -> String {
        let text = self.text();
        let span = self.statement_span(index);
        let start = self.starts.get(&index).copied().unwrap_or(span.range().start);
        let mut end = span.range().end;
        // Move a comment after it on the same line as well.
        let rest = &text[end..lines::line_end(text, end)];
        if rest.trim_start().starts_with("//") {
            end += rest.trim_end().len();
        }
        let mark = if self.system == ModuleSystem::Es && self.needs_export(index) { "export " } else { "" };
        let written =
            format!("{}{mark}{}", &text[start..span.range().start], self.update_links(span.range().start..end));
        without_indent(written, lines::indent_at(text, start))
    }

    /// Returns part of the text with its links updated for the other file.
    pub(super) fn update_links(&self, stretch: std::ops::Range<usize>) -> String {
        let text = self.text();
        let mut written = text[stretch.clone()].to_owned();
        let mut links = relative_links(self.here.program, text);
        links.retain(|link| stretch.start <= link.span.range().start && link.span.range().end <= stretch.end);
        for link in links.iter().rev() {
            let request = Request { kind: link.kind.clone(), specifier: link.specifier.clone() };
            let destinations =
                resolution::resolve(self.checker.workspace, &self.here.path, std::slice::from_ref(&request));
            let Some(Destination::Inside(found)) = destinations.into_iter().next() else { continue };
            let respelling = SpecifierRequest {
                from: self.to.clone(),
                to: found.path.clone(),
                was: found.path,
                kind: link.kind.clone(),
                specifier: link.specifier.clone(),
            };
            if let Some(Ok(new)) = format_specifiers(std::slice::from_ref(&respelling)).pop() {
                let own = link.span.range();
                written.replace_range(own.start - stretch.start..own.end - stretch.start, &new);
            }
        }
        written
    }

    /// Returns the text of all moved statements.
    pub(super) fn moved_text(&self) -> String {
        let mut written = String::new();
        let mut last = None;
        for index in &self.statements {
            let next_to = last.is_some_and(|last: usize| last + 1 == *index);
            let close = next_to
                && last.is_some_and(|last| {
                    self.text()[self.statement_span(last).range().end..self.starts[index]].matches('\n').count() < 2
                });
            written += match (written.is_empty(), close) {
                (true, _) => "",
                (false, true) => "\n",
                (false, false) => "\n\n",
            };
            written += &self.statement_text(*index);
            last = Some(*index);
        }
        written.replace("\r\n", "\n")
    }

    /// Returns the import statements that the other file needs.
    pub(super) fn needed_imports(&self) -> Result<String> {
        if self.system == ModuleSystem::CommonJs {
            return self.needed_requires();
        }
        let mut lines: Vec<String> = Vec::new();
        let quote = quote_of(self.here.program);
        let mark = self.semicolon();
        let own = relative_specifier(self.checker, &self.to, &self.here.path);
        let (mut values, mut types): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
        for need in &self.dependencies {
            match need {
                MovedDependency::Imported(index, binding) => {
                    let import = &self.imports[*index];
                    if import.form != Form::Declaration {
                        return Err(refusal_at(
                            "the moved code uses a name that is imported with `require`",
                            import.span,
                        )
                        .hint("first import it with an import declaration"));
                    }
                    let specifier = import.specifier.as_ref();
                    let destination = self.checker.destination(OPEN_DOCUMENT, specifier);
                    let new_specifier = match destination {
                        Destination::Inside(found) if found.path == self.to => {
                            if binding.name != binding.local.name.as_str() {
                                let message = format!("`{}` has a different name in `{}`", binding.local.name, self.to);
                                return Err(
                                    refusal_at(message, binding.local.span).hint("first import it without an alias")
                                );
                            }
                            continue;
                        }
                        Destination::Inside(found) => {
                            specifier_in_style_of(&self.to, &found.path, &found.path, specifier)?
                        }
                        _ => specifier.to_owned(),
                    };
                    let (name, local) = (binding.name.as_ref(), binding.local.name.as_str());
                    let what = match name {
                        "default" => local.to_owned(),
                        "*" => format!("* as {local}"),
                        _ if name == local => format!("{{ {name} }}"),
                        _ => format!("{{ {name} as {local} }}"),
                    };
                    let keyword = if binding.type_only { "import type" } else { "import" };
                    lines.push(format!("{keyword} {what} from {quote}{new_specifier}{quote}{mark}"));
                }
                MovedDependency::Declared(_, symbol) => {
                    let name = self.here.name_of(*symbol);
                    let list = if self.is_value(*symbol) { &mut values } else { &mut types };
                    if !list.contains(&name) {
                        list.push(name);
                    }
                }
            }
        }
        for (keyword, names) in [("import", values), ("import type", types)] {
            if !names.is_empty() {
                lines.push(list_statement(keyword, &names, &format!("{quote}{own}{quote}"), &mark));
            }
        }
        Ok(merge_import_lines(&lines, &mark))
    }

    pub(super) fn semicolon(&self) -> String {
        if semicolons::uses_semicolons(self.here.program) { ";" } else { "" }.to_owned()
    }

    /// Changes the original file.
    pub(super) fn update_source(&self, editor: &mut SyntaxEditor<'_, '_>) {
        self.statements.iter().for_each(|index| editor.remove(self.removed_span(*index)));
        let added = self.newly_exported();
        if self.system == ModuleSystem::CommonJs {
            return self.update_commonjs(&self.names_of(added.iter().map(|(_, symbol)| symbol)), editor);
        }
        for (statement, gone) in self.names_to_remove() {
            editor.remove_module_names(statement, &gone);
        }
        for index in added.into_iter().map(|(index, _)| index).collect::<BTreeSet<usize>>() {
            editor.insert_before(self.statement_span(index), "export ");
        }
        let back = self.imports_of_moved();
        if !back.is_empty() {
            editor.add_edits([self.insert_imports_of_moved(&back)]);
        }
    }

    /// Inserts imports after the last one of the file. If that one is removed, they take its place.
    fn insert_imports_of_moved(&self, content: &str) -> Edit {
        let text = self.text();
        match self.last_import() {
            Some((last, true)) => {
                let start = lines::line_start(text, last.range().start);
                let line_break = lines::line_break(text);
                Edit::insert(start, format!("{}{line_break}", content.replace('\n', line_break)))
            }
            _ => insert_imports(self.here.program, text, content),
        }
    }

    /// Returns the span of a statement with its comment, its line and the empty lines after it.
    fn removed_span(&self, index: usize) -> std::ops::Range<usize> {
        let text = self.text();
        let span = self.statement_span(index);
        let start = self.starts.get(&index).copied().unwrap_or(span.range().start);
        let mut end = span.range().end;
        let rest = &text[end..lines::line_end(text, end)];
        if rest.trim().is_empty() || rest.trim_start().starts_with("//") {
            end = lines::next_line(text, end);
        }
        let start = if lines::starts_line(text, start) { lines::line_start(text, start) } else { start };
        let before = text[..start].trim_end_matches([' ', '\t']);
        let is_parted = before.is_empty() || before.ends_with("\n\n") || before.ends_with("\r\n\r\n");
        start..if is_parted { after_empty_lines(text, end) } else { end }
    }

    /// Returns imports of the moved symbols that are still used here.
    fn imports_of_moved(&self) -> String {
        let specifier = relative_specifier(self.checker, &self.here.path, &self.to);
        let (quote, mark) = (quote_of(self.here.program), self.semicolon());
        let mut lines = Vec::new();
        for (keyword, values) in [("import", true), ("import type", false)] {
            let names = self.used_by_remaining.iter().filter(|symbol| self.is_value(**symbol) == values);
            let names: Vec<&str> = names.map(|symbol| self.here.name_of(*symbol)).collect();
            if !names.is_empty() {
                lines.push(list_statement(keyword, &names, &format!("{quote}{specifier}{quote}"), &mark));
            }
        }
        lines.join("\n")
    }
}
