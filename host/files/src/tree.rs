//! System calls below a root. Every path is walked from the root, directory by directory, without following a symbolic link:
//! what was checked to lie inside cannot be bent outside before it is used.

use std::{
    ffi::CStr,
    fs::File,
    io::{self, ErrorKind, Read, Write},
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    sync::Arc,
};

use rustix::fs::{Access, AtFlags, CWD, Dir, FileType, Mode, OFlags, RenameFlags, Stat};

use crate::{
    attributes::{self, Attribute},
    failure::is_loop,
    mount,
    place::split,
};

/// Called before every operation that changes something on disk; tests stop the world there.
pub(crate) type Probe = Option<Arc<dyn Fn(&'static str) + Send + Sync>>;

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    File,
    Directory,
    Link,
    /// A pipe, socket or device, by name.
    Other(&'static str),
}

/// What stands at a path, and everything that changes when someone else writes it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) what: What,
    pub(crate) size: u64,
    pub(crate) mode: u32,
    pub(crate) owner: (u32, u32),
    pub(crate) device: u64,
    pub(crate) inode: u64,
    modified: (i64, i64),
    /// When anything about it changed: unlike the time of its content, nobody can set it.
    pub(crate) changed: (i64, i64),
    /// It has further names.
    pub(crate) linked: bool,
}

impl Seen {
    #[allow(clippy::unnecessary_cast, reason = "the fields have other types on other systems")]
    fn new(stat: &Stat) -> Seen {
        let what = match FileType::from_raw_mode(stat.st_mode as _) {
            FileType::RegularFile => What::File,
            FileType::Directory => What::Directory,
            FileType::Symlink => What::Link,
            FileType::Fifo => What::Other("a named pipe"),
            FileType::Socket => What::Other("a socket"),
            _ => What::Other("a device"),
        };
        Seen {
            what,
            size: stat.st_size as u64,
            mode: stat.st_mode as u32 & 0o7777,
            owner: (stat.st_uid, stat.st_gid),
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            linked: stat.st_nlink as u64 > 1,
        }
    }

    /// Whether it is what it was when it was seen first. A change that takes a file's other name away changes nothing else.
    pub(crate) fn is_unchanged(&self, first: &Seen) -> bool {
        let part = |seen: &Seen| (seen.what, seen.size, seen.mode, seen.owner, seen.modified);
        self.is_same(first) && part(self) == part(first) && (first.linked || self.changed == first.changed)
    }

    /// The same file or directory, under whatever name.
    pub(crate) fn is_same(&self, other: &Seen) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

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

const OPEN_DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

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

    pub(crate) fn directory(&self, path: &str) -> io::Result<OwnedFd> {
        if path.contains("..") && path.split('/').any(|part| part == "..") {
            return Err(io::Error::new(ErrorKind::InvalidInput, "the path leads upwards"));
        }
        // The root itself is canonical, but may lie below a link that is none of our business by now.
        let root = rustix::fs::openat(CWD, &self.root, OPEN_DIRECTORY, Mode::empty())?;
        if path.is_empty() {
            return Ok(root);
        }
        #[cfg(target_os = "linux")]
        if let Some(opened) = open_below(&root, path) {
            return opened;
        }
        let mut at = root;
        for part in path.split('/').filter(|part| !part.is_empty()) {
            at = rustix::fs::openat(&at, part, OPEN_DIRECTORY, Mode::empty())?;
        }
        Ok(at)
    }

