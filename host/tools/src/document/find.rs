//! Finds targets in a file, including embedded parts in other languages, which belong to other packs.

mod two_meanings;

use std::{rc::Rc, sync::Arc};

use marquetry_model::{
    Error, Kind, Result, Span, limits,
    pack::{Embedded, FindResult as Answer, Node, Query, Target, TargetKind},
};

use super::{Found, NodeLocation, NodeLocations, OpenFile, Part, lines, region, suggestions};
use crate::{
    session::Session,
    target::{own_target_first, supports_kind, supports_only_lines, unsupported_kind},
};

/// Options for a search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FindOptions {
    /// Maximum number of nodes.
    pub(crate) limit: usize,
    /// Include parsed values.
    pub(crate) values: bool,
}

/// Limits the search for a second or later target to the nodes of the previous one.
#[derive(Clone, Copy)]
struct SearchLimits<'a> {
    /// Spans of the nodes that the previous target matched.
    spans: &'a [Span],
    /// Number of previous targets.
    depth: usize,
}

impl OpenFile {
    /// Finds the nodes that the targets match. The first target is searched in the file, and each further target in the
    /// nodes of the previous one.
    pub(crate) fn find(&self, session: &Session, given: Vec<Target>, wanted: FindOptions) -> Result<Found> {
        let mut targets = own_target_first(self.description(), given).into_iter();
        let first = targets.next().ok_or_else(|| Error::argument("no target"))?;
        let query = |target| Query { target, limit: wanted.limit, values: wanted.values };
        let mut found = self.find_in(session, &self.whole, &query(first), None)?;
        for (depth, target) in targets.enumerate() {
            let Found::Places(places) = &found else {
                return Err(Error::argument("the first target is a value, not a node"));
            };
            let Some(outer) = places.list.first().map(|place| Rc::clone(&place.part)) else { break };
            let spans: Vec<Span> = places.list.iter().map(|place| place.node.span).collect();
            let inside = SearchLimits { spans: &spans, depth: depth + 1 };
            found = self.find_in(session, &outer, &query(target), Some(inside))?;
        }
        Ok(found)
    }

    /// Searches one part. The embedded parts are searched instead if the pack does not support the kind of target, or
    /// if the search is limited to `inside`.
    fn find_in(
        &self,
        session: &Session,
        part: &Rc<Part>,
        query: &Query,
        inside: Option<SearchLimits<'_>>,
    ) -> Result<Found> {
        if inside.is_none() && supports_kind(part.description(), query.target.kind) {
            return find_in_part(part, query);
        }
        if inside.is_some_and(|inside| inside.depth >= limits::EMBEDDED_DEPTH) {
            return Err(Error::new(
                Kind::LimitExceeded,
                format!("embedded documents are nested more than {} levels deep", limits::EMBEDDED_DEPTH),
            ));
        }
        let mut missing: Vec<Error> = Vec::new();
        let embedded = part.document()?.embedded()?;
        for inner in &embedded {
            if inside.is_some_and(|inside| !inside.spans.iter().any(|span| span.contains(inner.span))) {
                continue;
            }
            let Some(inner) = self.embedded_part(session, part, inner)? else { continue };
            if !supports_kind(inner.description(), query.target.kind) {
                continue;
            }
            match find_in_part(&inner, query) {
                Ok(found) => return Ok(found),
                Err(error) if error.kind() == Kind::TargetNotFound => missing.push(error),
                Err(error) => return Err(error),
            }
        }
        Err(suggestions::joined(&query.target, missing).unwrap_or_else(|| match inside {
            Some(_) => nothing_inside_error(part, &query.target),
            None => {
                let error = unsupported_kind(part.description(), &query.target);
                match session.unapproved_server(self.path()).filter(|_| supports_only_lines(part.description())) {
                    Some(server) => error.hint(server),
                    None => error,
                }
            }
        }))
    }

