//! The functions of `extism:host/env`, which every PDK imports: blocks, input and output, variables, settings, log.
//!
//! They behave as in Extism, except for the differences that are listed in `tests/extism/oracle.txt`: there is no
//! network, a call fails if its output is not in allocated memory, and the log accepts any bytes.

use marquetry_model::limits;
use wasmtime::{Caller, ExternType, Linker, Module};

use super::{Blocks, host_modules::ENV};
use crate::{bindings::marquetry::language::log::Level, limits::InstanceMemory, state::InstanceState};

/// The functions that are provided.
const PROVIDED: [&str; 28] = [
    "alloc",
    "config_get",
    "error_get",
    "error_set",
    "free",
    "get_log_level",
    "input_length",
    "input_load_u64",
    "input_load_u8",
    "input_offset",
    "length",
    "length_unsafe",
    "load_u64",
    "load_u8",
    "log_debug",
    "log_error",
    "log_info",
    "log_trace",
    "log_warn",
    "output_length",
    "output_offset",
    "output_set",
    "reset",
    "store_u64",
    "store_u8",
    "var_get",
    "var_set",
    "memory_bytes",
];

/// Returns the blocks and memory counter of the calling instance.
pub(super) fn blocks_and_memory<'a>(
    caller: &'a mut Caller<'_, InstanceState>,
) -> (&'a mut Blocks, &'a mut InstanceMemory) {
    let InstanceState { blocks, memory, .. } = caller.data_mut();
    (blocks, memory)
}

/// Defines all functions. Other imports trap when called: network functions, which PDKs import even if a plug-in does
/// not use them, and functions newer than this host.
///
/// # Errors
/// Fails if the linker rejects a name.
pub(super) fn link(linker: &mut Linker<InstanceState>, module: &Module) -> wasmtime::Result<()> {
    blocks(linker)?;
    input_and_output(linker)?;
    variables(linker)?;
    logs(linker)?;
    let others = module.imports().filter(|import| import.module() == ENV && !PROVIDED.contains(&import.name()));
    for import in others {
        let ExternType::Func(ty) = import.ty() else { continue };
        let name = import.name().to_owned();
        linker.func_new(ENV, import.name(), ty, move |_, _, _| {
            Err(if name.starts_with("http_") {
                wasmtime::format_err!("`{name}` is not granted: plugins have no network access")
            } else {
                wasmtime::format_err!("`{name}` is not an Extism function that this marq supports")
            })
        })?;
    }
    Ok(())
}

fn blocks(linker: &mut Linker<InstanceState>) -> wasmtime::Result<()> {
    linker
        .func_wrap(ENV, "alloc", |mut caller: Caller<'_, InstanceState>, length: u64| {
            let (blocks, memory) = blocks_and_memory(&mut caller);
            blocks.alloc(memory, length)
        })?
        .func_wrap(ENV, "free", |mut caller: Caller<'_, InstanceState>, at: u64| caller.data_mut().blocks.free(at))?
        .func_wrap(ENV, "length", |caller: Caller<'_, InstanceState>, at: u64| caller.data().blocks.length(at))?
        .func_wrap(ENV, "length_unsafe", |caller: Caller<'_, InstanceState>, at: u64| caller.data().blocks.length(at))?
        .func_wrap(ENV, "memory_bytes", |caller: Caller<'_, InstanceState>| caller.data().memory.used as u64)?
        .func_wrap(ENV, "load_u8", |caller: Caller<'_, InstanceState>, at: u64| {
            u32::from(u8::from_le_bytes(caller.data().blocks.load(at)))
        })?
        .func_wrap(ENV, "load_u64", |caller: Caller<'_, InstanceState>, at: u64| {
            u64::from_le_bytes(caller.data().blocks.load(at))
        })?
        .func_wrap(ENV, "store_u8", |mut caller: Caller<'_, InstanceState>, at: u64, byte: u32| {
            caller.data_mut().blocks.store(at, [byte as u8]);
        })?
        .func_wrap(ENV, "store_u64", |mut caller: Caller<'_, InstanceState>, at: u64, bytes: u64| {
            caller.data_mut().blocks.store(at, bytes.to_le_bytes());
        })?;
    Ok(())
}

