//! Code in the text of components. In Astro, code contains elements, whose content can contain code again.

use crate::js_lexer::{JsLexer, JsToken};

/// Maximum length of a regular expression that is searched for signs.
const MAX_REGEX: usize = 1000;

/// An open element or open code of an Astro component.
#[derive(Debug)]
pub(super) enum Frame<'t> {
    /// An element with the name of its tag; empty for a fragment.
    Element(&'t str),
    Code(CodeReader<'t>),
}

/// Result of reading one token of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeStep {
    /// The token is part of the code.
    Inside,
    /// Markup starts at this offset. It was not read.
    Markup(usize),
    /// The closing brace was read; the code ends at this offset.
    Closed(usize),
    /// The code is not closed, or may have been misread.
    Unreadable,
}

/// Reads code up to its closing brace.
#[derive(Debug)]
pub(super) struct CodeReader<'t> {
    lexer: JsLexer<'t>,
    /// Offset of the opening brace.
    open: usize,
    text: &'t str,
    /// True if the code can contain markup.
    has_markup: bool,
    /// Number of open braces in the code.
    braces: usize,
    /// True directly after markup. Another element can follow without an operator.
    is_after_markup: bool,
}

impl<'t> CodeReader<'t> {
    /// A reader of code with an opening brace at `open` that starts at another offset.
    pub(super) fn new(text: &'t str, open: usize, at: usize) -> CodeReader<'t> {
        let lexer = JsLexer::starting_at(text, at);
        CodeReader { lexer, open, text, has_markup: false, braces: 0, is_after_markup: false }
    }

    /// A reader of the code in braces that can contain markup.
    pub(super) fn with_markup(text: &'t str, open: usize) -> CodeReader<'t> {
        CodeReader { has_markup: true, ..CodeReader::new(text, open, open + 1) }
    }

    /// Offset of the opening brace.
    pub(super) fn open(&self) -> usize {
        self.open
    }

    /// Offset after the last token.
    pub(super) fn offset(&self) -> usize {
        self.lexer.offset()
    }

    /// Continues after markup that ends at an offset.
    pub(super) fn resume(&mut self, at: usize) {
        self.lexer.resume(at);
        self.is_after_markup = true;
    }

    /// Returns the end of the code after its closing brace. `None` if the code cannot be read. The code has no markup.
    pub(super) fn end(mut self) -> Option<usize> {
        loop {
            match self.next() {
                CodeStep::Inside => {}
                CodeStep::Closed(end) => return Some(end),
                CodeStep::Markup(_) | CodeStep::Unreadable => return None,
            }
        }
    }

    /// Reads the next token.
    pub(super) fn next(&mut self) -> CodeStep {
        let at = self.lexer.skip_blank();
        if self.has_markup && self.starts_markup(at) {
            return CodeStep::Markup(at);
        }
        if self.is_doubtful_slash(at) {
            return CodeStep::Unreadable;
        }
        let Some((token, range)) = self.lexer.next() else { return CodeStep::Unreadable };
        if self.lexer.has_unclosed_literal() {
            return CodeStep::Unreadable;
        }
        self.is_after_markup &= token == JsToken::Comment;
        match token {
            JsToken::Punctuation(b'{') => self.braces += 1,
            JsToken::Punctuation(b'}') if self.braces == 0 => return CodeStep::Closed(range.end),
            JsToken::Punctuation(b'}') => self.braces -= 1,
            _ => {}
        }
        CodeStep::Inside
    }

    /// Returns whether a tag or a comment starts at an offset: `<` in place of an operand.
    fn starts_markup(&self, at: usize) -> bool {
        let Some(rest) = self.text[at..].strip_prefix('<') else { return false };
        let is_tag = rest.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '>' | '/'));
        (is_tag || rest.starts_with("!--")) && (self.is_after_markup || self.lexer.expects_operand())
    }

    /// Returns whether a slash may start a regular expression with braces, quotes or `<`, which would be misread. After
    /// `)` or `}` in a block of statements, the lexer takes every slash as a division.
    fn is_doubtful_slash(&self, at: usize) -> bool {
        if self.braces == 0 || !self.text[at..].starts_with('/') || !self.lexer.follows_bracket() {
            return false;
        }
        let rest = &self.text.as_bytes()[at + 1..];
        let mut inner = rest.iter().take(MAX_REGEX).take_while(|byte| !matches!(byte, b'/' | b'\n' | b'\r'));
        let is_comment = matches!(rest.first(), Some(b'/' | b'*'));
        let ends = rest.iter().take(MAX_REGEX).find(|byte| matches!(byte, b'/' | b'\n' | b'\r'));
        !is_comment && ends == Some(&b'/') && inner.any(|byte| b"{}\"'`<".contains(byte))
    }
}
