//! Structural search: what a pattern with metavariables contains, and its matches.

use crate::Span;

/// A match of a structural pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructureMatch {
    /// The matched code.
    pub span: Span,
    /// The metavariables and what they matched, in the order of the pattern.
    pub captures: Vec<(String, Span)>,
    /// Parts of the match that the pattern does not mention.
    pub unmatched: Vec<Span>,
}

/// The matches of a pattern in one document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StructureMatches {
    /// The matches by start offset, outer ones before inner ones; at most as many as requested.
    pub matches: Vec<StructureMatch>,
    /// The total number of matches.
    pub total: usize,
}

/// Properties of a pattern that do not depend on a document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatternInfo {
    /// Words that every text with a match contains.
    pub required_words: Vec<String>,
    /// The names of the metavariables.
    pub captures: Vec<String>,
}
