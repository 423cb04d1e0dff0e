//! Runs the parser and collects its events: tokens, and nodes without leading and trailing white space and comments.

use std::{collections::HashSet, ops::RangeInclusive};

use marquetry_code::{Token, TokenKind};
use marquetry_sdk::{Diagnostic, Severity, Span};
use ra_ap_parser::{Edition, LexedStr, Step, SyntaxKind, TopEntryPoint};

use crate::{
    kinds::K,
    macros::{self, Calls},
};

/// The editions with which the text is parsed, until it has no errors.
const EDITIONS: [Edition; 3] = [Edition::Edition2021, Edition::Edition2024, Edition::Edition2015];

/// A node. The nodes are in document order, parents before children.
#[derive(Debug)]
pub(crate) struct Raw {
    pub(crate) kind: K,
    /// The index of the parent; for the root, its own index.
    pub(crate) parent: usize,
    /// The span from the first to the last token of the node.
    pub(crate) span: Span,
    /// True if a token has set the start of its span.
    has_start: bool,
}

/// The result of the parser.
#[derive(Debug, Default)]
pub(crate) struct Events {
    pub(crate) nodes: Vec<Raw>,
    pub(crate) tokens: Vec<Token>,
    pub(crate) errors: Vec<Diagnostic>,
}

/// Parses a text with the edition that results in the fewest errors.
pub(crate) fn parse(text: &str) -> Events {
    let mut best: Option<Events> = None;
    for edition in EDITIONS {
        let events = parse_edition(text, edition);
        let is_better = best.as_ref().is_none_or(|best| events.errors.len() < best.errors.len());
        if is_better {
            best = Some(events);
        }
        if best.as_ref().is_some_and(|best| best.errors.is_empty()) {
            break;
        }
    }
    best.unwrap_or_default()
}

fn parse_edition(text: &str, edition: Edition) -> Events {
    let lexed = LexedStr::new(edition, text);
    let mut best: Option<Events> = None;
    // A macro with a known name may have another syntax, and a pattern may not be parsable as an expression.
    let parses = |calls: &Calls, tokens: RangeInclusive<usize>| {
        let output = TopEntryPoint::Expr.parse(&calls.input(&lexed, edition, tokens));
        output.iter().all(|step| !matches!(step, Step::Error { .. } | Step::Enter { kind: SyntaxKind::ERROR }))
    };
    let all = || macros::calls(&lexed);
    let parsable = || macros::parsable_calls(&lexed, parses);
    let attempts: [&dyn Fn() -> Calls; 3] = [&all, &parsable, &Calls::default];
    for calls in attempts {
        let calls = calls();
        let events = run(&lexed, edition, &calls);
        let is_better = best.as_ref().is_none_or(|best| events.errors.len() < best.errors.len());
        if is_better {
            best = Some(events);
        }
        if calls.is_empty() || best.as_ref().is_some_and(|best| best.errors.is_empty()) {
            break;
        }
    }
    best.unwrap_or_default()
}

/// Parses a text, with the arguments of all macros that are expressions as such. `None` if the text calls only macros
/// that [`parse`] knows.
pub(crate) fn parse_expanded(text: &str) -> Option<Events> {
    let plain = parse(text);
    let is_kind = |index: usize, kind: K| plain.nodes[index].kind == kind;
    let start = |raw: &Raw| raw.span.start;
    let is_expression =
        |raw: &&Raw| is_kind(raw.parent, K::MACRO_CALL) && is_kind(plain.nodes[raw.parent].parent, K::MACRO_EXPR);
    let trees = plain.nodes.iter().filter(|raw| raw.kind == K::TOKEN_TREE);
    let possible: HashSet<u32> = trees.filter(is_expression).map(start).collect();
    let known = plain.nodes.iter().filter(|raw| raw.kind == K::ARG_LIST).map(start).collect();
    if possible.is_empty() {
        return None;
    }
    let parses = |arguments: &str| parse(&format!("fn x() {{ x({arguments}\n) }}")).errors.is_empty();
    EDITIONS.into_iter().find_map(|edition| {
        let lexed = LexedStr::new(edition, text);
        let calls = macros::expanded_calls(&lexed, &known, &possible, parses);
        let events = run(&lexed, edition, &calls);
        (events.errors.len() <= plain.errors.len()).then_some(events)
    })
}

