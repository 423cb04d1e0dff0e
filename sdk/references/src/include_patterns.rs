//! Updates `include` patterns so that they still match files that move.

use marquetry_jsonpath::{Kind, Tree};
use marquetry_sdk::{
    FailureKind, Relocation, Result, fail,
    paths::{folder, folders_around, join, part_matches, relative, relative_to},
    workspace::{self, EntryKind},
};

use crate::rules::FileKind;

/// New patterns, and the element after which to insert them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternInsertion<N> {
    /// The last existing pattern.
    pub last_pattern: N,
    /// The patterns to insert.
    pub patterns: Vec<String>,
}

/// The patterns that a compiler configuration needs in addition so that it includes the moved files as before. `None`
/// if it did not include them, still includes them, excludes the new path, or another project includes it.
///
/// # Errors
///
/// Fails with `Unsupported` if no additional pattern is correct: if packages leave the folders of a workspace, or
/// files leave `rootDir`.
pub fn extend_globs<T: Tree>(
    tree: &T,
    path: &str,
    relocations: &[Relocation],
) -> Result<Option<PatternInsertion<T::Node>>> {
    match FileKind::detect(tree, path) {
        FileKind::TsConfig { .. } => extend_include(tree, path, relocations),
        FileKind::PackageJson { .. } => {
            let list = tree.member(tree.root(), "workspaces");
            let list = list.map(|list| tree.member(list, "packages").unwrap_or(list));
            check_workspace_members(tree, path, list, relocations).map(|()| None)
        }
        FileKind::PnpmWorkspace => {
            check_workspace_members(tree, path, tree.member(tree.root(), "packages"), relocations).map(|()| None)
        }
        _ => Ok(None),
    }
}

/// Fails if a package was a member of the workspace and is not a member at its new path.
fn check_workspace_members<T: Tree>(
    tree: &T,
    path: &str,
    list: Option<T::Node>,
    relocations: &[Relocation],
) -> Result<()> {
    let Some(list) = list.filter(|list| tree.kind(*list) == Kind::Array) else { return Ok(()) };
    let texts: Vec<String> = tree.children(list).map(|node| tree.text(node).into_owned()).collect();
    let patterns: Vec<Pattern> = texts.iter().filter_map(|text| Pattern::new(folder(path), text)).collect();
    let is_member = |path: &str| patterns.iter().any(|pattern| pattern.matches_exactly(path));
    let is_package = |path: &str| workspace::stat(&format!("{path}/package.json")) == Some(EntryKind::File);
    let follows = |relocation: &Relocation| {
        patterns.iter().any(|pattern| is_moved_by(relocation, &pattern.base) && !pattern.base.is_empty())
    };
    let mut lost =
        relocations.iter().filter(|one| is_package(&one.from) && is_member(&one.from) && !is_member(&one.to));
    match lost.find(|one| !is_moved_by(one, path) && !follows(one)) {
        None => Ok(()),
        Some(one) => {
            let message =
                format!("`{}` matches none of the package patterns of the workspace: `{}`", one.to, texts.join("`, `"));
            Err(fail(FailureKind::Unsupported, message).hint("add a pattern, or move it to a folder that matches one"))
        }
    }
}

