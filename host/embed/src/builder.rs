//! Settings of a host.

mod assembly;

use std::{path::PathBuf, sync::Arc};

use marquetry_model::{
    editor::Editors,
    ports::{Files, Packs, Templates},
};
use marquetry_runtime::{BundledPlugin, Compiler, TrustPolicy};

use crate::{Event, event::Listener};

/// The default registry: the grants and limits of the packs in the repository of marq.
///
/// # Examples
///
/// ```
/// assert!(marquetry::DEFAULT_REGISTRY.contains("[plugins.json]"));
/// ```
pub const DEFAULT_REGISTRY: &str = include_str!("../../../registry.toml");

/// Settings of a [`Host`](crate::Host).
///
/// # Examples
///
/// ```no_run
/// # const JSON: &[u8] = b"";
/// // const JSON: &[u8] = include_bytes!("../packs/json.wasm");
/// let host = marquetry::Host::builder().root("/projects/shop").pack("json", JSON).build()?;
/// # Ok::<(), marquetry::Error>(())
/// ```
#[must_use = "`build` creates the host"]
pub struct HostBuilder {
    roots: Vec<PathBuf>,
    files: Vec<Arc<dyn Files>>,
    any_root: bool,
    protected_writes: bool,
    state: Option<PathBuf>,
    cache: Option<Option<PathBuf>>,
    registry: Option<String>,
    embedded: Vec<(String, Arc<[u8]>)>,
    bundled: &'static [BundledPlugin],
    pack_folders: Vec<PathBuf>,
    packs: Option<Arc<dyn Packs>>,
    store: Option<PathBuf>,
    trust: TrustPolicy,
    compiler: Option<Compiler>,
    editors: Option<Arc<dyn Editors>>,
    templates: Option<Arc<dyn Templates>>,
    git: bool,
    servers: bool,
    program_folders: Vec<PathBuf>,
    client: String,
    max_bytes: Option<usize>,
    listener: Option<Listener>,
}

impl HostBuilder {
    pub(crate) fn new() -> HostBuilder {
        HostBuilder {
            roots: Vec::new(),
            files: Vec::new(),
            any_root: false,
            protected_writes: false,
            state: None,
            cache: None,
            registry: None,
            embedded: Vec::new(),
            bundled: &[],
            pack_folders: Vec::new(),
            packs: None,
            store: None,
            trust: TrustPolicy::Nothing,
            compiler: None,
            editors: None,
            templates: None,
            git: false,
            servers: false,
            program_folders: Vec::new(),
            client: String::new(),
            max_bytes: None,
            listener: None,
        }
    }

    /// Serves a folder. The first one is the default of calls without `root`; the folders below it are served, too.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// let host = marquetry::Host::builder().root("/projects/shop").root("/projects/site").build()?;
    /// # Ok::<(), marquetry::Error>(())
    /// ```
    pub fn root(mut self, folder: impl Into<PathBuf>) -> HostBuilder {
        self.roots.push(folder.into());
        self
    }

    /// Serves files of another implementation, such as [`MemoryFiles`](crate::MemoryFiles), instead of folders.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{Host, MemoryFiles};
    ///
    /// let host = Host::builder().files(MemoryFiles::new([("a.txt", "text")])).build()?;
    /// # Ok::<(), marquetry::Error>(())
    /// ```
    pub fn files(mut self, files: impl Files + 'static) -> HostBuilder {
        self.files.push(Arc::new(files));
        self
    }

    /// Lets calls name any folder as `root`. Only for programs whose callers may access all files of the user.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// let host = marquetry::Host::builder().root("/projects/shop").any_root(true).build()?;
    /// # Ok::<(), marquetry::Error>(())
    /// ```
    pub fn any_root(mut self, any: bool) -> HostBuilder {
        self.any_root = any;
        self
    }

    /// Allows changes in folders of version control, such as `.git`.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// let host = marquetry::Host::builder().root("/projects/shop").protected_writes(true).build()?;
    /// # Ok::<(), marquetry::Error>(())
    /// ```
    pub fn protected_writes(mut self, allowed: bool) -> HostBuilder {
        self.protected_writes = allowed;
        self
    }

    /// Sets the folder of journals and history. The default is [`folders::state`](crate::folders::state), so that `marq undo` can undo changes
    /// of the program.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// let host = marquetry::Host::builder().root("/projects/shop").state("/var/lib/service/state").build()?;
    /// # Ok::<(), marquetry::Error>(())
    /// ```
    pub fn state(mut self, folder: impl Into<PathBuf>) -> HostBuilder {
        self.state = Some(folder.into());
        self
    }

