//! System calls below a root. Every path is walked from the root, directory by directory, without following a symbolic link:
//! what was checked to lie inside cannot be bent outside before it is used.

use std::{
    fs::File,
    io::{self, ErrorKind, Read, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

pub(crate) use crate::system::{Seen, What};
use crate::{
    place::split,
    system::{self, Attribute, Directory, is_loop},
};

/// Called before every operation that changes something on disk; tests stop the world there.
pub(crate) type Probe = Option<Arc<dyn Fn(&'static str) + Send + Sync>>;

/// What a new file is like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Like<'a> {
    /// Permissions; by default those of any new file.
    pub(crate) mode: Option<u32>,
    /// Owner and group, which must come out right.
    pub(crate) owner: Option<(u32, u32)>,
    /// A file whose extended attributes are taken over.
    pub(crate) model: Option<&'a str>,
    /// Those that it gets where there is no such file.
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

    /// The probe, for another tree.
    pub(crate) fn prober(&self) -> Probe {
        self.probe.clone()
    }

    pub(crate) fn directory(&self, path: &str) -> io::Result<Directory> {
        // The root itself is canonical, but may lie below a link that is none of our business by now.
        let root = Directory::open(&self.root)?;
        if path.is_empty() { Ok(root) } else { self.directory_in(&root, path) }
    }

    /// The same for one of many: the root is open already.
    pub(crate) fn directory_in(&self, root: &Directory, path: &str) -> io::Result<Directory> {
        if path.is_empty() {
            return Directory::open(&self.root);
        }
        if path.contains("..") && path.split('/').any(|part| part == "..") {
            return Err(io::Error::new(ErrorKind::InvalidInput, "the path leads upwards"));
        }
        root.below(path)
    }

    /// The directory that holds a path, and the last component.
    fn parent<'a>(&self, path: &'a str) -> io::Result<(Directory, &'a str)> {
        let (above, last) = split(path);
        Ok((self.directory(above)?, if last.is_empty() { "." } else { last }))
    }

    /// What stands at the path itself, if anything.
    pub(crate) fn look(&self, path: &str) -> io::Result<Option<Seen>> {
        match self.parent(path).and_then(|(above, last)| above.look(last)) {
            Ok(seen) => Ok(Some(seen)),
            Err(error) if is_nothing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn open(&self, path: &str) -> io::Result<File> {
        let (above, last) = self.parent(path)?;
        above.file(last)
    }

    /// The bytes of a regular file.
    pub(crate) fn read(&self, path: &str) -> io::Result<(Vec<u8>, Seen)> {
        bytes_of(&mut self.open(path)?)
    }

    /// Reads many files.
    pub(crate) fn sweep(&self) -> Sweep<'_> {
        Sweep { tree: self, folder: None, bytes: Vec::new() }
    }

    /// The same with its extended attributes.
    pub(crate) fn read_with_attributes(&self, path: &str) -> io::Result<(Vec<u8>, Seen, Vec<Attribute>)> {
        let mut file = self.open(path)?;
        let (bytes, seen) = bytes_of(&mut file)?;
        Ok((bytes, seen, system::attributes_of(&file)?))
    }

    /// The target of a symbolic link; refused where it is not UTF-8.
    pub(crate) fn read_link(&self, path: &str) -> io::Result<String> {
        let (above, last) = self.parent(path)?;
        above.read_link(last)
    }

    /// The names in a directory, sorted; refused where one is not UTF-8.
    pub(crate) fn names(&self, path: &str) -> io::Result<Vec<String>> {
        let mut names = self.directory(path)?.names()?;
        names.sort_unstable();
        Ok(names)
    }

    /// The same, with what stands there.
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

    /// The directories between the root and what a path leads to in which something of a name stands, the lowest first. Each is
    /// opened from the one above it, so that the cost grows with the path, and not with its square.
    pub(crate) fn directories_with(&self, name: &str, path: &str) -> io::Result<Vec<String>> {
        let mut found = Vec::new();
        let mut directory = Directory::open(&self.root)?;
        let above = split(path).0;
        for (end, _) in above.match_indices('/').chain((!above.is_empty()).then_some((above.len(), ""))) {
            directory = match directory.below(split(&above[..end]).1) {
                Ok(directory) => directory,
                // Nothing can stand below what is not there.
                Err(error) if is_nothing(&error) => break,
                Err(error) => return Err(error),
            };
            if directory.look(name).is_ok() {
                found.push(above[..end].to_owned());
            }
        }
        found.reverse();
        Ok(found)
    }

    /// Whether something is mounted right at a path: that can be neither replaced, renamed nor removed.
    pub(crate) fn is_mount(&self, path: &str) -> io::Result<bool> {
        match self.parent(path) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(false),
            Err(error) => Err(error),
            Ok((above, last)) => above.is_mount(last),
        }
    }

    /// The mount that a directory lies in: a device, and where the system tells them apart, the mount of it. Things can be
    /// renamed within one only. None where there is no directory.
    pub(crate) fn mount_of(&self, path: &str) -> io::Result<Option<(u64, u64)>> {
        match self.directory(path) {
            Ok(directory) => directory.mount().map(Some),
            Err(error) if is_nothing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether the process may write there.
    pub(crate) fn may_write(&self, path: &str, seen: &Seen) -> io::Result<bool> {
        let (above, last) = self.parent(path)?;
        // Rights of the superuser do not count: nobody made the thing read-only by accident.
        Ok(seen.mode & 0o222 != 0 && above.may_write(last, seen.what))
    }

    /// Write a new file that nobody looks for yet. It is on disk when this returns.
    pub(crate) fn stage_file(&self, path: &str, bytes: &[u8], like: Like<'_>) -> io::Result<()> {
        self.probe("create");
        let (above, last) = self.parent(path)?;
        let mode = if like.mode.is_some() { system::PRIVATE } else { 0o666 };
        let mut file = above.create(last, mode)?;
        self.probe("write");
        file.write_all(bytes)?;
        if let Some(owner) = like.owner {
            system::own(&file, owner)?;
        }
        match like.model.map(|model| self.attributes(model)).transpose()?.flatten() {
            Some(attributes) => system::give_attributes(&file, &attributes)?,
            None => system::give_attributes(&file, like.attributes)?,
        }
        if let Some(mode) = like.mode {
            system::set_mode(&file, mode)?;
        }
        self.probe("sync");
        file.sync_all()
    }

    /// Write a new small file of marq's own, and look at it.
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

    /// The attributes of a file; none where there is no file.
    fn attributes(&self, path: &str) -> io::Result<Option<Vec<Attribute>>> {
        match self.open(path) {
            Ok(file) => system::attributes_of(&file).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound || is_loop(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Write a new symbolic link that nobody looks for yet.
    pub(crate) fn stage_link(&self, path: &str, target: &str) -> io::Result<()> {
        self.probe("link");
        let (above, last) = self.parent(path)?;
        above.link(last, target)
    }

    /// Rename within the root. Without `replace`, fails where something stands at the new place.
    pub(crate) fn rename(&self, from: &str, to: &str, replace: bool) -> io::Result<()> {
        self.probe("rename");
        let ((from_above, from_last), (to_above, to_last)) = (self.parent(from)?, self.parent(to)?);
        if replace {
            return from_above.rename(from_last, &to_above, to_last);
        }
        match from_above.rename_new(from_last, &to_above, to_last) {
            Err(error) if error.kind() == ErrorKind::Unsupported => {
                if self.look(to)?.is_some() {
                    return Err(ErrorKind::AlreadyExists.into());
                }
                from_above.rename(from_last, &to_above, to_last)
            }
            other => other,
        }
    }

    /// Remove a file or link.
    pub(crate) fn remove(&self, path: &str) -> io::Result<()> {
        self.probe("remove");
        self.discard(path)
    }

    /// The same for what is no part of a change.
    pub(crate) fn discard(&self, path: &str) -> io::Result<()> {
        let (above, last) = self.parent(path)?;
        above.remove(last)
    }

    /// Remove an empty directory that is no part of a change.
    pub(crate) fn discard_directory(&self, path: &str) -> io::Result<()> {
        let (above, last) = self.parent(path)?;
        above.remove_directory(last)
    }

    /// Make a directory; by default with the permissions of any new one.
    pub(crate) fn make_directory(&self, path: &str, mode: Option<u32>) -> io::Result<()> {
        self.probe("make directory");
        let (above, last) = self.parent(path)?;
        above.make_directory(last)?;
        mode.map_or(Ok(()), |mode| self.directory(path)?.set_mode(mode))
    }

    /// Remove an empty directory.
    pub(crate) fn remove_directory(&self, path: &str) -> io::Result<()> {
        self.probe("remove directory");
        self.discard_directory(path)
    }

    /// Make the entries of a directory durable.
    pub(crate) fn sync_directory(&self, path: &str) -> io::Result<()> {
        self.probe("sync directory");
        self.directory(path)?.sync()
    }
}

/// Reads files one after the other. The directory of the last one stays open for those beside it.
pub(crate) struct Sweep<'a> {
    tree: &'a Tree,
    folder: Option<(String, Directory)>,
    /// As long as the longest file so far: behind the bytes of the last one are those of others.
    bytes: Vec<u8>,
}

/// So much of a file is looked at before the rest is read.
const BEGINNING: usize = 64 << 10;

impl Sweep<'_> {
    /// The bytes of a regular file, reached through no link; none where it has more than so many. Of a long one only the beginning
    /// where that is enough.
    pub(crate) fn read(
        &mut self,
        path: &str,
        most: u64,
        is_enough: impl Fn(&[u8]) -> bool,
    ) -> io::Result<Option<&[u8]>> {
        let (above, last) = split(path);
        let folder = match &mut self.folder {
            Some((open, folder)) if open == above => folder,
            other => &mut other.insert((above.to_owned(), self.tree.directory(above)?)).1,
        };
        let mut file = folder.file(last)?;
        let seen = system::seen_of(&file)?;
        if seen.what != What::File || seen.size > most {
            return Ok(None);
        }
        let room = room_for(seen.size);
        if self.bytes.len() < room {
            self.bytes.resize(room, 0);
        }
        let mut read = 0;
        if room > BEGINNING {
            read = read_into(&mut file, &mut self.bytes[..BEGINNING])?;
            if is_enough(&self.bytes[..read]) {
                return Ok(Some(&self.bytes[..read]));
            }
        }
        read = fill(&mut file, &mut self.bytes, read)?;
        Ok(Some(&self.bytes[..read]))
    }
}

/// Whether nothing stands there that may be looked at: a link on the way leads nowhere.
fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) || is_loop(error)
}

fn bytes_of(file: &mut File) -> io::Result<(Vec<u8>, Seen)> {
    let seen = system::seen_of(file)?;
    if seen.what != What::File {
        return Err(io::Error::new(ErrorKind::IsADirectory, "it is not a regular file"));
    }
    let mut bytes = vec![0; room_for(seen.size)];
    let read = fill(file, &mut bytes, 0)?;
    bytes.truncate(read);
    Ok((bytes, seen))
}

/// Room for a file, and for a byte more: where that stays free, the end was seen.
fn room_for(size: u64) -> usize {
    usize::try_from(size).unwrap_or(0).saturating_add(1)
}

/// The rest of a file behind what was read of it, into a buffer that has about room for all: nothing else is asked of the system.
/// Answers how many bytes there are then.
fn fill(file: &mut File, bytes: &mut Vec<u8>, mut read: usize) -> io::Result<usize> {
    loop {
        read += read_into(file, &mut bytes[read..])?;
        if read < bytes.len() {
            return Ok(read);
        }
        bytes.resize(read * 2, 0);
    }
}

/// As many bytes as there are, or there is room for.
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
