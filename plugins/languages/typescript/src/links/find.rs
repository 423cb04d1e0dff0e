//! Finding the links of a program.

use marquetry_sdk::{Link, Span};
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;

use crate::imports::model::declaration_bindings;
use crate::links::link_parts::{build_link, span_inside_quotes};
use crate::links::{comments, node_paths, patterns, possible_paths};
use crate::program::commonjs;
use crate::program::resolution::GLOB;
use crate::program::unparsed::unparsed_specifiers;
use crate::syntax::module_calls::call_kind;
use crate::syntax::spans::to_sdk_span;

/// A link, and what can be removed with it.
pub(crate) struct Found {
    pub(crate) link: Link,
    /// The statement or comment to remove. `None` if surrounding code uses the link's value.
    pub(crate) removal: Option<Span>,
}

/// Returns all links of a document, in document order. The parsed text is longer than the document if the parser
/// repaired it.
pub(crate) fn find_links(program: &Program<'_>, document: &str) -> Vec<Found> {
    let end = document.len();
    let is_module = program.body.iter().any(Statement::is_module_declaration);
    let mut finder = LinkFinder {
        found: Vec::new(),
        statement: None,
        removable: None,
        has_bodies: false,
        is_module,
        destructured: None,
    };
    finder.visit_program(program);
    let mut found = finder.found;
    found.extend(
        comments::triple_slash_references(program)
            .into_iter()
            .map(|link| Found { removal: Some(link.statement), link }),
    );
    found.extend(comments::jsdoc_imports(program).into_iter().map(|link| Found { link, removal: None }));
    found.extend(patterns::find_patterns(program).into_iter().map(|pattern| Found {
        link: build_link(GLOB, pattern.folder, &pattern.specifier, pattern.text, Vec::new(), false),
        removal: None,
    }));
    for links in [node_paths::find_joined_paths(program), possible_paths::find_possible_paths(program)] {
        let is_new = |link: &Link| {
            let overlaps =
                |known: &Found| known.link.span.start < link.span.end && link.span.start < known.link.span.end;
            link.span.end as usize <= end && !found.iter().any(overlaps)
        };
        let new: Vec<Link> = links.into_iter().filter(is_new).collect();
        found.extend(new.into_iter().map(|link| Found { link, removal: None }));
    }
    let is_known = |span: oxc_span::Span| found.iter().any(|known| known.link.span == to_sdk_span(span));
    let mut unparsed = unparsed_specifiers(document, program.source_text);
    unparsed.retain(|one| !is_known(one.span));
    found.extend(unparsed.into_iter().map(|one| {
        let (span, names) = (to_sdk_span(one.span), namespace_name());
        Found { link: build_link(one.kind, span, one.specifier, span, names, false), removal: None }
    }));
    let end = end as u32;
    for found in &mut found {
        found.link.statement.end = found.link.statement.end.min(end);
        found.removal = found.removal.map(|removal| Span { end: removal.end.min(end), ..removal });
    }
    found.sort_by_key(|found| (found.link.span.start, found.link.span.end));
    found
}

struct LinkFinder {
    found: Vec<Found>,
    /// The innermost statement around the current node.
    statement: Option<Span>,
    /// The call that this statement consists of.
    removable: Option<oxc_span::Span>,
    /// True in a statement whose bodies need not be blocks: `if (a) require("b")`.
    has_bodies: bool,
    /// True if the file imports or exports something.
    is_module: bool,
    /// The call that initializes a variable, and the names that the variable's pattern destructures from it.
    destructured: Option<(oxc_span::Span, Vec<String>)>,
}

/// Returns span and value of a string or of a template without substitutions.
fn constant_string(expression: &Expression<'_>) -> Option<(Span, String)> {
    match expression {
        Expression::StringLiteral(literal) => {
            Some((span_inside_quotes(literal.span), literal.value.as_str()?.to_owned()))
        }
        Expression::TemplateLiteral(template) if template.expressions.is_empty() => {
            let cooked = template.quasis.first()?.value.cooked?;
            Some((span_inside_quotes(template.span), cooked.as_str()?.to_owned()))
        }
        Expression::ParenthesizedExpression(inside) => constant_string(&inside.expression),
        _ => None,
    }
}

