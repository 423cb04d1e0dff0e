//! Symbol information for a position: from its pack, the link there, name resolution, and the outline. Follows the
//! symbol to the file that declares it.

use marquetry_graph::Need;
use marquetry_model::{
    Result, Span,
    insight::{Card, FilePlace, Note},
    pack::{Destination, Form, Link, Node, Resolution, SharedName, Subject, View},
    text::Lines,
};

use super::{
    comment::comment_text,
    location::{Location, LocationKind, nothing_here},
};
use crate::{
    document::{OpenFile, Part},
    link_kinds::POSSIBLE,
    session::Session,
};

/// Maximum number of files to follow a declaration through.
const MOST_HOPS: usize = 8;
/// Maximum number of declarations in other files.
const MOST_DECLARED: usize = 20;
/// Maximum length of a line in characters.
const LONGEST_LINE: usize = 200;

/// Information about a symbol.
pub(super) struct Known {
    /// Span of the element that was asked about.
    pub(super) pointed: Span,
    pub(super) card: Card,
    /// The declaring file, or the file that was asked about if there is no declaration, and the offset in it.
    pub(super) home: OpenFile,
    pub(super) at: usize,
    /// The node, if it was given by address and is declared in this file.
    pub(super) node: Option<Node>,
    /// Offset for which the pack was asked; `None` if it has no information.
    pub(super) asked_at: Option<usize>,
}

impl Session {
    /// Returns information about a node or position. Fails if there is nothing at the position.
    pub(super) fn known(&self, asked: Location) -> Result<Known> {
        match asked.subject {
            LocationKind::Node(place) => self.known_node(asked.file, &place),
            LocationKind::At(offset) => self.known_at(asked.file, offset),
        }
    }

    /// Returns information about a position. A name must touch the position; elements that only surround it do not
    /// count.
    fn known_at(&self, file: OpenFile, offset: usize) -> Result<Known> {
        let inner = file.part_at(self, offset)?;
        let mut found = None;
        if let Some(part) = &inner {
            found = self.card_in(part, offset - part.offset())?.map(|card| moved(card, part, &file));
        }
        let found = match found {
            Some(card) => Some(card),
            None => self.card_in(file.whole(), offset)?,
        };
        match found.filter(|card| card.span.start <= offset && offset <= card.span.end) {
            Some(card) => self.followed(file, card),
            None => Err(nothing_here(&file, offset)),
        }
    }

    /// Follows the declaration to its file and returns the hover information from there.
    pub(super) fn followed(&self, file: OpenFile, card: Card) -> Result<Known> {
        let pointed = card.span;
        let at = pointed.start;
        let mut known = Known { pointed, card, home: file, at, node: None, asked_at: Some(at) };
        for _ in 0..MOST_HOPS {
            let Some((path, offset)) = known.card.declared.clone() else { break };
            if path == known.home.path() {
                known.at = offset;
                break;
            }
            // If that file cannot be read, the information from the first file is used.
            let Ok(home) = self.open_found(&path) else { break };
            let offset = offset.min(home.text().len());
            match self.card_in(home.whole(), offset)? {
                Some(mut card) => {
                    if card.name != known.card.name && card.kind != "module" {
                        let label = "local name".to_owned();
                        card.notes.push(Note { label, text: known.card.name.clone(), place: None });
                    }
                    known.card = card;
                }
                None => known.card.declared = None,
            }
            (known.home, known.at) = (home, offset);
        }
        Ok(known)
    }

    /// Returns the hover information in one part of a file. Other files are used only for global names.
    fn card_in(&self, part: &Part, offset: usize) -> Result<Option<Card>> {
        if let Some(card) = self.card_of_pack(part, offset)? {
            return Ok(Some(card));
        }
        part.ask(|document| {
            let nodes = document.outline()?;
            let Some(node) = innermost(&nodes, offset).filter(|node| stands_at(node, &nodes, part.text(), offset))
            else {
                return Ok(None);
            };
            let mut card = Card {
                span: if node.selection.is_empty() { node.span } else { node.selection },
                declared: Some((part.path().to_owned(), node.selection.start)),
                ..Card::default()
            };
            let view = document.view(node.id, Form::Signature).ok();
            fill(&mut card, part.text(), node, view);
            Ok(Some(card))
        })
    }

    /// Returns what the pack knows about a position in addition to its outline.
    pub(super) fn card_of_pack(&self, part: &Part, offset: usize) -> Result<Option<Card>> {
        let said = if part.has("insight") { part.ask(|document| document.describe_place(offset))? } else { None };
        let link = link_at(part, offset)?;
        let name = match (&said, part.has("symbols")) {
            (None, true) => part.ask(|document| document.resolve_symbol(&Subject::At(offset))).ok(),
            _ => None,
        };
        if let Some((link, leads)) = link {
            let mut card = said.unwrap_or_else(|| Card {
                name: link.specifier.clone(),
                kind: "link".to_owned(),
                span: link.span,
                r#type: Some(link.kind.clone()),
                ..Card::default()
            });
            let note = note_of(leads);
            // A pack that resolves references itself is more precise: it knows the position in the other file, or the
            // meaning of an address.
            if card.notes.iter().all(|known| known.label != note.label) {
                card.notes.push(note);
            }
            // Position inside of the other file.
            if let Some((path, at)) = name.and_then(|name| name.elsewhere) {
                let line = self.open_found(&path).ok().map(|file| line_at(file.text(), at)).unwrap_or_default();
                card.notes.push(Note { label: "at".to_owned(), text: line, place: Some((path, at)) });
            }
            return Ok(Some(card));
        }
        if said.is_some() {
            return Ok(said);
        }
        name.map(|name| self.card_of_name(part, offset, &name)).transpose()
    }

