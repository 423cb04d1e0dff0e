//! The names nearest to a wanted one, for menus in errors.

/// How many candidates an error names at most: enough to choose from, few enough to read.
pub const MOST: usize = 10;

/// How alike two texts are: 1 for the same, 0 for nothing in common.
pub fn likeness(a: &str, b: &str) -> f64 {
    strsim::normalized_levenshtein(a, b)
}

/// The known names that are like the wanted one, best first.
pub fn nearest(wanted: &str, known: impl IntoIterator<Item = String>) -> Vec<String> {
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
    let mut scored: Vec<(f64, String)> =
        known.into_iter().map(|name| (score(&name), name)).filter(|(score, _)| *score > 0.55).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.len().cmp(&b.1.len())));
    scored.into_iter().take(MOST).map(|(_, name)| name).collect()
}
