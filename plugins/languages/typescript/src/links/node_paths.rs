//! Paths joined to the folder of the file at run time: `path.join(__dirname, "data.txt")`. If the path is one literal,
//! it is a certain link and is updated, and so are several literals. If it contains `+` or a computed part, it is only a
//! possible link.

use std::collections::{HashMap, HashSet};

use marquetry_sdk::{Link, Span};
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;

use crate::links::{
    link_parts::{build_link, span_inside_quotes},
    own_folder::find_own_folder,
};
use crate::program::resolution::joined_literals::JoinedLiterals;
use crate::program::resolution::{FILE, JOINED, POSSIBLE};
use crate::syntax::spans::to_sdk_span;

/// Returns the links of a program whose paths are joined at run time, and other uses of the path of the file itself.
pub(super) fn find_joined_paths(program: &Program<'_>) -> Vec<Link> {
    let names = PathModuleNames::collect(program);
    let mut finder =
        JoinedPathFinder { source: program.source_text, names, found: Vec::new(), understood: HashSet::new() };
    finder.visit_program(program);
    let mut others = find_own_folder(program, &finder.understood);
    others.retain(|other| !finder.found.iter().any(|joined| joined.statement.contains(other.span)));
    finder.found.extend(others);
    finder.found
}

/// Local names of Node's `path` module and of its functions that join paths.
#[derive(Default)]
struct PathModuleNames {
    modules: HashSet<String>,
    /// Keyed by local name.
    functions: HashMap<String, SlashHandling>,
}

/// Treatment of a path that begins with a slash.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SlashHandling {
    /// The path is appended to the paths before it, like a path without a slash.
    Below,
    /// The path starts at the root of the file system.
    AtRoot,
}

impl SlashHandling {
    fn parse(name: &str) -> Option<SlashHandling> {
        match name {
            "join" => Some(SlashHandling::Below),
            "resolve" => Some(SlashHandling::AtRoot),
            _ => None,
        }
    }
}

impl PathModuleNames {
    fn collect(program: &Program<'_>) -> PathModuleNames {
        let mut names = PathModuleNames::default();
        names.visit_program(program);
        names
    }

    fn add(&mut self, exported: &str, local: &str) {
        match (SlashHandling::parse(exported), exported) {
            (Some(joins), _) => _ = self.functions.insert(local.to_owned(), joins),
            (None, "default" | "posix" | "win32") => _ = self.modules.insert(local.to_owned()),
            _ => {}
        }
    }

    fn join_function(&self, callee: &Expression<'_>) -> Option<SlashHandling> {
        match callee {
            Expression::Identifier(name) => self.functions.get(name.name.as_str()).copied(),
            Expression::StaticMemberExpression(member) => {
                SlashHandling::parse(&member.property.name).filter(|_| self.is_module(&member.object))
            }
            _ => None,
        }
    }

    fn is_module(&self, object: &Expression<'_>) -> bool {
        match object {
            Expression::Identifier(name) => self.modules.contains(name.name.as_str()),
            Expression::StaticMemberExpression(member) => {
                matches!(member.property.name.as_str(), "posix" | "win32") && self.is_module(&member.object)
            }
            _ => false,
        }
    }
}

fn is_path_module(specifier: &StringLiteral<'_>) -> bool {
    specifier.value.as_str().is_some_and(|name| matches!(name, "path" | "node:path" | "path/posix" | "node:path/posix"))
}

impl<'a> Visit<'a> for PathModuleNames {
    fn visit_import_declaration(&mut self, import: &ImportDeclaration<'a>) {
        if !is_path_module(&import.source) {
            return;
        }
        for specifier in import.specifiers.iter().flatten() {
            match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(it) => {
                    self.add(it.imported.name().as_str(), it.local.name.as_str());
                }
                other => _ = self.modules.insert(other.local().name.to_string()),
            }
        }
    }

    fn visit_variable_declarator(&mut self, variable: &VariableDeclarator<'a>) {
        let required = match &variable.init {
            Some(Expression::CallExpression(call)) => {
                let is_require = matches!(&call.callee, Expression::Identifier(name) if name.name == "require");
                is_require && matches!(call.arguments.as_slice(), [Argument::StringLiteral(it)] if is_path_module(it))
            }
            _ => false,
        };
        match &variable.id {
            BindingPattern::BindingIdentifier(name) if required => _ = self.modules.insert(name.name.to_string()),
            BindingPattern::ObjectPattern(pattern) if required => {
                for property in &pattern.properties {
                    if let (Some(key), BindingPattern::BindingIdentifier(local)) =
                        (property.key.static_name(), &property.value)
                    {
                        self.add(key.as_str().unwrap_or_default(), local.name.as_str());
                    }
                }
            }
            _ => walk::walk_variable_declarator(self, variable),
        }
    }
}

/// Returns whether an expression is the folder of the file.
fn is_dirname(expression: &Expression<'_>) -> bool {
    match expression {
        Expression::Identifier(name) => name.name == "__dirname",
        Expression::StaticMemberExpression(member) => {
            member.property.name == "dirname" && matches!(member.object, Expression::ImportMeta(_))
        }
        _ => false,
    }
}

