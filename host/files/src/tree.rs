//! System calls below a root. Every path is resolved from the root, directory by directory, without following symbolic
//! links, so a path that was checked to be inside cannot be redirected outside before it is used.

use std::{
    fs::File,
    io::{self, ErrorKind, Read, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

pub(crate) use crate::system::{Seen, What};
use crate::{
    paths::split_parent,
    system::{self, Attribute, Directory, is_loop},
};

/// Called before every operation that changes the disk; tests interrupt changes at such an operation.
pub(crate) type Probe = Option<Arc<dyn Fn(&'static str) + Send + Sync>>;

/// Properties of a new file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewFileOptions<'a> {
    /// Permissions; `None` for those that any new file gets.
    pub(crate) mode: Option<u32>,
    /// Owner and group; creation fails if they cannot be set.
    pub(crate) owner: Option<(u32, u32)>,
    /// A file whose extended attributes are copied.
    pub(crate) attribute_source: Option<&'a str>,
    /// Extended attributes of the new file if `attribute_source` is `None` or does not exist.
    pub(crate) attributes: &'a [Attribute],
}

/// The files below a canonical root. Paths are real paths: relative, with `/`.
pub(crate) struct Tree {
    root: PathBuf,
    probe: Probe,
}

impl Tree {
    pub(crate) fn new(root: PathBuf, probe: Probe) -> Tree {
        Tree { root, probe }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn probe(&self, doing: &'static str) {
        if let Some(probe) = &self.probe {
            probe(doing);
        }
    }

    /// Returns the probe, the function that tests use to interrupt changes, for another tree.
    pub(crate) fn clone_probe(&self) -> Probe {
        self.probe.clone()
    }

    pub(crate) fn directory(&self, path: &str) -> io::Result<Directory> {
        // The root itself is canonical, so links above it are irrelevant.
        let root = Directory::open(&self.root)?;
        if path.is_empty() { Ok(root) } else { self.directory_in(&root, path) }
    }

    /// Opens a directory, given the open root.
    pub(crate) fn directory_in(&self, root: &Directory, path: &str) -> io::Result<Directory> {
        if path.is_empty() {
            return Directory::open(&self.root);
        }
        if path.contains("..") && path.split('/').any(|part| part == "..") {
            return Err(io::Error::new(ErrorKind::InvalidInput, "the path contains `..`"));
        }
        root.below(path)
    }

    /// Opens the parent directory of a path; also returns the last component.
    fn parent<'a>(&self, path: &'a str) -> io::Result<(Directory, &'a str)> {
        let (above, last) = split_parent(path);
        Ok((self.directory(above)?, if last.is_empty() { "." } else { last }))
    }

    /// Returns the metadata of the path itself, if it exists.
    pub(crate) fn metadata(&self, path: &str) -> io::Result<Option<Seen>> {
        match self.parent(path).and_then(|(above, last)| above.look(last)) {
            Ok(seen) => Ok(Some(seen)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn open(&self, path: &str) -> io::Result<File> {
        let (above, last) = self.parent(path)?;
        above.file(last)
    }

    /// Reads a regular file.
    pub(crate) fn read(&self, path: &str) -> io::Result<(Vec<u8>, Seen)> {
        read_file(&mut self.open(path)?)
    }

    /// Returns a reader for many files.
    pub(crate) fn batch_reader(&self) -> BatchReader<'_> {
        BatchReader { tree: self, folder: None, bytes: Vec::new() }
    }

    /// Reads a regular file with its extended attributes.
    pub(crate) fn read_with_attributes(&self, path: &str) -> io::Result<(Vec<u8>, Seen, Vec<Attribute>)> {
        let mut file = self.open(path)?;
        let (bytes, seen) = read_file(&mut file)?;
        Ok((bytes, seen, system::attributes_of(&file)?))
    }

    /// Returns the target of a symbolic link. Fails if it is not UTF-8.
    pub(crate) fn read_link(&self, path: &str) -> io::Result<String> {
        let (above, last) = self.parent(path)?;
        above.read_link(last)
    }

    /// Returns the names in a directory, sorted. Fails if one is not UTF-8.
    pub(crate) fn names(&self, path: &str) -> io::Result<Vec<String>> {
        let mut names = self.directory(path)?.names()?;
        names.sort_unstable();
        Ok(names)
    }

    /// Returns the entries of a directory with their metadata, sorted.
    pub(crate) fn list(&self, path: &str) -> io::Result<Vec<(String, Seen)>> {
        let directory = self.directory(path)?;
        let mut names = directory.names()?;
        names.sort_unstable();
        let mut entries = Vec::new();
        for name in names {
            match directory.look(&name) {
                Ok(seen) => entries.push((name, seen)),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(entries)
    }

    /// Returns the directories from the root to a path that have an entry `name`, the lowest first. Each is opened from
    /// its parent, so that the cost is linear in the length of the path.
    pub(crate) fn directories_with(&self, name: &str, path: &str) -> io::Result<Vec<String>> {
        let mut found = Vec::new();
        let mut directory = Directory::open(&self.root)?;
        let above = split_parent(path).0;
        for (end, _) in above.match_indices('/').chain((!above.is_empty()).then_some((above.len(), ""))) {
            directory = match directory.below(split_parent(&above[..end]).1) {
                Ok(directory) => directory,
                // A missing directory has no entries.
                Err(error) if is_missing(&error) => break,
                Err(error) => return Err(error),
            };
            if directory.look(name).is_ok() {
                found.push(above[..end].to_owned());
            }
        }
        found.reverse();
        Ok(found)
    }

    /// Returns whether a path is a mount point, which cannot be replaced, renamed or removed.
    pub(crate) fn is_mount(&self, path: &str) -> io::Result<bool> {
        match self.parent(path) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(false),
            Err(error) => Err(error),
            Ok((above, last)) => above.is_mount(last),
        }
    }

    /// Returns the mount of a directory: the device and, if the system distinguishes them, the mount id. Renames work
    /// only within one mount. `None` if the directory does not exist.
    pub(crate) fn mount_of(&self, path: &str) -> io::Result<Option<(u64, u64)>> {
        match self.directory(path) {
            Ok(directory) => directory.mount().map(Some),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns whether the process may write the path.
    pub(crate) fn may_write(&self, path: &str, seen: &Seen) -> io::Result<bool> {
        let (above, last) = self.parent(path)?;
        // A read-only file is not writable even for the root user, because it was probably made read-only on purpose.
        Ok(seen.mode & 0o222 != 0 && above.may_write(last, seen.what))
    }

    /// Writes a new file under a temporary name. It is on disk when this returns.
    pub(crate) fn stage_file(&self, path: &str, bytes: &[u8], like: NewFileOptions<'_>) -> io::Result<()> {
        self.probe("create");
        let (above, last) = self.parent(path)?;
        let mode = if like.mode.is_some() { system::PRIVATE } else { 0o666 };
        let mut file = above.create(last, mode)?;
        self.probe("write");
        file.write_all(bytes)?;
        if let Some(owner) = like.owner {
            system::own(&file, owner)?;
        }
        match like.attribute_source.map(|model| self.attributes(model)).transpose()?.flatten() {
            Some(attributes) => system::give_attributes(&file, &attributes)?,
            None => system::give_attributes(&file, like.attributes)?,
        }
        if let Some(mode) = like.mode {
            system::set_mode(&file, mode)?;
        }
        self.probe("sync");
        file.sync_all()
    }

    /// Writes a new small file for marq's own use and returns its metadata.
    pub(crate) fn write_small(&self, path: &str, bytes: &[u8], durable: bool) -> io::Result<Seen> {
        self.probe("mark");
        let (above, last) = self.parent(path)?;
        let mut file = above.create(last, system::PRIVATE)?;
        self.probe("mark");
        file.write_all(bytes)?;
        if durable {
            self.probe("mark");
            file.sync_all()?;
        }
        system::seen_of(&file)
    }

    /// Returns the attributes of a file; `None` if it does not exist.
    fn attributes(&self, path: &str) -> io::Result<Option<Vec<Attribute>>> {
        match self.open(path) {
            Ok(file) => system::attributes_of(&file).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound || is_loop(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Creates a symbolic link under a temporary name.
    pub(crate) fn stage_link(&self, path: &str, target: &str) -> io::Result<()> {
        self.probe("link");
        let (above, last) = self.parent(path)?;
        above.link(last, target)
    }

    /// Renames within the root. Without `replace`, fails if the target exists.
    pub(crate) fn rename(&self, from: &str, to: &str, replace: bool) -> io::Result<()> {
        self.probe("rename");
        let ((from_above, from_last), (to_above, to_last)) = (self.parent(from)?, self.parent(to)?);
        if replace {
            return from_above.rename(from_last, &to_above, to_last);
        }
        match from_above.rename_new(from_last, &to_above, to_last) {
            Err(error) if error.kind() == ErrorKind::Unsupported => {
                if self.metadata(to)?.is_some() {
                    return Err(ErrorKind::AlreadyExists.into());
                }
                from_above.rename(from_last, &to_above, to_last)
            }
            other => other,
        }
    }

    /// Removes a file or link.
    pub(crate) fn remove(&self, path: &str) -> io::Result<()> {
        self.probe("remove");
        self.discard(path)
    }

    /// Removes a file or link that is not part of a change.
    pub(crate) fn discard(&self, path: &str) -> io::Result<()> {
        let (above, last) = self.parent(path)?;
        above.remove(last)
    }

    /// Removes an empty directory that is not part of a change.
    pub(crate) fn discard_directory(&self, path: &str) -> io::Result<()> {
        let (above, last) = self.parent(path)?;
        above.remove_directory(last)
    }

    /// Creates a directory, by default with the permissions of any new one.
    pub(crate) fn make_directory(&self, path: &str, mode: Option<u32>) -> io::Result<()> {
        self.probe("make directory");
        let (above, last) = self.parent(path)?;
        above.make_directory(last)?;
        mode.map_or(Ok(()), |mode| self.directory(path)?.set_mode(mode))
    }

    /// Removes an empty directory.
    pub(crate) fn remove_directory(&self, path: &str) -> io::Result<()> {
        self.probe("remove directory");
        self.discard_directory(path)
    }

    /// Flushes the entries of a directory to disk.
    pub(crate) fn sync_directory(&self, path: &str) -> io::Result<()> {
        self.probe("sync directory");
        self.directory(path)?.sync()
    }
}

/// Reads files one after the other. The directory of the last one stays open for its siblings.
pub(crate) struct BatchReader<'a> {
    tree: &'a Tree,
    folder: Option<(String, Directory)>,
    /// Buffer as long as the longest file that was read. The bytes after the end of the current file are left from
    /// earlier files.
    bytes: Vec<u8>,
}

/// Number of bytes examined before the rest is read.
const PREFIX_BYTES: usize = 64 << 10;

impl BatchReader<'_> {
    /// Reads a regular file without following links; `None` if it has more than `most` bytes. Only the beginning of a
    /// long file is read if that is sufficient.
    pub(crate) fn read(
        &mut self,
        path: &str,
        most: u64,
        is_enough: impl Fn(&[u8]) -> bool,
    ) -> io::Result<Option<&[u8]>> {
        let (above, last) = split_parent(path);
        let folder = match &mut self.folder {
            Some((open, folder)) if open == above => folder,
            other => &mut other.insert((above.to_owned(), self.tree.directory(above)?)).1,
        };
        let mut file = folder.file(last)?;
        let seen = system::seen_of(&file)?;
        if seen.what != What::File || seen.size > most {
            return Ok(None);
        }
        let room = buffer_size(seen.size);
        if self.bytes.len() < room {
            self.bytes.resize(room, 0);
        }
        let mut read = 0;
        if room > PREFIX_BYTES {
            read = read_into(&mut file, &mut self.bytes[..PREFIX_BYTES])?;
            if is_enough(&self.bytes[..read]) {
                return Ok(Some(&self.bytes[..read]));
            }
        }
        read = fill(&mut file, &mut self.bytes, read)?;
        Ok(Some(&self.bytes[..read]))
    }
}

/// Returns whether the error means that the path does not exist. A path through a link counts as missing, because links
/// are not followed.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) || is_loop(error)
}

fn read_file(file: &mut File) -> io::Result<(Vec<u8>, Seen)> {
    let seen = system::seen_of(file)?;
    if seen.what != What::File {
        return Err(io::Error::new(ErrorKind::IsADirectory, "it is not a regular file"));
    }
    let mut bytes = vec![0; buffer_size(seen.size)];
    let read = fill(file, &mut bytes, 0)?;
    bytes.truncate(read);
    Ok((bytes, seen))
}

/// Returns the buffer size for a file: its size and one more byte. If that byte stays free, the end of the file was
/// reached.
fn buffer_size(size: u64) -> usize {
    usize::try_from(size).unwrap_or(0).saturating_add(1)
}

/// Reads the rest of a file into a buffer, which grows if the file is longer than expected. Does not query the size of
/// the file again. Returns the total number of bytes.
fn fill(file: &mut File, bytes: &mut Vec<u8>, mut read: usize) -> io::Result<usize> {
    loop {
        read += read_into(file, &mut bytes[read..])?;
        if read < bytes.len() {
            return Ok(read);
        }
        bytes.resize(read * 2, 0);
    }
}

/// Reads until the buffer is full or the file ends.
fn read_into(file: &mut File, bytes: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < bytes.len() {
        match file.read(&mut bytes[read..]) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}
