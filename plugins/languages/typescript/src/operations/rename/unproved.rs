//! Places that may name the thing without saying so: the same namespace in another script, and texts that a type makes of keys.
//! No search for uses proves them, so they are left and listed.

use oxc_ast::AstKind;
use oxc_span::Span;

use crate::infer::checker::Checker;
use crate::infer::ty::{Substitution, Ty};
use crate::operations::rename::subject::{Declared, declared_as};
use crate::program::identifiers::Role;
use crate::program::ids::{HERE, Site};

/// All such places of a member in the open document.
pub(super) fn places(checker: &Checker<'_>, name: &str, sites: &[Site]) -> Vec<Span> {
    let mut found = in_same_namespaces(checker, name, sites);
    found.extend(texts_of_keys(checker, name, sites));
    found
}

/// Names that nothing here declares, in a namespace of the name of the one that declares the thing in another file: scripts add to
/// each other's namespaces.
fn in_same_namespaces(checker: &Checker<'_>, name: &str, sites: &[Site]) -> Vec<Span> {
    let there = sites.iter().filter(|site| site.module != HERE && **site != Site::WATCHED);
    let owners: Vec<String> = there.filter_map(|site| namespace_of(checker, *site, name)).collect();
    if owners.is_empty() {
        return Vec::new();
    }
    let here = checker.here();
    let around = |node| {
        here.chain(node).any(|around| match here.kind(around) {
            AstKind::TSNamespaceDeclaration(namespace) => {
                owners.iter().any(|owner| namespace.id.name == owner.as_str())
            }
            _ => false,
        })
    };
    let identifiers = here.identifiers(name);
    let free = identifiers.iter().filter(|identifier| matches!(here.role(identifier), Role::Free));
    free.filter(|identifier| around(identifier.node)).map(|identifier| identifier.span).collect()
}

/// The name of the namespace that declares what stands at a site.
fn namespace_of(checker: &Checker<'_>, site: Site, name: &str) -> Option<String> {
    let Some(Declared::Symbol(symbol)) = declared_as(checker, site, name) else { return None };
    let module = checker.module(site.module);
    let scope = module.scoping().symbol_scope_id(symbol);
    match module.kind(module.scoping().get_node_id(scope)) {
        AstKind::TSNamespaceDeclaration(namespace) => Some(namespace.id.name.to_string()),
        _ => None,
    }
}

/// Types such as `` `on_${keyof T}` ``, where the thing is one of the keys: a text that has its name as a part may be one of them.
fn texts_of_keys(checker: &Checker<'_>, name: &str, sites: &[Site]) -> Vec<Span> {
    let here = checker.here();
    let mut found = Vec::new();
    for node in here.semantic().nodes().iter() {
        let AstKind::TSTemplateLiteralType(template) = node.kind() else { continue };
        let is_key = template.types.iter().any(|part| {
            let part = checker.annotated(HERE, part, &Substitution::default());
            part.alternatives().iter().any(|part| match checker.constrained(part) {
                Ty::Keys(of) => {
                    let keys = checker.closure(&checker.props(&of, name).sites(), name);
                    sites.iter().any(|site| keys.contains(site))
                }
                _ => false,
            })
        });
        if is_key {
            found.push(template.span);
        }
    }
    found
}
