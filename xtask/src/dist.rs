//! Builds the program for all targets, makes its packages, and tries them in clean folders.

mod attempts;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;

use crate::{
    bundle::{self, Build},
    shell::{self, begin_step, command, top},
    tools,
};

/// The folder of the packages.
pub(crate) const FOLDER: &str = "target/dist";

#[derive(Args)]
pub(crate) struct Dist {
    /// Only these targets, as rustc names them [default: all that can be built on this machine]
    #[arg(long = "target")]
    targets: Vec<String>,
    /// Pack this program instead of building one; needs one `--target`
    #[arg(long)]
    program: Option<PathBuf>,
    /// Install each package of this machine in a clean folder and use it, instead of making packages
    #[arg(long = "try")]
    attempt: bool,
}

/// Targets that a Linux machine can link. Programs for macOS need the libraries of its SDK, so the release workflow builds
/// them on macOS.
const LINKED_BY_ZIG: [&str; 3] = ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl", "x86_64-pc-windows-gnu"];

pub(crate) fn run(flags: &Dist) -> Result<()> {
    if flags.attempt {
        return attempts::run_all();
    }
    let targets =
        if flags.targets.is_empty() { LINKED_BY_ZIG.map(str::to_owned).to_vec() } else { flags.targets.clone() };
    ensure!(flags.program.is_none() || targets.len() == 1, "`--program` needs one `--target`");
    for target in &targets {
        let program = match &flags.program {
            Some(program) => program.clone(),
            None => build(target)?,
        };
        begin_step(&format!("the packages for {target}"));
        pack(&["pack", "--target", target, "--program", &program.to_string_lossy()])?;
    }
    begin_step("the files that refer to all packages, and checksums");
    pack(&["index"])
}

/// Builds the program for a target.
fn build(target: &str) -> Result<PathBuf> {
    shell::run("rustup", &["--quiet", "target", "add", target])?;
    if target.contains("apple") {
        return bundle::build(&Build { target: Some(target), cargo: &["cargo", "build"], tools: None });
    }
    let zig = tools::install_zig()?;
    bundle::build(&Build { target: Some(target), cargo: &["cargo-zigbuild", "zigbuild"], tools: Some(zig) })
}

fn pack(arguments: &[&str]) -> Result<()> {
    let folder = top().join(FOLDER);
    let out = folder.to_string_lossy();
    let mut cargo = command("cargo", &["run", "--quiet", "--release", "--package", "dist", "--", "--out", &out]);
    ensure!(cargo.args(arguments).status()?.success(), "the packages were not made");
    Ok(())
}
