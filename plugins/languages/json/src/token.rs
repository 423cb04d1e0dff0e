//! Finds the ends of tokens. Strings and white space are scanned eight bytes at a time.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// Returns a mask with the high bit of every byte that is zero. Only the lowest marked byte is certain.
fn zero_bytes(chunk: u64) -> u64 {
    chunk.wrapping_sub(ONES) & !chunk & HIGH_BITS
}

/// Returns the offset of the next quote, backslash or control character, or the end of the text.
#[inline]
pub(crate) fn next_string_special(bytes: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = bytes.get(at..at + 8).and_then(|chunk| <[u8; 8]>::try_from(chunk).ok()) {
        let chunk = u64::from_le_bytes(chunk);
        let controls = chunk.wrapping_sub(ONES * 0x20) & !chunk & HIGH_BITS;
        let marks = zero_bytes(chunk ^ (ONES * 0x22)) | zero_bytes(chunk ^ (ONES * 0x5C)) | controls;
        if marks != 0 {
            return at + marks.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while at < bytes.len() && bytes[at] >= b' ' && bytes[at] != b'"' && bytes[at] != b'\\' {
        at += 1;
    }
    at
}

/// Returns the offset after white space.
#[inline]
pub(crate) fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    let is_space = |at: usize| matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t'));
    while is_space(at) {
        at += 1;
        if !is_space(at) {
            return at; // most often, there is only one white space character
        }
        // Indentation is a run of spaces, so check eight bytes at a time.
        while let Some(chunk) = bytes.get(at..at + 8).and_then(|chunk| <[u8; 8]>::try_from(chunk).ok()) {
            let others = u64::from_le_bytes(chunk) ^ (ONES * 0x20);
            at += others.trailing_zeros() as usize / 8;
            if others != 0 {
                break;
            }
        }
    }
    at
}

/// Returns the offset after a number, and whether it is valid JSON.
#[inline]
pub(crate) fn number_end(bytes: &[u8], start: usize) -> (usize, bool) {
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut at = start + usize::from(bytes.get(start) == Some(&b'-'));
    let whole = digits(at);
    let mut good = whole > at && (whole == at + 1 || bytes[at] != b'0');
    at = whole;
    if bytes.get(at) == Some(&b'.') {
        let end = digits(at + 1);
        good &= end > at + 1;
        at = end;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let end = digits(at + 1 + sign);
        good &= end > at + 1 + sign;
        at = end;
    }
    let end = word_end(bytes, at);
    (end, good && end == at)
}

/// Returns the offset of the next white space, bracket, quote, separator or comment.
pub(crate) fn word_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        let comment = bytes[at] == b'/' && matches!(bytes.get(at + 1), Some(b'/' | b'*'));
        if comment || matches!(bytes[at], b'\0'..=b' ' | b',' | b':' | b'[' | b']' | b'{' | b'}' | b'"') {
            break;
        }
        at += 1;
    }
    at
}

/// Returns the offset after an escape, and whether the escape is valid JSON. `at` is the offset of the backslash.
pub(crate) fn escape_end(bytes: &[u8], at: usize) -> (usize, bool) {
    match bytes.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => (at + 2, true),
        Some(b'u') => {
            let digits = bytes[at + 2..].iter().take(4).take_while(|byte| byte.is_ascii_hexdigit()).count();
            (at + 2 + digits, digits == 4)
        }
        Some(b'\n' | b'\r') | None => (at + 1, false),
        // Skip only the first byte of the next character, because its other bytes are never special.
        Some(_) => (at + 2, false),
    }
}

/// Decodes a string or key: removes its quotes and decodes its escapes.
pub(crate) fn decode_string(raw: &str) -> std::borrow::Cow<'_, str> {
    let quote = if raw.starts_with('\'') { '\'' } else { '"' };
    let Some(inner) = raw.strip_prefix(quote) else { return raw.into() };
    let inner = inner.strip_suffix(quote).unwrap_or(inner);
    if !inner.contains('\\') {
        return inner.into();
    }
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(c) = rest.chars().next() else { break };
        rest = &rest[c.len_utf8()..];
        match c {
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'u' => out.push(decode_unicode(&mut rest)),
            _ => out.push(c),
        }
    }
    out.push_str(rest);
    out.into()
}

/// Decodes an escape, after its `\u`. A surrogate without its counterpart becomes U+FFFD.
fn decode_unicode(rest: &mut &str) -> char {
    let hex = |text: &str| text.get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let Some(unit) = hex(rest) else { return char::REPLACEMENT_CHARACTER };
    *rest = &rest[4..];
    let low = rest.strip_prefix("\\u").and_then(hex).filter(|low| (0xDC00..0xE000).contains(low));
    if let (0xD800..0xDC00, Some(low)) = (unit, low) {
        *rest = &rest[6..];
        return char::from_u32(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)).unwrap_or_default();
    }
    char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_token_ends() {
        for (text, end) in [("abc\"", 3), ("abcdefghij\\", 10), ("é\n", 2), ("abcdefghijkl", 12), ("0123456\u{1}", 7)]
        {
            assert_eq!(next_string_special(text.as_bytes(), 0), end, "{text:?}");
        }
        for (text, end) in [("  x", 2), ("\n                  x", 19), ("        ", 8), ("\t\r\n", 3), ("", 0)] {
            assert_eq!(skip_space(text.as_bytes(), 0), end, "{text:?}");
        }
        for (text, expected) in
            [("1,", (1, true)), ("-0.5e+1]", (7, true)), ("01", (2, false)), ("1.", (2, false)), ("-", (1, false))]
        {
            assert_eq!(number_end(text.as_bytes(), 0), expected, "{text:?}");
        }
    }

    #[test]
    fn decodes_strings() {
        assert_eq!(decode_string(r#""a\n\u00e9\ud834\udd1e\/""#), "a\né𝄞/");
        assert_eq!(decode_string(r#""\ud834x\"#), "\u{fffd}x");
        assert_eq!(decode_string("'it'"), "it");
        assert_eq!(decode_string("bare"), "bare");
    }
}
