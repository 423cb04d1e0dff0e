//! Writes the specifier for a module: relative, by an alias, or by a package, whichever is shortest.

use crate::imports::compiler_settings::{CompilerSettings, Resolution};
use crate::imports::preferences::{Preferences, PreferredEnding, SpecifierForm};
use crate::program::resolution::json::Json;
use crate::program::resolution::{Resolver, code_extension, monorepo, package, paths};

/// Ending of a specifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// Neither extension nor `index`.
    Minimal,
    Index,
    Js,
    Ts,
}

/// Maximum depth of nested conditions.
const MAX_CONDITION_DEPTH: usize = 8;

/// Writes specifiers in one file.
pub(crate) struct SpecifierFormatter<'s, 'v> {
    pub(crate) resolver: &'s Resolver<'v>,
    pub(crate) settings: &'s CompilerSettings,
    pub(crate) preferences: &'s Preferences,
    endings: Vec<Ending>,
    /// Specifiers of JavaScript files keep their extension.
    keeps_extension: bool,
}

impl<'s, 'v> SpecifierFormatter<'s, 'v> {
    /// Creates a writer. `written` yields the existing specifiers of the file, from which the endings are detected.
    pub(crate) fn new<'w>(
        resolver: &'s Resolver<'v>,
        settings: &'s CompilerSettings,
        preferences: &'s Preferences,
        written: impl Iterator<Item = &'w str>,
    ) -> SpecifierFormatter<'s, 'v> {
        let written: Vec<&str> = written.filter(|specifier| paths::is_relative(specifier)).collect();
        let is_bare = |specifier: &&str| !specifier.rsplit('/').next().unwrap_or_default().contains('.');
        let keeps_extension = settings.is_plain_es && !written.iter().any(is_bare);
        let endings = allowed_endings(settings, preferences, written.into_iter());
        SpecifierFormatter { resolver, settings, preferences, endings, keeps_extension }
    }

    /// Returns the specifier that resolves to a file of the workspace.
    pub(crate) fn format_specifier(&self, target: &str) -> String {
        let relative = self.with_used_ending(&paths::relative(&self.resolver.folder, target), Some(target));
        if let Some(specifier) = self.other_package_specifier(target) {
            return specifier;
        }
        let config = self.resolver.config.as_deref();
        if self.preferences.specifier_form == SpecifierForm::Relative {
            return relative;
        }
        let named = self.imports_map_specifier(target).or_else(|| self.alias_specifier(target)).or_else(|| {
            let base = config?.base_url.as_deref()?;
            Some(self.with_used_ending(paths::relative_to(base, target)?, Some(target)))
                .filter(|below| !below.is_empty())
        });
        let Some(named) = named.filter(|named| !paths::is_relative(named)) else { return relative };
        let is_named = match self.preferences.specifier_form {
            SpecifierForm::NonRelative => true,
            SpecifierForm::ProjectRelative => self.crosses_project(target),
            _ => {
                relative.starts_with("../") && named.starts_with("../")
                    || segment_count(&relative) >= segment_count(&named)
            }
        };
        if is_named { named } else { relative }
    }

    /// Returns whether a file is in another project or package than the importing file.
    fn crosses_project(&self, target: &str) -> bool {
        let project = self.resolver.config.as_ref().map_or("", |config| config.folder.as_str());
        let inside = |path: &str| paths::relative_to(project, path).is_some();
        let package =
            |folder: &str| monorepo::enclosing_package(self.resolver.workspace, folder).map(|(folder, _)| folder);
        inside(&self.resolver.folder) != inside(target)
            || package(&self.resolver.folder) != package(paths::parent(target))
    }

    /// Returns a path with the ending that the file uses.
    fn with_used_ending(&self, path: &str, target: Option<&str>) -> String {
        let Some(extension) = code_extension(path) else { return path.to_owned() };
        let bare = &path[..path.len() - extension.len()];
        let compiled = format!("{bare}{}", compiled_extension(extension));
        let first = self.endings[0];
        match extension {
            ".mjs" | ".cjs" => return path.to_owned(),
            ".js" | ".jsx" if self.keeps_extension => return path.to_owned(),
            ".mts" | ".cts" if first == Ending::Ts => return path.to_owned(),
            ".mts" | ".cts" | ".d.mts" | ".d.cts" => return compiled,
            _ => {}
        }
        match first {
            Ending::Minimal => {
                let folder = match bare {
                    "./index" | "index" => Some("."),
                    _ => bare.strip_suffix("/index"),
                };
                // A folder cannot be imported by name if a file has the same name.
                let stem = target.and_then(|target| target.strip_suffix(&format!("/index{extension}")));
                let taken = stem.is_some_and(|stem| {
                    let file = |extension: &&str| self.resolver.workspace.is_file(&format!("{stem}{extension}"));
                    [".ts", ".tsx", ".d.ts", ".js", ".jsx"].iter().any(file)
                });
                folder.filter(|_| !taken).unwrap_or(bare).to_owned()
            }
            Ending::Index => bare.to_owned(),
            Ending::Js => compiled,
            Ending::Ts if extension.starts_with(".d.") => compiled,
            Ending::Ts => path.to_owned(),
        }
    }

    fn alias_specifier(&self, target: &str) -> Option<String> {
        let config = self.resolver.config.as_deref()?;
        let whole = self.endings.iter().map(|ending| self.with_ending(target, *ending));
        let forms: Vec<String> = whole.chain([target.to_owned()]).collect();
        for alias in &config.paths {
            for pattern in &alias.targets {
                let pattern_bare = code_extension(pattern).map(|extension| &pattern[..pattern.len() - extension.len()]);
                for form in &forms {
                    let star = paths::capture(pattern, form).or_else(|| paths::capture(pattern_bare?, form));
                    if let Some(star) = star
                        && pattern.contains('*') == alias.pattern.contains('*')
                    {
                        return Some(alias.pattern.replacen('*', star, 1));
                    }
                }
            }
        }
        None
    }

    fn with_ending(&self, path: &str, ending: Ending) -> String {
        let own = SpecifierFormatter { endings: vec![ending], ..*self };
        own.with_used_ending(path, Some(path))
    }

    /// Returns the name for a file in `imports` of the importing file's package.
    fn imports_map_specifier(&self, target: &str) -> Option<String> {
        if !self.settings.reads_imports_map {
            return None;
        }
        let (folder, json) = monorepo::enclosing_package(self.resolver.workspace, &self.resolver.folder)?;
        let entries = json.get("imports")?.entries();
        entries
            .iter()
            .filter(|(key, _)| key.starts_with('#'))
            .find_map(|(key, value)| self.entry_subpath(&folder, key, value, target, true, 0))
    }

    /// Returns the subpath by which an entry of `exports` or `imports` resolves to a file.
    fn entry_subpath(
        &self,
        folder: &str,
        key: &str,
        value: &Json,
        target: &str,
        sources: bool,
        depth: usize,
    ) -> Option<String> {
        match value {
            Json::String(to) => self.target_subpath(folder, key, to, target, sources),
            Json::Array(all) if depth < MAX_CONDITION_DEPTH => {
                all.iter().find_map(|value| self.entry_subpath(folder, key, value, target, sources, depth + 1))
            }
            Json::Object(conditions) if depth < MAX_CONDITION_DEPTH => {
                let holds =
                    |name: &str| name == "default" || self.settings.conditions.iter().any(|known| known == name);
                let active = conditions.iter().filter(|(name, _)| holds(name));
                active
                    .map(|(_, value)| self.entry_subpath(folder, key, value, target, sources, depth + 1))
                    .find_map(|found| found)
            }
            _ => None,
        }
    }

    fn target_subpath(&self, folder: &str, key: &str, to: &str, target: &str, sources: bool) -> Option<String> {
        let written = if sources {
            package::source_patterns(self.resolver.workspace, folder, to)
        } else {
            vec![paths::join(folder, to)?]
        };
        let extension = code_extension(target)?;
        let bare = &target[..target.len() - extension.len()];
        let compiled = format!("{bare}{}", compiled_extension(extension));
        for (index, pattern) in written.iter().enumerate() {
            // The old form of a pattern: `./dist/`.
            let slash = if to.ends_with('/') && !pattern.ends_with('/') { "/" } else { "" };
            let pattern = &format!("{pattern}{slash}");
            // A source file is referenced by the file that it is compiled to.
            let forms = if index == 0 { vec![compiled.as_str(), target] } else { vec![compiled.as_str()] };
            let declared = pattern.strip_suffix(".d.ts").map(|stem| format!("{stem}.js"));
            for pattern in [Some(pattern), declared.as_ref()].into_iter().flatten() {
                for form in &forms {
                    if let Some(rest) = pattern.ends_with('/').then(|| form.strip_prefix(pattern.as_str())).flatten() {
                        return Some(format!("{key}{rest}"));
                    }
                    if let Some(star) = paths::capture(pattern, form) {
                        return Some(key.replacen('*', star, 1));
                    }
                }
            }
        }
        None
    }

    /// Returns the specifier of a file in another package of the workspace.
    fn other_package_specifier(&self, target: &str) -> Option<String> {
        let workspace = self.resolver.workspace;
        let (own, _) = monorepo::enclosing_package(workspace, &self.resolver.folder)?;
        let (folder, json) = monorepo::enclosing_package(workspace, paths::parent(target))?;
        let name = json.text_of("name").filter(|_| folder != own)?;
        monorepo::workspace_package(workspace, &self.resolver.folder, name).filter(|(found, _)| *found == folder)?;
        self.package_specifier(name, &folder, &json, target, true)
    }

    /// Returns the specifier of a file in a package; `None` if the package does not export it.
    pub(crate) fn package_specifier(
        &self,
        name: &str,
        folder: &str,
        json: &Json,
        target: &str,
        sources: bool,
    ) -> Option<String> {
        if let Some(exports) = json.get("exports").filter(|_| self.settings.resolution != Resolution::Classic) {
            let has_subpaths = exports.entries().iter().any(|(key, _)| key.starts_with('.'));
            let subpath = if has_subpaths {
                let mut entries = exports.entries().iter();
                entries.find_map(|(key, value)| self.entry_subpath(folder, key, value, target, sources, 0))?
            } else {
                self.entry_subpath(folder, ".", exports, target, sources, 0)?
            };
            return Some(format!("{name}{}", subpath.strip_prefix('.').unwrap_or(&subpath)));
        }
        let below = paths::relative_to(folder, target)?;
        let is_entry = |entry: &str| {
            let places = match sources {
                true => package::source_patterns(self.resolver.workspace, folder, entry),
                false => paths::join(folder, entry).into_iter().collect(),
            };
            places.iter().any(|place| {
                self.resolver.module_file(place, false).as_deref() == Some(target) || provides_types_of(place, target)
            })
        };
        let mut entries = package::main_entries(json).peekable();
        let says = entries.peek().is_some();
        let is_main = entries.any(is_entry);
        let is_index = below.strip_prefix("index").is_some_and(|rest| code_extension(below) == Some(rest));
        if is_main || is_index && !says {
            return Some(name.to_owned());
        }
        let rest = self.with_used_ending(below, Some(target));
        Some(format!("{name}/{rest}"))
    }
}

