//! Arbitrary bytes as a JSON-RPC message: never a panic.
#![no_main]

use std::{cell::OnceCell, str};

use jsonrpsee::RpcModule;
use marquetry_fuzz::FIXTURE;
use marquetry_native::Project;
use marquetry_wire::{ServedCatalog, rpc};
use tokio::runtime::{Builder, Runtime};

thread_local! {
    static SERVER: OnceCell<(Project, RpcModule<ServedCatalog>, Runtime)> = const { OnceCell::new() };
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = str::from_utf8(bytes) else { return };
    SERVER.with(|server| {
        let (_, module, runtime) = server.get_or_init(|| {
            let project = Project::new(FIXTURE);
            let module = rpc::module(ServedCatalog::new(project.catalog().clone())).expect("methods");
            (
                project,
                module,
                Builder::new_multi_thread().worker_threads(1).max_blocking_threads(2).build().expect("threads"),
            )
        });
        let _ = runtime.block_on(module.raw_json_request(text, 1));
    });
});
