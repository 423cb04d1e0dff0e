//! Tests of the cache: stored entries are returned, and tampered ones are rejected.

use marquetry_model::{
    pack,
    refactor::{ArgumentHelp, Refactor, RefactorLocation},
};

use super::*;
use crate::identity::Identity;

fn description() -> pack::Description {
    pack::Description {
        id: "p".to_owned(),
        name: "P".to_owned(),
        version: "1.0.0".to_owned(),
        files: vec!["*.p".to_owned()],
        targets: pack::TargetKind::ALL
            .map(|kind| pack::TargetHelp { kind, syntax: "s".to_owned(), examples: vec!["e".to_owned()] })
            .to_vec(),
        regions: vec![pack::Named { name: "r".to_owned(), summary: "s".to_owned() }],
        templates: vec![pack::Template {
            name: "t".to_owned(),
            summary: "s".to_owned(),
            extension: "p".to_owned(),
            body: "b".to_owned(),
        }],
        settings_schema: "{}".to_owned(),
        relinks: false,
        help: "help".to_owned(),
        refactors: vec![Refactor {
            id: "sort".to_owned(),
            title: "Sort".to_owned(),
            location: RefactorLocation::Selection,
            arguments: vec![ArgumentHelp {
                name: "by".to_owned(),
                summary: "what".to_owned(),
                values: vec!["name".to_owned()],
                required: true,
            }],
            needs_exporters: true,
        }],
    }
}

fn stamp() -> FileFingerprint {
    FileFingerprint { size: 1, modified: 2, changed: 3, number: 4 }
}

fn remembered(stamp: &FileFingerprint) -> CachedPlugin {
    let names = |name: &str| vec![name.to_owned()];
    let identity = Identity { interfaces: names("links"), imports: names("log"), files: None };
    let mut seen = CachedPlugin::new(stamp.clone(), "abc".to_owned(), identity);
    seen.description = Some((&description()).into());
    seen
}

#[test]
fn description_survives_the_cache() {
    let folder = tempfile::tempdir().expect("a folder");
    let (cache, plugin) = (Cache::new(Some(folder.path().join("cache"))), folder.path().join("p.wasm"));
    fs::write(&plugin, "one").expect("written");
    let stamp = FileFingerprint::read(&plugin).expect("there");
    assert!(cache.load(&plugin, &stamp).is_none());
    cache.store(&plugin, &remembered(&stamp));
    let known = cache.load(&plugin, &stamp).expect("remembered");
    assert_eq!(
        (known.sha256.as_str(), known.interfaces, known.imports),
        ("abc", vec!["links".to_owned()], vec!["log".to_owned()])
    );
    assert_eq!(known.description.map(pack::Description::from), Some(description()));
}

#[test]
fn changed_file_is_not_found_in_the_cache() {
    let folder = tempfile::tempdir().expect("a folder");
    let (cache, plugin) = (Cache::new(Some(folder.path().join("cache"))), folder.path().join("p.wasm"));
    fs::write(&plugin, "one").expect("written");
    let stamp = FileFingerprint::read(&plugin).expect("there");
    cache.store(&plugin, &remembered(&stamp));
    fs::write(&plugin, "longer").expect("written");
    assert!(cache.load(&plugin, &FileFingerprint::read(&plugin).expect("there")).is_none());
    assert!(cache.load(&plugin, &FileFingerprint { modified: stamp.modified + 1, ..stamp }).is_none());
    assert!(cache.load(&folder.path().join("q.wasm"), &stamp).is_none(), "another file must have no entry");
}

#[test]
fn unreadable_entry_is_created_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (cache, plugin) = (Cache::new(Some(folder.path().join("cache"))), folder.path().join("p.wasm"));
    let stamp = stamp();
    cache.store(&plugin, &remembered(&stamp));
    let kept = folder.path().join("cache").join(entry_name(&plugin));
    assert!(cache.load(&plugin, &stamp).is_some());
    let mut bytes = fs::read(&kept).expect("kept");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    for damaged in [&bytes[..], &bytes[..20], b"", b"{\"schema\":"] {
        fs::write(&kept, damaged).expect("written");
        assert!(cache.load(&plugin, &stamp).is_none());
    }
}

