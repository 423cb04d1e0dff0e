//! Which roots are open: one per canonical directory.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use marquetry_model::{
    Error, Kind, Result,
    ports::{Files, Roots},
};

use crate::{place, root::Root, tree::Probe};

/// Roots kept open at once; opening one again costs next to nothing.
const MOST_OPEN: usize = 1024;

/// The directories of this machine.
pub struct DiskRoots {
    default: PathBuf,
    state: PathBuf,
    probe: Probe,
    open: Mutex<HashMap<PathBuf, Arc<Root>>>,
}

impl DiskRoots {
    /// With the root of the process, and the directory where journals and history are kept.
    pub fn new(default_root: PathBuf, state_dir: PathBuf) -> DiskRoots {
        DiskRoots { default: default_root, state: state_dir, probe: None, open: Mutex::default() }
    }

    /// Calls `probe` before every operation that changes something on disk: tests end the process there.
    #[doc(hidden)]
    #[must_use]
    pub fn probed(mut self, probe: impl Fn(&'static str) + Send + Sync + 'static) -> DiskRoots {
        self.probe = Some(Arc::new(probe));
        self
    }
}

impl Roots for DiskRoots {
    fn open(&self, root: Option<&str>) -> Result<Arc<dyn Files>> {
        let named = match root {
            Some(root) => PathBuf::from(place::plain(root)?),
            None => self.default.clone(),
        };
        let canonical = canonical(&named)?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(root) = open.get(&canonical) {
            return Ok(Arc::clone(root) as Arc<dyn Files>);
        }
        if open.len() >= MOST_OPEN {
            open.clear();
        }
        let root = Arc::new(Root::new(canonical.clone(), &self.state, self.probe.clone())?);
        open.insert(canonical, Arc::clone(&root));
        Ok(root)
    }
}

fn canonical(named: &Path) -> Result<PathBuf> {
    if !named.is_absolute() {
        return Err(Error::argument(format!("the root `{}` is not absolute", named.display()))
            .hint("name the workspace by its absolute path"));
    }
    let found = named
        .canonicalize()
        .map_err(|_| Error::new(Kind::FileNotFound, format!("the root `{}` does not exist", named.display())))?;
    if found.is_dir() {
        return Ok(found);
    }
    Err(Error::argument(format!("the root `{}` is not a directory", named.display())))
}
