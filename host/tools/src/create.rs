//! `file_create`: creates a new file with content or from a template.

use std::sync::Arc;

use marquetry_model::{Error, Kind, Result, Step, diff, ports::Source};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    change_queue::Scope,
    change_report::ChangeReport,
    draft::{Commit, Draft, diagnostic_text},
    pagination::ByteBudget,
    preview::Check,
    result_types::pluralized,
    session::{Session, Writing},
};

/// Arguments of `file_create`.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateArgs {
    /// Project root (default: the server's).
    pub root: Option<String>,
    /// File to create.
    pub path: String,
    /// Content, instead of a template.
    pub content: Option<String>,
    /// Template of a pack or from `.marquetry/templates` (default `empty`).
    pub template: Option<String>,
    /// Template variables; `name` defaults to the file's stem.
    pub template_vars: Option<serde_json::Map<String, serde_json::Value>>,
    /// Replace an existing file.
    #[serde(default)]
    pub overwrite: bool,
    /// Create missing directories (default true).
    pub create_directories: Option<bool>,
    /// Open it in the editor.
    #[serde(default)]
    pub open_in_editor: bool,
    /// Report problems added and fixed; refuse new errors.
    #[serde(default)]
    pub check: bool,
    /// Write nothing, show the result.
    #[serde(default)]
    pub dry_run: bool,
    /// Maximum bytes of diff and lists.
    pub max_bytes: Option<usize>,
}

/// Result of `file_create`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateResult {
    /// Always true; failures are returned as errors.
    pub success: bool,
    /// Path of the file.
    pub path: String,
    /// True if the file is new; false if it replaced another one, and for a dry run.
    pub created: bool,
    /// Name of the template; `None` if the content was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// Size in bytes.
    pub size: u64,
    /// Directories that were created.
    pub directories_created: Vec<String>,
    /// Hash of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Diff, id and warnings.
    #[serde(flatten)]
    pub report: ChangeReport,
    /// Always `complete`.
    pub completeness: &'static str,
    /// The plugin for the file; `none` without a plugin.
    pub engine: String,
    /// Summary in one line.
    pub summary: String,
}

/// Template of an empty file.
const EMPTY_TEMPLATE: &str = "empty";
/// Maximum number of syntax errors that a message lists.
const MAX_SYNTAX_ERRORS: usize = 3;

impl Session {
    /// Creates a file.
    pub(crate) fn create(&self, args: &CreateArgs) -> Result<CreateResult> {
        let path = self.files.locate(&args.path)?;
        let content = match (&args.content, args.template.as_deref()) {
            (Some(_), Some(name)) if name != "empty" => {
                return Err(Error::argument("`content` and `template` exclude each other")
                    .hint("leave out one of them; a template takes `templateVars`"));
            }
            (Some(content), _) => content.clone(),
            (None, None | Some("empty")) => String::new(),
            (None, Some(name)) => self.render_template(name, &path, args.template_vars.as_ref())?,
        };
        let writing = Writing { scope: Scope::File(&path), dry_run: args.dry_run, hash_expected: false };
        let mut created = self.run_change(writing, || self.create_once(&path, &content, args))?;
        if args.open_in_editor && !args.dry_run {
            created.report.warnings.extend(self.open_created(&path));
        }
        Ok(created)
    }

    fn create_once(&self, path: &str, content: &str, args: &CreateArgs) -> Result<CreateResult> {
        let before = self.files.stat(path).and_then(|_| self.files.read(path).ok());
        let size = content.len() as u64;
        let verb = if before.is_some() { "Replaced" } else { "Created" };
        let mut draft = Draft::default();
        draft.add_step(Step::Create {
            path: path.to_owned(),
            content: content.as_bytes().to_vec(),
            overwrite: args.overwrite,
            directories: args.create_directories.unwrap_or(true),
        });
        let is_made = args.content.is_none();
        let engine = self.check_content(path, content, &mut draft, is_made)?;
        let commit = Commit { dry_run: args.dry_run, preview: false, check: Check::refusing(args.check) };
        let committed = draft.commit(self, format!("{verb} {path} ({})", pluralized(content.len(), "byte")), commit)?;
        let (old, new) = (format!("a/{path}"), format!("b/{path}"));
        let diff = diff::whole_file(before.as_ref().map(|source| (&*old, &*source.text)), Some((&new, content)));
        let mut room = ByteBudget::of_change(args.max_bytes.or(self.max_bytes));
        let diff = room.text("`diff`", diff);
        Ok(CreateResult {
            success: true,
            created: before.is_none() && !args.dry_run,
            template: args.template.clone().or_else(|| args.content.is_none().then(|| EMPTY_TEMPLATE.to_owned())),
            size,
            hash: committed.hash_of(path),
            completeness: "complete",
            engine,
            summary: committed.title.clone(),
            directories_created: committed.applied.directories_created.clone(),
            report: ChangeReport::new(committed, diff, args.dry_run, &room),
            path: path.to_owned(),
        })
    }

    /// Adds warnings about the new content, and returns the engine that checked it. Fails if the content comes from a
    /// template (`is_made`) and has syntax errors.
    fn check_content(&self, path: &str, content: &str, draft: &mut Draft, is_made: bool) -> Result<String> {
        // The caller names this file, so its pack may read it even if it holds secrets, as in any call about one file.
        self.work.name_file(path);
        if !content.is_empty() && !content.ends_with(['\n', '\r']) {
            draft.warn("the last line does not end with a line break".to_owned());
        }
        let text: Arc<str> = Arc::from(content);
        let size = content.len() as u64;
        let source = Source { path: path.to_owned(), text: Arc::clone(&text), hash: String::new(), size };
        let file = match self.open_source(source) {
            Ok(file) => file,
            Err(error) if error.kind() == Kind::Unsupported => return Ok("none".to_owned()),
            Err(error) => return Err(error),
        };
        let errors = file.errors_of(&text)?;
        if !errors.is_empty() {
            let shown: Vec<String> =
                errors.iter().take(MAX_SYNTAX_ERRORS).map(|error| diagnostic_text(&text, error)).collect();
            let what = format!("{}: {}", pluralized(errors.len(), "syntax error"), shown.join("; "));
            if is_made {
                // The caller did not write this content, so the syntax errors cannot be intentional.
                return Err(Error::new(Kind::ParseError, format!("the template would create a file with {what}"))
                    .hint("give other `templateVars`, or `content` of your own"));
            }
            draft.warn(format!("the content has {what}"));
        }
        Ok(file.engine().to_owned())
    }
}
