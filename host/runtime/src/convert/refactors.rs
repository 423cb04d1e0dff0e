//! Converts answers about refactors.

use marquetry_model::{
    Result, limits,
    refactor::{ArgumentHelp, Audience, Offer, Question, Refactor, RefactorPlace, Rewrite},
};

use super::{Checked, bounds::Of, clip, line};
use crate::bindings::marquetry::language::types as wit;

/// Maximum number of refactors of a pack.
const MOST_REFACTORS: usize = 200;
/// Maximum bytes of the arguments and texts of a refactor.
const MOST_HELP: usize = 500;

impl Checked<'_> {
    pub(crate) fn refactors(&self, said: Vec<wit::Refactor>) -> Result<Vec<Refactor>> {
        if said.len() > MOST_REFACTORS {
            return Err(self.broken(format_args!("{} refactors; at most {MOST_REFACTORS} are allowed", said.len())));
        }
        said.into_iter().map(|refactor| self.refactor(refactor)).collect()
    }

    fn refactor(&self, said: wit::Refactor) -> Result<Refactor> {
        let is_name = |name: &str| {
            !name.is_empty() && name.len() <= 60 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        };
        if !is_name(&said.id) || said.arguments.iter().any(|argument| !is_name(&argument.name)) {
            let id = clip(said.id, 60);
            return Err(self.broken(format_args!("a refactor `{id}`; names have letters, digits and underscores")));
        }
        let argument = |said: wit::ArgumentHelp| ArgumentHelp {
            name: said.name,
            summary: line(said.summary, MOST_HELP),
            values: said.values.into_iter().take(50).map(|value| line(value, 60)).collect(),
            required: said.required,
        };
        Ok(Refactor {
            id: said.id,
            title: line(said.title, MOST_HELP),
            place: match said.place {
                wit::RefactorPlace::Document => RefactorPlace::Document,
                wit::RefactorPlace::Name => RefactorPlace::Name,
                wit::RefactorPlace::Selection => RefactorPlace::Selection,
            },
            arguments: said.arguments.into_iter().take(50).map(argument).collect(),
            asks_exporters: said.asks_exporters,
        })
    }

    pub(crate) fn offers(&self, said: Vec<wit::Offer>) -> Result<Vec<Offer>> {
        self.each(said, Of::Offers, |said| {
            Ok(Offer { id: line(said.id, 60), unavailable: said.unavailable.map(|failure| self.failure(failure)) })
        })
    }

    pub(crate) fn rewrite(&self, said: wit::Rewrite) -> Result<Rewrite> {
        self.count(said.ask.len() + said.create.len(), Of::Steps)?;
        let names = |audience: &wit::Audience| match audience {
            wit::Audience::Importers(names) => names.iter().map(String::len).sum(),
            wit::Audience::File(path) => path.len(),
        };
        let asked = said.ask.iter().map(|question| names(&question.audience) + question.payload.len());
        let made = said.create.iter().map(|file| file.path.len() + file.text.len());
        self.sized(asked.chain(made).sum(), "questions and new files")?;
        let edits = self.edits(said.edits)?;
        let name_at = said.name_at.map(|at| at as usize);
        if name_at.is_some_and(|at| at > self.text.len().saturating_add(limits::MOST_TEXT)) {
            return Err(self.broken("a name beyond the document"));
        }
        Ok(Rewrite {
            edits,
            ask: self.each(said.ask, Of::Steps, |question| self.question(question))?,
            create: self.each(said.create, Of::Steps, |file| Ok((self.new_path(file.path)?, file.text)))?,
            unresolved: self.each(said.unresolved, Of::Occurrences, |span| self.span(span, "place"))?,
            incomplete: said.incomplete.map(|why| line(why, 4_000)),
            name_at,
        })
    }

    fn question(&self, said: wit::Question) -> Result<Question> {
        let audience = match said.audience {
            wit::Audience::Importers(names) => Audience::Importers(names),
            wit::Audience::File(path) => Audience::File(self.path(path)?),
        };
        Ok(Question { audience, payload: said.payload })
    }
}
