//! Keys by which other files are asked about a member or a literal type: its declarations, and the texts that a file must
//! contain to use it.

use std::collections::HashSet;

use marquetry_sdk::DeclaredKey;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan;

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::program::ids::{OPEN_DOCUMENT, Site};
use crate::rename::names;
use crate::rename::search_target::SearchTarget;
use crate::rename::template_types::derived_forms;

pub(super) fn declared_key(checker: &Checker<'_>, name: &str, sites: &[Site]) -> DeclaredKey {
    let closure = checker.with_overridden_sites(sites, name);
    let is_private = closure.iter().all(|site| is_private(checker, *site));
    let forms = if is_private { names::bracket_accesses(name) } else { forms_of(checker, name, &closure) };
    let places =
        closure.into_iter().filter(|site| *site != Site::WATCHED).map(|site| checker.location_of(site)).collect();
    DeclaredKey { name: name.to_owned(), locations: places, forms }
}

/// Returns whether only its own class may access a member, at each of its declarations.
pub(crate) fn is_private_member(checker: &Checker<'_>, key: &DeclaredKey) -> bool {
    let mut sites = key.locations.iter().filter_map(|place| checker.site_at(place)).peekable();
    sites.peek().is_some() && sites.all(|site| is_private(checker, site))
}

/// Returns the key of a literal type.
pub(super) fn literal_key(checker: &Checker<'_>, name: &str, sites: &[Site]) -> DeclaredKey {
    let locations = sites.iter().map(|site| checker.location_of(*site)).collect();
    let wanted = SearchTarget { name: name.to_owned(), sites: sites.to_vec(), ..SearchTarget::default() };
    let forms = with_name(name, derived_forms(checker, &wanted));
    DeclaredKey { name: name.to_owned(), locations, forms }
}

/// Returns the texts of which a file that uses the member contains at least one; empty if it is always the name.
fn forms_of(checker: &Checker<'_>, name: &str, sites: &[Site]) -> Vec<String> {
    let wanted = SearchTarget { name: name.to_owned(), sites: sites.to_vec(), ..SearchTarget::default() };
    let mut forms = names::names_in_other_files(name);
    forms.extend(derived_forms(checker, &wanted));
    forms.extend(names::parts_in_computed_keys(name));
    forms.extend(casts_to_keys(checker, name, sites));
    if may_have_outside_values(checker, name, sites) {
        forms.extend(names_that_take_owner(checker, name, sites));
    }
    with_name(name, forms)
}

/// Returns the casts that make any text a key of the owner: `text as keyof typeof handlers`.
fn casts_to_keys(checker: &Checker<'_>, name: &str, sites: &[Site]) -> Vec<String> {
    let here = checker.open_module();
    let own = sites.iter().filter(|site| site.module == OPEN_DOCUMENT);
    let declarations = own.filter_map(|site| checker.member_declared_at(*site, name));
    let casts = declarations.filter_map(|declaration| {
        here.self_and_ancestors(declaration).skip(1).find_map(|around| match here.kind(around) {
            AstKind::TSInterfaceDeclaration(it) => Some(format!("as keyof {}", it.id.name)),
            AstKind::TSTypeAliasDeclaration(it) => Some(format!("as keyof {}", it.id.name)),
            AstKind::Class(it) => it.id.as_ref().map(|id| format!("as keyof {}", id.name)),
            AstKind::TSEnumDeclaration(it) => Some(format!("as keyof typeof {}", it.id.name)),
            AstKind::VariableDeclarator(it) => {
                it.id.get_binding_identifier().map(|id| format!("as keyof typeof {}", id.name))
            }
            _ => None,
        })
    });
    casts.collect()
}

fn with_name(name: &str, mut forms: Vec<String>) -> Vec<String> {
    if !forms.is_empty() && forms.iter().all(|form| form != name) {
        forms.insert(0, name.to_owned());
    }
    let mut seen = HashSet::new();
    forms.retain(|form| seen.insert(form.clone()));
    forms
}

/// Returns whether values from outside of the program may be used as the type of the member, in a file that does not write
/// its name: `new Service(console)`. Packages provide functions rather than data.
fn may_have_outside_values(checker: &Checker<'_>, name: &str, sites: &[Site]) -> bool {
    let is_outside_name = builtins::language_has_member(name)
        || builtins::container_has_member(name)
        || builtins::platform_has_member(name);
    let is_function = || sites.iter().any(|site| checker.declares_function(*site, name));
    let is_nominal = || sites.iter().all(|site| checker.is_in_nominal_class(*site, name));
    (is_outside_name || is_function()) && !is_nominal()
}

