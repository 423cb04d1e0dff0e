//! Patterns of `include` that follow what moves out of their reach.

use marquetry_jsonpath::{Kind, Tree};
use marquetry_sdk::{
    Relocation,
    paths::{below, folder, join, part_matches, relative},
    workspace::{self, EntryKind},
};

use crate::rules::File;

/// New patterns, and the element behind which they belong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Company<N> {
    /// The last pattern there is.
    pub behind: N,
    /// The patterns to write.
    pub patterns: Vec<String>,
}

/// The patterns that a configuration of the compiler needs besides its own, so that it includes what moves as it did.
/// Nothing where it never did, where it does all the same, or where it excludes the place.
pub fn cover<T: Tree>(tree: &T, path: &str, relocations: &[Relocation]) -> Option<Company<T::Node>> {
    let File::Compiler { .. } = File::of(tree, path) else { return None };
    let list = |name: &str| -> Vec<T::Node> {
        let found = tree.member(tree.root(), name).filter(|list| tree.kind(*list) == Kind::Array);
        found.map(|list| tree.children(list).collect()).unwrap_or_default()
    };
    let include = list("include");
    let behind = *include.last()?;
    let folder = folder(path);
    let patterns = |nodes: &[T::Node]| -> Vec<Pattern> {
        nodes.iter().filter_map(|node| Pattern::new(folder, &tree.text(*node))).collect()
    };
    let (included, excluded) = (patterns(&include), patterns(&list("exclude")));
    let dotted = tree.text(behind).starts_with("./");
    let mut added: Vec<String> = Vec::new();
    for relocation in relocations.iter().filter(|relocation| !moves(relocation, path)) {
        // A pattern that starts at what moves follows as a link.
        let follows = included.iter().any(|pattern| moves(relocation, &pattern.base));
        let is_file = workspace::stat(&relocation.from) == Some(EntryKind::File);
        let names = |path: &str| excluded.iter().any(|pattern| pattern.reach(path).is_some_and(|rest| rest.is_empty()));
        let compiles = !is_file || compiles(tree, path, &relocation.from);
        if follows || names(&relocation.from) || names(&relocation.to) {
            continue;
        }
        if included.iter().any(|pattern| pattern.covers(&relocation.to, is_file).is_some()) {
            continue;
        }
        let mut means = included.iter().filter(|pattern| compiles || pattern.names_extension());
        let Some(rest) = means.find_map(|pattern| pattern.covers(&relocation.from, is_file)) else { continue };
        let to = relative(folder, &relocation.to);
        let start = if dotted && !to.starts_with("../") { "./" } else { "" };
        let pattern: String = [start, &to].into_iter().chain(rest.iter().flat_map(|part| ["/", part])).collect();
        if !added.contains(&pattern) {
            added.push(pattern);
        }
    }
    (!added.is_empty()).then_some(Company { behind, patterns: added })
}

fn moves(relocation: &Relocation, path: &str) -> bool {
    below(&relocation.from, path).is_some()
}

/// Whether a pattern without an extension means such a file.
fn compiles<T: Tree>(tree: &T, configuration: &str, path: &str) -> bool {
    let set = |name: &str| {
        let options = tree.member(tree.root(), "compilerOptions");
        options.and_then(|options| tree.member(options, name)).is_some_and(|value| tree.truth(value))
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
    /// The folder it starts at, from the root.
    base: String,
    /// What follows, part by part; `**` stands for any number of folders.
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

    /// Whether it means files of one extension, whatever that is.
    fn names_extension(&self) -> bool {
        let last = self.rest.last().and_then(|part| part.rsplit_once('.'));
        last.is_some_and(|(_, extension)| !extension.is_empty() && !extension.contains(['*', '?']))
    }

    /// What `reach` says; for a file only where nothing is left.
    fn covers(&self, path: &str, is_file: bool) -> Option<Vec<&str>> {
        self.reach(path).filter(|rest| !is_file || rest.is_empty())
    }

    /// What is left of the pattern below a path that it leads to or through: nothing for a path that it names.
    fn reach(&self, path: &str) -> Option<Vec<&str>> {
        let below = below(&self.base, path)?;
        let parts: Vec<&str> = below.split('/').filter(|part| !part.is_empty()).collect();
        let rest: Vec<&str> = self.rest.iter().map(String::as_str).collect();
        // A folder stands for all that is in it.
        if rest.is_empty() { Some(Vec::new()) } else { left(&rest, &parts) }
    }
}

fn left<'p>(pattern: &[&'p str], path: &[&str]) -> Option<Vec<&'p str>> {
    match (pattern, path) {
        (rest, []) => Some(rest.to_vec()),
        ([], _) => None,
        (["**", rest @ ..], [_, below @ ..]) => {
            left(rest, path).filter(|left| left.is_empty()).or_else(|| left(pattern, below))
        }
        ([part, rest @ ..], [name, below @ ..]) => {
            if part_matches(part, name) {
                left(rest, below)
            } else {
                None
            }
        }
    }
}
