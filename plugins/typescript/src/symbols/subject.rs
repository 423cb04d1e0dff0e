//! What a caller asks about: from an offset, an address or an import to the thing itself.

use marquetry_sdk::{Document, Failure, FailureKind, Found, Node, Place, Query, Result, Target, TargetKind, fail};
use oxc_ast::AstKind;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan;

use super::exports::{Export, default_symbol};
use super::jsdoc;
use super::platform;
use super::tokens::{Role, Sites, Token};
use super::ty::Entity;
use super::world::{HERE, Lead, Module, ModuleRef, Site, World, in_package};
use crate::TypeScriptDocument;

/// The thing that is asked about.
#[derive(Clone, Debug)]
pub(crate) enum Thing {
    /// A variable, function, class, type, import …
    Symbol(SymbolId),
    /// A property, method, enum member …
    Member {
        name: String,
        sites: Vec<Site>,
    },
    /// The name of an export list, apart from what it exports.
    Exported {
        name: String,
        at: u32,
    },
    /// Something that another file declares, as a whole or under a name of its own.
    Elsewhere {
        name: String,
        place: Place,
    },
    /// A name that all scripts share.
    Shared(String),
    Label {
        name: String,
        statement: NodeId,
    },
    /// A declaration whose name is taken.
    Alone {
        name: String,
        span: oxc_span::Span,
    },
    /// A name that an `@import` tag brings into the comments.
    Tag(String),
    /// One of the texts that a type allows.
    Choice {
        name: String,
        sites: Vec<Site>,
    },
}

/// What stands at an offset.
pub(crate) fn at(world: &World<'_>, offset: u32) -> Result<Thing> {
    let here = world.here();
    let mut tokens = here.tokens_at(offset);
    tokens.retain(|token| world.is_written(token.span));
    // Where two names are one word, the one that is declared or exported here is meant.
    tokens.sort_by_key(|token| {
        let rank = match here.role(token) {
            Role::Exported => 0,
            Role::Declares(_) | Role::Refers(_) | Role::Alone => 1,
            Role::None => 3,
            _ => 2,
        };
        (token.span.end == offset, rank)
    });
    match tokens.first() {
        Some(token) => named(world, &here, token),
        None => in_comment(world, &here, offset).unwrap_or_else(|| Err(nothing_here())),
    }
}

fn nothing_here() -> Failure {
    fail(FailureKind::RefactorFailed, "no name stands there")
        .hint("point at the first character of a name, or name the symbol by its address")
}

fn refused(message: impl Into<String>, hint: &str, token: &Token<'_>) -> Failure {
    let span = marquetry_sdk::Span { start: token.span.start, end: token.span.end };
    fail(FailureKind::RefactorFailed, message).hint(hint).at(span)
}

fn named<'w>(world: &World<'w>, here: &Module<'w>, token: &Token<'w>) -> Result<Thing> {
    let name = token.name.to_owned();
    match here.role(token) {
        Role::Declares(symbol) | Role::Refers(symbol) | Role::Parameter(symbol) => {
            symbol_thing(world, here, token, symbol)
        }
        Role::Free => free(world, here, token),
        Role::Member => member(world, token),
        Role::Imported => imported(world, here, token),
        Role::Exported => {
            if name == "default" {
                return Err(keyword(token));
            }
            Ok(Thing::Exported { name, at: here.kind(token.node).span().start })
        }
        Role::Shared => Ok(Thing::Shared(name)),
        Role::Alone => Ok(Thing::Alone { name, span: token.span }),
        Role::Label => label(here, token).ok_or_else(nothing_here),
        Role::Text => {
            let found = world.text_sites(HERE, token);
            if found.sites.is_empty() {
                return keyed(world, token);
            }
            if found.sites.iter().any(|site| in_package(&world.module(site.module).path)) {
                return Err(of_package(token));
            }
            Ok(Thing::Choice { sites: world.same_choices(&found.sites, &name), name })
        }
        Role::None => Err(refused(
            format!("`{name}` is no name that can be renamed"),
            "to change the path of an import, move the file",
            token,
        )),
    }
}

