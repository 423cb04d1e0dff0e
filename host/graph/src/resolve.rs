//! Resolves links. Packs are asked again only if their answers may have changed.

use std::{collections::HashMap, sync::Arc};

use marquetry_model::{
    Result, Work,
    ports::{Files, Packs},
};

use crate::{
    build::{NEVER_READ, Skipped},
    entry::{Entry, Target},
    lookup_probes::Probes,
    parallel::parallel_map,
    snapshot::{RecordingFiles, Snapshot, TextVersions},
};

/// Data that the resolution of links depended on.
pub(crate) struct ResolutionInputs {
    /// The texts, sorted by path.
    pub(crate) reads: TextVersions,
    pub(crate) probes: Probes,
}

/// A file with its links resolved.
struct ResolvedFile {
    entry: Entry,
    /// The texts that were requested.
    texts: HashMap<String, Option<u64>>,
    looked: Probes,
    failure: Option<String>,
}

/// Resolves the links of those entries whose targets are not set. Returns the inputs of the resolution, and the files
/// that failed. A link that could not be resolved has the target `Unknown` until its file is resolved again.
pub(crate) fn resolve_all(
    moment: &Arc<Snapshot>,
    packs: &dyn Packs,
    entries: &mut [Arc<Entry>],
    work: &Work,
) -> Result<(ResolutionInputs, Skipped)> {
    let open: Vec<usize> = (0..entries.len()).filter(|index| entries[*index].targets.is_none()).collect();
    let (mut probes, mut skipped) = (Probes::default(), Vec::new());
    // In a monorepo every file depends on every manifest: each text is stored once, not once per file.
    let mut texts: HashMap<String, Option<u64>> = HashMap::new();
    let stage = work.stage("resolving links", open.len());
    let followed = parallel_map(&open, |index| stage.step().map(|()| resolve_file(moment, packs, &entries[*index])));
    work.check()?;
    for (index, followed) in open.into_iter().zip(followed) {
        let ResolvedFile { entry, texts: texts_of, looked, failure } = followed?;
        skipped.extend(failure.map(|why| (entry.path.clone(), why)));
        entries[index] = Arc::new(entry);
        for (path, version) in texts_of {
            let known = texts.entry(path).or_insert(version);
            *known = version.min(*known);
        }
        probes.add(looked);
    }
    let mut reads: TextVersions = texts.into_iter().collect();
    reads.sort_unstable();
    Ok((ResolutionInputs { reads, probes }, skipped))
}

fn resolve_file(moment: &Arc<Snapshot>, packs: &dyn Packs, entry: &Entry) -> ResolvedFile {
    let asking = RecordingFiles::with_lookups(moment);
    let (targets, read, failure) = match resolve_links(&asking, packs, entry) {
        Ok(targets) => (targets, entry.read, None),
        Err(error) => {
            let why = error.to_string();
            (entry.links.iter().flatten().map(|_| Target::Unknown(why.clone())).collect(), NEVER_READ, Some(why))
        }
    };
    let entry = Entry { targets: Some(targets), read, ..entry.clone() };
    let looked = Probes::collect(&entry, &asking.take_lookups(), moment);
    ResolvedFile { entry, texts: asking.take_reads(), looked, failure }
}

fn resolve_links(asking: &Arc<RecordingFiles>, packs: &dyn Packs, entry: &Entry) -> Result<Vec<Target>> {
    let links = entry.links.as_deref().unwrap_or_default();
    if links.is_empty() {
        return Ok(Vec::new());
    }
    let files: Arc<dyn Files> = Arc::<RecordingFiles>::clone(asking);
    let requests: Vec<(String, String)> =
        links.iter().map(|link| (link.kind.clone(), link.specifier.clone())).collect();
    let pack = packs.for_path(&files, &entry.path)?;
    let found = pack.resolve(&entry.path, &requests)?;
    Ok(found.into_iter().map(|destination| as_walked(asking, destination.into())).collect())
}

/// If the file system ignores case, replaces a target that differs from a walked path only in case with that path.
fn as_walked(asking: &RecordingFiles, target: Target) -> Target {
    let Target::Inside(path) = target else { return target };
    Target::Inside(asking.as_walked(&path).unwrap_or(path))
}
