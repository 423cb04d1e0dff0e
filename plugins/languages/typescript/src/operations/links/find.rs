//! Finding the links of a program.

use marquetry_sdk::{Link, Span};
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;

use crate::imports::model::bindings;
use crate::operations::links::parts::{inner, link, whole};
use crate::operations::links::{comments, node_paths, patterns, possible};
use crate::program::commonjs;
use crate::program::resolution::GLOB;
use crate::syntax::module_calls::call_kind;

/// A link, and what can be removed with it.
pub(crate) struct Found {
    pub(crate) link: Link,
    /// The statement or comment to remove. `None` if surrounding code uses the link's value.
    pub(crate) removal: Option<Span>,
}

/// Returns all links of a program, in document order. The document ends at `end`: a repaired text may be longer.
pub(crate) fn links(program: &Program<'_>, end: usize) -> Vec<Found> {
    let is_module = program.body.iter().any(Statement::is_module_declaration);
    let mut finder = Finder { found: Vec::new(), statement: None, removable: None, is_module, taken: None };
    finder.visit_program(program);
    let mut found = finder.found;
    found.extend(comments::references(program).into_iter().map(|link| Found { removal: Some(link.statement), link }));
    found.extend(comments::imports(program).into_iter().map(|link| Found { link, removal: None }));
    found.extend(patterns::patterns(program).into_iter().map(|pattern| Found {
        link: link(GLOB, pattern.folder, &pattern.specifier, pattern.text, Vec::new(), false),
        removal: None,
    }));
    found.extend(node_paths::links(program).into_iter().map(|link| Found { link, removal: None }));
    let is_new =
        |link: &Link| link.span.end as usize <= end && !found.iter().any(|known: &Found| known.link.span == link.span);
    let possible: Vec<Link> = possible::links(program).into_iter().filter(is_new).collect();
    found.extend(possible.into_iter().map(|link| Found { link, removal: None }));
    let end = end as u32;
    for found in &mut found {
        found.link.statement.end = found.link.statement.end.min(end);
        found.removal = found.removal.map(|removal| Span { end: removal.end.min(end), ..removal });
    }
    found.sort_by_key(|found| (found.link.span.start, found.link.span.end));
    found
}

struct Finder {
    found: Vec<Found>,
    /// The innermost statement around the current node.
    statement: Option<Span>,
    /// The call that this statement consists of.
    removable: Option<oxc_span::Span>,
    /// True if the file imports or exports something.
    is_module: bool,
    /// The call that initializes a variable, and the names that the variable's pattern destructures from it.
    taken: Option<(oxc_span::Span, Vec<String>)>,
}

/// Returns span and value of a string or of a template without substitutions.
fn fixed_text(expression: &Expression<'_>) -> Option<(Span, String)> {
    match expression {
        Expression::StringLiteral(literal) => Some((inner(literal.span), literal.value.as_str()?.to_owned())),
        Expression::TemplateLiteral(template) if template.expressions.is_empty() => {
            let cooked = template.quasis.first()?.value.cooked?;
            Some((inner(template.span), cooked.as_str()?.to_owned()))
        }
        Expression::ParenthesizedExpression(inside) => fixed_text(&inside.expression),
        _ => None,
    }
}

/// Returns the call that a statement consists of: alone, awaited, or as the initializer of its only variable.
fn only_call(statement: &Statement<'_>) -> Option<oxc_span::Span> {
    let mut expression = match statement {
        Statement::ExpressionStatement(statement) => &statement.expression,
        Statement::VariableDeclaration(variables) => match variables.declarations.as_slice() {
            [only] => only.init.as_ref()?,
            _ => return None,
        },
        _ => return None,
    };
    loop {
        expression = match expression {
            Expression::AwaitExpression(awaited) => &awaited.argument,
            Expression::ParenthesizedExpression(inside) => &inside.expression,
            Expression::TSAsExpression(cast) => &cast.expression,
            Expression::StaticMemberExpression(member) => &member.object,
            Expression::CallExpression(call) => return Some(call.span),
            _ => return None,
        }
    }
}

impl Finder {
    fn statement(&self, span: oxc_span::Span) -> Span {
        self.statement.unwrap_or(whole(span))
    }

    /// Adds a link with a statement that can be removed with it.
    fn declare(&mut self, kind: &str, literal: &StringLiteral<'_>, statement: Span, names: Vec<String>, types: bool) {
        if let Some(specifier) = literal.value.as_str() {
            let link = link(kind, inner(literal.span), specifier, statement, names, types);
            self.found.push(Found { link, removal: Some(statement) });
        }
    }

