//! Changes functions of a crate one at a time, and reports the changes that no test of the crate notices.
//!
//! Uses `cargo-mutants`, which knows the changes and runs the tests. A seeded sample keeps the run short.

use std::fs;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::{
    measure::sample,
    shell::{begin_step, command, top},
    tools,
};

/// Folder of the report.
const REPORT: &str = "target/mutants";

/// Arguments of `cargo xtask mutants`.
#[derive(clap::Args)]
pub(crate) struct Mutants {
    /// Name of the crate, such as `marquetry-model`
    package: String,
    /// Number of changes to try
    #[arg(long, default_value_t = 100)]
    sample: usize,
    /// Selects other changes
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Number of changes by outcome, and the names of those that no test noticed.
#[derive(Debug, Default, PartialEq, Eq)]
struct Summary {
    caught: usize,
    /// Changes that do not compile.
    unviable: usize,
    survivors: Vec<String>,
}

impl Summary {
    /// Reads the outcomes that `cargo-mutants` wrote. A test that does not end counts as a failed one.
    fn read(outcomes: &Value) -> Result<Summary> {
        let mut summary = Summary::default();
        for outcome in outcomes["outcomes"].as_array().context("the report has no outcomes")? {
            let Some(name) = outcome["scenario"]["Mutant"]["name"].as_str() else {
                ensure!(outcome["summary"] == "Success", "the tests fail without a change: see `{REPORT}`");
                continue;
            };
            match outcome["summary"].as_str() {
                Some("CaughtMutant" | "Timeout") => summary.caught += 1,
                Some("MissedMutant") => summary.survivors.push(name.to_owned()),
                Some("Unviable") => summary.unviable += 1,
                other => bail!("unknown outcome {other:?} of `{name}`"),
            }
        }
        Ok(summary)
    }

    fn percent(&self) -> usize {
        self.caught * 100 / (self.caught + self.survivors.len()).max(1)
    }
}

/// Tries a sample of changes to a crate, in place, with the tests of the crate. The sources are restored afterwards.
pub(crate) fn run(arguments: &Mutants) -> Result<()> {
    let Some(program) = tools::find("cargo-mutants") else {
        bail!("not run: needs cargo-mutants (`cargo xtask tools cargo-mutants`)");
    };
    let program = program.to_string_lossy().into_owned();
    let package = arguments.package.as_str();
    begin_step(&format!("the changes to {package}"));
    let listed = command(&program, &["mutants", "--list", "--json", "--package", package]).output()?;
    ensure!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let all: Vec<Value> = serde_json::from_slice(&listed.stdout).context("the list of changes")?;
    let names: Vec<&str> = all.iter().filter_map(|mutant| mutant["name"].as_str()).collect();
    let chosen = sample::indices(names.len(), Some(arguments.sample), arguments.seed, package);
    println!("    {} of {}", chosen.len(), names.len());

    begin_step("the tests of the crate with each change");
    // The report of an earlier run must not stand in for one that could not be written.
    let folder = top().join(REPORT);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let mut words = vec!["mutants", "--in-place", "--no-shuffle", "--package", package, "--output", REPORT];
    let patterns: Vec<String> = chosen.iter().map(|index| format!("^{}$", regex::escape(names[*index]))).collect();
    words.extend(patterns.iter().flat_map(|pattern| ["--re", pattern.as_str()]));
    // The exit status is not 0 if a change survives, which the report says in more detail.
    command(&program, &words).status()?;
    let report = folder.join("mutants.out/outcomes.json");
    let outcomes = fs::read_to_string(&report).with_context(|| format!("{}", report.display()))?;
    let summary = Summary::read(&serde_json::from_str(&outcomes)?)?;
    println!("    {} caught ({} %), {} do not compile", summary.caught, summary.percent(), summary.unviable);
    for survivor in &summary.survivors {
        println!("    not noticed: {survivor}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Summary;

    #[test]
    fn report_is_summed_up_by_outcome() {
        let outcome = |name: &str, summary: &str| json!({"scenario": {"Mutant": {"name": name}}, "summary": summary});
        let outcomes = json!({"outcomes": [
            {"scenario": "Baseline", "summary": "Success"},
            outcome("a", "CaughtMutant"),
            outcome("b", "MissedMutant"),
            outcome("c", "Timeout"),
            outcome("d", "Unviable"),
        ]});
        let summary = Summary::read(&outcomes).expect("a report");
        assert_eq!(summary, Summary { caught: 2, unviable: 1, survivors: vec!["b".to_owned()] });
        assert_eq!(summary.percent(), 66);
    }

    #[test]
    fn unknown_outcome_is_an_error() {
        let outcomes = json!({"outcomes": [{"scenario": {"Mutant": {"name": "a"}}, "summary": "Odd"}]});
        assert!(Summary::read(&outcomes).is_err());
    }

    #[test]
    fn failure_without_a_change_is_an_error() {
        for summary in ["Failure", "Timeout"] {
            let outcomes = json!({"outcomes": [{"scenario": "Baseline", "summary": summary}]});
            let error = Summary::read(&outcomes).expect_err(summary);
            assert_eq!(error.to_string(), "the tests fail without a change: see `target/mutants`");
        }
    }
}
