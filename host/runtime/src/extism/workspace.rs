//! The workspace interface for modules to which the project grants it, as functions of `extism:host/user`. Their texts
//! are memory blocks, as in all functions that a host provides to Extism modules. A function without a result returns
//! the offset 0.

use serde::Serialize;
use wasmtime::{Caller, Linker};

use super::{
    env::blocks_and_memory,
    host_modules::{WORKSPACE, WORKSPACE_PREFIX},
};
use crate::{
    bindings::marquetry::language::workspace::{Denial, EntryKind, Host},
    state::InstanceState,
};

/// Answers a request with a text argument.
type WorkspaceFunction = fn(&mut InstanceState, String) -> wasmtime::Result<Option<Vec<u8>>>;

/// Defines all functions.
///
/// # Errors
/// Fails if the linker rejects a name.
pub(super) fn link(linker: &mut Linker<InstanceState>) -> wasmtime::Result<()> {
    let mut asked = |name: &str, ask: WorkspaceFunction| -> wasmtime::Result<()> {
        let name = format!("{WORKSPACE_PREFIX}{name}");
        linker.func_wrap(WORKSPACE, &name, move |mut caller: Caller<'_, InstanceState>, text: u64| {
            let text = caller.data_mut().blocks.take_text(text)?;
            let answer = ask(caller.data_mut(), text)?;
            optional_block(&mut caller, answer)
        })?;
        Ok(())
    };
    asked("stat", |state, path| {
        let kind = |kind| if kind == EntryKind::File { "file" } else { "directory" };
        Ok(state.stat(path).map(|found| kind(found).as_bytes().to_vec()))
    })?;
    asked("read", |state, path| Ok(state.read(path).ok().map(String::into_bytes)))?;
    asked("denial", |state, path| Ok(state.read(path).err().map(|denial| denial_name(denial).as_bytes().to_vec())))?;
    asked("entries", |state, path| json(&state.entries(path)))?;
    asked("version", |state, path| Ok(state.version(path).map(|version| version.to_string().into_bytes())))?;
    asked("exporters", |state, name| json(&state.exporters(name)))?;
    linker.func_wrap(WORKSPACE, "workspace_layout", |mut caller: Caller<'_, InstanceState>| {
        let layout = caller.data_mut().layout().to_string();
        optional_block(&mut caller, Some(layout.into_bytes()))
    })?;
    Ok(())
}

fn denial_name(denial: Denial) -> &'static str {
    match denial {
        Denial::NotFound => "not-found",
        Denial::NotGranted => "not-granted",
        Denial::TooLarge => "too-large",
        Denial::NotText => "not-text",
    }
}

fn json(answer: &impl Serialize) -> wasmtime::Result<Option<Vec<u8>>> {
    serde_json::to_vec(answer).map(Some).map_err(|error| wasmtime::format_err!("{error}"))
}

fn optional_block(caller: &mut Caller<'_, InstanceState>, answer: Option<Vec<u8>>) -> wasmtime::Result<u64> {
    let (blocks, memory) = blocks_and_memory(caller);
    answer.map_or(Ok(0), |answer| blocks.alloc_with(memory, &answer))
}
