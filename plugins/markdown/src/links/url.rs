//! Links as URLs: which of them can lead to a file, and percent-encoding.

use std::borrow::Cow;

/// Whether a destination can lead to a file: not to another site, and not only to a place on its own page.
pub(super) fn can_be_file(specifier: &str) -> bool {
    !(specifier.is_empty() || specifier.starts_with(['#', '?']) || specifier.starts_with("//") || has_scheme(specifier))
}

pub(super) fn has_scheme(specifier: &str) -> bool {
    let Some((scheme, _)) = specifier.split_once(':') else { return false };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// The path, and what follows it: `?query` and `#anchor`.
pub(super) fn split(specifier: &str) -> (&str, &str) {
    specifier.split_at(specifier.find(['#', '?']).unwrap_or(specifier.len()))
}

/// With `%20` and the like decoded; as it is where that gives no text.
pub(super) fn percent_decoded(path: &str) -> Cow<'_, str> {
    if !path.contains('%') {
        return Cow::Borrowed(path);
    }
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = bytes.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| bytes[at] == b'%') {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(out).map_or(Cow::Borrowed(path), Cow::Owned)
}

/// Percent-encoded for the place of a destination that was written like `like`.
pub(super) fn percent_encoded(path: &str, like: &str) -> String {
    // Brackets that have no partner would end a destination.
    let keeps_brackets = like.contains(['(', ')']) && path.matches('(').count() == path.matches(')').count();
    let all = like
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0] == b'%' && matches!(pair[1], b'8'..=b'9' | b'a'..=b'f' | b'A'..=b'F'));
    let mut out = String::with_capacity(path.len());
    for c in path.chars() {
        let plain = match c {
            ' ' => like.contains(' '),
            '(' | ')' => keeps_brackets,
            '\'' => like.contains('\''),
            '%' | '#' | '?' | '<' | '>' | '"' | '\\' | '|' | '`' | '&' => false,
            c if c.is_ascii() => !c.is_ascii_control(),
            _ => !all,
        };
        if plain {
            out.push(c);
        } else {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                out += &format!("%{byte:02X}");
            }
        }
    }
    out
}

/// A path relative to a folder, `.` and `..` resolved; none where it leads above the root.
pub(super) fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// How a file in `folder` names the path.
pub(super) fn relative(folder: &str, path: &str) -> String {
    let folder: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let shared = folder.iter().zip(&parts).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", folder.len() - shared);
    let written: Vec<&str> = up.chain(parts[shared..].iter().copied()).collect();
    if written.is_empty() { ".".to_owned() } else { written.join("/") }
}

/// The folder of a file; empty for the root.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_files_from_sites() {
        for file in ["a.md", "./a", "/a.md", "a.md#b", "%20.md"] {
            assert!(can_be_file(file), "{file}");
        }
        for other in ["", "#a", "?b", "//c", "https://d", "mailto:e@f"] {
            assert!(!can_be_file(other), "{other}");
        }
    }

    #[test]
    fn decodes_and_encodes() {
        assert_eq!(percent_decoded("a%20b%C3%A9"), "a bé");
        assert_eq!(percent_decoded("100%"), "100%");
        assert_eq!(percent_decoded("%FF"), "%FF");
        assert_eq!(percent_encoded("a b(é).md", "x.md"), "a%20b%28é%29.md");
        assert_eq!(percent_encoded("a bé.md", "x y%C3%A4.md"), "a b%C3%A9.md");
        assert_eq!(percent_encoded("a(1).md", "b(1).md"), "a(1).md");
    }

    #[test]
    fn joins_and_relates() {
        assert_eq!(joined("a/b", "../c.md").as_deref(), Some("a/c.md"));
        assert_eq!(joined("a", "../../c.md"), None);
        assert_eq!(relative("a/b", "a/c.md"), "../c.md");
        assert_eq!(relative("", "a/c.md"), "a/c.md");
        assert_eq!(relative("a", "a"), ".");
    }
}
