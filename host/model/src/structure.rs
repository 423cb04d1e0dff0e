//! Code by its structure: what a pattern with holes says, and the places that look like it.

use crate::Span;

/// A place that looks like a pattern of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructureMatch {
    /// Where.
    pub span: Span,
    /// What stands for the holes of the pattern, by name, in its order.
    pub captures: Vec<(String, Span)>,
    /// Parts of it that the pattern says nothing of.
    pub unsaid: Vec<Span>,
}

/// The places of one document that look like a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StructureMatches {
    /// By where they start, outer ones before those in them; at most as many as were asked for.
    pub matches: Vec<StructureMatch>,
    /// How many there are.
    pub total: usize,
}

/// What a pattern of code says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatternHelp {
    /// Words that every text with a match has.
    pub words: Vec<String>,
    /// The names of its holes.
    pub captures: Vec<String>,
}
