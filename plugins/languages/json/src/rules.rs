//! The JSON dialect of a file, by its name.

/// Syntax that a file may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rules {
    /// Whether comments and trailing commas are allowed.
    pub(crate) relaxed: bool,
    /// Whether every line is a value.
    pub(crate) lines: bool,
}

/// Extensions of files that may have comments.
const RELAXED: [&str; 8] =
    [".jsonc", ".code-workspace", ".babelrc", ".eslintrc", ".jshintrc", ".swcrc", ".hintrc", ".code-snippets"];
/// Prefixes of `.json` files that may have comments.
const RELAXED_STARTS: [&str; 3] = ["tsconfig", "jsconfig", "devcontainer"];
/// Full names of other files that may have comments.
const RELAXED_NAMES: [&str; 9] = [
    ".eslintrc.json",
    ".babelrc.json",
    ".swcrc.json",
    ".devcontainer.json",
    "babel.config.json",
    "api-extractor.json",
    "typedoc.json",
    "turbo.json",
    "deno.json",
];

/// File name patterns of this pack.
pub(crate) const FILES: [&str; 20] = [
    "*.json",
    "*.jsonc",
    "*.jsonl",
    "*.ndjson",
    "*.geojson",
    "*.jsonld",
    "*.webmanifest",
    "*.code-workspace",
    "*.code-snippets",
    "*.har",
    "*.ipynb",
    "*.avsc",
    "*.importmap",
    "*.topojson",
    ".babelrc",
    ".eslintrc",
    ".jshintrc",
    ".swcrc",
    ".hintrc",
    "composer.lock",
];

impl Rules {
    /// Returns the rules of the file at a path.
    pub(crate) fn of(path: &str) -> Rules {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        let in_folder = |folder: &str| path.split('/').rev().skip(1).any(|part| part == folder);
        let settings = name.ends_with(".json") && (in_folder(".vscode") || in_folder(".devcontainer"));
        let relaxed = settings
            || RELAXED.iter().any(|end| name.ends_with(end))
            || RELAXED_NAMES.contains(&name.as_str())
            || (name.ends_with(".json") && RELAXED_STARTS.iter().any(|start| name.starts_with(start)));
        Rules { relaxed, lines: name.ends_with(".jsonl") || name.ends_with(".ndjson") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_depend_on_file_name() {
        let relaxed = |path: &str| Rules::of(path).relaxed;
        for path in [
            "a.jsonc",
            "x/tsconfig.json",
            "tsconfig.base.json",
            ".vscode/settings.json",
            "a.code-workspace",
            ".eslintrc",
        ] {
            assert!(relaxed(path), "{path}");
        }
        for path in ["a.json", "package.json", "vscode/settings.json", "a.jsonl", "my.tsconfig"] {
            assert!(!relaxed(path), "{path}");
        }
        assert!(Rules::of("log/a.NDJSON").lines);
    }
}
