//! `documentSymbols`: the symbols of one file.

use marquetry_model::{Error, Kind, Result, limits, pack::Node, text::Lines};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, QueryArgs, QueryResult, required};
use crate::{
    result_types::{Range, pluralized, range_of},
    session::Session,
    target::supports_only_lines,
};

/// The outline of a file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Symbols {
    /// The outermost symbols.
    pub symbols: Vec<Symbol>,
}

/// A symbol.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Symbol {
    /// Name.
    pub name: String,
    /// Kind, such as `class`.
    pub kind: String,
    /// Address that finds exactly this symbol.
    pub address: String,
    /// Range of the whole symbol.
    pub range: Range,
    /// Range of its name.
    pub selection_range: Range,
    /// Level of a heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// Symbols inside of it.
    pub children: Vec<Symbol>,
}

impl Session {
    /// Returns a page of the symbols in document order. Symbols of every depth count. Parents of the first symbol of a
    /// page are included but do not count.
    pub(super) fn document_symbols(&self, args: &QueryArgs) -> Result<QueryResult> {
        let file = self.open_or_symbol(required(&args.path, "path", "documentSymbols")?)?;
        if supports_only_lines(file.description()) {
            let message = format!("no language pack reads the symbols of {}", file.path());
            return Err(Error::new(Kind::Unsupported, message)
                .hint("read the file, or look for a text in it with `type: \"search\"`"));
        }
        let lines = Lines::new(file.text());
        let depth = args.depth.unwrap_or(limits::SYMBOL_LEVELS).clamp(1, limits::SYMBOL_LEVELS);
        let outline = file.outline()?;
        let completeness = match outline.len() {
            _ if file.is_read_by_server() => "syntactic: the symbols are those of the language server".to_owned(),
            all if all < limits::COMPLETE_OUTLINE => "complete".to_owned(),
            all => format!("partial: the outline has {all} symbols, and the pack may have omitted more"),
        };
        let (listed, cut) = nodes_up_to_depth(outline, depth);
        if args.max_bytes.or(self.max_bytes).is_none() {
            let shown = listed.iter().skip(args.offset.unwrap_or(0)).take(args.limit.unwrap_or(usize::MAX));
            check_size(shown.map(|(node, _)| node))?;
        }
        let parents: Vec<Option<usize>> = listed.iter().map(|(_, parent)| *parent).collect();
        let mut symbols: Vec<Symbol> = listed.into_iter().map(|(node, _)| symbol(node, &lines)).collect();
        let page = args.page(self, symbols.iter().collect());
        let (start, end) = (args.offset.unwrap_or(0), args.offset.unwrap_or(0).saturating_add(page.items.len()));
        let (total, truncated) = (page.total, page.truncated);
        symbols.truncate(end);
        let symbols = symbol_tree(symbols, &parents, start);
        let more = if depth < limits::SYMBOL_LEVELS { "give a larger `depth`" } else { "read them by their addresses" };
        let deeper = (cut > 0).then(|| format!("{} below the depth; {more}", pluralized(cut, "symbol")));
        let truncated: Vec<String> = truncated.into_iter().chain(deeper).collect();
        let truncated = (!truncated.is_empty()).then(|| truncated.join("; "));
        let data = Answer::Symbols(Symbols { symbols });
        Ok(QueryResult::new(data, completeness, file.engine()).paged(total, truncated))
    }
}

/// Bytes of a symbol as JSON, in addition to its texts.
const SYMBOL_BYTES: usize = 193;