    fn call(&mut self, call: &CallExpression<'_>) {
        let Some((span, specifier)) = call.arguments.first().and_then(Argument::as_expression).and_then(fixed_text)
        else {
            return;
        };
        let Some(kind) = call_kind(&call.callee) else { return };
        let names = match (kind, &self.taken) {
            ("require", Some((taken, names))) if *taken == call.span => names.clone(),
            ("require", _) => all(),
            _ => Vec::new(),
        };
        let statement = self.statement(call.span);
        let goes = self.removable == Some(call.span) && matches!(kind, "require" | "mock");
        let link = link(kind, span, &specifier, statement, names, false);
        self.found.push(Found { link, removal: goes.then_some(statement) });
    }

    /// Adds a link that cannot be removed, because its value is used.
    fn keep(&mut self, link: Link) {
        self.found.push(Found { link, removal: None });
    }
}

fn export_name(name: &ModuleExportName<'_>) -> String {
    name.name().to_string()
}

fn all() -> Vec<String> {
    vec!["*".to_owned()]
}

impl<'a> Visit<'a> for Finder {
    fn visit_statement(&mut self, statement: &Statement<'a>) {
        let outer = (self.statement, self.removable);
        self.statement = Some(whole(statement.span()));
        self.removable = only_call(statement);
        walk::walk_statement(self, statement);
        (self.statement, self.removable) = outer;
    }

    fn visit_variable_declarator(&mut self, variable: &VariableDeclarator<'a>) {
        let outer = self.taken.take();
        if let Some(Expression::CallExpression(call)) = &variable.init {
            self.taken = Some((call.span, commonjs::names_taken(&variable.id)));
        }
        walk::walk_variable_declarator(self, variable);
        self.taken = outer;
    }

    fn visit_import_declaration(&mut self, import: &ImportDeclaration<'a>) {
        let names = bindings(import).into_iter().map(|binding| binding.name.into_owned()).collect();
        self.declare("import", &import.source, whole(import.span), names, import.import_kind.is_type());
    }

    fn visit_export_all_declaration(&mut self, export: &ExportAllDeclaration<'a>) {
        self.declare("export-from", &export.source, whole(export.span), all(), export.export_kind.is_type());
    }

    fn visit_export_from_declaration(&mut self, export: &ExportFromDeclaration<'a>) {
        let names = export.specifiers.iter().map(|specifier| export_name(&specifier.local)).collect();
        self.declare("export-from", &export.source, whole(export.span), names, export.export_kind.is_type());
    }

    fn visit_ts_import_equals_declaration(&mut self, import: &TSImportEqualsDeclaration<'a>) {
        if let TSModuleReference::ExternalModuleReference(reference) = &import.module_reference {
            let statement = self.statement(import.span);
            self.declare("import", &reference.expression, statement, all(), import.import_kind.is_type());
        }
    }

    fn visit_ts_external_module_declaration(&mut self, module: &TSExternalModuleDeclaration<'a>) {
        // In a module, `declare module "x"` augments that module; elsewhere it declares an ambient module.
        if self.is_module || module.id.value.as_str().is_some_and(crate::program::resolution::paths::is_relative) {
            self.declare("augmentation", &module.id, whole(module.span), Vec::new(), true);
        }
        walk::walk_ts_external_module_declaration(self, module);
    }

    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        if let Some((span, specifier)) = fixed_text(&import.source) {
            self.keep(link("dynamic-import", span, &specifier, self.statement(import.span), all(), false));
        }
        walk::walk_import_expression(self, import);
    }

    fn visit_ts_import_type(&mut self, import: &TSImportType<'a>) {
        let mut first = import.qualifier.as_ref();
        while let Some(TSImportTypeQualifier::QualifiedName(name)) = first {
            first = Some(&name.left);
        }
        let names = match first {
            Some(TSImportTypeQualifier::Identifier(name)) => vec![name.name.to_string()],
            _ => all(),
        };
        if let Some(specifier) = import.source.value.as_str() {
            let statement = self.statement(import.span);
            self.keep(link("type-import", inner(import.source.span), specifier, statement, names, true));
        }
        walk::walk_ts_import_type(self, import);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        self.call(call);
        walk::walk_call_expression(self, call);
    }

    fn visit_new_expression(&mut self, new: &NewExpression<'a>) {
        let is_url = matches!(&new.callee, Expression::Identifier(name) if name.name == "URL");
        let here = new.arguments.get(1).and_then(Argument::as_expression);
        if is_url
            && is_import_meta_url(here)
            && let Some((span, specifier)) =
                new.arguments.first().and_then(Argument::as_expression).and_then(fixed_text)
        {
            self.keep(link("url", span, &specifier, self.statement(new.span), Vec::new(), false));
        }
        walk::walk_new_expression(self, new);
    }
}

fn is_import_meta_url(expression: Option<&Expression<'_>>) -> bool {
    matches!(expression, Some(Expression::StaticMemberExpression(member))
        if member.property.name == "url" && matches!(member.object, Expression::ImportMeta(_)))
}