    /// The directory that holds a path, and the last component.
    fn parent<'a>(&self, path: &'a str) -> io::Result<(OwnedFd, &'a str)> {
        let (above, last) = split(path);
        Ok((self.directory(above)?, if last.is_empty() { "." } else { last }))
    }

    /// What stands at the path itself, if anything.
    pub(crate) fn look(&self, path: &str) -> io::Result<Option<Seen>> {
        let stat = self
            .parent(path)
            .and_then(|(above, last)| Ok(rustix::fs::statat(&above, last, AtFlags::SYMLINK_NOFOLLOW)?));
        match stat {
            Ok(stat) => Ok(Some(Seen::new(&stat))),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) || is_loop(&error) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn open(&self, path: &str) -> io::Result<File> {
        let (above, last) = self.parent(path)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        Ok(File::from(rustix::fs::openat(&above, last, flags, Mode::empty())?))
    }

    /// The bytes of a regular file.
    pub(crate) fn read(&self, path: &str) -> io::Result<(Vec<u8>, Seen)> {
        bytes_of(&mut self.open(path)?)
    }

    /// The same with its extended attributes.
    pub(crate) fn read_with_attributes(&self, path: &str) -> io::Result<(Vec<u8>, Seen, Vec<Attribute>)> {
        let mut file = self.open(path)?;
        let (bytes, seen) = bytes_of(&mut file)?;
        Ok((bytes, seen, attributes::read(&file)?))
    }

    /// The target of a symbolic link; refused where it is not UTF-8.
    pub(crate) fn read_link(&self, path: &str) -> io::Result<String> {
        let (above, last) = self.parent(path)?;
        let target = rustix::fs::readlinkat(&above, last, Vec::new())?;
        target.into_string().map_err(|_| io::Error::new(ErrorKind::InvalidData, "the link's target is not UTF-8"))
    }

    /// The names in a directory, sorted; refused where one is not UTF-8.
    pub(crate) fn names(&self, path: &str) -> io::Result<Vec<String>> {
        names_in(Dir::new(self.directory(path)?)?)
    }

    /// The same, with what stands there.
    pub(crate) fn list(&self, path: &str) -> io::Result<Vec<(String, Seen)>> {
        let directory = self.directory(path)?;
        let mut entries = Vec::new();
        for name in names_in(Dir::read_from(&directory)?)? {
            match rustix::fs::statat(&directory, &name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => entries.push((name, Seen::new(&stat))),
                Err(rustix::io::Errno::NOENT) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(entries)
    }

    /// Whether something is mounted right at a path: that can be neither replaced, renamed nor removed.
    pub(crate) fn is_mount(&self, path: &str) -> io::Result<bool> {
        let (above, last) = match self.parent(path) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(false),
            other => other?,
        };
        Ok(mount::is_at(&above, last)?)
    }

    /// The mount that a directory lies in: a device, and where the system tells them apart, the mount of it. Things can be
    /// renamed within one only. None where there is no directory.
    pub(crate) fn mount_of(&self, path: &str) -> io::Result<Option<(u64, u64)>> {
        match self.directory(path) {
            Ok(directory) => Ok(Some(mount::of(&directory)?)),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) || is_loop(&error) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Whether the process may write there.
    pub(crate) fn may_write(&self, path: &str, seen: &Seen) -> io::Result<bool> {
        let (above, last) = self.parent(path)?;
        let access = if seen.what == What::Directory { Access::WRITE_OK | Access::EXEC_OK } else { Access::WRITE_OK };
        // Rights of the superuser do not count: nobody made the thing read-only by accident.
        Ok(seen.mode & 0o222 != 0 && rustix::fs::accessat(&above, last, access, AtFlags::EACCESS).is_ok())
    }

    /// Write a new file that nobody looks for yet. It is on disk when this returns.
    pub(crate) fn stage_file(&self, path: &str, bytes: &[u8], like: Like<'_>) -> io::Result<()> {
        self.probe("create");
        let (above, last) = self.parent(path)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = if like.mode.is_some() { 0o600 } else { 0o666 };
        let mut file = File::from(rustix::fs::openat(&above, last, flags, Mode::from_raw_mode(mode))?);
        self.probe("write");
        file.write_all(bytes)?;
        if let Some(owner) = like.owner {
            own(&file, owner)?;
        }
        match like.model.map(|model| self.attributes(model)).transpose()?.flatten() {
            Some(attributes) => attributes::write(&file, &attributes)?,
            None => attributes::write(&file, like.attributes)?,
        }
        if let Some(mode) = like.mode {
            rustix::fs::fchmod(&file, Mode::from_raw_mode(mode as _))?;
        }
        self.probe("sync");
        file.sync_all()
    }

    /// Write a new small file of marq's own, and look at it.
    pub(crate) fn write_small(&self, path: &str, bytes: &[u8], durable: bool) -> io::Result<Seen> {
        self.probe("mark");
        let (above, last) = self.parent(path)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::openat(&above, last, flags, Mode::from_raw_mode(0o600))?);
        self.probe("mark");
        file.write_all(bytes)?;
        if durable {
            self.probe("mark");
            file.sync_all()?;
        }
        Ok(Seen::new(&rustix::fs::fstat(&file)?))
    }

    /// The attributes of a file; none where there is no file.
    fn attributes(&self, path: &str) -> io::Result<Option<Vec<Attribute>>> {
        match self.open(path) {
            Ok(file) => attributes::read(&file).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound || is_loop(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Write a new symbolic link that nobody looks for yet.
    pub(crate) fn stage_link(&self, path: &str, target: &str) -> io::Result<()> {
        self.probe("link");
        let (above, last) = self.parent(path)?;
        Ok(rustix::fs::symlinkat(target, &above, last)?)
    }

    /// Rename within the root. Without `replace`, fails where something stands at the new place.
    pub(crate) fn rename(&self, from: &str, to: &str, replace: bool) -> io::Result<()> {
        self.probe("rename");
        let ((from_above, from_last), (to_above, to_last)) = (self.parent(from)?, self.parent(to)?);
        if replace {
            return Ok(rustix::fs::renameat(&from_above, from_last, &to_above, to_last)?);
        }
        let result = rustix::fs::renameat_with(&from_above, from_last, &to_above, to_last, RenameFlags::NOREPLACE);
        match result {
            // Some file systems do not know the flag.
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP) => {
                if self.look(to)?.is_some() {
                    return Err(ErrorKind::AlreadyExists.into());
                }
                Ok(rustix::fs::renameat(&from_above, from_last, &to_above, to_last)?)
            }
            other => Ok(other?),
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
        Ok(rustix::fs::unlinkat(&above, last, AtFlags::empty())?)
    }

    /// Remove an empty directory that is no part of a change.
    pub(crate) fn discard_directory(&self, path: &str) -> io::Result<()> {
        let (above, last) = self.parent(path)?;
        Ok(rustix::fs::unlinkat(&above, last, AtFlags::REMOVEDIR)?)
    }

    /// Make a directory; by default with the permissions of any new one.
    pub(crate) fn make_directory(&self, path: &str, mode: Option<u32>) -> io::Result<()> {
        self.probe("make directory");
        let (above, last) = self.parent(path)?;
        rustix::fs::mkdirat(&above, last, Mode::from_raw_mode(0o777))?;
        if let Some(mode) = mode {
            rustix::fs::fchmod(self.directory(path)?, Mode::from_raw_mode(mode as _))?;
        }
        Ok(())
    }

    /// Remove an empty directory.
    pub(crate) fn remove_directory(&self, path: &str) -> io::Result<()> {
        self.probe("remove directory");
        self.discard_directory(path)
    }

    /// Make the entries of a directory durable.
    pub(crate) fn sync_directory(&self, path: &str) -> io::Result<()> {
        self.probe("sync directory");
        Ok(rustix::fs::fsync(self.directory(path)?)?)
    }
}

/// Open a directory in one system call, as one that opens each directory on the way would find it. None where this system
/// cannot, or the path is too long for one.
#[cfg(target_os = "linux")]
fn open_below(root: &OwnedFd, path: &str) -> Option<io::Result<OwnedFd>> {
    use rustix::{fs::ResolveFlags, io::Errno};
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match rustix::fs::openat2(root, path, OPEN_DIRECTORY, Mode::empty(), resolve) {
        Err(Errno::NOSYS | Errno::PERM | Errno::INVAL | Errno::TOOBIG | Errno::AGAIN | Errno::NAMETOOLONG) => None,
        other => Some(other.map_err(io::Error::from)),
    }
}

fn bytes_of(file: &mut File) -> io::Result<(Vec<u8>, Seen)> {
    let seen = Seen::new(&rustix::fs::fstat(&*file)?);
    if seen.what != What::File {
        return Err(io::Error::new(ErrorKind::IsADirectory, "it is not a regular file"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(seen.size).unwrap_or(0) + 1);
    file.read_to_end(&mut bytes)?;
    Ok((bytes, seen))
}

fn names_in(directory: Dir) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in directory {
        let name: Vec<u8> = CStr::to_bytes(entry?.file_name()).to_vec();
        if name == b"." || name == b".." {
            continue;
        }
        names.push(
            String::from_utf8(name).map_err(|_| io::Error::new(ErrorKind::InvalidData, "a name in it is not UTF-8"))?,
        );
    }
    names.sort_unstable();
    Ok(names)
}

/// Give a new file its owner and group, or fail.
fn own(file: &File, (user, group): (u32, u32)) -> io::Result<()> {
    let now = rustix::fs::fstat(file)?;
    if (now.st_uid, now.st_gid) == (user, group) {
        return Ok(());
    }
    let (user, group) = (rustix::fs::Uid::from_raw(user), rustix::fs::Gid::from_raw(group));
    rustix::fs::fchown(file, Some(user), Some(group))
        .map_err(|_| io::Error::new(ErrorKind::PermissionDenied, "it belongs to somebody else, and would not any more"))
}
