//! Parses string and number literals.

use super::{Parser, Result};

impl Parser<'_> {
    /// Parses a string in single or double quotes.
    pub(super) fn string(&mut self) -> Result<String> {
        let start = self.at;
        let quote = self.rest().chars().next().unwrap_or_default();
        self.at += 1;
        let mut value = String::new();
        loop {
            let Some(c) = self.rest().chars().next() else {
                return Err(self.error_at(start, "unclosed string"));
            };
            match c {
                _ if c == quote => {
                    self.at += 1;
                    return Ok(value);
                }
                '\\' => value.push(self.escape(quote)?),
                '\0'..' ' => {
                    return Err(self.error("control characters in strings must be escaped"));
                }
                _ => {
                    self.at += c.len_utf8();
                    value.push(c);
                }
            }
        }
    }

    fn escape(&mut self, quote: char) -> Result<char> {
        let start = self.at;
        self.at += 1;
        let c = self.rest().chars().next().unwrap_or_default();
        self.at += c.len_utf8().min(self.rest().len());
        Ok(match c {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '/' | '\\' => c,
            'u' => return self.unicode_escape(start),
            _ if c == quote => c,
            _ => return Err(self.error_at(start, "unknown escape sequence")),
        })
    }

    fn unicode_escape(&mut self, start: usize) -> Result<char> {
        let wrong = |parser: &Self| parser.error_at(start, "`\\u` needs four hexadecimal digits (paired surrogates)");
        let unit = self.hex_digits().ok_or_else(|| wrong(self))?;
        let code = match unit {
            0xD800..0xDC00 => {
                let low = if self.eat("\\u") { self.hex_digits() } else { None };
                match low {
                    Some(low @ 0xDC00..0xE000) => 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00),
                    _ => return Err(wrong(self)),
                }
            }
            _ => unit,
        };
        char::from_u32(code).ok_or_else(|| wrong(self))
    }

    fn hex_digits(&mut self) -> Option<u32> {
        let digits = self.rest().get(..4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }

    /// Parses a JSON number.
    pub(super) fn number(&mut self) -> Result<f64> {
        let rest = self.rest();
        let end =
            rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '-' | '.')).unwrap_or(rest.len());
        let text = &rest[..end];
        match text.parse() {
            Ok(value) if crate::is_number(text) => {
                self.at += end;
                Ok(value)
            }
            _ => Err(self.error(format!("`{text}` is not a number"))),
        }
    }
}
