//! Tags and their attributes.

use std::collections::BTreeSet;

use marquetry_sdk::Span;
use memchr::memchr;

use super::{Attribute, Code, Tag, Token, Tokenizer};

/// A tag with at least this number of attributes is searched for duplicates by means of a set.
const MANY_ATTRIBUTES: usize = 24;

impl Tokenizer<'_> {
    /// Reads the tag whose name starts at `name`. `None` if the text ends within the tag.
    pub(super) fn tag(&mut self, start: usize, name: usize, end_tag: bool) -> Option<Token> {
        self.at = name;
        self.skip_to_end_of_name(b"/>");
        let name = name..self.at;
        let first = self.attributes.len();
        let Some(self_closing) = self.attributes() else {
            // Code that is not closed is the reason, and has been reported.
            if self.diagnostics.last().is_none_or(|last| last.code != Code::UnclosedExpression) {
                self.report(Code::EofInTag, start..name.end);
            }
            self.attributes.truncate(first);
            self.at = self.text.len();
            return None;
        };
        let span = Span::new(start, self.at);
        let spelling = &self.text[name];
        let name = match self.dialect.has_exact_names() {
            true if spelling.contains('\0') => self.names.intern(&spelling.replace('\0', "\u{fffd}")),
            true => self.names.intern(spelling),
            false => self.names.intern_lower(spelling),
        };
        if end_tag {
            if self.attributes.len() > first {
                self.report(Code::EndTagWithAttributes, span);
                self.attributes.truncate(first);
            }
            if self_closing {
                self.report(Code::EndTagWithTrailingSolidus, span);
            }
        } else {
            self.check_duplicates(first);
        }
        let attributes = first as u32..self.attributes.len() as u32;
        let tag = Tag { span, name, self_closing, attributes };
        if self.dialect.is_component() {
            self.follow_tag(&tag, end_tag);
        }
        Some(if end_tag { Token::End(tag) } else { Token::Start(tag) })
    }

    /// Skips to the next white space, or to one of the given bytes.
    pub(super) fn skip_to_end_of_name(&mut self, ends: &[u8]) {
        let rest = &self.bytes()[self.at..];
        let end = rest.iter().position(|byte| byte.is_ascii_whitespace() || ends.contains(byte));
        self.at += end.unwrap_or(rest.len());
    }

    /// Reads the attributes and the `>` after them. Returns whether the tag ends with `/>`. `None` if the text ends
    /// before the `>`.
    fn attributes(&mut self) -> Option<bool> {
        loop {
            let before = self.at;
            self.skip_blank();
            if self.at >= self.text.len() {
                return None;
            }
            match self.byte(self.at) {
                b'>' => {
                    self.at += 1;
                    return Some(false);
                }
                b'/' if self.byte(self.at + 1) == b'>' => {
                    self.at += 2;
                    return Some(true);
                }
                b'/' => {
                    self.report(Code::UnexpectedSolidus, self.at..self.at + 1);
                    self.at += 1;
                }
                b'{' if self.dialect.has_braces() => {
                    let start = self.at;
                    self.at = self.expression_end(start)?;
                    self.attributes.push(Attribute { name: Span::new(start, self.at), value: None });
                }
                _ => {
                    if self.at == before && self.byte(before - 1) != b'/' {
                        self.report(Code::MissingWhitespace, Span::at(before));
                    }
                    self.attribute()?;
                }
            }
        }
    }

    fn attribute(&mut self) -> Option<()> {
        let start = self.at;
        if self.byte(start) == b'=' {
            self.report(Code::UnexpectedEquals, start..start + 1);
            self.at += 1;
        }
        self.skip_to_end_of_name(b"/>=");
        let name = Span::new(start, self.at);
        if name.slice(self.text).contains(['"', '\'', '<']) {
            self.report(Code::UnexpectedCharacterInName, name);
        }
        self.skip_blank();
        if self.byte(self.at) != b'=' {
            self.at = name.range().end;
            self.attributes.push(Attribute { name, value: None });
            return Some(());
        }
        self.at += 1;
        self.skip_blank();
        let value = if self.dialect.has_braces() { self.braced_value(name)? } else { self.value(name)? };
        self.attributes.push(Attribute { name, value: Some(value) });
        Some(())
    }

    pub(super) fn value(&mut self, name: Span) -> Option<Span> {
        let start = self.at;
        let quote = self.byte(start);
        if quote == b'"' || quote == b'\'' {
            let end = start + 1 + memchr(quote, &self.bytes()[start + 1..])?;
            self.at = end + 1;
            return Some(Span::new(start + 1, end));
        }
        self.skip_to_end_of_name(b">");
        let value = Span::new(start, self.at);
        if value.is_empty() {
            self.report(Code::MissingAttributeValue, name);
        } else if value.slice(self.text).contains(['"', '\'', '<', '=', '`']) {
            self.report(Code::UnexpectedCharacterInValue, value);
        }
        Some(value)
    }

    /// Reports attributes whose name another attribute of the tag before them has. Browsers ignore them: outside of
    /// components they are removed.
    fn check_duplicates(&mut self, first: usize) {
        let (text, exact) = (self.text, self.dialect.has_exact_names());
        let same = |a: Span, b: Span| match exact {
            true => self.dialect.unique_name(a.slice(text)) == self.dialect.unique_name(b.slice(text)),
            false => a.slice(text).eq_ignore_ascii_case(b.slice(text)),
        };
        let may_repeat = |name: Span| self.dialect.may_repeat(name.slice(text));
        let mut repeated = Vec::new();
        let given = &self.attributes[first..];
        if given.len() < MANY_ATTRIBUTES {
            for (index, attribute) in given.iter().enumerate() {
                let is_repeated = given[..index].iter().any(|before| same(before.name, attribute.name));
                if is_repeated && !may_repeat(attribute.name) {
                    repeated.push(attribute.name);
                }
            }
        } else {
            let mut seen = BTreeSet::new();
            for attribute in given {
                let name = self.dialect.unique_name(attribute.name.slice(text));
                let is_new = seen.insert(if exact { name.to_owned() } else { name.to_ascii_lowercase() });
                if !is_new && !may_repeat(attribute.name) {
                    repeated.push(attribute.name);
                }
            }
        }
        if repeated.is_empty() {
            return;
        }
        if !self.dialect.is_component() {
            let mut next = repeated.iter().copied().peekable();
            let mut given = self.attributes.split_off(first);
            given.retain(|attribute| next.next_if_eq(&attribute.name).is_none());
            self.attributes.append(&mut given);
        }
        for name in repeated {
            self.report(Code::DuplicateAttribute, name);
        }
    }
}
