//! `file_move` and `file_rename`: moves a file or folder and updates all links to it.

mod additional_moves;
mod arguments;
mod extension;
mod symbol_file;

use std::collections::{BTreeMap, BTreeSet, HashSet};

pub use self::arguments::{MoveArgs, MovePair, MoveResult, RenameArgs, RenameResult};
use self::extension::{kept_extension, last};
pub(crate) use self::symbol_file::SymbolFile;
use marquetry_graph::{DetailLevel, Workspace};
use marquetry_model::{Error, Interface, Kind, Relocation, Relocations, Result, Step, pack::Subject, ports::EntryKind};

use crate::{
    change_queue::Scope,
    change_report::ChangeReport,
    draft::{Commit, Draft},
    main_export,
    mentioned_paths::{MentionedPath, RelocatedPaths},
    pagination::ByteBudget,
    preview::Check,
    relink::{OldNew, UpdatedLinks, folder_moves},
    rename_symbol::RenameScope,
    result_types::{FileChange, differ_in_case, pluralized},
    session::{Session, Writing},
};

/// Engine name for changes in files of several formats.
pub(crate) const PACKS: &str = "packs";

/// Parameters of a move or rename.
struct RelocationRequest<'a> {
    moves: Relocations,
    /// The rename of the single path, for `file_rename`.
    renamed: Option<Relocation>,
    warnings: Vec<String>,
    update: bool,
    overwrite: bool,
    /// Exports to rename with the file, and whether to rename the main export.
    exports: Option<&'a BTreeMap<String, String>>,
    main_export: bool,
    commit: Commit,
    /// For the rename of a symbol, the file that declares it: the result has its hash, and all edits.
    declaring: Option<&'a str>,
    room: ByteBudget,
}

/// Result of a move or rename.
struct RelocationResult {
    imports_updated: Vec<UpdatedLinks>,
    exports_renamed: Vec<UpdatedLinks>,
    files: usize,
    changes: Vec<FileChange>,
    hash: Option<String>,
    unresolved: Vec<String>,
    completeness: String,
    summary: String,
    report: ChangeReport,
}

impl Session {
    /// Moves files or directories.
    pub(crate) fn move_path(&self, args: &MoveArgs) -> Result<MoveResult> {
        let writing = Writing { scope: Scope::Root, dry_run: args.dry_run, hash_expected: false };
        self.run_change(writing, || {
            let pairs = self.pairs(args)?;
            let relocation = |pair: &MovePair| Relocation { from: pair.source.clone(), to: pair.destination.clone() };
            let moves = Relocations::new(pairs.iter().map(relocation).collect())?;
            let request = RelocationRequest {
                warnings: pairs
                    .iter()
                    .filter_map(|pair| self.dropped_extension(&pair.source, &pair.destination))
                    .collect(),
                moves,
                renamed: None,
                update: args.update_imports.unwrap_or(true),
                overwrite: args.overwrite,
                exports: None,
                main_export: false,
                commit: commit(args.dry_run, args.check),
                declaring: None,
                room: ByteBudget::of_change(args.max_bytes.or(self.max_bytes)),
            };
            let MovePair { source, destination } = pairs.first().cloned().unwrap_or_default();
            let what = match pairs.len() {
                1 => format!("{source} to {destination}"),
                more => pluralized(more, "path"),
            };
            let done = self.relocate(request, &destination, |links, files, _| {
                format!("Moved {what}, updated {} in {}", pluralized(links, "link"), pluralized(files, "file"))
            })?;
            Ok(MoveResult {
                success: true,
                moved: !args.dry_run && pairs.iter().any(|pair| pair.source != pair.destination),
                moves: if args.moves.is_some() { pairs } else { Vec::new() },
                total_files_updated: done.files,
                imports_updated: done.imports_updated,
                unresolved: done.unresolved,
                report: done.report,
                completeness: done.completeness,
                engine: PACKS,
                summary: done.summary,
                source,
                destination,
            })
        })
    }

    /// Returns the moves with their final destinations.
    fn pairs(&self, args: &MoveArgs) -> Result<Vec<MovePair>> {
        let given = match (&args.source, &args.destination, &args.moves) {
            (Some(source), Some(destination), None) => {
                vec![MovePair { source: source.clone(), destination: destination.clone() }]
            }
            (None, None, Some(moves)) if !moves.is_empty() => moves.clone(),
            _ => {
                return Err(Error::argument("give `source` and `destination`, or `moves`")
                    .hint("give `source` and `destination`, or several such pairs in `moves`"));
            }
        };
        let located = given.iter().map(|pair| {
            for (name, path) in [("source", &pair.source), ("destination", &pair.destination)] {
                if path.is_empty() {
                    return Err(Error::argument(format!("`{name}` is empty")).hint("`.` is the root of the project"));
                }
            }
            let source = self.existing_path(&pair.source)?;
            let destination = self.destination(&source, &pair.destination)?;
            Ok(MovePair { source, destination })
        });
        located.collect()
    }

