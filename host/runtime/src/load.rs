//! Compiles and links the bytes of a plugin.

use marquetry_model::{Error, Kind, Result};
use wasmtime::{
    Store,
    component::{Component, HasSelf, InstancePre, Linker},
};

use crate::{
    bindings::marquetry::language::{log, types, workspace},
    bundle::BundledPlugin,
    cache::Cache,
    extism,
    file_access::{FileAccess, WORKSPACE_GRANT},
    guest::{Guest, PartIndices, Parts},
    identify,
    sandbox::Sandbox,
    state::InstanceState,
    versions::{self, LANGUAGE},
    wasi,
};

/// A compiled and linked plugin.
pub(crate) struct LoadedPlugin {
    pub(crate) id: String,
    /// The files that it can access through the workspace interface.
    pub(crate) file_access: FileAccess,
    linked: LinkedPlugin,
}

enum LinkedPlugin {
    Component(Box<LinkedComponent>),
    Extism(extism::LinkedModule),
}

/// A compiled and linked component.
struct LinkedComponent {
    pre: InstancePre<InstanceState>,
    parts: PartIndices,
}

/// Rejects imports that the project did not grant, before anything is compiled.
pub(crate) fn check_grants(plugin: &str, imports: &[String], grants: &[String]) -> Result<()> {
    for import in imports {
        let ours = import
            .strip_prefix(LANGUAGE.package)
            .map(|rest| rest.trim_start_matches('/').split('@').next().unwrap_or(rest));
        match ours {
            Some("types" | "log") => {}
            Some(WORKSPACE_GRANT) if grants.iter().any(|grant| grant == WORKSPACE_GRANT) => {}
            Some(WORKSPACE_GRANT) => {
                return Err(Error::new(
                    Kind::PermissionDenied,
                    format!("plugin `{plugin}` needs access to the workspace, which is not granted"),
                )
                .hint(format!(
                    "write `grants = [\"workspace\"]` under `[plugins.{plugin}]` in registry.toml to grant it"
                )));
            }
            _ if wasi::is_provided(import) || extism::is_provided(import) || versions::is_newer_import(import) => {}
            _ => {
                return Err(Error::new(
                    Kind::PermissionDenied,
                    format!("plugin `{plugin}` imports `{import}`, which plugins may not import"),
                )
                .hint("a language pack is a pure function of text: build it without network, clocks and files"));
            }
        }
    }
    Ok(())
}

impl LoadedPlugin {
    /// Loads a language pack that is part of the program. All of them are components.
    pub(crate) fn load_bundled(sandbox: &Sandbox, cache: &Cache, plugin: &BundledPlugin) -> Result<LoadedPlugin> {
        let component = cache.load_bundled(&sandbox.engine, plugin)?;
        let linked = LinkedPlugin::Component(Box::new(LinkedComponent::link(sandbox, plugin.id, &component)?));
        Ok(LoadedPlugin { id: plugin.id.to_owned(), file_access: FileAccess::default(), linked })
    }

    /// Loads a plugin from its bytes, which have this digest, or from the cache.
    pub(crate) fn load(
        sandbox: &Sandbox,
        id: &str,
        cache: &Cache,
        sha256: &str,
        bytes: Vec<u8>,
    ) -> Result<LoadedPlugin> {
        let linked = if identify::is_module(&bytes) {
            let module = cache.load_or_compile(&sandbox.engine, id, sha256, || Ok(bytes))?;
            LinkedPlugin::Extism(extism::LinkedModule::link(sandbox, id, &module)?)
        } else {
            let component = cache.load_or_compile(&sandbox.engine, id, sha256, || Ok(bytes))?;
            LinkedPlugin::Component(Box::new(LinkedComponent::link(sandbox, id, &component)?))
        };
        Ok(LoadedPlugin { id: id.to_owned(), file_access: FileAccess::default(), linked })
    }

    /// Limits which files its instances can access.
    pub(crate) fn with_file_access(self, reach: FileAccess) -> LoadedPlugin {
        LoadedPlugin { file_access: reach, ..self }
    }

