//! Symbol information for a position: from the pack, the link at the position, name resolution, and the outline.
//! Follows the symbol to the file that declares it.

use marquetry_graph::DetailLevel;
use marquetry_model::{
    Interface, Result, Span,
    hover::{FileLocation, HoverInfo, Note},
    pack::{Destination, Form, Link, Node, Resolution, SharedName, Subject, View},
    text::Lines,
};

use super::{
    comment::comment_text,
    location::{Location, LocationKind, no_symbol_error},
};
use crate::{
    document::{OpenFile, Part},
    link_kinds::{MEMBER_LINK, POSSIBLE_LINK},
    session::Session,
};

/// Maximum number of files through which a declaration is followed.
const MAX_HOPS: usize = 8;
/// Maximum number of declarations in other files.
const MAX_DECLARATIONS: usize = 20;
/// Maximum length of a line in characters.
const MAX_LINE_CHARS: usize = 200;

/// Information about a symbol.
pub(super) struct SymbolDetails {
    /// Span of the element that was asked about.
    pub(super) pointed: Span,
    pub(super) hover: HoverInfo,
    /// The file that declares the symbol, or the requested file if no file does. `at` is an offset in this file.
    pub(super) declaring_file: OpenFile,
    pub(super) at: usize,
    /// The node, if the call gave its address and it is declared in this file.
    pub(super) node: Option<Node>,
    /// Offset for which the pack returned information; `None` if the pack has no information.
    pub(super) asked_at: Option<usize>,
}

impl Session {
    /// Returns information about a node or position. Fails if there is nothing at the position.
    pub(super) fn symbol_details(&self, location: Location) -> Result<SymbolDetails> {
        match location.subject {
            LocationKind::Node(place) => self.details_of_node(location.file, &place),
            LocationKind::At(offset) => self.details_at(location.file, offset),
        }
    }

    /// Returns information about a position. The position must touch a name. Elements that only surround the position
    /// do not count.
    fn details_at(&self, file: OpenFile, offset: usize) -> Result<SymbolDetails> {
        let inner = file.part_at(self, offset)?;
        let mut found = None;
        if let Some(part) = &inner {
            found = self.hover_in_part(part, offset - part.offset())?.map(|info| hover_in_file(info, part, &file));
        }
        let found = match found {
            Some(info) => Some(info),
            None => self.hover_in_part(file.whole(), offset)?,
        };
        match found.filter(|info| info.span.start <= offset && offset <= info.span.end) {
            Some(info) => self.follow_declaration(file, info),
            None => Err(no_symbol_error(&file, offset)),
        }
    }

    /// Follows the declaration to its file, and returns the hover information from that file.
    pub(super) fn follow_declaration(&self, file: OpenFile, info: HoverInfo) -> Result<SymbolDetails> {
        let pointed = info.span;
        let at = pointed.start;
        let mut details =
            SymbolDetails { pointed, hover: info, declaring_file: file, at, node: None, asked_at: Some(at) };
        for _ in 0..MAX_HOPS {
            let Some((path, offset)) = details.hover.declaration.clone() else { break };
            if path == details.declaring_file.path() {
                details.at = offset;
                break;
            }
            // If that file cannot be read, the information from the first file is used.
            let Ok(home) = self.open_found(&path) else { break };
            let offset = offset.min(home.text().len());
            match self.hover_in_part(home.whole(), offset)? {
                Some(mut info) => {
                    if info.name != details.hover.name && info.kind != "module" {
                        let label = "local name".to_owned();
                        info.notes.push(Note { label, text: details.hover.name.clone(), location: None });
                    }
                    details.hover = info;
                }
                None => details.hover.declaration = None,
            }
            (details.declaring_file, details.at) = (home, offset);
        }
        Ok(details)
    }

