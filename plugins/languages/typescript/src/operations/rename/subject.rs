//! Resolving an offset, an address or an exported name to a symbol.

use marquetry_sdk::{Document, Failure, FailureKind, Found, Node, Place, Query, Result, Target, TargetKind, fail};
use oxc_ast::AstKind;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan;

use crate::TypeScriptDocument;
use crate::infer::checker::Checker;
use crate::infer::members::Sites;
use crate::infer::ty::Entity;
use crate::infer::{builtins, jsdoc};
use crate::program::exports::{Export, default_symbol};
use crate::program::identifiers::{Identifier, Role};
use crate::program::ids::{HERE, ModuleRef, Site};
use crate::program::module::Module;
use crate::program::resolution::{monorepo, paths};
use crate::program::{ResolvedModule, in_package};

/// A symbol in the broad sense: anything that can be referenced or renamed.
#[derive(Clone, Debug)]
pub(crate) enum Thing {
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
        place: Place,
    },
    /// A global name shared by all scripts.
    Shared(String),
    Label {
        name: String,
        statement: NodeId,
    },
    /// A declaration that nothing can refer to: an erroneous redeclaration, or the parameter of an index signature.
    Alone {
        name: String,
        span: oxc_span::Span,
    },
    /// A name that an `@import` tag brings into comments.
    Tag(String),
    /// A string literal type.
    Choice {
        name: String,
        sites: Vec<Site>,
    },
}

/// Returns the symbol at an offset.
pub(crate) fn at(checker: &Checker<'_>, offset: u32) -> Result<Thing> {
    let here = checker.here();
    let mut identifiers = here.identifiers_at(offset);
    identifiers.retain(|identifier| checker.is_written(identifier.span));
    named_first(checker, &here, identifiers, offset)
}

/// Returns the symbol that an address declares at an offset: for a shorthand `{ x }` the property, not the variable.
fn declared_at(checker: &Checker<'_>, offset: u32) -> Result<Thing> {
    let here = checker.here();
    let mut identifiers = here.identifiers_at(offset);
    identifiers.retain(|identifier| checker.is_written(identifier.span));
    let is_key = |identifier: &&Identifier<'_>| {
        matches!(here.kind(identifier.node), AstKind::IdentifierName(_))
            && matches!(here.parent_kind(identifier.node), AstKind::ObjectProperty(property) if property.shorthand)
    };
    if let Some(key) = identifiers.iter().find(is_key).copied() {
        return named(checker, &here, &key);
    }
    named_first(checker, &here, identifiers, offset)
}

fn named_first<'w>(
    checker: &Checker<'w>,
    here: &Module<'w>,
    mut identifiers: Vec<Identifier<'w>>,
    offset: u32,
) -> Result<Thing> {
    // If one word is two names, prefer the one that is declared or exported here.
    identifiers.sort_by_key(|identifier| {
        let rank = match here.role(identifier) {
            Role::Exported => 0,
            Role::Declares(_) | Role::Refers(_) | Role::Redeclares | Role::Unreferable => 1,
            Role::None => 3,
            _ => 2,
        };
        (identifier.span.end == offset, rank)
    });
    match identifiers.first() {
        Some(identifier) => named(checker, here, identifier),
        None => in_comment(checker, here, offset).unwrap_or_else(|| Err(nothing_here())),
    }
}

fn nothing_here() -> Failure {
    fail(FailureKind::RefactorFailed, "no name at this position")
        .hint("give the position of the first character of a name, or the address of the symbol")
}

fn refused(message: impl Into<String>, hint: &str, identifier: &Identifier<'_>) -> Failure {
    let span = marquetry_sdk::Span { start: identifier.span.start, end: identifier.span.end };
    fail(FailureKind::RefactorFailed, message).hint(hint).at(span)
}

fn named<'w>(checker: &Checker<'w>, here: &Module<'w>, identifier: &Identifier<'w>) -> Result<Thing> {
    let name = identifier.name.to_owned();
    match here.role(identifier) {
        Role::Declares(symbol) | Role::Refers(symbol) | Role::Parameter(symbol) => {
            symbol_thing(checker, here, identifier, symbol)
        }
        Role::Free => free(checker, here, identifier),
        Role::Member => member(checker, identifier),
        Role::Imported => imported(checker, here, identifier),
        Role::Exported => {
            if name == "default" {
                return Err(keyword(identifier));
            }
            Ok(Thing::Exported { name, at: here.kind(identifier.node).span().start })
        }
        Role::Shared => Ok(Thing::Shared(name)),
        Role::Redeclares | Role::Unreferable => Ok(Thing::Alone { name, span: identifier.span }),
        Role::Label => label(here, identifier).ok_or_else(nothing_here),
        Role::Text => {
            let found = checker.text_sites(HERE, identifier);
            if found.sites.is_empty() {
                return keyed(checker, identifier);
            }
            if found.sites.iter().any(|site| in_package(&checker.module(site.module).path)) {
                return Err(of_package(identifier));
            }
            Ok(Thing::Choice { sites: checker.same_choices(&found.sites, &name), name })
        }
        Role::None => Err(refused(
            format!("`{name}` is not a name that can be renamed"),
            "to change the path of an import, move the file",
            identifier,
        )),
    }
}

