//! Makes the parts of a plugin that programs contain: the facts about it, and its machine code.

use marquetry_model::{Error, Result};

use crate::{
    cache::{Cache, code_suffix},
    cached_description::CachedDescription,
    cached_plugin::{CachedPlugin, FileFingerprint},
    compile,
    describe_plugin::describe,
    engine, identify, identity,
    load::LoadedPlugin,
    logs::PluginLogs,
    registry::DEFAULT_BOUNDS,
    sandbox::Sandbox,
    versions::{EDITOR, LANGUAGE},
};

/// The parts of a plugin that a program contains, before they are compressed.
#[derive(Debug)]
pub struct PluginParts {
    /// The sha256 of the bytes, in lower-case hexadecimal.
    pub sha256: String,
    /// Facts about a language pack, as JSON; empty for an editor integration.
    pub info: Vec<u8>,
    /// The machine code for the target.
    pub code: Vec<u8>,
}

impl PluginParts {
    /// Makes the parts of a plugin for programs of a target, such as `x86_64-unknown-linux-musl`. A language pack is run
    /// on this machine for its description.
    ///
    /// # Errors
    /// Fails if the bytes are not a plugin, cannot be compiled for the target, or fail to describe themselves.
    pub fn build(id: &str, bytes: &[u8], target: &str) -> Result<PluginParts> {
        let sha256 = identity::digest(bytes);
        let info = match identify::identify(id, bytes, &LANGUAGE) {
            Ok(identity) => {
                let seen = CachedPlugin::new(FileFingerprint::of_bytes(bytes.len()), sha256.clone(), identity);
                describe_pack(id, bytes, seen)?
            }
            Err(_) if identify::identify(id, bytes, &EDITOR).is_ok() => Vec::new(),
            Err(error) => return Err(error),
        };
        let code = compile::compile_here(&engine::engine_for(target)?, id, bytes.to_vec())?;
        Ok(PluginParts { sha256, info, code })
    }

    /// Returns a key for caches of built parts. If the key for a target has changed, the parts must be built again,
    /// even from the same bytes. The key depends on the engine, its settings, and the format of the facts.
    ///
    /// # Errors
    /// Fails if plugins cannot be compiled for the target.
    pub fn key(target: &str) -> Result<String> {
        Ok(code_suffix(&engine::engine_for(target)?))
    }
}

/// Runs a pack for its description, and returns the facts about the pack as JSON.
fn describe_pack(id: &str, bytes: &[u8], mut seen: CachedPlugin) -> Result<Vec<u8>> {
    let cache = Cache::new(None);
    let sandbox = Sandbox::new(PluginLogs::new(cache.clone()))?;
    let loaded = LoadedPlugin::load(&sandbox, id, &cache, &seen.sha256, bytes.to_vec())?;
    let description = CachedDescription::from(&describe(&sandbox, &loaded, id, &DEFAULT_BOUNDS)?);
    seen.files = Some(description.files.clone());
    seen.description = Some(description);
    serde_json::to_vec(&seen).map_err(|error| Error::internal(format!("the description of `{id}`: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plugins_have_parts() {
        let error = PluginParts::build("p", b"text", "x86_64-unknown-linux-gnu").expect_err("no plugin");
        assert_eq!(error.content().message, "plugin `p` is not WebAssembly");
    }
}
