//! Edits of several files as one change: the same edit in all files of a list, or a list of edits with their files.
//! Either all of them succeed or nothing is written.

use std::collections::{BTreeSet, HashMap};

use marquetry_graph::parallel_map;
use marquetry_model::{EditSet, Error, Kind, Result, limits, ports::Source, text::LineBreak};

use super::{
    Affected, EditArgs, EditResult, FileEdit, OneEdit, OperationName, check_hash, edit_result,
    operation::{ParsedEdit, parse_edits},
    summary, target_name,
};
use crate::{
    change_queue::Scope,
    document::{OpenFile, check_embedded_syntax},
    draft::{Commit, Draft, check_syntax},
    pagination::ByteBudget,
    result_types::pluralized,
    selection::{Selected, is_absent},
    session::{Session, Writing},
};

/// All edits of a call.
pub(super) struct EditPlan<'a> {
    pub(super) files: Vec<FileEditPlan<'a>>,
    /// The edit, if one edit is applied to many files.
    one: Option<&'a OneEdit>,
    /// Number of requested edits.
    asked: usize,
}

/// Edits of one file as steps, each relative to the text after the previous one.
pub(super) struct FileEditPlan<'a> {
    pub(super) path: String,
    /// True if the file was given by path, not by a glob: a missing target is an error.
    named: bool,
    steps: Vec<EditStep<'a>>,
}

/// Edits that are relative to the same text.
#[derive(Clone, Copy)]
struct EditStep<'a> {
    /// Index in `changes`.
    number: Option<usize>,
    edits: &'a [ParsedEdit<'a>],
    expected: Option<&'a str>,
}

/// Result for one file.
pub(super) enum FileOutcome {
    Edits(Source, EditSet, String),
    /// The file matches a glob and has nothing to edit.
    NothingToEdit(Option<Error>),
}

/// Result for all files.
#[derive(Default)]
struct EditTotals {
    draft: Draft,
    /// Number of files with nothing to edit.
    without: usize,
    /// Packs that computed the edits.
    engines: BTreeSet<String>,
}

/// Maximum number of further failures in an error message.
const MAX_OTHER_ERRORS: usize = 5;

impl Session {
    /// Edits several files.
    pub(super) fn edit_many(&self, args: &EditArgs) -> Result<EditResult> {
        check_arguments(args)?;
        let changes = args.changes.as_deref().unwrap_or_default();
        // These variables own the lists that the plan borrows.
        let (list, lists): (Vec<ParsedEdit<'_>>, Vec<Vec<ParsedEdit<'_>>>);
        let plan = match &args.files {
            Some(files) => {
                list = parse_edits(args.edit_list()?)?;
                self.plan_of_files(files, &list)?
            }
            None => {
                lists = parse_changes(changes)?;
                self.plan_of_changes(changes, &lists)?
            }
        };
        let mut paths: Vec<String> = plan.files.iter().map(|file| file.path.clone()).collect();
        paths.sort_unstable();
        let pinned = plan.files.iter().flat_map(|file| &file.steps).any(|step| step.expected.is_some());
        let writing = Writing { scope: Scope::Files(&paths), dry_run: args.is_dry(), hash_expected: pinned };
        self.run_change(writing, || self.edit_planned(&plan, args))
    }

