//! Last check of an edit: the edited text must have the requested values.
//!
//! In YAML, the same text can have different meanings at different positions. So edits that would change another value
//! are rejected.

use marquetry_jsonpath::{Query, Tree, json_text_within, locations};
use marquetry_sdk::{Edit, Failure, FailureKind, Insertion, Operation, Position, Result, fail, span::apply};

use crate::{
    content::Content,
    edit::Location,
    layout::Entry,
    parse,
    source::{NodeRef, Source},
    table::{Id, Kind},
};

/// Maximum length of values that are compared, written as JSON. Values that aliases make much longer than the text are
/// not compared either.
const MAX_JSON_LENGTH: usize = 1 << 22;

pub(crate) fn max_json_length(source: Source<'_>) -> usize {
    MAX_JSON_LENGTH.min(source.text.len() * 8 + 10_000)
}

/// Returns whether the edits only replace one simple scalar by another one on the same line, in a file without errors.
/// Such an edit cannot change the meaning of the surrounding text, so no check is needed.
pub(crate) fn is_simple_replacement(source: Source<'_>, place: &Location<'_>, edits: &[Edit]) -> bool {
    let on_a_line = |id: Id| {
        let kind = source.kind_of(id);
        matches!(kind, Kind::Plain | Kind::SingleQuoted | Kind::DoubleQuoted) && !source.raw(id).contains(['\n', '\r'])
    };
    let ([edit], old) = (edits, source.table.range(place.id)) else { return false };
    // The edit may include text before the scalar if it does not change that text.
    let before = source.text.get(edit.span.range().start..old.start);
    let new = before.and_then(|before| edit.text.strip_prefix(before));
    edit.span.range().end == old.end
        && on_a_line(place.id)
        && source.table.properties(place.id).is_none()
        && new.is_some_and(is_simple)
}

/// Returns whether the text is parsed as the same scalar at every position: words, a number, or quoted text on one
/// line.
fn is_simple(text: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || b"_./+- ".contains(&byte);
    let plain = text.starts_with(|c: char| c.is_ascii_alphanumeric()) && !text.ends_with(' ') && text.bytes().all(word);
    if plain {
        return true;
    }
    let quoted = text.starts_with(['"', '\'']) && !text.contains(['\n', '\r']);
    quoted && {
        let (table, problems) = parse::parse(text);
        let is_all = |id: Id| {
            matches!(table.kind(id), Kind::SingleQuoted | Kind::DoubleQuoted) && table.range(id) == (0..text.len())
        };
        problems.is_empty() && table.children(0).all(is_all)
    }
}

/// Checks the edits of one operation on one value.
pub(crate) fn verify_edits(
    source: Source<'_>,
    place: &Location<'_>,
    operation: &Operation,
    edits: &[Edit],
) -> Result<()> {
    if edits.is_empty() {
        return Ok(());
    }
    let after = apply(source.text, edits);
    let (table, _) = parse::parse(&after);
    let after = Source { text: &after, table: &table };
    let neighbours = |parent: Id, index: usize, removed: usize| {
        let found = locations(&source, source.root_id(), &[parent]).pop();
        found.is_none_or(|found| entries_unchanged(source, after, parent, &found.address, index, removed))
    };
    let beside = |content: &str, step: usize| {
        let Some((parent, index)) = place.parent else { return true };
        let found = locations(&source, source.root_id(), &[parent]).pop();
        found.is_none_or(|found| contains_content(source, after, parent, &found.address, content, Some(index + step)))
            && neighbours(parent, index + step, 0)
    };
    let good = match operation {
        Operation::Replace(content) => {
            has_value(after, &place.address, content) && others_unchanged(source, after, place.id)
        }
        Operation::InsertBefore(content) => beside(content, 0),
        Operation::InsertAfter(content) => beside(content, 1),
        Operation::InsertInto(Insertion { content, position }) => {
            let count = source.table.children(place.id).count();
            let index = match position {
                Position::First => Some(0),
                Position::Last => Some(count),
                Position::Sorted => None,
            };
            contains_content(source, after, place.id, &place.address, content, index)
                && index.is_none_or(|index| {
                    neighbours(place.id, if source.kind_of(place.id).is_mapping() { index / 2 } else { index }, 0)
                })
        }
        Operation::Delete => place.parent.is_none_or(|(parent, index)| neighbours(parent, index, 1)),
        Operation::ReplaceBody(_) => others_unchanged(source, after, place.id),
        // `wrap_value` has already compared the values: it uses the first layout that results in the expected value.
        Operation::Wrap(_) => true,
    };
    if good { Ok(()) } else { Err(meaning_changed_error(matches!(operation, Operation::Delete))) }
}

