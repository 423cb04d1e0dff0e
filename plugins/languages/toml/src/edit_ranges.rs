//! Ranges in which an operation may change the text, in addition to the surroundings of its target. They are needed
//! because the parts of a table may be anywhere in the file.

use marquetry_sdk::{Operation, Span};

use crate::{
    source::Source,
    table::{Id, Kind},
};

/// Returns the ranges in which an operation on these values may change the text.
pub(crate) fn operation_ranges(source: Source<'_>, ids: &[Id], operation: &Operation) -> Vec<Span> {
    match operation {
        Operation::Replace(_) | Operation::ReplaceBody(_) | Operation::Delete | Operation::Wrap(_) => {
            all_parts(source, ids)
        }
        // Keys are inserted among the keys of their table. Sections are inserted next to those of the table or the
        // target.
        Operation::InsertBefore(_) | Operation::InsertAfter(_) => {
            let parents = ids.iter().map(|id| source.table.node(*id).parent);
            parents.flat_map(|table| insertion_points(source, table)).chain(all_parts(source, ids)).collect()
        }
        Operation::InsertInto(_) => ids.iter().flat_map(|id| insertion_points(source, *id)).collect(),
    }
}

/// Returns the lines of all parts of the values, each with the blank lines and comments around it.
fn all_parts(source: Source<'_>, ids: &[Id]) -> Vec<Span> {
    let table = source.table;
    let (sections, entries) = table.sections_and_entries(ids);
    let section = |index: usize| {
        let start = table.sections[index].start as usize;
        Span::new(table.previous_end(start), next_header(source, index))
    };
    let entry = |index: usize| {
        let start = table.entries[index].start as usize;
        let next = table.entries.get(index + 1).map_or(source.text.len(), |next| next.start as usize);
        Span::new(table.previous_end(start), next.min(next_header(source, table.section_of(index))))
    };
    sections.into_iter().map(section).chain(entries.into_iter().map(entry)).collect()
}

/// Returns the ranges in which new keys and sections of a table are inserted: below its header and after its last
/// section. For a table that dotted keys name, they are next to these keys.
fn insertion_points(source: Source<'_>, id: Id) -> Vec<Span> {
    let table = source.table;
    if table.kind(source.written_container(id)) == Kind::InlineTable {
        return Vec::new();
    }
    let own = table.own_section(id).map(|index| {
        let head = table.sections[index].header_end as usize;
        let first_section = next_header(source, index);
        Span::new(head, first_section)
    });
    // New sections are next to those of the table. If the table has no header, one is inserted above its first section.
    let beside = table.sections_within(id).flat_map(|index| {
        let section = &table.sections[index];
        let start = section.start as usize;
        [Span::new(table.previous_end(start), start), Span::new(section.end as usize, next_header(source, index))]
    });
    // A new element of an array is inserted next to another element, which may be anywhere in the file.
    let is_scattered =
        table.node(id).extended_by_dotted_keys || matches!(table.kind(id), Kind::DottedTable | Kind::ArrayOfTables);
    let dotted = if is_scattered { all_parts(source, &[id]) } else { Vec::new() };
    own.into_iter().chain(beside).chain(dotted).collect()
}

/// Returns where the next header starts, or the end of the text.
fn next_header(source: Source<'_>, index: usize) -> usize {
    source.table.sections.get(index + 1).map_or(source.text.len(), |next| next.start as usize)
}
