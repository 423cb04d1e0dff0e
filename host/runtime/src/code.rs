//! Code that the engine compiles and the cache stores: components, and the core modules of Extism plug-ins.

use std::path::Path;

use marquetry_model::Result;
use wasmtime::{Engine, Module, component::Component};

use crate::versions::adapted;

/// Machine code of a component or a module.
pub(crate) trait Code: Sized {
    /// Compiles the bytes of a plugin file.
    ///
    /// # Errors
    /// The bytes cannot be read or compiled.
    fn compiled(engine: &Engine, plugin: &str, bytes: Vec<u8>) -> Result<wasmtime::Result<Self>>;

    /// Serializes the code for the cache.
    fn kept(&self) -> wasmtime::Result<Vec<u8>>;

    /// Loads serialized code from memory.
    ///
    /// # Safety
    /// The bytes were returned by [`Code::kept`].
    #[expect(unsafe_code, reason = "machine code is only as good as where it comes from")]
    unsafe fn taken(engine: &Engine, code: &[u8]) -> wasmtime::Result<Self>;

    /// Maps serialized code from a file.
    ///
    /// # Safety
    /// The file holds bytes that [`Code::kept`] returned.
    #[expect(unsafe_code, reason = "machine code is only as good as where it comes from")]
    unsafe fn mapped(engine: &Engine, path: &Path) -> wasmtime::Result<Self>;
}

impl Code for Component {
    fn compiled(engine: &Engine, plugin: &str, bytes: Vec<u8>) -> Result<wasmtime::Result<Component>> {
        Ok(Component::new(engine, adapted(plugin, bytes)?))
    }

    fn kept(&self) -> wasmtime::Result<Vec<u8>> {
        self.serialize()
    }

    #[expect(unsafe_code, reason = "the caller says where it comes from")]
    unsafe fn taken(engine: &Engine, code: &[u8]) -> wasmtime::Result<Component> {
        // SAFETY: guaranteed by the caller.
        unsafe { Component::deserialize(engine, code) }
    }

    #[expect(unsafe_code, reason = "the caller says where it comes from")]
    unsafe fn mapped(engine: &Engine, path: &Path) -> wasmtime::Result<Component> {
        // SAFETY: guaranteed by the caller.
        unsafe { Component::deserialize_file(engine, path) }
    }
}

impl Code for Module {
    fn compiled(engine: &Engine, _plugin: &str, bytes: Vec<u8>) -> Result<wasmtime::Result<Module>> {
        Ok(Module::new(engine, bytes))
    }

    fn kept(&self) -> wasmtime::Result<Vec<u8>> {
        self.serialize()
    }

    #[expect(unsafe_code, reason = "the caller says where it comes from")]
    unsafe fn taken(engine: &Engine, code: &[u8]) -> wasmtime::Result<Module> {
        // SAFETY: guaranteed by the caller.
        unsafe { Module::deserialize(engine, code) }
    }

    #[expect(unsafe_code, reason = "the caller says where it comes from")]
    unsafe fn mapped(engine: &Engine, path: &Path) -> wasmtime::Result<Module> {
        // SAFETY: guaranteed by the caller.
        unsafe { Module::deserialize_file(engine, path) }
    }
}
