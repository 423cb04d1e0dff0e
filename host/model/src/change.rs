//! Changes: everything one call does to the workspace, and what became of it.

use crate::{EditSet, Error, Result};

/// Everything one call does. Steps speak of the workspace as it was before the change: an edit names the old path of a
/// file that the same change moves.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// One line for the history: what was done.
    pub title: String,
    /// What to do. Edits come first, then moves, copies, creations and deletions, whatever the order here.
    pub steps: Vec<Step>,
}

/// One step of a change. Paths are relative to the root, with `/`.
#[derive(Debug, Clone)]
pub enum Step {
    /// Splice a text file.
    Edit {
        /// The file.
        path: String,
        /// The hash of the bytes that the edits were computed from.
        base: String,
        /// The splices, in offsets of the decoded text.
        edits: EditSet,
    },
    /// Write a new file.
    Create {
        /// The file.
        path: String,
        /// Its bytes.
        content: Vec<u8>,
        /// Replace a file that is there.
        overwrite: bool,
        /// Make the directories above it.
        directories: bool,
    },
    /// Remove a file, or a directory with all that is in it.
    Delete {
        /// The file or directory.
        path: String,
        /// Allow a directory that is not empty.
        recursive: bool,
    },
    /// Move a file or directory.
    Move {
        /// From here.
        from: String,
        /// To there.
        to: String,
        /// Replace a file that is there.
        overwrite: bool,
    },
    /// Copy a file; its text may be changed on the way.
    Copy {
        /// From here.
        from: String,
        /// To there.
        to: String,
        /// Replace a file that is there.
        overwrite: bool,
        /// Splices of the copy, with the hash they were computed from.
        edits: Option<(String, EditSet)>,
    },
}

/// Whether a change was carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is on disk.
    Applied,
    /// It was only computed.
    DryRun,
    /// There was nothing to change.
    Nothing,
}

/// What a change did, or would do.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The id for undo; none for a dry run.
    pub id: Option<String>,
    /// Whether it is on disk.
    pub outcome: Outcome,
    /// The files it touched, by path.
    pub files: Vec<FileEffect>,
    /// Directories it made.
    pub directories_created: Vec<String>,
}

/// What happened to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEffect {
    /// The path before; none for a new file.
    pub before: Option<String>,
    /// The path after; none for a deleted file.
    pub after: Option<String>,
    /// The hash of the bytes after; none for a deleted file, a link, and a file that only moved along with its directory.
    pub hash: Option<String>,
    /// Size after, in bytes.
    pub size: u64,
}

/// A file or directory that goes elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relocation {
    /// The path before.
    pub from: String,
    /// The path after.
    pub to: String,
}

impl Relocation {
    /// Where a path is afterwards.
    pub fn of(&self, path: &str) -> String {
        match path.strip_prefix(&self.from) {
            Some("") => self.to.clone(),
            Some(rest) if rest.starts_with('/') => format!("{}{rest}", self.to),
            _ => path.to_owned(),
        }
    }

    /// Whether a path goes elsewhere.
    pub fn moves(&self, path: &str) -> bool {
        path == self.from || is_below(path, &self.from)
    }
}

/// Files and directories that go elsewhere in one change. Every path before is one of the tree before, every path after one of
/// the tree after.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Relocations(Vec<Relocation>);

impl Relocations {
    /// In an order in which they can be made one after the other.
    ///
    /// # Errors
    /// `InvalidArgument` where there is none: two go to one place, or each waits for the place of the other.
    pub fn new(mut waiting: Vec<Relocation>) -> Result<Relocations> {
        waiting.retain(|relocation| relocation.from != relocation.to);
        let mut ordered: Vec<Relocation> = Vec::with_capacity(waiting.len());
        for (at, one) in waiting.iter().enumerate() {
            if let Some(other) = waiting[..at].iter().find(|other| other.to == one.to || other.from == one.from) {
                let message = format!("two moves are about one path: {} and {}", described(other), described(one));
                return Err(Error::argument(message).hint("give each source and each destination once"));
            }
        }
        while !waiting.is_empty() {
            let is_free = |one: &Relocation| !waiting.iter().any(|other| other != one && other.comes_before(one));
            let Some(next) = waiting.iter().position(is_free) else {
                let all: Vec<String> = waiting.iter().map(described).collect();
                return Err(Error::argument(format!("each of these moves waits for another: {}", all.join(", ")))
                    .hint("move one of them out of the way first"));
            };
            ordered.push(waiting.remove(next));
        }
        Ok(Relocations(ordered))
    }

