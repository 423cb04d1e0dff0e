//! Concurrency limits for calls. Each call is in one of three queues, depending on the work that it may cause.
//! Therefore small reads wait neither for changes nor for calls about the whole workspace. Each queue is first in,
//! first out.
//!
//! The number of waiting calls is limited, too. Beyond the limit, calls are refused with a request to try again.

use std::{
    borrow::Cow,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use marquetry_model::{Error, Kind, Result, Work};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Map, Value};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::limits::Limits;

/// Queue of a call, by the work it may cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Queue {
    /// Reads one file.
    Read,
    /// Changes one file.
    Write,
    /// May read every file of the workspace.
    Long,
}

/// Arguments that determine the scope of a call.
#[derive(Deserialize, Default)]
struct Scope<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(default)]
    path: Option<IgnoredAny>,
    #[serde(default)]
    refactor: Option<IgnoredAny>,
    #[serde(default)]
    files: Option<IgnoredAny>,
}

impl Queue {
    pub(crate) const ALL: [Queue; 3] = [Queue::Read, Queue::Write, Queue::Long];

    /// Queue of a call, given its arguments as text. Arguments that cannot be parsed are treated as missing.
    pub(crate) fn for_call(tool: &str, arguments: Option<&str>) -> Queue {
        let reach = || arguments.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        Queue::for_scope(tool, reach)
    }

    /// Like [`Queue::for_call`], with parsed arguments.
    pub(crate) fn for_arguments(tool: &str, arguments: &Map<String, Value>) -> Queue {
        let named = |name: &str| arguments.get(name).filter(|value| !value.is_null());
        Queue::for_scope(tool, || Scope {
            kind: named("type").and_then(Value::as_str).map(Cow::from),
            path: named("path").map(|_| IgnoredAny),
            refactor: named("refactor").map(|_| IgnoredAny),
            files: named("files").map(|_| IgnoredAny),
        })
    }

    fn for_scope<'a>(tool: &str, reach: impl Fn() -> Scope<'a>) -> Queue {
        match tool {
            "file_move" | "file_rename" | "file_delete" => Queue::Long,
            "file_edit" if reach().refactor.is_some() => Queue::Long,
            "file_edit" | "file_read" if reach().files.is_some() => Queue::Long,
            "file_edit" | "file_create" | "file_duplicate" | "file_undo" => Queue::Write,
            "query" => {
                let Scope { kind, path, .. } = reach();
                match kind.as_deref() {
                    Some("documentSymbols") => Queue::Read,
                    Some("diagnostics") if path.is_some() => Queue::Read,
                    _ => Queue::Long,
                }
            }
            // `open` may search for a symbol in all files and waits for an editor.
            "open" => Queue::Long,
            _ => Queue::Read,
        }
    }

    /// Maximum number of concurrent calls in this queue.
    pub(crate) fn max_concurrent(self, limits: &Limits) -> usize {
        match self {
            Queue::Read => limits.reads,
            Queue::Write => limits.writes,
            Queue::Long => limits.long,
        }
    }
}

/// Approximate size of arguments as text in bytes.
pub(crate) fn estimated_size(arguments: &Map<String, Value>) -> usize {
    fn size_of(value: &Value) -> usize {
        match value {
            Value::String(text) => text.len() + 2,
            Value::Array(list) => list.iter().map(|value| size_of(value) + 1).sum(),
            Value::Object(map) => estimated_size(map),
            Value::Null | Value::Bool(_) | Value::Number(_) => 4,
        }
    }
    arguments.iter().map(|(name, value)| name.len() + 4 + size_of(value)).sum()
}

/// The queues of a process.
#[derive(Clone)]
pub(crate) struct Queues(Arc<Shared>);

struct Shared {
    limits: Limits,
    slots: [Arc<Semaphore>; 3],
    calls: AtomicUsize,
    parameters: AtomicUsize,
}

/// Calls of one connection. They count towards the limits until this is dropped.
pub(crate) struct Admitted {
    queues: Queues,
    own: Arc<AtomicUsize>,
    calls: usize,
    parameters: usize,
}

/// A slot in a queue. It is released when the last clone is dropped, or when its call waits for a resource that other
/// calls hold.
#[derive(Clone)]
pub(crate) struct Slot(Arc<Mutex<Option<OwnedSemaphorePermit>>>);

