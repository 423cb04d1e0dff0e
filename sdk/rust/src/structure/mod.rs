//! Text with holes, for packs of formats: what a pattern says, and the places of a document that look like it.
//!
//! A pack writes its documents and its patterns as the same kind of tree ([`Tree`]): nodes with a kind, and in each node
//! words, other nodes, and extras that a pattern need not name. What is layout in the format does not get into the tree.
//! One comparison ([`find`]) then serves them all.

mod holes;
mod matcher;
mod spelling;
#[cfg(test)]
mod tests;
mod tree;

pub use holes::{Chunk, Hole, Holes, chunks};
pub use matcher::find;
pub use tree::{Builder, Item, Letters, Node, Token, Tree};

use std::{cell::RefCell, collections::BTreeSet, rc::Rc};

use crate::{Failure, FailureKind, PatternHelp, Result, Span, StructureMatch, StructureMatches, fail};

/// Names of holes in one pattern, and nodes: larger ones are texts, not patterns.
const MOST_HOLES: usize = 64;
const MOST_NODES: usize = 10_000;
/// Words that a text is looked at for before it is read.
const MOST_WORDS: usize = 16;

/// A pattern, in each way it can be read.
#[derive(Debug, Clone)]
pub struct Pattern {
    readings: Vec<Reading>,
    names: Vec<String>,
    words: Vec<String>,
}

/// One way to read a pattern.
#[derive(Debug, Clone)]
pub struct Reading {
    tree: Tree<Box<str>>,
    /// The node that is looked for, or several that follow each other.
    roots: Vec<u32>,
    /// For each word of the tree what it is made of, if holes are in it.
    chunks: Vec<Option<Vec<Chunk>>>,
    /// Whether what ends a statement belongs to it.
    with_end: bool,
    /// Names that come more than once: what they stand for is compared.
    repeated: BTreeSet<usize>,
}

impl Reading {
    /// These nodes of a tree: one, or several that follow each other. With what ends the last one, or without.
    pub fn new(tree: &Tree<&str>, roots: Vec<u32>, with_end: bool) -> Reading {
        let word = |item: &Item<&str>| match item {
            Item::Token(token) => Some(chunks(token.text)).filter(|chunks| chunks.iter().any(Chunk::is_hole)),
            _ => None,
        };
        let chunks: Vec<Option<Vec<Chunk>>> = tree.items.iter().map(word).collect();
        let repeated = repeated(tree, &chunks);
        Reading { chunks, tree: tree.owned(), roots, with_end, repeated }
    }

    /// Whether anything in it is not a hole.
    pub fn says_something(&self) -> bool {
        self.roots.iter().any(|root| says(self, *root))
    }

    fn is_hole(&self, root: u32) -> bool {
        self.tree.node(root).hole.is_some()
    }
}

impl Pattern {
    /// What these readings have in common; the names are those of [`Holes`].
    ///
    /// # Errors
    ///
    /// `ParseError` where there is nothing but holes, `LimitExceeded` where the pattern is too large.
    pub fn new(readings: Vec<Reading>, holes: Holes) -> Result<Pattern> {
        let names = holes.into_names();
        if names.len() > MOST_HOLES {
            return Err(fail(FailureKind::LimitExceeded, format!("a pattern has at most {MOST_HOLES} names of holes")));
        }
        if readings.iter().any(|reading| reading.tree.nodes.len() > MOST_NODES) {
            return Err(fail(FailureKind::LimitExceeded, format!("a pattern has at most {MOST_NODES} nodes")));
        }
        if readings.iter().any(|reading| reading.roots.iter().all(|root| reading.is_hole(*root))) {
            return Err(fail(
                FailureKind::ParseError,
                "the pattern is a hole and nothing else: it would find everything",
            )
            .hint("write some code around it"));
        }
        let words = common_words(&readings);
        Ok(Pattern { readings, names, words })
    }

    /// What the host is told of it.
    pub fn help(&self) -> PatternHelp {
        PatternHelp { words: self.words.clone(), captures: self.names.clone() }
    }

