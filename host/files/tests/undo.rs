//! The history, and rejected undos.

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, SystemTime},
};

use crate::common::*;
use marquetry_files::{DiskRoots, HistoryBudget};
use marquetry_model::{
    Kind, Outcome, Step,
    ports::{Files, Roots},
};

#[test]
fn undo_works_step_by_step_and_redoes() {
    let place = place(&[("a", "0")]);
    for n in 1..4 {
        place.apply(vec![place.edit("a", &(n - 1).to_string(), &n.to_string())]).unwrap();
    }
    let undo = |id: Option<&str>| {
        place.files.undo(id, false, &Work::default()).map(|(past, applied)| (past.id, applied.id.unwrap()))
    };
    let (third, undo_third) = undo(None).unwrap();
    assert_eq!(place.text("a"), "2");
    undo(None).unwrap();
    undo(None).unwrap();
    assert_eq!(place.text("a"), "0");
    assert_eq!(undo(None).unwrap_err().kind(), Kind::InvalidArgument);
    let error = undo(Some(&third)).unwrap_err();
    assert_eq!((error.kind(), error.content().candidates.clone()), (Kind::InvalidArgument, vec![undo_third.clone()]));
    assert_eq!(undo(Some(&undo_third)).unwrap_err().kind(), Kind::Stale);
    assert_eq!(undo(Some("99-none")).unwrap_err().kind(), Kind::InvalidArgument);
    let history = place.files.history(100).unwrap();
    assert_eq!(history.iter().filter(|past| past.undone).count(), 3);
    assert_eq!(history.len(), 6);
    assert_eq!(history[0].files, ["a"]);
    assert!(history[0].title.starts_with("undo 1-"), "{}", history[0].title);
    assert_eq!(place.files.history(2).unwrap(), history[..2]);
    // Redo: undo the undo.
    let first = undo(Some(&history[0].id)).unwrap();
    assert_eq!(place.text("a"), "1");
    assert!(first.1.starts_with("7-"));
    assert!(place.files.history(1).unwrap()[0].title.starts_with("redo 1-"));
    assert!(!place.files.history(100).unwrap().last().unwrap().undone);
}

#[test]
fn undo_refuses_files_changed_since() {
    let place = place(&[("a", "a"), ("b", "b"), ("c", "c"), ("d/x", "x")]);
    let steps = vec![place.edit("a", "a", "A"), rename("b", "b2"), delete("c"), create("n", "n"), rename("d", "e")];
    let id = place.apply(steps).unwrap().id.unwrap();
    let undo = || place.files.undo(Some(&id), false, &Work::default()).map(|_| ());
    let spoilt = |spoil: &dyn Fn(), path: &str, mend: &dyn Fn()| {
        spoil();
        let before = place.tree();
        let dry = place.files.undo(Some(&id), true, &Work::default()).unwrap_err();
        let error = undo().unwrap_err();
        assert_eq!((error.kind(), error.content().candidates.clone()), (Kind::Stale, vec![path.to_owned()]));
        assert_eq!(dry, error);
        assert_eq!(place.tree(), before);
        mend();
    };
    let remove = |path: &str| std::fs::remove_file(place.path(path)).unwrap();
    spoilt(&|| place.write("a", "x"), "a", &|| place.write("a", "A"));
    spoilt(&|| place.write("b2", "x"), "b2", &|| place.write("b2", "b"));
    spoilt(&|| place.write("c", "x"), "c", &|| remove("c"));
    spoilt(&|| remove("n"), "n", &|| place.write("n", "n"));
    let away = || std::fs::rename(place.path("e"), place.path("f")).unwrap();
    spoilt(&away, "e", &|| std::fs::rename(place.path("f"), place.path("e")).unwrap());
    // A file added to a moved directory moves back with it.
    place.write("e/y", "y");
    undo().unwrap();
    assert_eq!((place.text("d/y"), place.text("c"), place.text("a")), ("y".to_owned(), "c".to_owned(), "a".to_owned()));
}

#[test]
fn undo_error_names_later_changes() {
    let place = place(&[("a", "a")]);
    let first = place.apply(vec![place.edit("a", "a", "b")]).unwrap().id.unwrap();
    let second = place.apply(vec![place.edit("a", "b", "c")]).unwrap().id.unwrap();
    let error = place.files.undo(Some(&first), false, &Work::default()).unwrap_err();
    assert!(error.content().hint.clone().unwrap().contains(&second), "{error}");
}

