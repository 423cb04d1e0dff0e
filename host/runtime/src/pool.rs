//! Pool of idle instances of one plugin, and quarantine (temporary rejection) of plugins that fail repeatedly.
//!
//! A failure is first attributed to the document: if one text of a file fails repeatedly, that file is rejected for a
//! while and other files are not. The plugin is quarantined if it fails on several files in a row, or in calls without
//! a file, unless the calls failed because the documents were too large.

use std::{
    collections::{BTreeSet, HashMap, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
    num::NonZero,
    sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use marquetry_model::{
    Error, Kind, Result, Work,
    budget::{Budget, BudgetedCache},
};

use crate::{instance::Instance, state::Blame};

/// Failures in a row before a file is rejected, and files that fail in a row before a plugin is quarantined.
const MAX_FAILURES: u32 = 3;
/// Maximum number of files whose failures are recorded. Beyond it, the files that failed longest ago are dropped.
const MAX_FAILING_FILES: usize = 1_000;
/// Duration of the first quarantine. Each further one is twice as long, up to the maximum.
const FIRST_QUARANTINE: Duration = Duration::from_secs(1);
const MAX_QUARANTINE: Duration = Duration::from_secs(60);

/// The idle instances, and the failures of the plugin.
#[derive(Default)]
pub(crate) struct InstancePool {
    state: Mutex<PoolState>,
    /// Calls running in the plugin, with their numbers of threads.
    running: Mutex<Vec<(Work, usize)>>,
    call_ended: Condvar,
}

/// Interval at which a call waiting for a busy plugin checks for cancellation.
const CANCEL_POLL: Duration = Duration::from_millis(20);

/// Marks a call as running in the plugin until it is dropped.
pub(crate) struct RunningCall<'a> {
    pool: &'a InstancePool,
    work: Work,
}

impl Drop for RunningCall<'_> {
    fn drop(&mut self) {
        let mut inside = self.pool.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = inside.iter().position(|(work, _)| work.is_same_call(&self.work)) {
            inside[index].1 -= 1;
            if inside[index].1 == 0 {
                inside.swap_remove(index);
                self.pool.call_ended.notify_one();
            }
        }
    }
}

/// Maximum number of concurrent calls in one plugin. One core stays free, so that a plugin cannot block all calls. On
/// machines with one or two cores, two calls are allowed nevertheless, because a single one would be too slow.
fn max_running() -> usize {
    cores().saturating_sub(1).max(2)
}

#[derive(Default)]
struct PoolState {
    /// Idle instances, each with the timestamp of its last use.
    idle: Vec<(u64, Instance)>,
    /// Failures of the plugin itself.
    plugin_failures: Failures,
    /// Files that failed since the last success; several failures of one file count once.
    failing_files: BTreeSet<String>,
    /// Failures of files, by path.
    files: HashMap<String, FileFailures>,
    /// The last error of any call, even if the plugin did not cause it.
    last_error: Option<String>,
}

/// Failures in a row, and the resulting quarantine.
#[derive(Debug, Clone)]
struct Failures {
    count: u32,
    until: Option<Instant>,
    last: Instant,
    error: Option<Error>,
}

impl Default for Failures {
    fn default() -> Failures {
        Failures { count: 0, until: None, last: Instant::now(), error: None }
    }
}

/// Failures on one text of a file.
#[derive(Debug, Default)]
struct FileFailures {
    version: u64,
    failures: Failures,
}

impl Failures {
    fn add(&mut self, error: &Error) {
        self.count += 1;
        self.last = Instant::now();
        self.error = Some(error.clone());
        if let Some(beyond) = self.count.checked_sub(MAX_FAILURES) {
            let rest = FIRST_QUARANTINE.saturating_mul(1 << beyond.min(10)).min(MAX_QUARANTINE);
            self.until = Some(Instant::now() + rest);
        }
    }

    /// Returns the remaining seconds of the quarantine.
    fn quarantine_left(&self) -> Option<u64> {
        let left = self.until?.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
        Some(left.as_secs() + 1)
    }

    fn last_message(&self) -> &str {
        self.error.as_ref().map_or("", |error| error.content().message.as_str())
    }
}

