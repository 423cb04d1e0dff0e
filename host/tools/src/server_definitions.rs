//! Asks language servers for the definitions of occurrences that no pack could resolve. If the definition is a known
//! occurrence of the symbol, the occurrence refers to the symbol. If it is another declaration of the same name, the
//! occurrence does not. Only approved servers are asked. Their answers are not verified, so an answer that uses them is
//! at most `syntactic`.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use marquetry_graph::Workspace;
use marquetry_model::{
    Kind, Result, Span,
    ports::Source,
    servers::{Server, ServerDefinition, ServerDefinitions, ServerQuestion},
    text::{Lines, Position},
};

use crate::{
    generated_files::{is_generated, is_installed},
    query::engine_name,
    result_types::{Location, pluralized},
    session::Session,
    words::is_whole_word,
};

/// Maximum number of occurrences that one call asks about.
const MAX_OCCURRENCES: usize = 500;

/// The symbol whose occurrences are resolved, with the facts that packs reported.
pub(crate) struct KnownSymbol<'a> {
    pub(crate) name: &'a str,
    pub(crate) workspace: &'a Workspace,
    /// Returns whether a span of a file is certain to declare or use the symbol.
    pub(crate) is_symbol: &'a dyn Fn(&str, Span) -> bool,
    /// Returns whether the pack of a file could not answer, so that the file may declare the symbol.
    pub(crate) is_unread: &'a dyn Fn(&str) -> bool,
}

/// An offset in a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NamePlace {
    pub(crate) path: String,
    pub(crate) offset: usize,
}

/// The meaning of an occurrence, as the server of its file reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The occurrence refers to the symbol, which has a declaration at this place.
    Same(NamePlace),
    /// The occurrence refers to another declaration of the same name.
    Other,
}

/// The occurrences that servers resolved.
#[derive(Debug, Default)]
pub(crate) struct ServerMeanings {
    /// Offset and meaning of each occurrence.
    pub(crate) places: BTreeMap<Location, (usize, Meaning)>,
    /// Engine names of the servers.
    pub(crate) engines: BTreeSet<String>,
}

/// The use of servers in an answer.
#[derive(Debug, Default)]
pub(crate) struct ServerShare {
    /// Engine names of the servers.
    pub(crate) engines: BTreeSet<String>,
    /// Number of occurrences that the servers resolved.
    pub(crate) places: usize,
}

impl ServerShare {
    /// The value of `engine`: the pack, and the servers that resolved occurrences.
    pub(crate) fn engine(&self, pack: &str) -> String {
        let servers = self.engines.iter().map(String::as_str);
        std::iter::once(pack).chain(servers).collect::<Vec<_>>().join(", ")
    }

    /// Lowers `complete` to `syntactic`, because answers of servers are not verified.
    pub(crate) fn completeness(&self, without: String) -> String {
        if self.places == 0 || without != "complete" {
            return without;
        }
        let count = pluralized(self.places, "occurrence");
        format!("syntactic: {count} resolved by the language server, not verified")
    }
}

/// The occurrences in one file.
struct FileOccurrences {
    source: Source,
    /// Location and offset.
    places: Vec<(Location, usize)>,
}

/// The files of one server.
type ServerFiles = (Arc<dyn Server>, Vec<FileOccurrences>);

