//! Interruptions: after one, every change is there as a whole or not at all.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    process::{Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use common::*;
use marquetry_model::{Change, Step, ports::Files};

/// Runs `action` on the files of the directory and stops the world before the operation with this number; nothing that runs
/// on the way out writes to disk. Returns whether it came to an end by itself.
fn interrupted(directory: &Path, at: usize, action: impl Fn(&dyn Files)) -> bool {
    let count = AtomicUsize::new(0);
    let files = open(directory, move |_| {
        assert!(count.fetch_add(1, Ordering::Relaxed) < at, "the world stops");
    });
    catch_unwind(AssertUnwindSafe(|| action(&*files))).is_ok()
}

type Example = (&'static str, fn(&Place), fn(&Place) -> Vec<Step>);

const EXAMPLES: [Example; 4] = [
    ("one edit", |_| {}, |place| vec![place.edit("a", "a", "A")]),
    (
        "edits and new files",
        |_| {},
        |place| {
            vec![
                place.edit("a", "a", "A"),
                place.edit("b", "b", "B"),
                create("new/er/c", "c"),
                overwrite("d/x", "over"),
            ]
        },
    ),
    (
        "moves and deletions",
        |place| place.link("e/link", "../a"),
        |place| {
            vec![
                place.edit("d/x", "x", "X"),
                place.edit("b", "b", "B"),
                rename("d", "n/d"),
                rename_over("a", "d/../g"),
                rename("b", "n/d/b"),
                delete("e"),
                create("n/d/z", "z"),
            ]
        },
    ),
    (
        "places traded",
        |_| {},
        |_| {
            vec![rename("a", "b"), rename("b", "a"), rename("d", "D"), rename("d/x", "e2"), copy("g", "h"), delete("g")]
        },
    ),
];

fn prepared((_, prepare, steps): &Example) -> (Place, Change) {
    let place =
        fast_place(&[("a", "a"), ("b", "b"), ("d/x", "x"), ("d/y", "y"), ("e/f", "f"), ("e/g/h", "h"), ("g", "same")]);
    prepare(&place);
    place.mode("b", 0o640);
    let steps = steps(&place);
    (place, change(steps))
}

fn outcome(example: &Example) -> (Tree, Tree) {
    let (place, change) = prepared(example);
    let before = place.tree();
    place.files.apply(&change, false).unwrap();
    (before, place.tree())
}

/// Stops at every operation of a change, and then at every operation of the recovery.
#[test]
fn a_change_stopped_anywhere_is_all_or_nothing() {
    quietly();
    for example in &EXAMPLES {
        let (before, after) = outcome(example);
        for at in 0.. {
            let (place, change) = prepared(example);
            let directory = place.directory.path();
            if interrupted(directory, at, |files| drop(files.apply(&change, false))) {
                assert_eq!(place.tree(), after, "{}", example.0);
                break;
            }
            let left = place.tree();
            for again in 0.. {
                if interrupted(directory, again, |files| drop(files.read("a"))) {
                    break;
                }
            }
            assert_eq!(place.tree(), before, "{} stopped at {at}, which left {left:#?}", example.0);
            assert!(place.files.history(9).unwrap().is_empty());
            place.files.apply(&change, false).expect("it can be done again");
            assert_eq!(place.tree(), after, "{}", example.0);
        }
    }
}

#[test]
fn an_undo_stopped_anywhere_is_all_or_nothing() {
    quietly();
    for example in &EXAMPLES {
        let (before, after) = outcome(example);
        for at in 0.. {
            let (place, change) = prepared(example);
            let directory = place.directory.path();
            place.files.apply(&change, false).unwrap();
            if interrupted(directory, at, |files| drop(files.undo(None, false))) {
                assert_eq!(place.tree(), before, "{}", example.0);
                break;
            }
            place.files.walk("").expect("recovers");
            assert_eq!(place.tree(), after, "{} stopped at {at}", example.0);
            place.files.undo(None, false).expect("it can be done again");
            assert_eq!(place.tree(), before, "{}", example.0);
        }
    }
}

#[test]
fn what_others_wrote_after_a_crash_is_left_alone() {
    quietly();
    for at in 0.. {
        let (place, change) = prepared(&EXAMPLES[1]);
        if interrupted(place.directory.path(), at, |files| drop(files.apply(&change, false))) {
            break;
        }
        place.write("a", "by hand");
        let source = place.files.read("a").expect("recovers");
        assert_eq!(&*source.text, "by hand", "stopped at {at}");
        assert_eq!((place.text("b"), place.text("d/x")), ("b".to_owned(), "x".to_owned()));
        assert!(place.tree().keys().all(|path| !path.contains(".marq-") && !path.starts_with("new")));
    }
}

/// Set for the processes that are killed: where they work, and how.
const WORK: &str = "FILES_TEST_WORK";

/// Not a test of its own: the process that the next test kills.
#[test]
#[ignore = "runs in a process of its own"]
fn works_until_killed() {
    let Ok(directory) = std::env::var(WORK) else { return };
    let files = open(Path::new(&directory), |_| {});
    for round in 0..u32::MAX {
        let text = |path: &str| files.read(path).unwrap().text.to_string();
        let now: usize = text("0").trim().parse().unwrap();
        let next = format!("{}\n", now + 1);
        let mut steps: Vec<Step> =
            (0..MANY).map(|n| edit(&*files, &n.to_string(), &format!("{now}\n"), &next)).collect();
        // Two files move along, so that there is more than edits.
        let (from, to) = if now.is_multiple_of(2) { ("even", "d/odd") } else { ("d/odd", "even") };
        steps.push(rename(from, to));
        if round % 3 == 2 {
            let applied = files.apply(&change(steps), false).unwrap();
            files.undo(applied.id.as_deref(), false).unwrap();
            // And once more, for the next one to count on.
            let steps = (0..MANY).map(|n| edit(&*files, &n.to_string(), &format!("{now}\n"), &next));
            files.apply(&change(steps.chain([rename(from, to)]).collect()), false).unwrap();
        } else {
            files.apply(&change(steps), false).unwrap();
        }
    }
}

const MANY: usize = 12;

#[test]
fn killed_processes_leave_whole_changes() {
    let place = fast_place(&[("even", "moves")]);
    for n in 0..MANY {
        place.write(&n.to_string(), "0\n");
    }
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let mut changed = 0;
    for round in 0..120 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["works_until_killed", "--exact", "--ignored"])
            .env(WORK, place.directory.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        std::thread::sleep(Duration::from_micros(2_000 + random % 60_000));
        assert!(child.try_wait().unwrap().is_none(), "the process failed by itself in round {round}");
        child.kill().unwrap();
        child.wait().unwrap();
        let texts: Vec<String> =
            (0..MANY).map(|n| place.files.read(&n.to_string()).unwrap().text.to_string()).collect();
        assert!(texts.iter().all(|text| *text == texts[0]), "round {round}: {texts:?}");
        let count: usize = texts[0].trim().parse().unwrap();
        assert!(count >= changed, "round {round}: a finished change was lost");
        changed = count;
        let moved = if count.is_multiple_of(2) { "even" } else { "d/odd" };
        assert_eq!(place.text(moved), "moves");
        assert!(place.tree().keys().all(|path| !path.contains(".marq-")), "round {round}: something was left behind");
    }
    assert!(changed > 20, "hardly anything happened: {changed}");
}
