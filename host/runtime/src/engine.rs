//! The wasmtime engine of the process, and the ticker that interrupts long calls.

use std::{
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};

use marquetry_model::{Error, Result, limits};
use wasmtime::{Config, Engine};

use crate::{limits::TotalMemory, logs::PluginLogs};

/// Interval at which the epoch advances while calls are running, so that each call can be checked.
const TICK_INTERVAL: Duration = Duration::from_millis(10);
/// Stack of a guest. Recursive-descent parsers need more than the default of half a MiB.
pub(crate) const WASM_STACK: usize = 2 << 20;

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

/// Number of running calls; the ticker sleeps while there are none.
#[derive(Default)]
struct RunningCalls {
    calls: Mutex<usize>,
    woken: Condvar,
}

/// Keeps the ticker awake during a call.
pub(crate) struct TickGuard(Arc<RunningCalls>);

/// Creates an engine. Code compiled by it can be used by every other engine of this program.
pub(crate) fn new_engine() -> Result<Engine> {
    create_engine(configuration(cfg!(windows)))
}

/// Creates an engine that only compiles, for programs of a target such as `x86_64-unknown-linux-musl`. It uses no
/// features of this machine's processor, but those that all processors for the target have had for ten years.
pub(crate) fn engine_for(target: &str) -> Result<Engine> {
    let failed = |error: wasmtime::Error| {
        Error::internal(format!("`{target}` is not a target that plugins can be compiled for: {error:#}"))
    };
    let mut config = configuration(target.contains("windows"));
    config.target(target).map_err(failed)?;
    if target.starts_with("x86_64") {
        for feature in ["has_sse3", "has_ssse3", "has_sse41", "has_sse42", "has_popcnt"] {
            enable(&mut config, feature);
        }
    }
    create_engine(config)
}

#[expect(unsafe_code, reason = "the engine checks that the processor has the feature before it loads the code")]
fn enable(config: &mut Config, feature: &str) {
    // SAFETY: the flag selects instructions; code with instructions that the processor lacks is not loaded.
    unsafe { config.cranelift_flag_enable(feature) };
}

fn create_engine(config: Config) -> Result<Engine> {
    Engine::new(&config).map_err(|error| Error::internal(format!("cannot create the sandbox: {error:#}")))
}

/// Returns the settings that all engines share, whatever they compile for.
fn configuration(is_windows: bool) -> Config {
    let mut config = Config::new();
    config.epoch_interruption(true).max_wasm_stack(WASM_STACK).wasm_component_model(true);
    // Stack traces contain function names but no offsets. The tables for offsets and native unwinding would be an
    // eighth of the compiled code, which is hashed whenever it is loaded. Only Windows needs the unwind tables.
    config.generate_address_map(false).native_unwind_info(is_windows);
    config
}

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
