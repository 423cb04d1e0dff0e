//! All limits of the host, with their reasons.

use std::time::Duration;

/// The largest file, in bytes, that packs open: spans in the contract are 32 bits wide.
pub const LARGEST_DOCUMENT: u64 = 512 << 20;
/// Editing a file larger than this gives a warning.
pub const LARGE_FILE: u64 = 1 << 20;
/// CPU time of a pack for one call on a small document.
pub const CALL_TIME: Duration = Duration::from_secs(10);
/// The largest value that a registry can set for [`CALL_TIME`].
pub const MAX_CALL_TIME: Duration = Duration::from_secs(600);
/// Additional CPU time per MiB of the document.
pub const CALL_PER_MIB: Duration = Duration::from_secs(2);
/// Minimum wall-clock time of a pack call, even on a busy machine.
pub const MIN_WALL_TIME: Duration = Duration::from_secs(30);
/// Additional wall-clock time per second of CPU time. A call fails if the pack gets less than a tenth of a core.
pub const WALL_PER_CPU: u32 = 10;
/// Bytes that a pack can pass to the host at once, in answers or calls, in addition to a multiple of the document.
pub const TRANSFER_BYTES: usize = 128 << 20;
/// Additional bytes per byte of the document: a node of an outline takes about two hundred bytes.
pub const TRANSFER_PER_BYTE: usize = 32;
/// Maximum bytes that a pack can pass at once, whatever the size of the document.
pub const MAX_TRANSFER_BYTES: usize = 2 << 30;
/// Memory of an instance without open documents. The smallest useful pack needs two or three MiB.
pub const INSTANCE_MEMORY: usize = 128 << 20;
/// Additional memory per byte of the document: a parsed document takes about eight bytes for each, parsing takes more.
pub const MEMORY_PER_BYTE: usize = 24;
/// Size of a plugin file.
pub const PLUGIN_BYTES: u64 = 256 << 20;
/// Size of one function of a plugin: compilation cost grows faster than the function. The largest in the bundled packs
/// is 46 KiB.
pub const FUNCTION_BYTES: usize = 1 << 20;
/// Memory for compiling a plugin.
pub const COMPILE_MEMORY: u64 = 3 << 30;
/// CPU time for compiling a plugin, on all cores together.
pub const COMPILE_CPU: Duration = Duration::from_secs(120);
/// Wall-clock time for compiling a plugin, on a busy machine.
pub const COMPILE_WALL: Duration = Duration::from_secs(600);
/// Size of a compiled plugin.
pub const COMPILED_BYTES: usize = 1 << 30;
/// Size of a registry or lock file.
pub const REGISTRY_BYTES: u64 = 1 << 20;
/// Maximum memory of any instance.
pub const MAX_INSTANCE_MEMORY: usize = 3 << 30;
/// Memory of all instances of a process, running or cached. It is larger than the limit of a single instance.
pub const GUEST_MEMORY: usize = 4 << 30;
/// Memory of everything cached between calls: idle instances with their documents, texts, and answers of the index.
/// Enough for repeated edits of the largest documents; beyond it the least recently used entries are evicted.
pub const CACHE_MEMORY: usize = 512 << 20;
/// The part of [`CACHE_MEMORY`] for texts of one workspace.
pub const CACHE_TEXT: usize = 32 << 20;
/// The part of [`CACHE_MEMORY`] for answers of one workspace.
pub const CACHE_ANSWERS: usize = 128 << 20;
/// Documents that an instance keeps open; the least recently used one is closed first.
pub const OPEN_DOCUMENTS: usize = 256;
/// Bytes of documents that an instance keeps open.
pub const OPEN_BYTES: usize = 32 << 20;
/// Minimum size of a document whose old version is closed when a new version is opened, so that its memory is reused.
pub const OUTDATED_DOCUMENT_BYTES: usize = 256 << 10;
/// Default number of matches that a read returns.
pub const DEFAULT_MATCHES: usize = 50;
/// Metavariables of one pattern.
pub const CAPTURES: usize = 64;
/// Time that a search spends reading files; afterwards it returns what it found.
pub const SEARCH_TIME: Duration = Duration::from_secs(60);
/// An outline with fewer nodes is complete. A pack may omit nodes from a larger one.
pub const COMPLETE_OUTLINE: usize = 50_000;
/// Nodes in one answer of a pack, for the largest documents. In general, no answer has more items than the document has
/// bytes.
pub const MAX_NODES: usize = 4_000_000;
/// Edits, names and occurrences in one answer.
pub const MAX_OCCURRENCES: usize = 1_000_000;
/// Links, embedded parts and diagnostics in one answer.
pub const MAX_LINKS: usize = 500_000;
/// Relations and dependencies in one answer; new files and questions of one refactoring.
pub const MAX_RELATIONS: usize = 100_000;
/// Items allowed in addition to one per byte of the document: even an empty document can have some items.
pub const ANSWER_ITEMS: usize = 1_000;
/// Bytes of text in one answer of a pack, in addition to a multiple of the document.
pub const MAX_ANSWER_TEXT: usize = 16 << 20;
/// Log lines of one plugin in one call; further lines are counted and dropped.
pub const LOG_LINES: usize = 200;
/// Length of one log line.
pub const LOG_LINE: usize = 2_000;
/// A read without a target shows the whole file up to this many lines, otherwise its outline.
pub const WHOLE_FILE_LINES: usize = 400;

