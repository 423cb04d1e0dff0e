//! Paths that influenced the resolution of links although no link names them: an alias maps one name to another, a
//! package is looked up in every parent folder, and a walk does not find ignored files. If one of these paths appears
//! or disappears, links are resolved again.

use std::collections::{HashMap, HashSet};

use marquetry_model::ports::{Files, version};
use serde::{Deserialize, Serialize};

use crate::{
    changes::{Changes, specifier_names, visit_names},
    entry::{Entry, Target},
    outside_lookups::OutsideLookups,
    snapshot::{RecordedLookups, Snapshot},
};

/// Paths that were looked up to resolve links.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Probes {
    /// Hashes of looked-up paths that no link of the file names.
    unnamed: HashSet<u64>,
    /// Hashes of folders whose entries were listed.
    listed: HashSet<u64>,
    /// Lookups outside of the walk, with their results.
    beyond: OutsideLookups,
}

/// Names that the links of a file may refer to.
#[derive(Default)]
struct NamedPaths {
    /// For each name, true if a link that may refer to it is broken.
    names: HashMap<String, bool>,
    /// True if a link that may refer to any name is broken; `None` if the file has no such link.
    anything: Option<bool>,
}

impl NamedPaths {
    fn add(&mut self, specifier: &str, is_lost: bool) {
        let names = &mut self.names;
        if visit_names(specifier, |name| *names.entry(name.to_owned()).or_default() |= is_lost) {
            self.anything = Some(self.anything.unwrap_or_default() || is_lost);
        }
    }

    /// Returns whether a link that may refer to the path is broken; `None` if no link may refer to it.
    fn is_broken(&self, path: &str) -> Option<bool> {
        let mut is_lost = self.anything;
        specifier_names(path, |name| is_lost = is_lost.max(self.names.get(name).copied()));
        is_lost
    }
}

impl Probes {
    /// Collects the lookups that resolved the links of a file. The targets of its entry must be set.
    pub(crate) fn collect(entry: &Entry, looks: &RecordedLookups, moment: &Snapshot) -> Probes {
        let mut probes = Probes::default();
        let links = || entry.links.iter().flatten().zip(entry.targets.iter().flatten());
        let mut named = NamedPaths::default();
        for (link, target) in links() {
            named.add(&link.specifier, matches!(target, Target::Missing(_)));
        }
        let mut unnamed = Vec::new();
        for (path, kind) in &looks.kinds {
            match named.is_broken(path) {
                None => unnamed.push((path, kind)),
                // A walk does not notice if an ignored file appears at this path.
                Some(true) if kind.is_none() => _ = probes.beyond.insert(path, None),
                Some(_) => {}
            }
        }
        // Sorted, so that each broken link finds its own lookups by binary search.
        let mut missing: Vec<&str> =
            unnamed.iter().filter(|(_, kind)| kind.is_none()).map(|(path, _)| path.as_str()).collect();
        missing.sort_unstable();
        for (_, target) in links() {
            match target {
                Target::Inside(path) if !moment.paths().was_walked(path) => {
                    let kind = moment.paths().stat(moment.files().as_ref(), path);
                    probes.beyond.insert(path, kind);
                }
                Target::Missing(path) => {
                    let from = missing.partition_point(|look| *look < path.as_str());
                    for look in missing[from..].iter().take_while(|look| look.starts_with(path.as_str())) {
                        probes.beyond.insert(look, None);
                    }
                }
                _ => {}
            }
        }
        probes.unnamed = unnamed.iter().map(|(path, _)| version(path)).collect();
        probes.listed = looks.listed.iter().map(|path| version(path)).collect();
        probes
    }

    /// Returns a copy without the given paths outside of the walk, which are looked up again when links are resolved.
    pub(crate) fn without(&self, changed: &[String]) -> Probes {
        Probes { unnamed: self.unnamed.clone(), listed: self.listed.clone(), beyond: self.beyond.without(changed) }
    }

    pub(crate) fn add(&mut self, other: Probes) {
        self.unnamed.extend(other.unnamed);
        self.listed.extend(other.listed);
        self.beyond.extend(other.beyond);
    }

    /// Returns the paths outside of the walk that have changed.
    pub(crate) fn changed_outside(&self, files: &dyn Files) -> Vec<String> {
        self.beyond.outdated(files)
    }

    /// Returns whether changes affect links that do not name the changed paths.
    pub(crate) fn are_affected_by(&self, changes: &Changes) -> bool {
        let folder = |path: &str| path.rsplit_once('/').map_or_else(|| version(""), |(folder, _)| version(folder));
        changes.paths().any(|path| self.unnamed.contains(&version(path)) || self.listed.contains(&folder(path)))
    }

    /// Estimated size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        2 * size_of::<u64>() * (self.unnamed.len() + self.listed.len()) + self.beyond.bytes()
    }
}
