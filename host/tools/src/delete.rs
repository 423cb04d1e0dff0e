//! `file_delete`: deletes files and removes imports of them from other files.

use std::collections::{BTreeMap, BTreeSet};

use marquetry_graph::{DetailLevel, Importer, Target, Workspace};
use marquetry_model::{
    Error, Kind, Result, Step,
    ports::{EntryKind, Files},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    change_queue::Scope,
    change_report::ChangeReport,
    contributions::{Contributions, UnresolvedPlace},
    draft::{Commit, Draft, changed_meanwhile},
    line_numbers::LineNumbers,
    link_kinds::GLOB,
    mentioned_paths::{MentionedPath, RelocatedPaths},
    pagination::ByteBudget,
    preview::Check,
    reference_search::ends_call,
    relocate::{PACKS, completeness, require_all_read, unread_files},
    result_types::pluralized,
    session::{Session, Writing},
    unresolved_references::UnresolvedReferences,
};

/// Arguments of `file_delete`.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteArgs {
    /// Project root (default: the server's).
    pub root: Option<String>,
    /// File or directory to delete.
    pub path: Option<String>,
    /// Several paths to delete.
    pub paths: Option<Vec<String>>,
    /// Delete directories with their contents.
    #[serde(default)]
    pub recursive: bool,
    /// Remove imports of deleted files (default true).
    pub update_imports: Option<bool>,
    /// Refuse if anything still uses it.
    #[serde(default)]
    pub safe: bool,
    /// Report problems added and fixed; refuse new errors.
    #[serde(default)]
    pub check: bool,
    /// Write nothing, show the result.
    #[serde(default)]
    pub dry_run: bool,
    /// Maximum bytes of diff and lists.
    pub max_bytes: Option<usize>,
}

/// Result of `file_delete`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteResult {
    /// Always true; failures are returned as errors.
    pub success: bool,
    /// Deleted paths.
    pub deleted: Vec<String>,
    /// Files whose imports were removed.
    pub updated_files: Vec<UpdatedFile>,
    /// Number of deleted files.
    pub total_deleted: usize,
    /// Number of removed imports.
    pub total_imports_removed: usize,
    /// References that are unresolved now: `file:line: text`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dangling: Vec<String>,
    /// Diff, id and warnings.
    #[serde(flatten)]
    pub report: ChangeReport,
    /// `complete` if no reference to a deleted file is left, else `partial: reason`.
    pub completeness: String,
    /// Always `packs`: the packs of the files find and remove the imports.
    pub engine: &'static str,
    /// Summary in one line.
    pub summary: String,
}

/// A file whose imports were removed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdatedFile {
    /// Path of the file.
    pub file: String,
    /// Removed imports.
    pub removed_imports: Vec<RemovedImport>,
}

/// A removed import.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RemovedImport {
    /// The imported name; `*` for the whole module.
    pub symbol: String,
    /// The specifier.
    pub from: String,
}

/// Result of removing links.
#[derive(Default)]
struct UnlinkResult {
    draft: Draft,
    updated: Vec<UpdatedFile>,
    dangling: UnresolvedReferences,
    /// Unresolved references as text.
    unresolved: Vec<String>,
    doubts: Vec<String>,
}

impl Session {
    /// Deletes files.
    pub(crate) fn delete(&self, args: &DeleteArgs) -> Result<DeleteResult> {
        let given: Vec<&String> = args.path.iter().chain(args.paths.iter().flatten()).collect();
        if given.is_empty() {
            return Err(Error::argument("`path` is missing").hint("name a file in `path`, or several in `paths`"));
        }
        let writing = Writing { scope: Scope::Root, dry_run: args.dry_run, hash_expected: false };
        self.run_change(writing, || self.delete_once(&given, args))
    }

    fn delete_once(&self, given: &[&String], args: &DeleteArgs) -> Result<DeleteResult> {
        let deleted = given.iter().map(|path| self.existing_path(path)).collect::<Result<BTreeSet<_>>>()?;
        let is_outermost = |path: &&String| !deleted.iter().any(|above| path.starts_with(&format!("{above}/")));
        let deleted: Vec<String> = deleted.iter().filter(is_outermost).cloned().collect();
        for path in &deleted {
            self.refuse_full_directory(path, args.recursive)?;
        }
        let unlinked = if args.update_imports.unwrap_or(true) || args.safe {
            self.remove_imports(&deleted, args.safe)?
        } else {
            let doubts = vec!["imports were left as they are (`updateImports: false`)".to_owned()];
            UnlinkResult { doubts, ..UnlinkResult::default() }
        };
        if args.safe {
            refuse_if_used(&deleted, &unlinked)?;
        }
        self.commit_deletion(args, deleted, unlinked)
    }

    fn refuse_full_directory(&self, path: &str, recursive: bool) -> Result<()> {
        let files = &self.files;
        if recursive || files.stat(path) != Some(EntryKind::Directory) || files.entries(path).is_empty() {
            return Ok(());
        }
        let entries = files.entries(path).into_iter().take(10).map(|(name, _)| format!("{path}/{name}"));
        Err(Error::argument(format!("{path} is a directory that is not empty"))
            .hint("give `recursive: true` to delete its contents, too")
            .candidates(entries))
    }

