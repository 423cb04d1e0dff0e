//! Every limit of the host, with its reason.

use std::time::Duration;

/// Files above this are not opened by a pack: spans in the contract are 32 bits wide.
pub const LARGEST_DOCUMENT: u64 = 512 << 20;
/// An edit of a file above this carries a warning.
pub const LARGE_FILE: u64 = 1 << 20;
/// The CPU time a pack has for one call on a small document.
pub const CALL: Duration = Duration::from_secs(10);
/// What a registry may raise it to.
pub const LONGEST_CALL: Duration = Duration::from_secs(600);
/// And what it gets on top for every MiB of document.
pub const CALL_PER_MIB: Duration = Duration::from_secs(2);
/// Time by the wall that a call of a pack has at least, however little of it the machine lets it work.
pub const WALL: Duration = Duration::from_secs(30);
/// And on top for every second that it may work: a machine on which it gets less is no place to wait for it.
pub const WALL_PER_CPU: u32 = 10;
/// Bytes that a pack may hand to the host at once, as an answer or as what it asks, beyond a multiple of the document.
pub const HANDED: usize = 128 << 20;
/// And what it may hand over on top for every byte of document: a node of an outline is some two hundred bytes.
pub const HANDED_PER_BYTE: usize = 32;
/// No pack hands over more than this at once.
pub const MOST_HANDED: usize = 2 << 30;
/// Memory of one instance, before anything is opened in it. The smallest useful pack needs two or three MiB.
pub const INSTANCE_MEMORY: usize = 128 << 20;
/// Memory on top for every byte of document: eight times, and as much again while it is parsed.
pub const MEMORY_PER_BYTE: usize = 24;
/// Bytes of a plugin's file.
pub const PLUGIN: u64 = 256 << 20;
/// Bytes of one function of a plugin: what a compiler takes grows faster than a function. The largest of bundled packs is 46 KiB.
pub const FUNCTION: usize = 1 << 20;
/// Memory that compiling a plugin may take.
pub const COMPILE_MEMORY: u64 = 3 << 30;
/// CPU time that it may take, on all cores together.
pub const COMPILE_CPU: Duration = Duration::from_secs(120);
/// Time by the wall that it may take, on a machine that does other things.
pub const COMPILE_WALL: Duration = Duration::from_secs(600);
/// Bytes of a compiled plugin.
pub const COMPILED: usize = 1 << 30;
/// Bytes of a registry, and of a lock.
pub const REGISTRY: u64 = 1 << 20;
/// No instance grows beyond this.
pub const MOST_MEMORY: usize = 3 << 30;
/// Memory of all instances of a process, running or kept. A single one may grow to what it may have.
pub const GUEST_MEMORY: usize = 4 << 30;
/// Memory of what is kept from call to call: idle instances with their documents, texts and answers of the index. Enough for
/// the largest documents that are edited again and again; beyond it what was used longest ago goes.
pub const KEPT_MEMORY: usize = 512 << 20;
/// Of it texts of one workspace.
pub const KEPT_TEXT: usize = 32 << 20;
/// Of it answers of one workspace.
pub const KEPT_ANSWERS: usize = 128 << 20;
/// Documents an instance keeps open; the least recently used goes first.
pub const OPEN_DOCUMENTS: usize = 256;
/// Bytes of documents an instance keeps open.
pub const OPEN_BYTES: usize = 32 << 20;
/// An earlier text of a file that is larger than this is not kept beside a newer one: its memory serves the new one.
pub const OUTDATED_BYTES: usize = 256 << 10;
/// Matches of a read, unless the caller says otherwise.
pub const MATCHES: usize = 50;
/// Holes of one pattern.
pub const CAPTURES: usize = 64;
/// The time that a search looks into files; what it found until then is its answer.
pub const SEARCH: Duration = Duration::from_secs(60);
/// Nodes that a guest may return in one answer, of the largest documents. No document has more of anything than it has bytes.
pub const MOST_NODES: usize = 4_000_000;
/// Edits, names and occurrences in one answer.
pub const MOST_OCCURRENCES: usize = 1_000_000;
/// Links, embedded parts, problems and findings in one answer.
pub const MOST_LINKS: usize = 500_000;
/// Relations and dependencies in one answer; new files and questions of one refactor.
pub const MOST_RELATIONS: usize = 100_000;
/// Items that an answer may have whatever the document is: an empty one has something to say, too.
pub const ANSWER_ITEMS: usize = 1_000;
/// Bytes of text that a guest may return in one answer, beyond a multiple of the document.
pub const MOST_TEXT: usize = 16 << 20;
/// Log lines of one plugin in one call; the rest is counted and dropped.
pub const LOG_LINES: usize = 200;
/// Length of one log line.
pub const LOG_LINE: usize = 2_000;
/// A read without a target shows the whole file up to so many lines, above that its outline.
pub const WHOLE_FILE_LINES: usize = 400;

