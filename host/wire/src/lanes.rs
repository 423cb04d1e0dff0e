//! Concurrency limits for calls. There are three queues, by the work that a call may cause: small reads wait neither
//! for changes nor for calls about the whole workspace. Each queue is first in, first out.
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
pub(crate) enum Lane {
    /// Reads one file.
    Read,
    /// Changes one file.
    Write,
    /// May read every file of the workspace.
    Long,
}

/// Arguments that determine the scope of a call.
#[derive(Deserialize, Default)]
struct Reach<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(default)]
    path: Option<IgnoredAny>,
    #[serde(default)]
    refactor: Option<IgnoredAny>,
    #[serde(default)]
    files: Option<IgnoredAny>,
}

impl Lane {
    pub(crate) const ALL: [Lane; 3] = [Lane::Read, Lane::Write, Lane::Long];

    /// Queue of a call, given its arguments as text. Arguments that cannot be parsed count as absent.
    pub(crate) fn of(tool: &str, arguments: Option<&str>) -> Lane {
        let reach = || arguments.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        Lane::reaching(tool, reach)
    }

    /// Like [`Lane::of`], with parsed arguments.
    pub(crate) fn of_map(tool: &str, arguments: &Map<String, Value>) -> Lane {
        let named = |name: &str| arguments.get(name).filter(|value| !value.is_null());
        Lane::reaching(tool, || Reach {
            kind: named("type").and_then(Value::as_str).map(Cow::from),
            path: named("path").map(|_| IgnoredAny),
            refactor: named("refactor").map(|_| IgnoredAny),
            files: named("files").map(|_| IgnoredAny),
        })
    }

    fn reaching<'a>(tool: &str, reach: impl Fn() -> Reach<'a>) -> Lane {
        match tool {
            "file_move" | "file_rename" | "file_delete" => Lane::Long,
            "file_edit" if reach().refactor.is_some() => Lane::Long,
            "file_edit" | "file_read" if reach().files.is_some() => Lane::Long,
            "file_edit" | "file_create" | "file_duplicate" | "file_undo" => Lane::Write,
            "query" => {
                let Reach { kind, path, .. } = reach();
                match kind.as_deref() {
                    Some("documentSymbols") => Lane::Read,
                    Some("diagnostics") if path.is_some() => Lane::Read,
                    _ => Lane::Long,
                }
            }
            // `open` may search for a symbol in all files and waits for an editor.
            "open" => Lane::Long,
            _ => Lane::Read,
        }
    }

    /// Maximum number of concurrent calls in this queue.
    pub(crate) fn most(self, limits: &Limits) -> usize {
        match self {
            Lane::Read => limits.reads,
            Lane::Write => limits.writes,
            Lane::Long => limits.long,
        }
    }
}

/// Approximate size of arguments as text in bytes.
pub(crate) fn size(arguments: &Map<String, Value>) -> usize {
    fn of(value: &Value) -> usize {
        match value {
            Value::String(text) => text.len() + 2,
            Value::Array(list) => list.iter().map(|value| of(value) + 1).sum(),
            Value::Object(map) => size(map),
            Value::Null | Value::Bool(_) | Value::Number(_) => 4,
        }
    }
    arguments.iter().map(|(name, value)| name.len() + 4 + of(value)).sum()
}

/// The queues of a process.
#[derive(Clone)]
pub(crate) struct Lanes(Arc<Shared>);

struct Shared {
    limits: Limits,
    places: [Arc<Semaphore>; 3],
    calls: AtomicUsize,
    parameters: AtomicUsize,
}

/// Calls of one connection that count towards the limits, until dropped.
pub(crate) struct Admitted {
    lanes: Lanes,
    own: Arc<AtomicUsize>,
    calls: usize,
    parameters: usize,
}

/// A slot in a queue. It is released when the last clone is dropped, or when its call waits for a resource that other
/// calls hold.
#[derive(Clone)]
pub(crate) struct Place(Arc<Mutex<Option<OwnedSemaphorePermit>>>);

