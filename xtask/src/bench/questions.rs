//! Questions to a running host on a project of many files: about a place, about the repository next to git, about all problems;
//! and one edit of a thousand files with its undo.

use std::{path::Path, process::Command};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::{
    formats::marq,
    process::{cost, median, quantile},
    project,
    session::Session,
};
use crate::shell::{step, top};

const ROUNDS: usize = 21;
/// Files of the generated project.
const FILES: usize = 5_000;
/// Files that one edit changes.
const WIDE: &str = "src/area{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19}/unit*.ts";

/// Measure.
pub(crate) fn run() -> Result<()> {
    let (marq, folder) = (marq()?, top().join(format!("target/bench/project-{FILES}")));
    project::make(&folder, FILES)?;
    step(&format!("questions to a running host, {FILES} TypeScript files"));
    repository(&folder)?;
    cost(&marq, &["doctor"], &folder)?;
    let mut session = Session::start(&marq, &folder)?;
    let place = json!({ "path": "src/area0/unit3.ts", "symbol": "Unit3.add" });
    let used = json!({ "path": project::HUB, "symbol": "createRegistry" });
    let pointed = json!({ "path": "src/area0/unit3.ts", "line": 1, "column": 10 });
    for (name, question, goal) in [
        ("symbolInfo of a method", with("symbolInfo", &place), 5.0),
        ("symbolInfo of a function", with("symbolInfo", &used), 5.0),
        ("hover", with("hover", &pointed), 5.0),
        ("typeDefinition", with("typeDefinition", &pointed), 5.0),
        ("gitStatus", json!({ "type": "gitStatus" }), 30.0),
        ("diagnostics of all", json!({ "type": "diagnostics", "checks": ["links", "names"] }), 2000.0),
    ] {
        asked(&mut session, name, &question, goal)?;
    }
    let git = median(ROUNDS, || cost(Path::new("git"), &["status", "--porcelain=v2", "--branch"], &folder))?;
    println!("git         {:<26}whole process {:>8.1} ms", "git status", git.time);
    wide(&mut session)?;
    println!("marq        memory of the running host at most {} MiB", session.peak_memory());
    Ok(())
}

fn with(kind: &str, place: &Value) -> Value {
    let mut question = place.clone();
    question["type"] = json!(kind);
    question
}

/// The same question again and again: what it takes at the first time, and then.
fn asked(session: &mut Session, name: &str, question: &Value, goal: f64) -> Result<()> {
    let first = session.timed("query", question)?;
    let times = (0..ROUNDS).map(|_| session.timed("query", question)).collect::<Result<Vec<_>>>()?;
    let (half, most) = (quantile(&times, 0.5), quantile(&times, 0.95));
    let judged = if half <= goal { "" } else { "  OVER" };
    println!(
        "marq        {name:<26}first {first:>8.1} ms   warm p50 {half:>8.1} ms   p95 {most:>8.1} ms   goal {goal:>6.0} ms{judged}"
    );
    Ok(())
}

/// One edit of a thousand files, carried out and taken back.
fn wide(session: &mut Session) -> Result<()> {
    let edit = json!({
        "files": [WIDE], "operation": "replace_text", "old": "too many tags", "content": "more tags than allowed",
        "all": true, "dryRun": false,
    });
    let (mut done, mut undone) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        let (time, answer) = session.call("file/edit", &edit)?;
        if !answer.contains("in 1000 files") {
            bail!("not all files were edited: {}", answer.chars().take(300).collect::<String>());
        }
        done.push(time);
        undone.push(session.timed("file/undo", &json!({}))?);
    }
    println!(
        "marq        {:<26}carried out p50 {:>8.1} ms   undone {:>8.1} ms   goal {:>6.0} ms",
        "edit of 1,000 files",
        quantile(&done, 0.5),
        quantile(&undone, 0.5),
        1000.0
    );
    Ok(())
}

/// All files are in a repository, committed.
fn repository(folder: &Path) -> Result<()> {
    if folder.join(".git").is_dir() {
        return Ok(());
    }
    let author = ["-c", "user.name=bench", "-c", "user.email=bench@example.invalid"];
    for arguments in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "--message", "all"]] {
        let status = Command::new("git").args(author).args(arguments).current_dir(folder).status();
        if !status.context("git cannot be started")?.success() {
            bail!("git {arguments:?} failed in {}", folder.display());
        }
    }
    Ok(())
}
