//! Many clients against one server process: every edit on what it names, none lost, and how long calls take.
//!
//! The clients are threads that share the standard streams of one `marq rpc --stdio`: its requests run side by side.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use clap::Args;
use marquetry_load::{Counters, Limit, Report, percentile};
use serde_json::{Value, json};

use crate::shell::{step, top};

/// How hard, and how long.
#[derive(Args)]
pub(crate) struct Stress {
    /// Clients at once
    #[arg(long, default_value_t = 64)]
    pub(crate) clients: usize,
    /// Seconds for each part
    #[arg(long, default_value_t = 10)]
    pub(crate) seconds: u64,
    /// The program [default: target/release/marq, or else target/debug/marq]
    #[arg(long)]
    pub(crate) marq: Option<PathBuf>,
}

/// All files of all formats, then one file that all clients write.
pub(crate) fn run(stress: &Stress) -> Result<()> {
    let built = ["target/release/marq", "target/debug/marq"].map(|path| top().join(path));
    let found = stress.marq.clone().or_else(|| built.into_iter().find(|path| path.is_file()));
    let program = found.context("there is no program: run `cargo build --release --package marquetry`")?;
    let each = stress.clients.div_ceil(8).max(2);
    let breaches = part("many files, every kind of target", &program, stress, &Counters::new(each))?
        + part("readers and editors of many files", &program, stress, &half(each, stress))?
        + part("one file, by lines", &program, stress, &Counters::new(stress.clients).only("lines.txt"))?
        + part("one file, by symbols", &program, stress, &Counters::new(stress.clients).only("symbols.ts"))?
        + part("readers and editors of one file", &program, stress, &half(stress.clients, stress).only("symbols.ts"))?;
    if breaches > 0 {
        bail!("{breaches} breaches");
    }
    Ok(())
}

/// Half of the clients write; the others read, but for two: one moves a file, one asks for the problems of all files.
fn half(each: usize, stress: &Stress) -> Counters {
    Counters::new(each).beside((stress.clients / 2).saturating_sub(2), 2)
}

fn part(title: &str, program: &Path, stress: &Stress, counters: &Counters) -> Result<usize> {
    step(&format!("{title}: {} clients, {} s, {}", stress.clients, stress.seconds, program.display()));
    let folder = top().join("target/stress");
    // What an earlier run left is in nobody's way.
    let _ = fs::remove_dir_all(&folder);
    let root = folder.join("root");
    for (path, text) in counters.files(&BTreeMap::new()) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().context("a folder")?)?;
        fs::write(path, text)?;
    }
    let server = Server::start(program, &folder)?;
    // Packs are compiled before anything is measured.
    server.call("query", &json!({ "type": "diagnostics" }).to_string()).map_err(anyhow::Error::msg)?;
    let call = |tool: &str, arguments: &str| server.call(tool, arguments);
    let started = Instant::now();
    let mut report =
        counters.run(stress.clients - counters.others(), Limit::Time(Duration::from_secs(stress.seconds)), &call);
    let time = started.elapsed();
    let memory = server.peak_memory();
    drop(server);
    let breaches = report.breaches(counters, |path| fs::read_to_string(root.join(path)).ok());
    print(&mut report, time, memory);
    for breach in breaches.iter().take(20) {
        println!("    {breach}");
    }
    Ok(breaches.len())
}

fn print(report: &mut Report, time: Duration, memory: u64) {
    let raised = report.values.values().sum::<usize>();
    println!(
        "    {} edits and {} reads a second; counters stand at {raised}; {} failed; {memory} MiB at most",
        report.edits.len() as u64 * 1000 / (time.as_millis() as u64).max(1),
        report.reads.len() as u64 * 1000 / (time.as_millis() as u64).max(1),
        report.faults.len(),
    );
    let kinds = [("edit", &mut report.edits), ("read", &mut report.reads), ("whole workspace", &mut report.questions)];
    for (name, durations) in kinds.into_iter().filter(|(_, durations)| !durations.is_empty()) {
        let [median, late, worst] =
            [50, 99, 100].map(|hundredths| percentile(durations, hundredths).as_secs_f64() * 1e3);
        println!("    {name}: p50 {median:.1} ms, p99 {late:.1} ms, slowest {worst:.1} ms");
    }
}

/// Answers that somebody waits for, by the id of the request.
type Waiting = Arc<Mutex<HashMap<u64, mpsc::Sender<Value>>>>;

/// One process that many threads call.
struct Server {
    child: Child,
    input: Mutex<ChildStdin>,
    waiting: Waiting,
    next: AtomicU64,
}

impl Server {
    fn start(program: &Path, folder: &Path) -> Result<Server> {
        let mut child = Command::new(program)
            .args(["rpc", "--stdio"])
            .current_dir(folder.join("root"))
            .env("MARQ_STATE_DIR", folder.join("state"))
            .env("MARQ_CACHE_DIR", top().join("target/test-cache"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = Mutex::new(child.stdin.take().context("no input")?);
        let output = BufReader::new(child.stdout.take().context("no output")?);
        let waiting = Waiting::default();
        let known = Arc::clone(&waiting);
        thread::spawn(move || {
            for line in output.lines().map_while(std::result::Result::ok) {
                let Ok(answer) = serde_json::from_str::<Value>(&line) else { continue };
                let Some(id) = answer["id"].as_u64() else { continue };
                if let Some(waits) = known.lock().unwrap_or_else(PoisonError::into_inner).remove(&id) {
                    // Whoever waited may be gone.
                    let _ = waits.send(answer);
                }
            }
            // The process has ended: nobody gets an answer any more.
            known.lock().unwrap_or_else(PoisonError::into_inner).clear();
        });
        Ok(Server { child, input, waiting, next: AtomicU64::new(1) })
    }

    fn call(&self, tool: &str, arguments: &str) -> std::result::Result<Value, String> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sends, answer) = mpsc::channel();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(id, sends);
        let method = tool.replacen('_', "/", 1);
        let request = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{arguments}}}\n");
        let written = self.input.lock().unwrap_or_else(PoisonError::into_inner).write_all(request.as_bytes());
        written.map_err(|error| format!("the server takes nothing more: {error}"))?;
        let mut answer =
            answer.recv_timeout(Duration::from_secs(120)).map_err(|_| format!("no answer to {request}"))?;
        match answer.get("error") {
            Some(error) => Err(error.to_string()),
            None => Ok(answer["result"].take()),
        }
    }

    /// The largest resident set so far, in MiB; zero where the system does not say.
    fn peak_memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
        line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) / 1024
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // All answers are there; what the process still does is of no use to anybody.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
