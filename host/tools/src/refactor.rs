//! `file_edit` with a `refactor`: changes that keep the meaning, in all files that they touch.

use marquetry_model::{Change, Error, Kind, Result};

use crate::{
    edit::{Affected, EditArgs, EditResult, check_hash},
    relocate::edit_steps,
    shape::{counted, file_change},
    spread::SymbolPlace,
    workbench::Workbench,
};

/// The refactorings there are.
const REFACTORS: [&str; 1] = ["rename_symbol"];
/// Those that the specification names and that are not there.
const LATER: [&str; 12] = [
    "extract_function",
    "extract_method",
    "extract_variable",
    "extract_constant",
    "extract_type",
    "inline_variable",
    "inline_function",
    "organize_imports",
    "add_import",
    "remove_unused_imports",
    "convert_to_arrow",
    "convert_to_async",
];

impl Workbench {
    pub(crate) fn refactor(&self, name: &str, args: &EditArgs) -> Result<EditResult> {
        match name {
            "rename_symbol" => self.rename_symbol(args),
            _ if LATER.contains(&name) => {
                Err(Error::new(Kind::Unsupported, format!("the refactoring `{name}` is not supported"))
                    .hint("make the change with `operation` and `edits`")
                    .candidates(REFACTORS.map(str::to_owned)))
            }
            _ => Err(Error::argument(format!("no refactoring `{name}`")).candidates(REFACTORS.map(str::to_owned))),
        }
    }

    fn rename_symbol(&self, args: &EditArgs) -> Result<EditResult> {
        let file = args.file.as_deref().ok_or_else(|| Error::argument("`file` is missing"))?;
        let new_name = args.new_name.as_deref().ok_or_else(|| Error::argument("`newName` is missing"))?;
        let only_here = match args.scope.as_deref() {
            None | Some("workspace") => false,
            Some("file") => true,
            Some(other) => {
                return Err(
                    Error::argument(format!("no scope `{other}`")).candidates(["workspace", "file"].map(str::to_owned))
                );
            }
        };
        let opened = self.open(args.root.as_deref(), file)?;
        check_hash(&opened, args.expected_hash.as_deref())?;
        let symbol = args.edit.place.symbol.as_deref().or(args.edit.place.target.as_deref());
        let place = SymbolPlace { symbol, line: args.line, column: args.column };
        let renamed = self.rename_everywhere(&opened, place.subject(&opened.source.text)?, new_name, only_here)?;
        let mut changes = Vec::new();
        for (path, part) in &renamed.files {
            changes.push(file_change(path, &part.text, &part.edit_set()?, args.preview));
        }
        let files: Vec<String> = renamed.files.keys().cloned().collect();
        let edits = edit_steps(renamed.files)?;
        if edits.steps.is_empty() {
            return Err(Error::new(Kind::RefactorFailed, format!("there is nothing to rename to `{new_name}`"))
                .hint("name a symbol of the project by its address"));
        }
        let summary = format!(
            "Renamed {} → {new_name} ({}, {})",
            renamed.name,
            counted(files.len(), "file"),
            counted(edits.count, "edit")
        );
        let applied =
            opened.files.apply(&Change { title: summary.clone(), steps: edits.steps }, args.dry_run, &self.work)?;
        let completeness = match (&renamed.partial, renamed.left.is_empty()) {
            (Some(why), _) => format!("partial: {why}"),
            (None, false) => "syntactic".to_owned(),
            (None, true) => "complete".to_owned(),
        };
        Ok(EditResult {
            success: true,
            refactor: Some("rename_symbol".to_owned()),
            symbol: Some(renamed.name),
            new_name: Some(new_name.to_owned()),
            files_affected: Affected::Files(files),
            total_edits: edits.count,
            changes,
            diff: edits.diff,
            hash: applied
                .files
                .iter()
                .find(|effect| effect.after.as_deref() == Some(&opened.source.path))
                .and_then(|effect| effect.hash.clone()),
            id: applied.id,
            dry_run: args.dry_run,
            warnings: edits.warnings,
            completeness: Some(completeness),
            left: renamed.left,
            engine: opened.pack.description().id.clone(),
            summary,
            ..EditResult::default()
        })
    }
}
