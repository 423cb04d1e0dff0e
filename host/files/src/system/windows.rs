//! Windows: the directories of a path are kept open without sharing them for deletion. While one is open, it cannot be
//! renamed, removed or replaced, so a path through it remains valid.
//!
//! Of the permissions, only the read-only attribute is supported; a new file inherits the access lists of its
//! directory. Junctions are links. Directories cannot be locked, so locks are files in the state folder. They work only
//! between processes that use the same state folder.

use std::{
    fs::{self, File, Metadata, OpenOptions},
    io::{self, ErrorKind},
    mem::{offset_of, size_of},
    os::windows::{
        ffi::OsStrExt,
        fs::{FileTypeExt, MetadataExt, OpenOptionsExt, symlink_dir, symlink_file},
        io::AsRawHandle,
    },
    path::{Path, PathBuf},
    time::Duration,
};

use windows_sys::Win32::{
    Foundation::{
        ERROR_ACCESS_DENIED, ERROR_CANT_RESOLVE_FILENAME, ERROR_HANDLE_EOF, ERROR_INVALID_FUNCTION,
        ERROR_INVALID_PARAMETER, ERROR_NOT_SUPPORTED, ERROR_SHARING_VIOLATION,
    },
    Storage::FileSystem::{
        FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_READONLY, FILE_ATTRIBUTE_REPARSE_POINT, FILE_BASIC_INFO,
        FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT, FILE_ID_INFO, FILE_INFO_BY_HANDLE_CLASS,
        FILE_LIST_DIRECTORY, FILE_READ_ATTRIBUTES, FILE_SHARE_READ, FILE_SHARE_WRITE, FILE_STANDARD_INFO,
        FILE_STREAM_INFO, FileBasicInfo, FileIdInfo, FileStandardInfo, FileStreamInfo, GetFileInformationByHandleEx,
        MOVEFILE_WRITE_THROUGH, MoveFileExW,
    },
};

use super::{Attribute, Seen, What, nanoseconds};

/// Seconds from 1601, the epoch of the system, to 1970.
const EPOCH: i64 = 11_644_473_600;
/// Maximum number of attempts of an operation. Other programs, such as virus scanners, may have a new file open for a
/// moment.
const TRIES: u32 = 40;
/// Pause between attempts.
const PAUSE: Duration = Duration::from_millis(25);
/// Size in bytes of the buffer for the names of a file's named streams.
const STREAM_NAMES: usize = 16 << 10;
/// Stream in which browsers record the origin of a file. Losing it when the text changes is acceptable.
const ORIGIN_STREAM: &str = ":Zone.Identifier:$DATA";

/// An open directory. Its entries are addressed by one component, and symbolic links are never followed.
pub(crate) struct Directory {
    path: PathBuf,
    /// Handles of the directory and its parents, up to the directory that was passed to `open`.
    handles: Vec<File>,
}

impl Directory {
    /// Opens the directory at a path whose last component is not a link.
    pub(crate) fn open(path: &Path) -> io::Result<Directory> {
        Ok(Directory { path: path.to_owned(), handles: vec![hold(path)?] })
    }

    /// Opens the directory at a relative path with `/`, without following links.
    pub(crate) fn below(&self, path: &str) -> io::Result<Directory> {
        let mut at = self.path.clone();
        let mut handles = self.handles.iter().map(File::try_clone).collect::<io::Result<Vec<File>>>()?;
        for part in path.split('/').filter(|part| !part.is_empty()) {
            at.push(part);
            handles.push(hold(&at)?);
        }
        Ok(Directory { path: at, handles })
    }

    fn at(&self, name: &str) -> PathBuf {
        if name == "." { self.path.clone() } else { self.path.join(name) }
    }

    /// Returns the metadata of the directory.
    pub(crate) fn seen(&self) -> io::Result<Seen> {
        self.handles.last().ok_or(ErrorKind::NotFound.into()).and_then(seen_of)
    }

    /// Returns the metadata of an entry. Fails with `NotFound` if it does not exist.
    pub(crate) fn look(&self, name: &str) -> io::Result<Seen> {
        seen_of(&open(&self.at(name), FILE_READ_ATTRIBUTES, None)?)
    }

