//! Packs from bytes and from a folder, over files in memory and on disk. The components must be built.

use std::{fs, path::PathBuf, sync::Arc};

use marquetry::{EditArgs, Host, Kind, MemoryFiles, OneEdit, OperationName, TargetArgs};
use marquetry_testkit::components;
use serde_json::json;

fn pack(id: &str) -> Vec<u8> {
    fs::read(components().join(format!("marquetry_{id}.wasm"))).expect("a component")
}

/// The cache of compiled packs that all tests share.
fn cache() -> Option<PathBuf> {
    Some(components().join("../../test-cache"))
}

const PAGE: &str = "# Shop\n\nSee [the prices](prices.json).\n";
const PRICES: &str = "{\n  \"tea\": 3,\n  \"cake\": 5\n}\n";

/// Files in memory with packs from bytes.
fn shop() -> (MemoryFiles, Host) {
    let files = MemoryFiles::new([("shop.md", PAGE), ("prices.json", PRICES)]);
    let host = Host::builder()
        .files(files.clone())
        .pack("json", pack("json"))
        .pack("markdown", pack("markdown"))
        .cache(cache())
        .build()
        .expect("built");
    (files, host)
}

#[test]
fn packs_from_bytes_edit_files_in_memory() {
    let (files, host) = shop();
    let read = host.call("file_read", json!({ "file": "prices.json", "path": "$.cake" })).expect("read");
    assert_eq!(read["content"], "5");
    let edit = OneEdit {
        place: TargetArgs { path: Some("$.tea".to_owned()), ..TargetArgs::default() },
        operation: Some(OperationName::Replace),
        content: Some("4".to_owned()),
        ..OneEdit::default()
    };
    let args = EditArgs { file: Some("prices.json".to_owned()), edit, ..EditArgs::default() };
    host.file_edit(&args).expect("edited");
    assert_eq!(files.text("prices.json").as_deref(), Some("{\n  \"tea\": 4,\n  \"cake\": 5\n}\n"));
    host.call("file_undo", json!({})).expect("undone");
    assert_eq!(files.text("prices.json").as_deref(), Some(PRICES));
}

#[test]
fn links_follow_a_moved_file_in_memory() {
    let (files, host) = shop();
    host.call("file_move", json!({ "source": "prices.json", "destination": "data/prices.json" })).expect("moved");
    assert_eq!(files.text("shop.md").as_deref(), Some("# Shop\n\nSee [the prices](data/prices.json).\n"));
    let importers = json!({ "type": "dependencies", "path": "data/prices.json", "direction": "importedBy" });
    let answer = host.call("query", importers).expect("answered");
    assert_eq!(answer["data"]["dependencies"][0]["path"], "shop.md", "{answer}");
}

#[test]
fn mentions_in_files_without_pack_are_listed() {
    let (files, host) = shop();
    files.write("notes.txt", "The prices are in prices.json.\n");
    files.write("logo.bin", [0xFF, 0x00, 0xFE]);
    let moved = host.call("file_move", json!({ "source": "prices.json", "destination": "data/prices.json" }));
    let unresolved = moved.expect("moved")["unresolved"].to_string();
    assert!(unresolved.contains("notes.txt:1: prices.json"), "{unresolved}");
    host.call("file_move", json!({ "source": "notes.txt", "destination": "data/notes.txt" })).expect("moved");
    assert_eq!(files.paths(), ["data/notes.txt", "data/prices.json", "logo.bin", "shop.md"]);
}

#[test]
fn files_without_pack_are_refused_with_the_way_out() {
    let (files, host) = shop();
    files.write("a.toml", "a = 1\n");
    let error = host.call("file_read", json!({ "file": "a.toml" })).expect_err("no pack");
    assert_eq!(
        (error.kind(), error.content().message.as_str()),
        (Kind::Unsupported, "no language pack handles `a.toml`")
    );
}

#[test]
fn packs_that_are_not_webassembly_fail_only_their_calls() {
    let files = MemoryFiles::new([("prices.json", PRICES), ("a.toml", "a = 1\n")]);
    let host = Host::builder()
        .files(files)
        .pack("json", pack("json"))
        .pack("toml", b"no component".to_vec())
        .cache(cache())
        .build()
        .expect("built");
    let read = host.call("file_read", json!({ "file": "prices.json", "path": "$.tea" })).expect("read");
    assert_eq!(read["content"], "3");
    let error = host.call("file_read", json!({ "file": "a.toml", "path": "$.a" })).expect_err("no component");
    assert_eq!(error.content().message, "plugin `toml` is not WebAssembly");
}

#[test]
fn changes_on_disk_have_a_history_and_need_no_cache() {
    let folder = tempfile::tempdir().expect("a folder");
    let (root, state) = (folder.path().join("root"), folder.path().join("state"));
    fs::create_dir(&root).expect("made");
    fs::write(root.join("a.properties"), "one = 1\n").expect("written");
    let build = || {
        let registry = "marquetry = 1\n[plugins.properties]\n";
        let host = Host::builder().root(&root).state(&state).cache(None).registry(registry).client("test 1");
        host.pack_folder(components()).build().expect("built")
    };
    let edit = json!({ "file": "a.properties", "path": "one", "operation": "replace", "content": "2" });
    build().call("file_edit", edit).expect("edited");
    assert_eq!(fs::read_to_string(root.join("a.properties")).expect("text"), "one = 2\n");
    let later = build();
    let history = later.call("file_history", json!({})).expect("listed");
    assert_eq!(history["changes"][0]["client"], "test 1");
    later.call("file_undo", json!({})).expect("undone");
    assert_eq!(fs::read_to_string(root.join("a.properties")).expect("text"), "one = 1\n");
    assert_eq!(later.call("file_read", json!({ "file": "../x" })).expect_err("outside").kind(), Kind::OutsideWorkspace);
}

#[test]
fn bytes_are_shared_between_hosts() {
    let json: Arc<[u8]> = pack("json").into();
    let read = |json: Arc<[u8]>| {
        let files = MemoryFiles::new([("prices.json", PRICES)]);
        let host = Host::builder().files(files).pack("json", json).cache(cache()).build().expect("built");
        host.call("file_read", json!({ "file": "prices.json", "path": "$.tea" })).expect("read")["content"].clone()
    };
    assert_eq!([read(Arc::clone(&json)), read(json)], ["3", "3"]);
}
