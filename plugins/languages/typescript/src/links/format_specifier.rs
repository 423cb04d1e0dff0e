//! Printing new specifiers in the style of the old ones.

use marquetry_sdk::{Failure, FailureKind, Result, SpecifierRequest, fail};

use crate::program::resolution::joined_literals::JoinedLiterals;
use crate::program::resolution::package::{self, Entry};
use crate::program::resolution::workspace::{Move, Workspace};
use crate::program::resolution::{FILE, GLOB, JOINED, Resolver, code_extension, monorepo, paths, suffix_start};

/// Returns the updated specifiers.
pub(crate) fn format_specifiers(requests: &[SpecifierRequest]) -> Vec<Result<String>> {
    let workspace = Workspace::after_moves(implied_moves(requests));
    let mut resolver: Option<(String, Resolver<'_>)> = None;
    let mut answers = Vec::with_capacity(requests.len());
    for request in requests {
        if resolver.as_ref().is_none_or(|(from, _)| *from != request.from) {
            resolver = Some((request.from.clone(), Resolver::new(&workspace, &request.from)));
        }
        answers.push(match &resolver {
            Some((_, resolver)) if request.kind == JOINED => format_joined(resolver, request),
            Some((_, resolver)) => SpecifierFormatter { resolver, request }.format_specifier(),
            None => Ok(request.specifier.clone()),
        });
    }
    answers
}

/// Returns the updated literals of a joined path.
fn format_joined(resolver: &Resolver<'_>, request: &SpecifierRequest) -> Result<String> {
    let unsupported = |path: &str| {
        fail(
            FailureKind::Unsupported,
            format!("the string literals that are joined to this path cannot be changed to give `{path}`"),
        )
        .hint("edit them by hand")
    };
    let literals = JoinedLiterals::parse(&request.specifier).ok_or_else(|| unsupported(&request.to))?;
    let single = SpecifierRequest { kind: FILE.to_owned(), specifier: literals.path(), ..request.clone() };
    let path = SpecifierFormatter { resolver, request: &single }.format_specifier()?;
    literals.with_path(&path).ok_or_else(|| unsupported(&path))
}

/// Returns the moves implied by the requests: moves of files, and moves of folders that contain both the linking and
/// the linked file.
fn implied_moves(requests: &[SpecifierRequest]) -> Vec<Move> {
    let mut found: Vec<Move> = Vec::new();
    let mut add = |from: &str, to: &str| {
        let step = Move { from: from.to_owned(), to: to.to_owned() };
        if from != to && !found.contains(&step) {
            found.push(step);
        }
    };
    let now = Workspace::current();
    let stays = |folder: &str| {
        let stays =
            |request: &SpecifierRequest| request.was == request.to && paths::relative_to(folder, &request.to).is_some();
        requests.iter().any(stays)
    };
    for request in requests.iter().filter(|request| request.was != request.to) {
        let (mut was, mut to) = (request.was.as_str(), request.to.as_str());
        while !was.is_empty() && !to.is_empty() && paths::file_name(was) == paths::file_name(to) {
            let around = (paths::parent(was), paths::parent(to));
            // If the new folder existed before, or something remains in the old one, the folder itself has not moved.
            if around.1.is_empty() || now.kind(around.1).is_some() || stays(around.0) {
                break;
            }
            (was, to) = around;
        }
        let before = paths::relative_to(to, &request.from).map(|rest| paths::join_path(was, rest));
        let together = before.is_some_and(|before| now.is_file(&before) && !now.is_file(&request.from));
        if together && was != to {
            add(was, to);
        }
        add(&request.was, &request.to);
    }
    found
}

/// Form of the last segment of a specifier.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ending {
    /// With the extension of the file.
    Whole,
    /// With the extension of the compiled file: `.js` for `.ts`.
    Compiled,
    /// Without the extension.
    Bare,
    /// Without the extension, with `index`.
    BareIndex,
    /// Only the folder that contains the index file.
    Folder,
}

struct SpecifierFormatter<'r, 'v> {
    resolver: &'r Resolver<'v>,
    request: &'r SpecifierRequest,
}

/// Returns candidates for one kind of specifier that is not a relative path.
type Strategy<'r, 'v> = fn(&SpecifierFormatter<'r, 'v>, &str, &[String]) -> Vec<String>;

