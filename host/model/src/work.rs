//! Progress and cancellation of one call.
//!
//! A front end creates a [`Work`] for every call and keeps a clone. The code that carries out the call counts its steps
//! in stages; a cancelled call ends at its next step. Work that is already complete is not reverted.

use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Instant,
};

use crate::{Error, Kind, Origin, Result, files::FileStamp, limits};

/// The progress of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The current activity, such as `reading files`.
    pub activity: &'static str,
    /// Steps of this stage that have begun.
    pub done: usize,
    /// Steps of this stage, as currently known.
    pub total: usize,
    /// Steps that have begun in all stages. Grows with every report.
    pub all_done: usize,
}

impl Progress {
    /// The number of known steps: those of earlier stages and of this one.
    pub fn known_steps(&self) -> usize {
        self.all_done + self.total.saturating_sub(self.done)
    }
}

impl std::fmt::Display for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}/{}", self.activity, self.done, self.total)
    }
}

type Listener = Box<dyn Fn(Progress) + Send + Sync>;
type WaitCallback = Box<dyn Fn() + Send + Sync>;

/// The state of one call. Clones share it.
///
/// # Examples
///
/// ```
/// use marquetry_model::{Kind, Work};
///
/// let work = Work::default();
/// let stage = work.stage("reading files", 2);
/// stage.step()?;
/// work.clone().cancel();
/// assert_eq!(stage.step().unwrap_err().kind(), Kind::Cancelled);
/// # Ok::<(), marquetry_model::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Work(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// The work of all calls that belong together, if this is the work of one of them.
    whole: Option<Work>,
    cancelled: AtomicBool,
    listener: OnceLock<Listener>,
    waiting: OnceLock<WaitCallback>,
    waited: AtomicBool,
    reporting: Mutex<ReportState>,
    notes: Mutex<Vec<String>>,
    /// Paths of files that the caller named.
    named: Mutex<HashSet<String>>,
    /// The files that a walk found for this call, sorted by path.
    walked: Mutex<Option<Arc<[FileStamp]>>>,
    client: OnceLock<String>,
    origin: OnceLock<Origin>,
}

/// The state of progress reporting.
struct ReportState {
    last: Instant,
    /// Steps of the finished stages.
    earlier: usize,
    so_far: usize,
    latest: Option<Progress>,
}

impl Default for ReportState {
    fn default() -> ReportState {
        // A call that ends immediately reports no progress.
        ReportState { last: Instant::now(), earlier: 0, so_far: 0, latest: None }
    }
}

impl Work {
    /// Returns the work of one of several calls that belong together. It is cancelled with this one, and its progress
    /// is reported here, too. The new work has separate notes, named files and origin.
    #[must_use]
    pub fn part(&self) -> Work {
        Work(Arc::new(Shared { whole: Some(self.clone()), ..Shared::default() }))
    }

    /// Registers a listener for progress, called at intervals from any thread. Only the first listener is used.
    pub fn listen(&self, listener: impl Fn(Progress) + Send + Sync + 'static) {
        let _ = self.0.listener.set(Box::new(listener));
    }

    /// Registers a callback that is called once when the call starts to wait for a resource that other calls use, so
    /// that another call can run meanwhile. Only the first callback is used.
    pub fn on_wait(&self, waiting: impl Fn() + Send + Sync + 'static) {
        let _ = self.0.waiting.set(Box::new(waiting));
    }

    /// Records that the call waits for a resource that other calls use.
    pub fn record_wait(&self) {
        if !self.0.waited.swap(true, Ordering::SeqCst)
            && let Some(waiting) = self.0.waiting.get()
        {
            waiting();
        }
    }

    /// Returns whether the call had to wait for a resource that other calls used.
    pub fn has_waited(&self) -> bool {
        self.0.waited.load(Ordering::SeqCst)
    }

    /// Returns the latest progress, for callers that poll instead of listening.
    pub fn progress(&self) -> Option<Progress> {
        self.0.reporting.lock().unwrap_or_else(PoisonError::into_inner).latest
    }

