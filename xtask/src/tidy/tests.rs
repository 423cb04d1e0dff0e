//! Breaks each rule once in a small repository that follows all others.

use std::fs;

use super::*;

/// Returns the breaches in a small repository with the given files. Without these files, it follows every rule.
fn breaches_with(name: &str, files: &[(&str, &str)]) -> Vec<String> {
    let top = top().join("target/tmp/tidy").join(name);
    if top.exists() {
        fs::remove_dir_all(&top).expect("an old tree goes");
    }
    let manifest = "[package]\nname = \"x\"\n\n[dependencies]\n# Why.\nserde = \"1\"\n";
    let kept = [
        ("host/model/Cargo.toml", manifest),
        ("host/model/src/lib.rs", "//! Words.\n"),
        ("plugins/languages/ini/Cargo.toml", manifest),
        ("plugins/languages/ini/src/lib.rs", "//! The pack.\n"),
        ("plugins/editors/ed/Cargo.toml", manifest),
        ("sdk/rust/Cargo.toml", manifest),
        ("docs/formats/ini.md", "```console\n$ marq plugin show ini\n```\n"),
        ("docs/editors.md", "`marq plugin show ed`\n"),
        ("registry.toml", "marquetry = 1\n\n[plugins.ini]\n\n[editors.ed]\n"),
        ("ARCHITECTURE.md", "host/model plugins/languages/ini plugins/editors/ed sdk/rust\n"),
        ("Makefile", "test:\n"),
    ];
    for (path, text) in kept.iter().chain(files) {
        let path = top.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    find_breaches(&Tree { top }).expect("read")
}

#[track_caller]
fn check(name: &str, files: &[(&str, &str)], expected: &[&str]) {
    assert_eq!(breaches_with(name, files), expected);
}

#[test]
fn valid_tree_has_no_breaches() {
    check("kept", &[], &[]);
    let commands = "Run `make test` to make sure, or `cargo xtask prove laws`:\n\n```sh\nmake test   # all\n```\n";
    check("commands", &[("CONTRIBUTING.md", commands)], &[]);
}

#[test]
fn modules_start_with_a_doc_comment() {
    check(
        "silent",
        &[("host/model/src/a.rs", "fn a() {}\n")],
        &["host/model/src/a.rs: it does not start with a `//!` comment"],
    );
}

#[test]
fn files_are_short() {
    let long = format!("//! Long.\n{}", "// a\n".repeat(500));
    check("long", &[("sdk/rust/src/a.rs", &long)], &["sdk/rust/src/a.rs: 501 lines; at most 500"]);
    check("long-tests", &[("sdk/rust/src/a/tests.rs", &long)], &[]);
}

#[test]
fn todo_comments_are_refused() {
    check(
        "notes",
        &[("sdk/rust/src/a.rs", "//! A.\n\nfn a() {\n    // TODO: b\n}\n")],
        &["sdk/rust/src/a.rs:4: `TODO`: open work belongs in an issue"],
    );
}

#[test]
fn host_must_not_name_formats_or_use_files() {
    check(
        "format",
        &[("host/model/src/a.rs", "//! Reads INI files.\n\nuse std::fs;\n")],
        &[
            "host/model/src/a.rs: names the format `ini`; the host must not know formats",
            "host/model/src/a.rs: uses the file system; only `files` may do that",
        ],
    );
}

#[test]
fn refactorings_must_not_name_parser_types() {
    let folder = "plugins/languages/typescript/src/refactor";
    let (old, new) = (format!("{folder}/old.rs"), format!("{folder}/new.rs"));
    let parsing = "//! A.\n\nuse oxc_ast::AstKind;\n";
    let clean = "//! A.\n\n#[cfg(test)]\nmod tests {\n    use oxc_span::Span;\n}\n";
    let listed = format!("{old}\n");
    check("parser-listed", &[(&old, parsing), (&new, clean), ("xtask/parser_types.txt", &listed)], &[]);
    check(
        "parser-new",
        &[(&old, parsing), (&new, parsing), ("xtask/parser_types.txt", &listed)],
        &["plugins/languages/typescript/src/refactor/new.rs: names types of the parser; \
           use the facade in `semantics` and `editor`"],
    );
    check(
        "parser-migrated",
        &[(&old, clean), ("xtask/parser_types.txt", &listed)],
        &["xtask/parser_types.txt: `plugins/languages/typescript/src/refactor/old.rs` names no type of the parser; \
           remove it from the list"],
    );
}

#[test]
fn crate_dependencies_follow_the_design() {
    let manifest = "[dependencies]\n# Why.\nmarquetry-tools = \"1\"\nwasmtime = \"1\"\n";
    let tools = ("host/tools/Cargo.toml", "[package]\n");
    let map = ("ARCHITECTURE.md", "host/model host/tools plugins/languages/ini plugins/editors/ed sdk/rust\n");
    check(
        "arrows",
        &[("host/model/Cargo.toml", manifest), tools, map],
        &[
            "host/model: depends on host/tools, which the list of crates does not allow",
            "host/model: names wasmtime, which only runtime, testkit may",
        ],
    );
}

#[test]
fn dependencies_have_reasons() {
    check(
        "reasons",
        &[("xtask/Cargo.toml", "[dev-dependencies]\nclap = \"4\"\n")],
        &["xtask/Cargo.toml: no reason above `clap = \"4\"`"],
    );
}

#[test]
fn paths_of_a_machine_are_refused() {
    let home = format!("see {}/ann/notes\n", "/home");
    check("machine", &[("docs/a.md", &home)], &["docs/a.md:1: a path of a developer's machine (`/home/`)"]);
}

#[test]
fn packs_are_registered_and_have_a_page() {
    check(
        "packs",
        &[("plugins/languages/toml/Cargo.toml", "[package]\n")],
        &[
            "ARCHITECTURE.md does not mention plugins/languages/toml",
            "plugins/languages/toml: not in registry.toml",
            "plugins/languages/toml: docs/formats/toml.md does not show its help",
        ],
    );
}

#[test]
fn documented_sessions_must_be_tested() {
    check(
        "sessions",
        &[("docs/new.md", "```console\n$ marq --help\n```\n")],
        &["docs/new.md: shows a session that no test runs (host/app/tests/docs.rs)"],
    );
}

#[test]
fn documented_commands_must_exist() {
    check(
        "no-commands",
        &[("CONTRIBUTING.md", "`make tests`, `cargo xtask tests`\n\n```sh\nmake bless\n```\n")],
        &[
            "CONTRIBUTING.md: there is no `cargo xtask tests`",
            "CONTRIBUTING.md: there is no `make tests`",
            "CONTRIBUTING.md: there is no `make bless`",
        ],
    );
}

#[test]
fn python_package_of_another_project_is_not_named() {
    let page = |installer: &str, name: &str| format!("Run `{installer} {name}`.\n");
    check("python", &[("README.md", &page("uvx", "marquetry-cli"))], &[]);
    // The words are apart, because the rule also reads this file.
    let foreign = ["uvx", "marquetry"].join(" ");
    let breach = format!("README.md: `{foreign}` installs another project; ours is `marquetry-cli`");
    check("no-python", &[("README.md", &page("uvx", "marquetry"))], &[&breach]);
    let project = "[project]\nname = \"marquetry\"\n";
    let breach = "sdk/pyproject.toml: the Python package `marquetry` belongs to another project";
    check("no-project", &[("sdk/pyproject.toml", project)], &[breach]);
    check("own-project", &[("sdk/pyproject.toml", "[project]\nname = \"marquetry-sdk\"\n")], &[]);
}
