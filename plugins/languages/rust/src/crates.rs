//! The names of crates: those of the standard library, and those that the manifest of a package names.

use marquetry_sdk::{
    paths::{folders_around, join},
    workspace,
};

use crate::modules::{below, is_file, manifest_of, package};

/// Crates and tools that every package has.
const STANDARD: [&str; 9] =
    ["std", "core", "alloc", "proc_macro", "test", "clippy", "rustfmt", "rustdoc", "diagnostic"];

/// Types and traits that are visible without an import.
const PRELUDE: [&str; 56] = [
    "Self",
    "bool",
    "char",
    "str",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "f32",
    "f64",
    "Vec",
    "String",
    "Box",
    "Option",
    "Some",
    "Result",
    "Ok",
    "Err",
    "Iterator",
    "IntoIterator",
    "DoubleEndedIterator",
    "ExactSizeIterator",
    "Extend",
    "FromIterator",
    "Default",
    "Clone",
    "Copy",
    "Send",
    "Sync",
    "Sized",
    "Drop",
    "Fn",
    "FnMut",
    "FnOnce",
    "Debug",
    "Eq",
    "PartialEq",
    "Ord",
    "PartialOrd",
    "Hash",
    "AsRef",
    "AsMut",
    "Into",
    "From",
    "TryFrom",
    "TryInto",
    "ToOwned",
    "ToString",
];

/// The destination of a name that no module of the crate has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Extern {
    /// The root of a crate of the workspace.
    Root(String),
    /// A crate from elsewhere, or a type of the standard library.
    Elsewhere,
    Unknown,
}

/// Returns whether a name is that of a crate or type that every file has.
pub(crate) fn is_standard(name: &str) -> bool {
    STANDARD.contains(&name) || PRELUDE.contains(&name)
}

/// Returns whether every file has a variant of this name, so that a pattern of the name binds nothing.
pub(crate) fn is_pattern_of_prelude(name: &str) -> bool {
    matches!(name, "None" | "Some" | "Ok" | "Err")
}

/// Finds the crate that a name refers to in a file.
pub(crate) fn find(file: &str, name: &str) -> Extern {
    if is_standard(name) {
        return Extern::Elsewhere;
    }
    let Some(package) = package(file) else { return Extern::Unknown };
    let manifest = workspace::read(&below(package, "Cargo.toml")).unwrap_or_default();
    if own_name(&manifest).as_deref() == Some(name) {
        return library(package, &manifest);
    }
    let Some(value) = dependency(&manifest, name) else { return Extern::Unknown };
    let (start, value) = match is_inherited(&value) {
        false => (package.to_owned(), value),
        true => match inherited(package, name) {
            Some(found) => found,
            None => return Extern::Unknown,
        },
    };
    let Some(path) = quoted_after(&value, "path") else { return Extern::Elsewhere };
    let Some(other) = join(&start, &path) else { return Extern::Elsewhere };
    match workspace::read(&below(&other, "Cargo.toml")) {
        Ok(manifest) => library(&other, &manifest),
        Err(_) => Extern::Unknown,
    }
}

/// Returns whether a package has the edition 2015, in which imports start at the root of the crate.
pub(crate) fn starts_at_root(file: &str) -> bool {
    let Some(manifest) = manifest_of(file) else { return false };
    let text = workspace::read(&manifest).unwrap_or_default();
    section(&text, "package").is_some_and(|package| !package.lines().any(|line| line.trim().starts_with("edition")))
}

/// The root of a package's library.
fn library(package: &str, manifest: &str) -> Extern {
    let path = section(manifest, "lib").and_then(|text| quoted_after(&text, "path"));
    let file = join(package, path.as_deref().unwrap_or("src/lib.rs")).filter(|path| is_file(path));
    file.map_or(Extern::Unknown, Extern::Root)
}

/// The name of a package's library.
fn own_name(manifest: &str) -> Option<String> {
    let own = section(manifest, "lib").and_then(|text| quoted_after(&text, "name"));
    let name = own.or_else(|| quoted_after(&section(manifest, "package")?, "name"))?;
    Some(name.replace('-', "_"))
}

/// The lines of a table of a manifest.
fn section(manifest: &str, name: &str) -> Option<String> {
    let mut lines = manifest.lines();
    lines.find(|line| header(line) == Some(name))?;
    Some(lines.take_while(|line| header(line).is_none()).collect::<Vec<_>>().join("\n"))
}

fn header(line: &str) -> Option<&str> {
    let line = line.split('#').next().unwrap_or_default().trim();
    line.strip_prefix('[')?.strip_suffix(']').map(|name| name.trim_matches(['[', ']', ' ']))
}

