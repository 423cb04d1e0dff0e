//! Last check of an edit: entries outside of the edit keep their tables, and new entries are in the requested table.
//!
//! A key belongs to the table of the header above it, so a line that is inserted in another section has another
//! meaning.

use marquetry_jsonpath::{Tree, locations};
use marquetry_sdk::{Edit, Failure, FailureKind, Operation, Result, fail, span::apply};

use crate::{
    edit::{Location, stays_well_formed},
    parse,
    source::Source,
    table::{Id, NO_OFFSET},
};

/// Checks the edits of an operation on the values at these places. Files with errors are not checked.
pub(crate) fn verify_edits(
    source: Source<'_>,
    places: &[Location<'_>],
    operation: &Operation,
    edits: &[Edit],
) -> Result<()> {
    let containers: Option<Vec<Id>> = match operation {
        Operation::InsertInto(_) => Some(places.iter().map(|place| place.id).collect()),
        Operation::InsertBefore(_) | Operation::InsertAfter(_) => {
            Some(places.iter().filter_map(|place| place.parent).map(|(parent, _)| parent).collect())
        }
        _ => None,
    };
    let targets = if containers.is_some() { Vec::new() } else { places.iter().map(|place| place.id).collect() };
    verify(source, containers.as_deref(), &targets, edits)
}

/// Checks the edits that create a missing value in this container.
pub(crate) fn verify_created(source: Source<'_>, container: Id, edits: &[Edit]) -> Result<()> {
    verify(source, Some(&[container]), &[], edits)
}

/// Checks that new entries are in one of the containers, and that entries outside of the targets are unchanged.
fn verify(source: Source<'_>, containers: Option<&[Id]>, targets: &[Id], edits: &[Edit]) -> Result<()> {
    if edits.is_empty() || stays_well_formed(source, edits) {
        return Ok(());
    }
    let text = apply(source.text, edits);
    let (table, problems) = parse::parse(&text);
    let after = Source { text: &text, table: &table };
    // The host refuses a result with errors, and shows them.
    if !problems.is_empty() || entries_keep_tables(source, after, containers, targets, edits) {
        return Ok(());
    }
    let address = containers.and_then(|ids| locations(&source, source.root(), ids).pop()).map(|place| place.address);
    Err(misplaced_error(address.as_deref()))
}

fn misplaced_error(address: Option<&str>) -> Failure {
    let what = match address {
        Some(address) => format!("the new keys would not be in `{address}`, because of the headers around them"),
        None => "keys outside of the edit would belong to another table".to_owned(),
    };
    fail(FailureKind::InvalidArgument, what).hint("insert a section with its header, or edit the enclosing table")
}

/// A step on the path to a value: the name of a member, or the position of an element.
#[derive(Debug, PartialEq, Eq)]
enum Step<'d> {
    Name(std::borrow::Cow<'d, str>),
    Element(usize),
}

/// Returns the path to a value. `moved` maps the offsets of elements.
fn path<'d>(source: Source<'d>, id: Id, moved: &impl Fn(usize) -> usize) -> Vec<Step<'d>> {
    let mut steps = Vec::new();
    let mut at = id;
    while at != 0 {
        let node = source.table.node(at);
        steps.push(match source.table.key(at) {
            Some(key) => Step::Name(source.key_name(key)),
            None => Step::Element(moved(node.entry_start as usize)),
        });
        at = node.parent;
    }
    steps.reverse();
    steps
}

