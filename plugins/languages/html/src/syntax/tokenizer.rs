//! Tokenizer of the HTML standard. Tokens are ranges of the text; nothing is copied.
//!
//! Character references do not affect the boundaries of tokens. They are decoded later; see [`decode`](super::decode).

mod code;
pub(super) mod component;
mod doctype;
mod raw;
mod tag;

use std::ops::Range;

use marquetry_sdk::Span;
use memchr::memchr;

use self::code::Frame;
pub(crate) use self::doctype::Doctype;
use super::diagnostic::{Code, MAX_DIAGNOSTICS, ParseDiagnostic};
use super::dialect::Dialect;
use super::names::{Name, Names};
use super::tree::Attribute;

/// Input of tree construction.
#[derive(Debug)]
pub(crate) enum Token {
    /// `<!DOCTYPE …>`.
    Doctype(Doctype),
    /// A start tag.
    Start(Tag),
    /// An end tag.
    End(Tag),
    /// A comment, or markup that is treated as one.
    Comment(Span),
    /// Text including character references, up to the next markup. In a component also a piece of code; see
    /// [`Tokenizer::code`].
    Text(Span),
    /// End of the text.
    Eof,
}

/// A tag.
#[derive(Debug, Clone)]
pub(crate) struct Tag {
    pub(crate) span: Span,
    pub(crate) name: Name,
    /// True if the tag ends with `/>`.
    pub(crate) self_closing: bool,
    /// Indices in [`Tokenizer::attributes`].
    pub(crate) attributes: Range<u32>,
}

/// Tokenizer state for the content of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// Markup.
    Data,
    /// Text up to the end tag of the element, as in `title`, `textarea` or `style`.
    Raw,
    /// Like `Raw`, with the special rules for `<!--` in scripts.
    Script,
    /// Text up to the end of the file.
    Plain,
}

/// Tokenizer state.
#[derive(Debug)]
pub(crate) struct Tokenizer<'t> {
    pub(crate) text: &'t str,
    at: usize,
    content: Content,
    /// Name of the last raw-text start tag; only its end tag ends the raw text.
    raw_name: &'t str,
    pub(super) dialect: Dialect,
    pub(crate) names: Names,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) diagnostics: Vec<ParseDiagnostic>,
    /// Pieces of code in the text of a component: with its braces, up to the next element in it. Also the tags of
    /// fragments.
    pub(crate) code: Vec<Span>,
    /// Open elements and open code of an Astro component, in which elements and code contain each other.
    frames: Vec<Frame<'t>>,
    /// True where braces in the text of a component are not code.
    pub(super) verbatim: bool,
    /// Number of attributes around this text, if it is code in their values.
    nesting: usize,
}

impl<'t> Tokenizer<'t> {
    pub(crate) fn new(text: &'t str, dialect: Dialect) -> Tokenizer<'t> {
        // A byte order mark is not content.
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let (names, attributes, diagnostics) = (Names::default(), Vec::new(), Vec::new());
        Tokenizer {
            text,
            at,
            content: Content::Data,
            raw_name: "",
            dialect,
            names,
            attributes,
            diagnostics,
            code: Vec::new(),
            frames: Vec::new(),
            verbatim: false,
            nesting: 0,
        }
    }

    /// Sets the state for the content that follows this start tag.
    pub(crate) fn switch(&mut self, content: Content, tag: &Tag) {
        self.content = match content {
            // Components have no rules for `<!--` in scripts.
            Content::Script if self.dialect.is_component() => Content::Raw,
            content => content,
        };
        let name = &tag.span.slice(self.text)[1..];
        let end = name.find(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>').unwrap_or(name.len());
        self.raw_name = &name[..end];
    }

    /// Reads the next token. `foreign` is true where CDATA sections are allowed: in SVG, MathML and XML.
    pub(crate) fn next(&mut self, foreign: bool) -> Token {
        loop {
            if self.at >= self.text.len() {
                return Token::Eof;
            }
            let token = match self.content {
                Content::Data if self.dialect.is_component() => self.component(),
                Content::Data => self.data(foreign || self.dialect.is_xml()),
                Content::Raw => self.raw(),
                Content::Script => self.script(),
                Content::Plain => Some(self.text_token(self.text.len())),
            };
            if let Some(token) = token {
                return token;
            }
        }
    }

    /// Skips the front matter of an Astro component: from a line of `---` to the next one.
    pub(super) fn skip_front_matter(&mut self) {
        let before = self.text[self.at..].len() - self.text[self.at..].trim_start().len();
        let start = self.at + before;
        if !self.text[start..].starts_with("---") {
            return;
        }
        let mut at = start;
        for (index, line) in self.text[start..].split_inclusive('\n').enumerate() {
            at += line.len();
            if index > 0 && line.trim_end() == "---" {
                self.at = at;
                return;
            }
        }
        self.report(Code::UnclosedFrontMatter, start..start + 3);
        self.at = self.text.len();
    }

    pub(super) fn report(&mut self, code: Code, span: impl Into<Span>) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(ParseDiagnostic { code, span: span.into() });
        }
    }

    fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes()
    }

    /// Returns the byte at an offset, or 0 after the end of the text.
    fn byte(&self, at: usize) -> u8 {
        self.bytes().get(at).copied().unwrap_or(0)
    }

    fn text_token(&mut self, end: usize) -> Token {
        let start = std::mem::replace(&mut self.at, end);
        Token::Text(Span::new(start, end))
    }

    /// Reads text or markup; `None` if the markup produces no token.
    fn data(&mut self, cdata: bool) -> Option<Token> {
        let end = self.next_markup(self.at);
        if end > self.at {
            return Some(self.text_token(end));
        }
        let start = self.at;
        match self.byte(start + 1) {
            b'!' => Some(self.declaration(cdata)),
            b'?' => Some(self.instruction()),
            b'/' if self.byte(start + 2) == b'>' => {
                self.at = start + 3;
                self.report(Code::MissingEndTagName, start..start + 3);
                None
            }
            b'/' if self.byte(start + 2).is_ascii_alphabetic() || self.dialect.is_xml() => {
                self.tag(start, start + 2, true)
            }
            b'/' => {
                self.report(Code::InvalidFirstCharacter, start..start + 2);
                Some(self.bogus_comment(start, start + 2))
            }
            _ => self.tag(start, start + 1, false),
        }
    }

    /// Returns the start of the next markup: the offset of a `<` that is not text.
    fn next_markup(&mut self, from: usize) -> usize {
        let mut at = from;
        while let Some(found) = memchr(b'<', &self.bytes()[at..]) {
            let start = at + found;
            match self.byte(start + 1) {
                b'!' | b'?' => return start,
                b'/' if start + 2 < self.text.len() => return start,
                b'/' => self.report(Code::EofBeforeTagName, start..start + 2),
                next if next.is_ascii_alphabetic() => return start,
                next if self.dialect.is_xml() && (next == b'_' || next == b':' || next >= 0x80) => return start,
                _ => self.report(Code::InvalidFirstCharacter, start..start + 1),
            }
            at = start + 1;
        }
        self.text.len()
    }

    /// Reads markup that starts with `<!`.
    fn declaration(&mut self, cdata: bool) -> Token {
        let start = self.at;
        let rest = &self.bytes()[start + 2..];
        if rest.starts_with(b"--") {
            return self.comment(start);
        }
        if rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype")) {
            return Token::Doctype(self.doctype(start));
        }
        if !rest.starts_with(b"[CDATA[") {
            self.report(Code::IncorrectlyOpenedComment, start..start + 2);
            return self.bogus_comment(start, start + 2);
        }
        if !cdata {
            self.report(Code::CdataInHtml, start..start + 9);
            return self.bogus_comment(start, start + 2);
        }
        let inner = start + 9;
        let end = memchr::memmem::find(&self.bytes()[inner..], b"]]>").map(|found| inner + found);
        if end.is_none() {
            self.report(Code::EofInCdata, start..inner);
        }
        self.at = end.map_or(self.text.len(), |end| end + 3);
        Token::Text(Span::new(inner, end.unwrap_or(self.text.len())))
    }

    fn comment(&mut self, start: usize) -> Token {
        let inner = start + 4;
        let mut at = inner;
        while let Some(found) = memchr(b'>', &self.bytes()[at..]) {
            let close = at + found;
            let content = &self.bytes()[inner..close];
            at = close + 1;
            let bang = content.ends_with(b"--!");
            if matches!(content, b"" | b"-") {
                self.report(Code::AbruptClosingOfEmptyComment, start..at);
            } else if bang {
                self.report(Code::IncorrectlyClosedComment, close - 3..at);
            } else if !content.ends_with(b"--") {
                continue;
            }
            if let Some(nested) = memchr::memmem::find(content, b"<!--").filter(|nested| nested + 6 < content.len()) {
                self.report(Code::NestedComment, inner + nested..inner + nested + 4);
            }
            self.at = at;
            return Token::Comment(Span::new(start, at));
        }
        self.report(Code::EofInComment, start..inner);
        self.at = self.text.len();
        Token::Comment(Span::new(start, self.at))
    }

    /// Reads `<?…>`; in XML up to `?>`.
    fn instruction(&mut self) -> Token {
        let start = self.at;
        if !self.dialect.is_xml() {
            self.report(Code::UnexpectedQuestionMark, start..start + 2);
            return self.bogus_comment(start, start + 2);
        }
        let end = memchr::memmem::find(&self.bytes()[start..], b"?>").map(|found| start + found + 2);
        if end.is_none() {
            self.report(Code::EofInComment, start..start + 2);
        }
        self.at = end.unwrap_or(self.text.len());
        Token::Comment(Span::new(start, self.at))
    }

    fn bogus_comment(&mut self, start: usize, from: usize) -> Token {
        let end = memchr(b'>', &self.bytes()[from..]).map_or(self.text.len(), |found| from + found + 1);
        self.at = end;
        Token::Comment(Span::new(start, end))
    }
}
