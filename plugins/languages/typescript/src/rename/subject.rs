//! Resolving an offset, an address or an exported name to a symbol.

use marquetry_sdk::{
    Document, Failure, FailureKind, FileLocation, FindResult, Node, Query, Result, Target, TargetKind, fail,
};
use oxc_ast::AstKind;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan;

use crate::TypeScriptDocument;
use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::infer::members::Sites;
use crate::program::exports::{Export, default_symbol};
use crate::program::identifiers::{Identifier, Role};
use crate::program::ids::{ModuleRef, OPEN_DOCUMENT, Site};
use crate::program::module::Module;
use crate::program::resolution::{monorepo, paths};
use crate::program::{ResolvedModule, is_in_package};
use crate::rename::comment_names::{own_comment_name, resolve_comment_name};
use crate::rename::component_macros::declares_in_component;
use crate::rename::component_names;
pub(crate) use crate::rename::declaration_site::declaration_site;
use crate::rename::imported_subject::{imported_member, resolve_imported_name};
use crate::rename::jsdoc_subject::resolve_in_jsdoc;

/// A symbol in the broad sense: anything that can be referenced or renamed.
#[derive(Clone, Debug)]
pub(crate) enum ResolvedSubject {
    /// A binding: variable, function, class, type, import …
    Symbol(SymbolId),
    /// A property, method, enum member …
    Member {
        name: String,
        sites: Vec<Site>,
    },
    /// A name in an export list, distinct from the exported binding.
    Exported {
        name: String,
        at: u32,
    },
    /// A symbol of another file: a whole module, or a declaration with a different name.
    Elsewhere {
        name: String,
        place: FileLocation,
    },
    /// A global name shared by all scripts.
    Shared(String),
    Label {
        name: String,
        statement: NodeId,
    },
    /// A declaration that nothing can refer to: an erroneous redeclaration, or the parameter of an index signature.
    Unreferenced {
        name: String,
        span: oxc_span::Span,
    },
    /// A name that an `@import` tag imports for comments.
    JsdocImport(String),
    /// A name that a tag of a comment declares at an offset.
    CommentName {
        name: String,
        at: u32,
    },
    /// A string literal type.
    LiteralType {
        name: String,
        sites: Vec<Site>,
    },
}

/// Returns the symbol at an offset.
pub(crate) fn resolve_at_offset(checker: &Checker<'_>, offset: u32) -> Result<ResolvedSubject> {
    let here = checker.open_module();
    let mut identifiers = here.identifiers_at(offset);
    identifiers.retain(|identifier| checker.is_in_document(identifier.span));
    resolve_first_name(checker, &here, identifiers, offset)
}

/// Returns the symbol that is declared at the offset of an address. For a shorthand `{ x }`, this is the property, not
/// the variable.
fn declared_at_offset(checker: &Checker<'_>, offset: u32) -> Result<ResolvedSubject> {
    let here = checker.open_module();
    let mut identifiers = here.identifiers_at(offset);
    identifiers.retain(|identifier| checker.is_in_document(identifier.span));
    let is_key = |identifier: &&Identifier<'_>| {
        matches!(here.kind(identifier.node), AstKind::IdentifierName(_))
            && matches!(here.parent_kind(identifier.node), AstKind::ObjectProperty(property) if property.shorthand)
    };
    if let Some(key) = identifiers.iter().find(is_key).copied() {
        return resolve_identifier(checker, &here, &key);
    }
    resolve_first_name(checker, &here, identifiers, offset)
}

fn resolve_first_name<'w>(
    checker: &Checker<'w>,
    here: &Module<'w>,
    mut identifiers: Vec<Identifier<'w>>,
    offset: u32,
) -> Result<ResolvedSubject> {
    // If one word stands for two names, as in the shorthand `{ a }`, prefer the one that is declared or exported here.
    identifiers.sort_by_key(|identifier| {
        let rank = match here.role(identifier) {
            Role::Exported => 0,
            Role::Declares(_) | Role::Refers(_) | Role::Redeclares | Role::Unreferable => 1,
            Role::NotRenamable => 3,
            _ => 2,
        };
        (identifier.span.end == offset, rank)
    });
    match identifiers.first() {
        Some(identifier) => resolve_identifier(checker, here, identifier),
        None => match resolve_in_jsdoc(checker, here, offset) {
            Some(Ok(found)) => Ok(found),
            found => {
                let declared = resolve_comment_name(checker, offset).map(Ok);
                declared.or(found).unwrap_or_else(|| Err(no_name_failure()))
            }
        },
    }
}

