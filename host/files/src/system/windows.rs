//! Windows: the directories on the way to a thing are held open, and not shared for deletion. As long as one is held, nobody can
//! rename, remove or replace it, so a path through it leads where it led when it was opened.
//!
//! Of permissions only the read-only mark is known; the access lists of a new file are those that its directory hands down.
//! Junctions are links. A directory cannot be locked, so locks are files in the state folder, which only those see who use
//! the same one.

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

/// Seconds from 1601, where the system's clock begins, to 1970.
const EPOCH: i64 = 11_644_473_600;
/// Others look at new files too (virus scanners do): what they hold open for a moment is tried again, so often …
const TRIES: u32 = 40;
/// … and so long apart.
const PAUSE: Duration = Duration::from_millis(25);
/// Of a file's named streams, at most so many bytes of names are listed.
const STREAM_NAMES: usize = 16 << 10;
/// Where a file came from: browsers note it, and it is no loss when the text is another.
const ORIGIN_STREAM: &str = ":Zone.Identifier:$DATA";

/// An open directory. What stands in it is named by one component, and never reached through a symbolic link.
pub(crate) struct Directory {
    path: PathBuf,
    /// It and those above it, up to where the path began.
    held: Vec<File>,
}

impl Directory {
    /// The directory at a path whose last component is no link.
    pub(crate) fn open(path: &Path) -> io::Result<Directory> {
        Ok(Directory { path: path.to_owned(), held: vec![hold(path)?] })
    }

    /// The directory at a relative path with `/`, reached through no link.
    pub(crate) fn below(&self, path: &str) -> io::Result<Directory> {
        let mut at = self.path.clone();
        let mut held = self.held.iter().map(File::try_clone).collect::<io::Result<Vec<File>>>()?;
        for part in path.split('/').filter(|part| !part.is_empty()) {
            at.push(part);
            held.push(hold(&at)?);
        }
        Ok(Directory { path: at, held })
    }

    fn at(&self, name: &str) -> PathBuf {
        if name == "." { self.path.clone() } else { self.path.join(name) }
    }

    /// The directory itself.
    pub(crate) fn seen(&self) -> io::Result<Seen> {
        self.held.last().ok_or(ErrorKind::NotFound.into()).and_then(seen_of)
    }

    /// What stands at a name; `NotFound` where nothing does.
    pub(crate) fn look(&self, name: &str) -> io::Result<Seen> {
        seen_of(&open(&self.at(name), FILE_READ_ATTRIBUTES, None)?)
    }

    /// Whether anything stands at a path from here, which may lead over links.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.path.join(path).symlink_metadata().is_ok()
    }

    /// The names in it, in no order; refused where one is not UTF-8.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        let unknown = |_| io::Error::new(ErrorKind::InvalidData, "a name in it is not UTF-8");
        fs::read_dir(&self.path)?.map(|entry| entry?.file_name().into_string().map_err(unknown)).collect()
    }

    /// Open a file for reading. It may turn out to be something else.
    pub(crate) fn file(&self, name: &str) -> io::Result<File> {
        open_unfollowed(&self.at(name))
    }

    /// Make a file, and open it for writing.
    pub(crate) fn create(&self, name: &str, _mode: u32) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).open(self.at(name))
    }

    /// Make a directory.
    pub(crate) fn make_directory(&self, name: &str) -> io::Result<()> {
        fs::create_dir(self.at(name))
    }

    /// Its own permissions: those of a directory say nothing here.
    pub(crate) fn set_mode(&self, _mode: u32) -> io::Result<()> {
        Ok(())
    }

    /// Make a symbolic link.
    pub(crate) fn link(&self, name: &str, target: &str) -> io::Result<()> {
        let leads_to_directory = self.path.join(target).is_dir();
        if leads_to_directory { symlink_dir(target, self.at(name)) } else { symlink_file(target, self.at(name)) }
    }

    /// The target of a symbolic link; refused where it is not UTF-8.
    pub(crate) fn read_link(&self, name: &str) -> io::Result<String> {
        let target = fs::read_link(self.at(name))?.into_os_string();
        target.into_string().map_err(|_| io::Error::new(ErrorKind::InvalidData, "the link's target is not UTF-8"))
    }

    /// Rename into another directory, over whatever file stands there.
    pub(crate) fn rename(&self, name: &str, to: &Directory, new: &str) -> io::Result<()> {
        let (from, to) = (self.at(name), to.at(new));
        patiently(|| fs::rename(&from, &to))
    }

    /// Rename where nothing stands at the new name, but for the thing itself under another spelling.
    pub(crate) fn rename_new(&self, name: &str, to: &Directory, new: &str) -> io::Result<()> {
        let (from, to) = (wide(&self.at(name)), wide(&to.at(new)));
        patiently(|| move_file(&from, &to))
    }

    /// Remove a file or link.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        let path = self.at(name);
        let leads_to_directory = path.symlink_metadata()?.file_type().is_symlink_dir();
        patiently(|| if leads_to_directory { fs::remove_dir(&path) } else { fs::remove_file(&path) })
    }

    /// Remove an empty directory.
    pub(crate) fn remove_directory(&self, name: &str) -> io::Result<()> {
        let path = self.at(name);
        patiently(|| fs::remove_dir(&path))
    }

    /// Make its entries durable: the system does so itself, renames are written through.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// Whether the system lets the process write what stands at a name. What access lists say shows when it is done.
    pub(crate) fn may_write(&self, _name: &str, _what: What) -> bool {
        true
    }

    /// The mount that it lies in: its volume.
    pub(crate) fn mount(&self) -> io::Result<(u64, u64)> {
        Ok((self.seen()?.device, 0))
    }

    /// Whether something is mounted right at a name: what is mounted in a folder is a junction, and that is a link.
    pub(crate) fn is_mount(&self, _name: &str) -> io::Result<bool> {
        Ok(false)
    }

    /// It as a file, to be locked.
    pub(crate) fn into_file(mut self) -> File {
        self.held.swap_remove(self.held.len() - 1)
    }
}

