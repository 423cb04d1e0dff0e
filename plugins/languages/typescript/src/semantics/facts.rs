//! Exports and imports of a file, and the global names it shares with scripts.

use marquetry_sdk::{ExportedName, ImportedName, InterfaceFacts, SharedName, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;
use oxc_span::GetSpan;

use crate::imports::model::declaration_bindings;
use crate::infer::checker::Checker;
use crate::program::comment_names::{CommentNameKind, comment_names};
use crate::program::commonjs;
use crate::program::exports::{Export, declared_names, default_symbol, export_name};
use crate::program::ids::{ModuleRef, OPEN_DOCUMENT};
use crate::program::module::Module;
use crate::program::resolution::paths;
use crate::rename::whole_symbol;
use crate::syntax::module_calls::call_kind;
use crate::syntax::spans::to_sdk_span;

/// Returns exports, imports and shared names of the open document.
pub(crate) fn interface_facts(checker: &Checker<'_>) -> InterfaceFacts {
    let here = checker.open_module();
    InterfaceFacts {
        exports: exported_names(checker, &here),
        imports: imported_names(&here),
        shared: script_visible_names(&here).into_iter().map(script_name).chain(ambient_modules(&here)).collect(),
        free: undeclared_names(&here).into_iter().map(script_name).collect(),
    }
}

/// Namespace of the globals of scripts.
pub(crate) const SCRIPT_NAMESPACE: &str = "script";
/// Namespace of ambient modules. A file that imports such a module can use declarations of it in other files.
const MODULE_NAMESPACE: &str = "module";

fn script_name(name: String) -> SharedName {
    SharedName { namespace: SCRIPT_NAMESPACE.to_owned(), name }
}

fn exported_names(checker: &Checker<'_>, here: &Module<'_>) -> Vec<ExportedName> {
    let exports = checker.exports(ModuleRef { module: OPEN_DOCUMENT, block: None });
    let mut found = Vec::new();
    for (name, all) in &exports.named {
        let Some(export) = all.first() else { continue };
        let word = |at: u32| name_span(here.text(), at, name);
        let (local, place, kind) = match export {
            Export::Declared(symbol) => (Some(*symbol), to_sdk_span(here.scoping().symbol_span(*symbol)), None),
            Export::Listed { at, symbol } => (*symbol, word(*at), None),
            Export::From { .. } | Export::Space { .. } => continue,
            Export::Default(export) => match default_symbol(export) {
                Some(symbol) => (Some(symbol), to_sdk_span(here.scoping().symbol_span(symbol)), None),
                None => (default_name(checker, export), to_sdk_span(export.declaration.span()), Some("expression")),
            },
            Export::Assigned { at, value } => (commonjs_export_symbol(checker, *value), word(*at), Some("property")),
        };
        found.push(ExportedName {
            name: (*name).to_owned(),
            local: local.map(|symbol| here.scoping().symbol_name(symbol).to_owned()),
            span: place,
            kind: kind
                .map_or_else(|| local.map_or("value", |symbol| symbol_kind(here, symbol)), |kind| kind)
                .to_owned(),
            type_only: local.is_some_and(|symbol| !here.scoping().symbol_flags(symbol).can_be_referenced_by_value()),
        });
    }
    if let Some(whole) = exports.export_equals {
        let symbol = whole_symbol(checker, whole);
        let local = symbol.map(|symbol| here.scoping().symbol_name(symbol).to_owned());
        found.push(ExportedName {
            name: "default".to_owned(),
            local,
            span: to_sdk_span(whole.span()),
            kind: "expression".to_owned(),
            type_only: false,
        });
        if let Some(symbol) = symbol {
            add_namespace_members(here, symbol, &mut found);
        }
    }
    if here.is_module() {
        found.extend(types_in_comments(here).map(|(name, span)| ExportedName {
            name: name.to_owned(),
            local: None,
            span: to_sdk_span(span),
            kind: "type".to_owned(),
            type_only: true,
        }));
    }
    found.sort_by_key(|export| (export.span.start, export.name.clone()));
    found
}

/// Returns the types that JSDoc comments of a JavaScript file declare.
fn types_in_comments<'w>(here: &Module<'w>) -> impl Iterator<Item = (&'w str, oxc_span::Span)> {
    let text = here.text();
    let types = comment_names(here).into_iter().filter(|declared| declared.kind == CommentNameKind::Type);
    types.map(move |declared| (declared.span.source_text(text), declared.span))
}

