//! The fields that the results of all changes have in common.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{draft::Committed, pagination::ByteBudget, preview::Checked};

/// The common fields of a change's result.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeReport {
    /// Unified diff; of a copy, between the original and the copy.
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
}

impl ChangeReport {
    /// Creates the report of a change whose diff is limited to the bytes in `room`. Call it after all lists were
    /// shortened, because it also describes the omissions that `room` recorded.
    pub(crate) fn new(committed: Committed, diff: String, dry_run: bool, room: &ByteBudget) -> ChangeReport {
        ChangeReport {
            diff,
            id: committed.id(),
            checked: committed.checked,
            dry_run,
            warnings: committed.warnings,
            truncated: room.truncated(),
        }
    }
}
