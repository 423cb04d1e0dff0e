//! Limits of the protocols, with reasons. Those of files, packs and answers are in `host/model/src/limits.rs`.

use std::time::Duration;

/// Limits per client and for all clients together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Concurrent small reads: enough to keep all processors busy while some reads wait for the disk. More of them
    /// would slow down each other and the change that is being written.
    pub(crate) reads: usize,
    /// Concurrent changes of single files: most of them wait for the disk or for a lock.
    pub(crate) writes: usize,
    /// Concurrent calls about whole workspaces: each uses all processors.
    pub(crate) long: usize,
    /// Calls in progress per connection, including waiting ones. Clients that work file by file need fewer.
    pub(crate) calls_per_connection: usize,
    /// Calls in progress on all connections.
    pub(crate) calls: usize,
    /// Total size of the parameters of calls in progress. It is limited, because a client may send calls faster than
    /// they are processed.
    pub(crate) parameters: usize,
    /// Size of the unread answers of a connection at which its next call has to wait.
    pub(crate) unread: usize,
    /// A connection that reads nothing of its pending answers for this time is closed.
    pub(crate) stalled: Duration,
    /// Unauthenticated connections. If there are more, the oldest is closed. Each uses a file descriptor, of which a
    /// process has 1,024 on most systems.
    pub(crate) unauthenticated: usize,
    /// Time for authenticating. Clients send the token with their first bytes.
    pub(crate) authentication_time: Duration,
    /// Time until the first message of a WebSocket.
    pub(crate) first_message: Duration,
    /// Authenticated connections.
    pub(crate) connections: usize,
}

/// The limits of every server.
pub(crate) const LIMITS: Limits = Limits {
    reads: 8,
    writes: 32,
    long: 2,
    calls_per_connection: 256,
    calls: 1024,
    parameters: 256 << 20,
    unread: 16 << 20,
    stalled: Duration::from_secs(30),
    unauthenticated: 64,
    authentication_time: Duration::from_secs(10),
    first_message: Duration::from_secs(300),
    connections: 256,
};

pub(crate) use marquetry_model::limits::MESSAGE;
/// Maximum size of a message from an editor that connects to the server: a text of
/// [`marquetry_model::limits::EDITOR_TEXT`] as JSON.
pub(crate) const EDITOR_MESSAGE: usize = 32 << 20;
/// Messages on standard input that are read ahead, so that a cancellation is noticed while calls run. Further ones
/// wait in the pipe.
pub(crate) const READ_AHEAD: usize = 1024;
/// Maximum number of MCP answers that wait to be written to standard output. If there are more, their calls wait.
pub(crate) const WRITE_AHEAD: usize = 64;
/// Maximum size in bytes of an answer to a model, unless the call sets another limit. Clients truncate longer answers.
pub(crate) const MAX_MODEL_ANSWER: usize = 60_000;
/// Stack size, in bytes, of threads that run tools. A guest may use 2 MiB of it; the rest is for the host.
pub(crate) const STACK: usize = 8 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the limits with `docs/limits.md`.
    #[test]
    fn limits_page_lists_all_limits() {
        let page = include_str!("../../../docs/limits.md");
        let mib = |bytes: usize| format!("{} MiB", bytes >> 20);
        let seconds = |time: Duration| format!("{} s", time.as_secs());
        let rows = [
            ("small reads at once", LIMITS.reads.to_string()),
            ("changes of single files at once", LIMITS.writes.to_string()),
            ("calls about a whole workspace at once", LIMITS.long.to_string()),
            ("calls in progress on a connection", LIMITS.calls_per_connection.to_string()),
            ("calls in progress in total", LIMITS.calls.to_string()),
            ("parameters of calls in progress", mib(LIMITS.parameters)),
            ("unread answers of a connection", mib(LIMITS.unread)),
            ("time until a connection that does not read is closed", seconds(LIMITS.stalled)),
            ("unauthenticated connections", LIMITS.unauthenticated.to_string()),
            ("time to authenticate", seconds(LIMITS.authentication_time)),
            ("time to the first message of a WebSocket", seconds(LIMITS.first_message)),
            ("authenticated connections", LIMITS.connections.to_string()),
            ("a message or an answer", mib(MESSAGE)),
            ("memory of all plugin instances", mib(marquetry_model::limits::GUEST_MEMORY)),
            ("memory of all caches", mib(marquetry_model::limits::CACHE_MEMORY)),
            ("memory of large texts of all calls in progress", mib(marquetry_model::limits::CALL_TEXTS)),
            ("of these, texts of one workspace", mib(marquetry_model::limits::CACHE_TEXT)),
            ("of these, answers of one workspace", mib(marquetry_model::limits::CACHE_ANSWERS)),
            ("a template", format!("{} KiB", marquetry_model::limits::TEMPLATE >> 10)),
            ("output of a template", mib(marquetry_model::limits::TEMPLATE_TEXT)),
            (
                "address space of the process that renders it",
                format!("{} MiB", marquetry_model::limits::TEMPLATE_MEMORY >> 20),
            ),
            ("time to render a template", seconds(marquetry_model::limits::TEMPLATE_TIME)),
            (
                "templates that are rendered at once; others wait",
                marquetry_model::limits::CONCURRENT_TEMPLATES.to_string(),
            ),
            ("files that a call names", marquetry_model::limits::CALL_FILES.to_string()),
            (
                "files that an edit changes without `dryRun: false`",
                marquetry_model::limits::UNCONFIRMED_FILES.to_string(),
            ),
            ("an answer about several files, unless the call says otherwise", mib(marquetry_model::limits::READ_FILES)),
            ("lists and diff in the answer of a change", mib(marquetry_model::limits::CHANGE_ANSWER)),
            ("a pattern", format!("{} KiB", marquetry_model::limits::PATTERN_BYTES >> 10)),
            ("a compiled pattern", mib(marquetry_model::limits::COMPILED_PATTERN)),
            ("matches of a pattern in a target", marquetry_model::limits::PATTERN_MATCHES.to_string()),
        ];
        for (what, most) in rows {
            let row = format!("| {what} | {most} |");
            assert!(page.contains(&row), "docs/limits.md does not say `{row}`");
        }
    }
}