#[test]
fn dry_run_of_undo_writes_nothing() {
    let place = place(&[("a", "a")]);
    place.apply(vec![rename("a", "d/b")]).unwrap();
    let before = place.tree();
    let (past, applied) = place.files.undo(None, true, &Work::default()).unwrap();
    assert_eq!((past.undone, applied.outcome, applied.id), (false, Outcome::DryRun, None));
    assert_eq!((applied.files[0].before.as_deref(), applied.files[0].after.as_deref()), (Some("d/b"), Some("a")));
    assert_eq!(place.tree(), before);
    place.files.undo(None, false, &Work::default()).unwrap();
    assert!(!place.path("d").exists(), "created directories must be removed if they are empty");
}

#[test]
fn undo_keeps_directories_with_other_files() {
    let place = place(&[("a", "a")]);
    place.apply(vec![create("d/e/new", "n")]).unwrap();
    place.write("d/other", "o");
    place.files.undo(None, false, &Work::default()).unwrap();
    assert!(place.path("d/other").exists() && !place.path("d/e").exists());
}

fn keeping(place: &Place, budget: HistoryBudget) -> Arc<dyn Files> {
    let roots = DiskRoots::new(place.root(), place.directory.path().join("state")).with_history_budget(budget);
    roots.open(None).unwrap()
}

/// Applies a change; returns its id and notes.
fn noted(files: &dyn Files, steps: Vec<Step>, dry_run: bool) -> (Option<String>, Vec<String>) {
    let work = Work::default();
    (files.apply(&change(steps), dry_run, &work).unwrap().id, work.take_notes())
}

fn entries(place: &Place) -> PathBuf {
    std::fs::read_dir(place.directory.path().join("state")).unwrap().next().unwrap().unwrap().path().join("changes")
}

#[test]
fn history_is_bounded_and_reports_removed_entries() {
    let place = fast_place(&[("a", "0")]);
    let files = keeping(&place, HistoryBudget { entries: 3, ..HistoryBudget::default() });
    let mut ids = Vec::new();
    for n in 1..=5 {
        let steps = vec![place.edit("a", &(n - 1).to_string(), &n.to_string())];
        let foretold = noted(&*files, steps.clone(), true).1;
        let (id, notes) = noted(&*files, steps, false);
        ids.extend(id);
        assert_eq!((notes.len(), foretold.len()), if n > 3 { (1, 1) } else { (0, 0) });
        if n > 3 {
            assert!(notes[0].starts_with(&format!("`{}` (test) can no longer be undone", ids[n - 4])), "{notes:?}");
            assert!(foretold[0].starts_with(&format!("`{}` (test) could no longer be undone", ids[n - 4])));
        }
    }
    let history: Vec<String> = files.history(1000).unwrap().into_iter().map(|past| past.id).collect();
    assert_eq!(history, ids.iter().rev().take(3).cloned().collect::<Vec<_>>());
    assert!(history[0].starts_with("5-"), "the number must continue");
}

/// A change that is too large to keep is dropped itself and displaces no other.
#[test]
fn large_change_does_not_evict_small_ones() {
    let place = fast_place(&[("small", "s"), ("large", &"l".repeat(100_000)), ("a", "a")]);
    let files = keeping(&place, HistoryBudget { bytes: 50_000, ..HistoryBudget::default() });
    let (small, notes) = noted(&*files, vec![delete("small")], false);
    assert_eq!(notes, Vec::<String>::new());
    let (large, notes) = noted(&*files, vec![delete("large")], false);
    assert_eq!(notes, Vec::<String>::new());
    let (_, notes) = noted(&*files, vec![place.edit("a", "a", "b")], false);
    assert!(notes[0].starts_with(&format!("`{}`", large.unwrap())) && notes.len() == 1, "{notes:?}");
    files.undo(small.as_deref(), false, &Work::default()).unwrap();
    assert_eq!(place.text("small"), "s");
}

#[test]
fn old_changes_are_removed() {
    let place = fast_place(&[("a", "0")]);
    let files = keeping(&place, HistoryBudget::default());
    for n in 1..=3 {
        noted(&*files, vec![place.edit("a", &(n - 1).to_string(), &n.to_string())], false);
    }
    let age = |age: Duration| {
        for entry in std::fs::read_dir(entries(&place)).unwrap() {
            std::fs::File::open(entry.unwrap().path()).unwrap().set_modified(SystemTime::now() - age).unwrap();
        }
    };
    age(HistoryBudget::default().age * 17 / 16 - Duration::from_secs(60));
    assert_eq!(noted(&*files, vec![create("b", "b")], true).1.len(), 0, "the limits may be exceeded by a sixteenth");
    age(HistoryBudget::default().age * 17 / 16 + Duration::from_secs(1));
    assert_eq!(files.history(9).unwrap().len(), 3, "old changes must be removed by the next change only");
    let (id, notes) = noted(&*files, vec![place.edit("a", "3", "4")], false);
    assert_eq!(files.history(9).unwrap().into_iter().map(|past| past.id).collect::<Vec<_>>(), [id.unwrap()]);
    assert_eq!(notes.len(), 1);
}