    /// Returns whether a relative path exists. Links are followed, except the last component.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.path.join(path).symlink_metadata().is_ok()
    }

    /// Returns the names of the entries, unordered. Fails if one is not UTF-8.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        let unknown = |_| io::Error::new(ErrorKind::InvalidData, "a name in it is not UTF-8");
        fs::read_dir(&self.path)?.map(|entry| entry?.file_name().into_string().map_err(unknown)).collect()
    }

    /// Opens an entry for reading. The caller must check that it is a regular file.
    pub(crate) fn file(&self, name: &str) -> io::Result<File> {
        open_unfollowed(&self.at(name))
    }

    /// Creates a file and opens it for writing.
    pub(crate) fn create(&self, name: &str, _mode: u32) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).open(self.at(name))
    }

    /// Creates a directory.
    pub(crate) fn make_directory(&self, name: &str) -> io::Result<()> {
        fs::create_dir(self.at(name))
    }

    /// Does nothing: permissions of a directory have no meaning on Windows.
    pub(crate) fn set_mode(&self, _mode: u32) -> io::Result<()> {
        Ok(())
    }

    /// Creates a symbolic link.
    pub(crate) fn link(&self, name: &str, target: &str) -> io::Result<()> {
        let leads_to_directory = self.path.join(target).is_dir();
        if leads_to_directory { symlink_dir(target, self.at(name)) } else { symlink_file(target, self.at(name)) }
    }

    /// Returns the target of a symbolic link. Fails if it is not UTF-8.
    pub(crate) fn read_link(&self, name: &str) -> io::Result<String> {
        let target = fs::read_link(self.at(name))?.into_os_string();
        target.into_string().map_err(|_| io::Error::new(ErrorKind::InvalidData, "the link's target is not UTF-8"))
    }

    /// Renames an entry into another directory, replacing an existing file.
    pub(crate) fn rename(&self, name: &str, to: &Directory, new: &str) -> io::Result<()> {
        let (from, to) = (self.at(name), to.at(new));
        patiently(|| fs::rename(&from, &to))
    }

    /// Renames an entry to a name that does not exist, or that differs only in case.
    pub(crate) fn rename_new(&self, name: &str, to: &Directory, new: &str) -> io::Result<()> {
        let (from, to) = (wide(&self.at(name)), wide(&to.at(new)));
        patiently(|| move_file(&from, &to))
    }

    /// Removes a file or link.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        let path = self.at(name);
        let leads_to_directory = path.symlink_metadata()?.file_type().is_symlink_dir();
        patiently(|| if leads_to_directory { fs::remove_dir(&path) } else { fs::remove_file(&path) })
    }

    /// Removes an empty directory.
    pub(crate) fn remove_directory(&self, name: &str) -> io::Result<()> {
        let path = self.at(name);
        patiently(|| fs::remove_dir(&path))
    }

    /// Does nothing: the system flushes directory entries itself, and renames are written through.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// Returns true: this system checks access lists only when the file is written.
    pub(crate) fn may_write(&self, _name: &str, _what: What) -> bool {
        true
    }

    /// Returns the mount of the directory, which is the volume.
    pub(crate) fn mount(&self) -> io::Result<(u64, u64)> {
        Ok((self.seen()?.device, 0))
    }

    /// Returns false: a volume mounted in a folder is a junction, which is a link.
    pub(crate) fn is_mount(&self, _name: &str) -> io::Result<bool> {
        Ok(false)
    }

    /// Converts it to a file, for locking.
    pub(crate) fn into_file(mut self) -> File {
        self.handles.swap_remove(self.handles.len() - 1)
    }
}

/// Opens a directory so that it cannot be renamed or removed meanwhile.
fn hold(path: &Path) -> io::Result<File> {
    let handle = open(path, FILE_LIST_DIRECTORY | FILE_READ_ATTRIBUTES, Some(FILE_SHARE_READ | FILE_SHARE_WRITE))?;
    match seen_of(&handle)?.what {
        What::Directory => Ok(handle),
        What::Link => Err(io::Error::from_raw_os_error(ERROR_CANT_RESOLVE_FILENAME.cast_signed())),
        _ => Err(ErrorKind::NotADirectory.into()),
    }
}

/// Opens a path itself, even if it is a link or a directory.
fn open(path: &Path, access: u32, share: Option<u32>) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.access_mode(access).custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT);
    if let Some(share) = share {
        options.share_mode(share);
    }
    options.open(path)
}

