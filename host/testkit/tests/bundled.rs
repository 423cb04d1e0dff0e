//! Tests of plugins that are part of a program, with a pack as built.
#![cfg(target_os = "linux")]

use std::{fs, path::PathBuf, sync::Arc};

use marquetry_model::ports::Packs;
use marquetry_runtime::{BundledPlugin, Options, PackSet, PluginParts, TrustPolicy};
use marquetry_testkit::{MemoryFiles, components};

const REGISTRY: &str = "marquetry = 1\n[plugins.properties]\n";

/// Returns the parts of the pack for keys and values, with code for a target.
fn parts(target: &str) -> (&'static [u8], PluginParts) {
    let bytes = fs::read(components().join("marquetry_properties.wasm")).expect("the pack is built");
    let parts = PluginParts::build("properties", &bytes, target).expect("parts");
    (bytes.leak(), parts)
}

/// Returns a list with the plugin of these parts.
#[expect(unsafe_code, reason = "the code comes from `PluginParts::build`, or is refused before it runs")]
fn bundled((bytes, parts): (&'static [u8], PluginParts)) -> &'static [BundledPlugin] {
    let (sha256, info, code) = (parts.sha256.leak(), parts.info.leak(), parts.code.leak());
    // SAFETY: see above.
    let plugin = unsafe { BundledPlugin::new("properties", sha256, info, bytes, code, |bytes, _| Ok(bytes.to_vec())) };
    vec![plugin].leak()
}

fn this_target() -> String {
    format!("{}-unknown-linux-gnu", std::env::consts::ARCH)
}

fn packs(plugins: &'static [BundledPlugin], cache: Option<PathBuf>) -> PackSet {
    let options =
        Options { default_registry: REGISTRY.to_owned(), bundled: Vec::new(), cache, trust: TrustPolicy::Nothing };
    PackSet::new(options).with_bundled(plugins)
}

/// Reads a document with the pack of the program.
#[track_caller]
fn check_outline(packs: PackSet) {
    let files = MemoryFiles::from_files([]);
    let pack = Arc::new(packs).for_path(&files, "a.properties").expect("the pack of the program");
    assert_eq!(pack.description().id, "properties");
    let mut document = pack.open("a.properties", &Arc::from("key = value\n")).expect("open");
    assert_eq!(document.outline().expect("an outline")[0].name, "key");
}

#[test]
fn bundled_code_runs_without_a_cache() {
    check_outline(packs(bundled(parts(&this_target())), None));
}

#[test]
fn bundled_code_is_cached_sealed_and_not_stale() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = folder.path().join("cache");
    let plugins = bundled(parts(&this_target()));
    check_outline(packs(plugins, Some(cache.clone())));
    let names = |extension: &str| {
        let names = fs::read_dir(&cache).expect("the cache").map(|entry| entry.expect("an entry").file_name());
        names.filter(|name| name.to_string_lossy().ends_with(extension)).count()
    };
    assert_eq!((names(".cwasm"), names(".seal"), names(".json")), (1, 1, 0));
    let again = packs(plugins, Some(cache));
    assert_eq!(again.stale_data().expect("readable"), []);
    check_outline(again);
}

#[test]
fn code_for_another_system_is_ignored_and_the_bytes_are_compiled() {
    let other = format!("{}-pc-windows-gnu", std::env::consts::ARCH);
    check_outline(packs(bundled(parts(&other)), None));
}

#[test]
fn damaged_code_is_ignored_and_the_bytes_are_compiled() {
    for keep in [|_: &[u8]| Vec::new(), |_: &[u8]| b"no code".to_vec(), |code: &[u8]| code[..code.len() / 2].to_vec()] {
        let (bytes, parts) = parts(&this_target());
        let damaged = PluginParts { code: keep(&parts.code), ..parts };
        check_outline(packs(bundled((bytes, damaged)), None));
    }
}

#[test]
fn description_of_another_version_is_made_again() {
    let (bytes, parts) = parts(&this_target());
    let old = PluginParts { info: b"{\"schema\":1}".to_vec(), ..parts };
    check_outline(packs(bundled((bytes, old)), None));
}

#[test]
fn key_of_parts_depends_on_the_target() {
    let key = |system: &str| PluginParts::key(&format!("{}-{system}", std::env::consts::ARCH)).expect("a target");
    assert_eq!(key("unknown-linux-gnu"), key("unknown-linux-gnu"));
    assert_ne!(key("unknown-linux-gnu"), key("pc-windows-gnu"));
    assert!(PluginParts::key("no-such-target").is_err());
}
