//! The open roots, one per canonical directory, and the directories that may be opened: the served ones and those below
//! them.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use marquetry_model::{
    Error, Kind, Result,
    ports::{Files, Roots},
};

use crate::{
    history::HistoryBudget,
    paths,
    protected::Protection,
    root::{Root, Settings},
};

/// Maximum number of open roots; reopening one is cheap.
const MAX_OPEN_ROOTS: usize = 1024;

/// The served directories of this machine.
pub struct DiskRoots {
    /// The first one is the default.
    roots: Vec<PathBuf>,
    /// True if a call may also name directories that are not served.
    allows_any: bool,
    /// The canonical paths of the served directories, resolved once, so that a link that is changed later gives no
    /// access to other directories.
    served: OnceLock<Vec<PathBuf>>,
    shared: Arc<Shared>,
}

/// State shared with restricted views of the same roots.
struct Shared {
    settings: Settings,
    open: Mutex<HashMap<PathBuf, Arc<Root>>>,
}

impl DiskRoots {
    /// Serves `default_root` and the directories below it. Journals and history are stored in `state_dir`.
    pub fn new(default_root: PathBuf, state_dir: PathBuf) -> DiskRoots {
        DiskRoots::with_roots(vec![default_root], state_dir)
    }

    /// Serves several directories. The first one is the default.
    pub fn with_roots(roots: Vec<PathBuf>, state_dir: PathBuf) -> DiskRoots {
        let settings = Settings { state: state_dir, probe: None, protect: true, budget: HistoryBudget::default() };
        let shared = Shared { settings, open: Mutex::default() };
        DiskRoots { roots, allows_any: false, served: OnceLock::new(), shared: Arc::new(shared) }
    }

    /// Serves every directory that a call names.
    #[must_use]
    pub fn with_any_root(mut self, any: bool) -> DiskRoots {
        self.allows_any = any;
        self
    }

    /// Calls `probe` before every operation that changes the disk. Tests use it to interrupt a change at such an
    /// operation.
    #[doc(hidden)]
    #[must_use]
    pub fn with_probe(mut self, probe: impl Fn(&'static str) + Send + Sync + 'static) -> DiskRoots {
        self.change_settings(|settings| settings.probe = Some(Arc::new(probe)));
        self
    }

    /// Sets the limits of each root's history.
    #[must_use]
    pub fn with_history_budget(mut self, budget: HistoryBudget) -> DiskRoots {
        self.change_settings(|settings| settings.budget = budget);
        self
    }

    /// Allows changes in folders of version control and of marq.
    #[must_use]
    pub fn allow_protected_writes(mut self) -> DiskRoots {
        self.change_settings(|settings| settings.protect = false);
        self
    }

    /// Changes the settings, before the first root is opened.
    fn change_settings(&mut self, change: impl FnOnce(&mut Settings)) {
        let mut settings = self.shared.settings.clone();
        change(&mut settings);
        self.shared = Arc::new(Shared { settings, open: Mutex::default() });
    }

    /// Returns the canonical served roots.
    fn served(&self) -> Result<&[PathBuf]> {
        if let Some(served) = self.served.get() {
            return Ok(served);
        }
        let served = self.roots.iter().map(|root| canonical_root(root)).collect::<Result<Vec<PathBuf>>>()?;
        Ok(self.served.get_or_init(|| served))
    }

    /// Returns the directory that a call names, if it is allowed.
    fn resolve_allowed(&self, named: &Path) -> Result<PathBuf> {
        let served = self.served().unwrap_or_default();
        let found = canonical_root(named);
        let place = found.as_deref().unwrap_or(named);
        // Whether a path exists is reported only for served directories.
        if self.allows_any || !named.is_absolute() || served.iter().any(|root| place.starts_with(root)) {
            return found;
        }
        let shown = |root: &PathBuf| root.display().to_string();
        let refused = format!("the root `{}` is not served", named.display());
        Err(Error::new(Kind::OutsideWorkspace, refused)
            .hint("use one of the candidates or a folder below one; `--root` serves another one, `--any-root` all")
            .candidates(served.iter().map(shown)))
    }
}

impl Roots for DiskRoots {
    fn open(&self, root: Option<&str>) -> Result<Arc<dyn Files>> {
        let canonical = match root {
            Some(root) => self.resolve_allowed(Path::new(&paths::path_from_uri(root)?))?,
            None => match self.served()?.first() {
                Some(first) => first.clone(),
                None => return Err(Error::argument("no root is served").hint("name a folder with `--root`")),
            },
        };
        let mut open = self.shared.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(root) = open.get(&canonical) {
            return Ok(Arc::clone(root) as Arc<dyn Files>);
        }
        if open.len() >= MAX_OPEN_ROOTS {
            open.clear();
        }
        let served = self.served().unwrap_or_default().iter().map(PathBuf::as_path);
        let outer = served.filter(|root| canonical.starts_with(root)).max_by_key(|root| root.as_os_str().len());
        let settings = &self.shared.settings;
        let protection = if settings.protect { Protection::for_root(&canonical, outer) } else { Protection::Nothing };
        let root = Arc::new(Root::new(canonical.clone(), settings, protection)?);
        open.insert(canonical, Arc::clone(&root));
        Ok(root)
    }

    fn served(&self) -> Vec<String> {
        let served = self.served().unwrap_or(&self.roots);
        served.iter().map(|root| root.display().to_string()).collect()
    }

    fn restricted_to(&self, uris: &[String]) -> Option<Arc<dyn Roots>> {
        let served = self.served().ok()?;
        let mut kept: Vec<PathBuf> = Vec::new();
        for folder in uris.iter().filter_map(|uri| canonical_root(Path::new(&paths::path_from_uri(uri).ok()?)).ok()) {
            if self.allows_any || served.iter().any(|root| folder.starts_with(root)) {
                kept.push(folder);
            } else {
                kept.extend(served.iter().filter(|root| root.starts_with(&folder)).cloned());
            }
        }
        // The default root is kept if possible, since relative paths depend on it.
        let first = served.first().filter(|first| kept.iter().any(|root| first.starts_with(root))).cloned();
        let outermost = kept.iter().filter(|root| !kept.iter().any(|other| *root != other && root.starts_with(other)));
        let mut roots: Vec<PathBuf> = first.into_iter().chain(outermost.cloned()).collect();
        let mut seen = std::collections::HashSet::new();
        roots.retain(|root| seen.insert(root.clone()));
        if roots.is_empty() {
            return None;
        }
        let served = OnceLock::from(roots.clone());
        Some(Arc::new(DiskRoots { roots, allows_any: false, served, shared: Arc::clone(&self.shared) }))
    }

    fn root_of(&self, path: &str) -> Option<String> {
        let path = Path::new(path);
        // Only parent folders are resolved, because the file may not exist yet, or it may be a link that is meant
        // itself.
        let folder = path.parent()?.ancestors().find_map(|folder| folder.canonicalize().ok())?;
        let served = self.served().ok()?;
        let holding = served.iter().filter(|root| folder.starts_with(root) || path.starts_with(root));
        holding.max_by_key(|root| root.as_os_str().len()).map(|root| root.display().to_string())
    }
}

fn canonical_root(named: &Path) -> Result<PathBuf> {
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
