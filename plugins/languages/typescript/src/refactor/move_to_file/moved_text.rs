//! Writing the result of a move: the moved text, its imports, and the edits of the original file.

use marquetry_sdk::{Destination, Edit, Request, Result, Span, SpecifierRequest, lines};
use oxc_ast::ast::*;
use oxc_span::GetSpan as _;

use crate::editor::semicolons;
use crate::imports::model::Form;
use crate::links::format_specifier::format_specifiers;
use crate::links::relative_links;
use crate::program::ids::OPEN_DOCUMENT;
use crate::program::resolution;
use crate::refactor::move_to_file::importers::without_names;
use crate::refactor::move_to_file::source_file::{MoveSource, MovedDependency};
use crate::refactor::move_to_file::{refusal_at, relative_specifier, specifier_in_style_of};
use crate::syntax::spans::{span_in, statement_span};

impl<'w> MoveSource<'_, 'w> {
    /// Returns the text of a statement for the other file.
    fn statement_text(&self, index: usize) -> String {
        let text = self.text();
        let statement = &self.body()[index];
        let span = statement_span(statement, text);
        let start = self.starts.get(&index).copied().unwrap_or(span.range().start);
        let mut end = span.range().end;
        // Move a comment after it on the same line as well.
        let rest = &text[end..lines::line_end(text, end)];
        if rest.trim_start().starts_with("//") {
            end += rest.trim_end().len();
        }
        let symbols = self.declared_symbols(index);
        let needs_export = !matches!(statement, Statement::ExportDeclaration(_))
            && symbols.iter().any(|symbol| self.used_by_remaining.contains(symbol) || self.is_exported(*symbol));
        let mark = if needs_export { "export " } else { "" };
        format!("{}{mark}{}", &text[start..span.range().start], self.update_links(span.range().start..end))
    }

    /// Returns part of the text with its links updated for the other file.
    fn update_links(&self, stretch: std::ops::Range<usize>) -> String {
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
                    let end = self.body()[last].span().end as usize;
                    self.text()[end..self.starts[index]].matches('\n').count() < 2
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
        let mut lines: Vec<String> = Vec::new();
        let quote = self.quote();
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
                    let name = self.here.scoping().symbol_name(*symbol);
                    let list = if self.is_value(*symbol) { &mut values } else { &mut types };
                    if !list.contains(&name) {
                        list.push(name);
                    }
                }
            }
        }
        for (keyword, names) in [("import", values), ("import type", types)] {
            if !names.is_empty() {
                lines.push(format!("{keyword} {{ {} }} from {quote}{own}{quote}{mark}", names.join(", ")));
            }
        }
        Ok(merge_import_lines(&lines, &mark))
    }

    fn quote(&self) -> char {
        let text = self.text();
        let first = self.body().iter().find_map(|statement| match statement {
            Statement::ImportDeclaration(import) => Some(import.source.span),
            Statement::ExportFromDeclaration(export) => Some(export.source.span),
            _ => None,
        });
        match first.map(|span| &text[span.start as usize..]) {
            Some(source) if source.starts_with('"') => '"',
            Some(_) => '\'',
            None if text.matches('"').count() > text.matches('\'').count() => '"',
            None => '\'',
        }
    }

    fn semicolon(&self) -> String {
        if semicolons::uses_semicolons(self.here.program) { ";" } else { "" }.to_owned()
    }

    /// Returns the edits of the original file.
    pub(super) fn source_edits(&self) -> Vec<Edit> {
        let text = self.text();
        let mut edits = Vec::new();
        for index in &self.statements {
            edits.push(self.remove_statement(*index));
        }
        self.remove_from_export_lists(&mut edits);
        self.remove_unused_imports(&mut edits);
        for need in &self.dependencies {
            if let MovedDependency::Declared(index, symbol) = need
                && !self.is_exported(*symbol)
            {
                let at = statement_span(&self.body()[*index], text).range().start;
                if !edits.contains(&Edit::insert(at, "export ")) {
                    edits.push(Edit::insert(at, "export "));
                }
            }
        }
        let back = self.imports_of_moved();
        if !back.is_empty() {
            edits.push(insert_imports(self.here.program, text, &back));
        }
        edits
    }

    /// Removes a statement with its comment, its line and the empty lines after it.
    fn remove_statement(&self, index: usize) -> Edit {
        let text = self.text();
        let span = statement_span(&self.body()[index], text);
        let start = self.starts.get(&index).copied().unwrap_or(span.range().start);
        let mut end = span.range().end;
        let rest = &text[end..lines::line_end(text, end)];
        if rest.trim().is_empty() || rest.trim_start().starts_with("//") {
            end = lines::next_line(text, end);
        }
        let start = if lines::starts_line(text, start) { lines::line_start(text, start) } else { start };
        let before = text[..start].trim_end_matches([' ', '\t']);
        let is_parted = before.is_empty() || before.ends_with("\n\n") || before.ends_with("\r\n\r\n");
        let is_blank = |at: usize| at < text.len() && text[at..lines::line_end(text, at)].trim().is_empty();
        while is_parted && is_blank(end) {
            end = lines::next_line(text, end);
        }
        Edit::remove(start..end)
    }

    /// Removes moved names from export lists.
    fn remove_from_export_lists(&self, edits: &mut Vec<Edit>) {
        for statement in self.body() {
            let Statement::ExportNamedDeclaration(export) = statement else { continue };
            let is_gone = |listed: &ExportSpecifier<'w>| match &listed.local {
                ModuleExportName::IdentifierReference(name) => self
                    .checker
                    .resolve_identifier(OPEN_DOCUMENT, name)
                    .is_some_and(|symbol| self.symbols.contains(&symbol)),
                _ => false,
            };
            let spans: Vec<Span> = export.specifiers.iter().map(|it| span_in(it.span, self.text())).collect();
            let gone: Vec<usize> =
                export.specifiers.iter().enumerate().filter(|(_, it)| is_gone(it)).map(|(at, _)| at).collect();
            edits.extend(without_names(self.text(), span_in(export.span, self.text()), &spans, &gone));
        }
    }

    /// Removes imports that only moved code used.
    fn remove_unused_imports(&self, edits: &mut Vec<Edit>) {
        for statement in self.body() {
            let Statement::ImportDeclaration(import) = statement else { continue };
            let is_gone = |local: &BindingIdentifier<'_>| {
                let Some(symbol) = local.symbol_id.get() else { return false };
                let uses = self.uses_of(symbol);
                let leaves = |place| self.statement_at(place).is_some_and(|at| self.statements.contains(&at));
                !uses.is_empty() && uses.iter().all(|(_, place)| leaves(*place))
            };
            let specifiers = import.specifiers.as_ref().map(|all| all.as_slice()).unwrap_or_default();
            let spans: Vec<Span> = specifiers.iter().map(|it| span_in(it.span(), self.text())).collect();
            let gone: Vec<usize> =
                specifiers.iter().enumerate().filter(|(_, it)| is_gone(it.local())).map(|(at, _)| at).collect();
            edits.extend(without_names(self.text(), span_in(import.span, self.text()), &spans, &gone));
        }
    }

    /// Returns imports of the moved symbols that are still used here.
    fn imports_of_moved(&self) -> String {
        let specifier = relative_specifier(self.checker, &self.here.path, &self.to);
        let (quote, mark) = (self.quote(), self.semicolon());
        let mut lines = Vec::new();
        for (keyword, values) in [("import", true), ("import type", false)] {
            let names = self.used_by_remaining.iter().filter(|symbol| self.is_value(**symbol) == values);
            let names: Vec<&str> = names.map(|symbol| self.here.scoping().symbol_name(*symbol)).collect();
            if !names.is_empty() {
                lines.push(format!("{keyword} {{ {} }} from {quote}{specifier}{quote}{mark}", names.join(", ")));
            }
        }
        lines.join("\n")
    }
}

