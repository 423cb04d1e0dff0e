//! Symbol information for a node that was found by address. A node is not the same as a position: a block mapping
//! starts where its first key does, and a getter has the same name as its setter. So the information of a pack about a
//! position is used only if it is about this node.

use marquetry_model::{
    Result, Span,
    insight::Card,
    pack::{Form, Link, Node},
};

use super::known::{Known, fill, note_of};
use crate::{
    document::{OpenFile, Place},
    link_kinds::POSSIBLE,
    session::Session,
    words::words,
};

/// Maximum number of words before a value that are tried as its key.
const MOST_WORDS: usize = 20;
/// Maximum difference in length between a name and its span: quotes, or the sign before a class or id.
const SIGNS: usize = 2;

impl Session {
    /// Returns information about a node.
    pub(super) fn known_node(&self, file: OpenFile, place: &Place) -> Result<Known> {
        let (node, nodes) = (place.node(), file.outline()?);
        let found = match place.is_lines() {
            true => None,
            false => self.card_of_node(&file, node, &nodes)?,
        };
        if let Some((card, _)) = &found
            && card.declared.as_ref().is_some_and(|(path, _)| path != file.path())
        {
            let card = card.clone();
            return self.followed(file, card);
        }
        let asked_at = found.as_ref().map(|(_, at)| *at);
        let mut card = match found {
            Some((card, _)) => card,
            None => self.card_of_outline(&file, node)?,
        };
        self.add_link(&file, node, &mut card)?;
        let pointed = if node.selection.is_empty() { node.span } else { node.selection };
        card.declared = Some((file.path().to_owned(), node.selection.start));
        Ok(Known { pointed, card, home: file, at: node.selection.start, node: Some(node.clone()), asked_at })
    }

    /// Returns what the pack reports about the node, and the offset for which it was asked.
    fn card_of_node(&self, file: &OpenFile, node: &Node, nodes: &[Node]) -> Result<Option<(Card, usize)>> {
        if node.selection.is_empty()
            && let Some(found) = self.card_of_key(file, node, nodes)?
        {
            return Ok(Some(found));
        }
        let at = node.selection.start;
        let card = self.card_of_pack(file.whole(), at)?;
        Ok(card.filter(|card| is_about(card, node, file.path())).map(|card| (card, at)))
    }

    /// Returns what the pack reports about the key of a value. The key is between the value and the previous node.
    fn card_of_key(&self, file: &OpenFile, node: &Node, nodes: &[Node]) -> Result<Option<(Card, usize)>> {
        let before = |other: &&Node| other.span.end <= node.span.start && !other.span.is_empty();
        let around = |other: &&Node| other.span.start < node.span.start && other.span.end >= node.span.end;
        let ends = nodes.iter().filter(before).map(|other| other.span.end);
        let starts = nodes.iter().filter(around).map(|other| other.span.start);
        let Some(start) = ends.chain(starts).max() else { return Ok(None) };
        let gap = Span::new(start, node.span.start);
        let places: Vec<usize> = words(gap.of(file.text())).collect();
        for at in places.into_iter().rev().take(MOST_WORDS).map(|at| gap.start + at) {
            if let Some(card) = self.card_of_pack(file.whole(), at)?
                && card.name == node.name
                && gap.holds(card.span)
            {
                return Ok(Some((card, at)));
            }
        }
        Ok(None)
    }

    /// Returns what the outline contains about a node.
    fn card_of_outline(&self, file: &OpenFile, node: &Node) -> Result<Card> {
        let view = file.ask(|document| Ok(document.view(node.id, Form::Signature).ok()))?;
        let mut card = Card { span: node.selection, ..Card::default() };
        fill(&mut card, file.text(), node, view);
        Ok(card)
    }

    /// Adds the target of the node if it consists of a link.
    fn add_link(&self, file: &OpenFile, node: &Node, card: &mut Card) -> Result<()> {
        if !file.has("links") {
            return Ok(());
        }
        let links = file.ask(|document| document.links())?;
        let is_all = |link: &&Link| {
            link.kind != POSSIBLE && node.span.holds(link.span) && node.span.len() <= link.span.len() + SIGNS
        };
        let Some(link) = links.iter().find(is_all) else { return Ok(()) };
        let leads = file.whole().resolve(&[(link.kind.clone(), link.specifier.clone())])?;
        let Some(note) = leads.into_iter().next().map(note_of) else { return Ok(()) };
        if card.notes.iter().all(|known| known.label != note.label) {
            card.notes.push(note);
        }
        Ok(())
    }
}

/// Returns whether the information about the position of a node is about the node itself.
fn is_about(card: &Card, node: &Node, path: &str) -> bool {
    let name = node.selection;
    let is_name = |span: Span| name.holds(span) && name.len() <= span.len() + SIGNS;
    match &card.declared {
        // Not another declaration of the same name, such as an overload or the getter of a setter.
        Some((home, at)) if home == path => {
            let begins = name.start <= *at && *at <= name.start + SIGNS;
            begins && (name.is_empty() || is_name(card.span) || card.name == node.name)
        }
        Some(_) => is_name(card.span) || card.name == node.name,
        None if name.is_empty() => card.span == node.span || is_header(card, node),
        None => is_name(card.span),
    }
}

/// Returns whether the information is about the header of a section: same name, kind and start.
fn is_header(card: &Card, node: &Node) -> bool {
    card.name == node.name && card.span.start == node.span.start && node.span.holds(card.span) && card.kind == node.kind
}
