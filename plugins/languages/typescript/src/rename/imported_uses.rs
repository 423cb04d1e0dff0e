//! Finds the uses of an imported name. Only its specifier and name are known, not its declaration.

use marquetry_sdk::{DefaultKey, Destination, ImportKey, Usage};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{AstNode, SymbolId};
use oxc_span::{GetSpan, Span};

use crate::infer::checker::Checker;
use crate::infer::jsdoc;
use crate::program::Watch;
use crate::program::commonjs::{self, RequiredName};
use crate::program::exports::export_name;
use crate::program::ids::{ModuleRef, OPEN_DOCUMENT, Site};
use crate::rename::Usages;
use crate::rename::search_target::SearchTarget;
use crate::rename::uses::{FoundUses, Use, find_uses};
use crate::semantics::module_values;

/// Finds the uses of a name imported from other files.
pub(crate) fn usages_of_import(checker: &mut Checker<'_>, key: &ImportKey) -> Usages {
    let path: Vec<String> = key.name.split('.').map(str::to_owned).collect();
    let name = path.last().cloned().unwrap_or_default();
    let is_commonjs = key.specifiers.iter().any(|specifier| is_commonjs(checker, specifier));
    checker.program.watch = Some(Watch { specifiers: key.specifiers.clone(), path: path.clone(), is_commonjs });
    let wanted = SearchTarget {
        name: name.clone(),
        sites: vec![Site::WATCHED],
        members: imports_whole_module(checker, path.len() > 1),
        joined: augmenting_symbols(checker, key, &path),
        ..SearchTarget::default()
    };
    let mut found = find_uses(checker, wanted);
    add_jsdoc_imports(checker, key, &path, &mut found);
    // A read of a longer path by a computed name still names the last part.
    if is_commonjs && path.len() == 1 {
        add_computed_reads(checker, &key.specifiers, &mut found);
    }
    add_unparsed_imports(checker, &key.specifiers, &mut found);
    let exported = reexported_names(checker, key, &path);
    Usages { name, found, exported, ..Usages::default() }
}

/// Reports reads of an export by a computed name: `require("x")[name]`.
fn add_computed_reads(checker: &Checker<'_>, specifiers: &[String], found: &mut FoundUses) {
    for specifier in specifiers {
        if let Destination::Inside(module) = checker.destination(OPEN_DOCUMENT, specifier) {
            found.unresolved.extend(module_values::computed_reads(checker, &module.path));
        }
    }
    found.unresolved.sort_by_key(|span| (span.start, span.end));
    found.unresolved.dedup();
}

/// Reports the imports of a module in parts of the document that cannot be parsed: what they import is unknown.
fn add_unparsed_imports(checker: &Checker<'_>, specifiers: &[String], found: &mut FoundUses) {
    found.unresolved.extend(checker.unparsed_imports(specifiers));
    found.unresolved.sort_by_key(|span| (span.start, span.end));
}

/// References to an imported name that a rename does not change.
#[derive(Default)]
pub(crate) struct UnrenamedReferences {
    /// Uses under a different local name: of a default import, an import of a whole module, or `a as b`.
    pub(crate) uses: Vec<Use>,
    /// Names under which the file re-exports it.
    pub(crate) exported: Vec<String>,
}

