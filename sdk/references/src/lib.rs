//! The places in data files that name other files, whatever syntax the data is written in: `$ref`, `extends`, the paths
//! of compiler configurations and of package manifests.

mod cover;
mod follow;
mod rules;

pub use cover::{Company, cover};
pub use follow::{resolve, spell};

use marquetry_jsonpath::{Kind, Tree};
use marquetry_sdk::{FailureKind, Result, fail};

/// A value that names another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference<N> {
    /// What kind of link it is; it also says how the value is to be read.
    pub kind: String,
    /// The value.
    pub node: N,
    /// What it says.
    pub specifier: String,
}

/// Depth of values that are looked at.
const DEEPEST: usize = 100;

/// All references of a document, in document order.
pub fn collect<T: Tree>(tree: &T, path: &str) -> Vec<Reference<T::Node>> {
    let file = rules::File::of(tree, path);
    let mut found = Vec::new();
    let mut keys = Vec::new();
    visit(tree, tree.root(), &file, &mut keys, &mut found);
    found
}

/// The values to remove for links by their index, in order.
pub fn removable<N: Copy + Ord>(references: &[Reference<N>], links: &[u32]) -> Result<Vec<N>> {
    let node = |index: &u32| {
        let reference = references
            .get(*index as usize)
            .ok_or_else(|| fail(FailureKind::InvalidArgument, format!("no link {index}")))?;
        if reference.kind != "ref" {
            return Ok(reference.node);
        }
        let message = format!("a `$ref` cannot be left out: `{}`", reference.specifier);
        Err(fail(FailureKind::Unsupported, message).hint("put what it stands for in its place"))
    };
    let mut nodes = links.iter().map(node).collect::<Result<Vec<N>>>()?;
    nodes.sort_unstable();
    Ok(nodes)
}

fn visit<T: Tree>(
    tree: &T,
    node: T::Node,
    file: &rules::File,
    keys: &mut Vec<String>,
    found: &mut Vec<Reference<T::Node>>,
) {
    if keys.len() > DEEPEST {
        return;
    }
    match tree.kind(node) {
        Kind::Object => {
            let members: Vec<(String, T::Node)> =
                tree.members(node).map(|(key, value)| (key.into_owned(), value)).collect();
            for (key, value) in members {
                keys.push(key);
                visit(tree, value, file, keys, found);
                keys.pop();
            }
        }
        Kind::Array => {
            let elements: Vec<T::Node> = tree.children(node).collect();
            for element in elements {
                keys.push(rules::ELEMENT.to_owned());
                visit(tree, element, file, keys, found);
                keys.pop();
            }
        }
        Kind::String => {
            let specifier = tree.text(node);
            if let Some(kind) = file.kind_of(keys, &specifier) {
                found.push(Reference { kind, node, specifier: specifier.into_owned() });
            }
        }
        _ => {}
    }
}
