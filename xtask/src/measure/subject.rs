//! The calls that are measured in a project: on one module, and on members of its classes.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The measured module and members of a project; `e2e/projects` has one subject for each package.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Subject {
    /// A module that many files import; `None` if only members are measured.
    #[serde(flatten)]
    pub(crate) module: Option<Module>,
    /// Members, each with its query.
    #[serde(default)]
    pub(crate) members: Vec<Member>,
    /// A file that is edited between calls.
    pub(crate) other: String,
}

/// A module that is moved.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Module {
    /// The file, and its destination.
    pub(crate) file: String,
    pub(crate) to: String,
    /// A function that the module exports, and its new name.
    pub(crate) name: String,
    pub(crate) new_name: String,
}

/// A query about a member.
#[derive(Serialize, Deserialize)]
pub(crate) struct Member {
    /// Name of the row.
    pub(crate) name: String,
    pub(crate) file: String,
    /// Text that occurs once in the file, with `|` before the name.
    pub(crate) at: String,
    #[serde(flatten)]
    pub(crate) question: Question,
}

/// The kind of call.
#[derive(Serialize, Deserialize)]
#[serde(tag = "question", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Question {
    Rename { new_name: String },
    References,
    Implementations,
}

/// A call that is measured.
pub(crate) struct Call {
    /// Name of the row.
    pub(crate) name: String,
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
    /// True if the call changes files, so that it can be applied and undone.
    pub(crate) writes: bool,
}

impl Subject {
    /// A subject that only has a file to edit between calls.
    pub(crate) fn for_members(other: String) -> Subject {
        Subject { module: None, members: Vec::new(), other }
    }

    /// Returns all calls that are measured in the project.
    pub(crate) fn calls(&self, folder: &Path) -> Result<Vec<Call>> {
        let mut calls = self.module.as_ref().map(Module::calls).unwrap_or_default();
        for member in &self.members {
            calls.push(member.call(folder)?);
        }
        Ok(calls)
    }
}

impl Module {
    fn calls(&self) -> Vec<Call> {
        let Module { file, to, name, new_name } = self;
        let call = |name: &str, tool, arguments, writes| Call { name: name.to_owned(), tool, arguments, writes };
        let rename =
            json!({ "file": file, "target": name, "refactor": "rename_symbol", "newName": new_name, "dryRun": true });
        vec![
            call("move", "file_move", json!({ "source": file, "destination": to, "dryRun": true }), true),
            call("rename", "file_edit", rename, true),
            call("references", "query", json!({ "type": "references", "path": file, "symbol": name }), false),
        ]
    }
}

impl Member {
    fn call(&self, folder: &Path) -> Result<Call> {
        let (line, column) = self.position(folder)?;
        let (tool, arguments) = match &self.question {
            Question::Rename { new_name } => (
                "file_edit",
                json!({ "file": self.file, "line": line, "column": column, "refactor": "rename_symbol", "newName": new_name, "dryRun": true }),
            ),
            Question::References => {
                ("query", json!({ "type": "references", "path": self.file, "line": line, "column": column }))
            }
            Question::Implementations => {
                ("query", json!({ "type": "implementations", "path": self.file, "line": line, "column": column }))
            }
        };
        let writes = matches!(self.question, Question::Rename { .. });
        Ok(Call { name: self.name.clone(), tool, arguments, writes })
    }

    /// Returns the line (from 1) and column (from 0) of the name. Bytes are counted, because the lines are ASCII up to
    /// the name.
    fn position(&self, folder: &Path) -> Result<(usize, usize)> {
        let text = fs::read_to_string(folder.join(&self.file)).with_context(|| self.file.clone())?;
        let (before, after) = self.at.split_once('|').context("`at` has no `|`")?;
        let found =
            text.find(&format!("{before}{after}")).with_context(|| format!("`{}` is not in {}", self.at, self.file))?;
        let until = &text[..found + before.len()];
        let line = until.rfind('\n').map_or(0, |at| at + 1);
        Ok((until.matches('\n').count() + 1, until.len() - line))
    }
}
