//! Makes the packages of the program: archives, npm and Debian packages, wheels, bundles for MCP clients, and the
//! manifests of package managers. It packs programs that are already built and never uses the network.

mod archive;
mod deb;
mod files;
mod manifests;
mod mcpb;
mod npm;
mod project;
mod sbom;
mod target;
mod wheel;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, bail, ensure};
use clap::{Parser, Subcommand};

use crate::{
    project::Project,
    target::{TARGETS, Target},
};

#[derive(Parser)]
#[command(name = "dist", about = "Makes the packages of marq")]
struct Flags {
    /// The folder for the packages
    #[arg(long, default_value = "target/dist")]
    out: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Pack a program that was built for a target
    Pack {
        /// The target, as rustc names it
        #[arg(long)]
        target: String,
        /// The program
        #[arg(long)]
        program: PathBuf,
    },
    /// Make the files that refer to all targets: the npm package, the manifests of package managers, checksums
    Index,
    /// List the targets
    Targets,
}

fn main() -> ExitCode {
    match run(&Flags::parse()) {
        Ok(lines) => {
            files::print(&lines);
            ExitCode::SUCCESS
        }
        Err(error) => {
            files::print(&[format!("error: {error:#}")]);
            ExitCode::FAILURE
        }
    }
}

/// Runs a command. Returns the lines to print.
fn run(flags: &Flags) -> Result<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).context("the repository")?;
    let project = Project::read(root)?;
    match &flags.command {
        Command::Pack { target, program } => pack(&project, Target::find(target)?, program, &flags.out),
        Command::Index => index(&project, &flags.out),
        Command::Targets => Ok(TARGETS.iter().map(|target| target.triple.to_owned()).collect()),
    }
}

/// Makes the packages of one target.
fn pack(project: &Project, target: &Target, program: &Path, out: &Path) -> Result<Vec<String>> {
    let program = files::read(program)?;
    ensure!(!program.is_empty(), "the program is empty");
    let bundle = target.bundle_platform.map(|_| mcpb::bundle(project, target, &program)).transpose()?;
    let debian = target.debian.map(|architecture| deb::package(project, architecture, &program)).transpose()?;
    let packages = [
        Some((archive::name(project, target), archive::archive(project, target, &program)?)),
        Some((npm::platform_file(project, target), npm::platform_package(project, target, &program)?)),
        Some((wheel::file_name(project, target), wheel::wheel(project, target, &program)?)),
        bundle.map(|bundle| (mcpb::file_name(project, target), bundle)),
        debian.map(|package| (deb::file_name(project, target), package)),
    ];
    packages.into_iter().flatten().map(|(name, bytes)| files::store(out, &name, &bytes)).collect()
}

/// Makes the files that refer to the archives of all targets, and the checksums of all packages.
fn index(project: &Project, out: &Path) -> Result<Vec<String>> {
    let archives = manifests::Archives::read(project, out)?;
    if archives.is_empty() {
        bail!("{} has no archives: pack the program of a target first", out.display());
    }
    let mut lines = vec![
        files::store(out, &npm::main_file(project), &npm::main_package(project)?)?,
        files::store(out, "sbom.cdx.json", sbom::sbom(project)?.as_bytes())?,
    ];
    for (name, text) in manifests::filled_templates(project, &archives) {
        lines.push(files::store(out, &name, text.as_bytes())?);
    }
    lines.push(files::store(out, files::CHECKSUMS, files::checksums(out)?.as_bytes())?);
    Ok(lines)
}
