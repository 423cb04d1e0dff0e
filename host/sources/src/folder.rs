//! Plugins in a folder, with one file per version (`0.1.0.wasm`) and its signature next to it. Such folders are for
//! machines without network access, and for mirrors.

use std::{
    fs,
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
};

use marquetry_model::{Error, Kind, Result, limits};
use semver::{Version, VersionReq};

use crate::{
    DownloadedPlugin, FoundPlugin, Publication, Published, SearchResults, newest_matching, no_matching_version_error,
    too_large_error,
};

/// The maximum size of a signature, in bytes.
const MAX_SIGNATURE_BYTES: u64 = 8 << 10;
/// The maximum number of folders that one search examines.
const MAX_SEARCHED_FOLDERS: usize = 10_000;

pub(crate) fn copy_newest(folder: &Path, wanted: &VersionReq) -> Result<DownloadedPlugin> {
    let all = versions(folder)?;
    let shown = folder.display().to_string();
    let names: Vec<String> = all.iter().map(|(version, _)| version.to_string()).collect();
    let (version, file) =
        newest_matching(all, wanted).ok_or_else(|| no_matching_version_error(&shown, wanted, names))?;
    let failed = |error: std::io::Error| unreadable_error(&file, &error);
    if fs::metadata(&file).map_err(failed)?.len() > limits::PLUGIN_BYTES {
        return Err(too_large_error(&file.display().to_string()));
    }
    let bytes = fs::read(&file).map_err(failed)?;
    let signature = signature_path(&file)
        .filter(|file| fs::metadata(file).is_ok_and(|it| it.is_file() && it.len() <= MAX_SIGNATURE_BYTES));
    let signature = signature.and_then(|file| fs::read_to_string(file).ok());
    Ok(DownloadedPlugin { bytes, version: Some(version), manifest: None, signature })
}

pub(crate) fn publish(folder: &Path, publication: &Publication) -> Result<Published> {
    let file = folder.join(format!("{}.wasm", publication.version));
    let published = |was_there| Published {
        source: format!("folder:{}", folder.display()),
        manifest: None,
        already_published: was_there,
    };
    let failed = |error: std::io::Error| {
        Error::new(Kind::PermissionDenied, format!("{} cannot be written: {error}", file.display()))
    };
    fs::create_dir_all(folder).map_err(failed)?;
    match fs::read(&file) {
        Ok(bytes) if bytes == publication.bytes => {
            write_signature(&file, publication).map_err(failed)?;
            return Ok(published(true));
        }
        Ok(_) => return Err(version_conflict_error(&file.display().to_string())),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(unreadable_error(&file, &error)),
    }
    // Write the signature first, so that the plugin is never visible without it.
    write_signature(&file, publication).map_err(failed)?;
    let begun = folder.join(format!(".{}.wasm.part", publication.version));
    let write = || {
        let mut part = fs::File::create(&begun)?;
        part.write_all(&publication.bytes)?;
        part.sync_all()?;
        fs::rename(&begun, &file)
    };
    write().map_err(failed)?;
    Ok(published(false))
}

fn write_signature(file: &Path, publication: &Publication) -> std::io::Result<()> {
    match (&publication.signature, signature_path(file)) {
        (Some(text), Some(to)) => fs::write(to, text),
        _ => Ok(()),
    }
}

pub(crate) fn search(folder: &Path, word: &str) -> Result<SearchResults> {
    let word = word.to_lowercase();
    let entries = fs::read_dir(folder).map_err(|error| unreadable_error(folder, &error))?;
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    let left = folders.len().saturating_sub(MAX_SEARCHED_FOLDERS);
    folders.truncate(MAX_SEARCHED_FOLDERS);
    let mut found = Vec::new();
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let all = versions(&folder).unwrap_or_default();
        let Some((version, file)) =
            newest_matching(all, &VersionReq::STAR).filter(|_| name.to_lowercase().contains(&word))
        else {
            continue;
        };
        let is_signed = signature_path(&file).is_some_and(|file| file.is_file());
        let source = format!("folder:{}", folder.display());
        found.push(FoundPlugin { source, version: version.to_string(), title: name, is_signed });
    }
    Ok(SearchResults { found, unexamined: left })
}

/// Returns the versions in a folder with their files.
fn versions(folder: &Path) -> Result<Vec<(Version, PathBuf)>> {
    let entries = fs::read_dir(folder).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            Error::new(Kind::FileNotFound, format!("the folder {} does not exist", folder.display()))
                .hint("the folder of a plugin has one file for each version, such as `0.1.0.wasm`")
        }
        _ => unreadable_error(folder, &error),
    })?;
    let version = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.strip_suffix(".wasm")?;
        Some((Version::parse(name).ok()?, path)).filter(|(_, path)| path.is_file())
    };
    let all: Vec<(Version, PathBuf)> = entries.flatten().filter_map(|entry| version(entry.path())).collect();
    if all.is_empty() {
        return Err(Error::new(Kind::FileNotFound, format!("{} contains no plugin", folder.display()))
            .hint("the folder of a plugin has one file for each version, such as `0.1.0.wasm`"));
    }
    Ok(all)
}