/// Returns the call that a statement consists of: alone, awaited, or as the initializer of its only variable.
fn only_call_of(statement: &Statement<'_>) -> Option<oxc_span::Span> {
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

impl LinkFinder {
    fn removable_span(&self, span: oxc_span::Span) -> Span {
        self.statement.unwrap_or(to_sdk_span(span))
    }

    /// Adds a link with a statement that can be removed with it.
    fn add_removable(
        &mut self,
        kind: &str,
        literal: &StringLiteral<'_>,
        statement: Span,
        names: Vec<String>,
        types: bool,
    ) {
        if let Some(specifier) = literal.value.as_str() {
            let link = build_link(kind, span_inside_quotes(literal.span), specifier, statement, names, types);
            self.found.push(Found { link, removal: Some(statement) });
        }
    }

    fn add_call(&mut self, call: &CallExpression<'_>) {
        let Some((span, specifier)) =
            call.arguments.first().and_then(Argument::as_expression).and_then(constant_string)
        else {
            return;
        };
        let Some(kind) = call_kind(&call.callee) else { return };
        let names = match (kind, &self.destructured) {
            ("require", Some((taken, names))) if *taken == call.span => names.clone(),
            ("require", _) => namespace_name(),
            _ => Vec::new(),
        };
        let statement = self.removable_span(call.span);
        let goes = self.removable == Some(call.span) && matches!(kind, "require" | "mock");
        let link = build_link(kind, span, &specifier, statement, names, false);
        self.found.push(Found { link, removal: goes.then_some(statement) });
    }

    /// Adds a link that cannot be removed, because its value is used.
    fn add_permanent(&mut self, link: Link) {
        self.found.push(Found { link, removal: None });
    }
}

fn export_name(name: &ModuleExportName<'_>) -> String {
    name.name().to_string()
}

fn namespace_name() -> Vec<String> {
    vec!["*".to_owned()]
}

impl<'a> Visit<'a> for LinkFinder {
    fn visit_statement(&mut self, statement: &Statement<'a>) {
        let outer = (self.statement, self.removable, self.has_bodies);
        self.statement = Some(to_sdk_span(statement.span()));
        // Without its body, a condition would apply to the next statement.
        self.removable = only_call_of(statement).filter(|_| !self.has_bodies);
        self.has_bodies = matches!(
            statement,
            Statement::IfStatement(_)
                | Statement::ForStatement(_)
                | Statement::ForInStatement(_)
                | Statement::ForOfStatement(_)
                | Statement::WhileStatement(_)
                | Statement::DoWhileStatement(_)
                | Statement::LabeledStatement(_)
                | Statement::WithStatement(_)
        );
        walk::walk_statement(self, statement);
        (self.statement, self.removable, self.has_bodies) = outer;
    }

    fn visit_function_body(&mut self, body: &FunctionBody<'a>) {
        let outer = std::mem::replace(&mut self.has_bodies, false);
        walk::walk_function_body(self, body);
        self.has_bodies = outer;
    }

    fn visit_variable_declarator(&mut self, variable: &VariableDeclarator<'a>) {
        let outer = self.destructured.take();
        if let Some(Expression::CallExpression(call)) = &variable.init {
            self.destructured = Some((call.span, commonjs::destructured_names(&variable.id)));
        }
        walk::walk_variable_declarator(self, variable);
        self.destructured = outer;
    }

    fn visit_import_declaration(&mut self, import: &ImportDeclaration<'a>) {
        let names = declaration_bindings(import).into_iter().map(|binding| binding.name.into_owned()).collect();
        self.add_removable("import", &import.source, to_sdk_span(import.span), names, import.import_kind.is_type());
    }

    fn visit_export_all_declaration(&mut self, export: &ExportAllDeclaration<'a>) {
        self.add_removable(
            "export-from",
            &export.source,
            to_sdk_span(export.span),
            namespace_name(),
            export.export_kind.is_type(),
        );
    }

    fn visit_export_from_declaration(&mut self, export: &ExportFromDeclaration<'a>) {
        let names = export.specifiers.iter().map(|specifier| export_name(&specifier.local)).collect();
        self.add_removable(
            "export-from",
            &export.source,
            to_sdk_span(export.span),
            names,
            export.export_kind.is_type(),
        );
    }

    fn visit_ts_import_equals_declaration(&mut self, import: &TSImportEqualsDeclaration<'a>) {
        if let TSModuleReference::ExternalModuleReference(reference) = &import.module_reference {
            let statement = self.removable_span(import.span);
            self.add_removable(
                "import",
                &reference.expression,
                statement,
                namespace_name(),
                import.import_kind.is_type(),
            );
        }
    }

    fn visit_ts_external_module_declaration(&mut self, module: &TSExternalModuleDeclaration<'a>) {
        // In a module, `declare module "x"` augments that module; elsewhere it declares an ambient module.
        if self.is_module || module.id.value.as_str().is_some_and(crate::program::resolution::paths::is_relative) {
            self.add_removable("augmentation", &module.id, to_sdk_span(module.span), Vec::new(), true);
        }
        walk::walk_ts_external_module_declaration(self, module);
    }

    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        if let Some((span, specifier)) = constant_string(&import.source) {
            self.add_permanent(build_link(
                "dynamic-import",
                span,
                &specifier,
                self.removable_span(import.span),
                namespace_name(),
                false,
            ));
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
            _ => namespace_name(),
        };
        if let Some(specifier) = import.source.value.as_str() {
            let statement = self.removable_span(import.span);
            self.add_permanent(build_link(
                "type-import",
                span_inside_quotes(import.source.span),
                specifier,
                statement,
                names,
                true,
            ));
        }
        walk::walk_ts_import_type(self, import);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        self.add_call(call);
        walk::walk_call_expression(self, call);
    }

    fn visit_new_expression(&mut self, new: &NewExpression<'a>) {
        let is_url = matches!(&new.callee, Expression::Identifier(name) if name.name == "URL");
        let here = new.arguments.get(1).and_then(Argument::as_expression);
        if is_url
            && is_import_meta_url(here)
            && let Some((span, specifier)) =
                new.arguments.first().and_then(Argument::as_expression).and_then(constant_string)
        {
            self.add_permanent(build_link("url", span, &specifier, self.removable_span(new.span), Vec::new(), false));
        }
        walk::walk_new_expression(self, new);
    }
}

fn is_import_meta_url(expression: Option<&Expression<'_>>) -> bool {
    matches!(expression, Some(Expression::StaticMemberExpression(member))
        if member.property.name == "url" && matches!(member.object, Expression::ImportMeta(_)))
}
