//! Converts answers about patterns: sorted spans in the text, with the names of metavariables of the pattern.

use marquetry_model::{
    Result, Span, limits,
    structural_search::{PatternInfo, StructureMatch, StructureMatches},
};

use super::{AnswerValidator, item_limits::ItemKind, truncate};
use crate::bindings::marquetry::language::types as wit;

/// Maximum bytes of the name of a metavariable.
const MAX_NAME_BYTES: usize = 100;

impl AnswerValidator<'_> {
    /// Converts information about a pattern. The text of this validator must be the pattern.
    pub(crate) fn pattern_info(&self, raw: wit::PatternInfo) -> Result<PatternInfo> {
        if raw.words.len() > limits::PATTERN_BYTES || raw.captures.len() > limits::CAPTURES {
            let (words, metavariables) = (raw.words.len(), raw.captures.len());
            return Err(
                self.invalid_answer(format_args!("{words} words and {metavariables} metavariables in one pattern"))
            );
        }
        // Only files that contain all words are searched, so a word that no match contains would hide all matches.
        if let Some(word) = raw.words.iter().find(|word| word.is_empty() || !self.text.contains(word.as_str())) {
            return Err(self.invalid_answer(format_args!(
                "the word `{}`, which is not in the pattern",
                truncate(word.clone(), 100)
            )));
        }
        self.check_names(raw.captures.iter())?;
        Ok(PatternInfo { required_words: raw.words, captures: raw.captures })
    }

    pub(crate) fn structure_matches(&self, raw: wit::StructureMatches, limit: usize) -> Result<StructureMatches> {
        let (count, total) = (raw.matches.len(), raw.total as usize);
        if count > limit || total < count || (total > count && count < limit) {
            return Err(
                self.invalid_answer(format_args!("{count} matches of {total} where at most {limit} were requested"))
            );
        }
        let matches = self.convert_list(raw.matches, ItemKind::Matches(limit), |found| self.structure_match(found))?;
        let before = |span: Span| (span.start, std::cmp::Reverse(span.end));
        if matches.windows(2).any(|pair| before(pair[0].span) > before(pair[1].span)) {
            return Err(self.invalid_answer("matches that are not sorted"));
        }
        Ok(StructureMatches { matches, total })
    }

    fn structure_match(&self, raw: wit::StructureMatch) -> Result<StructureMatch> {
        let span = self.span(raw.span, "match")?;
        if raw.captures.len() > limits::CAPTURES {
            return Err(self.invalid_answer(format_args!("a match with {} captures", raw.captures.len())));
        }
        self.check_count(raw.unmatched.len(), ItemKind::Places)?;
        self.check_names(raw.captures.iter().map(|capture| &capture.name))?;
        let inside = |part: wit::Span, what: &str| {
            let part = self.span(part, what)?;
            if span.contains(part) {
                Ok(part)
            } else {
                Err(self.invalid_answer(format_args!("a {what} that is outside its match")))
            }
        };
        let capture = |raw: wit::Capture| Ok((raw.name, inside(raw.span, "capture")?));
        Ok(StructureMatch {
            span,
            captures: raw.captures.into_iter().map(capture).collect::<Result<_>>()?,
            unmatched: raw.unmatched.into_iter().map(|part| inside(part, "part")).collect::<Result<_>>()?,
        })
    }

    fn check_names<'a>(&self, mut names: impl Iterator<Item = &'a String>) -> Result<()> {
        let is_name = |name: &str| {
            let rest = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
            !name.is_empty() && name.len() <= MAX_NAME_BYTES && name.bytes().all(rest)
        };
        match names.find(|name| !is_name(name)) {
            Some(name) => Err(self.invalid_answer(format_args!("a metavariable `{}`", truncate(name.clone(), 100)))),
            None => Ok(()),
        }
    }
}
