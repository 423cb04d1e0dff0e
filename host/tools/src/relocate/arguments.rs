//! Arguments and results of `file_move` and `file_rename`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{change_report::ChangeReport, relink::UpdatedLinks};

/// Arguments of `file_move`.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MoveArgs {
    /// Project root (default: the server's).
    pub root: Option<String>,
    /// File or directory to move.
    pub source: Option<String>,
    /// New path; a path ending with `/`, or an existing directory, keeps the name.
    pub destination: Option<String>,
    /// Several moves as one change.
    pub moves: Option<Vec<MovePair>>,
    /// Update links and imports (default true).
    pub update_imports: Option<bool>,
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

/// One of several moves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MovePair {
    /// Old path.
    pub source: String,
    /// New path.
    pub destination: String,
}

/// Result of `file_move`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MoveResult {
    /// Always true; failures are returned as errors.
    pub success: bool,
    /// Old path; the first one of several moves.
    pub source: String,
    /// New path.
    pub destination: String,
    /// All moves, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<MovePair>,
    /// True if it was moved; false for a dry run.
    pub moved: bool,
    /// Rewritten links.
    pub imports_updated: Vec<UpdatedLinks>,
    /// Number of edited files.
    pub total_files_updated: usize,
    /// Links that could not be resolved, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unresolved: Vec<String>,
    /// Diff, id and warnings.
    #[serde(flatten)]
    pub report: ChangeReport,
    /// `complete` if every reference to it was found and updated, else `partial: reason`.
    pub completeness: String,
    /// Always `packs`: the packs of the files find and rewrite the links.
    pub engine: &'static str,
    /// Summary in one line.
    pub summary: String,
}

/// Arguments of `file_rename`.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RenameArgs {
    /// Project root (default: the server's).
    pub root: Option<String>,
    /// File or directory to rename.
    pub path: String,
    /// New name, without folders.
    pub new_name: String,
    /// Update links and imports (default true).
    pub update_imports: Option<bool>,
    /// Rename the main export to match the file name.
    #[serde(default)]
    pub rename_exports: bool,
    /// Exports to rename: `{"Old": "New"}`.
    pub export_mapping: Option<BTreeMap<String, String>>,
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

/// Result of `file_rename`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RenameResult {
    /// Always true; failures are returned as errors.
    pub success: bool,
    /// Old path.
    pub old_path: String,
    /// New path.
    pub new_path: String,
    /// True if it was renamed; false for a dry run.
    pub renamed: bool,
    /// Rewritten links.
    pub imports_updated: Vec<UpdatedLinks>,
    /// Renamed exports, by file.
    pub exports_renamed: Vec<UpdatedLinks>,
    /// Number of edited files.
    pub total_files_updated: usize,
    /// Links that could not be resolved, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unresolved: Vec<String>,
    /// Diff, id and warnings.
    #[serde(flatten)]
    pub report: ChangeReport,
    /// `complete` if every reference to it was found and updated, else `partial: reason`.
    pub completeness: String,
    /// Always `packs`: the packs of the files find and rewrite the links.
    pub engine: &'static str,
    /// Summary in one line.
    pub summary: String,
}
