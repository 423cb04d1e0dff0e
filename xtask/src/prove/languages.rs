//! Random renames and moves in projects of Python, Go and Rust, judged by their compilers: a change must not cause an
//! error that its answer does not list.

mod changes;
mod judge;

use std::{fs, path::Path};

use anyhow::{Result, ensure};
use serde_json::Value;

use self::judge::{Errors, Finding, Language};
use super::{Run, history::repository::Repository, setup};
use crate::{
    measure::{
        session::Session,
        table::{Table, number, text},
    },
    shell::begin_step,
};

/// Renames and moves in each project, if no sample is given.
const COUNT: usize = 100;

/// Maximum number of errors that are printed for a change.
const MAX_SHOWN: usize = 3;

/// Columns of figures: one for each kind of outcome.
const OUTCOMES: [&str; 7] = ["complete", "syntactic", "partial", "unproved", "refused", "silent", "wrong"];

/// The outcome of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// The answer is `complete`, and the compiler agrees.
    Complete,
    /// The answer is `syntactic`: it lists places that may refer to the symbol.
    Syntactic,
    /// The answer is `partial`, and lists what is open.
    Partial,
    /// The answer is not complete and lists nothing: its references were not proved.
    Unproved,
    Refused,
    /// The answer is not complete, and there are errors in files that it does not list.
    Silent,
    /// The answer is `complete`, and the project has new errors.
    Wrong,
}

/// Makes changes in every project.
pub(super) fn run(run: &Run) -> Result<()> {
    let mut rows = Vec::new();
    let name = format!("languages-{}", std::process::id());
    for folder in run.folders() {
        let repository = Repository::new(folder)?;
        let folder = setup::empty_folder(&name)?;
        let name = repository.name();
        begin_step(&format!("renames and moves in {name}"));
        let root = folder.join("tree");
        fs::create_dir_all(&root)?;
        repository.check_out("HEAD", &root, &folder.join("index"))?;
        let language = match Language::for_project(&root)? {
            Ok(language) => language,
            Err(missing) => {
                println!("{name}: not run: needs {missing}");
                continue;
            }
        };
        let before = language.errors(&root)?;
        if Language::could_check(&before) {
            rows.push((name.clone(), changes_in(run, &name, (&repository, &root), (language, &before))?));
        } else {
            println!("{name}: not run: packages that it requires are missing");
        }
    }
    fs::remove_dir_all(setup::empty_folder(&name)?)?;
    print_table(&rows);
    let faults = |outcomes: &[Outcome]| outcomes.iter().filter(|it| **it >= Outcome::Silent).count();
    let faults: usize = rows.iter().map(|(_, outcomes)| faults(outcomes)).sum();
    ensure!(faults == 0, "changes with errors that the answer does not list: {faults}");
    ensure!(!rows.is_empty(), "no project could be judged");
    Ok(())
}

/// Makes the drawn changes in one project, and undoes each.
fn changes_in(
    run: &Run,
    name: &str,
    (repository, root): (&Repository, &Path),
    (language, before): (Language, &Errors),
) -> Result<Vec<Outcome>> {
    let files = repository.files("HEAD")?;
    let count = run.sample().unwrap_or(COUNT);
    let drawn = changes::drawn(language, root, &files, (count, run.seed(), name));
    println!("{name}: {} changes; {} errors before", drawn.len(), before.values().sum::<usize>());
    let mut session = Session::start(run.program(), root)?;
    let mut outcomes = Vec::new();
    for change in drawn {
        let (method, params) = change.request();
        let answer = match session.result(method, &params)? {
            Ok(answer) => answer,
            Err(refusal) => {
                println!("  {change}: refused: {}", shown(refusal["message"].as_str().unwrap_or_default()));
                outcomes.push(Outcome::Refused);
                continue;
            }
        };
        let errors = language.new_errors(root, before, &change)?;
        let outcome = outcome(&answer, &errors);
        if matches!(outcome, Outcome::Syntactic | Outcome::Partial) {
            let entries = listed(&answer);
            println!("  {change}: {outcome:?}, {} listed: {}", entries.len(), shown(entries[0]));
        }
        if outcome >= Outcome::Silent {
            println!("  {change}: {outcome:?}");
            errors.iter().take(MAX_SHOWN).for_each(|error| println!("      {}: {}", error.file, error.message));
        }
        outcomes.push(outcome);
        let undone = session.result("file/undo", &serde_json::json!({ "id": answer["id"] }))?;
        ensure!(undone.is_ok(), "{change} cannot be undone: {undone:?}");
    }
    Ok(outcomes)
}

fn shown(message: &str) -> String {
    message.chars().take(160).collect()
}

/// The places that an answer lists as not changed or not read.
fn listed(answer: &Value) -> Vec<&str> {
    let lists = ["unresolved", "incomplete"].into_iter().filter_map(|key| answer[key].as_array());
    lists.flatten().filter_map(Value::as_str).collect()
}

/// Compares an answer with the new errors.
fn outcome(answer: &Value, errors: &[Finding]) -> Outcome {
    if answer["completeness"] == "complete" {
        return if errors.is_empty() { Outcome::Complete } else { Outcome::Wrong };
    }
    let listed = listed(answer);
    let is_listed = |error: &Finding| {
        listed.iter().any(|entry| entry.strip_prefix(error.file.as_str()).is_some_and(|rest| rest.starts_with(':')))
    };
    match (errors.iter().all(is_listed), listed.is_empty()) {
        (false, _) => Outcome::Silent,
        (true, false) if answer["completeness"].as_str().is_some_and(|it| it.starts_with("syntactic")) => {
            Outcome::Syntactic
        }
        (true, false) => Outcome::Partial,
        (true, true) => Outcome::Unproved,
    }
}

/// Prints a row for each project.
fn print_table(rows: &[(String, Vec<Outcome>)]) {
    println!();
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let table = Table::start(&[&[text("project", width), number("changes")][..], &OUTCOMES.map(number)].concat());
    let kinds = [
        Outcome::Complete,
        Outcome::Syntactic,
        Outcome::Partial,
        Outcome::Unproved,
        Outcome::Refused,
        Outcome::Silent,
        Outcome::Wrong,
    ];
    for (name, outcomes) in rows {
        let of = |kind: &Outcome| outcomes.iter().filter(|it| *it == kind).count();
        let mut cells = vec![name.clone(), outcomes.len().to_string()];
        cells.extend(kinds.iter().map(|kind| of(kind).to_string()));
        table.row(&cells.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn outcome_depends_on_the_claim_and_the_errors() {
        let error = |file: &str| Finding { file: file.to_owned(), message: "undefined: a".to_owned() };
        let complete = json!({ "completeness": "complete" });
        let partial =
            json!({ "completeness": "partial", "unresolved": ["b.go:3:1: a"], "incomplete": ["c.go: not read"] });
        assert_eq!(outcome(&complete, &[]), Outcome::Complete);
        assert_eq!(outcome(&complete, &[error("b.go")]), Outcome::Wrong);
        assert_eq!(outcome(&partial, &[error("b.go"), error("c.go")]), Outcome::Partial);
        assert_eq!(outcome(&partial, &[error("bb.go")]), Outcome::Silent);
        let syntactic = json!({ "completeness": "syntactic", "unresolved": ["b.go:3:1: a"] });
        assert_eq!(outcome(&syntactic, &[]), Outcome::Syntactic);
        assert_eq!(outcome(&json!({ "completeness": "syntactic" }), &[]), Outcome::Unproved);
    }
}
