//! Definitions of the symbols at many positions, for calls that did not request the server. They share one time limit,
//! and positions that the server does not answer in time have no answer.

use std::{
    collections::HashMap,
    sync::PoisonError,
    time::{Duration, Instant},
};

use marquetry_model::{
    Kind, Result, Span,
    servers::{ServerAnswer, ServerDefinition, ServerDefinitions, ServerQuestion},
    text::Lines,
};
use serde_json::Value;

use super::{Answered, ManagedServer, Running, position};
use crate::{
    connection::WaitResult,
    limits,
    validate::{OutsideCount, Target, TargetFile, Validator},
};

/// The request for one position.
const METHOD: &str = "textDocument/definition";

impl ManagedServer {
    /// Returns the definitions for each position.
    pub(super) fn definitions_of(
        &self,
        places: &[ServerQuestion<'_>],
    ) -> Result<ServerAnswer<Vec<Option<ServerDefinitions>>>> {
        let Some(first) = places.first() else {
            return Ok(ServerAnswer { answer: Vec::new(), incomplete: None });
        };
        let ask = |running: &Running| {
            running.require(&self.spec.id, "definitionProvider", "definitions")?;
            running.definitions(places, self.spec.time)
        };
        self.request_validated(*first, ask, |validator, answers| {
            let mut read = TargetFiles { validator, known: HashMap::new() };
            let definitions = answers.into_iter().map(|answer| answer.map(|value| read.definitions(value)).transpose());
            Ok((definitions.collect::<Result<_>>()?, OutsideCount::default()))
        })
    }
}

impl Running {
    /// Sends the requests, one after the other, until the time for all of them is over. Answers that the server gave while
    /// it loaded the project are discarded.
    fn definitions(&self, places: &[ServerQuestion<'_>], time: Duration) -> Result<Answered<Vec<Option<Value>>>> {
        let until = Instant::now() + limits::DEFINITIONS_TIME.min(time);
        let mut answers: Vec<Option<Value>> = Vec::with_capacity(places.len());
        let mut partial = None;
        'all: for of_file in places.chunk_by(|a, b| a.source.path == b.source.path) {
            self.sync_document(of_file[0])?;
            for place in of_file {
                match self.definition(*place, until, time)? {
                    Definition::Answered(answer) => answers.push(answer),
                    Definition::Late(why) => {
                        partial = Some(why);
                        break 'all;
                    }
                }
            }
        }
        answers.resize(places.len(), None);
        Ok(Answered { value: answers, partial })
    }

    /// Requests the definition at one position, once the server has loaded the project.
    fn definition(&self, place: ServerQuestion<'_>, until: Instant, time: Duration) -> Result<Definition> {
        let left = || until.saturating_duration_since(Instant::now());
        for _ in 0..limits::REPEATS {
            if !self.connection.wait_for_progress_end(left(), place.work)? {
                return Ok(Definition::Late("the server is still loading the project".to_owned()));
            }
            let begun = self.connection.progress_count();
            let sent = Instant::now();
            let answer = match self.connection.try_request(METHOD, position(place), left(), place.work) {
                Ok(WaitResult::Ready(answer)) => Some(answer),
                Ok(WaitResult::TimedOut) => return self.record_silence(sent.elapsed(), time),
                // The server cannot answer for this position, for example because the file belongs to no project.
                Err(error) if error.kind() == Kind::Unsupported => None,
                Err(error) => return Err(self.with_stderr_hint(error)),
            };
            *self.silent.lock().unwrap_or_else(PoisonError::into_inner) = Duration::ZERO;
            if self.connection.progress_count() == begun {
                return Ok(Definition::Answered(answer));
            }
        }
        Ok(Definition::Late("the server did not finish its work in time".to_owned()))
    }

    /// Records the time that a call waited without an answer. If this time, summed over calls, exceeds the time limit
    /// for one answer, the server is treated as failed.
    fn record_silence(&self, waited: Duration, time: Duration) -> Result<Definition> {
        let mut silent = self.silent.lock().unwrap_or_else(PoisonError::into_inner);
        *silent += waited;
        if *silent >= time {
            return Err(self.with_stderr_hint(self.connection.fail_silent(METHOD, *silent)));
        }
        Ok(Definition::Late("the server did not answer in time".to_owned()))
    }
}

/// The outcome of one request.
enum Definition {
    /// The answer; `None` if the server refused the request.
    Answered(Option<Value>),
    /// The reason why the answer is missing. The server is not asked about the other positions.
    Late(String),
}

/// The files of definitions, each read once.
struct TargetFiles<'a> {
    validator: &'a Validator<'a>,
    /// Files by URI.
    known: HashMap<String, TargetFile>,
}

impl TargetFiles<'_> {
    /// Converts the answer for one position.
    fn definitions(&mut self, answer: Value) -> Result<ServerDefinitions> {
        let mut found = ServerDefinitions::default();
        for Target { uri, range } in self.validator.targets(answer)? {
            if !self.known.contains_key(&uri) {
                let file = self.validator.target_file(&uri)?;
                self.known.insert(uri.clone(), file);
            }
            let (path, span, name) = match &self.known[&uri] {
                TargetFile::Outside => {
                    found.outside += 1;
                    continue;
                }
                // Only the file of the definition is known, because its text cannot be read.
                TargetFile::Unread(path) => (path, Span::new(0, 0), ""),
                TargetFile::Read(source) => {
                    let span = self.validator.span(&Lines::new(&source.text), &source.text, range)?;
                    let name = if span.len() <= limits::NAME_BYTES { span.slice(&source.text) } else { "" };
                    (&source.path, span, name)
                }
            };
            found.inside.push(ServerDefinition { path: path.clone(), span, name: name.to_owned() });
        }
        Ok(found)
    }
}
