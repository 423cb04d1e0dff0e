//! Operations on one selector of a list. An operation that would affect the other selectors is refused.

use std::collections::BTreeMap;

use marquetry_sdk::{
    Edit, EditOptions, Failure, FailureKind, Operation, Result, Span, fail,
    items::{EmptyStyle, Items},
    lines,
};

use super::container::comment_syntax;
use crate::{
    index::Index,
    keys,
    target_match::{TargetMatch, selector_ranges},
    tree::Tree,
};

/// Returns the items to which the operation is applied, and the edits that delete single selectors from the lists of
/// their rules.
pub(super) fn separate_selectors(
    tree: &Tree,
    index: &Index,
    named: &[TargetMatch],
    operation: &Operation,
    options: EditOptions,
) -> Result<(Vec<u32>, Vec<Edit>)> {
    let mut items = Vec::new();
    let mut taken: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for name in named {
        match (*name, operation) {
            (TargetMatch::Selector { rule, start }, Operation::Delete) => taken.entry(rule).or_default().push(start),
            // Content to be inserted before or after a selector is inserted before or after the whole rule.
            (TargetMatch::Selector { rule, .. }, Operation::InsertBefore(_) | Operation::InsertAfter(_)) => {
                items.push(rule)
            }
            (TargetMatch::Whole(item), _) => items.push(item),
            (TargetMatch::Selector { .. } | TargetMatch::Shared(_), _) if options.force => items.push(name.item()),
            _ => return Err(shared_selector_error(tree, index, *name)),
        }
    }
    let mut edits = Vec::new();
    for (rule, starts) in taken {
        let ranges = selector_ranges(tree, tree.item(rule));
        let is_taken = |place: &usize| starts.contains(&(ranges[*place].start as u32));
        let places: Vec<usize> = (0..ranges.len()).filter(is_taken).collect();
        // If all selectors are deleted, delete the rule. If the rule is inside an item that is deleted, its list need
        // not be edited.
        if places.len() == ranges.len() {
            items.push(rule);
        } else if !items.iter().any(|item| (*item..tree.item(*item).next).contains(&rule)) {
            edits.extend(remove_selectors(tree, rule, &places));
        }
    }
    items.sort_unstable();
    items.dedup();
    Ok((items, edits))
}

/// Returns the edits that remove selectors from the list of a rule.
fn remove_selectors(tree: &Tree, rule: u32, places: &[usize]) -> Vec<Edit> {
    let item = tree.item(rule);
    let head = item.head_range();
    let start =
        if lines::starts_line(&tree.text, head.start) { lines::line_start(&tree.text, head.start) } else { head.start };
    let spans = selector_ranges(tree, item).into_iter().map(Span::from).collect();
    let list = Items {
        text: &tree.text,
        inner: Span::new(start, head.end),
        items: spans,
        separator: ",",
        terminated: false,
        comments: comment_syntax(tree.dialect),
        unit: "",
        empty: EmptyStyle::Tight,
        breaks: 1,
    };
    list.delete(places)
}

/// Returns the error for an operation that would affect more selectors than the one that the target names.
pub(super) fn shared_selector_error(tree: &Tree, index: &Index, name: TargetMatch) -> Failure {
    let item = tree.item(name.item());
    let whole = index.address(tree, name.item());
    let (message, alone) = match name {
        TargetMatch::Selector { start, .. } => {
            let ranges = selector_ranges(tree, item);
            let own = ranges.into_iter().find(|range| range.start == start as usize).unwrap_or_default();
            let own = &tree.text[own];
            let message = format!(
                "`{own}` is only one selector of `{}`; this change would affect the others too",
                keys::label(tree, item)
            );
            (message, format!("use `delete` to take `{own}` out of the list and `insert_after` to add a separate rule"))
        }
        _ => {
            let message = format!("the target names only one of the selectors that share `{whole}`");
            (message, "use `insert_after` to add a separate rule for that selector".to_owned())
        }
    };
    fail(FailureKind::AmbiguousTarget, message)
        .hint(format!("to change all of them, target `{whole}` or use `force`; to change only one, {alone}"))
        .candidates([whole])
}
