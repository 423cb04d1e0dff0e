//! Compiler configurations around a file, such as `tsconfig.app.json` and `tsconfig.test.json` of one folder: which of
//! them includes the file. A configuration is not extended for a file that another one includes.

use std::collections::BTreeMap;

use marquetry_jsonpath::{Kind, Tree};
use marquetry_sdk::{
    FailureKind, Relocation, Result, fail, paths,
    workspace::{self, EntryKind},
};

use crate::{document::JsonDocument, source::Source};

/// Maximum number of configurations that extend each other.
const MOST_BASES: usize = 8;
/// Maximum number of configurations to read.
const MOST_CONFIGURATIONS: usize = 50;
/// Maximum number of paths visited to find a file that is still included. Beyond that, one is assumed to exist.
const MOST_VISITED: usize = 2_000;

/// Returns the moves after which the configuration has to include the moved files: all but those to a place that
/// another configuration includes.
///
/// # Errors
///
/// Fails with `Unsupported` if the configuration would include no file any more.
pub(crate) fn without_included_elsewhere(
    source: Source<'_>,
    path: &str,
    relocations: &[Relocation],
) -> Result<Vec<Relocation>> {
    let include = texts(source, "include").unwrap_or_default();
    let own: Vec<Pattern> = include.iter().filter_map(|text| Pattern::new(paths::folder(path), text)).collect();
    // If the folder of a pattern moves, the pattern moves with it.
    let follows = |one: &Relocation| own.iter().any(|pattern| paths::relative_to(&one.from, &pattern.base).is_some());
    if own.is_empty() || !is_configuration(path) || relocations.iter().any(follows) {
        return Ok(relocations.to_vec());
    }
    let mut configurations = Configurations { own: path, relocations, read: BTreeMap::new() };
    let mut remaining = Vec::with_capacity(relocations.len());
    for relocation in relocations {
        let leaves = includes(&own, &relocation.from, relocation) && !includes(&own, &relocation.to, relocation);
        if !leaves || !configurations.include(relocation) {
            remaining.push(relocation.clone());
        } else if !any_file_stays(&own, relocations) {
            let message = format!("`include` matches no files after the move of `{}`", relocation.from);
            return Err(fail(FailureKind::Unsupported, message).hint("change `include`, or remove the configuration"));
        }
    }
    Ok(remaining)
}

/// Returns whether patterns include a path before or after a move; if it is a folder, the files in it.
fn includes(patterns: &[Pattern], path: &str, relocation: &Relocation) -> bool {
    samples(path, relocation).iter().all(|sample| patterns.iter().any(|pattern| pattern.matches(sample)))
}

/// Returns the path of a file, or paths of files in a folder.
fn samples(path: &str, relocation: &Relocation) -> Vec<String> {
    match workspace::stat(&relocation.from) {
        Some(EntryKind::Directory) => vec![format!("{path}/a.ts"), format!("{path}/a/b.ts")],
        _ => vec![path.to_owned()],
    }
}

/// Returns whether a path is that of a compiler configuration.
fn is_configuration(path: &str) -> bool {
    let name = paths::file_name(path);
    name.ends_with(".json") && (name.starts_with("tsconfig") || name.starts_with("jsconfig"))
}

/// Configurations around the new places of files.
struct Configurations<'d> {
    /// Path of the configuration that is updated. It is not one of the configurations to search.
    own: &'d str,
    relocations: &'d [Relocation],
    read: BTreeMap<String, Option<Project>>,
}

impl Configurations<'_> {
    /// Returns whether one of the configurations includes the new place of a file or folder. Those in folders around
    /// the updated configuration do not count: the updated one is nearer to the file. Outside of its folder, only the
    /// nearest ones count.
    fn include(&mut self, relocation: &Relocation) -> bool {
        let (samples, own) = (samples(&relocation.to, relocation), paths::folder(self.own));
        let is_below_own = paths::relative_to(own, &relocation.to).is_some();
        for folder in paths::folders_around(&relocation.to) {
            let names = workspace::entries(folder).into_iter().map(|entry| entry.name);
            let names: Vec<String> = names.filter(|name| is_configuration(name)).collect();
            let mut found = names.iter().filter_map(|name| paths::join(folder, name));
            if found.any(|path| self.includes(&path, &samples)) {
                return true;
            }
            if folder == own || !is_below_own && !names.is_empty() {
                break;
            }
        }
        false
    }

    fn includes(&mut self, path: &str, samples: &[String]) -> bool {
        let goes = self.relocations.iter().any(|one| paths::relative_to(&one.from, path).is_some());
        if path == self.own || goes {
            return false;
        }
        if !self.read.contains_key(path) {
            if self.read.len() >= MOST_CONFIGURATIONS {
                return false;
            }
            self.read.insert(path.to_owned(), Project::read(path, MOST_BASES));
        }
        let project = self.read.get(path).and_then(Option::as_ref);
        project.is_some_and(|project| samples.iter().all(|sample| project.includes(sample)))
    }
}

/// The files of a configuration and of those that it extends.
#[derive(Debug, Clone)]
struct Project {
    folder: String,
    /// `None` if the configuration has no such list.
    include: Option<Vec<Pattern>>,
    files: Option<Vec<Pattern>>,
    exclude: Option<Vec<Pattern>>,
    compiles_javascript: Option<bool>,
}