#[test]
fn entry_sealed_with_another_key_is_rejected() {
    let folder = tempfile::tempdir().expect("a folder");
    let (cache, plugin) = (Cache::new(Some(folder.path().join("cache"))), folder.path().join("p.wasm"));
    cache.store(&plugin, &remembered(&stamp()));
    fs::write(folder.path().join("cache").join(KEY_FILE), [7; SEAL_BYTES]).expect("written");
    let again = Cache::new(Some(folder.path().join("cache")));
    assert!(again.load(&plugin, &stamp()).is_none());
    fs::write(folder.path().join("cache").join(KEY_FILE), "short").expect("written");
    let none = Cache::new(Some(folder.path().join("cache")));
    none.store(&plugin, &remembered(&stamp()));
    assert!(none.load(&plugin, &stamp()).is_none());
}

#[test]
fn replaced_file_has_another_stamp() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("p.wasm");
    fs::write(&path, "one").expect("written");
    let before = FileFingerprint::read(&path).expect("there");
    let time = fs::metadata(&path).expect("there").modified().expect("a time");
    fs::write(folder.path().join("q.wasm"), "two").expect("written");
    fs::rename(folder.path().join("q.wasm"), &path).expect("moved");
    fs::File::options().write(true).open(&path).expect("open").set_modified(time).expect("set");
    let after = FileFingerprint::read(&path).expect("there");
    assert_eq!((before.size, before.modified), (after.size, after.modified));
    assert_ne!(before, after);
}

#[cfg(unix)]
#[test]
fn folder_accessible_to_others_is_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("cache");
    fs::create_dir(&place).expect("made");
    fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).expect("opened");
    let cache = Cache::new(Some(place.clone()));
    cache.store(Path::new("/p.wasm"), &remembered(&stamp()));
    let problem = cache.disabled_reason().expect("a disabled cache must report the reason");
    assert!(problem.ends_with("other users can access the folder (it needs mode 700)"), "{problem}");
    assert_eq!(Cache::new(None).disabled_reason(), None);
    assert_eq!(fs::read_dir(&place).expect("a folder").count(), 0);
    assert!(cache.load(Path::new("/p.wasm"), &stamp()).is_none());
}

#[cfg(unix)]
#[test]
fn cache_folder_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let cache = Cache::new(Some(folder.path().join("cache")));
    cache.store(Path::new("/p.wasm"), &remembered(&stamp()));
    let mode = fs::metadata(folder.path().join("cache")).expect("made").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn plugin_over_the_compile_limit_is_not_compiled_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = Some(folder.path().join("cache"));
    let engine = crate::engine::new_engine().expect("an engine");
    let with_script = |cache: Cache, script: &str| {
        let compiler = Compiler { program: "/bin/sh".into(), arguments: vec!["-c".to_owned(), script.to_owned()] };
        cache.with_compiler(compiler)
    };
    let module = b"\0asm\x01\0\0\0".to_vec();
    let compile = |cache: &Cache, sha256: &str| -> Result<()> {
        cache.load_or_compile::<wasmtime::Module>(&engine, "p", sha256, || Ok(module.clone())).map(drop)
    };
    if cfg!(unix) {
        // A person or the system ended the compiler: that says nothing about the plugin.
        let interrupted = with_script(Cache::new(place.clone()), "kill -TERM $$");
        let error = compile(&interrupted, "abc").expect_err("the compiler must fail");
        assert!(error.is_transient(), "{error}");
        assert!(compile(&Cache::new(place.clone()), "abc").is_ok());
        let limited = |cache: Cache| with_script(cache, "kill -XCPU $$");
        let error = compile(&limited(Cache::new(place.clone())), "abd").expect_err("the compiler must fail");
        assert_eq!(error.kind(), Kind::LimitExceeded);
        // Another process that could compile it does not try either.
        let error = compile(&Cache::new(place.clone()), "abd").expect_err("remembered");
        assert_eq!((error.kind(), error.content().hint.as_deref()), (Kind::LimitExceeded, Some(REFUSED_HINT)));
        assert!(compile(&Cache::new(place.clone()), "other bytes").is_ok());
        // Without a folder, the failure is remembered in this process.
        let cache = limited(Cache::new(None));
        assert!(compile(&cache, "abd").is_err() && cache.refusal(&engine, "abd").is_some());
    }
    assert!(Cache::new(place).refusal(&engine, "never tried").is_none());
}
