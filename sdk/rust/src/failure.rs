//! Failures: what is wrong, what to do, and the nearest valid alternatives.

use crate::{Failure, FailureKind, Span, TargetKind, lines};

/// Maximum number of candidates in a failure.
pub const MAX_CANDIDATES: usize = 12;
/// Maximum number of names to rank. Ranking more is slower than listing the outline.
const MAX_RANKED: usize = 20_000;
/// Maximum number of characters that a failure quotes from a line.
const MAX_QUOTED_CHARS: usize = 120;

/// Creates a failure of the kind. The message starts in lower case and has no final period.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::{FailureKind, Span, fail};
///
/// let failure = fail(FailureKind::InvalidArgument, "unknown color `bleu`")
///     .hint("use one of the candidates")
///     .candidates(["blue".to_owned()])
///     .at(Span::new(3, 7));
/// assert_eq!(failure.hint.as_deref(), Some("use one of the candidates"));
/// assert_eq!((failure.candidates, failure.span), (vec!["blue".to_owned()], Some(Span::new(3, 7))));
/// ```
pub fn fail(kind: FailureKind, message: impl Into<String>) -> Failure {
    Failure { kind, message: message.into(), hint: None, candidates: Vec::new(), span: None }
}

impl Failure {
    /// Adds a hint about what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// Adds valid alternatives, nearest first.
    #[must_use]
    pub fn candidates(mut self, candidates: impl IntoIterator<Item = String>) -> Failure {
        self.candidates = candidates.into_iter().collect();
        self
    }

    /// Adds the span that caused the failure.
    #[must_use]
    pub fn at(mut self, span: Span) -> Failure {
        self.span = Some(span);
        self
    }

    /// Creates the failure for a target that does not exist; `known` are all existing addresses. If none of them is
    /// similar to `wanted`, the candidates are the outermost addresses.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry_sdk::{Failure, FailureKind};
    ///
    /// let failure = Failure::not_found("key", "prot", ["host", "port"]);
    /// assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::TargetNotFound, "no key `prot`"));
    /// assert_eq!(failure.candidates, ["port"]);
    /// ```
    pub fn not_found<'a>(what: &str, wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Failure {
        let known: Vec<&str> = known.into_iter().take(MAX_RANKED).collect();
        let near = nearest(wanted, known.iter().copied());
        let failure = fail(FailureKind::TargetNotFound, format!("no {what} `{wanted}`"));
        if near.is_empty() && known.is_empty() {
            return failure.hint("read the file without a target to see its outline");
        }
        if near.is_empty() {
            return failure
                .hint("no similar name: the candidates are the top-level ones; read the file without a target to see its outline")
                .candidates(outermost(known));
        }
        failure.hint("use one of the candidates, or read the file without a target to see its outline").candidates(near)
    }

    /// Creates the failure for content of the caller that cannot be parsed as `what`. `why` is the reason, and `offset`
    /// is the byte offset of the error in the content.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry_sdk::Failure;
    ///
    /// let failure = Failure::invalid_content("a JSON value", "{\n  x\n}", 4, "a quote is missing");
    /// let expected = "the content cannot be parsed as a JSON value: line 2, column 2: a quote is missing (`x`)";
    /// assert_eq!(failure.message, expected);
    /// ```
    pub fn invalid_content(what: &str, content: &str, offset: usize, why: &str) -> Failure {
        let mut at = offset.min(content.len());
        while !content.is_char_boundary(at) {
            at -= 1;
        }
        let start = lines::line_start(content, at);
        let line = content[..start].matches('\n').count() + 1;
        let column = content[start..at].encode_utf16().count();
        let shown: String =
            content[start..lines::line_end(content, at)].trim().chars().take(MAX_QUOTED_CHARS).collect();
        let message =
            format!("the content cannot be parsed as {what}: line {line}, column {column}: {why} (`{shown}`)");
        fail(FailureKind::ParseError, message)
    }

    /// Creates the failure for an operation that is not supported for this kind of node.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry_sdk::{Failure, FailureKind};
    ///
    /// let failure = Failure::unsupported("headings cannot be wrapped").hint("use `insert_before`");
    /// assert_eq!(failure.kind, FailureKind::Unsupported);
    /// ```
    pub fn unsupported(message: impl Into<String>) -> Failure {
        fail(FailureKind::Unsupported, message)
    }

    /// Creates a failure for a kind of target that the format does not have.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry_sdk::{Failure, TargetKind};
    ///
    /// let failure = Failure::unsupported_target("YAML", TargetKind::Heading).hint("use `path`");
    /// assert_eq!(failure.message, "YAML files have no targets of the kind `heading`");
    /// ```
    pub fn unsupported_target(format: &str, kind: TargetKind) -> Failure {
        let kind = match kind {
            TargetKind::Symbol => "symbol",
            TargetKind::Path => "path",
            TargetKind::Selector => "selector",
            TargetKind::Xpath => "xpath",
            TargetKind::Heading => "heading",
            TargetKind::Region => "region",
        };
        Failure::unsupported(format!("{format} files have no targets of the kind `{kind}`"))
    }
}

