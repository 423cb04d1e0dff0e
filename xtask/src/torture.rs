//! What is done to the program by hand, for long: kills, full disks, lost rights, races.

use std::{fs, path::PathBuf, time::Instant};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::shell::{step, top};

/// How hard, and how long.
#[derive(Args)]
pub(crate) struct Torture {
    /// Rounds with a signal
    #[arg(long, default_value_t = 200)]
    rounds: usize,
    /// Rounds with a signal in the middle of an edit of 1,000 files, or of its undo
    #[arg(long, default_value_t = 20)]
    wide: usize,
    /// Rounds of each of the other parts: full disks, files that may not grow, lost rights, turned links
    #[arg(long, default_value_t = 28)]
    faults: usize,
    /// Cuts of the power: the disk as it was at that moment is mounted again
    #[arg(long, default_value_t = 28)]
    cuts: usize,
    /// Runners at once
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Another number, another chance
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The program [default: target/release/marq, or else target/debug/marq]
    #[arg(long)]
    marq: Option<PathBuf>,
}

pub(crate) fn run(torture: &Torture) -> Result<()> {
    let built = ["target/release/marq", "target/debug/marq"].map(|path| top().join(path));
    let found = torture.marq.clone().or_else(|| built.into_iter().find(|path| path.is_file()));
    let program = found.context("there is no program: run `cargo build --release --package marquetry`")?;
    // It is run in other folders.
    let program = fs::canonicalize(&program).with_context(|| format!("there is no {}", program.display()))?;
    step(&format!(
        "torture: {} kills, {} of edits of 1,000 files, {} rounds of each fault, {} cuts of the power, {}",
        torture.rounds,
        torture.wide,
        torture.faults,
        torture.cuts,
        program.display()
    ));
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir())?;
    let started = Instant::now();
    let report = marquetry_torture::Torture {
        program,
        cache: top().join("target/test-cache"),
        folder: fs::canonicalize(folder.path())?,
        kills: torture.rounds,
        wide: torture.wide,
        faults: torture.faults,
        cuts: torture.cuts,
        jobs: torture.jobs,
        seed: torture.seed,
    }
    .run()?;
    println!("{}", report.table());
    println!("in {} s", started.elapsed().as_secs());
    for fault in &report.faults {
        println!("    {fault}");
    }
    if report.sum().broken() > 0 {
        bail!("{} promises were broken", report.sum().broken());
    }
    Ok(())
}
