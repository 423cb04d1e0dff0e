//! Structural search: converts the arena of a document or pattern to a tree for the SDK's matcher.

use std::rc::Rc;

use marquetry_sdk::{
    FailureKind, PatternInfo, Result, Span, StructureMatches, fail,
    structure::{self, Letters, Metavariable, Metavariables, Pattern, Reading, Tree, invalid_pattern},
};

use crate::{
    arena::{Arena, NodeIndex, ROOT, Token, TokenKind},
    document::CodeDocument,
    language::{Language, ParseContext},
};

/// Maximum length of a pattern.
const MAX_LENGTH: usize = 100_000;
/// Returns information about a pattern, such as the words that every match contains.
///
/// # Errors
///
/// Fails with `ParseError` and the reason.
pub fn read_pattern(language: &'static Language, path: &str, pattern: &str) -> Result<PatternInfo> {
    read(language, path, pattern).map(|read| read.help())
}

/// The matches of a pattern in a document.
///
/// # Errors
///
/// Fails like [`read_pattern`], and with `LimitExceeded` if the search takes too many steps.
pub fn matches(document: &CodeDocument, pattern: &str, limit: u32) -> Result<StructureMatches> {
    let language = document.language();
    let arena = document.arena();
    read(language, document.path(), pattern)?.matches(&build_tree(language, arena, &arena.text), limit)
}

fn read(language: &'static Language, path: &str, pattern: &str) -> Result<Rc<Pattern>> {
    structure::parse_once(pattern, language.name, || parse_pattern(language, path, pattern))
}

fn parse_pattern(language: &'static Language, path: &str, pattern: &str) -> Result<Pattern> {
    let pattern = pattern.trim();
    if pattern.is_empty() {
        return Err(invalid_pattern("it is empty", language.pattern_hint, language.pattern_examples));
    }
    if pattern.len() > MAX_LENGTH {
        let message = format!("a pattern has at most {MAX_LENGTH} bytes");
        return Err(fail(FailureKind::LimitExceeded, message).hint("search for a part of it"));
    }
    let mut metavariables = Metavariables::default();
    let encoded = metavariables.encode(pattern)?;
    let mut readings = Vec::new();
    let mut failure = None;
    for context in language.patterns {
        match parse_reading(language, path, &encoded, *context) {
            Ok(reading) => readings.push(reading),
            Err(reason) => failure = failure.or(Some(reason)),
        }
    }
    match failure.filter(|_| readings.is_empty()) {
        Some(reason) => Err(invalid_pattern(&reason, language.pattern_hint, language.pattern_examples)),
        None => Pattern::new(readings, metavariables),
    }
}

/// Parses a pattern in one context of the language.
fn parse_reading(
    language: &'static Language,
    path: &str,
    encoded: &str,
    context: ParseContext,
) -> std::result::Result<Reading, String> {
    let arena = (language.hooks.parse)(path, as_words(encoded), context);
    if let Some(error) = arena.errors.first() {
        return Err(error.message.clone());
    }
    let tree = build_tree(language, &arena, encoded);
    let block = tree.children(0).next();
    let statements: Vec<u32> = block.map_or(Vec::new(), |block| tree.children(block).collect());
    let roots: Vec<u32> = match statements[..] {
        // A pattern that is an expression matches anywhere, and not only as a statement.
        [only] if tree.node(only).metavariable.is_none() && is_expression(language, &tree, only) => {
            tree.children(only).collect()
        }
        _ => statements,
    };
    if roots.is_empty() { Err("it has no code".to_owned()) } else { Ok(Reading::new(&tree, roots, false)) }
}

fn is_expression(language: &Language, tree: &Tree<&str>, node: u32) -> bool {
    let kind = language.kinds.get(usize::from(tree.node(node).kind)).copied();
    kind == Some(language.expression_statement) && tree.children(node).count() == 1
}

