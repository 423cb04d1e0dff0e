//! `file_move` and `file_rename`: a file or folder goes elsewhere, and everything that names it follows.

use std::{collections::BTreeMap, sync::Arc};

use marquetry_graph::Need;
use marquetry_model::{
    Applied, Change, EditSet, Error, Kind, Relocation, Result, Step, limits,
    pack::Subject,
    ports::{EntryKind, Files},
    text::LineBreak,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    main_export,
    relink::{FileLinks, OldNew, Relinked, UpdatedLinks},
    shape::{counted, file_diff},
    workbench::Workbench,
};

/// Arguments of `file_move`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MoveArgs {
    /// Absolute path of the project; by default the root the server was started with.
    pub root: Option<String>,
    /// The file or directory to move.
    pub source: String,
    /// Its new path. A path that ends with `/`, or a directory that is there, takes a file under its old name.
    pub destination: String,
    /// Update everything that names it (default true).
    pub update_imports: Option<bool>,
    /// Replace a file that is there (default false).
    #[serde(default)]
    pub overwrite: bool,
    /// Show what would happen, write nothing.
    #[serde(default)]
    pub dry_run: bool,
    /// Settings of editors, accepted and not used.
    #[serde(default)]
    pub preferences: serde_json::Map<String, serde_json::Value>,
}

/// Result of `file_move`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MoveResult {
    /// Always true: a failure is an error.
    pub success: bool,
    /// Where it was.
    pub source: String,
    /// Where it is.
    pub destination: String,
    /// Whether it was moved; false for a dry run.
    pub moved: bool,
    /// The links that were spelled anew.
    pub imports_updated: Vec<UpdatedLinks>,
    /// How many files were edited.
    pub total_files_updated: usize,
    /// Links that were seen and could not be followed, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unresolved: Vec<String>,
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

/// Arguments of `file_rename`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RenameArgs {
    /// Absolute path of the project; by default the root the server was started with.
    pub root: Option<String>,
    /// The file or directory to rename.
    pub path: String,
    /// Its new name, without folders.
    pub new_name: String,
    /// Update everything that names it (default true).
    pub update_imports: Option<bool>,
    /// Rename the main export to match.
    #[serde(default)]
    pub rename_exports: bool,
    /// Exports to rename: `{"Old": "New"}`.
    pub export_mapping: Option<BTreeMap<String, String>>,
    /// Replace a file that is there (default false).
    #[serde(default)]
    pub overwrite: bool,
    /// Show what would happen, write nothing.
    #[serde(default)]
    pub dry_run: bool,
    /// Settings of editors, accepted and not used.
    #[serde(default)]
    pub preferences: serde_json::Map<String, serde_json::Value>,
}

/// Result of `file_rename`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RenameResult {
    /// Always true: a failure is an error.
    pub success: bool,
    /// Where it was.
    pub old_path: String,
    /// Where it is.
    pub new_path: String,
    /// Whether it was renamed; false for a dry run.
    pub renamed: bool,
    /// The links that were spelled anew.
    pub imports_updated: Vec<UpdatedLinks>,
    /// The exports that were renamed, file by file.
    pub exports_renamed: Vec<UpdatedLinks>,
    /// Links that were seen and could not be followed, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unresolved: Vec<String>,
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

/// Edits of many files, as steps of a change, with their diff.
pub(crate) struct Edits {
    pub(crate) steps: Vec<Step>,
    pub(crate) diff: String,
    pub(crate) count: usize,
    pub(crate) warnings: Vec<String>,
}

