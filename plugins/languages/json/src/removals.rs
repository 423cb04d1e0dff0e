//! Values that are removed with a reference: the element of a list that describes the file, such as a theme of an
//! extension, and lists of a setting that would have another meaning without elements.

use marquetry_jsonpath::{Kind, Tree};

use crate::{source::Source, table::Id};

/// Matches any element of an array in a path of keys.
const ELEMENT: &str = "[]";
/// Maximum depth of values to visit.
const DEEPEST: usize = 100;

/// The values to remove, sorted. An element is removed as a whole if its path is removed, or if nothing else is in it.
pub(crate) fn with_elements(source: Source<'_>, removed: Vec<Id>) -> Vec<Id> {
    let mut walk = Walk { source, removed, removals: Vec::new() };
    walk.visit(source.root(), &mut Vec::new());
    walk.removals.sort_unstable();
    walk.removals
}

struct Walk<'d> {
    source: Source<'d>,
    removed: Vec<Id>,
    removals: Vec<Id>,
}

impl Walk<'_> {
    /// Returns whether the value is removed. Recursion ends at [`DEEPEST`].
    fn visit(&mut self, node: Id, keys: &mut Vec<String>) -> bool {
        if self.removed.binary_search(&node).is_ok() {
            self.removals.push(node);
            return true;
        }
        if keys.len() > DEEPEST {
            return false;
        }
        let source = self.source;
        let inside: Vec<(String, Id)> = match source.kind(node) {
            Kind::Object => source.members(node).map(|(key, value)| (key.into_owned(), value)).collect(),
            Kind::Array => source.children(node).map(|element| (ELEMENT.to_owned(), element)).collect(),
            _ => return false,
        };
        let (before, count) = (self.removals.len(), inside.len());
        let mut gone: Vec<String> = Vec::new();
        for (key, value) in inside {
            keys.push(key);
            let goes = self.visit(value, keys);
            gone.extend(keys.pop().filter(|_| goes));
        }
        if gone.is_empty() {
            return false;
        }
        let all = gone.len() == count;
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let goes = match keys.as_slice() {
            [.., ELEMENT] => all || gone.iter().any(|name| name == "path"),
            // Types without files, and a list that turns off all types of packages.
            ["typesVersions", ..] | ["compilerOptions", "typeRoots"] => all,
            _ => false,
        };
        if goes {
            self.removals.truncate(before);
            self.removals.push(node);
        }
        goes
    }
}
