//! Settings of `tsconfig.json` and `jsconfig.json` for module paths.

use std::collections::HashMap;
use std::rc::Rc;

use crate::program::resolution::json::Json;
use crate::program::resolution::workspace::Workspace;
use crate::program::resolution::{monorepo, paths};

/// Maximum length of chains of `extends` and `references`.
const LONGEST_CHAIN: usize = 16;

/// Maximum number of configurations to read for one configuration: with two bases in each, a chain doubles at every step.
const MOST_BASES: usize = 64;

/// Settings that affect how specifiers are resolved. All paths are relative to the workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Config {
    /// The folder of the configuration file.
    pub(crate) folder: String,
    pub(crate) base_url: Option<String>,
    pub(crate) paths: Vec<Alias>,
    pub(crate) root_dirs: Vec<String>,
    pub(crate) out_dir: Option<String>,
    pub(crate) root_dir: Option<String>,
    /// Bare names that are not packages are looked up in the folders around the file.
    pub(crate) is_classic: bool,
    /// Value of `files`; `None` if it is not set.
    files: Option<Vec<String>>,
    include: Option<Vec<String>>,
    exclude: Vec<String>,
    references: Vec<String>,
    /// All other options in `compilerOptions`, as written.
    options: HashMap<String, Json>,
}

/// An entry of `paths`: a pattern with at most one `*`, and its targets.
#[derive(Clone, Debug)]
pub(crate) struct Alias {
    pub(crate) pattern: String,
    pub(crate) targets: Vec<String>,
}

impl Alias {
    /// Returns the text that the `*` matches in the specifier; empty if the pattern has no `*` and equals the
    /// specifier.
    pub(crate) fn capture<'s>(&self, specifier: &'s str) -> Option<&'s str> {
        paths::capture(&self.pattern, specifier)
    }
}

/// Returns the configuration that applies to a file: the nearest one that includes it, or else the nearest one.
pub(crate) fn config_for(workspace: &Workspace, file: &str) -> Option<Rc<Config>> {
    let mut nearest = None;
    for folder in paths::ancestors(paths::parent(file)) {
        let configs = configs_in_folder(workspace, folder);
        if let Some(covering) = configs.iter().find(|config| config.includes_file(file)) {
            return Some(covering.clone());
        }
        if nearest.is_none() {
            nearest = configs.iter().find(|config| config.has_settings()).or(configs.first()).cloned();
        }
    }
    nearest
}

fn configs_in_folder(workspace: &Workspace, folder: &str) -> Rc<Vec<Rc<Config>>> {
    workspace.cached(folder, || {
        let mut found = Vec::new();
        let names = ["tsconfig.json", "jsconfig.json"];
        let mut paths = names.into_iter().map(|name| paths::join_path(folder, name));
        if let Some(path) = paths.find(|path| workspace.is_file(path)) {
            add_with_references(workspace, &path, &mut found, &mut Vec::new());
        }
        found
    })
}

fn add_with_references(workspace: &Workspace, path: &str, found: &mut Vec<Rc<Config>>, seen: &mut Vec<String>) {
    if seen.len() >= LONGEST_CHAIN || seen.iter().any(|known| known == path) {
        return;
    }
    seen.push(path.to_owned());
    let Some(config) = load(workspace, path) else { return };
    let references = config.references.clone();
    found.push(Rc::new(config));
    for reference in references {
        let path =
            if workspace.is_folder(&reference) { paths::join_path(&reference, "tsconfig.json") } else { reference };
        add_with_references(workspace, &path, found, seen);
    }
}

/// Loads a configuration and all that it extends. `${configDir}` is replaced last, by the folder of this configuration.
fn load(workspace: &Workspace, path: &str) -> Option<Config> {
    let config = Chain::default().read(workspace, path)?;
    Some(config.with_config_dir(workspace, paths::parent(path)))
}

/// Configurations that extend each other, while they are read.
#[derive(Default)]
struct Chain {
    /// Paths of the configurations in progress, the one that is extended last.
    open: Vec<String>,
    /// Number of configurations read.
    read: usize,
}

impl Chain {
    /// Reads a configuration with its bases. `None` if it extends itself.
    fn read(&mut self, workspace: &Workspace, path: &str) -> Option<Config> {
        let again = self.open.iter().any(|open| open == path);
        if again || self.open.len() > LONGEST_CHAIN || self.read >= MOST_BASES {
            return None;
        }
        self.open.push(path.to_owned());
        self.read += 1;
        let config = read_with_bases(self, workspace, path);
        self.open.pop();
        config
    }
}

fn read_with_bases(chain: &mut Chain, workspace: &Workspace, path: &str) -> Option<Config> {
    let json = workspace.json(path)?;
    let folder = paths::parent(path);
    let mut config = Config::default();
    for base in json.texts_of("extends").unwrap_or_default() {
        if let Some(base) = base_path(workspace, folder, &base).and_then(|base| chain.read(workspace, &base)) {
            config.merge_base(base);
        }
    }
    config.folder = folder.to_owned();
    config.read_options(workspace, &json, folder);
    Some(config)
}

/// Resolves `extends`: a file relative to the configuration, or one in a package.
fn base_path(workspace: &Workspace, folder: &str, base: &str) -> Option<String> {
    let with_extension = |path: String| {
        let candidates = [path.clone(), format!("{path}.json"), paths::join_path(&path, "tsconfig.json")];
        candidates.into_iter().find(|path| workspace.is_file(path))
    };
    if paths::is_relative(base) || base.starts_with('/') {
        return with_extension(paths::join(folder, base)?);
    }
    if let Some((package, rest)) = monorepo::workspace_package(workspace, folder, base) {
        let file = if rest.is_empty() { "tsconfig.json" } else { rest };
        return with_extension(paths::join_path(&package, file));
    }
    paths::ancestors(folder).find_map(|folder| with_extension(paths::join(folder, &format!("node_modules/{base}"))?))
}