    pub(crate) fn instantiate(&self, store: &mut Store<InstanceState>) -> wasmtime::Result<Guest> {
        Ok(match &self.linked {
            LinkedPlugin::Component(component) => Guest::Component(Box::new(component.instantiate(store)?)),
            LinkedPlugin::Extism(module) => Guest::Extism(module.instantiate(store)?),
        })
    }
}

impl LinkedComponent {
    fn link(sandbox: &Sandbox, id: &str, component: &Component) -> Result<LinkedComponent> {
        let failed = |error: wasmtime::Error| {
            Error::new(Kind::PluginFailed, format!("plugin `{id}` cannot be linked: {error:#}"))
        };
        let mut linker: Linker<InstanceState> = Linker::new(&sandbox.engine);
        types::add_to_linker::<_, HasSelf<_>>(&mut linker, |state: &mut InstanceState| state).map_err(failed)?;
        log::add_to_linker::<_, HasSelf<_>>(&mut linker, |state: &mut InstanceState| state).map_err(failed)?;
        workspace::add_to_linker::<_, HasSelf<_>>(&mut linker, |state: &mut InstanceState| state).map_err(failed)?;
        wasi::link(&sandbox.engine, component, &mut linker)?;
        versions::link_newer(&sandbox.engine, component, &mut linker).map_err(failed)?;
        let pre = linker.instantiate_pre(component).map_err(failed)?;
        Ok(LinkedComponent { parts: PartIndices::new(&pre).map_err(failed)?, pre })
    }

    fn instantiate(&self, store: &mut Store<InstanceState>) -> wasmtime::Result<Parts> {
        let instance = self.pre.instantiate(&mut *store)?;
        self.parts.load(store, &instance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(imports: &[&str], grants: &[&str]) -> Result<()> {
        let owned = |list: &[&str]| list.iter().map(|item| (*item).to_owned()).collect::<Vec<_>>();
        check_grants("p", &owned(imports), &owned(grants))
    }

    #[test]
    fn common_imports_need_no_grant() {
        let always = [
            "marquetry:language/types@0.1.0",
            "marquetry:language/log@0.1.0",
            // Interfaces newer than this host are linked; every call of them traps.
            "marquetry:language/later@0.1.7",
            "wasi:io/streams@0.2.6",
            "wasi:cli/stdout@0.2.6",
            "wasi:clocks/wall-clock@0.2.6",
            "wasi:random/random@0.2.6",
            "wasi:filesystem/types@0.2.6",
            // Every call of these traps.
            "wasi:sockets/tcp@0.2.6",
            "wasi:http/outgoing-handler@0.2.6",
        ];
        assert_eq!(check(&always, &[]), Ok(()));
        assert_eq!(check(&[], &[]), Ok(()));
    }

    #[test]
    fn workspace_import_needs_its_grant() {
        let import = ["marquetry:language/workspace@0.1.0"];
        assert_eq!(check(&import, &["workspace"]), Ok(()));
        let error = check(&import, &[]).expect_err("not granted");
        assert_eq!(error.kind(), Kind::PermissionDenied);
        assert_eq!(error.content().message, "plugin `p` needs access to the workspace, which is not granted");
        let hint = "write `grants = [\"workspace\"]` under `[plugins.p]` in registry.toml to grant it";
        assert_eq!(error.content().hint.as_deref(), Some(hint));
    }

    #[test]
    fn other_imports_are_refused_with_any_grant() {
        for import in [
            "wasi:keyvalue/store@0.2.0",
            "wasi:config/runtime@0.2.0",
            "marquetry:language/network@0.1.0",
            "marquetry:editor/integration@0.1.0",
            "env",
            "",
        ] {
            let error = check(&[import], &["workspace"]).expect_err(import);
            assert_eq!(error.kind(), Kind::PermissionDenied);
            assert_eq!(error.content().message, format!("plugin `p` imports `{import}`, which plugins may not import"));
        }
    }
}
