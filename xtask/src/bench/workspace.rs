//! What follows through a whole project: index, move, rename, references; warm and as a whole process, next to peers.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::{
    formats::marq,
    process::{Cost, cache, cost, median, quantile},
    project::{self, HUB, IMPORTERS, MOVED},
    session::Session,
};
use crate::shell::{step, top};

const ROUNDS: usize = 9;

/// Measure projects of these sizes.
pub(crate) fn run(sizes: &[usize], peers: bool) -> Result<()> {
    let marq = marq()?;
    for &files in sizes {
        step(&format!("{files} TypeScript files, {IMPORTERS} of which import one"));
        let folder = top().join(format!("target/bench/project-{files}"));
        project::make(&folder, files)?;
        // Compile the packs before anything is measured.
        cost(&marq, &["doctor"], &folder)?;
        whole(&marq, &folder)?;
        warm(&marq, &folder)?;
        if peers {
            compare(&folder)?;
        }
    }
    Ok(())
}

/// The calls that are measured, as tool and arguments.
fn calls() -> [(&'static str, &'static str, Value); 3] {
    [
        ("move", "file_move", json!({ "source": HUB, "destination": MOVED, "dryRun": true })),
        (
            "rename",
            "file_edit",
            json!({ "file": HUB, "target": "createRegistry", "refactor": "rename_symbol", "newName": "makeRegistry", "dryRun": true }),
        ),
        ("references", "query", json!({ "type": "references", "path": HUB, "symbol": "createRegistry" })),
    ]
}

/// As a whole process: with no index at all, and with the one on disk.
fn whole(marq: &Path, folder: &Path) -> Result<()> {
    for (name, tool, arguments) in calls() {
        let arguments = arguments.to_string();
        let call = ["call", tool, &arguments];
        let cold = median(3, || {
            forget(folder)?;
            cost(marq, &call, folder)
        })?;
        let kept = median(ROUNDS, || cost(marq, &call, folder))?;
        print("marq", name, "no index", cold);
        print("marq", name, "index on disk", kept);
    }
    Ok(())
}

/// In a running host: the same call again, after an edit elsewhere, and carried out with its undo.
fn warm(marq: &Path, folder: &Path) -> Result<()> {
    let mut session = Session::start(marq, folder)?;
    for (name, tool, arguments) in calls() {
        let method = tool.replacen('_', "/", 1);
        session.timed(&method, &arguments)?;
        let same = (0..ROUNDS).map(|_| session.timed(&method, &arguments)).collect::<Result<Vec<_>>>()?;
        let other = folder.join("src/area0/unit3.ts");
        let original = fs::read(&other)?;
        let mut edited = Vec::new();
        for round in 0..ROUNDS {
            let mut bytes = original.clone();
            bytes.extend(format!("// {round}\n").into_bytes());
            fs::write(&other, bytes)?;
            edited.push(session.timed(&method, &arguments)?);
        }
        fs::write(&other, &original)?;
        println!(
            "marq        {name:<12}warm {:>8.1} ms   after an edit {:>8.1} ms",
            quantile(&same, 0.5),
            quantile(&edited, 0.5)
        );
    }
    for (name, tool, mut arguments) in calls().into_iter().take(2) {
        arguments["dryRun"] = json!(false);
        let (mut done, mut undone) = (Vec::new(), Vec::new());
        for _ in 0..3 {
            done.push(session.timed(&tool.replacen('_', "/", 1), &arguments)?);
            undone.push(session.timed("file/undo", &json!({}))?);
        }
        println!(
            "marq        {name:<12}carried out {:>8.1} ms   undone {:>8.1} ms",
            quantile(&done, 0.5),
            quantile(&undone, 0.5)
        );
    }
    println!("marq        memory of the running host at most {} MiB", session.peak_memory());
    Ok(())
}

/// Remove every index; compiled packs stay.
fn forget(folder: &Path) -> Result<()> {
    let index = cache(folder).join("index");
    if index.exists() {
        fs::remove_dir_all(index)?;
    }
    Ok(())
}

fn print(who: &str, what: &str, how: &str, cost: Cost) {
    println!("{who:<12}{what:<12}{how:<16}{:>9.1} ms{:>8.0} MiB", cost.time, cost.memory);
}

/// ts-morph, tsserver and the native server, where `e2e` has installed them.
fn compare(folder: &Path) -> Result<()> {
    let driver = top().join("e2e/bench.mjs");
    if !driver.is_file() || !top().join("e2e/node_modules").is_dir() {
        println!("peers are not installed: `cargo xtask e2e` does it");
        return Ok(());
    }
    let status = Command::new("node")
        .arg(driver)
        .arg(folder)
        .args([HUB, MOVED, "createRegistry", "makeRegistry"])
        .status()
        .context("node cannot be started")?;
    if !status.success() {
        println!("the peers did not answer");
    }
    Ok(())
}
