//! Locations and settings. This is the only module that reads the environment.

use std::{
    env,
    path::{Path, PathBuf},
    sync::Arc,
};

use marquetry_clients::{Machine, System};
use marquetry_editors::{Environment, Host as Editors};
use marquetry_files::DiskRoots;
use marquetry_graph::Graph;
use marquetry_model::{Error, Kind, Result, ports::Roots, servers::Servers};
use marquetry_runtime::{Compiler, Options, PackSet, TrustPolicy};
use marquetry_tools::Workbench;
use tracing_subscriber::{EnvFilter, fmt};

use crate::{flags::GlobalFlags, page_address, private, subprocess, templates::SubprocessTemplates};

/// The default registry, compiled into the program.
pub(crate) const DEFAULT_REGISTRY: &str = include_str!("../../../registry.toml");

/// Name of this program in the history, for calls from the command line.
pub(crate) const PROGRAM: &str = concat!("marq ", env!("CARGO_PKG_VERSION"));

/// The parts of the host, which share roots, packs and editors.
pub(crate) struct Host {
    pub(crate) bench: Workbench,
    pub(crate) packs: Arc<PackSet>,
    pub(crate) editors: Arc<Editors>,
    /// `None` in builds without language servers.
    pub(crate) servers: Option<Arc<dyn Servers>>,
    pub(crate) folders: DataFolders,
}

/// Locations of data outside of the roots.
pub(crate) struct DataFolders {
    pub(crate) state: PathBuf,
    /// `None` if nothing may be cached.
    pub(crate) cache: Option<PathBuf>,
    /// True if a root was named.
    pub(crate) has_root: bool,
}

/// Sends logs to standard error, as standard output is used by the protocols. `MARQ_LOG` sets the filter.
pub(crate) fn init_logging(verbose: u8) {
    let default = match verbose {
        0 => "error",
        1 => "info",
        _ => "debug",
    };
    let filter = EnvFilter::try_from_env("MARQ_LOG").unwrap_or_else(|_| EnvFilter::new(default));
    fmt().with_env_filter(filter).with_writer(std::io::stderr).without_time().with_target(false).init();
}

/// Returns the trust setting: from flags, or approvals stored by `marq trust`.
fn trust(flags: &GlobalFlags) -> Result<TrustPolicy> {
    Ok(match (flags.trust, flags.no_trust) {
        (true, _) => TrustPolicy::Everything,
        (_, true) => TrustPolicy::Nothing,
        _ => TrustPolicy::Allowed(state_folder()?.join("trust")),
    })
}

/// Creates the host for these roots, or for the current folder. With `any`, calls may name other roots.
pub(crate) fn host(roots: &[PathBuf], any: bool, flags: &GlobalFlags) -> Result<Host> {
    let here = || env::current_dir().map_err(|error| Error::argument(format!("unknown current folder: {error}")));
    let mut roots = roots.iter().map(|root| absolute(root)).collect::<Result<Vec<PathBuf>>>()?;
    let rooted = !roots.is_empty();
    if !rooted {
        roots.push(here()?);
    }
    let cache = cache_outside(&roots)?;
    let state = state_folder()?;
    let folders = roots.clone();
    let roots = DiskRoots::with_roots(roots, state.clone()).with_any_root(any);
    let roots = if flags.write_protected { roots.allow_protected_writes() } else { roots };
    let packs = PackSet::new(Options {
        default_registry: DEFAULT_REGISTRY.to_owned(),
        bundled: bundled_folders(),
        cache: cache.clone(),
        trust: trust(flags)?,
    });
    let packs = with_bundled(packs).with_store(plugin_store(&state, &folders));
    let packs = Arc::new(match subprocess::executable() {
        Ok(program) => {
            packs.with_compiler(Compiler { program, arguments: vec![subprocess::COMPILE_COMMAND.to_owned()] })
        }
        // The path of this program is unknown, so plugins are compiled without a separate process.
        Err(_) => packs,
    });
    let graph = Graph::new(cache.as_ref().map(|cache| cache.join("index")));
    let roots: Arc<dyn Roots> = Arc::new(roots);
    let editors = Arc::new(Editors::new(Arc::clone(&roots), Arc::<PackSet>::clone(&packs), editor_environment()));
    let bench = Workbench::new(roots, Arc::<PackSet>::clone(&packs), graph)
        .with_editors(Arc::<Editors>::clone(&editors))
        .with_templates(Arc::new(SubprocessTemplates::default()));
    #[cfg(feature = "git")]
    let bench = bench.with_repositories(Arc::new(marquetry_git::Git));
    let servers = servers(&packs);
    let bench = match &servers {
        Some(servers) => bench.with_servers(Arc::clone(servers)),
        None => bench,
    };
    Ok(Host { bench, packs, editors, servers, folders: DataFolders { state, cache, has_root: rooted } })
}

