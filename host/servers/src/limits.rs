//! Every limit of what a server may do to the host, with its reason.

use std::time::Duration;

/// A message of a server: many times what a large file's answer takes.
pub(crate) const MESSAGE: usize = 32 << 20;
/// The head of a message.
pub(crate) const HEAD: usize = 4 << 10;
/// Messages that wait until a server reads them. One that reads nothing has hung.
pub(crate) const WAITING: usize = 64;
/// Documents that are open at a server; the one asked about longest ago is closed for another.
pub(crate) const DOCUMENTS: usize = 64;
/// Places, problems or edits of one answer.
pub(crate) const ITEMS: usize = 100_000;
/// Files whose problems are kept until somebody asks.
pub(crate) const PUBLISHED: usize = 1_000;
/// Work that a server may tell of at once.
pub(crate) const PROGRESS: usize = 1_000;
/// The time that a server has to start.
pub(crate) const START: Duration = Duration::from_secs(60);
/// The time to say what it works on, after its first document.
pub(crate) const SETTLE: Duration = Duration::from_millis(400);
/// Problems come in several rounds: no further one for so long, and they are all.
pub(crate) const QUIET: Duration = Duration::from_millis(400);
/// The time to end when it is asked to.
pub(crate) const END: Duration = Duration::from_millis(1500);
/// How often it is looked at.
pub(crate) const LOOK: Duration = Duration::from_millis(200);
/// After a failure it is not started again for so long; doubled with each further one.
pub(crate) const BACK_OFF: Duration = Duration::from_secs(1);
/// But never for longer.
pub(crate) const LONGEST_BACK_OFF: Duration = Duration::from_secs(60);
/// Bytes that are kept of what it prints, for the message where it fails.
pub(crate) const PRINTED: usize = 2 << 10;
/// Characters that are kept of an error that it tells of.
pub(crate) const COMPLAINT: usize = 300;
/// Times that a question is put again, because work began while it was answered.
pub(crate) const AGAIN: usize = 4;
