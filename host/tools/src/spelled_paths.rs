//! Paths that are spelled in files whose packs know no links: components of frameworks, scripts, settings. Nobody can follow
//! them there, so they are told where what they lead to goes elsewhere.

use std::collections::HashMap;

use marquetry_graph::{Entry, Workspace, on_all_cores_with};
use marquetry_model::{Kind, Result, is_below, text::Lines};

use crate::{session::Session, spelled::LARGEST};

/// A path as a file spells it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SpelledPath {
    pub(crate) file: String,
    /// From 1.
    pub(crate) line: usize,
    pub(crate) path: String,
}

/// What is spelled in all such files.
#[derive(Debug, Default)]
pub(crate) struct SpelledPaths {
    pub(crate) places: Vec<SpelledPath>,
    /// Files that could not be looked into, and why.
    pub(crate) unread: Vec<String>,
}

/// What is said of such a place.
pub(crate) const WHY: &str = "it is not followed, for nobody knows what is a link in such a file";

/// What goes away, and what else is there.
struct Going<'a> {
    workspace: &'a Workspace,
    /// Files and folders.
    paths: Vec<&'a str>,
    /// Their last parts, without extensions.
    stems: Vec<memchr::memmem::Finder<'a>>,
}

impl Session {
    /// Places in files without links that lead to something that goes. What is moved, and not deleted, says something from its
    /// new place, too.
    pub(crate) fn spelled_paths(&self, workspace: &Workspace, paths: &[&str], moved: bool) -> Result<SpelledPaths> {
        let stems = paths.iter().map(|path| memchr::memmem::Finder::new(stem(last(path)))).collect();
        let going = Going { workspace, paths: paths.to_vec(), stems };
        // What is deleted says nothing any more.
        let stays = |entry: &&Entry| moved || !going.goes(&entry.path);
        let mute: Vec<&Entry> = self.files_without_links(workspace)?.into_iter().filter(stays).collect();
        let stage = self.work.stage("looking for paths", mute.len());
        let found = on_all_cores_with(
            &mute,
            || self.files.reader(),
            |reader, entry| {
                stage.step()?;
                match reader.text(&entry.path, LARGEST)? {
                    Some(text) => Ok(going.spelled_in(&entry.path, &text)),
                    None if entry.size > LARGEST => Ok(Vec::new()),
                    // More than a look tells why.
                    None => self.files.text(&entry.path).map(|text| going.spelled_in(&entry.path, &text)),
                }
            },
        );
        let mut spelled = SpelledPaths::default();
        for (entry, found) in mute.iter().zip(found) {
            match found {
                Ok(places) => spelled.places.extend(places),
                Err(error) if error.kind() == Kind::Cancelled => return Err(error),
                // What is no text names nothing, nor does what is gone by now.
                Err(error) if matches!(error.kind(), Kind::Unsupported | Kind::FileNotFound) => {}
                Err(error) => spelled.unread.push(format!("{} could not be looked into: {error}", entry.path)),
            }
        }
        Ok(spelled)
    }
}

impl Session {
    /// The text files of the workspace whose packs know no links.
    pub(crate) fn files_without_links<'a>(&self, workspace: &'a Workspace) -> Result<Vec<&'a Entry>> {
        let mut knows_links: HashMap<&str, bool> = HashMap::new();
        for entry in workspace.files().filter(|entry| !entry.engine.is_empty()) {
            if !knows_links.contains_key(entry.engine.as_str()) {
                let knows = self.packs.for_path(&self.files, &entry.path)?.has("links");
                knows_links.insert(&entry.engine, knows);
            }
        }
        // What no pack took is not a text.
        let is_mute = |entry: &&Entry| knows_links.get(entry.engine.as_str()).is_some_and(|knows| !*knows);
        Ok(workspace.files().filter(is_mute).collect())
    }
}

