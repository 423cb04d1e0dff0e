//! Structural search for language packs: patterns, and their matches in a document.
//!
//! A pack converts its documents and its patterns to the same kind of tree ([`Tree`]): nodes with a kind, each of
//! which contains tokens, other nodes, and extras that a pattern need not mention. Layout is left out of the tree.
//! One matcher ([`find`]) then works for all formats.

mod matcher;
mod metavariables;
#[cfg(test)]
mod tests;
mod tokens;
mod tree;

pub use matcher::find;
pub use metavariables::{Chunk, Metavariable, Metavariables, chunks};
pub use tree::{Builder, Item, Letters, Node, Token, Tree};

use std::{cell::RefCell, collections::BTreeSet, rc::Rc};

use crate::{Failure, FailureKind, PatternInfo, Result, Span, StructureMatch, StructureMatches, fail};

/// Maximum number of named metavariables and of nodes in a pattern.
const MAX_METAVARIABLES: usize = 64;
const MAX_NODES: usize = 10_000;
/// Maximum number of words that a text is searched for before it is parsed.
const MAX_WORDS: usize = 16;

/// A pattern, with every way to parse it.
#[derive(Debug, Clone)]
pub struct Pattern {
    readings: Vec<Reading>,
    names: Vec<String>,
    words: Vec<String>,
}

/// One way to parse a pattern.
#[derive(Debug, Clone)]
pub struct Reading {
    tree: Tree<Box<str>>,
    /// The node to find, or several consecutive nodes.
    roots: Vec<u32>,
    /// For each item of the tree: the parts of a token that contains metavariables.
    chunks: Vec<Option<Vec<Chunk>>>,
    /// True if the end of a statement (`;`) is part of the match.
    with_end: bool,
    /// Metavariables that occur more than once: their matches are compared.
    repeated: BTreeSet<usize>,
}

impl Reading {
    /// Creates a reading from one node of a tree, or several consecutive ones, with or without the end of the last
    /// one.
    pub fn new(tree: &Tree<&str>, roots: Vec<u32>, with_end: bool) -> Reading {
        let word = |item: &Item<&str>| match item {
            Item::Token(token) => Some(chunks(token.text)).filter(|chunks| chunks.iter().any(Chunk::is_metavariable)),
            _ => None,
        };
        let chunks: Vec<Option<Vec<Chunk>>> = tree.items.iter().map(word).collect();
        let repeated = repeated_metavariables(tree, &chunks);
        Reading { chunks, tree: tree.owned(), roots, with_end, repeated }
    }

    /// Returns whether the pattern contains anything other than metavariables.
    pub fn has_content(&self) -> bool {
        self.roots.iter().any(|root| node_has_content(self, *root))
    }

    fn is_metavariable(&self, root: u32) -> bool {
        self.tree.node(root).metavariable.is_some()
    }
}

impl Pattern {
    /// Combines readings of a pattern; the names are those of [`Metavariables`].
    ///
    /// # Errors
    ///
    /// Fails with `ParseError` if the pattern consists of metavariables only, and with `LimitExceeded` if it is too
    /// large.
    pub fn new(readings: Vec<Reading>, metavariables: Metavariables) -> Result<Pattern> {
        let names = metavariables.into_names();
        if names.len() > MAX_METAVARIABLES {
            return Err(fail(
                FailureKind::LimitExceeded,
                format!("a pattern has at most {MAX_METAVARIABLES} metavariables"),
            ));
        }
        if readings.iter().any(|reading| reading.tree.nodes.len() > MAX_NODES) {
            return Err(fail(FailureKind::LimitExceeded, format!("a pattern has at most {MAX_NODES} nodes")));
        }
        if readings.iter().any(|reading| reading.roots.iter().all(|root| reading.is_metavariable(*root))) {
            return Err(fail(FailureKind::ParseError, "the pattern has only metavariables: it would match everything")
                .hint("write some code around it"));
        }
        let words = common_words(&readings);
        Ok(Pattern { readings, names, words })
    }

    /// Describes the pattern to the host.
    pub fn help(&self) -> PatternInfo {
        PatternInfo { words: self.words.clone(), captures: self.names.clone() }
    }

    /// Implements `search.matches`: counts all matches and returns the first `limit` of them.
    ///
    /// # Errors
    ///
    /// Fails with `LimitExceeded` if the search takes too many steps.
    pub fn matches(&self, code: &Tree<&str>, limit: u32) -> Result<StructureMatches> {
        let mut matches: Vec<StructureMatch> = find(self, code)?;
        let total = u32::try_from(matches.len()).unwrap_or(u32::MAX);
        matches.truncate(limit as usize);
        Ok(StructureMatches { matches, total })
    }
}

