//! Requests to an editor, its answers, and what it tells of its own accord. Plain data; the units are told in the module
//! above.

use std::sync::Arc;

use crate::pack::Severity;

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Point {
    /// From 0.
    pub line: u32,
    /// From 0, in UTF-16 code units.
    pub column: u32,
}

/// A half-open range of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Region {
    /// The first place.
    pub start: Point,
    /// The place after the last.
    pub end: Point,
}

impl Region {
    /// Whether nothing is in it.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// What the host wants of an editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Open a file. Answered with [`Answer::Opened`].
    Open(OpenFile),
    /// Show two texts side by side. Answered with [`Answer::Done`] once it is shown; what the person decides about one that
    /// asks for it is told later, as [`News::Decided`].
    ShowDiff(Diff),
    /// Take a diff away, whatever is in it. One that is gone already is [`Answer::Done`] as well.
    CloseDiff(DiffId),
    /// Close the tabs of a file. Unsaved ones stay: answered with [`Answer::Closed`].
    CloseTab(String),
    /// The open tabs. Answered with [`Answer::Tabs`].
    Tabs,
    /// What is selected now. Answered with [`Answer::Selection`].
    Selection,
    /// Whether a file is open and unsaved. Answered with [`Answer::Dirty`].
    Dirty(String),
    /// The text of a file as the editor holds it. Answered with [`Answer::Text`].
    Text(String),
    /// Save an open file. Answered with [`Answer::Saved`].
    Save(String),
    /// The folders that the editor works in. Answered with [`Answer::Folders`].
    Folders,
    /// What the editor knows to be wrong, in one file or in all. Answered with [`Answer::Diagnostics`].
    Diagnostics(Option<String>),
    /// Edit open files in the editor, so that the person can take it back there. Answered with [`Answer::Done`]; all or none.
    Apply(Vec<Edits>),
    /// Show a line to the person. Answered with [`Answer::Done`].
    Show(Message),
}

/// Open a file, and show a part of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OpenFile {
    /// The file.
    pub path: String,
    /// What of it is shown and selected.
    pub reveal: Reveal,
    /// In a tab that the next preview takes, where the editor has such tabs.
    pub preview: bool,
    /// The person's keys go there. Otherwise it is opened without taking the person away from what they do.
    pub focus: bool,
}

/// What is shown of a file that is opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Reveal {
    /// What the editor shows anyhow.
    #[default]
    Nothing,
    /// A region, selected. An empty one is where the caret goes.
    Region(Region),
    /// From the first place of a text to the end of the first place of another one after it.
    Text {
        /// Where the selection starts.
        start: String,
        /// Where it ends; without it, the first text alone is selected.
        end: Option<String>,
        /// The selection goes on to the end of its last line.
        to_line_end: bool,
    },
}

/// A file that was opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Opened {
    /// The language, as the editor names it; empty where it does not know.
    pub language: String,
    /// Lines of the file.
    pub lines: u32,
    /// What became of the part that was to be shown.
    pub revealed: Revealed,
}

/// What became of the part that was to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Revealed {
    /// It is shown, or there was nothing to show.
    #[default]
    All,
    /// The first text is there, the second one is not after it.
    StartOnly,
    /// The text is not there; the file is open.
    Nothing,
}

/// A number for a diff that no diff of this process had before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DiffId(pub u32);

/// Two texts side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diff {
    /// What it is known by.
    pub id: DiffId,
    /// The name of the tab.
    pub title: String,
    /// Before.
    pub left: Side,
    /// After. Of a diff to decide it is the proposed text, which the person may change before accepting it.
    pub right: Side,
    /// The person decides: accept or reject. The editor writes no file either way.
    pub decide: bool,
    /// The person's keys go there.
    pub focus: bool,
}

/// One side of a diff.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Side {
    /// The file that it is about: the text, where no other is given; else only what language the text is in.
    pub path: Option<String>,
    /// The text, where it is not that of the file. Empty for a file that is missing on this side.
    pub text: Option<Arc<str>>,
    /// What stands above it, such as `src/a.ts (HEAD~1)`.
    pub label: String,
}

/// Edits of one file that is open in the editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edits {
    /// The file.
    pub path: String,
    /// Sorted, and apart.
    pub edits: Vec<TextEdit>,
    /// Save it afterwards.
    pub save: bool,
}

/// One edit of a text in an editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// Where.
    pub region: Region,
    /// What has to stand there; if something else does, nothing is edited.
    pub old: String,
    /// What takes its place.
    pub new: String,
}

