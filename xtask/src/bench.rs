//! Figures: reads and edits, warm and as a whole process, next to peers that are installed, all in one run.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Instant,
};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::{
    inputs,
    shell::{run as shell, step, top},
};

const WARM: usize = 40;
const WHOLE: usize = 10;

/// One input, with what is read and changed in it.
pub(crate) struct Input {
    pub(crate) file: &'static str,
    pub(crate) target: &'static str,
    pub(crate) content: &'static str,
    /// Peers' commands that read the same: program and arguments; `{}` is the file.
    pub(crate) peers: &'static [&'static [&'static str]],
}

/// Measure everything, or only the inputs whose name contains the text.
pub(crate) fn run(only: Option<&str>) -> Result<()> {
    step("marq, optimised");
    shell("cargo", &["build", "--release", "--package", "marquetry"])?;
    let folder = top().join("target/bench");
    step("inputs in target/bench");
    let inputs = inputs::make(&folder)?;
    let chosen: Vec<&Input> = inputs.iter().filter(|input| only.is_none_or(|only| input.file.contains(only))).collect();
    let marq = top().join("target/release/marq");
    // Compile the packs before anything is measured.
    Command::new(&marq).arg("doctor").current_dir(&folder).stdout(Stdio::null()).status()?;
    println!(
        "\n{:<16}{:>10}{:>10}{:>10}{:>10}{:>11}{:>11}{:>11}{:>9}",
        "milliseconds", "read p50", "p95", "unchanged", "edit p50", "p95", "first", "process", "MiB"
    );
    for input in &chosen {
        measure(&marq, &folder, input)?;
    }
    step("peers, whole process, median");
    for input in &chosen {
        for peer in input.peers {
            peer_figure(&folder, input, peer)?;
        }
    }
    step("the sandbox next to the same code native: open and find");
    shell("cargo", &["build", "--release", "--package", "ratio"])?;
    let mut ratio = Command::new(top().join("target/release/ratio"));
    for input in
        chosen.iter().filter(|input| [".ts", ".tsx", ".json", ".md"].iter().any(|end| input.file.ends_with(end)))
    {
        ratio.arg(folder.join(input.file)).arg(input.target);
    }
    println!("file, native ms, sandboxed ms, ratio");
    ratio.status()?;
    Ok(())
}

fn measure(marq: &Path, folder: &Path, input: &Input) -> Result<()> {
    let path = folder.join(input.file);
    let original = fs::read(&path)?;
    let mut session = Session::start(marq, folder)?;
    let read = json!({ "file": input.file, "target": input.target });
    let first = session.timed("file/read", &read)?;
    let mut changed = Vec::new();
    for round in 0..WARM {
        let mut bytes = original.clone();
        bytes.extend(std::iter::repeat_n(b'\n', round + 1));
        fs::write(&path, bytes)?;
        changed.push(session.timed("file/read", &read)?);
    }
    let unchanged = (0..WARM).map(|_| session.timed("file/read", &read)).collect::<Result<Vec<_>>>()?;
    let mut edits = Vec::new();
    for round in 0..WARM {
        let mut bytes = original.clone();
        bytes.extend(std::iter::repeat_n(b'\n', round + 1));
        fs::write(&path, bytes)?;
        let edit =
            json!({ "file": input.file, "target": input.target, "operation": "replace", "content": input.content });
        edits.push(session.timed("file/edit", &edit)?);
    }
    let memory = session.peak_memory();
    drop(session);
    fs::write(&path, &original)?;
    let whole =
        (0..WHOLE).map(|_| process(marq, &["read", input.file, input.target], folder)).collect::<Result<Vec<_>>>()?;
    println!(
        "{:<16}{:>10.3}{:>10.3}{:>10.3}{:>10.3}{:>11.3}{:>11.3}{:>11.3}{:>9}",
        input.file,
        quantile(&changed, 0.5),
        quantile(&changed, 0.95),
        quantile(&unchanged, 0.5),
        quantile(&edits, 0.5),
        quantile(&edits, 0.95),
        first,
        quantile(&whole, 0.5),
        memory
    );
    Ok(())
}

fn quantile(times: &[f64], part: f64) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[((sorted.len() - 1) as f64 * part).round() as usize]
}

/// A whole process, in milliseconds.
fn process(program: &Path, arguments: &[&str], folder: &Path) -> Result<f64> {
    let started = Instant::now();
    let status = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    if !status.success() {
        bail!("{} {} failed", program.display(), arguments.join(" "));
    }
    Ok(started.elapsed().as_secs_f64() * 1e3)
}

fn peer_figure(folder: &Path, input: &Input, peer: &[&str]) -> Result<()> {
    let Some((program, arguments)) = peer.split_first() else { return Ok(()) };
    let found = std::env::var_os("PATH")
        .is_some_and(|paths| std::env::split_paths(&paths).any(|path| path.join(program).is_file()));
    if !found {
        println!("{:<16}{program}: not installed", input.file);
        return Ok(());
    }
    let arguments: Vec<&str> =
        arguments.iter().map(|argument| if *argument == "{}" { input.file } else { argument }).collect();
    let times = (0..5).map(|_| process(&PathBuf::from(program), &arguments, folder)).collect::<Result<Vec<_>>>();
    match times {
        Ok(times) => println!("{:<16}{program}: {:.1} ms", input.file, quantile(&times, 0.5)),
        Err(error) => println!("{:<16}{program}: {error}", input.file),
    }
    Ok(())
}

/// A running `marq rpc --stdio`.
struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    id: u64,
}

impl Session {
    fn start(marq: &Path, folder: &Path) -> Result<Session> {
        let mut child = Command::new(marq)
            .args(["rpc", "--stdio"])
            .current_dir(folder)
            .env("MARQ_STATE_DIR", folder.join("state"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().context("no input")?;
        let output = BufReader::new(child.stdout.take().context("no output")?);
        Ok(Session { child, input, output, id: 0 })
    }

    /// One call, in milliseconds.
    fn timed(&mut self, method: &str, params: &Value) -> Result<f64> {
        self.id += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params }).to_string() + "\n";
        let started = Instant::now();
        self.input.write_all(request.as_bytes())?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let time = started.elapsed().as_secs_f64() * 1e3;
        if !line.contains("\"result\"") {
            bail!("{method} {params}: {}", line.chars().take(300).collect::<String>());
        }
        Ok(time)
    }

    /// In MiB; zero where the system does not say.
    fn peak_memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
        line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) / 1024
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It ends by itself when its input does; the figures are taken.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
