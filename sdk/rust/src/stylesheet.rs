//! CSS inside of other formats: the addresses and strings in it.
//!
//! Parses just enough syntax to distinguish addresses, strings and comments. Whole stylesheets are parsed by the
//! language pack for CSS.

pub mod chars;
pub mod modules;
pub mod names;
pub mod words;

use std::ops::Range;

/// The purpose of an address in a stylesheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrlKind {
    /// `@import "a.css"` or `@import url(a.css)`.
    Import,
    /// `url(a.png)`, or a string of `image-set(…)`.
    Url,
}

/// All constant addresses in some CSS, without quotes, in document order. Leaves out addresses with escapes, and
/// those of `@namespace`, which do not name a file.
pub fn urls(css: &str) -> Vec<(UrlKind, Range<usize>)> {
    if !css.contains('(') && !css.contains('@') {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut reader = Reader { css, at: 0 };
    // For every open bracket, whether strings directly in it are addresses.
    let mut brackets: Vec<bool> = Vec::new();
    let mut rule = Rule::None;
    while let Some(part) = reader.next() {
        let text = &css[part.range()];
        match part {
            Token::String(ref range) if rule == Rule::Import => {
                found.extend(inside_quotes(css, range.clone()).map(|at| (UrlKind::Import, at)))
            }
            Token::String(ref range) if brackets.last() == Some(&true) => {
                found.extend(inside_quotes(css, range.clone()).map(|at| (UrlKind::Url, at)));
            }
            Token::Word(_) if is_any(text, &["url", "src"]) && reader.is_at(b'(') => {
                let address = reader.url();
                if let Some(address) = address.filter(|_| rule != Rule::Namespace) {
                    found.push((if rule == Rule::Import { UrlKind::Import } else { UrlKind::Url }, address));
                }
            }
            Token::Word(_) if reader.is_at(b'(') => {
                reader.at += 1;
                brackets.push(is_any(text, &["image-set", "-webkit-image-set"]));
            }
            Token::Word(ref range) if range.start > 0 && css.as_bytes()[range.start - 1] == b'@' => {
                rule = match () {
                    () if text.eq_ignore_ascii_case("import") => Rule::Import,
                    () if text.eq_ignore_ascii_case("namespace") => Rule::Namespace,
                    () => Rule::None,
                };
                continue; // `rule` must be kept for the next token
            }
            Token::Sign(_, b'(') => brackets.push(false),
            Token::Sign(_, b')') => drop(brackets.pop()),
            Token::Sign(_, b'@') | Token::String(_) | Token::Word(_) | Token::Sign(..) => {}
        }
        // Only the first string or `url()` after `@import` is an address.
        if rule == Rule::Import || matches!(part, Token::Sign(_, b';' | b'{' | b'}')) {
            rule = Rule::None;
        }
    }
    found
}

/// All addresses of CSS in markup, where character references such as `&quot;` stand for quotes. Other references are
/// not decoded.
pub fn urls_in_markup(source: &str) -> Vec<(UrlKind, Range<usize>)> {
    let plain = plain_markup(source);
    let mut found = urls(&plain);
    for (_, range) in &mut found {
        let text = &plain[range.clone()];
        range.start += text.len() - text.trim_ascii_start().len();
        range.end = range.start + text.trim_ascii().len();
    }
    found.retain(|(_, range)| !range.is_empty());
    found
}

/// CSS of markup with the references for quotes decoded and padded with spaces, so that offsets do not change.
pub fn plain_markup(source: &str) -> String {
    let mut plain = source.to_owned();
    if source.contains('&') {
        for (reference, quote) in [("&quot;", "\""), ("&#34;", "\""), ("&apos;", "'"), ("&#39;", "'")] {
            plain = plain.replace(reference, &format!("{quote}{}", " ".repeat(reference.len() - 1)));
        }
    }
    plain
}

/// Multi-line strings with their quotes, and texts in backticks.
pub fn long_strings(css: &str) -> Vec<Range<usize>> {
    let mut reader = Reader { css, at: 0 };
    let mut found = Vec::new();
    while let Some(part) = reader.next() {
        if let Token::String(range) = part
            && css[range.clone()].contains(['\n', '\r'])
        {
            found.push(range);
        }
    }
    found
}

/// The at-rule being parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    None,
    Import,
    Namespace,
}

/// A token; comments and white space are skipped.
#[derive(Debug, Clone)]
enum Token {
    /// Includes the quotes.
    String(Range<usize>),
    Word(Range<usize>),
    Sign(usize, u8),
}

impl Token {
    fn range(&self) -> Range<usize> {
        match self {
            Token::String(range) | Token::Word(range) => range.clone(),
            Token::Sign(at, _) => *at..*at + 1,
        }
    }
}

