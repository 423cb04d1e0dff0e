//! Content to be inserted. It is parsed as a stylesheet and adapted to the style of the file.

use std::borrow::Cow;

use marquetry_sdk::{indent, lines};

use crate::{
    chars::Dialect,
    scanner::{Scanner, TokenKind},
    tree::{Item, Kind, NONE, Tree},
};

/// Maximum number of statements inspected to detect the indentation.
const MAX_COUNTED: usize = 500;

/// The dialect and the indentation of a file.
#[derive(Debug)]
pub(crate) struct Style {
    pub(crate) dialect: Dialect,
    /// One level of indentation. `None` if no line of the file is indented.
    indent_unit: Option<String>,
}

impl Style {
    pub(crate) fn detect(tree: &Tree) -> Style {
        Style { dialect: tree.dialect, indent_unit: detect_indent_unit(tree) }
    }

    /// Returns the style of a part of the file, whose indentation may be different. If nothing in the part is indented,
    /// it has the indentation of this style.
    pub(crate) fn for_part(&self, part: &str) -> Style {
        let own = detect_indent_unit(&Tree::new(part.to_owned(), self.dialect));
        Style { dialect: self.dialect, indent_unit: own.or_else(|| self.indent_unit.clone()) }
    }

    /// Returns one level of indentation.
    pub(crate) fn indent_unit(&self) -> &str {
        self.indent_unit.as_deref().unwrap_or("  ")
    }

    /// Moves a text to another depth, and converts its indentation to that of the file.
    pub(crate) fn reindent(&self, text: &str, depth: &str) -> String {
        reindent_text(&self.convert_indentation(text), depth, self.dialect)
    }

    fn convert_indentation<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.indent_unit.is_none() || !text.contains(['\n', '\r']) {
            return text.into();
        }
        let frozen = literal_lines(text, self.dialect);
        indent::reindent_with_unit(text, "", self.indent_unit.as_deref(), |line| frozen.binary_search(&line).is_ok())
            .into()
    }
}

/// Returns the most common difference in indentation between a statement and its parent. `None` if no line is indented.
fn detect_indent_unit(tree: &Tree) -> Option<String> {
    let text = &tree.text;
    let mut counts: Vec<(&str, u32)> = Vec::new();
    for item in tree.items.iter().take(MAX_COUNTED) {
        let Some(parent) = tree.items.get(item.parent as usize) else { continue };
        let on_line = |item: &Item| lines::starts_line(text, item.start as usize);
        let depth = |item: &Item| lines::indent_at(text, item.start as usize);
        let step = depth(item).strip_prefix(depth(parent)).filter(|step| !step.is_empty());
        let Some(step) = step.filter(|_| on_line(item) && on_line(parent)) else { continue };
        match counts.iter_mut().find(|(known, _)| *known == step) {
            Some((_, count)) => *count += 1,
            None => counts.push((step, 1)),
        }
    }
    if let Some((step, _)) = counts.iter().rev().max_by_key(|(_, count)| *count) {
        return Some((*step).to_owned());
    }
    let indented = text.lines().take(MAX_COUNTED).any(|line| {
        let content = line.trim_ascii_start();
        content.len() < line.len() && !content.is_empty() && !content.starts_with('*')
    });
    indented.then(|| indent::unit(text))
}

/// Shape of a statement. It determines the number of line breaks between the statement and its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatementShape {
    /// A statement without a block, which ends with a semicolon.
    Statement(Kind),
    /// A statement with a block, on a single line.
    Line,
    /// A statement with a block that spans several lines.
    Block,
}

impl StatementShape {
    pub(crate) fn from_item(tree: &Tree, item: &Item) -> StatementShape {
        match item.block {
            false => StatementShape::Statement(item.kind),
            true if tree.text[item.start as usize..item.end as usize].contains(['\n', '\r']) => StatementShape::Block,
            true => StatementShape::Line,
        }
    }

    pub(crate) fn is_statement(self) -> bool {
        matches!(self, StatementShape::Statement(_))
    }
}

/// Text to be inserted.
#[derive(Debug)]
pub(crate) struct Content {
    tree: Tree,
}

impl Content {
    /// Parses the text and converts its indentation to that of the file.
    pub(crate) fn new(text: &str, style: &Style) -> Content {
        Content::as_written(&style.convert_indentation(text), style.dialect)
    }

    pub(crate) fn as_written(text: &str, dialect: Dialect) -> Content {
        let text = text.trim_start_matches(['\n', '\r']).trim_ascii_end();
        Content { tree: Tree::new(text.to_owned(), dialect) }
    }

    /// Returns the content as a stylesheet.
    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Returns whether a semicolon must follow the content. It must not if the content ends with a block, or consists
    /// only of comments.
    pub(crate) fn ends_with_statement(&self) -> bool {
        self.last_shape().is_statement()
            && (self.top_level_items().next().is_some() || !self.tree.diagnostics.is_empty())
    }

    /// Returns whether the content consists of comments only.
    pub(crate) fn is_comment(&self) -> bool {
        self.top_level_items().next().is_none() && self.tree.diagnostics.is_empty() && !self.tree.text.trim().is_empty()
    }

