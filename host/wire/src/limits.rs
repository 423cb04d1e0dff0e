//! Every limit of the protocols, with its reason. Those of files, packs and answers are in `host/model/src/limits.rs`.

use std::time::Duration;

/// What clients may take, together and each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Small reads that run at once: enough to keep all processors busy while some of them wait for the disk. More would only
    /// share the same processors, and take them from the one change that can be written at a time.
    pub(crate) reads: usize,
    /// Changes of single files that run at once: most of them wait for the disk or for their turn.
    pub(crate) writes: usize,
    /// Calls about whole workspaces that run at once: each takes all processors.
    pub(crate) long: usize,
    /// Calls in progress on one connection, waiting ones included: more than a client that works file by file comes to.
    pub(crate) calls_of_one: usize,
    /// Calls in progress of all connections.
    pub(crate) calls: usize,
    /// Bytes of their parameters: a client may send much faster than is worked off.
    pub(crate) parameters: usize,
    /// Bytes of answers that a connection may leave unread before its next call begins.
    pub(crate) unread: usize,
    /// A connection that takes nothing of what waits for it for so long is closed: it has hung.
    pub(crate) stalled: Duration,
    /// Connections that are not let in yet; for a further one the oldest goes. Each costs a descriptor, of which a process
    /// has 1,024 on most systems.
    pub(crate) strangers: usize,
    /// The time that a connection has to say who it is. Whoever holds the token does so with the first bytes.
    pub(crate) to_be_let_in: Duration,
    /// The time that a WebSocket has until its first message.
    pub(crate) first_message: Duration,
    /// Connections that were let in.
    pub(crate) connections: usize,
}

/// What holds for every server.
pub(crate) const LIMITS: Limits = Limits {
    reads: 8,
    writes: 32,
    long: 2,
    calls_of_one: 256,
    calls: 1024,
    parameters: 256 << 20,
    unread: 16 << 20,
    stalled: Duration::from_secs(30),
    strangers: 64,
    to_be_let_in: Duration::from_secs(10),
    first_message: Duration::from_secs(300),
    connections: 256,
};

/// The largest message and answer: what a file of [`marquetry_model::limits::LARGE_FILE`] many times over fits into.
pub(crate) const MESSAGE: usize = 64 << 20;
/// The largest message of an editor that dials the server: a text of [`marquetry_model::limits::EDITOR_TEXT`] as JSON.
pub(crate) const EDITOR_MESSAGE: usize = 32 << 20;
/// Messages over standard streams that are read before they can run, so that one that cancels is not kept waiting; further
/// ones wait in the pipe.
pub(crate) const READ_AHEAD: usize = 1024;
/// Answers of MCP over standard streams that wait to be written; whoever has more of them waits.
pub(crate) const WRITE_AHEAD: usize = 64;
/// A model is not given more than this at once, in bytes, unless it asks for it: clients cut what is longer.
pub(crate) const MODEL_ANSWER: usize = 60_000;
/// Stack of a thread that runs tools: a guest may use two MiB of it, and the host some more.
pub(crate) const STACK: usize = 8 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    /// The page of limits says what holds.
    #[test]
    fn the_page_of_limits_has_them_all() {
        let page = include_str!("../../../docs/limits.md");
        let mib = |bytes: usize| format!("{} MiB", bytes >> 20);
        let seconds = |time: Duration| format!("{} s", time.as_secs());
        let rows = [
            ("small reads at once", LIMITS.reads.to_string()),
            ("changes of single files at once", LIMITS.writes.to_string()),
            ("calls about a whole workspace at once", LIMITS.long.to_string()),
            ("calls in progress on a connection", LIMITS.calls_of_one.to_string()),
            ("calls in progress in all", LIMITS.calls.to_string()),
            ("parameters of calls in progress", mib(LIMITS.parameters)),
            ("unread answers of a connection", mib(LIMITS.unread)),
            ("a connection that takes nothing", seconds(LIMITS.stalled)),
            ("connections that are not let in", LIMITS.strangers.to_string()),
            ("time to be let in", seconds(LIMITS.to_be_let_in)),
            ("time to the first message of a WebSocket", seconds(LIMITS.first_message)),
            ("connections that are let in", LIMITS.connections.to_string()),
            ("a message or an answer", mib(MESSAGE)),
            ("memory of all plugins that run or are kept", mib(marquetry_model::limits::GUEST_MEMORY)),
            ("memory of what is kept from call to call", mib(marquetry_model::limits::KEPT_MEMORY)),
            ("memory of large texts of all calls in progress", mib(marquetry_model::limits::CALL_TEXTS)),
            ("of it texts of one workspace", mib(marquetry_model::limits::KEPT_TEXT)),
            ("of it answers of one workspace", mib(marquetry_model::limits::KEPT_ANSWERS)),
            ("a template", format!("{} KiB", marquetry_model::limits::TEMPLATE >> 10)),
            ("what a template makes", mib(marquetry_model::limits::TEMPLATE_TEXT)),
            (
                "addresses of the process that renders it",
                format!("{} MiB", marquetry_model::limits::TEMPLATE_MEMORY >> 20),
            ),
            ("time for that", seconds(marquetry_model::limits::TEMPLATE_TIME)),
            ("templates that are rendered at once; others wait", marquetry_model::limits::TEMPLATES.to_string()),
            ("files that a call names", marquetry_model::limits::CALL_FILES.to_string()),
            ("files that an edit changes without `dryRun: false`", marquetry_model::limits::UNASKED_FILES.to_string()),
            ("an answer about several files, unless the call says otherwise", mib(marquetry_model::limits::READ_FILES)),
            ("a pattern", format!("{} KiB", marquetry_model::limits::PATTERN >> 10)),
            ("the same, compiled", mib(marquetry_model::limits::COMPILED_PATTERN)),
            ("places that a pattern matches in a target", marquetry_model::limits::PATTERN_MATCHES.to_string()),
        ];
        for (what, most) in rows {
            let row = format!("| {what} | {most} |");
            assert!(page.contains(&row), "docs/limits.md does not say `{row}`");
        }
    }
}