/// Finds the uses of an imported name under a different local name, and its re-exports. They are references, although a
/// rename does not change them.
pub(crate) fn unrenamed_references(checker: &Checker<'_>, key: &ImportKey, known: &FoundUses) -> UnrenamedReferences {
    let here = checker.open_module();
    let mut found = UnrenamedReferences::default();
    let mut symbols = known.symbols.clone();
    let members = known.uses.iter().map(|found| found.span.start).collect();
    found.exported.extend(checker.exported_member_values(&members));
    for statement in &here.program.body {
        match statement {
            Statement::ImportDeclaration(import) if is_from_module(key, &import.source) => {
                for listed in import.specifiers.iter().flatten() {
                    let (name, local) = match listed {
                        ImportDeclarationSpecifier::ImportSpecifier(named) => {
                            (export_name(&named.imported), &named.local)
                        }
                        ImportDeclarationSpecifier::ImportDefaultSpecifier(default) => ("default", &default.local),
                        ImportDeclarationSpecifier::ImportNamespaceSpecifier(space) => ("*", &space.local),
                    };
                    let Some(symbol) = local.symbol_id.get().filter(|_| name == key.name) else { continue };
                    symbols.push(symbol);
                    if local.name != name {
                        let references = here.scoping().get_resolved_references(symbol);
                        let spans = references.map(|reference| here.kind(reference.node_id()).span());
                        found.uses.extend(spans.map(|span| Use::simple(span, Usage::Read)));
                    }
                }
            }
            Statement::ExportFromDeclaration(export) if is_from_module(key, &export.source) => {
                let same = export.specifiers.iter().filter(|listed| export_name(&listed.local) == key.name);
                found.exported.extend(same.map(|listed| export_name(&listed.exported).to_owned()));
            }
            _ => {}
        }
    }
    let is_of = |required: &&RequiredName<'_>| {
        let is_whole = required.name == "*"
            && (key.name == "*" || key.name == "default" && is_commonjs(checker, required.specifier));
        key.specifiers.iter().any(|known| known == required.specifier) && (is_whole || required.name == key.name)
    };
    for required in commonjs::required_names(&here).iter().filter(is_of) {
        let Some(symbol) = required.local.symbol_id.get() else { continue };
        symbols.push(symbol);
        let references = here.scoping().get_resolved_references(symbol);
        let spans = references.map(|reference| here.kind(reference.node_id()).span());
        found.uses.extend(spans.map(|span| Use::simple(span, Usage::Read)));
    }
    if key.name == "default" {
        found.uses.extend(required_values(checker, key));
    }
    found.exported.extend(checker.reexported_symbol_names(&symbols));
    found
}

/// Returns the `require` calls whose value is used immediately, such as `require("x")()`, if the value is the default
/// export of the module.
fn required_values<'w>(checker: &Checker<'w>, key: &ImportKey) -> Vec<Use> {
    let here = checker.open_module();
    let is_value = |node: &AstNode<'w>| {
        let AstKind::CallExpression(call) = node.kind() else { return false };
        let required = commonjs::required_call(call).filter(|source| key.specifiers.iter().any(|it| it == source));
        let parent = here.parent_kind(node.id());
        required.is_some_and(|source| is_commonjs(checker, source))
            && !matches!(parent, AstKind::VariableDeclarator(_) | AstKind::ExpressionStatement(_))
    };
    let calls = here.semantic().nodes().iter().filter(|node| is_value(node));
    let exports = checker.exports(ModuleRef { module: OPEN_DOCUMENT, block: None });
    let usage = |span: Span| if exports.values.contains(&span) { Usage::Exported } else { Usage::Read };
    calls.map(|node| node.kind().span()).map(|span| Use::simple(span, usage(span))).collect()
}

/// Returns whether a module exports one value, of which the exports are members: `default` is this value.
fn is_commonjs(checker: &Checker<'_>, specifier: &str) -> bool {
    let Destination::Inside(found) = checker.destination(OPEN_DOCUMENT, specifier) else { return false };
    let module = checker.load(&found.path);
    module.is_some_and(|module| checker.exports(ModuleRef { module, block: None }).is_commonjs())
}

/// Returns whether the module with the wanted name is imported as a whole. If `by_name` is set, because the name is
/// qualified, any import of the module counts.
fn imports_whole_module(checker: &Checker<'_>, by_name: bool) -> bool {
    let facts = crate::semantics::facts::interface_facts(checker);
    facts.imports.iter().any(|import| {
        (by_name || import.name == "*" || import.name == "default") && checker.is_watched(&import.specifier)
    })
}

/// Returns the symbols that `declare module "x"` blocks of this file add to a declaration of that module.
fn augmenting_symbols(checker: &Checker<'_>, key: &ImportKey, path: &[String]) -> Vec<SymbolId> {
    let here = checker.open_module();
    let blocks = here.program.body.iter().filter_map(|statement| match statement {
        Statement::TSExternalModuleDeclaration(module) if path.len() == 1 && is_from_module(key, &module.id) => {
            Some(module)
        }
        _ => None,
    });
    let bound = |scope| here.scoping().get_binding(scope, Ident::from(path[0].as_str()));
    blocks.filter_map(|module| module.scope_id.get().and_then(bound)).collect()
}

/// Adds names imported by `@import` tags in comments.
fn add_jsdoc_imports(checker: &Checker<'_>, key: &ImportKey, path: &[String], found: &mut FoundUses) {
    let here = checker.open_module();
    let text = here.text();
    for import in jsdoc::tag_imports(&here) {
        let name = import.name.source_text(text);
        if path.len() != 1 || name != path[0] || !key.specifiers.contains(&import.specifier) {
            continue;
        }
        found.uses.push(Use::simple(import.name, Usage::InComment));
        if import.local != import.name {
            continue;
        }
        for mention in jsdoc::mentions(&here, name) {
            let first = mention.parts[0];
            let local = here.scoping().get_root_binding(Ident::from(name)).is_none();
            if mention.kind == jsdoc::MentionKind::Name && first.source_text(text) == name && local {
                found.uses.push(Use::simple(first, Usage::InComment));
            }
        }
    }
    found.uses.sort_by_key(|found| (found.span.start, found.span.end));
}

