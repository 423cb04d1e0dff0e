//! References in Cargo manifests and in `pyproject.toml`.

use crate::{
    removals::ELEMENT,
    rules::{ReferenceInValue, whole_value},
};

/// References in a value of `Cargo.toml`.
pub(crate) fn cargo_references(keys: &[&str], value: &str) -> Vec<ReferenceInValue> {
    match keys {
        ["package" | "project", "build" | "readme" | "license-file"]
        | ["lib", "path"]
        | ["bin" | "test" | "bench" | "example", ELEMENT, "path"]
        | ["workspace", "package", "readme" | "license-file"] => whole_value("file"),
        ["package" | "project", "workspace"] => whole_value("folder"),
        ["package" | "project", "include" | "exclude", ELEMENT] => {
            // As in `.gitignore`: a leading `!` negates, and a leading `/` anchors at the folder of the manifest.
            let start = value.len() - value.trim_start_matches('!').trim_start_matches('/').len();
            vec![ReferenceInValue { kind: "glob".to_owned(), part: (start > 0).then_some(start..value.len()) }]
        }
        ["workspace", "members" | "exclude" | "default-members", ELEMENT] => whole_value("glob"),
        ["dependencies" | "dev-dependencies" | "build-dependencies", _, "path"]
        | ["target", _, "dependencies" | "dev-dependencies" | "build-dependencies", _, "path"]
        | ["workspace", "dependencies", _, "path"]
        | ["patch", _, _, "path"]
        | ["replace", _, "path"] => whole_value("folder"),
        _ => Vec::new(),
    }
}

/// References in a value of `pyproject.toml`.
pub(crate) fn pyproject_references(keys: &[&str]) -> Vec<ReferenceInValue> {
    let kind = match keys {
        ["project", "readme"]
        | ["project", "readme" | "license", "file"]
        | ["tool", "poetry", "readme"]
        | ["tool", "poetry", "readme", ELEMENT]
        | ["tool", "setuptools", "dynamic", _, "file"]
        | ["tool", "setuptools", "dynamic", _, "file", ELEMENT]
        | ["tool", "hatch" | "pdm", "version", "path"]
        | ["tool", "ruff", "extend"]
        | ["tool", "maturin", "manifest-path"] => "file",
        ["project", "license-files", ELEMENT]
        | ["tool", "uv", "workspace", "members" | "exclude", ELEMENT]
        | ["tool", "hatch", "build", "targets", _, "include" | "exclude", ELEMENT] => "glob",
        ["tool", "poetry", "dependencies" | "dev-dependencies", _, "path"]
        | ["tool", "poetry", "group", _, "dependencies", _, "path"]
        | ["tool", "poetry", "packages", ELEMENT, "from"]
        | ["tool", "setuptools", "packages", "find", "where", ELEMENT]
        | ["tool", "setuptools", "package-dir", _]
        | ["tool", "uv", "sources", _, "path"]
        | ["tool", "uv", "sources", _, ELEMENT, "path"]
        | ["tool", "hatch", "build", "targets", _, "packages", ELEMENT]
        | ["tool", "pytest", "ini_options", "testpaths", ELEMENT]
        | ["tool", "ruff", "src", ELEMENT]
        | ["tool", "maturin", "python-source"] => "folder",
        _ => return Vec::new(),
    };
    whole_value(kind)
}