/// A read without a target shows the outline of a file larger than this, however few lines it has.
pub const WHOLE_FILE_BYTES: usize = 128 << 10;
/// Size of a message or an answer: several times [`LARGE_FILE`].
pub const MESSAGE: usize = 64 << 20;
/// Size of the lists and the diff in the answer of a change, as JSON. The rest is left out with a note: the change is
/// already written when its answer is too large to send.
pub const CHANGE_ANSWER: usize = 48 << 20;
/// Files that one call can name to read or edit: their results are held in memory until all are complete.
pub const CALL_FILES: usize = 50_000;
/// Files that one edit changes without `dryRun: false`: a pattern easily matches more files than intended.
pub const UNCONFIRMED_FILES: usize = 20;
/// Default size in bytes of an answer about several files.
pub const READ_FILES: usize = 8 << 20;
/// Size of a caller's pattern in bytes.
pub const PATTERN_BYTES: usize = 16 << 10;
/// Size of a compiled pattern in bytes.
pub const COMPILED_PATTERN: usize = 8 << 20;
/// Places in a target that a pattern can match.
pub const PATTERN_MATCHES: usize = 1_000_000;
/// Memory of the texts of calls in progress: enough for one of the largest documents, or many smaller ones. Each text
/// counts [`CALL_TEXT_COPIES`] times, because several copies exist while it is read, decoded and compared. Texts below
/// [`LARGE_FILE`] are not counted.
pub const CALL_TEXTS: usize = 2 << 30;
/// The number of copies of a text that a call holds.
pub const CALL_TEXT_COPIES: usize = 4;
/// Size of a template in bytes.
pub const TEMPLATE: usize = 64 << 10;
/// Size of a rendered template in bytes.
pub const TEMPLATE_TEXT: usize = 8 << 20;
/// Address space of the process that renders a template. Half of it is the stack, because the template engine recurses
/// into nested constructs; the rest is the program and the template's data.
pub const TEMPLATE_MEMORY: u64 = 1 << 30;
/// Time for rendering a template.
pub const TEMPLATE_TIME: Duration = Duration::from_secs(10);
/// Templates rendered at the same time; others wait.
pub const CONCURRENT_TEMPLATES: usize = 2;
/// Default number of lines that a read returns.
pub const READ_LINES: usize = 2_000;
/// Nesting depth of embedded documents.
pub const EMBEDDED_DEPTH: usize = 3;
/// Files that one walk of a workspace can find.
pub const WALK_FILES: usize = 500_000;
/// Time that a call waits for another process that is changing the same workspace.
pub const LOCK_WAIT: Duration = Duration::from_secs(10);
/// Interval between progress reports.
pub const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);
/// Levels of a symbol tree: JSON parsers accept about a hundred levels of nesting, and a symbol takes two.
pub const SYMBOL_LEVELS: usize = 48;
/// Characters that the history keeps of the client's name, the target and the reason, each.
pub const ORIGIN_TEXT: usize = 500;
/// Changes that the history of a workspace keeps. This and the two following limits may be exceeded by a sixteenth, so
/// that entries are removed in batches and not with every change.
pub const HISTORY_ENTRIES: usize = 1_000;
/// Bytes that the history of a workspace keeps. Larger than the largest change, so that no change evicts all others.
pub const HISTORY_BYTES: u64 = 2 << 30;
/// Time that the history of a workspace keeps a change: deleted contents should not be stored for ever.
pub const HISTORY_AGE: Duration = Duration::from_secs(30 * 86_400);
/// Bytes that one change can replace or delete: all of them are kept for undo.
pub const CHANGE_BYTES: u64 = 1 << 30;
/// Memory of one attached editor's integration, for parsing a message of [`EDITOR_TEXT`].
pub const EDITOR_MEMORY: usize = 256 << 20;
/// Bytes of a text sent to or received from an editor: the sides of a diff, the accepted text of a proposal.
pub const EDITOR_TEXT: usize = 8 << 20;
/// Bytes of a selected text; the rest is truncated.
pub const SELECTION_TEXT: usize = 256 << 10;
/// Bytes of a name, path or title from an editor.
pub const EDITOR_NAME_BYTES: usize = 4 << 10;
/// Characters of a message from an editor; the rest is truncated.
pub const EDITOR_MESSAGE: usize = 2_000;
/// Tabs of one editor.
pub const EDITOR_TABS: usize = 5_000;
/// Folders of one editor.
pub const EDITOR_FOLDERS: usize = 100;
/// Diagnostics in one answer of an editor.
pub const EDITOR_DIAGNOSTICS: usize = 50_000;
/// Actions in response to one input: a single read from a connection can contain thousands of messages.
pub const EDITOR_ACTIONS: usize = 100_000;
/// Addresses of one integration.
pub const EDITOR_ADDRESSES: usize = 32;
/// Editors that can be attached at a time.
pub const EDITORS: usize = 32;
/// Pending requests of one editor.
pub const EDITOR_REQUESTS: usize = 64;
/// Proposals waiting for the user.
pub const PROPOSALS: usize = 100;
/// Time for an editor to complete the handshake.
pub const EDITOR_HANDSHAKE_TIME: Duration = Duration::from_secs(5);
/// Default time for an editor's answer.
pub const EDITOR_ANSWER_TIME: Duration = Duration::from_secs(10);
/// Default time for an editor to show a file or diff: it may start a language server or restore a window first, and a
/// repeated request would open a second tab.
pub const EDITOR_SHOW_TIME: Duration = Duration::from_secs(60);
/// Minimum interval between two events of the same kind from one editor; events in between are merged.
pub const EDITOR_EVENT_INTERVAL: Duration = Duration::from_millis(10);
/// Bytes waiting to be sent to an editor that does not read them.
pub const EDITOR_BACKLOG: usize = 32 << 20;
/// Time for reading a repository. Its files are untrusted: one may be a pipe, and reading it would block forever.
pub const REPOSITORY_TIME: Duration = Duration::from_secs(30);
/// Size of a repository file that is read as a whole, such as the index.
pub const REPOSITORY_FILE: u64 = 512 << 20;
/// Differences that one status reports.
pub const REPOSITORY_ENTRIES: usize = 100_000;
/// Commits that are counted between a branch and its upstream.
pub const COMMITS: usize = 100_000;
/// References that are searched for names similar to a wrong one; submodules and worktrees that are reported.
pub const REFERENCES: usize = 10_000;
/// Size of a file at a revision, as it is compared line by line.
pub const REVISION_FILE_BYTES: u64 = 64 << 20;
/// Default memory limit of a language server with its child processes: large projects use most of it.
pub const SERVER_MEMORY: u64 = 2 << 30;
/// The largest value that a registry can set for [`SERVER_MEMORY`].
pub const MAX_SERVER_MEMORY: u64 = 16 << 30;
/// Time after which an idle language server is stopped, to free its memory. It is restarted on demand.
pub const SERVER_IDLE: Duration = Duration::from_secs(600);
/// Time for an answer of a language server, including loading the project.
pub const SERVER_CALL: Duration = Duration::from_secs(30);