    /// One after the other, as they can be made.
    pub fn as_slice(&self) -> &[Relocation] {
        &self.0
    }

    /// Whether nothing goes elsewhere.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Where a path is afterwards: what is in a folder may go another way than the folder.
    pub fn of(&self, path: &str) -> String {
        let all = self.0.iter().filter(|relocation| relocation.moves(path));
        all.max_by_key(|relocation| relocation.from.len()).map_or_else(|| path.to_owned(), |own| own.of(path))
    }

    /// Whether a path goes elsewhere.
    pub fn moves(&self, path: &str) -> bool {
        self.0.iter().any(|relocation| relocation.moves(path))
    }

    /// Whether something else takes the place of a path that stays.
    pub fn replaces(&self, path: &str) -> bool {
        !self.moves(path) && self.0.iter().any(|relocation| relocation.to == path)
    }
}

fn described(relocation: &Relocation) -> String {
    format!("`{}` to `{}`", relocation.from, relocation.to)
}

impl Relocation {
    /// Whether another one cannot be made before this one is.
    fn comes_before(&self, other: &Relocation) -> bool {
        let leaves_its_place =
            other.to == self.from || is_below(&other.to, &self.from) && !is_below(&self.to, &other.to);
        let is_inside = is_below(&self.from, &other.from);
        let makes_its_folder = is_below(&other.to, &self.to);
        leaves_its_place || is_inside || makes_its_folder
    }
}

/// Whether a path lies below a folder; everything lies below the root, which is empty.
pub fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(moves: &[(&str, &str)]) -> Result<Vec<String>> {
        let one = |(from, to): &(&str, &str)| Relocation { from: (*from).to_owned(), to: (*to).to_owned() };
        let all = Relocations::new(moves.iter().map(one).collect())?;
        Ok(all.as_slice().iter().map(|one| format!("{}>{}", one.from, one.to)).collect())
    }

    #[test]
    fn moves_are_made_in_an_order_that_works() {
        for (given, expected) in [
            (&[("a", "b")][..], "a>b"),
            (&[("a", "a")], ""),
            (&[("a", "b"), ("b", "c")], "b>c a>b"),
            (&[("a", "b"), ("a/x", "c/x")], "a/x>c/x a>b"),
            (&[("x", "b/y"), ("a", "b")], "a>b x>b/y"),
            (&[("x", "a/new"), ("a", "b")], "a>b x>a/new"),
            (&[("a", "b"), ("c", "d"), ("b", "e")], "c>d b>e a>b"),
        ] {
            assert_eq!(ordered(given).expect("an order").join(" "), expected, "{given:?}");
        }
        for circle in [&[("a", "b"), ("b", "a")][..], &[("a", "b"), ("b", "c"), ("c", "a")], &[("a", "x"), ("b", "x")]]
        {
            assert_eq!(ordered(circle).expect_err("no order").kind(), crate::Kind::InvalidArgument, "{circle:?}");
        }
    }

    #[test]
    fn what_is_in_a_folder_may_go_another_way() {
        let one = |from: &str, to: &str| Relocation { from: from.to_owned(), to: to.to_owned() };
        let moves = Relocations::new(vec![one("a", "b"), one("a/x.ts", "c/y.ts"), one("q", "r")]).expect("an order");
        for (path, after) in
            [("a/x.ts", "c/y.ts"), ("a/z.ts", "b/z.ts"), ("ab/z.ts", "ab/z.ts"), ("q", "r"), ("a", "b")]
        {
            assert_eq!(moves.of(path), after);
            assert_eq!(moves.moves(path), path != after);
        }
        assert!(moves.replaces("r") && !moves.replaces("a") && !moves.replaces("r/x"));
    }
}
