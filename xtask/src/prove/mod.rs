//! Proofs: every figure and every long check of the project, run by one command.
//!
//! A proof is a file of this folder and a row of [`PROOFS`].

mod agents;
mod behavior;
mod build;
mod compare;
mod conformance;
mod drift;
mod edits;
mod files;
mod history;
mod kills;
mod languages;
mod laws;
mod load;
mod manifests;
mod members;
mod monorepos;
mod moves;
mod names;
mod packages;
mod project;
mod questions;
mod refactor_speed;
mod refactors;
mod renames;
mod replacements;
mod sandbox;
mod search;
mod setup;
mod start;
mod suites;
#[cfg(test)]
mod tests;

use std::{num::NonZeroUsize, path::PathBuf, time::Instant};

use anyhow::{Result, bail};
use clap::{Args, builder::PossibleValuesParser};

use self::setup::Need;
pub(crate) use self::setup::Run;
use crate::{
    measure::table::{Table, number, text},
    shell,
};

/// The proofs to run, and the size of their samples.
#[derive(Args, Debug, Clone)]
pub(crate) struct Prove {
    /// Proofs to run [default: all but `build`]
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(PROOFS.map(|proof| proof.name)), hide_possible_values = true)]
    names: Vec<String>,
    /// List the proofs: what each shows, needs, and counts with --sample
    #[arg(long)]
    list: bool,
    /// Limit each proof to N items, as --list says; without it proofs are complete
    #[arg(long, value_name = "N")]
    sample: Option<NonZeroUsize>,
    /// Choose other samples, and other random renames, moves, refactors, names and kills
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The program [default: target/release/marq, which is built first, as is target/debug/marq if it is given]
    #[arg(long, value_name = "PATH")]
    marq: Option<PathBuf>,
    /// For `compare`: the program to compare with
    #[arg(long, value_name = "PATH")]
    with: Option<PathBuf>,
    /// Only inputs, formats, refactorings, packages and suites whose name contains one of these words; for `laws`, only
    /// these extensions
    #[arg(long, value_name = "WORD,…", value_delimiter = ',')]
    only: Vec<String>,
    /// For `laws`, `manifests`, `edits`, `drift` and `search`: folders of files, for `laws` also of suites; for `replacements`: repositories
    #[arg(long, value_name = "FOLDER,…", value_delimiter = ',')]
    folders: Vec<PathBuf>,
    /// For `project` and `members`: numbers of files of the generated projects; for `monorepos`, of packages
    #[arg(long, value_name = "FILES,…", value_delimiter = ',')]
    sizes: Vec<usize>,
    /// For `search`: name of a function that few files of the folders call
    #[arg(long, value_name = "NAME")]
    rare: Option<String>,
    /// Measure marq without its peers, as with --sample
    #[arg(long)]
    no_peers: bool,
}

/// One row of the list of proofs.
pub(crate) struct Proof {
    name: &'static str,
    /// The figure or property that the proof shows, in one line.
    shows: &'static str,
    needs: &'static [Need],
    /// The items that `--sample N` limits.
    sample: &'static str,
    /// Options that only some proofs take.
    options: &'static [&'static str],
    /// True if the proof runs only if it is named.
    only_named: bool,
    run: fn(&Run) -> Result<()>,
}

impl Proof {
    const fn new(name: &'static str, run: fn(&Run) -> Result<()>, shows: &'static str, sample: &'static str) -> Proof {
        Proof { name, shows, needs: &[], sample, options: &[], only_named: false, run }
    }

    const fn needs(self, needs: &'static [Need]) -> Proof {
        Proof { needs, ..self }
    }

    const fn options(self, options: &'static [&'static str]) -> Proof {
        Proof { options, ..self }
    }

    const fn only_named(self) -> Proof {
        Proof { only_named: true, ..self }
    }
}

