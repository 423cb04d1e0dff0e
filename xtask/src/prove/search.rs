//! Searches by text, by regular expression and by the structure of code. They are measured in a running host, and as a
//! whole process compared with ripgrep and ast-grep.

use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};

use super::{
    Run,
    setup::{self, SAMPLED_FILES},
};
use crate::{
    measure::{
        process::{measure_process, median, quantile},
        session::Session,
        table::{Table, mib, ms, number, text},
        typescript_project,
    },
    shell::begin_step,
    tools::find,
};

const ROUNDS: usize = 9;
/// Files of the generated project.
const FILES: usize = 20_000;

/// One search: its name, and the arguments of each program.
struct Row {
    name: &'static str,
    marq: Vec<String>,
    peer: &'static str,
    arguments: Vec<String>,
    warm: Value,
}

/// Returns the searches. Only few files contain the name `rare`.
fn searches(rare: &str) -> Vec<Row> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
    let call = format!("{rare}($$$A)");
    let regex = r"new \w+\(";
    vec![
        Row {
            name: "rare text",
            marq: words(&[rare]),
            peer: "rg",
            arguments: words(&["-F", rare, "."]),
            warm: json!({ "type": "search", "text": rare }),
        },
        Row {
            name: "text, counted",
            marq: words(&["return", "--count-only"]),
            peer: "rg",
            arguments: words(&["-F", "--count-matches", "return", "."]),
            warm: json!({ "type": "search", "text": "return", "countOnly": true }),
        },
        Row {
            name: "regex, counted",
            marq: words(&["--regex", regex, "--count-only"]),
            peer: "rg",
            arguments: words(&["--count-matches", regex, "."]),
            warm: json!({ "type": "search", "regex": regex, "countOnly": true }),
        },
        Row {
            name: "rare code",
            marq: words(&["--pattern", &call]),
            peer: "ast-grep",
            arguments: words(&["run", "-l", "ts", "-p", &call]),
            warm: json!({ "type": "search", "pattern": call }),
        },
        Row {
            name: "code, counted",
            marq: words(&["--pattern", "new $C($$$A)", "--count-only"]),
            peer: "ast-grep",
            arguments: words(&["run", "-l", "ts", "-p", "new $C($$$A)"]),
            warm: json!({ "type": "search", "pattern": "new $C($$$A)", "countOnly": true }),
        },
    ]
}

/// Measures a generated project, or the given folders. This proof does not check the results, because tests do that.
pub(super) fn run(run: &Run) -> Result<()> {
    let files = if run.is_sampled() { SAMPLED_FILES } else { FILES };
    let generated = [setup::folder(&format!("project-{files}"))];
    if run.folders().is_empty() {
        typescript_project::make(&generated[0], files)?;
    }
    for folder in if run.folders().is_empty() { &generated[..] } else { run.folders() } {
        let folder = folder.canonicalize()?;
        begin_step(&format!("searches in {}", folder.display()));
        measure(run, &folder, &run.draw(searches(run.rare_name().unwrap_or("createRegistry")), "search"))?;
    }
    Ok(())
}

fn measure(run: &Run, folder: &Path, searches: &[Row]) -> Result<()> {
    let table = Table::start(&[text("search", 16), text("program", 10), text("how", 18), number("ms"), number("MiB")]);
    let rounds = run.rounds(ROUNDS);
    for row in searches {
        let arguments: Vec<&str> = std::iter::once("search").chain(row.marq.iter().map(String::as_str)).collect();
        let own = median(rounds, || measure_process(run.program(), &arguments, folder))?;
        table.row(&[row.name, "marq", "process", &ms(own.time), &mib(own.memory)]);
        if run.with_peers() {
            measure_peer(row, rounds, folder, &table);
        }
    }
    let mut session = Session::start(run.program(), folder)?;
    for row in searches {
        session.call_time("query", &row.warm)?;
        let times = (0..rounds).map(|_| session.call_time("query", &row.warm)).collect::<Result<Vec<_>>>()?;
        table.row(&[row.name, "marq", "warm", &ms(quantile(&times, 0.5))]);
    }
    table.row(&["all", "marq", "peak of the host", "", &session.peak_memory().to_string()]);
    Ok(())
}

fn measure_peer(row: &Row, rounds: usize, folder: &Path, table: &Table) {
    let arguments: Vec<&str> = row.arguments.iter().map(String::as_str).collect();
    let Some(program) = find(row.peer) else {
        return table.row(&[row.name, row.peer, "not installed"]);
    };
    match median(rounds, || measure_process(&program, &arguments, folder)) {
        Ok(cost) => table.row(&[row.name, row.peer, "process", &ms(cost.time), &mib(cost.memory)]),
        Err(error) => table.row(&[row.name, row.peer, &error.to_string()]),
    }
}
