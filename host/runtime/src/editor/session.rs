//! One attached editor in the sandbox, with a separate store that lives as long as the connection.

use std::sync::Arc;

use marquetry_model::{
    Error, Kind, Result,
    editor::{Action, Event, Session},
    limits,
};
use wasmtime::{
    Store,
    component::{Component, HasSelf, InstancePre, Linker, ResourceAny},
};

use crate::{
    bindings::{
        editor::{
            exports::marquetry::editor::integration::{Guest, GuestIndices},
            marquetry::editor::types as wit,
        },
        marquetry::language::log::Level,
    },
    editor::{convert::IntegrationValidator, lower},
    limits::{InstanceMemory, PluginLimits},
    sandbox::Sandbox,
    state::{CallLimits, InstanceState, call_failure},
    versions::EDITOR,
    wasi,
};

/// A compiled and linked integration.
pub(crate) struct LoadedIntegration {
    id: String,
    sandbox: Sandbox,
    bounds: PluginLimits,
    pre: InstancePre<InstanceState>,
    indices: GuestIndices,
}

/// One attached editor.
pub(crate) struct WasmSession {
    loaded: Arc<LoadedIntegration>,
    store: Store<InstanceState>,
    guest: Guest,
    session: ResourceAny,
}

/// Rejects imports before anything is compiled: an integration only exchanges bytes and events with the host, so it
/// needs no other imports.
pub(crate) fn check_imports(id: &str, imports: &[String]) -> Result<()> {
    let ours = |import: &str| import.strip_prefix(EDITOR.package).is_some_and(|rest| rest.starts_with("/types@"));
    match imports.iter().find(|import| !ours(import) && !wasi::is_provided(import)) {
        None => Ok(()),
        Some(import) => {
            let message = format!("editor `{id}` imports `{import}`, which integrations may not import");
            Err(Error::new(Kind::PermissionDenied, message)
                .hint("build it without sockets, processes and clocks: the host provides connections and timers"))
        }
    }
}

impl wit::Host for InstanceState {}

impl LoadedIntegration {
    pub(crate) fn link(
        sandbox: &Sandbox,
        id: &str,
        bounds: PluginLimits,
        component: &Component,
    ) -> Result<LoadedIntegration> {
        let failed = |error: wasmtime::Error| {
            Error::new(Kind::PluginFailed, format!("editor `{id}` cannot be linked: {error:#}"))
        };
        let mut linker: Linker<InstanceState> = Linker::new(&sandbox.engine);
        wit::add_to_linker::<_, HasSelf<_>>(&mut linker, |state: &mut InstanceState| state).map_err(failed)?;
        wasi::link(&sandbox.engine, component, &mut linker)?;
        let pre = linker.instantiate_pre(component).map_err(failed)?;
        let indices = GuestIndices::new(&pre).map_err(failed)?;
        Ok(LoadedIntegration { id: id.to_owned(), sandbox: sandbox.clone(), bounds, pre, indices })
    }

    fn start(&self) -> Result<(Store<InstanceState>, Guest)> {
        let memory = InstanceMemory::new(&self.sandbox.memory, self.bounds.memory.min(limits::EDITOR_MEMORY));
        let mut store =
            InstanceState::store(&self.sandbox, &self.id, memory, CallLimits::for_documents(&self.bounds, 0));
        let _ticking = self.sandbox.start_ticking();
        let started = self.pre.instantiate(&mut store);
        let loaded = started.and_then(|instance| self.indices.load(&mut store, &instance));
        match loaded {
            Ok(guest) => Ok((store, guest)),
            Err(error) => Err(call_failure(store.data(), &error, "starting it").error),
        }
    }

    /// Returns the description of the integration.
    pub(crate) fn describe(&self) -> Result<wit::Description> {
        let (mut store, guest) = self.start()?;
        let _ticking = self.sandbox.start_ticking();
        guest.call_describe(&mut store).map_err(|error| call_failure(store.data(), &error, "describing itself").error)
    }

    /// Creates a session for one editor.
    pub(crate) fn attach(self: &Arc<Self>, settings: &str) -> Result<WasmSession> {
        let (mut store, guest) = self.start()?;
        let _ticking = self.sandbox.start_ticking();
        let session = guest
            .session()
            .call_constructor(&mut store, settings)
            .map_err(|error| call_failure(store.data(), &error, "attaching an editor").error)?;
        Ok(WasmSession { loaded: Arc::clone(self), store, guest, session })
    }
}

impl Session for WasmSession {
    fn handle(&mut self, event: Event) -> Result<Vec<Action>> {
        let bytes = if let Event::Received(bytes) = &event { bytes.len() } else { 0 };
        let event = lower::event(event);
        let LoadedIntegration { id, sandbox, bounds, .. } = &*self.loaded;
        InstanceState::begin_call(&mut self.store, CallLimits::for_documents(bounds, bytes));
        let _ticking = sandbox.start_ticking();
        let actions = self
            .guest
            .session()
            .call_handle(&mut self.store, self.session, &event)
            .map_err(|error| call_failure(self.store.data(), &error, "handling an event").error)?;
        let state = self.store.data_mut();
        IntegrationValidator(id).actions(actions, |level, message| {
            let level = match level {
                wit::LogLevel::Error => Level::Error,
                wit::LogLevel::Warn => Level::Warn,
                wit::LogLevel::Info => Level::Info,
                wit::LogLevel::Debug => Level::Debug,
            };
            state.log(level, message);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integration_with_system_imports_is_refused() {
        let check = |import: &str| check_imports("e", &[import.to_owned()]);
        assert_eq!(check("marquetry:editor/types@0.1.0"), Ok(()));
        assert_eq!(check("wasi:io/streams@0.2.6"), Ok(()));
        assert_eq!(check("wasi:sockets/tcp@0.2.6"), Ok(()), "the import is allowed, because every call of it traps");
        for import in
            ["wasi:keyvalue/store@0.2.0", "marquetry:language/workspace@0.1.0", "marquetry:editor/typesetting@1.0.0"]
        {
            let error = check(import).expect_err(import);
            assert_eq!(error.kind(), Kind::PermissionDenied);
            assert!(error.content().message.contains(import), "{error}");
        }
    }
}
