//! Module resolution as in TypeScript and Node, with the query suffixes of bundlers.
//!
//! The same algorithm is used for all settings of `moduleResolution`: a file that only some of them accept is still the
//! intended file. It does no harm to resolve a link that some settings do not accept. A link that is not resolved would
//! not be updated when its target moves.

pub(crate) mod joined_literals;
pub(crate) mod json;
pub(crate) mod monorepo;
pub(crate) mod package;
pub(crate) mod paths;
pub(crate) mod tsconfig;
pub(crate) mod workspace;

use marquetry_sdk::{
    Destination, Request, Resolved,
    paths::{has_scheme, percent_decoded},
    possible_paths,
};

use joined_literals::JoinedLiterals;
use tsconfig::Config;
use workspace::Workspace;

/// TypeScript's extensions for specifiers with a JavaScript extension, in order of preference.
const SOURCE_EXTENSIONS: [(&str, &[&str]); 4] = [
    (".js", &[".ts", ".tsx", ".js", ".jsx", ".d.ts"]),
    (".jsx", &[".tsx", ".ts", ".jsx", ".js", ".d.ts"]),
    (".mjs", &[".mts", ".mjs", ".d.mts"]),
    (".cjs", &[".cts", ".cjs", ".d.cts"]),
];

/// Extensions that may be omitted, in order of preference. Neither TypeScript nor Node finds `a.mjs` by `./a`.
const OMITTABLE_EXTENSIONS: [&str; 6] = [".ts", ".tsx", ".js", ".jsx", ".d.ts", ".json"];

/// All extensions of code, longest first.
pub(crate) const CODE_EXTENSIONS: [&str; 11] =
    [".d.ts", ".d.mts", ".d.cts", ".tsx", ".mts", ".cts", ".jsx", ".mjs", ".cjs", ".ts", ".js"];

/// Link kind of a text that may name a file, without evidence that it does.
pub(crate) const POSSIBLE: &str = "possible";
/// The specifier of a use of the folder of the file itself.
pub(crate) const OWN_FOLDER: &str = "./";
/// The specifier of a use of all names in the folder of the file.
const OWN_NAMES: &str = "./*";

/// Link kind of a path below the folder of the file that the program may also create at run time.
pub(crate) const FILE: &str = "file";
/// Link kind of a path that is resolved like an import, to a file that is not code.
pub(crate) const ASSET: &str = "asset";
/// A file or folder whose path several literals are joined to.
pub(crate) const JOINED: &str = "joined";

/// Link kind of a glob pattern, which resolves to the folder it starts in.
pub(crate) const GLOB: &str = "glob";

/// Returns the extension of a code file.
pub(crate) fn code_extension(path: &str) -> Option<&'static str> {
    CODE_EXTENSIONS.into_iter().find(|extension| path.ends_with(extension))
}

/// Resolves the requests of one file.
pub(crate) fn resolve(workspace: &Workspace, from: &str, requests: &[Request]) -> Vec<Destination> {
    let resolver = Resolver::new(workspace, from);
    requests.iter().map(|request| resolver.destination(&request.kind, &request.specifier)).collect()
}

/// Settings that the specifiers of one file depend on.
#[derive(Debug)]
pub(crate) struct Resolver<'v> {
    pub(crate) workspace: &'v Workspace,
    pub(crate) folder: String,
    pub(crate) config: Option<std::rc::Rc<Config>>,
    /// Node treats a file without an extension as a JavaScript module; TypeScript and bundlers do not.
    allows_no_extension: bool,
}

