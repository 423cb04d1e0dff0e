//! The power goes: what the disk has at that moment is kept as an image, and after the next start it is worked with as it is
//! found. What was acknowledged before is there; everything else is there as a whole or not at all.
//!
//! The disk is a file, and takes what is written in the order in which the system writes it. A disk that loses what it said it
//! has is another matter, as is one that writes in an order of its own without being told to sync.

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
    kills::{States, prepare},
    place::{Chance, Ended, OUTER, Place, signal},
    project::{CHANGES, Change},
    tree,
};

/// Room for the project, its state, and the journal of the file system.
const SIZE: u64 = 32 << 20;
/// How the file system orders contents and names: contents first, or as it likes.
const ORDERS: [&str; 2] = ["data=ordered", "data=writeback"];

/// A disk that is a file, mounted while this lives.
struct Disk {
    image: PathBuf,
    at: PathBuf,
    order: &'static str,
}

fn quietly(program: &str, arguments: &[&str], path: &[&Path]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).args(path).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

impl Disk {
    /// None where no file system can be made or mounted.
    fn make(folder: &Path, order: &'static str) -> Option<Disk> {
        let name = format!("cut-{}-{:?}-{order}", std::process::id(), thread::current().id());
        let (image, at) = (folder.join(format!("{name}.image")), folder.join(name));
        fs::create_dir_all(&at).ok()?;
        fs::File::create(&image).ok()?.set_len(SIZE).ok()?;
        let disk = Disk { image, at, order };
        let made = quietly("mkfs.ext4", &["-q", "-F", "-b", "1024"], &[&disk.image]);
        (made && disk.mount()).then_some(disk)
    }

    fn mount(&self) -> bool {
        quietly("mount", &["-t", "ext4", "-o", &format!("loop,{}", self.order)], &[&self.image, &self.at])
    }

    /// What the disk has now: nothing writes to it meanwhile but the system itself.
    fn keep(&self) -> Result<PathBuf> {
        let kept = self.image.with_extension("kept");
        for _ in 0..100 {
            fs::copy(&self.image, &kept)?;
            // What the system wrote while it was copied would be there without what came before it.
            if fs::read(&self.image)? == fs::read(&kept)? {
                return Ok(kept);
            }
        }
        bail!("the disk is never still");
    }

    /// From here on the disk is what was kept of it.
    fn start_again(&self, kept: &Path) -> Result<()> {
        let gone = (0..100).any(|_| {
            let gone = quietly("umount", &[], &[&self.at]);
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
        // What is still open in it goes with the process.
        let _ = quietly("umount", &["-l"], &[&self.at]);
        let _ = fs::remove_file(&self.image);
        let _ = fs::remove_dir(&self.at);
    }
}

/// Stop a process with all of its threads. False where it had ended.
fn stopped(child: &Child) -> Result<bool> {
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
    let mut chance = Chance::new(seed ^ 0xcafe);
    for (at, order) in ORDERS.into_iter().enumerate() {
        let Some(disk) = Disk::make(torture.below(), order) else {
            report.untried.push("power cuts: no file system can be made and mounted here".to_owned());
            return Ok(());
        };
        let place = Place::new(&torture.program, &torture.cache, &disk.at)?;
        let share = rounds / ORDERS.len() + usize::from(at < rounds % ORDERS.len());
        let mut known: Vec<Option<States>> = CHANGES.iter().map(|_| None).collect();
        for round in 0..share {
            let change = &CHANGES[(round * 7 + at) % CHANGES.len()];
            let slot = &mut known[(round * 7 + at) % CHANGES.len()];
            if slot.is_none() {
                *slot = Some(States::of(&place, change)?);
            }
            let states = slot.as_ref().context("just made")?;
            let counts = cut(&disk, &place, (change, states), &mut chance, report)?;
            report.count(("power cuts", order), counts);
            // The history would fill the disk.
            for state in ["state", "other"] {
                let _ = fs::remove_dir_all(place.path(state));
            }
        }
    }
    Ok(())
}

/// One change, the cut, and what is found afterwards.
fn cut(
    disk: &Disk,
    place: &Place,
    (change, states): (&Change, &States),
    chance: &mut Chance,
    report: &mut Report,
) -> Result<Counts> {
    prepare(place, change, OUTER)?;
    quietly("sync", &["-f"], &[&disk.at]);
    let mut child = place.command(OUTER, change.command).spawn()?;
    let (kept, acknowledged) = if chance.below(4) == 0 {
        let ended = Ended::of(child)?;
        (disk.keep()?, ended.code == Some(0))
    } else {
        let begun = place.wait_for_mark(&mut child)?;
        thread::sleep(chance.time(if begun { states.takes() } else { Duration::ZERO }));
        let in_the_middle = stopped(&child)?;
        let kept = disk.keep()?;
        signal(&child, Signal::CONT);
        let ended = Ended::of(child)?;
        (kept, !in_the_middle && ended.code == Some(0))
    };
    disk.start_again(&kept)?;
    let mut counts = Counts { rounds: 1, middle: usize::from(place.is_marked()), ..Counts::default() };
    let mut fault = |fault: String| report.fault(format!("{}, {}: {fault}", change.name, disk.order));
    let came = place.run(place.command(OUTER, &["recover"]))?;
    if came.code != Some(0) || !came.said.contains("no interrupted changes") {
        counts.blocked += 1;
        fault(format!("`recover` says {}", came.said));
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
