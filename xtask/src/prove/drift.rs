//! Restores mutated files after drifts: small mutations of one line in real files, and for each the instruction that
//! restores it, in several forms. The instruction is written for the mutated file. Then the file drifts: a formatter, lines
//! above, CRLF, tabs, or an edit of another line. The result is right if it equals the original after the same drift.
//!
//! Rules of the forms:
//!
//! - `replace`: the smallest node with the mutation, by its address, and its original text.
//! - `replace_text`: the same node, and in it the shortest run of lines with the change that occurs there once.
//! - `old_string`: the same in the whole file ([`replace_string`]), as whole lines, and without the indentation of the
//!   first line.
//! - `apply_patch`: three lines of context, and a header if they are ambiguous ([`patch`]).
//! - hash lines: number and hash of the line ([`hash_lines`]).

mod case;
mod change;
mod corpus;
mod drifts;
mod formats;
mod hash_lines;
mod instructions;
mod mutation;
mod outline;
mod patch;
mod replace_string;
mod report;
mod tokens;

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};

use self::{
    case::Case,
    change::Outcome,
    corpus::Corpus,
    drifts::{Drift, indentation},
    formats::{FORMATS, Format},
    instructions::{Form, Instruction},
    report::{Report, Verdict},
};
use super::{Run, setup};
use crate::{
    measure::{sample::Random, session::Session},
    shell::{begin_step, top},
};

/// Number of mutations of a complete run.
const COMPLETE: usize = 300;

/// Number of files that are tried for one mutation.
const MAX_FILES: usize = 200;

/// Mutates files of the given folders. By default: files of this tree, of all crates that cargo has fetched, and of the
/// npm packages of `e2e`, if they are installed.
pub(super) fn run(run: &Run) -> Result<()> {
    begin_step("mutations");
    let corpus = Corpus::new(&folders(run)?, run.seed())?;
    let folder = setup::empty_folder("drift")?;
    let mut session = Session::start(run.program(), &folder)?;
    let cases = draw_cases(run, &mut session, &folder, &corpus)?;
    begin_step("instructions, applied after each drift");
    let faults = setup::empty_folder("drift-faults")?;
    let mut report = Report::default();
    for (number, case) in cases.iter().enumerate() {
        try_case(&mut session, &folder, case, &mut report, &faults.join(format!("{number:03}")))?;
    }
    report.print(&cases)?;
    let wrong = report.count(|cell| cell.form == Form::ReplaceText && cell.verdict == Verdict::Wrong);
    ensure!(wrong == 0, "`replace_text` wrote wrong bytes in {wrong} cases: see {}", faults.display());
    let failed =
        report.count(|cell| cell.form.is_marq() && cell.drift == Drift::None && cell.verdict == Verdict::Wrong);
    ensure!(failed == 0, "{failed} calls did not restore the unchanged file: see {}", faults.display());
    Ok(())
}

fn folders(run: &Run) -> Result<Vec<PathBuf>> {
    if !run.folders().is_empty() {
        return Ok(run.folders().to_vec());
    }
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo"))).context("the folder of cargo is not known")?;
    let all = [top(), home.join("registry/src"), top().join("e2e/node_modules")];
    Ok(all.into_iter().filter(|folder| folder.is_dir()).collect())
}

/// Draws the same number of mutations of each format. Formats without suitable files are left out.
fn draw_cases(run: &Run, session: &mut Session, folder: &Path, corpus: &Corpus) -> Result<Vec<Case>> {
    let mut random = Random::new(run.seed(), "drift");
    let is_suitable = |format: &&Format| run.is_selected(format.name) && !corpus.files(format).is_empty();
    let mut formats: Vec<&'static Format> = FORMATS.iter().filter(is_suitable).collect();
    ensure!(!formats.is_empty(), "the folders have no suitable files");
    let first = random.below(formats.len());
    formats.rotate_left(first);
    let mut next = vec![0_usize; formats.len()];
    let mut cases = Vec::new();
    for number in 0..run.sample().unwrap_or(COMPLETE) {
        let index = number % formats.len();
        let files = corpus.files(formats[index]);
        for _ in 0..MAX_FILES {
            let path = &files[next[index] % files.len()];
            next[index] += 1;
            let case = Case::new(session, folder, (formats[index], path), &mut random)?;
            if let Some(case) = case.filter(|case| Form::ALL.iter().all(|form| Instruction::new(*form, case).is_some()))
            {
                cases.push(case);
                break;
            }
        }
    }
    ensure!(!cases.is_empty(), "no file of the folders could be mutated");
    Ok(cases)
}

/// Applies all instructions of a case after each drift. Calls that do not restore the file are written to `faults`.
fn try_case(session: &mut Session, folder: &Path, case: &Case, report: &mut Report, faults: &Path) -> Result<()> {
    let old = indentation(&case.original);
    for form in Form::ALL {
        let Some(instruction) = Instruction::new(form, case) else { continue };
        report.add_instruction(form, instruction.text(&case.file));
        for drift in Drift::ALL {
            let before = drift.apply(&case.mutated, case.format, old, &case.other);
            let expected = drift.apply(&case.original, case.format, old, &case.other_in_original);
            let (Some(before), Some(expected)) = (before, expected) else { continue };
            let outcome = instruction.apply(session, folder, &case.file, &before)?;
            let verdict = Verdict::new(&outcome, &expected);
            report.add(case, form, drift, verdict);
            if form.is_marq() && verdict != Verdict::Right {
                let name = format!("{}-{}", form.name(), drift.name()).replace(' ', "-");
                let call = instruction.text(&case.file);
                write_fault(&faults.join(name), &case.file, [&before, &expected], &outcome, &call)?;
            }
        }
    }
    Ok(())
}

/// Writes what is needed to repeat a call: the file before it, the call, and both results.
fn write_fault(folder: &Path, file: &str, [before, expected]: [&str; 2], outcome: &Outcome, call: &str) -> Result<()> {
    let result = match outcome {
        Outcome::Applied(text) => text,
        Outcome::Ambiguous => "ambiguous",
        Outcome::Refused(message) => message,
    };
    let named = |name: &str, text: &str| fs::write(folder.join(name), text);
    fs::create_dir_all(folder)?;
    named(file, before)?;
    named("expected", expected)?;
    named("result", result)?;
    Ok(named("call.json", call)?)
}
