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
    Applied, Change, Edit, EditSet, Error, Kind, Result, Span, Step,
    ports::{Files, Roots},
};
pub use marquetry_torture::tree::{Node, Tree};

/// A workspace with its state beside it.
pub struct Place {
    pub directory: tempfile::TempDir,
    pub files: Arc<dyn Files>,
}

pub fn place(files: &[(&str, &str)]) -> Place {
    place_in(tempfile::tempdir().unwrap(), files)
}

/// In memory where the system offers that: for tests that write so often that they would wait for the disk most of the time.
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
    DiskRoots::new(directory.join("root"), directory.join("state")).probed(probe).open(None).unwrap()
}

/// The files below any root, with any state folder.
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

    /// Replaces all of `old` in a file as it is read now.
    pub fn edit(&self, path: &str, old: &str, new: &str) -> Step {
        edit(&*self.files, path, old, new)
    }

    pub fn apply(&self, steps: Vec<Step>) -> Result<Applied> {
        self.files.apply(&change(steps), false, &Work::default())
    }

    /// Checks that the steps are refused with the kind, dry or not, and leave no trace.
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

    /// Carries the steps out, compares the tree with the lines expected, undoes and redoes.
    #[track_caller]
    pub fn check(&self, steps: Vec<Step>, expected: &[(&str, &str)]) -> Applied {
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
        assert_eq!(self.tree(), before, "undo restores everything");
        self.files.undo(undone.id.as_deref(), false, &Work::default()).expect("redone");
        assert_eq!(self.tree(), after, "redo does it again");
        applied
    }
}

/// Whether what is done next belongs to a change that is there already.
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

/// Runs `action` on the files of the directory and stops the world before the operation with this number; nothing that runs
/// on the way out writes to disk. Answers where it stopped, or nothing where it came to an end by itself.
pub fn stopped(directory: &Path, at: usize, action: impl Fn(&dyn Files)) -> Option<&'static str> {
    let (count, last) = (AtomicUsize::new(0), Arc::new(Mutex::new("")));
    let told = Arc::clone(&last);
    let files = open(directory, move |doing| {
        let stops = count.fetch_add(1, Ordering::Relaxed) >= at;
        if stops {
            *told.lock().unwrap() = doing;
        }
        assert!(!stops, "the world stops");
    });
    let ended = catch_unwind(AssertUnwindSafe(|| action(&*files)));
    let last = *last.lock().unwrap();
    match ended {
        Ok(()) => None,
        // It failed by itself.
        Err(panic) if last.is_empty() => std::panic::resume_unwind(panic),
        Err(_) => Some(last),
    }
}

/// Stops a change of these files right before the operation of that name, for the second time where it is asked for.
pub fn stop_at(files_of: &Place, doing: &'static str, nth: usize, steps: Vec<Step>) {
    let count = AtomicUsize::new(0);
    let files = open(files_of.directory.path(), move |now| {
        assert!(now != doing || count.fetch_add(1, Ordering::Relaxed) < nth, "the world stops");
    });
    catch_unwind(AssertUnwindSafe(|| files.apply(&change(steps), false, &Work::default()))).expect_err("it stopped");
}

/// The same at any root, with any state folder.
pub fn stop_at_root(root: &Path, state: &Path, doing: &'static str, steps: impl Fn(&dyn Files) -> Vec<Step>) {
    let roots = DiskRoots::new(root.to_owned(), state.to_owned());
    let files = roots.probed(move |now| assert!(now != doing, "the world stops")).open(None).unwrap();
    let change = change(steps(&*files));
    catch_unwind(AssertUnwindSafe(|| files.apply(&change, false, &Work::default()))).expect_err("it stopped");
}

/// A change that runs until it is let go, right before its commit point.
pub struct Held {
    go: Arc<Barrier>,
    writer: JoinHandle<()>,
}

/// Begins a change of the files of a directory, and comes back when it has all but ended.
pub fn held(directory: &Path, steps: Vec<Step>) -> Held {
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
    Held { go, writer }
}

impl Held {
    /// Lets it end.
    pub fn go(self) {
        self.go.wait();
        self.writer.join().unwrap();
    }
}

/// Set for a process of an ordinary user.
const ORDINARY: &str = "FILES_TEST_ORDINARY";

/// Whether the test runs for a user from whom rights keep something. The superuser has it run again for another one.
pub fn is_ordinary(module: &str, name: &str) -> bool {
    use std::os::unix::process::CommandExt;
    if !rustix::process::geteuid().is_root() {
        return true;
    }
    if std::env::var(ORDINARY).is_err() {
        let mut command = again(module, name);
        command.env(ORDINARY, "1").uid(65534).gid(65534);
        // Where others may not run it, there is nobody to try.
        if let Ok(output) = spawn(command.stdout(Stdio::piped())).and_then(Child::wait_with_output) {
            assert_passed(&output);
        }
    }
    false
}

/// A program that is started has, for a moment, all that is open in this one, locks too. Whoever counts on a lock being free as
/// soon as it is given back holds this for reading, whoever starts a program for writing.
pub static STARTING: RwLock<()> = RwLock::new(());

/// Starts a program, while no test counts on a free lock.
pub fn spawn(command: &mut Command) -> std::io::Result<Child> {
    let _starting = STARTING.write().unwrap_or_else(PoisonError::into_inner);
    command.spawn()
}

/// Command that runs one test of this binary, ignored or not, in a new process; `module` is `module_path!()` of its file.
pub fn again(module: &str, name: &str) -> Command {
    let module = module.split_once("::").map_or("", |(_, module)| module);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([&format!("{module}::{name}"), "--exact", "--include-ignored", "--nocapture"]);
    command
}

/// Asserts that the process ran one test, and that it passed. With an unknown name the test harness succeeds without a test.
pub fn assert_passed(output: &Output) {
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

/// Panics of interruptions are expected; those of the tests are shown.
pub fn quietly() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !info.to_string().contains("the world stops") {
                usual(info);
            }
        }));
    });
}
