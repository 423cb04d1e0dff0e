//! Unix: system calls relative to an open directory.

use std::{
    ffi::CStr,
    fs::{DirBuilder, File, Metadata, OpenOptions},
    io::{self, ErrorKind},
    os::{
        fd::OwnedFd,
        unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    },
    path::Path,
};

#[cfg(target_os = "linux")]
use rustix::fs::ResolveFlags;
use rustix::{
    fs::{Access, AtFlags, CWD, Dir, FileType, Mode, OFlags, RenameFlags, Stat},
    io::Errno,
};

use super::{Attribute, Seen, What, attributes, mount, nanoseconds};

const OPEN_DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const OPEN_FILE: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);
const CREATE_FILE: OFlags =
    OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::EXCL).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// An open directory. Its entries are addressed by one component, and symbolic links are never followed.
pub(crate) struct Directory(OwnedFd);

impl Directory {
    /// Opens the directory at a path whose last component is not a link.
    pub(crate) fn open(path: &Path) -> io::Result<Directory> {
        Ok(Directory(rustix::fs::openat(CWD, path, OPEN_DIRECTORY, Mode::empty())?))
    }

    /// Opens the directory at a relative path with `/`, without following links.
    pub(crate) fn below(&self, path: &str) -> io::Result<Directory> {
        #[cfg(target_os = "linux")]
        if let Some(opened) = open_below(&self.0, path) {
            return opened.map(Directory);
        }
        let mut at = self.0.try_clone()?;
        for part in path.split('/').filter(|part| !part.is_empty()) {
            at = rustix::fs::openat(&at, part, OPEN_DIRECTORY, Mode::empty())?;
        }
        Ok(Directory(at))
    }

    /// Returns the metadata of the directory.
    pub(crate) fn seen(&self) -> io::Result<Seen> {
        Ok(seen(&rustix::fs::fstat(&self.0)?))
    }

    /// Returns the metadata of an entry. Fails with `NotFound` if it does not exist.
    pub(crate) fn look(&self, name: &str) -> io::Result<Seen> {
        Ok(seen(&rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    /// Returns whether a relative path exists. Links are followed, except the last component.
    pub(crate) fn has(&self, path: &str) -> bool {
        rustix::fs::statat(&self.0, path, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Returns the names of the entries, unordered. Fails if one is not UTF-8.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let name: Vec<u8> = CStr::to_bytes(entry?.file_name()).to_vec();
            if name == b"." || name == b".." {
                continue;
            }
            let name = String::from_utf8(name);
            names.push(name.map_err(|_| io::Error::new(ErrorKind::InvalidData, "a name in it is not UTF-8"))?);
        }
        Ok(names)
    }

    /// Opens an entry for reading. The caller must check that it is a regular file.
    pub(crate) fn file(&self, name: &str) -> io::Result<File> {
        Ok(File::from(rustix::fs::openat(&self.0, name, OPEN_FILE, Mode::empty())?))
    }

    /// Creates a file and opens it for writing.
    pub(crate) fn create(&self, name: &str, mode: u32) -> io::Result<File> {
        Ok(File::from(rustix::fs::openat(&self.0, name, CREATE_FILE, mode_of(mode))?))
    }

    /// Creates a directory.
    pub(crate) fn make_directory(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(&self.0, name, mode_of(0o777))?)
    }

    /// Sets the permissions of the directory.
    pub(crate) fn set_mode(&self, mode: u32) -> io::Result<()> {
        Ok(rustix::fs::fchmod(&self.0, mode_of(mode))?)
    }

    /// Creates a symbolic link.
    pub(crate) fn link(&self, name: &str, target: &str) -> io::Result<()> {
        Ok(rustix::fs::symlinkat(target, &self.0, name)?)
    }

    /// Returns the target of a symbolic link. Fails if it is not UTF-8.
    pub(crate) fn read_link(&self, name: &str) -> io::Result<String> {
        let target = rustix::fs::readlinkat(&self.0, name, Vec::new())?;
        target.into_string().map_err(|_| io::Error::new(ErrorKind::InvalidData, "the link's target is not UTF-8"))
    }

    /// Renames an entry into another directory, replacing an existing file.
    pub(crate) fn rename(&self, name: &str, to: &Directory, new: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.0, name, &to.0, new)?)
    }

    /// Renames an entry to a name that does not exist. Fails with `Unsupported` if the file system cannot guarantee
    /// that.
    pub(crate) fn rename_new(&self, name: &str, to: &Directory, new: &str) -> io::Result<()> {
        match rustix::fs::renameat_with(&self.0, name, &to.0, new, RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Err(ErrorKind::Unsupported.into()),
            other => Ok(other?),
        }
    }

    /// Removes a file or link.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Removes an empty directory.
    pub(crate) fn remove_directory(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Flushes its entries to disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.0)?)
    }

    /// Returns whether the system permits the process to write an entry.
    pub(crate) fn may_write(&self, name: &str, what: What) -> bool {
        let access = if what == What::Directory { Access::WRITE_OK | Access::EXEC_OK } else { Access::WRITE_OK };
        rustix::fs::accessat(&self.0, name, access, AtFlags::EACCESS).is_ok()
    }

    /// Returns the mount of the directory: the device and, if the system distinguishes them, the mount id.
    pub(crate) fn mount(&self) -> io::Result<(u64, u64)> {
        Ok(mount::mount_id(&self.0)?)
    }

    /// Returns whether an entry is a mount point.
    pub(crate) fn is_mount(&self, name: &str) -> io::Result<bool> {
        Ok(mount::is_mount_point(&self.0, name)?)
    }

    /// Converts it to a file, for locking.
    pub(crate) fn into_file(self) -> File {
        File::from(self.0)
    }
}

