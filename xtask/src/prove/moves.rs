//! Random moves and deletes of files and folders in the sources of packages, checked by the type checker.

use anyhow::Result;

use super::{Run, renames};

/// Moves and deletes in each package.
const COUNT: usize = 25;

/// Runs `e2e/moves.mjs`.
pub(super) fn run(run: &Run) -> Result<()> {
    renames::run_in_packages(run, "moves.mjs", COUNT)
}
