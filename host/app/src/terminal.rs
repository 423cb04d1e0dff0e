//! A person in front of a call: sees on standard error how far it is, and cancels it with Ctrl-C.
#![allow(clippy::print_stderr, reason = "progress is for people, and standard output belongs to the result")]

use std::{
    io::{IsTerminal, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use marquetry_model::Work;
use tokio::signal::unix::{SignalKind, signal};

/// The exit code of a program that Ctrl-C ended, as shells have it.
pub(crate) const INTERRUPTED: u8 = 130;
/// Back to the start of the line, and nothing on it.
const CLEAR: &str = "\r\x1b[2K";

/// Run a call, attended.
pub(crate) fn attended<T>(call: impl FnOnce(&Work) -> T) -> T {
    let work = Work::default();
    cancel_on_interrupt(&work);
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

/// The first Ctrl-C cancels, so that nothing is left half done. The second one ends the program at once: what is half done
/// then is taken back by the next call.
fn cancel_on_interrupt(work: &Work) {
    let work = work.clone();
    let (ready, wait) = std::sync::mpsc::channel();
    let heed = move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else { return };
        runtime.block_on(async {
            let Ok(mut interrupts) = signal(SignalKind::interrupt()) else { return };
            let _ = ready.send(());
            interrupts.recv().await;
            work.cancel();
            interrupts.recv().await;
            #[expect(clippy::exit, reason = "whoever asks twice does not want to wait")]
            std::process::exit(i32::from(INTERRUPTED));
        });
    };
    // Without the thread, Ctrl-C ends the program as it ends any other.
    if std::thread::Builder::new().name("interrupts".to_owned()).spawn(heed).is_ok() {
        let _ = wait.recv();
    }
}
