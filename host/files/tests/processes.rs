//! Several processes and threads in one workspace: no update is lost, and no change is seen half done.

use std::{path::Path, process::Stdio, sync::Arc};

use crate::common::*;
use marquetry_model::{Kind, Step, ports::Files};

const WORK: &str = "FILES_TEST_COUNT";
const ROUNDS: usize = 40;

/// Increments both files until it has succeeded `ROUNDS` times. Returns the number of stale attempts.
fn count(files: &dyn Files) -> usize {
    let (mut done, mut late) = (0, 0);
    while done < ROUNDS {
        let now = files.read("a").unwrap();
        let next = now.text.trim().parse::<usize>().unwrap() + 1;
        let steps = ["a", "b"].map(|path| edit(files, path, &now.text, &format!("{next}\n")));
        match files.apply(&change(steps.to_vec()), false, &Work::default()) {
            Ok(applied) => done += usize::from(applied.files.len() == 2),
            Err(error) => {
                assert_eq!(error.kind(), Kind::Stale, "{error}");
                late += 1;
            }
        }
    }
    late
}

#[test]
#[ignore = "runs in a separate process"]
fn counts() {
    if let Ok(directory) = std::env::var(WORK) {
        count(&*open(Path::new(&directory), |_| {}));
    }
}

#[test]
fn concurrent_processes_lose_no_update() {
    let place = place(&[("a", "0\n"), ("b", "0\n")]);
    let start = || {
        let mut command = again(module_path!(), "counts");
        command.env(WORK, place.directory.path());
        spawn(command.stdout(Stdio::null()).stderr(Stdio::inherit())).unwrap()
    };
    let children: Vec<_> = (0..2).map(|_| start()).collect();
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let files = Arc::clone(&place.files);
            std::thread::spawn(move || count(&*files))
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let expected = format!("{}\n", 4 * ROUNDS);
    assert_eq!((place.text("a"), place.text("b")), (expected.clone(), expected));
}

/// Environment variable of the next test's process: root, state folder and name of the file.
const NESTED: &str = "FILES_TEST_NESTED";

/// Increments a file until it has succeeded `ROUNDS` times.
fn count_one(files: &dyn Files, path: &str) {
    let mut done = 0;
    while done < ROUNDS {
        let now = files.read(path).unwrap();
        let next = now.text.trim().parse::<usize>().unwrap() + 1;
        match files.apply(&change(vec![edit(files, path, &now.text, &format!("{next}\n"))]), false, &Work::default()) {
            Ok(applied) => done += usize::from(applied.files.len() == 1),
            Err(error) => assert_eq!(error.kind(), Kind::Stale, "{error}"),
        }
    }
}

#[test]
#[ignore = "runs in a separate process"]
fn counts_in_a_root() {
    let Ok(variable) = std::env::var(NESTED) else { return };
    let variable: Vec<&str> = variable.split('\n').collect();
    count_one(&*open_at(Path::new(variable[0]), Path::new(variable[1])), variable[2]);
}

/// One file in a root and in a nested root, with the same and with another state folder.
#[test]
fn nested_roots_and_state_folders_lose_no_update() {
    let place = place(&[("pkg/deep/a", "0\n")]);
    let here = |path: &str| place.directory.path().join(path).to_str().unwrap().to_owned();
    let ways = [("root", "state", "pkg/deep/a"), ("root/pkg", "state", "deep/a"), ("root/pkg", "other", "deep/a")];
    let start = |(root, state, path): &(&str, &str, &str)| {
        let mut command = again(module_path!(), "counts_in_a_root");
        command.env(NESTED, [here(root), here(state), (*path).to_owned()].join("\n"));
        spawn(command.stdout(Stdio::null()).stderr(Stdio::inherit())).unwrap()
    };
    let children: Vec<_> = ways.iter().map(start).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(place.text("pkg/deep/a"), format!("{}\n", ways.len() * ROUNDS));
}

