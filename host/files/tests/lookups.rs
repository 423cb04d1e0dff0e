//! Revalidating many lookups at once gives the same results as checking each.

use std::{fs, time::Duration};

use crate::common::*;
use marquetry_model::{
    lookups::Lookups,
    ports::{EntryKind, Files},
};

/// Longer than a tick of the file system's clock. Two changes of a folder within one tick may have the same time.
const SETTLED: Duration = Duration::from_millis(80);

fn look_up(files: &dyn Files, paths: &[&str]) -> Lookups {
    paths.iter().map(|path| ((*path).to_owned(), files.stat(path))).collect()
}

/// Returns outdated lookups, each checked separately.
fn one_by_one(files: &dyn Files, lookups: &Lookups) -> Vec<String> {
    let changed = lookups.iter().filter(|(path, known)| files.stat(path) != *known);
    let mut changed: Vec<String> = changed.map(|(path, _)| path).collect();
    changed.sort();
    changed
}

fn outdated(files: &dyn Files, lookups: &mut Lookups) -> Vec<String> {
    let mut found = files.changed_lookups(lookups);
    found.sort();
    found
}

const PATHS: [&str; 16] = [
    "", "a", "a/b", "a/b/c", "a/./b", "../out", "a/../a/b", "a/", "link", "link/b", "link/b/c", "dangling", "x/y/z",
    "x/y", "d.txt", "/c",
];

/// A modification of the files.
type Step = (&'static str, fn(&Place));

const STEPS: [Step; 15] = [
    ("a file is created", |place| place.write("d.txt", "d")),
    ("folders are created", |place| place.write("a/b/c", "c")),
    ("an existing file is written", |place| place.write("a/b/c", "other")),
    ("a link to a folder is created", |place| place.link("link", "a")),
    ("a broken link is created", |place| place.link("dangling", "hidden/target")),
    ("the target of a link is created", |place| place.write("hidden/target", "t")),
    ("the target of a link is deleted", |place| fs::remove_dir_all(place.path("hidden")).unwrap()),
    ("the target folder of a link changes", |place| fs::remove_file(place.path("a/b/c")).unwrap()),
    ("a file becomes a folder", |place| {
        fs::remove_file(place.path("d.txt")).unwrap();
        fs::create_dir(place.path("d.txt")).unwrap();
    }),
    ("a folder is moved away", |place| fs::rename(place.path("a"), place.path("away")).unwrap()),
    ("another folder replaces it", |place| place.write("a/b", "a file")),
    ("a nested folder is created", |place| fs::create_dir_all(place.path("x/y")).unwrap()),
    ("a file is created in it", |place| place.write("x/y/z", "z")),
    ("a file replaces a folder", |place| {
        fs::remove_dir_all(place.path("x")).unwrap();
        place.write("x", "x");
    }),
    ("a link replaces a file", |place| {
        fs::remove_file(place.path("x")).unwrap();
        place.link("x", "away");
    }),
];

#[test]
fn repeated_lookup_finds_every_difference() {
    let place = place(&[("kept", "k")]);
    for wait in [Duration::ZERO, SETTLED] {
        for (what, step) in STEPS {
            let mut lookups = look_up(place.files.as_ref(), &PATHS);
            // Twice, because the first check may record folder times.
            for _ in 0..2 {
                assert_eq!(outdated(place.files.as_ref(), &mut lookups), [""; 0], "before: {what}");
                std::thread::sleep(wait);
            }
            step(&place);
            let expected = one_by_one(place.files.as_ref(), &lookups);
            assert_eq!(outdated(place.files.as_ref(), &mut lookups), expected, "{what}");
            assert_eq!(outdated(place.files.as_ref(), &mut lookups), expected, "again: {what}");
        }
        fs::remove_dir_all(place.root()).unwrap();
        place.write("kept", "k");
    }
}

#[test]
fn unchanged_folder_confirms_its_entries() {
    let place = place(&[("a/b", "b"), ("l/b", "b"), ("kept", "k")]);
    place.link("l/link", "nowhere");
    std::thread::sleep(SETTLED);
    let mut lookups = look_up(place.files.as_ref(), &["a/b", "a/c", "gone/x", "l/b", "l/link"]);
    assert_eq!(outdated(place.files.as_ref(), &mut lookups), [""; 0]);
    let marked = |lookups: &Lookups| {
        let marked = lookups.folders.iter().filter(|(_, inside)| inside.mark.is_some());
        marked.map(|(path, _)| path.clone()).collect::<Vec<_>>()
    };
    assert_eq!(marked(&lookups), ["a"], "only an existing folder without links may have a mark");
    // This lookup is wrong, so it would be reported if it were checked.
    lookups.folders.get_mut("a").unwrap().entries.insert("never".to_owned(), Some(EntryKind::File));
    assert_eq!(outdated(place.files.as_ref(), &mut lookups), [""; 0]);
    place.write("a/c", "c");
    assert_eq!(outdated(place.files.as_ref(), &mut lookups), ["a/c", "a/never"]);
    assert_eq!(marked(&lookups), [""; 0]);
}
