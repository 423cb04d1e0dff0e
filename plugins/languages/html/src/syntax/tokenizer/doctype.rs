//! Doctypes.

use marquetry_sdk::Span;
use memchr::{memchr, memchr2};

use super::{Code, Tokenizer};

/// `<!DOCTYPE …>` and its parts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Doctype {
    pub(crate) span: Option<Span>,
    /// Name, in lower case.
    pub(crate) name: String,
    pub(crate) public: Option<String>,
    pub(crate) system: Option<String>,
    /// The force-quirks flag of the standard, which is set if the doctype is malformed.
    pub(crate) broken: bool,
}

impl Tokenizer<'_> {
    pub(super) fn doctype(&mut self, start: usize) -> Doctype {
        let mut doctype = Doctype::default();
        self.at = start + 9;
        self.skip_blank();
        let name = self.at;
        while self.at < self.text.len() && !self.byte(self.at).is_ascii_whitespace() && self.byte(self.at) != b'>' {
            self.at += 1;
        }
        doctype.name = self.text[name..self.at].to_ascii_lowercase();
        doctype.broken = doctype.name.is_empty() || !self.identifiers(&mut doctype);
        if self.dialect.is_xml() && self.byte(self.at) == b'[' {
            self.internal_subset();
        }
        // The rest of the doctype is ignored.
        match memchr(b'>', &self.bytes()[self.at..]) {
            Some(found) => self.at += found + 1,
            None => {
                self.at = self.text.len();
                doctype.broken = true;
                self.report(Code::EofInDoctype, start..start + 9);
            }
        }
        if doctype.broken {
            self.report(Code::MalformedDoctype, start..self.at);
        }
        doctype.span = Some(Span::new(start, self.at));
        doctype
    }

    /// Reads the public and the system identifier. Returns whether they are well-formed.
    fn identifiers(&mut self, doctype: &mut Doctype) -> bool {
        self.skip_blank();
        let word = self.bytes().get(self.at..self.at + 6).unwrap_or_default();
        let (public, system) = (word.eq_ignore_ascii_case(b"public"), word.eq_ignore_ascii_case(b"system"));
        if !public && !system {
            return self.at >= self.text.len() || matches!(self.byte(self.at), b'>' | b'[');
        }
        self.at += 6;
        self.skip_blank();
        if public {
            let Some((identifier, closed)) = self.quoted() else { return false };
            doctype.public = Some(identifier);
            self.skip_blank();
            if !closed || !matches!(self.byte(self.at), b'"' | b'\'') {
                return closed && self.byte(self.at) == b'>';
            }
        }
        let Some((identifier, closed)) = self.quoted() else { return false };
        doctype.system = Some(identifier);
        self.skip_blank();
        closed
    }

    /// Reads a quoted identifier. Also returns whether its quote is closed; if it is not, the identifier ends at the
    /// next `>`.
    fn quoted(&mut self) -> Option<(String, bool)> {
        let quote = self.byte(self.at);
        if quote != b'"' && quote != b'\'' {
            return None;
        }
        let start = self.at + 1;
        let end = memchr2(quote, b'>', &self.bytes()[start..]).map_or(self.text.len(), |found| start + found);
        let closed = self.byte(end) == quote;
        self.at = if closed { end + 1 } else { end };
        Some((self.text[start..end].to_owned(), closed))
    }

    /// Skips the declarations in the brackets of an XML doctype.
    fn internal_subset(&mut self) {
        while self.at < self.text.len() && self.byte(self.at) != b']' {
            let quote = self.byte(self.at);
            self.at += 1;
            if matches!(quote, b'"' | b'\'') {
                self.at += memchr(quote, &self.bytes()[self.at..]).map_or(0, |found| found + 1);
            }
        }
    }

    pub(super) fn skip_blank(&mut self) {
        while self.byte(self.at).is_ascii_whitespace() {
            self.at += 1;
        }
    }
}