fn keyword(token: &Token<'_>) -> Failure {
    refused(
        format!("`{}` is a word of the language", token.name),
        "rename what it stands for where that is declared",
        token,
    )
}

fn symbol_thing(world: &World<'_>, here: &Module<'_>, token: &Token<'_>, symbol: SymbolId) -> Result<Thing> {
    let scoping = here.scoping();
    if scoping.symbol_flags(symbol).is_enum_member() {
        return Ok(Thing::Member { name: token.name.to_owned(), sites: world.sites_of(HERE, symbol) });
    }
    if token.name == "default" {
        return Err(keyword(token));
    }
    // An import of a package's own name is that package's, not ours, to rename.
    let declaration = scoping.symbol_declaration(symbol);
    if let AstKind::ImportSpecifier(specifier) = here.kind(declaration)
        && specifier.imported.span() == specifier.local.span
        && let AstKind::ImportDeclaration(import) = here.parent_kind(declaration)
        && let Some(source) = import.source.value.as_str()
        && is_installed(world, source)
    {
        return Err(of_package(token)
            .hint(format!("import it under another name: `import {{ {} as … }} from \"{source}\"`", token.name)));
    }
    Ok(Thing::Symbol(symbol))
}

fn of_package(token: &Token<'_>) -> Failure {
    refused(
        format!("`{}` is declared in an installed package", token.name),
        "only names of this workspace can be renamed",
        token,
    )
}

/// Whether a package of this name lies in a `node_modules` that can be seen.
fn is_installed(world: &World<'_>, specifier: &str) -> bool {
    let here = world.here();
    let (package, _) = crate::links::package::split_name(specifier);
    let folder = crate::links::paths::parent(&here.path).to_owned();
    !crate::links::paths::is_relative(specifier)
        && crate::links::paths::ancestors(&folder).any(|folder| {
            world.view.is_folder(&crate::links::paths::in_folder(folder, &format!("node_modules/{package}")))
        })
}

fn free(world: &World<'_>, here: &Module<'_>, token: &Token<'_>) -> Result<Thing> {
    if let AstKind::IdentifierReference(name) = here.kind(token.node)
        && let Some(symbol) = sibling(world, here, token, name.name.as_str())
    {
        return Ok(Thing::Symbol(symbol));
    }
    let name = token.name;
    if platform::declares(name) || matches!(name, "require" | "module" | "exports" | "const" | "default") {
        let message = format!("`{name}` is declared by the platform");
        return Err(refused(message, "only names of this workspace can be renamed", token));
    }
    Ok(Thing::Shared(name.to_owned()))
}

fn sibling(world: &World<'_>, here: &Module<'_>, token: &Token<'_>, name: &str) -> Option<SymbolId> {
    here.chain(token.node).find_map(|around| match here.kind(around) {
        AstKind::TSNamespaceDeclaration(namespace) => {
            let props = world.namespace_members(HERE, namespace.id.symbol_id.get()?, name);
            match props.found.first()?.source {
                super::ty::Source::Symbol(HERE, symbol) => Some(symbol),
                _ => None,
            }
        }
        _ => None,
    })
}

fn member<'w>(world: &World<'w>, token: &Token<'w>) -> Result<Thing> {
    let found = world.member_sites(HERE, token);
    of_sites(world, token, found)
}

/// The thing that is declared at these sites.
fn of_sites<'w>(world: &World<'w>, token: &Token<'w>, found: Sites) -> Result<Thing> {
    let name = token.name.to_owned();
    let Some(first) = found.sites.first().copied() else {
        return Err(if found.external {
            of_package(token)
        } else {
            let message = format!("it cannot be told what `{name}` is a member of");
            refused(message, "point at its declaration, or give the object before it a type", token)
        });
    };
    if found.external {
        return Err(of_package(token));
    }
    let closure = world.closure(&found.sites, &name);
    if closure.iter().any(|site| site.module != HERE && in_package(&world.module(site.module).path)) {
        return Err(of_package(token));
    }
    match declared_as(world, first, &name) {
        Some(Declared::Symbol(symbol)) if first.module == HERE => Ok(Thing::Symbol(symbol)),
        Some(Declared::Exported) if first.module == HERE => Ok(Thing::Exported { name, at: first.offset }),
        Some(_) => Ok(Thing::Elsewhere { name, place: world.place(first) }),
        None => Ok(Thing::Member { name, sites: found.sites }),
    }
}

