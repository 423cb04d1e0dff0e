//! Classifies a line after a replayed move: compares it with the line that people wrote in the original commit, and
//! checks what its paths resolve to.

use std::collections::BTreeMap;

use super::{
    module_names::{imported_names, language, module_names},
    path_words,
    tree::{Target, Tree},
};

/// A move, with the trees before and after it.
pub(super) struct Scene {
    pub(super) before: Tree,
    /// The tree after the replay of the move.
    pub(super) ours: Tree,
    /// The tree of the commit.
    pub(super) theirs: Tree,
    /// New paths of moved files, by old paths.
    pub(super) moved: BTreeMap<String, String>,
    /// Old and new paths of folders that moved with all their files.
    pub(super) folders: Vec<(String, String)>,
}

/// Classification of a line that has a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// The replay wrote the same paths as the authors of the commit.
    Identical,
    /// The replay wrote another path to the same file.
    OtherForm,
    /// The path of the replay resolves to the moved target; the path of the commit resolves to something else.
    OtherTarget,
    /// The path of the replay does not resolve to the target of the old path.
    Wrong,
    /// The replay did not change a link that resolves elsewhere after the move.
    Missed,
    /// The replay made a right change that the commit did not make: it left the link broken, or removed the line.
    ExtraRight,
    /// The replay made a change that was not needed or is wrong, and the commit did not change the line.
    ExtraWrong,
    /// The paths of the line cannot be resolved in this tree.
    Unknown,
}

/// A line before the move, and the same line after it in both trees. It is `None` in a tree that no longer has the
/// line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Path of the file before the move.
    pub(super) file: &'a str,
    pub(super) before: &'a str,
    pub(super) ours: Option<&'a str>,
    pub(super) theirs: Option<&'a str>,
}

impl Scene {
    /// Path of a file after the move.
    pub(super) fn path<'a>(&'a self, file: &'a str) -> &'a str {
        self.moved.get(file).map_or(file, String::as_str)
    }

