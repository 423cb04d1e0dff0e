//! What the engine compiles and the cache keeps: components, and the core modules of Extism plug-ins.

use std::path::Path;

use marquetry_model::Result;
use wasmtime::{Engine, Module, component::Component};

use crate::versions::adapted;

/// Machine code, of a component or of a module.
pub(crate) trait Code: Sized {
    /// From the bytes of a plugin's file.
    ///
    /// # Errors
    /// The bytes cannot be read, or cannot be compiled.
    fn compiled(engine: &Engine, plugin: &str, bytes: Vec<u8>) -> Result<wasmtime::Result<Self>>;

    /// As it is kept.
    fn kept(&self) -> wasmtime::Result<Vec<u8>>;

    /// The same from memory.
    ///
    /// # Safety
    /// The bytes are what [`Code::kept`] gave.
    #[expect(unsafe_code, reason = "machine code is only as good as where it comes from")]
    unsafe fn taken(engine: &Engine, code: &[u8]) -> wasmtime::Result<Self>;

    /// What is kept in a file.
    ///
    /// # Safety
    /// The file holds what [`Code::kept`] gave.
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
        // SAFETY: as this function demands.
        unsafe { Component::deserialize(engine, code) }
    }

    #[expect(unsafe_code, reason = "the caller says where it comes from")]
    unsafe fn mapped(engine: &Engine, path: &Path) -> wasmtime::Result<Component> {
        // SAFETY: as this function demands.
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
        // SAFETY: as this function demands.
        unsafe { Module::deserialize(engine, code) }
    }

    #[expect(unsafe_code, reason = "the caller says where it comes from")]
    unsafe fn mapped(engine: &Engine, path: &Path) -> wasmtime::Result<Module> {
        // SAFETY: as this function demands.
        unsafe { Module::deserialize_file(engine, path) }
    }
}