    /// Plan that applies the same edits to all files of a list.
    fn plan_of_files<'a>(&self, files: &[String], edits: &'a [ParsedEdit<'a>]) -> Result<EditPlan<'a>> {
        let selection = self.select(files)?;
        if let Some((_, error)) = selection.unmatched.into_iter().next() {
            return Err(error);
        }
        let step = EditStep { number: None, edits, expected: None };
        let file = |Selected { path, named }| FileEditPlan { path, named, steps: vec![step] };
        let one = if let [only] = edits { Some(only.one) } else { None };
        Ok(EditPlan { files: selection.files.into_iter().map(file).collect(), one, asked: edits.len() })
    }

    /// Plan for edits with their files. Edits of the same file keep their order.
    pub(super) fn plan_of_changes<'a>(
        &self,
        changes: &'a [FileEdit],
        edits: &'a [Vec<ParsedEdit<'a>>],
    ) -> Result<EditPlan<'a>> {
        let mut plan = EditPlan { files: Vec::new(), one: None, asked: changes.len() };
        let mut known: HashMap<String, usize> = HashMap::new();
        for (number, (change, edits)) in changes.iter().zip(edits).enumerate() {
            let path = self.files.locate(&change.file).map_err(|error| in_change(error, Some(number), &change.file))?;
            let place = *known.entry(path.clone()).or_insert_with(|| {
                plan.files.push(FileEditPlan { path, named: true, steps: Vec::new() });
                plan.files.len() - 1
            });
            let expected = change.expected_hash.as_deref();
            plan.files[place].steps.push(EditStep { number: Some(number), edits, expected });
        }
        Ok(plan)
    }

    fn edit_planned(&self, plan: &EditPlan<'_>, args: &EditArgs) -> Result<EditResult> {
        let stage = self.work.stage("editing files", plan.files.len());
        let computed = parallel_map(&plan.files, |file| {
            stage.step()?;
            self.compute_edits(file, args.force)
        });
        drop(stage);
        // The notes are sorted, because the files were processed in parallel.
        let mut notes = self.work.take_notes();
        notes.sort();
        notes.into_iter().for_each(|note| self.work.add_note(note));
        let (mut done, mut absent, mut errors) = (EditTotals::default(), None, Vec::new());
        for computed in computed {
            match computed {
                Ok(FileOutcome::Edits(source, edits, engine)) => {
                    done.draft.edit(&source, edits)?;
                    done.engines.insert(engine);
                }
                Ok(FileOutcome::NothingToEdit(error)) => {
                    done.without += 1;
                    absent = absent.or(error);
                }
                Err(error) => errors.push(error),
            }
        }
        if let Some(error) = combine_errors(errors) {
            return Err(error);
        }
        if done.without == plan.files.len() {
            let error = absent.unwrap_or_else(|| Error::new(Kind::Unsupported, "none of the files is a text file"));
            return Err(error.context(&format!("in none of {}", pluralized(done.without, "file"))));
        }
        self.finish_many(plan, done, args)
    }

    /// Computes the edits of one file, with all steps merged.
    fn compute_edits(&self, plan: &FileEditPlan<'_>, force: bool) -> Result<FileOutcome> {
        let first = plan.steps.first().and_then(|step| step.number);
        match self.files.read(&plan.path) {
            Ok(source) => self.edits_of_source(source, plan, force),
            // The file is not text, or it was deleted after the walk.
            Err(error) if !plan.named && matches!(error.kind(), Kind::Unsupported | Kind::FileNotFound) => {
                Ok(FileOutcome::NothingToEdit(None))
            }
            Err(error) => Err(in_change(error, first, &plan.path)),
        }
    }

    /// Computes the edits of a text that was read already.
    pub(super) fn edits_of_source(&self, source: Source, plan: &FileEditPlan<'_>, force: bool) -> Result<FileOutcome> {
        let first = plan.steps.first().and_then(|step| step.number);
        // The call names all of these files, by path or glob, so packs may receive them.
        self.work.name_file(&source.path);
        let mut file = self.open_source(source.clone()).map_err(|error| in_change(error, first, &plan.path))?;
        let mut all: Option<EditSet> = None;
        for (index, step) in plan.steps.iter().enumerate() {
            let edits = check_hash(&file, step.expected).and_then(|()| self.splices(&file, step.edits, force));
            let edits = match edits {
                Err(error) if !plan.named && has_no_target(&file, step.edits[0].one, &error) => {
                    return Ok(FileOutcome::NothingToEdit(Some(error)));
                }
                Err(error) => return Err(in_change(error, step.number, &plan.path)),
                Ok(edits) => edits.normalized(file.text(), LineBreak::most_frequent(file.text())),
            };
            if !force {
                let checked = check_syntax(&file, &edits).and_then(|()| check_embedded_syntax(self, &file, &edits));
                checked.map_err(|error| in_change(error, step.number, &plan.path))?;
            }
            let after = (index + 1 < plan.steps.len()).then(|| edits.apply(file.text()));
            all = Some(match all {
                Some(before) => before.compose(&source.text, &edits),
                None => edits,
            });
            if let Some(after) = after {
                file = self.open_source(Source { text: after.into(), ..source.clone() })?;
            }
        }
        Ok(FileOutcome::Edits(source, all.unwrap_or_default(), file.engine().to_owned()))
    }

    fn finish_many(&self, plan: &EditPlan<'_>, done: EditTotals, args: &EditArgs) -> Result<EditResult> {
        let EditTotals { draft, without, engines } = done;
        let (total, changed) = (draft.edits(), draft.edited().len());
        let is_wide = changed > limits::UNCONFIRMED_FILES;
        let dry_run = args.dry_run.unwrap_or(is_wide);
        let files = pluralized(changed, "file");
        let summary = match plan.one {
            _ if total == 0 => format!("Nothing to change in {}", pluralized(plan.files.len(), "file")),
            Some(one) => {
                let operation = one.operation.unwrap_or(OperationName::Replace);
                let name = match (one.place.name().is_empty(), one.pattern.is_some()) {
                    (true, true) => "the matches in each file".to_owned(),
                    (true, false) => "each file".to_owned(),
                    _ => target_name(one),
                };
                format!("{}, {} in {files}", summary(operation, &name, 1, false), pluralized(total, "edit"))
            }
            None => format!("Made {} in {files}", pluralized(plan.asked, "edit")),
        };
        let committed = draft.commit(self, summary.clone(), Commit { dry_run, ..args.commit() })?;
        let hashes: HashMap<String, String> = if dry_run { HashMap::new() } else { committed.hashes() };
        let mut room = ByteBudget::of_change(args.max_bytes.or(self.max_bytes));
        let mut result = edit_result(committed, dry_run, &mut room);
        for change in &mut result.changes {
            change.hash = hashes.get(&change.file).cloned();
        }
        if dry_run && args.dry_run.is_none() {
            result.report.warnings.push(format!(
                "nothing was written: {changed} files would change, and more than {} need confirmation: repeat the \
                 call with `dryRun: false`",
                limits::UNCONFIRMED_FILES
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
            engine: Vec::from_iter(engines).join(", "),
            summary,
            ..result
        })
    }
}

