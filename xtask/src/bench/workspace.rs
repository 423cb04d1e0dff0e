//! What follows through a whole project: index, move, rename, references; warm and as a whole process, next to peers.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::{
    formats::marq,
    members,
    process::{Cost, cache, cost, median, quantile},
    project::{self, HUB, IMPORTERS, MOVED},
    session::Session,
    subject::{Call, Module, Subject},
};
use crate::shell::{step, top};

const ROUNDS: usize = 9;

/// Packages that ship their sources; `e2e/projects` has a file for each.
const PACKAGES: [&str; 4] = ["rxjs", "zod", "effect", "viem"];

/// Measure projects of these sizes.
pub(crate) fn run(sizes: &[usize], peers: bool) -> Result<()> {
    for &files in sizes {
        step(&format!("{files} TypeScript files, {IMPORTERS} of which import one"));
        let folder = top().join(format!("target/bench/project-{files}"));
        project::make(&folder, files)?;
        let module = Module {
            file: HUB.to_owned(),
            to: MOVED.to_owned(),
            name: "createRegistry".to_owned(),
            new_name: "makeRegistry".to_owned(),
        };
        let subject = Subject { module: Some(module), ..Subject::of_members("src/area0/unit3.ts".to_owned()) };
        measure(&folder, &subject, peers)?;
    }
    Ok(())
}

/// Measure projects of these sizes whose members have common names.
pub(crate) fn members(sizes: &[usize], peers: bool) -> Result<()> {
    for &files in sizes {
        step(&format!("{files} TypeScript files, members with common names"));
        let folder = top().join(format!("target/bench/members-{files}"));
        let subject = members::make(&folder, files)?;
        measure(&folder, &subject, peers)?;
    }
    Ok(())
}

/// Measure on the sources of packages, which `e2e` has installed.
pub(crate) fn packages(peers: bool) -> Result<()> {
    if !installed() {
        println!("the packages are not installed: `cargo xtask e2e` does it");
        return Ok(());
    }
    for package in PACKAGES {
        step(&format!("the sources of {package}"));
        let folder = top().join(format!("target/bench/package-{package}"));
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        let made = Command::new("node").arg(top().join("e2e/make.mjs")).arg(package).arg(&folder).output();
        let made = made.context("node cannot be started")?;
        if !made.status.success() {
            bail!("{package}: {}", String::from_utf8_lossy(&made.stderr));
        }
        let subject: Subject = serde_json::from_slice(&made.stdout)?;
        measure(&folder, &subject, peers)?;
    }
    Ok(())
}

fn measure(folder: &Path, subject: &Subject, peers: bool) -> Result<()> {
    let marq = marq()?;
    // Compile the packs before anything is measured.
    cost(&marq, &["doctor"], folder)?;
    let calls = subject.calls(folder)?;
    whole(&marq, folder, &calls)?;
    warm(&marq, folder, &calls, &subject.other)?;
    if peers { compare(folder, subject) } else { Ok(()) }
}

/// As a whole process: with no index at all, and with the one on disk.
fn whole(marq: &Path, folder: &Path, calls: &[Call]) -> Result<()> {
    for Call { name, tool, arguments, .. } in calls {
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
fn warm(marq: &Path, folder: &Path, calls: &[Call], other: &str) -> Result<()> {
    let mut session = Session::start(marq, folder)?;
    for Call { name, tool, arguments, .. } in calls {
        let method = tool.replacen('_', "/", 1);
        session.timed(&method, arguments)?;
        let same = (0..ROUNDS).map(|_| session.timed(&method, arguments)).collect::<Result<Vec<_>>>()?;
        let other = folder.join(other);
        let original = fs::read(&other)?;
        let mut edited = Vec::new();
        for round in 0..ROUNDS {
            let mut bytes = original.clone();
            bytes.extend(format!("// {round}\n").into_bytes());
            fs::write(&other, bytes)?;
            edited.push(session.timed(&method, arguments)?);
        }
        fs::write(&other, &original)?;
        println!(
            "marq        {name:<12}warm {:>8.1} ms   after an edit {:>8.1} ms",
            quantile(&same, 0.5),
            quantile(&edited, 0.5)
        );
    }
    for Call { name, tool, arguments, .. } in calls.iter().filter(|call| call.writes) {
        let mut arguments = arguments.clone();
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

/// Whether the peers, and the packages, are there.
fn installed() -> bool {
    top().join("e2e/node_modules").is_dir()
}

/// ts-morph, tsserver and the native server, where `e2e` has installed them.
fn compare(folder: &Path, subject: &Subject) -> Result<()> {
    if !installed() {
        println!("peers are not installed: `cargo xtask e2e` does it");
        return Ok(());
    }
    let status = Command::new("node")
        .arg(top().join("e2e/bench.mjs"))
        .arg(folder)
        .arg(serde_json::to_string(subject)?)
        .status()
        .context("node cannot be started")?;
    if !status.success() {
        println!("the peers did not answer");
    }
    Ok(())
}