fn keyword(identifier: &Identifier<'_>) -> Failure {
    refused(
        format!("`{}` is a keyword", identifier.name),
        "rename the symbol that it refers to at its declaration",
        identifier,
    )
}

fn symbol_thing(
    checker: &Checker<'_>,
    here: &Module<'_>,
    identifier: &Identifier<'_>,
    symbol: SymbolId,
) -> Result<Thing> {
    let scoping = here.scoping();
    if scoping.symbol_flags(symbol).is_enum_member() {
        return Ok(Thing::Member { name: identifier.name.to_owned(), sites: checker.sites_of(HERE, symbol) });
    }
    if identifier.name == "default" {
        return Err(keyword(identifier));
    }
    // A name imported from a package without an alias belongs to that package and cannot be renamed here.
    let declaration = scoping.symbol_declaration(symbol);
    if let AstKind::ImportSpecifier(specifier) = here.kind(declaration)
        && specifier.imported.span() == specifier.local.span
        && let AstKind::ImportDeclaration(import) = here.parent_kind(declaration)
        && let Some(source) = import.source.value.as_str()
        && is_installed(checker, source)
    {
        return Err(of_package(identifier)
            .hint(format!("import it under another name: `import {{ {} as … }} from \"{source}\"`", identifier.name)));
    }
    Ok(Thing::Symbol(symbol))
}

fn of_package(identifier: &Identifier<'_>) -> Failure {
    refused(
        format!("`{}` is declared in an installed package", identifier.name),
        "only names of this workspace can be renamed",
        identifier,
    )
}

/// Returns whether a package of this name is in a visible `node_modules` of an enclosing folder.
fn is_installed(checker: &Checker<'_>, specifier: &str) -> bool {
    let here = checker.here();
    let (package, _) = monorepo::split_name(specifier);
    let folder = paths::parent(&here.path).to_owned();
    !paths::is_relative(specifier)
        && paths::ancestors(&folder)
            .any(|folder| checker.workspace.is_folder(&paths::in_folder(folder, &format!("node_modules/{package}"))))
}

fn free(checker: &Checker<'_>, here: &Module<'_>, identifier: &Identifier<'_>) -> Result<Thing> {
    if let AstKind::IdentifierReference(name) = here.kind(identifier.node)
        && let Some(symbol) = sibling(checker, here, identifier, name.name.as_str())
    {
        return Ok(Thing::Symbol(symbol));
    }
    let name = identifier.name;
    if builtins::declares(name) || matches!(name, "require" | "module" | "exports" | "const" | "default") {
        let message = format!("`{name}` is a global of the platform");
        return Err(refused(message, "only names of this workspace can be renamed", identifier));
    }
    Ok(Thing::Shared(name.to_owned()))
}

fn sibling(checker: &Checker<'_>, here: &Module<'_>, identifier: &Identifier<'_>, name: &str) -> Option<SymbolId> {
    here.chain(identifier.node).find_map(|around| match here.kind(around) {
        AstKind::TSNamespaceDeclaration(namespace) => {
            let props = checker.namespace_members(HERE, namespace.id.symbol_id.get()?, name);
            match props.found.first()?.source {
                crate::infer::ty::Source::Symbol(HERE, symbol) => Some(symbol),
                _ => None,
            }
        }
        _ => None,
    })
}

fn member<'w>(checker: &Checker<'w>, identifier: &Identifier<'w>) -> Result<Thing> {
    let found = checker.member_sites(HERE, identifier);
    of_sites(checker, identifier, found)
}

/// Returns the symbol declared at these sites.
fn of_sites<'w>(checker: &Checker<'w>, identifier: &Identifier<'w>, found: Sites) -> Result<Thing> {
    let name = identifier.name.to_owned();
    let Some(first) = found.sites.first().copied() else {
        return Err(if found.external {
            of_package(identifier)
        } else {
            let message = format!("the type that has the member `{name}` is unknown");
            refused(
                message,
                "give the position of its declaration, or annotate the type of the object before it",
                identifier,
            )
        });
    };
    if found.external {
        return Err(of_package(identifier));
    }
    let closure = checker.closure(&found.sites, &name);
    if closure.iter().any(|site| site.module != HERE && in_package(&checker.module(site.module).path)) {
        return Err(of_package(identifier));
    }
    let choices: Vec<Site> = found.sites.iter().copied().filter(|site| is_choice(checker, *site, &name)).collect();
    if !choices.is_empty() {
        return Ok(Thing::Choice { sites: checker.same_choices(&choices, &name), name });
    }
    match declared_as(checker, first, &name) {
        Some(Declared::Symbol(symbol)) if first.module == HERE => Ok(Thing::Symbol(symbol)),
        Some(Declared::Exported) if first.module == HERE => Ok(Thing::Exported { name, at: first.offset }),
        Some(_) => Ok(Thing::Elsewhere { name, place: checker.place(first) }),
        None => Ok(Thing::Member { name, sites: found.sites }),
    }
}

