//! `open`: shows files, diffs, repository changes and symbols to the user. Each item has its own result.
//!
//! Each item is resolved first ([`ResolvedItem`]). Then an editor shows it, or it is printed as text ([`show`]) if the
//! user called from a terminal and no editor is attached.

mod diff;
mod file;
mod show;
mod symbol;

pub use show::{ShowResult, Shown};

use marquetry_model::{
    Error, Kind, Result,
    editor::{self, Answer, DiffId, DiffSide, EditorCall, NoEditors, OpenFile, Region, Request, Reveal, Revealed},
    ports::EntryKind,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    result_types::{Point, Range},
    session::Session,
};

/// Arguments of `open`: `items`, or one item by itself.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenArgs {
    /// Project root (default: the server's).
    pub root: Option<String>,
    /// Several items to open.
    pub items: Option<Vec<OpenItem>>,
    /// One item, given directly.
    #[serde(flatten)]
    pub item: OpenItem,
    /// The editor (default: last used).
    pub editor: Option<String>,
}

/// One item to open.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenItem {
    /// Kind of item to open.
    #[schemars(extend("enum" = TYPES))]
    pub r#type: Option<String>,
    /// The file.
    pub path: Option<String>,
    /// First line to select, from 1.
    pub start_line: Option<usize>,
    /// Last line to select.
    pub end_line: Option<usize>,
    /// `diff`: the old file.
    pub left: Option<String>,
    /// `diff`: the new file.
    pub right: Option<String>,
    /// Title of the tab.
    pub title: Option<String>,
    /// Old revision, `staged` or `working` (default `HEAD`).
    pub from: Option<String>,
    /// New revision (default `working`).
    pub to: Option<String>,
    /// Lines around each change.
    pub context: Option<usize>,
    /// Name or address of a symbol.
    pub query: Option<String>,
}

/// Types of items.
const TYPES: [&str; 4] = ["file", "diff", "gitDiff", "symbol"];

/// Result of `open`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenResult {
    /// True if all items were opened.
    pub success: bool,
    /// Errors of the items that were not opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Result of each item, in order.
    pub results: Vec<ItemResult>,
    /// Warnings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Result of one item.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemResult {
    /// True if it was opened.
    pub success: bool,
    /// Error message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Kind of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// Hint on how to fix the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Valid values, most similar first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// Type of the item.
    pub r#type: String,
    /// Path of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Selected range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// Address of the symbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// `modified`, `created` or `deleted`, between the two sides of a diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<&'static str>,
    /// A note about the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A resolved item.
enum ResolvedItem {
    /// A file with a part to select.
    File { path: String, part: Option<FilePart>, address: Option<String> },
    /// A diff.
    Diff(Box<diff::DiffPair>),
}

/// A part of a file, as a region for editors and a range for the result.
struct FilePart {
    region: Region,
    range: Range,
}

impl FilePart {
    fn between(start: Point, end: Point) -> FilePart {
        let at = |point: Point| editor::Point {
            line: u32::try_from(point.line.saturating_sub(1)).unwrap_or(u32::MAX),
            column: u32::try_from(point.column).unwrap_or(u32::MAX),
        };
        FilePart { region: Region { start: at(start), end: at(end) }, range: Range { start, end } }
    }
}

impl OpenItem {
    /// Returns the type. An item with only a path is a `file`.
    fn kind(&self) -> Result<&str> {
        let known = || TYPES.map(str::to_owned);
        match self.r#type.as_deref() {
            Some(kind) if TYPES.contains(&kind) => Ok(kind),
            Some(other) => {
                Err(Error::argument(format!("items of the type `{other}` cannot be opened")).candidates(known()))
            }
            None if self.path.is_some() && self.query.is_none() && self.from.is_none() && self.to.is_none() => {
                Ok("file")
            }
            None => Err(Error::argument("`type` is missing").hint("say what to open").candidates(known())),
        }
    }

    fn required<'a>(&self, value: Option<&'a String>, name: &str) -> Result<&'a str> {
        let kind = self.r#type.as_deref().unwrap_or("file");
        value.map(String::as_str).ok_or_else(|| {
            Error::argument(format!("`{name}` is missing")).hint(format!("an item of the type `{kind}` needs `{name}`"))
        })
    }

    fn resolve(&self, session: &Session) -> Result<ResolvedItem> {
        match self.kind()? {
            "diff" => diff::diff_of_files(session, self),
            "gitDiff" => diff::diff_of_revisions(session, self),
            "symbol" => symbol::resolve_symbol_item(session, self),
            _ => file::resolve_file_item(session, self),
        }
    }

    /// Name of the type in error messages.
    fn name(&self) -> &'static str {
        match self.kind() {
            Ok("diff") => "diff",
            Ok("gitDiff") => "git diff",
            Ok("symbol") => "symbol",
            Ok(_) => "file",
            Err(_) => "item",
        }
    }
}

impl OpenArgs {
    fn items(&self) -> Result<Vec<OpenItem>> {
        let single = self.item != OpenItem::default();
        match (&self.items, single) {
            (Some(_), true) => Err(Error::argument("`items` and a single item exclude each other")
                .hint("put the single item into `items` as well")),
            (Some(items), false) if items.is_empty() => Err(Error::argument("`items` is empty")),
            (Some(items), false) => Ok(items.clone()),
            (None, _) => Ok(vec![self.item.clone()]),
        }
    }
}

