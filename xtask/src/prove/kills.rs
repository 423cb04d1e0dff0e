//! Kills in the middle of changes, full disks, lost permissions, changing links and power failures: every change is
//! complete or absent.

use anyhow::{Result, ensure};
use marquetry_torture::Torture;

use super::Run;
use crate::shell::cache_folder;

/// Rounds with a signal.
const KILLS: usize = 200;
/// Rounds with a signal during an edit of 1,000 files, or during its undo.
const WIDE_ROUNDS: usize = 20;
/// Rounds of each fault: full disks, file size limits, lost permissions, changing links.
const FAULTS: usize = 28;
/// Simulated power failures. In each, an image of the disk at that moment is mounted again.
const POWER_FAILURES: usize = 28;
/// Parallel runners.
const JOBS: usize = 2;

/// Runs all rounds. `--sample N` may also give more rounds than the complete run has.
pub(super) fn run(run: &Run) -> Result<()> {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir())?;
    let rounds = |complete| run.sample().unwrap_or(complete);
    let report = Torture {
        program: run.program().to_owned(),
        cache: cache_folder(),
        folder: folder.path().canonicalize()?,
        kills: rounds(KILLS),
        wide: rounds(WIDE_ROUNDS),
        faults: rounds(FAULTS),
        cuts: rounds(POWER_FAILURES),
        jobs: JOBS,
        seed: run.seed(),
    }
    .run()?;
    println!("{}", report.table());
    for fault in &report.faults {
        println!("    {fault}");
    }
    let broken = report.sum().failures();
    ensure!(broken == 0, "{broken} changes were incomplete, blocked the next call, or touched files of others");
    Ok(())
}
