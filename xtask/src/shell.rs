//! Running programs, from the top of the source tree.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

/// The top of the source tree.
pub(crate) fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the tree").to_owned()
}

/// A command that starts at the top of the tree.
pub(crate) fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(top());
    command
}

/// Run it; its failure is ours.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Result<()> {
    let status = command(program, arguments).status().with_context(|| format!("`{program}` cannot be started"))?;
    if !status.success() {
        bail!("`{program} {}` failed", arguments.join(" "));
    }
    Ok(())
}

/// A step, announced.
pub(crate) fn step(what: &str) {
    println!("==> {what}");
}

/// The folder names below a folder of the tree that hold a crate.
pub(crate) fn crates(folder: &str) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(top().join(folder))? {
        let entry = entry?;
        if entry.path().join("Cargo.toml").is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}