    /// Warns about a moved or copied file that loses its extension, because that usually changes its language.
    pub(crate) fn dropped_extension(&self, source: &str, destination: &str) -> Option<String> {
        let dropped = kept_extension(source, last(destination))?;
        let is_file = self.files.stat(source) == Some(EntryKind::File);
        is_file.then(|| {
            format!("{destination} has no extension, but {source} has; did you mean `{destination}{dropped}`?")
        })
    }

    /// Renames a file or directory.
    pub(crate) fn rename_path(&self, args: &RenameArgs) -> Result<RenameResult> {
        check_file_name(&args.new_name)?;
        let writing = Writing { scope: Scope::Root, dry_run: args.dry_run, hash_expected: false };
        self.run_change(writing, || {
            let old_path = self.existing_path(&args.path)?;
            let is_file = self.files.stat(&old_path) == Some(EntryKind::File);
            let kept = kept_extension(&old_path, &args.new_name).filter(|_| is_file);
            let new_name = format!("{}{}", args.new_name, kept.unwrap_or_default());
            let new_path = match old_path.rsplit_once('/') {
                Some((folder, _)) => format!("{folder}/{new_name}"),
                None => new_name,
            };
            let relocation = Relocation { from: old_path.clone(), to: new_path.clone() };
            let kept = kept.map(|extension| format!("the extension `{extension}` was kept; use file_move to drop it"));
            let request = RelocationRequest {
                moves: Relocations::new(vec![relocation.clone()])?,
                renamed: Some(relocation),
                warnings: kept.into_iter().collect(),
                update: args.update_imports.unwrap_or(true),
                overwrite: args.overwrite,
                exports: args.export_mapping.as_ref(),
                main_export: args.rename_exports,
                commit: commit(args.dry_run, args.check),
                declaring: None,
                room: ByteBudget::of_change(args.max_bytes.or(self.max_bytes)),
            };
            let done = self.relocate(request, &new_path, |links, _, symbols| {
                let renamed =
                    if symbols > 0 { format!(", renamed {}", pluralized(symbols, "symbol")) } else { String::new() };
                format!("Renamed {old_path} to {new_path}, updated {}{renamed}", pluralized(links, "link"))
            })?;
            Ok(RenameResult {
                success: true,
                renamed: !args.dry_run && old_path != new_path,
                imports_updated: done.imports_updated,
                exports_renamed: done.exports_renamed,
                total_files_updated: done.files,
                unresolved: done.unresolved,
                report: done.report,
                completeness: done.completeness,
                engine: PACKS,
                summary: done.summary,
                old_path,
                new_path,
            })
        })
    }