struct Reader<'t> {
    css: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn is_at(&self, byte: u8) -> bool {
        self.css.as_bytes().get(self.at) == Some(&byte)
    }

    fn next(&mut self) -> Option<Token> {
        let bytes = self.css.as_bytes();
        loop {
            let start = self.at;
            let byte = *bytes.get(start)?;
            match byte {
                _ if byte.is_ascii_whitespace() => self.at += 1,
                b'/' if bytes.get(start + 1) == Some(&b'*') => {
                    let end = self.css[start + 2..].find("*/").map(|end| start + 2 + end + 2);
                    self.at = end.unwrap_or(bytes.len());
                }
                b'"' | b'\'' | b'`' => {
                    self.string(byte);
                    return Some(Token::String(start..self.at));
                }
                _ if is_word(byte) => {
                    self.at += bytes[start..].iter().take_while(|byte| is_word(**byte)).count();
                    return Some(Token::Word(start..self.at));
                }
                b'\\' => {
                    let escaped = self.css[start + 1..].chars().next().map_or(0, char::len_utf8);
                    self.at += 1 + escaped;
                }
                _ => {
                    self.at += 1;
                    return Some(Token::Sign(start, byte));
                }
            }
        }
    }

    /// Skips the string that starts at the current position. A line break ends it, unless it is escaped.
    fn string(&mut self, quote: u8) {
        let bytes = self.css.as_bytes();
        self.at += 1;
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'\\' => {
                    let escaped = &self.css[self.at + 1..];
                    let two = escaped.starts_with("\r\n");
                    self.at += 1 + if two { 2 } else { escaped.chars().next().map_or(0, char::len_utf8) };
                    continue;
                }
                b'\n' | b'\r' if quote != b'`' => return,
                _ => self.at += 1,
            }
            if *byte == quote {
                return;
            }
        }
    }

    /// The address in the bracket that opens at the current position; continues after the bracket.
    fn url(&mut self) -> Option<Range<usize>> {
        self.at += 1;
        let rest = &self.css[self.at..];
        self.at += rest.len() - rest.trim_ascii_start().len();
        let quote = self.css.as_bytes().get(self.at).copied().filter(|byte| matches!(byte, b'"' | b'\''));
        let start = self.at;
        if let Some(quote) = quote {
            self.string(quote);
            let found = inside_quotes(self.css, start..self.at);
            return found.filter(|_| self.css[self.at..].trim_ascii_start().starts_with(')'));
        }
        let end = start + self.css[start..].find(')')?;
        self.at = end + 1;
        let address = self.css[start..end].trim_ascii_end();
        let plain = !address.contains(|c: char| c.is_ascii_whitespace() || matches!(c, '"' | '\'' | '(' | '\\'));
        (plain && !address.is_empty()).then(|| start..start + address.len())
    }
}

/// The range between the quotes of a string that is closed and has no escapes.
fn inside_quotes(css: &str, string: Range<usize>) -> Option<Range<usize>> {
    let text = &css[string.clone()];
    let inner = text.get(1..text.len().checked_sub(1)?)?;
    let closed = !inner.is_empty() && text.as_bytes()[0] == text.as_bytes()[text.len() - 1];
    (closed && !inner.contains('\\')).then(|| string.start + 1..string.end - 1)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') || byte >= 0x80
}

fn is_any(word: &str, words: &[&str]) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(css: &str, expected: &[(UrlKind, &str)]) {
        let found: Vec<(UrlKind, &str)> = urls(css).into_iter().map(|(used, range)| (used, &css[range])).collect();
        assert_eq!(found, expected, "{css}");
    }

    #[test]
    fn urls_are_distinguished_from_similar_text() {
        use UrlKind::{Import, Url};
        check(
            "@import 'a.css' layer(x); @import url(b.css) screen;\n@namespace url(http://x); a { b: url( c.png ) , URL(\"d e.png\") }",
            &[(Import, "a.css"), (Import, "b.css"), (Url, "c.png"), (Url, "d e.png")],
        );
        check(
            "/* url(a) */ b: 'url(c)'; d: image-set('e.png' type('image/png'), url(f.png) 2x)",
            &[(Url, "e.png"), (Url, "f.png")],
        );
        check("a: url(b\\)c) url() url(d e) url('f\\'') curl(g) url(", &[]);
        check("@import; a { b: 'c' }", &[]);
    }

    #[test]
    fn entities_encode_quotes() {
        let source = "a: url(&quot;b c.png&quot;), url( &#39;d&amp;e.png&#39; ) url(&quot;&quot;)";
        let found: Vec<&str> = urls_in_markup(source).into_iter().map(|(_, range)| &source[range]).collect();
        assert_eq!(found, ["b c.png", "d&amp;e.png"]);
    }

    #[test]
    fn multiline_strings_are_found() {
        let css = "a: 'b\\\n c'; d: \"e\n\"; /* '\n' */";
        assert_eq!(long_strings(css).into_iter().map(|range| &css[range]).collect::<Vec<_>>(), ["'b\\\n c'"]);
    }
}
