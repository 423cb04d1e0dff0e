//! Folders and files private to this user: the state folder and its contents.

use std::{
    fs::{self, DirBuilder, Metadata},
    io::ErrorKind,
    path::Path,
};

use marquetry_model::{Error, Kind, Result};

/// Creates a folder and its missing parents, private to this user (mode 700), or checks an existing one.
///
/// # Errors
/// Fails like [`check_private`], and if the folder cannot be created.
///
/// # Examples
///
/// ```no_run
/// marquetry_files::private::make_private("/var/lib/shop/state".as_ref())?;
/// # Ok::<(), marquetry_model::Error>(())
/// ```
pub fn make_private(folder: &Path) -> Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder).map_err(|error| access_error(folder, &error.to_string()))?;
    check_private(folder)
}

/// Checks a folder if it exists. A folder that other users can write is not trusted. A folder that they can only read
/// is made private.
///
/// # Errors
/// Fails if the path is not a folder, belongs to another user, or other users can write to it.
///
/// # Examples
///
/// ```no_run
/// marquetry_files::private::check_private("/var/lib/shop/state".as_ref())?;
/// # Ok::<(), marquetry_model::Error>(())
/// ```
pub fn check_private(folder: &Path) -> Result<()> {
    match fs::metadata(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(access_error(folder, &error.to_string())),
        Ok(metadata) if !metadata.is_dir() => Err(access_error(folder, "it is not a folder")),
        Ok(metadata) => make_folder_private(folder, &metadata),
    }
}

#[cfg(unix)]
fn make_folder_private(folder: &Path, metadata: &Metadata) -> Result<()> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    if metadata.uid() != user_id() {
        return Err(access_error(folder, "it belongs to another user"));
    }
    if metadata.mode() & 0o022 != 0 {
        let why = access_error(folder, "other users can write to it, so its contents cannot be trusted");
        return Err(why.hint(format!("check its contents, then `chmod 700 {}`", folder.display())));
    }
    if metadata.mode() & 0o077 == 0 {
        return Ok(());
    }
    // On a read-only file system the mode cannot be changed. That is accepted, because other users can only read the
    // folder.
    let closed: std::io::Result<()> = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    closed.or_else(|error| match error.kind() {
        ErrorKind::ReadOnlyFilesystem => Ok(()),
        _ => Err(access_error(folder, &error.to_string())),
    })
}

#[cfg(not(unix))]
fn make_folder_private(_folder: &Path, _metadata: &Metadata) -> Result<()> {
    Ok(())
}

/// Returns whether a file belongs to this user and no other user can read or write it.
///
/// # Examples
///
/// ```no_run
/// let metadata = std::fs::metadata("/var/lib/shop/state/servers/1.json").expect("a file");
/// assert!(marquetry_files::private::is_own_file(&metadata));
/// ```
#[cfg(unix)]
pub fn is_own_file(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    metadata.is_file() && metadata.uid() == user_id() && metadata.mode() & 0o077 == 0
}

/// Returns whether this is a file.
#[cfg(not(unix))]
pub fn is_own_file(metadata: &Metadata) -> bool {
    metadata.is_file()
}

#[cfg(unix)]
fn user_id() -> u32 {
    rustix::process::geteuid().as_raw()
}

fn access_error(folder: &Path, why: &str) -> Error {
    let hint = "set MARQ_STATE_DIR to a folder of your own (mode 700) outside the project";
    Error::new(Kind::PermissionDenied, format!("{} cannot be used: {why}", folder.display())).hint(hint)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn folders_are_made_private_or_refused() {
        let top = tempfile::tempdir().expect("a folder");
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        let made = top.path().join("state/marquetry");
        make_private(&made).expect("made");
        assert_eq!((mode(&made), mode(made.parent().expect("above"))), (0o700, 0o700));
        for (given, expected) in
            [(0o700, Some(0o700)), (0o755, Some(0o700)), (0o750, Some(0o700)), (0o775, None), (0o777, None)]
        {
            fs::set_permissions(&made, fs::Permissions::from_mode(given)).expect("set");
            assert_eq!(check_private(&made).is_ok(), expected.is_some(), "{given:o}");
            assert_eq!(mode(&made), expected.unwrap_or(given), "{given:o}");
        }
        check_private(&top.path().join("nothing")).expect("a missing path is private");
        fs::write(top.path().join("file"), "").expect("written");
        assert!(check_private(&top.path().join("file")).is_err());
        fs::set_permissions(&made, fs::Permissions::from_mode(0o777)).expect("set");
        let error = make_private(&made).expect_err("refused");
        assert!(error.to_string().contains("other users can write to it"), "{error}");
    }
}
