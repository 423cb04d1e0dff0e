//! The imports of a file.

use marquetry_code::{CodeDocument, NodeIndex};
use marquetry_sdk::Span;

use crate::{
    kinds::{F, K},
    table::unquoted,
};

/// An import.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Import {
    /// The node of the import: an import declaration, or an import in a group.
    pub(crate) node: NodeIndex,
    /// The path without quotes.
    pub(crate) path: String,
    /// The range of the path without quotes.
    pub(crate) span: Span,
    /// The name before the path: an identifier, `_` or `.`.
    pub(crate) alias: Option<(String, Span)>,
}

impl Import {
    /// The name by which the file refers to the package: the alias, or else the conventional name of the path. The
    /// package clause may declare another name.
    pub(crate) fn local(&self) -> &str {
        match &self.alias {
            Some((alias, _)) => alias,
            None => conventional_name(&self.path),
        }
    }
}

/// The package name that a path has by convention: its last part, without a version.
pub(crate) fn conventional_name(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or(path);
    let is_version = |part: &str| part.strip_prefix('v').is_some_and(|rest| rest.parse::<u32>().is_ok());
    let last = if is_version(last) { parts.next().unwrap_or(last) } else { last };
    match last.rsplit_once(".v") {
        Some((name, version)) if version.parse::<u32>().is_ok() => name,
        _ => last.strip_prefix("go-").unwrap_or(last),
    }
}

/// The imports of a document, in order. Those whose path is not closed are left out: where the path ends is not known.
pub(crate) fn imports(document: &CodeDocument) -> Vec<Import> {
    let arena = document.arena();
    let nodes = arena.nodes().filter(|(_, node)| node.kind == K::Import.into());
    let read = |node: NodeIndex| {
        let path = arena.child(node, F::Path.into())?;
        let text = arena.slice(path);
        if !is_closed(text) {
            return None;
        }
        let own = arena.node(path).span;
        let alias = arena.child(node, F::Name.into());
        Some(Import {
            node,
            path: unquoted(text).to_owned(),
            span: Span { start: own.start + 1, end: own.end - 1 },
            alias: alias.map(|alias| (arena.slice(alias).to_owned(), arena.node(alias).span)),
        })
    };
    nodes.filter_map(|(node, _)| read(node)).collect()
}

/// Returns whether a literal ends with the quote that it begins with.
fn is_closed(text: &str) -> bool {
    let has_both = |quote: char| text.strip_prefix(quote).is_some_and(|rest| rest.ends_with(quote));
    has_both('"') || has_both('`')
}
