//! The places in data files that name other files, whatever syntax the data is written in: `$ref`, `extends`, the paths
//! of compiler configurations and of package manifests.

#![warn(clippy::missing_errors_doc)]

mod cover;
mod dead;
mod definitions;
mod described;
mod emptied;
mod follow;
mod manifests;
mod resources;
mod rules;
mod schema;
mod schema_files;
mod words;

pub use cover::{Company, cover};
pub use dead::{Elsewhere, dead_references};
pub use definitions::{Definition, Definitions, may_define};
pub use described::{SchemaText, Step, card, definitions, way_to};
pub use emptied::emptied;
pub use follow::{resolve, spell};
pub use schema::{EXTRACTED_NAME, Extraction, extraction};

use marquetry_jsonpath::{Kind, Tree};
use marquetry_sdk::{FailureKind, Result, fail};

/// A value that names another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference<N> {
    /// What kind of link it is; it also says how the text is to be read. `possible` where nothing says that it is a path.
    pub kind: String,
    /// The value.
    pub node: N,
    /// What of it names the file.
    pub part: Part,
    /// What it says.
    pub specifier: String,
}

/// What of a value names a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Value,
    /// The key it stands under.
    Key,
    /// A range of its text.
    Within(std::ops::Range<usize>),
}

/// Depth of values that are looked at.
const DEEPEST: usize = 100;
/// Texts that may name files are no more than this in one document.
const MOST_POSSIBLE: usize = 200;

/// All references of a document, in document order.
pub fn collect<T: Tree>(tree: &T, path: &str) -> Vec<Reference<T::Node>> {
    let mut walk = Walk { tree, file: rules::File::of(tree, path), above: Vec::new(), found: Vec::new(), possible: 0 };
    walk.visit(tree.root(), &mut Vec::new());
    walk.found
}

/// The values to remove for links by their index, in order.
///
/// # Errors
///
/// `InvalidArgument` for an index that is no link's, `Unsupported` for a `$ref`, which stands for a value.
pub fn removable<N: Copy + Ord>(references: &[Reference<N>], links: &[u32]) -> Result<Vec<N>> {
    let node = |index: &u32| {
        let reference = references
            .get(*index as usize)
            .ok_or_else(|| fail(FailureKind::InvalidArgument, format!("no link {index}")))?;
        if reference.kind == "ref" {
            let message = format!("a `$ref` cannot be left out: `{}`", reference.specifier);
            return Err(fail(FailureKind::Unsupported, message).hint("put what it stands for in its place"));
        }
        if matches!(reference.part, Part::Within(_)) || reference.kind == rules::POSSIBLE {
            let message = format!("`{}` is a part of a value that says more", reference.specifier);
            return Err(fail(FailureKind::Unsupported, message).hint("edit the value by hand"));
        }
        Ok(reference.node)
    };
    let mut nodes = links.iter().map(node).collect::<Result<Vec<N>>>()?;
    nodes.sort_unstable();
    Ok(nodes)
}

/// A walk over all values of a document.
struct Walk<'t, T: Tree> {
    tree: &'t T,
    file: rules::File,
    /// The containers around the value, the outermost first.
    above: Vec<T::Node>,
    found: Vec<Reference<T::Node>>,
    possible: usize,
}

impl<T: Tree> Walk<'_, T> {
    /// Recursion ends at [`DEEPEST`].
    fn visit(&mut self, node: T::Node, keys: &mut Vec<String>) {
        if keys.len() > DEEPEST {
            return;
        }
        let tree = self.tree;
        let inside: Vec<(String, T::Node)> = match tree.kind(node) {
            Kind::Object => tree.members(node).map(|(key, value)| (key.into_owned(), value)).collect(),
            Kind::Array => tree.children(node).map(|element| (rules::ELEMENT.to_owned(), element)).collect(),
            Kind::String => return self.text(node, keys),
            _ => return,
        };
        self.above.push(node);
        for (key, value) in inside {
            keys.push(key);
            self.key(value, keys);
            self.visit(value, keys);
            keys.pop();
        }
        self.above.pop();
    }

    fn key(&mut self, node: T::Node, keys: &[String]) {
        let names: Vec<&str> = keys.iter().map(String::as_str).collect();
        if let (Some(kind), Some(specifier)) = (self.file.named_by_key(&names), keys.last()) {
            let (kind, specifier) = (kind.to_owned(), specifier.clone());
            self.found.push(Reference { kind, node, part: Part::Key, specifier });
        }
    }

    fn text(&mut self, node: T::Node, keys: &[String]) {
        let text = self.tree.text(node);
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let found = self.file.named(&keys, &text, &|path| self.setting(path));
        for named in found {
            if named.kind == rules::POSSIBLE {
                self.possible += 1;
                if self.possible > MOST_POSSIBLE {
                    continue;
                }
            }
            let specifier = named.part.clone().map_or(&*text, |part| &text[part]).to_owned();
            let part = named.part.map_or(Part::Value, Part::Within);
            self.found.push(Reference { kind: named.kind, node, part, specifier });
        }
    }

    /// The text that the nearest container around has at a path of keys.
    fn setting(&self, path: &[&str]) -> Option<String> {
        let tree = self.tree;
        self.above.iter().rev().find_map(|container| {
            let found = path.iter().try_fold(*container, |node, key| {
                (tree.kind(node) == Kind::Object).then(|| tree.member(node, key)).flatten()
            })?;
            (tree.kind(found) == Kind::String).then(|| tree.text(found).into_owned())
        })
    }
}
