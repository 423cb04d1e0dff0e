//! Names that come in from other files, asked for by the way they come.

use marquetry_sdk::{DefaultKey, ImportKey, Usage};
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;
use oxc_span::GetSpan;

use super::exports::export_name;
use super::jsdoc;
use super::rename::Usages;
use super::uses::{Found, Use, Wanted, uses};
use super::world::{HERE, ModuleRef, Site, Watch, World};

/// What came in from other files under a name.
pub(crate) fn imported(world: &mut World<'_>, key: &ImportKey) -> Usages {
    let path: Vec<String> = key.name.split('.').map(str::to_owned).collect();
    let name = path.last().cloned().unwrap_or_default();
    world.watch = Some(Watch { specifiers: key.specifiers.clone(), path: path.clone() });
    let wanted = Wanted {
        name: name.clone(),
        sites: vec![Site::WATCHED],
        members: takes_whole(world, path.len() > 1),
        joined: augmented(world, key, &path),
        ..Wanted::default()
    };
    let mut found = uses(world, wanted);
    tag_imports(world, key, &path, &mut found);
    let exported = passed_on(world, key, &path);
    Usages { name, found, exported, ..Usages::default() }
}

/// Whether some of the watched modules is taken as a whole, or (for longer paths) at all.
fn takes_whole(world: &World<'_>, by_name: bool) -> bool {
    let facts = super::facts::facts(world);
    facts.imports.iter().any(|import| {
        (by_name || import.name == "*" || import.name == "default") && world.is_watched(&import.specifier)
    })
}

/// What blocks `declare module "x"` of this file add to a thing of that module: it is declared there, too.
fn augmented(world: &World<'_>, key: &ImportKey, path: &[String]) -> Vec<SymbolId> {
    let here = world.here();
    let blocks = here.program.body.iter().filter_map(|statement| match statement {
        Statement::TSExternalModuleDeclaration(module) if path.len() == 1 && is_of(key, &module.id) => Some(module),
        _ => None,
    });
    let bound = |scope| here.scoping().get_binding(scope, Ident::from(path[0].as_str()));
    blocks.filter_map(|module| module.scope_id.get().and_then(bound)).collect()
}

/// Names that `@import` tags of the comments take.
fn tag_imports(world: &World<'_>, key: &ImportKey, path: &[String], found: &mut Found) {
    let here = world.here();
    let text = here.text();
    for import in jsdoc::tag_imports(&here) {
        let name = import.name.source_text(text);
        if path.len() != 1 || name != path[0] || !key.specifiers.contains(&import.specifier) {
            continue;
        }
        found.uses.push(Use::plain(import.name, Usage::InComment));
        if import.local != import.name {
            continue;
        }
        for mention in jsdoc::mentions(&here, name) {
            let first = mention.parts[0];
            let local = here.scoping().get_root_binding(Ident::from(name)).is_none();
            if mention.how == jsdoc::How::Name && first.source_text(text) == name && local {
                found.uses.push(Use::plain(first, Usage::InComment));
            }
        }
    }
    found.uses.sort_by_key(|found| (found.span.start, found.span.end));
}

/// The names under which this file passes on what it gets: `export *`, and modules exported as a whole.
fn passed_on(world: &World<'_>, key: &ImportKey, path: &[String]) -> Vec<String> {
    let here = world.here();
    let exports = world.exports(ModuleRef { module: HERE, block: None });
    let whole = path.join(".");
    let mut found = Vec::new();
    for specifier in &key.specifiers {
        let starred = exports.stars.iter().any(|star| star == specifier);
        if starred && !exports.named.contains_key(path[0].as_str()) && path[0] != "default" {
            found.push(whole.clone());
        }
        found.extend(world.spaces_exported(specifier).into_iter().map(|space| format!("{space}.{whole}")));
    }
    if path.len() > 1 {
        let rest = path[1..].join(".");
        for statement in &here.program.body {
            match statement {
                Statement::ExportFromDeclaration(export) if is_of(key, &export.source) => {
                    let same = export.specifiers.iter().filter(|listed| export_name(&listed.local) == path[0]);
                    found.extend(same.map(|listed| format!("{}.{rest}", export_name(&listed.exported))));
                }
                Statement::ImportDeclaration(import) if is_of(key, &import.source) => {
                    for listed in import.specifiers.iter().flatten() {
                        if let ImportDeclarationSpecifier::ImportSpecifier(named) = listed
                            && export_name(&named.imported) == path[0]
                        {
                            let names = world.exported_names(named.local.symbol_id.get());
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

fn is_of(key: &ImportKey, source: &StringLiteral<'_>) -> bool {
    source.value.as_str().is_some_and(|source| key.specifiers.iter().any(|known| known == source))
}

/// Default imports that go by the name of the thing.
pub(crate) fn imported_default(world: &World<'_>, key: &DefaultKey) -> Usages {
    let here = world.here();
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
                    if local.name == called && here.stands_alone(local.span.start) {
                        alone.push(local.span.start);
                    } else if local.name == called {
                        joined.extend(local.symbol_id.get());
                    }
                }
            }
            Statement::ExportFromDeclaration(export) if of_key(&export.source) => {
                for listed in &export.specifiers {
                    if export_name(&listed.local) == "default" && export_name(&listed.exported) == called {
                        sites.push(Site { module: HERE, offset: listed.exported.span().start });
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
    let wanted = Wanted { name: called.to_owned(), sites, joined, alone, ..Wanted::default() };
    Usages { name: called.to_owned(), found: uses(world, wanted), exported, ..Usages::default() }
}
