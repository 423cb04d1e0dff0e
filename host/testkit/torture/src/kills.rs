//! Kills the program at random moments of a change, for all combinations of roots, and checks the recovery by the next
//! call.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use anyhow::{Result, bail};
use rustix::process::Signal;

use crate::{
    Counts, Report, Torture,
    environment::{
        ABOVE, ELSEWHERE, Environment, INNER, LINKED, OUTER, ProcessResult, RENAMED, Random, RootSetup, signal,
    },
    project::Change,
    tree::{self, Node, Tree},
};

/// The roots of the change and of the call afterwards.
#[derive(Clone, Copy)]
struct Arrangement {
    name: &'static str,
    change: RootSetup,
    recovery: RootSetup,
    /// True if a second process, with the package as root and another state folder, edits a file at the same time.
    second: bool,
}

const fn arrangement(name: &'static str, changes: RootSetup, comes: RootSetup) -> Arrangement {
    Arrangement { name, change: changes, recovery: comes, second: false }
}

const ARRANGEMENTS: [Arrangement; 8] = [
    arrangement("the same root", OUTER, OUTER),
    arrangement("inner root, then outer", INNER, OUTER),
    arrangement("outer root, then inner", OUTER, INNER),
    arrangement("outer root, then one above", OUTER, ABOVE),
    arrangement("another state folder", INNER, ELSEWHERE),
    arrangement("a root named by a link", LINKED, INNER),
    arrangement("a root that was renamed", OUTER, RENAMED),
    Arrangement { second: true, ..arrangement("two processes", OUTER, ELSEWHERE) },
];

/// Signals in turn. Half of them are `SIGKILL`, which a process cannot handle.
const SIGNALS: [(&str, Signal); 4] =
    [("SIGKILL", Signal::KILL), ("SIGTERM", Signal::TERM), ("SIGKILL", Signal::KILL), ("SIGHUP", Signal::HUP)];

/// A file whose path passes through all folders that can have a recovery marker.
const REACHED: &str = "@src/part1/file1.ts";
/// The file that the second process edits.
const NOTES: &str = "pkg/notes.txt";
const FOREIGN_TEXT: &[u8] = b"written by somebody else\n";

/// The project before and after a change, and the duration of the change.
pub(crate) struct States {
    pub(crate) before: Tree,
    pub(crate) after: Tree,
    takes: Duration,
}

impl States {
    /// The duration of the change.
    pub(crate) fn takes(&self) -> Duration {
        self.takes
    }

    pub(crate) fn measure(place: &Environment, change: &Change) -> Result<States> {
        prepare(place, change, OUTER)?;
        let before = place.tree()?;
        let mut child = place.command(OUTER, change.command).spawn()?;
        place.wait_for_change(&mut child)?;
        let begun = Instant::now();
        let ended = ProcessResult::wait(child)?;
        if ended.code != Some(0) {
            bail!("{}: {}", change.name, ended.output);
        }
        let after = place.tree()?;
        if before == after {
            bail!("{} changes nothing", change.name);
        }
        Ok(States { before, after, takes: begun.elapsed() })
    }
}

/// Prepares the project for a change.
pub(crate) fn prepare(place: &Environment, change: &Change, way: RootSetup) -> Result<()> {
    place.reset(&(change.files)())?;
    change.after.map_or(Ok(()), |earlier| place.run_successfully(way, earlier))
}

/// Makes these changes in turn, for a number of rounds, and interrupts each of them.
pub(crate) fn run(
    torture: &Torture,
    changes: &[Change],
    seed: u64,
    (job, rounds): (usize, usize),
    report: &mut Report,
) -> Result<()> {
    let place = Environment::new(&torture.program, &torture.cache, torture.runner_folder())?;
    let mut chance = Random::new(seed);
    let mut states: Vec<Option<States>> = changes.iter().map(|_| None).collect();
    for round in 0..rounds {
        // Combines every change with every arrangement and signal, for any number of rounds, by advancing the three
        // indices at different rates.
        let at = round * torture.jobs + job;
        let (change, arrangement) = (&changes[at % changes.len()], ARRANGEMENTS[(at / 2 + at) % ARRANGEMENTS.len()]);
        let (name, signal) = SIGNALS[(at / 3 + at / changes.len()) % SIGNALS.len()];
        let known = &mut states[at % changes.len()];
        if known.is_none() {
            *known = Some(States::measure(&place, change)?);
        }
        let Some(states) = known else { continue };
        let one = Round { place: &place, change, arrangement, signal, states };
        let (counts, faults) = one.run(&mut chance)?;
        let shown = |fault| format!("round {at}, {}, {}, {name}: {fault}", change.name, arrangement.name);
        faults.into_iter().for_each(|fault| report.add_fault(shown(fault)));
        report.count((name, arrangement.name), counts);
    }
    Ok(())
}

struct Round<'a> {
    place: &'a Environment,
    change: &'a Change,
    arrangement: Arrangement,
    signal: Signal,
    states: &'a States,
}

