//! Requests to an editor, its answers and its events. Plain data; the units are described in the parent module.

use std::sync::Arc;

use crate::pack::Severity;

/// A position in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Point {
    /// The line, from 0.
    pub line: u32,
    /// The column, from 0, in UTF-16 code units.
    pub column: u32,
}

/// A half-open range of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Region {
    /// The first position.
    pub start: Point,
    /// The position just past the last.
    pub end: Point,
}

impl Region {
    /// Returns whether the region is empty.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// A request to an editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Opens a file. Answered with [`Answer::Opened`].
    Open(OpenFile),
    /// Shows two texts side by side. Answered with [`Answer::Done`] once it is shown. If the user has to decide, the
    /// decision follows as [`EditorEvent::Decided`].
    ShowDiff(Diff),
    /// Closes a diff, discarding changes. Answered with [`Answer::Done`], even if it is already closed.
    CloseDiff(DiffId),
    /// Closes the tabs of a file, except for unsaved ones. Answered with [`Answer::Closed`].
    CloseTab(String),
    /// Lists the open tabs. Answered with [`Answer::Tabs`].
    Tabs,
    /// Gets the current selection. Answered with [`Answer::Selection`].
    Selection,
    /// Gets whether a file is open and has unsaved changes. Answered with [`Answer::Dirty`].
    Dirty(String),
    /// Gets the text of a file's buffer. Answered with [`Answer::Text`].
    Text(String),
    /// Saves an open file. Answered with [`Answer::Saved`].
    Save(String),
    /// Lists the workspace folders. Answered with [`Answer::Folders`].
    Folders,
    /// Gets the diagnostics of one file or of all. Answered with [`Answer::Diagnostics`].
    Diagnostics(Option<String>),
    /// Edits open files in the editor, so that the user can undo the edits in the editor. Atomic. Answered with
    /// [`Answer::Done`].
    Apply(Vec<FileEdits>),
    /// Shows a message to the user. Answered with [`Answer::Done`].
    Show(Message),
}

/// A request to open a file and reveal a part of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OpenFile {
    /// The file.
    pub path: String,
    /// The part to reveal and select.
    pub reveal: Reveal,
    /// Opens the file in a preview tab, which the next preview reuses, if the editor has such tabs.
    pub preview: bool,
    /// Gives the file the keyboard focus. Otherwise the focus does not change.
    pub focus: bool,
}

/// The part of a file to reveal when it is opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Reveal {
    /// Reveals no particular part: the editor chooses which lines to show.
    #[default]
    Nothing,
    /// Selects a region. An empty one places the caret.
    Region(Region),
    /// Selects from the first occurrence of one text to the end of the first occurrence of another text after it.
    Text {
        /// The text at which the selection starts.
        start: String,
        /// The text at which it ends. `None` selects the first text only.
        end: Option<String>,
        /// Extends the selection to the end of its last line.
        to_line_end: bool,
    },
}

/// The result of opening a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Opened {
    /// The editor's name for the language; empty if unknown.
    pub language: String,
    /// The number of lines in the file.
    pub lines: u32,
    /// Result of revealing the requested part.
    pub revealed: Revealed,
}

/// Result of revealing a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Revealed {
    /// The part is shown, or no part was requested.
    #[default]
    All,
    /// The start text was found, but not the end text after it.
    StartOnly,
    /// The start text was not found. The file is open.
    Nothing,
}

/// The id of a diff, unique in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DiffId(pub u32);

/// A diff of two texts, shown side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diff {
    /// Its id.
    pub id: DiffId,
    /// The title of the tab.
    pub title: String,
    /// The text before.
    pub left: DiffSide,
    /// The text after. If the user has to decide, this is the proposed text, which they can edit before accepting it.
    pub right: DiffSide,
    /// Asks the user to accept or reject. The editor does not write the file in either case.
    pub decide: bool,
    /// Gives the diff the keyboard focus.
    pub focus: bool,
}

/// One side of a diff.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DiffSide {
    /// The file. Its text is shown if `text` is `None`; otherwise it only determines the language.
    pub path: Option<String>,
    /// The text, if it is not that of the file. Empty for a file that is missing on this side.
    pub text: Option<Arc<str>>,
    /// The label above the text, such as `src/a.ts (HEAD~1)`.
    pub label: String,
}

/// Edits of one file that is open in the editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdits {
    /// The file.
    pub path: String,
    /// The edits, sorted and not overlapping.
    pub edits: Vec<TextEdit>,
    /// Saves the file afterwards.
    pub save: bool,
}

/// One edit of a text in an editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// The region to replace.
    pub region: Region,
    /// The text that is expected in the region. If it differs, nothing is edited.
    pub old: String,
    /// The replacement.
    pub new: String,
}

/// A message for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its severity.
    pub level: Level,
    /// The text, a single line.
    pub text: String,
}

