//! Converts names of files in texts, and their occurrences.

use marquetry_model::{
    Result,
    mentions::{Mention, TextName},
};

use super::{AnswerValidator, escaped_line, item_limits::ItemKind};
use crate::bindings::marquetry::language::types as wit;

/// Maximum number of names of a path.
const NAMES_PER_PATH: usize = 64;
/// Maximum bytes of a name.
const MAX_NAME_BYTES: usize = 1_000;

impl AnswerValidator<'_> {
    pub(crate) fn text_names(&self, raw: Vec<wit::TextName>, paths: usize) -> Result<Vec<TextName>> {
        self.convert_list(raw, ItemKind::Requested(paths.saturating_mul(NAMES_PER_PATH)), |raw| {
            if raw.name.is_empty() || raw.name.len() > MAX_NAME_BYTES {
                return Err(self.invalid_answer(format_args!("a name of {} bytes", raw.name.len())));
            }
            let (path, kind) = (self.relative_path(raw.path)?, escaped_line(raw.kind, 60));
            Ok(TextName { name: raw.name, path, kind })
        })
    }

    /// Converts the occurrences of these names in the text of this validator.
    pub(crate) fn mentions(&self, raw: Vec<wit::Mention>, names: &[TextName]) -> Result<Vec<Mention>> {
        self.convert_list(raw, ItemKind::Occurrences, |raw| {
            let span = self.span(raw.span, "mention")?;
            let name = names.get(raw.name as usize);
            if !name.is_some_and(|known| span.slice(self.text).contains(&known.name)) {
                return Err(self.invalid_answer(format_args!("a mention without the name {}", raw.name)));
            }
            let member = self.optional_span(raw.member, "member")?;
            if member.is_some_and(|member| !span.contains(member)) {
                return Err(self.invalid_answer("a member that is outside its mention"));
            }
            Ok(Mention { name: raw.name as usize, span, member })
        })
    }
}
