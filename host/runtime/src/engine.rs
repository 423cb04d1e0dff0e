//! Settings of the wasmtime engine.

use marquetry_model::{Error, Result};
use wasmtime::{Config, Engine};

/// Stack of a guest. Recursive-descent parsers need more than the default of half a MiB.
pub(crate) const WASM_STACK: usize = 2 << 20;

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