/// What kind of declaration, other than of a member, is at a site.
enum Declared {
    Symbol(SymbolId),
    Exported,
}

fn declared_as(world: &World<'_>, site: Site, name: &str) -> Option<Declared> {
    let module = world.module(site.module);
    let here = |token: &&Token<'_>| module.kind(token.node).span().start == site.offset;
    let tokens = module.tokens(name);
    let mut exported = None;
    for token in tokens.iter().filter(here) {
        match module.role(token) {
            Role::Declares(symbol) => {
                // A parameter that is a property, too, is one name with two lives.
                let flags = module.scoping().symbol_flags(symbol);
                return (!flags.is_enum_member()).then_some(Declared::Symbol(symbol));
            }
            Role::Exported => exported = Some(Declared::Exported),
            _ => {}
        }
    }
    exported
}

/// The name of another module's thing in an import or re-export.
fn imported<'w>(world: &World<'w>, here: &Module<'w>, token: &Token<'w>) -> Result<Thing> {
    if token.name == "default" {
        return Err(keyword(token));
    }
    let parent = here.parent(token.node);
    let source = match here.parent_kind(parent) {
        AstKind::ImportDeclaration(import) => import.source.value.as_str(),
        AstKind::ExportFromDeclaration(export) => export.source.value.as_str(),
        _ => None,
    };
    let Some(source) = source else { return Err(nothing_here()) };
    match world.lead(HERE, source) {
        Lead::Module(found) => of_sites(world, token, world.exported(found, token.name).into()),
        Lead::External => Err(of_package(token)),
        Lead::Unknown | Lead::Watched => {
            let message = format!("`{source}`, which declares `{}`, is not found", token.name);
            Err(refused(message, "only names of this workspace can be renamed", token))
        }
    }
}

/// A text that names a member: `get(object, "name")`.
fn keyed<'w>(world: &World<'w>, token: &Token<'w>) -> Result<Thing> {
    let mut found = Sites::default();
    for ty in world.contextual(HERE, token.node).alternatives() {
        if let super::ty::Ty::Keys(of) = world.constrained(ty) {
            found.sites.extend(world.props(&of, token.name).sites());
        }
    }
    if found.sites.is_empty() {
        return Err(refused("a text is no name", "edit it as text", token));
    }
    of_sites(world, token, found)
}

fn label(here: &Module<'_>, token: &Token<'_>) -> Option<Thing> {
    let statement = here.chain(token.node).skip(1).find(
        |around| matches!(here.kind(*around), AstKind::LabeledStatement(labeled) if labeled.label.name == token.name),
    )?;
    Some(Thing::Label { name: token.name.to_owned(), statement })
}

/// A name in a JSDoc comment.
fn in_comment(world: &World<'_>, here: &Module<'_>, offset: u32) -> Option<Result<Thing>> {
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
            let found = world.mentioned(HERE, &mention, index);
            if tagged && index == 0 && found.sites.is_empty() {
                return Some(Ok(Thing::Tag(name.to_owned())));
            }
            let token = Token { node: NodeId::ROOT, name, span: mention.parts[index], quote: None };
            return Some(of_sites_in_comment(world, &token, found));
        }
    }
    None
}

fn of_sites_in_comment(world: &World<'_>, token: &Token<'_>, found: Sites) -> Result<Thing> {
    let name = token.name.to_owned();
    let Some(first) = found.sites.first().copied() else { return Err(nothing_here()) };
    match declared_as(world, first, &name) {
        Some(Declared::Symbol(symbol)) if first.module == HERE => Ok(Thing::Symbol(symbol)),
        Some(_) => Ok(Thing::Elsewhere { name, place: world.place(first) }),
        None => Ok(Thing::Member { name, sites: found.sites }),
    }
}

