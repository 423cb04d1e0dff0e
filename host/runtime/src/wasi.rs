//! Minimal WASI for plugins: the functions that a guest's standard library needs, without resources.
//!
//! There are no arguments, environment variables, files, clocks, random numbers or sockets. Output to the standard
//! streams is logged, such as panic messages. Functions without a harmless answer trap. Runtimes of scripting languages
//! import sockets and HTTP even if a script does not use them: the imports exist, and every call traps.

use marquetry_model::{Error, Kind, Result};
use wasmtime::{
    Engine, StoreContextMut,
    component::{
        Component, Linker, LinkerInstance, Resource, ResourceType, Val,
        types::{ComponentFunc, ComponentItem, Type},
    },
};

use crate::state::InstanceState;

/// Interfaces that a component may import and that this module implements.
const PROVIDED: [&str; 5] = ["wasi:cli/", "wasi:io/", "wasi:clocks/", "wasi:random/", "wasi:filesystem/"];
/// Interfaces that a component may import although every call of them traps.
const TRAPPING: [&str; 2] = ["wasi:sockets/", "wasi:http/"];

/// Host representation of every WASI resource, which has no content.
struct EmptyResource;

/// Returns whether this module provides an import.
pub(crate) fn is_provided(import: &str) -> bool {
    PROVIDED.iter().chain(&TRAPPING).any(|prefix| import.starts_with(prefix))
}

/// Defines every WASI import of the component.
pub(crate) fn link(engine: &Engine, component: &Component, linker: &mut Linker<InstanceState>) -> Result<()> {
    let defined = component.component_type().imports(engine).try_for_each(|(name, import)| {
        let ComponentItem::ComponentInstance(instance) = &import.ty else { return Ok(()) };
        if !is_provided(name) {
            return Ok(());
        }
        let mut interface = linker.instance(name)?;
        instance.exports(engine).try_for_each(|(item, export)| match export.ty {
            ComponentItem::Resource(_) => {
                interface.resource(item, ResourceType::host::<EmptyResource>(), |_, _| Ok(()))
            }
            ComponentItem::ComponentFunc(_) => define_function(&mut interface, name, item),
            _ => Ok(()),
        })
    });
    defined.map_err(|error: wasmtime::Error| Error::new(Kind::PluginFailed, format!("{error:#}")))
}

fn define_function(
    interface: &mut LinkerInstance<'_, InstanceState>,
    import: &str,
    name: &str,
) -> wasmtime::Result<()> {
    let label = format!("{import}#{name}");
    let short = name.rsplit('.').next().unwrap_or(name).to_owned();
    if TRAPPING.iter().any(|prefix| import.starts_with(prefix)) {
        return interface.func_new(name, move |_, _, _, _| {
            Err(wasmtime::format_err!("`{label}` is not granted: plugins have no network access"))
        });
    }
    interface.func_new(name, move |mut store, ty, params, results| {
        call_function(&mut store, &ty, &label, &short, params, results)?;
        drop_borrowed(&mut store, params)
    })
}

/// Drops borrowed resources after a call.
fn drop_borrowed(store: &mut StoreContextMut<'_, InstanceState>, params: &[Val]) -> wasmtime::Result<()> {
    for param in params {
        match param {
            Val::Resource(resource) if !resource.owned() => resource.resource_drop(&mut *store)?,
            Val::List(list) => drop_borrowed(store, list)?,
            _ => {}
        }
    }
    Ok(())
}

fn call_function(
    store: &mut StoreContextMut<'_, InstanceState>,
    ty: &ComponentFunc,
    label: &str,
    name: &str,
    params: &[Val],
    results: &mut [Val],
) -> wasmtime::Result<()> {
    match name {
        "write" | "blocking-write-and-flush" => {
            if let Some(Val::List(bytes)) = params.last() {
                let bytes: Vec<u8> =
                    bytes.iter().map(|byte| if let Val::U8(byte) = byte { *byte } else { 0 }).collect();
                store.data_mut().print(&bytes);
            }
        }
        "exit" | "exit-with-code" => return Err(wasmtime::format_err!("the plugin called `{label}`")),
        "get-random-bytes" | "get-insecure-random-bytes" => {
            // Returns as many zeros as requested, so that the same input always gives the same output.
            if let (Some(Val::U64(count)), Some(result)) = (params.first(), results.first_mut()) {
                *result = Val::List(vec![Val::U8(0); usize::try_from(*count).unwrap_or(0).min(4096)]);
                return Ok(());
            }
        }
        "poll" => {
            // Every pollable is ready, because there is nothing to wait for.
            if let (Some(Val::List(waited)), Some(result)) = (params.first(), results.first_mut()) {
                *result = Val::List((0..waited.len() as u32).map(Val::U32).collect());
                return Ok(());
            }
        }
        "check-write" => {
            if let Some(result) = results.first_mut() {
                *result = Val::Result(Ok(Some(Box::new(Val::U64(4096)))));
                return Ok(());
            }
        }
        _ => {}
    }
    for (result, ty) in results.iter_mut().zip(ty.results()) {
        *result = empty_value(store, &ty).ok_or_else(|| wasmtime::format_err!("`{label}` is not granted"))?;
    }
    Ok(())
}

/// Returns the empty or zero value of a type.
fn empty_value(store: &mut StoreContextMut<'_, InstanceState>, ty: &Type) -> Option<Val> {
    Some(match ty {
        Type::Bool => Val::Bool(false),
        Type::U8 => Val::U8(0),
        Type::U16 => Val::U16(0),
        Type::U32 => Val::U32(0),
        Type::U64 => Val::U64(0),
        Type::S8 => Val::S8(0),
        Type::S16 => Val::S16(0),
        Type::S32 => Val::S32(0),
        Type::S64 => Val::S64(0),
        Type::Float32 => Val::Float32(0.0),
        Type::Float64 => Val::Float64(0.0),
        Type::Flags(_) => Val::Flags(Vec::new()),
        Type::Enum(names) => Val::Enum(names.names().next()?.to_owned()),
        Type::String => Val::String(String::new()),
        Type::List(_) => Val::List(Vec::new()),
        Type::Option(_) => Val::Option(None),
        Type::Result(result) => {
            let ok = result
                .ok()
                .map(|ok| empty_value(store, &ok))
                .map_or(Some(None), |ok| ok.map(|ok| Some(Box::new(ok))))?;
            Val::Result(Ok(ok))
        }
        Type::Tuple(tuple) => Val::Tuple(tuple.types().map(|ty| empty_value(store, &ty)).collect::<Option<_>>()?),
        Type::Record(record) => {
            let fields = record.fields().map(|field| Some((field.name.to_owned(), empty_value(store, &field.ty)?)));
            Val::Record(fields.collect::<Option<_>>()?)
        }
        Type::Own(_) => Val::Resource(Resource::<EmptyResource>::new_own(0).try_into_resource_any(store).ok()?),
        _ => return None,
    })
}
