//! One project: its registry merged over the default one, restricted to what the user approved.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock},
};

use marquetry_model::{Error, Kind, Result, limits, servers::ServerWish, source::Source};

use crate::{
    cache::Stamp,
    found::Found,
    lock::{Lock, Locked},
    registry::{DEFAULT_BOUNDS, Entry, Registry, editor_name, is_registry},
    routes::Routes,
    trust::{self, Demands, Offer, Trust, Word},
};

const REGISTRY: &str = "registry.toml";
const LOCK: &str = "registry.lock";

/// The plugins of one project, as of when its files were read.
pub(crate) struct Project {
    root: PathBuf,
    /// The files that determine the project, and their metadata.
    watched: Vec<(PathBuf, Option<Stamp>)>,
    pub(crate) registry: Registry,
    pub(crate) lock: Option<Lock>,
    pub(crate) demands: Demands,
    /// The plugins of the default registry.
    defaults: BTreeSet<String>,
    trust: Trust,
    /// Installed servers; searched for when first needed.
    found: OnceLock<Found>,
    /// Computed when first needed, and again when a plugin has changed.
    pub(crate) routes: Mutex<Option<Arc<Routes>>>,
}

impl Project {
    pub(crate) fn read(root: &str, default_registry: &str, trust: &Trust) -> Result<Project> {
        let folder = Path::new(root);
        let mut watched: Vec<PathBuf> = vec![folder.join(REGISTRY), folder.join(LOCK)];
        if let Trust::Allowed(words) = trust {
            watched.push(trust::file_of(words, folder));
        }
        // Taken before the files are read, so that concurrent changes are noticed.
        let mut watched: Vec<(PathBuf, Option<Stamp>)> = watched.into_iter().map(stamped).collect();
        let defaults = Registry::parse(default_registry, folder, "the default registry")?;
        let mut registry = defaults.clone();
        if let Some(text) = read_ours(folder, REGISTRY)? {
            registry.extend(&text, folder, REGISTRY)?;
        }
        let plugins = registry.all().filter_map(|(_, entry)| match &entry.source {
            Source::Path(path) => Some(path.clone()),
            // Downloaded plugins are named by their digest.
            Source::Bundled | Source::Folder(_) | Source::Url(_) | Source::Oci(_) => None,
        });
        watched.extend(plugins.map(stamped));
        let programs = registry.servers.values().filter_map(|wish| wish.command.first());
        watched.extend(programs.filter(|program| program.contains('/')).map(|program| stamped(folder.join(program))));
        let lock = read_ours(folder, LOCK)?.map(|text| Lock::parse(&text, LOCK)).transpose()?;
        if let Some(lock) = &lock {
            registry.hold_to(lock, folder, LOCK);
        }
        let demands = Demands::of(&defaults, &registry, folder, trust);
        hold_back(&mut registry, &defaults, &demands);
        hold_back_servers(&mut registry, &demands);
        let packs = registry.entries.iter_mut().map(|(id, entry)| (id.clone(), entry));
        let editors = registry.editors.iter_mut().map(|(id, entry)| (editor_name(id), entry));
        for (name, entry) in packs.chain(editors).filter(|(_, entry)| entry.source != Source::Bundled) {
            if let Some(digest) = demands.plugins.get(&name) {
                entry.allowed = Some(digest.clone());
            }
        }
        if let Some(lock) = &lock {
            // Pinned again, because withheld entries were replaced by others.
            registry.hold_to(lock, folder, LOCK);
        }
        let (found, trust) = (OnceLock::new(), trust.clone());
        Ok(Project {
            root: folder.to_owned(),
            watched,
            registry,
            lock,
            demands,
            defaults: defaults.entries.keys().cloned().collect(),
            trust,
            found,
            routes: Mutex::default(),
        })
    }

    /// Returns whether the files are unchanged.
    pub(crate) fn is_current(&self) -> bool {
        self.watched.iter().all(|(path, known)| Stamp::of(path).ok() == *known)
            && self.found.get().is_none_or(Found::is_current)
    }

    /// Returns whether the default registry has a plugin of this name.
    pub(crate) fn is_default(&self, id: &str) -> bool {
        self.defaults.contains(id)
    }

    /// Returns the lock entry of a plugin from this source.
    pub(crate) fn locked(&self, id: &str, source: &str) -> Option<&Locked> {
        self.lock.as_ref()?.plugins.get(id).filter(|locked| locked.source == source)
    }

