//! Disturbances other than signals: full disks, file size limits, permissions lost during a change, and links that
//! change meanwhile.

use std::{
    fs::{self, File},
    io::Write as _,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use anyhow::Result;
use rustix::process::Signal;

use crate::{
    Counts, Report, Torture,
    environment::{Environment, OUTER, ProcessResult, Random, signal},
    kills::{States, prepare},
    project::{CHANGES, Change},
    tree,
};

/// The size of the disk. It has room for the project, its history for a few rounds, and one change.
const DISK: &str = "size=4m";

pub(crate) fn run(torture: &Torture, seed: u64, rounds: usize, report: &mut Report) -> Result<()> {
    let mut chance = Random::new(seed ^ 0xfa17);
    file_size_limit(torture, rounds, &mut chance, report)?;
    full_disk(torture, rounds, &mut chance, report)?;
    lost_permissions(torture, rounds, &mut chance, report)?;
    mounts(torture, rounds, &mut chance, report)?;
    swapped_links(torture, rounds, report)
}

/// Checks a round whose process ended by itself: its exit code must match the state of the project.
fn check_round(
    place: &Environment,
    (change, states): (&Change, &States),
    ended: &ProcessResult,
    report: &mut Report,
) -> Result<Counts> {
    let mut counts = Counts { rounds: 1, ..Counts::default() };
    let came = place.run(place.command(OUTER, &["recover"]))?;
    if came.code != Some(0) || !came.output.contains("no interrupted changes") {
        counts.blocked += 1;
        report.add_fault(format!("{}: `recover` says: {}", change.name, came.output));
    }
    let now = place.tree()?;
    match ended.code {
        Some(0) if now == states.after => counts.new += 1,
        Some(0) => {
            counts.neither += 1;
            let differ = tree::difference(&now, &states.after);
            report.add_fault(format!(
                "{}: it succeeded, and these files are not as after the change: {differ:?}",
                change.name
            ));
        }
        _ if now == states.before => counts.old += 1,
        // A process that was killed may already have completed the change.
        None if now == states.after => counts.new += 1,
        _ => {
            counts.neither += 1;
            let differ = tree::difference(&now, &states.before);
            report.add_fault(format!(
                "{}: {}; these files are not as before the change: {differ:?}",
                change.name, ended.output
            ));
        }
    }
    counts.middle += usize::from(ended.code != Some(0));
    Ok(counts)
}

/// Runs rounds with each change in turn, with the states before and after it.
fn run_rounds(
    place: &Environment,
    rounds: usize,
    mut round: impl FnMut(usize, &Change, &States) -> Result<()>,
) -> Result<()> {
    let mut known: Vec<Option<States>> = CHANGES.iter().map(|_| None).collect();
    for at in 0..rounds {
        let change = &CHANGES[(at * 5) % CHANGES.len()];
        let slot = &mut known[(at * 5) % CHANGES.len()];
        if slot.is_none() {
            *slot = Some(States::measure(place, change)?);
        }
        if let Some(states) = slot {
            prepare(place, change, OUTER)?;
            round(at, change, states)?;
        }
    }
    Ok(())
}

/// Limits the file size (`ulimit -f`).
fn file_size_limit(torture: &Torture, rounds: usize, chance: &mut Random, report: &mut Report) -> Result<()> {
    let place = Environment::new(&torture.program, &torture.cache, torture.runner_folder())?;
    run_rounds(&place, rounds, |_, change, states| {
        let blocks = chance.below(24);
        let ended = place.run(place.limited(OUTER, change.command, blocks))?;
        let counts = check_round(&place, (change, states), &ended, report)?;
        report.count(("no space", "files may not grow"), counts);
        Ok(())
    })
}

/// A mounted file system, unmounted when this is dropped.
struct Disk(PathBuf);

impl Disk {
    fn mount(at: PathBuf) -> Option<Disk> {
        fs::create_dir_all(&at).ok()?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", DISK, "none"]).arg(&at).stdout(Stdio::null()).stderr(Stdio::null());
        mount.status().ok()?.success().then_some(Disk(at))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // The unmount is lazy, because files on the disk may still be open.
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
        let _ = fs::remove_dir(&self.0);
    }
}

/// Fills a disk except for `spare` bytes.
fn fill_disk(ballast: &Path, spare: u64) -> Result<()> {
    let mut file = File::create(ballast)?;
    let mut size = 0;
    while let Ok(written) = file.write(&[0; 4096]) {
        size += written as u64;
    }
    file.set_len(size.saturating_sub(spare))?;
    Ok(())
}

fn full_disk(torture: &Torture, rounds: usize, chance: &mut Random, report: &mut Report) -> Result<()> {
    let at = torture.runner_folder().join(format!("disk-{}-{:?}", std::process::id(), thread::current().id()));
    let Some(disk) = Disk::mount(at) else {
        report.skipped.push("a full disk: this process may not mount a file system".to_owned());
        return Ok(());
    };
    let place = Environment::new(&torture.program, &torture.cache, &disk.0)?;
    let ballast = place.path("ballast");
    run_rounds(&place, rounds, |_, change, states| {
        fill_disk(&ballast, 1024 * chance.below(120) as u64)?;
        let ended = place.run(place.command(OUTER, change.command))?;
        let is_typed = ended.code == Some(0) || ended.output.contains("(LimitExceeded)");
        fs::remove_file(&ballast)?;
        let mut counts = check_round(&place, (change, states), &ended, report)?;
        if !is_typed {
            counts.blocked += 1;
            report.add_fault(format!("{}: a full disk is called {}", change.name, ended.output));
        }
        report.count(("no space", "a full disk"), counts);
        // The history is deleted, because it would otherwise fill the disk.
        for state in ["state", "other"] {
            let _ = fs::remove_dir_all(place.path(state));
        }
        Ok(())
    })
}

/// Returns a command prefix that drops privileges if this process runs as root, which file permissions do not restrict.
/// Returns an empty prefix for other users, and `None` if the process cannot drop its privileges.
fn unprivileged_prefix() -> Option<Vec<&'static str>> {
    if !rustix::process::geteuid().is_root() {
        return Some(Vec::new());
    }
    let weak = vec!["setpriv", "--inh-caps=-all", "--bounding-set=-all"];
    let tried = Command::new(weak[0]).args(&weak[1..]).arg("true").stderr(Stdio::null()).status();
    tried.is_ok_and(|status| status.success()).then_some(weak)
}

