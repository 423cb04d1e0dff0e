//! Draft of a change: everything that a call will write. This module implements the steps, diff, checks and commit for
//! all tools.

use std::{collections::BTreeMap, sync::Arc};

use marquetry_model::{
    Change, ChangeEffects, Edit, EditSet, Error, Kind, Outcome, Result, Span, Step, diff, limits,
    pack::PackDiagnostic,
    ports::Source,
    text::{LineBreak, Lines},
};

use crate::{
    document::OpenFile,
    preview::{Check, Checked},
    result_types::{FileChange, file_change, pluralized},
    session::Session,
};

/// A change that is not written yet.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    files: BTreeMap<String, FileEdits>,
    steps: Vec<Step>,
    warnings: Vec<String>,
}

/// Edits of one text file, with the line endings of the file.
#[derive(Debug)]
struct FileEdits {
    source: Source,
    edits: EditSet,
}

/// Options of a commit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Commit {
    /// Compute everything but write nothing.
    pub(crate) dry_run: bool,
    /// Include old and new text of each edit.
    pub(crate) preview: bool,
    /// Report added and fixed diagnostics; refuse new errors.
    pub(crate) check: Check,
}

/// Result of a commit or dry run.
#[derive(Debug)]
pub(crate) struct Committed {
    /// Title of the change in one line.
    pub(crate) title: String,
    pub(crate) applied: ChangeEffects,
    /// Unified diff of each file.
    pub(crate) diffs: Vec<String>,
    /// Edits of each file.
    pub(crate) changes: Vec<FileChange>,
    pub(crate) warnings: Vec<String>,
    /// Added and fixed diagnostics, if requested.
    pub(crate) checked: Option<Checked>,
}

impl Draft {
    /// Adds edits of a file. Several sets of edits for one file are merged.
    pub(crate) fn edit(&mut self, source: &Source, edits: EditSet) -> Result<()> {
        let text = &source.text;
        let edits = edits.normalized(text, LineBreak::most_frequent(text));
        if edits.is_empty() {
            return Ok(());
        }
        match self.files.get_mut(&source.path) {
            Some(known) if known.source.hash != source.hash => return Err(changed_meanwhile(&source.path)),
            Some(known) => {
                let before = std::mem::take(&mut known.edits);
                known.edits = EditSet::union(text, [before, edits]).map_err(|error| error.context(&source.path))?;
            }
            None => {
                if source.size > limits::LARGE_FILE {
                    self.warnings.push(format!("{} is a large file: {} bytes", source.path, source.size));
                }
                self.files.insert(source.path.clone(), FileEdits { source: source.clone(), edits });
            }
        }
        Ok(())
    }

    /// Adds edits of a file whose spans refer to the text after the draft's existing edits.
    pub(crate) fn edit_on(&mut self, path: &str, next: EditSet) -> Result<()> {
        let known = self.files.get_mut(path).ok_or_else(|| Error::internal(format!("{path} was not edited before")))?;
        let text = &known.source.text;
        let after = known.edits.apply(text);
        known.edits = known.edits.compose(text, &next.normalized(&after, LineBreak::most_frequent(text)));
        Ok(())
    }

    /// Adds a step other than an edit: create, move, copy or delete.
    pub(crate) fn add_step(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// Adds a step that creates a file.
    pub(crate) fn create(&mut self, path: String, text: String) {
        self.add_step(Step::Create { path, content: text.into_bytes(), overwrite: false, directories: true });
    }

    /// Adds a warning.
    pub(crate) fn warn(&mut self, warning: String) {
        self.warnings.push(warning);
    }

    /// Returns whether the draft changes nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.steps.is_empty()
    }

    /// Returns the number of edits of all files.
    pub(crate) fn edits(&self) -> usize {
        self.files.values().map(|file| file.edits.len()).sum()
    }

    /// Returns the paths of the edited files.
    pub(crate) fn edited(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }

    /// Returns the paths of the edited and created files.
    pub(crate) fn touched(&self) -> Vec<String> {
        let made = self.steps.iter().filter_map(|step| match step {
            Step::Create { path, .. } => Some(path.clone()),
            _ => None,
        });
        self.files.keys().cloned().chain(made).collect()
    }

    /// Edits of one file.
    pub(crate) fn edits_of(&self, path: &str) -> Option<&EditSet> {
        self.files.get(path).map(|file| &file.edits)
    }

    /// Returns whether an edit replaces a range of a file completely.
    pub(crate) fn removes(&self, path: &str, span: Span) -> bool {
        self.edits_of(path).is_some_and(|edits| edits.as_slice().iter().any(|edit| edit.span.contains(span)))
    }

    /// Edits of each file.
    pub(crate) fn file_edits(&self) -> impl Iterator<Item = (&Source, &EditSet)> {
        self.files.values().map(|file| (&file.source, &file.edits))
    }

    /// Edits of each file, for use in another draft.
    pub(crate) fn into_edits(self) -> impl Iterator<Item = (Source, EditSet)> {
        self.files.into_values().map(|file| (file.source, file.edits))
    }

    /// Commits the draft as one change, or does a dry run.
    pub(crate) fn commit(self, session: &Session, title: String, commit: Commit) -> Result<Committed> {
        let checked = self.check_change(session, commit)?;
        let mut diffs = Vec::new();
        let mut changes = Vec::new();
        for (path, file) in &self.files {
            let after = self.path_after(path);
            diffs.push(diff_of(path, &after, &file.source.text, &file.edits));
            changes.push(file_change(path, &file.source.text, &file.edits, commit.preview));
        }
        diffs.extend(self.steps.iter().filter_map(|step| self.diff_of_step(step)));
        let edits = self.files.into_iter();
        let edits = edits.map(|(path, file)| Step::Edit { path, base: file.source.hash, edits: file.edits });
        let steps: Vec<Step> = edits.chain(self.steps).collect();
        let applied = if steps.is_empty() {
            ChangeEffects { id: None, outcome: Outcome::Nothing, files: Vec::new(), directories_created: Vec::new() }
        } else {
            session.files.apply(&Change { title: title.clone(), steps }, commit.dry_run, &session.work)?
        };
        Ok(Committed { title, applied, diffs, changes, warnings: self.warnings, checked })
    }

