//! JavaScript in MDX, parsed with oxc.

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_ast::ast::{BindingPattern, Declaration, Expression, ModuleDeclaration, Program, Statement};
use oxc_diagnostics::OxcDiagnostic;
use oxc_parser::Parser;
use oxc_span::{GetSpan, SourceType, Span};

use super::{Module, Taken, Wrong};

/// Returns the imports and exports of a block that contains nothing else.
pub(crate) fn modules(source: &str) -> Result<Vec<Module>, Wrong> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, source, source_type()).parse();
    if let Some(first) = parsed.errors.first() {
        return Err(to_script_error(first, 0, source.len()));
    }
    let other = parsed.program.body.iter().find(|statement| statement.as_module_declaration().is_none());
    let directive = parsed.program.directives.first().map(|directive| directive.span);
    match other.map(|statement| statement.span()).or(directive) {
        Some(span) => Err((span.start as usize, "only imports and exports are allowed here".to_owned())),
        None => Ok(program_modules(&parsed.program)),
    }
}

/// Checks that the text between braces is an expression, or contains only comments.
pub(crate) fn check_expression(source: &str) -> Result<(), Wrong> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, source, source_type()).parse();
    if parsed.errors.is_empty() && parsed.program.is_empty() {
        return Ok(());
    }
    let wrapped = format!("({source}\n)");
    match Parser::new(&allocator, &wrapped, source_type()).parse_expression() {
        Err(problems) => {
            Err(problems.first().map_or((0, String::new()), |first| to_script_error(first, 1, source.len())))
        }
        Ok(expression) if expression.span().size() as usize != wrapped.len() => {
            Err((source.len(), "unexpected content after the expression".to_owned()))
        }
        Ok(Expression::ParenthesizedExpression(_)) => Ok(()),
        Ok(_) => Err((0, "expected one expression".to_owned())),
    }
}

/// Returns the error in the expressions of an opening tag. The Markdown parser has checked the other parts.
pub(crate) fn check_tag(tag: &str) -> Option<String> {
    if !tag.contains('{') {
        return None;
    }
    let open = tag.trim_end_matches('>').trim_end().trim_end_matches('/');
    let element = format!("{open}/>");
    let allocator = Allocator::default();
    let problems = Parser::new(&allocator, &element, source_type()).parse_expression().err()?;
    problems.first().map(|first| to_script_error(first, 0, tag.len()).1)
}

fn program_modules(program: &Program<'_>) -> Vec<Module> {
    program.body.iter().filter_map(Statement::as_module_declaration).map(module_of).collect()
}

/// Returns the namespace imports and `export *` statements: the specifier, the local name, and the position of the
/// specifier.
pub(crate) fn wholes(source: &str) -> Vec<(String, Option<String>, Range<usize>)> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, source, source_type()).parse();
    let mut found = Vec::new();
    for declaration in parsed.program.body.iter().filter_map(Statement::as_module_declaration) {
        let Some(written) = declaration.source() else { continue };
        let (specifier, place) = (written.value.to_string(), to_range(written.span));
        match declaration {
            ModuleDeclaration::ImportDeclaration(import) => {
                for listed in import.specifiers.iter().flatten() {
                    if let oxc_ast::ast::ImportDeclarationSpecifier::ImportNamespaceSpecifier(whole) = listed {
                        found.push((specifier.clone(), Some(whole.local.name.to_string()), place.clone()));
                    }
                }
            }
            ModuleDeclaration::ExportAllDeclaration(_) => found.push((specifier, None, place)),
            _ => {}
        }
    }
    found
}

/// Returns all imported names: the specifier, the name in the other file (or `default` or `*`), and the local name.
pub(crate) fn locals(source: &str) -> Vec<(String, String, String)> {
    use oxc_ast::ast::ImportDeclarationSpecifier as Listed;
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, source, source_type()).parse();
    let mut found = Vec::new();
    for declaration in parsed.program.body.iter().filter_map(Statement::as_module_declaration) {
        let ModuleDeclaration::ImportDeclaration(import) = declaration else { continue };
        for listed in import.specifiers.iter().flatten() {
            let (name, local) = match listed {
                Listed::ImportSpecifier(named) => (named.imported.name().to_string(), &named.local),
                Listed::ImportDefaultSpecifier(default) => ("default".to_owned(), &default.local),
                Listed::ImportNamespaceSpecifier(whole) => ("*".to_owned(), &whole.local),
            };
            found.push((import.source.value.to_string(), name, local.name.to_string()));
        }
    }
    found
}

