//! Paths that appeared or disappeared between two walks, and the links that may resolve differently because of that.

use std::{cmp::Ordering, collections::HashSet, sync::Arc};

use marquetry_model::ports::FileStamp;

use crate::entry::{Entry, LinkFact, Target};

/// Paths that appeared or disappeared.
#[derive(Default)]
pub(crate) struct Changes {
    /// Paths of files and folders.
    paths: Vec<String>,
    /// Last segments of specifiers that could refer to one of the paths.
    names: HashSet<String>,
    /// Resolved paths of links that could refer to one of the paths.
    targets: HashSet<String>,
}

impl Changes {
    /// Compares the known entries with the current stamps (size and time of each file). Both lists are sorted by path.
    /// `beyond` adds changed paths outside of the walk.
    pub(crate) fn between(before: &[Arc<Entry>], now: &[FileStamp], beyond: Vec<String>) -> Changes {
        let mut paths = beyond;
        let files = added_and_removed(before, now);
        let mut folders = HashSet::new();
        for path in &files {
            let mut at = *path;
            while let Some((folder, _)) = at.rsplit_once('/') {
                // If a folder is in the set, so are the folders above it.
                if !folders.insert(folder) {
                    break;
                }
                at = folder;
            }
        }
        let stood = |folder: &str| contains_folder(before, folder, |entry| &entry.path);
        let stands = |folder: &str| contains_folder(now, folder, |stamp| &stamp.path);
        paths.extend(folders.into_iter().filter(|folder| stood(folder) != stands(folder)).map(str::to_owned));
        paths.extend(files.into_iter().map(str::to_owned));
        let mut changes = Changes { paths, ..Changes::default() };
        for path in &changes.paths {
            specifier_names(path, |name| _ = changes.names.insert(name.to_owned()));
            changes.targets.extend(target_forms(path).map(str::to_owned));
        }
        changes
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(String::as_str)
    }

    /// Returns whether links of a file may resolve differently after the changes.
    pub(crate) fn may_affect_links_of(&self, entry: &Entry) -> bool {
        let is_named = |link: &LinkFact| may_refer_to(&link.specifier, |name| self.names.contains(name));
        let is_led_to = |target: &Target| match target {
            Target::Inside(path) | Target::Missing(path) => self.targets.contains(path),
            Target::External | Target::Unknown(_) => false,
        };
        !self.is_empty()
            && (entry.links.iter().flatten().any(is_named) || entry.targets.iter().flatten().any(is_led_to))
    }
}

/// Returns the paths that exist in only one of the two lists.
fn added_and_removed<'a>(before: &'a [Arc<Entry>], now: &'a [FileStamp]) -> Vec<&'a str> {
    let (mut before, mut now) = (before.iter().peekable(), now.iter().peekable());
    let mut differ = Vec::new();
    loop {
        let order = match (before.peek(), now.peek()) {
            (None, None) => return differ,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(entry), Some(stamp)) => entry.path.cmp(&stamp.path),
        };
        let (gone, came) =
            (if order.is_le() { before.next() } else { None }, if order.is_ge() { now.next() } else { None });
        match (gone, came) {
            (Some(gone), None) => differ.push(gone.path.as_str()),
            (None, Some(came)) => differ.push(came.path.as_str()),
            _ => {}
        }
    }
}

/// Returns whether an item of a list that is sorted by path is in the folder.
fn contains_folder<T>(sorted: &[T], folder: &str, path: impl Fn(&T) -> &String) -> bool {
    let below = format!("{folder}/");
    let first = sorted.partition_point(|item| *path(item) < below);
    sorted.get(first).is_some_and(|item| path(item).starts_with(&below))
}

/// Last segments of specifiers that could refer to the path: the file name with and without its extensions, and the
/// name of its folder (a specifier may name a folder to refer to its index file).
pub(crate) fn specifier_names<'p>(path: &'p str, mut visit: impl FnMut(&'p str)) {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut stem = name;
    stems(name).for_each(|name| {
        stem = name;
        visit(name);
    });
    // In Sass, the file `_name` contains the partial `name`.
    visit(stem.trim_start_matches('_'));
    visit(folder.rsplit('/').next().unwrap_or(folder));
}

/// Returns the path itself, the path without extensions, and its folder.
fn target_forms(path: &str) -> impl Iterator<Item = &str> {
    let name = path.rfind('/').map_or(0, |slash| slash + 1);
    let shortened = stems(&path[name..]).map(move |stem| &path[..name + stem.len()]);
    shortened.chain([path[..name].trim_end_matches('/')])
}

/// Returns the name, and the name with one, two, … extensions removed.
fn stems(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(name), |name| {
        name.rsplit_once('.').map(|(stem, _)| stem).filter(|stem| !stem.is_empty())
    })
}

/// Returns whether a specifier may refer to a file or folder with one of these names.
pub(crate) fn may_refer_to(specifier: &str, is_among: impl Fn(&str) -> bool) -> bool {
    let mut is_meant = false;
    visit_names(specifier, |name| is_meant = is_meant || is_among(name)) || is_meant
}