#[cfg(target_os = "linux")]
const BELOW_AND_NO_LINKS: ResolveFlags =
    ResolveFlags::BENEATH.union(ResolveFlags::NO_SYMLINKS).union(ResolveFlags::NO_MAGICLINKS);

/// Opens a directory in one system call, with the same result as opening each directory of the path. `None` if the
/// system does not support that, or the path is too long.
#[cfg(target_os = "linux")]
fn open_below(above: &OwnedFd, path: &str) -> Option<io::Result<OwnedFd>> {
    match rustix::fs::openat2(above, path, OPEN_DIRECTORY, Mode::empty(), BELOW_AND_NO_LINKS) {
        Err(Errno::NOSYS | Errno::PERM | Errno::INVAL | Errno::TOOBIG | Errno::AGAIN | Errno::NAMETOOLONG) => None,
        other => Some(other.map_err(io::Error::from)),
    }
}

/// Returns whether a relative path with `/` below a directory exists without a symbolic link. Needs two system calls,
/// however long the path is. Also returns false if the system cannot check that.
#[cfg(target_os = "linux")]
pub(crate) fn exists_without_links(above: &Path, path: &str) -> bool {
    let anything = OFlags::PATH | OFlags::CLOEXEC;
    let above = rustix::fs::openat(CWD, above, anything | OFlags::DIRECTORY | OFlags::NOFOLLOW, Mode::empty());
    above.is_ok_and(|above| rustix::fs::openat2(above, path, anything, Mode::empty(), BELOW_AND_NO_LINKS).is_ok())
}

fn mode_of(mode: u32) -> Mode {
    Mode::from_raw_mode(mode as _)
}

#[allow(clippy::unnecessary_cast, reason = "the fields have other types on other systems")]
fn seen(stat: &Stat) -> Seen {
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

/// Returns the metadata of an open file.
pub(crate) fn seen_of(file: &File) -> io::Result<Seen> {
    Ok(seen(&rustix::fs::fstat(file)?))
}

/// Returns the id of a file in `/proc/locks`: device and inode.
#[allow(clippy::unnecessary_cast, reason = "the type of a device is another on other systems")]
pub(crate) fn name_in_locks(seen: &Seen) -> String {
    let device = seen.device as rustix::fs::Dev;
    format!("{:02x}:{:02x}:{}", rustix::fs::major(device), rustix::fs::minor(device), seen.inode)
}

/// Returns the change time of a file or directory, in nanoseconds since 1970.
pub(crate) fn changed_of(metadata: &Metadata) -> u128 {
    nanoseconds((metadata.ctime(), metadata.ctime_nsec()))
}

/// Sets the permissions of an open file.
pub(crate) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    Ok(rustix::fs::fchmod(file, mode_of(mode))?)
}

/// Sets owner and group of a new file.
pub(crate) fn own(file: &File, owner: (u32, u32)) -> io::Result<()> {
    if seen_of(file)?.owner == owner {
        return Ok(());
    }
    let (user, group) = (rustix::fs::Uid::from_raw(owner.0), rustix::fs::Gid::from_raw(owner.1));
    rustix::fs::fchown(file, Some(user), Some(group))
        .map_err(|_| io::Error::new(ErrorKind::PermissionDenied, "its owner is another user and would be lost"))
}

/// Returns the extended attributes of an open file; empty if the file system does not support them.
pub(crate) fn attributes_of(file: &File) -> io::Result<Vec<Attribute>> {
    attributes::read(file)
}

/// Sets attributes of a new file. Fails if an attribute of a user or program would be lost.
pub(crate) fn give_attributes(file: &File, attributes: &[Attribute]) -> io::Result<()> {
    attributes::write(file, attributes)
}

/// Returns the effective user of the process.
pub(crate) fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Returns whether a file or directory belongs to this user and no other user can write it.
pub(crate) fn is_private(metadata: &Metadata) -> bool {
    metadata.uid() == user() && metadata.mode() & 0o022 == 0
}

/// Creates a directory and its missing parents, private to this user.
pub(crate) fn make_private(directory: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

/// Creates a file private to this user. Fails if it exists.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(super::PRIVATE).open(path)
}

/// Opens a file for reading without following a link. It may not be a regular file.
pub(crate) fn open_unfollowed(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

/// Opens a file private to this user, creating it if it does not exist, without following a link.
pub(crate) fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(super::PRIVATE);
    options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed()).open(path)
}

/// Returns whether only this user can open a file.
pub(crate) fn is_secret(metadata: &Metadata) -> bool {
    metadata.uid() == user() && metadata.mode() & 0o077 == 0
}

/// Flushes the entries of a directory to disk.
pub(crate) fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

/// Returns whether the error was caused by a symbolic link that must not be followed, or by a loop of links.
pub(crate) fn is_loop(error: &io::Error) -> bool {
    Errno::from_io_error(error) == Some(Errno::LOOP)
}

/// Returns whether a file system does not support the lock.
pub(crate) fn is_unlockable(error: &io::Error) -> bool {
    let unsupported = [Errno::BADF, Errno::INVAL, Errno::NOTSUP, Errno::OPNOTSUPP, Errno::NOSYS, Errno::NOLCK];
    Errno::from_io_error(error).is_some_and(|error| unsupported.contains(&error))
}
