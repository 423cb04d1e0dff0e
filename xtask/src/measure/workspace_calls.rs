//! Workspace-wide calls: move, rename, references. They are measured in a running host and as a whole process, and
//! compared with peers.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::json;

use super::{
    process::{measure_process, median, quantile},
    session::Session,
    subject::{Call, Subject},
    table::{Table, mib, ms, number, text},
};
use crate::{
    prove::Run,
    shell::{cache_folder, top},
};

const ROUNDS: usize = 9;
/// Number of rounds of slow calls: those without an index, and those that write.
const FEW_ROUNDS: usize = 3;

/// Measures the calls of a subject in its project.
pub(crate) fn measure_subject(run: &Run, folder: &Path, subject: &Subject) -> Result<()> {
    let calls = run.draw(subject.calls(folder)?, "calls");
    let table = Table::start(&[text("program", 14), text("call", 12), text("how", 22), number("ms"), number("MiB")]);
    measure_processes(run, folder, &calls, &table)?;
    measure_host(run, folder, &calls, &subject.other, &table)?;
    if run.with_peers() { measure_peers(folder, subject, &table) } else { Ok(()) }
}

/// Measures each call as a whole process, without an index and with the index on disk.
fn measure_processes(run: &Run, folder: &Path, calls: &[Call], table: &Table) -> Result<()> {
    for Call { name, tool, arguments, .. } in calls {
        let arguments = arguments.to_string();
        let call = ["call", tool, &arguments];
        let without = median(run.rounds(FEW_ROUNDS), || {
            remove_index()?;
            measure_process(run.program(), &call, folder)
        })?;
        let with = median(run.rounds(ROUNDS), || measure_process(run.program(), &call, folder))?;
        for (how, cost) in [("no index", without), ("index on disk", with)] {
            table.row(&["marq", name, how, &ms(cost.time), &mib(cost.memory)]);
        }
    }
    Ok(())
}

/// Measures each call in a running host: repeated, repeated after an edit of another file, and applied and undone.
fn measure_host(run: &Run, folder: &Path, calls: &[Call], other: &str, table: &Table) -> Result<()> {
    let mut session = Session::start(run.program(), folder)?;
    let row = |name: &str, how: &str, times: &[f64]| table.row(&["marq", name, how, &ms(quantile(times, 0.5))]);
    let rounds = run.rounds(ROUNDS);
    for Call { name, tool, arguments, .. } in calls {
        let method = tool.replacen('_', "/", 1);
        session.call_time(&method, arguments)?;
        let same = (0..rounds).map(|_| session.call_time(&method, arguments)).collect::<Result<Vec<_>>>()?;
        let other = folder.join(other);
        let original = fs::read(&other)?;
        let mut edited = Vec::new();
        for round in 0..rounds {
            let mut bytes = original.clone();
            bytes.extend(format!("// {round}\n").into_bytes());
            fs::write(&other, bytes)?;
            edited.push(session.call_time(&method, arguments)?);
        }
        fs::write(&other, &original)?;
        row(name, "warm", &same);
        row(name, "after an edit", &edited);
    }
    for Call { name, tool, arguments, .. } in calls.iter().filter(|call| call.writes) {
        let mut arguments = arguments.clone();
        arguments["dryRun"] = json!(false);
        let (mut applied, mut undone) = (Vec::new(), Vec::new());
        for _ in 0..run.rounds(FEW_ROUNDS) {
            applied.push(session.call_time(&tool.replacen('_', "/", 1), &arguments)?);
            undone.push(session.call_time("file/undo", &json!({}))?);
        }
        row(name, "applied", &applied);
        row(name, "undone", &undone);
    }
    table.row(&["marq", "all", "peak of the host", "", &session.peak_memory().to_string()]);
    Ok(())
}

/// Removes every index, but keeps the compiled packs.
fn remove_index() -> Result<()> {
    let index = cache_folder().join("index");
    if index.exists() {
        fs::remove_dir_all(index)?;
    }
    Ok(())
}

/// A line of `e2e/bench.mjs`.
#[derive(Deserialize)]
struct PeerRow {
    peer: String,
    call: String,
    how: String,
    #[serde(default)]
    ms: Option<f64>,
    #[serde(default)]
    mib: Option<f64>,
}

/// Measures ts-morph, tsserver and the native TypeScript server, if the npm packages of `e2e` are installed.
fn measure_peers(folder: &Path, subject: &Subject, table: &Table) -> Result<()> {
    if !top().join("e2e/node_modules").is_dir() {
        table.row(&["peers", "all", "not run: needs e2e/node_modules (`cargo xtask tools e2e`)"]);
        return Ok(());
    }
    let output = Command::new("node")
        .arg(top().join("e2e/bench.mjs"))
        .arg(folder)
        .arg(serde_json::to_string(subject)?)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start `node`")?;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let row: PeerRow = serde_json::from_str(line).with_context(|| format!("e2e/bench.mjs: {line}"))?;
        let (time, memory) = (row.ms.map(ms).unwrap_or_default(), row.mib.map(mib).unwrap_or_default());
        table.row(&[&row.peer, &row.call, &row.how, &time, &memory]);
    }
    if !output.status.success() {
        bail!("`node e2e/bench.mjs` failed");
    }
    Ok(())
}