impl<'r, 'v> SpecifierFormatter<'r, 'v> {
    fn format_specifier(&self) -> Result<String> {
        let SpecifierRequest { to, kind, specifier, .. } = self.request;
        if kind == GLOB {
            let way = paths::relative(&self.resolver.folder, to);
            return Ok(way.trim_end_matches('/').to_owned());
        }
        if self.resolves_to_target(specifier) && !paths::is_detour(&self.resolver.folder, specifier) {
            return Ok(specifier.clone());
        }
        let (path, suffix) = self.split_suffix();
        let by_name = !paths::is_relative(path) && !matches!(kind.as_str(), "reference" | "url" | FILE);
        let named = if by_name { self.non_relative_specifier(path) } else { None };
        let formatted = match named {
            Some(formatted) => formatted,
            None if by_name && self.is_public_name(path) => return Err(public_name_failure(path, to)),
            None => self.relative_specifier(path).ok_or_else(|| {
                let message = format!("no import specifier resolves from `{}` to `{to}`", self.request.from);
                fail(FailureKind::RefactorFailed, message)
            })?,
        };
        // Other paths are resolved below a folder only if it ends in a slash: `new URL("a.txt", base)`.
        let is_folder = matches!(kind.as_str(), "url" | FILE) && path.ends_with('/') && !formatted.ends_with('/');
        let slash = if is_folder { "/" } else { "" };
        Ok(escape_specifier(&format!("{formatted}{slash}{suffix}")))
    }

    /// Splits off the query or fragment of the specifier.
    fn split_suffix(&self) -> (&str, &str) {
        let specifier = &self.request.specifier;
        let end = suffix_start(specifier);
        // A `#` or `?` may be part of the file name.
        if self.request.was.ends_with(&specifier[end..]) { (specifier, "") } else { specifier.split_at(end) }
    }

    fn resolves_to_target(&self, specifier: &str) -> bool {
        self.resolver.resolved_file(&self.request.kind, specifier).as_deref() == Some(&self.request.to)
    }

    /// Returns the endings to try, starting with the style of the specifier `written`.
    fn candidate_endings(&self, written: &str) -> Vec<String> {
        let was = paths::file_name(&self.request.was);
        let last = paths::file_name(written);
        let compiled = compiled_name(was, last);
        let stem = code_extension(was).map(|extension| &was[..was.len() - extension.len()]);
        let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
        let style = if same(last, was) {
            Ending::Whole
        } else if compiled.is_some_and(|compiled| same(last, &compiled)) {
            Ending::Compiled
        } else if same(last, "index") && stem == Some("index") {
            Ending::BareIndex
        } else if stem.is_some_and(|stem| same(stem, last)) {
            Ending::Bare
        } else {
            Ending::Folder
        };
        let all = [style, Ending::Bare, Ending::BareIndex, Ending::Compiled, Ending::Whole];
        let mut formatted: Vec<String> =
            all.into_iter().map(|ending| with_ending(&self.request.to, ending, last)).collect();
        formatted.dedup();
        formatted
    }

    fn relative_specifier(&self, written: &str) -> Option<String> {
        let folder = &self.resolver.folder;
        // Paths that are not module specifiers may omit `./`.
        let plain = !paths::is_relative(written) && matches!(self.request.kind.as_str(), "reference" | "url" | FILE);
        let slash = written.ends_with('/');
        let is_dots = matches!(written.rsplit('/').next(), Some("" | "." | ".."));
        let formatted = |(path, is_folder): (String, bool)| {
            // A path to a file without its extension must not refer to the folder of the same name: in `cli/a.ts`, the
            // file `cli.ts` is `../cli`, not `.`.
            let mut relative =
                if is_folder { paths::relative(folder, &path) } else { paths::relative_file(folder, &path) };
            if plain && let Some(short) = relative.strip_prefix("./") {
                relative = short.to_owned();
            }
            if slash && relative.ends_with('.') || relative.is_empty() {
                relative.push('/');
            }
            // A specifier that named a file, or a folder by its name, is not reduced to dots.
            if matches!(relative.as_str(), "." | "..") && !is_dots && self.is_index_folder(&path) {
                relative.push_str("/index");
            }
            relative
        };
        let candidates: Vec<String> = if matches!(self.request.kind.as_str(), "reference" | "url" | FILE) {
            let is_folder = self.resolver.workspace.is_folder(&self.request.to);
            vec![formatted((self.request.to.clone(), is_folder))]
        } else {
            let folders = self.main_module_folder(written).into_iter();
            folders
                .chain(self.candidate_endings(written))
                .map(|path| (path.clone(), self.is_index_folder(&path)))
                .map(formatted)
                .collect()
        };
        candidates.iter().find(|candidate| self.resolves_to_target(candidate)).or(candidates.first()).cloned()
    }