/// Adds the members of a namespace that is exported as a whole: `namespace A { … } export = A`.
fn add_namespace_members(here: &Module<'_>, whole: SymbolId, found: &mut Vec<ExportedName>) {
    let scoping = here.scoping();
    for declaration in here.declarations(whole) {
        let AstKind::TSNamespaceDeclaration(namespace) = here.kind(declaration) else { continue };
        let is_ambient = namespace.declare || here.path.contains(".d.");
        let bindings = namespace.scope_id.get().into_iter().flat_map(|scope| scoping.iter_bindings_in(scope));
        for symbol in bindings {
            let declaration = scoping.symbol_declaration(symbol);
            let is_exported = || {
                let mut around = here.self_and_ancestors(declaration).skip(1).map(|node| here.kind(node));
                around
                    .find(|kind| !matches!(kind, AstKind::VariableDeclaration(_)))
                    .is_some_and(|kind| matches!(kind, AstKind::ExportDeclaration(_)))
            };
            let name = scoping.symbol_name(symbol);
            if !(is_ambient || is_exported()) || found.iter().any(|known| known.name == name) {
                continue;
            }
            found.push(ExportedName {
                name: name.to_owned(),
                local: Some(name.to_owned()),
                span: to_sdk_span(scoping.symbol_span(symbol)),
                kind: symbol_kind(here, symbol).to_owned(),
                type_only: !scoping.symbol_flags(symbol).can_be_referenced_by_value(),
            });
        }
    }
}

/// Returns the span of the name at an offset, including its quotes if it has any.
fn name_span(text: &str, at: u32, name: &str) -> Span {
    let rest = &text[at as usize..];
    if rest.starts_with(name) {
        return Span { start: at, end: at + name.len() as u32 };
    }
    let mut letters = rest.char_indices();
    let quote = letters.next().map(|(_, quote)| quote).filter(|quote| matches!(quote, '"' | '\''));
    while let Some((index, letter)) = letters.next() {
        if letter == '\\' {
            letters.next();
        } else if Some(letter) == quote {
            return Span { start: at, end: at + index as u32 + 1 };
        }
    }
    Span { start: at, end: at }
}

/// Returns the symbol that `exports.a = b` or `module.exports = { b }` exports.
fn commonjs_export_symbol<'w>(checker: &Checker<'w>, value: Option<&'w Expression<'w>>) -> Option<SymbolId> {
    match value? {
        Expression::Identifier(name) => checker.resolve_identifier(OPEN_DOCUMENT, name),
        _ => None,
    }
}

fn default_name<'w>(checker: &Checker<'w>, export: &'w ExportDefaultDeclaration<'w>) -> Option<SymbolId> {
    match export.declaration.as_expression() {
        Some(Expression::Identifier(name)) => checker.resolve_identifier(OPEN_DOCUMENT, name),
        _ => None,
    }
}

