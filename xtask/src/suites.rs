//! The public conformance suites: a folder outside the tree, read only where the environment names it.

use std::{env, path::PathBuf};

use anyhow::{Result, ensure};

use crate::shell::top;

/// The variable that names the folder. Tests of packs and of the host read it as well.
const VARIABLE: &str = "MARQ_SUITES";

/// The folder, if one is told of; relative to the top of the tree.
pub(crate) fn folder() -> Result<Option<PathBuf>> {
    let Some(folder) = env::var_os(VARIABLE).filter(|folder| !folder.is_empty()) else { return Ok(None) };
    let folder = top().join(folder);
    ensure!(folder.join("run.py").is_file(), "{VARIABLE}: {} is no folder of suites", folder.display());
    Ok(Some(folder))
}
