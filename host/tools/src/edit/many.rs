//! Edits of several files as one change: the same edit in all files of a list, or a list of edits with their files.
//! Either all of them succeed or nothing is written.

use std::collections::{BTreeSet, HashMap};

use marquetry_graph::on_all_cores;
use marquetry_model::{EditSet, Error, Kind, Result, limits, ports::Source, text::LineBreak};

use super::{
    Affected, EditArgs, EditResult, FileEdit, OneEdit, OperationName, check_hash,
    operation::{Planned, planned},
    shown, summary, target_name,
};
use crate::{
    document::OpenFile,
    draft::{Commit, Draft, check_syntax},
    page::Room,
    selection::{Selected, is_absent},
    session::{Session, Writing},
    shape::counted,
    turns::Scope,
};

/// All edits of a call.
struct Plan<'a> {
    files: Vec<FilePlan<'a>>,
    /// The edit, if one edit is applied to many files.
    one: Option<&'a OneEdit>,
    /// Number of requested edits.
    asked: usize,
}

/// Edits of one file as steps, each relative to the text after the previous one.
struct FilePlan<'a> {
    path: String,
    /// True if the file was given by path, not by a glob: a missing target is an error.
    named: bool,
    steps: Vec<Step<'a>>,
}

/// Edits that are relative to the same text.
#[derive(Clone, Copy)]
struct Step<'a> {
    /// Index in `changes`.
    number: Option<usize>,
    edits: &'a [Planned<'a>],
    expected: Option<&'a str>,
}

/// Result for one file.
enum Computed {
    Edits(Source, EditSet, String),
    /// The file matches a glob and has nothing to edit.
    Without(Option<Error>),
}

/// Result for all files.
#[derive(Default)]
struct Done {
    draft: Draft,
    /// Number of files with nothing to edit.
    without: usize,
    /// Packs that computed the edits.
    engines: BTreeSet<String>,
}

/// Maximum number of further failures in an error message.
const OTHERS: usize = 5;

impl Session {
    /// Edits several files.
    pub(super) fn edit_many(&self, args: &EditArgs) -> Result<EditResult> {
        check_arguments(args)?;
        let changes = args.changes.as_deref().unwrap_or_default();
        // Owns the lists that the plan borrows.
        let (list, lists): (Vec<Planned<'_>>, Vec<Vec<Planned<'_>>>);
        let plan = match &args.files {
            Some(files) => {
                list = planned(args.list()?)?;
                self.plan_of_files(files, &list)?
            }
            None => {
                lists = all_planned(changes)?;
                self.plan_of_changes(changes, &lists)?
            }
        };
        let mut paths: Vec<String> = plan.files.iter().map(|file| file.path.clone()).collect();
        paths.sort_unstable();
        let pinned = plan.files.iter().flat_map(|file| &file.steps).any(|step| step.expected.is_some());
        let writing = Writing { scope: Scope::Files(&paths), dry_run: args.is_dry(), pinned };
        self.change(writing, || self.edit_planned(&plan, args))
    }

