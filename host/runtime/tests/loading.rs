//! Tests when plugins are compiled: those that a call needs before the call, the others in the background, and each
//! only once.

use std::{fs, path::Path, sync::Arc};

use marquetry_model::{
    Kind,
    ports::{Files, Packs},
};
use marquetry_runtime::{Options, PackSet, TrustPolicy};
use marquetry_testkit::{MemoryFiles, components};
use tempfile::TempDir;

const REGISTRY: &str = "marquetry = 1\n[plugins.text]\nsource = \"bundled\"\n[plugins.hostile]\nsource = \"bundled\"\n";

fn packs(bundled: &Path, cache: &TempDir) -> PackSet {
    PackSet::new(Options {
        default_registry: REGISTRY.to_owned(),
        bundled: vec![bundled.to_owned()],
        cache: Some(cache.path().join("cache")),
        trust: TrustPolicy::Nothing,
    })
}

/// Returns the number of plugins with cached code.
fn compiled(cache: &TempDir) -> usize {
    let files = fs::read_dir(cache.path().join("cache")).into_iter().flatten().flatten();
    files.filter(|file| file.path().extension().is_some_and(|extension| extension == "cwasm")).count()
}

fn takes(packs: &PackSet, path: &str) -> String {
    let files: Arc<dyn Files> = MemoryFiles::from_files([]);
    packs.for_path(&files, path).map_or_else(|error| error.to_string(), |pack| pack.description().id.clone())
}

#[test]
fn call_compiles_its_pack_and_others_in_the_background() {
    let cache = tempfile::tempdir().expect("a folder");
    let packs = packs(&components(), &cache);
    assert_eq!(takes(&packs, "a.hostile"), "hostile");
    assert_eq!(compiled(&cache), 1, "the pack that the call does not need must not be compiled");
    let files: Arc<dyn Files> = MemoryFiles::from_files([]);
    assert_eq!(
        (packs.identities(&files).len(), compiled(&cache)),
        (2, 1),
        "identities must be known without compiling"
    );
    packs.prepare(&files);
    assert_eq!(compiled(&cache), 2);
    assert_eq!(takes(&packs, "a.txt"), "text");
}

#[test]
fn changed_file_patterns_change_the_identity() {
    let cache = tempfile::tempdir().expect("a folder");
    let identities = |more: &str| {
        let default_registry = format!("{REGISTRY}{more}");
        let bundled = vec![components()];
        let cache = Some(cache.path().join("cache"));
        let packs = PackSet::new(Options { default_registry, bundled, cache, trust: TrustPolicy::Nothing });
        let files: Arc<dyn Files> = MemoryFiles::from_files([]);
        packs.identities(&files)
    };
    let (none, some) = (identities(""), identities("files = [\"*.a\"]\n"));
    assert_eq!((none.len(), some.len()), (2, 3));
    assert!(some.starts_with(&none), "the identities of the packs must be the same in both");
    assert_eq!(some, identities("files = [\"*.a\"]\n"));
    assert_ne!(some, identities("files = [\"*.a\", \"*.b\"]\n"));
}

/// Encodes a custom section to append to a component.
fn section(name: &str, content: &str) -> Vec<u8> {
    let size = u8::try_from(1 + name.len() + content.len()).expect("short");
    [&[0, size, u8::try_from(name.len()).expect("short")], name.as_bytes(), content.as_bytes()].concat()
}

#[test]
fn patterns_that_differ_from_the_description_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = tempfile::tempdir().expect("a folder");
    let built = |name: &str| fs::read(components().join(format!("marquetry_{name}.wasm"))).expect("built");
    fs::write(folder.path().join("text.wasm"), built("text")).expect("written");
    // Replaces `*.hostile` in the SDK's section by another pattern of the same length.
    let bytes = built("hostile");
    let at = bytes.windows(24).position(|part| part == b"marquetry:files*.hostile").expect("the section");
    let mut changed = bytes.clone();
    changed[at + 15..at + 24].copy_from_slice(b"*.another");
    fs::write(folder.path().join("hostile.wasm"), &changed).expect("written");
    let one = packs(folder.path(), &cache);
    assert_eq!(takes(&one, "a.txt"), "text");
    let refused = takes(&one, "a.another");
    assert!(refused.contains("reports the patterns `*.hostile`, but its file declares `*.another`"), "{refused}");
    assert!(refused.contains("marquetry:files"), "{refused}");
    // With two sections the patterns are unknown, so the plugin runs to list them.
    fs::write(folder.path().join("hostile.wasm"), [bytes, section("marquetry:files", "*.more")].concat())
        .expect("written");
    let other = packs(folder.path(), &cache);
    assert_eq!(takes(&other, "a.hostile"), "hostile");
    assert_eq!(takes(&other, "a.more"), "text");
}

#[test]
fn plugin_file_is_inspected_without_a_registry() {
    let cache = tempfile::tempdir().expect("a folder");
    let packs = packs(&components(), &cache);
    let inspected = packs.inspect(&components().join("marquetry_hostile.wasm")).expect("a pack");
    assert_eq!(
        (inspected.description.id.as_str(), inspected.declares_files, inspected.needed_grants.len()),
        ("hostile", true, 0)
    );
    let inspected = packs.inspect(&components().join("marquetry_neovim.wasm"));
    assert_eq!(
        inspected.map(|inspected| inspected.sha256).map_err(|error| error.kind()),
        Err(Kind::PluginFailed),
        "a file that is not a language pack must be rejected"
    );
}
