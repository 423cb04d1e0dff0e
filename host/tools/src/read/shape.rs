//! Overview of a file that is too dense to read: its nodes level by level, with the first elements of long lists.

use std::fmt::Write as _;

use marquetry_model::{
    Kind, Result,
    pack::{Node, Target, TargetKind},
};

use crate::{
    document::{Found, OpenFile, Place, Wanted},
    session::Session,
    target::default_kind,
};

/// Maximum depth.
const DEPTH: usize = 4;
/// Maximum number of elements of a list: most lists have elements of the same structure.
const ELEMENTS: usize = 2;
/// Maximum number of children of other nodes.
const MEMBERS: usize = 30;
/// Maximum number of nodes in total.
const MOST: usize = 200;
/// Size of the suggested slice.
const SLICE: usize = 20;

/// Overview of a file.
pub(super) struct Shape {
    pub(super) text: String,
    /// JSONPath for the first elements of the longest list.
    pub(super) slice: Option<String>,
}

/// Returns the overview of a file; `None` if it has no nodes.
pub(super) fn of(session: &Session, file: &OpenFile) -> Result<Option<Shape>> {
    let mut writing = Writing { text: String::new(), shown: 0, longest: None };
    match default_kind(file.description()) {
        // Outlines of data are truncated, so their counts would be wrong: each level is queried separately.
        TargetKind::Path => {
            let (roots, total) = found(session, file, "$", 1)?;
            writing.data(session, file, &roots, total, 0)?;
        }
        _ => writing.outline(&file.outline()?),
    }
    let Writing { text, longest, .. } = writing;
    let slice = longest.filter(|(count, _)| *count > ELEMENTS).map(|(_, address)| format!("{address}[0:{SLICE}]"));
    Ok((!text.is_empty()).then_some(Shape { text, slice }))
}

/// Returns the first nodes that match a JSONPath, and the number of all matches.
fn found(session: &Session, file: &OpenFile, path: &str, limit: usize) -> Result<(Vec<Place>, usize)> {
    let target = Target { kind: TargetKind::Path, value: path.to_owned() };
    match file.find(session, vec![target], Wanted { limit, values: false }) {
        Ok(Found::Places(places)) => Ok((places.list, places.total)),
        Ok(Found::Value(_)) => Ok((Vec::new(), 0)),
        // An empty container.
        Err(error) if error.kind() == Kind::TargetNotFound => Ok((Vec::new(), 0)),
        Err(error) => Err(error),
    }
}

struct Writing {
    text: String,
    shown: usize,
    /// Length and address of the longest list.
    longest: Option<(usize, String)>,
}

impl Writing {
    /// Writes values level by level.
    fn data(&mut self, session: &Session, file: &OpenFile, list: &[Place], total: usize, depth: usize) -> Result<()> {
        for place in list {
            let node = place.node();
            let is_list = node.kind == "array";
            let most = if is_list { ELEMENTS } else { MEMBERS };
            let (inside, count) = match node.body {
                Some(_) => found(session, file, &format!("{}[*]", node.address), most)?,
                None => (Vec::new(), 0),
            };
            if !self.line(node, count, depth) {
                return Ok(());
            }
            if is_list && self.longest.as_ref().is_none_or(|(known, _)| count > *known) {
                self.longest = Some((count, node.address.clone()));
            }
            if depth + 1 < DEPTH {
                self.data(session, file, &inside, count, depth + 1)?;
            }
        }
        self.more(total - list.len(), depth);
        Ok(())
    }

    /// Writes the nodes of an outline.
    fn outline(&mut self, nodes: &[Node]) {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
        let mut roots = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            match node.parent.and_then(|parent| children.get_mut(parent as usize)) {
                Some(siblings) => siblings.push(index),
                None => roots.push(index),
            }
        }
        self.list(nodes, &children, &roots, 0);
    }

    fn list(&mut self, nodes: &[Node], children: &[Vec<usize>], list: &[usize], depth: usize) {
        for index in list.iter().take(MEMBERS) {
            if !self.line(&nodes[*index], children[*index].len(), depth) {
                return;
            }
            if depth + 1 < DEPTH {
                self.list(nodes, children, &children[*index], depth + 1);
            }
        }
        self.more(list.len().saturating_sub(MEMBERS), depth);
    }

    /// Writes a node with the number of its children. Returns false if the limit is reached.
    fn line(&mut self, node: &Node, inside: usize, depth: usize) -> bool {
        if self.shown == MOST {
            self.text.push_str("…\n");
        }
        self.shown += 1;
        if self.shown > MOST {
            return false;
        }
        let count = if inside == 0 { String::new() } else { format!(" ({inside})") };
        let _ = writeln!(self.text, "{}{} {}{count}", "  ".repeat(depth), node.kind, node.address);
        true
    }

    fn more(&mut self, count: usize, depth: usize) {
        if count > 0 && self.shown <= MOST {
            let _ = writeln!(self.text, "{}… {count} more", "  ".repeat(depth));
        }
    }
}
