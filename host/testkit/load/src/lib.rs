//! Concurrency test: many clients increment counters in files of every format, each addressed by a certain kind of
//! target.
//!
//! Every counter belongs to one client, and every file to many. No write may be lost, change another counter, or be
//! based on stale data. At the end, every file is compared byte for byte with the result of the acknowledged edits.
//! This crate does not depend on processes or protocols: the caller provides the function that makes calls.

mod formats;

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::Value;

pub use formats::{FORMATS, Format};

/// Calls a tool with JSON text. Returns the answer, or the error as text.
pub type Call<'a> = dyn Fn(&str, &str) -> Result<Value, String> + Sync + 'a;

/// The condition that ends a run.
#[derive(Debug, Clone, Copy)]
pub enum Limit {
    /// The run ends after each counter was incremented this many times.
    Rounds(usize),
    /// The run ends after this time.
    Time(Duration),
}

/// The result of a run.
#[derive(Debug, Default)]
pub struct Report {
    /// The last acknowledged value of each counter: `(format, index)`.
    pub values: BTreeMap<(usize, usize), usize>,
    /// The duration of each edit.
    pub edits: Vec<Duration>,
    /// The duration of each read.
    pub reads: Vec<Duration>,
    /// The duration of each workspace-wide call.
    pub questions: Vec<Duration>,
    /// Calls that failed, and reads that did not return what was written.
    pub faults: Vec<String>,
}

/// The counters of a run.
#[derive(Debug, Clone)]
pub struct Counters {
    /// The number of counters per format.
    pub each: usize,
    formats: Vec<&'static Format>,
    /// The number of clients that only read.
    readers: usize,
    /// The number of clients that make long, workspace-wide calls. The first client moves a file back and forth. The
    /// others request the diagnostics of all files.
    workspace_clients: usize,
}

impl Counters {
    /// Creates this many counters of each format.
    pub fn new(each: usize) -> Counters {
        Counters { each, formats: FORMATS.iter().collect(), readers: 0, workspace_clients: 0 }
    }

    /// Adds clients that only read, and clients that make workspace-wide calls.
    #[must_use]
    pub fn with_other_clients(self, readers: usize, askers: usize) -> Counters {
        Counters { readers, workspace_clients: askers, ..self }
    }

    /// Restricts the counters to those in this file.
    #[must_use]
    pub fn only(mut self, file: &str) -> Counters {
        self.formats.retain(|format| format.file == file);
        self
    }

    /// The number of clients that do not write.
    pub fn non_writers(&self) -> usize {
        self.readers + self.workspace_clients
    }

    /// The total number of counters.
    pub fn count(&self) -> usize {
        self.each * self.formats.len()
    }

    /// Returns paths and texts of the files for these values; missing ones are zero.
    pub fn files(&self, values: &BTreeMap<(usize, usize), usize>) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        for (row, format) in self.formats.iter().enumerate() {
            let values: Vec<usize> = (0..self.each).map(|i| values.get(&(row, i)).copied().unwrap_or(0)).collect();
            files.extend(format.files(&values));
        }
        if self.workspace_clients > 0 {
            files.insert(MOVED[0].to_owned(), "export const x = 1;\n".to_owned());
        }
        files
    }

    /// Increments all counters from this many clients until the limit is reached.
    pub fn run(&self, clients: usize, limit: Limit, call: &Call<'_>) -> Report {
        let report = Mutex::new(Report::default());
        let (started, stop) = (Instant::now(), AtomicBool::new(false));
        let busy = AtomicUsize::new(clients);
        // Requests outlines until all writers have finished. They use the same plugin instances as the edits.
        let outlines = || {
            // Plain text has no outline.
            for format in self.formats.iter().filter(|format| !format.file.ends_with(".txt")).cycle() {
                if busy.load(Ordering::Relaxed) == 0 {
                    return;
                }
                let path = Format::fill(format.file, 0, 0);
                let arguments = serde_json::json!({ "type": "documentSymbols", "path": path }).to_string();
                if let Err(fault) = call("query", &arguments) {
                    report.lock().unwrap_or_else(PoisonError::into_inner).faults.push(fault);
                    return;
                }
            }
        };
        let add = |mine| report.lock().unwrap_or_else(PoisonError::into_inner).add(mine);
        std::thread::scope(|scope| {
            for client in 0..clients {
                let (report, stop, busy) = (&report, &stop, &busy);
                scope.spawn(move || {
                    let mut mine = Report::default();
                    let own: Vec<_> = (0..self.count()).filter(|counter| counter % clients == client).collect();
                    let mut round = 0;
                    while !stop.load(Ordering::Relaxed) && !is_over(limit, round, started) {
                        for counter in &own {
                            self.increment(
                                (counter % self.formats.len(), counter / self.formats.len()),
                                call,
                                &mut mine,
                            );
                        }
                        round += 1;
                        if !mine.faults.is_empty() || own.is_empty() {
                            break;
                        }
                    }
                    if !mine.faults.is_empty() {
                        stop.store(true, Ordering::Relaxed);
                    }
                    busy.fetch_sub(1, Ordering::Relaxed);
                    report.lock().unwrap_or_else(PoisonError::into_inner).add(mine);
                });
            }
            for _ in 0..2 {
                scope.spawn(outlines);
            }
            for client in 0..self.readers {
                let (add, busy) = (&add, &busy);
                scope.spawn(move || add(self.read_all(client, busy, call)));
            }
            for asker in 0..self.workspace_clients {
                let (add, busy) = (&add, &busy);
                scope.spawn(move || add(call_workspace_wide(asker == 0, busy, call)));
            }
        });
        report.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads all counters in a loop, starting at different ones, until all writers have finished.
    fn read_all(&self, start: usize, busy: &AtomicUsize, call: &Call<'_>) -> Report {
        let mut report = Report::default();
        let reads = (0..self.count())
            .filter_map(|counter| self.formats[counter % self.formats.len()].read(counter / self.formats.len()));
        let reads: Vec<String> = reads.collect();
        for arguments in reads.iter().cycle().skip(start) {
            if busy.load(Ordering::Relaxed) == 0 {
                break;
            }
            let started = Instant::now();
            let answer = call("file_read", arguments);
            report.reads.push(started.elapsed());
            if let Err(fault) = answer {
                report.faults.push(format!("{arguments}: {fault}"));
                break;
            }
        }
        report
    }

    /// Increments a counter and reads it back.
    fn increment(&self, (row, index): (usize, usize), call: &Call<'_>, report: &mut Report) {
        let format = self.formats[row];
        let value = report.values.get(&(row, index)).copied().unwrap_or(0);
        let started = Instant::now();
        match call("file_edit", &format.edit(index, value + 1)) {
            Ok(_) => {
                report.values.insert((row, index), value + 1);
                report.edits.push(started.elapsed());
            }
            Err(fault) => return report.faults.push(format!("{} {index}: {fault}", format.file)),
        }
        let Some(arguments) = format.read(index) else { return };
        let started = Instant::now();
        let answer = call("file_read", &arguments);
        report.reads.push(started.elapsed());
        let wanted = Format::fill(format.shown, index, value + 1);
        match answer {
            Ok(answer) if answer["content"].as_str().is_some_and(|content| content.contains(&wanted)) => {}
            Ok(answer) => report.faults.push(format!("{arguments}: `{wanted}` was written, read is {answer}")),
            Err(fault) => report.faults.push(format!("{arguments}: {fault}")),
        }
    }
}