pub(super) fn no_name_failure() -> Failure {
    fail(FailureKind::RefactorFailed, "no name at this position")
        .hint("give the position of the first character of a name, or the address of the symbol")
}

pub(super) fn refusal(message: impl Into<String>, hint: &str, identifier: &Identifier<'_>) -> Failure {
    let span = marquetry_sdk::Span { start: identifier.span.start, end: identifier.span.end };
    fail(FailureKind::RefactorFailed, message).hint(hint).at(span)
}

fn resolve_identifier<'w>(
    checker: &Checker<'w>,
    here: &Module<'w>,
    identifier: &Identifier<'w>,
) -> Result<ResolvedSubject> {
    let name = identifier.name.to_owned();
    match here.role(identifier) {
        Role::Declares(symbol) | Role::Refers(symbol) | Role::Parameter(symbol) => {
            resolve_symbol(checker, here, identifier, symbol)
        }
        Role::Free => resolve_undeclared(checker, here, identifier),
        Role::Member => resolve_member(checker, identifier),
        Role::Imported => resolve_imported_name(checker, here, identifier),
        Role::Exported => {
            if name == "default" {
                return Err(keyword_failure(identifier));
            }
            Ok(ResolvedSubject::Exported { name, at: here.kind(identifier.node).span().start })
        }
        Role::UmdGlobal => Ok(ResolvedSubject::Shared(name)),
        Role::Redeclares | Role::Unreferable => Ok(ResolvedSubject::Unreferenced { name, span: identifier.span }),
        Role::Label => resolve_label(here, identifier).ok_or_else(no_name_failure),
        Role::StringLiteral => {
            if let Some(named) = component_names::named_by_string(checker, identifier)? {
                return resolve_sites(checker, identifier, named);
            }
            if declares_in_component(here, identifier.node) {
                let at = here.kind(identifier.node).span().start;
                return Ok(ResolvedSubject::Member { name, sites: vec![Site { module: OPEN_DOCUMENT, offset: at }] });
            }
            let found = checker.string_sites(OPEN_DOCUMENT, identifier);
            if found.sites.is_empty() {
                return resolve_string_key(checker, identifier);
            }
            if found.sites.iter().any(|site| is_in_package(&checker.module(site.module).path)) {
                return Err(package_failure(identifier));
            }
            Ok(ResolvedSubject::LiteralType { sites: checker.sites_in_equal_unions(&found.sites, &name), name })
        }
        Role::NotRenamable => Err(refusal(
            format!("`{name}` is not a name that can be renamed"),
            "to change the path of an import, move the file",
            identifier,
        )),
    }
}

pub(super) fn keyword_failure(identifier: &Identifier<'_>) -> Failure {
    refusal(
        format!("`{}` is a keyword", identifier.name),
        "rename the symbol that it refers to at its declaration",
        identifier,
    )
}

fn resolve_symbol(
    checker: &Checker<'_>,
    here: &Module<'_>,
    identifier: &Identifier<'_>,
    symbol: SymbolId,
) -> Result<ResolvedSubject> {
    let scoping = here.scoping();
    let name = identifier.name.to_owned();
    if scoping.symbol_flags(symbol).is_enum_member() {
        return Ok(ResolvedSubject::Member { name, sites: checker.sites_of(OPEN_DOCUMENT, symbol) });
    }
    if identifier.name == "default" {
        return Err(keyword_failure(identifier));
    }
    if let Some(site) = checker.augmented_declaration(symbol) {
        return Ok(ResolvedSubject::Elsewhere { name, place: checker.location_of(site) });
    }
    // A name imported from a package without an alias belongs to that package. It can be renamed at its uses, which adds
    // an alias.
    let declaration = scoping.symbol_declaration(symbol);
    if let AstKind::ImportSpecifier(specifier) = here.kind(declaration)
        && specifier.imported.span() == specifier.local.span
        && specifier.local.span == identifier.span
        && let AstKind::ImportDeclaration(import) = here.parent_kind(declaration)
        && let Some(source) = import.source.value.as_str()
        && is_installed(checker, source)
    {
        return Err(package_failure(identifier)
            .hint(format!("import it under another name: `import {{ {} as … }} from \"{source}\"`", identifier.name)));
    }
    Ok(ResolvedSubject::Symbol(symbol))
}