#[test]
fn states_of_missing_roots_are_removed_by_age() {
    let place = fast_place(&[("a", "a"), ("gone/x", "x"), ("gone-lately/x", "x")]);
    let state = place.directory.path().join("state");
    let folders = || std::fs::read_dir(&state).unwrap().count();
    for name in ["gone", "gone-lately"] {
        let files = open_at(&place.path(name), &state);
        files.apply(&change(vec![edit(&*files, "x", "x", "y")]), false, &Work::default()).unwrap();
        std::fs::remove_dir_all(place.path(name)).unwrap();
        let past = SystemTime::now() - HistoryBudget::default().age - Duration::from_secs(1);
        if name == "gone" {
            for entry in std::fs::read_dir(entries(&place)).unwrap() {
                std::fs::File::open(entry.unwrap().path()).unwrap().set_modified(past).unwrap();
            }
        }
    }
    assert_eq!(folders(), 1, "the state of the missing root must be removed when the state of another root is created");
    place.apply(vec![place.edit("a", "a", "b")]).unwrap();
    assert_eq!(folders(), 2, "a recent state must be kept");
    assert_eq!(place.files.history(9).unwrap().len(), 1);
}

/// Another process has created the state folder of its root but not yet recorded the root.
#[test]
fn state_being_created_is_not_removed() {
    let place = fast_place(&[("a", "a"), ("inner/x", "x")]);
    let state = place.directory.path().join("state");
    place.apply(vec![place.edit("a", "a", "b")]).unwrap();
    let own = std::fs::read_dir(&state).unwrap().next().unwrap().unwrap().path();
    for entry in std::fs::read_dir(entries(&place)).unwrap() {
        std::fs::remove_file(entry.unwrap().path()).unwrap();
    }
    for text in ["", "/some/other/root"] {
        std::fs::write(own.join("root"), text).unwrap();
        let inner = place.directory.path().join(format!("inner{}", text.len()));
        std::fs::create_dir(&inner).unwrap();
        std::fs::write(inner.join("x"), "x").unwrap();
        let files = open_at(&inner, &state);
        files.apply(&change(vec![edit(&*files, "x", "x", "y")]), false, &Work::default()).unwrap();
        assert!(own.join("changes").is_dir(), "{text:?}");
    }
}

#[test]
fn undo_skips_damaged_entries() {
    let place = place(&[("a", "a"), ("b", "b")]);
    let first = place.apply(vec![place.edit("a", "a", "b")]).unwrap().id.unwrap();
    let second = place.apply(vec![place.edit("b", "b", "c")]).unwrap().id.unwrap();
    assert_eq!(place.files.damaged_entries().unwrap(), Vec::<String>::new());
    let entry = entries(&place).join(&second);
    let mut bytes = std::fs::read(&entry).unwrap();
    let end = bytes.len() - 40;
    bytes[end] ^= 1;
    std::fs::write(&entry, bytes).unwrap();
    let error = place.files.undo(Some(&second), false, &Work::default()).unwrap_err();
    assert_eq!((error.kind(), error.content().candidates.clone()), (Kind::Unsupported, vec![first]));
    std::fs::write(entries(&place).join("zzz"), "no journal").unwrap();
    std::fs::write(entries(&place).join("9-zzz"), "no journal").unwrap();
    let damage = place.files.damaged_entries().unwrap();
    assert!(damage.len() == 2 && damage[0].contains("9-zzz") && damage[1].contains(&second), "{damage:?}");
    let work = Work::default();
    place.files.undo(None, false, &work).unwrap();
    assert_eq!((place.text("a"), place.text("b")), ("a".to_owned(), "c".to_owned()));
    assert!(work.take_notes()[0].contains(&second), "the skipped damaged entry must be reported");
}

#[test]
fn state_folder_is_private() {
    use std::os::unix::fs::MetadataExt;
    let place = place(&[("a", "a")]);
    place.files.read("a").unwrap();
    place.files.apply(&change(vec![place.edit("a", "a", "b")]), true, &Work::default()).unwrap();
    assert!(!place.directory.path().join("state").exists(), "reading must not create a state folder");
    place.apply(vec![place.edit("a", "a", "b")]).unwrap();
    for (path, node) in tree(&place.directory.path().join("state")) {
        let mode = place.directory.path().join("state").join(&path).metadata().unwrap().mode();
        assert!(mode & 0o077 == 0 || matches!(node, Node::File(..)), "{path}: {mode:o}");
    }
}
