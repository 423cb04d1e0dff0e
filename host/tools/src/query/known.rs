//! What is known of a place: what its pack says, where a link there leads, what its name is bound to, and what the outline
//! has there; followed to the file that declares it.

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

/// Files that are asked one after the other for what the one before says is declared there.
const MOST_HOPS: usize = 8;
/// Declarations in other files that are listed.
const MOST_DECLARED: usize = 20;
/// Letters of a line that are shown.
const LONGEST_LINE: usize = 200;

/// What is known of a place in a file.
pub(super) struct Known {
    /// What was pointed at.
    pub(super) pointed: Span,
    pub(super) card: Card,
    /// The file that declares it, or that it stands in where nothing declares it, and where in there.
    pub(super) home: OpenFile,
    pub(super) at: usize,
    /// The node that was asked about by its address, unless its name is declared in another file.
    pub(super) node: Option<Node>,
    /// Where the pack was asked about it; none where the pack says nothing of it.
    pub(super) asked_at: Option<usize>,
}

impl Session {
    /// What is known of a node or a position; refused where nothing stands.
    pub(super) fn known(&self, asked: Location) -> Result<Known> {
        match asked.subject {
            LocationKind::Node(place) => self.known_node(asked.file, &place),
            LocationKind::At(offset) => self.known_at(asked.file, offset),
        }
    }

    /// What is known of a position. What has a name there has to touch it: what lies around is not what was asked about.
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

    /// The card of the file that declares it.
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
            // What the file that was asked says stands, where the other one cannot be read.
            let Ok(home) = self.open_found(&path) else { break };
            let offset = offset.min(home.text().len());
            match self.card_in(home.whole(), offset)? {
                Some(mut card) => {
                    if card.name != known.card.name && card.kind != "module" {
                        let label = "here called".to_owned();
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

    /// What is known in one part of a file, without a look at others but for names that all files share.
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

    /// What a pack knows of a position beyond its outline.
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
            // A pack that follows references itself knows better: the place in the other file, or what an address means.
            if card.notes.iter().all(|known| known.label != note.label) {
                card.notes.push(note);
            }
            // A place within the other file.
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

    /// The card of a name that the pack knows: what it is bound to, and what the outline has where it is declared.
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

    /// Where other files declare a name that all share.
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

/// A card of a part, in offsets of the file.
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

/// What the outline says of a node.
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

/// Whether a node that lies around an offset stands there: with its name, or, where the outline does not say where that is,
/// with the first line of what has no parts.
fn stands_at(node: &Node, nodes: &[Node], text: &str, offset: usize) -> bool {
    if !node.selection.is_empty() {
        return node.selection.start <= offset && offset <= node.selection.end;
    }
    let is_inside = |other: &Node| other.id != node.id && node.span.holds(other.span);
    !nodes.iter().any(is_inside) && !text[node.span.start..offset].contains('\n')
}

/// The innermost node around an offset.
pub(super) fn innermost(nodes: &[Node], offset: usize) -> Option<&Node> {
    let around = |node: &&Node| node.span.start <= offset && offset <= node.span.end;
    nodes.iter().filter(around).min_by_key(|node| node.span.len())
}

/// The link at an offset, and where it leads.
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

/// The line around an offset, trimmed.
pub(super) fn line_at(text: &str, offset: usize) -> String {
    let lines = Lines::new(text);
    let line = lines.line(lines.position(offset.min(text.len())).line);
    line.map_or("", |line| line.of(text)).trim().chars().take(LONGEST_LINE).collect()
}
