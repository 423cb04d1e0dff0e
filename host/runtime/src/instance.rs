//! One instance of a plugin: a store, its limits and its open documents.

use std::sync::Arc;

use marquetry_model::{limits, ports::Files};
use wasmtime::Store;

use crate::{
    engine::{Sandbox, Ticking},
    guest::{Guest, Handle},
    limits::{Bounds, Memory},
    load::Loaded,
    state::{Allowed, Fault, State, fault},
};

/// An instance that can be called.
pub(crate) struct Instance {
    pub(crate) store: Store<State>,
    pub(crate) guest: Guest,
    /// Open documents, the most recently used last.
    open: Vec<Open>,
    calls: u32,
}

struct Open {
    path: String,
    text: Arc<str>,
    handle: Handle,
}

/// Maximum number of calls of an instance.
const KEEP_CALLS: u32 = 20_000;

impl Instance {
    pub(crate) fn new(sandbox: &Sandbox, loaded: &Loaded, bounds: &Bounds) -> Result<Instance, Fault> {
        let memory = Memory::of(&sandbox.memory, bounds.memory_for(0));
        let mut store = State::store(sandbox, &loaded.id, memory, Allowed::on(bounds, 0));
        store.data_mut().reach = loaded.reach;
        let _ticking = sandbox.tick();
        match loaded.instantiate(&mut store) {
            Ok(guest) => Ok(Instance { store, guest, open: Vec::new(), calls: 0 }),
            Err(error) => Err(fault(store.data(), &error, "starting it")),
        }
    }

    /// Prepares for a call on documents of this many bytes. The clock ticks until the returned value is dropped.
    pub(crate) fn arm(
        &mut self,
        sandbox: &Sandbox,
        bounds: &Bounds,
        bytes: usize,
        files: Option<&Arc<dyn Files>>,
    ) -> Ticking {
        self.calls += 1;
        let held: usize = self.open.iter().map(|open| open.text.len()).sum();
        State::begin(&mut self.store, Allowed::on(bounds, bytes));
        let state = self.store.data_mut();
        state.memory.allowed = bounds.memory_for(held + bytes);
        state.workspace = files.cloned();
        sandbox.tick()
    }

    /// Returns whether the document is open in this instance.
    pub(crate) fn holds(&self, path: &str, text: &Arc<str>) -> bool {
        self.open.iter().any(|open| open.is(path, text))
    }

    /// Returns the document, opening it if necessary.
    pub(crate) fn document(&mut self, path: &str, text: &Arc<str>, settings: &str) -> wasmtime::Result<Handle> {
        if let Some(index) = self.open.iter().position(|open| open.is(path, text)) {
            let open = self.open.remove(index);
            let handle = open.handle;
            self.open.push(open);
            return Ok(handle);
        }
        self.make_room(path, text.len())?;
        let handle = self.open(path, text, settings)?;
        if let Some(other) = self.open.iter().find(|open| open.handle == handle) {
            return Err(wasmtime::format_err!("it gave {path} the same number as {}, which is open", other.path));
        }
        self.open.push(Open { path: path.to_owned(), text: Arc::clone(text), handle });
        Ok(handle)
    }

    /// Closes documents: earlier texts of the same large file, and the least recently used ones if there are too many.
    fn make_room(&mut self, path: &str, bytes: usize) -> wasmtime::Result<()> {
        let mut held: usize = self.open.iter().map(|open| open.text.len()).sum();
        while let Some(index) = self.to_let_go(path, held + bytes) {
            let open = self.open.remove(index);
            held -= open.text.len();
            self.close(open.handle)?;
        }
        Ok(())
    }

    fn to_let_go(&self, path: &str, held: usize) -> Option<usize> {
        let outdated = |open: &Open| open.path == path && open.text.len() > limits::OUTDATED_BYTES;
        let crowded = self.open.len() >= limits::OPEN_DOCUMENTS || held > limits::OPEN_BYTES;
        self.open.iter().position(outdated).or((crowded && !self.open.is_empty()).then_some(0))
    }

    /// Returns whether it may return to the pool. Memory never shrinks, so an instance that uses more than all idle
    /// ones may is dropped.
    pub(crate) fn is_worth_keeping(&self) -> bool {
        self.calls < KEEP_CALLS && self.bytes() < limits::KEPT_MEMORY
    }

    /// Returns the approximate bytes in use: its memory and the texts of its open documents.
    pub(crate) fn bytes(&self) -> usize {
        self.store.data().memory.used + self.open.iter().map(|open| open.text.len()).sum::<usize>()
    }

    /// Interprets the error of a call.
    pub(crate) fn fault(&self, error: &wasmtime::Error, doing: &str) -> Fault {
        fault(self.store.data(), error, doing)
    }
}

impl Open {
    fn is(&self, path: &str, text: &Arc<str>) -> bool {
        self.path == path && (Arc::ptr_eq(&self.text, text) || self.text == *text)
    }
}
