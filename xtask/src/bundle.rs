//! Builds the program with its plugins inside.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::{
    plugins,
    shell::{self, begin_step, command, top},
};

/// Both packages, so that they are built with the same features of the crates that they share.
const PACKAGES: [&str; 4] = ["--package", "bundle", "--package", "marquetry-cli"];

/// A call of cargo: directly, or by a tool that links for other systems.
pub(crate) struct Build<'a> {
    /// The target; `None` for this machine.
    pub(crate) target: Option<&'a str>,
    /// The program and arguments before the packages.
    pub(crate) cargo: &'a [&'a str],
    /// The folder of the program that links, added to the path.
    pub(crate) tools: Option<PathBuf>,
}

/// Builds the plugins, their parts, and the program for a target. Returns the program.
pub(crate) fn build(build: &Build<'_>) -> Result<PathBuf> {
    begin_step("the language packs, and the integrations of editors");
    plugins::build(&[])?;
    let host = host()?;
    let target = build.target.unwrap_or(&host);
    begin_step(&format!("the code of the plugins, for {target}"));
    let parts = parts(target, &host)?;
    begin_step(&format!("the program marq with its plugins, for {target}"));
    let [program, arguments @ ..] = build.cargo else { anyhow::bail!("no program builds it") };
    let mut cargo = command(program, arguments);
    cargo.args(["--release", "--bin", "marq", "--features", "marquetry-cli/bundle"]).args(PACKAGES);
    if let Some(target) = build.target {
        cargo.args(["--target", target]);
    }
    if let Some(tools) = &build.tools {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let all = std::iter::once(tools.clone()).chain(std::env::split_paths(&path));
        cargo.env("PATH", std::env::join_paths(all)?);
    }
    let status = cargo.env("MARQ_BUNDLE", &parts).status().with_context(|| format!("`{program}` cannot be started"))?;
    anyhow::ensure!(status.success(), "the program was not built");
    let folder = build.target.map_or_else(|| top().join("target"), |target| top().join("target").join(target));
    let file = if target.contains("windows") { "marq.exe" } else { "marq" };
    Ok(folder.join("release").join(file))
}

/// Makes the parts of all plugins for a target. Returns their folder.
fn parts(target: &str, host: &str) -> Result<PathBuf> {
    let out = top().join("target/bundle").join(target);
    let mut build = vec!["build", "--quiet", "--release", "--bin", "bundle"];
    build.extend(PACKAGES);
    if target.split('-').next() != host.split('-').next() {
        build.extend(["--features", "bundle/cross"]);
    }
    shell::run("cargo", &build)?;
    // Parts of plugins that no longer exist would stay in the program.
    let names = shell::plugins()?;
    for entry in std::fs::read_dir(&out).into_iter().flatten() {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !names.iter().any(|known| name.split('.').next() == Some(known)) {
            std::fs::remove_file(&path)?;
        }
    }
    let folder = out.to_string_lossy();
    let file = |name: &String| format!("{name}={}/marquetry_{}.wasm", plugins::FOLDER, name.replace('-', "_"));
    let files: Vec<String> = names.iter().map(file).collect();
    let arguments = ["--target", target, "--out", &folder];
    let files = files.iter().map(String::as_str);
    shell::run("target/release/bundle", &arguments.into_iter().chain(files).collect::<Vec<_>>())?;
    Ok(out)
}

/// Returns the target of this machine.
fn host() -> Result<String> {
    let output = command("rustc", &["-vV"]).output().context("`rustc` cannot be started")?;
    let text = String::from_utf8(output.stdout)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not name its host")?.to_owned())
}
