//! Answers on disk: which files have no occurrence of a name, and which types files declare, so that the next process
//! need not ask the same questions. They are valid for the same paths, as long as every text that was read for them is
//! unchanged.

use std::{collections::HashMap, sync::Arc};

use marquetry_model::{
    pack::Description,
    ports::{EntryKind, Packs},
};
use serde::{Deserialize, Serialize};

use crate::{
    answers::{Answers, Lasting, LastingContent},
    outside_lookups::OutsideLookups,
    snapshot::Snapshot,
    store::{SCHEMA, Store},
    types::Types,
};

/// File extension.
pub(crate) const EXTENSION: &str = "answers";
/// Minimum number of new answers that are written. Asking again for fewer answers is cheaper than reading them.
const MIN_NEW_ANSWERS: usize = 64;

/// Serialized form. Paths, packs and names are stored as numbers.
#[derive(Debug, Serialize, Deserialize)]
struct StoredAnswers {
    schema: u32,
    root: String,
    /// Digest of the walked paths.
    walked: u64,
    /// Lookups outside of the walk.
    beyond: OutsideLookups,
    listed: Vec<(String, Vec<(String, bool)>)>,
    engines: Vec<String>,
    texts: Vec<(String, Option<u64>)>,
    names: Vec<String>,
    answers: Vec<StoredAnswer>,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredAnswer {
    file: u32,
    engine: u32,
    reads: Vec<u32>,
    told: StoredContent,
}

#[derive(Debug, Serialize, Deserialize)]
enum StoredContent {
    Nothing { name: u32 },
    Types(Types),
}

/// Assigns consecutive numbers to values.
struct Numbering<T>(HashMap<T, u32>);

impl<T: std::hash::Hash + Eq + Clone> Numbering<T> {
    fn empty() -> Numbering<T> {
        Numbering(HashMap::new())
    }

    fn number(&mut self, thing: &T) -> u32 {
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        *self.0.entry(thing.clone()).or_insert(next)
    }

    fn list(self) -> Vec<T> {
        let mut all: Vec<(u32, T)> = self.0.into_iter().map(|(thing, number)| (number, thing)).collect();
        all.sort_unstable_by_key(|(number, _)| *number);
        all.into_iter().map(|(_, thing)| thing).collect()
    }
}

/// Writes the answers if enough of them are new.
pub(crate) fn save(store: &Store, packs: &Arc<dyn Packs>, moment: &Snapshot, answers: &Answers) {
    if answers.new_lasting() < MIN_NEW_ANSWERS {
        return;
    }
    let (mut texts, mut engines, mut names) = (Numbering::empty(), Numbering::empty(), Numbering::empty());
    let mut list = Vec::new();
    let mut in_use: HashMap<&str, Option<Arc<Description>>> = HashMap::new();
    for Lasting { path, pack, reads, content: told } in answers.lasting(moment) {
        let Some(engine) = moment.engine(&path) else { continue };
        // An answer of a pack that is no longer in use is dropped: its replacement may answer differently.
        let current = in_use.entry(engine).or_insert_with(|| current_pack(packs, moment, engine));
        if !current.as_ref().is_some_and(|current| Arc::ptr_eq(current, &pack)) {
            continue;
        }
        list.push(StoredAnswer {
            file: texts.number(&path),
            engine: engines.number(&engine.to_owned()),
            reads: reads.iter().map(|(read, _)| texts.number(read)).collect(),
            told: match told {
                LastingContent::NoMember(name) => StoredContent::Nothing { name: names.number(&name) },
                LastingContent::Types(types) => StoredContent::Types(types.as_ref().clone()),
            },
        });
    }
    let is_folder = |kind: &EntryKind| *kind == EntryKind::Directory;
    let (beyond, listed) = moment.paths().outside_lookups();
    let version = |path: Arc<str>| (path.to_string(), moment.version(&path));
    let inside =
        |all: Vec<(String, EntryKind)>| all.iter().map(|(name, kind)| (name.clone(), is_folder(kind))).collect();
    let kept = StoredAnswers {
        schema: SCHEMA,
        root: moment.files().root().to_owned(),
        walked: moment.paths().digest(),
        beyond,
        listed: listed.into_iter().map(|(path, all)| (path, inside(all))).collect(),
        engines: engines.list(),
        texts: texts.list().into_iter().map(version).collect(),
        names: names.list(),
        answers: list,
    };
    store.write(moment.files().root(), EXTENSION, &kept);
}

/// Loads the answers that another process stored, if they are still valid.
pub(crate) fn restore(store: &Store, packs: &Arc<dyn Packs>, moment: &Snapshot, answers: &Answers) {
    let files = moment.files();
    let Some(kept) = store.read::<StoredAnswers>(files.root(), EXTENSION) else { return };
    if kept.schema != SCHEMA || kept.root != files.root() || kept.walked != moment.paths().digest() {
        return;
    }
    let kind = |is_folder: bool| if is_folder { EntryKind::Directory } else { EntryKind::File };
    let inside = |all: Vec<(String, bool)>| all.into_iter().map(|(name, is_folder)| (name, kind(is_folder))).collect();
    let listed = kept.listed.into_iter().map(|(path, all)| (path, inside(all))).collect();
    if !moment.paths().adopt_lookups(files.as_ref(), kept.beyond, listed) {
        return;
    }
    let packs: Vec<_> = kept.engines.iter().map(|engine| current_pack(packs, moment, engine)).collect();
    let texts: Vec<(Arc<str>, Option<u64>)> =
        kept.texts.into_iter().map(|(path, version)| (Arc::from(path), version)).collect();
    for answer in kept.answers {
        let pack = packs.get(answer.engine as usize).cloned().flatten();
        let reads: Option<Vec<_>> = answer.reads.iter().map(|read| texts.get(*read as usize).cloned()).collect();
        let content = match answer.told {
            StoredContent::Nothing { name } => kept.names.get(name as usize).cloned().map(LastingContent::NoMember),
            StoredContent::Types(types) => Some(LastingContent::Types(Arc::new(types))),
        };
        let file = texts.get(answer.file as usize);
        if let (Some(pack), Some(content), Some((path, _)), Some(reads)) = (pack, content, file, reads) {
            answers.restore(moment, Lasting { path: Arc::clone(path), pack, reads, content });
        }
    }
}

/// Returns the pack with this identity if it is still in use.
fn current_pack(packs: &Arc<dyn Packs>, moment: &Snapshot, engine: &str) -> Option<Arc<Description>> {
    let pack = packs.for_path(moment.files(), moment.file_read_by(engine)?).ok();
    let pack = pack.filter(|pack| pack.identity() == *engine)?;
    Some(Arc::clone(pack.description()))
}
