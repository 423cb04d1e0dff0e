//! Defines functions for imports that belong to newer versions of the contract (the WIT interface). This host does not
//! have these functions, so every call of one traps.

use wasmtime::{
    Engine,
    component::{Component, Linker, LinkerInstance, ResourceType, types::ComponentItem},
};

use super::{Contract, LANGUAGE};
use crate::state::InstanceState;

/// Parses an import of an interface of a contract.
fn parse_import<'a>(contract: &Contract, import: &'a str) -> Option<(&'a str, semver::Version)> {
    let (interface, version) = import.strip_prefix(contract.package)?.strip_prefix('/')?.split_once('@')?;
    Some((interface, semver::Version::parse(version).ok()?))
}

/// Returns whether an import is an interface of the language contract that is newer than this host.
pub(crate) fn is_newer_import(import: &str) -> bool {
    parse_import(&LANGUAGE, import).is_some_and(|(interface, version)| {
        LANGUAGE.line_of(&version).is_some_and(|known| version > *known)
            && LANGUAGE.imports.iter().all(|(known, _)| *known != interface)
    })
}

/// Defines the component's imports from newer versions of the contract that the linker lacks.
///
/// # Errors
/// Fails if the linker rejects a name.
pub(crate) fn link_newer(
    engine: &Engine,
    component: &Component,
    linker: &mut Linker<InstanceState>,
) -> wasmtime::Result<()> {
    for (name, import) in component.component_type().imports(engine) {
        let Some((interface, version)) = parse_import(&LANGUAGE, name) else { continue };
        let Some(known) = LANGUAGE.line_of(&version).filter(|known| version > **known) else { continue };
        let ComponentItem::ComponentInstance(instance) = import.ty else { continue };
        let (is_known, functions) = match LANGUAGE.imports.iter().find(|(known, _)| *known == interface) {
            Some((_, functions)) => (true, *functions),
            None => (false, [].as_slice()),
        };
        // If this host knows the interface, its missing functions are added to this host's version, which matches every
        // compatible version.
        let place = if is_known { format!("{}/{interface}@{known}", LANGUAGE.package) } else { name.to_owned() };
        let mut there = linker.instance(&place)?;
        for (item, export) in instance.exports(engine) {
            match export.ty {
                ComponentItem::ComponentFunc(_) if !functions.contains(&item) => define_trap(&mut there, name, item)?,
                ComponentItem::Resource(_) if !is_known => {
                    there.resource(item, ResourceType::host::<()>(), |_, _| Ok(()))?;
                }
                _ => {}
            }
        }
    }
    Ok(())
}

fn define_trap(there: &mut LinkerInstance<'_, InstanceState>, import: &str, item: &str) -> wasmtime::Result<()> {
    let label = format!("{import}#{item}");
    there.func_new(item, move |_, _, _, _| {
        Err(wasmtime::format_err!("`{label}` belongs to a newer version of the contract than this marq supports"))
    })
}
