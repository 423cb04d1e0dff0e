//! Changes of files in memory: their results, their conflicts, and undo.

use marquetry_model::{Edit, EditSet, Span, Step};

use super::*;

fn tree(files: &MemoryFiles) -> String {
    let show = |path: &String| format!("{path}={}", files.text(path).expect("text"));
    files.paths().iter().map(show).collect::<Vec<_>>().join(" ")
}

fn files() -> MemoryFiles {
    MemoryFiles::new([("a", "1"), ("b", "2"), ("d/x", "3"), ("d/e/y", "4")])
}

fn create(path: &str, overwrite: bool, directories: bool) -> Step {
    Step::Create { path: path.to_owned(), content: b"new".to_vec(), overwrite, directories }
}

fn moved(from: &str, to: &str) -> Step {
    Step::Move { from: from.to_owned(), to: to.to_owned(), overwrite: false }
}

fn delete(path: &str, recursive: bool) -> Step {
    Step::Delete { path: path.to_owned(), recursive }
}

fn edit(files: &MemoryFiles, path: &str, new: &str) -> Step {
    let source = files.read(path).expect("a file");
    let edit = Edit { span: Span::new(0, source.text.len()), text: new.to_owned() };
    let edits = EditSet::new(&source.text, vec![edit]).expect("valid");
    Step::Edit { path: path.to_owned(), base: source.hash, edits }
}

fn apply(files: &MemoryFiles, steps: Vec<Step>) -> Result<ChangeEffects> {
    files.apply(&Change { title: "a change".to_owned(), steps }, false, &Work::default())
}

/// Checks the tree after steps, and that undo restores it.
#[track_caller]
fn check(steps: impl FnOnce(&MemoryFiles) -> Vec<Step>, expected: &str) {
    let files = files();
    let (before, steps) = (tree(&files), steps(&files));
    let change = Change { title: "a change".to_owned(), steps };
    let dry = files.apply(&change, true, &Work::default()).expect("applied");
    assert_eq!((tree(&files), dry.outcome, dry.id), (before.clone(), Outcome::DryRun, None));
    let effects = files.apply(&change, false, &Work::default()).expect("applied");
    assert_eq!((tree(&files).as_str(), effects.outcome), (expected, Outcome::Applied));
    assert_eq!(effects.files, dry.files, "a dry run must report the effects");
    let (past, _) = files.undo(effects.id.as_deref(), false, &Work::default()).expect("undone");
    assert!(past.undone);
    assert_eq!(tree(&files), before);
    let redo = files.history(1).expect("a history").remove(0).id;
    files.undo(Some(&redo), false, &Work::default()).expect("redone");
    assert_eq!(tree(&files), expected);
}

#[track_caller]
fn refuse(steps: Vec<Step>, expected: &str) {
    let files = files();
    let before = tree(&files);
    let error = apply(&files, steps).expect_err("refused");
    assert_eq!(error.content().message, expected);
    assert!(error.content().hint.is_some() || error.kind() == Kind::InvalidArgument, "{error}");
    assert_eq!(tree(&files), before, "nothing must be written");
}

#[test]
fn steps_change_the_tree_and_undo_restores_it() {
    check(|files| vec![edit(files, "a", "one")], "a=one b=2 d/e/y=4 d/x=3");
    check(|_| vec![create("n/f", false, true)], "a=1 b=2 d/e/y=4 d/x=3 n/f=new");
    check(|_| vec![create("a", true, false)], "a=new b=2 d/e/y=4 d/x=3");
    check(|_| vec![delete("d", true), delete("a", false)], "b=2");
    check(|_| vec![moved("d", "k/d")], "a=1 b=2 k/d/e/y=4 k/d/x=3");
    check(|_| vec![moved("a", "b"), moved("b", "a")], "a=2 b=1 d/e/y=4 d/x=3");
    check(|files| vec![edit(files, "a", "one"), moved("a", "d/a")], "b=2 d/a=one d/e/y=4 d/x=3");
    check(|_| vec![moved("d/x", "x"), delete("d", true)], "a=1 b=2 x=3");
    check(|_| vec![delete("a", false), create("a", false, false)], "a=new b=2 d/e/y=4 d/x=3");
    check(|_| vec![delete("b", false), moved("a", "b")], "b=1 d/e/y=4 d/x=3");
    check(|_| vec![moved("a", "c"), create("a", false, false)], "a=new b=2 c=1 d/e/y=4 d/x=3");
    let copy = || Step::Copy { from: "a".to_owned(), to: "d/a".to_owned(), overwrite: false, edits: None };
    check(|_| vec![copy()], "a=1 b=2 d/a=1 d/e/y=4 d/x=3");
    let over = Step::Move { from: "a".to_owned(), to: "b".to_owned(), overwrite: true };
    check(|_| vec![over], "b=1 d/e/y=4 d/x=3");
}

