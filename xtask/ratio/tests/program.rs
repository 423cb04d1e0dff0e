//! The program `ratio` on a small document. Cargo builds the program for this test, and `cargo xtask prove sandbox` runs it.

use std::{path::Path, process::Command};

#[test]
fn ratio_prints_two_times_and_their_ratio() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/shop/package.json");
    let output = Command::new(env!("CARGO_BIN_EXE_ratio")).arg("1").arg(file).arg("$.name").output().expect("started");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let figures: Vec<f64> = text.split_whitespace().map(|figure| figure.parse().expect("a number")).collect();
    assert_eq!(figures.len(), 3, "{text}");
}
