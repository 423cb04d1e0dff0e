//! Tests that recovery can be interrupted at any point and continued by any call. Afterwards no change is half done and
//! no call is blocked.

use std::{fs, path::Path, sync::PoisonError};

use crate::common::*;
use marquetry_files::{DiskRoots, HistoryBudget};
use marquetry_model::{
    Kind, Step,
    ports::{Files, Roots},
};

const MARKER: &str = ".marq-journal";

fn start() -> (Place, Vec<Step>) {
    let place = fast_place(&[("pkg/a", "a"), ("pkg/b", "b"), ("pkg/d/x", "x"), ("other/y", "y")]);
    let steps =
        vec![place.edit("pkg/a", "a", "A"), rename("pkg/b", "pkg/e/b"), rename("pkg/d", "pkg/f"), create("pkg/z", "z")];
    (place, steps)
}

/// Returns everything below a folder with a name of a temporary file or folder of marq.
fn left(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if name == MARKER || name.contains(".marq-") || name == "pending" || name.starts_with("over-") {
            found.push(entry.path().display().to_string());
        }
        if entry.file_type().unwrap().is_dir() {
            found.extend(left(&entry.path()));
        }
    }
    found
}

fn fresh(place: &Place, root: &str) -> std::sync::Arc<dyn Files> {
    open_at(&place.directory.path().join(root), &place.directory.path().join("state"))
}

/// An event after the interrupted recovery: its description, and a function that causes it and returns the root's folder.
type Next = (&'static str, fn(&Place) -> &'static str);

const NEXT: [Next; 5] = [
    ("nobody", |_| "root"),
    ("a read of another file", |place| {
        assert_eq!(&*fresh(place, "root").read("other/y").unwrap().text, "y");
        "root"
    }),
    ("a read from inside, with another state folder", |place| {
        open_at(&place.path("pkg"), &place.directory.path().join("elsewhere")).read("a").unwrap();
        "root"
    }),
    ("the root is renamed", renamed),
    ("the root is renamed, and another one takes its place", |place| {
        renamed(place);
        fs::create_dir_all(place.path("other")).unwrap();
        fs::write(place.path("other/y"), "another").unwrap();
        assert_eq!(&*fresh(place, "root").read("other/y").unwrap().text, "another");
        "renamed"
    }),
];

fn renamed(place: &Place) -> &'static str {
    fs::rename(place.root(), place.directory.path().join("renamed")).unwrap();
    "renamed"
}

/// Checks that the files are in their state before or after the change, and that they can be changed again.
#[track_caller]
fn check(place: &Place, root: &str, (before, after): (&Tree, Option<&Tree>), what: &str) {
    let files = fresh(place, root);
    let text = files.read("pkg/a").unwrap().text.to_string();
    let folder = place.directory.path().join(root);
    let now = tree(&folder);
    assert!(now == *before || Some(&now) == after, "{what}: {now:#?}");
    files.apply(&change(vec![edit(&*files, "pkg/a", &text, "new")]), false, &Work::default()).expect(what);
    assert_eq!(files.notices(), Vec::<String>::new(), "{what}");
    assert_eq!(files.unfinished().unwrap(), [], "{what}");
    assert_eq!(left(&folder), Vec::<String>::new(), "{what}");
}

#[test]
fn interrupted_recovery_does_not_block_calls() {
    quietly();
    let _none_starts = STARTING.read().unwrap_or_else(PoisonError::into_inner);
    for (who, next) in NEXT {
        for at in 0.. {
            let (place, steps) = start();
            let before = place.tree();
            stop_at(&place, "commit", 0, steps);
            let stopped = stopped(place.directory.path(), at, |files| drop(files.read("other/y")));
            let root = next(&place);
            check(&place, root, (&before, None), &format!("{who}, after a stop at {at}: {stopped:?}"));
            if stopped.is_none() {
                assert!(at > 10, "the recovery has too few steps: it was interrupted only {at} times");
                break;
            }
        }
    }
}

#[test]
fn interrupted_change_in_moved_folder_does_not_block_calls() {
    quietly();
    let _none_starts = STARTING.read().unwrap_or_else(PoisonError::into_inner);
    let (place, steps) = start();
    place.apply(steps).unwrap();
    let after = place.tree();
    for (who, next) in NEXT {
        for at in 0.. {
            let (place, steps) = start();
            let before = place.tree();
            let stopped = stopped(place.directory.path(), at, |files| {
                drop(files.apply(&change(steps.clone()), false, &Work::default()));
            });
            let root = next(&place);
            check(&place, root, (&before, Some(&after)), &format!("{who}, after a stop at {at}: {stopped:?}"));
            if stopped.is_none() {
                break;
            }
        }
    }
}