    /// Returns whether a path with an ending denotes a folder by its index file.
    fn is_index_folder(&self, path: &str) -> bool {
        paths::relative_to(path, &self.request.to).is_some_and(|rest| !rest.is_empty())
    }

    /// Returns the folder whose main module the file is, if the old specifier named the folder: `require("..")`.
    fn main_module_folder(&self, written: &str) -> Option<String> {
        let last = written.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let named = |folder: &&str| {
            let is_named = matches!(last, "" | "." | "..") || paths::file_name(folder) == last;
            is_named && self.resolver.module_file(folder, true).as_deref() == Some(&self.request.to)
        };
        let stem = code_extension(&self.request.to)
            .map(|extension| &self.request.to[..self.request.to.len() - extension.len()]);
        let is_own = stem.is_some_and(|stem| paths::file_name(stem) == last);
        let mut around = paths::ancestors(paths::parent(&self.request.to));
        if is_own { None } else { around.find(named).map(str::to_owned) }
    }

    /// Returns a specifier of the same kind as the old one that resolves to the file. The kinds are aliases, paths
    /// below a base folder, and package names.
    fn non_relative_specifier(&self, written: &str) -> Option<String> {
        let endings = self.candidate_endings(written);
        let config = self.resolver.config.as_ref();
        let aliased = config.is_some_and(|config| config.paths.iter().any(|alias| alias.capture(written).is_some()));
        let packaged = monorepo::workspace_package(self.resolver.workspace, &self.resolver.folder, written).is_some();
        let ways: &[Strategy<'r, 'v>] = match written.as_bytes().first() {
            // If the old specifier is a public name of a package, the new one must be public as well, even if an alias
            // resolves the old one.
            _ if aliased && self.is_public_name(written) => &[Self::package_alias_candidates, Self::exports_candidates],
            _ if packaged && self.is_public_name(written) => &[Self::exports_candidates],
            _ if aliased => &[Self::alias_candidates, Self::base_folder_candidates, Self::package_candidates],
            _ if packaged => &[Self::package_candidates],
            Some(b'#') => &[Self::imports_map_candidates],
            Some(b'/') => &[Self::root_candidates],
            _ => &[Self::base_folder_candidates, Self::alias_candidates],
        };
        ways.iter().flat_map(|way| way(self, written, &endings)).find(|candidate| self.resolves_to_target(candidate))
    }

    /// Returns whether a specifier is a public name of a package of this workspace: the name of the package, or a
    /// subpath if the package's manifest has `exports`. Such a specifier must not be replaced by a path into the source
    /// of the package.
    fn is_public_name(&self, written: &str) -> bool {
        let member = monorepo::workspace_package(self.resolver.workspace, &self.resolver.folder, written);
        let is_of_member = member.is_some_and(|(folder, rest)| {
            let json = self.resolver.workspace.json(&paths::join_path(&folder, "package.json"));
            rest.is_empty() || json.is_some_and(|json| package::export_entries(&json).is_some())
        });
        is_of_member || self.names_other_package(written)
    }

    /// Returns whether a specifier names another package that contains the linked file, although no workspace lists the
    /// package: an alias resolves to its source.
    fn names_other_package(&self, written: &str) -> bool {
        let workspace = self.resolver.workspace;
        let own = monorepo::enclosing_package(workspace, &self.resolver.folder).map(|(folder, _)| folder);
        let (name, rest) = monorepo::split_package_name(written);
        let around = |path: &str| monorepo::enclosing_package(workspace, paths::parent(path));
        [&self.request.to, &self.request.was].into_iter().filter_map(|path| around(path)).any(|(folder, json)| {
            let is_whole_name = rest.is_empty() || package::export_entries(&json).is_some();
            json.text_of("name") == Some(name) && is_whole_name && own.as_ref() != Some(&folder)
        })
    }

