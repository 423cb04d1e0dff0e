//! Interruptions: every change is applied completely or not at all.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    process::Stdio,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use crate::common::*;
use marquetry_model::{Change, Kind, Step, ports::Files};

fn interrupted(directory: &Path, at: usize, action: impl Fn(&dyn Files)) -> bool {
    stopped(directory, at, action).is_none()
}

/// After the commit point, a change is applied: only its marker remains to be removed.
fn is_too_late(doing: &str) -> bool {
    matches!(doing, "" | "commit") || is_committed(doing)
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
    place.files.apply(&change, false, &Work::default()).unwrap();
    (before, place.tree())
}

/// Interrupts at every operation of a change, and then at every operation of the recovery.
#[test]
fn change_killed_at_any_step_is_atomic() {
    quietly();
    let _none_starts = STARTING.read().unwrap_or_else(PoisonError::into_inner);
    for example in &EXAMPLES {
        let (before, after) = outcome(example);
        for at in 0.. {
            let (place, change) = prepared(example);
            let directory = place.directory.path();
            let stopped = stopped(directory, at, |files| drop(files.apply(&change, false, &Work::default())));
            if stopped.is_none_or(is_committed) {
                place.files.walk("").expect("the files are readable");
                assert_eq!(place.tree(), after, "{}", example.0);
                if stopped.is_none() {
                    break;
                }
                place.files.undo(None, false, &Work::default()).expect("the change can be undone");
                assert_eq!(place.tree(), before, "{}", example.0);
                continue;
            }
            let left = place.tree();
            for again in 0.. {
                if interrupted(directory, again, |files| drop(files.read("a"))) {
                    break;
                }
            }
            assert_eq!(place.tree(), before, "{} stopped at {at}; the interruption left {left:#?}", example.0);
            assert!(place.files.history(9).unwrap().is_empty());
            place.files.apply(&change, false, &Work::default()).expect("it can be repeated");
            assert_eq!(place.tree(), after, "{}", example.0);
        }
    }
}

#[test]
fn undo_killed_at_any_step_is_atomic() {
    quietly();
    let _none_starts = STARTING.read().unwrap_or_else(PoisonError::into_inner);
    for example in &EXAMPLES {
        let (before, after) = outcome(example);
        for at in 0.. {
            let (place, change) = prepared(example);
            let directory = place.directory.path();
            place.files.apply(&change, false, &Work::default()).unwrap();
            let stopped = stopped(directory, at, |files| drop(files.undo(None, false, &Work::default())));
            place.files.walk("").expect("recovers");
            if stopped.is_none_or(is_committed) {
                assert_eq!(place.tree(), before, "{}", example.0);
                if stopped.is_none() {
                    break;
                }
                continue;
            }
            assert_eq!(place.tree(), after, "{} stopped at {at}", example.0);
            place.files.undo(None, false, &Work::default()).expect("it can be repeated");
            assert_eq!(place.tree(), before, "{}", example.0);
        }
    }
}

#[test]
fn recovery_keeps_files_that_others_wrote_after_a_crash() {
    quietly();
    let _none_starts = STARTING.read().unwrap_or_else(PoisonError::into_inner);
    for at in 0.. {
        let (place, change) = prepared(&EXAMPLES[1]);
        let stopped = stopped(place.directory.path(), at, |files| drop(files.apply(&change, false, &Work::default())));
        if stopped.is_none_or(is_committed) {
            break;
        }
        place.write("a", "by hand");
        let source = place.files.read("a").expect("recovers");
        assert_eq!(&*source.text, "by hand", "stopped at {at}");
        assert_eq!((place.text("b"), place.text("d/x")), ("b".to_owned(), "x".to_owned()));
        assert!(place.tree().keys().all(|path| !path.contains(".marq-") && !path.starts_with("new")));
    }
}

/// Contents that other programs overwrote during an interrupted change are kept, and listed in the history.
#[test]
fn partly_recovered_change_is_listed() {
    quietly();
    let _none_starts = STARTING.read().unwrap_or_else(PoisonError::into_inner);
    let (place, change) = prepared(&EXAMPLES[1]);
    let directory = place.directory.path();
    let stopped = AtomicUsize::new(0);
    let files = open(directory, move |doing| {
        assert!(doing != "commit" || stopped.fetch_add(1, Ordering::Relaxed) > 0, "interrupted by the test");
    });
    catch_unwind(AssertUnwindSafe(|| files.apply(&change, false, &Work::default())))
        .expect_err("the test interrupts the change");
    place.write("a", "by hand");
    let [past] = &place.files.history(9).unwrap()[..] else { panic!("one entry") };
    let kept = std::fs::read(past.interrupted.as_ref().expect("it was interrupted")).unwrap();
    let mut replaced = kept[kept.len() - 32 - 3..kept.len() - 32].to_vec();
    replaced.sort_unstable();
    assert_eq!(replaced, b"abx", "the replaced contents must precede the hash at the end of the journal");
    let error = place.files.undo(Some(&past.id), false, &Work::default()).unwrap_err();
    assert!(error.to_string().contains("interrupted") && error.to_string().contains(".kept"), "{error}");
    assert!(
        place.files.undo(None, false, &Work::default()).is_err(),
        "an undo without an id must not choose the interrupted change"
    );
    place.write("a", "a");
    place.files.apply(&change, false, &Work::default()).expect("it can be repeated");
    let history = place.files.history(9).unwrap();
    assert_eq!(history.iter().filter(|past| past.interrupted.is_none()).count(), 1);
    assert_ne!(history[0].id, history[1].id);
}

