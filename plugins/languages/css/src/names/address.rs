//! Resolves addresses of rules and declarations to names.

use marquetry_sdk::{
    Document, Failure, FailureKind, FindResult, Query, Result, Span, Target, TargetKind, fail,
    shared::{CSS_CLASS, CSS_ID, CUSTOM_PROPERTY, KEYFRAMES, Mention, Mentions, PLACEHOLDER},
};

use super::collect::MODULE_NAMESPACE;
use crate::{
    chars::{ident_end, unescape},
    document::Stylesheet,
    tree::Kind,
};

/// Returns the name that an address refers to, and its namespace.
pub(super) fn resolve_address(
    document: &Stylesheet,
    mentions: &Mentions,
    address: &str,
) -> Result<(&'static str, String)> {
    let wanted = address.trim_ascii();
    if let Some((space, name)) = parse_bare_name(wanted) {
        let own = mentions.mentions().iter().find(|mention| {
            (mention.namespace == space
                || mention.namespace == MODULE_NAMESPACE && space != CUSTOM_PROPERTY && space != PLACEHOLDER)
                && mention.name == name
                && mention.declares
        });
        if let Some(own) = own {
            return Ok((own.namespace, name));
        }
        if mentions.referring_to(space, &name).next().is_some() {
            return Ok((space, name));
        }
    }
    name_in_item(document, mentions, wanted)
}

/// Parses a bare `.class`, `#id`, `%placeholder`, `--property` or `@keyframes name`.
fn parse_bare_name(address: &str) -> Option<(&'static str, String)> {
    let (space, written) = match address.as_bytes().first()? {
        b'.' => (CSS_CLASS, &address[1..]),
        b'#' => (CSS_ID, &address[1..]),
        b'%' => (PLACEHOLDER, &address[1..]),
        b'-' if address.starts_with("--") => (CUSTOM_PROPERTY, address),
        b'@' => (KEYFRAMES, address.strip_prefix("@keyframes")?.trim_ascii_start()),
        _ => return None,
    };
    (ident_end(written, 0) == Some(written.len())).then(|| (space, unescape(written).into_owned()))
}

/// Returns the only name in the head of the item at the address: in the selectors of a rule, the prelude of an at-rule,
/// or the name of a declaration. Fails if there are several names.
fn name_in_item(document: &Stylesheet, mentions: &Mentions, address: &str) -> Result<(&'static str, String)> {
    let mut found: Vec<&Mention> = Vec::new();
    for index in items_at(document, address)? {
        let item = document.tree.item(index);
        let head = if item.kind == Kind::Extend { item.start..item.end } else { item.start..item.head };
        let within = |mention: &&Mention| head.contains(&mention.span.start) && mention.declares;
        found.extend(mentions.mentions().iter().filter(within));
    }
    let mut names: Vec<(&'static str, &str)> =
        found.iter().map(|mention| (mention.namespace, &*mention.name)).collect();
    names.sort_unstable();
    names.dedup();
    match names[..] {
        [(space, name)] => Ok((space, name.to_owned())),
        [] => Err(fail(FailureKind::TargetNotFound, format!("`{address}` has no name that can be renamed")).hint(
            "use a class, an id, a custom property or an animation: `.button`, `#main`, `--gap`, `@keyframes spin`",
        )),
        _ => Err(fail(FailureKind::AmbiguousTarget, format!("`{address}` has {} names", names.len()))
            .hint("use one of the candidates")
            .candidates(names.iter().map(|(space, name)| display_address(space, name)))),
    }
}

/// Returns the items at an address.
pub(super) fn items_at(document: &Stylesheet, address: &str) -> Result<Vec<u32>> {
    let target = Target { kind: TargetKind::Selector, value: address.to_owned() };
    let FindResult::Nodes(nodes) = document.find(&Query { target, limit: 16, values: false })? else {
        return Err(Failure::not_found("name", address, []));
    };
    Ok(nodes.nodes.iter().filter_map(|node| document.item_of(node.id)).collect())
}

/// Returns the address of a name, such as `.class` or `#id`.
fn display_address(space: &str, name: &str) -> String {
    let written = marquetry_sdk::stylesheet::chars::escape_identifier(name);
    match space {
        CSS_CLASS | MODULE_NAMESPACE => format!(".{written}"),
        CSS_ID => format!("#{written}"),
        PLACEHOLDER => format!("%{written}"),
        KEYFRAMES => format!("@keyframes {written}"),
        _ => written,
    }
}

/// Returns the address of the item that first defines a name.
pub(super) fn declaration_address(
    document: &Stylesheet,
    mentions: &Mentions,
    space: &'static str,
    name: &str,
) -> Option<String> {
    let first = mentions
        .mentions()
        .iter()
        .find(|mention| mention.namespace == space && mention.name == name && mention.declares)?;
    enclosing_address(document, first.span)
}

/// Returns the address of the innermost item that contains a name.
pub(super) fn enclosing_address(document: &Stylesheet, span: Span) -> Option<String> {
    let items = &document.tree.items;
    let before = items.partition_point(|item| item.start <= span.start);
    let holds = |index: &usize| items[*index].span().contains(span);
    // Items are in document order, so the last match is the innermost.
    let index = (0..before).rev().take(MAX_TRIED).find(holds)?;
    Some(document.address(index as u32))
}

/// Maximum number of items that are tested for whether they contain a name.
const MAX_TRIED: usize = 1000;
