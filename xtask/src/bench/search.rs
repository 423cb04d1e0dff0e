//! Searching: a text, a regular expression, code by its structure; as a whole process next to ripgrep and ast-grep, and warm.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};

use super::{
    formats::marq,
    peers::find,
    process::{cost, median, quantile},
    project,
    session::Session,
};
use crate::shell::{step, top};

const ROUNDS: usize = 9;
/// Files of the generated project.
const FILES: usize = 20_000;

/// What is looked for: how it is called, and the flags and words of each program.
struct Row {
    name: &'static str,
    marq: &'static [&'static str],
    peer: &'static str,
    arguments: &'static [&'static str],
    warm: fn() -> Value,
}

const ROWS: [Row; 5] = [
    Row {
        name: "rare text",
        marq: &["createRegistry"],
        peer: "rg",
        arguments: &["-F", "createRegistry", "."],
        warm: || json!({ "type": "search", "text": "createRegistry" }),
    },
    Row {
        name: "text, counted",
        marq: &["return", "--count-only"],
        peer: "rg",
        arguments: &["-F", "--count-matches", "return", "."],
        warm: || json!({ "type": "search", "text": "return", "countOnly": true }),
    },
    Row {
        name: "regex, counted",
        marq: &["--regex", r"\w+Error\(", "--count-only"],
        peer: "rg",
        arguments: &["--count-matches", r"\w+Error\(", "."],
        warm: || json!({ "type": "search", "regex": r"\w+Error\(", "countOnly": true }),
    },
    Row {
        name: "rare code",
        marq: &["--pattern", "createRegistry($$$A)"],
        peer: "ast-grep",
        arguments: &["run", "-l", "ts", "-p", "createRegistry($$$A)"],
        warm: || json!({ "type": "search", "pattern": "createRegistry($$$A)" }),
    },
    Row {
        name: "code, counted",
        marq: &["--pattern", "new $C($$$A)", "--count-only"],
        peer: "ast-grep",
        arguments: &["run", "-l", "ts", "-p", "new $C($$$A)"],
        warm: || json!({ "type": "search", "pattern": "new $C($$$A)", "countOnly": true }),
    },
];

/// Measure a generated project, or these folders. What is found differs; that both find it is the tests' to say.
pub(crate) fn run(folders: &[PathBuf]) -> Result<()> {
    let marq = marq()?;
    let made = top().join(format!("target/bench/project-{FILES}"));
    if folders.is_empty() {
        project::make(&made, FILES)?;
    }
    let generated = [made];
    for folder in if folders.is_empty() { &generated[..] } else { folders } {
        step(&format!("searching {}", folder.display()));
        measure(&marq, folder)?;
    }
    Ok(())
}

fn measure(marq: &Path, folder: &Path) -> Result<()> {
    cost(marq, &["doctor"], folder)?;
    for row in &ROWS {
        let arguments: Vec<&str> = std::iter::once("search").chain(row.marq.iter().copied()).collect();
        print("marq", row.name, marq, &arguments, folder);
        match find(row.peer) {
            Some(program) => print(row.peer, row.name, &program, row.arguments, folder),
            None => println!("{:<12}{:<16}not installed", row.peer, row.name),
        }
    }
    let mut session = Session::start(marq, folder)?;
    for row in &ROWS {
        let question = (row.warm)();
        session.timed("query", &question)?;
        let times = (0..ROUNDS).map(|_| session.timed("query", &question)).collect::<Result<Vec<_>>>()?;
        println!("marq        {:<16}warm {:>8.1} ms", row.name, quantile(&times, 0.5));
    }
    println!("marq        memory of the running host at most {} MiB", session.peak_memory());
    Ok(())
}

fn print(who: &str, what: &str, program: &Path, arguments: &[&str], folder: &Path) {
    match median(ROUNDS, || cost(program, arguments, folder)) {
        Ok(cost) => println!("{who:<12}{what:<16}{:>9.1} ms{:>8.0} MiB", cost.time, cost.memory),
        Err(error) => println!("{who:<12}{what:<16}{error}"),
    }
}