/// Checks the edits that create a value at a path: the value must exist, and other values must be unchanged.
pub(crate) fn verify_created(source: Source<'_>, path: &str, content: &str, edits: &[Edit]) -> Result<()> {
    let text = apply(source.text, edits);
    let (table, _) = parse::parse(&text);
    let after = Source { text: &text, table: &table };
    if top_values_unchanged(source, after, edits) && has_value(after, path, content) {
        Ok(())
    } else {
        Err(meaning_changed_error(false))
    }
}

/// Returns whether the top-level values are unchanged and in the same order, except for the value with the edits.
fn top_values_unchanged(source: Source<'_>, after: Source<'_>, edits: &[Edit]) -> bool {
    let name = |source: Source<'_>, entry: &Entry| entry.key.map(|key| source.key_name(key).into_owned());
    let now = after.entries_of(after.root_id());
    let mut now = now.iter();
    let mut left = max_json_length(source);
    source.entries_of(source.root_id()).iter().all(|old| {
        let wanted = name(source, old);
        let Some(new) = now.find(|new| name(after, new) == wanted) else { return false };
        // A space may be between the colon and the place of an empty value.
        let mut span = source.span(old.value);
        let rest = &source.text[span.range().end..];
        if span.is_empty() {
            span.end += (rest.len() - rest.trim_start_matches(' ').len()) as u32;
        }
        if edits.iter().any(|edit| edit.span.start <= span.end && edit.span.end >= span.start) {
            return true;
        }
        let old = json_text_within(&source, NodeRef { id: old.value, via_alias: 0 }, left);
        left -= old.as_ref().map_or(left, String::len).min(left);
        old.is_none()
            || left == 0
            || old == json_text_within(&after, NodeRef { id: new.value, via_alias: 0 }, max_json_length(after))
    })
}

/// Returns whether all values outside of a value are unchanged. If the value has anchors, aliases may change with it, so
/// nothing is compared.
pub(crate) fn others_unchanged(source: Source<'_>, after: Source<'_>, id: Id) -> bool {
    let inside = id..source.table.subtree_end(id);
    if inside.clone().any(|id| source.is_node(id) && source.table.properties(id).has_anchor()) {
        return true;
    }
    let (mut old, mut new) = (source.root_id(), after.root_id());
    while old != id {
        let (before, now) = (source.entries_of(old), after.entries_of(new));
        let contains = |entry: &Entry| (entry.value..source.table.subtree_end(entry.value)).contains(&id);
        // The value may be a key, which is not the value of an entry.
        let Some(index) = before.iter().position(contains) else { return true };
        let name = |source: Source<'_>, entry: &Entry| entry.key.map(|key| source.key_name(key).into_owned());
        let is_same = |at: usize| {
            let value = |entry: &Entry| NodeRef { id: entry.value, via_alias: 0 };
            name(source, &before[at]) == name(after, &now[at])
                && (at == index || values_equal((source, value(&before[at])), (after, value(&now[at]))))
        };
        if before.len() != now.len() || !(0..before.len()).all(is_same) {
            return false;
        }
        (old, new) = (before[index].value, now[index].value);
    }
    true
}

fn meaning_changed_error(deleted: bool) -> Failure {
    let hint = "quote text that contains `: `, ` #` or brackets; write collections in the style of the target";
    let what = if deleted {
        "deleting this would change how the surrounding text is parsed"
    } else {
        "the content would be parsed differently at this position"
    };
    fail(FailureKind::InvalidArgument, what).hint(hint)
}

/// Returns whether the entry before an index and the entry after the removed ones are unchanged. They can change
/// because a block scalar absorbs the lines that now follow it.
fn entries_unchanged(
    source: Source<'_>,
    after: Source<'_>,
    parent: Id,
    address: &str,
    index: usize,
    removed: usize,
) -> bool {
    let before = source.entries_of(parent);
    let stream = (source.kind_of(parent) == Kind::Stream).then_some(NodeRef { id: 0, via_alias: 0 });
    let found = stream.or_else(|| node_at(after, address)).filter(|node| after.kind_of(node.id).is_collection());
    let Some(node) = found else { return true };
    let now = after.entries_of(node.id);
    if before.len() == removed {
        return true;
    }
    let says_the_same = |old: Option<&Entry>, new: Option<&Entry>| match (old, new) {
        (Some(old), Some(new)) => values_equal(
            (source, NodeRef { id: old.value, via_alias: 0 }),
            (after, NodeRef { id: new.value, via_alias: 0 }),
        ),
        (None, _) => true,
        (Some(_), None) => false,
    };
    let behind = |entries: usize, index: usize| entries.checked_sub(index);
    let old = before.get(index + removed);
    let new =
        behind(before.len(), index + removed).and_then(|left| now.len().checked_sub(left)).and_then(|at| now.get(at));
    let previous = index.checked_sub(1);
    says_the_same(previous.and_then(|at| before.get(at)), previous.and_then(|at| now.get(at)))
        && says_the_same(old, new)
}

