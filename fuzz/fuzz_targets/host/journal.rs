//! A corrupted history entry or leftover journal with a valid checksum: nothing panics, files outside of the root are
//! untouched, and so are files that the journal must not change.
#![no_main]

use std::{fs, path::PathBuf};

use marquetry_files::{HistoryBudget, DiskRoots};
use marquetry_model::{
    Change, Step, Work,
    ports::{Files, Roots},
};
use tempfile::TempDir;

struct Place {
    folder: TempDir,
    entry: Vec<u8>,
    changes: PathBuf,
}

fn open(folder: &TempDir) -> std::sync::Arc<dyn Files> {
    let roots = DiskRoots::new(folder.path().join("root"), folder.path().join("state")).with_history_budget(HistoryBudget::default());
    roots.open(None).expect("a root")
}

/// A root with a file and one change of it.
fn place() -> Place {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("root")).expect("a root");
    fs::write(folder.path().join("outside"), "outside").expect("a file");
    let step = Step::Create { path: "a".into(), content: b"first".to_vec(), overwrite: false, directories: false };
    let change = Change { title: "made".into(), steps: vec![step] };
    let files = open(&folder);
    let id = files.apply(&change, false, &Work::default()).expect("made").id.expect("an id");
    let state =
        fs::read_dir(folder.path().join("state")).expect("state").flatten().map(|entry| entry.path().join("changes"));
    let changes = state.into_iter().find(|changes| changes.join(&id).is_file()).expect("a history");
    let entry = fs::read(changes.join(id)).expect("an entry");
    Place { folder, entry, changes }
}

libfuzzer_sys::fuzz_target!(|input: (bool, Vec<(u16, u8)>, Option<(u16, String)>)| {
    thread_local! { static PLACE: Place = place(); }
    let (pending, flips, insert) = input;
    PLACE.with(|place| {
        let mut entry = place.entry[..place.entry.len() - 32].to_vec();
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
        fs::write(place.changes.join(name), &entry).expect("written");
        let root = place.folder.path().join("root");
        fs::write(root.join("b"), "own").expect("written");
        let files = open(&place.folder);
        let _ = files.read("b");
        let _ = files.damage();
        let past = files.history(5).unwrap_or_default();
        for change in past {
            let _ = files.undo(Some(&change.id), false, &Work::default());
        }
        assert_eq!(fs::read(place.folder.path().join("outside")).expect("outside is there"), b"outside");
        let above: Vec<_> =
            fs::read_dir(place.folder.path()).expect("a folder").flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(above.len(), 3, "{above:?}");
        for kept in fs::read_dir(&place.changes).expect("a history").flatten() {
            let _ = fs::remove_file(kept.path());
        }
        fs::write(root.join("a"), "first").expect("written");
    });
});