impl Slot {
    /// Releases the slot as soon as its call waits for other calls, since it uses no processor then.
    pub(crate) fn release_while_waiting(&self, work: &Work) {
        // Weak, because `work` may outlive the slot.
        let place = Arc::downgrade(&self.0);
        work.on_wait(move || {
            if let Some(place) = place.upgrade() {
                drop(place.lock().unwrap_or_else(PoisonError::into_inner).take());
            }
        });
    }
}

impl Queues {
    pub(crate) fn new(limits: Limits) -> Queues {
        let places = Queue::ALL.map(|queue| Arc::new(Semaphore::new(queue.max_concurrent(&limits))));
        Queues(Arc::new(Shared { limits, slots: places, calls: AtomicUsize::new(0), parameters: AtomicUsize::new(0) }))
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Counts calls that arrived together, with the size of their parameters. `own` is the counter of their
    /// connection.
    pub(crate) fn admit(&self, own: &Arc<AtomicUsize>, calls: usize, parameters: usize) -> Result<Admitted> {
        let limits = self.0.limits;
        let counted = [
            (own.as_ref(), calls, limits.calls_per_connection, "calls are in progress on this connection"),
            (&self.0.calls, calls, limits.calls, "calls are in progress in this server"),
            (&self.0.parameters, parameters, limits.parameters, "bytes of parameters are in progress in this server"),
        ];
        for (index, (count, more, most, what)) in counted.iter().enumerate() {
            // A counter that is zero accepts any amount, because the size of a single message is limited elsewhere.
            let grown = |before: usize| (before == 0 || before + more <= *most).then_some(before + more);
            if let Err(before) = count.try_update(Ordering::SeqCst, Ordering::SeqCst, grown) {
                for (count, more, ..) in &counted[..index] {
                    count.fetch_sub(*more, Ordering::SeqCst);
                }
                return Err(Error::new(Kind::LimitExceeded, format!("{before} {what}; at most {most} are allowed"))
                    .hint("the call was not started; wait for an answer, then retry"));
            }
        }
        Ok(Admitted { queues: self.clone(), own: Arc::clone(own), calls, parameters })
    }

    /// Waits for a slot.
    pub(crate) async fn enter(&self, queue: Queue) -> Result<Slot> {
        let place = Arc::clone(&self.0.slots[queue as usize]).acquire_owned().await;
        place.map(|place| Slot(Arc::new(Mutex::new(Some(place))))).map_err(|error| Error::internal(error.to_string()))
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.own.fetch_sub(self.calls, Ordering::SeqCst);
        self.queues.0.calls.fetch_sub(self.calls, Ordering::SeqCst);
        self.queues.0.parameters.fetch_sub(self.parameters, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::LIMITS;

    #[test]
    fn calls_are_queued_by_their_possible_scope() {
        for (tool, arguments, queue) in [
            ("file_read", "{}", Queue::Read),
            ("file_history", "{}", Queue::Read),
            ("file_edit", r#"{"file": "a", "symbol": "x", "content": "refactor"}"#, Queue::Write),
            ("file_edit", r#"{"file": "a", "refactor": "rename_symbol", "symbol": "x"}"#, Queue::Long),
            ("file_edit", r#"{"file": "a", "refactor": null}"#, Queue::Write),
            ("file_create", "{}", Queue::Write),
            ("file_undo", "{}", Queue::Write),
            ("file_duplicate", "{}", Queue::Write),
            ("file_move", "{}", Queue::Long),
            ("file_rename", "{}", Queue::Long),
            ("file_delete", "{}", Queue::Long),
            ("query", r#"{"type": "documentSymbols", "path": "a"}"#, Queue::Read),
            ("query", r#"{"type": "document\u0053ymbols", "path": "a"}"#, Queue::Read),
            ("query", r#"{"type": "diagnostics", "path": "a"}"#, Queue::Read),
            ("query", r#"{"type": "diagnostics"}"#, Queue::Long),
            ("query", r#"{"type": "diagnostics", "path": null}"#, Queue::Long),
            ("query", r#"{"type": "references", "path": "a", "symbol": "x"}"#, Queue::Long),
            ("query", "{}", Queue::Long),
            ("query", "no JSON", Queue::Long),
            ("nothing", "{}", Queue::Read),
        ] {
            assert_eq!(Queue::for_call(tool, Some(arguments)), queue, "{tool} {arguments}");
            if let Ok(map) = serde_json::from_str(arguments) {
                assert_eq!(Queue::for_arguments(tool, &map), queue, "{tool} {arguments}");
            }
        }
        assert_eq!(Queue::for_call("query", None), Queue::Long);
        assert_eq!(Queue::for_call("file_edit", None), Queue::Write);
    }

    #[test]
    fn refused_calls_are_not_counted() {
        let queues = Queues::new(Limits { calls_per_connection: 3, calls: 4, parameters: 100, ..LIMITS });
        let (one, other) = (Arc::default(), Arc::default());
        let kept = [queues.admit(&one, 1, 10), queues.admit(&one, 2, 10)].map(|admitted| admitted.expect("admitted"));
        for (own, calls, parameters, message) in [
            (&one, 1, 0, "3 calls are in progress on this connection; at most 3 are allowed"),
            (&other, 2, 0, "3 calls are in progress in this server; at most 4 are allowed"),
            (&other, 1, 81, "20 bytes of parameters are in progress in this server; at most 100 are allowed"),
        ] {
            let error = queues.admit(own, calls, parameters).err().expect("too much");
            assert_eq!((error.kind(), error.content().message.as_str()), (Kind::LimitExceeded, message));
            assert!(error.content().hint.as_ref().is_some_and(|hint| hint.contains("then retry")), "{error}");
        }
        drop(queues.admit(&other, 1, 80).expect("what was refused is not counted"));
        drop(kept);
        assert_eq!([&one, &other].map(|own: &Arc<AtomicUsize>| own.load(Ordering::SeqCst)), [0, 0]);
        queues.admit(&one, 3, 1000).expect("alone, whatever its size");
    }

    #[test]
    fn estimated_size_of_arguments_is_close_to_their_text() {
        for text in [
            "{}",
            r#"{"file":"a.ts","lines":"1-9"}"#,
            r#"{"edits":[{"old":"a","content":"b"},{"line":17}],"dryRun":true,"note":null}"#,
        ] {
            let about = estimated_size(&serde_json::from_str(text).expect("an object"));
            assert!(about.abs_diff(text.len()) <= 2 + text.len() / 4, "{text}: {about}, not {}", text.len());
        }
        let content = "x".repeat(1_000_000);
        let arguments = Map::from_iter([("content".to_owned(), Value::String(content))]);
        assert!((1_000_000..1_000_020).contains(&estimated_size(&arguments)));
    }

    #[test]
    fn concurrent_calls_never_exceed_the_limits() {
        let queues = Queues::new(Limits { calls_per_connection: 7, ..LIMITS });
        let (own, inside) = (Arc::new(AtomicUsize::new(0)), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    for round in 0..500 {
                        let calls = 1 + round % 3;
                        let Ok(admitted) = queues.admit(&own, calls, 10) else { continue };
                        assert!(inside.fetch_add(calls, Ordering::SeqCst) + calls <= 7);
                        inside.fetch_sub(calls, Ordering::SeqCst);
                        drop(admitted);
                    }
                });
            }
        });
        assert_eq!(own.load(Ordering::SeqCst), 0);
    }

    #[tokio::test]
    async fn small_reads_do_not_wait_for_long_calls() {
        let queues = Queues::new(Limits { reads: 1, writes: 1, long: 1, ..LIMITS });
        let long = queues.enter(Queue::Long).await.expect("a slot");
        let waits = queues.enter(Queue::Long);
        tokio::pin!(waits);
        tokio::select! {
            biased;
            _ = &mut waits => panic!("only one long call may run at a time"),
            () = std::future::ready(()) => {}
        }
        let (_read, _write) =
            (queues.enter(Queue::Read).await.expect("a slot"), queues.enter(Queue::Write).await.expect("a slot"));
        drop(long);
        waits.await.expect("the waiting call enters");
    }

    #[tokio::test]
    async fn waiting_call_releases_its_slot() {
        let queues = Queues::new(Limits { reads: 1, ..LIMITS });
        let (first, second) = (Work::default(), Work::default());
        let place = queues.enter(Queue::Read).await.expect("a slot");
        place.release_while_waiting(&first);
        first.record_wait();
        let other = queues.enter(Queue::Read).await.expect("the slot of the waiting call");
        drop(place);
        other.release_while_waiting(&second);
        drop(other);
        second.record_wait();
        let _one = queues.enter(Queue::Read).await.expect("a slot");
        assert_eq!(
            queues.0.slots[Queue::Read as usize].available_permits(),
            0,
            "a slot that is released twice must be counted once"
        );
    }
}
