//! Checks the laws (properties required of every pack) for all packs, through the sandbox, on the documents of public
//! suites and of folders.
//!
//! Prints a table with a row for each file extension. The row has the number of documents, the number of those that
//! broke a law, and the slowest document. Then it prints each violation.

mod documents;
mod table;

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use anyhow::{Result, bail};
use clap::Parser;
use marquetry_model::ports::Packs;
use marquetry_testkit::{MemoryFiles, Violation, check_all_addresses, default_packs, laws};

use crate::{documents::Documents, table::Table};

/// Maximum size of a document in bytes.
const LARGEST: u64 = 4 << 20;

#[derive(Parser)]
struct Flags {
    /// Folders of files, or of public suites (`cases.jsonl`)
    folders: Vec<PathBuf>,
    /// Check only files with these extensions
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Maximum number of documents of each extension; the documents are spread evenly over the list
    #[arg(long, default_value_t = 3000)]
    most: usize,
    /// Seed that selects the documents if there are more than the maximum
    #[arg(long, default_value_t = 0)]
    seed: usize,
    /// Print each document before it is checked, to find one that does not end
    #[arg(long)]
    names: bool,
    /// Check every address of the outline too: it matches its node only, and replacing the node with its own text
    /// changes nothing
    #[arg(long)]
    every: bool,
    /// Also check every match of this target, such as '$..*'
    #[arg(long, requires = "every")]
    also: Option<String>,
    /// Fail if there are fewer documents
    #[arg(long, default_value_t = 0)]
    least: usize,
}

/// The result of one document.
pub(crate) struct Outcome {
    pub(crate) extension: String,
    pub(crate) id: String,
    pub(crate) bytes: usize,
    /// The number of addresses that `--every` checked.
    pub(crate) addresses: usize,
    pub(crate) seconds: f64,
    pub(crate) broken: Option<Violation>,
}

fn main() -> Result<()> {
    let flags = Flags::parse();
    let documents = documents::collect(&flags.folders, &flags.only, flags.most, flags.seed)?;
    let table = Mutex::new(Table::default());
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| check_documents(&documents, &flags, &next, &table));
        }
    });
    let table = table.into_inner().expect("no thread panicked");
    table.print();
    if table.has_violations() {
        bail!("documents broke laws");
    }
    if table.documents() < flags.least {
        bail!("{} documents were checked, fewer than {}", table.documents(), flags.least);
    }
    Ok(())
}

/// Checks one document after the other, until none remain.
fn check_documents(documents: &Documents, flags: &Flags, next: &AtomicUsize, table: &Mutex<Table>) {
    let mut packs = default_packs();
    while let Some(entry) = documents.entries.get(next.fetch_add(1, Ordering::Relaxed)) {
        if flags.names {
            println!("{}", entry.id);
        }
        let Some(text) = documents.text(entry, LARGEST) else {
            table.lock().expect("no thread panicked").skip(&entry.extension);
            continue;
        };
        let mut files = Arc::clone(&entry.files);
        if packs.for_path(&files, &entry.path).is_ok_and(|pack| !pack.may_receive(&entry.path)) {
            // Secrets are passed to the pack, as if the caller had named the file.
            files = MemoryFiles::from_files([(entry.path.as_str(), "")]);
        }
        let Ok(pack) = packs.for_path(&files, &entry.path) else { continue };
        let started = Instant::now();
        let every = || match flags.every {
            true => check_all_addresses(&pack, &entry.path, &text, flags.also.as_deref()),
            false => Ok(0),
        };
        let (addresses, broken) = match laws(&pack, &entry.path, &text).and_then(|()| every()) {
            Ok(addresses) => (addresses, None),
            Err(broken) => (0, Some(broken)),
        };
        let seconds = started.elapsed().as_secs_f64();
        if broken.is_some() {
            // The host stops using a plugin that fails repeatedly, so the next document gets a new instance of all
            // packs.
            packs = default_packs();
        }
        let (extension, id, bytes) = (entry.extension.clone(), entry.id.clone(), text.len());
        table.lock().expect("no thread panicked").add(Outcome { extension, id, bytes, addresses, seconds, broken });
    }
}