    fn top_level_items(&self) -> impl Iterator<Item = &Item> {
        self.tree.children(NONE).map(|index| self.tree.item(index))
    }

    /// Returns the kind and the shape of the first statement.
    pub(crate) fn first_kind_and_shape(&self) -> (Option<Kind>, StatementShape) {
        match self.top_level_items().next() {
            Some(item) => (Some(item.kind), StatementShape::from_item(&self.tree, item)),
            None => (None, StatementShape::Statement(Kind::Declaration)),
        }
    }

    pub(crate) fn last_shape(&self) -> StatementShape {
        self.top_level_items()
            .last()
            .map_or(StatementShape::Statement(Kind::Declaration), |item| StatementShape::from_item(&self.tree, item))
    }

    /// Returns the sort key of the first statement.
    pub(crate) fn sort_key(&self) -> String {
        self.top_level_items().next().map_or(String::new(), |item| sort_key(&self.tree, item))
    }

    /// Returns the text with this indentation, and with a semicolon after the last statement.
    pub(crate) fn terminated(&self, depth: &str) -> String {
        let text = &self.tree.text;
        match self.top_level_items().last() {
            Some(item) if item.is_statement() && !item.has_semicolon() => {
                let (before, behind) = text.split_at(item.end as usize);
                reindent_text(&format!("{before};{behind}"), depth, self.tree.dialect)
            }
            _ => reindent_text(text, depth, self.tree.dialect),
        }
    }

    /// Returns the text with this indentation, and without a semicolon after the last statement.
    pub(crate) fn unterminated(&self, depth: &str) -> String {
        let text = &self.tree.text;
        match self.top_level_items().last() {
            Some(item)
                if item.is_statement() && item.has_semicolon() && item.end_with_semicolon as usize == text.len() =>
            {
                reindent_text(text[..item.end as usize].trim_ascii_end(), depth, self.tree.dialect)
            }
            None => reindent_text(text.strip_suffix(';').unwrap_or(text), depth, self.tree.dialect),
            _ => reindent_text(text, depth, self.tree.dialect),
        }
    }
}

/// Returns the key by which an item is sorted among its siblings.
pub(crate) fn sort_key(tree: &Tree, item: &Item) -> String {
    match item.kind {
        Kind::Declaration | Kind::Variable | Kind::Entry => tree.name(item).to_owned(),
        _ => crate::keys::label(tree, item),
    }
}

/// Moves the text to another depth. Lines that start within a string or a URL are not changed.
pub(crate) fn reindent_text(text: &str, depth: &str, dialect: Dialect) -> String {
    if !text.contains(['\n', '\r']) {
        return text.trim_ascii().to_owned();
    }
    let frozen = literal_lines(text, dialect);
    indent::reindent(text, depth, |line| frozen.binary_search(&line).is_ok())
}

/// Returns the lines that start within a string or a URL.
fn literal_lines(text: &str, dialect: Dialect) -> Vec<usize> {
    let mut scan = Scanner::without_reports(text, dialect);
    let (mut at, mut line) = (0, 0);
    let mut frozen = Vec::new();
    while at < text.len() {
        let (part, end) = scan.token_at(at);
        let literal = part == TokenKind::Text || (part == TokenKind::Group && scan.url_end(at).is_some());
        // Continue inside brackets, to read their content.
        let next = if part == TokenKind::Group && !literal { at + 1 } else { end };
        let breaks = text[at..next].matches('\n').count();
        if literal {
            frozen.extend(line + 1..=line + breaks);
        }
        line += breaks;
        at = next;
    }
    frozen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indentation_keeps_multiline_strings() {
        let text = "a {\n  b: \"x\\\n  y\";\n}";
        assert_eq!(reindent_text(text, "    ", Dialect::Css), "a {\n      b: \"x\\\n  y\";\n    }");
    }

    #[test]
    fn indentation_unit_is_detected_from_file() {
        let style = |unit: &str| Style { dialect: Dialect::Css, indent_unit: Some(unit.to_owned()) };
        let text = "a {\n  /*\n   * b\n   */\n  c {\n    d: e;\n  }\n}";
        assert_eq!(
            style("\t").reindent(text, "\t"),
            "a {\n\t\t/*\n\t\t * b\n\t\t */\n\t\tc {\n\t\t\td: e;\n\t\t}\n\t}"
        );
        assert_eq!(style("    ").reindent("a {\n\tb: c;\n}", ""), "a {\n    b: c;\n}");
    }

    #[test]
    fn terminated_adds_and_unterminated_removes_semicolon() {
        let style = Style { dialect: Dialect::Css, indent_unit: None };
        let content = |text| Content::new(text, &style);
        assert_eq!(content("a: b").terminated(""), "a: b;");
        assert_eq!(content("a: b /* c */").terminated(""), "a: b; /* c */");
        assert_eq!(content("a: b;").terminated(""), "a: b;");
        assert_eq!(content("a: b; c: d;\n").unterminated(""), "a: b; c: d");
        assert_eq!(content(".a { }").terminated(""), ".a { }");
    }
}
