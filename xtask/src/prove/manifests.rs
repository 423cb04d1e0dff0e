//! Checks the laws (properties that every pack must satisfy) for every address in the manifests of all crates that
//! cargo has fetched.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use super::{Run, laws, setup};

/// Minimum number of manifests. Cargo has fetched at least the dependencies of this project, so fewer manifests mean an
/// error.
const LEAST: usize = 1000;

/// Copies the manifests, both as published and as written by their authors, and runs `laws` on them and on the given
/// folders.
pub(super) fn run(run: &Run) -> Result<()> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo"))).context("the folder of cargo is not known")?;
    let folder = setup::empty_folder("manifests")?;
    for registry in fs::read_dir(home.join("registry/src")).context("cargo has not fetched any crates")? {
        for package in fs::read_dir(registry?.path())? {
            let package = package?.path();
            copy(&package.join("Cargo.toml"), &folder.join("published"), &package)?;
            copy(&package.join("Cargo.toml.orig"), &folder.join("written"), &package)?;
        }
    }
    let mut arguments = vec![folder.to_string_lossy().into_owned()];
    arguments.extend(run.folders().iter().map(|folder| folder.to_string_lossy().into_owned()));
    arguments.extend(["--only=toml", "--every", "--also=$..*"].map(str::to_owned));
    arguments.push(format!("--least={}", if run.is_sampled() { 1 } else { LEAST }));
    laws::run_tool(run, arguments)
}

/// Copies a manifest, if it exists, under the name that packs recognize.
fn copy(manifest: &Path, to: &Path, package: &Path) -> Result<()> {
    if !manifest.is_file() {
        return Ok(());
    }
    let folder = to.join(package.file_name().context("a package has a name")?);
    fs::create_dir_all(&folder)?;
    fs::copy(manifest, folder.join("Cargo.toml"))?;
    Ok(())
}
