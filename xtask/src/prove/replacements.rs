//! Replaces nodes with the next version that they have in the history of a repository, and counts the refused
//! replacements by reason.

use anyhow::Result;

use super::{Run, edits::run_script};
use crate::shell::top;

/// Number of replacements of a complete run.
const COMPLETE: usize = 2_000;

/// Replays the histories of the given repositories, or of this one.
pub(super) fn run(run: &Run) -> Result<()> {
    run_script(run, "replacements.py", COMPLETE, &[top().to_owned()])
}
