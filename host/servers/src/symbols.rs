//! Validation of outlines: `textDocument/documentSymbol`, as a tree or as a list.

use lsp_types::{DocumentSymbol, DocumentSymbolResponse, SymbolKind};
use marquetry_model::{Result, Span, servers::ServerSymbol, text::Lines};
use serde_json::Value;

use crate::validate::Validator;

/// Maximum depth of nested symbols.
const MAX_DEPTH: usize = 64;

impl Validator<'_> {
    /// Returns whether an outline matches the current text: all ranges are in the text, and each name is at its
    /// reported position.
    pub(crate) fn fits_text(&self, answer: &Value) -> bool {
        let symbols = self.all_symbols(answer.clone());
        symbols.is_ok_and(|symbols| symbols.iter().all(|symbol| is_at_its_name(&self.source.text, symbol)))
    }

    /// Converts the answer to `textDocument/documentSymbol`, in document order. Symbols whose names are elsewhere in the
    /// text are omitted, because their ranges may be those of another text.
    pub(crate) fn symbols(&self, answer: Value) -> Result<Vec<ServerSymbol>> {
        let all = self.all_symbols(answer)?;
        let mut kept: Vec<Option<usize>> = Vec::with_capacity(all.len());
        let mut found: Vec<ServerSymbol> = Vec::with_capacity(all.len());
        for mut symbol in all {
            // A symbol in an omitted one is omitted as well.
            let parent = symbol.parent.map(|parent| kept[parent]);
            if parent == Some(None) || !is_at_its_name(&self.source.text, &symbol) {
                kept.push(None);
                continue;
            }
            symbol.parent = parent.flatten();
            kept.push(Some(found.len()));
            found.push(symbol);
        }
        Ok(found)
    }

    fn all_symbols(&self, answer: Value) -> Result<Vec<ServerSymbol>> {
        let symbols: Option<DocumentSymbolResponse> = self.read(answer)?;
        let text = &self.source.text;
        let lines = Lines::new(text);
        let mut found = Vec::new();
        match symbols {
            Some(DocumentSymbolResponse::Nested(symbols)) => self.add_nested(&lines, symbols, None, 0, &mut found)?,
            Some(DocumentSymbolResponse::Flat(symbols)) => {
                self.check_count(symbols.len(), "symbols")?;
                for symbol in symbols {
                    let span = self.span(&lines, text, symbol.location.range)?;
                    let name = span.slice(text).find(&symbol.name).map(|at| span.start + at);
                    let selection = name.map(|at| Span::new(at, at + symbol.name.len()));
                    let kind = kind_name(symbol.kind);
                    let selection = selection.unwrap_or(Span::new(span.start, span.start));
                    found.push(ServerSymbol { name: symbol.name, kind, span, selection, parent: None });
                }
                nest(&mut found);
            }
            None => {}
        }
        Ok(found)
    }

    fn add_nested(
        &self,
        lines: &Lines<'_>,
        mut symbols: Vec<DocumentSymbol>,
        parent: Option<usize>,
        depth: usize,
        found: &mut Vec<ServerSymbol>,
    ) -> Result<()> {
        if depth > MAX_DEPTH {
            return Err(self.invalid_answer("symbols that are nested too deeply"));
        }
        symbols.sort_by_key(|symbol| (symbol.range.start, std::cmp::Reverse(symbol.range.end)));
        for symbol in symbols {
            self.check_count(found.len() + 1, "symbols")?;
            let span = self.span(lines, &self.source.text, symbol.range)?;
            let selection = self.span(lines, &self.source.text, symbol.selection_range)?;
            if !span.contains(selection) {
                return Err(self.invalid_answer(&format!("the name of `{}` is outside of its range", symbol.name)));
            }
            let index = found.len();
            found.push(ServerSymbol { name: symbol.name, kind: kind_name(symbol.kind), span, selection, parent });
            self.add_nested(lines, symbol.children.unwrap_or_default(), Some(index), depth + 1, found)?;
        }
        Ok(())
    }
}

/// Returns whether the text at the position of a name is the name. Names that are not identifiers, such as that of a
/// callback, need not be in the text. An empty range is accepted, too.
fn is_at_its_name(text: &str, symbol: &ServerSymbol) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let written = symbol.selection.slice(text);
    !symbol.name.chars().all(is_part) || written.contains(&symbol.name) || written.is_empty()
}

/// Sorts a list of symbols and makes each a child of the smallest symbol before it that contains it.
fn nest(symbols: &mut [ServerSymbol]) {
    symbols.sort_by_key(|symbol| (symbol.span.start, std::cmp::Reverse(symbol.span.end)));
    let mut open: Vec<usize> = Vec::new();
    for index in 0..symbols.len() {
        let span = symbols[index].span;
        while open.last().is_some_and(|last| !symbols[*last].span.contains(span)) {
            open.pop();
        }
        symbols[index].parent = open.last().copied();
        open.push(index);
    }
}

fn kind_name(kind: SymbolKind) -> &'static str {
    match kind {
        SymbolKind::FILE => "file",
        SymbolKind::MODULE => "module",
        SymbolKind::NAMESPACE => "namespace",
        SymbolKind::PACKAGE => "package",
        SymbolKind::CLASS => "class",
        SymbolKind::METHOD => "method",
        SymbolKind::PROPERTY => "property",
        SymbolKind::FIELD => "field",
        SymbolKind::CONSTRUCTOR => "constructor",
        SymbolKind::ENUM => "enum",
        SymbolKind::INTERFACE => "interface",
        SymbolKind::FUNCTION => "function",
        SymbolKind::VARIABLE => "variable",
        SymbolKind::CONSTANT => "constant",
        SymbolKind::STRUCT => "struct",
        SymbolKind::ENUM_MEMBER => "enum_member",
        SymbolKind::EVENT => "event",
        SymbolKind::OPERATOR => "operator",
        SymbolKind::TYPE_PARAMETER => "type_parameter",
        _ => "value",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(name: &str, start: usize, end: usize) -> ServerSymbol {
        let span = Span::new(start, end);
        ServerSymbol { name: name.to_owned(), kind: "class", span, selection: span, parent: None }
    }

    #[test]
    fn names_are_compared_with_the_text() {
        for (name, start, end, expected) in [
            ("run", 3, 6, true),
            ("run", 0, 6, true),
            ("run", 4, 7, false),
            ("run() callback", 0, 2, true),
            ("run", 2, 2, true),
        ] {
            assert_eq!(is_at_its_name("fn run() {}", &symbol(name, start, end)), expected, "{name} {start}");
        }
    }

    #[test]
    fn lists_become_trees() {
        let mut list = vec![symbol("c", 6, 8), symbol("a", 0, 10), symbol("b", 1, 4), symbol("d", 12, 14)];
        nest(&mut list);
        let tree: Vec<(&str, Option<usize>)> = list.iter().map(|it| (it.name.as_str(), it.parent)).collect();
        assert_eq!(tree, [("a", None), ("b", Some(0)), ("c", Some(0)), ("d", None)]);
    }
}