fn run(lexed: &LexedStr<'_>, edition: Edition, calls: &Calls) -> Events {
    let length = lexed.as_str().len();
    let output = TopEntryPoint::SourceFile.parse(&calls.input(lexed, edition, 0..lexed.len()));
    let mut collector = Collector::new(lexed, calls);
    output.iter().for_each(|step| collector.step(step));
    let mut events = collector.finish();
    for (index, message) in lexed.errors() {
        let at = lexed.text_start(index).min(length);
        let end = lexed.as_str()[at..].char_indices().nth(1).map_or(length, |(size, _)| at + size);
        events.errors.push(error(Span::new(at, end), message));
    }
    events.errors.sort_by_key(|error| (error.span.start, error.span.end));
    events
}

/// The names of tokens in messages of the parser, with the text of each token.
const TOKENS: [(&str, &str); 14] = [
    ("L_CURLY", "`{`"),
    ("R_CURLY", "`}`"),
    ("L_PAREN", "`(`"),
    ("R_PAREN", "`)`"),
    ("L_BRACK", "`[`"),
    ("R_BRACK", "`]`"),
    ("R_ANGLE", "`>`"),
    ("SEMICOLON", "`;`"),
    ("COMMA", "`,`"),
    ("COLON", "`:`"),
    ("FAT_ARROW", "`=>`"),
    ("EQ", "`=`"),
    ("BANG", "`!`"),
    ("IDENT", "a name"),
];

/// Creates a diagnostic from a message of the parser.
pub(crate) fn error(span: Span, message: &str) -> Diagnostic {
    let word = |word: &str| {
        TOKENS.iter().find(|(name, _)| *name == word).map_or(word.to_owned(), |(_, sign)| (*sign).to_owned())
    };
    let message = message.split(' ').map(word).collect::<Vec<_>>().join(" ");
    let mut letters = message.trim_end_matches('.').chars();
    let first = letters.next().map(|first| first.to_lowercase().to_string()).unwrap_or_default();
    Diagnostic { severity: Severity::Error, span, message: first + letters.as_str(), code: None }
}

struct Collector<'l> {
    lexed: &'l LexedStr<'l>,
    calls: &'l Calls,
    events: Events,
    open: Vec<usize>,
    /// The index of the next token.
    next: usize,
    /// The end of the last token other than white space and comments.
    end: u32,
}