/// The value of a key of a table, as it is written.
fn value_of(line: &str, is_key: impl Fn(&str) -> bool) -> Option<String> {
    let (key, value) = line.split_once('=')?;
    let (key, rest) = key.trim().split_once('.').unwrap_or((key.trim(), ""));
    is_key(key.trim_matches('"')).then(|| format!("{rest} = {}", value.trim()))
}

/// The fields of the dependency that has a name in the code, as they are written in a manifest.
fn dependency(manifest: &str, name: &str) -> Option<String> {
    let is_name = |key: &str| key.replace('-', "_") == name;
    let mut table = None;
    let mut found: Option<String> = None;
    for line in manifest.lines() {
        if let Some(name) = header(line) {
            table = Some(name);
            if let Some((outer, own)) = name.rsplit_once('.')
                && outer.ends_with("dependencies")
                && is_name(own.trim_matches('"'))
            {
                found.get_or_insert_default();
            }
            continue;
        }
        match table.map(|table| (table, table.rsplit_once('.'))) {
            Some((table, _)) if table.ends_with("dependencies") => {
                if let Some(value) = value_of(line, is_name) {
                    *found.get_or_insert_default() += &format!("{value}\n");
                }
            }
            Some((_, Some((outer, own)))) if outer.ends_with("dependencies") && is_name(own.trim_matches('"')) => {
                *found.get_or_insert_default() += &format!("{line}\n");
            }
            _ => {}
        }
    }
    found
}

fn is_inherited(value: &str) -> bool {
    value.lines().any(|line| {
        let line: String = line.chars().filter(|c| !c.is_whitespace()).collect();
        line.contains("workspace=true")
    })
}

/// A dependency of the workspace, with the folder that its path starts from.
fn inherited(package: &str, name: &str) -> Option<(String, String)> {
    let manifests = folders_around(package).filter_map(|folder| {
        let text = workspace::read(&below(folder, "Cargo.toml")).ok()?;
        section(&text, "workspace.dependencies").map(|section| (folder.to_owned(), section))
    });
    let text_of = |(folder, section): (String, String)| {
        let value = dependency(&format!("[dependencies]\n{section}"), name)?;
        Some((folder, value))
    };
    manifests.into_iter().find_map(text_of)
}

/// The string after `key =`.
fn quoted_after(text: &str, key: &str) -> Option<String> {
    let value = |at: usize| {
        let before = &text[..at];
        let rest = text[at + key.len()..].trim_start().strip_prefix('=')?.trim_start().strip_prefix('"')?;
        let is_key = before.is_empty() || before.ends_with(['\n', ' ', '{', ',', '\t']);
        is_key.then(|| rest.split('"').next().unwrap_or_default().to_owned())
    };
    text.match_indices(key).find_map(|(at, _)| value(at))
}

#[cfg(test)]
mod tests {
    use marquetry_sdk::workspace::set_files;

    use super::{Extern, find};

    #[test]
    fn names_of_crates_are_those_of_the_manifest() {
        let manifest = "[package]\nname = \"my-shop\"\n\n[dependencies]\nserde = \"1\" # text\nbase = { path = \"../base\" }\n\"ra-x\" = \"1\"\nshared.workspace = true\n\n[dev-dependencies.late]\npath = \"../late\"\n[target.'cfg(unix)'.dependencies]\nlibc = \"1\"\n";
        let workspace = "[workspace]\nmembers = []\n[workspace.dependencies]\nshared = { path = \"shared\" }\n";
        let files = [
            ("Cargo.toml", workspace),
            ("shop/Cargo.toml", manifest),
            ("shop/src/lib.rs", ""),
            ("base/Cargo.toml", "[package]\nname = \"base\"\n[lib]\npath = \"code.rs\"\n"),
            ("base/code.rs", ""),
            ("shared/Cargo.toml", "[package]\nname = \"shared\"\n"),
            ("shared/src/lib.rs", ""),
        ];
        set_files(files.map(|(path, text)| (path.to_owned(), text.to_owned())));
        let check = |name: &str, expected: Extern| assert_eq!(find("shop/src/a.rs", name), expected, "{name}");
        let root = |path: &str| Extern::Root(path.to_owned());
        check("my_shop", root("shop/src/lib.rs"));
        check("base", root("base/code.rs"));
        check("shared", root("shared/src/lib.rs"));
        check("late", Extern::Unknown);
        for name in ["std", "String", "serde", "ra_x", "libc"] {
            check(name, Extern::Elsewhere);
        }
        for name in ["name", "path", "util"] {
            check(name, Extern::Unknown);
        }
    }
}
