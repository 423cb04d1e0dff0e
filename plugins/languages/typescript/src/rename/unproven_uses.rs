//! Possible uses that the search cannot prove: names in the same namespace of another script, and keys that types
//! compute from strings. They are reported and not edited.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_span::{GetSpan, Span};

use crate::infer::checker::Checker;
use crate::infer::ty::Entity;
use crate::program::identifiers::Role;
use crate::program::ids::{OPEN_DOCUMENT, Site};
use crate::program::module::Module;
use crate::rename::dynamic_keys::find_dynamic_keys;
use crate::rename::external_values::find_external_values;
use crate::rename::framework_templates::find_template_uses;
use crate::rename::indirect_uses::{elements_with_children, members_in_comments};
use crate::rename::json_values::find_json_values;
use crate::rename::key_paths::find_key_paths;
use crate::rename::literal_values::find_literal_values;
use crate::rename::outgoing_values::find_outgoing_values;
use crate::rename::query_texts::find_query_texts;
use crate::rename::search_target::SearchTarget;
use crate::rename::subject::{NonMemberDeclaration, declaration_kind};
use crate::rename::template_types::{find_derived_names, template_types_with_name};

/// Finds possible uses of a member or a literal type in the open document.
pub(super) fn find_unproven_uses(checker: &Checker<'_>, wanted: &SearchTarget) -> Vec<Span> {
    let (name, sites) = (wanted.name.as_str(), wanted.sites.as_slice());
    let mut found = Vec::new();
    if wanted.members {
        found.extend(in_same_namespaces(checker, name, sites));
        found.extend(computed_key_templates(checker, name, sites));
        found.extend(find_template_uses(checker, wanted));
        if wanted.includes_joined_members {
            found.extend(find_external_values(checker, wanted));
            found.extend(find_outgoing_values(checker, wanted));
            found.extend(find_json_values(checker, wanted));
            found.extend(find_dynamic_keys(checker, wanted));
            found.extend(find_key_paths(checker, wanted));
            found.extend(elements_with_children(checker, wanted));
            found.extend(members_in_comments(checker, wanted));
            found.extend(find_query_texts(checker, wanted));
        } else if wanted.sites.contains(&Site::WATCHED) {
            // An export can be read as a member of its module: `module[key]`.
            found.extend(find_dynamic_keys(checker, wanted));
        }
    }
    if wanted.string_literals {
        found.extend(find_literal_values(checker, wanted));
    }
    if wanted.members || wanted.string_literals {
        found.extend(template_types_with_name(checker, name, sites));
        found.extend(find_derived_names(checker, wanted));
    }
    found
}

/// Finds undeclared names in namespaces with the same name as the namespace that declares the symbol in another file.
/// They may refer to the symbol, because scripts can extend each other's namespaces.
fn in_same_namespaces(checker: &Checker<'_>, name: &str, sites: &[Site]) -> Vec<Span> {
    let there = sites.iter().filter(|site| site.module != OPEN_DOCUMENT && **site != Site::WATCHED);
    let owners: Vec<String> = there.filter_map(|site| namespace_of(checker, *site, name)).collect();
    if owners.is_empty() {
        return Vec::new();
    }
    let here = checker.open_module();
    let around = |node| {
        here.self_and_ancestors(node).any(|around| match here.kind(around) {
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

/// Returns the name of the namespace that contains the declaration at a site.
fn namespace_of(checker: &Checker<'_>, site: Site, name: &str) -> Option<String> {
    let Some(NonMemberDeclaration::Symbol(symbol)) = declaration_kind(checker, site, name) else { return None };
    let module = checker.module(site.module);
    let scope = module.scoping().symbol_scope_id(symbol);
    match module.kind(module.scoping().get_node_id(scope)) {
        AstKind::TSNamespaceDeclaration(namespace) => Some(namespace.id.name.to_string()),
        _ => None,
    }
}

/// Finds template literal types that compute keys and may produce the name: `` { [K in `${A}x`]: 1 } ``. If a class or
/// interface in this document has the member, also finds supertypes that are type aliases with such keys, in any file.
fn computed_key_templates(checker: &Checker<'_>, name: &str, sites: &[Site]) -> Vec<Span> {
    let here = checker.open_module();
    let mut found = key_templates(&here, here.program.span, name);
    let is_own = |span: Span| {
        sites.iter().any(|site| site.module == OPEN_DOCUMENT && span.start <= site.offset && site.offset < span.end)
    };
    for node in here.semantic().nodes().iter() {
        match node.kind() {
            AstKind::TSInterfaceDeclaration(interface) if is_own(interface.body.span) => {
                let names = interface.extends.iter().map(|it| &it.type_name);
                found.extend(names.filter(|wanted| computes_keys(checker, wanted, name)).map(|wanted| wanted.span()));
            }
            AstKind::Class(class) if is_own(class.body.span) => {
                let names = class.implements.iter().map(|it| &it.expression);
                found.extend(names.filter(|wanted| computes_keys(checker, wanted, name)).map(|wanted| wanted.span()));
            }
            _ => {}
        }
    }
    found
}

/// Returns whether a name refers to a type alias that computes such keys.
fn computes_keys<'w>(checker: &Checker<'w>, wanted: &'w TSTypeName<'w>, name: &str) -> bool {
    let Entity::Symbol(module, symbol) = checker.name_entity(OPEN_DOCUMENT, wanted) else { return false };
    let loaded = checker.module(module);
    let declared = loaded.declarations(symbol).into_iter().map(|node| loaded.kind(node));
    let mut aliases = declared.filter(|kind| matches!(kind, AstKind::TSTypeAliasDeclaration(_)));
    aliases.any(|alias| !key_templates(&loaded, alias.span(), name).is_empty())
}

/// Returns the template literal types within a span that are keys and can produce the name.
fn key_templates(module: &Module<'_>, stretch: Span, name: &str) -> Vec<Span> {
    let nodes = module.semantic().nodes();
    let is_key = |template: &TSTemplateLiteralType<'_>| {
        let own = template.span;
        module.self_and_ancestors(template.node_id.get()).any(|around| match module.kind(around) {
            AstKind::TSMappedType(mapped) => {
                let names = mapped.name_type.iter().map(GetSpan::span);
                names.chain([mapped.constraint.span()]).any(|keys| keys.contains_inclusive(own))
            }
            AstKind::TSTypeReference(reference) => {
                let is_record =
                    matches!(&reference.type_name, TSTypeName::IdentifierReference(it) if it.name == "Record");
                let keys = reference.type_arguments.as_ref().and_then(|given| given.params.first());
                is_record && keys.is_some_and(|keys| keys.span().contains_inclusive(own))
            }
            _ => false,
        })
    };
    let found = nodes.iter().filter_map(|node| match node.kind() {
        AstKind::TSTemplateLiteralType(template) if stretch.contains_inclusive(template.span) => Some(template),
        _ => None,
    });
    found.filter(|template| can_produce(template, name) && is_key(template)).map(|template| template.span).collect()
}

/// Returns whether a template that has literal parts can produce the name.
fn can_produce(template: &TSTemplateLiteralType<'_>, name: &str) -> bool {
    let texts: Vec<&str> = template.quasis.iter().map(|quasi| quasi.value.raw.as_str()).collect();
    let [first, middle @ .., last] = texts.as_slice() else { return false };
    let Some(mut rest) = name.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else { return false };
    for text in middle {
        let Some(at) = rest.find(text) else { return false };
        rest = &rest[at + text.len()..];
    }
    texts.iter().any(|text| !text.is_empty())
}
