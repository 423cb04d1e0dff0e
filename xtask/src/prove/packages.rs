//! Measures moves, renames and queries for references and members in the sources of npm packages.

use std::{fs, process::Command};

use anyhow::{Context, Result, bail};

use super::{Run, setup};
use crate::{
    measure::{subject::Subject, workspace_calls},
    shell::{begin_step, top},
};

/// Packages that are published with their sources. `e2e/projects` has a file for each. The type checker takes seconds
/// for the first package, and minutes for the others.
pub(super) const PACKAGES: [&str; 4] = ["rxjs", "zod", "effect", "viem"];

/// Measures each package.
pub(super) fn run(run: &Run) -> Result<()> {
    for package in selected_packages(run)? {
        begin_step(&format!("the sources of {package}"));
        let folder = setup::folder(&format!("package-{package}"));
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        let made = Command::new("node").arg(top().join("e2e/make.mjs")).arg(package).arg(&folder).output();
        let made = made.context("cannot start `node`")?;
        if !made.status.success() {
            bail!("{package}: {}", String::from_utf8_lossy(&made.stderr));
        }
        let subject: Subject = serde_json::from_slice(&made.stdout)?;
        workspace_calls::measure_subject(run, &folder, &subject)?;
    }
    Ok(())
}

/// The packages that `--only` selects; the first of them in a sampled run.
pub(super) fn selected_packages(run: &Run) -> Result<Vec<&'static str>> {
    let packages = run.select_by_name(PACKAGES.to_vec(), |package| package)?;
    Ok(if run.is_sampled() { packages[..1].to_vec() } else { packages })
}