    /// Returns the path after the move of a file or folder in the tree `before`.
    fn path_after_move(&self, meaning: &str) -> String {
        let Some(folder) = meaning.strip_suffix('/') else { return self.path(meaning).to_owned() };
        for (from, to) in &self.folders {
            let rest = folder.strip_prefix(from.as_str());
            if let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
                return format!("{to}{rest}/");
            }
        }
        meaning.to_owned()
    }

    /// Returns whether a file or folder is at a path to which the move brought it.
    fn is_moved(&self, target: &str) -> bool {
        self.moved.values().any(|to| to == target || to.starts_with(target))
    }

    /// Returns whether an unchanged line of code has a specifier that resolves elsewhere after the move.
    pub(super) fn is_stale(&self, file: &str, line: &str) -> bool {
        specifiers(file, line).iter().any(|specifier| self.target_moved(file, specifier))
    }

    /// Returns whether a path resolved to a file before the move and does not resolve to it after the move.
    fn target_moved(&self, file: &str, specifier: &str) -> bool {
        let Some(was) = self.before.resolve(file, specifier).filter(|was| !was.ends_with('/')) else { return false };
        self.ours.resolve(self.path(file), specifier) != Some(self.path_after_move(&was))
    }

    /// Classifies a line. `None` if the move does not affect it.
    pub(super) fn judge(&self, line: Line<'_>) -> Option<Class> {
        match (line.ours == Some(line.before), line.theirs == Some(line.before)) {
            (true, true) => self.is_stale(line.file, line.before).then_some(Class::Missed),
            (true, false) => self.judge_theirs_only(line),
            (false, true) => Some(self.judge_ours_only(line)),
            (false, false) => Some(self.judge_both(line)),
        }
    }

    /// Classifies a line that only people changed.
    fn judge_theirs_only(&self, line: Line<'_>) -> Option<Class> {
        if self.is_stale(line.file, line.before) {
            return Some(Class::Missed);
        }
        let (old, new) = (names(line.file, line.before), names(line.file, line.theirs?));
        let path = self.path(line.file);
        for specifier in old.iter().filter(|specifier| !new.contains(specifier)) {
            let Some(was) = self.before.resolve(line.file, specifier) else { continue };
            let later = self.path_after_move(&was);
            let concerns = later != was || path != line.file;
            let leads_away = self.ours.resolve(path, specifier).as_ref() != Some(&later);
            let follows = |word: &String| self.theirs.resolve(path, word).as_ref() == Some(&later);
            if concerns && leads_away && new.iter().filter(|word| !old.contains(word)).any(follows) {
                return Some(Class::Missed);
            }
        }
        None
    }

    /// Classifies a line that only the replay changed.
    fn judge_ours_only(&self, line: Line<'_>) -> Class {
        let Some(change) = self.change(line) else { return Class::ExtraWrong };
        if !change.is_known() {
            return Class::Unknown;
        }
        // If the old path would still resolve to its target, the change is accepted only if it makes the line shorter.
        let is_needless = change.removed.iter().all(|(specifier, was)| {
            was.as_ref().is_some_and(|was| {
                let later = self.path_after_move(was);
                self.ours.resolve(self.path(line.file), specifier).as_ref() == Some(&later)
            })
        });
        let is_shorter = line.ours.is_some_and(|ours| ours.len() < line.before.len());
        if change.is_right && (!is_needless || is_shorter) { Class::ExtraRight } else { Class::ExtraWrong }
    }

    /// Classifies a line that both the replay and the commit changed.
    fn judge_both(&self, line: Line<'_>) -> Class {
        if line.ours == line.theirs {
            return Class::Identical;
        }
        let Some(change) = self.change(line) else { return Class::Wrong };
        let Some(theirs) = line.theirs else { return change.classify_alone(Class::ExtraRight) };
        let (old, all) = (names(line.file, line.before), names(line.file, theirs));
        let new: Vec<&String> = all.iter().filter(|word| !old.contains(word)).collect();
        if change.added.iter().all(|word| all.contains(word)) {
            return Class::Identical;
        }
        let path = self.path(line.file);
        let mine: Vec<Target> = change.added.iter().map(|word| self.ours.resolve(path, word)).collect();
        let yours: Vec<Target> = new.iter().map(|word| self.theirs.resolve(path, word)).collect();
        if mine.iter().any(|meaning| meaning.is_some() && yours.contains(meaning)) {
            return Class::OtherForm;
        }
        change.classify_alone(Class::OtherTarget)
    }

    /// Returns the change of the paths in a line by the replay, or `None` if no path changed.
    fn change(&self, line: Line<'_>) -> Option<Change> {
        let old = names(line.file, line.before);
        let ours = line.ours.map(|ours| names(line.file, ours)).unwrap_or_default();
        let new: Vec<String> = ours.iter().filter(|word| !old.contains(word)).cloned().collect();
        let gone = old.into_iter().filter(|word| !ours.contains(word));
        let gone: Vec<(String, Target)> = gone
            .map(|word| {
                let target = self.before.resolve(line.file, &word);
                (word, target)
            })
            .collect();
        if new.is_empty() && gone.is_empty() {
            return None;
        }
        let path = self.path(line.file);
        let resolves = |was: &str| new.iter().any(|word| self.ours.resolve(path, word).as_deref() == Some(was));
        let mut known = gone.iter().filter_map(|(_, was)| was.as_ref());
        let is_right = known.all(|was| resolves(&self.path_after_move(was)));
        let is_unresolved = new.iter().any(|word| !word.starts_with('.'))
            && new.iter().all(|word| word.starts_with('.') || self.ours.resolve(path, word).is_none());
        // The old name may be re-exported by a module that does not move.
        let is_reexport = language(line.file).is_some()
            && gone.iter().filter_map(|(_, was)| was.as_ref()).all(|was| self.path_after_move(was) == *was)
            && new.iter().filter_map(|word| self.ours.resolve(path, word)).any(|target| self.is_moved(&target));
        let is_open = !is_right && (is_unresolved || is_reexport);
        Some(Change { removed: gone, added: new, is_right, is_undecided: is_open })
    }
}

/// Our change of the paths in a line.
struct Change {
    /// Removed words, and the targets that they had before the move.
    removed: Vec<(String, Target)>,
    added: Vec<String>,
    /// Every target of a removed word is the target of a new one.
    is_right: bool,
    /// The change may still be right: it has new words that are not relative paths, and none of those can be resolved.
    is_undecided: bool,
}

impl Change {
    fn is_known(&self) -> bool {
        !self.is_undecided && self.removed.iter().any(|(_, was)| was.is_some())
    }

    /// Classifies the change without regard to what people wrote; `right` is the class of a right change.
    fn classify_alone(&self, right: Class) -> Class {
        match (self.is_known(), self.is_right) {
            (false, _) => Class::Unknown,
            (true, true) => right,
            (true, false) => Class::Wrong,
        }
    }
}

