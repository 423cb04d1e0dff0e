//! Which values of which files name other files.

use marquetry_jsonpath::Tree;

/// Stands for any element of an array in a path of keys.
pub(crate) const ELEMENT: &str = "[]";
/// The kind of a path that starts at another folder than the file's: the kind, then that folder.
pub(crate) const MAPPED: &str = "path-mapping in ";

/// What kind of file it is.
pub(crate) enum File {
    /// `tsconfig.json` and its like; where `paths` start.
    Compiler { base: String },
    /// `package.json`
    Package,
    /// Anything else.
    Data,
}

impl File {
    pub(crate) fn of<T: Tree>(tree: &T, path: &str) -> File {
        let name = path.rsplit('/').next().unwrap_or(path);
        if name == "package.json" {
            return File::Package;
        }
        if (name.starts_with("tsconfig") || name.starts_with("jsconfig")) && name.ends_with(".json") {
            let options = tree.member(tree.root(), "compilerOptions");
            let base =
                options.and_then(|options| tree.member(options, "baseUrl")).map(|base| tree.text(base).into_owned());
            return File::Compiler { base: base.unwrap_or_else(|| ".".to_owned()) };
        }
        File::Data
    }

    /// The kind of link that a string under these keys is, if it is one.
    pub(crate) fn kind_of(&self, keys: &[String], value: &str) -> Option<String> {
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        if keys.last() == Some(&"$ref") {
            return (!value.starts_with('#')).then(|| "ref".to_owned());
        }
        match self {
            File::Compiler { base } => compiler(&keys, base),
            File::Package => package(&keys, value).map(str::to_owned),
            File::Data => match keys.as_slice() {
                ["extends"] | ["extends", ELEMENT] if is_relative(value) => Some("extends".to_owned()),
                ["$schema"] if is_relative(value) => Some("schema".to_owned()),
                _ => None,
            },
        }
    }
}

fn compiler(keys: &[&str], base: &str) -> Option<String> {
    let kind = match keys {
        ["extends"] | ["extends", ELEMENT] => "extends",
        ["references", ELEMENT, "path"] => "project",
        ["files", ELEMENT] => "file",
        ["include" | "exclude", ELEMENT] => "glob",
        ["compilerOptions", "baseUrl" | "rootDir" | "outDir" | "declarationDir"]
        | ["compilerOptions", "rootDirs" | "typeRoots", ELEMENT] => "folder",
        ["compilerOptions", "paths", _, ELEMENT] => return Some(format!("{MAPPED}{base}")),
        _ => return None,
    };
    Some(kind.to_owned())
}

fn package(keys: &[&str], value: &str) -> Option<&'static str> {
    match keys {
        [
            "main" | "module" | "types" | "typings" | "browser" | "bin" | "man" | "style" | "sass" | "svelte"
            | "source" | "unpkg" | "jsdelivr",
        ]
        | ["bin", _]
        | ["man", ELEMENT]
        | ["typesVersions", _, _, ELEMENT] => Some("entry"),
        ["exports"] | ["exports", ..] | ["imports", ..] | ["browser", ..] if is_relative(value) => Some("entry"),
        ["files", ELEMENT]
        | ["sideEffects", ELEMENT]
        | ["workspaces", ELEMENT]
        | ["workspaces", "packages", ELEMENT] => Some("glob"),
        ["directories", _] => Some("folder"),
        _ => None,
    }
}

pub(crate) fn is_relative(value: &str) -> bool {
    value.starts_with("./") || value.starts_with("../")
}
