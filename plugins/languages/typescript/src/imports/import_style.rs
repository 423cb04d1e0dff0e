//! Import style of a file and its neighbours, and properties of files that their text shows without parsing.

use crate::imports::candidates::CandidateFinder;
use crate::imports::compiler_settings::{self, ModuleKind};
use crate::program::resolution::{code_extension, paths};

impl CandidateFinder<'_, '_, '_> {
    /// Returns whether Node modules are imported with the prefix `node:` in this file, or else in its neighbours.
    pub(crate) fn uses_node_prefix(&self) -> bool {
        let own = self.imports.iter().map(|import| import.specifier.as_ref());
        let mut own = own.filter(|specifier| is_node_module(specifier));
        if let Some(first) = own.next() {
            return first.starts_with("node:");
        }
        let workspace = self.program().workspace;
        let beside = workspace.entries(&self.resolver.folder);
        let beside = beside.iter().filter(|entry| code_extension(&entry.name).is_some()).take(MAX_NEIGHBOURS);
        let mut texts = beside.filter_map(|entry| self.text(&paths::join_path(&self.resolver.folder, &entry.name)));
        texts.any(|text| text.contains("\"node:") || text.contains("'node:"))
    }

    /// Returns whether a JavaScript file uses `require`.
    pub(crate) fn uses_require(&self) -> bool {
        if !self.parsed.program.source_type.is_javascript() {
            return false;
        }
        if let Some(is_common) = is_commonjs_text(self.parsed.program.source_text, self.path) {
            return is_common;
        }
        let workspace = self.program().workspace;
        let (mut common, mut modules) = (0, 0);
        let entries = workspace.entries(&self.resolver.folder);
        for entry in entries.iter().filter(|entry| entry.name.ends_with(".js")).take(MAX_NEIGHBOURS) {
            let path = paths::join_path(&self.resolver.folder, &entry.name);
            match self.text(&path).filter(|_| path != self.path).and_then(|text| is_commonjs_text(&text, &path)) {
                Some(true) => common += 1,
                Some(false) => modules += 1,
                None => {}
            }
        }
        match (common, modules) {
            (0, 0) if self.settings.has_explicit_module => {
                !matches!(self.settings.module, ModuleKind::Es | ModuleKind::Preserve) && !self.settings.is_esm
            }
            (0, 0) => !compiler_settings::is_esm(workspace, self.path),
            _ => common >= modules,
        }
    }
}

/// Maximum number of neighbouring files to examine.
const MAX_NEIGHBOURS: usize = 20;

/// The Node modules that are imported most often.
const COMMON_NODE_MODULES: [&str; 24] = [
    "assert",
    "buffer",
    "child_process",
    "cluster",
    "crypto",
    "dns",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "module",
    "net",
    "os",
    "path",
    "process",
    "readline",
    "stream",
    "timers",
    "tls",
    "url",
    "util",
    "worker_threads",
    "zlib",
];

/// Returns whether a specifier is that of a module of Node: one with the prefix `node:`, or a common one without it.
pub(crate) fn is_node_module(specifier: &str) -> bool {
    specifier.starts_with("node:") || COMMON_NODE_MODULES.contains(&first_segment(specifier))
}

fn first_segment(specifier: &str) -> &str {
    specifier.split('/').next().unwrap_or_default()
}

/// Returns true for CommonJS and false for an ES module; `None` if the text is neither or both.
fn is_commonjs_text(text: &str, path: &str) -> Option<bool> {
    match code_extension(path) {
        Some(".cjs") => return Some(true),
        Some(".mjs") => return Some(false),
        _ => {}
    }
    let starts = |line: &str, words: &[&str]| words.iter().any(|word| line.starts_with(word));
    let is_module =
        |line: &str| starts(line, &["import ", "import{", "import\"", "import'", "export ", "export{", "export*"]);
    let is_common =
        |line: &str| line.contains("require(") || line.contains("module.exports") || line.starts_with("exports.");
    let lines = || text.lines().map(str::trim_start).filter(|line| !starts(line, &["//", "*", "/*"]));
    match (lines().any(is_common), lines().any(is_module)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

fn is_identifier_char(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '$')
}

/// Returns whether a text contains a name as a whole word.
pub(crate) fn mentions_word(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        !text[..at].ends_with(is_identifier_char) && !text[at + name.len()..].starts_with(is_identifier_char)
    })
}

/// Returns the specifiers of modules that a text re-exports as a whole, and of files that it references.
pub(crate) fn reexported_specifiers(text: &str) -> Vec<(String, bool)> {
    let quoted = |rest: &str| {
        let open = rest.find(['"', '\''])?;
        let quote = rest[open..].chars().next()?;
        let inner = &rest[open + 1..];
        Some(inner[..inner.find(quote)?].to_owned())
    };
    let first_line = |rest: &str| rest.lines().next().unwrap_or_default().to_owned();
    let stars = text.match_indices("export *").filter_map(|(at, _)| Some((quoted(&first_line(&text[at..]))?, false)));
    let references =
        text.match_indices("<reference path").filter_map(|(at, _)| Some((quoted(&first_line(&text[at..]))?, true)));
    stars.chain(references).collect()
}