/// Returns the names of other files that a block of imports and exports refers to.
pub(crate) fn taken(source: &str) -> Vec<Taken> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, source, source_type()).parse();
    let mut found = Vec::new();
    for declaration in parsed.program.body.iter().filter_map(Statement::as_module_declaration) {
        let Some(specifier) = declaration.source().map(|source| source.value.as_str()) else { continue };
        let mut add = |name: &oxc_ast::ast::ModuleExportName<'_>, other: Span, is_import: bool| {
            found.push(Taken {
                specifier: specifier.to_owned(),
                name: name.name().to_string(),
                span: to_range(name.span()),
                is_shorthand: name.span() == other,
                is_import,
            });
        };
        match declaration {
            ModuleDeclaration::ImportDeclaration(import) => {
                for listed in import.specifiers.iter().flatten() {
                    if let oxc_ast::ast::ImportDeclarationSpecifier::ImportSpecifier(named) = listed {
                        add(&named.imported, named.local.span, true);
                    }
                }
            }
            ModuleDeclaration::ExportNamedDeclaration(export) => {
                export.specifiers.iter().for_each(|listed| add(&listed.local, listed.exported.span(), false));
            }
            _ => {}
        }
    }
    found
}

fn module_of(declaration: &ModuleDeclaration<'_>) -> Module {
    let is_import = matches!(declaration, ModuleDeclaration::ImportDeclaration(_));
    let mut names: Vec<(String, String)> = Vec::new();
    let mut name = None;
    match declaration {
        ModuleDeclaration::ImportDeclaration(import) => {
            use oxc_ast::ast::ImportDeclarationSpecifier as Specifier;
            for specifier in import.specifiers.iter().flatten() {
                let outside = match specifier {
                    Specifier::ImportSpecifier(specifier) => specifier.imported.name().to_string(),
                    Specifier::ImportDefaultSpecifier(_) => "default".to_owned(),
                    Specifier::ImportNamespaceSpecifier(_) => "*".to_owned(),
                };
                names.push((outside, specifier.name().to_string()));
            }
        }
        ModuleDeclaration::ExportAllDeclaration(export) => {
            name = export.exported.as_ref().map(|exported| exported.span());
            names.push(("*".to_owned(), String::new()));
        }
        ModuleDeclaration::ExportNamedDeclaration(export) => {
            let first = export.specifiers.first().map(|specifier| specifier.exported.span());
            name = first.or(export.declaration.as_ref().and_then(declared_name));
            if export.source.is_some() {
                names.extend(export.specifiers.iter().map(|s| (s.local.name().to_string(), String::new())));
            }
        }
        _ => {}
    }
    Module {
        range: to_range(declaration.span()),
        is_import,
        specifier: declaration
            .source()
            .map(|source| to_range(source.span))
            .map(|quoted| quoted.start + 1..quoted.end - 1),
        name: name.map(to_range),
        names,
    }
}

/// Returns the first name that a declaration declares.
fn declared_name(declaration: &Declaration<'_>) -> Option<Span> {
    match declaration {
        Declaration::VariableDeclaration(variables) => match &variables.declarations.first()?.id {
            BindingPattern::BindingIdentifier(name) => Some(name.span),
            pattern => pattern.get_binding_identifiers().first().map(|name| name.span),
        },
        Declaration::FunctionDeclaration(function) => function.id.as_ref().map(|name| name.span),
        Declaration::ClassDeclaration(class) => class.id.as_ref().map(|name| name.span),
        _ => None,
    }
}

fn source_type() -> SourceType {
    SourceType::mjs().with_jsx(true)
}

fn to_range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

/// Converts an error in a source to which `before` bytes were prepended.
fn to_script_error(problem: &OxcDiagnostic, before: usize, length: usize) -> Wrong {
    let label = problem.labels.as_ref().and_then(|labels| labels.first());
    let at = label.map_or(0, |label| label.offset()).saturating_sub(before);
    (at.min(length), message_fragment(&problem.message))
}

/// Converts a message to a fragment: without an initial capital and a final period.
pub(crate) fn message_fragment(message: &str) -> String {
    let message = message.trim_end_matches('.');
    let mut chars = message.chars();
    match chars.next() {
        Some(first) if !chars.as_str().starts_with(char::is_uppercase) => first.to_lowercase().chain(chars).collect(),
        _ => message.to_owned(),
    }
}
