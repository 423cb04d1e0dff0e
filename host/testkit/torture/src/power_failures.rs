//! Simulates power failures: takes an image of the disk at a random moment, and restarts from it. Acknowledged changes
//! must be present; all others must be complete or absent.
//!
//! The disk is a file that receives writes in the order in which the kernel issues them. Disks that lose acknowledged
//! writes, or reorder writes between syncs, are not simulated.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use rustix::process::Signal;

use crate::{
    Counts, Report, Torture,
    environment::{Environment, OUTER, ProcessResult, Random, signal},
    kills::{States, prepare},
    project::{CHANGES, Change},
    tree,
};

/// Room for the project, its state, and the file system's journal.
const SIZE: u64 = 32 << 20;
/// The order in which the file system writes data and metadata.
const ORDERS: [&str; 2] = ["data=ordered", "data=writeback"];

/// A disk image, mounted until this is dropped.
struct Disk {
    image: PathBuf,
    at: PathBuf,
    order: &'static str,
}

fn run_silently(program: &str, arguments: &[&str], path: &[&Path]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).args(path).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

impl Disk {
    /// Creates and mounts a disk; `None` if that is not possible on this system.
    fn make(folder: &Path, order: &'static str) -> Option<Disk> {
        let name = format!("cut-{}-{:?}-{order}", std::process::id(), thread::current().id());
        let (image, at) = (folder.join(format!("{name}.image")), folder.join(name));
        fs::create_dir_all(&at).ok()?;
        fs::File::create(&image).ok()?.set_len(SIZE).ok()?;
        let disk = Disk { image, at, order };
        let made = run_silently("mkfs.ext4", &["-q", "-F", "-b", "1024"], &[&disk.image]);
        (made && disk.mount()).then_some(disk)
    }

    fn mount(&self) -> bool {
        run_silently("mount", &["-t", "ext4", "-o", &format!("loop,{}", self.order)], &[&self.image, &self.at])
    }

    /// Takes an image of the disk. Only the kernel may write to it meanwhile.
    fn take_image(&self) -> Result<PathBuf> {
        let kept = self.image.with_extension("kept");
        for _ in 0..100 {
            fs::copy(&self.image, &kept)?;
            // Retry if the kernel wrote during the copy, as the image could then contain later writes without earlier
            // ones.
            if fs::read(&self.image)? == fs::read(&kept)? {
                return Ok(kept);
            }
        }
        bail!("the disk is never still");
    }

    /// Restarts from an image of the disk.
    fn restart_from(&self, kept: &Path) -> Result<()> {
        let gone = (0..100).any(|_| {
            let gone = run_silently("umount", &[], &[&self.at]);
            if !gone {
                thread::sleep(Duration::from_millis(10));
            }
            gone
        });
        if !gone {
            bail!("the disk is in use");
        }
        fs::rename(kept, &self.image)?;
        if !self.mount() {
            bail!("the disk cannot be mounted after the cut");
        }
        Ok(())
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // The unmount is lazy, because files on the disk may still be open.
        let _ = run_silently("umount", &["-l"], &[&self.at]);
        let _ = fs::remove_file(&self.image);
        let _ = fs::remove_dir(&self.at);
    }
}

/// Stops a process with all its threads. Returns false if it has ended.
fn stop_process(child: &Child) -> Result<bool> {
    signal(child, Signal::STOP);
    let tasks = format!("/proc/{}/task", child.id());
    for _ in 0..2_000 {
        let states: Vec<char> = fs::read_dir(&tasks)
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|task| {
                let status = fs::read_to_string(task.path().join("stat")).ok()?;
                status.rsplit_once(") ")?.1.chars().next()
            })
            .collect();
        if states.iter().all(|state| matches!(state, 'Z' | 'X')) {
            return Ok(false);
        }
        if states.iter().all(|state| matches!(state, 'T' | 'Z' | 'X')) {
            return Ok(true);
        }
        thread::sleep(Duration::from_micros(500));
    }
    bail!("a process does not stop");
}

pub(crate) fn run(torture: &Torture, seed: u64, rounds: usize, report: &mut Report) -> Result<()> {
    let mut chance = Random::new(seed ^ 0xcafe);
    for (at, order) in ORDERS.into_iter().enumerate() {
        let Some(disk) = Disk::make(torture.runner_folder(), order) else {
            report.skipped.push("power cuts: no file system can be made and mounted here".to_owned());
            return Ok(());
        };
        let place = Environment::new(&torture.program, &torture.cache, &disk.at)?;
        let share = rounds / ORDERS.len() + usize::from(at < rounds % ORDERS.len());
        let mut known: Vec<Option<States>> = CHANGES.iter().map(|_| None).collect();
        for round in 0..share {
            let change = &CHANGES[(round * 7 + at) % CHANGES.len()];
            let slot = &mut known[(round * 7 + at) % CHANGES.len()];
            if slot.is_none() {
                *slot = Some(States::measure(&place, change)?);
            }
            let states = slot.as_ref().context("just made")?;
            let counts = cut_power(&disk, &place, (change, states), &mut chance, report)?;
            report.count(("power cuts", order), counts);
            // The history is deleted, because it would otherwise fill the disk.
            for state in ["state", "other"] {
                let _ = fs::remove_dir_all(place.path(state));
            }
        }
    }
    Ok(())
}

/// Runs one change, cuts the power, and checks the result.
fn cut_power(
    disk: &Disk,
    place: &Environment,
    (change, states): (&Change, &States),
    chance: &mut Random,
    report: &mut Report,
) -> Result<Counts> {
    prepare(place, change, OUTER)?;
    run_silently("sync", &["-f"], &[&disk.at]);
    let mut child = place.command(OUTER, change.command).spawn()?;
    let (kept, acknowledged) = if chance.below(4) == 0 {
        let ended = ProcessResult::wait(child)?;
        (disk.take_image()?, ended.code == Some(0))
    } else {
        let begun = place.wait_for_change(&mut child)?;
        thread::sleep(chance.time(if begun { states.takes() } else { Duration::ZERO }));
        let in_the_middle = stop_process(&child)?;
        let kept = disk.take_image()?;
        signal(&child, Signal::CONT);
        let ended = ProcessResult::wait(child)?;
        (kept, !in_the_middle && ended.code == Some(0))
    };
    disk.restart_from(&kept)?;
    let mut counts = Counts { rounds: 1, middle: usize::from(place.is_change_in_progress()), ..Counts::default() };
    let mut fault = |fault: String| report.add_fault(format!("{}, {}: {fault}", change.name, disk.order));
    let came = place.run(place.command(OUTER, &["recover"]))?;
    if came.code != Some(0) || !came.output.contains("no interrupted changes") {
        counts.blocked += 1;
        fault(format!("`recover` says {}", came.output));
    }
    let now = place.tree()?;
    match (now == states.before, now == states.after) {
        (_, true) => counts.new += 1,
        (true, _) if !acknowledged => counts.old += 1,
        (true, _) => {
            counts.neither += 1;
            fault("it was acknowledged, and is gone".to_owned());
        }
        _ => {
            counts.neither += 1;
            let differ = (tree::difference(&now, &states.before), tree::difference(&now, &states.after));
            fault(format!("after the cut {differ:?}"));
        }
    }
    Ok(counts)
}