impl Place {
    /// Releases the slot as soon as its call waits for other calls, since it uses no processor then.
    pub(crate) fn lend_while_waiting(&self, work: &Work) {
        // Weak, because `work` may outlive the slot.
        let place = Arc::downgrade(&self.0);
        work.on_wait(move || {
            if let Some(place) = place.upgrade() {
                drop(place.lock().unwrap_or_else(PoisonError::into_inner).take());
            }
        });
    }
}

impl Lanes {
    pub(crate) fn new(limits: Limits) -> Lanes {
        let places = Lane::ALL.map(|lane| Arc::new(Semaphore::new(lane.most(&limits))));
        Lanes(Arc::new(Shared { limits, places, calls: AtomicUsize::new(0), parameters: AtomicUsize::new(0) }))
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Counts calls that arrived together, with the size of their parameters. `own` is the counter of their
    /// connection.
    pub(crate) fn admit(&self, own: &Arc<AtomicUsize>, calls: usize, parameters: usize) -> Result<Admitted> {
        let limits = self.0.limits;
        let counted = [
            (own.as_ref(), calls, limits.calls_of_one, "calls are in progress on this connection"),
            (&self.0.calls, calls, limits.calls, "calls are in progress in this server"),
            (&self.0.parameters, parameters, limits.parameters, "bytes of parameters are in progress in this server"),
        ];
        for (index, (count, more, most, what)) in counted.iter().enumerate() {
            // A single item is always allowed: the size of a message is limited elsewhere.
            let grown = |before: usize| (before == 0 || before + more <= *most).then_some(before + more);
            if let Err(before) = count.try_update(Ordering::SeqCst, Ordering::SeqCst, grown) {
                for (count, more, ..) in &counted[..index] {
                    count.fetch_sub(*more, Ordering::SeqCst);
                }
                return Err(Error::new(Kind::LimitExceeded, format!("{before} {what}; at most {most} are allowed"))
                    .hint("the call was not started; wait for an answer, then retry"));
            }
        }
        Ok(Admitted { lanes: self.clone(), own: Arc::clone(own), calls, parameters })
    }

    /// Waits for a slot.
    pub(crate) async fn enter(&self, lane: Lane) -> Result<Place> {
        let place = Arc::clone(&self.0.places[lane as usize]).acquire_owned().await;
        place.map(|place| Place(Arc::new(Mutex::new(Some(place))))).map_err(|error| Error::internal(error.to_string()))
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.own.fetch_sub(self.calls, Ordering::SeqCst);
        self.lanes.0.calls.fetch_sub(self.calls, Ordering::SeqCst);
        self.lanes.0.parameters.fetch_sub(self.parameters, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::LIMITS;

    #[test]
    fn calls_are_queued_by_their_possible_scope() {
        for (tool, arguments, lane) in [
            ("file_read", "{}", Lane::Read),
            ("file_history", "{}", Lane::Read),
            ("file_edit", r#"{"file": "a", "symbol": "x", "content": "refactor"}"#, Lane::Write),
            ("file_edit", r#"{"file": "a", "refactor": "rename_symbol", "symbol": "x"}"#, Lane::Long),
            ("file_edit", r#"{"file": "a", "refactor": null}"#, Lane::Write),
            ("file_create", "{}", Lane::Write),
            ("file_undo", "{}", Lane::Write),
            ("file_duplicate", "{}", Lane::Write),
            ("file_move", "{}", Lane::Long),
            ("file_rename", "{}", Lane::Long),
            ("file_delete", "{}", Lane::Long),
            ("query", r#"{"type": "documentSymbols", "path": "a"}"#, Lane::Read),
            ("query", r#"{"type": "document\u0053ymbols", "path": "a"}"#, Lane::Read),
            ("query", r#"{"type": "diagnostics", "path": "a"}"#, Lane::Read),
            ("query", r#"{"type": "diagnostics"}"#, Lane::Long),
            ("query", r#"{"type": "diagnostics", "path": null}"#, Lane::Long),
            ("query", r#"{"type": "references", "path": "a", "symbol": "x"}"#, Lane::Long),
            ("query", "{}", Lane::Long),
            ("query", "no JSON", Lane::Long),
            ("nothing", "{}", Lane::Read),
        ] {
            assert_eq!(Lane::of(tool, Some(arguments)), lane, "{tool} {arguments}");
            if let Ok(map) = serde_json::from_str(arguments) {
                assert_eq!(Lane::of_map(tool, &map), lane, "{tool} {arguments}");
            }
        }
        assert_eq!(Lane::of("query", None), Lane::Long);
        assert_eq!(Lane::of("file_edit", None), Lane::Write);
    }

    #[test]
    fn refused_calls_are_not_counted() {
        let lanes = Lanes::new(Limits { calls_of_one: 3, calls: 4, parameters: 100, ..LIMITS });
        let (one, other) = (Arc::default(), Arc::default());
        let kept = [lanes.admit(&one, 1, 10), lanes.admit(&one, 2, 10)].map(|admitted| admitted.expect("admitted"));
        for (own, calls, parameters, message) in [
            (&one, 1, 0, "3 calls are in progress on this connection; at most 3 are allowed"),
            (&other, 2, 0, "3 calls are in progress in this server; at most 4 are allowed"),
            (&other, 1, 81, "20 bytes of parameters are in progress in this server; at most 100 are allowed"),
        ] {
            let error = lanes.admit(own, calls, parameters).err().expect("too much");
            assert_eq!((error.kind(), error.content().message.as_str()), (Kind::LimitExceeded, message));
            assert!(error.content().hint.as_ref().is_some_and(|hint| hint.contains("then retry")), "{error}");
        }
        drop(lanes.admit(&other, 1, 80).expect("what was refused is not counted"));
        drop(kept);
        assert_eq!([&one, &other].map(|own: &Arc<AtomicUsize>| own.load(Ordering::SeqCst)), [0, 0]);
        lanes.admit(&one, 3, 1000).expect("alone, whatever its size");
    }

    #[test]
    fn estimated_size_of_arguments_is_close_to_their_text() {
        for text in [
            "{}",
            r#"{"file":"a.ts","lines":"1-9"}"#,
            r#"{"edits":[{"old":"a","content":"b"},{"line":17}],"dryRun":true,"note":null}"#,
        ] {
            let about = size(&serde_json::from_str(text).expect("an object"));
            assert!(about.abs_diff(text.len()) <= 2 + text.len() / 4, "{text}: {about}, not {}", text.len());
        }
        let content = "x".repeat(1_000_000);
        let arguments = Map::from_iter([("content".to_owned(), Value::String(content))]);
        assert!((1_000_000..1_000_020).contains(&size(&arguments)));
    }

    #[test]
    fn concurrent_calls_never_exceed_the_limits() {
        let lanes = Lanes::new(Limits { calls_of_one: 7, ..LIMITS });
        let (own, inside) = (Arc::new(AtomicUsize::new(0)), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    for round in 0..500 {
                        let calls = 1 + round % 3;
                        let Ok(admitted) = lanes.admit(&own, calls, 10) else { continue };
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
        let lanes = Lanes::new(Limits { reads: 1, writes: 1, long: 1, ..LIMITS });
        let long = lanes.enter(Lane::Long).await.expect("a place");
        let waits = lanes.enter(Lane::Long);
        tokio::pin!(waits);
        tokio::select! {
            biased;
            _ = &mut waits => panic!("one at a time"),
            () = std::future::ready(()) => {}
        }
        let (_read, _write) =
            (lanes.enter(Lane::Read).await.expect("a place"), lanes.enter(Lane::Write).await.expect("a place"));
        drop(long);
        waits.await.expect("its turn has come");
    }

    #[tokio::test]
    async fn waiting_call_releases_its_slot() {
        let lanes = Lanes::new(Limits { reads: 1, ..LIMITS });
        let (first, second) = (Work::default(), Work::default());
        let place = lanes.enter(Lane::Read).await.expect("a place");
        place.lend_while_waiting(&first);
        first.waits();
        let other = lanes.enter(Lane::Read).await.expect("the place of the one that waits");
        drop(place);
        other.lend_while_waiting(&second);
        drop(other);
        second.waits();
        let _one = lanes.enter(Lane::Read).await.expect("a place");
        assert_eq!(lanes.0.places[Lane::Read as usize].available_permits(), 0, "no place was made out of nothing");
    }
}
