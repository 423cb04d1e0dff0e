//! From text to a tree that knows where everything is written.

mod builder;
pub(crate) mod decode;
pub(crate) mod fault;
pub(crate) mod names;
pub(crate) mod tokenizer;
pub(crate) mod tree;
mod xml;

pub(crate) use builder::{BLOCK, VOID};
pub(crate) use names::Name;
pub(crate) use tree::{Id, Namespace, Tree};

/// Parse a document: as XML where the path says so, else by the rules of HTML.
pub(crate) fn parse(path: &str, text: String) -> Tree {
    let extension = path.rsplit('.').next().unwrap_or_default();
    if extension.eq_ignore_ascii_case("xhtml") || extension.eq_ignore_ascii_case("xht") {
        xml::parse(text)
    } else {
        builder::parse(text)
    }
}
