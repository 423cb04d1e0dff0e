//! Plugins that are part of a program: their bytes, their descriptions, and their machine code, made when the
//! program is built. A process with an empty cache then neither compiles them nor runs them for their descriptions.

use std::{io, path::PathBuf};

use marquetry_model::limits;
use wasmtime::Engine;

use crate::cached_plugin::{CachedPlugin, FileFingerprint};

/// A plugin that is part of a program. [`PluginParts::build`](crate::PluginParts::build) makes the parts.
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

impl BundledPlugin {
    /// Creates a plugin from its parts: its name in the registry, the sha256 of its bytes, the facts about it, and its
    /// compressed bytes and code. Code that this machine or this engine cannot run is ignored, and the bytes are
    /// compiled.
    ///
    /// # Safety
    /// `code` runs outside of the sandbox's checks: it must come from [`PluginParts::build`](crate::PluginParts::build) with the same version of this
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
        FileFingerprint::of_bytes(self.bytes.len())
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
}