/// Calls `visit` with the names of files and folders to which a specifier may refer. Returns whether the specifier may
/// refer to any name at all.
pub(crate) fn visit_names(specifier: &str, mut visit: impl FnMut(&str)) -> bool {
    let cut = specifier.split(['#', '?']).next().unwrap_or(specifier);
    let mut is_any = visit_last_segment(cut, &mut visit);
    if cut.contains('%') {
        is_any |= visit_last_segment(&percent_decoded(cut), &mut visit);
    }
    if cut.len() < specifier.len() {
        // `#` and `?` can be part of a file name.
        is_any |= visit_last_segment(specifier, &mut visit);
        if specifier.contains('%') {
            is_any |= visit_last_segment(&percent_decoded(specifier), &mut visit);
        }
    }
    is_any
}

fn visit_last_segment(path: &str, visit: &mut impl FnMut(&str)) -> bool {
    let path = path.trim_end_matches('/');
    let last = path.rsplit(['/', '\\']).next().unwrap_or(path);
    for stem in stems(last) {
        visit(stem);
        visit(stem.trim_start_matches('_'));
    }
    matches!(last, "" | "." | "..")
}

/// Decodes percent-encoding: `my%20file.md` may refer to `my file.md`.
fn percent_decoded(specifier: &str) -> String {
    let mut bytes = Vec::with_capacity(specifier.len());
    let mut rest = specifier.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = tail.get(..2).and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        match code.filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn specifiers_match(path: &str, specifiers: &[&str]) -> Vec<bool> {
        let mut names = HashSet::new();
        specifier_names(path, |name| _ = names.insert(name.to_owned()));
        specifiers.iter().map(|specifier| may_refer_to(specifier, |name| names.contains(name))).collect()
    }

    #[test]
    fn specifier_may_refer_to_paths_with_its_last_segment() {
        for (path, may, never) in [
            (
                "docs/my file.md",
                ["./my%20file.md#top", "my file", "docs", "../docs/"].as_slice(),
                ["./other"].as_slice(),
            ),
            ("src/user.service.ts", &["../src/user.service", "./user.service.js", "user"], &["service", "react"]),
            ("styles/_base.scss", &["base", "_base", "base.css", "x/_base?y"], &["_bas", "./100%25.md"]),
            ("lib/index.js", &["../lib", "lib/index", ".", "./x/..", "", "#part", "?x"], &["library", "100%"]),
            ("a#b.md", &["a%23b.md", "a#b.md", "a#b", "x/a%23b"], &["a.md", "b.md", "a%2b"]),
            ("what?.md", &["what%3F.md#x", "what?.md"], &["why?.md"]),
            (".env", &[".env", "x/.env"], &["env"]),
            ("a/50%", &["50%", "a"], &["5"]),
        ] {
            assert_eq!(specifiers_match(path, may), vec![true; may.len()], "{path}: {may:?}");
            assert_eq!(specifiers_match(path, never), vec![false; never.len()], "{path}: {never:?}");
        }
    }

    #[test]
    fn folder_appears_and_disappears_with_its_files() {
        let entry = |path: &&str| {
            let stamp = FileStamp { path: (*path).to_owned(), size: 0, modified: 0 };
            Arc::new(crate::build::empty_entry(&stamp, String::new(), String::new()))
        };
        let stamp = |path: &&str| FileStamp { path: (*path).to_owned(), size: 0, modified: 0 };
        for (before, now, changed) in [
            (["a/b.x"].as_slice(), ["a/b.x"].as_slice(), [].as_slice()),
            (&["a/b.x"], &["a/b.x", "a/c.x"], &["a/c.x"]),
            (&["b.x"], &["a/b/c.x", "b.x"], &["a", "a/b", "a/b/c.x"]),
            (&["a/b/c.x", "a/d.x"], &["a/d.x"], &["a/b", "a/b/c.x"]),
            // `a-b` sorts between `a` and `a/`.
            (&["a-b", "a/c"], &["a-b"], &["a", "a/c"]),
            (&["a/x"], &["a"], &["a", "a", "a/x"]),
        ] {
            let (before, now): (Vec<_>, Vec<_>) = (before.iter().map(entry).collect(), now.iter().map(stamp).collect());
            let mut found = Changes::between(&before, &now, vec![]).paths;
            found.sort();
            assert_eq!(found, changed);
        }
    }

    #[test]
    fn links_can_omit_extensions_or_name_the_folder() {
        assert_eq!(target_forms("a/b.d.ts").collect::<Vec<_>>(), ["a/b.d.ts", "a/b.d", "a/b", "a"]);
        assert_eq!(target_forms("b").collect::<Vec<_>>(), ["b", ""]);
        assert_eq!(target_forms("a/.env").collect::<Vec<_>>(), ["a/.env", "a"]);
    }
}