/// Replaces each encoded metavariable with a word of the same length, so that offsets do not change.
fn as_words(encoded: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(encoded.len()), encoded);
    while let Some((start, end, _)) = Metavariable::find_first(rest) {
        out += &rest[..start];
        out.extend(std::iter::repeat_n('M', end - start));
        rest = &rest[end..];
    }
    out + rest
}

/// Builds the tree of an arena. `text` is the original text, with the same offsets as the text of the arena.
fn build_tree<'t>(language: &Language, arena: &Arena, text: &'t str) -> Tree<&'t str> {
    let root = arena.node(ROOT).kind.0;
    let mut builder = TreeBuilder {
        arena,
        text,
        builder: structure::Builder::new(text, root),
        open: vec![(ROOT, arena.node_count())],
        next_token: 0,
    };
    let mut index = ROOT + 1;
    while index < arena.node_count() {
        builder.close_before(index);
        let span = arena.node(index).span;
        builder.tokens_before(span.start);
        let metavariable = Metavariable::parse(span.slice(text)).filter(|_| !language.is_block(arena, index));
        match metavariable {
            Some(metavariable) => {
                builder.builder.push_metavariable(arena.node(index).kind.0, metavariable, span);
                builder.skip_tokens(span.end);
                index = arena.end_of(index);
            }
            None => {
                builder.builder.open(arena.node(index).kind.0, span.range().start);
                builder.open.push((index, arena.end_of(index)));
                index += 1;
            }
        }
    }
    builder.close_before(arena.node_count());
    builder.tokens_before(text.len() as u32 + 1);
    builder.builder.finish()
}

struct TreeBuilder<'a, 't> {
    arena: &'a Arena,
    text: &'t str,
    builder: structure::Builder<'t>,
    /// The open nodes, each with the index after its last descendant.
    open: Vec<(NodeIndex, NodeIndex)>,
    next_token: usize,
}

impl TreeBuilder<'_, '_> {
    fn close_before(&mut self, index: NodeIndex) {
        while let Some((node, _)) = self.open.last().copied().filter(|(node, end)| *node != ROOT && *end <= index) {
            let end = self.arena.node(node).span.end;
            self.tokens_before(end);
            self.builder.close(end as usize);
            self.open.pop();
        }
    }

    fn skip_tokens(&mut self, end: u32) {
        self.next_token = self.next_token.max(self.arena.token_at(end));
    }

    fn tokens_before(&mut self, end: u32) {
        while let Some(token) = self.arena.tokens.get(self.next_token).filter(|token| token.span.start < end) {
            self.next_token += 1;
            self.push(token);
        }
    }

    fn push(&mut self, token: &Token) {
        let own = token.span.slice(self.text);
        match token.kind {
            TokenKind::Break => {}
            TokenKind::Comment => self.builder.extra(token.span),
            // Separators and parentheses are omitted, because the structure of the nodes already determines them.
            TokenKind::Sign if matches!(own, "," | "(" | ")" | ";") => {}
            TokenKind::Sign => self.builder.sign(token.span),
            TokenKind::Word | TokenKind::Number => self.builder.token(token.span, token.span, Letters::Exact),
            TokenKind::Text => self.builder.token(content(own, token.span), token.span, Letters::Text),
            TokenKind::TextPart => self.builder.token(token.span, token.span, Letters::Text),
        }
    }
}

/// The range of a string's content: without its quotes, and without a prefix that does not change its meaning.
fn content(own: &str, span: Span) -> Span {
    let prefix = own.len() - own.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
    let quotes = &own[prefix..];
    let quote = quotes.chars().next().unwrap_or('"');
    let length = if quotes.len() >= 6 && quotes.starts_with(&quote.to_string().repeat(3)) { 3 } else { 1 };
    if prefix > 0 || quotes.len() < 2 * length || !quotes.ends_with(quote) {
        return span;
    }
    Span { start: span.start + length as u32, end: span.end - length as u32 }
}
