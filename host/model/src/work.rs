//! The work of one call, as its caller follows it: how far it is, and whether the answer is still wanted.
//!
//! A front end makes one for every call and keeps a clone. What does the work counts its steps in stages; each step is the
//! place where a cancelled call ends. Nothing is cancelled that was carried out already.

use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Instant,
};

use crate::{Error, Kind, Origin, Result, files::FileStamp, limits};

/// How far a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What is being done: `reading files`.
    pub what: &'static str,
    /// Steps of this stage that were begun.
    pub done: usize,
    /// Steps of this stage, as far as they are known.
    pub total: usize,
    /// Steps of all stages so far: grows from report to report.
    pub so_far: usize,
}

impl Progress {
    /// Steps of all stages that are known of: the earlier ones and this one.
    pub fn known(&self) -> usize {
        self.so_far + self.total.saturating_sub(self.done)
    }
}

impl std::fmt::Display for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}/{}", self.what, self.done, self.total)
    }
}

type Listener = Box<dyn Fn(Progress) + Send + Sync>;
type Waiting = Box<dyn Fn() + Send + Sync>;

/// The work of one call. Clones are the same work.
#[derive(Clone, Default)]
pub struct Work(Arc<Shared>);

#[derive(Default)]
struct Shared {
    cancelled: AtomicBool,
    listener: OnceLock<Listener>,
    waiting: OnceLock<Waiting>,
    waited: AtomicBool,
    told: Mutex<Told>,
    notes: Mutex<Vec<String>>,
    /// Paths of files that the caller named.
    named: Mutex<HashSet<String>>,
    /// The files that a walk found for this call, sorted by path.
    walked: Mutex<Option<Arc<[FileStamp]>>>,
    client: OnceLock<String>,
    origin: OnceLock<Origin>,
}

/// What the listener has heard.
struct Told {
    last: Instant,
    /// Steps of the stages that are over.
    earlier: usize,
    so_far: usize,
    latest: Option<Progress>,
}

impl Default for Told {
    fn default() -> Told {
        // A call that is over at once reports nothing.
        Told { last: Instant::now(), earlier: 0, so_far: 0, latest: None }
    }
}

impl Work {
    /// Have progress reported, now and then, from whatever thread works. The first listener stays.
    pub fn listen(&self, listener: impl Fn(Progress) + Send + Sync + 'static) {
        let _ = self.0.listener.set(Box::new(listener));
    }

    /// Be told, once, when the call waits for what other calls use: another call may have its place meanwhile. The first one who
    /// wants to be told is.
    pub fn on_wait(&self, waiting: impl Fn() + Send + Sync + 'static) {
        let _ = self.0.waiting.set(Box::new(waiting));
    }

    /// The call waits for what other calls use.
    pub fn waits(&self) {
        if !self.0.waited.swap(true, Ordering::SeqCst)
            && let Some(waiting) = self.0.waiting.get()
        {
            waiting();
        }
    }

    /// Whether the call waited for what other calls used.
    pub fn has_waited(&self) -> bool {
        self.0.waited.load(Ordering::SeqCst)
    }

    /// How far it was when it was looked at last, for whoever asks instead of listening.
    pub fn progress(&self) -> Option<Progress> {
        self.0.told.lock().unwrap_or_else(PoisonError::into_inner).latest
    }

    /// The answer is no longer wanted. A change that was carried out already stays whole.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the answer is no longer wanted.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed)
    }

    /// Fails when the answer is no longer wanted.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(cancelled()) } else { Ok(()) }
    }

    /// Something the caller has to know beside the answer: what can no longer be undone, what was left as it is. Once, also
    /// where an attempt is repeated.
    pub fn note(&self, note: impl Into<String>) {
        let (mut notes, note) = (self.0.notes.lock().unwrap_or_else(PoisonError::into_inner), note.into());
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// What was noted so far. Whoever makes the answer takes it along.
    pub fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut self.0.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The caller named this file, by its path as the root knows it: whatever reads it for this call does so at the caller's request.
    pub fn name_file(&self, path: &str) {
        self.0.named.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
    }

    /// Whether the caller named this file.
    pub fn is_named(&self, path: &str) -> bool {
        self.0.named.lock().unwrap_or_else(PoisonError::into_inner).contains(path)
    }

    /// A walk of the root found these files: nothing ignores them, and no link leads to them. The last walk counts.
    pub fn note_walk(&self, files: &Arc<[FileStamp]>) {
        *self.0.walked.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(files));
    }

    /// Whether a walk found the file for this call.
    pub fn has_walked(&self, path: &str) -> bool {
        let walked = self.0.walked.lock().unwrap_or_else(PoisonError::into_inner).clone();
        walked.is_some_and(|files| files.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok())
    }

    /// The program that called, with its version, as its front end knows it. The first word stays.
    pub fn call_of(&self, client: &str) {
        let _ = self.0.client.set(Origin::kept(client));
    }

    /// Where the changes of this call come from: its client makes it with this tool, for this. The first word stays.
    pub fn sign(&self, tool: &str, about: &str, why: Option<&str>) {
        let client = self.0.client.get().cloned().unwrap_or_default();
        let why = why.map(Origin::kept).filter(|why| !why.is_empty());
        let origin = Origin { client, tool: tool.to_owned(), about: Origin::kept(about), why };
        let _ = self.0.origin.set(origin);
    }

    /// The same, once it is signed.
    pub fn origin(&self) -> Option<&Origin> {
        self.0.origin.get()
    }

    /// Whether both are the work of one call.
    pub fn is_same(&self, other: &Work) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Begin a stage of so many steps.
    pub fn stage(&self, what: &'static str, total: usize) -> Stage<'_> {
        Stage { work: self, what, total: AtomicUsize::new(total), done: AtomicUsize::new(0) }
    }
}

