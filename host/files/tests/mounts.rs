//! Other file systems inside a root, and features that only some file systems have.

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
};

use crate::common::*;
use marquetry_model::Kind;
use rustix::fs::XattrFlags;

/// Environment variable with the test to run in a process that can mount.
const ALONE: &str = "FILES_TEST_MOUNTS";

/// Returns true in a process that can mount. Otherwise runs the test again in such a process, in a separate namespace.
/// If the system does not support that, nothing is tested.
fn where_it_may_mount(name: &str) -> bool {
    if std::env::var(ALONE).is_ok_and(|value| value == name) {
        return true;
    }
    let alone = |arguments: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["-Urm", "--"]).args(arguments).env(ALONE, name);
        command
    };
    let mut mounts = alone(&["mount", "-t", "tmpfs", "none", "/mnt"]);
    let can = spawn(mounts.stdout(Stdio::null()).stderr(Stdio::null())).and_then(|mut child| child.wait());
    if can.is_ok_and(|status| status.success()) {
        let test = again(module_path!(), name);
        let mut words = vec![test.get_program().to_str().unwrap()];
        words.extend(test.get_args().map(|word| word.to_str().unwrap()));
        let started = spawn(alone(&words).stdout(Stdio::piped()).stderr(Stdio::piped()));
        assert_passed(&started.and_then(Child::wait_with_output).unwrap());
    }
    false
}

fn mount(arguments: &[&str], at: &Path) {
    assert!(Command::new("mount").args(arguments).arg(at).status().unwrap().success());
}

fn mount_both(place: &Place) {
    fs::create_dir_all(place.path("app/tmp")).unwrap();
    fs::create_dir_all(place.path("app/bound")).unwrap();
    fs::create_dir_all(place.path("elsewhere")).unwrap();
    mount(&["-t", "tmpfs", "none"], &place.path("app/tmp"));
    mount(&["--bind", place.path("elsewhere").to_str().unwrap()], &place.path("app/bound"));
    place.write("app/tmp/t", "t");
    place.write("app/bound/b", "b");
}

#[test]
fn mount_points_are_not_deleted_or_moved() {
    if !where_it_may_mount("mount_points_are_not_deleted_or_moved") {
        return;
    }
    let place = place(&[("app/a", "a"), ("app/z", "z"), ("file", "f"), ("over", "o")]);
    mount_both(&place);
    mount(&["--bind", place.path("over").to_str().unwrap()], &place.path("file"));
    for path in ["app", "app/tmp", "app/bound"] {
        let error = place.refused(Kind::Unsupported, vec![delete(path)]);
        assert!(error.to_string().contains("`app/"), "{error}");
    }
    place.refused(Kind::Unsupported, vec![rename("app/tmp", "moved")]);
    place.refused(Kind::Unsupported, vec![rename("app/bound", "moved")]);
    place.refused(Kind::Unsupported, vec![place.edit("file", "o", "O")]);
    place.refused(Kind::Unsupported, vec![delete("file")]);
    place.refused(Kind::Unsupported, vec![rename("file", "moved")]);
    // Files in it are ordinary files.
    place.apply(vec![delete("app/tmp/t"), delete("app/bound/b"), delete("app/a")]).unwrap();
    place.files.undo(None, false, &Work::default()).unwrap();
    assert_eq!((place.text("app/tmp/t"), place.text("app/bound/b")), ("t".to_owned(), "b".to_owned()));
}

/// Temporary files are in the mount of their target, so every executed operation can be rolled back.
#[test]
fn change_across_mounts_is_atomic() {
    if !where_it_may_mount("change_across_mounts_is_atomic") {
        return;
    }
    quietly();
    let steps = |place: &Place| {
        vec![
            rename("app", "moved"),
            place.edit("app/tmp/t", "t", "T"),
            place.edit("app/bound/b", "b", "B"),
            delete("app/tmp/gone"),
            delete("app/bound/gone"),
            rename("a", "app/../over"),
        ]
    };
    let start = || {
        let place = place(&[("app/a", "a"), ("a", "a")]);
        mount_both(&place);
        place.write("app/tmp/gone", "g");
        place.write("app/bound/gone", "g");
        place
    };
    for stop in 0.. {
        let place = start();
        let (before, steps) = (place.tree(), steps(&place));
        let stopped = stopped(place.directory.path(), stop, |files| {
            drop(files.apply(&change(steps.clone()), false, &Work::default()).unwrap());
        });
        place.files.walk("").unwrap();
        assert_eq!(place.files.notices(), Vec::<String>::new());
        if stopped.is_none_or(is_committed) {
            assert_eq!((place.text("moved/tmp/t"), place.text("moved/bound/b")), ("T".to_owned(), "B".to_owned()));
            place.files.undo(None, false, &Work::default()).unwrap();
        }
        assert_eq!(place.tree(), before, "stopped at {stop}");
        Command::new("umount").args([place.path("app/tmp"), place.path("app/bound")]).status().unwrap();
        if stopped.is_none() {
            break;
        }
    }
}

