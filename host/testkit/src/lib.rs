//! Shared test utilities of the host: files in memory, the built components, and the laws (properties that every
//! language pack must satisfy), checked through the sandbox.

use std::path::{Path, PathBuf};

use marquetry_runtime::{Options, PackSet, TrustPolicy};

pub use marquetry_kit::{MemoryFiles, Violation, check_all_addresses, laws};

/// Returns the folder with the built components.
pub fn components() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/wasm32-wasip2/release");
    assert!(folder.is_dir(), "the components are not built: run `cargo xtask plugins`");
    folder
}

/// Returns the packs of a registry. The cache of compiled code is shared by all tests.
pub fn packs(registry: &str) -> PackSet {
    PackSet::new(Options {
        default_registry: registry.to_owned(),
        bundled: vec![components()],
        cache: Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-cache")),
        trust: TrustPolicy::Nothing,
    })
}

/// Returns the packs of the default registry.
pub fn default_packs() -> PackSet {
    packs(include_str!("../../../registry.toml"))
}
