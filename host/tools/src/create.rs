//! `file_create`: make a new file, with content or from a template.

use marquetry_model::{Change, Error, Result, Step, diff};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{template, workbench::Workbench};

/// Arguments of `file_create`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateArgs {
    /// Absolute path of the project; by default the root the server was started with.
    pub root: Option<String>,
    /// The file to make.
    pub path: String,
    /// Its content. Not together with a template.
    pub content: Option<String>,
    /// A template (`empty` by default): one that a language pack brings, or one from `.marquetry/templates`.
    pub template: Option<String>,
    /// Variables of the template; `name` is the file's stem unless given.
    pub template_vars: Option<serde_json::Map<String, serde_json::Value>>,
    /// Replace a file that is there (default false).
    #[serde(default)]
    pub overwrite: bool,
    /// Make the directories above it (default true).
    pub create_directories: Option<bool>,
    /// Open it in the editor afterwards.
    #[serde(default)]
    pub open_in_editor: bool,
    /// Show what would happen, write nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// Result of `file_create`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateResult {
    /// Always true: a failure is an error.
    pub success: bool,
    /// The file.
    pub path: String,
    /// Whether it is new; false when another file was replaced, or for a dry run.
    pub created: bool,
    /// The template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// Its size in bytes.
    pub size: u64,
    /// Directories that were made.
    pub directories_created: Vec<String>,
    /// Unified diff.
    pub diff: String,
    /// The hash of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
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

impl Workbench {
    /// Make a file.
    pub fn create(&self, args: &CreateArgs) -> Result<CreateResult> {
        let files = self.files(args.root.as_deref())?;
        let path = files.locate(&args.path)?;
        let content = match (&args.content, args.template.as_deref()) {
            (Some(_), Some(name)) if name != "empty" => {
                return Err(Error::argument("`content` and `template` exclude each other"));
            }
            (Some(content), _) => content.clone(),
            (None, None | Some("empty")) => String::new(),
            (None, Some(name)) => {
                template::render(&template::find(self, &files, name)?, &path, args.template_vars.as_ref())?
            }
        };
        let before = files.stat(&path).and_then(|_| files.read(&path).ok());
        let diff = diff::whole(before.as_ref().map(|source| (path.as_str(), &*source.text)), Some((&path, &content)));
        let size = content.len() as u64;
        let summary = format!("{} {path} ({size} bytes)", if before.is_some() { "Replaced" } else { "Created" });
        let step = Step::Create {
            path: path.clone(),
            content: content.into_bytes(),
            overwrite: args.overwrite,
            directories: args.create_directories.unwrap_or(true),
        };
        let applied = files.apply(&Change { title: summary.clone(), steps: vec![step] }, args.dry_run, &self.work)?;
        let mut warnings = Vec::new();
        if args.open_in_editor {
            warnings.push("no editor is attached: the file was not opened".to_owned());
        }
        Ok(CreateResult {
            success: true,
            created: before.is_none() && !args.dry_run,
            template: args.template.clone(),
            size,
            directories_created: applied.directories_created,
            diff,
            hash: applied.files.into_iter().find_map(|effect| effect.hash),
            id: applied.id,
            dry_run: args.dry_run,
            warnings,
            summary,
            path,
        })
    }
}
