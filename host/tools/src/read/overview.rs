//! Overview of a file with few but long lines: its nodes level by level, with the first elements of long lists.

use std::fmt::Write as _;

use marquetry_model::{
    Kind, Result, limits,
    pack::{Node, Target, TargetKind},
};

use crate::{
    document::{FindOptions, Found, NodeLocation, OpenFile},
    session::Session,
    target::default_kind,
};

/// Maximum depth.
const MAX_DEPTH: usize = 4;
/// Maximum number of elements of a list. The elements of most lists have the same structure.
const MAX_ELEMENTS: usize = 2;
/// Maximum number of children of other nodes.
const MAX_MEMBERS: usize = 30;
/// Maximum number of nodes in total.
const MAX_NODES: usize = 200;
/// Size of the suggested slice.
const SLICE_SIZE: usize = 20;

/// Overview of a file.
pub(super) struct FileOverview {
    pub(super) text: String,
    /// JSONPath for the first elements of the longest list.
    pub(super) slice: Option<String>,
}

/// Returns the overview of a file; `None` if it has no nodes.
pub(super) fn file_overview(session: &Session, file: &OpenFile) -> Result<Option<FileOverview>> {
    let mut writing = OverviewWriter { text: String::new(), shown: 0, longest: None };
    match default_kind(file.description()) {
        // Outlines of data are truncated, so their counts would be wrong: each level is queried separately.
        TargetKind::Path => {
            let (roots, total) = find_nodes(session, file, "$", 1)?;
            writing.data(session, file, &roots, total, 0)?;
        }
        _ => writing.outline(&file.outline()?),
    }
    let OverviewWriter { text, longest, .. } = writing;
    let slice =
        longest.filter(|(count, _)| *count > MAX_ELEMENTS).map(|(_, address)| format!("{address}[0:{SLICE_SIZE}]"));
    Ok((!text.is_empty()).then_some(FileOverview { text, slice }))
}

/// Returns the first nodes that match a JSONPath, and the number of all matches.
fn find_nodes(session: &Session, file: &OpenFile, path: &str, limit: usize) -> Result<(Vec<NodeLocation>, usize)> {
    let target = Target { kind: TargetKind::Path, value: path.to_owned() };
    match file.find(session, vec![target], FindOptions { limit, values: false }) {
        Ok(Found::Places(places)) => Ok((places.list, places.total)),
        Ok(Found::Value(_)) => Ok((Vec::new(), 0)),
        // The container is empty.
        Err(error) if error.kind() == Kind::TargetNotFound => Ok((Vec::new(), 0)),
        Err(error) => Err(error),
    }
}

/// The nodes of an outline, with their children.
struct OutlineTree<'n> {
    nodes: &'n [Node],
    children: Vec<Vec<usize>>,
    /// For each node: true if it may have more children.
    is_cut: Vec<bool>,
}

/// A number as text. Empty for 0.
fn counted(count: usize, is_cut: bool) -> String {
    match (count, is_cut) {
        (0, _) => String::new(),
        (count, true) => format!("at least {count}"),
        (count, false) => count.to_string(),
    }
}

struct OverviewWriter {
    text: String,
    shown: usize,
    /// Length and address of the longest list.
    longest: Option<(usize, String)>,
}

impl OverviewWriter {
    /// Writes values level by level.
    fn data(
        &mut self,
        session: &Session,
        file: &OpenFile,
        list: &[NodeLocation],
        total: usize,
        depth: usize,
    ) -> Result<()> {
        for place in list {
            let node = place.node();
            let is_list = node.kind == "array";
            let most = if is_list { MAX_ELEMENTS } else { MAX_MEMBERS };
            let (inside, count) = match node.body {
                Some(_) => find_nodes(session, file, &format!("{}[*]", node.address), most)?,
                None => (Vec::new(), 0),
            };
            if !self.line(node, &counted(count, false), depth) {
                return Ok(());
            }
            if is_list && self.longest.as_ref().is_none_or(|(known, _)| count > *known) {
                self.longest = Some((count, node.address.clone()));
            }
            if depth + 1 < MAX_DEPTH {
                self.data(session, file, &inside, count, depth + 1)?;
            }
        }
        self.more(&counted(total - list.len(), false), depth);
        Ok(())
    }

    /// Writes the nodes of an outline.
    fn outline(&mut self, nodes: &[Node]) {
        let mut tree = OutlineTree { nodes, children: vec![Vec::new(); nodes.len()], is_cut: vec![false; nodes.len()] };
        let mut roots = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            match node.parent.and_then(|parent| tree.children.get_mut(parent as usize)) {
                Some(siblings) => siblings.push(index),
                None => roots.push(index),
            }
        }
        // The nodes around the last one may have more children than the outline lists.
        let is_cut = nodes.len() >= limits::COMPLETE_OUTLINE;
        let mut around = nodes.last().filter(|_| is_cut).and_then(|last| last.parent);
        while let Some(index) = around {
            tree.is_cut[index as usize] = true;
            around = nodes[index as usize].parent;
        }
        self.list(&tree, &roots, 0, is_cut);
    }

    fn list(&mut self, tree: &OutlineTree<'_>, list: &[usize], depth: usize, is_cut: bool) {
        for index in list.iter().take(MAX_MEMBERS) {
            let inside = counted(tree.children[*index].len(), tree.is_cut[*index]);
            if !self.line(&tree.nodes[*index], &inside, depth) {
                return;
            }
            if depth + 1 < MAX_DEPTH {
                self.list(tree, &tree.children[*index], depth + 1, tree.is_cut[*index]);
            }
        }
        self.more(&counted(list.len().saturating_sub(MAX_MEMBERS), is_cut), depth);
    }

    /// Writes a node with the number of its children. Returns false if the limit is reached.
    fn line(&mut self, node: &Node, inside: &str, depth: usize) -> bool {
        if self.shown == MAX_NODES {
            self.text.push_str("…\n");
        }
        self.shown += 1;
        if self.shown > MAX_NODES {
            return false;
        }
        let count = if inside.is_empty() { String::new() } else { format!(" ({inside})") };
        let _ = writeln!(self.text, "{}{} {}{count}", "  ".repeat(depth), node.kind, node.address);
        true
    }

    fn more(&mut self, count: &str, depth: usize) {
        if !count.is_empty() && self.shown <= MAX_NODES {
            let _ = writeln!(self.text, "{}… {count} more", "  ".repeat(depth));
        }
    }
}
