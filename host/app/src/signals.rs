//! Signals that end a program: Ctrl-C, termination requests, and a closed terminal.

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{self, CtrlBreak, CtrlC, CtrlClose, CtrlShutdown};

/// Receives the signals from its creation on. From then on, they do not end the process by themselves.
#[cfg(unix)]
pub(crate) struct Signals(Vec<(Signal, u8)>);

#[cfg(unix)]
impl Signals {
    /// Must be called in a Tokio runtime with input and output enabled.
    pub(crate) fn watch() -> Signals {
        let endings = [(SignalKind::interrupt(), 2), (SignalKind::terminate(), 15), (SignalKind::hangup(), 1)];
        Signals(endings.into_iter().filter_map(|(kind, number)| Some((signal(kind).ok()?, number))).collect())
    }

    /// Waits for the next signal and returns its number.
    pub(crate) async fn next(&mut self) -> u8 {
        std::future::poll_fn(|context| {
            for (signal, number) in &mut self.0 {
                if signal.poll_recv(context).is_ready() {
                    return std::task::Poll::Ready(*number);
                }
            }
            std::task::Poll::Pending
        })
        .await
    }
}

/// Receives the signals from its creation on. From then on, they do not end the process immediately.
#[cfg(windows)]
pub(crate) struct Signals {
    interrupt: Option<CtrlC>,
    stop: Option<CtrlBreak>,
    close: Option<CtrlClose>,
    shutdown: Option<CtrlShutdown>,
}

#[cfg(windows)]
impl Signals {
    /// Must be called in a Tokio runtime with input and output enabled.
    pub(crate) fn watch() -> Signals {
        Signals {
            interrupt: windows::ctrl_c().ok(),
            stop: windows::ctrl_break().ok(),
            close: windows::ctrl_close().ok(),
            shutdown: windows::ctrl_shutdown().ok(),
        }
    }

    /// Waits for the next signal and returns its number on Unix.
    pub(crate) async fn next(&mut self) -> u8 {
        use std::future::pending;
        let (interrupt, stop) = (&mut self.interrupt, &mut self.stop);
        let (close, shutdown) = (&mut self.close, &mut self.shutdown);
        tokio::select! {
            () = async { match interrupt { Some(signal) => { signal.recv().await; } None => pending().await } } => 2,
            () = async { match stop { Some(signal) => { signal.recv().await; } None => pending().await } } => 15,
            () = async { match close { Some(signal) => { signal.recv().await; } None => pending().await } } => 1,
            () = async { match shutdown { Some(signal) => { signal.recv().await; } None => pending().await } } => 15,
        }
    }
}
