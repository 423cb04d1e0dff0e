//! Contents of files before and after a change. The contents before the change are in its history entry. The contents
//! after it are returned if the file still has them or a later entry stores them.

use std::collections::HashSet;

use marquetry_model::{
    Error, Result,
    nearest::MAX_CANDIDATES,
    ports::{ReplacedFile, StoredContent},
};

use super::{all_entries, entries};
use crate::{
    journal::{self, Manifest},
    operation::{Contents, DiskState, Effect, EffectSide, read_state},
    state::RootState,
    tree::Tree,
};

/// Returns both contents of every file of a change.
pub(crate) fn replaced_files(tree: &Tree, state: &RootState, id: &str) -> Result<Vec<ReplacedFile>> {
    let Some(entry) = all_entries(state).find(|entry| entry.manifest.id == id) else {
        let known = entries(state).map(|entry| entry.manifest.id).take(MAX_CANDIDATES);
        return Err(Error::argument(format!("there is no change `{id}` in the history"))
            .hint("the history keeps the latest changes only; use one of the candidates")
            .candidates(known));
    };
    // Contents that are damaged or purged are missing; the others are returned.
    let mut known = contents_of_entry(&entry.path);
    add_current_contents(tree, &entry.manifest, &mut known);
    add_later_contents(state, &entry.manifest, &mut known);
    Ok(entry.manifest.effects.iter().map(|effect| replaced_file(effect, &known)).collect())
}

fn replaced_file(effect: &Effect, known: &Contents) -> ReplacedFile {
    let hash = |side: &Option<EffectSide>| side.as_ref().and_then(|side| side.hash.clone());
    let (before, after) = (hash(&effect.before), hash(&effect.after));
    let moved = effect.before.is_some() && effect.after.is_some() && before == after;
    let side = |side: &Option<EffectSide>, hash: Option<String>| match (side, hash) {
        (None, _) => StoredContent::Absent,
        (Some(_), Some(hash)) => {
            known.get(&hash).map_or(StoredContent::Unavailable, |bytes| StoredContent::Bytes(bytes.clone()))
        }
        (Some(_), None) => StoredContent::Same,
    };
    let name = |side: &Option<EffectSide>| side.as_ref().map(|side| side.name.clone());
    let old = if moved { StoredContent::Same } else { side(&effect.before, before) };
    let new = if moved { StoredContent::Same } else { side(&effect.after, after) };
    ReplacedFile { before: name(&effect.before), after: name(&effect.after), old, new }
}

fn contents_of_entry(path: &std::path::Path) -> Contents {
    journal::read(path).ok().flatten().map(|(_, contents)| contents).unwrap_or_default()
}

/// Returns the hashes of the change's results whose contents are not found yet.
fn missing_hashes(manifest: &Manifest, known: &Contents) -> HashSet<String> {
    let left = manifest.effects.iter().filter_map(|effect| effect.after.as_ref()?.hash.clone());
    left.filter(|hash| !known.contains_key(hash)).collect()
}

/// Adds contents of files that still have the result of the change.
fn add_current_contents(tree: &Tree, manifest: &Manifest, known: &mut Contents) {
    let wanted = missing_hashes(manifest, known);
    for side in manifest.effects.iter().filter_map(|effect| effect.after.as_ref()) {
        let Some(hash) = side.hash.as_ref().filter(|hash| wanted.contains(*hash)) else { continue };
        if let Ok(DiskState::Thing(thing, _, bytes)) = read_state(tree, &side.name)
            && thing.hash() == Some(hash)
        {
            known.insert(hash.clone(), bytes);
        }
    }
}

/// Adds contents that later changes replaced.
fn add_later_contents(state: &RootState, manifest: &Manifest, known: &mut Contents) {
    let mut wanted = missing_hashes(manifest, known);
    for later in all_entries(state).take_while(|later| later.manifest.id != manifest.id) {
        if wanted.is_empty() {
            return;
        }
        if later.manifest.has_any_content(&wanted) {
            let mut contents = contents_of_entry(&later.path);
            wanted.retain(|hash| match contents.remove(hash) {
                Some(bytes) => {
                    known.insert(hash.clone(), bytes);
                    false
                }
                None => true,
            });
        }
    }
}