impl Session {
    /// Opens items in an editor.
    pub(crate) fn open_items(&self, args: &OpenArgs) -> Result<OpenResult> {
        let items = args.items()?;
        if !self.editors.is_any_attached() {
            return Err(NoEditors::error());
        }
        let stage = self.work.stage("opening", items.len());
        let mut results = Vec::new();
        for item in &items {
            stage.step()?;
            let opened = item.resolve(self).and_then(|prepared| self.open_in_editor(args, item, prepared));
            results.push(opened.unwrap_or_else(|error| failed_item(item, &error)));
        }
        let error = error_summary(&results);
        Ok(OpenResult { success: error.is_none(), error, results, warnings: Vec::new() })
    }

    fn open_in_editor(&self, args: &OpenArgs, item: &OpenItem, prepared: ResolvedItem) -> Result<ItemResult> {
        let call = EditorCall { editor: args.editor.clone(), ..EditorCall::for_root(self.files.root(), &self.work) };
        let mut result = item_result(item, &prepared);
        let request = match prepared {
            ResolvedItem::File { path, part, .. } => {
                let reveal = part.map_or(Reveal::Nothing, |part| Reveal::Region(part.region));
                Request::Open(OpenFile { path: self.absolute(&path), reveal, preview: false, focus: true })
            }
            ResolvedItem::Diff(pair) => {
                let (left, right) = (self.side(&pair.left), self.side(&pair.right));
                // The real id is assigned by the registry of all diffs.
                let diff = editor::Diff { id: DiffId(0), title: pair.title, left, right, decide: false, focus: true };
                Request::ShowDiff(diff)
            }
        };
        if let Answer::Opened(opened) = self.editors.send_request(&call, request)?
            && opened.revealed != Revealed::All
        {
            result.note = Some("the text in the editor differs: nothing was selected".to_owned());
        }
        Ok(result)
    }

    /// Opens a file that was just created. Returns a warning if that fails; the file exists anyway.
    pub(crate) fn open_created(&self, path: &str) -> Option<String> {
        let file = OpenFile { path: self.absolute(path), focus: true, ..OpenFile::default() };
        let opened =
            self.editors.send_request(&EditorCall::for_root(self.files.root(), &self.work), Request::Open(file));
        opened.err().map(|error| format!("the file was not opened: {}", error.content().message))
    }

    /// Absolute path, as used by editors.
    pub(crate) fn absolute(&self, path: &str) -> String {
        format!("{}/{path}", self.files.root().trim_end_matches('/'))
    }

    fn side(&self, side: &diff::DiffSide) -> DiffSide {
        let text = (!side.live).then(|| side.text.replace("\r\n", "\n").into());
        DiffSide { path: Some(self.absolute(&side.path)), text, label: side.label.clone() }
    }
}

/// Result of a resolved item.
fn item_result(item: &OpenItem, prepared: &ResolvedItem) -> ItemResult {
    let mut result =
        ItemResult { success: true, r#type: item.kind().unwrap_or_default().to_owned(), ..ItemResult::default() };
    match prepared {
        ResolvedItem::File { path, part, address } => {
            result.path = Some(path.clone());
            result.range = part.as_ref().map(|part| part.range);
            result.address.clone_from(address);
        }
        ResolvedItem::Diff(pair) => {
            result.path = Some(pair.right.path.clone());
            result.change = Some(pair.change());
            result.note.clone_from(&pair.note);
        }
    }
    result
}

fn failed_item(item: &OpenItem, error: &Error) -> ItemResult {
    let content = error.content();
    ItemResult {
        success: false,
        error: Some(format!("Failed to open {}: {}", item.name(), content.message)),
        kind: Some(content.kind.name()),
        hint: content.hint.clone(),
        candidates: content.candidates.clone(),
        r#type: item.r#type.clone().unwrap_or_else(|| "file".to_owned()),
        path: item.path.clone(),
        ..ItemResult::default()
    }
}

/// Error message over all items. For a single item it is the error of that item.
fn error_summary(results: &[ItemResult]) -> Option<String> {
    let errors: Vec<&String> = results.iter().filter_map(|result| result.error.as_ref()).collect();
    match (errors.as_slice(), results.len()) {
        ([], _) => None,
        ([only], 1) => Some((*only).clone()),
        (errors, all) => {
            let messages: Vec<&str> = errors.iter().map(|error| error.as_str()).collect();
            Some(format!("{} of {all} were not opened: {}", errors.len(), messages.join("; ")))
        }
    }
}

/// Returns the path if it is an existing file.
pub(super) fn existing_file(session: &Session, path: &str) -> Result<String> {
    let path = session.files.locate(path)?;
    match session.files.stat(&path) {
        Some(EntryKind::File) => Ok(path),
        Some(EntryKind::Directory) => {
            Err(Error::new(Kind::Unsupported, format!("`{path}` is a folder")).hint("name a file"))
        }
        // The error of `read` suggests similar paths.
        None => session.files.read(&path).map(|_| path),
    }
}
