//! Code that the engine compiles and the cache stores: components, and the core modules of Extism plug-ins.

use std::path::Path;

use wasmtime::{Engine, Module, component::Component};

/// Machine code of a component or a module.
pub(crate) trait CompiledCode: Sized {
    /// Loads serialized code from memory.
    ///
    /// # Safety
    /// The bytes were returned by `serialize` of the engine.
    #[expect(unsafe_code, reason = "the caller guarantees the origin of the machine code")]
    unsafe fn deserialize(engine: &Engine, code: &[u8]) -> wasmtime::Result<Self>;

    /// Maps serialized code from a file.
    ///
    /// # Safety
    /// The file holds bytes that `serialize` of the engine returned.
    #[expect(unsafe_code, reason = "the caller guarantees the origin of the machine code")]
    unsafe fn map_file(engine: &Engine, path: &Path) -> wasmtime::Result<Self>;
}

impl CompiledCode for Component {
    #[expect(unsafe_code, reason = "the caller guarantees the origin of the machine code")]
    unsafe fn deserialize(engine: &Engine, code: &[u8]) -> wasmtime::Result<Component> {
        // SAFETY: guaranteed by the caller.
        unsafe { Component::deserialize(engine, code) }
    }

    #[expect(unsafe_code, reason = "the caller guarantees the origin of the machine code")]
    unsafe fn map_file(engine: &Engine, path: &Path) -> wasmtime::Result<Component> {
        // SAFETY: guaranteed by the caller.
        unsafe { Component::deserialize_file(engine, path) }
    }
}

impl CompiledCode for Module {
    #[expect(unsafe_code, reason = "the caller guarantees the origin of the machine code")]
    unsafe fn deserialize(engine: &Engine, code: &[u8]) -> wasmtime::Result<Module> {
        // SAFETY: guaranteed by the caller.
        unsafe { Module::deserialize(engine, code) }
    }

    #[expect(unsafe_code, reason = "the caller guarantees the origin of the machine code")]
    unsafe fn map_file(engine: &Engine, path: &Path) -> wasmtime::Result<Module> {
        // SAFETY: guaranteed by the caller.
        unsafe { Module::deserialize_file(engine, path) }
    }
}
