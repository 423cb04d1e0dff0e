//! The public conformance suites, run by their own runner and compared with the minimum scores in `xtask/suites.txt`.
//!
//! The suites are outside of the repository and read only if an environment variable names their folder. A sampled run
//! copies the sampled cases of each suite to another folder, and allows a suite the failures that chance explains (see
//! [`allowed_failures`]).

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    env, fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::Value;

use super::{Run, setup};
use crate::{
    measure::{
        sample,
        table::{Table, number, text},
    },
    shell::{begin_step, command, top},
};

/// The variable that names the folder. Tests of packs and of the host read it too.
const VARIABLE: &str = "MARQ_SUITES";

/// The maximum probability that a sample fails although the complete suite reaches exactly its minimum score.
const FALSE_ALARM: f64 = 1e-4;

/// The folder of suites, if the variable is set; relative to the top of the tree.
pub(crate) fn folder() -> Result<Option<PathBuf>> {
    let Some(folder) = env::var_os(VARIABLE).filter(|folder| !folder.is_empty()) else { return Ok(None) };
    let folder = top().join(folder);
    ensure!(folder.join("run.py").is_file(), "{VARIABLE}: {} has no `run.py`", folder.display());
    Ok(Some(folder))
}

/// A line of `xtask/suites.txt`.
#[derive(Debug, Clone, PartialEq)]
struct Minimum {
    /// `SUITE` or `SUITE/KIND`.
    key: String,
    percent: f64,
}

impl Minimum {
    fn suite(&self) -> &str {
        self.key.split('/').next().unwrap_or_default()
    }

    /// Returns the option of `run.py` for this line.
    fn argument(&self) -> String {
        format!("{}={}", self.key, self.percent)
    }
}

/// Runs all suites of `xtask/suites.txt`, or a sample of their cases.
pub(super) fn run(run: &Run) -> Result<()> {
    let folder = folder()?.with_context(|| format!("{VARIABLE} is not set"))?;
    let minima = parse_minima(&fs::read_to_string(top().join("xtask/suites.txt"))?)?;
    let minima = run.select_by_name(minima, Minimum::suite)?;
    let sampled = setup::empty_folder("suites")?;
    let suites: BTreeSet<&str> = minima.iter().map(Minimum::suite).collect();
    let Some(most) = run.sample() else {
        let arguments: Vec<String> =
            minima.iter().flat_map(|minimum| ["--min".to_owned(), minimum.argument()]).collect();
        return run_suites(run, &folder, &suites, &arguments);
    };
    for suite in &suites {
        write_sample(&folder.join(suite), &sampled.join(suite), most, run.seed())?;
    }
    let [counts, failures] = ["counts.json", "failures.jsonl"].map(|name| sampled.join(name));
    let path = |path: &Path| path.to_string_lossy().into_owned();
    let arguments =
        ["--dir", &path(&sampled), "--json", &path(&counts), "--failures", &path(&failures)].map(str::to_owned);
    // Without minimum scores, the exit code reports only crashes.
    let result = run_suites(run, &folder, &suites, &arguments);
    let counts = serde_json::from_str(&fs::read_to_string(&counts).with_context(|| path(&counts))?)?;
    let missed = judge(&minima, &counts, &Failures::parse(&fs::read_to_string(failures)?)?);
    result?;
    ensure!(missed.is_empty(), "suites below their minimum: {}", missed.join(", "));
    Ok(())
}

fn run_suites(run: &Run, folder: &Path, suites: &BTreeSet<&str>, more: &[String]) -> Result<()> {
    let only = suites.iter().copied().collect::<Vec<_>>().join(",");
    let (runner, program) = (folder.join("run.py"), run.program());
    let (runner, program) = (runner.to_string_lossy().into_owned(), program.to_string_lossy().into_owned());
    let mut arguments = vec![runner.as_str(), "--marq", &program, "--jobs", "2", "--timeout", "60", "--only", &only];
    arguments.extend(more.iter().map(String::as_str));
    let mut runner_process = command("python3", &arguments);
    // The runner does not run at the top of the tree, because marq does not use a cache that is inside of its root.
    runner_process.current_dir(setup::folder("suites"));
    let status = runner_process.status();
    ensure!(
        status.context("cannot start `python3`")?.success(),
        "`{runner}` found crashes, or suites below their minimum"
    );
    Ok(())
}

fn parse_minima(text: &str) -> Result<Vec<Minimum>> {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| {
            let (key, percent) = line.split_once('=').with_context(|| format!("`{line}` is not SUITE=PERCENT"))?;
            Ok(Minimum { key: key.to_owned(), percent: percent.parse().with_context(|| line.to_owned())? })
        })
        .collect()
}