/// Returns whether each entry and header that the edits leave unchanged is at the same path as before, and whether the
/// new ones are in a container.
fn entries_keep_tables(
    source: Source<'_>,
    after: Source<'_>,
    containers: Option<&[Id]>,
    targets: &[Id],
    edits: &[Edit],
) -> bool {
    let is_target = |id: Id| targets.iter().any(|target| source.table.subtree(*target).contains(&id));
    let shifts = Shifts::new(edits);
    let moved = |offset: usize| shifts.offset_after(offset);
    let same = |offset: usize| offset;
    let starts = |source: Source<'_>| {
        let mut starts: Vec<(u32, Id)> = source.table.entries.iter().map(|entry| (entry.start, entry.node)).collect();
        starts.extend(source.table.sections[1..].iter().map(|section| (section.start, section.node)));
        starts.sort_unstable();
        starts
    };
    let now = starts(after);
    let mut is_old = vec![false; now.len()];
    for (start, id) in starts(source) {
        if shifts.is_removed(start as usize) || is_target(id) {
            continue;
        }
        let Ok(found) = now.binary_search_by_key(&(moved(start as usize) as u32), |(start, _)| *start) else {
            return false;
        };
        is_old[found] = true;
        if path(source, id, &moved) != path(after, now[found].1, &same) {
            return false;
        }
    }
    let Some(containers) = containers else { return true };
    let containers: Vec<Vec<Step<'_>>> = containers.iter().map(|id| path(source, *id, &moved)).collect();
    let mut new = now.iter().zip(is_old).filter(|(_, is_old)| !is_old);
    new.all(|((_, id), _)| {
        let path = path(after, *id, &same);
        containers.iter().any(|container| path.starts_with(container))
    })
}

/// Maps offsets of the text before the edits to offsets after them.
struct Shifts<'e> {
    edits: &'e [Edit],
    /// The growth of the text by the edits up to each of them.
    growth: Vec<i64>,
}

impl<'e> Shifts<'e> {
    fn new(edits: &'e [Edit]) -> Shifts<'e> {
        let growth = edits.iter().scan(0, |total, edit| {
            *total += edit.text.len() as i64 - i64::from(edit.span.end - edit.span.start);
            Some(*total)
        });
        Shifts { edits, growth: growth.collect() }
    }

    /// Returns the number of edits that end at the offset or before it.
    fn edits_before(&self, offset: usize) -> usize {
        self.edits.partition_point(|edit| edit.span.end as usize <= offset)
    }

    /// Returns whether an edit removes or replaces the text at an offset.
    fn is_removed(&self, offset: usize) -> bool {
        self.edits.get(self.edits_before(offset)).is_some_and(|edit| edit.span.start as usize <= offset)
    }

    fn offset_after(&self, offset: usize) -> usize {
        let growth = self.edits_before(offset).checked_sub(1).map_or(0, |last| self.growth[last]);
        usize::try_from(offset as i64 + growth).unwrap_or(NO_OFFSET as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::TomlDocument;

    /// Returns whether the edit passes the check as an insertion into the table at the path.
    #[track_caller]
    fn check(text: &str, edit: Edit, table: &str, expected: bool) {
        let document = TomlDocument::new("a.toml", text.to_owned());
        let source = document.source();
        let names: Vec<&str> = table.split('.').filter(|name| !name.is_empty()).collect();
        let id = names.iter().try_fold(0, |at, name| source.member(at, name)).expect("a table");
        assert_eq!(verify_created(source, id, &[edit]).is_ok(), expected, "{table} in {text}");
    }

    #[test]
    fn new_entries_must_be_in_asked_table() {
        let text = "[t]\na.x = 1\n[t.a.sub]\ny = 2\n";
        check(text, Edit::insert(12, "a.new = 1\n"), "t.a", true);
        check(text, Edit::insert(12, "a.new = 1\n"), "t", true);
        check(text, Edit::insert(12, "new = 1\n"), "t.a", false);
        check(text, Edit::insert(text.len(), "a.new = 1\n"), "t.a", true);
        check(text, Edit::insert(text.len(), "new = 1\n"), "", true);
        check("[t]\nx = 1\n[u]\ny = 2\n", Edit::insert(20, "new = 1\n"), "t", false);
        check("[t]\nx = 1\n[u]\ny = 2\n", Edit::insert(10, "new = 1\n"), "t", true);
    }

    #[test]
    fn old_entries_must_keep_their_tables() {
        let text = "[t]\nx = 1\n[[l]]\n[l.u]\ny = 2\n";
        check(text, Edit::insert(10, "[t.new]\n"), "t", true);
        check(text, Edit::insert(4, "[t.new]\n"), "t", false);
        check(text, Edit::insert(16, "[[l]]\n"), "l", false);
        check(text, Edit::insert(10, "[[l]]\n"), "l", true);
        check(text, Edit::insert(text.len(), "[[l]]\n"), "l", true);
    }
}
