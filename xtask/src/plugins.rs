//! Builds the language packs as components, and compiles them for this machine.

use std::path::Path;

use anyhow::{Result, ensure};

use crate::shell::{begin_step, command, plugins, run};

/// The folder with the built components.
pub(crate) const FOLDER: &str = "target/wasm32-wasip2/release";
/// The folder with the components of [`build_quickly`].
pub(crate) const QUICK_FOLDER: &str = "target/wasm32-wasip2/quick";

/// Builds all packs, or the named ones.
pub(crate) fn build(only: &[String]) -> Result<()> {
    let mut packs: Vec<String> = plugins()?.into_iter().filter(|name| only.is_empty() || only.contains(name)).collect();
    if only.is_empty() || only.iter().any(|name| name == "hostile") {
        // The hostile plugin for tests of the sandbox.
        packs.push("hostile".to_owned());
    }
    cargo("release", &packs, &[])
}

/// Builds packs for the demo. This takes a fraction of the time, but the packs are larger and slower, and lack optional
/// features.
pub(crate) fn build_quickly(packs: &[&str]) -> Result<()> {
    cargo("quick", packs, &["--no-default-features"])
}

/// Makes a program compile its packs for this machine, into the cache of tests and proofs, so that no test measures or
/// waits for the compiler.
pub(crate) fn compile(program: &Path) -> Result<()> {
    begin_step(&format!("the packs of {}, compiled for this machine", program.display()));
    // Nothing is stored in a cache that is inside the project.
    let output = command(&program.to_string_lossy(), &["--root", "examples/shop", "doctor", "--compile"]).output()?;
    let shown = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success(),
        "`marq doctor --compile` failed:\n{shown}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

fn cargo(profile: &str, packs: &[impl AsRef<str>], features: &[&str]) -> Result<()> {
    let names: Vec<String> = packs.iter().map(|name| format!("--package=marquetry-{}", name.as_ref())).collect();
    let mut arguments = vec!["build", "--quiet", "--target", "wasm32-wasip2", "--profile", profile];
    arguments.extend(features);
    arguments.extend(names.iter().map(String::as_str));
    run("cargo", &arguments)
}
