//! Lexer for JavaScript in a `script`: literals, comments, words and punctuation.
//!
//! This is not a parser. The previous token decides whether a slash starts a regular expression or is a division. After
//! a closing bracket, this decision can be wrong. If the wrong decision could move the boundaries of template literals,
//! the lexer marks its result as uncertain.

use std::ops::Range;

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsToken {
    Comment,
    /// A quoted string.
    Text,
    /// Characters of a template literal, including the delimiters at both ends: a backtick, `${` or `}`.
    Template,
    Regex,
    /// A name, keyword or number.
    Word,
    Punctuation(u8),
}

/// The lexer. It does not return white space.
#[derive(Debug)]
pub(crate) struct JsLexer<'t> {
    code: &'t str,
    at: usize,
    /// For each open brace, true if it belongs to a `${` in a template literal.
    braces: Vec<bool>,
    /// Previous token, except comments, and its range.
    previous: Option<(JsToken, usize, usize)>,
    /// True if the code may have been misread.
    is_uncertain: bool,
    /// True if a string or a regular expression ended without its delimiter.
    has_unclosed_literal: bool,
}

/// Keywords after which a slash starts a regular expression.
const BEFORE_REGEX: [&str; 14] = [
    "await",
    "case",
    "delete",
    "do",
    "else",
    "in",
    "instanceof",
    "new",
    "of",
    "return",
    "throw",
    "typeof",
    "void",
    "yield",
];

