//! Preview of a change with `check`: reports the diagnostics that it adds and fixes before anything is written, and
//! refuses new errors. The preview compares the diagnostics before and after the change, of the changed files and of
//! the files that link to them.

mod files;
mod types;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, OnceLock},
};

pub(crate) use files::PreviewFiles;
use marquetry_graph::{DetailLevel, Target, Workspace, parallel_map};
use marquetry_model::{
    EditSet, Error, Kind, Result, Span, Step,
    hover::CheckArea,
    is_below,
    ports::{Files, Source},
};
use serde::Serialize;

use crate::{
    query::{Diagnostic, FileFindings, RawDiagnostic, UNRESOLVED, to_diagnostics},
    result_types::{pluralized, shorten_list},
    session::{Session, get_or_compute},
};

/// The kind of check before a change is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Check {
    /// No check.
    #[default]
    No,
    /// Report diagnostics and refuse new errors. `may_be_forced` is set for tools with a `force` argument.
    Refusing { may_be_forced: bool },
    /// Report diagnostics only.
    Reporting,
}

/// Diagnostics that a change adds and fixes.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Checked {
    /// New diagnostics, with positions after the change.
    pub added: Vec<Diagnostic>,
    /// Fixed diagnostics, with positions before the change.
    pub removed: Vec<Diagnostic>,
    /// Checked areas: `syntax`, `links`, `names`, `types`.
    pub checked: Vec<&'static str>,
    /// Number of checked files: the changed ones, and those that link to them.
    pub files: usize,
    /// Files that could not be checked, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
}

/// A file that the change affects: its path before and after, and its edits.
struct AffectedFile<'a> {
    before: Option<String>,
    after: String,
    edits: Option<&'a EditSet>,
}

/// Diagnostics of one file, before or after the change.
#[derive(Default)]
struct FileDiagnostics {
    path: String,
    text: Arc<str>,
    findings: FileFindings,
}

/// Workspace before and after a change. Each is indexed when a diagnostic needs it for the first time.
struct WorkspacePair<'a> {
    session: &'a Session,
    changed: &'a Arc<PreviewFiles>,
    before: OnceLock<Arc<Workspace>>,
    after: OnceLock<Arc<Workspace>>,
}

impl WorkspacePair<'_> {
    fn before(&self) -> Result<Arc<Workspace>> {
        self.session.workspace_names(&self.before)
    }

    fn after(&self) -> Result<Arc<Workspace>> {
        get_or_compute(&self.after, || {
            let (before, session) = (self.before()?, self.session);
            let stamps = self.changed.stamps(before.stamps());
            let files: Arc<dyn Files> = Arc::<PreviewFiles>::clone(self.changed);
            let packs = session.packs.as_ref();
            session.graph.hypothetical(&before, &files, packs, &stamps, DetailLevel::Names, &session.work).map(Arc::new)
        })
    }
}

/// Maximum number of checked files that link to the changed ones.
const MAX_LINKING_FILES: usize = 1_000;
/// Maximum number of diagnostics in each list.
const MAX_DIAGNOSTICS: usize = 50;
/// Maximum number of diagnostics in an error message.
const MAX_IN_MESSAGE: usize = 5;

impl Check {
    /// Returns the check for a tool with a `force` argument.
    pub(crate) fn unless_forced(check: bool, force: bool) -> Check {
        match (check, force) {
            (false, _) => Check::No,
            (true, false) => Check::Refusing { may_be_forced: true },
            (true, true) => Check::Reporting,
        }
    }

    /// Returns the check for a tool without a `force` argument.
    pub(crate) fn refusing(check: bool) -> Check {
        if check { Check::Refusing { may_be_forced: false } } else { Check::No }
    }
}

impl Session {
    /// Returns the diagnostics that a change would add and fix.
    pub(crate) fn preview_diagnostics(&self, edits: &[(&Source, &EditSet)], steps: &[Step]) -> Result<Checked> {
        let texts = edits.iter().map(|(source, edits)| ((*source).clone(), edits.apply(&source.text))).collect();
        let changed = Arc::new(PreviewFiles::new(&self.files, texts, steps)?);
        let mut skipped = Vec::new();
        let concerned = self.affected_files(edits, steps, &changed, &mut skipped)?;
        let after = self.with_files(Arc::<PreviewFiles>::clone(&changed));
        let worlds =
            WorkspacePair { session: self, changed: &changed, before: OnceLock::new(), after: OnceLock::new() };
        let stage = self.work.stage("checking the change", concerned.len());
        let found: Vec<Result<(FileDiagnostics, FileDiagnostics)>> = parallel_map(&concerned, |one| {
            stage.step()?;
            let before = one.before.as_ref().map(|path| self.diagnostics_of(path, &|| worlds.before())).transpose()?;
            Ok((before.unwrap_or_default(), after.diagnostics_of(&one.after, &|| worlds.after())?))
        });
        let mut tried = Checked { files: concerned.len(), ..Checked::default() };
        let mut areas = BTreeSet::new();
        for (one, found) in concerned.iter().zip(found) {
            match found {
                Ok((before, after)) => {
                    areas.extend(before.findings.checked.iter().chain(&after.findings.checked).copied());
                    tried.add_differences(before, after, one.edits);
                }
                Err(error) if error.kind() == Kind::Cancelled => return Err(error),
                // A file without a pack has no diagnostics.
                Err(error) if error.kind() == Kind::Unsupported => tried.files -= 1,
                Err(error) => skipped.push(format!("{}: {error}", one.after)),
            }
        }
        tried.checked = areas.into_iter().map(CheckArea::name).collect();
        self.check_types(&after, edits, &mut tried, &mut skipped)?;
        tried.skipped = skipped;
        Ok(tried)
    }

