//! Tests hostile plugins: the call of a hostile plugin fails with an error that names the plugin, and other plugins are
//! unaffected.

use std::{fs, path::Path, sync::Arc};

use marquetry_model::{
    Error, Kind, Work,
    pack::{EditOptions, Form, Operation, Query, Target, TargetKind},
    ports::Packs,
};
use marquetry_testkit::{MemoryFiles, components, packs};

const REGISTRY: &str = "marquetry = 1\n[plugins.hostile]\nlimits = { seconds = 1, memory-mib = 64 }\n[plugins.text]\n";

/// Returns kind and message of the first error of the calls on a document.
fn failure(text: &str) -> (Kind, String) {
    let error = first_error(text);
    (error.kind(), error.content().message.clone())
}

/// Returns the first error of the calls on a document.
fn first_error(text: &str) -> Error {
    let packs = packs(REGISTRY);
    let files = MemoryFiles::from_files([]);
    let pack = packs.for_path(&files, "a.hostile").expect("a pack");
    let text: Arc<str> = Arc::from(text);
    let result = (|| {
        let mut document = pack.clone().open("a.hostile", &text)?;
        document.diagnostics()?;
        document.outline()?;
        document.view(0, Form::Full)?;
        document.edit(&[0], &Operation::Delete, EditOptions::default())?;
        let target = Target { kind: TargetKind::Symbol, value: "all".to_owned() };
        document.find(&Query { target, limit: 5, values: false }).map(|_| ())
    })();
    // Whatever happened, the next calls on a healthy plugin and on this plugin must succeed.
    let healthy = packs.for_path(&files, "a.txt").expect("the healthy pack");
    let fine: Arc<str> = Arc::from("one\n");
    healthy.clone().open("a.txt", &fine).expect("open").outline().expect("the healthy plugin answers");
    pack.clone().open("a.hostile", &fine).expect("open").outline().expect("the plugin answers again");
    result.expect_err("the call fails")
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let (kind, message) = failure(text);
    assert_eq!(kind, Kind::PluginFailed, "{message}");
    assert!(message.contains("plugin `hostile`"), "{message}");
    assert!(message.contains(expected), "{message}");
}

#[test]
fn endless_loop_is_stopped() {
    check("loop", "it took too long");
}

#[test]
fn loop_of_cancelled_call_is_stopped_without_quarantine() {
    let packs = packs("marquetry = 1\n[plugins.hostile]\nlimits = { seconds = 3600 }\n");
    let work = Work::default();
    work.cancel();
    let files = MemoryFiles::for_call(&work, []);
    let pack = packs.for_path(&files, "a.hostile").expect("a pack");
    for _ in 0..5 {
        let error = pack.clone().open("a.hostile", &Arc::from("loop")).and_then(|mut document| document.diagnostics());
        assert_eq!(error.expect_err("the call ends").kind(), Kind::Cancelled);
    }
    let files = MemoryFiles::from_files([]);
    let pack = packs.for_path(&files, "a.hostile").expect("a pack");
    pack.open("a.hostile", &Arc::from("one\n")).expect("open").outline().expect("the plugin is in no quarantine");
}

#[test]
fn endless_allocation_is_stopped() {
    check("allocate", "MiB of memory");
}

#[test]
fn panic_is_retried_once_and_logged() {
    check("panic", "on purpose");
    assert!(!first_error("panic").is_transient(), "it would fail again, so callers must not repeat the call");
}

#[test]
fn endless_recursion_is_stopped() {
    check("recurse", "failed while opening a.hostile");
}

#[test]
fn endless_logging_is_stopped() {
    check("log", "it took too long");
}

#[test]
fn invalid_spans_are_rejected() {
    check("outside", "an invalid range 0..8 (node): it is beyond the end of the document");
    check("backwards", "an invalid range 3..1 (node): it ends before it starts");
    check("é character", "an invalid range 1..2 (node): it splits a character");
    check("parent", "an outline whose node 0 comes before its parent 7");
}

#[test]
fn invalid_edits_are_rejected() {
    check("overlap", "invalid edits: two edits overlap on line 1");
    check("far", "beyond the end of the document");
}

#[test]
fn invalid_new_targets_are_rejected() {
    let make = |text: &str| {
        let packs = packs(REGISTRY);
        let pack = packs.for_path(&MemoryFiles::from_files([]), "a.hostile").expect("a pack");
        let target = Target { kind: TargetKind::Symbol, value: "all".to_owned() };
        let made = pack.open("a.hostile", &Arc::from(text)).expect("open").insert_missing(&target, "new");
        made.expect_err("the call fails").to_string()
    };
    assert!(make("overlap").contains("invalid edits"));
    assert!(make("far").contains("is beyond the end of the document"));
    assert!(make("gigabyte").contains("MiB of memory"));
}

#[test]
fn size_of_answers_is_limited() {
    check("gigabyte", "MiB of memory");
    check("large", "bytes of text; at most");
    check("nothing", "0 nodes of 0");
}

