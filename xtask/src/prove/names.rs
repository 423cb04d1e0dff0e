//! Random renames of classes, ids, custom properties and animations on a published site. Their results are checked with
//! the rules of browsers.

use anyhow::Result;

use super::{Run, renames};

/// Names that are renamed.
const COUNT: usize = 60;

/// Runs `e2e/names.mjs`.
pub(super) fn run(run: &Run) -> Result<()> {
    renames::run_harness(run, "names.mjs", COUNT, &[])
}
