//! Runs the tests.

use anyhow::{Result, ensure};

use crate::shell::{self, begin_step};

/// Cargo arguments that select the tests. Building the tests also builds the programs. A separate build of the program
/// would compile it again, without the features that only tests enable.
pub(crate) const SELECTION: [&str; 1] = ["--workspace"];

/// The program that the tests build.
pub(crate) const PROGRAM: &str = "target/debug/marq";

/// Builds the program and the tests.
pub(crate) fn build() -> Result<()> {
    shell::run("cargo", &[&["test", "--quiet", "--no-run"], &SELECTION[..]].concat())
}

/// Runs the tests of all crates. The components must have been built before. Reports all failures, and repeats their
/// names at the end.
pub(crate) fn run() -> Result<()> {
    begin_step("tests: native tests, the laws of every pack as WebAssembly, misbehaving plugins, the `marq` program");
    let arguments = [&["test", "--quiet", "--no-fail-fast"], &SELECTION[..]].concat();
    // The test harness prints the line `---- NAME stdout ----` above the output of each failed test.
    let is_failure = |line: &str| line.starts_with("---- ") && line.ends_with(" ----");
    let (passed, failures) = shell::run_and_keep("cargo", &arguments, is_failure)?;
    ensure!(passed, "tests failed:\n    {}", failures.join("\n    "));
    Ok(())
}