    /// Sets the folder of compiled packs and indexes; with `None`, nothing is cached. The default is
    /// [`folders::cache`](crate::folders::cache).
    ///
    /// # Examples
    ///
    /// ```no_run
    /// let host = marquetry::Host::builder().root("/projects/shop").cache(Some("/var/cache/service".into())).build()?;
    /// # Ok::<(), marquetry::Error>(())
    /// ```
    pub fn cache(mut self, folder: Option<PathBuf>) -> HostBuilder {
        self.cache = Some(folder);
        self
    }

    /// Adds a language pack that the program contains, by the name that the pack declares.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # const JSON: &[u8] = b"";
    /// // const JSON: &[u8] = include_bytes!("../packs/json.wasm");
    /// let host = marquetry::Host::builder().root("/projects/shop").pack("json", JSON).build()?;
    /// # Ok::<(), marquetry::Error>(())
    /// ```
    pub fn pack(mut self, id: &str, bytes: impl Into<Arc<[u8]>>) -> HostBuilder {
        self.embedded.push((id.to_owned(), bytes.into()));
        self
    }

    /// Adds a folder with packs in files: `ID.wasm`, or `marquetry_ID.wasm` as cargo names it.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// let host = marquetry::Host::builder().root("/projects/shop").pack_folder("target/wasm32-wasip2/release").build()?;
    /// # Ok::<(), marquetry::Error>(())
    /// ```
    pub fn pack_folder(mut self, folder: impl Into<PathBuf>) -> HostBuilder {
        self.pack_folders.push(folder.into());
        self
    }

    /// Adds plugins whose descriptions and machine code were made when the program was built, so that nothing is compiled at
    /// the first call. They are used instead of files of the same name in folders of packs.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use marquetry::BundledPlugin;
    ///
    /// // `PluginParts::build` of the crate `marquetry-runtime` makes the parts.
    /// static PLUGINS: &[BundledPlugin] = &[];
    /// let host = marquetry::Host::builder().root("/projects/shop").bundled(PLUGINS).build()?;
    /// # Ok::<(), marquetry::Error>(())
    /// ```
    pub fn bundled(mut self, plugins: &'static [BundledPlugin]) -> HostBuilder {
        self.bundled = plugins;
        self
    }

    /// Sets the registry, which gives packs grants, limits and settings. The default is [`DEFAULT_REGISTRY`] without the
    /// packs that the program does not have. A pack that the registry does not name has no grants.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # const JSON: &[u8] = b"";
    /// let registry = "marquetry = 1\n[plugins.json]\nlimits = { memory-mib = 64, seconds = 2 }\n";
    /// let host = marquetry::Host::builder().root("/projects/shop").registry(registry).pack("json", JSON).build()?;
    /// # Ok::<(), marquetry::Error>(())
    /// ```
    pub fn registry(mut self, text: impl Into<String>) -> HostBuilder {
        self.registry = Some(text.into());
        self
    }

    /// Uses another implementation of packs, without the sandbox.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use marquetry::{
    ///     Error, Host, Kind, MemoryFiles, Result,
    ///     ports::{Description, Files, Pack, Packs, PluginInfo},
    /// };
    ///
    /// /// No file has a pack.
    /// struct NoPacks;
    ///
    /// impl Packs for NoPacks {
    ///     fn for_path(&self, _files: &Arc<dyn Files>, path: &str) -> Result<Arc<dyn Pack>> {
    ///         Err(Error::new(Kind::Unsupported, format!("`{path}` has no pack")))
    ///     }
    ///     fn for_language(&self, _files: &Arc<dyn Files>, language: &str) -> Result<Arc<dyn Pack>> {
    ///         Err(Error::new(Kind::Unsupported, format!("`{language}` has no pack")))
    ///     }
    ///     fn descriptions(&self, _files: &Arc<dyn Files>) -> Vec<Arc<Description>> {
    ///         Vec::new()
    ///     }
    ///     fn plugins(&self, _files: &Arc<dyn Files>) -> Vec<PluginInfo> {
    ///         Vec::new()
    ///     }
    /// }
    ///
    /// let host = Host::builder().files(MemoryFiles::default()).packs(Arc::new(NoPacks)).build()?;
    /// # Ok::<(), Error>(())
    /// ```
    pub fn packs(mut self, packs: Arc<dyn Packs>) -> HostBuilder {
        self.packs = Some(packs);
        self
    }

    /// Sets the folder of plugins that `marq plugin add` downloaded.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// let store = marquetry::folders::state()?.join("plugins");
    /// let host = marquetry::Host::builder().root("/projects/shop").plugin_store(Some(store)).build()?;
    /// # Ok::<(), marquetry::Error>(())
    /// ```
    pub fn plugin_store(mut self, folder: Option<PathBuf>) -> HostBuilder {
        self.store = folder;
        self
    }

