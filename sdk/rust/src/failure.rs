//! Failures: what was wrong, what to do, the nearest right answers.

use crate::{Failure, FailureKind, Span};

/// How many candidates a failure names at most: enough to choose from, few enough to read.
pub const MOST_CANDIDATES: usize = 12;

/// A failure of the kind with the message. The message is a lower-case fragment without a final period.
pub fn fail(kind: FailureKind, message: impl Into<String>) -> Failure {
    Failure { kind, message: message.into(), hint: None, candidates: Vec::new(), span: None }
}

impl Failure {
    /// With what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// With right answers, nearest first.
    #[must_use]
    pub fn candidates(mut self, candidates: impl IntoIterator<Item = String>) -> Failure {
        self.candidates = candidates.into_iter().collect();
        self
    }

    /// With the place that is to blame.
    #[must_use]
    pub fn at(mut self, span: Span) -> Failure {
        self.span = Some(span);
        self
    }

    /// The target names nothing; `known` are all addresses there are.
    pub fn not_found<'a>(what: &str, wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Failure {
        let candidates = nearest(wanted, known);
        let failure = fail(FailureKind::TargetNotFound, format!("no {what} `{wanted}`"));
        let hint = if candidates.is_empty() {
            "read the file without a target to see its outline".to_owned()
        } else {
            "use one of the candidates, or read the file without a target to see its outline".to_owned()
        };
        failure.hint(hint).candidates(candidates)
    }

    /// The operation makes no sense for this kind of node.
    pub fn unsupported(message: impl Into<String>) -> Failure {
        fail(FailureKind::Unsupported, message)
    }
}

/// The known names nearest to the wanted one: same last part first, then by likeness. The number behind a name that
/// comes again, `Install[2]`, is no part of it.
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let last = last_part(&wanted).to_owned();
    let mut seen = std::collections::HashSet::new();
    let mut scored: Vec<(u32, &str)> = known
        .into_iter()
        .filter(|name| seen.insert(*name))
        .take(20_000) // ranking more than this is slower than listing the outline
        .filter_map(|name| likeness(&wanted, &last, name).map(|score| (score, name)))
        .collect();
    scored.sort_by_key(|(score, name)| (std::cmp::Reverse(*score), name.len()));
    scored.into_iter().take(MOST_CANDIDATES).map(|(_, name)| name.to_owned()).collect()
}

fn likeness(wanted: &str, last: &str, name: &str) -> Option<u32> {
    let name = name.to_lowercase();
    if name == wanted {
        return Some(2000);
    }
    let end = last_part(&name);
    if end == last {
        // Of several, the one that stands where the wanted one was looked for.
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
    use super::nearest;

    #[test]
    fn the_last_part_counts_most() {
        assert_eq!(nearest("User.find", ["Store.load", "Store.find", "User.fetch"]), ["Store.find", "User.fetch"]);
        assert_eq!(nearest("$['a b']", ["$.x['a b']", "$.zzz"]), ["$.x['a b']"]);
    }

    #[test]
    fn a_number_at_the_end_is_not_the_name() {
        let known = ["Usage[2]", "Install[1]", "Install[2]", "Other"];
        assert_eq!(nearest("Install[3]", known), ["Install[1]", "Install[2]"]);
        assert_eq!(nearest("install", known), ["Install[1]", "Install[2]"]);
        assert_eq!(nearest("a.m[2]", ["b.m[1]", "a.n[2]", "a.m"])[0], "a.m");
        assert_eq!(nearest("$.jobs[7]", ["$.steps[0]", "$.jobs[0]", "$.jobs"])[..2], ["$.jobs", "$.jobs[0]"]);
        assert_eq!(nearest("[#3]", ["[#1]", "zzzzzz"]), ["[#1]"]);
    }
}
