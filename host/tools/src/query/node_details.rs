//! Symbol information for a node that was found by its address. A node is not the same as a position: a block mapping
//! starts at the same position as its first key, and a getter has the same name as its setter. Therefore the pack's
//! information about a position is used only if it is about this node.

use marquetry_model::{
    Interface, Result, Span,
    hover::HoverInfo,
    pack::{Form, Link, Node},
};

use super::symbol_details::{SymbolDetails, fill_from_node, link_note};
use crate::{
    document::{NodeLocation, OpenFile},
    link_kinds::POSSIBLE_LINK,
    session::Session,
    words::word_offsets,
};

/// Maximum number of words before a value that are tried as its key.
const MAX_WORDS: usize = 20;
/// Maximum difference in length between a name and its span, because of quotes or the character before a class or id.
const MAX_QUOTES: usize = 2;

impl Session {
    /// Returns information about a node.
    pub(super) fn details_of_node(&self, file: OpenFile, place: &NodeLocation) -> Result<SymbolDetails> {
        let (node, nodes) = (place.node(), file.outline()?);
        let found = match place.is_lines() {
            true => None,
            false => self.hover_from_node(&file, node, &nodes)?,
        };
        if let Some((info, _)) = &found
            && info.declaration.as_ref().is_some_and(|(path, _)| path != file.path())
        {
            let info = info.clone();
            return self.follow_declaration(file, info);
        }
        let asked_at = found.as_ref().map(|(_, at)| *at);
        let mut info = match found {
            Some((info, _)) => info,
            None => self.hover_from_outline(&file, node)?,
        };
        self.add_link(&file, node, &mut info)?;
        let pointed = if node.selection.is_empty() { node.span } else { node.selection };
        info.declaration = Some((file.path().to_owned(), node.selection.start));
        Ok(SymbolDetails {
            pointed,
            hover: info,
            declaring_file: file,
            at: node.selection.start,
            node: Some(node.clone()),
            asked_at,
        })
    }

    /// Returns the pack's information about the node, and the offset for which the pack was asked.
    fn hover_from_node(&self, file: &OpenFile, node: &Node, nodes: &[Node]) -> Result<Option<(HoverInfo, usize)>> {
        if node.selection.is_empty()
            && let Some(found) = self.hover_from_key(file, node, nodes)?
        {
            return Ok(Some(found));
        }
        let at = node.selection.start;
        let info = self.hover_from_pack(file.whole(), at)?;
        Ok(info.filter(|info| is_about_node(info, node, file.path())).map(|info| (info, at)))
    }

    /// Returns the pack's information about the key of a value. The key is between the value and the previous node.
    fn hover_from_key(&self, file: &OpenFile, node: &Node, nodes: &[Node]) -> Result<Option<(HoverInfo, usize)>> {
        let before = |other: &&Node| other.span.end <= node.span.start && !other.span.is_empty();
        let around = |other: &&Node| other.span.start < node.span.start && other.span.end >= node.span.end;
        let ends = nodes.iter().filter(before).map(|other| other.span.end);
        let starts = nodes.iter().filter(around).map(|other| other.span.start);
        let Some(start) = ends.chain(starts).max() else { return Ok(None) };
        let gap = Span::new(start, node.span.start);
        let places: Vec<usize> = word_offsets(gap.slice(file.text())).collect();
        for at in places.into_iter().rev().take(MAX_WORDS).map(|at| gap.start + at) {
            if let Some(info) = self.hover_from_pack(file.whole(), at)?
                && info.name == node.name
                && gap.contains(info.span)
            {
                return Ok(Some((info, at)));
            }
        }
        Ok(None)
    }

    /// Returns the information in the outline about a node.
    fn hover_from_outline(&self, file: &OpenFile, node: &Node) -> Result<HoverInfo> {
        let view = file.ask(|document| Ok(document.view(node.id, Form::Signature).ok()))?;
        let mut info = HoverInfo { span: node.selection, ..HoverInfo::default() };
        fill_from_node(&mut info, file.text(), node, view);
        Ok(info)
    }

    /// Adds the target of the node if it consists of a link.
    fn add_link(&self, file: &OpenFile, node: &Node, info: &mut HoverInfo) -> Result<()> {
        if !file.has(Interface::Links) {
            return Ok(());
        }
        let links = file.ask(|document| document.links())?;
        let is_all = |link: &&Link| {
            link.kind != POSSIBLE_LINK
                && node.span.contains(link.span)
                && node.span.len() <= link.span.len() + MAX_QUOTES
        };
        let Some(link) = links.iter().find(is_all) else { return Ok(()) };
        let resolved = file.whole().resolve(&[(link.kind.clone(), link.specifier.clone())])?;
        let Some(note) = resolved.into_iter().next().map(link_note) else { return Ok(()) };
        if info.notes.iter().all(|known| known.label != note.label) {
            info.notes.push(note);
        }
        Ok(())
    }
}

/// Returns whether the information about the position of a node is about the node itself.
fn is_about_node(info: &HoverInfo, node: &Node, path: &str) -> bool {
    let name = node.selection;
    let is_name = |span: Span| name.contains(span) && name.len() <= span.len() + MAX_QUOTES;
    match &info.declaration {
        // The declaration must be this node and not another node with the same name, such as an overload or the getter
        // of a setter.
        Some((home, at)) if home == path => {
            let begins = name.start <= *at && *at <= name.start + MAX_QUOTES;
            begins && (name.is_empty() || is_name(info.span) || info.name == node.name)
        }
        Some(_) => is_name(info.span) || info.name == node.name,
        None if name.is_empty() => info.span == node.span || is_header(info, node),
        None => is_name(info.span),
    }
}

/// Returns whether the information is about the header of a section: same name, kind and start.
fn is_header(info: &HoverInfo, node: &Node) -> bool {
    info.name == node.name
        && info.span.start == node.span.start
        && node.span.contains(info.span)
        && info.kind == node.kind
}
