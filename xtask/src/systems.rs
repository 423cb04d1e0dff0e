//! Other systems than this one: that the code for them compiles. Nothing is run there.

use anyhow::Result;

use crate::shell::{run as command, step};

const SYSTEMS: [&str; 2] = ["x86_64-pc-windows-gnu", "aarch64-apple-darwin"];
/// The crates that say something to the system, and stand on no code generator: that takes minutes for each system.
const CRATES: [&str; 2] = ["marquetry-files", "marquetry-wire"];
/// With the code generator: the whole program.
const PROGRAM: [&str; 1] = ["marquetry"];

/// Check the crates for each system; with `all`, the whole program.
pub(crate) fn check(all: bool) -> Result<()> {
    let crates: &[&str] = if all { &PROGRAM } else { &CRATES };
    for system in SYSTEMS {
        step(&format!("the same for {system}"));
        command("rustup", &["--quiet", "target", "add", system])?;
        let mut arguments = vec!["check", "--quiet", "--target", system];
        arguments.extend(crates.iter().flat_map(|name| ["--package", *name]));
        command("cargo", &arguments)?;
    }
    Ok(())
}
