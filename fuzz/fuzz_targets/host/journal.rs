//! A corrupted history entry or leftover journal with a valid checksum: nothing panics, files outside of the root are
//! untouched, and so are files that the journal must not change.
#![no_main]

use std::{fs, path::PathBuf};

use marquetry_files::{DiskRoots, HistoryBudget};
use marquetry_model::{
    Change, Step, Work,
    ports::{Files, Roots},
};
use tempfile::TempDir;

/// A root with its history.
struct Fixture {
    folder: TempDir,
    entry: Vec<u8>,
    changes: PathBuf,
}

fn open(folder: &TempDir) -> std::sync::Arc<dyn Files> {
    let roots = DiskRoots::new(folder.path().join("root"), folder.path().join("state"));
    roots.with_history_budget(HistoryBudget::default()).open(None).expect("a root")
}

/// Creates a root with a file and one change of it.
fn fixture() -> Fixture {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("root")).expect("a root");
    fs::write(folder.path().join("outside"), "outside").expect("a file");
    let step = Step::Create { path: "a".into(), content: b"first".to_vec(), overwrite: false, directories: false };
    let change = Change { title: "create".into(), steps: vec![step] };
    let files = open(&folder);
    let id = files.apply(&change, false, &Work::default()).expect("created").id.expect("an id");
    let state =
        fs::read_dir(folder.path().join("state")).expect("state").flatten().map(|entry| entry.path().join("changes"));
    let changes = state.into_iter().find(|changes| changes.join(&id).is_file()).expect("a history");
    let entry = fs::read(changes.join(id)).expect("an entry");
    Fixture { folder, entry, changes }
}

libfuzzer_sys::fuzz_target!(|input: (bool, Vec<(u16, u8)>, Option<(u16, String)>)| {
    thread_local! { static FIXTURE: Fixture = fixture(); }
    let (pending, flips, insert) = input;
    FIXTURE.with(|fixture| {
        let mut entry = fixture.entry[..fixture.entry.len() - 32].to_vec();
        for (at, byte) in flips {
            let at = usize::from(at) % entry.len();
            entry[at] = byte;
        }
        if let Some((at, text)) = insert {
            let at = usize::from(at) % entry.len();
            entry.splice(at..at, text.into_bytes());
        }
        let hash = *blake3::hash(&entry).as_bytes();
        entry.extend(hash);
        let name = if pending { "pending" } else { "0-changed" };
        fs::write(fixture.changes.join(name), &entry).expect("written");
        let root = fixture.folder.path().join("root");
        fs::write(root.join("b"), "own").expect("written");
        let files = open(&fixture.folder);
        let _ = files.read("b");
        let _ = files.damaged_entries();
        for change in files.history(5).unwrap_or_default() {
            let _ = files.undo(Some(&change.id), false, &Work::default());
        }
        assert_eq!(fs::read(fixture.folder.path().join("outside")).expect("the file outside of the root"), b"outside");
        let above: Vec<_> =
            fs::read_dir(fixture.folder.path()).expect("a folder").flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(above.len(), 3, "{above:?}");
        for stored in fs::read_dir(&fixture.changes).expect("a history").flatten() {
            let _ = fs::remove_file(stored.path());
        }
        fs::write(root.join("a"), "first").expect("written");
    });
});