/// Opens a file for reading without following a link. It may not be a regular file.
pub(crate) fn open_unfollowed(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT);
    let file = options.open(path)?;
    match seen_of(&file)?.what {
        What::Link => Err(io::Error::from_raw_os_error(ERROR_CANT_RESOLVE_FILENAME.cast_signed())),
        _ => Ok(file),
    }
}

/// Retries an operation that may fail while another program has the file open.
fn patiently(act: impl Fn() -> io::Result<()>) -> io::Result<()> {
    let in_use = [ERROR_SHARING_VIOLATION, ERROR_ACCESS_DENIED].map(|code| Some(code.cast_signed()));
    for _ in 1..TRIES {
        match act() {
            Err(error) if in_use.contains(&error.raw_os_error()) => std::thread::sleep(PAUSE),
            other => return other,
        }
    }
    act()
}

fn wide(path: &Path) -> Vec<u16> {
    path.as_os_str().encode_wide().chain([0]).collect()
}

#[expect(unsafe_code, reason = "the standard library cannot rename without replacing")]
fn move_file(from: &[u16], to: &[u16]) -> io::Result<()> {
    // SAFETY: both end with a zero and outlive the call.
    let done = unsafe { MoveFileExW(from.as_ptr(), to.as_ptr(), MOVEFILE_WRITE_THROUGH) };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Queries information about an open file.
#[expect(unsafe_code, reason = "the standard library has neither the change time nor the id of a file")]
fn file_info<T: Default>(file: &File, class: FILE_INFO_BY_HANDLE_CLASS) -> io::Result<T> {
    let mut record = T::default();
    let length = u32::try_from(size_of::<T>()).unwrap_or(0);
    // SAFETY: the handle is open, and the length is that of the record; all records queried here consist of plain
    // numbers.
    let done = unsafe { GetFileInformationByHandleEx(file.as_raw_handle(), class, (&raw mut record).cast(), length) };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(record) }
}

/// Returns the metadata of an open file.
pub(crate) fn seen_of(file: &File) -> io::Result<Seen> {
    let basic: FILE_BASIC_INFO = file_info(file, FileBasicInfo)?;
    let standard: FILE_STANDARD_INFO = file_info(file, FileStandardInfo)?;
    let identity: FILE_ID_INFO = file_info(file, FileIdInfo)?;
    let is = |mark: u32| basic.FileAttributes & mark != 0;
    let what = if is(FILE_ATTRIBUTE_REPARSE_POINT) && !is_stored_elsewhere(file) {
        What::Link
    } else if is(FILE_ATTRIBUTE_DIRECTORY) {
        What::Directory
    } else {
        What::File
    };
    let mode = if what != What::Directory && is(FILE_ATTRIBUTE_READONLY) { 0o444 } else { 0o666 };
    // File ids of ReFS are longer than 64 bits. Their lower half is used, because ReFS assigns it first.
    let inode = identity.FileId.Identifier.iter().take(8).rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
    Ok(Seen {
        what,
        size: standard.EndOfFile.cast_unsigned(),
        mode,
        owner: (user(), 0),
        device: identity.VolumeSerialNumber,
        inode,
        modified: since_1970(basic.LastWriteTime),
        changed: since_1970(basic.ChangeTime),
        linked: standard.NumberOfLinks > 1,
    })
}

/// Returns whether a reparse point is not a link. In synchronized folders (cloud storage), ordinary files are reparse
/// points.
fn is_stored_elsewhere(file: &File) -> bool {
    file.metadata().is_ok_and(|metadata| !metadata.file_type().is_symlink())
}

/// Converts a system time, in tenths of microseconds since 1601, to seconds and nanoseconds since 1970.
fn since_1970(ticks: i64) -> (i64, i64) {
    (ticks.div_euclid(10_000_000) - EPOCH, ticks.rem_euclid(10_000_000) * 100)
}

/// Returns the modification time of a file or directory in nanoseconds since 1970, as this module has no change time.
pub(crate) fn changed_of(metadata: &Metadata) -> u128 {
    nanoseconds(since_1970(metadata.last_write_time().cast_signed()))
}

/// Sets whether an open file is writable.
pub(crate) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    let mut permissions = file.metadata()?.permissions();
    permissions.set_readonly(mode & 0o222 == 0);
    file.set_permissions(permissions)
}

