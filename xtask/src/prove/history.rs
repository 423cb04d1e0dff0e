//! Replays moves of files from the history of repositories: checks out the parent of a commit, makes the same moves,
//! and compares every line that has a path with the line of the commit.

mod judge;
mod lines;
mod module_names;
mod path_words;
mod replay;
pub(super) mod repository;
mod tree;

use std::fs;

use anyhow::{Result, ensure};

use self::{
    judge::Class,
    replay::{ClassifiedLine, Replay},
    repository::Repository,
};
use super::{Run, setup};
use crate::{
    measure::table::{Table, number, text},
    shell::begin_step,
};

/// Maximum number of printed lines per commit.
const MAX_LINES_SHOWN: usize = 8;

/// Number of commits that are drawn for each commit of the sample, because git does not detect a move in all of them.
const DRAW_FACTOR: usize = 6;

/// Replays commits of every repository.
pub(super) fn run(run: &Run) -> Result<()> {
    let mut all = Vec::new();
    for folder in run.folders() {
        let repository = Repository::new(folder)?;
        let name = repository.name();
        begin_step(&format!("commits of {name}"));
        let commits = spread_evenly(run.draw_times(repository.commits()?, &name, DRAW_FACTOR));
        let mut replays = Vec::new();
        for commit in commits {
            if run.sample().is_some_and(|most| replays.len() >= most) {
                break;
            }
            let folder = setup::empty_folder("history")?;
            let Some(replay) = replay::replay(&repository, &commit, run.program(), &folder)? else { continue };
            print_faults(&commit, &replay);
            replays.push(replay);
        }
        all.push((name, replays));
    }
    fs::remove_dir_all(setup::empty_folder("history")?)?;
    print_table(&all);
    let faults: usize = all.iter().flat_map(|(_, replays)| replays).map(fault_count).sum();
    ensure!(faults == 0, "wrong or silently missed lines, and lost files: {faults}");
    Ok(())
}

/// Reorders the commits so that the first part of the result is spread over the whole list.
fn spread_evenly(commits: Vec<String>) -> Vec<String> {
    let turns = (0..DRAW_FACTOR).flat_map(|first| commits.iter().skip(first).step_by(DRAW_FACTOR));
    turns.cloned().collect()
}

fn fault_count(replay: &Replay) -> usize {
    replay.count(ClassifiedLine::is_fault) + replay.lost.len()
}

/// Prints faults, and lines that a person has to judge.
fn print_faults(commit: &str, replay: &Replay) {
    let short = &commit[..commit.len().min(10)];
    if let Some(refusal) = &replay.refusal {
        println!("  {short} refused: {refusal}");
    }
    for file in &replay.lost {
        println!("  {short} lost: {file}");
    }
    let shown = |finding: &&ClassifiedLine| finding.is_fault() || finding.class == Class::Unknown;
    for finding in replay.found.iter().filter(shown).take(MAX_LINES_SHOWN) {
        let claim = if replay.is_complete { ", complete" } else { "" };
        println!("  {short} {:?}{claim}: {}", finding.class, finding.place);
        for (whose, line) in
            [("before", Some(&finding.before)), ("ours", finding.ours.as_ref()), ("theirs", finding.theirs.as_ref())]
        {
            let line = line.map_or("(gone)".to_owned(), |line| line.trim().chars().take(160).collect());
            println!("      {whose:<6} {line}");
        }
    }
}

/// Prints a row for each repository, and their sums.
fn print_table(all: &[(String, Vec<Replay>)]) {
    println!();
    let width = all.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let columns = [
        "commits",
        "refused",
        "files",
        "lost",
        "identical",
        "same file",
        "elsewhere",
        "wrong",
        "listed",
        "silent",
        "extra",
        "needless",
        "unknown",
        "complete",
        "false",
        "open",
        "needed",
    ];
    let table = Table::start(&[&[text("repository", width)][..], &columns.map(number)].concat());
    for (name, replays) in all {
        print_row(&table, name, &replays.iter().collect::<Vec<_>>());
    }
    print_row(&table, "all", &all.iter().flat_map(|(_, replays)| replays).collect::<Vec<_>>());
}

fn print_row(table: &Table, name: &str, replays: &[&Replay]) {
    let class = |class: Class| replays.iter().map(|replay| replay.count(|it| it.class == class)).sum::<usize>();
    let missed = |is_listed: bool| {
        let test = |it: &ClassifiedLine| it.class == Class::Missed && it.is_listed == is_listed;
        replays.iter().map(|replay| replay.count(test)).sum::<usize>()
    };
    let sum = |of: fn(&Replay) -> usize| replays.iter().map(|replay| of(replay)).sum::<usize>();
    let figures = [
        replays.len(),
        sum(|replay| usize::from(replay.refusal.is_some())),
        sum(|replay| replay.files),
        sum(|replay| replay.lost.len()),
        class(Class::Identical),
        class(Class::OtherForm),
        class(Class::OtherTarget),
        class(Class::Wrong),
        missed(true),
        missed(false),
        class(Class::ExtraRight),
        class(Class::ExtraWrong),
        class(Class::Unknown),
        sum(|replay| usize::from(replay.is_complete)),
        sum(|replay| usize::from(replay.claims_falsely())),
        sum(|replay| replay.unresolved),
        sum(|replay| replay.missed_but_listed),
    ];
    let cells = figures.map(|figure| figure.to_string());
    table.row(&[&[name][..], &cells.each_ref().map(String::as_str)].concat());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sampled_commits_are_spread_over_the_list() {
        let commits: Vec<String> = (0..14).map(|number| number.to_string()).collect();
        let order = spread_evenly(commits);
        assert_eq!(order[..3], ["0", "6", "12"]);
        assert_eq!(order.len(), 14);
    }
}
