//! Changes: everything that one call does to the workspace, and the result.

use crate::{EditSet, Error, Result};

/// Everything one call does. All paths in the steps refer to the workspace before the change: an edit names the old
/// path of a file that the same change moves.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// A one-line description for the history.
    pub title: String,
    /// The steps. They are carried out in the order edits, moves, copies, creations, deletions, whatever their order in
    /// this list.
    pub steps: Vec<Step>,
}

/// One step of a change. Paths are relative to the root, with `/`.
#[derive(Debug, Clone)]
pub enum Step {
    /// Edit a text file.
    Edit {
        /// The file.
        path: String,
        /// The hash of the bytes that the edits were computed from.
        base: String,
        /// The edits, in offsets of the decoded text.
        edits: EditSet,
    },
    /// Create a file.
    Create {
        /// The file.
        path: String,
        /// Its contents.
        content: Vec<u8>,
        /// Replace an existing file.
        overwrite: bool,
        /// Create missing parent directories.
        directories: bool,
    },
    /// Delete a file, or a directory and its contents.
    Delete {
        /// The file or directory.
        path: String,
        /// Allow deleting a directory that is not empty.
        recursive: bool,
    },
    /// Move a file or directory.
    Move {
        /// The path before.
        from: String,
        /// The path after.
        to: String,
        /// Replace an existing file.
        overwrite: bool,
    },
    /// Copy a file, optionally editing the copy.
    Copy {
        /// The file to copy.
        from: String,
        /// The path of the copy.
        to: String,
        /// Replace an existing file.
        overwrite: bool,
        /// Edits of the copy, with the hash of the bytes that they were computed from.
        edits: Option<(String, EditSet)>,
    },
}

/// Outcome of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The change is on disk.
    Applied,
    /// The change was only computed.
    DryRun,
    /// There was nothing to change.
    Nothing,
}

/// The effects of a change, or of its dry run.
#[derive(Debug, Clone)]
pub struct ChangeEffects {
    /// The id for undo; `None` for a dry run.
    pub id: Option<String>,
    /// The outcome of the change.
    pub outcome: Outcome,
    /// The affected files, by path.
    pub files: Vec<FileEffect>,
    /// The directories that were created.
    pub directories_created: Vec<String>,
}

/// The effect of a change on one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEffect {
    /// The path before; `None` for a new file.
    pub before: Option<String>,
    /// The path after; `None` for a deleted file.
    pub after: Option<String>,
    /// The hash of the bytes after; `None` for a deleted file, a symbolic link, or a file that only moved with its
    /// directory.
    pub hash: Option<String>,
    /// The size after, in bytes.
    pub size: u64,
}

/// A file or directory that is moved.
///
/// # Examples
///
/// ```
/// use marquetry_model::Relocation;
///
/// let moved = Relocation { from: "src".to_owned(), to: "lib".to_owned() };
/// assert_eq!(moved.path_after("src/a.ts"), "lib/a.ts");
/// assert!(!moved.affects("srcs/a.ts"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relocation {
    /// The path before.
    pub from: String,
    /// The path after.
    pub to: String,
}

impl Relocation {
    /// Maps a path before the move to the path after it.
    pub fn path_after(&self, path: &str) -> String {
        match path.strip_prefix(&self.from) {
            Some("") => self.to.clone(),
            Some(rest) if rest.starts_with('/') => format!("{}{rest}", self.to),
            _ => path.to_owned(),
        }
    }

    /// Returns whether the move affects a path.
    pub fn affects(&self, path: &str) -> bool {
        path == self.from || is_below(path, &self.from)
    }
}

/// Files and directories that are moved in one change. All `from` paths refer to the tree before the change, all `to`
/// paths to the tree after it.
///
/// # Examples
///
/// ```
/// use marquetry_model::{Relocation, Relocations};
///
/// let move_of = |from: &str, to: &str| Relocation { from: from.to_owned(), to: to.to_owned() };
/// let moves = Relocations::new(vec![move_of("a", "b"), move_of("b", "c")])?;
/// assert_eq!(moves.as_slice()[0], move_of("b", "c"), "`b` makes room for `a`");
/// assert_eq!((moves.path_after("a/x.ts").as_str(), moves.path_after("b").as_str()), ("b/x.ts", "c"));
///
/// let swapped = Relocations::new(vec![move_of("a", "b"), move_of("b", "a")]).unwrap_err();
/// assert_eq!(swapped.content().message, "these moves block each other: `a` to `b`, `b` to `a`");
/// # Ok::<(), marquetry_model::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Relocations(Vec<Relocation>);

