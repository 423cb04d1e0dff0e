//! Raw text: content of scripts, styles, titles and text areas.

use marquetry_sdk::Span;
use memchr::{memchr, memchr2};

use super::{Code, Content, Token, Tokenizer};

/// Escape state of a script.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escape {
    None,
    /// After `<!--`.
    Comment,
    /// After `<!-- <script`. The next `</script>` closes only this inner `<script`.
    Nested,
}

impl Tokenizer<'_> {
    /// Reads the text up to the end tag of the element. At the end tag, reads the tag.
    pub(super) fn raw(&mut self) -> Option<Token> {
        let mut at = self.at;
        while let Some(found) = memchr(b'<', &self.bytes()[at..]) {
            at += found;
            if self.closes_raw(at) {
                return self.text_or_end_tag(at);
            }
            at += 1;
        }
        Some(self.text_token(self.text.len()))
    }

    fn text_or_end_tag(&mut self, at: usize) -> Option<Token> {
        if at > self.at {
            return Some(self.text_token(at));
        }
        self.content = Content::Data;
        self.tag(at, at + 2, true)
    }

    /// Returns whether the end tag of the raw text starts at this offset.
    fn closes_raw(&self, at: usize) -> bool {
        self.byte(at + 1) == b'/' && self.is_name(at + 2, self.raw_name.as_bytes())
    }

    fn is_name(&self, at: usize, name: &[u8]) -> bool {
        let end = at + name.len();
        let here = self.bytes().get(at..end);
        here.is_some_and(|here| here.eq_ignore_ascii_case(name))
            && (self.byte(end).is_ascii_whitespace() || matches!(self.byte(end), b'/' | b'>'))
    }

    /// Reads the text of a script. In `<!-- <script> </script> -->`, the end tag is part of the text.
    pub(super) fn script(&mut self) -> Option<Token> {
        let mut escape = Escape::None;
        let mut opened = self.at;
        let mut at = self.at;
        loop {
            let next = match escape {
                Escape::None => memchr(b'<', &self.bytes()[at..]),
                _ => memchr2(b'<', b'-', &self.bytes()[at..]),
            };
            let Some(found) = next else { break };
            at += found;
            let rest = &self.bytes()[at..];
            if rest[0] == b'-' {
                let dashes = rest.iter().take_while(|byte| **byte == b'-').count();
                if dashes >= 2 && rest.get(dashes) == Some(&b'>') {
                    escape = Escape::None;
                }
                at += dashes;
                continue;
            }
            match escape {
                Escape::None if rest.starts_with(b"<!--") => {
                    (escape, opened) = (Escape::Comment, at);
                    // Do not skip the dashes, because they can also close the comment, as in `<!-->`.
                    at += 2;
                    continue;
                }
                Escape::None | Escape::Comment if self.closes_raw(at) => return self.text_or_end_tag(at),
                Escape::Comment if self.is_name(at + 1, b"script") => escape = Escape::Nested,
                Escape::Nested if rest.get(1) == Some(&b'/') && self.is_name(at + 2, b"script") => {
                    escape = Escape::Comment;
                }
                _ => {}
            }
            at += 1;
        }
        if escape != Escape::None {
            self.report(Code::EofInScript, Span::at(opened));
        }
        Some(self.text_token(self.text.len()))
    }
}
