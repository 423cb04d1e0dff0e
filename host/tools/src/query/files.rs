//! `files`: lists files by folder or glob, without ignored ones.

use std::collections::BTreeMap;

use marquetry_model::{
    Kind, Result,
    ports::{EntryKind, WalkedNames},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, QueryArgs, QueryResult};
use crate::{
    pagination::{ByteBudget, paginate},
    session::Session,
};

/// Default for the maximum number of files.
const DEFAULT_LIMIT: usize = 200;
/// Maximum number of ignored entries.
const MAX_IGNORED: usize = 20;

/// Result of `files`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileList {
    /// The files, sorted by path.
    pub files: Vec<FileEntry>,
    /// Folders below `depth`, with the number of their files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<FolderEntry>,
    /// Number of all files, including those on other pages and below `depth`.
    pub file_count: usize,
    /// Number of files per language.
    pub languages: BTreeMap<String, usize>,
    /// Entries of the listed folder that ignore files exclude.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
}

/// A file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FileEntry {
    /// Path relative to the root.
    pub path: String,
    /// Size in bytes, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Language of the pack that reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// A folder whose files are not listed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FolderEntry {
    /// Path relative to the root, with a final `/`.
    pub path: String,
    /// Number of files below it.
    pub files: usize,
}

/// The files to list.
struct Listing {
    /// All paths, sorted.
    paths: Vec<String>,
    /// The listed folder, if the call lists a single folder; `depth` is relative to this folder.
    folder: Option<String>,
    /// Paths that could not be read, with the reason.
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
        let mut room = ByteBudget::new(args.max_bytes.or(self.max_bytes));
        let mut aside = room.share(2);
        let folders = aside.list("`folders`", folders);
        let mut page = paginate(shown, args.offset, Some(args.limit.unwrap_or(DEFAULT_LIMIT)), &mut room)
            .with_omissions_of(&aside);
        // The size is only needed for the files of the page.
        page.items.iter_mut().for_each(|file| file.size = self.files.size(&file.path));
        let list = FileList {
            files: page.items,
            folders,
            file_count: listing.paths.len(),
            languages,
            ignored: listing.folder.as_deref().map(|folder| self.ignored_entries(folder, &listing)).unwrap_or_default(),
        };
        let completeness = super::workspace::completeness(&listing.skipped);
        Ok(QueryResult::new(Answer::Files(list), completeness, "files").paged(page.total, page.truncated))
    }

    /// Returns the files that a call names: all files, those of a folder, or those that match globs.
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
            let WalkedNames { files, skipped } = self.files.walk_names(&folder)?;
            let skipped = skipped.into_iter().map(|skipped| (skipped.path, skipped.reason)).collect();
            return Ok(Listing { paths: files, folder: Some(folder), skipped });
        }
        // If there are only exclusions, they apply to all files.
        if given.iter().all(|pattern| pattern.trim().starts_with('!')) {
            given.insert(0, "**".to_owned());
        }
        let mut paths: Vec<String> = self.select_unlimited(&given)?.files.into_iter().map(|file| file.path).collect();
        if let Some(missing) = paths.iter().find(|path| self.files.stat(path).is_none()) {
            // `walk_names` fails in the same way as a read of the file, with similar paths.
            self.files.walk_names(missing)?;
        }
        paths.sort_unstable();
        let skipped = self.files.walk_names("")?.skipped;
        let skipped = skipped.into_iter().map(|skipped| (skipped.path, skipped.reason)).collect();
        Ok(Listing { paths, folder: None, skipped })
    }

    /// Returns the language of a file by its name; `None` if no pack reads it.
    fn language_of(&self, path: &str) -> Result<Option<String>> {
        match self.packs.for_path(&self.files, path) {
            Ok(pack) => Ok(Some(pack.description().name.clone())),
            Err(error) if error.kind() == Kind::Cancelled => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// Returns the entries of a folder that ignore files exclude. Empty if the folder is itself ignored and was
    /// requested explicitly.
    fn ignored_entries(&self, folder: &str, listing: &Listing) -> Vec<String> {
        let below = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        let entries = self.files.entries(folder).into_iter().filter(|(name, _)| self.files.is_ignored(&below(name)));
        let is_listed = |name: &str| listing.paths.binary_search_by(|path| path.as_str().cmp(name)).is_ok();
        let entries = entries.filter(|(name, _)| !is_listed(&below(name)));
        let shown = entries.map(|(name, kind)| match kind {
            EntryKind::Directory => format!("{}/", below(&name)),
            EntryKind::File => below(&name),
        });
        shown.take(MAX_IGNORED).collect()
    }
}

impl Listing {
    /// Returns the folder that is shown instead of a file below `depth`.
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
    fn depth_is_relative_to_the_listed_folder() {
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