/// Inserts import statements after the last import of a file, or before everything else.
pub(super) fn insert_imports(program: &Program<'_>, text: &str, content: &str) -> Edit {
    let line_break = lines::line_break(text);
    let content = content.replace('\n', line_break);
    let last = program.body.iter().rev().find(|statement| matches!(statement, Statement::ImportDeclaration(_)));
    if let Some(last) = last {
        let end = span_in(last.span(), text).range().end;
        return Edit::insert(lines::line_end(text, end), format!("{line_break}{content}"));
    }
    let directives = program.directives.last().map(|last| last.span.end as usize);
    match directives.or(program.hashbang.as_ref().map(|line| line.span.end as usize)) {
        Some(end) => Edit::insert(lines::line_end(text, end), format!("{line_break}{line_break}{content}")),
        None => {
            let bom = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
            Edit::insert(bom, format!("{content}{line_break}{line_break}"))
        }
    }
}

/// Merges imports from the same module with the same kind of statement.
fn merge_import_lines(lines: &[String], mark: &str) -> String {
    let mut statements: Vec<(String, String, Vec<String>)> = Vec::new();
    let mut others: Vec<String> = Vec::new();
    for line in lines {
        let parts = line.split_once(" { ").and_then(|(keyword, rest)| {
            let (names, source) = rest.split_once(" } from ")?;
            Some((keyword.to_owned(), source.trim_end_matches(mark).to_owned(), names.to_owned()))
        });
        match parts {
            Some((keyword, source, names)) => {
                match statements.iter_mut().find(|known| known.0 == keyword && known.1 == source) {
                    Some(known) => known.2.push(names),
                    None => statements.push((keyword, source, vec![names])),
                }
            }
            None => others.push(line.clone()),
        }
    }
    let lists = statements
        .into_iter()
        .map(|(keyword, source, names)| format!("{keyword} {{ {} }} from {source}{mark}", names.join(", ")));
    others.into_iter().chain(lists).collect::<Vec<String>>().join("\n")
}