/// A line for the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// How much it matters.
    pub level: Level,
    /// One line.
    pub text: String,
}

/// How much a message matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Something failed.
    Error,
    /// Something may be wrong.
    Warning,
    /// Worth knowing.
    Info,
}

/// What an editor answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It is done.
    Done,
    /// The file is open.
    Opened(Opened),
    /// So many tabs were closed, and so many stay because they are unsaved.
    Closed {
        /// Tabs that were closed.
        closed: u32,
        /// Tabs that are unsaved.
        unsaved: u32,
    },
    /// The open tabs, in the editor's order.
    Tabs(Vec<Tab>),
    /// What is selected; none where no text has the focus.
    Selection(Option<Selected>),
    /// Whether a file is unsaved; none where it is not open.
    Dirty(Option<Dirty>),
    /// The text of an open file; none where it is not open.
    Text(Option<Arc<str>>),
    /// Whether the file is saved now; false where it is not open.
    Saved(bool),
    /// The folders, the most important one first.
    Folders(Vec<Folder>),
    /// What is wrong, by file.
    Diagnostics(Vec<DiagnosticsOf>),
}

/// Whether an open file is saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dirty {
    /// It has changes that are not on disk.
    pub dirty: bool,
    /// It never was on disk.
    pub untitled: bool,
}

/// An open tab.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tab {
    /// The file; none where it is on no disk.
    pub path: Option<String>,
    /// What the editor calls it.
    pub label: String,
    /// The language, as the editor names it; may be empty.
    pub language: String,
    /// It has the focus, in its group.
    pub active: bool,
    /// It has changes that are not on disk.
    pub dirty: bool,
    /// It never was on disk.
    pub untitled: bool,
    /// It stays where it is.
    pub pinned: bool,
    /// The next preview takes its place.
    pub preview: bool,
    /// The group of tabs that it is in, from 0.
    pub group: u32,
    /// Its group has the focus.
    pub group_active: bool,
    /// Lines of its text, where the editor knows.
    pub lines: Option<u32>,
}

/// What is selected, or where the caret is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selected {
    /// The file.
    pub path: String,
    /// Where; empty for a caret.
    pub region: Region,
    /// The selected text, up to a limit.
    pub text: Arc<str>,
    /// The text goes on beyond the limit.
    pub cut: bool,
    /// The language of the file, as the editor names it; may be empty.
    pub language: String,
    /// The editor's mode, such as `visual-line`; empty where it has none.
    pub mode: String,
}

/// A folder that an editor works in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Folder {
    /// What the editor calls it.
    pub name: String,
    /// Where it is.
    pub path: String,
}

/// What an editor knows to be wrong in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagnosticsOf {
    /// The file.
    pub path: String,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

/// One thing that is wrong, as an editor says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Where.
    pub region: Region,
    /// How bad.
    pub severity: Severity,
    /// What.
    pub message: String,
    /// Who says so: a checker, a linter; may be empty.
    pub source: String,
    /// The rule, such as `2345`; may be empty.
    pub code: String,
}

/// What an editor tells of its own accord.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// Something else is selected; none where no text of the roots has the focus any more.
    Selection(Option<Selected>),
    /// Tabs were opened, closed, saved, changed, or another one is active: all that there are now.
    Tabs(Vec<Tab>),
    /// The folders are these now.
    Folders(Vec<Folder>),
    /// A file was saved.
    Saved(String),
    /// The text of a file was changed in the editor.
    Changed(String),
    /// The person decided about a diff.
    Decided(DiffId, Decision),
    /// The person wants a file, or lines of it, to be talked about.
    Mentioned(Mention),
    /// The editor has the person's keys now, or no longer.
    Focused(bool),
    /// The editor is gone. Told by the host.
    Gone,
}

/// A file that the person mentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The file or folder.
    pub path: String,
    /// The first and the last line of it, from 0; none for all of it.
    pub lines: Option<(u32, u32)>,
}

/// What became of a diff to decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Accepted, with this text: the proposed one, or what the person made of it.
    Accepted(Arc<str>),
    /// Not accepted.
    Rejected(Rejection),
}

/// Why a diff was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rejection {
    /// The person said so.
    Refused,
    /// The person closed it.
    Closed,
    /// Another proposal of the same owner with the same tab took its place.
    Replaced,
    /// Whoever proposed it took it back, or went away.
    Withdrawn,
    /// The editor went away.
    EditorGone,
}