/// The document of a call.
type CallDocument<'a> = Option<(&'a str, &'a Arc<str>)>;

fn text_version(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Returns the number of cores. Cached, because `available_parallelism` is slow: it reads several files of the system.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(2, NonZero::get))
}

impl InstancePool {
    /// Creates a pool whose idle instances count against the memory budget of the process.
    pub(crate) fn new() -> Arc<InstancePool> {
        let pool = Arc::new(InstancePool::default());
        Budget::global().register(&pool);
        pool
    }

    fn state(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the call may enter the plugin. Each call counts once, whatever its number of threads. A waiting call
    /// gives up its slot among all calls.
    ///
    /// # Errors
    /// Fails if the call is cancelled.
    pub(crate) fn enter(&self, work: Option<&Work>) -> Result<Option<RunningCall<'_>>> {
        let Some(work) = work else { return Ok(None) };
        let mut inside = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(known) = inside.iter_mut().find(|(known, _)| known.is_same_call(work)) {
                known.1 += 1;
                break;
            }
            if inside.len() < max_running() {
                inside.push((work.clone(), 1));
                break;
            }
            if !work.has_waited() {
                drop(inside);
                work.record_wait();
                inside = self.running.lock().unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            inside = self.call_ended.wait_timeout(inside, CANCEL_POLL).unwrap_or_else(PoisonError::into_inner).0;
            work.check()?;
        }
        Ok(Some(RunningCall { pool: self, work: work.clone() }))
    }

    /// Returns an idle instance, preferably one that has the document open.
    pub(crate) fn take(&self, path: &str, text: &Arc<str>) -> Option<Instance> {
        let idle = &mut self.state().idle;
        let index =
            idle.iter().position(|(_, instance)| instance.has_open(path, text)).or(idle.len().checked_sub(1))?;
        Some(idle.remove(index).1)
    }

    /// Returns an instance to the pool, which holds at most one per core.
    pub(crate) fn put_back(&self, instance: Instance) {
        if !instance.is_worth_keeping() {
            return;
        }
        let gone = {
            let mut state = self.state();
            let gone = (state.idle.len() >= cores()).then(|| state.idle.remove(0));
            state.idle.push((Budget::global().next_timestamp(), instance));
            gone
        };
        drop(gone);
        Budget::global().trim();
    }

    /// Rejects a call while the plugin or the document is quarantined.
    pub(crate) fn check_quarantine(&self, plugin: &str, document: CallDocument<'_>) -> Result<()> {
        let state = self.state();
        if let Some(seconds) = state.plugin_failures.quarantine_left() {
            let (count, last) = (state.plugin_failures.count, state.plugin_failures.last_message());
            let message =
                format!("plugin `{plugin}` is quarantined for {seconds} s after {count} failures; last error: {last}");
            return Err(Error::new(Kind::PluginFailed, message)
                .hint("see `marq plugin list`; replacing the plugin's file ends the quarantine"));
        }
        let Some((path, text)) = document else { return Ok(()) };
        let Some(known) = state.files.get(path) else { return Ok(()) };
        let Some(seconds) = known.failures.quarantine_left().filter(|_| known.version == text_version(text)) else {
            return Ok(());
        };
        let (count, last) = (known.failures.count, known.failures.last_message());
        let kind = known.failures.error.as_ref().map_or(Kind::PluginFailed, Error::kind);
        let message = format!(
            "plugin `{plugin}` failed {count} times on {path}, which is skipped for {seconds} s; last error: {last}"
        );
        Err(Error::new(kind, message).hint("changed text and other files are tried at once"))
    }

    pub(crate) fn record_success(&self, document: CallDocument<'_>) {
        let mut state = self.state();
        state.plugin_failures = Failures::default();
        state.failing_files.clear();
        state.last_error = None;
        if let Some((path, _)) = document
            && !state.files.is_empty()
        {
            state.files.remove(path);
        }
    }