pub(super) fn package_failure(identifier: &Identifier<'_>) -> Failure {
    refusal(
        format!("`{}` is declared in an installed package", identifier.name),
        "only names of this workspace can be renamed",
        identifier,
    )
}

/// Returns whether a package of this name is in a visible `node_modules` of an enclosing folder.
fn is_installed(checker: &Checker<'_>, specifier: &str) -> bool {
    let here = checker.open_module();
    let (package, _) = monorepo::split_package_name(specifier);
    let folder = paths::parent(&here.path).to_owned();
    !paths::is_relative(specifier)
        && paths::ancestors(&folder)
            .any(|folder| checker.workspace.is_folder(&paths::join_path(folder, &format!("node_modules/{package}"))))
}

fn resolve_undeclared(
    checker: &Checker<'_>,
    here: &Module<'_>,
    identifier: &Identifier<'_>,
) -> Result<ResolvedSubject> {
    if let AstKind::IdentifierReference(name) = here.kind(identifier.node)
        && let Some(symbol) = namespace_sibling(checker, here, identifier, name.name.as_str())
    {
        return Ok(ResolvedSubject::Symbol(symbol));
    }
    let name = identifier.name;
    if builtins::is_platform_name(name) || matches!(name, "require" | "module" | "exports" | "const" | "default") {
        let message = format!("`{name}` is a global of the platform");
        return Err(refusal(message, "only names of this workspace can be renamed", identifier));
    }
    Ok(ResolvedSubject::Shared(name.to_owned()))
}

fn namespace_sibling(
    checker: &Checker<'_>,
    here: &Module<'_>,
    identifier: &Identifier<'_>,
    name: &str,
) -> Option<SymbolId> {
    here.self_and_ancestors(identifier.node).find_map(|around| match here.kind(around) {
        AstKind::TSNamespaceDeclaration(namespace) => {
            let props = checker.namespace_members(OPEN_DOCUMENT, namespace.id.symbol_id.get()?, name);
            match props.found.first()?.source {
                crate::infer::ty::Source::Symbol(OPEN_DOCUMENT, symbol) => Some(symbol),
                _ => None,
            }
        }
        _ => None,
    })
}

fn resolve_member<'w>(checker: &Checker<'w>, identifier: &Identifier<'w>) -> Result<ResolvedSubject> {
    let found = checker.member_sites(OPEN_DOCUMENT, identifier);
    resolve_sites(checker, identifier, found)
}

/// Returns the symbol declared at these sites.
pub(super) fn resolve_sites<'w>(
    checker: &Checker<'w>,
    identifier: &Identifier<'w>,
    found: Sites,
) -> Result<ResolvedSubject> {
    let name = identifier.name.to_owned();
    let Some(first) = found.sites.first().copied() else {
        return Err(if found.external {
            package_failure(identifier)
        } else {
            let message = format!("the type that has the member `{name}` is unknown");
            refusal(
                message,
                "give the position of its declaration, or annotate the type of the object before it",
                identifier,
            )
        });
    };
    if found.external {
        return Err(package_failure(identifier));
    }
    let closure = checker.with_overridden_sites(&found.sites, &name);
    if closure.iter().any(|site| site.module != OPEN_DOCUMENT && is_in_package(&checker.module(site.module).path)) {
        return Err(package_failure(identifier));
    }
    let choices: Vec<Site> =
        found.sites.iter().copied().filter(|site| is_literal_type(checker, *site, &name)).collect();
    if !choices.is_empty() {
        return Ok(ResolvedSubject::LiteralType { sites: checker.sites_in_equal_unions(&choices, &name), name });
    }
    // An export of a symbol under its own name is renamed with the symbol.
    let first = checker.exported_symbol(first, &name).unwrap_or(first);
    match declaration_kind(checker, first, &name) {
        Some(NonMemberDeclaration::Symbol(symbol)) if first.module == OPEN_DOCUMENT => {
            Ok(ResolvedSubject::Symbol(symbol))
        }
        Some(NonMemberDeclaration::Exported) if first.module == OPEN_DOCUMENT => {
            Ok(ResolvedSubject::Exported { name, at: first.offset })
        }
        Some(_) => Ok(ResolvedSubject::Elsewhere { name, place: checker.location_of(first) }),
        None => Ok(ResolvedSubject::Member { name, sites: found.sites }),
    }
}

