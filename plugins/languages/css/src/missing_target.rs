//! The error for a target that does not exist. It suggests the most similar items.

use std::collections::BTreeMap;

use marquetry_sdk::{Failure, FailureKind, fail, failure::MAX_CANDIDATES};

use crate::{
    index::{self, Index},
    keys,
    nesting::list_members,
    target::Step,
    tree::Tree,
};

/// Maximum number of items whose edit distance is computed. If there are more, a faster comparison selects them.
const MAX_COMPARED: usize = 600;

/// Maximum number of selectors compared per list.
const MAX_MEMBERS: usize = 16;

/// Returns the error for a target. It names the first step that finds nothing, and has suggestions for it.
pub(crate) fn not_found(tree: &Tree, index: &Index, wanted: &str, steps: &[Step]) -> Failure {
    let missing = (1..=steps.len()).find(|count| index.find(tree, &steps[..*count]).is_empty()).unwrap_or(steps.len());
    let (before, step) = (&steps[..missing - 1], &steps[missing - 1]);
    let addresses = |items: &[u32]| -> Vec<String> {
        items.iter().take(MAX_CANDIDATES).map(|item| index.address(tree, *item)).collect()
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
    for item in most_similar_items(tree, &step.text, among) {
        let label = keys::label(tree, tree.item(item));
        // Compare the selectors of a list separately.
        for member in list_members(&label, tree.dialect).into_iter().take(MAX_MEMBERS) {
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

/// Returns the items whose labels have the most characters in common with the text.
fn most_similar_items(tree: &Tree, text: &str, mut items: Vec<u32>) -> Vec<u32> {
    if items.len() > MAX_COMPARED {
        let wanted = character_set(text);
        let unlike = |index: &u32| {
            let head = tree.head(tree.item(*index));
            (character_set(head) ^ wanted).count_ones() as usize * 2 + head.len().abs_diff(text.len())
        };
        items.select_nth_unstable_by_key(MAX_COMPARED, unlike);
        items.truncate(MAX_COMPARED);
        items.sort_unstable();
    }
    items
}

/// Returns the set of the characters in a text, as bits.
fn character_set(text: &str) -> u64 {
    text.bytes().take(200).fold(0, |set, byte| set | 1 << (byte.to_ascii_lowercase() & 63))
}
