//! Parser for patterns: statements, expressions, members, types and so on, with metavariables.

use std::collections::BTreeSet;

use marquetry_sdk::{Failure, FailureKind, Result, Span, fail};
use oxc_allocator::Allocator;
use oxc_ast::AstType;
use oxc_diagnostics::OxcDiagnostic;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;

use super::tokens::{Item, items};
use super::tree::{FlatTree, is_atom};
use crate::syntax::depth;

/// A pattern, with each way in which it can be parsed.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) readings: Vec<Reading>,
    /// Names of the metavariables.
    pub(crate) names: Vec<String>,
    /// Words that occur in every text with a match.
    pub(crate) words: Vec<String>,
}

/// One way to parse a pattern.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) tree: FlatTree<String>,
    /// The node to search for, or several consecutive nodes.
    pub(crate) roots: Vec<usize>,
    /// The metavariable of each node; `None` for a node that is not a metavariable.
    metavariables: Vec<Option<Metavariable>>,
}

/// A metavariable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Metavariable {
    /// Index of the name; `None` for an anonymous metavariable.
    pub(crate) name: Option<usize>,
    /// True if the metavariable matches any number of nodes in a list.
    pub(crate) is_list: bool,
    /// True if the metavariable is in quotes, so that it matches the contents of a string.
    pub(crate) is_quoted: bool,
}

impl Reading {
    pub(crate) fn metavariable(&self, index: usize) -> Option<Metavariable> {
        self.metavariables[index]
    }
}

/// Code around a pattern in which it can be parsed.
struct PatternContext {
    before: &'static str,
    after: &'static str,
    /// Several statements are allowed.
    allows_several: bool,
}

const fn single_context(before: &'static str, after: &'static str) -> PatternContext {
    PatternContext { before, after, allows_several: false }
}

const BARE: PatternContext = PatternContext { before: "", after: "", allows_several: true };
const EXPRESSION: PatternContext = single_context("(", ")");
const CLASS: PatternContext = single_context("class C { ", "\n}");
const OBJECT: PatternContext = single_context("({ ", "\n})");
const TYPE: PatternContext = single_context("type T = (", "\n)");
const INTERFACE: PatternContext = single_context("interface I { ", "\n}");
const ATTRIBUTE: PatternContext = single_context("<a ", "\n/>");
const CASE: PatternContext = single_context("switch (x) { ", "\n}");
const CATCH: PatternContext = single_context("try {} ", "");
const DECORATOR: PatternContext = single_context("", "\nclass C {}");
const GENERATOR: PatternContext =
    PatternContext { before: "async function* f() { ", after: "\n}", allows_several: true };
const OTHER_CONTEXTS: [PatternContext; 9] =
    [EXPRESSION, CLASS, OBJECT, TYPE, INTERFACE, ATTRIBUTE, CASE, CATCH, GENERATOR];

/// Maximum number of named metavariables and of nodes in one pattern.
const MOST_METAVARIABLES: usize = 64;
const MOST_NODES: usize = 10_000;
/// Maximum number of words that are searched for in a text before it is parsed.
const MOST_WORDS: usize = 16;
/// Example patterns for the error about an invalid pattern.
const EXAMPLES: [&str; 4] =
    ["foo($A, $$$REST)", "const $NAME = $VALUE", "async $METHOD($$$ARGS) { $$$BODY }", "<$TAG $$$PROPS />"];

/// Parses a pattern for files with or without JSX.
pub(crate) fn parse_pattern(pattern: &str, jsx: bool) -> Result<Pattern> {
    let (readings, names) = parse_readings(pattern, jsx)?;
    let mut read = Pattern { readings, names, words: Vec::new() };
    if read.names.len() > MOST_METAVARIABLES {
        return Err(fail(
            FailureKind::LimitExceeded,
            format!("the pattern has more than {MOST_METAVARIABLES} metavariables"),
        ));
    }
    if read.readings.iter().any(|reading| reading.tree.nodes.len() > MOST_NODES) {
        return Err(fail(FailureKind::LimitExceeded, format!("the pattern has more than {MOST_NODES} nodes")));
    }
    if read.readings.iter().any(|reading| reading.roots.iter().all(|root| reading.metavariable(*root).is_some())) {
        return Err(fail(FailureKind::ParseError, "the pattern is only a metavariable, which matches everything")
            .hint("add code around it")
            .with_examples(EXAMPLES));
    }
    read.words = read.readings.first().map(words).unwrap_or_default();
    Ok(read)
}

