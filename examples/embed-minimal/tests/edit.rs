//! The program edits the file, and its change has a history. The components must be built.

use std::{fs, path::Path, process::Command};

use marquetry_testkit::components;

#[test]
fn version_is_set_and_the_rest_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("root");
    fs::create_dir(&root).expect("made");
    fs::write(root.join("package.json"), "{\n  \"version\": \"1.0.0\", // now\n  \"name\": \"shop\"\n}\n")
        .expect("written");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_embed-minimal"));
        command.args(arguments).current_dir(&root).env("MARQ_STATE_DIR", folder.path().join("state"));
        command.env("MARQ_CACHE_DIR", components().join("../../test-cache")).output().expect("it runs")
    };
    let packs = components();
    let output = run(&[packs.to_str().expect("text"), "2.0.0"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let diff = String::from_utf8_lossy(&output.stdout);
    assert!(diff.contains("-  \"version\": \"1.0.0\", // now\n+  \"version\": \"2.0.0\", // now\n"), "{diff}");
    let text = fs::read_to_string(root.join("package.json")).expect("text");
    assert_eq!(text, "{\n  \"version\": \"2.0.0\", // now\n  \"name\": \"shop\"\n}\n");
    assert!(Path::new(&folder.path().join("state")).is_dir(), "the history must be kept");
    let output = run(&[]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("embed-minimal PACKS VERSION"));
}