/// Returns whether a site is a string literal type, which mapped types can turn into a key.
fn is_literal_type(checker: &Checker<'_>, site: Site, name: &str) -> bool {
    if site == Site::WATCHED {
        return false;
    }
    let module = checker.module(site.module);
    module.identifiers(name).iter().any(|identifier| {
        identifier.quote.is_some()
            && module.kind(identifier.node).span().start == site.offset
            && matches!(module.parent_kind(identifier.node), AstKind::TSLiteralType(_))
    })
}

/// Kind of a declaration other than a member.
pub(super) enum NonMemberDeclaration {
    Symbol(SymbolId),
    Exported,
}

pub(super) fn declaration_kind(checker: &Checker<'_>, site: Site, name: &str) -> Option<NonMemberDeclaration> {
    let module = checker.module(site.module);
    let here = |identifier: &&Identifier<'_>| module.kind(identifier.node).span().start == site.offset;
    let identifiers = module.identifiers(name);
    let mut exported = None;
    for identifier in identifiers.iter().filter(here) {
        match module.role(identifier) {
            Role::Declares(symbol) => {
                // A parameter property is both symbol and member; it counts as a symbol here.
                let flags = module.scoping().symbol_flags(symbol);
                return (!flags.is_enum_member()).then_some(NonMemberDeclaration::Symbol(symbol));
            }
            Role::Exported => exported = Some(NonMemberDeclaration::Exported),
            _ => {}
        }
    }
    exported
}

/// Resolves a string that names a member: `get(object, "name")`.
fn resolve_string_key<'w>(checker: &Checker<'w>, identifier: &Identifier<'w>) -> Result<ResolvedSubject> {
    let mut found = Sites::default();
    for ty in checker.contextual_type(OPEN_DOCUMENT, identifier.node).alternatives() {
        if let crate::infer::ty::Ty::Keys(of) = checker.constraint_or_self(ty) {
            found.sites.extend(checker.props(&of, identifier.name).sites());
        }
    }
    if found.sites.is_empty() {
        return Err(refusal("a string is not a name that can be renamed", "edit the string instead", identifier));
    }
    resolve_sites(checker, identifier, found)
}

fn resolve_label(here: &Module<'_>, identifier: &Identifier<'_>) -> Option<ResolvedSubject> {
    let statement = here.self_and_ancestors(identifier.node).skip(1).find(
        |around| matches!(here.kind(*around), AstKind::LabeledStatement(labeled) if labeled.label.name == identifier.name),
    )?;
    Some(ResolvedSubject::Label { name: identifier.name.to_owned(), statement })
}

