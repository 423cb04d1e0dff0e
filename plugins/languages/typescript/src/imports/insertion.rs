//! Positions of new import statements: in order among the existing ones, or at the top of the file.

use std::cmp::Ordering;

use marquetry_sdk::{Edit, lines};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_span::GetSpan as _;

use crate::imports::model::{self, Form};
use crate::imports::order;
use crate::imports::preferences::Preferences;
use crate::syntax::component_code::script_statements;
use crate::syntax::spans::span_in;
use crate::syntax::tree::Parsed;

/// Position of an import among those of the same module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    Bare,
    Types,
    Space,
    Default,
    Named,
    Equals,
    Require,
}

/// An import statement to write.
#[derive(Clone, Debug)]
pub(crate) struct NewImport {
    pub(crate) text: String,
    pub(crate) specifier: String,
    pub(crate) rank: Rank,
}

/// An existing statement.
struct ExistingStatement {
    specifier: String,
    rank: Rank,
    start: usize,
    /// End of the comments after the statement on the same line.
    end: usize,
}

/// Returns the edits that insert new statements into a file.
pub(crate) fn insert_statements(
    parsed: &Parsed<'_>,
    text: &str,
    preferences: &Preferences,
    new: &[NewImport],
) -> Vec<Edit> {
    let requires = new.first().is_some_and(|new| new.rank == Rank::Require);
    let known = existing_statements(parsed, text, requires);
    let specifiers: Vec<&str> = known.iter().map(|known| known.specifier.as_str()).collect();
    let detected = order::detect_modules(&[specifiers], preferences);
    let compare = |one: (&str, Rank), other: (&str, Rank)| -> Ordering {
        detected.order.compare_modules(one.0, other.0).then(one.1.cmp(&other.1))
    };
    let mut new: Vec<&NewImport> = new.iter().collect();
    new.sort_by(|one, other| compare((&one.specifier, one.rank), (&other.specifier, other.rank)));
    let line_break = lines::line_break(text);
    let Some(last) = known.last() else { return vec![insert_at_top(parsed, text, line_break, &new)] };
    let mut edits: Vec<Edit> = Vec::new();
    let mut insert = |at: usize, text: String| match edits.last_mut() {
        Some(before) if before.span.range().end == at => before.text += &text,
        _ => edits.push(Edit::insert(at, text)),
    };
    for new in new {
        let index = match detected.is_sorted {
            true => order::insertion_index(&known, |it| compare((&it.specifier, it.rank), (&new.specifier, new.rank))),
            false => known.len(),
        };
        if let (0, Some(first)) = (index, known.first()) {
            let indent = lines::indent_at(text, first.start);
            insert(first.start, format!("{}{line_break}{indent}", new.text));
            continue;
        }
        let before = known.get(index.wrapping_sub(1)).unwrap_or(last);
        let indent = lines::indent_at(text, before.start);
        insert(before.end, format!("{line_break}{indent}{}", new.text));
    }
    edits
}

/// Returns the statements among which new ones are inserted: `require` calls or imports.
fn existing_statements(parsed: &Parsed<'_>, text: &str, requires: bool) -> Vec<ExistingStatement> {
    let body = script_statements(parsed.program);
    let mut found = Vec::new();
    for (index, statement) in body.iter().enumerate() {
        let Some(import) = model::imports_of_statement(statement).into_iter().next() else { continue };
        let is_variable = matches!(statement, Statement::VariableDeclaration(_));
        if (import.form == Form::Require) != requires || requires && !is_variable {
            continue;
        }
        let span = span_in(statement.span(), text).range();
        let comments = &parsed.program.comments;
        let end = end_of_line(comments, text, span.end);
        let start = match index {
            // Comments above the first statement are about the file.
            0 => span.start,
            _ => crate::syntax::comments::attached_comment(comments, text, span.start)
                .map_or(span.start, |doc| doc.range().start),
        };
        found.push(ExistingStatement {
            specifier: import.specifier.to_string(),
            rank: statement_rank(statement),
            start,
            end,
        });
    }
    found
}

