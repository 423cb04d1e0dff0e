//! Events of the calls of a host.

use std::sync::Arc;

use marquetry_catalog::{CallEvent, Running};
use marquetry_model::{Kind, Progress, editor::Subscription};

/// Receives the events of a host.
pub(crate) type Listener = Arc<dyn Fn(&Event) + Send + Sync>;

/// An event of a call.
///
/// # Examples
///
/// ```
/// use std::sync::{Arc, Mutex};
///
/// use marquetry::{Event, EventKind, Host, MemoryFiles};
/// use serde_json::json;
///
/// # fn main() -> marquetry::Result<()> {
/// let seen = Arc::new(Mutex::new(Vec::new()));
/// let sink = Arc::clone(&seen);
/// let host = Host::builder()
///     .files(MemoryFiles::default())
///     .on_event(move |event: &Event| sink.lock().unwrap().push((event.tool, event.kind)))
///     .build()?;
/// host.call("file_history", json!({}))?;
/// let expected = [("file_history", EventKind::Begun), ("file_history", EventKind::Ended { failure: None })];
/// assert_eq!(*seen.lock().unwrap(), expected);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The number of the call, unique in its host.
    pub call: u64,
    /// The name of the tool.
    pub tool: &'static str,
    /// The kind of event.
    pub kind: EventKind,
}

impl Event {
    /// Subscribes to the calls of a catalog.
    pub(crate) fn subscribe(running: &Running, listener: Listener) -> Subscription {
        running.subscribe(move |event| {
            let (call, kind) = match event {
                CallEvent::Begun(call) => (call, EventKind::Begun),
                CallEvent::Ended { call, failure } => (call, EventKind::Ended { failure: *failure }),
            };
            let event = Event { call: call.number, tool: call.tool, kind };
            listener(&event);
            if kind == EventKind::Begun {
                let listener = Arc::clone(&listener);
                call.work.listen(move |progress| listener(&Event { kind: EventKind::Progress(progress), ..event }));
            }
        })
    }
}

/// The kind of an [`Event`].
///
/// # Examples
///
/// ```
/// use marquetry::{EventKind, Kind};
///
/// let describe = |kind: EventKind| match kind {
///     EventKind::Begun => "begins".to_owned(),
///     EventKind::Progress(progress) => progress.to_string(),
///     EventKind::Ended { failure: None } => "ends".to_owned(),
///     EventKind::Ended { failure: Some(kind) } => format!("fails with {}", kind.name()),
/// };
/// assert_eq!(describe(EventKind::Ended { failure: Some(Kind::Stale) }), "fails with Stale");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// The call has begun.
    Begun,
    /// The call has made progress. A call that ends immediately reports no progress.
    Progress(Progress),
    /// The call has ended.
    Ended {
        /// The kind of its error; `None` if it succeeded.
        failure: Option<Kind>,
    },
}
