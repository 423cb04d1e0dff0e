//! Time limits of guests. They limit the CPU time of the thread that runs the guest, so a busy machine does not make
//! calls fail. A generous wall-clock limit ends calls that get almost no CPU time.

use std::time::{Duration, Instant};

use marquetry_model::limits;

/// Deadline of one guest call. Created and checked on the thread that runs the guest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    limit: Duration,
    /// CPU time of the thread when the call began; `None` if the system does not report it.
    cpu: Option<Duration>,
    started: Instant,
}

/// The limit that a call has exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExceededLimit {
    /// The call used up its CPU time.
    CpuTime(Duration),
    /// The call used up its wall-clock time before it could use up its CPU time.
    WallTime(Duration),
}

impl Deadline {
    /// Starts a call that may use this much CPU time.
    pub(crate) fn begin(limit: Duration) -> Deadline {
        Deadline { limit, cpu: of_thread(), started: Instant::now() }
    }

    /// Returns the exceeded limit, if any.
    pub(crate) fn exceeded_limit(&self) -> Option<ExceededLimit> {
        self.check_times(self.cpu.zip(of_thread()).map(|(then, now)| now.saturating_sub(then)), self.started.elapsed())
    }

    fn check_times(&self, worked: Option<Duration>, waited: Duration) -> Option<ExceededLimit> {
        if worked.unwrap_or(waited) > self.limit {
            return Some(ExceededLimit::CpuTime(self.limit));
        }
        (waited > wall_limit(self.limit)).then_some(ExceededLimit::WallTime(waited))
    }
}

/// Returns the wall-clock limit of a call with this CPU time limit.
fn wall_limit(limit: Duration) -> Duration {
    limit.saturating_mul(limits::WALL_PER_CPU).saturating_add(limits::MIN_WALL_TIME)
}

/// Returns the CPU time that this thread has used.
#[cfg(unix)]
fn of_thread() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?))
}

#[cfg(windows)]
#[expect(unsafe_code, reason = "the standard library does not report the CPU time of a thread")]
fn of_thread() -> Option<Duration> {
    use windows_sys::Win32::{
        Foundation::FILETIME,
        System::Threading::{GetCurrentThread, GetThreadTimes},
    };
    let zero = FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 };
    let (mut made, mut ended, mut kernel, mut user) = (zero, zero, zero, zero);
    // SAFETY: the handle of the current thread is always valid, and each pointer is to a local variable.
    let succeeded = unsafe { GetThreadTimes(GetCurrentThread(), &mut made, &mut ended, &mut kernel, &mut user) };
    let ticks = |time: FILETIME| u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    // Ticks of 100 ns.
    (succeeded != 0).then(|| Duration::from_nanos((ticks(kernel) + ticks(user)).saturating_mul(100)))
}

#[cfg(not(any(unix, windows)))]
fn of_thread() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn waiting_does_not_count_as_cpu_time() {
        let deadline = Deadline::begin(Duration::from_millis(20));
        std::thread::sleep(Duration::from_millis(60));
        assert_eq!(deadline.exceeded_limit(), None, "sleeping must not count as CPU time");
        let mut sum = 0_u64;
        let began = Instant::now();
        while deadline.exceeded_limit().is_none() {
            sum = std::hint::black_box(sum.wrapping_mul(31).wrapping_add(1));
            assert!(began.elapsed() < Duration::from_secs(60), "the CPU time must grow while the thread works");
        }
        assert_eq!(deadline.exceeded_limit(), Some(ExceededLimit::CpuTime(Duration::from_millis(20))));
    }

    #[test]
    fn other_threads_do_not_count() {
        let deadline = Deadline::begin(Duration::from_millis(50));
        let work = || {
            let began = Instant::now();
            while began.elapsed() < Duration::from_millis(150) {
                std::hint::black_box(began);
            }
        };
        std::thread::spawn(work).join().expect("no panic");
        assert_eq!(deadline.exceeded_limit(), None);
    }

    #[test]
    fn wall_clock_limit_is_generous() {
        let deadline = Deadline::begin(SECOND);
        let bound = wall_limit(SECOND);
        assert!(bound >= 30 * SECOND);
        assert_eq!(deadline.check_times(Some(SECOND), bound), None);
        assert_eq!(
            deadline.check_times(Some(SECOND + Duration::from_nanos(1)), SECOND),
            Some(ExceededLimit::CpuTime(SECOND))
        );
        let waited = bound + Duration::from_nanos(1);
        assert_eq!(deadline.check_times(Some(Duration::ZERO), waited), Some(ExceededLimit::WallTime(waited)));
        assert_eq!(
            deadline.check_times(None, SECOND),
            None,
            "without a known CPU time, only the wall-clock limit applies"
        );
        assert_eq!(deadline.check_times(None, 2 * SECOND), Some(ExceededLimit::CpuTime(SECOND)));
        assert_eq!(wall_limit(Duration::MAX), Duration::MAX);
    }
}
