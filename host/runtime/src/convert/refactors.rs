//! Converts answers about refactors.

use marquetry_model::{
    Result, limits,
    refactor::{ArgumentHelp, Audience, Question, Refactor, RefactorLocation, RefactorOffer, Rewrite},
};

use super::{AnswerValidator, escaped_line, item_limits::ItemKind, truncate};
use crate::bindings::marquetry::language::types as wit;

/// Maximum number of refactors of a pack.
const MOST_REFACTORS: usize = 200;
/// Maximum bytes of the arguments and texts of a refactor.
const MAX_HELP_BYTES: usize = 500;

impl AnswerValidator<'_> {
    pub(crate) fn refactors(&self, raw: Vec<wit::Refactor>) -> Result<Vec<Refactor>> {
        if raw.len() > MOST_REFACTORS {
            return Err(
                self.invalid_answer(format_args!("{} refactors; at most {MOST_REFACTORS} are allowed", raw.len()))
            );
        }
        raw.into_iter().map(|refactor| self.refactor(refactor)).collect()
    }

    fn refactor(&self, raw: wit::Refactor) -> Result<Refactor> {
        let is_name = |name: &str| {
            !name.is_empty() && name.len() <= 60 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        };
        if !is_name(&raw.id) || raw.arguments.iter().any(|argument| !is_name(&argument.name)) {
            let id = truncate(raw.id, 60);
            return Err(
                self.invalid_answer(format_args!("a refactor `{id}`; names have letters, digits and underscores"))
            );
        }
        let argument = |raw: wit::ArgumentHelp| ArgumentHelp {
            name: raw.name,
            summary: escaped_line(raw.summary, MAX_HELP_BYTES),
            values: raw.values.into_iter().take(50).map(|value| escaped_line(value, 60)).collect(),
            required: raw.required,
        };
        Ok(Refactor {
            id: raw.id,
            title: escaped_line(raw.title, MAX_HELP_BYTES),
            location: match raw.place {
                wit::RefactorPlace::Document => RefactorLocation::Document,
                wit::RefactorPlace::Name => RefactorLocation::Name,
                wit::RefactorPlace::Selection => RefactorLocation::Selection,
            },
            arguments: raw.arguments.into_iter().take(50).map(argument).collect(),
            needs_exporters: raw.asks_exporters,
        })
    }

    pub(crate) fn offers(&self, raw: Vec<wit::Offer>) -> Result<Vec<RefactorOffer>> {
        self.convert_list(raw, ItemKind::Offers, |raw| {
            Ok(RefactorOffer {
                id: escaped_line(raw.id, 60),
                unavailable: raw.unavailable.map(|failure| self.failure(failure)),
            })
        })
    }

    pub(crate) fn rewrite(&self, raw: wit::Rewrite) -> Result<Rewrite> {
        self.check_count(raw.ask.len() + raw.create.len(), ItemKind::Steps)?;
        let names = |audience: &wit::Audience| match audience {
            wit::Audience::Importers(names) | wit::Audience::Containing(names) => names.iter().map(String::len).sum(),
            wit::Audience::File(path) => path.len(),
        };
        let asked = raw.ask.iter().map(|question| names(&question.audience) + question.payload.len());
        let made = raw.create.iter().map(|file| file.path.len() + file.text.len());
        self.check_text_size(asked.chain(made).sum(), "questions and new files")?;
        let edits = self.edits(raw.edits)?;
        let name_at = raw.name_at.map(|at| at as usize);
        if name_at.is_some_and(|at| at > self.text.len().saturating_add(limits::MAX_ANSWER_TEXT)) {
            return Err(self.invalid_answer("a name beyond the document"));
        }
        Ok(Rewrite {
            edits,
            questions: self.convert_list(raw.ask, ItemKind::Steps, |question| self.question(question))?,
            new_files: self
                .convert_list(raw.create, ItemKind::Steps, |file| Ok((self.new_path(file.path)?, file.text)))?,
            unresolved: self.convert_list(raw.unresolved, ItemKind::Occurrences, |span| self.span(span, "place"))?,
            incomplete: raw.incomplete.map(|why| escaped_line(why, 4_000)),
            name_at,
        })
    }

    fn question(&self, raw: wit::Question) -> Result<Question> {
        let audience = match raw.audience {
            wit::Audience::Importers(names) => Audience::Importers(names),
            wit::Audience::File(path) => Audience::File(self.relative_path(path)?),
            wit::Audience::Containing(texts) => Audience::Containing(texts),
        };
        Ok(Question { audience, payload: raw.payload })
    }
}