/// Returns the names under which this file re-exports the import: by `export *`, or in a module exported as a whole.
fn reexported_names(checker: &Checker<'_>, key: &ImportKey, path: &[String]) -> Vec<String> {
    let here = checker.open_module();
    let exports = checker.exports(ModuleRef { module: OPEN_DOCUMENT, block: None });
    let whole = path.join(".");
    let mut found = Vec::new();
    for specifier in &key.specifiers {
        let starred = exports.star_specifiers.iter().any(|star| star == specifier);
        if starred && !exports.named.contains_key(path[0].as_str()) && path[0] != "default" {
            found.push(whole.clone());
        }
        if exports.required.contains(&specifier.as_str()) && !exports.named.contains_key(path[0].as_str()) {
            found.push(whole.clone());
        }
        found.extend(checker.reexported_namespaces(specifier).into_iter().map(|space| format!("{space}.{whole}")));
    }
    if path.len() > 1 {
        let rest = path[1..].join(".");
        for statement in &here.program.body {
            match statement {
                Statement::ExportFromDeclaration(export) if is_from_module(key, &export.source) => {
                    let same = export.specifiers.iter().filter(|listed| export_name(&listed.local) == path[0]);
                    found.extend(same.map(|listed| format!("{}.{rest}", export_name(&listed.exported))));
                }
                Statement::ImportDeclaration(import) if is_from_module(key, &import.source) => {
                    for listed in import.specifiers.iter().flatten() {
                        if let ImportDeclarationSpecifier::ImportSpecifier(named) = listed
                            && export_name(&named.imported) == path[0]
                        {
                            let names = checker.exported_symbol_names(named.local.symbol_id.get());
                            found.extend(names.into_iter().map(|name| format!("{name}.{rest}")));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

fn is_from_module(key: &ImportKey, source: &StringLiteral<'_>) -> bool {
    source.value.as_str().is_some_and(|source| key.specifiers.iter().any(|known| known == source))
}

/// Finds default imports whose local name is the name of the declaration.
pub(crate) fn usages_of_default_import(checker: &Checker<'_>, key: &DefaultKey) -> Usages {
    let here = checker.open_module();
    let of_key = |source: &StringLiteral<'_>| {
        source.value.as_str().is_some_and(|source| key.specifiers.iter().any(|known| known == source))
    };
    let called = key.called.as_str();
    let mut joined: Vec<SymbolId> = Vec::new();
    let mut alone = Vec::new();
    let mut sites = Vec::new();
    let mut exported = Vec::new();
    for statement in &here.program.body {
        match statement {
            Statement::ImportDeclaration(import) if of_key(&import.source) => {
                for listed in import.specifiers.iter().flatten() {
                    let local = match listed {
                        ImportDeclarationSpecifier::ImportDefaultSpecifier(default) => &default.local,
                        ImportDeclarationSpecifier::ImportSpecifier(named)
                            if export_name(&named.imported) == "default" =>
                        {
                            &named.local
                        }
                        _ => continue,
                    };
                    if local.name == called && here.is_redeclaration(local.span.start) {
                        alone.push(local.span.start);
                    } else if local.name == called {
                        joined.extend(local.symbol_id.get());
                    }
                }
            }
            Statement::ExportFromDeclaration(export) if of_key(&export.source) => {
                for listed in &export.specifiers {
                    if export_name(&listed.local) == "default" && export_name(&listed.exported) == called {
                        sites.push(Site { module: OPEN_DOCUMENT, offset: listed.exported.span().start });
                        exported.push(called.to_owned());
                    }
                }
            }
            Statement::TSImportEqualsDeclaration(import) => {
                if let TSModuleReference::ExternalModuleReference(reference) = &import.module_reference
                    && of_key(&reference.expression)
                    && import.id.name == called
                {
                    joined.extend(import.id.symbol_id.get());
                }
            }
            _ => {}
        }
    }
    let wanted =
        SearchTarget { name: called.to_owned(), sites, joined, redeclarations: alone, ..SearchTarget::default() };
    let mut found = find_uses(checker, wanted);
    add_unparsed_imports(checker, &key.specifiers, &mut found);
    Usages { name: called.to_owned(), found, exported, ..Usages::default() }
}