/// A read without a target shows the outline of a file above this many bytes, however few lines it has.
pub const WHOLE_FILE_BYTES: usize = 128 << 10;
/// Files that one call may name to read or edit: what each of them answers is held until all have.
pub const CALL_FILES: usize = 50_000;
/// Files that an edit of several changes without having been told that it may: more of them are easily named by mistake.
pub const UNASKED_FILES: usize = 20;
/// Bytes of an answer about several files, unless the caller says otherwise.
pub const READ_FILES: usize = 8 << 20;
/// Bytes of a pattern that a caller gives.
pub const PATTERN: usize = 16 << 10;
/// Bytes of such a pattern when it is compiled.
pub const COMPILED_PATTERN: usize = 8 << 20;
/// Places of a target that a pattern may match.
pub const PATTERN_MATCHES: usize = 1_000_000;
/// Memory that the texts of calls in progress take, each counted as often as it is held while it is read, decoded and compared:
/// one of the largest documents at a time, or many smaller ones. Texts below [`LARGE_FILE`] are not counted.
pub const CALL_TEXTS: usize = 2 << 30;
/// How often a text is held.
pub const CALL_TEXT_COPIES: usize = 4;
/// Bytes of a template.
pub const TEMPLATE: usize = 64 << 10;
/// Bytes of what a template makes.
pub const TEMPLATE_TEXT: usize = 8 << 20;
/// Addresses that a process may have that renders a template: half of them are the stack of the engine, which calls itself for
/// what nests, a part is the program, and the rest holds what the template keeps to itself while it works.
pub const TEMPLATE_MEMORY: u64 = 1 << 30;
/// How long a template may take.
pub const TEMPLATE_TIME: Duration = Duration::from_secs(10);
/// Templates that are rendered at once; others wait.
pub const TEMPLATES: usize = 2;
/// Lines of an answer to a read, unless the caller says otherwise.
pub const READ_LINES: usize = 2_000;
/// Depth of documents within documents.
pub const EMBEDDED_DEPTH: usize = 3;
/// Files that one walk of a workspace may find.
pub const WALK_FILES: usize = 500_000;
/// How long a call waits for another process that is changing the same workspace.
pub const LOCK_WAIT: Duration = Duration::from_secs(10);
/// The time between two reports of how far a call is.
pub const PROGRESS: Duration = Duration::from_millis(100);
/// Levels of a tree of symbols: readers of JSON take a hundred or so within each other, and a level is two.
pub const SYMBOL_LEVELS: usize = 48;
/// Letters that the history keeps of what a caller says of itself and of its reasons, each.
pub const ORIGIN_TEXT: usize = 500;
/// Changes that the history of a workspace keeps. A sixteenth more of them, of their bytes and of their age is let stand,
/// so that what is beyond goes at once and not with every change.
pub const HISTORY_ENTRIES: usize = 1_000;
/// Bytes that the history of a workspace keeps. More than any one change, so that none makes all others go.
pub const HISTORY_BYTES: u64 = 2 << 30;
/// How long the history of a workspace keeps a change: what was deleted is not to lie there for ever.
pub const HISTORY_AGE: Duration = Duration::from_secs(30 * 86_400);
/// Bytes that one change may replace or delete: all of them are kept for undo.
pub const CHANGE_BYTES: u64 = 1 << 30;
/// Memory of one attached editor's integration: a message of [`EDITOR_TEXT`], read and taken apart.
pub const EDITOR_MEMORY: usize = 256 << 20;
/// Bytes of a text that goes to an editor, or comes from one: the sides of a diff, what the person made of a proposal.
pub const EDITOR_TEXT: usize = 8 << 20;
/// Bytes of a selected text that is passed on; more is cut.
pub const SELECTION_TEXT: usize = 256 << 10;
/// Bytes of a name, a path or a title that an editor gives.
pub const EDITOR_WORDS: usize = 4 << 10;
/// Letters of a message of an editor; more is cut.
pub const EDITOR_MESSAGE: usize = 2_000;
/// Tabs of one editor.
pub const EDITOR_TABS: usize = 5_000;
/// Folders of one editor.
pub const EDITOR_FOLDERS: usize = 100;
/// Diagnostics in one answer of an editor.
pub const EDITOR_FINDINGS: usize = 50_000;
/// Actions in answer to one event: a read of a connection holds some thousand messages.
pub const EDITOR_ACTIONS: usize = 100_000;
/// Addresses of one integration.
pub const EDITOR_ADDRESSES: usize = 32;
/// Editors that are attached at a time.
pub const EDITORS: usize = 32;
/// Requests that one editor has to answer at a time.
pub const EDITOR_REQUESTS: usize = 64;
/// Proposals that wait for the person at a time.
pub const PROPOSALS: usize = 100;
/// How long an editor has to introduce itself.
pub const EDITOR_INTRODUCTION: Duration = Duration::from_secs(5);
/// How long an editor has for an answer, unless the caller says otherwise.
pub const EDITOR_ANSWER: Duration = Duration::from_secs(10);
/// The time between two news of the same kind of one editor; what comes in between is told with the next.
pub const EDITOR_NEWS: Duration = Duration::from_millis(10);
/// Bytes that wait to be sent to an editor that does not take them.
pub const EDITOR_BACKLOG: usize = 32 << 20;
/// How long a repository of version control has to answer: its files are a stranger's, and one may be a pipe.
pub const REPOSITORY: Duration = Duration::from_secs(30);
/// Bytes of each file of a repository that is read whole, such as its index.
pub const REPOSITORY_FILE: u64 = 512 << 20;
/// Differences that one status counts.
pub const REPOSITORY_ENTRIES: usize = 100_000;
/// Commits that are counted between a branch and its upstream.
pub const COMMITS: usize = 100_000;
/// References of a repository that are looked through for names like a wrong one; submodules and worktrees that are told of.
pub const REFERENCES: usize = 10_000;
/// Bytes of a file at a revision: it is compared line by line.
pub const VERSION: u64 = 64 << 20;
/// Memory of a language server with all that it starts, unless a registry says otherwise: large projects take most of it.
pub const SERVER_MEMORY: u64 = 2 << 30;
/// What a registry may raise it to.
pub const MOST_SERVER_MEMORY: u64 = 16 << 30;
/// A language server that nobody asked for so long ends: it keeps memory, and starts again when it is asked.
pub const SERVER_IDLE: Duration = Duration::from_secs(600);
/// The time that a language server has for an answer, loading the project included.
pub const SERVER_CALL: Duration = Duration::from_secs(30);

