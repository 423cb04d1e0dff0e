//! Random renames in the sources of packages, checked by the type checker and compared with TypeScript's native server.

use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};

use anyhow::{Context, Result, ensure};

use super::{Run, packages};
use crate::shell::{begin_step, command};

/// Renames in each package.
const COUNT: usize = 20;

/// Runs `e2e/random.mjs`.
pub(super) fn run(run: &Run) -> Result<()> {
    run_in_packages(run, "random.mjs", COUNT)
}

/// Runs a harness of `e2e` that picks `complete` items in each package.
pub(super) fn run_in_packages(run: &Run, harness: &str, complete: usize) -> Result<()> {
    if !run.is_sampled() && run.only().is_empty() {
        return run_harness(run, harness, complete, &[]);
    }
    for package in packages::selected_packages(run)? {
        begin_step(&format!("the sources of {package}"));
        run_harness(run, harness, complete, &["--only", package])?;
    }
    Ok(())
}

/// Runs a harness of `e2e` with the program, the number of items and the seed.
pub(super) fn run_harness(run: &Run, harness: &str, complete: usize, more: &[&str]) -> Result<()> {
    let program = run.program().to_string_lossy().into_owned();
    let harness = format!("e2e/{harness}");
    let (count, seed) = (run.sample().unwrap_or(complete).to_string(), run.seed().to_string());
    let arguments = [harness.as_str(), "--marq", &program, "--count", &count, "--seed", &seed];
    let mut node = command("node", &[&arguments[..], more].concat());
    let mut child = node.stdout(Stdio::piped()).spawn().context("cannot start `node`")?;
    let output = BufReader::new(child.stdout.take().context("no output")?);
    let mut rows = Vec::new();
    for line in output.lines() {
        let line = line?;
        if line.starts_with('|') {
            rows.push(line);
            continue;
        }
        print_aligned(&std::mem::take(&mut rows));
        println!("{line}");
    }
    print_aligned(&rows);
    ensure!(child.wait()?.success(), "`node {harness}` found errors");
    Ok(())
}

fn print_aligned(rows: &[String]) {
    for row in align_columns(rows) {
        println!("{row}");
    }
}

/// Returns the rows of a Markdown table with aligned columns: names are left-aligned, figures are right-aligned.
fn align_columns(rows: &[String]) -> Vec<String> {
    let is_rule = |row: &&String| row.chars().all(|c| "|- :".contains(c));
    let cells = |row: &String| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = rows.iter().filter(|row| !is_rule(row)).map(cells).collect();
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let pad = |(column, cell): (usize, &String)| {
        let width = width(column).unwrap_or_default();
        if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
    };
    rows.iter()
        .map(|row| row.iter().enumerate().map(pad).collect::<Vec<_>>().join("  ").trim_end().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_tables_are_aligned() {
        let rows = ["| kind | names |", "| --- | --- |", "| class | 12 |", "| property | 3 |"].map(str::to_owned);
        assert_eq!(align_columns(&rows), ["kind      names", "class        12", "property      3"]);
    }
}
