//! Resolves links. Packs are asked again only if the answer may have changed.

use std::sync::Arc;

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

/// Data that link resolution depended on.
#[derive(Default)]
pub(crate) struct Looked {
    /// The texts, sorted by path.
    pub(crate) reads: Reads,
    pub(crate) probes: Probes,
}

/// A file with its links resolved.
struct Followed {
    entry: Entry,
    looked: Looked,
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
    let (mut all, mut skipped) = (Looked::default(), Vec::new());
    let stage = work.stage("following links", open.len());
    let followed = on_all_cores(&open, |index| stage.step().map(|()| follow(moment, packs, &entries[*index])));
    work.check()?;
    for (index, followed) in open.into_iter().zip(followed) {
        let Followed { entry, looked, failure } = followed?;
        skipped.extend(failure.map(|why| (entry.path.clone(), why)));
        entries[index] = Arc::new(entry);
        all.reads.extend(looked.reads);
        all.probes.add(looked.probes);
    }
    all.reads.sort();
    all.reads.dedup_by(|a, b| a.0 == b.0);
    Ok((all, skipped))
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
    let looked = Looked { reads: asking.reads(), probes: Probes::of(&entry, &asking.take_looks(), moment) };
    Followed { entry, looked, failure }
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
    Ok(pack.resolve(&entry.path, &requests)?.into_iter().map(Target::from).collect())
}
