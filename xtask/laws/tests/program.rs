//! Runs the program `laws` on a few documents. Cargo builds the program for this test, and `cargo xtask prove laws`
//! runs it.

use std::{path::Path, process::Command};

#[test]
fn laws_prints_a_row_for_each_extension() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let arguments = ["examples/shop", "--most", "1", "--only", "json,md", "--seed", "2"];
    let output = Command::new(env!("CARGO_BIN_EXE_laws")).args(arguments).current_dir(top).output().expect("started");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let rows: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(rows, ["format", "json", "md"]);
}
