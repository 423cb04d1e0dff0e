//! Tests that a change examines no entries of the history while the tally is valid.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::common::*;
use marquetry_files::{DiskRoots, HistoryBudget};
use marquetry_model::ports::{Files, Roots};

/// Limits for which the tolerance (a sixteenth) is two changes.
const FEW: HistoryBudget = HistoryBudget { bytes: 1 << 30, entries: 32, age: std::time::Duration::from_secs(86_400) };

fn keeping(place: &Place, budget: HistoryBudget) -> Arc<dyn Files> {
    DiskRoots::new(place.root(), place.directory.path().join("state")).with_history_budget(budget).open(None).unwrap()
}

/// Returns the state folder of the only root.
fn own(place: &Place) -> PathBuf {
    fs::read_dir(place.directory.path().join("state")).unwrap().next().unwrap().unwrap().path()
}

fn names(place: &Place) -> Vec<String> {
    let entries = fs::read_dir(own(place).join("changes")).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Applies a change; returns its id and notes.
fn noted(files: &dyn Files) -> (String, Vec<String>) {
    let (work, now) = (Work::default(), files.read("a").unwrap().text.to_string());
    let next = (now.parse::<usize>().unwrap() + 1).to_string();
    let applied = files.apply(&change(vec![edit(files, "a", &now, &next)]), false, &work).unwrap();
    (applied.id.unwrap(), work.take_notes())
}

fn number(id: &str) -> u64 {
    id.split('-').next().unwrap().parse().unwrap()
}

/// Replaces a value in the tally without changing the entries' folder.
fn lie(place: &Place, key: &str, value: &str) {
    let tally = fs::read_to_string(own(place).join("tally")).unwrap();
    let start = tally.find(&format!("\"{key}\":")).unwrap() + key.len() + 3;
    let end = start + tally[start..].find([',', '}']).unwrap();
    fs::write(own(place).join("tally"), format!("{}{value}{}", &tally[..start], &tally[end..])).unwrap();
}

/// The test writes a number into the tally that no entry has. If the next change continues from it, no entry was read.
#[test]
fn change_reads_no_history_entries() {
    let place = place(&[("a", "0")]);
    let files = keeping(&place, FEW);
    for n in 1..=3 {
        assert_eq!(number(&noted(&*files).0), n);
    }
    lie(&place, "latest", "41");
    assert_eq!(number(&noted(&*files).0), 42);
    // Another process uses the same tally.
    lie(&place, "latest", "70");
    assert_eq!(number(&noted(&*keeping(&place, FEW)).0), 71);
}

#[test]
fn tally_copied_from_another_folder_is_ignored() {
    let place = fast_place(&[("a", "0")]);
    let files = keeping(&place, FEW);
    let changes = |name: &str| own(&place).join("changes").join(name);
    type Touch<'a> = &'a dyn Fn(&str);
    let touches: [Touch<'_>; 4] = [
        &|id| fs::remove_file(changes(id)).unwrap(),
        &|_| fs::write(changes("zzz"), "no entry").unwrap(),
        &|id| fs::rename(changes(id), changes("0-renamed")).unwrap(),
        &|_| {
            // The same files in a new folder, as after restoring a backup.
            fs::create_dir(own(&place).join("new")).unwrap();
            for name in names(&place) {
                fs::copy(changes(&name), own(&place).join("new").join(name)).unwrap();
            }
            fs::rename(own(&place).join("changes"), place.directory.path().join("old")).unwrap();
            fs::rename(own(&place).join("new"), own(&place).join("changes")).unwrap();
        },
    ];
    for touch in touches {
        let (first, _) = noted(&*files);
        let (last, _) = noted(&*files);
        lie(&place, "latest", "1000");
        touch(&first);
        assert_eq!(number(&noted(&*files).0), number(&last) + 1);
    }
}

/// Entries are removed only if there are too many, even if the tally contains wrong totals.
#[test]
fn wrong_tally_removes_no_entries() {
    let place = fast_place(&[("a", "0")]);
    let files = keeping(&place, FEW);
    noted(&*files);
    for (key, value) in [("entries", "100000"), ("entries", "18446744073709551615"), ("bytes", "18446744073709551615")]
    {
        lie(&place, key, value);
        assert_eq!(noted(&*files).1, Vec::<String>::new(), "{key} {value}");
    }
    lie(&place, "oldest", "[\"1-gone\",0],\"was\":[\"\"");
    assert_eq!(noted(&*files).1, Vec::<String>::new());
    let history = files.history(99).unwrap();
    assert_eq!((history.len(), names(&place).len()), (5, 5));
}

#[test]
fn invalid_tally_is_rewritten() {
    let place = fast_place(&[("a", "0")]);
    let files = keeping(&place, FEW);
    let tally = || own(&place).join("tally");
    noted(&*files);
    let whole = fs::read(tally()).unwrap();
    let bad: [&[u8]; 5] = [b"", b"nothing", b"{}", &whole[..40], &[b'0'; 9000]];
    for (n, bytes) in bad.into_iter().enumerate() {
        fs::write(tally(), bytes).unwrap();
        assert_eq!(number(&noted(&*files).0), n as u64 + 2);
        lie(&place, "latest", &(n + 2).to_string());
    }
    // A link is not followed for reading or writing, and a folder in place of the file is kept.
    let victim = place.directory.path().join("victim");
    fs::write(&victim, "mine").unwrap();
    fs::remove_file(tally()).unwrap();
    std::os::unix::fs::symlink(&victim, tally()).unwrap();
    assert_eq!((number(&noted(&*files).0), number(&noted(&*files).0)), (7, 8));
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
    fs::remove_file(tally()).unwrap();
    fs::create_dir(tally()).unwrap();
    assert_eq!((number(&noted(&*files).0), number(&noted(&*files).0)), (9, 10));
}

/// Entries beyond the limits are removed together, and the call reports all of them.
#[test]
fn entries_beyond_the_budget_are_removed_at_once() {
    let place = fast_place(&[("a", "0")]);
    let files = keeping(&place, FEW);
    let first: Vec<String> = (1..=34)
        .map(|n| {
            let (id, notes) = noted(&*files);
            assert_eq!(notes, Vec::<String>::new(), "{n}");
            id
        })
        .collect();
    let work = Work::default();
    let steps = vec![edit(&*files, "a", "34", "35")];
    files.apply(&change(steps), true, &work).unwrap();
    let foretold = work.take_notes().join("");
    assert!(foretold.starts_with(&format!("`{}` (test), ", first[2])) && foretold.contains("could no"), "{foretold}");
    let (_, notes) = noted(&*files);
    assert_eq!(notes.len(), 1);
    for (n, id) in first.iter().enumerate() {
        assert_eq!(notes[0].contains(&format!("`{id}` (test)")), n < 3, "{id}: {notes:?}");
        assert_eq!(names(&place).contains(id), n >= 3, "{id}");
    }
    assert_eq!(files.history(99).unwrap().len(), 32);
    assert_eq!((noted(&*files).1.len(), noted(&*files).1.len(), noted(&*files).1.len()), (0, 0, 1));
}

/// A damaged entry counts as one entry and is removed in order.
#[test]
fn damaged_entry_is_removed_by_age() {
    let place = fast_place(&[("a", "0")]);
    let files = keeping(&place, FEW);
    let (first, _) = noted(&*files);
    noted(&*files);
    fs::write(own(&place).join("changes").join(&first), "").unwrap();
    for n in 3..=34 {
        assert_eq!(noted(&*files).1, Vec::<String>::new(), "{n}");
    }
    let (_, notes) = noted(&*files);
    assert!(notes.len() == 1 && notes[0].contains(&first) && !names(&place).contains(&first), "{notes:?}");
    assert_eq!(files.history(99).unwrap().len(), 32);
}

const WORK: &str = "FILES_TEST_TALLY";
const ROUNDS: usize = 60;

#[test]
#[ignore = "runs in a separate process"]
fn changes_in_a_process() {
    let Ok(variable) = std::env::var(WORK) else { return };
    let (directory, name) = variable.split_once('\n').unwrap();
    let directory = Path::new(directory);
    let files =
        DiskRoots::new(directory.join("root"), directory.join("state")).with_history_budget(FEW).open(None).unwrap();
    for n in 0..ROUNDS {
        files.apply(&change(vec![create(&format!("{name}{n}"), "x")]), false, &Work::default()).unwrap();
    }
}

/// Two processes share a history: numbers are unique, and the limits hold.
#[test]
fn two_processes_share_one_tally() {
    let place = place(&[("a", "0")]);
    let start = |name: &str| {
        let mut command = again(module_path!(), "changes_in_a_process");
        command.env(WORK, format!("{}\n{name}", place.directory.path().display()));
        spawn(command.stdout(std::process::Stdio::null())).unwrap()
    };
    for mut child in ["x", "y"].map(start) {
        assert!(child.wait().unwrap().success());
    }
    let mut numbers: Vec<u64> = names(&place).iter().map(|name| number(name)).collect();
    numbers.sort_unstable();
    let last = 2 * ROUNDS as u64;
    assert!((32..=34).contains(&numbers.len()), "{numbers:?}");
    assert_eq!(numbers, (last + 1 - numbers.len() as u64..=last).collect::<Vec<_>>());
    lie(&place, "latest", "500");
    assert_eq!(
        number(&noted(&*keeping(&place, FEW)).0),
        501,
        "the number must continue from the tally that was written last"
    );
}