    /// Plan that applies the same edits to all files of a list.
    fn plan_of_files<'a>(&self, files: &[String], edits: &'a [Planned<'a>]) -> Result<Plan<'a>> {
        let selection = self.select(files)?;
        if let Some((_, error)) = selection.unmatched.into_iter().next() {
            return Err(error);
        }
        let step = Step { number: None, edits, expected: None };
        let file = |Selected { path, named }| FilePlan { path, named, steps: vec![step] };
        let one = if let [only] = edits { Some(only.one) } else { None };
        Ok(Plan { files: selection.files.into_iter().map(file).collect(), one, asked: edits.len() })
    }

    /// Plan for edits with their files. Edits of the same file keep their order.
    fn plan_of_changes<'a>(&self, changes: &'a [FileEdit], edits: &'a [Vec<Planned<'a>>]) -> Result<Plan<'a>> {
        let mut plan = Plan { files: Vec::new(), one: None, asked: changes.len() };
        let mut known: HashMap<String, usize> = HashMap::new();
        for (number, (change, edits)) in changes.iter().zip(edits).enumerate() {
            let path = self.files.locate(&change.file).map_err(|error| at(error, Some(number), &change.file))?;
            let place = *known.entry(path.clone()).or_insert_with(|| {
                plan.files.push(FilePlan { path, named: true, steps: Vec::new() });
                plan.files.len() - 1
            });
            let expected = change.expected_hash.as_deref();
            plan.files[place].steps.push(Step { number: Some(number), edits, expected });
        }
        Ok(plan)
    }

    fn edit_planned(&self, plan: &Plan<'_>, args: &EditArgs) -> Result<EditResult> {
        let stage = self.work.stage("editing files", plan.files.len());
        let computed = on_all_cores(&plan.files, |file| {
            stage.step()?;
            self.computed(file, args.force)
        });
        drop(stage);
        // Sorted, because the files were processed in parallel.
        let mut notes = self.work.take_notes();
        notes.sort();
        notes.into_iter().for_each(|note| self.work.note(note));
        let (mut done, mut absent, mut errors) = (Done::default(), None, Vec::new());
        for computed in computed {
            match computed {
                Ok(Computed::Edits(source, edits, engine)) => {
                    done.draft.edit(&source, edits)?;
                    done.engines.insert(engine);
                }
                Ok(Computed::Without(error)) => {
                    done.without += 1;
                    absent = absent.or(error);
                }
                Err(error) => errors.push(error),
            }
        }
        if let Some(error) = first_of(errors) {
            return Err(error);
        }
        if done.without == plan.files.len() {
            let error = absent.unwrap_or_else(|| Error::new(Kind::Unsupported, "none of the files is a text file"));
            return Err(error.context(&format!("in none of {}", counted(done.without, "file"))));
        }
        self.finish_many(plan, done, args)
    }

    /// Computes the edits of one file, with all steps merged.
    fn computed(&self, plan: &FilePlan<'_>, force: bool) -> Result<Computed> {
        let first = plan.steps.first().and_then(|step| step.number);
        let source = match self.files.read(&plan.path) {
            Ok(source) => source,
            // Not a text file, or deleted since the walk.
            Err(error) if !plan.named && matches!(error.kind(), Kind::Unsupported | Kind::FileNotFound) => {
                return Ok(Computed::Without(None));
            }
            Err(error) => return Err(at(error, first, &plan.path)),
        };
        // The call names its files by path or glob.
        self.work.name_file(&source.path);
        let mut file = self.open_source(source.clone()).map_err(|error| at(error, first, &plan.path))?;
        let mut all: Option<EditSet> = None;
        for (index, step) in plan.steps.iter().enumerate() {
            let edits = check_hash(&file, step.expected).and_then(|()| self.splices(&file, step.edits, force));
            let edits = match edits {
                Err(error) if !plan.named && has_none(&file, step.edits[0].one, &error) => {
                    return Ok(Computed::Without(Some(error)));
                }
                Err(error) => return Err(at(error, step.number, &plan.path)),
                Ok(edits) => edits.fitted(file.text(), LineBreak::of(file.text())),
            };
            if !force {
                check_syntax(&file, &edits).map_err(|error| at(error, step.number, &plan.path))?;
            }
            let after = (index + 1 < plan.steps.len()).then(|| edits.apply(file.text()));
            all = Some(match all {
                Some(before) => before.then(&source.text, &edits),
                None => edits,
            });
            if let Some(after) = after {
                file = self.open_source(Source { text: after.into(), ..source.clone() })?;
            }
        }
        Ok(Computed::Edits(source, all.unwrap_or_default(), file.engine().to_owned()))
    }

    fn finish_many(&self, plan: &Plan<'_>, done: Done, args: &EditArgs) -> Result<EditResult> {
        let Done { draft, without, engines } = done;
        let (total, changed) = (draft.edits(), draft.edited().len());
        let is_wide = changed > limits::UNASKED_FILES;
        let dry_run = args.dry_run.unwrap_or(is_wide);
        let files = counted(changed, "file");
        let summary = match plan.one {
            _ if total == 0 => format!("Nothing to change in {}", counted(plan.files.len(), "file")),
            Some(one) => {
                let operation = one.operation.unwrap_or(OperationName::Replace);
                let name = if one.place.name().is_empty() { "each file".to_owned() } else { target_name(one) };
                format!("{}, {} in {files}", summary(operation, &name, 1, false), counted(total, "edit"))
            }
            None => format!("Made {} in {files}", counted(plan.asked, "edit")),
        };
        let committed = draft.commit(self, summary.clone(), Commit { dry_run, ..args.commit() })?;
        let hashes: HashMap<String, String> = if dry_run { HashMap::new() } else { committed.hashes() };
        let id = committed.id();
        let mut result = shown(committed, &mut Room::new(args.max_bytes.or(self.most_bytes)));
        for change in &mut result.changes {
            change.hash = hashes.get(&change.file).cloned();
        }
        if dry_run && args.dry_run.is_none() {
            result.warnings.push(format!(
                "nothing was written: {changed} files would change, and more than {} need confirmation: repeat the \
                 call with `dryRun: false` (`--no-dry-run`)",
                limits::UNASKED_FILES
            ));
        }
        Ok(EditResult {
            success: true,
            operation: plan.one.and_then(|one| one.operation),
            target: plan.one.map(target_name),
            files_affected: Affected::Count(changed),
            total_edits: total,
            file_count: Some(plan.files.len()),
            without: (without > 0).then_some(without),
            id,
            dry_run,
            engine: Vec::from_iter(engines).join(", "),
            summary,
            ..result
        })
    }
}

