//! Finds the names most similar to a wanted one, as suggestions in errors.

use std::collections::HashSet;

/// The maximum number of candidates in an error: enough to choose from, few enough to read.
pub const MAX_CANDIDATES: usize = 10;

/// Returns the similarity of two texts: 1 if they are equal, 0 if they have nothing in common.
///
/// # Examples
///
/// ```
/// use marquetry_model::nearest::similarity;
///
/// assert_eq!(similarity("abcd", "abcd"), 1.0);
/// assert_eq!(similarity("abcd", "abxx"), 0.5);
/// ```
pub fn similarity(a: &str, b: &str) -> f64 {
    strsim::normalized_levenshtein(a, b)
}

/// Returns the known names that are similar to the wanted one, best first.
///
/// # Examples
///
/// ```
/// use marquetry_model::nearest::nearest_names;
///
/// let known = ["src/UserService.ts", "src/user.ts", "README.md"].map(str::to_owned);
/// assert_eq!(nearest_names("UserServise.ts", known), ["src/UserService.ts"]);
/// ```
pub fn nearest_names(wanted: &str, known: impl IntoIterator<Item = String>) -> Vec<String> {
    let tail = |name: &str| name.rsplit('/').next().unwrap_or(name).to_lowercase();
    let (wanted, last) = (wanted.to_lowercase(), tail(wanted));
    let score = |name: &String| {
        let (whole, end) = (name.to_lowercase(), tail(name));
        let same = if end == last { 1.0 } else { 0.0 };
        let part = if !last.is_empty() && whole.contains(&last) { 0.3 } else { 0.0 };
        same + part
            + strsim::normalized_damerau_levenshtein(&last, &end)
                .max(strsim::normalized_damerau_levenshtein(&wanted, &whole))
    };
    best_scored(known.into_iter().map(|name| (score(&name), name)).filter(|(score, _)| *score > 0.55))
}

/// Returns the known addresses that are similar to the wanted one, best first. Those with the same last step come
/// first. The number of a repeated name, as in `Install[2]`, is ignored.
///
/// # Examples
///
/// ```
/// use marquetry_model::nearest::nearest_addresses;
///
/// let known = ["Store.load", "Store.find", "User.fetch"];
/// assert_eq!(nearest_addresses("User.find", known), ["Store.find", "User.fetch"]);
/// ```
pub fn nearest_addresses<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let last = last_step(&wanted);
    let score = |name: &str| {
        let name = name.to_lowercase();
        let end = last_step(&name);
        if end == last {
            // Among several addresses with the same last step, prefer the one that is most similar as a whole.
            return 1.5 + 0.4 * strsim::normalized_damerau_levenshtein(unnumbered(&wanted), unnumbered(&name));
        }
        let whole = strsim::normalized_damerau_levenshtein(&wanted, &name);
        let part = !last.is_empty() && !end.is_empty() && (name.contains(last) || wanted.contains(end));
        whole.max(strsim::normalized_damerau_levenshtein(last, end)) + if part { 0.2 } else { 0.0 }
    };
    let scored = known.into_iter().map(|name| (score(name), name)).filter(|(score, _)| *score >= 0.5);
    best_scored(scored).into_iter().map(str::to_owned).collect()
}

/// Returns the names with the highest scores without duplicates. Among names with equal scores, shorter names come
/// first; names of equal length keep the order of the input.
fn best_scored<N: AsRef<str> + Eq + std::hash::Hash + Clone>(scored: impl Iterator<Item = (f64, N)>) -> Vec<N> {
    let mut scored: Vec<(f64, N)> = scored.collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.as_ref().len().cmp(&b.1.as_ref().len())));
    let mut seen = HashSet::new();
    scored.into_iter().map(|(_, name)| name).filter(|name| seen.insert(name.clone())).take(MAX_CANDIDATES).collect()
}

/// Returns the last step of an address, whatever separator its format uses.
fn last_step(address: &str) -> &str {
    let named = unnumbered(address).trim_end_matches(['\'', '"', ']']);
    named.rsplit(['.', '>', '/', '\'', '"', '[', '#', ':', ' ']).next().unwrap_or(address)
}

/// Removes the numbers at the end of an address.
fn unnumbered(mut address: &str) -> &str {
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
    fn nearest_addresses_prefer_the_same_last_step() {
        let near = |wanted, known: &[&str]| nearest_addresses(wanted, known.iter().copied());
        assert_eq!(near("User.find", &["Store.load", "Store.find", "User.fetch"]), ["Store.find", "User.fetch"]);
        assert_eq!(near("$['a b']", &["$.x['a b']", "$.zzz"]), ["$.x['a b']"]);
        assert_eq!(
            near("Install[3]", &["Usage[2]", "Install[1]", "Install[2]", "Other"]),
            ["Install[1]", "Install[2]"]
        );
        assert!(near("Zebra", &["Box", "make"]).is_empty());
        assert_eq!(near("$.jobs[7]", &["$.steps[0]", "$.jobs[0]", "$.jobs"])[..2], ["$.jobs", "$.jobs[0]"]);
    }

    #[test]
    fn similarity_is_the_share_of_equal_letters() {
        for (a, b, expected) in [("abcd", "abcd", 1.0), ("abcd", "abxx", 0.5), ("ab", "xy", 0.0), ("", "", 1.0)] {
            assert!((similarity(a, b) - expected).abs() < 1e-9, "{a}, {b}: {}", similarity(a, b));
        }
    }

    #[test]
    fn last_step_is_compared_without_its_number() {
        for (address, last) in [
            ("a.b", "b"),
            ("$['a b']", "b"),
            ("Guide > Install[2]", "Install"),
            ("x[1][2]", "x"),
            ("x[a]", "a"),
            ("x[]", ""),
            ("[3]", "3"),
            ("#id", "id"),
        ] {
            assert_eq!(last_step(address), last, "{address}");
        }
        for (address, expected) in
            [("x[1][2]", "x"), ("x[a]", "x[a]"), ("x[]", "x[]"), ("[3]", "[3]"), ("x[1]y", "x[1]y"), ("x1]", "x1]")]
        {
            assert_eq!(unnumbered(address), expected);
        }
    }
}
