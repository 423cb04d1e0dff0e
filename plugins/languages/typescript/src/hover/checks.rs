//! Diagnostics beyond syntax that are certain without type checking: imports of missing exports, unused imports and
//! declarations, undeclared names.

use marquetry_sdk::{Area, Condition, Diagnostic, SemanticDiagnostic, SemanticDiagnostics, Severity, SharedName, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;
use oxc_span::GetSpan;

use crate::TypeScriptDocument;
use crate::imports::unused;
use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::program::ResolvedModule;
use crate::program::exports::export_name;
use crate::program::ids::{ModuleRef, OPEN_DOCUMENT};
use crate::program::module::Module;
use crate::semantics::facts::SCRIPT_NAMESPACE;
use crate::semantics::with_checker;
use crate::syntax::spans::to_sdk_span;
use crate::syntax::tree::Parsed;

/// Globals of test runners and bundlers, which no file of the workspace declares.
const TEST_AND_BUNDLER_GLOBALS: [&str; 34] = [
    "__DEV__",
    "__dirname",
    "__filename",
    "after",
    "afterAll",
    "afterEach",
    "assert",
    "before",
    "beforeAll",
    "beforeEach",
    "chai",
    "context",
    "cy",
    "Cypress",
    "define",
    "describe",
    "exports",
    "expect",
    "expectTypeOf",
    "fail",
    "it",
    "jasmine",
    "jest",
    "module",
    "page",
    "require",
    "setup",
    "spyOn",
    "suite",
    "teardown",
    "test",
    "vi",
    "vitest",
    "xit",
];

/// Globals that web pages, extensions and other hosts provide to scripts and modules.
const HOST_GLOBALS: [&str; 25] = [
    "$",
    "App",
    "Component",
    "GM_info",
    "JSX",
    "Java",
    "Page",
    "React",
    "THREE",
    "Vue",
    "_",
    "angular",
    "browser",
    "chrome",
    "d3",
    "dataLayer",
    "ga",
    "gapi",
    "google",
    "gtag",
    "jQuery",
    "ko",
    "uni",
    "wx",
    "unsafeWindow",
];

pub(super) fn semantic_checks(document: &TypeScriptDocument) -> SemanticDiagnostics {
    let tree = &document.tree;
    let of_text = tree.with(|parsed| {
        // A text with syntax errors may use names that the parser does not report.
        if parsed.repaired || parsed.is_component || parsed.too_deep.is_some() || !parsed.errors.is_empty() {
            return None;
        }
        let mut found = Vec::new();
        for (name, span) in unused::unused_imports(parsed, tree.path(), tree.text()) {
            let problem =
                problem(Severity::Hint, span, format!("`{name}` is imported but never used"), "unused-import");
            let finding = SemanticDiagnostic::certain(Area::Links, problem);
            found.push(finding.fixed_by("remove_unused_imports", &[("symbol", &name)]));
        }
        report_undeclared(parsed, &mut found);
        Some(found)
    });
    let Some(mut found) = of_text else { return SemanticDiagnostics { checked: Vec::new(), diagnostics: Vec::new() } };
    with_checker(document, |checker| {
        let here = checker.open_module();
        report_unused(&here, &mut found);
        report_missing_exports(checker, &here, &mut found);
    });
    found.sort_by_key(|finding| finding.diagnostic.span.start);
    SemanticDiagnostics { checked: vec![Area::Links, Area::Names], diagnostics: found }
}

fn problem(severity: Severity, span: Span, message: String, code: &str) -> Diagnostic {
    Diagnostic { severity, span, message, code: Some(code.to_owned()) }
}

/// Reports names that neither this file, the platform nor a global script declares. If a file of the workspace exports
/// the name, the diagnostic says so. Other undeclared names are only reported in modules, because web pages can declare
/// names for scripts.
fn report_undeclared(parsed: &Parsed<'_>, found: &mut Vec<SemanticDiagnostic>) {
    let semantic = parsed.semantic();
    let (scoping, text) = (semantic.scoping(), parsed.program.source_text);
    let comments = parsed.program.comments.iter().map(|comment| comment.content_span().source_text(text));
    let globals: Vec<&str> = comments.filter(|comment| comment.trim_start().starts_with("global")).collect();
    let is_module = parsed.program.body.iter().any(Statement::is_module_declaration)
        || ["module", "exports", "require"]
            .iter()
            .any(|name| scoping.root_unresolved_references().contains_key(&Ident::from(*name)));
    let is_declared_global = |name: &str| globals.iter().any(|comment| comment.contains(name));
    for (name, references) in scoping.root_unresolved_references() {
        let name = name.as_str();
        if builtins::is_platform_name(name) || TEST_AND_BUNDLER_GLOBALS.contains(&name) || is_declared_global(name) {
            continue;
        }
        let tested = references.iter().any(|id| {
            let around = semantic.nodes().parent_kind(scoping.get_reference(*id).node_id());
            matches!(around, AstKind::UnaryExpression(unary) if unary.operator == UnaryOperator::Typeof)
        });
        if tested {
            continue;
        }
        for id in references {
            let span = to_sdk_span(semantic.reference_span(scoping.get_reference(*id)));
            let message = format!("`{name}` is not declared; a file of the workspace exports it");
            let shared = SharedName { namespace: SCRIPT_NAMESPACE.to_owned(), name: name.to_owned() };
            let only_if = vec![Condition::DeclaredNowhere(shared), Condition::Exported(name.to_owned())];
            let problem = problem(Severity::Error, span, message, "undeclared");
            let finding = SemanticDiagnostic { only_if, ..SemanticDiagnostic::certain(Area::Names, problem) };
            found.push(finding.fixed_by("add_import", &[("symbol", name)]));
            if is_module && !HOST_GLOBALS.contains(&name) {
                let shared = SharedName { namespace: SCRIPT_NAMESPACE.to_owned(), name: name.to_owned() };
                let problem = self::problem(Severity::Error, span, format!("`{name}` is not declared"), "undeclared");
                let only_if = vec![Condition::DeclaredNowhere(shared)];
                found.push(SemanticDiagnostic { only_if, ..SemanticDiagnostic::certain(Area::Names, problem) });
            }
        }
    }
}

/// Reports variables, functions, classes and types of a module that are neither used nor exported.
fn report_unused(here: &Module<'_>, found: &mut Vec<SemanticDiagnostic>) {
    let scoping = here.scoping();
    if !here.is_module() || here.path.ends_with(".d.ts") || looks_up_names_dynamically(here) {
        return;
    }
    for symbol in scoping.symbol_ids() {
        let name = scoping.symbol_name(symbol);
        let is_used = !scoping.get_resolved_reference_ids(symbol).is_empty();
        if is_used || name.starts_with('_') || !is_declared_alone(here, symbol) || is_named_in_docs(here, name) {
            continue;
        }
        let span = to_sdk_span(scoping.symbol_span(symbol));
        let message = format!("`{name}` is declared but never used");
        found.push(SemanticDiagnostic::certain(Area::Names, problem(Severity::Hint, span, message, "unused")));
    }
}

/// Returns whether code looks up names by their text.
fn looks_up_names_dynamically(here: &Module<'_>) -> bool {
    let free = here.scoping().root_unresolved_references();
    free.contains_key(&Ident::from("eval")) || here.text().contains("with (")
}

/// Returns whether a symbol has a single declaration, in a statement that declares nothing else and is not an export.
fn is_declared_alone(here: &Module<'_>, symbol: SymbolId) -> bool {
    let declarations = here.declarations(symbol);
    let [node] = declarations[..] else { return false };
    let own = match here.kind(node) {
        AstKind::VariableDeclarator(variable) => {
            variable.id.is_binding_identifier()
                && matches!(here.parent_kind(node), AstKind::VariableDeclaration(list) if !list.declare)
                // Variables of loops and of `using` declarations are needed even if nothing reads them.
                && matches!(here.parent_kind(node), AstKind::VariableDeclaration(list) if !list.kind.is_using())
                && !matches!(
                    here.parent_kind(here.parent(node)),
                    AstKind::ForInStatement(_) | AstKind::ForOfStatement(_) | AstKind::ForStatement(_)
                )
        }
        AstKind::Function(function) => function.is_function_declaration() && !function.declare,
        AstKind::Class(class) => class.is_declaration() && !class.declare && class.decorators.is_empty(),
        AstKind::TSInterfaceDeclaration(interface) => !interface.declare,
        AstKind::TSTypeAliasDeclaration(alias) => !alias.declare,
        _ => false,
    };
    let exported = here.self_and_ancestors(node).skip(1).take(3).any(|around| {
        matches!(
            here.kind(around),
            AstKind::ExportDeclaration(_)
                | AstKind::ExportDefaultDeclaration(_)
                | AstKind::TSModuleBlock(_)
                | AstKind::TSGlobalDeclaration(_)
        )
    });
    own && !exported
}

/// Returns whether a comment contains the name. JSDoc can use types and values, but the parser does not report these
/// uses as references.
fn is_named_in_docs(here: &Module<'_>, name: &str) -> bool {
    let text = here.text();
    here.program.comments.iter().any(|comment| comment.span.source_text(text).contains(name))
}

/// Reports names imported from a module of the workspace that does not export them.
fn report_missing_exports<'w>(checker: &Checker<'w>, here: &Module<'w>, found: &mut Vec<SemanticDiagnostic>) {
    for statement in &here.program.body {
        let (source, names): (_, Vec<(&str, oxc_span::Span)>) = match statement {
            Statement::ImportDeclaration(import) => {
                let named = import.specifiers.iter().flatten().filter_map(|specifier| match specifier {
                    ImportDeclarationSpecifier::ImportSpecifier(named) => {
                        Some((export_name(&named.imported), named.imported.span()))
                    }
                    _ => None,
                });
                (&import.source, named.collect())
            }
            Statement::ExportFromDeclaration(export) => {
                let named = export.specifiers.iter().map(|listed| (export_name(&listed.local), listed.local.span()));
                (&export.source, named.collect())
            }
            _ => continue,
        };
        let Some(specifier) = source.value.as_str() else { continue };
        let ResolvedModule::Module(module) = checker.resolve_module(OPEN_DOCUMENT, specifier) else { continue };
        if !has_known_exports(checker, module) {
            continue;
        }
        for (name, span) in names.into_iter().filter(|(name, _)| *name != "default") {
            if checker.exported_props(module, name).is_absent() {
                let message = format!("`{specifier}` does not export `{name}`");
                found.push(SemanticDiagnostic::certain(
                    Area::Links,
                    problem(Severity::Error, to_sdk_span(span), message, "not-exported"),
                ));
            }
        }
    }
}

/// Returns whether all exports of a module are known. Those of a CommonJS module are not, because they are assigned at
/// run time.
fn has_known_exports(checker: &Checker<'_>, of: ModuleRef) -> bool {
    let loaded = checker.module(of.module);
    let exports = checker.exports(of);
    let free = loaded.scoping().root_unresolved_references();
    let is_common = ["module", "exports", "require"].iter().any(|name| free.contains_key(&Ident::from(*name)));
    let is_module = loaded.program.body.iter().any(|statement| statement.is_module_declaration());
    of.block.is_none() && exports.export_equals.is_none() && is_module && !is_common
}
