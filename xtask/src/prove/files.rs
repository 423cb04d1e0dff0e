//! Measures reads and edits of one file of every format.

use std::{
    fs::{self, File},
    io::Write,
    path::Path,
    time::Instant,
};

use anyhow::Result;
use serde_json::json;

use super::{Run, setup};
use crate::{
    measure::{
        inputs::{INPUTS, Input},
        peers,
        process::{Cost, measure_process, median, quantile},
        session::Session,
        table::{Table, mib, ms, number, text},
    },
    shell::begin_step,
};

const WARM_ROUNDS: usize = 40;
const PROCESS_ROUNDS: usize = 10;

/// Measures the inputs in a running host, then as whole processes next to peers.
pub(super) fn run(run: &Run) -> Result<()> {
    let folder = setup::folder("files");
    let inputs = run.draw(run.select_by_name(INPUTS.iter().collect(), |input| input.file)?, "files");
    for input in &inputs {
        input.write(&folder, run.is_sampled())?;
    }
    begin_step("warm, over `marq rpc --stdio`, in ms; `write` replaces the file without marq: write, fsync, rename");
    let columns = ["read p50", "p95", "same", "edit p50", "p95", "less write", "write", "first", "MiB"];
    let table = Table::start(&[&[text("input", 14)], &columns.map(number)[..]].concat());
    for input in &inputs {
        measure_host(run, &folder, input, &table)?;
    }
    begin_step("as a whole process, median");
    let table = Table::start(&[
        text("input", 14),
        text("program", 12),
        text("call", 6),
        number("ms"),
        number("MiB"),
        number("x size"),
    ]);
    for input in &inputs {
        measure_file(run, &folder, input, &table)?;
        if run.with_peers() {
            peers::measure(&folder, input.file, &table);
        }
    }
    Ok(())
}

fn measure_host(run: &Run, folder: &Path, input: &Input, table: &Table) -> Result<()> {
    let path = folder.join(input.file);
    let original = fs::read(&path)?;
    let mut session = Session::start(run.program(), folder)?;
    let read = json!({ "file": input.file, "target": input.target });
    let edit = json!({ "file": input.file, "target": input.target, "operation": "replace", "content": input.content });
    let rounds = run.rounds(WARM_ROUNDS);
    let first = session.call_time("file/read", &read)?;
    let (mut changed, mut edits, mut writes) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds {
        fs::write(&path, vary(&original, round))?;
        changed.push(session.call_time("file/read", &read)?);
    }
    let same = (0..rounds).map(|_| session.call_time("file/read", &read)).collect::<Result<Vec<_>>>()?;
    for round in 0..rounds {
        let bytes = vary(&original, round);
        writes.push(plain_write(&path, &bytes)?);
        edits.push(session.call_time("file/edit", &edit)?);
    }
    let memory = session.peak_memory();
    drop(session);
    fs::write(&path, &original)?;
    let (edit, write) = (quantile(&edits, 0.5), quantile(&writes, 0.5));
    table.row(&[
        input.file,
        &ms(quantile(&changed, 0.5)),
        &ms(quantile(&changed, 0.95)),
        &ms(quantile(&same, 0.5)),
        &ms(edit),
        &ms(quantile(&edits, 0.95)),
        &ms(edit - write),
        &ms(write),
        &ms(first),
        &memory.to_string(),
    ]);
    Ok(())
}

fn measure_file(run: &Run, folder: &Path, input: &Input, table: &Table) -> Result<()> {
    let path = folder.join(input.file);
    let original = fs::read(&path)?;
    let rounds = run.rounds(PROCESS_ROUNDS);
    let read = median(rounds, || measure_process(run.program(), &["read", input.file, input.target], folder))?;
    let edit = ["edit", input.file, input.target, "replace", input.content];
    let edit = median(rounds, || {
        fs::write(&path, &original)?;
        measure_process(run.program(), &edit, folder)
    })?;
    fs::write(&path, &original)?;
    let size = original.len() as f64 / 1024.0 / 1024.0;
    for (call, Cost { time, memory }) in [("read", read), ("edit", edit)] {
        table.row(&[input.file, "marq", call, &ms(time), &mib(memory), &format!("{:.1}", memory / size)]);
    }
    Ok(())
}

/// Returns another text in each round, so that no answer comes from a document that is already open.
pub(super) fn vary(original: &[u8], round: usize) -> Vec<u8> {
    let mut bytes = original.to_vec();
    bytes.extend(std::iter::repeat_n(b'\n', round + 1));
    bytes
}

/// Returns the milliseconds that it takes to replace a file durably without marq.
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
