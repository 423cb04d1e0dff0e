//! Warm instances of one plugin, and its standing: a plugin that fails again and again rests for a while.

use std::{
    num::NonZero,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use marquetry_model::{
    Error, Kind, Result,
    budget::{Budget, Keeper},
};

use crate::instance::Instance;

/// Failures in a row before a plugin rests.
const PATIENCE: u32 = 3;
/// The first rest; each one after is twice as long, up to the longest.
const FIRST_REST: Duration = Duration::from_secs(1);
const LONGEST_REST: Duration = Duration::from_secs(60);

/// The idle instances, and how the plugin has been doing.
#[derive(Default)]
pub(crate) struct Pool {
    state: Mutex<Standing>,
}

#[derive(Default)]
struct Standing {
    /// Each with the time at which it was last used.
    idle: Vec<(u64, Instance)>,
    failures: u32,
    rests_until: Option<Instant>,
    last_error: Option<String>,
}

/// How many there are. The system is asked once, and not after every call: to tell, it reads several files of the limits of
/// this process.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(2, NonZero::get))
}

impl Pool {
    /// A pool whose idle instances count for what the process may keep.
    pub(crate) fn new() -> Arc<Pool> {
        let pool = Arc::new(Pool::default());
        Budget::of_process().join(&pool);
        pool
    }

    fn state(&self) -> MutexGuard<'_, Standing> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An idle instance, best one that holds the document already.
    pub(crate) fn take(&self, path: &str, text: &Arc<str>) -> Option<Instance> {
        let idle = &mut self.state().idle;
        let index = idle.iter().position(|(_, instance)| instance.holds(path, text)).or(idle.len().checked_sub(1))?;
        Some(idle.remove(index).1)
    }

    /// Give an instance back. No more are kept than there are cores.
    pub(crate) fn give(&self, instance: Instance) {
        if !instance.is_worth_keeping() {
            return;
        }
        let gone = {
            let mut state = self.state();
            let gone = (state.idle.len() >= cores()).then(|| state.idle.remove(0));
            state.idle.push((Budget::of_process().now(), instance));
            gone
        };
        drop(gone);
        Budget::of_process().trim();
    }

    /// Refuse a call while the plugin rests.
    pub(crate) fn admit(&self, plugin: &str) -> Result<()> {
        let state = self.state();
        match state.rests_until {
            Some(until) if until > Instant::now() => {
                let seconds = (until - Instant::now()).as_secs() + 1;
                let last = state.last_error.clone().unwrap_or_default();
                Err(Error::new(
                    Kind::PluginFailed,
                    format!(
                        "plugin `{plugin}` is quarantined for {seconds} s after {} failures; the last: {last}",
                        state.failures
                    ),
                )
                .hint("see `marq plugin list`; replacing the plugin's file ends the quarantine"))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn succeeded(&self) {
        let mut state = self.state();
        state.failures = 0;
        state.rests_until = None;
    }

    pub(crate) fn failed(&self, error: &Error) {
        let mut state = self.state();
        state.failures += 1;
        state.last_error = Some(error.content().message.clone());
        if let Some(beyond) = state.failures.checked_sub(PATIENCE) {
            let rest = FIRST_REST.saturating_mul(1 << beyond.min(10)).min(LONGEST_REST);
            state.rests_until = Some(Instant::now() + rest);
        }
    }

    /// For people: `ready`, or why not.
    pub(crate) fn standing(&self) -> String {
        let state = self.state();
        match (&state.rests_until, &state.last_error) {
            (Some(until), Some(error)) if *until > Instant::now() => format!("quarantined: {error}"),
            (_, Some(error)) if state.failures > 0 => format!("failing: {error}"),
            _ => "ready".to_owned(),
        }
    }
}

impl Keeper for Pool {
    fn bytes(&self) -> usize {
        self.state().idle.iter().map(|(_, instance)| instance.bytes()).sum()
    }

    fn oldest(&self) -> Option<u64> {
        self.state().idle.first().map(|(used, _)| *used)
    }

    fn let_go(&self) {
        let mut state = self.state();
        let gone = (!state.idle.is_empty()).then(|| state.idle.remove(0));
        drop(state);
        // Giving its memory back takes a while.
        drop(gone);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fail(pool: &Pool, times: usize) {
        for _ in 0..times {
            pool.failed(&Error::new(Kind::PluginFailed, "it broke"));
        }
    }

    fn rest(pool: &Pool) -> u64 {
        let until = pool.state().rests_until.expect("it rests");
        (until - Instant::now()).as_secs_f64().round() as u64
    }

    #[test]
    fn a_plugin_rests_after_three_failures_in_a_row() {
        let pool = Pool::default();
        assert_eq!(pool.standing(), "ready");
        fail(&pool, 2);
        assert!(pool.admit("p").is_ok());
        assert_eq!(pool.standing(), "failing: it broke");
        pool.succeeded();
        assert_eq!(pool.standing(), "ready");
        fail(&pool, 2);
        assert!(pool.admit("p").is_ok(), "not in a row");
        fail(&pool, 1);
        let error = pool.admit("p").expect_err("rests");
        assert_eq!(error.kind(), Kind::PluginFailed);
        assert_eq!(error.content().message, "plugin `p` is quarantined for 1 s after 3 failures; the last: it broke");
        assert_eq!(pool.standing(), "quarantined: it broke");
    }

    #[test]
    fn each_rest_is_twice_as_long_up_to_a_minute() {
        let pool = Pool::default();
        fail(&pool, 3);
        for wanted in [1, 2, 4, 8, 16, 32, 60, 60] {
            assert_eq!(rest(&pool), wanted);
            fail(&pool, 1);
        }
        fail(&pool, 10_000);
        assert_eq!(rest(&pool), 60);
        pool.succeeded();
        assert!(pool.admit("p").is_ok());
    }

    #[test]
    fn nothing_is_taken_from_an_empty_pool() {
        assert!(Pool::default().take("a", &Arc::from("x")).is_none());
    }
}
