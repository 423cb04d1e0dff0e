//! Reads files through their packs, on all cores.

use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use marquetry_model::{
    Error, Interface, Kind, Result, Work,
    pack::{Link, PackDiagnostic},
    ports::{Document, FileStamp, Files, Pack, Packs, Source},
    text::Lines,
};

use crate::{
    entry::{DetailLevel, Entry, LinkFact, SymbolFact},
    parallel::parallel_map,
    word_filter::WordFilter,
};

/// Result of reading files.
pub(crate) struct ReadOutcome {
    pub(crate) entries: Vec<Arc<Entry>>,
    pub(crate) skipped: Skipped,
    /// First transient failure, if any: the content of that file is unknown.
    pub(crate) failure: Option<Error>,
}

/// Paths that could not be read, each with the reason.
pub(crate) type Skipped = Vec<(String, String)>;

/// Read time of an entry whose file could not be read. Such an entry is never up to date, so every use reads the file
/// again and reports a failure again.
pub(crate) const NEVER_READ: u128 = 0;

/// A file to read, with its previous entry, if there is one.
pub(crate) struct StaleFile {
    pub(crate) stamp: FileStamp,
    pub(crate) known: Option<Arc<Entry>>,
}

/// Reads the files at the required level of detail. A file without a pack has no links. A file that fails is skipped
/// and listed.
pub(crate) fn read_all(
    files: &Arc<dyn Files>,
    packs: &dyn Packs,
    stale: &[StaleFile],
    need: DetailLevel,
    work: &Work,
) -> Result<ReadOutcome> {
    let mut entries = Vec::with_capacity(stale.len());
    let (mut skipped, mut failure) = (Vec::new(), None);
    let stage = work.stage("reading files", stale.len());
    let read = parallel_map(stale, |item| stage.step().and_then(|()| read_one(files, packs, item, need)));
    work.check()?;
    for (item, read) in stale.iter().zip(read) {
        let read = match read {
            // All cores together may have opened too many files: try again sequentially.
            Err(error) if error.is_transient() => read_one(files, packs, item, need),
            other => other,
        };
        match read {
            Ok(entry) => entries.push(Arc::new(entry)),
            // Files that are not text have no links.
            Err(error) if error.kind() == Kind::Unsupported => {
                entries.push(Arc::new(empty_entry(&item.stamp, String::new(), String::new())));
            }
            Err(error) => {
                if error.is_transient() {
                    failure.get_or_insert_with(|| error.clone());
                }
                // A file that was deleted in the meantime has no links, either, but it can reappear with the same
                // stamp.
                if error.kind() != Kind::FileNotFound {
                    skipped.push((item.stamp.path.clone(), error.to_string()));
                }
                let entry = empty_entry(&item.stamp, String::new(), String::new());
                entries.push(Arc::new(Entry { read: NEVER_READ, ..entry }));
            }
        }
    }
    Ok(ReadOutcome { entries, skipped, failure })
}

/// Current time in nanoseconds since 1970.
fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos())
}

pub(crate) fn empty_entry(stamp: &FileStamp, hash: String, engine: String) -> Entry {
    Entry {
        path: stamp.path.clone(),
        size: stamp.size,
        modified: stamp.modified,
        read: now(),
        hash,
        words: WordFilter::default(),
        engine,
        is_partly_read: false,
        links: Some(Vec::new()),
        targets: Some(Vec::new()),
        names: Some(crate::entry::Names::default()),
        symbols: Some(Vec::new()),
    }
}

/// Engine name for a file whose pack may not receive its text.
fn withheld_engine(engine: &str) -> String {
    format!("{engine} (not given)")
}

fn read_one(files: &Arc<dyn Files>, packs: &dyn Packs, item: &StaleFile, need: DetailLevel) -> Result<Entry> {
    let pack = packs.for_path(files, &item.stamp.path)?;
    let engine = pack.identity();
    let knows_names = pack.has_interface(Interface::Links) || pack.has_interface(Interface::Symbols);
    if !knows_names && need != DetailLevel::Symbols {
        // The pack reports neither links nor names, so the file is read only when its symbols are needed.
        return Ok(Entry { symbols: None, ..empty_entry(&item.stamp, String::new(), engine) });
    }
    if !pack.may_receive(&item.stamp.path) {
        // The pack may not receive the text of this file, so the file is searched for words, like a file without a
        // pack.
        return Ok(empty_entry(&item.stamp, String::new(), withheld_engine(&engine)));
    }
    let read = now();
    let source = files.read(&item.stamp.path)?;
    // If only the modification time changed, the known facts are reused.
    let mut entry = match &item.known {
        Some(known) if known.hash == source.hash && known.engine == engine => {
            // Links that could not be resolved are resolved again.
            let targets = known.targets.clone().filter(|_| known.read != NEVER_READ);
            Entry { size: item.stamp.size, modified: item.stamp.modified, read, targets, ..known.as_ref().clone() }
        }
        _ => Entry {
            links: None,
            targets: None,
            names: None,
            symbols: None,
            read,
            words: if knows_names { WordFilter::from_text(&source.text) } else { WordFilter::default() },
            ..empty_entry(&item.stamp, source.hash.clone(), engine)
        },
    };
    // A file that was only touched is not parsed.
    if !entry.has_detail(need) {
        fill_entry(&mut entry, &pack, &source, need)?;
    }
    Ok(entry)
}

fn fill_entry(entry: &mut Entry, pack: &Arc<dyn Pack>, source: &Source, need: DetailLevel) -> Result<()> {
    let mut document = Arc::clone(pack).open(&source.path, &source.text)?;
    if entry.links.is_none() {
        let errors = document.parse_errors()?;
        entry.is_partly_read = errors.iter().any(PackDiagnostic::leaves_text_unread);
        entry.links = Some(if pack.has_interface(Interface::Links) {
            document.links()?.into_iter().map(to_link_fact).collect()
        } else {
            Vec::new()
        });
        entry.targets = None;
    }
    if need >= DetailLevel::Names && entry.names.is_none() {
        entry.names = Some(if pack.has_interface(Interface::Symbols) {
            (&document.exports_and_imports()?).into()
        } else {
            crate::entry::Names::default()
        });
    }
    if need == DetailLevel::Symbols && entry.symbols.is_none() {
        entry.symbols = Some(symbol_facts(document.as_mut(), &source.text)?);
    }
    Ok(())
}

fn to_link_fact(link: Link) -> LinkFact {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    LinkFact {
        kind: link.kind,
        specifier: link.specifier,
        span: (offset(link.span.start), offset(link.span.end)),
        names: link.names,
        type_only: link.type_only,
    }
}

fn symbol_facts(document: &mut dyn Document, text: &str) -> Result<Vec<SymbolFact>> {
    let lines = Lines::new(text);
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Ok(document
        .outline()?
        .into_iter()
        .map(|node| {
            let position = lines.position(node.selection.start);
            SymbolFact {
                name: node.name,
                kind: node.kind,
                address: node.address,
                position: (count(position.line), count(position.column)),
            }
        })
        .collect())
}
