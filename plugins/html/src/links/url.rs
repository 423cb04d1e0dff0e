//! URLs that may be paths of the workspace.

use std::fmt::Write;

use super::BASE;

/// A specifier taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Url<'s> {
    /// As written, without suffix.
    pub(super) path: &'s str,
    /// `?query#hash`.
    pub(super) suffix: &'s str,
}

/// Why a specifier is no path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoPath {
    /// It has a scheme or a host.
    External,
    /// A template fills it in.
    Computed,
}

/// A specifier as a path; or what else it is.
pub(super) fn parse(specifier: &str) -> Result<Url<'_>, NoPath> {
    if ["{{", "{%", "<%", "${", "#{", "<?"].iter().any(|mark| specifier.contains(mark)) {
        return Err(NoPath::Computed);
    }
    if specifier.starts_with("//") || specifier.starts_with('\\') || has_scheme(specifier) {
        return Err(NoPath::External);
    }
    let end = specifier.find(['?', '#']).unwrap_or(specifier.len());
    Ok(Url { path: &specifier[..end], suffix: &specifier[end..] })
}

fn has_scheme(specifier: &str) -> bool {
    let Some((scheme, _)) = specifier.split_once(':') else { return false };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// The kind of a link and the base of its page.
pub(super) fn split_kind(kind: &str) -> (&str, &str) {
    kind.split_once(BASE).unwrap_or((kind, ""))
}

/// Percent-encoding resolved; nothing where that gives no text.
pub(super) fn decode(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let hex = |digit: Option<&u8>| digit.and_then(|digit| char::from(*digit).to_digit(16));
        match (byte, hex(after.first()), hex(after.get(1))) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// A path as a URL, safe in an attribute with any quotes or none. `all`: what is not ASCII, too.
pub(super) fn encode(path: &str, all: bool) -> String {
    let mut encoded = String::with_capacity(path.len());
    for c in path.chars() {
        let unsafe_here =
            matches!(c, ' ' | '"' | '\'' | '<' | '>' | '`' | '#' | '?' | '%' | '\\' | '=') || c.is_control();
        if !unsafe_here && (c.is_ascii() || !all) {
            encoded.push(c);
            continue;
        }
        let mut buffer = [0; 4];
        for byte in c.encode_utf8(&mut buffer).bytes() {
            // Writing to a string cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// The directory of a path; empty for the root.
pub(super) fn directory(path: &str) -> &str {
    path.rfind('/').map_or("", |slash| &path[..slash])
}

/// A relative path from a directory, without `.` and `..`; nothing where it leaves the root.
pub(super) fn join(directory: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in directory.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// How a file is reached from a directory.
pub(super) fn relative(directory: &str, to: &str) -> String {
    let from: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = to.split('/').collect();
    let shared = from.iter().zip(&to[..to.len() - 1]).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", from.len() - shared);
    up.chain(to[shared..].iter().copied()).collect::<Vec<_>>().join("/")
}

/// The directory that relative links of a page start from: its own, or what its base says.
/// Nothing where that is somewhere else.
pub(super) fn start_of<'p>(from: &'p str, base: &str) -> Option<Start<'p>> {
    let own = directory(from);
    if base.is_empty() {
        return Some(Start { directory: own.into(), absolute: false });
    }
    let url = parse(base).ok()?;
    let path = decode(url.path)?;
    // What follows the last slash is a file.
    let folder = directory(&path);
    let absolute = path.starts_with('/');
    let directory = if absolute { join("", folder)? } else { join(own, folder)? };
    Some(Start { directory: directory.into(), absolute })
}

/// See [`start_of`].
#[derive(Debug)]
pub(super) struct Start<'p> {
    pub(super) directory: std::borrow::Cow<'p, str>,
    /// Counted from the root of the site, not from the file.
    pub(super) absolute: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_urls_apart() {
        assert_eq!(parse("a/b.html?q#h"), Ok(Url { path: "a/b.html", suffix: "?q#h" }));
        assert_eq!(parse("mailto:a@b.c"), Err(NoPath::External));
        assert_eq!(parse("//cdn/x.js"), Err(NoPath::External));
        assert_eq!(parse("{{ url }}"), Err(NoPath::Computed));
        assert_eq!(parse("a b:c/d").map(|url| url.path), Ok("a b:c/d"));
    }

    #[test]
    fn paths_are_joined_and_made_relative() {
        assert_eq!(join("a/b", "../c/./d").as_deref(), Some("a/c/d"));
        assert_eq!(join("a", "../../x"), None);
        assert_eq!(relative("a/b", "a/c/d.png"), "../c/d.png");
        assert_eq!(relative("", "a.png"), "a.png");
        assert_eq!(relative("a/b", "a/b/x.png"), "x.png");
        assert_eq!(decode("a%20b%C3%BC").as_deref(), Some("a bü"));
        assert_eq!(encode("a bü", false), "a%20bü");
        assert_eq!(encode("a bü", true), "a%20b%C3%BC");
    }
}
