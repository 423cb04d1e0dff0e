//! `file_edit`: edits parts of a file. Edits are byte splices, and the syntax is checked before anything is written.

mod adjacent;
mod arguments;
mod file_set;
mod multi_file;
mod operation;
mod splice;
mod structural;

pub use arguments::{OneEdit, OperationName, PositionName};
pub use file_set::{FileSetArgs, FileSetResult};

use operation::parse_edits;

use marquetry_model::{Error, Kind, Result, text::PositionTracker};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    change_queue::Scope,
    change_report::ChangeReport,
    document::{OpenFile, check_embedded_syntax},
    draft::{Commit, Committed, Draft, check_syntax},
    pagination::ByteBudget,
    preview::Check,
    result_types::{FileChange, Point, Range, pluralized},
    session::{Session, Writing},
    target::SelectionRange,
};

/// Arguments of `file_edit`. Either one edit (`target` and `operation`), or several in `edits`, in one file or in `files`; or
/// `changes` of several files, carried out as one change; or a `refactor`.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditArgs {
    /// Project root (default: the server's).
    pub root: Option<String>,
    /// File to edit.
    pub file: Option<String>,
    /// Instead of `file`: paths and globs; `!` excludes.
    pub files: Option<Vec<String>>,
    /// Edits of several files as one change.
    pub changes: Option<Vec<FileEdit>>,
    /// The edit, when there is one.
    #[serde(flatten)]
    pub edit: OneEdit,
    /// Several edits of the current text as one change.
    pub edits: Option<Vec<OneEdit>>,
    /// Refuse if the file no longer has this `hash`.
    pub expected_hash: Option<String>,
    /// Write even if a check refuses the edit.
    #[serde(default)]
    pub force: bool,
    /// Report problems added and fixed; refuse new errors.
    #[serde(default)]
    pub check: bool,
    /// Write nothing, show the result (default above 20 files).
    pub dry_run: Option<bool>,
    /// Include old and new content of each edit.
    #[serde(default)]
    pub preview: bool,
    /// Maximum bytes of diff and lists.
    pub max_bytes: Option<usize>,
    /// Instead of an edit: `rename_symbol`, `extract_function`, `move_to_file` …
    pub refactor: Option<String>,
    /// `rename_symbol`: the new name.
    pub new_name: Option<String>,
    /// `rename_symbol`: `workspace` (default) or `file`; extractions: target scope.
    pub scope: Option<String>,
    /// `rename_symbol`: names of re-exports (default `keep`).
    #[schemars(extend("enum" = ["keep", "rename"]))]
    pub exports: Option<String>,
    /// Line of the symbol, from 1.
    pub line: Option<usize>,
    /// Column of the symbol, from 0.
    pub column: Option<usize>,
    /// `server`: use the language server.
    #[schemars(extend("enum" = ["plugin", "server"]))]
    pub engine: Option<String>,
    /// Code to extract.
    pub selection_range: Option<SelectionRange>,
    /// Name of the extracted symbol.
    pub extracted_name: Option<String>,
    /// Its other arguments.
    #[serde(default)]
    pub arguments: serde_json::Map<String, serde_json::Value>,
    /// Settings of editors, for refactors that know them.
    #[serde(default)]
    pub preferences: serde_json::Map<String, serde_json::Value>,
}

/// An edit of one file.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileEdit {
    /// File to edit.
    pub file: String,
    /// The edit.
    #[serde(flatten)]
    pub edit: OneEdit,
    /// Refuse if the file no longer has this `hash`.
    pub expected_hash: Option<String>,
}

/// Result of `file_edit`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditResult {
    /// Always true; failures are returned as errors.
    pub success: bool,
    /// The operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationName>,
    /// The refactoring.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refactor: Option<String>,
    /// Path of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The renamed symbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Its new name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_name: Option<String>,
    /// Number of changed files; their paths for a refactoring.
    pub files_affected: Affected,
    /// Number of edits.
    pub total_edits: usize,
    /// Number of files in `files` or `changes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_count: Option<usize>,
    /// Number of files that match a glob but have nothing to edit or are not text; they are unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without: Option<usize>,
    /// Edits of each file.
    pub changes: Vec<FileChange>,
    /// Range of the new text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// Hash of the file after the edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Diff, id and warnings.
    #[serde(flatten)]
    pub report: ChangeReport,
    /// `complete`, `syntactic` or `partial`, for a refactoring.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completeness: Option<String>,
    /// Occurrences that may or may not refer to the symbol, and were not changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unresolved: Vec<String>,
    /// Occurrences of the name in prose and data, which were not changed. They do not affect `completeness`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<String>,
    /// Exports that keep the old name; `exports: "rename"` renames them, too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
    /// Position of a new name, where `rename_symbol` can choose another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name_at: Option<Point>,
    /// The plugin that answered.
    pub engine: String,
    /// Summary in one line.
    pub summary: String,
}

/// A number of files, or the files themselves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Affected {
    /// Number of files.
    Count(usize),
    /// Paths of the files.
    Files(Vec<String>),
}

impl Default for Affected {
    fn default() -> Affected {
        Affected::Count(0)
    }
}

impl EditArgs {
    /// Returns whether nothing will be written.
    pub(crate) fn is_dry(&self) -> bool {
        self.dry_run.unwrap_or(false)
    }

    /// Options of the commit.
    pub(crate) fn commit(&self) -> Commit {
        Commit { dry_run: self.is_dry(), preview: self.preview, check: Check::unless_forced(self.check, self.force) }
    }

