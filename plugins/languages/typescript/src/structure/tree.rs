//! A program as a flat list of nodes with kinds and spans, outer nodes before inner ones.

use oxc_ast::AstKind;
use oxc_ast::AstType;
use oxc_ast::ast::Program;
use oxc_ast_visit::Visit;
use oxc_span::GetSpan;

/// A node. The nodes it contains follow it in the list, up to `next`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(crate) kind: AstType,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Index of the first node after this one that it does not contain.
    pub(crate) next: u32,
}

/// The nodes of a text.
#[derive(Debug)]
pub(crate) struct FlatTree<T> {
    pub(crate) text: T,
    pub(crate) nodes: Vec<Node>,
}

impl<T: AsRef<str>> FlatTree<T> {
    /// Returns the nodes of a program, ordered by their spans: the parser's order is not always the order of the text.
    pub(crate) fn from_program(program: &Program<'_>, text: T) -> FlatTree<T> {
        let mut collector = Collector { nodes: Vec::new(), length: u32::try_from(text.as_ref().len()).unwrap_or(0) };
        collector.visit_program(program);
        let mut found = collector.nodes;
        found.sort_by_key(|node| (node.start, std::cmp::Reverse(node.end)));
        let mut nodes: Vec<Node> = Vec::with_capacity(found.len());
        let mut open: Vec<u32> = Vec::new();
        for node in found {
            while open
                .last()
                .is_some_and(|top| nodes[*top as usize].end <= node.start && !has_same_span(&nodes, *top, node))
            {
                close_nodes(&mut nodes, &mut open);
            }
            if open.last().is_some_and(|top| nodes[*top as usize].end < node.end) {
                continue;
            }
            open.push(u32::try_from(nodes.len()).unwrap_or(u32::MAX));
            nodes.push(node);
        }
        while !open.is_empty() {
            close_nodes(&mut nodes, &mut open);
        }
        FlatTree { text, nodes }
    }

    pub(crate) fn text_of(&self, index: usize) -> &str {
        let node = self.nodes[index];
        &self.text.as_ref()[node.start as usize..node.end as usize]
    }

    /// Returns the direct children of a node.
    pub(crate) fn children(&self, index: usize) -> impl Iterator<Item = usize> {
        let end = self.nodes[index].next as usize;
        let first = (index + 1 < end).then_some(index + 1);
        std::iter::successors(first, move |child| {
            let next = self.nodes[*child].next as usize;
            (next < end).then_some(next)
        })
    }

    /// Returns the significant node: skips parentheses around an expression or a type, and wrappers of optional chains.
    pub(crate) fn unwrapped(&self, mut index: usize) -> usize {
        use AstType::{ChainExpression, ParenthesizedExpression, TSParenthesizedType};
        while matches!(self.nodes[index].kind, ParenthesizedExpression | TSParenthesizedType | ChainExpression)
            && index + 1 < self.nodes[index].next as usize
        {
            index += 1;
        }
        index
    }
}

/// Returns whether the node has the same span as `top`. An empty node is a child of an empty node at the same offset.
fn has_same_span(nodes: &[Node], top: u32, node: Node) -> bool {
    let top = nodes[top as usize];
    top.start == node.start && top.end == node.end
}

fn close_nodes(nodes: &mut [Node], open: &mut Vec<u32>) {
    let next = u32::try_from(nodes.len()).unwrap_or(u32::MAX);
    if let Some(top) = open.pop() {
        nodes[top as usize].next = next;
    }
}

struct Collector {
    nodes: Vec<Node>,
    length: u32,
}

impl<'a> Visit<'a> for Collector {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        let span = kind.span();
        // The tree of a repaired text may extend beyond the text.
        if span.start <= span.end && span.end <= self.length {
            self.nodes.push(Node { kind: kind.ty(), start: span.start, end: span.end, next: 0 });
        }
    }
}

/// Normalizes kinds that match each other: names are compared regardless of whether they are declared or used.
pub(crate) fn canonical_kind(kind: AstType) -> AstType {
    match kind {
        AstType::BindingIdentifier | AstType::JSXIdentifier => AstType::IdentifierReference,
        other => other,
    }
}

/// Returns whether the node is a single token, regardless of its structure in the parser's tree.
pub(crate) fn is_atom(kind: AstType) -> bool {
    use AstType as T;
    matches!(
        kind,
        T::IdentifierName
            | T::IdentifierReference
            | T::BindingIdentifier
            | T::LabelIdentifier
            | T::JSXIdentifier
            | T::PrivateIdentifier
            | T::StringLiteral
            | T::NumericLiteral
            | T::BigIntLiteral
            | T::BooleanLiteral
            | T::NullLiteral
            | T::RegExpLiteral
            | T::TemplateElement
            | T::JSXText
    )
}