    /// Sets who approves the permissions that a project's own `registry.toml` requests. By default, none of these
    /// permissions is granted.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// let approvals = marquetry::folders::state()?.join("trust");
    /// let host = marquetry::Host::builder()
    ///     .root("/projects/shop")
    ///     .trust(marquetry::TrustPolicy::Allowed(approvals))
    ///     .build()?;
    /// # Ok::<(), marquetry::Error>(())
    /// ```
    pub fn trust(mut self, trust: TrustPolicy) -> HostBuilder {
        self.trust = trust;
        self
    }

    /// Compiles packs in another process, with limits on memory and time. By default this process compiles them.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// let compiler = marquetry::Compiler { program: "/usr/bin/marq".into(), arguments: vec!["compile-plugin".into()] };
    /// let host = marquetry::Host::builder().root("/projects/shop").compiler(compiler).build()?;
    /// # Ok::<(), marquetry::Error>(())
    /// ```
    pub fn compiler(mut self, compiler: Compiler) -> HostBuilder {
        self.compiler = Some(compiler);
        self
    }

    /// Sets the attached editors. Calls read and edit the unsaved texts in them.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use marquetry::{Host, MemoryFiles, ports::NoEditors};
    ///
    /// let host = Host::builder().files(MemoryFiles::default()).editors(Arc::new(NoEditors)).build()?;
    /// # Ok::<(), marquetry::Error>(())
    /// ```
    pub fn editors(mut self, editors: Arc<dyn Editors>) -> HostBuilder {
        self.editors = Some(editors);
        self
    }

    /// Sets the renderer of templates. By default this process renders them.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use marquetry::{Host, MemoryFiles, Result, Work, ports::Templates};
    ///
    /// /// Renders every template as it is.
    /// struct Literal;
    ///
    /// impl Templates for Literal {
    ///     fn render(&self, template: &str, _values: &str, _work: &Work) -> Result<String> {
    ///         Ok(template.to_owned())
    ///     }
    /// }
    ///
    /// let host = Host::builder().files(MemoryFiles::default()).templates(Arc::new(Literal)).build()?;
    /// # Ok::<(), marquetry::Error>(())
    /// ```
    pub fn templates(mut self, templates: Arc<dyn Templates>) -> HostBuilder {
        self.templates = Some(templates);
        self
    }

    /// Adds git repositories: `gitStatus`, and diffs of revisions.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// let host = marquetry::Host::builder().root("/projects/shop").git().build()?;
    /// # Ok::<(), marquetry::Error>(())
    /// ```
    #[cfg(feature = "git")]
    pub fn git(mut self) -> HostBuilder {
        self.git = true;
        self
    }

    /// Adds the language servers that a project configures or has installed, if the user has approved them.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// let host = marquetry::Host::builder().root("/projects/shop").language_servers().build()?;
    /// # Ok::<(), marquetry::Error>(())
    /// ```
    #[cfg(feature = "servers")]
    pub fn language_servers(mut self) -> HostBuilder {
        self.servers = true;
        self
    }

    /// Sets the folders in which language servers of the user's system are searched, usually those of `PATH`. Each
    /// server found there needs a separate approval.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// let host = marquetry::Host::builder()
    ///     .root("/projects/shop")
    ///     .language_servers()
    ///     .program_folders(["/usr/bin".into()])
    ///     .build()?;
    /// # Ok::<(), marquetry::Error>(())
    /// ```
    #[cfg(feature = "servers")]
    pub fn program_folders(mut self, folders: impl IntoIterator<Item = PathBuf>) -> HostBuilder {
        self.program_folders = folders.into_iter().collect();
        self
    }

    /// Sets the name and version of the program, for the history.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{Host, MemoryFiles};
    ///
    /// let host = Host::builder().files(MemoryFiles::default()).client("shop-agent 1.2").build()?;
    /// # Ok::<(), marquetry::Error>(())
    /// ```
    pub fn client(mut self, name: impl Into<String>) -> HostBuilder {
        self.client = name.into();
        self
    }

    /// Sets the size limit of answers in bytes, for calls without `maxBytes`. A shortened answer lists the omitted
    /// parts and how to request them.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{Host, MemoryFiles};
    ///
    /// let host = Host::builder().files(MemoryFiles::default()).max_bytes(60_000).build()?;
    /// # Ok::<(), marquetry::Error>(())
    /// ```
    pub fn max_bytes(mut self, bytes: usize) -> HostBuilder {
        self.max_bytes = Some(bytes);
        self
    }

    /// Reports the beginning, progress and end of every call. The listener is called from the threads of calls, and must
    /// not block. Only the last listener is used.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{Host, MemoryFiles};
    ///
    /// let host = Host::builder().files(MemoryFiles::default()).on_event(|event| println!("{event:?}")).build()?;
    /// # Ok::<(), marquetry::Error>(())
    /// ```
    pub fn on_event(mut self, listener: impl Fn(&Event) + Send + Sync + 'static) -> HostBuilder {
        self.listener = Some(Arc::new(listener));
        self
    }
}
