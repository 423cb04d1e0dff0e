//! Checks the syntax of an edit by parsing only the declaration that contains it.

use marquetry_sdk::{Edit, Severity, span::apply_within};
use oxc_ast::ast::{Declaration, ExportDefaultDeclarationKind, Function, Statement};
use oxc_span::GetSpan as _;

use crate::syntax::diagnostics;
use crate::syntax::tree::{Parsed, Tree};

/// Returns true if a text without syntax errors certainly has none after the edits: the top-level declaration that
/// contains them, parsed alone with the edits applied, is a declaration of the same kind and name. Returns false if
/// this is uncertain, or if the declaration is more than half of the text.
pub(crate) fn stays_well_formed(parsed: &Parsed<'_>, tree: &Tree, edits: &[Edit]) -> bool {
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return true };
    if parsed.repaired || parsed.is_component || parsed.too_deep.is_some() || !parsed.errors.is_empty() {
        return false;
    }
    let (text, program) = (tree.text(), parsed.program);
    let start = first.span.start;
    let index = program.body.partition_point(|statement| statement.span().start < start).checked_sub(1);
    let Some((index, around)) = index.and_then(|index| Some((index, program.body.get(index)?))) else { return false };
    let range = around.span().start as usize..around.span().end as usize;
    let Some(declared) = DeclarationHead::from_statement(around) else { return false };
    // The first word must not change, because it may determine where the previous statement ends.
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let keeps_start = !text[range.start..start as usize].chars().all(word);
    if !keeps_start || last.span.range().end >= range.end || range.len() > text.len() / 2 {
        return false;
    }
    let mut others = program.body.iter().enumerate().filter(|(at, _)| *at != index).map(|(_, statement)| statement);
    let is_module = declared.exported || others.any(|statement| statement.is_module_declaration());
    let makes_module = |edit: &Edit| edit.text.contains("import") || edit.text.contains("await");
    if !is_module && (!program.directives.is_empty() || edits.iter().any(makes_module)) {
        return false;
    }
    let after = apply_within(text, range, edits);
    // Parse the declaration as a module if the file is one: the same strict rules apply.
    let suffix = if is_module { "\nexport {};" } else { "" };
    let part = Tree::parse(tree.path(), format!("{after}{suffix}"));
    let alone = |parsed: &Parsed<'_>| {
        let same = parsed.program.body.first().filter(|statement| {
            let span = statement.span();
            (span.start, span.end as usize) == (0, after.len())
                && DeclarationHead::from_statement(statement).as_ref() == Some(&declared)
        });
        let count = parsed.program.body.len();
        let problems = diagnostics::diagnostics(parsed, part.text(), part.grammar());
        same.is_some()
            && count == 1 + usize::from(is_module)
            && problems.iter().all(|problem| problem.severity != Severity::Error)
    };
    part.with(alone)
}

/// A declaration that ends with its own closing brace, so the following code does not affect it.
#[derive(Debug, PartialEq)]
struct DeclarationHead<'a> {
    keyword: &'static str,
    name: Option<&'a str>,
    exported: bool,
    default: bool,
}

impl<'a> DeclarationHead<'a> {
    fn from_statement(statement: &'a Statement<'_>) -> Option<DeclarationHead<'a>> {
        let plain = |(keyword, name)| DeclarationHead { keyword, name, exported: false, default: false };
        match statement {
            Statement::ExportDeclaration(export) => {
                declaration_head(&export.declaration).map(|found| DeclarationHead { exported: true, ..plain(found) })
            }
            Statement::ExportDefaultDeclaration(export) => {
                let found = match &export.declaration {
                    ExportDefaultDeclarationKind::FunctionDeclaration(function) => function_head(function)?,
                    ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                        ("class", class.id.as_ref().map(|id| id.name.as_str()))
                    }
                    _ => return None,
                };
                Some(DeclarationHead { exported: true, default: true, ..plain(found) })
            }
            other => declaration_head(other.as_declaration()?).map(plain),
        }
    }
}

fn declaration_head<'a>(declaration: &'a Declaration<'_>) -> Option<(&'static str, Option<&'a str>)> {
    match declaration {
        Declaration::FunctionDeclaration(function) => function_head(function),
        Declaration::ClassDeclaration(class) => Some(("class", class.id.as_ref().map(|id| id.name.as_str()))),
        Declaration::TSInterfaceDeclaration(interface) => Some(("interface", Some(interface.id.name.as_str()))),
        Declaration::TSEnumDeclaration(declared) => Some(("enum", Some(declared.id.name.as_str()))),
        _ => None,
    }
}

/// Returns the keyword and name of a function. `None` for a function without a body, because it does not end with a
/// closing brace.
fn function_head<'a>(function: &'a Function<'_>) -> Option<(&'static str, Option<&'a str>)> {
    function.body.is_some().then(|| ("function", function.id.as_ref().map(|id| id.name.as_str())))
}
