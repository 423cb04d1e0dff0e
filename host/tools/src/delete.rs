//! `file_delete`: remove files, and the imports of them in other files.

use std::{collections::BTreeMap, sync::Arc};

use marquetry_graph::{Importer, Need};
use marquetry_model::{
    Change, Edit, Error, Kind, Result, Span, Step,
    pack::Subject,
    ports::{EntryKind, Files},
    text::Lines,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    relink::FileLinks,
    relocate::{edit_steps, existing},
    shape::counted,
    workbench::{Opened, Workbench},
};

/// Arguments of `file_delete`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteArgs {
    /// Absolute path of the project; by default the root the server was started with.
    pub root: Option<String>,
    /// The file or directory to delete.
    pub path: Option<String>,
    /// Several of them.
    pub paths: Option<Vec<String>>,
    /// Delete a directory with all that is in it.
    #[serde(default)]
    pub recursive: bool,
    /// Remove the imports of what is deleted (default true).
    pub update_imports: Option<bool>,
    /// Refuse while something still uses what is deleted.
    #[serde(default)]
    pub safe: bool,
    /// Show what would happen, write nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// Result of `file_delete`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteResult {
    /// Always true: a failure is an error.
    pub success: bool,
    /// What was deleted.
    pub deleted: Vec<String>,
    /// The files whose imports were removed.
    pub updated_files: Vec<UpdatedFile>,
    /// How many files were deleted.
    pub total_deleted: usize,
    /// How many imports were removed.
    pub total_imports_removed: usize,
    /// Uses that nothing stands behind any more: `file:line: text`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dangling: Vec<String>,
    /// Unified diff of the edits.
    pub diff: String,
    /// Give it to `file_undo` to take the change back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Nothing was written.
    pub dry_run: bool,
    /// Worth knowing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// One line for people.
    pub summary: String,
}

/// A file whose imports were removed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdatedFile {
    /// The file.
    pub file: String,
    /// What it no longer imports.
    pub removed_imports: Vec<RemovedImport>,
}

/// An import that was removed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RemovedImport {
    /// The name; `*` for the module as a whole.
    pub symbol: String,
    /// The specifier.
    pub from: String,
}

/// What the removal of links comes to.
#[derive(Default)]
struct Unlinked {
    files: BTreeMap<String, FileLinks>,
    updated: Vec<UpdatedFile>,
    dangling: Vec<String>,
}

impl Workbench {
    /// Delete files.
    pub fn delete(&self, args: &DeleteArgs) -> Result<DeleteResult> {
        let files = self.files(args.root.as_deref())?;
        let given: Vec<&String> = args.path.iter().chain(args.paths.iter().flatten()).collect();
        if given.is_empty() {
            return Err(Error::argument("`path` is missing").hint("name a file in `path`, or several in `paths`"));
        }
        let mut deleted = given.into_iter().map(|path| existing(&files, path)).collect::<Result<Vec<_>>>()?;
        deleted.sort();
        deleted.dedup();
        let inside: Vec<String> = deleted.clone();
        deleted.retain(|path| !inside.iter().any(|above| path.starts_with(&format!("{above}/"))));
        for path in &deleted {
            if files.stat(path) == Some(EntryKind::Directory) && !args.recursive && !files.entries(path).is_empty() {
                let entries = files.entries(path).into_iter().take(10).map(|(name, _)| format!("{path}/{name}"));
                return Err(Error::argument(format!("{path} is a directory that is not empty"))
                    .hint("give `recursive: true` to delete all that is in it")
                    .candidates(entries));
            }
        }
        let unlinked = if args.update_imports.unwrap_or(true) || args.safe {
            self.unlinked(&files, &deleted)?
        } else {
            Unlinked::default()
        };
        if args.safe {
            refuse_used(&deleted, &unlinked)?;
        }
        self.carry_out_delete(&files, args, deleted, unlinked)
    }

    fn carry_out_delete(
        &self,
        files: &Arc<dyn Files>,
        args: &DeleteArgs,
        deleted: Vec<String>,
        unlinked: Unlinked,
    ) -> Result<DeleteResult> {
        let edits = edit_steps(unlinked.files)?;
        let removed: usize = unlinked.updated.iter().map(|file| file.removed_imports.len()).sum();
        let total: usize = deleted.iter().map(|path| count(files, path)).sum();
        let summary = format!("Deleted {}, removed {}", counted(total, "file"), counted(removed, "import"));
        let mut steps = edits.steps;
        steps.extend(deleted.iter().map(|path| Step::Delete { path: path.clone(), recursive: args.recursive }));
        let title = format!("Deleted {}", deleted.join(", "));
        let applied = files.apply(&Change { title, steps }, args.dry_run, &self.work)?;
        Ok(DeleteResult {
            success: true,
            total_deleted: total,
            total_imports_removed: removed,
            updated_files: unlinked.updated,
            dangling: unlinked.dangling,
            diff: edits.diff,
            id: applied.id,
            dry_run: args.dry_run,
            warnings: edits.warnings,
            summary,
            deleted,
        })
    }