/// Parses a list of edits with their files.
pub(super) fn parse_changes(changes: &[FileEdit]) -> Result<Vec<Vec<ParsedEdit<'_>>>> {
    let mut lists = Vec::with_capacity(changes.len());
    for (number, change) in changes.iter().enumerate() {
        let list = parse_edits(std::slice::from_ref(&change.edit));
        lists.push(list.map_err(|error| in_change(error, Some(number), &change.file))?);
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

/// Returns whether a file that matches a glob has nothing to edit, because it does not contain the target or the code.
fn has_no_target(file: &OpenFile, one: &OneEdit, error: &Error) -> bool {
    let is_no_code = || matches!(error.kind(), Kind::Unsupported | Kind::ParseError);
    is_absent(file.description(), &one.place, error) || (one.pattern.is_some() && is_no_code())
}

/// Adds the file and the index of the change to an error.
pub(super) fn in_change(error: Error, number: Option<usize>, file: &str) -> Error {
    match number {
        Some(number) => error.context(&format!("changes[{number}], {file}")),
        None => error.context(file),
    }
}

/// Combines errors into one: the first, with a summary of the others. Cancellation and transient errors take
/// precedence.
pub(super) fn combine_errors(mut errors: Vec<Error>) -> Option<Error> {
    let before = |error: &Error| error.kind() == Kind::Cancelled || error.is_transient();
    let first = errors.iter().position(before).unwrap_or(0);
    if errors.is_empty() {
        return None;
    }
    let error = errors.remove(first);
    if errors.is_empty() || before(&error) {
        return Some(error);
    }
    let messages: Vec<String> =
        errors.iter().take(MAX_OTHER_ERRORS).map(|other| other.content().message.clone()).collect();
    let hint = error.content().hint.clone().map(|hint| format!("{hint}; ")).unwrap_or_default();
    let hint = hint.replace("nothing was written; ", "");
    let more = if errors.len() > MAX_OTHER_ERRORS { "; …" } else { "" };
    let others = format!("{hint}nothing was written; {} more: {}{more}", errors.len(), messages.join("; "));
    Some(error.hint(others))
}
