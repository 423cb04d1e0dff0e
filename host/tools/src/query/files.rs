//! `files`: which files there are, by folder and by glob, as far as ignore files let them be seen.

use std::collections::BTreeMap;

use marquetry_model::{
    Kind, Result,
    ports::{EntryKind, Names},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, QueryArgs, QueryResult};
use crate::{
    page::{Room, page},
    session::Session,
};

/// Files that are listed, unless the caller says otherwise.
const MOST_FILES: usize = 200;
/// Ignored entries of a folder that are named.
const MOST_IGNORED: usize = 20;

/// Files of the workspace.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileList {
    /// The files, sorted by path.
    pub files: Vec<FileEntry>,
    /// Folders below `depth`, whose files are counted only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<FolderEntry>,
    /// How many files there are in all, those on other pages and below `depth` included.
    pub file_count: usize,
    /// How many of them are of each language.
    pub languages: BTreeMap<String, usize>,
    /// What ignore files exclude directly in the folder that is listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
}

/// One file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FileEntry {
    /// Its path, relative to the root.
    pub path: String,
    /// Its size in bytes, where the system tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// The language of the pack that reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// A folder of which the files are not listed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FolderEntry {
    /// Its path, relative to the root, with `/` at its end.
    pub path: String,
    /// How many files are below it.
    pub files: usize,
}

/// What is to be listed.
struct Listing {
    /// All paths, sorted.
    paths: Vec<String>,
    /// The folder, where exactly one is listed: `depth` counts from there.
    folder: Option<String>,
    /// What could not be looked at.
    skipped: Vec<(String, String)>,
}

impl Session {
    pub(super) fn list_files(&self, args: &QueryArgs) -> Result<QueryResult> {
        let listing = self.listing(args)?;
        let stage = self.work.stage("looking at files", listing.paths.len());
        let mut languages: BTreeMap<String, usize> = BTreeMap::new();
        let (mut shown, mut folders) = (Vec::new(), BTreeMap::<String, usize>::new());
        for path in &listing.paths {
            stage.step()?;
            let language = self.language_of(path)?;
            *languages.entry(language.clone().unwrap_or_else(|| "other".to_owned())).or_default() += 1;
            match listing.folder_below(path, args.depth) {
                Some(folder) => *folders.entry(folder).or_default() += 1,
                None => shown.push(FileEntry { path: path.clone(), size: None, language }),
            }
        }
        let folders: Vec<FolderEntry> = folders.into_iter().map(|(path, files)| FolderEntry { path, files }).collect();
        let mut room = Room::new(args.max_bytes.or(self.most_bytes));
        let mut aside = room.share(2);
        let folders = aside.list("`folders`", folders);
        let mut page = page(shown, args.offset, Some(args.limit.unwrap_or(MOST_FILES)), &mut room).beside(&aside);
        // Only files that are shown are looked at.
        page.items.iter_mut().for_each(|file| file.size = self.files.size(&file.path));
        let list = FileList {
            files: page.items,
            folders,
            file_count: listing.paths.len(),
            languages,
            ignored: listing.folder.as_deref().map(|folder| self.ignored_in(folder, &listing)).unwrap_or_default(),
        };
        let completeness = super::workspace::completeness(&listing.skipped);
        Ok(QueryResult::new(Answer::Files(list), completeness, "files").paged(page.total, page.truncated))
    }

    /// The files that a call names: all, those of a folder, or those that globs match.
    fn listing(&self, args: &QueryArgs) -> Result<Listing> {
        let mut given: Vec<String> = args.search.files.iter().flatten().chain(&args.path).cloned().collect();
        given.retain(|pattern| !pattern.trim().is_empty());
        let folder = match given.as_slice() {
            [] => Some(String::new()),
            [one] => {
                let path = self.files.locate(one).ok().filter(|_| !one.starts_with('!'));
                path.filter(|path| path.is_empty() || self.files.stat(path) == Some(EntryKind::Directory))
            }
            _ => None,
        };
        if let Some(folder) = folder {
            let Names { files, skipped } = self.files.names(&folder)?;
            let skipped = skipped.into_iter().map(|skipped| (skipped.path, skipped.reason)).collect();
            return Ok(Listing { paths: files, folder: Some(folder), skipped });
        }
        // What is only excluded is excluded from everything.
        if given.iter().all(|pattern| pattern.trim().starts_with('!')) {
            given.insert(0, "**".to_owned());
        }
        let mut paths: Vec<String> = self.chosen(&given)?.files.into_iter().map(|file| file.path).collect();
        if let Some(missing) = paths.iter().find(|path| self.files.stat(path).is_none()) {
            // The same error as of reading it, with the nearest paths.
            self.files.names(missing)?;
        }
        paths.sort_unstable();
        let skipped = self.files.names("")?.skipped;
        let skipped = skipped.into_iter().map(|skipped| (skipped.path, skipped.reason)).collect();
        Ok(Listing { paths, folder: None, skipped })
    }

    /// The language of a file by its name; none where no pack takes it.
    fn language_of(&self, path: &str) -> Result<Option<String>> {
        match self.packs.for_path(&self.files, path) {
            Ok(pack) => Ok(Some(pack.description().name.clone())),
            Err(error) if error.kind() == Kind::Cancelled => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// The entries of a folder that ignore files exclude; none of a folder that is listed although it is excluded itself.
    fn ignored_in(&self, folder: &str, listing: &Listing) -> Vec<String> {
        let below = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        let entries = self.files.entries(folder).into_iter().filter(|(name, _)| self.files.is_ignored(&below(name)));
        let is_listed = |name: &str| listing.paths.binary_search_by(|path| path.as_str().cmp(name)).is_ok();
        let entries = entries.filter(|(name, _)| !is_listed(&below(name)));
        let shown = entries.map(|(name, kind)| match kind {
            EntryKind::Directory => format!("{}/", below(&name)),
            EntryKind::File => below(&name),
        });
        shown.take(MOST_IGNORED).collect()
    }
}

impl Listing {
    /// The folder that stands for a file which lies deeper than asked.
    fn folder_below(&self, path: &str, depth: Option<usize>) -> Option<String> {
        let above = self.folder.as_deref().filter(|folder| !folder.is_empty());
        let start = above.map_or(0, |folder| folder.len() + 1);
        let rest = path.get(start..)?;
        let end = rest.match_indices('/').nth(depth?.max(1) - 1).map(|(at, _)| at)?;
        Some(path[..=start + end].to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::Listing;

    #[test]
    fn depth_counts_folders_below_the_listed_one() {
        let below = |folder: Option<&str>, path: &str, depth| {
            let listing = Listing { paths: Vec::new(), folder: folder.map(str::to_owned), skipped: Vec::new() };
            listing.folder_below(path, depth)
        };
        assert_eq!(below(Some(""), "a.ts", Some(1)), None);
        assert_eq!(below(Some(""), "src/a.ts", Some(1)).as_deref(), Some("src/"));
        assert_eq!(below(Some(""), "src/x/a.ts", Some(2)).as_deref(), Some("src/x/"));
        assert_eq!(below(Some("src"), "src/x/y/a.ts", Some(1)).as_deref(), Some("src/x/"));
        assert_eq!(below(Some("src"), "src/a.ts", Some(1)), None);
        assert_eq!(below(None, "src/x/a.ts", None), None);
        assert_eq!(below(Some(""), "src/a.ts", Some(0)).as_deref(), Some("src/"));
    }
}
