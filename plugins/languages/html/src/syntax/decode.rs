//! Decodes text and attribute values: character references, line endings and NULs.

use std::borrow::Cow;

/// Decodes an attribute value.
pub(crate) fn attribute(raw: &str) -> Cow<'_, str> {
    plain(raw, htmlize::unescape_attribute)
}

/// Decodes text between tags.
pub(crate) fn text(raw: &str) -> Cow<'_, str> {
    plain(raw, htmlize::unescape)
}

/// Decodes raw text, in which character references have no meaning.
pub(crate) fn raw_text(raw: &str) -> Cow<'_, str> {
    plain(raw, |text| text)
}

fn plain<'t>(raw: &'t str, unescape: impl Fn(Cow<'t, str>) -> Cow<'t, str>) -> Cow<'t, str> {
    if memchr::memchr3(b'&', b'\r', b'\0', raw.as_bytes()).is_none() {
        return Cow::Borrowed(raw);
    }
    // Line endings are replaced before references are decoded, because `&#13;` must stay a carriage return.
    let text = if raw.contains(['\r', '\0']) {
        Cow::Owned(raw.replace("\r\n", "\n").replace('\r', "\n").replace('\0', "\u{fffd}"))
    } else {
        Cow::Borrowed(raw)
    };
    if text.contains('&') { unescape(text) } else { text }
}

/// Returns the length in bytes of the leading white space, which can be written as character references.
pub(crate) fn leading_blank(raw: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = &raw[at..];
        at += rest.len() - rest.trim_start_matches(is_blank).len();
        match blank_reference(&raw[at..]) {
            Some(len) => at += len,
            None => return at,
        }
    }
}

/// Returns the length of a character reference if it refers to a white space character.
fn blank_reference(raw: &str) -> Option<usize> {
    let rest = raw.strip_prefix('&')?;
    let digits = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'#').count();
    let end = 1 + digits + usize::from(rest[digits..].starts_with(';'));
    let decoded = text(&raw[..end]);
    (!decoded.is_empty() && decoded.chars().all(is_blank)).then_some(end)
}

/// Returns whether the character is white space in HTML.
pub(crate) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0c')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_character_references_as_browsers_do() {
        assert_eq!(attribute("?a=1&copy=2&amp;b"), "?a=1&copy=2&b");
        assert_eq!(text("&copy2 &lt;&#x41;\r\n"), "©2 <A\n");
        assert_eq!(raw_text("a&lt;\0"), "a&lt;\u{fffd}");
    }

    #[test]
    fn leading_blank_includes_character_references() {
        assert_eq!(leading_blank(" \n&#32;&Tab;x "), 12);
        assert_eq!(leading_blank("&nbsp;"), 0);
    }
}
