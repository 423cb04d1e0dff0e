//! Time from the start of `marq mcp` to its list of tools, and peak memory of a small read as a whole process.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Stdio},
    time::Instant,
};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::{Run, setup};
use crate::{
    measure::{
        inputs::INPUTS,
        process::{Cost, measure_process, peak_memory, quantile, state_folder},
        table::{Table, mib, ms, number, text},
    },
    shell::cache_folder,
};

/// Process starts.
const STARTS: usize = 20;

/// Starts the program again and again.
pub(super) fn run(run: &Run) -> Result<()> {
    let folder = setup::empty_folder("start")?;
    let input = &INPUTS[0];
    input.write(&folder, run.is_sampled())?;
    let table = Table::start(&[text("from the start of", 34), number("p50 ms"), number("p95 ms"), number("peak MiB")]);
    let rounds = run.rounds(STARTS);
    let starts = (0..rounds).map(|_| start(run.program(), &folder)).collect::<Result<Vec<_>>>()?;
    let row = |name: &str, costs: &[Cost]| {
        let times: Vec<f64> = costs.iter().map(|cost| cost.time).collect();
        let memory = costs.iter().map(|cost| cost.memory).fold(0.0, f64::max);
        table.row(&[name, &ms(quantile(&times, 0.5)), &ms(quantile(&times, 0.95)), &mib(memory)]);
    };
    row("`marq mcp` to `initialize`", &starts.iter().map(|(initialized, _)| *initialized).collect::<Vec<_>>());
    row("`marq mcp` to `tools/list`", &starts.iter().map(|(_, listed)| *listed).collect::<Vec<_>>());
    let read = ["read", input.file, input.target];
    let reads = (0..rounds).map(|_| measure_process(run.program(), &read, &folder)).collect::<Result<Vec<_>>>()?;
    row("`marq read` of 200 lines to its end", &reads);
    Ok(())
}

/// Starts the program. Returns the costs until the response to `initialize` and until the response to `tools/list`.
fn start(program: &Path, folder: &Path) -> Result<(Cost, Cost)> {
    let started = Instant::now();
    let mut child = Command::new(program)
        .args(["mcp", "--root", "."])
        .current_dir(folder)
        .env("MARQ_STATE_DIR", state_folder(folder))
        .env("MARQ_CACHE_DIR", cache_folder())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start `{}`", program.display()))?;
    let result = list_tools(&mut child, started);
    // The figures are recorded; there is no need to wait for an orderly shutdown.
    let _ = child.kill();
    child.wait()?;
    result
}

fn list_tools(child: &mut Child, started: Instant) -> Result<(Cost, Cost)> {
    let process = child.id();
    let mut input = child.stdin.take().context("no input")?;
    let mut output = BufReader::new(child.stdout.take().context("no output")?);
    let mut exchange = |messages: &[Value], id: u64| -> Result<Value> {
        for message in messages {
            input.write_all(format!("{message}\n").as_bytes())?;
        }
        loop {
            let mut line = String::new();
            if output.read_line(&mut line)? == 0 {
                bail!("`marq mcp` ended before it answered");
            }
            let mut message: Value = serde_json::from_str(&line)?;
            if message["id"] == id {
                return Ok(message["result"].take());
            }
        }
    };
    let cost = |memory: u64| Cost { time: started.elapsed().as_secs_f64() * 1e3, memory: memory as f64 };
    let client = json!({ "name": "xtask", "version": "0" });
    let parameters = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    exchange(&[json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": parameters })], 1)?;
    let initialized = cost(peak_memory(process));
    let list = [
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
    ];
    let tools = exchange(&list, 2)?;
    let listed = cost(peak_memory(process));
    if tools["tools"].as_array().is_none_or(Vec::is_empty) {
        bail!("`tools/list` lists no tools");
    }
    Ok((initialized, listed))
}
