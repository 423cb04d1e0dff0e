//! Many clients of one server process: checks that no edit is lost, and measures how long calls take.
//!
//! The clients are threads that share the standard streams of one `marq rpc --stdio`, which runs requests in parallel.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use marquetry_load::{Counters, Limit, percentile};
use serde_json::{Value, json};

use super::{Run, setup};
use crate::{
    measure::{
        process::peak_memory,
        table::{Table, ms, number, text},
    },
    shell::cache_folder,
};

const CLIENTS: usize = 64;
const SAMPLED_CLIENTS: usize = 16;
/// Duration of each part.
const TIME: Duration = Duration::from_secs(10);

/// Measures clients that edit files of all formats, then clients that all edit one file.
pub(super) fn run(run: &Run) -> Result<()> {
    let clients = if run.is_sampled() { SAMPLED_CLIENTS } else { CLIENTS };
    let limit = run.sample().map_or(Limit::Time(TIME), Limit::Rounds);
    let each = clients.div_ceil(8).max(2);
    let all = Counters::new;
    let parts = [
        ("editors of many files", all(each)),
        ("readers and editors of many files", with_readers(all(each), clients)),
        ("editors of one file, by lines", all(clients).only("lines.txt")),
        ("editors of one file, by symbols", all(clients).only("symbols.ts")),
        ("readers and editors of one file", with_readers(all(clients), clients).only("symbols.ts")),
    ];
    let columns = ["calls", "per second", "p50 ms", "p99 ms", "max ms", "peak MiB"];
    let columns = columns.map(number);
    let table = Table::start(&[&[text("clients", 34), text("calls of", 9)], &columns[..]].concat());
    let mut breaches = 0;
    for (title, counters) in parts {
        breaches += measure(run, title, clients, limit, &counters, &table)?;
    }
    ensure!(breaches == 0, "{breaches} edits were lost, or calls failed");
    Ok(())
}

/// Adds clients that do not write. Half of the clients write. The others read, except two: one moves a file, and one
/// requests the diagnostics of all files.
fn with_readers(counters: Counters, clients: usize) -> Counters {
    counters.with_other_clients((clients / 2).saturating_sub(2), 2)
}

/// Runs one part, and returns the number of lost edits and failed calls.
fn measure(run: &Run, title: &str, clients: usize, limit: Limit, counters: &Counters, table: &Table) -> Result<usize> {
    let folder = setup::empty_folder("load")?;
    let root = folder.join("root");
    for (path, text) in counters.files(&BTreeMap::new()) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().context("a file has a folder")?)?;
        fs::write(path, text)?;
    }
    let server = Server::start(run.program(), &folder)?;
    // The server opens the packs before the measurement.
    server.call("query", &json!({ "type": "diagnostics" }).to_string()).map_err(anyhow::Error::msg)?;
    let call = |tool: &str, arguments: &str| server.call(tool, arguments);
    let started = Instant::now();
    let mut report = counters.run(clients - counters.non_writers(), limit, &call);
    let time = started.elapsed();
    let memory = peak_memory(server.child.id()).to_string();
    drop(server);
    let breaches = report.failures(counters, |path| fs::read_to_string(root.join(path)).ok());
    let kinds = [("edit", &mut report.edits), ("read", &mut report.reads), ("workspace", &mut report.questions)];
    for (kind, durations) in kinds.into_iter().filter(|(_, durations)| !durations.is_empty()) {
        let rate = durations.len() as f64 / time.as_secs_f64();
        let times = [50, 99, 100].map(|hundredths| ms(percentile(durations, hundredths).as_secs_f64() * 1e3));
        let calls = durations.len().to_string();
        table.row(&[title, kind, &calls, &format!("{rate:.0}"), &times[0], &times[1], &times[2], &memory]);
    }
    for breach in breaches.iter().take(20) {
        println!("    {breach}");
    }
    Ok(breaches.len())
}

/// Channels to the clients that wait for an answer, by request id.
type Waiting = Arc<Mutex<HashMap<u64, mpsc::Sender<Value>>>>;

/// A server process that many threads call.
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
            .env("MARQ_CACHE_DIR", cache_folder())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start `{}`", program.display()))?;
        let input = Mutex::new(child.stdin.take().context("no input")?);
        let output = BufReader::new(child.stdout.take().context("no output")?);
        let waiting = Waiting::default();
        let known = Arc::clone(&waiting);
        thread::spawn(move || {
            for line in output.lines().map_while(std::result::Result::ok) {
                let Ok(answer) = serde_json::from_str::<Value>(&line) else { continue };
                let Some(id) = answer["id"].as_u64() else { continue };
                if let Some(waits) = known.lock().unwrap_or_else(PoisonError::into_inner).remove(&id) {
                    // The client may have timed out.
                    let _ = waits.send(answer);
                }
            }
            // The process has ended: all waiting clients get an error.
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
        written.map_err(|error| format!("the server does not read requests: {error}"))?;
        let mut answer =
            answer.recv_timeout(Duration::from_secs(120)).map_err(|_| format!("no answer to {request}"))?;
        match answer.get("error") {
            Some(error) => Err(error.to_string()),
            None => Ok(answer["result"].take()),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // All answers have arrived; there is no need to wait for an orderly shutdown.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