/// The splices of files as steps; what two sources both say of a file is one step.
pub(crate) fn edit_steps(parts: impl IntoIterator<Item = (String, FileLinks)>) -> Result<Edits> {
    let mut files: BTreeMap<String, FileLinks> = BTreeMap::new();
    for (path, part) in parts {
        match files.get_mut(&path) {
            Some(known) => known.edits.extend(part.edits),
            None => {
                files.insert(path, part);
            }
        }
    }
    let mut edits = Edits { steps: Vec::new(), diff: String::new(), count: 0, warnings: Vec::new() };
    for (path, file) in files {
        let set: EditSet = EditSet::new(&file.text, file.edits)?.fitted(&file.text, LineBreak::of(&file.text));
        if set.is_empty() {
            continue;
        }
        if file.text.len() as u64 > limits::LARGE_FILE {
            edits.warnings.push(format!("{path} is a large file: {} bytes", file.text.len()));
        }
        edits.diff += &file_diff(&path, &file.text, &set);
        edits.count += set.len();
        edits.steps.push(Step::Edit { path, base: file.hash, edits: set });
    }
    Ok(edits)
}

/// Where a move really leads.
fn destination(files: &Arc<dyn Files>, source: &str, given: &str) -> Result<String> {
    let name = source.rsplit('/').next().unwrap_or(source);
    let to = files.locate(given.trim_end_matches('/'))?;
    let into = given.ends_with('/') || (files.stat(&to) == Some(EntryKind::Directory) && to != source);
    Ok(match (into, to.is_empty()) {
        (true, true) => name.to_owned(),
        (true, false) => format!("{to}/{name}"),
        _ => to,
    })
}

impl Workbench {
    /// Move a file or directory.
    pub fn move_path(&self, args: &MoveArgs) -> Result<MoveResult> {
        let files = self.files(args.root.as_deref())?;
        let source = existing(&files, &args.source)?;
        let to = destination(&files, &source, &args.destination)?;
        let relocation = Relocation { from: source.clone(), to: to.clone() };
        let relinked = self.followed(&files, &relocation, args.update_imports.unwrap_or(true))?;
        let imports_updated = updated(&relinked);
        let edits = edit_steps(relinked.files)?;
        let links: usize = imports_updated.iter().map(|file| file.changes.len()).sum();
        let summary = format!(
            "Moved {source} to {to}, updated {} in {}",
            counted(links, "link"),
            counted(imports_updated.len(), "file")
        );
        let step = Step::Move { from: source.clone(), to: to.clone(), overwrite: args.overwrite };
        let applied = self.carry_out(&files, &summary, edits.steps, step, args.dry_run)?;
        Ok(MoveResult {
            success: true,
            moved: !args.dry_run,
            total_files_updated: imports_updated.len(),
            imports_updated,
            unresolved: relinked.unresolved,
            diff: edits.diff,
            id: applied.id,
            dry_run: args.dry_run,
            warnings: edits.warnings,
            summary,
            source,
            destination: to,
        })
    }

    /// Rename a file or directory.
    pub fn rename_path(&self, args: &RenameArgs) -> Result<RenameResult> {
        if args.new_name.is_empty()
            || args.new_name.contains(['/', '\\'])
            || matches!(args.new_name.as_str(), "." | "..")
        {
            return Err(Error::argument(format!("`{}` is no file name", args.new_name))
                .hint("use file_move to change the folder"));
        }
        let files = self.files(args.root.as_deref())?;
        let old_path = existing(&files, &args.path)?;
        let new_path = match old_path.rsplit_once('/') {
            Some((folder, _)) => format!("{folder}/{}", args.new_name),
            None => args.new_name.clone(),
        };
        let relocation = Relocation { from: old_path.clone(), to: new_path.clone() };
        let relinked = self.followed(&files, &relocation, args.update_imports.unwrap_or(true))?;
        let imports_updated = updated(&relinked);
        let mut parts: Vec<(String, FileLinks)> = relinked.files.into_iter().collect();
        let mapping = self.exports_to_rename(&files, &old_path, args)?;
        let (exports_renamed, mut warnings) = self.rename_exports(&files, &old_path, &mapping, &mut parts)?;
        let edits = edit_steps(parts)?;
        let symbols: usize = exports_renamed.iter().map(|file| file.changes.len()).sum();
        let links: usize = imports_updated.iter().map(|file| file.changes.len()).sum();
        let summary = format!(
            "Renamed {old_path} to {new_path}, updated {}{}",
            counted(links, "link"),
            if symbols > 0 { format!(", renamed {}", counted(symbols, "symbol")) } else { String::new() }
        );
        let step = Step::Move { from: old_path.clone(), to: new_path.clone(), overwrite: args.overwrite };
        let applied = self.carry_out(&files, &summary, edits.steps, step, args.dry_run)?;
        warnings.extend(edits.warnings);
        Ok(RenameResult {
            success: true,
            renamed: !args.dry_run,
            imports_updated,
            exports_renamed,
            unresolved: relinked.unresolved,
            diff: edits.diff,
            id: applied.id,
            dry_run: args.dry_run,
            warnings,
            summary,
            old_path,
            new_path,
        })
    }