    /// Finds the nodes that a target matches, in the file if its pack supports the kind of target, otherwise in all
    /// embedded parts.
    pub(crate) fn find_in_all_parts(&self, session: &Session, target: &Target, wanted: FindOptions) -> Result<Found> {
        let query = Query { target: target.clone(), limit: wanted.limit, values: wanted.values };
        if supports_kind(self.description(), target.kind) {
            return find_in_part(&self.whole, &query);
        }
        let mut all = NodeLocations { list: Vec::new(), total: 0 };
        for inner in self.parts_for(session, target.kind)? {
            match find_in_part(&inner, &query) {
                Ok(Found::Places(places)) => {
                    all.list.extend(places.list);
                    all.total += places.total;
                }
                Ok(value) => return Ok(value),
                Err(error) if error.kind() == Kind::TargetNotFound => {}
                Err(error) => return Err(error),
            }
        }
        all.list.truncate(wanted.limit);
        Ok(Found::Places(all))
    }

    /// Returns whether an embedded part supports this kind of target.
    pub(crate) fn has_parts_for(&self, session: &Session, kind: TargetKind) -> Result<bool> {
        Ok(!self.parts_for(session, kind)?.is_empty())
    }

    /// Returns the embedded parts whose packs support this kind of target.
    fn parts_for(&self, session: &Session, kind: TargetKind) -> Result<Vec<Rc<Part>>> {
        let embedded = self.whole.document()?.embedded()?;
        let mut parts = Vec::new();
        for inner in &embedded {
            let part = self.embedded_part(session, &self.whole, inner)?;
            parts.extend(part.filter(|part| supports_kind(part.description(), kind)));
        }
        Ok(parts)
    }

    /// Returns the last target and the embedded part in which to create it. It must be inside of the place that the other
    /// targets select, or anywhere in the file if there are no other targets. Three parts are tried in this order: the first
    /// one with the node before the `@` of a selector, the first one for which `can_create` returns true, and the first
    /// one, whose error says why nothing can be created. Returns `None` if there are several such parts of the same pack.
    pub(crate) fn part_for_missing(
        &self,
        session: &Session,
        given: Vec<Target>,
        can_create: impl Fn(&Part, &Target) -> bool,
    ) -> Result<Option<(Rc<Part>, Target)>> {
        let mut outer = own_target_first(self.description(), given);
        let Some(target) = outer.pop().filter(|target| target.kind != TargetKind::Lines) else { return Ok(None) };
        let (part, span) = if outer.is_empty() {
            (Rc::clone(&self.whole), None)
        } else {
            let Found::Places(places) = self.find(session, outer, FindOptions { limit: 2, values: false })? else {
                return Ok(None);
            };
            let [only] = places.list.as_slice() else { return Ok(None) };
            (Rc::clone(&only.part), Some(only.node.span))
        };
        if span.is_none() && supports_kind(part.description(), target.kind) {
            return Ok(None);
        }
        let mut parts: Vec<Rc<Part>> = Vec::new();
        for inner in part.document()?.embedded()? {
            if span.is_some_and(|span| !span.contains(inner.span)) {
                continue;
            }
            let inner = self.embedded_part(session, &part, &inner)?;
            parts.extend(inner.filter(|inner| supports_kind(inner.description(), target.kind)));
        }
        // The part with the owner of the target decides, even if it refuses: another part would create an owner, too.
        let owner = target.value.split_once('@').filter(|_| target.kind == TargetKind::Selector);
        let owner = owner.map(|(owner, _)| Query {
            target: Target { kind: target.kind, value: owner.to_owned() },
            limit: 1,
            values: false,
        });
        let has_owner = |part: &Rc<Part>| owner.as_ref().is_some_and(|owner| find_in_part(part, owner).is_ok());
        let creates = |part: &Rc<Part>| can_create(part, &target);
        if parts.iter().any(has_owner) {
            parts.retain(has_owner);
        } else if parts.iter().any(creates) {
            parts.retain(creates);
        }
        let Some(first) = parts.first().cloned() else { return Ok(None) };
        let is_alone = parts[1..].iter().all(|other| other.description().id != first.description().id);
        Ok(is_alone.then_some((first, target)))
    }