    /// Cancels the call. A change that was already carried out stays complete.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns whether the call was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed) || self.0.whole.as_ref().is_some_and(Work::is_cancelled)
    }

    /// Reports the progress of a part.
    fn forward(&self, progress: Progress) {
        self.0.reporting.lock().unwrap_or_else(PoisonError::into_inner).latest = Some(progress);
        if let Some(listener) = self.0.listener.get() {
            listener(progress);
        }
        if let Some(whole) = &self.0.whole {
            whole.forward(progress);
        }
    }

    /// Checks for cancellation, without a step.
    ///
    /// # Errors
    /// Fails with `Cancelled` if the call was cancelled.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(cancelled()) } else { Ok(()) }
    }

    /// Adds a note for the caller beside the answer, such as the changes that can no longer be undone. Duplicates are
    /// dropped, as a repeated attempt adds the same notes.
    pub fn add_note(&self, note: impl Into<String>) {
        let (mut notes, note) = (self.0.notes.lock().unwrap_or_else(PoisonError::into_inner), note.into());
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// Takes the notes collected so far, to be included in the answer.
    pub fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut self.0.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Records that the caller named this file (path relative to the root), so reading it for this call is at the
    /// caller's request.
    pub fn name_file(&self, path: &str) {
        self.0.named.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
    }

    /// Returns whether the caller named this file.
    pub fn is_named(&self, path: &str) -> bool {
        self.0.named.lock().unwrap_or_else(PoisonError::into_inner).contains(path)
    }

    /// Records the files that a walk of the root found: not ignored, and not symbolic links. A later walk replaces an
    /// earlier one.
    pub fn note_walk(&self, files: &Arc<[FileStamp]>) {
        *self.0.walked.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(files));
    }

    /// Returns whether a walk of this call found the file.
    pub fn has_walked(&self, path: &str) -> bool {
        let walked = self.0.walked.lock().unwrap_or_else(PoisonError::into_inner).clone();
        walked.is_some_and(|files| files.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok())
    }

    /// Sets the calling program with its version, as known to the front end. Only the first value is used.
    pub fn set_client(&self, client: &str) {
        let _ = self.0.client.set(Origin::normalize(client));
    }

    /// Sets the origin of this call's changes: the tool, what it works on, and the reason. Only the first value is
    /// used.
    pub fn set_origin(&self, tool: &str, about: &str, why: Option<&str>) {
        let client = self.0.client.get().cloned().unwrap_or_default();
        let why = why.map(Origin::normalize).filter(|why| !why.is_empty());
        let origin = Origin { client, tool: tool.to_owned(), target: Origin::normalize(about), reason: why };
        let _ = self.0.origin.set(origin);
    }

    /// The origin set with [`Work::set_origin`].
    pub fn origin(&self) -> Option<&Origin> {
        self.0.origin.get()
    }

    /// Returns whether both belong to the same call.
    pub fn is_same_call(&self, other: &Work) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Begins a stage of `total` steps.
    pub fn stage(&self, what: &'static str, total: usize) -> Stage<'_> {
        Stage { work: self, what, total: AtomicUsize::new(total), done: AtomicUsize::new(0) }
    }
}

fn cancelled() -> Error {
    Error::new(Kind::Cancelled, "the call was cancelled")
        .hint("nothing was written; repeat the call if you still want it")
}

/// A stage of a call whose steps are counted, by one or several threads. Stages run one after the other.
pub struct Stage<'a> {
    work: &'a Work,
    what: &'static str,
    total: AtomicUsize,
    done: AtomicUsize,
}

