//! Regions of a stylesheet: its imports, its variables, its media queries, and the whole file.

use marquetry_sdk::{Failure, FailureKind, Node, NodeId, Nodes, RegionHelp, Result, Span, fail, nearest};

use crate::tree::{Item, Kind, NONE, Tree};

/// First node id of regions that are runs of items or the whole text. Larger ids are those of [`crate::target_match`].
const FIRST_ID: NodeId = 0x4000_0000;
/// Number of node ids for each class of regions.
const IDS_PER_CLASS: NodeId = 0x1000_0000;

/// Name and description of each region.
const REGIONS: [(&str, &str); 5] = [
    ("imports", "each consecutive run of `@import`, `@use`, `@forward` and `@plugin` at the top level"),
    ("variables", "each consecutive run of variables at the top level"),
    ("stylesheet", "the whole file; use it to insert at the start or the end"),
    ("charset", "`@charset`"),
    ("media", "every `@media`"),
];
const IMPORTS: usize = 0;
const VARIABLES: usize = 1;
const STYLESHEET: usize = 2;

/// A part of the stylesheet that an operation treats as one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Region {
    /// Consecutive items at the top level.
    Run {
        first: u32,
        last: u32,
    },
    Whole,
}

pub(crate) fn region_help() -> Vec<RegionHelp> {
    let help = |(name, summary): &(&str, &str)| RegionHelp { name: (*name).to_owned(), summary: (*summary).to_owned() };
    REGIONS.iter().map(help).collect()
}

pub(crate) fn is_region(node: NodeId) -> bool {
    (FIRST_ID..FIRST_ID + REGIONS.len() as NodeId * IDS_PER_CLASS).contains(&node)
}

/// Returns the region with this node id.
pub(crate) fn region_of_node(tree: &Tree, node: NodeId) -> Result<Region> {
    let class = ((node - FIRST_ID) / IDS_PER_CLASS) as usize;
    let first = (node - FIRST_ID) % IDS_PER_CLASS;
    if class == STYLESHEET && first == 0 {
        return Ok(Region::Whole);
    }
    let found = find_runs(tree, class).into_iter().find(|(start, _)| *start == first);
    match found {
        Some((first, last)) => Ok(Region::Run { first, last }),
        None => Err(fail(FailureKind::InvalidArgument, format!("no node {node}"))),
    }
}

pub(crate) fn region_span(tree: &Tree, node: NodeId) -> Result<Span> {
    Ok(match region_of_node(tree, node)? {
        Region::Whole => Span::new(0, tree.text.len()),
        Region::Run { first, last } => tree.run_span(first, last),
    })
}

/// Returns the nodes of a region. `node` creates the node of an item.
pub(crate) fn find_regions(tree: &Tree, node: impl Fn(u32) -> Node, wanted: &str, limit: u32) -> Result<Nodes> {
    let (name, nth) = match wanted.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')) {
        Some((name, nth)) => (name, nth.parse::<usize>().ok()),
        None => (wanted, None),
    };
    let class = REGIONS.iter().position(|(region, _)| *region == name).ok_or_else(|| unknown_region(wanted))?;
    let mut nodes: Vec<Node> = match class {
        STYLESHEET => vec![region_node("stylesheet", "stylesheet".to_owned(), class, 0, Span::new(0, tree.text.len()))],
        IMPORTS | VARIABLES => {
            let runs = find_runs(tree, class);
            let several = runs.len() > 1;
            let run = |(index, (first, last)): (usize, (u32, u32))| {
                let address = if several { format!("{name}[{}]", index + 1) } else { name.to_owned() };
                region_node(name, address, class, first, tree.run_span(first, last))
            };
            runs.into_iter().enumerate().map(run).collect()
        }
        _ => {
            let at_name = format!("@{name}");
            let named = |index: &u32| {
                let item = tree.item(*index);
                item.kind == Kind::AtRule && tree.name(item).eq_ignore_ascii_case(&at_name)
            };
            (0..tree.items.len() as u32).filter(named).map(node).collect()
        }
    };
    if let Some(nth) = nth {
        nodes = nodes.into_iter().skip(nth.wrapping_sub(1)).take(1).collect();
    }
    if nodes.is_empty() {
        return Err(fail(FailureKind::TargetNotFound, format!("the stylesheet has no {wanted}"))
            .hint("to add some, use `insert_into` with the region `stylesheet`")
            .candidates(["stylesheet".to_owned()]));
    }
    let total = nodes.len() as u32;
    nodes.truncate(limit as usize);
    Ok(Nodes { nodes, total })
}

fn unknown_region(wanted: &str) -> Failure {
    let names = REGIONS.iter().map(|(name, _)| *name);
    let mut candidates = nearest(wanted, names.clone());
    if candidates.is_empty() {
        candidates = names.map(str::to_owned).collect();
    }
    fail(FailureKind::InvalidTarget, format!("no region `{wanted}`"))
        .hint("use one of the candidates")
        .candidates(candidates)
}

fn region_node(kind: &str, address: String, class: usize, first: u32, span: Span) -> Node {
    let id = FIRST_ID + class as NodeId * IDS_PER_CLASS + first;
    Node { name: kind.to_owned(), ..Node::plain(id, kind, address, span) }
}

/// Returns the runs of consecutive items of a class at the top level: the first and the last item of each.
fn find_runs(tree: &Tree, class: usize) -> Vec<(u32, u32)> {
    let belongs = |item: &Item| match class {
        IMPORTS => item.kind == Kind::Import,
        VARIABLES => item.kind == Kind::Variable,
        _ => false,
    };
    let mut runs: Vec<(u32, u32)> = Vec::new();
    let mut open = false;
    for index in tree.children(NONE) {
        let here = belongs(tree.item(index));
        match runs.last_mut() {
            Some(run) if here && open => run.1 = index,
            _ if here => runs.push((index, index)),
            _ => {}
        }
        open = here;
    }
    runs
}