    /// Returns the innermost embedded part around an offset that has a pack.
    pub(crate) fn part_at(&self, session: &Session, offset: usize) -> Result<Option<Rc<Part>>> {
        let mut found = None;
        for _ in 0..limits::EMBEDDED_DEPTH {
            let outer = found.as_ref().unwrap_or(&self.whole);
            let local = offset - outer.offset;
            let embedded = outer.document()?.embedded()?;
            let Some(inner) = embedded.iter().find(|part| part.span.start <= local && local <= part.span.end) else {
                break;
            };
            let Some(inner) = self.embedded_part(session, outer, inner)? else { break };
            found = Some(inner);
        }
        Ok(found)
    }

    /// Opens an embedded part as a document, if there is a pack for its language. The same part is opened only once.
    fn embedded_part(&self, session: &Session, outer: &Part, embedded: &Embedded) -> Result<Option<Rc<Part>>> {
        let path = format!("{}.{}", outer.path, embedded.language);
        let offset = outer.offset + embedded.span.start;
        let mut known = self.inner.borrow_mut();
        if let Some(part) = known.iter().find(|part| part.offset == offset && part.path == path) {
            return Ok(Some(Rc::clone(part)));
        }
        let Some(pack) = session.pack_of_language(&embedded.language)? else { return Ok(None) };
        let part = Rc::new(Part::new(pack, path, Arc::from(embedded.span.slice(&outer.text)), offset));
        known.push(Rc::clone(&part));
        Ok(Some(part))
    }
}

/// Finds a target in one part. Lines are handled by the host, all other kinds by the pack.
fn find_in_part(part: &Rc<Part>, query: &Query) -> Result<Found> {
    let Query { target, limit, .. } = query;
    if target.kind == TargetKind::Lines {
        let place = line_place(part, &target.value).map_err(|error| explain_only_lines(part, error))?;
        return Ok(Found::Places(NodeLocations { list: vec![place], total: 1 }));
    }
    let answer = part.document()?.find(query);
    match answer {
        Ok(Answer::Scalar(value)) => Ok(Found::Value(value)),
        Ok(Answer::Nodes(nodes, total)) => Ok(to_places(part, nodes, total)),
        Err(error) if error.kind() == Kind::Unsupported && target.kind == TargetKind::Region => {
            let outline = part.document()?.outline()?;
            let mut nodes = region::region_nodes(part.description(), outline, &target.value)?;
            let total = nodes.len();
            nodes.truncate(*limit);
            Ok(to_places(part, nodes, total))
        }
        Err(error) => Err(suggestions::add_suggestions(part, target, error)),
    }
}

fn to_places(part: &Rc<Part>, nodes: Vec<Node>, total: usize) -> Found {
    let place = |node| NodeLocation { part: Rc::clone(part), node, is_lines: false };
    Found::Places(NodeLocations { list: nodes.into_iter().map(place).collect(), total })
}

fn line_place(part: &Rc<Part>, numbers: &str) -> Result<NodeLocation> {
    Ok(NodeLocation { part: Rc::clone(part), node: lines::line_node(&part.text, numbers)?, is_lines: true })
}

/// Explains that a file has no named targets.
fn explain_only_lines(part: &Part, error: Error) -> Error {
    let named = part.description().targets.iter().any(|help| help.kind != TargetKind::Lines);
    if named || error.kind() != Kind::InvalidTarget {
        return error;
    }
    let path = &part.path;
    error.context(&format!("no plugin reads `{path}`, so only lines can be targets")).hint(
        "write lines as `7` or `7-12`, or use `replace_text` with the text itself; `marq plugin list` shows which formats \
         have plugins",
    )
}

/// Error for a second target, which must be in an embedded part inside of the first target.
fn nothing_inside_error(part: &Part, target: &Target) -> Error {
    let name = &part.description().name;
    Error::argument(format!("nothing inside the first target supports targets by `{}`", target.kind.name())).hint(
        format!(
            "give one target: a second one searches a part in another language, such as a code block, and {name} has \
             none here"
        ),
    )
}