/// The severity of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Something failed.
    Error,
    /// Something may be wrong.
    Warning,
    /// Information.
    Info,
}

/// An answer of an editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The request was carried out.
    Done,
    /// The file was opened.
    Opened(Opened),
    /// The tabs were closed, except for unsaved ones.
    Closed {
        /// The number of closed tabs.
        closed: u32,
        /// The number of unsaved tabs that stay open.
        unsaved: u32,
    },
    /// The open tabs, in the editor's order.
    Tabs(Vec<Tab>),
    /// The selection; `None` if no text has the focus.
    Selection(Option<EditorSelection>),
    /// The unsaved state of the file; `None` if it is not open.
    Dirty(Option<DirtyState>),
    /// The text of the file; `None` if it is not open.
    Text(Option<Arc<str>>),
    /// True if the file is saved now; false if it is not open.
    Saved(bool),
    /// The folders, most important first.
    Folders(Vec<Folder>),
    /// The diagnostics, by file.
    Diagnostics(Vec<FileDiagnostics>),
}

/// Unsaved state of an open file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DirtyState {
    /// True if the file has unsaved changes.
    pub dirty: bool,
    /// True if the file has never been saved.
    pub untitled: bool,
}

/// An open tab.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tab {
    /// The file; `None` if the tab does not show a file on disk.
    pub path: Option<String>,
    /// Its title.
    pub label: String,
    /// The editor's name for the language; may be empty.
    pub language: String,
    /// True if it is the active tab of its group.
    pub active: bool,
    /// True if it has unsaved changes.
    pub dirty: bool,
    /// True if it has never been saved.
    pub untitled: bool,
    /// True if it is pinned.
    pub pinned: bool,
    /// True if it is a preview tab, which the next preview reuses.
    pub preview: bool,
    /// The index of its tab group, from 0.
    pub group: u32,
    /// True if its group has the focus.
    pub group_active: bool,
    /// The number of lines of its text, if known.
    pub lines: Option<u32>,
}

/// The selection, or the position of the caret.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EditorSelection {
    /// The file.
    pub path: String,
    /// The selected region; empty for a caret.
    pub region: Region,
    /// The selected text, truncated at a limit.
    pub text: Arc<str>,
    /// True if the text was truncated.
    pub is_truncated: bool,
    /// The editor's name for the language; may be empty.
    pub language: String,
    /// The editor's mode, such as `visual-line`; empty if it has none.
    pub mode: String,
}

/// A workspace folder of an editor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Folder {
    /// The editor's name for it.
    pub name: String,
    /// Its path.
    pub path: String,
}

/// The diagnostics of one file in an editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiagnostics {
    /// The file.
    pub path: String,
    /// The diagnostics.
    pub diagnostics: Vec<EditorDiagnostic>,
}

/// A diagnostic from an editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditorDiagnostic {
    /// Its location.
    pub region: Region,
    /// Its severity.
    pub severity: Severity,
    /// Its message.
    pub message: String,
    /// The checker or linter that reports it; may be empty.
    pub source: String,
    /// The rule, such as `2345`; may be empty.
    pub code: String,
}

/// An event from an editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditorEvent {
    /// The selection changed; `None` if no text of the roots has the focus any more.
    Selection(Option<EditorSelection>),
    /// The tabs changed: opened, closed, saved, edited or activated. Lists all of them.
    Tabs(Vec<Tab>),
    /// The workspace folders changed.
    Folders(Vec<Folder>),
    /// A file was saved.
    Saved(String),
    /// The text of a file was changed in the editor.
    Changed(String),
    /// The user decided about a diff.
    Decided(DiffId, Decision),
    /// The user mentions a file, or lines of it, to the assistant.
    Mentioned(Mention),
    /// The editor got or lost the keyboard focus.
    Focused(bool),
    /// The editor disconnected. Generated by the host.
    Disconnected,
}

/// A file that the user mentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The file or folder.
    pub path: String,
    /// The first and last line, from 0; `None` for the entire file.
    pub lines: Option<(u32, u32)>,
}

/// The decision about a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Accepted with this text: the proposed one, or the user's edited version.
    Accepted(Arc<str>),
    /// Not accepted.
    Rejected(Rejection),
}

/// The reason for which a diff was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rejection {
    /// The user rejected the diff.
    Refused,
    /// The user closed the diff.
    Closed,
    /// Replaced by another proposal of the same owner and tab name.
    Replaced,
    /// The owner of the proposal withdrew it or disconnected.
    Withdrawn,
    /// The editor disconnected.
    EditorDisconnected,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn region_is_empty_if_its_ends_are_equal() {
        let point = |line, column| Point { line, column };
        for (start, end, empty) in
            [(point(1, 2), point(1, 2), true), (point(1, 2), point(1, 3), false), (point(1, 2), point(2, 2), false)]
        {
            assert_eq!(Region { start, end }.is_empty(), empty, "{start:?}, {end:?}");
        }
    }
}