fn parse_readings(pattern: &str, jsx: bool) -> Result<(Vec<Reading>, Vec<String>)> {
    if pattern.trim().is_empty() {
        return Err(fail(FailureKind::ParseError, "the pattern is empty").with_examples(EXAMPLES));
    }
    if depth::too_deep(pattern, jsx).is_some() {
        return Err(fail(FailureKind::LimitExceeded, "the pattern is nested too deeply"));
    }
    let mut names = Vec::new();
    let mut at = |place: &PatternContext| parse_in_context(pattern, jsx, place, &mut names);
    // Outside of generators, `yield` is a name.
    let yields = pattern.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "yield");
    let inside = if yields { at(&GENERATOR).ok() } else { None };
    let first = match inside.map_or_else(|| at(&BARE), Ok) {
        Ok(reading) => reading,
        Err(wrong) => {
            let mut found: Vec<Reading> = OTHER_CONTEXTS.iter().filter_map(|place| at(place).ok()).collect();
            // The pattern may be a decorator: also try to parse it before a class.
            if pattern.trim_start().starts_with('@') {
                found.extend(at(&DECORATOR).ok());
            }
            return if found.is_empty() { Err(invalid_pattern(pattern, wrong.as_ref())) } else { Ok((found, names)) };
        }
    };
    let kind = first.tree.nodes[first.roots[0]].kind;
    let others: &[PatternContext] = match kind {
        AstType::LabeledStatement => &[OBJECT, CLASS, INTERFACE],
        AstType::BlockStatement => &[EXPRESSION, TYPE],
        AstType::AssignmentExpression => &[ATTRIBUTE],
        AstType::BinaryExpression | AstType::TSInstantiationExpression => &[TYPE],
        _ => &[],
    };
    let more: Vec<Reading> = others.iter().filter_map(|place| at(place).ok()).collect();
    // `key: value` is usually a property or a member, although the grammar reads it as a label.
    let keeps = kind != AstType::LabeledStatement || more.is_empty();
    Ok((keeps.then_some(first).into_iter().chain(more).collect(), names))
}

/// Parses the pattern in one context. Fails with the parser's error, if there is one.
fn parse_in_context(
    pattern: &str,
    jsx: bool,
    place: &PatternContext,
    names: &mut Vec<String>,
) -> std::result::Result<Reading, Option<OxcDiagnostic>> {
    let text = format!("{}{pattern}{}", place.before, place.after);
    let arena = Allocator::default();
    let grammar = SourceType::ts().with_module(true).with_jsx(jsx);
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    let parsed = Parser::new(&arena, &text, grammar).with_options(options).parse();
    if let Some(error) = parsed.diagnostics.into_vec().into_iter().next() {
        return Err(Some(error));
    }
    if parsed.fatal_error {
        return Err(None);
    }
    let tree = FlatTree::from_program(&parsed.program, text.clone());
    let inner = (place.before.len(), place.before.len() + pattern.len());
    let mut roots = roots(&tree, inner).filter(|roots| place.allows_several || roots.len() == 1).ok_or(None)?;
    let statement = tree.nodes[roots[0]];
    let is_expression = matches!(statement.kind, AstType::ExpressionStatement | AstType::Directive);
    if roots.len() == 1 && is_expression && !pattern.trim_end().ends_with(';') {
        roots[0] += 1;
    }
    roots.iter_mut().for_each(|root| *root = tree.unwrapped(*root));
    let holes = (0..tree.nodes.len()).map(|index| read_metavariable(&tree, index, names)).collect();
    Ok(Reading { tree, roots, metavariables: holes })
}

/// Returns the outermost nodes in a range of the text. `None` if the range contains anything else.
fn roots(tree: &FlatTree<String>, (start, end): (usize, usize)) -> Option<Vec<usize>> {
    let is_inside = |index: usize| {
        let node = tree.nodes[index];
        start <= node.start as usize && node.end as usize <= end && node.kind != AstType::Program
    };
    let mut parent = 0;
    loop {
        let children: Vec<usize> = tree.children(parent).collect();
        let inside: Vec<usize> = children.iter().copied().filter(|child| is_inside(*child)).collect();
        if !inside.is_empty() {
            let (pieces, _) = items(tree, parent);
            let besides =
                |item: &Item<'_>| matches!(item, Item::Token(_, at) if start <= *at as usize && (*at as usize) < end);
            let roots: Vec<usize> = inside.into_iter().filter(|root| pieces.contains(&Item::Child(*root))).collect();
            return (!roots.is_empty() && !pieces.iter().any(besides)).then_some(roots);
        }
        let holds = |child: &usize| {
            let node = tree.nodes[*child];
            (node.start as usize) <= start && end <= node.end as usize
        };
        parent = children.into_iter().find(holds)?;
    }
}