/// Cancels at every operation of a change: it is rolled back before its commit point, and complete after it.
#[test]
fn change_cancelled_at_any_step_is_atomic() {
    for example in &EXAMPLES {
        let (before, after) = outcome(example);
        for at in 0.. {
            let (place, change) = prepared(example);
            let (work, at_last) = (Work::default(), Arc::new(Mutex::new("")));
            let files = {
                let (work, at_last, count) = (work.clone(), Arc::clone(&at_last), AtomicUsize::new(0));
                open(place.directory.path(), move |doing| {
                    if count.fetch_add(1, Ordering::Relaxed) == at {
                        *at_last.lock().unwrap() = doing;
                        work.cancel();
                    }
                })
            };
            let result = files.apply(&change, false, &work);
            let at_last = *at_last.lock().unwrap();
            if is_too_late(at_last) {
                result.expect("too late to cancel");
                assert_eq!(place.tree(), after, "{}", example.0);
                files.undo(None, false, &Work::default()).expect("the change can be undone");
            } else {
                assert_eq!(result.unwrap_err().kind(), Kind::Cancelled, "{} at {at}, {at_last}", example.0);
                let changes = std::fs::read_dir(place.directory.path().join("state")).unwrap().next().unwrap().unwrap();
                let left = std::fs::read_dir(changes.path().join("changes")).unwrap().count();
                assert_eq!(left, 0, "no journal may be left");
            }
            assert_eq!(place.tree(), before, "{} cancelled at {at}", example.0);
            if at_last.is_empty() {
                break;
            }
        }
    }
}

#[test]
fn cancelled_call_stops_waiting_for_the_lock() {
    let place = place(&[("a", "a"), ("b", "b")]);
    let steps = vec![place.edit("a", "a", "A"), place.edit("b", "b", "B")];
    let paused = paused_change(place.directory.path(), steps.clone());
    let work = Work::default();
    let waiting = {
        let (files, work) = (Arc::clone(&place.files), work.clone());
        std::thread::spawn(move || files.apply(&change(steps), false, &work).unwrap_err())
    };
    work.cancel();
    assert_eq!(waiting.join().unwrap().kind(), Kind::Cancelled);
    paused.resume();
    assert_eq!((place.text("a"), place.text("b")), ("A".to_owned(), "B".to_owned()));
}

/// Environment variable with the folder and mode of the processes that are killed.
const WORK: &str = "FILES_TEST_WORK";

/// This is not a test, but the process that the next test kills.
#[test]
#[ignore = "runs in a separate process"]
fn works_until_killed() {
    let Ok(directory) = std::env::var(WORK) else { return };
    let files = open(Path::new(&directory), |_| {});
    for round in 0..u32::MAX {
        let text = |path: &str| files.read(path).unwrap().text.to_string();
        let now: usize = text("0").trim().parse().unwrap();
        let next = format!("{}\n", now + 1);
        let mut steps: Vec<Step> =
            (0..MANY).map(|n| edit(&*files, &n.to_string(), &format!("{now}\n"), &next)).collect();
        // Two files are moved too, so that there are not only edits.
        let (from, to) = if now.is_multiple_of(2) { ("even", "d/odd") } else { ("d/odd", "even") };
        steps.push(rename(from, to));
        if round % 3 == 2 {
            let applied = files.apply(&change(steps), false, &Work::default()).unwrap();
            files.undo(applied.id.as_deref(), false, &Work::default()).unwrap();
            // Changed again after the undo, so that the values always grow.
            let steps = (0..MANY).map(|n| edit(&*files, &n.to_string(), &format!("{now}\n"), &next));
            files.apply(&change(steps.chain([rename(from, to)]).collect()), false, &Work::default()).unwrap();
        } else {
            files.apply(&change(steps), false, &Work::default()).unwrap();
        }
    }
}

const MANY: usize = 12;

#[test]
fn killed_processes_leave_only_complete_changes() {
    let place = fast_place(&[("even", "moves")]);
    for n in 0..MANY {
        place.write(&n.to_string(), "0\n");
    }
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let mut changed = 0;
    for round in 0..120 {
        let mut command = again(module_path!(), "works_until_killed");
        command.env(WORK, place.directory.path()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = spawn(&mut command).unwrap();
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        std::thread::sleep(Duration::from_micros(2_000 + random % 60_000));
        assert!(child.try_wait().unwrap().is_none(), "the process failed by itself in round {round}");
        child.kill().unwrap();
        child.wait().unwrap();
        // The first call uses the same root and state folder, or others.
        let other = open_at(&place.root(), &place.directory.path().join("elsewhere"));
        let first = if round % 2 == 0 { &place.files } else { &other };
        let texts: Vec<String> = (0..MANY).map(|n| first.read(&n.to_string()).unwrap().text.to_string()).collect();
        assert!(texts.iter().all(|text| *text == texts[0]), "round {round}: {texts:?}");
        let count: usize = texts[0].trim().parse().unwrap();
        assert!(count >= changed, "round {round}: a finished change was lost");
        changed = count;
        let moved = if count.is_multiple_of(2) { "even" } else { "d/odd" };
        assert_eq!(place.text(moved), "moves");
        assert!(place.tree().keys().all(|path| !path.contains(".marq-")), "round {round}: temporary files are left");
    }
    assert!(changed > 20, "too few changes were made: {changed}");
}