/// All proofs, in the order in which they run.
pub(crate) const PROOFS: [Proof; 29] = [
    Proof::new("start", start::run, "time until `marq mcp` lists its tools, memory of a small read", "N starts")
        .needs(&[Need::Program]),
    Proof::new(
        "files",
        files::run,
        "reads and edits of one file of every format, warm and as a process, next to peers",
        "N inputs of at most 1 MiB, N rounds each, no peers",
    )
    .needs(&[Need::Program])
    .options(&["only", "no-peers"]),
    Proof::new(
        "project",
        project::run,
        "index, move, rename and references in generated projects, next to peers",
        "N rounds of N calls in 200 files, no peers",
    )
    .needs(&[Need::Program])
    .options(&["sizes", "no-peers"]),
    Proof::new(
        "members",
        members::run,
        "rename, references and implementations of members whose names many things have",
        "N rounds of N calls in 200 files, no peers",
    )
    .needs(&[Need::Program])
    .options(&["sizes", "no-peers"]),
    Proof::new(
        "monorepos",
        monorepos::run,
        "moves in generated monorepos of up to 304 packages: first call, later calls, memory",
        "N rounds in 10 packages",
    )
    .needs(&[Need::Program])
    .options(&["sizes"]),
    Proof::new(
        "agents",
        agents::run,
        "goals of agents that the first call reaches, the others, and wrong results",
        "N goals",
    )
    .needs(&[Need::Program])
    .options(&["only"]),
    Proof::new(
        "conformance",
        conformance::run,
        "equal answers of crate, JSON-RPC, MCP, command line and both typed clients",
        "N of 200 calls",
    )
    .needs(&[Need::Program, Need::Tool("conformance")]),
    Proof::new(
        "packages",
        packages::run,
        "move, rename and references in the sources of npm packages",
        "N rounds of N calls in rxjs, no peers",
    )
    .needs(&[Need::Program, Need::Node, Need::E2e])
    .options(&["only", "no-peers"]),
    Proof::new(
        "search",
        search::run,
        "searches by text and by code, next to ripgrep and ast-grep",
        "N rounds of N searches in 200 files, no peers",
    )
    .needs(&[Need::Program])
    .options(&["folders", "rare", "no-peers"]),
    Proof::new(
        "questions",
        questions::run,
        "questions to a running host on 5,000 files, next to git, and an edit of 1,000 files",
        "N rounds in 200 files",
    )
    .needs(&[Need::Program, Need::Git]),
    Proof::new(
        "refactor-speed",
        refactor_speed::run,
        "time of every refactor, in a file of 200 lines and one of 14,000",
        "N rounds of N refactors in 200 lines",
    )
    .needs(&[Need::Program])
    .options(&["only"]),
    Proof::new(
        "sandbox",
        sandbox::run,
        "cost of the sandbox: open and find, native and as a component",
        "N inputs of at most 1 MiB, N rounds each",
    )
    .needs(&[Need::Tool("ratio")]),
    Proof::new(
        "compare",
        compare::run,
        "ratio of times to those of another program, in alternation",
        "N inputs of at most 1 MiB, 200 files, N rounds each",
    )
    .needs(&[Need::Program, Need::With])
    .options(&["with", "only"]),
    Proof::new(
        "laws",
        laws::run,
        "laws of every pack on this tree and the suites, or on folders",
        "N documents of each file extension",
    )
    .needs(&[Need::Tool("laws")])
    .options(&["folders", "only"]),
    Proof::new(
        "manifests",
        manifests::run,
        "laws of every address in the manifests of all crates that cargo has fetched",
        "N manifests",
    )
    .needs(&[Need::Tool("laws")])
    .options(&["folders"]),
    Proof::new("edits", edits::run, "random edits of real files, judged by second parsers", "N edits")
        .needs(&[Need::Program, Need::Python])
        .options(&["folders"]),
    Proof::new(
        "replacements",
        replacements::run,
        "replacements of nodes by their next version in a history: 0.5 % may be refused",
        "N replacements",
    )
    .needs(&[Need::Program, Need::Python, Need::Git])
    .options(&["folders"]),
    Proof::new(
        "drift",
        drift::run,
        "mutated files restored by name, string, patch and hash, also after the file changed",
        "N mutations",
    )
    .needs(&[Need::Program])
    .options(&["folders", "only"]),
    Proof::new(
        "suites",
        suites::run,
        "public conformance suites, held to xtask/suites.txt",
        "N cases of each suite, held to the minimum less what chance explains",
    )
    .needs(&[Need::Program, Need::Python, Need::Suites])
    .options(&["only"]),
    Proof::new(
        "kills",
        kills::run,
        "changes are complete or absent after kills, full disks, lost rights and power cuts",
        "N rounds of each kind",
    )
    .needs(&[Need::Program]),
    Proof::new(
        "load",
        load::run,
        "64 clients of one server: no edit is lost; time and memory",
        "16 clients, each raises its counters N times",
    )
    .needs(&[Need::Program]),
    Proof::new(
        "renames",
        renames::run,
        "random renames in the sources of packages, judged by the type checker",
        "N renames in rxjs",
    )
    .needs(&[Need::Program, Need::Node, Need::E2e])
    .options(&["only"]),
    Proof::new(
        "moves",
        moves::run,
        "random moves and deletes in the sources of packages, judged by the type checker",
        "N moves and deletes in rxjs",
    )
    .needs(&[Need::Program, Need::Node, Need::E2e])
    .options(&["only"]),
    Proof::new(
        "history",
        history::run,
        "moves of files from the history of repositories, next to what people wrote",
        "N commits of each repository",
    )
    .needs(&[Need::Program, Need::Git, Need::Repositories])
    .options(&["folders"]),
    Proof::new(
        "languages",
        languages::run,
        "random renames and moves in projects of Python, Go and Rust, judged by their compilers",
        "N changes of each project",
    )
    .needs(&[Need::Program, Need::Git, Need::Repositories])
    .options(&["folders"]),
    Proof::new(
        "refactors",
        refactors::run,
        "random refactors in the sources of packages, judged by the type checker",
        "N refactors in rxjs",
    )
    .needs(&[Need::Program, Need::Node, Need::E2e])
    .options(&["only"]),
    Proof::new(
        "behavior",
        behavior::run,
        "refactors in small programs, which must do the same in Node before and after",
        "N programs",
    )
    .needs(&[Need::Program, Need::Node, Need::E2e])
    .options(&["only"]),
    Proof::new(
        "names",
        names::run,
        "random renames across the formats of a site, judged by a browser's rules",
        "N renames",
    )
    .needs(&[Need::Program, Need::Node, Need::E2e]),
    Proof::new(
        "build",
        build::run,
        "time and size of `make demo`, `make install` and `make test` in a fresh clone",
        "the first N of these commands",
    )
    .needs(&[Need::Git, Need::Make])
    .only_named(),
];