    fn alias_candidates(&self, written: &str, endings: &[String]) -> Vec<String> {
        let Some(config) = &self.resolver.config else { return Vec::new() };
        let (used, others): (Vec<_>, Vec<_>) = config.paths.iter().partition(|alias| alias.capture(written).is_some());
        let mut found = Vec::new();
        for alias in used.into_iter().chain(others) {
            for (target, path) in alias.targets.iter().flat_map(|target| endings.iter().map(move |path| (target, path)))
            {
                if let Some(star) = paths::capture(target, path)
                    && (target.contains('*') == alias.pattern.contains('*'))
                {
                    found.push(alias.pattern.replace('*', star));
                }
                // The alias is for a single module. Its target may be written with or without the extension.
                if !target.contains('*') && *target == self.request.to {
                    found.push(alias.pattern.clone());
                }
            }
        }
        found
    }

    fn base_folder_candidates(&self, written: &str, endings: &[String]) -> Vec<String> {
        let base = self.resolver.config.as_ref().and_then(|config| config.base_url.clone());
        match base {
            Some(base) if !written.starts_with(['#', '/']) => {
                let below = |path: &String| paths::relative_to(&base, path).map(str::to_owned);
                endings.iter().filter_map(below).filter(|path| !path.is_empty()).collect()
            }
            _ => Vec::new(),
        }
    }

    fn imports_map_candidates(&self, written: &str, _endings: &[String]) -> Vec<String> {
        if !written.starts_with('#') {
            return Vec::new();
        }
        let Some((folder, json)) = monorepo::enclosing_package(self.resolver.workspace, &self.resolver.folder) else {
            return Vec::new();
        };
        let entries = package::import_entries(&json);
        entries.iter().flat_map(|entry| self.subpaths(&folder, entry)).collect()
    }

    fn package_candidates(&self, written: &str, endings: &[String]) -> Vec<String> {
        if written.starts_with(['#', '/']) {
            return Vec::new();
        }
        let workspace = self.resolver.workspace;
        let around = paths::ancestors(paths::parent(&self.request.to)).find_map(|folder| {
            let json = workspace.json(&paths::join_path(folder, "package.json"))?;
            Some((folder, json.text_of("name")?.to_owned(), json.clone()))
        });
        let Some((folder, name, json)) = around else { return Vec::new() };
        // Without `exports`, a package does not find itself by its name.
        let is_own =
            monorepo::enclosing_package(workspace, &self.resolver.folder).is_some_and(|(own, _)| own == folder);
        if is_own && package::export_entries(&json).is_none() && monorepo::split_package_name(written).0 != name {
            return Vec::new();
        }
        if let Some(entries) = package::export_entries(&json) {
            let subpaths = entries.iter().flat_map(|entry| self.subpaths(folder, entry));
            return subpaths.map(|subpath| format!("{name}{}", subpath.trim_start_matches('.'))).collect();
        }
        let below = |path: &String| match paths::relative_to(folder, path)? {
            "" => Some(name.clone()),
            rest => Some(format!("{name}/{rest}")),
        };
        std::iter::once(name.clone()).chain(endings.iter().filter_map(below)).collect()
    }

    /// Like `alias_candidates`, restricted to the same package.
    fn package_alias_candidates(&self, written: &str, endings: &[String]) -> Vec<String> {
        let (package, rest) = monorepo::split_package_name(written);
        let is_part = |found: &String| {
            let (other, part) = monorepo::split_package_name(found);
            other == package && part.is_empty() == rest.is_empty()
        };
        self.alias_candidates(written, endings).into_iter().filter(is_part).collect()
    }

    /// Like `package_candidates`, restricted to names that the manifest exports. If the old specifier is only the
    /// package name, it is never replaced by a subpath.
    fn exports_candidates(&self, written: &str, endings: &[String]) -> Vec<String> {
        let is_whole = monorepo::split_package_name(written).1.is_empty();
        let is_other_part = |found: &String| is_whole && found != written;
        let found = self.package_candidates(written, endings).into_iter();
        found.filter(|found| self.is_public_name(found) && !is_other_part(found)).collect()
    }

