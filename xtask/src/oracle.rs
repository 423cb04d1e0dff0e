//! Compares the expected results of the Extism tests with Extism's own host.
//!
//! Extism depends on another version of the engine, so it is built in a separate workspace. The first build takes
//! minutes. The comparison runs only if a command names it.

use std::{env, fs, process::Stdio};

use anyhow::{Context, Result, bail};

use crate::shell::{begin_step, command, top};

const MANIFEST: &str = "e2e/oracle/Cargo.toml";
/// The expected results.
const TRANSCRIPT: &str = "host/runtime/tests/extism/oracle.txt";

/// Runs Extism's host. `BLESS=1` updates the expected results.
pub(crate) fn run() -> Result<()> {
    begin_step("Extism's own host, as e2e/oracle/Cargo.lock pins it, and its answers");
    let target = top().join("target/oracle");
    let root = top().to_string_lossy().into_owned();
    let arguments = ["run", "--quiet", "--locked", "--manifest-path", MANIFEST, "--", &root];
    let mut cargo = command("cargo", &arguments);
    cargo.env("CARGO_TARGET_DIR", &target).stderr(Stdio::inherit());
    let output = cargo.output().context("`cargo` cannot be started")?;
    if !output.status.success() {
        bail!("the oracle does not answer");
    }
    let now = String::from_utf8(output.stdout)?;
    let file = top().join(TRANSCRIPT);
    let committed = fs::read_to_string(&file)?;
    if now == committed {
        println!(
            "    {} calls, answered as {TRANSCRIPT} says",
            now.lines().filter(|line| line.starts_with("> ")).count()
        );
        return Ok(());
    }
    if env::var_os("BLESS").is_some() {
        fs::write(&file, now)?;
        println!("    wrote {TRANSCRIPT}; `cargo test --package marquetry-runtime --lib extism` compares ours");
        return Ok(());
    }
    let lines = committed.lines().zip(now.lines()).enumerate();
    let (number, (was, is)) = lines.into_iter().find(|(_, (was, is))| was != is).context("one of them is shorter")?;
    bail!("{TRANSCRIPT}:{} says\n{was}\nand Extism answers\n{is}\nBLESS=1 accepts it", number + 1)
}
