//! Limits on the resources that a server may use.

use std::time::Duration;

/// Maximum size of a message. The answer about a large file takes only a fraction of it.
pub(crate) const MESSAGE: usize = 32 << 20;
/// Maximum size of a message's header.
pub(crate) const HEAD: usize = 4 << 10;
/// Maximum number of messages queued for a server. A server that does not read them is treated as failed.
pub(crate) const QUEUED: usize = 64;
/// Maximum number of documents open at a server; beyond that the least recently used one is closed.
pub(crate) const DOCUMENTS: usize = 64;
/// Maximum number of locations, diagnostics or edits in one answer.
pub(crate) const ITEMS: usize = 100_000;
/// Maximum number of files whose published diagnostics are stored.
pub(crate) const PUBLISHED: usize = 1_000;
/// Maximum number of progress tokens that are active at once.
pub(crate) const PROGRESS: usize = 1_000;
/// Maximum time for all definitions of one call. The caller did not request a server, so the call continues
/// without it.
pub(crate) const DEFINITIONS_TIME: Duration = Duration::from_secs(20);
/// Maximum length in bytes of the text of a definition that is treated as a name.
pub(crate) const NAME_BYTES: usize = 200;
/// Maximum time for a server to start.
pub(crate) const START_TIMEOUT: Duration = Duration::from_secs(60);
/// Time within which a server may begin progress after the first document was opened.
pub(crate) const PROGRESS_DELAY: Duration = Duration::from_millis(400);
/// Servers publish diagnostics in several rounds. They are assumed to be complete if no further round comes within this
/// time.
pub(crate) const PUBLISH_PAUSE: Duration = Duration::from_millis(400);
/// Maximum time for a server to shut down on request.
pub(crate) const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(1500);
/// Interval at which a server's memory use and idle time are checked.
pub(crate) const CHECK_INTERVAL: Duration = Duration::from_millis(200);
/// Pause before a restart after the second consecutive failure. It doubles with each further one.
pub(crate) const BACK_OFF: Duration = Duration::from_secs(1);
/// Upper bound of `BACK_OFF`.
pub(crate) const MAX_BACK_OFF: Duration = Duration::from_secs(60);
/// Number of bytes of standard error that are kept for error messages.
pub(crate) const STDERR_BYTES: usize = 2 << 10;
/// Number of characters that are kept of an error that the server reports.
pub(crate) const ERROR_CHARS: usize = 300;
/// Maximum number of times that a request is repeated because the server began progress while answering it.
pub(crate) const REPEATS: usize = 4;
/// Pause before an outline is requested again that does not fit the text.
pub(crate) const STALE_PAUSE: Duration = Duration::from_millis(400);