fn statement_rank(statement: &Statement<'_>) -> Rank {
    match statement {
        Statement::ImportDeclaration(import) => {
            let is_space = |it: &ImportDeclarationSpecifier<'_>| {
                matches!(it, ImportDeclarationSpecifier::ImportNamespaceSpecifier(_))
            };
            let is_default = |it: &ImportDeclarationSpecifier<'_>| {
                matches!(it, ImportDeclarationSpecifier::ImportDefaultSpecifier(_))
            };
            match &import.specifiers {
                None => Rank::Bare,
                Some(_) if import.import_kind.is_type() => Rank::Types,
                Some(all) if all.iter().any(is_space) => Rank::Space,
                Some(all) if all.iter().any(is_default) => Rank::Default,
                Some(_) => Rank::Named,
            }
        }
        Statement::TSImportEqualsDeclaration(_) => Rank::Equals,
        _ => Rank::Require,
    }
}

/// Returns the end of the comments after a statement on its line.
fn end_of_line(comments: &[Comment], text: &str, end: usize) -> usize {
    let first = comments.partition_point(|comment| (comment.span.start as usize) < end);
    let mut at = end;
    for comment in &comments[first..] {
        let span = span_in(comment.span, text).range();
        if !text[at..span.start].chars().all(|char| matches!(char, ' ' | '\t')) || text[span.clone()].contains('\n') {
            break;
        }
        at = span.end;
    }
    if lines::ends_line(text, at) { at } else { end }
}

/// Returns the edit that inserts the first imports of a file: below comments about the file, above comments about its
/// first statement.
fn insert_at_top(parsed: &Parsed<'_>, text: &str, line_break: &str, new: &[&NewImport]) -> Edit {
    let written: Vec<&str> = new.iter().map(|new| new.text.as_str()).collect();
    if parsed.is_component {
        return insert_in_script(parsed, text, line_break, &written);
    }
    let at = top_offset(parsed, text);
    let written = written.join(line_break);
    let is_start = text[..at].trim_start_matches('\u{feff}').is_empty();
    let mut before = if is_start { String::new() } else { line_break.to_owned() };
    if !is_start && !text[..at].ends_with(['\n', '\r']) {
        before += line_break;
    }
    let rest = &text[at..];
    let after = match rest {
        "" => line_break.to_owned(),
        _ if rest.starts_with(['\n', '\r']) => line_break.to_owned(),
        _ => line_break.repeat(2),
    };
    Edit::insert(at, format!("{before}{written}{after}"))
}

/// Returns the edit that inserts the first imports of a component, at the start of its first script.
fn insert_in_script(parsed: &Parsed<'_>, text: &str, line_break: &str, written: &[&str]) -> Edit {
    let program = parsed.program;
    let Some(first) = script_statements(program).first() else {
        let at = program.body.first().map_or(0, |template| template.span().start as usize);
        let after = if text[at..].starts_with(['\n', '\r']) { "" } else { line_break };
        return Edit::insert(at, format!("{line_break}{}{after}", written.join(line_break)));
    };
    let start = crate::syntax::spans::statement_span(first, text).range().start;
    let comment = crate::syntax::comments::attached_comment(&program.comments, text, start);
    let at = comment.map_or(start, |comment| comment.range().start);
    let next = format!("{line_break}{}", lines::indent_at(text, at));
    Edit::insert(at, format!("{}{line_break}{next}", written.join(&next)))
}

fn top_offset(parsed: &Parsed<'_>, text: &str) -> usize {
    let program = parsed.program;
    let behind = |at: usize| at + lines::break_len(text, at);
    if let Some(last) = program.directives.last() {
        return behind(end_of_line(&program.comments, text, span_in(last.span, text).range().end));
    }
    let mut position = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    if let Some(hashbang) = &program.hashbang {
        position = behind(span_in(hashbang.span, text).range().end);
    }
    let breaks = |from: usize, to: usize| text[from..to.max(from)].matches('\n').take(2).count();
    let first =
        script_statements(program).first().map(|first| crate::syntax::spans::statement_span(first, text).range().start);
    let mut last: Option<(usize, bool)> = None;
    for comment in &program.comments {
        let span = span_in(comment.span, text).range();
        if span.start < position || first.is_some_and(|first| span.start >= first) {
            continue;
        }
        let own = &text[span.clone()];
        if own.starts_with("/*!") || is_reference(own) {
            last = Some((span.end, true));
            continue;
        }
        match last {
            Some((_, true)) => break,
            Some((end, false)) if breaks(end, span.start) >= 2 => break,
            _ => {}
        }
        if first.is_some_and(|first| breaks(span.end, first) < 2) {
            break;
        }
        last = Some((span.end, false));
    }
    last.map_or(position, |(end, _)| behind(end))
}

