//! What a caller inserts: read as a stylesheet of its own, so that it fits where it goes.

use std::borrow::Cow;

use marquetry_sdk::{indent, lines};

use crate::{
    chars::Dialect,
    scan::{Part, Scan},
    tree::{Item, Kind, NONE, Tree},
};

/// Statements whose indentation is looked at.
const MOST_COUNTED: usize = 500;

/// How a file is written.
#[derive(Debug)]
pub(crate) struct Style {
    pub(crate) dialect: Dialect,
    /// One step of indentation, if anything is indented.
    unit: Option<String>,
}

impl Style {
    pub(crate) fn of(tree: &Tree) -> Style {
        Style { dialect: tree.dialect, unit: unit(tree) }
    }

    /// The style of a part that is written in steps of its own; this style where it shows none.
    pub(crate) fn of_part(&self, part: &str) -> Style {
        let own = unit(&Tree::new(part.to_owned(), self.dialect));
        Style { dialect: self.dialect, unit: own.or_else(|| self.unit.clone()) }
    }

    /// One step of indentation.
    pub(crate) fn unit(&self) -> &str {
        self.unit.as_deref().unwrap_or("  ")
    }

    /// The text at another depth, its own steps of indentation as long as those of the file.
    pub(crate) fn place(&self, text: &str, depth: &str) -> String {
        place(&self.fit(text), depth, self.dialect)
    }

    fn fit<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.unit.is_none() || !text.contains(['\n', '\r']) {
            return text.into();
        }
        let frozen = frozen_lines(text, self.dialect);
        indent::fit(text, "", self.unit.as_deref(), |line| frozen.binary_search(&line).is_ok()).into()
    }
}

/// One step of indentation: by how much statements stand deeper than what they are in, most often.
/// Nothing where no line is indented.
fn unit(tree: &Tree) -> Option<String> {
    let text = &tree.text;
    let mut counts: Vec<(&str, u32)> = Vec::new();
    for item in tree.items.iter().take(MOST_COUNTED) {
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
    let indented = text.lines().take(MOST_COUNTED).any(|line| {
        let content = line.trim_ascii_start();
        content.len() < line.len() && !content.is_empty() && !content.starts_with('*')
    });
    indented.then(|| indent::unit(text))
}

/// How statements stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Ends with a semicolon.
    Statement(Kind),
    /// Ends with a block, all on one line.
    Line,
    /// Ends with a block over several lines.
    Block,
}

impl Class {
    pub(crate) fn of(tree: &Tree, item: &Item) -> Class {
        match item.block {
            false => Class::Statement(item.kind),
            true if tree.text[item.start as usize..item.end as usize].contains(['\n', '\r']) => Class::Block,
            true => Class::Line,
        }
    }

    pub(crate) fn is_statement(self) -> bool {
        matches!(self, Class::Statement(_))
    }
}

/// Text to insert.
#[derive(Debug)]
pub(crate) struct Content {
    tree: Tree,
}

impl Content {
    /// Its steps of indentation become those of the file.
    pub(crate) fn new(text: &str, style: &Style) -> Content {
        Content::as_written(&style.fit(text), style.dialect)
    }

    pub(crate) fn as_written(text: &str, dialect: Dialect) -> Content {
        let text = text.trim_start_matches(['\n', '\r']).trim_ascii_end();
        Content { tree: Tree::new(text.to_owned(), dialect) }
    }

    /// The content as a stylesheet.
    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Whether a semicolon belongs behind it: not behind a block, and not where there are only comments.
    pub(crate) fn ends_with_statement(&self) -> bool {
        self.last_class().is_statement() && (self.top().next().is_some() || !self.tree.problems.is_empty())
    }

    /// Whether it is nothing but comments.
    pub(crate) fn is_comment(&self) -> bool {
        self.top().next().is_none() && self.tree.problems.is_empty() && !self.tree.text.trim().is_empty()
    }

    fn top(&self) -> impl Iterator<Item = &Item> {
        self.tree.children(NONE).map(|index| self.tree.item(index))
    }

