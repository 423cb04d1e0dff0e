//! `file_duplicate`: copies a file. Links of the copy keep their targets, and symbols in the copy can be renamed.

use std::collections::BTreeMap;

use marquetry_graph::DetailLevel;
use marquetry_model::{Error, Interface, Kind, Result, Step, diff, pack::Subject, ports::EntryKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    change_queue::Scope,
    change_report::ChangeReport,
    document::OpenFile,
    draft::{Commit, Draft},
    main_export,
    pagination::ByteBudget,
    preview::Check,
    relocate::{PACKS, completeness},
    rename_symbol::RenameScope,
    result_types::pluralized,
    session::{Session, Writing},
    words::whole_word_offsets,
};

/// Arguments of `file_duplicate`.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DuplicateArgs {
    /// Project root (default: the server's).
    pub root: Option<String>,
    /// File to copy.
    pub source: String,
    /// Path of the copy.
    pub destination: String,
    /// Rename the copy's main export to match the file name.
    #[serde(default)]
    pub rename_symbols: bool,
    /// Symbols to rename in the copy: `{"Old": "New"}`.
    pub symbol_mapping: Option<BTreeMap<String, String>>,
    /// Replace an existing file.
    #[serde(default)]
    pub overwrite: bool,
    /// Report problems added and fixed; refuse new errors.
    #[serde(default)]
    pub check: bool,
    /// Write nothing, show the result.
    #[serde(default)]
    pub dry_run: bool,
    /// Maximum bytes of diff and lists.
    pub max_bytes: Option<usize>,
    /// Settings of editors, accepted and not used.
    #[serde(default)]
    pub preferences: serde_json::Map<String, serde_json::Value>,
}

/// Result of `file_duplicate`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DuplicateResult {
    /// Always true; failures are returned as errors.
    pub success: bool,
    /// Path of the original.
    pub source: String,
    /// Path of the copy.
    pub destination: String,
    /// True if the copy was written; false for a dry run.
    pub duplicated: bool,
    /// Size of the copy in bytes.
    pub size: u64,
    /// Symbols that were renamed in the copy.
    pub symbols_renamed: Vec<SymbolRenamed>,
    /// Links that could not be resolved, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unresolved: Vec<String>,
    /// Diff, id and warnings.
    #[serde(flatten)]
    pub report: ChangeReport,
    /// `complete` if every link of the copy has the right target, else `partial: reason`.
    pub completeness: String,
    /// Always `packs`: the packs of the files find and rewrite the links.
    pub engine: &'static str,
    /// Summary in one line.
    pub summary: String,
}

/// A renamed symbol.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SymbolRenamed {
    /// Old name.
    pub old: String,
    /// New name.
    pub new: String,
    /// Number of occurrences.
    pub occurrences: usize,
}

/// The edits that make the copy differ from the original.
#[derive(Default)]
struct CopyEdits {
    draft: Draft,
    renamed: Vec<SymbolRenamed>,
    unresolved: Vec<String>,
    warnings: Vec<String>,
}

impl Session {
    /// Copies a file.
    pub(crate) fn duplicate(&self, args: &DuplicateArgs) -> Result<DuplicateResult> {
        let destination = self.files.locate(&args.destination)?;
        let writing = Writing { scope: Scope::File(&destination), dry_run: args.dry_run, hash_expected: false };
        self.run_change(writing, || self.duplicate_once(&destination, args))
    }

