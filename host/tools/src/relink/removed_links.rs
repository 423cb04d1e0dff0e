//! Links that documents remove during a move because another document then declares the file, such as `mod` items in
//! Rust.

use std::collections::BTreeMap;

use marquetry_graph::{Entry, Target, Workspace};
use marquetry_model::Relocations;

use super::{links_with_targets, rewrites::Rewrites};

/// For each path after the change, the numbers of removed links and of new links to it.
#[derive(Default)]
pub(super) struct RemovedLinks(BTreeMap<String, Counts>);

#[derive(Default)]
struct Counts {
    removed: usize,
    added: usize,
}

impl RemovedLinks {
    /// Counts the links that edits remove, and the links that only the edited and new files have after the change.
    pub(super) fn count(workspace: &Workspace, after: &Workspace, moves: &Relocations, rewrites: &Rewrites) -> Self {
        let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
        for entry in rewrites.edits.keys().filter_map(|path| workspace.file(path)) {
            for (_, link, target) in links_with_targets(entry) {
                if let Target::Inside(was) = target
                    && rewrites.removes(&entry.path, link.span())
                {
                    counts.entry(moves.path_after(was)).or_default().removed += 1;
                }
            }
        }
        if counts.is_empty() {
            return RemovedLinks::default();
        }
        let edited = rewrites.edits.keys().map(|path| (workspace.file(path), moves.path_after(path)));
        let created = rewrites.new_files.keys().map(|path| (None, path.clone()));
        for (before, path) in edited.chain(created) {
            let Some(now) = after.file(&path) else { continue };
            for (path, counts) in &mut counts {
                let had_link = links(before).any(|was| moves.path_after(was) == *path);
                counts.added += usize::from(!had_link && links(Some(now)).any(|target| target == path));
            }
        }
        RemovedLinks(counts)
    }

    /// Returns whether there are at least as many new links to a path as removed links. One new link cannot replace two
    /// removed links, because two crates may have declared the same file.
    pub(super) fn are_replaced(&self, path: &str) -> bool {
        self.0.get(path).is_some_and(|counts| counts.added >= counts.removed)
    }
}

/// Returns the paths that the links of a file resolve to.
fn links(entry: Option<&Entry>) -> impl Iterator<Item = &str> {
    let targets = entry.into_iter().flat_map(links_with_targets);
    targets.filter_map(|(.., target)| match target {
        Target::Inside(path) => Some(path.as_str()),
        Target::External | Target::Missing(_) | Target::Unknown(_) => None,
    })
}
