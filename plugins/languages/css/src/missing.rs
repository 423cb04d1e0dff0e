//! Error for a target that does not exist, with the most similar items.

use std::collections::BTreeMap;

use marquetry_sdk::{Failure, FailureKind, fail, failure::MOST_CANDIDATES};

use crate::{
    index::{self, Index},
    keys,
    resolve::members,
    target::Step,
    tree::Tree,
};

/// Maximum number of items compared by edit distance; a cheaper comparison selects them.
const MOST_COMPARED: usize = 600;

/// Maximum number of selectors compared per list.
const MOST_MEMBERS: usize = 16;

/// Error for the first step that finds nothing, with suggestions.
pub(crate) fn not_found(tree: &Tree, index: &Index, wanted: &str, steps: &[Step]) -> Failure {
    let missing = (1..=steps.len()).find(|count| index.find(tree, &steps[..*count]).is_empty()).unwrap_or(steps.len());
    let (before, step) = (&steps[..missing - 1], &steps[missing - 1]);
    let addresses = |items: &[u32]| -> Vec<String> {
        items.iter().take(MOST_CANDIDATES).map(|item| index.address(tree, *item)).collect()
    };
    if step.nth.is_some() {
        let all: Vec<Step> = before.iter().cloned().chain([Step { nth: None, ..step.clone() }]).collect();
        let found = index.find(tree, &all);
        if !found.is_empty() {
            return fail(FailureKind::TargetNotFound, format!("no `{wanted}`: only {} items match", found.len()))
                .hint("use one of the candidates")
                .candidates(addresses(&found));
        }
    }
    let among: Vec<u32> = if before.is_empty() {
        (0..tree.items.len() as u32).filter(|item| !index::is_name(tree.item(*item).kind)).collect()
    } else {
        index.find(tree, before).into_iter().flat_map(|parent| tree.children(parent)).collect()
    };
    let mut known: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for item in likely(tree, &step.text, among) {
        let label = keys::label(tree, tree.item(item));
        // Compare the selectors of a list separately.
        for member in members(&label, tree.dialect).into_iter().take(MOST_MEMBERS) {
            known.entry(member.to_owned()).or_default().push(item);
        }
    }
    let mut failure = Failure::not_found("rule, at-rule or declaration", &step.text, known.keys().map(String::as_str));
    let mut nearest: Vec<u32> = Vec::new();
    for item in failure.candidates.iter().flat_map(|label| &known[label]) {
        if !nearest.contains(item) {
            nearest.push(*item);
        }
    }
    failure.candidates = addresses(&nearest);
    if let Some(last) = before.last() {
        failure.message = format!("no `{}` in `{}`", step.text, last.text);
    }
    failure
}

/// Items whose characters are most similar to those of the text.
fn likely(tree: &Tree, text: &str, mut items: Vec<u32>) -> Vec<u32> {
    if items.len() > MOST_COMPARED {
        let wanted = letters(text);
        let unlike = |index: &u32| {
            let head = tree.head(tree.item(*index));
            (letters(head) ^ wanted).count_ones() as usize * 2 + head.len().abs_diff(text.len())
        };
        items.select_nth_unstable_by_key(MOST_COMPARED, unlike);
        items.truncate(MOST_COMPARED);
        items.sort_unstable();
    }
    items
}

/// Set of the characters of a text.
fn letters(text: &str) -> u64 {
    text.bytes().take(200).fold(0, |set, byte| set | 1 << (byte.to_ascii_lowercase() & 63))
}
