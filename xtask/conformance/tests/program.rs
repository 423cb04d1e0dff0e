//! Runs the program `conformance` on a few calls. Cargo builds the program for this test, and
//! `cargo xtask prove conformance` runs it.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

/// The answers to calls in a folder with one file.
fn answers(calls: &[Value]) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let (root, state) = (folder.path().join("root"), folder.path().join("state"));
    fs::create_dir(&root).expect("made");
    fs::write(root.join("a.txt"), "one\ntwo\n").expect("written");
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut child = Command::new(env!("CARGO_BIN_EXE_conformance"))
        .args([root.as_path(), &top.join("target/wasm32-wasip2/release")])
        .env("MARQ_STATE_DIR", &state)
        .env("MARQ_CACHE_DIR", top.join("target/test-cache"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let mut input = child.stdin.take().expect("input");
    calls.iter().for_each(|call| writeln!(input, "{call}").expect("written"));
    drop(input);
    let output = child.wait_with_output().expect("ended");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn each_call_has_one_answer() {
    let answers = answers(&[
        json!({ "tool": "file_read", "arguments": { "file": "a.txt", "lines": "2" } }),
        json!({ "tool": "file_move", "arguments": { "source": "a.txt", "destination": "b.txt" } }),
        json!({ "tool": "file_read", "arguments": { "file": "a.txt" } }),
        json!({ "tool": "file_read", "arguments": { "file": "b.txt", "limt": 1 } }),
        json!({ "tool": "file_history", "arguments": {} }),
    ]);
    assert_eq!(answers.len(), 5);
    assert_eq!(answers[0]["result"]["content"], "two");
    assert_eq!(answers[1]["result"]["moved"], true);
    assert_eq!(answers[2]["error"]["kind"], "FileNotFound");
    assert!(answers[2]["text"].as_str().is_some_and(|text| text.starts_with("FileNotFound: `a.txt`")), "{answers:?}");
    assert_eq!(answers[3]["error"]["candidates"], json!(["limit"]));
    assert_eq!(answers[4]["result"]["changes"][0]["client"], "conformance 1");
}
