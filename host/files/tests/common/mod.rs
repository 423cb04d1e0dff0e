//! A workspace on disk, and its contents as a value.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::{
        Arc, Barrier, Mutex, PoisonError, RwLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread::JoinHandle,
};

use marquetry_files::DiskRoots;
pub use marquetry_model::Work;
use marquetry_model::{
    Change, ChangeEffects, Edit, EditSet, Error, Kind, Result, Span, Step,
    ports::{Files, Roots},
};
pub use marquetry_torture::tree::{Node, Tree};

/// A workspace with a separate state folder.
pub struct Place {
    pub directory: tempfile::TempDir,
    pub files: Arc<dyn Files>,
}

pub fn place(files: &[(&str, &str)]) -> Place {
    place_in(tempfile::tempdir().unwrap(), files)
}

/// Creates a workspace in memory if possible, for tests that write often and would mostly wait for the disk.
pub fn fast_place(files: &[(&str, &str)]) -> Place {
    place_in(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap(), files)
}

pub fn place_in(directory: tempfile::TempDir, files: &[(&str, &str)]) -> Place {
    fs::create_dir(directory.path().join("root")).unwrap();
    let place = Place { files: open(directory.path(), |_| {}), directory };
    for (path, content) in files {
        place.write(path, content);
    }
    place
}

