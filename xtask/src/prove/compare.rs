//! Compares this program with another one. Both make the same calls alternately (A B A B).
//!
//! Each program has its own copy of the files, and its own state and cache folders.

use std::{fs, path::PathBuf};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::{Run, files::vary, project, setup};
use crate::{
    measure::{
        inputs::{INPUTS, Input},
        process::{measure_process, quantile},
        session::Session,
        subject::Call,
        table::{Table, ms, number, text},
        typescript_project,
    },
    shell::begin_step,
};

const ROUNDS: usize = 20;
/// Files of the generated project.
const FILES: usize = 1_000;

/// One of the two programs.
struct Side {
    name: &'static str,
    program: PathBuf,
    folder: PathBuf,
}

/// Measures both programs.
pub(super) fn run(run: &Run) -> Result<()> {
    let folder = setup::empty_folder("compare")?;
    let side = |name, program: PathBuf| Side { name, program, folder: folder.join(name) };
    let sides = [side("old", run.compared_program()?), side("new", run.program().to_owned())];
    begin_step(&format!("old: {}; new: {}", sides[0].program.display(), sides[1].program.display()));
    let columns = ["old ms", "new ms", "new / old"].map(number);
    let table = Table::start(&[&[text("files", 14), text("call", 12), text("how", 8)], &columns[..]].concat());
    let inputs: Vec<&Input> = INPUTS.iter().filter(|input| run.is_selected(input.file)).collect();
    ensure!(!inputs.is_empty() || run.is_selected("project"), "`--only` admits no input and not `project`");
    for input in run.draw(inputs, "compare") {
        compare_input(run, &sides, input, &table)?;
    }
    if run.is_selected("project") {
        compare_project(run, &sides, &table)?;
    }
    Ok(())
}

/// Measures reads and edits of one file.
fn compare_input(run: &Run, sides: &[Side; 2], input: &Input, table: &Table) -> Result<()> {
    for side in sides {
        input.write(&side.folder, run.is_sampled())?;
    }
    let path = |side: &Side| side.folder.join(input.file);
    let original = fs::read(path(&sides[0]))?;
    let edit = ["edit", input.file, input.target, "replace", input.content];
    for (call, arguments) in [("read", &["read", input.file, input.target][..]), ("edit", &edit)] {
        let times = measure_in_turns(run, |side, _| {
            fs::write(path(&sides[side]), &original)?;
            Ok(measure_process(&sides[side].program, arguments, &sides[side].folder)?.time)
        })?;
        print_row(table, [input.file, call, "process"], &times);
    }
    let mut sessions = start(sides)?;
    let read = json!({ "file": input.file, "target": input.target });
    let edit = json!({ "file": input.file, "target": input.target, "operation": "replace", "content": input.content });
    for (call, method, arguments) in [("read", "file/read", &read), ("edit", "file/edit", &edit)] {
        let times = measure_in_turns(run, |side, round| {
            fs::write(path(&sides[side]), vary(&original, round))?;
            sessions[side].call_time(method, arguments)
        })?;
        print_row(table, [input.file, call, "warm"], &times);
    }
    Ok(())
}

/// Measures a move, a rename and a query for references in a generated project.
fn compare_project(run: &Run, sides: &[Side; 2], table: &Table) -> Result<()> {
    let files = if run.is_sampled() { setup::SAMPLED_FILES } else { FILES };
    let sides = sides.each_ref().map(|side| Side {
        name: side.name,
        program: side.program.clone(),
        folder: side.folder.with_file_name(format!("{}-project", side.name)),
    });
    for side in &sides {
        typescript_project::make(&side.folder, files)?;
    }
    let name = format!("project-{files}");
    let calls = project::subject().calls(&sides[0].folder)?;
    for Call { name: call, tool, arguments, .. } in &calls {
        let arguments = arguments.to_string();
        let arguments = ["call", tool, &arguments];
        // The first process creates the index, so it is not measured.
        for side in &sides {
            measure_process(&side.program, &arguments, &side.folder)?;
        }
        let times = measure_in_turns(run, |side, _| {
            Ok(measure_process(&sides[side].program, &arguments, &sides[side].folder)?.time)
        })?;
        print_row(table, [&name, call, "process"], &times);
    }
    let mut sessions = start(&sides)?;
    for Call { name: call, tool, arguments, .. } in &calls {
        let method = tool.replacen('_', "/", 1);
        let mut timed = |side: usize, arguments: &Value| sessions[side].call_time(&method, arguments);
        for side in 0..2 {
            timed(side, arguments)?;
        }
        print_row(table, [&name, call, "warm"], &measure_in_turns(run, |side, _| timed(side, arguments))?);
    }
    Ok(())
}

fn start(sides: &[Side; 2]) -> Result<Vec<Session>> {
    sides.iter().map(|side| Session::start(&side.program, &side.folder)).collect()
}

/// Returns the times of both programs, which are measured alternately.
fn measure_in_turns(run: &Run, mut measure: impl FnMut(usize, usize) -> Result<f64>) -> Result<[Vec<f64>; 2]> {
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..run.rounds(ROUNDS) {
        for side in [0, 1] {
            times[side].push(measure(side, round)?);
        }
    }
    Ok(times)
}

fn print_row(table: &Table, names: [&str; 3], times: &[Vec<f64>; 2]) {
    let [old, new] = times.each_ref().map(|times| quantile(times, 0.5));
    let [files, call, how] = names;
    table.row(&[files, call, how, &ms(old), &ms(new), &format!("{:.2}", new / old)]);
}
