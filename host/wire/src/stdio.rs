//! Newline-delimited JSON-RPC 2.0 on standard input and output. Requests run side by side; answers come as they are done.
//!
//! Plain threads: one reads, others answer and write. Every hand-over between threads costs an idle processor's time to wake
//! up, and a read of a small file takes no longer than two of them.

use std::{
    io::{BufRead, Write, stdin, stdout},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

use jsonrpsee::RpcModule;
use marquetry_model::Error;
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};
use tokio::runtime::{Builder, Runtime};

use crate::{
    calls::{CANCEL, Call, Calls, Outbox, PROGRESS},
    catalog::Catalog,
};

/// Requests that run at once.
const AT_ONCE: usize = 64;
/// Messages that are read before they can run, so that one that cancels is not kept waiting; further ones wait in the pipe.
const READ_AHEAD: usize = 1024;
/// Stack of a thread that runs tools: a guest may use two MiB of it, and the host some more.
const STACK: usize = 8 << 20;

/// The methods, and what the calls of this one connection share.
#[derive(Clone)]
struct Session {
    module: RpcModule<Catalog>,
    calls: Calls,
}

/// One message as far as it has to be understood before it runs.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

/// Serve until the input ends and every request is answered. The methods of the module must answer at once, without a runtime.
pub fn serve(mut module: RpcModule<Catalog>) -> Result<(), Error> {
    module.extensions_mut().insert(Outbox(Arc::new(|params: Value| {
        say(json!({ "jsonrpc": "2.0", "method": PROGRESS, "params": params }).to_string());
    })));
    let session = Session { module, calls: Calls::default() };
    let mut workers = Workers::new(session.clone());
    let (mut input, mut line) = (stdin().lock(), Vec::new());
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line).trim().to_owned();
        if !text.is_empty() {
            workers.give(session.read(text))?;
        }
    }
    workers.finish();
    Ok(())
}

/// One line of output. Whoever should read it is gone where it cannot be written: that is no failure.
fn say(mut line: String) {
    line.push('\n');
    let mut out = stdout().lock();
    let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
}

/// Threads that answer messages: as many as have been needed at once.
struct Workers {
    session: Session,
    messages: mpsc::SyncSender<Message>,
    shared: Arc<Shared>,
    threads: Vec<thread::JoinHandle<()>>,
}

struct Shared {
    messages: Mutex<mpsc::Receiver<Message>>,
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

    fn give(&mut self, message: Message) -> Result<(), Error> {
        let waiting = self.shared.waiting.fetch_add(1, Ordering::SeqCst) + 1;
        if waiting > self.shared.idle.load(Ordering::SeqCst) && self.threads.len() < AT_ONCE {
            self.spawn()?;
        }
        self.messages.send(message).map_err(|error| Error::internal(error.to_string()))
    }

    fn spawn(&mut self) -> Result<(), Error> {
        let (session, shared) = (self.session.clone(), Arc::clone(&self.shared));
        // What drives the methods' futures, which are ready at once.
        let runtime = Builder::new_current_thread().build().map_err(|error| Error::internal(error.to_string()))?;
        let work = move || {
            while let Some(message) = shared.take() {
                if let Some(answer) = session.answer(&runtime, message) {
                    say(answer);
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

    /// Wait until everything is answered.
    fn finish(self) {
        drop(self.messages);
        for thread in self.threads {
            // A panic in it was reported already.
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// The next message; none when there will be no more.
    fn take(&self) -> Option<Message> {
        self.idle.fetch_add(1, Ordering::SeqCst);
        let message = self.messages.lock().unwrap_or_else(PoisonError::into_inner).recv();
        self.idle.fetch_sub(1, Ordering::SeqCst);
        let message = message.ok()?;
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        Some(message)
    }
}

/// A message: its requests, each with its call.
enum Message {
    One(String, Option<Call>),
    Batch(Vec<(String, Option<Call>)>),
    Broken(String),
}

impl Session {
    /// Take a message in: its calls can be cancelled from here on, also by itself.
    fn read(&self, text: String) -> Message {
        if !text.starts_with('[') {
            let call = self.begin(&text);
            return Message::One(text, call);
        }
        match serde_json::from_str::<Vec<Box<RawValue>>>(&text) {
            Err(_) => Message::Broken(failure(-32700, "not JSON")),
            Ok(batch) if batch.is_empty() => Message::Broken(failure(-32600, "an empty batch")),
            Ok(batch) => {
                let requests = batch.into_iter().map(|request| {
                    let call = self.begin(request.get());
                    (request.get().to_owned(), call)
                });
                Message::Batch(requests.collect())
            }
        }
    }

    /// A request begins a call, a `$/cancelRequest` ends one.
    fn begin(&self, text: &str) -> Option<Call> {
        let head = serde_json::from_str::<Head<'_>>(text).ok()?;
        match head.id {
            // As a value, so that the same id is the same text.
            Some(id) => Some(self.calls.begin(0, serde_json::from_str::<Value>(id.get()).ok()?.to_string())),
            None => {
                let method = serde_json::from_str::<String>(head.method?.get()).ok()?;
                if method == CANCEL {
                    self.calls.cancel(0, head.params.map(RawValue::get));
                }
                None
            }
        }
    }

    /// The answer to one message: a request, a notification (none), or a batch.
    fn answer(&self, runtime: &Runtime, message: Message) -> Option<String> {
        match message {
            Message::One(text, call) => self.single(runtime, &text, call),
            Message::Broken(answer) => Some(answer),
            Message::Batch(requests) => {
                let mut answers = Vec::new();
                for (text, call) in requests {
                    answers.extend(self.single(runtime, &text, call));
                }
                (!answers.is_empty()).then(|| format!("[{}]", answers.join(",")))
            }
        }
    }

    fn single(&self, runtime: &Runtime, text: &str, call: Option<Call>) -> Option<String> {
        let mut module = self.module.clone();
        if let Some(call) = &call {
            module.extensions_mut().insert(call.work.clone());
        }
        match runtime.block_on(module.raw_json_request(text, 1)) {
            Ok((answer, _)) => Some(answer.get().to_owned()),
            Err(_) => match serde_json::from_str::<Value>(text) {
                Err(error) => Some(failure(-32700, &format!("not JSON: {error}"))),
                // A notification: nothing that a tool does is worth doing without an answer.
                Ok(Value::Object(message)) if message.contains_key("method") && !message.contains_key("id") => None,
                Ok(_) => Some(failure(-32600, "not a JSON-RPC 2.0 request")),
            },
        }
    }
}

fn failure(code: i32, message: &str) -> String {
    let data = json!({ "kind": "InvalidArgument", "message": message, "hint": null, "candidates": [] });
    json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message, "data": data } }).to_string()
}
