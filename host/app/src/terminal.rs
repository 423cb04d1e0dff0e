//! Interactive calls and signals: shows progress on standard error, and cancels on Ctrl-C or another signal. A running
//! change is rolled back or completed before the program ends.
#![allow(clippy::print_stderr, reason = "progress is for people, and standard output belongs to the result")]

use std::{
    io::{IsTerminal, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU8, Ordering},
    },
};

use marquetry_model::Work;

use crate::signals::Signals;

/// The number of the received signal; that of Ctrl-C before one is received.
static RECEIVED_SIGNAL: AtomicU8 = AtomicU8::new(2);
/// Returns to the start of the line and clears it.
const CLEAR: &str = "\r\x1b[2K";

/// Returns the exit code of a cancelled program, as in shells: 128 plus the number of the signal.
pub(crate) fn exit_code() -> u8 {
    128 + RECEIVED_SIGNAL.load(Ordering::Relaxed)
}

/// Runs a call with progress and cancellation.
pub(crate) fn run_interactively<T>(call: impl FnOnce(&Work) -> T) -> T {
    let work = Work::default();
    cancel_on_signal(&work);
    let shown = Arc::new(AtomicBool::new(false));
    if std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|terminal| terminal != "dumb") {
        let shown = Arc::clone(&shown);
        work.listen(move |progress| {
            shown.store(true, Ordering::Relaxed);
            let _ = write!(std::io::stderr(), "{CLEAR}{progress}");
        });
    }
    let result = call(&work);
    if shown.load(Ordering::Relaxed) {
        let _ = write!(std::io::stderr(), "{CLEAR}");
    }
    result
}

/// Asks a question. `None` if standard input or standard error is not a terminal.
pub(crate) fn confirm(question: &str) -> Option<bool> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return None;
    }
    let mut errors = std::io::stderr();
    let _ = write!(errors, "{question} [y/N] ").and_then(|()| errors.flush());
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).ok()?;
    Some(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Cancels the work at the first signal, so that no change is left half done. The second signal ends the program
/// immediately; the next call then rolls back a change that is half done.
fn cancel_on_signal(work: &Work) {
    let work = work.clone();
    on_signal(move || work.cancel());
}

/// At the first signal, ends running work and then the program. Servers need it, because their input does not end with
/// the signal.
pub(crate) fn end_on_signal(end: impl FnOnce() + Send + 'static) {
    on_signal(move || {
        std::thread::spawn(move || {
            end();
            #[expect(clippy::exit, reason = "the threads that read input wait for it for ever")]
            std::process::exit(i32::from(exit_code()));
        });
    });
}

/// Calls `first` at the first signal, and ends the program at the second.
fn on_signal(first: impl FnOnce() + Send + 'static) {
    let (ready, wait) = std::sync::mpsc::channel();
    let heed = move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else { return };
        runtime.block_on(async {
            let mut signals = Signals::watch();
            let _ = ready.send(());
            RECEIVED_SIGNAL.store(signals.next().await, Ordering::Relaxed);
            first();
            RECEIVED_SIGNAL.store(signals.next().await, Ordering::Relaxed);
            #[expect(clippy::exit, reason = "a second signal ends the program at once")]
            std::process::exit(i32::from(exit_code()));
        });
    };
    // Without the thread, a signal ends the program in the usual way.
    if std::thread::Builder::new().name("signals".to_owned()).spawn(heed).is_ok() {
        let _ = wait.recv();
    }
}
