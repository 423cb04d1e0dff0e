//! The tree between the tree of the runtime and the arena. A pack can change it.

use marquetry_code::{Arena, Builder, Field, Flags, Kind, Token};
use marquetry_sdk::{Diagnostic, Span};

/// A node.
#[derive(Debug, Clone)]
pub struct Raw {
    /// The kind of the node.
    pub kind: Kind,
    /// The role of the node in its parent.
    pub field: Field,
    /// The range of the node.
    pub span: Span,
    /// Further properties.
    pub flags: Flags,
    /// The indices of the children, in order.
    pub children: Vec<usize>,
}

/// The nodes of a text. The first node is the root.
#[derive(Debug)]
pub struct Tree {
    /// The nodes, parents before children. `reshape` may append nodes.
    pub nodes: Vec<Raw>,
    /// The tokens, in order.
    pub tokens: Vec<Token>,
    /// Strings with embedded code.
    pub literals: Vec<Span>,
    /// The syntax errors.
    pub errors: Vec<Diagnostic>,
}

impl Tree {
    /// The first node of a kind with exactly this range.
    pub(crate) fn find(&self, kind: Kind, span: Span) -> Option<usize> {
        self.nodes.iter().position(|node| node.kind == kind && node.span == span)
    }

    /// Converts all offsets in the wrapped text to offsets in the original text.
    pub(crate) fn shift(&mut self, before: usize, length: usize) {
        let moved = |offset: u32| offset.saturating_sub(before as u32).min(length as u32);
        let moved = |span: Span| Span { start: moved(span.start), end: moved(span.end) };
        let inside = before as u32..(before + length) as u32;
        self.tokens.retain(|token| inside.contains(&token.span.start) && token.span.end <= inside.end);
        self.tokens.iter_mut().for_each(|token| token.span = moved(token.span));
        self.nodes.iter_mut().for_each(|node| node.span = moved(node.span));
        self.literals.iter_mut().for_each(|span| *span = moved(*span));
        self.errors.iter_mut().for_each(|error| error.span = moved(error.span));
    }

    /// Builds the arena. The children of the node `root` become the statements of a block of this kind.
    pub(crate) fn build(self, text: String, root: usize, (block, body): (Kind, Field)) -> Arena {
        let mut builder = Builder::new(text, Kind(0));
        let statements = &self.nodes[root].children;
        if let (Some(first), Some(last)) = (statements.first(), statements.last()) {
            let (start, end) = (self.nodes[*first].span.start, self.nodes[*last].span.end);
            builder.open(block, body, Span { start, end: end.max(start) }, Flags::default());
            // A stack of nodes that are still to be opened. `None` closes the current node.
            let mut open: Vec<Option<usize>> = statements.iter().rev().map(|child| Some(*child)).collect();
            while let Some(next) = open.pop() {
                let Some(index) = next else {
                    builder.close();
                    continue;
                };
                let node = &self.nodes[index];
                builder.open(node.kind, node.field, node.span, node.flags);
                open.push(None);
                open.extend(node.children.iter().rev().map(|child| Some(*child)));
            }
        }
        builder.finish(self.tokens, self.literals, self.errors)
    }
}
