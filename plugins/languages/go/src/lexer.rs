//! Splits a text into tokens, with the semicolons that the language inserts at the ends of lines.

use marquetry_code::{Token, TokenKind};
use marquetry_sdk::{Diagnostic, Severity, Span};

/// The class of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum T {
    End,
    Ident,
    Number,
    Char,
    Text,
    Raw,
    /// A semicolon that is in the text or that the lexer inserts at the end of a line.
    Semi,
    LParen,
    RParen,
    LBrack,
    RBrack,
    LBrace,
    RBrace,
    Comma,
    Colon,
    Dot,
    Ellipsis,
    Arrow,
    Assign,
    Define,
    /// `+=`, `<<=` and other assignments with an operator.
    OpAssign,
    IncDec,
    Star,
    Tilde,
    Not,
    /// Another binary operator. Some of these are unary operators, too.
    Operator,
    Break,
    Case,
    Chan,
    Const,
    Continue,
    Default,
    Defer,
    Else,
    Fallthrough,
    For,
    Func,
    Go,
    Goto,
    If,
    Import,
    Interface,
    Map,
    Package,
    Range,
    Return,
    Select,
    Struct,
    Switch,
    Type,
    Var,
}

/// The keywords.
pub(crate) const KEYWORDS: [(&str, T); 25] = [
    ("break", T::Break),
    ("case", T::Case),
    ("chan", T::Chan),
    ("const", T::Const),
    ("continue", T::Continue),
    ("default", T::Default),
    ("defer", T::Defer),
    ("else", T::Else),
    ("fallthrough", T::Fallthrough),
    ("for", T::For),
    ("func", T::Func),
    ("go", T::Go),
    ("goto", T::Goto),
    ("if", T::If),
    ("import", T::Import),
    ("interface", T::Interface),
    ("map", T::Map),
    ("package", T::Package),
    ("range", T::Range),
    ("return", T::Return),
    ("select", T::Select),
    ("struct", T::Struct),
    ("switch", T::Switch),
    ("type", T::Type),
    ("var", T::Var),
];

/// Operators and brackets, the longest first.
const SIGNS: [(&str, T); 47] = [
    ("<<=", T::OpAssign),
    (">>=", T::OpAssign),
    ("&^=", T::OpAssign),
    ("...", T::Ellipsis),
    ("&&", T::Operator),
    ("||", T::Operator),
    ("<-", T::Arrow),
    ("++", T::IncDec),
    ("--", T::IncDec),
    ("==", T::Operator),
    ("!=", T::Operator),
    ("<=", T::Operator),
    (">=", T::Operator),
    (":=", T::Define),
    ("+=", T::OpAssign),
    ("-=", T::OpAssign),
    ("*=", T::OpAssign),
    ("/=", T::OpAssign),
    ("%=", T::OpAssign),
    ("&=", T::OpAssign),
    ("|=", T::OpAssign),
    ("^=", T::OpAssign),
    ("<<", T::Operator),
    (">>", T::Operator),
    ("&^", T::Operator),
    ("+", T::Operator),
    ("-", T::Operator),
    ("*", T::Star),
    ("/", T::Operator),
    ("%", T::Operator),
    ("&", T::Operator),
    ("|", T::Operator),
    ("^", T::Operator),
    ("<", T::Operator),
    (">", T::Operator),
    ("=", T::Assign),
    ("!", T::Not),
    ("~", T::Tilde),
    ("(", T::LParen),
    (")", T::RParen),
    ("[", T::LBrack),
    ("]", T::RBrack),
    ("{", T::LBrace),
    ("}", T::RBrace),
    (",", T::Comma),
    (";", T::Semi),
    (":", T::Colon),
];

/// A token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tok {
    pub(crate) class: T,
    pub(crate) start: u32,
    /// Equal to `start` for an inserted semicolon.
    pub(crate) end: u32,
}

/// The tokens of a text.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    /// The tokens for the parser, without comments; the last one is `End`.
    pub(crate) tokens: Vec<Tok>,
    /// The tokens and comments in the text, without inserted semicolons.
    pub(crate) written: Vec<Token>,
    /// Raw strings. Their lines are not indented again when code moves.
    pub(crate) literals: Vec<Span>,
    pub(crate) errors: Vec<Diagnostic>,
}

/// A syntax error.
pub(crate) fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic { severity: Severity::Error, span, message: message.into(), code: None }
}

