//! Minimal WASI for Extism modules: `wasi_snapshot_preview1` without resources, as for components.
//!
//! There are no arguments, environment variables, files, clocks, random numbers or sockets. Output to the standard
//! streams is logged. Every other function reports that it does not exist, and exiting ends the call.

use wasmtime::{Caller, ExternType, Linker, Memory, Module, Val, ValType};

use super::host_modules::WASI;
use crate::state::InstanceState;

/// WASI error codes: success, bad file descriptor, function not supported.
const SUCCESS: i32 = 0;
const BAD_FILE_DESCRIPTOR: i32 = 8;
const NOT_SUPPORTED: i32 = 52;
/// Maximum number of buffers and bytes of one write. All buffers of a write may refer to the same large memory, and the
/// time limit is not checked while the host reads them. A module with more to write calls again.
const MAX_BUFFERS: u32 = 1024;
const MAX_WRITTEN_BYTES: u32 = 64 << 10;

/// Defines the WASI functions that a module imports.
///
/// # Errors
/// Fails if the linker rejects a name.
pub(super) fn link(linker: &mut Linker<InstanceState>, module: &Module) -> wasmtime::Result<()> {
    for import in module.imports().filter(|import| import.module() == WASI) {
        let ExternType::Func(ty) = import.ty() else { continue };
        let name = import.name().to_owned();
        let answers = ty.results().len() == 1 && ty.results().all(|result| matches!(result, ValType::I32));
        linker.func_new(WASI, import.name(), ty, move |mut caller, params, results| {
            let code = call_function(&mut caller, &name, params)?;
            match results {
                [result] if answers => *result = Val::I32(code),
                [] => {}
                _ => return Err(wasmtime::format_err!("`{name}` does not have its WASI type")),
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn call_function(caller: &mut Caller<'_, InstanceState>, name: &str, params: &[Val]) -> wasmtime::Result<i32> {
    let number = |index: usize| match params.get(index) {
        Some(Val::I32(number)) => *number as u32,
        _ => 0,
    };
    match name {
        "proc_exit" | "proc_raise" => Err(wasmtime::format_err!("the plugin called `{name}`")),
        "fd_write" => write(caller, number(0), (number(1), number(2)), number(3)),
        // Both results are 0: the count and the total size in bytes.
        "args_sizes_get" | "environ_sizes_get" => {
            write_zeros(caller, number(0), 4).and(write_zeros(caller, number(1), 4))
        }
        "args_get" | "environ_get" | "sched_yield" => Ok(SUCCESS),
        "clock_time_get" => write_zeros(caller, number(2), 8),
        "clock_res_get" => write_zeros(caller, number(1), 8),
        "random_get" => write_zeros(caller, number(0), number(1)),
        // Standard input is at its end.
        "fd_read" if number(0) == 0 => write_zeros(caller, number(3), 4),
        "fd_fdstat_get" if number(0) < 3 => write_zeros(caller, number(1), 24),
        name if name.starts_with("fd_") || name.starts_with("path_") => Ok(BAD_FILE_DESCRIPTOR),
        _ => Ok(NOT_SUPPORTED),
    }
}

fn memory(caller: &mut Caller<'_, InstanceState>) -> wasmtime::Result<Memory> {
    let memory = caller.get_export("memory").and_then(wasmtime::Extern::into_memory);
    memory.ok_or_else(|| wasmtime::format_err!("it does not export its memory as `memory`"))
}

/// Writes zeros as the result of a function, such as a count of zero arguments.
fn write_zeros(caller: &mut Caller<'_, InstanceState>, at: u32, length: u32) -> wasmtime::Result<i32> {
    let memory = memory(caller)?;
    let place =
        (at as usize).checked_add(length as usize).and_then(|end| memory.data_mut(caller).get_mut(at as usize..end));
    place.ok_or_else(|| wasmtime::format_err!("it passed an address beyond its memory"))?.fill(0);
    Ok(SUCCESS)
}

/// Logs what a module writes to the standard streams.
fn write(
    caller: &mut Caller<'_, InstanceState>,
    file: u32,
    (at, pieces): (u32, u32),
    written: u32,
) -> wasmtime::Result<i32> {
    if !(1..3).contains(&file) {
        return Ok(BAD_FILE_DESCRIPTOR);
    }
    let memory = memory(caller)?;
    let (data, state) = memory.data_and_store_mut(caller);
    let beyond = || wasmtime::format_err!("it passed an address beyond its memory");
    let number = |data: &[u8], at: u64| {
        let bytes = usize::try_from(at).ok().and_then(|at| data.get(at..at.checked_add(4)?));
        bytes.and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes).ok_or_else(beyond)
    };
    let mut total = 0_u32;
    for piece in 0..pieces.min(MAX_BUFFERS) {
        let place = u64::from(at) + u64::from(piece) * 8;
        let (from, length) = (number(data, place)? as usize, number(data, place + 4)?.min(MAX_WRITTEN_BYTES - total));
        let bytes = from.checked_add(length as usize).and_then(|end| data.get(from..end)).ok_or_else(beyond)?;
        state.print(bytes);
        total += length;
    }
    let place = data.get_mut(written as usize..(written as usize).saturating_add(4)).ok_or_else(beyond)?;
    place.copy_from_slice(&total.to_le_bytes());
    Ok(SUCCESS)
}
