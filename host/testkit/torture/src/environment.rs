//! The environment of one runner: the project, its state folders, and the program under test.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal};
use tempfile::TempDir;

use crate::{
    project,
    tree::{self, Tree},
};

/// Time limit for every step.
const LONGEST: Duration = Duration::from_secs(120);

/// A deterministic pseudo-random number generator.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(0x2545_F491_4F6C_DD1D ^ seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % most.max(1)
    }

    pub(crate) fn time(&mut self, most: Duration) -> Duration {
        Duration::from_micros(self.below(usize::try_from(most.as_micros()).unwrap_or(1)) as u64)
    }
}

/// A root and the state folder that it is opened with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RootSetup {
    /// The path of the root, relative to the environment.
    pub(crate) root: &'static str,
    pub(crate) state: &'static str,
    /// The path from the root to the package.
    pub(crate) package: &'static str,
}

pub(crate) const OUTER: RootSetup = RootSetup { root: "project", state: "state", package: "pkg/" };
pub(crate) const INNER: RootSetup = RootSetup { root: "project/pkg", state: "state", package: "" };
pub(crate) const ABOVE: RootSetup = RootSetup { root: "", state: "other", package: "project/pkg/" };
pub(crate) const ELSEWHERE: RootSetup = RootSetup { state: "other", ..OUTER };
pub(crate) const LINKED: RootSetup = RootSetup { root: "named/project", ..OUTER };
pub(crate) const RENAMED: RootSetup = RootSetup { root: "renamed", ..OUTER };

/// The folder of one runner.
pub(crate) struct Environment {
    folder: TempDir,
    program: PathBuf,
    cache: PathBuf,
    /// A command that runs the program with fewer privileges; may be empty.
    privilege_prefix: Vec<&'static str>,
}

impl Environment {
    pub(crate) fn new(program: &Path, cache: &Path, below: &Path) -> Result<Environment> {
        let folder = TempDir::new_in(below)?;
        // Creates a symbolic link, so that roots can also be opened through it.
        symlink(folder.path(), folder.path().join("named"))?;
        Ok(Environment { folder, program: program.to_owned(), cache: cache.to_owned(), privilege_prefix: Vec::new() })
    }

    /// Runs the program through a command that drops privileges.
    pub(crate) fn with_prefix(self, weak: Vec<&'static str>) -> Environment {
        Environment { privilege_prefix: weak, ..self }
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.path("project")
    }

    pub(crate) fn tree(&self) -> Result<Tree> {
        tree::read(&self.project()).context("the project")
    }

    /// Restores the project to the given state.
    pub(crate) fn reset(&self, to: &Tree) -> Result<()> {
        if self.project().is_dir() && self.tree().is_ok_and(|now| now == *to) {
            return Ok(());
        }
        tree::write(&self.project(), to)?;
        Ok(())
    }

    /// Builds a command of the program, for a root.
    pub(crate) fn command(&self, way: RootSetup, words: &[&str]) -> Command {
        let mut command = match self.privilege_prefix.split_first() {
            None => Command::new(&self.program),
            Some((by, arguments)) => {
                let mut command = Command::new(by);
                command.args(arguments).arg(&self.program);
                command
            }
        };
        command.args(project::command(words, way.package)).arg("--root").arg(self.path(way.root));
        self.set_environment(&mut command, way);
        command
    }

    /// Like `command`, but with a limit on the file size in blocks (`ulimit -f`).
    pub(crate) fn limited(&self, way: RootSetup, words: &[&str], blocks: usize) -> Command {
        let mut command = Command::new("sh");
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        command.arg("-c").arg(script).arg(&self.program);
        command.args(project::command(words, way.package)).arg("--root").arg(self.path(way.root));
        self.set_environment(&mut command, way);
        command
    }

    fn set_environment(&self, command: &mut Command, way: RootSetup) {
        command.current_dir(self.folder.path()).env("MARQ_STATE_DIR", self.path(way.state));
        command.env("MARQ_CACHE_DIR", &self.cache).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, mut command: Command) -> Result<ProcessResult> {
        ProcessResult::wait(command.spawn()?)
    }

    /// Runs a command that must succeed.
    pub(crate) fn run_successfully(&self, way: RootSetup, words: &[&str]) -> Result<()> {
        let ended = self.run(self.command(way, words))?;
        if ended.code != Some(0) {
            bail!("{words:?} at {}: {}", way.root, ended.output);
        }
        Ok(())
    }

    /// Returns whether a change is in progress or was interrupted.
    pub(crate) fn is_change_in_progress(&self) -> bool {
        let folders = ["project", "project/pkg", "project/pkg/src", "project/pkg/assets"];
        folders.iter().any(|folder| self.path(folder).join(".marq-journal").symlink_metadata().is_ok())
    }

    /// Waits until a change is in progress. Returns false if the process ended first.
    pub(crate) fn wait_for_change(&self, child: &mut Child) -> Result<bool> {
        let started = Instant::now();
        while child.try_wait()?.is_none() {
            if self.is_change_in_progress() {
                return Ok(true);
            }
            if started.elapsed() > LONGEST {
                bail!("nothing was changed for too long");
            }
            thread::sleep(Duration::from_micros(50));
        }
        Ok(false)
    }

    /// Makes all folders writable again.
    pub(crate) fn restore_permissions(&self) -> Result<()> {
        let mut folders = vec![self.project()];
        while let Some(folder) = folders.pop() {
            fs::set_permissions(&folder, fs::Permissions::from_mode(0o755))?;
            for entry in fs::read_dir(&folder)? {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    folders.push(entry.path());
                }
            }
        }
        Ok(())
    }
}

/// The result of a process.
pub(crate) struct ProcessResult {
    /// The exit code; `None` if the process was killed by a signal.
    pub(crate) code: Option<i32>,
    /// Its output on both streams.
    pub(crate) output: String,
}

impl ProcessResult {
    pub(crate) fn wait(child: Child) -> Result<ProcessResult> {
        let output = child.wait_with_output()?;
        let output_bytes = [output.stderr, output.stdout].concat();
        Ok(ProcessResult { code: output.status.code(), output: String::from_utf8_lossy(&output_bytes).into_owned() })
    }
}

/// Sends a signal to a process, unless it has ended.
pub(crate) fn signal(child: &Child, signal: Signal) {
    if let Some(process) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = rustix::process::kill_process(process, signal);
    }
}
