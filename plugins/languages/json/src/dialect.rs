//! The JSON dialect of a file, which is determined by the name of the file.

/// Syntax that a file may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// True if comments and trailing commas are allowed.
    pub(crate) allows_comments: bool,
    /// True if every line is a separate value.
    pub(crate) is_json_lines: bool,
}

/// Extensions of files that may have comments.
const COMMENT_EXTENSIONS: [&str; 8] =
    [".jsonc", ".code-workspace", ".babelrc", ".eslintrc", ".jshintrc", ".swcrc", ".hintrc", ".code-snippets"];
/// Prefixes of `.json` files that may have comments.
const COMMENT_NAME_PREFIXES: [&str; 3] = ["tsconfig", "jsconfig", "devcontainer"];
/// Ends of paths of settings that may have comments, in folders of editors and agents.
const COMMENT_PATHS: [&str; 8] = [
    ".zed/settings.json",
    "zed/settings.json",
    "Zed/settings.json",
    ".gemini/settings.json",
    "Code/User/settings.json",
    "Code/User/mcp.json",
    "Code - Insiders/User/settings.json",
    "Code - Insiders/User/mcp.json",
];
/// Full names of other files that may have comments.
const COMMENT_NAMES: [&str; 10] = [
    ".eslintrc.json",
    ".babelrc.json",
    ".swcrc.json",
    ".devcontainer.json",
    "babel.config.json",
    "api-extractor.json",
    "typedoc.json",
    "turbo.json",
    "deno.json",
    "opencode.json",
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

impl Dialect {
    /// Returns the dialect of the file at a path.
    pub(crate) fn for_path(path: &str) -> Dialect {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        let in_folder = |folder: &str| path.split('/').rev().skip(1).any(|part| part == folder);
        let settings = name.ends_with(".json") && (in_folder(".vscode") || in_folder(".devcontainer"));
        let is_below =
            |end: &&str| path.strip_suffix(*end).is_some_and(|start| start.is_empty() || start.ends_with('/'));
        let allows_comments = settings
            || COMMENT_PATHS.iter().any(is_below)
            || COMMENT_EXTENSIONS.iter().any(|end| name.ends_with(end))
            || COMMENT_NAMES.contains(&name.as_str())
            || (name.ends_with(".json") && COMMENT_NAME_PREFIXES.iter().any(|start| name.starts_with(start)));
        Dialect { allows_comments, is_json_lines: name.ends_with(".jsonl") || name.ends_with(".ndjson") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_depend_on_file_name() {
        let relaxed = |path: &str| Dialect::for_path(path).allows_comments;
        for path in [
            "a.jsonc",
            "x/tsconfig.json",
            "tsconfig.base.json",
            ".vscode/settings.json",
            "a.code-workspace",
            ".eslintrc",
            ".zed/settings.json",
            ".config/zed/settings.json",
            ".gemini/settings.json",
            ".config/Code/User/mcp.json",
            "opencode.json",
        ] {
            assert!(relaxed(path), "{path}");
        }
        for path in [
            "a.json",
            "package.json",
            "vscode/settings.json",
            "zed/package.json",
            "ized/settings.json",
            "a.jsonl",
            "my.tsconfig",
        ] {
            assert!(!relaxed(path), "{path}");
        }
        assert!(Dialect::for_path("log/a.NDJSON").is_json_lines);
    }
}
