//! Runs modules in text format in this host and compares the results with those of Extism's own host.

#[path = "../../../../e2e/oracle/src/transcript.rs"]
mod transcript;

use std::{env, fs, path::Path, time::Duration};

use marquetry_model::limits;
use transcript::{Host, Line, PAGES, Side, logged, replay};
use wasmtime::{Store, ValType};

use super::{LinkedModule, Module};
use crate::{
    cache::Cache,
    limits::InstanceMemory,
    logs::PluginLogs,
    sandbox::Sandbox,
    state::{CallLimits, InstanceState},
};

/// Written by `cargo xtask e2e oracle`.
const FILE: &str = "tests/extism/oracle.txt";
/// Tracing target of plugin logs.
const LOG: &str = "marquetry_runtime::state";
const TIME: Duration = Duration::from_secs(10);

/// A module that runs in this host.
struct Ours {
    sandbox: Sandbox,
    store: Store<InstanceState>,
    module: Module,
}

impl Ours {
    fn start(module: &transcript::Module) -> Ours {
        let sandbox = Sandbox::new(PluginLogs::new(Cache::new(None))).expect("a sandbox");
        let compiled = wasmtime::Module::new(&sandbox.engine, module.wasm()).expect("a module");
        let exports = compiled.exports().filter(|export| export.ty().func().is_some_and(is_called));
        // Leaked, because function names must be `'static`.
        let functions = exports.map(|export| (&*export.name().to_owned().leak(), export.name().to_owned())).collect();
        let linked = LinkedModule::link_functions(&sandbox, &compiled, functions).expect("it can be linked");
        let memory = InstanceMemory::new(&sandbox.memory, PAGES as usize * (64 << 10));
        let mut store =
            InstanceState::store(&sandbox, "p", memory, CallLimits { time: TIME, transfer: limits::TRANSFER_BYTES });
        let instance = linked.instantiate(&mut store).expect("it starts");
        store.data_mut().blocks.set_settings(&module.settings);
        Ours { sandbox, store, module: instance }
    }
}

fn is_called(ty: &wasmtime::FuncType) -> bool {
    ty.params().len() == 0 && ty.results().all(|result| matches!(result, ValType::I32))
}

impl Host for Ours {
    fn call(&mut self, function: &str, input: &[u8]) -> (Vec<Line>, Result<Vec<u8>, String>) {
        InstanceState::begin_call(&mut self.store, CallLimits { time: TIME, transfer: limits::TRANSFER_BYTES });
        let _ticking = self.sandbox.start_ticking();
        let (ended, mut log) =
            logged(LOG, || self.module.run(&mut self.store, function, &[input]).map(|name| name.is_some()));
        let blocks = &self.store.data().blocks;
        let error_text = blocks.error_text();
        // The error message is logged by this host but not by Extism.
        log.truncate(log.len() - error_text.iter().flat_map(|error_text| error_text.lines()).count());
        let ended = match (ended, error_text) {
            (Ok(true), _) => Ok(blocks.output().to_vec()),
            (Ok(false), _) => Err("there is no such function".to_owned()),
            (Err(_), Some(error_text)) => Err(error_text),
            (Err(error), None) => {
                let cause = error.root_cause().to_string();
                // Both hosts word the error about an exit code differently, so this host's error is converted to
                // Extism's.
                let number = cause.strip_prefix(&format!("`{function}` returned "));
                Err(number.map_or(cause.clone(), |number| format!("Returned non-zero exit code: {number}")))
            }
        };
        (log, ended)
    }
}

#[test]
fn host_functions_answer_as_in_extism_host() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    let text = fs::read_to_string(&file).expect("the transcript");
    let now = replay(&text, Side::Ours, |module| Box::new(Ours::start(module)));
    if env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&file, &now).expect("written");
        return;
    }
    let difference = text.lines().zip(now.lines()).find(|(was, is)| was != is);
    assert_eq!(difference, None, "the results differ from the transcript; `UPDATE_EXPECT=1` updates it");
    assert_eq!(text, now);
}