/// Returns whether a comment is `/// <reference … />` or a similar directive.
fn is_reference(comment: &str) -> bool {
    comment.strip_prefix("///").is_some_and(|rest| rest.trim_start().starts_with('<'))
}

/// Maximum number of statements checked for semicolons.
const MAX_CHECKED_STATEMENTS: usize = 5;

/// Returns whether statements of the file end in semicolons. Among the checked statements, one with a semicolon is
/// enough.
pub(crate) fn uses_semicolons(parsed: &Parsed<'_>, text: &str) -> bool {
    let is_script = |kind: &AstKind<'_>| !matches!(kind, AstKind::BlockStatement(block) if block.span.is_empty());
    let nodes = parsed.semantic().nodes().iter().take_while(|node| is_script(&node.kind()));
    let ends = nodes.filter_map(|node| {
        let kind = node.kind();
        let is_ended = matches!(
            kind,
            AstKind::ExpressionStatement(_)
                | AstKind::ImportDeclaration(_)
                | AstKind::TSImportEqualsDeclaration(_)
                | AstKind::ExportAllDeclaration(_)
                | AstKind::ExportFromDeclaration(_)
                | AstKind::ExportNamedDeclaration(_)
                | AstKind::ReturnStatement(_)
                | AstKind::ThrowStatement(_)
                | AstKind::TSTypeAliasDeclaration(_)
                | AstKind::PropertyDefinition(_)
        );
        let is_variable = matches!(kind, AstKind::VariableDeclaration(_))
            && matches!(
                parsed.semantic().nodes().parent_kind(node.id()),
                AstKind::Program(_) | AstKind::FunctionBody(_) | AstKind::BlockStatement(_)
            );
        (is_ended || is_variable).then(|| span_in(kind.span(), text).slice(text).ends_with(';'))
    });
    let ends: Vec<bool> = ends.take(MAX_CHECKED_STATEMENTS).collect();
    let with = ends.iter().filter(|end| **end).count();
    let without = ends.len() - with;
    if with == 0 { without <= 1 } else { with * MAX_CHECKED_STATEMENTS > without }
}

/// Returns the quote of the first specifier, or the quote that the file uses more often.
pub(crate) fn quote_of(program: &Program<'_>) -> char {
    let text = program.source_text;
    let first = program.body.iter().find_map(|statement| match statement {
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

/// Returns the quote of the first `require`, or else the one that the file uses more often.
pub(crate) fn require_quote(program: &Program<'_>) -> char {
    let text = program.source_text;
    let required = program
        .body
        .iter()
        .find(|statement| model::imports_of_statement(statement).iter().any(|import| import.form == Form::Require));
    let own = required.and_then(|statement| {
        let own = statement.span().source_text(text);
        own[own.find("require(")?..].chars().find(|char| matches!(char, '\'' | '"'))
    });
    own.unwrap_or_else(|| quote_of(program))
}

/// Returns an import or export of listed names. `source` is the specifier in quotes.
pub(crate) fn list_statement(keyword: &str, names: &[impl AsRef<str>], source: &str, mark: &str) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    format!("{keyword} {{ {} }} from {source}{mark}", names.join(", "))
}

/// Inserts import statements after the last import of a file, or before everything else.
pub(crate) fn insert_imports(program: &Program<'_>, text: &str, content: &str) -> Edit {
    let line_break = lines::line_break(text);
    let content = content.replace('\n', line_break);
    let last = program.body.iter().rev().find(|statement| matches!(statement, Statement::ImportDeclaration(_)));
    if let Some(last) = last {
        let span = span_in(last.span(), text).range();
        let next = format!("{line_break}{}", lines::indent_at(text, span.start));
        return Edit::insert(lines::line_end(text, span.end), format!("{next}{}", content.replace(line_break, &next)));
    }
    let script = script_statements(program);
    if let (Some(first), true) = (script.first(), script.len() < program.body.len()) {
        // The script of a component does not start at the start of the file.
        let start = crate::syntax::spans::statement_span(first, text).range().start;
        let indent = lines::indent_at(text, start);
        let next = format!("{line_break}{indent}");
        let content = content.replace(line_break, &next);
        return Edit::insert(lines::line_start(text, start), format!("{indent}{content}{line_break}{line_break}"));
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
pub(crate) fn merge_import_lines(lines: &[String], mark: &str) -> String {
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
    let lists = statements.into_iter().map(|(keyword, source, names)| list_statement(&keyword, &names, &source, mark));
    others.into_iter().chain(lists).collect::<Vec<String>>().join("\n")
}