    fn root_candidates(&self, written: &str, _endings: &[String]) -> Vec<String> {
        let package = monorepo::enclosing_package(self.resolver.workspace, &self.resolver.folder)
            .map(|(folder, _)| folder)
            .unwrap_or_default();
        // Files in `public` are served without the name of that folder.
        let public = paths::join_path(&package, "public");
        let roots = if written.starts_with("/public/") { [package, public] } else { [public, package] };
        let endings = self.candidate_endings(written);
        let pairs = roots.iter().flat_map(|root| endings.iter().map(move |path| (root, path)));
        pairs.filter_map(|(root, path)| Some(format!("/{}", paths::relative_to(root, path)?))).collect()
    }

    /// Returns the subpaths under which an entry of `exports` or `imports` offers the file.
    fn subpaths(&self, folder: &str, entry: &Entry) -> Vec<String> {
        let mut found = Vec::new();
        for target in &entry.targets {
            for place in package::source_patterns(self.resolver.workspace, folder, target) {
                let place = place.trim_start_matches("./");
                let forms =
                    [Some(self.request.to.clone()), compiled_path(&self.request.to), bare_path(&self.request.to)];
                for form in forms.into_iter().flatten() {
                    let star = if place.ends_with('/') {
                        form.strip_prefix(place)
                    } else {
                        paths::capture(place, &form).or_else(|| paths::capture(&bare_path(place)?, &form))
                    };
                    if let Some(star) = star {
                        found.push(if entry.subpath.ends_with('/') {
                            format!("{}{star}", entry.subpath)
                        } else {
                            entry.subpath.replace('*', star)
                        });
                    }
                }
            }
        }
        found
    }
}

fn public_name_failure(written: &str, to: &str) -> Failure {
    let message = format!("`{written}` is a public name of its package, and the manifest does not mention `{to}`");
    fail(FailureKind::Unsupported, message).hint("change the package's `exports` or edit the specifier by hand")
}

/// Applies an ending to a path; `like` is the last segment of the old specifier.
fn with_ending(path: &str, ending: Ending, like: &str) -> String {
    let Some(extension) = code_extension(path) else {
        return path.to_owned();
    };
    let bare = &path[..path.len() - extension.len()];
    let is_index = paths::file_name(bare) == "index";
    // Node and TypeScript do not resolve specifiers that omit these extensions.
    let needs_extension = matches!(extension, ".mts" | ".cts" | ".mjs" | ".cjs" | ".d.mts" | ".d.cts");
    let compiled = || match compiled_name(paths::file_name(path), like) {
        Some(name) => paths::join_path(paths::parent(path), &name),
        None => path.to_owned(),
    };
    match ending {
        Ending::Whole if extension.starts_with(".d.") && !like.contains(".d.") => bare.to_owned(),
        Ending::Whole => path.to_owned(),
        Ending::Compiled => compiled(),
        _ if needs_extension => compiled(),
        Ending::BareIndex => bare.to_owned(),
        Ending::Bare | Ending::Folder if is_index => paths::parent(bare).to_owned(),
        Ending::Bare | Ending::Folder => bare.to_owned(),
    }
}

/// Returns the name of the compiled file. For a `.tsx` file, its extension is `.jsx` if `like` ends with `.jsx`, and
/// otherwise `.js`.
fn compiled_name(name: &str, like: &str) -> Option<String> {
    if let Some((stem, rest)) = name.rsplit_once(".d.")
        && let Some(extension) = rest.strip_suffix(".ts")
    {
        return Some(format!("{stem}.{extension}"));
    }
    let extension = code_extension(name)?;
    let compiled = match extension {
        ".ts" | ".d.ts" => ".js",
        ".tsx" if like.ends_with(".jsx") => ".jsx",
        ".tsx" => ".js",
        ".mts" | ".d.mts" => ".mjs",
        ".cts" | ".d.cts" => ".cjs",
        other => other,
    };
    Some(format!("{}{compiled}", &name[..name.len() - extension.len()]))
}

fn compiled_path(path: &str) -> Option<String> {
    Some(paths::join_path(paths::parent(path), &compiled_name(paths::file_name(path), "")?))
}

fn bare_path(path: &str) -> Option<String> {
    Some(path[..path.len() - code_extension(path)?.len()].to_owned())
}

/// Escapes a specifier for any kind of quotes.
fn escape_specifier(specifier: &str) -> String {
    let mut text = String::with_capacity(specifier.len());
    for c in specifier.chars() {
        match c {
            '\'' | '"' | '`' | '\\' => text.extend(['\\', c]),
            _ => text.push(c),
        }
    }
    text.replace("${", "\\${")
}
