//! A corrupted index on disk with a valid checksum: nothing panics, and queries still get answers.
#![no_main]

use std::{cell::RefCell, fs, path::PathBuf, sync::Arc};

use marquetry_files::DiskRoots;
use marquetry_fuzz::FIXTURE;
use marquetry_graph::{DetailLevel, Graph};
use marquetry_model::{
    Work,
    ports::{Packs, Roots},
};
use marquetry_native::{NativePacks, Project};

/// A project whose index is stored on disk.
struct Stored {
    project: Project,
    folder: tempfile::TempDir,
    packs: Arc<dyn Packs>,
    file: PathBuf,
    bytes: Vec<u8>,
}

fn stored() -> Stored {
    let (project, folder) = (Project::new(FIXTURE), tempfile::tempdir().expect("a folder"));
    // The index of a small project is not stored.
    for number in 0..40 {
        project.write(&format!("pages/{number}.md"), format!("# Page {number}\n\n[code](../src/a.ts)\n"));
    }
    let packs: Arc<dyn Packs> = Arc::new(NativePacks::default());
    let files = DiskRoots::new(project.root(), folder.path().join("state")).open(None).expect("a root");
    Graph::new(folder.path().join("index"))
        .workspace(&files, &*packs, DetailLevel::Names, &Work::default())
        .expect("an index");
    let file = fs::read_dir(folder.path().join("index")).expect("stored").flatten().next().expect("an index").path();
    let bytes = fs::read(&file).expect("stored");
    Stored { project, folder, packs, file, bytes }
}

libfuzzer_sys::fuzz_target!(|input: (Vec<(u16, u8)>, Option<(u16, Vec<u8>)>, u16)| {
    thread_local! { static STORED: RefCell<Stored> = RefCell::new(stored()); }
    let (flips, insert, cut) = input;
    STORED.with_borrow(|stored| {
        let mut body = stored.bytes[32..].to_vec();
        for (at, byte) in flips {
            let at = usize::from(at) % body.len();
            body[at] = byte;
        }
        if let Some((at, bytes)) = insert {
            let at = usize::from(at) % body.len();
            body.splice(at..at, bytes);
        }
        if cut % 4 == 0 {
            body.truncate(usize::from(cut) % (body.len() + 1));
        }
        let file = [blake3::hash(&body).as_bytes().as_slice(), &body].concat();
        fs::write(&stored.file, file).expect("written");
        let (root, folder) = (stored.project.root(), stored.folder.path());
        let files = DiskRoots::new(root, folder.join("state")).open(None).expect("a root");
        let workspace =
            Graph::new(folder.join("index")).workspace(&files, &*stored.packs, DetailLevel::Names, &Work::default());
        let workspace = workspace.expect("the index can be rebuilt");
        for path in ["src/b.ts", "README.md", "style.css"] {
            let _ = workspace.importers(path).len();
        }
        let _ = workspace.files_mentioning(&files, "card");
    });
});