    /// Returns the hover information in one part of a file. Other files are read only for a global name or for the
    /// target of a link.
    fn hover_in_part(&self, part: &Part, offset: usize) -> Result<Option<HoverInfo>> {
        if let Some(info) = self.hover_from_pack(part, offset)? {
            return Ok(Some(info));
        }
        part.ask(|document| {
            let nodes = document.outline()?;
            let Some(node) = innermost(&nodes, offset).filter(|node| is_node_at(node, &nodes, part.text(), offset))
            else {
                return Ok(None);
            };
            let mut info = HoverInfo {
                span: if node.selection.is_empty() { node.span } else { node.selection },
                declaration: Some((part.path().to_owned(), node.selection.start)),
                ..HoverInfo::default()
            };
            let view = document.view(node.id, Form::Signature).ok();
            fill_from_node(&mut info, part.text(), node, view);
            Ok(Some(info))
        })
    }

    /// Returns the pack's information about a position, in addition to its outline.
    pub(super) fn hover_from_pack(&self, part: &Part, offset: usize) -> Result<Option<HoverInfo>> {
        let reported =
            if part.has(Interface::Hover) { part.ask(|document| document.hover_info(offset))? } else { None };
        let link = link_at(part, offset)?;
        let name = match (&reported, part.has(Interface::Symbols)) {
            (None, true) => part.ask(|document| document.resolve_symbol(&Subject::At(offset))).ok(),
            _ => None,
        };
        if let Some((link, resolved)) = link {
            let mut info = reported.unwrap_or_else(|| HoverInfo {
                name: link.specifier.clone(),
                kind: "link".to_owned(),
                span: link.span,
                r#type: Some(link.kind.clone()),
                ..HoverInfo::default()
            });
            let note = link_note(resolved);
            // The information of a pack that resolves references itself is more precise: it includes the position in
            // the other file, or the meaning of an address.
            if info.notes.iter().all(|known| known.label != note.label) {
                info.notes.push(note);
            }
            // Position inside of the other file.
            if let Some((path, at)) = name.and_then(|name| name.declaration) {
                let line = self.open_found(&path).ok().map(|file| line_at(file.text(), at)).unwrap_or_default();
                info.notes.push(Note { label: "at".to_owned(), text: line, location: Some((path, at)) });
            }
            return Ok(Some(info));
        }
        if reported.is_some() {
            return Ok(reported);
        }
        name.map(|name| self.hover_from_name(part, offset, &name)).transpose()
    }

    /// Returns hover information for a resolved name, with the outline node of its declaration.
    fn hover_from_name(&self, part: &Part, offset: usize, name: &Resolution) -> Result<HoverInfo> {
        let here = name.occurrences.iter().find(|place| place.span.start <= offset && offset <= place.span.end);
        let own = name.occurrences.iter().find(|place| place.usage == "declaration");
        let mut info = HoverInfo {
            name: name.name.clone(),
            kind: name.kind.clone(),
            span: here.map_or(Span::new(offset, offset), |place| place.span),
            declaration: name.declaration.clone().or_else(|| own.map(|own| (part.path().to_owned(), own.span.start))),
            ..HoverInfo::default()
        };
        if let Some(address) = &name.address {
            part.ask(|document| {
                let nodes = document.outline()?;
                if let Some(node) = nodes.iter().find(|node| node.address == *address) {
                    let view = document.view(node.id, Form::Signature).ok();
                    fill_from_node(&mut info, part.text(), node, view);
                }
                Ok(())
            })?;
        }
        if let (Some(space), None) = (&name.namespace, own) {
            let shared = SharedName { namespace: space.clone(), name: name.name.clone() };
            let places = self.declarations_of(&shared)?;
            info.declaration = places.first().map(|(place, _)| place.clone());
            for (place, line) in places {
                info.notes.push(Note { label: "declared".to_owned(), text: line, location: Some(place) });
            }
        }
        Ok(info)
    }