/// Two users share a root, each with a separate state folder, while a third one locks the parent folders.
#[test]
fn concurrent_users_lose_no_update() {
    use std::os::unix::{fs::PermissionsExt, process::CommandExt};
    const OTHER: u32 = 65534;
    const STRANGER: u32 = 12345;
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let place = place_in(tempfile::tempdir().unwrap(), &[("pkg/a", "0\n")]);
    let top = place.directory.path();
    std::fs::set_permissions(top, std::fs::Permissions::from_mode(0o755)).unwrap();
    for state in ["state", "other"] {
        std::fs::create_dir_all(top.join(state)).unwrap();
    }
    let given = [place.root(), place.path("pkg"), place.path("pkg/a"), top.join("other")];
    given.iter().for_each(|path| std::os::unix::fs::chown(path, Some(OTHER), Some(OTHER)).unwrap());
    let here = |path: &str| top.join(path).to_str().unwrap().to_owned();
    let mut locking = std::process::Command::new("flock");
    let stranger = spawn(locking.args(["-x", &here(""), "sleep", "120"]).uid(STRANGER).gid(STRANGER));
    let start = |(user, state): &(u32, &str)| {
        let mut command = again(module_path!(), "counts_in_a_root");
        command.env(NESTED, [here("root"), here(state), "pkg/a".to_owned()].join("\n")).uid(*user).gid(*user);
        spawn(command.stdout(Stdio::null()).stderr(Stdio::inherit()))
    };
    // If other users cannot run this program, their processes are left out.
    let children: Vec<_> = [(0, "state"), (OTHER, "other"), (0, "state"), (OTHER, "other")].iter().map(start).collect();
    let mut done = 0;
    for child in children {
        let Ok(mut child) = child else { continue };
        assert!(child.wait().unwrap().success());
        done += ROUNDS;
    }
    if let Ok(mut stranger) = stranger {
        stranger.kill().unwrap();
        stranger.wait().unwrap();
    }
    assert_eq!(place.text("pkg/a"), format!("{done}\n"));
}

/// Environment variable of the next test's process: root, state folder, names of the two files, and path of its log.
const DOOMED: &str = "FILES_TEST_DOOMED";

#[test]
#[ignore = "runs in a separate process"]
fn counts_until_killed() {
    let Ok(variable) = std::env::var(DOOMED) else { return };
    let [root, state, a, b, log] = variable.split('\n').collect::<Vec<_>>()[..] else { panic!("five words") };
    let files = open_at(Path::new(root), Path::new(state));
    let mut log = std::fs::File::options().append(true).create(true).open(log).unwrap();
    loop {
        let (left, right) = (files.read(a).unwrap(), files.read(b).unwrap());
        let next = left.text.trim().parse::<usize>().unwrap() + 1;
        // Another process may have changed both files between the two reads, but half a change must never be visible.
        let whole = || left.text == right.text || files.read(a).unwrap().hash != left.hash;
        assert!(whole(), "{} and {}", left.text, right.text);
        let steps = [a, b].map(|path| overwrite_if(path, &left.text, &format!("{next}\n")));
        match files.apply(&change(steps.to_vec()), false, &Work::default()) {
            Ok(_) => std::io::Write::write_all(&mut log, b".").unwrap(),
            Err(error) => assert_eq!(error.kind(), Kind::Stale, "{error}"),
        }
    }
}

/// Replaces a whole text if it is still `old`.
fn overwrite_if(path: &str, old: &str, new: &str) -> marquetry_model::Step {
    let edit = marquetry_model::Edit { span: marquetry_model::Span::new(0, old.len()), text: new.to_owned() };
    let edits = marquetry_model::EditSet::new(old, vec![edit]).unwrap();
    marquetry_model::Step::Edit { path: path.to_owned(), base: marquetry_files::hash(old.as_bytes()), edits }
}