impl Going<'_> {
    fn goes(&self, path: &str) -> bool {
        self.paths.iter().any(|gone| path == *gone || is_below(path, gone))
    }

    fn spelled_in(&self, file: &str, text: &str) -> Vec<SpelledPath> {
        let goes = self.goes(file);
        let is_silent = || self.stems.iter().all(|stem| stem.find(text.as_bytes()).is_none());
        if !goes && is_silent() {
            return Vec::new();
        }
        let lines = Lines::new(text);
        let mut found = Vec::new();
        for (at, path) in spelled(text) {
            let is_told = if goes { self.breaks(file, path) } else { self.leads_to_it(file, path) };
            if is_told {
                found.push(SpelledPath { file: file.to_owned(), line: lines.position(at).line, path: path.to_owned() });
            }
        }
        found.dedup();
        found
    }

    /// Whether a path, said in a file that stays, leads to what goes.
    fn leads_to_it(&self, file: &str, path: &str) -> bool {
        joined(folder(file), path).is_some_and(|at| self.means_it(&at, path)) || self.means_it_anywhere(path)
    }

    /// Whether a path, said in a file that moves, leads elsewhere from its new place.
    fn breaks(&self, file: &str, path: &str) -> bool {
        if path.starts_with("./") || path.starts_with("../") {
            let target = joined(folder(file), path);
            return target.is_some_and(|at| !self.goes(&at) && self.is_there(&at));
        }
        path.contains('/') && self.means_it_anywhere(path)
    }

    /// Whether a path leads to what goes, whatever file says it: from the root, or from a folder that has an alias.
    fn means_it_anywhere(&self, path: &str) -> bool {
        let aliased = path.strip_prefix("@/").or_else(|| path.strip_prefix("~/")).filter(|rest| !rest.is_empty());
        joined("", path).is_some_and(|at| self.means_it(&at, path)) || aliased.is_some_and(|rest| self.is_end(rest))
    }

    /// Whether what goes, or something in it, ends as a path does that begins in some folder.
    fn is_end(&self, rest: &str) -> bool {
        let ends = |gone: &str, part: &str| gone == part || gone.ends_with(&format!("/{part}"));
        let parts = rest.match_indices('/').map(|(end, _)| end).chain([rest.len()]);
        let mut parts = parts.map(|end| rest.split_at(end));
        parts.any(|(part, below)| {
            let holds = |gone: &str| ends(gone, part) && (below.is_empty() || self.is_there(&format!("{gone}{below}")));
            self.paths.iter().any(|gone| holds(gone) || below.is_empty() && ends(without_extensions(gone), part))
        })
    }

    /// Whether a path that leads to a place means what goes. A word alone does where it has all of a name.
    fn means_it(&self, at: &str, path: &str) -> bool {
        let is_bare = !path.contains('/');
        let shortened = |gone: &str| !is_bare && (at == without_extensions(gone) || is_index(gone, at));
        self.paths.iter().any(|gone| at == *gone || is_below(at, gone) || shortened(gone))
    }

    /// Whether a file or folder is there, with or without an extension.
    fn is_there(&self, path: &str) -> bool {
        let mut below = self.workspace.files_from(path).take_while(|entry| entry.path.starts_with(path));
        below.any(|entry| matches!(entry.path[path.len()..].chars().next(), None | Some('/' | '.')))
    }
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A name up to its first dot, unless it begins with it.
fn stem(name: &str) -> &str {
    match name.find('.') {
        None | Some(0) => name,
        Some(at) => &name[..at],
    }
}

fn without_extensions(path: &str) -> &str {
    &path[..path.len() - last(path).len() + stem(last(path)).len()]
}

/// Whether a folder is named for this file in it.
fn is_index(file: &str, at: &str) -> bool {
    matches!(stem(last(file)), "index" | "mod" | "__init__") && folder(file) == at
}

/// The path that a relative path means in a folder; none where that is outside of the root, or no relative path.
pub(crate) fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    if path.starts_with('/') {
        return None;
    }
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// All that may be a path in a text, and where it stands: names with `/` or a dot, without what ends a sentence.
fn spelled(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '@' | '~' | '+' | '$');
    let mut from = 0;
    let all = std::iter::from_fn(move || {
        let start = from + text[from..].find(is_part)?;
        let end = text[start..].find(|c| !is_part(c)).map_or(text.len(), |length| start + length);
        from = end;
        Some((start, text[start..end].trim_end_matches(['.', '/'])))
    });
    all.filter(|(_, path)| path.contains(['/', '.']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_a_path_is_found() {
        let found = |text: &'static str| spelled(text).collect::<Vec<_>>();
        assert_eq!(found("P=data/t.txt and (./c), see ../x.\nword"), [(2, "data/t.txt"), (18, "./c"), (28, "../x")]);
        assert_eq!(found("from './c'; 'a.b'"), [(6, "./c"), (13, "a.b")]);
    }

    #[test]
    fn paths_are_put_together() {
        for (folder, path, expected) in [
            ("a/b", "../c", Some("a/c")),
            ("a", "./x/", Some("a/x")),
            ("", "../x", None),
            ("a", "/x", None),
            ("", "a//b", Some("a/b")),
        ] {
            assert_eq!(joined(folder, path).as_deref(), expected, "{folder} {path}");
        }
        assert_eq!((without_extensions("a.b/c.d.ts"), without_extensions("a/.env")), ("a.b/c", "a/.env"));
    }
}