/// Rolling back a change needs disk space for the replaced contents.
#[test]
fn full_disk_does_not_block_readers() {
    if !where_it_may_mount("full_disk_does_not_block_readers") {
        return;
    }
    quietly();
    let (large, directory) = ("x".repeat(300 << 10), tempfile::tempdir().unwrap());
    fs::create_dir(directory.path().join("root")).unwrap();
    mount(&["-t", "tmpfs", "-o", "size=1m", "none"], &directory.path().join("root"));
    let place = Place { files: open(directory.path(), |_| {}), directory };
    place.write("large", &large);
    place.write("a", "a");
    stop_at(&place, "commit", 0, vec![delete("large"), place.edit("a", "a", "A")]);
    let rest = fs::write(place.path("filler"), "y".repeat(1 << 20));
    assert!(rest.is_err(), "the disk must be full");
    assert_eq!(place.files.read_bytes("a").unwrap(), b"A");
    let [notice] = &place.files.notices()[..] else { panic!("one notice") };
    assert!(notice.contains("half changed") && notice.contains("no space"), "{notice}");
    let error = place.apply(vec![create("new", "n")]).unwrap_err();
    assert_eq!(error.kind(), Kind::LimitExceeded, "{error}");
    assert_eq!(place.files.unfinished().unwrap().len(), 1);
    fs::remove_file(place.path("filler")).unwrap();
    assert_eq!(place.files.unfinished().unwrap(), []);
    assert_eq!((place.text("large"), place.text("a")), (large, "a".to_owned()));
}

fn set(path: &Path, name: &str, value: &[u8]) -> bool {
    rustix::fs::setxattr(path, name, value, XattrFlags::empty()).is_ok()
}

fn get(path: &Path, name: &str) -> Vec<u8> {
    let mut value = vec![0; 4096];
    let length = rustix::fs::getxattr(path, name, &mut value[..]).unwrap();
    value.truncate(length);
    value
}

#[test]
fn extended_attributes_survive_edits_undo_and_recovery() {
    quietly();
    for place in [place(&[("a", "a"), ("b", "b")]), fast_place(&[("a", "a"), ("b", "b")])] {
        let path = place.path("a");
        let long = |n: usize| format!("user.a-rather-long-name-of-an-attribute-{n}");
        let many = (0..200).take_while(|n| set(&path, &long(*n), format!("{n}").as_bytes())).count();
        if many == 0 {
            continue;
        }
        let all_there = || assert!((0..many).all(|n| get(&path, &long(n)) == format!("{n}").as_bytes()));
        place.apply(vec![place.edit("a", "a", "A")]).unwrap();
        all_there();
        place.apply(vec![delete("a")]).unwrap();
        place.files.undo(None, false, &Work::default()).unwrap();
        all_there();
        for steps in [vec![delete("a"), delete("b")], vec![place.edit("a", "A", "x"), place.edit("b", "b", "x")]] {
            stop_at(&place, "commit", 0, steps);
            assert_eq!(&*place.files.read("a").unwrap().text, "A");
            all_there();
        }
    }
}

/// The file system of the file supports extended attributes; the one of its temporary file does not.
#[test]
fn edit_that_loses_attributes_is_refused() {
    if !where_it_may_mount("edit_that_loses_attributes_is_refused") {
        return;
    }
    let place = place(&[("a", "a")]);
    fs::create_dir(place.path("other")).unwrap();
    mount(&["-t", "ramfs", "none"], &place.path("other"));
    if !set(&place.path("a"), "user.note", b"n") || set(&place.path("other"), "user.note", b"n") {
        return;
    }
    let before = place.tree();
    let error = place.apply(vec![rename("a", "other/a")]).unwrap_err();
    assert!(error.kind() == Kind::Unsupported && error.to_string().contains("`user.note` would be lost"), "{error}");
    assert_eq!(place.tree(), before);
}

#[test]
fn broken_hard_links_are_reported() {
    let place = place(&[("a", "a"), ("c", "c")]);
    fs::hard_link(place.path("a"), place.path("b")).unwrap();
    let work = Work::default();
    let steps = vec![place.edit("a", "a", "A"), place.edit("c", "c", "C"), delete("b")];
    place.files.apply(&change(steps), false, &work).unwrap();
    let notes = work.take_notes();
    assert!(notes.len() == 1 && notes[0].contains("`a`") && notes[0].contains("hard links"), "{notes:?}");
    place.files.undo(None, false, &Work::default()).unwrap();
    assert_eq!((place.text("a"), place.text("b")), ("a".to_owned(), "a".to_owned()));
}