/// Processes in three nested roots with two state folders are killed at any moment: no change is seen half done, and no
/// acknowledged change is lost.
#[test]
fn killed_processes_at_several_roots_lose_no_update() {
    let place = fast_place(&[("pkg/deep/a", "0\n"), ("pkg/b", "0\n")]);
    let here = |path: &str| place.directory.path().join(path).to_str().unwrap().to_owned();
    let ways = [
        ["root", "state", "pkg/deep/a", "pkg/b"],
        ["root/pkg", "state", "deep/a", "b"],
        ["root/pkg", "other", "deep/a", "b"],
    ];
    let start = |way: &[&str; 4]| {
        let acknowledged = [here(way[0]), here(way[1]), way[2].to_owned(), way[3].to_owned(), here("log")].join("\n");
        let mut command = again(module_path!(), "counts_until_killed");
        command.env(DOOMED, acknowledged);
        spawn(command.stdout(Stdio::null()).stderr(Stdio::inherit())).unwrap()
    };
    let mut children: Vec<_> = ways.iter().map(start).collect();
    let (mut random, rounds) = (0x2545_F491_4F6C_DD1D_u64, 90);
    for round in 0..rounds {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        std::thread::sleep(std::time::Duration::from_micros(5_000 + random % 40_000));
        let at = round % ways.len();
        assert!(children[at].try_wait().unwrap().is_none(), "the process failed by itself in round {round}");
        children[at].kill().unwrap();
        children[at].wait().unwrap();
        children[at] = start(&ways[at]);
    }
    for child in &mut children {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    place.files.walk("").unwrap();
    let (a, b) = (place.text("pkg/deep/a"), place.text("pkg/b"));
    let done: usize = a.trim().parse().unwrap();
    let acknowledged = std::fs::read(here("log")).unwrap().len();
    assert_eq!(a, b);
    // A killed process may not have recorded its last change.
    assert!(
        acknowledged <= done && done <= acknowledged + rounds + ways.len(),
        "{acknowledged} changes were acknowledged, {done} exist"
    );
    assert!(done > rounds, "too few changes were made: {done}");
    assert!(place.tree().keys().all(|path| !path.contains(".marq-")), "temporary files are left");
}

/// A running change stopped before its last step.
struct Stopped {
    files: Arc<dyn Files>,
    go: Arc<std::sync::Barrier>,
    writer: std::thread::JoinHandle<()>,
}

impl Stopped {
    fn new(place: &Place, steps: Vec<Step>) -> Stopped {
        let (entered, go) = (Arc::new(std::sync::Barrier::new(2)), Arc::new(std::sync::Barrier::new(2)));
        let files = {
            let (entered, go) = (Arc::clone(&entered), Arc::clone(&go));
            open(place.directory.path(), move |doing| {
                if doing == "commit" {
                    entered.wait();
                    go.wait();
                }
            })
        };
        let writes = Arc::clone(&files);
        let writer = std::thread::spawn(move || {
            writes.apply(&change(steps), false, &Work::default()).unwrap();
        });
        entered.wait();
        Stopped { files, go, writer }
    }

    fn end(self) {
        self.go.wait();
        self.writer.join().unwrap();
    }
}

#[test]
fn file_is_read_while_other_files_change() {
    let place = place(&[("pkg/a", "a"), ("pkg/b", "b"), ("pkg/c", "c"), ("d", "d")]);
    let stopped = Stopped::new(&place, vec![place.edit("pkg/a", "a", "A"), place.edit("pkg/b", "b", "B")]);
    let elsewhere = place.directory.path().join("other");
    let (above, below) = (place.directory.path().to_owned(), place.path("pkg"));
    for (files, names) in [
        // The same process, one with the same state folder, and others.
        (Arc::clone(&stopped.files), ["pkg/c", "d"]),
        (open(place.directory.path(), |_| {}), ["pkg/c", "d"]),
        (open_at(&place.root(), &elsewhere), ["pkg/c", "d"]),
        (open_at(&above, &elsewhere), ["root/pkg/c", "root/d"]),
        (open_at(&below, &elsewhere), ["c", "c"]),
    ] {
        for name in names {
            // If this read waited for the running change, the test would hang: the change ends only below.
            assert_eq!(
                files.read(name).unwrap().text.as_ref(),
                &name[name.len() - 1..],
                "{name} below {}",
                files.root()
            );
        }
    }
    stopped.end();
    assert_eq!(place.files.read("pkg/a").unwrap().text.as_ref(), "A");
}

#[test]
fn one_step_change_does_not_block_readers() {
    let place = place(&[("a", "a"), ("b", "b")]);
    let stopped = Stopped::new(&place, vec![place.edit("a", "a", "A")]);
    for files in [Arc::clone(&stopped.files), open_at(&place.root(), &place.directory.path().join("other"))] {
        assert_eq!(
            files.read("a").unwrap().text.as_ref(),
            "A",
            "the new content must be readable right after the rename"
        );
        assert_eq!(files.read("b").unwrap().text.as_ref(), "b");
    }
    stopped.end();
}

#[test]
fn reader_waits_for_a_running_change() {
    let place = place(&[("a", "a"), ("b", "b")]);
    let paused = paused_change(place.directory.path(), vec![place.edit("a", "a", "A"), place.edit("b", "b", "B")]);
    let reader = {
        let files = Arc::clone(&place.files);
        std::thread::spawn(move || files.read("a").unwrap().text.to_string())
    };
    std::thread::sleep(std::time::Duration::from_millis(50));
    assert!(!reader.is_finished(), "the reader must wait until the change ends");
    paused.resume();
    assert_eq!(reader.join().unwrap(), "A");
}

#[test]
fn reader_in_another_root_waits_for_a_running_change() {
    let place = place(&[("pkg/a", "a"), ("pkg/b", "b")]);
    let paused =
        paused_change(place.directory.path(), vec![place.edit("pkg/a", "a", "A"), place.edit("pkg/b", "b", "B")]);
    let reader = {
        let files = open_at(&place.path("pkg"), &place.directory.path().join("other"));
        std::thread::spawn(move || files.read("a").unwrap().text.to_string())
    };
    std::thread::sleep(std::time::Duration::from_millis(50));
    assert!(!reader.is_finished(), "the reader must wait until the change ends");
    paused.resume();
    assert_eq!(reader.join().unwrap(), "A");
}

#[test]
#[ignore = "waits as long as a caller would"]
fn timeout_error_names_the_changing_process() {
    let place = place(&[("a", "a")]);
    let steps = vec![place.edit("a", "a", "A")];
    let paused = paused_change(place.directory.path(), steps.clone());
    let error = place.apply(steps).unwrap_err();
    assert_eq!(error.kind(), Kind::LimitExceeded);
    assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
    paused.resume();
}
