//! Rules for crates: allowed dependencies, and their documented reasons.

use std::{collections::BTreeMap, fs};

use anyhow::Result;

use super::Tree;

/// The allowed dependencies between the crates of the host.
const DEPENDENCIES: [(&str, &[&str]); 16] = [
    ("model", &[]),
    ("files", &["model"]),
    ("runtime", &["model"]),
    ("kit", &["model", "runtime"]),
    ("graph", &["model"]),
    ("git", &["model"]),
    ("editors", &["model"]),
    ("servers", &["model"]),
    ("sources", &["model"]),
    ("tools", &["model", "graph"]),
    ("clients", &["model", "tools"]),
    ("catalog", &["model", "tools"]),
    ("wire", &["model", "tools", "catalog"]),
    ("embed", &["model", "files", "graph", "runtime", "tools", "catalog", "git", "servers"]),
    (
        "app",
        &["model", "files", "runtime", "kit", "sources", "tools", "clients", "catalog", "wire", "graph", "editors"],
    ),
    ("testkit", &["model", "files", "runtime", "kit", "tools", "graph", "editors"]),
];

/// Templates for new packs, which the program uses as text, not as code.
const SCAFFOLD: &str = "../../sdk/scaffold";

/// External crates that only one crate of the host may use.
const RESTRICTED_CRATES: [(&str, &[&str]); 9] = [
    ("wasmtime", &["runtime", "testkit"]),
    ("jsonrpsee", &["wire"]),
    ("rmcp", &["wire"]),
    ("lsp-types", &["servers"]),
    ("gix", &["git"]),
    ("clap", &["app"]),
    // Only the user's commands access the network, through one crate.
    ("oci-client", &["sources"]),
    ("reqwest", &["sources"]),
    ("minisign-verify", &["runtime"]),
];

/// Checks the dependencies between the crates of the host, and external crates restricted to one of them.
pub(super) fn check_dependencies(tree: &Tree, breaches: &mut Vec<String>) -> Result<()> {
    let allowed: BTreeMap<_, _> = DEPENDENCIES.into_iter().collect();
    for name in tree.crates("host")? {
        let manifest = fs::read_to_string(tree.top.join("host").join(&name).join("Cargo.toml"))?;
        let normal = manifest.split("[dev-dependencies]").next().unwrap_or_default();
        let Some(arrows) = allowed.get(name.as_str()) else {
            breaches.push(format!("host/{name}: not in the list of crates (xtask/src/tidy/crates.rs)"));
            continue;
        };
        for other in tree.crates("host")? {
            let key = format!("marquetry-{other} =");
            if normal.contains(&key) && !arrows.contains(&other.as_str()) {
                breaches.push(format!("host/{name}: depends on host/{other}, which the list of crates does not allow"));
            }
        }
        for (fenced, owners) in RESTRICTED_CRATES {
            if normal.lines().any(|line| line.starts_with(&format!("{fenced} ="))) && !owners.contains(&name.as_str()) {
                breaches.push(format!("host/{name}: names {fenced}, which only {} may", owners.join(", ")));
            }
        }
        if manifest.contains("../../plugins/") || manifest.replace(SCAFFOLD, "").contains("../../sdk/") {
            breaches.push(format!("host/{name}: depends on a plugin or the SDK; they share only the WIT files"));
        }
    }
    Ok(())
}

/// Checks that every dependency has a comment with its reason. Consecutive dependencies may share one.
pub(super) fn check_reasons(tree: &Tree, breaches: &mut Vec<String>) -> Result<()> {
    for path in tree.files("Cargo.toml")? {
        let manifest = fs::read_to_string(tree.top.join(&path))?;
        let (mut inside, mut explained) = (false, false);
        for line in manifest.lines() {
            if line.starts_with('[') {
                inside = line.ends_with("dependencies]");
            }
            let starts = line.starts_with(|c: char| c.is_alphanumeric()) && line.contains('=');
            if inside && starts && !explained {
                breaches.push(format!("{path}: no reason above `{line}`"));
            }
            explained = line.starts_with('#') || (explained && starts);
        }
    }
    Ok(())
}