    pub(crate) fn record_failure(&self, error: &Error, document: CallDocument<'_>, blame: Blame) {
        let mut state = self.state();
        state.last_error = Some(error.content().message.clone());
        let Some((path, text)) = document else { return state.plugin_failures.add(error) };
        let version = text_version(text);
        let known = state.files.entry(path.to_owned()).or_default();
        if known.version != version {
            *known = FileFailures { version, ..FileFailures::default() };
        }
        known.failures.add(error);
        if state.files.len() > MAX_FAILING_FILES {
            let oldest = state.files.iter().min_by_key(|(_, known)| known.failures.last).map(|(path, _)| path.clone());
            oldest.and_then(|oldest| state.files.remove(&oldest));
        }
        // A document that exceeds the limits is not counted against the plugin.
        if blame == Blame::Plugin
            && (state.failing_files.insert(path.to_owned()) || state.plugin_failures.count >= MAX_FAILURES)
        {
            state.plugin_failures.add(error);
        }
    }

    /// Returns the status for users: `ready`, or the reason why it is not.
    pub(crate) fn status(&self) -> String {
        let state = self.state();
        match &state.last_error {
            _ if state.plugin_failures.quarantine_left().is_some() => {
                format!("quarantined: {}", state.plugin_failures.last_message())
            }
            Some(error) => format!("failing: {error}"),
            None => "ready".to_owned(),
        }
    }
}

impl BudgetedCache for InstancePool {
    fn bytes(&self) -> usize {
        self.state().idle.iter().map(|(_, instance)| instance.bytes()).sum()
    }

    fn oldest_use(&self) -> Option<u64> {
        self.state().idle.first().map(|(used, _)| *used)
    }

