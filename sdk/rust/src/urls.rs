//! URLs in links: splitting and percent-encoding.

use std::{borrow::Cow, fmt::Write};

use crate::paths;

/// Splits a URL into the path and the rest: `?query` and `#fragment`.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::urls::split;
///
/// assert_eq!(split("a/b.html?q#h"), ("a/b.html", "?q#h"));
/// ```
pub fn split(url: &str) -> (&str, &str) {
    url.split_at(url.find(['?', '#']).unwrap_or(url.len()))
}

/// Returns whether the URL has a scheme or a host: `https:`, `data:`, `//cdn`.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::urls::is_remote;
///
/// assert!(is_remote("https://x.org/a.js") && is_remote("//cdn/a.js") && !is_remote("a/b.js"));
/// ```
pub fn is_remote(url: &str) -> bool {
    url.starts_with("//") || paths::has_scheme(url)
}

/// Decodes percent escapes such as `%20`. Returns the path unchanged if the result is not valid UTF-8.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::urls::decode;
///
/// assert_eq!(decode("a%20b"), "a b");
/// ```
pub fn decode(path: &str) -> Cow<'_, str> {
    paths::percent_decoded(path).unwrap_or(Cow::Borrowed(path))
}

/// Percent-encodes these characters and all control characters of a path.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::urls::encode;
///
/// assert_eq!(encode("a b.png", |c| c == ' '), "a%20b.png");
/// ```
pub fn encode(path: &str, escapes: impl Fn(char) -> bool) -> String {
    let mut encoded = String::with_capacity(path.len());
    for c in path.chars() {
        if !c.is_control() && !escapes(c) {
            encoded.push(c);
            continue;
        }
        let mut bytes = [0; 4];
        for byte in c.encode_utf8(&mut bytes).bytes() {
            // Writing to a string cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_split() {
        assert_eq!(split("a/b.html?q#h"), ("a/b.html", "?q#h"));
        assert_eq!(split("#h"), ("", "#h"));
        assert_eq!(split("a"), ("a", ""));
        assert!(is_remote("//cdn/x.js") && is_remote("mailto:a@b.c") && !is_remote("a/b:c"));
    }

    #[test]
    fn paths_are_decoded_and_encoded() {
        assert_eq!(decode("a%20b%C3%A9"), "a bé");
        assert_eq!(decode("100%"), "100%");
        assert_eq!(decode("%FF"), "%FF");
        assert_eq!(encode("a bü\t%", |c| matches!(c, ' ' | '%')), "a%20bü%09%25");
        assert_eq!(encode("bü", |c| !c.is_ascii()), "b%C3%BC");
    }
}
