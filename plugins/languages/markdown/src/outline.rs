//! The outline, embedded languages, and the imports that a part of an MDX document uses.

use std::collections::HashMap;

use marquetry_sdk::{Dependency, Embedded, Node, NodeId, lines};

use crate::blocks::{Detail, Kind, NONE};
use crate::document::MarkdownDocument;
use crate::{code, js};

impl MarkdownDocument {
    /// Returns headings, and other blocks with an address.
    pub(crate) fn outline_nodes(&self) -> Vec<Node> {
        let blocks = &self.tree().blocks;
        let mut places: HashMap<u32, u32> = HashMap::new();
        let mut nodes = Vec::new();
        for id in 0..blocks.len() as u32 {
            if !self.is_in_outline(id) {
                continue;
            }
            let Ok(mut node) = self.node(id) else { continue };
            node.parent = self.tree().ancestors(id).find_map(|above| places.get(&above).copied());
            places.insert(id, nodes.len() as u32);
            nodes.push(node);
        }
        nodes
    }

    fn is_in_outline(&self, id: u32) -> bool {
        use Kind::{Code, Component, Export, Footnote, FrontMatter, Heading, Import, List, Table};
        match self.block(id).kind {
            List => {
                let scope = self.counting_scope(id);
                scope == NONE || self.block(scope).kind == Heading
            }
            kind => matches!(kind, FrontMatter | Heading | Code | Table | Footnote | Import | Export | Component),
        }
    }

    /// Returns front matter and code blocks. Blocks with container marks within their text are left out.
    pub(crate) fn embedded_parts(&self) -> Vec<Embedded> {
        self.tree().blocks.iter().filter_map(|block| self.embedded_part(block)).collect()
    }

    fn embedded_part(&self, block: &crate::blocks::Block) -> Option<Embedded> {
        let text = &self.text;
        let start = block.span.range().start;
        match block.kind {
            Kind::FrontMatter => {
                let language = if text[start..].starts_with('+') { "toml" } else { "yaml" };
                Some(Embedded { span: block.inner, language: language.to_owned() })
            }
            // A fence at the start of the line is not in a quote or item, so no container marks are within the code.
            Kind::Code if block.detail == Detail::Plain && lines::line_start(text, start) == start => {
                let fence = code::parse_fence(text, block.span.range())?;
                let language = code::info_language(fence.info).to_lowercase();
                (!language.is_empty()).then(|| Embedded { span: fence.content.into(), language })
            }
            _ => None,
        }
    }

    /// Returns the imports whose names occur in the source of the node.
    pub(crate) fn used_imports(&self, id: NodeId) -> Vec<Dependency> {
        let Ok(node) = self.node(id) else { return Vec::new() };
        let source = node.span.slice(&self.text);
        let mut used = Vec::new();
        for import in self.tree().blocks.iter().filter(|block| block.kind == Kind::Import && block.span != node.span) {
            let modules = js::modules(import.span.slice(&self.text)).unwrap_or_default();
            for (symbol, local) in modules.into_iter().flat_map(|module| module.names) {
                if contains_word(source, &local) {
                    used.push(Dependency { symbol, from: import.inner.slice(&self.text).to_owned() });
                }
            }
        }
        used
    }
}

/// Returns whether the name occurs as a separate word.
fn contains_word(source: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    !name.is_empty()
        && source
            .match_indices(name)
            .any(|(at, _)| !source[..at].ends_with(part) && !source[at + name.len()..].starts_with(part))
}
