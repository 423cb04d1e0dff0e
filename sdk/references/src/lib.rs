//! The places in data files that name other files, whatever syntax the data is written in: `$ref`, `extends`, the paths
//! of compiler configurations and of package manifests.

mod cover;
mod follow;
mod rules;

pub use cover::{Company, cover};
pub use follow::{resolve, spell};

use marquetry_jsonpath::{Kind, Tree};

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
