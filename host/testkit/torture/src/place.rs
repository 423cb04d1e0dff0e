//! Where one runner works: the project, its state folders, and the program that changes it.

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

/// Nothing that is done here takes so long.
const LONGEST: Duration = Duration::from_secs(120);

/// Chance that is the same in every run.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Chance {
        Chance(0x2545_F491_4F6C_DD1D ^ seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
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

/// From where a root is opened, and with which state folder.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way {
    /// Below the place.
    pub(crate) root: &'static str,
    pub(crate) state: &'static str,
    /// From the root to the package.
    pub(crate) package: &'static str,
}

pub(crate) const OUTER: Way = Way { root: "project", state: "state", package: "pkg/" };
pub(crate) const INNER: Way = Way { root: "project/pkg", state: "state", package: "" };
pub(crate) const ABOVE: Way = Way { root: "", state: "other", package: "project/pkg/" };
pub(crate) const ELSEWHERE: Way = Way { state: "other", ..OUTER };
pub(crate) const LINKED: Way = Way { root: "named/project", ..OUTER };
pub(crate) const RENAMED: Way = Way { root: "renamed", ..OUTER };

/// One runner's folder.
pub(crate) struct Place {
    folder: TempDir,
    program: PathBuf,
    cache: PathBuf,
    /// What the program is run by, where it is to have less power.
    weak: Vec<&'static str>,
}

impl Place {
    pub(crate) fn new(program: &Path, cache: &Path, below: &Path) -> Result<Place> {
        let folder = TempDir::new_in(below)?;
        // As a root is a folder above others, so it can be named through a link.
        symlink(folder.path(), folder.path().join("named"))?;
        Ok(Place { folder, program: program.to_owned(), cache: cache.to_owned(), weak: Vec::new() })
    }

    /// The same, with the program run by another one that lays down power.
    pub(crate) fn weakened(self, weak: Vec<&'static str>) -> Place {
        Place { weak, ..self }
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

    /// The project as a tree says, and nothing half done.
    pub(crate) fn reset(&self, to: &Tree) -> Result<()> {
        if self.project().is_dir() && self.tree().is_ok_and(|now| now == *to) {
            return Ok(());
        }
        tree::write(&self.project(), to)?;
        Ok(())
    }

    /// The program with a command, at a root.
    pub(crate) fn command(&self, way: Way, words: &[&str]) -> Command {
        let mut command = match self.weak.split_first() {
            None => Command::new(&self.program),
            Some((by, arguments)) => {
                let mut command = Command::new(by);
                command.args(arguments).arg(&self.program);
                command
            }
        };
        command.args(project::command(words, way.package)).arg("--root").arg(self.path(way.root));
        self.settle_in(&mut command, way);
        command
    }

    /// The same with a limit to the size of a file, in blocks, which a shell sets.
    pub(crate) fn limited(&self, way: Way, words: &[&str], blocks: usize) -> Command {
        let mut command = Command::new("sh");
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        command.arg("-c").arg(script).arg(&self.program);
        command.args(project::command(words, way.package)).arg("--root").arg(self.path(way.root));
        self.settle_in(&mut command, way);
        command
    }

    fn settle_in(&self, command: &mut Command, way: Way) {
        command.current_dir(self.folder.path()).env("MARQ_STATE_DIR", self.path(way.state));
        command.env("MARQ_CACHE_DIR", &self.cache).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    }

    /// Run a command to its end.
    pub(crate) fn run(&self, mut command: Command) -> Result<Ended> {
        Ended::of(command.spawn()?)
    }

    /// Run a command that has to succeed.
    pub(crate) fn done(&self, way: Way, words: &[&str]) -> Result<()> {
        let ended = self.run(self.command(way, words))?;
        if ended.code != Some(0) {
            bail!("{words:?} at {}: {}", way.root, ended.said);
        }
        Ok(())
    }

    /// Whether a change is under way, or was interrupted.
    pub(crate) fn is_marked(&self) -> bool {
        let folders = ["project", "project/pkg", "project/pkg/src", "project/pkg/assets"];
        folders.iter().any(|folder| self.path(folder).join(".marq-journal").symlink_metadata().is_ok())
    }

    /// Wait until a change is under way. False where the process ended before.
    pub(crate) fn wait_for_mark(&self, child: &mut Child) -> Result<bool> {
        let started = Instant::now();
        while child.try_wait()?.is_none() {
            if self.is_marked() {
                return Ok(true);
            }
            if started.elapsed() > LONGEST {
                bail!("nothing was changed for too long");
            }
            thread::sleep(Duration::from_micros(50));
        }
        Ok(false)
    }

    /// Everything may be written again.
    pub(crate) fn give_rights(&self) -> Result<()> {
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

/// A process that ended.
pub(crate) struct Ended {
    /// None where a signal ended it.
    pub(crate) code: Option<i32>,
    /// What it said on both streams.
    pub(crate) said: String,
}

impl Ended {
    pub(crate) fn of(child: Child) -> Result<Ended> {
        let output = child.wait_with_output()?;
        let said = [output.stderr, output.stdout].concat();
        Ok(Ended { code: output.status.code(), said: String::from_utf8_lossy(&said).into_owned() })
    }
}

/// Send a process a signal; one that ended needs none.
pub(crate) fn signal(child: &Child, signal: Signal) {
    if let Some(process) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = rustix::process::kill_process(process, signal);
    }
}