    /// Returns hover information for a resolved name, with the outline node of its declaration.
    fn card_of_name(&self, part: &Part, offset: usize, name: &Resolution) -> Result<Card> {
        let here = name.occurrences.iter().find(|place| place.span.start <= offset && offset <= place.span.end);
        let own = name.occurrences.iter().find(|place| place.usage == "declaration");
        let mut card = Card {
            name: name.name.clone(),
            kind: name.kind.clone(),
            span: here.map_or(Span::new(offset, offset), |place| place.span),
            declared: name.elsewhere.clone().or_else(|| own.map(|own| (part.path().to_owned(), own.span.start))),
            ..Card::default()
        };
        if let Some(address) = &name.address {
            part.ask(|document| {
                let nodes = document.outline()?;
                if let Some(node) = nodes.iter().find(|node| node.address == *address) {
                    let view = document.view(node.id, Form::Signature).ok();
                    fill(&mut card, part.text(), node, view);
                }
                Ok(())
            })?;
        }
        if let (Some(space), None) = (&name.shared, own) {
            let shared = SharedName { space: space.clone(), name: name.name.clone() };
            let places = self.declarations_of(&shared)?;
            card.declared = places.first().map(|(place, _)| place.clone());
            for (place, line) in places {
                card.notes.push(Note { label: "declared".to_owned(), text: line, place: Some(place) });
            }
        }
        Ok(card)
    }

    /// Returns the declarations of a global name in other files.
    fn declarations_of(&self, shared: &SharedName) -> Result<Vec<(FilePlace, String)>> {
        let asked = self.all_asked()?;
        let workspace = self.workspace(Need::Names)?;
        let declares =
            |entry: &&marquetry_graph::Entry| entry.names.as_ref().is_some_and(|names| names.declares(shared));
        let mut found = Vec::new();
        for entry in workspace.files().filter(declares) {
            let Ok(Some(name)) = asked.survey.resolve(&entry.path, &Subject::Shared(shared.clone())) else { continue };
            let text = self.files.read(&entry.path)?.text;
            for place in name.occurrences.iter().filter(|place| place.usage == "declaration") {
                found.push(((entry.path.clone(), place.span.start), line_at(&text, place.span.start)));
                if found.len() == MOST_DECLARED {
                    return Ok(found);
                }
            }
        }
        Ok(found)
    }
}

/// Converts the offsets of hover information from a part to the file.
fn moved(mut card: Card, part: &Part, file: &OpenFile) -> Card {
    let place = |place: &mut FilePlace| {
        if place.0 == part.path() {
            *place = (file.path().to_owned(), place.1 + part.offset());
        }
    };
    card.span = card.span.shifted(part.offset());
    card.declared.iter_mut().for_each(place);
    card.notes.iter_mut().filter_map(|note| note.place.as_mut()).for_each(place);
    card
}

/// Fills hover information from an outline node.
pub(super) fn fill(card: &mut Card, text: &str, node: &Node, view: Option<View>) {
    if card.name.is_empty() {
        card.name.clone_from(&node.name);
    }
    if card.kind.is_empty() {
        card.kind.clone_from(&node.kind);
    }
    card.code = view.map(|view| match view {
        View::Span(span) => span.of(text).to_owned(),
        View::Text(text) => text,
    });
    card.documentation = node.doc.map(|doc| comment_text(doc.of(text))).filter(|doc| !doc.is_empty());
    if let Some(level) = node.level {
        card.notes.push(Note { label: "level".to_owned(), text: level.to_string(), place: None });
    }
}

/// Returns whether a node is at an offset: its name touches the offset or, for a leaf node without a name span, the
/// offset is on its first line.
fn stands_at(node: &Node, nodes: &[Node], text: &str, offset: usize) -> bool {
    if !node.selection.is_empty() {
        return node.selection.start <= offset && offset <= node.selection.end;
    }
    let is_inside = |other: &Node| other.id != node.id && node.span.holds(other.span);
    !nodes.iter().any(is_inside) && !text[node.span.start..offset].contains('\n')
}

/// Returns the innermost node around an offset.
pub(super) fn innermost(nodes: &[Node], offset: usize) -> Option<&Node> {
    let around = |node: &&Node| node.span.start <= offset && offset <= node.span.end;
    nodes.iter().filter(around).min_by_key(|node| node.span.len())
}

/// Returns the link at an offset with its target.
fn link_at(part: &Part, offset: usize) -> Result<Option<(Link, Destination)>> {
    if !part.has("links") {
        return Ok(None);
    }
    let links = part.ask(|document| document.links())?;
    let touches = |link: &&Link| link.span.start <= offset && offset <= link.span.end && link.kind != POSSIBLE;
    let Some(link) = links.iter().filter(touches).min_by_key(|link| link.span.len()) else { return Ok(None) };
    let found = part.resolve(&[(link.kind.clone(), link.specifier.clone())])?;
    Ok(found.into_iter().next().map(|leads| (link.clone(), leads)))
}

pub(super) fn note_of(leads: Destination) -> Note {
    let note = |text: String, place| Note { label: "leads to".to_owned(), text, place };
    match leads {
        Destination::Inside { path, suffix } => note(format!("{path}{suffix}"), Some((path, 0))),
        Destination::External => note("outside of the workspace".to_owned(), None),
        Destination::Missing(path) => note(format!("nothing: there is no `{path}`"), None),
        Destination::Unknown(why) => note(format!("unknown: {why}"), None),
    }
}

/// The trimmed line at an offset.
pub(super) fn line_at(text: &str, offset: usize) -> String {
    let lines = Lines::new(text);
    let line = lines.line(lines.position(offset.min(text.len())).line);
    line.map_or("", |line| line.of(text)).trim().chars().take(LONGEST_LINE).collect()
}
