//! Links to a file.

use crate::entry::{Entry, JOINED_SCOPE, LinkFact};

/// A link that resolves to a file.
#[derive(Debug, Clone, Copy)]
pub struct Importer<'a> {
    /// The file that contains the link.
    pub file: &'a Entry,
    /// Index among the links of that file.
    pub index: usize,
    /// The link.
    pub link: &'a LinkFact,
}

impl Importer<'_> {
    /// Returns whether a file may import the name through the link: the link lists the name, or has no list of names.
    /// Links name only the first segment of a dotted name.
    pub fn may_carry(&self, name: &str) -> bool {
        // The default export can be an object that contains the name.
        let whole = || self.link.names.iter().any(|known| known == "default") && self.file.words.may_hold(name);
        names_import(&self.link.names, name) || whole()
    }
}

fn names_import(names: &[String], name: &str) -> bool {
    let first = name.split('.').next().unwrap_or(name);
    names.is_empty() || names.iter().any(|known| known == "*" || known == JOINED_SCOPE || known == first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_carries_named_imports() {
        let names = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        for (link, name, carries) in [
            (names(&[]), "a", true),
            (names(&["*"]), "a", true),
            (names(&["a", "b"]), "b", true),
            (names(&["a"]), "b", false),
            // `import { z }`, where the module exports another module as `z`.
            (names(&["z"]), "z.a", true),
            (names(&["z"]), "z.y.a", true),
            (names(&["a"]), "z.a", false),
        ] {
            assert_eq!(names_import(&link, name), carries, "{link:?} {name}");
        }
    }
}
