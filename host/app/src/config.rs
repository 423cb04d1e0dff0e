//! Locations and settings. Only this module and `marquetry::folders` read the environment.

use std::{
    env,
    path::{Path, PathBuf},
    sync::Arc,
};

use marquetry::{HostBuilder, folders};
use marquetry_catalog::Catalog;
use marquetry_clients::{Machine, System};
use marquetry_editors::{Environment, Host as Editors};
use marquetry_model::{Error, Kind, Result, servers::Servers};
use marquetry_runtime::{Compiler, PackSet, TrustPolicy};
use marquetry_tools::Workbench;
use tracing_subscriber::EnvFilter;

use crate::{flags::GlobalFlags, log_lines, page_address, subprocess, templates::SubprocessTemplates};

/// Name of this program in the history, for calls from the command line.
pub(crate) const PROGRAM: &str = concat!("marq ", env!("CARGO_PKG_VERSION"));

/// The parts of the host, which share roots, packs and editors.
pub(crate) struct Host {
    pub(crate) catalog: Catalog,
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
    log_lines::start(filter);
}

/// Returns the trust policy: that of the flags, or else the approvals that `marq trust` stores.
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
    let folders = DataFolders { state: state.clone(), cache: cache.clone(), has_root: rooted };
    let mut builder = marquetry::Host::builder()
        .registry(marquetry::DEFAULT_REGISTRY)
        .any_root(any)
        .protected_writes(flags.write_protected)
        .plugin_store(plugin_store(&state, &roots))
        .state(state)
        .cache(cache)
        .trust(trust(flags)?)
        .templates(Arc::new(SubprocessTemplates::default()));
    // If the path of this program is unknown, plugins are compiled without a separate process.
    if let Ok(program) = subprocess::executable() {
        builder = builder.compiler(Compiler { program, arguments: vec![subprocess::COMPILE_COMMAND.to_owned()] });
    }
    builder = with_bundled(builder);
    builder = roots.into_iter().fold(builder, HostBuilder::root);
    builder = bundled_folders().into_iter().fold(builder, HostBuilder::pack_folder);
    #[cfg(feature = "git")]
    let builder = builder.git();
    #[cfg(feature = "servers")]
    let builder = builder.language_servers().program_folders(path_folders());
    let host = builder.build()?;
    let packs = host.sandbox().cloned().ok_or_else(|| Error::internal("the host has no sandbox"))?;
    let roots = Arc::clone(host.catalog().bench().roots());
    let editors = Arc::new(Editors::new(roots, Arc::<PackSet>::clone(&packs), editor_environment()));
    let host = host.with_editors(Arc::<Editors>::clone(&editors));
    let (catalog, servers) = (host.catalog().clone(), host.language_servers().cloned());
    Ok(Host { bench: catalog.bench().clone(), catalog, packs, editors, servers, folders })
}

/// Fails if a server would serve the whole system or home folder only because it was started there, as desktop programs
/// do.
pub(crate) fn check_implicit_root() -> Result<()> {
    let here = env::current_dir().map_err(|error| Error::argument(format!("unknown current folder: {error}")))?;
    let Some(what) = too_large_root(&here, &home_folders()) else { return Ok(()) };
    Err(Error::argument(format!("no folder was given, and the current folder is {what}: `{}`", here.display()))
        .hint("start the server in a project, or give one: `--root FOLDER`"))
}

/// Describes a folder that is too large to be served without being named; `None` for other folders.
fn too_large_root(here: &Path, homes: &[PathBuf]) -> Option<&'static str> {
    let is_folder_of_homes =
        |folder: &Path| ["/home", "/Users", "/var/home", "C:\\Users"].iter().any(|homes| folder == Path::new(homes));
    // The home folder is unknown if a desktop program started the server without an environment.
    let is_usual_home =
        homes.is_empty() && (here == Path::new("/root") || here.parent().is_some_and(is_folder_of_homes));
    if here.parent().is_none() {
        Some("the whole file system")
    } else if homes.iter().any(|home| home == here) || is_usual_home {
        Some("the whole home folder")
    } else if homes.iter().any(|home| home.starts_with(here)) || is_folder_of_homes(here) {
        Some("a folder of home folders")
    } else {
        None
    }
}

/// Returns the user's home folders, from `HOME` and from the user database: each as written, and with links resolved.
fn home_folders() -> Vec<PathBuf> {
    let known = home().into_iter().chain(env::home_dir().filter(|home| home.is_absolute()));
    known.flat_map(|home| [home.canonicalize().ok(), Some(home)]).flatten().collect()
}

/// Returns the environment variables and folders by which editors are found.
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
fn with_bundled(builder: HostBuilder) -> HostBuilder {
    if plugin_folder().is_some() { builder } else { builder.bundled(crate::bundle::BUNDLED) }
}

