//! The nodes of a file with their addresses, as `query` with the type `documentSymbols` reports them.

use std::ops::Range;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::measure::session::Session;

/// A node of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub address: String,
    /// Bytes of the text.
    pub span: Range<usize>,
}

/// Returns all nodes of a file with this text, outer ones first; `None` if it has no outline.
pub(super) fn nodes(session: &mut Session, file: &str, text: &str) -> Result<Option<Vec<Node>>> {
    let question = json!({ "type": "documentSymbols", "file": file });
    let Ok(answer) = session.result("query", &question)? else { return Ok(None) };
    let mut found = Vec::new();
    collect(&answer["data"]["symbols"], &line_starts(text), text, &mut found)?;
    Ok(Some(found))
}

fn collect(symbols: &Value, starts: &[usize], text: &str, found: &mut Vec<Node>) -> Result<()> {
    for symbol in symbols.as_array().map_or(&[][..], Vec::as_slice) {
        let side = |side: &str| offset(text, starts, &symbol["range"][side]).context("a position outside of the text");
        let address = symbol["address"].as_str().context("a node without an address")?.to_owned();
        found.push(Node { address, span: side("start")?..side("end")? });
        collect(&symbol["children"], starts, text, found)?;
    }
    Ok(())
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

/// Returns the offset of a line (from 1) and a column (from 0, in UTF-16).
fn offset(text: &str, starts: &[usize], position: &Value) -> Option<usize> {
    let line = usize::try_from(position["line"].as_u64()?).ok()?.checked_sub(1)?;
    let column = usize::try_from(position["column"].as_u64()?).ok()?;
    let start = *starts.get(line)?;
    let mut units = 0;
    for (at, character) in text[start..].char_indices() {
        if units >= column {
            return Some(start + at);
        }
        units += character.len_utf16();
    }
    Some(text.len())
}

/// Returns the smallest node that contains a span, by the number of its bytes.
pub(super) fn smallest<'a>(nodes: &'a [Node], span: &Range<usize>) -> Option<&'a Node> {
    enclosing(nodes, span).into_iter().next()
}

/// Returns the nodes that contain a span, the smallest first.
pub(super) fn enclosing<'a>(nodes: &'a [Node], span: &Range<usize>) -> Vec<&'a Node> {
    let contains = |node: &&Node| node.span.start <= span.start && span.end <= node.span.end;
    let mut found: Vec<&Node> = nodes.iter().rev().filter(contains).collect();
    found.sort_by_key(|node| node.span.len());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(address: &str, span: Range<usize>) -> Node {
        Node { address: address.to_owned(), span }
    }

    #[test]
    fn positions_count_utf16_units() {
        let text = "a\n\u{1f600}é x\n";
        let starts = line_starts(text);
        let at = |line: u64, column: u64| offset(text, &starts, &json!({ "line": line, "column": column }));
        assert_eq!(at(1, 0), Some(0));
        assert_eq!(at(2, 2), Some(6));
        assert_eq!(at(2, 3), Some(8));
        assert_eq!(at(2, 4), Some(9));
        assert_eq!(at(3, 0), Some(text.len()));
        assert_eq!(at(9, 0), None);
    }

    #[test]
    fn nested_symbols_become_a_flat_list() {
        let range = |start: u64, end: u64| json!({ "start": { "line": 1, "column": start }, "end": { "line": 1, "column": end } });
        let symbols = json!([{
            "address": "a", "range": range(0, 9),
            "children": [{ "address": "a.b", "range": range(2, 4) }],
        }]);
        let mut found = Vec::new();
        collect(&symbols, &line_starts("0123456789"), "0123456789", &mut found).expect("valid");
        assert_eq!(found, [node("a", 0..9), node("a.b", 2..4)]);
    }

    #[test]
    fn smallest_node_contains_the_whole_span() {
        let nodes = [node("a", 0..20), node("a.b", 2..10), node("a.c", 11..14)];
        let address = |span: Range<usize>| smallest(&nodes, &span).map(|node| node.address.as_str());
        assert_eq!(address(3..5), Some("a.b"));
        assert_eq!(address(9..12), Some("a"));
        assert_eq!(address(11..14), Some("a.c"));
        assert_eq!(address(19..21), None);
    }
}
