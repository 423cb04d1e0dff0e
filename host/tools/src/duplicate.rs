//! `file_duplicate`: copy a file; its links lead where those of the original lead, its symbols may get new names.

use std::{collections::BTreeMap, sync::Arc};

use marquetry_graph::Need;
use marquetry_model::{
    Change, Edit, EditSet, Error, Result, Step,
    pack::Subject,
    ports::{EntryKind, Files},
    text::LineBreak,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    main_export,
    relocate::existing,
    workbench::{Opened, Workbench},
};

/// Arguments of `file_duplicate`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DuplicateArgs {
    /// Absolute path of the project; by default the root the server was started with.
    pub root: Option<String>,
    /// The file to copy.
    pub source: String,
    /// The path of the copy.
    pub destination: String,
    /// Rename the main export of the copy to match.
    #[serde(default)]
    pub rename_symbols: bool,
    /// Symbols to rename in the copy: `{"Old": "New"}`.
    pub symbol_mapping: Option<BTreeMap<String, String>>,
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

/// Result of `file_duplicate`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DuplicateResult {
    /// Always true: a failure is an error.
    pub success: bool,
    /// The original.
    pub source: String,
    /// The copy.
    pub destination: String,
    /// Whether the copy was made; false for a dry run.
    pub duplicated: bool,
    /// Size of the copy in bytes.
    pub size: u64,
    /// The symbols that were renamed in the copy.
    pub symbols_renamed: Vec<SymbolRenamed>,
    /// Links that were seen and could not be followed, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unresolved: Vec<String>,
    /// Unified diff between the original and the copy.
    pub diff: String,
    /// Give it to `file_undo` to take the change back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Nothing was written.
    pub dry_run: bool,
    /// One line for people.
    pub summary: String,
}

/// A symbol that was renamed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SymbolRenamed {
    /// Before.
    pub old: String,
    /// After.
    pub new: String,
    /// How often.
    pub occurrences: usize,
}

impl Workbench {
    /// Copy a file.
    pub fn duplicate(&self, args: &DuplicateArgs) -> Result<DuplicateResult> {
        let files = self.files(args.root.as_deref())?;
        let source = existing(&files, &args.source)?;
        let destination = files.locate(&args.destination)?;
        if files.stat(&source) == Some(EntryKind::Directory) {
            return Err(Error::argument(format!("{source} is a directory")).hint("duplicate its files one by one"));
        }
        // Files that are no text are copied byte by byte.
        let opened = self.open_in(&files, &source).ok();
        let (edits, symbols_renamed, unresolved) = match &opened {
            Some(opened) => self.edits_of_copy(&files, opened, &destination, args)?,
            None => (None, Vec::new(), Vec::new()),
        };
        let mut diff = String::new();
        if let (Some(opened), Some((_, set))) = (&opened, &edits) {
            diff = marquetry_model::diff::unified(&source, &destination, &opened.source.text, set);
        }
        let renames: usize = symbols_renamed.iter().map(|symbol| symbol.occurrences).sum();
        let summary = if renames > 0 {
            format!("Duplicated {source} to {destination} with {renames} symbol renames")
        } else {
            format!("Duplicated {source} to {destination}")
        };
        let step = Step::Copy { from: source.clone(), to: destination.clone(), overwrite: args.overwrite, edits };
        let applied = files.apply(&Change { title: summary.clone(), steps: vec![step] }, args.dry_run, &self.work)?;
        Ok(DuplicateResult {
            success: true,
            duplicated: !args.dry_run,
            size: applied.files.iter().map(|effect| effect.size).next_back().unwrap_or(0),
            symbols_renamed,
            unresolved,
            diff,
            id: applied.id,
            dry_run: args.dry_run,
            summary,
            source,
            destination,
        })
    }

    /// The splices of the copy: links spelled anew, symbols renamed.
    #[expect(clippy::type_complexity, reason = "three answers that only the caller names")]
    fn edits_of_copy(
        &self,
        files: &Arc<dyn Files>,
        opened: &Opened,
        destination: &str,
        args: &DuplicateArgs,
    ) -> Result<(Option<(String, EditSet)>, Vec<SymbolRenamed>, Vec<String>)> {
        let text = &opened.source.text;
        let mut edits: Vec<Edit> = Vec::new();
        let mut unresolved = Vec::new();
        if opened.pack.has("links") {
            let workspace = self.workspace(files, Need::Links)?;
            let relinked = self.relink_copy(files, &workspace, &opened.source.path, destination)?;
            edits.extend(relinked.files.into_values().flat_map(|file| file.edits));
            unresolved = relinked.unresolved;
        }
        let mut mapping = args.symbol_mapping.clone().unwrap_or_default();
        if args.rename_symbols
            && let Some((old, new)) = main_export::renamed(opened, main_export::stem(destination))?
        {
            mapping.entry(old).or_insert(new);
        }
        let mut renamed = Vec::new();
        for (old, new) in mapping {
            let here = self.rename_everywhere(opened, Subject::Address(old.clone()), &new, true)?;
            let own: Vec<Edit> = here.files.into_values().flat_map(|file| file.edits).collect();
            renamed.push(SymbolRenamed { old, new, occurrences: own.len() });
            edits.extend(own);
        }
        let set = EditSet::new(text, edits)?.fitted(text, LineBreak::of(text));
        Ok(((!set.is_empty()).then(|| (opened.source.hash.clone(), set)), renamed, unresolved))
    }
}
