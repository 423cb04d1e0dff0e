//! Words of texts that may be the paths of files and folders.

mod context;
mod path_settings;

use context::Context;

/// A word that may be a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PossiblePath<'t> {
    /// Offset in the text.
    pub(crate) at: usize,
    /// The path without punctuation and slashes at its end.
    pub(crate) path: &'t str,
}

/// Returns the words with `/` or a dot. A single name is included only if a slash follows it, as in `server/` and
/// `server/**`.
pub(crate) fn possible_paths(text: &str) -> impl Iterator<Item = PossiblePath<'_>> {
    words(text).filter(|(whole, word)| word.path.contains(['/', '.']) || whole.ends_with('/')).map(|(_, word)| word)
}

/// Returns the occurrences where a name without `/` and dot is used like the path of a file or folder: as the value of
/// a setting for paths, as an argument of a command or function that takes paths, or as a line of a list of paths.
pub(crate) fn single_names<'t>(file: &str, text: &'t str, name: &str) -> Vec<PossiblePath<'t>> {
    let context = Context::new(file, text);
    let is_name = |(whole, word): &(&str, PossiblePath<'_>)| {
        let is_path = if whole.ends_with('/') { word.path != name } else { true };
        is_path && last_name(word.path) == name
    };
    words(text).filter(is_name).map(|(_, word)| word).filter(|word| context.is_path(*word)).collect()
}

/// The words of a text, each with and without the punctuation at its end.
fn words(text: &str) -> impl Iterator<Item = (&str, PossiblePath<'_>)> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '@' | '~' | '+' | '$');
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + text[from..].find(is_part)?;
        let end = text[at..].find(|c| !is_part(c)).map_or(text.len(), |length| at + length);
        from = end;
        let whole = &text[at..end];
        Some((whole, PossiblePath { at, path: whole.trim_end_matches(['.', '/']) }))
    })
}

/// Returns the name after such a prefix: `server` for `$ROOT/server`, `/server`, `//server` and `./server`. Other paths
/// are returned unchanged.
fn last_name(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some((start, name)) if start.trim_matches('/').is_empty() || start == "." || is_variable(start) => name,
        _ => path,
    }
}

fn is_variable(word: &str) -> bool {
    word.strip_prefix('$').is_some_and(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_'))
}

/// Beginnings of aliases. Some bundlers need a `~` before any path that is not relative, so `~@/` is `@/`.
const ALIAS_MARKS: [&str; 7] = ["@/", "~/", "#/", "~@/", "~#/", "@@/", "~~/"];

/// Returns the part after the alias at the start of a path: `@/a`, `~/a`, `~@/a`, `$lib/a` (usually `lib/a`), `#a`.
pub(crate) fn without_alias(path: &str) -> Option<&str> {
    let marked = ALIAS_MARKS.iter().find_map(|mark| path.strip_prefix(mark));
    marked
        .or_else(|| path.strip_prefix("~$"))
        .or_else(|| path.strip_prefix(['$', '#', '~']))
        .filter(|rest| !rest.is_empty() && !rest.starts_with(['/', '.']))
}

/// Returns the part of a path after a variable at its start: `a/b` in `$ROOT/a/b`.
pub(crate) fn without_variable(path: &str) -> Option<&str> {
    path.strip_prefix('$')?.split_once('/').map(|(_, rest)| rest).filter(|rest| rest.contains('/'))
}

/// Names of folders that tools create and that version control usually ignores, and of files without an extension.
const KNOWN_NAMES: [&str; 11] =
    ["Dockerfile", "Makefile", "build", "coverage", "dist", "node_modules", "out", "target", "tmp", "vendor", "venv"];

/// Returns whether a path in a folder counts as a path even if no file exists at it, because it has a hidden or
/// computed part, or a well-known name.
pub(crate) fn may_be_generated(inside: &str) -> bool {
    inside.split('/').any(|part| part.starts_with(['.', '$']) || KNOWN_NAMES.contains(&part))
}

#[cfg(test)]
mod tests;