fn extend_include<T: Tree>(
    tree: &T,
    path: &str,
    relocations: &[Relocation],
) -> Result<Option<PatternInsertion<T::Node>>> {
    let list = |name: &str| -> Vec<T::Node> {
        let found = tree.member(tree.root(), name).filter(|list| tree.kind(*list) == Kind::Array);
        found.map(|list| tree.children(list).collect()).unwrap_or_default()
    };
    let include = list("include");
    let Some(&behind) = include.last() else { return Ok(None) };
    let folder = self::folder(path);
    let patterns = |nodes: &[T::Node]| -> Vec<Pattern> {
        nodes.iter().filter_map(|node| Pattern::new(folder, &tree.text(*node))).collect()
    };
    let (included, excluded) = (patterns(&include), patterns(&list("exclude")));
    // The base folder of a pattern is a link. If it moves, the link is updated separately, so the pattern then has the
    // new base.
    let later = |path: &str| path_after_moves(relocations, path);
    let follow = |pattern: &Pattern| Pattern { base: later(&pattern.base), rest: pattern.rest.clone() };
    let included_then: Vec<Pattern> = included.iter().map(follow).collect();
    let dotted = tree.text(behind).starts_with("./");
    let mut added: Vec<String> = Vec::new();
    for relocation in relocations.iter().filter(|relocation| !is_moved_by(relocation, path)) {
        let follows = included.iter().any(|pattern| is_moved_by(relocation, &pattern.base));
        let is_file = workspace::stat(&relocation.from) == Some(EntryKind::File);
        let names =
            |path: &str| excluded.iter().any(|pattern| pattern.rest_below(path).is_some_and(|rest| rest.is_empty()));
        let compiles = !is_file || includes_extension(tree, path, &relocation.from);
        // The move of a folder needs no pattern if there are also moves of files in it to paths below the new folder.
        // These are handled instead.
        let goes_along = |one: &Relocation| {
            one != relocation && is_moved_by(relocation, &one.from) && relative_to(&relocation.to, &one.to).is_some()
        };
        if follows || relocations.iter().any(goes_along) || names(&relocation.from) || names(&relocation.to) {
            continue;
        }
        if included_then.iter().any(|pattern| pattern.matches(&relocation.to, is_file).is_some()) {
            continue;
        }
        let mut means = included.iter().filter(|pattern| compiles || pattern.has_fixed_extension());
        let Some(rest) = means.find_map(|pattern| pattern.matches(&relocation.from, is_file)) else { continue };
        if has_nearer_project(path, &relocation.to) {
            let is_left = |file: &str| {
                let goes = relocations.iter().any(|one| is_moved_by(one, file));
                !goes && included.iter().any(|pattern| pattern.matches(file, true).is_some())
            };
            let mut budget = MOST_VISITED;
            if included.iter().any(|pattern| any_file_below(&pattern.base, &is_left, &mut budget)) {
                continue;
            }
            let message = format!("`include` matches no files after the move of `{}`", relocation.from);
            return Err(fail(FailureKind::Unsupported, message).hint("change `include`, or remove the configuration"));
        }
        if let Some(root) = root_dir(tree, folder).filter(|root| relative_to(root, &relocation.to).is_none()) {
            let message = format!("`{}` was included, but is now outside of `rootDir` (`{root}`)", relocation.to);
            return Err(fail(FailureKind::Unsupported, message).hint("change `rootDir` and `include` by hand"));
        }
        let to = relative(self::folder(&later(path)), &relocation.to);
        let start = if dotted && !to.starts_with("../") { "./" } else { "" };
        let pattern: String = [start, &to].into_iter().chain(rest.iter().flat_map(|part| ["/", part])).collect();
        if !added.contains(&pattern) {
            added.push(pattern);
        }
    }
    Ok((!added.is_empty()).then_some(PatternInsertion { last_pattern: behind, patterns: added }))
}

/// Maximum number of paths visited to find a file that is still included. Beyond that, one is assumed to exist.
const MOST_VISITED: usize = 2_000;

/// Returns whether any file at or below a path satisfies the predicate. True if the budget runs out.
fn any_file_below(path: &str, is_it: &impl Fn(&str) -> bool, budget: &mut usize) -> bool {
    let mut waiting = vec![path.to_owned()];
    while let Some(path) = waiting.pop() {
        if *budget == 0 {
            return true;
        }
        *budget -= 1;
        match workspace::stat(&path) {
            Some(EntryKind::File) if is_it(&path) => return true,
            Some(EntryKind::Directory) => {
                let entries = workspace::entries(&path).into_iter().filter(|entry| entry.name != "node_modules");
                waiting.extend(
                    entries.map(|entry| if path.is_empty() { entry.name } else { format!("{path}/{}", entry.name) }),
                );
            }
            _ => {}
        }
    }
    false
}

/// Returns whether the nearest project around a path is a different one, which then includes the file.
fn has_nearer_project(configuration: &str, place: &str) -> bool {
    let has_project = |folder: &&str| {
        let at = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        ["tsconfig.json", "jsconfig.json"].iter().any(|name| workspace::stat(&at(name)) == Some(EntryKind::File))
    };
    folders_around(place).find(has_project).is_some_and(|nearest| nearest != folder(configuration))
}