/// Returns the metavariable that a node is, if its whole text is `$NAME` or `$$$NAME`.
fn read_metavariable(tree: &FlatTree<String>, index: usize, names: &mut Vec<String>) -> Option<Metavariable> {
    let text = tree.text_of(index);
    let kind = tree.nodes[index].kind;
    let quoted = kind == AstType::StringLiteral;
    let text = if quoted { text.get(1..text.len().saturating_sub(1))? } else { text.trim().trim_end_matches(';') };
    let (many, name) = match text.strip_prefix("$$$") {
        Some(name) => (true, name),
        None => (false, text.strip_prefix('$')?),
    };
    let is_name = name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
        && !name.starts_with(|first: char| first.is_ascii_digit());
    if !is_name || (name.is_empty() && !many) || (quoted && many) || name.len() > MOST_METAVARIABLES {
        return None;
    }
    let name = (!name.is_empty() && !name.starts_with('_')).then(|| {
        names.iter().position(|known| known == name).unwrap_or_else(|| {
            names.push(name.to_owned());
            names.len() - 1
        })
    });
    Some(Metavariable { name, is_list: many, is_quoted: quoted })
}

/// Returns the words outside of metavariables, longest first.
fn words(reading: &Reading) -> Vec<String> {
    let mut found = BTreeSet::new();
    reading.roots.iter().for_each(|root| collect_words(reading, *root, &mut found));
    let mut found: Vec<String> = found.into_iter().filter(|word| word.len() > 1).collect();
    found.sort_by_key(|word| (std::cmp::Reverse(word.len()), word.clone()));
    found.truncate(MOST_WORDS);
    found
}

fn collect_words(reading: &Reading, index: usize, found: &mut BTreeSet<String>) {
    if reading.metavariable(index).is_some() {
        return;
    }
    let kind = reading.tree.nodes[index].kind;
    if is_atom(kind) {
        // The text around a part of a template may continue its words.
        if !matches!(kind, AstType::TemplateElement | AstType::RegExpLiteral) {
            add_words(reading.tree.text_of(index), found);
        }
        return;
    }
    let (pieces, _) = items(&reading.tree, index);
    for piece in pieces {
        match piece {
            Item::Token(text, _) => add_words(text, found),
            Item::Child(child) => collect_words(reading, child, found),
        }
    }
}

fn add_words(text: &str, found: &mut BTreeSet<String>) {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    found.extend(text.split(|c| !part(c)).filter(|word| !word.is_empty()).map(str::to_owned));
}

fn invalid_pattern(pattern: &str, wrong: Option<&OxcDiagnostic>) -> Failure {
    let why =
        wrong.map_or_else(|| "it is not a single piece of code".to_owned(), |error| message_fragment(&error.message));
    let mut failure = fail(FailureKind::ParseError, format!("the pattern cannot be parsed: {why}"))
        .hint(
            "a pattern is a statement, expression, class or object member, type, JSX element or attribute; `$NAME` \
             matches one piece of code, `$$$NAME` any number in a list, `$_` and `$$$` the same without a name",
        )
        .with_examples(EXAMPLES);
    let label = wrong.and_then(|error| error.labels.first());
    failure.span = label.map(|label| {
        let at = |at: usize| (0..=at.min(pattern.len())).rev().find(|at| pattern.is_char_boundary(*at)).unwrap_or(0);
        let start = at(label.offset() as usize);
        Span::new(start, at(label.offset() as usize + label.len() as usize).max(start))
    });
    failure
}

/// Formats a message as part of a sentence.
fn message_fragment(message: &str) -> String {
    let text = message.trim().trim_end_matches('.');
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => String::new(),
    }
}

trait Examples {
    fn with_examples(self, examples: [&str; 4]) -> Failure;
}

impl Examples for Failure {
    fn with_examples(mut self, examples: [&str; 4]) -> Failure {
        self.candidates = examples.map(str::to_owned).to_vec();
        self
    }
}
