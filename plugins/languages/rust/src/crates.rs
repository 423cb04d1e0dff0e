//! Resolves names of crates: those of the standard library, and those that the manifest of a package names.

use std::rc::Rc;

use marquetry_sdk::{
    paths::{folders_around, join},
    workspace,
};
use toml::{Table, Value};

use crate::{
    memo,
    modules::{below, is_file, package},
};

/// Crates and tool names that every file can use.
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

/// The result of resolving a name that no module of the crate declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Extern {
    /// The root file of a crate in the workspace.
    Root(String),
    /// A crate outside of the workspace, or a name of the standard library.
    Elsewhere,
    Unknown,
}

/// Returns whether a name is a crate or type that every file can use without an import.
pub(crate) fn is_standard(name: &str) -> bool {
    STANDARD.contains(&name) || PRELUDE.contains(&name)
}

/// Returns whether the prelude has a variant of this name, so that a pattern with the name does not bind a variable.
pub(crate) fn is_pattern_of_prelude(name: &str) -> bool {
    matches!(name, "None" | "Some" | "Ok" | "Err")
}

/// Finds the crate that a name refers to in a file.
pub(crate) fn find(file: &str, name: &str) -> Extern {
    if is_standard(name) {
        return Extern::Elsewhere;
    }
    let Some((package, manifest)) = package(file).and_then(|package| Some((package, manifest(package)?))) else {
        return Extern::Unknown;
    };
    if own_name(&manifest).as_deref() == Some(name) {
        return library(package, &manifest);
    }
    let Some((start, value)) = declared(package, &manifest, name) else { return Extern::Unknown };
    let Some(path) = value.get("path").and_then(Value::as_str) else { return Extern::Elsewhere };
    let Some(other) = join(&start, path) else { return Extern::Elsewhere };
    self::manifest(&other).map_or(Extern::Unknown, |manifest| library(&other, &manifest))
}

/// Returns whether a name in a file is that of the package outside of the workspace that also has the name in a
/// registry. `None` if the manifest does not have the name.
pub(crate) fn is_package(file: &str, name: &str) -> Option<bool> {
    let package = package(file)?;
    let (_, value) = declared(package, manifest(package)?.as_ref(), name)?;
    let own = value.get("package").and_then(Value::as_str).map(|own| own.replace('-', "_"));
    Some(value.get("path").is_none() && own.is_none_or(|own| own == name))
}

/// A dependency with the folder to which its path is relative.
fn declared(package: &str, manifest: &Table, name: &str) -> Option<(String, Value)> {
    let value = dependency(manifest, name)?;
    let is_inherited = value.get("workspace").and_then(Value::as_bool) == Some(true);
    if is_inherited { inherited(package, name) } else { Some((package.to_owned(), value.clone())) }
}

/// Returns whether the package of a file has the edition 2015, which is the default. In it, the paths of imports start at
/// the root of the crate.
pub(crate) fn starts_at_root(file: &str) -> bool {
    let manifest = package(file).and_then(manifest);
    let own = manifest.as_ref().and_then(|manifest| manifest.get("package"));
    own.is_some_and(|package| package.get("edition").is_none_or(|edition| edition.as_str() == Some("2015")))
}

/// The manifest in a folder. `None` if it cannot be read or parsed.
fn manifest(folder: &str) -> Option<Rc<Table>> {
    let read = || {
        let text = workspace::read(&below(folder, "Cargo.toml")).ok()?;
        text.parse::<Table>().ok().map(Rc::new)
    };
    memo::once(|memo| &mut memo.manifests, &folder.to_owned(), read)
}

/// The root file of a package's library.
fn library(package: &str, manifest: &Table) -> Extern {
    let path = text_at(manifest, "lib", "path").unwrap_or("src/lib.rs");
    let file = join(package, path).filter(|path| is_file(path));
    file.map_or(Extern::Unknown, Extern::Root)
}

/// The name of a package's library.
fn own_name(manifest: &Table) -> Option<String> {
    let name = text_at(manifest, "lib", "name").or_else(|| text_at(manifest, "package", "name"))?;
    Some(name.replace('-', "_"))
}

/// The string at a key of a table in the manifest.
fn text_at<'m>(manifest: &'m Table, table: &str, key: &str) -> Option<&'m str> {
    manifest.get(table)?.get(key)?.as_str()
}

/// The dependency with a name in the code. If several have this name, one with a local path is preferred.
fn dependency<'m>(manifest: &'m Table, name: &str) -> Option<&'m Value> {
    let of_platforms = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let tables = std::iter::once(manifest).chain(of_platforms.filter_map(Value::as_table)).flat_map(|owner| {
        ["dependencies", "dev-dependencies", "build-dependencies"].into_iter().filter_map(|kind| owner.get(kind))
    });
    let found: Vec<&Value> = tables.filter_map(|table| named(table, name)).collect();
    let is_local = |value: &&&Value| value.get("path").is_some() || value.get("workspace").is_some();
    found.iter().find(is_local).or(found.first()).copied()
}

