//! Caller and reason of changes, as shown by every front end; stale data, and purging.

use std::{
    fs::{self, DirBuilder},
    os::unix::fs::DirBuilderExt,
    path::Path,
};

use crate::common::Project;
use serde_json::{Value, json};

fn stdout_of(project: &Project, arguments: &[&str]) -> String {
    let output = project.marq(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn history(project: &Project) -> Vec<Value> {
    let answer: Value = serde_json::from_str(&stdout_of(project, &["history", "--json"])).expect("JSON");
    answer["changes"].as_array().expect("a list").clone()
}

fn origin(change: &Value) -> [&str; 4] {
    ["client", "tool", "about", "why"].map(|part| change[part].as_str().unwrap_or("-"))
}

const VERSION: &str = concat!("marq ", env!("CARGO_PKG_VERSION"));

#[test]
fn command_line_records_caller_and_reason() {
    let project = Project::new(0);
    project.write("a.json", "{ \"b\": 1 }\n");
    stdout_of(&project, &["edit", "a.json", "$.b", "replace", "2", "--why", "two is\nmore"]);
    stdout_of(&project, &["move", "a.json", "c.json"]);
    let past = history(&project);
    assert_eq!(origin(&past[1]), [VERSION, "file_edit", "a.json $.b replace", "two is more"]);
    assert_eq!(origin(&past[0]), [VERSION, "file_move", "a.json c.json", "-"]);
    let shown = stdout_of(&project, &["history"]);
    assert!(shown.contains(&format!("\n    {VERSION}, file_edit a.json $.b replace: two is more\n")), "{shown}");
    let undone = stdout_of(&project, &["undo", "--why", "no"]);
    assert!(undone.ends_with(&format!("\nmade by {VERSION}, file_move a.json c.json\n")), "{undone}");
    assert_eq!(origin(&history(&project)[0])[3], "no");
}

#[test]
fn json_rpc_client_info_is_recorded() {
    let project = Project::new(0);
    project.write("a.json", "{ \"b\": 1 }\n");
    let mut talk = project.talk(&["rpc", "--stdio"]);
    let edit = |n: u64| json!({ "file": "a.json", "target": "$.b", "operation": "replace", "content": n.to_string() });
    let mut named = edit(2);
    named["clientInfo"] = json!({ "name": "editor", "version": "7" });
    named["why"] = "a test".into();
    for (id, params) in [(1, named), (2, edit(3))] {
        talk.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "file/edit", "params": params }));
        assert_eq!(talk.next()["result"]["success"], true);
    }
    let past = history(&project);
    assert_eq!(origin(&past[1]), ["editor 7", "file_edit", "a.json $.b replace", "a test"]);
    assert_eq!(origin(&past[0]), ["JSON-RPC", "file_edit", "a.json $.b replace", "-"]);
}

#[test]
fn mcp_client_info_is_recorded() {
    let project = Project::new(0);
    project.write("a.json", "{ \"b\": 1 }\n");
    let info = json!({ "name": "claude-code", "version": "2.1.0" });
    let arguments =
        json!({ "file": "a.json", "target": "$.b", "operation": "replace", "content": "2", "why": "asked" });
    let mut talk = project.talk(&["mcp"]);
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
    talk.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }));
    talk.next();
    talk.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let call = json!({ "name": "file_edit", "arguments": arguments });
    talk.send(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call }));
    talk.next();
    talk.end();
    let mut talk = project.talk(&["mcp"]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "other", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let arguments = json!({ "file": "a.json", "target": "$.b", "operation": "replace", "content": "3" });
    let call = json!({ "name": "file_edit", "arguments": arguments, "_meta": meta });
    talk.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call }));
    let answer = talk.next();
    assert!(answer["result"].is_object(), "{answer}");
    talk.end();
    let past = history(&project);
    assert_eq!(origin(&past[1]), ["claude-code 2.1.0", "file_edit", "a.json $.b replace", "asked"]);
    assert_eq!(origin(&past[0])[0], "other 1");
}

#[test]
fn secret_is_purged_from_the_history() {
    let project = Project::new(0);
    project.write(".env", "KEY=0123456789\n");
    project.write("a.json", "{}\n");
    stdout_of(&project, &["delete", ".env"]);
    stdout_of(&project, &["delete", "a.json"]);
    let before = project.journals();
    let shown = stdout_of(&project, &["clean", "--purge", ".env"]);
    assert!(shown.contains("could no longer be undone\nwould purge 15 B") && shown.contains("nothing was erased"));
    let done = stdout_of(&project, &["clean", "--purge", ".env", "--yes"]);
    assert!(done.contains("can no longer be undone\npurged 15 B from the history of "), "{done}");
    assert_eq!(project.journals(), before, "purging must keep the entries");
    assert!(stdout_of(&project, &["history"]).contains("    purged: .env; it cannot be undone\n"));
    assert!(stdout_of(&project, &["undo"]).contains("Undid: "));
    let refused = project.marq(&["undo", &before[0]]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("it replaced in `.env` was purged"), "{refused:?}");
    assert!(project.texts().contains_key("a.json") && !project.texts().contains_key(".env"));
    let nothing = stdout_of(&project, &["clean", "--purge", "src"]);
    assert!(nothing.starts_with("no history has contents of "), "{nothing}");
}

/// A cache with hard links to the files of the tests' cache, so that nothing is compiled.
fn own_cache(project: &Project) -> std::path::PathBuf {
    let cache = project.root().with_file_name("cache");
    DirBuilder::new().mode(0o700).create(&cache).expect("made");
    stdout_of(project, &["doctor"]);
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-cache");
    for entry in fs::read_dir(shared).expect("the cache").flatten() {
        // Linking fails on another file system, or if the file was just removed.
        let to = cache.join(entry.file_name());
        if entry.path().is_file() && fs::hard_link(entry.path(), &to).is_err() {
            let _ = fs::copy(entry.path(), &to);
        }
    }
    cache
}

#[test]
fn stale_data_is_listed_and_then_removed() {
    let project = Project::new(1);
    let cache = own_cache(&project);
    let run = |root: &str, arguments: &[&str]| {
        let mut command = project.command(arguments);
        let output =
            command.current_dir(project.root().join(root)).env("MARQ_CACHE_DIR", &cache).output().expect("it runs");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    run("", &["clean", "--yes"]);
    project.write("gone/a.md", "# A\n");
    run("gone", &["edit", "a.md", "A", "replace", "# B\n"]);
    run("", &["move", "src/shared.ts", "src/other.ts"]);
    assert_eq!(run("", &["clean"]), "nothing to remove: all stored data is in use\n");
    fs::remove_dir_all(project.root().join("gone")).expect("removed");
    let old = cache.join(format!("{}-0000000000000000.cwasm", "0".repeat(64)));
    fs::write(&old, "code").expect("written");
    let kept = |folder: &std::path::Path| fs::read_dir(folder).map_or(0, Iterator::count);
    let before = kept(&cache);
    let shown = run("", &["clean"]);
    let expected =
        ["/project/gone, which no longer exists", "compiled code of another version", "nothing was removed: "];
    assert!(expected.iter().all(|line| shown.contains(line)), "{shown}");
    assert!(old.exists() && project.journals().len() == 2);
    let shown = run("", &["clean", "--yes"]);
    assert!(shown.contains("\nremoved ") && !shown.contains("kept:"), "{shown}");
    assert!(!old.exists() && project.journals().len() == 1 && kept(&cache) == before - 1);
    assert_eq!(run("", &["clean"]), "nothing to remove: all stored data is in use\n");
    assert!(run("", &["undo"]).contains("Undid: "), "data that is needed must be kept");
}