/// Runs the named proofs, or all, and prints a summary.
pub(crate) fn run(prove: Prove) -> Result<()> {
    if prove.list {
        print_list();
        return Ok(());
    }
    let proofs = selected(&prove);
    check_options(&prove, &proofs)?;
    let needs: Vec<Need> = proofs.iter().flat_map(|proof| proof.needs).copied().collect();
    let run = Run::new(prove, &needs)?;
    let outcomes: Vec<Outcome> = proofs.into_iter().map(|proof| run_proof(proof, &run)).collect();
    shell::end_step();
    summarize(&outcomes)
}

/// The proofs that are named, or all that run without a name; in the order of the table.
fn selected(prove: &Prove) -> Vec<&'static Proof> {
    static TABLE: [Proof; PROOFS.len()] = PROOFS;
    let is_named = |proof: &Proof| prove.names.iter().any(|name| name == proof.name);
    let is_selected = |proof: &&Proof| if prove.names.is_empty() { !proof.only_named } else { is_named(proof) };
    TABLE.iter().filter(is_selected).collect()
}

/// Refuses an option that no selected proof takes, and an option that only some proofs take if no proof is named.
fn check_options(prove: &Prove, proofs: &[&Proof]) -> Result<()> {
    let given = [
        ("with", prove.with.is_some()),
        ("only", !prove.only.is_empty()),
        ("folders", !prove.folders.is_empty()),
        ("sizes", !prove.sizes.is_empty()),
        ("rare", prove.rare.is_some()),
        ("no-peers", prove.no_peers),
    ];
    for (option, _) in given.into_iter().filter(|(_, is_given)| *is_given) {
        let is_for_all = ["with", "no-peers"].contains(&option) || !prove.names.is_empty();
        if !is_for_all || !proofs.iter().any(|proof| proof.options.contains(&option)) {
            let takers = PROOFS.into_iter().filter(|proof| proof.options.contains(&option)).map(|proof| proof.name);
            let takers = takers.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            bail!("`--{option}` needs the name of a proof that takes it: {takers}");
        }
    }
    Ok(())
}