/// Fails if the symbols cannot be sent in one answer. The size is computed before the answer is built, because building
/// the answer takes longer than computing the outline.
fn check_size<'n>(nodes: impl Iterator<Item = &'n Node>) -> Result<()> {
    let (mut bytes, mut count) = (0_usize, 0_usize);
    for node in nodes {
        bytes = bytes.saturating_add(SYMBOL_BYTES + node.name.len() + node.kind.len() + node.address.len());
        count += 1;
    }
    if bytes <= limits::MESSAGE {
        return Ok(());
    }
    let (size, most) = (bytes.div_ceil(1 << 20), limits::MESSAGE >> 20);
    let message = format!("{count} symbols take {size} MiB; the limit of an answer is {most} MiB");
    Err(Error::new(Kind::LimitExceeded, message)
        .hint("ask for less at once: `maxBytes`, `limit` with `offset`, or a smaller `depth`"))
}

/// Returns the nodes up to a depth with the indices of their parents, and the number of deeper nodes.
fn nodes_up_to_depth(nodes: Vec<Node>, most: usize) -> (Vec<(Node, Option<usize>)>, usize) {
    let total = nodes.len();
    // Index in the list and level of each node; `None` for a node that is too deep.
    let mut places: Vec<Option<(usize, usize)>> = Vec::with_capacity(total);
    let mut listed = Vec::new();
    for node in nodes {
        let above = node.parent.map(|parent| places.get(parent as usize).copied().flatten());
        let place = match above {
            None => Some((None, 1)),
            Some(Some((parent, level))) if level < most => Some((Some(parent), level + 1)),
            Some(_) => None,
        };
        places.push(place.map(|(_, level)| (listed.len(), level)));
        listed.extend(place.map(|(parent, _)| (node, parent)));
    }
    let below = total - listed.len();
    (listed, below)
}

/// Builds a tree of the symbols from `start` on, including their parents. Works from the end, because children come
/// after their parents.
fn symbol_tree(symbols: Vec<Symbol>, parents: &[Option<usize>], start: usize) -> Vec<Symbol> {
    let mut symbols: Vec<Option<Symbol>> = symbols.into_iter().map(Some).collect();
    let mut roots = Vec::new();
    for index in (0..symbols.len()).rev() {
        let is_shown = index >= start || symbols[index].as_ref().is_some_and(|symbol| !symbol.children.is_empty());
        let Some(mut done) = symbols[index].take().filter(|_| is_shown) else { continue };
        done.children.reverse();
        match parents[index].and_then(|parent| symbols[parent].as_mut()) {
            Some(parent) => parent.children.push(done),
            None => roots.push(done),
        }
    }
    roots.reverse();
    roots
}

fn symbol(node: Node, lines: &Lines<'_>) -> Symbol {
    Symbol {
        range: range_of(lines, node.span),
        selection_range: range_of(lines, node.selection),
        name: node.name,
        kind: node.kind,
        address: node.address,
        level: node.level,
        children: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_that_do_not_fit_into_a_message_are_refused() {
        let node = |size: usize| Node { name: "n".repeat(size), kind: "key".to_owned(), ..Node::default() };
        let large: Vec<Node> = (0..70).map(|_| node(1 << 20)).collect();
        assert_eq!(check_size(large.iter().take(63)), Ok(()));
        let error = check_size(large.iter()).expect_err("more than 64 MiB");
        assert_eq!(error.kind(), Kind::LimitExceeded);
        assert_eq!(error.content().message, "70 symbols take 71 MiB; the limit of an answer is 64 MiB");
        let small = node(0);
        assert_eq!(check_size(std::iter::repeat_n(&small, 300_000)), Ok(()));
        assert!(check_size(std::iter::repeat_n(&small, 400_000)).is_err());
    }

    /// The estimate must not refuse an answer that fits.
    #[test]
    fn estimated_size_is_not_larger_than_the_json() {
        let node = Node { name: "n".to_owned(), kind: "key".to_owned(), address: "$.n".to_owned(), ..Node::default() };
        let texts = node.name.len() + node.kind.len() + node.address.len();
        let json = serde_json::to_string(&symbol(node, &Lines::new("n"))).expect("JSON");
        assert_eq!(json.len(), SYMBOL_BYTES + texts);
    }
}
