//! Random edits of real files, verified with independent parsers.

use std::{
    env,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};

use super::{Run, setup};
use crate::{
    measure::process::state_folder,
    shell::{command, top},
};

/// Number of edits of a complete run.
const COMPLETE: usize = 30_000;

/// Edits files of the given folders. By default: files of this tree and of all crates that cargo has fetched.
pub(super) fn run(run: &Run) -> Result<()> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo"))).context("the folder of cargo is not known")?;
    run_script(run, "edits.py", COMPLETE, &[top().to_owned(), home.join("registry/src")])
}

/// Runs a script of `xtask/edits` on the given folders, or on the `default` ones.
pub(super) fn run_script(run: &Run, name: &str, complete: usize, default: &[PathBuf]) -> Result<()> {
    let work = setup::empty_folder("edits")?;
    let script = top().join("xtask/edits").join(name);
    let folders = if run.folders().is_empty() { default } else { run.folders() };
    let (count, seed) = (run.sample().unwrap_or(complete).to_string(), run.seed().to_string());
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let (script, program, place) = (text(&script), text(run.program()), text(&work));
    let mut arguments = vec![script.as_str(), "--marq", &program, "--work", &place, "--count", &count, "--seed", &seed];
    let folders: Vec<String> = folders.iter().map(|folder| text(folder)).collect();
    arguments.extend(folders.iter().map(String::as_str));
    let mut python = command("python3", &arguments);
    python.env("MARQ_STATE_DIR", state_folder(&work)).env("PYTHONDONTWRITEBYTECODE", "1");
    ensure!(python.status().context("cannot start `python3`")?.success(), "`{name}` found edits that are wrong");
    Ok(())
}
