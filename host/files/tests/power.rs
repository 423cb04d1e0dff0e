//! States that a power failure may leave of an atomic change. The journal is flushed first, but the marker is not, so
//! the marker may be missing or empty.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::common::*;
use marquetry_model::Step;

const MARKER: &str = "root/pkg/.marq-journal";

/// A modification of a path.
type Deed = (&'static str, fn(&Path));

/// States of the marker.
const LOSSES: [Deed; 4] = [
    ("nothing", |_| {}),
    ("what it says", |marker| fs::write(marker.join("change"), "").unwrap()),
    ("its files", |marker| {
        for file in fs::read_dir(marker).unwrap() {
            fs::remove_file(file.unwrap().path()).unwrap();
        }
    }),
    ("all of it", |marker| fs::remove_dir_all(marker).unwrap()),
];

type Example = (&'static str, fn(&Place) -> Step);

const STEPS: [Example; 6] = [
    ("edit", |place| place.edit("pkg/a", "old", "new")),
    ("edit through a link", |place| place.edit("pkg/link", "old", "new")),
    ("create", |_| create("pkg/n", "new")),
    ("delete", |_| delete("pkg/a")),
    ("move", |_| rename("pkg/a", "pkg/b")),
    ("move over another", |_| rename_over("pkg/a", "pkg/c")),
];

fn start() -> Place {
    let place = fast_place(&[("pkg/a", "old text"), ("pkg/c", "other")]);
    place.link("pkg/link", "a");
    place
}

/// Returns the temporary file.
fn waiting(place: &Place) -> Option<PathBuf> {
    let names = fs::read_dir(place.path("pkg")).unwrap().map(|entry| entry.unwrap().path());
    names.into_iter().find(|path| path.to_string_lossy().contains(".marq-") && !path.ends_with(".marq-journal"))
}

fn is_pending(place: &Place) -> bool {
    let state = fs::read_dir(place.directory.path().join("state")).unwrap().next().unwrap().unwrap().path();
    state.join("changes/pending").exists()
}

/// Interrupts each change before each of its operations, with each state of the marker and with a truncated temporary
/// file.
#[test]
fn power_failure_leaves_one_step_changes_clean() {
    quietly();
    for (what, step) in STEPS {
        let (before, after) = {
            let place = start();
            let before = place.tree();
            place.apply(vec![step(&place)]).unwrap();
            (before, place.tree())
        };
        let mut met = 0;
        for (loss, lose) in LOSSES {
            for stop in 0.. {
                let place = start();
                let steps = vec![step(&place)];
                let stopped = stopped(place.directory.path(), stop, |files| {
                    drop(files.apply(&change(steps.clone()), false, &Work::default()));
                });
                let marker = place.directory.path().join(MARKER);
                if marker.join("change").exists() && is_pending(&place) {
                    met += usize::from(waiting(&place).is_some());
                    lose(&marker);
                }
                if let Some(waiting) = waiting(&place).filter(|_| stop % 2 == 0) {
                    fs::write(waiting, "n").unwrap();
                }
                let about = format!("{what}, {loss} is lost of the marker, stopped at {stop}, {stopped:?}");
                place.files.read("pkg/c").expect(&about);
                let past = place.files.history(9).unwrap();
                let now = place.tree();
                assert!(now == before || now == after, "{about}: {:?}", now.keys());
                assert!(!is_pending(&place), "{about}");
                // The history has the change only if it was executed, and neither case gives a notice.
                assert_eq!(past.len(), usize::from(now == after), "{about}");
                assert_eq!(place.files.notices(), Vec::<String>::new(), "{about}");
                if now == after {
                    place.files.undo(None, false, &Work::default()).expect(&about);
                    assert_eq!(place.tree(), before, "{about}");
                }
                if stopped.is_none() {
                    break;
                }
            }
        }
        assert!(met > 0 || !what.contains("edit"), "{what}: no interruption left a temporary file");
    }
}

/// Files that other programs put at the temporary path, or wrote since, are kept and reported.
#[test]
fn foreign_files_at_temporary_paths_are_kept() {
    quietly();
    let foreign_changes: [Deed; 3] = [
        ("a longer file", |path| fs::write(path, "what somebody keeps here").unwrap()),
        ("a folder", |path| fs::create_dir(path).unwrap()),
        ("a link", |path| std::os::unix::fs::symlink("c", path).unwrap()),
    ];
    for (what, put) in foreign_changes {
        let place = start();
        stop_at(&place, "rename", 0, vec![place.edit("pkg/a", "old", "new")]);
        fs::remove_dir_all(place.directory.path().join(MARKER)).unwrap();
        let path = waiting(&place).unwrap();
        fs::remove_file(&path).unwrap();
        put(&path);
        let before = place.tree();
        assert_eq!(place.files.read("pkg/a").unwrap().text.to_string(), "old text");
        assert_eq!(place.tree(), before, "{what}");
        let notices = place.files.notices().join("\n");
        assert!(notices.contains(".marq-") && notices.contains("left"), "{what}: {notices}");
        assert!(!is_pending(&place));
    }
    let place = start();
    stop_at(&place, "rename", 0, vec![place.edit("pkg/a", "old", "new")]);
    fs::remove_dir_all(place.directory.path().join(MARKER)).unwrap();
    place.write("pkg/a", "of somebody");
    assert_eq!(place.files.read("pkg/a").unwrap().text.to_string(), "of somebody");
    assert_eq!(waiting(&place), None);
    assert!(place.files.notices().join("\n").contains("the replaced content is kept in"));
}
