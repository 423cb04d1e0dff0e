//! Glob patterns for bundlers: `import.meta.glob("./parts/*.js")`, and `import()` or `require()` of a path that is
//! computed at run time. A pattern links to the folder at which it starts, and this link is updated like other links. A
//! move after which a pattern no longer matches a file is refused.

use marquetry_sdk::workspace::{self, EntryKind};
use marquetry_sdk::{Failure, FailureKind, Relocation, Result, Span, fail};
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};

use crate::links::link_parts::span_inside_quotes;
use crate::program::resolution::paths;
use crate::syntax::module_calls::call_kind;
use crate::syntax::spans::to_sdk_span;

/// A glob pattern.
pub(super) struct Pattern {
    /// The folder at which it starts, as written.
    pub(super) folder: Span,
    pub(super) specifier: String,
    /// The literal that contains it.
    pub(super) text: Span,
    /// The segments after the folder; `**` matches any number of folders.
    rest: Vec<String>,
    /// True if part of the path is computed at run time.
    has_computed_part: bool,
}

/// Returns all patterns of a program.
pub(super) fn find_patterns(program: &Program<'_>) -> Vec<Pattern> {
    let mut finder = PatternFinder { found: Vec::new() };
    finder.visit_program(program);
    finder.found
}

/// Refuses a move if a pattern matches the old path but not the new one, or if a pattern matches the old path and has a
/// part that is computed at run time.
///
/// # Errors
///
/// `Unsupported`, with the patterns, because only the author can decide how to change them.
pub(super) fn check_relocations(found: &[Pattern], path: &str, text: &str, relocations: &[Relocation]) -> Result<()> {
    let folder = paths::parent(path);
    let mut lost: Vec<String> = Vec::new();
    for relocation in relocations.iter().filter(|it| paths::relative_to(&it.from, path).is_none()) {
        let is_folder = workspace::stat(&relocation.from) == Some(EntryKind::Directory);
        for pattern in found {
            let Some(base) = paths::join(folder, &pattern.specifier) else { continue };
            // The pattern still matches if the folder at which it starts is moved as well.
            if paths::relative_to(&relocation.from, &base).is_some()
                || !pattern.matches(&base, &relocation.from, is_folder)
            {
                continue;
            }
            let written = pattern.text.slice(text);
            if pattern.has_computed_part {
                lost.push(format!("{written} may match `{}` by its name", relocation.from));
            } else if !pattern.matches(&base, &relocation.to, is_folder) {
                lost.push(format!("{written} matches `{}` but not `{}`", relocation.from, relocation.to));
            }
        }
    }
    if lost.is_empty() { Ok(()) } else { Err(unmatched_failure(lost)) }
}

fn unmatched_failure(mut lost: Vec<String>) -> Failure {
    lost.dedup();
    fail(FailureKind::Unsupported, lost.join("; "))
        .hint("change the pattern, or move the file to a path that the pattern matches")
}

impl Pattern {
    fn new(text: &str, folder: &str, at: oxc_span::Span, named: bool) -> Option<Pattern> {
        let start = span_inside_quotes(at).start;
        let parts = text.get(folder.len() + 1..)?.split('/').filter(|part| !part.is_empty());
        // A computed part may contain slashes.
        let deeper = |part: &str| if named && part.contains('*') { vec!["**".to_owned()] } else { Vec::new() };
        let rest = parts.flat_map(|part| deeper(part).into_iter().chain([part.to_owned()]));
        Some(Pattern {
            folder: Span { start, end: start + folder.len() as u32 },
            specifier: folder.to_owned(),
            text: to_sdk_span(at),
            rest: rest.collect(),
            has_computed_part: named,
        })
    }

    /// Returns whether the pattern matches a path, or something below a folder.
    fn matches(&self, base: &str, path: &str, is_folder: bool) -> bool {
        let Some(below) = paths::relative_to(base, path) else { return false };
        let parts: Vec<&str> = below.split('/').filter(|part| !part.is_empty()).collect();
        let rest: Vec<&str> = self.rest.iter().map(String::as_str).collect();
        matches(&rest, &parts, is_folder)
    }
}

fn matches(pattern: &[&str], path: &[&str], is_folder: bool) -> bool {
    match (pattern, path) {
        ([], []) => true,
        (_, []) => is_folder,
        ([], _) => false,
        (["**", rest @ ..], [_, below @ ..]) => matches(rest, path, is_folder) || matches(pattern, below, is_folder),
        ([part, rest @ ..], [name, below @ ..]) => {
            expand_braces(part).iter().any(|part| marquetry_sdk::paths::part_matches(part, name))
                && matches(rest, below, is_folder)
        }
    }
}

/// Expands alternatives in braces: `*.{js,ts}`. Character classes in brackets are treated as `*`.
fn expand_braces(part: &str) -> Vec<String> {
    let braces = part.find('{').and_then(|open| Some((open, open + part[open..].find('}')?)));
    let Some((open, close)) = braces else {
        let sets = part.find('[').and_then(|open| Some((open, open + part[open..].find(']')?)));
        return vec![
            sets.map_or_else(|| part.to_owned(), |(open, close)| format!("{}*{}", &part[..open], &part[close + 1..])),
        ];
    };
    let with = |choice: &str| expand_braces(&format!("{}{choice}{}", &part[..open], &part[close + 1..]));
    part[open + 1..close].split(',').flat_map(with).collect()
}

