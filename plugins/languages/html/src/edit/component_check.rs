//! Checks of an edit of a component: its markup stays balanced, no element gets an attribute twice, code keeps the
//! elements in it, and a `v-else` of Vue keeps the `v-if` before it.

use marquetry_sdk::{Edit, Failure, FailureKind, Result, Span, fail, span::apply};

use super::verify::Shift;
use crate::syntax::diagnostic::Code;
use crate::syntax::{self, Dialect, Id, Tree};

/// Fails if the component could not be read after the edits, or if they change code around their target.
pub(super) fn check_edits(tree: &Tree, edits: &[Edit]) -> Result<()> {
    let after = syntax::parse(tree.dialect, apply(&tree.text, edits));
    if let Some(found) = after.unreadable() {
        let message = found.to_diagnostic(&after.text).message;
        return Err(refused(format!("the component could not be read after the edit: {message}"))
            .hint("close every element, block and brace of the content; `force` overrides"));
    }
    if let Some(name) = repeated_attribute(tree, &after) {
        return Err(refused(format!("the element would have the attribute `{name}` twice"))
            .hint("use `replace` for the attribute, or `insert_into` for a list of words; `force` overrides"));
    }
    if !code_is_kept(tree, &after, &Shift::new(edits)) {
        return Err(refused("the edit would change the code in braces around the element").hint(
            "an element that is the value of code can only be replaced by elements; change the code by `lines`",
        ));
    }
    if chain_breaks(&after) > chain_breaks(tree) {
        return Err(refused("a `v-else` would no longer follow its `v-if`")
            .hint("edit the elements of the chain together, or change the directive first; `force` overrides"));
    }
    Ok(())
}

fn refused(message: impl Into<String>) -> Failure {
    fail(FailureKind::InvalidArgument, message)
}

/// Returns the name of an attribute that more elements have twice than before.
fn repeated_attribute<'t>(before: &Tree, after: &'t Tree) -> Option<&'t str> {
    let (known, found) = (repeated_attributes(before), repeated_attributes(after));
    let count = |names: &[&str], name: &str| names.iter().filter(|other| **other == name).count();
    found.iter().copied().find(|name| count(&found, name) > count(&known, name))
}

/// Lists the attributes whose name another one of the element has.
fn repeated_attributes(tree: &Tree) -> Vec<&str> {
    let repeated = tree.diagnostics.iter().filter(|found| found.code == Code::DuplicateAttribute);
    repeated.map(|found| found.span.slice(&tree.text)).collect()
}

/// Returns whether the pieces of code outside of removed and new text are the same, except for white space.
fn code_is_kept(tree: &Tree, after: &Tree, shift: &Shift<'_>) -> bool {
    let pieces = |tree: &Tree| -> Vec<Span> {
        let trimmed = tree.code.iter().map(|piece| piece.trimmed(&tree.text));
        trimmed.filter(|piece| !piece.is_empty()).collect()
    };
    let old: Vec<Span> = pieces(tree).into_iter().filter(|piece| !shift.is_removed(piece.start)).collect();
    let new: Vec<Span> = pieces(after).into_iter().filter(|piece| !shift.is_written(piece.start)).collect();
    let is_same = |(old, new): (&Span, &Span)| {
        shift.moved(old.start) == new.start
            && old.slice(&tree.text).split_whitespace().eq(new.slice(&after.text).split_whitespace())
    };
    old.len() == new.len() && old.iter().zip(&new).all(is_same)
}

/// Returns the number of elements with `v-else` or `v-else-if` that do not follow an element with `v-if` or `v-else-if`.
fn chain_breaks(tree: &Tree) -> usize {
    if tree.dialect != Dialect::Vue {
        return 0;
    }
    let has = |id: Id, names: [&str; 2]| names.iter().any(|name| tree.has_attribute(id, name));
    let breaks = |siblings: &mut dyn Iterator<Item = Id>| {
        let mut before: Option<Id> = None;
        let mut count = 0;
        for id in siblings {
            let follows = before.is_some_and(|before| {
                let gap = Span { start: tree.element(before).end_tag.end, end: tree.element(id).start_tag.start };
                has(before, ["v-if", "v-else-if"]) && is_blank(tree, gap)
            });
            count += usize::from(has(id, ["v-else", "v-else-if"]) && !follows);
            before = Some(id);
        }
        count
    };
    (0..tree.element_count()).map(|id| breaks(&mut tree.children(id))).sum()
}

/// Returns whether a gap has only white space and comments.
fn is_blank(tree: &Tree, gap: Span) -> bool {
    let mut at = gap.start;
    let first = tree.comments.partition_point(|comment| comment.start < gap.start);
    let comments = tree.comments[first..].iter().take_while(|comment| comment.end <= gap.end);
    for comment in comments.copied().chain([Span { start: gap.end, end: gap.end }]) {
        if !(Span { start: at, end: comment.start }).slice(&tree.text).trim().is_empty() {
            return false;
        }
        at = comment.end;
    }
    true
}
