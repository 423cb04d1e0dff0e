//! A whole process: how long it takes, and how much memory it needs at most.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::{Context, Result, bail};
use wait4::Wait4;

/// What one run of a program cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    /// From before it was started until it was gone, in milliseconds.
    pub(crate) time: f64,
    /// Its largest resident set, in MiB.
    pub(crate) memory: f64,
}

/// Run a program to its end in a folder; what it prints is read by nobody.
///
/// A small process of our own stands between: the system counts the memory of whoever starts a program as the program's own.
pub(crate) fn cost(program: &Path, arguments: &[&str], folder: &Path) -> Result<Cost> {
    let output = Command::new(std::env::current_exe()?)
        .args(["bench", "cost"])
        .arg(program)
        .args(arguments)
        .current_dir(folder)
        .env("MARQ_STATE_DIR", state(folder))
        .env("MARQ_CACHE_DIR", cache(folder))
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut words = text.split_whitespace().map(str::parse::<f64>);
    match (words.next(), words.next()) {
        (Some(Ok(time)), Some(Ok(memory))) => Ok(Cost { time, memory }),
        _ => bail!("{} {} failed", program.display(), arguments.join(" ")),
    }
}

/// Where marq keeps its history while a folder is measured.
pub(crate) fn state(folder: &Path) -> PathBuf {
    folder.with_extension("state")
}

/// Where it keeps compiled packs and indices.
pub(crate) fn cache(folder: &Path) -> PathBuf {
    folder.with_extension("cache")
}

/// The process in between: run the program, print milliseconds and MiB.
pub(crate) fn print_cost(command: &[OsString]) -> Result<()> {
    let Some((program, arguments)) = command.split_first() else { bail!("no program") };
    let started = Instant::now();
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("{} cannot be started", program.display()))?;
    let used = child.wait4()?;
    let time = started.elapsed().as_secs_f64() * 1e3;
    if !used.status.success() {
        bail!("{} failed", program.display());
    }
    println!("{time} {}", used.rusage.maxrss as f64 / 1024.0 / 1024.0);
    Ok(())
}

/// The middle time and the largest memory of several runs, each prepared anew.
pub(crate) fn median(rounds: usize, mut run: impl FnMut() -> Result<Cost>) -> Result<Cost> {
    let costs = (0..rounds).map(|_| run()).collect::<Result<Vec<_>>>()?;
    let times: Vec<f64> = costs.iter().map(|cost| cost.time).collect();
    Ok(Cost { time: quantile(&times, 0.5), memory: costs.iter().map(|cost| cost.memory).fold(0.0, f64::max) })
}

/// The part (0 to 1) of the times that is not slower.
pub(crate) fn quantile(times: &[f64], part: f64) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[((sorted.len() - 1) as f64 * part).round() as usize]
}
