//! `file_duplicate`: copies a file. Links of the copy keep their targets, and symbols can get new names.

use std::collections::BTreeMap;

use marquetry_graph::Need;
use marquetry_model::{Error, Kind, Result, Step, diff, pack::Subject, ports::EntryKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    document::OpenFile,
    draft::{Commit, Draft},
    main_export,
    page::Room,
    relocate::{PACKS, completeness},
    rename_symbol::Reach,
    session::{Session, Writing},
    shape::counted,
    trial::{Check, Checked},
    turns::Scope,
    words::whole_words,
};

/// Arguments of `file_duplicate`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DuplicateArgs {
    /// Project root (default: the server's).
    pub root: Option<String>,
    /// File to copy.
    pub source: String,
    /// Path of the copy.
    pub destination: String,
    /// Rename the copy's main export to match.
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
    /// Unified diff between the original and the copy, with a header that names both.
    pub diff: String,
    /// Id of the change, for `file_undo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// With `check`: diagnostics added and fixed in the affected files.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub checked: Option<Checked>,
    /// True for a dry run: nothing was written.
    pub dry_run: bool,
    /// Warnings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Omitted parts of lists and diff, and how to get them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<String>,
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

/// Differences between the copy and the original.
#[derive(Default)]
struct Adapted {
    draft: Draft,
    renamed: Vec<SymbolRenamed>,
    unresolved: Vec<String>,
    warnings: Vec<String>,
}

impl Session {
    /// Copies a file.
    pub(crate) fn duplicate(&self, args: &DuplicateArgs) -> Result<DuplicateResult> {
        let destination = self.files.locate(&args.destination)?;
        let writing = Writing { scope: Scope::File(&destination), dry_run: args.dry_run, pinned: false };
        self.change(writing, || self.duplicate_once(&destination, args))
    }

    fn duplicate_once(&self, destination: &str, args: &DuplicateArgs) -> Result<DuplicateResult> {
        let source = self.existing(&args.source)?;
        if self.files.stat(&source) == Some(EntryKind::Directory) {
            return Err(Error::argument(format!("{source} is a directory")).hint("duplicate its files one by one"));
        }
        // Files that are not text are copied byte by byte.
        let adapted = match self.open(&source) {
            Ok(file) => self.adapted(&file, destination, args)?,
            Err(_) => Adapted::default(),
        };
        let Adapted { draft, renamed, unresolved, warnings } = adapted;
        let mut text = diff::given_name("copy", &source, destination);
        let edits = draft.into_edits().next().map(|(original, edits)| {
            text += &diff::unified(&format!("a/{source}"), &format!("b/{destination}"), &original.text, &edits);
            (original.hash, edits)
        });
        let renames: usize = renamed.iter().map(|symbol| symbol.occurrences).sum();
        let mut summary = format!("Duplicated {source} to {destination}");
        if renames > 0 {
            summary += &format!(" with {renames} symbol renames");
        }
        let mut draft = Draft::default();
        warnings.into_iter().for_each(|warning| draft.warn(warning));
        let (from, to) = (source.clone(), destination.to_owned());
        draft.then(Step::Copy { from, to, overwrite: args.overwrite, edits });
        let commit = Commit { dry_run: args.dry_run, preview: false, check: Check::refusing(args.check) };
        let committed = draft.commit(self, summary, commit)?;
        let mut doubts = Vec::new();
        if !unresolved.is_empty() {
            doubts.push(format!("{} could not be updated", counted(unresolved.len(), "link")));
        }
        let mut room = Room::new(args.max_bytes.or(self.most_bytes));
        Ok(DuplicateResult {
            success: true,
            duplicated: !args.dry_run,
            size: committed.applied.files.iter().map(|effect| effect.size).next_back().unwrap_or(0),
            symbols_renamed: renamed,
            unresolved: room.list("links of `unresolved`", unresolved),
            diff: room.text("`diff`", text),
            id: committed.id(),
            dry_run: args.dry_run,
            truncated: room.truncated(),
            completeness: completeness(&doubts),
            engine: PACKS,
            summary: committed.title,
            checked: committed.checked,
            warnings: committed.warnings,
            source,
            destination: destination.to_owned(),
        })
    }

    /// Computes the edits of the copy: rewritten links and renamed symbols.
    fn adapted(&self, file: &OpenFile, destination: &str, args: &DuplicateArgs) -> Result<Adapted> {
        let mut adapted = Adapted::default();
        if file.has("links") {
            let workspace = self.workspace(Need::Links)?;
            let mut relinked = self.relink_copy(&workspace, file.path(), destination)?;
            adapted.unresolved.append(&mut relinked.unresolved);
            relinked.drafted(&mut adapted.draft, str::to_owned)?;
        }
        let mut mapping = args.symbol_mapping.clone().unwrap_or_default();
        if args.rename_symbols {
            match main_export::renamed(file, main_export::stem(destination))? {
                Some((old, new)) => {
                    mapping.entry(old).or_insert(new);
                }
                None => adapted.warnings.push(main_export::none_renamed(file.path())),
            }
        }
        let here = Reach { only_here: true, ..Reach::default() };
        for (old, new) in mapping {
            let renamed = self.rename_everywhere(file, named_in(file, &old)?, &new, here)?;
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

/// Resolves a name in a file: a declaration, or an import under that name.
fn named_in(file: &OpenFile, name: &str) -> Result<Subject> {
    let address = Subject::Address(name.to_owned());
    match file.ask(|document| document.resolve_symbol(&address)) {
        Err(error) if error.kind() == Kind::TargetNotFound => {}
        _ => return Ok(address),
    }
    let facts = file.ask(|document| document.facts())?;
    let is_imported = facts.imports.iter().any(|import| import.local.as_deref() == Some(name));
    let first = whole_words(file.text(), name).first().copied();
    Ok(first.filter(|_| is_imported).map_or(address, Subject::At))
}
