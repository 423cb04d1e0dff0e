//! Refactorings in small programs, which run in Node before and after each.

use anyhow::Result;

use super::{Run, renames};

/// Runs `e2e/behavior.mjs`; without `--sample`, with all programs.
pub(super) fn run(run: &Run) -> Result<()> {
    let only: Vec<&str> = run.only().iter().flat_map(|word| ["--only", word]).collect();
    renames::run_harness(run, "behavior.mjs", 0, &only)
}
