//! Torture tests of the program: it is killed at random moments, with various roots, and runs on full disks, without
//! permissions, in races, and with power failures.
//!
//! Afterwards, every change must be complete or absent, the next call must succeed, and files of other programs must be
//! unchanged.
//!
//! The crate uses the program only through its command line. The test suite runs few rounds; `cargo xtask prove kills`
//! runs many.

mod environment;
mod faults;
mod kills;
mod power_failures;
mod project;
pub mod tree;

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use anyhow::Result;

pub use project::{CHANGES, Change, WIDE_CHANGES};

/// The configuration of a run.
#[derive(Debug, Clone)]
pub struct Torture {
    /// The path of `marq`.
    pub program: PathBuf,
    /// The cache of compiled packs, so that no call waits for the compiler.
    pub cache: PathBuf,
    /// The folder for all files of the tests.
    pub folder: PathBuf,
    /// Rounds with a signal.
    pub kills: usize,
    /// Rounds with a signal during a change of very many files.
    pub wide: usize,
    /// Rounds of each of the other tests.
    pub faults: usize,
    /// Simulated power failures.
    pub cuts: usize,
    /// Runners in parallel.
    pub jobs: usize,
    /// The seed of the random numbers.
    pub seed: u64,
}

/// The results of all rounds of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rounds that were run.
    pub rounds: usize,
    /// Rounds whose disturbance interrupted the change.
    pub middle: usize,
    /// Rounds that ended in the state before the change.
    pub old: usize,
    /// Rounds that ended in the state after the change.
    pub new: usize,
    /// Rounds that ended in neither state.
    pub neither: usize,
    /// Rounds whose next call was refused or failed.
    pub blocked: usize,
    /// Rounds in which files of other programs, or files outside of the root, were changed.
    pub foreign_changes: usize,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.rounds += other.rounds;
        self.middle += other.middle;
        self.old += other.old;
        self.new += other.new;
        self.neither += other.neither;
        self.blocked += other.blocked;
        self.foreign_changes += other.foreign_changes;
    }

    /// The number of failures.
    pub fn failures(self) -> usize {
        self.neither + self.blocked + self.foreign_changes
    }
}

/// The results of all rounds.
#[derive(Debug, Default)]
pub struct Report {
    /// Results by change and disturbance.
    pub rows: BTreeMap<(&'static str, String), Counts>,
    /// Details of the failures.
    pub faults: Vec<String>,
    /// Tests that could not be run on this system, with the reason.
    pub skipped: Vec<String>,
}

impl Report {
    /// The sum of all rows.
    pub fn sum(&self) -> Counts {
        self.rows.values().fold(Counts::default(), |mut sum, counts| {
            sum.add(*counts);
            sum
        })
    }

    fn count(&mut self, row: (&'static str, &str), counts: Counts) {
        self.rows.entry((row.0, row.1.to_owned())).or_default().add(counts);
    }

    fn add_fault(&mut self, fault: String) {
        if self.faults.len() < 100 {
            self.faults.push(fault);
        }
    }

    fn merge(&mut self, other: Report) {
        for ((part, name), counts) in other.rows {
            self.count((part, &name), counts);
        }
        self.faults.extend(other.faults);
        self.skipped.extend(other.skipped);
    }

    /// Formats the results as a table.
    pub fn table(&self) -> String {
        let mut out = format!(
            "{:<34} {:>7} {:>7} {:>7} {:>7} {:>8} {:>8} {:>10}\n",
            "", "rounds", "middle", "old", "new", "neither", "blocked", "foreign"
        );
        let mut line = |name: &str, counts: Counts| {
            let Counts { rounds, middle, old, new, neither, blocked, foreign_changes } = counts;
            let _ = writeln!(
                out,
                "{name:<34} {rounds:>7} {middle:>7} {old:>7} {new:>7} {neither:>8} {blocked:>8} {foreign_changes:>10}"
            );
        };
        for ((part, name), counts) in &self.rows {
            line(&format!("{part}: {name}"), *counts);
        }
        line("all", self.sum());
        for untried in &self.skipped {
            let _ = writeln!(out, "not tried: {untried}");
        }
        out
    }
}

impl Torture {
    /// Runs all tests.
    ///
    /// # Errors
    /// Fails if a round could not be run. Faults of the program are not errors; the report lists them.
    pub fn run(&self) -> Result<Report> {
        let whole = Mutex::new(Report::default());
        let jobs = self.jobs.max(1);
        let results: Vec<Result<()>> = std::thread::scope(|scope| {
            let runners: Vec<_> = (0..jobs)
                .map(|job| {
                    let whole = &whole;
                    scope.spawn(move || {
                        let report = self.runner(job, jobs)?;
                        whole.lock().unwrap_or_else(PoisonError::into_inner).merge(report);
                        Ok(())
                    })
                })
                .collect();
            let broke = || Err(anyhow::anyhow!("a runner panicked"));
            runners.into_iter().map(|runner| runner.join().unwrap_or_else(|_| broke())).collect()
        });
        results.into_iter().collect::<Result<()>>()?;
        let mut report = whole.into_inner().unwrap_or_else(PoisonError::into_inner);
        report.skipped.sort();
        report.skipped.dedup();
        Ok(report)
    }

    /// Runs the rounds of one runner.
    fn runner(&self, job: usize, jobs: usize) -> Result<Report> {
        let share = |all: usize| all / jobs + usize::from(job < all % jobs);
        let mut report = Report::default();
        let seed = self.seed.wrapping_mul(1000) + job as u64;
        kills::run(self, &CHANGES, seed, (job, share(self.kills)), &mut report)?;
        kills::run(self, &WIDE_CHANGES, seed + 500, (job, share(self.wide)), &mut report)?;
        faults::run(self, seed, share(self.faults), &mut report)?;
        power_failures::run(self, seed, share(self.cuts), &mut report)?;
        Ok(report)
    }

    fn runner_folder(&self) -> &Path {
        &self.folder
    }
}
