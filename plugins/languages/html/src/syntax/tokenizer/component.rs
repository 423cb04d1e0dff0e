//! Tokens of components: markup with code in braces, and attributes whose values are code.

use marquetry_sdk::Span;
use memchr::memchr2;

use super::code::{CodeReader, CodeStep, Frame};
use super::{Code, Content, Tag, Token, Tokenizer};
use crate::syntax::builder::VOID;
use crate::syntax::{Dialect, Name};

/// Maximum nesting of attributes whose values contain elements with attributes.
const MAX_NESTING: usize = 32;

impl<'t> Tokenizer<'t> {
    /// Reads text, code or markup; `None` if it produces no token.
    pub(super) fn component(&mut self) -> Option<Token> {
        if matches!(self.frames.last(), Some(Frame::Code(_))) {
            return self.code();
        }
        let end = self.text_end(self.at);
        if end > self.at {
            return Some(self.text_token(end));
        }
        if self.byte(self.at) == b'<' { self.markup() } else { self.braces() }
    }

    /// Returns the offset of the next code or markup.
    fn text_end(&self, from: usize) -> usize {
        let mut at = from;
        while let Some(found) = memchr2(b'<', b'{', &self.bytes()[at..]) {
            at += found;
            let next = self.byte(at + 1);
            let is_end = match self.byte(at) {
                b'{' if self.verbatim => false,
                b'{' => self.dialect.has_braces() || next == b'{',
                _ => {
                    matches!(next, b'!' | b'?')
                        || next.is_ascii_alphabetic()
                        || next == b'/' && at + 2 < self.text.len()
                        || next == b'>' && self.dialect == Dialect::Astro
                }
            };
            if is_end {
                return at;
            }
            at += 1;
        }
        self.text.len()
    }

    /// Reads code that starts at the current position.
    fn braces(&mut self) -> Option<Token> {
        let start = self.at;
        let end = match self.dialect {
            Dialect::Astro => {
                self.frames.push(Frame::Code(CodeReader::with_markup(self.text, start)));
                return self.code();
            }
            // Vue searches for the delimiter without reading the code.
            Dialect::Vue => self.text[start..].find("}}").map(|end| start + end + 2),
            _ => CodeReader::new(self.text, start, self.block_code(start)).end(),
        };
        if end.is_none() {
            self.report(Code::UnclosedExpression, start..start + 1);
        }
        Some(self.code_token(end.unwrap_or(self.text.len())))
    }

    /// Returns the offset of the code in braces: after the name of a block such as `{#if`, `{:else`, `{/if` or `{@html`.
    fn block_code(&self, start: usize) -> usize {
        let inner = &self.text[start + 1..];
        let code = inner.trim_start();
        let at = start + 1 + inner.len() - code.len();
        let Some(word) = code.strip_prefix(['#', ':', '@', '/']) else { return at };
        let letters = word.bytes().take_while(u8::is_ascii_alphabetic).count();
        let rest = word[letters..].trim_start();
        match rest.strip_prefix("if").filter(|_| &word[..letters] == "else") {
            Some(condition) if condition.starts_with(char::is_whitespace) => self.text.len() - condition.len(),
            _ if letters == 0 => at,
            _ => at + 1 + letters,
        }
    }

    /// Reads code of an Astro component up to the next markup in it, or to its closing brace.
    fn code(&mut self) -> Option<Token> {
        let start = self.at;
        loop {
            let Some(Frame::Code(code)) = self.frames.last_mut() else { return None };
            if code.offset() < start {
                code.resume(start);
            }
            match code.next() {
                CodeStep::Inside => {}
                CodeStep::Markup(at) if at > start => return Some(self.code_token(at)),
                CodeStep::Markup(_) => return self.markup(),
                CodeStep::Closed(end) => {
                    self.frames.pop();
                    return Some(self.code_token(end));
                }
                CodeStep::Unreadable => {
                    let open = code.open();
                    self.report(Code::UnclosedExpression, open..open + 1);
                    self.frames.clear();
                    return Some(self.code_token(self.text.len()));
                }
            }
        }
    }

    fn code_token(&mut self, end: usize) -> Token {
        self.code.push(Span::new(self.at, end));
        self.text_token(end)
    }

    /// Reads a tag, a comment or a doctype.
    fn markup(&mut self) -> Option<Token> {
        let start = self.at;
        let rest = &self.bytes()[start + 1..];
        let is_astro = self.dialect == Dialect::Astro;
        match rest {
            [b'!', b'-', b'-', ..] => Some(self.comment(start)),
            [b'!', ..] => Some(self.declaration(false)),
            [b'>', ..] if is_astro => {
                self.frames.push(Frame::Element(""));
                Some(self.code_token(start + 2))
            }
            [b'/', b'>', ..] if is_astro => {
                self.leave_element("");
                Some(self.code_token(start + 3))
            }
            [b'/', letter, ..] if letter.is_ascii_alphabetic() => self.tag(start, start + 2, true),
            [letter, ..] if letter.is_ascii_alphabetic() => self.tag(start, start + 1, false),
            _ => {
                self.report(Code::IncorrectlyOpenedComment, start..start + 2);
                Some(self.bogus_comment(start, start + 2))
            }
        }
    }

