//! Tests that cached information about a plugin file is discarded if it does not match the bytes.

use marquetry_model::pack::Description;

use super::*;
use crate::{cache::CachedPlugin, cached_description::CachedDescription, identity::Identity, registry::Registry};

#[test]
fn bytes_are_hashed_before_they_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("p.wasm");
    std::fs::write(&path, b"other bytes").expect("written");
    let packs = PackSet::new(Options {
        default_registry: String::new(),
        bundled: vec![folder.path().to_owned()],
        cache: Some(folder.path().join("cache")),
        trust: TrustPolicy::Nothing,
    });
    let registry = Registry::parse("marquetry = 1\n[plugins.p]\n", folder.path(), "r").expect("a registry");
    let entry = &registry.entries["p"];
    // Creates a cache entry with the metadata of the file but the digest of other bytes.
    let description = Description { id: "p".to_owned(), version: "1.0.0".to_owned(), ..Description::default() };
    let stamp = FileFingerprint::read(&path).expect("the file exists");
    let identity = Identity { interfaces: Vec::new(), imports: Vec::new(), files: None };
    let mut seen = CachedPlugin::new(stamp.clone(), "0".repeat(64), identity);
    seen.description = Some(CachedDescription::from(&description));
    packs.cache.store(&path, &seen);
    let plugin = packs.plugin("p", entry).expect("the plugin is cached");
    let error = (plugin.compile)().err().expect("the bytes differ from the cached digest");
    assert_eq!(error.content().message, "plugin `p` was replaced while it was in use");
    assert!(packs.cache.load(&path, &stamp).is_none(), "the cached description is discarded");
    let error = packs.plugin("p", entry).err().expect("the file is read again");
    assert_eq!(error.content().message, "plugin `p` is not WebAssembly");
}
