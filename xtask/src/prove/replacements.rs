//! Replacements of nodes by their next version in the history of a repository: how many are refused, and why.

use anyhow::Result;

use super::{Run, edits::run_script};
use crate::shell::top;

/// Replacements of a complete run.
const COMPLETE: usize = 2_000;

/// Replays the histories of the given repositories, or of this one.
pub(super) fn run(run: &Run) -> Result<()> {
    run_script(run, "replacements.py", COMPLETE, &[top().to_owned()])
}