/// Returns whether a site is a string literal type, of which mapped types make keys.
fn is_choice(checker: &Checker<'_>, site: Site, name: &str) -> bool {
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
pub(super) enum Declared {
    Symbol(SymbolId),
    Exported,
}

pub(super) fn declared_as(checker: &Checker<'_>, site: Site, name: &str) -> Option<Declared> {
    let module = checker.module(site.module);
    let here = |identifier: &&Identifier<'_>| module.kind(identifier.node).span().start == site.offset;
    let identifiers = module.identifiers(name);
    let mut exported = None;
    for identifier in identifiers.iter().filter(here) {
        match module.role(identifier) {
            Role::Declares(symbol) => {
                // A parameter property is both symbol and member; it counts as a symbol here.
                let flags = module.scoping().symbol_flags(symbol);
                return (!flags.is_enum_member()).then_some(Declared::Symbol(symbol));
            }
            Role::Exported => exported = Some(Declared::Exported),
            _ => {}
        }
    }
    exported
}

/// Resolves the imported name in an import or re-export.
fn imported<'w>(checker: &Checker<'w>, here: &Module<'w>, identifier: &Identifier<'w>) -> Result<Thing> {
    if identifier.name == "default" {
        return Err(keyword(identifier));
    }
    let parent = here.parent(identifier.node);
    let source = match here.parent_kind(parent) {
        AstKind::ImportDeclaration(import) => import.source.value.as_str(),
        AstKind::ExportFromDeclaration(export) => export.source.value.as_str(),
        _ => None,
    };
    let Some(source) = source else { return Err(nothing_here()) };
    match checker.resolve_module(HERE, source) {
        ResolvedModule::Module(found) => of_sites(checker, identifier, checker.exported(found, identifier.name).into()),
        ResolvedModule::External => Err(of_package(identifier)),
        ResolvedModule::Unknown | ResolvedModule::Watched => {
            let message = format!("the module `{source}`, which declares `{}`, was not found", identifier.name);
            Err(refused(message, "only names of this workspace can be renamed", identifier))
        }
    }
}

/// Resolves a string that names a member: `get(object, "name")`.
fn keyed<'w>(checker: &Checker<'w>, identifier: &Identifier<'w>) -> Result<Thing> {
    let mut found = Sites::default();
    for ty in checker.contextual(HERE, identifier.node).alternatives() {
        if let crate::infer::ty::Ty::Keys(of) = checker.constrained(ty) {
            found.sites.extend(checker.props(&of, identifier.name).sites());
        }
    }
    if found.sites.is_empty() {
        return Err(refused("a string is not a name that can be renamed", "edit the string instead", identifier));
    }
    of_sites(checker, identifier, found)
}

fn label(here: &Module<'_>, identifier: &Identifier<'_>) -> Option<Thing> {
    let statement = here.chain(identifier.node).skip(1).find(
        |around| matches!(here.kind(*around), AstKind::LabeledStatement(labeled) if labeled.label.name == identifier.name),
    )?;
    Some(Thing::Label { name: identifier.name.to_owned(), statement })
}

/// Resolves a name in a JSDoc comment.
fn in_comment(checker: &Checker<'_>, here: &Module<'_>, offset: u32) -> Option<Result<Thing>> {
    let text = here.text();
    let comment = here
        .program
        .comments
        .iter()
        .find(|comment| comment.is_block() && comment.span.start < offset && offset < comment.span.end)?;
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let at = offset as usize;
    let start = text[..at].trim_end_matches(part).len().max(comment.span.start as usize);
    let end = at + text[at..].find(|c| !part(c)).unwrap_or(text.len() - at);
    let name = text.get(start..end).filter(|name| !name.is_empty())?;
    let tagged = jsdoc::tag_imports(here).iter().any(|import| import.local.source_text(text) == name);
    for mention in jsdoc::mentions(here, name) {
        let index = mention.parts.iter().position(|part| part.start as usize == start);
        if let Some(index) = index {
            let found = checker.mentioned(HERE, &mention, index);
            if tagged && index == 0 && found.sites.is_empty() {
                return Some(Ok(Thing::Tag(name.to_owned())));
            }
            let identifier = Identifier { node: NodeId::ROOT, name, span: mention.parts[index], quote: None };
            return Some(of_sites_in_comment(checker, &identifier, found));
        }
    }
    None
}

