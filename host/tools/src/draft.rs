//! A draft: all that one call will change, before anything is written. Every tool's steps, diff, checks and commit are made
//! here, once.

use std::{collections::BTreeMap, sync::Arc};

use marquetry_model::{
    Applied, Change, Edit, EditSet, Error, Kind, Outcome, Result, Step, diff, limits,
    pack::Problem,
    ports::Source,
    text::{LineBreak, Lines},
};

use crate::{
    document::OpenFile,
    session::Session,
    shape::{FileChange, counted, file_change},
    trial::{Check, Checked},
};

/// What a call will change.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    files: BTreeMap<String, Drafted>,
    steps: Vec<Step>,
    warnings: Vec<String>,
}

/// One text file and what becomes of it, in the file's own line endings.
#[derive(Debug)]
struct Drafted {
    source: Source,
    edits: EditSet,
}

/// What becomes of a draft.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Commit {
    /// Compute everything and write nothing.
    pub(crate) dry_run: bool,
    /// Show old and new text of each edit.
    pub(crate) preview: bool,
    /// Tell what becomes of the problems, and refuse what adds errors.
    pub(crate) check: Check,
}

/// A draft that was carried out, or shown.
#[derive(Debug)]
pub(crate) struct Committed {
    /// What was done, on one line.
    pub(crate) title: String,
    pub(crate) applied: Applied,
    /// The unified diff, file by file.
    pub(crate) diffs: Vec<String>,
    /// The edits, file by file.
    pub(crate) changes: Vec<FileChange>,
    pub(crate) warnings: Vec<String>,
    /// What becomes of the problems, where that was asked.
    pub(crate) checked: Option<Checked>,
}

impl Draft {
    /// Edit a file. What several parts of a call say of one file is one edit of it.
    pub(crate) fn edit(&mut self, source: &Source, edits: EditSet) -> Result<()> {
        let text = &source.text;
        let edits = edits.fitted(text, LineBreak::of(text));
        if edits.is_empty() {
            return Ok(());
        }
        match self.files.get_mut(&source.path) {
            Some(known) if known.source.hash != source.hash => return Err(outdated(&source.path)),
            Some(known) => {
                let before = std::mem::take(&mut known.edits);
                known.edits = EditSet::union(text, [before, edits]).map_err(|error| error.context(&source.path))?;
            }
            None => {
                if source.size > limits::LARGE_FILE {
                    self.warnings.push(format!("{} is a large file: {} bytes", source.path, source.size));
                }
                self.files.insert(source.path.clone(), Drafted { source: source.clone(), edits });
            }
        }
        Ok(())
    }

    /// Edit what the edits so far make of a file.
    pub(crate) fn edit_on(&mut self, path: &str, next: EditSet) -> Result<()> {
        let known = self.files.get_mut(path).ok_or_else(|| Error::internal(format!("{path} was not edited before")))?;
        let text = &known.source.text;
        let after = known.edits.apply(text);
        known.edits = known.edits.then(text, &next.fitted(&after, LineBreak::of(text)));
        Ok(())
    }

    /// A step beside the edits: something is made, moved, copied or deleted.
    pub(crate) fn then(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// Make a file with this text.
    pub(crate) fn create(&mut self, path: String, text: String) {
        self.then(Step::Create { path, content: text.into_bytes(), overwrite: false, directories: true });
    }

    /// Something worth knowing about it.
    pub(crate) fn warn(&mut self, warning: String) {
        self.warnings.push(warning);
    }

    /// Whether nothing would change.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.steps.is_empty()
    }

    /// How many edits it has.
    pub(crate) fn edits(&self) -> usize {
        self.files.values().map(|file| file.edits.len()).sum()
    }

    /// The files that are edited.
    pub(crate) fn edited(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }

    /// The files that are edited or made.
    pub(crate) fn touched(&self) -> Vec<String> {
        let made = self.steps.iter().filter_map(|step| match step {
            Step::Create { path, .. } => Some(path.clone()),
            _ => None,
        });
        self.files.keys().cloned().chain(made).collect()
    }

    /// The edits of one file.
    pub(crate) fn edits_of(&self, path: &str) -> Option<&EditSet> {
        self.files.get(path).map(|file| &file.edits)
    }

    /// The edits file by file.
    pub(crate) fn drafted(&self) -> impl Iterator<Item = (&Source, &EditSet)> {
        self.files.values().map(|file| (&file.source, &file.edits))
    }

    /// The edits file by file, for another draft.
    pub(crate) fn into_edits(self) -> impl Iterator<Item = (Source, EditSet)> {
        self.files.into_values().map(|file| (file.source, file.edits))
    }