impl Stage<'_> {
    /// Begins the next step.
    ///
    /// # Errors
    /// Fails with `Cancelled` if the call was cancelled.
    pub fn step(&self) -> Result<()> {
        self.work.check()?;
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.report(done);
        Ok(())
    }

    /// Updates the number of steps of this stage.
    pub fn set_total(&self, total: usize) {
        self.total.store(total, Ordering::Relaxed);
    }

    fn report(&self, done: usize) {
        let shared = &self.work.0;
        // If another thread is reporting, it reports the same or newer progress.
        let Ok(mut reporting) = shared.reporting.try_lock() else { return };
        let so_far = reporting.earlier + done;
        if reporting.last.elapsed() < limits::PROGRESS_INTERVAL || so_far <= reporting.so_far {
            return;
        }
        (reporting.last, reporting.so_far) = (Instant::now(), so_far);
        let total = self.total.load(Ordering::Relaxed).max(done);
        let progress = Progress { activity: self.what, done, total, all_done: so_far };
        reporting.latest = Some(progress);
        if let Some(listener) = shared.listener.get() {
            listener(progress);
        }
        if let Some(whole) = &shared.whole {
            whole.forward(progress);
        }
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        self.work.0.reporting.lock().unwrap_or_else(PoisonError::into_inner).earlier +=
            self.done.load(Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_reports_are_throttled_and_increase() {
        // The time is taken before the work is created, because the work delays its first report from its creation on.
        let start = Instant::now();
        let work = Work::default();
        let reported: Arc<Mutex<Vec<Progress>>> = Arc::default();
        let ears = Arc::clone(&reported);
        work.listen(move |progress| ears.lock().expect("no panic").push(progress));
        for (what, reports) in [("reading", 2), ("writing", 4)] {
            let stage = work.stage(what, 3);
            while reported.lock().expect("no panic").len() < reports {
                stage.step().expect("not cancelled");
            }
        }
        assert!(start.elapsed() >= limits::PROGRESS_INTERVAL * 4, "reports come too fast");
        let reported = reported.lock().expect("no panic");
        assert!(
            reported
                .windows(2)
                .all(|pair| pair[0].all_done < pair[1].all_done && pair[1].known_steps() >= pair[1].all_done)
        );
        assert!(reported.iter().all(|progress| progress.total >= progress.done));
        assert_eq!(
            [reported[0].activity, reported[1].activity, reported[2].activity, reported[3].activity],
            ["reading", "reading", "writing", "writing"]
        );
    }

    #[test]
    fn progress_can_be_polled() {
        let work = Work::default();
        assert_eq!(work.progress(), None);
        let stage = work.stage("reading", 3);
        while work.progress().is_none() {
            stage.step().expect("not cancelled");
        }
        assert_eq!(work.progress().map(|progress| progress.activity), Some("reading"));
    }

    #[test]
    fn part_is_cancelled_with_the_whole_and_reports_to_it() {
        let (whole, heard) = (Work::default(), Arc::new(AtomicUsize::new(0)));
        let ears = Arc::clone(&heard);
        whole.listen(move |_| _ = ears.fetch_add(1, Ordering::SeqCst));
        let (one, other) = (whole.part(), whole.part().part());
        one.set_origin("file_read", "a", None);
        other.add_note("a note");
        assert!(whole.origin().is_none() && other.origin().is_none() && whole.take_notes().is_empty());
        let stage = other.stage("reading", 3);
        while other.progress().is_none() {
            stage.step().expect("not cancelled");
        }
        assert_eq!((whole.progress(), heard.load(Ordering::SeqCst)), (other.progress(), 1));
        one.cancel();
        assert!(!whole.is_cancelled() && !other.is_cancelled(), "one part must not cancel the others");
        whole.cancel();
        assert!(other.is_cancelled() && stage.step().is_err());
    }

    #[test]
    fn notes_are_taken_once() {
        let work = Work::default();
        work.clone().add_note("one");
        work.add_note("two");
        assert_eq!(work.take_notes(), ["one", "two"]);
        assert!(work.take_notes().is_empty());
    }

    #[test]
    fn wait_callback_is_called_once() {
        let (work, calls) = (Work::default(), Arc::new(AtomicUsize::new(0)));
        Work::default().record_wait();
        let ears = Arc::clone(&calls);
        work.on_wait(move || _ = ears.fetch_add(1, Ordering::SeqCst));
        assert!(!work.has_waited());
        work.record_wait();
        work.clone().record_wait();
        assert_eq!((calls.load(Ordering::SeqCst), work.has_waited()), (1, true));
    }

    #[test]
    fn clones_share_the_named_files() {
        let work = Work::default();
        work.clone().name_file("a/.env");
        assert!(work.is_named("a/.env"));
        assert!(!work.is_named(".env") && !Work::default().is_named("a/.env"));
        let stamp = |path: &str| FileStamp { path: path.to_owned(), size: 0, modified: 0 };
        assert!(!work.has_walked("b"));
        work.clone().note_walk(&[stamp("a"), stamp("b")].into());
        assert!(work.has_walked("b") && !work.has_walked("c"));
    }

    #[test]
    fn cancelled_call_fails_at_its_next_step() {
        let work = Work::default();
        let stage = work.stage("reading", 2);
        stage.step().expect("not cancelled yet");
        work.clone().cancel();
        let error = stage.step().expect_err("cancelled");
        assert_eq!(error.kind(), Kind::Cancelled);
        assert_eq!(work.check().expect_err("cancelled"), error);
    }

    #[test]
    fn notes_are_not_repeated() {
        let work = Work::default();
        for note in ["one", "two", "one"] {
            work.add_note(note);
        }
        assert_eq!(work.take_notes(), ["one", "two"]);
    }

    #[test]
    fn first_origin_is_kept() {
        let work = Work::default();
        assert_eq!(work.origin(), None);
        work.set_client("c\n1");
        work.set_client("other");
        work.set_origin("file_edit", " a.ts  f ", Some(" "));
        work.set_origin("other", "b.ts", Some("why"));
        let origin = Origin { client: "c 1".into(), tool: "file_edit".into(), target: "a.ts f".into(), reason: None };
        assert_eq!(work.origin(), Some(&origin));
        let other = Work::default();
        other.set_origin("file_edit", "a.ts", Some("it\nwas slow"));
        assert_eq!(other.origin().map(ToString::to_string).as_deref(), Some("file_edit a.ts: it was slow"));
    }

    #[test]
    fn clones_belong_to_the_same_call() {
        let work = Work::default();
        assert!(work.is_same_call(&work.clone()) && !work.is_same_call(&Work::default()));
    }

    #[test]
    fn progress_is_shown_with_its_steps() {
        let progress = Progress { activity: "reading files", done: 2, total: 5, all_done: 9 };
        assert_eq!((progress.to_string().as_str(), progress.known_steps()), ("reading files 2/5", 12));
        assert_eq!(Progress { done: 6, ..progress }.known_steps(), 9);
    }

    #[test]
    fn steps_of_earlier_stages_are_added() {
        let work = Work::default();
        for _ in 0..3 {
            let stage = work.stage("reading", 1);
            stage.step().expect("not cancelled");
            stage.step().expect("not cancelled");
        }
        let stage = work.stage("writing", 1);
        stage.set_total(9);
        while work.progress().is_none_or(|progress| progress.activity != "writing") {
            std::thread::yield_now();
            if Instant::now() > work.0.reporting.lock().expect("no panic").last + limits::PROGRESS_INTERVAL {
                stage.step().expect("not cancelled");
            }
        }
        let progress = Progress { activity: "writing", done: 1, total: 9, all_done: 7 };
        assert_eq!(work.progress(), Some(progress));
    }
}