struct PatternFinder {
    found: Vec<Pattern>,
}

impl PatternFinder {
    /// Adds a glob pattern. A pattern that is not relative is skipped, because its meaning depends on the bundler's
    /// root.
    fn add_glob(&mut self, literal: &StringLiteral<'_>) {
        let Some(text) = literal.value.as_str().filter(|text| paths::is_relative(text)) else { return };
        let wild = text.find(['*', '{', '?', '[']).unwrap_or(text.len());
        let folder = text[..wild].rsplit_once('/').map(|(folder, _)| folder);
        if text.len() == span_inside_quotes(literal.span).len() {
            self.found.extend(folder.and_then(|folder| Pattern::new(text, folder, literal.span, false)));
        }
    }
}

/// Returns the text of a sum that starts with a string literal, with `*` for each part that is computed at run time.
/// `None` if nothing is computed, or if the literal contains escapes.
fn sum_text(sum: &BinaryExpression<'_>) -> Option<String> {
    if sum.operator != BinaryOperator::Addition {
        return None;
    }
    let first = match &sum.left {
        Expression::BinaryExpression(inner) => sum_text(inner)?,
        Expression::StringLiteral(literal) => {
            let text = literal.value.as_str()?;
            (text.len() == span_inside_quotes(literal.span).len()).then(|| text.to_owned())?
        }
        _ => return None,
    };
    Some(match &sum.right {
        Expression::StringLiteral(literal) => first + literal.value.as_str()?,
        _ => first + "*",
    })
}

impl<'a> Visit<'a> for PatternFinder {
    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        self.add_computed_path(&import.source);
        walk::walk_import_expression(self, import);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if matches!(call_kind(&call.callee), Some("require" | "resolve"))
            && let Some(source) = call.arguments.first().and_then(Argument::as_expression)
        {
            self.add_computed_path(source);
        }
        self.add_context_call(call);
        self.add_glob_call(call);
        walk::walk_call_expression(self, call);
    }
}

impl PatternFinder {
    /// Adds the pattern of a path that is computed at run time: `./parts/${name}.js`, `"./parts/" + name`.
    fn add_computed_path(&mut self, source: &Expression<'_>) {
        let source = source.without_parentheses();
        if let Expression::BinaryExpression(sum) = source
            && let Some(text) = sum_text(sum)
            && paths::is_relative(&text)
            && let Some((folder, _)) = text.split('*').next().and_then(|fixed| fixed.rsplit_once('/'))
        {
            self.found.extend(Pattern::new(&text, folder, sum.span, true));
        }
        if let Expression::TemplateLiteral(template) = source
            && let [first, others @ ..] = template.quasis.as_slice()
            && !others.is_empty()
            && let raw = first.value.raw.as_str()
            && paths::is_relative(raw)
            && let Some((folder, _)) = raw.rsplit_once('/')
        {
            let texts = others.iter().map(|quasi| quasi.value.raw.as_str());
            let text = texts.fold(raw.to_owned(), |text, more| format!("{text}*{more}"));
            self.found.extend(Pattern::new(&text, folder, template.span, true));
        }
    }

    /// Adds the pattern of `require.context("./parts")`, whose calls load the files below the folder.
    fn add_context_call(&mut self, call: &CallExpression<'_>) {
        if let Expression::StaticMemberExpression(member) = &call.callee
            && matches!(&member.object, Expression::Identifier(object) if object.name == "require")
            && member.property.name == "context"
            && let Some(Argument::StringLiteral(literal)) = call.arguments.first()
            && let Some(folder) = literal.value.as_str().filter(|folder| paths::is_relative(folder))
            && folder.len() == span_inside_quotes(literal.span).len()
        {
            let folder = folder.trim_end_matches('/');
            self.found.extend(Pattern::new(&format!("{folder}/*"), folder, literal.span, true));
        }
    }

    /// Adds the patterns of `import.meta.glob(…)`.
    fn add_glob_call(&mut self, call: &CallExpression<'_>) {
        if let Expression::StaticMemberExpression(member) = &call.callee
            && matches!(member.object, Expression::ImportMeta(_))
            && matches!(member.property.name.as_str(), "glob" | "globEager")
            && !call.arguments.get(1).is_some_and(has_base)
        {
            match call.arguments.first() {
                Some(Argument::StringLiteral(literal)) => self.add_glob(literal),
                Some(Argument::ArrayExpression(list)) => {
                    for element in &list.elements {
                        if let ArrayExpressionElement::StringLiteral(literal) = element {
                            self.add_glob(literal);
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

/// Returns whether the options may set another base folder.
fn has_base(options: &Argument<'_>) -> bool {
    let Argument::ObjectExpression(options) = options else { return true };
    options.properties.iter().any(|property| match property {
        ObjectPropertyKind::ObjectProperty(property) => property.key.static_name().is_none_or(|key| key == "base"),
        ObjectPropertyKind::SpreadProperty(_) => true,
    })
}