fn journal_ends_with_its_manifest(bytes: &[u8]) -> bool {
    let mut rest = bytes.strip_prefix(b"marquetry journal 2\n").unwrap();
    for _ in 0..2 {
        let (length, after) = rest.split_at(8);
        rest = &after[usize::try_from(u64::from_le_bytes(length.try_into().unwrap())).unwrap()..];
    }
    rest.is_empty()
}

/// Leftovers of interruptions in the state folder are removed too.
#[test]
fn recovery_leaves_no_files_in_the_state_folder() {
    quietly();
    let _none_starts = STARTING.read().unwrap_or_else(PoisonError::into_inner);
    for at in 0.. {
        let (place, steps) = start();
        stop_at(&place, "commit", 0, steps);
        let stopped = stopped(place.directory.path(), at, |files| drop(files.read("pkg/a")));
        place.files.read("pkg/a").unwrap();
        for path in left(&place.directory.path().join("state")) {
            // The remaining file records that the change was rolled back; it has no contents.
            let bytes = fs::read(&path).unwrap();
            assert!(path.contains("over-"), "stopped at {at}: {stopped:?}: {path}");
            assert!(journal_ends_with_its_manifest(&bytes), "stopped at {at}: {stopped:?}");
        }
        if stopped.is_none() {
            break;
        }
    }
    // A tombstone (the renamed journal of a change that was rolled back) that no marker refers to is removed by age.
    let (place, steps) = start();
    let (count, top) = (std::sync::atomic::AtomicUsize::new(0), place.directory.path());
    stop_at(&place, "commit", 0, steps);
    let files = open(top, move |doing| {
        assert!(
            doing != "unmark" || count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 0,
            "interrupted by the test"
        );
    });
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| files.read("pkg/a"))).unwrap_err();
    fs::remove_dir_all(place.path("pkg")).unwrap();
    let state = top.join("state");
    assert!(left(&state).iter().any(|path| path.contains("over-")));
    let budget = HistoryBudget { age: std::time::Duration::ZERO, ..HistoryBudget::default() };
    let roots = DiskRoots::new(place.root(), state.clone()).with_history_budget(budget);
    let steps = vec![create("n", "n"), create("m", "m")];
    let again = DiskRoots::new(place.root(), state.clone())
        .with_probe(|doing| assert!(doing != "commit", "interrupted by the test"));
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        again.open(None).unwrap().apply(&change(steps), false, &Work::default())
    }))
    .unwrap_err();
    roots.open(None).unwrap().read("other/y").unwrap();
    assert_eq!(left(&state), Vec::<String>::new());
}

/// The markers of a finished change may remain. They are removed before the entry of the change, because it identifies
/// them.
#[test]
fn markers_of_finished_change_are_removed_before_its_entry() {
    quietly();
    let (place, steps) = start();
    stop_at(&place, "unmark", 0, steps);
    assert!(place.path("pkg").join(MARKER).exists() && place.text("pkg/a") == "A");
    let budget = HistoryBudget { entries: 1, ..HistoryBudget::default() };
    let roots = DiskRoots::new(place.root(), place.directory.path().join("state")).with_history_budget(budget);
    let files = roots.open(None).unwrap();
    for text in ["1", "2", "3"] {
        files.apply(&change(vec![overwrite("other/y", text)]), false, &Work::default()).unwrap();
    }
    assert_eq!(files.history(9).unwrap().len(), 1);
    assert_eq!(left(&place.root()), Vec::<String>::new());
    files.apply(&change(vec![edit(&*files, "pkg/a", "A", "B")]), false, &Work::default()).unwrap();
}

/// Renumbers inodes, as some file systems do with every mount, or as when restoring a backup.
fn renumber(folder: &Path) {
    let marker = folder.join(MARKER).join("change");
    let copy = folder.join(MARKER).join("copy");
    fs::copy(&marker, &copy).unwrap();
    fs::rename(copy, marker).unwrap();
}

#[test]
fn marker_at_recorded_path_is_valid_with_another_inode() {
    quietly();
    for (root, state, path) in
        [("root", "state", "pkg/a"), ("root/pkg", "elsewhere", "a"), ("root", "elsewhere", "pkg/a")]
    {
        let (place, steps) = start();
        let before = place.tree();
        stop_at(&place, "commit", 0, steps);
        renumber(&place.path("pkg"));
        let files = open_at(&place.directory.path().join(root), &place.directory.path().join(state));
        assert_eq!(&*files.read(path).unwrap().text, "a", "{root} {state}");
        assert!(files.notices()[0].contains("is rolled back"), "{:?}", files.notices());
        assert_eq!(place.tree(), before);
        place.apply(vec![place.edit("pkg/a", "a", "b")]).unwrap();
    }
}

