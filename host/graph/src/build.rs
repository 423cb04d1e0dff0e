//! Reading files through their packs, on all cores.

use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use marquetry_model::{
    Error, Kind, Result, Work,
    pack::Link,
    ports::{Document, FileStamp, Files, Pack, Packs, Source},
    text::Lines,
};

use crate::{
    cores::on_all_cores,
    entry::{Entry, LinkFact, Need, SymbolFact},
    words::Words,
};

/// The files that were read.
pub(crate) struct Read {
    pub(crate) entries: Vec<Arc<Entry>>,
    pub(crate) skipped: Skipped,
    /// Why a file could not be read that may be readable in a moment: it may be anything.
    pub(crate) failure: Option<Error>,
}

/// What could not be read, and why.
pub(crate) type Skipped = Vec<(String, String)>;

/// When a file was read that could not be: it is never current, but tried again, and named again, at every use.
pub(crate) const NEVER: u128 = 0;

/// A file that is to be read, with what is known of it.
pub(crate) struct Stale {
    pub(crate) stamp: FileStamp,
    pub(crate) known: Option<Arc<Entry>>,
}

/// Read the files as far as needed. A file that no pack takes has no links; one that fails is skipped and named.
pub(crate) fn read_all(
    files: &Arc<dyn Files>,
    packs: &dyn Packs,
    stale: &[Stale],
    need: Need,
    work: &Work,
) -> Result<Read> {
    let mut entries = Vec::with_capacity(stale.len());
    let (mut skipped, mut failure) = (Vec::new(), None);
    let stage = work.stage("reading files", stale.len());
    let read = on_all_cores(stale, |item| stage.step().and_then(|()| read_one(files, packs, item, need)));
    work.check()?;
    for (item, read) in stale.iter().zip(read) {
        let read = match read {
            // Where all cores together opened too many files, one after the other may do.
            Err(error) if error.is_transient() => read_one(files, packs, item, need),
            other => other,
        };
        match read {
            Ok(entry) => entries.push(Arc::new(entry)),
            // What is no text links to nothing.
            Err(error) if error.kind() == Kind::Unsupported => {
                entries.push(Arc::new(blank(&item.stamp, String::new(), String::new())));
            }
            Err(error) => {
                if error.is_transient() {
                    failure.get_or_insert_with(|| error.clone());
                }
                // What went away in between links to nothing either, but may come back as it was.
                if error.kind() != Kind::FileNotFound {
                    skipped.push((item.stamp.path.clone(), error.to_string()));
                }
                let entry = blank(&item.stamp, String::new(), String::new());
                entries.push(Arc::new(Entry { read: NEVER, ..entry }));
            }
        }
    }
    Ok(Read { entries, skipped, failure })
}

/// Nanoseconds since 1970.
fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos())
}

pub(crate) fn blank(stamp: &FileStamp, hash: String, engine: String) -> Entry {
    Entry {
        path: stamp.path.clone(),
        size: stamp.size,
        modified: stamp.modified,
        read: now(),
        hash,
        words: Words::default(),
        engine,
        links: Some(Vec::new()),
        targets: Some(Vec::new()),
        names: Some(crate::entry::Names::default()),
        symbols: Some(Vec::new()),
    }
}

/// The engine of a file whose pack was not given its text.
fn unread_by(engine: &str) -> String {
    format!("{engine} (not given)")
}

fn read_one(files: &Arc<dyn Files>, packs: &dyn Packs, item: &Stale, need: Need) -> Result<Entry> {
    let pack = packs.for_path(files, &item.stamp.path)?;
    let engine = pack.identity();
    let knows_names = pack.has("links") || pack.has("symbols");
    if !knows_names && need != Need::Symbols {
        // Nothing to ask, so nothing to read, until somebody wants its outline.
        return Ok(Entry { symbols: None, ..blank(&item.stamp, String::new(), engine) });
    }
    if !pack.covers(&item.stamp.path) {
        // Its pack is not given the text: what it has is looked for word by word, as in any file that nobody understands.
        return Ok(blank(&item.stamp, String::new(), unread_by(&engine)));
    }
    let read = now();
    let source = files.read(&item.stamp.path)?;
    // Touched, but not changed: what was known stands.
    let mut entry = match &item.known {
        Some(known) if known.hash == source.hash && known.engine == engine => {
            // Links that could not be followed are tried again.
            let targets = known.targets.clone().filter(|_| known.read != NEVER);
            Entry { size: item.stamp.size, modified: item.stamp.modified, read, targets, ..known.as_ref().clone() }
        }
        _ => Entry {
            links: None,
            targets: None,
            names: None,
            symbols: None,
            read,
            words: if knows_names { Words::of(&source.text) } else { Words::default() },
            ..blank(&item.stamp, source.hash.clone(), engine)
        },
    };
    // What is only touched is not parsed.
    if !entry.is_known_for(need) {
        fill(&mut entry, &pack, &source, need)?;
    }
    Ok(entry)
}

fn fill(entry: &mut Entry, pack: &Arc<dyn Pack>, source: &Source, need: Need) -> Result<()> {
    let mut document = Arc::clone(pack).open(&source.path, &source.text)?;
    if entry.links.is_none() {
        entry.links =
            Some(if pack.has("links") { document.links()?.into_iter().map(link).collect() } else { Vec::new() });
        entry.targets = None;
    }
    if need >= Need::Names && entry.names.is_none() {
        entry.names =
            Some(if pack.has("symbols") { (&document.facts()?).into() } else { crate::entry::Names::default() });
    }
    if need == Need::Symbols && entry.symbols.is_none() {
        entry.symbols = Some(symbols(document.as_mut(), &source.text)?);
    }
    Ok(())
}

fn link(link: Link) -> LinkFact {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    LinkFact {
        kind: link.kind,
        specifier: link.specifier,
        span: (offset(link.span.start), offset(link.span.end)),
        names: link.names,
        type_only: link.type_only,
    }
}

fn symbols(document: &mut dyn Document, text: &str) -> Result<Vec<SymbolFact>> {
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