    fn duplicate_once(&self, destination: &str, args: &DuplicateArgs) -> Result<DuplicateResult> {
        let source = self.existing_path(&args.source)?;
        if self.files.stat(&source) == Some(EntryKind::Directory) {
            return Err(Error::argument(format!("{source} is a directory")).hint("duplicate its files one by one"));
        }
        // Files that are not text are copied byte by byte.
        let adapted = match self.open(&source) {
            Ok(file) => self.copy_edits(&file, destination, args)?,
            Err(_) => CopyEdits::default(),
        };
        let CopyEdits { draft, renamed, unresolved, warnings } = adapted;
        let mut text = diff::rename_header("copy", &source, destination);
        let edits = draft.into_edits().next().map(|(original, edits)| {
            text += &diff::unified(&format!("a/{source}"), &format!("b/{destination}"), &original.text, &edits);
            (original.hash, edits)
        });
        let renames: usize = renamed.iter().map(|symbol| symbol.occurrences).sum();
        let mut summary = format!("Duplicated {source} to {destination}");
        if renames > 0 {
            summary += &format!(" with {}", pluralized(renames, "symbol rename"));
        }
        let mut draft = Draft::default();
        let dropped = self.dropped_extension(&source, destination);
        warnings.into_iter().chain(dropped).for_each(|warning| draft.warn(warning));
        let (from, to) = (source.clone(), destination.to_owned());
        draft.add_step(Step::Copy { from, to, overwrite: args.overwrite, edits });
        let commit = Commit { dry_run: args.dry_run, preview: false, check: Check::refusing(args.check) };
        let committed = draft.commit(self, summary, commit)?;
        let mut doubts = Vec::new();
        if !unresolved.is_empty() {
            doubts.push(format!("{} could not be updated", pluralized(unresolved.len(), "link")));
        }
        let mut room = ByteBudget::of_change(args.max_bytes.or(self.max_bytes));
        let unresolved = room.list("links of `unresolved`", unresolved);
        let diff = room.text("`diff`", text);
        Ok(DuplicateResult {
            success: true,
            duplicated: !args.dry_run,
            size: committed.applied.files.iter().map(|effect| effect.size).next_back().unwrap_or(0),
            symbols_renamed: renamed,
            unresolved,
            completeness: completeness(&doubts),
            engine: PACKS,
            summary: committed.title.clone(),
            report: ChangeReport::new(committed, diff, args.dry_run, &room),
            source,
            destination: destination.to_owned(),
        })
    }

    /// Computes the edits of the copy: rewritten links and renamed symbols.
    fn copy_edits(&self, file: &OpenFile, destination: &str, args: &DuplicateArgs) -> Result<CopyEdits> {
        let mut adapted = CopyEdits::default();
        if file.has(Interface::Links) {
            let workspace = self.workspace(DetailLevel::Links)?;
            let mut relinked = self.relink_copy(&workspace, file.path(), destination)?;
            adapted.unresolved.append(&mut relinked.unresolved);
            relinked.into_draft(&mut adapted.draft, str::to_owned)?;
        }
        let mut mapping = args.symbol_mapping.clone().unwrap_or_default();
        if args.rename_symbols {
            match main_export::renamed_main_export(file, main_export::stem(destination))? {
                Some((old, new)) => {
                    mapping.entry(old).or_insert(new);
                }
                None => adapted.warnings.push(main_export::not_renamed_warning(file.path())),
            }
        }
        let here = RenameScope { single_file: true, ..RenameScope::default() };
        for (old, new) in mapping {
            let renamed = self.rename_everywhere(file, subject_named(file, &old)?, &new, here)?;
            let mut occurrences = 0;
            for (source, edits) in renamed.draft.into_edits() {
                occurrences += edits.len();
                adapted.draft.edit(&source, edits)?;
            }
            adapted.renamed.push(SymbolRenamed { old, new, occurrences });
        }
        Ok(adapted)
    }
}

/// The subject with a name in a file: a declaration, or an import that binds the name.
fn subject_named(file: &OpenFile, name: &str) -> Result<Subject> {
    let address = Subject::Address(name.to_owned());
    match file.ask(|document| document.resolve_symbol(&address)) {
        Err(error) if error.kind() == Kind::TargetNotFound => {}
        _ => return Ok(address),
    }
    let facts = file.ask(|document| document.exports_and_imports())?;
    let is_imported = facts.imports.iter().any(|import| import.local.as_deref() == Some(name));
    let first = whole_word_offsets(file.text(), name).first().copied();
    Ok(first.filter(|_| is_imported).map_or(address, Subject::At))
}
