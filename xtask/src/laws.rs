//! The laws of every pack on many documents: of the public suites, of any folders, or the manifests of crates.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::{shell, suites};

/// The word for the manifests of all packages that cargo has fetched, and of folders that follow it.
const MANIFESTS: &str = "manifests";
/// Manifests of which none has an address that does not keep its promise.
const LEAST: &str = "1000";

/// Check them in the folders; with none given, on our own tree and the suites that `MARQ_SUITES` tells of.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let manifests;
    let arguments = match arguments.split_first() {
        Some((word, folders)) if word == MANIFESTS => {
            manifests = of_manifests(folders)?;
            &manifests
        }
        _ => arguments,
    };
    let mut all = vec!["run", "--quiet", "--release", "--package", "laws", "--"];
    all.extend(arguments.iter().map(String::as_str));
    let suites = suites::folder()?.map(|folder| folder.to_string_lossy().into_owned());
    if !arguments.iter().any(|argument| shell::top().join(argument).is_dir()) {
        all.push(".");
        all.extend(suites.as_deref());
    }
    shell::run("cargo", &all)
}

/// What asks for every address of every manifest: those of crates as cargo wrote them for the registry and as their authors did, and
/// all below the folders.
fn of_manifests(folders: &[String]) -> Result<Vec<String>> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo"))).context("cargo's folder is not known")?;
    let place = shell::top().join("target").join(MANIFESTS);
    if place.exists() {
        fs::remove_dir_all(&place)?;
    }
    shell::step("manifests of the packages that cargo has fetched, in target/manifests");
    for registry in fs::read_dir(home.join("registry/src")).context("cargo has fetched nothing yet")? {
        for package in fs::read_dir(registry?.path())? {
            let package = package?.path();
            copy(&package.join("Cargo.toml"), &place.join("published"), &package)?;
            copy(&package.join("Cargo.toml.orig"), &place.join("written"), &package)?;
        }
    }
    let flags = ["--only", "toml", "--every", "--also", "$..*", "--least", LEAST];
    let place = place.to_string_lossy().into_owned();
    Ok(std::iter::once(place).chain(folders.iter().cloned()).chain(flags.map(str::to_owned)).collect())
}

/// Put a manifest of a package into a folder, where there is one; it keeps the name that packs know it by.
fn copy(manifest: &Path, to: &Path, package: &Path) -> Result<()> {
    if !manifest.is_file() {
        return Ok(());
    }
    let folder = to.join(package.file_name().context("a package has a name")?);
    fs::create_dir_all(&folder)?;
    fs::copy(manifest, folder.join("Cargo.toml"))?;
    Ok(())
}