impl<'v> Resolver<'v> {
    pub(crate) fn new(workspace: &'v Workspace, from: &str) -> Resolver<'v> {
        Resolver {
            workspace,
            folder: paths::parent(from).to_owned(),
            config: tsconfig::config_for(workspace, from),
            allows_no_extension: [".js", ".cjs"].iter().any(|extension| from.ends_with(extension)),
        }
    }

    pub(crate) fn destination(&self, kind: &str, specifier: &str) -> Destination {
        if kind == POSSIBLE && (specifier == OWN_FOLDER || specifier == OWN_NAMES) {
            return Destination::Unknown("paths are computed from the folder of the file".to_owned());
        }
        if kind == POSSIBLE {
            return possible_paths::destination(&self.folder, specifier);
        }
        if kind == JOINED {
            let joined = JoinedLiterals::parse(specifier).map(|literals| literals.path());
            return joined.map_or(Destination::External, |path| self.destination(FILE, &path));
        }
        if kind == GLOB {
            // A pattern that starts at the root does not refer to a specific folder.
            let folder = paths::join(&self.folder, specifier).filter(|folder| !folder.is_empty());
            let Some(folder) = folder else { return Destination::External };
            return match self.workspace.is_folder(&folder) {
                true => Destination::Inside(Resolved { path: folder, suffix: String::new() }),
                false => Destination::Missing(folder),
            };
        }
        let whole = self.resolve_specifier(kind, specifier);
        if matches!(whole, Destination::Inside(_) | Destination::External) {
            return whole;
        }
        let end = suffix_start(specifier);
        match self.resolve_specifier(kind, &specifier[..end]) {
            Destination::Inside(found) => {
                Destination::Inside(Resolved { path: found.path, suffix: specifier[end..].to_owned() })
            }
            other => other,
        }
    }

    /// Returns the file that the specifier resolves to, including its suffix.
    pub(crate) fn resolved_file(&self, kind: &str, specifier: &str) -> Option<String> {
        match self.destination(kind, specifier) {
            Destination::Inside(found) => Some(found.path),
            _ => None,
        }
    }

    fn resolve_specifier(&self, kind: &str, specifier: &str) -> Destination {
        if specifier.is_empty() {
            return Destination::Unknown("the specifier is empty".to_owned());
        }
        if has_scheme(specifier) || specifier.starts_with("//") {
            return Destination::External;
        }
        match kind {
            "reference" => return self.resolve_exact(specifier, &[".ts", ".tsx", ".d.ts"]),
            "url" if !specifier.starts_with('/') => return self.resolve_exact(specifier, &[]),
            // A missing file may be written at run time.
            FILE => {
                return match self.resolve_exact(specifier, &[]) {
                    found @ Destination::Inside(_) => found,
                    _ => Destination::External,
                };
            }
            "reference-types" if !paths::is_relative(specifier) => return Destination::External,
            _ => {}
        }
        if paths::is_relative(specifier) {
            return self.resolve_relative(specifier);
        }
        if let Some(rest) = specifier.strip_prefix('/') {
            return self.resolve_absolute(rest);
        }
        self.resolve_bare(specifier)
    }

    /// Resolves a path that includes the extension of its file.
    fn resolve_exact(&self, specifier: &str, or_with: &[&str]) -> Destination {
        let Some(path) = paths::join(&self.folder, specifier) else { return external_destination() };
        let decoded = percent_decoded(&path).filter(|decoded| **decoded != path);
        for path in [Some(path.as_str()), decoded.as_deref()].into_iter().flatten() {
            if self.workspace.kind(path).is_some() {
                return inside_destination(path.to_owned());
            }
        }
        let longer = or_with.iter().map(|extension| format!("{path}{extension}"));
        match longer.into_iter().find(|path| self.workspace.is_file(path)) {
            Some(found) => inside_destination(found),
            None => self.workspace.case_insensitive_match(&path).map_or(Destination::Missing(path), inside_destination),
        }
    }

    fn resolve_relative(&self, specifier: &str) -> Destination {
        let Some(path) = paths::join(&self.folder, specifier) else { return external_destination() };
        let only_folder = matches!(specifier.rsplit('/').next(), Some("" | "." | ".."));
        if let Some(found) = self.module_file(&path, only_folder) {
            return inside_destination(found);
        }
        if self.allows_no_extension && !only_folder && self.workspace.is_file(&path) {
            return inside_destination(path);
        }
        let other_roots = self.paths_in_root_dirs(&path);
        if let Some(found) = other_roots.iter().find_map(|path| self.module_file(path, only_folder)) {
            return inside_destination(found);
        }
        let guesses = if only_folder { Vec::new() } else { self.candidate_paths(&path) };
        match self.case_insensitive_match(&guesses) {
            Some(found) => inside_destination(found),
            None => Destination::Missing(path),
        }
    }

    /// Returns the paths that a specifier may mean, in order of preference.
    fn candidate_paths(&self, path: &str) -> Vec<String> {
        let spellings = SOURCE_EXTENSIONS.iter().filter_map(|(js, ts)| Some((path.strip_suffix(js)?, *ts)));
        let swapped = spellings.flat_map(|(stem, ts)| ts.iter().map(move |extension| format!("{stem}{extension}")));
        let appended = OMITTABLE_EXTENSIONS.iter().map(|extension| format!("{path}{extension}"));
        let whole = (self.allows_no_extension || paths::file_name(path).contains('.')).then(|| path.to_owned());
        whole.into_iter().chain(swapped).chain(appended).collect()
    }

    /// Returns the file that matches one of the guesses if case is ignored.
    fn case_insensitive_match(&self, guesses: &[String]) -> Option<String> {
        guesses.iter().find_map(|guess| self.workspace.case_insensitive_match(guess))
    }

    /// Returns the same path in the other folders of `rootDirs`.
    fn paths_in_root_dirs(&self, path: &str) -> Vec<String> {
        let Some(config) = &self.config else { return Vec::new() };
        let root = config
            .root_dirs
            .iter()
            .filter(|root| paths::relative_to(root, path).is_some())
            .max_by_key(|root| root.len());
        let Some(rest) = root.and_then(|root| paths::relative_to(root, path)) else { return Vec::new() };
        config.root_dirs.iter().map(|root| paths::join_path(root, rest)).filter(|other| other != path).collect()
    }

    /// Resolves `/src/x` as bundlers do: from the root of the project or its `public` folder.
    fn resolve_absolute(&self, rest: &str) -> Destination {
        let package =
            monorepo::enclosing_package(self.workspace, &self.folder).map(|(folder, _)| folder).unwrap_or_default();
        let roots = [package.clone(), paths::join_path(&package, "public"), String::new()];
        let found = roots.iter().find_map(|root| self.module_file(&paths::join(root, rest)?, false));
        found.map_or(Destination::External, inside_destination)
    }

    fn resolve_bare(&self, specifier: &str) -> Destination {
        let mut missing = None;
        if let Some(config) = &self.config {
            if let Some((targets, whole)) = alias_targets(config, specifier) {
                if let Some(found) = targets.iter().find_map(|target| self.module_file(target, false)) {
                    return inside_destination(found);
                }
                missing = if whole { None } else { targets.into_iter().next() };
            }
            if let Some(base) = &config.base_url
                && let Some(path) = paths::join(base, specifier)
                && let Some(found) = self.module_file(&path, false)
            {
                return inside_destination(found);
            }
        }
        if specifier.starts_with('#') {
            return self
                .package_import(specifier)
                .or(missing.map(Destination::Missing))
                .unwrap_or(external_destination());
        }
        if let Some((folder, rest)) = monorepo::workspace_package(self.workspace, &self.folder, specifier) {
            return self.resolve_in_package(&folder, rest);
        }
        if self.config.as_ref().is_some_and(|config| config.is_classic) {
            let mut around = paths::ancestors(&self.folder).filter_map(|folder| paths::join(folder, specifier));
            if let Some(found) = around.find_map(|path| self.module_file(&path, false)) {
                return inside_destination(found);
            }
        }
        match missing {
            Some(path) if !self.is_installed(specifier) => Destination::Missing(path),
            _ => Destination::External,
        }
    }

    /// Returns whether a package with this name is installed or listed as a dependency.
    fn is_installed(&self, specifier: &str) -> bool {
        let (name, _) = monorepo::split_package_name(specifier);
        paths::ancestors(&self.folder).any(|folder| {
            self.workspace.is_folder(&paths::join_path(folder, &format!("node_modules/{name}")))
                || self.workspace.json(&paths::join_path(folder, "package.json")).is_some_and(|json| {
                    ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]
                        .iter()
                        .any(|key| json.get(key).is_some_and(|list| list.get(name).is_some()))
                })
        })
    }

