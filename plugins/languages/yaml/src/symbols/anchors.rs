//! Anchors (`&name`), and the aliases (`*name`) that refer to them. Each document of a file has its own anchors.

use marquetry_sdk::{
    Edit, Failure, FailureKind, Occurrence, RenameResult, Resolution, Result, Span, Subject, Usage, fail, nearest,
    shared,
};

use crate::{
    document::YamlDocument,
    source::Source,
    table::{Id, Kind},
};

/// Returns the node whose anchor a request refers to, or `None` if it does not refer to an anchor.
pub(super) fn requested_anchor(document: &YamlDocument, subject: &Subject) -> Result<Option<Id>> {
    let source = document.source();
    match subject {
        Subject::At(offset) => {
            let at = *offset as usize;
            let own = anchored_nodes(source).find(|id| name_span(source, *id).is_some_and(|name| is_at_name(name, at)));
            let meant = || {
                aliases(source)
                    .find(|alias| source.span(*alias).touches(at))
                    .and_then(|alias| alias_target(source, alias))
            };
            Ok(own.or_else(meant))
        }
        Subject::Address(address) => {
            let Some(name) = address.trim().strip_prefix(['&', '*']) else {
                let value =
                    super::value_at_address(document, address).ok().filter(|id| name_span(source, *id).is_some());
                return Ok(value);
            };
            let called: Vec<Id> = anchored_nodes(source).filter(|id| name_of(source, *id) == name).collect();
            match called[..] {
                [only] => Ok(Some(only)),
                [] => Err(unknown_anchor_error(source, name)),
                _ => Err(fail(FailureKind::AmbiguousTarget, format!("there are {} anchors `{name}`", called.len()))
                    .hint("give the position of one of them")),
            }
        }
        _ => Ok(None),
    }
}

fn unknown_anchor_error(source: Source<'_>, name: &str) -> Failure {
    let names: Vec<&str> = anchored_nodes(source).map(|id| name_of(source, id)).collect();
    fail(FailureKind::TargetNotFound, format!("no anchor `{name}`")).candidates(nearest(name, names))
}

pub(super) fn resolve(document: &YamlDocument, node: Id) -> Resolution {
    let source = document.source();
    let mut occurrences: Vec<Occurrence> = name_span(source, node)
        .map(|span| Occurrence { span, usage: Usage::Declaration, certain: true })
        .into_iter()
        .collect();
    occurrences.extend(alias_names(source, node).map(|span| Occurrence { span, usage: Usage::Read, certain: true }));
    let place = marquetry_jsonpath::locations(&source, source.root_id(), &[node]).pop();
    Resolution {
        kind: "anchor".to_owned(),
        address: place.map(|place| place.address),
        occurrences,
        ..shared::empty_resolution(name_of(source, node))
    }
}

/// Refuses to rename the anchor of a value that was addressed by a key of another name: the key may be meant. A new name
/// with `&` shows that the anchor is meant.
pub(super) fn check_address(document: &YamlDocument, node: Id, subject: &Subject, new_name: &str) -> Result<()> {
    let source = document.source();
    let Subject::Address(address) = subject else { return Ok(()) };
    let place = marquetry_jsonpath::locations(&source, source.root_id(), &[node]).pop();
    let name = name_of(source, node);
    let is_other = place.is_some_and(|place| place.key.is_some() && place.name != name);
    if address.trim().starts_with(['&', '*']) || new_name.starts_with('&') || !is_other {
        return Ok(());
    }
    Err(fail(FailureKind::RefactorFailed, format!("the key or the anchor `&{name}` of its value may be meant"))
        .hint(format!(
            "to rename the anchor, write the new name as `&{}`, or name the anchor as the candidate; to rename the key, give its `line` and `column`",
            new_name.trim_start_matches('*')
        ))
        .candidates([format!("&{name}")]))
}

pub(super) fn rename(document: &YamlDocument, node: Id, new_name: &str) -> Result<RenameResult> {
    let source = document.source();
    let old = name_of(source, node);
    let new = new_name.strip_prefix(['&', '*']).unwrap_or(new_name);
    let is_wrong = |c: char| c.is_whitespace() || c.is_control() || matches!(c, ',' | '[' | ']' | '{' | '}');
    if new.is_empty() || new.contains(is_wrong) {
        let message = format!("`{new_name}` is not an anchor name");
        return Err(
            fail(FailureKind::InvalidArgument, message).hint("anchor names have no white space and none of `,[]{}`")
        );
    }
    if new == old {
        return Ok(shared::empty_renaming(old));
    }
    let around = source.table.children(0).find(|id| (*id..source.table.subtree_end(*id)).contains(&node)).unwrap_or(0);
    let beside = anchored_nodes(source).filter(|id| (around..source.table.subtree_end(around)).contains(id));
    if let Some(taken) = beside.into_iter().find(|id| name_of(source, *id) == new) {
        let failure = fail(FailureKind::RefactorFailed, format!("the document already has an anchor `{new}`"));
        let failure = failure.hint("choose another name: aliases would refer to the later of the two");
        return Err(match name_span(source, taken) {
            Some(span) => failure.at(span),
            None => failure,
        });
    }
    let places = name_span(source, node).into_iter().chain(alias_names(source, node));
    let mut edits: Vec<Edit> = places.map(|span| Edit::new(span, new)).collect();
    edits.sort_by_key(|edit| edit.span.start);
    Ok(RenameResult { edits, ..shared::empty_renaming(old) })
}

/// Returns the nodes that have an anchor.
fn anchored_nodes(source: Source<'_>) -> impl Iterator<Item = Id> {
    (0..source.table.len()).filter(move |id| source.is_node(*id) && source.table.properties(*id).has_anchor())
}

fn aliases(source: Source<'_>) -> impl Iterator<Item = Id> {
    (0..source.table.len()).filter(move |id| source.kind_of(*id) == Kind::Alias)
}

/// Returns the node that an alias refers to.
fn alias_target(source: Source<'_>, alias: Id) -> Option<Id> {
    Some(source.table.extra(alias)).filter(|node| *node < alias)
}

/// Returns the spans of the names of the aliases that refer to a node.
fn alias_names(source: Source<'_>, node: Id) -> impl Iterator<Item = Span> {
    let those = aliases(source).filter(move |alias| alias_target(source, *alias) == Some(node));
    those.map(move |alias| {
        let range = source.table.range(alias);
        Span::new(range.start + 1, range.end)
    })
}

/// Returns the span of the name of a node's anchor, without the `&`.
fn name_span(source: Source<'_>, node: Id) -> Option<Span> {
    let properties = source.table.properties(node);
    properties.has_anchor().then(|| Span::new(properties.anchor.0 as usize + 1, properties.anchor.1 as usize))
}

fn name_of(source: Source<'_>, node: Id) -> &str {
    name_span(source, node).map_or("", |span| span.slice(source.text))
}

/// Returns whether an offset is in a name, or at the `&` or `*` before it.
fn is_at_name(name: Span, at: usize) -> bool {
    name.touches(at) || at + 1 == name.start as usize
}