    /// The answer to `search.matches`: all are counted, the first of them shown.
    ///
    /// # Errors
    ///
    /// `LimitExceeded` where there are too many ways in which the pattern may fit.
    pub fn matches(&self, code: &Tree<&str>, limit: u32) -> Result<StructureMatches> {
        let mut matches: Vec<StructureMatch> = find(self, code)?;
        let total = u32::try_from(matches.len()).unwrap_or(u32::MAX);
        matches.truncate(limit as usize);
        Ok(StructureMatches { matches, total })
    }
}

/// Names of holes that come more than once.
fn repeated(tree: &Tree<&str>, chunks: &[Option<Vec<Chunk>>]) -> BTreeSet<usize> {
    let in_words = chunks.iter().flatten().flatten().filter_map(|chunk| match chunk {
        Chunk::Hole(hole) => hole.name,
        Chunk::Text(_) => None,
    });
    let of_nodes = tree.nodes.iter().filter_map(|node| node.hole?.name);
    let mut seen = BTreeSet::new();
    in_words.chain(of_nodes).filter(|name| !seen.insert(*name)).collect()
}

/// Whether anything of a node is not a hole.
fn says(reading: &Reading, node: u32) -> bool {
    let (first, end) = reading.tree.node(node).items;
    reading.tree.node(node).hole.is_none()
        && (first..end).any(|item| match &reading.tree.items[item as usize] {
            Item::Token(token) => {
                let is_sign = |chunk: &Chunk| matches!(chunk, Chunk::Text(text) if !text.trim().is_empty());
                !token.is_sign && chunks(&token.text).iter().any(is_sign)
            }
            Item::Extra(_) => true,
            Item::Child(child) => says(reading, *child),
        })
}

/// Words that every reading has: those that say most first.
fn common_words(readings: &[Reading]) -> Vec<String> {
    let mut common: Option<BTreeSet<String>> = None;
    for reading in readings {
        let mut found = BTreeSet::new();
        reading.roots.iter().for_each(|root| words_in(reading, *root, &mut found));
        common = Some(common.map_or_else(|| found.clone(), |known| known.intersection(&found).cloned().collect()));
    }
    let mut words: Vec<String> = common.unwrap_or_default().into_iter().filter(|word| word.len() > 1).collect();
    words.sort_by_key(|word| (std::cmp::Reverse(word.len()), word.clone()));
    words.truncate(MOST_WORDS);
    words
}

fn words_in(reading: &Reading, node: u32, found: &mut BTreeSet<String>) {
    let (first, end) = reading.tree.node(node).items;
    for item in first..end {
        match &reading.tree.items[item as usize] {
            Item::Child(child) => words_in(reading, *child, found),
            // What stands there may be in other letters.
            Item::Token(token) if token.letters == Letters::AnyCase => {}
            Item::Token(token) => take(&chunks(&token.text), found),
            Item::Extra(_) => {}
        }
    }
}

/// The words of a text with holes. One that a hole touches may be a part of a longer one.
fn take(chunks: &[Chunk], found: &mut BTreeSet<String>) {
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

/// A pattern that cannot be read: why, and what patterns of the format look like.
pub fn unreadable(why: &str, hint: &str, examples: &[&str]) -> Failure {
    fail(FailureKind::ParseError, format!("the pattern cannot be read: {why}"))
        .hint(hint)
        .candidates(examples.iter().map(|example| (*example).to_owned()))
}

/// A span as the trees have it.
fn span(start: u32, end: u32) -> Span {
    Span { start, end }
}

/// A pattern as it was read, with what it was read from.
type Known = (String, &'static str, Result<Rc<Pattern>>);

thread_local! {
    /// One call asks many documents for the same pattern.
    static LATEST: RefCell<Option<Known>> = const { RefCell::new(None) };
}

/// A pattern, read once for many documents of one dialect. Packs that run in one process have dialects of other names.
///
/// # Errors
///
/// Those of reading it.
pub fn once(pattern: &str, dialect: &'static str, read: impl FnOnce() -> Result<Pattern>) -> Result<Rc<Pattern>> {
    LATEST.with_borrow_mut(|latest| match latest {
        Some((known, of, read)) if known == pattern && *of == dialect => read.clone(),
        _ => {
            let read = read().map(Rc::new);
            *latest = Some((pattern.to_owned(), dialect, read.clone()));
            read
        }
    })
}
