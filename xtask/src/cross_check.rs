//! Checks that the code compiles for other systems. The code is not run.

use anyhow::Result;

use crate::shell::{begin_step, run as command};

const SYSTEMS: [&str; 2] = ["x86_64-pc-windows-gnu", "aarch64-apple-darwin"];
/// The crates with system-specific code that do not depend on the code generator. Checking the code generator takes
/// minutes for each system.
const CRATES: [&str; 2] = ["marquetry-files", "marquetry-wire"];
/// The whole program, with the code generator.
const PROGRAM: [&str; 1] = ["marquetry-cli"];

/// Checks the crates for each system; with `all`, the whole program.
pub(crate) fn check(all: bool) -> Result<()> {
    let crates: &[&str] = if all { &PROGRAM } else { &CRATES };
    for system in SYSTEMS {
        begin_step(&format!("the same code for {system}"));
        command("rustup", &["--quiet", "target", "add", system])?;
        let mut arguments = vec!["check", "--quiet", "--target", system];
        arguments.extend(crates.iter().flat_map(|name| ["--package", *name]));
        command("cargo", &arguments)?;
    }
    Ok(())
}
