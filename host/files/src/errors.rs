//! Maps `io::Error` to `Error`.

use std::io::{self, ErrorKind};

use marquetry_model::{Error, Kind};

use crate::system::is_loop;

/// Returns the error for a failed system call on a path.
pub(crate) fn io_error(doing: &str, path: &str, error: &io::Error) -> Error {
    let kind = match error.kind() {
        ErrorKind::NotFound => Kind::FileNotFound,
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Kind::PermissionDenied,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => Kind::LimitExceeded,
        ErrorKind::InvalidData | ErrorKind::Unsupported => Kind::Unsupported,
        _ if is_loop(error) => Kind::Stale,
        ErrorKind::InvalidFilename | ErrorKind::InvalidInput | ErrorKind::NotADirectory => Kind::InvalidArgument,
        _ => Kind::Internal,
    };
    let reason = match error.kind() {
        ErrorKind::NotFound => "it does not exist".to_owned(),
        ErrorKind::PermissionDenied if error.get_ref().is_none() => "permission denied".to_owned(),
        ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_owned(),
        ErrorKind::StorageFull => "no space is left".to_owned(),
        _ if is_loop(error) => "it was replaced by a symbolic link".to_owned(),
        _ => error.to_string(),
    };
    let failed = Error::new(kind, format!("cannot {doing} `{path}`: {reason}"));
    // The cause may be temporary, such as too many open files or a disk that does not respond, so a retry may succeed.
    if kind == Kind::Internal { failed.hint("repeat the call").transient() } else { failed }
}

/// Returns whether a retry of the system call may succeed. Such an error does not mean that something is wrong with the
/// path.
pub(crate) fn is_transient(error: &io::Error) -> bool {
    io_error("", "", error).is_transient()
}

/// Error for a file that changed between the check and the write.
pub(crate) fn stale_error(path: &str) -> Error {
    Error::new(Kind::Stale, format!("`{path}` changed after the change was computed"))
        .hint("read it again and repeat the call; nothing was written")
        .candidates([path.to_owned()])
}

/// Error for a file or directory that is read-only.
pub(crate) fn read_only_error(path: &str, what: &str) -> Error {
    Error::new(Kind::PermissionDenied, format!("{what} `{path}` is read-only"))
        .hint(format!("allow writing (`chmod u+w {path}`) and repeat the call; nothing was written"))
}
