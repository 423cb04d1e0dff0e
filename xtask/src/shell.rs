//! Runs programs at the top of the repository.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::{Mutex, PoisonError},
    time::Instant,
};

use anyhow::{Context, Result, bail};

/// The top folder of the repository.
pub(crate) fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the tree").to_owned()
}

/// The cache folder (compiled packs, indices) of marq in all tests and proofs, so that packs are compiled once.
pub(crate) fn cache_folder() -> PathBuf {
    top().join("target/test-cache")
}

/// Creates a command that runs at the top of the repository. Programs of marq that it starts use [`cache_folder`].
pub(crate) fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(top()).env("MARQ_CACHE_DIR", cache_folder());
    command
}

/// Runs a command. Returns an error if the command fails.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Result<()> {
    let status = command(program, arguments).status().with_context(|| format!("`{program}` cannot be started"))?;
    if !status.success() {
        bail!("`{program} {}` failed", arguments.join(" "));
    }
    Ok(())
}

/// The time at which the current step began.
static STEP_STARTED: Mutex<Option<Instant>> = Mutex::new(None);

/// Announces a step, and ends the previous one.
pub(crate) fn begin_step(what: &str) {
    end_step();
    println!("==> {what}");
    *STEP_STARTED.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
}

/// Ends the current step, and prints its duration if it took at least a second.
pub(crate) fn end_step() {
    let began = STEP_STARTED.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(seconds) = began.map(|began| began.elapsed().as_secs()).filter(|seconds| *seconds > 0) {
        println!("    {seconds} s");
    }
}

/// The folders of all plugins: language packs, and integrations of editors.
const PLUGINS: [&str; 2] = [LANGUAGES, EDITORS];
pub(crate) const LANGUAGES: &str = "plugins/languages";
pub(crate) const EDITORS: &str = "plugins/editors";

/// Returns the names of all plugins.
pub(crate) fn plugins() -> Result<Vec<String>> {
    let lists = PLUGINS.iter().map(|folder| crates(folder)).collect::<Result<Vec<_>>>()?;
    Ok(lists.concat())
}

/// Returns the names of the subfolders with a crate, for a folder of the repository.
fn crates(folder: &str) -> Result<Vec<String>> {
    crates_below(&top().join(folder))
}

/// Returns the names of the subfolders with a crate.
pub(crate) fn crates_below(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.path().join("Cargo.toml").is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}