    /// Returns installed language servers that the registry gives no command for.
    pub(crate) fn offers(&self) -> &[Offer] {
        &self.found.get_or_init(|| Found::look(&self.registry, &self.root, &self.trust)).offers
    }

    /// Returns the language servers that the registry names, and those that are installed, except refused ones.
    pub(crate) fn servers(&self) -> Vec<ServerWish> {
        let named = self.registry.servers.values().filter(|wish| !wish.is_found());
        let offered = self.offers().iter().filter(|offer| offer.word != Word::Refused).map(|offer| &offer.wish);
        named.chain(offered).cloned().collect()
    }

    /// Returns the requested permissions and the offered servers.
    pub(crate) fn demands(&self) -> Demands {
        Demands { offers: self.offers().to_vec(), ..self.demands.clone() }
    }
}

/// Withholds servers that are not approved: using one fails with an error. If no project is trusted, they are removed.
fn hold_back_servers(registry: &mut Registry, demands: &Demands) {
    let is_held = |id: &str| demands.holds_back(&trust::of_server(id));
    if demands.word == Word::Refused {
        registry.servers.retain(|id, _| !is_held(id));
    }
    for (id, wish) in registry.servers.iter_mut().filter(|(id, _)| is_held(id)) {
        wish.withheld = Some(demands.refusal(&trust::of_server(id)));
    }
}

fn stamped(path: PathBuf) -> (PathBuf, Option<Stamp>) {
    let stamp = Stamp::of(&path).ok();
    (path, stamp)
}

/// Withholds everything in a registry that is not approved. Higher limits and additional grants are reset. The
/// project's own plugins do not run: using their files fails with an error, unless no project is trusted.
fn hold_back(registry: &mut Registry, defaults: &Registry, demands: &Demands) {
    hold_back_of(&mut registry.entries, &defaults.entries, str::to_owned, demands);
    hold_back_of(&mut registry.editors, &defaults.editors, editor_name, demands);
}

fn hold_back_of(
    entries: &mut BTreeMap<String, Entry>,
    defaults: &BTreeMap<String, Entry>,
    name: impl Fn(&str) -> String,
    demands: &Demands,
) {
    let mut gone = Vec::new();
    for (id, entry) in entries.iter_mut() {
        let (name, default) = (name(id), defaults.get(id));
        if !demands.holds_back(&name) {
            continue;
        }
        if entry.source == Source::Bundled {
            let (grants, bounds, addresses) = default.map_or((Vec::new(), DEFAULT_BOUNDS, None), |default| {
                (default.grants.clone(), default.bounds, default.addresses.clone())
            });
            entry.grants.retain(|grant| grants.contains(grant));
            entry.bounds.memory = entry.bounds.memory.min(bounds.memory);
            entry.bounds.time = entry.bounds.time.min(bounds.time);
            entry.addresses = addresses;
            for what in demands.of_plugin(&name) {
                tracing::warn!("registry.toml {what} to plugin `{name}`, which is not approved: see `marq trust`");
            }
        } else if demands.word_of(&name) == Word::Unasked {
            entry.withheld = Some(demands.refusal(&name));
        } else if let Some(default) = default {
            *entry = default.clone();
        } else {
            gone.push(id.clone());
        }
    }
    entries.retain(|id, _| !gone.contains(id));
}

/// Reads a registry or lock. Other programs use the same file names, and a hostile project may have anything under
/// them: a path that is not a regular file, or is too large, is ignored.
///
/// # Errors
/// It is a link to a target outside of the folder, which the project must not show or use.
fn read_ours(folder: &Path, name: &str) -> Result<Option<String>> {
    let path = folder.join(name);
    if path.is_symlink()
        && let (Ok(real), Ok(folder)) = (path.canonicalize(), folder.canonicalize())
        && !real.starts_with(&folder)
    {
        let message = format!("`{name}` is not read: it links to a file outside the root `{}`", folder.display());
        return Err(Error::new(Kind::OutsideWorkspace, message)
            .hint("replace it with the file itself, or with a link to a file in the root"));
    }
    let Ok(metadata) = fs::metadata(&path) else { return Ok(None) };
    if !metadata.is_file() || metadata.len() > limits::REGISTRY {
        tracing::warn!("{} is not a file of less than {} KiB: it is not read", path.display(), limits::REGISTRY >> 10);
        return Ok(None);
    }
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(limits::REGISTRY).read_to_string(&mut text));
    Ok((read.is_ok() && is_registry(&text)).then_some(text))
}
