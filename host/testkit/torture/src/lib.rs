//! The program under torture: killed at any moment, from every arrangement of roots, on full disks, without rights, in races, and
//! when the power goes.
//! Afterwards every change is there as a whole or not at all, nothing is in the way of the next call, and nothing was touched
//! that is somebody else's.
//!
//! Knows the program by its command line alone. Few rounds are a test, many are run by hand (`cargo xtask prove kills`).

mod cuts;
mod faults;
mod kills;
mod place;
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

/// What is run.
#[derive(Debug, Clone)]
pub struct Torture {
    /// `marq`.
    pub program: PathBuf,
    /// Where compiled packs are kept: nothing is to wait for the compiler.
    pub cache: PathBuf,
    /// Below this folder all of it happens.
    pub folder: PathBuf,
    /// Rounds with a signal.
    pub kills: usize,
    /// Rounds with a signal in the middle of a change of very many files.
    pub wide: usize,
    /// Rounds of each of the other parts.
    pub faults: usize,
    /// Cuts of the power.
    pub cuts: usize,
    /// Runners at once.
    pub jobs: usize,
    /// Another one, another chance.
    pub seed: u64,
}

/// What came of the rounds of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rounds that were run.
    pub rounds: usize,
    /// The disturbance came in the middle of the change.
    pub middle: usize,
    /// Afterwards all was as before.
    pub old: usize,
    /// Afterwards all was done.
    pub new: usize,
    /// Neither.
    pub neither: usize,
    /// The next call was refused, or found something in its way.
    pub blocked: usize,
    /// What others wrote, or what lies outside, was touched.
    pub strangers: usize,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.rounds += other.rounds;
        self.middle += other.middle;
        self.old += other.old;
        self.new += other.new;
        self.neither += other.neither;
        self.blocked += other.blocked;
        self.strangers += other.strangers;
    }

    /// How often a promise was broken.
    pub fn broken(self) -> usize {
        self.neither + self.blocked + self.strangers
    }
}

/// What came of all rounds.
#[derive(Debug, Default)]
pub struct Report {
    /// By what was done, and how it was disturbed.
    pub rows: BTreeMap<(&'static str, String), Counts>,
    /// What was found where a promise was broken.
    pub faults: Vec<String>,
    /// What could not be tried here, and why.
    pub untried: Vec<String>,
}

impl Report {
    /// All rows as one.
    pub fn sum(&self) -> Counts {
        self.rows.values().fold(Counts::default(), |mut sum, counts| {
            sum.add(*counts);
            sum
        })
    }

    fn count(&mut self, row: (&'static str, &str), counts: Counts) {
        self.rows.entry((row.0, row.1.to_owned())).or_default().add(counts);
    }

    fn fault(&mut self, fault: String) {
        if self.faults.len() < 100 {
            self.faults.push(fault);
        }
    }

    fn merge(&mut self, other: Report) {
        for ((part, name), counts) in other.rows {
            self.count((part, &name), counts);
        }
        self.faults.extend(other.faults);
        self.untried.extend(other.untried);
    }

    /// As a table.
    pub fn table(&self) -> String {
        let mut out = format!(
            "{:<34} {:>7} {:>7} {:>7} {:>7} {:>8} {:>8} {:>10}\n",
            "", "rounds", "middle", "old", "new", "neither", "blocked", "strangers"
        );
        let mut line = |name: &str, counts: Counts| {
            let Counts { rounds, middle, old, new, neither, blocked, strangers } = counts;
            let _ = writeln!(
                out,
                "{name:<34} {rounds:>7} {middle:>7} {old:>7} {new:>7} {neither:>8} {blocked:>8} {strangers:>10}"
            );
        };
        for ((part, name), counts) in &self.rows {
            line(&format!("{part}: {name}"), *counts);
        }
        line("all", self.sum());
        for untried in &self.untried {
            let _ = writeln!(out, "not tried: {untried}");
        }
        out
    }
}

impl Torture {
    /// Run all of it.
    ///
    /// # Errors
    /// A round could not be run: that says nothing about the program.
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
        report.untried.sort();
        report.untried.dedup();
        Ok(report)
    }

    /// The rounds of one of so many runners.
    fn runner(&self, job: usize, jobs: usize) -> Result<Report> {
        let share = |all: usize| all / jobs + usize::from(job < all % jobs);
        let mut report = Report::default();
        let seed = self.seed.wrapping_mul(1000) + job as u64;
        kills::run(self, &CHANGES, seed, (job, share(self.kills)), &mut report)?;
        kills::run(self, &WIDE_CHANGES, seed + 500, (job, share(self.wide)), &mut report)?;
        faults::run(self, seed, share(self.faults), &mut report)?;
        cuts::run(self, seed, share(self.cuts), &mut report)?;
        Ok(report)
    }

    fn below(&self) -> &Path {
        &self.folder
    }
}
