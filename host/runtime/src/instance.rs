//! One instance of a plugin: a store, its limits and its open documents.

use std::sync::Arc;

use marquetry_model::{limits, ports::Files};
use wasmtime::Store;

use crate::{
    guest::{Guest, Handle},
    limits::{InstanceMemory, PluginLimits},
    load::LoadedPlugin,
    sandbox::{Sandbox, TickGuard},
    state::{CallFailure, CallLimits, InstanceState, call_failure},
};

/// An instance that can be called.
pub(crate) struct Instance {
    pub(crate) store: Store<InstanceState>,
    pub(crate) guest: Guest,
    /// Open documents, the most recently used last.
    open: Vec<OpenDocumentHandle>,
    calls: u32,
}

struct OpenDocumentHandle {
    path: String,
    text: Arc<str>,
    handle: Handle,
}

/// Maximum number of calls of an instance.
const MAX_CALLS: u32 = 20_000;

impl Instance {
    pub(crate) fn new(
        sandbox: &Sandbox,
        loaded: &LoadedPlugin,
        bounds: &PluginLimits,
    ) -> Result<Instance, CallFailure> {
        let memory = InstanceMemory::new(&sandbox.memory, bounds.memory_limit(0));
        let mut store = InstanceState::store(sandbox, &loaded.id, memory, CallLimits::for_documents(bounds, 0));
        store.data_mut().file_access = loaded.file_access;
        let _ticking = sandbox.start_ticking();
        match loaded.instantiate(&mut store) {
            Ok(guest) => Ok(Instance { store, guest, open: Vec::new(), calls: 0 }),
            Err(error) => Err(call_failure(store.data(), &error, "starting it")),
        }
    }

    /// Prepares for a call on documents of this many bytes. The time limit is checked until the returned value is
    /// dropped.
    pub(crate) fn begin_call(
        &mut self,
        sandbox: &Sandbox,
        bounds: &PluginLimits,
        bytes: usize,
        files: Option<&Arc<dyn Files>>,
    ) -> TickGuard {
        self.calls += 1;
        let open_bytes: usize = self.open.iter().map(|open| open.text.len()).sum();
        InstanceState::begin_call(&mut self.store, CallLimits::for_documents(bounds, bytes));
        let state = self.store.data_mut();
        state.memory.allowed = bounds.memory_limit(open_bytes + bytes);
        state.workspace = files.cloned();
        sandbox.start_ticking()
    }

    /// Returns whether the document is open in this instance.
    pub(crate) fn has_open(&self, path: &str, text: &Arc<str>) -> bool {
        self.open.iter().any(|open| open.matches(path, text))
    }

    /// Returns the document, opening it if necessary.
    pub(crate) fn document(&mut self, path: &str, text: &Arc<str>, settings: &str) -> wasmtime::Result<Handle> {
        if let Some(index) = self.open.iter().position(|open| open.matches(path, text)) {
            let open = self.open.remove(index);
            let handle = open.handle;
            self.open.push(open);
            return Ok(handle);
        }
        self.make_room(path, text.len())?;
        let handle = self.open(path, text, settings)?;
        if let Some(other) = self.open.iter().find(|open| open.handle == handle) {
            return Err(wasmtime::format_err!(
                "it returned the same document for {path} and for {}, which is still open",
                other.path
            ));
        }
        self.open.push(OpenDocumentHandle { path: path.to_owned(), text: Arc::clone(text), handle });
        Ok(handle)
    }

    /// Closes documents: earlier texts of the same large file, and the least recently used ones if there are too many.
    fn make_room(&mut self, path: &str, bytes: usize) -> wasmtime::Result<()> {
        let mut open_bytes: usize = self.open.iter().map(|open| open.text.len()).sum();
        while let Some(index) = self.document_to_close(path, open_bytes + bytes) {
            let open = self.open.remove(index);
            open_bytes -= open.text.len();
            self.close(open.handle)?;
        }
        Ok(())
    }

    fn document_to_close(&self, path: &str, open_bytes: usize) -> Option<usize> {
        let outdated =
            |open: &OpenDocumentHandle| open.path == path && open.text.len() > limits::OUTDATED_DOCUMENT_BYTES;
        let crowded = self.open.len() >= limits::OPEN_DOCUMENTS || open_bytes > limits::OPEN_BYTES;
        self.open.iter().position(outdated).or((crowded && !self.open.is_empty()).then_some(0))
    }

    /// Returns whether the instance may return to the pool. The memory of an instance never shrinks, so an instance is
    /// dropped if it uses more memory than is allowed for all idle instances together.
    pub(crate) fn is_worth_keeping(&self) -> bool {
        self.calls < MAX_CALLS && self.bytes() < limits::CACHE_MEMORY
    }

    /// Returns the approximate bytes in use: its memory and the texts of its open documents.
    pub(crate) fn bytes(&self) -> usize {
        self.store.data().memory.used + self.open.iter().map(|open| open.text.len()).sum::<usize>()
    }

    /// Interprets the error of a call.
    pub(crate) fn call_failure(&self, error: &wasmtime::Error, doing: &str) -> CallFailure {
        call_failure(self.store.data(), error, doing)
    }
}

impl OpenDocumentHandle {
    fn matches(&self, path: &str, text: &Arc<str>) -> bool {
        self.path == path && (Arc::ptr_eq(&self.text, text) || self.text == *text)
    }
}
