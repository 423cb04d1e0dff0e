//! Bounded queues between an editor's connection and its thread.

use std::{
    io::{Read, Write},
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc::{Sender, channel},
    },
    time::{Duration, Instant},
};

use marquetry_model::limits;

use crate::{
    state::Order,
    transport::{Closer, Connection},
};

/// Size of the read buffer.
const READ_BUFFER: usize = 64 << 10;
/// Maximum number of reads that wait to be handled.
const MAX_PENDING_READS: usize = 4;
/// Maximum number of bytes read per second; an editor that sends more is throttled.
const MAX_BYTES_PER_SECOND: usize = 32 << 20;

/// Limits the number of reads that wait to be handled.
#[derive(Default)]
pub(crate) struct Gate {
    waiting: Mutex<usize>,
    freed: Condvar,
}

impl Gate {
    fn enter(&self) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        while *waiting >= MAX_PENDING_READS {
            waiting = self.freed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        *waiting += 1;
    }

    /// Marks one read as handled.
    pub(crate) fn mark_handled(&self) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        *waiting = waiting.saturating_sub(1);
        self.freed.notify_one();
    }
}

/// Queue of bytes to send to an editor.
pub(crate) struct Outgoing {
    bytes: Sender<Vec<u8>>,
    backlog: Arc<AtomicUsize>,
    pub(crate) end: Closer,
}

impl Outgoing {
    /// Queues bytes for sending. False if the backlog is too large or the writer has ended.
    pub(crate) fn send(&self, bytes: Vec<u8>) -> bool {
        let waiting = self.backlog.fetch_add(bytes.len(), Ordering::Relaxed) + bytes.len();
        waiting <= limits::EDITOR_BACKLOG && self.bytes.send(bytes).is_ok()
    }

    /// Waits until everything is sent, at most for `FLUSH`.
    pub(crate) fn flush(&self) {
        let until = Instant::now() + FLUSH;
        while self.backlog.load(Ordering::Relaxed) > 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Maximum time that closing a connection waits for unsent bytes.
const FLUSH: Duration = Duration::from_millis(200);

/// Starts the reader and writer threads of a connection.
pub(crate) fn start(connection: Connection, orders: Sender<Order>, gate: Arc<Gate>) -> std::io::Result<Outgoing> {
    let Connection { mut read, mut write, end } = connection;
    let (sender, to_write) = channel::<Vec<u8>>();
    let backlog: Arc<AtomicUsize> = Arc::default();
    let (left, ends) = (Arc::clone(&backlog), end.clone());
    std::thread::Builder::new().name("editor-out".to_owned()).spawn(move || {
        while let Ok(bytes) = to_write.recv() {
            let written = write.write_all(&bytes).and_then(|()| write.flush());
            left.fetch_sub(bytes.len(), Ordering::Relaxed);
            if written.is_err() {
                // The reader notices the end and reports it.
                ends.close();
                return;
            }
        }
    })?;
    std::thread::Builder::new().name("editor-in".to_owned()).spawn(move || read_loop(read.as_mut(), &orders, &gate))?;
    Ok(Outgoing { bytes: sender, backlog, end })
}

fn read_loop(read: &mut dyn Read, orders: &Sender<Order>, gate: &Gate) {
    let mut buffer = vec![0; READ_BUFFER];
    let (mut since, mut bytes) = (Instant::now(), 0);
    loop {
        let ended = match read.read(&mut buffer) {
            Ok(0) => "the connection ended".to_owned(),
            Ok(count) => {
                gate.enter();
                if orders.send(Order::Received(buffer[..count].to_vec())).is_err() {
                    return;
                }
                bytes += count;
                let passed = since.elapsed();
                if passed >= Duration::from_secs(1) {
                    (since, bytes) = (Instant::now(), 0);
                } else if bytes > MAX_BYTES_PER_SECOND {
                    std::thread::sleep(Duration::from_secs(1).saturating_sub(passed));
                }
                continue;
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => format!("the connection failed: {error}"),
        };
        let _ = orders.send(Order::Ended(ended));
        return;
    }
}