    /// The imports of what goes, removed; and what their names are still used for.
    fn unlinked(&self, files: &Arc<dyn Files>, deleted: &[String]) -> Result<Unlinked> {
        let workspace = self.workspace(files, Need::Links)?;
        let goes = |path: &str| deleted.iter().any(|gone| path == gone || path.starts_with(&format!("{gone}/")));
        let mut unlinked = Unlinked::default();
        let mut by_file: BTreeMap<String, Vec<Importer<'_>>> = BTreeMap::new();
        let gone = workspace.files().map(|entry| entry.path.clone()).filter(|path| goes(path));
        for path in gone.chain(deleted.iter().cloned()).collect::<std::collections::BTreeSet<_>>() {
            for importer in workspace.importers(&path) {
                if !goes(&importer.file.path) {
                    by_file.entry(importer.file.path.clone()).or_default().push(importer);
                }
            }
        }
        let stage = self.work.stage("removing imports", by_file.len());
        for (file, importers) in by_file {
            stage.step()?;
            self.unlink_file(files, &file, importers, &mut unlinked)?;
        }
        Ok(unlinked)
    }

    fn unlink_file(
        &self,
        files: &Arc<dyn Files>,
        file: &str,
        mut importers: Vec<Importer<'_>>,
        unlinked: &mut Unlinked,
    ) -> Result<()> {
        importers.sort_by_key(|importer| importer.index);
        importers.dedup_by_key(|importer| importer.index);
        let opened = self.open_in(files, file)?;
        if importers.first().is_some_and(|importer| importer.file.hash != opened.source.hash) {
            return Err(Error::new(Kind::Stale, format!("{file} changed in the meantime")).hint("repeat the call"));
        }
        let mut edits = Vec::new();
        let mut removed = Vec::new();
        let mut document = opened.pack.open(file, &opened.source.text)?;
        let indices: Vec<u32> = importers.iter().filter_map(|importer| u32::try_from(importer.index).ok()).collect();
        match document.unlink(&indices) {
            Ok(all) => {
                edits = all;
                removed.extend(importers.iter());
            }
            // One of them cannot be removed: the others can.
            Err(_) => {
                for importer in &importers {
                    match document.unlink(&[u32::try_from(importer.index).unwrap_or(u32::MAX)]) {
                        Ok(some) => {
                            edits.extend(some);
                            removed.push(importer);
                        }
                        Err(error) => {
                            unlinked.dangling.push(format!("{}: {error}", line_of(&opened, importer.link.span())))
                        }
                    }
                }
            }
        }
        drop(document);
        self.dangling_uses(&opened, &removed, &edits, unlinked)?;
        if edits.is_empty() {
            return Ok(());
        }
        let shown = removed.iter().flat_map(|importer| {
            let from = importer.link.specifier.clone();
            let names = if importer.link.names.is_empty() { vec!["*".to_owned()] } else { importer.link.names.clone() };
            names.into_iter().map(move |symbol| RemovedImport { symbol, from: from.clone() })
        });
        unlinked.updated.push(UpdatedFile { file: file.to_owned(), removed_imports: shown.collect() });
        let part = FileLinks {
            text: Arc::clone(&opened.source.text),
            hash: opened.source.hash.clone(),
            edits,
            changes: Vec::new(),
        };
        unlinked.files.insert(file.to_owned(), part);
        Ok(())
    }

    /// Where the names of removed imports are still used.
    fn dangling_uses(
        &self,
        opened: &Opened,
        removed: &[&Importer<'_>],
        edits: &[Edit],
        unlinked: &mut Unlinked,
    ) -> Result<()> {
        if !opened.pack.has("symbols") {
            return Ok(());
        }
        let mut document = opened.pack.open(&opened.source.path, &opened.source.text)?;
        for importer in removed {
            for name in &importer.link.names {
                let subject =
                    Subject::Imported { specifiers: vec![importer.link.specifier.clone()], name: name.clone() };
                let Ok(found) = document.resolve_symbol(&subject) else { continue };
                let left =
                    found.occurrences.iter().filter(|place| !edits.iter().any(|edit| edit.span.holds(place.span)));
                unlinked.dangling.extend(left.map(|place| line_of(opened, place.span)));
            }
        }
        unlinked.dangling.sort();
        unlinked.dangling.dedup();
        Ok(())
    }
}

fn line_of(opened: &Opened, span: Span) -> String {
    let lines = Lines::new(&opened.source.text);
    let line = lines.position(span.start).line;
    let text = lines.line(line).map_or("", |line| line.of(&opened.source.text)).trim();
    format!("{}:{line}: {text}", opened.source.path)
}

fn count(files: &Arc<dyn Files>, path: &str) -> usize {
    match files.stat(path) {
        Some(EntryKind::Directory) => {
            files.entries(path).iter().map(|(name, _)| count(files, &format!("{path}/{name}"))).sum()
        }
        _ => 1,
    }
}

fn refuse_used(deleted: &[String], unlinked: &Unlinked) -> Result<()> {
    let mut users: Vec<String> = unlinked.updated.iter().map(|file| file.file.clone()).collect();
    users.extend(unlinked.dangling.iter().cloned());
    if users.is_empty() {
        return Ok(());
    }
    Err(Error::new(
        Kind::RefactorFailed,
        format!("{} is still used in {}", deleted.join(", "), counted(users.len(), "place")),
    )
    .hint("remove the uses first, or delete without `safe`; the candidates are the users")
    .candidates(users))
}