    /// Returns the edits that the call applies to the file, or to each file.
    fn edit_list(&self) -> Result<&[OneEdit]> {
        match &self.edits {
            Some(edits) if self.edit.operation.is_some() || self.edit.pattern.is_some() => {
                Err(Error::argument(format!("one edit and a list of {} exclude each other", edits.len())))
            }
            Some(edits) if edits.is_empty() => Err(Error::argument("`edits` is empty")),
            Some(edits) => Ok(edits),
            None => Ok(std::slice::from_ref(&self.edit)),
        }
    }
}

impl Session {
    /// Edits one or several files.
    pub(crate) fn edit(&self, args: &EditArgs) -> Result<EditResult> {
        if let Some(refactor) = &args.refactor {
            if args.edit.operation.is_some() || args.edits.is_some() {
                return Err(Error::argument("`refactor` and an edit exclude each other")
                    .hint("leave out `operation` and `edits`, or `refactor`"));
            }
            if args.files.is_some() || args.changes.is_some() {
                return Err(Error::argument("a refactor takes one `file`, and finds the other affected files itself")
                    .hint("leave out `files` and `changes`"));
            }
            return self.refactor(refactor, args);
        }
        if args.files.is_some() || args.changes.is_some() {
            return self.edit_many(args);
        }
        let path = args.file.as_deref().ok_or_else(|| {
            Error::argument("`file` is missing").hint("name the file in `file`, or several in `files` or `changes`")
        })?;
        let list = args.edit_list()?;
        let plan = parse_edits(list)?;
        let path = self.files.locate(path)?;
        let writing =
            Writing { scope: Scope::File(&path), dry_run: args.is_dry(), hash_expected: args.expected_hash.is_some() };
        self.run_change(writing, || {
            let file = self.open_or_symbol(&path)?;
            check_hash(&file, args.expected_hash.as_deref())?;
            let edits = self.splices(&file, &plan, args.force)?;
            if !args.force {
                check_syntax(&file, &edits)?;
                check_embedded_syntax(self, &file, &edits)?;
            }
            let mut draft = Draft::default();
            draft.edit(&file.source, edits)?;
            self.finish_edit(&file, list, draft, args)
        })
    }

    fn finish_edit(&self, file: &OpenFile, list: &[OneEdit], draft: Draft, args: &EditArgs) -> Result<EditResult> {
        let name = target_name(&list[0]);
        let operation = list[0].operation.unwrap_or(OperationName::Replace);
        let total = draft.edits();
        let summary = summary(operation, &name, list.len(), total == 0);
        let range = new_range(file.text(), &draft, file.path());
        let commit = args.commit();
        let title = format!("{summary} in {}", file.path());
        let committed = draft.commit(self, title, commit)?;
        let mut room = ByteBudget::of_change(args.max_bytes.or(self.max_bytes));
        let hash = committed.hash_of(file.path()).unwrap_or_else(|| file.source.hash.clone());
        Ok(EditResult {
            success: true,
            operation: (list.len() == 1).then_some(operation),
            file: Some(file.path().to_owned()),
            target: (list.len() == 1).then_some(name),
            files_affected: Affected::Count(usize::from(total > 0)),
            total_edits: total,
            range,
            hash: Some(hash),
            engine: file.engine().to_owned(),
            summary,
            ..edit_result(committed, args.is_dry(), &mut room)
        })
    }
}

/// Diff and edits of a change, within the size limit.
pub(crate) fn edit_result(mut committed: Committed, dry_run: bool, room: &mut ByteBudget) -> EditResult {
    let diff = room.diff(&committed.diffs);
    let changes = room.list("files of `changes`", std::mem::take(&mut committed.changes));
    EditResult { changes, report: ChangeReport::new(committed, diff, dry_run, room), ..EditResult::default() }
}

/// Checks that the file has the hash that the caller expects.
pub(crate) fn check_hash(file: &OpenFile, expected: Option<&str>) -> Result<()> {
    let hash = &file.source.hash;
    match expected {
        Some(expected) if expected != hash => Err(Error::new(
            Kind::Stale,
            format!("{} changed since it was read: its hash is {hash}, expected {expected}", file.path()),
        )
        .hint("read it again and repeat the edit")),
        _ => Ok(()),
    }
}

/// Range from the start of the first new text to the end of the last, in the text after the edits.
fn new_range(text: &str, draft: &Draft, path: &str) -> Option<Range> {
    let edits = draft.edits_of(path)?;
    let (mut reading, mut at, mut start) = (PositionTracker::default(), 0, None);
    for edit in edits.as_slice() {
        reading.advance(&text[at..edit.span.start]);
        start.get_or_insert(reading.position());
        reading.advance(&edit.text);
        at = edit.span.end;
    }
    Some(Range { start: start?.into(), end: reading.position().into() })
}

fn target_name(one: &OneEdit) -> String {
    let name = one.pattern.clone().unwrap_or_else(|| one.place.name());
    if name.is_empty() { "the file".to_owned() } else { name }
}

fn summary(operation: OperationName, target: &str, count: usize, nothing: bool) -> String {
    if nothing {
        return format!("Nothing to change: {target} is already like that");
    }
    if count > 1 {
        return format!("Made {}", pluralized(count, "edit"));
    }
    match operation {
        OperationName::Replace => format!("Replaced {target}"),
        OperationName::ReplaceBody => format!("Replaced body of {target}"),
        OperationName::InsertBefore => format!("Inserted before {target}"),
        OperationName::InsertAfter => format!("Inserted after {target}"),
        OperationName::InsertInto => format!("Inserted into {target}"),
        OperationName::Wrap => format!("Wrapped {target}"),
        OperationName::Delete => format!("Deleted {target}"),
        OperationName::ReplaceText => format!("Replaced text in {target}"),
    }
}
