//! Newline-delimited JSON-RPC 2.0 on standard input and output. Requests run concurrently; responses are sent as they
//! are ready.
//!
//! This module uses plain threads: one reads messages, others answer them and write the responses. A message is passed
//! to another thread only once, because waking up two threads takes as long as reading a small file.

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

use marquetry_model::{Error, Work};
use serde_json::{Value, json, value::RawValue};

use crate::{
    ServedCatalog,
    calls::{CANCEL, Call, Calls, Outbox, PROGRESS},
    disconnect::{self, StdioClient},
    limits::{Limits, MESSAGE, READ_AHEAD, STACK},
    queues::Queue,
    rpc::{self, Message},
    unread::Unread,
};

/// State shared by the calls of the connection.
#[derive(Clone)]
struct Session {
    catalog: ServedCatalog,
    calls: Calls,
    outbox: Outbox,
    output: Output,
}

/// Writes responses, one per line.
#[derive(Clone)]
struct Output {
    out: Arc<Mutex<dyn Write + Send>>,
    unread: Arc<Unread>,
}

impl Output {
    fn new(out: impl Write + Send + 'static) -> Output {
        Output { out: Arc::new(Mutex::new(out)), unread: Arc::default() }
    }

    /// A write fails if the client has disconnected, which is not an error.
    fn send_line(&self, mut line: String) {
        line.push('\n');
        self.unread.answered(line.len());
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
        self.unread.written(line.len());
    }
}

/// Serves until the input ends and all requests are answered, or until the client has disconnected.
pub fn serve(catalog: ServedCatalog) -> Result<(), Error> {
    serve_streams(catalog, &mut stdin().lock(), stdout(), &StdioClient::of_standard_streams())
}

/// Serves the given streams.
fn serve_streams(
    catalog: ServedCatalog,
    input: &mut dyn BufRead,
    output: impl Write + Send + 'static,
    client: &StdioClient,
) -> Result<(), Error> {
    let output = Output::new(output);
    let progress = output.clone();
    let outbox = Outbox(Arc::new(move |params: Value| {
        progress.send_line(json!({ "jsonrpc": "2.0", "method": PROGRESS, "params": params }).to_string());
    }));
    let session = Session { catalog, calls: Calls::default(), outbox, output };
    let mut workers = Workers::new(session.clone());
    while let Some(line) = next_line(input) {
        match line {
            Ok(text) if text.trim().is_empty() => {}
            Ok(text) => workers.enqueue(session.parse(&text), text.len())?,
            Err(answer) => session.output.send_line(answer),
        }
    }
    workers.finish(client);
    Ok(())
}

/// Returns the next line, or the response to one that is invalid.
fn next_line(input: &mut dyn BufRead) -> Option<Result<String, String>> {
    let mut line = Vec::new();
    match input.take(MESSAGE as u64).read_until(b'\n', &mut line) {
        Ok(0) | Err(_) => return None,
        Ok(read) if read == MESSAGE && !line.ends_with(b"\n") => {
            input.skip_until(b'\n').ok()?;
            let why = format!("it is longer than {} MiB", MESSAGE >> 20);
            return Some(Err(rpc::not_a_request("null", &why)));
        }
        Ok(_) => {}
    }
    // Invalid UTF-8 is refused, since replacement characters could end up in a file.
    Some(
        String::from_utf8(line)
            .map_err(|_| rpc::error_response("null", rpc::NOT_JSON, &Error::argument("not JSON: not UTF-8"))),
    )
}

/// Threads that answer messages, in a separate group for each queue. A group grows to the number of threads that are
/// needed at the same time, up to its limit. Front ends with many connections limit calls with slots instead.
struct Workers {
    session: Session,
    groups: [Group; 3],
    /// Total size of the unanswered messages.
    parameters: Arc<Unread>,
    most_parameters: usize,
}

/// The threads of a queue.
struct Group {
    messages: mpsc::SyncSender<(Incoming, usize)>,
    threads: ThreadGroup,
}

/// The threads of a queue. An additional thread is allowed for each call that waits for a resource that other calls
/// hold.
#[derive(Clone)]
struct ThreadGroup {
    shared: Arc<Shared>,
    threads: Arc<Mutex<Vec<thread::JoinHandle<()>>>>,
    max_threads: usize,
}

struct Shared {
    messages: Mutex<mpsc::Receiver<(Incoming, usize)>>,
    /// Number of threads that wait for a message.
    idle: AtomicUsize,
    /// Number of messages that wait for a thread.
    waiting: AtomicUsize,
    /// Number of threads.
    alive: AtomicUsize,
    /// Number of calls that wait for a resource that other calls hold.
    blocked: AtomicUsize,
    parameters: Arc<Unread>,
    most_unread: usize,
}

