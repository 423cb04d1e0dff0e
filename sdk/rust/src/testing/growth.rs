//! Measures how the running time of a pack grows with the text. Run manually, as a Cargo example of the pack, on
//! worst-case texts.

use std::{
    fmt::Write as _,
    io::Write,
    time::{Duration, Instant},
};

use super::{after, replace};
use crate::{Document, EditOptions, Form, LanguagePack, Operation, Query, Target};

/// Size of the first text in bytes; each following text is twice as long.
const FIRST_SIZE: usize = 1 << 14;
/// Maximum time of a step. A step that takes longer is not run on longer texts.
const MAX_STEP_TIME: Duration = Duration::from_secs(4);
/// Shorter measurements are not used to compute the growth. Steps that take less than `SHORT` are never marked.
const MIN_STEP_TIME: Duration = Duration::from_millis(4);
const SHORT: Duration = Duration::from_millis(150);
/// Highest accepted exponent; sorting grows a little faster than the text.
const MAX_EXPONENT: f64 = 1.25;
/// Number of nodes to find, view and edit.
const MAX_NODES: usize = 6;

/// A name, and a function that creates a text of about the given size in bytes.
pub type Text = (&'static str, fn(usize) -> String);

/// An additional operation on a document.
pub type Step<P> = (&'static str, fn(&<P as LanguagePack>::Document));

/// Runs all steps on texts of doubling sizes up to `most` bytes, and writes a line for each kind of text. For each
/// step it shows the milliseconds for the longest text, and the exponent of the growth. Steps that grow faster than
/// the text are marked.
///
/// # Errors
///
/// Fails if `out` fails.
pub fn growth<P: LanguagePack>(
    out: &mut dyn Write,
    path: &str,
    (texts, steps): (&[Text], &[Step<P>]),
    most: usize,
) -> std::io::Result<()> {
    // Command-line arguments: a part of the name of a text, and a path.
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let is_asked = std::env::args().nth(2).is_none_or(|asked| asked == path);
    for (name, make) in texts.iter().filter(|(name, _)| is_asked && name.contains(&wanted)) {
        let mut rows: Vec<(usize, Vec<(&str, Duration)>)> = Vec::new();
        let mut size = FIRST_SIZE;
        while size <= most {
            let text = make(size);
            rows.push((text.len(), step_times::<P>(path, &text, steps)));
            if rows.last().is_some_and(|(_, times)| times.iter().any(|(_, time)| *time > MAX_STEP_TIME)) {
                break;
            }
            size *= 2;
        }
        let Some((length, times)) = rows.last() else { continue };
        let mut line = format!("{path} {name}, {} KiB:", length >> 10);
        for (index, (step, time)) in times.iter().enumerate() {
            let _ = write!(line, "  {step} {:.0}", time.as_secs_f64() * 1e3);
            let Some(power) = growth_exponent(&rows, index) else { continue };
            let mark = if power > MAX_EXPONENT && *time > SHORT { " !!" } else { "" };
            let _ = write!(line, " ^{power:.1}{mark}");
        }
        writeln!(out, "{line}  {}", memory())?;
        out.flush()?;
    }
    Ok(())
}

/// The exponent with which the time of a step grows; `None` if the step was too short to measure.
fn growth_exponent(rows: &[(usize, Vec<(&str, Duration)>)], step: usize) -> Option<f64> {
    let measured: Vec<(f64, f64)> =
        rows.iter().map(|(length, times)| (*length as f64, times[step].1.as_secs_f64())).collect();
    let first = measured.iter().rposition(|(_, time)| *time < MIN_STEP_TIME.as_secs_f64()).map_or(0, |last| last + 1);
    let ((least, short), (most, long)) = (measured.get(first)?, measured.last()?);
    (most > least).then(|| (long / short).log2() / (most / least).log2())
}

/// Peak memory of the process, if the system reports it.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes: usize = line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or(0);
    format!("peak {} MiB", kilobytes >> 10)
}

/// CPU time of this thread, so that other programs do not matter. Elapsed time if the system does not report it.
fn cpu_time(since: Instant) -> Duration {
    let measured = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = measured.split(' ').next().and_then(|first| first.parse().ok());
    nanoseconds.map_or_else(|| since.elapsed(), Duration::from_nanos)
}

fn step_times<P: LanguagePack>(path: &str, text: &str, steps: &[Step<P>]) -> Vec<(&'static str, Duration)> {
    let mut times = Vec::new();
    let since = Instant::now();
    let mut timed = |name, run: &mut dyn FnMut()| {
        let start = cpu_time(since);
        run();
        times.push((name, cpu_time(since) - start));
    };
    let kind = P::describe().targets[0].kind;
    let mut document = P::open(path, String::new(), "{}");
    timed("open", &mut || {
        document = P::open(path, text.to_owned(), "{}");
        document.diagnostics();
    });
    let document = &document;
    let mut nodes = Vec::new();
    timed("outline", &mut || nodes = document.outline());
    let step = nodes.len() / MAX_NODES + 1;
    let last = nodes.len().checked_sub(1);
    let chosen: Vec<_> = (0..nodes.len()).step_by(step).chain(last).map(|index| nodes[index].clone()).collect();
    let query = |value: &str| Query { target: Target { kind, value: value.to_owned() }, limit: 10, values: false };
    timed("find", &mut || {
        chosen.iter().for_each(|node| drop(document.find(&query(&node.address))));
    });
    timed("miss", &mut || drop(document.find(&query("nothing-has-this-name"))));
    timed("view", &mut || {
        for node in &chosen {
            [Form::Signature, Form::Body, Form::Summary]
                .into_iter()
                .for_each(|form| drop(document.view(node.id, form)));
        }
    });
    let options = EditOptions { include_doc: false, force: false };
    timed("edit", &mut || {
        for node in &chosen {
            for operation in [replace("x"), after("x"), Operation::Delete] {
                drop(document.edit(&[node.id], &operation, options).map(|edits| document.stays_well_formed(&edits)));
            }
        }
    });
    timed("all", &mut || {
        let ids: Vec<u32> = nodes.iter().map(|node| node.id).collect();
        drop(document.edit(&ids, &Operation::Delete, options));
    });
    timed("rest", &mut || {
        document.embedded();
        chosen.iter().for_each(|node| drop(document.dependencies(node.id)));
        let target = Target { kind, value: "$.new.made".to_owned() };
        drop(document.insert_missing(&target, "x"));
    });
    for (name, run) in steps {
        timed(name, &mut || run(document));
    }
    times
}

/// Repeats a piece up to at least this many bytes.
pub fn repeat(piece: &str, bytes: usize) -> String {
    piece.repeat(bytes / piece.len() + 1)
}

/// Nested brackets around a text, with about this many bytes in total.
pub fn nested(open: &str, middle: &str, close: &str, bytes: usize) -> String {
    let depth = bytes / (open.len() + close.len()) + 1;
    format!("{}{middle}{}", open.repeat(depth), close.repeat(depth))
}

/// Concatenates numbered pieces up to at least this many bytes.
pub fn numbered(piece: impl Fn(usize) -> String, bytes: usize) -> String {
    let mut out = String::with_capacity(bytes + 64);
    let mut number = 0;
    while out.len() < bytes {
        out += &piece(number);
        number += 1;
    }
    out
}
