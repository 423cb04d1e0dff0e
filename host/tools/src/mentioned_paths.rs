//! Paths in texts that no pack recognizes as links: in components of frameworks, scripts, settings and comments. They
//! cannot be updated, so they are listed if the file or folder that they refer to is moved or deleted.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    sync::Arc,
};

use marquetry_graph::{Entry, LinkFact, Workspace, parallel_map_with};
use marquetry_model::{Interface, Kind, Relocations, Result, is_below, ports::Pack, text::Lines};

use crate::{
    generated_files::is_generated,
    mentioned_names::MAX_SEARCHED_SIZE,
    path_parts::{folder, last_segment, resolve_relative, searched_names, shortened_paths},
    possible_paths::{PossiblePath, may_be_generated, possible_paths, single_names, without_alias, without_variable},
    session::Session,
    undecodable::undecodable_text,
};

/// A path mentioned in a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MentionedPath {
    pub(crate) file: String,
    /// From 1.
    pub(crate) line: usize,
    pub(crate) path: String,
    /// Reason why the path is not updated.
    pub(crate) why: Cow<'static, str>,
}

/// Mentioned paths in all files.
#[derive(Debug, Default)]
pub(crate) struct MentionedPaths {
    pub(crate) places: Vec<MentionedPath>,
    /// Files that could not be searched, with the reason.
    pub(crate) unread: Vec<String>,
}

/// Reason for a path in a file whose links are not recognized.
const UNREAD_FORMAT: &str = "not updated: no language pack reads this kind of file";
/// Reason for a path in a file whose text could not be decoded.
const NOT_DECODED: &str = "not updated: the file is not UTF-8 text";
/// Reason for a path that is not one of the recognized links of its file.
const UNCERTAIN_LINK: &str = "not updated: may not be a link";

/// Names of folders whose files a web server or bundler serves from the root of the site.
const SERVED_FOLDERS: [&str; 2] = ["public", "static"];

/// Files that are moved or deleted, with the workspace.
pub(crate) struct RelocatedPaths<'a> {
    pub(crate) workspace: &'a Workspace,
    /// The moves; `None` for a deletion.
    pub(crate) moves: Option<&'a Relocations>,
    /// The files and folders that are moved or deleted.
    pub(crate) paths: Vec<&'a str>,
    /// The names that a path to one of `paths` contains.
    names: Vec<String>,
    finders: Vec<memchr::memmem::Finder<'static>>,
    /// Old names of renamed files, if no other file has that name. Such a name refers to the file even without a
    /// folder.
    renamed_files: Vec<&'a str>,
    /// True to search files with known links, too, outside of these links.
    search_outside_links: bool,
}

impl<'a> RelocatedPaths<'a> {
    /// Creates the value for a query about files. A file with known links is searched only if it has syntax errors.
    pub(crate) fn for_query(workspace: &'a Workspace, paths: &[&'a str]) -> RelocatedPaths<'a> {
        RelocatedPaths { search_outside_links: false, ..RelocatedPaths::deleting(workspace, paths) }
    }

    /// Creates the value for files and folders that are moved.
    pub(crate) fn moving(workspace: &'a Workspace, moves: &'a Relocations) -> RelocatedPaths<'a> {
        let paths: Vec<&str> = moves.as_slice().iter().map(|one| one.from.as_str()).collect();
        RelocatedPaths {
            moves: Some(moves),
            renamed_files: renamed_files(workspace, moves),
            ..RelocatedPaths::deleting(workspace, &paths)
        }
    }

    /// Creates the value for files and folders that are deleted.
    pub(crate) fn deleting(workspace: &'a Workspace, paths: &[&'a str]) -> RelocatedPaths<'a> {
        let names: Vec<String> = paths.iter().flat_map(|path| searched_names(path)).collect();
        let finders = names.iter().map(|name| memchr::memmem::Finder::new(name).into_owned()).collect();
        let renamed_files = Vec::new();
        RelocatedPaths {
            workspace,
            moves: None,
            paths: paths.to_vec(),
            names,
            finders,
            renamed_files,
            search_outside_links: true,
        }
    }
}

