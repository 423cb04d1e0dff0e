//! Time and size of a build from scratch: `make demo`, `make install` and `make test` in a fresh clone of the last
//! commit.

use std::{
    collections::HashSet,
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::{Context, Result, ensure};
use wait4::Wait4;

use super::{Run, setup};
use crate::{
    measure::table::{Table, number, text},
    shell::{begin_step, top},
};

/// Environment variables that change what is built or tested.
const VARIABLES: [&str; 4] = ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR", "MARQ_SUITES", "MARQ_PLUGINS"];

/// Clones the tree, and measures each command.
pub(super) fn run(run: &Run) -> Result<()> {
    let folder = setup::empty_folder("build")?;
    let (clone, prefix) = (folder.join("clone"), folder.join("prefix"));
    begin_step("a clone of the last commit");
    let mut git = Command::new("git");
    git.args(["clone", "--quiet", "--no-hardlinks"]).arg(top()).arg(&clone);
    ensure!(git.status().context("cannot start `git`")?.success(), "`git clone` failed");
    let prefix_argument = format!("PREFIX={}", prefix.display());
    let commands = [vec!["demo"], vec!["install", &prefix_argument], vec!["test"]];
    let mut rows = Vec::new();
    for arguments in commands.iter().take(run.sample().unwrap_or(commands.len())) {
        begin_step(&format!("make {}", arguments.join(" ")));
        rows.push((arguments[0], measure(&clone, arguments)?));
    }
    begin_step("from an empty target folder, each command after the one before");
    let columns = ["wall s", "CPU s", "target MiB"].map(number);
    let table = Table::start(&[&[text("command", 14)], &columns[..]].concat());
    for (name, Usage { wall, cpu, bytes }) in rows {
        let cells = [format!("make {name}"), format!("{wall:.0}"), format!("{cpu:.0}"), mib(bytes)];
        table.row(&cells.each_ref().map(String::as_str));
    }
    print_sizes(&prefix, &clone)
}

/// The cost of a command.
struct Usage {
    wall: f64,
    /// CPU time of the command and all its children.
    cpu: f64,
    /// Size of the target folder afterwards.
    bytes: u64,
}

fn measure(clone: &Path, arguments: &[&str]) -> Result<Usage> {
    let mut make = Command::new("make");
    make.args(arguments).current_dir(clone);
    for variable in VARIABLES {
        make.env_remove(variable);
    }
    let started = Instant::now();
    let used = make.spawn().context("cannot start `make`")?.wait4()?;
    let wall = started.elapsed().as_secs_f64();
    ensure!(used.status.success(), "`make {}` failed in {}", arguments.join(" "), clone.display());
    let cpu = (used.rusage.utime + used.rusage.stime).as_secs_f64();
    Ok(Usage { wall, cpu, bytes: disk_usage(&clone.join("target"), &mut HashSet::new())? })
}

/// Bytes on the disk below a folder; a file with several names is counted once.
fn disk_usage(folder: &Path, seen: &mut HashSet<(u64, u64)>) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        if metadata.is_dir() {
            bytes += disk_usage(&entry.path(), seen)?;
        } else if seen.insert((metadata.dev(), metadata.ino())) {
            bytes += metadata.blocks() * 512;
        }
    }
    Ok(bytes)
}

/// Size of the installed program, and of the parts of each plugin in it.
fn print_sizes(prefix: &Path, clone: &Path) -> Result<()> {
    let program = prefix.join("bin/marq");
    if !program.is_file() {
        return Ok(());
    }
    begin_step("installed");
    let table = Table::start(&[text("file", 28), number("bytes"), number("MiB")]);
    for file in std::iter::once(program).chain(parts(&clone.join("target/bundle"))?) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = fs::metadata(&file)?.len();
        table.row(&[&name, &bytes.to_string(), &mib(bytes)]);
    }
    Ok(())
}

/// Returns the compressed parts of the plugins for all targets.
fn parts(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for target in fs::read_dir(folder)? {
        for part in fs::read_dir(target?.path())? {
            files.push(part?.path());
        }
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "zst"));
    files.sort();
    Ok(files)
}

fn mib(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / f64::from(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_measured_with_their_children() {
        let folder = tempfile::tempdir().expect("a folder");
        let demo = "demo:\n\tmkdir target && head -c 100000 /dev/zero > target/a\n\tseq 300000 | sort --random-sort > target/b\n";
        fs::write(folder.path().join("Makefile"), demo).expect("written");
        let Usage { wall, cpu, bytes } = measure(folder.path(), &["--silent", "demo"]).expect("measured");
        assert!(wall > 0.0 && cpu > 0.0, "{wall} {cpu}");
        assert!(bytes >= 100_000, "{bytes}");
        assert!(measure(folder.path(), &["--silent", "demo"]).is_err(), "`mkdir target` must fail the second time");
    }

    #[test]
    fn hard_links_are_counted_once() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("a"), vec![1; 100_000]).expect("written");
        let once = disk_usage(folder.path(), &mut HashSet::new()).expect("measured");
        fs::create_dir(folder.path().join("below")).expect("made");
        fs::hard_link(folder.path().join("a"), folder.path().join("below/b")).expect("linked");
        assert_eq!(disk_usage(folder.path(), &mut HashSet::new()).expect("measured"), once);
        assert!(once >= 100_000);
    }
}