/// Does nothing: new files belong to the user.
pub(crate) fn own(_file: &File, _owner: (u32, u32)) -> io::Result<()> {
    Ok(())
}

/// Returns the named streams of an open file without their contents, which cannot be copied.
#[expect(unsafe_code, reason = "the standard library does not know of streams")]
pub(crate) fn attributes_of(file: &File) -> io::Result<Vec<Attribute>> {
    let mut buffer = vec![0_u64; STREAM_NAMES / size_of::<u64>()];
    let length = u32::try_from(STREAM_NAMES).unwrap_or(0);
    // SAFETY: the handle is open, and the buffer has this length and is aligned for the records.
    let done = unsafe {
        GetFileInformationByHandleEx(file.as_raw_handle(), FileStreamInfo, buffer.as_mut_ptr().cast(), length)
    };
    if done == 0 {
        let error = io::Error::last_os_error();
        let none = [ERROR_HANDLE_EOF, ERROR_INVALID_PARAMETER, ERROR_NOT_SUPPORTED, ERROR_INVALID_FUNCTION];
        let is_none = none.iter().any(|code| error.raw_os_error() == Some(code.cast_signed()));
        return if is_none { Ok(Vec::new()) } else { Err(error) };
    }
    let bytes: Vec<u8> = buffer.iter().flat_map(|word| word.to_ne_bytes()).collect();
    Ok(stream_names(&bytes).into_iter().map(|name| (name, Vec::new())).collect())
}

/// Parses a list of records: offset of the next one, length of the name, two sizes, the name.
fn stream_names(bytes: &[u8]) -> Vec<String> {
    let number = |at: usize| {
        bytes.get(at..at + 4).map_or(0, |four| u32::from_ne_bytes([four[0], four[1], four[2], four[3]]) as usize)
    };
    let (mut names, mut at) = (Vec::new(), 0);
    loop {
        let start = at + offset_of!(FILE_STREAM_INFO, StreamName);
        let length = number(at + offset_of!(FILE_STREAM_INFO, StreamNameLength));
        let Some(name) = bytes.get(start..start + length) else { return names };
        let units: Vec<u16> = name.chunks_exact(2).map(|two| u16::from_ne_bytes([two[0], two[1]])).collect();
        let name = String::from_utf16_lossy(&units);
        if name != "::$DATA" && name != ORIGIN_STREAM && !name.is_empty() {
            names.push(name);
        }
        match number(at + offset_of!(FILE_STREAM_INFO, NextEntryOffset)) {
            0 => return names,
            step => at += step,
        }
    }
}

/// Fails if there are attributes, because they would be lost.
pub(crate) fn give_attributes(_file: &File, attributes: &[Attribute]) -> io::Result<()> {
    attributes.first().map_or(Ok(()), |(name, _)| {
        Err(io::Error::new(ErrorKind::Unsupported, format!("its named stream `{name}` would be lost")))
    })
}

/// Returns a constant, because this system has no numeric user ids.
pub(crate) fn user() -> u32 {
    0
}

/// Returns true: folders in a user's profile are private.
pub(crate) fn is_private(_metadata: &Metadata) -> bool {
    true
}

/// Returns whether only this user can open a file.
pub(crate) fn is_secret(metadata: &Metadata) -> bool {
    is_private(metadata)
}

/// Returns an empty text, because the system has no list of locks.
pub(crate) fn name_in_locks(_seen: &Seen) -> String {
    String::new()
}

/// Creates a directory and its missing parents.
pub(crate) fn make_private(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)
}

/// Creates a file. Fails if it exists.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Opens a file without following a link, creating it if it does not exist.
pub(crate) fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT).open(path)
}

/// Does nothing: the system flushes entries itself.
pub(crate) fn sync_directory(_directory: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns whether the error was caused by a symbolic link that must not be followed, or by a loop of links.
pub(crate) fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(ERROR_CANT_RESOLVE_FILENAME.cast_signed())
}

/// Returns whether the error means that the file cannot be locked at all. Directories can never be locked.
pub(crate) fn is_unlockable(error: &io::Error) -> bool {
    let unsupported = [ERROR_INVALID_FUNCTION, ERROR_INVALID_PARAMETER, ERROR_NOT_SUPPORTED, ERROR_ACCESS_DENIED];
    unsupported.iter().any(|code| error.raw_os_error() == Some(code.cast_signed()))
}
