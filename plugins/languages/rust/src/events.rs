//! Runs the parser and collects its events: nodes without the white space and comments around them, and tokens.

use marquetry_code::{Token, TokenKind};
use marquetry_sdk::{Diagnostic, Severity, Span};
use ra_ap_parser::{Edition, LexedStr, StrStep, SyntaxKind, TopEntryPoint};

use crate::kinds::K;

/// The editions that a text is parsed with until one has no errors.
const EDITIONS: [Edition; 3] = [Edition::Edition2021, Edition::Edition2024, Edition::Edition2015];

/// A node in the order of the text, parents before children.
#[derive(Debug)]
pub(crate) struct Raw {
    pub(crate) kind: K,
    /// The index of its parent; of the root, its own.
    pub(crate) parent: usize,
    /// From its first token to its last one.
    pub(crate) span: Span,
    /// True if a token gave it its start.
    has_start: bool,
}

/// The result of the parser.
#[derive(Debug, Default)]
pub(crate) struct Events {
    pub(crate) nodes: Vec<Raw>,
    pub(crate) tokens: Vec<Token>,
    pub(crate) errors: Vec<Diagnostic>,
}

/// Parses a text with the edition that fits it best.
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
    let output = TopEntryPoint::SourceFile.parse(&lexed.to_input(edition));
    let mut collector = Collector::default();
    lexed.intersperse_trivia(&output, &mut |step| collector.step(step, text.len()));
    let mut events = collector.events;
    for (index, message) in lexed.errors() {
        let at = lexed.text_start(index).min(text.len());
        let end = text[at..].char_indices().nth(1).map_or(text.len(), |(length, _)| at + length);
        events.errors.push(error(Span::new(at, end), message));
    }
    events.errors.sort_by_key(|error| (error.span.start, error.span.end));
    events
}

/// The names of tokens in the messages of the parser.
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

/// A diagnostic of the parser.
pub(crate) fn error(span: Span, message: &str) -> Diagnostic {
    let word = |word: &str| {
        TOKENS.iter().find(|(name, _)| *name == word).map_or(word.to_owned(), |(_, sign)| (*sign).to_owned())
    };
    let message = message.split(' ').map(word).collect::<Vec<_>>().join(" ");
    let mut letters = message.trim_end_matches('.').chars();
    let first = letters.next().map(|first| first.to_lowercase().to_string()).unwrap_or_default();
    Diagnostic { severity: Severity::Error, span, message: first + letters.as_str(), code: None }
}

#[derive(Default)]
struct Collector {
    events: Events,
    open: Vec<usize>,
    /// The offset of the next token.
    at: usize,
    /// The end of the last token that is not white space or a comment.
    end: u32,
}

impl Collector {
    fn step(&mut self, step: StrStep<'_>, length: usize) {
        match step {
            StrStep::Enter { kind } => self.enter(kind.into(), Span::at(self.end as usize), false),
            StrStep::Exit => self.exit(),
            StrStep::Token { kind, text } => self.token(kind, text),
            StrStep::Error { msg, pos } => {
                self.events.errors.push(error(Span::at(pos.min(length)), msg));
            }
        }
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

    fn token(&mut self, kind: SyntaxKind, text: &str) {
        let span = Span::new(self.at, self.at + text.len());
        self.at += text.len();
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
        let around = self.open.last().map(|index| self.events.nodes[*index].kind);
        if around == Some(K::ATTR) && kind == SyntaxKind::BANG {
            self.open.iter().rev().take(1).for_each(|index| self.events.nodes[*index].kind = K::INNER_ATTR);
        }
        if around == Some(K::TOKEN_TREE) && !is_layout(kind) {
            self.enter(K::MACRO_TOKEN, span, true);
            self.exit();
        }
        self.events.tokens.push(Token { kind: class, span });
    }
}

/// Returns whether a token in the arguments of a macro only separates others.
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

/// The class of a token. `None` for white space.
fn class(kind: SyntaxKind) -> Option<TokenKind> {
    Some(match kind {
        SyntaxKind::WHITESPACE | SyntaxKind::NEWLINE => return None,
        SyntaxKind::COMMENT | SyntaxKind::SHEBANG | SyntaxKind::FRONTMATTER => TokenKind::Comment,
        SyntaxKind::STRING | SyntaxKind::BYTE_STRING | SyntaxKind::C_STRING => TokenKind::Text,
        // A character is not equal to the string with this character.
        SyntaxKind::INT_NUMBER | SyntaxKind::FLOAT_NUMBER | SyntaxKind::CHAR | SyntaxKind::BYTE => TokenKind::Number,
        SyntaxKind::IDENT | SyntaxKind::LIFETIME_IDENT => TokenKind::Word,
        kind if kind.is_any_identifier() || kind.is_keyword(Edition::Edition2024) => TokenKind::Word,
        _ => TokenKind::Sign,
    })
}