    /// Diagnostics that the change would add and fix, if requested.
    fn check_change(&self, session: &Session, commit: Commit) -> Result<Option<Checked>> {
        if commit.check == Check::No {
            return Ok(None);
        }
        let edits: Vec<(&Source, &EditSet)> = self.file_edits().collect();
        let checked = session.preview_diagnostics(&edits, &self.steps)?;
        if let Check::Refusing { may_be_forced } = commit.check
            && !commit.dry_run
        {
            checked.refuse_new_errors(may_be_forced)?;
        }
        Ok(Some(checked.truncated()))
    }

    /// Path of a file after the moves of the draft.
    fn path_after(&self, path: &str) -> String {
        let moves = self.steps.iter().filter_map(|step| match step {
            Step::Move { from, to, .. } => Some((from, to)),
            _ => None,
        });
        for (from, to) in moves {
            let relocation = marquetry_model::Relocation { from: from.clone(), to: to.clone() };
            if relocation.affects(path) {
                return relocation.path_after(path);
            }
        }
        path.to_owned()
    }

    /// Diff of a step other than an edit. `None` if the diff of an edited file includes it.
    fn diff_of_step(&self, step: &Step) -> Option<String> {
        Some(match step {
            Step::Move { from, to, .. } if !self.files.contains_key(from) => rename_header(from, to),
            Step::Delete { path, .. } => diff::deletion_header(path),
            Step::Create { path, content, overwrite: false, .. } => {
                diff::whole_file(None, Some((&format!("b/{path}"), std::str::from_utf8(content).ok()?)))
            }
            _ => return None,
        })
    }
}

impl Committed {
    /// Id for undo; `None` if nothing was written.
    pub(crate) fn id(&self) -> Option<String> {
        self.applied.id.clone().filter(|_| self.applied.outcome == Outcome::Applied)
    }

    /// Hashes of all files after the change.
    pub(crate) fn hashes(&self) -> std::collections::HashMap<String, String> {
        let known = self.applied.files.iter();
        known.filter_map(|effect| Some((effect.after.clone()?, effect.hash.clone()?))).collect()
    }

    /// Hash of a file after the change.
    pub(crate) fn hash_of(&self, path: &str) -> Option<String> {
        let effect = self.applied.files.iter().find(|effect| effect.after.as_deref() == Some(path));
        effect.and_then(|effect| effect.hash.clone())
    }
}

/// Diff of one edited file, with its new name if it is moved.
fn diff_of(path: &str, after: &str, text: &Arc<str>, edits: &EditSet) -> String {
    let diff = diff::unified(&format!("a/{path}"), &format!("b/{after}"), text, edits);
    if path == after { diff } else { rename_header(path, after) + &diff }
}

/// Header for a moved file, as in git.
fn rename_header(from: &str, to: &str) -> String {
    diff::rename_header("rename", from, to)
}

/// Error for a file that changed during the call.
pub(crate) fn changed_meanwhile(path: &str) -> Error {
    Error::new(Kind::Stale, format!("{path} changed in the meantime")).hint("repeat the call")
}

/// Validates the edits of one text.
pub(crate) fn validated_edits(path: &str, text: &str, edits: Vec<Edit>) -> Result<EditSet> {
    EditSet::new(text, edits).map_err(|error| error.context(path))
}

/// Refuses edits that add syntax errors to a file.
pub(crate) fn check_syntax(file: &OpenFile, edits: &EditSet) -> Result<()> {
    if edits.is_empty() || file.ask(|document| document.stays_well_formed(edits.as_slice()))? {
        return Ok(());
    }
    let after: Arc<str> = Arc::from(edits.apply(file.text()));
    let errors = file.errors_of(&after)?;
    if errors.is_empty() {
        return Ok(());
    }
    refuse_added_errors(&file.errors_of(file.text())?, &errors, &after)
}

/// Refuses a text with more syntax errors than before.
pub(crate) fn refuse_added_errors(before: &[PackDiagnostic], errors: &[PackDiagnostic], after: &str) -> Result<()> {
    if errors.len() <= before.len() {
        return Ok(());
    }
    // The first new error. Errors are compared by their messages.
    let is_new = |problem: &&PackDiagnostic| before.iter().all(|old| old.message != problem.message);
    let first = errors.iter().find(is_new).unwrap_or(&errors[0]);
    Err(Error::new(
        Kind::ParseError,
        format!(
            "the edit would add {}: {}",
            pluralized(errors.len() - before.len(), "syntax error"),
            diagnostic_text(after, first)
        ),
    )
    .hint("correct the content, or give `force: true` to write it anyway; nothing was written"))
}

/// Message of a diagnostic with its position and the text of its line.
pub(crate) fn diagnostic_text(text: &str, problem: &PackDiagnostic) -> String {
    let lines = Lines::new(text);
    let position = lines.position(problem.span.start);
    let line = lines.line(position.line).map_or("", |line| line.slice(text)).trim();
    let shown: String = line.chars().take(120).collect();
    let place = format!("line {}, column {}: {}", position.line, position.column, problem.message);
    if shown.is_empty() { place } else { format!("{place} (`{shown}`)") }
}