/// Fails if a server would serve the whole system or home folder only because it was started there, as desktop programs
/// do.
pub(crate) fn check_implicit_root() -> Result<()> {
    let here = env::current_dir().map_err(|error| Error::argument(format!("unknown current folder: {error}")))?;
    let is_home = home().is_some_and(|home| home == here || home.canonicalize().is_ok_and(|home| home == here));
    let what = match (here.parent(), is_home) {
        (None, _) => "the whole file system",
        (_, true) => "the whole home folder",
        _ => return Ok(()),
    };
    Err(Error::argument(format!("no folder was given, and the current folder is {what}: `{}`", here.display()))
        .hint("start the server in a project, or give one: `--root FOLDER`"))
}

/// Creates the language servers of projects.
#[cfg(feature = "servers")]
fn servers(packs: &Arc<PackSet>) -> Option<Arc<dyn Servers>> {
    Some(Arc::new(marquetry_servers::LanguageServers::new(Arc::<PackSet>::clone(packs))))
}

/// Returns `None`: built without language servers.
#[cfg(not(feature = "servers"))]
fn servers(_packs: &Arc<PackSet>) -> Option<Arc<dyn Servers>> {
    None
}

/// Returns the environment in which editors are found.
fn editor_environment() -> Environment {
    let path = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    Environment {
        variable: Box::new(|name| env::var(name).ok()),
        runtime: path("XDG_RUNTIME_DIR"),
        temporary: env::temp_dir(),
        user: env::var("USER").or_else(|_| env::var("LOGNAME")).unwrap_or_default(),
        home: path("HOME"),
    }
}

/// Makes a folder named on the command line absolute.
pub(crate) fn absolute(folder: &Path) -> Result<PathBuf> {
    std::path::absolute(folder).map_err(|error| Error::argument(format!("the root `{}`: {error}", folder.display())))
}

/// Adds the plugins that are part of the program, unless `MARQ_PLUGINS` names others.
#[cfg(feature = "bundle")]
fn with_bundled(packs: PackSet) -> PackSet {
    if env::var_os("MARQ_PLUGINS").is_some() { packs } else { packs.with_bundled(crate::bundle::BUNDLED) }
}

/// Adds nothing: built without plugins.
#[cfg(not(feature = "bundle"))]
fn with_bundled(packs: PackSet) -> PackSet {
    packs
}

/// Returns the folders of bundled packs: from `MARQ_PLUGINS`, installed with the program, or built in its source tree.
fn bundled_folders() -> Vec<PathBuf> {
    if let Some(folder) = env::var_os("MARQ_PLUGINS") {
        return vec![folder.into()];
    }
    let Some(program) = env::current_exe().ok().and_then(|path| path.canonicalize().ok()) else { return Vec::new() };
    let Some(folder) = program.parent() else { return Vec::new() };
    // `bin/marq` and `lib/marquetry/plugins`; or `target/debug/marq` and `target/wasm32-wasip2/release`.
    vec![folder.join("../lib/marquetry/plugins"), folder.join("../wasm32-wasip2/release")]
}

/// Returns the pager for long texts: `MARQ_PAGER`, `PAGER`, or `less` with options for short texts and colors. `None`
/// if it is set to be empty.
pub(crate) fn pager() -> Option<Vec<String>> {
    let variable = ["MARQ_PAGER", "PAGER"].iter().find_map(|name| env::var(name).ok());
    let words = variable.as_deref().unwrap_or("less -FRX").split_whitespace().map(str::to_owned);
    Some(words.collect::<Vec<String>>()).filter(|words| words.first().is_some_and(|program| program != "cat"))
}

/// Returns the user's home folder.
pub(crate) fn home() -> Option<PathBuf> {
    env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}

/// Describes this machine, its user and a project, to find MCP clients.
pub(crate) fn machine(project: &Path) -> Machine {
    Machine {
        system: System::current(),
        home: home(),
        project: project.to_owned(),
        variable: Box::new(|name| env::var(name).ok()),
        path: env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default(),
        program: env::current_exe().ok(),
    }
}