/// Resolves an address.
pub(crate) fn resolve_address(
    checker: &Checker<'_>,
    document: &TypeScriptDocument,
    address: &str,
) -> Result<ResolvedSubject> {
    let target = Target { kind: TargetKind::Symbol, value: address.to_owned() };
    let found = document.find(&Query { target, limit: MAX_DECLARATIONS, values: false });
    if found.is_err()
        && let Some(member) = imported_member(checker, address).or_else(|| own_comment_name(checker, address))
    {
        return Ok(member);
    }
    let FindResult::Nodes(nodes) = found? else {
        return Err(fail(FailureKind::InvalidTarget, format!("`{address}` is not a symbol")));
    };
    let thing = |node: &Node| {
        declared_at_offset(checker, node.selection.start).map_err(|failure| {
            if node.selection.is_empty() || node.selection == node.span {
                fail(FailureKind::RefactorFailed, format!("`{address}` has no name that can be renamed"))
                    .hint("only declarations with their own name can be renamed")
            } else {
                failure
            }
        })
    };
    let Some((first, others)) = nodes.nodes.split_first() else {
        return Err(Failure::not_found("symbol", address, []));
    };
    let named = thing(first)?;
    // Overloads, or an interface and a class of the same name, declare one symbol.
    let whole = nodes.total as usize == nodes.nodes.len();
    if whole && others.iter().all(|other| thing(other).is_ok_and(|other| is_same_subject(checker, &named, &other))) {
        return Ok(named);
    }
    Err(fail(FailureKind::AmbiguousTarget, format!("`{address}` matches {} symbols", nodes.total))
        .hint("choose one of the candidates")
        .candidates(nodes.nodes.iter().map(|node| node.address.clone())))
}

/// Maximum number of declarations to compare for one address.
const MAX_DECLARATIONS: u32 = 64;

fn is_same_subject(checker: &Checker<'_>, one: &ResolvedSubject, other: &ResolvedSubject) -> bool {
    match (one, other) {
        (ResolvedSubject::Symbol(one), ResolvedSubject::Symbol(other)) => one == other,
        (ResolvedSubject::Member { name, sites }, ResolvedSubject::Member { sites: others, .. }) => {
            let closure = checker.with_overridden_sites(sites, name);
            others.iter().any(|site| closure.contains(site))
        }
        _ => false,
    }
}

/// Resolves an exported name of the open document.
pub(crate) fn resolve_export(checker: &Checker<'_>, name: &str) -> Result<ResolvedSubject> {
    let module = ModuleRef { module: OPEN_DOCUMENT, block: None };
    let exports = checker.exports(module);
    let unknown = || {
        let mut known: Vec<&str> = exports.named.keys().copied().collect();
        // Keep the order of the candidates stable.
        known.sort_unstable();
        Failure::not_found("export", name, known)
    };
    if let Some(export) = exports.named.get(name).and_then(|all| all.first()) {
        return match export {
            Export::Declared(symbol) => Ok(ResolvedSubject::Symbol(*symbol)),
            Export::Listed { at, .. } | Export::From { at, .. } | Export::Space { at, .. } => {
                Ok(ResolvedSubject::Exported { name: name.to_owned(), at: *at })
            }
            Export::Assigned { at, .. } => {
                let site = Site { module: OPEN_DOCUMENT, offset: *at };
                let symbol = checker.exported_symbol(site, name);
                match symbol.and_then(|symbol| declaration_kind(checker, symbol, name)) {
                    Some(NonMemberDeclaration::Symbol(symbol)) => Ok(ResolvedSubject::Symbol(symbol)),
                    _ => Ok(ResolvedSubject::Member { name: name.to_owned(), sites: vec![site] }),
                }
            }
            Export::Default(export) => {
                let symbol = default_symbol(export).or_else(|| match export.declaration.as_expression() {
                    Some(oxc_ast::ast::Expression::Identifier(name)) => checker.resolve_identifier(OPEN_DOCUMENT, name),
                    _ => None,
                });
                symbol.map(ResolvedSubject::Symbol).ok_or_else(|| {
                    fail(FailureKind::RefactorFailed, "the default export is anonymous")
                        .hint("first give it a name, or rename it where it is imported")
                })
            }
        };
    }
    for specifier in &exports.star_specifiers {
        if let ResolvedModule::Module(found) = checker.resolve_module(OPEN_DOCUMENT, specifier)
            && let Some(site) = checker.exported_props(found, name).sites().first()
        {
            return Ok(ResolvedSubject::Elsewhere { name: name.to_owned(), place: checker.location_of(*site) });
        }
    }
    own_comment_name(checker, name).ok_or_else(unknown)
}