/// The value in a table of dependencies whose key corresponds to a name in the code: `-` becomes `_`.
fn named<'m>(table: &'m Value, name: &str) -> Option<&'m Value> {
    table.as_table()?.iter().find(|(key, _)| key.replace('-', "_") == name).map(|(_, value)| value)
}

/// A dependency in the manifest of the Cargo workspace, with the folder to which its path is relative.
fn inherited(package: &str, name: &str) -> Option<(String, Value)> {
    let mut manifests = folders_around(package).filter_map(|folder| {
        let manifest = manifest(folder)?;
        let dependencies = manifest.get("workspace")?.get("dependencies")?;
        Some((folder.to_owned(), named(dependencies, name).cloned()))
    });
    let (folder, value) = manifests.next()?;
    Some((folder, value?))
}

#[cfg(test)]
mod tests {
    use marquetry_sdk::workspace::set_files;

    use super::{Extern, find, starts_at_root};

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

    #[test]
    fn manifests_may_be_written_in_other_ways() {
        let check = |dependencies: &str, expected: Extern| {
            let manifest = format!("[package]\nname = 'shop'\nedition = '2024'\n{dependencies}");
            let files = [
                ("Cargo.toml", "workspace.dependencies.base = { path = \"base\" } # it\n"),
                ("shop/Cargo.toml", &manifest),
                ("base/Cargo.toml", "package = { name = \"base\" }\n"),
                ("base/src/lib.rs", ""),
            ];
            set_files(files.map(|(path, text)| (path.to_owned(), text.to_owned())));
            assert_eq!(find("shop/src/a.rs", "base"), expected, "{dependencies}");
        };
        let root = Extern::Root("base/src/lib.rs".to_owned());
        for dependencies in [
            "[dependencies]\nbase = { path = '../base' }\n",
            "[dependencies]\nbase = { version = \"1\", path = \"../base\" } # path = \"x\"\n",
            "[dependencies]\n\"base\".path = \"../base\"\n",
            "dependencies.base.path = \"../base\"\n[package.metadata]\n",
            "[dependencies.base]\nfeatures = [\n  \"path = 1\",\n]\npath = \"../\\u0062ase\"\n",
            "[dependencies]\nbase = \"1\"\n[dev-dependencies]\nbase = { path = \"../base\" }\n",
            "[target.\"cfg(unix)\".build-dependencies]\nbase = { path = \"../base\" }\n",
            "[dependencies]\nbase = { workspace = true, features = [] }\n",
            "[dependencies]\nbase.workspace = true\n",
        ] {
            // In TOML, dotted keys of the root table must come before the other tables.
            match dependencies.strip_prefix("dependencies.base.path") {
                Some(_) => check_dotted(dependencies, &root),
                None => check(dependencies, root.clone()),
            }
        }
        check("[dependencies]\nbase = '1' # path = \"../base\"\n", Extern::Elsewhere);
        check("# [dependencies]\n# base = { path = \"../base\" }\n", Extern::Unknown);
        check("description = \"\"\"\n[dependencies]\nbase = '1'\n\"\"\"\n", Extern::Unknown);
        check("[dependencies\nbase = { path = \"../base\" }\n", Extern::Unknown);
    }

    #[track_caller]
    fn check_dotted(dependencies: &str, expected: &Extern) {
        let manifest = dependencies.replace("[package.metadata]", "[package]\nname = \"shop\"");
        let files = [
            ("shop/Cargo.toml", manifest.as_str()),
            ("base/Cargo.toml", "[package]\nname = \"base\"\n"),
            ("base/src/lib.rs", ""),
        ];
        set_files(files.map(|(path, text)| (path.to_owned(), text.to_owned())));
        assert_eq!(find("shop/src/a.rs", "base"), *expected, "{dependencies}");
    }

    #[test]
    fn old_editions_start_at_the_root() {
        let check = |manifest: &str, expected: bool| {
            set_files([("Cargo.toml".to_owned(), manifest.to_owned())]);
            assert_eq!(starts_at_root("src/a.rs"), expected, "{manifest}");
        };
        check("[package]\nname = \"a\"\n", true);
        check("[package]\nname = \"a\"\n# edition = \"2021\"\n[lib]\nedition = \"2021\"\n", true);
        for edition in
            ["edition = '2021'", "\"edition\" = \"2024\"", "edition.workspace = true", "edition = { workspace = true }"]
        {
            check(&format!("[package]\nname = \"a\"\n{edition}\n"), false);
        }
        check("[workspace]\n", false);
        check("[package\n", false);
    }
}