impl Workers {
    fn new(session: Session) -> Workers {
        let limits = *session.catalog.queues().limits();
        let parameters = Arc::<Unread>::default();
        let groups = Queue::ALL.map(|queue| Group::new(queue.max_concurrent(&limits), &limits, &parameters));
        Workers { session, groups, parameters, most_parameters: limits.parameters }
    }

    /// Queues a message of this size. Blocks while too many bytes are unanswered; further input stays in the pipe.
    fn enqueue(&mut self, message: Incoming, bytes: usize) -> Result<(), Error> {
        self.parameters.block_until_read(self.most_parameters);
        self.parameters.answered(bytes);
        let queue = self.session.queue(&message);
        self.groups[queue as usize].enqueue(&self.session, message, bytes)
    }

    /// Waits until everything is answered. If the client has disconnected, cancels all calls and abandons those that do not
    /// end soon.
    fn finish(self, client: &StdioClient) {
        // Dropping the senders lets the threads end.
        let threads: Vec<_> = self.groups.into_iter().map(|group| group.threads.threads).collect();
        let all_ended = || {
            let ended = |threads: &Mutex<Vec<thread::JoinHandle<()>>>| {
                threads.lock().unwrap_or_else(PoisonError::into_inner).iter().all(thread::JoinHandle::is_finished)
            };
            threads.iter().all(|threads| ended(threads))
        };
        let ended = Instant::now();
        let mut cancelled: Option<Instant> = None;
        let mut pause = Duration::from_millis(1);
        while !all_ended() {
            if cancelled.is_none() && client.is_disconnected(ended.elapsed()) {
                cancelled = Some(Instant::now());
            }
            if let Some(since) = cancelled {
                // Calls are cancelled repeatedly, because queued calls may start meanwhile.
                self.session.calls.cancel_all();
                if since.elapsed() > disconnect::CANCEL_TIMEOUT {
                    return;
                }
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(50));
        }
    }
}

impl Group {
    fn new(most: usize, limits: &Limits, parameters: &Arc<Unread>) -> Group {
        let (messages, receiver) = mpsc::sync_channel(READ_AHEAD);
        let shared = Shared {
            messages: Mutex::new(receiver),
            idle: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            alive: AtomicUsize::new(0),
            blocked: AtomicUsize::new(0),
            parameters: Arc::clone(parameters),
            most_unread: limits.unread,
        };
        Group {
            messages,
            threads: ThreadGroup { shared: Arc::new(shared), threads: Arc::default(), max_threads: most },
        }
    }

    fn enqueue(&mut self, session: &Session, message: Incoming, bytes: usize) -> Result<(), Error> {
        self.threads.shared.waiting.fetch_add(1, Ordering::SeqCst);
        self.threads.start_thread(session)?;
        self.messages.send((message, bytes)).map_err(|error| Error::internal(error.to_string()))
    }
}

impl ThreadGroup {
    /// Starts another thread if a message waits for one and the limit allows it.
    fn start_thread(&self, session: &Session) -> Result<(), Error> {
        let shared = &self.shared;
        let most = self.max_threads + shared.blocked.load(Ordering::SeqCst);
        let is_needed = shared.waiting.load(Ordering::SeqCst) > shared.idle.load(Ordering::SeqCst);
        if !is_needed || shared.alive.fetch_add(1, Ordering::SeqCst) >= most {
            if is_needed {
                shared.alive.fetch_sub(1, Ordering::SeqCst);
            }
            return Ok(());
        }
        let (crew, session) = (self.clone(), session.clone());
        match thread::Builder::new().stack_size(STACK).spawn(move || crew.run(&session)) {
            Ok(thread) => {
                let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
                threads.retain(|thread| !thread.is_finished());
                threads.push(thread);
            }
            // If no thread can be created, the others do the work.
            Err(_) if shared.alive.fetch_sub(1, Ordering::SeqCst) > 1 => {}
            Err(error) => return Err(Error::internal(format!("cannot start a thread: {error}"))),
        }
        Ok(())
    }

    /// Answers messages until the queue is closed or there are too many threads.
    fn run(&self, session: &Session) {
        let shared = &self.shared;
        while let Some((message, bytes)) = shared.take() {
            // Do not compute answers while the client does not read earlier ones.
            session.output.unread.block_until_read(shared.most_unread);
            let works = message.works();
            for work in &works {
                let (crew, session) = (self.clone(), session.clone());
                work.on_wait(move || {
                    crew.shared.blocked.fetch_add(1, Ordering::SeqCst);
                    // If no thread can be started, the existing threads answer the messages.
                    let _ = crew.start_thread(&session);
                });
            }
            if let Some(answer) = session.answer(message) {
                session.output.send_line(answer);
            }
            shared.parameters.written(bytes);
            let lent = works.iter().filter(|work| work.has_waited()).count();
            if lent > 0 && self.is_surplus(lent) {
                return;
            }
        }
        shared.alive.fetch_sub(1, Ordering::SeqCst);
    }

