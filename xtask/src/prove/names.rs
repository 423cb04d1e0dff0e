//! Random renames of classes, ids, custom properties and animations on a published site, checked with a browser's
//! rules.

use anyhow::Result;

use super::{Run, renames};

/// Names that are renamed.
const COUNT: usize = 60;

/// Runs `e2e/names.mjs`.
pub(super) fn run(run: &Run) -> Result<()> {
    renames::run_harness(run, "names.mjs", COUNT, &[])
}