/// Relations between limits that the reasons above rely on.
const _: () = {
    assert!(LARGEST_DOCUMENT <= u32::MAX as u64, "spans in the contract are 32 bits wide");
    assert!(CALL_TIME.as_secs() <= MAX_CALL_TIME.as_secs());
    assert!(
        INSTANCE_MEMORY <= MAX_INSTANCE_MEMORY && MAX_INSTANCE_MEMORY < GUEST_MEMORY,
        "the largest instance leaves room for another"
    );
    assert!(CHANGE_ANSWER + (LARGE_FILE as usize) < MESSAGE, "the answer of a change fits into a message");
    assert!(CACHE_TEXT + CACHE_ANSWERS <= CACHE_MEMORY, "texts and answers are parts of the cache budget");
    assert!(OUTDATED_DOCUMENT_BYTES <= OPEN_BYTES);
    assert!(CALL_TEXTS as u64 >= LARGEST_DOCUMENT * CALL_TEXT_COPIES as u64, "one of the largest documents at a time");
    assert!(UNCONFIRMED_FILES < CALL_FILES && CALL_FILES <= WALK_FILES);
    assert!(CHANGE_BYTES < HISTORY_BYTES, "no change evicts all others");
    assert!(EDITOR_MEMORY > 4 * EDITOR_TEXT, "a text needs several times its size while it is received and parsed");
    assert!(SELECTION_TEXT <= EDITOR_TEXT && EDITOR_TEXT <= EDITOR_BACKLOG);
    assert!(REVISION_FILE_BYTES <= REPOSITORY_FILE && SERVER_MEMORY <= MAX_SERVER_MEMORY);
    assert!(TEMPLATE <= TEMPLATE_TEXT);
};