#[test]
fn copied_marker_is_used_after_confirmation() {
    quietly();
    let (place, steps) = start();
    let before = place.tree();
    stop_at(&place, "commit", 0, steps);
    renumber(&place.path("pkg"));
    renamed(&place);
    let files = fresh(&place, "renamed");
    assert_eq!(&*files.read("pkg/a").unwrap().text, "A");
    let error = files.apply(&change(vec![create("pkg/n", "n")]), false, &Work::default()).unwrap_err();
    assert!(error.content().hint.as_deref().is_some_and(|hint| hint.contains("--take-back")), "{error:?}");
    let [unfinished] = &files.unfinished().unwrap()[..] else { panic!("expected exactly one") };
    assert_eq!(files.roll_back_copy("9-other").unwrap_err().content().candidates, std::slice::from_ref(&unfinished.id));
    let message = files.roll_back_copy(&unfinished.id).unwrap();
    assert!(message.contains("is rolled back") && message.contains("kept in"), "{message}");
    check(&place, "renamed", (&before, None), "taken back");
}

/// A journal used to roll back a copy remains available for the original.
#[test]
fn rolling_back_a_copy_leaves_the_original_unchanged() {
    quietly();
    let (place, steps) = start();
    let before = place.tree();
    stop_at(&place, "commit", 0, steps);
    let top = place.directory.path();
    let mut copying = spawn(std::process::Command::new("cp").args(["-a", "root", "copy"]).current_dir(top)).unwrap();
    assert!(copying.wait().unwrap().success());
    let files = fresh(&place, "copy");
    // Another program wrote to a file of the copy.
    fs::write(top.join("copy/pkg/z"), "by hand").unwrap();
    files.read("pkg/a").unwrap();
    let [unfinished] = &files.unfinished().unwrap()[..] else { panic!("expected exactly one") };
    let message = files.roll_back_copy(&unfinished.id).unwrap();
    assert!(message.contains("except for `z`"), "{message}");
    assert_eq!(&*files.read("pkg/a").unwrap().text, "a");
    assert_eq!(fs::read_to_string(top.join("copy/pkg/z")).unwrap(), "by hand");
    check(&place, "root", (&before, None), "the original");
}

#[test]
fn roll_back_of_missing_change_is_refused() {
    quietly();
    let (place, steps) = start();
    stop_at(&place, "commit", 0, steps);
    fs::remove_dir_all(place.directory.path().join("state")).unwrap();
    let files = fresh(&place, "root");
    let [unfinished] = &files.unfinished().unwrap()[..] else { panic!("expected exactly one") };
    let error = files.roll_back_copy(&unfinished.id).unwrap_err();
    assert_eq!(error.kind(), Kind::Unsupported);
    assert!(error.content().hint.as_deref().is_some_and(|hint| hint.contains("--give-up")), "{error:?}");
    files.give_up(&unfinished.id).unwrap();
    files.apply(&change(vec![create("pkg/n", "n")]), false, &Work::default()).unwrap();
}

/// Giving up a change may be interrupted too. If its first step was executed, the change is never rolled back.
#[test]
fn abandoned_change_stays_abandoned() {
    quietly();
    let _none_starts = STARTING.read().unwrap_or_else(PoisonError::into_inner);
    let (place, steps) = start();
    stop_at(&place, "commit", 0, steps);
    renumber(&place.path("pkg"));
    renamed(&place);
    let files = fresh(&place, "renamed");
    files.read("pkg/a").unwrap();
    let [unfinished] = &files.unfinished().unwrap()[..] else { panic!("expected exactly one") };
    files.give_up(&unfinished.id).unwrap();
    assert_eq!(&*fresh(&place, "renamed").read("pkg/a").unwrap().text, "A");
    files.apply(&change(vec![edit(&*files, "pkg/a", "A", "B")]), false, &Work::default()).unwrap();
}