/// Returns whether the file contains the types of a JavaScript entry point.
fn provides_types_of(entry: &str, target: &str) -> bool {
    let stem = |path: &str| code_extension(path).map(|extension| path[..path.len() - extension.len()].to_owned());
    stem(target).is_some_and(|stem_of| {
        stem(entry).as_deref() == Some(&stem_of) || entry == stem_of || format!("{entry}/index") == stem_of
    })
}

fn segment_count(specifier: &str) -> usize {
    specifier.strip_prefix("./").unwrap_or(specifier).matches('/').count()
}

/// Returns the extension of a file after compilation.
fn compiled_extension(extension: &str) -> &str {
    match extension {
        ".mts" | ".d.mts" | ".mjs" => ".mjs",
        ".cts" | ".d.cts" | ".cjs" => ".cjs",
        ".jsx" => ".jsx",
        _ => ".js",
    }
}

/// Returns the endings that may be written, the preferred one first. `written` are relative specifiers.
fn allowed_endings<'w>(
    settings: &CompilerSettings,
    preferences: &Preferences,
    written: impl Iterator<Item = &'w str>,
) -> Vec<Ending> {
    let (mut js, mut ts) = (false, false);
    for specifier in written {
        match code_extension(specifier) {
            Some(".js" | ".jsx") => js = true,
            Some(".ts" | ".tsx") => ts = true,
            _ => {}
        }
    }
    let needs_extension = settings.resolution == Resolution::NodeNext && settings.is_esm;
    if needs_extension || preferences.ending == Some(PreferredEnding::Js) {
        let wants_ts = settings.allows_ts_extensions && (ts || !js);
        return vec![if wants_ts { Ending::Ts } else { Ending::Js }];
    }
    let wanted = match preferences.ending {
        Some(PreferredEnding::Minimal) => Ending::Minimal,
        Some(PreferredEnding::Index) => Ending::Index,
        _ if ts && settings.allows_ts_extensions => Ending::Ts,
        _ if js => Ending::Js,
        _ => Ending::Minimal,
    };
    if settings.resolution == Resolution::Classic {
        return vec![if wanted == Ending::Js { Ending::Js } else { Ending::Index }];
    }
    let mut all = vec![wanted];
    all.extend([Ending::Minimal, Ending::Index, Ending::Js].into_iter().filter(|ending| *ending != wanted));
    all
}
