//! Folders of this user for state and caches, which programs share with `marq`.

use std::{
    env,
    path::{Path, PathBuf},
};

pub use marquetry_files::private::{check_private, is_own_file, make_private};
use marquetry_model::{Error, Result};

/// Variable that sets the state folder.
const STATE: (&str, &str) = ("MARQ_STATE_DIR", "XDG_STATE_HOME");
/// Variable that sets the cache folder.
const CACHE: (&str, &str) = ("MARQ_CACHE_DIR", "XDG_CACHE_HOME");

/// Returns the folder of journals, history and approvals: `MARQ_STATE_DIR`, or the XDG state folder. It may not exist
/// yet.
///
/// # Errors
/// Fails if the environment names no folder.
///
/// # Examples
///
/// ```no_run
/// println!("the history is in {}", marquetry::folders::state()?.display());
/// # Ok::<(), marquetry::Error>(())
/// ```
pub fn state() -> Result<PathBuf> {
    data_folder(STATE, ".local/state")
}

/// Returns the folder of compiled packs and indexes: `MARQ_CACHE_DIR`, or the XDG cache folder. `None` if an environment
/// variable puts it into a project, whose files are untrusted.
///
/// # Errors
/// Fails if the environment names no folder.
///
/// # Examples
///
/// ```no_run
/// let cache = marquetry::folders::cache(&["/projects/shop".into()])?;
/// println!("compiled packs are in {cache:?}");
/// # Ok::<(), marquetry::Error>(())
/// ```
pub fn cache(roots: &[PathBuf]) -> Result<Option<PathBuf>> {
    let folder = data_folder(CACHE, ".cache")?;
    Ok((!is_put_into(&folder, CACHE, roots)).then_some(folder))
}

/// Returns whether an environment variable puts the state folder into a project. Its content is then untrusted, because
/// the project may have supplied it.
///
/// # Examples
///
/// ```no_run
/// let state = marquetry::folders::state()?;
/// assert!(!marquetry::folders::is_state_of_project(&state, &["/projects/shop".into()]));
/// # Ok::<(), marquetry::Error>(())
/// ```
pub fn is_state_of_project(state: &Path, roots: &[PathBuf]) -> bool {
    is_put_into(state, STATE, roots)
}

fn is_put_into(folder: &Path, (own, xdg): (&str, &str), roots: &[PathBuf]) -> bool {
    let is_configured = [own, xdg].iter().any(|name| env::var_os(name).is_some());
    is_configured && is_inside(folder, roots)
}

/// Returns whether a folder is one of these roots or below one.
fn is_inside(folder: &Path, roots: &[PathBuf]) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    roots.iter().any(|root| real(folder).starts_with(real(root)))
}

fn data_folder((own, xdg): (&str, &str), below_home: &str) -> Result<PathBuf> {
    if let Some(folder) = env::var_os(own) {
        return Ok(folder.into());
    }
    let base = env::var_os(xdg).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || env::var_os("HOME").map(|home| PathBuf::from(home).join(below_home));
    base.or_else(home).map(|base| base.join("marquetry")).ok_or_else(|| {
        Error::argument(format!("neither {own}, {xdg} nor HOME is set")).hint(format!("set {own} to a writable folder"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn folders_below_a_root_are_inside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let (root, inside) = (folder.path().join("root"), folder.path().join("root/state"));
        std::fs::create_dir_all(&inside).expect("made");
        let roots = [root.clone()];
        assert!(is_inside(&inside, &roots) && is_inside(&root, &roots));
        assert!(!is_inside(&folder.path().join("rootstate"), &roots) && !is_inside(folder.path(), &roots));
        std::os::unix::fs::symlink(&inside, folder.path().join("link")).expect("linked");
        assert!(is_inside(&folder.path().join("link"), &roots), "links must be resolved");
    }
}
