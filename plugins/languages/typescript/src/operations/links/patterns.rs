//! Patterns that bundlers read as paths of files: `import.meta.glob("./parts/*.js")`, and an `import()` whose path is put together
//! at run time. They lead to the folder they start at, which is spelled anew as links are; what they match is told of when it moves.

use marquetry_sdk::workspace::{self, EntryKind};
use marquetry_sdk::{Failure, FailureKind, Relocation, Result, Span, fail};
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};

use crate::operations::links::parts::{inner, whole};
use crate::program::resolution::paths;

/// A pattern.
pub(super) struct Pattern {
    /// The folder that it starts at, as it is written.
    pub(super) folder: Span,
    pub(super) specifier: String,
    /// The text that it stands in.
    pub(super) text: Span,
    /// What follows behind the folder, part by part; `**` stands for any number of folders.
    rest: Vec<String>,
    /// Files are asked for by names that come at run time.
    named: bool,
}

/// All patterns of a program.
pub(super) fn patterns(program: &Program<'_>) -> Vec<Pattern> {
    let mut finder = Finder { found: Vec::new() };
    finder.visit_program(program);
    finder.found
}

/// Refuse where a pattern matched what moves, and does not match it any more, or asks for it by its name.
///
/// # Errors
///
/// `Unsupported`, with the patterns: what is to become of them only the author knows.
pub(super) fn check(found: &[Pattern], path: &str, text: &str, relocations: &[Relocation]) -> Result<()> {
    let folder = paths::parent(path);
    let mut lost: Vec<String> = Vec::new();
    for relocation in relocations.iter().filter(|it| paths::below(&it.from, path).is_none()) {
        let is_folder = workspace::stat(&relocation.from) == Some(EntryKind::Directory);
        for pattern in found {
            let Some(base) = paths::join(folder, &pattern.specifier) else { continue };
            // What it starts at goes along.
            if paths::below(&relocation.from, &base).is_some() || !pattern.matches(&base, &relocation.from, is_folder) {
                continue;
            }
            let written = pattern.text.of(text);
            if pattern.named {
                lost.push(format!("{written} may ask for `{}` by its name", relocation.from));
            } else if !pattern.matches(&base, &relocation.to, is_folder) {
                lost.push(format!("{written} matches `{}`, and not `{}`", relocation.from, relocation.to));
            }
        }
    }
    if lost.is_empty() { Ok(()) } else { Err(unmatched(lost)) }
}

fn unmatched(mut lost: Vec<String>) -> Failure {
    lost.dedup();
    fail(FailureKind::Unsupported, lost.join("; ")).hint("change the pattern, or move it where it is matched")
}

impl Pattern {
    fn new(text: &str, folder: &str, at: oxc_span::Span, named: bool) -> Option<Pattern> {
        let start = inner(at).start;
        let parts = text.get(folder.len() + 1..)?.split('/').filter(|part| !part.is_empty());
        // What comes in at run time may have slashes in it.
        let deeper = |part: &str| if named && part.contains('*') { vec!["**".to_owned()] } else { Vec::new() };
        let rest = parts.flat_map(|part| deeper(part).into_iter().chain([part.to_owned()]));
        Some(Pattern {
            folder: Span { start, end: start + folder.len() as u32 },
            specifier: folder.to_owned(),
            text: whole(at),
            rest: rest.collect(),
            named,
        })
    }

    /// Whether it matches a path, or something below a folder.
    fn matches(&self, base: &str, path: &str, is_folder: bool) -> bool {
        let Some(below) = paths::below(base, path) else { return false };
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
            choices(part).iter().any(|part| marquetry_sdk::paths::part_matches(part, name))
                && matches(rest, below, is_folder)
        }
    }
}

/// A part for each of its choices in braces: `*.{js,ts}`. Sets in brackets stand for anything.
fn choices(part: &str) -> Vec<String> {
    let braces = part.find('{').and_then(|open| Some((open, open + part[open..].find('}')?)));
    let Some((open, close)) = braces else {
        let sets = part.find('[').and_then(|open| Some((open, open + part[open..].find(']')?)));
        return vec![
            sets.map_or_else(|| part.to_owned(), |(open, close)| format!("{}*{}", &part[..open], &part[close + 1..])),
        ];
    };
    let with = |choice: &str| choices(&format!("{}{choice}{}", &part[..open], &part[close + 1..]));
    part[open + 1..close].split(',').flat_map(with).collect()
}

struct Finder {
    found: Vec<Pattern>,
}

impl Finder {
    /// A pattern as bundlers write it; one that is not relative is left to those who know the root.
    fn glob(&mut self, literal: &StringLiteral<'_>) {
        let Some(text) = literal.value.as_str().filter(|text| paths::is_relative(text)) else { return };
        let wild = text.find(['*', '{', '?', '[']).unwrap_or(text.len());
        let folder = text[..wild].rsplit_once('/').map(|(folder, _)| folder);
        if text.len() == inner(literal.span).len() {
            self.found.extend(folder.and_then(|folder| Pattern::new(text, folder, literal.span, false)));
        }
    }
}

impl<'a> Visit<'a> for Finder {
    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        if let Expression::TemplateLiteral(template) = &import.source
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
        walk::walk_import_expression(self, import);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if let Expression::StaticMemberExpression(member) = &call.callee
            && matches!(member.object, Expression::ImportMeta(_))
            && matches!(member.property.name.as_str(), "glob" | "globEager")
            && !call.arguments.get(1).is_some_and(has_base)
        {
            match call.arguments.first() {
                Some(Argument::StringLiteral(literal)) => self.glob(literal),
                Some(Argument::ArrayExpression(list)) => {
                    for element in &list.elements {
                        if let ArrayExpressionElement::StringLiteral(literal) = element {
                            self.glob(literal);
                        }
                    }
                }
                _ => {}
            }
        }
        walk::walk_call_expression(self, call);
    }
}

/// Whether options tell another folder to start at.
fn has_base(options: &Argument<'_>) -> bool {
    let Argument::ObjectExpression(options) = options else { return true };
    options.properties.iter().any(|property| match property {
        ObjectPropertyKind::ObjectProperty(property) => property.key.static_name().is_none_or(|key| key == "base"),
        ObjectPropertyKind::SpreadProperty(_) => true,
    })
}
