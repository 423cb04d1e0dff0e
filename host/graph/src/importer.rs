//! Links to a file, as whoever asks for its importers gets them.

use crate::entry::{Entry, LinkFact, ONE_SCOPE};

/// A link that leads to a file.
#[derive(Debug, Clone, Copy)]
pub struct Importer<'a> {
    /// The file that has the link.
    pub file: &'a Entry,
    /// Its index among the file's links.
    pub index: usize,
    /// The link.
    pub link: &'a LinkFact,
}

impl Importer<'_> {
    /// Whether the name may travel over the link: it says so, or does not say what does. Of a dotted name the first part
    /// is what a link names.
    pub fn may_carry(&self, name: &str) -> bool {
        // The default of a file that exports an object carries everything that is in it.
        let whole = || self.link.names.iter().any(|known| known == "default") && self.file.words.may_hold(name);
        names_it(&self.link.names, name) || whole()
    }
}

fn names_it(names: &[String], name: &str) -> bool {
    let first = name.split('.').next().unwrap_or(name);
    names.is_empty() || names.iter().any(|known| known == "*" || known == ONE_SCOPE || known == first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_carries_what_it_names() {
        let names = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        for (link, name, carries) in [
            (names(&[]), "a", true),
            (names(&["*"]), "a", true),
            (names(&["a", "b"]), "b", true),
            (names(&["a"]), "b", false),
            // `import { z }`, where the module exports a whole other one as `z`.
            (names(&["z"]), "z.a", true),
            (names(&["z"]), "z.y.a", true),
            (names(&["a"]), "z.a", false),
        ] {
            assert_eq!(names_it(&link, name), carries, "{link:?} {name}");
        }
    }
}
