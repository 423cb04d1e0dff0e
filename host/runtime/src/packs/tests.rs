//! Tests that cached information about a plugin file is discarded if it does not match the bytes.

use marquetry_model::pack::Description;

use super::*;
use crate::{
    cached_description::CachedDescription, cached_plugin::CachedPlugin, identity::Identity, registry::Registry,
};

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

#[test]
fn missing_packs_are_skipped_if_the_program_has_only_some() {
    let packs = || {
        let packs = PackSet::new(Options {
            default_registry: "marquetry = 1\n[plugins.a]\n[plugins.b]\n".to_owned(),
            bundled: Vec::new(),
            cache: None,
            trust: TrustPolicy::Nothing,
        });
        packs.with_pack("b", *b"bytes").with_pack("c", *b"bytes")
    };
    let names = |packs: &PackSet| {
        let registry = packs.default_registry(Path::new("/r")).expect("a registry");
        registry.entries.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(names(&packs()), ["a", "b", "c"]);
    assert_eq!(names(&packs().skip_missing_packs()), ["b", "c"]);
}
