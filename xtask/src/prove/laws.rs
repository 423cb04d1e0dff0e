//! Checks the laws (properties that every pack must satisfy) for all packs, through the sandbox, on the documents of
//! folders and suites.

use anyhow::Result;

use super::{Run, suites};
use crate::shell;

/// Runs `laws` on the given folders, or on this tree and the suites.
pub(super) fn run(run: &Run) -> Result<()> {
    let mut folders: Vec<String> = run.folders().iter().map(|folder| folder.to_string_lossy().into_owned()).collect();
    if folders.is_empty() {
        folders.push(".".to_owned());
        folders.extend(suites::folder()?.map(|folder| folder.to_string_lossy().into_owned()));
    }
    if !run.only().is_empty() {
        folders.push(format!("--only={}", run.only().join(",")));
    }
    folders.push("--least=1".to_owned());
    run_tool(run, folders)
}

/// Runs `laws` with these arguments, the sample and the seed.
pub(super) fn run_tool(run: &Run, mut arguments: Vec<String>) -> Result<()> {
    arguments.push(format!("--seed={}", run.seed()));
    arguments.extend(run.sample().map(|sample| format!("--most={sample}")));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    shell::run(&run.tool("laws")?.to_string_lossy(), &arguments)
}