/// What an address names.
pub(crate) fn addressed(world: &World<'_>, document: &TypeScriptDocument, address: &str) -> Result<Thing> {
    let target = Target { kind: TargetKind::Symbol, value: address.to_owned() };
    let found = document.find(&Query { target, limit: MOST_DECLARATIONS, values: false })?;
    let Found::Nodes(nodes) = found else {
        return Err(fail(FailureKind::InvalidTarget, format!("`{address}` names no symbol")));
    };
    let thing = |node: &Node| {
        at(world, node.selection.start).map_err(|failure| {
            if node.selection.is_empty() || node.selection == node.span {
                fail(FailureKind::RefactorFailed, format!("`{address}` has no name that could be changed"))
                    .hint("only declarations with a name of their own can be renamed")
            } else {
                failure
            }
        })
    };
    let Some((first, others)) = nodes.nodes.split_first() else {
        return Err(Failure::not_found("symbol", address, []));
    };
    let named = thing(first)?;
    // Overloads, and an interface beside a class of its name, are declarations of one thing.
    let whole = nodes.total as usize == nodes.nodes.len();
    if whole && others.iter().all(|other| thing(other).is_ok_and(|other| same(world, &named, &other))) {
        return Ok(named);
    }
    Err(fail(FailureKind::AmbiguousTarget, format!("`{address}` names {} symbols", nodes.total))
        .hint("name one of the candidates")
        .candidates(nodes.nodes.iter().map(|node| node.address.clone())))
}

/// An address that names more declarations than this is not looked at any further.
const MOST_DECLARATIONS: u32 = 64;

fn same(world: &World<'_>, one: &Thing, other: &Thing) -> bool {
    match (one, other) {
        (Thing::Symbol(one), Thing::Symbol(other)) => one == other,
        (Thing::Member { name, sites }, Thing::Member { sites: others, .. }) => {
            let closure = world.closure(sites, name);
            others.iter().any(|site| closure.contains(site))
        }
        _ => false,
    }
}

/// What the open document exports under a name.
pub(crate) fn exported(world: &World<'_>, name: &str) -> Result<Thing> {
    let module = ModuleRef { module: HERE, block: None };
    let exports = world.exports(module);
    let unknown = || Failure::not_found("export", name, exports.named.keys().copied());
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
                    Some(oxc_ast::ast::Expression::Identifier(name)) => world.resolved(HERE, name),
                    _ => None,
                });
                symbol.map(Thing::Symbol).ok_or_else(|| {
                    fail(FailureKind::RefactorFailed, "the default export has no name of its own")
                        .hint("give it a name first, or rename it where it is imported")
                })
            }
        };
    }
    for specifier in &exports.stars {
        if let Lead::Module(found) = world.lead(HERE, specifier)
            && let Some(site) = world.exported(found, name).sites().first()
        {
            return Ok(Thing::Elsewhere { name: name.to_owned(), place: world.place(*site) });
        }
    }
    Err(unknown())
}

/// Where the thing at an offset is declared.
pub(crate) fn declaration(world: &World<'_>, offset: u32) -> Option<Site> {
    match at(world, offset) {
        Ok(Thing::Symbol(symbol)) => match world.entity(HERE, symbol) {
            Entity::Symbol(module, found) => world.sites_of(module, found).first().copied(),
            _ => world.sites_of(HERE, symbol).first().copied(),
        },
        Ok(Thing::Member { sites, .. }) => sites.first().copied(),
        Ok(Thing::Exported { at, .. }) => Some(Site { module: HERE, offset: at }),
        Ok(Thing::Elsewhere { place, .. }) => world.site(&place),
        _ => None,
    }
}

impl World<'_> {
    /// What an imported symbol of the open document leads to, if another file declares it.
    pub(crate) fn declared_elsewhere(&self, symbol: SymbolId) -> Option<Place> {
        match self.entity(HERE, symbol) {
            Entity::Symbol(module, found) if module != HERE => {
                self.sites_of(module, found).first().map(|site| self.place(*site))
            }
            Entity::Module(found) if found.module != HERE => {
                Some(Place { path: self.module(found.module).path.clone(), offset: 0 })
            }
            _ => None,
        }
    }
}