    /// Returns the declarations of a global name in other files.
    fn declarations_of(&self, shared: &SharedName) -> Result<Vec<(FileLocation, String)>> {
        let scope = self.whole_workspace()?;
        let workspace = self.workspace(DetailLevel::Names)?;
        let declares =
            |entry: &&marquetry_graph::Entry| entry.names.as_ref().is_some_and(|names| names.declares(shared));
        let mut found = Vec::new();
        for entry in workspace.files().filter(declares) {
            let Ok(Some(name)) = scope.survey.resolve(&entry.path, &Subject::Shared(shared.clone())) else { continue };
            let text = self.files.read(&entry.path)?.text;
            for place in name.occurrences.iter().filter(|place| place.usage == "declaration") {
                found.push(((entry.path.clone(), place.span.start), line_at(&text, place.span.start)));
                if found.len() == MAX_DECLARATIONS {
                    return Ok(found);
                }
            }
        }
        Ok(found)
    }
}

/// Converts the offsets of hover information from a part to the file.
fn hover_in_file(mut info: HoverInfo, part: &Part, file: &OpenFile) -> HoverInfo {
    let place = |place: &mut FileLocation| {
        if place.0 == part.path() {
            *place = (file.path().to_owned(), place.1 + part.offset());
        }
    };
    info.span = info.span.shifted(part.offset());
    info.declaration.iter_mut().for_each(place);
    info.notes.iter_mut().filter_map(|note| note.location.as_mut()).for_each(place);
    info
}

/// Fills hover information from an outline node.
pub(super) fn fill_from_node(info: &mut HoverInfo, text: &str, node: &Node, view: Option<View>) {
    if info.name.is_empty() {
        info.name.clone_from(&node.name);
    }
    if info.kind.is_empty() {
        info.kind.clone_from(&node.kind);
    }
    info.code = view.map(|view| match view {
        View::Span(span) => span.slice(text).to_owned(),
        View::Text(text) => text,
    });
    info.documentation = node.doc.map(|doc| comment_text(doc.slice(text))).filter(|doc| !doc.is_empty());
    if let Some(level) = node.level {
        info.notes.push(Note { label: "level".to_owned(), text: level.to_string(), location: None });
    }
}

/// Returns whether a node is at an offset: its name touches the offset or, for a leaf node without a name span, the
/// offset is on its first line.
fn is_node_at(node: &Node, nodes: &[Node], text: &str, offset: usize) -> bool {
    if !node.selection.is_empty() {
        return node.selection.start <= offset && offset <= node.selection.end;
    }
    let is_inside = |other: &Node| other.id != node.id && node.span.contains(other.span);
    !nodes.iter().any(is_inside) && !text[node.span.start..offset].contains('\n')
}

/// Returns the innermost node around an offset.
pub(super) fn innermost(nodes: &[Node], offset: usize) -> Option<&Node> {
    let around = |node: &&Node| node.span.start <= offset && offset <= node.span.end;
    nodes.iter().filter(around).min_by_key(|node| node.span.len())
}

/// Returns the link at an offset with its target.
fn link_at(part: &Part, offset: usize) -> Result<Option<(Link, Destination)>> {
    if !part.has(Interface::Links) {
        return Ok(None);
    }
    let links = part.ask(|document| document.links())?;
    let touches = |link: &&Link| {
        link.span.start <= offset
            && offset <= link.span.end
            && ![POSSIBLE_LINK, MEMBER_LINK].contains(&link.kind.as_str())
    };
    let Some(link) = links.iter().filter(touches).min_by_key(|link| link.span.len()) else { return Ok(None) };
    let found = part.resolve(&[(link.kind.clone(), link.specifier.clone())])?;
    Ok(found.into_iter().next().map(|resolved| (link.clone(), resolved)))
}

pub(super) fn link_note(resolved: Destination) -> Note {
    let note = |text: String, place| Note { label: "leads to".to_owned(), text, location: place };
    match resolved {
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
    line.map_or("", |line| line.slice(text)).trim().chars().take(MAX_LINE_CHARS).collect()
}
