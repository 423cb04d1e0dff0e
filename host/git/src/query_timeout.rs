//! Runs repository queries with a timeout and cancellation. A query may never end, for example if a file of the
//! repository is a pipe. If a query takes too long or its call is cancelled, the caller stops waiting, and the query's
//! thread continues in the background.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

use marquetry_model::{Error, Kind, Result, Work, limits};

/// Interval at which cancellation is checked.
const CANCEL_POLL: Duration = Duration::from_millis(20);

/// Runs a query on a separate thread. The query receives a flag, which is set when it should stop.
pub(crate) fn run_with_timeout<T: Send + 'static>(
    work: &Work,
    ask: impl FnOnce(Arc<AtomicBool>) -> Result<T> + Send + 'static,
) -> Result<T> {
    run_with_limit(limits::REPOSITORY_TIME, work, ask)
}

fn run_with_limit<T: Send + 'static>(
    most: Duration,
    work: &Work,
    ask: impl FnOnce(Arc<AtomicBool>) -> Result<T> + Send + 'static,
) -> Result<T> {
    work.check()?;
    let (stop, (answer, answered)) = (Arc::new(AtomicBool::new(false)), mpsc::channel());
    let flag = Arc::clone(&stop);
    std::thread::Builder::new()
        .name("repository".to_owned())
        // Sending fails if the caller has stopped waiting.
        .spawn(move || drop(answer.send(ask(flag))))
        .map_err(|error| Error::internal(format!("cannot start a thread: {error}")))?;
    let since = Instant::now();
    loop {
        let ended = match answered.recv_timeout(CANCEL_POLL) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::new(Kind::Unsupported, "the repository cannot be read: it is damaged")
                    .hint("`git fsck` shows what is wrong with it"));
            }
            Err(RecvTimeoutError::Timeout) => work.check().err(),
        };
        let late = || {
            let limit = format!("reading the repository took more than {} seconds", most.as_secs());
            Error::new(Kind::LimitExceeded, limit).hint("limit the call to a folder with `path`")
        };
        if let Some(error) = ended.or_else(|| (since.elapsed() > most).then(late)) {
            stop.store(true, Ordering::Relaxed);
            return Err(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_is_abandoned_on_timeout_or_cancellation() {
        let wait = |stop: Arc<AtomicBool>| {
            while !stop.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            Ok(())
        };
        let late = run_with_limit(Duration::ZERO, &Work::default(), wait)
            .expect_err("the query does not end within the limit");
        assert_eq!(late.kind(), Kind::LimitExceeded);
        let work = Work::default();
        work.cancel();
        assert_eq!(run_with_timeout(&work, wait).expect_err("the call was cancelled").kind(), Kind::Cancelled);
        let panics = |_| -> Result<()> { panic!("a panic in the query") };
        assert_eq!(run_with_timeout(&Work::default(), panics).expect_err("it panicked").kind(), Kind::Unsupported);
    }
}
