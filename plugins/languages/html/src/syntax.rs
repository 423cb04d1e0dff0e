//! Parser: converts a text to a tree with source positions.

mod builder;
mod component;
pub(crate) mod decode;
pub(crate) mod diagnostic;
mod dialect;
pub(crate) mod names;
pub(crate) mod tokenizer;
pub(crate) mod tree;
mod xml;

pub(crate) use builder::{BLOCK, VOID};
pub(crate) use dialect::Dialect;
pub(crate) use names::Name;
pub(crate) use tree::{Id, Namespace, Tree};

/// Parses a whole document.
pub(crate) fn parse(dialect: Dialect, text: String) -> Tree {
    match dialect {
        Dialect::Html => builder::parse(text),
        Dialect::Xml => xml::parse(text),
        Dialect::Vue | Dialect::Svelte | Dialect::Astro => component::parse(dialect, text, true),
    }
}

/// Parses a part of a document, such as new content.
pub(crate) fn parse_fragment(dialect: Dialect, text: String) -> Tree {
    if dialect.is_component() { component::parse(dialect, text, false) } else { parse(dialect, text) }
}