impl<'l> Collector<'l> {
    fn new(lexed: &'l LexedStr<'l>, calls: &'l Calls) -> Collector<'l> {
        Collector { lexed, calls, events: Events::default(), open: Vec::new(), next: 0, end: 0 }
    }

    fn step(&mut self, step: Step<'_>) {
        match step {
            Step::Enter { kind } => self.enter(kind.into(), Span::at(self.end as usize), false),
            Step::Exit => self.exit(),
            Step::Token { kind, n_input_tokens } => {
                self.skip();
                let start = self.lexed.text_start(self.next);
                let end = self.lexed.text_start(self.next + usize::from(n_input_tokens));
                self.next += usize::from(n_input_tokens);
                self.token(kind, Span::new(start, end));
            }
            Step::FloatSplit { ends_in_dot } => self.float(ends_in_dot),
            Step::Error { msg } => {
                self.events.errors.push(error(Span::at(self.lexed.text_start(self.next)), msg));
            }
        }
    }

    /// Adds the two fields of `a.0.1`, whose numbers are one token (`0.1`).
    fn float(&mut self, ends_in_dot: bool) {
        self.skip();
        let own = self.lexed.text_range(self.next);
        self.next += 1;
        match self.lexed.text(self.next - 1).find('.') {
            Some(point) => {
                let point = own.start + point;
                self.name(Span::new(own.start, point));
                // The parser opened the node of the outer field before that of the inner field.
                self.exit();
                self.token(SyntaxKind::DOT, Span::new(point, point + 1));
                if !ends_in_dot {
                    self.name(Span::new(point + 1, own.end));
                }
            }
            None => {
                self.events.errors.push(error(Span::at(own.start), "illegal float literal"));
                self.name(Span::new(own.start, own.end));
                self.exit();
            }
        }
        if !ends_in_dot {
            self.exit();
        }
    }

    fn name(&mut self, span: Span) {
        self.enter(K::NAME_REF, Span::at(span.range().start), false);
        self.token(SyntaxKind::INT_NUMBER, span);
        self.exit();
    }

    /// Records the tokens that the parser does not get: comments, and punctuation of macro calls.
    fn skip(&mut self) {
        while self.next < self.lexed.len() && self.calls.is_hidden(self.lexed, self.next) {
            let (kind, range) = (self.lexed.kind(self.next), self.lexed.text_range(self.next));
            if let Some(class) = class(kind) {
                self.events.tokens.push(Token { kind: class, span: Span::new(range.start, range.end) });
            }
            self.next += 1;
        }
    }

    fn finish(mut self) -> Events {
        self.skip();
        self.events
    }

    fn enter(&mut self, kind: K, span: Span, has_start: bool) {
        let index = self.events.nodes.len();
        let parent = self.open.last().copied().unwrap_or(index);
        self.events.nodes.push(Raw { kind, parent, span, has_start });
        self.open.push(index);
    }

    fn exit(&mut self) {
        if let Some(index) = self.open.pop() {
            let node = &mut self.events.nodes[index];
            node.span.end = self.end.max(node.span.start);
        }
    }

    fn token(&mut self, kind: SyntaxKind, span: Span) {
        let Some(class) = class(kind) else { return };
        if class == TokenKind::Comment {
            self.events.tokens.push(Token { kind: class, span });
            return;
        }
        for index in self.open.iter().rev() {
            let node = &mut self.events.nodes[*index];
            if node.has_start {
                break;
            }
            (node.span.start, node.has_start) = (span.start, true);
        }
        self.end = span.end;
        let innermost = self.open.last().copied().filter(|index| *index < self.events.nodes.len());
        let around = innermost.map(|index| self.events.nodes[index].kind);
        if let Some(index) = innermost.filter(|_| around == Some(K::ATTR) && kind == SyntaxKind::BANG) {
            self.events.nodes[index].kind = K::INNER_ATTR;
        }
        if around == Some(K::TOKEN_TREE) && !is_layout(kind) {
            self.enter(K::MACRO_TOKEN, span, true);
            self.exit();
        }
        self.events.tokens.push(Token { kind: class, span });
    }
}

/// Returns whether a token in the arguments of a macro is only a separator.
fn is_layout(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        SyntaxKind::COMMA
            | SyntaxKind::L_PAREN
            | SyntaxKind::R_PAREN
            | SyntaxKind::L_CURLY
            | SyntaxKind::R_CURLY
            | SyntaxKind::L_BRACK
            | SyntaxKind::R_BRACK
    )
}

/// The kind of a token in the arena. `None` for white space.
fn class(kind: SyntaxKind) -> Option<TokenKind> {
    Some(match kind {
        SyntaxKind::WHITESPACE | SyntaxKind::NEWLINE => return None,
        SyntaxKind::COMMENT | SyntaxKind::SHEBANG | SyntaxKind::FRONTMATTER => TokenKind::Comment,
        SyntaxKind::STRING | SyntaxKind::BYTE_STRING | SyntaxKind::C_STRING => TokenKind::Text,
        // A structural search must not treat a character as equal to a string with the same content.
        SyntaxKind::INT_NUMBER | SyntaxKind::FLOAT_NUMBER | SyntaxKind::CHAR | SyntaxKind::BYTE => TokenKind::Number,
        SyntaxKind::IDENT | SyntaxKind::LIFETIME_IDENT => TokenKind::Word,
        kind if kind.is_any_identifier() || kind.is_keyword(Edition::Edition2024) => TokenKind::Word,
        _ => TokenKind::Sign,
    })
}
