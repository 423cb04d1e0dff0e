//! One wasmtime engine for the process, and the ticker that ends calls which take too long.

use std::{
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};

use marquetry_model::{Error, Result, limits};
use wasmtime::{Config, Engine};

use crate::{limits::Total, logs::Logs};

/// How often the epoch advances while calls are running: how often each of them can be looked at.
const TICK: Duration = Duration::from_millis(10);
/// Stack of a guest: recursive-descent parsers need more than the default of half a MiB.
pub(crate) const WASM_STACK: usize = 2 << 20;

/// The engine and its clock.
#[derive(Clone)]
pub(crate) struct Sandbox {
    pub(crate) engine: Engine,
    running: Arc<Running>,
    /// The memory of all instances.
    pub(crate) memory: Arc<Total>,
    /// What plugins said in calls that failed.
    pub(crate) logs: Logs,
}

/// How many calls are running; the ticker sleeps while there are none.
#[derive(Default)]
struct Running {
    calls: Mutex<usize>,
    woken: Condvar,
}

/// Held while a call runs: keeps the ticker awake.
pub(crate) struct Ticking(Arc<Running>);

/// An engine that compiles for every other one of this program.
pub(crate) fn new_engine() -> Result<Engine> {
    let mut config = Config::new();
    config.epoch_interruption(true).max_wasm_stack(WASM_STACK).wasm_component_model(true);
    // Stacks of failures name functions. Offsets in them, and what debuggers of the system read, would be an eighth of the compiled
    // code, which is hashed whenever it is loaded; Windows alone cannot do without the latter.
    config.generate_address_map(false).native_unwind_info(cfg!(windows));
    Engine::new(&config).map_err(|error| Error::internal(format!("no sandbox: {error:#}")))
}

impl Sandbox {
    pub(crate) fn new(logs: Logs) -> Result<Sandbox> {
        let engine = new_engine()?;
        let running = Arc::<Running>::default();
        let (weak, clock) = (engine.weak(), Arc::clone(&running));
        std::thread::Builder::new()
            .name("epoch".to_owned())
            .spawn(move || {
                loop {
                    clock.wait();
                    std::thread::sleep(TICK);
                    match weak.upgrade() {
                        Some(engine) => engine.increment_epoch(),
                        None => return,
                    }
                }
            })
            .map_err(|error| Error::internal(format!("no thread for the epoch ticker: {error}")))?;
        Ok(Sandbox { engine, running, memory: Arc::new(Total::new(limits::GUEST_MEMORY)), logs })
    }

    /// Keep the clock going until the value is dropped.
    pub(crate) fn tick(&self) -> Ticking {
        *self.running.calls.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.running.woken.notify_one();
        Ticking(Arc::clone(&self.running))
    }
}

impl Running {
    fn wait(&self) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        while *calls == 0 {
            calls = self.woken.wait(calls).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Ticking {
    fn drop(&mut self) {
        *self.0.calls.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_counts_the_calls_that_run() {
        let sandbox = Sandbox::new(Logs::new(crate::cache::Cache::new(None))).expect("a sandbox");
        let running = || *sandbox.running.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let (one, other) = (sandbox.tick(), sandbox.tick());
        assert_eq!(running(), 2);
        drop(one);
        assert_eq!(running(), 1);
        drop(other);
        assert_eq!(running(), 0);
    }
}
