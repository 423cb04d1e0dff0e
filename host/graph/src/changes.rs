//! What came and went between two walks, and which links may lead elsewhere because of that.

use std::{cmp::Ordering, collections::HashSet, sync::Arc};

use marquetry_model::ports::FileStamp;

use crate::entry::{Entry, LinkFact, Target};

/// What came and went.
#[derive(Default)]
pub(crate) struct Changes {
    /// Files and folders.
    paths: Vec<String>,
    /// The last parts of specifiers that could mean one of them.
    names: HashSet<String>,
    /// The paths that a link may lead to which means one of them.
    meant: HashSet<String>,
}

impl Changes {
    /// Between what was known and what is there, both sorted by path; and what else is there by now, or is there no more.
    pub(crate) fn between(before: &[Arc<Entry>], now: &[FileStamp], beyond: Vec<String>) -> Changes {
        let mut paths = beyond;
        let files = came_and_gone(before, now);
        let mut folders = HashSet::new();
        for path in &files {
            let mut at = *path;
            while let Some((folder, _)) = at.rsplit_once('/') {
                // What is known of a folder is known of those around it.
                if !folders.insert(folder) {
                    break;
                }
                at = folder;
            }
        }
        let stood = |folder: &str| holds(before, folder, |entry| &entry.path);
        let stands = |folder: &str| holds(now, folder, |stamp| &stamp.path);
        paths.extend(folders.into_iter().filter(|folder| stood(folder) != stands(folder)).map(str::to_owned));
        paths.extend(files.into_iter().map(str::to_owned));
        let mut changes = Changes { paths, ..Changes::default() };
        for path in &changes.paths {
            names_of(path, |name| _ = changes.names.insert(name.to_owned()));
            changes.meant.extend(meant_by(path).map(str::to_owned));
        }
        changes
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(String::as_str)
    }

    /// Whether the links of a file might lead elsewhere by now.
    pub(crate) fn may_turn_links_of(&self, entry: &Entry) -> bool {
        let is_named = |link: &LinkFact| may_mean(&link.specifier, |name| self.names.contains(name));
        let is_led_to = |target: &Target| match target {
            Target::Inside(path) | Target::Missing(path) => self.meant.contains(path),
            Target::External | Target::Unknown(_) => false,
        };
        !self.is_empty()
            && (entry.links.iter().flatten().any(is_named) || entry.targets.iter().flatten().any(is_led_to))
    }
}

/// The paths that are new, and those that are no more.
fn came_and_gone<'a>(before: &'a [Arc<Entry>], now: &'a [FileStamp]) -> Vec<&'a str> {
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

/// Whether something of what is sorted by path is in the folder.
fn holds<T>(sorted: &[T], folder: &str, path: impl Fn(&T) -> &String) -> bool {
    let below = format!("{folder}/");
    let first = sorted.partition_point(|item| *path(item) < below);
    sorted.get(first).is_some_and(|item| path(item).starts_with(&below))
}

/// The last parts of specifiers that could mean the path: a file's name with and without its extensions, and the name of the
/// folder above it (a folder may be named for its index file).
pub(crate) fn names_of<'p>(path: &'p str, mut tell: impl FnMut(&'p str)) {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut stem = name;
    stems(name).for_each(|name| {
        stem = name;
        tell(name);
    });
    // `_name` is a partial of `name` in some languages.
    tell(stem.trim_start_matches('_'));
    tell(folder.rsplit('/').next().unwrap_or(folder));
}

/// The path, the same without extensions, and the folder above it.
fn meant_by(path: &str) -> impl Iterator<Item = &str> {
    let name = path.rfind('/').map_or(0, |slash| slash + 1);
    let shortened = stems(&path[name..]).map(move |stem| &path[..name + stem.len()]);
    shortened.chain([path[..name].trim_end_matches('/')])
}

/// A name as it is, and without one extension after the other.
fn stems(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(name), |name| {
        name.rsplit_once('.').map(|(stem, _)| stem).filter(|stem| !stem.is_empty())
    })
}

/// Whether a specifier might mean a file or folder that has one of these names.
pub(crate) fn may_mean(specifier: &str, is_among: impl Fn(&str) -> bool) -> bool {
    let mut is_meant = false;
    meanings(specifier, |name| is_meant = is_meant || is_among(name)) || is_meant
}

/// The names of files and folders that a specifier might mean. Answers whether it might mean any.
pub(crate) fn meanings(specifier: &str, mut tell: impl FnMut(&str)) -> bool {
    let cut = specifier.split(['#', '?']).next().unwrap_or(specifier);
    let mut is_any = tell_last_part(cut, &mut tell);
    if cut.contains('%') {
        is_any |= tell_last_part(&decoded(cut), &mut tell);
    }
    if cut.len() < specifier.len() {
        // Where nothing stands behind a path, `#` and `?` are letters of it.
        is_any |= tell_last_part(specifier, &mut tell);
        if specifier.contains('%') {
            is_any |= tell_last_part(&decoded(specifier), &mut tell);
        }
    }
    is_any
}

fn tell_last_part(path: &str, tell: &mut impl FnMut(&str)) -> bool {
    let path = path.trim_end_matches('/');
    let last = path.rsplit(['/', '\\']).next().unwrap_or(path);
    for stem in stems(last) {
        tell(stem);
        tell(stem.trim_start_matches('_'));
    }
    matches!(last, "" | "." | "..")
}

/// Without percent-encoding: `my%20file.md` may mean `my file.md`.
fn decoded(specifier: &str) -> String {
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

    fn meaning(path: &str, specifiers: &[&str]) -> Vec<bool> {
        let mut names = HashSet::new();
        names_of(path, |name| _ = names.insert(name.to_owned()));
        specifiers.iter().map(|specifier| may_mean(specifier, |name| names.contains(name))).collect()
    }

    #[test]
    fn a_specifier_may_mean_what_has_its_last_part() {
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
            assert_eq!(meaning(path, may), vec![true; may.len()], "{path}: {may:?}");
            assert_eq!(meaning(path, never), vec![false; never.len()], "{path}: {never:?}");
        }
    }

    #[test]
    fn a_folder_comes_with_its_first_file_and_goes_with_its_last() {
        let entry = |path: &&str| {
            let stamp = FileStamp { path: (*path).to_owned(), size: 0, modified: 0 };
            Arc::new(crate::build::blank(&stamp, String::new(), String::new()))
        };
        let stamp = |path: &&str| FileStamp { path: (*path).to_owned(), size: 0, modified: 0 };
        for (before, now, changed) in [
            (["a/b.x"].as_slice(), ["a/b.x"].as_slice(), [].as_slice()),
            (&["a/b.x"], &["a/b.x", "a/c.x"], &["a/c.x"]),
            (&["b.x"], &["a/b/c.x", "b.x"], &["a", "a/b", "a/b/c.x"]),
            (&["a/b/c.x", "a/d.x"], &["a/d.x"], &["a/b", "a/b/c.x"]),
            // `a-b` stands between `a` and `a/`.
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
    fn a_path_is_meant_without_its_extensions_and_by_its_folder() {
        assert_eq!(meant_by("a/b.d.ts").collect::<Vec<_>>(), ["a/b.d.ts", "a/b.d", "a/b", "a"]);
        assert_eq!(meant_by("b").collect::<Vec<_>>(), ["b", ""]);
        assert_eq!(meant_by("a/.env").collect::<Vec<_>>(), ["a/.env", "a"]);
    }
}
