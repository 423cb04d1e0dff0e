//! Tests that the table of proofs is complete, unambiguous and documented, how proofs are selected, and which options
//! are rejected.

use std::{collections::BTreeSet, fs};

use clap::Parser;

use super::*;
use crate::{Command, Flags, shell::top};

/// Parses a command line. Returns the options, or the error message.
fn parse(arguments: &[&str]) -> std::result::Result<Prove, String> {
    match Flags::try_parse_from([&["xtask", "prove"], arguments].concat()) {
        Ok(Flags { command: Command::Prove(prove) }) => Ok(prove),
        Ok(_) => Err("another command".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn selected_names(arguments: &[&str]) -> Vec<&'static str> {
    selected(&parse(arguments).expect("parsed")).into_iter().map(|proof| proof.name).collect()
}

fn refusal(arguments: &[&str]) -> Option<String> {
    let prove = parse(arguments).expect("parsed");
    check_options(&prove, &selected(&prove)).err().map(|error| error.to_string())
}

#[test]
fn names_are_unique() {
    let names: BTreeSet<&str> = PROOFS.iter().map(|proof| proof.name).collect();
    assert_eq!(names.len(), PROOFS.len());
}

#[test]
fn every_proof_is_a_file_and_every_file_a_proof() {
    let files = fs::read_dir(top().join("xtask/src/prove")).expect("the folder");
    let names =
        files.map(|file| file.expect("read").file_name().to_string_lossy().replace(".rs", "").replace('_', "-"));
    let files: BTreeSet<String> = names.filter(|name| !["mod", "setup", "tests"].contains(&name.as_str())).collect();
    assert_eq!(files, PROOFS.iter().map(|proof| proof.name.to_owned()).collect());
}

#[test]
fn every_proof_is_documented() {
    for Proof { name, shows, sample, needs, .. } in &PROOFS {
        assert!((10..=90).contains(&shows.len()) && !shows.ends_with('.'), "{name}: {shows}");
        assert!(sample.contains('N'), "{name}: {sample}");
        assert!(!needs.is_empty(), "{name}");
    }
}

#[test]
fn options_of_proofs_are_flags() {
    let command = <Flags as clap::CommandFactory>::command();
    let prove = command.find_subcommand("prove").expect("the subcommand");
    let flags: Vec<&str> = prove.get_arguments().filter_map(clap::Arg::get_long).collect();
    for option in PROOFS.iter().flat_map(|proof| proof.options) {
        assert!(flags.contains(option), "{option}");
    }
}

#[test]
fn all_proofs_but_build_run_without_a_name() {
    let all = selected_names(&[]);
    assert_eq!(all.len(), PROOFS.len() - 1);
    assert!(!all.contains(&"build"));
    assert_eq!(selected_names(&["build", "files"]), ["files", "build"]);
}

#[test]
fn unknown_name_lists_nearest_names() {
    let message = parse(&["file"]).expect_err("unknown");
    assert!(message.contains("'files'"), "{message}");
    let message = parse(&["refactor"]).expect_err("unknown");
    assert!(message.contains("'refactors'"), "{message}");
}

#[test]
fn unknown_name_without_near_names_lists_all() {
    let message = parse(&["xyz"]).expect_err("unknown");
    assert!(PROOFS.iter().all(|proof| message.contains(proof.name)), "{message}");
}

#[test]
fn sample_of_zero_is_refused() {
    assert!(parse(&["--sample", "0"]).is_err());
}

#[test]
fn options_that_no_selected_proof_takes_are_refused() {
    assert_eq!(refusal(&["search", "--rare", "parse"]), None);
    assert_eq!(refusal(&["--with", "marq"]), None);
    assert!(refusal(&["--rare", "parse"]).is_some());
    assert_eq!(
        refusal(&["start", "--sizes", "100"]).as_deref(),
        Some("`--sizes` needs the name of a proof that takes it: `project`, `members`, `monorepos`")
    );
}

#[test]
fn verdicts_name_what_is_missing() {
    assert_eq!(Verdict::NotRun("node".to_owned()).text(), "not run: needs node");
    let outcome = |name, verdict| Outcome { name, verdict, seconds: 0.0 };
    let (passed, missing) = (outcome("a", Verdict::Passed), outcome("b", Verdict::NotRun("node".to_owned())));
    assert!(summarize(&[passed, missing]).is_ok());
    let error = summarize(&[outcome("a", Verdict::Failed), outcome("b", Verdict::Passed)]).expect_err("failed");
    assert_eq!(error.to_string(), "failed: a");
}
