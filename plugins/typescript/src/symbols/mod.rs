//! Symbols: what names are bound to, where they are used, and renaming them.

mod annotations;
mod bases;
mod calls;
mod conflicts;
mod context;
mod expandos;
mod exports;
mod facts;
mod identifiers;
mod incoming;
mod jsdoc;
mod jsx;
mod literals;
mod narrowing;
mod platform;
mod props;
mod redeclared;
mod rename;
mod shelf;
pub(crate) mod subject;
mod tokens;
mod ty;
mod uses;
mod values;
pub(crate) mod world;

use crate::links::view::View;
use crate::{TypeScript, TypeScriptDocument};
use marquetry_sdk::{
    Document, FailureKind, Found, InterfaceFacts, Occurrence, Query, Renaming, Resolution, Result, Span, Subject,
    Symbols, Target, TargetKind, fail,
};
use rename::Usages;
use world::World;

/// Look at the open document with everything that its types lead to.
pub(crate) fn with_world<R>(document: &TypeScriptDocument, look: impl FnOnce(&mut World<'_>) -> R) -> R {
    let view = View::now();
    document.tree.with(|parsed| {
        shelf::with(|arena, books| {
            let load = |path: &str, text: &str| books.get(arena, path, text);
            let file = (document.tree.path(), document.tree.text());
            look(&mut World::new(&load, &view, file, parsed.program, parsed.semantic()))
        })
    })
}

/// All uses of what a subject names.
fn usages(world: &mut World<'_>, document: &TypeScriptDocument, subject: &Subject) -> Result<Usages> {
    if world.here().program.body.is_empty() && !world.here().text().trim().is_empty() {
        return Err(fail(FailureKind::ParseError, "the file cannot be parsed")
            .hint("mend its syntax first; the problems of the file say where it breaks"));
    }
    Ok(match subject {
        Subject::At(offset) => rename::usages(world, subject::at(world, *offset)?),
        Subject::Address(address) => rename::usages(world, subject::addressed(world, document, address)?),
        Subject::Exported(name) => rename::usages(world, subject::exported(world, name)?),
        Subject::Imported(key) => incoming::imported(world, key),
        Subject::ImportedDefault(key) => incoming::imported_default(world, key),
        Subject::Declared(key) => rename::declared(world, key),
        Subject::Shared(name) => rename::shared(world, name),
    })
}

impl Symbols for TypeScript {
    fn facts(document: &TypeScriptDocument) -> InterfaceFacts {
        with_world(document, |world| facts::facts(world))
    }

    fn resolve_symbol(document: &TypeScriptDocument, subject: Subject) -> Result<Resolution> {
        with_world(document, |world| {
            let usages = usages(world, document, &subject)?;
            Ok(resolution(world, document, usages))
        })
    }

    fn rename(document: &TypeScriptDocument, subject: Subject, new_name: &str) -> Result<Renaming> {
        with_world(document, |world| {
            let usages = usages(world, document, &subject)?;
            rename::rename(world, usages, new_name)
        })
    }
}

fn resolution(world: &World<'_>, document: &TypeScriptDocument, usages: Usages) -> Resolution {
    let span = |span: oxc_span::Span| Span { start: span.start, end: span.end };
    let certain =
        usages.found.uses.iter().map(|found| Occurrence { span: span(found.span), usage: found.usage, certain: true });
    let unsure = usages.found.left.iter().map(|left| Occurrence {
        span: span(*left),
        usage: marquetry_sdk::Usage::Read,
        certain: false,
    });
    let mut occurrences: Vec<Occurrence> = certain.chain(unsure).collect();
    occurrences.sort_by_key(|occurrence| (occurrence.span.start, occurrence.span.end));
    occurrences.dedup_by_key(|occurrence| occurrence.span);
    let here = world.here();
    let symbol = usages.found.symbols.first().copied();
    let kind = symbol
        .map_or(if usages.declared.is_some() { "member" } else { "name" }, |symbol| facts::symbol_kind(&here, symbol));
    let declaration = occurrences.iter().find(|occurrence| occurrence.usage == marquetry_sdk::Usage::Declaration);
    let address = declaration.and_then(|declaration| address_at(document, declaration.span.start));
    let unsure = usages.found.left.len();
    let elsewhere = usages.elsewhere.or_else(|| symbol.and_then(|symbol| world.declared_elsewhere(symbol)));
    let origin = symbol.and_then(|symbol| {
        let name = here.scoping().symbol_name(symbol);
        facts::facts(world).imports.into_iter().find(|import| import.local.as_deref() == Some(name))
    });
    Resolution {
        name: usages.name,
        kind: kind.to_owned(),
        address,
        occurrences,
        exported_as: usages.exported,
        origin,
        incomplete: (unsure > 0)
            .then(|| format!("of {unsure} places with this name it cannot be told what they are members of")),
        declared: usages.declared,
        shared: usages.shared,
        elsewhere,
    }
}

/// The address of the declaration whose name is at an offset.
pub(crate) fn address_at(document: &TypeScriptDocument, offset: u32) -> Option<String> {
    document.outline().into_iter().find(|node| node.selection.start == offset).map(|node| node.address)
}

/// The span of the declaration with an address.
pub(crate) fn span_of(document: &TypeScriptDocument, address: &str) -> Option<Span> {
    let target = Target { kind: TargetKind::Symbol, value: address.to_owned() };
    match document.find(&Query { target, limit: 1, values: false }).ok()? {
        Found::Nodes(nodes) => nodes.nodes.first().map(|node| node.span),
        Found::Scalar(_) => None,
    }
}