pub fn open(directory: &Path, probe: impl Fn(&'static str) + Send + Sync + 'static) -> Arc<dyn Files> {
    DiskRoots::new(directory.join("root"), directory.join("state")).with_probe(probe).open(None).unwrap()
}

/// Opens any root with any state folder.
pub fn open_at(root: &Path, state: &Path) -> Arc<dyn Files> {
    DiskRoots::new(root.to_owned(), state.to_owned()).open(None).unwrap()
}

impl Place {
    pub fn root(&self) -> PathBuf {
        self.directory.path().join("root")
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn link(&self, path: &str, target: &str) {
        symlink(target, self.path(path)).unwrap();
    }

    pub fn mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub fn tree(&self) -> Tree {
        tree(&self.root())
    }

    /// Replaces all of `old` in the current text of a file.
    pub fn edit(&self, path: &str, old: &str, new: &str) -> Step {
        edit(&*self.files, path, old, new)
    }

    pub fn apply(&self, steps: Vec<Step>) -> Result<ChangeEffects> {
        self.files.apply(&change(steps), false, &Work::default())
    }

    /// Checks that the steps are rejected with this kind, also as a dry run, and change nothing.
    #[track_caller]
    pub fn refused(&self, kind: Kind, steps: Vec<Step>) -> Error {
        let before = self.tree();
        let dry = self.files.apply(&change(steps.clone()), true, &Work::default()).expect_err("refused");
        let error = self.apply(steps).expect_err("refused");
        assert_eq!(error.kind(), kind, "{error}");
        assert_eq!(dry, error);
        assert_eq!(self.tree(), before);
        error
    }

    /// Applies the steps, compares the tree with the expected lines, undoes and redoes.
    #[track_caller]
    pub fn check(&self, steps: Vec<Step>, expected: &[(&str, &str)]) -> ChangeEffects {
        let before = self.tree();
        let dry = self.files.apply(&change(steps.clone()), true, &Work::default()).expect("possible");
        assert_eq!(self.tree(), before, "a dry run writes nothing");
        let applied = self.apply(steps).expect("applied");
        assert_eq!((&dry.files, &dry.directories_created), (&applied.files, &applied.directories_created));
        let after = self.tree();
        let texts: Vec<(&str, &str)> = after
            .iter()
            .filter_map(|(path, node)| match node {
                Node::File(bytes, _) => Some((path.as_str(), std::str::from_utf8(bytes).unwrap())),
                Node::Link(target) => Some((path.as_str(), target.as_str())),
                Node::Directory(_) | Node::Other => None,
            })
            .collect();
        assert_eq!(texts, expected);
        let (past, undone) = self.files.undo(None, false, &Work::default()).expect("undone");
        assert_eq!(Some(past.id), applied.id);
        assert_eq!(self.tree(), before, "undo must restore the state before the change");
        self.files.undo(undone.id.as_deref(), false, &Work::default()).expect("redone");
        assert_eq!(self.tree(), after, "redo must restore the state after the change");
        applied
    }
}

/// Returns whether the next operation is part of a change that is already committed.
pub fn is_committed(doing: &str) -> bool {
    matches!(doing, "unmark" | "tally")
}

pub fn tree(root: &Path) -> Tree {
    marquetry_torture::tree::read(root).unwrap()
}

pub fn change(steps: Vec<Step>) -> Change {
    Change { title: "test".to_owned(), steps }
}

pub fn edit(files: &dyn Files, path: &str, old: &str, new: &str) -> Step {
    let source = files.read(path).unwrap();
    let at = source.text.match_indices(old).map(|(at, _)| at);
    let edits = at.map(|at| Edit { span: Span::new(at, at + old.len()), text: new.to_owned() }).collect();
    Step::Edit { path: path.to_owned(), base: source.hash, edits: EditSet::new(&source.text, edits).unwrap() }
}

pub fn create(path: &str, content: &str) -> Step {
    Step::Create { path: path.to_owned(), content: content.into(), overwrite: false, directories: true }
}

pub fn overwrite(path: &str, content: &str) -> Step {
    Step::Create { path: path.to_owned(), content: content.into(), overwrite: true, directories: true }
}

pub fn delete(path: &str) -> Step {
    Step::Delete { path: path.to_owned(), recursive: true }
}

pub fn rename(from: &str, to: &str) -> Step {
    Step::Move { from: from.to_owned(), to: to.to_owned(), overwrite: false }
}

pub fn rename_over(from: &str, to: &str) -> Step {
    Step::Move { from: from.to_owned(), to: to.to_owned(), overwrite: true }
}

pub fn copy(from: &str, to: &str) -> Step {
    Step::Copy { from: from.to_owned(), to: to.to_owned(), overwrite: false, edits: None }
}

/// Runs `action` on the files of the directory and panics before the operation with this number; unwinding writes
/// nothing. Returns the name of that operation, or `None` if the action finished before it.
pub fn stopped(directory: &Path, at: usize, action: impl Fn(&dyn Files)) -> Option<&'static str> {
    let (count, last) = (AtomicUsize::new(0), Arc::new(Mutex::new("")));
    let latest = Arc::clone(&last);
    let files = open(directory, move |doing| {
        let stops = count.fetch_add(1, Ordering::Relaxed) >= at;
        if stops {
            *latest.lock().unwrap() = doing;
        }
        assert!(!stops, "interrupted by the test");
    });
    let ended = catch_unwind(AssertUnwindSafe(|| action(&*files)));
    let last = *last.lock().unwrap();
    match ended {
        Ok(()) => None,
        // The panic is not the expected interruption.
        Err(panic) if last.is_empty() => std::panic::resume_unwind(panic),
        Err(_) => Some(last),
    }
}

/// Interrupts a change right before the `nth` operation (from 0) of this name.
pub fn stop_at(files_of: &Place, doing: &'static str, nth: usize, steps: Vec<Step>) {
    let count = AtomicUsize::new(0);
    let files = open(files_of.directory.path(), move |now| {
        assert!(now != doing || count.fetch_add(1, Ordering::Relaxed) < nth, "interrupted by the test");
    });
    catch_unwind(AssertUnwindSafe(|| files.apply(&change(steps), false, &Work::default())))
        .expect_err("the test interrupts the change");
}

/// Interrupts a change right before the first operation of this name, in any root with any state folder.
pub fn stop_at_root(root: &Path, state: &Path, doing: &'static str, steps: impl Fn(&dyn Files) -> Vec<Step>) {
    let roots = DiskRoots::new(root.to_owned(), state.to_owned());
    let files = roots.with_probe(move |now| assert!(now != doing, "interrupted by the test")).open(None).unwrap();
    let change = change(steps(&*files));
    catch_unwind(AssertUnwindSafe(|| files.apply(&change, false, &Work::default())))
        .expect_err("the test interrupts the change");
}

/// A change that is paused right before its commit point.
pub struct PausedChange {
    go: Arc<Barrier>,
    writer: JoinHandle<()>,
}

/// Starts a change of a directory's files and returns when it is paused.
pub fn paused_change(directory: &Path, steps: Vec<Step>) -> PausedChange {
    let (entered, go) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
    let files = {
        let (entered, go) = (Arc::clone(&entered), Arc::clone(&go));
        open(directory, move |doing| {
            if doing == "commit" {
                entered.wait();
                go.wait();
            }
        })
    };
    let writer = std::thread::spawn(move || _ = files.apply(&change(steps), false, &Work::default()).unwrap());
    entered.wait();
    PausedChange { go, writer }
}

impl PausedChange {
    /// Resumes the change and waits until it has ended.
    pub fn resume(self) {
        self.go.wait();
        self.writer.join().unwrap();
    }
}

/// Environment variable of a process of an ordinary user.
const ORDINARY: &str = "FILES_TEST_ORDINARY";

/// Returns whether the test runs as a user with restricted permissions. As root, it runs the test again as another
/// user.
pub fn is_ordinary(module: &str, name: &str) -> bool {
    use std::os::unix::process::CommandExt;
    if !rustix::process::geteuid().is_root() {
        return true;
    }
    if std::env::var(ORDINARY).is_err() {
        let mut command = again(module, name);
        command.env(ORDINARY, "1").uid(65534).gid(65534);
        // If other users cannot run this program, the test is skipped.
        if let Ok(output) = spawn(command.stdout(Stdio::piped())).and_then(Child::wait_with_output) {
            assert_passed(&output);
        }
    }
    false
}

/// A child process briefly inherits all open files of this one, including locks. A test that expects a released lock to
/// be free at once locks this for reading. Starting a program locks it for writing.
pub static STARTING: RwLock<()> = RwLock::new(());

/// Starts a program while no test expects a free lock.
pub fn spawn(command: &mut Command) -> std::io::Result<Child> {
    let _starting = STARTING.write().unwrap_or_else(PoisonError::into_inner);
    command.spawn()
}

/// Returns a command that runs one test of this binary, ignored or not, in a new process; `module` is `module_path!()`
/// of its file.
pub fn again(module: &str, name: &str) -> Command {
    let module = module.split_once("::").map_or("", |(_, module)| module);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([&format!("{module}::{name}"), "--exact", "--include-ignored", "--nocapture"]);
    command
}

/// Asserts that the process ran one test and that it passed. If the name is unknown, the test harness runs no test and
/// succeeds.
pub fn assert_passed(output: &Output) {
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && stdout.contains("1 passed"),
        "{stdout}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Hides panics of interruptions, which are expected, but not those of tests.
pub fn quietly() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !info.to_string().contains("interrupted by the test") {
                usual(info);
            }
        }));
    });
}
