//! The rules of the project that no lint knows: who may name what, how long things may be, what the documents promise.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};

use crate::shell::{crates, top};

/// Lines of a source file, tests in their own files not counted.
const MOST_LINES: usize = 500;

/// The only arrows between the crates of the host: who may depend on whom.
const ARROWS: [(&str, &[&str]); 8] = [
    ("model", &[]),
    ("files", &["model"]),
    ("runtime", &["model"]),
    ("graph", &["model"]),
    ("tools", &["model", "graph"]),
    ("wire", &["model", "tools"]),
    ("app", &["model", "files", "runtime", "tools", "wire", "graph"]),
    ("testkit", &["model", "files", "runtime", "tools", "graph"]),
];

/// Crates of others that only one crate of the host may name.
const FENCES: [(&str, &[&str]); 4] =
    [("wasmtime", &["runtime", "testkit"]), ("jsonrpsee", &["wire"]), ("rmcp", &["wire"]), ("clap", &["app"])];

/// Check every rule; list every breach.
pub(crate) fn run() -> Result<()> {
    let mut breaches = Vec::new();
    arrows(&mut breaches)?;
    sources(&mut breaches)?;
    documents(&mut breaches)?;
    reasons(&mut breaches)?;
    if breaches.is_empty() {
        return Ok(());
    }
    for breach in &breaches {
        eprintln!("    {breach}");
    }
    bail!("{} breaches of the project's rules", breaches.len())
}

fn arrows(breaches: &mut Vec<String>) -> Result<()> {
    let allowed: BTreeMap<_, _> = ARROWS.into_iter().collect();
    for name in crates("host")? {
        let manifest = fs::read_to_string(top().join("host").join(&name).join("Cargo.toml"))?;
        let normal = manifest.split("[dev-dependencies]").next().unwrap_or_default();
        let Some(arrows) = allowed.get(name.as_str()) else {
            breaches.push(format!("host/{name}: not in the list of crates (xtask/src/tidy.rs)"));
            continue;
        };
        for other in crates("host")? {
            let key = format!("marquetry-{other} =");
            if normal.contains(&key) && !arrows.contains(&other.as_str()) {
                breaches.push(format!("host/{name}: depends on host/{other}, which is no arrow of the design"));
            }
        }
        for (fenced, owners) in FENCES {
            if normal.lines().any(|line| line.starts_with(&format!("{fenced} ="))) && !owners.contains(&name.as_str()) {
                breaches.push(format!("host/{name}: names {fenced}, which only {} may", owners.join(", ")));
            }
        }
        if manifest.contains("../../plugins/") || manifest.contains("../../sdk/") {
            breaches.push(format!("host/{name}: depends on a plugin or the SDK; they share nothing but the WIT text"));
        }
    }
    Ok(())
}

fn sources(breaches: &mut Vec<String>) -> Result<()> {
    let packs = crates("plugins")?;
    for folder in ["host", "plugins", "sdk", "xtask"] {
        for path in rust_files(&top().join(folder))? {
            let text = fs::read_to_string(&path)?;
            let name = path.strip_prefix(top())?.display().to_string();
            if !text.starts_with("//!") {
                breaches.push(format!("{name}: the first line does not say what it is (`//!`)"));
            }
            let tests = name.contains("/tests/") || name.ends_with("tests.rs") || name.contains("/examples/");
            if !tests && text.lines().count() > MOST_LINES {
                breaches.push(format!("{name}: {} lines; at most {MOST_LINES}", text.lines().count()));
            }
            // What tests of the host share knows the packs: that is what it is for.
            if folder == "host" && !tests && !name.starts_with("host/testkit/") {
                host_source(&name, &text, &packs, breaches);
            }
        }
    }
    Ok(())
}

/// No source of the host names a format, and only two crates touch the file system.
fn host_source(name: &str, text: &str, packs: &[String], breaches: &mut Vec<String>) {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    for pack in packs.iter().filter(|pack| !matches!(pack.as_str(), "text" | "json" | "css" | "xml")) {
        if code.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|word| word == pack) {
            breaches.push(format!("{name}: names the format `{pack}`; the host knows none"));
        }
    }
    let may_touch = ["host/files/", "host/runtime/", "host/app/", "host/testkit/", "host/graph/src/store.rs"];
    if code.contains("std::fs") && !may_touch.iter().any(|prefix| name.starts_with(prefix)) {
        breaches.push(format!("{name}: touches the file system; `files` does that"));
    }
}

fn documents(breaches: &mut Vec<String>) -> Result<()> {
    let text = fs::read_to_string(top().join("ARCHITECTURE.md")).unwrap_or_default();
    for folder in ["host", "plugins", "sdk"] {
        for name in crates(folder)? {
            if !text.contains(&format!("{folder}/{name}")) {
                breaches.push(format!("ARCHITECTURE.md does not mention {folder}/{name}"));
            }
        }
    }
    Ok(())
}

/// Every dependency has its reason in the line above it.
fn reasons(breaches: &mut Vec<String>) -> Result<()> {
    for folder in ["host", "plugins", "sdk"] {
        for name in crates(folder)? {
            let manifest = fs::read_to_string(top().join(folder).join(&name).join("Cargo.toml"))?;
            let mut inside = false;
            let mut explained = false;
            for line in manifest.lines() {
                if line.starts_with('[') {
                    inside = line.ends_with("dependencies]");
                }
                let starts = line.starts_with(|c: char| c.is_alphanumeric()) && line.contains('=');
                if inside && starts && !explained {
                    breaches.push(format!("{folder}/{name}/Cargo.toml: no reason above `{line}`"));
                }
                // Lines below one another share a reason.
                explained = line.starts_with('#') || (explained && starts);
            }
        }
    }
    Ok(())
}

fn rust_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
