//! Installs the program, which contains its plugins.

use std::{fs, path::PathBuf};

use anyhow::{Context, Result};

use crate::bundle::{self, Build};

/// Builds for release and copies the program to `PREFIX/bin`.
fn install(prefix: PathBuf) -> Result<()> {
    let program = bundle::build(&Build { target: None, cargo: &["cargo", "build"], tools: None })?;
    let bin = prefix.join("bin");
    fs::create_dir_all(&bin)?;
    let installed = bin.join("marq");
    // The rename replaces the program at once, also while the old one runs.
    let new = installed.with_extension("new");
    fs::copy(&program, &new).with_context(|| format!("{} cannot be copied", program.display()))?;
    fs::rename(&new, &installed).with_context(|| format!("{} cannot be replaced", installed.display()))?;
    println!("installed {}", installed.display());
    Ok(())
}

pub(crate) fn run(prefix: Option<String>) -> Result<()> {
    let from_environment = || std::env::var_os("PREFIX").filter(|prefix| !prefix.is_empty()).map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local"));
    install(
        prefix
            .map(PathBuf::from)
            .or_else(from_environment)
            .or_else(home)
            .context("neither a prefix nor HOME is set")?,
    )
}
