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

/// Reason why a specifier is not a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotAPath {
    /// It has a scheme or a host.
    External,
    /// It contains a template placeholder.
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

/// Splits the kind of a link from the base of its page.
pub(super) fn split_kind(kind: &str) -> (&str, &str) {
    kind.split_once(BASE_SEPARATOR).unwrap_or((kind, ""))
}

/// Encodes a path as a URL that is safe in an attribute, quoted or not. With `all`, non-ASCII
/// characters are encoded, too.
pub(super) fn encode_path(path: &str, all: bool) -> String {
    urls::encode(path, |c| {
        matches!(c, ' ' | '"' | '\'' | '<' | '>' | '`' | '#' | '?' | '%' | '\\' | '=') || (all && !c.is_ascii())
    })
}

/// Encodes a path as a URL in a style or script, safe in quotes, in `url(…)` and in an attribute.
pub(super) fn encode_in_code(path: &str, all: bool) -> String {
    encode_path(path, all).replace('&', "%26").replace('(', "%28").replace(')', "%29")
}

/// Directory to which relative links of a page are resolved: its own, or that of its base. `None`
/// if the base is on another site.
pub(super) fn base_directory<'p>(from: &'p str, base: &str) -> Option<BaseDirectory<'p>> {
    let own = folder(from);
    if base.is_empty() {
        return Some(BaseDirectory { directory: own.into(), absolute: false });
    }
    let url = parse(base).ok()?;
    let path = percent_decoded(url.path)?;
    // The part after the last slash is a file.
    let folder = folder(&path);
    let absolute = path.starts_with('/');
    let directory = if absolute { join("", folder)? } else { join(own, folder)? };
    Some(BaseDirectory { directory: directory.into(), absolute })
}

/// Start of relative links; see [`base_directory`].
#[derive(Debug)]
pub(super) struct BaseDirectory<'p> {
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
