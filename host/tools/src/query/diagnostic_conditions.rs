//! Conditions of diagnostics on other files of the workspace.

use std::{cell::OnceCell, collections::BTreeSet};

use marquetry_graph::{Entry, Target, Workspace};
use marquetry_model::{
    hover::{Condition, QuickFix, SemanticDiagnostic},
    nearest,
    pack::{PackDiagnostic, SharedName},
};

use crate::link_kinds::POSSIBLE_LINK;

/// Names with at least this similarity may be typing errors.
const MIN_SIMILARITY: f64 = 0.8;

/// Facts about the whole workspace, computed once per call.
pub(super) struct WorkspaceFacts<'a> {
    pub(super) workspace: &'a Workspace,
    /// True if no file links to a target outside of the root. A name without a declaration in the workspace is then
    /// certainly undeclared.
    closed: OnceCell<bool>,
}

/// How certain a diagnostic with conditions is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Certain,
    /// A file outside of the root may declare the name.
    UnlessDeclaredOutside,
}

/// Returns a semantic diagnostic if its conditions are met inside the root.
pub(super) fn judged(
    found: SemanticDiagnostic,
    facts: Option<&WorkspaceFacts<'_>>,
    path: &str,
) -> Option<(Verdict, PackDiagnostic, Option<QuickFix>)> {
    let mut diagnostic = found.diagnostic;
    let mut verdict = Verdict::Certain;
    let is_alone = found.conditions.len() == 1;
    for condition in &found.conditions {
        let facts = facts?;
        match condition {
            Condition::Exported(name) => {
                if !facts.exports(name, path) {
                    return None;
                }
            }
            Condition::DeclaredNowhere(name) => {
                if !facts.is_declared_nowhere(name, path) {
                    return None;
                }
                let near = facts.nearest(name);
                // If there are links to targets outside of the root, the name may be declared there, unless it is
                // similar to a declared name.
                if is_alone && near.is_none() && !facts.is_closed() {
                    verdict = Verdict::UnlessDeclaredOutside;
                }
                if let Some(near) = near {
                    diagnostic.message = format!("{}; the nearest is `{near}`", diagnostic.message);
                }
            }
        }
    }
    Some((verdict, diagnostic, found.fix))
}

impl<'a> WorkspaceFacts<'a> {
    pub(super) fn new(workspace: &'a Workspace) -> WorkspaceFacts<'a> {
        WorkspaceFacts { workspace, closed: OnceCell::new() }
    }

    /// Returns whether no file links to the outside of the root.
    fn is_closed(&self) -> bool {
        *self.closed.get_or_init(|| {
            let links = self
                .workspace
                .files()
                .flat_map(|entry| entry.links.iter().flatten().zip(entry.targets.iter().flatten()));
            // A possible link, for example to a file that a tool finds by its name, does not import names.
            let mut certain = links.filter(|(link, _)| link.kind != POSSIBLE_LINK);
            !certain.any(|(_, target)| *target == Target::External)
        })
    }

    /// Returns whether another file with the same pack exports a name.
    fn exports(&self, name: &str, path: &str) -> bool {
        let engine = self.workspace.file(path).map(|entry| entry.engine.as_str());
        self.workspace.files().any(|entry| {
            entry.path != path
                && Some(entry.engine.as_str()) == engine
                && entry.names.as_ref().is_some_and(|names| names.exports.iter().any(|known| known == name))
        })
    }

    /// Returns whether no file declares a global name and no file with another pack contains it, because such a file
    /// may declare it.
    fn is_declared_nowhere(&self, name: &SharedName, path: &str) -> bool {
        let engine = self.workspace.file(path).map(|entry| entry.engine.as_str());
        let declares = |entry: &Entry| entry.names.as_ref().is_some_and(|names| names.declares(name));
        !self.workspace.files().any(declares)
            && self.workspace.may_mention(&name.name).all(|entry| Some(entry.engine.as_str()) == engine)
    }

    /// Returns the most similar declared name.
    fn nearest(&self, name: &SharedName) -> Option<String> {
        let names = self.workspace.files().filter_map(|entry| entry.names.as_ref());
        let declared = names.flat_map(|names| &names.shared).filter(|(space, _)| *space == name.namespace);
        let declared: BTreeSet<String> = declared.map(|(_, name)| name.clone()).collect();
        let near = nearest::nearest_names(&name.name, declared).into_iter().next()?;
        (nearest::similarity(&near, &name.name) >= MIN_SIMILARITY).then_some(near)
    }
}