    fn commit_deletion(&self, args: &DeleteArgs, deleted: Vec<String>, unlinked: UnlinkResult) -> Result<DeleteResult> {
        let UnlinkResult { mut draft, updated, unresolved: dangling, mut doubts, .. } = unlinked;
        let removed: usize = updated.iter().map(|file| file.removed_imports.len()).sum();
        let total: usize = deleted.iter().map(|path| count_files(self.files.as_ref(), path)).sum();
        for path in &deleted {
            draft.add_step(Step::Delete { path: path.clone(), recursive: args.recursive });
        }
        let commit = Commit { dry_run: args.dry_run, preview: false, check: Check::refusing(args.check) };
        let committed = draft.commit(self, format!("Deleted {}", deleted.join(", ")), commit)?;
        if !dangling.is_empty() {
            doubts.push(format!("{} left without a definition", pluralized(dangling.len(), "use")));
        }
        let mut room = ByteBudget::of_change(args.max_bytes.or(self.max_bytes));
        let dangling = room.list("uses of `dangling`", dangling);
        let diff = room.diff(&committed.diffs);
        Ok(DeleteResult {
            success: true,
            total_deleted: total,
            total_imports_removed: removed,
            updated_files: room.list("files of `updatedFiles`", updated),
            dangling,
            report: ChangeReport::new(committed, diff, args.dry_run, &room),
            completeness: completeness(&doubts),
            engine: PACKS,
            summary: format!("Deleted {}, removed {}", pluralized(total, "file"), pluralized(removed, "import")),
            deleted,
        })
    }

    /// Removes the imports of the deleted files, and collects references to names from these files. With `before`, their
    /// lines are those before the removals.
    fn remove_imports(&self, deleted: &[String], before: bool) -> Result<UnlinkResult> {
        let workspace = self.workspace(DetailLevel::Links)?;
        require_all_read(&workspace)?;
        let goes = |path: &str| deleted.iter().any(|gone| path == gone || path.starts_with(&format!("{gone}/")));
        let mut unlinked =
            UnlinkResult { doubts: unread_files(&workspace).into_iter().collect(), ..UnlinkResult::default() };
        let mut by_file: BTreeMap<String, Vec<Importer<'_>>> = BTreeMap::new();
        let gone = workspace.files().map(|entry| entry.path.clone()).filter(|path| goes(path));
        for path in gone.chain(deleted.iter().cloned()).collect::<BTreeSet<_>>() {
            for importer in workspace.importers(&path) {
                if !goes(&importer.file.path) {
                    by_file.entry(importer.file.path.clone()).or_default().push(importer);
                }
            }
        }
        for importer in self.importers_of_emptied_folders(&workspace, deleted, goes)? {
            by_file.entry(importer.file.path.clone()).or_default().push(importer);
        }
        let stage = self.work.stage("removing imports", by_file.len());
        for (path, importers) in by_file {
            stage.step()?;
            self.unlink_file(&path, importers, &mut unlinked)?;
        }
        self.follow_lost_exports(&workspace, goes, &unlinked.draft, &mut unlinked.dangling)?;
        self.collect_lost_globals(&workspace, goes, &unlinked.draft, &mut unlinked.dangling)?;
        let lost = (&unlinked.draft, &mut unlinked.dangling);
        unlinked.doubts.extend(self.collect_lost_declarations(&workspace, deleted, goes, lost)?);
        let unchanged = Draft::default();
        let dangling = unlinked.dangling.descriptions(self, if before { &unchanged } else { &unlinked.draft });
        unlinked.unresolved.extend(dangling);
        let paths: Vec<&str> = deleted.iter().map(String::as_str).collect();
        let going = RelocatedPaths::deleting(&workspace, &paths);
        unlinked.unresolved.extend(self.possible_links(&workspace, &going));
        unlinked.unresolved.extend(self.patterns_of_deleted_files(&workspace, deleted, goes)?);
        let mentioned = self.mentioned_paths(&going)?;
        let mut mentions = self.module_mentions(&workspace, &paths)?;
        mentions.remove_listed(&mentioned.places);
        unlinked.doubts.extend(mentions.doubts());
        unlinked.unresolved.extend(mentions.found.iter().map(|(mention, name)| mention.location_text(name)));
        unlinked.doubts.extend(mentioned.unread);
        let mentioned = mentioned.places.into_iter();
        unlinked
            .unresolved
            .extend(mentioned.map(|MentionedPath { file, line, path, .. }| format!("{file}:{line}: {path}")));
        Ok(unlinked)
    }