/// Returns the only node at an address.
pub(crate) fn node_at(after: Source<'_>, address: &str) -> Option<NodeRef> {
    match Query::parse(address).ok()?.select(&after).ok()?.as_slice() {
        [only] => Some(*only),
        _ => None,
    }
}

/// Returns whether two values are equal, or too long to compare.
pub(crate) fn values_equal(a: (Source<'_>, NodeRef), b: (Source<'_>, NodeRef)) -> bool {
    let Some(value) = json_text_within(&a.0, a.1, max_json_length(a.0).max(max_json_length(b.0))) else { return true };
    json_text_within(&b.0, b.1, max_json_length(a.0).max(max_json_length(b.0))).is_none_or(|other| other == value)
}

/// Parses the content. Returns `None` if its value cannot be computed without the file.
fn standalone_content(content: &str) -> Option<Content> {
    Content::parse(content, false).ok().filter(|content| !content.uses_outer_anchors)
}

/// Returns whether the address finds exactly one value, and this value equals that of the content.
fn has_value(after: Source<'_>, address: &str, content: &str) -> bool {
    let Some(content) = standalone_content(content) else { return true };
    let root = NodeRef { id: content.root(), via_alias: 0 };
    node_at(after, address).is_some_and(|node| values_equal((after, node), (content.source(), root)))
}

/// Returns whether the collection has more entries than before, and contains the content: under its names in a mapping,
/// at the index in a sequence.
fn contains_content(
    source: Source<'_>,
    after: Source<'_>,
    id: Id,
    address: &str,
    content: &str,
    index: Option<usize>,
) -> bool {
    let Some(node) = node_at(after, address) else { return false };
    let count = after.table.children(node.id).count();
    if !after.kind_of(node.id).is_collection() || count <= source.table.children(id).count() {
        return false;
    }
    let Some(content) = standalone_content(content) else { return true };
    let (inner, root) = (content.source(), NodeRef { id: content.root(), via_alias: 0 });
    if after.kind_of(node.id).is_mapping() {
        let found = |(name, value): (std::borrow::Cow<'_, str>, NodeRef)| {
            after.member(node, &name).is_some_and(|member| values_equal((after, member), (inner, value)))
        };
        return !content.kind().is_mapping() || inner.members(root).all(found);
    }
    // In a flow collection, a content may be several items. A block sequence is always several items.
    let items = content.kind() == Kind::BlockSequence && after.kind_of(node.id) != Kind::Stream;
    let values: Vec<NodeRef> = if items { inner.children(root).collect() } else { vec![root] };
    let Some(index) = index else { return true };
    if !items && count > source.table.children(id).count() + 1 {
        return true;
    }
    values.into_iter().enumerate().all(|(offset, value)| {
        after.element(node, index + offset).is_some_and(|item| values_equal((after, item), (inner, value)))
    })
}

#[cfg(test)]
mod tests {
    use marquetry_jsonpath::locations;
    use marquetry_sdk::{Document, EditOptions};

    use super::*;
    use crate::document::YamlDocument;

    #[track_caller]
    fn check(text: &str, content: &str, expected: bool) {
        let document = YamlDocument::new("a.yaml", text.to_owned());
        let source = document.source();
        let value = source.pairs(source.root_id()).next().expect("a pair").1;
        let place = locations(&source, source.root_id(), &[value]).remove(0);
        let options = EditOptions { include_doc: false, force: true };
        let edits = document.edit(&[value], &Operation::Replace(content.to_owned()), options).expect("edited");
        assert_eq!(is_simple_replacement(source, &place, &edits), expected, "{content} in {text}");
    }

    #[test]
    fn simple_scalar_replacement_skips_check() {
        check("a: old # why\nb: 1\n", "new", true);
        check("a: \"old\"\n", "some words 1.5", true);
        check("{a: 'x', b: y}\n", "\"a: b # c\"", true);
        check("a: old\n", "- new", false);
        check("a: old\n", "k: v", false);
        check("a: old\n", "x #c", false);
        check("a: old\n", "\"x\" y", false);
        check("a: |\n  old\n", "new", false);
        check("a: old\n  more\n", "new", false);
        check("a: &x old\n", "new", false);
    }
}