#[test]
fn conflicts_are_refused() {
    refuse(vec![moved("a", "b")], "`b` exists");
    refuse(vec![moved("a", "d")], "`d` exists");
    refuse(vec![moved("d", "a")], "`a` exists");
    refuse(vec![moved("d", "d/f")], "`d` cannot be moved into itself");
    refuse(vec![create("a", false, false)], "`a` exists");
    refuse(vec![create("n/f", false, false)], "the directory `n` does not exist");
    refuse(vec![create("a/f", false, true)], "`a` is a file, so `a/f` cannot exist");
    refuse(vec![delete("d", false)], "the directory `d` is not empty");
    refuse(vec![delete("c", false)], "`c` does not exist");
    refuse(vec![create("../f", false, true)], "`../f` is outside of the root `/memory`");
    refuse(vec![create(".git/config", false, true)], "`.git/config` is in `.git`, which calls do not change");
    refuse(vec![delete(".", true)], "the workspace itself cannot be written, moved or deleted");
    let files = files();
    let steps = vec![edit(&files, "a", "one"), edit(&files, "a", "two")];
    refuse(steps, "`a` is edited twice in one change");
    let steps = vec![edit(&files, "a", "one")];
    files.write("a", "other");
    assert_eq!(apply(&files, steps).expect_err("stale").kind(), Kind::Stale);
}

#[test]
fn undo_needs_unchanged_files() {
    let files = files();
    let nothing = files.undo(None, false, &Work::default()).expect_err("no change");
    assert_eq!(nothing.content().message, "the history has no change to undo");
    let steps = vec![edit(&files, "a", "one")];
    let id = apply(&files, steps).expect("applied").id.expect("an id");
    files.write("a", "other");
    assert_eq!(files.undo(Some(&id), false, &Work::default()).expect_err("changed").kind(), Kind::Stale);
    files.write("a", "one");
    files.undo(None, false, &Work::default()).expect("undone");
    let again = files.undo(Some(&id), false, &Work::default()).expect_err("undone already");
    assert_eq!(again.content().message, format!("the change `{id}` was already undone"));
    assert_eq!(again.content().candidates, ["m2"], "the undo can be undone");
    assert!(files.undo(None, false, &Work::default()).is_err(), "an undo is not undone unless it is named");
}

#[test]
fn effects_name_paths_hashes_and_new_folders() {
    let files = files();
    let effects = apply(&files, vec![moved("d", "k/d"), delete("a", false)]).expect("applied");
    let paths: Vec<_> = effects.files.iter().map(|file| (file.before.as_deref(), file.after.as_deref())).collect();
    assert_eq!(paths, [(Some("a"), None), (Some("d/e/y"), Some("k/d/e/y")), (Some("d/x"), Some("k/d/x"))]);
    assert_eq!(effects.directories_created, ["k", "k/d", "k/d/e"]);
    assert_eq!(effects.files[2].hash, Some(hash(b"3")));
    let replaced = files.replaced_files(&effects.id.expect("an id")).expect("kept");
    assert_eq!(replaced[0].old, marquetry_model::ports::StoredContent::Bytes(b"1".to_vec()));
    let none = apply(&files, Vec::new()).expect("nothing to do");
    assert_eq!((none.outcome, none.id), (Outcome::Nothing, None));
}

#[test]
fn lookups_follow_the_tree() {
    let files = files();
    for (path, expected) in [
        ("a", Some(EntryKind::File)),
        ("/memory/d/x", Some(EntryKind::File)),
        ("./d/../b", Some(EntryKind::File)),
        ("d", Some(EntryKind::Directory)),
        ("", Some(EntryKind::Directory)),
        ("c", None),
        ("/other/a", None),
        ("../a", None),
    ] {
        assert_eq!(files.stat(path), expected, "{path}");
    }
    let entries: Vec<String> = files.entries("d").into_iter().map(|(name, _)| name).collect();
    assert_eq!(entries, ["e", "x"]);
    let walked: Vec<String> = files.walk("d").expect("a folder").into_iter().map(|file| file.path).collect();
    assert_eq!(walked, ["d/e/y", "d/x"]);
    let (layout, stamp) = (files.layout(), files.walk("").expect("the root"));
    files.write("a", "9");
    assert_eq!(files.layout(), layout, "the names are the same");
    assert_ne!(files.walk("").expect("the root"), stamp, "a file of the same size has another time");
    files.write("c", "");
    assert_ne!(files.layout(), layout);
    let missing = files.read("dd/x").expect_err("missing");
    assert_eq!((missing.kind(), missing.content().candidates.clone()), (Kind::FileNotFound, vec!["d/x".to_owned()]));
    assert_eq!(files.read("d").expect_err("a folder").content().message, "`d` is a directory");
}

#[test]
fn history_keeps_the_latest_changes() {
    let files = files();
    for number in 0..105 {
        let steps = vec![edit(&files, "a", &format!("text {number}"))];
        apply(&files, steps).expect("applied");
    }
    let ids: Vec<String> = files.history(1000).expect("a history").into_iter().map(|change| change.id).collect();
    assert_eq!((ids.len(), ids[0].as_str(), ids[99].as_str()), (100, "m105", "m6"));
    let error = files.undo(Some("m1"), false, &Work::default()).expect_err("forgotten");
    assert_eq!(error.content().message, "the history has no change `m1`");
}