    fn package_import(&self, specifier: &str) -> Option<Destination> {
        let (folder, json) = monorepo::enclosing_package(self.workspace, &self.folder)?;
        let entries = package::import_entries(&json);
        let (entry, star) = package::matching_entry(&entries, specifier)?;
        if let Some(found) = entry.targets.iter().find_map(|target| self.package_target(&folder, target, star)) {
            return Some(inside_destination(found));
        }
        let first = entry.targets.first()?.replace('*', star);
        if !first.starts_with('.') {
            return Some(Destination::External);
        }
        paths::join(&folder, &first).map(Destination::Missing)
    }

    /// Resolves a subpath within a package.
    fn resolve_in_package(&self, folder: &str, rest: &str) -> Destination {
        let Some(json) = self.workspace.json(&paths::join_path(folder, "package.json")) else {
            return Destination::External;
        };
        let subpath = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
        let Some(entries) = package::export_entries(&json) else {
            let found = if rest.is_empty() { self.package_main(folder) } else { self.package_subpath(folder, rest) };
            return found.map_or_else(|| unbuilt_package(folder), inside_destination);
        };
        let Some((entry, star)) = package::matching_entry(&entries, &subpath) else {
            return Destination::Unknown(format!("`exports` of the package in `{folder}` has no `{subpath}`"));
        };
        let found = entry.targets.iter().find_map(|target| self.package_target(folder, target, star));
        found.map_or_else(|| unbuilt_package(folder), inside_destination)
    }

    fn package_subpath(&self, folder: &str, rest: &str) -> Option<String> {
        let places = package::source_patterns(self.workspace, folder, rest);
        let found = places.iter().find_map(|path| self.module_file(path, false));
        found.or_else(|| self.module_file(&paths::join_path(folder, &format!("src/{rest}")), false))
    }

