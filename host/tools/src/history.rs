//! `file_undo` and `file_history`: a change can be undone as long as its files still have the content that it wrote.

use marquetry_model::{Origin, Result, ports::PastChange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{change_queue::Scope, session::Session};

/// Arguments of `file_undo`.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UndoArgs {
    /// Project root (default: the server's).
    pub root: Option<String>,
    /// Id of the change (default: the latest).
    pub id: Option<String>,
    /// Write nothing, show the result.
    #[serde(default)]
    pub dry_run: bool,
}

/// Result of `file_undo`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UndoResult {
    /// Always true; failures are returned as errors.
    pub success: bool,
    /// The undone change.
    pub undone: PastShape,
    /// The restored files.
    pub files: Vec<String>,
    /// Warnings, such as a change that was interrupted and rolled back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// True for a dry run: nothing was written.
    pub dry_run: bool,
    /// Summary in one line.
    pub summary: String,
}

/// Arguments of `file_history`.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryArgs {
    /// Project root (default: the server's).
    pub root: Option<String>,
    /// Maximum changes (default 20).
    pub limit: Option<usize>,
}

/// Result of `file_history`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HistoryResult {
    /// Changes, latest first.
    pub changes: Vec<PastShape>,
    /// Warnings, such as a change that was interrupted and rolled back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A past change.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PastShape {
    /// Id, for `file_undo`.
    pub id: String,
    /// Title.
    pub title: String,
    /// Time in seconds since 1970.
    pub time: u64,
    /// Affected files.
    pub files: Vec<String>,
    /// True if it was undone.
    pub undone: bool,
    /// Set if the change was interrupted and its files were modified before it could be rolled back: path of a backup
    /// of their old contents. The change is not in effect and cannot be undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interrupted: Option<String>,
    /// The client that made the change, with its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The tool that was called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// File and target of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Reason, if the client gave one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Files whose contents were purged from the history. The change cannot be undone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub purged: Vec<String>,
}

impl From<PastChange> for PastShape {
    fn from(past: PastChange) -> PastShape {
        let Origin { client, tool, target: about, reason: why } = past.origin.unwrap_or_default();
        let non_empty = |text: String| Some(text).filter(|text| !text.is_empty());
        PastShape {
            client: non_empty(client),
            tool: non_empty(tool),
            about: non_empty(about),
            why,
            purged: past.purged,
            id: past.id,
            title: past.title,
            time: past.time,
            files: past.files,
            undone: past.undone,
            interrupted: past.interrupted,
        }
    }
}

impl Session {
    /// Undoes a change.
    pub(crate) fn undo(&self, args: &UndoArgs) -> Result<UndoResult> {
        let _turn = self.turns.wait_for_turn(self.files.root(), Scope::Root, &self.work)?;
        let (past, applied) = self.files.undo(args.id.as_deref(), args.dry_run, &self.work)?;
        let paths = applied.files.into_iter().filter_map(|effect| effect.after.or(effect.before)).collect();
        let verb = if args.dry_run { "Would undo" } else { "Undid" };
        Ok(UndoResult {
            success: true,
            summary: format!("{verb}: {}", past.title),
            undone: past.into(),
            files: paths,
            warnings: Vec::new(),
            dry_run: args.dry_run,
        })
    }

    /// Lists the changes of a project.
    pub(crate) fn history(&self, args: &HistoryArgs) -> Result<HistoryResult> {
        let past = self.files.history(args.limit.unwrap_or(20).max(1))?;
        Ok(HistoryResult { changes: past.into_iter().map(PastShape::from).collect(), warnings: Vec::new() })
    }
}
