//! Tests of links in TOML files.

use marquetry_sdk::{Linking, testing};

use crate::Toml;

#[track_caller]
fn check_links(path: &str, text: &str, expected: &[(&str, &str)]) {
    let bench = testing::open::<Toml>(path, text);
    assert!(bench.diagnostics().is_empty(), "{:?}", bench.diagnostics());
    let links = Toml::links(bench.document());
    let found: Vec<(&str, &str)> = links.iter().map(|link| (link.kind.as_str(), link.span.slice(text))).collect();
    assert_eq!(found, expected, "{path}");
}

#[test]
fn finds_links_of_cargo_manifests() {
    check_links(
        "Cargo.toml",
        r#"
[package]
name = "shop"
build = "tools/build.rs"
readme = "../README.md"
license-file = 'LICENSE'
include = ["/src/**", "!/src/tests", "data/*.json"]
workspace = ".."

[lib]
path = "source/lib.rs"

[[bin]]
name = "x"
path = "source/x.rs"

[dependencies]
near = { path = "../near", version = "1" }
far.path = "../far"

[target.'cfg(unix)'.dev-dependencies.other]
path = "../other"

[workspace]
members = ["crates/*", "xtask"]
exclude = ["fuzz"]

[workspace.dependencies]
near = { path = "crates/near" }

[patch.crates-io]
z = { path = "vendor/z" }
"#,
        &[
            ("file", "tools/build.rs"),
            ("file", "../README.md"),
            ("file", "LICENSE"),
            ("glob", "src/**"),
            ("glob", "src/tests"),
            ("glob", "data/*.json"),
            ("folder", ".."),
            ("file", "source/lib.rs"),
            ("file", "source/x.rs"),
            ("folder", "../near"),
            ("folder", "../far"),
            ("folder", "../other"),
            ("glob", "crates/*"),
            ("glob", "xtask"),
            ("glob", "fuzz"),
            ("folder", "crates/near"),
            ("folder", "vendor/z"),
        ],
    );
}

#[test]
fn finds_links_of_python_projects() {
    check_links(
        "pyproject.toml",
        r#"
[project]
readme = "README.md"
license = { file = "LICENSE" }
license-files = ["licenses/*"]

[tool.setuptools.packages.find]
where = ["src"]

[tool.setuptools.dynamic]
version = { attr = "pkg.version" }
description = { file = ["docs/description.txt"] }

[tool.uv.sources]
near = { path = "../near" }

[tool.uv.workspace]
members = ["packages/*"]

[tool.pytest.ini_options]
testpaths = ["tests"]
"#,
        &[
            ("file", "README.md"),
            ("file", "LICENSE"),
            ("glob", "licenses/*"),
            ("folder", "src"),
            ("file", "docs/description.txt"),
            ("folder", "../near"),
            ("glob", "packages/*"),
            ("folder", "tests"),
        ],
    );
}

#[test]
fn reports_possible_paths_except_in_lock_files() {
    check_links(
        "settings.toml",
        "seed = \"data/seed.sql\"\nmulti = '''data/x.sql'''\n",
        &[("possible", "data/seed.sql")],
    );
    check_links("Cargo.lock", "[[package]]\nname = \"x\"\nsource = \"./y.js\"\n", &[]);
}

#[test]
fn unlink_removes_entry() {
    let text = "[lib]\npath = \"a.rs\"\ntest = false\n";
    let bench = testing::open::<Toml>("Cargo.toml", text);
    let edits = Toml::unlink(bench.document(), &[0]).expect("edits").edits;
    assert_eq!(marquetry_sdk::span::apply(text, &edits), "[lib]\ntest = false\n");
}