struct JoinedPathFinder<'t> {
    /// The text of the program.
    source: &'t str,
    names: PathModuleNames,
    found: Vec<Link>,
    /// Offsets of the expressions to which a path is joined.
    understood: HashSet<u32>,
}

impl JoinedPathFinder<'_> {
    fn add(&mut self, kind: &str, span: Span, specifier: &str, around: oxc_span::Span) {
        self.found.push(build_link(kind, span, specifier, to_sdk_span(around), Vec::new(), false));
    }

    /// Adds a link for texts that are joined to the folder of the file. Several texts become one link to the joined
    /// path; if they have escapes, it is only a possible link.
    fn add_joined_path(&mut self, joins: SlashHandling, parts: &[Argument<'_>], call: oxc_span::Span) {
        let text = |part: &Argument<'_>| match part {
            Argument::StringLiteral(it) => Some((it.span, it.value.as_str()?.to_owned())),
            Argument::TemplateLiteral(it) if it.expressions.is_empty() => {
                Some((it.span, it.quasis.first()?.value.cooked?.as_str()?.to_owned()))
            }
            _ => None,
        };
        let texts: Vec<_> = parts.iter().map_while(text).collect();
        if texts.len() < parts.len() {
            // The rest is computed at run time, so only the folder is known.
            if let (Some((first, _)), Some((last, _))) = (texts.first(), texts.last()) {
                let path = texts.iter().map(|(_, path)| path.as_str()).collect::<Vec<_>>().join("/");
                let span = Span { start: span_inside_quotes(*first).start, end: span_inside_quotes(*last).end };
                self.add(POSSIBLE, span, &explicitly_relative(&path), call);
            }
            return;
        }
        match texts.as_slice() {
            [(_, path)] if path.starts_with('/') && joins == SlashHandling::AtRoot => {}
            [(at, path)] => {
                let slashes = path.len() - path.trim_start_matches('/').len();
                let is_plain = span_inside_quotes(*at).len() == path.len() && path.len() > slashes;
                let span = Span { start: span_inside_quotes(*at).start + slashes as u32, ..span_inside_quotes(*at) };
                match is_plain {
                    true => self.add(FILE, span, &path[slashes..], call),
                    false => self.add(POSSIBLE, span_inside_quotes(*at), path, call),
                }
            }
            [(first, _), .., (last, _)] => {
                let path = texts.iter().map(|(_, path)| path.as_str()).collect::<Vec<_>>().join("/");
                let span = Span { start: span_inside_quotes(*first).start, end: span_inside_quotes(*last).end };
                let written = span.slice(self.source);
                match JoinedLiterals::parse(written).filter(|literals| literals.path() == path) {
                    Some(_) if !texts.iter().any(|(_, text)| text.starts_with('/')) => {
                        self.add(JOINED, span, written, call);
                    }
                    _ => self.add(POSSIBLE, span, &explicitly_relative(&path), call),
                }
            }
            [] => {}
        }
    }
}

fn starts_with_slash(part: &Argument<'_>) -> bool {
    matches!(part, Argument::StringLiteral(text) if text.value.as_str().is_some_and(|text| text.starts_with('/')))
}

/// Makes a path explicitly relative, so that it is not taken for a package name.
fn explicitly_relative(path: &str) -> String {
    if path.starts_with("../") || path.starts_with("./") {
        path.to_owned()
    } else {
        format!("./{}", path.trim_start_matches('/'))
    }
}

impl<'a> Visit<'a> for JoinedPathFinder<'_> {
    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if let Some(joins) = self.names.join_function(&call.callee)
            && let [first, parts @ ..] = call.arguments.as_slice()
            && first.as_expression().is_some_and(is_dirname)
        {
            let known = self.found.len();
            let is_absolute = joins == SlashHandling::AtRoot && parts.first().is_some_and(starts_with_slash);
            self.add_joined_path(joins, parts, call.span);
            if is_absolute || self.found.len() > known {
                self.understood.insert(first.span().start);
            }
        }
        walk::walk_call_expression(self, call);
    }

    fn visit_binary_expression(&mut self, sum: &BinaryExpression<'a>) {
        if sum.operator == BinaryOperator::Addition
            && is_dirname(&sum.left)
            && let Expression::StringLiteral(text) = &sum.right
            && let Some(path) = text.value.as_str().filter(|path| path.starts_with('/'))
        {
            self.understood.insert(sum.left.span().start);
            self.add(POSSIBLE, span_inside_quotes(text.span), &explicitly_relative(path), sum.span);
        }
        walk::walk_binary_expression(self, sum);
    }

    fn visit_template_literal(&mut self, template: &TemplateLiteral<'a>) {
        if let ([first, rest], [folder]) = (template.quasis.as_slice(), template.expressions.as_slice())
            && first.value.raw.is_empty()
            && is_dirname(folder)
            && let Some(path) = rest.value.cooked.and_then(|text| text.as_str()).filter(|path| path.starts_with('/'))
        {
            self.understood.insert(folder.span().start);
            self.add(POSSIBLE, to_sdk_span(rest.span()), &explicitly_relative(path), template.span);
        }
        walk::walk_template_literal(self, template);
    }
}