/// Returns the kind of a symbol, as shown to users.
pub(crate) fn symbol_kind(module: &Module<'_>, symbol: SymbolId) -> &'static str {
    match module.kind(module.scoping().symbol_declaration(symbol)) {
        AstKind::Class(_) => "class",
        AstKind::Function(_) => "function",
        AstKind::TSInterfaceDeclaration(_) => "interface",
        AstKind::TSTypeAliasDeclaration(_) => "type",
        AstKind::TSEnumDeclaration(_) => "enum",
        AstKind::TSEnumMember(_) => "enum member",
        AstKind::TSNamespaceDeclaration(_) => "namespace",
        AstKind::TSTypeParameter(_) => "type parameter",
        AstKind::FormalParameter(_) | AstKind::FormalParameterRest(_) | AstKind::BindingRestElement(_) => "parameter",
        AstKind::ImportSpecifier(_)
        | AstKind::ImportDefaultSpecifier(_)
        | AstKind::ImportNamespaceSpecifier(_)
        | AstKind::TSImportEqualsDeclaration(_) => "import",
        _ if module.scoping().symbol_flags(symbol).is_const_variable() => "constant",
        _ => "variable",
    }
}

fn imported_names(here: &Module<'_>) -> Vec<ImportedName> {
    let mut found = Vec::new();
    for statement in &here.program.body {
        match statement {
            Statement::ImportDeclaration(import) => add_declaration_imports(here, import, &mut found),
            Statement::ExportFromDeclaration(export) => {
                let Some(specifier) = export.source.value.as_str() else { continue };
                for listed in &export.specifiers {
                    found.push(ImportedName {
                        specifier: specifier.to_owned(),
                        name: export_name(&listed.local).to_owned(),
                        local: None,
                        exported: Some(export_name(&listed.exported).to_owned()),
                        type_only: export.export_kind.is_type() || listed.export_kind.is_type(),
                    });
                }
            }
            Statement::ExportAllDeclaration(export) => {
                let Some(specifier) = export.source.value.as_str() else { continue };
                found.push(ImportedName {
                    specifier: specifier.to_owned(),
                    name: "*".to_owned(),
                    local: None,
                    exported: Some(export.exported.as_ref().map_or("*", export_name).to_owned()),
                    type_only: export.export_kind.is_type(),
                });
            }
            _ => {}
        }
    }
    let required = commonjs::required_names(here).into_iter().filter(|required| required.name != "*");
    found.extend(required.map(|required| ImportedName {
        specifier: required.specifier.to_owned(),
        name: required.name.to_owned(),
        local: Some(required.local.name.to_string()),
        exported: None,
        type_only: false,
    }));
    let direct = found.len();
    add_whole_module_imports(here, &mut found);
    // Report a module once, even if it is imported as a whole in several ways.
    let mut seen: Vec<String> = found[..direct]
        .iter()
        .filter(|name| name.name == "*" && name.exported.is_none())
        .map(|name| name.specifier.clone())
        .collect();
    let mut kept = found.split_off(direct);
    kept.retain(|name| {
        let new = !seen.contains(&name.specifier);
        seen.push(name.specifier.clone());
        new
    });
    found.extend(kept);
    found
}

fn add_declaration_imports(here: &Module<'_>, import: &ImportDeclaration<'_>, found: &mut Vec<ImportedName>) {
    let Some(specifier) = import.source.value.as_str() else { return };
    for binding in declaration_bindings(import) {
        let exported = binding.local.symbol_id.get().map_or_else(Vec::new, |symbol| reexported_names(here, symbol));
        let import = |exported| ImportedName {
            specifier: specifier.to_owned(),
            name: binding.name.to_string(),
            local: Some(binding.local.name.to_string()),
            exported,
            type_only: binding.type_only,
        };
        if exported.is_empty() {
            found.push(import(None));
        }
        found.extend(exported.into_iter().map(|name| import(Some(name))));
    }
}

/// Returns the names under which an imported symbol is re-exported.
fn reexported_names(here: &Module<'_>, symbol: SymbolId) -> Vec<String> {
    let is_it = |name: &IdentifierReference<'_>| here.symbol_of(name) == Some(symbol);
    let is_whole = |whole: Option<&Expression<'_>>| matches!(whole, Some(Expression::Identifier(name)) if is_it(name));
    let mut found = Vec::new();
    for statement in &here.program.body {
        match statement {
            Statement::ExportNamedDeclaration(export) => found.extend(export.specifiers.iter().filter_map(|listed| {
                let ModuleExportName::IdentifierReference(local) = &listed.local else { return None };
                is_it(local).then(|| export_name(&listed.exported).to_owned())
            })),
            Statement::ExportDefaultDeclaration(export) if is_whole(export.declaration.as_expression()) => {
                found.push("default".to_owned());
            }
            Statement::TSExportAssignment(export) if is_whole(Some(&export.expression)) => {
                found.push("default".to_owned());
            }
            _ => {}
        }
    }
    found
}

/// Collects the modules that are imported as a whole by `require`, `import()`, import types and `import x = require()`.
fn add_whole_module_imports(here: &Module<'_>, found: &mut Vec<ImportedName>) {
    let mut add = |specifier: Option<&str>, local: Option<String>, type_only: bool| {
        if let Some(specifier) = specifier {
            let name = "*".to_owned();
            found.push(ImportedName { specifier: specifier.to_owned(), name, local, exported: None, type_only });
        }
    };
    for node in here.semantic().nodes().iter() {
        match node.kind() {
            AstKind::TSImportEqualsDeclaration(import) => {
                if let TSModuleReference::ExternalModuleReference(reference) = &import.module_reference {
                    add(
                        reference.expression.value.as_str(),
                        Some(import.id.name.to_string()),
                        import.import_kind.is_type(),
                    );
                }
            }
            AstKind::TSImportType(import) => add(import.source.value.as_str(), None, true),
            AstKind::TSExternalModuleDeclaration(module) if here.is_module() => {
                add(module.id.value.as_str(), None, true);
            }
            AstKind::ImportExpression(import) => {
                if let Expression::StringLiteral(source) = &import.source {
                    add(source.value.as_str(), None, false);
                }
            }
            AstKind::CallExpression(call) => {
                if call_kind(&call.callee) == Some("mock")
                    && let Some(Argument::StringLiteral(source)) = call.arguments.first()
                {
                    add(source.value.as_str(), None, false);
                }
                if matches!(&call.callee, Expression::Identifier(name) if name.name == "require")
                    && let Some(Argument::StringLiteral(source)) = call.arguments.first()
                {
                    add(source.value.as_str(), None, false);
                }
            }
            _ => {}
        }
    }
    for specifier in crate::infer::jsdoc::specifiers(here) {
        add(Some(&specifier), None, true);
    }
}

/// Returns the names visible to scripts: top-level declarations of a script, `declare global`, `export as namespace`.
fn script_visible_names(here: &Module<'_>) -> Vec<String> {
    let mut found = Vec::new();
    if !here.is_module() {
        let bindings = here.scoping().get_bindings(here.scoping().root_scope_id());
        found.extend(bindings.iter().map(|(name, _)| name.to_string()));
        found.extend(types_in_comments(here).map(|(name, _)| name.to_owned()));
    }
    for statement in &here.program.body {
        match statement {
            Statement::TSNamespaceExportDeclaration(export) => found.push(export.id.name.to_string()),
            Statement::TSGlobalDeclaration(global) => {
                let declared = global.body.body.iter().filter_map(|statement| statement.as_declaration());
                found.extend(declared.flat_map(declared_names).map(|name| name.name.to_string()));
            }
            _ => {}
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Returns the names of `declare module "x"` blocks. Relative paths are excluded, because they are links to files.
fn ambient_modules(here: &Module<'_>) -> Vec<SharedName> {
    let name = |statement: &Statement<'_>| match statement {
        Statement::TSExternalModuleDeclaration(module) => module.id.value.as_str().map(str::to_owned),
        _ => None,
    };
    let mut names: Vec<String> = here.program.body.iter().filter_map(name).collect();
    names.retain(|name| !paths::is_relative(name));
    names.sort();
    names.dedup();
    names.into_iter().map(|name| SharedName { namespace: MODULE_NAMESPACE.to_owned(), name }).collect()
}

fn undeclared_names(here: &Module<'_>) -> Vec<String> {
    let mut found: Vec<String> =
        here.scoping().root_unresolved_references().keys().map(|name| name.to_string()).collect();
    found.sort();
    found
}
