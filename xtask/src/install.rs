//! Installs the program, its packs, and a lock file with their digests.

use std::{fs, path::PathBuf};

use anyhow::{Context, Result};

use crate::{
    plugins,
    shell::{self, begin_step, top},
};

/// Builds for release and copies to `PREFIX/bin` and `PREFIX/lib/marquetry/plugins`.
fn install(prefix: PathBuf) -> Result<()> {
    begin_step("the language packs");
    plugins::build(&[])?;
    begin_step("the program marq");
    shell::run("cargo", &["build", "--release", "--package", "marquetry"])?;
    let (bin, lib) = (prefix.join("bin"), prefix.join("lib/marquetry/plugins"));
    fs::create_dir_all(&bin)?;
    fs::create_dir_all(&lib)?;
    copy(top().join("target/release/marq"), bin.join("marq"))?;
    for name in shell::plugins()? {
        let file = format!("marquetry_{}.wasm", name.replace('-', "_"));
        copy(top().join(plugins::FOLDER).join(file), lib.join(format!("{name}.wasm")))?;
    }
    begin_step("compiling the packs for this machine, once");
    shell::run(bin.join("marq").to_str().context("the path is not UTF-8")?, &["doctor"])?;
    println!("installed {}", bin.join("marq").display());
    Ok(())
}

/// Copies a file and renames it into place, so that a running program keeps its old file.
fn copy(from: PathBuf, to: PathBuf) -> Result<()> {
    let new = to.with_extension("new");
    fs::copy(&from, &new).with_context(|| format!("{} cannot be copied", from.display()))?;
    fs::rename(&new, &to).with_context(|| format!("{} cannot be replaced", to.display()))
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
