//! What tests of the host share: files in memory, the components as they were built, and the laws that every language
//! pack keeps, checked through the sandbox.

use std::path::{Path, PathBuf};

use marquetry_runtime::{Options, PackSet, Trust};

pub use marquetry_kit::{Broken, MemoryFiles, every_address, laws};

/// Where the components are.
pub fn components() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/wasm32-wasip2/release");
    assert!(folder.is_dir(), "the components are not built: run `cargo xtask plugins`");
    folder
}

/// The packs of a registry, with compiled code kept where all tests find it.
pub fn packs(registry: &str) -> PackSet {
    PackSet::new(Options {
        default_registry: registry.to_owned(),
        bundled: vec![components()],
        cache: Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-cache")),
        trust: Trust::Nothing,
    })
}

/// The packs of the default registry.
pub fn default_packs() -> PackSet {
    packs(include_str!("../../../registry.toml"))
}