/// Returns the path of a file's signature.
fn signature_path(file: &Path) -> Option<PathBuf> {
    let name = file.file_name()?.to_str()?;
    Some(file.with_file_name(format!("{name}.minisig")))
}

fn unreadable_error(path: &Path, error: &std::io::Error) -> Error {
    Error::new(Kind::PermissionDenied, format!("{} cannot be read: {error}", path.display()))
}

/// Creates the error for publishing different bytes under a version that already exists.
pub(crate) fn version_conflict_error(place: &str) -> Error {
    Error::new(Kind::OverwriteBlocked, format!("{place} already exists with other bytes"))
        .hint("published versions cannot change: raise the plugin's version and build it again")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn publication(version: &str, bytes: &[u8], signature: Option<&str>) -> Publication {
        Publication {
            id: "notes".to_owned(),
            title: "Notes".to_owned(),
            version: Version::parse(version).expect("a version"),
            bytes: bytes.to_vec(),
            is_module: false,
            exports: Vec::new(),
            imports: Vec::new(),
            signature: signature.map(str::to_owned),
        }
    }

    #[test]
    fn newest_matching_version_is_copied() {
        let top = tempfile::tempdir().expect("a folder");
        let folder = top.path().join("notes");
        for version in ["0.1.0", "0.2.0-rc.1", "0.1.10", "1.0.0"] {
            publish(&folder, &publication(version, version.as_bytes(), Some("s"))).expect("published");
        }
        fs::write(folder.join("readme.wasm"), "none").expect("written");
        let brought = |wanted: &str| copy_newest(&folder, &VersionReq::parse(wanted).expect("a requirement"));
        for (wanted, version) in
            [("*", "1.0.0"), ("^0.1", "0.1.10"), ("=0.1.0", "0.1.0"), ("=0.2.0-rc.1", "0.2.0-rc.1")]
        {
            let brought = brought(wanted).expect("the plugin is copied");
            assert_eq!((brought.bytes.as_slice(), brought.signature.as_deref()), (version.as_bytes(), Some("s")));
            assert_eq!(brought.version.map(|version| version.to_string()).as_deref(), Some(version));
        }
        let error = brought("^2").expect_err("none");
        assert!(error.content().message.ends_with("has no version that matches `^2`"), "{error}");
        assert_eq!(error.content().candidates.len(), 4);
    }

    #[test]
    fn published_versions_are_not_replaced() {
        let top = tempfile::tempdir().expect("a folder");
        let folder = top.path().join("a/notes");
        assert!(!publish(&folder, &publication("0.1.0", b"one", None)).expect("published").already_published);
        assert!(publish(&folder, &publication("0.1.0", b"one", Some("later"))).expect("the same").already_published);
        assert_eq!(
            copy_newest(&folder, &VersionReq::STAR).expect("the plugin is copied").signature.as_deref(),
            Some("later")
        );
        let error = publish(&folder, &publication("0.1.0", b"two", None)).expect_err("refused");
        assert_eq!(error.kind(), Kind::OverwriteBlocked);
        assert_eq!(fs::read(folder.join("0.1.0.wasm")).expect("there"), b"one");
    }

    #[test]
    fn search_finds_plugins_by_folder_name() {
        let top = tempfile::tempdir().expect("a folder");
        for (name, version) in [("notes", "0.1.0"), ("notes", "0.2.0"), ("Notepad", "1.0.0"), ("other", "1.0.0")] {
            publish(&top.path().join(name), &publication(version, b"x", None)).expect("published");
        }
        fs::create_dir(top.path().join("notes-empty")).expect("made");
        let found = |word: &str| {
            let found = search(top.path(), word).expect("searched").found;
            found.into_iter().map(|found| format!("{} {}", found.title, found.version)).collect::<Vec<_>>()
        };
        assert_eq!(found("note"), ["Notepad 1.0.0", "notes 0.2.0"]);
        assert_eq!(found("").len(), 3);
        let error = search(&top.path().join("gone"), "").expect_err("none");
        assert!(error.content().message.contains("cannot be read"), "{error}");
        assert!(
            copy_newest(&top.path().join("gone"), &VersionReq::STAR)
                .expect_err("none")
                .to_string()
                .contains(" does not exist")
        );
    }
}
