//! What one document says of itself: its symbols.

use marquetry_model::{Result, limits, pack::Node, text::Lines};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, QueryArgs, QueryResult, needed};
use crate::{
    page::size,
    session::Session,
    shape::{Range, counted, range},
};

/// The outline of a file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Symbols {
    /// The outermost symbols.
    pub symbols: Vec<Symbol>,
}

/// One symbol.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: String,
    /// Finds exactly this symbol.
    pub address: String,
    /// Where it stands.
    pub range: Range,
    /// Where its name stands.
    pub selection_range: Range,
    /// Depth of a heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// The symbols inside it.
    pub children: Vec<Symbol>,
}

impl Session {
    pub(super) fn document_symbols(&self, args: &QueryArgs) -> Result<QueryResult> {
        let file = self.open(needed(&args.path, "path", "documentSymbols")?)?;
        let lines = Lines::new(file.text());
        let depth = args.depth.unwrap_or(limits::SYMBOL_LEVELS).clamp(1, limits::SYMBOL_LEVELS);
        let (symbols, cut) = tree(file.outline()?, &lines, depth);
        let mut page = args.page(self, symbols);
        // A page is never empty: what is too large for it by itself is shown as far as there is room.
        let mut left = args.max_bytes.or(self.most_bytes).unwrap_or(usize::MAX);
        let inside: usize = match page.items.as_mut_slice() {
            [only] if left != usize::MAX => prune(only, &mut left),
            _ => 0,
        };
        let more = if depth < limits::SYMBOL_LEVELS { "give a larger `depth`" } else { "read them by their addresses" };
        let deeper = (cut > 0).then(|| format!("{} below the depth; {more}", counted(cut, "symbol")));
        let inside = (inside > 0).then(|| {
            format!("{} inside; give a larger `maxBytes`, or read them by their addresses", counted(inside, "symbol"))
        });
        let truncated: Vec<String> = page.truncated.into_iter().chain(inside).chain(deeper).collect();
        let truncated = (!truncated.is_empty()).then(|| truncated.join("; "));
        let data = Answer::Symbols(Symbols { symbols: page.items });
        Ok(QueryResult::new(data, "complete".to_owned(), file.engine()).paged(page.total, truncated))
    }
}

/// The list with parent indices as a tree of so many levels, and how many symbols lie below. Built from the end: children
/// come after their parents. What is deeper never becomes a part of it: a tree is written and dropped level by level.
fn tree(nodes: Vec<Node>, lines: &Lines<'_>, most: usize) -> (Vec<Symbol>, usize) {
    let mut levels: Vec<usize> = Vec::with_capacity(nodes.len());
    for node in &nodes {
        levels.push(node.parent.and_then(|parent| levels.get(parent as usize)).map_or(1, |above| above + 1));
    }
    let parents: Vec<Option<u32>> = nodes.iter().map(|node| node.parent).collect();
    let shown = |(node, level): (Node, &usize)| (*level <= most).then(|| symbol(node, lines));
    let mut symbols: Vec<Option<Symbol>> = nodes.into_iter().zip(&levels).map(shown).collect();
    let below = levels.iter().filter(|level| **level > most).count();
    let mut roots = Vec::new();
    for index in (0..symbols.len()).rev() {
        let Some(mut done) = symbols[index].take() else { continue };
        done.children.reverse();
        match parents[index].and_then(|parent| symbols[parent as usize].as_mut()) {
            Some(parent) => parent.children.push(done),
            None => roots.push(done),
        }
    }
    roots.reverse();
    (roots, below)
}

/// Leave out what there is no room for inside a symbol, from the end; answers how many symbols that are.
fn prune(symbol: &mut Symbol, left: &mut usize) -> usize {
    let children = std::mem::take(&mut symbol.children);
    *left = left.saturating_sub(size(symbol));
    let mut dropped = 0;
    for mut child in children {
        if *left == 0 {
            dropped += count(&child);
            continue;
        }
        dropped += prune(&mut child, left);
        symbol.children.push(child);
    }
    dropped
}

/// A symbol and all inside it.
fn count(symbol: &Symbol) -> usize {
    1 + symbol.children.iter().map(count).sum::<usize>()
}

fn symbol(node: Node, lines: &Lines<'_>) -> Symbol {
    Symbol {
        range: range(lines, node.span),
        selection_range: range(lines, node.selection),
        name: node.name,
        kind: node.kind,
        address: node.address,
        level: node.level,
        children: Vec::new(),
    }
}
