//! Structural search: the functions that a pack implements.

use crate::{Context, LanguagePack, PatternInfo, Result, StructureMatches};

/// A pack with structural search. The WIT interface `search` describes patterns. Without it, files are searched by
/// text and by targets only.
///
/// # Examples
///
/// ```
/// # marquetry_sdk::__example_pack!(Notes);
/// use marquetry_sdk::{
///     Context, FailureKind, LanguagePack, PatternInfo, Result, Search, Span, StructureMatch, StructureMatches, fail,
/// };
///
/// /// A pattern is a word without metavariables.
/// impl Search for Notes {
///     fn read_pattern(_context: &Context, pattern: &str) -> Result<PatternInfo> {
///         if pattern.is_empty() {
///             return Err(fail(FailureKind::ParseError, "the pattern is empty").hint("write a word"));
///         }
///         Ok(PatternInfo { words: vec![pattern.to_owned()], captures: Vec::new() })
///     }
///
///     fn matches(page: &Page, pattern: &str, limit: u32) -> Result<StructureMatches> {
///         Notes::read_pattern(&Context::for_path(""), pattern)?;
///         let spans = page.text.match_indices(pattern).map(|(at, word)| Span::new(at, at + word.len()));
///         let found = spans.map(|span| StructureMatch { span, captures: Vec::new(), unmatched: Vec::new() });
///         let mut matches: Vec<StructureMatch> = found.collect();
///         let total = matches.len() as u32;
///         matches.truncate(limit as usize);
///         Ok(StructureMatches { matches, total })
///     }
/// }
///
/// let page = Notes::open("a.note", "a=on\nb=on\n".to_owned(), "{}");
/// let found = Notes::matches(&page, "on", 1)?;
/// assert_eq!((found.matches[0].span, found.total), (Span::new(2, 4), 2));
/// # Ok::<(), marquetry_sdk::Failure>(())
/// ```
pub trait Search: LanguagePack {
    /// Parses a pattern for files with this path.
    ///
    /// # Errors
    ///
    /// Fails with `ParseError`, the position of the error in the pattern and a correction, and with `LimitExceeded`
    /// if the pattern is too large.
    fn read_pattern(context: &Context, pattern: &str) -> Result<PatternInfo>;
    /// The matches of a pattern, ordered by start, outer matches before inner ones. At most `limit` are returned, but
    /// all are counted.
    ///
    /// # Errors
    ///
    /// Fails like [`read_pattern`](Search::read_pattern).
    fn matches(document: &Self::Document, pattern: &str, limit: u32) -> Result<StructureMatches>;
}
