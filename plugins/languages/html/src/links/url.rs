//! URLs that may be paths in the workspace.

use marquetry_sdk::{
    paths::{folder, join, percent_decoded},
    urls,
};

use super::BASE_SEPARATOR;

/// Parts of a specifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Url<'s> {
    /// Path as written, without the suffix.
    pub(super) path: &'s str,
    /// `?query#hash`.
    pub(super) suffix: &'s str,
}

/// The reason why a specifier is not a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotAPath {
    /// The specifier has a scheme or a host.
    External,
    /// The specifier contains a template placeholder.
    Computed,
}

/// Parses a specifier as a path.
pub(super) fn parse(specifier: &str) -> Result<Url<'_>, NotAPath> {
    if ["{{", "{%", "<%", "${", "#{", "<?"].iter().any(|mark| specifier.contains(mark)) {
        return Err(NotAPath::Computed);
    }
    if specifier.starts_with('\\') || urls::is_remote(specifier) {
        return Err(NotAPath::External);
    }
    let (path, suffix) = urls::split(specifier);
    Ok(Url { path, suffix })
}

/// Splits the extended kind of a link into the kind and the base of its page.
pub(super) fn split_kind(kind: &str) -> (&str, &str) {
    kind.split_once(BASE_SEPARATOR).unwrap_or((kind, ""))
}

/// Percent-encodes a path, so that it can be inserted into an attribute with or without quotes. If `all`, non-ASCII
/// characters are encoded, too.
pub(super) fn encode_path(path: &str, all: bool) -> String {
    urls::encode(path, |c| {
        matches!(c, ' ' | '"' | '\'' | '<' | '>' | '`' | '#' | '?' | '%' | '\\' | '=') || (all && !c.is_ascii())
    })
}

/// Percent-encodes a path, so that it can be inserted into a style or script: in quotes, in `url(…)` or in an
/// attribute.
pub(super) fn encode_in_code(path: &str, all: bool) -> String {
    encode_path(path, all).replace('&', "%26").replace('(', "%28").replace(')', "%29")
}

/// Returns the directory to which the links of a page are relative: the directory of the page, or that of its `<base
/// href>`. `None` if the base is on another site.
pub(super) fn base_directory<'p>(from: &'p str, base: &str) -> Option<BaseDirectory<'p>> {
    let own = folder(from);
    if base.is_empty() {
        return Some(BaseDirectory { directory: own.into(), absolute: false });
    }
    let url = parse(base).ok()?;
    let path = percent_decoded(url.path)?;
    // The part of a base after its last slash is a file name.
    let folder = folder(&path);
    let absolute = path.starts_with('/');
    let directory = if absolute { join("", folder)? } else { join(own, folder)? };
    Some(BaseDirectory { directory: directory.into(), absolute })
}

/// The directory to which relative links are relative; see [`base_directory`].
#[derive(Debug)]
pub(super) struct BaseDirectory<'p> {
    pub(super) directory: std::borrow::Cow<'p, str>,
    /// True if `directory` is relative to the root of the site. Otherwise it is relative to the root of the workspace.
    pub(super) absolute: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_split_into_path_and_suffix() {
        assert_eq!(parse("a/b.html?q#h"), Ok(Url { path: "a/b.html", suffix: "?q#h" }));
        assert_eq!(parse("mailto:a@b.c"), Err(NotAPath::External));
        assert_eq!(parse("//cdn/x.js"), Err(NotAPath::External));
        assert_eq!(parse("{{ url }}"), Err(NotAPath::Computed));
        assert_eq!(parse("a b:c/d").map(|url| url.path), Ok("a b:c/d"));
    }

    #[test]
    fn paths_are_encoded() {
        assert_eq!(encode_path("a bü", false), "a%20bü");
        assert_eq!(encode_path("a bü", true), "a%20b%C3%BC");
    }
}