/// Adds nothing, because this build contains no plugins.
#[cfg(not(feature = "bundle"))]
fn with_bundled(builder: HostBuilder) -> HostBuilder {
    builder
}

/// Returns the folder that `MARQ_PLUGINS` names. An empty or relative value is ignored: it would lead into the current
/// folder, usually a project, whose files are untrusted.
fn plugin_folder() -> Option<PathBuf> {
    env::var_os("MARQ_PLUGINS").map(PathBuf::from).filter(|folder| folder.is_absolute())
}

/// Returns the folders of bundled packs: from `MARQ_PLUGINS`, installed with the program, or built in its source tree.
fn bundled_folders() -> Vec<PathBuf> {
    if let Some(folder) = plugin_folder() {
        return vec![folder];
    }
    let Some(program) = env::current_exe().ok().and_then(|path| path.canonicalize().ok()) else { return Vec::new() };
    let Some(folder) = program.parent() else { return Vec::new() };
    // `bin/marq` and `lib/marquetry/plugins`; or `target/debug/marq` and `target/wasm32-wasip2/release`.
    vec![folder.join("../lib/marquetry/plugins"), folder.join("../wasm32-wasip2/release")]
}

/// Returns the pager for long texts: `MARQ_PAGER`, `PAGER`, or `less` with options for short texts and colors. `None`
/// if the variable is empty.
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
        path: path_folders(),
        program: env::current_exe().ok(),
    }
}

/// Returns the folders in which the system searches programs.
fn path_folders() -> Vec<PathBuf> {
    env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default()
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

/// Returns the folder of journals, history, approvals and discovery files. Fails if it is not private to this user.
fn state_folder() -> Result<PathBuf> {
    let folder = folders::state()?;
    folders::check_private(&folder)?;
    Ok(folder)
}

/// Returns the cache folder. `None` if an environment variable puts it into a project, whose files are untrusted.
fn cache_outside(roots: &[PathBuf]) -> Result<Option<PathBuf>> {
    let cache = folders::cache(roots)?;
    if cache.is_none() {
        tracing::warn!("the cache folder is inside the project: nothing is stored there");
    }
    Ok(cache)
}

/// Returns the folder of downloaded plugins in the state folder. `None` if that is in a project.
fn plugin_store(state: &Path, roots: &[PathBuf]) -> Option<PathBuf> {
    (!folders::is_state_of_project(state, roots)).then(|| state.join("plugins"))
}

/// Returns the folder of the discovery files of running servers.
///
/// # Errors
/// Fails if the folder is not private to this user, or is in the project.
pub(crate) fn discovery_folder(host: &Host) -> Result<PathBuf> {
    let roots: Vec<PathBuf> = host.bench.roots().served().into_iter().map(PathBuf::from).collect();
    let state = state_folder()?;
    if folders::is_state_of_project(&state, &roots) {
        let message =
            format!("the state folder {} is inside the project: servers are not looked up there", state.display());
        return Err(Error::new(Kind::PermissionDenied, message)
            .hint("set MARQ_STATE_DIR to a folder of your own (mode 700) outside the project"));
    }
    let folder = state.join("servers");
    folders::check_private(&folder)?;
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
        folders::make_private(&folder)?;
        let path = folder.join(format!("{}.json", std::process::id()));
        let (root, roots) = (host.bench.files(None)?.root().to_owned(), host.bench.roots().served());
        let text = serde_json::json!({
            "pid": std::process::id(), "address": address.to_string(), "root": root, "roots": roots, "token": token,
        });
        let discovery = Discovery { path };
        let page = page_address::redirect_page(&page_address::page_url(address, token));
        for (path, text) in [(discovery.page_file(), page), (discovery.path.clone(), text.to_string())] {
            // The file is private from the start and appears atomically.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn homes_and_folders_above_them_are_too_large() {
        for (here, homes, expected) in [
            ("/", &[][..], Some("the whole file system")),
            ("/", &["H/a"], Some("the whole file system")),
            ("H/a", &["H/a"], Some("the whole home folder")),
            ("/data/b", &["H/a", "/data/b"], Some("the whole home folder")),
            ("/data", &["/data/b"], Some("a folder of home folders")),
            ("H", &["/root"], Some("a folder of home folders")),
            ("/root", &[], Some("the whole home folder")),
            ("H/a", &[], Some("the whole home folder")),
            ("H", &[], Some("a folder of home folders")),
            ("H/a/shop", &["H/a"], None),
            ("H/shop", &["H/a"], None),
            ("H/a/shop", &[], None),
            ("/srv/shop", &[], None),
            ("/srv/shop", &["/srv/shopper"], None),
        ] {
            // `H` is the folder that usually has the home folders.
            let path = |text: &str| PathBuf::from(text.replace('H', "/home"));
            let homes: Vec<PathBuf> = homes.iter().map(|home| path(home)).collect();
            assert_eq!(too_large_root(&path(here), &homes), expected, "{here} {homes:?}");
        }
    }
}