    fn evict_oldest(&self) {
        let mut state = self.state();
        let gone = (!state.idle.is_empty()).then(|| state.idle.remove(0));
        drop(state);
        // Dropped after the lock is released, because freeing the memory takes a while.
        drop(gone);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broke() -> Error {
        Error::new(Kind::PluginFailed, "it broke")
    }

    /// Records failures of calls without a file.
    fn fail(pool: &InstancePool, times: usize) {
        for _ in 0..times {
            pool.record_failure(&broke(), None, Blame::Plugin);
        }
    }

    fn rest(pool: &InstancePool) -> u64 {
        let until = pool.state().plugin_failures.until.expect("the plugin is quarantined");
        (until - Instant::now()).as_secs_f64().round() as u64
    }

    #[test]
    fn plugin_is_quarantined_after_three_failures_in_a_row() {
        let pool = InstancePool::default();
        assert_eq!(pool.status(), "ready");
        fail(&pool, 2);
        assert!(pool.check_quarantine("p", None).is_ok());
        assert_eq!(pool.status(), "failing: it broke");
        pool.record_success(None);
        assert_eq!(pool.status(), "ready");
        fail(&pool, 2);
        assert!(pool.check_quarantine("p", None).is_ok(), "failures before a success must not count");
        fail(&pool, 1);
        let error = pool.check_quarantine("p", None).expect_err("quarantined");
        assert_eq!(error.kind(), Kind::PluginFailed);
        assert_eq!(error.content().message, "plugin `p` is quarantined for 1 s after 3 failures; last error: it broke");
        assert_eq!(pool.status(), "quarantined: it broke");
    }

    #[test]
    fn quarantine_doubles_up_to_a_minute() {
        let pool = InstancePool::default();
        fail(&pool, 3);
        for wanted in [1, 2, 4, 8, 16, 32, 60, 60] {
            assert_eq!(rest(&pool), wanted);
            fail(&pool, 1);
        }
        fail(&pool, 10_000);
        assert_eq!(rest(&pool), 60);
        pool.record_success(None);
        assert!(pool.check_quarantine("p", None).is_ok());
    }

    #[test]
    fn repeatedly_failing_file_is_refused_alone() {
        let (pool, bad, other): (_, Arc<str>, Arc<str>) =
            (InstancePool::default(), Arc::from("bad"), Arc::from("good"));
        for blame in [Blame::Document, Blame::Plugin, Blame::Document, Blame::Plugin] {
            pool.record_failure(&broke(), Some(("a.x", &bad)), blame);
        }
        let error = pool
            .check_quarantine("p", Some(("a.x", &Arc::from("bad"))))
            .expect_err("this text of the file must be refused");
        assert_eq!(
            error.content().message,
            "plugin `p` failed 4 times on a.x, which is skipped for 2 s; last error: it broke"
        );
        for (path, text) in [("a.x", &other), ("b.x", &bad), ("b.x", &other)] {
            assert_eq!(pool.check_quarantine("p", Some((path, text))), Ok(()), "{path}: {text}");
        }
        assert_eq!(pool.check_quarantine("p", None), Ok(()));
        pool.record_failure(&broke(), Some(("a.x", &other)), Blame::Document);
        assert_eq!(pool.check_quarantine("p", Some(("a.x", &other))), Ok(()), "a changed text must be tried again");
        pool.record_success(Some(("a.x", &other)));
        assert_eq!(pool.status(), "ready");
    }

    #[test]
    fn plugin_is_quarantined_when_several_files_fail() {
        let text: Arc<str> = Arc::from("x");
        let fail_on = |pool: &InstancePool, names: &[&str], blame| {
            names.iter().for_each(|name| pool.record_failure(&broke(), Some((name, &text)), blame));
            pool.check_quarantine("p", Some(("healthy.x", &text))).is_ok()
        };
        let many: Vec<String> = (0..20).map(|number| format!("{number}.x")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(
            fail_on(&InstancePool::default(), &many, Blame::Document),
            "documents that exceed the limits must not count against the plugin"
        );
        assert!(
            fail_on(&InstancePool::default(), &["a", "b", "a", "b", "a"], Blame::Plugin),
            "two failing files must not quarantine the plugin"
        );
        assert!(!fail_on(&InstancePool::default(), &["a", "b", "c"], Blame::Plugin));
        let pool = InstancePool::default();
        assert!(fail_on(&pool, &["a", "b"], Blame::Plugin));
        pool.record_success(Some(("d", &text)));
        assert!(fail_on(&pool, &["c", "a"], Blame::Plugin), "failures before a success must not count");
    }

    #[test]
    fn failures_are_recorded_for_a_limited_number_of_files() {
        let (pool, text): (_, Arc<str>) = (InstancePool::default(), Arc::from("x"));
        (0..MAX_FAILING_FILES + 10)
            .for_each(|n| pool.record_failure(&broke(), Some((&n.to_string(), &text)), Blame::Document));
        assert_eq!(pool.state().files.len(), MAX_FAILING_FILES);
    }

    #[test]
    fn one_plugin_does_not_use_all_call_slots() {
        let pool = InstancePool::default();
        let works: Vec<Work> = (0..max_running()).map(|_| Work::default()).collect();
        let mut slots: Vec<_> = works.iter().map(|work| pool.enter(Some(work)).expect("there is room")).collect();
        let again = pool.enter(Some(&works[0])).expect("a second thread of a running call needs no slot");
        assert!(pool.enter(None).expect("a call without work never waits").is_none());
        let late = Work::default();
        let calls = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let ears = Arc::clone(&calls);
        late.on_wait(move || _ = ears.fetch_add(1, std::sync::atomic::Ordering::SeqCst));
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| pool.enter(Some(&late)).map(|inside| inside.is_some()));
            while !late.has_waited() {
                std::thread::sleep(Duration::from_millis(1));
            }
            slots.pop();
            assert_eq!(waits.join().expect("no panic"), Ok(true), "the waiting call must get the free slot");
        });
        assert_eq!(calls.load(std::sync::atomic::Ordering::SeqCst), 1, "the waiting call must notify once");
        let held_again = pool.enter(Some(&late)).expect("there is room");
        let cancelled = Work::default();
        cancelled.cancel();
        assert_eq!(pool.enter(Some(&cancelled)).err().map(|error| error.kind()), Some(Kind::Cancelled));
        drop((slots, again, held_again));
        assert!(pool.running.lock().expect("no panic").is_empty());
    }

    #[test]
    fn empty_pool_returns_no_instance() {
        assert!(InstancePool::default().take("a", &Arc::from("x")).is_none());
    }
}