    /// The kind of the first statement, its class, and the name it is sorted by.
    pub(crate) fn first(&self) -> (Option<Kind>, Class) {
        match self.top().next() {
            Some(item) => (Some(item.kind), Class::of(&self.tree, item)),
            None => (None, Class::Statement(Kind::Declaration)),
        }
    }

    pub(crate) fn last_class(&self) -> Class {
        self.top().last().map_or(Class::Statement(Kind::Declaration), |item| Class::of(&self.tree, item))
    }

    /// What the first statement is sorted by.
    pub(crate) fn sort_key(&self) -> String {
        self.top().next().map_or(String::new(), |item| sort_key(&self.tree, item))
    }

    /// The text at the indentation, the last statement with its semicolon.
    pub(crate) fn terminated(&self, depth: &str) -> String {
        let text = &self.tree.text;
        match self.top().last() {
            Some(item) if item.is_statement() && !item.has_semicolon() => {
                let (before, behind) = text.split_at(item.end as usize);
                place(&format!("{before};{behind}"), depth, self.tree.dialect)
            }
            _ => place(text, depth, self.tree.dialect),
        }
    }

    /// The text at the indentation, the last statement without its semicolon.
    pub(crate) fn unterminated(&self, depth: &str) -> String {
        let text = &self.tree.text;
        match self.top().last() {
            Some(item) if item.is_statement() && item.has_semicolon() && item.after as usize == text.len() => {
                place(text[..item.end as usize].trim_ascii_end(), depth, self.tree.dialect)
            }
            None => place(text.strip_suffix(';').unwrap_or(text), depth, self.tree.dialect),
            _ => place(text, depth, self.tree.dialect),
        }
    }
}

/// What an item is sorted by among its neighbours.
pub(crate) fn sort_key(tree: &Tree, item: &Item) -> String {
    match item.kind {
        Kind::Declaration | Kind::Variable | Kind::Entry => tree.name(item).to_owned(),
        _ => crate::keys::label(tree, item),
    }
}

/// The text moved to another depth; lines that start within a string or an address stay.
pub(crate) fn place(text: &str, depth: &str, dialect: Dialect) -> String {
    if !text.contains(['\n', '\r']) {
        return text.trim_ascii().to_owned();
    }
    let frozen = frozen_lines(text, dialect);
    indent::reindent(text, depth, |line| frozen.binary_search(&line).is_ok())
}

/// The lines that start within a literal.
fn frozen_lines(text: &str, dialect: Dialect) -> Vec<usize> {
    let mut scan = Scan::quiet(text, dialect);
    let (mut at, mut line) = (0, 0);
    let mut frozen = Vec::new();
    while at < text.len() {
        let (part, end) = scan.part(at);
        let literal = part == Part::Text || (part == Part::Group && scan.url_end(at).is_some());
        // What stands in brackets is read as well.
        let next = if part == Part::Group && !literal { at + 1 } else { end };
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
    fn strings_over_several_lines_stay() {
        let text = "a {\n  b: \"x\\\n  y\";\n}";
        assert_eq!(place(text, "    ", Dialect::Css), "a {\n      b: \"x\\\n  y\";\n    }");
    }

    #[test]
    fn steps_of_indentation_are_those_of_the_file() {
        let style = |unit: &str| Style { dialect: Dialect::Css, unit: Some(unit.to_owned()) };
        let text = "a {\n  /*\n   * b\n   */\n  c {\n    d: e;\n  }\n}";
        assert_eq!(style("\t").place(text, "\t"), "a {\n\t\t/*\n\t\t * b\n\t\t */\n\t\tc {\n\t\t\td: e;\n\t\t}\n\t}");
        assert_eq!(style("    ").place("a {\n\tb: c;\n}", ""), "a {\n    b: c;\n}");
    }

    #[test]
    fn semicolons_come_and_go() {
        let style = Style { dialect: Dialect::Css, unit: None };
        let content = |text| Content::new(text, &style);
        assert_eq!(content("a: b").terminated(""), "a: b;");
        assert_eq!(content("a: b /* c */").terminated(""), "a: b; /* c */");
        assert_eq!(content("a: b;").terminated(""), "a: b;");
        assert_eq!(content("a: b; c: d;\n").unterminated(""), "a: b; c: d");
        assert_eq!(content(".a { }").terminated(""), ".a { }");
    }
}
