//! Names of settings, functions and commands that take paths.

/// Words in the names of settings, variables and functions whose values are usually paths: `docs_dir`, `sourceRoot`,
/// `testpaths`, `path.join`.
const PATH_WORDS: [&str; 71] = [
    "asset",
    "assets",
    "base",
    "chdir",
    "content",
    "context",
    "copy",
    "cp",
    "cwd",
    "dest",
    "destination",
    "dir",
    "directories",
    "directory",
    "dirs",
    "entries",
    "entry",
    "exclude",
    "excluded",
    "excludes",
    "exclusions",
    "exists",
    "file",
    "files",
    "folder",
    "folders",
    "glob",
    "ignore",
    "ignored",
    "ignores",
    "include",
    "included",
    "includes",
    "inclusions",
    "input",
    "inputs",
    "join",
    "location",
    "locations",
    "main",
    "member",
    "members",
    "mkdir",
    "module",
    "modules",
    "open",
    "output",
    "outputs",
    "packages",
    "path",
    "paths",
    "projects",
    "public",
    "resolve",
    "root",
    "roots",
    "serve",
    "source",
    "sources",
    "src",
    "stat",
    "static",
    "subdir",
    "subdirs",
    "unlink",
    "walk",
    "watch",
    "where",
    "workdir",
    "workspace",
    "workspaces",
];
/// Suffixes of compound words in such names: `testpaths`, `listdir`.
const PATH_ENDINGS: [&str; 6] = ["dir", "dirs", "files", "path", "paths", "root"];

/// Programs that take paths as arguments.
const PATH_COMMANDS: [&str; 52] = [
    "ADD",
    "COPY",
    "WORKDIR",
    "bash",
    "black",
    "cat",
    "cd",
    "chdir",
    "chmod",
    "chown",
    "cp",
    "deno",
    "du",
    "eslint",
    "find",
    "flake8",
    "grep",
    "http-server",
    "jest",
    "ls",
    "mkdir",
    "mocha",
    "mv",
    "mypy",
    "node",
    "nodemon",
    "php",
    "prettier",
    "pushd",
    "pylint",
    "pytest",
    "python",
    "python3",
    "rg",
    "rimraf",
    "rm",
    "rsync",
    "ruby",
    "ruff",
    "serve",
    "sh",
    "source",
    "standard",
    "stylelint",
    "tar",
    "tree",
    "ts-node",
    "tsc",
    "tsx",
    "vitest",
    "xo",
    "zip",
];
/// Options that are followed by a path.
const PATH_OPTIONS: [&str; 18] = [
    "--config",
    "--cwd",
    "--dir",
    "--directory",
    "--folder",
    "--out",
    "--outdir",
    "--output",
    "--path",
    "--prefix",
    "--project",
    "--root",
    "--rootdir",
    "--source",
    "-C",
    "-d",
    "-e",
    "-p",
];
/// Programs and options that are followed by the name of a task, a subcommand, a package or a service.
const TASK_RUNNERS: [&str; 30] = [
    "FROM",
    "apt-get",
    "as",
    "bun",
    "bundle",
    "cargo",
    "docker",
    "exec",
    "export",
    "function",
    "gem",
    "git",
    "go",
    "just",
    "kubectl",
    "make",
    "npm",
    "npx",
    "nx",
    "pip",
    "pnpm",
    "poetry",
    "run",
    "run-script",
    "service",
    "systemctl",
    "task",
    "turbo",
    "uv",
    "yarn",
];

/// Returns whether a setting, variable or function with this name usually takes a path.
pub(super) fn takes_path(name: &str) -> bool {
    words_of(name).iter().any(|word| {
        PATH_WORDS.binary_search(&word.as_str()).is_ok() || PATH_ENDINGS.iter().any(|ending| word.ends_with(ending))
    })
}

/// Returns whether a program takes paths as arguments.
pub(super) fn is_path_command(name: &str) -> bool {
    PATH_COMMANDS.binary_search(&name).is_ok()
}

/// Returns whether a path follows this option.
pub(super) fn is_path_option(word: &str) -> bool {
    PATH_OPTIONS.binary_search(&word).is_ok()
}

/// Returns whether a name that is not a path follows this word.
pub(super) fn is_task_runner(word: &str) -> bool {
    TASK_RUNNERS.binary_search(&word).is_ok()
}

/// The words of a name in lower case: `docs_dir`, `sourceRoot` and `source-root` have two.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && was_lower {
            words.push(String::new());
        }
        was_lower = c.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!(PATH_WORDS.is_sorted() && PATH_COMMANDS.is_sorted());
        assert!(PATH_OPTIONS.is_sorted() && TASK_RUNNERS.is_sorted());
    }

    #[test]
    fn names_of_settings_for_paths_are_recognized() {
        for name in
            ["docs_dir", "sourceRoot", "testpaths", "appsDir", "workingDirectories", "readdirSync", "cwd", "SRC"]
        {
            assert!(takes_path(name), "{name}");
        }
        for name in ["name", "type", "service", "title", "description", "port", "environment", ""] {
            assert!(!takes_path(name), "{name}");
        }
    }
}
