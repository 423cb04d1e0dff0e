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

/// What is looked for: how it is called, and how each program is asked for it.
struct Row {
    name: &'static str,
    marq: Vec<String>,
    peer: &'static str,
    arguments: Vec<String>,
    warm: Value,
}

/// What is looked for, in files of which few have the name.
fn rows(rare: &str) -> [Row; 5] {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
    let call = format!("{rare}($$$A)");
    let regex = r"new \w+\(";
    [
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

/// Measure a generated project, or these folders. What is found differs; that both find it is the tests' to say.
pub(crate) fn run(folders: &[PathBuf], rare: Option<&str>) -> Result<()> {
    let marq = marq()?;
    let made = top().join(format!("target/bench/project-{FILES}"));
    if folders.is_empty() {
        project::make(&made, FILES)?;
    }
    let generated = [made];
    for folder in if folders.is_empty() { &generated[..] } else { folders } {
        // Caches are kept beside the folder, wherever a program is started.
        let folder = folder.canonicalize()?;
        step(&format!("searching {}", folder.display()));
        measure(&marq, &folder, &rows(rare.unwrap_or("createRegistry")))?;
    }
    Ok(())
}

fn measure(marq: &Path, folder: &Path, rows: &[Row]) -> Result<()> {
    cost(marq, &["doctor"], folder)?;
    for row in rows {
        let arguments: Vec<&str> = std::iter::once("search").chain(row.marq.iter().map(String::as_str)).collect();
        print("marq", row.name, marq, &arguments, folder);
        let arguments: Vec<&str> = row.arguments.iter().map(String::as_str).collect();
        match find(row.peer) {
            Some(program) => print(row.peer, row.name, &program, &arguments, folder),
            None => println!("{:<12}{:<16}not installed", row.peer, row.name),
        }
    }
    let mut session = Session::start(marq, folder)?;
    for row in rows {
        session.timed("query", &row.warm)?;
        let times = (0..ROUNDS).map(|_| session.timed("query", &row.warm)).collect::<Result<Vec<_>>>()?;
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