impl Report {
    fn add(&mut self, other: Report) {
        self.values.extend(other.values);
        self.edits.extend(other.edits);
        self.reads.extend(other.reads);
        self.questions.extend(other.questions);
        self.faults.extend(other.faults);
    }

    /// Returns failed calls, and files that differ from the result of the acknowledged edits.
    pub fn failures(&self, counters: &Counters, read: impl Fn(&str) -> Option<String>) -> Vec<String> {
        let mut breaches = self.faults.clone();
        for (path, wanted) in counters.files(&self.values) {
            let is = read(&path).unwrap_or_default();
            if let Some((line, (is, wanted))) = first_difference(&is, &wanted) {
                breaches.push(format!("{path}, line {line}: `{is}` instead of `{wanted}`"));
            }
        }
        breaches
    }
}

/// The old and new path of the file that is moved. Other files import it.
const MOVED: [&str; 2] = ["x.ts", "elsewhere/x.ts"];

/// Moves a file back and forth or requests the diagnostics of all files, until all writers have finished.
fn call_workspace_wide(moves: bool, busy: &AtomicUsize, call: &Call<'_>) -> Report {
    let mut report = Report::default();
    while busy.load(Ordering::Relaxed) > 0 {
        let [here, there] = MOVED;
        let calls = if moves {
            let way = |from, to| ("file_move", serde_json::json!({ "source": from, "destination": to }).to_string());
            vec![way(here, there), way(there, here)]
        } else {
            vec![("query", "{\"type\": \"diagnostics\"}".to_owned())]
        };
        for (tool, arguments) in calls {
            let started = Instant::now();
            if let Err(fault) = call(tool, &arguments) {
                report.faults.push(format!("{arguments}: {fault}"));
                return report;
            }
            report.questions.push(started.elapsed());
        }
    }
    report
}

fn first_difference<'a>(is: &'a str, wanted: &'a str) -> Option<(usize, (&'a str, &'a str))> {
    if is == wanted {
        return None;
    }
    let lines = is.lines().chain(["<end>"]).zip(wanted.lines().chain(["<end>"]));
    let first = lines.enumerate().find(|(_, (is, wanted))| is != wanted);
    Some(first.map_or((0, ("<line ends>", "<line ends>")), |(line, pair)| (line + 1, pair)))
}

fn is_over(limit: Limit, round: usize, started: Instant) -> bool {
    match limit {
        Limit::Rounds(rounds) => round >= rounds,
        Limit::Time(time) => started.elapsed() >= time,
    }
}

/// Returns a percentile of durations.
pub fn percentile(durations: &mut [Duration], hundredths: usize) -> Duration {
    durations.sort_unstable();
    let index = (durations.len() * hundredths / 100).min(durations.len().saturating_sub(1));
    durations.get(index).copied().unwrap_or_default()
}