/// Parses a list of edits with their files.
fn all_planned(changes: &[FileEdit]) -> Result<Vec<Vec<Planned<'_>>>> {
    let mut lists = Vec::with_capacity(changes.len());
    for (number, change) in changes.iter().enumerate() {
        let list = planned(std::slice::from_ref(&change.edit));
        lists.push(list.map_err(|error| at(error, Some(number), &change.file))?);
    }
    Ok(lists)
}

/// Checks that the arguments fit together.
fn check_arguments(args: &EditArgs) -> Result<()> {
    let exclude = |a: &str, b: &str| Err(Error::argument(format!("`{a}` and `{b}` exclude each other")));
    if args.files.is_some() && args.changes.is_some() {
        return exclude("files", "changes");
    }
    if args.file.is_some() {
        return exclude("file", if args.files.is_some() { "files" } else { "changes" });
    }
    if args.expected_hash.is_some() {
        return Err(Error::argument("`expectedHash` is the hash of one file")
            .hint("give `changes`, each with its `file` and its `expectedHash`"));
    }
    let Some(changes) = &args.changes else { return Ok(()) };
    if changes.is_empty() {
        return Err(Error::argument("`changes` is empty"));
    }
    if args.edit.operation.is_some() || args.edit.pattern.is_some() || args.edits.is_some() {
        return Err(Error::argument("`changes` and an edit exclude each other")
            .hint("give one entry of `changes` for each edit; several entries may have the same `file`"));
    }
    if changes.len() > limits::CALL_FILES {
        let message = format!("{} changes in one call; the limit is {}", changes.len(), limits::CALL_FILES);
        return Err(Error::new(Kind::LimitExceeded, message).hint("make them in several calls"));
    }
    Ok(())
}

/// Returns whether a file that matches a glob has nothing to edit: no such target, or no such code.
fn has_none(file: &OpenFile, one: &OneEdit, error: &Error) -> bool {
    let is_no_code = || matches!(error.kind(), Kind::Unsupported | Kind::ParseError);
    is_absent(file.description(), &one.place, error) || (one.pattern.is_some() && is_no_code())
}

/// Adds the file and the index of the change to an error.
fn at(error: Error, number: Option<usize>, file: &str) -> Error {
    match number {
        Some(number) => error.context(&format!("changes[{number}], {file}")),
        None => error.context(file),
    }
}

/// Combines errors into one: the first, with a summary of the others. Cancellation and transient errors take
/// precedence.
fn first_of(mut errors: Vec<Error>) -> Option<Error> {
    let before = |error: &Error| error.kind() == Kind::Cancelled || error.is_transient();
    let first = errors.iter().position(before).unwrap_or(0);
    if errors.is_empty() {
        return None;
    }
    let error = errors.remove(first);
    if errors.is_empty() || before(&error) {
        return Some(error);
    }
    let told: Vec<String> = errors.iter().take(OTHERS).map(|other| other.content().message.clone()).collect();
    let hint = error.content().hint.clone().map(|hint| format!("{hint}; ")).unwrap_or_default();
    let hint = hint.replace("nothing was written; ", "");
    let more = if errors.len() > OTHERS { "; …" } else { "" };
    let others = format!("{hint}nothing was written; {} more: {}{more}", errors.len(), told.join("; "));
    Some(error.hint(others))
}