impl Relocations {
    /// Orders the moves so that they can be carried out one after the other.
    ///
    /// # Errors
    /// `InvalidArgument` if there is no such order: two moves share a source or a destination, or the moves block each
    /// other in a cycle.
    pub fn new(mut waiting: Vec<Relocation>) -> Result<Relocations> {
        waiting.retain(|relocation| relocation.from != relocation.to);
        let mut ordered: Vec<Relocation> = Vec::with_capacity(waiting.len());
        for (at, one) in waiting.iter().enumerate() {
            if let Some(other) = waiting[..at].iter().find(|other| other.to == one.to || other.from == one.from) {
                let message = format!("two moves share a path: {} and {}", describe_move(other), describe_move(one));
                return Err(Error::argument(message).hint("use each source and each destination only once"));
            }
        }
        while !waiting.is_empty() {
            let is_free = |one: &Relocation| !waiting.iter().any(|other| other != one && other.comes_before(one));
            let Some(next) = waiting.iter().position(is_free) else {
                let all: Vec<String> = waiting.iter().map(describe_move).collect();
                return Err(Error::argument(format!("these moves block each other: {}", all.join(", ")))
                    .hint("move one of them to another path first"));
            };
            ordered.push(waiting.remove(next));
        }
        Ok(Relocations(ordered))
    }

    /// Returns these moves together with `more`, to look up paths. The result is not ordered and cannot be carried out.
    #[must_use]
    pub fn combined_with(&self, more: Vec<Relocation>) -> Relocations {
        Relocations(self.0.iter().cloned().chain(more).collect())
    }

    /// The moves, in an order in which they can be carried out one after the other.
    pub fn as_slice(&self) -> &[Relocation] {
        &self.0
    }

    /// Returns whether the list of moves is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Maps a path before the change to the path after it. The most specific move wins: a file may move elsewhere than
    /// its folder.
    pub fn path_after(&self, path: &str) -> String {
        let all = self.0.iter().filter(|relocation| relocation.affects(path));
        all.max_by_key(|relocation| relocation.from.len()).map_or_else(|| path.to_owned(), |own| own.path_after(path))
    }

    /// Returns whether any move affects a path.
    pub fn moves(&self, path: &str) -> bool {
        self.0.iter().any(|relocation| relocation.affects(path))
    }

    /// Returns whether a move overwrites a path that is not itself moved.
    pub fn overwrites(&self, path: &str) -> bool {
        !self.moves(path) && self.0.iter().any(|relocation| relocation.to == path)
    }
}

fn describe_move(relocation: &Relocation) -> String {
    format!("`{}` to `{}`", relocation.from, relocation.to)
}

impl Relocation {
    /// Returns whether this move must be made before another one.
    fn comes_before(&self, other: &Relocation) -> bool {
        let leaves_its_place =
            other.to == self.from || is_below(&other.to, &self.from) && !is_below(&self.to, &other.to);
        let is_inside = is_below(&self.from, &other.from);
        let makes_its_folder = is_below(&other.to, &self.to);
        leaves_its_place || is_inside || makes_its_folder
    }
}

/// Returns whether a path is below a folder. The root is the empty path; everything is below it.
///
/// # Examples
///
/// ```
/// use marquetry_model::is_below;
///
/// assert!(is_below("src/a.ts", "src") && is_below("src", ""));
/// assert!(!is_below("src", "src") && !is_below("srcs/a.ts", "src"));
/// ```
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
    fn moves_are_ordered_so_that_none_blocks_another() {
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
    fn most_specific_move_wins() {
        let one = |from: &str, to: &str| Relocation { from: from.to_owned(), to: to.to_owned() };
        let moves = Relocations::new(vec![one("a", "b"), one("a/x.ts", "c/y.ts"), one("q", "r")]).expect("an order");
        for (path, after) in
            [("a/x.ts", "c/y.ts"), ("a/z.ts", "b/z.ts"), ("ab/z.ts", "ab/z.ts"), ("q", "r"), ("a", "b")]
        {
            assert_eq!(moves.path_after(path), after);
            assert_eq!(moves.moves(path), path != after);
        }
        assert!(moves.overwrites("r") && !moves.overwrites("a") && !moves.overwrites("r/x"));
        let more = moves.combined_with(vec![one("f", "g")]);
        assert_eq!(
            (more.path_after("f/x"), more.path_after("a/z.ts"), moves.path_after("f/x")),
            ("g/x".into(), "b/z.ts".into(), "f/x".into())
        );
    }

    #[test]
    fn refused_moves_are_named() {
        for (given, expected) in [
            (&[("a", "x"), ("b", "x")][..], "two moves share a path: `a` to `x` and `b` to `x`"),
            (&[("a", "x"), ("a", "y")], "two moves share a path: `a` to `x` and `a` to `y`"),
            (&[("a", "b"), ("b", "a")], "these moves block each other: `a` to `b`, `b` to `a`"),
        ] {
            assert_eq!(ordered(given).expect_err("no order").content().message, expected);
        }
    }

    #[test]
    fn moves_to_the_same_path_are_dropped() {
        let one = |from: &str, to: &str| Relocation { from: from.to_owned(), to: to.to_owned() };
        for (given, is_empty) in [(vec![], true), (vec![one("a", "a")], true), (vec![one("a", "b")], false)] {
            assert_eq!(Relocations::new(given.clone()).expect("an order").is_empty(), is_empty, "{given:?}");
        }
    }
}