/// Returns the name of the type that declares the member in the open document, and of the declarations that mention the
/// type outside of function bodies: a file that gives a value the type contains one of these names.
fn names_that_take_owner(checker: &Checker<'_>, name: &str, sites: &[Site]) -> Vec<String> {
    let here = checker.open_module();
    let own = sites.iter().filter(|site| site.module == OPEN_DOCUMENT);
    let declarations = own.filter_map(|site| checker.member_declared_at(*site, name));
    let mut found: Vec<SymbolId> = Vec::new();
    for declaration in declarations {
        let owner = here.self_and_ancestors(declaration).find_map(|around| match here.kind(around) {
            AstKind::TSInterfaceDeclaration(it) => Some(it.id.symbol_id.get()),
            AstKind::TSTypeAliasDeclaration(it) => Some(it.id.symbol_id.get()),
            AstKind::Class(it) => Some(it.id.as_ref().and_then(|id| id.symbol_id.get())),
            AstKind::Function(_) | AstKind::ArrowFunctionExpression(_) | AstKind::ObjectExpression(_) => Some(None),
            _ => None,
        });
        found.extend(owner.flatten());
    }
    let mut seen: HashSet<SymbolId> = found.iter().copied().collect();
    let mut next = 0;
    while let Some(symbol) = found.get(next).copied() {
        next += 1;
        let references: Vec<NodeId> =
            here.scoping().get_resolved_references(symbol).map(|reference| reference.node_id()).collect();
        for reference in references {
            found.extend(declared_around(checker, reference).into_iter().filter(|symbol| seen.insert(*symbol)));
        }
    }
    found.into_iter().map(|symbol| here.scoping().symbol_name(symbol).to_owned()).collect()
}

/// Returns the symbols that the top-level declaration around a node declares, if the node is not in a function body.
fn declared_around(checker: &Checker<'_>, node: NodeId) -> Vec<SymbolId> {
    let here = checker.open_module();
    for around in here.self_and_ancestors(node).skip(1) {
        let symbols: Vec<SymbolId> = match here.kind(around) {
            AstKind::FunctionBody(_) | AstKind::BlockStatement(_) => return Vec::new(),
            AstKind::TSInterfaceDeclaration(it) => it.id.symbol_id.get().into_iter().collect(),
            AstKind::TSTypeAliasDeclaration(it) => it.id.symbol_id.get().into_iter().collect(),
            AstKind::Class(it) => it.id.iter().filter_map(|id| id.symbol_id.get()).collect(),
            AstKind::Function(it) => it.id.iter().filter_map(|id| id.symbol_id.get()).collect(),
            AstKind::VariableDeclarator(it) => {
                it.id.get_binding_identifiers().iter().filter_map(|id| id.symbol_id.get()).collect()
            }
            _ => continue,
        };
        let root = here.scoping().root_scope_id();
        let is_top = |symbol: &SymbolId| here.scoping().symbol_scope_id(*symbol) == root;
        if symbols.iter().any(is_top) {
            return symbols;
        }
    }
    Vec::new()
}

/// Returns whether a site declares a member that only its own class may access.
fn is_private(checker: &Checker<'_>, site: Site) -> bool {
    if site == Site::WATCHED {
        return false;
    }
    let module = checker.module(site.module);
    let is_it = |span: oxc_span::Span| span.start == site.offset;
    let private = |accessibility: Option<TSAccessibility>| accessibility == Some(TSAccessibility::Private);
    module.semantic().nodes().iter().any(|node| match node.kind() {
        AstKind::PrivateIdentifier(name) => is_it(name.span),
        AstKind::MethodDefinition(method) => private(method.accessibility) && is_it(method.key.span()),
        AstKind::PropertyDefinition(property) => private(property.accessibility) && is_it(property.key.span()),
        AstKind::AccessorProperty(property) => private(property.accessibility) && is_it(property.key.span()),
        AstKind::FormalParameter(parameter) => private(parameter.accessibility) && is_it(parameter.pattern.span()),
        _ => false,
    })
}
