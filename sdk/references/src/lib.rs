//! References from data files of any syntax to other files: `$ref`, `extends`, and the paths in compiler configurations
//! and package manifests.

#![warn(clippy::missing_errors_doc)]

mod command_paths;
mod dead_reference;
mod definitions;
mod empty_containers;
mod include_patterns;
mod manifests;
mod removals;
mod resolution;
mod resources;
mod rules;
mod schema;
mod schema_files;
mod schema_hover;

pub use dead_reference::{OtherFiles, dead_references};
pub use definitions::{Definition, Definitions, may_define};
pub use empty_containers::with_empty_containers;
pub use include_patterns::{PatternInsertion, extend_globs};
pub use removals::{Container, ELEMENT, with_containers};
pub use resolution::{format_specifiers, resolve};
pub use schema::{EXTRACTED_NAME, Extraction, plan_extraction};
pub use schema_hover::{PathStep, SchemaDocument, hover_info, path_to, schema_locations};

use marquetry_jsonpath::{Kind, Tree};
use marquetry_sdk::{FailureKind, Result, fail};

/// A value that refers to another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference<N> {
    /// The kind of link, which also determines how the text is interpreted. `possible` if the text only may be a
    /// path.
    pub kind: String,
    /// The value.
    pub node: N,
    /// The part of the value that is the reference.
    pub part: Part,
    /// The text of the reference.
    pub specifier: String,
}

/// The part of a value that is a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// The whole value.
    Value,
    /// The key of the value.
    Key,
    /// A range of the value's text.
    Within(std::ops::Range<usize>),
}

/// Maximum depth of values to visit.
const DEEPEST: usize = 100;
/// Maximum number of `possible` references per document.
const MOST_POSSIBLE: usize = 200;

/// All references of a document, in document order.
pub fn collect_references<T: Tree>(tree: &T, path: &str) -> Vec<Reference<T::Node>> {
    let mut walk = Walk {
        tree,
        file: rules::FileKind::detect(tree, path),
        containers: Vec::new(),
        found: Vec::new(),
        possible: 0,
    };
    walk.visit(tree.root(), &mut Vec::new());
    walk.found
}

/// Returns the values that must be removed to remove the links with these indices, sorted.
///
/// # Errors
///
/// Fails with `InvalidArgument` if an index is out of range, and with `Unsupported` for a `$ref` or a part of a
/// value.
pub fn removable_values<N: Copy + Ord>(references: &[Reference<N>], links: &[u32]) -> Result<Vec<N>> {
    let node = |index: &u32| {
        let reference = references
            .get(*index as usize)
            .ok_or_else(|| fail(FailureKind::InvalidArgument, format!("no link {index}")))?;
        if reference.kind == "ref" {
            let message = format!("a `$ref` cannot be removed: `{}`", reference.specifier);
            return Err(fail(FailureKind::Unsupported, message).hint("replace it with its target"));
        }
        if matches!(reference.part, Part::Within(_)) || reference.kind == rules::POSSIBLE {
            let message =
                format!("`{}` is only a part of a longer value and cannot be removed alone", reference.specifier);
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
    file: rules::FileKind,
    /// The containers of the current value, outermost first.
    containers: Vec<T::Node>,
    found: Vec<Reference<T::Node>>,
    possible: usize,
}

impl<T: Tree> Walk<'_, T> {
    /// Visits a value and all values in it. The recursion ends at the depth [`DEEPEST`].
    fn visit(&mut self, node: T::Node, keys: &mut Vec<String>) {
        if keys.len() > DEEPEST {
            return;
        }
        let tree = self.tree;
        let inside: Vec<(String, T::Node)> = match tree.kind(node) {
            Kind::Object => tree.members(node).map(|(key, value)| (key.into_owned(), value)).collect(),
            Kind::Array => tree.children(node).map(|element| (ELEMENT.to_owned(), element)).collect(),
            Kind::String => return self.check_text(node, keys),
            _ => return,
        };
        self.containers.push(node);
        for (key, value) in inside {
            keys.push(key);
            self.check_key(value, keys);
            self.visit(value, keys);
            keys.pop();
        }
        self.containers.pop();
    }

    fn check_key(&mut self, node: T::Node, keys: &[String]) {
        let names: Vec<&str> = keys.iter().map(String::as_str).collect();
        if let (Some(kind), Some(specifier)) = (self.file.key_reference_kind(&names), keys.last()) {
            let (kind, specifier) = (kind.to_owned(), specifier.clone());
            self.found.push(Reference { kind, node, part: Part::Key, specifier });
        }
    }

    fn check_text(&mut self, node: T::Node, keys: &[String]) {
        let text = self.tree.text(node);
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let found = self.file.references(&keys, &text, &|path| self.setting_at(path));
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

    /// The string at a path of keys in the nearest surrounding container that has one.
    fn setting_at(&self, path: &[&str]) -> Option<String> {
        let tree = self.tree;
        self.containers.iter().rev().find_map(|container| {
            let found = path.iter().try_fold(*container, |node, key| {
                (tree.kind(node) == Kind::Object).then(|| tree.member(node, key)).flatten()
            })?;
            (tree.kind(found) == Kind::String).then(|| tree.text(found).into_owned())
        })
    }
}