impl Session {
    /// Finds paths that refer to moved or deleted files and that no pack recognizes as links. Moved files are searched,
    /// too, because relative paths in them may refer to other files after the move.
    pub(crate) fn mentioned_paths(&self, going: &RelocatedPaths<'_>) -> Result<MentionedPaths> {
        let readers = self.link_readers(going.workspace)?;
        let is_moved = |entry: &Entry| going.moves.is_some() && going.is_relocated(&entry.path);
        // A file with known links is searched if it may contain one of the names. A moved file may mention any file
        // relative to its folder.
        let may_have = |entry: &Entry| is_moved(entry) || (!going.is_relocated(&entry.path) && going.may_be_in(entry));
        let is_read = |entry: &Entry| match readers.is_unread(entry) {
            Some(true) | None => going.moves.is_some() || !going.is_relocated(&entry.path),
            Some(false) => (going.search_outside_links || entry.is_partly_read) && may_have(entry),
        };
        let is_text = |entry: &&Entry| !is_generated(&entry.path) && is_read(entry);
        let read: Vec<&Entry> = going.workspace.files().filter(is_text).collect();
        let mut mentioned = self.mentioned_in_files(going, &readers, &read)?;
        mentioned.places.extend(self.text_mentions(going)?);
        Ok(mentioned)
    }

    /// Finds mentioned paths in files whose links may be incomplete: those with syntax errors, and those that could not
    /// be decoded.
    pub(crate) fn mentioned_in_broken_files(
        &self,
        going: &RelocatedPaths<'_>,
        is_skipped: impl Fn(&Entry) -> bool,
    ) -> Result<MentionedPaths> {
        let is_read = |entry: &Entry| entry.may_miss_links() && going.may_be_in(entry) && !is_skipped(entry);
        let read: Vec<&Entry> = going.workspace.files().filter(|entry| is_read(entry)).collect();
        if read.is_empty() {
            return Ok(MentionedPaths::default());
        }
        self.mentioned_in_files(going, &self.link_readers(going.workspace)?, &read)
    }

    fn mentioned_in_files(
        &self,
        going: &RelocatedPaths<'_>,
        readers: &LinkReaders<'_>,
        read: &[&Entry],
    ) -> Result<MentionedPaths> {
        let stage = self.work.stage("looking for paths", read.len());
        let found = parallel_map_with(
            read,
            || self.files.reader(),
            |reader, entry| {
                stage.step()?;
                let look = |text: &str| match readers.is_unread(entry) {
                    Some(false) => going.mentioned_outside_links(entry, text),
                    Some(true) | None => going.mentioned_in(&entry.path, text, UNREAD_FORMAT),
                };
                let found = match reader.text(&entry.path, MAX_SEARCHED_SIZE) {
                    Ok(Some(text)) => Ok(look(&text)),
                    Ok(None) if entry.size > MAX_SEARCHED_SIZE => Ok(Vec::new()),
                    // The error of `text` is the reason why the file cannot be read.
                    Ok(None) => self.files.text(&entry.path).map(|text| look(&text)),
                    Err(error) => Err(error),
                };
                match found {
                    Err(error) if error.kind() == Kind::Unsupported => {
                        let text = undecodable_text(self.files.as_ref(), &entry.path, entry.size).unwrap_or_default();
                        Ok(going.mentioned_in(&entry.path, &text, NOT_DECODED))
                    }
                    found => found,
                }
            },
        );
        let mut mentioned = MentionedPaths::default();
        for (entry, found) in read.iter().zip(found) {
            match found {
                Ok(places) => mentioned.places.extend(places),
                Err(error) if error.kind() == Kind::Cancelled => return Err(error),
                // The file was deleted in the meantime, so it contains no paths.
                Err(error) if error.kind() == Kind::FileNotFound => {}
                Err(error) => mentioned.unread.push(format!("{} could not be searched: {error}", entry.path)),
            }
        }
        Ok(mentioned)
    }
}

/// The packs in the index that read links, by their identity; `None` for a pack that does not read links.
struct LinkReaders<'a>(HashMap<&'a str, Option<Arc<dyn Pack>>>);

impl LinkReaders<'_> {
    /// Returns whether a file is a text whose links no pack reads; `None` if it could not be decoded. A pack may receive only
    /// some of its files.
    fn is_unread(&self, entry: &Entry) -> Option<bool> {
        let reader = self.0.get(entry.engine.as_str())?;
        Some(!reader.as_ref().is_some_and(|pack| pack.may_receive(&entry.path)))
    }
}

