//! Contents of files before and after a change: those before from its entry, those after if they still exist anywhere.

use std::collections::HashSet;

use marquetry_model::{
    Error, Result,
    nearest::MOST,
    ports::{Kept, Replaced},
};

use super::{all, entries};
use crate::{
    journal::{self, Manifest},
    operation::{Contents, Effect, Found, Side, found},
    state::State,
    tree::Tree,
};

/// Returns both contents of every file of a change.
pub(crate) fn replaced(tree: &Tree, state: &State, id: &str) -> Result<Vec<Replaced>> {
    let Some(entry) = all(state).find(|entry| entry.manifest.id == id) else {
        let known = entries(state).map(|entry| entry.manifest.id).take(MOST);
        return Err(Error::argument(format!("there is no change `{id}` in the history"))
            .hint("the history keeps the latest changes only; use one of the candidates")
            .candidates(known));
    };
    // Contents that are damaged or purged are missing; the others are returned.
    let mut known = kept_by(&entry.path);
    add_present(tree, &entry.manifest, &mut known);
    add_later(state, &entry.manifest, &mut known);
    Ok(entry.manifest.effects.iter().map(|effect| of(effect, &known)).collect())
}

fn of(effect: &Effect, known: &Contents) -> Replaced {
    let hash = |side: &Option<Side>| side.as_ref().and_then(|side| side.hash.clone());
    let (before, after) = (hash(&effect.before), hash(&effect.after));
    let moved = effect.before.is_some() && effect.after.is_some() && before == after;
    let side = |side: &Option<Side>, hash: Option<String>| match (side, hash) {
        (None, _) => Kept::Nothing,
        (Some(_), Some(hash)) => known.get(&hash).map_or(Kept::Gone, |bytes| Kept::Bytes(bytes.clone())),
        (Some(_), None) => Kept::Same,
    };
    let name = |side: &Option<Side>| side.as_ref().map(|side| side.name.clone());
    let old = if moved { Kept::Same } else { side(&effect.before, before) };
    let new = if moved { Kept::Same } else { side(&effect.after, after) };
    Replaced { before: name(&effect.before), after: name(&effect.after), old, new }
}

fn kept_by(path: &std::path::Path) -> Contents {
    journal::read(path).ok().flatten().map(|(_, contents)| contents).unwrap_or_default()
}

/// Returns the hashes of the change's results whose contents are not found yet.
fn missing(manifest: &Manifest, known: &Contents) -> HashSet<String> {
    let left = manifest.effects.iter().filter_map(|effect| effect.after.as_ref()?.hash.clone());
    left.filter(|hash| !known.contains_key(hash)).collect()
}

/// Adds contents of files that still have the result of the change.
fn add_present(tree: &Tree, manifest: &Manifest, known: &mut Contents) {
    let wanted = missing(manifest, known);
    for side in manifest.effects.iter().filter_map(|effect| effect.after.as_ref()) {
        let Some(hash) = side.hash.as_ref().filter(|hash| wanted.contains(*hash)) else { continue };
        if let Ok(Found::Thing(thing, _, bytes)) = found(tree, &side.name)
            && thing.hash() == Some(hash)
        {
            known.insert(hash.clone(), bytes);
        }
    }
}

/// Adds contents that later changes replaced.
fn add_later(state: &State, manifest: &Manifest, known: &mut Contents) {
    let mut wanted = missing(manifest, known);
    for later in all(state).take_while(|later| later.manifest.id != manifest.id) {
        if wanted.is_empty() {
            return;
        }
        if later.manifest.keeps_any(&wanted) {
            let mut contents = kept_by(&later.path);
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
