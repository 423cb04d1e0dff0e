//! The engine of the process with everything that its instances share, and the ticker that interrupts long calls.

use std::{
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};

use marquetry_model::{Error, Result, limits};
use wasmtime::Engine;

use crate::{engine::new_engine, limits::TotalMemory, logs::PluginLogs};

/// Interval at which the epoch advances while calls are running, so that each call can be checked.
const TICK_INTERVAL: Duration = Duration::from_millis(10);

/// The engine, and everything that its instances share.
#[derive(Clone)]
pub(crate) struct Sandbox {
    pub(crate) engine: Engine,
    running: Arc<RunningCalls>,
    /// Memory use of all instances.
    pub(crate) memory: Arc<TotalMemory>,
    /// Log messages of plugins from failed calls.
    pub(crate) logs: PluginLogs,
}

/// Number of running calls. The ticker sleeps while it is zero.
#[derive(Default)]
struct RunningCalls {
    calls: Mutex<usize>,
    woken: Condvar,
}

/// Keeps the ticker awake during a call.
pub(crate) struct TickGuard(Arc<RunningCalls>);

impl Sandbox {
    pub(crate) fn new(logs: PluginLogs) -> Result<Sandbox> {
        let engine = new_engine()?;
        let running = Arc::<RunningCalls>::default();
        let (weak, clock) = (engine.weak(), Arc::clone(&running));
        std::thread::Builder::new()
            .name("epoch".to_owned())
            .spawn(move || {
                loop {
                    clock.wait();
                    std::thread::sleep(TICK_INTERVAL);
                    match weak.upgrade() {
                        Some(engine) => engine.increment_epoch(),
                        None => return,
                    }
                }
            })
            .map_err(|error| Error::internal(format!("cannot start the epoch ticker: {error}")))?;
        Ok(Sandbox { engine, running, memory: Arc::new(TotalMemory::new(limits::GUEST_MEMORY)), logs })
    }

    /// Keeps the clock ticking until the returned value is dropped.
    pub(crate) fn start_ticking(&self) -> TickGuard {
        *self.running.calls.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.running.woken.notify_one();
        TickGuard(Arc::clone(&self.running))
    }
}

impl RunningCalls {
    fn wait(&self) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        while *calls == 0 {
            calls = self.woken.wait(calls).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for TickGuard {
    fn drop(&mut self) {
        *self.0.calls.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticker_runs_while_calls_run() {
        let sandbox = Sandbox::new(PluginLogs::new(crate::cache::Cache::new(None))).expect("a sandbox");
        let running = || *sandbox.running.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let (one, other) = (sandbox.start_ticking(), sandbox.start_ticking());
        assert_eq!(running(), 2);
        drop(one);
        assert_eq!(running(), 1);
        drop(other);
        assert_eq!(running(), 0);
    }
}