fn of_sites_in_comment(checker: &Checker<'_>, identifier: &Identifier<'_>, found: Sites) -> Result<Thing> {
    let name = identifier.name.to_owned();
    let Some(first) = found.sites.first().copied() else { return Err(nothing_here()) };
    match declared_as(checker, first, &name) {
        Some(Declared::Symbol(symbol)) if first.module == HERE => Ok(Thing::Symbol(symbol)),
        Some(_) => Ok(Thing::Elsewhere { name, place: checker.place(first) }),
        None => Ok(Thing::Member { name, sites: found.sites }),
    }
}

/// Resolves an address.
pub(crate) fn addressed(checker: &Checker<'_>, document: &TypeScriptDocument, address: &str) -> Result<Thing> {
    let target = Target { kind: TargetKind::Symbol, value: address.to_owned() };
    let found = document.find(&Query { target, limit: MOST_DECLARATIONS, values: false })?;
    let Found::Nodes(nodes) = found else {
        return Err(fail(FailureKind::InvalidTarget, format!("`{address}` is not a symbol")));
    };
    let thing = |node: &Node| {
        declared_at(checker, node.selection.start).map_err(|failure| {
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
    if whole && others.iter().all(|other| thing(other).is_ok_and(|other| same(checker, &named, &other))) {
        return Ok(named);
    }
    Err(fail(FailureKind::AmbiguousTarget, format!("`{address}` matches {} symbols", nodes.total))
        .hint("choose one of the candidates")
        .candidates(nodes.nodes.iter().map(|node| node.address.clone())))
}

/// Maximum number of declarations to compare for one address.
const MOST_DECLARATIONS: u32 = 64;

fn same(checker: &Checker<'_>, one: &Thing, other: &Thing) -> bool {
    match (one, other) {
        (Thing::Symbol(one), Thing::Symbol(other)) => one == other,
        (Thing::Member { name, sites }, Thing::Member { sites: others, .. }) => {
            let closure = checker.closure(sites, name);
            others.iter().any(|site| closure.contains(site))
        }
        _ => false,
    }
}

/// Resolves an exported name of the open document.
pub(crate) fn exported(checker: &Checker<'_>, name: &str) -> Result<Thing> {
    let module = ModuleRef { module: HERE, block: None };
    let exports = checker.exports(module);
    let unknown = || {
        let mut known: Vec<&str> = exports.named.keys().copied().collect();
        // Keep the order of the candidates stable.
        known.sort_unstable();
        Failure::not_found("export", name, known)
    };
    if let Some(export) = exports.named.get(name).and_then(|all| all.first()) {
        return match export {
            Export::Declared(symbol) => Ok(Thing::Symbol(*symbol)),
            Export::Listed { at, .. } | Export::From { at, .. } | Export::Space { at, .. } => {
                Ok(Thing::Exported { name: name.to_owned(), at: *at })
            }
            Export::Assigned { at, .. } => {
                let sites = vec![Site { module: HERE, offset: *at }];
                Ok(Thing::Member { name: name.to_owned(), sites })
            }
            Export::Default(export) => {
                let symbol = default_symbol(export).or_else(|| match export.declaration.as_expression() {
                    Some(oxc_ast::ast::Expression::Identifier(name)) => checker.resolved(HERE, name),
                    _ => None,
                });
                symbol.map(Thing::Symbol).ok_or_else(|| {
                    fail(FailureKind::RefactorFailed, "the default export is anonymous")
                        .hint("first give it a name, or rename it where it is imported")
                })
            }
        };
    }
    for specifier in &exports.stars {
        if let ResolvedModule::Module(found) = checker.resolve_module(HERE, specifier)
            && let Some(site) = checker.exported(found, name).sites().first()
        {
            return Ok(Thing::Elsewhere { name: name.to_owned(), place: checker.place(*site) });
        }
    }
    Err(unknown())
}

/// Returns where the symbol at an offset is declared.
pub(crate) fn declaration(checker: &Checker<'_>, offset: u32) -> Option<Site> {
    match at(checker, offset) {
        Ok(Thing::Symbol(symbol)) => match checker.entity(HERE, symbol) {
            Entity::Symbol(module, found) => checker.sites_of(module, found).first().copied(),
            _ => checker.sites_of(HERE, symbol).first().copied(),
        },
        Ok(Thing::Member { sites, .. }) => sites.first().copied(),
        Ok(Thing::Exported { at, .. }) => Some(Site { module: HERE, offset: at }),
        Ok(Thing::Elsewhere { place, .. }) => checker.site(&place),
        _ => None,
    }
}
