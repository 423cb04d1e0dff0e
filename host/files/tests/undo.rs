//! The history, and what undo refuses.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::*;
use marquetry_model::{Kind, Outcome, limits};

#[test]
fn undoes_one_after_the_other_and_again() {
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
    // The way forward: undo the undoing.
    let first = undo(Some(&history[0].id)).unwrap();
    assert_eq!(place.text("a"), "1");
    assert!(first.1.starts_with("7-"));
    assert!(place.files.history(1).unwrap()[0].title.starts_with("redo 1-"));
    assert!(!place.files.history(100).unwrap().last().unwrap().undone);
}

#[test]
fn refuses_where_files_changed_since() {
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
    // What came into a directory that only moved goes back with it.
    place.write("e/y", "y");
    undo().unwrap();
    assert_eq!((place.text("d/y"), place.text("c"), place.text("a")), ("y".to_owned(), "c".to_owned(), "a".to_owned()));
}

#[test]
fn names_the_later_changes_in_the_way() {
    let place = place(&[("a", "a")]);
    let first = place.apply(vec![place.edit("a", "a", "b")]).unwrap().id.unwrap();
    let second = place.apply(vec![place.edit("a", "b", "c")]).unwrap().id.unwrap();
    let error = place.files.undo(Some(&first), false, &Work::default()).unwrap_err();
    assert!(error.content().hint.clone().unwrap().contains(&second), "{error}");
}

#[test]
fn a_dry_undo_writes_nothing() {
    let place = place(&[("a", "a")]);
    place.apply(vec![rename("a", "d/b")]).unwrap();
    let before = place.tree();
    let (past, applied) = place.files.undo(None, true, &Work::default()).unwrap();
    assert_eq!((past.undone, applied.outcome, applied.id), (false, Outcome::DryRun, None));
    assert_eq!((applied.files[0].before.as_deref(), applied.files[0].after.as_deref()), (Some("d/b"), Some("a")));
    assert_eq!(place.tree(), before);
    place.files.undo(None, false, &Work::default()).unwrap();
    assert!(!place.path("d").exists(), "directories that were made go when they are empty");
}

#[test]
fn directories_with_something_else_stay() {
    let place = place(&[("a", "a")]);
    place.apply(vec![create("d/e/new", "n")]).unwrap();
    place.write("d/other", "o");
    place.files.undo(None, false, &Work::default()).unwrap();
    assert!(place.path("d/other").exists() && !place.path("d/e").exists());
}

#[test]
fn the_history_is_bounded() {
    let place = place(&[("a", "0")]);
    for n in 1..=limits::HISTORY_ENTRIES + 5 {
        place.apply(vec![place.edit("a", &(n - 1).to_string(), &n.to_string())]).unwrap();
    }
    let history = place.files.history(1000).unwrap();
    assert_eq!(history.len(), limits::HISTORY_ENTRIES);
    assert!(history[0].id.starts_with("205-"), "{}", history[0].id);
}

#[test]
fn a_damaged_entry_is_no_obstacle() {
    let place = place(&[("a", "a")]);
    let first = place.apply(vec![place.edit("a", "a", "b")]).unwrap().id.unwrap();
    place.apply(vec![place.edit("a", "b", "c")]).unwrap();
    let changes = std::fs::read_dir(place.directory.path().join("state")).unwrap().next().unwrap().unwrap().path();
    let entry = changes.join("changes").join(&first);
    let mut bytes = std::fs::read(&entry).unwrap();
    let end = bytes.len() - 40;
    bytes[end] ^= 1;
    std::fs::write(&entry, bytes).unwrap();
    assert_eq!(place.files.undo(Some(&first), false, &Work::default()).unwrap_err().kind(), Kind::Internal);
    std::fs::write(changes.join("changes/zzz"), "no journal").unwrap();
    std::fs::write(changes.join("changes/9-zzz"), "no journal").unwrap();
    place.files.undo(None, false, &Work::default()).unwrap();
    assert_eq!(place.text("a"), "b");
}

#[test]
fn the_state_is_nobody_elses_business() {
    use std::os::unix::fs::MetadataExt;
    let place = place(&[("a", "a")]);
    place.files.read("a").unwrap();
    place.files.apply(&change(vec![place.edit("a", "a", "b")]), true, &Work::default()).unwrap();
    assert!(!place.directory.path().join("state").exists(), "reading leaves no state");
    place.apply(vec![place.edit("a", "a", "b")]).unwrap();
    for (path, node) in tree(&place.directory.path().join("state")) {
        let mode = place.directory.path().join("state").join(&path).metadata().unwrap().mode();
        assert!(mode & 0o077 == 0 || matches!(node, Node::File(..)), "{path}: {mode:o}");
    }
}
