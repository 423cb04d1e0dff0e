//! Uses of the path of the file itself, as in `readdir(__dirname)`, from which paths are computed in ways that are not
//! recognized. They are reported if the file moves to another folder; and any text of the file may then be a path below
//! its folder.

use std::collections::HashSet;

use marquetry_sdk::{Link, Span, paths::could_be_path};
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;

use crate::links::link_parts::{build_link, span_inside_quotes};
use crate::program::resolution::{OWN_FOLDER, POSSIBLE};
use crate::syntax::spans::to_sdk_span;

/// Maximum number of uses that are reported per file.
const MAX_LINKS: usize = 50;
/// Maximum number of different texts that are reported per file.
const MAX_TEXTS: usize = 500;

/// Returns the uses of the file's own path except those that start at the offsets `understood`, and the texts that may
/// be paths below its folder.
pub(super) fn find_own_folder(program: &Program<'_>, understood: &HashSet<u32>) -> Vec<Link> {
    let mut finder = OwnFolderFinder { understood, found: Vec::new(), listed: Vec::new() };
    finder.visit_program(program);
    if !finder.found.is_empty() {
        let mut texts = TextFinder { found: Vec::new() };
        texts.visit_program(program);
        let mut seen = HashSet::new();
        texts.found.retain(|text| seen.insert(text.specifier.clone()));
        finder.found.extend(texts.found.into_iter().take(MAX_TEXTS));
    }
    finder.found.append(&mut finder.listed);
    finder.found
}

/// Returns the folder that an argument names: `__dirname`, `path.join(__dirname, "a", "b")`, or a text.
fn listed_folder(argument: &Argument<'_>) -> Option<String> {
    let text = |part: &Argument<'_>| match part {
        Argument::StringLiteral(text) => text.value.as_str().map(|text| text.trim_matches('/').to_owned()),
        _ => None,
    };
    match argument {
        Argument::StringLiteral(folder) => folder.value.as_str().map(|folder| folder.trim_end_matches('/').to_owned()),
        Argument::CallExpression(join) => {
            let (own, parts) = join.arguments.split_first()?;
            own.as_expression().filter(|own| is_own_path(own))?;
            let parts = parts.iter().map(text).collect::<Option<Vec<_>>>()?;
            Some(format!("./{}", parts.join("/")))
        }
        other => other.as_expression().filter(|folder| is_own_path(folder)).map(|_| ".".to_owned()),
    }
    .filter(|folder| !folder.is_empty() && !folder.starts_with('/'))
    .map(|folder| if folder.starts_with('.') { folder } else { format!("./{folder}") })
}

/// Returns whether an expression is the path of the file or of its folder.
fn is_own_path(expression: &Expression<'_>) -> bool {
    match expression {
        Expression::Identifier(name) => matches!(name.name.as_str(), "__dirname" | "__filename"),
        Expression::StaticMemberExpression(member) => match (&member.object, member.property.name.as_str()) {
            (Expression::ImportMeta(_), "url" | "dirname" | "filename") => true,
            (Expression::Identifier(module), "filename" | "path") => module.name == "module",
            _ => false,
        },
        _ => false,
    }
}

struct OwnFolderFinder<'u> {
    understood: &'u HashSet<u32>,
    found: Vec<Link>,
    /// Folders whose names are read.
    listed: Vec<Link>,
}

impl OwnFolderFinder<'_> {
    /// Reports a call that reads the names in a folder as a pattern that matches all of them.
    fn add_listed_folder(&mut self, call: &CallExpression<'_>, callee: &str) {
        let is_listing = ["readdir", "opendir"].iter().any(|name| callee.starts_with(name));
        let folder = call.arguments.first().filter(|_| is_listing).and_then(listed_folder);
        let Some(folder) = folder.filter(|_| self.listed.len() < MAX_LINKS) else { return };
        let span = to_sdk_span(call.callee.span());
        self.listed.push(build_link(POSSIBLE, span, &format!("{folder}/*"), to_sdk_span(call.span), Vec::new(), false));
    }
}

impl<'a> Visit<'a> for OwnFolderFinder<'_> {
    fn visit_expression(&mut self, expression: &Expression<'a>) {
        if is_own_path(expression) {
            let span = to_sdk_span(expression.span());
            if self.found.len() < MAX_LINKS && !self.understood.contains(&span.start) {
                self.found.push(build_link(POSSIBLE, span, OWN_FOLDER, span, Vec::new(), false));
            }
            return;
        }
        walk::walk_expression(self, expression);
    }

    /// Ignores the file's own definitions of Node's names: `const __dirname =
    /// path.dirname(fileURLToPath(import.meta.url))`.
    fn visit_variable_declarator(&mut self, variable: &VariableDeclarator<'a>) {
        let name = variable.id.get_identifier_name();
        if !name.is_some_and(|name| matches!(name.as_str(), "__dirname" | "__filename")) {
            walk::walk_variable_declarator(self, variable);
        }
    }

    /// Ignores comparisons for equality, which test whether the file is the main program.
    fn visit_binary_expression(&mut self, binary: &BinaryExpression<'a>) {
        if !binary.operator.is_equality() {
            walk::walk_binary_expression(self, binary);
        }
    }

    /// Ignores the arguments of `createRequire` and `basename`: the paths that the result of
    /// `createRequire(import.meta.url)` resolves are links themselves, and a move keeps the name of the file.
    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        let callee = match &call.callee {
            Expression::Identifier(name) => name.name.as_str(),
            Expression::StaticMemberExpression(member) => member.property.name.as_str(),
            _ => "",
        };
        self.add_listed_folder(call, callee);
        if !matches!(callee, "createRequire" | "basename") {
            walk::walk_call_expression(self, call);
        }
    }

    /// Ignores `new URL("./a.txt", import.meta.url)`, which is a link.
    fn visit_new_expression(&mut self, new: &NewExpression<'a>) {
        let is_literal = match new.arguments.first() {
            Some(Argument::StringLiteral(_)) => true,
            Some(Argument::TemplateLiteral(text)) => text.expressions.is_empty(),
            _ => false,
        };
        if !(is_literal && matches!(&new.callee, Expression::Identifier(name) if name.name == "URL")) {
            walk::walk_new_expression(self, new);
        }
    }
}

/// Finds the texts that may be paths below the folder of the file.
struct TextFinder {
    found: Vec<Link>,
}

impl TextFinder {
    fn add(&mut self, at: oxc_span::Span, text: &str) {
        let path = text.trim_matches('/');
        let inside = span_inside_quotes(at);
        // Names with an extension are already found by the search for file names, as in files of any format.
        let is_found = path.contains('.') && !text.starts_with('/');
        if is_found || inside.len() != text.len() || !could_be_path(&format!("{path}/")) {
            return;
        }
        let start = inside.start + (text.len() - text.trim_start_matches('/').len()) as u32;
        let span = Span { start, end: start + path.len() as u32 };
        self.found.push(build_link(POSSIBLE, span, &format!("./{path}"), to_sdk_span(at), Vec::new(), false));
    }
}

impl<'a> Visit<'a> for TextFinder {
    fn visit_string_literal(&mut self, literal: &StringLiteral<'a>) {
        if let Some(text) = literal.value.as_str() {
            self.add(literal.span, text);
        }
    }

    /// The specifiers of imports and exports are links.
    fn visit_import_declaration(&mut self, _: &ImportDeclaration<'a>) {}

    fn visit_export_all_declaration(&mut self, _: &ExportAllDeclaration<'a>) {}

    fn visit_directive(&mut self, _: &Directive<'a>) {}
}