fn cancelled() -> Error {
    Error::new(Kind::Cancelled, "the call was cancelled")
        .hint("nothing was written; repeat the call if you still want it")
}

/// A part of the work whose steps are counted, by one thread or several. Stages follow each other.
pub struct Stage<'a> {
    work: &'a Work,
    what: &'static str,
    total: AtomicUsize,
    done: AtomicUsize,
}

impl Stage<'_> {
    /// Begin the next step; fails when the answer is no longer wanted.
    pub fn step(&self) -> Result<()> {
        self.work.check()?;
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.tell(done);
        Ok(())
    }

    /// So many steps are known of by now.
    pub fn known(&self, total: usize) {
        self.total.store(total, Ordering::Relaxed);
    }

    fn tell(&self, done: usize) {
        let shared = &self.work.0;
        // Whoever finds another thread telling has nothing newer to say.
        let Ok(mut told) = shared.told.try_lock() else { return };
        let so_far = told.earlier + done;
        if told.last.elapsed() < limits::PROGRESS || so_far <= told.so_far {
            return;
        }
        (told.last, told.so_far) = (Instant::now(), so_far);
        let total = self.total.load(Ordering::Relaxed).max(done);
        let progress = Progress { what: self.what, done, total, so_far };
        told.latest = Some(progress);
        if let Some(listener) = shared.listener.get() {
            listener(progress);
        }
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        self.work.0.told.lock().unwrap_or_else(PoisonError::into_inner).earlier += self.done.load(Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_few_and_only_grow() {
        // Before the work is there: its first report waits from then on.
        let start = Instant::now();
        let work = Work::default();
        let heard: Arc<Mutex<Vec<Progress>>> = Arc::default();
        let ears = Arc::clone(&heard);
        work.listen(move |progress| ears.lock().expect("no panic").push(progress));
        for (what, reports) in [("reading", 2), ("writing", 4)] {
            let stage = work.stage(what, 3);
            while heard.lock().expect("no panic").len() < reports {
                stage.step().expect("not cancelled");
            }
        }
        assert!(start.elapsed() >= limits::PROGRESS * 4, "reports come too fast");
        let heard = heard.lock().expect("no panic");
        assert!(heard.windows(2).all(|pair| pair[0].so_far < pair[1].so_far && pair[1].known() >= pair[1].so_far));
        assert!(heard.iter().all(|progress| progress.total >= progress.done));
        assert_eq!(
            [heard[0].what, heard[1].what, heard[2].what, heard[3].what],
            ["reading", "reading", "writing", "writing"]
        );
    }

    #[test]
    fn who_does_not_listen_can_ask() {
        let work = Work::default();
        assert_eq!(work.progress(), None);
        let stage = work.stage("reading", 3);
        while work.progress().is_none() {
            stage.step().expect("not cancelled");
        }
        assert_eq!(work.progress().map(|progress| progress.what), Some("reading"));
    }

    #[test]
    fn notes_are_taken_once_by_whoever_follows_the_work() {
        let work = Work::default();
        work.clone().note("one");
        work.note("two");
        assert_eq!(work.take_notes(), ["one", "two"]);
        assert!(work.take_notes().is_empty());
    }

    #[test]
    fn waiting_is_told_once() {
        let (work, told) = (Work::default(), Arc::new(AtomicUsize::new(0)));
        Work::default().waits();
        let ears = Arc::clone(&told);
        work.on_wait(move || _ = ears.fetch_add(1, Ordering::SeqCst));
        assert!(!work.has_waited());
        work.waits();
        work.clone().waits();
        assert_eq!((told.load(Ordering::SeqCst), work.has_waited()), (1, true));
    }

    #[test]
    fn clones_know_the_files_that_the_caller_named() {
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
    fn a_cancelled_call_takes_no_further_step() {
        let work = Work::default();
        let stage = work.stage("reading", 2);
        stage.step().expect("wanted");
        work.clone().cancel();
        let error = stage.step().expect_err("cancelled");
        assert_eq!(error.kind(), Kind::Cancelled);
        assert_eq!(work.check().expect_err("cancelled"), error);
    }
}