    /// Called when this thread's calls have stopped waiting. Returns whether there are now too many threads, so that
    /// this thread has to end.
    fn is_surplus(&self, lent: usize) -> bool {
        let shared = &self.shared;
        let most = self.max_threads + shared.blocked.fetch_sub(lent, Ordering::SeqCst) - lent;
        let fewer = |alive: usize| (alive > most).then(|| alive - 1);
        shared.alive.try_update(Ordering::SeqCst, Ordering::SeqCst, fewer).is_ok()
    }
}

impl Shared {
    /// Takes the next message. `None` if the queue is closed.
    fn take(&self) -> Option<(Incoming, usize)> {
        self.idle.fetch_add(1, Ordering::SeqCst);
        let message = self.messages.lock().unwrap_or_else(PoisonError::into_inner).recv();
        self.idle.fetch_sub(1, Ordering::SeqCst);
        let message = message.ok()?;
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        Some(message)
    }
}

/// A parsed message, and its call if it is a request.
type Begun = (Message, Option<Call>);

/// A message or a batch.
enum Incoming {
    Single(Begun),
    Batch(Vec<Begun>),
}

impl Incoming {
    /// Returns the `Work` of each call in the message.
    fn works(&self) -> Vec<Work> {
        let of = |(_, call): &Begun| call.as_ref().map(|call| call.work.clone());
        match self {
            Incoming::Single(one) => of(one).into_iter().collect(),
            Incoming::Batch(several) => several.iter().filter_map(of).collect(),
        }
    }
}

impl Session {
    /// Parses a message. From now on its calls can be cancelled, even by a later message of the same batch.
    fn parse(&self, text: &str) -> Incoming {
        if !text.trim_start().starts_with('[') {
            return Incoming::Single(self.begin(text));
        }
        match serde_json::from_str::<Vec<Box<RawValue>>>(text) {
            Err(error) => Incoming::Single((Message::Invalid(rpc::not_json(&error)), None)),
            Ok(batch) if batch.is_empty() => {
                Incoming::Single((Message::Invalid(rpc::not_a_request("null", "a batch must not be empty")), None))
            }
            Ok(batch) => Incoming::Batch(batch.iter().map(|message| self.begin(message.get())).collect()),
        }
    }

    /// Registers the call of a request, or handles a `$/cancelRequest`.
    fn begin(&self, text: &str) -> Begun {
        let message = Message::read(text);
        let call = match &message {
            Message::Request { id, .. } => Some(self.calls.begin(0, id.clone())),
            Message::Notification { method, params } if method == CANCEL => {
                self.calls.cancel(0, params.as_deref().map(RawValue::get));
                None
            }
            Message::Notification { .. } | Message::Invalid(_) => None,
        };
        (message, call)
    }

    /// Returns the queue of a message. A batch uses the queue of its most expensive call.
    fn queue(&self, given: &Incoming) -> Queue {
        let queue_of = |(message, _): &Begun| match message {
            Message::Request { method, params, .. } => {
                let tool = self.catalog.find(method);
                tool.map_or(Queue::Read, |tool| Queue::for_call(tool.name, params.as_deref().map(RawValue::get)))
            }
            Message::Notification { .. } | Message::Invalid(_) => Queue::Read,
        };
        match given {
            Incoming::Single(one) => queue_of(one),
            Incoming::Batch(several) => several.iter().map(queue_of).max().unwrap_or(Queue::Read),
        }
    }

    /// Returns the response to a request or batch. `None` for notifications.
    fn answer(&self, given: Incoming) -> Option<String> {
        match given {
            Incoming::Single(one) => self.answer_single(one),
            Incoming::Batch(several) => {
                let answers: Vec<String> = several.into_iter().filter_map(|one| self.answer_single(one)).collect();
                (!answers.is_empty()).then(|| format!("[{}]", answers.join(",")))
            }
        }
    }

    fn answer_single(&self, (message, call): Begun) -> Option<String> {
        match message {
            Message::Request { id, method, params } => {
                let work = call.as_ref().map(|call| call.work.clone()).unwrap_or_default();
                Some(rpc::answer_request(&self.catalog, (&id, &method, params.as_deref()), &work, &self.outbox))
            }
            // A notification does not call a tool.
            Message::Notification { .. } => None,
            Message::Invalid(answer) => Some(answer),
        }
    }
}

#[cfg(test)]
#[path = "stdio_dialogues.rs"]
mod dialogues;
#[cfg(test)]
#[path = "stdio_tests.rs"]
mod tests;
