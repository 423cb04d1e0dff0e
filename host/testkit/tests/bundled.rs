//! Tests of plugins that are part of a program, with a pack as built.
#![cfg(target_os = "linux")]

use std::{fs, path::PathBuf, sync::Arc};

use marquetry_model::ports::Packs;
use marquetry_runtime::{BundledPlugin, Options, PackSet, PluginParts, TrustPolicy, stored};
use marquetry_testkit::{MemoryFiles, components};

const REGISTRY: &str = "marquetry = 1\n[plugins.properties]\n";

/// Returns the pack for keys and values, with code for a target.
fn bundled(target: &str) -> &'static [BundledPlugin] {
    let bytes = fs::read(components().join("marquetry_properties.wasm")).expect("the pack is built");
    let parts = PluginParts::build("properties", &bytes, target).expect("parts");
    vec![BundledPlugin {
        id: "properties",
        sha256: parts.sha256.leak(),
        info: parts.info.leak(),
        bytes: bytes.leak(),
        code: parts.code.leak(),
        decompress: stored,
    }]
    .leak()
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
    check_outline(packs(bundled(&this_target()), None));
}

#[test]
fn bundled_code_is_cached_sealed_and_not_stale() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = folder.path().join("cache");
    let plugins = bundled(&this_target());
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
    check_outline(packs(bundled(&other), None));
}

#[test]
fn damaged_code_is_ignored_and_the_bytes_are_compiled() {
    let [plugin] = bundled(&this_target()) else { panic!("one plugin") };
    for code in [&b""[..], b"no code", &plugin.code[..plugin.code.len() / 2]] {
        let damaged = vec![BundledPlugin { code, ..plugin.clone() }].leak();
        check_outline(packs(damaged, None));
    }
}

#[test]
fn description_of_another_version_is_made_again() {
    let [plugin] = bundled(&this_target()) else { panic!("one plugin") };
    let old = vec![BundledPlugin { info: b"{\"schema\":1}", ..plugin.clone() }].leak();
    check_outline(packs(old, None));
}
