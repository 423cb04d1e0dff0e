//! Measures whether agents reach a goal with the first call that they write after reading only `tools/list`.
//!
//! A goal has files, one call of a tool, and expectations for the result (`goal`). Its outcome is *right* if they hold
//! after the first call, *second* if that call is refused and the correction that its error suggests is right, *wrong*
//! if a call succeeds and the expectations do not hold, and *failed* otherwise.

mod client;
mod goal;

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context, Result, ensure};

use self::{
    client::{Answer, Client},
    goal::{Goal, parse},
};
use super::{Run, setup};
use crate::{
    measure::table::{Table, number, text},
    shell::top,
};

/// The minimum share of goals that the first call must reach, in percent.
const MIN_RIGHT: f64 = 93.0;

/// Outcome of one goal; see the module documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Right,
    Second,
    Wrong,
    Failed,
}

/// Outcomes of the goals of one kind.
#[derive(Debug, Default)]
struct Counts {
    goals: usize,
    right: usize,
    second: usize,
    wrong: usize,
    failed: usize,
    /// Bytes of the calls' arguments and answers.
    bytes: usize,
}

impl Counts {
    fn add(&mut self, outcome: Outcome, bytes: usize) {
        self.goals += 1;
        self.bytes += bytes;
        *match outcome {
            Outcome::Right => &mut self.right,
            Outcome::Second => &mut self.second,
            Outcome::Wrong => &mut self.wrong,
            Outcome::Failed => &mut self.failed,
        } += 1;
    }
}

/// Tries every goal of `xtask/goals`, each in a separate project.
pub(super) fn run(run: &Run) -> Result<()> {
    let folder = setup::empty_folder("agents")?;
    let goals = run.draw(run.select_by_name(goals()?, |goal| goal.kind.as_str())?, "agents");
    let mut kinds: BTreeMap<String, Counts> = BTreeMap::new();
    let mut all = Counts::default();
    let mut unexpected = Vec::new();
    for (index, goal) in goals.iter().enumerate() {
        let project = folder.join(index.to_string());
        let (outcome, bytes, why) = try_goal(run.program(), &project, goal).with_context(|| goal.title.clone())?;
        if outcome != Outcome::Right {
            let open = goal.known_failure.as_deref().map(|reason| format!(" [open: {reason}]")).unwrap_or_default();
            println!("{outcome:?}: {} ({}): {why}{open}", goal.title, goal.kind);
        }
        let is_reached = matches!(outcome, Outcome::Right | Outcome::Second);
        match &goal.known_failure {
            Some(_) if is_reached => unexpected.push(format!("{} (no longer open)", goal.title)),
            None if outcome == Outcome::Wrong => unexpected.push(goal.title.clone()),
            _ => {}
        }
        kinds.entry(goal.kind.clone()).or_default().add(outcome, bytes);
        all.add(outcome, bytes);
    }
    let table = Table::start(&[
        text("kind", 24),
        number("goals"),
        number("right"),
        number("second"),
        number("wrong"),
        number("failed"),
        number("KB"),
    ]);
    for (kind, counts) in kinds.iter().map(|(kind, counts)| (kind.as_str(), counts)).chain([("all", &all)]) {
        let [goals, right, second, wrong, failed] =
            [counts.goals, counts.right, counts.second, counts.wrong, counts.failed].map(|count| count.to_string());
        table.row(&[kind, &goals, &right, &second, &wrong, &failed, &format!("{:.1}", counts.bytes as f64 / 1e3)]);
    }
    check_counts(&all, &unexpected, run.is_sampled())
}

/// Fails if there are unexpected outcomes, or if the first call reaches too few goals.
fn check_counts(all: &Counts, unexpected: &[String], is_sampled: bool) -> Result<()> {
    ensure!(unexpected.is_empty(), "wrong, or no longer open: {}", unexpected.join("; "));
    let share = 100.0 * all.right as f64 / all.goals.max(1) as f64;
    ensure!(is_sampled || share >= MIN_RIGHT, "{share:.1} % of goals are right at once; at least {MIN_RIGHT} %");
    Ok(())
}

/// Reads the goals of all files, sorted by file name.
fn goals() -> Result<Vec<Goal>> {
    let mut files: Vec<_> = fs::read_dir(top().join("xtask/goals"))?.collect::<Result<_, _>>()?;
    files.sort_by_key(fs::DirEntry::file_name);
    let mut goals = Vec::new();
    for file in files {
        let path = file.path();
        let kind = path.file_stem().unwrap_or_default().to_string_lossy().replace('-', " ");
        let text = fs::read_to_string(&path)?;
        goals.extend(parse(&kind, &text).with_context(|| path.display().to_string())?);
    }
    Ok(goals)
}

/// Tries a goal. Returns the outcome, the bytes of its calls, and why it is not right.
fn try_goal(program: &Path, project: &Path, goal: &Goal) -> Result<(Outcome, usize, String)> {
    goal.write(project)?;
    let mut client = Client::start(program, project)?;
    let mut bytes = 0;
    let mut refusal = String::new();
    for (attempt, call) in goal.calls.iter().enumerate() {
        let answer = client.call(&call.tool, &call.arguments)?;
        bytes += call.arguments.to_string().len() + answer.text.len();
        if let Some(why) = goal.first_unmet(project, &answer)? {
            if !answer.is_error {
                return Ok((Outcome::Wrong, bytes, why));
            }
            refusal = first_line(&answer);
            continue;
        }
        let outcome = if attempt == 0 { Outcome::Right } else { Outcome::Second };
        return Ok((outcome, bytes, refusal));
    }
    Ok((Outcome::Failed, bytes, refusal))
}

fn first_line(answer: &Answer) -> String {
    answer.text.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_goal_file_is_read() {
        let goals = goals().expect("goals");
        assert!(goals.len() >= 80, "{}", goals.len());
    }

    #[test]
    fn one_unexpected_result_fails_the_proof() {
        let counts = Counts { goals: 100, right: 99, wrong: 1, ..Counts::default() };
        assert!(check_counts(&counts, &[], true).is_ok());
        assert!(check_counts(&counts, &["a goal".to_owned()], true).is_err());
    }

    #[test]
    fn too_few_right_results_fail_the_whole_proof_only() {
        let counts = Counts { goals: 10, right: 9, second: 1, ..Counts::default() };
        assert!(check_counts(&counts, &[], false).is_err());
        assert!(check_counts(&counts, &[], true).is_ok());
    }
}