/// Open a directory that nobody renames or removes meanwhile.
fn hold(path: &Path) -> io::Result<File> {
    let held = open(path, FILE_LIST_DIRECTORY | FILE_READ_ATTRIBUTES, Some(FILE_SHARE_READ | FILE_SHARE_WRITE))?;
    match seen_of(&held)?.what {
        What::Directory => Ok(held),
        What::Link => Err(io::Error::from_raw_os_error(ERROR_CANT_RESOLVE_FILENAME.cast_signed())),
        _ => Err(ErrorKind::NotADirectory.into()),
    }
}

/// Open what stands at a path itself, be it a link or a directory.
fn open(path: &Path, access: u32, share: Option<u32>) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.access_mode(access).custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT);
    if let Some(share) = share {
        options.share_mode(share);
    }
    options.open(path)
}

/// Open a file for reading, and no link in its place. It may turn out to be something else.
pub(crate) fn open_unfollowed(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT);
    let file = options.open(path)?;
    match seen_of(&file)?.what {
        What::Link => Err(io::Error::from_raw_os_error(ERROR_CANT_RESOLVE_FILENAME.cast_signed())),
        _ => Ok(file),
    }
}

/// Do what somebody else's open handle may keep up for a moment.
fn patiently(act: impl Fn() -> io::Result<()>) -> io::Result<()> {
    let held = [ERROR_SHARING_VIOLATION, ERROR_ACCESS_DENIED].map(|code| Some(code.cast_signed()));
    for _ in 1..TRIES {
        match act() {
            Err(error) if held.contains(&error.raw_os_error()) => std::thread::sleep(PAUSE),
            other => return other,
        }
    }
    act()
}

fn wide(path: &Path) -> Vec<u16> {
    path.as_os_str().encode_wide().chain([0]).collect()
}

#[expect(unsafe_code, reason = "the standard library can only rename over what stands there")]
fn move_file(from: &[u16], to: &[u16]) -> io::Result<()> {
    // SAFETY: both end with a zero and outlive the call.
    let done = unsafe { MoveFileExW(from.as_ptr(), to.as_ptr(), MOVEFILE_WRITE_THROUGH) };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// What the system tells of an open file, as one of its records.
#[expect(unsafe_code, reason = "the standard library does not tell the time of change, nor what identifies a file")]
fn told<T: Default>(file: &File, class: FILE_INFO_BY_HANDLE_CLASS) -> io::Result<T> {
    let mut record = T::default();
    let length = u32::try_from(size_of::<T>()).unwrap_or(0);
    // SAFETY: the handle is open, and the record is as long as is said; all records asked for here are plain numbers.
    let done = unsafe { GetFileInformationByHandleEx(file.as_raw_handle(), class, (&raw mut record).cast(), length) };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(record) }
}

