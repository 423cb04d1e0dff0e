//! Resolves uncertain references, which only have the same name as the symbol, by asking language servers for their
//! definitions.

use std::{collections::BTreeSet, sync::Arc};

use marquetry_graph::Workspace;
use marquetry_model::{
    Kind, Result, Span,
    pack::{Occurrence, Resolution, Subject},
    ports::Source,
};

use super::{QueryArgs, QueryResult, workspace::Reference};
use crate::{
    document::OpenFile,
    refactor::recommends_server,
    result_types::{Location, pluralized},
    server_definitions::{KnownSymbol, Meaning, NamePlace, ServerShare},
    session::Session,
};

/// References to one symbol that packs found.
pub(super) struct FoundReferences {
    pub(super) name: String,
    pub(super) references: Vec<Reference>,
    /// Positions of the certain references.
    pub(super) certain: BTreeSet<NamePlace>,
    /// The reasons of the packs why references may be missing.
    pub(super) doubts: Vec<PackDoubt>,
    /// Another reason, such as files that could not be read.
    pub(super) unread: Option<String>,
    /// Files that could not answer, each with the reason.
    pub(super) unasked: Vec<String>,
    /// The index.
    pub(super) workspace: Option<Arc<Workspace>>,
}

/// The reason of a pack why its answer about one file may be incomplete.
pub(super) struct PackDoubt {
    path: String,
    why: String,
    /// True if the answer contains uncertain occurrences, which are the reason why it may be incomplete.
    is_about_occurrences: bool,
}

impl PackDoubt {
    pub(super) fn new(path: &str, why: String, occurrences: &[Occurrence]) -> PackDoubt {
        let is_about_occurrences = occurrences.iter().any(|place| !place.certain);
        PackDoubt { path: path.to_owned(), why, is_about_occurrences }
    }
}

impl FoundReferences {
    /// The first reason why the references may be incomplete.
    pub(super) fn incomplete(&self) -> Option<String> {
        self.doubts.first().map(|doubt| doubt.why.clone()).or_else(|| self.unread.clone())
    }

    /// Returns whether a pack may have missed uses in a file.
    fn may_lack_uses(&self) -> bool {
        self.doubts.iter().any(|doubt| !doubt.is_about_occurrences)
    }

    /// Updates the reasons of the packs after some occurrences were resolved.
    fn update_doubts(&mut self) {
        let uncertain = self.references.iter().filter(|place| !place.certain);
        let left: BTreeSet<&str> = uncertain.clone().map(|place| place.path.as_str()).collect();
        let count = pluralized(uncertain.count(), "occurrence");
        self.doubts.retain(|doubt| !doubt.is_about_occurrences || left.contains(doubt.path.as_str()));
        for doubt in self.doubts.iter_mut().filter(|doubt| doubt.is_about_occurrences) {
            doubt.why = format!("{count} may or may not refer to this name");
        }
    }
}

impl Session {
    /// Returns the references that the language server of the file finds, if the pack cannot find the uses of the
    /// symbol and the caller did not choose an engine. `None` if no server is approved, or if the server fails.
    pub(super) fn references_instead(
        &self,
        args: &QueryArgs,
        (file, subject): (&OpenFile, &Subject),
        found: &FoundReferences,
    ) -> Result<Option<QueryResult>> {
        let is_asked = args.engine.is_none() && args.usage.is_none() && found.may_lack_uses();
        if !is_asked || !matches!(self.optional_server(file.path()), Ok(Some(_))) {
            return Ok(None);
        }
        // If a pack refuses to rename the symbol because it cannot find the uses, its hint recommends a server.
        let renamed = file.ask(|document| document.rename(subject, &format!("{}_", found.name)));
        if !renamed.is_err_and(|error| recommends_server(&error)) {
            return Ok(None);
        }
        match self.references_of_server(args) {
            Ok(answer) => Ok(Some(answer)),
            Err(error) if error.kind() == Kind::Cancelled => Err(error),
            Err(error) => {
                self.work.add_note(format!("the language server was not used: {error}"));
                Ok(None)
            }
        }
    }

    /// Asks the language servers about uncertain references. Those that refer to the symbol become certain, and those that
    /// refer to another declaration are removed.
    pub(super) fn resolve_uncertain(&self, found: &mut FoundReferences) -> Result<ServerShare> {
        let Some(workspace) = &found.workspace else { return Ok(ServerShare::default()) };
        let location =
            |place: &Reference| Location { path: place.path.clone(), line: place.line, column: place.column };
        let uncertain: Vec<Location> = found.references.iter().filter(|place| !place.certain).map(location).collect();
        let symbol = KnownSymbol {
            name: &found.name,
            workspace,
            is_symbol: &|path, span: Span| {
                found.certain.contains(&NamePlace { path: path.to_owned(), offset: span.start })
            },
            is_unread: &|path| found.unasked.iter().any(|why| why.starts_with(&format!("{path}: "))),
        };
        let answered = self.meanings_by_server(&uncertain, &symbol)?;
        let places = answered.places.len();
        if places == 0 {
            return Ok(ServerShare::default());
        }
        found.references.retain_mut(|place| {
            let meaning = if place.certain { None } else { answered.places.get(&location(place)) };
            match meaning {
                Some((_, Meaning::Other)) => return false,
                Some((_, Meaning::Same(_))) => place.certain = true,
                None => {}
            }
            true
        });
        found.update_doubts();
        Ok(ServerShare { engines: answered.engines, places })
    }
}

/// Offsets of the certain occurrences in one file; empty if the name is declared elsewhere.
pub(super) fn certain_places<'a>(source: &'a Source, found: &'a Resolution) -> impl Iterator<Item = NamePlace> + 'a {
    let certain = found.occurrences.iter().filter(|place| place.certain && found.declaration.is_none());
    certain.map(|place| NamePlace { path: source.path.clone(), offset: place.span.start })
}
