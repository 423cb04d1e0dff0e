//! Finding what targets name, also in parts of a file that are written in another language and belong to another pack.

use std::{rc::Rc, sync::Arc};

use marquetry_model::{
    Error, Kind, Result, Span, limits,
    pack::{Embedded, Found as Answer, Node, Query, Target, TargetKind},
};

use super::{Found, OpenFile, Part, Place, Places, lines, menu, region};
use crate::{
    session::Session,
    target::{arranged, understands, wrong_kind},
};

/// How much of what is found is wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// At most so many places.
    pub(crate) limit: usize,
    /// With their parsed values.
    pub(crate) values: bool,
}

/// Where a further target looks.
#[derive(Clone, Copy)]
struct Inside<'a> {
    /// What the targets before it named.
    spans: &'a [Span],
    /// How many they are.
    depth: usize,
}

impl OpenFile {
    /// What the targets name: the first in the file, each further one inside what the one before named.
    pub(crate) fn find(&self, session: &Session, given: Vec<Target>, wanted: Wanted) -> Result<Found> {
        let mut targets = arranged(self.description(), given).into_iter();
        let first = targets.next().ok_or_else(|| Error::argument("no target"))?;
        let query = |target| Query { target, limit: wanted.limit, values: wanted.values };
        let mut found = self.find_in(session, &self.whole, &query(first), None)?;
        for (depth, target) in targets.enumerate() {
            let Found::Places(places) = &found else {
                return Err(Error::argument("the first target names a value, not a place"));
            };
            let Some(outer) = places.list.first().map(|place| Rc::clone(&place.part)) else { break };
            let spans: Vec<Span> = places.list.iter().map(|place| place.node.span).collect();
            let inside = Inside { spans: &spans, depth: depth + 1 };
            found = self.find_in(session, &outer, &query(target), Some(inside))?;
        }
        Ok(found)
    }

    /// What is asked of one part; where its pack does not understand the kind, or only what lies `inside` of something is meant,
    /// of the parts inside it that do.
    fn find_in(&self, session: &Session, part: &Rc<Part>, query: &Query, inside: Option<Inside<'_>>) -> Result<Found> {
        if inside.is_none() && understands(part.description(), query.target.kind) {
            return find_here(part, query);
        }
        if inside.is_some_and(|inside| inside.depth >= limits::EMBEDDED_DEPTH) {
            return Err(Error::new(
                Kind::LimitExceeded,
                format!("documents within documents deeper than {}", limits::EMBEDDED_DEPTH),
            ));
        }
        let mut nearest: Option<Error> = None;
        let embedded = part.document()?.embedded()?;
        for inner in &embedded {
            if inside.is_some_and(|inside| !inside.spans.iter().any(|span| span.holds(inner.span))) {
                continue;
            }
            let Some(inner) = self.inner(session, part, inner)? else { continue };
            if !understands(inner.description(), query.target.kind) {
                continue;
            }
            match find_here(&inner, query) {
                Ok(found) => return Ok(found),
                Err(error) if error.kind() == Kind::TargetNotFound => nearest = nearest.or(Some(error)),
                Err(error) => return Err(error),
            }
        }
        Err(nearest.unwrap_or_else(|| match inside {
            Some(_) => nothing_inside(part, &query.target),
            None => wrong_kind(part.description(), &query.target),
        }))
    }

    /// The innermost part in another language around an offset, if some pack takes it.
    pub(crate) fn part_at(&self, session: &Session, offset: usize) -> Result<Option<Rc<Part>>> {
        let mut found = None;
        for _ in 0..limits::EMBEDDED_DEPTH {
            let outer = found.as_ref().unwrap_or(&self.whole);
            let local = offset - outer.offset;
            let embedded = outer.document()?.embedded()?;
            let Some(inner) = embedded.iter().find(|part| part.span.start <= local && local <= part.span.end) else {
                break;
            };
            let Some(inner) = self.inner(session, outer, inner)? else { break };
            found = Some(inner);
        }
        Ok(found)
    }

    /// A part in another language as a document of its own, if some pack takes it. The same part is opened once.
    fn inner(&self, session: &Session, outer: &Part, embedded: &Embedded) -> Result<Option<Rc<Part>>> {
        let path = format!("{}.{}", outer.path, embedded.language);
        let offset = outer.offset + embedded.span.start;
        let mut known = self.inner.borrow_mut();
        if let Some(part) = known.iter().find(|part| part.offset == offset && part.path == path) {
            return Ok(Some(Rc::clone(part)));
        }
        let Some(pack) = session.pack_of_language(&embedded.language)? else { return Ok(None) };
        let part = Rc::new(Part::new(pack, path, Arc::from(embedded.span.of(&outer.text)), offset));
        known.push(Rc::clone(&part));
        Ok(Some(part))
    }
}

/// What a target names in one part: lines are the host's, everything else is asked of the part's pack.
fn find_here(part: &Rc<Part>, query: &Query) -> Result<Found> {
    let Query { target, limit, .. } = query;
    if target.kind == TargetKind::Lines {
        let place = lines_place(part, &target.value).map_err(|error| only_lines(part, error))?;
        return Ok(Found::Places(Places { list: vec![place], total: 1 }));
    }
    let answer = part.document()?.find(query);
    match answer {
        Ok(Answer::Scalar(value)) => Ok(Found::Value(value)),
        Ok(Answer::Nodes(nodes, total)) => Ok(places_of(part, nodes, total)),
        Err(error) if error.kind() == Kind::Unsupported && target.kind == TargetKind::Region => {
            let outline = part.document()?.outline()?;
            let mut nodes = region::nodes(part.description(), outline, &target.value)?;
            let total = nodes.len();
            nodes.truncate(*limit);
            Ok(places_of(part, nodes, total))
        }
        Err(error) => Err(menu::with_addresses(part, target, error)),
    }
}

fn places_of(part: &Rc<Part>, nodes: Vec<Node>, total: usize) -> Found {
    let place = |node| Place { part: Rc::clone(part), node, is_lines: false };
    Found::Places(Places { list: nodes.into_iter().map(place).collect(), total })
}

fn lines_place(part: &Rc<Part>, numbers: &str) -> Result<Place> {
    Ok(Place { part: Rc::clone(part), node: lines::node(&part.text, numbers)?, is_lines: true })
}

/// A name was given for a file in which nothing has a name.
fn only_lines(part: &Part, error: Error) -> Error {
    let named = part.description().targets.iter().any(|help| help.kind != TargetKind::Lines);
    if named || error.kind() != Kind::InvalidTarget {
        return error;
    }
    let path = &part.path;
    error.context(&format!("no plugin knows names in `{path}`, only lines")).hint(
        "write lines as `7` or `7-12`, or use `replace_text` with the text itself; `marq plugin list` shows which formats \
         have plugins",
    )
}

/// A second target was given, and there is nothing in another language inside what the first one names.
fn nothing_inside(part: &Part, target: &Target) -> Error {
    let name = &part.description().name;
    Error::argument(format!("the first target contains nothing that is addressed by `{}`", target.kind.name()))
        .hint(format!(
            "give one target: a second one looks into a part in another language, such as a code block, and {name} has none here"
        ))
}