    /// Links of remaining files that no pack could resolve and that may point to a deleted file.
    fn possible_links(&self, workspace: &Workspace, going: &RelocatedPaths<'_>) -> Vec<String> {
        let mut lines = LineNumbers::default();
        let mut found = Vec::new();
        for entry in workspace.files().filter(|entry| !going.is_relocated(&entry.path)) {
            for (link, target) in entry.links.iter().flatten().zip(entry.targets.iter().flatten()) {
                let may_be = match target {
                    Target::Unknown(_) => going.may_refer_to(entry, link),
                    Target::External => going.is_aliased(entry, link),
                    Target::Missing(_) => going.has_alias_mark(link),
                    Target::Inside(_) => false,
                };
                if may_be {
                    let line = lines.line(&*self.files, &entry.path, link.span().start).unwrap_or(1);
                    found.push(format!("{}:{line}: {}", entry.path, link.specifier));
                }
            }
        }
        found
    }

    fn unlink_file(&self, path: &str, mut importers: Vec<Importer<'_>>, unlinked: &mut UnlinkResult) -> Result<()> {
        importers.sort_by_key(|importer| importer.index);
        importers.dedup_by_key(|importer| importer.index);
        let file = self.open_found(path)?;
        if importers.first().is_some_and(|importer| importer.file.hash != file.source.hash) {
            return Err(changed_meanwhile(path));
        }
        let mut rewrites = Vec::new();
        let mut removed = Vec::new();
        let index = |importer: &Importer<'_>| u32::try_from(importer.index).unwrap_or(u32::MAX);
        let indices: Vec<u32> = importers.iter().map(index).collect();
        match file.ask(|document| document.remove_links(&indices)) {
            Ok(all) => {
                rewrites.push(all);
                removed.extend(importers.iter());
            }
            Err(error) if ends_call(&error) => return Err(error),
            // Links that cannot be removed are kept. The others are removed by one request, so that their edits fit
            // together.
            Err(_) => {
                for importer in &importers {
                    match file.ask(|document| document.remove_links(&[index(importer)])) {
                        Ok(_) => removed.push(importer),
                        Err(error) if ends_call(&error) => return Err(error),
                        Err(error) => unlinked.dangling.add_kept_link(&file, importer.link.span(), &error),
                    }
                }
                let rest: Vec<u32> = removed.iter().copied().map(index).collect();
                match file.ask(|document| document.remove_links(&rest)) {
                    _ if rest.is_empty() => {}
                    Ok(rewrite) => rewrites.push(rewrite),
                    Err(error) if ends_call(&error) => return Err(error),
                    Err(error) => {
                        for importer in std::mem::take(&mut removed) {
                            unlinked.dangling.add_kept_link(&file, importer.link.span(), &error);
                        }
                    }
                }
            }
        }
        let mut scope = None;
        let mut contributions = Contributions::new(self, &mut scope, true);
        for rewrite in rewrites {
            contributions.add(&file, rewrite)?;
        }
        contributions.ask_other_documents()?;
        unlinked.doubts.extend(contributions.partial.take());
        unlinked.unresolved.extend(contributions.unresolved.iter().map(UnresolvedPlace::location));
        for (path, text) in contributions.new_files {
            unlinked.draft.create(path, text);
        }
        let edits = contributions.draft.edits_of(path).cloned().unwrap_or_default();
        for (source, others) in contributions.draft.into_edits().filter(|(source, _)| source.path != path) {
            unlinked.draft.edit(&source, others)?;
        }
        self.collect_losses(&file, &removed, &edits, &mut unlinked.dangling)?;
        if edits.is_empty() {
            return Ok(());
        }
        // If a glob has the same specifier as a removed link, only the link is listed.
        let is_shown = |importer: &&&Importer<'_>| {
            let (kind, specifier) = (&importer.link.kind, &importer.link.specifier);
            let names_same = |other: &&Importer<'_>| other.link.kind != GLOB && other.link.specifier == *specifier;
            kind != GLOB || !removed.iter().any(names_same)
        };
        let shown = removed.iter().filter(is_shown).flat_map(|importer| {
            let from = importer.link.specifier.clone();
            let names = if importer.link.names.is_empty() { vec!["*".to_owned()] } else { importer.link.names() };
            names.into_iter().map(move |symbol| RemovedImport { symbol, from: from.clone() })
        });
        unlinked.updated.push(UpdatedFile { file: path.to_owned(), removed_imports: shown.collect() });
        unlinked.draft.edit(&file.source, edits)
    }
}

fn count_files(files: &dyn Files, path: &str) -> usize {
    match files.stat(path) {
        Some(EntryKind::Directory) => {
            files.entries(path).iter().map(|(name, _)| count_files(files, &format!("{path}/{name}"))).sum()
        }
        _ => 1,
    }
}

fn refuse_if_used(deleted: &[String], unlinked: &UnlinkResult) -> Result<()> {
    let mut users: Vec<String> = unlinked.updated.iter().map(|file| file.file.clone()).collect();
    users.extend(unlinked.unresolved.iter().cloned());
    if users.is_empty() {
        return Ok(());
    }
    Err(Error::new(
        Kind::RefactorFailed,
        format!("{} is still used in {}", deleted.join(", "), pluralized(users.len(), "place")),
    )
    .hint("remove the uses first, or delete without `safe`; the candidates use it")
    .candidates(users))
}
