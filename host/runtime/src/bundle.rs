//! Plugins that are part of a program: their bytes, their descriptions, and their machine code, made when the
//! program is built. A process with an empty cache then neither compiles them nor runs them for their descriptions.

use std::{borrow::Cow, io, path::PathBuf};

use marquetry_model::{Error, Kind, Result, limits};
use wasmtime::Engine;

use crate::{
    cache::{Cache, CachedPlugin, FileFingerprint},
    cached_description::CachedDescription,
    engine::{self, Sandbox},
    identify, identity,
    load::LoadedPlugin,
    logs::PluginLogs,
    packs::describe,
    registry::DEFAULT_BOUNDS,
    versions::{EDITOR, LANGUAGE, adapt_component},
};

/// A plugin that is part of a program. [`PluginParts::build`] makes the parts.
#[derive(Debug, Clone)]
pub struct BundledPlugin {
    /// Its name in the registry.
    pub id: &'static str,
    /// The sha256 of its bytes, in lower-case hexadecimal.
    pub sha256: &'static str,
    /// Facts about a language pack, as JSON; empty for an editor integration.
    pub info: &'static [u8],
    /// Its bytes, compressed.
    pub bytes: &'static [u8],
    /// Its machine code for the target of the program, compressed. Code that this machine or this engine cannot run is
    /// ignored, and the bytes are compiled.
    pub code: &'static [u8],
    /// Decompresses bytes or code, up to a number of bytes.
    pub decompress: fn(&[u8], usize) -> io::Result<Vec<u8>>,
}

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
                let seen = CachedPlugin::new(fingerprint(bytes.len()), sha256.clone(), identity);
                describe_pack(id, bytes, seen)?
            }
            // It is an integration, or invalid. Both contracts give the same error for invalid bytes.
            Err(_) => identify::identify(id, bytes, &EDITOR).map(|_| Vec::new())?,
        };
        let code = compile_for(&engine::engine_for(target)?, id, bytes)?;
        Ok(PluginParts { sha256, info, code })
    }
}

/// Compiles a component for the target of an engine, which may be another one than that of this machine.
fn compile_for(engine: &Engine, id: &str, bytes: &[u8]) -> Result<Vec<u8>> {
    let failed = |error: wasmtime::Error| {
        Error::new(Kind::PluginFailed, format!("plugin `{id}` cannot be compiled for the target: {error:#}"))
    };
    engine.precompile_component(&adapt_component(id, bytes.to_vec())?).map_err(failed)
}

/// Returns the facts about a pack, with its description.
fn describe_pack(id: &str, bytes: &[u8], mut seen: CachedPlugin) -> Result<Vec<u8>> {
    let cache = Cache::new(None);
    let sandbox = Sandbox::new(PluginLogs::new(cache.clone()))?;
    let loaded = LoadedPlugin::load(&sandbox, id, &cache, &seen.sha256, bytes.to_vec())?;
    let description = CachedDescription::from(&describe(&sandbox, &loaded, id, &DEFAULT_BOUNDS)?);
    seen.files = Some(description.files.clone());
    seen.description = Some(description);
    serde_json::to_vec(&seen).map_err(|error| Error::internal(format!("the description of `{id}`: {error}")))
}

impl BundledPlugin {
    /// Returns the facts about a language pack. `None` if another version made it.
    pub(crate) fn info(&self) -> Option<CachedPlugin> {
        CachedPlugin::parse(self.info)
    }

    /// Returns a name that identifies the bytes in caches and messages.
    pub(crate) fn path(&self) -> PathBuf {
        PathBuf::from(format!("bundled/{}-{}.wasm", self.id, self.sha256))
    }

    /// Returns the fingerprint, which never changes.
    pub(crate) fn fingerprint(&self) -> FileFingerprint {
        fingerprint(self.bytes.len())
    }

    /// Returns the bytes of the plugin.
    pub(crate) fn read(&self) -> io::Result<Vec<u8>> {
        (self.decompress)(self.bytes, limits::PLUGIN_BYTES as usize)
    }

    /// Returns the machine code. `None` if it is damaged; whether this engine can run it is checked when it is loaded.
    pub(crate) fn code(&self) -> Option<Vec<u8>> {
        let code = (self.decompress)(self.code, limits::COMPILED_BYTES).ok()?;
        Engine::detect_precompiled(&code).is_some().then_some(code)
    }
}

/// Returns the fingerprint of bytes in memory. Their name has their digest, so it never changes.
pub(crate) fn fingerprint(size: usize) -> FileFingerprint {
    FileFingerprint { size: size as u64, modified: 0, changed: 0, number: 0 }
}

/// Returns bytes as they are: the `decompress` of a plugin that is not compressed.
///
/// # Errors
/// Fails if there are more bytes than `most`.
pub fn stored(bytes: &[u8], most: usize) -> io::Result<Vec<u8>> {
    if bytes.len() > most { Err(io::Error::other("it is too large")) } else { Ok(Cow::from(bytes).into_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plugin whose code is not machine code.
    fn plugin(code: &'static [u8]) -> BundledPlugin {
        BundledPlugin { id: "p", sha256: "ab", info: b"{}", bytes: b"bytes", code, decompress: stored }
    }

    #[test]
    fn damaged_parts_are_ignored() {
        let plugin = plugin(b"no code");
        assert!(plugin.code().is_none() && plugin.info().is_none());
        assert_eq!(plugin.read().expect("bytes"), b"bytes");
        assert_eq!(plugin.path(), PathBuf::from("bundled/p-ab.wasm"));
        assert!(stored(b"three", 2).is_err());
    }

    #[test]
    fn only_plugins_have_parts() {
        let error = PluginParts::build("p", b"text", "x86_64-unknown-linux-gnu").expect_err("no plugin");
        assert_eq!(error.content().message, "plugin `p` is not WebAssembly");
    }
}