impl Config {
    /// Takes the settings of a base configuration. They override what earlier bases set.
    fn merge_base(&mut self, base: Config) {
        let own = std::mem::take(self);
        *self = Config {
            folder: own.folder,
            base_url: base.base_url.or(own.base_url),
            paths: if base.paths.is_empty() { own.paths } else { base.paths },
            root_dirs: if base.root_dirs.is_empty() { own.root_dirs } else { base.root_dirs },
            out_dir: base.out_dir.or(own.out_dir),
            root_dir: base.root_dir.or(own.root_dir),
            is_classic: base.is_classic || own.is_classic,
            files: base.files.or(own.files),
            include: base.include.or(own.include),
            exclude: if base.exclude.is_empty() { own.exclude } else { base.exclude },
            references: Vec::new(),
            options: own.options.into_iter().chain(base.options).collect(),
        };
    }

    /// Returns a compiler option, ignoring case.
    pub(crate) fn option(&self, name: &str) -> Option<&Json> {
        self.options.get(&name.to_lowercase())
    }

    fn read_options(&mut self, workspace: &Workspace, json: &Json, folder: &str) {
        let at = |path: &str| workspace_path(workspace, folder, path);
        let all = |texts: Vec<String>| texts.iter().filter_map(|path| at(path)).collect::<Vec<_>>();
        if let Some(options) = json.get("compilerOptions") {
            let setting = |key: &str| options.text_of(key).and_then(at);
            self.base_url = setting("baseUrl").or(self.base_url.take());
            self.out_dir = setting("outDir").or(self.out_dir.take());
            self.root_dir = setting("rootDir").or(self.root_dir.take());
            self.options.extend(options.entries().iter().map(|(name, value)| (name.to_lowercase(), value.clone())));
            if let Some(dirs) = options.texts_of("rootDirs") {
                self.root_dirs = all(dirs);
            }
            if let Some(resolution) = options.text_of("moduleResolution") {
                self.is_classic = resolution.eq_ignore_ascii_case("classic");
            }
            if let Some(aliases) = options.get("paths") {
                let base = options.text_of("baseUrl").map(|base| format!("{base}/")).unwrap_or_default();
                let inherited = self.base_url.as_ref().filter(|_| base.is_empty());
                let target = |path: &str| match inherited {
                    Some(base) => workspace_path(workspace, base, path),
                    None if path.starts_with(CONFIG_DIR) => workspace_path(workspace, folder, path),
                    None => workspace_path(workspace, folder, &format!("{base}{path}")),
                };
                let alias = |(pattern, to): &(String, Json)| {
                    let targets = to.array_items().iter().filter_map(Json::as_text).filter_map(target).collect();
                    Alias { pattern: pattern.clone(), targets }
                };
                self.paths = aliases.entries().iter().map(alias).collect();
            }
        }
        if let Some(files) = json.texts_of("files") {
            self.files = Some(all(files));
        }
        if let Some(include) = json.texts_of("include") {
            self.include = Some(all(include));
        }
        if let Some(exclude) = json.texts_of("exclude") {
            self.exclude = all(exclude);
        }
        let reference = |reference: &Json| reference.text_of("path").and_then(at);
        self.references =
            json.get("references").map_or(&[][..], Json::array_items).iter().filter_map(reference).collect();
    }

    /// Replaces `${configDir}`.
    fn with_config_dir(mut self, workspace: &Workspace, folder: &str) -> Config {
        let settle = |path: &mut String| {
            if let Some(rest) = path.strip_prefix(CONFIG_DIR) {
                *path = workspace.configured_path(folder, rest).unwrap_or_default();
            }
        };
        self.folder = folder.to_owned();
        let single = [&mut self.base_url, &mut self.out_dir, &mut self.root_dir];
        single.into_iter().flatten().for_each(settle);
        let aliases = self.paths.iter_mut().flat_map(|alias| &mut alias.targets);
        let lists = [&mut self.files, &mut self.include].into_iter().flatten().flatten();
        aliases.chain(&mut self.root_dirs).chain(&mut self.exclude).chain(lists).for_each(settle);
        self
    }

    /// Returns whether the file belongs to the project.
    fn includes_file(&self, file: &str) -> bool {
        if self.files.iter().flatten().any(|listed| listed == file) {
            return true;
        }
        let included = match &self.include {
            Some(globs) => globs.iter().any(|glob| paths::glob_matches(glob, file)),
            None => self.files.is_none() && paths::relative_to(&self.folder, file).is_some(),
        };
        included && !self.exclude.iter().any(|glob| paths::glob_matches(glob, file))
    }

    fn has_settings(&self) -> bool {
        self.base_url.is_some() || !self.paths.is_empty() || !self.root_dirs.is_empty()
    }
}

const CONFIG_DIR: &str = "${configDir}";

/// Converts a path of a configuration to a path in the workspace.
fn workspace_path(workspace: &Workspace, folder: &str, path: &str) -> Option<String> {
    let path = path.replace('\\', "/");
    if path.starts_with(CONFIG_DIR) { Some(path) } else { workspace.configured_path(folder, &path) }
}