impl Session {
    /// Asks the approved servers of the files about occurrences. If there are too many, only the first ones are asked
    /// about. The result contains only the occurrences whose meaning is known. A server that fails does not fail the
    /// call.
    pub(crate) fn meanings_by_server(&self, places: &[Location], symbol: &KnownSymbol<'_>) -> Result<ServerMeanings> {
        let mut found = ServerMeanings::default();
        if self.servers.is_none() || places.is_empty() {
            return Ok(found);
        }
        let (servers, uncertain) = self.server_files(places, symbol.name)?;
        let stage = self.work.stage("asking language servers", servers.len());
        for (server, files) in servers.values() {
            stage.step()?;
            let mut all: Vec<(&Location, ServerQuestion<'_>)> = Vec::new();
            for FileOccurrences { source, places } in files {
                let question = |offset| ServerQuestion { files: &self.files, source, offset, work: &self.work };
                all.extend(places.iter().map(|(at, offset)| (at, question(*offset))));
            }
            let questions: Vec<ServerQuestion<'_>> = all.iter().map(|(_, question)| *question).collect();
            let answers = match server.definitions(&questions) {
                Ok(answers) => answers,
                Err(error) if error.kind() == Kind::Cancelled => return Err(error),
                Err(error) if error.kind() == Kind::Unsupported => continue,
                Err(error) => {
                    self.work.add_note(format!("the language server was not used: {error}"));
                    continue;
                }
            };
            if let Some(why) = answers.incomplete {
                let missing = answers.answer.iter().filter(|answer| answer.is_none()).count();
                let count = pluralized(missing, "occurrence");
                self.work.add_note(format!("the language server `{}` did not resolve {count}: {why}", server.id()));
            }
            for ((location, question), definitions) in all.into_iter().zip(answers.answer) {
                let meaning = definitions.and_then(|definitions| symbol.meaning(&definitions, &uncertain));
                if let Some(meaning) = meaning {
                    found.engines.insert(engine_name(server.id()));
                    found.places.insert(location.clone(), (question.offset, meaning));
                }
            }
        }
        Ok(found)
    }

    /// Groups occurrences by server and file. Also returns the known offsets of all occurrences by file.
    fn server_files(
        &self,
        places: &[Location],
        name: &str,
    ) -> Result<(BTreeMap<String, ServerFiles>, UncertainOffsets)> {
        let mut by_file: BTreeMap<&str, Vec<&Location>> = BTreeMap::new();
        for place in places {
            by_file.entry(&place.path).or_default().push(place);
        }
        let asked: BTreeSet<&Location> = places.iter().take(MAX_OCCURRENCES).collect();
        let mut uncertain = UncertainOffsets::default();
        let mut servers: BTreeMap<String, ServerFiles> = BTreeMap::new();
        for (path, places) in by_file {
            self.work.check()?;
            uncertain.0.insert(path.to_owned(), None);
            // Servers without approval are not used. Only a call that requests a server reports that the server is not
            // approved.
            let Ok(Some(server)) = self.optional_server(path) else { continue };
            let Ok(source) = self.files.read(path) else { continue };
            let lines = Lines::new(&source.text);
            let offset = |at: &Location| lines.offset(Position { line: at.line, column: at.column });
            let all: Vec<(&Location, usize)> = places.into_iter().filter_map(|at| Some((at, offset(at)?))).collect();
            uncertain.0.insert(path.to_owned(), Some(all.iter().map(|(_, offset)| *offset).collect()));
            let is_asked =
                |(at, offset): &(&Location, usize)| asked.contains(at) && is_whole_word(&source.text, *offset, name);
            let places: Vec<(Location, usize)> =
                all.into_iter().filter(is_asked).map(|(at, offset)| (at.clone(), offset)).collect();
            if !places.is_empty() {
                let (_, files) = servers.entry(server.id().to_owned()).or_insert_with(|| (server, Vec::new()));
                files.push(FileOccurrences { source, places });
            }
        }
        Ok((servers, uncertain))
    }
}

/// Offsets of uncertain occurrences by file; `None` if they are not known for a file with such occurrences.
#[derive(Debug, Default)]
struct UncertainOffsets(BTreeMap<String, Option<BTreeSet<usize>>>);

impl UncertainOffsets {
    fn touches(&self, path: &str, span: Span) -> bool {
        match self.0.get(path) {
            Some(Some(offsets)) => offsets.range(span.start..=span.end).next().is_some(),
            Some(None) => true,
            None => false,
        }
    }
}

/// The result of comparing a definition with the symbol.
enum Declares {
    Symbol,
    Other,
    Unknown,
}

impl KnownSymbol<'_> {
    /// Returns the meaning of an occurrence with these definitions. Definitions with other names belong to signatures
    /// and aliases. They are ignored if there is also a definition with the symbol's name. Without such a definition,
    /// the meaning is unknown.
    fn meaning(&self, definitions: &ServerDefinitions, uncertain: &UncertainOffsets) -> Option<Meaning> {
        let (mut declared, mut others, mut unnamed) = (None, definitions.outside, 0);
        for definition in &definitions.inside {
            if definition.name != self.name {
                unnamed += 1;
                continue;
            }
            match self.compare(definition, uncertain) {
                Declares::Symbol => {
                    declared = Some(NamePlace { path: definition.path.clone(), offset: definition.span.start });
                }
                Declares::Other => others += 1,
                Declares::Unknown => return None,
            }
        }
        match declared {
            Some(declared) if others == 0 => Some(Meaning::Same(declared)),
            None if others > 0 && unnamed == 0 => Some(Meaning::Other),
            _ => None,
        }
    }

    /// Compares a definition with the symbol. The result is unknown if the declaration is itself uncertain. It is also
    /// unknown if the file is not indexed, such as build output, because the declaration may be a copy of the symbol.
    fn compare(&self, definition: &ServerDefinition, uncertain: &UncertainOffsets) -> Declares {
        let ServerDefinition { path, span, .. } = definition;
        if uncertain.touches(path, *span) || (self.is_unread)(path) {
            return Declares::Unknown;
        }
        if (self.is_symbol)(path, *span) {
            return Declares::Symbol;
        }
        let is_analyzed = self.workspace.file(path).is_some_and(|entry| !entry.is_partly_read && !is_generated(path));
        if is_analyzed || is_installed(path) { Declares::Other } else { Declares::Unknown }
    }
}