impl<'t> JsLexer<'t> {
    pub(crate) fn new(code: &'t str) -> JsLexer<'t> {
        JsLexer::starting_at(code, 0)
    }

    /// A lexer for the code at an offset of a text.
    pub(crate) fn starting_at(code: &'t str, at: usize) -> JsLexer<'t> {
        let (is_uncertain, has_unclosed_literal) = (false, false);
        JsLexer { code, at, braces: Vec::new(), previous: None, is_uncertain, has_unclosed_literal }
    }

    /// Offset of the next token, or of the white space before it.
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// Continues at an offset, after an operand that the lexer did not read.
    pub(crate) fn resume(&mut self, at: usize) {
        self.at = at;
        self.previous = Some((JsToken::Text, at, at));
    }

    /// Returns whether a string or a regular expression ended without its delimiter.
    pub(crate) fn has_unclosed_literal(&self) -> bool {
        self.has_unclosed_literal
    }

    /// Skips white space. Returns the offset of the next token.
    pub(crate) fn skip_blank(&mut self) -> usize {
        let rest = &self.code[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.at
    }

    /// Returns whether the code was certainly read correctly. Must be called after the last token.
    fn is_certain(&self) -> bool {
        !self.is_uncertain && !self.braces.contains(&true)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.code.as_bytes().get(at).copied()
    }

    /// Returns the next token and its range.
    pub(crate) fn next(&mut self) -> Option<(JsToken, Range<usize>)> {
        let start = self.skip_blank();
        let byte = self.byte(start)?;
        let piece = match byte {
            b'/' if self.byte(start + 1) == Some(b'/') => {
                self.at = self.line_end(start);
                JsToken::Comment
            }
            b'/' if self.byte(start + 1) == Some(b'*') => {
                let end = self.code[start + 2..].find("*/").map(|end| start + 2 + end + 2);
                self.at = end.unwrap_or(self.code.len());
                JsToken::Comment
            }
            b'/' if self.starts_regex(start) => self.regex(),
            b'"' | b'\'' => self.string(byte),
            b'`' => self.template(start + 1),
            b'}' if self.braces.pop() == Some(true) => self.template(start + 1),
            b'{' => {
                self.braces.push(false);
                self.read_punctuation(byte)
            }
            _ if is_word(byte) => {
                let word = self.code[start..].bytes().take_while(|byte| is_word(*byte)).count();
                self.at += word;
                JsToken::Word
            }
            _ => self.read_punctuation(byte),
        };
        if piece != JsToken::Comment {
            self.previous = Some((piece, start, self.at));
        }
        Some((piece, start..self.at))
    }

    fn read_punctuation(&mut self, byte: u8) -> JsToken {
        self.at += 1;
        JsToken::Punctuation(byte)
    }

    fn line_end(&self, at: usize) -> usize {
        memchr::memchr2(b'\n', b'\r', &self.code.as_bytes()[at..]).map_or(self.code.len(), |end| at + end)
    }

    /// Reads a string up to its quote or the end of the line.
    fn string(&mut self, quote: u8) -> JsToken {
        self.at += 1;
        while let Some(byte) = self.byte(self.at) {
            match byte {
                b'\\' => self.at = self.escape_end(),
                b'\n' | b'\r' => break,
                _ => self.at += 1,
            }
            if byte == quote {
                return JsToken::Text;
            }
        }
        self.has_unclosed_literal = true;
        JsToken::Text
    }

    /// Returns the offset after the escape at the current position: a backslash and one character, or a backslash and
    /// `\r\n`.
    fn escape_end(&self) -> usize {
        let escaped = &self.code[self.at + 1..];
        let len = if escaped.starts_with("\r\n") { 2 } else { escaped.chars().next().map_or(0, char::len_utf8) };
        self.at + 1 + len
    }

    /// Reads characters of a template literal from the offset, up to the end of the literal or to the next `${`.
    fn template(&mut self, from: usize) -> JsToken {
        self.at = from;
        while let Some(byte) = self.byte(self.at) {
            match byte {
                b'\\' => self.at = self.escape_end(),
                b'`' => {
                    self.at += 1;
                    return JsToken::Template;
                }
                b'$' if self.byte(self.at + 1) == Some(b'{') => {
                    self.at += 2;
                    self.braces.push(true);
                    return JsToken::Template;
                }
                _ => self.at += 1,
            }
        }
        self.is_uncertain = true;
        JsToken::Template
    }

    fn starts_regex(&mut self, at: usize) -> bool {
        if self.follows_bracket() {
            // Assume that the slash is a division. If it starts a regular expression that contains a backtick or `/*`,
            // the code after it would be misread.
            let line = &self.code[at..self.line_end(at)];
            self.is_uncertain |= line.contains('`') || line[1..].contains("/*");
        }
        self.expects_operand()
    }

    /// Returns whether the previous token is `)` or `}`.
    pub(crate) fn follows_bracket(&self) -> bool {
        matches!(self.previous, Some((JsToken::Punctuation(b')' | b'}'), ..)))
    }

    /// Returns whether the next token is an operand and not an operator. Only the previous token is considered.
    pub(crate) fn expects_operand(&self) -> bool {
        let Some((piece, from, to)) = self.previous else { return true };
        match piece {
            JsToken::Word => BEFORE_REGEX.contains(&&self.code[from..to]),
            JsToken::Punctuation(b')' | b'}' | b']') | JsToken::Text | JsToken::Template | JsToken::Regex => false,
            // The second sign of `++` or `--`: the operand before it is complete.
            JsToken::Punctuation(sign @ (b'+' | b'-')) => from == 0 || self.byte(from - 1) != Some(sign),
            JsToken::Punctuation(_) | JsToken::Comment => true,
        }
    }

    /// Reads a regular expression up to its closing slash or the end of the line. Its flags become a separate word
    /// token.
    fn regex(&mut self) -> JsToken {
        self.at += 1;
        let mut class = false;
        while let Some(byte) = self.byte(self.at) {
            match byte {
                b'\n' | b'\r' => break,
                b'\\' => {
                    self.at = self.escape_end();
                    continue;
                }
                b'[' => class = true,
                b']' => class = false,
                _ => {}
            }
            self.at += 1;
            if byte == b'/' && !class {
                return JsToken::Regex;
            }
        }
        self.has_unclosed_literal = true;
        JsToken::Regex
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'#' | b'\\') || byte >= 0x80
}

/// Returns the end of the template literal that starts at an offset of a text. `None` if it is not closed.
pub(crate) fn template_end(text: &str, start: usize) -> Option<usize> {
    let mut lexer = JsLexer::starting_at(text, start);
    loop {
        let (token, range) = lexer.next()?;
        if token == JsToken::Template && lexer.braces.is_empty() {
            return text[range.clone()].ends_with('`').then_some(range.end);
        }
    }
}

/// Returns the ranges of multi-line literals in JavaScript. `None` if the code may have been misread.
pub(crate) fn multiline_literals(code: &str) -> Option<Vec<Range<usize>>> {
    let mut scanner = JsLexer::new(code);
    let mut found = Vec::new();
    while let Some((piece, range)) = scanner.next() {
        if matches!(piece, JsToken::Template | JsToken::Text) && code[range.clone()].contains(['\n', '\r']) {
            found.push(range);
        }
    }
    scanner.is_certain().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(code: &str, expected: Option<&[&str]>) {
        let found = multiline_literals(code);
        let shown = found.map(|found| found.into_iter().map(|range| &code[range]).collect::<Vec<_>>());
        assert_eq!(shown.as_deref(), expected, "{code}");
    }

    #[test]
    fn multiline_literals_are_found() {
        check("a(`x`);\nb('`');\n", Some(&[]));
        check("a(`\n`);", Some(&["`\n`"]));
        check("a(`\n${b({ c: `\n` })}\n`);", Some(&["`\n${", "`\n`", "}\n`"]));
        check("// it's `\n/* ` */ a(/[`/]`/, \"`\")\nb", Some(&[]));
        check("a = 'b\\\n  c';", Some(&["'b\\\n  c'"]));
        check("a = b / c; d = `\n`; e = f / g", Some(&["`\n`"]));
        check("return /`/.test(`\n`)", Some(&["`\n`"]));
    }

    #[test]
    fn uncertain_code_gives_none() {
        check("a(`\n", None);
        check("if (a) /`/.test(b);\nc(`\n`)", None);
        check("a(`${ `\n", None);
        check("(a) / b", Some(&[]));
    }
}
