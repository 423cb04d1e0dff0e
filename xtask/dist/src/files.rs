//! Reads and writes files, and builds archives whose bytes depend only on their content.

use std::{
    fs,
    io::{Cursor, Write},
    path::Path,
};

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};
use zip::{CompressionMethod, DateTime, ZipWriter, write::SimpleFileOptions};

/// The file with the checksums of all others.
pub(crate) const CHECKSUMS: &str = "SHA256SUMS";

/// The mode of a program.
pub(crate) const PROGRAM: u32 = 0o755;
/// The mode of every other file.
pub(crate) const DATA: u32 = 0o644;

/// A file in an archive.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// Path in the archive, with `/` as the separator.
    pub(crate) path: String,
    /// File mode.
    pub(crate) mode: u32,
    /// Content of the file.
    pub(crate) content: Vec<u8>,
}

impl Entry {
    /// Creates a file without execute permission.
    pub(crate) fn data(path: impl Into<String>, content: impl Into<Vec<u8>>) -> Entry {
        Entry { path: path.into(), mode: DATA, content: content.into() }
    }

    /// Creates an executable file.
    pub(crate) fn program(path: impl Into<String>, content: &[u8]) -> Entry {
        Entry { path: path.into(), mode: PROGRAM, content: content.to_owned() }
    }
}

/// Prints lines.
#[expect(clippy::print_stdout, reason = "the output of the program")]
pub(crate) fn print(lines: &[String]) {
    lines.iter().for_each(|line| println!("{line}"));
}

/// Reads a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("{} cannot be read", path.display()))
}

/// Writes a package. Returns a line with its name and size.
pub(crate) fn store(folder: &Path, name: &str, content: &[u8]) -> Result<String> {
    let path = folder.join(name);
    let parent = path.parent().unwrap_or(folder);
    fs::create_dir_all(parent).with_context(|| format!("{} cannot be created", parent.display()))?;
    fs::write(&path, content).with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(format!("{:>11} bytes  {name}", content.len()))
}

/// Returns the sha256 in lower-case hexadecimal.
pub(crate) fn sha256(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the checksums of all files in a folder and below, as `sha256sum` writes them.
pub(crate) fn checksums(folder: &Path) -> Result<String> {
    let mut names = names_below(folder, "")?;
    names.retain(|name| name != CHECKSUMS);
    names.sort();
    let line = |name: &String| Ok(format!("{}  {name}\n", sha256(&read(&folder.join(name))?)));
    names.iter().map(line).collect()
}

/// Returns the paths of the files in a folder and below, with `start` before each.
fn names_below(folder: &Path, start: &str) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))? {
        let entry = entry?;
        let name = format!("{start}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            names.extend(names_below(&entry.path(), &format!("{name}/"))?);
        } else {
            names.push(name);
        }
    }
    Ok(names)
}

/// Builds a compressed tar archive.
pub(crate) fn tar_gz(entries: &[Entry]) -> Result<Vec<u8>> {
    let mut compressed = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    compressed.write_all(&tar(entries)?)?;
    Ok(compressed.finish()?)
}

/// Builds a tar archive.
fn tar(entries: &[Entry]) -> Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    for entry in entries {
        let mut header = tar::Header::new_gnu();
        header.set_size(entry.content.len() as u64);
        header.set_mode(entry.mode);
        header.set_mtime(0);
        header.set_cksum();
        archive.append_data(&mut header, &entry.path, entry.content.as_slice())?;
    }
    Ok(archive.into_inner()?)
}

/// Builds a zip archive.
pub(crate) fn zip(entries: &[Entry]) -> Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for entry in entries {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(9))
            .last_modified_time(DateTime::default())
            .unix_permissions(entry.mode);
        archive.start_file(&entry.path, options)?;
        archive.write_all(&entry.content)?;
    }
    Ok(archive.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_content_makes_equal_archives() {
        let entries = [Entry::program("a/marq", b"program"), Entry::data("a/README.md", "text")];
        assert_eq!(tar_gz(&entries).expect("an archive"), tar_gz(&entries).expect("an archive"));
        assert_eq!(zip(&entries).expect("an archive"), zip(&entries).expect("an archive"));
    }

    #[test]
    fn archives_keep_paths_modes_and_content() {
        let archive = tar(&[Entry::program("a/marq", b"program")]).expect("an archive");
        let mut archive = tar::Archive::new(archive.as_slice());
        let entry = archive.entries().expect("entries").next().expect("one").expect("valid");
        assert_eq!(entry.path().expect("a path").to_string_lossy(), "a/marq");
        assert_eq!((entry.header().mode().expect("a mode"), entry.size()), (PROGRAM, 7));
    }

    #[test]
    fn checksums_are_those_of_sha256sum() {
        let folder = tempfile::tempdir().expect("a folder");
        store(folder.path(), "npm/b", b"").expect("stored");
        store(folder.path(), "a", b"abc").expect("stored");
        store(folder.path(), CHECKSUMS, b"old").expect("stored");
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a\n\
                        e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  npm/b\n";
        assert_eq!(checksums(folder.path()).expect("checksums"), expected);
    }
}
