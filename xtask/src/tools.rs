//! Third-party tools for checks and proofs, installed below `target/tools` or found on the path.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use anyhow::Result;

use crate::shell::{self, begin_step, top};

/// Tools from crates, with their versions.
const CRATES: [(&str, &str); 7] = [
    ("cargo-deny", "0.20.2"),
    ("cargo-mutants", "27.1.0"),
    ("jaq", "3.1.2"),
    ("htmlq", "0.4.0"),
    ("mdq", "0.10.0"),
    ("taplo-cli", "0.10.0"),
    ("toml-cli", "0.2.3"),
];

/// Tools from npm packages.
const PACKAGES: [Package; 2] = [
    Package {
        tool: "ast-grep",
        name: "@ast-grep/cli",
        version: "0.51.1",
        platforms: "@ast-grep/cli-",
        program: "ast-grep",
    },
    Package {
        tool: "rg",
        name: "@vscode/ripgrep",
        version: "1.18.0",
        platforms: "@vscode/ripgrep-",
        program: "bin/rg",
    },
];

struct Package {
    tool: &'static str,
    name: &'static str,
    version: &'static str,
    /// The prefix of the names of the platform-specific packages.
    platforms: &'static str,
    /// The path of the program in a platform-specific package.
    program: &'static str,
}

/// The npm packages of `e2e`, which include tsserver, ts-morph and the native TypeScript server.
const E2E: &str = "e2e";

const FOLDER: &str = "target/tools";

/// Returns the names of all tools.
pub(crate) fn names() -> Vec<&'static str> {
    let crates = CRATES.iter().map(|(name, _)| *name);
    crates.chain(PACKAGES.iter().map(|package| package.tool)).chain([E2E]).collect()
}

/// Installs the named tools, or all.
pub(crate) fn install(only: &[String]) -> Result<()> {
    let is_wanted = |name: &str| only.is_empty() || only.iter().any(|wanted| wanted == name);
    for (name, version) in CRATES.iter().filter(|(name, _)| is_wanted(name)) {
        begin_step(&format!("{name} {version}"));
        shell::run("cargo", &["install", "--quiet", "--root", FOLDER, "--version", version, "--locked", name])?;
    }
    for package in PACKAGES.iter().filter(|package| is_wanted(package.tool)) {
        let named = format!("{}@{}", package.name, package.version);
        begin_step(&named);
        let flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
        shell::run("npm", &[&["install", "--prefix", &npm_folder(), &named], &flags[..]].concat())?;
    }
    if is_wanted(E2E) {
        install_e2e()?;
    }
    if only.is_empty() {
        println!("    jq, yq, xmllint and xmlstarlet come with the system's packages");
    }
    Ok(())
}

/// Installs the npm packages of `e2e`.
pub(crate) fn install_e2e() -> Result<()> {
    begin_step("the peers and the packages, as e2e/package-lock.json pins them");
    shell::run("npm", &["ci", "--prefix", E2E, "--no-audit", "--no-fund", "--loglevel=error"])
}

/// The compiler that links for other systems, and the subcommand of cargo that calls it.
const ZIG: [&str; 2] = ["ziglang==0.17.1", "cargo-zigbuild==0.24.1"];

/// Installs the linker for other systems. Returns the folder of its programs.
pub(crate) fn install_zig() -> Result<PathBuf> {
    let folder = top().join(FOLDER).join("zig");
    let bin = folder.join("bin");
    if !bin.join("cargo-zigbuild").is_file() {
        begin_step("the linker for other systems, installed below target/tools");
        shell::run("python3", &["-m", "venv", &folder.to_string_lossy()])?;
        let pip = bin.join("pip").to_string_lossy().into_owned();
        shell::run(&pip, &[&["install", "--quiet"], &ZIG[..]].concat())?;
    }
    Ok(bin)
}

/// Finds a program below `target/tools`, or on the path.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let package = PACKAGES.iter().find(|package| package.tool == program);
    if let Some(found) = package.and_then(find_in_npm) {
        return Some(found);
    }
    let paths = env::var_os("PATH").unwrap_or_default();
    let own = top().join(FOLDER).join("bin");
    std::iter::once(own).chain(env::split_paths(&paths)).map(|path| path.join(program)).find(|path| path.is_file())
}

fn npm_folder() -> String {
    format!("{FOLDER}/npm")
}

/// Finds a program in the npm package for this platform.
fn find_in_npm(package: &Package) -> Option<PathBuf> {
    let (scope, start) = package.platforms.split_once('/')?;
    let folders = fs::read_dir(top().join(npm_folder()).join("node_modules").join(scope)).ok()?;
    let is_of_platform =
        |folder: &PathBuf| folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start));
    let program = |folder: PathBuf| Path::new(&folder).join(package.program);
    folders.filter_map(|entry| Some(entry.ok()?.path())).filter(is_of_platform).map(program).find(|path| path.is_file())
}
