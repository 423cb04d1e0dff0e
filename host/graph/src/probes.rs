//! Which paths decided where links lead without being named by them: an alias says one name and means another, a package is
//! looked for in every folder above, what is ignored is found by no walk. Where one of these comes or goes, links are followed
//! again.

use std::collections::{HashMap, HashSet};

use marquetry_model::ports::{Files, version};
use serde::{Deserialize, Serialize};

use crate::{
    beyond::Beyond,
    changes::{Changes, meanings, names_of},
    entry::{Entry, Target},
    moment::{Looks, Moment},
};

/// Paths that were looked at for links.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Probes {
    /// What no link names by which somebody looked there.
    unnamed: HashSet<u64>,
    /// Folders whose entries decided.
    listed: HashSet<u64>,
    /// What no walk tells of, as it was.
    beyond: Beyond,
}

/// What the links of a file may mean.
#[derive(Default)]
struct Named {
    /// By name, whether a link that may mean it leads to nothing.
    names: HashMap<String, bool>,
    /// The same of links that may mean anything.
    anything: Option<bool>,
}

impl Named {
    fn add(&mut self, specifier: &str, is_lost: bool) {
        let names = &mut self.names;
        if meanings(specifier, |name| *names.entry(name.to_owned()).or_default() |= is_lost) {
            self.anything = Some(self.anything.unwrap_or_default() || is_lost);
        }
    }

    /// Whether a link that may mean the path leads to nothing; none where no link may mean it.
    fn is_lost(&self, path: &str) -> Option<bool> {
        let mut is_lost = self.anything;
        names_of(path, |name| is_lost = is_lost.max(self.names.get(name).copied()));
        is_lost
    }
}

impl Probes {
    /// What was looked at to follow the links of one file, which lead where its entry says.
    pub(crate) fn of(entry: &Entry, looks: &Looks, moment: &Moment) -> Probes {
        let mut probes = Probes::default();
        let links = || entry.links.iter().flatten().zip(entry.targets.iter().flatten());
        let mut named = Named::default();
        for (link, target) in links() {
            named.add(&link.specifier, matches!(target, Target::Missing(_)));
        }
        let mut unnamed = Vec::new();
        for (path, kind) in &looks.kinds {
            match named.is_lost(path) {
                None => unnamed.push((path, kind)),
                // What is ignored comes without a walk.
                Some(true) if kind.is_none() => _ = probes.beyond.insert(path, None),
                Some(_) => {}
            }
        }
        // Sorted, so that each link that leads to nothing finds its own among what was looked at for all.
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

    /// The same, without what is not as it was beyond the walk: whoever follows links there looks again.
    pub(crate) fn without(&self, changed: &[String]) -> Probes {
        Probes { unnamed: self.unnamed.clone(), listed: self.listed.clone(), beyond: self.beyond.without(changed) }
    }

    pub(crate) fn add(&mut self, other: Probes) {
        self.unnamed.extend(other.unnamed);
        self.listed.extend(other.listed);
        self.beyond.extend(other.beyond);
    }

    /// What no walk tells of, and is not as it was.
    pub(crate) fn changed_beyond(&self, files: &dyn Files) -> Vec<String> {
        self.beyond.outdated(files)
    }

    /// Whether links may lead elsewhere that do not say so.
    pub(crate) fn are_touched(&self, changes: &Changes) -> bool {
        let folder = |path: &str| path.rsplit_once('/').map_or_else(|| version(""), |(folder, _)| version(folder));
        changes.paths().any(|path| self.unnamed.contains(&version(path)) || self.listed.contains(&folder(path)))
    }

    /// About how many bytes they take.
    pub(crate) fn bytes(&self) -> usize {
        2 * size_of::<u64>() * (self.unnamed.len() + self.listed.len()) + self.beyond.bytes()
    }
}
