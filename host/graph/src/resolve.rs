//! Resolves links. Packs are asked again only if the answer may have changed.

use std::{collections::HashMap, sync::Arc};

use marquetry_model::{
    Result, Work,
    ports::{Files, Packs},
};

use crate::{
    build::{NEVER, Skipped},
    cores::on_all_cores,
    entry::{Entry, Target},
    moment::{Asking, Moment, Reads},
    probes::Probes,
};

/// Data that the resolution of links depended on.
pub(crate) struct Looked {
    /// The texts, sorted by path.
    pub(crate) reads: Reads,
    pub(crate) probes: Probes,
}

/// A file with its links resolved.
struct Followed {
    entry: Entry,
    /// The texts that were requested.
    texts: HashMap<String, Option<u64>>,
    looked: Probes,
    failure: Option<String>,
}

/// Resolves the links of the entries without targets. Returns what the resolution depended on, and the files that
/// failed. A link that could not be resolved has the target `Unknown` until its file is tried again.
pub(crate) fn resolve_all(
    moment: &Arc<Moment>,
    packs: &dyn Packs,
    entries: &mut [Arc<Entry>],
    work: &Work,
) -> Result<(Looked, Skipped)> {
    let open: Vec<usize> = (0..entries.len()).filter(|index| entries[*index].targets.is_none()).collect();
    let (mut probes, mut skipped) = (Probes::default(), Vec::new());
    // In a monorepo every file depends on every manifest: each text is stored once, not once per file.
    let mut texts: HashMap<String, Option<u64>> = HashMap::new();
    let stage = work.stage("resolving links", open.len());
    let followed = on_all_cores(&open, |index| stage.step().map(|()| follow(moment, packs, &entries[*index])));
    work.check()?;
    for (index, followed) in open.into_iter().zip(followed) {
        let Followed { entry, texts: texts_of, looked, failure } = followed?;
        skipped.extend(failure.map(|why| (entry.path.clone(), why)));
        entries[index] = Arc::new(entry);
        for (path, version) in texts_of {
            let known = texts.entry(path).or_insert(version);
            *known = version.min(*known);
        }
        probes.add(looked);
    }
    let mut reads: Reads = texts.into_iter().collect();
    reads.sort_unstable();
    Ok((Looked { reads, probes }, skipped))
}

fn follow(moment: &Arc<Moment>, packs: &dyn Packs, entry: &Entry) -> Followed {
    let asking = Asking::looking(moment);
    let (targets, read, failure) = match resolve(&asking, packs, entry) {
        Ok(targets) => (targets, entry.read, None),
        Err(error) => {
            let why = error.to_string();
            (entry.links.iter().flatten().map(|_| Target::Unknown(why.clone())).collect(), NEVER, Some(why))
        }
    };
    let entry = Entry { targets: Some(targets), read, ..entry.clone() };
    let looked = Probes::of(&entry, &asking.take_looks(), moment);
    Followed { entry, texts: asking.take_reads(), looked, failure }
}

fn resolve(asking: &Arc<Asking>, packs: &dyn Packs, entry: &Entry) -> Result<Vec<Target>> {
    let links = entry.links.as_deref().unwrap_or_default();
    if links.is_empty() {
        return Ok(Vec::new());
    }
    let files: Arc<dyn Files> = Arc::<Asking>::clone(asking);
    let requests: Vec<(String, String)> =
        links.iter().map(|link| (link.kind.clone(), link.specifier.clone())).collect();
    let pack = packs.for_path(&files, &entry.path)?;
    let found = pack.resolve(&entry.path, &requests)?;
    Ok(found.into_iter().map(|destination| as_walked(asking, destination.into())).collect())
}

/// Replaces a target that is a walked path in another case with the walked path, if the file system ignores case.
fn as_walked(asking: &Asking, target: Target) -> Target {
    let Target::Inside(path) = target else { return target };
    Target::Inside(asking.as_walked(&path).unwrap_or(path))
}