    fn package_target(&self, folder: &str, target: &str, star: &str) -> Option<String> {
        if !target.starts_with('.') {
            return None;
        }
        let places = package::source_patterns(self.workspace, folder, target);
        places.iter().find_map(|path| self.module_or_file(&path.replace('*', star)))
    }

    fn package_main(&self, folder: &str) -> Option<String> {
        let json = self.workspace.json(&paths::join_path(folder, "package.json"))?;
        let named = package::main_entries(&json).find_map(|main| {
            package::source_patterns(self.workspace, folder, main).iter().find_map(|path| self.entry_file(path))
        });
        let index = || self.index_file(folder).or_else(|| self.index_file(&paths::join_path(folder, "src")));
        named.or_else(index)
    }

    /// Resolves the path of an entry point: a file, or the index of a folder. As in Node, `main` of that folder does not
    /// count, so the search ends if a folder names itself as its entry point.
    fn entry_file(&self, path: &str) -> Option<String> {
        let file = || self.workspace.is_file(path).then(|| path.to_owned());
        self.code_file(path).or_else(file).or_else(|| self.index_file(path))
    }

    /// Resolves a path in `package.json`: a module, or a file without an extension.
    fn module_or_file(&self, path: &str) -> Option<String> {
        self.module_file(path, false).or_else(|| self.workspace.is_file(path).then(|| path.to_owned()))
    }

    /// Resolves a module path whose extension may be omitted. A file without an extension does not match.
    pub(crate) fn module_file(&self, path: &str, only_folder: bool) -> Option<String> {
        let found = if only_folder { None } else { self.code_file(path) };
        found.or_else(|| self.folder_module(path))
    }

    /// Resolves a path whose extension may be omitted to a file.
    fn code_file(&self, path: &str) -> Option<String> {
        let file = |path: String| self.workspace.is_file(&path).then_some(path);
        let swaps = SOURCE_EXTENSIONS.iter().filter_map(|(js, ts)| Some((path.strip_suffix(js)?, *ts)));
        let mut swapped = swaps.flat_map(|(stem, ts)| ts.iter().map(move |extension| format!("{stem}{extension}")));
        let named = || paths::file_name(path).contains('.').then(|| file(path.to_owned())).flatten();
        let completed = || OMITTABLE_EXTENSIONS.iter().find_map(|extension| file(format!("{path}{extension}")));
        let declared = || path.rsplit_once('.').and_then(|(stem, rest)| file(format!("{stem}.d.{rest}.ts")));
        // Bundlers of Vue projects find `Card.vue` by `./Card`, if no module has this name.
        let component = || file(format!("{path}.vue"));
        swapped.find_map(file).or_else(named).or_else(completed).or_else(declared).or_else(component)
    }

    fn folder_module(&self, folder: &str) -> Option<String> {
        if !self.workspace.is_folder(folder) {
            return None;
        }
        let manifest = self.workspace.json(&paths::join_path(folder, "package.json"));
        if manifest.is_some_and(|json| package::main_entries(&json).next().is_some()) {
            return self.package_main(folder);
        }
        self.index_file(folder)
    }

    fn index_file(&self, folder: &str) -> Option<String> {
        let index = paths::join_path(folder, "index");
        OMITTABLE_EXTENSIONS
            .iter()
            .map(|extension| format!("{index}{extension}"))
            .find(|path| self.workspace.is_file(path))
    }
}

/// Returns the target paths of the best matching alias, and whether its pattern is `*`.
fn alias_targets(config: &Config, specifier: &str) -> Option<(Vec<String>, bool)> {
    let prefix = |pattern: &str| pattern.find('*').map_or((true, pattern.len()), |star| (false, star));
    let matching = config.paths.iter().filter_map(|alias| Some((alias, alias.capture(specifier)?)));
    let (alias, star) = matching.max_by_key(|(alias, _)| prefix(&alias.pattern))?;
    let targets = alias.targets.iter().map(|target| target.replace('*', star)).collect();
    Some((targets, alias.pattern == "*"))
}

/// Returns the offset of the query or fragment of a specifier; its length if it has none.
pub(crate) fn suffix_start(specifier: &str) -> usize {
    let skip = usize::from(specifier.starts_with('#'));
    specifier[skip..].find(['?', '#']).map_or(specifier.len(), |at| at + skip)
}

fn inside_destination(path: String) -> Destination {
    Destination::Inside(Resolved { path, suffix: String::new() })
}

fn external_destination() -> Destination {
    Destination::External
}

fn unbuilt_package(folder: &str) -> Destination {
    Destination::Unknown(format!(
        "the entry file of the package in `{folder}` does not exist, and its source is unknown"
    ))
}
