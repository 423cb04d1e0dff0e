//! Tests the number of crates that the library adds to the dependencies of a program.

use std::{collections::BTreeSet, process::Command};

/// Returns the names and versions of all dependencies, with the library itself.
fn dependencies(features: &[&str]) -> BTreeSet<String> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["tree", "--offline", "--package", "marquetry", "--edges", "normal", "--prefix", "none"]);
    command.args(["--features", &features.join(",")]).current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = command.output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().filter_map(|line| Some(line.split(" (").next()?.trim().to_owned())).collect()
}

/// Names of crates for command lines, servers, networks and git.
const FOREIGN: [&str; 10] =
    ["clap", "hyper", "jsonrpsee", "rmcp", "tokio", "reqwest", "axum", "rustls", "gix", "lsp-types"];

#[test]
fn library_brings_few_crates_and_no_protocol() {
    let found = dependencies(&[]);
    assert!(found.len() <= 200, "{} crates: {found:?}", found.len());
    let names: BTreeSet<&str> = found.iter().filter_map(|line| line.split(' ').next()).collect();
    for name in FOREIGN {
        assert!(!names.contains(name), "{name} must not be a dependency");
    }
}

#[test]
fn features_add_their_crates() {
    let found = dependencies(&["git", "servers"]);
    for name in ["gix ", "lsp-types "] {
        assert!(found.iter().any(|line| line.starts_with(name)), "{name}");
    }
}