/// What the reasons above say of two limits at once: who changes one of them changes the other.
const _: () = {
    assert!(LARGEST_DOCUMENT <= u32::MAX as u64, "spans in the contract are 32 bits wide");
    assert!(CALL.as_secs() <= LONGEST_CALL.as_secs());
    assert!(
        INSTANCE_MEMORY <= MOST_MEMORY && MOST_MEMORY < GUEST_MEMORY,
        "the largest instance leaves room for another"
    );
    assert!(KEPT_TEXT + KEPT_ANSWERS <= KEPT_MEMORY, "texts and answers are parts of what is kept");
    assert!(OUTDATED_BYTES <= OPEN_BYTES);
    assert!(CALL_TEXTS as u64 >= LARGEST_DOCUMENT * CALL_TEXT_COPIES as u64, "one of the largest documents at a time");
    assert!(UNASKED_FILES < CALL_FILES && CALL_FILES <= WALK_FILES);
    assert!(CHANGE_BYTES < HISTORY_BYTES, "no change makes all others go");
    assert!(EDITOR_MEMORY > 4 * EDITOR_TEXT, "a text is read and taken apart");
    assert!(SELECTION_TEXT <= EDITOR_TEXT && EDITOR_TEXT <= EDITOR_BACKLOG);
    assert!(VERSION <= REPOSITORY_FILE && SERVER_MEMORY <= MOST_SERVER_MEMORY);
    assert!(TEMPLATE <= TEMPLATE_TEXT);
};