/// Writes a sample of a suite: `cases.jsonl`, and a link to the documents that its cases share.
fn write_sample(suite: &Path, to: &Path, most: usize, seed: u64) -> Result<()> {
    let cases = suite.join("cases.jsonl");
    let cases = fs::read_to_string(&cases).with_context(|| cases.display().to_string())?;
    fs::create_dir_all(to)?;
    if suite.join("docs").is_dir() {
        symlink(suite.join("docs").canonicalize()?, to.join("docs"))?;
    }
    let name = suite.file_name().unwrap_or_default().to_string_lossy();
    fs::write(to.join("cases.jsonl"), sampled_cases(&cases, most, seed, &name)?)?;
    Ok(())
}

/// Returns the lines of a sample of `most` requests. Cases with the same request stay together, as the runner accepts
/// the result of any of them.
fn sampled_cases(cases: &str, most: usize, seed: u64, name: &str) -> Result<String> {
    let mut groups: Vec<Vec<&str>> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line)?;
        let refactor = &case["args"]["refactor"];
        let group = if refactor.is_null() {
            groups.len()
        } else {
            *known.entry(format!("{refactor} {}", case["files"])).or_insert(groups.len())
        };
        match groups.get_mut(group) {
            Some(group) => group.push(line),
            None => groups.push(vec![line]),
        }
    }
    let drawn = sample::indices(groups.len(), Some(most), seed, name);
    Ok(drawn.into_iter().flat_map(|index| groups[index].iter().flat_map(|line| [*line, "\n"])).collect())
}

/// The output of `run.py --json`.
#[derive(Debug, Default, Deserialize)]
struct Counts {
    suites: BTreeMap<String, SuiteCounts>,
}

#[derive(Debug, Default, Deserialize)]
struct SuiteCounts {
    total: usize,
    kinds: BTreeMap<String, KindCounts>,
}

#[derive(Debug, Default, Deserialize)]
struct KindCounts {
    total: usize,
}

impl Counts {
    /// The number of checks of a suite or of a kind of a suite; zero if the sample has none.
    fn checks(&self, minimum: &Minimum) -> usize {
        let Some(suite) = self.suites.get(minimum.suite()) else { return 0 };
        match minimum.key.split_once('/') {
            Some((_, kind)) => suite.kinds.get(kind).map_or(0, |kind| kind.total),
            None => suite.total,
        }
    }
}

/// A line of the output of `run.py --failures`.
#[derive(Debug, Deserialize)]
struct Failure {
    id: String,
    suite: String,
    kind: String,
    #[serde(default)]
    soft: bool,
}

struct Failures(Vec<Failure>);

impl Failures {
    fn parse(lines: &str) -> Result<Failures> {
        let lines = lines.lines().map(|line| Ok(serde_json::from_str(line)?));
        Ok(Failures(lines.collect::<Result<_>>()?))
    }

    /// The number of failed cases. Several failed checks of one case count once, because they have the same cause.
    fn cases(&self, minimum: &Minimum) -> usize {
        let kind = minimum.key.split_once('/').map(|(_, kind)| kind);
        let is_of = |failure: &&Failure| {
            failure.suite == minimum.suite() && kind.map_or(!failure.soft, |kind| failure.kind == kind)
        };
        self.0.iter().filter(is_of).map(|failure| &failure.id).collect::<BTreeSet<_>>().len()
    }
}

/// Prints how the sample of each suite compares with its minimum, and returns those that miss it.
fn judge(minima: &[Minimum], counts: &Counts, failures: &Failures) -> Vec<String> {
    begin_step("the samples, held to xtask/suites.txt");
    let width = minima.iter().map(|minimum| minimum.key.len()).max().unwrap_or_default();
    let columns = ["minimum %", "checks", "failed", "allowed"].map(number);
    let table = Table::start(&[&[text("suite", width)], &columns[..], &[text("", 6)]].concat());
    let mut missed = Vec::new();
    for minimum in minima {
        let (checks, failed) = (counts.checks(minimum), failures.cases(minimum));
        let allowed = allowed_failures(checks, minimum.percent);
        let is_missed = failed > allowed;
        let figures = [minimum.percent.to_string(), checks.to_string(), failed.to_string(), allowed.to_string()];
        let [percent, checks, failed, allowed] = figures.each_ref().map(String::as_str);
        table.row(&[&minimum.key, percent, checks, failed, allowed, if is_missed { "MISSED" } else { "" }]);
        if is_missed {
            missed.push(minimum.key.clone());
        }
    }
    missed
}

