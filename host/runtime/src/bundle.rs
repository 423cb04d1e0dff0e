//! Plugins that are part of a program: their bytes, their descriptions, and their machine code, made when the
//! program is built. A process with an empty cache then neither compiles them nor runs them for their descriptions.

use std::{io, path::PathBuf};

use marquetry_model::{Error, Result, limits};
use wasmtime::Engine;

use crate::{
    cache::{Cache, CachedPlugin, FileFingerprint, code_suffix},
    cached_description::CachedDescription,
    compile,
    engine::{self, Sandbox},
    identify, identity,
    load::LoadedPlugin,
    logs::PluginLogs,
    packs::describe,
    registry::DEFAULT_BOUNDS,
    versions::{EDITOR, LANGUAGE},
};

/// A plugin that is part of a program. [`PluginParts::build`] makes the parts.
#[derive(Debug, Clone)]
pub struct BundledPlugin {
    pub(crate) id: &'static str,
    pub(crate) sha256: &'static str,
    info: &'static [u8],
    bytes: &'static [u8],
    code: &'static [u8],
    decompress: Decompress,
}

/// Decompresses bytes to at most a number of bytes.
pub type Decompress = fn(&[u8], usize) -> io::Result<Vec<u8>>;

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

impl BundledPlugin {
    /// Creates a plugin from its parts: its name in the registry, the sha256 of its bytes, the facts about it, and its
    /// compressed bytes and code. Code that this machine or this engine cannot run is ignored, and the bytes are
    /// compiled.
    ///
    /// # Safety
    /// `code` runs outside of the sandbox's checks: it must come from [`PluginParts::build`] with the same version of this
    /// crate, and be as trusted as the program itself.
    #[expect(unsafe_code, reason = "the caller guarantees the origin of the machine code")]
    pub const unsafe fn new(
        id: &'static str,
        sha256: &'static str,
        info: &'static [u8],
        bytes: &'static [u8],
        code: &'static [u8],
        decompress: Decompress,
    ) -> BundledPlugin {
        BundledPlugin { id, sha256, info, bytes, code, decompress }
    }

    /// Returns the facts about a language pack. `None` if another version made it.
    pub(crate) fn info(&self) -> Option<CachedPlugin> {
        CachedPlugin::parse(self.info)
    }

    /// Returns a name that identifies the bytes in caches and messages.
    pub(crate) fn path(&self) -> PathBuf {
        PathBuf::from(format!("bundled/{}-{}.wasm", self.id, self.sha256))
    }

    /// Returns the fingerprint of the bytes. It never changes, because the bytes are part of the program.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A plugin whose code is not machine code.
    fn plugin(code: &'static [u8]) -> BundledPlugin {
        BundledPlugin {
            id: "p",
            sha256: "ab",
            info: b"{}",
            bytes: b"bytes",
            code,
            decompress: |bytes, _| Ok(bytes.to_vec()),
        }
    }

    #[test]
    fn damaged_parts_are_ignored() {
        let plugin = plugin(b"no code");
        assert!(plugin.code().is_none() && plugin.info().is_none());
        assert_eq!(plugin.read().expect("bytes"), b"bytes");
        assert_eq!(plugin.path(), PathBuf::from("bundled/p-ab.wasm"));
    }

    #[test]
    fn only_plugins_have_parts() {
        let error = PluginParts::build("p", b"text", "x86_64-unknown-linux-gnu").expect_err("no plugin");
        assert_eq!(error.content().message, "plugin `p` is not WebAssembly");
    }
}