/// Returns the folders where Claude Code looks for lock files of editors: its configured folder and the default one,
/// which older versions use.
pub(crate) fn ide_folders() -> Vec<PathBuf> {
    let configured = env::var_os("CLAUDE_CONFIG_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let usual = home().map(|home| home.join(".claude"));
    let mut folders: Vec<PathBuf> = configured.into_iter().chain(usual).map(|folder| folder.join("ide")).collect();
    folders.dedup();
    folders
}

/// Returns the folder of journals, history, approvals and discovery files: `MARQ_STATE_DIR`, or the XDG state folder.
/// Fails if it is not private to this user.
fn state_folder() -> Result<PathBuf> {
    let folder = data_folder("MARQ_STATE_DIR", "XDG_STATE_HOME", ".local/state")?;
    private::check_private(&folder)?;
    Ok(folder)
}

/// Returns the cache folder. `None` if an environment variable puts it into a project, whose files are untrusted.
fn cache_outside(roots: &[PathBuf]) -> Result<Option<PathBuf>> {
    let folder = cache_folder()?;
    let is_configured = ["MARQ_CACHE_DIR", "XDG_CACHE_HOME"].iter().any(|name| env::var_os(name).is_some());
    let inside = is_configured && is_inside(&folder, roots);
    if inside {
        tracing::warn!("the cache folder {} is inside the project: nothing is stored there", folder.display());
    }
    Ok((!inside).then_some(folder))
}

/// Returns the folder of downloaded plugins in the state folder. `None` if that is in a project.
fn plugin_store(state: &Path, roots: &[PathBuf]) -> Option<PathBuf> {
    (!is_state_of_project(state, roots)).then(|| state.join("plugins"))
}

/// Returns whether an environment variable puts the state folder into a project. Its content is then untrusted, because
/// the project may have supplied it.
fn is_state_of_project(state: &Path, roots: &[PathBuf]) -> bool {
    let is_configured = ["MARQ_STATE_DIR", "XDG_STATE_HOME"].iter().any(|name| env::var_os(name).is_some());
    is_configured && is_inside(state, roots)
}

/// Returns whether a folder is one of these or below one.
fn is_inside(folder: &Path, roots: &[PathBuf]) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    roots.iter().any(|root| real(folder).starts_with(real(root)))
}

/// Returns the folder of compiled packs: `MARQ_CACHE_DIR`, or the XDG cache folder.
fn cache_folder() -> Result<PathBuf> {
    data_folder("MARQ_CACHE_DIR", "XDG_CACHE_HOME", ".cache")
}

fn data_folder(own: &str, xdg: &str, below_home: &str) -> Result<PathBuf> {
    if let Some(folder) = env::var_os(own) {
        return Ok(folder.into());
    }
    let base = env::var_os(xdg).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || env::var_os("HOME").map(|home| PathBuf::from(home).join(below_home));
    base.or_else(home).map(|base| base.join("marquetry")).ok_or_else(|| {
        Error::argument(format!("neither {own}, {xdg} nor HOME is set")).hint(format!("set {own} to a writable folder"))
    })
}

/// Returns the folder of the discovery files of running servers.
///
/// # Errors
/// It is not private to this user, or is in the project.
pub(crate) fn discovery_folder(host: &Host) -> Result<PathBuf> {
    let roots: Vec<PathBuf> = host.bench.roots().served().into_iter().map(PathBuf::from).collect();
    let state = state_folder()?;
    if is_state_of_project(&state, &roots) {
        let message =
            format!("the state folder {} is inside the project: servers are not looked up there", state.display());
        return Err(Error::new(Kind::PermissionDenied, message)
            .hint("set MARQ_STATE_DIR to a folder of your own (mode 700) outside the project"));
    }
    let folder = state.join("servers");
    private::check_private(&folder)?;
    Ok(folder)
}

/// Returns the command that opens a file in the browser: `BROWSER`, or the default of the system.
pub(crate) fn browser() -> Vec<String> {
    let usual = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let configured = env::var("BROWSER").ok().filter(|configured| !configured.trim().is_empty());
    configured.as_deref().unwrap_or(usual).split_whitespace().map(str::to_owned).collect()
}

/// Discovery file of a running server with its address and token, private to its owner, and a file that opens its page
/// in a browser. Both are removed when the server ends.
pub(crate) struct Discovery {
    path: PathBuf,
}

impl Discovery {
    /// Writes the files.
    pub(crate) fn write(host: &Host, address: std::net::SocketAddr, token: &str) -> Result<Discovery> {
        let folder = discovery_folder(host)?;
        let failed =
            |error: std::io::Error| Error::new(Kind::PermissionDenied, format!("{}: {error}", folder.display()));
        private::make_private(&folder)?;
        let path = folder.join(format!("{}.json", std::process::id()));
        let (root, roots) = (host.bench.files(None)?.root().to_owned(), host.bench.roots().served());
        let text = serde_json::json!({
            "pid": std::process::id(), "address": address.to_string(), "root": root, "roots": roots, "token": token,
        });
        let discovery = Discovery { path };
        let page = page_address::redirect_page(&page_address::page_url(address, token));
        for (path, text) in [(discovery.page_file(), page), (discovery.path.clone(), text.to_string())] {
            // Private from the start, and created atomically.
            let mut file = tempfile::Builder::new().prefix(".server").tempfile_in(&folder).map_err(failed)?;
            std::io::Write::write_all(&mut file, text.as_bytes()).map_err(failed)?;
            file.persist(&path).map_err(|error| failed(error.error))?;
        }
        Ok(discovery)
    }

    /// Returns the path of the file that opens the page in a browser.
    pub(crate) fn page_file(&self) -> PathBuf {
        self.path.with_extension(page_address::EXTENSION)
    }

    /// Returns the path of the discovery file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Discovery {
    fn drop(&mut self) {
        // If removing fails, the file does no harm. Clients do not trust it, because its process has ended, and another
        // process on its port cannot prove that it has the token.
        let _ = std::fs::remove_file(&self.path);
        let _ = std::fs::remove_file(self.page_file());
    }
}
