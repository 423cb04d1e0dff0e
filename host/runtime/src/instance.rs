//! One instance of a plugin: a store, its limits, and the documents it holds open.

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
    /// The most recently used last.
    open: Vec<Open>,
    calls: u32,
}

struct Open {
    path: String,
    text: Arc<str>,
    handle: Handle,
}

/// An instance is not kept beyond so many calls.
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

    /// Make ready for a call on documents of so many bytes. The clock ticks while the value lives.
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

    /// Whether the document is open here.
    pub(crate) fn holds(&self, path: &str, text: &Arc<str>) -> bool {
        self.open.iter().any(|open| open.is(path, text))
    }

    /// The document, opened unless it is open already.
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
            return Err(wasmtime::format_err!("it gives {path} the number of {}, which is open", other.path));
        }
        self.open.push(Open { path: path.to_owned(), text: Arc::clone(text), handle });
        Ok(handle)
    }

    /// Let documents go: earlier texts of the same large file, and the least recently used where there are too many.
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

    /// Whether it may go back to the pool. Memory that it grew to never shrinks: one that takes more than all may keep is not
    /// kept.
    pub(crate) fn is_worth_keeping(&self) -> bool {
        self.calls < KEEP_CALLS && self.bytes() < limits::KEPT_MEMORY
    }

    /// About how many bytes it takes: of its own, and of the texts that are open in it.
    pub(crate) fn bytes(&self) -> usize {
        self.store.data().memory.used + self.open.iter().map(|open| open.text.len()).sum::<usize>()
    }

    /// What an error of a call means.
    pub(crate) fn fault(&self, error: &wasmtime::Error, doing: &str) -> Fault {
        fault(self.store.data(), error, doing)
    }
}

impl Open {
    fn is(&self, path: &str, text: &Arc<str>) -> bool {
        self.path == path && (Arc::ptr_eq(&self.text, text) || self.text == *text)
    }
}