/// The number of failures that a sample of `checks` may have if the complete suite must reach `percent`.
///
/// If the complete suite is exactly at its minimum, each check of the sample fails with the probability that the
/// minimum permits. So the number of failures has at most a binomial distribution. The allowance is the largest number
/// that this distribution reaches or exceeds with a probability of at least [`FALSE_ALARM`]. With a minimum of 100, no
/// failure is allowed. With a minimum of 99, 2 failures in 3 checks or 6 in 100 are allowed. So a regression of a whole
/// kind of cases is still found.
fn allowed_failures(checks: usize, percent: f64) -> usize {
    let failing = (1.0 - percent / 100.0).clamp(0.0, 1.0);
    // `exactly` is the probability of exactly `failures` failures, and `more` is the probability of at least that many.
    let mut exactly = (1.0 - failing).powi(i32::try_from(checks).unwrap_or(i32::MAX));
    let mut more = 1.0;
    for failures in 0..checks {
        more -= exactly;
        if more < FALSE_ALARM {
            return failures;
        }
        exactly *= (checks - failures) as f64 / (failures + 1) as f64 * failing / (1.0 - failing);
    }
    checks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minimum(key: &str, percent: f64) -> Minimum {
        Minimum { key: key.to_owned(), percent }
    }

    #[test]
    fn minima_are_parsed() {
        let minima = parse_minima("# why\n\ncmark=100\na/move=94.5\n").expect("parsed");
        assert_eq!(minima, [minimum("cmark", 100.0), minimum("a/move", 94.5)]);
        assert_eq!(minima[1].suite(), "a");
        assert_eq!(minima[1].argument(), "a/move=94.5");
        assert!(parse_minima("cmark\n").is_err());
    }

    #[test]
    fn complete_suites_may_not_fail() {
        assert_eq!([0, 1, 3, 1000].map(|checks| allowed_failures(checks, 100.0)), [0; 4]);
    }

    #[test]
    fn samples_may_fail_as_often_as_chance_explains() {
        assert_eq!(allowed_failures(1, 99.0), 1);
        assert_eq!(allowed_failures(3, 99.0), 2);
        assert_eq!(allowed_failures(3, 90.0), 3);
        // The probability of 6 or more failures in 100 checks of 1 % is 0.0005, that of 7 or more 0.00007.
        assert_eq!(allowed_failures(100, 99.0), 6);
        assert_eq!(allowed_failures(0, 99.0), 0);
    }

    #[test]
    fn allowance_grows_with_checks_and_shrinks_with_minimum() {
        for checks in 1..200 {
            assert!(allowed_failures(checks, 99.0) <= allowed_failures(checks + 1, 99.0), "{checks}");
            assert!(allowed_failures(checks, 99.0) <= allowed_failures(checks, 95.0), "{checks}");
        }
        assert!(allowed_failures(10_000, 99.0) < 150);
    }

    #[test]
    fn cases_with_one_request_stay_together() {
        let line =
            |id: usize, args: &str, file: &str| format!(r#"{{"id":"{id}","files":{{"a.ts":"{file}"}},"args":{args}}}"#);
        let extract = r#"{"refactor":"extract_function"}"#;
        let cases = [line(0, extract, "x"), line(1, "{}", "x"), line(2, "{}", "x"), line(3, extract, "x")].join("\n");
        for seed in 0..20 {
            let drawn = sampled_cases(&cases, 2, seed, "a").expect("drawn");
            assert_eq!(drawn.contains(&line(0, extract, "x")), drawn.contains(&line(3, extract, "x")), "{seed}");
            assert_eq!(drawn, sampled_cases(&cases, 2, seed, "a").expect("drawn"));
        }
        assert_eq!(sampled_cases(&cases, 9, 1, "a").expect("drawn").lines().count(), 4);
    }

    #[test]
    fn failures_are_counted_by_case_and_key() {
        let failures = Failures::parse(
            r#"{"id":"1","suite":"a","kind":"move","soft":false}
{"id":"1","suite":"a","kind":"parse","soft":false}
{"id":"2","suite":"a","kind":"tree","soft":true}
{"id":"3","suite":"b","kind":"move","soft":false}"#,
        );
        let failures = failures.expect("parsed");
        assert_eq!(failures.cases(&minimum("a", 99.0)), 1);
        assert_eq!(failures.cases(&minimum("a/move", 99.0)), 1);
        assert_eq!(failures.cases(&minimum("a/tree", 99.0)), 1);
        assert_eq!(failures.cases(&minimum("c", 99.0)), 0);
    }

    #[test]
    fn suites_below_their_minimum_are_missed() {
        let counts = serde_json::from_str(
            r#"{"suites":{"a":{"total":3,"kinds":{"move":{"total":3}}},"b":{"total":3,"kinds":{}}}}"#,
        );
        let failures = Failures(Vec::from(["1", "2", "3"].map(|id| Failure {
            id: id.to_owned(),
            suite: "a".to_owned(),
            kind: "move".to_owned(),
            soft: false,
        })));
        let minima = [minimum("a", 99.0), minimum("a/move", 50.0), minimum("b", 100.0), minimum("c", 100.0)];
        assert_eq!(judge(&minima, &counts.expect("parsed"), &failures), ["a"]);
    }
}
