//! Tests of links in TOML files.

use marquetry_sdk::{Linking, testing, workspace};

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

/// Returns the text after the removal of the links with these specifiers, or the message of the refusal.
fn unlinked(path: &str, text: &str, wanted: &[&str]) -> Result<String, String> {
    let bench = testing::open::<Toml>(path, text);
    let links = Toml::links(bench.document()).into_iter().enumerate();
    let links = links.filter(|(_, link)| wanted.contains(&link.specifier.as_str()));
    let links: Vec<u32> = links.map(|(index, _)| index as u32).collect();
    assert_eq!(links.len(), wanted.len(), "{path}: {wanted:?}");
    let edits = Toml::unlink(bench.document(), &links).map_err(|failure| failure.message)?.edits;
    let after = marquetry_sdk::span::apply(text, &edits);
    assert!(testing::open::<Toml>(path, &after).diagnostics().is_empty(), "{after}");
    Ok(after)
}

#[test]
fn unlink_removes_entry() {
    let text = "[package]\nname = \"a\"\nreadme = \"R.md\"\n";
    assert_eq!(unlinked("Cargo.toml", text, &["R.md"]).as_deref(), Ok("[package]\nname = \"a\"\n"));
}

#[test]
fn unlink_removes_tables_with_their_path() {
    let check = |path: &str, text: &str, wanted: &[&str], expected: &str| {
        assert_eq!(unlinked(path, text, wanted).as_deref(), Ok(expected), "{text}");
    };
    let package = "[package]\nname = \"a\"\n";
    let bins = "\n[[bin]]\nname = \"q\"\npath = \"src/q.rs\"\n\n[[bin]]\nname = \"r\"\npath = \"src/r.rs\"\n";
    let q = bins.split_inclusive("\n\n").next().expect("the first table");
    check(
        "Cargo.toml",
        &format!("{package}{bins}"),
        &["src/r.rs"],
        &format!("{package}{}", q.trim_end().to_owned() + "\n"),
    );
    check("Cargo.toml", &format!("{package}{bins}"), &["src/q.rs", "src/r.rs"], package);
    check(
        "Cargo.toml",
        &format!("{package}\n[[test]]\nname = \"t\"\npath = \"t.rs\"\nharness = false\n"),
        &["t.rs"],
        package,
    );
    check(
        "Cargo.toml",
        &format!("bin = [{{ name = \"q\", path = \"q.rs\" }}]\n{package}"),
        &["q.rs"],
        &format!("bin = []\n{package}"),
    );
    check(
        "Cargo.toml",
        &format!("{package}\n[patch.crates-io]\nz = {{ path = \"z\" }}\n"),
        &["z"],
        &format!("{package}\n[patch.crates-io]\n"),
    );
    let versions = "[dependencies]\nx = { path = \"../x\", version = \"1\" }\n";
    check("Cargo.toml", versions, &["../x"], "[dependencies]\nx = { version = \"1\" }\n");
    check("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\n", &["a"], "[workspace]\nmembers = [\"b\"]\n");
    check(
        "pyproject.toml",
        "[project]\nname = \"a\"\nlicense = { file = \"LICENSE\" }\n",
        &["LICENSE"],
        "[project]\nname = \"a\"\n",
    );
    check(
        "pyproject.toml",
        "[tool.uv.sources]\nx = { path = \"../x\", editable = true }\ny = { git = \"g\" }\n",
        &["../x"],
        "[tool.uv.sources]\ny = { git = \"g\" }\n",
    );
    check(
        "pyproject.toml",
        "[tool.poetry]\npackages = [{ include = \"a\", from = \"src\" }, { include = \"b\" }]\n",
        &["src"],
        "[tool.poetry]\npackages = [{ include = \"b\" }]\n",
    );
}

#[test]
fn unlink_refuses_to_leave_invalid_tables() {
    for (path, text, wanted, name) in [
        ("Cargo.toml", "[lib]\npath = \"a.rs\"\ntest = false\n", "a.rs", "lib.path"),
        ("Cargo.toml", "[dependencies]\nx = { path = \"../x\" }\n", "../x", "dependencies.x.path"),
        ("Cargo.toml", "[dependencies]\nx.path = \"../x\"\nx.features = [\"f\"]\n", "../x", "dependencies.x.path"),
        (
            "Cargo.toml",
            "[target.'cfg(unix)'.dev-dependencies.x]\npath = \"../x\"\n",
            "../x",
            "target.cfg(unix).dev-dependencies.x.path",
        ),
        ("Cargo.toml", "[workspace.dependencies]\nx = { path = \"x\" }\n", "x", "workspace.dependencies.x.path"),
        (
            "pyproject.toml",
            "[tool.poetry.dependencies]\nx = { path = \"../x\", develop = true }\n",
            "../x",
            "tool.poetry.dependencies.x.path",
        ),
        ("pyproject.toml", "[tool.hatch.version]\npath = \"a/v.py\"\n", "a/v.py", "tool.hatch.version.path"),
        (
            "pyproject.toml",
            "[tool.setuptools.dynamic]\nversion = { file = \"VERSION\" }\n",
            "VERSION",
            "tool.setuptools.dynamic.version.file",
        ),
        (
            "pyproject.toml",
            "[tool.setuptools.dynamic]\nversion = { file = [\"VERSION\"] }\n",
            "VERSION",
            "tool.setuptools.dynamic.version.file",
        ),
    ] {
        let message = unlinked(path, text, &[wanted]).expect_err(text);
        assert!(message.starts_with(&format!("`{name}` cannot be removed alone: ")), "{text}: {message}");
    }
}

#[test]
fn unlink_keeps_library_with_default_file() {
    workspace::set_files([("p/src/lib.rs".to_owned(), String::new())]);
    let text = "[lib]\npath = \"a.rs\"\ntest = false\n";
    assert_eq!(unlinked("p/Cargo.toml", text, &["a.rs"]).as_deref(), Ok("[lib]\ntest = false\n"));
    workspace::set_files([("src/lib.rs".to_owned(), String::new())]);
    assert!(unlinked("p/Cargo.toml", text, &["a.rs"]).is_err());
}