    /// Moves files, updates links to them, and renames exports as requested.
    fn relocate(
        &self,
        mut request: RelocationRequest<'_>,
        destination: &str,
        summary: impl Fn(usize, usize, usize) -> String,
    ) -> Result<RelocationResult> {
        let mut room = std::mem::replace(&mut request.room, ByteBudget::new(None));
        self.add_moves(&mut request)?;
        let moves = &request.moves;
        let stays = moves.is_empty();
        let mut draft = Draft::default();
        request.warnings.iter().for_each(|warning| draft.warn(warning.clone()));
        let (mut unresolved, mut imports_updated, mut new_files) = (Vec::new(), Vec::new(), Vec::new());
        let mut doubts: Vec<String> = Vec::new();
        if stays {
            // Nothing moves, so no link changes.
        } else if request.update {
            let workspace = self.workspace(DetailLevel::Links)?;
            require_all_read(&workspace)?;
            let with_folders = folder_moves::with_folders(&workspace, moves);
            let mut relinked = self.relink(&workspace, moves, &with_folders)?;
            unresolved.append(&mut relinked.unresolved);
            doubts.extend(relinked.partial.take());
            new_files = std::mem::take(&mut relinked.new_files);
            let mentioned = self.mentioned_paths(&RelocatedPaths::moving(&workspace, &with_folders))?;
            let sources: Vec<&str> = moves.as_slice().iter().map(|relocation| relocation.from.as_str()).collect();
            let mut mentions = self.module_mentions(&workspace, &sources)?;
            mentions.remove_listed(&mentioned.places);
            doubts.extend(mentioned.unread);
            unresolved.extend(mentioned.places.into_iter().map(|place| {
                let MentionedPath { file, line, path, why } = place;
                format!("{}:{line}: {path}: {why}", moves.path_after(&file))
            }));
            doubts.extend(mentions.doubts());
            unresolved.extend(mentions.found.iter().map(|(mention, name)| mention.location_text(name)));
            doubts.extend(unread_files(&workspace));
            for relocation in moves.as_slice() {
                if request.overwrite {
                    unresolved.extend(self.missing_imports(&workspace, relocation)?);
                }
                doubts.extend(self.language_change_warning(&workspace, relocation)?);
            }
            imports_updated = relinked.into_draft(&mut draft, |path| moves.path_after(path))?;
        } else {
            doubts.push("links were left as they are (`updateImports: false`)".to_owned());
        }
        let exports_renamed = self.rename_exports(&request, &mut draft, &mut doubts)?;
        let links = imports_updated.iter().map(|file| file.changes.len()).sum();
        let symbols = exports_renamed.iter().map(|file| file.changes.len()).sum();
        let files = draft.edited().len();
        add_steps(&mut draft, &request, new_files);
        let done = match (stays, symbols) {
            (true, 0) => format!("Nothing to change: the path is already {destination}"),
            _ => summary(links, imports_updated.len(), symbols),
        };
        let mut committed = draft.commit(self, done, request.commit)?;
        // A reference can have several links, such as one for each module in a path.
        let mut listed = HashSet::new();
        unresolved.retain(|entry| listed.insert(entry.clone()));
        if !unresolved.is_empty() {
            doubts.push(format!("{} could not be updated", pluralized(unresolved.len(), "link")));
        }
        let diff = room.diff(&committed.diffs);
        let changes = std::mem::take(&mut committed.changes);
        let changes = request.declaring.map(|_| room.list("files of `changes`", changes)).unwrap_or_default();
        Ok(RelocationResult {
            imports_updated: room.list("files of `importsUpdated`", imports_updated),
            exports_renamed: room.list("files of `exportsRenamed`", exports_renamed),
            unresolved: room.list("links of `unresolved`", unresolved),
            completeness: completeness(&doubts),
            files,
            summary: committed.title.clone(),
            hash: request.declaring.and_then(|path| committed.hash_of(path)),
            changes,
            report: ChangeReport::new(committed, diff, request.commit.dry_run, &room),
        })
    }

    /// Warning about links that import names from a file whose language changes.
    fn language_change_warning(&self, workspace: &Workspace, relocation: &Relocation) -> Result<Option<String>> {
        let Some(entry) = workspace.file(&relocation.from) else { return Ok(None) };
        let pack = self.packs.for_path(&self.files, &relocation.to).map(|pack| pack.identity());
        if pack.as_ref().is_ok_and(|pack| *pack == entry.engine) {
            return Ok(None);
        }
        let importers = workspace.importers(&relocation.from);
        let users = importers.iter().filter(|importer| !importer.link.names.is_empty()).count();
        Ok((users > 0).then(|| {
            let names = pluralized(users, "link");
            format!("{} has another language under its new name, but {names} import names from it", relocation.to)
        }))
    }

    /// Returns whether the folder of a path lists the path with exactly this case.
    fn is_listed(&self, path: &str) -> bool {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        self.files.entries(above).iter().any(|(known, _)| known == name)
    }

    /// Returns the path after a move. `given` is the new path, or the folder into which the file is moved.
    fn destination(&self, source: &str, given: &str) -> Result<String> {
        let name = source.rsplit('/').next().unwrap_or(source);
        let to = self.files.locate(given.trim_end_matches('/'))?;
        // On a case-insensitive file system, a folder's own name in another case refers to the folder itself.
        let is_itself = to == source || (differ_in_case(source, &to) && !self.is_listed(&to));
        let into = given.ends_with('/') || (self.files.stat(&to) == Some(EntryKind::Directory) && !is_itself);
        Ok(match (into, to.is_empty()) {
            (true, true) => name.to_owned(),
            (true, false) => format!("{to}/{name}"),
            _ => to,
        })
    }

    /// Lists names that files import from a replaced file and that the new file does not export.
    fn missing_imports(&self, workspace: &Workspace, relocation: &Relocation) -> Result<Vec<String>> {
        let importers = workspace.importers(&relocation.to);
        if importers.is_empty() || self.files.stat(&relocation.from) != Some(EntryKind::File) {
            return Ok(Vec::new());
        }
        let file = self.open(&relocation.from)?;
        if !file.has(Interface::Symbols) {
            return Ok(Vec::new());
        }
        let facts = file.ask(|document| document.exports_and_imports())?;
        let exports: BTreeSet<String> = facts.exports.into_iter().map(|export| export.name).collect();
        let mut orphans = Vec::new();
        for importer in importers {
            let missing = importer.link.names.iter().filter(|name| !name.starts_with('*') && !exports.contains(*name));
            orphans.extend(missing.map(|name| {
                let (path, specifier) = (&importer.file.path, &importer.link.specifier);
                format!("{path}: {specifier}: `{name}` is not exported by the file that replaces {}", relocation.to)
            }));
        }
        Ok(orphans)
    }

