//! URLs that may be paths in the workspace.

use marquetry_sdk::{
    paths::{folder, join, percent_decoded},
    urls,
};

use super::BASE;

/// Parts of a specifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Url<'s> {
    /// Path as written, without the suffix.
    pub(super) path: &'s str,
    /// `?query#hash`.
    pub(super) suffix: &'s str,
}

/// Reason why a specifier is not a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoPath {
    /// It has a scheme or a host.
    External,
    /// It contains a template placeholder.
    Computed,
}

/// Parses a specifier as a path.
pub(super) fn parse(specifier: &str) -> Result<Url<'_>, NoPath> {
    if ["{{", "{%", "<%", "${", "#{", "<?"].iter().any(|mark| specifier.contains(mark)) {
        return Err(NoPath::Computed);
    }
    if specifier.starts_with('\\') || urls::is_remote(specifier) {
        return Err(NoPath::External);
    }
    let (path, suffix) = urls::split(specifier);
    Ok(Url { path, suffix })
}

/// Splits the kind of a link from the base of its page.
pub(super) fn split_kind(kind: &str) -> (&str, &str) {
    kind.split_once(BASE).unwrap_or((kind, ""))
}

/// Encodes a path as a URL that is safe in an attribute, quoted or not. With `all`, non-ASCII
/// characters are encoded, too.
pub(super) fn encode(path: &str, all: bool) -> String {
    urls::encoded(path, |c| {
        matches!(c, ' ' | '"' | '\'' | '<' | '>' | '`' | '#' | '?' | '%' | '\\' | '=') || (all && !c.is_ascii())
    })
}

/// Encodes a path as a URL in a style or script, safe in quotes, in `url(…)` and in an attribute.
pub(super) fn encode_in_code(path: &str, all: bool) -> String {
    encode(path, all).replace('&', "%26").replace('(', "%28").replace(')', "%29")
}

/// Directory to which relative links of a page are resolved: its own, or that of its base. `None`
/// if the base is on another site.
pub(super) fn start_of<'p>(from: &'p str, base: &str) -> Option<Start<'p>> {
    let own = folder(from);
    if base.is_empty() {
        return Some(Start { directory: own.into(), absolute: false });
    }
    let url = parse(base).ok()?;
    let path = percent_decoded(url.path)?;
    // The part after the last slash is a file.
    let folder = folder(&path);
    let absolute = path.starts_with('/');
    let directory = if absolute { join("", folder)? } else { join(own, folder)? };
    Some(Start { directory: directory.into(), absolute })
}

/// Start of relative links; see [`start_of`].
#[derive(Debug)]
pub(super) struct Start<'p> {
    pub(super) directory: std::borrow::Cow<'p, str>,
    /// True if relative to the root of the site, not to the file.
    pub(super) absolute: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_split_into_path_and_suffix() {
        assert_eq!(parse("a/b.html?q#h"), Ok(Url { path: "a/b.html", suffix: "?q#h" }));
        assert_eq!(parse("mailto:a@b.c"), Err(NoPath::External));
        assert_eq!(parse("//cdn/x.js"), Err(NoPath::External));
        assert_eq!(parse("{{ url }}"), Err(NoPath::Computed));
        assert_eq!(parse("a b:c/d").map(|url| url.path), Ok("a b:c/d"));
    }

    #[test]
    fn paths_are_encoded() {
        assert_eq!(encode("a bü", false), "a%20bü");
        assert_eq!(encode("a bü", true), "a%20b%C3%BC");
    }
}
