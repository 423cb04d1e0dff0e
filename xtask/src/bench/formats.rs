//! Reading and editing one file of every format.

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::Result;
use serde_json::json;

use super::{
    inputs::{self, Input},
    peers,
    process::{Cost, cost, median, quantile},
    session::Session,
};
use crate::shell::{run as shell, step, top};

const WARM: usize = 40;
const WHOLE: usize = 10;

/// Measure all inputs, or those whose name contains the text, then the peers on the same.
pub(crate) fn run(only: Option<&str>) -> Result<()> {
    let marq = marq()?;
    let folder = folder();
    step("inputs in target/bench");
    let inputs = inputs::make(&folder)?;
    let chosen: Vec<&Input> = inputs.iter().filter(|input| only.is_none_or(|only| input.file.contains(only))).collect();
    // Compile the packs before anything is measured.
    cost(&marq, &["doctor"], &folder)?;
    step("warm, over rpc --stdio: milliseconds; `write` is the plain way to replace the file: write, fsync, rename");
    println!(
        "{:<14}{:>9}{:>9}{:>9}{:>11}{:>9}{:>9}{:>9}{:>9}{:>7}",
        "", "read p50", "p95", "the same", "edit p50", "p95", "of it", "write", "first", "MiB"
    );
    for input in &chosen {
        warm(&marq, &folder, input)?;
    }
    step("as a whole process, median");
    for input in &chosen {
        whole(&marq, &folder, input)?;
        peers::compare(&folder, input.file);
    }
    Ok(())
}

/// Opening a document and finding a node in it: the same pack natively and as a component.
pub(crate) fn ratio() -> Result<()> {
    step("the sandbox next to the same code native: open and find");
    shell("cargo", &["build", "--release", "--package", "ratio"])?;
    let folder = folder();
    let mut ratio = Command::new(top().join("target/release/ratio"));
    for input in inputs::make(&folder)? {
        if [".ts", ".tsx", ".json", ".md"].iter().any(|end| input.file.ends_with(end)) {
            ratio.arg(folder.join(input.file)).arg(input.target);
        }
    }
    println!("file, native ms, sandboxed ms, ratio");
    ratio.status()?;
    Ok(())
}

/// The program that is measured: an optimised build of this tree, or what `MARQ_PROGRAM` names.
pub(super) fn marq() -> Result<PathBuf> {
    if let Some(program) = std::env::var_os("MARQ_PROGRAM") {
        return Ok(program.into());
    }
    step("marq, optimised");
    shell("cargo", &["build", "--release", "--quiet", "--package", "marquetry"])?;
    Ok(top().join("target/release/marq"))
}

fn folder() -> PathBuf {
    top().join("target/bench")
}

fn warm(marq: &Path, folder: &Path, input: &Input) -> Result<()> {
    let path = folder.join(input.file);
    let original = fs::read(&path)?;
    let mut session = Session::start(marq, folder)?;
    let read = json!({ "file": input.file, "target": input.target });
    let edit = json!({ "file": input.file, "target": input.target, "operation": "replace", "content": input.content });
    let first = session.timed("file/read", &read)?;
    let (mut changed, mut edits, mut writes) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..WARM {
        fs::write(&path, varied(&original, round))?;
        changed.push(session.timed("file/read", &read)?);
    }
    let same = (0..WARM).map(|_| session.timed("file/read", &read)).collect::<Result<Vec<_>>>()?;
    for round in 0..WARM {
        let bytes = varied(&original, round);
        writes.push(plain_write(&path, &bytes)?);
        edits.push(session.timed("file/edit", &edit)?);
    }
    let memory = session.peak_memory();
    drop(session);
    fs::write(&path, &original)?;
    let (edit, write) = (quantile(&edits, 0.5), quantile(&writes, 0.5));
    println!(
        "{:<14}{:>9.3}{:>9.3}{:>9.3}{:>11.3}{:>9.3}{:>9.3}{:>9.3}{:>9.3}{:>7}",
        input.file,
        quantile(&changed, 0.5),
        quantile(&changed, 0.95),
        quantile(&same, 0.5),
        edit,
        quantile(&edits, 0.95),
        edit - write,
        write,
        first,
        memory
    );
    Ok(())
}

fn whole(marq: &Path, folder: &Path, input: &Input) -> Result<()> {
    let path = folder.join(input.file);
    let original = fs::read(&path)?;
    let read = median(WHOLE, || cost(marq, &["read", input.file, input.target], folder))?;
    let edit = ["edit", input.file, input.target, "replace", input.content];
    let edit = median(WHOLE, || {
        fs::write(&path, &original)?;
        cost(marq, &edit, folder)
    })?;
    fs::write(&path, &original)?;
    let size = original.len() as f64 / 1024.0 / 1024.0;
    for (what, Cost { time, memory }) in [("read", read), ("set", edit)] {
        println!("{:<14}{:<12}{what:<6}{time:>9.1} ms{memory:>8.0} MiB = {:.1} x", input.file, "marq", memory / size);
    }
    Ok(())
}

/// Another text each time, so that nothing is answered from what is open already.
fn varied(original: &[u8], round: usize) -> Vec<u8> {
    let mut bytes = original.to_vec();
    bytes.extend(std::iter::repeat_n(b'\n', round + 1));
    bytes
}

/// Replace a file in a way that survives a power cut, with nothing around it; in milliseconds.
fn plain_write(path: &Path, bytes: &[u8]) -> Result<f64> {
    let started = Instant::now();
    let beside = path.with_extension("beside");
    let mut file = File::create(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&beside, path)?;
    if let Some(folder) = path.parent() {
        File::open(folder)?.sync_all()?;
    }
    Ok(started.elapsed().as_secs_f64() * 1e3)
}