fn lost_permissions(torture: &Torture, rounds: usize, chance: &mut Random, report: &mut Report) -> Result<()> {
    let Some(weak) = unprivileged_prefix() else {
        report.skipped.push("lost rights: this process runs as root and cannot drop its privileges".to_owned());
        return Ok(());
    };
    let place = Environment::new(&torture.program, &torture.cache, torture.runner_folder())?.with_prefix(weak);
    run_rounds(&place, rounds, |at, change, states| {
        let folders = ["project/pkg/src/part1", "project/pkg/assets/in", "project/pkg/src", "project/pkg"];
        let folder = place.path(folders[chance.below(folders.len())]);
        let mut child = place.command(OUTER, change.command).spawn()?;
        let begun = place.wait_for_change(&mut child)?;
        thread::sleep(chance.time(Duration::from_millis(4)));
        // The folder may have been moved or deleted.
        let lost = folder.is_dir() && fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).is_ok();
        let is_killed = at % 2 == 0;
        if is_killed {
            signal(&child, Signal::KILL);
        }
        let ended = ProcessResult::wait(child)?;
        let mut counts = Counts { rounds: 1, middle: usize::from(begun && lost), ..Counts::default() };
        let read = place.run(place.command(OUTER, &["read", "@notes.txt"]))?;
        if read.code != Some(0) {
            counts.blocked += 1;
            report.add_fault(format!("{}: without rights, a read is answered with {}", change.name, read.output));
        }
        place.restore_permissions()?;
        let came = place.run(place.command(OUTER, &["recover"]))?;
        let now = place.tree()?;
        if came.code != Some(0) || !came.output.contains("no interrupted changes") {
            counts.blocked += 1;
            report.add_fault(format!("{}: with its rights back, `recover` says {}", change.name, came.output));
        }
        match (now == states.before, now == states.after) {
            (true, _) => counts.old += 1,
            (_, true) => counts.new += 1,
            _ => {
                counts.neither += 1;
                let differ = (tree::difference(&now, &states.before), tree::difference(&now, &states.after));
                report.add_fault(format!("{}: rights were lost; {}; {differ:?}", change.name, ended.output));
            }
        }
        report.count(("lost rights", if is_killed { "and killed" } else { "while it runs" }), counts);
        Ok(())
    })
}