    /// Follows a tag of a component: into the element, out of it, or to its raw text.
    pub(super) fn follow_tag(&mut self, tag: &Tag, is_end: bool) {
        let name = tag_name(tag.span.slice(self.text));
        if is_end {
            return self.leave_element(name);
        }
        if tag.self_closing || VOID.contains(tag.name) {
            return;
        }
        if self.dialect == Dialect::Astro {
            self.frames.push(Frame::Element(name));
        }
        let attributes = &self.attributes[tag.attributes.start as usize..tag.attributes.end as usize];
        let is_raw = matches!(tag.name, Name::SCRIPT | Name::STYLE | Name::TEXTAREA | Name::TITLE)
            || self.dialect == Dialect::Astro
                && attributes.iter().any(|attribute| attribute.name.slice(self.text) == "is:raw");
        if is_raw {
            self.switch(Content::Raw, tag);
        }
    }

    fn leave_element(&mut self, name: &str) {
        self.frames.pop_if(|frame| matches!(frame, Frame::Element(open) if *open == name));
    }

    /// Returns the end of the code in braces that starts at an offset: the value of an attribute, or a spread.
    pub(super) fn expression_end(&mut self, start: usize) -> Option<usize> {
        let end = match self.dialect {
            Dialect::Astro => self.end_with_markup(start),
            _ => CodeReader::new(self.text, start, start + 1).end(),
        };
        if end.is_none() {
            self.report(Code::UnclosedExpression, start..start + 1);
        }
        end
    }

    /// Returns the end of code that can contain elements.
    fn end_with_markup(&self, start: usize) -> Option<usize> {
        if self.nesting == MAX_NESTING {
            return None;
        }
        let mut inner = Tokenizer::new(self.text, self.dialect);
        (inner.at, inner.nesting) = (start, self.nesting + 1);
        inner.braces();
        while !inner.frames.is_empty() {
            if matches!(inner.next(false), Token::Eof) {
                return None;
            }
        }
        inner.diagnostics.iter().all(|found| !found.code.prevents_reading()).then_some(inner.at)
    }

    /// Reads the value of an attribute: code in braces, a string, or text without quotes.
    pub(super) fn braced_value(&mut self, name: Span) -> Option<Span> {
        let start = self.at;
        match self.byte(start) {
            b'{' => {
                let end = self.expression_end(start)?;
                self.at = end;
                let is_whole = self.dialect == Dialect::Astro || matches!(self.byte(end), b'/' | b'>') || {
                    self.byte(end).is_ascii_whitespace()
                };
                if is_whole {
                    return Some(Span::new(start + 1, end - 1));
                }
                self.unquoted_value(start)
            }
            b'`' if self.dialect == Dialect::Astro => {
                let end = crate::js_lexer::template_end(self.text, start)?;
                self.at = end;
                Some(Span::new(start + 1, end - 1))
            }
            quote @ (b'"' | b'\'') if self.dialect == Dialect::Svelte => {
                self.at = start + 1;
                let end = self.skip_to(|byte, _| byte == quote)?;
                self.at = end + 1;
                Some(Span::new(start + 1, end))
            }
            b'"' | b'\'' => self.value(name),
            _ => self.unquoted_value(start),
        }
    }

    /// Reads the rest of a value without quotes.
    fn unquoted_value(&mut self, start: usize) -> Option<Span> {
        let end =
            self.skip_to(|byte, next| byte.is_ascii_whitespace() || byte == b'>' || byte == b'/' && next == b'>')?;
        Some(Span::new(start, end))
    }

    /// Skips text and, in Svelte, code in braces, up to a byte. Returns its offset. `is_end` also gets the byte after
    /// it.
    fn skip_to(&mut self, is_end: impl Fn(u8, u8) -> bool) -> Option<usize> {
        while self.at < self.text.len() {
            let byte = self.byte(self.at);
            if is_end(byte, self.byte(self.at + 1)) {
                return Some(self.at);
            }
            self.at = match byte {
                b'{' if self.dialect == Dialect::Svelte => self.expression_end(self.at)?,
                _ => self.at + 1,
            };
        }
        None
    }
}

/// Returns the name in a tag.
pub(in crate::syntax) fn tag_name(tag: &str) -> &str {
    let name = tag.trim_start_matches(['<', '/']);
    &name[..name.find(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>')).unwrap_or(name.len())]
}