/// Returns every word of a line that may be a path or the name of a module, without duplicates.
fn names(file: &str, line: &str) -> Vec<String> {
    let mut found = language(file).map(|language| module_names(language, line)).unwrap_or_default();
    found.extend(path_words::paths(line).into_iter().map(str::to_owned));
    found
}

/// Returns the names of modules and relative paths that a line imports.
pub(super) fn specifiers(file: &str, line: &str) -> Vec<String> {
    match language(file) {
        Some(language) => imported_names(language, line),
        None => path_words::specifiers(line).into_iter().map(str::to_owned).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moves `src/util.ts` to `src/lib/util.ts`, and the folder `docs` to `site`.
    fn scene() -> Scene {
        let before = ["src/util.ts", "src/a.ts", "src/lib/b.ts", "docs/x.md", "docs/y.md", "README.md"];
        let after = ["src/lib/util.ts", "src/a.ts", "src/lib/b.ts", "site/x.md", "site/y.md", "README.md"];
        let tree = |files: [&str; 6]| Tree::new(files.map(str::to_owned));
        let moved = before.iter().zip(after).filter(|(from, to)| *from != to);
        Scene {
            before: tree(before),
            ours: tree(after),
            theirs: tree(after),
            moved: moved.map(|(from, to)| ((*from).to_owned(), to.to_owned())).collect(),
            folders: vec![("docs".to_owned(), "site".to_owned())],
        }
    }

    fn check(file: &str, [before, ours, theirs]: [&str; 3], expected: Option<Class>) {
        let line = |text: &'static str| (text != "-").then_some(text);
        let [before, ours, theirs] = [before, ours, theirs].map(|text| &*text.to_owned().leak());
        let found = scene().judge(Line { file, before, ours: line(ours), theirs: line(theirs) });
        assert_eq!(found, expected, "{before} | {ours} | {theirs}");
    }

    #[test]
    fn the_same_path_is_identical() {
        let [old, new] = ["import { u } from './util'", "import { u } from './lib/util'"];
        check("src/a.ts", [old, new, new], Some(Class::Identical));
        check("src/a.ts", [old, new, "import { u, v } from './lib/util'"], Some(Class::Identical));
    }

    #[test]
    fn different_path_to_same_file_is_another_form() {
        let texts = ["import './util'", "import './lib/util'", "import './lib/util.js'"];
        check("src/a.ts", texts, Some(Class::OtherForm));
    }

    #[test]
    fn path_to_another_file_is_wrong() {
        check("src/a.ts", ["import './util'", "import './lib/b'", "import './lib/util'"], Some(Class::Wrong));
        check("src/a.ts", ["import './util'", "import './none'", "import './lib/util'"], Some(Class::Wrong));
        check("src/a.ts", ["import './util'", "import './lib/util'", "import './lib/b'"], Some(Class::OtherTarget));
        check("src/a.ts", ["import './util'", "import '@/util'", "import './lib/util'"], Some(Class::Unknown));
    }

    #[test]
    fn link_that_was_not_updated_is_missed() {
        check("src/a.ts", ["import './util'", "import './util'", "import './lib/util'"], Some(Class::Missed));
        check("src/a.ts", ["import './util'"; 3], Some(Class::Missed));
        check("README.md", ["see docs/x.md", "see docs/x.md", "see site/x.md"], Some(Class::Missed));
        // The change that people made is not related to the move.
        check("README.md", ["see docs/x.md", "see docs/x.md", "see README.md"], None);
        check("src/a.ts", ["import './lib/b'"; 3], None);
    }

    #[test]
    fn change_without_human_counterpart_is_judged_alone() {
        let [old, new] = ["import './util'", "import './lib/util'"];
        check("src/a.ts", [old, new, old], Some(Class::ExtraRight));
        check("src/a.ts", [old, new, "-"], Some(Class::ExtraRight));
        check("src/a.ts", [old, "import './lib/b'", old], Some(Class::ExtraWrong));
        // The page and the target of its link moved together.
        check("docs/x.md", ["[y](y.md)", "[y](../site/y.md)", "[y](y.md)"], Some(Class::ExtraWrong));
        check("docs/x.md", ["a word", "another word", "a word"], Some(Class::ExtraWrong));
    }

    #[test]
    fn folder_paths_resolve_to_folders() {
        check("README.md", ["see `docs/`", "see `site/`", "see `docs/`"], Some(Class::ExtraRight));
    }
}
