//! Random refactorings in the sources of packages, checked by the type checker.

use anyhow::Result;

use super::{Run, renames};

/// Refactors in each package.
const COUNT: usize = 200;

/// Runs `e2e/refactors.mjs`.
pub(super) fn run(run: &Run) -> Result<()> {
    renames::run_in_packages(run, "refactors.mjs", COUNT)
}
