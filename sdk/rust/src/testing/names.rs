//! Checks the laws (properties required of every pack) for shared names: names used across files, such as CSS classes.

use std::collections::BTreeSet;

use super::{check_edits, check_span, random::run_on_random};
use crate::{FailureKind, InterfaceFacts, SharedName, Subject, Symbols, span::apply, stylesheet::chars::is_name};

/// Maximum number of names to rename per document.
const MAX_NAMES: usize = 8;

/// Checks each shared name of a document: `resolve_symbol` finds it, a rename edits exactly the certain occurrences,
/// the document then contains the new name instead of the old one, and renaming back restores the text.
///
/// # Panics
///
/// Panics if a law is broken.
#[track_caller]
pub fn check_name_laws<P: Symbols>(path: &str, text: &str) {
    let document = P::open(path, text.to_owned(), "{}");
    let facts = P::facts(&document);
    let names = all_names(&facts);
    for (space, name) in names.iter().take(MAX_NAMES) {
        let shared = SharedName { namespace: space.clone(), name: name.clone() };
        let found = P::resolve_symbol(&document, Subject::Shared(shared.clone()))
            .expect("`resolve_symbol` must find every name of `facts`");
        for occurrence in &found.occurrences {
            check_span(text, occurrence.span, "occurrence");
        }
        let fresh = if name.starts_with("--") { "--zz-new" } else { "zz-new" };
        let renaming = match P::rename(&document, Subject::Shared(shared.clone()), fresh) {
            Ok(renaming) => renaming,
            Err(failure) => {
                assert_eq!(failure.kind, FailureKind::RefactorFailed, "`{name}` in\n{text}\n{failure:?}");
                continue;
            }
        };
        check_edits(text, &renaming.edits);
        for span in &renaming.unresolved {
            check_span(text, *span, "unresolved place");
        }
        let certain =
            found.occurrences.iter().filter(|occurrence| occurrence.certain).map(|occurrence| occurrence.span);
        let edited: Vec<_> = renaming.edits.iter().map(|edit| edit.span).collect();
        assert_eq!(
            edited,
            certain.collect::<Vec<_>>(),
            "a rename must edit exactly the certain occurrences of `{name}` in\n{text}"
        );
        if edited.is_empty() {
            continue;
        }
        let after = apply(text, &renaming.edits);
        let document = P::open(path, after.clone(), "{}");
        let expected: BTreeSet<(String, String)> = names
            .iter()
            .map(|known| {
                if known == &(space.clone(), name.clone()) { (space.clone(), fresh.to_owned()) } else { known.clone() }
            })
            .collect();
        assert_eq!(
            all_names(&P::facts(&document)),
            expected,
            "wrong names after `{name}` is renamed in\n{text}\nto\n{after}"
        );
        let is_word = name.bytes().all(is_name);
        let is_plain = is_word && edited.iter().all(|span| span.slice(text) == name);
        let there = SharedName { namespace: space.clone(), name: fresh.to_owned() };
        match P::rename(&document, Subject::Shared(there), name) {
            Ok(back) if is_plain => {
                assert_eq!(apply(&after, &back.edits), text, "renaming back does not restore the text")
            }
            // The old name needs escapes, so the text may differ.
            Ok(_) => {}
            Err(failure) => assert_eq!(failure.kind, FailureKind::InvalidArgument, "`{name}` in\n{after}\n{failure:?}"),
        }
    }
}

/// Runs [`check_name_laws`] on random texts built from the pieces, on mutations of the documents, and on arbitrary
/// text.
pub fn check_name_laws_on_random<P: Symbols>(
    path: &str,
    pieces: &'static [&'static str],
    documents: &'static [&'static str],
) {
    run_on_random(pieces, documents, |text| check_name_laws::<P>(path, text));
}

fn all_names(facts: &InterfaceFacts) -> BTreeSet<(String, String)> {
    let shared = facts.shared.iter().chain(&facts.free);
    shared.map(|name| (name.namespace.clone(), name.name.clone())).collect()
}
