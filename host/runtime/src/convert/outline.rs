//! Validates outlines: nodes nest, and no two nodes of the same range have the same address.

use std::collections::HashSet;

use marquetry_model::{Result, pack};

use super::{AnswerValidator, item_limits::ItemKind, truncate};
use crate::bindings::marquetry::language::types as wit;

/// Maximum bytes of the kind of a node. A kind is a term of the node's format.
const MAX_KIND_BYTES: usize = 200;

impl AnswerValidator<'_> {
    pub(super) fn node(&self, node: wit::Node) -> Result<pack::Node> {
        let span = self.span(node.span, "node")?;
        let selection = self.span(node.selection, "selection")?;
        if node.address.is_empty() {
            return Err(self.invalid_answer(format_args!("a node at {}..{} without an address", span.start, span.end)));
        }
        if node.kind.len() > MAX_KIND_BYTES {
            let bytes = node.kind.len();
            let node = truncate(node.address, 200);
            return Err(self.invalid_answer(format_args!(
                "a node `{node}` whose kind has {bytes} bytes; at most {MAX_KIND_BYTES} are allowed"
            )));
        }
        if !span.contains(selection) {
            return Err(self
                .invalid_answer(format_args!("a node `{}` whose selection is outside", truncate(node.address, 200))));
        }
        Ok(pack::Node {
            id: node.id,
            parent: node.parent,
            body: self.optional_span(node.body, "body")?,
            doc: self.optional_span(node.doc, "comment")?,
            kind: node.kind,
            name: node.name,
            address: node.address,
            span,
            selection,
            level: node.level,
            value: node.value,
        })
    }

    pub(crate) fn outline(&self, nodes: Vec<wit::Node>) -> Result<Vec<pack::Node>> {
        self.check_count(nodes.len(), ItemKind::Nodes)?;
        let texts = |node: &wit::Node| node.name.len() + node.address.len() + node.kind.len();
        self.check_text_size(nodes.iter().map(texts).sum(), "names and addresses")?;
        let nodes = self.convert_list(nodes, ItemKind::Nodes, |node| self.node(node))?;
        for (index, node) in nodes.iter().enumerate() {
            let Some(parent) = node.parent else { continue };
            if parent as usize >= index {
                return Err(
                    self.invalid_answer(format_args!("an outline whose node {index} comes before its parent {parent}"))
                );
            }
            if !nodes[parent as usize].span.contains(node.span) {
                return Err(self.invalid_answer(format_args!(
                    "a node `{}` that is outside its parent",
                    truncate(node.address.clone(), 200)
                )));
            }
        }
        self.check_addresses(&nodes)?;
        Ok(nodes)
    }

    /// Rejects nodes of the same range with the same address: no target would select exactly one of them.
    fn check_addresses(&self, nodes: &[pack::Node]) -> Result<()> {
        let mut known = HashSet::with_capacity(nodes.len());
        match nodes.iter().find(|node| !known.insert((node.address.as_str(), node.span.start, node.span.end))) {
            None => Ok(()),
            Some(node) => Err(self.invalid_answer(format_args!(
                "two nodes at {}..{} with the same address `{}`",
                node.span.start,
                node.span.end,
                truncate(node.address.clone(), 200)
            ))),
        }
    }
}