#[test]
fn repeatedly_failing_plugin_is_quarantined() {
    let packs = packs(REGISTRY);
    let files = MemoryFiles::from_files([]);
    let pack = packs.for_path(&files, "a.hostile").expect("a pack");
    let text: Arc<str> = Arc::from("panic");
    let fail = |path: &str| {
        pack.clone().open(path, &text).expect("open").outline().expect_err("fails").content().message.clone()
    };
    // A file that fails repeatedly is refused; others are not.
    for _ in 0..3 {
        assert!(fail("a.hostile").contains("on purpose"));
    }
    assert!(fail("a.hostile").contains("failed 3 times on a.hostile"), "{}", fail("a.hostile"));
    let fine: Arc<str> = Arc::from("one\n");
    pack.clone().open("b.hostile", &fine).expect("open").outline().expect("other files are answered");
    for path in ["b.hostile", "c.hostile", "d.hostile"] {
        assert!(fail(path).contains("on purpose"), "{path}");
    }
    assert!(fail("e.hostile").contains("quarantined"), "{}", fail("e.hostile"));
    let state = &packs.plugins(&files).into_iter().find(|plugin| plugin.id == "hostile").expect("listed").state;
    assert!(state.starts_with("quarantined"), "{state}");
}

/// A registry with one plugin, made from a component by replacing some bytes.
fn changed(folder: &Path, component: &str, from: &str, to: &str) -> String {
    let mut bytes = fs::read(components().join(component)).expect("the component");
    assert_eq!(from.len(), to.len());
    for at in 0..bytes.len() - from.len() {
        if bytes[at..].starts_with(from.as_bytes()) {
            bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        }
    }
    let path = folder.join("changed.wasm");
    fs::write(&path, bytes).expect("written");
    format!("marquetry = 1\n[plugins.changed]\nsource = \"path:{}\"\nfiles = [\"*\"]\n", path.display())
}

#[track_caller]
fn refused(registry: &str) -> String {
    let files = MemoryFiles::from_files([]);
    packs(registry).for_path(&files, "a.txt").map(|_| ()).expect_err("refused").to_string()
}

#[test]
fn contract_version_is_checked_before_running() {
    let folder = tempfile::tempdir().expect("a folder");
    let (now, later, before) =
        ("marquetry:language/language@0.1.0", "marquetry:language/language@0.2.0", "marquetry:language/language@0.0.9");
    let message = refused(&changed(folder.path(), "marquetry_text.wasm", now, later));
    assert!(
        message.contains("is too new: it was built for marquetry:language 0.2.0, but this host supports 0.1.0"),
        "{message}"
    );
    let message = refused(&changed(folder.path(), "marquetry_text.wasm", now, before));
    assert!(
        message.contains("is too old: it was built for marquetry:language 0.0.9, but this host supports 0.1.0"),
        "{message}"
    );
}

#[test]
fn missing_grants_are_refused_before_running() {
    let folder = tempfile::tempdir().expect("a folder");
    let message = refused(&changed(folder.path(), "marquetry_text.wasm", "wasi:cli/", "wasi:net/"));
    assert!(message.contains("imports `wasi:net/") && message.contains("which plugins may not import"), "{message}");
    let message = refused("marquetry = 1\n[plugins.html]\nfiles = [\"*\"]\n");
    assert!(message.contains("needs access to the workspace, which is not granted"), "{message}");
    assert!(message.contains("grants = [\"workspace\"]"), "{message}");
}

#[test]
fn missing_or_invalid_component_is_reported() {
    let message = refused("marquetry = 1\n[plugins.gone]\nsource = \"path:/nowhere/gone.wasm\"\n");
    assert!(message.contains("there is no file /nowhere/gone.wasm"), "{message}");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("text.wasm");
    fs::write(&path, "hello").expect("written");
    let message = refused(&format!("marquetry = 1\n[plugins.words]\nsource = \"path:{}\"\n", path.display()));
    assert!(message.contains("plugin `words` is not WebAssembly"), "{message}");
}

#[test]
fn unlocked_or_wrong_version_plugin_is_refused() {
    let message = refused("marquetry = 1\n[plugins.text]\nversion = \"^9\"\n");
    assert!(message.contains("plugin `text` is version 0.1.0, but the registry requires ^9"), "{message}");
}

#[test]
fn rebuilt_plugin_is_reloaded() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("text.wasm");
    fs::copy(components().join("marquetry_text.wasm"), &path).expect("copied");
    let packs =
        packs(&format!("marquetry = 1\n[plugins.text]\nsource = \"path:{}\"\nfiles = [\"*\"]\n", path.display()));
    let files = MemoryFiles::from_files([]);
    assert_eq!(packs.for_path(&files, "a.txt").expect("a pack").description().name, "Plain text");
    changed(folder.path(), "marquetry_text.wasm", "Plain text", "Other text");
    fs::rename(folder.path().join("changed.wasm"), &path).expect("renamed");
    assert_eq!(packs.for_path(&files, "a.txt").expect("a pack").description().name, "Other text");
}