#[cfg(test)]
mod tests {
    use super::*;

    /// The limits in bytes that are written as a shifted number, in units for people.
    #[test]
    fn limits_in_bytes_have_round_sizes() {
        const KIB: u64 = 1024;
        const MIB: u64 = 1024 * KIB;
        const GIB: u64 = 1024 * MIB;
        macro_rules! check {
            ($($limit:ident = $number:literal $unit:ident,)+) => {
                $(assert_eq!($limit.to_string(), ($number * $unit).to_string(), stringify!($limit));)+
            };
        }
        check! {
            LARGEST_DOCUMENT = 512 MIB,
            LARGE_FILE = 1 MIB,
            TRANSFER_BYTES = 128 MIB,
            MAX_TRANSFER_BYTES = 2 GIB,
            INSTANCE_MEMORY = 128 MIB,
            PLUGIN_BYTES = 256 MIB,
            FUNCTION_BYTES = 1 MIB,
            COMPILE_MEMORY = 3 GIB,
            COMPILED_BYTES = 1 GIB,
            REGISTRY_BYTES = 1 MIB,
            MAX_INSTANCE_MEMORY = 3 GIB,
            GUEST_MEMORY = 4 GIB,
            CACHE_MEMORY = 512 MIB,
            CACHE_TEXT = 32 MIB,
            CACHE_ANSWERS = 128 MIB,
            OPEN_BYTES = 32 MIB,
            OUTDATED_DOCUMENT_BYTES = 256 KIB,
            MAX_ANSWER_TEXT = 16 MIB,
            WHOLE_FILE_BYTES = 128 KIB,
            READ_FILES = 8 MIB,
            MESSAGE = 64 MIB,
            CHANGE_ANSWER = 48 MIB,
            PATTERN_BYTES = 16 KIB,
            COMPILED_PATTERN = 8 MIB,
            CALL_TEXTS = 2 GIB,
            TEMPLATE = 64 KIB,
            TEMPLATE_TEXT = 8 MIB,
            TEMPLATE_MEMORY = 1 GIB,
            HISTORY_BYTES = 2 GIB,
            CHANGE_BYTES = 1 GIB,
            EDITOR_MEMORY = 256 MIB,
            EDITOR_TEXT = 8 MIB,
            SELECTION_TEXT = 256 KIB,
            EDITOR_NAME_BYTES = 4 KIB,
            EDITOR_BACKLOG = 32 MIB,
            REPOSITORY_FILE = 512 MIB,
            REVISION_FILE_BYTES = 64 MIB,
            SERVER_MEMORY = 2 GIB,
            MAX_SERVER_MEMORY = 16 GIB,
        }
        assert_eq!(HISTORY_AGE, Duration::from_secs(2_592_000));
    }
}