impl Project {
    /// Reads a configuration and at most this many others. `None` if the file cannot be read.
    fn read(path: &str, bases: usize) -> Option<Project> {
        let document = JsonDocument::new(path, workspace::read(path).ok()?);
        let (source, folder) = (document.source(), paths::folder(path));
        let patterns = |name: &str| -> Option<Vec<Pattern>> {
            Some(texts(source, name)?.iter().filter_map(|text| Pattern::new(folder, text)).collect())
        };
        let options = source.member(source.root(), "compilerOptions");
        let setting = |name: &str| Some(source.boolean(source.member(options?, name)?));
        let javascript = paths::file_name(path).starts_with("jsconfig").then_some(true);
        let own = Project {
            folder: folder.to_owned(),
            include: patterns("include"),
            files: patterns("files"),
            exclude: patterns("exclude"),
            compiles_javascript: setting("allowJs").or_else(|| setting("checkJs")).or(javascript),
        };
        let extended = texts(source, "extends").unwrap_or_default();
        let extended = extended.iter().rev().filter(|text| bases > 0 && paths::is_relative(text));
        Some(extended.fold(own, |own, text| {
            let at = paths::join(folder, text).map(|at| if at.ends_with(".json") { at } else { format!("{at}.json") });
            match at.and_then(|at| Project::read(&at, bases - 1)) {
                Some(base) => own.or(base),
                None => own,
            }
        }))
    }

    /// Adds the settings that only the extended configuration has.
    fn or(self, base: Project) -> Project {
        Project {
            folder: self.folder,
            include: self.include.or(base.include),
            files: self.files.or(base.files),
            exclude: self.exclude.or(base.exclude),
            compiles_javascript: self.compiles_javascript.or(base.compiles_javascript),
        }
    }

    fn includes(&self, path: &str) -> bool {
        let any = |list: &Option<Vec<Pattern>>| list.iter().flatten().any(|pattern| pattern.matches(path));
        if any(&self.files) {
            return true;
        }
        let is_default = self.include.is_none() && self.files.is_none();
        let is_below = is_default && paths::relative_to(&self.folder, path).is_some();
        let is_package = path.split('/').any(|part| part == "node_modules");
        (any(&self.include) || is_below) && !any(&self.exclude) && !is_package && self.compiles(path)
    }

    fn compiles(&self, path: &str) -> bool {
        match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
            "ts" | "tsx" | "mts" | "cts" => true,
            "js" | "jsx" | "mjs" | "cjs" => self.compiles_javascript.unwrap_or_default(),
            _ => false,
        }
    }
}

/// Returns the texts of a list, or a single text, in a configuration.
fn texts(source: Source<'_>, name: &str) -> Option<Vec<String>> {
    let value = source.member(source.root(), name)?;
    match source.kind(value) {
        Kind::Array => Some(source.children(value).map(|text| source.text(text).into_owned()).collect()),
        Kind::String => Some(vec![source.text(value).into_owned()]),
        _ => None,
    }
}

/// A path or pattern of a configuration.
#[derive(Debug, Clone)]
struct Pattern {
    /// Path of the folder or file that it starts at.
    base: String,
    /// The remaining parts; `**` matches any number of folders.
    rest: Vec<String>,
}

impl Pattern {
    /// Parses a path or pattern that is relative to a folder. `None` if the pattern is outside of the root.
    fn new(folder: &str, text: &str) -> Option<Pattern> {
        let parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty()).collect();
        let fixed = parts.iter().position(|part| part.contains(['*', '?'])).unwrap_or(parts.len());
        let rest = parts[fixed..].iter().map(|part| (*part).to_owned()).collect();
        Some(Pattern { base: paths::join(folder, &parts[..fixed].join("/"))?, rest })
    }

    fn matches(&self, path: &str) -> bool {
        let Some(below) = paths::relative_to(&self.base, path) else { return false };
        let names: Vec<&str> = below.split('/').filter(|name| !name.is_empty()).collect();
        let parts: Vec<&str> = self.rest.iter().map(String::as_str).collect();
        // A folder includes everything in it.
        parts.is_empty() || parts_match(&parts, &names)
    }
}

fn parts_match(parts: &[&str], names: &[&str]) -> bool {
    match (parts, names) {
        ([], []) => true,
        (["**"], _) => true,
        (["**", rest @ ..], [_, below @ ..]) => parts_match(rest, names) || parts_match(parts, below),
        ([part, rest @ ..], [name, below @ ..]) => paths::part_matches(part, name) && parts_match(rest, below),
        _ => false,
    }
}

/// Returns whether patterns include a file that does not move.
fn any_file_stays(patterns: &[Pattern], relocations: &[Relocation]) -> bool {
    let stays = |path: &str| {
        !relocations.iter().any(|one| paths::relative_to(&one.from, path).is_some())
            && patterns.iter().any(|pattern| pattern.matches(path))
    };
    let mut waiting: Vec<String> = patterns.iter().map(|pattern| pattern.base.clone()).collect();
    let mut budget = MOST_VISITED;
    while let Some(path) = waiting.pop() {
        if budget == 0 {
            return true;
        }
        budget -= 1;
        match workspace::stat(&path) {
            Some(EntryKind::File) if stays(&path) => return true,
            Some(EntryKind::Directory) => {
                let entries = workspace::entries(&path).into_iter().filter(|entry| entry.name != "node_modules");
                waiting.extend(entries.filter_map(|entry| paths::join(&path, &entry.name)));
            }
            _ => {}
        }
    }
    false
}
