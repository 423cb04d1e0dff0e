//! Finding nodes in an open file, also in parts that are written in another language and belong to another pack.

use std::sync::Arc;

use marquetry_model::{
    Error, Kind, Result, Span, limits,
    pack::{Embedded, Found, Node, Query, Scalar, Target},
    ports::{Document, Pack},
};

use crate::{
    target::{arranged, understands, wrong_kind},
    workbench::{Opened, Workbench},
};

/// The document in which a target was found: the file itself, or a part of it.
pub(crate) struct Place {
    /// The pack of the part.
    pub(crate) pack: Arc<dyn Pack>,
    /// The name the part was opened under.
    pub(crate) path: String,
    /// The text of the part; the file's own text when it is the whole file.
    pub(crate) text: Arc<str>,
    /// Where the part starts in the file.
    pub(crate) offset: usize,
}

/// What a target names, and where.
pub(crate) struct Located {
    pub(crate) place: Place,
    pub(crate) found: Found,
}

impl Place {
    /// The whole file.
    pub(crate) fn file(opened: &Opened) -> Place {
        Place {
            pack: Arc::clone(&opened.pack),
            path: opened.source.path.clone(),
            text: Arc::clone(&opened.source.text),
            offset: 0,
        }
    }

    pub(crate) fn document(&self) -> Result<Box<dyn Document + '_>> {
        self.pack.open(&self.path, &self.text)
    }
}

impl Workbench {
    /// What the targets name: the first in the file, each further one inside what the one before named.
    pub(crate) fn locate(&self, opened: &Opened, given: Vec<Target>, limit: usize, values: bool) -> Result<Located> {
        let mut targets = arranged(opened.pack.description(), given).into_iter();
        let first = targets.next().ok_or_else(|| Error::argument("no target"))?;
        let mut located = self.locate_in(opened, Place::file(opened), first, None, (limit, values), 0)?;
        for (depth, target) in targets.enumerate() {
            let Found::Nodes(nodes, _) = &located.found else {
                return Err(Error::argument("the first target names a value, not a place"));
            };
            let within: Vec<Span> = nodes.iter().map(|node| node.span).collect();
            located = self.locate_in(opened, located.place, target, Some(within), (limit, values), depth + 1)?;
        }
        Ok(located)
    }

    /// A target in one place; where its pack does not understand the kind, in the embedded parts that do.
    fn locate_in(
        &self,
        opened: &Opened,
        place: Place,
        target: Target,
        within: Option<Vec<Span>>,
        (limit, values): (usize, bool),
        depth: usize,
    ) -> Result<Located> {
        if within.is_none() && understands(place.pack.description(), target.kind) {
            let found = place.document()?.find(&Query { target, limit, values })?;
            return Ok(Located { place, found });
        }
        if depth >= limits::EMBEDDED_DEPTH {
            return Err(Error::new(
                Kind::LimitExceeded,
                format!("documents within documents deeper than {}", limits::EMBEDDED_DEPTH),
            ));
        }
        let mut nearest: Option<Error> = None;
        let query = Query { target, limit, values };
        for part in place.document()?.embedded()? {
            if within.as_ref().is_some_and(|spans| !spans.iter().any(|span| span.holds(part.span))) {
                continue;
            }
            let Some(inner) = self.inner(opened, &place, &part)? else { continue };
            if !understands(inner.pack.description(), query.target.kind) {
                continue;
            }
            let found = inner.document()?.find(&query);
            match found {
                Ok(found) => return Ok(Located { place: inner, found }),
                Err(error) if error.kind() == Kind::TargetNotFound => nearest = nearest.or(Some(error)),
                Err(error) => return Err(error),
            }
        }
        Err(nearest.unwrap_or_else(|| wrong_kind(place.pack.description(), &query.target)))
    }

    /// An embedded part as a document of its own, if some pack takes its language.
    fn inner(&self, opened: &Opened, outer: &Place, part: &Embedded) -> Result<Option<Place>> {
        let pack = match self.packs.for_language(&opened.files, &part.language) {
            Ok(pack) => pack,
            Err(error) if error.kind() == Kind::Unsupported => return Ok(None),
            Err(error) => return Err(error),
        };
        Ok(Some(Place {
            pack,
            path: format!("{}.{}", outer.path, part.language),
            text: Arc::from(part.span.of(&outer.text)),
            offset: outer.offset + part.span.start,
        }))
    }
}

/// A node of a part, in offsets of the file.
pub(crate) fn shifted(mut node: Node, by: usize) -> Node {
    node.span = node.span.shifted(by);
    node.selection = node.selection.shifted(by);
    node.body = node.body.map(|span| span.shifted(by));
    node.doc = node.doc.map(|span| span.shifted(by));
    node
}

/// The nodes of an answer, or its value.
pub(crate) fn nodes(found: Found) -> std::result::Result<(Vec<Node>, usize), Scalar> {
    match found {
        Found::Nodes(nodes, total) => Ok((nodes, total)),
        Found::Scalar(scalar) => Err(scalar),
    }
}
