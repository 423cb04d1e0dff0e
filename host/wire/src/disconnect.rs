//! Detects that the client of the standard streams no longer waits for answers.

use std::{
    fs::File,
    io::{IsTerminal, stdin},
    time::Duration,
};

/// Maximum time to work for a client that has closed its input but may still read.
const GRACE_PERIOD: Duration = Duration::from_secs(10);
/// Maximum time to wait for cancelled calls. They end when they next check for cancellation. After this time, the
/// process exits even if some still run.
pub(crate) const CANCEL_TIMEOUT: Duration = Duration::from_secs(3);

/// The client at the other end of the standard streams.
pub(crate) struct StdioClient {
    /// True if the input is a file or a terminal. Its end does not mean that the client has disconnected.
    outlives_input: bool,
    /// Returns whether the output can no longer be read.
    output_closed: fn() -> bool,
    grace_period: Duration,
}

impl StdioClient {
    /// The client at standard input and output.
    pub(crate) fn of_standard_streams() -> StdioClient {
        StdioClient {
            outlives_input: stdin().is_terminal() || is_file(),
            output_closed: output_is_closed,
            grace_period: GRACE_PERIOD,
        }
    }

    /// Returns whether the client has disconnected, given the time since its input ended.
    pub(crate) fn is_disconnected(&self, since: Duration) -> bool {
        (self.output_closed)() || (!self.outlives_input && since > self.grace_period)
    }

    #[cfg(test)]
    pub(crate) fn with(outlives_input: bool, output_closed: fn() -> bool, grace_period: Duration) -> StdioClient {
        StdioClient { outlives_input, output_closed, grace_period }
    }
}

/// Returns whether standard input is a file. The end of a file does not mean that the client has disconnected.
fn is_file() -> bool {
    #[cfg(unix)]
    let input = std::os::fd::AsFd::as_fd(&stdin()).try_clone_to_owned();
    #[cfg(windows)]
    let input = std::os::windows::io::AsHandle::as_handle(&stdin()).try_clone_to_owned();
    input.map(File::from).and_then(|file| file.metadata()).is_ok_and(|metadata| metadata.is_file())
}

/// Returns whether the reading end of standard output is closed.
#[cfg(unix)]
pub(crate) fn output_is_closed() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let out = std::io::stdout();
    let mut watched = [PollFd::new(&out, PollFlags::empty())];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut watched, Some(&at_once)).is_ok()
        && watched[0].revents().intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL)
}

/// Other systems report this only on a write.
#[cfg(not(unix))]
pub(crate) fn output_is_closed() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_reader_is_gone_but_half_closed_writer_is_not() {
        let last = Duration::from_secs(1);
        let cases = [
            (StdioClient::with(false, || true, last), 0, true),
            (StdioClient::with(true, || true, last), 0, true),
            (StdioClient::with(false, || false, last), 0, false),
            (StdioClient::with(false, || false, last), 2, true),
            (StdioClient::with(true, || false, last), 1000, false),
        ];
        for (client, seconds, gone) in cases {
            assert_eq!(client.is_disconnected(Duration::from_secs(seconds)), gone);
        }
    }
}