/// The metavariables that occur more than once.
fn repeated_metavariables(tree: &Tree<&str>, chunks: &[Option<Vec<Chunk>>]) -> BTreeSet<usize> {
    let in_words = chunks.iter().flatten().flatten().filter_map(|chunk| match chunk {
        Chunk::Metavariable(metavariable) => metavariable.name,
        Chunk::Text(_) => None,
    });
    let of_nodes = tree.nodes.iter().filter_map(|node| node.metavariable?.name);
    let mut seen = BTreeSet::new();
    in_words.chain(of_nodes).filter(|name| !seen.insert(*name)).collect()
}

/// Returns whether a node contains anything other than metavariables and signs.
fn node_has_content(reading: &Reading, node: u32) -> bool {
    let (first, end) = reading.tree.node(node).items;
    reading.tree.node(node).metavariable.is_none()
        && (first..end).any(|item| match &reading.tree.items[item as usize] {
            Item::Token(token) => {
                let is_sign = |chunk: &Chunk| matches!(chunk, Chunk::Text(text) if !text.trim().is_empty());
                !token.is_sign && chunks(&token.text).iter().any(is_sign)
            }
            Item::Extra(_) => true,
            Item::Child(child) => node_has_content(reading, *child),
        })
}

/// Words that every reading contains, longest first.
fn common_words(readings: &[Reading]) -> Vec<String> {
    let mut common: Option<BTreeSet<String>> = None;
    for reading in readings {
        let mut found = BTreeSet::new();
        reading.roots.iter().for_each(|root| words_in(reading, *root, &mut found));
        common = Some(common.map_or_else(|| found.clone(), |known| known.intersection(&found).cloned().collect()));
    }
    let mut words: Vec<String> = common.unwrap_or_default().into_iter().filter(|word| word.len() > 1).collect();
    words.sort_by_key(|word| (std::cmp::Reverse(word.len()), word.clone()));
    words.truncate(MAX_WORDS);
    words
}

fn words_in(reading: &Reading, node: u32, found: &mut BTreeSet<String>) {
    let (first, end) = reading.tree.node(node).items;
    for item in first..end {
        match &reading.tree.items[item as usize] {
            Item::Child(child) => words_in(reading, *child, found),
            // The document may have this text in another case.
            Item::Token(token) if token.letters == Letters::AnyCase => {}
            Item::Token(token) => collect_words(&chunks(&token.text), found),
            Item::Extra(_) => {}
        }
    }
}

/// The words of a text with metavariables. A word next to a metavariable may be part of a longer one and is left out.
fn collect_words(chunks: &[Chunk], found: &mut BTreeSet<String>) {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    for (index, chunk) in chunks.iter().enumerate() {
        let Chunk::Text(text) = chunk else { continue };
        let mut rest = text.as_str();
        if index > 0 {
            rest = rest.trim_start_matches(part);
        }
        if index + 1 < chunks.len() {
            rest = rest.trim_end_matches(part);
        }
        found.extend(rest.split(|c| !part(c)).filter(|word| !word.is_empty()).map(str::to_owned));
    }
}

/// The failure of a pattern that cannot be parsed: the reason, and examples of patterns of the format.
pub fn invalid_pattern(why: &str, hint: &str, examples: &[&str]) -> Failure {
    fail(FailureKind::ParseError, format!("the pattern cannot be read: {why}"))
        .hint(hint)
        .candidates(examples.iter().map(|example| (*example).to_owned()))
}

/// Creates a span from 32-bit offsets.
fn span(start: u32, end: u32) -> Span {
    Span { start, end }
}

/// A parsed pattern with its source text and dialect.
type CachedPattern = (String, &'static str, Result<Rc<Pattern>>);

thread_local! {
    /// The pattern parsed last. It is kept because one call searches many documents for the same pattern.
    static LATEST_PATTERN: RefCell<Option<CachedPattern>> = const { RefCell::new(None) };
}

/// Parses a pattern once for many documents of one dialect. Packs that run in one process must use different dialect
/// names.
///
/// # Errors
///
/// Fails if `read` fails.
pub fn parse_once(pattern: &str, dialect: &'static str, read: impl FnOnce() -> Result<Pattern>) -> Result<Rc<Pattern>> {
    LATEST_PATTERN.with_borrow_mut(|latest| match latest {
        Some((known, of, read)) if known == pattern && *of == dialect => read.clone(),
        _ => {
            let read = read().map(Rc::new);
            *latest = Some((pattern.to_owned(), dialect, read.clone()));
            read
        }
    })
}
