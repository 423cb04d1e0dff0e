//! Names under which other files can import a symbol of the open document.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;

use crate::infer::checker::Checker;
use crate::program::exports::{Export, default_symbol};
use crate::program::ids::{ModuleRef, OPEN_DOCUMENT, Site};

/// Returns the exported name of a member that is assigned to an export, `exports.x = …`, or of a declaration that another
/// file declares as well.
pub(super) fn exported_member_names(checker: &Checker<'_>, name: &str, sites: &[Site]) -> Vec<String> {
    let exports = checker.exports(ModuleRef { module: OPEN_DOCUMENT, block: None });
    let assigned = |export: &Export<'_>| match export {
        Export::Assigned { at, .. } => sites.contains(&Site { module: OPEN_DOCUMENT, offset: *at }),
        Export::Declared(symbol) => checker.sites_of(OPEN_DOCUMENT, *symbol).iter().any(|site| sites.contains(site)),
        _ => false,
    };
    let known = exports.named.get(name).is_some_and(|all| all.iter().any(assigned));
    known.then(|| name.to_owned()).into_iter().collect()
}

/// Returns the names under which other files can import a symbol. Names in export lists are excluded, because a rename
/// does not change them.
pub(crate) fn importable_names(checker: &Checker<'_>, symbol: SymbolId) -> Vec<String> {
    let here = checker.open_module();
    let exports = checker.exports(ModuleRef { module: OPEN_DOCUMENT, block: None });
    let name = here.scoping().symbol_name(symbol);
    let mut found = Vec::new();
    let declared = |export: &Export<'_>| matches!(export, Export::Declared(known) if *known == symbol);
    let sites = checker.sites_of(OPEN_DOCUMENT, symbol);
    let assigned = || sites.iter().any(|site| !checker.export_counterparts(*site, name).is_empty());
    if exports.named.get(name).is_some_and(|all| all.iter().any(declared)) || assigned() {
        found.push(name.to_owned());
    }
    let is_default = exports.named.get("default").into_iter().flatten().any(|export| match export {
        Export::Default(export) => {
            default_symbol(export) == Some(symbol)
                || matches!(export.declaration.as_expression(), Some(Expression::Identifier(name)) if checker.resolve_identifier(OPEN_DOCUMENT, name) == Some(symbol))
        }
        _ => false,
    });
    if is_default || is_whole_module_export(checker, symbol) {
        found.push("default".to_owned());
    }
    found.extend(namespace_path(checker, symbol));
    found
}

/// Returns whether a symbol is the value of `export =` or `module.exports =`.
fn is_whole_module_export(checker: &Checker<'_>, symbol: SymbolId) -> bool {
    let exports = checker.exports(ModuleRef { module: OPEN_DOCUMENT, block: None });
    exports.export_equals.and_then(|whole| whole_symbol(checker, whole)) == Some(symbol)
}

/// Returns the symbol of a value that is exported as a whole: of `a`, `class A {}` or `function a() {}`.
pub(crate) fn whole_symbol<'w>(checker: &Checker<'w>, whole: &'w Expression<'w>) -> Option<SymbolId> {
    match whole {
        Expression::Identifier(name) => checker.resolve_identifier(OPEN_DOCUMENT, name),
        Expression::ClassExpression(class) => class.id.as_ref()?.symbol_id.get(),
        Expression::FunctionExpression(function) => function.id.as_ref()?.symbol_id.get(),
        _ => None,
    }
}

/// Returns `A.B.x` for a declaration in an exported namespace.
fn namespace_path(checker: &Checker<'_>, symbol: SymbolId) -> Option<String> {
    let here = checker.open_module();
    let scoping = here.scoping();
    let block = scoping.get_node_id(scoping.symbol_scope_id(symbol));
    let AstKind::TSNamespaceDeclaration(namespace) = here.kind(block) else { return None };
    let outer = namespace.id.symbol_id.get()?;
    if is_whole_module_export(checker, outer) {
        return Some(scoping.symbol_name(symbol).to_owned());
    }
    let around = importable_names(checker, outer).into_iter().find(|name| name != "default")?;
    Some(format!("{around}.{}", scoping.symbol_name(symbol)))
}
