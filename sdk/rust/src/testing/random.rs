//! Random texts, generated with proptest.

use proptest::prelude::*;

use super::check_laws;
use crate::LanguagePack;

/// Checks the laws (properties required of every pack) on random texts built from the pieces, on mutations of the
/// documents, and on arbitrary text.
pub fn check_laws_on_random<P: LanguagePack>(
    path: &str,
    pieces: &'static [&'static str],
    documents: &'static [&'static str],
) {
    run_on_random(pieces, documents, |text| check_laws::<P>(path, text));
}

/// Runs a check on random texts.
pub(super) fn run_on_random(pieces: &'static [&'static str], documents: &'static [&'static str], check: impl Fn(&str)) {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let built = prop::collection::vec(prop::sample::select(pieces), 0..40).prop_map(|list| list.concat());
    let anything = any::<String>();
    proptest!(config.clone(), |(text in prop_oneof![3 => built, 1 => anything])| check(&text));
    if documents.is_empty() {
        return;
    }
    let config = ProptestConfig { cases: config.cases / 2, ..config };
    let cut =
        (prop::sample::select(documents), any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<char>());
    proptest!(config, |((text, from, to, insert) in cut)| {
        // Remove a piece and insert another character.
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let (a, b) = (places[from.index(places.len())], places[to.index(places.len())]);
        let (a, b) = (a.min(b), a.max(b).min(a.min(b) + 40));
        let b = places.iter().copied().find(|place| *place >= b).unwrap_or(text.len());
        check(&format!("{}{insert}{}", &text[..a], &text[b..]));
    });
}