impl Round<'_> {
    fn run(&self, chance: &mut Random) -> Result<(Counts, Vec<String>)> {
        let (place, mut counts, mut faults) = (self.place, Counts { rounds: 1, ..Counts::default() }, Vec::new());
        let Arrangement { change: changes, second, .. } = self.arrangement;
        prepare(place, self.change, changes)?;
        let mut child = place.command(changes, self.change.command).spawn()?;
        let other = if second { Some(self.start_second_process(chance)?) } else { None };
        if chance.below(8) == 0 {
            thread::sleep(chance.time(Duration::from_millis(300)));
        } else if place.wait_for_change(&mut child)? {
            thread::sleep(chance.time(self.states.takes.mul_f64(0.6)));
        }
        signal(&child, self.signal);
        let ended = ProcessResult::wait(child)?;
        // If there is a second process, the marker may belong to its change.
        let left = other.is_none() && place.is_change_in_progress();
        counts.middle += usize::from(left || ended.code.is_some_and(|code| code > 2));
        if self.signal != Signal::KILL && left {
            counts.neither += 1;
            faults.push(format!("a change was left half done: {}", ended.output));
        }
        let mut expected = self.states.before.clone();
        if let Some((child, text)) = other {
            let second = ProcessResult::wait(child)?;
            match second.code {
                Some(0) => _ = expected.insert(NOTES.to_owned(), Node::File(text.into_bytes(), 0o644)),
                _ if second.output.contains("(Stale)") => {}
                _ => {
                    counts.blocked += 1;
                    faults.push(format!("the second process was refused: {}", second.output));
                }
            }
        }
        let stranger = if left && chance.below(3) == 0 { self.write_as_other_program(chance)? } else { None };
        faults.extend(self.call_and_recover(chance, &mut counts)?);
        self.check_state(&expected, stranger.as_deref(), (&mut counts, &mut faults))?;
        Ok((counts, faults))
    }

    /// Starts the second process. Returns it with the expected text of its file.
    fn start_second_process(&self, chance: &mut Random) -> Result<(std::process::Child, String)> {
        let text = format!("{}\n", 1 + chance.below(1000));
        let way = RootSetup { state: "other", ..INNER };
        let child = self.place.command(way, &["edit", "@notes.txt", "1", "replace", text.trim_end()]).spawn()?;
        Ok((child, text))
    }

    /// Writes into an interrupted change like another program: overwrites an unaffected file, or creates a new one.
    fn write_as_other_program(&self, chance: &mut Random) -> Result<Option<String>> {
        let now = self.place.tree()?;
        let stays = |path: &&String| {
            let is_file = |tree: &Tree| matches!(tree.get(*path), Some(Node::File(..)));
            is_file(&now) && is_file(&self.states.before) && is_file(&self.states.after)
        };
        let files: Vec<&String> = now.keys().filter(stays).collect();
        let Some(file) = files.get(chance.below(files.len())) else { return Ok(None) };
        let path = match (chance.below(2), file.rsplit_once('/')) {
            (0, Some((folder, _))) => format!("{folder}/stranger.txt"),
            _ => (*file).clone(),
        };
        fs::write(self.place.project().join(&path), FOREIGN_TEXT)?;
        Ok(Some(path))
    }

    /// Makes the next call, which must recover the change. It may be killed, too, and repeated.
    fn call_and_recover(&self, chance: &mut Random, counts: &mut Counts) -> Result<Vec<String>> {
        let (place, way, mut faults) = (self.place, self.arrangement.recovery, Vec::new());
        let is_renamed = way.root == RENAMED.root;
        if is_renamed {
            fs::rename(place.project(), place.path(RENAMED.root))?;
        }
        let words: &[&str] = if chance.below(2) == 0 { &["recover"] } else { &["read", REACHED] };
        if self.signal == Signal::KILL && chance.below(4) == 0 {
            let dying = place.command(way, words).spawn()?;
            thread::sleep(chance.time(Duration::from_millis(150)));
            signal(&dying, Signal::KILL);
            ProcessResult::wait(dying)?;
        }
        let ended = place.run(place.command(way, words))?;
        let is_refused = ended.code != Some(0) && !ended.output.contains("(FileNotFound)");
        if is_refused || ended.output.contains("half changed") || ended.output.contains("cannot") {
            counts.blocked += 1;
            faults.push(format!("{words:?} was answered with: {}", ended.output));
        }
        if is_renamed {
            fs::rename(place.path(RENAMED.root), place.project())?;
        }
        Ok(faults)
    }

    /// Checks that the project is in the state before or after the change.
    fn check_state(
        &self,
        before: &Tree,
        stranger: Option<&str>,
        (counts, faults): (&mut Counts, &mut Vec<String>),
    ) -> Result<()> {
        let mut now = self.place.tree()?;
        let mut after = self.states.after.clone();
        if let Some(notes) = before.get(NOTES) {
            after.insert(NOTES.to_owned(), notes.clone());
        }
        let mut before = before.clone();
        if let Some(path) = stranger {
            if !matches!(now.get(path), Some(Node::File(bytes, _)) if bytes == FOREIGN_TEXT) {
                counts.foreign_changes += 1;
                faults.push(format!("the text that another program wrote to {path} is lost"));
            }
            for tree in [&mut now, &mut before, &mut after] {
                tree.remove(path);
            }
        }
        if now == before {
            counts.old += 1;
        } else if now == after {
            counts.new += 1;
        } else {
            counts.neither += 1;
            let (old, new) = (tree::difference(&now, &before), tree::difference(&now, &after));
            faults.push(format!("neither as before, {old:?}, nor as after, {new:?}"));
        }
        Ok(())
    }
}