    /// Returns this session with other files.
    pub(crate) fn with_files(&self, files: Arc<dyn Files>) -> Session {
        Session { files, ..self.clone() }
    }

    /// Returns the diagnostics of a file. `workspace` is called for diagnostics that depend on other files.
    fn diagnostics_of(&self, path: &str, workspace: &dyn Fn() -> Result<Arc<Workspace>>) -> Result<FileDiagnostics> {
        let file = self.open_found(path)?;
        let findings = self.diagnostics_within(&file, &CheckArea::ALL, workspace)?;
        Ok(FileDiagnostics { path: path.to_owned(), text: Arc::clone(&file.source.text), findings })
    }

    /// Returns the changed files, and the files whose links resolve to them before or after the change.
    fn affected_files<'a>(
        &self,
        edits: &[(&Source, &'a EditSet)],
        steps: &[Step],
        changed: &PreviewFiles,
        skipped: &mut Vec<String>,
    ) -> Result<Vec<AffectedFile<'a>>> {
        let edited: BTreeMap<&str, &'a EditSet> =
            edits.iter().map(|(source, edits)| (source.path.as_str(), *edits)).collect();
        let mut paths: BTreeSet<String> = edited.keys().map(|path| (*path).to_owned()).collect();
        let (mut gone, mut made) = (Vec::new(), Vec::new());
        for step in steps {
            match step {
                Step::Move { from, to, .. } => {
                    gone.push(from.as_str());
                    made.push(to.as_str());
                    let below = self.files.walk(from).unwrap_or_default();
                    paths.extend(below.into_iter().map(|stamp| stamp.path));
                    paths.insert(from.clone());
                }
                Step::Delete { path, .. } => gone.push(path),
                Step::Create { path, .. } | Step::Copy { to: path, .. } => made.push(path),
                Step::Edit { .. } => {}
            }
        }
        let workspace = self.workspace(DetailLevel::Links)?;
        let is_gone = |path: &str| gone.iter().any(|gone| path == *gone || is_below(path, gone));
        let will_be = |path: &str| made.iter().any(|made| may_resolve_to(path, made));
        let mut linking = BTreeSet::new();
        for entry in workspace.files() {
            let concerns = |target: &Target| match target {
                Target::Inside(path) => edited.contains_key(path.as_str()) || is_gone(path) || will_be(path),
                Target::Missing(path) => will_be(path),
                Target::External | Target::Unknown(_) => false,
            };
            if entry.targets.iter().flatten().any(concerns) && !paths.contains(&entry.path) {
                linking.insert(entry.path.clone());
            }
        }
        if linking.len() > MAX_LINKING_FILES {
            let files = pluralized(linking.len() - MAX_LINKING_FILES, "more file");
            skipped.push(format!("not checked: {files} that link to the changed ones (limit {MAX_LINKING_FILES})"));
        }
        paths.extend(linking.into_iter().take(MAX_LINKING_FILES));
        let moved = paths.into_iter().filter_map(|path| {
            let is_file = self.files.stat(&path) == Some(marquetry_model::ports::EntryKind::File);
            let after = changed.after(&path).filter(|_| is_file)?;
            Some(AffectedFile { edits: edited.get(path.as_str()).copied(), before: Some(path), after })
        });
        let new = made.iter().filter(|path| changed.is_new(path));
        let new = new.map(|path| {
            let before = (self.files.stat(path).is_some()).then(|| (*path).to_owned());
            AffectedFile { before, after: (*path).to_owned(), edits: None }
        });
        Ok(moved.chain(new).collect())
    }
}

impl Checked {
    /// Adds the differences of one file.
    fn add_differences(&mut self, before: FileDiagnostics, after: FileDiagnostics, edits: Option<&EditSet>) {
        let undeclared = names_without_declaration(&before, &after, edits);
        let (removed, mut added) = differences(before.findings.diagnostics, after.findings.diagnostics, edits);
        added.extend(undeclared);
        self.removed.extend(to_diagnostics(&before.path, &before.text, removed));
        self.added.extend(to_diagnostics(&after.path, &after.text, added));
    }

    /// Returns the new errors and broken links.
    fn new_errors(&self) -> Vec<&Diagnostic> {
        let is_dead = |diagnostic: &&Diagnostic| diagnostic.code.as_deref() == Some(UNRESOLVED);
        self.added.iter().filter(|diagnostic| diagnostic.severity == "error" || is_dead(diagnostic)).collect()
    }

