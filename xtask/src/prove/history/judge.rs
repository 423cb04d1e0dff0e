//! What a changed line says of a move: compared with what people wrote in its place, and with where its paths lead.

use std::collections::BTreeMap;

use super::{
    tree::{Meaning, Tree},
    words::{paths, specifiers},
};

/// A move as it was made, and the trees around it.
pub(super) struct Scene {
    pub(super) before: Tree,
    /// The tree after the same move alone.
    pub(super) ours: Tree,
    /// The tree of the commit.
    pub(super) theirs: Tree,
    /// Files, by their paths before.
    pub(super) moved: BTreeMap<String, String>,
    /// Folders that moved with all that is in them.
    pub(super) folders: Vec<(String, String)>,
}

/// What becomes of a line that has a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// The paths are those that people wrote.
    Identical,
    /// Another path, to the same file.
    OtherForm,
    /// Our path leads to what moved, that of the people to something else.
    Elsewhere,
    /// Our path does not lead to what the old one led to.
    Wrong,
    /// A link that leads elsewhere and was not changed.
    Missed,
    /// Our change, where people left a link that leads to nothing, or wrote the line anew.
    ExtraRight,
    /// Our change, where none was due, or to a path that does not lead there.
    ExtraWrong,
    /// What the line means is not understood here.
    Unknown,
}

/// One line: before, and after the move as each made it. None where it is gone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Its file before.
    pub(super) file: &'a str,
    pub(super) before: &'a str,
    pub(super) ours: Option<&'a str>,
    pub(super) theirs: Option<&'a str>,
}

impl Scene {
    /// Where a file is after the move.
    pub(super) fn path<'a>(&'a self, file: &'a str) -> &'a str {
        self.moved.get(file).map_or(file, String::as_str)
    }

    /// The meaning of a path, after the move.
    fn later(&self, meaning: &str) -> String {
        let Some(folder) = meaning.strip_suffix('/') else { return self.path(meaning).to_owned() };
        for (from, to) in &self.folders {
            let rest = folder.strip_prefix(from.as_str());
            if let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
                return format!("{to}{rest}/");
            }
        }
        meaning.to_owned()
    }

    /// Whether code in which nothing is changed has a specifier that leads elsewhere now.
    pub(super) fn is_stale(&self, file: &str, line: &str) -> bool {
        specifiers(line).into_iter().any(|said| self.leads_away(file, said))
    }

    /// Whether a path of a file led to a file, and would not lead to it any more.
    fn leads_away(&self, file: &str, said: &str) -> bool {
        let Some(was) = self.before.meaning(file, said).filter(|was| !was.ends_with('/')) else { return false };
        self.ours.meaning(self.path(file), said) != Some(self.later(&was))
    }

    /// What is to be said of a line; nothing of one that has nothing to do with the move.
    pub(super) fn judge(&self, line: Line<'_>) -> Option<Class> {
        match (line.ours == Some(line.before), line.theirs == Some(line.before)) {
            (true, true) => self.is_stale(line.file, line.before).then_some(Class::Missed),
            (true, false) => self.judge_left(line),
            (false, true) => Some(self.judge_extra(line)),
            (false, false) => Some(self.judge_both(line)),
        }
    }

    /// People changed a line that we left.
    fn judge_left(&self, line: Line<'_>) -> Option<Class> {
        if self.is_stale(line.file, line.before) {
            return Some(Class::Missed);
        }
        let (old, new) = (paths(line.before), paths(line.theirs?));
        let path = self.path(line.file);
        for said in old.iter().filter(|said| !new.contains(said)) {
            let Some(was) = self.before.meaning(line.file, said) else { continue };
            let later = self.later(&was);
            let concerns = later != was || path != line.file;
            let leads_away = self.ours.meaning(path, said).as_ref() != Some(&later);
            let follows = |word: &&str| self.theirs.meaning(path, word).as_ref() == Some(&later);
            if concerns && leads_away && new.iter().filter(|word| !old.contains(word)).any(follows) {
                return Some(Class::Missed);
            }
        }
        None
    }

    /// We changed a line that people left.
    fn judge_extra(&self, line: Line<'_>) -> Class {
        let Some(change) = self.change(line) else { return Class::ExtraWrong };
        if !change.is_known() {
            return Class::Unknown;
        }
        // A path that leads to the same file without a change is no worse shorter.
        let is_needless = change.gone.iter().all(|(said, was)| {
            was.as_ref().is_some_and(|was| {
                let later = self.later(was);
                self.ours.meaning(self.path(line.file), said).as_ref() == Some(&later)
            })
        });
        let is_shorter = line.ours.is_some_and(|ours| ours.len() < line.before.len());
        if change.is_right && (!is_needless || is_shorter) { Class::ExtraRight } else { Class::ExtraWrong }
    }

    /// We and people changed a line.
    fn judge_both(&self, line: Line<'_>) -> Class {
        if line.ours == line.theirs {
            return Class::Identical;
        }
        let Some(change) = self.change(line) else { return Class::Wrong };
        let Some(theirs) = line.theirs else { return change.alone(Class::ExtraRight) };
        let old = paths(line.before);
        let new: Vec<&str> = paths(theirs).into_iter().filter(|word| !old.contains(word)).collect();
        if change.new.iter().all(|word| paths(theirs).contains(word)) {
            return Class::Identical;
        }
        let path = self.path(line.file);
        let meanings = |tree: &Tree, words: &[&str]| -> Vec<Meaning> {
            words.iter().map(|word| tree.meaning(path, word)).filter(Option::is_some).collect()
        };
        let (mine, yours) = (meanings(&self.ours, &change.new), meanings(&self.theirs, &new));
        if mine.iter().any(|meaning| yours.contains(meaning)) {
            return Class::OtherForm;
        }
        change.alone(Class::Elsewhere)
    }

    /// What we changed in a line; none where that is no path.
    fn change<'a>(&self, line: Line<'a>) -> Option<Change<'a>> {
        let (old, ours) = (paths(line.before), line.ours.map(paths).unwrap_or_default());
        let new: Vec<&str> = ours.iter().copied().filter(|word| !old.contains(word)).collect();
        let gone = old.into_iter().filter(|word| !ours.contains(word));
        let gone: Vec<(&str, Meaning)> = gone.map(|word| (word, self.before.meaning(line.file, word))).collect();
        if new.is_empty() && gone.is_empty() {
            return None;
        }
        let path = self.path(line.file);
        let leads = |was: &str| new.iter().any(|word| self.ours.meaning(path, word).as_deref() == Some(was));
        let mut known = gone.iter().filter_map(|(_, was)| was.as_ref());
        let is_right = known.all(|was| leads(&self.later(was)));
        let is_open = !is_right
            && new.iter().any(|word| !word.starts_with('.'))
            && new.iter().all(|word| word.starts_with('.') || self.ours.meaning(path, word).is_none());
        Some(Change { gone, new, is_right, is_open })
    }
}