/// A folder bind-mounted on itself until this is dropped: its contents are the same, but files cannot be moved into or
/// out of it atomically.
struct BindMount(PathBuf);

impl BindMount {
    fn on_itself(at: PathBuf) -> Option<BindMount> {
        let mut mount = Command::new("mount");
        mount.arg("--bind").args([&at, &at]).stdout(Stdio::null()).stderr(Stdio::null());
        mount.status().ok()?.success().then_some(BindMount(at))
    }
}

impl Drop for BindMount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// With a mount inside the project, a change that cannot be atomic must be refused at the start. All others must be
/// atomic, even if the process is killed.
fn mounts(torture: &Torture, rounds: usize, chance: &mut Random, report: &mut Report) -> Result<()> {
    let place = Environment::new(&torture.program, &torture.cache, torture.runner_folder())?;
    let mut untried = false;
    run_rounds(&place, rounds, |at, change, states| {
        let folders = ["project/pkg/src/part1", "project/pkg/assets/in", "project/pkg/src"];
        let folder = place.path(folders[chance.below(folders.len())]);
        // An undo may be about to restore the folder, so there may be nothing to mount.
        if !folder.is_dir() {
            return Ok(());
        }
        let Some(_mounted) = BindMount::on_itself(folder) else {
            untried = true;
            return Ok(());
        };
        let mut child = place.command(OUTER, change.command).spawn()?;
        let is_killed = at % 2 == 0 && place.wait_for_change(&mut child)?;
        if is_killed {
            thread::sleep(chance.time(Duration::from_millis(4)));
            signal(&child, Signal::KILL);
        }
        let ended = ProcessResult::wait(child)?;
        let counts = check_round(&place, (change, states), &ended, report)?;
        report.count(("mounts", if is_killed { "and killed" } else { "inside the project" }), counts);
        Ok(())
    })?;
    if untried {
        report.skipped.push("mounts inside the project: this process may not mount a file system".to_owned());
    }
    Ok(())
}

/// Constantly swaps a folder with a symbolic link to a folder outside.
fn swapped_links(torture: &Torture, rounds: usize, report: &mut Report) -> Result<()> {
    let place = Environment::new(&torture.program, &torture.cache, torture.runner_folder())?;
    let outside = place.path("outside");
    for folder in ["project/pkg/turned", "outside", "project/pkg/aside"] {
        fs::create_dir_all(place.path(folder))?;
    }
    for name in ["file.txt", "other.txt"] {
        fs::write(outside.join(name), "outside\n")?;
        fs::write(place.path("project/pkg/turned").join(name), "inside\n")?;
    }
    let before = tree::read(&outside)?;
    let (turned, aside, link) =
        (place.path("project/pkg/turned"), place.path("project/pkg/aside/turned"), place.path("link"));
    let done = AtomicBool::new(false);
    let rounds = thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                // If one of these fails, the next iteration repeats it.
                let _ = fs::rename(&turned, &aside);
                let _ = symlink(&outside, &link).and_then(|()| fs::rename(&link, &turned));
                thread::sleep(Duration::from_micros(300));
                let _ = fs::remove_file(&turned);
                let _ = fs::rename(&aside, &turned);
                thread::sleep(Duration::from_micros(300));
            }
        });
        let commands: [&[&str]; 4] = [
            &["edit", "@turned/file.txt", "1", "replace", "new"],
            &["create", "@turned/file.txt", "--content", "new", "--overwrite"],
            &["delete", "@turned/other.txt"],
            &["move", "@turned/other.txt", "@turned/moved.txt"],
        ];
        let run = |round: usize| place.run(place.command(OUTER, commands[round % commands.len()]));
        let ended: Vec<Result<ProcessResult>> = (0..rounds).map(run).collect();
        done.store(true, Ordering::Relaxed);
        ended.into_iter().collect::<Result<Vec<ProcessResult>>>()
    })?;
    let touched = tree::read(&outside)? != before;
    if touched {
        report.add_fault("the new target of a redirected link was changed".to_owned());
    }
    let successes = rounds.iter().filter(|ended| ended.code == Some(0)).count();
    let counts = Counts {
        rounds: rounds.len(),
        middle: rounds.len(),
        new: successes,
        old: rounds.len() - successes,
        foreign_changes: usize::from(touched),
        ..Counts::default()
    };
    report.count(("races", "links turned elsewhere"), counts);
    Ok(())
}
