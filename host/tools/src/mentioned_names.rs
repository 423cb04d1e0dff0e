//! Occurrences of a name in files whose packs cannot resolve it. It is not certain what they mean, so they are listed.
//! They are listed as unresolved if they may be code that uses the name, and as mentions if the file is understood and
//! does not import from the declaring file.

use std::collections::{BTreeMap, BTreeSet};

use marquetry_graph::{Entry, Target, Workspace, parallel_map};
use marquetry_model::{Interface, Kind, Result, pack::Embedded, text::Lines};

use crate::{
    generated_files::is_generated, reference_search::ReferenceSearch, result_types::Location, session::Session,
    words::whole_word_offsets,
};

/// Larger files are considered data and are not searched.
pub(crate) const MAX_SEARCHED_SIZE: u64 = 4 << 20;

/// Occurrences to list.
#[derive(Debug, Default)]
pub(crate) struct MentionedNames {
    /// Occurrences that may be code.
    pub(crate) unresolved: Vec<Location>,
    /// `file:line:column` of occurrences in prose or data.
    pub(crate) mentions: Vec<String>,
    /// Files that could not be searched, with the reason.
    pub(crate) unread: Vec<String>,
}

/// The files that may use a symbol, and the capabilities of their packs.
struct PossibleUsers<'a> {
    name: &'a str,
    /// Files that export the symbol.
    exporters: BTreeSet<&'a str>,
    /// Files that import the symbol, and files that load a file which shares it globally.
    users: BTreeSet<String>,
    /// True if it is a member, which any file that imports something from the workspace can use.
    is_member: bool,
    /// For each pack of the index: whether it resolves names of this kind, and whether it reads links.
    packs: BTreeMap<&'a str, (bool, bool)>,
}

impl Session {
    /// Finds all occurrences of the name in files whose packs cannot resolve it.
    pub(crate) fn mentioned_elsewhere(&self, search: &ReferenceSearch, name: &str) -> Result<MentionedNames> {
        let mut mentioned = MentionedNames::default();
        let Some(workspace) = search.workspace().filter(|_| search.is_exported()) else { return Ok(mentioned) };
        let audience = self.possible_users(&workspace, search, name)?;
        let was_asked = |entry: &Entry| {
            search.has_answered(&entry.path) || audience.packs.get(entry.engine.as_str()).is_some_and(|known| known.0)
        };
        let candidates: Vec<&Entry> = workspace
            .files()
            .filter(|entry| entry.may_hold(name) && !is_generated(&entry.path) && !was_asked(entry))
            .collect();
        let stage = self.work.stage("searching for the name", candidates.len());
        let found = parallel_map(&candidates, |entry| {
            stage.step()?;
            self.mentioned_in(entry, &audience)
        });
        for (entry, found) in candidates.iter().zip(found) {
            match found {
                Ok(None) => {}
                Ok(Some((true, places))) => mentioned.unresolved.extend(places),
                Ok(Some((false, places))) => {
                    mentioned.mentions.extend(
                        places.into_iter().map(|Location { path, line, column }| format!("{path}:{line}:{column}")),
                    );
                }
                Err(error) if error.kind() == Kind::Cancelled => return Err(error),
                Err(error) => mentioned.unread.push(format!("{}: {error}", entry.path)),
            }
        }
        Ok(mentioned)
    }

    fn possible_users<'a>(
        &self,
        workspace: &'a Workspace,
        search: &'a ReferenceSearch,
        name: &'a str,
    ) -> Result<PossibleUsers<'a>> {
        let mut packs = BTreeMap::new();
        for entry in workspace.files() {
            if !packs.contains_key(entry.engine.as_str()) && !entry.engine.is_empty() {
                let pack = self.packs.for_path(&self.files, &entry.path)?;
                let is_given = pack.may_receive(&entry.path);
                let is_theirs =
                    is_given && pack.has_interface(Interface::Symbols) && pack.description().id == search.engine();
                packs.insert(entry.engine.as_str(), (is_theirs, is_given && pack.has_interface(Interface::Links)));
            }
        }
        let mut users = BTreeSet::new();
        for (file, known_as) in search.exporters() {
            let importers = workspace.importers(file).into_iter().filter(|importer| importer.may_carry(known_as));
            users.extend(importers.map(|importer| importer.file.path.clone()));
        }
        // A file that loads another one has access to all of its globals, whatever the link names.
        for file in search.global_users() {
            users.extend(workspace.importers(file).into_iter().map(|importer| importer.file.path.clone()));
        }
        let leaves = search.exporters().map(|(file, _)| file).collect();
        Ok(PossibleUsers { name, exporters: leaves, users, is_member: search.is_member(), packs })
    }

    /// Finds the occurrences in one file, and returns whether they may be code.
    fn mentioned_in(&self, entry: &Entry, audience: &PossibleUsers<'_>) -> Result<Option<(bool, Vec<Location>)>> {
        if entry.size > MAX_SEARCHED_SIZE {
            return Ok(None);
        }
        let source = match self.files.read(&entry.path) {
            Ok(source) => source,
            // Not a text file, or deleted meanwhile.
            Err(error) if matches!(error.kind(), Kind::Unsupported | Kind::FileNotFound) => return Ok(None),
            Err(error) => return Err(error),
        };
        let offsets = whole_word_offsets(&source.text, audience.name);
        if offsets.is_empty() {
            return Ok(None);
        }
        let lines = Lines::new(&source.text);
        let places = offsets.iter().map(|offset| Location::new(&entry.path, lines.position(*offset))).collect();
        let understood = audience.packs.get(entry.engine.as_str()).is_some_and(|known| known.1);
        let may_be_code =
            !understood || audience.imports_by_name(entry) || self.has_code_that_uses(entry, &offsets, audience)?;
        Ok(Some((may_be_code, places)))
    }

    /// Returns whether an occurrence is in embedded code that links to a file which exports the symbol.
    fn has_code_that_uses(&self, entry: &Entry, offsets: &[usize], audience: &PossibleUsers<'_>) -> Result<bool> {
        let file = self.open_found(&entry.path)?;
        let parts = file.ask(|document| document.embedded())?;
        let holds = |part: &&Embedded| offsets.iter().any(|at| part.span.start <= *at && *at < part.span.end);
        for part in parts.iter().filter(holds) {
            let Some(pack) = self.pack_of_language(&part.language)? else { continue };
            if !pack.has_interface(Interface::Symbols) || !pack.has_interface(Interface::Links) {
                continue;
            }
            let path = format!("{}.{}", entry.path, part.language);
            let text = std::sync::Arc::from(part.span.slice(file.text()));
            let links = std::sync::Arc::clone(&pack).open(&path, &text)?.links()?;
            let requests: Vec<_> = links.into_iter().map(|link| (link.kind, link.specifier)).collect();
            let targets = pack.resolve(&entry.path, &requests)?.into_iter().map(Target::from);
            let mut inside =
                targets.filter_map(|target| if let Target::Inside(path) = target { Some(path) } else { None });
            if inside.any(|path| audience.is_member || audience.exporters.contains(path.as_str())) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl PossibleUsers<'_> {
    /// Returns whether the file imports names from a file that provides the symbol.
    fn imports_by_name(&self, entry: &Entry) -> bool {
        let links = entry.links.iter().flatten().zip(entry.targets.iter().flatten());
        let by_name =
            || links.clone().any(|(link, target)| !link.names.is_empty() && matches!(target, Target::Inside(_)));
        self.users.contains(&entry.path) || self.is_member && by_name()
    }
}