/// The value of `rootDir`, relative to the root of the workspace.
fn root_dir<T: Tree>(tree: &T, folder: &str) -> Option<String> {
    let root = tree.member(tree.member(tree.root(), "compilerOptions")?, "rootDir")?;
    join(folder, &tree.text(root))
}

/// Returns a path after the moves. The innermost move applies: a file can be moved elsewhere than its folder.
fn path_after_moves(relocations: &[Relocation], path: &str) -> String {
    let all = relocations.iter().filter_map(|one| Some((one, relative_to(&one.from, path)?)));
    let nearest = all.max_by_key(|(one, _)| one.from.len());
    nearest.map_or_else(
        || path.to_owned(),
        |(one, rest)| if rest.is_empty() { one.to.clone() } else { format!("{}/{rest}", one.to) },
    )
}

fn is_moved_by(relocation: &Relocation, path: &str) -> bool {
    relative_to(&relocation.from, path).is_some()
}

/// Returns whether patterns without an extension include files with this extension.
fn includes_extension<T: Tree>(tree: &T, configuration: &str, path: &str) -> bool {
    let set = |name: &str| {
        let options = tree.member(tree.root(), "compilerOptions");
        options.and_then(|options| tree.member(options, name)).is_some_and(|value| tree.boolean(value))
    };
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension {
        "ts" | "tsx" | "mts" | "cts" => true,
        "js" | "jsx" | "mjs" | "cjs" => {
            set("allowJs")
                || set("checkJs")
                || configuration.rsplit('/').next().is_some_and(|name| name.starts_with("jsconfig"))
        }
        _ => false,
    }
}

/// A pattern of `include` or `exclude`.
struct Pattern {
    /// The folder at which the pattern starts, relative to the root.
    base: String,
    /// The remaining parts; `**` matches any number of folders.
    rest: Vec<String>,
}

impl Pattern {
    fn new(folder: &str, text: &str) -> Option<Pattern> {
        let text = text.trim_end_matches('/');
        let wild = text.find(['*', '?']).unwrap_or(text.len());
        let start = if wild == text.len() { wild } else { text[..wild].rfind('/').map_or(0, |slash| slash + 1) };
        let rest = text[start..].split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        Some(Pattern { base: join(folder, &text[..start])?, rest })
    }

    /// Returns whether the pattern matches exactly this path.
    fn matches_exactly(&self, path: &str) -> bool {
        match self.rest.is_empty() {
            true => self.base == path,
            false => self.rest_below(path).is_some_and(|rest| rest.is_empty()),
        }
    }

    /// Returns whether the pattern ends with a fixed file extension.
    fn has_fixed_extension(&self) -> bool {
        let last = self.rest.last().and_then(|part| part.rsplit_once('.'));
        last.is_some_and(|(_, extension)| !extension.is_empty() && !extension.contains(['*', '?']))
    }

    /// Like `rest_below`, but for a file only if the whole pattern matches.
    fn matches(&self, path: &str, is_file: bool) -> Option<Vec<&str>> {
        self.rest_below(path).filter(|rest| !is_file || rest.is_empty())
    }

    /// Returns the parts of the pattern that remain below a path; the list is empty if the pattern matches the path.
    /// Returns `None` if the pattern matches neither the path nor a path below it.
    fn rest_below(&self, path: &str) -> Option<Vec<&str>> {
        let below = relative_to(&self.base, path)?;
        let parts: Vec<&str> = below.split('/').filter(|part| !part.is_empty()).collect();
        let rest: Vec<&str> = self.rest.iter().map(String::as_str).collect();
        // A folder includes everything in it.
        if rest.is_empty() { Some(Vec::new()) } else { rest_of_pattern(&rest, &parts) }
    }
}

fn rest_of_pattern<'p>(pattern: &[&'p str], path: &[&str]) -> Option<Vec<&'p str>> {
    match (pattern, path) {
        (rest, []) => Some(rest.to_vec()),
        ([], _) => None,
        (["**", rest @ ..], [_, below @ ..]) => {
            rest_of_pattern(rest, path).filter(|left| left.is_empty()).or_else(|| rest_of_pattern(pattern, below))
        }
        ([part, rest @ ..], [name, below @ ..]) => {
            if part_matches(part, name) {
                rest_of_pattern(rest, below)
            } else {
                None
            }
        }
    }
}
