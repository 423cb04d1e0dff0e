//! A program as a list of its nodes, each with its kind and its span, outer ones before those in them.

use oxc_ast::AstKind;
use oxc_ast::AstType;
use oxc_ast::ast::Program;
use oxc_ast_visit::Visit;
use oxc_span::GetSpan;

/// One node. What lies in it follows it in the list, up to `next`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(crate) kind: AstType,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The index of the first node that is not in this one.
    pub(crate) next: u32,
}

/// The nodes of a text.
#[derive(Debug)]
pub(crate) struct Flat<T> {
    pub(crate) text: T,
    pub(crate) nodes: Vec<Node>,
}

impl<T: AsRef<str>> Flat<T> {
    /// The nodes of a program. They are ordered by their spans alone: the parser's own order is not always that of the text.
    pub(crate) fn of(program: &Program<'_>, text: T) -> Flat<T> {
        let mut collector = Collector { nodes: Vec::new(), length: u32::try_from(text.as_ref().len()).unwrap_or(0) };
        collector.visit_program(program);
        let mut found = collector.nodes;
        found.sort_by_key(|node| (node.start, std::cmp::Reverse(node.end)));
        let mut nodes: Vec<Node> = Vec::with_capacity(found.len());
        let mut open: Vec<u32> = Vec::new();
        for node in found {
            while open.last().is_some_and(|top| nodes[*top as usize].end <= node.start && !is_at(&nodes, *top, node)) {
                close(&mut nodes, &mut open);
            }
            if open.last().is_some_and(|top| nodes[*top as usize].end < node.end) {
                continue;
            }
            open.push(u32::try_from(nodes.len()).unwrap_or(u32::MAX));
            nodes.push(node);
        }
        while !open.is_empty() {
            close(&mut nodes, &mut open);
        }
        Flat { text, nodes }
    }

    pub(crate) fn text_of(&self, index: usize) -> &str {
        let node = self.nodes[index];
        &self.text.as_ref()[node.start as usize..node.end as usize]
    }

    /// The nodes directly in a node.
    pub(crate) fn children(&self, index: usize) -> impl Iterator<Item = usize> {
        let end = self.nodes[index].next as usize;
        let first = (index + 1 < end).then_some(index + 1);
        std::iter::successors(first, move |child| {
            let next = self.nodes[*child].next as usize;
            (next < end).then_some(next)
        })
    }

    /// The node that counts: brackets around an expression or a type mean nothing, nor does what only joins a chain.
    pub(crate) fn bare(&self, mut index: usize) -> usize {
        use AstType::{ChainExpression, ParenthesizedExpression, TSParenthesizedType};
        while matches!(self.nodes[index].kind, ParenthesizedExpression | TSParenthesizedType | ChainExpression)
            && index + 1 < self.nodes[index].next as usize
        {
            index += 1;
        }
        index
    }
}

/// An empty node lies in an empty one at its place.
fn is_at(nodes: &[Node], top: u32, node: Node) -> bool {
    let top = nodes[top as usize];
    top.start == node.start && top.end == node.end
}

fn close(nodes: &mut [Node], open: &mut Vec<u32>) {
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
        // A tree that was repaired may reach beyond its text.
        if span.start <= span.end && span.end <= self.length {
            self.nodes.push(Node { kind: kind.ty(), start: span.start, end: span.end, next: 0 });
        }
    }
}

/// Kinds that count as one: a name is a name, whether it is declared or used.
pub(crate) fn canonical(kind: AstType) -> AstType {
    match kind {
        AstType::BindingIdentifier | AstType::JSXIdentifier => AstType::IdentifierReference,
        other => other,
    }
}

/// Nodes that are one token, whatever the parser sees in them.
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