/// What an open file is.
pub(crate) fn seen_of(file: &File) -> io::Result<Seen> {
    let basic: FILE_BASIC_INFO = told(file, FileBasicInfo)?;
    let standard: FILE_STANDARD_INFO = told(file, FileStandardInfo)?;
    let identity: FILE_ID_INFO = told(file, FileIdInfo)?;
    let is = |mark: u32| basic.FileAttributes & mark != 0;
    let what = if is(FILE_ATTRIBUTE_REPARSE_POINT) && !is_stored_elsewhere(file) {
        What::Link
    } else if is(FILE_ATTRIBUTE_DIRECTORY) {
        What::Directory
    } else {
        What::File
    };
    let mode = if what != What::Directory && is(FILE_ATTRIBUTE_READONLY) { 0o444 } else { 0o666 };
    // The numbers of the large file system are longer than 64 bits; its volumes give out the lower half first.
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

/// Whether a file that is marked as leading elsewhere is a file all the same: one of a synchronised folder.
fn is_stored_elsewhere(file: &File) -> bool {
    file.metadata().is_ok_and(|metadata| !metadata.file_type().is_symlink())
}

/// A time of the system, in tenths of microseconds since 1601.
fn since_1970(ticks: i64) -> (i64, i64) {
    (ticks.div_euclid(10_000_000) - EPOCH, ticks.rem_euclid(10_000_000) * 100)
}

/// When a file or directory changed, in nanoseconds since 1970: its content, for that is what the system tells here.
pub(crate) fn changed_of(metadata: &Metadata) -> u128 {
    nanoseconds(since_1970(metadata.last_write_time().cast_signed()))
}

/// Whether an open file may be written.
pub(crate) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    let mut permissions = file.metadata()?.permissions();
    permissions.set_readonly(mode & 0o222 == 0);
    file.set_permissions(permissions)
}

/// Give a new file its owner and group: those of the user, here.
pub(crate) fn own(_file: &File, _owner: (u32, u32)) -> io::Result<()> {
    Ok(())
}

/// The named streams of an open file, without what is in them: they cannot be carried along.
#[expect(unsafe_code, reason = "the standard library does not know of streams")]
pub(crate) fn attributes_of(file: &File) -> io::Result<Vec<Attribute>> {
    let mut buffer = vec![0_u64; STREAM_NAMES / size_of::<u64>()];
    let length = u32::try_from(STREAM_NAMES).unwrap_or(0);
    // SAFETY: the handle is open, the buffer is as long as is said, and aligned for the records.
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

/// The names in a list of records: how far it is to the next one, the length of the name, two sizes, the name.
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

/// Give a new file attributes; fails where one would be lost that somebody put there.
pub(crate) fn give_attributes(_file: &File, attributes: &[Attribute]) -> io::Result<()> {
    attributes.first().map_or(Ok(()), |(name, _)| {
        Err(io::Error::new(ErrorKind::Unsupported, format!("its named stream `{name}` would be lost")))
    })
}

/// The user that the process acts for. What a user may do here is the system's business.
pub(crate) fn user() -> u32 {
    0
}

/// Whether it belongs to this user alone: folders in a user's profile do.
pub(crate) fn is_private(_metadata: &Metadata) -> bool {
    true
}

/// Whether only this user may open it.
pub(crate) fn is_secret(metadata: &Metadata) -> bool {
    is_private(metadata)
}

/// What a file is called in the system's list of locks: there is none.
pub(crate) fn name_in_locks(_seen: &Seen) -> String {
    String::new()
}

/// Make a directory, and those above it that are missing.
pub(crate) fn make_private(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)
}

/// Make a file; fails where one is.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Open a file, making it where there is none; never through a link.
pub(crate) fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT).open(path)
}

/// Make the entries of a directory durable: the system does so itself.
pub(crate) fn sync_directory(_directory: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether a symbolic link stands where none may, or leads back to itself.
pub(crate) fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(ERROR_CANT_RESOLVE_FILENAME.cast_signed())
}

/// Whether a file system cannot lock what was asked for: no directory can be locked.
pub(crate) fn is_unlockable(error: &io::Error) -> bool {
    let unsupported = [ERROR_INVALID_FUNCTION, ERROR_INVALID_PARAMETER, ERROR_NOT_SUPPORTED, ERROR_ACCESS_DENIED];
    unsupported.iter().any(|code| error.raw_os_error() == Some(code.cast_signed()))
}