impl Session {
    fn link_readers<'a>(&self, workspace: &'a Workspace) -> Result<LinkReaders<'a>> {
        let mut readers = HashMap::new();
        for entry in workspace.files().filter(|entry| !entry.engine.is_empty()) {
            if !readers.contains_key(entry.engine.as_str()) {
                let pack = self.packs.for_path(&self.files, &entry.path)?;
                readers.insert(entry.engine.as_str(), pack.has_interface(Interface::Links).then_some(pack));
            }
        }
        Ok(LinkReaders(readers))
    }

    /// Returns the text files whose links no pack reads.
    pub(crate) fn files_without_links<'a>(&self, workspace: &'a Workspace) -> Result<Vec<&'a Entry>> {
        let readers = self.link_readers(workspace)?;
        Ok(workspace.files().filter(|entry| readers.is_unread(entry) == Some(true)).collect())
    }
}

impl RelocatedPaths<'_> {
    /// Returns whether a path is moved or deleted, or is below such a path.
    pub(crate) fn is_relocated(&self, path: &str) -> bool {
        self.paths.iter().any(|gone| path == *gone || is_below(path, gone))
    }

    /// Returns the path after the change.
    fn after(&self, path: &str) -> String {
        self.moves.map_or_else(|| path.to_owned(), |moves| moves.path_after(path))
    }

    /// The files that are moved, with their new paths.
    pub(crate) fn moved_files(&self) -> impl Iterator<Item = (&str, String)> {
        let moved = self.paths.iter().filter(|_| self.moves.is_some());
        let below = moved.flat_map(|gone| {
            // In the sorted list, `a-b/c` is between `a` and `a/c`.
            let near = self.workspace.files_from(gone).take_while(move |entry| entry.path.starts_with(gone));
            near.map(|entry| entry.path.as_str()).filter(move |path| path == gone || is_below(path, gone))
        });
        below.map(|path| (path, self.after(path)))
    }

    /// Returns whether a folder contains a relocated path, or is in a relocated folder.
    pub(crate) fn may_hold_relocated(&self, folder: &str) -> bool {
        self.is_relocated(folder) || self.paths.iter().any(|gone| folder.is_empty() || is_below(gone, folder))
    }

    /// Returns whether a file may contain one of the names.
    fn may_be_in(&self, entry: &Entry) -> bool {
        self.names.iter().any(|name| entry.may_hold(name))
    }

    /// Returns whether a text contains none of the names.
    fn has_no_mention(&self, text: &str) -> bool {
        self.finders.iter().all(|name| name.find(text.as_bytes()).is_none())
    }

    fn mentioned_in(&self, file: &str, text: &str, why: &'static str) -> Vec<MentionedPath> {
        if !self.is_relocated(file) && self.has_no_mention(text) {
            return Vec::new();
        }
        let is_mention = |path: &str| self.is_affected(file, path) || self.renamed_files.contains(&path);
        let mut found: Vec<PossiblePath<'_>> = possible_paths(text).filter(|word| is_mention(word.path)).collect();
        for name in self.single_names_near(file) {
            found.extend(single_names(file, text, name));
        }
        found.sort_by_key(|word| word.at);
        let lines = Lines::new(text);
        let place = |word: PossiblePath<'_>| {
            let line = lines.position(word.at).line;
            MentionedPath { file: file.to_owned(), line, path: word.path.to_owned(), why: why.into() }
        };
        let mut found: Vec<MentionedPath> = found.into_iter().map(place).collect();
        found.dedup();
        found
    }

    /// The names of relocated files and folders that have no dot and are in the folder of `file` or in the root. The
    /// file can refer to them by the name alone.
    fn single_names_near(&self, file: &str) -> impl Iterator<Item = &str> {
        let near = [folder(file), ""];
        let is_single = move |path: &&&str| near.contains(&folder(path)) && !last_segment(path).contains('.');
        self.paths.iter().filter(is_single).map(|path| last_segment(path))
    }

    /// Finds mentioned paths outside of the links that the pack of the file reads. Each path is listed once.
    fn mentioned_outside_links(&self, entry: &Entry, text: &str) -> Vec<MentionedPath> {
        if !self.is_relocated(&entry.path) && self.has_no_mention(text) {
            return Vec::new();
        }
        let mut links: Vec<_> = entry.links.iter().flatten().map(LinkFact::span).collect();
        links.sort_by_key(|span| (span.start, span.end));
        // A link can only contain this offset if the distance from its start is less than the length of the longest
        // link.
        let longest = links.iter().map(|span| span.len()).max().unwrap_or_default();
        let is_link = |at: usize, path: &str| {
            let until = links.partition_point(|span| span.start < at + path.len());
            let mut near = links[..until].iter().rev().take_while(|span| span.start + longest > at);
            near.any(|span| at < span.end)
        };
        let lines = Lines::new(text);
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        let is_mention = |path: &str| match path.contains('/') {
            true => self.is_affected(&entry.path, path),
            false => self.renamed_files.contains(&path) || !path.contains('.') && self.is_affected(&entry.path, path),
        };
        let mut words: Vec<_> = possible_paths(text).filter(|word| is_mention(word.path)).collect();
        for name in self.single_names_near(&entry.path) {
            words.extend(single_names(&entry.path, text, name));
        }
        words.sort_by_key(|word| word.at);
        for PossiblePath { at, path } in words {
            if !seen.contains(path) && !is_link(at, path) {
                seen.insert(path);
                let line = lines.position(at).line;
                found.push(MentionedPath {
                    file: entry.path.clone(),
                    line,
                    path: path.to_owned(),
                    why: UNCERTAIN_LINK.into(),
                });
            }
        }
        found
    }

    /// Returns whether a path in a file refers to another file, or to none, after the change.
    pub(crate) fn is_affected(&self, file: &str, path: &str) -> bool {
        if self.is_relocated(file) { self.breaks_when_moved(file, path) } else { self.refers_to_relocated(file, path) }
    }

    /// Returns whether a path in a file that is not relocated refers to a relocated file or folder.
    fn refers_to_relocated(&self, file: &str, path: &str) -> bool {
        resolve_relative(folder(file), path).is_some_and(|at| self.matches_resolved(&at, path))
            || self.matches_from_folder_around(file, path)
            || self.matches_from_any_file(path)
    }

    /// Returns whether a path that is relative to a folder around the file, such as the folder of a package, refers to a
    /// relocated file or folder. Such a folder must stay.
    fn matches_from_folder_around(&self, file: &str, path: &str) -> bool {
        let around = std::iter::successors(Some(folder(file)), |below| (!below.is_empty()).then(|| folder(below)));
        path.contains('/')
            && !path.starts_with(['.', '/'])
            && around.skip(1).take_while(|around| !around.is_empty()).any(|around| {
                !self.is_relocated(around)
                    && resolve_relative(around, path).is_some_and(|at| self.matches_resolved(&at, path))
            })
    }

    /// Returns whether a file moves to another folder.
    pub(crate) fn leaves_its_folder(&self, file: &str) -> bool {
        folder(&self.after(file)) != folder(file)
    }

    /// Returns whether a path in a moved file no longer refers to the same file from the new location.
    fn breaks_when_moved(&self, file: &str, path: &str) -> bool {
        let is_relative = path.starts_with("./") || path.starts_with("../");
        let turns = |found: &str, at: &str| {
            // The part of the new path that corresponds to the part of the old path in the text.
            let mut expected = self.after(found);
            let left_out = found.len() - at.len();
            expected.truncate(expected.len().saturating_sub(left_out));
            resolve_relative(folder(&self.after(file)), path) != Some(expected)
        };
        match resolve_relative(folder(file), path) {
            Some(at) if at.is_empty() => is_relative && self.leaves_its_folder(file),
            Some(at) if is_relative => self.existing_path(&at).is_some_and(|found| turns(&found, &at)),
            // A path that does not start with `./` or `../` may also be relative to the root.
            Some(at) if path.contains('/') && self.workspace.file(&at).is_some() => {
                turns(&at, &at) || self.matches_from_any_file(path)
            }
            _ => {
                path.contains('/') && (self.matches_from_folder_around(file, path) || self.matches_from_any_file(path))
            }
        }
    }

    /// Returns whether a path refers to a relocated file or folder regardless of the file that mentions it: a path
    /// relative to the root, or to a folder with an alias.
    pub(crate) fn matches_from_any_file(&self, path: &str) -> bool {
        let from_root = Some(path.trim_start_matches('/')).filter(|rest| rest.contains('/')).unwrap_or(path);
        resolve_relative("", from_root).is_some_and(|at| self.matches_resolved(&at, path))
            || self.is_served_at(path)
            || without_alias(path).is_some_and(|rest| self.matches_path_end(rest))
            || without_variable(path).is_some_and(|rest| self.matches_path_end(rest))
    }

    /// Returns whether a path from the root of a site refers to a relocated file or folder, because a web server serves
    /// the files of a folder there: `/img/a.png` is `public/img/a.png`.
    fn is_served_at(&self, path: &str) -> bool {
        let is_served = |gone: &&str| {
            SERVED_FOLDERS.iter().any(|folder| {
                let inside =
                    gone.strip_prefix(folder).or_else(|| gone.split_once(&format!("/{folder}")).map(|it| it.1));
                inside.is_some_and(|inside| inside == path || inside.starts_with('/') && is_below(path, inside))
            })
        };
        path.starts_with('/') && self.paths.iter().any(is_served)
    }

    /// Returns whether the path of a relocated file or folder ends with the constant end of a computed path.
    pub(crate) fn matches_computed_tail(&self, tail: &str) -> bool {
        tail.contains(['/', '.']) && !tail.starts_with('.') && self.matches_path_end(tail)
    }

    /// Returns whether `rest`, a path relative to an unknown folder, may refer to a relocated file or folder, or to a
    /// file in a relocated folder.
    pub(crate) fn matches_path_end(&self, rest: &str) -> bool {
        let ends = |gone: &str, part: &str| gone == part || gone.ends_with(&format!("/{part}"));
        let parts = rest.match_indices('/').map(|(end, _)| end).chain([rest.len()]);
        let mut parts = parts.map(|end| rest.split_at(end));
        parts.any(|(part, below)| {
            let holds = |gone: &str| ends(gone, part) && (below.is_empty() || self.exists(&format!("{gone}{below}")));
            let is_short = |gone: &str| shortened_paths(gone).any(|short| ends(&short, part));
            self.paths.iter().any(|gone| holds(gone) || below.is_empty() && is_short(gone))
        })
    }

    /// Returns whether a path that resolves to `at` refers to a relocated file or folder. A path without `/` must be a
    /// complete file name, with its extension.
    fn matches_resolved(&self, at: &str, path: &str) -> bool {
        let is_bare = !path.contains('/');
        let shortened = |gone: &str| !is_bare && shortened_paths(gone).any(|short| short == at);
        let is_inside = |gone: &str| is_below(at, gone) && (may_be_generated(&at[gone.len() + 1..]) || self.exists(at));
        self.paths.iter().any(|gone| at == *gone || is_inside(gone) || shortened(gone))
    }

    /// Returns the file or folder at a path, with or without an extension.
    fn existing_path(&self, path: &str) -> Option<String> {
        let mut below = self.workspace.files_from(path).take_while(|entry| entry.path.starts_with(path));
        let found = below.find(|entry| matches!(entry.path[path.len()..].chars().next(), None | Some('/' | '.')))?;
        let is_folder = found.path[path.len()..].starts_with('/');
        Some(if is_folder { path.to_owned() } else { found.path.clone() })
    }

    /// Returns whether a file or folder exists, with or without an extension.
    fn exists(&self, path: &str) -> bool {
        self.existing_path(path).is_some()
    }
}

/// Returns the old names of moved files whose names change, have an extension, and are unique in the workspace.
fn renamed_files<'a>(workspace: &Workspace, moves: &'a Relocations) -> Vec<&'a str> {
    let renamed = moves.as_slice().iter().filter_map(|relocation| {
        let name = last_segment(&relocation.from);
        let is_renamed = name != last_segment(&relocation.to) && name.trim_start_matches('.').contains('.');
        is_renamed.then_some((name, 0))
    });
    let mut counts: HashMap<&str, usize> = renamed.collect();
    if counts.is_empty() {
        return Vec::new();
    }
    for entry in workspace.files() {
        if let Some(count) = counts.get_mut(last_segment(&entry.path)) {
            *count += 1;
        }
    }
    counts.into_iter().filter(|(_, count)| *count == 1).map(|(name, _)| name).collect()
}
