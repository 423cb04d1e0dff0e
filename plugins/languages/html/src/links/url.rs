//! URLs that may be paths of the workspace.

use marquetry_sdk::{
    paths::{folder, join, percent_decoded},
    urls,
};

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
    if specifier.starts_with('\\') || urls::is_remote(specifier) {
        return Err(NoPath::External);
    }
    let (path, suffix) = urls::split(specifier);
    Ok(Url { path, suffix })
}

/// The kind of a link and the base of its page.
pub(super) fn split_kind(kind: &str) -> (&str, &str) {
    kind.split_once(BASE).unwrap_or((kind, ""))
}

/// A path as a URL, safe in an attribute with any quotes or none. `all`: what is not ASCII, too.
pub(super) fn encode(path: &str, all: bool) -> String {
    urls::encoded(path, |c| {
        matches!(c, ' ' | '"' | '\'' | '<' | '>' | '`' | '#' | '?' | '%' | '\\' | '=') || (all && !c.is_ascii())
    })
}

/// A path as a URL in a style or a script, safe in quotes, in `url(…)` and in an attribute.
pub(super) fn encode_in_code(path: &str, all: bool) -> String {
    encode(path, all).replace('&', "%26").replace('(', "%28").replace(')', "%29")
}

/// The directory that relative links of a page start from: its own, or what its base says.
/// Nothing where that is somewhere else.
pub(super) fn start_of<'p>(from: &'p str, base: &str) -> Option<Start<'p>> {
    let own = folder(from);
    if base.is_empty() {
        return Some(Start { directory: own.into(), absolute: false });
    }
    let url = parse(base).ok()?;
    let path = percent_decoded(url.path)?;
    // What follows the last slash is a file.
    let folder = folder(&path);
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
    fn paths_are_encoded() {
        assert_eq!(encode("a bü", false), "a%20bü");
        assert_eq!(encode("a bü", true), "a%20b%C3%BC");
    }
}