/// Outcome of a proof.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Passed,
    Failed,
    /// The proof was not run, because this tool or file is missing.
    NotRun(String),
}

impl Verdict {
    fn text(&self) -> String {
        match self {
            Verdict::Passed => "passed".to_owned(),
            Verdict::Failed => "failed".to_owned(),
            Verdict::NotRun(missing) => format!("not run: needs {missing}"),
        }
    }
}

struct Outcome {
    name: &'static str,
    verdict: Verdict,
    seconds: f64,
}

/// Runs one proof and prints its error, so that the other proofs run too.
fn run_proof(proof: &'static Proof, run: &Run) -> Outcome {
    shell::end_step();
    println!("\n#### {}: {}", proof.name, proof.shows);
    let started = Instant::now();
    let verdict = match run.missing(proof.needs) {
        Ok(Some(missing)) => Verdict::NotRun(missing),
        Ok(None) => verdict_of((proof.run)(run)),
        Err(error) => verdict_of(Err(error)),
    };
    if let Verdict::NotRun(_) = verdict {
        println!("{}", verdict.text());
    }
    Outcome { name: proof.name, verdict, seconds: started.elapsed().as_secs_f64() }
}

fn verdict_of(result: Result<()>) -> Verdict {
    if let Err(error) = &result {
        println!("error: {error:#}");
    }
    if result.is_ok() { Verdict::Passed } else { Verdict::Failed }
}

/// Prints the table of all outcomes. Failed proofs are an error.
fn summarize(outcomes: &[Outcome]) -> Result<()> {
    println!();
    let width = outcomes.iter().map(|outcome| outcome.verdict.text().chars().count()).max().unwrap_or_default();
    let table = Table::start(&[text("proof", name_width()), text("result", width), number("seconds")]);
    for Outcome { name, verdict, seconds } in outcomes {
        table.row(&[name, &verdict.text(), &format!("{seconds:.1}")]);
    }
    let failed: Vec<&str> =
        outcomes.iter().filter(|outcome| outcome.verdict == Verdict::Failed).map(|outcome| outcome.name).collect();
    if failed.is_empty() {
        return Ok(());
    }
    bail!("failed: {}", failed.join(", "))
}

fn name_width() -> usize {
    PROOFS.iter().map(|proof| proof.name.len()).max().unwrap_or_default()
}

fn print_list() {
    let needs = |proof: &Proof| proof.needs.iter().map(Need::name).collect::<Vec<_>>().join(", ");
    let width = |cell: fn(&Proof) -> usize| PROOFS.iter().map(cell).max().unwrap_or_default();
    let table = Table::start(&[
        text("proof", name_width()),
        text("shows", width(|proof| proof.shows.chars().count())),
        text("needs", PROOFS.iter().map(|proof| needs(proof).len()).max().unwrap_or_default()),
        text("--sample N", width(|proof| proof.sample.len())),
        text("options", 1),
    ]);
    for proof in &PROOFS {
        let options = proof.options.iter().map(|option| format!("--{option}")).collect::<Vec<_>>().join(" ");
        table.row(&[proof.name, proof.shows, &needs(proof), proof.sample, &options]);
    }
}
