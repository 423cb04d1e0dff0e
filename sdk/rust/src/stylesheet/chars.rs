//! Character classes, escapes and dialects of stylesheets.

use std::fmt::Write;

/// The language of a stylesheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// CSS.
    Css,
    /// SCSS.
    Scss,
    /// LESS.
    Less,
}

impl Dialect {
    /// The dialect for a file extension; CSS unless the extension is `.scss` or `.less`.
    pub fn of_path(path: &str) -> Dialect {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension.to_ascii_lowercase().as_str() {
            "scss" => Dialect::Scss,
            "less" => Dialect::Less,
            _ => Dialect::Css,
        }
    }

    /// Returns whether `//` starts a comment.
    pub fn line_comments(self) -> bool {
        self != Dialect::Css
    }
}

const SPACE: u8 = 1;
const NAME_START: u8 = 2;
const NAME: u8 = 4;

/// The class of each byte. A table, because every byte of a stylesheet is classified several times.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let own = byte as u8;
        classes[byte] = match own {
            b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' => SPACE,
            b'_' | 0x80.. => NAME_START | NAME,
            b'0'..=b'9' | b'-' => NAME,
            _ if own.is_ascii_alphabetic() => NAME_START | NAME,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

/// Returns whether the byte is CSS white space.
#[inline]
pub fn is_space(byte: u8) -> bool {
    CLASSES[usize::from(byte)] & SPACE != 0
}

/// Returns whether the byte is a CSS line break.
pub fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r' | b'\x0c')
}

/// Returns whether the byte can start an identifier, apart from leading dashes and escapes.
#[inline]
pub fn is_name_start(byte: u8) -> bool {
    CLASSES[usize::from(byte)] & NAME_START != 0
}

/// Returns whether the byte can continue an identifier, apart from escapes.
#[inline]
pub fn is_name(byte: u8) -> bool {
    CLASSES[usize::from(byte)] & NAME != 0
}

/// The end of the escape whose backslash is at this offset.
pub fn escape_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = at + 1;
    let digits = bytes[end..].iter().take(6).take_while(|byte| byte.is_ascii_hexdigit()).count();
    if digits == 0 {
        return match &bytes[end..] {
            [b'\r', b'\n', ..] => end + 2,
            _ => end + text[end..].chars().next().map_or(0, char::len_utf8),
        };
    }
    end += digits;
    match &bytes[end..] {
        [b'\r', b'\n', ..] => end + 2,
        [byte, ..] if is_space(*byte) => end + 1,
        _ => end,
    }
}

/// Returns whether a backslash at this offset starts an escape: anything but a line break follows.
pub fn is_escape(bytes: &[u8], at: usize) -> bool {
    bytes[at] == b'\\' && bytes.get(at + 1).is_some_and(|next| !is_break(*next))
}

/// The end of the name characters and escapes that start at this offset; the offset itself if the run is empty.
#[inline]
pub fn name_end(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    while let Some(byte) = bytes.get(at) {
        if is_name(*byte) {
            at += 1;
        } else if is_escape(bytes, at) {
            at = escape_end(text, at);
        } else {
            break;
        }
    }
    at
}

/// The end of the dashes at the start of the identifier at this offset. `None` if no identifier starts at the offset.
#[inline]
pub fn ident_start(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let dashes = bytes[at..].iter().take_while(|byte| **byte == b'-').count();
    let first = at + dashes;
    let starts = dashes >= 2 || bytes.get(first).is_some_and(|byte| is_name_start(*byte) || is_escape(bytes, first));
    starts.then_some(first)
}

/// The end of the identifier that starts at this offset. `None` if no identifier starts there.
pub fn ident_end(text: &str, at: usize) -> Option<usize> {
    ident_start(text, at).map(|first| name_end(text, first))
}

/// Decodes the escapes of an identifier or string.
pub fn unescape(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.contains('\\') {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &text.as_bytes()[at..]) {
        out.push_str(&text[at..at + found]);
        let start = at + found;
        at = escape_end(text, start);
        let escaped = &text[start + 1..at];
        let digits = escaped.trim_end_matches(|c: char| c.is_ascii_whitespace());
        if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            let code = u32::from_str_radix(digits, 16).unwrap_or(0);
            out.push(char::from_u32(code).filter(|c| *c != '\0').unwrap_or('\u{fffd}'));
        } else if !escaped.starts_with(['\n', '\r', '\x0c']) {
            out.push_str(escaped); // an escaped line break is left out of a string
        }
    }
    out.push_str(&text[at..]);
    out.into()
}

/// Escapes a text as an identifier.
pub fn escape_identifier(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let first = at == 0 || (at == 1 && text.starts_with('-'));
        match c {
            '0'..='9' if first => push_code(c, &mut out),
            '-' if text.len() == 1 => out.push_str("\\-"),
            _ if !c.is_ascii() || is_name(c as u8) => out.push(c),
            _ if c.is_ascii_control() => push_code(c, &mut out),
            _ => {
                out.push('\\');
                out.push(c);
            }
        }
    }
    out
}

/// Escapes a text for a string with these quotes.
pub fn escape_string(text: &str, quote: char) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_control() {
            push_code(c, &mut out);
            continue;
        }
        if c == quote || c == '\\' {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn push_code(c: char, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = write!(out, "\\{:x} ", u32::from(c));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_identifiers_are_decoded() {
        let written = ["a-b", "-1", "2xl", "-", "--", "md:w-1/2", "é", "a\tb", "[&>p]:x"].map(escape_identifier);
        let expected = ["a-b", r"-\31 ", r"\32 xl", r"\-", "--", r"md\:w-1\/2", "é", r"a\9 b", r"\[\&\>p\]\:x"];
        assert_eq!(written, expected);
        assert!(written.iter().all(|name| name_end(name, 0) == name.len()));
        assert_eq!(escape_string("a\"'\\", '\''), r#"a"\'\\"#);
    }

    #[test]
    fn resolves_escapes() {
        assert_eq!(unescape(r"\31 0\+"), "10+");
        assert_eq!(unescape("a\\\nb"), "ab");
        assert_eq!(unescape(r"\0 \110000 x"), "\u{fffd}\u{fffd}x");
        assert_eq!(unescape("\\"), "");
    }

    #[test]
    fn finds_identifiers() {
        assert_eq!(ident_end("--x y", 0), Some(3));
        assert_eq!(ident_end(r"\31 b.c", 0), Some(5));
        assert_eq!(ident_end("-1", 0), None);
        assert_eq!(ident_end("é-b", 0), Some(4));
        assert_eq!(ident_end("", 0), None);
    }

    #[test]
    fn dialect_follows_the_extension() {
        assert_eq!(Dialect::of_path("a/b.SCSS"), Dialect::Scss);
        assert_eq!(Dialect::of_path("a.b/c"), Dialect::Css);
        assert_eq!(Dialect::of_path("x.module.less"), Dialect::Less);
    }
}
