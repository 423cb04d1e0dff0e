//! Newline-delimited JSON-RPC 2.0 on standard input and output. Requests run side by side; answers come as they are done.
//!
//! Plain threads: one reads, others answer and write. Every hand-over between threads costs an idle processor's time to wake
//! up, and a read of a small file takes no longer than two of them.

use std::{
    io::{BufRead, Read, Write, stdin, stdout},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use marquetry_model::Error;
use serde_json::{Value, json, value::RawValue};

use crate::{
    calls::{CANCEL, Call, Calls, Outbox, PROGRESS},
    catalog::Catalog,
    gone::{self, Client},
    rpc::{self, MOST_BYTES, Message},
};

/// Requests that run at once.
const AT_ONCE: usize = 64;
/// Messages that are read before they can run, so that one that cancels is not kept waiting; further ones wait in the pipe.
const READ_AHEAD: usize = 1024;
/// Stack of a thread that runs tools: a guest may use two MiB of it, and the host some more.
const STACK: usize = 8 << 20;

/// What the calls of this one connection share.
#[derive(Clone)]
struct Session {
    catalog: Catalog,
    calls: Calls,
    outbox: Outbox,
    output: Output,
}

/// Where answers go, a line each.
#[derive(Clone)]
struct Output(Arc<Mutex<dyn Write + Send>>);

impl Output {
    /// Whoever should read it is gone where it cannot be written: that is no failure.
    fn say(&self, mut line: String) {
        line.push('\n');
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
    }
}

/// Serve until the input ends and every request is answered, or nobody waits for the answers.
pub fn serve(catalog: Catalog) -> Result<(), Error> {
    talk(catalog, &mut stdin().lock(), stdout(), &Client::of_standard_streams())
}

/// Lines in, lines out.
fn talk(
    catalog: Catalog,
    input: &mut dyn BufRead,
    output: impl Write + Send + 'static,
    client: &Client,
) -> Result<(), Error> {
    let output = Output(Arc::new(Mutex::new(output)));
    let progress = output.clone();
    let outbox = Outbox(Arc::new(move |params: Value| {
        progress.say(json!({ "jsonrpc": "2.0", "method": PROGRESS, "params": params }).to_string());
    }));
    let session = Session { catalog, calls: Calls::default(), outbox, output };
    let mut workers = Workers::new(session.clone());
    while let Some(line) = next_line(input) {
        match line {
            Ok(text) if text.trim().is_empty() => {}
            Ok(text) => workers.give(session.read(&text))?,
            Err(answer) => session.output.say(answer),
        }
    }
    workers.finish(client);
    Ok(())
}

/// The next line, or the answer to one that cannot be taken.
fn next_line(input: &mut dyn BufRead) -> Option<Result<String, String>> {
    let mut line = Vec::new();
    match input.take(MOST_BYTES as u64).read_until(b'\n', &mut line) {
        Ok(0) | Err(_) => return None,
        Ok(read) if read == MOST_BYTES && !line.ends_with(b"\n") => {
            input.skip_until(b'\n').ok()?;
            let why = format!("it is longer than {} MiB", MOST_BYTES >> 20);
            return Some(Err(rpc::not_a_request("null", &why)));
        }
        Ok(_) => {}
    }
    // A character that is none must not become another one on its way to a file.
    Some(
        String::from_utf8(line)
            .map_err(|_| rpc::refusal("null", rpc::NOT_JSON, &Error::argument("not JSON: it is no UTF-8"))),
    )
}

/// Threads that answer messages: as many as have been needed at once.
struct Workers {
    session: Session,
    messages: mpsc::SyncSender<Given>,
    shared: Arc<Shared>,
    threads: Vec<thread::JoinHandle<()>>,
}

struct Shared {
    messages: Mutex<mpsc::Receiver<Given>>,
    /// Threads that wait for a message.
    idle: AtomicUsize,
    /// Messages that wait for a thread.
    waiting: AtomicUsize,
}

impl Workers {
    fn new(session: Session) -> Workers {
        let (messages, receiver) = mpsc::sync_channel(READ_AHEAD);
        let shared = Shared { messages: Mutex::new(receiver), idle: AtomicUsize::new(0), waiting: AtomicUsize::new(0) };
        Workers { session, messages, shared: Arc::new(shared), threads: Vec::new() }
    }

    fn give(&mut self, message: Given) -> Result<(), Error> {
        let waiting = self.shared.waiting.fetch_add(1, Ordering::SeqCst) + 1;
        if waiting > self.shared.idle.load(Ordering::SeqCst) && self.threads.len() < AT_ONCE {
            self.spawn()?;
        }
        self.messages.send(message).map_err(|error| Error::internal(error.to_string()))
    }

    fn spawn(&mut self) -> Result<(), Error> {
        let (session, shared) = (self.session.clone(), Arc::clone(&self.shared));
        let work = move || {
            while let Some(message) = shared.take() {
                if let Some(answer) = session.answer(message) {
                    session.output.say(answer);
                }
            }
        };
        match thread::Builder::new().stack_size(STACK).spawn(work) {
            Ok(thread) => self.threads.push(thread),
            // Where no more threads can be had, the others do the work.
            Err(_) if !self.threads.is_empty() => {}
            Err(error) => return Err(Error::internal(format!("no thread: {error}"))),
        }
        Ok(())
    }

    /// Wait until everything is answered, or nobody waits for it: then what runs is cancelled, and what does not end soon is
    /// left to end with the process.
    fn finish(self, client: &Client) {
        drop(self.messages);
        let ended = Instant::now();
        let mut cancelled: Option<Instant> = None;
        let mut pause = Duration::from_millis(1);
        while !self.threads.iter().all(thread::JoinHandle::is_finished) {
            if cancelled.is_none() && client.is_gone(ended.elapsed()) {
                cancelled = Some(Instant::now());
            }
            if let Some(since) = cancelled {
                // Again and again: calls that waited for a thread begin now.
                self.session.calls.cancel_all();
                if since.elapsed() > gone::TO_END {
                    return;
                }
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(50));
        }
    }
}

impl Shared {
    /// The next message; none when there will be no more.
    fn take(&self) -> Option<Given> {
        self.idle.fetch_add(1, Ordering::SeqCst);
        let message = self.messages.lock().unwrap_or_else(PoisonError::into_inner).recv();
        self.idle.fetch_sub(1, Ordering::SeqCst);
        let message = message.ok()?;
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        Some(message)
    }
}

/// A message that was read, and the call that it began.
type Begun = (Message, Option<Call>);

/// One message, or several at once.
enum Given {
    One(Begun),
    Batch(Vec<Begun>),
}

impl Session {
    /// Take a message in: its calls can be cancelled from here on, also by itself.
    fn read(&self, text: &str) -> Given {
        if !text.trim_start().starts_with('[') {
            return Given::One(self.begin(text));
        }
        match serde_json::from_str::<Vec<Box<RawValue>>>(text) {
            Err(error) => Given::One((Message::Wrong(rpc::not_json(&error)), None)),
            Ok(batch) if batch.is_empty() => {
                Given::One((Message::Wrong(rpc::not_a_request("null", "a batch holds at least one")), None))
            }
            Ok(batch) => Given::Batch(batch.iter().map(|message| self.begin(message.get())).collect()),
        }
    }

    /// A request begins a call, a `$/cancelRequest` ends one.
    fn begin(&self, text: &str) -> Begun {
        let message = Message::read(text);
        let call = match &message {
            Message::Request { id, .. } => Some(self.calls.begin(0, id.clone())),
            Message::Notification { method, params } if method == CANCEL => {
                self.calls.cancel(0, params.as_deref().map(RawValue::get));
                None
            }
            Message::Notification { .. } | Message::Wrong(_) => None,
        };
        (message, call)
    }

    /// The answer to one message: a request, a notification (none), or a batch.
    fn answer(&self, given: Given) -> Option<String> {
        match given {
            Given::One(one) => self.single(one),
            Given::Batch(several) => {
                let answers: Vec<String> = several.into_iter().filter_map(|one| self.single(one)).collect();
                (!answers.is_empty()).then(|| format!("[{}]", answers.join(",")))
            }
        }
    }

    fn single(&self, (message, call): Begun) -> Option<String> {
        match message {
            Message::Request { id, method, params } => {
                let work = call.as_ref().map(|call| call.work.clone()).unwrap_or_default();
                Some(rpc::answer(&self.catalog, (&id, &method, params.as_deref()), &work, &self.outbox))
            }
            // Nothing that a tool does is worth doing without an answer.
            Message::Notification { .. } => None,
            Message::Wrong(answer) => Some(answer),
        }
    }
}

#[cfg(test)]
#[path = "stdio_tests.rs"]
mod tests;