    /// Refuses a change that adds errors or broken links.
    pub(crate) fn refuse_new_errors(&self, may_be_forced: bool) -> Result<()> {
        let broken = self.new_errors();
        if broken.is_empty() {
            return Ok(());
        }
        let place = |found: &&Diagnostic| {
            format!("{}:{}:{}: {} ({})", found.path, found.line, found.column, found.message, found.source)
        };
        let named = shorten_list(broken.iter().map(place).collect(), MAX_IN_MESSAGE);
        let again = if may_be_forced { "give `force: true`" } else { "leave out `check`" };
        Err(Error::new(
            Kind::RefactorFailed,
            format!("the change would add {}: {}", pluralized(broken.len(), "problem"), named.join("; ")),
        )
        .hint(format!(
            "nothing was written; repeat the call so that it also fixes these problems, or {again} to make the change \
             anyway"
        )))
    }

    /// Shortens the lists for the answer.
    pub(crate) fn truncated(mut self) -> Checked {
        for (list, what) in [(&mut self.added, "added"), (&mut self.removed, "removed")] {
            if list.len() > MAX_DIAGNOSTICS {
                self.skipped.push(format!("{} more problems of `{what}` are not shown", list.len() - MAX_DIAGNOSTICS));
                list.truncate(MAX_DIAGNOSTICS);
            }
        }
        self
    }
}

/// Returns whether a link to a path, with or without extension, may resolve to another path or into it.
fn may_resolve_to(link: &str, path: &str) -> bool {
    let rest = path.strip_prefix(link).or_else(|| link.strip_prefix(path));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/']))
}

/// Returns the uncertain diagnostics of names that lose their declaration: the change does not touch the name, and it
/// was declared before.
fn names_without_declaration(
    before: &FileDiagnostics,
    after: &FileDiagnostics,
    edits: Option<&EditSet>,
) -> Vec<RawDiagnostic> {
    let all_before = before.findings.diagnostics.iter().chain(&before.findings.uncertain);
    let undeclared_before: BTreeSet<usize> = all_before.map(|raw| raw.diagnostic.span.start).collect();
    let reported: BTreeSet<usize> = after.findings.diagnostics.iter().map(|raw| raw.diagnostic.span.start).collect();
    let is_lost = |raw: &&RawDiagnostic| {
        let Span { start, end } = raw.diagnostic.span;
        if reported.contains(&start) {
            return false;
        }
        let old = edits.map_or(Some(start), |edits| edits.offset_before(start));
        let name = after.text.get(start..end);
        old.is_some_and(|old| {
            before.text.get(old..old + (end - start)) == name && name.is_some() && !undeclared_before.contains(&old)
        })
    };
    after.findings.uncertain.iter().filter(is_lost).cloned().collect()
}

/// Returns the diagnostics that are in only one list. Two diagnostics are the same if their messages are equal, or if
/// they come from the same rule at the same position, because a message can contain a path that the change rewrites.
fn differences(
    before: Vec<RawDiagnostic>,
    after: Vec<RawDiagnostic>,
    edits: Option<&EditSet>,
) -> (Vec<RawDiagnostic>, Vec<RawDiagnostic>) {
    let message = |raw: &RawDiagnostic| Some((raw.diagnostic.code.clone(), raw.diagnostic.message.clone()));
    let (before, after) = unmatched(before, after, message, message);
    let rule = |raw: &RawDiagnostic, at: usize| raw.diagnostic.code.clone().map(|code| (code, at));
    unmatched(
        before,
        after,
        |raw| rule(raw, offset_after_edits(edits, raw.diagnostic.span.start)),
        |raw| rule(raw, raw.diagnostic.span.start),
    )
}

/// Removes pairs with equal keys from two lists. Items without a key are kept.
fn unmatched<K: Ord>(
    before: Vec<RawDiagnostic>,
    after: Vec<RawDiagnostic>,
    key_before: impl Fn(&RawDiagnostic) -> Option<K>,
    key_after: impl Fn(&RawDiagnostic) -> Option<K>,
) -> (Vec<RawDiagnostic>, Vec<RawDiagnostic>) {
    let mut partners: BTreeMap<K, Vec<RawDiagnostic>> = BTreeMap::new();
    let mut removed = Vec::new();
    for raw in before {
        match key_before(&raw) {
            Some(key) => partners.entry(key).or_default().push(raw),
            None => removed.push(raw),
        }
    }
    let mut added = after;
    added.retain(|raw| {
        let partner = key_after(raw).and_then(|key| partners.get_mut(&key)?.pop());
        partner.is_none()
    });
    removed.extend(partners.into_values().flatten());
    (removed, added)
}

/// Maps an offset to the text after the edits.
fn offset_after_edits(edits: Option<&EditSet>, at: usize) -> usize {
    let mut after = at;
    for edit in edits.iter().flat_map(|edits| edits.as_slice()) {
        if edit.span.end <= at {
            after = after + edit.text.len() - edit.span.len();
        } else if edit.span.start <= at {
            after -= at - edit.span.start;
        }
    }
    after
}
