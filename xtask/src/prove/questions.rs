//! Measures a running host in a project with many files: queries for a symbol, for the state of the repository
//! (compared with git) and for all diagnostics, and one edit of many files with its undo.

use std::{path::Path, process::Command};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::{
    Run,
    setup::{self, SAMPLED_FILES},
};
use crate::measure::{
    process::{measure_process, median, quantile},
    session::Session,
    table::{Table, ms, number, text},
    typescript_project::{self, HUB},
};

const ROUNDS: usize = 21;
const WIDE_ROUNDS: usize = 5;
/// Files of the generated project.
const FILES: usize = 5_000;
/// The files that the edit changes.
const WIDE: &str = "src/area{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19}/unit*.ts";
/// Number of files that match [`WIDE`] in the complete project.
const WIDE_FILES: usize = 1_000;

/// Measures the queries and the edit.
pub(super) fn run(run: &Run) -> Result<()> {
    let files = if run.is_sampled() { SAMPLED_FILES } else { FILES };
    let folder = setup::folder(&format!("project-{files}"));
    typescript_project::make(&folder, files)?;
    make_repository(&folder)?;
    let mut session = Session::start(run.program(), &folder)?;
    let table = Table::start(&[
        text("question", 26),
        text("program", 7),
        number("first ms"),
        number("p50 ms"),
        number("p95 ms"),
        number("goal ms"),
        text("", 4),
    ]);
    let symbol = json!({ "path": "src/area0/unit3.ts", "symbol": "Unit3.add" });
    let used = json!({ "path": HUB, "symbol": "createRegistry" });
    let position = json!({ "path": "src/area0/unit3.ts", "line": 1, "column": 10 });
    for (name, question, goal) in [
        ("symbolInfo of a method", query_with("symbolInfo", &symbol), 5.0),
        ("symbolInfo of a function", query_with("symbolInfo", &used), 5.0),
        ("hover", query_with("hover", &position), 5.0),
        ("typeDefinition", query_with("typeDefinition", &position), 5.0),
        ("gitStatus", json!({ "type": "gitStatus" }), 30.0),
        ("diagnostics of all", json!({ "type": "diagnostics", "checks": ["links", "names"] }), 2000.0),
    ] {
        measure(run, &mut session, (name, &question, goal), &table)?;
    }
    let git = median(run.rounds(ROUNDS), || {
        measure_process(Path::new("git"), &["status", "--porcelain=v2", "--branch"], &folder)
    })?;
    table.row(&["status, as a process", "git", "", &ms(git.time)]);
    measure_wide_edit(run, &mut session, WIDE_FILES.min(files - 1), &table)?;
    println!("peak of the running host: {} MiB", session.peak_memory());
    Ok(())
}

fn query_with(kind: &str, place: &Value) -> Value {
    let mut question = place.clone();
    question["type"] = json!(kind);
    question
}

/// Runs the same query several times.
fn measure(run: &Run, session: &mut Session, (name, question, goal): (&str, &Value, f64), table: &Table) -> Result<()> {
    let first = session.call_time("query", question)?;
    let times = (0..run.rounds(ROUNDS)).map(|_| session.call_time("query", question)).collect::<Result<Vec<_>>>()?;
    print_row(table, name, Some(first), &times, goal);
    Ok(())
}

fn print_row(table: &Table, name: &str, first: Option<f64>, times: &[f64], goal: f64) {
    let (half, most) = (quantile(times, 0.5), quantile(times, 0.95));
    let over = if half <= goal { "" } else { "OVER" };
    table.row(&[name, "marq", &first.map(ms).unwrap_or_default(), &ms(half), &ms(most), &format!("{goal:.0}"), over]);
}

/// Measures one edit of many files, and its undo.
fn measure_wide_edit(run: &Run, session: &mut Session, files: usize, table: &Table) -> Result<()> {
    let edit = json!({
        "files": [WIDE], "operation": "replace_text", "old": "too many tags", "content": "more tags than allowed",
        "all": true, "dryRun": false,
    });
    let (mut applied, mut undone) = (Vec::new(), Vec::new());
    for _ in 0..run.rounds(WIDE_ROUNDS) {
        let (time, answer) = session.call("file/edit", &edit)?;
        if !answer.contains(&format!("in {files} files")) {
            bail!("the edit did not change {files} files: {}", answer.chars().take(300).collect::<String>());
        }
        applied.push(time);
        undone.push(session.call_time("file/undo", &json!({}))?);
    }
    print_row(table, &format!("edit of {files} files"), None, &applied, 1000.0);
    print_row(table, "its undo", None, &undone, 1000.0);
    Ok(())
}

/// Commits all files to a git repository.
fn make_repository(folder: &Path) -> Result<()> {
    if folder.join(".git").is_dir() {
        return Ok(());
    }
    let author = ["-c", "user.name=bench", "-c", "user.email=bench@example.invalid"];
    for arguments in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "--message", "all"]] {
        let status = Command::new("git").args(author).args(arguments).current_dir(folder).status();
        if !status.context("cannot start `git`")?.success() {
            bail!("git {arguments:?} failed in {}", folder.display());
        }
    }
    Ok(())
}
