//! Tokens between the children of a node, without white space, comments and separators.

use oxc_ast::AstType;

use super::tree::FlatTree;

/// A piece of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Item<'t> {
    /// A word or a single sign, with its start offset.
    Token(&'t str, u32),
    /// The index of a child.
    Child(usize),
}

/// Start and end of a piece of code.
pub(crate) type Part = (u32, u32);

/// Returns the pieces of a node in text order, and the comments between them.
pub(crate) fn items<T: AsRef<str>>(tree: &FlatTree<T>, index: usize) -> (Vec<Item<'_>>, Vec<Part>) {
    let node = tree.nodes[index];
    let mut reader = Reader { text: tree.text.as_ref(), kind: node.kind, items: Vec::new(), comments: Vec::new() };
    let mut at = node.start;
    for child in tree.children(index) {
        let inner = tree.nodes[child];
        reader.read_gap(at, inner.start);
        at = inner.end;
        if !is_blank(inner.kind, tree.text_of(child)) {
            reader.items.push(Item::Child(child));
        }
    }
    reader.read_gap(at, node.end);
    (reader.items, reader.comments)
}

/// Returns whether the node is only layout: white space between the children of an element, or an empty statement.
fn is_blank(kind: AstType, text: &str) -> bool {
    kind == AstType::EmptyStatement
        || (matches!(kind, AstType::JSXText | AstType::JSXEmptyExpression)
            && text.trim().is_empty()
            && text.contains('\n'))
}

struct Reader<'t> {
    text: &'t str,
    kind: AstType,
    items: Vec<Item<'t>>,
    comments: Vec<Part>,
}

impl Reader<'_> {
    fn read_gap(&mut self, start: u32, end: u32) {
        let Some(gap) = self.text.get(start as usize..end as usize) else { return };
        let mut at = 0;
        while let Some(first) = gap[at..].chars().next() {
            let place = start + u32::try_from(at).unwrap_or(0);
            let length = token_length(&gap[at..], first);
            let token = &gap[at..at + length];
            at += length;
            if first.is_whitespace() {
                continue;
            }
            if token.starts_with("//") || token.starts_with("/*") {
                self.comments.push((place, place + u32::try_from(length).unwrap_or(0)));
            } else if !self.is_separator(token) {
                self.items.push(Item::Token(token, place));
            }
        }
    }

    /// Returns whether the token can be left out without changing the meaning.
    fn is_separator(&self, token: &str) -> bool {
        match token {
            "," => true,
            ";" => self.kind != AstType::ForStatement,
            // `x => x` has no parentheses.
            "(" | ")" => self.kind == AstType::FormalParameters,
            // A union or intersection may start with its operator.
            "|" | "&" => matches!(self.kind, AstType::TSUnionType | AstType::TSIntersectionType),
            _ => false,
        }
    }
}

fn token_length(text: &str, first: char) -> usize {
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return text.find("*/").map_or(text.len(), |end| end + 2);
    }
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '#');
    if part(first) { text.find(|c| !part(c)).unwrap_or(text.len()) } else { first.len_utf8() }
}
