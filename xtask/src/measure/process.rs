//! Wall time and peak memory of a whole process.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::{Context, Result, bail};
use wait4::Wait4;

use crate::shell::{cache_folder, top};

/// The cost of one run of a program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    /// Milliseconds from before the start of the process until after its end.
    pub(crate) time: f64,
    /// Peak resident set size in MiB.
    pub(crate) memory: f64,
}

/// Runs a program in a folder, discards its output, and returns the cost.
///
/// The program is started by a small helper process (`cargo xtask cost`). Otherwise the result would be too high,
/// because Linux counts the memory that the parent has at the fork as peak memory of the child.
pub(crate) fn measure_process(program: &Path, arguments: &[&str], folder: &Path) -> Result<Cost> {
    let output = Command::new(std::env::current_exe()?)
        .arg("cost")
        .arg(program)
        .args(arguments)
        .current_dir(folder)
        .env("MARQ_STATE_DIR", state_folder(folder))
        .env("MARQ_CACHE_DIR", cache_folder())
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut words = text.split_whitespace().map(str::parse::<f64>);
    match (words.next(), words.next()) {
        (Some(Ok(time)), Some(Ok(memory))) => Ok(Cost { time, memory }),
        _ => bail!("`{} {}` failed", program.display(), arguments.join(" ")),
    }
}

/// The state folder (history, journal) of marq while it works in this folder.
pub(crate) fn state_folder(folder: &Path) -> PathBuf {
    top().join("target/prove/state").join(folder.file_name().unwrap_or_default())
}

/// Runs the hidden subcommand `cost`: starts the program, and prints its milliseconds and MiB.
pub(crate) fn print_cost(command: &[OsString]) -> Result<()> {
    let Some((program, arguments)) = command.split_first() else { bail!("no program") };
    let started = Instant::now();
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start `{}`", program.display()))?;
    let used = child.wait4()?;
    let time = started.elapsed().as_secs_f64() * 1e3;
    if !used.status.success() {
        bail!("`{}` failed", program.display());
    }
    println!("{time} {}", used.rusage.maxrss as f64 / 1024.0 / 1024.0);
    Ok(())
}

/// Peak resident set size of a running process in MiB; zero on systems without `/proc`.
pub(crate) fn peak_memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// Median time and maximum memory of several runs.
pub(crate) fn median(rounds: usize, mut run: impl FnMut() -> Result<Cost>) -> Result<Cost> {
    let costs = (0..rounds).map(|_| run()).collect::<Result<Vec<_>>>()?;
    let times: Vec<f64> = costs.iter().map(|cost| cost.time).collect();
    Ok(Cost { time: quantile(&times, 0.5), memory: costs.iter().map(|cost| cost.memory).fold(0.0, f64::max) })
}

/// Returns the quantile `part` (0 to 1) of the times.
pub(crate) fn quantile(times: &[f64], part: f64) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[((sorted.len() - 1) as f64 * part).round() as usize]
}
