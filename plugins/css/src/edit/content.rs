//! What a caller inserts: read as a stylesheet of its own, so that it fits where it goes.

use marquetry_sdk::indent;

use crate::{
    chars::Dialect,
    scan::{Part, Scan},
    tree::{Item, Kind, NONE, Tree},
};

/// How statements stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Ends with a semicolon.
    Statement,
    /// Ends with a block.
    Block,
}

impl Class {
    pub(crate) fn of(item: &Item) -> Class {
        if item.block { Class::Block } else { Class::Statement }
    }
}

/// Text to insert.
#[derive(Debug)]
pub(crate) struct Content {
    tree: Tree,
}

impl Content {
    pub(crate) fn new(text: &str, dialect: Dialect) -> Content {
        let text = text.trim_start_matches(['\n', '\r']).trim_ascii_end();
        // A first line that is indented tells how deep all lines are.
        Content { tree: Tree::new(text.to_owned(), dialect) }
    }

    fn top(&self) -> impl Iterator<Item = &Item> {
        self.tree.children(NONE).map(|index| self.tree.item(index))
    }

    /// The kind of the first statement, its class, and the name it is sorted by.
    pub(crate) fn first(&self) -> (Option<Kind>, Class) {
        match self.top().next() {
            Some(item) => (Some(item.kind), Class::of(item)),
            None => (None, Class::Statement),
        }
    }

    pub(crate) fn last_class(&self) -> Class {
        self.top().last().map_or(Class::Statement, Class::of)
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
    fn semicolons_come_and_go() {
        let content = |text| Content::new(text, Dialect::Css);
        assert_eq!(content("a: b").terminated(""), "a: b;");
        assert_eq!(content("a: b /* c */").terminated(""), "a: b; /* c */");
        assert_eq!(content("a: b;").terminated(""), "a: b;");
        assert_eq!(content("a: b; c: d;\n").unterminated(""), "a: b; c: d");
        assert_eq!(content(".a { }").terminated(""), ".a { }");
    }
}