/// A journal that this build cannot read is rejected with a hint, and nothing is changed.
#[test]
fn journal_of_another_version_is_refused_with_a_hint() {
    quietly();
    let (place, steps) = start();
    stop_at(&place, "commit", 0, steps);
    let half = place.tree();
    let state = fs::read_dir(place.directory.path().join("state")).unwrap().next().unwrap().unwrap().path();
    let pending = state.join("changes/pending");
    let mut bytes = fs::read(&pending).unwrap();
    let at = "marquetry journal ".len();
    bytes[at] = b'9';
    fs::write(&pending, bytes).unwrap();
    let files = fresh(&place, "root");
    assert_eq!(&*files.read("pkg/a").unwrap().text, "A");
    assert!(files.notices()[0].contains("another version"), "{:?}", files.notices());
    let error = files.apply(&change(vec![create("pkg/n", "n")]), false, &Work::default()).unwrap_err();
    assert!(error.to_string().contains("another version of marq"), "{error}");
    assert!(error.content().hint.as_deref().is_some_and(|hint| hint.contains("--give-up")), "{error:?}");
    assert_eq!(place.tree(), half);
    let [unfinished] = &files.unfinished().unwrap()[..] else { panic!("expected exactly one") };
    files.give_up(&unfinished.id).unwrap();
    files.apply(&change(vec![create("pkg/n", "n")]), false, &Work::default()).unwrap();
}

/// A change interrupted in a root inside or outside of this one is recovered by the first call, whatever its subject.
#[test]
fn first_call_in_a_root_recovers_changes_that_affect_it() {
    quietly();
    type Call = (&'static str, fn(&dyn Files));
    let calls: [Call; 5] = [
        ("read", |files| drop(files.read(if files.stat("y").is_some() { "y" } else { "other/y" }))),
        ("history", |files| drop(files.history(1))),
        ("names", |files| drop(files.walk_names(""))),
        ("apply", |files| drop(files.apply(&change(vec![create("new", "n")]), true, &Work::default()))),
        ("unfinished", |files| drop(files.unfinished())),
    ];
    for inner in ["pkg", "other", ""] {
        for (what, call) in calls {
            let (place, _) = start();
            let before = place.tree();
            let steps = |files: &dyn Files| {
                if inner == "pkg" {
                    vec![edit(files, "a", "a", "A"), rename("b", "c")]
                } else {
                    vec![edit(files, "pkg/a", "a", "A"), rename("pkg/b", "pkg/c"), edit(files, "other/y", "y", "Y")]
                }
            };
            // The change is interrupted in the root `made`. The call uses the root `met`, which contains `made` or is
            // inside of it.
            let (made, met) = match inner {
                "pkg" => ("root/pkg", "root"),
                "other" => ("root", "root/other"),
                _ => ("root", ""),
            };
            let state = place.directory.path().join("state");
            stop_at_root(&place.directory.path().join(made), &state, "commit", steps);
            assert_ne!(place.tree(), before);
            // Directly below the root, a marker is found with any state folder.
            let state = if inner == "pkg" { place.directory.path().join("elsewhere") } else { state };
            let files = open_at(&place.directory.path().join(met), &state);
            call(&*files);
            assert_eq!(place.tree(), before, "{made} from {met}: {what}");
            assert_eq!(files.notices(), Vec::<String>::new());
        }
    }
}

/// A change that cannot be rolled back is reported by the first call, even if it reads another file.
#[test]
fn first_call_in_a_root_reports_failed_recovery() {
    quietly();
    let (place, _) = start();
    let state = place.directory.path().join("state");
    stop_at_root(&place.path("pkg"), &state, "commit", |files| vec![edit(files, "a", "a", "A"), rename("b", "c")]);
    let changes = fs::read_dir(&state).unwrap().next().unwrap().unwrap().path().join("changes");
    let entry = changes.join("pending");
    let mut bytes = fs::read(&entry).unwrap();
    let at = bytes.len() - 33;
    bytes[at] ^= 1;
    fs::write(&entry, bytes).unwrap();
    let files = fresh(&place, "root");
    assert_eq!(&*files.read("other/y").unwrap().text, "y");
    assert!(
        files.notices().iter().any(|notice| notice.contains("`pkg`") && notice.contains("damaged")),
        "{:?}",
        files.notices()
    );
}

/// A running change in another root does not block the first call.
#[test]
fn first_call_does_not_wait_for_changes_in_other_roots() {
    let (place, steps) = start();
    place.files.read("pkg/a").unwrap();
    let paused = paused_change(place.directory.path(), steps);
    let files = fresh(&place, "");
    assert_eq!(&*files.read("root/other/y").unwrap().text, "y");
    assert!(place.path("pkg").join(MARKER).exists(), "the other change must still be running");
    paused.resume();
    assert_eq!(place.text("pkg/a"), "A");
}