    /// Renames exports together with their file.
    fn rename_exports(
        &self,
        request: &RelocationRequest<'_>,
        draft: &mut Draft,
        doubts: &mut Vec<String>,
    ) -> Result<Vec<UpdatedLinks>> {
        let Some(relocation) = &request.renamed else { return Ok(Vec::new()) };
        let mut mapping = request.exports.cloned().unwrap_or_default();
        if mapping.is_empty() && !request.main_export {
            return Ok(Vec::new());
        }
        if self.files.stat(&relocation.from) != Some(EntryKind::File) {
            draft.warn(format!("{} is a directory: no exports were renamed", relocation.from));
            return Ok(Vec::new());
        }
        let file = self.open(&relocation.from)?;
        if request.main_export {
            match main_export::renamed_main_export(&file, main_export::stem(&relocation.to))? {
                Some((old, new)) => {
                    mapping.entry(old).or_insert(new);
                }
                None => draft.warn(main_export::not_renamed_warning(&relocation.from)),
            }
        }
        let mut shown = Vec::new();
        for (old, new) in &mapping {
            let renamed = self.rename_everywhere(&file, Subject::Address(old.clone()), new, RenameScope::default())?;
            if let Some(own) = renamed.file {
                let message = format!("`{old}` has the name of {own}");
                return Err(Error::new(Kind::Unsupported, message).hint("rename that file with `file_rename`"));
            }
            if !renamed.unresolved.is_empty() {
                let places = pluralized(renamed.unresolved.len(), "place");
                doubts.push(format!("not changed: {places} with the name `{old}` that may refer to the export"));
            }
            doubts.extend(renamed.partial.iter().cloned());
            for place in &renamed.unrenamed_exports {
                draft.warn(format!("kept: {place} re-exports it as `{old}`"));
            }
            for place in &renamed.unresolved {
                draft.warn(format!("unresolved: {place}: this `{old}` may not be the renamed one"));
            }
            for (source, edits) in renamed.draft.into_edits() {
                let change = OldNew { old: old.clone(), new: new.clone() };
                let file = relocation.path_after(&source.path);
                shown.push(UpdatedLinks { file, changes: vec![change; edits.len()] });
                draft.edit(&source, edits)?;
            }
        }
        Ok(shown)
    }

    /// Returns the path of an existing file or folder.
    pub(crate) fn existing_path(&self, path: &str) -> Result<String> {
        let located = self.files.locate(path)?;
        if located.is_empty() {
            return Err(Error::argument("the root itself cannot be moved or deleted"));
        }
        if self.files.stat(&located).is_none() {
            // The error of `read` suggests similar paths. A broken symbolic link counts as existing.
            let error = self.files.read(&located).err();
            return match error {
                Some(error) if error.kind() == Kind::FileNotFound => Err(error),
                _ => Ok(located),
            };
        }
        Ok(located)
    }
}

/// Refuses a change if a file could not be read because of a transient failure. The change may affect that file.
pub(crate) fn require_all_read(workspace: &Workspace) -> Result<()> {
    let Some(failure) = &workspace.failure else { return Ok(()) };
    let why = &failure.content().message;
    let refused = Error::new(Kind::Internal, format!("a file that may refer to what changes could not be read: {why}"));
    Err(refused.hint("repeat the call; nothing was written").transient())
}

fn check_file_name(name: &str) -> Result<()> {
    if name.is_empty() || name.contains(['/', '\\']) || matches!(name, "." | "..") {
        return Err(Error::argument(format!("`{name}` is not a file name")).hint("use file_move to change the folder"));
    }
    Ok(())
}

fn add_steps(draft: &mut Draft, request: &RelocationRequest<'_>, new_files: Vec<(String, String)>) {
    for Relocation { from, to } in request.moves.as_slice() {
        draft.add_step(Step::Move { from: from.clone(), to: to.clone(), overwrite: request.overwrite });
    }
    for (path, text) in new_files {
        draft.create(path, text);
    }
}

fn commit(dry_run: bool, check: bool) -> Commit {
    Commit { dry_run, preview: false, check: Check::refusing(check) }
}

/// Returns the reason why an index may be incomplete.
pub(crate) fn unread_files(workspace: &Workspace) -> Option<String> {
    let (path, why) = workspace.skipped.first()?;
    Some(format!("{} could not be read, the first: {path}: {why}", pluralized(workspace.skipped.len(), "file")))
}

/// `complete`, or `partial` with the reasons.
pub(crate) fn completeness(doubts: &[String]) -> String {
    if doubts.is_empty() { "complete".to_owned() } else { format!("partial: {}", doubts.join("; ")) }
}