/// Splits a text into tokens.
pub(crate) fn lex(text: &str) -> Lexed {
    let mut lexer = Lexer { text, at: 0, lexed: Lexed::default() };
    if text.starts_with('\u{feff}') {
        lexer.at = '\u{feff}'.len_utf8();
    }
    lexer.run();
    lexer.lexed
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    lexed: Lexed,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn run(&mut self) {
        while let Some(c) = self.rest().chars().next() {
            match c {
                '\n' => {
                    self.end_line();
                    self.at += 1;
                }
                ' ' | '\t' | '\r' => self.at += 1,
                '/' if self.rest().starts_with("//") => self.line_comment(),
                '/' if self.rest().starts_with("/*") => self.block_comment(),
                _ => self.token(c),
            }
        }
        self.end_line();
        self.push_class(T::End, self.at, self.at);
    }

    fn push_class(&mut self, class: T, start: usize, end: usize) {
        self.lexed.tokens.push(Tok { class, start: start as u32, end: end as u32 });
    }

    fn push(&mut self, class: T, kind: TokenKind, end: usize) {
        let start = std::mem::replace(&mut self.at, end);
        self.push_class(class, start, end);
        self.lexed.written.push(Token { kind, span: Span::new(start, end) });
    }

    fn error(&mut self, start: usize, end: usize, message: &str) {
        self.lexed.errors.push(error(Span::new(start, end), message));
    }

    /// Inserts a semicolon if the last token may end a statement.
    fn end_line(&mut self) {
        let Some(last) = self.lexed.tokens.last().copied() else { return };
        let ends = matches!(
            last.class,
            T::Ident | T::Number | T::Char | T::Text | T::Raw | T::RParen | T::RBrack | T::RBrace | T::IncDec
        ) || matches!(last.class, T::Break | T::Continue | T::Fallthrough | T::Return);
        if ends {
            self.push_class(T::Semi, last.end as usize, last.end as usize);
        }
    }

    fn comment(&mut self, end: usize) {
        let start = std::mem::replace(&mut self.at, end);
        self.lexed.written.push(Token { kind: TokenKind::Comment, span: Span::new(start, end) });
    }

    fn line_comment(&mut self) {
        let line = self.rest().split('\n').next().unwrap_or_default();
        self.comment(self.at + line.trim_end_matches('\r').len());
    }

    fn block_comment(&mut self) {
        let (start, length) = (self.at, self.rest().find("*/").map(|length| length + 2));
        // The `*` of `/*` cannot be part of the closing `*/`, so `/*/` is not a whole comment.
        let length = length.filter(|length| *length > 3).or_else(|| self.rest()[2..].find("*/").map(|at| at + 4));
        let end = length.map_or(self.text.len(), |length| start + length);
        if length.is_none() {
            self.error(start, start + 2, "the comment is not closed");
        }
        if self.text[start..end].contains('\n') {
            self.end_line();
        }
        self.comment(end);
    }

    fn token(&mut self, c: char) {
        let (start, rest) = (self.at, self.rest());
        match c {
            '"' => self.quoted('"', T::Text),
            '\'' => self.quoted('\'', T::Char),
            '`' => self.raw(),
            '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => self.number(),
            '0'..='9' => self.number(),
            '.' if !rest.starts_with("...") => self.push(T::Dot, TokenKind::Sign, start + 1),
            _ if is_letter(c) => {
                let length = rest.find(|c: char| !is_letter(c) && !c.is_numeric()).unwrap_or(rest.len());
                let keyword = KEYWORDS.iter().find(|(word, _)| *word == &rest[..length]);
                self.push(keyword.map_or(T::Ident, |(_, class)| *class), TokenKind::Word, start + length);
            }
            _ => match SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
                Some((sign, class)) => self.push(*class, TokenKind::Sign, start + sign.len()),
                None => {
                    let end = start + c.len_utf8();
                    self.error(start, end, &format!("unexpected character `{}`", c.escape_debug()));
                    self.lexed.written.push(Token { kind: TokenKind::Sign, span: Span::new(start, end) });
                    self.at = end;
                }
            },
        }
    }

    fn number(&mut self) {
        let bytes = self.rest().as_bytes();
        let is_hex = matches!(bytes, [b'0', b'x' | b'X', ..]);
        let mut length = 0;
        while let Some(byte) = bytes.get(length) {
            let last = length.checked_sub(1).map_or(0, |at| bytes[at]);
            let is_sign = matches!(byte, b'+' | b'-')
                && (matches!(last, b'p' | b'P') && is_hex || matches!(last, b'e' | b'E') && !is_hex);
            if !byte.is_ascii_alphanumeric() && *byte != b'_' && *byte != b'.' && !is_sign {
                break;
            }
            length += 1;
        }
        let (start, end) = (self.at, self.at + length);
        self.push(T::Number, TokenKind::Number, end);
        let text = &self.text[start..end];
        let digits = text.trim_start_matches("0x").trim_start_matches("0X").trim_end_matches('i');
        let is_valid = text.matches('.').count() <= 1
            && (is_hex
                || !digits
                    .contains(|c: char| c.is_ascii_alphabetic() && !matches!(c, 'e' | 'E' | 'b' | 'B' | 'o' | 'O')));
        if !is_valid {
            self.error(start, end, &format!("`{text}` is not a number"));
        }
    }

    fn quoted(&mut self, quote: char, class: T) {
        let (start, bytes) = (self.at, self.rest().as_bytes());
        let (mut length, mut is_closed) = (1, false);
        while let Some(byte) = bytes.get(length) {
            match byte {
                b'\n' | b'\r' => break,
                b'\\' if bytes.get(length + 1).is_some_and(|next| !matches!(next, b'\n' | b'\r')) => length += 2,
                _ if *byte == quote as u8 => {
                    (length, is_closed) = (length + 1, true);
                    break;
                }
                _ => length += 1,
            }
        }
        let end = self.text.ceil_char_boundary((start + length).min(self.text.len()));
        let kind = if class == T::Char { TokenKind::Number } else { TokenKind::Text };
        self.push(class, kind, end);
        if !is_closed {
            let what = if class == T::Char { "character" } else { "string" };
            self.error(start, end, &format!("the {what} is not closed on its line"));
        }
    }

    fn raw(&mut self) {
        let start = self.at;
        let length = self.rest()[1..].find('`');
        let end = length.map_or(self.text.len(), |length| start + length + 2);
        // A backslash in a raw string is not an escape, so the same text between quotes would be another string.
        let has_escape = self.text[start..end].contains('\\');
        self.push(T::Raw, if has_escape { TokenKind::TextPart } else { TokenKind::Text }, end);
        self.lexed.literals.push(Span::new(start, end));
        if length.is_none() {
            self.error(start, start + 1, "the raw string is not closed");
        }
    }
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::{T, lex};

    #[track_caller]
    fn check(text: &str, expected: &[T]) {
        let found: Vec<T> = lex(text).tokens.iter().map(|token| token.class).collect();
        assert_eq!(found, [expected, &[T::End]].concat(), "{text}");
    }

    #[test]
    fn lines_end_with_semicolons() {
        check("a\nb", &[T::Ident, T::Semi, T::Ident, T::Semi]);
        check("a +\nb // c\n", &[T::Ident, T::Operator, T::Ident, T::Semi]);
        check("a /* \n */ b", &[T::Ident, T::Semi, T::Ident, T::Semi]);
        check("return\n}", &[T::Return, T::Semi, T::RBrace, T::Semi]);
        check("x++\n\n\n", &[T::Ident, T::IncDec, T::Semi]);
        check("{\n", &[T::LBrace]);
    }

    #[test]
    fn literals_are_single_tokens() {
        check(
            "\"a\\\"b\" `c\nd` '\\'' 0x1p-2 1_0.5e+3i .5",
            &[T::Text, T::Raw, T::Char, T::Number, T::Number, T::Number, T::Semi],
        );
        check("a...", &[T::Ident, T::Ellipsis]);
        check("é_1", &[T::Ident, T::Semi]);
        check("a&^=b<-c", &[T::Ident, T::OpAssign, T::Ident, T::Arrow, T::Ident, T::Semi]);
    }

    #[test]
    fn invalid_texts_are_errors() {
        for text in ["\"a", "'a\n", "`a", "/* a", "1.2.3", "12ab", "#", "\"a\\"] {
            assert_eq!(lex(text).errors.len(), 1, "{text}");
        }
        for text in ["1e5", "0b11", "0o17", "0xffp1", "1i", "/**/"] {
            assert_eq!(lex(text).errors.len(), 0, "{text}");
        }
    }
}
