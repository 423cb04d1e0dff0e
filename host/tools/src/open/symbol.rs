//! `symbol`: a symbol by name or address, in one file or anywhere in the workspace.

use std::collections::BTreeSet;

use marquetry_graph::{DetailLevel, Entry};
use marquetry_model::{
    Error, Kind, Result,
    nearest::{MAX_CANDIDATES, nearest_names},
    pack::{Target, TargetKind},
    text::Lines,
};

use super::{FilePart, OpenItem, ResolvedItem, existing_file};
use crate::{
    document::{FindOptions, Found, NodeLocation, OpenFile},
    result_types::range_of,
    session::Session,
    target::default_kind,
};

pub(super) fn resolve_symbol_item(session: &Session, item: &OpenItem) -> Result<ResolvedItem> {
    let query = item.required(item.query.as_ref(), "query")?;
    match &item.path {
        Some(path) => {
            let file = session.open(&existing_file(session, path)?)?;
            let address = named_in(&file, query)?;
            find_in_file(session, &file, address.as_deref().unwrap_or(query))
        }
        None => {
            let (path, address) = find_in_workspace(session, query)?;
            find_in_file(session, &session.open(&path)?, &address)
        }
    }
}

/// Returns the address of the only symbol with this name in a file; `None` if the name is an address already or is not
/// found.
fn named_in(file: &OpenFile, name: &str) -> Result<Option<String>> {
    let outline = file.outline()?;
    if outline.iter().any(|node| node.address == name) {
        return Ok(None);
    }
    let named: Vec<String> = outline.into_iter().filter(|node| node.name == name).map(|node| node.address).collect();
    match named.as_slice() {
        [] => Ok(None),
        [only] => Ok(Some(only.clone())),
        _ => Err(ambiguous_symbol(name, named.len(), named.into_iter())),
    }
}

fn ambiguous_symbol(name: &str, count: usize, candidates: impl Iterator<Item = String>) -> Error {
    Error::new(Kind::AmbiguousTarget, format!("{count} symbols are called `{name}`"))
        .hint("give one of the candidates as `query`; the part before the colon is its `path`")
        .candidates(candidates)
}

/// Finds the only symbol of the workspace with this address or name. Returns its file and address.
fn find_in_workspace(session: &Session, query: &str) -> Result<(String, String)> {
    let workspace = session.workspace(DetailLevel::Symbols)?;
    let matching = |fits: &dyn Fn(&str, &str) -> bool| -> BTreeSet<(String, String)> {
        let of_file = |entry: &Entry| {
            let symbols = entry.symbols.iter().flatten().filter(|symbol| fits(&symbol.address, &symbol.name));
            symbols.map(|symbol| (entry.path.clone(), symbol.address.clone())).collect::<Vec<_>>()
        };
        workspace.files().flat_map(of_file).collect()
    };
    let mut found = matching(&|address, _| address == query);
    if found.is_empty() {
        found = matching(&|_, name| name == query);
    }
    if found.is_empty() {
        found = matching(&|_, name| name.eq_ignore_ascii_case(query));
    }
    let count = found.len();
    let mut found = found.into_iter();
    match (found.next(), count) {
        (Some(only), 1) => Ok(only),
        (Some(first), _) => {
            let shown = std::iter::once(first).chain(found).take(MAX_CANDIDATES * 5);
            Err(ambiguous_symbol(query, count, shown.map(|(path, address)| format!("{path}: {address}"))))
        }
        (None, _) => {
            let known = workspace.files().flat_map(|entry| entry.symbols.iter().flatten());
            let known: BTreeSet<&str> = known.map(|symbol| symbol.name.as_str()).collect();
            Err(Error::new(Kind::TargetNotFound, format!("no symbol `{query}` in the workspace"))
                .hint("query `workspaceSymbols` lists symbols by a part of their name")
                .candidates(nearest_names(query, known.into_iter().map(str::to_owned))))
        }
    }
}

/// Finds an address in its file.
fn find_in_file(session: &Session, file: &OpenFile, address: &str) -> Result<ResolvedItem> {
    let kind = match default_kind(file.description()) {
        TargetKind::Lines => TargetKind::Symbol,
        kind => kind,
    };
    let target = Target { kind, value: address.to_owned() };
    let wanted = FindOptions { limit: MAX_CANDIDATES, values: false };
    let not_found = || Error::new(Kind::TargetNotFound, format!("no symbol `{address}` in {}", file.path()));
    let Found::Places(places) = file.find(session, vec![target], wanted)? else { return Err(not_found()) };
    match places.list.as_slice() {
        [] => Err(not_found()),
        [only] => Ok(symbol_part(file, only)),
        several => {
            let candidates: Vec<String> = several.iter().map(|place| place.address().to_owned()).collect();
            Err(ambiguous_symbol(address, places.total, candidates.into_iter()))
        }
    }
}

fn symbol_part(file: &OpenFile, place: &NodeLocation) -> ResolvedItem {
    let range = range_of(&Lines::new(file.text()), place.span());
    let part = Some(FilePart::between(range.start, range.end));
    ResolvedItem::File { path: file.path().to_owned(), part, address: Some(place.address().to_owned()) }
}