/// What we changed in a line.
struct Change<'a> {
    /// Words that are gone, with what they meant.
    gone: Vec<(&'a str, Meaning)>,
    new: Vec<&'a str>,
    /// The new words lead to where the old ones led.
    is_right: bool,
    /// No new word is a relative path, and none is understood.
    is_open: bool,
}

impl Change<'_> {
    fn is_known(&self) -> bool {
        !self.is_open && self.gone.iter().any(|(_, was)| was.is_some())
    }

    /// What is to be said of it whatever people did.
    fn alone(&self, right: Class) -> Class {
        match (self.is_known(), self.is_right) {
            (false, _) => Class::Unknown,
            (true, true) => right,
            (true, false) => Class::Wrong,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `src/util.ts` moved to `src/lib/util.ts`, and the folder `docs` to `site`.
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
    fn another_path_to_the_file_is_another_form() {
        let texts = ["import './util'", "import './lib/util'", "import './lib/util.js'"];
        check("src/a.ts", texts, Some(Class::OtherForm));
    }

    #[test]
    fn a_path_to_something_else_is_wrong() {
        check("src/a.ts", ["import './util'", "import './lib/b'", "import './lib/util'"], Some(Class::Wrong));
        check("src/a.ts", ["import './util'", "import './none'", "import './lib/util'"], Some(Class::Wrong));
        check("src/a.ts", ["import './util'", "import './lib/util'", "import './lib/b'"], Some(Class::Elsewhere));
        check("src/a.ts", ["import './util'", "import '@/util'", "import './lib/util'"], Some(Class::Unknown));
    }

    #[test]
    fn a_link_that_leads_elsewhere_is_missed() {
        check("src/a.ts", ["import './util'", "import './util'", "import './lib/util'"], Some(Class::Missed));
        check("src/a.ts", ["import './util'"; 3], Some(Class::Missed));
        check("README.md", ["see docs/x.md", "see docs/x.md", "see site/x.md"], Some(Class::Missed));
        // People wrote something that has nothing to do with the move.
        check("README.md", ["see docs/x.md", "see docs/x.md", "see README.md"], None);
        check("src/a.ts", ["import './lib/b'"; 3], None);
    }

    #[test]
    fn a_change_that_people_did_not_make_is_judged_alone() {
        let [old, new] = ["import './util'", "import './lib/util'"];
        check("src/a.ts", [old, new, old], Some(Class::ExtraRight));
        check("src/a.ts", [old, new, "-"], Some(Class::ExtraRight));
        check("src/a.ts", [old, "import './lib/b'", old], Some(Class::ExtraWrong));
        // The page and what it names moved together.
        check("docs/x.md", ["[y](y.md)", "[y](../site/y.md)", "[y](y.md)"], Some(Class::ExtraWrong));
        check("docs/x.md", ["a word", "another word", "a word"], Some(Class::ExtraWrong));
    }

    #[test]
    fn folders_lead_to_folders() {
        check("README.md", ["see `docs/`", "see `site/`", "see `docs/`"], Some(Class::ExtraRight));
    }
}