fn input_and_output(linker: &mut Linker<InstanceState>) -> wasmtime::Result<()> {
    linker
        .func_wrap(ENV, "input_offset", |caller: Caller<'_, InstanceState>| caller.data().blocks.input().0)?
        .func_wrap(ENV, "input_length", |caller: Caller<'_, InstanceState>| caller.data().blocks.input().1)?
        .func_wrap(ENV, "input_load_u8", |caller: Caller<'_, InstanceState>, from: u64| {
            u32::from(u8::from_le_bytes(caller.data().blocks.load_input(from)))
        })?
        .func_wrap(ENV, "input_load_u64", |caller: Caller<'_, InstanceState>, from: u64| {
            u64::from_le_bytes(caller.data().blocks.load_input(from))
        })?
        .func_wrap(ENV, "output_set", |mut caller: Caller<'_, InstanceState>, at: u64, length: u64| {
            caller.data_mut().blocks.set_output(at, length)
        })?
        .func_wrap(ENV, "output_offset", |caller: Caller<'_, InstanceState>| caller.data().blocks.output_range().0)?
        .func_wrap(ENV, "output_length", |caller: Caller<'_, InstanceState>| caller.data().blocks.output_range().1)?
        .func_wrap(ENV, "error_set", |mut caller: Caller<'_, InstanceState>, at: u64| {
            caller.data_mut().blocks.set_error(at);
        })?
        .func_wrap(ENV, "error_get", |caller: Caller<'_, InstanceState>| caller.data().blocks.error())?
        .func_wrap(ENV, "reset", |mut caller: Caller<'_, InstanceState>| {
            let (blocks, memory) = blocks_and_memory(&mut caller);
            blocks.begin(memory, &[])
        })?;
    Ok(())
}

fn variables(linker: &mut Linker<InstanceState>) -> wasmtime::Result<()> {
    linker
        .func_wrap(ENV, "config_get", |mut caller: Caller<'_, InstanceState>, name: u64| {
            let (blocks, memory) = blocks_and_memory(&mut caller);
            let name = blocks.take_text(name)?;
            let value = blocks.setting(&name).unwrap_or_default().to_owned();
            value_block(blocks, memory, value.as_bytes())
        })?
        .func_wrap(ENV, "var_get", |mut caller: Caller<'_, InstanceState>, name: u64| {
            let (blocks, memory) = blocks_and_memory(&mut caller);
            let name = blocks.take_text(name)?;
            let value = blocks.variable(&name).unwrap_or_default().to_vec();
            value_block(blocks, memory, &value)
        })?
        .func_wrap(ENV, "var_set", |mut caller: Caller<'_, InstanceState>, name: u64, value: u64| {
            let (blocks, memory) = blocks_and_memory(&mut caller);
            let name = blocks.take_text(name)?;
            let value = if value == 0 { None } else { Some(blocks.take(value)?) };
            blocks.set_variable(memory, name, value)
        })?;
    Ok(())
}

/// Returns the offset of a block with this value. An empty value gets the offset 0, like a value that does not exist.
fn value_block(blocks: &mut Blocks, memory: &mut InstanceMemory, value: &[u8]) -> wasmtime::Result<u64> {
    if value.is_empty() { Ok(0) } else { blocks.alloc_with(memory, value) }
}

fn logs(linker: &mut Linker<InstanceState>) -> wasmtime::Result<()> {
    for (name, level) in [
        ("log_trace", Level::Trace),
        ("log_debug", Level::Debug),
        ("log_info", Level::Info),
        ("log_warn", Level::Warn),
        ("log_error", Level::Error),
    ] {
        linker.func_wrap(
            ENV,
            name,
            move |mut caller: Caller<'_, InstanceState>, text: u64| -> wasmtime::Result<()> {
                let text = caller.data_mut().blocks.take_prefix(text, limits::LOG_LINE)?;
                caller.data_mut().log(level, &text);
                Ok(())
            },
        )?;
    }
    // Returns the lowest level, because all lines of a failed call are stored, even those below the log level of the
    // host.
    linker.func_wrap(ENV, "get_log_level", |_: Caller<'_, InstanceState>| 0_i32)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use wasmtime::{Engine, Module};

    use super::*;

    #[test]
    fn listed_functions_are_the_defined_ones() {
        let engine = Engine::default();
        let module = Module::new(&engine, b"\0asm\x01\0\0\0").expect("a module");
        let mut linker: Linker<InstanceState> = Linker::new(&engine);
        link(&mut linker, &module).expect("linked");
        // Defining a name twice fails, so an error here means that `link` has defined the name.
        for name in PROVIDED {
            assert!(linker.func_wrap(ENV, name, || ()).is_err(), "{name}");
        }
    }
}
