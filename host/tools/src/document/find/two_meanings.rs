//! Targets that name different things in different languages of one file: a rule of a style and an element of the
//! markup with the same selector.

use std::rc::Rc;

use marquetry_model::{
    Error, Kind,
    pack::{Query, Target, TargetKind},
    text::Lines,
};

use super::{FindOptions, find_in_part};
use crate::{
    document::{Found, NodeLocation, OpenFile, Part},
    session::Session,
};

/// A target that matches a node of an embedded part and a node of another pack.
pub(crate) struct TwoMeanings<'a> {
    file: &'a OpenFile,
    session: &'a Session,
    target: &'a Target,
    found: &'a NodeLocation,
    other: NodeLocation,
}

impl OpenFile {
    /// Returns both meanings of a target that found a node of an embedded part, if it also matches a node of another
    /// pack.
    pub(crate) fn two_meanings<'a>(
        &'a self,
        session: &'a Session,
        target: &'a Target,
        found: &'a NodeLocation,
    ) -> Option<TwoMeanings<'a>> {
        if Rc::ptr_eq(&found.part, &self.whole) {
            return None;
        }
        let parts = self.parts_for(session, target.kind).ok()?;
        let query = Query { target: target.clone(), limit: 1, values: false };
        let others = parts.iter().filter(|part| part.description().id != found.part.description().id);
        let other = others.into_iter().find_map(|part| match find_in_part(part, &query) {
            Ok(Found::Places(places)) => places.list.into_iter().next(),
            _ => None,
        })?;
        Some(TwoMeanings { file: self, session, target, found, other })
    }

    /// Returns a target that finds only this node in the whole file: its address, or the addresses of a node around it
    /// and of the node.
    fn longer_target(&self, session: &Session, kind: TargetKind, other: &NodeLocation) -> Option<String> {
        let finds_only_other = |value: &String| {
            let target = Target { kind, value: value.clone() };
            let found = self.find(session, vec![target], FindOptions { limit: 2, values: false });
            matches!(found, Ok(Found::Places(places)) if places.total == 1
                && places.list.first().is_some_and(|place| place.span() == other.span()))
        };
        let around = around(&other.part, other).into_iter().map(|outer| format!("{outer} {}", other.address()));
        std::iter::once(other.address().to_owned()).chain(around).find(finds_only_other)
    }
}

impl TwoMeanings<'_> {
    /// Returns the note of an edit of the node in the part.
    pub(crate) fn note(&self) -> String {
        let (kind, address) = (self.other.kind(), self.other.address());
        format!("`{}` also matches the {kind} `{address}`, which was not changed", self.target.value)
    }

    /// Returns the error of an edit. The candidates are targets that name only one of the two nodes.
    pub(crate) fn error(&self) -> Error {
        let TwoMeanings { file, session, target, found, other } = self;
        let lines = Lines::new(file.text());
        let described = |node: &NodeLocation| {
            format!("the {} `{}` in line {}", node.kind(), node.address(), lines.position(node.span().start).line)
        };
        let message = format!("`{}` matches {} and {}", target.value, described(found), described(other));
        let (kind, value) = (target.kind.name(), &target.value);
        let from = lines.position(found.part.offset()).line;
        let to = lines.position(found.part.offset() + found.part.text().len()).line;
        let first = format!("{kind}: {value:?}, lines: \"{from}-{to}\"");
        let second = file.longer_target(session, target.kind, other).map(|longer| format!("{kind}: {longer:?}"));
        let hint = format!(
            "use the candidate for the {}, with the `lines` of its part, or a longer {kind} for the {}",
            found.kind(),
            other.kind()
        );
        Error::new(Kind::AmbiguousTarget, message).hint(hint).candidates([first].into_iter().chain(second))
    }
}

/// Returns the addresses of the nodes around a node, the innermost first.
fn around(part: &Part, inner: &NodeLocation) -> Vec<String> {
    let outline = part.ask(|document| document.outline()).unwrap_or_default();
    let span = inner.node().span;
    let mut nodes: Vec<_> = outline.into_iter().filter(|node| node.span != span && node.span.contains(span)).collect();
    nodes.sort_by_key(|node| node.span.end - node.span.start);
    nodes.into_iter().map(|node| node.address).collect()
}