    /// Carry it out as one change, or show what it would do.
    pub(crate) fn commit(self, session: &Session, title: String, commit: Commit) -> Result<Committed> {
        let checked = self.checked(session, commit)?;
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
            Applied { id: None, outcome: Outcome::Nothing, files: Vec::new(), directories_created: Vec::new() }
        } else {
            session.files.apply(&Change { title: title.clone(), steps }, commit.dry_run, &session.work)?
        };
        Ok(Committed { title, applied, diffs, changes, warnings: self.warnings, checked })
    }

    /// What it would do to the problems of the files that it concerns, where that is asked.
    fn checked(&self, session: &Session, commit: Commit) -> Result<Option<Checked>> {
        if commit.check == Check::No {
            return Ok(None);
        }
        let edits: Vec<(&Source, &EditSet)> = self.drafted().collect();
        let checked = session.tried(&edits, &self.steps)?;
        if let Check::Refusing { may_be_forced } = commit.check
            && !commit.dry_run
        {
            checked.refuse(may_be_forced)?;
        }
        Ok(Some(checked.shortened()))
    }

    /// Where a file is after the moves of the draft.
    fn path_after(&self, path: &str) -> String {
        let moves = self.steps.iter().filter_map(|step| match step {
            Step::Move { from, to, .. } => Some((from, to)),
            _ => None,
        });
        for (from, to) in moves {
            let relocation = marquetry_model::Relocation { from: from.clone(), to: to.clone() };
            if relocation.moves(path) {
                return relocation.of(path);
            }
        }
        path.to_owned()
    }

    /// How a step that is no edit stands in a diff. What an edited file's own diff says already is not said again.
    fn diff_of_step(&self, step: &Step) -> Option<String> {
        Some(match step {
            Step::Move { from, to, .. } if !self.files.contains_key(from) => renamed(from, to),
            Step::Delete { path, .. } => format!("diff --git a/{path} b/{path}\ndeleted\n"),
            Step::Create { path, content, overwrite: false, .. } => {
                diff::whole(None, Some((&format!("b/{path}"), std::str::from_utf8(content).ok()?)))
            }
            _ => return None,
        })
    }
}

impl Committed {
    /// The id for undo; none where nothing was written.
    pub(crate) fn id(&self) -> Option<String> {
        self.applied.id.clone().filter(|_| self.applied.outcome == Outcome::Applied)
    }

    /// The hashes of all files after the change.
    pub(crate) fn hashes(&self) -> std::collections::HashMap<String, String> {
        let known = self.applied.files.iter();
        known.filter_map(|effect| Some((effect.after.clone()?, effect.hash.clone()?))).collect()
    }

    /// The hash of a file after the change.
    pub(crate) fn hash_of(&self, path: &str) -> Option<String> {
        let effect = self.applied.files.iter().find(|effect| effect.after.as_deref() == Some(path));
        effect.and_then(|effect| effect.hash.clone())
    }
}

/// The diff of one edited file, with its new name where it gets one.
fn diff_of(path: &str, after: &str, text: &Arc<str>, edits: &EditSet) -> String {
    let diff = diff::unified(&format!("a/{path}"), &format!("b/{after}"), text, edits);
    if path == after { diff } else { renamed(path, after) + &diff }
}

/// What git says of a file that goes elsewhere.
fn renamed(from: &str, to: &str) -> String {
    format!("diff --git a/{from} b/{to}\nrename from {from}\nrename to {to}\n")
}

/// A file is not what another part of the same call found.
pub(crate) fn outdated(path: &str) -> Error {
    Error::new(Kind::Stale, format!("{path} changed in the meantime")).hint("repeat the call")
}

/// The edits of one text as a proven set.
pub(crate) fn proven(path: &str, text: &str, edits: Vec<Edit>) -> Result<EditSet> {
    EditSet::new(text, edits).map_err(|error| error.context(path))
}

/// Refuse edits that add syntax problems to a file.
pub(crate) fn check_syntax(file: &OpenFile, edits: &EditSet) -> Result<()> {
    if edits.is_empty() || file.ask(|document| document.stays_well_formed(edits.as_slice()))? {
        return Ok(());
    }
    let after: Arc<str> = Arc::from(edits.apply(file.text()));
    let errors = file.errors_of(&after)?;
    if errors.is_empty() {
        return Ok(());
    }
    let before = file.errors_of(file.text())?;
    if errors.len() <= before.len() {
        return Ok(());
    }
    // The first problem that was not there before, compared by its message.
    let is_new = |problem: &&Problem| before.iter().all(|old| old.message != problem.message);
    let first = errors.iter().find(is_new).unwrap_or(&errors[0]);
    Err(Error::new(
        Kind::ParseError,
        format!(
            "the edit would add {}: {}",
            counted(errors.len() - before.len(), "syntax problem"),
            described(&after, first)
        ),
    )
    .hint("correct the content, or give `force: true` to write it anyway; nothing was written"))
}

/// A problem with its place and the text there.
pub(crate) fn described(text: &str, problem: &Problem) -> String {
    let lines = Lines::new(text);
    let position = lines.position(problem.span.start);
    let line = lines.line(position.line).map_or("", |line| line.of(text)).trim();
    let shown: String = line.chars().take(120).collect();
    let place = format!("line {}, column {}: {}", position.line, position.column, problem.message);
    if shown.is_empty() { place } else { format!("{place} (`{shown}`)") }
}
