//! Figures: reads and edits, warm and as a whole process, next to peers that are installed, all in one run.

mod formats;
mod inputs;
mod members;
mod peers;
mod process;
mod project;
mod questions;
mod refactors;
mod search;
pub(crate) mod session;
mod subject;
mod workspace;

use anyhow::Result;
use clap::Subcommand;

const SIZES: [usize; 3] = [1_000, 5_000, 20_000];
const LARGE: [usize; 1] = [5_650];

/// What is measured.
#[derive(Subcommand)]
pub(crate) enum Bench {
    /// Reading and editing one file, for every format
    Formats {
        /// Only inputs whose name contains this
        only: Option<String>,
    },
    /// Following through a whole project: index, move, rename, references
    Workspace {
        /// Numbers of files [default: 1000 5000 20000]
        sizes: Vec<usize>,
        /// Measure marq alone
        #[arg(long)]
        alone: bool,
    },
    /// Following members whose names many things have
    Members {
        /// Numbers of files [default: 5650]
        sizes: Vec<usize>,
        /// Measure marq alone
        #[arg(long)]
        alone: bool,
    },
    /// The same on the sources of packages
    Packages {
        /// Measure marq alone
        #[arg(long)]
        alone: bool,
    },
    /// Searching by text and by the structure of code, next to ripgrep and ast-grep
    Search {
        /// Folders to search [default: a project of 20000 files]
        folders: Vec<std::path::PathBuf>,
        /// The name of a function that few of their files call [default: one of the generated project]
        #[arg(long)]
        rare: Option<String>,
    },
    /// Questions to a running host on 5,000 files, next to git, and an edit of 1,000 files
    Questions,
    /// Every refactor, in a file of 200 lines and one of 14,000
    Refactors {
        /// Only those whose name or ending contains this
        only: Option<String>,
    },
    /// What the sandbox costs next to the same code native
    Ratio,
    /// Build the peers that are crates (below target/peers)
    Peers,
    /// Run a command, print milliseconds and MiB
    #[command(hide = true)]
    Cost {
        /// The program and its arguments
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<std::ffi::OsString>,
    },
}

/// Measure a part, or everything.
pub(crate) fn run(part: Option<Bench>) -> Result<()> {
    match part {
        Some(Bench::Formats { only }) => formats::run(only.as_deref()),
        Some(Bench::Workspace { sizes, alone }) => {
            workspace::run(if sizes.is_empty() { &SIZES } else { &sizes }, !alone)
        }
        Some(Bench::Members { sizes, alone }) => {
            workspace::members(if sizes.is_empty() { &LARGE } else { &sizes }, !alone)
        }
        Some(Bench::Packages { alone }) => workspace::packages(!alone),
        Some(Bench::Search { folders, rare }) => search::run(&folders, rare.as_deref()),
        Some(Bench::Questions) => questions::run(),
        Some(Bench::Refactors { only }) => refactors::run(only.as_deref()),
        Some(Bench::Ratio) => formats::ratio(),
        Some(Bench::Peers) => peers::install(),
        Some(Bench::Cost { command }) => process::print_cost(&command),
        None => {
            formats::run(None)?;
            formats::ratio()?;
            workspace::run(&SIZES, true)?;
            workspace::members(&LARGE, true)?;
            workspace::packages(true)?;
            search::run(&[], None)?;
            questions::run()?;
            refactors::run(None)
        }
    }
}