/// Returns the known names nearest to the wanted one: those with the same last part first, then by similarity. A
/// number at the end of a repeated name, as in `Install[2]`, is ignored.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::nearest;
///
/// assert_eq!(nearest("User.find", ["Store.load", "Store.find", "User.fetch"]), ["Store.find", "User.fetch"]);
/// ```
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let last = last_part(&wanted).to_owned();
    let mut seen = std::collections::HashSet::new();
    let mut scored: Vec<(u32, &str)> = known
        .into_iter()
        .filter(|name| seen.insert(*name))
        .take(MAX_RANKED)
        .filter_map(|name| similarity(&wanted, &last, name).map(|score| (score, name)))
        .collect();
    scored.sort_by_key(|(score, name)| (std::cmp::Reverse(*score), name.len()));
    scored.into_iter().take(MAX_CANDIDATES).map(|(_, name)| name.to_owned()).collect()
}

/// The names with the fewest path steps, at most [`MAX_CANDIDATES`] of them.
fn outermost(mut known: Vec<&str>) -> Vec<String> {
    let steps = |name: &&str| name.matches(['.', '/', '>']).count() + name.matches("['").count();
    known.sort_by_key(steps);
    known.dedup();
    known.into_iter().take(MAX_CANDIDATES).map(str::to_owned).collect()
}

fn similarity(wanted: &str, last: &str, name: &str) -> Option<u32> {
    let name = name.to_lowercase();
    if name == wanted {
        return Some(2000);
    }
    let end = last_part(&name);
    if end == last {
        // Several names have the same last part: prefer the one whose whole address is most similar.
        let place = strsim::normalized_damerau_levenshtein(without_numbers(wanted), without_numbers(&name));
        return Some(1500 + (place * 400.0) as u32);
    }
    let contains = name.contains(last) || (!end.is_empty() && wanted.contains(end));
    let whole = strsim::normalized_damerau_levenshtein(wanted, &name);
    let tail = strsim::normalized_damerau_levenshtein(last, end);
    let score = (whole.max(tail) * 1000.0) as u32 + if contains { 200 } else { 0 };
    (score >= 500).then_some(score)
}

fn last_part(address: &str) -> &str {
    without_numbers(address)
        .trim_end_matches(['\'', '"', ']'])
        .rsplit(['.', '>', '/', '\'', '"', '[', '#', ':', ' '])
        .next()
        .unwrap_or(address)
}

/// The address without the numbers at its end.
fn without_numbers(mut address: &str) -> &str {
    while let Some((rest, number)) = address.strip_suffix(']').and_then(|inner| inner.rsplit_once('['))
        && !rest.is_empty()
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        address = rest;
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_similar_names_outermost_are_listed_first() {
        let failure = Failure::not_found("symbol", "Zebra", ["Box.open", "Box", "make", "Box.open.inner"]);
        assert_eq!(failure.candidates, ["Box", "make", "Box.open", "Box.open.inner"]);
        assert!(Failure::not_found("symbol", "Zebra", []).candidates.is_empty());
        let many: Vec<String> = (0..100).map(|number| format!("Name{number}")).collect();
        let failure = Failure::not_found("symbol", "Zebra", many.iter().map(String::as_str));
        assert_eq!(failure.candidates.len(), MAX_CANDIDATES);
        assert_eq!(Failure::not_found("symbol", "Bxo", ["Other", "Box"]).candidates, ["Box"]);
    }

    #[test]
    fn parse_error_shows_the_broken_line() {
        let failure = Failure::invalid_content("a JSON value", "{\n  \"é\": x,\n}", 10, "a value is missing");
        assert_eq!(failure.kind, FailureKind::ParseError);
        assert_eq!(
            failure.message,
            "the content cannot be parsed as a JSON value: line 2, column 7: a value is missing (`\"é\": x,`)"
        );
        assert!(Failure::invalid_content("x", "é", 1, "odd").message.contains("line 1, column 0"));
        assert!(Failure::invalid_content("x", "a\nb", 99, "odd").message.contains("line 2, column 1"));
    }

    #[test]
    fn similarity_prefers_the_last_part() {
        assert_eq!(nearest("User.find", ["Store.load", "Store.find", "User.fetch"]), ["Store.find", "User.fetch"]);
        assert_eq!(nearest("$['a b']", ["$.x['a b']", "$.zzz"]), ["$.x['a b']"]);
    }

    #[test]
    fn similarity_ignores_trailing_number() {
        let known = ["Usage[2]", "Install[1]", "Install[2]", "Other"];
        assert_eq!(nearest("Install[3]", known), ["Install[1]", "Install[2]"]);
        assert_eq!(nearest("install", known), ["Install[1]", "Install[2]"]);
        assert_eq!(nearest("a.m[2]", ["b.m[1]", "a.n[2]", "a.m"])[0], "a.m");
        assert_eq!(nearest("$.jobs[7]", ["$.steps[0]", "$.jobs[0]", "$.jobs"])[..2], ["$.jobs", "$.jobs[0]"]);
        assert_eq!(nearest("[#3]", ["[#1]", "zzzzzz"]), ["[#1]"]);
    }
}