    fn followed(&self, files: &Arc<dyn Files>, relocation: &Relocation, update: bool) -> Result<Relinked> {
        if !update {
            return Ok(Relinked::default());
        }
        let workspace = self.workspace(files, Need::Links)?;
        let mut relinked = self.relink(files, &workspace, relocation)?;
        relinked.unresolved.extend(workspace.skipped.iter().map(|(path, why)| format!("{path}: not read: {why}")));
        Ok(relinked)
    }

    fn carry_out(
        &self,
        files: &Arc<dyn Files>,
        title: &str,
        mut steps: Vec<Step>,
        last: Step,
        dry_run: bool,
    ) -> Result<Applied> {
        steps.push(last);
        files.apply(&Change { title: title.to_owned(), steps }, dry_run, &self.work)
    }

    fn exports_to_rename(
        &self,
        files: &Arc<dyn Files>,
        path: &str,
        args: &RenameArgs,
    ) -> Result<BTreeMap<String, String>> {
        let mut mapping = args.export_mapping.clone().unwrap_or_default();
        if args.rename_exports && files.stat(path) == Some(EntryKind::File) {
            let opened = self.open_in(files, path)?;
            let new_stem = main_export::stem(&args.new_name);
            if let Some((old, new)) = main_export::renamed(&opened, new_stem)? {
                mapping.entry(old).or_insert(new);
            }
        }
        Ok(mapping)
    }

    fn rename_exports(
        &self,
        files: &Arc<dyn Files>,
        path: &str,
        mapping: &BTreeMap<String, String>,
        parts: &mut Vec<(String, FileLinks)>,
    ) -> Result<(Vec<UpdatedLinks>, Vec<String>)> {
        let (mut shown, mut warnings) = (Vec::new(), Vec::new());
        for (old, new) in mapping {
            let opened = self.open_in(files, path)?;
            let renamed = self.rename_everywhere(&opened, Subject::Address(old.clone()), new, false)?;
            for (file, part) in renamed.files {
                let change = OldNew { old: old.clone(), new: new.clone() };
                shown.push(UpdatedLinks { file: file.clone(), changes: vec![change; part.edits.len()] });
                parts.push((file, part));
            }
            warnings.extend(
                renamed
                    .left
                    .iter()
                    .map(|place| format!("left: {place} has the name `{old}`, and nothing proves that it is this one")),
            );
        }
        Ok((shown, warnings))
    }
}

/// The path of something that is there.
pub(crate) fn existing(files: &Arc<dyn Files>, path: &str) -> Result<String> {
    let located = files.locate(path)?;
    if located.is_empty() {
        return Err(Error::argument("the root itself cannot be moved or deleted"));
    }
    if files.stat(&located).is_none() {
        // Reading it says so, with the nearest paths; a link that leads nowhere is still something.
        let error = files.read(&located).err();
        return match error {
            Some(error) if error.kind() == Kind::FileNotFound => Err(error),
            _ => Ok(located),
        };
    }
    Ok(located)
}

fn updated(relinked: &Relinked) -> Vec<UpdatedLinks> {
    let files = relinked.files.iter();
    files.map(|(file, part)| UpdatedLinks { file: file.clone(), changes: part.changes.clone() }).collect()
}
